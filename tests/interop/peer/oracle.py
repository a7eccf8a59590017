"""What HEP001 §10.4 to §10.7 demand of the contents of search indexes.

    oracle.py [--killed] FILE...

Every index that a column refers to is recomputed from the column's own bytes, by the words of the
specification alone. Prints one line for each thing that is not so, then the number of indexes of
each kind that were looked at.

Indexes whose validity tokens do not pass (HEP001-2026-07 §12.2) are not there for a reader. In a
table that shows tokens they are a finding, unless its writer was `--killed`: then they are counted
as "stale", and so are files that HDF5 cannot read, as "unreadable".
"""

import math
import struct
import sys

import h5py
from h5py import h5a, h5s, h5t

import elements
import murmur3
import references

COUNTS = [b"nan_count", b"fill_count", b"n"]


def same(a, b):
    """-0.0 is 0.0 (§10.5), and any NaN is as good as a NaN fill."""
    return a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))


# --- attributes ----------------------------------------------------------------------------------


def scalar(index, name, datatype):
    """(value, finding) of a scalar attribute of that datatype."""
    if name not in index.attrs.keys():
        return None, f"{name} is missing"
    attribute = h5a.open(index.id, name.encode())
    if not attribute.get_type().equal(datatype):
        return None, f"{name} is of another datatype"
    if attribute.get_space().get_simple_extent_type() != h5s.SCALAR:
        return None, f"{name} is not scalar"
    return index.attrs[name], None


def ordered(index):
    """(value or None if absent, finding) of the boolean `ordered` (§6)."""
    if "ordered" not in index.attrs.keys():
        return None, None
    attribute = h5a.open(index.id, b"ordered")
    datatype = attribute.get_type()
    if datatype.get_class() != h5t.ENUM or not datatype.get_super().equal(h5t.STD_I8LE):
        return None, "ordered is no boolean"
    return bool(index.attrs["ordered"]), None


def description(index):
    if "description" not in index.attrs.keys():
        yield "no description (§10.3)"
        return
    datatype = h5a.open(index.id, b"description").get_type()
    if datatype.is_variable_str() or datatype.get_cset() != h5t.CSET_UTF8:
        yield "description is no fixed-length UTF-8 string"


# --- the kinds -----------------------------------------------------------------------------------


def chunk_minmax(column, index):
    """§10.4."""
    datatype = index.id.get_type()
    names = [datatype.get_member_name(i) for i in range(datatype.get_nmembers())]
    if names != [b"min", b"max", *COUNTS]:
        yield f"fields {names}"
        return
    for i in range(5):
        wanted = column.datatype if i < 2 else h5t.STD_U64LE
        if not datatype.get_member_type(i).equal(wanted):
            yield f"field {names[i]} is of another datatype"
            return
    chunks = column.chunks()
    if index.shape != (len(chunks),):
        yield f"shape {index.shape} for {len(chunks)} chunks"
        return
    for i, (rows, found) in enumerate(zip(chunks, entries_of(index, datatype), strict=True)):
        known = [column.values[row] for row in column.known(rows)]
        low, high = (min(known), max(known)) if known else (column.fill, column.fill)
        nans = sum(column.is_nan(row) for row in rows)
        missing = sum(column.missing[row] for row in rows)
        wanted = (low, high, nans, missing, len(rows))
        for name, there, right in zip(names, found, wanted, strict=True):
            if not same(there, right):
                yield f"entry {i}: {name.decode()} is {there!r}, not {right!r}"


def entries_of(index, datatype):
    if datatype.get_member_type(0).is_variable_str() if is_text(datatype) else False:
        for entry in index[:]:
            yield tuple(v if isinstance(v, bytes) or i > 1 else v.encode()
                        for i, v in enumerate(entry.tolist()))  # fmt: skip
        return
    decode = elements.decoder(datatype.get_member_type(0))
    size = datatype.get_member_type(0).get_size()
    offsets = [datatype.get_member_offset(i) for i in range(5)]
    for raw in elements.raw_elements(index.id):
        bounds = [decode(raw[at : at + size]) for at in offsets[:2]]
        yield (*bounds, *(struct.unpack_from("<Q", raw, at)[0] for at in offsets[2:]))


def is_text(datatype):
    return datatype.get_member_type(0).get_class() == h5t.STRING


