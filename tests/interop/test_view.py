"""`stoa view` in tmux, which shows what a person sees. What it shows is compared with what h5py reads."""

import json
import os
import re
import shlex
import shutil
import signal
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

TMUX = shutil.which("tmux")

# Files, and what h5py and NumPy read of them. Of large.h5 few rows are written, and all others are 0, the fill value.
MAKE = """
import h5py, json, numpy as np
rng = np.random.default_rng(5)
n = 3000
with h5py.File("small.h5", "w") as f:
    t = np.zeros(n, dtype=[("id", "<i4"), ("energy", "<f8"), ("name", "S12")])
    t["id"] = np.arange(n) * 3
    t["energy"] = rng.permutation(n) / 8
    t["name"] = [f"n{i % 7}" for i in range(n)]
    f.create_dataset("run/events", data=t, chunks=(100,), compression="gzip")
    f["run/grid"] = np.arange(60000, dtype="<i8").reshape(3000, 20)
    f["run/grid"].attrs["units"] = "mm"
    f["run/grid"].attrs["gain"] = 2.5
    f["run"].attrs["author"] = "Ada"
    f["texts"] = ["a\\x1b[2Jb", "two\\nlines", "e\\u0301clair", "日本語", "long " * 300 + "end"]
    f["link"] = h5py.SoftLink("/run/grid")
    f.create_group("empty")
N = 300_000_000
with h5py.File("large.h5", "w") as f:
    d = f.create_dataset("x", (N,), "<i8", chunks=(1 << 20,), compression="gzip")
    d[100_000_000:100_000_300] = np.arange(1, 301)
    d[N - 100:] = np.arange(1001, 1101)
with h5py.File("small.h5") as f, h5py.File("large.h5") as large:
    x = f["run/events"]["energy"]
    print(json.dumps({
        "energies": x.tolist(),
        "passed": np.flatnonzero(x > 300).tolist(),
        "order": np.argsort(x).tolist(),
        "statistics": [float(x.min()), float(x.max()), float(x.mean()), float(x.std(ddof=1))],
        "end": large["x"][-20:].tolist(),
        "middle": large["x"][100_000_090:100_000_110].tolist(),
    }))
"""


class Terminal:
    """A program in tmux."""

    def __init__(self, test, command, width=80, height=24, **env):
        self.test = test
        self.socket = test.dir / f"tmux-{id(self):x}"
        clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TMUX")}
        self.env = {**clean, "LC_ALL": "C.UTF-8", "SHELL": "/bin/sh", **env}
        shell = f"{command}; echo status=$?; stty -a; exec sleep 600"
        self.tmux("-f", "/dev/null", "-u", "new-session", "-d", "-x", width, "-y", height, shell)
        self.pid = int(self.tmux("display", "-p", "#{pane_pid}"))
        test.addCleanup(stoa_test.run, TMUX, "-S", self.socket, "kill-server")

    def tmux(self, *words):
        done = stoa_test.run(TMUX, "-S", self.socket, *words, cwd=self.test.dir, env=self.env)
        self.test.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def lines(self):
        return self.tmux("capture-pane", "-p").rstrip("\n").split("\n")

    def text(self):
        return "\n".join(self.lines())

    def wait(self, what, seconds=30):
        """The lines, once they contain a text."""
        end = time.monotonic() + seconds
        while what not in (text := self.text()):
            if time.monotonic() > end:
                self.test.fail(f"{what!r} does not appear:\n{text}")
            time.sleep(0.02)
        return text.split("\n")

    def press(self, *keys, until=None):
        """Keys by their names in tmux, or texts."""
        self.tmux("send-keys", *keys)
        return self.wait(until) if until else None

    def type(self, text, until=None):
        self.tmux("send-keys", "-l", text)
        return self.press("Enter", until=until)

    def children(self):
        """The process that the shell runs."""
        return int(stoa_test.run("ps", "-o", "pid=", "--ppid", self.pid).stdout.split()[0])


def cells(lines, top=3):
    """Words of the rows of a table."""
    return [line.split() for line in lines[top:-1] if line.strip()]


