"""stoa append: rows at the end, or nothing at all (src/cli/edit/cmd_append.c, HEP001 §11.2)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

CSV = "n,x,name,day\n1,0.5,ann,2001-01-01\n2,,bob,2001-01-02\n"


class Append(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        self.place = f"{self.file}:/t"
        self.stoa("import", self.write("a.csv", CSV), self.place, "--index", "n")

    def text(self, *options):
        return self.stoa("query", self.place, "-f", "csv", *options).stdout

    def append(self, content, *options, **how):
        return self.stoa("append", self.write("b.csv", content), self.place, *options, **how)

    def refused(self, content, says, *options):
        before = self.file.read_bytes()
        self.fails("append", self.write("b.csv", content), self.place, *options, says=says)
        self.assertEqual(self.file.read_bytes(), before)
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["a.csv", "a.h5", "b.csv"])

    def test_rows_stand_at_the_end(self):
        done = self.append("n,x,name,day\n3,1.5,cid,2001-01-03\n")
        self.assertEqual(self.text(), CSV + "3,1.5,cid,2001-01-03\n")
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr, f"{self.place}: 1 row appended from {self.dir}/b.csv\n")

    def test_columns_are_matched_by_name(self):
        self.append("day,name,x,n\n2001-01-03,cid,1.5,3\n")
        self.assertEqual(self.text(), CSV + "3,1.5,cid,2001-01-03\n")

    def test_text_is_read_as_what_the_table_holds(self):
        # On their own these fields would be an integer, an integer and a text of digits.
        self.append("n,x,name,day\n3,7,42,2001-01-03\n")
        self.assertEqual(self.text("-c", "x,name", "-w", "n = 3"), "x,name\n7.0,42\n")

    def test_larger_numbers_and_longer_texts_widen_the_column(self):
        row = "12345678901,1.0,a much longer name than the others,2001-01-03\n"
        self.append("n,x,name,day\n" + row)
        self.assertEqual(self.text(), CSV + row)

    def test_no_rows_are_fine(self):
        self.append("n,x,name,day\n")
        self.assertEqual(self.text(), CSV)

    def test_the_place_may_be_the_only_table(self):
        self.stoa("append", self.write("b.csv", "n,x,name,day\n3,1.5,cid,2001-01-03\n"), self.file)
        self.assertEqual(self.text(), CSV + "3,1.5,cid,2001-01-03\n")

    def test_rows_may_come_from_a_table(self):
        other = f"{self.dir}/b.h5:/u"
        self.stoa("import", self.dir / "a.csv", other)
        self.stoa("append", other, self.place)
        self.assertEqual(self.text(), CSV + CSV.split("\n", 1)[1])

    def test_a_table_is_not_appended_to_itself(self):
        self.fails("append", self.place, self.place, says="itself")
        self.assertEqual(self.text(), CSV)

    def test_stdin_can_be_appended(self):
        self.stoa("append", "-", self.place, input="n,x,name,day\n3,1.5,cid,2001-01-03\n")
        self.assertEqual(self.text(), CSV + "3,1.5,cid,2001-01-03\n")

    def test_a_missing_column_is_named(self):
        self.refused("n,x,day\n3,1.5,2001-01-03\n", ["name"])

    def test_an_extra_column_is_named(self):
        self.refused("n,x,name,day,shoe_size\n3,1.5,cid,2001-01-03,41\n", ["shoe_size"])

    def test_a_value_of_another_type_is_named_with_its_line(self):
        self.refused(
            "n,x,name,day\n3,1.5,cid,2001-01-03\nfour,1.5,dan,2001-01-04\n", ["line 3", "four"]
        )

    def test_a_table_column_of_another_type_is_named(self):
        other = f"{self.dir}/b.h5:/u"
        self.stoa("import", self.write("c.csv", CSV.replace("ann", "1").replace("bob", "2")), other)
        self.fails("append", other, self.place, says="name")
        self.assertEqual(self.text(), CSV)

    def test_on_error_skip_and_null_count(self):
        done = self.append(
            "n,x,name,day\nfour,1.5,dan,2001-01-04\n5,2.0,eve,2001-01-05\n", "--on-error", "skip"
        )
        self.assertIn("1 bad row left out", done.stderr)
        self.assertEqual(self.text("-w", "n > 2"), "n,x,name,day\n5,2.0,eve,2001-01-05\n")
        done = self.append("n,x,name,day\nsix,2.0,fay,2001-01-06\n", "--on-error", "null")
        self.assertIn("1 bad value set missing", done.stderr)
        self.assertEqual(self.text("-w", "name = 'fay'"), "n,x,name,day\n,2.0,fay,2001-01-06\n")

    def test_null_texts_are_missing(self):
        self.append("n,x,name,day\n3,NA,cid,NA\n", "--null", "NA")
        self.assertEqual(self.text("-w", "n = 3"), "n,x,name,day\n3,,cid,\n")

    def test_the_index_grows_and_stays_trusted(self):
        self.append("n,x,name,day\n300,1.5,cid,2001-01-03\n")
        self.assertRegex(self.stoa("index", "list", self.place).stdout, r"(?m)^n .* trusted$")
        self.assertEqual(
            self.stoa("index", "verify", self.place).stdout, "n: describes its column\n"
        )

    def test_a_file_without_a_table_to_append_to_is_an_error(self):
        self.fails("append", self.dir / "a.csv", f"{self.file}:/nothing", says="/nothing")

    def test_rows_that_pytables_cannot_take_are_told_of_the_users_file(self):
        """Not of the temporary file that they wait in."""
        file = f"{self.dir}/p.h5"
        self.stoa("import", self.write("p.csv", "i,x\n1,2.5\n"), f"{self.dir}/own.h5:/t")
        self.stoa("convert", f"{self.dir}/own.h5:/t", f"{file}:/t", "--to", "pytables")
        done = self.fails("append", self.write("bad.csv", "a/b,x\n1,2.5\n"), f"{file}:/t",
                          says=[f"{file}:/t: a column cannot be called 'a/b'"])  # fmt: skip
        self.assertNotIn("/rows", done.stderr)


if __name__ == "__main__":
    stoa_test.main()
