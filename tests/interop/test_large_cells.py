"""Cells of 64 KiB and more, as h5py, PyTables, pyarrow and NumPy write and read them."""

import os
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

# A process is counted from its fork on: from one of a small parent, not from this one's.
MEASURE = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(status, usage.ru_maxrss * 1024)
"""

NAMES = "x,below,at,above,image"


class LargeCells(PeerTestCase):
    made = None

    def setUp(self):
        super().setUp()
        if LargeCells.made is None:
            self.peer("python3", "large_cells.py", "make")
            LargeCells.made = {p.name: p.read_bytes() for p in self.dir.iterdir() if p.is_file()}
        for name, content in LargeCells.made.items():
            (self.dir / name).write_bytes(content)

    def compare(self, *places):
        self.peer("python3", "large_cells.py", "compare", *places)

    def at(self, place):
        return f"{self.dir}/{place}"

    def types(self, place):
        said = self.stoa("info", self.at(place)).stdout.split("\n\n")[1].splitlines()
        return dict(line.split()[:2] for line in said[2:])

    def test_cells_of_every_source_are_stored_and_come_back(self):
        made = []
        for k, source in enumerate(("plain.h5:/t", "pytables.h5:/t", "tensors.arrow")):
            table = f"t{k}.h5:/t"
            self.stoa("import", self.at(source), self.at(table))
            self.assertEqual(
                self.types(table),
                {
                    "x": "int64", "below": "fixed_list[32760]", "at": "fixed_list[8192]",
                    "above": "fixed_list[8193]", "image": "fixed_list[524288]",
                },
            )  # fmt: skip
            self.stoa("check", "--strict", self.at(f"t{k}.h5"))
            made.append(table)
        for name in ("t.arrow", "u.h5:/t"):
            self.stoa("query", self.at("t0.h5:/t"), "-c", NAMES, "-o", self.at(name))
        self.stoa("convert", self.at("t0.h5:/t"), self.at("p.h5:/t"), "--to", "pytables")
        self.stoa("export", self.at("t0.h5:/t"), self.at("i.npy"), "-c", "image")
        self.stoa("import", self.at("image.npy"), self.at("n.h5:/t"))
        self.stoa("export", self.at("n.h5:/t"), self.at("n.npy"))
        self.compare(*made, "t.arrow", "u.h5:/t", "p.h5:/t", "i.npy", "n.npy")

    def test_waveforms_go_through_hep001(self):
        self.stoa("convert", self.at("waves.lh5:/t"), self.at("t.h5:/t"), "--to", "hep001")
        kept = self.types("t.h5:/t")
        self.assertIn("fixed_list[524288]", kept.values())
        self.stoa("convert", self.at("t.h5:/t"), self.at("w.lh5:/t"), "--to", "lh5")
        self.compare("w.lh5:/t")

    def test_missing_cells_stay_missing_in_every_copy(self):
        self.stoa("import", self.at("missing.arrow"), self.at("t.h5:/t"))
        self.stoa("check", "--strict", self.at("t.h5"))
        self.stoa("query", self.at("t.h5:/t"), "-o", self.at("u.h5:/t"))
        self.stoa("export", self.at("u.h5:/t"), self.at("o.arrow"))
        self.compare("o.arrow")
        rows = self.rows_of(self.at("t.h5:/t"), "-w", "some is not null and x < 4", "-c", "x")
        self.assertEqual(rows, [{"x": 1}, {"x": 3}])
        rows = self.rows_of(self.at("t.h5:/t"), "-c", "bools", "-w", "x = 2 or x = 4")
        self.assertEqual(rows, [{"bools": [False] * 70000}, {"bools": None}])

    def test_rows_are_appended_changed_and_removed(self):
        table = self.at("t.h5:/t")
        self.stoa("import", self.at("plain.h5:/t"), table, "--chunk", "2")  # 2 cells in a chunk
        said = self.hdf5("h5dump", "-p", "-H", "-d", "/t/at/VALUES", self.at("t.h5"))
        self.assertIn("CHUNKED ( 16384 )", said)
        self.stoa("append", self.at("pytables.h5:/t"), table)
        self.stoa("column", "storage", table, "at", "--chunk", "1")
        said = self.hdf5("h5dump", "-p", "-H", "-d", "/t/at/VALUES", self.at("t.h5"))
        self.assertIn("CHUNKED ( 8192 )", said)
        self.stoa("delete", table, "-w", "x = 10")
        self.stoa("append", self.at("tensors.arrow"), table)
        self.stoa("update", table, "-w", "x = 0", "--set", "image = null")
        self.stoa("delete", table, "-w", "image is null")
        self.assertEqual([r["x"] for r in self.rows_of(table, "-c", "x")], [20, 20, 10, 20])
        self.stoa("truncate", table, "3")
        self.stoa("check", "--strict", self.at("t.h5"))
        self.stoa("export", table, self.at("edited.npy"), "-c", "image")
        self.compare("edited.npy")

    def test_cells_of_another_length_are_refused(self):
        self.stoa("import", self.at("tensors.arrow"), self.at("t.h5:/t"))
        before = (self.dir / "t.h5").read_bytes()
        said = self.stoa("append", self.at("short.arrow"), self.at("t.h5:/t"), status=3).stderr
        self.assertIn("above: it is a list of 8193 float64; fixed_list[8192] does not go into it", said)
        self.assertEqual(len(self.rows_of(self.at("t.h5:/t"), "-c", "x")), 3)
        self.assertEqual((self.dir / "t.h5").read_bytes()[:64], before[:64])

    def test_what_the_column_says_of_its_cells_is_not_believed(self):
        self.stoa("import", self.at("tensors.arrow"), self.at("t.h5:/t"))
        self.peer_python(
            "import h5py\n"
            "with h5py.File('t.h5', 'r+') as f:\n"
            "    f['t/above/OFFSETS'][1] += 1\n"  # 8194, 8192, 8193
            "    f['t/at'].attrs['stoa_arrow_type'] = 'fixed_list[12345]'\n"
        )
        said = self.stoa("query", self.at("t.h5:/t"), "-c", "above", "-f", "jsonl", status=3).stderr
        self.assertIn("entry 0 has 8194 values, not 8193", said)
        self.assertEqual(self.types("t.h5:/t")["at"], "list")
        self.assertEqual(len(self.rows_of(self.at("t.h5:/t"), "-c", "at")[2]["at"]), 8192)

    def test_the_revision_of_june_refuses_them_by_name(self):
        to = self.at("t.h5:/t")
        said = self.stoa("import", "--revision", "2026-06", self.at("plain.h5:/t"), to, status=3).stderr
        self.assertRegex(said, r"the cells of column '(at|above|image)' have 64 KiB or more.*2026-07")
        self.assertFalse((self.dir / "t.h5").exists())

    def test_structs_of_64_kib_are_refused_with_a_way_out(self):
        said = self.stoa("import", self.at("struct.arrow"), self.at("t.h5:/t"), status=3).stderr
        self.assertIn("write its parts as columns", said)

    def test_no_more_cells_are_in_memory_than_fit(self):
        if any(mark in Path(stoa_test.STOA).read_bytes() for mark in (b"__asan_", b"__tsan_")):
            self.skipTest("a sanitizer takes up memory of its own")
        # 160 MiB of cells.
        source, table = self.at("many.h5:/t"), self.at("m.h5:/t")
        for command in (("import", source, table), ("query", source, "-f", "arrow"), ("query", table, "-f", "arrow"),
                        ("export", table, self.at("m.npy"), "-c", "image")):  # fmt: skip
            done = stoa_test.run(sys.executable, "-c", MEASURE, stoa_test.STOA, *command)
            status, peak = map(int, done.stdout.split())
            self.assertEqual(status, 0, done.stderr)
            self.assertLess(peak, 120 << 20, command)
        rows = self.rows_of(table, "-w", "x = 79", "-a", "min(min(image)), max(max(image))")
        self.assertEqual(list(rows[0].values()), [5, 5])


if __name__ == "__main__":
    stoa_test.main()
