"""Signals at any moment of any command: it ends at once and says so in one line; nothing that it has
not finished stays, and every file is as it was unless the line says that a change was made.

SIGINT and SIGTERM end it with 130 and 143. Crashes (SIGSEGV and SIGABRT, sent by hand) end it with 3.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

ROWS = "i,x,w\n" + "".join(f"{i},{i * 7919 % 65521 / 8},w{i * 31 % 53}\n" for i in range(20000))

MATRIX = "%%MatrixMarket matrix coordinate integer general\n5000 5000 20000\n" + "".join(
    f"{1 + i * 31 % 5000} {1 + i // 4} {i}\n" for i in range(20000)
)

# {f} is the file with the tables /t and /u and the sparse array /m, {d} its directory.
READINGS = {
    "ls": ("ls", "-l", "{f}"),
    "info": ("info", "{f}:/t"),
    "check": ("check", "--indexes", "{f}"),
    "stat": ("stat", "{f}"),
    "dump": ("dump", "{f}:/m", "--sparse"),
    "diff": ("diff", "{f}", "{d}/same.h5"),
    "query": ("query", "{f}:/t", "-a", "median(x)", "--by", "w"),
    "query to a file": ("query", "{f}:/t", "--sort", "x", "-o", "{d}/new.csv"),
    "export": ("export", "{f}:/t", "{d}/new.arrow"),
    "convert": ("convert", "{f}:/t", "{d}/new.h5", "--to", "pytables"),
    "import": ("import", "{d}/a.csv", "{d}/new.h5:/t"),
    "index verify": ("index", "verify", "{f}:/t"),
}
EDITS = {
    "append": ("append", "{d}/a.csv", "{f}:/t"),
    "append --safe": ("append", "{d}/a.csv", "{f}:/t", "--safe"),
    "update": ("update", "{f}:/t", "-w", "i % 3 = 0", "--set", "x=x+1"),
    "delete": ("delete", "{f}:/t", "-w", "i % 5 = 0"),
    "truncate": ("truncate", "{f}:/t", "1500"),
    "index add": ("index", "add", "{f}:/t", "x"),
    "column storage": ("column", "storage", "{f}:/t", "x", "--codec", "deflate:9"),
    "attr": ("attr", "{f}:/t", "-c", "x", "units=m"),
    "copy": ("copy", "{f}:/t", "{f}:/deep/v"),
    "move": ("move", "{f}:/t", "{f}:/v", "--safe"),
    "remove": ("remove", "{f}:/u"),
    "repack": ("repack", "{f}"),
}

ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGSEGV: 3, signal.SIGABRT: 3}
if os.environ.get("STOA_SANITIZE"):  # which tells of crashes itself
    ENDS = {number: ENDS[number] for number in (signal.SIGINT, signal.SIGTERM)}
CHANGED = ("completes the change or undoes it", "wholly or not at all")
HANGS = 60  # seconds; half of one is meant, on a machine that has nothing else to do


class Base(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        csv = self.write("a.csv", ROWS)
        for table in ("t", "u"):
            self.stoa("import", csv, f"{self.file}:/{table}", "--chunk", "1024", "--index", "i",
                      "--category", "w")  # fmt: skip
        self.stoa("import", self.write("m.mtx", MATRIX), f"{self.file}:/m")
        shutil.copy(self.file, self.dir / "same.h5")
        self.before = self.snapshot()

    def snapshot(self):
        return {path.name: path.read_bytes() for path in self.dir.iterdir()}

    def is_unchanged(self):
        """Bytes past the published end are harmless (docs/crash-safety.md, invariant 2)."""
        now = self.snapshot()
        return now.keys() == self.before.keys() and all(
            now[name].startswith(content) for name, content in self.before.items()
        )

    def restore(self):
        for path in self.dir.iterdir():
            if path.name not in self.before:
                path.unlink()
        for name in ("a.h5", "same.h5"):
            (self.dir / name).write_bytes(self.before[name])


class Signals(Base):
    def signal_at(self, command, seconds, number):
        """What became of a command that was signalled then: its status and its last words."""
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
        _, said = process.communicate(timeout=HANGS)
        return process.returncode, said

    def rows(self, place):
        return int(self.stoa("query", place, "-a", "count()", "-f", "csv").stdout.split()[1])

    def judge(self, number, status, said):
        if status in (0, -number):  # done before, or not yet begun
            self.assertTrue(status == 0 or self.is_unchanged())
            return False
        self.assertEqual(status, ENDS[number], said)
        self.assertTrue(said.splitlines()[-1].startswith("stoa: "), said)
        stray = set(os.listdir(self.dir)) - set(self.before)
        if any(text in said for text in CHANGED):
            self.assertTrue(stray <= {"new.h5", "new.csv", "new.arrow"}, stray)
            if "new.h5" in stray:
                self.assertEqual(self.rows(f"{self.dir}/new.h5:/t"), 20000)
        else:
            self.assertTrue(self.is_unchanged(), "a file has changed: " + said)
        return True

    def at_any_moment(self, words):
        command = [stoa_test.STOA] + [word.format(f=self.file, d=self.dir) for word in words]
        began = time.monotonic()
        self.stoa(*command[1:], status=None)
        whole = time.monotonic() - began
        self.restore()
        random = stoa_test.rng()
        n_ended = 0
        for number in ENDS:
            for _ in range(stoa_test.effort(1)):
                status, said = self.signal_at(command, random.uniform(0, whole), number)
                n_ended += self.judge(number, status, said)
                if words in EDITS.values():
                    self.assertEqual(self.stoa("check", "--indexes", self.file).stdout, "")
                self.restore()
        return n_ended

    def test_a_command_that_reads_ends_at_any_moment(self):
        self.assertGreater(sum(self.among(READINGS)), 0)

    def test_an_edit_ends_at_any_moment(self):
        self.assertGreater(sum(self.among(EDITS)), 0)

    def among(self, commands):
        for name, words in commands.items():
            with self.subTest(name):
                yield self.at_any_moment(words)

    def test_a_command_that_waits_for_a_reader_ends(self):
        """Its output is a pipe that is full: it is asked to end in order, and cannot."""
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([stoa_test.STOA, "query", f"{self.file}:/t", "-f", "csv"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
            time.sleep(0.3)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=HANGS), ENDS[number])
            process.stdout.close()
            process.stderr.close()

    def test_a_limit_of_addresses_is_told_in_one_line(self):
        """Too low a one for libhdf5 to begin, which printed a stack of its errors."""
        if "STOA_SANITIZE" in os.environ and os.environ["STOA_SANITIZE"]:
            self.skipTest("a sanitizer needs terabytes of addresses")
        for words in (("ls", "-l"), ("check", "--indexes"), ("stat",)):
            whole = self.stoa(*words, self.file).stdout
            own = os.stat(stoa_test.STOA).st_size // 1024  # with less the kernel cannot start it
            for kilobytes in range(own, 24000, 700):
                done = subprocess.run(
                    ["sh", "-c", f'ulimit -v {kilobytes}; exec "$0" "$@"', stoa_test.STOA, *words,
                     self.file],
                    capture_output=True, text=True, timeout=HANGS, check=False,
                )  # fmt: skip
                self.assertIn(done.returncode, (0, 3, 127), done.stderr)  # 127: not even loaded
                self.assertNotIn("HDF5-DIAG", done.stderr)
                if done.returncode == 0:
                    self.assertEqual(done.stdout, whole)
                elif done.returncode == 3:
                    self.assertIn("memory", done.stderr)

    def test_a_limit_of_file_sizes_is_told_in_one_line(self):
        done = subprocess.run(
            ["sh", "-c", 'ulimit -f 8; exec "$0" "$@"', stoa_test.STOA, "append",
             self.dir / "a.csv", f"{self.file}:/t"],
            capture_output=True, text=True, timeout=HANGS, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(self.snapshot() == self.before)


WIDE = 800
# Nearly all of their time is spent in libhdf5, over as many datasets as the table has columns.
LONG = {
    "ls": ("ls", "-l", "{f}"),
    "convert": ("convert", "{f}", "{d}/new.h5", "--to", "lh5"),
    "repack": ("repack", "{f}"),
    "repack away": ("repack", "{f}", "{d}/new.h5"),
    "import": ("import", "{d}/wide.csv", "{d}/new.h5:/t"),
    "diff": ("diff", "{f}", "{d}/same.h5"),
    "export": ("export", "{f}:/t", "{d}/new.arrow"),
    "copy": ("copy", "{f}:/t", "{f}:/u"),
}
SOON = 5  # seconds; one is meant, on a machine that has nothing else to do


class InsideLibhdf5(Base):
    """A table of many columns; how long after the signal a command has ended."""

    def setUp(self):
        stoa_test.TestCase.setUp(self)
        self.file = self.dir / "a.h5"
        head = ",".join(f"c{i}" for i in range(WIDE))
        rows = "".join(",".join(str(i * k) for i in range(WIDE)) + "\n" for k in range(3))
        csv = self.write("wide.csv", head + "\n" + rows)
        self.stoa("import", csv, f"{self.file}:/t")
        shutil.copy(self.file, self.dir / "same.h5")
        self.before = self.snapshot()

    def seconds_until_it_ended(self, command, seconds, number):
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            pass
        began = time.monotonic()
        process.send_signal(number)
        _, said = process.communicate(timeout=HANGS)
        return time.monotonic() - began, process.returncode, said

    def judge_end(self, number, status, said):
        if status in (0, -number):
            return False
        self.assertEqual(status, ENDS[number], said)
        self.assertTrue(said.splitlines()[-1].startswith("stoa: "), said)
        if not any(text in said for text in CHANGED):
            self.assertTrue(self.is_unchanged(), "a file has changed: " + said)
        strays = set(os.listdir(self.dir)) - set(self.before)
        self.assertFalse([name for name in strays if name.startswith(".")], said)
        return True

    def test_a_command_ends_soon_wherever_it_is(self):
        random = stoa_test.rng()
        longest, n_ended = 0, 0
        for name, words in LONG.items():
            command = [stoa_test.STOA] + [word.format(f=self.file, d=self.dir) for word in words]
            began = time.monotonic()
            self.stoa(*command[1:], status=None)
            whole = time.monotonic() - began
            self.restore()
            for _ in range(stoa_test.effort(1)):
                number = random.choice((signal.SIGINT, signal.SIGTERM))
                with self.subTest(name, number=number):
                    took, status, said = self.seconds_until_it_ended(
                        command, random.uniform(0, whole), number)  # fmt: skip
                    n_ended += self.judge_end(number, status, said)
                    longest = max(longest, took)
                    self.assertLess(took, SOON)
                self.restore()
        print(f"{n_ended} ended, each within {longest:.2f} s", file=sys.stderr)
        self.assertGreater(n_ended, 0)


if __name__ == "__main__":
    stoa_test.main()