def sorted_rows(column, index):
    """§10.5."""
    datatype = index.id.get_type()
    if datatype.get_class() != h5t.INTEGER or datatype.get_sign() != h5t.SGN_NONE:
        yield "not of an unsigned integer"
        return
    n = len(column.values)
    if index.shape != (n,):
        yield f"shape {index.shape} for {n} rows"
        return
    nans = [row for row in range(n) if column.is_nan(row)]
    fills = [row for row in range(n) if column.missing[row] and not column.is_nan(row)]
    ranked = sorted(column.known(range(n)), key=lambda row: column.values[row])  # stable: by row
    decode = elements.decoder(datatype)
    found = [decode(raw) for raw in elements.raw_elements(index.id)]
    wanted = ranked + fills + nans
    if found != wanted:
        at = next(i for i in range(n) if found[i] != wanted[i])
        yield f"rank {at}: row {found[at]}, not {wanted[at]}"
    for name, tail in (("nan_tail_length", nans), ("fill_tail_length", fills)):
        value, finding = scalar(index, name, h5t.STD_U64LE)
        if finding or value != len(tail):
            yield finding or f"{name} is {value}, not {len(tail)}"
    value, finding = ordered(index)
    if finding or value is not True:
        yield finding or "ordered is not true"


def bitmap(column, index):
    """§10.6."""
    [path] = references.resolve(index, "VALUES")
    values = index.file[path]
    n = len(column.values)
    if "KIND" in values.attrs.keys() or values.parent.name != index.parent.name:
        yield "VALUES leads to no accompanying dataset"
    if not values.id.get_type().equal(column.datatype) or values.ndim != 1:
        yield "the values are not of the column's datatype"
        return
    if index.shape != (values.shape[0], -(-n // 8)) or not index.id.get_type().equal(h5t.STD_U8LE):
        yield f"shape {index.shape} for {values.shape[0]} values and {n} rows"
        return
    listed = elements.Values(values, values.shape[0]).values
    for k, value in enumerate(listed):
        rows = {row for row in range(n) if column.values[row] == value}
        found = index[k] if n > 0 else b""
        bits = {row for row in range(n) if found[row // 8] >> row % 8 & 1}
        # Where the fill is one zero, the other is data: missing rows match no comparison, so that
        # whether they are marked beside it is left open. So it is for NaN, which equals nothing.
        wrong = {row for row in bits ^ rows if not column.missing[row] and not column.is_nan(row)}
        if wrong or (bits - rows and value == value):
            yield f"value {k} ({value!r}): rows {sorted(bits ^ rows)[:5]} are marked wrongly"
        if any(same(value, other) for other in listed[:k]):
            yield f"value {k} ({value!r}) is listed twice"
    left_out = {column.values[row] for row in column.known(range(n))} - set(listed)
    if left_out:
        yield f"values {sorted(left_out)[:5]} are left out"
    value, finding = ordered(index)
    if finding:
        yield finding
    is_codes = "CATEGORIES" in column.dataset.attrs.keys()
    if value and not is_codes and listed != sorted(listed):
        yield "ordered is true, and the values are not"


def chunk_bloom(column, index):
    """§10.7."""
    found = {}
    for name, datatype in (("k", h5t.STD_U16LE), ("m_bits", h5t.STD_U64LE), ("seed", h5t.STD_U32LE)):
        found[name], finding = scalar(index, name, datatype)
        if finding:
            yield finding
            return
    family = h5a.open(index.id, b"hash_family").get_type()
    if family.is_variable_str() or family.get_cset() != h5t.CSET_ASCII:
        yield "hash_family is no fixed-length ASCII string"
    if bytes(index.attrs["hash_family"]).rstrip(b"\0") != b"murmur3_x64_128_double":
        yield f"hash_family is {index.attrs['hash_family']!r}"
    chunks = column.chunks()
    m_bits, n_functions, seed = int(found["m_bits"]), int(found["k"]), int(found["seed"])
    if m_bits % 8 != 0 or index.shape != (len(chunks), m_bits // 8):
        yield f"shape {index.shape} for {len(chunks)} chunks of {m_bits} bits"
        return
    if not index.id.get_type().equal(h5t.STD_U8LE):
        yield "not of uint8"
    filled = bits_of(canonical(column, column.fill), n_functions, m_bits, seed)
    for i, rows in enumerate(chunks):
        wanted = set()
        for value in {canonical(column, column.values[row]) for row in column.known(rows)}:
            wanted |= bits_of(value, n_functions, m_bits, seed)
        there = int.from_bytes(index[i].tobytes(), "little")
        there = {bit for bit in range(m_bits) if there >> bit & 1}
        if not wanted <= there:
            yield f"filter {i}: bits {sorted(wanted - there)[:5]} are not set"
        if not there <= wanted | filled:  # of the missing rows it may hold the fill (§10.7)
            yield f"filter {i}: bits {sorted(there - wanted - filled)[:5]} are set without need"


def canonical(column, value):
    """The bytes that are hashed (§10.7)."""
    size = column.datatype.get_size()
    if isinstance(value, float):
        return struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], value + 0.0)  # -0.0 + 0.0 is 0.0
    if isinstance(value, int):
        return value.to_bytes(size, "little", signed=column.datatype.get_sign() == h5t.SGN_2)
    return value


def bits_of(value, n_functions, m_bits, seed):
    h_a, h_b = murmur3.x64_128(value, seed)
    return {(h_a + i * h_b & (1 << 64) - 1) % m_bits for i in range(n_functions)}


KINDS = {
    "CHUNK_MINMAX": chunk_minmax,
    "SORTED_ROWS": sorted_rows,
    "BITMAP": bitmap,
    "CHUNK_BLOOM": chunk_bloom,
}


# --- all of them ---------------------------------------------------------------------------------


def kind_of(index):
    datatype = h5a.open(index.id, b"KIND").get_type()
    if datatype.is_variable_str() or datatype.get_cset() != h5t.CSET_ASCII:
        raise ValueError(f"{index.name}: KIND is no fixed-length ASCII string")
    return bytes(index.attrs["KIND"]).rstrip(b"\0").decode()


def indexes_of(group):
    """(column dataset, index dataset) of a table."""
    for dataset in group.values():
        if isinstance(dataset, h5py.Dataset) and "SEARCH_INDEX_LIST" in dataset.attrs.keys():
            for path in references.resolve(dataset, "SEARCH_INDEX_LIST"):
                yield dataset, dataset.file[path]


def token(owner, name):
    """A scalar uint64 of either byte order; None is anything else."""
    if name not in owner.attrs.keys():
        return None
    attribute = h5a.open(owner.id, name.encode())
    datatype = attribute.get_type()
    is_exact = datatype.equal(h5t.STD_U64LE) or datatype.equal(h5t.STD_U64BE)
    is_scalar = attribute.get_space().get_simple_extent_type() == h5s.SCALAR
    return int(owner.attrs[name]) if is_exact and is_scalar else None


def passes(group, index):
    """§12.2: the one condition under which a reader may use an index."""
    four = [token(group, "GENERATION"), token(group, "NROWS"),
            token(index, "SOURCE_GENERATION"), token(index, "SOURCE_NROWS")]  # fmt: skip
    return None not in four and four[:2] == four[2:]


def judge(path, counts, killed):
    with h5py.File(path) as file:
        group = file["/t"]
        n_rows = int(group.attrs["NROWS"])
        for dataset, index in indexes_of(group):
            if not passes(group, index):
                counts["stale"] += 1
                if not killed and "GENERATION" in group.attrs.keys():
                    print(f"{path}: {index.name} of {dataset.name}: its tokens do not pass")
                continue
            kind = kind_of(index)
            column = elements.Values(dataset, n_rows)
            for finding in [*description(index), *KINDS[kind](column, index)]:
                print(f"{path}: {index.name} of {dataset.name}: {finding}")
            counts[kind] += 1


def main():
    killed = sys.argv[1] == "--killed"
    counts = dict.fromkeys([*KINDS, "stale", "unreadable"], 0)
    for path in sys.argv[1 + killed :]:
        try:
            judge(path, counts, killed)
        except (OSError, RuntimeError, KeyError, ValueError):
            if not killed:
                raise
            counts["unreadable"] += 1
    if not killed:
        del counts["stale"], counts["unreadable"]
    print(" ".join(f"{kind}={count}" for kind, count in counts.items()))


if __name__ == "__main__":
    main()
