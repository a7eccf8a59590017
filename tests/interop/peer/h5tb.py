"""What HDF5's own H5TB reads of a table that Stoa wrote, and whether it appends to it.

    h5tb.py FILE PATH
    h5tb.py FILE PATH types

With a third word it prints the fields' types, which H5TB can read, and what is said of them. Else it
prints JSON: names, types' sizes, offsets, title, rows of (a: int32, x: float64, s: char[4]), before
and after the first row was appended once more.
"""

import ctypes
import json
import sys

import h5py
import h5py.h5ds
import numpy as np

from native import hdf5 as h5

hl = ctypes.CDLL(h5py.h5ds.__file__)  # the part of h5py that is linked with the high-level library
hid, size = ctypes.c_int64, ctypes.c_uint64
h5.H5Fopen.restype = hid
h5.H5Fopen.argtypes = [ctypes.c_char_p, ctypes.c_uint, hid]
h5.H5Fclose.argtypes = [hid]
ROW = np.dtype([("a", "<i4"), ("x", "<f8"), ("s", "S4")], align=True)  # as C has it


def call(name, file, *arguments):
    function = getattr(hl, name)
    if function(hid(file), sys.argv[2].encode(), *arguments) < 0:
        sys.exit(f"{name} failed")


def fields(file):
    """Rows, bytes of a row, and names, sizes and offsets of its fields."""
    n_fields, n_rows, row_size = size(), size(), size()
    call("H5TBget_table_info", file, ctypes.byref(n_fields), ctypes.byref(n_rows))
    n = n_fields.value
    names = [ctypes.create_string_buffer(64) for _ in range(n)]
    pointers = (ctypes.c_char_p * n)(*(ctypes.addressof(name) for name in names))
    sizes, offsets = (size * n)(), (size * n)()
    call("H5TBget_field_info", file, pointers, sizes, offsets, ctypes.byref(row_size))
    return n_rows.value, row_size, [name.value.decode() for name in names], sizes, offsets


def read(file):
    n_rows, row_size, names, sizes, offsets = fields(file)
    rows = np.zeros(n_rows, ROW)
    call("H5TBread_table", file, row_size, offsets, sizes, rows.ctypes.data_as(ctypes.c_void_p))
    return {
        "names": names,
        "sizes": list(sizes),
        "offsets": list(offsets),
        "rows": [[int(a), float(x), bytes(s).decode()] for a, x, s in rows],
    }, (row_size, offsets, sizes, rows)


def word_of(kind):
    if h5py.check_enum_dtype(kind):
        return "enum"
    if kind.subdtype:
        return f"('{kind.subdtype[0].str[1:]}', {kind.subdtype[1]})"
    return kind.str


def types(file):
    """H5TB reads all rows, in the layout that it computes itself; h5py says what they are."""
    n_rows, row_size, names, sizes, offsets = fields(file)
    rows = ctypes.create_string_buffer(row_size.value * max(1, n_rows))
    call("H5TBread_table", file, row_size, offsets, sizes, rows)
    with h5py.File(sys.argv[1]) as opened:
        table = opened[sys.argv[2]]
        said = {}
        for i, name in enumerate(names):
            stored = table.id.get_type().get_member_type(i)
            is_bits = stored.get_class() == h5py.h5t.BITFIELD
            said[name] = "bits" if is_bits else word_of(table.dtype[name])
            if stored.get_class() == h5py.h5t.TIME:
                said[name] = "time"
        notes = {k: v for k, v in table.attrs.items() if "_ATTR_" in k}
        print(json.dumps(said | {k: str(getattr(v, "decode", lambda v=v: v)()) for k, v in notes.items()}))


file = h5.H5Fopen(sys.argv[1].encode(), 1, 0)
if len(sys.argv) > 3:
    types(file)
    sys.exit()
before, (row_size, offsets, sizes, rows) = read(file)
call("H5TBappend_records", file, size(1), row_size, offsets, sizes,
     rows[:1].ctypes.data_as(ctypes.c_void_p))  # fmt: skip
after, _ = read(file)
h5.H5Fclose(file)
print(json.dumps([before, after]))
