"""AnnData files of every encoding and age, and whether those that Stoa made of them are equal.

    anndatas.py make            the files of AnnData: whole*, without parts, old*
    anndatas.py damage          broken*, each with one lie, and broken.json: what is wrong with which
    anndatas.py strange         strange.h5ad: what AnnData files may hold besides
    anndatas.py same A B        what read_h5ad makes of both is the same
    anndatas.py open FILE N     it can be opened; N cells, and no genes
    anndatas.py parts           parts.h5ad: awkward arrays, colours, matrices of both forms
    anndatas.py batches         batch0.h5ad to batch2.h5ad with the same genes, mixed0.h5ad ... with others
    anndatas.py joined OUT JOIN A B C     OUT is anndata.concat() of the files, with a label, keys and unique names
    anndatas.py subsets JOBS    of each [A, B, OBS, VAR] in a file of JSON: B is A[cells, genes] by queries of
                                pandas, "": all of them; says which datasets B lacks

What is not equal is printed. Warnings are errors, but of files that are old.
"""

import json
import os
import sys
import warnings

import anndata
import h5py
import numpy as np
import pandas as pd
import scipy.sparse

N, M = 23, 7
TEXT = h5py.string_dtype()


def frame(r, n, labels):
    codes = r.integers(-1, 3, n)
    made = pd.DataFrame({
        "i1": r.integers(-9, 9, n).astype("i1"), "u8": r.integers(0, 9, n).astype("u8"),
        "f4": r.random(n).astype("f4"), "f8": np.where(r.random(n) < 0.3, np.nan, r.random(n)),
        "b": r.random(n) < 0.5, "s": [f"é{k}" for k in range(n)],
        "when": [f"2020-01-{k % 28 + 1:02}T00:00:00" for k in range(n)],
        "cat": pd.Categorical.from_codes(codes, ["x", "é", ""]),
        "ordered": pd.Categorical.from_codes(codes, ["x", "é", ""], ordered=True),
        "numbers": pd.Categorical.from_codes(codes, [10, 20, 30]),
        "floats": pd.Categorical.from_codes(codes, [0.5, 1.5, 2.5]),
        "Int": pd.array([None if k % 3 == 0 else k for k in range(n)], dtype="Int16"),
        "whole": pd.array(range(n), dtype="Int64"),
        "bool": pd.array([None if k % 3 == 0 else k % 2 == 0 for k in range(n)], dtype="boolean"),
        "truth": pd.array([k % 2 == 0 for k in range(n)], dtype="boolean"),
        "text": pd.array([None if k % 3 == 0 else f"t{k}" for k in range(n)], dtype="string"),
        "words": pd.array([f"w{k}" for k in range(n)], dtype="string"),
    })  # fmt: skip
    made.index = labels
    return made


def matrix(r, n, m, kind="csr", dtype="f4"):
    made = scipy.sparse.random(n, m, 0.3, "csr", random_state=r)
    made.data = (made.data * 9 + 1).astype(dtype)
    return made.astype(dtype).asformat(kind)


