"""Fields of structs are asked for by dotted names, as columns are (docs/query.md); pyarrow and Python
say what the answers are."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

N = 3000


def row(i):
    """A struct, of which every seventh is missing."""
    inner = {"y": i % 100, "b": i % 2 == 0}
    return None if i % 7 == 0 else {"x": i, "t": i / 2, "w": f"k{i % 3}", "in": inner,
                                    "l": list(range(i % 4))}  # fmt: skip


MAKE = """
import json, pyarrow as pa
rows = json.load(open("rows.json"))
kind = pa.struct([("x", pa.int32()), ("t", pa.float64()), ("w", pa.string()),
                  ("in", pa.struct([("y", pa.int16()), ("b", pa.bool_())])), ("l", pa.list_(pa.int32()))])
table = pa.table({"a": pa.array(rows, kind), "a.t": pa.array(range(len(rows))), "i": pa.array(range(len(rows)))})
with pa.OSFile("rows.arrow", "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
    writer.write_table(table, max_chunksize=700)
"""


class StructFields(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.rows = [row(i) for i in range(N)]
        self.write("rows.json", json.dumps(self.rows))
        self.peer("python3", "-c", MAKE)
        self.place = f"{self.dir}/a.h5:/t"
        self.stoa("import", f"{self.dir}/rows.arrow", self.place, "--chunk", "512")

    def ask(self, *arguments):
        said = self.stoa("query", self.place, *arguments, "-f", "jsonl").stdout
        return [list(json.loads(line).values()) for line in said.splitlines()]

    def test_fields_are_columns(self):
        found = self.ask("-c", "a.x, a.w, a.in, a.in.y, a.in.b, a.l")
        wanted = [[None] * 6 if r is None else [r["x"], r["w"], r["in"], r["in"]["y"], r["in"]["b"], r["l"]]
                  for r in self.rows]  # fmt: skip
        self.assertEqual(found, wanted)

    def test_they_filter(self):
        found = self.ask("-w", "a.in.b and a.x > 1234 and a.w = 'k1'", "-c", "i")
        self.assertEqual(found, [[i] for i, r in enumerate(self.rows)
                                 if r and r["in"]["b"] and i > 1234 and r["w"] == "k1"])  # fmt: skip
        missing = [[sum(r is None for r in self.rows)]]
        self.assertEqual(self.ask("-w", "a.in.y is null", "-a", "count()"), missing)
        self.assertEqual(self.ask("-w", '"a.x" is null', "-a", "count()"), missing)

    def test_they_say_which_rows_change_and_to_what(self):
        numbers = list(range(N))
        self.stoa("update", self.place, "-w", "a.in.b and a.x < 1000", "--set", "i = a.x + 2 * a.in.y")
        numbers = [r["x"] + 2 * r["in"]["y"] if r and r["in"]["b"] and r["x"] < 1000 else i
                   for i, r in zip(numbers, self.rows)]  # fmt: skip
        self.assertEqual(self.ask("-c", "i"), [[n] for n in numbers])
        self.stoa("update", self.place, "--all", "--set", "i = a.x")
        self.assertEqual(self.ask("-c", "i"), [[r["x"] if r else None] for r in self.rows])
        self.stoa("delete", self.place, "-w", "a.in.y between 10 and 90 or a.x is null")
        left = [r for r in self.rows if r and not 10 <= r["in"]["y"] <= 90]
        self.assertEqual(self.ask("-c", "a.x, a.in.y, i"), [[r["x"], r["in"]["y"], r["x"]] for r in left])
        self.stoa("check", self.place)
        self.fails("update", self.place, "-w", "a.x = 1", "--set", "a.x = 2",
                   says="'a.x' is a field of a struct, which cannot be set alone")  # fmt: skip
        self.fails("update", self.place, "--all", "--set", "a.x = 2", says="no column 'a.x' to set")

    def test_lists_in_them_have_functions(self):
        found = self.ask("-w", "a.x >= 0", "-c",
                         "length(a.l), sum(a.l), max(a.l), a.l[0], any(a.l > 1), count(a.l < a.in.y)")  # fmt: skip
        wanted = []
        for r in self.rows:
            v = r["l"] if r else []
            if r:
                wanted.append([len(v), sum(v) if v else None, max(v) if v else None, v[0] if v else None,
                               any(x > 1 for x in v), len(v)])  # fmt: skip
        self.assertEqual(found, wanted)

    def test_they_make_groups_and_an_order(self):
        found = self.ask("-a", "count(), sum(a.x), max(length(a.l))", "--by", "a.w", "--sort", "a.w")
        wanted = []
        for word in ("k0", "k1", "k2", None):
            of = [r for r in self.rows if (r and r["w"]) == word]
            xs = [r["x"] for r in of if r]
            lengths = [len(r["l"]) for r in of if r]
            wanted.append([word, len(of), sum(xs) if xs else None, max(lengths) if lengths else None])
        self.assertEqual(found, wanted)
        last = [[r["in"]["y"], r["x"]] for r in self.rows if r]
        last.sort(key=lambda pair: (-pair[0], pair[1]))
        self.assertEqual(self.ask("-c", "a.in.y, a.x", "--sort", "a.in.y:desc, a.x", "-n", "50"), last[:50])

    def test_a_column_of_that_name_comes_first(self):
        self.assertEqual(self.ask("-c", "a.t", "-n", "3"), [[0], [1], [2]])

    def test_all_columns_are_those_of_the_table(self):
        said = self.stoa("query", self.place, "-w", "a.x = 5", "-f", "jsonl").stdout
        self.assertEqual(list(json.loads(said)), ["a", "a.t", "i"])

    def test_a_field_that_is_not_there_is_named(self):
        for text in ("a.nothing > 1", "a.in.nothing > 1", "a.x.y > 1"):
            self.fails("query", self.place, "-w", text, says=f"there is no column '{text[:-4]}'")

    def test_complex_numbers_of_lh5_have_parts(self):
        self.peer("python3", "-c", COMPLEX)
        said = self.stoa("query", f"{self.dir}/z.lh5:/t", "-w", "w.z.i > 0", "-c", "w.z.r as real", "-f",
                         "csv").stdout  # fmt: skip
        self.assertEqual(said, "real\n1.5\n-2.0\n")


COMPLEX = """
import h5py, lh5_tree, numpy as np
z = {"kind": "array", "values": np.array([1.5 + 1j, 7 - 1j, -2 + 0.5j])}
with h5py.File("z.lh5", "w") as file:
    inner = {"kind": "table", "fields": {"z": z}}
    lh5_tree.Writer().write(file, "t", {"kind": "table", "fields": {"w": inner}})
"""


if __name__ == "__main__":
    stoa_test.main()
