"""What a file says never drives the terminal (src/cli/common/terminal.h). escapes.h5 has names, titles and
values with ESC, BEL, C1 and right-to-left controls; it was made by hand with h5py for an attack on
Stoa 0.1.0."""

import csv
import io
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

DATA = stoa_test.SOURCE / "tests/hostile/data/escapes.h5"
EVIL = "\x1b]0;PWNED\x07\x1b[31mRED\x1b[2J"
DRIVES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Escapes(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = shutil.copy(DATA, self.dir / "a.h5")

    def commands(self):
        file, table, names = self.file, f"{self.file}:/ta{EVIL}", f"{self.file}:/c1"
        for place in (table, names):
            yield from (["info", place], ["attr", place], ["check", place, "--strict"], ["query", place],
                        ["index", "list", place], ["query", place, "--explain", "-n", "1"])  # fmt: skip
            for format in ("table", "csv", "tsv", "json", "jsonl"):
                yield ["query", place, "-f", format]
                yield ["export", place, "-", "-f", format]
            yield ["query", place, "-c", f"no{EVIL}\u202e"]
            yield ["query", place, "-w", f'"no{EVIL}" = \'\u009b\'']
            yield ["plot", place]
            yield ["append", place, place]
        yield from (["ls", file], ["ls", "-l", file], ["ls", "-t", file], ["ls", "--tree", table],
                    ["check", file], ["check", file, "-f", "json"], ["stat", file], ["dump", file],
                    ["diff", file, file], ["info", file], ["ls", f"{file}:/no{EVIL}"],
                    ["query", f"{file}:/link{EVIL}"], ["query", f"{file}:/err\x1b[2J"],
                    ["info", f"{self.dir}/no\u009b\u2067.h5"], ["convert", file, f"{self.dir}/b.h5",
                    "--to", "hep001"], [f"no{EVIL}"], ["ls", f"--no{EVIL}", file],
                    ["query", table, "--histogram", f"c{EVIL}"])  # fmt: skip

    def test_nothing_of_it_drives_a_terminal(self):
        n_escaped = 0
        for words in self.commands():
            seen = stoa_test.on_terminal(*words, NO_COLOR="1").replace("\r\n", "\n")
            if not any(w in words for w in ("json", "jsonl")):  # which have it of their own
                self.assertNotIn("\ufffd", seen, words)  # a byte that is no UTF-8
            self.assertEqual(DRIVES.findall(seen), [], (words, seen))
            n_escaped += "\\x1b" in seen or "\\u202e" in seen or "\\u001b" in seen
        self.assertGreater(n_escaped, 20)

    def test_colour_is_ours_alone(self):
        for words in (["ls", self.file], ["check", self.file], ["query", f"{self.file}:/no{EVIL}"]):
            seen = stoa_test.on_terminal(*words)
            self.assertIn("\x1b[", seen)
            self.assertEqual(DRIVES.findall(re.sub(r"\x1b\[[0-9]+m(?!RED)|\r", "", seen)), [], seen)

    def test_columns_stay_in_line(self):
        lines = stoa_test.on_terminal("ls", self.file, NO_COLOR="1").replace("\r", "").splitlines()
        at = lines[0].index("layout")
        self.assertEqual({line[at - 2 : at] for line in lines[:1] + lines[2:]}, {"  "})
        self.assertEqual({line[at] for line in lines[2:]}, {"h", "l", "p"})

    def test_pipes_and_files_get_the_bytes_as_they_are(self):
        table = f"{self.file}:/ta{EVIL}"
        for words in (["ls", self.file], ["ls", "-t", self.file], ["info", table], ["attr", table],
                      ["check", self.file], ["query", table], ["query", table, "-f", "csv"]):  # fmt: skip
            said = self.stoa(*words, status=None).stdout
            self.assertIn(EVIL, said, words)
        self.stoa("query", table, "-o", self.dir / "out.txt")
        self.assertIn(EVIL, (self.dir / "out.txt").read_text(errors="replace"))
        # What goes to stderr is one line of a log, wherever that is read.
        done = self.fails("query", f"{self.file}:/no{EVIL}\u202e", says=["PWNED", "RED", "\\u202e"])
        self.assertEqual(DRIVES.findall(done.stderr.rstrip("\n")), [])

    def test_an_object_is_one_line_wherever_it_is_listed(self):
        self.stoa("import", self.write("a.csv", 'x\n"a\nb"\n'), f"{self.dir}/b.h5:/one\ntwo")
        lines = self.stoa("ls", self.dir / "b.h5").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines[2:]], ["/one\\ntwo"])
        self.assertEqual(self.stoa("query", self.dir / "b.h5").stdout.splitlines()[2:], ["a\\nb"])

    def test_characters_are_whole_on_a_terminal_however_many_there_are(self):
        rows = [f"{'é' * (i % 3)}日本語{i}\u0301😀" for i in range(3000)]
        file = self.dir / "b.h5"
        self.stoa("import", self.write("a.csv", "x\n" + "\n".join(rows) + "\n"), file)
        for format in ("csv", "table"):
            seen = stoa_test.on_terminal("query", file, "-n", "3000", "-f", format, NO_COLOR="1")
            self.assertEqual(seen.replace("\r", ""), self.stoa("query", file, "-f", format).stdout)
        self.stoa("query", file, "-f", "csv", "-o", self.dir / "out.csv")
        self.assertEqual((self.dir / "out.csv").read_text(), "x\n" + "\n".join(rows) + "\n")


class Formulas(stoa_test.TestCase):
    TEXTS = ["=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "=a,b", '="x"', "1=1", " =1", "", "'=1", "-"]

    def setUp(self):
        super().setUp()
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(["=name", "n"])
        writer.writerows([t, -i] for i, t in enumerate(self.TEXTS))
        self.place = f"{self.dir}/a.h5:/t"
        source = self.write("a.csv", text.getvalue())
        self.stoa("import", source, self.place, "--type", "n=int64", "--null", "none")

    def cells(self, *words, delimiter=","):
        said = stoa_test.run(stoa_test.STOA, *words, text=False).stdout.decode()
        return list(csv.reader(io.StringIO(said, newline=""), delimiter=delimiter))

    def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(self):
        wanted = [["'" + t if t[:1] and t[0] in "=+-@\t\r" else t, str(-i)]
                  for i, t in enumerate(self.TEXTS)]  # fmt: skip
        for words in (["query", self.place], ["export", self.place, "-"]):
            for format, delimiter in (("csv", ","), ("tsv", "\t")):
                rows = self.cells(*words, "-f", format, "--no-formulas", delimiter=delimiter)
                self.assertEqual(rows, [["'=name", "n"], *wanted])

    def test_without_the_option_and_in_other_formats_text_is_itself(self):
        rows = self.cells("query", self.place, "-f", "csv")
        self.assertEqual(rows, [["=name", "n"], *([t, str(-i)] for i, t in enumerate(self.TEXTS))])
        self.fails("query", self.place, "--no-formulas", status=2, says="csv and tsv")
        self.fails("export", self.place, "-", "-f", "json", "--no-formulas", status=2, says="csv")


if __name__ == "__main__":
    stoa_test.need_terminals()
    stoa_test.main()
