"""Rows of a sparse matrix in a file as a matrix of SciPy.

Needs NumPy, SciPy and pystoa.
"""

import numpy as np
import pystoa
import scipy.sparse

# The links of a network of 100000 nodes.
matrix = scipy.sparse.random(100_000, 100_000, 1e-4, format="csr", random_state=np.random.default_rng(1))
pystoa.write_sparse("net.h5", "/links", matrix, codec="zstd")

links = pystoa.sparse("net.h5", "/links")
print(links)

# These rows are read, and nothing else.
rows = links[5000:5010, :].to_scipy()
print(f"{rows.shape[0]} rows with {rows.nnz} links")
assert (rows != matrix[5000:5010]).nnz == 0

# A box in a dense array, and single elements.
print(f"{np.count_nonzero(links[:1000, :1000].to_numpy())} links among the first 1000 nodes")
i, j = rows.nonzero()[0][0] + 5000, rows.nonzero()[1][0]
assert links[i, j] == matrix[i, j]
