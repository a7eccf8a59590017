"""Makes arrays.h5ad and arrays.jsonl, in this folder, with the anndata and awkward that are installed.

What awkward itself reads from the file is a line of arrays.jsonl: the path and the values. Tuples are objects with numbers
for names there, bytes are lists of numbers, times are text, and NaN is null.
"""

import datetime
import json
import math
import os
import sys

import anndata
import awkward as ak
import h5py
import numpy as np
import pandas as pd

HERE = os.path.dirname(os.path.abspath(__file__))
N = 5

# As anndata writes them: packed.
PACKED = {
    "numbers": ak.Array([[1, 2], [], [3], [4, 5, 6], [7]]),
    "missing_lists": ak.Array([[1, 2], None, [3], [], None]),
    "missing_items": ak.Array([[1, None], [], [None], [4, 5, 6], [7]]),
    "texts": ak.Array([["a", "é"], [], ["x"], [""], ["", "yy"]]),
    "missing_texts": ak.Array([["a", None], [], None, [""], [None]]),
    "strings": ak.Array(["a", "é", "", "x", "yy"]),
    "bytes": ak.Array([[b"a"], [], [b"xy", b""], [b"\x00\xff"], []]),
    "records": ak.Array([[{"a": 1, "b": "x"}], [], [{"a": 2, "b": None}, {"a": 3, "b": "y"}], [], []]),
    "columns": ak.Array([{"a": k, "b": [1.5] * k, "c": "t" * k} for k in range(N)]),
    "missing_records": ak.Array([{"a": 1}, None, {"a": 2}, {"a": 3}, None]),
    "odd_names": ak.Array([[{'a"b\\': 1, "é\n": [2]}], [], [], [{'a"b\\': 3, "é\n": []}], []]),
    "tuples": ak.Array([[(1, 2.5)], [], [(2, 3.5)], [], []]),
    "booleans": ak.Array([[True], [False, True], [], [], [False]]),
    "deep": ak.Array([[[1.5], []], [], [[2.5, 3.5]], [[]], [[], [4.5]]]),
    "deep_missing": ak.Array([[[1, None], None], None, [[], [2]], [None], []]),
    "floats": ak.Array([[1.5, math.nan], [], [math.inf], [], [-0.5]]),
    "halves": ak.values_astype(ak.Array([[1.5], [], [2], [], [0.25]]), "float16"),
    "fixed": ak.to_regular(ak.Array([[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]])),
    "cube": ak.from_numpy(np.arange(N * 6.0).reshape(N, 3, 2)),
    "no_type": ak.Array([[], [], [], [], []]),
    "all_missing": ak.Array([None] * N),
    "unmasked": ak.Array(ak.contents.UnmaskedArray(ak.contents.NumpyArray(np.arange(N)))),
    "small_offsets": ak.Array(ak.contents.ListOffsetArray(
        ak.index.Index32(np.array([0, 2, 3, 3, 5, 5], "i4")), ak.contents.NumpyArray(np.arange(5, dtype="f4")))),
    "byte_masked": ak.Array(ak.contents.ByteMaskedArray(
        ak.index.Index8(np.array([1, 0, 1, 1, 0], "i1")),
        ak.contents.ListOffsetArray(ak.index.Index64(np.array([0, 2, 3, 3, 5, 5])),
                                    ak.contents.NumpyArray(np.arange(5.0))), valid_when=True)),
    "bits_up": ak.Array(ak.contents.BitMaskedArray(
        ak.index.IndexU8(np.array([0b10110], "u1")), ak.contents.NumpyArray(np.arange(N)), valid_when=True,
        length=N, lsb_order=True)),
    "bits_down": ak.Array(ak.contents.BitMaskedArray(
        ak.index.IndexU8(np.array([0b01101000], "u1")), ak.contents.NumpyArray(np.arange(N)), valid_when=False,
        length=N, lsb_order=False)),
}  # fmt: skip
UNIONS = {"union": ak.Array([[1, "a"], [], [2], ["b"], []])}


def node(name, key, **members):
    return {"class": name, **members, "parameters": members.get("parameters", {}), "form_key": key}


def numbers(key, primitive="int64", **members):
    return node("NumpyArray", key, primitive=primitive, inner_shape=members.pop("shape", []), **members)


def ints(*values):
    return np.array(values, "i8")


TEXT = node("ListOffsetArray", "node1", offsets="i64", parameters={"__array__": "string"},
            content=numbers("node2", "uint8", parameters={"__array__": "char"}))  # fmt: skip
CATEGORIES = {"node1-offsets": ints(0, 1, 3), "node2-data": np.frombuffer(b"abc", "u1")}

