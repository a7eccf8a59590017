"""HEP001 tables of many kinds, made without Stoa.

    foreign.py

Writes one file a table; foreign.json says what is in each: {"file", "path", "columns"}, where
columns are lists as JSON has them (NaN and infinities as strings, missing as null).
"""

import json
import math

import h5py
import numpy as np
from h5py import h5d, h5p, h5s, h5t, h5z

import maker
import references

FLOAT_FILL = 9.9692099683868690e36
WIDTHS = {"i1": -127, "i2": -32767, "i4": -(2**31) + 1, "i8": -(2**63) + 1,
          "u1": 255, "u2": 65535, "u4": 2**32 - 1, "u8": 2**64 - 1}  # fmt: skip
MADE = []


def case(make):
    """Run a maker of one table; it gives {column: list}."""
    name = make.__name__
    with h5py.File(f"{name}.h5", "w") as file:
        columns = make(file)
    MADE.append({"file": f"{name}.h5", "path": "/t", "columns": columns})
    return make


def add(columns, group, name, values, fill, **how):
    maker.column(group, name, values, fill, **how)
    columns[name] = [maker.shown(value, fill) for value in np.asarray(values).tolist()]


@case
def integers_of_every_width_and_byte_order(file):
    group, columns = maker.table(file, "t", 5), {}
    for sign in "<>":
        for width, fill in WIDTHS.items():
            info = np.iinfo(width)
            values = np.array([info.min, info.max, 7, fill, 0], width)
            datatype = h5t.py_create(np.dtype(sign + width))
            add(columns, group, f"{width}{'be' if sign == '>' else 'le'}", values, fill,
                datatype=datatype)  # fmt: skip
    maker.order(group, list(columns))
    return columns


@case
def integers_of_odd_widths(file):
    group, columns = maker.table(file, "t", 4), {}
    for size, sign in ((3, h5t.SGN_2), (5, h5t.SGN_NONE), (6, h5t.SGN_2)):
        for byte_order, word in ((h5t.ORDER_LE, "le"), (h5t.ORDER_BE, "be")):
            datatype = h5t.STD_I64LE.copy()
            datatype.set_precision(8 * size)
            datatype.set_size(size)
            datatype.set_sign(sign)
            datatype.set_order(byte_order)
            low = -(1 << 8 * size - 1) if sign == h5t.SGN_2 else 0
            add(columns, group, f"x{size}{word}", np.array([low, 5, 99, (1 << 8 * size - 1) - 1]),
                5, datatype=datatype)  # fmt: skip
    maker.order(group, list(columns))
    return columns


@case
def floats_of_every_width_and_byte_order(file):
    group, columns = maker.table(file, "t", 7), {}
    for sign in "<>":
        for width in ("f2", "f4", "f8"):
            fill = -99.0 if width == "f2" else float(np.float32(FLOAT_FILL))
            values = np.array([0.5, fill, np.nan, np.inf, -np.inf, -0.0, 1024.0], width)
            datatype = h5t.py_create(np.dtype(sign + width))
            add(columns, group, f"{width}{'be' if sign == '>' else 'le'}", values, fill,
                datatype=datatype)  # fmt: skip
    maker.order(group, list(columns))
    return columns


@case
def fills_that_are_nan_or_zero(file):
    group, columns = maker.table(file, "t", 4), {}
    values = np.array([np.nan, 0.0, -0.0, 1.5])
    add(columns, group, "nan", values, float("nan"))
    add(columns, group, "zero", values, 0.0)
    add(columns, group, "minus_zero", values, -0.0)
    add(columns, group, "small_nan", values.astype("f4"), float("nan"))
    maker.order(group, list(columns))
    return columns


@case
def strings_of_every_padding(file):
    group, columns = maker.table(file, "t", 5), {}
    words = ["one", "", "zwölf", "漢", "two w"]
    for padding, word in ((h5t.STR_NULLTERM, "term"), (h5t.STR_NULLPAD, "pad"),
                          (h5t.STR_SPACEPAD, "space")):  # fmt: skip
        for cset, code in ((h5t.CSET_UTF8, "utf8"), (h5t.CSET_ASCII, "ascii")):
            here = [w if code == "utf8" or w.isascii() else "plain" for w in words]
            size = 7
            datatype = maker.text_type(size, padding, cset)
            maker.column(group, word + code, maker.padded(here, size, padding), b"", datatype)
            columns[word + code] = [w or None for w in here]
    maker.order(group, list(columns))
    return columns


