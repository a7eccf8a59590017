"""stoa import of JSON lines. Python's json module writes the input, and reads what comes out."""

import gzip
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

ROWS = [
    {"event": 1, "pt": 0.5, "hits": [1.5, None], "p": {"x": 1, "y": 2.5}, "name": "ann"},
    {"event": 2, "pt": None, "hits": [], "p": None, "name": "bob"},
    {"event": 3, "pt": 1e300, "hits": None, "p": {"x": -1, "y": 0.1}, "name": "ann"},
]


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


class ImportJsonLines(stoa_test.TestCase):
    def make(self, rows, *options):
        place = f"{self.dir / 'a.h5'}:/t"
        text = rows if isinstance(rows, str) else lines(rows)
        self.stoa("import", "--force", self.write("t.jsonl", text), place, *options)
        return place

    def rows(self, place, *options):
        done = self.stoa("query", place, "-f", "jsonl", *options)
        return [json.loads(line) for line in done.stdout.split("\n")[:-1]]

    def test_rows_come_back_as_they_were(self):
        place = self.make(ROWS)
        self.assertEqual(self.rows(place), ROWS)
        self.assertIn("no finding", self.stoa("check", place).stderr)

    def test_arrays_are_list_columns_and_objects_compounds(self):
        info = self.stoa("info", self.make(ROWS)).stdout
        self.assertRegex(info, r"(?m)^hits +list of float64 ")
        self.assertRegex(info, r"(?m)^p +compound of 2 ")
        self.assertEqual(self.rows(self.make(ROWS), "-c", "sum(hits) as s"), [{"s": 1.5}, {"s": None}, {"s": None}])  # fmt: skip

    def test_what_python_writes_in_its_own_ways_is_read(self):
        rows = [{"a": "é\u2028🙂\\\"\x7f\x01", "b": [["x", ""], None, []]}, {"b": None, "a": ""}]
        for text in (
            lines(rows),
            "".join(json.dumps(row, ensure_ascii=False) + "\r\n" for row in rows),
            "\ufeff" + "\n\n".join(json.dumps(row, separators=(" ,\t", " : ")) for row in rows),
        ):
            self.assertEqual(self.rows(self.make(text)), rows)
        floats = [{"x": float("nan")}, {"x": float("inf")}, {"x": float("-inf")}, {"x": 1.0}]
        self.assertEqual([row["x"] for row in self.rows(self.make(floats))], ["NaN", "Infinity", "-Infinity", 1.0])  # fmt: skip

    def test_numbers_keep_every_digit(self):
        rows = [
            {"i": -(2**63), "u": 2**64 - 1, "f": 0.1 + 0.2, "g": 5e-324, "n": -0.0},
            {"i": 2**63 - 1, "u": 0, "f": 1.7976931348623157e308, "g": 9007199254740993.0, "n": 1},
        ]
        found = self.rows(self.make(rows))
        self.assertEqual(found, rows)
        self.assertEqual(str(found[0]["n"]), "-0.0")

    def test_compressed_files_and_stdin(self):
        packed = self.dir / "flights.2001.ndjson.gz"
        packed.write_bytes(gzip.compress(lines(ROWS).encode()))
        self.stoa("import", packed, self.dir / "a.h5")
        self.assertEqual(self.rows(f"{self.dir / 'a.h5'}:/flights"), ROWS)
        self.stoa("import", "-f", "jsonl", "-", self.dir / "a.h5", input=lines(ROWS))
        self.assertEqual(self.rows(f"{self.dir / 'a.h5'}:/table"), ROWS)

    def test_an_array_of_rows_is_read_as_it_is_exported(self):
        self.stoa("export", self.make(ROWS), self.dir / "out.json")
        self.stoa("import", self.dir / "out.json", f"{self.dir / 'a.h5'}:/u")
        self.assertEqual(self.rows(f"{self.dir / 'a.h5'}:/u"), ROWS)
        self.stoa("import", self.write("python.json", json.dumps(ROWS * 1000)), f"{self.dir / 'a.h5'}:/v")
        self.assertEqual(self.rows(f"{self.dir / 'a.h5'}:/v"), ROWS * 1000)

    def test_the_format_may_be_said(self):
        named = self.write("rows.txt", lines(ROWS))
        self.stoa("import", "--format", "jsonl", named, f"{self.dir / 'a.h5'}:/t")
        self.assertEqual(self.rows(f"{self.dir / 'a.h5'}:/t"), ROWS)
        tabs = self.write("rows.jsonl", "a\tb\n1\t2\n")
        self.stoa("import", "-f", "tsv", tabs, f"{self.dir / 'a.h5'}:/u")
        self.assertEqual(self.rows(f"{self.dir / 'a.h5'}:/u"), [{"a": 1, "b": 2}])
        self.stoa("import", "-f", "csv", tabs, f"{self.dir / 'a.h5'}:/v")
        self.assertEqual(self.rows(f"{self.dir / 'a.h5'}:/v"), [{"a\tb": "1\t2"}])

    def test_the_options_of_csv_apply(self):
        options = ("--type", "event=float32", "--type", "hits=float32", "--units", "hits=keV", "--index", "event",
                   "--category", "name", "--codec", "hits=zstd", "--null", "bob", "--title", "hits", "--type", "p.x=int64")  # fmt: skip
        place = self.make(ROWS, *options)
        info = self.stoa("info", place).stdout
        self.assertRegex(info, r"(?m)^event +float32 ")
        self.assertRegex(info, r"(?m)^hits +list of float32 .*zstd")
        self.assertRegex(info, r"(?m)^hits +list +1 +keV")
        self.assertRegex(info, r"(?m)^name +category +1")
        self.fails("import", self.write("u.jsonl", lines(ROWS)), place + "2", "--delimiter", ";", status=2,
                   says="--delimiter is for CSV")  # fmt: skip
        self.fails("import", self.write("u.jsonl", lines(ROWS)), place + "2", "--on-error", "skip", status=2,
                   says="--on-error is for CSV")  # fmt: skip

    def test_times_are_times_as_in_csv_unless_a_type_says_else(self):
        rows = [{"t": "2001-01-31T12:00:00.500Z", "l": ["2001-01-31"]}, {"t": None, "l": []}]
        self.assertEqual(self.rows(self.make(rows)), rows)
        self.assertRegex(self.stoa("info", self.make(rows)).stdout, r"(?m)^t +timestamp\[ms, UTC\] ")
        place = self.make(rows, "--type", "t=string", "--type", "l=string")
        self.assertRegex(self.stoa("info", place).stdout, r"(?m)^l +list of string")
        self.assertEqual(self.rows(place), rows)

    def test_append_and_column_add_take_them_too(self):
        place = self.make(ROWS)
        more = [{"hits": [7], "event": 4, "pt": 2, "p": {"x": 3, "y": 0.5}, "name": "cec"}]
        self.stoa("append", self.write("more.jsonl", lines(more)), place)
        self.assertEqual(self.rows(place), ROWS + more)
        added = [{"tags": ["a"]}, {"tags": []}, {"tags": None}, {"tags": ["b", ""]}]
        self.stoa("column", "add", place, self.write("tags.jsonl", lines(added)))
        self.assertEqual(self.rows(place), [{**a, **b} for a, b in zip(ROWS + more, added)])

    def test_the_older_revision_refuses_lists_by_name(self):
        text = self.write("t.jsonl", lines(ROWS))
        self.fails("import", text, self.dir / "a.h5", "--revision", "2026-06", says="'hits' is of lists")
        self.assertFalse((self.dir / "a.h5").exists())

    def test_objects_that_lack_a_field_become_columns_which_is_said(self):
        rows = [{"a": {"x": 1, "y": "u"}, "s": [{"n": "b"}, None]}, {"a": {"x": 2}, "s": []}, {}]
        place = f"{self.dir / 'a.h5'}:/t"
        text = self.write("t.jsonl", lines(rows))
        said = self.stoa("import", text, place).stderr
        self.assertIn("t.jsonl: key 'a': its fields become columns, since line 2 lacks 'a.y'\n", said)
        self.assertIn("t.jsonl: key 's': its fields become columns, since line 1 lacks an item of 's'\n", said)
        flat = [
            {"a.x": 1, "a.y": "u", "s.n": ["b", None]},
            {"a.x": 2, "a.y": None, "s.n": []},
            {"a.x": None, "a.y": None, "s.n": None},
        ]
        self.assertEqual(self.rows(place), flat)
        self.assertIn("no finding", self.stoa("check", place).stderr)

        more = self.write("more.jsonl", lines([{"a": {"x": 3, "y": "v"}, "s": [{"n": "c"}]}]))
        self.assertNotIn("lacks", self.stoa("append", more, place).stderr)
        self.assertEqual(self.rows(place), [*flat, {"a.x": 3, "a.y": "v", "s.n": ["c"]}])

    def test_a_name_that_a_field_and_a_key_have_is_refused(self):
        text = self.write("t.jsonl", lines([{"a.y": 1, "a": {"y": 2}}, {"a": {"x": 1}}]))
        self.fails("import", text, self.dir / "a.h5", says="two columns are called 'a.y'")
        self.assertFalse((self.dir / "a.h5").exists())

    def test_a_structs_strings_and_lists_are_stored_as_they_can_be(self):
        rows = [{"s": {"n": "a", "l": [1, 2]}, "l": [{"n": "b"}]}, {"s": {"n": "", "l": []}, "l": []}]
        self.assertEqual(self.rows(self.make(rows)), rows)


if __name__ == "__main__":
    stoa_test.main()
