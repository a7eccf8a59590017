"""What Python does in bench/modes, run in the peers' environment:

    in_modes.py make EVENTS ORDERS
    in_modes.py ask WHO TIMES ROUND EVENTS ORDERS [QUESTION]...

`make` writes the tables of every format into this directory. `ask` puts the questions to WHO and prints a JSON line for
each answer. Each question has a process of its own, a fork of this one: it opens the tables, asks once ("first"), asks
the same again ("again"), and then with other constants each time ("new"). A last process asks all questions in turn,
with new constants ("turn").
"""

import json
import os
import re
import sys
import time
import warnings

import asked
import clock
import pandas  # noqa: F401: pyarrow imports it when it is first used, which is no part of a question
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from answers import digest

warnings.filterwarnings("ignore")
THREADS = 2
TABLES = ("events", "orders")


# --- contestants: ask(question) gives an Arrow table, None: it is not asked this ----------------------------------


class Stoa:
    def __init__(self, **how):
        import pystoa

        self.tables = {name: pystoa.open("stoa.h5", f"/{name}", **how) for name in TABLES}

    def ask(self, q):
        table = self.tables[q.table]
        where = q.where or None
        if q.aggregates:
            return table.aggregate(q.aggregates, by=q.by or None, where=where, threads=THREADS).to_arrow()
        more = {"sort": q.sort, "limit": q.limit} if q.sort else {}
        return table.query(where, columns=q.columns.split(","), threads=THREADS, **more).to_arrow()


class StoaByMap(Stoa):
    def __init__(self):
        super().__init__(map=True)


class DuckDB:
    def __init__(self):
        import duckdb

        self.base = duckdb.connect("native.duckdb", read_only=True)
        self.base.sql(f"SET threads = {THREADS}")

    def ask(self, q):
        return self.base.execute(q.sql).to_arrow_table()


class DuckDBOnParquet(DuckDB):
    def __init__(self):
        import duckdb

        self.base = duckdb.connect()
        self.base.sql(f"SET threads = {THREADS}")
        for name in TABLES:
            self.base.sql(f"CREATE VIEW {name} AS FROM '{name}.parquet'")


class Polars:
    """Its SQL is asked, by the same words."""

    def __init__(self):
        import polars

        self.context = polars.SQLContext({name: polars.scan_parquet(f"{name}.parquet") for name in TABLES})

    def ask(self, q):
        # A float32 would be summed up as such.
        sql = re.sub(r"(sum|avg)\(energy\)", r"\1(CAST(energy AS DOUBLE))", q.sql)
        if q.name == "R2":
            sql = q.sql.split("WHERE")[0] + "WHERE " + q.where
        return self.context.execute(sql).collect().to_arrow()


class PyArrow:
    """A dataset of Parquet: a filter, then what its tables can do."""

    NAMES = {"mean": "mean", "sum": "sum", "max": "max", "distinct": "count_distinct"}

    def __init__(self):
        import pyarrow.dataset as ds

        pa.set_cpu_count(THREADS)
        pa.set_io_thread_count(THREADS)
        self.field = ds.field
        self.tables = {name: ds.dataset(f"{name}.parquet") for name in TABLES}

    def ask(self, q):
        if q.arrow is None:
            return None
        words = {"f": self.field, "pc": pc, "ns": lambda at: pa.scalar(at, pa.timestamp("ns"))}
        where = eval(q.arrow, words) if q.arrow else None  # noqa: S307: our own words
        table = self.tables[q.table]
        if not q.aggregates:
            return table.to_table(columns=q.columns.split(","), filter=where)
        if q.aggregates == "count()":
            return pa.table({"n": [table.count_rows(filter=where)]})
        asks = re.findall(r"(\w+)\((\w*)\)", q.aggregates)
        keys = q.by.split(",") if q.by else []
        found = table.to_table(columns=[*keys, *(column for _, column in asks if column)], filter=where)
        found = found.group_by(keys).aggregate([
            ([], "count_all") if name == "count" else (column, self.NAMES[name]) for name, column in asks
        ])  # fmt: skip
        names = ["count_all" if name == "count" else f"{column}_{self.NAMES[name]}" for name, column in asks]
        return found.select([*keys, *names])


class PyTables:
    """A table of rows, completely sorted indexes on the ids and times of the events."""

    def __init__(self):
        import numexpr
        import tables

        numexpr.set_num_threads(THREADS)
        tables.parameters.MAX_NUMEXPR_THREADS = tables.parameters.MAX_BLOSC_THREADS = THREADS
        self.file = tables.open_file("pytables.h5")

    def ask(self, q):
        import numpy as np

        if q.tables is None:
            return None
        asks = re.findall(r"(\w+)\((\w*)\)", q.aggregates)
        table = getattr(self.file.root, q.table)
        found = table.read_where(q.tables)
        does = {"count": lambda _: len(found), "max": lambda c: int(found[c].max()),
                "sum": lambda c: float(np.nansum(found[c], dtype="f8")), "mean": lambda c: float(found[c].mean())}  # fmt: skip
        return pa.table({str(k): [does[name](column)] for k, (name, column) in enumerate(asks)})