@case
def strings_that_fill_their_room(file):
    group = maker.table(file, "t", 2)
    columns = {}
    for padding, word in ((h5t.STR_NULLTERM, "term"), (h5t.STR_NULLPAD, "pad"),
                          (h5t.STR_SPACEPAD, "space")):  # fmt: skip
        datatype = maker.text_type(3, padding)
        maker.column(group, word, maker.padded(["abc", "x"], 3, padding), b"", datatype)
        columns[word] = ["abc", "x"]
    maker.order(group, list(columns))
    return columns


@case
def strings_with_another_fill(file):
    group = maker.table(file, "t", 3)
    maker.column(group, "s", maker.padded(["", "NA", "b"], 4), b"NA", maker.text_type(4))
    return {"s": ["", None, "b"]}


@case
def strings_of_variable_length(file):
    group = maker.table(file, "t", 4)
    words = ["one", "", "zwölf", "x" * 5000]
    dtype = h5py.string_dtype()
    group.create_dataset("utf8", data=words, dtype=dtype, fillvalue="", chunks=(3,))
    ascii_dtype = h5py.string_dtype("ascii")
    plain = ["one", "", "two", "x" * 300]
    group.create_dataset("plain", data=plain, dtype=ascii_dtype, fillvalue=b"")
    maker.order(group, ["utf8", "plain"])
    return {"utf8": [w or None for w in words], "plain": [w or None for w in plain]}


@case
def an_enumeration_with_missing(file):
    group = maker.table(file, "t", 4)
    for name, base in (("small", "i1"), ("big", ">u2")):
        dtype = h5py.enum_dtype({"RED": 1, "GREEN": 7, "MISSING": 100}, basetype=base)
        group.create_dataset(name, data=np.array([7, 100, 1, 7], base), dtype=dtype, fillvalue=100)
    maker.order(group, ["small", "big"])
    return dict.fromkeys(["small", "big"], ["GREEN", None, "RED", "GREEN"])


@case
def categories_that_two_columns_share(file):
    group = maker.table(file, "t", 4)
    a = maker.column(group, "a", np.array([0, 2, 255, 1], "u1"), 255)
    b = maker.column(group, "b", np.array([1, -1, 1, 0], "i4"), -1, datatype=h5t.STD_I32BE)
    maker.categories(group, "colours", ["red", "grün", ""], [a, b], ordered=True)
    maker.order(group, ["b", "a"])
    return {"b": ["grün", None, "grün", "red"], "a": ["red", "", None, "grün"]}


@case
def numbers_as_categories(file):
    group = maker.table(file, "t", 3)
    a = maker.column(group, "a", np.array([1, 0, -127], "i1"), -127)
    book = group.create_group("CATEGORIES").create_dataset("book", data=np.array([2.5, 10.0]))
    references.write(a, "CATEGORIES", book)
    return {"a": [10.0, 2.5, None]}


@case
def booleans(file):
    group = maker.table(file, "t", 3)
    made = maker.column(group, "b", np.array([1, 2, 0], "u1"), 2)
    made.attrs.create("valid_min", 0, dtype="u1")
    made.attrs.create("valid_max", 1, dtype="u1")
    return {"b": [True, None, False]}


@case
def opaque_compound_array_and_ragged(file):
    group = maker.table(file, "t", 2)
    opaque = np.array([b"\x01\xff\x00\x02", b"abcd"], "V4")
    maker.column(group, "opaque", opaque, np.void(b"\0\0\0\0"))
    pair = np.dtype([("re", "<f4"), ("im", ">i2")])
    maker.column(group, "pair", np.array([(0.5, 3), (1.5, -4)], pair), (-1.0, -1))
    space = h5s.create_simple((2,))
    for name, item in (("triple", h5t.array_create(h5t.STD_I32BE, (3,))),
                       ("ragged", h5t.vlen_create(h5t.STD_I16LE))):  # fmt: skip
        dcpl = h5p.create(h5p.DATASET_CREATE)
        maker.set_fill(dcpl, item, b"\xff" * 12 if name == "triple" else b"\0" * 16)
        h5d.create(group.id, name.encode(), item, space, dcpl)
    group["triple"][:] = [[1, 2, 3], [4, 5, 6]]
    group["ragged"][0], group["ragged"][1] = [1, 2, 3], [9]
    maker.order(group, ["opaque", "pair", "triple", "ragged"])
    return {
        "opaque": ["01ff0002", "61626364"],
        "pair": [{"re": 0.5, "im": 3}, {"re": 1.5, "im": -4}],
        "triple": [[1, 2, 3], [4, 5, 6]],
        "ragged": [[1, 2, 3], [9]],
    }


