"""stoa import: every option, and what it makes of its input (src/cli/transfer/cmd_import.c)."""

import gzip
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

CSV = "n,x,name,day\n1,0.5,ann,2001-01-01\n2,,bob,2001-01-02\n3,2.5,ann,2001-01-03\n"


class ImportCase(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.csv = self.write("runs.csv", CSV)
        self.file = self.dir / "a.h5"

    def make(self, *options, input=None, csv=None, path="/t"):
        """Import into /t; the place."""
        place = f"{self.file}:{path}"
        self.stoa("import", csv or self.csv, place, *options, input=input)
        return place

    def text(self, place, *options):
        return self.stoa("query", place, "-f", "csv", *options).stdout

    def header(self, place):
        """h5dump's view of the table's group: attributes with values, columns without."""
        file, path = str(place).rsplit(":", 1)
        return self.hdf5("h5dump", "-A", "-p", "-g", path, file)

    def column(self, place, name):
        file, path = str(place).rsplit(":", 1)
        return self.hdf5("h5dump", "-H", "-p", "-d", f"{path}/{name}", file)


class Import(ImportCase):
    def test_a_table_comes_back_as_it_was_written(self):
        self.assertEqual(self.text(self.make()), CSV)

    def test_it_says_how_many_rows_on_stderr_and_nothing_on_stdout(self):
        done = self.stoa("import", self.csv, f"{self.file}:/t")
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr, f"{self.file}:/t: 3 rows imported from {self.csv}\n")

    def test_without_a_path_the_table_is_called_like_its_input(self):
        self.stoa("import", self.csv, self.file)
        self.stoa("query", f"{self.file}:/runs", "-n", "0")
        packed = self.dir / "other.2001.csv.gz"
        packed.write_bytes(gzip.compress(CSV.encode()))
        self.stoa("import", packed, self.file)
        self.stoa("query", f"{self.file}:/other", "-n", "0")

    def test_stdin_without_a_path_is_called_table(self):
        self.stoa("import", "-", self.file, input=CSV)
        self.assertEqual(self.text(f"{self.file}:/table"), CSV)

    def test_gz_and_stdin_and_tsv_hold_the_same_table(self):
        packed = self.dir / "b.csv.gz"
        packed.write_bytes(gzip.compress(CSV.encode()))
        tabs = self.write("c.tsv", CSV.replace(",", "\t"))
        self.assertEqual(self.text(self.make(csv=packed, path="/gz")), CSV)
        self.assertEqual(self.text(self.make(csv="-", input=CSV, path="/stdin")), CSV)
        self.assertEqual(self.text(self.make(csv=tabs, path="/tsv")), CSV)

    def test_the_table_does_not_depend_on_the_threads(self):
        rows = "".join(f"{i % 997},{i * 0.25},name {i * 7919 % 3000}\n" for i in range(70_000))
        many = self.write("many.csv", "n,x,name\n" + rows)
        tables = [self.text(self.make("--threads", n, csv=many, path=f"/t{n}")) for n in "123"]
        self.assertEqual(tables[0], tables[1])
        self.assertEqual(tables[0], tables[2])
        self.stoa("append", self.csv, self.make(path="/u"), "--threads", "1")
        self.assertEqual(self.text(f"{self.file}:/u", "-a", "count()"), "count()\n6\n")

    @unittest.skipUnless(os.path.exists("/proc/self/status"), "there is no /proc to count threads in")
    def test_import_on_one_thread_starts_no_other(self):
        many = self.write("many.csv", "n\n" + "1\n" * 400_000)
        words = [stoa_test.STOA, "import", many, f"{self.file}:/one", "--threads", "1"]
        seen = set()
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None:
                status = Path(f"/proc/{process.pid}/status").read_text()
                seen.update(line for line in status.splitlines() if line.startswith("Threads:"))
        self.assertEqual(process.returncode, 0)
        self.assertLessEqual(seen, {"Threads:\t1"})

    def test_groups_on_the_way_are_made(self):
        self.assertEqual(self.text(self.make(path="/run/7/events")), CSV)

    def test_a_second_table_leaves_the_first_alone(self):
        first = self.make(path="/first")
        self.make(csv=self.write("b.csv", "z\n9\n"), path="/second")
        self.assertEqual(self.text(first), CSV)
        self.assertEqual(self.text(f"{self.file}:/second"), "z\n9\n")

    def test_an_existing_table_stays_unless_forced(self):
        place = self.make()
        before = self.file.read_bytes()
        self.fails("import", self.csv, place, says=[place, "already, with 3 rows", "--force"])
        self.assertEqual(self.file.read_bytes(), before)
        self.make("--force", csv=self.write("b.csv", "z\n9\n"))
        self.assertEqual(self.text(place), "z\n9\n")

    def test_the_space_of_a_table_that_was_replaced_is_spoken_of(self):
        place = f"{self.file}:/events"
        says = f"stoa repack {self.file}' gives its space back"
        self.assertNotIn("repack", self.stoa("import", self.csv, place, "--force").stderr)
        self.assertIn(says, self.stoa("import", self.csv, place, "--force").stderr)
        self.assertNotIn("repack", self.stoa("import", self.csv, f"{self.file}:/two", "--force").stderr)

    def test_force_makes_a_table_where_there_is_none(self):
        self.assertEqual(self.text(self.make("--force")), CSV)

    def test_a_table_can_be_copied_within_its_file_and_to_another(self):
        place = self.make("--title", "runs", "--row-index", "name", "--units", "x=m")
        inside = f"{self.file}:/copy"
        outside = f"{self.dir}/b.h5:/copy"
        for copy in (inside, outside):
            self.stoa("import", place, copy)
            self.assertEqual(self.text(copy), CSV)
            info = self.stoa("info", copy).stdout
            self.assertRegex(info, r"(?m)^title +runs$")
            self.assertRegex(info, r"(?m)^row labels +name$")
            self.assertRegex(info, r"(?m)^x +float64 .* m\b")

    def test_a_table_can_be_rewritten_in_place(self):
        place = self.make()
        self.stoa("import", place, place, "--force", "--codec", "deflate:9", "--chunk", "2")
        self.assertEqual(self.text(place), CSV)
        self.assertIn("CHUNKED ( 2 )", self.column(place, "x"))
        self.assertIn("DEFLATE { LEVEL 9 }", self.column(place, "x"))

    def test_how_to_read_text_does_not_apply_to_a_table(self):
        place = self.make()
        self.fails("import", place, f"{self.dir}/b.h5", "--null", "x", status=2, says="is a table")

    def test_nothing_remains_of_a_failed_import(self):
        self.fails("import", self.write("bad.csv", "a,b\n1\n"), self.file, says="line 2")
        self.assertEqual(sorted(os.listdir(self.dir)), ["bad.csv", "runs.csv"])


