"""stoa plot without peers: pages' pictures, terminals, and libraries that are not there (src/cli/plot)."""

import base64
import re
import sys
import zlib
import xml.etree.ElementTree as Xml
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

DATA = stoa_test.SOURCE / "examples/data"
DOCS = stoa_test.SOURCE / "docs"
EVIL = "\x1b]0;P\x07<&>\"\u202e"


def png_pixels(data):
    """Rows of (r, g, b) of a PNG file of eight-bit RGB, whose lines are filtered by 1 (sub)."""
    width, height = (int.from_bytes(data[at : at + 4]) for at in (16, 20))
    at, packed = 8, b""
    while at < len(data):
        length = int.from_bytes(data[at : at + 4])
        packed += data[at + 8 : at + 8 + length] if data[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + length
    raw, rows = zlib.decompress(packed), []
    for y in range(height):
        line = raw[y * (3 * width + 1) : (y + 1) * (3 * width + 1)]
        assert line[0] == 1
        pixel, row = (0, 0, 0), []
        for x in range(width):
            pixel = tuple((a + b) % 256 for a, b in zip(pixel, line[1 + 3 * x : 4 + 3 * x]))
            row.append(pixel)
        rows.append(row)
    return rows


def sixel_pixels(text):
    """The same of a picture in sixels, in percent."""
    width, height = map(int, re.match(r'\x1bPq"1;1;(\d+);(\d+)', text).groups())
    palette, rows = {}, [[None] * width for _ in range(height)]
    x = top = colour = 0
    body = text[text.index("#") : text.index("\x1b\\")]
    for token in re.finditer(r"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)([?-~])|([?-~])|(\$)|(-)", body):
        number, r, g, b, used, n, repeated, single, back, down = token.groups()
        if number:
            palette[int(number)] = (int(r), int(g), int(b))
        elif used:
            colour = int(used)
        elif back or down:
            x, top = 0, top + (6 if down else 0)
        else:
            for _ in range(int(n or 1)):
                for k in range(6):
                    if ord(repeated or single) - 63 >> k & 1:
                        rows[top + k][x] = palette[colour]
                x += 1
    return rows


class Plot(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        rows = "".join(f"{i},{i * i % 17},{'ab'[i % 2]},{(i % 3) * 0.5}\n" for i in range(300))
        self.place = f"{self.dir}/t.h5:/t"
        self.stoa("import", self.write("t.csv", "n,m,label,w\n" + rows), self.place)

    def drawn(self, *options):
        self.stoa("plot", self.place, *options, "-o", self.dir / "p.svg")
        return (self.dir / "p.svg").read_text()

    def answered(self, answer, *options):
        return stoa_test.on_terminal("plot", self.place, "-c", "m", *options, answer=answer)

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

    def test_numbers_beyond_float32_have_bins(self):
        rows = "".join(f"{i}e300\n" for i in range(1, 100)) + "1e308\n"
        place = f"{self.dir}/far.h5:/t"
        self.stoa("import", self.write("far.csv", "x\n" + rows), place)
        text = self.stoa("plot", place, "-c", "x", "-f", "csv").stdout
        self.assertEqual(sum(int(line.split(",")[2]) for line in text.splitlines()[1:]) in (99, 100), True)
        self.assertIn("row", self.stoa("query", place, "--histogram", "x").stdout)

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

    def test_kitty_gets_the_png_file(self):
        self.stoa("plot", self.place, "-c", "m", "-o", self.dir / "p.png")
        text = self.stoa("plot", self.place, "-c", "m", "-f", "kitty").stdout
        commands = re.findall("\x1b_G([^;]*);([A-Za-z0-9+/=]*)\x1b\\\\", text)
        self.assertEqual(commands[0][0], "a=T,f=100,m=1")
        self.assertEqual([keys for keys, _ in commands[1:]], ["m=1"] * (len(commands) - 2) + ["m=0"])
        self.assertTrue(all(len(letters) <= 4096 for _, letters in commands))
        self.assertEqual(base64.b64decode("".join(letters for _, letters in commands)), (self.dir / "p.png").read_bytes())

    def test_sixels_are_the_pixels_of_the_picture(self):
        self.stoa("plot", self.place, "-c", "m", "--size", "161x125", "-o", self.dir / "p.png")
        expected = png_pixels((self.dir / "p.png").read_bytes())
        found = sixel_pixels(self.stoa("plot", self.place, "-c", "m", "--size", "161x125", "-f", "sixel").stdout)
        self.assertEqual((len(found), len(found[0])), (125, 161))
        for row, same in zip(found, expected, strict=True):
            for pixel, exact in zip(row, same, strict=True):
                self.assertTrue(all(abs(p - e / 2.55) <= 11 for p, e in zip(pixel, exact)), (pixel, exact))

    def test_a_terminal_gets_the_graphics_that_it_says_it_has(self):
        kitty = "\x1b_Gi=31;OK\x1b\\\x1b[?62;c"
        self.assertIn("\x1b_Ga=T,f=100", self.answered(kitty))
        self.assertIn('\x1bPq"1;1;800;500', self.answered("\x1b[?62;4;22c"))
        for answer in ("\x1b[?62;22;14c", "", "garbage" * 60):
            seen = self.answered(answer)
            self.assertIn("┤", seen)
            self.assertNotIn("\x1bP", seen)
        self.assertNotIn("\x1b_G", self.answered(kitty, "-f", "text"))

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
