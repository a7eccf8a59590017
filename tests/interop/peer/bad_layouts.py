"""Files of PyTables, pandas and AnnData, each with one thing about it that is a lie.

    bad_layouts.py

bad.json says [{file, path, works, says}]: whether a reader gets all rows in spite of it (null: it may
get others), and what the one line that refuses them must say.
"""

import json
import os
import pickle
import shutil
import struct
import warnings

import anndata
import h5py
import numpy as np
import pandas as pd
import tables

from lzo import pack

warnings.simplefilter("ignore")
N = 250
CASES = []
NULLS = {}  # what PyTables has of a list whose heap has no address
HUGE = 2**45


def case(base, name, path, change, works=None, says=()):
    """A copy of a file with one change; `change` takes the open file, or its name."""
    file = f"{base}-{name}.h5"
    shutil.copy(f"{base}.h5", file)
    with h5py.File(file, "r+", libver="latest") as opened:
        change(opened)
    CASES.append({"base": base, "file": file, "path": path, "works": works, "says": list(says)})


def put(path, name, value):
    """Set an attribute; bytes as PyTables has pickles, text as it has texts."""

    def change(file):
        attributes = file[path].attrs
        if name in attributes:
            del attributes[name]
        if isinstance(value, bytes):
            attributes.create(name, np.bytes_(value) if value else h5py.Empty("S1"))
        elif isinstance(value, str):
            kind = h5py.string_dtype("utf-8", max(1, len(value.encode())))
            attributes.create(name, value.encode(), dtype=kind)
        else:
            attributes[name] = value

    return change


def drop(path):
    def change(file):
        del file[path]

    return change


def drop_attribute(path, name):
    def change(file):
        del file[path].attrs[name]

    return change


def swap(path, values, **how):
    """Another dataset, or link, in the place of one, with its attributes."""

    def change(file):
        kept = list(file[path].attrs.items()) if isinstance(file[path], h5py.Dataset) else []
        del file[path]
        if isinstance(values, (h5py.SoftLink, h5py.ExternalLink)):
            file[path] = values
            return
        made = file.create_dataset(path, data=values, **how)
        for name, value in kept:
            made.attrs[name] = value

    return change


def hard(path, target):
    def change(file):
        if path in file:
            del file[path]
        file[path] = file[target]

    return change


def cell(path, row, field, value):
    def change(file):
        rows = file[path]
        one = rows[row]
        if field is None:
            rows[row] = value
        else:
            one[field] = value
            rows[row] = one

    return change


# --- pickles ---------------------------------------------------------------------------------------

DEEP = 20000
BOMB = b"(lp0\n" + b"".join(b"a(lp%d\n" % i + b"g%d\na" % (i - 1) * 2 for i in range(1, 60)) + b"."
PICKLES = {
    "system": b"cos\nsystem\n(S'touch pwned'\ntR.",
    "system2": b"\x80\x02cposix\nsystem\nU\x0btouch pwned\x85R.",
    "system4": b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x0btouch pwned\x85R.",
    "eval": b"(S'open(\"pwned\", \"w\")'\ni__builtin__\neval\n.",
    "cut": b"(lp0\nVa",
    "empty": b"",
    "stop": b".",
    "more": b"N.N.",
    "deep": b"]" * DEEP + b"a" * (DEEP - 1) + b".",
    "marks": b"(" * DEEP + b"l" * DEEP + b".",
    "itself": b"(lp0\ng0\na.",
    "bomb": BOMB,
    "memo": b"Np99999999999999999999\n.",
    "memo4": b"Nr\xff\xff\xff\xff.",
    "recall": b"g7\n.",
    "length4": b"X\xff\xff\xff\xffabc.",
    "length8": b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7fabc.",
    "bytes8": b"\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\xff.",
    "frame": b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\xff.",
    "long": b"\x8b\xff\xff\xff\x7f.",
    "negative": b"\x8b\xff\xff\xff\xff.",
    "digits": b"I" + b"9" * 30000 + b"\n.",
    "float": b"F1e999999999\n.",
    "persistent": b"Pabc\n.",
    "extension": b"\x82\x01.",
    "unknown": b"\xff.",
    "odd": b"(Vk\nd.",
    "text": b"V" + b"x" * 30000 + b"\n.",
    "labels": b"((" + b"Va\n" * 9000 + b"tl.",
    "utf8": b"\x80\x04\x8c\x02\xff\xfe.",
    "escape": b"V\\ud800\n.",
}
# What is no pickle at all; the others are, of something that nobody asks for.
BROKEN = {"cut", "stop", "more", "memo", "memo4", "recall", "length4", "length8", "bytes8", "long",
          "negative", "persistent", "extension", "unknown", "odd", "utf8"}  # fmt: skip


