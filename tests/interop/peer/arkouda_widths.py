"""A set of three files whose arrays have other widths in each, as those of other programs may.

    arkouda_widths.py

widths.json says {"widened": {path: [type, columns, what the message says without --widen]},
"refused": {path: what it says with it}}.
"""

import json

import h5py
import numpy as np

PARTS = {
    "i": [np.array([1, -2], "i4"), np.array([2**40], "i8"), np.array([-3], "i1")],
    "u": [np.array([1, 2], "u4"), np.array([], "u8"), np.array([7], "i2")],
    "long": [np.array([1], "u2"), np.array([2**64 - 1], "u8"), np.array([3], "u8")],
    "f": [np.array([0.5], "f4"), np.array([0.1], "f8"), np.array([2.0], "f2")],
    "signs": [np.array([1], "u8"), np.array([1], "i8"), np.array([1], "u8")],
    "classes": [np.array([1], "i8"), np.array([1.5], "f8"), np.array([1], "i8")],
    "bools": [np.array([1], "u1"), np.array([1], "u1"), np.array([1], "i8")],
}  # fmt: skip
STARTS = [np.array([0, 2], "i8"), np.array([], "i4"), np.array([0], "i4")]
ITEMS = [np.array([1, 2, 3], "i8"), np.array([], "i4"), np.array([4], "i4")]
WIDENED = {
    "/i": ["int64", {"i": [1, -2, 2**40, -3]}, ["int32", "int64"]],
    "/u": ["int64", {"u": [1, 2, 7]}, ["uint32", "int16"]],
    "/long": ["uint64", {"long": [1, 2**64 - 1, 3]}, ["uint16", "uint64"]],
    "/f": ["float64", {"f": [0.5, 0.1, 2.0]}, ["float32", "float64"]],
    "/lists": ["list", {"lists": [[1, 2], [3], [4]]}, ["int64", "int32"]],
}
REFUSED = {
    "/signs": ["widths_LOCALE0001.h5:/signs", "int64", "uint64"],
    "/classes": ["widths_LOCALE0001.h5:/classes", "float64", "int64"],
    "/bools": ["widths_LOCALE0002.h5:/bools", "int64", "as bools"],
}

for k in range(3):
    with h5py.File(f"widths_LOCALE{k:04d}.h5", "w") as file:
        file.attrs.create("File_Format", 1, dtype="<i8")
        for name, parts in PARTS.items():
            file[name] = parts[k]
            file[name].attrs.create("ObjType", 1, dtype="<i8")
            if name == "bools" and parts[k].dtype == "u1":
                file[name].attrs.create("isBool", 1, dtype="<i8")
        lists = file.create_group("lists")
        lists.attrs.create("ObjType", 3, dtype="<i8")
        lists["segments"] = STARTS[k]
        lists["values"] = ITEMS[k]
with open("widths.json", "w", encoding="utf-8") as out:
    json.dump({"widened": WIDENED, "refused": REFUSED}, out)
