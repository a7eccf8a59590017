"""DataFrames in and out."""

import datetime
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pystoa


class Pandas(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "a.h5"
        self.frame = pd.DataFrame({
            "i": np.arange(5, dtype="i4"),
            "e": [0.5, np.nan, 2.5, 3.5, 4.5],
            "label": ["a", None, "c", "a", "b"],
            "when": pd.to_datetime(["2026-07-01", None, "2026-07-03", "2026-07-04", "2026-07-05"], utc=True),
            "flag": [True, False, True, True, False],
            "cat": pd.Categorical(["x", "y", "x", None, "y"]),
        })  # fmt: skip

    def test_a_frame_comes_back(self):
        pystoa.write(self.path, "/t", self.frame, units={"e": "keV"})
        with pystoa.open(self.path, "/t") as table:
            found = table.to_pandas()
        self.assertEqual(found.attrs["units"], {"e": "keV"})
        pd.testing.assert_frame_equal(found, self.frame, check_dtype=False)
        self.assertEqual([str(t) for t in found.dtypes.drop("label")],
                         [str(t) for t in self.frame.dtypes.drop("label")])  # fmt: skip

    def test_backends_keep_integers_that_are_missing(self):
        pystoa.write(self.path, "/t", {"i": [1, None, 3]})
        with pystoa.open(self.path, "/t") as table:
            self.assertEqual(str(table.to_pandas(dtype_backend="numpy_nullable")["i"].dtype), "Int64")
            self.assertEqual(str(table.to_pandas(dtype_backend="pyarrow")["i"].dtype), "int64[pyarrow]")
            self.assertEqual(str(table.to_pandas()["i"].dtype), "float64")
            with self.assertRaises(ValueError):
                table.to_pandas(dtype_backend="numpy")

    def test_without_pyarrow_missing_values_are_pandas_own(self):
        data = {"i": [1, None], "e": [None, 2.5], "flag": [None, True], "label": ["a", None],
                "when": [None, datetime.datetime(2026, 7, 1)]}  # fmt: skip
        pystoa.write(self.path, "/t", data)
        with pystoa.open(self.path, "/t") as table, mock.patch.dict(sys.modules, {"pyarrow": None}):
            found = table.to_pandas()
        pd.testing.assert_frame_equal(found.isna(), pd.DataFrame(data).isna())
        self.assertEqual((found["i"][0], found["e"][1], found["flag"][1], found["label"][0]), (1, 2.5, True, "a"))

    def test_row_labels_become_the_index(self):
        pystoa.write(self.path, "/t", {"id": [3, 4], "x": [1.0, 2.0]}, index_columns=["id"])
        with pystoa.open(self.path, "/t") as table:
            self.assertEqual(table.index_columns, ["id"])
            self.assertEqual(table.to_pandas(index=True).index.tolist(), [3, 4])

    def test_what_pandas_wrote_is_asked(self):
        path = str(self.path)
        self.frame.drop(columns=["cat"]).to_hdf(path, key="frame", format="table", data_columns=True)
        with pystoa.open(path, "/frame") as table:
            found = table.query("e > 2 and label = 'a'").to_list()
        self.assertEqual([row["i"] for row in found], [3])


if __name__ == "__main__":
    unittest.main()
