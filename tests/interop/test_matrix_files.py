"""SciPy's and AnnData's files of matrices come in and go out: SciPy and anndata write and read them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

WRITE = """
import anndata, numpy, scipy.sparse as sp
x = sp.random(200, 90, 0.2, format="csr", random_state=3)
forms = {"csr": x, "csc": x.tocsc(), "coo": x.tocoo()}
for name in ("float32", "int8", "uint16", "complex64", "bool"):
    forms[name] = (x * 100).astype(name) if name != "bool" else x > 0.5
forms["big"] = sp.csr_matrix((x.data.astype(">f8"), x.indices.astype(">i4"), x.indptr.astype(">i8")), x.shape)
forms["empty"] = sp.csr_matrix((7, 5))
forms["twice"] = sp.coo_matrix(([1.0, 2.0, 4.0], ([0, 0, 1], [1, 1, 0])), (2, 2))
for name, m in forms.items():
    sp.save_npz(f"{name}.npz", m)
sp.save_npz("csr-stored.npz", x, compressed=False)
sp.save_npz("bsr.npz", x.tobsr((2, 2)))
sp.save_npz("dia.npz", sp.eye(4, format="dia"))
a = anndata.AnnData(X=x)
a.layers["csc"], a.layers["dense"] = x.tocsc(), x.toarray()
a.write_h5ad("x.h5ad")
print(" ".join([*forms, "csr-stored"]))
"""


class MatrixFiles(stoa_test.SharedPeersTestCase):
    @classmethod
    def make(cls, shared):
        cls.names = shared.peer_python(WRITE).split()
        shared.stoa("import", shared.dir / "csr.npz", f"{shared.dir}/s.h5:/m")

    def test_npz_comes_in_and_goes_out(self):
        for name in self.names:
            self.stoa("import", self.shared.dir / f"{name}.npz", f"{self.dir}/{name}.h5:/m")
            self.stoa("export", f"{self.dir}/{name}.h5:/m", self.dir / f"{name}.npz")
        self.peer_python("""
import scipy.sparse as sp, sys
for name in sys.argv[2:]:
    wanted, found = (sp.load_npz(f"{d}/{name}.npz") for d in (sys.argv[1], "."))
    assert found.shape == wanted.shape and found.format == "csr" and found.has_canonical_format, name
    assert found.dtype == wanted.dtype.newbyteorder("="), name
    assert (abs(found.tocsr() - wanted.tocsr()) if name != "bool" else found != wanted.tocsr()).max() == 0, name
""", str(self.shared.dir), *self.names)  # fmt: skip

    def test_every_form_goes_out_in_every_format_also_a_box_of_it(self):
        place = f"{self.shared.dir}/x.h5ad:"
        places = {"csr": f"{place}/X", "csc": f"{place}/layers/csc", "dense": f"{place}/layers/dense",
                  "sparse": f"{self.shared.dir}/s.h5:/m"}  # fmt: skip
        for name, what in places.items():
            for suffix in ("npz", "mtx", "mtx.gz", "mtx.zst", "h5ad"):
                self.stoa("export", what, self.dir / f"{name}.{suffix}")
            self.stoa("export", f"{what}[10:50, -40:]", self.dir / f"{name}-box.npz")
            self.stoa("export", what, f"{self.dir}/groups.h5:/{name}", "-f", "csc", "--codec", "deflate:1")
        self.peer_python("""
