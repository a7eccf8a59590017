"""Read sets of files as Arkouda's server and client do, by h5py.

    arkouda_server.py JOBS.json

JOBS.json is a list of {"files": [...], "expect": {object: [values of a part, ...]}}. The rules are
those of HDF5Msg.chpl and of the client's from_return_msg(): which attributes and members are asked
for, in which order, and how offsets of several files go on. Says nothing if all is well.
"""

import json
import math
import sys

import h5py
import numpy as np

(PDARRAY, STRINGS, SEGARRAY, CATEGORICAL, GROUPBY, FRAME, DATETIME, TIMEDELTA,
 IPV4) = range(1, 10)  # fmt: skip
INDEX, MULTIINDEX = 12, 13
NUMBERS = (PDARRAY, DATETIME, TIMEDELTA, IPV4)


def kind_of(file, path):
    thing = file[path]
    if "ObjType" in thing.attrs:
        return int(thing.attrs["ObjType"])
    return STRINGS if isinstance(thing, h5py.Group) and "values" in thing else PDARRAY


def flag(thing, name):
    return name in thing.attrs and int(thing.attrs[name]) == 1


def info(file, path):
    """What all files of a set must agree on: kind, class, size, sign."""
    kind = kind_of(file, path)

    def of_array(path):
        dtype = file[path].dtype
        return dtype.kind == "f", dtype.itemsize, dtype.kind == "i"

    def of_texts(path):
        assert file[f"{path}/segments"].dtype.kind in "iu", f"{path}: offsets"
        values = f"{path}/values"
        if kind_of(file, values) == STRINGS:
            return of_array(f"{values}/values")
        return of_array(f"{values}/Limb_0" if flag(file[values], "isBigInt") else values)

    def of_index(path):
        first = kind_of(file, path)
        assert first in (PDARRAY, STRINGS, CATEGORICAL), f"{path}: of kind {first}"
        assert first != CATEGORICAL or kind != FRAME, f"{path}: a Categorical"
        return {PDARRAY: of_array, STRINGS: of_texts}.get(first, of_codes)(path)

    def of_codes(path):
        return of_array(f"{path}/codes")

    if kind in (STRINGS, SEGARRAY):
        return kind, *of_texts(path)
    if kind == CATEGORICAL:
        return kind, *of_codes(path)
    if kind == GROUPBY:
        return kind, *of_array(f"{path}/permutation")
    if kind in (INDEX, MULTIINDEX):
        return kind, *of_index(f"{path}/IDX_0")
    if kind == FRAME:
        return kind, *of_index(f"{path}/Index")
    return kind, *of_array(f"{path}/Limb_0" if flag(file[path], "isBigInt") else path)


def names(group):
    """As H5Literate() gives them in native order, joined and split at commas."""
    listed = []
    group.id.links.iterate(lambda name: listed.append(name.decode()), order=h5py.h5.ITER_NATIVE)
    return ",".join(listed).split(",")