# What awkward reads, too, but anndata does not write: not packed.
OTHERS = {
    "ranges": (node("ListArray", "node0", starts="i64", stops="i64", content=numbers("node1")),
               {"node0-starts": ints(3, 0, 1, 9, 1), "node0-stops": ints(5, 1, 1, 9, 4), "node1-data": ints(*range(9))}),
    "later_start": (node("ListOffsetArray", "node0", offsets="i64", content=numbers("node1")),
                    {"node0-offsets": ints(1, 2, 2, 4, 4, 5), "node1-data": ints(*range(9))}),
    "any_order": (node("IndexedOptionArray", "node0", index="i64", content=numbers("node1")),
                  {"node0-index": ints(3, -7, 0, 3, 1), "node1-data": ints(5, 6, 7, 8)}),
    "lists_in_any_order": (
        node("IndexedOptionArray", "node0", index="i64",
             content=node("ListOffsetArray", "node1", offsets="i64", content=numbers("node2"))),
        {"node0-index": ints(1, -1, 0, 1, 2), "node1-offsets": ints(0, 2, 2, 3), "node2-data": ints(5, 6, 7)}),
    "indexed": (node("IndexedArray", "node0", index="i64", content=TEXT),
                {"node0-index": ints(1, 0, 1, 1, 0), **CATEGORIES}),
    "categories": (node("IndexedArray", "node0", index="i64", content=TEXT, parameters={"__array__": "categorical"}),
                   {"node0-index": ints(1, 0, 1, 1, 0), **CATEGORIES}),
    "missing_categories": (node("IndexedOptionArray", "node0", index="i64", content=TEXT,
                                parameters={"__array__": "categorical"}),
                           {"node0-index": ints(1, -1, 1, 0, -1), **CATEGORIES}),
    "lists_of_categories": (
        node("ListOffsetArray", "list", offsets="i64", content=node(
            "IndexedOptionArray", "node0", index="i64", content=TEXT, parameters={"__array__": "categorical"})),
        {"list-offsets": ints(0, 1, 1, 3, 3, 4), "node0-index": ints(1, -1, 0, 1), **CATEGORIES}),
    "booleans_mask": (node("ByteMaskedArray", "node0", mask="i8", valid_when=False, content=numbers("node1")),
                      {"node0-mask": np.array([1, 0, 1, 0, 0], bool), "node1-data": ints(*range(5))}),
    "times": (node("ListOffsetArray", "node0", offsets="i64", content=numbers("node1", "datetime64[us]")),
              {"node0-offsets": ints(0, 1, 1, 3, 3, 3), "node1-data": ints(5, 10**15, -2**63)}),
    "inner_shape": (node("ListOffsetArray", "node0", offsets="i64", content=numbers("node1", shape=[2, 1])),
                    {"node0-offsets": ints(0, 1, 1, 3, 3, 3), "node1-data": ints(*range(6))}),
    "width_in_name": (node("ListOffsetArray64", "node0", offsets="i64", content=numbers("node1")),
                      {"node0-offsets": ints(0, 1, 1, 3, 3, 3), "node1-data": ints(*range(3))}),
}  # fmt: skip


def plain(value):
    if isinstance(value, dict):
        return {name: plain(field) for name, field in value.items()}
    if isinstance(value, tuple):
        return {str(k): plain(field) for k, field in enumerate(value)}
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="microseconds")
    return None if value is None or isinstance(value, float) and math.isnan(value) else value


def write_others(file):
    with h5py.File(file, "a") as opened:
        for name, (form, buffers) in OTHERS.items():
            group = opened.create_group(f"uns/{name}")
            group.attrs.update({"encoding-type": "awkward-array", "encoding-version": "0.1.0",
                                "form": json.dumps(form), "length": N})  # fmt: skip
            for key, values in buffers.items():
                anndata.io.write_elem(group, key, values)


def write_small(file, to):
    """The same objects in HDF5's newer format, whose groups are smaller."""
    with h5py.File(file) as old, h5py.File(to, "w", libver="latest") as new:
        new.attrs.update(old.attrs)
        for name in old:
            old.copy(name, new)
    os.remove(file)


def main():
    os.chdir(HERE)
    made = anndata.AnnData(obs=pd.DataFrame({"n": range(N)}, index=[f"c{k}" for k in range(N)]))
    for name, array in PACKED.items():
        made.obsm[name] = array
    made.uns.update(UNIONS)
    made.write_h5ad("large.h5ad")
    write_others("large.h5ad")
    write_small("large.h5ad", "arrays.h5ad")
    read = anndata.read_h5ad("arrays.h5ad")
    with open("arrays.jsonl", "w", encoding="utf-8") as out:
        for member, arrays in (("obsm", read.obsm), ("uns", read.uns)):
            for name in arrays:
                if name not in UNIONS:
                    rows = plain(ak.to_list(arrays[name]))
                    out.write(json.dumps({"path": f"/{member}/{name}", "rows": rows}, ensure_ascii=False) + "\n")
    print(f"anndata {anndata.__version__}, awkward {ak.__version__}, h5py {h5py.__version__}", file=sys.stderr)


if __name__ == "__main__":
    main()
