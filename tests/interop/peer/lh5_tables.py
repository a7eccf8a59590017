"""HEP001 tables that were made of LH5 files, compared with these as h5py reads both.

    lh5_tables.py OLD NEW [--split] [--kept]

Says what differs. Every table of OLD is a table of NEW: tables in it are columns with dots in their names,
or with --split tables beside it. With --kept, whatever no table holds is in NEW as it was.
"""

import sys

import h5py
import lh5_decode
import numpy as np

FINDINGS = []


def find(what):
    FINDINGS.append(what)


def names_of(datatype):
    return [name for name in datatype[datatype.index("{") + 1 : -1].split(",") if name]


def is_table(node):
    return isinstance(node, h5py.Group) and str(node.attrs.get("datatype", "")).startswith("table{")


def is_container(node):
    """A group of objects, not one that is an object itself."""
    datatype = str(node.attrs.get("datatype", ""))
    is_histogram = sorted(names_of(datatype)) == ["binning", "isdensity", "weights"] if "{" in datatype else 0
    return isinstance(node, h5py.Group) and not is_histogram and (
        datatype == "" or datatype.startswith("struct{"))  # fmt: skip


# --- values of LH5 ----------------------------------------------------------------------------------


def enum_names(datatype):
    inside = datatype[datatype.index("enum{") + 5 : datatype.index("}")]
    return {int(pair.split("=")[1]): pair.split("=")[0] for pair in inside.split(",")}


def plain(values, datatype):
    """Rows of a dataset as lists of Python's own values."""
    if "enum{" in datatype:
        names = enum_names(datatype)
        return [names[int(value)] for value in values]
    if "{bool}" in datatype:
        values = values != 0
    if values.ndim > 1:
        return [[text(value) for value in row.ravel().tolist()] for row in values]
    return [text(value) for value in values.tolist()]


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def cut(items, ends):
    starts = np.concatenate([[0], ends[:-1]]).astype(int) if len(ends) else []
    return [items[a:b] for a, b in zip(starts, np.asarray(ends, int), strict=True)]


def rows_of(node):
    datatype = node.attrs["datatype"]
    if isinstance(node, h5py.Dataset):
        return plain(node[()], datatype)
    if "encoded_data" in node:
        return lh5_decode.rows_of(node)
    return cut(rows_of(node["flattened_data"]), node["cumulative_length"][()])


# --- and of HEP001 ----------------------------------------------------------------------------------


def item(value):
    """One value of a column, whatever holds it."""
    if isinstance(value, np.ndarray) and value.dtype.names is None:
        return [item(part) for part in value.ravel()]
    if isinstance(value, np.void) and value.dtype.names == ("r", "i"):
        return complex(value["r"], value["i"])
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, np.generic) else value


def is_list(node):
    return isinstance(node, h5py.Group) and node.attrs.get("CLASS") == b"LIST_COLUMN"


def is_column(node):
    return isinstance(node, h5py.Dataset) or is_list(node)


def list_rows(group, n):
    """The lists or strings of a group (HEP001-2026-07 §9), none of which is missing."""
    ends = group["OFFSETS"][: n + 1].astype(int)
    if "CHARS" in group:
        chars = bytes(group["CHARS"][: ends[-1]])
        return [chars[a:b].decode() for a, b in zip(ends[:-1], ends[1:], strict=True)]
    values = group["VALUES"]
    rows = list_rows(values, ends[-1]) if isinstance(values, h5py.Group) else column_rows(group, "VALUES", ends[-1])
    return cut(rows, ends[1:])


def column_rows(table, name, n):
    node = table[name]
    if is_list(node):
        return list_rows(node, n)
    values = node[:n]
    if h5py.check_string_dtype(node.dtype) is not None and node.dtype.kind == "S":
        values = np.array([value.rstrip(b"\0") for value in values], object)
    rows = [item(value) for value in values]
    categories = f"CATEGORIES/{name}__CATEGORIES"
    if categories not in table:
        return rows
    labels = [value.rstrip(b"\0").decode() for value in table[categories][()]]
    return [labels[row] for row in rows]


def flags(rows):
    """Bools of a column are uint8, in lists an enumeration that h5py takes for bools."""
    return [flags(row) if isinstance(row, list) else bool(row) for row in rows]


def is_same(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, float) and isinstance(b, float) and a != a:
        return b != b
    return a == b


# --- tables -----------------------------------------------------------------------------------------


def fields_of(node, splits):
    """{column: object} of a table, the columns of tables in it among them."""
    found = {}
    for name in names_of(node.attrs["datatype"]):
        if not is_table(node[name]):
            found[name] = node[name]
        elif not splits:
            found |= {f"{name}.{inner}": part for inner, part in fields_of(node[name], False).items()}
    return found


