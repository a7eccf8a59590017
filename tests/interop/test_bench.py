"""bench/: its questions, its judgements and its page; and that a wrong answer voids a row and the run."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

BENCH = stoa_test.SOURCE / "bench"
sys.path.insert(0, str(BENCH))
import aims
import answers
import asked
import clock
import page
import picture
import report


class Questions(stoa_test.TestCase):
    def test_constants_are_the_same_for_a_k_and_others_for_the_next(self):
        self.assertEqual(asked.constants(3, 1_000_000, 200_000), asked.constants(3, 1_000_000, 200_000))
        for question in asked.QUESTIONS:
            said = [question.at(asked.constants(k, 1_000_000, 200_000)) for k in range(2)]
            for text in (said[0].sql, said[0].where, said[0].arrow or "", said[0].tables or ""):
                self.assertNotIn("{", text)
            if "{" in question.sql:
                self.assertNotEqual(said[0].sql, said[1].sql, question.name)

    def test_a_question_that_writes_floats_reads_them(self):
        q8 = next(q for q in asked.QUESTIONS if q.name == "Q8")
        self.assertIn("energy", q8.columns.split(","))
        self.assertIn("energy", q8.sql.partition("FROM")[0])

    def test_ids_are_all_different(self):
        self.assertEqual(len({asked.id_of(row) for row in range(100_000)}), 100_000)


class Judgements(stoa_test.TestCase):
    def row(self, ours, theirs, what="count(), sum(x) by name", **more):
        return report.Row("groups", what, ours, theirs, **more)

    def test_the_strongest_peer_is_the_one_with_the_least_median(self):
        row = self.row([3.0, 1.0, 2.0], {"a": [4.0, 4.0, 1.0], "b": [3.0, 9.0, 2.0]})
        self.assertEqual((row.peer, round(row.ratio, 3)), ("b", 0.667))

    def test_a_row_is_met_missed_wrong_or_has_no_aim(self):
        self.assertEqual(self.row([0.25], {"DuckDB": [1.0]}).verdict, "met")
        self.assertEqual(self.row([0.26], {"DuckDB": [1.0]}).verdict, "missed")
        self.assertEqual(self.row([0.1], {"DuckDB": [1.0]}, wrong="5, not 6").verdict, "WRONG")
        self.assertEqual(self.row([0.1], {"DuckDB": [1.0]}, what="something else").verdict, "")

    def test_a_wrong_row_shows_no_figure(self):
        cells = self.row([0.1], {"DuckDB": [1.0]}, wrong="5, not 6").cells()
        self.assertEqual((cells[1], cells[4], cells[-1]), ("void", "", "WRONG"))

    def test_every_aim_says_where_the_time_goes(self):
        self.assertEqual([aim for aim in aims.EVERY if not aim.why or not aim.peer or aim.most <= 0], [])

    def test_the_first_pattern_that_fits_counts(self):
        self.assertEqual(aims.of("storage", "orders.noise: auto").most, 1.02)
        self.assertEqual(aims.of("storage", "orders.price: auto").most, 1.0)
        self.assertEqual(aims.of("groups", "distinct(id), two threads over one").most, aims.TWO_OVER_ONE)

    def test_a_child_says_what_it_found_and_a_broken_one_is_noticed(self):
        self.assertEqual(clock.in_child(lambda: {"n": 7})[0], {"n": 7})
        with self.assertRaises(clock.Broken), open(os.devnull, "w") as nowhere:
            clock.traceback.print_exc = lambda: print(file=nowhere)
            clock.in_child(lambda: 1 / 0)

    def test_texts_of_answers_are_compared_by_their_values(self):
        same = answers.same(answers.table("2025-06-15T15:06:40.500000Z,0.30000000000000004\n", True),
                            answers.table("2025-06-15 15:06:40.5,0.3\n", True))  # fmt: skip
        self.assertTrue(same)
        self.assertFalse(answers.same(answers.table("a,1\n", True), answers.table("a,1.001\n", True)))
        self.assertFalse(answers.same(answers.table("a\nb\n", True), answers.table("b\na\n", True)))
        self.assertTrue(answers.same(answers.table("a\nb\n", False), answers.table("b\na\n", False)))


class Page(stoa_test.TestCase):
    def section(self, name, rows, **more):
        return {"section": name, "says": "2 x cpu, load 0.1 at the start\n1,000 rows", "rows": rows, "seconds": 3, **more}

    def facts(self):
        modes = [vars(report.Row("modes", f"Q1, {mode}", [0.002], {"DuckDB native": [0.004]}, "ms",
                                 {"Stoa": 2e7, "DuckDB native": 3e7}, also={"Stoa by map": [0.001]})) for mode in page.MODES]  # fmt: skip
        groups = [vars(report.Row("groups", "distinct(id)", [2.0], {"DuckDB": [1.0]}, why="measured")),
                  vars(report.Row("groups", "distinct(text)", [0.5], {"DuckDB": [1.0]}, wrong="5, not 6"))]  # fmt: skip
        machine = {"processors": 2, "processor": "cpu", "memory_bytes": 2**34, "system": "L", "file_system": "ext4", "load_at_start": 0.1}
        return {"machine": machine, "versions": "v", "scale": 1, "command": "make bench", "seconds": 60,
                "sections": [self.section("modes", modes, questions={"Q1": "few rows"}, own_bytes=1), self.section("groups", groups)]}  # fmt: skip

    def test_it_leads_with_whole_processes_and_new_constants(self):
        text = page.page(self.facts())
        self.assertLess(text.index("a whole process, warm"), text.index("new constants, files open"))
        self.assertLess(text.index("new constants, files open"), text.index("the strongest peer"))
        self.assertIn("| Q1 | 2.00 | 1.00 | 4.00 |", text)

    def test_what_is_missed_stands_there_with_the_reason(self):
        text = page.page(self.facts())
        reason = aims.of("groups", "distinct(id)").why
        self.assertIn(f"| groups: distinct(id) | DuckDB | 2.00 | 1.00 | measured; {reason} |", text)
        self.assertIn("1 rows are void", text)
        self.assertIn("; groups: count(), sum(x) by name; ", text.partition("Not measured in this run")[2])

    def test_the_picture_is_of_the_same_figures(self):
        drawn = picture.ratios(*page.in_picture(self.facts()), "under")
        self.assertIn(f'cx="{picture.place(0.5):.1f}"', drawn)


class Runs(stoa_test.PeersTestCase):
    def test_a_digest_says_the_same_of_the_same_rows_alone(self):
        found = self.peer_python(f"""
