"""What only a terminal gets: colour, the progress bar (src/cli/common/progress.c, terminal.c)."""

import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

ESCAPE = "\x1b["
on_terminal = stoa_test.on_terminal


class Colour(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        self.stoa("import", self.write("a.csv", "x\n1\n"), self.file)

    def test_a_terminal_gets_colour_and_a_pipe_none(self):
        for arguments in (["query", self.file], ["help"], ["ls", self.dir / "nothing.h5"]):
            self.assertIn(ESCAPE, on_terminal(*arguments))
            done = self.stoa(*arguments, status=None)
            self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_no_color_and_a_dumb_terminal_get_none(self):
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            for arguments in (["query", self.file], ["help"], ["ls", self.dir / "nothing.h5"]):
                self.assertNotIn(ESCAPE, on_terminal(*arguments, **env))

    def test_an_empty_no_color_means_nothing(self):
        self.assertIn(ESCAPE, on_terminal("query", self.file, NO_COLOR=""))


class Width(stoa_test.TestCase):
    def test_a_table_fits_the_terminal(self):
        """It has 80 columns, which long values would wrap."""
        file = self.dir / "a.h5"
        text = "word " * 30
        self.stoa("import", self.write("a.csv", f"n,s\n1,{text}\n2,é\n"), file, "--no-category", "s")
        for words in (["query", file], ["info", file]):
            lines = on_terminal(*words, NO_COLOR="1").replace("\r", "").splitlines()
            self.assertTrue(all(len(line) <= 80 for line in lines), lines)
        shown = on_terminal("query", file, NO_COLOR="1")
        self.assertRegex(shown, r'1  "?word word .*…')
        self.assertIn(text.strip(), self.stoa("query", file).stdout)


    def test_columns_without_room_are_left_out_and_counted(self):
        """Every column keeps eight characters, so that 80 have room for seven and the mark."""
        file = self.dir / "a.h5"
        names = [f"column_{i}_" for i in range(20)]
        self.stoa("import", self.write("a.csv", ",".join(names) + "\n" + ",".join(map(str, range(20))) + "\n"), file)
        lines = on_terminal("query", file, NO_COLOR="1").replace("\r", "").splitlines()
        self.assertTrue(all(len(line) <= 80 for line in lines), lines)
        self.assertEqual(lines[2].split(), ["0", "1", "2", "3", "…", "17", "18", "19"])
        self.assertIn("13 of 20 columns do not fit; -c A,B chooses some", lines[3])
        self.assertEqual(self.stoa("query", file).stdout.splitlines()[0].split(), names)

    def test_descriptions_are_wrapped_between_words(self):
        file = self.dir / "a.h5"
        words = "word longer sentence " * 20
        self.stoa("import", self.write("a.csv", "n\n1\n"), file, "--description", words.strip())
        lines = on_terminal("info", file, NO_COLOR="1").replace("\r", "").splitlines()
        self.assertTrue(all(len(line) <= 80 for line in lines), lines)
        shown = [line[13:] for line in lines[1:lines.index(next(x for x in lines if x.startswith("layout")))]]
        self.assertEqual(" ".join(shown), words.strip())
        self.assertIn(words.strip(), self.stoa("info", file).stdout)


class Rows(stoa_test.TestCase):
    def test_a_terminal_gets_the_first_rows_and_their_number(self):
        file = self.dir / "a.h5"
        self.stoa("import", self.write("a.csv", "n\n" + "".join(f"{i}\n" for i in range(1000))), file)
        for more, n in (((), 1000), (("-w", "n >= 100"), 900), (("--sort", "n:desc"), 1000)):
            shown = on_terminal("query", file, *more, NO_COLOR="1").replace("\r", "").splitlines()
            self.assertEqual(len(shown), 53, shown[-3:])
            self.assertIn(f"the first 50 of {n} rows; -n {n} shows all", shown[-1])
        for more in (("-n", "60"), ("-n", "1000"), ("-f", "csv"), ("-w", "n < 50")):
            self.assertNotIn("the first", on_terminal("query", file, *more))
        self.assertEqual(len(self.stoa("query", file).stdout.splitlines()), 1002)


class Floats(stoa_test.TestCase):
    def shown(self, csv):
        file = self.dir / "a.h5"
        self.stoa("import", self.write("a.csv", csv), file)
        return on_terminal("query", file, NO_COLOR="1").replace("\r", "").splitlines()[2:]

    def test_a_table_rounds_them_to_four_decimals(self):
        self.assertEqual(self.shown("x\n0.123456789\n12.5\n"), [" 0.1235", "12.5000"])

    def test_a_table_shows_very_small_and_very_large_ones_as_powers(self):
        self.assertEqual(self.shown("x\n1.5e-7\n3e300\n"), ["1.5e-07", " 3e+300"])


class Progress(stoa_test.TestCase):
    def slow_rows(self):
        """A table that takes its time to arrive."""
        yield b"x,y\n"
        for i in range(12):
            yield b"".join(b"%d,%d\n" % (j, j) for j in range(i * 20000, (i + 1) * 20000))
            time.sleep(0.1)

    def test_a_long_import_shows_a_bar_and_wipes_it_off(self):
        seen = on_terminal("import", "-", f"{self.dir}/a.h5:/t", input=self.slow_rows())
        drawn = re.findall(r"\r\x1b\[K[a-z]", seen)
        self.assertGreater(len(drawn), 0, seen)
        self.assertLess(len(drawn), 100)  # at most ten a second
        self.assertRegex(seen, r"\r\x1b\[K[^\r]*240000 rows imported")

    def test_no_progress_and_a_pipe_show_none(self):
        seen = on_terminal(
            "import", "-", f"{self.dir}/a.h5:/t", "--no-progress", input=self.slow_rows()
        )
        self.assertNotIn("\x1b[K", seen)
        done = self.stoa(
            "import", "-", f"{self.dir}/a.h5:/u", input=b"".join(self.slow_rows()).decode()
        )
        self.assertEqual(done.stderr, f"{self.dir}/a.h5:/u: 240000 rows imported from -\n")

    def test_a_quick_command_draws_nothing(self):
        seen = on_terminal("import", self.write("a.csv", "x\n1\n"), f"{self.dir}/a.h5:/t")
        self.assertNotIn("\x1b[K", seen)


if __name__ == "__main__":
    if sys.platform == "win32":
        stoa_test.skip("there are no pseudo-terminals")
    stoa_test.need_terminals()
    stoa_test.main()
