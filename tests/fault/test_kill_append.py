"""`stoa append` killed (SIGKILL) at random moments: the table is the old one or the new one.

Three of the columns have an index, and the appended rows bring new categories and grow every
dataset. A third of the moments is spread over the whole run, a third over its end, and a third over
the moments after the commit, while published pages are overwritten. After each kill the file is
first shown to HDF5's own h5dump, which knows nothing of Stoa's journal: how often that fails is
printed, and is what docs/crash-safety.md tells its readers.
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


class Kills:
    """The test, of whatever table: OLD and NEW are its rows before and after the append."""

    def setUp(self):
        super().setUp()
        self.before, self.file = self.dir / "before.h5", self.dir / "a.h5"
        self.place = f"{self.file}:/t"
        old = self.write("old.csv", self.HEAD + self.rows(0, self.OLD))
        more = self.write("more.csv", self.HEAD + self.rows(self.OLD, self.NEW))
        self.stoa("import", old, f"{self.before}:/t", *self.OPTIONS)
        self.append = [stoa_test.STOA, "append", more, self.place]
        self.restore()
        self.contents = {
            self.HEAD + self.rows(0, self.OLD): "old",
            self.HEAD + self.rows(0, self.NEW): "new",
        }

    def restore(self):
        shutil.copyfile(self.before, self.file)

    def found_by_stoa(self):
        """Which content Stoa finds; every reader of it must agree."""
        found = self.contents.get(self.stoa("export", self.place, "-", "-f", "csv").stdout)
        self.assertIsNotNone(found, "neither the old content nor the new")
        self.look_up(self.OLD if found == "old" else self.NEW)
        self.assertEqual(self.stoa("check", "--indexes", self.place).stdout, "")
        return found

    def ask(self, where, aggregates):
        """The answer in CSV, by way of the indexes."""
        asked = self.stoa("query", self.place, "--trust", "-f", "csv", "-w", where,
                          "-a", aggregates)  # fmt: skip
        return asked.stdout.splitlines()[1]

    def dump(self):
        """Everything that stock HDF5 sees in the file, or None if it cannot read it; but not when
        an index was built."""
        done = stoa_test.run(Path(stoa_test.HDF5_BIN) / "h5dump", self.file)
        return re.sub("Built by .*", "", done.stdout) if done.returncode == 0 else None

    def found_by_hdf5(self):
        return self.dumps.get(self.dump(), "unreadable")

    def kills(self):
        """Calls that run the append and kill it: (group, call)."""
        random = stoa_test.rng()
        whole = kills.whole_time(self.append, self.restore)
        for _ in range(-(-stoa_test.effort(self.N_KILLS) // 3)):
            yield "run", lambda: kills.kill_after(self.append, random.uniform(0, whole))
            yield "end", lambda: kills.kill_after(self.append, random.uniform(0.7, 1.05) * whole)
            yield "commit", lambda: kills.kill_in_commit(
                self.append, self.file, random.choice([0, random.uniform(0, 0.002)])
            )

    def test_a_killed_append_happened_wholly_or_not_at_all(self):
        self.dumps = {self.dump(): "old"}
        self.stoa(*self.append[1:])
        self.assertEqual(self.found_by_stoa(), "new")
        self.dumps[self.dump()] = "new"
        self.assertEqual(len(self.dumps), 2)
        self.restore()

        seen, names = Counter(), sorted(os.listdir(self.dir))
        for group, kill in self.kills():
            was_killed = kill()
            stock = self.found_by_hdf5()
            found = self.found_by_stoa()
            self.assertEqual(sorted(os.listdir(self.dir)), names, "something was left behind")
            if not was_killed:
                self.assertEqual(found, "new")
            if found == "old":
                self.stoa(*self.append[1:])
                self.assertEqual(self.found_by_stoa(), "new")
            if was_killed:
                seen[group, "killed"] += 1
                seen[group, found] += 1
                seen[group, "h5dump: " + stock] += 1
            self.restore()

        for group in ("run", "end", "commit"):
            of_group = {word: n for (g, word), n in sorted(seen.items()) if g == group}
            print(f"{group}: {of_group}")
        self.assertGreater(seen["run", "old"] + seen["end", "old"], 0)


class KillAppend(Kills, stoa_test.TestCase):
    """Rows in order, so that each index grows where it is."""

    HEAD = "i,t,x,w,v\n"
    OLD, NEW, N_KILLS = 6000, 11000, 200
    OPTIONS = ["--chunk", "1024", "--index", "i,t,x", "--category", "w,v"]

    def rows(self, first, last):
        """Canonical CSV: integers and times in order, floats, and two columns of categories."""
        return "".join(
            f"{i},2001-01-{1 + i // 1440:02d}T{i // 60 % 24:02d}:{i % 60:02d}:00,"
            f"{i * 7919 % 65521 / 8},w{i * 31 % (i // 100 + 5)},{'v' * (1 + i // 1000)}\n"
            for i in range(first, last)
        )

    def look_up(self, n):
        first = self.rows(n - 500, n - 499).split(",")[1]
        self.assertEqual(self.ask(f"i >= {n - 500}", "count(), sum(i), min(t)"),
                         f"500,{sum(range(n - 500, n))},{first}")  # fmt: skip


class KillAppendAnew(Kills, stoa_test.TestCase):
    """Every rank of a long sorted index moves: another one takes its place."""

    HEAD = "i,k\n"
    OLD, NEW, N_KILLS = 70000, 74000, 30
    OPTIONS = ["--index", "k:sorted"]

    def rows(self, first, last):
        return "".join(f"{i},{i * 7919 % 1000003}\n" for i in range(first, last))

    def look_up(self, n):
        few = [i for i in range(n) if i * 7919 % 1000003 < 5000]
        self.assertEqual(self.ask("k < 5000", "count(), sum(i)"), f"{len(few)},{sum(few)}")


if __name__ == "__main__":
    stoa_test.main()
