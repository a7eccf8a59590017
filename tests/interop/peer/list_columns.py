"""A table of random list columns (HEP001-2026-07 §9) by h5py, and what its rows are.

usage: list_columns.py make FILE SEED     writes FILE, prints the rows as JSON lines
       list_columns.py arrow FILE         the same of an Arrow file, through Parquet
"""

import json
import sys

import h5py
import numpy as np

LEAVES = ("<i1", ">i2", "<i4", ">i8", "<u2", ">f4", "<f8", "bool", "S3", "text")


def text(value):
    """A null-terminated attribute."""
    return np.array(value.encode(), f"S{len(value) + 1}")


def put(rng, group, name, values, fill=None):
    """A dataset in some storage, with elements behind those that count."""
    residue = np.resize(values, rng.integers(0, 4)) if len(values) else values
    values = np.concatenate([values, residue]).astype(values.dtype)
    storage = [{}, {"chunks": (int(rng.integers(1, 40)),), "maxshape": (None,)}]
    storage.append({**storage[1], "compression": "gzip", "shuffle": True})
    how = storage[rng.integers(0, 3)]
    group.create_dataset(name, data=values, fillvalue=fill, **how)


def put_level(rng, group, lists):
    """OFFSETS and MASK of lists, None where one is missing; the entries of the next level."""
    lengths = [0 if entry is None else len(entry) for entry in lists]
    put(rng, group, "OFFSETS", np.concatenate([[0], np.cumsum(lengths)]).astype(rng.choice(["<u8", ">u8"])))
    if None in lists or rng.integers(0, 2):
        put(rng, group, "MASK", np.array([entry is not None for entry in lists], bool))
    return [item for entry in lists if entry is not None for item in entry]


def put_column(rng, group, lists, depth, leaf):
    group.attrs["CLASS"], group.attrs["KIND"] = text("LIST_COLUMN"), text("OFFSETS")
    items = put_level(rng, group, lists)
    if depth > 1:
        put_column(rng, group.create_group("VALUES"), items, depth - 1, leaf)
    elif leaf == "text":
        values = group.create_group("VALUES")
        values.attrs["CLASS"] = text("STRING_VALUES")
        coded = [None if item is None else item.encode() for item in items]
        chars = put_level(rng, values, coded)
        put(rng, values, "CHARS", np.array(chars, np.uint8))
    else:
        fill = fill_of(leaf)
        stored = [fill if item is None else item for item in items]
        if leaf == "S3":
            stored = [item if isinstance(item, bytes) else item.encode() for item in stored]
        put(rng, group, "VALUES", np.array(stored, leaf), fill)


def fill_of(leaf):
    kind = np.dtype("S" if leaf == "text" else leaf).kind
    return {"b": None, "i": 7, "u": 7, "f": np.nan, "S": b""}[kind]


def element(rng, leaf):
    if leaf != "bool" and rng.integers(0, 6) == 0:
        return None  # missing
    if leaf == "bool":
        return bool(rng.integers(0, 2))
    if leaf == "text":
        return "".join(rng.choice(list("aé李 \"\n"), rng.integers(0, 4)))
    if leaf == "S3":
        return "".join(rng.choice(list("xyz"), rng.integers(1, 4)))
    return float(rng.integers(-40, 40)) / 2 if leaf[1] == "f" else int(rng.integers(8, 100))


def entry(rng, depth, leaf):
    if depth == 0:
        return element(rng, leaf)
    if rng.integers(0, 5) == 0:
        return None
    return [entry(rng, depth - 1, leaf) for _ in range(rng.integers(0, 5))]


def make(name, seed):
    rng = np.random.default_rng(int(seed))
    n = int(rng.integers(0, 60))
    columns = {"id": list(range(n))}
    with h5py.File(name, "w") as file:
        table = file.create_group("t")
        table.attrs["CLASS"], table.attrs["VERSION"] = text("COLUMN_TABLE"), text("1.0")
        table.attrs["NROWS"] = np.uint64(n)
        table.create_dataset("id", data=np.arange(n, dtype="<i8"), fillvalue=-1)
        for i, leaf in enumerate(LEAVES):
            depth = int(rng.integers(1, 4))
            lists = [entry(rng, depth, leaf) for _ in range(n)]
            put_column(rng, table.create_group(f"v{i}"), lists, depth, leaf)
            columns[f"v{i}"] = lists
    for i in range(n):
        print(json.dumps({key: rows[i] for key, rows in columns.items()}))


def arrow(name):
    import pyarrow.ipc
    import pyarrow.parquet

    table = pyarrow.ipc.open_file(name).read_all()
    table.validate(full=True)
    pyarrow.parquet.write_table(table, "t.parquet")
    for row in pyarrow.parquet.read_table("t.parquet").to_pylist():
        print(json.dumps(row))


globals()[sys.argv[1]](*sys.argv[2:])
