"""What PyTables makes of tables that Stoa wrote: types, values, queries, rows appended, indexes.

    layouts_written.py FILE ORIGINAL

Every table of FILE is one of ORIGINAL, by its path, which PyTables wrote. Says nothing if all is
well.
"""

import sys
import warnings

import numpy as np
import tables

warnings.simplefilter("error")


def check_types(found, wanted):
    for name in wanted.dtype.names if found.nrows > 0 else ():
        expected = wanted.dtype[name].newbyteorder("<")
        if name == "e":
            assert found.get_enum(name)._names.keys() == wanted.get_enum(name)._names.keys()
        elif found.dtype[name] != np.dtype(expected):
            yield f"{name}: {found.dtype[name]}, not {expected}"
        kind, other = found.coltypes.get(name), wanted.coltypes.get(name)
        if kind != other:
            yield f"{name}: {kind}, not {other}"
    if found.colnames != wanted.colnames:
        yield f"columns: {found.colnames}"


def check_values(found, wanted):
    for name in wanted.dtype.names:
        a, b = found[name], wanted[name]
        if a.dtype.names and name not in ("c8", "c16"):
            yield from (f"{name}/{text}" for text in check_values(a, b))
            continue
        if a.dtype.kind in "fc":
            same = np.array_equal(a, b, equal_nan=True)
        else:
            same = np.array_equal(a, b)
        if not same:
            yield f"{name}: values differ"


def check_use(file, table):
    """Queries, more rows, an index."""
    n = table.nrows
    if n == 0:
        return
    wanted = [r.nrow for r in table if r["i4"] > 50 and r["s"] != b"no"]
    if list(table.get_where_list("(i4 > 50) & (s != b'no')")) != wanted:
        yield "where before"
    table.append(table[:10])
    table.flush()
    if table.nrows != n + 10:
        yield f"append: {table.nrows}"
    table.cols.i4.create_index()
    again = [r.nrow for r in table if r["i4"] > 50]
    if list(table.get_where_list("i4 > 50")) != again or not table.cols.i4.is_indexed:
        yield "where with an index"
    for name in table.attrs._v_attrnames:
        table.attrs[name]  # each can be read


def main():
    with (
        tables.open_file(sys.argv[1], "a") as file,
        tables.open_file(sys.argv[2]) as original,
    ):
        n = 0
        for table in file.walk_nodes("/", "Table"):
            wanted = original.get_node(table._v_pathname)
            for check in (
                check_types(table, wanted),
                check_values(table[:], wanted[:]),
                check_use(file, table),
            ):
                for text in check:
                    print(f"{table._v_pathname}: {text}")
            n += 1
        if n == 0:
            print("no table")


main()
