"""Files of PyTables' formats 1.0 to 2.0: those that PyTables keeps for its own tests, which old
releases wrote, and made ones, as its format page and its source have them.

    old_pytables.py

old_pytables.json is like layouts.json. What PyTables reads of the made ones is what they were made
of.
"""

import ctypes
import json
import shutil
import warnings
from pathlib import Path

import h5py
import numpy as np
import tables

import lzo
from native import Id, declare
from words import time, words

_set_precision = declare("H5Tset_precision", ctypes.c_int, Id, ctypes.c_size_t)

warnings.simplefilter("ignore")
THEIRS = Path(tables.__file__).parent / "tests"
KEPT = (
    "Table2_1_lzo_nrv2e_shuffle.h5", "Tables_lzo1.h5", "Tables_lzo1_shuffle.h5", "Tables_lzo2.h5",
    "Tables_lzo2_shuffle.h5", "blosc_bigendian.h5", "flavored_vlarrays-format1.6.h5",
    "idx-std-1.x.h5", "indexes_2_0.h5", "indexes_2_1.h5", "oldflavor_numeric.h5",
    "python2.h5", "python3.h5", "time-table-vlarray-1_x.h5",
    "vlunicode_endian.h5", "zerodim-attrs-1.3.h5", "zerodim-attrs-1.4.h5",
)  # fmt: skip
N = 100
MADE = {}


# --- files of old releases -----------------------------------------------------------------------


def shown_leaf(leaf):
    if isinstance(leaf, tables.Table):
        return {name: shown_column(leaf, name) for name in leaf.colnames}
    values = leaf.read()
    return {leaf.name: words(values if isinstance(values, list) else np.atleast_1d(values))}


def shown_column(table, name):
    unit = {"time32": "s", "time64": "us"}.get(getattr(table.coldescrs[name], "type", None))
    values = table.col(name)
    if unit is None or values.ndim > 1:
        return words(values)
    return [time(round(v * (1 if unit == "s" else 10**6)), unit) for v in values.tolist()]


def walk(file):
    paths = []
    file.visit(paths.append)
    return [(path, file[path]) for path in paths]


def kept(name):
    shutil.copy(THEIRS / name, name)
    shutil.copy(name, "plain.h5")
    with h5py.File("plain.h5", "r+") as file:
        for path, node in list(walk(file)):
            if isinstance(node, h5py.Dataset):
                lzo.unpack(file, path)
    with tables.open_file("plain.h5") as file:
        MADE[name] = {leaf._v_pathname: shown_leaf(leaf) for leaf in file.walk_nodes("/", "Leaf")}


# --- made ones -----------------------------------------------------------------------------------


def say(node, /, **attributes):
    """Texts in ASCII with a NUL at their end; numbers as they are."""
    for name, value in attributes.items():
        if isinstance(value, str):
            value = value.encode()
            node.attrs.create(name, value + b"\0", dtype=f"S{len(value) + 1}")
        else:
            node.attrs[name] = value


def bools(precision, big_endian):
    made = (h5py.h5t.STD_B8BE if big_endian else h5py.h5t.STD_B8LE).copy()
    if _set_precision(made.id, precision) < 0:
        raise ValueError("a precision is refused")
    return made


def time_type(size, big_endian):
    names = {(4, False): "UNIX_D32LE", (4, True): "UNIX_D32BE", (8, False): "UNIX_D64LE",
             (8, True): "UNIX_D64BE"}  # fmt: skip
    return getattr(h5py.h5t, names[size, big_endian])


def split(seconds, micros, order):
    """time64 as it is stored: seconds above, microseconds below."""
    return ((seconds.astype("i8") << 32) | (micros & 0xFFFFFFFF)).astype(order + "i8")


