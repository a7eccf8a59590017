"""Tables of decimal floats for interop/decimals: make, read back bit for bit, change as others do."""

import json
import sys

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.feather

KINDS = {"f4": np.float32, "f8": np.float64}


def columns(n, seed):
    """{name: (values, which are missing)}; each odd value is in one chunk, the last of a table."""
    random = np.random.default_rng(seed)
    made = {}
    for kind, type_ in KINDS.items():
        for digits in range(1, 7):
            counts = random.integers(0, 10**5 if kind == "f4" else 10**9, n)
            made[f"{kind} {digits}"] = (counts / 10.0**digits).astype(type_)
        plain = made[f"{kind} 2"]
        for name, odd in {"negative": -1.25, "nan": np.nan, "minus zero": -0.0, "huge": 1e30,
                          "third": 1 / 3, "infinite": np.inf}.items():  # fmt: skip
            made[f"{kind} {name}"] = plain.copy()
            made[f"{kind} {name}"][n - 5] = odd
        made[f"{kind} all negative"] = -plain
        made[f"{kind} whole"] = np.rint(plain) - 40
        made[f"{kind} few"] = random.choice([-2.5, -0.5, 0.0, 0.5, 2.5], n).astype(type_)
    missing = {name: random.random(n) < 0.05 for name in made}
    for mask in missing.values():
        mask[n - 5] = False
    return {name: (values, missing[name]) for name, values in made.items()}


def make(file, n, seed):
    table = {name: pa.array(values, mask=mask) for name, (values, mask) in columns(int(n), int(seed)).items()}
    pa.feather.write_feather(pa.table(table), file, compression="uncompressed")


def bits(values):
    return values.view(f"u{values.dtype.itemsize}")


def differences(file, parts):
    """parts: [[rows, seed], ...] in their order. Prints what is not there bit for bit."""
    wanted = [columns(n, seed) for n, seed in json.loads(parts)]
    with h5py.File(file) as h:
        for name in wanted[0]:
            dataset = h["t"][name]
            values = np.concatenate([part[name][0] for part in wanted])
            mask = np.concatenate([part[name][1] for part in wanted])
            fill = np.full(mask.sum(), dataset.fillvalue, dataset.dtype)
            found = dataset[:]
            if found.dtype != values.dtype or (bits(found[~mask]) != bits(values[~mask])).any():
                print(name, "differs")
            if (bits(found[mask]) != bits(fill)).any():
                print(name, "has other missing rows")


def masks(file):
    """{column: [filters, the filter mask of each chunk]}"""
    with h5py.File(file) as h:
        said = {}
        for name, dataset in h["t"].items():
            plist = dataset.id.get_create_plist()
            filters = [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]
            said[name] = [filters, [dataset.id.get_chunk_info(i).filter_mask
                                    for i in range(dataset.id.get_num_chunks())]]  # fmt: skip
        print(json.dumps(said))


def change(file, name, row):
    """What h5py does to a row: all values of its chunk go through libhdf5's filter."""
    with h5py.File(file, "r+") as h:
        h["t"][name][int(row)] = 1.23456


if __name__ == "__main__":
    {f.__name__: f for f in (make, differences, masks, change)}[sys.argv[1]](*sys.argv[2:])
