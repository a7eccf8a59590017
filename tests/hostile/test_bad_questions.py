"""Hostile questions: texts that nest too deep, values out of range, patterns that explode. Each ends soon, with one line that
says where, or with the value that docs/query.md promises."""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

DEEP = 10_000
SOON = 20  # seconds, on a machine that is busy
CSV = "i,x,s,t\n7,2.5,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,2001-05-06T17:03:09\n-3,-1.5,foo,1969-12-31T23:59:59\n"
LEAST = "(-9223372036854775807 - 1)"

TOO_DEEP = [
    ("-w", "(" * DEEP + "i = 1" + ")" * DEEP), ("-w", "not " * DEEP + "i = 1"), ("-w", "~" * DEEP + "(i = 1)"),
    ("-c", "- " * DEEP + "i"), ("-c", "case when i=1 then " * 5000 + "1" + " end" * 5000), ("-c", "+".join(["i"] * DEEP)),
    ("-c", "i" + "::int" * DEEP), ("-c", "s" + "||s" * DEEP), ("-c", "[" * DEEP), ("-c", "abs(" * DEEP + "i" + ")" * DEEP),
    ("-c", "list_slice(" * DEEP + "i"), ("-a", "sum(" * DEEP + "i" + ")" * DEEP), ("-a", "+".join(["sum(i)"] * DEEP)),
    ("-a", "count(distinct " * 5000), ("-a", "string_agg(s order by " * 4000), ("--having", "(" * DEEP + "count() > 1"), ("--by", "i" + "::int" * DEEP),
]  # fmt: skip
REFUSED = [
    ("cast(1e300 as int)", "no int32"), ("cast('99999999999999999999' as bigint)", "no int64"), ("cast(-1 as uint8)", "no uint8"), ("(x * 1e300)::float32", "no float32"),
    ("9223372036854775807 + i", "overflows int64"), ("-9223372036854775807 - i", "overflows int64"), ("i * 9223372036854775807", "overflows int64"),
    (f"abs({LEAST} + i * 0)", "overflows int64"), (f"-{LEAST}", "overflows int64"),
    ("add_months(t, 1000000000)", "beyond the range"), ("add_months(t, 9223372036854775807)", "beyond the range"), ("add_months(t, i * 1000000000)", "beyond the range"),
    ("t::timestamp + '1000000000 days'", "overflows int64"), ("time_bucket('0s', t)", "above 0"), ("cast('2001-99-99' as date)", "no date"), ("epoch_ns('9999-01-01')", "beyond the range"),
    ("regexp_matches(s, '(((a{1,1000}){1,1000}){1,1000})')", "too large"), ("regexp_matches(s, '(')", "no pattern"),
]  # fmt: skip
VALUES = [
    ("i / 0", ["Infinity", "-Infinity"]), ("(i - 7) / 0", ["NaN", "-Infinity"]), ("i % 0", [None, None]), ("mod(i, 0)", [None, None]), ("x % 0", ["NaN", "NaN"]),
    (f"mod({LEAST} + i * 0, -1)", [0, 0]), (f"{LEAST} % -1 + i * 0", [0, 0]), ("try_cast(x * 1e300 as int)", [None, None]), ("bucket(i, 0)", [None, None]),
    ("pow(10, 1e9) + i", ["Infinity", "Infinity"]), ("ln(-x)", ["NaN", 0.4054651081081644]), ("regexp_matches(s, '^(a|aa|a?)+$b')", [False, False]),
    ("left(s, -9223372036854775807)", ["", ""]), ("substr(s, 9223372036854775807, 9223372036854775807)", ["", ""]), ("split_part(s, 'a', 9223372036854775807)", ["", ""]),
]  # fmt: skip


class Questions(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.place = f"{self.dir}/t.h5:/t"
        self.stoa("import", self.write("t.csv", CSV), self.place)

    def ask(self, *options, status=0):
        begun = time.monotonic()
        done = self.stoa("query", self.place, *options, status=status)
        self.assertLess(time.monotonic() - begun, SOON)
        return done

    def refusal(self, *options):
        done = self.ask(*options, status=3)
        self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
        return done.stderr

    def test_what_nests_too_deep_is_refused(self):
        for option, text in TOO_DEEP:
            more = ["-a", "count()"] if option in ("--having", "--by") else []
            with self.subTest(text[:40]):
                self.assertIn("nested deeper than 200 levels", self.refusal(option, text, *more))

    def test_what_is_wide_is_answered(self):
        for option, text in (
            ("-w", " and ".join(["i=7"] * DEEP)),
            ("-w", " or ".join(f"i={k}" for k in range(DEEP))),
            ("-w", f"i in ({','.join(str(k) for k in range(20_000))})"),
            ("-w", f"s in ({','.join(repr(str(k)) for k in range(12_000))}) or i = 7"),
            ("-w", "coalesce(" + ",".join(["i"] * DEEP) + ") = 7"),
            ("-w", "case " + " ".join(f"when i={k} then true" for k in range(5000)) + " end"),
        ):
            with self.subTest(text[:40]):
                self.assertEqual(self.ask("-c", "i", option, text, "-f", "csv").stdout, "i\n7\n")

    def test_values_out_of_range_are_refused(self):
        for text, words in REFUSED:
            with self.subTest(text):
                self.assertIn(words, self.refusal("-c", text))

    def test_values_are_those_of_the_docs(self):
        for text, wanted in VALUES:
            with self.subTest(text):
                lines = self.ask("-c", f"{text} as v", "-f", "jsonl").stdout.splitlines()
                self.assertEqual([json.loads(line)["v"] for line in lines], wanted)

    def test_numbers_of_rows_out_of_range(self):
        for options in (["--sample", "18446744073709551614"], ["--offset", "18446744073709551615", "-n", "3"]):
            self.assertIn("i,x,s,t\n", self.ask("-f", "csv", *options).stdout)
        self.assertIn("99999999999999999999", self.ask("--sample", "99999999999999999999", status=2).stderr)


if __name__ == "__main__":
    stoa_test.main()
