"""What Python does in bench/python, run in the peers' environment:

    in_python.py make ROWS | ask stoa|pytables|pandas|pyarrow|polars|duckdb|lh5 TIMES

`make` writes events of ten columns: events.h5 by Stoa, events.parquet with Zstandard, and four of the columns
as a table of PyTables, of pandas and of LH5. `ask` prints a line each time: the question's name, seconds,
the answer, which is the number of rows and the sum of a column. Constants differ each time.
"""

import sys
import time

import numpy as np

DETECTOR = 7
FEW = ["eid", "time", "energy", "detector"]
LOOKUPS = 100  # short questions, one after the other


def least(k):
    """The energy that is asked for the k-th time: one event in 20 has it."""
    return 30 + k / 8


def make(n):
    import h5py
    import pandas
    import pyarrow as pa
    import pyarrow.parquet as pq
    import pystoa
    import tables

    random = np.random.default_rng(1)
    columns = {
        "eid": random.permutation(n),
        "time": np.cumsum(random.integers(1, 2000, n)),
        "energy": random.exponential(10, n).astype("f4"),
        "detector": random.integers(0, 50, n).astype("u1"),
        "x": np.round(random.normal(0, 100, n), 2),
        "y": np.round(random.normal(0, 100, n), 2),
        "run": (np.arange(n) // 1000).astype("i4"),
        "n_hits": random.poisson(20, n).astype("u2"),
        "is_good": random.random(n) < 0.9,
        "label": np.array(["muon", "pion", "kaon", "proton"])[random.integers(0, 4, n)],
    }
    labels = pa.array(columns["label"]).dictionary_encode()
    table = pa.table({**columns, "label": labels})
    pq.write_table(table, "events.parquet", compression="zstd")
    pystoa.write("events.h5", "/events", table, indexes={"time": "sorted"})
    few = {name: columns[name] for name in FEW}
    rows = np.rec.fromarrays(list(few.values()), names=FEW)
    with tables.open_file("tables.h5", "w") as file:
        packed = tables.Filters(complevel=5, complib="blosc")
        file.create_table("/", "events", obj=rows, filters=packed, expectedrows=n)
    frame = pandas.DataFrame(few)
    with pandas.HDFStore("pandas.h5", "w") as store:  # without indexes, like the table of PyTables
        store.append("events", frame, data_columns=["energy", "detector"], index=False)
    with h5py.File("hits.lh5", "w") as file:
        hits = file.create_group("hit")
        hits.attrs["datatype"] = f"table{{{','.join(FEW)}}}"
        for name, values in few.items():
            stored = hits.create_dataset(name, data=values, compression="gzip", shuffle=True)
            stored.attrs["datatype"] = "array<1>{real}"


def shown(n, total):
    return f"{n},{float(total)!r}"


def of_arrays(arrays):
    return shown(len(arrays["eid"]), np.asarray(arrays["energy"]).sum(dtype="f8"))


def of_frame(frame):
    return shown(len(frame), frame["energy"].to_numpy().sum(dtype="f8"))


def of_table(table):
    return shown(table.num_rows, table["energy"].to_numpy().sum(dtype="f8"))


# --- contestants: methods are questions, by the file they are put to ------------------------------


class Stoa:
    def __init__(self):
        import pystoa

        self.pystoa = pystoa
        self.events = pystoa.open("events.h5", "/events")
        self.tables = pystoa.open("tables.h5", "/events")
        self.pandas = pystoa.open("pandas.h5", "/events")
        self.mapped = pystoa.open("pandas.h5", "/events", map=True)
        self.hits = pystoa.open("hits.lh5", "/hit")
        self.end = int(self.events["time"][-1])

    def selected(self, table, k):
        condition = "energy > ? and detector = ?"
        return table.query(condition, [least(k), DETECTOR], columns=["eid", "energy"])

    def scan_of_pytables(self, k):
        return of_arrays(self.selected(self.tables, k).to_numpy())

    def scan_of_pandas(self, k):
        return of_frame(self.selected(self.pandas, k).to_pandas())

    def scan_of_pandas_by_map(self, k):
        return of_frame(self.selected(self.mapped, k).to_pandas())

    def columns_of_lh5(self, k):
        return of_arrays(self.hits.query(columns=FEW).to_numpy())

    def scan(self, k):
        import polars

        events = self.pystoa.scan_polars("events.h5", "/events")
        wanted = (polars.col("energy") > least(k)) & (polars.col("detector") == DETECTOR)
        return of_frame(events.filter(wanted).select("eid", "energy").collect())

    def to_arrow(self, k):
        return of_table(self.events.query().to_arrow())

    def to_pandas(self, k):
        return of_frame(self.events.query().to_pandas())

    def to_polars(self, k):
        return of_frame(self.events.query().to_polars())

    def lookups(self, k):
        total = 0
        for i in range(LOOKUPS):
            at = self.end * (i + k) // (LOOKUPS + 8)
            found = self.events.query("time = ?", [at], columns=["eid"]).to_numpy()
            total += len(found["eid"])
        return shown(LOOKUPS, 0)


class PyTables:
    def __init__(self):
        import tables

        self.rows = tables.open_file("tables.h5").root.events

    def scan_of_pytables(self, k):
        names = {"least": np.float32(least(k)), "wanted": DETECTOR}
        return of_arrays(self.rows.read_where("(energy > least) & (detector == wanted)", names))


class Pandas:
    def __init__(self):
        import pandas

        self.pandas = pandas

    def scan_of_pandas(self, k):
        where = f"energy > {least(k)} & detector == {DETECTOR}"
        return of_frame(self.pandas.read_hdf("pandas.h5", "events", where=where, columns=["eid", "energy"]))

    scan_of_pandas_by_map = scan_of_pandas


class PyArrow:
    def __init__(self):
        import pyarrow.parquet

        self.read = pyarrow.parquet.read_table

    def scan(self, k):
        wanted = [("energy", ">", least(k)), ("detector", "==", DETECTOR)]
        return of_table(self.read("events.parquet", columns=["eid", "energy"], filters=wanted))

    def to_arrow(self, k):
        return of_table(self.read("events.parquet"))

    def to_pandas(self, k):
        return of_frame(self.read("events.parquet").to_pandas())

    def to_polars(self, k):
        import polars

        return of_frame(polars.from_arrow(self.read("events.parquet")))


class Polars:
    def __init__(self):
        import polars

        self.polars = polars

    def scan(self, k):
        col = self.polars.col
        wanted = (col("energy") > least(k)) & (col("detector") == DETECTOR)
        events = self.polars.scan_parquet("events.parquet")
        return of_frame(events.filter(wanted).select("eid", "energy").collect())

    def to_polars(self, k):
        return of_frame(self.polars.read_parquet("events.parquet"))


class DuckDB:
    def __init__(self):
        import duckdb

        self.connection = duckdb.connect()
        self.connection.execute("SET threads = 2")

    def scan(self, k):
        sql = "SELECT eid, energy FROM 'events.parquet' WHERE energy > ? AND detector = ?"
        return of_arrays(self.connection.execute(sql, [least(k), DETECTOR]).fetchnumpy())


class LH5:
    def __init__(self):
        import lh5

        self.read = lh5.read

    def columns_of_lh5(self, k):
        hits = self.read("hit", "hits.lh5", field_mask=FEW)
        return of_arrays({name: hits[name].nda for name in FEW})


CONTESTANTS = {"stoa": Stoa, "pytables": PyTables, "pandas": Pandas, "pyarrow": PyArrow,
               "polars": Polars, "duckdb": DuckDB, "lh5": LH5}  # fmt: skip


def ask(name, times):
    who = CONTESTANTS[name]()
    questions = [name for name in vars(type(who)) if not name.startswith("_") and name != "selected"]
    for k in range(times):
        for question in questions:
            began = time.perf_counter()
            answer = getattr(who, question)(k)
            print(question, time.perf_counter() - began, f"{k},{answer}", sep="\t")


if sys.argv[1] == "make":
    make(int(sys.argv[2]))
else:
    ask(sys.argv[2], int(sys.argv[3]))
