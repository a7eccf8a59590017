"""Files of h5py, which declare no layout: their groups, arrays and slices."""

import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np
import pystoa

N = 1000


class Plain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = str(Path(folder.name) / "a.h5")
        random = np.random.default_rng(1)
        cls.x, cls.flag = random.random(N), random.random(N) < 0.5
        cls.img = random.integers(0, 99, (7, 5, 3))
        with h5py.File(cls.path, "w") as file:
            file["events/x"], file["events/flag"] = cls.x, cls.flag
            file["img"], file["run"] = cls.img, 42

    def test_what_is_in_a_file(self):
        with pystoa.open(self.path) as file:
            self.assertEqual(file.tables, ["/events"])
            self.assertEqual([(a.path, a.kind, tuple(a.shape)) for a in file.arrays],
                             [("/img", "array", (7, 5, 3)), ("/run", "scalar", ())])  # fmt: skip
            self.assertIn("/img", file.tree())
            self.assertIn("2 arrays", file._repr_html_())

    def test_values_are_those_of_h5py(self):
        with pystoa.open(self.path) as file:
            events = file["/events"]
            self.assertEqual(events.layout, "plain")
            np.testing.assert_array_equal(events["x"].to_numpy(), self.x)
            found = events.query("flag and x > 0.5").to_numpy()
            np.testing.assert_array_equal(found["x"], self.x[self.flag & (self.x > 0.5)])
            np.testing.assert_array_equal(file["/img"]["img"].to_numpy(), self.img)
            np.testing.assert_array_equal(file["/img[2:, ::2, 1]"]["img"].to_numpy(), self.img[2:, ::2, 1])
            self.assertEqual(file["/run"]["run"].to_numpy().tolist(), [42])
            self.assertEqual(file["/events/x,flag"].columns, ["x", "flag"])


if __name__ == "__main__":
    unittest.main()
