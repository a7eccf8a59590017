"""Tables of columns of every datatype, made without Stoa, for the indexes to be built on.

    columns.py N_TABLES SEED

Writes many-<i>.h5 with a table /t, more-<i>.h5 with further rows of the same columns, and
columns.json: for each table {"file", "more", "n_rows", "columns": {name: {"kind", "kinds"}}}, where
`kinds` are those of the index kinds that §10.4 to §10.7 define for the datatype; for a bitmap, if
the column has few values.
"""

import json
import random
import struct
import sys

import h5py
import numpy as np
from h5py import h5d, h5p, h5s, h5t

import maker
import references

FLOAT_FILL = 9.9692099683868690e36
ORDERED = ["minmax", "sorted"]
FEW = 40


class Column:
    """A datatype, its fill and a supply of values, all as bytes of the file."""

    def __init__(self, random, kind, datatype, fill, pool, kinds, ranged=False):
        self.random, self.kind, self.datatype, self.fill = random, kind, datatype, fill
        self.pool, self.kinds, self.ranged = pool, kinds, ranged
        self.share = random.choice([0, 0, 0.1, 0.6, 1])  # of missing rows
        self.runs = random.random() < 0.3  # of equal values, so that whole chunks are alike

    def take(self, n):
        rows = []
        while len(rows) < n:
            is_missing = self.random.random() < self.share
            value = self.fill if is_missing else self.random.choice(self.pool)
            rows += [value] * (self.random.randint(1, 50) if self.runs else 1)
        return rows[:n]


def integer(random):
    size = random.choice([1, 2, 4, 8, 1, 2, 4, 8, 3, 5, 6])
    order = random.choice(["little", "big"])
    is_signed = random.random() < 0.5
    datatype = h5t.STD_I64LE.copy()
    datatype.set_precision(8 * size)
    datatype.set_size(size)
    datatype.set_sign(h5t.SGN_2 if is_signed else h5t.SGN_NONE)
    datatype.set_order(h5t.ORDER_BE if order == "big" else h5t.ORDER_LE)
    low, high = (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1) if is_signed else (0, 256**size - 1)
    sentinel = low + 1 if is_signed else high  # of Table 1: as data it would need a range (§8.5)
    fill = random.choice([sentinel, 0, 7])
    values = {low, high, low + 2, high - 1, 0, 1, 7}
    values |= {random.randint(low, high) for _ in range(random.choice([3, 3000]))}
    values -= {fill, sentinel}
    pool = [v.to_bytes(size, order, signed=is_signed) for v in sorted(values)]
    bloom = ["bloom"] if size in (1, 2, 4, 8) else []
    return Column(random, f"{'int' if is_signed else 'uint'}{8 * size} {order}", datatype,
                  fill.to_bytes(size, order, signed=is_signed), pool, ORDERED + bloom)  # fmt: skip


def floating(random):
    size = random.choice([2, 4, 8])
    order = random.choice("<>")
    code = order + {2: "e", 4: "f", 8: "d"}[size]
    biggest = {2: 65504.0, 4: 3.4028234663852886e38, 8: 1.7976931348623157e308}[size]
    tiny = {2: 2.0**-24, 4: 2.0**-149, 8: 5e-324}[size]
    fill = random.choice([-99.0 if size == 2 else FLOAT_FILL, float("nan"), 0.0, -0.0, -1.5])
    values = [0.0, -0.0, 1.5, -1.5, float("inf"), float("-inf"), biggest, -biggest, tiny, -tiny]
    values += [float("nan")] * random.choice([0, 1, 5])
    n_more = random.choice([0, 2000])
    values += [random.gauss(0, 100) for _ in range(n_more)]
    pool = [struct.pack(code, v) for v in values]
    if pool[0] != pool[1] and random.random() < 0.5:  # a NaN of another sign and payload
        odd = {2: b"\xfe\x01", 4: b"\xff\xc0\0\x01", 8: b"\xff\xf8\0\0\0\0\0\x01"}[size]
        pool.append(odd if order == ">" else odd[::-1])
    room = struct.pack(code, fill)
    pool = [raw for raw in pool if raw != room]
    datatype = h5t.py_create(np.dtype(f"{order}f{size}"))
    return Column(random, f"float{8 * size} {order} fill {fill}", datatype, room, pool,
                  [*ORDERED, "bloom"])  # fmt: skip


