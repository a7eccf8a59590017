"""stoa report: one page that is whole, true, and harmless (src/cli/report)."""

import html.parser
import json
import math
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

HOSTILE = stoa_test.SOURCE / "tests/hostile/data"
VOID = {"meta", "br", "wbr"}
OPTIONAL = {"td", "th", "tr", "thead", "tbody"}  # end tags that HTML leaves out
KNOWN = VOID | OPTIONAL | {"html", "head", "title", "style", "body", "h1", "h2", "h3", "p", "div", "table", "details",
                           "summary", "dl", "dt", "dd", "ul", "li", "code", "pre", "small", "span", "b", "i", "svg",
                           "path"}  # fmt: skip


class Page(html.parser.HTMLParser):
    """The texts of a page, its tags, and whether they are balanced."""

    def __init__(self, path):
        super().__init__()
        self.open, self.tags, self.attributes, self.rows, self.text = [], [], set(), [], ""
        self.path_data = []
        self.feed(Path(path).read_text("utf-8"))
        assert self.open == [], self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "path":
            self.path_data.append(dict(attrs)["d"])
        if tag not in VOID | OPTIONAL:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in OPTIONAL:
            assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text += data
        if self.rows and self.rows[-1] and "table" in self.open:
            self.rows[-1][-1] += data

    def column(self, name):
        (row,) = [row for row in self.rows if len(row) == 9 and re.split(r" \[|\n", row[0])[0] == name]
        return dict(zip(("name", "type", "missing", "least", "greatest", "values", "stored", "packed", "index"), row,
                        strict=True))  # fmt: skip


