"""Several files as one table, 'run-*.h5:/t', and rows that another table lists (docs/query.md)."""

import os
import random
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
