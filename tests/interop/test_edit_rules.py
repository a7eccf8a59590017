"""Random tables and edits: after each edit the rows are those of a model, and HEP001's rules hold, by an
independent reading of the bytes (peer/rules.py)."""

import json
import math
import os
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

N_TABLES = 6
N_EDITS = 10
INTEGERS = {f"{sign}int{bits}": (sign == "", bits) for sign in ("", "u") for bits in (8, 16, 32, 64)}
UNITS = ("s", "ms", "us", "ns")
WORDS = ["a", "", "naïve", "SEA", "two words", "x" * 40, "漢字", "-"]
LABELS = ["red", "green", "blue", "naïve", "a b"]
NUMBERS = [2024, 2025, 2**63 + 7]
FLOAT_FILL = 9.969209968386869e36
LISTS = ("list", "lists", "texts")


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def integer(rng, kind):
    is_signed, bits = INTEGERS[kind]
    low = -(1 << bits - 1) if is_signed else 0
    high = (1 << bits - is_signed) - 1
    edges = [low, low + 1, high, high - 1, 0]  # the recommended fill among them
    return rng.choice(edges) if rng.random() < 0.1 else rng.randint(max(low, -1000), min(high, 1000))


def one(rng, kind):
    """A value; never missing."""
    if kind in INTEGERS:
        return integer(rng, kind)
    if kind == "float64":
        odd = [math.nan, math.inf, -0.0, FLOAT_FILL]
        return rng.choice(odd) if rng.random() < 0.1 else rng.gauss(0, 100)
    if kind == "float32":
        return float32(rng.choice([FLOAT_FILL, 0.5]) if rng.random() < 0.1 else rng.gauss(0, 100))
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "date":
        return rng.randint(-20000, 20000)
    if kind.startswith(("timestamp", "duration")):
        return rng.randint(-(10**9), 10**9)
    of = {
        "string": lambda: rng.choice(WORDS),
        "category": lambda: rng.choice(LABELS),
        "category_int": lambda: rng.choice(NUMBERS),
        "bytes2": lambda: bytes(rng.choice([0, 1, 255]) for _ in range(2)).hex(),
        "array": lambda: [rng.choice([-32767, 0, 7]) for _ in range(2)],
        "struct": lambda: {"x": rng.choice([0.5, FLOAT_FILL]), "n": rng.choice([1, -2147483647])},
        "list": lambda: [float32(rng.gauss(0, 9)) for _ in range(rng.randrange(4))],
        "lists": lambda: [[rng.randrange(9)] * rng.randrange(3) for _ in range(rng.randrange(3))],
        "texts": lambda: [rng.choice(WORDS) for _ in range(rng.randrange(4))],
    }
    return of[kind]()


KINDS = [*INTEGERS, "float32", "float64", "bool", "date", "timestamp_ms", "timestamp_ns", "duration_s",
         "string", "category", "category_int", "bytes2", "array", "struct", *LISTS]  # fmt: skip
INDEXABLE = {kind for kind in KINDS if kind not in ("array", "struct", *LISTS)}


class Table:
    """What a table must hold: `columns` are {name: (kind, values)}, in order."""

    def __init__(self, rng):
        self.rng = rng
        self.n = rng.choice([0, 1, 7, 60, 400])
        # June has no list columns.
        self.revision = rng.choice([None, None, "2026-06", "2026-07"])
        self.kinds = [kind for kind in KINDS if self.revision != "2026-06" or kind not in LISTS]
        kinds = rng.sample(self.kinds, rng.randint(3, 8))
        kinds += rng.sample(kinds, 1)  # a second column of a kind, for copies
        self.share = rng.choice([0, 0.1, 0.5])
        self.columns = {"id": ("int32", [*range(self.n)])}
        self.next_id = self.n
        self.n_named = len(kinds)
        for i, kind in enumerate(kinds):
            self.columns[f"c{i}"] = (kind, self.values(kind, self.n))

    def values(self, kind, n):
        return [None if self.rng.random() < self.share else one(self.rng, kind) for _ in range(n)]

    def names(self, kinds=KINDS):
        return [name for name, (kind, _) in self.columns.items() if kind in kinds and name != "id"]

    def rows(self):
        return {name: values for name, (_, values) in self.columns.items()}

    def more(self, n):
        """Columns of rows to append."""
        made = {"id": ("int32", [*range(self.next_id, self.next_id + n)])}
        self.next_id += n
        made |= {name: (self.columns[name][0], self.values(self.columns[name][0], n)) for name in self.names()}
        return made

    def span(self):
        """(predicate, the numbers of its rows) of some ids."""
        ids = self.columns["id"][1]
        first = self.rng.choice(ids) if ids else 0
        last = first + self.rng.choice([0, 3, 10**6])
        return f"id between {first} and {last}", [i for i, v in enumerate(ids) if first <= v <= last]

    def literal(self, kind):
        """(what a --set says, the value) of a constant; None if a kind has no literal."""
        value = None if self.rng.random() < 0.2 else one(self.rng, kind)
        if value is None:
            return "null", None
        if kind in INTEGERS or kind == "category_int":
            return str(value), value
        if kind.startswith("float") and math.isfinite(value):
            return repr(value), value
        if kind == "bool":
            return str(value).lower(), value
        if kind in ("string", "category"):
            return f"'{value}'", value
        return None


