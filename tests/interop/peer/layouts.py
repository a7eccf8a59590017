"""Tables and arrays that PyTables, pandas, AnnData and h5py write, in every form that they know.

    layouts.py

layouts.json says {file: {path: {column: list}}}; values as Stoa's JSON has them.
"""

import json
import os
import pickle
import warnings

import anndata
import h5py
import numpy as np
import pandas as pd
import scipy.sparse
import tables

from lzo import pack
from words import length, time, word, words

warnings.simplefilter("ignore")
N = 300
MADE = {}


# --- PyTables --------------------------------------------------------------------------------------

COLOURS = ["red", "green", "blue"]


class Inner(tables.IsDescription):
    x = tables.Float64Col(pos=0)
    y = tables.Int16Col(shape=(2,), pos=1)


class Nested(tables.IsDescription):
    deep = tables.Int8Col(pos=0)

    class inner(tables.IsDescription):  # noqa: N801
        z = tables.Float32Col(pos=0)


class Row(tables.IsDescription):
    b = tables.BoolCol(pos=0)
    i1 = tables.Int8Col(pos=1)
    u1 = tables.UInt8Col(pos=2)
    i2 = tables.Int16Col(pos=3)
    u2 = tables.UInt16Col(pos=4)
    i4 = tables.Int32Col(pos=5)
    u4 = tables.UInt32Col(pos=6)
    i8 = tables.Int64Col(pos=7)
    u8 = tables.UInt64Col(pos=8)
    f2 = tables.Float16Col(pos=9)
    f4 = tables.Float32Col(pos=10)
    f8 = tables.Float64Col(pos=11)
    c8 = tables.ComplexCol(itemsize=8, pos=12)
    c16 = tables.ComplexCol(itemsize=16, pos=13)
    s = tables.StringCol(6, pos=14)
    t32 = tables.Time32Col(pos=15)
    t64 = tables.Time64Col(pos=16)
    e = tables.EnumCol(COLOURS, "red", "int8", pos=17)
    many = tables.Float32Col(shape=(2, 3), pos=18)
    flags = tables.BoolCol(shape=(3,), pos=19)
    inner = Inner()
    nested = Nested()


def rows():
    """Values of every column, by name."""
    random = np.random.default_rng(5)
    made = {"b": random.integers(0, 2, N).astype(bool)}
    for name in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
        info = np.iinfo(name)
        made[name] = random.integers(0, 100, N).astype(name)
        made[name][:2] = [info.min, info.max - (name == "u8")]  # HEP001 wants a fill value
    for name in ("f2", "f4", "f8"):
        made[name] = (random.integers(-800, 800, N) / 8).astype(name)
        made[name][:4] = [np.nan, np.inf, -np.inf, -0.0]
    made["c8"] = (np.arange(N) - 0.5j * np.arange(N)).astype("c8")
    made["c16"] = np.arange(N) + 2j
    made["s"] = np.array([f"é{i}".encode()[:6] for i in range(N)], "S6")
    made["t32"] = random.integers(-(2**31), 2**31, N).astype("i4")
    made["t64"] = random.integers(-(10**6), 10**6, N) / 64
    made["e"] = random.integers(0, 3, N).astype("i1")
    made["many"] = random.integers(0, 9, (N, 2, 3)).astype("f4")
    made["flags"] = random.integers(0, 2, (N, 3)).astype(bool)
    made["inner/x"] = random.integers(0, 99, N) / 4
    made["inner/y"] = random.integers(-99, 99, (N, 2)).astype("i2")
    made["nested/deep"] = np.arange(N).astype("i1")
    made["nested/inner/z"] = np.arange(N).astype("f4") / 2
    return made


def shown_rows(made):
    shown = {name: words(values) for name, values in made.items() if "/" not in name}
    shown["t32"] = [time(v, "s") for v in made["t32"]]
    shown["t64"] = [time(round(v * 10**6), "us") for v in made["t64"]]
    shown["e"] = [COLOURS[v] for v in made["e"]]
    shown["flags"] = [[bool(v) for v in row] for row in made["flags"]]
    shown["inner"] = [{"x": word(x), "y": word(y)}
                      for x, y in zip(made["inner/x"], made["inner/y"], strict=True)]  # fmt: skip
    shown["nested"] = [{"deep": word(d), "inner": {"z": word(z)}} for d, z in
                       zip(made["nested/deep"], made["nested/inner/z"], strict=True)]  # fmt: skip
    return shown


