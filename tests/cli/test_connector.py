"""HDF5's own tools do the same through Stoa's connector as without it (sparse fact sheet §4)."""

import os
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

CSV = "id,x,word,when\n" + "".join(
    f"{i},{i / 8 if i % 3 else ''},w{i % 7},2001-01-{1 + i % 28:02d}T00:00:00Z\n"
    for i in range(500)
)
# The connector by its name alone, and with the one below.
CONNECTORS = ("stoa", "stoa under_vol=0;under_info={}")
# 53131, the filter of structured chunks, with a list that says: version 1, sparse, no filters.
SPARSE = "x:UD=53131,0,3,257,0,0"


@unittest.skipIf(os.environ.get("STOA_SANITIZE"), "HDF5's tools are built without the sanitizer")
class Connector(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        os.environ["HDF5_PLUGIN_PATH"] = str(stoa_test.BUILD / "plugins")
        self.addCleanup(os.environ.pop, "HDF5_PLUGIN_PATH")
        self.table = self.dir / "t.h5"
        self.stoa("import", self.write("t.csv", CSV), f"{self.table}:/a/t", "--type",
                  "word=category")  # fmt: skip
        self.hdf5("h5copy", "-i", self.table, "-s", "/a/t/x", "-o", self.dir / "plain.h5", "-d", "x")
        self.stoa("index", "add", f"{self.table}:/a/t", "id", "x", "when")

    def through(self, connector, tool, *arguments):
        """What a tool prints, with a connector or without (None), and how it ended."""
        env = {"HDF5_VOL_CONNECTOR": connector} if connector else None
        done = stoa_test.run(stoa_test.HDF5_BIN + "/" + tool, *arguments, env=env)
        return done.stdout, done.stderr, done.returncode

    def assert_same(self, tool, *arguments):
        expected = self.through(None, tool, *arguments)
        self.assertIn(expected[2], (0, 1), expected[1])
        for connector in CONNECTORS:
            self.assertEqual(self.through(connector, tool, *arguments), expected, connector)

    def test_what_shows_a_file_shows_the_same(self):
        self.assert_same("h5dump", self.table)
        self.assert_same("h5dump", "-p", "-B", "-H", self.table)
        self.assert_same("h5dump", "-d", "/a/t/id", "-s", "7", "-S", "9", "-c", "5", self.table)
        self.assert_same("h5ls", "-rvd", self.table)
        self.assert_same("h5stat", self.table)

    def test_references_are_followed(self):
        said = self.through("stoa", "h5dump", "-A", self.table)[0]
        self.assertIn("H5T_STD_REF", said)
        self.assertIn("/a/t/SEARCH_INDEXES/id__chunk_minmax", said)

    def test_differences_are_the_same(self):
        other = self.dir / "other.h5"
        self.stoa("import", self.write("o.csv", CSV.replace("\n7,", "\n8,")), f"{other}:/a/t")
        self.assert_same("h5diff", self.table, self.table)
        self.assert_same("h5diff", "-r", self.table, other, "/a/t/id", "/a/t/id")

    def made(self, tool, *arguments):
        """The files that a tool makes without and with each connector."""
        files = []
        for i, connector in enumerate((None, *CONNECTORS)):
            files.append(self.dir / f"made{i}.h5")
            words = [files[-1] if word is None else word for word in arguments]
            said = self.through(connector, tool, *words)
            self.assertEqual(said[2], 0, said[1])
        return files

    def assert_copies_are_same(self, tool, *arguments):
        """`None` stands for the file that is made, which keeps the second it was made in."""
        for _ in range(20):
            second = int(time.time())
            files = self.made(tool, *arguments)
            if int(time.time()) == second:
                break
            for made in files:
                made.unlink()
        for made in files[1:]:
            self.assertEqual(made.read_bytes(), files[0].read_bytes(), made.name)

    def test_copies_are_the_same(self):
        self.assert_copies_are_same(
            "h5copy", "-i", self.table, "-s", "/a/t/x", "-o", None, "-d", "/x")  # fmt: skip

    def test_packed_files_are_the_same(self):
        plain = self.dir / "plain.h5"
        self.assert_copies_are_same("h5repack", plain, None)
        self.assert_copies_are_same("h5repack", "-f", "GZIP=3", "-l", "CHUNK=64", plain, None)
        self.assert_copies_are_same("h5repack", "-f", "NONE", "-l", "CONTI", plain, None)

    def test_sparse_datasets_are_shown_as_without_it(self):
        plain = self.dir / "plain.h5"
        for sparse in self.made("h5repack", "-l", "x:CHUNK=64", "-f", SPARSE, plain, None):
            self.assertIn("53131", self.through(None, "h5dump", "-p", "-H", sparse)[0])
            self.assert_same("h5dump", sparse)
            self.assert_same("h5dump", "-d", "/x", "-s", "3", "-S", "5", "-c", "70", sparse)
            self.assert_same("h5ls", "-rvd", sparse)
            self.assert_same("h5diff", sparse, plain)
            self.assertEqual(self.through("stoa", "h5diff", sparse, plain)[2], 0)
            copy = self.dir / "copy.h5"
            said = self.through("stoa", "h5repack", sparse, copy)
            self.assertEqual(said[2], 0, said[1])
            self.assertEqual(self.through(None, "h5diff", copy, plain)[2], 0)


if __name__ == "__main__":
    stoa_test.main()