CONTESTANTS = {"Stoa": Stoa, "Stoa by map": StoaByMap, "DuckDB native": DuckDB, "DuckDB Parquet": DuckDBOnParquet,
               "Polars": Polars, "pyarrow": PyArrow, "PyTables": PyTables}  # fmt: skip


# --- the modes ---------------------------------------------------------------------------------------------------


def timed(peer, question):
    began = time.perf_counter()
    found = peer.ask(question)
    return time.perf_counter() - began, found


def said(question, mode, k, seconds, found):
    if found is not None:
        print(json.dumps([question.name, mode, k, seconds, digest(found, bool(question.sort))]), flush=True)


def ask_one(who, question, times, k, rows):
    """The answers of one question: first, again, and with new constants."""
    words = asked.constants(0, *rows)
    peer = CONTESTANTS[who]()
    one = question.at(words)
    seconds, found = timed(peer, one)
    if found is None:
        return
    said(question, "first", 0, seconds, found)
    for _ in range(times):
        said(question, "again", 0, *timed(peer, one))
    news = times * question.repeats
    for i in range(1, news + 1):
        i += k * news
        said(question, "new", i, *timed(peer, question.at(asked.constants(i, *rows))))


def ask_in_turn(who, questions, times, k, rows):
    peer = CONTESTANTS[who]()
    for i in range(1, times + 1):
        i += k * times
        words = asked.constants(i, *rows)
        for question in questions:
            said(question, "turn", i, *timed(peer, question.at(words)))


def ask(who, times, k, rows, only):
    questions = [q for q in asked.QUESTIONS if not only or q.name in only]
    __import__({"S": "pystoa", "D": "duckdb", "P": "polars", "p": "pyarrow.dataset"}["p" if who == "pyarrow" else who[0]])
    for question in questions:
        clock.in_child(lambda: ask_one(who, question, times, k, rows))  # noqa: B023
    clock.in_child(lambda: ask_in_turn(who, questions, times, k, rows))


# --- the files ---------------------------------------------------------------------------------------------------


def make(n_events, n_orders):
    """Every format; nothing of it is measured."""
    import duckdb
    import pystoa
    import realistic

    base = duckdb.connect("native.duckdb")
    base.sql(f"SET threads = {THREADS}")
    orders = realistic.orders(n_orders)
    base.sql(f"CREATE TABLE events AS {asked.events_sql(n_events)}")
    base.sql("CREATE TABLE orders AS FROM orders")
    base.sql("CREATE INDEX by_eid ON events(eid)")
    for name in TABLES:
        base.sql(f"COPY {name} TO '{name}.parquet' (FORMAT parquet, COMPRESSION zstd)")
    base.close()
    events = pq.read_table("events.parquet")
    for name, table, indexes in (("events", events, {"ts": "minmax", "eid": "sorted"}), ("orders", orders, {"time": "minmax"})):
        pystoa.write("stoa.h5", f"/{name}", table, indexes=indexes)
    make_pytables(events, orders)


def make_pytables(events, orders):
    """The columns of numbers, labels as codes."""
    import numpy as np
    import tables

    labels = pc.cast(pc.index_in(events["label"], pa.array(asked.LABELS)), pa.int8())
    parts = {"events": {"eid": events["eid"], "ts": events["ts"], "energy": events["energy"], "det": events["det"],
                        "run": events["run"], "label": labels},
             "orders": {"order": orders["order"], "time": pc.cast(orders["time"], pa.int64()),
                        **{name: orders[name] for name in ("price", "quantity", "latitude", "longitude")}}}  # fmt: skip
    with tables.open_file("pytables.h5", "w", filters=tables.Filters(5, "blosc")) as file:
        for name, columns in parts.items():
            values = {column: array.to_numpy() for column, array in columns.items()}
            rows = np.empty(len(values[next(iter(values))]), [(column, array.dtype) for column, array in values.items()])
            for column, array in values.items():
                rows[column] = array
            file.create_table("/", name, obj=rows, expectedrows=len(rows))
        for column in ("eid", "ts"):
            file.root.events.colinstances[column].create_csindex()


if sys.argv[1] == "make":
    make(*map(int, sys.argv[2:4]))
else:
    os.environ["POLARS_MAX_THREADS"] = str(THREADS)
    ask(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), tuple(map(int, sys.argv[5:7])), sys.argv[7:])
