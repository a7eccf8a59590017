"""stoa query --histogram: distributions as text (src/cli/plot/histogram.c, histogram_bins.c, bars.c)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test


def bars(text):
    """(label, rows, bar) of each line of a histogram."""
    rows = []
    for line in text.splitlines():
        if "│" in line:
            left, bar = line.split("│")
            label, count = left.rstrip().rsplit("  ", 1)
            rows.append((label.strip(), int(count), bar))
    return rows


class Histogram(stoa_test.TestCase):
    def draw(self, csv, what, *options, import_options=()):
        place = f"{self.dir}/a.h5:/t"
        self.stoa("import", self.write("a.csv", csv), place, "--force", *import_options)
        return self.stoa("query", place, "--histogram", what, *options).stdout

    def counts(self, *arguments, **how):
        return [(label, count) for label, count, _ in bars(self.draw(*arguments, **how))]

    def test_every_row_falls_into_one_bin(self):
        values = [i * i % 997 for i in range(3000)]
        rows = bars(self.draw("x\n" + "".join(f"{v}\n" for v in values), "x"))
        for label, count, _ in rows:
            first, end = (int(edge) for edge in label.split(" … "))
            self.assertEqual(count, sum(first <= v < end for v in values), label)
        self.assertEqual(sum(count for _, count, _ in rows), 3000)

    def test_far_values_do_not_decide_the_bins(self):
        text = self.draw("x\n" + "".join(f"{v % 100}\n" for v in range(5000)) + "1000000\n-70000\n", "x")
        rows = bars(text)
        self.assertEqual([count for _, count, _ in rows], [250] * 20)
        self.assertEqual(rows[0][0], "0 … 5")
        self.assertIn("\n1 row above, up to 1000000\n", text)
        self.assertIn("\n1 row below, down to -70000\n", text)
        asked = self.counts("x\n" + "5\n" * 99 + "1000000\n", "x:2")
        self.assertEqual([count for _, count in asked], [99, 1])

    def test_edges_are_round_and_there_are_about_twenty(self):
        rows = self.counts("x\n" + "".join(f"{v}\n" for v in range(-77, 1431)), "x")
        self.assertEqual(rows[0][0], "-100 … 0")
        self.assertEqual(rows[-1][0], "1400 … 1500")
        self.assertEqual(len(rows), 16)

    def test_as_many_bins_as_asked_for(self):
        rows = self.counts("x\n" + "".join(f"{v}\n" for v in range(100)), "x:4")
        self.assertEqual(rows, [("0 … 25", 25), ("25 … 50", 25), ("50 … 75", 25), ("75 … 100", 25)])

    def test_a_label_of_any_length_has_room(self):
        for values in ((-144115188075855867, 0, 199), (1, 18446744073709551614), (0, 2**63 - 2)):
            for bins in (7, 100, 1000):
                csv = "x\n" + "".join(f"{v}\n" for v in values)
                rows = self.counts(csv, f"x:{bins}")
                self.assertEqual(sum(count for _, count in rows), len(values))
                self.assertTrue(all(len(label) <= 36 for label, _ in rows))

    def test_the_greatest_float_belongs_to_the_last_bin(self):
        self.assertEqual(
            self.counts("x\n0.0\n0.5\n1.0\n", "x:2"), [("0.0 … 0.5", 1), ("0.5 … 1.0", 2)]
        )

    def test_few_whole_numbers_get_a_bar_each(self):
        self.assertEqual(
            self.counts("x\n1\n2\n2\n4\n", "x"), [("1", 1), ("2", 2), ("3", 0), ("4", 1)]
        )

    def test_one_value_is_one_bin(self):
        self.assertEqual([count for _, count in self.counts("x\n2.5\n2.5\n", "x")], [2])

    def test_days_are_binned_by_the_calendar(self):
        days = "".join(f"2001-01-{d:02}\n" for d in range(1, 11))
        self.assertEqual(
            self.counts("d\n" + days, "d"), [(f"2001-01-{d:02}", 1) for d in range(1, 11)]
        )

    def test_times_are_binned_by_the_clock(self):
        times = "".join(f"2001-01-01T{h:02}:30:00\n" for h in range(20))
        text = self.draw("t\n" + times, "t")
        self.assertEqual(text.split()[:3], ["t", "from", "rows"])
        self.assertEqual(
            [row[:2] for row in bars(text)], [(f"2001-01-01T{h:02}:00:00", 1) for h in range(20)]
        )

    def test_missing_and_infinite_values_are_counted_apart(self):
        text = self.draw("x\n1.0\n\nnan\ninf\n2.0\n", "x")
        self.assertIn("1 row missing\n", text)
        self.assertIn("2 rows NaN or infinite\n", text)
        self.assertEqual(sum(count for _, count, _ in bars(text)), 2)

    def test_labels_come_by_frequency(self):
        csv = "w\n" + "b\n" * 5 + "a\n" * 7 + "c\n"
        for options in (["--category", "w"], ["--no-category", "w"]):
            self.assertEqual(
                self.counts(csv, "w", import_options=options), [("a", 7), ("b", 5), ("c", 1)]
            )

    def test_rare_labels_are_summed_up(self):
        csv = "w\n" + "".join(f"w{i:02}\n" * (30 - i) for i in range(25))
        text = self.draw(csv, "w:3")
        self.assertEqual([row[:2] for row in bars(text)], [("w00", 30), ("w01", 29), ("w02", 28)])
        self.assertIn(f"{sum(range(6, 28))} rows in 22 other values\n", text)

    def test_the_filter_counts(self):
        self.assertEqual(
            self.counts("x,w\n1,a\n2,a\n3,b\n", "w", "-w", "x > 1"), [("a", 1), ("b", 1)]
        )

    def test_the_longest_bar_fills_the_width_and_none_is_invisible(self):
        rows = bars(self.draw("w\n" + "a\n" * 5000 + "b\n", "w"))
        self.assertEqual(rows[1][2], "▏")
        text = self.draw("w\n" + "a\n" * 5000 + "b\n", "w")
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)
        self.assertGreater(max(len(line) for line in text.splitlines()), 76)

    def test_bars_are_in_proportion(self):
        rows = bars(self.draw("w\n" + "a\n" * 40 + "b\n" * 20 + "c\n" * 10, "w"))
        lengths = [len(bar) for _, _, bar in rows]
        self.assertAlmostEqual(lengths[0] / lengths[1], 2, delta=0.1)
        self.assertAlmostEqual(lengths[0] / lengths[2], 4, delta=0.4)

    def test_no_rows_make_an_empty_histogram(self):
        self.assertEqual(self.counts("x\n1\n", "x", "-w", "x > 5"), [])

    def test_a_name_with_a_colon_stands_in_quotes(self):
        self.assertEqual(self.counts("a:b\n1\n1\n2\n", '"a:b":2'), [("1", 2), ("2", 1)])

    def test_wrong_columns_and_bins_are_one_line(self):
        self.draw("x\n1\n", "x")
        place = f"{self.dir}/a.h5:/t"
        self.fails("query", place, "--histogram", "nope", says="nope")
        for bins in ("0", "x", "1001"):
            self.fails("query", place, "--histogram", f"x:{bins}", says=bins)


if __name__ == "__main__":
    stoa_test.main()