def old_table(file, path, version, big_endian, chunk=7):
    """Every type of format 1.x, packed; numbers of rows in an array of one int32."""
    order = ">" if big_endian else "<"
    n = np.arange(N)
    enum = h5py.h5t.py_create(h5py.enum_dtype({"red": 0, "green": 1, "blue": 2}, f"{order}u2"),
                              logical=True)  # fmt: skip
    seconds, micros = n * 10**6 - 5 * 10**7, n * 7
    numbers = {f"{kind}{size}": (n - 50 if kind != "u" else n).astype(f"{order}{kind}{size}")
               for kind, sizes in (("i", (1, 2, 4, 8)), ("u", (1, 2, 4, 8)), ("f", (4, 8)))
               for size in sizes}  # fmt: skip
    columns = [(name, raw, h5py.h5t.py_create(raw.dtype), words(raw))
               for name, raw in numbers.items()]  # fmt: skip
    text = np.array([b"text%d" % (i % 7) for i in n], "S5")
    pairs = np.stack([n, -n], 1).astype(f"{order}i4")
    complexes = (n - 2j * n).astype(f"{order}c16")
    columns += [
        ("flag", (n % 3 == 0).astype("u1"), bools(1, big_endian), words(n % 3 == 0)),
        ("wide", (n % 2 == 0).astype("u1"), bools(8, big_endian), words(n % 2 == 0)),
        ("s", text, h5py.h5t.py_create(text.dtype), words(text)),
        ("pair", pairs, h5py.h5t.array_create(h5py.h5t.py_create(pairs.dtype.base), (2,)),
         words(pairs)),
        ("c", complexes, h5py.h5t.py_create(complexes.dtype), words(complexes)),
        ("colour", (n % 3).astype(f"{order}u2"), enum,
         [["red", "green", "blue"][i % 3] for i in n]),
        ("t32", seconds.astype(f"{order}i4"), time_type(4, big_endian),
         [time(s, "s") for s in seconds]),
        ("t64", split(seconds, micros, order), time_type(8, big_endian),
         [time(s * 10**6 + m, "us") for s, m in zip(seconds, micros, strict=True)]),
    ]  # fmt: skip
    write_table(file, path, version, columns, chunk)
    return {name: shown for name, _, _, shown in columns}


def write_table(file, path, version, columns, chunk):
    """Rows put as they lie, since libhdf5 converts no times."""
    raw = np.zeros(N, [(name, values.dtype, values.shape[1:]) for name, values, _, _ in columns])
    kind = h5py.h5t.create(h5py.h5t.COMPOUND, raw.dtype.itemsize)
    for name, values, stored, _ in columns:
        raw[name] = values
        kind.insert(name.encode(), raw.dtype.fields[name][1], stored)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((chunk,))
    space = h5py.h5s.create_simple((N,), (h5py.h5s.UNLIMITED,))
    links = h5py.h5p.create(h5py.h5p.LINK_CREATE)
    links.set_create_intermediate_group(True)
    made = h5py.Dataset(h5py.h5d.create(file.id, path.encode(), kind, space, plist, links))
    for first in range(0, N, chunk):
        part = np.zeros(chunk, raw.dtype)
        part[: len(raw[first : first + chunk])] = raw[first : first + chunk]
        made.id.write_direct_chunk((first,), part.tobytes())
    say(made, CLASS="TABLE", VERSION=version, TITLE="An old table.", NROWS=np.array([N], "i4"))
    for i, (name, _, _, _) in enumerate(columns):
        say(made, **{f"FIELD_{i}_NAME": name})
        if version >= "2.5":  # the first releases of format 1.5 had defaults of strings as pickles
            say(made, **{f"FIELD_{i}_FILL": "S''\np1\n." if name == "s" else np.int32(0)})


def old_arrays(file, listed):
    """Arrays by the flavours that they had, and scalars; EXTDIM as an array of one."""
    flavours = {"NumArray": np.arange(12, dtype="i4").reshape(4, 3), "Numeric": np.arange(5) / 4,
                "CharArray": np.array([b"ab", b"", b"cde"]), "List": np.arange(4, dtype=">i2"),
                "Tuple": np.arange(4) * 1j, "Int": np.int32(7), "Float": np.float64(1.5),
                "String": np.bytes_(b"word")}  # fmt: skip
    for flavour, values in flavours.items():
        for kind in ("ARRAY", "EARRAY"):
            if kind == "EARRAY" and values.ndim == 0:
                continue
            rest = values.shape[1:]
            how = {"chunks": (3, *rest), "maxshape": (None, *rest)} if kind == "EARRAY" else {}
            path = f"/{kind.lower()}s/{flavour}"
            made = file.create_dataset(path, data=values, **how)
            say(made, CLASS=kind, VERSION="1.1", TITLE="", FLAVOR=flavour)
            if kind == "EARRAY":
                say(made, EXTDIM=np.array([0], "i4"))
            listed[path] = {flavour: words(np.atleast_1d(values))}


