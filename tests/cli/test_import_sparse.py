"""stoa import --sparse and stoa export of sparse arrays: rows as text and as Arrow, AnnData's groups."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

ROWS = "row,column,value\n0,0,1\n2,1,-7\n0,3,2\n"


class Rows(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.csv = self.write("rows.csv", ROWS)
        self.m = f"{self.dir}/m.h5:/m"

    def assert_same(self, a, b):
        self.stoa("diff", "--defined", a, b)

    def test_rows_of_text_become_an_array_as_large_as_they_need(self):
        done = self.stoa("import", self.csv, self.m, "--sparse")
        self.assertEqual(
            done.stderr, f"{self.m}: a matrix of 3 x 4 with 3 entries imported from {self.csv}\n"
        )
        shown = self.stoa("dump", self.m, "--sparse-locations").stdout
        self.assertIn("( 3, 4 )", shown)
        self.assertIn("(0,0), (0,3), (2,1)", shown)

    def test_info_shows_the_array(self):
        self.stoa("import", self.csv, self.m, "--sparse", "--chunk", "2x2", "--codec", "deflate")
        said = self.stoa("info", self.m).stdout
        for line in (r"array +\S+:/m", r"layout +sparse", r"type +int8", r"shape +3 x 4",
                     r"chunk +2 x 2", r"defined +3", r"stored +3 chunks, \d+ B"):  # fmt: skip
            self.assertRegex(said, f"(?m)^{line}$")
        self.assertIn("Section 1 H5Z_FLAG_SPARSE_FIXED_DATA", said)
        self.assertRegex(said, "(?i)deflate")

    def test_the_shape_the_chunks_and_the_codec_are_what_is_asked_for(self):
        self.stoa("import", self.csv, self.m, "--sparse", "--shape", "30x20", "--chunk", "5x4",
                  "--codec", "deflate:1")  # fmt: skip
        shown = self.stoa("dump", self.m).stdout
        self.assertIn("( 30, 20 )", shown)
        self.assertIn("SPARSE_CHUNK ( 5, 4 )", shown)
        self.assertIn("DEFLATE { LEVEL 1 }", shown)

    def test_three_dimensions_are_four_columns(self):
        csv = self.write("c.csv", "a,b,c,x\n1,2,3,0.5\n0,0,0,0\n")
        done = self.stoa("import", csv, self.m, "--sparse", "--type", "x=float32")
        self.assertIn("an array of 2 x 3 x 4 with 2 entries", done.stderr)
        self.assertEqual(
            self.stoa("export", self.m, "-", "-f", "csv").stdout,
            "dim0,dim1,dim2,value\n0,0,0,0.0\n1,2,3,0.5\n",
        )

    def test_entries_are_written_as_a_table(self):
        self.stoa("import", self.csv, self.m, "--sparse")
        rows = self.stoa("export", self.m, "-", "-f", "csv").stdout
        for name in "t.h5:/t", "t.lh5:/t":
            said = self.stoa("export", self.m, f"{self.dir}/{name}").stderr
            self.assertIn(f"{len(rows.splitlines()) - 1} rows exported", said)
            found = self.stoa("query", f"{self.dir}/{name}", "-c", "row, column, value", "-f", "csv").stdout
            self.assertEqual(found, rows)
        self.stoa("export", self.m, f"{self.dir}/none.h5:/t", "-w", "value <> value")
        self.assertEqual(self.stoa("query", f"{self.dir}/none.h5", "-a", "count()", "-f", "csv").stdout.split()[1], "0")

    def test_arrow_files_keep_shape_type_and_definedness(self):
        self.stoa("import", self.csv, self.m, "--sparse", "--shape", "30x20", "--chunk", "2x2")
        self.stoa("export", self.m, f"{self.dir}/m.arrow")
        self.stoa("import", f"{self.dir}/m.arrow", f"{self.dir}/b.h5", "--sparse")
        self.assert_same(self.m, f"{self.dir}/b.h5:/m")
        self.assertIn("( 30, 20 )", self.stoa("dump", f"{self.dir}/b.h5:/m").stdout)

    def test_arrow_files_become_tables_too(self):
        self.stoa("import", self.csv, self.m, "--sparse")
        self.stoa("export", self.m, f"{self.dir}/m.arrow")
        self.stoa("import", f"{self.dir}/m.arrow", f"{self.dir}/t.h5:/t")
        self.assertEqual(
            self.stoa("query", f"{self.dir}/t.h5:/t", "-f", "csv", "--sort", "value").stdout,
            "row,column,value\n2,1,-7\n0,0,1\n0,3,2\n",
        )

    def test_a_table_becomes_an_array_in_its_own_file(self):
        self.stoa("import", self.csv, f"{self.dir}/m.h5:/t")
        self.stoa("import", f"{self.dir}/m.h5:/t", self.m, "--sparse")
        self.stoa("import", self.csv, f"{self.dir}/n.h5:/m", "--sparse")
        self.assert_same(self.m, f"{self.dir}/n.h5:/m")

    def test_rows_go_out_in_every_text_format(self):
        self.stoa("import", self.csv, self.m, "--sparse")
        self.assertEqual(
            self.stoa("export", self.m, "-", "-f", "csv").stdout,
            "row,column,value\n0,0,1\n0,3,2\n2,1,-7\n",
        )
        self.assertEqual(
            self.stoa("export", self.m, "-", "-f", "jsonl").stdout.splitlines()[2],
            '{"row":2,"column":1,"value":-7}',
        )

    def test_the_only_array_of_a_file_without_tables_needs_no_path(self):
        self.stoa("import", self.csv, self.m, "--sparse")
        file = self.m.split(":")[0]
        self.assertEqual(self.stoa("info", file).stdout, self.stoa("info", self.m).stdout)
        self.stoa("import", self.csv, f"{file}:/n", "--sparse")
        self.fails("info", file, says="no table")
        self.stoa("import", self.csv, f"{file}:/t")
        self.assertIn("/t", self.stoa("info", file).stdout)

    def test_what_is_there_is_replaced_by_force_alone(self):
        self.stoa("import", self.csv, self.m, "--sparse")
        self.fails("import", self.csv, self.m, "--sparse", says=["--force replaces it", "m.h5:/m"])
        done = self.stoa("import", self.csv, self.m, "--sparse", "--force", "--shape", "9x9")
        self.assertIn("'stoa repack", done.stderr)
        self.assertIn("( 9, 9 )", self.stoa("dump", self.m).stdout)

    def test_a_failure_leaves_no_file(self):
        for text, words in (
            ("row,column,value\n0,0,1\n-1,0,1\n", "-1 is no index"),
            ("row,column,value\n0,0,1\n0,,1\n", "a null is no index"),
            ("row,column,value\n0,0,1\n0,1,\n", "a null is no value"),
            ("row,column,value\n0,0,a\n", "no values of type"),
            ("row,column,value\n0.5,0,1\n", "column 'row' is float64; indices are integers"),
            ("value\n1\n", "1 to 32 columns of indices"),
        ):
            bad = self.write("bad.csv", text)
            self.fails("import", bad, self.m, "--sparse", says=words)
            self.assertFalse(os.path.exists(f"{self.dir}/m.h5"), text)
        self.fails("import", self.csv, self.m, "--sparse", "--shape", "2x4", says="")
        self.fails("import", self.csv, self.m, "--sparse", "--shape", "2x4x5",
                   says="--shape has 3 dimensions, the rows 2")  # fmt: skip
        self.fails("import", self.csv, self.m, "--sparse", "--chunk", "2",
                   says="--chunk has 1 dimensions, the rows 2")  # fmt: skip
        self.assertFalse(os.path.exists(f"{self.dir}/m.h5"))

    def test_options_that_do_not_fit_are_misuse(self):
        for options, words in (
            (["--sparse", "--index", "row"], "--index does not apply"),
            (["--sparse", "--units", "x=m"], "types and units of columns does not apply"),
            (["--sparse", "--chunk", "0x2"], "--chunk '0x2'"),
            (["--sparse", "--shape", "3x"], "--shape '3x'"),
            (["--sparse", "--codec", "row=zstd"], "takes one codec"),
            (["--shape", "3x4"], "--shape is for --sparse"),
        ):
            done = self.stoa("import", self.csv, self.m, *options, status=2)
            self.assertIn(words, done.stderr)

    def test_a_table_is_no_sparse_array(self):
        self.stoa("import", self.csv, f"{self.dir}/t.h5:/t")
        self.fails("export", f"{self.dir}/t.h5:/t", f"{self.dir}/t.mtx",
                   says=["t.h5:/t: no sparse array", "csv"])  # fmt: skip
        self.assertFalse(os.path.exists(f"{self.dir}/t.mtx"))

    def test_damaged_arrow_files_are_refused(self):
        self.stoa("import", self.csv, self.m, "--sparse")
        self.stoa("export", self.m, f"{self.dir}/m.arrow")
        whole = (self.dir / "m.arrow").read_bytes()
        cut = self.write("cut.arrow", whole[: len(whole) // 2])
        self.fails("import", cut, f"{self.dir}/c.h5:/c", "--sparse", says=["cut.arrow", "end within"])
        self.assertFalse(os.path.exists(f"{self.dir}/c.h5"))


class Groups(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.m = f"{self.dir}/m.h5:/m"
        self.stoa("import", self.write("rows.csv", ROWS), self.m, "--sparse", "--shape", "3x5")

    def test_groups_go_out_and_come_back(self):
        for form in ("csr", "csc"):
            group = f"{self.dir}/g.h5:/{form}/X"
            done = self.stoa("export", self.m, group, "-f", form)
            self.assertIn("3 entries exported", done.stderr)
            back = f"{self.dir}/b.h5:/{form}"
            done = self.stoa("import", group, back)
            self.assertIn("a matrix of 3 x 5 with 3 entries", done.stderr)
            self.stoa("diff", "--defined", self.m, back)
            self.assertIn(
                f'"{form}_matrix"',
                self.hdf5("h5dump", "-a", f"/{form}/X/encoding-type", f"{self.dir}/g.h5"),
            )

    def test_a_group_may_lie_in_the_same_file(self):
        self.stoa("export", self.m, f"{self.dir}/m.h5:/g", "-f", "csc", "--codec", "deflate:1")
        self.stoa("import", f"{self.dir}/m.h5:/g", f"{self.dir}/m.h5:/again", "--chunk", "2x2")
        self.stoa("diff", "--defined", self.m, f"{self.dir}/m.h5:/again")

    def test_a_place_that_is_taken_is_left_alone(self):
        self.fails("export", self.m, f"{self.dir}/m.h5:/m", "-f", "csr", says="is there already")
        self.fails("export", self.m, f"{self.dir}/g.h5", "-f", "csr", says="give its path")
        self.assertFalse(os.path.exists(f"{self.dir}/g.h5"))

    def test_options_that_do_not_fit_are_misuse(self):
        done = self.stoa("export", self.m, f"{self.dir}/m.csv", "--codec", "zstd", status=2)
        self.assertIn("--codec is for tables", done.stderr)
        self.stoa("export", self.m, f"{self.dir}/m.h5:/g", "-f", "csr")
        done = self.stoa("import", f"{self.dir}/m.h5:/g", f"{self.dir}/m.h5:/h", "--shape", "9x9",
                         status=2)  # fmt: skip
        self.assertIn("--shape", done.stderr)

    def test_a_group_that_contradicts_itself_leaves_the_file_as_it_was(self):
        self.stoa("export", self.m, f"{self.dir}/m.h5:/g", "-f", "csr")
        path = self.dir / "m.h5"
        whole = path.read_bytes()
        pointers = b"".join(n.to_bytes(4, "little") for n in (0, 2, 2, 3))
        self.assertEqual(whole.count(pointers), 1)
        path.write_bytes(whole.replace(pointers, pointers[:4] + pointers[12:] + pointers[8:12] * 2))
        before = path.read_bytes()
        self.fails("import", f"{path}:/g", f"{path}:/h", says="'indptr' has 2 at 2, behind 3")
        self.assertEqual(path.read_bytes(), before)


if __name__ == "__main__":
    stoa_test.main()