# --- PyTables --------------------------------------------------------------------------------------


def table(name, how=None, rows=N, chunk_rows=100):
    values = np.zeros(rows, [("a", "i4"), ("b", "f8"), ("s", "S4")])
    values["a"] = np.arange(rows) * 7919 % 1000
    values["b"] = np.arange(rows) / 8
    values["s"] = [b"x%d" % (i % 97) for i in range(rows)]
    with tables.open_file(name, "w") as file:
        file.create_table("/", "t", values, "A title", filters=how, chunkshape=chunk_rows)


def bad_tables():
    table("table.h5")
    names = {"fewer": drop_attribute("t", "FIELD_2_NAME"), "more": put("t", "FIELD_3_NAME", "more"),
             "far": put("t", "FIELD_99999999999999999999_NAME", "far"),
             "other": put("t", "FIELD_0_NAME", "zz"), "twice": put("t", "FIELD_1_NAME", "a"),
             "number": put("t", "FIELD_0_NAME", 5), "list": put("t", "FIELD_0_NAME", [1.5, 2.5]),
             "huge": put("t", "FIELD_0_NAME", "n" * 60000), "none": put("t", "FIELD_0_NAME", ""),
             "slash": put("t", "FIELD_0_NAME", "a/../../b")}  # fmt: skip
    for name, change in names.items():
        case("table", f"name-{name}", "/t", change, True)
    for i, n_rows in enumerate([9999, 3, 0, -1, 2**63 - 1, np.uint64(2**64 - 1), 2.5, "many",
                                [1, 2], h5py.Empty("i8")]):  # fmt: skip
        case("table", f"nrows-{i}", "/t", put("t", "NROWS", n_rows), True)
    for i, (name, value) in enumerate([("CLASS", 7), ("CLASS", "GROUP"), ("CLASS", "x" * 60000),
                                       ("VERSION", [1, 2]), ("VERSION", "9" * 999), ("TITLE", 5),
                                       ("TITLE", "t" * 60000), ("FIELD_0_FILL", "text"),
                                       ("FIELD_0_ATTR_units", 3), ("FIELD_1_ATTR_units", "K" * 60000),
                                       ("FLAVOR", "nothing"), ("FILTERS", PICKLES["system"])]):  # fmt: skip
        case("table", f"attribute-{i}", "/t", put("t", name, value), True)
    for array in ("ARRAY", "VLARRAY", "EARRAY"):
        case("table", f"class-{array}", "/t", put("t", "CLASS", array))


def bad_lists():
    """VLArrays: an element is a length and where it lies: the heap's address, a number in it."""
    with tables.open_file("lists.h5", "w") as file:
        for name, atom, values in (("text", tables.VLUnicodeAtom(), ["abc", "d" * 40, ""]),
                                   ("bytes", tables.VLStringAtom(), [b"abc", b"d" * 40, b""]),
                                   ("objects", tables.ObjectAtom(), [[1], "two", None]),
                                   ("i4", tables.Int32Atom(), [[1, 2], [3] * 10, []])):  # fmt: skip
            lists = file.create_vlarray("/", name, atom, chunkshape=4)
            for value in values:
                lists.append(value)
    for name in ("text", "bytes", "objects", "i4"):
        for what, at, form, value in (
            ("nowhere", 4, "<Q", 2**40), ("far", 4, "<Q", 2**60), ("undefined", 4, "<Q", 2**64 - 1),
            ("no-heap", 4, "<Q", 8), ("number", 12, "<I", 60000),
            ("number-max", 12, "<I", 2**32 - 1), ("free", 12, "<I", 0), ("longer", 0, "<I", 4000),
            ("long", 0, "<I", 2**31), ("longest", 0, "<I", 2**32 - 1),
        ):  # fmt: skip
            case("lists", f"{name}-{what}", f"/{name}", patch_chunk(name, 16 + at, form, value),
                 False, [f"/{name}"])  # fmt: skip
        case("lists", f"{name}-null", f"/{name}", patch_chunk(name, 16 + 4, "<Q", 0), True)
        with tables.open_file(f"lists-{name}-null.h5") as file:
            NULLS[name] = repr(list(file.root[name][1]) if name == "i4" else file.root[name][1])
        case("lists", f"{name}-shorter", f"/{name}", patch_chunk(name, 16, "<I", 1))
    for i, point in enumerate((0x110000, 0xD800, 2**32 - 1)):
        case("lists", f"point-{i}", "/text", lambda file, p=point: refill(file["text"], p))
    for name, atom in (("bytes", "vlunicode"), ("i4", "vlstring"), ("i4", "vlunicode"),
                       ("text", "object"), ("i4", "x" * 60000)):  # fmt: skip
        case("lists", f"atom-{name}-{atom[:9]}", f"/{name}", put(name, "PSEUDOATOM", atom))


