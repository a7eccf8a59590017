"""What Python does in bench/writing, run in the peers' environment: in_writing.py WHAT ARGUMENT...; see the functions.

Those that are measured say on stderr what they took behind Python's start.
"""

import os
import sys
import time

import numpy as np


def sync(name):
    with open(name, "rb") as file:
        os.fsync(file.fileno())


def make(parquet, rows, few):
    """Tables of 5,000 columns, and of 1,000 with few rows more, as Arrow and Parquet; the events for PyTables."""
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet as pq
    import tables

    random = np.random.default_rng(1)
    for name, n, n_columns in (("wide", int(rows), 5000), ("thousand", 1000, 1000), ("few", int(few), 1000)):
        table = pa.table({f"c{k}": np.round(random.normal(0, 100, n), 2) for k in range(n_columns)})
        pa.feather.write_feather(table, f"{name}.arrow", compression="uncompressed")
        pq.write_table(table, f"{name}.parquet", compression="zstd")
    events = rows_of(pq.read_table(parquet))
    with tables.open_file("pytables.h5", "w", filters=tables.Filters(5, "blosc")) as file:
        file.create_table("/", "t", obj=events, expectedrows=len(events))


def rows_of(table):
    """The numbers of the events as rows."""
    names = ["eid", "ts", "energy", "det", "run"]
    return np.rec.fromarrays([table[name].to_numpy() for name in names], names=names)


def import_pyarrow(csv, parquet):
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.csv.read_csv(csv), parquet)
    sync(parquet)


def append_pytables(csv, name):
    import pyarrow.csv
    import tables

    more = rows_of(pyarrow.csv.read_csv(csv))
    with tables.open_file(name, "a") as file:
        table = file.root.t
        table.append(more.astype(table.dtype))
    sync(name)


def index_pytables(name):
    import tables

    with tables.open_file(name, "a") as file:
        file.root.t.colinstances["eid"].create_csindex()
    sync(name)


def copies(source, name, n):
    """A file of so many tables, copies of the one in another file."""
    import h5py

    with h5py.File(source) as one, h5py.File(name, "w", libver="latest") as many:
        for k in range(int(n)):
            one.copy("t", many, f"t{k:05}")


def to_pandas_table(parquet, name):
    """What pandas itself does for a table that it can search."""
    import pandas

    frame = pandas.read_parquet(parquet)
    with pandas.HDFStore(name, "w") as store:
        store.append("t", frame, index=False, min_itemsize={"name": 16, "label": 8})


def to_pytables(parquet, name):
    import pyarrow.parquet as pq
    import tables

    table = pq.read_table(parquet)
    arrays = [c.to_numpy().astype("S16") if c.type == "string" else c.to_numpy() for c in table.columns]
    rows = np.rec.fromarrays(arrays, names=table.column_names)
    with tables.open_file(name, "w", filters=tables.Filters(5, "blosc")) as file:
        file.create_table("/", "t", obj=rows, expectedrows=len(rows))


def sums(kind, name):
    """Rows and the sum of the ids, as the peer of the layout reads them."""
    if kind == "arrow":
        import pyarrow as pa
        import pyarrow.compute as pc

        table = pa.ipc.open_file(pa.memory_map(name)).read_all()
        print(table.num_rows, sum(pc.sum(column).as_py() for column in table.columns))
    elif kind == "pytables":
        import tables

        with tables.open_file(name) as file:
            ids = file.root.t.col("eid")
            print(len(ids), ids.sum())
    else:
        import pandas

        ids = pandas.read_hdf(name, "t")["eid"]
        print(len(ids), ids.sum())


began = time.perf_counter()
{name: does for name, does in globals().items() if callable(does)}[sys.argv[1]](*sys.argv[2:])
print(time.perf_counter() - began, file=sys.stderr)
