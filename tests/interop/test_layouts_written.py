"""Tables that Stoa writes in other layouts are what the libraries of those layouts take them for."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

MORE_ROWS = """
import numpy as np, tables
rows = np.zeros(2, [("a", "i4"), ("s", "S3"), ("x", "f8"), ("n", [("b", "i2")])])
rows["a"], rows["s"], rows["x"], rows["n"]["b"] = 5000, [b"abc", b"de"], [1.5, -0.5], 777
with tables.open_file("more.h5", "w") as file:
    file.create_table("/", "more", rows)
"""
INTEGERS = """
import numpy as np, tables
with tables.open_file("ints.h5", "w") as file:
    for kind in ("i1", "u1", "i2", "u2"):  # every value
        values = np.arange(np.iinfo(kind).min, np.iinfo(kind).max + 1, dtype=kind)
        file.create_table("/", kind, values.view([("v", kind)]))
    for kind in ("i4", "u4", "i8", "u8"):  # those that HEP001 would rather have stand for missing
        low, high = (np.full(64, end, kind) for end in (np.iinfo(kind).min, np.iinfo(kind).max))
        steps = np.arange(64, dtype=kind)
        values = np.concatenate([low + steps, high - steps])
        file.create_table("/", kind, values.view([("v", kind)]))
        ends = values[[0, 1, 126, 64]]
        file.create_table("/few", kind, ends.view([("v", kind)]), createparents=True)
"""
LATE = """
import numpy as np, tables
values = np.resize(np.arange(-2**15, 2**15).astype("i2"), 300000)
values[:-1][values[:-1] >= 32760] = 0
values[:-1][values[:-1] < -32760] = 0
values[-18:] = np.concatenate([np.arange(32759, 32768), np.arange(-32768, -32759)])
with tables.open_file("ints.h5", "w") as file:
    file.create_table("/", "late", values.view([("v", "i2")]))
"""
EMPTY_CELLS = """
import numpy as np, tables
rows = np.zeros(3, [("i", "i4"), ("c", "S4", (2,)), ("e", "S4", (2, 3)), ("n", [("x", "S3"), ("y", "S2")])])
rows["n"]["x"] = rows["n"]["y"] = b"z"
with tables.open_file("empty.h5", "w") as file:
    file.create_table("/", "t", rows)
    file.create_carray("/", "cells", obj=np.zeros((3, 2), "S5"))
"""
SAME_INTEGERS = """
import numpy as np, sys, tables
with tables.open_file("ints.h5") as one, tables.open_file("back.h5") as other:
    for path in sys.argv[1:]:
        a, b = one.get_node(path)[:], other.get_node(path)[:]
        assert a.dtype == b.dtype and np.array_equal(a, b), (path, a.dtype, b.dtype)
"""
TYPED_TABLE = """
import numpy as np, tables
with tables.open_file("typed.h5", "w") as file:
    file.create_table("/", "t", np.zeros(1, [("a", "i1"), ("s", "S5"), ("f", "f4")]))
