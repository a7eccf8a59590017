"""Frames of AnnData that grow.

    anndata_appended.py make   a.h5ad and b.h5ad with a frame in uns; free.h5, a frame alone
    anndata_appended.py check  after Stoa appended the rows of b.h5ad to both: pandas.concat()
"""

import sys
import warnings

import anndata
import h5py
import numpy as np
import pandas as pd
from anndata.io import read_elem, write_elem

warnings.simplefilter("ignore")


def frame(first):
    i = np.arange(first, first + 10)
    return pd.DataFrame(
        {
            "a": i.astype("i4"),
            "b": i / 3,
            "wide": (i - 5) * 40,
            "s": [f"t{k}" for k in i],
            "yes": i % 3 == 0,
            "k": pd.Categorical([["x", "y", "z"][k % 3] for k in i]),
            "u": pd.Categorical([f"g{k // 4}" for k in i]),
            "n": pd.array([None if k % 5 == 0 else k for k in i], dtype="Int64"),
            "t": pd.array([None if k % 4 == 0 else bool(k % 2) for k in i], dtype="boolean"),
            "o": pd.Categorical([["lo", "hi"][k % 2] for k in i], ["lo", "hi"], ordered=True),
        },
        index=pd.Index([f"r{k}" for k in i], name="id"),
    )


A, B = frame(0), frame(10)

if sys.argv[1] == "make":
    for name, table in (("a.h5ad", A), ("b.h5ad", B)):
        data = anndata.AnnData(np.ones((3, 2), "f4"))
        data.uns["table"] = table
        data.obsm["df"] = pd.DataFrame({"q": [1, 2, 3]}, index=data.obs_names)
        data.raw = data
        data.write_h5ad(name, compression="gzip")
    with h5py.File("free.h5", "w") as file:
        write_elem(file, "obs", A)
else:
    wanted = pd.concat([A, B])
    wanted["u"] = pd.api.types.union_categoricals([A["u"], B["u"]])
    for name, path in (("a.h5ad", "uns/table"), ("free.h5", "obs")):
        with h5py.File(name) as file:
            try:
                pd.testing.assert_frame_equal(read_elem(file[path]), wanted)
            except AssertionError as error:
                print(f"{name}: {error}")
            codec = file[path]["a"].compression
            if codec != ("gzip" if name == "a.h5ad" else None):
                print(f"{name}: {codec}")
    anndata.read_h5ad("a.h5ad")
