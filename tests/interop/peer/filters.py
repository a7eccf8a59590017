"""HEP001 tables whose columns are stored in every way that h5py knows, and Blosc.

    filters.py

Writes files with a table /t each; filters.json says {file: {column: list}}, lists as in
foreign.json.
Columns are called "<numpy type> <way>".
"""

import ctypes
import json
import zlib

import h5py
import numpy as np
import hdf5plugin  # noqa: F401 - it registers the filters that it brings

import maker
from lzo import pack
from native import Id, declare

_set_chunk_opts = declare("H5Pset_chunk_opts", ctypes.c_int, Id, ctypes.c_uint)
DONT_FILTER_PARTIAL_CHUNKS = 2
BLOSC = 32001  # its registered number

N = 1000
CHUNK = 96  # the last chunk is a partial one
FILL = {"i1": -7, "u1": 200, "i2": -7, "u2": 200, "i4": -7, "u4": 200, "i8": -7, "u8": 200,
        "f4": 0.375, "f8": 0.375}  # fmt: skip
WIDTHS = {"<": ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"), ">": ("u2", "i4", "i8")}
MADE = {}


def values_of(datatype):
    """Small numbers, repeated ones, extreme ones, and the fill value."""
    kind = np.dtype(datatype).kind
    raw = np.random.default_rng(1).integers(0, 50, N).astype(datatype)
    if kind == "f":
        raw = (raw / 8).astype(datatype)
        raw[:6] = [np.nan, np.inf, -np.inf, -0.0, 0.1, np.finfo(datatype).max]
    else:
        raw[700:702] = [np.iinfo(datatype).min, np.iinfo(datatype).max]
    raw[::17] = FILL[np.dtype(datatype).str[1:]]
    return raw


def add(columns, group, way, raw, **how):
    datatype = np.dtype(raw.dtype)
    fill = np.array(FILL[datatype.str[1:]], datatype)
    name = f"{datatype.str[1:]}{'be' if datatype.str[0] == '>' else ''} {way}"
    group.create_dataset(name, data=raw, fillvalue=fill, **how)
    columns[name] = listed(raw, fill)


def listed(raw, fill):
    fill = None if fill is None else fill.item()
    return [maker.shown(value, fill) for value in raw.tolist()]


def ways():
    """Arguments of create_dataset(), by name."""
    for gzip in (None, 1, 9):
        for shuffle in (False, True):
            for fletcher in (False, True):
                words = [f"gzip{gzip}"] * (gzip is not None)
                words += ["shuffle"] * shuffle + ["fletcher32"] * fletcher
                how = {"chunks": (CHUNK,), "shuffle": shuffle, "fletcher32": fletcher}
                if gzip is not None:
                    how |= {"compression": "gzip", "compression_opts": gzip}
                yield "+".join(words) or "chunked", how
    yield "contiguous", {}
    yield "one chunk", {"chunks": (N,), "maxshape": (N + 50,), "compression": "gzip"}
    yield "growing", {"chunks": (7,), "maxshape": (None,), "compression": "gzip"}
    yield "long chunk", {"chunks": (3 * N,), "maxshape": (None,), "shuffle": True}
    for compressor, name in enumerate(("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")):
        for shuffle in (0, 1, 2):
            opts = (0, 0, 0, 0, 5, shuffle, compressor)
            yield f"blosc {name} {shuffle}", {"chunks": (CHUNK,), "compression": BLOSC,
                                              "compression_opts": opts}  # fmt: skip


def packed(columns, group, order):
    """Scale-offset, alone and with others."""
    for width in WIDTHS[order]:
        raw = values_of(order + width)
        add(columns, group, "scaleoffset whole range", raw, chunks=(CHUNK,), scaleoffset=0)
        small = (np.arange(N) * 7 % 90).astype(order + width)
        add(columns, group, "scaleoffset", small, chunks=(CHUNK,), scaleoffset=0)
        add(columns, group, "scaleoffset of 7 bits", small, chunks=(CHUNK,), scaleoffset=7)
        add(columns, group, "scaleoffset+gzip", small, chunks=(CHUNK,), scaleoffset=0,
            compression="gzip")  # fmt: skip
        constant = np.full(N, 5, order + width)
        add(columns, group, "scaleoffset of one value", constant, chunks=(CHUNK,), scaleoffset=0)
    for width in ("f4", "f8"):
        raw = np.linspace(-3, 40, N).astype(order + width)
        for digits in (1, 4):
            add(columns, group, f"scaleoffset of {digits} digits", raw, chunks=(CHUNK,),
                scaleoffset=digits)  # fmt: skip


def masked(columns, group):
    """Chunks that passed some of their filters: shuffle, gzip, and a checksum that none has."""
    raw = values_of("<i4")[: N // 100 * 100]
    made = group.create_dataset("i4 masked", (N,), "<i4", chunks=(100,), shuffle=True,
                                compression="gzip", fletcher32=True, fillvalue=FILL["i4"])  # fmt: skip
    for i in range(N // 100):
        part = raw[i * 100 : (i + 1) * 100]
        mask = i % 4
        stored = part.tobytes()
        if not mask & 1:
            stored = part.view("u1").reshape(-1, 4).T.tobytes()
        if not mask & 2:
            stored = zlib.compress(stored)
        made.id.write_direct_chunk((i * 100,), stored, filter_mask=mask | 4)
    columns["i4 masked"] = listed(raw, np.array(FILL["i4"]))


def missing(columns, group):
    """Chunks that were never written, with a fill value and without one."""
    for name, fill, how in (
        ("i2 missing", np.int16(-7), {}),
        ("i2be missing packed", np.int16(-7), {"scaleoffset": 0}),
        ("f8 missing gzip", np.float64(0.375), {"compression": "gzip"}),
        ("f8 missing nan", np.float64("nan"), {"fletcher32": True}),
        ("u4 missing without", None, {"shuffle": True}),
    ):
        datatype = (">" if "be" in name else "<") + name[:2]
        made = group.create_dataset(name, (N,), datatype, chunks=(64,), fillvalue=fill, **how)
        made[128:300] = np.arange(172)
        made[990:] = 3
        raw = np.full(N, 0 if fill is None else fill, datatype)
        raw[128:300] = np.arange(172)
        raw[990:] = 3
        columns[name] = listed(raw, fill)


def unfiltered_edges(columns, group):
    """The partial last chunk is stored as it is, without a mask that says so."""
    raw = values_of("<i4")
    for name, extent in (("i4 unfiltered edge", N), ("i4 unfiltered room", N + 30)):
        dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        dcpl.set_chunk((CHUNK,))
        dcpl.set_shuffle()
        dcpl.set_deflate(6)
        if _set_chunk_opts(dcpl.id, DONT_FILTER_PARTIAL_CHUNKS) < 0:
            raise ValueError("chunk options are refused")
        space = h5py.h5s.create_simple((extent,), (h5py.h5s.UNLIMITED,))
        h5py.h5d.create(group.id, name.encode(), h5py.h5t.STD_I32LE, space, dcpl)
        group[name][:N] = raw
        columns[name] = listed(raw, None)


def everything(name, is_latest, **how):
    columns = {}
    with h5py.File(f"{name}.h5", "w", **how) as file:
        group = maker.table(file, "t", N)
        for order in "<>":
            for way, options in ways():
                for width in ("i2", "f8") if "blosc" in way else FILL:
                    if order == "<" or width in ("i2", "u8", "f4"):
                        add(columns, group, way, values_of(order + width), **options)
            packed(columns, group, order)
        masked(columns, group)
        missing(columns, group)
        if is_latest:
            unfiltered_edges(columns, group)
        maker.order(group, list(columns))
    with h5py.File(f"{name}.h5") as file:  # digits that were dropped are seen only now
        for lossy in columns:
            if "digits" in lossy:
                made = file["t"][lossy]
                columns[lossy] = listed(made[:], made.fillvalue)
    MADE[f"{name}.h5"] = columns


def unknown():
    """What libhdf5 may lack: a column for each filter, beside one that all can read."""
    filters = {"lzf": "lzf", "szip": "szip", "307": 307, "305": None}
    with h5py.File("unknown.h5", "w") as file:
        group = maker.table(file, "t", 100)
        group["plain"] = np.arange(100, dtype="i4")
        for name, filter in filters.items():
            group.create_dataset(name, data=np.ones(100, "i4"), compression=filter, chunks=(32,))
        pack(file, "t/305", shuffle=False)
        maker.order(group, list(group))


def many_chunks():
    with h5py.File("many.h5", "w", libver="v114") as file:
        n = 1_050_000
        group = maker.table(file, "t", n)
        raw = (np.arange(n) % 1000).astype(">i2")
        group.create_dataset("x", data=raw, chunks=(1,), fillvalue=-7)
        maker.order(group, ["x"])


def read_back(name):
    """{column: [whether Blosc packs it, list]} of a file, as libhdf5 reads it with the filters of hdf5plugin."""
    said = {}
    with h5py.File(name) as file:
        columns = {name: made for name, made in file["t"].items() if isinstance(made, h5py.Dataset)}
        for column, made in columns.items():
            filters = made.id.get_create_plist()
            ids = [filters.get_filter(i)[0] for i in range(filters.get_nfilters())]
            said[column] = [BLOSC in ids, listed(made[:], made.fillvalue)]
    print(json.dumps(said))


def main():
    everything("earliest", False, libver="earliest")
    everything("v114", True, libver="v114")
    everything("v110", True, libver="v110", userblock_size=1024)
    unknown()
    with open("filters.json", "w", encoding="utf-8") as file:
        json.dump(MADE, file)


if __name__ == "__main__":
    main()