class TextOptions(ImportCase):
    def test_type_overrides_what_would_be_inferred(self):
        place = self.make("--type", "n=string", "--type", "x=float32")
        self.assertRegex(self.stoa("info", place).stdout, r"(?m)^n +(string|utf8)")
        self.assertIn("H5T_IEEE_F32LE", self.column(place, "x"))

    def test_a_column_name_with_an_equals_sign_stands_in_quotes(self):
        csv = self.write("b.csv", "a=b\n1\n")
        self.assertIn(
            "H5T_STD_I64LE", self.column(self.make("--type", '"a=b"=int64', csv=csv), "a=b")
        )

    def test_null_texts_are_missing_each_of_them(self):
        csv = self.write("b.csv", "x\nNA\n1\n-\n\n")
        place = self.make("--null", "NA", "--null", "-", csv=csv)
        self.assertEqual(self.text(place, "-a", "count(), count(x)").splitlines()[1], "4,1")

    def test_delimiter_may_be_a_character_or_tab(self):
        self.assertEqual(
            self.text(self.make("--delimiter", ";", csv=self.write("b.csv", "a;b\n1;2\n"))),
            "a,b\n1,2\n",
        )
        for spelling in ("tab", "\\t", "\t"):
            place = self.make(
                "--delimiter", spelling, "--force", csv=self.write("c.csv", "a\tb\n1\t2\n")
            )
            self.assertEqual(self.text(place), "a,b\n1,2\n")

    def test_on_error_stop_names_line_column_and_value(self):
        csv = self.write("b.csv", "x,y\n1,1\noops,2\n")
        self.fails(
            "import", csv, self.file, "--type", "x=int32", says=[str(csv), "line 3", "x", "oops"]
        )
        self.assertFalse(self.file.exists())

    def test_on_error_skip_leaves_the_row_out_and_counts_it(self):
        csv = self.write("b.csv", "x,y\n1,1\noops,2\n3,3\n")
        done = self.stoa(
            "import", csv, f"{self.file}:/t", "--type", "x=int32", "--on-error", "skip"
        )
        self.assertIn("1 bad row left out", done.stderr)
        self.assertEqual(self.text(f"{self.file}:/t"), "x,y\n1,1\n3,3\n")

    def test_on_error_null_makes_the_value_missing_and_counts_it(self):
        csv = self.write("b.csv", "x,y\n1,1\noops,2\n3,3\n")
        done = self.stoa(
            "import", csv, f"{self.file}:/t", "--type", "x=int32", "--on-error", "null"
        )
        self.assertIn("1 bad value set missing", done.stderr)
        self.assertEqual(self.text(f"{self.file}:/t"), "x,y\n1,1\n,2\n3,3\n")

    def test_category_and_no_category_decide(self):
        csv = self.write("b.csv", "a,b\n" + "".join(f"v{i % 3},w{i}\n" for i in range(3000)))
        usual = self.header(self.make(csv=csv, path="/usual"))
        self.assertIn("a__CATEGORIES", usual)
        self.assertNotIn("b__CATEGORIES", usual)
        turned = self.header(
            self.make("--category", "b", "--no-category", "a", csv=csv, path="/turned")
        )
        self.assertIn("b__CATEGORIES", turned)
        self.assertNotIn("a__CATEGORIES", turned)
        self.assertNotIn(
            "CATEGORIES", self.header(self.make("--no-category", "*", csv=csv, path="/none"))
        )

    def test_names_with_commas_stand_in_quotes(self):
        csv = self.write("b.csv", '"a, b",c\n' + "".join(f"v{i},w{i}\n" for i in range(50)))
        header = self.header(self.make("--category", '"a, b",c', csv=csv))
        self.assertIn('GROUP "CATEGORIES"', header)
        self.assertEqual(header.count('ATTRIBUTE "ordered"'), 2)

    def test_units_reach_the_column(self):
        self.assertRegex(
            self.header(self.make("--units", "x=m/s")), r'DATASET "x" (.|\n)*"units" (.|\n)*?"m/s"'
        )


