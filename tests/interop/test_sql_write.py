"""`stoa sql` writes places: COPY, CREATE TABLE and INSERT, whole or not at all."""

import os
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test


class SqlWrite(stoa_test.PeersTestCase):
    def setUp(self):
        super().setUp()
        self.write("a.csv", "id,name\n1,x\n2,\n3,z\n")
        self.stoa("import", self.dir / "a.csv", f"{self.dir}/a.h5:/t")

    def sql(self, text, *more, **options):
        return self.stoa("sql", text, *more, cwd=self.dir, **options)

    def refused(self, text, says, status=3):
        before = {n: (self.dir / n).read_bytes() for n in os.listdir(self.dir) if (self.dir / n).is_file()}
        self.fails("sql", text, cwd=self.dir, says=says, status=status)
        after = {n: (self.dir / n).read_bytes() for n in os.listdir(self.dir) if (self.dir / n).is_file()}
        self.assertEqual(list(map(len, after.values())), list(map(len, before.values())))
        self.assertEqual(after, before)

    def test_copy_writes_a_table_as_query_does(self):
        said = self.sql("copy (select id, name, id * 2.5 as e from 'a.h5:/t' where id <> 2) "
                        "to 'out.h5:/deep/t' (index 'id:sorted', codec 'zstd:3', title 'It''s one', row_index id)")  # fmt: skip
        self.assertEqual((said.stdout, said.stderr), ("", "out.h5:/deep/t: 2 rows written\n"))
        self.check_object(f"{self.dir}/out.h5:/deep/t", {"id": [1, 3], "name": ["x", "z"], "e": [2.5, 7.5]})
        shown = self.stoa("info", f"{self.dir}/out.h5:/deep/t").stdout
        for words in ("It's one", "SORTED_ROWS", "zstd"):
            self.assertIn(words, shown)
        self.stoa("check", "--indexes", f"{self.dir}/out.h5")

    def test_places_are_copied_to_files_of_duckdb(self):
        self.sql("copy 'a.h5:/t' to 'a.parquet'; COPY 'a.h5:/t' TO 'b.csv' (header false, delimiter '|');"
                 "copy (from 'a.h5:/t') to 'c.parquet'")  # fmt: skip
        for file in ("a.parquet", "c.parquet"):
            self.assertEqual(self.peer_duckdb(f"from '{file}'"), "id,name\n1,x\n2,NULL\n3,z\n")
        self.assertEqual((self.dir / "b.csv").read_text(), "1|x\n2|\n3|z\n")

    def test_tables_are_created_replaced_and_appended_to(self):
        self.sql("create table 'out.h5:/t' as select 1 as n, 'a' as s;\n-- more;\n"
                 "insert into 'out.h5:/t' values (2, 'b;''c'), (3, null);"
                 "insert into 'out.h5:/t' (s, n) select name, id + 10 from 'a.h5' where id = 1;"
                 "insert into 'out.h5:/t' by name select 'z' as s, 5 as n")  # fmt: skip
        columns = {"n": [1, 2, 3, 11, 5], "s": ["a", "b;'c", None, "x", "z"]}
        self.check_object(f"{self.dir}/out.h5:/t", columns)
        self.refused("create table 'out.h5:/t' as select 1 as n", says="out.h5:/t")
        self.refused("copy (select 1 as n) to 'out.h5:/t'", says="out.h5:/t")
        self.sql("create table if not exists 'out.h5:/t' as select 1 as n")
        self.check_object(f"{self.dir}/out.h5:/t", columns)
        self.sql("create or replace table 'out.h5:/t' as select 7 as n")
        self.check_object(f"{self.dir}/out.h5:/t", {"n": [7]})
        self.sql("copy (select 8 as n) to 'out.h5:/t' (overwrite)")
        self.check_object(f"{self.dir}/out.h5:/t", {"n": [8]})
        self.sql("create table 'l.lh5:/g/hit' as select 1.5 as e")
        self.assertIn("lh5", self.stoa("ls", f"{self.dir}/l.lh5").stdout)
        self.sql("create table t as select 5 as n; create table 'out.h5:/of_duckdb' as from t")
        self.check_object(f"{self.dir}/out.h5:/of_duckdb", {"n": [5]})

    def test_decimals_of_many_digits_are_rounded_to_float64(self):
        values = ["1234567890123456.789", "-0.001", "99999999999999999999999999999999999.999", "123456789012345.678", "0"]
        query = " union all ".join(f"select {i} as i, '{v}'::decimal(38,3) as d" for i, v in enumerate(values))
        wanted = [float(v) for v in values]
        said = self.sql(f"select d from ({query}) order by i", "-f", "csv").stdout.splitlines()[1:]
        self.assertEqual([float(v) for v in said], wanted)
        self.sql(f"create table 'd.h5:/t' as select d from ({query}) order by i")
        self.assertEqual([row["d"] for row in self.rows_of(f"{self.dir}/d.h5:/t")], wanted)
        self.sql(f"select d from ({query}) order by i", "-o", "d.parquet")
        self.assertEqual(self.peer_duckdb("select d::varchar from 'd.parquet'").splitlines()[3], values[2])

    def test_a_file_that_is_read_is_not_written(self):
        for text in ("create table 'a.h5:/u' as from 'a.h5:/t'", "create or replace table 'a.h5:/t' as from 'a.h5:/t'",
                     "copy 'a.h5:/t' to 'a.h5:/u'", "insert into 'a.h5:/t' from 'a.h5:/t'",
                     "insert into 'a.h5:/t' select id, name from (select * from 'a.h5' union all select 4, 'q')"):  # fmt: skip
            self.refused(text, says="is being read")

    def test_mistakes_change_nothing(self):
        self.refused("copy (select 1 as n) to 'a.h5:/u' (foo 1)", says=["no option 'foo'", "index"])
        self.refused("copy (select 1 as n) to 'a.h5:/u' (index 'm')", says="m")
        self.refused("copy (selec 1 as n) to 'a.h5:/u'", says="Parser Error")
        self.refused("create table 'a.h5:/u' as select error('no') as n", says="no")
        self.refused("create table 'a.h5:/u' as select 1 as n from range(9) r(i) where i < 5 or error('late') = 'x'", says="late")
        self.refused("insert into 'a.h5:/t' select 1", says="columns")
        self.refused("insert into 'a.h5:/t' select 1, 'x', 2", says="columns")
        self.refused("insert into 'a.h5:/t' (id, none) select 1, 'x'", says="none")
        self.refused("insert into 'a.h5:/none' select 1", says="none")
        self.refused("create table 'none/b.h5:/t' as select 1 as n", says="none/b.h5")
        done = self.sql("create table 'b.h5:/t' as select 1 as n; create table 'b.h5:/t' as select 2 as n;"
                        "create table 'b.h5:/u' as select 3 as n", status=3)  # fmt: skip
        self.assertIn("b.h5:/t: 1 row written", done.stderr)
        self.check_object(f"{self.dir}/b.h5:/t", {"n": [1]})

    def test_a_full_disk_and_an_interrupt_leave_nothing(self):
        before = sorted(os.listdir(self.dir))
        many = "create table 'b.h5:/t' as select i * 1.5 as x, hash(i)::varchar as s from range({}) r(i)"
        small = subprocess.run([stoa_test.STOA, "sql", many.format(300_000)], cwd=self.dir, check=False, capture_output=True, text=True,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))  # fmt: skip
        self.assertEqual(small.returncode, 3, small.stderr)
        self.assertIn("b.h5", small.stderr)
        self.assertEqual(sorted(os.listdir(self.dir)), before)
        process = subprocess.Popen([stoa_test.STOA, "sql", many.format(200_000_000)], cwd=self.dir, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130, said)
        self.assertEqual(sorted(os.listdir(self.dir)), before)
        locked = self.dir / "locked"
        locked.mkdir()
        self.write("locked/b.h5", "")
        self.refused("create table 'locked/b.h5:/t' as select 1 as n", says="b.h5")


if __name__ == "__main__":
    stoa_test.main()