"""


class PyTables(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.peer("python3", "layouts.py")
        self.theirs = f"{self.dir}/pytables.h5"

    def test_a_table_is_the_same_again(self):
        for codec in ("deflate", "none", "blosc", "deflate:9"):
            with self.subTest(codec=codec):
                ours = f"{self.dir}/{codec.replace(':', '')}.h5"
                for path in ("/plain_little", "/zlib11_big", "/empty"):
                    self.stoa("convert", f"{self.theirs}:{path}", ours, "--to", "pytables",
                              "--codec", codec)  # fmt: skip
                self.assert_says_nothing("layouts_written.py", os.path.basename(ours),
                                         "pytables.h5")  # fmt: skip

    def test_a_table_comes_back_from_hep001(self):
        own, back = f"{self.dir}/own.h5", f"{self.dir}/back.h5"
        self.stoa("convert", f"{self.theirs}:/plain_little", own, "--to", "hep001")
        self.stoa("check", own)
        self.stoa("convert", own, back, "--to", "pytables")
        self.assertEqual(
            self.stoa("query", f"{own}:/plain_little", "-f", "jsonl").stdout,
            self.stoa("query", f"{back}:/plain_little", "-f", "jsonl").stdout,
        )
        self.assert_says_nothing("layouts_written.py", "back.h5", "pytables.h5")

    def test_integers_that_use_all_their_values_keep_their_type(self):
        self.peer_python(INTEGERS)
        own, back = f"{self.dir}/own.h5", f"{self.dir}/back.h5"
        paths = [f"{group}/{kind}{size}" for group, sizes in (("", "1248"), ("/few", "48"))
                 for kind in "iu" for size in sizes]  # fmt: skip
        for path in paths:
            self.stoa("convert", f"{self.dir}/ints.h5:{path}", f"{own}:{path}", "--to", "hep001")
            self.stoa("convert", f"{own}:{path}", f"{back}:{path}", "--to", "pytables")
        self.stoa("check", own)
        self.peer_python(SAME_INTEGERS, *paths)

    def test_cells_of_empty_strings_come_back(self):
        """The fill of HEP001 is another, whether all are empty or none is (docs/hep001.md)."""
        self.peer_python(EMPTY_CELLS)
        own, back = f"{self.dir}/own.h5", f"{self.dir}/back.h5"
        for path in ("/t", "/cells"):
            place = f"{self.dir}/empty.h5:{path}"
            self.stoa("convert", place, f"{own}:{path}", "--to", "hep001")
            self.stoa("convert", f"{own}:{path}", f"{back}:{path}", "--to", "pytables")
            rows = self.stoa("query", place, "-f", "jsonl").stdout
            self.assertEqual(rows.count('""'), 3 * 8 if path == "/t" else 3 * 2)
            for copy in (own, back):
                self.assertEqual(self.stoa("query", f"{copy}:{path}", "-f", "jsonl").stdout, rows)
            self.stoa("append", place, f"{own}:{path}")
        self.stoa("check", own)

    def test_a_value_that_comes_late_leaves_the_type(self):
        """It is the fill that HEP001 gave the rows before, in another batch."""
        self.peer_python(LATE)
        own, back = f"{self.dir}/own.h5", f"{self.dir}/back.h5"
        self.stoa("convert", f"{self.dir}/ints.h5", own, "--to", "hep001")
        self.assertIn("int32", self.stoa("info", own).stdout)
        self.stoa("convert", own, back, "--to", "pytables")
        self.peer_python(SAME_INTEGERS, "/late")

    def test_a_file_of_their_tables_keeps_its_places(self):
        first, whole = f"{self.dir}/first.h5", f"{self.dir}/whole.h5"
        for path in ("/a/one", "/a/two", "/three"):
            self.stoa("convert", f"{self.theirs}:/plain_little", f"{first}:{path}", "--to",
                      "hep001")  # fmt: skip
        self.stoa("convert", first, whole, "--to", "pytables")
        listed = self.stoa("ls", whole).stdout.splitlines()[2:]
        self.assertEqual([line.split()[:2] for line in listed],
                         [["/a/one", "pytables"], ["/a/two", "pytables"],
                          ["/three", "pytables"]])  # fmt: skip


class Appended(PeerTestCase):
    def test_pytables_finds_rows_that_its_indexes_do_not_know(self):
        self.peer("python3", "layouts_appended.py", "make", "indexed.h5")
        more = f"{self.dir}/more.h5"
        self.peer("python3", "-c", MORE_ROWS)
        for kind in ("ultralight", "light", "medium", "full"):
            self.stoa("append", f"{more}:/more", f"{self.dir}/indexed.h5:/g/{kind}")
        self.assert_says_nothing("layouts_appended.py", "check", "indexed.h5")

    def test_what_does_not_fit_leaves_the_file_as_it_was(self):
        self.peer("python3", "-c", TYPED_TABLE)
        file = self.dir / "typed.h5"
        before = file.read_bytes()
        for row, why in (("1,abcdef,1", "'s' has strings that are longer"),
                         ("300,abc,1", "'a' has values that its integers do not hold"),
                         (",abc,1", "'a' has missing values"),
                         ("1,abc,1.1", "'f' has values that its floats do not hold")):  # fmt: skip
            csv = self.write("row.csv", f"a,s,f\n{row}\n")
            self.fails("append", csv, f"{file}:/t", "--type", "f=float64", says=why)
            self.assertEqual(file.read_bytes(), before, row)
        self.stoa("append", self.write("row.csv", "s,f,a\nabc,,-7\n"), f"{file}:/t")
        self.assertEqual(self.stoa("query", f"{file}:/t", "-f", "csv").stdout,
                         "a,s,f\n0,\"\",0.0\n-7,abc,nan\n")  # fmt: skip


class H5TB(PeerTestCase):
    def test_hdf5_reads_it_and_appends(self):
        csv = self.write("a.csv", "a,x,s\n1,0.5,abc\n70000,-2.25,z\n")
        self.stoa("import", csv, f"{self.dir}/own.h5:/t", "--type", "a=int32", "--type", "x=float64")
        self.stoa("convert", f"{self.dir}/own.h5", f"{self.dir}/h5tb.h5", "--to", "h5tb")
        before, after = json.loads(self.peer("python3", "h5tb.py", "h5tb.h5", "/t"))
        rows = [[1, 0.5, "abc"], [70000, -2.25, "z"]]
        self.assertEqual(before, {"names": ["a", "x", "s"], "sizes": [4, 8, 4],
                                  "offsets": [0, 8, 16], "rows": rows})  # fmt: skip
        self.assertEqual(after["rows"], [*rows, rows[0]])
        self.assertIn("h5tb", self.stoa("ls", f"{self.dir}/h5tb.h5").stdout)
        self.assertEqual(self.stoa("query", f"{self.dir}/h5tb.h5", "-f", "csv").stdout,
                         "a,x,s\n1,0.5,abc\n70000,-2.25,z\n1,0.5,abc\n")  # fmt: skip

    def test_columns_are_what_the_page_says(self):
        """docs/layouts/h5tb.md; what it does not name is as PyTables has it."""
        self.peer("python3", "pytables_types.py")
        source, ours = f"{self.dir}/types.h5:/goes", f"{self.dir}/ours.h5:/goes"
        self.stoa("convert", source, ours, "--to", "h5tb")
        rows = [[json.loads(line) for line in self.stoa("query", place, "-f", "jsonl").stdout.splitlines()]
                for place in (source, ours)]  # fmt: skip
        for row in rows[0]:  # times within: counts without units
            row["nested"] |= {"t32": 0, "t64": 0}
            for name in (f"{time}_{shape}" for time in ("t32", "t64") for shape in ("cell", "grid")):
                row[name] = [0] * len(row[name])
        self.assertEqual(*rows)
        found = json.loads(self.peer("python3", "h5tb.py", "ours.h5", "/goes", "types"))
        self.assertEqual(found, {**found, **{
            "s": "|S3", "t32": "<i8", "t64": "<i8", "b": "bits", "e": "enum", "c": "<c16", "f2": "<f2",
            "i1_cell": "('i1', (2,))", "s_grid": "('S3', (2, 3))",
        }})  # fmt: skip
        self.assertFalse(any("time" in kind for kind in found.values()), found)

    def test_times_and_durations_count_what_their_units_say(self):
        self.write("a.csv", "at,day,lasted\n1969-12-31T23:59:59.5,2020-02-29,90\n"
                            "2300-01-01T00:00:00,1969-12-31,-1\n")  # fmt: skip
        own, ours = f"{self.dir}/own.h5:/t", f"{self.dir}/ours.h5:/t"
        self.stoa("import", self.dir / "a.csv", own)
        self.stoa("attr", own, "-c", "lasted", "units=s", "stoa_arrow_type=duration")
        self.stoa("convert", own, ours, "--to", "h5tb")
        self.assertEqual(json.loads(self.peer("python3", "h5tb.py", "ours.h5", "/t", "types")), {
            "at": "<i8", "day": "<i4", "lasted": "<i8",
            "FIELD_0_ATTR_units": "milliseconds since 1970-01-01T00:00:00",
            "FIELD_1_ATTR_units": "days since 1970-01-01", "FIELD_2_ATTR_units": "s",
            "FIELD_2_ATTR_stoa_arrow_type": "duration",
        })  # fmt: skip
        said = self.stoa("query", ours, "-w", "lasted > '60s'", "-f", "csv").stdout
        self.assertEqual(said, self.stoa("query", own, "-w", "lasted > '60s'", "-f", "csv").stdout)
        self.assertIn("2020-02-29", said)


if __name__ == "__main__":
    stoa_test.main()
