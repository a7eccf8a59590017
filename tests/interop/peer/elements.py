"""Elements of a dataset as Python has them, decoded from their bytes in the file (HEP001 §10.5, §10.7).

Nothing is converted by libhdf5, but for strings of variable length: integers of any width and byte
order, floats, strings of each padding and opaque bytes are taken apart here.
"""

import ctypes
import math

import numpy as np
from h5py import h5d, h5s, h5t

from native import Id, declare

_get_fill_value = declare("H5Pget_fill_value", ctypes.c_int, Id, Id, ctypes.c_void_p)


def raw_elements(dataset):
    """The elements of a dataset (an h5py.h5d.DatasetID), each as its bytes."""
    datatype = dataset.get_type()
    size = datatype.get_size()
    room = np.empty(dataset.get_space().get_simple_extent_dims(), f"V{size}")
    if room.size > 0:
        dataset.read(h5s.ALL, h5s.ALL, room, datatype)
    data = room.tobytes()
    return [data[i : i + size] for i in range(0, len(data), size)]


def decoder(datatype):
    """A function from an element's bytes to int, float or bytes; None if the type has no order."""
    kind = datatype.get_class()
    if kind == h5t.ENUM:
        return decoder(datatype.get_super())
    if kind == h5t.INTEGER:
        return _integers(datatype)
    if kind == h5t.FLOAT and datatype.get_size() in (2, 4, 8):
        order = ">" if datatype.get_order() == h5t.ORDER_BE else "<"
        dtype = np.dtype(f"{order}f{datatype.get_size()}")
        return lambda data: float(np.frombuffer(data, dtype)[0])
    if kind == h5t.STRING and not datatype.is_variable_str():
        return {
            h5t.STR_NULLTERM: lambda data: data.split(b"\0", 1)[0],
            h5t.STR_NULLPAD: lambda data: data.rstrip(b"\0"),
            h5t.STR_SPACEPAD: lambda data: data.rstrip(b" "),
        }[datatype.get_strpad()]
    if kind == h5t.OPAQUE:
        return lambda data: data
    return None


def _integers(datatype):
    order = "big" if datatype.get_order() == h5t.ORDER_BE else "little"
    is_signed = datatype.get_sign() == h5t.SGN_2
    return lambda data: int.from_bytes(data, order, signed=is_signed)


class Values:
    """The rows [0, n_rows) of a column: `values`, and `missing`, a bool a row (§8.5)."""

    def __init__(self, dataset, n_rows):
        self.dataset, self.id = dataset, dataset.id
        self.datatype = dataset.id.get_type()
        self.dcpl = dataset.id.get_create_plist()
        self.is_float = self.datatype.get_class() == h5t.FLOAT
        is_text = self.datatype.get_class() == h5t.STRING
        if is_text and self.datatype.is_variable_str():
            self.values = [v if isinstance(v, bytes) else v.encode() for v in dataset[:n_rows]]
            fill = dataset.fillvalue
            self.fill = fill.encode() if isinstance(fill, str) else (fill or b"")
            self.missing = [value == self.fill for value in self.values]
            return
        decode = decoder(self.datatype)
        raw = raw_elements(dataset.id)[:n_rows]
        fill = fill_bytes(self.dcpl, self.datatype)
        self.values = [decode(element) for element in raw]
        self.fill = decode(fill)
        if self.is_float and math.isnan(self.fill):
            self.missing = [math.isnan(value) for value in self.values]
        else:
            self.missing = [element == fill for element in raw]

    def is_nan(self, row):
        return self.is_float and math.isnan(self.values[row])

    def known(self, rows):
        """Those of the rows whose values are neither missing nor NaN."""
        return [row for row in rows if not self.missing[row] and not self.is_nan(row)]

    def chunks(self):
        """The rows of each chunk that holds some; all of them if the column is not chunked."""
        n = len(self.values)
        is_chunked = self.dcpl.get_layout() == h5d.CHUNKED
        length = self.dcpl.get_chunk()[0] if is_chunked else max(n, 1)
        return [range(first, min(first + length, n)) for first in range(0, n, length)]


def fill_bytes(dcpl, datatype):
    room = ctypes.create_string_buffer(datatype.get_size())
    if _get_fill_value(dcpl.id, datatype.id, room) < 0:
        raise ValueError("a fill value cannot be read")
    return room.raw
