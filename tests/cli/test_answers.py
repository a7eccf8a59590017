"""query -o FILE:/PATH: whole or not at all, and which options go with it (src/cli/output/store.h)."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

CSV = "n,x,c\n" + "".join(f"{i},{i / 4},{'ab'[i % 2]}\n" for i in range(200))


class Answers(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.place = f"{self.dir}/a.h5:/t"
        self.stoa("import", self.write("a.csv", CSV), self.place, "--category", "c")
        self.out = f"{self.dir}/b.h5:/u"

    def csv(self, place, *options):
        return self.stoa("query", place, "-f", "csv", *options).stdout

    def test_a_table_that_is_there_stays_unless_force_is_given(self):
        self.stoa("query", self.place, "-w", "n < 3", "-o", self.out)
        before = (self.dir / "b.h5").read_bytes()
        for command in (["query", self.place, "-o"], ["export", self.place]):
            self.fails(*command, self.out, says=[self.out, "is there already"])
        self.assertEqual((self.dir / "b.h5").read_bytes(), before)
        said = self.stoa("query", self.place, "-w", "n > 197", "-o", self.out, "--force").stderr
        self.assertIn("the old table is gone", said)
        self.assertEqual(self.csv(self.out), "n,x,c\n198,49.5,a\n199,49.75,b\n")

    def test_a_failed_query_leaves_the_old_file_and_makes_no_new_one(self):
        self.stoa("query", self.place, "-w", "n < 3", "-o", self.out)
        before = (self.dir / "b.h5").read_bytes()
        left = sorted(os.listdir(self.dir))
        for words, says in (
            (["-o", f"{self.dir}/b.h5:/v", "--index", "none"], "there is no column 'none'"),
            (["-o", f"{self.dir}/b.h5:/u/n", "--force"], "b.h5:/u/n"),
            (["-o", f"{self.dir}/new.h5:/v", "--row-index", "none"], "there is no column 'none'"),
            (["-o", f"{self.dir}/new.lh5:/v", "-c", "n, null as y", "--missing", "drop=1"], None),
            (["-o", f"{self.dir}/no/new.h5:/v"], "no/new.h5"),
        ):
            self.fails("query", self.place, *words, says=says or "", status=3)
            self.assertEqual(sorted(os.listdir(self.dir)), left, words)
        self.assertEqual((self.dir / "b.h5").read_bytes(), before)

    def test_an_interrupted_query_leaves_nothing(self):
        big = self.write("big.csv", "n\n" + "".join(f"{i * 7919 % 1000003}\n" for i in range(400000)))
        self.stoa("import", big, f"{self.dir}/big.h5:/t")
        self.stoa("query", self.place, "-w", "n < 3", "-o", self.out)
        before = (self.dir / "b.h5").read_bytes()
        left = sorted(os.listdir(self.dir))
        ends = set()
        for wait in (0.01, 0.03, 0.06, 0.1):
            for target in (self.out, f"{self.dir}/new.h5:/v"):
                process = subprocess.Popen(
                    [stoa_test.STOA, "query", f"{self.dir}/big.h5:/t", "--sort", "n", "-o", target, "--force"],
                    stderr=subprocess.DEVNULL)  # fmt: skip
                time.sleep(wait)
                process.send_signal(signal.SIGINT)
                ends.add(process.wait())
                if process.returncode == 0:
                    return  # this machine is faster than the waits
                self.assertIn(process.returncode, (130, -signal.SIGINT))
                self.assertEqual(sorted(os.listdir(self.dir)), left)
                self.assertEqual(self.csv(self.out), "n,x,c\n0,0.0,a\n1,0.25,b\n2,0.5,a\n")
        self.assertEqual((self.dir / "b.h5").read_bytes(), before)

    def test_options_of_tables_are_for_tables(self):
        for words in (["--to", "lh5"], ["--index", "n"], ["--row-index", "n"], ["--title", "T"], ["--force"],
                      ["--safe"], ["--missing", "nan"], ["--codec", "zstd"]):  # fmt: skip
            self.fails("query", self.place, *words, status=2, says=[words[0], "out.h5:/t"])
            self.fails("query", self.place, *words, "-o", self.dir / "x.csv", status=2, says=words[0])
            self.fails("export", self.place, self.dir / "x.csv", *words, status=2, says=words[0])
        for words, says in (
            (["--to", "none"], "no such layout"),
            (["--to", "arkouda"], "files of their own"),
            (["--to", "lh5", "--index", "n"], "no search indexes"),
            (["--index", "n:btree"], "no kind 'btree'"),
        ):
            self.fails("query", self.place, *words, "-o", self.out, status=2, says=says)
        self.assertEqual(sorted(os.listdir(self.dir)), ["a.csv", "a.h5"])

    def test_any_layout_may_be_named_and_the_suffix_names_one(self):
        for words, layout in (([f"{self.dir}/o.h5:/t"], "hep001"), ([f"{self.dir}/o.lh5:/t"], "lh5"),
                              ([f"{self.dir}/o.any:/t", "--to", "pytables"], "pytables"),
                              ([f"{self.dir}/o.lh5:/h", "--to", "hep001"], "hep001")):  # fmt: skip
            self.stoa("query", self.place, "-w", "n < 9", "-o", *words)
            line = next(line for line in self.stoa("ls", words[0].rpartition(":")[0]).stdout.splitlines()
                        if line.split()[:1] == [words[0].rpartition(":")[2]])  # fmt: skip
            self.assertEqual(line.split()[1], layout)
            columns = ["-c", "n,x,c"]
            self.assertEqual(self.csv(words[0], *columns), self.csv(self.place, "-w", "n < 9", *columns))

    def test_new_indexes_are_trusted_and_used(self):
        self.stoa("query", self.place, "-o", self.out, "--index", "n:sorted,c:bitmap", "--codec", "zstd")
        said = self.stoa("query", self.out, "-w", "n = 7", "--explain")
        self.assertIn("sorted", said.stdout.lower())
        self.assertEqual(said.stderr, "")
        self.assertIn("zstd", self.stoa("info", self.out).stdout)

    def test_groups_keep_categories_in_their_order(self):
        self.stoa("query", self.place, "-w", "c = 'b'", "--by", "c", "-a", "count() as n", "-o", self.out)
        self.assertEqual(self.csv(self.out), "c,n\nb,100\n")
        self.assertIn("a, b", self.stoa("info", self.out).stdout)
        self.stoa("query", self.place, "-a", "sum(n) as s", "-o", f"{self.out}2")
        self.assertEqual(self.csv(f"{self.out}2"), "s\n19900\n")
        self.stoa("query", self.place, "-w", "n > 197", "--rows", "-o", f"{self.out}3")
        self.assertEqual(self.csv(f"{self.out}3"), "row\n198\n199\n")


if __name__ == "__main__":
    stoa_test.main()
