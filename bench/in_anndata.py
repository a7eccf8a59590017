"""What anndata does in bench/concat, run in the peers' environment:

    in_anndata.py make ROWS | join HOW OUT IN...

`make` writes pairs of files: the same variables, uncompressed and gzipped; others in part, in another
order; dense. `join` prints the seconds and the processor seconds of concat_on_disk() alone, the memory that
the process had at most, and the seconds until what it wrote is on the medium.
"""

import os
import resource
import sys
import time
import warnings

import anndata
import numpy as np
import pandas as pd
import scipy.sparse as sp
from anndata.experimental import concat_on_disk

warnings.simplefilter("ignore")
WIDTH, PER_ROW, DENSE = 20_000, 1_500, 4_000


def counts(random, n_rows):
    """Counts of genes, of which few are common."""
    at = (WIDTH * random.random((n_rows, PER_ROW)) ** 3).astype("i4")
    rows = np.repeat(np.arange(n_rows), PER_ROW)
    values = np.floor(random.exponential(2, at.size) + 1).astype("f4")
    return sp.coo_matrix((values, (rows, at.ravel())), shape=(n_rows, WIDTH)).tocsr()


def make(n_rows):
    random = np.random.default_rng(5)
    for k in range(2):
        obs = pd.DataFrame({"q": random.random(n_rows)}, index=[f"cell{k}-{i}" for i in range(n_rows)])
        names = [f"gene{i}" for i in range(WIDTH + 5_000)]
        whole = anndata.AnnData(counts(random, n_rows), obs, pd.DataFrame(index=names[:WIDTH]))
        whole.write_h5ad(f"same{k}.h5ad")
        whole.write_h5ad(f"gzip{k}.h5ad", compression="gzip")
        whole.var_names = [names[i] for i in random.permutation(WIDTH) + k * 5_000]
        whole.write_h5ad(f"other{k}.h5ad")
        x = random.random((n_rows, DENSE), dtype="f4")
        anndata.AnnData(x, obs, pd.DataFrame(index=names[:DENSE])).write_h5ad(f"dense{k}.h5ad")


def join(how, out, *files):
    began, worked = time.perf_counter(), time.process_time()
    concat_on_disk(files, out, join=how)
    took, worked = time.perf_counter() - began, time.process_time() - worked
    with open(out, "rb") as written:
        os.fsync(written.fileno())
    print(took, worked, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, time.perf_counter() - began)


make(int(sys.argv[2])) if sys.argv[1] == "make" else join(*sys.argv[2:])