import sys
sys.path.insert(0, {str(BENCH)!r})
import pyarrow as pa
from answers import digest, same_digest
a = pa.table({{"k": pa.array([2, 1], pa.int16()), "s": pa.array(["b", None]).dictionary_encode(), "x": pa.array([0.1, 0.2])}})
b = pa.table({{"k": pa.array([1, 2]), "s": pa.array([None, "b"]), "x": pa.array([0.2, 0.1 + 1e-15])}})
print(same_digest(digest(a), digest(b)), same_digest(digest(a, True), digest(b, True)),
      same_digest(digest(a), digest(b.set_column(1, "s", pa.array(["", "b"])))),
      same_digest(digest(a), digest(b.set_column(2, "x", pa.array([0.2, 0.2])))))
""")  # fmt: skip
        self.assertEqual(found.split(), ["True", "False", "False", "False"])

    def modes(self, build, *only):
        command = [sys.executable, "-B", BENCH / "modes", "--rows", "5000", "--rounds", "1", "--build", build,
                   "--json", self.dir / "modes.json", "--only", *only]  # fmt: skip
        env = {**os.environ, "STOA_PEERS": str(stoa_test.PEERS), "TMPDIR": str(self.dir)}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        self.assertTrue((self.dir / "modes.json").is_file(), done.stdout + done.stderr)
        return done, json.loads((self.dir / "modes.json").read_text())

    @unittest.skipIf(os.environ.get("STOA_SANITIZE"), "the peers' Python cannot load what is built with a sanitizer")
    def test_a_question_is_asked_in_every_mode_and_a_wrong_answer_voids_it(self):
        """The program that is measured says 99 where the answer is one digit: how many of 5,000 are missing."""
        build = self.dir / "build"
        build.mkdir()
        (build / "python").symlink_to(stoa_test.BUILD / "python")
        fake = build / "stoa"
        fake.write_text(f'#!/bin/sh\n{stoa_test.STOA} "$@" > "$0.out" || exit\nsed "s/^[0-9]$/99/" "$0.out"\n')
        fake.chmod(0o755)
        done, facts = self.modes(build, "Q9", "R7")
        for mode in page.MODES:
            row = next(row for row in facts["rows"] if row["what"] == f"R7, {mode}")
            self.assertEqual((row["wrong"], len(row["ours"]) > 0, len(row["theirs"]) > 1), ("", True, True), mode)
        wrong = [row["what"] for row in facts["rows"] if row["wrong"]]
        self.assertEqual(wrong, ["Q9, whole process warm", "Q9, whole process cold"])
        self.assertEqual((done.returncode, done.stdout.count("WRONG: Stoa says 1 rows, [[99.0]]")), (1, 2), done.stdout)


if __name__ == "__main__":
    stoa_test.main()