def whole(seed):
    r = np.random.default_rng(seed)
    cells = pd.Index([f"cell{k}" for k in range(N)], name="cell" if seed % 2 else None)
    genes = pd.Index([f"gene{k}" for k in range(M)])
    made = anndata.AnnData(matrix(r, N, M, ["csr", "csc"][seed % 2]), frame(r, N, cells),
                           frame(r, M, genes))  # fmt: skip
    made.raw = made
    made.layers["counts"] = matrix(r, N, M, "csc", "i4")
    made.layers["dense"] = r.random((N, M))
    made.obsm["X_pca"] = r.random((N, 3)).astype("f4")
    made.obsm["frame"] = frame(r, N, cells)
    made.obsm["sparse"] = matrix(r, N, 4)
    made.obsm["cube"] = r.random((N, 2, 2))
    made.varm["PCs"] = r.random((M, 3))
    made.obsp["distances"] = matrix(r, N, N, "csr", "f8")
    made.varp["dense"] = r.random((M, M))
    made.uns = {
        "frame": frame(r, 5, pd.RangeIndex(5)), "numbers": np.arange(4), "text": "é", "n": 3,
        "x": 1.5, "yes": True, "texts": np.array(["a", "é"], dtype=object),
        "rows": np.array([("a", 1.5), ("é", 2.5)], dtype=[("name", "O"), ("score", "f4")]),
        "cat": pd.Categorical(["a", "b", "a"]), "Int": pd.array([1, None], dtype="Int64"),
        "deep": {"er": {"matrix": matrix(r, 3, 9, "csr", "i8"), "empty": {}}}, "nothing": None,
        "no rows": pd.DataFrame({"x": np.zeros(0), "s": np.array([], dtype=object)}), "no columns": pd.DataFrame(index=genes),
        "true": scipy.sparse.csr_matrix(np.eye(3, dtype=bool)),
        "complex": scipy.sparse.csr_matrix(np.eye(3) * 1j),
        "empty": scipy.sparse.csc_matrix((4, 0), dtype="f4"),
    }  # fmt: skip
    made.write_h5ad(f"whole{seed}.h5ad", convert_strings_to_categoricals=False,
                    compression=["gzip", None][seed % 2])  # fmt: skip


def small():
    """Without X, without anything, and with X alone."""
    anndata.AnnData(obs=pd.DataFrame({"a": [1, 2]}, index=["x", "y"])).write_h5ad("no_x.h5ad")
    anndata.AnnData().write_h5ad("nothing.h5ad")
    anndata.AnnData(np.arange(6.0).reshape(2, 3)).write_h5ad("dense.h5ad")


def old_frame(file, path, columns, labels):
    """A frame of version 0.1.0, as AnnData 0.7 wrote it."""
    group = file.create_group(path)
    group.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.1.0"})
    group.attrs["_index"] = "_index"
    group.attrs.create("column-order", list(columns), dtype=TEXT)
    group.create_dataset("_index", data=labels, dtype=TEXT)
    for name, values in columns.items():
        if isinstance(values, pd.Categorical):
            group[name] = values.codes
            names = group.create_dataset(f"__categories/{name}", data=list(values.categories),
                                         dtype=TEXT)  # fmt: skip
            names.attrs["ordered"] = values.ordered
            group[name].attrs["categories"] = names.ref
        elif isinstance(values[0], str):
            group.create_dataset(name, data=values, dtype=TEXT)
        else:
            group[name] = values


def old_matrix(file, path, values):
    group = file.create_group(path)
    group.attrs["h5sparse_format"] = values.format
    group.attrs["h5sparse_shape"] = values.shape
    for part in ("data", "indices", "indptr"):
        group.create_dataset(part, data=getattr(values, part), maxshape=(None,))


def version07():
    """As 0.7 wrote them: matrices and frames say what they are, everything else nothing."""
    r = np.random.default_rng(7)
    with h5py.File("old07.h5ad", "w") as file:
        kinds = pd.Categorical.from_codes(r.integers(-1, 2, 4), ["x", "yy"], ordered=True)
        old_frame(file, "obs", {"n": np.arange(4), "kind": kinds, "s": ["a", "b", "é", "d"]},
                  ["c0", "c1", "c2", "c3"])  # fmt: skip
        old_frame(file, "var", {"q": np.arange(3.0)}, ["g0", "g1", "g2"])
        anndata.io.write_elem(file, "X", matrix(r, 4, 3))
        file["layers/dense"] = r.random((4, 3))
        file["obsm/X_pca"] = r.random((4, 2))
        for name in ("varm", "obsp", "varp", "uns/deep"):
            file.create_group(name)
        file["uns/text"] = "é"
        file["uns/n"] = 5
        file.create_dataset("uns/texts", data=["a", "é"], dtype=TEXT)