import anndata, gzip, h5py, pyarrow, scipy.io, scipy.sparse as sp, sys
x = sp.load_npz(sys.argv[1] + "/csr.npz")
for name, form in (("csr", "csr"), ("csc", "csc"), ("dense", "csr"), ("sparse", "csr")):
    with h5py.File("groups.h5") as f:
        group = anndata.io.read_elem(f[name]) if hasattr(anndata, "io") else anndata.experimental.read_elem(f[name])
    a = anndata.read_h5ad(f"{name}.h5ad")
    assert list(a.obs_names) == [str(i) for i in range(200)] and list(a.var_names) == [str(i) for i in range(90)]
    plain = open(f"{name}.mtx", "rb").read()
    assert gzip.open(f"{name}.mtx.gz").read() == pyarrow.input_stream(f"{name}.mtx.zst").read() == plain
    for found in (sp.load_npz(f"{name}.npz"), scipy.io.mmread(f"{name}.mtx").tocsr(), group, a.X):
        assert found.shape == x.shape and (found != x).nnz == 0, name
    box = sp.load_npz(f"{name}-box.npz")
    assert sp.load_npz(f"{name}.npz").format == box.format == form, name
    assert box.shape == (40, 40) and (box != x[10:50, -40:]).nnz == 0, name
""", str(self.shared.dir))  # fmt: skip

    def test_a_form_can_be_asked_for_and_comes_from_where_the_matrix_came_from(self):
        place = f"{self.shared.dir}/x.h5ad"
        self.stoa("export", f"{place}:/X", self.dir / "asked.npz", "-f", "csc")
        self.stoa("export", f"{place}:/layers/csc", self.dir / "other.npz", "-f", "csr")
        self.stoa("convert", place, self.dir / "all.h5", "--to", "hep001")
        self.stoa("export", f"{self.dir}/all.h5:/layers/csc", self.dir / "kept.npz")
        self.peer_python("""
import scipy.sparse as sp, sys
x = sp.load_npz(sys.argv[1] + "/csr.npz")
for name, form in ("asked", "csc"), ("other", "csr"), ("kept", "csc"):
    found = sp.load_npz(name + ".npz")
    assert found.format == form and found.has_canonical_format and (found != x).nnz == 0, name
""", str(self.shared.dir))  # fmt: skip
        self.fails("export", f"{place}:/X", self.dir / "x.mtx", "-f", "csc", says="which group?")

    def test_other_and_damaged_files_are_refused_and_leave_nothing(self):
        whole = (self.shared.dir / "csr-stored.npz").read_bytes()
        at = whole.index(b"data.npy") + 2000
        self.write("cut.npz", whole[: len(whole) // 2])
        self.write("flip.npz", whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        self.write("packed.npz", (self.shared.dir / "csr.npz").read_bytes().replace(b"PK\1\2", b"PK\1\3", 1))
        self.peer_python("""
import numpy, scipy.sparse as sp
x = sp.random(9, 9, 0.5, format="csr", random_state=1)
parts = dict(data=x.data, indices=x.indices, indptr=x.indptr, format=b"csr", shape=(9, 9))
for name, change in (("far", dict(indices=x.indices + 5)), ("long", dict(indptr=x.indptr[:-1])), ("none", dict(shape=9))):
    numpy.savez(name + ".npz", **{**parts, **change})
numpy.savez("objects.npz", **{**parts, "data": numpy.array(["a", 1], dtype=object)})
""")
        for name, says in (("bsr", "'bsr'"), ("dia", "'dia'")):
            self.fails("import", self.shared.dir / f"{name}.npz", f"{self.dir}/n.h5:/m", says=says)
        for name, says in (("flip", "checksum"), ("far", "far.npz"), ("long", "differ in length"),
                           ("none", "shape"), ("objects", "Python objects")):  # fmt: skip
            self.fails("import", self.dir / f"{name}.npz", f"{self.dir}/n.h5:/m", says=says)
        for name in ("cut", "packed"):
            self.fails("import", self.dir / f"{name}.npz", f"{self.dir}/n.h5:/m", status=None)
        self.assertFalse((self.dir / "n.h5").exists())
        self.fails("export", f"{self.shared.dir}/x.h5ad:/obs", self.dir / "o.mtx", says="no sparse array")
        self.write("old.h5ad", b"x")
        self.fails("export", f"{self.shared.dir}/s.h5:/m", self.dir / "old.h5ad", says="is there already")
        self.assertEqual((self.dir / "old.h5ad").read_bytes(), b"x")
        self.assertFalse((self.dir / "o.mtx").exists())


if __name__ == "__main__":
    stoa_test.main()
