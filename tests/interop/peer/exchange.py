"""The datasets of tests/sparse/test_exchange.c by its formula, as numpy arrays.

    exchange.py dense FILE       writes them as contiguous datasets
    exchange.py compare FILE     h5py reads FILE; prints what differs
    exchange.py integers FILE    {name: values in row-major order} of those of integers, as JSON
    exchange.py stock FILE       h5py makes a sparse dataset /stock and writes into it, in parts; prints
                                 the elements that differ from the fill value, [[row, column], ...]
    exchange.py connected FILE   the same into /connected, for h5py under Stoa's connector; prints those
                                 that were written
"""

import json
import math
import os
import sys

import numpy as np

# Plugins are linked with libhdf5 by its own name, which that of h5py's wheels has not: they find its calls
# only if these are there for all.
sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)
import h5py  # noqa: E402

FILTER = 53131
PAIR = np.dtype([("a", "<i4"), ("b", "<f8")])
# In the order of the C program: name, file type, extent, fill value's number or None.
SPECS = [
    ("line", "<i4", (1003,), None),
    ("swapped", ">i2", (70, 45), 9),
    ("cube", "<f8", (9, 10, 11), 5),
    ("four", "u1", (5, 6, 7, 8), 7),
    ("lz4", ">f4", (40, 30), None),
    ("pairs", PAIR, (30, 20), 3),
    ("texts", "S100", (12, 9), 1),
    ("nothing", "<i4", (0, 5), 2),
    ("offset", "<i4", (33, 21), 4),
    ("szip", "<i4", (33, 21), None),
    ("nbit", "<i4", (33, 21), None),
]


def values_of(dtype, numbers):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (numbers + 0.25).astype(dtype)
    if dtype.kind == "V":
        out = np.zeros(numbers.shape, dtype)
        out["a"] = numbers
        out["b"] = numbers / 8
        return out
    if dtype.kind == "S":
        return np.array([bytes([97 + int(n) % 26]) * 100 for n in numbers.flat], dtype)
    return numbers.astype(dtype)


def truth():
    """{name: dense array}"""
    arrays = {}
    for d, (name, dtype, extent, fill) in enumerate(SPECS):
        e = np.arange(math.prod(extent), dtype=np.uint64)
        mixed = (e * np.uint64(2654435761) + np.uint64(d * 40503 + 12345)) & np.uint64(0xFFFFFFFF)
        h = mixed ^ (mixed >> np.uint64(15))
        numbers = ((h >> np.uint64(3)) % np.uint64(100)).astype(np.int64)
        numbers[(h >> np.uint64(4)) % np.uint64(5) == 0] = fill or 0
        defined = ((h >> np.uint64(8)) % np.uint64(4) == 0) | (e % np.uint64(97) < 13)
        dense = np.zeros(e.shape, np.dtype(dtype))
        if fill is not None:
            dense[:] = values_of(dtype, np.array([fill]))[0]
        dense[defined] = values_of(dtype, numbers[defined])
        arrays[name] = dense.reshape(extent)
    return arrays


def dense(path):
    with h5py.File(path, "w") as file:
        for name, array in truth().items():
            file.create_dataset(name, data=array)


def compare(path):
    with h5py.File(path, "r") as file:
        for name, array in truth().items():
            if name == "szip" and name not in file:
                continue  # a libhdf5 without szip wrote it
            found = file[name][()]
            if found.dtype != array.dtype or found.shape != array.shape:
                print(f"{name}: {found.dtype} {found.shape}, not {array.dtype} {array.shape}")
            elif (found != array).any():
                print(f"{name}: {np.count_nonzero(found != array)} elements differ")


def integers(path):
    arrays = {n: a.ravel().tolist() for n, a in truth().items() if a.dtype.kind in "iu"}
    json.dump(arrays, sys.stdout)


def write_parts(dataset, rng):
    """Three slabs and a few points, zeros and fill values among them: the array, and where written."""
    array = np.full(dataset.shape, dataset.fillvalue, dataset.dtype)
    written = np.zeros(dataset.shape, bool)
    for at in (np.s_[3:20, 5:31], np.s_[10:11, :], np.s_[15:30:3, 25:29]):
        part = rng.integers(0, 4, array[at].shape).astype(array.dtype)
        dataset[at] = part
        array[at] = part
        written[at] = True
    for row in (0, 36):
        columns = np.array([1, 2, 17, 40])
        dataset[row, columns] = np.array([8, dataset.fillvalue, 9, 10])
        array[row, columns] = [8, dataset.fillvalue, 9, 10]
        written[row, columns] = True
    return array, written


def write_into(path, name):
    words = (1 | 1 << 8, 0, 0)  # docs/sparse-format.md §2: version 1, sparse, no filters
    with h5py.File(path, "a") as file:
        dataset = file.create_dataset(name, (37, 41), "<i4", chunks=(8, 16), fillvalue=2,
                                      compression=FILTER, compression_opts=words)  # fmt: skip
        array, written = write_parts(dataset, np.random.default_rng(5))
        assert (dataset[()] == array).all(), "read back at once"
    with h5py.File(path, "r") as file:
        assert (file[name][()] == array).all(), "read back from the file"
    return array, written


def stock(path):
    array, _ = write_into(path, "stock")
    json.dump(np.argwhere(array != 2).tolist(), sys.stdout)


def connected(path):
    _, written = write_into(path, "connected")
    json.dump(np.argwhere(written).tolist(), sys.stdout)


{f.__name__: f for f in (dense, compare, integers, stock, connected)}[sys.argv[1]](sys.argv[2])