class Set:
    def __init__(self, files):
        self.files = files

    def parts(self, path):
        """(array of each file), and its domain {first .. last} among all."""
        return [file[path][()] for file in self.files]

    def array(self, path):
        first = self.files[0][path]
        if flag(first, "isBigInt"):
            limbs = [np.concatenate(self.parts(f"{path}/Limb_{i}")).tolist()
                     for i in range(int(first.attrs["NumLimbs"]))]  # fmt: skip
            values = [sum(v << 64 * i for i, v in enumerate(row)) for row in zip(*limbs)]
            bits = int(first.attrs["MaxBits"])
            return values if bits == -1 else [v & ((1 << bits) - 1) for v in values]
        values = np.concatenate(self.parts(path))
        return (values != 0 if flag(first, "isBool") else values).tolist()

    def offsets(self, path, sizes):
        """Those of all files; each file's begin after the values of the files before."""
        parts = self.parts(path)
        if sum(map(len, parts)) == 1:
            return np.concatenate(parts).tolist()
        found, at = [], 0
        for part, size in zip(parts, sizes):
            found += (part + at).tolist()
            at += size if len(part) else 0
        return found

    def texts(self, path):
        parts = self.parts(f"{path}/values")
        data = np.concatenate(parts).tobytes()
        assert self.files[0][f"{path}/values"].dtype == np.uint8, f"{path}: bytes"
        n = sum(len(part) for part in self.parts(f"{path}/segments"))
        if n < 1 or any(len(part) == 0 for part in parts):
            starts = [0] + [i + 1 for i, byte in enumerate(data) if byte == 0]
            starts = starts[: data.count(0)]
        else:
            starts = self.offsets(f"{path}/segments", map(len, parts))
        ends = [*starts[1:], len(data)]
        return [data[a : b - 1].decode() for a, b in zip(starts, ends)]

    def codes(self, path):
        codes = np.concatenate(self.parts(f"{path}/codes")).tolist()
        labels = self.texts(f"{path}/categories")
        missing = np.concatenate(self.parts(f"{path}/NA_Codes")).tolist()
        assert len(missing) >= 1, f"{path}: no NA_Codes"
        assert 0 <= missing[0] < len(labels), f"{path}: NA_Codes"
        return [None if code == missing[0] else labels[code] for code in codes]

    def lists(self, path):
        values = f"{path}/values"
        if kind_of(self.files[0], values) == STRINGS:
            items, sizes = self.texts(values), map(len, self.parts(f"{values}/segments"))
        else:
            limb = f"{values}/Limb_0" if flag(self.files[0][values], "isBigInt") else values
            items, sizes = self.array(values), map(len, self.parts(limb))
        starts = self.offsets(f"{path}/segments", sizes)
        return [items[a:b] for a, b in zip(starts, [*starts[1:], len(items)])]

    def part(self, path, allowed):
        kind = kind_of(self.files[0], path)
        assert kind in allowed, f"{path}: of kind {kind}"
        if kind in NUMBERS:
            return self.array(path)
        return {STRINGS: self.texts, CATEGORICAL: self.codes, SEGARRAY: self.lists}[kind](path)

    def read(self, path):
        """The values of each part, in the client's order."""
        infos = {info(file, path) for file in self.files}
        assert len(infos) == 1, f"{path}: {infos}"
        kind = infos.pop()[0]
        first = self.files[0][path]
        if kind in (INDEX, MULTIINDEX):
            # The client makes an Index of a single level, and knows no other kinds.
            return [self.part(f"{path}/{name}", (PDARRAY, STRINGS, CATEGORICAL))
                    for name in names(first)]  # fmt: skip
        if kind == GROUPBY:
            n = int(first.attrs["NumKeys"])
            return [self.part(f"{path}/KEY_{i}", (PDARRAY, STRINGS, CATEGORICAL)) for i in range(n)]
        if kind == FRAME:
            allowed = (*NUMBERS, STRINGS, CATEGORICAL, SEGARRAY)
            listed = sorted(names(first), key=lambda name: name.lower() != "index")
            return [self.part(f"{path}/{name}", allowed) for name in listed]
        return [self.part(path, (*NUMBERS, STRINGS, CATEGORICAL, SEGARRAY))]


def same(value):
    if isinstance(value, list):
        return [same(item) for item in value]
    return "nan" if isinstance(value, float) and math.isnan(value) else value


def main(jobs):
    for job in jobs:
        files = [h5py.File(name, "r") for name in job["files"]]
        for path, wanted in job["expect"].items():
            try:
                found = Set(files).read(path)
            except Exception as error:
                print(f"{job['files'][0]}:{path}: {type(error).__name__} {error}")
                continue
            if same(found) != same(wanted):
                print(f"{job['files'][0]}:{path}: {found}, not {wanted}"[:400])


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        main(json.load(file))
