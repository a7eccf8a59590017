"""URLs of fsspec, where the file is on this machine or a copy of it is made."""

import os
import tempfile
import unittest

import fsspec
import pystoa


class Urls(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.path = os.path.join(place.name, "run.h5")
        pystoa.write(self.path, "/events", {"x": [1, 2, 3]})

    def rows(self, url):
        with pystoa.open(url, "/events") as table:
            return table["x"].read().to_list()

    def test_a_local_file(self):
        self.assertEqual(self.rows(f"file://{self.path}"), [1, 2, 3])

    def test_a_pattern_of_local_files(self):
        pystoa.write(self.path.replace("run", "run-2"), "/events", {"x": [4]})
        self.assertEqual(len(self.rows(f"file://{os.path.dirname(self.path)}/run*.h5")), 4)

    def test_a_copy_of_another_file(self):
        with open(self.path, "rb") as file:
            fsspec.filesystem("memory").pipe("/run.h5", file.read())
        self.assertEqual(self.rows("simplecache::memory://run.h5"), [1, 2, 3])
        with self.assertRaisesRegex(ValueError, "memory://run.h5.*simplecache::"):
            pystoa.open("memory://run.h5", "/events")

    def test_what_is_not_there(self):
        with self.assertRaises(FileNotFoundError):
            pystoa.open("file:///nowhere/run.h5")
        with self.assertRaisesRegex(ValueError, "nosuch"):
            pystoa.open("nosuch://run.h5")


if __name__ == "__main__":
    unittest.main()
