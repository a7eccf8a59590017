"""Completion: what may stand in a command line (src/cli/help), and the scripts of bash, zsh and fish, which are
run by these shells on a terminal."""

import json
import os
import pty
import resource
import select
import signal
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

SCRIPTS = stoa_test.SOURCE / "completions"
HOSTILE = ["$(touch pwned)", "`touch pwned`", "a;touch pwned", "a'touch pwned", 'b"touch pwned', "c d\\e", "é&|<>*?[x]~#!!"]


class Answers(stoa_test.TestCase):
    """What `stoa __complete` says."""

    def setUp(self):
        super().setUp()
        self.write("t.csv", 'energy,label,when,odd name,"na,me"\n1.5,a,2020-01-01,1,2\n')
        self.stoa("import", "t.csv", "t.h5:/events/first", cwd=self.dir)
        self.stoa("import", "t.csv", "t.h5:/other", cwd=self.dir)

    def complete(self, *words, at=None):
        """The candidates, with what they are, and the flags."""
        at = len(words) - 1 if at is None else at
        lines = self.stoa("__complete", at, *words, cwd=self.dir).stdout.splitlines()
        self.assertEqual(lines[-1][0], "\t")
        return dict(line.split("\t") for line in lines[:-1]), lines[-1].split()

    def names(self, *words, **options):
        return list(self.complete(*words, **options)[0])

    def test_commands_and_subcommands(self):
        found, _ = self.complete("")
        listed = {c["name"].split()[0] for c in json.loads(self.stoa("help", "-f", "json").stdout)}
        self.assertEqual(set(found), listed | {"help", "--help", "--version"})
        self.assertEqual(found["ls"], "list every object Stoa knows in a file")
        self.assertEqual(self.names("pl"), ["plot"])
        self.assertEqual(self.names("index", ""), ["add", "list", "drop", "verify"])
        self.assertEqual(self.names("help", "upd"), ["update"])

    def test_options_are_those_of_the_command(self):
        for command in json.loads(self.stoa("help", "-f", "json").stdout):
            options = {f"--{o['name']}": o["help"] for o in command["options"]}
            found, _ = self.complete(*command["name"].split(), "--")
            self.assertEqual(found.pop("--help"), "show this command's options")
            self.assertEqual(found, options, command["name"])
        self.assertEqual(self.names("query", "t.h5", "--no-i"), ["--no-index"])
        self.assertEqual(self.names("query", "--", "--no-i"), [])

    def test_values_of_options(self):
        layouts = self.names("convert", "a", "b", "--to", "")
        self.assertLessEqual({"hep001", "pytables", "anndata", "lh5"}, set(layouts))
        self.assertEqual(self.names("convert", "a", "b", "--to=py"), ["--to=pytables"])
        self.assertIn("zstd", self.names("import", "a", "b", "--codec", ""))
        self.assertEqual(self.names("index", "add", "t.h5", "--kind", "b"), ["bitmap", "bloom"])
        self.assertEqual(self.names("query", "-fj"), ["-fjsonl", "-fjson"])
        self.assertEqual(self.names("import", "--type", "x=floa"), ["x=float32", "x=float64"])
        self.assertEqual(self.names("query", "--limit", ""), [])

    def test_types_are_those_that_import_takes(self):
        types = [word.split("=")[1] for word in self.names("import", "--type", "x=")]
        self.assertEqual(len(types), 16)
        self.write("types.csv", ",".join(types) + "\n" + "," * (len(types) - 1) + "\n")
        options = [word for one in types for word in ("--type", f"{one}={one}")]
        self.stoa("import", "types.csv", "types.h5:/t", *options, "--dry-run", cwd=self.dir)

    def test_paths_in_files(self):
        self.assertEqual(self.complete("ls", "t.h"), ({}, ["files"]))
        self.assertEqual(self.complete("ls", "t.h5"), ({"t.h5:/": "what is in it"}, ["files"]))
        self.assertEqual(self.complete("ls", "t.h5:"), ({"t.h5:/": "what is in it"}, ["files", "nospace"]))
        self.assertEqual(self.complete("ls", "t.h5:/")[0], {"t.h5:/events/": "group", "t.h5:/other": "table"})
        self.assertEqual(self.complete("query", "t.h5:/events/f")[0], {"t.h5:/events/first": "table"})
        self.assertEqual(self.complete("ls", "absent.h5:/"), ({}, ["nospace"]))
        self.assertEqual(self.complete("ls", "t.csv:/"), ({}, ["nospace"]))

    def test_columns_of_the_table_on_the_line(self):
        columns = {"energy": "float64", "label": "string", "when": "date", '"odd name"': "int8", '"na,me"': "int8"}
        self.assertEqual(self.complete("query", "t.h5:/other", "-c", "")[0], columns)
        self.assertEqual(self.complete("query", "-c", "", "t.h5:/other", at=2)[0], columns)
        self.assertEqual(self.names("index", "add", "t.h5:/other", "en"), ["energy"])
        self.assertEqual(self.names("query", "t.h5:/other", "-c", "label,en"), ["label,energy"])
        self.assertEqual(self.names("query", "t.h5:/other", "-c", "label,od"), ['label,"odd name"'])
        self.assertEqual(self.names("query", "t.h5:/other", "--sort", "label:de"), ["label:desc"])
        self.assertEqual(self.names("update", "t.h5:/other", "--set", "en"), ["energy="])
        self.assertEqual(self.names("query", "t.h5", "-c", ""), [])  # which of its tables?

    def test_expressions(self):
        where = lambda text: self.names("query", "t.h5:/other", "-w", text)
        self.assertEqual(where("energy > 3 and la"), ["energy > 3 and label"])
        self.assertEqual(where("rou"), ["round("])
        self.assertEqual(where("label = 'en"), [])
        self.assertEqual(where("label = 'x' a"), [f"label = 'x' a{end}" for end in
                         self.endings(where("label = 'x' a"), "label = 'x' a")])  # fmt: skip
        self.assertIn("label = 'x' and", where("label = 'x' a"))
        self.assertEqual(where('"odd'), ['"odd name"'])
        self.assertNotIn("mean(", where("me"))
        self.assertIn("mean(", self.names("query", "t.h5:/other", "-a", "me"))
        self.assertEqual(self.names("functions", "roun"), ["round"])

    def endings(self, found, start):
        return [one[len(start) :] for one in found]

    def test_names_that_would_move_the_cursor_are_no_candidates(self):
        self.write("odd.csv", "fine,fi\x1b[2Jne,fi\u202ene\n1,2,3\n")
        self.stoa("import", "odd.csv", "odd.h5:/t", cwd=self.dir)
        self.assertEqual(self.names("query", "odd.h5:/t", "-c", "f"), ["fine"])

    def test_wrong_use_says_nothing(self):
        for words in ([], ["x"], ["9", "query"], ["-1", "query"]):
            done = self.stoa("__complete", *words, status=2)
            self.assertEqual((done.stdout, done.stderr), ("", ""))

    @unittest.skipIf(os.environ.get("STOA_SANITIZE") or os.environ.get("STOA_VALGRIND"), "it is slower")
    def test_an_answer_takes_less_than_thirty_milliseconds(self):
        self.write("wide.csv", ",".join(f"column{i}" for i in range(100)) + "\n" + ",".join(["1"] * 100) + "\n")
        self.stoa("import", "wide.csv", "wide.h5:/t", cwd=self.dir)
        for words in (["wide.h5:/"], ["wide.h5:/t", "-c", "col"]):
            took = []
            for _ in range(5):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                self.complete("query", *words)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            print(f"    {' '.join(words)}: {1000 * min(took):.0f} ms")
            self.assertLess(min(took), 0.03)


