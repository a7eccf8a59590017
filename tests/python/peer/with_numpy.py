"""NumPy arrays in and out: types, missing values, memory."""

import tempfile
import unittest
from pathlib import Path

import numpy as np
import pystoa
from pystoa import col


class Numpy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "a.h5"

    def there_and_back(self, **columns):
        pystoa.write(self.path, "/t", columns, replace=self.path.exists())
        with pystoa.open(self.path, "/t") as table:
            whole = table.to_numpy()
            for name in columns:
                np.testing.assert_array_equal(table[name].to_numpy(), whole[name])
            return whole

    def assert_same(self, values):
        found = self.there_and_back(x=values)["x"]
        self.assertEqual(found.dtype, values.dtype)
        self.assertEqual(isinstance(found, np.ma.MaskedArray), isinstance(values, np.ma.MaskedArray))
        np.testing.assert_array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(values))
        np.testing.assert_array_equal(np.ma.compressed(found), np.ma.compressed(values))

    def test_numbers_keep_their_types(self):
        for letter in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "?"):
            dtype = np.dtype(letter)
            values = np.array([0, 1, 1, 0, 1], dtype=dtype)
            if dtype.kind in "iu":  # both ends are stored as a wider type (docs/hep001.md#wider-numbers)
                values[:4] = np.iinfo(dtype).min, np.iinfo(dtype).min + 1, np.iinfo(dtype).max, np.iinfo(dtype).max - 1
            if dtype.kind == "f":
                values[:3] = np.nan, np.inf, np.finfo(dtype).tiny
            for n in (5, 1):
                self.assert_same(values[:n])
                self.assert_same(np.ma.MaskedArray(values[:n], mask=[True, False, True, False, False][:n]))
            empty = self.there_and_back(x=values[:0])["x"]
            self.assertEqual((len(empty), empty.dtype), (0, dtype))

    def test_times_keep_their_units(self):
        for unit in ("D", "s", "ms", "us", "ns"):
            for kind in "Mm" if unit != "D" else "M":
                values = np.array([0, 5, -7, "NaT"], dtype=f"{kind}8[{unit}]")
                found = self.there_and_back(x=values)["x"]
                self.assertEqual(found.dtype, values.dtype)
                self.assertEqual(found.mask.tolist(), [False, False, False, True])
                np.testing.assert_array_equal(found.compressed(), values[:3])

    def test_other_units_are_converted(self):
        found = self.there_and_back(x=np.array(["2026-07", "2027-01"], dtype="M8[M]"))["x"]
        self.assertEqual(found.tolist(), np.array(["2026-07-01", "2027-01-01"], dtype="M8[D]").tolist())
        with self.assertRaises(TypeError):
            self.there_and_back(x=np.array([1], dtype="m8[ps]"))

    def test_texts_are_objects(self):
        for values in (
            np.array(["a", "ää", ""]),
            np.array(["a", None, "c"], dtype=object),
            np.array([b"a", b"b"]),
            np.array(["x", "y"], dtype=np.dtypes.StringDType()),
            np.ma.MaskedArray(["a", "b"], mask=[False, True]),
        ):
            found = self.there_and_back(x=values)["x"]
            wanted = [v.decode() if isinstance(v, bytes) else v for v in values.tolist()]
            self.assertEqual((found.dtype, found.tolist()), (object, wanted))

    def test_many_rows_are_equal(self):
        rng = np.random.default_rng(1)
        n = 300_000
        e = np.ma.MaskedArray(rng.normal(size=n), mask=rng.random(n) < 0.1)
        i = rng.integers(0, 1000, n).astype("i4")
        label = np.array(["muon", "pion", "kaon"], dtype=object)[rng.integers(0, 3, n)]
        found = self.there_and_back(e=e, i=i, label=label)
        np.testing.assert_array_equal(found["e"].mask, e.mask)
        np.testing.assert_array_equal(found["e"].compressed(), e.compressed())
        np.testing.assert_array_equal(found["i"], i)
        np.testing.assert_array_equal(found["label"], label)
        with pystoa.open(self.path, "/t") as table:
            some = table.query((col("e") > 1) & (col("label") == "pion"), columns=["i"]).to_numpy()["i"]
            np.testing.assert_array_equal(some, i[(e > 1).filled(False) & (label == "pion")])
            np.testing.assert_array_equal(table["i"][1000:200_000:7], i[1000:200_000:7])
            np.testing.assert_array_equal(table["i"][5000:20:-3], i[5000:20:-3])

    def test_arrays_are_the_callers_own(self):
        found = self.there_and_back(x=np.arange(5))["x"]
        found += 1
        with pystoa.open(self.path, "/t") as table:
            part = table["x"][1:3]
            part *= 10
            self.assertEqual(table["x"][1:3].tolist(), [1, 2])

    def test_scalars_in_lists(self):
        times = [np.datetime64("2026-07-01T01:00", "us"), None]
        pystoa.write("scalars.h5", "/t", {"time": times, "x": [np.float32(0.5), None], "n": [np.int8(3), -4]})
        with pystoa.open("scalars.h5", "/t") as table:
            got = table.query().to_numpy()
        self.assertEqual(got["time"][0], times[0])
        self.assertEqual((got["x"].dtype, got["x"][0], got["n"].tolist()), (np.float32, 0.5, [3, -4]))
        self.assertTrue(got["time"].mask[1] and got["x"].mask[1])

    def test_strides_and_byte_orders(self):
        self.assertEqual(self.there_and_back(x=np.arange(10)[::3])["x"].tolist(), [0, 3, 6, 9])
        self.assertEqual(self.there_and_back(x=np.arange(3, dtype=">i4"))["x"].tolist(), [0, 1, 2])

    def test_what_no_column_holds_is_refused_by_name(self):
        for values in (np.zeros((2, 2)), np.zeros(2, dtype=complex), np.array([object()])):
            with self.assertRaisesRegex(TypeError, "'x'"):
                self.there_and_back(x=values)

    def test_parameters_are_numpys_too(self):
        pystoa.write(self.path, "/t", {"n": np.arange(5), "t": np.arange(5).astype("M8[s]")})
        with pystoa.open(self.path, "/t") as table:
            self.assertEqual(table.query(col("n") == np.int16(3)).to_list()[0]["n"], 3)
            self.assertEqual(table.query("n > ?", [np.float32(3.5)]).to_list()[0]["n"], 4)
            self.assertEqual(table.query(col("t") > np.datetime64("1970-01-01T00:00:03"))
                             .to_list()[0]["n"], 4)  # fmt: skip
            self.assertEqual(len(table.query(col("n").isin(np.array([1, 2]))).to_list()), 2)

    def test_numpy_takes_a_column(self):
        pystoa.write(self.path, "/t", {"e": [1.5, None], "i": [1, None]})
        with pystoa.open(self.path, "/t") as table:
            np.testing.assert_array_equal(np.asarray(table["e"]), [1.5, np.nan])
            with self.assertRaises(ValueError):
                np.asarray(table["i"])


if __name__ == "__main__":
    unittest.main()
