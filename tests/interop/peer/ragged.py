"""VLArrays of PyTables, and groups of them and a Table.

usage: ragged.py make FILE SEED     VLArrays of each atom, with random rows and filters
       ragged.py same FILE OTHER    says where VLArrays of OTHER differ from those of FILE, in atom or rows
       ragged.py arrow OUT SEED     an Arrow file of random lists beside other columns, and its rows as
                                    JSON lines
       ragged.py read FILE PATH     the rows of a group, by PyTables, in the order that the group lists;
                                    then the filters of each part
       ragged.py grow FILE PATH     a row more in each part of a group
"""

import json
import sys
import warnings

import numpy as np
import tables

warnings.simplefilter("error")
COLOURS = ["red", "green", "blue"]
ATOMS = {
    **{name: tables.Atom.from_dtype(np.dtype(name)) for name in
       ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", "?")},
    "big": tables.Int32Atom(), "text": tables.StringAtom(5), "time32": tables.Time32Atom(),
    "time64": tables.Time64Atom(), "colours": tables.EnumAtom(COLOURS, "green", "uint8"),
    "pairs": tables.Int16Atom(shape=(2,)), "truths": tables.BoolAtom(shape=(3,)),
    "grids": tables.Float32Atom(shape=(2, 3)), "texts": tables.StringAtom(5, shape=(2, 1)),
    "vlstring": tables.VLStringAtom(), "vlunicode": tables.VLUnicodeAtom(),
    "object": tables.ObjectAtom(),
}  # fmt: skip


def items(rng, atom, n):
    shape = (n, *atom.shape)
    if atom.kind == "enum":
        return np.array([atom.enum[name] for name in rng.choice(COLOURS, n)], atom.dtype)
    if atom.kind == "string":
        return rng.choice(np.array([b"", b"a", b"\xc3\xa9", b"abcde"], "S5"), shape)
    if atom.kind == "time":
        whole = rng.integers(-(2**30), 2**30, shape)
        return whole.astype("i4") if atom.type == "time32" else whole + rng.integers(0, 4, shape) / 4
    if atom.kind == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if n == 300 and atom.kind in ("int", "uint") and atom.itemsize == 1:  # all that there are
        return np.resize(np.arange(256), shape).astype(atom.dtype.base)
    return rng.integers(0, 100, shape).astype(atom.dtype.base)


def row(rng, name, atom):
    n = int(rng.choice([0, 1, 2, 7, 300], p=[0.25, 0.25, 0.25, 0.2, 0.05]))
    n = max(n, int(name == "time64"))  # PyTables 3.11 fails to read empty rows of these
    if name == "vlstring":
        return rng.integers(0, 256, n).astype("u1").tobytes()
    if name == "vlunicode":
        return "".join(rng.choice(list("aé李\U0001f600\0"), n))
    if name == "object":
        return {"n": n, "some": [None, "text"]}
    return items(rng, atom, n)


def make(name, seed):
    rng = np.random.default_rng(int(seed))
    with tables.open_file(name, "w", title="of the file") as file:
        for kind, atom in ATOMS.items():
            how = tables.Filters(int(rng.integers(0, 3)), str(rng.choice(["zlib", "blosc"])))
            path = str(rng.choice(["/", "/deep/er"]))
            array = file.create_vlarray(path, "of_" + kind.strip("?"), atom, f"title of {kind}", how,
                                        createparents=True, chunkshape=int(rng.integers(1, 40)),
                                        byteorder="big" if kind == "big" else None)  # fmt: skip
            for _ in range(int(rng.integers(0, 60))):
                array.append(row(rng, kind, atom))
            array.attrs.units = "m/s"
            array.attrs.run = 7


def atom_of(array):
    """What an atom is, but for the length of strings; enumerations are strings in HEP001."""
    atom = array.atom
    kind = "string" if atom.kind == "enum" else atom.kind
    return kind, None if kind == "string" else getattr(atom, "type", kind), getattr(atom, "shape", ())


def rows_of(array):
    if array.atom.kind == "enum":
        return [[array.atom.enum(code).encode() for code in row] for row in array]
    return [row if isinstance(row, (bytes, str, dict)) else row.tolist() for row in array]


def same(name, other):
    with tables.open_file(name) as a, tables.open_file(other) as b:
        n = 0
        for one in a.walk_nodes("/", "VLArray"):
            two = b.get_node(one._v_pathname)
            n += 1
            for what, of in (("class", type), ("title", lambda x: x.title), ("atom", atom_of),
                             ("rows", rows_of), ("run", lambda x: x.attrs.run),
                             ("units", lambda x: x.attrs.units if atom_of(x)[0] != "time" else "")):  # fmt: skip
                if repr(of(one)) != repr(of(two)):
                    print(one._v_pathname, what, repr(of(one))[:300], repr(of(two))[:300])
        print(n)


def arrow(name, seed):
    import pyarrow as pa
    import pyarrow.ipc

    rng = np.random.default_rng(int(seed))
    n = int(rng.integers(0, 80))
    kinds = {"i1": pa.int8(), "u8": pa.uint64(), "f8": pa.float64(), "b": pa.bool_(), "s": pa.string(),
             "t": pa.timestamp("ns", "UTC"), "us": pa.timestamp("us"), "day": pa.date32(),
             "pair": pa.list_(pa.int16(), 2)}  # fmt: skip

    def item(kind):
        k = int(rng.integers(0, 100))
        return {"b": k % 2 == 0, "s": "é" * (k % 3), "pair": [k, -k], "f8": k / 4}.get(kind, k)

    columns = {"id": pa.array(range(n), pa.int32())}
    for kind, of in kinds.items():
        listed = [[item(kind) for _ in range(int(rng.integers(0, 5)))] for _ in range(n)]
        columns[f"v_{kind}"] = pa.array(listed, rng.choice([pa.list_, pa.large_list])(of))
        columns[f"p_{kind}"] = pa.array([item(kind) for _ in range(n)], of)
    columns["table"] = pa.array([[float(i)] for i in range(n)], pa.list_(pa.float32()))
    table = pa.table(columns)
    with pa.ipc.new_file(name, table.schema) as out:
        out.write_table(table, 17)
    print(n)


def read(name, path):
    with tables.open_file(name) as file:
        group = file.get_node(path)
        attributes = group._v_attrs
        names = [attributes[f"FIELD_{i}_NAME"] for i in range(len(attributes._v_attrnamessys))
                 if f"FIELD_{i}_NAME" in attributes]  # fmt: skip
        lists = {array.name: rows_of(array) for array in file.list_nodes(group, "VLArray")}
        (table,) = file.list_nodes(group, "Table")
        rows = table.read()
        assert all(len(listed) == len(rows) for listed in lists.values())
        for i in range(len(rows)):
            print(json.dumps({name: lists[name][i] if name in lists else rows[name][i].tolist()
                              for name in names}, default=lambda x: x.decode()))  # fmt: skip
        for leaf in file.list_nodes(group, "Leaf"):
            print(leaf.name, leaf.filters.complib, leaf.filters.complevel, leaf.chunkshape[0])


def grow(name, path):
    with tables.open_file(name, "a") as file:
        for leaf in file.list_nodes(path, "Leaf"):
            leaf.append(leaf[-1:] if isinstance(leaf, tables.Table) else leaf[-1])


if __name__ == "__main__":
    {"make": make, "same": same, "arrow": arrow, "read": read, "grow": grow}[sys.argv[1]](*sys.argv[2:])
