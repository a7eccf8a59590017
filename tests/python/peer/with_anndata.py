"""read_h5ad() beside that of anndata, on files that anndata wrote."""

import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

import anndata as ad
import h5py
import numpy as np
import pandas as pd
import pystoa
import scipy.sparse as sp
from pandas.testing import assert_frame_equal
from pystoa import _anndata, col

CELLS, GENES = 120, 30


def sample():
    """An AnnData object with all its parts, in each encoding."""
    rng = np.random.default_rng(1)
    csr = sp.random(CELLS, GENES, 0.2, format="csr", random_state=1, dtype="f4")
    found = ad.AnnData(
        X=csr,
        obs=pd.DataFrame({
            "pct_mt": rng.uniform(0, 10, CELLS), "n": rng.integers(0, 100, CELLS),
            "kind": pd.Categorical(rng.choice(["T", "B", "NK"], CELLS)),
            "rare": pd.Categorical(np.where(np.arange(CELLS) < 2, "once", "often")),
            "note": rng.choice(["a", "b"], CELLS), "ok": rng.random(CELLS) < 0.7,
            "maybe": pd.array([None if i % 5 == 0 else i for i in range(CELLS)], dtype="Int64"),
        }, index=[f"cell{i}" for i in range(CELLS)]),
        var=pd.DataFrame({"mean": rng.random(GENES), "hv": rng.random(GENES) < 0.5},
                         index=[f"gene{i}" for i in range(GENES)]),
        layers={"csc": csr.tocsc(), "dense": rng.normal(size=(CELLS, GENES))},
        obsm={"pca": rng.normal(size=(CELLS, 5)), "sparse": csr[:, :4],
              "cube": rng.normal(size=(CELLS, 3, 2)),
              "frame": pd.DataFrame({"a": range(CELLS)}, index=[f"cell{i}" for i in range(CELLS)])},
        varm={"load": rng.normal(size=(GENES, 5))},
        obsp={"near": sp.random(CELLS, CELLS, 0.1, format="csr", random_state=2),
              "far": rng.normal(size=(CELLS, CELLS))},
        varp={"near": sp.random(GENES, GENES, 0.1, format="csc", random_state=3)},
        uns={"rare_colors": ["#000000", "#ffffff"], "deep": {"x": np.arange(3), "s": "text"}},
    )  # fmt: skip
    found.raw = found
    return found[:, : GENES - 5].copy()


def same(found, wanted, place=""):
    """Refuse what differs in type, encoding or value."""
    assert type(found) is type(wanted), (place, type(found), type(wanted))
    if isinstance(wanted, pd.DataFrame):
        assert_frame_equal(found, wanted)
    elif sp.issparse(wanted):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), place
        for part in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(found, part), getattr(wanted, part), place)
    elif isinstance(wanted, np.ndarray):
        assert found.dtype == wanted.dtype, place
        np.testing.assert_array_equal(found, wanted, place)
    elif hasattr(wanted, "keys"):
        assert sorted(found) == sorted(wanted), place
        for key in wanted:
            same(found[key], wanted[key], f"{place}/{key}")
    else:
        assert found == wanted, place


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "a.h5ad"
        warnings.simplefilter("ignore")
        self.addCleanup(warnings.resetwarnings)
        sample().write_h5ad(self.path)
        self.whole = ad.read_h5ad(self.path)

    def equal(self, found, wanted):
        for part in ("obs", "var", "X"):
            same(getattr(found, part), getattr(wanted, part), part)
        for part in ("layers", "obsm", "varm", "obsp", "varp", "uns"):
            same(dict(getattr(found, part)), dict(getattr(wanted, part)), part)
        for part in ("X", "var"):
            same(getattr(found.raw, part), getattr(wanted.raw, part), f"raw/{part}")
        same(dict(found.raw.varm), dict(wanted.raw.varm), "raw/varm")
        self.assertFalse(found.is_view)

    def test_all(self):
        self.equal(pystoa.read_h5ad(self.path), self.whole)

    def test_cells(self):
        obs = self.whole.obs
        for where, mask in (
            ("pct_mt < 5", obs["pct_mt"] < 5), ("kind = 'T' and n > 20", (obs["kind"] == "T") & (obs["n"] > 20)),
            (col("n") > 50, obs["n"] > 50), ("ok", obs["ok"]), ("maybe > 60", (obs["maybe"] > 60).fillna(False)),
            ("pct_mt < 0", obs["pct_mt"] < 0),
        ):  # fmt: skip
            with self.subTest(where=where):
                self.equal(pystoa.read_h5ad(self.path, where), self.whole[mask.to_numpy(dtype=bool)].copy())

    def test_genes(self):
        var, obs = self.whole.var, self.whole.obs
        self.equal(pystoa.read_h5ad(self.path, var="hv"), self.whole[:, var["hv"]].copy())
        found = pystoa.read_h5ad(self.path, "pct_mt < :most", "mean > :m", params={"most": 5, "m": 0.5})
        self.equal(found, self.whole[obs["pct_mt"] < 5, var["mean"] > 0.5].copy())

    def test_values_are_read_in_blocks(self):
        obs, var = self.whole.obs, self.whole.var
        for size, gap in ((1, 0), (40, 10), (1000, 0), (1000, 10**6)):
            with mock.patch.object(_anndata, "_BLOCK", size), mock.patch.object(_anndata, "_GAP", gap):
                self.equal(pystoa.read_h5ad(self.path, "pct_mt < 5", "hv"),
                           self.whole[obs["pct_mt"] < 5, var["hv"]].copy())  # fmt: skip

    def test_the_rest_is_not_read(self):
        real, n_read = h5py.Dataset.__getitem__, {}

        def counted(data, key, *options):
            found = real(data, key, *options)
            n_read[data.name] = n_read.get(data.name, 0) + np.size(found)
            return found

        mask = (self.whole.obs["pct_mt"] < 0.5).to_numpy()
        with mock.patch.object(_anndata, "_GAP", 0), mock.patch.object(h5py.Dataset, "__getitem__", counted):
            pystoa.read_h5ad(self.path, "pct_mt < 0.5")
        self.assertGreater(mask.sum(), 0)
        self.assertEqual(n_read["/X/data"], self.whole.X[mask].nnz)
        self.assertEqual(n_read["/raw/X/indices"], self.whole.raw.X[mask].nnz)
        self.assertEqual(n_read["/layers/dense"], mask.sum() * (GENES - 5))
        self.assertEqual(n_read["/obsp/far"], mask.sum() * CELLS)

    def test_files_without_encoding(self):
        with h5py.File(self.path, "r+") as file:
            for name in ("encoding-type", "encoding-version"):
                del file.attrs[name]
        mask = (self.whole.obs["pct_mt"] < 5).to_numpy()
        self.equal(pystoa.read_h5ad(self.path, "pct_mt < 5"), self.whole[mask].copy())

    def test_mistakes_are_named(self):
        with self.assertRaises(FileNotFoundError):
            pystoa.read_h5ad(str(self.path) + "x")
        with self.assertRaises(ValueError):
            pystoa.read_h5ad(self.path, "pct_mt <")
        with self.assertRaises(KeyError):
            pystoa.read_h5ad(self.path, "nothing < 5")
        other = self.path.parent / "other.h5"
        pystoa.write(other, "/t", {"x": [1]})
        with self.assertRaises(ValueError):
            pystoa.read_h5ad(other)


if __name__ == "__main__":
    unittest.main()
