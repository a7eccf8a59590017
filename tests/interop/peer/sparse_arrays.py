"""Sparse matrices in the forms of pyarrow, anndata and SciPy, and what these make of Stoa's:

write | compare"""

import sys
import warnings

warnings.simplefilter("ignore")

import anndata
import h5py
import numpy as np
import pyarrow as pa
import pyarrow.ipc
import scipy.sparse

SHAPES = ((40, 30, 0.1), (1, 500, 0.05), (300, 7, 0.3), (5, 5, 0), (70000, 3, 0.001))
TYPES = ("float64", "float32", "int16", "uint8", "int64", "bool")


def matrices():
    rng = np.random.default_rng(6)
    for rows, columns, density in SHAPES:
        a = scipy.sparse.random(rows, columns, density, "coo", rng=rng)
        for name in TYPES:
            b = a.copy()
            b.data = np.ceil(a.data * 100).astype(name) if name != "bool" else a.data > 0.2
            yield f"{name}-{rows}", b


def table(a, index):
    columns = [a.row.astype(index), a.col.astype(index), a.data]
    shape = "[%d, %d]" % a.shape
    return pa.table(columns, ["i", "j", "x"]).replace_schema_metadata({"stoa.sparse.shape": shape})


def write_arrow(name, a, index, new):
    t = table(a, index)
    with new(f"{name}.arrow", t.schema) as out:
        for batch in t.to_batches(max_chunksize=50):
            out.write_batch(batch)


def write():
    indices = ("int8", "uint16", "int32", "uint64")
    with h5py.File("groups.h5", "w") as groups:
        for i, (name, a) in enumerate(matrices()):
            index = indices[i % 4] if max(a.shape) < 100 else "int64"
            write_arrow(name, a, index, (pa.ipc.new_file, pa.ipc.new_stream)[i % 2])
            anndata.io.write_elem(groups.require_group("csr"), name, a.tocsr())
            anndata.io.write_elem(groups.require_group("csc"), name, a.tocsc())
            print(name)
        # as of before AnnData 0.7, and not in order, one entry twice
        old = groups.create_group("old")
        old.attrs["h5sparse_format"] = "csr"
        old.attrs["h5sparse_shape"] = (2, 4)
        old["data"] = np.array([1.0, 2.0, 4.0, 8.0])
        old["indices"] = np.array([3, 0, 3, 1])
        old["indptr"] = np.array([0, 3, 4])
    x = scipy.sparse.random(20, 30, 0.2, "csr", rng=np.random.default_rng(7))
    anndata.AnnData(X=x, layers={"raw": x.tocsc()}).write_h5ad("a.h5ad")


def same(ours, theirs, name):
    ours, theirs = ours.tocsr(), theirs.tocsr()
    ours.sort_indices()
    theirs.sort_indices()
    assert ours.shape == theirs.shape, name
    assert ours.dtype == theirs.dtype, (name, ours.dtype, theirs.dtype)
    assert (ours.indptr == theirs.indptr).all(), name
    assert (ours.indices == theirs.indices).all(), name
    assert (ours.data == theirs.data).all(), name


def of_table(t):
    shape = eval(t.schema.metadata[b"stoa.sparse.shape"])
    assert t.schema.names == ["row", "column", "value"]
    i, j, x = (t[c].to_numpy() for c in t.schema.names)
    return scipy.sparse.coo_matrix((x, (i, j)), shape)


def compare():
    with h5py.File("back.h5") as back:
        for name, a in matrices():
            t = pa.ipc.open_file(f"{name}.out.arrow").read_all()
            t.validate(full=True)
            same(of_table(t), a, name)
            for form in ("csr", "csc"):
                group = back[f"{form}/{name}"]
                ours = anndata.io.read_elem(group)
                assert ours.format == form and ours.indices.dtype == np.int32, name
                same(ours, a, name)
                backed = anndata.io.sparse_dataset(group)
                assert backed.shape == a.shape
                raw = tuple(group[k][:] for k in ("data", "indices", "indptr"))
                same(getattr(scipy.sparse, f"{form}_matrix")(raw, group.attrs["shape"]), a, name)
            print(name)
        old = anndata.io.read_elem(back["csr/old"]).toarray()
        assert (old == [[2, 0, 0, 5], [0, 8, 0, 0]]).all()
        x = anndata.read_h5ad("a.h5ad")
        same(anndata.io.read_elem(back["csr/x"]), x.X, "x")
        same(anndata.io.read_elem(back["csr/raw"]), x.X, "raw")


{"write": write, "compare": compare}[sys.argv[1]]()
