"""stoa functions: the table of functions, the page that is written from it, and what calls say."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

ROW = "i,x,s,t,d\n7,2.5,abc,2001-05-06T17:03:09,2001-05-06\n-9223372036854775808,1e300,,,\n"


class Functions(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.write("t.csv", ROW)
        self.place = f"{self.dir}/t.h5:/t"
        self.stoa("import", self.dir / "t.csv", self.place)

    def ask(self, text, where="i = 7"):
        return self.stoa("query", self.place, "-c", f"{text} as answer", "-w", where, "-f", "jsonl").stdout

    def refusal(self, text):
        done = self.stoa("query", self.place, "-c", text, status=3)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_the_page_is_written_from_the_table(self):
        page = (stoa_test.SOURCE / "docs" / "functions.md").read_text()
        tables = self.stoa("functions", "-f", "markdown").stdout
        self.assertEqual(
            page[page.index("**Numbers**") :], tables, "stoa functions -f markdown has changed; put it there"
        )
        self.assertEqual(self.stoa("help", "functions", "-f", "markdown").stdout, tables)

    def test_each_example_is_true(self):
        examples = [f["example"] for f in json.loads(self.stoa("functions", "-f", "json").stdout) if "example" in f]
        self.assertGreater(len(examples), 80)
        for example in examples:
            with self.subTest(example):
                found = self.stoa("query", self.place, "-a", "count()", "-w", example, "-f", "csv").stdout
                self.assertEqual(found, "count()\n2\n")

    def test_a_name_shows_its_forms_whatever_its_case_and_spelling(self):
        self.assertEqual([f["usage"] for f in self.named("ROUND")], ["round(x)", "round(x, digits)"])
        self.assertEqual([f["name"] for f in self.named("substring")], ["substr"])
        self.assertIn("no function 'nope'", self.stoa("functions", "nope", status=2).stderr)

    def named(self, name):
        return json.loads(self.stoa("functions", name, "-f", "json").stdout)

    def test_a_value_that_is_not_taken_never_fails(self):
        choice = "case when i > 0 then abs(i) else 0 end"
        rows = self.stoa("query", self.place, "-c", f"{choice} as a, coalesce(i, abs(i)) as b", "-f", "csv").stdout
        self.assertEqual(rows, "a,b\n7,7\n0,-9223372036854775808\n")
        self.assertIn("overflows", self.refusal("case when i < 0 then abs(i) else 0 end"))

    def test_items_of_lists_are_chosen_and_converted(self):
        self.write("l.jsonl", '{"v":[1,2,3],"k":1}\n{"v":[9223372036854775807,-5],"k":2}\n{"v":[],"k":3}\n')
        place = f"{self.dir}/l.h5:/l"
        self.stoa("import", self.dir / "l.jsonl", place)
        for text, wanted in {
            "sum(case when v > 0 and v < 1000 then v end)": "6\n\n\n",
            "case when k = 2 then 0 else sum(v + 1) end": "9\n0\n\n",
            "coalesce(v[1], k)": "2\n-5\n3\n",
            "contains(v, 2)": "true\nfalse\nfalse\n",
            "any(v::varchar like '%5')": "false\ntrue\nfalse\n",
        }.items():
            with self.subTest(text):
                found = self.stoa("query", place, "-c", f"{text} as r", "-f", "csv").stdout
                self.assertEqual(found, "r\n" + wanted)
        done = self.stoa("query", place, "-c", "sum(case when v > 1000 then 0 else v * 2 end)", status=3)
        self.assertIn("overflows int64", done.stderr)  # of items any failure counts

    def test_a_cast_names_the_type(self):
        types = {"i::int8": "int8", "x::float": "float32", "i::varchar": "string", "t::date": "date",
                 "t::timestamp_ns": "timestamp[ns]", "cast(i as bool)": "bool", "d::timestamp": "timestamp[us]"}  # fmt: skip
        columns = ", ".join(f"{cast} as c{n}" for n, cast in enumerate(types))
        self.stoa("query", self.place, "-w", "i = 7", "-c", columns, "-o", f"{self.dir}/o.h5:/t")
        schema = json.loads(self.stoa("info", f"{self.dir}/o.h5", "-f", "json").stdout)[0]["schema"]
        self.assertEqual([column["type"] for column in schema], list(types.values()))

    def test_refusals_say_what_to_write(self):
        for text, said in {
            "log(x)": "write ln() or log10()",
            "sine(x)": "there is no function 'sine'; stoa functions lists all",
            "round(s)": "round() takes a number, and 's' is text",
            "round(x, 1, 2)": "does not take 3 arguments: round(x) or round(x, digits)",
            "date_trunc('fortnight', t)": "takes a unit: 'second', 'minute'",
            "date_trunc(s, t)": "takes a text that is a constant",
            "time_bucket('0s', t)": "a span of time above 0",
            "time_bucket('-3 months', t)": "a span of time above 0",
            "year(i)": "year() takes a time, and 'i' is",
            "t + t": "does not combine them",
            "t + 1": "a duration can be added to a time",
            "regexp_matches(s, '(a')": "it is no pattern: at its byte 2, missing closing parenthesis",
            "regexp_matches(s, 'a', 'x')": "the options of a pattern are",
            "regexp_matches(s, s)": "takes a text that is a constant",
            "coalesce(i, s)": "they have no common type",
            "case when i then 1 end": "a condition",
            "case i when 7 then 1": "'when', 'else' or 'end'",
            "s::int": "'abc' of some row is no int32; try_cast()",
            "cast(x as tensor)": "'tensor' is no type",
            "cast(i as date)": "is not converted to date",
            "cast(x as int": "')'",
            "sum(x) + 1": "is an aggregate",
            "abs(x) filter (where x > 1)": "only an aggregate has a filter",
        }.items():
            with self.subTest(text):
                self.assertIn(said, self.refusal(text))

    def test_groups_are_refused_by_what_they_lack(self):
        for options, said in {
            ("-a", "sum(i) + x"): "the groups have no column 'x'; put it into an aggregate, as max(x)",
            ("-a", "sum(sum(i))"): "is an aggregate",
            ("-a", "count()", "--having", "count() + 1"): "a condition, such as",
            ("-a", "count()", "--having", "nope > 1"): "the groups have no column 'nope'",
            ("-a", "count()", "--sort", "i + 1"): "the groups have no column 'i'",
            ("-a", "sum(i) filter (x > 1)"): "'where'",
            ("-a", "sum(i) filter (where sum(i) > 1)"): "is an aggregate",
        }.items():
            with self.subTest(options):
                self.assertIn(said, self.stoa("query", self.place, *options, status=3).stderr)
        for options, said in {
            ("--having", "count() > 1"): "--having needs aggregates",
            ("--distinct", "-a", "count()"): "--distinct goes with neither",
            ("--distinct", "--rows"): "--distinct goes with neither",
            ("--offset", "-1"): "--offset",
        }.items():
            with self.subTest(options):
                self.assertIn(said, self.stoa("query", self.place, *options, status=2).stderr)

    def test_hostile_calls_end_with_an_error_or_the_documented_value(self):
        deep = "(" * 10_000 + "i" + ")" * 10_000
        self.assertIn("nested deeper than 200", self.refusal(deep))
        self.assertIn("nested deeper than 200", self.refusal("case when true then " * 300 + "1" + " end" * 300))
        hostile = "regexp_matches('" + "x" * 40 + "' || s, '^(x+x+)+$')"
        self.assertIn("was given up: match limit exceeded", self.refusal(hostile))
        self.assertIn("beyond the range", self.refusal("add_months(t, 1000000000000)"))
        self.assertIn("overflows", self.refusal("t + (t - '1970-01-01') * 10000000000000"))
        self.assertIn("no int8", self.refusal("(x * 1000)::int8"))
        for text, value in {
            "7 / 0": '"Infinity"', "mod(i, 0)": "null", "bucket(i, 0)": "null", "substr(s, -9223372036854775807, 9223372036854775807)": '"abc"',
            "split_part(s, 'b', -9223372036854775807)": '""', "left(s, -9223372036854775807)": '""', "round(i, -400)": "0",
            "bits_left(i, 64)": "0", "try_cast(x * 1e300 as float)": "null",
        }.items():  # fmt: skip
            with self.subTest(text):
                self.assertEqual(self.ask(text), f'{{"answer":{value}}}\n')
        for text in ["split_part(s, 'b', -9223372036854775807 - 1)", "right(s, -9223372036854775807 - 1)", "i % -1", "mod(i, -1)",
                     "bucket(x, -1e-300)", "round(x, 9223372036854775807)", "substr(s, -9223372036854775807 - 1, i)"]:  # fmt: skip
            with self.subTest(text):
                self.stoa("query", self.place, "-c", text)


if __name__ == "__main__":
    stoa_test.main()
