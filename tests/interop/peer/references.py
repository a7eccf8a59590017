"""H5T_STD_REF for h5py, which knows only the references of older HDF5 (HEP001 §5)."""

import ctypes

import h5py

from native import Id, Text, declare, hdf5

_STD_REF = Id.in_dll(hdf5, "H5T_STD_REF_g").value
_Reference = ctypes.c_uint64 * 8  # H5R_ref_t is 64 bytes, aligned for 8

_equal = declare("H5Tequal", ctypes.c_int, Id, Id)
_copy = declare("H5Tcopy", Id, Id)
_read = declare("H5Aread", ctypes.c_int, Id, Id, ctypes.c_void_p)
_write = declare("H5Awrite", ctypes.c_int, Id, Id, ctypes.c_void_p)
_create = declare("H5Rcreate_object", ctypes.c_int, Id, Text, Id, ctypes.c_void_p)
_open = declare("H5Ropen_object", Id, ctypes.c_void_p, Id, Id)
_destroy = declare("H5Rdestroy", ctypes.c_int, ctypes.c_void_p)
_name = declare("H5Iget_name", ctypes.c_ssize_t, Id, Text, ctypes.c_size_t)
_close = declare("H5Oclose", ctypes.c_int, Id)


def is_std_ref(datatype):
    """Whether an h5py.h5t.TypeID is H5T_STD_REF."""
    return _equal(datatype.id, _STD_REF) > 0


def _path_of(reference):
    opened = _open(ctypes.byref(reference), 0, 0)
    if opened < 0:
        raise ValueError("a reference resolves to nothing")
    try:
        room = ctypes.create_string_buffer(_name(opened, None, 0) + 1)
        _name(opened, room, len(room))
        return room.value.decode()
    finally:
        _close(opened)


def resolve(owner, name):
    """The paths of the objects that the attribute `name` of an h5py object refers to."""
    attribute = h5py.h5a.open(owner.id, name.encode())
    if not is_std_ref(attribute.get_type()):
        raise TypeError(f"{owner.name}: {name} is not of H5T_STD_REF")
    references = (_Reference * attribute.get_space().get_simple_extent_npoints())()
    if len(references) > 0 and _read(attribute.id, _STD_REF, references) < 0:
        raise ValueError(f"{owner.name}: {name} cannot be read")
    paths = [_path_of(reference) for reference in references]
    for reference in references:
        _destroy(ctypes.byref(reference))
    return paths


def write(owner, name, targets):
    """Attribute `name` with references to h5py objects: scalar for one object, 1-D for a list."""
    is_list = isinstance(targets, list)
    targets = targets if is_list else [targets]
    references = (_Reference * len(targets))()
    for reference, target in zip(references, targets, strict=True):
        made = _create(owner.file.id.id, target.name.encode(), 0, ctypes.byref(reference))
        if made < 0:
            raise ValueError(f"no reference to {target.name}")
    space = h5py.h5s.create_simple((len(targets),)) if is_list else h5py.h5s.create(h5py.h5s.SCALAR)
    datatype = h5py.h5t.TypeReferenceID(_copy(_STD_REF))
    attribute = h5py.h5a.create(owner.id, name.encode(), datatype, space)
    if len(targets) > 0 and _write(attribute.id, _STD_REF, references) < 0:
        raise ValueError(f"{owner.name}: {name} cannot be written")
    for reference in references:
        _destroy(ctypes.byref(reference))