def bad_groups():
    """A group of a Table and VLArrays, as Stoa writes it: FIELD_n_NAME of the group lists the columns."""
    with tables.open_file("group.h5", "w") as file:
        group = file.create_group("/", "g")
        file.create_table(group, "table", np.zeros(3, [("a", "i4"), ("b", "f8")]))
        lists = file.create_vlarray(group, "v", tables.Int32Atom(), chunkshape=4)
        for value in ([1, 2], [3] * 10, []):
            lists.append(value)
        for i, name in enumerate(("a", "v", "b")):
            group._v_attrs[f"FIELD_{i}_NAME"] = name
    floats, cube = np.zeros(3), np.zeros((3, 2), [("a", "i4"), ("b", "f8")])
    for name, change, works in (
        ("nobody", put("g", "FIELD_1_NAME", "x"), False), ("twice", put("g", "FIELD_1_NAME", "a"), False),
        ("twice-v", put("g", "FIELD_0_NAME", "v"), False), ("number", put("g", "FIELD_1_NAME", 7), None),
        ("empty", put("g", "FIELD_1_NAME", ""), None), ("long", put("g", "FIELD_1_NAME", "x" * 60000), False),
        ("slash", put("g", "FIELD_1_NAME", "/g/v"), False), ("dots", put("g", "FIELD_1_NAME", "../g/v"), False),
        ("itself", put("g", "FIELD_1_NAME", "."), False), ("class", put("g", "CLASS", "TABLE"), None),
        ("no-table", drop("g/table"), False), ("no-list", drop("g/v"), False),
        ("list-shorter", lambda f: f["g/v"].resize((2,)), False),
        ("table-longer", lambda f: f["g/table"].resize((4,)), False),
        ("table-huge", lambda f: f["g/table"].resize((HUGE,)), False),
        ("table-group", hard("g/table", "g"), False),
        ("table-floats", swap("g/table", floats), False), ("table-square", swap("g/table", cube), False),
        ("table-list", hard("g/table", "g/v"), False), ("list-table", hard("g/v", "g/table"), False),
        ("list-floats", swap("g/v", floats), None), ("list-scalar", swap("g/v", 5.0), None),
        ("list-group", hard("g/v", "g"), False), ("soft", swap("g/v", h5py.SoftLink("/g/v")), False),
        ("away", swap("g/v", h5py.ExternalLink("lists.h5", "/i4")), False),
        ("alone", lambda f: [drop_attribute("g", f"FIELD_{i}_NAME")(f) for i in range(3)], None),
    ):  # fmt: skip
        case("group", name, "/g", change, works)


def refill(dataset, point):
    dataset[0] = np.array([point, 65], "u4")


def patch_chunk(path, at, form, value):
    """Bytes of the first chunk, or of a dataset without chunks, as they lie in the file."""

    def change(file):
        made = file[path].id
        offset = made.get_chunk_info(0).byte_offset if file[path].chunks else made.get_offset()
        file.flush()
        with open(file.filename, "r+b") as raw:
            raw.seek(offset + at)
            raw.write(struct.pack(form, value))

    return change


