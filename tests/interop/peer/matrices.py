"""Matrix Market files as SciPy writes them, and what SciPy makes of Stoa's: write | compare."""

import sys

import numpy as np
import scipy.io
import scipy.sparse


def matrices():
    rng = np.random.default_rng(5)
    for rows, columns, density in ((40, 30, 0.1), (1, 500, 0.05), (300, 7, 0.3), (5, 5, 0)):
        a = scipy.sparse.random(rows, columns, density, "coo", rng=rng)
        yield f"real-{rows}", a, {}
        yield f"complex-{rows}", a + 1j * scipy.sparse.random(rows, columns, density, rng=rng), {}
        yield f"integer-{rows}", (a * 1000).astype(np.int64), {}
        yield f"pattern-{rows}", a, {"field": "pattern"}
    b = scipy.sparse.random(50, 50, 0.08, "csr", rng=rng)
    c = b + 1j * scipy.sparse.random(50, 50, 0.08, "csr", rng=rng)
    yield "symmetric", b + b.T, {"symmetry": "symmetric"}
    yield "skew", b - b.T, {"symmetry": "skew-symmetric"}
    yield "hermitian", c + c.conj().T, {"symmetry": "hermitian"}
    yield "array", b.toarray(), {}
    yield "array-symmetric", (b + b.T).toarray(), {"symmetry": "symmetric"}


def dense(a):
    return a.toarray() if scipy.sparse.issparse(a) else np.asarray(a)


if sys.argv[1] == "write":
    for name, a, options in matrices():
        scipy.io.mmwrite(f"{name}.mtx", a, precision=17, **options)
        print(name)
else:
    for name, a, _ in matrices():
        ours = dense(scipy.io.mmread(f"{name}.out.mtx"))
        theirs = dense(scipy.io.mmread(f"{name}.mtx"))
        assert ours.shape == theirs.shape, name
        assert (ours == theirs).all(), name
        if "pattern" not in name:
            assert (ours == dense(a)).all(), name
        print(name)
