"""Durations on the command line: import, query, update, attr, append, histogram, info."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

CSV = "run,lasted\na,90s\nb,1.5 ms\nc,\nd,-1h 30min\n"
HELD = ["a,PT1M30.000000S", "b,PT0.001500S", "c,", "d,-PT1H30M0.000000S"]


class Durations(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.place = f"{self.dir}/a.h5:/t"
        self.stoa("import", self.write("a.csv", CSV), self.place, "--type", "lasted=duration")

    def rows(self, *options):
        return self.stoa("query", self.place, "-f", "csv", *options).stdout.split("\n")[1:-1]

    def test_numbers_with_units_are_durations_where_that_is_said(self):
        self.assertEqual(self.rows(), HELD)
        self.assertIn("duration[us]", self.stoa("info", self.place).stdout)
        self.stoa("import", f"{self.dir}/a.csv", f"{self.dir}/b.h5:/t")
        self.assertRegex(self.stoa("info", f"{self.dir}/b.h5:/t").stdout, r"lasted +string")
        self.fails("import", self.write("c.csv", CSV.replace("90s", "90")), f"{self.dir}/c.h5:/t",
                   "--type", "lasted=duration",
                   says=["line 2, column 'lasted': '90' is no duration"])  # fmt: skip

    def test_questions_and_answers_are_texts(self):
        self.assertEqual(self.rows("-w", "lasted > '1s'"), HELD[:1])
        self.assertEqual(self.rows("-a", "sum(lasted), mean(lasted), count(lasted)"),
                         ["-PT1H28M29.998500S,-PT29M29.999500S,3"])  # fmt: skip
        self.assertEqual(self.rows("--sort", "lasted:desc", "-c", "run"), ["a", "b", "d", "c"])
        self.fails("query", self.place, "-w", "lasted > 90",
                   says=["'lasted' is duration[us]", "number 90"])  # fmt: skip

    def test_rows_are_changed_and_appended(self):
        self.stoa("update", self.place, "-w", "run = 'c'", "--set", "lasted='-2 us'")
        self.stoa("append", self.write("d.csv", "run,lasted\ne,PT2H\nf,3 min\n"), self.place)
        self.assertEqual(self.rows(), [*HELD[:2], "c,-PT0.000002S", HELD[3],
                                       "e,PT2H0.000000S", "f,PT3M0.000000S"])  # fmt: skip
        self.fails("update", self.place, "--all", "--set", "lasted='1 ns'",
                   says=["finer than the durations"])  # fmt: skip
        self.stoa("check", self.place)

    def test_bounds_are_durations(self):
        self.stoa("attr", f"{self.dir}/a.h5", "-c", "lasted", "valid_min=-2h")
        said = self.stoa("attr", f"{self.dir}/a.h5", "-c", "lasted").stdout
        self.assertIn("-PT2H0.000000S", said)
        self.fails("attr", f"{self.dir}/a.h5", "-c", "lasted", "valid_max=1s",
                   says=["holds PT1M30.000000S"])  # fmt: skip
        self.fails("attr", f"{self.dir}/a.h5", "-c", "lasted", "valid_max=5",
                   says=["'5' is no duration"])  # fmt: skip

    def test_integers_become_durations_by_an_attribute(self):
        place = f"{self.dir}/n.h5"
        self.stoa("import", self.write("n.csv", "x\n5\n-7\n"), f"{place}:/t", "--units", "x=ms")
        self.assertEqual(self.stoa("query", place, "-f", "csv").stdout, "x\n5\n-7\n")
        self.stoa("attr", place, "-c", "x", "stoa_arrow_type=duration")
        self.assertEqual(self.stoa("query", place, "-f", "csv").stdout, "x\nPT0.005S\n-PT0.007S\n")
        self.stoa("check", place)

    def test_bins_of_a_histogram_begin_at_durations(self):
        text = "x\n" + "".join(f"PT{k}S\n" for k in range(0, 600, 3))
        self.stoa("import", self.write("h.csv", text), f"{self.dir}/h.h5:/t")
        said = self.stoa("query", f"{self.dir}/h.h5:/t", "--histogram", "x").stdout
        self.assertRegex(said, r"PT30S +10 ")
        self.assertRegex(said, r"PT1M0S +10 ")


if __name__ == "__main__":
    stoa_test.main()