def filters():
    yield "plain", None
    for shuffle in (False, True):
        for fletcher in (False, True):
            yield f"zlib{shuffle:d}{fletcher:d}", tables.Filters(6, "zlib", shuffle=shuffle,
                                                                fletcher32=fletcher)  # fmt: skip
    for codec in ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"):
        if codec in tables.blosc_compressor_list():
            for fletcher in (False, True):
                yield f"blosc_{codec}{fletcher:d}", tables.Filters(
                    5, f"blosc:{codec}", fletcher32=fletcher)  # fmt: skip
            yield f"blosc_{codec}_bits", tables.Filters(5, f"blosc:{codec}", bitshuffle=True,
                                                        shuffle=False)  # fmt: skip
    for fletcher in (False, True):
        for shuffle in (False, True):
            yield f"bzip2_{shuffle:d}{fletcher:d}", tables.Filters(3, "bzip2", shuffle=shuffle,
                                                                   fletcher32=fletcher)  # fmt: skip
    yield from blosc2_filters()


def blosc2_filters():
    for codec in tables.blosc2_compressor_list():
        for shuffle in ("no", "bytes", "bits"):
            for fletcher in (False, True):
                yield f"blosc2_{codec}_{shuffle}{fletcher:d}", tables.Filters(
                    5, f"blosc2:{codec}", shuffle=shuffle == "bytes", bitshuffle=shuffle == "bits",
                    fletcher32=fletcher)  # fmt: skip


def fill(table, made):
    row = np.zeros(N, table.dtype)
    for name, values in made.items():
        at = row
        *outer, last = name.split("/")
        for part in outer:
            at = at[part]
        at[last] = values
    table.append(row)
    table.flush()


def pytables():
    made = rows()
    shown = shown_rows(made)
    MADE["pytables.h5"] = listed = {}
    with tables.open_file("pytables.h5", "w", title="every type") as file:
        for name, how in filters():
            for order in ("little", "big"):
                if order == "big" and name not in ("plain", "zlib11"):
                    continue
                path = f"{name}_{order}"
                table = file.create_table("/", path, Row, "A title", filters=how, chunkshape=64,
                                          byteorder=order)  # fmt: skip
                fill(table, made)
                listed["/" + path] = shown
        table = file.create_table("/", "indexed", Row, chunkshape=64)
        fill(table, made)
        table.cols.i4.create_index()
        listed["/indexed"] = shown
        # PyTables makes chunks as large as the processor's cache: over 64 MiB on a server.
        table = file.create_table("/", "large_chunk", Row, filters=tables.Filters(5, "blosc2:lz4"),
                                  chunkshape=1 << 20)  # fmt: skip
        fill(table, made)
        listed["/large_chunk"] = shown
        file.create_table("/", "empty", Row)
        listed["/empty"] = {name: [] for name in shown}
        for name in shown:
            if name not in ("inner", "nested", "t32", "t64", "e"):
                for kind in ("array", "carray", "earray"):
                    listed[f"/{kind}/{name}"] = {name: shown[name]}
                    make_array(file, kind, name, made[name])
        times(file, made, shown, listed)
        lists(file, listed)
        packed_lists(file, listed, filters())
        scalars(file, listed)
        boxes(file, listed)
        large_chunks(file, listed)
        file.create_soft_link("/", "soft", "/plain_little")
        file.create_soft_link("/", "circle", "/circle")


def times(file, made, shown, listed):
    """Arrays of PyTables' times, in either order and by either way of unpacking."""
    for name, atom in (("t32", tables.Time32Atom()), ("t64", tables.Time64Atom())):
        for order in ("little", "big"):
            for how, packed in (("plain", None), ("zlib", tables.Filters(4, "zlib")),
                                ("blosc2", tables.Filters(5, "blosc2"))):  # fmt: skip
                path = f"/times_{how}_{order}/{name}"
                array = file.create_earray(os.path.dirname(path), name, atom, (0,), filters=packed,
                                           chunkshape=(64,), byteorder=order, createparents=True)  # fmt: skip
                array.append(made[name])
                listed[path] = {name: shown[name]}


def make_array(file, kind, name, values):
    if kind == "array":
        file.create_array("/array", name, values, createparents=True)
    elif kind == "carray":
        file.create_carray("/carray", name, obj=values, filters=tables.Filters(4, "zlib"),
                           createparents=True)  # fmt: skip
    else:
        array = file.create_earray("/earray", name, tables.Atom.from_dtype(
            np.dtype((values.dtype, ()))), (0, *values.shape[1:]), createparents=True)  # fmt: skip
        array.append(values)


