"""Index contents against an oracle of their own: peer/oracle.py, numpy and the specification alone.

The columns are peer/columns.py's, written by h5py in every datatype and byte order; the indexes are
Stoa's, built, and brought along by appends and truncations.
"""

import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

N_COLUMNS = 300
KINDS = {"minmax": "CHUNK_MINMAX", "sorted": "SORTED_ROWS", "bitmap": "BITMAP",
         "bloom": "CHUNK_BLOOM"}  # fmt: skip


class Oracle(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.random = stoa_test.rng()
        n_tables = max(2, stoa_test.effort(N_COLUMNS) // 10)
        self.peer("python3", "columns.py", str(n_tables), str(self.random.randrange(2**32)))
        self.tables = json.loads((self.dir / "columns.json").read_text("utf-8"))

        scratch = shutil.copy(self.dir / self.tables[0]["file"], self.dir / "scratch.h5")
        self.kinds = [kind for kind in KINDS if self.knows(kind, scratch)]

    def knows(self, kind, scratch):
        """Whether this stoa builds the kind: one that does not says so."""
        said = self.stoa("index", "add", f"{scratch}:/t", "c0", "--kind", kind, status=None).stderr
        return "unknown index kind" not in said and "is none of" not in said

    def place(self, table):
        return f"{self.dir}/{table['file']}:/t"

    def allowed(self, table, kind):
        return [name for name, c in table["columns"].items() if kind in c["kinds"]]

    def add(self, table, kind):
        names = self.allowed(table, kind)
        if names:
            self.stoa("index", "add", self.place(table), *names, "--kind", kind)
        return len(names)

    def judge(self, tables, counts):
        """The oracle finds nothing, and has looked at as many indexes as there must be."""
        *findings, total = self.peer("python3", "oracle.py", *(t["file"] for t in tables)).splitlines()
        if findings:
            self.fail("\n".join([f"{len(findings)} findings:", *findings[:20]]))
        found = {kind: int(n) for kind, n in re.findall(r"(\w+)=(\d+)", total)}
        self.assertEqual(found, dict.fromkeys(found, 0) | {KINDS[k]: n for k, n in counts.items()})

    def test_every_kind_describes_columns_of_every_datatype(self):
        counts = {kind: sum(self.add(t, kind) for t in self.tables) for kind in self.kinds}
        for kind, n in counts.items():
            self.assertGreater(n, 0, kind)
        self.judge(self.tables, counts)
        for table in self.tables:
            self.assertNotIn("MUST", self.stoa("check", self.place(table), "--indexes").stdout)

    def test_datatypes_that_a_kind_excludes_are_refused(self):
        for table in self.tables[:10]:
            for name, column in table["columns"].items():
                for kind in sorted({"minmax", "sorted", "bloom"} & set(self.kinds)):
                    if kind not in column["kinds"]:
                        with self.subTest(f"{kind} of {column['kind']}"):
                            self.fails("index", "add", self.place(table), name, "--kind", kind,
                                       says=name)  # fmt: skip

    def test_appended_rows_are_described(self):
        tables = [t for t in self.tables if self.is_appendable(t)][:12]
        counts = {kind: sum(self.add(t, kind) for t in tables) for kind in self.kinds}
        for table in tables:
            self.stoa("append", f"{self.dir}/{table['more']}:/t", self.place(table))
        # A bitmap of a column that has got too many values goes; the others all stay.
        *findings, total = self.peer("python3", "oracle.py", *(t["file"] for t in tables)).splitlines()
        self.assertEqual(findings, [])
        found = {kind: int(n) for kind, n in re.findall(r"(\w+)=(\d+)", total)}
        for kind, n in counts.items():
            if kind != "bitmap":
                self.assertEqual(found[KINDS[kind]], n, kind)

    def is_appendable(self, table):
        """Stoa appends to columns of these datatypes (docs/cli.md)."""
        return not any(c["kind"] in ("compound", "array") for c in table["columns"].values())

    def test_truncated_tables_are_described(self):
        if "truncate" not in self.stoa("--help").stdout:
            self.skipTest("this stoa truncates no tables")
        tables = self.tables[:12]
        counts = {kind: sum(self.add(t, kind) for t in tables) for kind in self.kinds}
        for table in tables:
            left = self.random.randint(0, table["n_rows"])
            self.stoa("truncate", self.place(table), str(left))
        self.judge(tables, counts)


if __name__ == "__main__":
    stoa_test.main()
