"""pyarrow's strings go into a table and come out of it, whatever the file keeps them as."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase


class Texts(PeerTestCase):
    def test_strings_come_back_as_strings_whether_they_are_categories_or_not(self):
        library = stoa_test.BUILD / "libstoa.so"
        if os.environ.get("STOA_SANITIZE") or not library.exists():
            self.skipTest("there is no libstoa.so that a foreign program can load")
        self.assertEqual(self.peer("python3", "arrow_texts.py", library, "t.h5"), "")
        self.assert_conformant(["t.h5"])


if __name__ == "__main__":
    stoa_test.main()
