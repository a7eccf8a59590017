"""LH5 objects in memory, and how h5py writes them (LH5 notes §2 to §6).

An object is a dict with a "kind" and what belongs to it; flatten() says which rows and columns Stoa should
see of it.
"""

import h5py
import lh5_codecs
import numpy as np
from words import word

UTF8 = h5py.string_dtype("utf-8")


def attribute(node, name, value):
    node.attrs.create(name, value, dtype=UTF8)


def note(node, name, value):
    """An attribute of any type; `value` may be one with a `dtype` of its own beside its `values`."""
    if isinstance(value, str):
        attribute(node, name, value)
    elif hasattr(value, "values"):
        node.attrs.create(name, value.values, dtype=value.dtype)
    else:
        node.attrs[name] = value


def element_of(values):
    values = np.asarray(values)
    if values.dtype == bool:
        return "bool"
    if values.dtype.kind == "c":
        return "complex"
    if values.dtype.kind in "SOU":
        return "string"
    if values.dtype.kind == "V":
        return "blob"
    return "real"


def dataset(group, name, values, datatype, **how):
    values = np.asarray(values)
    if values.dtype == bool and values.ndim:
        values = values.astype(np.uint8)
    if values.dtype.kind in "UO":
        values = values.astype(UTF8)
    if values.ndim and "chunks" not in how and not how.get("contiguous"):
        how = {"chunks": True, "maxshape": (None, *values.shape[1:]), **how}
    how.pop("contiguous", None)
    node = group.create_dataset(name, data=values, **how)
    attribute(node, "datatype", datatype)
    return node


PACKED = {"shuffle": True, "compression": "gzip", "compression_opts": 4}


class Writer:
    """How files differ that the same software wrote at other times."""

    def __init__(self, sorts=True, packs=True, lengths=np.int64, first_axis=0):
        self.sorts = sorts
        self.packs = packs
        self.lengths = lengths
        self.first_axis = first_axis

    def how(self):
        return dict(PACKED) if self.packs else {}

    def write(self, group, name, thing):
        node = getattr(self, thing["kind"])(group, name, thing)
        for key in ("units", "description"):
            if key in thing:
                attribute(node, key, thing[key])
        for key, value in thing.get("attributes", {}).items():
            note(node, key, value)
        for path, notes in thing.get("parts", {}).items():
            for key, value in notes.items():
                note(node[path], key, value)
        if "datatype" in thing:
            attribute(node, "datatype", thing["datatype"])
        return node

    def scalar(self, group, name, thing):
        value = thing["value"]
        node = group.create_dataset(name, data=value, dtype=UTF8 if isinstance(value, str) else None)
        kind = "string" if isinstance(value, str) else element_of(value)
        attribute(node, "datatype", thing.get("element", kind))
        return node

    def array(self, group, name, thing):
        values = np.asarray(thing["values"])
        element = thing.get("element", element_of(values))
        prefix = thing.get("prefix", "array")
        return dataset(group, name, values, f"{prefix}<{values.ndim}>{{{element}}}", **self.how())

    def equal(self, group, name, thing):
        values = np.asarray(thing["values"])
        rank = thing.get("rank", 1)
        datatype = f"array_of_equalsized_arrays<{rank},{values.ndim - rank}>{{{element_of(values)}}}"
        return dataset(group, name, values, datatype, **self.how())

    def vectors(self, group, name, thing):
        depth, rows, items = thing["depth"], thing["rows"], thing["items"]
        node = group.create_group(name)
        ends = np.cumsum([len(row) for row in rows]).astype(self.lengths)
        flat = [item for row in rows for item in row]
        if depth == 2:
            flat = np.array(flat, dtype=items)
            element = thing.get("element", element_of(flat))
            inner = dataset(node, "flattened_data", flat, f"array<1>{{{element}}}", **self.how())
        else:
            inner = self.vectors(node, "flattened_data", {**thing, "depth": depth - 1, "rows": flat})
        dataset(node, "cumulative_length", ends, "array<1>{real}", **self.how())
        attribute(node, "datatype", "array<1>{" + inner.attrs["datatype"] + "}")
        return node

    def encoded(self, group, name, thing):
        node = group.create_group(name)
        codec, shift = thing["codec"], thing.get("shift", 0)
        rows = [lh5_codecs.CODECS[codec]([int(x) for x in row], shift) for row in thing["rows"]]
        data = node.create_group("encoded_data")
        attribute(data, "datatype", "array<1>{array<1>{real}}")
        dataset(data, "flattened_data", np.frombuffer(b"".join(rows), np.uint8), "array<1>{real}",
                shuffle=True)  # fmt: skip
        ends = np.cumsum([len(row) for row in rows]).astype(np.uint32)
        dataset(data, "cumulative_length", ends, "array<1>{real}")
        sizes = [len(row) for row in thing["rows"]]
        if thing["is_equal"]:
            size = node.create_dataset("decoded_size", data=np.int64(sizes[0] if sizes else 7))
            attribute(size, "datatype", "real")
            attribute(node, "datatype", "array_of_encoded_equalsized_arrays<1,1>{real}")
        else:
            dataset(node, "decoded_size", np.array(sizes, np.int64), "array<1>{real}")
            attribute(node, "datatype", "array<1>{encoded_array<1>{real}}")
        attribute(node, "codec", codec)
        if codec == "radware_sigcompress":
            node.attrs["codec_shift"] = thing.get("shift_type", np.float64)(shift)
        return node

    def table(self, group, name, thing):
        return self.fields(group, name, "table", thing["fields"])

    def struct(self, group, name, thing):
        return self.fields(group, name, "struct", thing["fields"])

    def fields(self, group, name, word, fields):
        node = group.create_group(name)
        for field, inner in fields.items():
            self.write(node, field, inner)
        names = sorted(fields) if self.sorts else list(fields)
        attribute(node, "datatype", word + "{" + ",".join(names) + "}")
        return node

    def histogram(self, group, name, thing):
        axes = {}
        for i, axis in enumerate(thing["axes"]):
            if "edges" in axis:
                edges = {"kind": "array", "values": np.array(axis["edges"], np.float64)}
            else:
                parts = dict(zip(("first", "last", "step"), axis["range"], strict=True))
                edges = {"kind": "struct", "fields": {
                    key: {"kind": "scalar", "value": value} for key, value in parts.items()}}  # fmt: skip
            if "units" in axis:
                edges["units"] = axis["units"]
            closed = {"kind": "scalar", "value": np.bool_(axis.get("closedleft", True))}
            axes[f"axis_{i + self.first_axis}"] = {
                "kind": "struct", "fields": {"binedges": edges, "closedleft": closed}}  # fmt: skip
        weights = {"kind": "array", "values": thing["weights"]}
        density = {"kind": "scalar", "value": np.bool_(thing.get("isdensity", False))}
        fields = {"binning": {"kind": "struct", "fields": axes}, "weights": weights,
                  "isdensity": density}  # fmt: skip
        return self.fields(group, name, "struct", fields)


