"""What PyTables says of tables that Stoa appended to.

    layouts_appended.py make FILE    tables with indexes of every kind, nested ones too
    layouts_appended.py check FILE   after two rows with a = 5000 were appended to each
"""

import sys
import warnings

import numpy as np
import tables

warnings.simplefilter("error")
KINDS = ("ultralight", "light", "medium", "full")
N = 10000


def make(file):
    rows = np.zeros(N, [("a", "i4"), ("s", "S5"), ("x", "f8"), ("n", [("b", "i2")])])
    rows["a"] = np.arange(N) % 1000
    rows["n"]["b"] = np.arange(N) % 100
    for kind in KINDS:
        table = file.create_table("/g", kind, rows, "title", chunkshape=100, createparents=True)
        table.attrs.mine = "kept"
        table.cols.a.create_index(kind=kind)
        table.cols._f_col("n/b").create_index(kind=kind)


def check(file):
    for kind in KINDS:
        table = file.get_node(f"/g/{kind}")
        found = [len(table.get_where_list("a == 5000")), len(table.get_where_list("b == 777",
                 {"b": table.cols._f_col("n/b")}))]  # fmt: skip
        if found != [2, 2] or table.nrows != N + 2 or table.attrs.NROWS != N + 2:
            print(f"{kind}: {found}, {table.nrows}, {table.attrs.NROWS}")
        if table.attrs.mine != "kept" or table.title != "title":
            print(f"{kind}: attributes")
        if kind != "full":
            rows = table[-2:]
            if rows["s"].tolist() != [b"abc", b"de"] or rows["x"].tolist() != [1.5, -0.5]:
                print(f"{kind}: {rows}")


with tables.open_file(sys.argv[2], "w" if sys.argv[1] == "make" else "r") as opened:
    (make if sys.argv[1] == "make" else check)(opened)
if sys.argv[1] == "check":
    with tables.open_file(sys.argv[2], "a") as opened:  # a flush repairs what was marked
        for kind in KINDS[:3]:
            table = opened.get_node(f"/g/{kind}")
            table.append(table[-1:])
            table.flush()
            if len(table.get_where_list("a == 5000")) != 3 or not table.cols.a.is_indexed:
                print(f"{kind}: not repaired")
