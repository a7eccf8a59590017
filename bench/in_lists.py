"""What Python does in bench/lists, run in the peers' environment:

    in_lists.py make LISTS | ask parts|parquet|arrow|h5py|vlen|awkward THREADS TIMES

`make` writes lists of 0 to 20 float32: lists.h5 by HEP001's layout, with the flattened values as a table
of their own; lists.arrow and lists.parquet; vlen.h5, a dataset of variable length. The values are
multiples of 1/64, so that all sums are exact. `ask` prints a line each time: the question's name,
seconds, the answer. `parts` reads the members of the list column by pread into new arrays, `h5py` by
h5py, and counts as numpy does best; `awkward` makes an array of such members.
"""

import os
import sys
import time

import h5py
import numpy as np

LIMITS = {"sum": 120, "any": 30, "length": 15}
CHUNK = 1 << 20


def make(n):
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(1)
    offsets = np.zeros(n + 1, "i8")
    np.cumsum(random.integers(0, 21, n), out=offsets[1:])
    values = (np.floor(random.exponential(10, offsets[-1]) * 64) / 64).astype("f4")
    with h5py.File("lists.h5", "w", libver=("earliest", "v110")) as file:
        for name, n_rows in (("lists", n), ("flat", values.size)):
            table = file.create_group(name)
            table.attrs["CLASS"], table.attrs["VERSION"] = np.bytes_("COLUMN_TABLE"), np.bytes_("1.0")
            table.attrs.create("NROWS", n_rows, dtype="<u8")
        lists = file.create_group("lists/v")
        lists.attrs["CLASS"], lists.attrs["KIND"] = np.bytes_("LIST_COLUMN"), np.bytes_("OFFSETS")
        plain = {"chunks": (CHUNK,), "maxshape": (None,)}
        lists.create_dataset("OFFSETS", data=offsets.astype("u8"), **plain)
        lists.create_dataset("VALUES", data=values, fillvalue=np.nan, **plain)
        file.create_dataset("flat/value", data=values, fillvalue=np.nan, **plain)
    with h5py.File("vlen.h5", "w") as file:
        rows = file.create_dataset("v", (n,), h5py.vlen_dtype("f4"), chunks=(min(CHUNK // 16, n),))
        for first in range(0, n, CHUNK):
            ends = offsets[first : first + CHUNK + 1]
            part = np.empty(ends.size - 1, object)
            part[:] = np.split(values[ends[0] : ends[-1]], ends[1:-1] - ends[0])
            rows[first : first + part.size] = part
    lists = pa.ListArray.from_arrays(offsets.astype("i4"), values)
    table = pa.table({"v": lists})
    with pa.ipc.new_file("lists.arrow", table.schema) as file:
        file.write_table(table, max_chunksize=CHUNK // 16)
    pq.write_table(table, "lists.parquet")


# --- counting, by numpy ---------------------------------------------------------------------------


def count(name, offsets, values):
    """How many of the lists that are [offsets[i], offsets[i + 1]) of the values."""
    lengths = np.diff(offsets)
    if name == "length":
        return int((lengths > LIMITS["length"]).sum())
    starts = offsets[:-1][lengths > 0]
    values = values[: offsets[-1]]
    if name == "sum":
        return int((np.add.reduceat(values, starts) > LIMITS["sum"]).sum())
    return int(np.logical_or.reduceat(values > LIMITS["any"], starts).sum())


def shown(offsets, values):
    return f"{int(offsets[-1] - offsets[0])},{values.sum(dtype='f8')}"


# --- contestants: each answers `read` and the questions of LIMITS ---------------------------------


class Parts:
    """Chunks of datasets without a filter, by pread."""

    def __init__(self):
        self.file = h5py.File("lists.h5")
        self.fd = os.open("lists.h5", os.O_RDONLY)
        self.members = [self.file["lists/v/OFFSETS"], self.file["lists/v/VALUES"]]
        self.chunks = [[m.id.get_chunk_info(i) for i in range(m.id.get_num_chunks())]
                       for m in self.members]  # fmt: skip

    def pread(self, dataset, chunks):
        size = dataset.dtype.itemsize
        out = np.empty(len(chunks) * CHUNK, dataset.dtype)
        for chunk in chunks:
            first = chunk.chunk_offset[0]
            os.preadv(self.fd, [memoryview(out[first : first + CHUNK])], chunk.byte_offset)
            assert chunk.size == CHUNK * size
        return out[: dataset.size]

    def read(self):
        return [self.pread(*what) for what in zip(self.members, self.chunks)]

    def ask(self, name):
        offsets, values = self.read()
        return count(name, offsets.astype("i8"), values)


class H5py(Parts):
    def read(self):
        return [member[:] for member in self.members]


class Arrow:
    def __init__(self, form, threads):
        import pyarrow as pa

        pa.set_cpu_count(threads)
        pa.set_io_thread_count(threads)
        self.form, self.pa = form, pa

    def open(self, maps):
        if self.form == "parquet":
            import pyarrow.parquet as pq

            return pq.read_table("lists.parquet")["v"]
        opened = (self.pa.memory_map if maps else self.pa.OSFile)("lists.arrow")
        return self.pa.ipc.open_file(opened).read_all()["v"]

    def read(self):
        parts = [(c.offsets.to_numpy(), c.flatten().to_numpy()) for c in self.open(False).chunks]
        return np.array([0, sum(len(values) for _, values in parts)]), Many(p for _, p in parts)

    def ask(self, name):
        total = 0
        for chunk in self.open(True).chunks:
            offsets = chunk.offsets.to_numpy()
            total += count(name, offsets - offsets[0], chunk.flatten().to_numpy())
        return total


class Many(list):
    """Arrays that are summed as if they were one."""

    def sum(self, dtype):
        return sum(part.sum(dtype=dtype) for part in self)


class Vlen:
    """An array of arrays: it is only read, since the rest would be a loop of Python's."""

    def __init__(self):
        self.rows = h5py.File("vlen.h5")["v"]

    def read(self):
        rows = self.rows[:]
        return np.array([0, sum(map(len, rows))]), Many(rows)


class Awkward(H5py):
    def __init__(self):
        import awkward

        super().__init__()
        self.ak = awkward

    def ask(self, name):
        offsets, values = self.read()
        content = self.ak.contents.NumpyArray(values)
        index = self.ak.index.Index64(offsets.astype("i8"))
        lists = self.ak.Array(self.ak.contents.ListOffsetArray(index, content))
        if name == "length":
            return int((self.ak.num(lists) > LIMITS["length"]).to_numpy().sum())
        found = (self.ak.sum(lists, axis=1) > LIMITS["sum"] if name == "sum"
                 else self.ak.any(lists > LIMITS["any"], axis=1))  # fmt: skip
        return int(found.to_numpy().sum())


def ask(form, threads, times):
    kinds = {"parts": Parts, "h5py": H5py, "vlen": Vlen, "awkward": Awkward}
    peer = kinds[form]() if form in kinds else Arrow(form, threads)
    for name in ["read"] if form == "vlen" else ["read", *LIMITS]:
        for _ in range(times):
            began = time.perf_counter()
            found = peer.read() if name == "read" else peer.ask(name)
            seconds = time.perf_counter() - began
            print(name, seconds, shown(*found) if name == "read" else found, sep="\t")
            del found


if sys.argv[1] == "make":
    make(int(sys.argv[2]))
else:
    ask(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
