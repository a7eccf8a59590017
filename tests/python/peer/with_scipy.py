"""Sparse arrays in and out. SciPy, NumPy and AnnData say what is right."""

import tempfile
import unittest
from pathlib import Path

import anndata
import numpy as np
import pystoa
from scipy import sparse

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]


def same(a, b):
    """Whether two of SciPy's store the same entries."""
    a, b = a.tocsr(), b.tocsr()
    a.sort_indices()
    b.sort_indices()
    return (
        a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a.indptr, b.indptr)
        and np.array_equal(a.indices, b.indices) and np.array_equal(a.data, b.data)
    )  # fmt: skip


def some(shape=(300, 200), density=0.05, dtype="f8", seed=1):
    random = np.random.default_rng(seed)
    matrix = sparse.random(*shape, density=density, format="csr", random_state=random)
    values = random.integers(1, 100, matrix.nnz).astype(dtype)
    if np.dtype(dtype).kind == "c":
        values += (1j * random.random(matrix.nnz)).astype(dtype)
    return sparse.csr_array((values, matrix.indices, matrix.indptr), shape=shape)


class Scipy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "a.h5"

    def test_matrices_of_every_type_and_format_come_back(self):
        for dtype in TYPES:
            matrix = some(dtype=dtype)
            pystoa.write_sparse(self.path, f"/{dtype}", matrix)
            found = pystoa.sparse(self.path, f"/{dtype}")
            self.assertEqual((found.dtype, found.nnz), (matrix.dtype, matrix.nnz))
            for format in ("csr", "csc", "coo"):
                back = found.to_scipy(format)
                self.assertEqual(back.format, format)
                self.assertTrue(same(back, matrix), (dtype, format))
        for format in ("csr", "csc", "coo", "lil", "dok", "bsr"):
            matrix = some(seed=3).asformat(format)
            pystoa.write_sparse(self.path, "/m", matrix, replace=True, codec="zstd", chunks=(16, 32))
            self.assertEqual(pystoa.sparse(self.path, "/m").chunks, (16, 32))
            self.assertTrue(same(pystoa.sparse(self.path, "/m").to_scipy(), sparse.csr_array(some(seed=3))))

    def test_boxes_are_those_of_scipy(self):
        matrix = some((500, 90))
        pystoa.write_sparse(self.path, "/m", matrix, chunks=(64, 64))
        found = pystoa.sparse(self.path, "/m")
        random = np.random.default_rng(5)
        for _ in range(50):
            a, b = sorted(random.integers(0, 501, 2))
            c, d = sorted(random.integers(0, 91, 2))
            part = found[a:b, c:d]
            for format in ("csr", "csc", "coo"):
                self.assertTrue(same(part.to_scipy(format), matrix[a:b, c:d]))
            np.testing.assert_array_equal(part.to_numpy(), matrix.toarray()[a:b, c:d])
            np.testing.assert_array_equal(np.asarray(found[a:b][:, c:d]), matrix.toarray()[a:b, c:d])
        dense = matrix.toarray()
        np.testing.assert_array_equal(found[-3].to_numpy(), dense[-3])
        np.testing.assert_array_equal(found[:, 7].to_numpy(), dense[:, 7])
        np.testing.assert_array_equal(found[7].to_scipy().toarray(), dense[7])
        self.assertEqual(found[3, 4], dense[3, 4])
        self.assertEqual([found[i, i] for i in range(90)], [dense[i, i] for i in range(90)])
        self.assertEqual(found[5:5].to_scipy().shape, (0, 90))

    def test_entries_add_up_and_zeros_stay(self):
        matrix = sparse.coo_array(([1.0, 2.0, 0.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 3))
        self.assertEqual(pystoa.write_sparse(self.path, "/m", matrix), 2)
        at, values = pystoa.sparse(self.path, "/m").read()
        self.assertEqual((at.tolist(), values.tolist()), ([[0, 1], [1, 0]], [3.0, 0.0]))
        self.assertEqual(matrix.nnz, 3)

    def test_any_number_of_dimensions(self):
        random = np.random.default_rng(7)
        for shape in ((1000,), (20, 30, 40), (5, 6, 7, 8)):
            dense = np.where(random.random(shape) < 0.1, random.integers(1, 9, shape), 0)
            pystoa.write_sparse(self.path, "/m", dense, replace=True, chunks=tuple(min(n, 7) for n in shape))
            found = pystoa.sparse(self.path, "/m")
            at, values = found.read()
            np.testing.assert_array_equal(at, np.argwhere(dense))
            np.testing.assert_array_equal(values, dense[dense != 0])
            np.testing.assert_array_equal(found[2:5].to_numpy(), dense[2:5])
            np.testing.assert_array_equal(np.asarray(found[..., 3]), dense[..., 3])
            key = (slice(1, None), ..., slice(2, None)) if len(shape) > 1 else slice(2, None)
            np.testing.assert_array_equal(found[key].read().coordinates, np.argwhere(dense[key]))
        np.testing.assert_array_equal(found.to_scipy().toarray(), dense)

    def test_tuples_and_copies(self):
        at = np.array([[5, 1], [0, 2], [5, 1]], dtype="i4")
        pystoa.write_sparse(self.path, "/m", (at, [1, 2, 3]))
        found = pystoa.sparse(self.path, "/m")
        self.assertEqual((found.shape, found.to_numpy()[5, 1], found[0, 2]), ((6, 3), 3, 2))
        pystoa.write_sparse(self.path, "/part", found[1:])
        np.testing.assert_array_equal(pystoa.sparse(self.path, "/part").to_numpy(), found.to_numpy()[1:])
        pystoa.write_sparse(self.path, "/none", ([], [], (3, 4)))
        self.assertEqual(pystoa.sparse(self.path, "/none").to_scipy().nnz, 0)
        pystoa.write_sparse(self.path, "/big", ([[10**12, 5]], [1.5], (2**40, 2**20)))
        found = pystoa.sparse(self.path, "/big")
        self.assertEqual(found[10**12 - 1 : 10**12 + 1, :9].to_numpy()[1, 5], 1.5)
        self.assertEqual(found.to_scipy("coo").row.tolist(), [10**12])

    def test_fill_values(self):
        dense = np.full((6, 7), np.nan, dtype="f4")
        dense[2, 3] = 1.5
        pystoa.write_sparse(self.path, "/nan", dense, fill=np.nan)
        found = pystoa.sparse(self.path, "/nan")
        self.assertEqual((found.nnz, found.dtype), (1, np.dtype("f4")))
        self.assertTrue(np.isnan(found.fill_value))
        np.testing.assert_array_equal(found.to_numpy(), dense)
        with self.assertRaisesRegex(ValueError, "SciPy has them as 0"):
            found.to_scipy()
        pystoa.write_sparse(self.path, "/copy", found[2:])
        np.testing.assert_array_equal(pystoa.sparse(self.path, "/copy").to_numpy(), dense[2:])

    def test_what_makes_no_sense_is_refused(self):
        for data, error in (
            (([[0, 0]], [1.0], (0, 5)), ValueError), (([[-1, 0]], [1.0], (2, 2)), ValueError),
            (([[0, 0]], [1.0], (2, 2, 2)), ValueError), (([[0.5, 0]], [1.0], (2, 2)), TypeError),
            (([[0, 0]], [1.0, 2.0], (2, 2)), ValueError), (([[0, 0]], ["a"], (2, 2)), TypeError),
            (([], []), ValueError), ("text", TypeError), (5, TypeError), (np.array(["a", "b"]), TypeError),
            (([[0, 0]],), TypeError), (np.zeros((2, 2), dtype="f16"), TypeError),
        ):  # fmt: skip
            with self.assertRaises(error, msg=repr(data)):
                pystoa.write_sparse(self.path, "/m", data)
        with self.assertRaises(TypeError):
            pystoa.write_sparse(self.path, "/m", np.eye(3, dtype="i4"), fill=0.5)
        with self.assertRaises(TypeError):
            pystoa.write_sparse(self.path, "/m", np.eye(3), fill=[1.0, 2.0])
        with self.assertRaises(ValueError):
            pystoa.write_sparse(self.path, "/m", np.eye(3), codec="best")
        with self.assertRaises(ValueError):
            pystoa.write_sparse(self.path, "/m", np.eye(3), chunks=(3,))
        self.assertFalse(self.path.exists())
        pystoa.write_sparse(self.path, "/m", np.eye(3))
        with self.assertRaises(ValueError):
            pystoa.sparse(self.path, "/m").to_scipy("dense")

    def test_matrices_of_anndata(self):
        path = self.path.with_suffix(".h5ad")
        X = sparse.csr_matrix(some((400, 60)))
        layer = sparse.csc_matrix(some((400, 60), dtype="i4", seed=9))
        anndata.AnnData(X=X, layers={"raw": layer}).write_h5ad(path, compression="gzip")
        for name, expected, kind in (("/X", X, "csr"), ("/layers/raw", layer, "csc")):
            found = pystoa.sparse(path, name)
            self.assertEqual((found.kind, found.nnz, found.dtype), (kind, expected.nnz, expected.dtype))
            self.assertTrue(same(found[100:105, :].to_scipy(), expected[100:105, :]))
            self.assertTrue(same(found[:, 7:9].to_scipy("csc"), expected[:, 7:9]))
            self.assertTrue(same(found[50:300, 7:9].to_scipy("coo"), expected[50:300, 7:9]))
            np.testing.assert_array_equal(found.to_numpy(), expected.toarray())
            self.assertTrue(same(found.to_scipy(), expected))
            self.assertEqual(found[11, 12], expected[11, 12])
            for key in ((11, slice(None)), (slice(3, 90), 12)):
                np.testing.assert_array_equal(found[key].to_scipy().toarray(), expected.toarray()[key])
                np.testing.assert_array_equal(found[key].to_numpy(), expected.toarray()[key])

    def test_entries_of_anndata_add_up(self):
        import h5py

        with h5py.File(self.path, "w") as file:
            group = file.create_group("m")
            group.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": (2, 3)})
            group["data"], group["indices"], group["indptr"] = [1.0, 2.0, 4.0], [2, 2, 0], [0, 2, 3]
        expected = sparse.csr_array(([1.0, 2.0, 4.0], [2, 2, 0], [0, 2, 3]), shape=(2, 3))
        found = pystoa.sparse(self.path, "/m")
        for format in ("csr", "csc", "coo"):
            np.testing.assert_array_equal(found.to_scipy(format).toarray(), expected.toarray())
        np.testing.assert_array_equal(found.to_numpy(), expected.toarray())
        self.assertEqual(found[0, 2], 3.0)
        with h5py.File(self.path, "a") as file:
            file["m/indices"][2] = 3
        with self.assertRaisesRegex(pystoa.DataError, "'indices' has 3"):
            found.to_numpy()
        with h5py.File(self.path, "a") as file:
            del file["m/data"]
        with self.assertRaisesRegex(pystoa.DataError, "no dataset 'data'"):
            pystoa.sparse(self.path, "/m")

    def test_types_of_elements_are_those_of_numpy(self):
        spec = {"names": ["a", "b"], "offsets": [0, 4], "formats": [["i2", [2]], "S3"], "itemsize": 8}
        found = pystoa._sparse._dtype(np, spec)
        self.assertEqual(found.itemsize, 8)
        self.assertEqual(found["a"], np.dtype(("i2", (2,))))
        spec = {"names": ["r", "i"], "offsets": [0, 4], "formats": ["f4", "f4"], "itemsize": 8}
        self.assertEqual(pystoa._sparse._dtype(np, spec), np.dtype("c8"))
        at = pystoa._sparse._array_of(np, b"\1\0\2\0\3\0\4\0", np.dtype(("i2", (2,))))
        self.assertEqual(at.tolist(), [[1, 2], [3, 4]])


if __name__ == "__main__":
    unittest.main()
