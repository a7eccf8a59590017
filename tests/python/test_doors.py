"""Functions with the signatures of other libraries, beside these libraries."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test


class Doors(python_test.PeersTestCase):
    def test_pandas(self):
        self.assert_passes("with_read_hdf")

    def test_pytables(self):
        self.assert_passes("with_tables")

    def test_anndata(self):
        self.assert_passes("with_anndata")

    def test_lh5(self):
        self.assert_passes("with_lh5")


if __name__ == "__main__":
    stoa_test.main()
