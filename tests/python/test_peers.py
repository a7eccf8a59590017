"""The package beside those that scientists have."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test


class Peers(python_test.PeersTestCase):
    def test_numpy(self):
        self.assert_passes("with_numpy")

    def test_pyarrow(self):
        self.assert_passes("with_pyarrow")

    def test_pandas(self):
        self.assert_passes("with_pandas")

    def test_polars(self):
        self.assert_passes("with_polars")

    def test_newer_pandas(self):
        self.assert_passes("with_pandas", newer=True)

    def test_scipy(self):
        self.assert_passes("with_scipy")

    def test_matplotlib(self):
        self.assert_passes("with_matplotlib")

    def test_dask(self):
        self.assert_passes("with_dask")

    def test_xarray(self):
        self.assert_passes("with_xarray")

    def test_h5py(self):
        self.assert_passes("with_h5py")

    def test_fsspec(self):
        self.assert_passes("with_fsspec")

    def test_hdf5_of_others(self):
        self.assert_passes("beside_hdf5")


if __name__ == "__main__":
    stoa_test.main()
