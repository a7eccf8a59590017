"""LH5 files with an object /x that lies, one lie a file.

    bad_lh5.py

bad.json says {name: {works, says}}: whether it can be read in spite of it (null: either), and what the
one line that refuses it must say.
"""

import json
import pathlib

import h5py
import lh5_look as good
import numpy as np

CASES = {}
VOV = "array<1>{array<1>{real}}"
ENCODED = "array_of_encoded_equalsized_arrays<1,1>{real}"
RAGGED = "array<1>{encoded_array<1>{real}}"


def case(name, make, works=False, says=()):
    """`make` puts /x into an open file."""
    with h5py.File(f"{name}.lh5", "w") as file:
        make(file)
    CASES[name] = {"works": works, "says": [says] if isinstance(says, str) else list(says)}


# --- types ------------------------------------------------------------------------------------------


def datatypes():
    lies = {
        "two": "array<2>{real}", "table": "table{a}", "struct": "struct{a}", "vectors": VOV,
        "ragged": RAGGED, "encoded": ENCODED, "equal": "array_of_equalsized_arrays<1,1>{real}",
        "texts": "array<1>{string}", "symbols": "array<1>{symbol}", "complex": "array<1>{complex}",
        "enum": "array<1>{enum{a=1}}", "bool": "array<1>{bool}", "real": "real", "string": "string",
        "histogram": "struct{binning,weights,isdensity}", "julia": "histogram<1>{real}",
        "rank": "array<33>{real}", "huge_rank": "array<99999999999999999999>{real}", "nothing": "array<1>{}",
        "word": "array<1>{nonsense}", "open": "array<1>{real", "twice": "table{a,a}", "slash": "table{a/b}",
        "deep": "array<1>{" * 10000 + "real" + "}" * 10000, "deep_open": "array<1>{" * 10000,
        "long": "table{" + ",".join(f"c{i}" for i in range(9000)) + "}", "one": "array<1>{array<0>{real}}",
    }  # fmt: skip
    for name, datatype in lies.items():
        case(f"dataset_{name}", lambda file, d=datatype: good.array(file, "x", [1.0, 2, 3], d))
        case(f"group_{name}", lambda file, d=datatype: good.struct(file, "x", d))


def contents():
    values = {
        "texts": np.array([b"ab", b"c"]), "compound": np.zeros(2, [("a", "i4"), ("b", "f8"), ("c", "i1")]),
        "opaque": np.zeros(2, "V7"), "scalar": np.float64(1),
        "references": h5py.ref_dtype, "lists": h5py.vlen_dtype(np.int32),
        "empty": h5py.Empty("f8"),
    }  # fmt: skip
    for name, value in values.items():
        for datatype in ("array<1>{real}", "array<1>{bool}", "array<1>{enum{a=1}}"):
            def make(file, value=value, datatype=datatype):
                is_type = isinstance(value, np.dtype)
                node = (file.create_dataset("x", (2,), value) if is_type
                        else file.create_dataset("x", data=value))  # fmt: skip
                good.mark(node, datatype)
            case(f"holds_{name}_{datatype[9:12]}", make)


def attributes():
    values = {
        "array": (["array<1>{real}"] * 2, False), "number": (7, False), "blank": ("", False),
        "fixed": (np.bytes_("array<1>{real}"), True), "one": (["array<1>{real}"], None),
        "bytes": (np.bytes_(b"array<1>{\xff\xfe}"), False), "null": (h5py.Empty("S1"), False),
        "units": ("array<1>{real}", True),
    }  # fmt: skip
    for name, (value, works) in values.items():
        def make(file, value=value, name=name):
            node = file.create_dataset("x", data=[1.0, 2.0])
            node.attrs["datatype"] = value
            node.attrs["units"] = [1, 2] if name == "units" else "a\x1b[31m\n\xffb"

        case(f"attribute_{name}", make, works)


# --- vectors ----------------------------------------------------------------------------------------


def vectors(file, lengths, items=(1.0, 2, 3), name="x"):
    node = good.struct(file, name, VOV)
    good.array(node, "cumulative_length", lengths)
    good.array(node, "flattened_data", np.asarray(items))
    return node