class Shell:
    """A shell on a terminal, whose function `stoa` shows its arguments instead of running."""

    ends_quotes = True  # where the word is whole
    ends_paths = True  # the same behind a group, where it goes on

    def setUp(self):
        super().setUp()
        self.need(self.shell)
        (self.dir / "bin").mkdir()
        (self.dir / "bin/stoa").symlink_to(stoa_test.STOA)
        work = self.dir / "work"
        work.mkdir()
        header = ",".join('"' + name.replace('"', '""') + '"' for name in ["energy", "label", *HOSTILE])
        self.write("work/t.csv", header + "\n" + ",".join(["1"] * (2 + len(HOSTILE))) + "\n")
        self.stoa("import", "t.csv", "t.h5:/my events/first", cwd=work)
        self.stoa("import", "t.csv", "a b.h5:/t", cwd=work)
        for i, name in enumerate(HOSTILE):
            self.stoa("import", "t.csv", f"h{i}.h5:/{name}", cwd=work)
        self.work = work

    def line(self, *keys):
        """The arguments of `stoa` after the keys, each of which ends with a tab, and a return."""
        command, begin = self.start()
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.work)
            home = {"HOME": str(self.dir), "XDG_STATE_HOME": str(self.dir / "state"), "TERM": "xterm",
                    "LC_ALL": "C.UTF-8", "PATH": f"{self.dir}/bin:/usr/bin:/bin"}  # fmt: skip
            os.execvpe(command[0], command, home)
        seen = b""
        try:
            self.wait(terminal, b"", 0)
            os.write(terminal, begin.encode() + b"\r")
            self.wait(terminal, b"READY<>\r\n", 30)
            os.write(terminal, "".join(keys).encode() + b"\r")
            seen = self.wait(terminal, b"END<>\r\n", 30)
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(terminal)
        begin = seen.rindex(b"BEGIN<>")
        said = seen[begin:].decode("utf-8", "replace").split("BEGIN<>")[1].split("END<>")[0]
        return [one.split("<]")[0] for one in said.split("[>")[1:]]

    def wait(self, terminal, mark, seconds):
        """What the terminal shows until the mark."""
        seen = b""
        end = time.monotonic() + seconds
        while mark not in seen and time.monotonic() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                seen += os.read(terminal, 65536)
        if seconds:
            self.assertIn(mark, seen, seen[-2000:])
        return seen

    def test_commands_options_and_values(self):
        self.assertEqual(self.line("stoa trunc\t--no-w\t"), ["truncate", "--no-wait"])
        self.assertEqual(self.line("stoa convert --to pyt\ta"), ["convert", "--to", "pytables", "a"])
        self.assertEqual(self.line("stoa convert --to=pyt\t a"), ["convert", "--to=pytables", "a"])

    def test_files_and_paths_in_them(self):
        self.assertEqual(self.line("stoa info t.h5:/my\t"), ["info", "t.h5:/my events/"])
        self.assertEqual(self.line("stoa info t.h5:/my\tf\t"), ["info", "t.h5:/my events/first"])
        self.assertEqual(self.line('stoa info "t.h5:/my ev\t' + '"' * (not self.ends_paths)), ["info", "t.h5:/my events/"])
        self.assertEqual(self.line("stoa info a\\ b.h5:/\t"), ["info", "a b.h5:/t"])
        self.assertEqual(self.line("stoa info a\t"), ["info", "a b.h5"])

    def test_columns_and_expressions(self):
        place = "t.h5:/my\\ events/first"
        self.assertEqual(self.line(f"stoa query {place} -c label,en\t"),
                         ["query", "t.h5:/my events/first", "-c", "label,energy"])  # fmt: skip
        self.assertEqual(self.line(f"stoa query {place} -w 'energy > 1 and lab\t" + "'" * (not self.ends_quotes))[3],
                         "energy > 1 and label")

    def test_hostile_names_are_words(self):
        for i, name in enumerate(HOSTILE):
            self.assertEqual(self.line(f"stoa info h{i}.h5:/\t"), ["info", f"h{i}.h5:/{name}"])
        for start in ('"$(', '"`'):
            words = self.line(f"stoa query t.h5:/my\\ events/first -c '{start}\t" + "'" * (not self.ends_quotes))
            self.assertEqual(words[-1][: len(start)], start)
            self.assertIn("touch pwned", words[-1])
        self.assertFalse((self.work / "pwned").exists())