def bad_chunks():
    """Tables whose chunks are packed; the test changes the bytes that bad.json says."""
    hows = {"blosc": "blosc", "blosc-lz4": "blosc:lz4", "blosc-zstd": "blosc:zstd",
            "blosc2": "blosc2", "blosc2-zstd": "blosc2:zstd", "blosc2-parts": "blosc2:lz4", "lzo": "lzo", "bzip2": "bzip2",
            "zlib": "zlib"}  # fmt: skip
    listed = {}
    for name, how in hows.items():
        is_lzo = how == "lzo"
        size = {"rows": 280_000, "chunk_rows": 140_000} if name == "blosc2-parts" else {}
        table(f"chunk-{name}.h5", None if is_lzo else tables.Filters(5, how, shuffle=True), **size)
        with h5py.File(f"chunk-{name}.h5", "r+") as file:
            if is_lzo:
                pack(file, "t")
            info = file["t"].id.get_chunk_info(1)
            listed[f"chunk-{name}.h5"] = [info.byte_offset, info.size]
    return listed


def bad_links():
    table("links.h5")
    with h5py.File("links.h5", "r+") as file:
        group = file.create_group("g")
        group["t"] = file["t"]
    long = "/".join(["g"] * 3000) + "/t"
    for name, change, path, works in (
        ("itself", hard("g/g", "g"), "/g/g/g/g/t", True), ("root", hard("g/up", "/"), "/g/up/t", True),
        ("deep", hard("g/g", "g"), "/" + long, True),
        ("soft", swap("g/t", h5py.SoftLink("/g/t")), "/g/t", False),
        ("soft-two", lambda f: f.__setitem__("x", h5py.SoftLink("/y")) or f.__setitem__(
            "y", h5py.SoftLink("/x")), "/x", False),
        ("chain", lambda f: [f.__setitem__(f"s{i}", h5py.SoftLink(f"/s{i + 1}"))
                             for i in range(200)] and f.__setitem__("s200", h5py.SoftLink("/t")),
         "/s0", None),
        ("dangling", swap("g/t", h5py.SoftLink("/nothing")), "/g/t", False),
        ("external", swap("g/t", h5py.ExternalLink("links-external.h5", "/g/t")), "/g/t", False),
        ("no-file", swap("g/t", h5py.ExternalLink("nothing.h5", "/t")), "/g/t", False),
        ("no-hdf5", swap("g/t", h5py.ExternalLink("bad_layouts.py", "/t")), "/g/t", False),
        ("device", swap("g/t", h5py.ExternalLink("/dev/zero", "/t")), "/g/t", False),
        ("group", put("g", "CLASS", "TABLE"), "/g", False),
    ):  # fmt: skip
        case("links", name, path, change, works)


# --- pandas ----------------------------------------------------------------------------------------


def frame():
    return pd.DataFrame({
        "i": np.arange(N), "j": np.arange(N) * 2, "f": np.arange(N) / 4, "g": np.arange(N) / 8,
        "s": [f"é{k % 9}" for k in range(N)], "t": pd.date_range("2020-01-01", periods=N, freq="h"),
        "z": pd.date_range("2020-01-01", periods=N, freq="h", tz="Europe/Berlin"),
    })  # fmt: skip


