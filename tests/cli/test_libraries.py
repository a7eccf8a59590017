"""What the command is bound to when it starts, and what it opens only where a file needs it."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

CSV = "x,y\n" + "".join(f"{i},{i % 7}\n" for i in range(5000))
# Each of them costs every command about as long as a small question takes.
UNWANTED = ("libblosc", "libsnappy", "libstdc++", "libbz2", "liblzo2")


@unittest.skipUnless(sys.platform == "linux", "ld.so's variables")
class Libraries(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.csv = self.write("a.csv", CSV)
        # A file that is no library stands before the system's.
        self.write("empty/libblosc.so.1", "")
        self.without = {"LD_LIBRARY_PATH": str(self.dir / "empty")}

    def test_a_command_begins_without_codecs_that_few_files_need(self):
        said = stoa_test.run(stoa_test.STOA, env={"LD_TRACE_LOADED_OBJECTS": "1"}).stdout
        if "libc.so" not in said or "san.so" in said:
            self.skipTest("a static build, or a sanitizer's")
        self.assertEqual([name for name in UNWANTED if name in said], [])

    def test_blosc_is_opened_where_a_column_has_it(self):
        place = f"{self.dir}/a.h5:/t"
        self.stoa("import", self.csv, place, "--codec", "x=blosc")
        said = self.stoa("query", place, "-a", "sum(x)", "-f", "csv").stdout
        self.assertEqual(said.splitlines()[1], str(5000 * 4999 // 2))

    def test_without_libblosc_its_columns_alone_are_refused(self):
        place = f"{self.dir}/a.h5:/t"
        self.stoa("import", self.csv, place, "--codec", "x=blosc")
        said = self.stoa("query", place, "-a", "max(y)", "-f", "csv", env=self.without).stdout
        self.assertEqual(said.splitlines()[1], "6")
        self.fails("query", place, "-a", "sum(x)", says=[f"{place}/x: ", "the filter 'blosc'"],
                   env=self.without)  # fmt: skip

    def test_without_libblosc_nothing_is_packed_by_it(self):
        place = f"{self.dir}/a.h5:/t"
        self.fails("import", self.csv, place, "--codec", "blosc", says=["libblosc", "lz4"],
                   env=self.without)  # fmt: skip
        self.assertFalse((self.dir / "a.h5").exists())


if __name__ == "__main__":
    stoa_test.main()