@unittest.skipUnless(TMUX, "there is no tmux")
class View(stoa_test.PeersTestCase):
    made = None  # the files, made once

    def setUp(self):
        super().setUp()
        names = ("small.h5", "large.h5")
        if View.made is None:
            View.expected = json.loads(self.peer_python(MAKE))
            View.made = {name: (self.dir / name).read_bytes() for name in names}
        for name in names:
            (self.dir / name).write_bytes(View.made[name])

    def view(self, *arguments, **how):
        words = " ".join(shlex.quote(str(word)) for word in (stoa_test.STOA, "view", *arguments))
        return Terminal(self, words, **how)

    def test_rows_are_those_that_h5py_reads(self):
        energies = self.expected["energies"]
        t = self.view("small.h5:/run/events")
        self.assertEqual(t.wait("row 0, 1 of 3000")[1].split(), ["row", "id", "energy", "name"])

        def check(lines, first, n=20):
            found = cells(lines)
            self.assertEqual([int(row[0]) for row in found], list(range(first, first + n)))
            for row, id, energy, name in found:
                expected = (int(row) * 3, energies[int(row)], f"n{int(row) % 7}")
                self.assertEqual((int(id), name), (expected[0], expected[2]))
                self.assertAlmostEqual(float(energy), expected[1], delta=5e-5)

        check(t.lines(), 0)
        check(t.press("G", until="row 2999, 3000 of 3000"), 2980)
        check(t.press("PageUp", until="row 2979"), 2960)
        check(t.type(":1234", until="row 1234, 1235"), 1224)
        check(t.press("Down", "Down", until="row 1236"), 1224)
        check(t.press("g", until="row 0, 1"), 0)
        t.press("q")
        t.wait("status=0")

    def test_a_filter_and_an_order_are_those_of_numpy(self):
        passed, order = self.expected["passed"], self.expected["order"]
        t = self.view("small.h5:/run/events")
        t.wait("row 0, 1 of 3000")
        t.press("f")
        t.type("energy > many", until="there is no column 'many'")
        self.assertIn("filter: energy > many", t.lines()[-1])
        t.press("C-w")
        lines = t.type("300", until=f"1 of {len(passed)}  where energy > 300")
        self.assertEqual([int(row[0]) for row in cells(lines)], passed[:20])
        lines = t.press("G", until=f"{len(passed)} of {len(passed)}")
        self.assertEqual([int(row[0]) for row in cells(lines)], passed[-20:])
        t.press("Escape", until="all rows")
        t.press("Right", "s")
        lines = t.wait("↑energy")
        self.assertEqual([int(row[0]) for row in cells(lines)], order[:20])
        lines = t.press("s", until="↓energy")
        self.assertEqual([int(row[0]) for row in cells(lines)], order[::-1][:20])
        lines = t.press("s", until=f"row {order[-1]}, {order[-1] + 1} of 3000")  # the same row
        self.assertNotIn("energy", lines[-1])

    def test_an_index_that_is_trusted_sorts(self):
        self.stoa("import", self.dir / "small.h5:/run/events", self.dir / "i.h5:/t", "--index", "energy:sorted")
        order = self.expected["order"]
        t = self.view("i.h5")
        t.wait("hep001 table")
        t.press("/")
        t.type("T", until="/t ")
        t.press("Enter", until="row 0, 1 of 3000")
        t.press("Right", "s")
        self.assertEqual([int(row[0]) for row in cells(t.wait("↑energy"))], order[:20])
        self.assertIn("Filters use them", "\n".join(t.press("i", until="indexes")))

    def test_search_finds_the_next_row_and_the_one_before(self):
        t = self.view("small.h5:/run/events")
        t.wait("row 0, 1 of 3000")
        t.press("/")
        t.type("4500", until="row 1500, 1501")  # id = 3 * row
        t.press("End", "/")
        t.type("N6", until="row 1504")  # row % 7 == 6, in any case
        t.press("n", until="row 1511")
        t.press("N", "N", until="row 1497")  # no key is lost while it searches
        t.press("/")
        t.type("none", until="'none' was not found")

    def test_the_tree_has_groups_datasets_links_and_units(self):
        t = self.view("small.h5")
        text = "\n".join(t.wait("texts"))
        for line in ("- run", "events  compound table · 3000 rows", "grid  int64 · 3000 x 20 · in mm",
                     "empty", "link   -> /run/grid", "texts  vlen string utf8 · 5"):  # fmt: skip
            self.assertIn(line, text)
        t.press("/")
        t.type("run", until="/run ")
        self.assertIn("author = Ada", "\n".join(t.press("i", until="attributes")))
        t.press("q", "Left")
        t.wait("+ run")
        t.press("/")
        t.type("grid", until="- run")  # unfolds what it is in
        lines = "\n".join(t.press("i", until="gain"))
        self.assertIn("units = mm", lines)
        self.assertIn("gain = 2.5", lines)
        t.press("q", "Enter")
        t.wait("3000 rows, 20 columns, plain")
        self.assertEqual(cells(t.lines())[2][:4], ["2", "40", "41", "42"])
        lines = t.press("End", until=" 19")
        self.assertEqual(cells(lines)[2][0], "2")  # row numbers stay where they are
        self.assertEqual(cells(lines)[2][-1], "59")
        t.press("Escape", until="objects")
        t.press("q", until="status=0")

    def test_statistics_are_those_of_numpy(self):
        t = self.view("small.h5:/run/events", height=50)
        t.wait("row 0, 1")
        t.press("Right", "c")
        text = "\n".join(t.wait("stddev"))
        found = [float(re.search(rf"^{name} +(\S+)", text, re.M)[1]) for name in ("least", "greatest", "mean", "stddev")]
        for a, b in zip(found, self.expected["statistics"], strict=True):
            self.assertAlmostEqual(a, b, delta=1e-9 * abs(b))
        self.assertIn("rows         3000", text)
        self.assertIn("█", text)  # its histogram

    def test_values_never_control_the_terminal(self):
        t = self.view("small.h5:/texts", width=40)
        lines = t.wait("row 0, 1 of 5")
        self.assertIn("a\\x1b[2Jb", lines[3])
        self.assertIn("two\\nlines", lines[4])
        self.assertIn("e\u0301clair", lines[5])
        self.assertIn("日本語", lines[6])
        t.press("G", until="row 4")
        t.press("Enter", until="lines 1 to")
        t.press("G", until="end")  # the whole value, and its last word
        t.press("q")
        t.press("Up", "Up", "Up", "Enter", until="row 1 of texts")
        self.assertIn("two", t.lines()[1])
        self.assertIn("lines", t.lines()[2])

    def test_a_screen_may_be_tiny_and_change_its_size(self):
        t = self.view("small.h5:/run/events", width=20, height=5, NO_COLOR="1")
        lines = t.wait("row 0, 1 of 3000")
        self.assertEqual(len(lines), 5)
        self.assertEqual(cells(lines, 2)[0][:2], ["0", "0"])
        t.press("End", until="name")
        t.press("G", until="row 2999")
        t.press("?", until="Keys of stoa view")
        t.press("q")
        t.tmux("resize-window", "-x", "100", "-y", "30")
        t.wait("3000 rows, 3 columns")
        lines = t.wait("row 2999, 3000 of 3000")
        self.assertEqual((len(lines), cells(lines)[-1][:2], cells(lines)[-1][-1]), (30, ["2999", "8997"], "n3"))
        t.tmux("resize-window", "-x", "3", "-y", "2")
        time.sleep(0.3)
        t.tmux("resize-window", "-x", "80", "-y", "24")
        t.wait("row 2999, 3000 of 3000")

    def test_no_color_leaves_out_colours(self):
        for env, is_red in (({}, True), ({"NO_COLOR": "1"}, False)):
            t = self.view("small.h5:/run/events", **env)
            t.wait("row 0, 1 of 3000")
            t.type(":9999", until="the last of the 3000 rows is 2999")
            self.assertEqual("\033[31m" in t.tmux("capture-pane", "-p", "-e"), is_red)

    def test_a_file_that_changes_is_read_again(self):
        self.stoa("import", self.dir / "small.h5:/run/events", self.dir / "c.h5:/t")
        t = self.view("c.h5:/t")
        t.wait("row 0, 1 of 3000")
        self.stoa("update", self.dir / "c.h5:/t", "-w", "id = 3", "--set", "energy=77.5", "--no-wait")
        lines = t.press("Down", until="the file changed, and was read again")
        self.assertEqual(cells(lines)[1][:3], ["1", "3", "77.5000" if "77.5000" in lines[4] else "77.500"])
        (self.dir / "c.h5").unlink()
        t.press("Down", until="c.h5")
        t.press("q", until="status=0")

    def check_given_back(self, t):
        """The screen is as it was, and its modes are those of a shell."""
        text = "\n".join(t.wait(" icanon"))
        self.assertLessEqual({"icanon", "isig", "echo", "icrnl", "ixon"}, set(text.split()))
        self.assertNotIn("3000 rows", text)
        self.assertEqual(t.tmux("display", "-p", "#{alternate_on} #{cursor_flag}").strip(), "0 1")
        return text

    def test_the_terminal_is_given_back_after_signals(self):
        for number, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)):
            t = self.view("small.h5:/run/events", height=40)
            t.wait("row 0, 1 of 3000")
            self.assertEqual(t.tmux("display", "-p", "#{alternate_on}").strip(), "1")
            os.kill(t.children(), number)
            text = self.check_given_back(t)
            self.assertIn(f"status={status}", text)
            self.assertIn("stoa: interrupted; no file was changed", text)
        if "asan" in stoa_test.STOA or "tsan" in stoa_test.STOA:
            return  # sanitizers take crashes
        t = self.view("small.h5:/run/events", height=40)
        t.wait("row 0, 1 of 3000")
        os.kill(t.children(), signal.SIGBUS)
        text = self.check_given_back(t)
        self.assertIn("status=3", text)
        self.assertIn("stoa: crashed (bus error)", text)

    def test_it_can_be_stopped_and_continued(self):
        t = Terminal(self, "bash --norc -i", PS1="$ ")
        t.wait("$")
        t.type(f"{stoa_test.STOA} view small.h5:/run/events", until="row 0, 1 of 3000")
        for stop in ("key", "signal"):
            if stop == "key":
                t.press("C-z")
            else:
                shell = t.children()
                os.kill(int(stoa_test.run("ps", "-o", "pid=", "--ppid", shell).stdout.split()[-1]), signal.SIGTSTP)
            t.wait("Stopped")
            self.assertEqual(t.tmux("display", "-p", "#{alternate_on} #{cursor_flag}").strip(), "0 1")
            t.type("fg", until="3000 rows, 3 columns")
            t.press("Down")
        t.wait("row 2, 3 of 3000")
        t.press("q")
        t.type("echo left=$?", until="left=0")

    def test_it_needs_a_terminal(self):
        done = self.stoa("view", self.dir / "small.h5", status=2)
        self.assertIn("stdout is no terminal; 'stoa ls', 'stoa info' and 'stoa query' print", done.stderr)
        t = self.view("small.h5", TERM="dumb")
        Terminal(self, f"TERM=dumb {stoa_test.STOA} view small.h5").wait("terminal without a cursor")
        t.press("q")
        Terminal(self, f"{stoa_test.STOA} view none.h5").wait("none.h5: ")
        Terminal(self, f"{stoa_test.STOA} view small.h5:/none").wait("status=3")

    def test_300_million_rows_are_there_at_once(self):
        self.assertLess((self.dir / "large.h5").stat().st_size, 10 << 20)
        began = time.monotonic()
        t = self.view("large.h5:/x")
        t.wait("row 0, 1 of 300000000")
        lines = t.press("G", until="row 299999999, 300000000 of 300000000")
        self.assertLess(time.monotonic() - began, 5)  # a scan of them takes longer under load
        self.assertEqual([int(v) for _, v in cells(lines)], self.expected["end"])
        lines = t.type(":100000100", until="row 100000100")
        self.assertEqual([int(row) for row, _ in cells(lines)], list(range(100000090, 100000110)))
        self.assertEqual([int(v) for _, v in cells(lines)], self.expected["middle"])
        t.press("f")
        t.type("x > 290", until=" searched")
        t.press("Escape", until="all rows")
        t.press("f", "Up")
        t.press("Enter", until="1 of 110")
        self.assertEqual([int(row[0]) for row in cells(t.lines())][:11], [*range(100000290, 100000300), 299999900])
        t.press("Escape", until="all rows")
        t.press("s", until="Esc ends it")
        t.press("C-c", until="sort: ended")


if __name__ == "__main__":
    stoa_test.main()
