"""LH5 files as LEGEND's own software has them: lh5 (legend-lh5io) and lgdo (legend-pydataobj).

    lh5_legend.py JOBS.json      a list of lists; prints a list of answers as JSON

The first word of a job says what to do:

    values FILE PATH...        what lh5.read() gives: {path: {column: list}}, values as Stoa's JSON has them
    attributes FILE PATH...    {path: {column: attributes}} of what it gives
    copy OLD NEW PATH...       lh5.read() of one file, lh5.write() into the other; waveforms that lie packed are
                               packed again, by LEGEND's encoders
    append OLD NEW PATH        the rows of the one are appended to those of the other by lh5.write()
    show FILE                  what lh5.show() prints

Columns of enumerations are left out: lh5.read() of 0.3 refuses them. It fails to decode packed rows of many lengths,
too: tables are read packed, and decoded by what it calls.
"""

import contextlib
import io
import json
import sys

import h5py
import lgdo
import lh5
import numpy as np
from lh5.compression import RadwareSigcompress, ULEB128ZigZagDiff, decode, encode, radware, varlen

from words import word


def read(file, path):
    with h5py.File(file) as opened:
        node = opened[path]
        kinds = {}
        if isinstance(node, h5py.Group):
            kinds = {name: inner.attrs.get("datatype", "") for name, inner in node.items()}
    enums = [name for name, kind in kinds.items() if "{enum{" in kind]
    masked = dict.fromkeys(enums, False) if enums else None
    return lh5.read(path, file, field_mask=masked, decompress=False)


def columns(name, thing):
    """{column: LGDO}, as Stoa calls the columns."""
    if not isinstance(thing, lgdo.Table):
        return {name: thing}
    found = {}
    for field, inner in thing.items():
        below = columns(field, inner)
        is_table = isinstance(inner, lgdo.Table)
        found |= {f"{field}.{key}": one for key, one in below.items()} if is_table else below
    return found


def rows(thing):
    if isinstance(thing, lgdo.Scalar):
        return [word(thing.value)]
    if isinstance(thing, lgdo.ArrayOfEncodedEqualSizedArrays):
        thing = decode(thing)
    if isinstance(thing, lgdo.VectorOfEncodedVectors):
        return unpacked(thing)
    if isinstance(thing, lgdo.VectorOfVectors):
        return [vector(thing, i) for i in range(len(thing))]
    is_bool = thing.attrs["datatype"].endswith("{bool}")
    return [word(row) for row in (thing.nda.astype(bool) if is_bool else thing.nda)]


def unpacked(thing):
    """Rows of many lengths, which decode() of lh5 0.3 takes as a matrix alone."""
    packed = thing.encoded_data
    sizes = np.diff(packed.cumulative_length.nda, prepend=np.uint32(0))
    matrix = packed.to_aoesa(fill_val=0, preserve_dtype=True).nda
    if thing.attrs["codec"] == "radware_sigcompress":
        rows, lengths = radware.decode((matrix, sizes), shift=int(thing.attrs["codec_shift"]))
    else:
        rows, lengths = varlen.decode((matrix, sizes))
    return [word(row[:n]) for row, n in zip(rows, lengths, strict=True)]


def vector(thing, i):
    """A row, by its ends; of strings, too, of which lgdo makes no lists."""
    ends = thing.cumulative_length.nda
    first, last = int(ends[i - 1]) if i else 0, int(ends[i])
    items = thing.flattened_data
    if isinstance(items, lgdo.VectorOfVectors):
        return [vector(items, k) for k in range(first, last)]
    is_bool = items.attrs["datatype"].endswith("{bool}")
    return word(items.nda[first:last].astype(bool) if is_bool else items.nda[first:last])


def histogram(thing):
    edges = [np.linspace(axis.first, axis.last, axis.nbins + 1) if axis.is_range else axis.edges
             for axis in thing.binning]  # fmt: skip
    found = {}
    places = list(np.ndindex(*thing.weights.nda.shape))
    for k, one in enumerate(edges):
        found[f"axis_{k}.low"] = [float(one[place[k]]) for place in places]
        found[f"axis_{k}.high"] = [float(one[place[k] + 1]) for place in places]
    found["weight"] = [word(thing.weights.nda[place]) for place in places]
    return found


def said(file, path):
    thing = read(file, path)
    if isinstance(thing, lgdo.Histogram):
        return histogram(thing)
    return {key: rows(one) for key, one in columns(path.rpartition("/")[2], thing).items()}


def values(file, *paths):
    return {path: said(file, path) for path in paths}


def attributes(file, *paths):
    return {path: {key: dict(one.attrs) for key, one in columns("", read(file, path)).items()}
            for path in paths}  # fmt: skip


def codec_of(node):
    if node.attrs["codec"] == "radware_sigcompress":
        return RadwareSigcompress(codec_shift=int(node.attrs["codec_shift"]))
    return ULEB128ZigZagDiff()


def pack_again(node, thing):
    """Say how lh5.write() is to pack what was packed."""
    for name in list(thing) if type(thing) in (lgdo.Struct, lgdo.Table, lgdo.WaveformTable) else []:
        if isinstance(thing[name], lgdo.ArrayOfEncodedEqualSizedArrays):
            thing[name] = encode(decode(thing[name]), codec_of(node[name]))
        else:
            pack_again(node[name], thing[name])


def copy(old, new, *paths):
    for path in paths:
        thing = read(old, path)
        with h5py.File(old) as file:
            pack_again(file[path], thing)
        group, _, name = path.rpartition("/")
        lh5.write(thing, name, new, group=group or "/", wo_mode="write_safe")


def append(old, new, path):
    group, _, name = path.rpartition("/")
    thing = read(old, path)
    with h5py.File(old) as file:
        pack_again(file[path], thing)
    lh5.write(thing, name, new, group=group or "/", wo_mode="append")


def show(file):
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        lh5.show(file, attrs=True)
    return shown.getvalue()


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as jobs:
        answers = [globals()[what](*words) for what, *words in json.load(jobs)]
    json.dump(answers, sys.stdout)
