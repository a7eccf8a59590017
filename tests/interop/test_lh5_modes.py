"""What becomes of objects of LH5 that are there: the modes of LEGEND's writer (LH5 notes §5.2), and
that each happens wholly or not at all (docs/crash-safety.md)."""

import os
import random
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
for room in ("../support", "../fault", "."):
    sys.path.insert(0, os.path.join(HERE, room))
import kills
import stoa_test
from interop_test import PeerTestCase

# Two halves of a table, all of it, and what else goes with it.
MADE = """
import h5py, lh5_tree, numpy as np, sys
N = int(sys.argv[1])
def table(rows):
    return {"kind": "table", "fields": {
        "a": {"kind": "array", "values": np.array(rows), "units": "ns"},
        "v": {"kind": "vectors", "depth": 2, "rows": [list(range(i % 4)) for i in rows], "items": "i4"},
        "w": {"kind": "table", "fields": {
            "t0": {"kind": "array", "values": np.array(rows) / 2},
            "values": {"kind": "encoded", "codec": "uleb128_zigzag_diff", "is_equal": True,
                       "rows": [[i, i + 7, i - 7] for i in rows]}}}}}
halves = list(range(N // 2)), list(range(N // 2, N))
for name, rows in (("first", halves[0]), ("second", halves[1]), ("all", halves[0] + halves[1])):
    with h5py.File(f"{name}.lh5", "w") as file:
        writer = lh5_tree.Writer()
        writer.write(file, "t", table(rows))
        writer.write(file, "x", {"kind": "array", "values": np.arange(3)})
        lh5_tree.attribute(file, "datatype", "struct{t,x}")
"""

# The first half with the columns of more.csv, as h5py writes it.
WITH_MORE = """
import h5py, lh5_tree, numpy as np, shutil, sys
shutil.copy("first.lh5", "wanted.lh5")
with h5py.File("wanted.lh5", "a") as file:
    t = file["t"]
    n = len(t["a"])
    writer = lh5_tree.Writer()
    writer.write(t, "b", {"kind": "array", "values": np.arange(n, dtype="i8") * 3})
    writer.write(t["w"], "dt", {"kind": "array", "values": np.full(n, 0.5)})
    writer.write(t, "more", {"kind": "table", "fields": {
        "s": {"kind": "array", "values": np.array([b"s%d" % i for i in range(n)])}}})
    lh5_tree.attribute(t, "datatype", "table{a,b,more,v,w}")
    lh5_tree.attribute(t["w"], "datatype", "table{dt,t0,values}")
"""


