"""Awkward arrays of AnnData, read by the rules of Awkward Array 2 and h5py alone.

    awkwards.py FILE PATH ...     the rows of each array as a line of JSON; awkward's own, if it is there

What an array says of itself that is not so is an error. Missing floats are NaN, which is null here.
"""

import json
import math
import sys

import h5py
import numpy as np


def need(is_so, what):
    if not is_so:
        sys.exit(f"awkwards.py: {what}")


class Array:
    def __init__(self, group):
        need(group.attrs["encoding-type"] == "awkward-array", "encoding-type")
        need(group.attrs["encoding-version"] == "0.1.0", "encoding-version")
        self.group = group
        self.used = set()
        self.rows = self.read(json.loads(group.attrs["form"]), int(group.attrs["length"]))
        need(self.used == set(group), f"buffers of no node: {set(group) - self.used}")

    def buffer(self, form, part, n, dtype):
        name = f"{form['form_key']}-{part}"
        need(name not in self.used, f"{name} is of two nodes")
        self.used.add(name)
        found = self.group[name]
        need(found.attrs["encoding-type"] == "array" and found.attrs["encoding-version"] == "0.2.0", name)
        need(found.dtype == np.dtype(dtype) and found.shape == (n,), f"{name}: {found.dtype} {found.shape}, not {n}")
        return found[()]

    def read(self, form, n):
        kind = form["class"]
        if kind == "NumpyArray":
            need(form["inner_shape"] == [], "inner_shape")
            return self.buffer(form, "data", n, form["primitive"]).tolist()
        if kind == "ListOffsetArray":
            offsets = self.buffer(form, "offsets", n + 1, {"i64": "i8"}[form["offsets"]])
            need(offsets[0] == 0 and (np.diff(offsets) >= 0).all(), "offsets")
            items = self.read(form["content"], int(offsets[-1]))
            rows = [items[a:b] for a, b in zip(offsets[:-1], offsets[1:], strict=True)]
            if form["parameters"].get("__array__") == "string":
                need(form["content"]["parameters"] == {"__array__": "char"}, "char")
                return [bytes(row).decode() for row in rows]
            return rows
        if kind == "ByteMaskedArray":
            mask = self.buffer(form, "mask", n, {"i8": "i1"}[form["mask"]])
            need(form["valid_when"] is True and set(mask) <= {0, 1}, "mask")
            rows = self.read(form["content"], n)
            return [row if there else None for row, there in zip(rows, mask, strict=True)]
        if kind == "RegularArray":
            items = self.read(form["content"], n * form["size"])
            return [items[k * form["size"] : (k + 1) * form["size"]] for k in range(n)]
        need(kind == "RecordArray", kind)
        fields = [self.read(content, n) for content in form["contents"]]
        return [dict(zip(form["fields"], values, strict=True)) for values in zip(*fields, strict=True)]


def plain(value):
    if isinstance(value, dict):
        return {name: plain(field) for name, field in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def main():
    try:
        import awkward
    except ImportError:
        awkward = None
    with h5py.File(sys.argv[1]) as file:
        for path in sys.argv[2:]:
            group = file[path]
            rows = plain(Array(group).rows)
            if awkward is not None:
                theirs = awkward.from_buffers(group.attrs["form"], int(group.attrs["length"]),
                                              {name: part[()] for name, part in group.items()})  # fmt: skip
                need(plain(awkward.to_list(theirs)) == rows, f"{path}: awkward reads {theirs}")
            print(json.dumps(rows))


if __name__ == "__main__":
    main()
