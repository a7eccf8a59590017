"""What notebooks show of files, tables and queries: whole HTML, with every text escaped."""

import html.parser
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test

import pystoa
from pystoa import _html

EVIL = "<script>alert('1')<b>\"&"


class Page(html.parser.HTMLParser):
    """The tags of a page, its cells and its texts; tags that are not closed in order are an error."""

    EMPTY = {"br", "img"}

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.rows, self.attributes, self.words = [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in self.EMPTY:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.words.append(data)
        if ("td" in self.open or "th" in self.open) and "title" not in self.open:
            self.rows[-1][-1] += data


def page(of):
    return Page(of._repr_html_())


class Html(python_test.TestCase):
    def test_a_table_shows_its_columns_and_rows(self):
        table = self.events()
        table.add_index("time", "minmax")
        found = page(table)
        self.assertEqual(found.rows[0], ["column", "type", "units", "index", "sample", "from … to"])
        self.assertEqual([row[0:4] for row in found.rows[1:4]], [
            ["time", "int64", "", "minmax"], ["energy", "float64", "keV", ""], ["det", "int64", "", ""],
        ])  # fmt: skip
        self.assertEqual([row[5] for row in found.rows[1:4]], ["10 … 40", "2 … 8.25", "7 … 8"])
        self.assertEqual(found.rows[4:], [
            ["", "time", "energy keV", "det"], ["0", "10", "6.5", "7"], ["1", "20", "2", "7"],
            ["2", "30", "8.25", "8"], ["3", "40", "—", "8"],
        ])  # fmt: skip
        self.assertIn("/events", found.words)
        self.assertIn("4 rows, 3 columns, hep001", "".join(found.words))
        self.assertEqual(found.tags.count("svg"), 3)
        self.assertEqual(found.tags.count("rect"), 4 + 3 + 2)

    def test_long_tables_show_both_ends(self):
        pystoa.write(self.path, "/long", {"n": range(100_000)})
        with pystoa.open(self.path, "/long") as table:
            found = page(table)
        rows = [row for row in found.rows if len(row) == 2]
        self.assertEqual(rows, [["", "n"], *([str(i)] * 2 for i in range(5)), ["⋮", "⋮"],
                                *([str(i)] * 2 for i in range(99_995, 100_000))])  # fmt: skip
        self.assertEqual(found.rows[1][3], "0 … 99999")
        self.assertIn(f"of a sample of {_html.SAMPLE // 1000}\u2009840 rows", "".join(found.words))

    def test_a_histogram_has_the_values_of_its_column(self):
        field = self.events().schema["energy"]
        found = _html.bars(field, [float(i) for i in range(2400)])
        self.assertEqual(len(found), _html.BINS)
        self.assertEqual(sum(bar.height for bar in found), 2400)
        self.assertLess(max(bar.height for bar in found) - min(bar.height for bar in found), 16)
        self.assertEqual(_html.bars(field, [1.0, float("nan"), float("inf"), 1.0]), [(2, "1")])
        self.assertEqual(_html.bars(field, [float("nan")]), [])
        wide = _html.bars(field, [-1.7e308, 1.7e308] + [float(i) for i in range(40)])
        self.assertEqual(sum(bar.height for bar in wide), 42)
        field = self.events().schema["det"]
        found = _html.bars(field, [i % 60 for i in range(6000)])
        self.assertEqual([(bar.height, bar.label) for bar in found][:2], [(300, "0 to 3"), (300, "3 to 6")])
        self.assertEqual(_html.bars(field, [-(2**63), 2**63 - 1] * 30), [(30, f"-{2**63}"), (30, f"{2**63 - 1}")])

    def test_texts_are_escaped(self):
        path = str(self.dir / "a&<b>\".h5")
        pystoa.write(path, "/t", {EVIL: [EVIL, None], "n": [1, 2]}, units={"n": EVIL}, title=EVIL,
                     descriptions={"n": EVIL}, plain_strings=True)  # fmt: skip
        pystoa.write(path, "/<i>", {"label": [EVIL, EVIL, "b"] * 50})
        file = pystoa.open(path)
        for of in (file, file["/t"], file["/<i>"], file["/t"].query(), file["/t"].query("n >")):
            text = of._repr_html_()
            self.assertNotIn("<script", text)
            self.assertNotIn("alert('1')", text)
            found = Page(text)
            self.assertLessEqual(set(found.tags), {
                "div", "style", "p", "b", "span", "table", "tr", "th", "td", "code", "svg", "rect", "title",
                "small", "details", "summary", "pre",
            })  # fmt: skip
            self.assertFalse([name for name, _ in found.attributes if name.startswith("on")])
        found = page(file["/t"])
        self.assertIn(EVIL, [row[0] for row in found.rows])
        self.assertEqual([row[1] for row in found.rows[-2:]], [EVIL, "—"])

    def test_types_of_every_kind(self):
        import datetime

        values = {
            "b": [True, None], "when": [datetime.datetime(2026, 7, 1, 12), None],
            "day": [datetime.date(2026, 7, 1), None], "took": [datetime.timedelta(seconds=90), None],
            "label": ["x" * 100, None], "nan": [float("nan"), float("-inf")],
        }  # fmt: skip
        pystoa.write(self.path, "/t", values)
        with pystoa.open(self.path, "/t") as table:
            found = page(table)
        self.assertEqual(found.rows[-2], ["0", "True", "2026-07-01 12:00:00", "2026-07-01", "0:01:30",
                                          "x" * 35 + "…", "nan"])  # fmt: skip
        self.assertEqual(found.rows[-1], ["1", *["—"] * 5, "-inf"])

    def test_nanoseconds_are_shown_as_ticks(self):
        self.assertEqual(_html._range(Field("tsn:"), [1, 2]), "1 … 2")

    def test_empty_wide_and_closed(self):
        pystoa.write(self.path, "/empty", {"x": [], "s": []})
        pystoa.write(self.path, "/wide", {f"c{i}": [i] for i in range(60)})
        file = pystoa.open(self.path)
        self.assertEqual(page(file["/empty"]).rows[1:], [["x", "string"], ["s", "string"]])
        found = page(file["/wide"])
        self.assertIn("and 20 columns more", "".join(found.words))
        self.assertEqual(len(found.rows[-1]), 12)
        table = file["/wide"]
        file.close()
        self.assertIn("closed", "".join(page(table).words))
        self.assertIn("closed", "".join(page(file).words))

    def test_a_file_shows_its_objects(self):
        found = page(pystoa.open(self.path))
        self.assertEqual(found.rows[0], ["object", "layout", "rows", "columns", "size"])
        self.assertEqual(found.rows[1][:4], ["/events", "hep001", "4", "3"])

    def test_a_query_shows_its_first_rows(self):
        pystoa.write(self.path, "/long", {"n": range(100)})
        with pystoa.open(self.path, "/long") as table:
            found = page(table.query("n >= ?", [20], columns="n, n * 2 as twice"))
            self.assertEqual(found.rows[4:6], [["0", "20", "40"], ["1", "21", "42"]])
            self.assertEqual(found.rows[-1], ["9", "29", "58"])
            self.assertIn("the first 10 rows", "".join(found.words))
            self.assertIn("scan  /long", "".join(found.words))
            self.assertIn("no rows", "".join(page(table.query("n > 1000")).words))
            self.assertEqual(table._running, 0)

    def test_a_damaged_table_says_why(self):
        for name, path, words in (("fill-of-a-sequence.h5", "/t", "pass the end of the file"),
                                  ("dense-link-damaged.h5", None, "cannot list the links")):  # fmt: skip
            of = pystoa.open(stoa_test.SOURCE / "tests/fuzz/regressions" / name)
            found = "".join(page(of[path] if path else of).words)
            self.assertIn("cannot be read", found)
            self.assertIn(words, found)

    def test_libhdf5_prints_nothing(self):
        file = stoa_test.SOURCE / "tests/fuzz/regressions/fill-of-a-sequence.h5"
        script = f"import pystoa\ntry: pystoa.open({str(file)!r}, '/t', strict=True).schema\nexcept pystoa.Error: print('refused')"
        done = stoa_test.run(sys.executable, "-c", script, env={"PYTHONPATH": str(python_test.PACKAGE.parent)})
        self.assertEqual((done.stdout, done.stderr), ("refused\n", ""))

    def test_dark_is_chosen_by_the_system_or_the_notebook(self):
        text = self.events()._repr_html_()
        self.assertIn("@media(prefers-color-scheme:dark)", text)
        self.assertIn('[data-jp-theme-light="false"]', text)


class Field:
    """A field of times, as far as its format goes."""

    dictionary = None

    def __init__(self, format):
        self.format = format


if __name__ == "__main__":
    stoa_test.main()
