"""Validity tokens (HEP001-2026-07 §12.2) on the command line, with the files of another implementation."""

import json
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

SAMPLES = stoa_test.SOURCE / "tests" / "support" / "h5col"
WHERES = ("t >= 40 and t < 70", "t = 300", "e > 15", "e is null", "e = 15.25", "tag = 'lo'",
          "tag is null", "tag = 'hi' and e < 3")  # fmt: skip
USED = {"t": "t = 300", "e": "e = 15.25", "tag": "tag = 'lo'"}  # a predicate that asks the index


class Tokens(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.env = {"XDG_STATE_HOME": str(self.dir / "state")}

    def sample(self, name):
        return f"{shutil.copy(SAMPLES / name, self.dir)}:/t"

    def rows(self, place, *words):
        said = self.stoa("query", place, "-f", "jsonl", *words, env=self.env).stdout
        as_bool = {"TRUE": True, "FALSE": False}
        return [{k: as_bool.get(v, v) for k, v in json.loads(line).items()}
                for line in said.splitlines()]  # fmt: skip

    def states(self, place):
        """The states of the indexes, as `index list` shows them."""
        lines = self.stoa("index", "list", place, env=self.env).stdout.splitlines()[2:]
        return [line.split("  ")[-1].strip() for line in lines]

    def explained(self, place, where):
        return self.stoa("query", place, "-w", where, "--trust", "--explain", env=self.env).stdout

    def test_both_files_hold_what_their_writer_reads(self):
        for name in ("indexes_valid", "indexes_stale"):
            text = (SAMPLES / f"{name}.jsonl").read_text("utf-8")
            expected = [json.loads(line) for line in text.splitlines()]
            self.assertEqual(self.rows(self.sample(f"{name}.h5")), expected)

    def test_valid_indexes_are_used_and_answer_as_a_scan_does(self):
        place = self.sample("indexes_valid.h5")
        self.assertEqual(self.states(place), ["not verified"] * 4)
        self.stoa("index", "verify", place, env=self.env)
        self.assertEqual(self.states(place), ["trusted"] * 4)
        for where in WHERES:
            scanned = self.rows(place, "-w", where, "--no-index")
            self.assertEqual(self.rows(place, "-w", where), scanned, where)
        for column, where in USED.items():
            self.assertRegex(self.explained(place, where), rf"(?m)^index  {column}  ")

    def test_stale_indexes_are_ignored_even_if_told_to_trust(self):
        place = self.sample("indexes_stale.h5")
        self.assertEqual(len(self.states(place)), 4)
        for state in self.states(place):
            self.assertIn("out of date: it describes 20 rows at GENERATION 0; the table has 33 at 1",
                          state)  # fmt: skip
        self.assertIn("out of date", self.stoa("info", place).stdout)
        for where in WHERES:
            scanned = self.rows(place, "-w", where, "--no-index")
            self.assertEqual(self.rows(place, "-w", where, "--trust"), scanned, where)
        for column, where in USED.items():
            said = self.explained(place, where)
            self.assertNotRegex(said, r"(?m)^index  ")
            self.assertRegex(said, rf"(?m)^note  the \w+ index of {column} is left out: out of date")

    def test_a_query_says_nothing_of_stale_indexes(self):
        place = self.sample("indexes_stale.h5")
        for words in ([], ["--trust"]):
            self.assertEqual(self.stoa("query", place, "-w", "t = 10", *words).stderr, "")

    def test_verify_reports_stale_indexes_and_repair_renews_them(self):
        place = self.sample("indexes_stale.h5")
        done = self.stoa("index", "verify", place, env=self.env, status=1)
        self.assertEqual(done.stdout.count("is ignored: out of date"), 4)
        self.assertEqual(done.stdout.count("--repair"), 4)
        self.assertNotIn("describes its column", done.stdout)
        done = self.stoa("index", "verify", place, "--repair", env=self.env)
        self.assertEqual(done.stdout.count("was built again; it was wrong"), 4)
        self.assertEqual(self.states(place), ["trusted"] * 4)
        for where in WHERES:
            scanned = self.rows(place, "-w", where, "--no-index")
            self.assertEqual(self.rows(place, "-w", where), scanned, where)
        done = self.stoa("index", "verify", place, "--repair", env=self.env)
        self.assertEqual(done.stdout.count("describes its column\n"), 4)

    def test_edits_keep_the_indexes_of_another_writer(self):
        for name in ("indexes_valid.h5", "indexes_stale.h5"):
            place = self.sample(name)
            self.stoa("update", place, "-w", "t = 10", "--set", "e = 3")
            self.stoa("truncate", place, "19")
            self.stoa("delete", place, "-w", "tag = 'lo'")
            self.stoa("index", "verify", place, env=self.env)
            self.assertEqual(self.states(place), ["trusted"] * 4)
            for where in WHERES:
                scanned = self.rows(place, "-w", where, "--no-index")
                self.assertEqual(self.rows(place, "-w", where), scanned, where)

    def test_repair_is_for_the_whole_table(self):
        place = self.sample("indexes_valid.h5")
        self.fails("index", "verify", place, "t", "--repair", status=2, says="name no column")
        self.fails("index", "verify", place, "--safe", status=2, says="--repair")

    def test_repair_without_indexes_is_fine(self):
        csv = self.write("a.csv", "x\n1\n")
        place = f"{self.dir}/a.h5:/t"
        self.stoa("import", csv, place)
        self.assertIn("no index", self.stoa("index", "verify", place, "--repair").stderr)


if __name__ == "__main__":
    stoa_test.main()