def version06():
    """As 0.6 wrote them: obs and var, obsm and varm are datasets of rows."""
    r = np.random.default_rng(6)
    obs = np.zeros(4, [("index", "S2"), ("n", "i8"), ("kind", "i1"), ("f", "f4")])
    obs["index"] = [b"c0", b"c1", b"c2", b"c3"]
    obs["n"] = [5, 6, 7, 8]
    obs["kind"] = [0, 1, 1, 0]
    var = np.zeros(3, [("index", "S2"), ("q", "f8"), ("n", "i8")])
    var["index"] = [b"g0", b"g1", b"g2"]
    with h5py.File("old06.h5ad", "w") as file:
        file["obs"], file["var"], file["raw.var"] = obs, var, var
        old_matrix(file, "X", matrix(r, 4, 3))
        old_matrix(file, "raw.X", matrix(r, 4, 3, "csc"))
        obsm = np.zeros(4, [("X_pca", "f4", (2,)), ("X_umap", "f8", (2,))])
        obsm["X_pca"] = r.random((4, 2))
        obsm["X_umap"] = r.random((4, 2))
        file["obsm"] = obsm
        file["uns/kind_categories"] = np.array([b"x", b"yy"])
        file["uns/other_categories"] = np.array([b"x", b"yy"])
        file["uns/deep/numbers"] = np.arange(3)


def make():
    warnings.simplefilter("ignore")
    anndata.settings.allow_write_nullable_strings = True
    for seed in range(4):
        whole(seed)
    small()
    version07()
    version06()


def broken(say, act):
    """A small file, and one lie about it."""
    name = f"broken{len(DAMAGED)}.h5ad"
    obs = pd.DataFrame({"k": pd.Categorical(["x", "y", "x", "y"]),
                        "n": pd.array([1, None, 3, 4], dtype="Int64")},
                       index=list("abcd"))  # fmt: skip
    made = anndata.AnnData(scipy.sparse.csr_matrix(np.eye(4, 3, dtype="f4")), obs)
    made.layers["more"] = made.X.tocsc()
    made.obsm["X_pca"] = np.zeros((4, 2))
    made.write_h5ad(name)
    with h5py.File(name, "a") as file:
        act(file)
    DAMAGED[name] = say


DAMAGED = {}


def put(path, values):
    """Do: replace a dataset."""

    def act(file):
        attributes = dict(file[path].attrs)
        del file[path]
        file[path] = values
        file[path].attrs.update(attributes)

    return act


def delete(*paths):
    def act(file):
        for path in paths:
            del file[path]

    return act


def link(path, to):
    def act(file):
        if path in file:
            del file[path]
        file[path] = to

    return act


def shape(path, *extent):
    def act(file):
        file[path].attrs["shape"] = extent

    return act


def damage():
    warnings.simplefilter("ignore")
    broken("indptr", put("X/indptr", [0, 1, 2, 3, 9]))
    broken("indptr", put("X/indptr", [0, 2, 1, 3, 3]))
    broken("indptr", put("X/indptr", [0, 1, 2]))
    broken("indptr", put("X/indptr", [-5, 1, 2, 3, 3]))
    broken("/layers/more", put("layers/more/indices", [0, 1, 99]))
    broken("indices", put("X/indices", [0, 1]))
    broken("indptr", shape("X", 9, 3))
    broken("/X", shape("X", 4, 2))
    broken("shape", shape("X", -4, 3))
    broken("shape", lambda file: file["X"].attrs.pop("shape"))
    broken("version", lambda file: file["X"].attrs.modify("encoding-version", "9.9"))
    broken("data", delete("X/data"))
    broken("indptr", delete("layers/more/indptr"))
    broken("data", link("X/data", h5py.SoftLink("/nowhere")))
    broken("no '/obs'", delete("obs", "uns"))
    broken("/obs", link("obs", h5py.SoftLink("/nowhere")))
    broken("/obs", link("obs", h5py.ExternalLink("other.h5", "/obs")))
    broken("/obs", put("obs", np.arange(4)))
    broken("'k'", delete("obs/k"))
    broken("codes", delete("obs/k/codes"))
    broken("k", put("obs/k/codes", np.array([0, 1, 5, 0], "i1")))
    broken("k", put("obs/k/codes", np.array([0.5, 1, 0, 0])))
    broken("rows", put("obs/k/codes", np.array([0, 1], "i1")))
    broken("mask", delete("obs/n/mask"))
    broken("mask", put("obs/n/mask", np.zeros(2, bool)))
    broken("_index", lambda file: file["obs"].attrs.pop("_index"))
    broken("_index", delete("obs/_index"))
    broken("k", link("obs/k", h5py.SoftLink("/obs/k")))
    with open("broken.json", "w") as file:
        json.dump(DAMAGED, file)
    for number, act in enumerate((shape("X", 4, 9), put("obsm/X_pca", np.zeros((9, 2))),
                                  put("obsm/X_pca", np.zeros((3, 2))))):  # fmt: skip
        broken("", act)
        last = f"broken{len(DAMAGED) - 1}.h5ad"
        os.rename(last, f"uneven{number}.h5ad")