class ModesTestCase(PeerTestCase):
    N = 12

    def setUp(self):
        super().setUp()
        self.peer("python3", "-c", MADE, str(self.N))
        rows = [f"{i * 3},0.5,s{i}" for i in range(self.N // 2)]
        self.write("more.csv", "b,w.dt,more.s\n" + "\n".join(rows) + "\n")
        self.types = ("--type", "b=int64", "--no-category", "*")

    def place(self, name):
        return f"{self.dir}/{name}"

    def convert(self, source, target, mode):
        self.stoa("convert", self.place(source), self.place(target), "--to", "lh5", "--wo-mode", mode)


class Modes(ModesTestCase):
    def refused(self, source, mode, says):
        self.peer("cp", "first.lh5", "before.lh5")
        self.fails("convert", self.place(source), self.place("first.lh5:/t"), "--to", "lh5", "--wo-mode",
                   mode, says=says)  # fmt: skip
        self.assert_says_nothing("lh5_verify.py", "--same", "before.lh5", "first.lh5")

    def test_write_safe_leaves_what_is_there(self):
        self.refused("second.lh5:/t", "write_safe", "an object of that name is there already")

    def test_append_goes_on_with_rows_and_lengths(self):
        self.convert("second.lh5:/t", "first.lh5:/t", "append")
        self.assert_says_nothing("lh5_verify.py", "first.lh5")
        self.assert_says_nothing("lh5_verify.py", "--same", "all.lh5", "first.lh5")

    def test_append_writes_what_is_not_there(self):
        self.convert("first.lh5:/t", "new.lh5:/t", "append")
        self.convert("second.lh5:/t", "new.lh5:/t", "append")
        self.assert_says_nothing("lh5_verify.py", "--same", "all.lh5", "new.lh5", "/t")

    def test_an_object_of_its_own_may_be_called_otherwise(self):
        self.convert("first.lh5:/x", "new.lh5:/y", "append")
        self.convert("first.lh5:/x", "new.lh5:/y", "append")
        said = self.stoa("query", self.place("new.lh5:/y"), "-f", "csv").stdout
        self.assertEqual(said, "y\n0\n1\n2\n0\n1\n2\n")

    def test_append_neither_adds_columns_nor_leaves_them_out(self):
        self.refused("first.lh5:/x", "append", "there are 1 new columns for a table of 4")

    def test_overwrite_puts_another_object_in_its_place(self):
        self.convert("second.lh5:/t", "first.lh5:/t", "overwrite")
        self.assert_says_nothing("lh5_verify.py", "--same", "second.lh5", "first.lh5")

    def test_overwrite_file_leaves_nothing_of_the_file(self):
        self.peer("python3", "-c", "import h5py; h5py.File('first.lh5', 'a')['old'] = 7")
        self.convert("second.lh5", "first.lh5", "overwrite_file")
        self.assert_says_nothing("lh5_verify.py", "--same", "second.lh5", "first.lh5")

    def test_overwrite_file_that_fails_leaves_the_file(self):
        self.peer("cp", "first.lh5", "before.lh5")
        csv = self.write("a.csv", "a\n1\n\n")
        self.stoa("import", csv, self.place("own.h5:/t"))
        self.fails("convert", self.place("own.h5"), self.place("first.lh5"), "--to", "lh5", "--wo-mode",
                   "overwrite_file", says="column 'a' has 1 missing value")  # fmt: skip
        self.assert_says_nothing("lh5_verify.py", "--same", "before.lh5", "first.lh5")
        self.fails("convert", self.place("first.lh5"), self.place("first.lh5"), "--to", "lh5", "--wo-mode",
                   "overwrite_file", says="a file that is read cannot be overwritten")  # fmt: skip

    def test_append_column_adds_columns_and_lists_them(self):
        self.peer("python3", "-c", WITH_MORE)
        self.stoa("column", "add", self.place("first.lh5:/t"), self.place("more.csv"), *self.types)
        self.assert_says_nothing("lh5_verify.py", "first.lh5")
        self.assert_says_nothing("lh5_verify.py", "--same", "wanted.lh5", "first.lh5")

    def test_columns_can_be_computed(self):
        self.stoa("column", "add", self.place("first.lh5:/t"), "--set", "n=length(v)", "--set",
                  "w.late=w.t0 + 1")  # fmt: skip
        self.assert_says_nothing("lh5_verify.py", "first.lh5")
        said = self.stoa("query", self.place("first.lh5:/t"), "-c", "n, w.late", "-f", "csv").stdout
        rows = [f"{i % 4},{i / 2 + 1}" for i in range(self.N // 2)]
        self.assertEqual(said.splitlines(), ["n,w.late", *rows])

    def test_append_column_takes_packed_columns_and_loose_vectors(self):
        self.stoa("query", self.place("first.lh5:/t"), "-c", "w.values as packed, v as again", "-o",
                  self.place("some.arrow"))  # fmt: skip
        self.convert("some.arrow", "first.lh5:/t", "append_column")
        self.assert_says_nothing("lh5_verify.py", "first.lh5")
        said = self.peer("python3", "-c", "import h5py; t = h5py.File('first.lh5')['t']; "
                         "print(t['packed'].attrs['codec'], t['again'].attrs['datatype'])")  # fmt: skip
        self.assertEqual(said.split(), ["uleb128_zigzag_diff", "array<1>{array<1>{real}}"])

    def test_append_column_refuses_other_rows_and_names_that_are_taken(self):
        self.refused("all.lh5:/t", "append_column", "the table has 6 rows, and the new columns 12")
        self.refused("first.lh5:/t", "append_column", "there is a column 'a' already")
        for name, why in (("w", "there is a column 'w' already"), ("a.x", "there is a column 'a' already"),
                          ("w.t0", "there is a column 'w.t0' already")):  # fmt: skip
            self.write("one.csv", f"new,{name}\n" + "1,1\n" * 6)
            self.refused("one.csv", "append_column", why)
        self.fails("convert", self.place("first.lh5:/x"), self.place("first.lh5:/x"), "--to", "lh5",
                   "--wo-mode", "append_column", says="columns are added to tables")  # fmt: skip

    def test_the_mode_is_for_lh5(self):
        self.fails("convert", self.place("first.lh5"), self.place("a.h5"), "--to", "hep001", "--wo-mode",
                   "append", says="--wo-mode is for --to lh5", status=2)  # fmt: skip


class Missing(ModesTestCase):
    """Rows, or columns, with missing values for a table of a layout that has none (--missing)."""

    def setUp(self):
        super().setUp()
        csv = self.write("own.csv", "a,b,e,f\n1,10,x,1.5\n2,20,y,2.5\n")
        types = ("--type", "a=int64", "--type", "b=int64", "--type", "f=float64", "--no-category", "*")
        self.stoa("import", csv, self.place("own.h5:/t"), *types)
        for layout, suffix in (("lh5", "lh5"), ("pytables", "h5")):
            self.stoa("convert", self.place("own.h5:/t"), self.place(f"some.{suffix}:/t"), "--to", layout)
        self.more = self.write("more.csv", "a,b,e,f\n3,,z,\n,40,,4.5\n5,50,w,5.5\n")

    def rows(self, file):
        return self.stoa("query", self.place(f"{file}:/t"), "-f", "csv").stdout.splitlines()[1:]

    def append(self, *missing, to="some.lh5"):
        self.stoa("append", self.more, self.place(f"{to}:/t"), *missing)
        if to.endswith("lh5"):
            self.assert_says_nothing("lh5_verify.py", to)
        return self.rows(to)

    def refused(self, *missing, says, to="some.lh5", status=3):
        before = self.rows(to)
        self.fails("append", self.more, self.place(f"{to}:/t"), *missing, says=says, status=status)
        self.assertEqual(self.rows(to), before)

    def test_they_are_refused_in_words_that_help(self):
        self.refused(says="column 'a' has 1 missing value, which LH5 cannot hold; --missing "
                     "'a=VALUE|nan|drop' says what becomes of them")  # fmt: skip
        self.refused("--missing", "a=drop", says="--missing 'b=VALUE|nan|drop' says")
        self.refused(to="some.h5", says="has missing values, which the table cannot hold; --missing 'a=VALUE'")

    def test_a_value_stands_for_them(self):
        found = self.append("--missing", "-1", "--missing", "e=?", "--missing", "f=nan")
        self.assertEqual(found[2:], ["3,-1,z,nan", "-1,40,?,4.5", "5,50,w,5.5"])

    def test_their_rows_are_left_out(self):
        self.assertEqual(self.append("--missing", "drop")[2:], ["5,50,w,5.5"])

    def test_rows_are_left_out_where_one_column_misses(self):
        found = self.append("--missing", "a=drop", "--missing", "b=7", "--missing", "f=0.5")
        self.assertEqual(found[2:], ["3,7,z,0.5", "5,50,w,5.5"])

    def test_integers_there_do_not_become_floats(self):
        self.refused("--missing", "nan", "--missing", "e=?", says="column 'a' is of another kind there")

    def test_a_value_must_be_one_of_the_column(self):
        self.refused("--missing", "a=x", "--missing", "1", says="'x'")
        self.refused("--missing", "nothing=1", says="nothing")

    def test_tables_of_pytables_take_values(self):
        found = self.append("--missing", "-1", "--missing", "e=?", to="some.h5")
        self.assertEqual([row.split(",")[:3] for row in found[2:]],
                         [["3", "-1", "z"], ["-1", "40", "?"], ["5", "50", "w"]])  # fmt: skip

    def test_hep001_holds_them(self):
        self.refused("--missing", "0", to="own.h5", says="missing values stay what they are in HEP001")
        self.assertEqual(self.append(to="own.h5")[2:], ["3,,z,", ",40,,4.5", "5,50,w,5.5"])

    def test_the_mode_append_takes_them_too(self):
        self.stoa("import", self.more, self.place("gaps.h5:/t"), "--no-category", "*")
        self.stoa("convert", self.place("gaps.h5:/t"), self.place("some.lh5:/t"), "--to", "lh5", "--wo-mode",
                  "append", "--missing", "drop")  # fmt: skip
        self.assertEqual(self.rows("some.lh5")[2:], ["5,50,w,5.5"])

    def test_columns_take_them_too(self):
        csv = self.write("column.csv", "c\n1\n\"\"\n".replace('""', ""))
        self.fails("column", "add", self.place("some.lh5:/t"), csv, "--type", "c=int64",
                   says="--missing 'c=VALUE|nan|drop' says")  # fmt: skip
        self.stoa("column", "add", self.place("some.lh5:/t"), csv, "--type", "c=int64", "--missing", "c=-9")
        self.assertEqual(self.rows("some.lh5"), ["1,10,1,x,1.5", "2,20,-9,y,2.5"])
        self.assert_says_nothing("lh5_verify.py", "some.lh5")


class Killed(ModesTestCase):
    """SIGKILL at random moments: what is there is the old object or the new one."""

    N = 6000

    def text(self, path):
        return self.stoa("export", f"{self.dir}/{path}", "-", "-f", "jsonl").stdout

    def check(self, command, new):
        old = self.text("first.lh5:/t")
        shutil.copyfile(self.dir / "first.lh5", self.dir / "a.lh5")
        again = lambda: shutil.copyfile(self.dir / "first.lh5", self.dir / "a.lh5")  # noqa: E731
        command = [stoa_test.STOA, *command]
        whole = kills.whole_time(command, again)
        for i in range(stoa_test.effort(9)):
            seconds = random.Random(f"{os.environ.get('STOA_SEED', '1')} {i}").uniform(0, whole)
            if i % 3 == 2:
                kills.kill_in_commit(command, self.dir / "a.lh5", seconds / 100)
            else:
                kills.kill_after(command, seconds)
            found = self.text("a.lh5:/t")
            self.assertIn(found, (old, new), "neither the old rows nor the new ones")
            self.assert_says_nothing("lh5_verify.py", "a.lh5")
            again()

    def test_an_append_that_is_killed_leaves_the_old_rows(self):
        self.check(["append", self.place("second.lh5:/t"), self.place("a.lh5:/t")], self.text("all.lh5:/t"))

    def test_columns_that_are_added_are_all_there_or_none(self):
        self.stoa("column", "add", self.place("all.lh5:/t"), "--set", "b=a * 2", "--set", "w.c=a")
        shutil.copyfile(self.dir / "first.lh5", self.dir / "new.lh5")
        more = ["--set", "b=a * 2", "--set", "w.c=a"]
        self.stoa("column", "add", self.place("new.lh5:/t"), *more)
        self.check(["column", "add", self.place("a.lh5:/t"), *more], self.text("new.lh5:/t"))

    def test_a_file_that_is_overwritten_is_the_old_one_or_the_new_one(self):
        self.check(["convert", self.place("all.lh5"), self.place("a.lh5"), "--to", "lh5", "--wo-mode",
                    "overwrite_file"], self.text("all.lh5:/t"))  # fmt: skip


if __name__ == "__main__":
    stoa_test.main()