WORDS = ["a", "ab", "abc", "b", "zwölf", "漢字", "😀", "e\u0301", "é", "two w", "x" * 11, " lead",
         "tail ", "-", "Z", "NA", "\x01"]  # fmt: skip


def fixed_string(random):
    padding = random.choice([h5t.STR_NULLTERM, h5t.STR_NULLPAD, h5t.STR_SPACEPAD])
    cset = random.choice([h5t.CSET_UTF8, h5t.CSET_ASCII])
    size = random.choice([4, 12, 17])
    pad = b" " if padding == h5t.STR_SPACEPAD else b"\0"
    fill = random.choice([b"", b"NA"]).ljust(size, pad)
    words = [w.encode() for w in WORDS if cset == h5t.CSET_UTF8 or w.isascii()]
    words += [f"{random.randrange(10**6)}".encode() for _ in range(random.choice([0, 2000]))]
    pool = {w.ljust(size, pad) for w in words if len(w) <= size} - {fill}
    if padding == h5t.STR_NULLTERM:  # the string ends at the first NUL, whatever follows
        pool.add(b"q\0z".ljust(size, b"\0"))
    if padding == h5t.STR_NULLPAD:  # only the NULs at the end are padding
        pool.add(b"q\0z".ljust(size, b"\0"))
    pool.add(b"w" * size)
    name = {h5t.STR_NULLTERM: "nullterm", h5t.STR_NULLPAD: "nullpad", h5t.STR_SPACEPAD: "spacepad"}
    return Column(random, f"string[{size}] {name[padding]}", maker.text_type(size, padding, cset),
                  fill, sorted(pool), [*ORDERED, "bloom"])  # fmt: skip


def variable_string(random):
    datatype = h5py.string_dtype(random.choice(["utf-8", "ascii"]))
    words = [w for w in WORDS if datatype.metadata["vlen"] is str or w.isascii()]
    words += [f"{random.randrange(10**6)}" * 3 for _ in range(random.choice([0, 500]))]
    fill = random.choice(["", "NA"])
    pool = [w.encode() for w in words if w != fill] + [b""] * (fill != "")
    return Column(random, "variable string", datatype, fill.encode(), pool, [*ORDERED, "bloom"])


def opaque(random):
    size = random.choice([1, 4, 9])
    datatype = h5t.create(h5t.OPAQUE, size)
    datatype.set_tag(b"of the test")
    fill = random.choice([b"\0", b"\xff"]) * size
    pool = {random.randbytes(size) for _ in range(random.choice([5, 300]))} - {fill}
    return Column(random, f"opaque[{size}]", datatype, fill, sorted(pool), [*ORDERED, "bloom"])


def enumeration(random):
    base, order = random.choice([("i1", "<"), (">u2", ">"), ("<i4", "<"), (">i8", ">")])
    codes = {"RED": 1, "GREEN": 7, "BLUE": 100, "MISSING": 50}
    datatype = h5t.py_create(h5py.enum_dtype(codes, basetype=base), logical=True)
    raw = {name: np.array(code, base).tobytes() for name, code in codes.items()}
    pool = [raw["RED"], raw["GREEN"], raw["BLUE"]]
    return Column(random, f"enum {base}", datatype, raw["MISSING"], pool, ORDERED)


def boolean(random):
    pool = [b"\0", b"\x01"][: random.choice([1, 2, 2])]
    return Column(random, "bool", h5t.STD_U8LE, b"\x02", pool, [*ORDERED, "bloom"], ranged=True)


def categorical(random):
    code = random.choice(["b", "B", ">h", "<I"])
    fill = -1 if code[-1].islower() else 255
    pool = [struct.pack(code, i) for i in range(random.choice([1, 5, 30]))]
    datatype = h5t.py_create(np.dtype({"b": "i1", "B": "u1", ">h": ">i2", "<I": "<u4"}[code]))
    return Column(random, f"categorical {code}", datatype, struct.pack(code, fill), pool,
                  [*ORDERED, "bloom"])  # fmt: skip