def lzo():
    made = rows()
    MADE["lzo.h5"] = listed = {}
    with tables.open_file("lzo.h5", "w") as file:
        for shuffle in (False, True):
            for fletcher in (False, True):
                name = f"lzo{shuffle:d}{fletcher:d}"
                how = tables.Filters(fletcher32=fletcher)
                fill(file.create_table("/", name, Row, filters=how, chunkshape=64), made)
                listed["/" + name] = shown_rows(made)
        packed_lists(file, listed, [("lzo", None)])
        box = np.arange(200).reshape(20, 10)
        file.create_carray("/", "box", obj=box, chunkshape=(8, 3))
        listed["/box"] = {"box": words(box)}
    with h5py.File("lzo.h5", "r+") as file:
        for path in listed:
            # libhdf5 2.0 gives shuffle no size of elements of variable length.
            pack(file, path, shuffle=path not in ("/lzo00", "/lzo01") and not path.startswith("/lists"))


def packed_lists(file, listed, hows):
    """VLArrays, of which a filter packs lengths and places; the items lie elsewhere. PyTables has none
    packed by blosc2, and its libhdf5 none with a checksum."""
    for name, how in hows:
        if name == "plain" or name.startswith("blosc2") or (how is not None and how.fletcher32):
            continue
        numbers = [np.arange(i * 7 % 5) for i in range(150)]
        words_of = ["é" * (i % 4) for i in range(150)]
        for path, atom, rows in ((f"/lists_{name}/numbers", tables.Int64Atom(), numbers),
                                 (f"/lists_{name}/words", tables.VLUnicodeAtom(), words_of)):  # fmt: skip
            group, _, last = path.rpartition("/")
            array = file.create_vlarray(group, last, atom, filters=how, chunkshape=64,
                                        createparents=True)  # fmt: skip
            for row in rows:
                array.append(row)
            listed[path] = {last: words(rows) if last == "numbers" else rows}


def scalars(file, listed):
    """Arrays without a dimension: one row."""
    for name, value, shown in (
        ("truth", True, True), ("number", 5, 5), ("single", np.float32(2.5), 2.5),
        ("bytes", b"hello", "hello"),
        ("pair", 1 + 2j, {"r": 1.0, "i": 2.0}),
    ):  # fmt: skip
        file.create_array("/scalar", name, value, createparents=True)
        listed[f"/scalar/{name}"] = {name: [shown]}