class EditRules(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.place = f"{self.dir}/t.h5:/t"
        self.file = self.dir / "t.h5"
        self.steps = []
        self.pending = {}

    # --- steps

    def note(self, edit, table, changes_rows=True):
        """The file as it is now is to be judged."""
        name = f"step{len(self.steps)}.h5"
        before = self.steps[-1]["file"] if self.steps else None
        shutil.copy(self.file, self.dir / name)
        rows = {column: [*values] for column, values in table.rows().items()}
        self.steps.append({"file": name, "before": before, "edit": edit, "rows": rows,
                           "changes_rows": changes_rows, **self.options})  # fmt: skip

    def tried(self, table, *arguments):
        """Run an edit; whether it was done. What a table of list columns, or a kind, does not allow is
        refused, and changes nothing."""
        done = self.stoa(*arguments, status=None)
        if done.returncode == 0:
            return True
        is_refused = done.returncode == 3 and ("list" in done.stderr or arguments[0] == "index")
        self.assertTrue(is_refused, f"{arguments}: {done.stderr}")
        return False

    def arrow(self, columns):
        """An Arrow file of columns."""
        name = f"in{len(self.pending)}.arrow"
        self.pending[name] = columns
        self.write("make.json", json.dumps({name: columns}))
        self.peer("python3", "rules.py", "make", "make.json")
        return self.dir / name

    # --- edits

    def append(self, table):
        more = table.more(table.rng.choice([1, 5, 90]))
        done = self.tried(table, "append", self.arrow(more), self.place)
        if done:
            for name, (_, values) in more.items():
                table.columns[name][1].extend(values)
            table.n += len(more["id"][1])
        self.note("append", table, done)

    def update(self, table):
        where, rows = table.span()
        name = table.rng.choice(table.names())
        kind, values = table.columns[name]
        literal = table.literal(kind)
        others = [other for other in table.names({kind}) if other != name]
        if others and (literal is None or table.rng.random() < 0.5):
            new = [*table.columns[others[0]][1]]
            text = others[0]
        elif literal is not None:
            text, value = literal
            new = [value] * len(values)
        else:
            text, new = "null", [None] * len(values)
        done = self.tried(table, "update", self.place, "-w", where, "--set", f"{name}={text}")
        for row in rows if done else []:
            values[row] = new[row]
        self.note(f"update {name}={text} of {kind}", table, done and bool(rows))

    def delete(self, table):
        where, rows = table.span()
        done = self.tried(table, "delete", self.place, "-w", where)
        if done:
            for _, values in table.columns.values():
                values[:] = [value for i, value in enumerate(values) if i not in set(rows)]
            table.n -= len(rows)
        self.note("delete", table, done and bool(rows))

    def truncate(self, table):
        n = table.rng.randint(0, table.n)
        done = self.tried(table, "truncate", self.place, str(n))
        changes = done and n != table.n
        if done:
            for _, values in table.columns.values():
                del values[n:]
            table.n = n
        self.note("truncate", table, changes)

    def add_column(self, table):
        name, kind = f"c{table.n_named}", table.rng.choice(table.kinds)
        table.n_named += 1
        values = table.values(kind, table.n)
        codec = ["--codec", "deflate"] if self.options["is_portable"] else []
        if self.tried(table, "column", "add", self.place, self.arrow({name: (kind, values)}), *codec):
            table.columns[name] = (kind, values)
        self.note(f"add column of {kind}", table, False)

    def drop_column(self, table):
        name = table.rng.choice(table.names())
        if len(table.names()) > 2 and self.tried(table, "column", "drop", self.place, name):
            del table.columns[name]
        self.note("drop column", table, False)

    def rename_column(self, table):
        name, new = table.rng.choice(table.names()), f"c{table.n_named}"
        table.n_named += 1
        if self.tried(table, "column", "rename", self.place, name, new):
            table.columns = {new if n == name else n: c for n, c in table.columns.items()}
        self.note("rename column", table, False)

    def add_index(self, table):
        name = table.rng.choice(table.names(INDEXABLE) or ["id"])
        kind = table.rng.choice(["minmax", "sorted", "bitmap", "bloom"])
        self.tried(table, "index", "add", self.place, name, "--kind", kind)
        self.note(f"add {kind}", table, False)

    def drop_index(self, table):
        self.tried(table, "index", "drop", self.place, *table.columns)
        self.note("drop indexes", table, False)

    def store(self, table):
        name = table.rng.choice(table.names())
        self.tried(table, "column", "storage", self.place, name, "--chunk", table.rng.choice(["8", "64"]))
        self.note("storage", table, False)

    def categorize(self, table):
        """Or make plain values again. The values stay."""
        names = table.names({"string", "category", "category_int", "bool", "int8", "date"})
        name = table.rng.choice(names or ["id"])
        words = table.rng.choice([[], ["--plain"]])
        if self.tried(table, "column", "categories", self.place, name, *words):
            self.options = {**self.options, "is_portable": False}  # the codec is chosen anew
            kind, values = table.columns[name]
            table.columns[name] = ("uint64" if words and kind == "category_int" else kind, values)
        self.note(f"categories {words} of {name}", table, False)

    def label_rows(self, table):
        name = table.rng.choice(["id", *table.names({"string", "category", "date"})])
        self.tried(table, "column", "row-index", self.place, name)
        self.note("row-index", table, False)

    def reserve(self, table):
        self.tried(table, "preallocate", self.place, str(table.n + 100))
        self.note("preallocate", table, False)

    def repack(self, table):
        words = [[self.place], [self.file, "--portable"]]
        words = table.rng.choice(words if self.options["is_portable"] else [*words, [self.file]])
        done = self.tried(table, "repack", *words)
        if done and "--portable" in words:
            self.options = {**self.options, "is_portable": True}
        self.note(f"repack {words[1:]}", table, False)

    EDITS = (append, append, update, update, update, delete, truncate, add_column, drop_column,
             rename_column, add_index, add_index, drop_index, store, categorize, label_rows, reserve,
             repack)  # fmt: skip

    # --- tables

    def begin(self, rng):
        table = Table(rng)
        revision = table.revision
        references, is_portable = rng.choice(["standard", "object"]), rng.random() < 0.3
        words = [] if revision is None else ["--revision", revision]
        words += ["--references", references, *(["--portable"] if is_portable else [])]
        for name in table.names({"int32", "int64", "float64"}):
            fill = rng.choice(["-77777", "1234567"])
            if rng.random() < 0.3 and float(fill) not in table.columns[name][1]:
                words += ["--fill", f"{name}={fill}"]
        self.options = {"revision": revision or "both", "references": references,
                        "is_portable": is_portable, "has_chosen": "--fill" in words}  # fmt: skip
        self.file.unlink(missing_ok=True)
        self.stoa("import", self.arrow(table.columns), self.place, *words)
        self.note(f"import {words}", table)
        return table

    def test_rows_and_rules_after_every_edit(self):
        rng = stoa_test.rng()
        for number in range(stoa_test.effort(N_TABLES)):
            with self.subTest(number=number):
                self.steps, self.pending = [], {}
                table = self.begin(rng)
                for _ in range(N_EDITS):
                    rng.choice(self.EDITS)(self, table)
                self.write("steps.json", json.dumps(self.steps))
                self.assert_says_nothing("rules.py", "judge", "steps.json")


    def test_broken_rules_are_found(self):
        """Else the other test would show nothing."""
        table = Table(stoa_test.rng())
        table.n, table.next_id = 43, 43
        kinds = [kind for kind in KINDS if kind not in LISTS]
        table.columns = {"id": ("int32", [*range(43)])}
        for kind in kinds:
            values = [one(table.rng, kind) for _ in range(42)]
            table.columns[kind] = (kind, [*values, None if kind != "bool" else True])
        table.columns["int16"] = ("int16", [*range(42), None])
        table.columns["int32"] = ("int32", [*range(42), None])
        self.options = {"revision": "both", "references": "standard", "is_portable": False,
                        "has_chosen": False}  # fmt: skip
        self.stoa("import", self.arrow(table.columns), self.place)
        for name, kind in (("int16", "minmax"), ("int32", "sorted"), ("category", "bitmap")):
            self.stoa("index", "add", self.place, name, "--kind", kind)
        self.note("index", table, False)
        self.stoa("update", self.place, "-w", "id = 1", "--set", "int8=3")
        table.columns["int8"][1][1] = 3
        self.note("update", table)
        self.write("steps.json", json.dumps(self.steps))
        self.assert_says_nothing("rules.py", "judge", "steps.json")
        self.assert_says_nothing("rules.py", "spoil", "steps.json")


if __name__ == "__main__":
    stoa_test.main()
