"""stoa column and stoa attr (src/cli/edit/cmd_column_*.c, src/cli/edit/cmd_attr.c; HEP001 §7 to §9, §12)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

ROWS = "i,x,w,t\n1,0.5,low,2001-01-01\n2,1.5,high,2001-01-02\n3,,low,2001-01-03\n"


class Edit(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        self.place = f"{self.file}:/t"
        csv = self.write("a.csv", ROWS)
        self.stoa("import", csv, self.place, "--no-category", "*", "--index", "i,x")

    def tearDown(self):
        if self.file.exists():
            self.stoa("check", self.file, "--indexes")
        super().tearDown()

    def csv(self):
        return self.stoa("query", self.place, "-f", "csv").stdout

    def header(self, *options):
        return self.hdf5("h5dump", "-A", *options, self.file)

    def refused(self, *words, says):
        """The command fails, and the file is the same to the byte."""
        before = self.file.read_bytes()
        self.fails(*words, says=says)
        self.assertEqual(self.file.read_bytes(), before)


class Column(Edit):
    def test_computed_columns_are_added_and_missing_stays_missing(self):
        done = self.stoa(
            "column", "add", self.place, "--set", "y=x * 2", "--set", '"a ""b"""=upper(w)'
        )
        self.assertEqual(done.stderr, f"{self.place}: 2 columns added\n")
        self.assertEqual(
            self.csv().splitlines()[0::3],
            ['i,x,w,t,y,"a ""b"""', "3,,low,2001-01-03,,LOW"],
        )

    def test_columns_come_from_text_and_from_tables_of_as_many_rows(self):
        more = self.write("b.csv", "n,c\n7,u\n,v\n9,u\n")
        self.stoa("column", "add", self.place, more, "--category", "c", "--units", "n=m")
        self.stoa("column", "rename", self.place, "n", "m")
        other = f"{self.dir}/b.h5:/o"
        self.stoa("import", more, other)
        self.stoa("column", "drop", other, "c")
        self.stoa("column", "add", self.place, other, "--chunk", "2", "--codec", "none")
        self.assertEqual(self.csv().splitlines()[1], "1,0.5,low,2001-01-01,7,u,7")
        short = self.write("c.csv", "z\n1\n2\n")
        self.refused("column", "add", self.place, short, says="2 values for the table's 3 rows")
        self.refused("column", "add", self.place, more, says="'n'")

    def test_a_table_of_the_same_file_may_give_columns(self):
        csv = self.write("b.csv", "n\n7\n8\n9\n")
        self.stoa("import", csv, f"{self.file}:/o")
        self.stoa("column", "add", self.place, f"{self.file}:/o")
        self.assertEqual(self.csv().splitlines()[3], "3,,low,2001-01-03,9")

    def test_dropped_columns_take_their_indexes_with_them(self):
        self.assertEqual(self.header().count("SEARCH_INDEX_LIST"), 2)
        done = self.stoa("column", "drop", self.place, "x", "t")
        self.assertEqual(done.stderr, f"{self.place}: columns x and t dropped\n")
        self.assertEqual(self.csv().splitlines()[0], "i,w")
        self.assertEqual(self.header().count("SEARCH_INDEX_LIST"), 1)
        self.refused("column", "drop", self.place, "i", "nope", says="'nope'")

    def test_renaming_and_order(self):
        self.stoa("column", "rename", self.place, "x", "énergie")
        self.stoa("column", "order", self.place, "t", "énergie")
        self.assertEqual(self.csv().splitlines()[0], "t,énergie,i,w")
        self.refused("column", "rename", self.place, "i", "w", says="already")
        self.refused("column", "rename", self.place, "i", "NROWS", says="§13.2")
        self.refused("column", "rename", self.place, "i", "MASK", says="§14.2")
        self.refused("column", "order", self.place, "t", "t", says="twice")

    def test_three_levels_label_the_rows(self):
        self.stoa("column", "row-index", self.place, "w", "t", "i")
        self.assertIn("row labels   w, t, i", self.stoa("info", self.place).stdout)
        self.stoa("column", "row-index", self.place, "--none")
        self.assertNotIn("row labels", self.stoa("info", self.place).stdout)
        self.refused("column", "row-index", self.place, "nope", says="'nope'")

    def test_storage_changes_and_values_do_not(self):
        before = self.csv()
        self.stoa("column", "storage", self.place, "x", "i", "--codec", "deflate:9", "--chunk", "2")
        self.assertRegex(self.stoa("info", self.place).stdout, r"(?m)^x .* 2  shuffle,deflate:9")
        self.stoa("column", "storage", self.place, "x", "--chunk", "contiguous", "--on-index", "drop")
        self.assertRegex(self.stoa("info", self.place).stdout, r"(?m)^x .*contiguous +-  -")
        self.assertEqual(self.csv(), before)
        self.assertEqual(self.header().count("SEARCH_INDEX_LIST"), 1)
        self.refused("column", "storage", self.place, "i", "--codec", "no", says="no codec")

    def test_categories_are_made_relabelled_shared_and_given_up(self):
        before = self.csv()
        self.stoa("column", "add", self.place, "--set", "v=w")
        self.stoa("column", "categories", self.place, "w", "v")
        self.stoa("column", "categories", self.place, "v", "--share", "w")
        self.stoa("column", "categories", self.place, "w", "--labels", "low,mid,high", "--ordered")
        labels = self.hdf5("h5dump", "-d", "/t/CATEGORIES/w__CATEGORIES", self.file)
        self.assertRegex(labels, r'"low.*"mid.*"high')
        self.assertRegex(labels, r'(?s)ATTRIBUTE "ordered".*TRUE')
        self.assertNotIn("v__CATEGORIES", self.header())
        for column in "wv":
            codes = self.hdf5("h5dump", "-y", "-d", f"/t/{column}", self.file)
            self.assertRegex(codes, r"DATA \{\s*0, 2, 0\s*\}")
        self.refused(
            "column", "categories", self.place, "w", "--labels", "low,mid", says="'high'"
        )
        self.stoa("column", "categories", self.place, "w", "v", "--plain")
        self.stoa("column", "drop", self.place, "v")
        self.assertNotIn("CATEGORIES", self.header())
        self.assertEqual(self.csv(), before)

    def test_what_makes_no_sense_is_wrong_usage(self):
        for words in (
            ["add", self.place],
            ["add", self.place, "a.csv", "--set", "y=x"],
            ["add", self.place, "--set", "y"],
            ["add", self.place, "--set", "y=x", "--units", "y=m"],
            ["storage", self.place, "x"],
            ["storage", self.place, "x", "--chunk", "0"],
            ["categories", self.place, "w", "--plain", "--labels", "a"],
            ["categories", self.place, "w", "--ordered"],
            ["row-index", self.place],
            ["row-index", self.place, "w", "--none"],
            ["drop", self.place],
            [],
            ["frobnicate"],
        ):
            done = self.stoa("column", *words, status=2)
            self.assertEqual(done.stdout, "")
            self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_a_failing_expression_leaves_the_file_alone(self):
        self.refused("column", "add", self.place, "--set", "y=nope + 1", says="nope")
        self.refused("column", "add", self.place, "--set", "y=w + 1", says="w")


