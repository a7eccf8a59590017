"""Several files as one table, 'run-*.h5:/t', and rows that another table lists (docs/query.md)."""

import os
import random
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

SEED = int(os.environ.get("STOA_SEED", "1"))
TYPES = ["--type", "n=int64", "--type", "x=float64"]


def csv(rows):
    return "n,x,name,c\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


class Files(stoa_test.TestCase):
    def make(self, name, text, *options):
        source = self.write(f"{name}.csv", text)
        self.stoa("import", source, f"{self.dir / name}.h5:/t", *options)

    def make_runs(self, rng, n_files):
        """n files of random rows, a file of all of them, and the pattern of the n."""
        rows = [(i, "" if rng.random() < 0.1 else round(rng.uniform(-9, 9), 3),
                 rng.choice(["", "ann", "bob", "a longer name"]), rng.choice("pqr"))
                for i in range(rng.randrange(1, 3000))]  # fmt: skip
        cuts = sorted(rng.randrange(len(rows) + 1) for _ in range(n_files - 1))
        ends = [0, *cuts, len(rows)]
        options = [*TYPES, "--type", "name=string", "--type", "c=category"]
        for k in range(n_files):
            self.make(f"run-{k:02}", csv(rows[ends[k] : ends[k + 1]]), *options)
        self.make("all", csv(rows), *options)
        return f"{self.dir}/run-*.h5:/t"

    def test_questions_have_the_answers_of_one_table_with_all_rows(self):
        rng = random.Random(SEED)
        questions = [
            [],
            ["-w", "x > 1.5 and name != 'bob'", "-c", "n,c,x * 2 as y"],
            ["-w", "c = 'q' or name is null", "--sort", "x:desc,n", "-n", "17"],
            ["-a", "count(), count(x), sum(n), min(x), max(name), median(x), distinct(c)"],
            ["-a", "count(), first(n), last(name)", "--by", "c,name", "--sort", "c,name"],
            ["--rows", "-w", "n % 5 = 2", "-n", "40"],
            ["-w", "n between 200 and 900", "--sort", "name", "--threads", "2"],
        ]
        for n_files in (2, 3, 12):
            place = self.make_runs(rng, n_files)
            for question in questions:
                said = self.stoa("query", place, "-f", "csv", *question).stdout
                wanted = self.stoa("query", f"{self.dir}/all.h5:/t", "-f", "csv", *question).stdout
                self.assertEqual(said, wanted, (n_files, question))
            for path in self.dir.glob("*.h5"):
                path.unlink()

    def test_export_info_convert_and_import_take_patterns_too(self):
        place = self.make_runs(random.Random(SEED), 3)
        whole = self.stoa("export", f"{self.dir}/all.h5:/t", "-", "-f", "csv").stdout
        self.assertEqual(self.stoa("export", place, "-", "-f", "csv").stdout, whole)
        n = whole.count("\n") - 1
        self.assertRegex(self.stoa("info", f"{self.dir}/run-*.h5").stdout, f"rows +{n}\n")
        self.stoa("convert", place, f"{self.dir}/one.h5:/t", "--to", "hep001")
        self.stoa("import", place, f"{self.dir}/two.h5:/t")
        for name in ("one", "two"):
            said = self.stoa("query", f"{self.dir}/{name}.h5:/t", "-f", "csv").stdout
            self.assertEqual(said, whole)

    def test_patterns_that_the_shell_expanded_mean_the_same(self):
        place = self.make_runs(random.Random(SEED), 3)
        runs = sorted(str(path) for path in self.dir.glob("run-*.h5"))
        whole = self.stoa("query", place, "-f", "csv").stdout
        self.assertEqual(self.stoa("query", *runs, "-f", "csv").stdout, whole)
        self.assertEqual(self.stoa("query", "-f", "csv", *(f"{r}:/t" for r in runs)).stdout, whole)
        self.assertEqual(self.stoa("query", f"{runs[0]}:/t", *runs[1:], "-f", "csv").stdout, whole)
        one = self.stoa("query", runs[1], "-f", "csv").stdout.splitlines()[1:]
        two = self.stoa("query", runs[1], runs[1], "-f", "csv").stdout.splitlines()[1:]
        self.assertEqual(two, one + one)
        self.fails("query", f"{runs[0]}:/t", f"{runs[1]}:/u", says=["run-01.h5:/u", "another path"])
        self.fails("query", *runs, "-o", f"{runs[2]}:/u", says=["run-02.h5", "is being read"])
        for command in ("ls", "info", "check"):
            said = self.stoa(command, *runs)
            for run in runs:
                self.assertIn(run, said.stdout + said.stderr, command)
            if command != "info":  # which shows one table of them
                quoted = self.stoa(command, f"{self.dir}/run-*.h5")
                self.assertEqual((quoted.stdout, quoted.stderr), (said.stdout, said.stderr))
            done = self.stoa(command, runs[0], f"{self.dir}/none.h5", runs[2], status=3)
            self.assertIn("none.h5", done.stderr)
            self.assertIn("run-02", done.stdout + done.stderr)

    def test_a_file_that_is_called_like_a_pattern_is_itself(self):
        self.make("run-[1]", "n,x\n1,2\n")
        self.make("run-1", "n,x\n3,4\n")
        said = self.stoa("query", f"{self.dir}/run-[1].h5:/t", "-f", "csv").stdout
        self.assertEqual(said, "n,x\n1,2\n")

    def test_the_file_that_differs_is_named(self):
        place = f"{self.dir}/run-?.h5:/t"
        self.make("run-1", "n,x\n1,2\n", *TYPES)
        self.make("run-2", "n,x\n1,2\n", *TYPES)
        for text, options, says in (
            ("n\n1\n", ["--type", "n=int64"], "has no column 'x'"),
            ("n,x,y\n1,2,3\n", TYPES, "has a column 'y'"),
            ("n,x\n1,a\n", ["--type", "n=int64", "--type", "x=string"], "'x' is of another type"),
        ):
            self.make("run-3", text, *options)
            self.fails("query", place, says=["run-3.h5:/t", says], status=None)
            (self.dir / "run-3.h5").unlink()
        (self.dir / "run-3.h5").write_text("no HDF5")
        self.fails("query", place, says="run-3.h5", status=None)

    def test_a_pattern_that_means_no_file_says_so(self):
        self.fails("query", f"{self.dir}/none-*.h5:/t", says="no file has a name", status=None)

    def answer(self, place, *options):
        return self.stoa("query", place, "-f", "csv", *options).stdout.splitlines()[1:]

    def type_of(self, place, column, *options):
        said = self.stoa("info", place, *options).stdout.splitlines()
        return next(line.split()[1] for line in said if line.split()[:1] == [column])

    def test_numbers_are_widened_to_the_narrowest_type_that_holds_all(self):
        place = f"{self.dir}/run-?.h5:/t"
        for types, wanted in (
            (["int8", "int16", "int8"], "int16"),
            (["uint8", "int8", "uint16"], "int32"),
            (["uint32", "int8", "uint8"], "int64"),
            (["float32", "int16", "int8"], "float32"),
            (["int32", "float32", "int8"], "float64"),
            (["int8", "int64", "float64"], "float64"),
        ):
            for k, one in enumerate(types):
                self.make(f"run-{k}", f"n\n{k + 1}\n\n{100 + k}\n", "--type", f"n={one}", "--force")
            self.assertEqual(self.type_of(place, "n"), wanted, types)
            dot = ".0" if "float" in wanted else ""
            rows = [text + dot if text else "" for k in "012" for text in (str(int(k) + 1), "", f"10{k}")]
            self.assertEqual(self.answer(place), [row or "" for row in rows], types)
            self.assertEqual(self.answer(place, "-a", "sum(n)"), ["309" + dot], types)
            self.assertEqual(self.answer(place, "-w", "n > 100 and n <= 101"), ["101" + dot])
            self.fails("query", place, "--strict", says=["run-1.h5:/t", "'n'"], status=None)

    def test_numbers_that_no_type_holds_exactly_are_refused(self):
        place = f"{self.dir}/run-?.h5:/t"
        self.make("run-0", "n\n1\n", "--type", "n=int64")
        self.make("run-1", "n\n18446744073709551615\n", "--type", "n=uint64")
        self.fails("query", place, says=["run-1.h5:/t", "'n'", "exactly"], status=None)
        self.make("run-1", "n\n0.5\n", "--type", "n=float64", "--force")
        self.assertEqual(self.answer(place), ["1.0", "0.5"])
        self.make("run-0", "n\n9007199254740993\n", "--type", "n=int64", "--force")
        self.fails("query", place, says=["run-0.h5:/t", "n"], status=None)
        self.make("run-0", "n\n9007199254740994\n", "--type", "n=int64", "--force")
        self.assertEqual(self.answer(place), ["9007199254740994.0", "0.5"])

    def test_a_column_without_values_takes_any_type(self):
        place = f"{self.dir}/run-?.h5:/t"
        full = {"float64": "1.5", "string": "x", "bool": "true", "date": "2024-05-01", "int8": "7"}
        others = ["string", "category", "float64", "float64", "date"]
        for at, ((one, text), other) in enumerate(zip(full.items(), others, strict=True)):
            at %= 3
            for k in range(3):
                value, kind = (text, one) if k == at else ("", other)
                self.make(f"run-{k}", f"i,v\n1,{value}\n2,\n", "--type", f"v={kind}", "--force")
            rows = ["1,", "2,"] * 3
            rows[2 * at] = "1," + text
            self.assertEqual(self.answer(place), rows, (one, other, at))
            self.assertEqual(self.answer(place, "-w", "v is not null", "-c", "v"), [text])

    def test_categories_have_the_labels_of_all_files(self):
        place = f"{self.dir}/run-?.h5:/t"
        for k, labels in enumerate(("bca", "ab", "zb")):
            text = "c\n" + "".join(f"{label}\n" for label in labels) + "\n"
            self.make(f"run-{k}", text, "--category", "c")
        self.assertEqual(self.type_of(place, "c"), "category")
        self.assertEqual(self.answer(place), ["b", "c", "a", "", "a", "b", "", "z", "b", ""])
        self.assertEqual(self.answer(place, "-a", "count()", "--by", "c", "--sort", "c"),
                         ["a,2", "b,3", "c,1", "z,1", ",3"])  # fmt: skip
        self.assertEqual(self.answer(place, "-w", "c in ('z', 'c')"), ["c", "z"])
        self.make("run-1", "c\nq\n", "--type", "c=string", "--force")
        self.assertEqual(self.type_of(place, "c"), "string")
        self.assertEqual(self.answer(place, "-w", "c > 'b'"), ["c", "q", "z"])

    def test_by_name_a_column_that_a_file_lacks_is_missing_there(self):
        place = f"{self.dir}/run-?.h5:/t"
        self.make("run-0", "n,x\n1,2.5\n")
        self.make("run-1", "name,n\nann,2\n")
        self.make("run-2", "x,c\n3.5,q\n", "--category", "c")
        self.assertEqual(self.stoa("query", place, "--by-name", "-f", "csv").stdout,
                         "n,x,name,c\n1,2.5,,\n2,,ann,\n,3.5,,q\n")  # fmt: skip
        self.assertEqual(self.answer(place, "--by-name", "-w", "x is null", "-c", "name"), ["ann"])
        self.assertEqual(self.answer(place, "--by-name", "-w", "n > 0 or c = 'q'", "-a", "count()"), ["3"])
        self.stoa("convert", place, f"{self.dir}/one.h5:/t", "--to", "hep001", "--by-name")
        self.assertEqual(self.answer(f"{self.dir}/one.h5"), ["1,2.5,,", "2,,ann,", ",3.5,,q"])
        self.fails("query", place, says=["run-1.h5:/t", "'name'", "--by-name"], status=None)

    def test_other_units_are_refused(self):
        place = f"{self.dir}/run-?.h5:/t"
        self.make("run-0", "x\n1\n", "--units", "x=keV")
        self.make("run-1", "x\n1\n")
        self.assertEqual(self.answer(place), ["1", "1"])
        self.make("run-1", "x\n1\n", "--units", "x=MeV", "--force")
        self.fails("query", place, says=["run-1.h5:/t", "in MeV", "in keV"], status=None)

    def test_rows_say_where_they_come_from(self):
        for k in range(3):
            for m in (1, 2, 10):
                self.stoa("import", self.write("a.csv", f"n\n{100 * k + m}\n"), f"{self.dir}/run-{k}.h5:/ch{m}/hit")
            self.stoa("import", self.write("a.csv", "n,other\n1,2\n"), f"{self.dir}/run-{k}.h5:/chx/dsp")
        runs = [f"{self.dir}/run-{k}.h5" for k in range(3)]
        rows = self.answer(f"{self.dir}/run-?.h5:/ch*/hit", "-c", "n,object,file")
        wanted = [f"{100 * k + m},/ch{m}/hit,{runs[k]}" for k in range(3) for m in (1, 10, 2)]
        self.assertEqual(rows, wanted)
        self.assertEqual(self.answer(f"{runs[1]}:/ch?/*", "-a", "sum(n)", "-w", "object != '/chx/dsp'",
                                     "--by-name"), ["203"])  # fmt: skip
        self.assertEqual(self.answer(f"{runs[2]}:/ch1*/hit"), ["201", "210"])
        by_file = self.answer(f"{self.dir}/run-?.h5:/ch*/hit", "-a", "count(),sum(n)", "--by", "file", "--sort", "file")
        self.assertEqual(by_file, [f"{run},3,{300 * k + 13}" for k, run in enumerate(runs)])
        self.assertEqual(self.answer(f"{runs[0]}:/ch2/hit", "-c", "n,object,file"), [f"2,/ch2/hit,{runs[0]}"])
        self.assertEqual(self.answer(f"{runs[0]}:/ch2/hit"), ["2"])
        said = self.stoa("info", f"{self.dir}/run-?.h5:/ch*/hit").stdout
        self.assertRegex(said, "rows +9\nfiles +3\nobjects +9\n")
        said = self.stoa("ls", *runs)
        self.assertIn("3 files, 12 tables, 12 rows", said.stderr)
        self.assertIn("1 file, 3 tables, 3 rows", self.stoa("ls", f"{runs[0]}:/ch[12]*").stderr)
        self.assertIn("2 files, 2 tables, 2 rows",
                      self.stoa("info", f"{runs[0]}:/ch2/hit", f"{runs[1]}:/ch2/hit").stderr)  # fmt: skip
        for pattern, says in (("/no*/hit", "matches no table"), ("/ch*/no", "matches no table"),
                              ("/*" * 70, "64 groups")):  # fmt: skip
            self.fails("query", f"{runs[0]}:{pattern}", says=says, status=None)

    def test_a_column_of_that_name_is_itself(self):
        self.make("run-0", "file,n\nown,1\n")
        self.assertEqual(self.answer(f"{self.dir}/run-0.h5", "-c", "file,object"), ["own,/t"])
        self.assertEqual(self.answer(f"{self.dir}/run-0.h5"), ["own,1"])

    def test_the_indexes_of_each_file_leave_out_rows(self):
        rng = random.Random(SEED)
        place = f"{self.dir}/run-*.h5:/t"
        for k in range(6):
            text = "n,x\n" + "".join(f"{100 * k + i},{rng.randrange(9)}\n" for i in range(100))
            self.make(f"run-{k}", text, "--index", "n:minmax,x:bitmap", "--type", "n=int32",
                      "--type", "x=int8" if k % 2 else "x=int16")  # fmt: skip
        said = self.stoa("query", place, "-w", "n >= 430 and x < 20", "-a", "count()", "--explain").stdout
        self.assertIn("2 of 6 tables have rows left", said)
        self.assertIn("200 of 600 rows", said)
        self.assertIn("looked at 200 rows", said)
        for where in ("n >= 430", "n < 120 and x = 3", "n = 777", "n in (5, 505) or n = 300",
                      "x = 4 and file like '%-3.h5'", "not (n < 560)", "x = 200"):  # fmt: skip
            wanted = self.answer(place, "-w", where, "--no-index")
            for options in ([], ["--trust"]):
                self.assertEqual(self.answer(place, "-w", where, *options), wanted, where)
        os.utime(self.dir / "run-4.h5", (0, 0))
        said = self.stoa("query", place, "-w", "n = 1", "-a", "count()", "--explain")
        self.assertIn("1 of 6 tables", said.stderr)
        self.assertIn("200 of 600 rows", said.stdout)
        said = self.stoa("query", place, "-w", "n = 1", "-a", "count()", "--explain", "--trust").stdout
        self.assertIn("100 of 600 rows", said)

    def test_more_files_than_may_be_open(self):
        self.make("one", "n,x,c\n1,2,a\n3,4,b\n", "--category", "c")
        data = (self.dir / "one.h5").read_bytes()
        for k in range(300):
            (self.dir / f"run-{k:03}.h5").write_bytes(data)
        done = subprocess.run(
            ["sh", "-c", 'ulimit -n 200; exec "$@"', "sh", stoa_test.STOA, "query",
             f"{self.dir}/run-*.h5:/t", "-a", "count(),sum(n),sum(x)", "--by", "c", "-f", "csv"],
            capture_output=True, text=True, check=False)  # fmt: skip
        self.assertEqual((done.stdout, done.stderr), ("c,count(),sum(n),sum(x)\na,300,300,600\nb,300,900,1200\n", ""))

    def test_rows_of_a_list_come_in_its_order(self):
        rng = random.Random(SEED)
        place = self.make_runs(rng, 3)
        whole = self.stoa("export", place, "-", "-f", "csv").stdout.splitlines(keepends=True)
        header, rows = whole[0], whole[1:]
        for n in (0, 1, 500):
            numbers = [rng.randrange(len(rows)) for _ in range(n)]
            path = self.dir / "list.h5"
            path.unlink(missing_ok=True)
            text = "i\n" + "".join(f"{i}\n" for i in numbers)
            self.make("list", text, "--type", "i=uint32")
            for table in (place, f"{self.dir}/all.h5:/t"):
                said = self.stoa("query", table, "--rows-of", f"{path}:/t:i", "-f", "csv").stdout
                self.assertEqual(said, header + "".join(rows[i] for i in numbers))
                said = self.stoa("query", table, "--rows-of", f"{path}:i", "-f", "csv",
                                 "-a", "count(), sum(n)", "-w", "n % 3 = 0").stdout  # fmt: skip
                found = [i for i in numbers if i % 3 == 0]
                total = str(sum(found)) if found else ""
                self.assertEqual(said.splitlines()[1], f"{len(found)},{total}")

    def test_a_list_that_names_no_row_is_refused(self):
        self.make("a", "n\n1\n2\n")
        for text, column, says in (
            ("i\n1\n2\n", "i", ["its row 1 says 2", "has 2 rows"]),
            ("i\n-1\n", "i", "says -1"),
            ("i\n0.5\n", "i", "float64"),
            ("i,k\n0,1\n,1\n", "i", "its row 1 is missing"),
            ("i\n0\n", "k", "no column 'k'"),
        ):
            self.make("list", text)
            listed = f"{self.dir}/list.h5:/t:{column}"
            self.fails("query", f"{self.dir}/a.h5", "--rows-of", listed, says=says, status=None)
            (self.dir / "list.h5").unlink()
        self.fails("query", f"{self.dir}/a.h5", "--rows-of", f"{self.dir}/a.h5:/t",
                   says="names no column", status=None)  # fmt: skip


if __name__ == "__main__":
    unittest.main()
