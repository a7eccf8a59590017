"""Matrix Market files that SciPy wrote are the same matrices after a way through Stoa."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase


class MatrixMarket(PeerTestCase):
    def test_scipy_reads_what_stoa_made_of_what_scipy_wrote(self):
        names = self.peer("python3", "matrices.py", "write").split()
        self.assertGreater(len(names), 20)
        for name in names:
            place = f"{self.dir}/m.h5:/{name}"
            self.stoa("import", f"{self.dir}/{name}.mtx", place)
            self.stoa("export", place, f"{self.dir}/{name}.out.mtx")
        self.assertEqual(self.peer("python3", "matrices.py", "compare").split(), names)


if __name__ == "__main__":
    stoa_test.main()
