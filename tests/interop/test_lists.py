"""Lists and structs of Arrow are what they were in a HEP001 table: empty, missing, of strings, of
bools, of lists (docs/hep001.md)."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

ROWS = {
    "bools": [[True, False], [], [True], None],
    "texts": [["a", ""], [], [""] * 8, None],
    "lists": [[[1], []], [], [[]] * 8, None],
    "pairs": [{"yes": True, "n": 1}, {"yes": False, "n": 2}, {"yes": True, "n": 3},
              {"yes": False, "n": 0}],
}  # fmt: skip
MAKE = """
import json, sys, pyarrow as pa
pairs = pa.struct([("yes", pa.bool_()), ("n", pa.int32())])
types = {"bools": pa.list_(pa.bool_()), "texts": pa.list_(pa.string()),
         "lists": pa.list_(pa.list_(pa.int16())), "pairs": pairs}
table = pa.table({k: pa.array(v, types[k]) for k, v in json.loads(sys.argv[1]).items()})
with pa.OSFile("t.arrow", "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
    writer.write_table(table)
"""
# FALSE and TRUE in a signed byte: the boolean of HEP001 §6; h5py reads it as bool. Those that may be
# missing are uint8.
BOOLS = """
import h5py
with h5py.File("own.h5") as f:
    bools = f["t/bools"]
    print([int(x) for x in bools["VALUES"]], bools["VALUES"].dtype, f["t/pairs"].dtype["yes"])
    print([int(x) for x in bools["OFFSETS"]], [bool(x) for x in bools["MASK"]])
"""


class Lists(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.peer("python3", "-c", MAKE, json.dumps(ROWS))
        self.own = f"{self.dir}/own.h5"
        self.stoa("import", self.dir / "t.arrow", f"{self.own}:/t")

    def columns(self, place):
        rows = self.stoa("query", place, "-f", "jsonl").stdout.splitlines()
        return {name: [json.loads(row)[name] for row in rows] for name in ROWS}

    def test_empty_and_missing_lists_are_told_apart(self):
        self.assertEqual(self.columns(self.own), ROWS)
        self.stoa("check", self.own)

    def test_lists_in_lists_are_shown_as_lists(self):
        asked = 'lists[0], lists[-1] as last, length(lists[0]) as n, sum(lists) as total'
        said = self.stoa("query", self.own, "-c", asked, "-f", "jsonl").stdout
        rows = [list(json.loads(line).values()) for line in said.splitlines()]
        self.assertEqual(rows, [[[1], [], 1, 1], [None, None, None, None], [[], [], 0, None],
                                [None, None, None, None]])  # fmt: skip
        said = self.stoa("query", self.own, "-c", "lists[0] as first", "-w", "length(lists[0]) = 1",
                         "--sort", "sum(lists[0]):desc", "-f", "jsonl").stdout  # fmt: skip
        self.assertEqual(said, '{"first":[1]}\n')
        self.stoa("query", self.own, "-c", "lists[0] as first", "-o", self.dir / "first.arrow")
        self.peer("python3", "-c", "import pyarrow as pa\n"
                  "with pa.OSFile('first.arrow') as file, pa.ipc.open_file(file) as read:\n"
                  "    t = read.read_all()\n"
                  "    t.validate(full=True)\n"
                  "    assert t['first'].type == pa.large_list(pa.int16()), t.schema\n"
                  "    assert t['first'].to_pylist() == [[1], None, [], None], t")

    def test_rows_that_are_appended_are_what_they_were(self):
        self.stoa("append", self.dir / "t.arrow", f"{self.own}:/t")
        self.assertEqual(self.columns(self.own), {k: v * 2 for k, v in ROWS.items()})
        self.stoa("check", self.own)

    def test_h5py_reads_the_bools(self):
        said = self.peer("python3", "-c", BOOLS)
        self.assertEqual(said.splitlines(), ["[1, 0, 1] uint8 bool", "[0, 2, 2, 3, 3] [True, True, True, False]"])


if __name__ == "__main__":
    stoa_test.main()
