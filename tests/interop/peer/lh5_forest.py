"""Random trees of everything that the grammar of LH5 has, nested, by h5py (LH5 notes §2.1, §4).

    lh5_forest.py SEED FIRST COUNT FILE...    each file has COUNT trees, the next ones of all

A tree is what its number and the seed make it, whichever file it is in.
"""

import random
import sys

import h5py
import lh5_made
import lh5_tree
import numpy as np

NUMBERS = lh5_made.NUMBERS
WORDS = ["", "a", "bc", "V02160A", "geds", "x" * 30]
UTF8 = ["", "\u00b5s", "gr\u00f6\u00dfer", "plain", "y" * 70]
ENUM = {"real": 1, "pulser": 2, "base-line": 4}
UNITS = ["ns", "keV", "ADC", "m/ns", "\u00b5s", ""]
ENUM_TEXT = "enum{" + ",".join(f"{name}={value}" for name, value in ENUM.items()) + "}"


def numbers(shape):
    return lh5_made.numbers(random.choice(NUMBERS), shape)


def array(values, **more):
    return {"kind": "array", "values": values, **more}


def notes(thing):
    """Some of what may be said of any object."""
    if random.random() < 0.3:
        thing["units"] = random.choice(UNITS)
    if random.random() < 0.1:
        thing["description"] = random.choice(UTF8[1:])
    more = {"hash_func": "uid // 7", "length": np.int64(random.randrange(9)),
            "gain": np.float32(random.random()), "share": np.float64(random.random()),
            "count": np.uint64(2**63 + random.randrange(9)), "big": np.array(7, ">i4")[()],
            "good": np.bool_(random.random() < 0.5), "empty": ""}  # fmt: skip
    chosen = random.sample(sorted(more), random.choice([0, 0, 0, 1, 2]))
    if chosen:
        thing["attributes"] = {name: more[name] for name in chosen}
    if random.random() < 0.15:
        thing.setdefault("attributes", {})["several"] = several()
    parts = PARTS.get(thing["kind"], [])
    if parts and random.random() < 0.4:
        thing["parts"] = {path: {"by": "me", "limits": several()} for path in random.sample(parts, 1)}
    return thing


# Which a vector, or an encoded array, always has.
PARTS = {"vectors": ["cumulative_length", "flattened_data"],
         "encoded": ["encoded_data", "encoded_data/cumulative_length", "encoded_data/flattened_data",
                     "decoded_size"]}  # fmt: skip


class Typed:
    """Values of a type that h5py does not guess."""

    def __init__(self, values, dtype):
        self.values = values
        self.dtype = dtype


PAIR = np.dtype([("x", "<i4"), ("y", ">f8")])
ODD = np.dtype({"names": ["label", "no", "is"], "formats": ["S5", "u1", "?"], "offsets": [0, 8, 12],
                "itemsize": 16})  # fmt: skip
DEEP = np.dtype([("pair", PAIR), ("grid", "<i2", (2, 3)), ("text", h5py.string_dtype("utf-8"))])
STATE = h5py.enum_dtype({"on": 1, "stand by": -2}, basetype="i2")
RAGGED = h5py.vlen_dtype(np.dtype("<i4"))


def ragged():
    made = np.empty(2, object)
    made[:] = [np.array([1, -2], "<i4"), np.array([], "<i4")]
    return made


def several():
    """What the Python package writes none of."""
    return random.choice([
        np.array((3, -0.5), PAIR)[()], np.array([(1, 1e300), (-2, np.nan)], PAIR), np.zeros(0, PAIR),
        np.array((b"a\"b", 7, True), ODD), np.array([((1, 2.5), [[1, 2, 3], [4, 5, 6]], "\u00b5 )")], DEEP),
        h5py.Empty("<f8"), h5py.Empty(PAIR), h5py.Empty("S4"), h5py.Empty(">i2"), np.bytes_(b"fixed"),
        np.array([b"ab", b"cde"]), np.complex128(1 - 2.5j), np.void(b"\0\xff\n"),
        Typed(np.array([1, -2], "i2"), STATE), Typed(np.int16(-2), STATE), Typed(ragged(), RAGGED),
        np.array([[1.5, -2.25], [0, 1e300]]), np.array([3, -4], ">i2"), np.zeros(0, "u1"),
        np.array([2**64 - 1], "<u8"), np.array([True, False]), np.array([1 / 3], "f4"),
        np.array(['a "b"', "\\", "", "\u00b5s"], h5py.string_dtype("utf-8")),
        np.array([["x", "y z"]], h5py.string_dtype("utf-8"))])  # fmt: skip