def strange():
    """An awkward array, an element of tomorrow, links of every kind, one matrix twice."""
    anndata.AnnData(scipy.sparse.csr_matrix(np.eye(4, 3)),
                    pd.DataFrame({"n": range(4)}, index=list("abcd"))).write_h5ad("strange.h5ad")  # fmt: skip
    with h5py.File("strange.h5ad", "a") as file:
        file["layers/same"] = file["X"]
        for name, encoding in (("awkward", "awkward-array"), ("later", "of-tomorrow")):
            group = file.create_group(f"uns/{name}")
            group.attrs.update({"encoding-type": encoding, "encoding-version": "0.1.0"})
            group["node0-offsets"] = np.arange(3)
        file["uns/soft"] = h5py.SoftLink("/X")
        file["uns/dangling"] = h5py.SoftLink("/nowhere")
        file["uns/circle"] = h5py.SoftLink("/uns")
        file["uns/outside"] = h5py.ExternalLink("/etc/passwd", "/")
        file["events"] = np.arange(3)
        anndata.io.write_elem(file["uns"], "frame", pd.DataFrame({"x": [1.5]}, index=["a"]))
        file["uns/frame again"] = file["uns/frame"]


def contents(file):
    with h5py.File(file) as opened:
        for path in ("layers/same/data", "uns/soft/data", "uns/frame again/x",
                     "uns/awkward/node0-offsets"):  # fmt: skip
            print(path, *opened[path][()])
        print(*sorted(opened), *sorted(opened["uns"]))


def read(file):
    with warnings.catch_warnings():
        if file.startswith("old"):
            warnings.simplefilter("ignore")
        return anndata.read_h5ad(file)


def encodings(file):
    """What every element says of itself, but for how a matrix's arrays are kept."""
    found = {}
    with h5py.File(file) as opened:
        opened.visititems(lambda path, element: found.setdefault(path, (
            element.attrs.get("encoding-type"), element.attrs.get("encoding-version"))))  # fmt: skip
        found[""] = (opened.attrs["encoding-type"], opened.attrs["encoding-version"])
    return found


def equal(ours, theirs, where):
    """As anndata.tests.helpers.assert_equal, whose own needs are not all here."""
    assert np.isscalar(ours) or type(ours) is type(theirs), (where, type(ours), type(theirs))
    if isinstance(theirs, pd.DataFrame):
        pd.testing.assert_frame_equal(ours, theirs, check_freq=False)
    elif isinstance(theirs, pd.api.extensions.ExtensionArray):
        pd.testing.assert_series_equal(pd.Series(ours), pd.Series(theirs))
    elif hasattr(theirs, "keys"):
        assert sorted(ours.keys(), key=str) == sorted(theirs.keys(), key=str), (where, [*ours], [*theirs])
        for name in theirs.keys():
            equal(ours[name], theirs[name], f"{where}/{name}")
    elif scipy.sparse.issparse(theirs):
        assert ours.dtype == theirs.dtype, (where, ours.dtype, theirs.dtype)
        equal(ours.toarray(), theirs.toarray(), where)
        assert ours.nnz == theirs.nnz, where
    elif type(theirs).__module__.startswith("awkward"):
        assert ours.tolist() == theirs.tolist(), where
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype.kind in "OU" or ours.dtype == theirs.dtype, (where, ours.dtype)
        np.testing.assert_array_equal(ours, theirs, where)
    else:
        assert ours == theirs, (where, ours, theirs)