class FullDisk(Edit):
    def test_a_write_that_fails_leaves_the_file_as_it_was(self):
        """Files may not grow beyond a limit, which comes earlier and earlier."""
        rows = "".join(f"{i},{i * 7919 % 65521 / 7},w{i * 31 % 97}\n" for i in range(20000))
        self.stoa("import", self.write("b.csv", "i,x,w\n" + rows), self.place, "--force",
                  "--no-category", "*", "--chunk", "1000", "--index", "i,x,w")
        before = self.file.read_bytes()
        size = len(before) // 1024
        edits = (
            ["add", self.place, "--set", "y=x * 2", "--codec", "none"],
            ["storage", self.place, "x", "--codec", "none", "--chunk", "500"],
            ["categories", self.place, "w"],
        )
        for words in edits:
            for more in (0, 4, 16):
                limited = 'ulimit -f "$1"; shift; trap "" XFSZ; exec "$@"'
                done = stoa_test.run(
                    "bash", "-c", limited, "bash", size + more, stoa_test.STOA, "column", *words
                )
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertEqual(self.file.read_bytes(), before)
            self.stoa("column", *words)
            self.stoa("check", self.file, "--indexes")
            self.file.write_bytes(before)


class Attr(Edit):
    def listed(self, *words):
        return self.stoa("attr", self.place, *words).stdout

    def test_attributes_are_set_listed_and_removed(self):
        self.stoa("attr", self.place, "TITLE=A title", "own=a=b", '"x=y"=z')
        self.stoa("attr", self.place, "-c", "x", "units=MeV", "valid_min=0", "description=of it")
        self.stoa("attr", self.place, "-c", "t", "valid_max=2001-01-03", "valid_min='1999-12-31'")
        listed = self.listed()
        for line in (
            r"\(table\) +TITLE +A title",
            r"\(table\) +own +a=b",
            r"\(table\) +x=y +z",
            r"x +units +MeV",
            r"x +valid_min +0.0",
            r"t +valid_max +2001-01-03",
            r"t +valid_min +1999-12-31",
        ):
            self.assertRegex(listed, rf"(?m)^{line}$")
        self.assertNotIn("(table)", self.listed("-c", "x"))
        self.stoa("attr", self.place, "-c", "x", "--remove", "valid_min", "--remove", "units")
        self.assertEqual(len(self.listed("-c", "x").splitlines()), 3)

    def test_what_is_stored_is_fixed_length_utf8(self):
        self.stoa("attr", self.place, "-c", "x", "units=µm")
        header = self.hdf5("h5dump", "-a", "/t/x/units", self.file)
        self.assertRegex(header, r"STRSIZE 4;\s+STRPAD H5T_STR_NULLTERM;\s+CSET H5T_CSET_UTF8;")

    def test_reserved_names_and_lies_are_refused(self):
        self.refused("attr", self.place, "NROWS=5", says="§7.3")
        self.refused("attr", self.place, "-c", "x", "KIND=a", says="§13.2")
        self.refused("attr", self.place, "-c", "x", "units=m", "valid_max=1", says="1.5")
        self.refused("attr", self.place, "-c", "nope", "units=m", says="'nope'")
        self.refused("attr", self.place, "--remove", "nope", says="'nope'")
        self.fails("attr", self.place, "-c", "nope", says="'nope'")
        self.stoa("attr", self.place, "novalue", status=2)

    def test_a_table_without_any_says_so(self):
        self.stoa("column", "drop", self.place, "t")
        done = self.stoa("attr", self.place)
        self.assertEqual((done.stdout, done.stderr), ("", f"{self.place}: no descriptive attribute\n"))


if __name__ == "__main__":
    stoa_test.main()
