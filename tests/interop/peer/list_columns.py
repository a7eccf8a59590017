"""A table of random list columns (HEP001-2026-07 §9) by h5py, and what its rows are.

usage: list_columns.py make FILE SEED     writes FILE, prints the rows as JSON lines
       list_columns.py arrow FILE         the same of an Arrow file, through Parquet
       list_columns.py to_arrow FILE OUT  makes an Arrow file of JSON lines, with types of this module
       list_columns.py read FILE PATH     the rows of a table that another program wrote, by the rules
                                          of §9; ends with the first rule that is broken
"""

import json
import sys

import h5py
import numpy as np

LEAVES = ("<i1", ">i2", "<i4", ">i8", "<u2", ">f4", "<f8", "bool", "S3", "text")


def put_text(group, name, value):
    """A null-terminated attribute."""
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(len(value) + 1)
    attribute = h5py.h5a.create(group.id, name.encode(), kind, h5py.h5s.create(h5py.h5s.SCALAR))
    attribute.write(np.array(value.encode(), f"S{len(value) + 1}"))


def put(rng, group, name, values, fill=None):
    """A dataset in some storage, with elements behind those that count."""
    residue = np.resize(values, rng.integers(0, 4)) if len(values) else values
    values = np.concatenate([values, residue]).astype(values.dtype)
    storage = [{}, {"chunks": (int(rng.integers(1, 40)),), "maxshape": (None,)}]
    storage.append({**storage[1], "compression": "gzip", "shuffle": True})
    how = storage[rng.integers(0, 3)]
    group.create_dataset(name, data=values, fillvalue=fill, **how)


def put_level(rng, group, lists):
    """OFFSETS and MASK of lists, None where one is missing; the entries of the next level."""
    lengths = [0 if entry is None else len(entry) for entry in lists]
    put(rng, group, "OFFSETS", np.concatenate([[0], np.cumsum(lengths)]).astype(rng.choice(["<u8", ">u8"])))
    if None in lists or rng.integers(0, 2):
        put(rng, group, "MASK", np.array([entry is not None for entry in lists], bool))
    return [item for entry in lists if entry is not None for item in entry]


def put_column(rng, group, lists, depth, leaf):
    put_text(group, "CLASS", "LIST_COLUMN")
    put_text(group, "KIND", "OFFSETS")
    items = put_level(rng, group, lists)
    if depth > 1:
        put_column(rng, group.create_group("VALUES"), items, depth - 1, leaf)
    elif leaf == "text":
        values = group.create_group("VALUES")
        put_text(values, "CLASS", "STRING_VALUES")
        coded = [None if item is None else item.encode() for item in items]
        chars = put_level(rng, values, coded)
        put(rng, values, "CHARS", np.array(chars, np.uint8))
    else:
        fill = fill_of(leaf)
        stored = [fill if item is None else item for item in items]
        if leaf == "S3":
            stored = [item if isinstance(item, bytes) else item.encode() for item in stored]
        put(rng, group, "VALUES", np.array(stored, leaf), fill)


def fill_of(leaf):
    kind = np.dtype("S" if leaf == "text" else leaf).kind
    return {"b": None, "i": 7, "u": 7, "f": np.nan, "S": b""}[kind]


def element(rng, leaf):
    if leaf != "bool" and rng.integers(0, 6) == 0:
        return None  # missing
    if leaf == "bool":
        return bool(rng.integers(0, 2))
    if leaf == "text":
        return "".join(rng.choice(list("aé李 \"\n"), rng.integers(0, 4)))
    if leaf == "S3":
        return "".join(rng.choice(list("xyz"), rng.integers(1, 4)))
    return float(rng.integers(-40, 40)) / 2 if leaf[1] == "f" else int(rng.integers(8, 100))


def entry(rng, depth, leaf):
    if depth == 0:
        return element(rng, leaf)
    if rng.integers(0, 5) == 0:
        return None
    return [entry(rng, depth - 1, leaf) for _ in range(rng.integers(0, 5))]


def make(name, seed):
    rng = np.random.default_rng(int(seed))
    n = int(rng.integers(0, 60))
    columns = {"id": list(range(n))}
    with h5py.File(name, "w") as file:
        table = file.create_group("t")
        put_text(table, "CLASS", "COLUMN_TABLE")
        put_text(table, "VERSION", "1.0")
        table.attrs["NROWS"] = np.uint64(n)
        order = [b"id"] + [b"v%d" % i for i in range(len(LEAVES))]
        table.attrs.create("column-order", order, dtype=h5py.string_dtype("utf-8", 2))
        table.create_dataset("id", data=np.arange(n, dtype="<i8"), fillvalue=-1)
        for i, leaf in enumerate(LEAVES):
            depth = int(rng.integers(1, 4))
            lists = [entry(rng, depth, leaf) for _ in range(n)]
            put_column(rng, table.create_group(f"v{i}"), lists, depth, leaf)
            columns[f"v{i}"] = lists
    for i in range(n):
        print(json.dumps({key: rows[i] for key, rows in columns.items()}))