def bad_frames():
    made = frame().assign(c=pd.Categorical(["xyz"[k % 3] for k in range(N)]))
    made.to_hdf("frame.h5", key="df", format="table")
    with h5py.File("frame.h5") as file:
        members = file["df/table"].dtype
        coded = next(m for m in members.names if file["df/table"].attrs.get(f"{m}_meta") ==
                     b"category" or file["df/table"].attrs.get(f"{m}_meta") == "category")  # fmt: skip
        floats = next(m for m in members.names if members[m].subdtype and
                      members[m].subdtype[0] == np.dtype("f8"))  # fmt: skip
        blocks = [m for m in members.names if m != "index"]
    for name, program in PICKLES.items():
        broken = name in BROKEN
        for path, attribute in (("df", "info"), ("df", "non_index_axes"),
                                ("df/table", f"{floats}_kind")):  # fmt: skip
            works = False if broken or attribute == f"{floats}_kind" else None
            says = [f"attribute '{attribute}'"] if broken else []
            case("frame", f"{attribute}-{name}", "/df", put(path, attribute, program), works, says)
    for i, labels in enumerate([[], ["f"], ["f", "g", "h"], [None, None], [[], {}], "fg", ["f", "f"],
                                ["i", "j"], [("f",) * 200, "g"], ["f" * 5000, "g"]]):  # fmt: skip
        works = None if labels == [None, None] else False  # columns may have no name
        case("frame", f"labels-{i}", "/df",
             put("df/table", f"{floats}_kind", pickle.dumps(labels, 0)), works)  # fmt: skip
    for member in blocks:
        for dtype in ("datetime64[ns]", "timedelta64[ns]", "date", "bytes24", "category", "x" * 60000,
                      "datetime64[", "datetime64[ns, nowhere]"):  # fmt: skip
            case("frame", f"{member}-{dtype[:16]}", "/df", put("df/table", f"{member}_dtype", dtype))
        case("frame", f"{member}-category", "/df", put("df/table", f"{member}_meta", "category"))
        case("frame", f"{member}-numbered", "/df", put("df/table", f"{member}_dtype", 7))
    for name, kind in (("fixed", "frame"), ("series", "series"), ("wide", "wide_table"),
                       ("series_table", "series_table"), ("number", 42), ("long", "f" * 60000)):  # fmt: skip
        case("frame", f"type-{name}", "/df", put("df", "pandas_type", kind))
    for i, nan in enumerate((3, "n" * 60000, "", b"N.")):
        case("frame", f"nan-{i}", "/df", put("df", "nan_rep", nan))
    series = f"df/meta/{coded}/meta"
    for name, change, works in (
        ("no-table", drop("df/table"), False),
        ("table-is-frame", hard("df/table", "df"), False),
        ("table-is-array", swap("df/table", np.arange(5)), False),
        ("table-in-circle", swap("df/table", h5py.SoftLink("/df/table")), False),
        ("code-out-of-range", cell("df/table", 3, coded, [77]), False),
        ("code-negative", cell("df/table", 3, coded, [-9]), None),
        ("categories-of-its-own", hard(series, "df"), False),
        ("categories-are-no-table", swap(f"{series}/table", np.arange(3)), False),
        ("categories-without-table", drop(f"{series}/table"), False),
        ("categories-without-end", lambda f: f[f"{series}/table"].resize((HUGE,)), False),
        ("no-categories", drop(series), False),
        ("fewer-categories", lambda f: f[f"{series}/table"].resize((1,)), False),
    ):  # fmt: skip
        case("frame", name, "/df", change, works)
    made.set_index(["i", "s"]).to_hdf("multi.h5", key="df", format="table")
    for name, program in PICKLES.items():
        case("multi", f"levels-{name}", "/df", put("df", "levels", program),
             False if name in BROKEN else None)  # fmt: skip
    case("multi", "levels-number", "/df", put("df", "levels", 7))


