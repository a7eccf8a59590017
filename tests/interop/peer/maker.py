"""Making HEP001 tables with h5py, by the words of the specification."""

import ctypes
import math

import h5py
import numpy as np
from h5py import h5a, h5d, h5p, h5s, h5t

import references
from native import Id, Text, declare

_set_fill_value = declare("H5Pset_fill_value", ctypes.c_int, Id, Id, Text)


def text_type(size, padding=h5t.STR_NULLPAD, cset=h5t.CSET_UTF8):
    datatype = h5t.C_S1.copy()
    datatype.set_size(size)
    datatype.set_strpad(padding)
    datatype.set_cset(cset)
    return datatype


def text(owner, name, value, cset=h5t.CSET_UTF8, padding=h5t.STR_NULLTERM):
    """A scalar fixed-length string attribute."""
    raw = value.encode() + (b"\0" if padding == h5t.STR_NULLTERM else b"")
    space = h5s.create(h5s.SCALAR)
    attribute = h5a.create(owner.id, name.encode(), text_type(len(raw), padding, cset), space)
    attribute.write(np.array(raw, f"S{len(raw)}"), attribute.get_type())


def table(file, path, n_rows, version="1.0"):
    group = file.require_group(path)
    text(group, "CLASS", "COLUMN_TABLE", h5t.CSET_ASCII)
    text(group, "VERSION", version, h5t.CSET_ASCII)
    group.attrs.create("NROWS", n_rows, dtype="u8")
    return group


def order(group, names):
    raw = [name.encode() for name in names]
    size = max(map(len, raw))
    space = h5s.create_simple((len(raw),))
    attribute = h5a.create(group.id, b"column-order", text_type(size), space)
    attribute.write(np.array(raw, f"S{size}"), attribute.get_type())


def column(group, name, values, fill, datatype=None, extent=None, chunk=None, filters=None):
    """A column of a numpy array, stored as `datatype`; the rows above it hold whatever repeats."""
    raw = np.asarray(values)
    extent = len(raw) if extent is None else extent
    dcpl = h5p.create(h5p.DATASET_CREATE)
    stored = datatype or h5t.py_create(raw.dtype, logical=True)
    is_text = stored.get_class() == h5t.STRING and not stored.is_variable_str()
    if is_text:
        blank = b" " if stored.get_strpad() == h5t.STR_SPACEPAD else b"\0"
        set_fill(dcpl, stored, fill.ljust(stored.get_size(), blank))
    else:
        set_fill(dcpl, h5t.py_create(raw.dtype, logical=True), np.array(fill, raw.dtype).tobytes())
    if chunk is not None:
        dcpl.set_chunk((chunk,))
    if filters is not None:
        filters(dcpl)
    space = h5s.create_simple((extent,), (h5s.UNLIMITED if chunk is not None else extent,))
    made = h5d.create(group.id, name.encode(), stored, space, dcpl)
    if extent > 0:
        room = np.resize(raw, extent) if len(raw) > 0 else np.zeros(extent, raw.dtype)
        made.write(h5s.ALL, h5s.ALL, np.ascontiguousarray(room), stored if is_text else None)
    return group[name]


def set_fill(dcpl, datatype, element):
    """H5Pset_fill_value of an element's bytes; h5py's own takes few strings and no arrays."""
    if _set_fill_value(dcpl.id, datatype.id, element) < 0:
        raise ValueError("a fill value is refused")


def padded(texts, size, padding=h5t.STR_NULLPAD):
    """Fixed-length strings as their bytes, which numpy would strip of nothing but NULs."""
    pad = b" " if padding == h5t.STR_SPACEPAD else b"\0"
    return np.array([text.encode().ljust(size, pad) for text in texts], f"S{size}")


def shown(value, fill):
    """A value as JSON has it."""
    if isinstance(value, (float, np.floating)):
        if math.isnan(value):
            return None if fill is not None and math.isnan(fill) else "NaN"
        if value == fill and math.copysign(1, value) == math.copysign(1, fill):
            return None
        return float(value) if math.isfinite(value) else ("-" if value < 0 else "") + "Infinity"
    if value == fill:
        return None
    return int(value) if isinstance(value, (int, np.integer)) else value


def boolean(owner, name, value):
    """§6."""
    datatype = h5t.enum_create(h5t.STD_I8LE)
    datatype.enum_insert(b"FALSE", 0)
    datatype.enum_insert(b"TRUE", 1)
    attribute = h5a.create(owner.id, name.encode(), datatype, h5s.create(h5s.SCALAR))
    attribute.write(np.array(value, "i1"), datatype)


def categories(group, name, labels, columns, ordered=False):
    """A code book that the columns share (§8.7)."""
    book = group.require_group("CATEGORIES").create_dataset(
        name, data=labels, dtype=h5py.string_dtype()
    )
    boolean(book, "ordered", ordered)
    for of in columns:
        references.write(of, "CATEGORIES", book)


def index(column, name, entries, kind="CHUNK_MINMAX"):
    """A search index of the column (§10); `entries` is a numpy array."""
    indexes = column.parent.require_group("SEARCH_INDEXES")
    made = indexes.create_dataset(name, data=entries)
    text(made, "KIND", kind, h5t.CSET_ASCII)
    text(made, "description", "made by h5py")
    references.write(column, "SEARCH_INDEX_LIST", [made])


def minmax(column, entries):
    """Entries (min, max, nan_count, fill_count, n) of a CHUNK_MINMAX index (§10.4)."""
    fields = [("min", column.dtype), ("max", column.dtype)]
    fields += [(field, "u8") for field in ("nan_count", "fill_count", "n")]
    return np.array(entries, np.dtype(fields))
