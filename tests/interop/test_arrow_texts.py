"""pyarrow's strings go into a table and come out of it, whatever the file keeps them as."""

import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

# What the peers' root has of its own.
THEIRS = r"libc\.|libm\.|libpthread|libdl|librt|ld-linux|libstdc\+\+|libgcc_s"


class Texts(PeerTestCase):
    def library(self):
        """libstoa.so and what it needs, where the peers can load them."""
        path = stoa_test.BUILD / "libstoa.so"
        if os.environ.get("STOA_SANITIZE") or not path.exists():
            self.skipTest("there is no libstoa.so that a foreign program can load")
        said = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
        self.put(path)
        for name, needed in re.findall(r"(\S+) => (/\S+)", said):
            if not re.match(THEIRS, name):
                shutil.copy(needed, self.dir / name)

    def test_strings_come_back_as_strings_whether_they_are_categories_or_not(self):
        self.library()
        said = self.peer(
            "env", f"LD_LIBRARY_PATH={self.inside}",
            "python3", "arrow_texts.py", f"{self.inside}/libstoa.so", "t.h5",
        )  # fmt: skip
        self.assertEqual(said, "")
        self.assert_conformant(["t.h5"])


if __name__ == "__main__":
    stoa_test.main()