def bad_fixed():
    made = frame().assign(o=[None if k % 3 else k for k in range(N)])
    made.to_hdf("fixed.h5", key="df", format="fixed")
    with h5py.File("fixed.h5") as file:
        blocks = {key[:-7]: file[f"df/{key}"].dtype for key in file["df"] if key.endswith("_values")}
        objects = next(b for b in blocks if blocks[b] == object)
        floats = next(b for b in blocks if blocks[b] == np.dtype("f8"))
        wide = file[f"df/{floats}_values"].shape
    for name in ("axis0", "axis1", f"{floats}_items", f"{floats}_values", f"{objects}_values"):
        case("fixed", f"no-{name}", "/df", drop(f"df/{name}"), False, [name])
        case("fixed", f"group-{name}", "/df", lambda f, n=name: (drop(f"df/{n}")(f), f.create_group(
            f"df/{n}")), False, [name])  # fmt: skip
        case("fixed", f"circle-{name}", "/df", swap(f"df/{name}", h5py.SoftLink(f"/df/{name}")), False)
        case("fixed", f"scalar-{name}", "/df", swap(f"df/{name}", np.float64(3)), False)
        case("fixed", f"deep-{name}", "/df", swap(f"df/{name}", np.zeros((2, 3, 4))), False)
    for i, n in enumerate((0, 1, 99, 2**40, -1, "many", [1, 2])):
        case("fixed", f"nblocks-{i}", "/df", put("df", "nblocks", n), False)
    case("fixed", "nblocks-none", "/df", drop_attribute("df", "nblocks"), False)
    for name, items in (("fewer", ["f"]), ("more", ["f", "g", "h"]), ("other", ["f", "q"]),
                        ("twice", ["f", "f"])):  # fmt: skip
        case("fixed", f"items-{name}", "/df", swap(f"df/{floats}_items", np.array(items, "S3")), False)
    for name, n in (("shorter", N - 1), ("longer", N + 1), ("empty", 0)):
        case("fixed", f"axis1-{name}", "/df", swap("df/axis1", np.arange(n)), False)
        shape = (n, wide[1]) if wide[0] == N else (wide[0], n)
        case("fixed", f"values-{name}", "/df", swap(f"df/{floats}_values", np.zeros(shape)), False)
    case("fixed", "axis0-shorter", "/df", swap("df/axis0", np.array([b"i", b"f"])), False)
    case("fixed", "axis0-longer", "/df", swap("df/axis0", np.array([*"ijfgstzox"], "S1")), False)
    for name in ("axis0", "axis1", f"{floats}_items"):
        case("fixed", f"endless-{name}", "/df", lambda f, n=name: (drop(f"df/{n}")(f), f.create_dataset(
            f"df/{n}", (HUGE,), "i8", chunks=(1000,))), False)  # fmt: skip
    for value in (0, "yes", [1, 0], b"I01\n."):
        case("fixed", f"transposed-{value!r:.5}".replace("'", ""), "/df",
             put(f"df/{floats}_values", "transposed", value))  # fmt: skip
    for dtype in ("datetime64[ns]", "timedelta64", "date", "x" * 60000):
        case("fixed", f"type-{dtype[:9]}", "/df", put(f"df/{floats}_values", "value_type", dtype))
        case("fixed", f"kind-{dtype[:9]}", "/df", put("df/axis1", "kind", dtype))
    for name, kind in (("table", "frame_table"), ("series", "series"), ("number", 7)):
        case("fixed", f"pandas-{name}", "/df", put("df", "pandas_type", kind))
    case("fixed", "multi", "/df", put("df", "axis1_variety", "multi"), False)
    for name, program in PICKLES.items():
        case("fixed", f"objects-{name}", "/df", refilled(f"df/{objects}_values", program), False,
             [f"{objects}_values"])  # fmt: skip
        for path, attribute in (("df/axis1", "name"), ("df/axis1", "freq"), ("df/axis1", "shape"),
                                (f"df/{floats}_values", "tz")):  # fmt: skip
            case("fixed", f"{attribute}-{name}", "/df", put(path, attribute, program))
    for name, shape, items in (
        ("none", (N, 0), 0), ("wide", (1, N), N), ("huge", (2**32 - 1, 0), 0), ("short", (N,), N - 1),
        ("long", (N - 1,), N - 1), ("negative", (-1, -N), N), ("bits", (2**32, 2**32), 0),
        ("flat", (), 0), ("deep", (N, 1, 1), N),
    ):  # fmt: skip
        state = (1, shape, None, False, ["x"] * items)
        program = (b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR" +
                   pickle.dumps(state, 0)[:-1] + b"b.")  # fmt: skip
        case("fixed", f"shape-{name}", "/df", refilled(f"df/{objects}_values", program), False)
    bad_levels()


def refilled(path, program):
    def change(file):
        file[path][0] = np.frombuffer(program, "u1")

    return change