# --- what Stoa should see ---------------------------------------------------------------------------


def enum_names(element):
    pairs = element[len("enum{") : -1].split(",")
    return {int(value): name for name, value in (pair.split("=") for pair in pairs)}


def column(thing):
    kind = thing["kind"]
    if kind == "scalar":
        return [word(thing["value"])]
    if kind == "array" and str(thing.get("element", "")).startswith("enum{"):
        names = enum_names(thing["element"])
        return [names[int(value)] for value in thing["values"]]
    if thing.get("element") == "bool":
        return [bool(value) for value in thing["values"]]
    if kind in ("array", "equal"):
        return [word(row) for row in np.asarray(thing["values"])]
    return [word(row) for row in thing["rows"]]


def in_order(thing, writer):
    return sorted(thing["fields"]) if writer.sorts else list(thing["fields"])


def flatten(name, thing, writer):
    """{column: rows} of a table, histogram, or of any one thing."""
    if thing["kind"] == "histogram":
        return bins(thing)
    if thing["kind"] != "table":
        return {name: column(thing)}
    found = {}
    for field in in_order(thing, writer):
        inner = flatten(field, thing["fields"][field], writer)
        nested = thing["fields"][field]["kind"] == "table"
        found.update({f"{field}.{key}": rows for key, rows in inner.items()} if nested else inner)
    return found


def edges_of(axis):
    if "edges" in axis:
        return [float(edge) for edge in axis["edges"]]
    first, last, step = axis["range"]
    n = round((last - first) / step)
    return [float(edge) for edge in np.linspace(first, last, n + 1)]


def bins(thing):
    weights = np.asarray(thing["weights"])
    found = {}
    places = list(np.ndindex(*weights.shape))
    for k, axis in enumerate(thing["axes"]):
        edges = edges_of(axis)
        found[f"axis_{k}.low"] = [edges[place[k]] for place in places]
        found[f"axis_{k}.high"] = [edges[place[k] + 1] for place in places]
    found["weight"] = [word(weights[place]) for place in places]
    return found
