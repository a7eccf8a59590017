"""What PyTables does in bench/layouts, run in the peers' environment:

    in_layouts.py make ROWS | ask scan|filter|column

`make` writes rows.h5 with a table packed by blosc2. `ask` prints its answer; the last line on stderr
is the time that took, the file being open.
"""

import sys
import time

import numpy as np
import tables

PART = 1_000_000
ROW = [("id", "i8"), ("time", "i8"), ("energy", "f4"), ("channel", "i2"), ("count", "i4"),
       ("label", "S8")]  # fmt: skip
LABELS = np.array([b"muon", b"electron", b"photon", b"pion"], "S8")


def make(n_rows):
    random = np.random.default_rng(1)
    last = 10**15
    with tables.open_file("rows.h5", "w") as file:
        table = file.create_table("/", "t", np.dtype(ROW), expectedrows=n_rows,
                                  filters=tables.Filters(5, "blosc2:lz4"))  # fmt: skip
        for first in range(0, n_rows, PART):
            n = min(PART, n_rows - first)
            rows = np.zeros(n, ROW)
            rows["id"] = np.arange(first, first + n)
            rows["time"] = last + np.cumsum(random.integers(0, 1000, n))
            last = rows["time"][-1]
            rows["energy"] = random.normal(100, 15, n)
            rows["channel"] = random.integers(0, 64, n)
            rows["count"] = random.poisson(3, n)
            rows["label"] = LABELS[random.integers(0, 4, n)]
            table.append(rows)


def scan(table):
    """One number of each column that has numbers."""
    parts = []
    for first in range(0, table.nrows, PART):
        rows = table.read(first, first + PART)
        parts.append([rows["id"].max(), rows["time"].max(), rows["energy"].sum(dtype="f8"),
                      rows["channel"].sum(dtype="i8"), rows["count"].sum(dtype="i8")])  # fmt: skip
    ids, times, *sums = zip(*parts, strict=True)
    return [max(ids), max(times), *map(sum, sums)]


def ask(what):
    with tables.open_file("rows.h5") as file:
        table = file.root.t
        began = time.perf_counter()
        if what == "scan":
            answer = scan(table)
        elif what == "filter":
            answer = [len(table.get_where_list("(energy > 150) & (channel == 5)"))]
        else:
            answer = [table.col("energy").sum(dtype="f8")]
        print(time.perf_counter() - began, file=sys.stderr)
    print(*answer)


make(int(sys.argv[2])) if sys.argv[1] == "make" else ask(sys.argv[2])