def all_vectors():
    lies = {
        "descends": [2, 1, 3], "exceeds": [1, 2, 4], "float": [1.0, 2.0, 3.0], "negative": [-1, 2, 3],
        "last": [1, 2, -1], "huge": np.array([1, 2, 2**64 - 1], np.uint64),
        "most": np.array([1, 2**63 - 1, 3]), "bools": np.array([True, True]), "texts": np.array([b"1"]),
    }  # fmt: skip
    for name, lengths in lies.items():
        case(f"vectors_{name}", lambda file, v=lengths: vectors(file, v),
             None if name == "bools" else False)  # fmt: skip

    def matrix(file):
        vectors(file, [[1, 2], [3, 3]])
    case("vectors_matrix", matrix)

    def own_items(file):
        node = good.struct(file, "x", VOV)
        good.array(node, "cumulative_length", [1, 2])
        node["flattened_data"] = node
    case("vectors_own_items", own_items)

    def own_items_deep(file):
        node = good.struct(file, "x", "array<1>{array<1>{array<1>{real}}}")
        good.array(node, "cumulative_length", [1, 2])
        node["flattened_data"] = node
    case("vectors_own_items_deep", own_items_deep)

    def own_lengths(file):
        node = good.struct(file, "x", VOV)
        node["cumulative_length"] = node
        good.array(node, "flattened_data", [1.0])
    case("vectors_own_lengths", own_lengths)

    for part in ("cumulative_length", "flattened_data"):
        def missing(file, part=part):
            del vectors(file, [1, 2, 3])[part]
        case(f"vectors_no_{part}", missing, says=part)

        def nowhere(file, part=part):
            node = vectors(file, [1, 2, 3])
            del node[part]
            node[part] = h5py.SoftLink("/x/" + part)
        case(f"vectors_circle_{part}", nowhere, says=part)


# --- codecs -----------------------------------------------------------------------------------------


def encoded(file, codec, rows, size, shift=0, datatype=ENCODED, lengths=None):
    more = {key: value for key, value in (("codec", codec), ("codec_shift", shift)) if value is not None}
    node = good.struct(file, "x", datatype, **more)
    data = good.struct(node, "encoded_data", VOV)
    good.array(data, "flattened_data", np.frombuffer(b"".join(rows), np.uint8))
    ends = np.cumsum([len(row) for row in rows]) if lengths is None else lengths
    good.array(data, "cumulative_length", np.asarray(ends, np.uint32))
    good.array(node, "decoded_size", size, "real" if np.ndim(size) == 0 else "array<1>{real}")


RADWARE = bytes.fromhex("0005 0005 0002 000a 2700 0000".replace(" ", ""))
ULEB = bytes.fromhex("c8010203008d03")


def codecs():
    fine = {"radware_sigcompress": (RADWARE, 5), "uleb128_zigzag_diff": (ULEB, 5)}
    for codec, (row, n) in fine.items():
        short = codec[:4]
        case(f"{short}_fine", lambda f, c=codec, r=row, n=n: encoded(f, c, [r, r], n), True)
        case(f"{short}_float_size", lambda f, c=codec, r=row: encoded(f, c, [r, r], 5.0), says="decoded_size")
        for cut in range(len(row)):
            case(f"{short}_cut{cut}", lambda f, c=codec, r=row, n=n, k=cut: encoded(f, c, [r, r[:k]], n),
                 None if cut == 10 else False)  # fmt: skip
        for size in (0, 4, 6, -1, 2**31 - 1, 2**31, 2**40, -(2**63), 2**63 - 1):
            case(f"{short}_size_{size}", lambda f, c=codec, r=row, n=size: encoded(f, c, [r, r], n))
            case(f"{short}_sizes_{size}",
                 lambda f, c=codec, r=row, n=size: encoded(f, c, [r, r], [5, n], datatype=RAGGED))  # fmt: skip
        case(f"{short}_few_sizes", lambda f, c=codec, r=row: encoded(f, c, [r, r], [5], datatype=RAGGED))
        for name, ends in (("descend", [9, 3]), ("exceed", [3, 10**6]), ("most", [2**32 - 1, 2**32 - 1])):
            case(f"{short}_ends_{name}",
                 lambda f, c=codec, r=row, e=ends: encoded(f, c, [r, r], 5, lengths=e))  # fmt: skip
    for name, row in (("runaway", b"\x80" * 4000), ("eleven", b"\x80" * 11 + b"\x01")):
        case(f"uleb_{name}", lambda f, r=row: encoded(f, "uleb128_zigzag_diff", [r], 5))
    for name, words in (("wide", "0005 0005 0011 000a"), ("narrow", "0005 0005 0001 000a"),
                        ("none", "0005 0000 0002 000a"), ("long", "0005 0006 0002 000a")):  # fmt: skip
        row = bytes.fromhex(words.replace(" ", "")) + bytes(8)
        case(f"radw_block_{name}", lambda f, r=row: encoded(f, "radware_sigcompress", [r], 5))
    case("codec_unknown", lambda f: encoded(f, "zip\x1b[2J", [ULEB], 5), says="codec")
    case("codec_none", lambda f: encoded(f, None, [ULEB], 5), says="codec")
    case("codec_number", lambda f: encoded(f, 5, [ULEB], 5))
    for name, shift in (("nan", np.nan), ("inf", np.inf), ("huge", 1e300), ("half", 0.5), ("text", "one"),
                        ("two", [1, 2]), ("int64", 2**40)):  # fmt: skip
        case(f"shift_{name}", lambda f, s=shift: encoded(f, "radware_sigcompress", [RADWARE], 5, s),
             says="codec_shift")  # fmt: skip


