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
        paths = [f"{group}/{kind}{size}" for group, sizes in (("", "124"), ("/few", "48"))
                 for kind in "iu" for size in sizes]  # fmt: skip
        for path in paths:
            self.stoa("convert", f"{self.dir}/ints.h5:{path}", f"{own}:{path}", "--to", "hep001")
            self.stoa("convert", f"{own}:{path}", f"{back}:{path}", "--to", "pytables")
        self.stoa("check", own)
        self.peer_python(SAME_INTEGERS, *paths)
        for path in ("/i8", "/u8"):  # none is wider, and no value is left
            done = stoa_test.run(stoa_test.STOA, "convert", f"{self.dir}/ints.h5:{path}",
                                 f"{own}:{path}", "--to", "hep001")  # fmt: skip
            self.assertEqual(done.returncode, 3)
            self.assertIn("v: no integer type has a value left", done.stderr)

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


if __name__ == "__main__":
    stoa_test.main()
