"""What PyTables does in bench/lookup, run in the peers' environment:

    in_pytables.py make ROWS | ask KEYS

`make` writes pytables.h5 with a completely sorted index (CSIndex) on `id`. `ask` prints the `row` of
each `id` listed in the file KEYS; the last line on stderr is the time that took, the file being open.
"""

import sys
import time

import numpy as np
import tables
from lookups import FACTOR, IDS

PART = 1_000_000


class Rows(tables.IsDescription):
    id = tables.Int64Col(pos=0)
    row = tables.Int64Col(pos=1)


def make(n_rows):
    with tables.open_file("pytables.h5", "w") as file:
        table = file.create_table("/", "t", Rows, expectedrows=n_rows)
        for first in range(0, n_rows, PART):
            row = np.arange(first, min(first + PART, n_rows), dtype="i8")
            table.append(np.rec.fromarrays([row * FACTOR % IDS, row], names="id,row"))
        table.flush()
        table.cols.id.create_csindex()


def ask(keys):
    with open(keys) as file, tables.open_file("pytables.h5") as data:
        wanted = [int(line) for line in file]
        table = data.root.t
        began = time.perf_counter()
        for key in wanted:
            for found in table.where("id == key", {"key": key}):
                print(found["row"])
        print(time.perf_counter() - began, file=sys.stderr)


make(int(sys.argv[2])) if sys.argv[1] == "make" else ask(sys.argv[2])
