"""`stoa sql`: statements, what comes out, and what is said when something is wrong."""

import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test


class Sql(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.csv = self.write("e.csv", "id,energy,det\n1,1.5,a\n2,7.5,b\n3,,a\n4,9.25,\n")
        self.stoa("import", self.csv, f"{self.dir}/run.h5:/events")
        self.stoa("import", self.write("g.csv", "det,gain\na,2\nb,10\n"), f"{self.dir}/cal.h5:/gains")

    def sql(self, *arguments, **options):
        return self.stoa("sql", *arguments, cwd=self.dir, **options).stdout

    def test_a_join_of_two_files(self):
        said = self.sql("select id, energy * gain as e from 'run.h5:/events' join 'cal.h5' using (det) order by id",
                        "-f", "csv")  # fmt: skip
        self.assertEqual(said, "id,e\n1,3.0\n2,75.0\n3,\n")

    def test_the_options_of_query_shape_the_answer(self):
        question = "from 'run.h5:/events' order by id"
        for format in ("csv", "tsv", "jsonl", "json", "markdown", "table"):
            for more in ((), ("-n", "2")):
                wanted = self.stoa("query", "run.h5", "-f", format, *more, cwd=self.dir).stdout
                self.assertEqual(self.sql(question, "-f", format, *more), wanted, format)
        self.sql(question, "-o", "out.h5:/t", "--index", "id:sorted")
        self.stoa("check", "--indexes", "out.h5", cwd=self.dir)
        self.assertEqual(self.stoa("query", "out.h5", "-f", "csv", cwd=self.dir).stdout, self.csv.read_text())

    def test_statements_follow_one_another_and_come_from_stdin(self):
        text = "create table t as from 'run.h5'; -- a comment;\nselect count(*) as n from t;\nselect ';' as s"
        for arguments in ((), ("-",)):
            said = self.sql(*arguments, input=text)
            self.assertEqual(said, "n\n─\n4\ns\n─\n;\n")
        self.assertEqual(self.sql(text, "-f", "csv"), "s\n;\n")
        self.assertEqual(self.sql("", input=""), "")

    def test_statements_read_what_earlier_ones_wrote(self):
        text = """create table 'o.h5:/t' as select 1 as a; select sum(a) as s from 'o.h5:/t' where a > 0;
                  create or replace table 'o.h5:/t' as select 2 as a; select sum(a) as s from 'o.h5:/t' where a > 0;
                  insert into 'o.h5:/t' select id from 'run.h5'; select sum(a) as s from 'o.h5' where a > 0"""
        self.assertEqual(self.sql(input=text).split(), "s ─ 1 s ─ 2 s ── 12".split())

    def test_many_files_are_one_table(self):
        self.stoa("import", self.write("m.csv", "id,energy\n9,0.5\n"), f"{self.dir}/more.h5:/events")
        self.stoa("copy", "run.h5:/events", "run2.h5:/events", cwd=self.dir)
        said = self.sql("select count(*) as n, sum(id) as s from 'run*.h5:/events'", "-f", "csv")
        self.assertEqual(said, "n,s\n8,20\n")
        both = "['run.h5:/events', 'more.h5:/events']"
        said = self.sql(f"select count(*), sum(id), count(det) from read_stoa({both}, by_name := true)", "-f", "csv")
        self.assertEqual(said.splitlines()[1], "5,19,3")
        self.fails("sql", f"from read_stoa({both})", cwd=self.dir, says="det")

    def test_a_sparse_array_is_a_table_of_its_entries(self):
        self.write("t.csv", "row,column,value\n0,1,5\n2,3,7\n2,4,7.5\n")
        self.stoa("import", "t.csv", "m.h5:/m", "--sparse", "--shape", "4x6", cwd=self.dir)
        self.assertEqual(self.sql("select row, sum(value) as s from 'm.h5:/m' group by row order by row", "-f", "csv"),
                         "row,s\n0,5.0\n2,14.5\n")  # fmt: skip

    def test_what_duckdb_reads_itself_stays_its_own(self):
        self.assertEqual(self.sql("select sum(gain) as s from 'g.csv'", "-f", "csv"), "s\n12\n")

    def test_a_mistake_is_one_line(self):
        self.write("no.h5", "this is no HDF5 file")
        cut = (self.dir / "run.h5").read_bytes()
        (self.dir / "cut.h5").write_bytes(cut[: len(cut) // 2])
        for statement, *says in (
            ("select energy form 'run.h5'", "Parser Error", "at \"'run.h5'\""),
            ("select nothing from 'run.h5'", "Binder Error", "nothing"),
            ("from 'none.h5:/t'", "none.h5", "no such file"),
            ("from 'run.h5:/none'", "run.h5:/none", "no such object"),
            ("from 'no.h5'", "no.h5", "HDF5"),
            ("from 'cut.h5'", "cut.h5"),
            ("from 'no*such.h5:/t'", "no*such.h5:/t", "no file has a name of this pattern"),
            ("from 'nothing'", "Catalog Error", "nothing"),
            ("from read_stoa(1)", "takes a place"),
            ("from read_stoa([])", "a list of places has none"),
            ("select '\x1b[31m'::int", "Conversion Error"),
            ("select 1e30::decimal(38,0) * 10 as big", "big"),
            ("select interval 1 month as i", "'i'", "months"),
        ):
            done = self.fails("sql", statement, cwd=self.dir, says=says)
            self.assertNotIn("\x1b", done.stderr)

    def test_a_condition_may_be_deep_or_long(self):
        for depth, status in ((50, 0), (900, 0), (10000, 3)):
            done = self.stoa("sql", input=f"select count(*) as n from 'run.h5' where {'not (' * depth}id > 1{')' * depth}",
                             cwd=self.dir, status=status)  # fmt: skip
            self.assertEqual(done.stdout, "n\n─\n3\n" if status == 0 else "")
        many = ",".join(map(str, range(2, 5000)))
        self.assertEqual(self.sql(f"select count(*) as n from 'run.h5' where id in ({many})", "-f", "csv"), "n\n3\n")

    def test_ctrl_c_ends_a_statement(self):
        place = "'run.h5:/events'"
        cross = ", ".join(f"{place} t{i}" for i in range(20))
        process = subprocess.Popen([stoa_test.STOA, "sql", f"select count(*) from {cross} where t0.id + t9.id > 0"],
                                   cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
        time.sleep(1)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        said = process.communicate()
        self.assertLess(time.monotonic() - began, 2)
        self.assertEqual((process.returncode, *said), (130, "", "stoa: interrupted\n"))

    def test_the_file_that_is_read_is_not_written(self):
        before = (self.dir / "run.h5").read_bytes()
        self.fails("sql", "from 'run.h5:/events'", "-o", "run.h5:/copy", cwd=self.dir, says="is being read")
        self.assertEqual((self.dir / "run.h5").read_bytes(), before)

    def test_without_the_library_the_message_says_how_to_get_it(self):
        for value in ("/nowhere/libduckdb.so", str(self.csv)):
            self.fails("sql", "select 1", env={"STOA_DUCKDB": value}, says=(value, "duckdb.org"))


if __name__ == "__main__":
    stoa_test.needs_duckdb()
    stoa_test.main()
