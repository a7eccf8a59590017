"""pystoa.lh5 beside legend-lh5io, on files that it wrote."""

import contextlib
import io
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

import h5py
import lh5
import numpy as np
from lgdo import types
from lh5.compression import RadwareSigcompress, ULEB128ZigZagDiff
from pystoa import _values
from pystoa import lh5 as ours

N = 50


def waveforms(n, codec=None, size=40):
    rng = np.random.default_rng(2)
    values = types.ArrayOfEqualSizedArrays(nda=rng.integers(0, 900, (n, size)).astype("u2"), attrs={"units": "ADC"})
    if codec is not None:
        values.attrs["compression"] = codec
    return types.WaveformTable(t0=np.arange(n, dtype="f8"), t0_units="ns", dt=np.full(n, 16.0), dt_units="ns",
                               values=values)  # fmt: skip


def vectors(n, dtype="f8"):
    rng = np.random.default_rng(3)
    lengths = rng.integers(0, 5, n)
    ends = np.cumsum(lengths).astype("u4")
    return types.VectorOfVectors(flattened_data=types.Array(np.arange(ends[-1]).astype(dtype)),
                                 cumulative_length=types.Array(ends), attrs={"units": "ns"})  # fmt: skip


def table(n=N, shift=0):
    """A table with a column of each kind."""
    rows = np.arange(n) + shift
    deep = types.VectorOfVectors([[[i, i + 1], [i]] if i % 3 else [] for i in range(n)])
    return types.Table({
        "e": types.Array(rows * 1.5, attrs={"units": "keV", "gain": 2.5, "note": "mine", "k": 3}),
        "i": types.Array(rows.astype("i2")), "flag": types.Array(rows % 3 == 0),
        "name": types.Array(np.array([b"muon", b"pi"])[rows % 2]), "z": types.Array(rows + 1j),
        "hits": vectors(n), "deep": deep,
        "cells": types.ArrayOfEqualSizedArrays(nda=np.arange(n * 3).reshape(n, 3), attrs={"units": "m"}),
        "fixed": types.FixedSizeArray(rows), "inner": types.Table({"x": types.Array(rows), "y": types.Array(rows * 2)},
                                                                  attrs={"gain": "high"}),
        "wf": waveforms(n), "packed": waveforms(n, RadwareSigcompress(codec_shift=-32768)),
        "small": waveforms(n, ULEB128ZigZagDiff()),
    }, attrs={"run": "p03", "part": 7})  # fmt: skip


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)
        self.path = str(self.dir / "a.lh5")

    def equal(self, found, wanted, place=""):
        """Type, attributes and values, of all parts."""
        self.assertIs(type(found), type(wanted), place)
        self.assertEqual(dict(found.attrs), dict(wanted.attrs), place)
        if hasattr(wanted, "keys"):
            self.assertEqual(list(found), list(wanted), place)
            for key in wanted:
                self.equal(found[key], wanted[key], f"{place}/{key}")
        elif isinstance(wanted, types.VectorOfVectors):
            self.equal(found.flattened_data, wanted.flattened_data, f"{place}/flattened_data")
            self.equal(found.cumulative_length, wanted.cumulative_length, f"{place}/cumulative_length")
        elif isinstance(wanted, types.Scalar):
            self.assertEqual((found.value, type(found.value)), (wanted.value, type(wanted.value)), place)
        else:
            self.assertEqual(found.nda.dtype, wanted.nda.dtype, place)
            np.testing.assert_array_equal(found.nda, wanted.nda, place)

    def same(self, name, *arguments, path=None, **options):
        path = path or self.path
        with self.subTest(name=name, arguments=arguments, options=str(options)):
            self.equal(ours.read(name, path, *arguments, **options), lh5.read(name, path, *arguments, **options))


