"""Rows for the codecs of waveforms: as vectors, for Stoa to pack; and what it made of them.

    lh5_packed.py make FILE SEED N    N ragged rows, a few of equal length; of 16 bits and of 32
    lh5_packed.py check RAW PACKED    each row of PACKED is what lh5_codecs.py makes of the one in RAW
"""

import random
import sys

import h5py
import lh5_codecs
import lh5_tree
import numpy as np

LENGTHS = [0, 1, 2, 3, 4, 5, 6, 47, 48, 49, 127, 128, 129, 175, 176, 177]


def row(n, low, high):
    kind = random.randrange(7)
    if kind == 0:
        return [random.choice((low, high)) for _ in range(n)]
    if kind == 1:
        return [random.randint(low, high)] * n
    if kind == 2:  # flat, then a jump just before or after a block's end
        at = random.choice((40, 47, 48, 49, 127, 128))
        return ([random.randint(low, high)] * at + [random.randint(low, high)] * n)[:n]
    if kind == 3:
        return [random.randint(low, high) for _ in range(n)]
    values, value = [], random.randint(low, high)
    step = random.choice((1, 3, 30, 1000, 20000, 70000))
    for _ in range(n):
        value = min(high, max(low, value + random.randint(-step, step)))
        values.append(value)
    return values


def rows(n, low, high, longest):
    lengths = [random.choice(LENGTHS) if random.random() < 0.3 else random.randrange(150) for _ in range(n)]
    lengths[n // 2] = longest
    return [row(length, low, high) for length in lengths]


def make(name, seed, n):
    random.seed(seed)
    fields = {
        "i16": (rows(n, -32768, 32767, 32767), "i2"),
        "u16": (rows(n, 0, 65535, 32767), "u2"),
        "i32": (rows(n, -(2**31), 2**31 - 1, 66000), "i4"),
    }
    table = {key: {"kind": "vectors", "depth": 2, "rows": values, "items": dtype}
             for key, (values, dtype) in fields.items()}  # fmt: skip
    for length in (1, 49, 300):
        values = np.array([row(length, 0, 65535) for _ in range(n)], np.uint16)
        table[f"equal{length}"] = {"kind": "equal", "values": values}
    with h5py.File(name, "w") as file:
        lh5_tree.Writer().table(file, "raw", {"fields": table})


def rows_of(node):
    if isinstance(node, h5py.Dataset):
        return node[()].tolist()
    ends = node["cumulative_length"][()].tolist()
    items = node["flattened_data"][()].tolist()
    return [items[a:b] for a, b in zip([0, *ends], ends, strict=False)]


def check(raw, packed):
    for name in packed:
        node = packed[name]
        if "codec" not in node.attrs:
            print(f"{name} is not packed")
            continue
        shift = int(node.attrs.get("codec_shift", 0))
        encode = lh5_codecs.CODECS[node.attrs["codec"]]
        wanted = rows_of(raw[name])
        found = rows_of(node["encoded_data"])
        wrong = [i for i, values in enumerate(wanted) if encode(values, shift) != bytes(found[i])]
        if wrong or len(found) != len(wanted):
            print(f"{name}: rows {wrong[:5]} of {len(wanted)}, {len(found)} are other bytes")
        sizes = [len(values) for values in wanted]
        if np.broadcast_to(node["decoded_size"][()], len(sizes)).tolist() != sizes:
            print(f"{name}: other sizes")


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    with h5py.File(sys.argv[2]) as raw_file, h5py.File(sys.argv[3]) as packed_file:
        check(raw_file["raw"], packed_file["raw"])