def bad_levels():
    made = frame()[["f"]].set_index(pd.MultiIndex.from_product([list("abcde"), range(N // 5)]))
    made.to_hdf("levels.h5", key="df", format="fixed")
    for name, change, works in (
        ("code", cell("df/axis1_label0", 3, None, 99), False),
        ("negative", cell("df/axis1_label0", 3, None, -5), False),
        ("fewer-codes", swap("df/axis1_label1", np.zeros(N - 1, "i1")), False),
        ("more-codes", swap("df/axis1_label1", np.zeros(N + 1, "i1")), False),
        ("float-codes", swap("df/axis1_label1", np.zeros(N)), False),
        ("no-codes", drop("df/axis1_label1"), False), ("no-labels", drop("df/axis1_level1"), False),
        ("no-count", drop_attribute("df", "axis1_nlevels"), False),
        ("count", put("df", "axis1_nlevels", 2**31), False),
        ("count-3", put("df", "axis1_nlevels", 3), False),
        ("negative-count", put("df", "axis1_nlevels", -1), False),
        ("endless", lambda f: (drop("df/axis1_level0")(f), f.create_dataset(
            "df/axis1_level0", (HUGE,), "i8", chunks=(1000,))), False),
    ):  # fmt: skip
        case("levels", name, "/df", change, works)
    bad_levels_of_columns()
    bad_periods()


def bad_levels_of_columns():
    made = frame()[["f", "g"]]
    made.columns = pd.MultiIndex.from_tuples([("a", 1.5), ("b", 2.5)])
    made.to_hdf("named.h5", key="df", format="fixed")
    for axis in ("axis0", "block0_items"):
        for name, change in (
            ("code", cell(f"df/{axis}_label0", 1, None, 99)),
            ("negative", cell(f"df/{axis}_label0", 1, None, -5)),
            ("another-code", cell(f"df/{axis}_label0", 1, None, 0)),
            ("fewer-codes", swap(f"df/{axis}_label1", np.zeros(1, "i1"))),
            ("more-codes", swap(f"df/{axis}_label1", np.zeros(3, "i1"))),
            ("float-codes", swap(f"df/{axis}_label1", np.zeros(2))),
            ("text-codes", swap(f"df/{axis}_label1", np.array([b"a", b"b"]))),
            ("no-codes", drop(f"df/{axis}_label1")), ("no-labels", drop(f"df/{axis}_level1")),
            ("no-count", drop_attribute("df", f"{axis}_nlevels")),
            ("count", put("df", f"{axis}_nlevels", 2**31)),
            ("count-0", put("df", f"{axis}_nlevels", 0)),
            ("count-1", put("df", f"{axis}_nlevels", 1)),
            ("count-3", put("df", f"{axis}_nlevels", 3)),
            ("regular", put("df", f"{axis}_variety", "regular")),
            ("endless", lambda f, axis=axis: (drop(f"df/{axis}_label0")(f), f.create_dataset(
                f"df/{axis}_label0", (HUGE,), "i1", chunks=(1000,)))),
        ):  # fmt: skip
            case("named", f"{axis}-{name}", "/df", change, False)


def bad_periods():
    made = frame()[["f", "g"]].set_index(pd.period_range("2020-01", periods=N, freq="M"))
    made.columns = pd.period_range("2020", periods=2, freq="Q")
    made.to_hdf("periods.h5", key="df", format="fixed")
    made.to_hdf("spans.h5", key="df", format="table")
    quarters = pickle.dumps(pd.offsets.QuarterEnd(), 0)
    for base, change in (("periods", lambda n: cell("df/axis1", 3, None, n)),
                         ("spans", lambda n: cell("df/table", 3, "index", n))):  # fmt: skip
        for name, ordinal in (("far", 2**40), ("last", 2**63 - 1), ("first", -(2**63) + 1)):
            case(base, f"{name}-ordinal", "/df", change(ordinal), False, ["period"])
        case(base, "missing-ordinal", "/df", change(-(2**63)))
    for axis in ("axis0", "axis1", "block0_items"):
        for name, program in {**PICKLES, "quarters": quarters}.items():
            case("periods", f"{axis}-freq-{name}", "/df", put(f"df/{axis}", "freq", program))
        case("periods", f"{axis}-no-freq", "/df", drop_attribute(f"df/{axis}", "freq"))
        case("periods", f"{axis}-times", "/df", put(f"df/{axis}", "kind", "datetime64[ns]"))
        case("periods", f"{axis}-text-freq", "/df", put(f"df/{axis}", "freq", "M"))
    for i, n in enumerate((0, 2**63 - 1, -(2**63))):
        case("periods", f"axis0-{i}", "/df", swap("df/axis0", np.array([n, 1])), False)
    made.index = pd.date_range("2020-01-01", periods=N, freq="D", tz="Europe/Berlin")
    made.to_hdf("steps.h5", key="df", format="fixed")
    for name, program in PICKLES.items():
        case("steps", f"freq-{name}", "/df", put("df/axis1", "freq", program))


# --- AnnData ---------------------------------------------------------------------------------------


def bad_anndata():
    names = [f"cell{i}" for i in range(N)]
    obs = pd.DataFrame({
        "kind": pd.Categorical(["xyz"[k % 3] for k in range(N)]), "n": np.arange(N),
        "int": pd.array([None if i % 4 == 0 else i for i in range(N)], dtype="Int64"),
        "s": names, "b": np.arange(N) % 2 == 0,
    }, index=names)  # fmt: skip
    anndata.AnnData(X=np.zeros((N, 1), "f4"), obs=obs).write_h5ad("cells.h5")
    texts = h5py.string_dtype()

    def order(*columns):
        return lambda f: f["obs"].attrs.create("column-order", columns, dtype=texts)

    for name, change, works in (
        ("absent", order("n", "nothing"), False), ("twice", order("n", "n"), False),
        ("dots", order("n", "../obs/n"), False), ("root", order("n", "/"), False),
        ("own", order("n", "."), False), ("nothing", order("n", ""), False),
        ("numbers", put("obs", "column-order", [1, 2]), None),
        ("text", put("obs", "column-order", "n"), None),
        ("endless", order(*(["n"] * 4000)), False),
        ("no-index", drop_attribute("obs", "_index"), False),
        ("index-number", put("obs", "_index", 3), False),
        ("index-absent", put("obs", "_index", "nothing"), False),
        ("index-root", put("obs", "_index", "/"), False),
        ("index-own", put("obs", "_index", "."), False),
        ("index-scalar", swap("obs/_index", "one"), False),
        ("index-shorter", swap("obs/_index", names[1:], dtype=texts), False),
        ("column-longer", swap("obs/n", np.arange(N + 1)), False),
        ("column-deep", swap("obs/n", np.zeros((N, 2, 2))), None),
        ("column-group", hard("obs/n", "obs"), False),
        ("column-circle", swap("obs/n", h5py.SoftLink("/obs/n")), False),
        ("code", cell("obs/kind/codes", 3, None, 99), False),
        ("code-negative", cell("obs/kind/codes", 3, None, -9), False),
        ("codes-float", swap("obs/kind/codes", np.zeros(N)), False),
        ("codes-text", swap("obs/kind/codes", names, dtype=texts), False),
        ("no-codes", drop("obs/kind/codes"), False),
        ("no-categories", drop("obs/kind/categories"), False),
        ("categories-group", hard("obs/kind/categories", "obs/kind"), False),
        ("categories-codes", hard("obs/kind/categories", "obs/kind/codes"), None),
        ("categories-scalar", swap("obs/kind/categories", "x"), False),
        ("categories-endless", lambda f: (drop("obs/kind/categories")(f), f.create_dataset(
            "obs/kind/categories", (HUGE,), "i8", chunks=(1000,))), False),
        ("ordered", put("obs/kind", "ordered", "perhaps"), None),
        ("text-longest", patch_chunk("obs/s", 32, "<I", 2**32 - 1), False),
        ("label-long", patch_chunk("obs/_index", 0, "<I", 2**31), False),
        ("mask-longer", swap("obs/int/mask", np.zeros(N + 1, bool)), False),
        ("mask-shorter", swap("obs/int/mask", np.zeros(N - 1, bool)), False),
        ("mask-float", swap("obs/int/mask", np.zeros(N)), False),
        ("mask-numbers", swap("obs/int/mask", np.arange(N).astype("i1")), None),
        ("no-mask", drop("obs/int/mask"), False), ("no-values", drop("obs/int/values"), False),
        ("values-group", hard("obs/int/values", "obs"), False),
        ("masked-as-categorical", put("obs/int", "encoding-type", "categorical"), False),
        ("categorical-as-masked", put("obs/kind", "encoding-type", "nullable-integer"), False),
        ("type-number", put("obs/kind", "encoding-type", 7), False),
        ("matrix-as-frame", put("X", "encoding-type", "dataframe"), True),
        ("group-as-frame", put("uns", "encoding-type", "dataframe"), True),
        ("frame-in-frame", lambda f: f["obs"].__setitem__("obs", f["obs"]), True),
    ):  # fmt: skip
        case("cells", name, "/obs", change, works)
    with h5py.File("old.h5", "w") as file:
        group = file.create_group("obs")
        group.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.1.0", "_index": "n"})
        group.attrs.create("column-order", ["kind"], dtype=texts)
        group["n"] = np.arange(N)
        group["kind"] = np.zeros(N, "i1")
        group["kind"].attrs["categories"] = group.create_dataset("__categories/kind", data=[7, 8]).ref
    for name, change, works in (
        ("deleted", drop("obs/__categories/kind"), False),
        ("null", put("obs/kind", "categories", h5py.Reference()), False),
        ("text", put("obs/kind", "categories", "here"), False),
        ("group", lambda f: put("obs/kind", "categories", f["obs"].ref)(f), False),
        ("itself", lambda f: put("obs/kind", "categories", f["obs/kind"].ref)(f), None),
    ):  # fmt: skip
        case("old", name, "/obs", change, works)


bad_tables()
bad_lists()
bad_groups()
chunks = bad_chunks()
bad_links()
bad_frames()
bad_fixed()
bad_anndata()
with open("bad.json", "w") as out:
    json.dump({"cases": CASES, "chunks": chunks, "nulls": NULLS}, out)