class StorageOptions(ImportCase):
    def test_chunk_sets_all_columns_or_one(self):
        place = self.make("--chunk", "2", "--chunk", "x=3")
        self.assertIn("CHUNKED ( 2 )", self.column(place, "n"))
        self.assertIn("CHUNKED ( 3 )", self.column(place, "x"))

    def test_a_chunk_has_fewer_than_2_to_32_rows(self):
        source, place = self.write("a.csv", "n\n1\n"), f"{self.dir}/new.h5:/t"
        for rows in ("0", "4294967296", "18446744073709551615", "18446744073709551616", "x"):
            self.fails("import", source, place, "--chunk", rows, status=2, says=[rows, "below 2^32"])
        self.assertFalse((self.dir / "new.h5").exists())

    def test_chunk_contiguous_makes_a_contiguous_column(self):
        place = self.make("--chunk", "n=contiguous")
        self.assertIn("CONTIGUOUS", self.column(place, "n"))
        self.assertIn("CHUNKED", self.column(place, "x"))

    def test_codec_sets_all_columns_or_one(self):
        place = self.make("--codec", "none", "--codec", "x=deflate:9")
        self.assertNotIn("COMPRESSION", self.column(place, "n"))
        self.assertIn("DEFLATE { LEVEL 9 }", self.column(place, "x"))

    def test_an_unknown_codec_is_refused_before_anything_is_written(self):
        self.fails("import", self.csv, self.file, "--codec", "shrinkwrap", says="shrinkwrap")
        self.assertFalse(self.file.exists())

    def test_preallocate_makes_room(self):
        place = self.make("--preallocate", "1000")
        self.assertRegex(self.column(place, "n"), r"SIMPLE \{ \( \d{4,} \)")
        self.assertEqual(self.text(place), CSV)

    def test_row_index_names_label_columns_outermost_first(self):
        header = self.header(self.make("--row-index", "name,day"))
        self.assertIn('ATTRIBUTE "INDEX_COLUMNS"', header)
        self.assertRegex(header, r'ATTRIBUTE "_index" (.|\n)*?"name"')

    def test_title_and_description_reach_the_table(self):
        place = self.make("--title", "Läufe", "--description", "three runs")
        self.assertRegex(self.header(place), r'ATTRIBUTE "description" (.|\n)*?"three runs"')
        self.assertRegex(self.stoa("info", place).stdout, r"(?m)^title +Läufe$")

    def test_index_builds_one_on_each_column_named(self):
        place = self.make("--index", "n:minmax,day")
        listed = self.stoa("index", "list", place).stdout
        self.assertRegex(listed, r"(?m)^n +CHUNK_MINMAX ")
        self.assertRegex(listed, r"(?m)^day +CHUNK_MINMAX ")
        self.assertNotRegex(listed, r"(?m)^x ")

    def test_an_option_for_a_column_that_is_not_there_is_an_error(self):
        for option in (
            ["--type", "q=int8"],
            ["--units", "q=m"],
            ["--index", "q"],
            ["--category", "q"],
            ["--no-category", "q"],
            ["--row-index", "q"],
            ["--codec", "q=none"],
            ["--chunk", "q=5"],
        ):
            self.fails("import", self.csv, self.file, *option, says="q")
            self.assertFalse(self.file.exists(), option)

    def test_texts_that_are_not_utf8_are_refused_before_anything_is_written(self):
        for option, text in (("--title", "caf\udce9"), ("--description", "\udcff"), ("--units", "x=\udcb5m")):
            self.fails("import", self.csv, self.file, option, text, says="not UTF-8")
            self.assertFalse(self.file.exists(), option)


if __name__ == "__main__":
    stoa_test.main()