@case
def times_in_units_of_cf(file):
    group = maker.table(file, "t", 3)
    wanted = {
        "seconds since 1970-01-01T00:00:00Z": ("i8", [0, 86400, -1],
            ["1970-01-01T00:00:00Z", "1970-01-02T00:00:00Z", "1969-12-31T23:59:59Z"]),
        "milliseconds since 2000-01-01T00:00:00Z": ("i8", [0, 1500, -1],
            ["2000-01-01T00:00:00.000Z", "2000-01-01T00:00:01.500Z", "1999-12-31T23:59:59.999Z"]),
        "microseconds since 1970-01-01T00:00:00": ("i8", [1, 0, -1],
            ["1970-01-01T00:00:00.000001", "1970-01-01T00:00:00.000000",
             "1969-12-31T23:59:59.999999"]),
        "days since 1970-01-01": ("i4", [31, 0, -1], ["1970-02-01", "1970-01-01", "1969-12-31"]),
    }  # fmt: skip
    columns = {}
    for i, (units, (width, values, texts)) in enumerate(wanted.items()):
        made = maker.column(group, f"t{i}", np.array(values, width), WIDTHS[width])
        maker.text(made, "units", units)
        columns[f"t{i}"] = texts
    maker.order(group, list(columns))
    return columns


@case
def garbage_above_nrows(file):
    group, columns = maker.table(file, "t", 3), {}
    add(columns, group, "chunked", np.array([1, 2, 3], "i4"), -1, extent=1000, chunk=7)
    add(columns, group, "contiguous", np.array([0.5, 1.5, 2.5]), FLOAT_FILL, extent=1000)
    dataset = maker.column(group, "code", np.array([0, 1, 0], "i1"), -127, extent=1000, chunk=100)
    maker.categories(group, "book", ["a", "b"], [dataset])
    dataset[3:] = 77  # a code without a label, were it a row
    dataset = group.create_dataset("word", (1000,), h5py.string_dtype(), fillvalue="")
    dataset[:] = ["a", "b", "c"] + ["garbage"] * 997
    maker.order(group, ["chunked", "contiguous", "code", "word"])
    return columns | {"code": ["a", "b", "a"], "word": ["a", "b", "c"]}


@case
def no_column_order(file):
    group, columns = maker.table(file, "t", 2), {}
    for name in ("zeta", "alpha", "m i d", "ünï"):
        add(columns, group, name, np.array([1, 2], "i2"), -32767)
    return columns


@case
def no_rows_but_room(file):
    group = maker.table(file, "t", 0)
    maker.column(group, "x", np.array([], "i4"), -1, extent=10, chunk=5)
    maker.column(group, "y", np.array([], "f8"), FLOAT_FILL, extent=10)
    maker.order(group, ["x", "y"])
    return {"x": [], "y": []}


def shuffled(dcpl):
    dcpl.set_shuffle()
    dcpl.set_deflate(6)


def filters():
    return {
        "gzip": lambda p: p.set_deflate(9),
        "shuffle": shuffled,
        "fletcher32": lambda p: p.set_fletcher32(),
        "all": lambda p: (p.set_shuffle(), p.set_deflate(1), p.set_fletcher32()),
        "scaleoffset": lambda p: p.set_scaleoffset(h5z.SO_INT, 0),
    }


@case
def filters_of_every_kind(file):
    """Each column with its own chunks; chunks beyond 64 Ki rows and one of a single row."""
    n = 1000
    group, columns = maker.table(file, "t", n), {}
    numbers = np.arange(n) * 37 % 1001 - 500
    numbers[::13] = -32767
    for i, (name, filter) in enumerate(filters().items()):
        for width in ("i2", "i4", "i8"):
            add(columns, group, name + width, numbers.astype(width), -32767, filters=filter,
                chunk=[64, 999, 1000, 100_000, 333][i])  # fmt: skip
    add(columns, group, "single", numbers.astype("f8"), -32767.0, chunk=1)
    add(columns, group, "big_endian", numbers.astype("i4"), -32767, chunk=50,
        datatype=h5t.STD_I32BE, filters=shuffled)  # fmt: skip
    add(columns, group, "float_gzip", numbers / 7, FLOAT_FILL, chunk=128, filters=shuffled)
    maker.order(group, list(columns))
    return columns


