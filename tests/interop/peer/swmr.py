"""A SWMR writer: a HEP001 table that grows by as many rows as each line of standard input says.

Prints the number of rows when they are flushed. At the end of the input the file is closed; "die" ends
the process without closing it.
"""

import os
import sys

import h5py
import numpy as np

WORDS = h5py.enum_dtype({"even": 0, "odd": 1}, "i1")

file = h5py.File(sys.argv[1], "w", libver="latest")
table = file.create_group("t")
table.attrs["CLASS"] = np.bytes_("COLUMN_TABLE")
table.attrs["VERSION"] = np.bytes_("1.0")
table.attrs["NROWS"] = np.uint64(0)
columns = {
    "i": (np.dtype("i8"), np.int64(-1)),
    "x": (np.dtype("f8"), np.nan),
    "w": (WORDS, np.int8(-1)),
}
for name, (dtype, fill) in columns.items():
    table.create_dataset(name, (0,), dtype, maxshape=(None,), chunks=(100,), fillvalue=fill)
file.swmr_mode = True
print(0, flush=True)

rows = 0
for line in sys.stdin:
    if line.strip() == "die":
        os._exit(9)
    new = np.arange(rows, rows + int(line))
    for name, values in (("i", new), ("x", new / 4), ("w", (new % 2).astype(WORDS))):
        table[name].resize((rows + len(new),))
        table[name][rows:] = values
        table[name].flush()
    rows += len(new)
    table.attrs.modify("NROWS", np.uint64(rows))
    file.flush()
    print(rows, flush=True)
file.close()