# --- columns ----------------------------------------------------------------------------------------


def reals(n):
    return array(numbers(n))


def truths(n):
    return array(lh5_made.R.integers(0, 2, n).astype(bool))


def complexes(n):
    part = np.dtype(random.choice(["<f4", "<f8"]))
    return array(lh5_made.numbers(part, n) + 1j * lh5_made.numbers(part, n))


def words(n):
    element = random.choice(["string", "symbol"])
    return array(np.array([random.choice(WORDS) for _ in range(n)], "S30"), element=element)


def texts(n):
    element = random.choice(["string", "symbol"])
    return array(np.array([random.choice(UTF8) for _ in range(n)], object), element=element)


def enums(n):
    codes = [random.choice(list(ENUM.values())) for _ in range(n)]
    return array(np.array(codes, random.choice(["i1", "<u2", "<i4", ">i4", "<i8"])), element=ENUM_TEXT)


def detectors(n):
    return array(lh5_made.R.integers(0, 2**32, n, dtype=np.uint32), element="detectorid")


def blobs(n):
    if random.random() < 0.5:
        return array(lh5_made.R.integers(0, 256, 5 * n).astype(np.uint8).view("V5"), element="blob")
    made = np.zeros(n, [("a", "<i4"), ("b", "<f8"), ("c", "u1")])
    for name in made.dtype.names:
        made[name] = lh5_made.R.integers(0, 100, n)
    return array(made, element="blob")


def grids(n):
    shape = [n] + [random.randrange(1, 4) for _ in range(random.randrange(1, 3))]
    values = numbers(shape) if random.random() < 0.8 else lh5_made.R.integers(0, 2, shape).astype(bool)
    rank = len(shape)
    element = lh5_tree.element_of(values)
    return array(values, datatype=random.choice([
        f"array<{rank}>{{{element}}}", f"fixedsize_array<{rank}>{{{element}}}",
        f"array_of_equalsized_arrays<1,{rank - 1}>{{{element}}}",
        f"array_of_equalsized_arrays<{rank - 1},1>{{{element}}}", f"array<{rank - 1},1>{{{element}}}",
        f"array<{rank - 1}>{{fixedsize_array<1>{{{element}}}}}",
        f"array<{rank - 1}>{{ntuple{{{element}}}}}"]))  # fmt: skip


def fixed(n):
    return array(numbers(n), prefix="fixedsize_array")


def vectors(n):
    depth = random.randrange(2, 5)
    kind = random.randrange(6)
    if kind < 3:
        dtype = random.choice(NUMBERS)
        return lh5_made.vectors(depth, lambda k: list(lh5_made.numbers(dtype, k)), dtype, n=n)
    if kind == 3:
        return lh5_made.vectors(depth, lambda k: [random.random() < 0.5 for _ in range(k)], bool, n=n)
    if kind == 4:
        made = lh5_made.vectors(depth, lambda k: [random.choice(WORDS).encode() for _ in range(k)], "S30",
                                n=n)  # fmt: skip
        return {**made, "element": random.choice(["string", "symbol"])}
    codes = list(ENUM.values())
    made = lh5_made.vectors(depth, lambda k: [random.choice(codes) for _ in range(k)], "i4", n=n)
    return {**made, "element": ENUM_TEXT}


def encoded(n):
    codec = random.choice(["uleb128_zigzag_diff", "radware_sigcompress"])
    is_equal = random.random() < 0.5
    length = random.randrange(1, 200)
    shift = -32768 if codec == "radware_sigcompress" and random.random() < 0.5 else 0
    low, high = (0, 65535) if shift else (-9000, 9000)
    rows = [lh5_made.wave(length if is_equal else random.randrange(1, 200), low, high) for _ in range(n)]
    made = lh5_made.encoded(codec, rows, is_equal=is_equal, shift=shift)
    if codec == "radware_sigcompress":
        made["shift_type"] = random.choice([np.float64, np.int64])
    return made