def boxes(file, listed):
    """Arrays of more dimensions than one, whose chunks fit neither them nor the blocks within; and
    chunks of many blocks."""
    random = np.random.default_rng(6)
    deep = random.integers(0, 99, (40, 7, 3)).astype("i2")
    flat = random.integers(-9, 9, (53, 31)) * np.arange(31.0)
    kinds = {"random": random.integers(0, 2**62, 30000), "zeros": np.zeros(30000),
             "same": np.full(30000, 7), "steps": np.arange(30000) // 77}  # fmt: skip
    how_many = [*blosc2_filters(), ("bzip2", tables.Filters(1, "bzip2"))]
    for name, how in how_many:
        group = file.create_group("/", f"boxes_{name}")
        file.create_carray(group, "flat", obj=flat, filters=how, chunkshape=(20, 13))
        grown = file.create_earray(group, "deep", tables.Int16Atom(), (0, 7, 3), filters=how,
                                   chunkshape=(16, 4, 2))  # fmt: skip
        grown.append(deep)
        for path, values in (("flat", flat), ("deep", deep)):
            listed[f"/boxes_{name}/{path}"] = {path: words(values)}
        if name in ("blosc2_blosclz_bytes0", "blosc2_lz4_bits0", "blosc2_zstd_no0"):
            for path, values in kinds.items():
                file.create_carray(group, path, obj=values, filters=how, chunkshape=(25000,))
                listed[f"/boxes_{name}/{path}"] = {path: words(values)}
    file.create_carray("/", "unwritten", tables.Float32Atom(dflt=2.5), (20, 5), chunkshape=(8, 3),
                       filters=tables.Filters(5, "blosc2"))[:3] = 1  # fmt: skip
    listed["/unwritten"] = {"unwritten": [[1.0] * 5] * 3 + [[2.5] * 5] * 17}


def large_chunks(file, listed):
    """Chunks of which a part is read at a time; the second one was never written."""
    random = np.random.default_rng(7)
    kinds = {"random": random.integers(0, 2**62, 70000), "same": np.full(70000, 7), "steps": np.arange(70000) // 77}
    for (name, values), how in zip(kinds.items(), ("lz4", "blosclz", "zstd"), strict=True):
        array = file.create_carray("/large", name, tables.Atom.from_dtype(values.dtype), (270000,),
                                   chunkshape=(132000,), filters=tables.Filters(5, f"blosc2:{how}"),
                                   createparents=True)  # fmt: skip
        array[30000:100000] = values
        array[-4000:] = values[:4000]
        listed[f"/large/{name}"] = {name: words(array[:])}
    array = file.create_carray("/large", "turned", tables.Int32Atom(dflt=5), (270000,), chunkshape=(132000,),
                               filters=tables.Filters(5, "blosc2"), byteorder="big")  # fmt: skip
    array[-4000:] = np.arange(4000)
    listed["/large/turned"] = {"turned": words(array[:])}


def lists(file, listed):
    """VLArrays."""
    for name in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
        kept = [np.arange(i % 5).astype(name) for i in range(20)]
        array = file.create_vlarray("/lists", name, tables.Atom.from_dtype(np.dtype(name)),
                                    createparents=True)  # fmt: skip
        for row in kept:
            array.append(row)
        listed[f"/lists/{name}"] = {name: words(kept)}
    texts = ["", "é€😀", "x" * 300]
    array = file.create_vlarray("/lists", "text", tables.VLUnicodeAtom())
    for text in texts:
        array.append(text)
    listed["/lists/text"] = {"text": texts}
    array = file.create_vlarray("/lists", "bytes", tables.VLStringAtom())
    for row in (b"a\0b", b"", b"\xff"):
        array.append(row)
    listed["/lists/bytes"] = {"bytes": ["610062", "", "ff"]}
    objects = [{"a": [1, 2.5]}, "two", (None, b"x")]  # which are not unpickled
    array = file.create_vlarray("/lists", "objects", tables.ObjectAtom())
    for row in objects:
        array.append(row)
    listed["/lists/objects"] = {
        "objects": [pickle.dumps(row, pickle.HIGHEST_PROTOCOL).hex() for row in objects]
    }
    pairs = np.arange(12, dtype="i4").reshape(3, 2, 2)
    array = file.create_vlarray("/lists", "pairs", tables.Int32Atom(shape=(2,)))
    for row in pairs:
        array.append(row)
    listed["/lists/pairs"] = {"pairs": pairs.tolist()}


# --- pandas ----------------------------------------------------------------------------------------


def frame():
    return pd.DataFrame({
        "i": np.arange(N), "u": np.arange(N).astype("u2"),
        "f": np.where(np.arange(N) % 7 == 0, np.nan, np.arange(N) / 3),
        "g": np.arange(N) * 2.0, "h": (np.arange(N) / 8).astype("f4"),
        "b": np.arange(N) % 2 == 0,
        "s": [None if k % 5 == 0 else f"é{k}" for k in range(N)],
        "t": pd.date_range("2020-01-01", periods=N, freq="h"),
        "z": pd.date_range("2020-01-01", periods=N, freq="h", tz="Europe/Berlin"),
        "d": pd.to_timedelta(np.arange(N), "s"),
    })  # fmt: skip


def shown_series(series):
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = series.astype(object)
    missing = series.isna().to_numpy()
    if isinstance(series.dtype, pd.DatetimeTZDtype):
        values = [time(v.value, "ns") for v in series]
    elif series.dtype.kind == "M":
        values = [str(np.datetime64(v.value, "ns")) for v in series]
    elif series.dtype.kind == "m":
        values = [length(v.value) for v in series]
    else:
        values = [None if gone else word(v) for v, gone in zip(series, missing, strict=True)]
    return [None if gone else v for v, gone in zip(values, missing, strict=True)]


def shown_frame(made):
    """The index first, then the columns."""
    shown = {}
    for i in range(made.index.nlevels):
        level = made.index.get_level_values(i)
        name = level.name if level.name is not None else (
            "index" if made.index.nlevels == 1 else f"level_{i}")  # fmt: skip
        shown[str(name)] = shown_series(level.to_series())
    for name in made.columns:
        shown[str(name)] = shown_series(made[name])
    return shown


def frames():
    """Frames by name, and whether both formats hold them."""
    made = frame()
    yield "range", made, True
    for name in ("i", "t", "z", "f"):
        yield f"by_{name}", made.set_index(name), True
    yield "by_text", made.assign(k=[f"k{i}" for i in range(N)]).set_index("k"), True
    yield "levels", made.assign(k=["abc"[i % 3] for i in range(N)]).set_index(["i", "k"]), True
    for name in made.columns:
        yield f"only_{name}", made[[name]], True
    yield "numbered", pd.DataFrame(np.arange(12.0).reshape(4, 3)), True
    yield "stepped", made[["g"]].set_index(pd.RangeIndex(5, 5 + 3 * N, 3)), True
    category = pd.Categorical([None if k % 6 == 0 else "xyz"[k % 3] for k in range(N)])
    yield "categories", made[["g"]].assign(c=category), False
    yield "ordered", made[["g"]].assign(c=category.as_ordered()), False
    yield "numbers", made[["g"]].assign(c=pd.Categorical(np.arange(N) % 4)), False


def pandas():
    MADE["pandas.h5"] = listed = {}
    with pd.HDFStore("pandas.h5", "w") as store:
        for name, made, both in frames():
            shown = shown_frame(made)
            for how in ("plain", "compressed"):
                extra = {} if how == "plain" else {"complevel": 5, "complib": "blosc:lz4"}
                put(store, listed, f"/table_{how}/{name}", made, shown, format="table", **extra)
                if both:
                    put(store, listed, f"/fixed_{how}/{name}", made, shown, format="fixed", **extra)
        made = frame()
        none = made[["f", "g", "s", "b"]].iloc[:0]  # which the table format does not store
        put(store, listed, "/rowless", none, shown_frame(none), format="fixed")
        put(store, listed, "/columns", made, shown_frame(made), format="table",
            data_columns=["i", "s", "t"])  # fmt: skip
        for name in ("i", "f", "s", "t", "z", "b"):
            series = made[name]
            shown = {"index": list(range(N)), name: shown_series(series)}
            put(store, listed, f"/series/{name}", series, shown, format="fixed")
            put(store, listed, f"/series_table/{name}", series, shown, format="table")


def put(store, listed, path, made, shown, **how):
    if how.get("complevel") and how["format"] == "fixed":
        how["complib"] = "zlib"
    extra = {key: how.pop(key) for key in ("complevel", "complib") if key in how}
    if extra and how["format"] == "table":
        store.append(path, made, **extra)
    elif extra:
        store._filters = tables.Filters(complevel=extra["complevel"], complib=extra["complib"])
        store.put(path, made, **how)
        store._filters = None
    else:
        store.put(path, made, **how)
    listed[path] = shown


# --- AnnData ---------------------------------------------------------------------------------------


def anndatas():
    names = [f"cell{i}" for i in range(N)]
    obs = pd.DataFrame({
        "kind": pd.Categorical([None if k % 6 == 0 else "xyz"[k % 3] for k in range(N)]),
        "ordered": pd.Categorical(["xyz"[k % 3] for k in range(N)], ordered=True),
        "n": np.arange(N), "f": np.where(np.arange(N) % 7 == 0, np.nan, np.arange(N) / 3),
        "b": np.arange(N) % 2 == 0, "s": [f"é{i}" for i in range(N)],
        "int": pd.array([None if i % 4 == 0 else i for i in range(N)], dtype="Int64"),
        "bool": pd.array([None if i % 4 == 0 else i % 3 == 0 for i in range(N)], dtype="boolean"),
    }, index=names)  # fmt: skip
    var = pd.DataFrame({"g": np.arange(5.0)}, index=[f"g{i}" for i in range(5)])
    made = anndata.AnnData(X=scipy.sparse.random(N, 5, 0.3, format="csr"), obs=obs, var=var)
    made.obsm["more"] = pd.DataFrame({"q": np.arange(N)}, index=names)
    made.uns["frame"] = pd.DataFrame({"x": [1, 2, 3]})
    made.write_h5ad("anndata.h5ad")
    made.write_h5ad("lzf.h5ad", compression="lzf")
    listed = {"/obs": obs, "/var": var, "/obsm/more": made.obsm["more"],
              "/uns/frame": made.uns["frame"].set_index(pd.Index([0, 1, 2]))}  # fmt: skip
    MADE["anndata.h5ad"] = {path: shown_frame(frame.rename_axis("_index"))
                            for path, frame in listed.items()}  # fmt: skip
    MADE["lzf.h5ad"] = MADE["anndata.h5ad"]
    old_anndata(obs)


def old_anndata(obs):
    """Frames of version 0.1.0, as AnnData 0.7 wrote them."""
    with h5py.File("old.h5ad", "w") as file:
        group = file.create_group("obs")
        group.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.1.0",
                            "_index": "_index"})  # fmt: skip
        group.attrs.create("column-order", ["n", "kind"], dtype=h5py.string_dtype())
        group.create_dataset("_index", data=list(obs.index), dtype=h5py.string_dtype())
        group["n"] = obs["n"].to_numpy()
        group["kind"] = obs["kind"].cat.codes.to_numpy()
        labels = group.create_dataset("__categories/kind", data=list(obs["kind"].cat.categories),
                                      dtype=h5py.string_dtype())  # fmt: skip
        labels.attrs["ordered"] = False
        group["kind"].attrs["categories"] = labels.ref
    MADE["old.h5ad"] = {"/obs": shown_frame(obs[["n", "kind"]].rename_axis("_index"))}