class Reading(Case):
    def setUp(self):
        super().setUp()
        lh5.write(table(), "raw", self.path, group="ch1")

    def test_tables(self):
        for name in ("ch1/raw", "/ch1/raw", "ch1/raw/wf", "ch1/raw/packed", "ch1/raw/inner", "ch1"):
            self.same(name)
        for name in table():
            self.same(f"ch1/raw/{name}")

    def test_rows(self):
        mask = np.arange(N) % 7 == 2
        for options in ({"start_row": 5, "n_rows": 9}, {"start_row": 40}, {"n_rows": 0}, {"idx": [3, 4, 17]},
                        {"idx": [5]}, {"idx": mask}, {"idx": np.array([[2, 5], [20, 22]])}, {"idx": []},
                        {"idx": [3, 8, 9, 40], "start_row": 5, "n_rows": 2}, {"idx": 7}):  # fmt: skip
            self.same("ch1/raw", **options)
        with mock.patch.object(_values, "_BLOCK", 4):
            self.same("ch1/raw", idx=[1, 3, 4, 17, 49])
        for idx in ([3, 3], [5, 2], np.array([[5, 2]]), np.array([[1, 5], [4, 6]]), [1.5]):
            with self.assertRaises(ValueError):
                ours.read("ch1/raw", self.path, idx=idx)

    def test_masks(self):
        for mask in (["e", "wf/values"], ["inner"], {"packed": False}, {"e": True, "inner/x": True}, ["wf/t0", "wf/dt"],
                     {"wf/values": False}, {"inner/x": False, "cells": False}):  # fmt: skip
            self.same("ch1/raw", field_mask=mask)
            self.same("ch1", field_mask=[f"raw/{key}" for key in mask] if isinstance(mask, list) else
                      {f"raw/{key}": value for key, value in mask.items()})  # fmt: skip
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ours.read("ch1/raw", self.path, field_mask=["e", "nothing"])
        self.assertIn("nothing", str(caught[0].message))

    def test_other_objects(self):
        path = str(self.dir / "b.lh5")
        objects = {
            "real": types.Scalar(3.5, attrs={"units": "m"}), "int": types.Scalar(7), "text": types.Scalar("a text"),
            "yes": types.Scalar(True), "array": types.Array(np.arange(4, dtype="i4")), "vectors": vectors(9, "u2"),
            "struct": types.Struct({"a": types.Array(np.arange(3)), "s": types.Scalar(2),
                                    "deep": types.Struct({"x": types.Scalar(1)})}, attrs={"note": "of mine"}),
            "texts": types.Array(np.array([b"a", b"bcd", b""])),
            "edges": types.Histogram(np.array([[1.0, 2.0], [3.0, 4.0]]),
                                     binning=(np.array([0.0, 1.0, 5.0]), np.array([1.0, 2.0, 4.0])), isdensity=True),
            "range": types.Histogram(np.arange(4), binning=[(0.0, 8.0, 2.0)], binedge_attrs={"units": "keV"}),
        }  # fmt: skip
        for name, value in objects.items():
            lh5.write(value, name, path)
            self.same(name, path=path)
        # The list of the root is incomplete, and pystoa finds what it does not name.
        self.assertEqual(sorted(ours.read("/", path)), sorted(objects))

    def test_several_files(self):
        other = str(self.dir / "b.lh5")
        lh5.write(table(20, 100), "raw", other, group="ch1")
        both = [self.path, other]
        rows = [1, 30, 49, 50, 52, 69]
        for options in ({}, {"start_row": 10, "n_rows": 50}, {"idx": rows}, {"idx": [[3, 4], [0, 7]]},
                        {"idx": [None, [2]]}, {"field_mask": ["e", "hits"]}):  # fmt: skip
            self.same("ch1/raw", path=both, **options)

    def test_a_filter_gives_the_rows_of_its_mask(self):
        whole = lh5.read("ch1/raw", self.path)
        mask = (whole["e"].nda > 20) & (whole["inner"]["y"].nda < 80)
        self.equal(ours.read("ch1/raw", self.path, where="e > 20 and inner.y < ?", params=[80]),
                   lh5.read("ch1/raw", self.path, idx=mask))  # fmt: skip
        self.equal(ours.read("ch1/raw", self.path, where="e > 20", idx=[3, 20, 30], n_rows=1),
                   lh5.read("ch1/raw", self.path, idx=[20]))  # fmt: skip

    def test_mistakes_are_named(self):
        with self.assertRaises(FileNotFoundError):
            ours.read("ch1/raw", self.path + "x")
        with self.assertRaises(KeyError):
            ours.read("nothing", self.path)
        with self.assertRaises(ValueError):
            ours.read("ch1/raw", self.path, decompress=False)
        with self.assertRaises(ValueError):
            ours.read("ch1/raw", self.path, obj_buf=table())
        with mock.patch.dict(sys.modules, {"lgdo.types": None, "lgdo": None}):
            with self.assertRaisesRegex(ImportError, "legend-pydataobj"):
                ours.read("ch1/raw", self.path)


