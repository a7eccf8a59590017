"""Makes files of several layouts with damaged objects, and damages those of a file: `FILE PATH...`. Their headers
are overwritten."""

import sys
import warnings

import anndata
import h5py
import numpy as np
import pandas as pd
import tables

warnings.simplefilter("ignore")
FRAME = pd.DataFrame({"a": np.arange(20), "b": np.arange(20) * 0.5, "c": [f"x{i}" for i in range(20)]})


def damage(file, paths):
    with h5py.File(file, "r") as f:
        places = [h5py.h5o.get_info(f[path].id).addr for path in paths]
    with open(file, "r+b") as f:
        for place in places:
            f.seek(place)
            f.write(b"\xee" * 16)


def make():
    with pd.HDFStore("pandas.h5", "w") as store:
        for name in ("good", "bad", "dead"):
            store.put(name, FRAME)
    with tables.open_file("pytables.h5", "w") as f:
        for name in ("good", "dead"):
            f.create_table("/", name, FRAME[["a", "b"]].to_records(index=False))
    with h5py.File("lh5.lh5", "w") as f:
        for name in ("good", "bad", "dead"):
            group = f.create_group(name)
            group.attrs["datatype"] = "table{b,a,c}"
            for i, column in enumerate("bac"):
                group[column] = np.arange(20) * (i + 1)
                group[column].attrs["datatype"] = "array<1>{real}"
    anndata.AnnData(np.eye(20), obs=FRAME.set_index("c")).write_h5ad("anndata.h5ad")
    damage("pandas.h5", ["bad/block1_values", "dead"])
    damage("pytables.h5", ["dead"])
    damage("lh5.lh5", ["bad/b", "dead"])
    damage("anndata.h5ad", ["obs/b"])


make()
damage(sys.argv[1], sys.argv[2:])