class Bash(Shell, stoa_test.TestCase):
    shell = "bash"

    def start(self):
        return ["bash", "--norc", "--noprofile", "-i"], (
            f"bind 'set enable-bracketed-paste off'; source {SCRIPTS}/stoa.bash; "
            "stoa() { printf 'BEGIN''<>'; printf '[>%s<]' \"$@\"; printf 'END''<>\\n'; }; printf 'READY''<>\\n'"
        )


class Zsh(Shell, stoa_test.TestCase):
    shell = "zsh"
    ends_quotes = False
    ends_paths = False

    def start(self):
        return ["zsh", "-f", "-i"], (
            f"fpath=({SCRIPTS} $fpath); autoload -Uz compinit; compinit -u -d {self.dir}/dump; "
            "stoa() { printf 'BEGIN''<>'; printf '[>%s<]' \"$@\"; printf 'END''<>\\n'; }; printf 'READY''<>\\n'"
        )


class Fish(Shell, stoa_test.TestCase):
    shell = "fish"
    ends_paths = False

    def start(self):
        return ["fish", "--no-config", "-i"], (
            f"source {SCRIPTS}/stoa.fish; "
            "function stoa; printf 'BEGIN''<>'; printf '[>%s<]' $argv; printf 'END''<>\\n'; end; printf 'READY''<>\\n'"
        )


if __name__ == "__main__":
    if os.environ.get("STOA_VALGRIND"):
        stoa_test.skip("an answer that takes two seconds is not given")
    stoa_test.need_terminals()
    stoa_test.main()
