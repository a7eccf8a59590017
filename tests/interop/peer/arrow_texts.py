"""pyarrow hands columns of strings to libstoa through the C stream interface, and gets them back.

Usage: arrow_texts.py LIBRARY FILE. Prints what is not as it should be.
"""

import ctypes
import random
import sys

import pyarrow as pa

CREATE, READ = 2, 0
ROWS = 30000


class Error(ctypes.Structure):
    _fields_ = [
        ("status", ctypes.c_int),
        ("where", ctypes.c_char * 512),
        ("message", ctypes.c_char * 1024),
    ]


class Stoa:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.stoa_file_id.restype = ctypes.c_int64
        self.library.stoa_file_id.argtypes = [ctypes.c_void_p]

    def call(self, name, *arguments):
        error = Error()
        if getattr(self.library, name)(*arguments, ctypes.byref(error)) != 0:
            raise RuntimeError(f"{name}: {error.where.decode()}: {error.message.decode()}")

    def write(self, path, place, reader):
        file = ctypes.c_void_p()
        stream = ctypes.create_string_buffer(256)
        self.call("stoa_file_open", path.encode(), CREATE, ctypes.byref(file))
        reader._export_to_c(ctypes.addressof(stream))
        identity = ctypes.c_int64(self.library.stoa_file_id(file))
        self.call("stoa_table_write", identity, place.encode(), stream, None, None)
        self.call("stoa_file_commit", file)

    def read(self, path, place):
        file, table, query = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        stream = ctypes.create_string_buffer(256)
        self.call("stoa_file_open", path.encode(), READ, ctypes.byref(file))
        identity = ctypes.c_int64(self.library.stoa_file_id(file))
        self.call("stoa_table_open", identity, place.encode(), ctypes.byref(table))
        self.call("stoa_query_open", table, None, ctypes.byref(query))
        self.call("stoa_query_run", query, stream)
        found = pa.RecordBatchReader._import_from_c(ctypes.addressof(stream)).read_all()
        self.library.stoa_query_close(query)
        self.library.stoa_table_close(table)
        self.library.stoa_file_close(file)
        return found


def columns():
    """Each column's name, type and values; whether Stoa is to keep it as categories."""
    at_random = random.Random(7)
    words = ["muon", "electron", "", None, "zürich", "ein längerer Name " * 3]
    many = [f"run {at_random.randrange(5000)}" for _ in range(ROWS)]
    late = ["x"] * (ROWS // 2) + [f"id {i}" for i in range(ROWS - ROWS // 2)]
    few = [at_random.choice(words) for _ in range(ROWS)]
    return {
        "few": (pa.string(), few, True),
        "large": (pa.large_string(), few, True),
        "many": (pa.string(), many, True),
        "late": (pa.string(), late, False),
        "ids": (pa.string(), [f"{i:x}" for i in range(ROWS)], False),
        "none": (pa.string(), [None] * ROWS, False),
        "chosen": (pa.dictionary(pa.int32(), pa.string()), few, True),
    }


def main(library, path):
    stoa = Stoa(library)
    wanted = columns()
    arrays = [pa.array(values, type) for type, values, _ in wanted.values()]
    table = pa.table(dict(zip(wanted, arrays)))
    stoa.write(path, "/t", table.to_reader(max_chunksize=4096))
    found = stoa.read(path, "/t")
    found.validate(full=True)
    for name, (type, values, _) in wanted.items():
        is_chosen = pa.types.is_dictionary(type)
        shown = found.schema.field(name).type
        if pa.types.is_dictionary(shown) != is_chosen or (not is_chosen and shown != pa.string()):
            print(f"{name}: shown as {shown}")
        if found.column(name).to_pylist() != values:
            print(f"{name}: not what was written")

    import h5py  # a library of its own: not before Stoa's is done

    with h5py.File(path) as file:
        for name, (_, values, is_coded) in wanted.items():
            dataset = file["t"][name]
            if (dataset.dtype.kind in "iu") != is_coded:
                print(f"{name}: stored as {dataset.dtype}")


if __name__ == "__main__":
    main(*sys.argv[1:])
