"""pystoa has a libhdf5 of its own inside: it lives beside that of h5py and of PyTables."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = """
import sys
order, path = sys.argv[1], sys.argv[2]
for name in order.split(","):
    __import__(name)
import h5py, numpy, pystoa, tables
pystoa.write(path, "/t", {"x": list(range(1000)), "e": [i / 7 for i in range(1000)]}, portable=True)
with h5py.File(path) as file, tables.open_file(path) as other, pystoa.open(path) as ours:
    assert file["/t/x"][5] == 5
    assert other.root.t.x[5] == 5
    assert ours["/t"]["x"][5] == 5
    assert len(ours["/t"].query("e > 100").to_list()) == 299
with h5py.File(path, "a") as file:
    file["/more"] = numpy.arange(3)
with pystoa.open(path, "/t") as table:
    table.append({"x": [1000], "e": [0.5]})
with h5py.File(path) as file:
    assert file["/t/x"][1000] == 1000 and file["/more"][2] == 2
print("good")
"""


class Beside(unittest.TestCase):
    def test_either_may_be_first(self):
        with tempfile.TemporaryDirectory() as folder:
            for i, order in enumerate(("h5py,tables,pystoa", "pystoa,tables,h5py")):
                done = subprocess.run(
                    [sys.executable, "-c", SCRIPT, order, str(Path(folder) / f"{i}.h5")],
                    capture_output=True, text=True, check=False,
                )  # fmt: skip
                self.assertEqual(done.stdout, "good\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