# --- h5py ------------------------------------------------------------------------------------------


def compounds():
    """Tables of nobody's: gaps, byte orders, strings of any length."""
    MADE["h5py.h5"] = listed = {}
    text = h5py.string_dtype()
    types = {
        "packed": np.dtype([("a", "i4"), ("b", "f8"), ("c", "S3")]),
        "aligned": np.dtype([("a", "i1"), ("b", "f8"), ("c", "i2")], align=True),
        "big": np.dtype([("a", ">i4"), ("b", ">f8"), ("c", "<u2")]),
        "texts": np.dtype([("a", "i4"), ("b", text)]),
        "nested": np.dtype([("a", "i4"), ("b", [("x", ">i2"), ("y", "f4", (2,))])]),
        "one": np.dtype([("a", "u1")]),
    }
    with h5py.File("h5py.h5", "w") as file:
        for name, dtype in types.items():
            raw = np.zeros(N, dtype)
            raw["a"] = np.arange(N) % 100
            if name in ("packed", "aligned", "big"):
                raw["b"] = np.arange(N) / 4
                raw["c"] = np.arange(N) % 50
            elif name == "texts":
                raw["b"] = [f"text {i}" for i in range(N)]
            elif name == "nested":
                raw["b"]["x"] = np.arange(N)
                raw["b"]["y"] = np.arange(2 * N).reshape(N, 2)
            for way, how in (("contiguous", {}), ("gzip", {"chunks": (70,), "compression": "gzip"}),
                             ("lzf", {"chunks": (70,), "compression": "lzf"})):  # fmt: skip
                file.create_dataset(f"{way}/{name}", data=raw, **how)
                listed[f"/{way}/{name}"] = {field: words(raw[field]) for field in dtype.names}


