"""Tables and sparse arrays as Datasets of xarray: lazy, and equal to what was written."""

import pickle
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import pandas as pd
import pystoa
import xarray

# As pip installs it; the package lies beside this file without its metadata.
ENTRY = "[xarray.backends]\nstoa = pystoa.xarray:StoaBackendEntrypoint\n"
N = 200_000


class Xarray(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        info = cls.folder / "site" / "pystoa-0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pystoa\nVersion: 0\n")
        (info / "entry_points.txt").write_text(ENTRY)
        sys.path.append(str(info.parent))
        random = np.random.default_rng(1)
        import pyarrow

        cls.energy = random.exponential(500, N)
        cls.energy[::11] = np.nan
        cls.det = random.integers(0, 5, N).astype("i2")
        cls.wave = random.normal(0, 1, (N, 3))
        cls.when = np.datetime64("2026-07-01", "us") + np.arange(N)
        cls.path = str(cls.folder / "a.h5")
        pystoa.write(cls.path, "/events", pyarrow.table({
            "eid": np.arange(N), "energy": cls.energy, "det": cls.det, "when": cls.when,
            "wave": pyarrow.FixedSizeListArray.from_arrays(cls.wave.ravel(), 3),
            "label": pyarrow.array(["a", "b", None, "c"] * (N // 4)), "n": pyarrow.array([1, None] * (N // 2)),
        }), units={"energy": "keV"}, descriptions={"energy": "deposited"}, title="Run 7", chunk_rows=10_000,
            index_columns=["eid"])  # fmt: skip
        cls.dense = np.where(random.random((300, 200)) < 0.05, random.integers(1, 9, (300, 200)), 0)
        pystoa.write_sparse(cls.path, "/net", cls.dense, chunks=(64, 64))
        cls.cube = np.where(random.random((9, 8, 7)) < 0.1, 1.5, 0)
        pystoa.write_sparse(cls.path, "/cube", cls.cube)

    def open(self, group="/events", **options):
        found = xarray.open_dataset(self.path, engine="stoa", group=group, **options)
        self.addCleanup(found.close)
        return found

    def test_a_table_has_a_dimension_of_rows(self):
        found = self.open()
        self.assertEqual(dict(found.sizes), {"row": N, "wave_dim1": 3})
        self.assertEqual(list(found.data_vars), ["energy", "det", "when", "wave", "label", "n"])
        self.assertEqual(list(found.coords), ["eid"])
        self.assertEqual(found.energy.attrs, {"units": "keV", "long_name": "deposited"})
        self.assertEqual(found.attrs["TITLE"], "Run 7")
        np.testing.assert_array_equal(found.energy.values, self.energy)
        np.testing.assert_array_equal(found.det.values, self.det)
        self.assertEqual(found.det.dtype, np.dtype("i2"))
        np.testing.assert_array_equal(found.when.values, self.when)
        np.testing.assert_array_equal(found.wave.values, self.wave)
        self.assertEqual(found.label.values[:4].tolist(), ["a", "b", None, "c"])
        frame = found[["energy", "det"]].drop_vars("eid").to_dataframe()
        pd.testing.assert_frame_equal(frame, pd.DataFrame({"energy": self.energy, "det": self.det}), check_names=False)

    def test_rows_are_picked_as_numpy_picks_them(self):
        found = self.open(drop_variables=["n"])
        random = np.random.default_rng(2)
        far = random.integers(-N, N, 50)
        for key in (5, -1, slice(10, 20), slice(None, None, 50_000), slice(100, 5, -7), slice(7, 7), [3, 1, 3, -2],
                    far, np.array([0, N - 1]), np.array([], dtype=int)):  # fmt: skip
            np.testing.assert_array_equal(found.energy[key].values, self.energy[key])
            np.testing.assert_array_equal(found.wave[key, 1].values, self.wave[key, 1])
            np.testing.assert_array_equal(found.wave[key, ::-2].values, self.wave[key][..., ::-2])
        picked = found.wave.isel(row=[5, 2], wave_dim1=[2, 0])
        np.testing.assert_array_equal(picked.values, self.wave[[5, 2]][:, [2, 0]])
        many = found.isel(row=xarray.DataArray([9, 1], dims="p"), wave_dim1=xarray.DataArray([0, 2], dims="p"))
        np.testing.assert_array_equal(many.wave.values, self.wave[[9, 1], [0, 2]])

    def test_values_are_read_when_they_are_asked_for(self):
        from pystoa.xarray import _Column

        asked = []
        read = _Column._read

        def spy(self, first, last):
            asked.append((self.name, first, last))
            return read(self, first, last)

        _Column._read = spy
        try:
            found = self.open()
            self.assertEqual(asked, [])
            found.energy[100:110].load()
            self.assertEqual(asked, [("eid", 100, 110), ("energy", 100, 110)])
        finally:
            _Column._read = read

    def test_chunks_are_those_of_the_file(self):
        found = self.open(chunks={})
        self.assertEqual(set(found.energy.chunks[0]), {10_000})
        self.assertAlmostEqual(float(found.energy.mean().compute()), np.nanmean(self.energy))
        mean = found.energy.where(found.det == 3).mean().compute()
        self.assertAlmostEqual(float(mean), np.nanmean(self.energy[self.det == 3]))

    def test_a_filter_leaves_rows(self):
        found = self.open(where="det = ? and energy > 100", params=[3])
        wanted = (self.det == 3) & (self.energy > 100)
        np.testing.assert_array_equal(found.energy.values, self.energy[wanted])
        np.testing.assert_array_equal(found.wave[5:9, 1].values, self.wave[wanted][5:9, 1])
        np.testing.assert_array_equal(found.eid[-3].values, np.flatnonzero(wanted)[-3])
        self.assertEqual(self.open(where="det > 100").sizes["row"], 0)
        self.assertEqual(self.open(where="det > 100").energy.values.tolist(), [])

    def test_missing_integers_are_nan_or_refused(self):
        with self.assertRaisesRegex(TypeError, "as_float=\\['n'\\]"):
            self.open().n.load()
        found = self.open(as_float=["n"]).n[:4]
        np.testing.assert_array_equal(found.values, [1.0, np.nan, 1.0, np.nan])
        with self.assertRaises(ValueError):
            self.open(as_float=["charge"])

    def test_sparse_arrays(self):
        found = self.open("/net").net
        self.assertEqual(found.dims, ("row", "column"))
        np.testing.assert_array_equal(found.values, self.dense)
        for key in ((5, slice(None)), (slice(3, 200, 7), -1), ([9, 1, 1], slice(5, 50)), (-2, 3), (slice(9, 2), 0)):
            np.testing.assert_array_equal(found[key].values, self.dense[key])
        np.testing.assert_array_equal(found[[7, 3], [1, 9, 4]].values, self.dense[np.ix_([7, 3], [1, 9, 4])])
        self.assertEqual(self.open("/net", chunks={}).net.chunks[0][0], 64)
        cube = self.open("/cube").cube
        self.assertEqual(cube.dims, ("dim0", "dim1", "dim2"))
        np.testing.assert_array_equal(cube[2:5, ::-1, 3].values, self.cube[2:5, ::-1, 3])
        with self.assertRaises(ValueError):
            self.open("/net", where="row > 1")

    def test_pickles_open_it_anew(self):
        found = pickle.loads(pickle.dumps(self.open()))
        np.testing.assert_array_equal(found.energy[:9].values, self.energy[:9])

    def test_many_files_and_the_only_table(self):
        for i in range(2):
            pystoa.write(self.folder / f"m-{i}.h5", "/t", {"x": [10 * i, 10 * i + 1]})
        found = xarray.open_dataset(str(self.folder / "m-*.h5"), engine="stoa", group="/t")
        self.assertEqual(found.x.values.tolist(), [0, 1, 10, 11])
        self.assertEqual(xarray.open_dataset(self.folder / "m-1.h5", engine="stoa").x.values.tolist(), [10, 11])

    def test_what_is_missing_is_refused(self):
        with self.assertRaises(FileNotFoundError):
            xarray.open_dataset(str(self.folder / "none.h5"), engine="stoa", group="/events")
        with self.assertRaises(KeyError):
            self.open("/nothing")


if __name__ == "__main__":
    unittest.main()
