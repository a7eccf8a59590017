"""Writes latest.h5 and earliest.h5, in the formats of these names. See README.md."""

import h5py
import numpy as np

PAIR = np.dtype([("a", "<i4"), ("b", "<f8")])
EVEN = h5py.enum_dtype({"even": 0, "odd": 1}, "i1")

for libver in ("latest", "earliest"):
    with h5py.File(f"{libver}.h5", "w", libver=libver) as file:
        table = file.create_group("t")
        table.attrs["CLASS"] = np.bytes_("COLUMN_TABLE")
        table.attrs["VERSION"] = np.bytes_("1.0")
        table.attrs["NROWS"] = np.uint64(5)
        for name, values, fill in (
            ("id", np.arange(5), np.int64(-1)),
            ("x", np.arange(5) / 2, np.nan),
            ("pair", np.array([(i, i / 4) for i in range(5)], PAIR), np.array((-1, np.nan), PAIR)),
            ("parity", (np.arange(5) % 2).astype(EVEN), np.int8(-1)),
        ):
            table.create_dataset(name, data=values, fillvalue=fill, track_times=True)
        file.create_dataset("pairs", data=np.array([(i, i / 4) for i in range(3)], PAIR))
