"""LH5 files with every type there is, and random trees of them, by h5py.

    lh5_made.py SEED N_TREES

lh5.json says {file: {path: {column: list}}}; values as Stoa's JSON has them.
"""

import json
import random
import sys

import h5py
import lh5_tree
import numpy as np

R = np.random.default_rng(1)
N = 40

NUMBERS = [np.dtype(code) for code in
           ("i1", "u1", "<i2", ">i2", "<u2", "<i4", ">u4", "<i8", "<u8", "<f2", "<f4", ">f8")]  # fmt: skip


def numbers(dtype, shape):
    if dtype.kind == "f":
        return R.normal(size=shape).astype(dtype)
    info = np.iinfo(dtype)
    return R.integers(info.min, info.max, size=shape, dtype=dtype.newbyteorder("="),
                      endpoint=True).astype(dtype)  # fmt: skip


def array(values, **more):
    return {"kind": "array", "values": values, **more}


def ragged(depth, items):
    if depth == 1:
        return list(items(int(R.integers(0, 5))))
    return [ragged(depth - 1, items) for _ in range(int(R.integers(0, 4)))]


def vectors(depth, items, dtype, n=N):
    return {"kind": "vectors", "depth": depth, "items": dtype,
            "rows": [ragged(depth - 1, items) for _ in range(n)]}  # fmt: skip


