"""What HDF5's own H5TB reads of a table that Stoa wrote, and whether it appends to it.

    h5tb.py FILE PATH

Prints JSON: names, types' sizes, offsets, title, rows of (a: int32, x: float64, s: char[4]), before
and after the first row was appended once more.
"""

import ctypes
import glob
import json
import sys

import numpy as np

h5 = ctypes.CDLL(glob.glob("/usr/lib/*/libhdf5_serial.so.*")[0], ctypes.RTLD_GLOBAL)
hl = ctypes.CDLL(glob.glob("/usr/lib/*/libhdf5_serial_hl.so.*")[0])
hid, size = ctypes.c_int64, ctypes.c_uint64
h5.H5Fopen.restype = hid
h5.H5Fopen.argtypes = [ctypes.c_char_p, ctypes.c_uint, hid]
h5.H5Fclose.argtypes = [hid]
ROW = np.dtype([("a", "<i4"), ("x", "<f8"), ("s", "S4")], align=True)  # as C has it


def call(name, file, *arguments):
    function = getattr(hl, name)
    if function(hid(file), sys.argv[2].encode(), *arguments) < 0:
        sys.exit(f"{name} failed")


def read(file):
    n_fields, n_rows, row_size = size(), size(), size()
    call("H5TBget_table_info", file, ctypes.byref(n_fields), ctypes.byref(n_rows))
    n = n_fields.value
    names = [ctypes.create_string_buffer(64) for _ in range(n)]
    pointers = (ctypes.c_char_p * n)(*(ctypes.addressof(name) for name in names))
    sizes, offsets = (size * n)(), (size * n)()
    call("H5TBget_field_info", file, pointers, sizes, offsets, ctypes.byref(row_size))
    rows = np.zeros(n_rows.value, ROW)
    call("H5TBread_table", file, row_size, offsets, sizes, rows.ctypes.data_as(ctypes.c_void_p))
    return {
        "names": [name.value.decode() for name in names],
        "sizes": list(sizes),
        "offsets": list(offsets),
        "rows": [[int(a), float(x), bytes(s).decode()] for a, x, s in rows],
    }, (row_size, offsets, sizes, rows)


file = h5.H5Fopen(sys.argv[1].encode(), 1, 0)
before, (row_size, offsets, sizes, rows) = read(file)
call("H5TBappend_records", file, size(1), row_size, offsets, sizes,
     rows[:1].ctypes.data_as(ctypes.c_void_p))  # fmt: skip
after, _ = read(file)
h5.H5Fclose(file)
print(json.dumps([before, after]))
