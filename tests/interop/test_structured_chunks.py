"""Chunks that Stoa writes are as docs/sparse-format.md says: a reader made from that page alone reads them."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

FORMS = {"all": 1, "runs": 2, "gaps": 3, "holes": 4, "bitmap": 5}


class StructuredChunks(PeerTestCase):
    def test_a_second_implementation_reads_every_form_of_positions(self):
        arrays = f"{self.dir}/arrays.h5"
        for name in self.peer("python3", "structured.py", "write").split():
            for codec in ("none", "deflate"):
                self.stoa("import", f"{self.dir}/{name}.csv", f"{arrays}:/{name}/{codec}", "--sparse",
                          "--shape", "50x70", "--chunk", "25x35", "--codec", codec)  # fmt: skip
        forms = json.loads(self.peer("python3", "structured.py", "compare", "arrays.h5"))
        self.assertEqual({name: FORMS[name] in seen for name, seen in forms.items()},
                         dict.fromkeys(FORMS, True))  # fmt: skip

    def test_a_second_implementation_reads_strings_out_of_section_2(self):
        self.peer("python3", "structured.py", "write")
        self.stoa("repack", "-l", "words:SPARSECHUNK=8x9", "-f", "words:SHUF", "-f", "words:GZIP=6",
                  f"{self.dir}/dense.h5", f"{self.dir}/words.h5")  # fmt: skip
        self.assertEqual(self.peer("python3", "structured.py", "compare", "words.h5"), "{}\n")


if __name__ == "__main__":
    stoa_test.main()