def parts():
    import awkward

    warnings.simplefilter("ignore")
    anndata.settings.allow_write_nullable_strings = True
    r = np.random.default_rng(5)
    n, m = 400, 60
    made = anndata.AnnData(matrix(r, n, m), frame(r, n, [f"c{k}" for k in range(n)]),
                           frame(r, m, [f"g{k}" for k in range(m)]))  # fmt: skip
    for name, kind in (("csc", "csc"), ("csr", "csr")):
        made.layers[name] = matrix(r, n, m, kind)
    made.layers["dense"] = r.random((n, m))
    made.obsp["near"] = matrix(r, n, n, "csc")
    made.varp["near"] = matrix(r, m, m, "csr")
    made.uns = {"cat_colors": np.array(["red", "blue", "green"], dtype=object), "s_colors": np.arange(3),
                "numbers_colors": np.array(["red", "blue"], dtype=object)}  # fmt: skip
    lists = [list(range(k % 5)) for k in range(n)]
    made.obsm["lists"] = awkward.Array(lists)
    made.obsm["deep"] = awkward.Array([[[k, 1], [], [2.5] * (k % 3)][: k % 4] for k in range(n)])
    made.obsm["records"] = awkward.Array([{"a": k, "b": f"t{k}" * (k % 3)} for k in range(n)])
    made.obsm["missing"] = awkward.Array([None if k % 3 == 0 else [k] * (k % 4) for k in range(n)])
    made.obsm["fixed"] = awkward.to_regular(awkward.Array(r.random((n, 3)).tolist()), axis=1)
    made.obsm["bits"] = awkward.Array(awkward.contents.BitMaskedArray(
        awkward.index.IndexU8(np.packbits(r.random(n) < 0.5)), awkward.contents.RecordArray(
            [awkward.contents.NumpyArray(np.arange(n))], ["x"]), valid_when=True, length=n, lsb_order=False))  # fmt: skip
    made.varm["lists"] = awkward.Array(lists[:m])
    made.write_h5ad("parts.h5ad", convert_strings_to_categoricals=False, compression="gzip")


def batches():
    warnings.simplefilter("ignore")
    anndata.settings.allow_write_nullable_strings = True
    r = np.random.default_rng(4)
    for k, (n, genes) in enumerate([(50, "abcdefgh"), (70, "hgxbcday"), (33, "abcdefgz")]):
        for kind, own in (("batch", "abcdefgh"), ("mixed", genes)):
            m = len(own)
            made = anndata.AnnData(matrix(r, n, m), frame(r, n, [f"c{i}" for i in range(n)]),
                                   pd.DataFrame({"q": np.arange(m)}, index=list(own)))  # fmt: skip
            made.obs[f"only{k}"] = np.arange(n)
            made.obs["cat"] = pd.Categorical.from_codes(r.integers(-1, 2, n), [f"x{k}", "y"])
            made.layers["csc"] = matrix(r, n, m, "csc", "i4")
            made.layers["dense"] = r.random((n, m))
            made.layers["ints"] = r.integers(0, 9, (n, m))
            made.layers["mixed"] = matrix(r, n, m, "csr", ["f4", "i4", "f8"][k])
            made.obsm["pca"] = r.random((n, 3)).astype("f4")
            made.obsm["cube"] = r.random((n, 2, 2))
            made.obsm["sparse"] = matrix(r, n, 4)
            made.obsm["frame"] = made.obs[["i1", "f8", "s"]]
            made.raw = made
            made.write_h5ad(f"{kind}{k}.h5ad", convert_strings_to_categoricals=False,
                            compression="gzip" if kind == "mixed" else None)  # fmt: skip


def plain(values):
    """Values whose types differ between pandas and Stoa where they can: missing ones, integers with some."""
    return [None if pd.isna(one) else float(one) if isinstance(one, (bool, int, float, np.number, np.bool_))
            else str(one) for one in values]  # fmt: skip