@case
def chunks_that_were_never_written(file):
    group = maker.table(file, "t", 10)
    dataset = group.create_dataset("x", (10,), "i4", chunks=(3,), maxshape=(None,), fillvalue=-5)
    dataset[4] = 8
    return {"x": [None] * 4 + [8] + [None] * 5}


@case
def compact_columns(file):
    group = maker.table(file, "t", 3)
    columns = {}
    add(columns, group, "x", np.array([3, -1, 4], "i4"), -1,
        filters=lambda dcpl: dcpl.set_layout(h5py.h5d.COMPACT))  # fmt: skip
    return columns


@case
def version_1_7(file):
    group, columns = maker.table(file, "t", 1, "1.7"), {}
    add(columns, group, "x", np.array([1], "i4"), -1)
    return columns


@case
def version_1_10(file):
    group, columns = maker.table(file, "t", 1, "1.10"), {}
    add(columns, group, "x", np.array([1], "i4"), -1)
    return columns


@case
def indexes_of_unknown_kinds(file):
    group, columns = maker.table(file, "t", 3), {}
    add(columns, group, "x", np.array([3, 1, 2], "i4"), -1)
    entries = np.zeros((2, 3), "f8")
    maker.index(group["x"], "x__later", entries, kind="ROARING_QUANTILES")
    maker.order(group, ["x"])
    return columns


@case
def row_labels(file):
    group, columns = maker.table(file, "t", 3), {}
    add(columns, group, "x", np.array([3, 1, 2], "i4"), -1)
    add(columns, group, "y", np.array([30, 10, 20], "i4"), -1)
    references.write(group, "INDEX_COLUMNS", [group["y"], group["x"]])
    maker.text(group, "_index", "y")
    maker.text(group, "TITLE", "Of two levels")
    maker.order(group, ["x", "y"])
    return columns


def indexed(file, entries):
    group, columns = maker.table(file, "t", 8), {}
    values = np.array([1.0, 2.0, np.nan, FLOAT_FILL, 50.0, 60.0, 70.0, np.nan])
    add(columns, group, "x", values, FLOAT_FILL, chunk=4)
    add(columns, group, "row", np.arange(8, dtype="i4"), -1, chunk=4)
    maker.index(group["x"], "x__chunk_minmax", maker.minmax(group["x"], entries))
    maker.order(group, ["x", "row"])
    return columns


@case
def an_index_that_is_right(file):
    return indexed(file, [(1.0, 2.0, 1, 1, 4), (50.0, 70.0, 1, 0, 4)])


@case
def an_index_that_lies(file):
    return indexed(file, [(1.0, 2.0, 1, 1, 4), (5.0, 7.0, 1, 0, 4)])


def packed_by_another_library():
    """A column packed by a filter that some libhdf5 lack, beside one that all can read."""
    with h5py.File("packed.h5", "w") as file:
        group = maker.table(file, "t", 100)
        maker.column(group, "plain", np.arange(100, dtype="i4"), -1)
        group.create_dataset("szip", data=np.ones(100, "i4"), fillvalue=-1, compression="szip")
        maker.order(group, ["plain", "szip"])


def refused(version):
    name = f"version_{version.replace('.', '_')}.h5"
    with h5py.File(name, "w") as file:
        maker.column(maker.table(file, "t", 1, version), "x", np.array([1], "i4"), -1)


def in_h5pys_own_way():
    """Strings of variable length, as h5py writes attributes unasked: identified all the same."""
    with h5py.File("loose.h5", "w") as file:
        file.attrs["CLASS"] = "COLUMN_TABLE"
        file.attrs["VERSION"] = "1.0"
        file.attrs["NROWS"] = 2
        file.attrs["column-order"] = ["y", "x"]
        file.create_dataset("x", data=np.array([1, 2], "i4"), fillvalue=-1)
        file.create_dataset("y", data=np.array([0.5, 1.5]), fillvalue=FLOAT_FILL)


def main():
    refused("2.0")
    refused("10.0")
    in_h5pys_own_way()
    packed_by_another_library()
    with open("foreign.json", "w", encoding="utf-8") as file:
        json.dump(MADE, file)


if __name__ == "__main__":
    main()
