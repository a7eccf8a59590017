"""Tables that Stoa writes in other layouts are what the libraries of those layouts take them for."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

MISSING = """a,b,c,s,t
1,true,1.5,x,2020-01-01T00:00:00Z
,,,,
3,false,2.5,zz,2020-01-03T00:00:00Z
"""


class PyTables(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.peer("python3", "layouts.py")
        self.theirs = f"{self.dir}/pytables.h5"

    def test_a_table_is_the_same_again(self):
        for codec in ("deflate", "none", "blosc", "deflate:9"):
            with self.subTest(codec=codec):
                ours = f"{self.dir}/{codec.replace(':', '')}.h5"
                for path in ("/plain_little", "/zlib11_big", "/empty"):
                    self.stoa("convert", f"{self.theirs}:{path}", ours, "--to", "pytables",
                              "--codec", codec)  # fmt: skip
                self.assert_says_nothing("layouts_written.py", os.path.basename(ours),
                                         "pytables.h5")  # fmt: skip

    def test_a_table_comes_back_from_hep001(self):
        own, back = f"{self.dir}/own.h5", f"{self.dir}/back.h5"
        self.stoa("convert", f"{self.theirs}:/plain_little", own, "--to", "hep001")
        self.stoa("check", own)
        self.stoa("convert", own, back, "--to", "pytables")
        self.assertEqual(
            self.stoa("query", f"{own}:/plain_little", "-f", "jsonl").stdout,
            self.stoa("query", f"{back}:/plain_little", "-f", "jsonl").stdout,
        )
        self.assert_says_nothing("layouts_written.py", "back.h5", "pytables.h5", "widened")

    def test_a_file_of_their_tables_keeps_its_places(self):
        first, whole = f"{self.dir}/first.h5", f"{self.dir}/whole.h5"
        for path in ("/a/one", "/a/two", "/three"):
            self.stoa("convert", f"{self.theirs}:/plain_little", f"{first}:{path}", "--to",
                      "hep001")  # fmt: skip
        self.stoa("convert", first, whole, "--to", "pytables")
        listed = self.stoa("ls", whole).stdout.splitlines()[2:]
        self.assertEqual([line.split()[:2] for line in listed],
                         [["/a/one", "pytables"], ["/a/two", "pytables"],
                          ["/three", "pytables"]])  # fmt: skip


if __name__ == "__main__":
    stoa_test.main()
