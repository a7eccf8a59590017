"""CHUNK_MINMAX recomputed from the words of HEP001 §10.4, by numpy and Python's own min and max."""

import numpy as np
from h5py import h5d, h5t

FIELDS = [b"min", b"max", b"nan_count", b"fill_count", b"n"]


def findings(column, n_rows, index):
    """What is wrong with the index of a column."""
    yield from _datatype(column, index.id.get_type())
    length = _chunk_length(column, n_rows)
    n_chunks = -(-n_rows // length)
    if index.shape != (n_chunks,):
        yield f"shape {index.shape}, not ({n_chunks},)"
        return
    for i, entry in enumerate(index[:]):
        rows = slice(i * length, min((i + 1) * length, n_rows))
        wanted = entry_of(column.raw[rows], column.missing[rows], column.fill)
        for field, value in zip(FIELDS, wanted, strict=True):
            found = entry[field.decode()]
            if not _same(found, value):
                yield f"entry {i}: {field.decode()} is {found!r}, not {value!r}"


def entry_of(raw, missing, fill):
    """(min, max, nan_count, fill_count, n) of a chunk's rows."""
    nan = np.isnan(raw) if raw.dtype.kind == "f" else np.zeros(len(raw), bool)
    ordered = raw[~missing & ~nan].tolist()  # bytes compare as §10.5 wants strings compared
    low, high = (min(ordered), max(ordered)) if ordered else (fill, fill)
    return low, high, int(nan.sum()), int(missing.sum()), len(raw)


def _chunk_length(column, n_rows):
    chunked = column.dcpl.get_layout() == h5d.CHUNKED
    return column.dcpl.get_chunk()[0] if chunked else max(n_rows, 1)


def _same(a, b):
    """-0.0 is 0.0 (§10.5), and any NaN is as good as a NaN fill."""
    return a == b or (a != a and b != b)


def _datatype(column, datatype):
    if datatype.get_class() != h5t.COMPOUND:
        yield "no compound datatype"
        return
    names = [datatype.get_member_name(i) for i in range(datatype.get_nmembers())]
    if names != FIELDS:
        yield f"fields {names}, not {FIELDS}"
        return
    for i, name in enumerate(names):
        wanted = column.datatype if i < 2 else h5t.STD_U64LE
        if not datatype.get_member_type(i).equal(wanted):
            yield f"field {name}: not of the right datatype"