def old_lists(file, listed):
    """VLArrays: what a row is, FLAVOR alone says. Pickles are those of numarray: bytes to us."""
    numarray = b"cnumarray.generic\n_NumArrayFactory\np1\n(I2\ntR."
    texts = ["plain", "été", "", "日本"]
    rows = {"VLString": [text.encode() for text in texts], "Object": [numarray, b"N.", b""],
            "NumArray": [b"\1\2", b"", b"\3"]}  # fmt: skip
    for flavour, values in rows.items():
        made = file.create_dataset(f"/vlarrays/{flavour}", (len(values),), chunks=(2,),
                                   maxshape=(None,), dtype=h5py.vlen_dtype("u1"))  # fmt: skip
        for i, value in enumerate(values):
            made[i] = np.frombuffer(value, "u1")
        say(made, CLASS="VLARRAY", VERSION="1.0", TITLE="", FLAVOR=flavour)
        shown = [list(v) if flavour == "NumArray" else v.hex() for v in values]
        listed[f"/vlarrays/{flavour}"] = {flavour: shown}


def old_index(file, name):
    """An index of PyTables 1.x: a group beside the table, of a class that is no more."""
    group = file.create_group(f"_i_{name}_i4")
    say(group, CLASS="CINDEX", VERSION="1.0", TITLE="", DIRTY=np.array([0], "i4"))
    for part in ("sorted", "indices"):
        made = group.create_dataset(part, data=np.arange(5), chunks=(5,), maxshape=(None,))
        say(made, CLASS="EARRAY", VERSION="1.0", EXTDIM=np.array([0], "i4"))


def made_one(version, table_version, big_endian):
    name = f"made_{version}_{'big' if big_endian else 'little'}.h5"
    MADE[name] = listed = {}
    with h5py.File(name, "w") as file:
        filters = "(itables.Leaf\nFilters\np1\n(dp2\nS'complevel'\np3\nI0\nsb."
        say(file, CLASS="GROUP", VERSION="1.0", TITLE="", PYTABLES_FORMAT_VERSION=version,
            FILTERS=filters)  # fmt: skip
        listed["/t"] = old_table(file, "/t", table_version, big_endian)
        listed["/deep/down/t"] = old_table(file, "/deep/down/t", table_version, big_endian, 200)
        say(file["deep"], CLASS="GROUP", VERSION="1.0", TITLE="a group")
        old_index(file, "t")
        old_arrays(file, listed)
        old_lists(file, listed)
    verify(name, listed)


def verify(name, listed):
    """PyTables says the same, of what it can still read: no big-endian times, no old pickles."""
    paths = [path for path in listed if not path.startswith("/vlarrays")]
    with tables.open_file(name) as file:
        for path in paths:
            shown = shown_leaf(file.get_node(path))
            for column, values in listed[path].items():
                if column in ("colour", "t64") or (column == "t32" and "big" in name):
                    continue  # numbers and floats to PyTables
                if repr(shown[column]) != repr(values):
                    raise ValueError(f"{name}:{path}: {column} is {shown[column][:3]}")


for old in KEPT:
    kept(old)
for format_version, of_tables in (("1.0", "2.0"), ("1.2", "2.1"), ("1.3", "2.2"), ("1.4", "2.4"),
                                  ("1.5", "2.5"), ("1.6", "2.6"), ("2.0", "2.6")):  # fmt: skip
    for is_big in (False, True):
        made_one(format_version, of_tables, is_big)
with open("old_pytables.json", "w", encoding="utf-8") as out:
    json.dump(MADE, out)
