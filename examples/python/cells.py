"""Cells of an AnnData file that pass a filter, without reading the others.

Needs anndata, SciPy and pystoa.
"""

import anndata
import numpy as np
import pandas as pd
import pystoa
import scipy.sparse

# A file as a pipeline writes it: 2000 cells, 100 genes.
rng = np.random.default_rng(1)
obs = pd.DataFrame({"pct_mt": rng.uniform(0, 20, 2000), "kind": pd.Categorical(rng.choice(["T", "B"], 2000))},
                   index=[f"cell{i}" for i in range(2000)])  # fmt: skip
var = pd.DataFrame({"variable": rng.random(100) < 0.3}, index=[f"gene{i}" for i in range(100)])
counts = scipy.sparse.random(2000, 100, 0.1, format="csr", random_state=1)
anndata.AnnData(counts, obs, var).write_h5ad("cells.h5ad")

# What are the cells? This reads two columns of obs.
with pystoa.open("cells.h5ad", "/obs") as cells:
    for row in cells.aggregate("count() as n, mean(pct_mt) as mean", by="kind", sort="kind").to_list():
        print(f"{row['kind']}: {row['n']} cells, {row['mean']:.1f} % mitochondrial")

# The healthy T cells, with the variable genes.
found = pystoa.read_h5ad("cells.h5ad", "pct_mt < 5 and kind = 'T'", var="variable")
print(f"{found.n_obs} cells and {found.n_vars} genes are read, with {found.X.nnz} counts")
assert (found.X != counts[((obs["pct_mt"] < 5) & (obs["kind"] == "T")).to_numpy()][:, var["variable"].to_numpy()]).nnz == 0
