"""Edits killed (SIGKILL) at random moments: the file is the old one or the new one.

Each edit is killed all over its run, near its end, and right after its commit, in place and with
--safe. Asked first is HDF5's own h5dump, which knows nothing of Stoa's journal: in place it may fail
in the moment after the commit (docs/crash-safety.md has the rates that this test prints), with
--safe it must not: the file is then byte for byte the old one, or the new one.
"""

import os
import re
import shutil
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import kills
import stoa_test

ROWS = "i,t,x,w\n" + "".join(
    f"{i},2001-01-{1 + i // 1440:02d}T{i // 60 % 24:02d}:{i % 60:02d}:00,{i * 7919 % 65521 / 8},"
    f"w{i * 31 % 53}\n"
    for i in range(4000)
)

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")

# What is done to the file `f`, whose tables are /t and /u.
EDITS = {
    "index add": ("index", "add", "{f}:/t", "x"),
    "copy": ("copy", "{f}:/t", "{f}:/deep/v"),
    "move": ("move", "{f}:/t", "{f}:/v"),
    "remove": ("remove", "{f}:/u"),
    "update": ("update", "{f}:/t", "-w", "i % 3 = 0", "--set", "x=x+1", "--set", "w='new'"),
    "delete": ("delete", "{f}:/t", "-w", "i % 5 = 0"),
    "truncate": ("truncate", "{f}:/t", "1500"),
    "preallocate": ("preallocate", "{f}:/t", "20000"),
    "repack table": ("repack", "{f}:/u"),
    "repack": ("repack", "{f}"),
    "column add": ("column", "add", "{f}:/t", "{d}/more.csv"),
    "column drop": ("column", "drop", "{f}:/t", "w"),
    "column rename": ("column", "rename", "{f}:/t", "w", "word"),
    "column order": ("column", "order", "{f}:/t", "x", "w"),
    "column storage": ("column", "storage", "{f}:/t", "x", "--codec", "deflate:9"),
    "column categories": ("column", "categories", "{f}:/t", "w", "--plain"),
    "column row-index": ("column", "row-index", "{f}:/t", "w", "t", "i"),
    "attr": ("attr", "{f}:/t", "-c", "x", "units=m"),
}


class KillEdits(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.before, self.file = self.dir / "before.h5", self.dir / "a.h5"
        csv = self.write("a.csv", ROWS)
        self.write("more.csv", "y\n" + "".join(f"{i}\n" for i in range(4000)))
        for table in ("t", "u"):
            self.stoa("import", csv, f"{self.before}:/{table}", "--chunk", "1024", "--index", "i,t",
                      "--category", "w", "--row-index", "i", "--preallocate", "9000")  # fmt: skip
        self.restore()

    def restore(self):
        shutil.copyfile(self.before, self.file)

    def state(self):
        """What Stoa says is in the file, which completes an interrupted commit, and what is."""
        return self.stoa("ls", "-l", self.file).stdout + (self.dump() or "unreadable")

    def dump(self):
        """Everything that stock HDF5 sees in the file but the time an index was built, or None if
        it cannot read it."""
        done = stoa_test.run(Path(stoa_test.HDF5_BIN) / "h5dump", self.file)
        return TIME.sub("TIME", done.stdout) if done.returncode == 0 else None

    def moments(self, command, safe):
        """Calls that run the command and kill it."""
        random = stoa_test.rng()
        whole = kills.whole_time(command, self.restore)
        for _ in range(stoa_test.effort(2)):
            yield lambda: kills.kill_after(command, random.uniform(0, whole))
            yield lambda: kills.kill_after(command, random.uniform(0.7, 1.05) * whole)
            if not safe:
                yield lambda: kills.kill_in_commit(
                    command, self.file, random.choice([0, random.uniform(0, 0.002)])
                )

    def expected(self, command):
        """What is found before and after: {state: name}, and what h5dump prints: {text: name}."""
        states, dumps = {self.state(): "old"}, {self.dump(): "old"}
        self.stoa(*command[1:])
        states.setdefault(self.state(), "new")
        dumps.setdefault(self.dump(), "new")
        self.assertEqual(self.stoa("check", "--indexes", self.file).stdout, "")
        self.restore()
        return states, dumps

    def kill_everywhere(self, name, safe):
        command = [stoa_test.STOA] + [word.format(f=self.file, d=self.dir) for word in EDITS[name]]
        command += ["--safe"] if safe else []
        states, dumps = self.expected(command)
        seen = Counter()
        # A repack replaces the file by itself: there is no moment in which it is half-written.
        replaces = safe or name == "repack"
        for kill in self.moments(command, replaces):
            was_killed = kill()
            stock = dumps.get(self.dump(), "unreadable")
            found = states.get(self.state())
            self.assertIsNotNone(found, "neither the old content nor the new")
            if replaces:
                self.assertNotEqual(stock, "unreadable")
            if replaces and found == "old" and len(states) == 2:
                self.assertEqual(self.file.read_bytes(), self.before.read_bytes())
            self.assertEqual(self.stoa("check", "--indexes", self.file).stdout, "")
            if not was_killed:
                self.assertIn(found, list(states.values())[-1:])
            self.tidy()
            seen["killed"] += was_killed
            seen[found] += was_killed
            seen["h5dump: " + stock] += was_killed
            self.restore()
        return seen

    def tidy(self):
        """Between the two calls that give a new file its name, and only there, a hidden file may
        stay behind; where files always have names, it may at any moment."""
        for name in set(os.listdir(self.dir)) - {"a.csv", "more.csv", "a.h5", "before.h5"}:
            self.assertTrue(name.startswith(".a.h5.stoa-"), name)
            os.unlink(self.dir / name)

    def kinds(self):
        """The edits that this program knows."""
        known = self.stoa("help").stdout
        return [name for name, words in EDITS.items()
                if f"\n  {words[0]} " in known and self.accepts(name)]  # fmt: skip

    def accepts(self, name):
        words = [word.format(f=self.file, d=self.dir) for word in EDITS[name]]
        done = self.stoa(*words, status=None)
        self.restore()
        return done.returncode != 2

    def run_all(self, safe):
        total = Counter()
        for name in self.kinds():
            with self.subTest(edit=name, safe=safe):
                seen = self.kill_everywhere(name, safe)
                print(f"{name}{' --safe' if safe else ''}: {dict(sorted(seen.items()))}")
                total += seen
        print(f"all{' --safe' if safe else ''}: {dict(sorted(total.items()))}")
        self.assertGreater(total["old"], 0)

    def test_a_killed_edit_happened_wholly_or_not_at_all(self):
        self.run_all(safe=False)

    def test_a_killed_safe_edit_leaves_the_old_file_or_the_new_one(self):
        self.run_all(safe=True)


if __name__ == "__main__":
    stoa_test.main()
