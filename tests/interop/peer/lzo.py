"""LZO, which the wheels of PyTables lack: liblzo2 packs what PyTables wrote, and unpacks what it is to read."""

import ctypes
import math

import h5py
import numpy as np

NUMBER = 305  # of the filter, as PyTables registered it
WORK = 16384 * 8  # bytes that the packer works in

_library = ctypes.CDLL("liblzo2.so.2")


def packed(raw):
    """One LZO1X stream, as PyTables' filter makes it."""
    room = ctypes.create_string_buffer(len(raw) + len(raw) // 16 + 67)
    n = ctypes.c_ulong(len(room))
    work = ctypes.create_string_buffer(WORK)
    if _library.lzo1x_1_compress(raw, ctypes.c_ulong(len(raw)), room, ctypes.byref(n), work) != 0:
        raise RuntimeError("liblzo2 packs nothing")
    return room.raw[: n.value]


def unpacked(raw, n):
    """The n bytes of an LZO1X stream."""
    room = ctypes.create_string_buffer(n)
    found = ctypes.c_ulong(n)
    if _library.lzo1x_decompress_safe(raw, ctypes.c_ulong(len(raw)), room, ctypes.byref(found), None) != 0:
        raise RuntimeError("liblzo2 unpacks nothing")
    return room.raw[: found.value]


def shuffled(raw, size):
    """Byte 0 of each element, then byte 1; what makes no element stays at the end."""
    whole = len(raw) // size * size
    planes = np.frombuffer(raw[:whole], "u1").reshape(-1, size).T
    return planes.tobytes() + raw[whole:]


def unshuffled(raw, size):
    whole = len(raw) // size * size
    planes = np.frombuffer(raw[:whole], "u1").reshape(size, -1).T
    return planes.tobytes() + raw[whole:]


def pack(file, path, shuffle=True):
    """Pack the chunks of a dataset that has no filter, or the checksum alone."""
    dataset = file[path].id
    size = dataset.get_type().get_size()
    how = creation_of(dataset)
    if dataset.get_create_plist().get_nfilters():
        how.set_fletcher32()
    if shuffle:
        how.set_shuffle()
    how.set_filter(NUMBER, h5py.h5z.FLAG_OPTIONAL, (5, 0, 0))
    rewrite(file, path, how, lambda raw: packed(shuffled(raw, size) if shuffle else raw))


def unpack(file, path):
    """The same dataset without filters; false if its last one is not LZO, or another is not shuffle."""
    dataset = file[path].id
    how = dataset.get_create_plist()
    ids = [how.get_filter(i)[0] for i in range(how.get_nfilters())]
    if ids[-1:] != [NUMBER] or not set(ids[:-1]) <= {h5py.h5z.FILTER_SHUFFLE}:
        return False
    size = dataset.get_type().get_size()
    n = math.prod(how.get_chunk()) * size
    rewrite(file, path, creation_of(dataset), lambda raw: unshuffled(unpacked(raw, n), size)
            if len(ids) > 1 else unpacked(raw, n))  # fmt: skip
    return True


def creation_of(dataset):
    old = dataset.get_create_plist()
    how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    how.set_chunk(old.get_chunk())
    how.set_fill_time(old.get_fill_time())
    return how


def rewrite(file, path, how, convert):
    """Put a dataset with other filters in the place of one, each chunk converted, with its attributes."""
    old = file[path].id
    new = h5py.h5d.create(file.id, None, old.get_type(), old.get_space(), how)
    for i in range(old.get_num_chunks()):
        at = old.get_chunk_info(i).chunk_offset
        new.write_direct_chunk(at, convert(bytes(old.read_direct_chunk(at)[1])))
    for i in range(h5py.h5a.get_num_attrs(old)):
        copy_attribute(h5py.h5a.open(old, index=i), new)
    del file[path]
    file[path] = h5py.Dataset(new)


def copy_attribute(old, new):
    made = h5py.h5a.create(new, old.name, old.get_type(), old.get_space())
    if old.shape is not None:
        value = np.empty(old.shape, old.dtype)
        old.read(value, old.get_type())
        made.write(value, old.get_type())
