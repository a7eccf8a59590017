"""Random edits of tables whose list columns h5py wrote, against a model; h5py reads what they leave (HEP001-2026-07 §9)."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase


def parsed(text):
    return [json.loads(line) for line in text.splitlines()]


def kind_of(lists):
    """How deep lists are, and what items they have; (0, None) if all are missing."""
    lists = [entry for entry in lists if entry is not None]
    if not any(isinstance(entry, list) for entry in lists):
        found = {type(entry).__name__ for entry in lists}
        return 0, found.pop() if found else None
    depth, kind = kind_of([item for entry in lists for item in entry])
    return depth + 1, kind


class Model:
    """The rows of a table, in the order of its columns, and edits that do the same to both."""

    def __init__(self, test, rng, rows):
        self.test, self.rng, self.rows = test, rng, rows
        self.columns = list(rows[0]) if rows else []
        self.place = f"{test.dir}/t.h5:/t"
        self.kinds = {name: kind_of([row[name] for row in rows]) for name in self.lists()}

    def lists(self):
        return [name for name in self.columns if name.startswith("v")]

    def predicate(self):
        """A text, and what it says of a row."""
        k = self.rng.randrange(len(self.rows) + 1)
        choices = [
            (f"id < {k}", lambda row: row["id"] < k),
            (f"id >= {k}", lambda row: row["id"] >= k),
            (f"id % 3 = {k % 3}", lambda row: row["id"] % 3 == k % 3),
            (f"id = {k}", lambda row: row["id"] == k),
        ]
        for name in self.lists()[:2]:
            choices.append((f"length({name}) > {k % 3}", lambda row, v=name: len(row[v] or ()) > k % 3))
            choices.append((f"{name} is null", lambda row, v=name: row[v] is None))
        return self.rng.choice(choices)

    def delete(self):
        where, holds = self.predicate()
        self.test.stoa("delete", self.place, "-w", where)
        self.rows = [row for row in self.rows if not holds(row)]
        return where

    def truncate(self):
        n = self.rng.randrange(len(self.rows) + 1)
        self.test.stoa("truncate", self.place, n)
        self.rows = self.rows[:n]
        return n

    def update_another(self):
        where, holds = self.predicate()
        self.test.stoa("update", self.place, "-w", where, "--set", "id=id + 1")
        self.rows = [{**row, "id": row["id"] + 1} if holds(row) else row for row in self.rows]
        return where

    def update_lists(self):
        """Missing lists in place of some, or those of another column of the same depth and kind of items."""
        to = self.rng.choice(self.lists())
        same = [name for name in self.lists() if self.kinds[name] == self.kinds[to]]
        value = self.rng.choice(["null", *same])
        where, holds = self.predicate()
        self.test.stoa("update", self.place, "-w", where, "--set", f"{to}={value}")
        self.rows = [{**row, to: row.get(value)} if holds(row) else row for row in self.rows]
        return to, value, where

    def add(self):
        name = f"c{self.rng.randrange(1 << 30)}"
        self.test.stoa("column", "add", self.place, "--set", f"{name}=id * 2")
        self.columns.append(name)
        self.rows = [{**row, name: row["id"] * 2} for row in self.rows]
        return name

    def drop(self):
        if len(self.lists()) < 4:
            return "nothing"
        name = self.rng.choice([name for name in self.columns if name != "id"])
        self.test.stoa("column", "drop", self.place, name)
        self.columns.remove(name)
        self.rows = [{key: row[key] for key in self.columns} for row in self.rows]
        return name

    def rename(self):
        name = self.rng.choice(self.lists())
        new = f"v{self.rng.randrange(1 << 30)}"
        self.test.stoa("column", "rename", self.place, name, new)
        self.columns[self.columns.index(name)] = new
        self.kinds[new] = self.kinds[name]
        self.rows = [{new if key == name else key: value for key, value in row.items()} for row in self.rows]
        return name

    def store(self):
        name = self.rng.choice(self.columns)
        how = self.rng.choice([("--codec", "deflate"), ("--codec", "none"), ("--chunk", self.rng.randrange(1, 30))])
        self.test.stoa("column", "storage", self.place, name, *how)
        return name, how

    def index(self):
        self.test.stoa("index", "add", self.place, "id", status=None)
        return "id"

    def edit(self):
        steps = [self.delete, self.update_lists] * 4 + [self.truncate, self.update_another, self.add, self.drop]
        step = self.rng.choice(steps + [self.rename, self.store, self.index])
        return step.__name__, step()


class ListEdits(PeerTestCase):
    def test_rows_are_the_model_s_after_every_edit_and_members_by_the_rules(self):
        rng = stoa_test.rng()
        for seed in [rng.randrange(1 << 30) for _ in range(stoa_test.effort(8))]:
            model = Model(self, rng, parsed(self.peer("python3", "list_columns.py", "make", "t.h5", str(seed))))
            if not model.rows:
                continue
            done = []
            for _ in range(rng.randrange(1, 7)):
                done.append(model.edit())
                with self.subTest(seed=seed, done=done):
                    self.assertEqual(self.rows_of(model.place), model.rows)
                    self.assertNotIn("MUST", self.stoa("check", model.place, status=None).stdout)
            with self.subTest(seed=seed, done=done):
                self.assertEqual(parsed(self.peer("python3", "list_columns.py", "read", "t.h5", "t")), model.rows)


if __name__ == "__main__":
    stoa_test.main()
