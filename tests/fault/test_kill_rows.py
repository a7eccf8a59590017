"""`stoa update`, `delete` and `truncate` killed (SIGKILL) at random moments: the table is the old
one or the new one, and its indexes are right.

The update needs a wider column, new categories and longer ones, and changes cells in place as well;
the deletion moves most rows. A third of the moments is spread over the whole run, a third over its
end, and a third over the moments after the commit.
"""

import json
import os
import shutil
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import kills
import stoa_test

HEAD = "i,t,x,w\n"
N = 6000


def row(i, number=None, word=None):
    """A row in canonical CSV; `number` and `word` stand in for its own."""
    return (
        f"{i},2001-01-{1 + i // 1440:02d}T{i // 60 % 24:02d}:{i % 60:02d}:00,"
        f"{number if number is not None else i * 7919 % 100},{word or f'w{i * 31 % 40}'}\n"
    )


OLD = HEAD + "".join(row(i) for i in range(N))
UPDATED = HEAD + "".join(
    row(i, 100000 + i, "a label that is new") if i % 100 == 7 else row(i) for i in range(N)
)
IN_PLACE = HEAD + "".join(row(i, 5, "w1") if i % 1000 == 7 else row(i) for i in range(N))
DELETED = HEAD + "".join(row(i) for i in range(N) if i % 3 != 1)
TRUNCATED = HEAD + "".join(row(i) for i in range(2500))


class Kills(stoa_test.TestCase):
    """A table that make() writes, and commands that change it."""

    def setUp(self):
        super().setUp()
        self.before, self.file = self.dir / "before.h5", self.dir / "a.h5"
        self.place = f"{self.file}:/t"
        self.make()
        self.restore()

    def restore(self):
        shutil.copyfile(self.before, self.file)

    def kills(self, command, n):
        random = stoa_test.rng()
        whole = kills.whole_time(command, self.restore)
        for _ in range(n):
            yield "run", lambda: kills.kill_after(command, random.uniform(0, whole))
            yield "end", lambda: kills.kill_after(command, random.uniform(0.7, 1.05) * whole)
            yield "commit", lambda: kills.kill_in_commit(
                command, self.file, random.choice([0, random.uniform(0, 0.002)])
            )

    def command(self, name, *words):
        return name, self.place, *words

    def killed(self, new, *words):
        command = [stoa_test.STOA, *self.command(*words)]
        self.stoa(*command[1:])
        self.assertEqual(self.found(new), "new")
        self.restore()
        seen, names = Counter(), sorted(os.listdir(self.dir))
        for group, kill in self.kills(command, stoa_test.effort(12)):
            was_killed = kill()
            found = self.found(new)
            self.assertEqual(sorted(os.listdir(self.dir)), names, "something was left behind")
            if not was_killed:
                self.assertEqual(found, "new")
            elif found == "old":
                self.stoa(*command[1:])
                self.assertEqual(self.found(new), "new")
            if was_killed:
                seen[f"{group} {found}"] += 1
            self.restore()
        print(f"{words[0]}: {dict(sorted(seen.items()))}")
        self.assertGreater(sum(seen.values()), 0, "nothing was killed")


class KillEdits(Kills):
    def make(self):
        self.stoa("import", self.write("old.csv", OLD), f"{self.before}:/t", "--chunk", "1024",
                  "--index", "i,t,x,w", "--category", "w")  # fmt: skip

    def found(self, new):
        """Which content Stoa finds, with indexes that describe it."""
        text = self.stoa("export", self.place, "-", "-f", "csv").stdout
        self.assertIn(text, (OLD, new), "neither the old content nor the new")
        self.assertEqual(self.stoa("check", "--indexes", self.place).stdout, "")
        listed = self.stoa("index", "list", self.place).stdout
        self.assertEqual(listed.count("CHUNK_MINMAX"), 4)
        return "old" if text == OLD else "new"

    def test_a_killed_update_happened_wholly_or_not_at_all(self):
        self.killed(UPDATED, "update", "-w", "i % 100 = 7", "--set", "x = 100000 + i",
                    "--set", "w = 'a label that is new'")  # fmt: skip

    def test_a_killed_update_in_place_happened_wholly_or_not_at_all(self):
        self.killed(IN_PLACE, "update", "-w", "i % 1000 = 7", "--set", "x=5", "--set", "w='w1'")

    def test_a_killed_deletion_happened_wholly_or_not_at_all(self):
        self.killed(DELETED, "delete", "-w", "i % 3 = 1")

    def test_a_killed_truncation_happened_wholly_or_not_at_all(self):
        self.killed(TRUNCATED, "truncate", "2500")


class KillLists(Kills):
    """The rows of h5col's table (tests/support/h5col), 256 times."""

    def make(self):
        shutil.copyfile(stoa_test.SOURCE / "tests/support/h5col/list_strings.h5", self.before)
        for _ in range(8):
            self.stoa("export", f"{self.before}:/t", self.dir / "rows.arrow")
            self.stoa("append", self.dir / "rows.arrow", f"{self.before}:/t")
        os.unlink(self.dir / "rows.arrow")
        self.rows = self.rows_of(self.before)

    def rows_of(self, file):
        return [json.loads(line) for line in self.stoa("query", f"{file}:/t", "-f", "jsonl").stdout.splitlines()]

    def found(self, new):
        rows = self.rows_of(self.file)
        self.assertIn(rows, (self.rows, new), "neither the old lists nor the new")
        return "old" if rows == self.rows else "new"

    def test_a_killed_update_of_lists_happened_wholly_or_not_at_all(self):
        new = [{**row, "authors": row["codes"]} if row["id"] != 2 else row for row in self.rows]
        self.killed(new, "update", "-w", "id != 2", "--set", "authors=codes")

    def test_a_killed_deletion_of_lists_happened_wholly_or_not_at_all(self):
        self.killed([row for row in self.rows if row["id"] % 2], "delete", "-w", "id % 2 = 0")


if __name__ == "__main__":
    stoa_test.main()
