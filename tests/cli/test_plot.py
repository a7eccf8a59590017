"""stoa plot without peers: pages' pictures, terminals, and libraries that are not there (src/cli/plot)."""

import re
import sys
import xml.etree.ElementTree as Xml
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

DATA = stoa_test.SOURCE / "examples/data"
DOCS = stoa_test.SOURCE / "docs"
EVIL = "\x1b]0;P\x07<&>\"\u202e"


class Plot(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        rows = "".join(f"{i},{i * i % 17},{'ab'[i % 2]},{(i % 3) * 0.5}\n" for i in range(300))
        self.place = f"{self.dir}/t.h5:/t"
        self.stoa("import", self.write("t.csv", "n,m,label,w\n" + rows), self.place)

    def drawn(self, *options):
        self.stoa("plot", self.place, *options, "-o", self.dir / "p.svg")
        return (self.dir / "p.svg").read_text()

    def test_the_pictures_of_the_page_are_those_of_its_commands(self):
        place = f"{self.dir}/us.h5:/flights"
        self.stoa("import", DATA / "flights-2001.csv.gz", place, "--chunk", "8192")
        page = (DOCS / "plots.md").read_text()
        commands = re.findall(r"\$ stoa plot us\.h5:/flights ((?:.*\\\n)?.*-o (plots-\w+\.svg))", page)
        self.assertEqual(len(commands), 2)
        for command, name in commands:
            words = [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|([^\s\\"]+)', command)]
            self.stoa("plot", place, *words[:-1], self.dir / name)
            self.assertEqual((self.dir / name).read_text(), (DOCS / name).read_text(), name)

    def test_kinds_that_columns_get(self):
        for options, found in ((("-c", "m"), 'class="area"'), (("-c", "label"), 'class="bar"'),
                               (("-c", "m", "--x", "n"), 'class="line"'), (("-c", "n", "--x", "m"), "<circle"),
                               (("-c", "m", "--kind", "box"), 'class="box"'),
                               (("-c", "m", "--x", "n", "--kind", "hist2d"), 'class="cell"')):  # fmt: skip
            self.assertIn(found, self.drawn(*options), options)

    def test_the_legend_is_beside_the_frame(self):
        root = Xml.fromstring(self.drawn("-c", "m", "--by", "label"))
        frame = root.find("{*}svg")
        right = float(frame.get("x")) + float(frame.get("width"))
        names = [text for text in root.findall(".//{*}text") if text.get("class") in ("name", "legend")]
        self.assertEqual([text.text for text in names], ["label", "a", "b"])
        self.assertTrue(all(float(text.get("x")) > right for text in names))

    def test_cells_have_no_seams(self):
        few = self.drawn("-c", "m", "--x", "n", "--kind", "hist2d", "--bins", "5x4")
        self.assertIn("crispEdges", few)
        many = self.drawn("-c", "m", "--x", "n", "--kind", "hist2d", "--bins", "100x100")
        self.assertEqual(many.count("data:image/png;base64,"), 1)
        self.assertIn("image-rendering:pixelated", many)

    def test_a_table_without_rows_is_drawn(self):
        for options in ((), ("-c", "m"), ("-c", "label"), ("-c", "m", "--by", "label"), ("-c", "n", "--x", "m"),
                        ("-c", "m", "--by", "label", "--kind", "box"), ("-c", "m", "--log", "xy"),
                        ("-c", "m", "--x", "n", "--kind", "hist2d", "--log", "z")):  # fmt: skip
            for form in ("text", "svg", "csv", "json"):
                self.stoa("plot", self.place, *options, "-w", "n < 0", "-f", form)

    def test_constant_columns_have_a_range(self):
        for options in (("-c", "m - m"), ("-c", "w * 0 + 1e300"), ("-c", "m - m + 1", "--log", "x"),
                        ("-c", "m - m", "--x", "n"), ("-c", "m - m", "--x", "m - m", "--kind", "hist2d")):  # fmt: skip
            text = self.drawn(*options)
            self.assertNotIn("nan", text)
            self.assertNotIn("inf", text)

    def test_a_terminal_shows_names_escaped(self):
        rows = "".join(f'{i},"{EVIL.replace(chr(34), chr(34) * 2)}"\n' for i in range(9))
        place = f"{self.dir}/evil.h5:/t"
        self.stoa("import", self.write("evil.csv", "n,l\n" + rows), place, "--category", "l")
        for options in (("-c", "l"), ("-c", "n", "--by", "l"), ("-c", "n", "--by", "l", "--kind", "box"),
                        ("-c", "n", "--title", EVIL)):  # fmt: skip
            seen = stoa_test.on_terminal("plot", place, *options, NO_COLOR="1")
            self.assertIn("\\x1b]0;P", seen)
            self.assertNotIn("\x1b", seen)
            self.assertNotIn("\u202e", seen)
            self.stoa("plot", place, *options, "-o", self.dir / "e.svg")
            Xml.parse(self.dir / "e.svg")

    def test_series_have_colours_on_a_terminal(self):
        self.assertIn("\x1b[33m", stoa_test.on_terminal("plot", self.place, "-c", "m", "--by", "label"))

    def test_without_cairo_png_is_refused_and_nothing_is_written(self):
        (self.dir / "libcairo.so.2").write_bytes(b"no library")
        self.fails("plot", self.place, "-c", "m", "-o", self.dir / "p.png", says=["cairo", ".svg"],
                   env={"LD_LIBRARY_PATH": str(self.dir)})  # fmt: skip
        self.assertFalse((self.dir / "p.png").exists())

    def test_a_picture_that_exists_stays_if_drawing_fails(self):
        picture = self.write("p.svg", "kept")
        self.fails("plot", self.place, "-c", "m / 0 + nothing", "-o", picture, says="nothing")
        self.assertEqual(Path(picture).read_text(), "kept")


if __name__ == "__main__":
    stoa_test.main()
