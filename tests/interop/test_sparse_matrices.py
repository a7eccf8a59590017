"""Sparse matrices of pyarrow, anndata and SciPy are the same after a way through Stoa."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase


class SparseMatrices(PeerTestCase):
    def test_pyarrow_and_anndata_read_what_stoa_made_of_what_they_wrote(self):
        names = self.peer("python3", "sparse_arrays.py", "write").split()
        self.assertGreater(len(names), 20)
        ours, back = f"{self.dir}/ours.h5", f"{self.dir}/back.h5"
        for name in names:
            self.stoa("import", f"{self.dir}/{name}.arrow", f"{ours}:/{name}", "--sparse")
            self.stoa("export", f"{ours}:/{name}", f"{self.dir}/{name}.out.arrow")
            for form in ("csr", "csc"):
                place = f"{ours}:/{form}/{name}"
                self.stoa("import", f"{self.dir}/groups.h5:/{form}/{name}", place)
                self.stoa("diff", "--defined", f"{ours}:/{name}", place)
                self.stoa("export", place, f"{back}:/{form}/{name}", "-f", form)
        for place, name in (
            ("groups.h5:/old", "old"),
            ("a.h5ad:/X", "x"),
            ("a.h5ad:/layers/raw", "raw"),
        ):
            self.stoa("import", f"{self.dir}/{place}", f"{ours}:/{name}")
            self.stoa("export", f"{ours}:/{name}", f"{back}:/csr/{name}", "-f", "csr")
        self.assertEqual(self.peer("python3", "sparse_arrays.py", "compare").split(), names)


if __name__ == "__main__":
    stoa_test.main()