def waveforms(n):
    values = random.choice([encoded, vectors, lambda k: {"kind": "equal", "values": numbers((k, 7))}])(n)
    return {"kind": "table", "fields": {"t0": notes(array(np.full(n, 48.0), units="ns")),
                                        "dt": array(np.full(n, 16, np.float32), units="ns"),
                                        "values": notes(values)}}  # fmt: skip


COLUMNS = [reals, reals, truths, complexes, words, texts, enums, detectors, blobs, grids, fixed, vectors,
           vectors, encoded, waveforms]  # fmt: skip


def table(n, depth=0):
    fields = {}
    for i in range(random.randrange(1, 7)):
        name = random.choice(["e", "geds", "t-", "\u00b5", "x y"]) + str(i)
        is_table = depth < 2 and random.random() < 0.15
        fields[name] = notes(table(n, depth + 1) if is_table else random.choice(COLUMNS)(n))
    return {"kind": "table", "fields": fields}


# --- what is no table -------------------------------------------------------------------------------


def scalar():
    kind = random.randrange(7)
    if kind < 2:
        return {"kind": "scalar", "value": numbers(1)[0]}
    if kind == 2:
        return {"kind": "scalar", "value": np.bool_(random.random() < 0.5)}
    if kind == 3:
        return {"kind": "scalar", "value": np.uint8(random.randrange(2)), "element": "bool"}
    if kind == 4:
        return {"kind": "scalar", "value": complex(random.random(), 2.5)}
    if kind == 5:
        return {"kind": "scalar", "value": random.choice(UTF8), "element": random.choice(["string", "symbol"])}
    return {"kind": "scalar", "value": np.int32(2), "element": ENUM_TEXT}


def axis():
    if random.random() < 0.4:
        edges = np.sort(lh5_made.R.normal(size=random.randrange(2, 6)))
        return {"edges": edges, "closedleft": random.random() < 0.8}
    first, step, n = random.randrange(-5, 5), random.choice([1, 2, 0.5]), random.randrange(1, 5)
    made = {"range": (first, first + step * n, step), "closedleft": random.random() < 0.8}
    if random.random() < 0.3:
        made["units"] = "keV"
    return made


def bins_of(of):
    return len(of["edges"]) - 1 if "edges" in of else round((of["range"][1] - of["range"][0]) / of["range"][2])


def histogram():
    axes = [axis() for _ in range(random.randrange(1, 4))]
    made = {"kind": "histogram", "axes": axes, "weights": numbers([bins_of(a) for a in axes]),
            "isdensity": random.random() < 0.5}  # fmt: skip
    if random.random() < 0.2:
        made["datatype"] = f"histogram<{len(axes)}>{{real}}"
    return made


def measurement():
    parts = {name: {"kind": "scalar", "value": random.random()} for name in ("val", "err")}
    return {"kind": "struct", "fields": parts, "datatype": "measurement"}


def struct(depth=0):
    fields = {}
    for i in range(random.randrange(0 if depth else 2, 6)):
        n = random.choice([0, 1, 5, 12])
        made = random.choice([scalar, histogram, measurement, lambda: table(n), lambda: table(n),
                              lambda: random.choice(COLUMNS)(n), lambda: struct(depth + 1)])  # fmt: skip
        if depth == 2:
            made = scalar
        fields[f"m{i}"] = notes(made())
    return {"kind": "struct", "fields": fields}


def tree(seed, number):
    random.seed(f"{seed} {number}")
    lh5_made.R = np.random.default_rng([int(seed), number])
    writer = random.choice([
        lh5_tree.Writer(),
        lh5_tree.Writer(sorts=False, packs=False, lengths=np.uint32, first_axis=1)])  # fmt: skip
    return writer, struct()


def refer(file, number):
    """Some objects of a tree refer to others, which may come later."""
    nodes = [file[f"tree{number}"]]
    nodes[0].visititems(lambda name, node: nodes.append(node))
    for node in random.sample(nodes, min(3, len(nodes))):
        node.attrs["refers"] = random.choice(nodes).ref


def main():
    seed, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for name in sys.argv[4:]:
        with h5py.File(name, "w") as file:
            for number in range(first, first + count):
                writer, made = tree(seed, number)
                writer.write(file, f"tree{number}", made)
                refer(file, number)
            names = sorted(f"tree{number}" for number in range(first, first + count))
            lh5_tree.attribute(file, "datatype", "struct{" + ",".join(names) + "}")
        first += count


main()