def compound(random):
    datatype = h5t.py_create(np.dtype([("re", "<f4"), ("im", ">i2")]))
    return Column(random, "compound", datatype, b"\xff" * 6, [b"\0\0\x80?\0\x01"], [])


def array(random):
    datatype = h5t.array_create(h5t.STD_I16BE, (2,))
    return Column(random, "array", datatype, b"\xff" * 4, [b"\0\x01\0\x02"], [])


SORTS = [integer] * 4 + [floating] * 4 + [fixed_string] * 3 + [variable_string, opaque,
         enumeration, boolean, categorical, categorical, compound, array]  # fmt: skip


def write(group, name, column, rows, extent, chunk):
    if column.kind == "variable string":
        group.create_dataset(
            name, (extent,), column.datatype, chunks=(chunk,) if chunk else None,
            maxshape=(None,) if chunk else None, fillvalue=column.fill,
        )  # fmt: skip
        spare = [b"spare"] * (extent - len(rows))
        if extent > 0:
            group[name][:] = rows + spare
        return group[name]
    dcpl = h5p.create(h5p.DATASET_CREATE)
    maker.set_fill(dcpl, column.datatype, column.fill)
    if chunk:
        dcpl.set_chunk((chunk,))
        if column.random.random() < 0.3:
            dcpl.set_deflate(3)
    space = h5s.create_simple((extent,), (h5s.UNLIMITED if chunk else extent,))
    made = h5d.create(group.id, name.encode(), column.datatype, space, dcpl)
    size = column.datatype.get_size()
    spare = [column.random.choice(column.pool) for _ in range(extent - len(rows))]
    if extent > 0:
        room = np.frombuffer(b"".join(rows + spare), f"V{size}")
        made.write(h5s.ALL, h5s.ALL, room, column.datatype)
    return group[name]


def write_table(file, columns, n_rows, extent, chunks):
    rows = {}
    with h5py.File(file, "w") as made:
        group = maker.table(made, "t", n_rows)
        for (name, column), chunk in zip(columns.items(), chunks, strict=True):
            rows[name] = column.take(n_rows)
            dataset = write(group, name, column, rows[name], extent, chunk)
            if column.ranged:
                for bound, value in (("valid_min", 0), ("valid_max", 1)):
                    dataset.attrs.create(bound, value, dtype="u1")
            if column.kind.startswith("categorical"):
                labels = [f"label {i}" for i in range(len(column.pool))]
                book = group.require_group("CATEGORIES").create_dataset(
                    f"{name}__labels", data=labels, dtype=h5py.string_dtype()
                )
                references.write(dataset, "CATEGORIES", book)
        maker.order(group, list(columns))
    return rows


def main():
    n_tables, rng = int(sys.argv[1]), random.Random(int(sys.argv[2]))
    tables = []
    for i in range(n_tables):
        # Each sort of column comes by its turn, so that few tables have them all.
        columns = {f"c{k}": SORTS[(10 * i + k) % len(SORTS)](rng) for k in range(10)}
        n_rows = rng.choice([0, 1, 7, 8, 9, 64, 100, 257, 1000, 3001])
        extent = n_rows + rng.choice([0, 0, 1, 500])
        chunks = [rng.choice([None, 1 if n_rows < 100 else 16, 64, 100, 4096]) for _ in columns]
        rows = write_table(f"many-{i}.h5", columns, n_rows, extent, chunks)
        write_table(f"more-{i}.h5", columns, rng.choice([1, 60, 500]), 600, chunks)
        for name, column in columns.items():
            if column.kinds and len(set(rows[name])) <= FEW:
                column.kinds = [*column.kinds, "bitmap"]
        tables.append({
            "file": f"many-{i}.h5", "more": f"more-{i}.h5", "n_rows": n_rows,
            "columns": {n: {"kind": c.kind, "kinds": c.kinds} for n, c in columns.items()},
        })  # fmt: skip
    with open("columns.json", "w") as file:
        json.dump(tables, file)


if __name__ == "__main__":
    main()