def arrow(name):
    import pyarrow.ipc
    import pyarrow.parquet

    table = pyarrow.ipc.open_file(name).read_all()
    table.validate(full=True)
    pyarrow.parquet.write_table(table, "t.parquet")
    for row in pyarrow.parquet.read_table("t.parquet").to_pylist():
        print(json.dumps(row))


def shown(value):
    value = value.item() if isinstance(value, np.generic) else value
    return value.decode() if isinstance(value, bytes) else value


def is_boolean(dtype):
    return h5py.check_enum_dtype(dtype) == {"FALSE": 0, "TRUE": 1}


def elements(dataset, n):
    """The first n elements; None where one is missing (§8.5)."""
    assert dataset.ndim == 1 and dataset.shape[0] >= n, dataset.name
    assert h5py.check_vlen_dtype(dataset.dtype) is None, f"{dataset.name}: §9.5"
    values = dataset[:n]
    if dataset.dtype == bool:  # h5py's name of FALSE and TRUE
        return [bool(value) for value in values]
    has_fill = dataset.id.get_create_plist().fill_value_defined() == h5py.h5d.FILL_VALUE_USER_DEFINED
    fill = dataset.fillvalue
    is_bool = "valid_max" in dataset.attrs and dataset.attrs["valid_max"] == 1 and dataset.dtype == np.uint8
    return [None if has_fill and (value == fill or (fill != fill and value != value))
            else bool(value) if is_bool else shown(value) for value in values]  # fmt: skip


def numbers(dataset, dtype, n):
    assert dataset.ndim == 1 and dataset.dtype.newbyteorder("<") == np.dtype(dtype), dataset.name
    assert dataset.shape[0] >= n, f"{dataset.name} has {dataset.shape[0]} elements, not {n}"
    return dataset[:n]


def entries(group, n):
    """The first n entries of a level (§9.2-§9.4)."""
    members = set(group)
    leaf = "CHARS" if "CHARS" in members else "VALUES"
    assert members - {"MASK"} == {"OFFSETS", leaf}, f"{group.name}: {members}"
    is_text = leaf == "CHARS"
    for name, value in [("CLASS", "STRING_VALUES" if is_text else "LIST_COLUMN"), ("KIND", "OFFSETS")]:
        if not (is_text and name == "KIND"):
            kind = group.attrs.get_id(name).get_type()
            assert kind.get_strpad() == h5py.h5t.STR_NULLTERM and group.attrs[name] == value.encode(), name
    offsets = [int(at) for at in numbers(group["OFFSETS"], "<u8", n + 1)]
    assert offsets[0] == 0 and offsets == sorted(offsets), f"{group['OFFSETS'].name}: {offsets}"
    present = [True] * n
    if "MASK" in members:
        assert group["MASK"].dtype == bool, group["MASK"].dtype
        present = [bool(value) for value in group["MASK"][:n]]
        assert len(present) == n
    if is_text:
        values = bytes(numbers(group[leaf], "u1", offsets[n]))
    elif isinstance(group[leaf], h5py.Group):
        values = entries(group[leaf], offsets[n])
    else:
        values = elements(group[leaf], offsets[n])
    found = []
    for i in range(n):
        assert present[i] or offsets[i] == offsets[i + 1], f"{group.name}: entry {i} is null and has a slice"
        slice_ = values[offsets[i] : offsets[i + 1]]
        found.append((slice_.decode() if is_text else slice_) if present[i] else None)
    return found


def read(name, path):
    with h5py.File(name) as file:
        table = file[path]
        n = int(table.attrs["NROWS"])
        order = [c.decode() for c in np.atleast_1d(table.attrs["column-order"])]
        assert set(order) == set(table) - {"CATEGORIES", "SEARCH_INDEXES"}, order
        columns = {}
        for column in order:
            is_list = isinstance(table[column], h5py.Group)
            columns[column] = entries(table[column], n) if is_list else elements(table[column], n)
    for i in range(n):
        print(json.dumps({key: rows[i] for key, rows in columns.items()}))


def to_arrow(name, out):
    """The batches have a few rows each, some of them none; lists are large in every other column."""
    import pyarrow as pa

    def type_of(values, depth):
        lists = [value for value in values if isinstance(value, list)]
        if lists:
            items = [item for value in lists for item in value]
            return (pa.large_list if depth else pa.list_)(type_of(items, 1 - depth))
        kinds = {type(value) for value in values} - {type(None)}
        return {bool: pa.bool_(), int: pa.int16(), float: pa.float32(), str: pa.string()}[kinds.pop()]

    rows = [json.loads(line) for line in open(name)]
    schema = pa.schema([(key, type_of([row[key] for row in rows], i % 2)) for i, key in enumerate(rows[0])])
    with pa.OSFile(out, "wb") as file, pa.ipc.new_file(file, schema) as writer:
        for first in range(0, len(rows) + 7, 7):
            part = rows[first : first + 7]
            writer.write_batch(pa.RecordBatch.from_pylist(part, schema))
            writer.write_batch(pa.RecordBatch.from_pylist([], schema))


globals()[sys.argv[1]](*sys.argv[2:])