def joined(out, join, *files):
    warnings.simplefilter("ignore")
    ours = anndata.read_h5ad(out)
    theirs = anndata.concat([anndata.read_h5ad(file) for file in files], join=join, label="batch",
                            keys=["p", "q", "r"], index_unique="-")  # fmt: skip
    assert list(ours.obs_names) == list(theirs.obs_names) and list(ours.var_names) == list(theirs.var_names)
    for where, own, other in (("obs", ours.obs, theirs.obs), ("frame", ours.obsm["frame"], theirs.obsm["frame"])):
        assert set(own) == set(other), (where, set(own) ^ set(other))
        for name in other:
            assert plain(own[name]) == plain(other[name]), (where, name, plain(own[name])[:9], plain(other[name])[:9])
            assert isinstance(own[name].dtype, pd.CategoricalDtype) == isinstance(
                other[name].dtype, pd.CategoricalDtype) or name in ("ordered", "numbers", "floats"), (where, name)  # fmt: skip

    def same(own, other, where):
        own, other = (one.toarray() if scipy.sparse.issparse(one) else np.asarray(one) for one in (own, other))
        np.testing.assert_array_equal(own, other, where)

    same(ours.X, theirs.X, "X")
    for kind in ("layers", "obsm"):
        own, other = getattr(ours, kind), getattr(theirs, kind)
        assert set(own) == set(other), (kind, set(own) ^ set(other))
        for name in other:
            if name != "frame":
                same(own[name], other[name], f"{kind}/{name}")
    same(ours.raw.X, theirs.raw.X, "raw")
    assert list(ours.raw.var_names) == list(theirs.raw.var_names)


def storage(file):
    with h5py.File(file) as opened:
        found = {}
        opened.visititems(lambda path, it: found.update({path: it}) if isinstance(it, h5py.Dataset) else None)
        return {path: (it.dtype, it.compression, it.compression_opts, it.shuffle, it.chunks is None)
                for path, it in found.items()}  # fmt: skip


def subset(a, b, obs, var):
    warnings.simplefilter("ignore")
    ours, theirs = read(b), read(a)
    numbers = [np.arange(len(frame)) if not query else
               np.flatnonzero(frame.index.isin(frame.query(query).index))
               for frame, query in ((theirs.obs, obs), (theirs.var, var))]  # fmt: skip
    compare(ours, theirs[numbers[0], numbers[1]].copy())
    old, new = storage(a), storage(b)
    for path in new:
        assert old[path] == new[path], (path, old[path], new[path])
    print(b, *sorted(path for path in old if path not in new))


def subsets(jobs):
    with open(jobs) as file:
        for job in json.load(file):
            check(subset, *job)


def compare(ours, theirs):
    for name in ("X", "obs", "var", "layers", "obsm", "varm", "obsp", "varp", "uns"):
        equal(getattr(ours, name), getattr(theirs, name), name)
    assert (ours.raw is None) == (theirs.raw is None), "raw"
    for name in ("X", "var", "varm") if theirs.raw is not None else ():
        equal(getattr(ours.raw, name), getattr(theirs.raw, name), f"raw/{name}")


def same(a, b):
    compare(read(b), read(a))
    if not a.startswith("old"):
        ours, theirs = encodings(b), encodings(a)
        for path in sorted({*ours, *theirs}):
            if ours.get(path) != theirs.get(path):
                print(path, ours.get(path), theirs.get(path))


def check(act, *arguments):
    try:
        act(*arguments)
    except Exception as error:
        print(f"{arguments}: {type(error).__name__} {error}".replace("\n", " ")[:600])


def can_open(file, n):
    made = anndata.read_h5ad(file)
    assert made.shape == (int(n), 0), made.shape
    for name in made.obs:
        print(name, *made.obs[name])
    print("names", *made.obs_names)


if __name__ == "__main__":
    warnings.simplefilter("error")
    command = {"make": make, "damage": damage, "strange": strange, "contents": contents,
               "same": lambda a, b: check(same, a, b), "open": can_open, "parts": parts,
               "subsets": subsets, "batches": batches, "joined": lambda *them: check(joined, *them)}
    command[sys.argv[1]](*sys.argv[2:])
