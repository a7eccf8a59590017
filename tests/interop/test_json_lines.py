"""JSON lines of other programs are read, and they read what Stoa writes. h5py reads what was stored."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

# Every type that JSON tells apart, with bounds, missing values and lists.
SQL = """
COPY (SELECT i AS n, (i - 50) * 184467440737095516 AS big, i / 7.0 AS x, i % 3 = 0 AS flag,
             CASE WHEN i % 5 > 0 THEN 'name "' || i || '" \\ é' END AS name,
             [k * 1.5 for k in range(i % 4)] AS hits,
             {'a': i, 'b': 'q' || i} AS p,
             TIMESTAMP '2001-01-01' + INTERVAL (i) MINUTE AS t
      FROM range(100) r(i)) TO 't.jsonl' (FORMAT json);
"""
PANDAS = """
import pandas, sys
frame = pandas.DataFrame({"n": [1, 2, 3], "x": [0.1, None, 1e300], "s": ["a", None, "\\u20ac"], "l": [[1], [], [2, 3]]})
frame.to_json("p.jsonl", orient="records", lines=True, double_precision=15)
"""
READ = """
import pyarrow.json
print(pyarrow.json.read_json("out.jsonl").to_pylist())
"""


def parsed(text):
    return [json.loads(line) for line in text.split("\n")[:-1]]


class JsonLines(PeerTestCase):
    def make(self, name):
        place = f"{self.dir}/t.h5:/t"
        self.stoa("import", "--force", self.dir / name, place)
        return place

    def test_duckdb_s_rows_come_back(self):
        self.peer_duckdb(SQL)
        rows = parsed((self.dir / "t.jsonl").read_text())
        self.assertEqual(len(rows), 100)
        place = self.make("t.jsonl")
        found = parsed(self.stoa("query", place, "-f", "jsonl").stdout)
        for row in rows:
            row["t"] = row["t"].replace(" ", "T")
        self.assertEqual(found, rows)

    def test_duckdb_reads_what_stoa_writes(self):
        self.peer_duckdb(SQL)
        self.stoa("export", self.make("t.jsonl"), self.dir / "out.jsonl")
        common = "SELECT count(*) FROM (FROM 't.jsonl' INTERSECT FROM 'out.jsonl');"
        self.assertEqual(self.peer_duckdb(common).split(), ["count_star()", "100"])

    def test_pandas_rows_come_back_and_pyarrow_reads_them(self):
        self.peer_python(PANDAS)
        rows = parsed((self.dir / "p.jsonl").read_text())
        place = self.make("p.jsonl")
        self.assertEqual(parsed(self.stoa("query", place, "-f", "jsonl").stdout), rows)
        self.stoa("export", place, self.dir / "out.jsonl")
        self.assertEqual(self.peer_python(READ), f"{rows}\n")

    def test_h5py_finds_the_lists(self):
        rows = parsed(self.peer("python3", "list_columns.py", "make", "t.h5", "5"))
        (self.dir / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.stoa("import", self.dir / "rows.jsonl", f"{self.dir}/own.h5:/t")
        found = parsed(self.peer("python3", "list_columns.py", "read", "own.h5", "t"))
        self.assertEqual(found, rows)
        self.stoa("check", f"{self.dir}/own.h5")


if __name__ == "__main__":
    stoa_test.main()
