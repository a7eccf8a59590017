"""A matrix as CSR in three datasets, as SciPy and h5py write and read it; run in the peers' environment.

    in_scipy.py ROUNDS

takes the elements that bench_sparse has left in this folder, and prints what it took: a line of JSON
each, as bench_sparse does. "box" is one read the way that CSR allows best: the pointers are in memory,
and of indices and values the rows of the box alone are read; "cut" is one cut out of the whole matrix,
once that is read. Chunks of compressed datasets are of half a mebibyte, which h5py's chunk cache holds.
"""

import json
import sys
import time
from pathlib import Path

import h5py
import numpy
from scipy.sparse import csr_matrix

SIDE = 16384
CODECS = {
    "none": {},
    "deflate:1": {"compression": "gzip", "compression_opts": 1, "shuffle": True, "chunks": (1 << 17,)},
}


def elements():
    names = {"indptr": numpy.int32, "indices": numpy.int32, "data": numpy.float32}
    parts = {name: numpy.fromfile(f"elements.{name}", dtype) for name, dtype in names.items()}
    return csr_matrix((parts["data"], parts["indices"], parts["indptr"]), shape=(SIDE, SIDE))


def boxes():
    return [tuple(map(int, line.split())) for line in Path("boxes").read_text().splitlines()]


def write(matrix, codec):
    with h5py.File("csr.h5", "w") as file:
        for name in ("data", "indices", "indptr"):
            array = getattr(matrix, name)
            made = dict(CODECS[codec])
            if made:
                made["chunks"] = (min(made["chunks"][0], len(array)),)
            file.create_dataset(name, data=array, **made)


def read():
    with h5py.File("csr.h5") as file:
        parts = [file[name][:] for name in ("data", "indices", "indptr")]
    return csr_matrix(tuple(parts), shape=(SIDE, SIDE))


def box(file, pointers, top, left, height, width):
    first, end = pointers[top], pointers[top + height]
    rows = csr_matrix(
        (file["data"][first:end], file["indices"][first:end], pointers[top : top + height + 1] - first),
        shape=(height, SIDE),
    )
    return rows[:, left : left + width]


def cut(top, left, height, width):
    return read()[top : top + height, left : left + width]


def timed(function, *arguments):
    began = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - began, result


def measure(matrix, codec, best):
    seconds, _ = timed(write, matrix, codec)
    best["write"] = min(best["write"], seconds)
    seconds, found = timed(read)
    best["read"] = min(best["read"], seconds)
    if found.nnz != matrix.nnz or not (found.data == matrix.data).all():
        sys.exit("a matrix comes back as another")
    with h5py.File("csr.h5") as file:
        best["bytes"] = sum(file[name].id.get_storage_size() for name in file)
        pointers = file["indptr"][:]
        box(file, pointers, *boxes()[0])
        seconds = [timed(box, file, pointers, *b)[0] for b in boxes()]
    best["box"] = min(best["box"], sum(seconds) / len(seconds))
    seconds, _ = timed(cut, *boxes()[0])
    best["cut"] = min(best["cut"], seconds)


def main():
    matrix = elements()
    best = {codec: dict.fromkeys(("write", "read", "box", "cut"), float("inf")) for codec in CODECS}
    for _ in range(int(sys.argv[1])):
        for codec, found in best.items():
            measure(matrix, codec, found)
    for codec, found in best.items():
        print(json.dumps({"kind": "csr", "codec": codec, **found}))
    Path("csr.h5").unlink()


main()