def units_of(node):
    inner = node.get("flattened_data", None) if isinstance(node, h5py.Group) else None
    own = node.attrs.get("units", None)
    return own if own is not None or inner is None else inner.attrs.get("units", None)


def is_readable(node):
    """Not so what Zstandard packed, which h5py may not have."""
    creation = node.id.get_create_plist() if isinstance(node, h5py.Dataset) else None
    n = creation.get_nfilters() if creation else 0
    return all(creation.get_filter(i)[0] != 32015 for i in range(n))


def check_column(node, table, name, n):
    if not is_readable(node):
        return
    wanted, found = rows_of(node), column_rows(table, name, n)
    if "{bool}" in node.attrs["datatype"]:
        found = flags(found)
    if not is_same(wanted, found):
        find(f"{table.name}/{name}: {found[:3]}, not {wanted[:3]}")
    units = table[name].attrs.get("units", None)
    units = units.decode() if isinstance(units, bytes) else units
    if (units or None) != (units_of(node) or None):
        find(f"{table.name}/{name}: units {units}, not {units_of(node)}")


def check_table(node, new, path, splits):
    if path not in new or new[path].attrs.get("CLASS") != b"COLUMN_TABLE":
        find(f"{path}: is no table")
        return
    table = new[path]
    fields = fields_of(node, splits)
    n = int(table.attrs["NROWS"])
    if sorted(name for name in table if is_column(table[name])) != sorted(fields):
        find(f"{path}: has {sorted(table)}, not {sorted(fields)}")
        return
    for name, part in fields.items():
        check_column(part, table, name, n)
    for name in names_of(node.attrs["datatype"]) if splits else []:
        if is_table(node[name]):
            check_table(node[name], new, f"{path}.{name}", splits)
            nested = new[f"{path}.{name}"].attrs["stoa_nested_in"].decode()
            if nested != path.rsplit("/", 1)[1]:
                find(f"{path}.{name}: lies in '{nested}'")
            if int(new[f"{path}.{name}"].attrs["NROWS"]) != n:
                find(f"{path}.{name}: has not {n} rows")


# --- the rest ---------------------------------------------------------------------------------------


def check_kept(old, new):
    if isinstance(old, h5py.Dataset) != isinstance(new, h5py.Dataset):
        find(f"{old.name}: is another kind of object")
        return
    was = {name: (str(old.attrs.get_id(name).dtype), repr(old.attrs[name])) for name in old.attrs}
    now = {name: (str(new.attrs.get_id(name).dtype), repr(new.attrs[name])) for name in new.attrs}
    if was != now:
        find(f"{old.name}: attributes {now}, not {was}")
    if isinstance(old, h5py.Group):
        if sorted(old) != sorted(new):
            find(f"{old.name}: {sorted(new)}, not {sorted(old)}")
        for name in old:
            check_kept(old[name], new[name])
        return
    if (old.dtype, old.shape, old.maxshape, old.chunks) != (new.dtype, new.shape, new.maxshape, new.chunks):
        find(f"{old.name}: is {new}, not {old}")
    elif not np.array_equal(np.asarray(old[()]), np.asarray(new[()])):
        find(f"{old.name}: has other values")
    for i in range(old.id.get_num_chunks() if old.chunks else 0):
        at = old.id.get_chunk_info(i).chunk_offset
        if old.id.read_direct_chunk(at) != new.id.read_direct_chunk(at):
            find(f"{old.name}: chunk {i} is packed otherwise")


def check(node, new, splits, kept):
    was = {name: repr(node.attrs[name]) for name in node.attrs}
    if kept and was != {name: repr(new[node.name].attrs[name]) for name in new[node.name].attrs}:
        find(f"{node.name}: has other attributes")
    for name in node:
        link = node.get(name, getlink=True)
        path = f"{node.name.rstrip('/')}/{name}"
        if not isinstance(link, h5py.HardLink):
            other = new.get(path, getlink=True) if kept else None
            if kept and (type(other), other.path) != (type(link), link.path):
                find(f"{path}: is another link")
        elif is_table(node[name]):
            check_table(node[name], new, path, splits)
        elif is_container(node[name]):
            if kept or path in new:
                check(node[name], new, splits, kept)
        elif kept:
            check_kept(node[name], new[path])
        elif path in new:
            find(f"{path}: is there")


def main():
    old, new, *ways = sys.argv[1:]
    with h5py.File(old) as before, h5py.File(new) as after:
        check(before["/"], after, "--split" in ways, "--kept" in ways)
    print("\n".join(FINDINGS), end="\n" if FINDINGS else "")


main()
