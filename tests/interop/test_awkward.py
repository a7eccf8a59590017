"""Lists that become awkward arrays, read by h5py (and awkward, where it is there) and opened by anndata."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

ROWS = {
    "numbers": [[1, 2], [], [3], [], [-4]],
    "missing": [[1, None], None, [], [None], [5]],
    "floats": [[1.5, None], [], None, [], [0.5]],
    "texts": [["a", "é"], [], ["", None], None, []],
    "bools": [[True], [], [False, True], [None], []],
    "lists": [[[1], []], [], [[2, 3]], None, [None]],
    "pairs": [[{"x": 1, "y": 0.5}], [], [{"x": 2, "y": 1.5}, {"x": 3, "y": 2.5}], None, []],
    "fixed": [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]],
    "fixed_missing": [[1, 2], None, [3, 4], None, [5, 6]],
    "tensors": [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]] * 2 + [[[0, 0], [0, 0], [1, 0]]],
    "words": [["a", "b"], [], ["a"], None, ["b", None]],
}
MAKE = """
import json, sys, pyarrow as pa
pair = pa.struct([("x", pa.int32()), ("y", pa.float64())])
types = {"numbers": pa.list_(pa.int16()), "missing": pa.list_(pa.uint8()), "floats": pa.list_(pa.float32()),
         "texts": pa.list_(pa.string()), "bools": pa.list_(pa.bool_()), "lists": pa.list_(pa.list_(pa.int64())),
         "pairs": pa.large_list(pair), "fixed": pa.list_(pa.int32(), 3), "fixed_missing": pa.list_(pa.int32(), 2),
         "words": pa.list_(pa.string())}
rows = json.loads(sys.argv[1])
tensors = pa.array([[x for line in row for x in line] for row in rows.pop("tensors")], pa.list_(pa.int32(), 6))
columns = {k: pa.array(v, types[k]) for k, v in rows.items()}
columns["tensors"] = pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.int32(), [3, 2]), tensors)
table = pa.table(columns)
with pa.OSFile("t.arrow", "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
    writer.write_table(table)
"""
OPEN = """
import h5py, sys
from anndata.io import read_elem
with h5py.File(sys.argv[1]) as file:
    print(*read_elem(file["obs"])["n"])
    for name in ("obsm", "varm", "uns"):
        print(name, file[name].attrs["encoding-type"], len(file[name]))
"""


class Written(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.peer("python3", "-c", MAKE, json.dumps(ROWS))

    def check(self, file, names):
        said = self.peer("python3", "awkwards.py", file, *[f"/obsm/{name}" for name in names])
        for name, line in zip(names, said.splitlines(), strict=True):
            self.assertEqual(json.loads(line), ROWS[name], name)

    def test_arrays_hold_the_lists(self):
        self.stoa("import", self.dir / "t.arrow", f"{self.dir}/own.h5:/t")
        for codec in ("none", "deflate:9"):
            file = f"{codec[:4]}.h5ad"
            self.stoa("convert", f"{self.dir}/own.h5:/t", self.dir / file, "--to", "anndata", "--codec", codec)
            self.check(file, list(ROWS))

    def test_anndata_reads_the_frame_beside_them(self):
        self.write("t.jsonl", "".join(f'{{"n": {k}, "v": [{k}]}}\n' for k in range(3)))
        self.stoa("import", self.dir / "t.jsonl", f"{self.dir}/n.h5:/t")
        self.stoa("convert", f"{self.dir}/n.h5:/t", self.dir / "n.h5ad", "--to", "anndata")
        said = self.peer_python(OPEN, "n.h5ad")
        self.assertEqual(said, "0 1 2\nobsm dict 1\nvarm dict 0\nuns dict 0\n")


if __name__ == "__main__":
    stoa_test.main()