# --- H5TB ------------------------------------------------------------------------------------------


def h5tb():
    """What H5TBmake_table() leaves, with its one filter and those that others put beside it (PyTables
    notes, section 10): texts end with a NUL."""
    MADE["h5tb.h5"] = listed = {}
    dtype = np.dtype([("name", "S9"), ("lat", "i4"), ("lon", "<i8"), ("p", "f4"), ("t", "f8")],
                     align=True)  # fmt: skip
    raw = np.zeros(N, dtype)
    raw["name"] = [b"p %d" % i for i in range(N)]
    raw["lat"] = np.arange(N) * 10
    raw["lon"] = np.arange(N) - 2**40
    raw["p"] = np.arange(N) / 2
    raw["t"] = np.arange(N) / 3
    hows = {"plain": {}, "deflate": {"compression": 6},
            "shuffled": {"compression": 6, "shuffle": True},
            "checked": {"compression": 1, "fletcher32": True}}  # fmt: skip
    with h5py.File("h5tb.h5", "w") as file:
        for name, how in hows.items():
            made = file.create_dataset(name, data=raw, chunks=(70,), maxshape=(None,), **how)
            made.attrs["CLASS"] = np.bytes_("TABLE")
            made.attrs["VERSION"] = np.bytes_("3.0")
            made.attrs["TITLE"] = np.bytes_("A title")
            for i, field in enumerate(dtype.names):
                made.attrs[f"FIELD_{i}_NAME"] = np.bytes_(field)
            listed["/" + name] = {field: words(raw[field]) for field in dtype.names}


pytables()
lzo()
h5tb()
pandas()
anndatas()
compounds()
with open("layouts.json", "w") as file:
    json.dump(MADE, file)