# --- histograms -------------------------------------------------------------------------------------


def histograms():
    def of(edges, weights=(1.0, 2.0), n=1):
        return lambda file: good.histogram(file, "x", [(edges, "keV", True)] * n, np.asarray(weights))

    case("histogram_fine", of((0.0, 2.0, 1.0)), True)
    for name, edges in {
        "step_zero": (0.0, 2.0, 0.0), "step_nan": (0.0, 2.0, np.nan), "step_negative": (0.0, 2.0, -1.0),
        "infinite": (0.0, np.inf, 1.0), "far": (0.0, 1e300, 1e-300), "odd": (0.0, 2.5, 1.0),
        "many": (0.0, 1e15, 1.0), "few_edges": [0.0, 1.0], "no_edges": [], "nan_edges": [0.0, np.nan, 1.0],
        "falling": [0.0, 2.0, 1.0],
    }.items():  # fmt: skip
        case(f"histogram_{name}", of(edges))
    case("histogram_flat", of((0.0, 2.0, 1.0), np.float64(1)))
    case("histogram_rank", of((0.0, 2.0, 1.0), [[1.0, 2.0]]))
    case("histogram_texts", of((0.0, 2.0, 1.0), [b"a", b"b"]))
    case("histogram_of_none", of((0.0, 0.0, 1.0), np.zeros(0)), None)
    for part in ("binning", "weights", "isdensity", "binning/axis_0", "binning/axis_0/binedges",
                 "binning/axis_0/closedleft", "binning/axis_0/binedges/first"):  # fmt: skip
        def without(file, part=part):
            of((0.0, 2.0, 1.0))(file)
            del file["x"][part]
        case(f"histogram_no_{part.replace('/', '_')}", without, says=part.rsplit("/", 1)[-1])

        def circle(file, part=part):
            without(file, part)
            file["x"][part] = file["x"]
        case(f"histogram_own_{part.replace('/', '_')}", circle)


# --- tables -----------------------------------------------------------------------------------------


def tables():
    def table(file, datatype="table{a,b}"):
        node = good.struct(file, "x", datatype)
        good.array(node, "a", [1.0, 2.0])
        return node

    def unequal(file):
        good.array(table(file), "b", [1, 2, 3])
    case("table_unequal", unequal, says="rows")
    case("table_missing", table, says="'b'")
    case("table_unlisted", lambda file: good.array(table(file, "table{a}"), "c", [1]), True)

    def own(file):
        node = table(file)
        node["b"] = node
    case("table_own", own)

    for name, target in (("nowhere", "/nowhere"), ("circle", "/x/b"), ("up", "/")):
        def linked(file, target=target):
            table(file)["b"] = h5py.SoftLink(target)
        case(f"table_link_{name}", linked)

    def scalar(file):
        good.array(table(file), "b", np.float64(1), "real")
    case("table_scalar", scalar)

    def nest(word, n):
        def make(file):
            node = good.struct(file, "x", word + "{x}")
            for _ in range(n):
                node = good.struct(node, "x", word + "{x}")
            good.array(node, "x", [1.0])
        return make
    case("table_deep", nest("table", 10000))
    case("struct_deep", nest("struct", 10000))

    def doubling(word):
        def make(file):
            inner = good.array(file, "end", [1.0])
            for i in range(63):
                outer = good.struct(file, f"level{i}", word + "{a,b}")
                outer["a"] = outer["b"] = inner
                inner = outer
            file["x"] = inner
        return make
    case("table_doubling", doubling("table"))
    case("struct_doubling", doubling("struct"))


# --- attributes -------------------------------------------------------------------------------------


def unread():
    """unread.lh5: a table whose objects have attributes that point into a heap that is damaged. What
    they say that they are lies in their headers."""
    with h5py.File("unread.lh5", "w") as file:
        table = file.create_group("x")
        column = table.create_dataset("a", data=np.arange(3.0))
        table.attrs["datatype"] = np.bytes_("table{a}")
        column.attrs["datatype"] = np.bytes_("array<1>{real}")
        for node in (table, column):
            lists = np.empty(1, object)
            lists[0] = np.array([table.ref, column.ref], h5py.ref_dtype)
            node.attrs.create("refs", lists, dtype=h5py.vlen_dtype(h5py.ref_dtype))
            lists = np.empty(1, object)
            lists[0] = np.array([1, 2], "i4")
            node.attrs.create("codes", lists, dtype=h5py.vlen_dtype(np.dtype("<i4")))
            node.attrs["whole"] = np.int32(7)
    data = pathlib.Path("unread.lh5").read_bytes()
    assert b"GCOL" in data
    pathlib.Path("unread.lh5").write_bytes(data.replace(b"GCOL", b"gone"))


if __name__ == "__main__":
    unread()
    for part in (datatypes, contents, attributes, all_vectors, codecs, histograms, tables):
        part()
    with open("bad.json", "w", encoding="utf-8") as file:
        json.dump(CASES, file)