class Report(stoa_test.TestCase):
    def page(self, file, *options, status=0):
        self.stoa("report", file, "-o", self.dir / "p.html", *options, status=status)
        page = Page(self.dir / "p.html")
        self.assertEqual(set(page.tags) - KNOWN, set())
        self.assertEqual({a for a in page.attributes if a.startswith("on") or a in ("href", "src")}, set())
        self.assertEqual(re.findall(r"https?:|//|@import|url\(", (self.dir / "p.html").read_text()), [])
        return page

    def table(self, name="t", rows=400, options=()):
        lines = "".join(f"{i},{'' if i % 8 == 0 else i % 10},{'abc'[i % 3]},{math.sin(i)!r},2024-01-0{1 + i % 9}\n"
                        for i in range(rows))  # fmt: skip
        csv = self.write("t.csv", "n,holes,label,wave,day\n" + lines)
        self.stoa("import", csv, f"{self.dir}/{name}.h5:/{name}", "--units", "wave=mV", *options)
        return f"{self.dir}/{name}.h5"

    def test_columns_are_described(self):
        file = self.table()
        page = self.page(file)
        holes = page.column("holes")
        self.assertEqual(holes["missing"].split(), ["50", "12.5", "%"])
        self.assertEqual((holes["least"], holes["greatest"]), ("0", "9"))
        wave = page.column("wave")
        self.assertIn("[mV]", wave["name"])
        self.assertEqual(wave["least"], f"{min(math.sin(i) for i in range(400)):.6g}")
        self.assertEqual(page.column("day")["greatest"], "2024-01-09")
        label = page.column("label")["values"]
        self.assertEqual(re.findall(r"([abc]) ([0-9.]+) %", label), [("a", "33.5"), ("b", "33.2"), ("c", "33.2")])
        (info,) = json.loads(self.stoa("info", file, "-f", "json").stdout)
        for stored in info["storage"]:
            ratio = float(re.search("ratio (.*)", page.column(stored["column"])["stored"]).group(1))
            self.assertAlmostEqual(ratio, stored["ratio"], delta=0.06 * stored["ratio"])

    def test_a_histogram_has_the_shares_of_its_values(self):
        csv = self.write("h.csv", "x\n" + "0\n" * 300 + "1\n" * 100 + "2\n" * 200)
        self.stoa("import", csv, f"{self.dir}/h.h5:/h")
        (bars,) = self.page(f"{self.dir}/h.h5").path_data
        heights = [int(high) for high in re.findall(r"v-([0-9]+)h", bars)]
        self.assertEqual(heights, [28, 1 + 9, 1 + 18])  # 27 pixels for 300 rows, and one that shows there are any

    def test_large_tables_are_sampled_and_say_so(self):
        file = self.table("big", 40000)
        page = self.page(file)
        self.assertIn("Histograms are of 16384 rows", page.text)
        self.assertEqual(page.column("n")["greatest"], "39999")

    def test_indexes_and_their_trust_are_shown(self):
        file = self.table()
        self.stoa("index", "add", f"{file}:/t", "label", "--kind", "bitmap")
        page = self.page(file)
        self.assertEqual(page.column("label")["index"].split(), ["BITMAP", "trusted"])
        self.assertNotIn("index verify", page.text)
        copy = shutil.copy(file, self.dir / "copy.h5")
        page = self.page(copy)
        self.assertIn("not verified", page.column("label")["index"])
        self.assertIn(f"stoa index verify {copy}:/t", page.text)

    def test_suggestions_name_what_would_help(self):
        page = self.page(self.table("big", 150000, ("--codec", "none")))
        for words in ("label (bitmap)", "n (minmax)", "index add", "stoa column storage", "--codec auto",
                      "2 of 3 columns of numbers have no units"):  # fmt: skip
            self.assertIn(words, page.text)
        self.assertNotIn("wave (minmax)", page.text)

    def test_a_suggestion_is_a_command_that_works(self):
        file = shutil.copy(self.table("t", 120000), self.dir / "odd 'name'.h5")
        page = self.page(file)
        command = re.search(r"stoa (index add .*--auto)", page.text).group(1)
        done = stoa_test.run("sh", "-c", f'exec "{stoa_test.STOA}" {command}')
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_findings_are_those_of_check(self):
        page = self.page(HOSTILE / "escapes.h5")
        said = self.stoa("check", HOSTILE / "escapes.h5", status=1).stdout.splitlines()
        self.assertEqual(page.text.count("HEP001 §"), len(said))

    def test_names_and_values_of_files_are_only_text(self):
        evil = '<script>alert(1)<img src=x onerror=y>"\'&\x1b[31m'
        csv = self.write("e.csv", 'n,"' + evil.replace('"', '""') + '"\n1,"' + evil.replace('"', '""') + '"\n')
        self.stoa("import", csv, f"{self.dir}/e.h5:/{evil}")
        page = self.page(f"{self.dir}/e.h5")
        self.assertNotIn("script", page.tags)
        self.assertNotIn("img", page.tags)
        self.assertIn("<script>alert(1)<img", page.text)
        self.assertNotIn("\x1b", (self.dir / "p.html").read_text())
        self.page(HOSTILE / "escapes.h5")

    def test_damaged_files_have_a_page_that_says_so(self):
        for file in (*HOSTILE.glob("*.h5"), *HOSTILE.parent.glob("files/*.h5")):
            with self.subTest(file=file.name):
                done = stoa_test.run(stoa_test.STOA, "report", file, "-o", self.dir / "d.html")
                self.assertIn(done.returncode, (0, 1, 3), done.stderr)
                self.assertEqual((self.dir / "d.html").exists(), done.returncode < 3)
                if done.returncode < 3:
                    Page(self.dir / "d.html")
                if done.returncode > 0:
                    self.assertNotEqual(done.stderr, "")
                (self.dir / "d.html").unlink(missing_ok=True)

    def test_many_columns_are_folded(self):
        names = ",".join(f"c{i}" for i in range(1500))
        self.stoa("import", self.write("w.csv", names + "\n" + (",".join("12345"[i % 5] for i in range(1500)) + "\n") * 3),
                  f"{self.dir}/w.h5:/w")  # fmt: skip
        page = self.page(f"{self.dir}/w.h5")
        self.assertEqual(page.text.count("Columns "), 15)
        self.assertLess((self.dir / "p.html").stat().st_size, 2e6)

    def test_every_layout_has_a_page(self):
        self.stoa("query", self.table(), "-c", "n,holes,label,wave", "-o", f"{self.dir}/few.h5:/t")
        for layout in ("pytables", "h5tb", "pandas-table", "anndata", "lh5", "arkouda"):
            self.stoa("convert", self.dir / "few.h5", self.dir / f"{layout}.h5", "--to", layout, "--missing", "holes=0")
            page = self.page(self.dir / f"{layout}.h5")
            self.assertTrue(any("wave" in row[0] for row in page.rows if len(row) == 9), layout)

    def test_a_page_is_whole_or_not_there(self):
        self.fails("report", self.dir / "none.h5", "-o", self.dir / "n.html")
        self.assertFalse((self.dir / "n.html").exists())
        kept = self.write("kept.html", "kept")
        self.fails("report", self.write("no.h5", "no HDF5"), "-o", kept)
        self.assertEqual(Path(kept).read_text(), "kept")
        self.fails("report", self.table(), "-o", "/dev/full/x.html")

    def test_wrong_usage(self):
        file = self.table()
        for options in ((file,), (file, "-o", self.dir / "p.txt"), (f"{file}:/t", "-o", self.dir / "p.html")):
            self.fails("report", *options, status=2)


if __name__ == "__main__":
    stoa_test.main()
