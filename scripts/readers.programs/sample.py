"""Columns of each type as Arrow files, for scripts/readers: the first row has values, the second has none.

Writes t.arrow with all of them but `boolean`, and COLUMN.arrow for each.
"""

import datetime

import pyarrow as pa
import pyarrow.ipc

N = 10000  # enough that Stoa packs the columns
DAY = datetime.date(2026, 7, 9)
NOON = datetime.datetime(2026, 7, 9, 12)
WORDS = ["LAX", "SEA", "JFK", "ORD"]


def column(kind, first, more):
    """`first`, a missing value, and `more(i)` for the other rows."""
    return pa.array([first, None, *(more(i) for i in range(2, N))], kind)


COLUMNS = {
    "int8": column(pa.int8(), 7, lambda i: i % 50),
    "int32": column(pa.int32(), -70000, lambda i: i * 7919 % 100000),
    "int64": pa.array([2**53 + 1, -4, *range(2, N)], pa.int64()),
    "int64_missing": column(pa.int64(), 2**53 + 1, lambda i: i),
    "uint64": column(pa.uint64(), 2**63 + 1, lambda i: i),
    "float32": column(pa.float32(), 1.5, lambda i: i / 4),
    "float64": column(pa.float64(), 0.1, lambda i: i / 10),
    "bool": column(pa.bool_(), True, lambda i: i % 3 == 0),
    "date": column(pa.date32(), DAY, lambda i: DAY),
    "timestamp": column(pa.timestamp("ms"), NOON, lambda i: NOON + datetime.timedelta(seconds=i)),
    "duration": column(pa.duration("s"), 90, lambda i: i),
    "category": column(pa.string(), "SEA", lambda i: WORDS[i % 4]).dictionary_encode(),
    "ascii": column(pa.string(), "SEA", lambda i: f"{i * 7919 % N}"),
    "utf8": column(pa.string(), "Zürich", lambda i: f"{i * 7919 % N}"),
    "long": column(pa.string(), "Zürich", lambda i: "x" * 5000 if i == 2 else f"{i}"),
    "fixed_bytes": column(pa.binary(2), b"\x01\x02", lambda i: bytes([i % 200, 2])),
    "bytes": column(pa.binary(), b"\x01\x02\x03", lambda i: bytes(i % 5)),
    "array": column(pa.list_(pa.int16(), 2), [3, 4], lambda i: [i, i + 1]),
    "struct": column(pa.struct({"x": pa.float64(), "n": pa.int32()}), {"x": 0.5, "n": 3},
                     lambda i: {"x": i / 2, "n": i}),
    "list": column(pa.list_(pa.float32()), [1.5, 2.5], lambda i: [i / 4] * (i % 4)),
}  # fmt: skip


def write(name, columns):
    table = pa.table(columns)
    with pyarrow.ipc.new_file(name, table.schema) as file:
        file.write_table(table)


ALL = {**COLUMNS, "boolean": pa.array([True, False] * (N // 2))}
write("t.arrow", COLUMNS)
for name, values in ALL.items():
    write(f"{name}.arrow", {name: values})