class Listing(Case):
    def shown(self, show, *arguments, **options):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            show(self.path, *arguments, **options)
        return text.getvalue()

    def test_what_is_in_a_file(self):
        lh5.write(table(), "raw", self.path, group="ch1")
        lh5.write(types.Scalar(5), "number", self.path)
        lh5.write(types.Histogram(np.arange(4), binning=[(0.0, 8.0, 2.0)]), "range", self.path)
        for pattern in ("", "*", "ch*", "ch1/", "ch1/raw/", "ch*/r*", "/ch1/raw/wf/", "none"):
            self.assertEqual(ours.ls(self.path, pattern), lh5.ls(self.path, pattern))
        self.assertEqual(ours.ls(self.path, recursive=True), lh5.ls(self.path, recursive=True))
        self.assertEqual(ours.ls(self.path, "ch1/raw/packed", recursive=True),
                         lh5.ls(self.path, "ch1/raw/packed", recursive=True))  # fmt: skip
        for arguments, options in (((), {}), (("ch1/raw",), {}), ((), {"depth": 2}), ((), {"header": False}),
                                   (("ch1",), {"indent": ">"})):  # fmt: skip
            self.assertEqual(self.shown(ours.show, *arguments, **options),
                             self.shown(lh5.show, *arguments, **options))  # fmt: skip
        self.assertIn("'gain': np.float64(2.5)", self.shown(ours.show, attrs=True))
        with self.assertRaises(KeyError):
            ours.show(self.path, "nothing")


class Writing(Case):
    def check(self, found, wanted):
        """The same values and attributes; the order of fields and widths of lengths are free."""
        self.assertIs(type(found), type(wanted))
        if hasattr(wanted, "keys"):
            self.assertEqual(sorted(found), sorted(wanted))
            for key in wanted:
                self.check(found[key], wanted[key])
        else:
            left = {key: value for key, value in found.attrs.items() if not key.startswith("codec")}
            self.assertEqual(left, {k: v for k, v in wanted.attrs.items() if k != "compression"})
            self.assertTrue(found.view_as("ak").to_list() == wanted.view_as("ak").to_list()
                            if not isinstance(wanted, types.Scalar) else found.value == wanted.value)  # fmt: skip

    def test_objects_that_legend_reads(self):
        wanted = table()
        ours.write(wanted, "raw", self.path, group="ch1")
        self.check(lh5.read("ch1/raw", self.path), wanted)
        with h5py.File(self.path) as file:
            self.assertEqual(file["ch1/raw/packed/values"].attrs["codec"], "radware_sigcompress")
            self.assertEqual(file["ch1"].attrs["datatype"], "struct{raw}")
        for name, value in {"array": types.Array(np.arange(5.0), attrs={"units": "m"}), "v": vectors(7),
                            "n": types.Scalar(2.5), "s": types.Struct({"a": types.Array(np.arange(2))}),
                            "b": types.Scalar(True)}.items():  # fmt: skip
            ours.write(value, name, self.path)
            self.check(lh5.read(name, self.path), value)

    def test_compression(self):
        for name, options, level in (("a", {"compression": "gzip", "compression_opts": 7}, 7),
                                     ("b", {"compression": None}, None), ("c", {}, 4)):  # fmt: skip
            ours.write(types.Table({"x": types.Array(np.arange(1000)), "wf": waveforms(1000, ULEB128ZigZagDiff(), 5)}),
                       name, self.path, **options)  # fmt: skip
            with h5py.File(self.path) as file:
                self.assertEqual(file[f"{name}/x"].compression_opts, level)
                self.assertEqual(file[f"{name}/wf/values"].attrs["codec"], "uleb128_zigzag_diff")

    def test_modes(self):
        small = types.Table({"x": types.Array(np.arange(4)), "v": vectors(4)})
        ours.write(small, "t", self.path, wo_mode="w")
        with self.assertRaises(FileExistsError):
            ours.write(small, "t", self.path, wo_mode="write_safe")
        ours.write(small, "t", self.path, start_row=1, n_rows=2)
        self.assertEqual(lh5.read("t/x", self.path).nda.tolist(), [0, 1, 2, 3, 1, 2])
        self.assertEqual(len(lh5.read("t/v", self.path)), 6)
        ours.write(types.Table({"y": types.Array(np.arange(6.0))}), "t", self.path, wo_mode="ac")
        self.assertEqual(sorted(lh5.read("t", self.path)), ["v", "x", "y"])
        ours.write(small, "t", self.path, wo_mode="o")
        self.check(lh5.read("t", self.path), small)
        ours.write(small, "other", self.path, wo_mode="of")
        self.assertEqual(lh5.ls(self.path), ["other"])

    def test_mistakes_are_named(self):
        for options in ({"wo_mode": "x"}, {"write_start": 3}, {"compression": "lzf"}, {"shuffle": True}):
            with self.assertRaises(ValueError):
                ours.write(types.Array(np.arange(3)), "a", self.path, **options)
        with self.assertRaises(ValueError):
            ours.write(types.Histogram(np.arange(4), binning=[(0.0, 8.0, 2.0)]), "h", self.path)


if __name__ == "__main__":
    unittest.main()
