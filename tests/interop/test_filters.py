"""Stoa answers from columns stored in every way that h5py and Blosc know what numpy answers."""

import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

NAMES = {"305": "lzo", "307": "bzip2"}  # of registered numbers
WAYS = {"past libhdf5": {}, "by libhdf5": {"STOA_SLOW": "1"}, "scalar": {"STOA_SIMD": "scalar"}}


def bits(name, values):
    """Values that are equal only if their bits are; NaNs are all alike."""
    if not name.startswith("f4"):
        return [repr(value) for value in values]
    return [struct.pack("<f", v) if isinstance(v, float) else repr(v) for v in values]


class Filters(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.peer("python3", "filters.py")
        self.made = json.loads((self.dir / "filters.json").read_text("utf-8"))

    def test_every_value_is_there_however_it_was_stored(self):
        for file, columns in self.made.items():
            self.assertGreater(len(columns), 150)
            for way, environment in WAYS.items():
                # Blosc is a plugin, which libhdf5 need not have: see below. libhdf5 1.14 cannot read back what scale-offset
                # makes of values that span their type (HDFGroup/hdf5 5861).
                left = ("blosc", "whole range") if way == "by libhdf5" else ()
                names = [n for n in columns if not any(word in n for word in left)]
                with self.subTest(file=file, way=way):
                    self.check_values(f"{self.dir}/{file}:/t", columns, names, environment)

    def check_values(self, place, columns, names, environment):
        listed = ",".join(f'"{name}"' for name in names)
        said = self.stoa("query", place, "-c", listed, "-f", "jsonl", env=environment).stdout
        rows = [json.loads(line) for line in said.splitlines()]
        self.assertEqual(len(rows), len(columns[names[0]]))
        wrong = {}
        for name in names:
            found = bits(name, [row[name] for row in rows])
            wanted = bits(name, columns[name])
            if found != wanted:
                wrong[name] = [(i, f, w) for i, (f, w) in enumerate(zip(found, wanted, strict=True))
                               if f != w][:3]  # fmt: skip
        self.assertEqual(wrong, {})

    def test_libhdf5_with_the_blosc_of_hdf5plugin_reads_the_same(self):
        """What Blosc packed, hdf5plugin's own and Stoa's, by libhdf5: with the filter of hdf5plugin."""
        for file, columns in self.made.items():
            with self.subTest(file=file):
                self.check_read_back(file, {n: v for n, v in columns.items() if "blosc" in n})
                self.stoa("convert", f"{self.dir}/{file}", f"{self.dir}/own-{file}", "--to", "hep001",
                          "--codec", "blosc")  # fmt: skip
                self.check_read_back(f"own-{file}", columns)

    def check_read_back(self, file, columns):
        said = json.loads(self.peer_python(f"import filters\nfilters.read_back('{file}')"))
        wrong = [name for name, values in columns.items()
                 if not said[name][0] or bits(name, said[name][1]) != bits(name, values)]  # fmt: skip
        self.assertEqual(wrong, [])

    def test_rows_and_aggregates_are_those_of_a_loop(self):
        for file, columns in self.made.items():
            place = f"{self.dir}/{file}:/t"
            asked, wanted = [], []
            for name, values in columns.items():
                known = [v for v in values if v is not None]
                if name[0] == "f":
                    known = [v for v in known if isinstance(v, float)]
                    if len(known) < sum(v is not None for v in values):
                        continue  # NaN and infinities are the C tests' business
                asked += [f'count("{name}")', f'min("{name}")', f'max("{name}")']
                wanted += [len(known), min(known), max(known)]
                if name[0] != "f" and abs(sum(known)) < 2**62 and max(known) < 2**62:
                    asked.append(f'sum("{name}")')
                    wanted.append(sum(known))
            said = self.stoa("query", place, "-a", ", ".join(asked), "-f", "jsonl").stdout
            found = json.loads(said)
            for question, value in zip(asked, wanted, strict=True):
                name = question[question.index('"') + 1 :]
                self.assertEqual(bits(name, [found[question]]), bits(name, [value]), question)
            for name in ("i4 masked", "i2 missing", "u1 scaleoffset", "i8 gzip9+shuffle"):
                rows = [i for i, v in enumerate(columns[name]) if v is not None and v > 20]
                said = self.stoa("query", place, "-w", f'"{name}" > 20', "--rows", "-f", "csv")
                self.assertEqual([int(r) for r in said.stdout.splitlines()[1:]], rows, name)

    def test_a_filter_that_is_not_there_is_named(self):
        place = f"{self.dir}/unknown.h5:/t"
        shown = json.loads(self.stoa("query", place, "-c", "plain", "-f", "jsonl").stdout[:99999]
                           .splitlines()[7])  # fmt: skip
        self.assertEqual(shown, {"plain": 7})
        columns = self.peer_python(
            "import h5py\nprint(*[n for n in h5py.File('unknown.h5')['t'] if n != 'plain'])"
        ).split()
        self.assertIn("lzf", columns)
        for name in columns:
            done = self.stoa("query", place, "-a", f'sum("{name}")', "-f", "csv", status=None)
            if name in ("307", "lzf") or (name in ("szip", "305") and done.returncode == 0):
                # Stoa's own; libhdf5 may have szip, and the system liblzo2.
                self.assertEqual(done.stdout.splitlines()[1], "100", done.stderr)
                continue
            says = ["filter", NAMES.get(name, name), "HDF5_PLUGIN_PATH", f"unknown.h5:/t/{name}:"]
            for environment in ({}, {"STOA_SLOW": "1"}):
                self.fails("query", place, "-a", f'sum("{name}")', says=says, env=environment)


LZF_TEXTS = """
import h5py, numpy as np
kind = np.dtype([("s", h5py.string_dtype()), ("i", "i4")])
rows = np.array([(f"text {i}", i) for i in range(50)], kind)
bad = {"endless": b"\\xe0\\xff\\x00" * 9, "short": b"\\x00a",
       "bomb": b"\\x00a" + b"\\xe0\\xff\\x00" * 999}
with h5py.File("texts.h5", "w") as file:
    for name in ("good", *bad):
        made = file.create_dataset(name, data=rows, chunks=(50,), compression="lzf")
        if name in bad:
            made.id.write_direct_chunk((0,), bad[name])
"""


class LzfTexts(PeerTestCase):
    def test_texts_in_heaps_are_read_and_damaged_chunks_refused(self):
        self.peer_python(LZF_TEXTS)
        said = self.stoa("query", f"{self.dir}/texts.h5:/good", "-w", "s = 'text 7'", "-f", "csv")
        self.assertEqual(said.stdout.splitlines()[1:], ["text 7,7"])
        for name in ("endless", "short", "bomb"):
            self.fails("query", f"{self.dir}/texts.h5:/{name}", "-f", "csv", says=f"/{name}")


class ManyChunks(PeerTestCase):
    def test_more_than_a_million_chunks_are_read(self):
        self.peer_python("import filters\nfilters.many_chunks()")
        place = f"{self.dir}/many.h5:/t"
        said = self.stoa("query", place, "-a", "count(), sum(x), max(x)", "-f", "csv").stdout
        self.assertEqual(said.splitlines()[1], f"1050000,{1050 * 499500},999")
        said = self.stoa("query", place, "-w", "x = 999", "-a", "count()", "-f", "csv").stdout
        self.assertEqual(said.splitlines()[1], "1050")


if __name__ == "__main__":
    stoa_test.main()
