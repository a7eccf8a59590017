"""stoa query: options, formats and where the answer goes. Expressions are tests/query's."""

import json
import os
import random
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

CSV = """n,x,name,day
1,0.5,ann,2001-01-01
2,,bob,2001-01-02
3,2.25,ann,2001-01-03
4,-1.0,,2001-01-04
"""


class QueryCase(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        self.place = f"{self.file}:/t"
        self.stoa("import", self.write("a.csv", CSV), self.place)

    def query(self, *options, **how):
        return self.stoa("query", self.place, *options, **how).stdout

    def csv(self, *options):
        return self.query("-f", "csv", *options)


class Question(QueryCase):
    def test_without_options_every_row_comes(self):
        self.assertEqual(self.csv(), CSV)

    def test_where_columns_sort_and_limit_work_together(self):
        self.assertEqual(
            self.csv("-w", "n > 1", "-c", "n,name", "--sort", "n:desc", "-n", "2"),
            "n,name\n4,\n3,ann\n",
        )

    def test_aggregates_give_one_row_and_groups_one_each(self):
        self.assertEqual(self.csv("-a", "count(), count(x), min(n)").splitlines()[1], "4,3,1")
        lines = self.csv(
            "-a", "count()", "--by", "name", "-w", "name is not null", "--sort", "name"
        ).splitlines()
        self.assertEqual(lines[1:], ["ann,2", "bob,1"])

    def test_where_knows_the_names_of_computed_columns_and_groups(self):
        self.assertEqual(self.csv("-c", "x * 2 as d, n", "-w", "d > 0"), "d,n\n1.0,1\n4.5,3\n")
        self.assertEqual(self.csv("--by", "n % 2 as odd", "-a", "count() as k", "-w", "odd = 1 and n > 1"),
                         "odd,k\n1,1\n")  # fmt: skip
        self.assertEqual(self.csv("-c", "-x as n", "-w", "n = 4"), "n\n1.0\n")  # the table's own names come first
        self.assertEqual(self.csv("-c", "x + 1 as a", "-w", "a between 1 and 2"), "a\n1.5\n")
        self.fails("query", self.place, "-a", "count() as k", "-w", "k > 1", says="'having' has the conditions")
        self.fails("query", self.place, "-c", "d + 1 as d", "-w", "d > 1", says="there is no column 'd'")

    def test_rows_gives_row_numbers(self):
        self.assertEqual(self.csv("--rows", "-w", "name = 'ann'"), "row\n0\n2\n")

    def test_names_with_dots_need_no_quotes(self):
        place = f"{self.dir / 'dots.h5'}:/t"
        self.stoa("import", self.write("dots.csv", "g.e,g.c_1\n1.5,a\n2.5,b\n0.5,a\n"), place)

        def csv(*options):
            return self.stoa("query", place, "-f", "csv", *options).stdout

        self.assertEqual(
            csv("-w", "g.e > .75", "-c", "g.c_1, g.e * 2 as x", "--sort", "g.e:desc"),
            "g.c_1,x\nb,5.0\na,3.0\n",
        )
        self.assertEqual(
            csv("-a", "sum(g.e)", "--by", "g.c_1", "--sort", "g.c_1"), "g.c_1,sum(g.e)\na,2.0\nb,2.5\n"
        )
        self.assertEqual(csv("-w", '"g.e" = g.e and g.e < 1', "-c", '"g.e"'), "g.e\n0.5\n")
        self.fails("query", place, "-w", "g.f > 1", says="no column 'g.f'; did you mean 'g.e'?")

    def test_a_limit_of_zero_gives_the_header_alone(self):
        self.assertEqual(self.csv("-n", "0"), "n,x,name,day\n")

    def test_a_sample_has_as_many_rows_as_asked_for(self):
        self.assertEqual(len(self.csv("--sample", "2", "-w", "n > 1").splitlines()), 3)
        self.assertEqual(self.csv("--sample", "2", "--seed", "7"), self.csv("--sample", "2", "--seed", "7", "--threads", "3"))
        self.assertEqual(self.csv("--sample", "9"), CSV)
        for options in (["--sample", "0"], ["--seed", "1"], ["--sample", "x"]):
            self.assertIn("--s", self.stoa("query", self.place, *options, status=2).stderr)
        self.assertIn("query PLACE --sample 10", self.stoa("sample", status=2).stderr)

    def test_threads_are_accepted(self):
        self.assertEqual(self.csv("--threads", "4"), CSV)

    def test_a_sort_keeps_within_the_memory_given(self):
        rows = [(i * 7919 % 10007, f"name {i * 31 % 997}") for i in range(100_000)]
        path = self.dir / "long.csv"
        path.write_text("n,s\n" + "".join(f"{n},{s}\n" for n, s in rows))
        place = f"{self.dir / 'long.h5'}:/t"
        self.stoa("import", path, place)
        ordered = sorted(sorted(rows, key=lambda row: row[0], reverse=True), key=lambda row: row[1])
        answer = "n,s\n" + "".join(f"{n},{s}\n" for n, s in ordered)
        for memory in ("64K", "1M", "1G"):
            done = self.stoa(
                "query", place, "--sort", "s,n:desc", "-f", "csv", "--memory", memory
            )
            self.assertEqual(done.stdout, answer)
        self.fails(
            "query", place, "--sort", "n", "--memory", "64K", env={"TMPDIR": "/nowhere"},
            says="TMPDIR",
        )

    def test_less_memory_is_taken_up_if_less_is_allowed(self):
        if any(mark in Path(stoa_test.STOA).read_bytes() for mark in (b"__asan_", b"__tsan_")):
            self.skipTest("a sanitizer takes up memory of its own")
        path = self.dir / "long.csv"
        path.write_text("n\n" + "".join(f"{i * 7919 % 1000003}\n" for i in range(1_000_000)))
        place = f"{self.dir / 'long.h5'}:/t"
        self.stoa("import", path, place)
        # A process is counted from its fork on: from one of a small parent, not from this one's.
        measure = (
            "import os, subprocess, sys\n"
            "child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
            "_, status, usage = os.wait4(child.pid, 0)\n"
            "print(status, usage.ru_maxrss * 1024)"
        )
        peaks = {}
        for memory in ("2M", "1G"):
            done = stoa_test.run(
                sys.executable, "-c", measure, stoa_test.STOA, "query", place, "--sort", "n",
                "-f", "csv", "--memory", memory,
            )
            status, peaks[memory] = map(int, done.stdout.split())
            self.assertEqual(status, 0)
        # Each of a million rows takes up 8 bytes, and what is sorted of it (key, place) 16 at least.
        self.assertLess(peaks["2M"] + 20_000_000, peaks["1G"])

    def test_huge_pages_save_page_faults_where_the_system_has_them(self):
        setting = Path("/sys/kernel/mm/transparent_hugepage/enabled")
        if not setting.exists() or "[never]" in setting.read_text():
            self.skipTest("the system has no huge pages")
        if any(mark in Path(stoa_test.STOA).read_bytes() for mark in (b"__asan_", b"__tsan_")):
            self.skipTest("a sanitizer takes up memory of its own")
        rows = "".join(f"{i * 7919 % 100003},{i * 104729 % 100019},{i}\n" for i in range(200_000))
        place = f"{self.dir / 'long.h5'}:/t"
        self.stoa("import", self.write("long.csv", "a,b,c\n" + rows), place)
        measure = (
            "import ctypes, os, subprocess, sys\n"
            "PR_SET_THP_DISABLE = 41\n"
            "assert ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, int(sys.argv[1]), 0, 0, 0) == 0\n"
            "child = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL)\n"
            "_, status, usage = os.wait4(child.pid, 0)\n"
            "print(status, usage.ru_minflt)"
        )
        faults = {}
        for is_off in "01":
            done = stoa_test.run(
                sys.executable, "-c", measure, is_off, stoa_test.STOA, "query", place,
                "-a", "sum(a + b + c)", "--threads", "1",
            )
            status, faults[is_off] = map(int, done.stdout.split())
            self.assertEqual(status, 0)
        self.assertLess(faults["0"] + 300, faults["1"])

    def test_sizes_of_memory_are_sizes(self):
        for size in ("", "M", "1T", "-1"):
            self.fails("query", self.place, "--memory", size, says="--memory", status=2)

    def test_the_path_may_be_left_out_only_if_there_is_one_table(self):
        self.assertEqual(self.stoa("query", self.file, "-f", "csv").stdout, CSV)
        self.stoa("import", self.dir / "a.csv", f"{self.file}:/u")
        self.fails("query", self.file, says=["/t", "/u"])

    def test_explain_shows_the_plan_instead_of_rows(self):
        done = self.stoa("query", self.place, "-w", "n = 3", "--explain")
        self.assertIn("n = 3", done.stdout)
        self.assertNotIn("2001-01-03", done.stdout)

    def test_texts_in_short_chunks_are_read_where_other_tests_leave_rows(self):
        generator = random.Random(1)
        texts = [f"{generator.getrandbits(400):0100x}" for _ in range(65536)]
        rows = "".join(f"{i},{text}\n" for i, text in enumerate(texts))
        place = f"{self.dir}/texts.h5:/t"
        self.stoa("import", self.write("texts.csv", "i,t\n" + rows), place, "--chunk", "t=8192")
        where = "i between 20000 and 20999 and t like '%fff%'"
        wanted = [line for line in rows.split("\n")[20000:21000] if "fff" in line.split(",")[1]]
        for threads in "1", "3":
            done = self.stoa("query", place, "-w", where, "-f", "csv", "--threads", threads)
            self.assertEqual(done.stdout.split(), ["i,t", *wanted])

        def read(where):
            return float(self.stoa("query", place, "-w", where, "--explain").stdout.split(" MB read")[0].split()[-1])

        self.assertLess(read(where), 0.5 * read("t like '%fff%'"))

    def test_keys_of_the_first_rows_are_read_once(self):
        generator = random.Random(2)
        rows = [(i, generator.random(), generator.choice(["ann", "bob", ""])) for i in range(65536)]
        place = f"{self.dir}/first.h5:/t"
        text = "i,x,name\n" + "".join(f"{i},{x!r},{name}\n" for i, x, name in rows)
        self.stoa("import", self.write("first.csv", text), place, "--chunk", "4096", "--codec", "none")
        best = sorted(rows, key=lambda row: -row[1])[:40]
        wanted = "".join(f"{x!r},{i},{name},{x!r}\n" for i, x, name in best)
        for threads in "1", "2":
            done = self.stoa("query", place, "-c", "x,i,name,x", "--sort", "x:desc", "--limit", 40, "-f", "csv", "--threads", threads)
            self.assertEqual(done.stdout.split("\n", 1)[1], wanted)
        done = self.stoa("query", place, "-c", "x", "--sort", "x:desc", "--limit", 40, "--explain")
        stored = 65536 * 8 / 1e6
        self.assertLess(float(done.stdout.split(" MB read")[0].split()[-1]), 1.2 * stored)

    def test_an_error_in_the_expression_is_one_line_and_no_answer(self):
        for where, says in [("m > 1", "m"), ("n = 'a'", "n"), ("(n > 1", ")"), ("n >", "n")]:
            self.assertEqual(self.fails("query", self.place, "-w", where, says=says).stdout, "")

    def test_a_column_called_select_is_no_sql(self):
        self.write("select.csv", "select,n\n1,2\n")
        place = f"{self.dir}/select.h5:/t"
        self.stoa("import", self.dir / "select.csv", place)
        said = self.stoa("query", place, "-w", "select between 1 and n", "-f", "csv").stdout
        self.assertEqual(said, "select,n\n1,2\n")
        for words in (("query", place, "-w", "select > 0 n"), ("delete", place, "-w", "select n"),
                      ("update", place, "--set", "n=select 1", "-w", "n = 2")):  # fmt: skip
            said = self.fails(*words, says="an operator or the end").stderr
            self.assertNotIn("SQL", said)
        self.fails("query", place, "-w", "SELECT n FROM t", says="WHERE in SQL")
        self.fails("update", place, "--set", "n=SELECT 1", "-w", "n = 2", says="WHERE in SQL")

    def test_common_slips_are_told_what_to_do(self):
        for words, says in [
            (("query", self.place, "-w", "SELECT * FROM t"), "WHERE in SQL"),
            (("query", self.place.replace(":/", ":")), "a path begins with '/': '" + self.place),
            (("index", "add", self.place, "M"), "there is no column 'M'; did you mean 'n'?"),
            (("column", "drop", self.place, "elsewhere"), "'elsewhere'; 'stoa info' lists them"),
        ]:
            self.assertEqual(self.fails(*words, says=says).stdout, "")


class Formats(QueryCase):
    def test_tsv_separates_by_tabs(self):
        self.assertEqual(self.query("-f", "tsv"), CSV.replace(",", "\t"))

    def test_jsonl_is_an_object_a_line(self):
        rows = [json.loads(line) for line in self.query("-f", "jsonl").splitlines()]
        self.assertEqual(rows[1], {"n": 2, "x": None, "name": "bob", "day": "2001-01-02"})
        self.assertEqual([row["n"] for row in rows], [1, 2, 3, 4])

    def test_json_is_one_array_also_when_empty(self):
        self.assertEqual(
            [row["name"] for row in json.loads(self.query("-f", "json"))],
            ["ann", "bob", "ann", None],
        )
        self.assertEqual(json.loads(self.query("-f", "json", "-n", "0")), [])

    def test_table_is_the_default_and_aligned(self):
        self.assertEqual(
            self.query(),
            "n     x  name  day\n"
            "─  ────  ────  ──────────\n"
            "1   0.5  ann   2001-01-01\n"
            "2     -  bob   2001-01-02\n"
            "3  2.25  ann   2001-01-03\n"
            "4  -1.0  -     2001-01-04\n",
        )

    def test_table_without_rows_still_has_its_head(self):
        self.assertEqual(self.query("-n", "0"), "n  x  name  day\n─  ─  ────  ───\n")

    def table(self, csv, *options):
        self.stoa("import", self.write("b.csv", csv), self.place, "--force", *options)
        return self.query().splitlines()[2:]

    def test_table_counts_wide_and_combining_characters_as_a_terminal_shows_them(self):
        # 日本 takes four columns, e with a combining accent one.
        self.assertEqual(
            self.table("s,n\n日本,1\ne\u0301,2\nabcd,3\n"), ["日本  1", "e\u0301     2", "abcd  3"]
        )

    def test_table_has_a_line_a_row_and_else_the_bytes_as_they_are(self):
        self.assertEqual(self.table('s\n"a\nb"\nc\x1b[31md\n'), ["a\\nb", "c\x1b[31md"])

    def test_table_tells_missing_from_an_empty_text_and_from_a_hyphen(self):
        self.assertEqual(
            self.table('s,n\n,1\n"",2\n-,3\n" a",4\n'), ["-     1", '""    2', '"-"   3', '" a"  4']
        )

    def test_table_in_a_pipe_has_all_digits(self):
        self.assertEqual(self.table("x\n0.123456789\n12.5\n"), ["0.123456789", "       12.5"])
        self.assertEqual(self.table("x\n1.5e-7\n3e300\n"), ["1.5e-07", " 3e+300"])

    def test_a_long_table_is_shown_whole(self):
        self.stoa(
            "import",
            self.write("b.csv", "i\n" + "".join(f"{i}\n" for i in range(5000))),
            self.place,
            "--force",
        )
        lines = self.query().splitlines()[2:]
        self.assertEqual([int(line) for line in lines], list(range(5000)))


class Output(QueryCase):
    def test_o_writes_the_file_and_nothing_else(self):
        out = self.dir / "out.csv"
        done = self.stoa("query", self.place, "-o", out)
        self.assertEqual(done.stdout, "")
        self.assertEqual(out.read_text(), CSV)
        self.assertEqual(sorted(os.listdir(self.dir)), ["a.csv", "a.h5", "out.csv"])

    def test_the_suffix_chooses_the_format_unless_f_does(self):
        for suffix, format in [
            ("csv", "csv"),
            ("tsv", "tsv"),
            ("json", "json"),
            ("jsonl", "jsonl"),
            ("txt", "table"),
        ]:
            out = self.dir / f"out.{suffix}"
            self.stoa("query", self.place, "-o", out)
            self.assertEqual(out.read_text(), self.query("-f", format), suffix)
        self.stoa("query", self.place, "-o", self.dir / "out.csv", "-f", "jsonl")
        self.assertEqual((self.dir / "out.csv").read_text(), self.query("-f", "jsonl"))

    def test_a_failed_query_leaves_the_old_output_alone(self):
        out = self.write("out.csv", "precious")
        self.fails("query", self.place, "-o", out, "-w", "nonsense >", says="where, column 11")
        self.assertEqual(out.read_text(), "precious")
        self.assertEqual(sorted(os.listdir(self.dir)), ["a.csv", "a.h5", "out.csv"])

    def test_a_link_stays_a_link_and_rights_stay(self):
        out = self.write("real.csv", "old")
        out.chmod(0o640)
        (self.dir / "link.csv").symlink_to("real.csv")
        self.stoa("query", self.place, "-o", self.dir / "link.csv")
        self.assertTrue((self.dir / "link.csv").is_symlink())
        self.assertEqual(out.read_text(), CSV)
        self.assertEqual(out.stat().st_mode & 0o777, 0o640)

    def test_a_new_file_has_the_usual_rights(self):
        old = os.umask(0o027)
        try:
            self.stoa("query", self.place, "-o", self.dir / "out.csv")
        finally:
            os.umask(old)
        self.assertEqual((self.dir / "out.csv").stat().st_mode & 0o777, 0o640)

    def test_a_hyphen_is_stdout(self):
        self.assertEqual(self.query("-o", "-", "-f", "csv"), CSV)

    def test_a_device_is_written_in_place(self):
        self.stoa("query", self.place, "-o", "/dev/null", "-f", "csv")
        self.assertFalse(Path("/dev/null").is_file())

    def test_an_output_that_cannot_be_made_is_one_line(self):
        self.fails("query", self.place, "-o", self.dir, says="directory")
        self.fails("query", self.place, "-o", self.dir / "no/such/out.csv", says="no/such/out.csv")

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_a_full_disk_is_noticed(self):
        for format in ("table", "csv", "json"):
            with open("/dev/full", "w") as full:
                done = subprocess.run(
                    [stoa_test.STOA, "query", self.place, "-f", format],
                    stdout=full,
                    stderr=subprocess.PIPE,
                    text=True,
                    check=False,
                )
            self.assertEqual(done.returncode, 3)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn("No space left", done.stderr)
        self.fails("query", self.place, "-o", "/dev/full", "-f", "csv", says="No space left")

    def test_a_reader_that_leaves_early_ends_the_query_quietly(self):
        self.stoa(
            "import",
            self.write("b.csv", "i\n" + "".join(f"{i}\n" for i in range(200000))),
            self.place,
            "--force",
        )
        query = subprocess.Popen(
            [stoa_test.STOA, "query", self.place, "-f", "csv"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.assertEqual(query.stdout.readline(), b"i\n")
        query.stdout.close()
        self.assertEqual(query.stderr.read(), b"")
        query.stderr.close()
        self.assertEqual(query.wait(), -signal.SIGPIPE)


class Trust(QueryCase):
    def setUp(self):
        super().setUp()
        self.env = {"XDG_STATE_HOME": str(self.dir / "state")}
        rows = "".join(f"{i}\n" for i in range(1000))
        self.stoa(
            "import",
            self.write("b.csv", "i\n" + rows),
            self.place,
            "--force",
            "--chunk",
            "100",
            "--index",
            "i",
            env=self.env,
        )

    def skipped(self, *options, env):
        """Whether an --explain tells of skipped chunks, and what went to stderr."""
        done = self.stoa("query", self.place, "-w", "i = 550", "--explain", *options, env=env)
        return "1 of 10 chunks" in done.stdout, done.stderr

    def test_who_built_an_index_uses_it(self):
        self.assertEqual(self.skipped(env=self.env), (True, ""))

    def test_a_stranger_does_not_and_is_told_how_to_verify(self):
        stranger = {"XDG_STATE_HOME": str(self.dir / "stranger")}
        used, hint = self.skipped(env=stranger)
        self.assertFalse(used)
        self.assertEqual(len(hint.splitlines()), 1, hint)
        self.assertIn(str(self.place), hint)
        self.assertIn("stoa index verify", hint)
        self.stoa("index", "verify", self.place, env=stranger)
        self.assertEqual(self.skipped(env=stranger), (True, ""))

    def test_trust_uses_them_unseen_and_no_index_never(self):
        stranger = {"XDG_STATE_HOME": str(self.dir / "stranger")}
        self.assertEqual(self.skipped("--trust", env=stranger), (True, ""))
        self.assertEqual(self.skipped("--no-index", env=self.env), (False, ""))
        self.assertEqual(self.skipped("--no-index", env=stranger), (False, ""))

    def test_a_file_that_changed_is_not_trusted(self):
        os.utime(self.file, (1, 1))
        self.assertFalse(self.skipped(env=self.env)[0])

    def test_the_answer_is_the_same_either_way(self):
        for options in (["--trust"], ["--no-index"]):
            self.assertEqual(
                self.csv("-w", "i between 95 and 203", "-a", "count()", *options).splitlines()[1],
                "109",
            )

    def test_another_table_in_the_file_does_not_cost_the_trust(self):
        self.stoa("import", self.dir / "a.csv", f"{self.file}:/other", env=self.env)
        self.assertEqual(self.skipped(env=self.env), (True, ""))


if __name__ == "__main__":
    stoa_test.main()