def wave(length, low, high):
    steps = R.integers(-30, 31, size=length).cumsum() + R.integers(low, high)
    steps[length // 2 :] += (high - low) // 4
    return np.clip(steps, low, high)


def waveform(values):
    t0 = array(np.full(N, 42000.0), units="ns")
    dt = array(np.full(N, 16.0), units="ns")
    return {"kind": "table", "fields": {"t0": t0, "dt": dt, "values": values}}


def encoded(codec, rows, is_equal=True, shift=0):
    return {"kind": "encoded", "codec": codec, "rows": rows, "is_equal": is_equal, "shift": shift}


def every_type():
    waves = [wave(200, 0, 65535) for _ in range(N)]
    ragged_waves = [wave(int(R.integers(1, 300)), -32768, 32767) for _ in range(N)]
    names = ["", "B00000A", "V02160A", "a µ", "x" * 40]
    fields = {f"n{i}_{dtype.name}": array(numbers(dtype, N)) for i, dtype in enumerate(NUMBERS)}
    fields |= {
        "flag": array(R.integers(0, 2, N).astype(bool)),
        "loose flag": array(R.integers(0, 3, N).astype(np.int8), element="bool"),
        "phase": array(numbers(NUMBERS[-2], N) + 1j * numbers(NUMBERS[-2], N)),
        "fixed": array(np.array([names[i % 3] for i in range(N)], "S9")),
        "text": array(np.array([names[i % 5] for i in range(N)], object)),
        "kind-of": array(R.choice([1, 2, 4], N).astype(np.int32), element="enum{real=1,pulser=2,b=4}"),
        "tensor": array(numbers(NUMBERS[5], (N, 3, 2))),
        "short": array(numbers(NUMBERS[3], (N, 4)), prefix="fixedsize_array"),
        "equal": {"kind": "equal", "values": numbers(NUMBERS[4], (N, 5))},
        "equal_flags": {"kind": "equal", "values": R.integers(0, 2, (N, 3)).astype(bool)},
        "v2": vectors(2, lambda n: numbers(NUMBERS[7], n), "i8") | {"units": "keV"},
        "v3": vectors(3, lambda n: numbers(NUMBERS[10], n), "f4"),
        "v4": vectors(4, lambda n: R.integers(0, 9, n), "u2"),
        "vtext": vectors(2, lambda n: [names[1 + i % 2].encode() for i in range(n)], "S9"),
        "vflag": vectors(2, lambda n: R.integers(0, 2, n).astype(bool), bool),
        "raw": waveform({"kind": "equal", "values": np.array(waves, np.uint16)}),
        "radware": waveform(encoded("radware_sigcompress", waves, shift=-32768)),
        "uleb": waveform(encoded("uleb128_zigzag_diff", waves)),
        "varied": waveform(encoded("radware_sigcompress", ragged_waves, is_equal=False)),
        "varied_uleb": encoded("uleb128_zigzag_diff", ragged_waves, is_equal=False),
        "deep": {"kind": "table", "fields": {"er": {"kind": "table", "fields": {
            "still": array(np.arange(N), units="s", description="of no use")}}}},
    }  # fmt: skip
    return {"kind": "table", "fields": fields}


def empty():
    fields = {
        "a": array(np.zeros(0)),
        "e": {"kind": "equal", "values": np.zeros((0, 4), np.int16)},
        "v": vectors(2, lambda n: [0] * n, "i4", n=0),
        "r": encoded("radware_sigcompress", [], is_equal=True),
    }
    return {"kind": "table", "fields": fields}


def histograms():
    spread = [{"range": (-5.0, 5.0, 0.5), "units": "keV"}, {"range": (0, 12, 3), "closedleft": False}]
    edged = [{"edges": [0.0, 1.0, 10.0, 100.0]}]
    return {
        "one": {"kind": "histogram", "axes": edged, "weights": np.array([3.5, 0.0, 2.25])},
        "two": {"kind": "histogram", "axes": spread, "weights": R.integers(0, 99, (20, 4)),
                "isdensity": True},
        "twelve": {"kind": "histogram", "axes": [{"range": (0, 2, 1)}] * 11 + edged,
                   "weights": R.random((2,) * 11 + (3,))},
    }  # fmt: skip


def loose():
    return {
        "pi": {"kind": "scalar", "value": 3.25, "units": "m"},
        "yes": {"kind": "scalar", "value": np.bool_(True)},
        "word": {"kind": "scalar", "value": "größer"},
        "z": {"kind": "scalar", "value": 1.5 - 2j},
        "list": array(np.arange(7), description="seven"),
        "grid": array(np.arange(12.0).reshape(3, 4)),
        "nested": vectors(3, lambda n: R.integers(0, 9, n), "i2"),
    }


# --- random trees -----------------------------------------------------------------------------------


def random_column(n):
    """A column of n rows, of any type."""
    choice = random.randrange(9)
    dtype = random.choice(NUMBERS)
    if choice < 3:
        return array(numbers(dtype, n))
    if choice == 3:
        return array(R.integers(0, 2, n).astype(bool))
    if choice == 4:
        return {"kind": "equal", "values": numbers(dtype, (n, random.randrange(1, 5)))}
    if choice == 5:
        return vectors(random.randrange(2, 5), lambda k: R.integers(0, 99, k), "i4", n=n)
    if choice == 6:
        return array(np.array([random.choice(["", "a", "bc"]) for _ in range(n)], "S2"))
    length = random.randrange(1, 90)
    rows = [wave(length, -9000, 9000) for _ in range(n)]
    codec = random.choice(["uleb128_zigzag_diff", "radware_sigcompress"])
    return encoded(codec, rows, is_equal=True)


def random_table(n, depth=0):
    fields = {}
    for i in range(random.randrange(1, 5)):
        if depth < 2 and random.random() < 0.2:
            fields[f"t{i}"] = random_table(n, depth + 1)
        else:
            fields[f"c{i}"] = random_column(n)
    return {"kind": "table", "fields": fields}


def random_tree(depth=0):
    fields = {}
    for i in range(random.randrange(1, 4)):
        choice = random.random()
        if depth < 2 and choice < 0.3:
            fields[f"s{i}"] = random_tree(depth + 1)
        elif choice < 0.5:
            fields[f"x{i}"] = {"kind": "scalar", "value": random.choice([1.5, 7, "word"])}
        elif choice < 0.6:
            fields[f"h{i}"] = histograms()["two"]
        else:
            fields[f"t{i}"] = random_table(random.choice([0, 1, 5, 12]))
    return {"kind": "struct", "fields": fields}


# --- files ------------------------------------------------------------------------------------------


def seen(path, name, thing, writer, found):
    """What Stoa lists: tables, histograms, and what lies in structs."""
    if thing["kind"] == "struct":
        for field, inner in thing["fields"].items():
            seen(f"{path}/{field}", field, inner, writer, found)
    else:
        found[path] = lh5_tree.flatten(name, thing, writer)


def make(name, things, writer, found):
    with h5py.File(name, "w") as file:
        for path, thing in things.items():
            writer.write(file, path, thing)
        lh5_tree.attribute(file, "datatype", "struct{" + ",".join(sorted(things)) + "}")
    found[name] = {}
    for path, thing in things.items():
        seen(f"/{path}", path, thing, writer, found[name])


def main():
    found = {}
    random.seed(int(sys.argv[1]))
    new = lh5_tree.Writer()
    old = lh5_tree.Writer(sorts=False, packs=False, lengths=np.uint32, first_axis=1)
    for name, writer in (("new", new), ("old", old)):
        things = {"all": every_type(), "empty": empty()}
        make(f"{name}.lh5", things, writer, found)
        make(f"{name}-histograms.lh5", histograms(), writer, found)
        make(f"{name}-loose.lh5", loose(), writer, found)
    for i in range(int(sys.argv[2])):
        make(f"tree{i}.lh5", {"root": random_tree()}, random.choice([new, old]), found)
    with open("lh5.json", "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main()
