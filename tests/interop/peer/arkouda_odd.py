"""Files of Arkouda's objects that say less of themselves than Arkouda would, or say it in other words: what
a reader does without (docs/layouts/arkouda.md).

    arkouda_odd.py

odd.json is as arkouda.json.
"""

import json

import arkouda
import h5py
import numpy as np
from arkouda import Array, Big, Categorical, DataFrame, GroupBy, Levels, SegArray, Strings

OBJECTS = {
    "i": Array(np.arange(4) - 2), "b": Array(np.arange(4) % 2 == 0), "s": Strings(["a", "", "ccc", "d"]),
    "c": Categorical(["x", None, "y", "x"]), "big": Big([1, 2**70, 3, 4]),
    "seg": SegArray([[1], [2, 3], [], [4]], arkouda.ints), "g": GroupBy(Array(np.array([2, 1, 2, 1]))),
    "x": Levels(Array(np.arange(4))), "l": Levels(Array(np.arange(4)), Strings(["p", "q", "r", "s"])),
    "f": DataFrame(Array(np.arange(4)), {"a": Array(np.arange(4) / 2)}),
}  # fmt: skip
WIDTHS = ("<i4", ">i8", ">i2", "u1", "<u8", "<f8", ">f4")
ENUM = h5py.enum_dtype({"ZERO": 0, "ONE": 1, "TWO": 2, "THREE": 3}, basetype="i2")


def everything(file):
    found = []
    file.visititems(lambda _, thing: found.append(thing))
    return found


def with_numbers(of):
    """Every integer attribute once more, as `of` says."""

    def change(file):
        for i, thing in enumerate([file, *everything(file)]):
            for k, (name, value) in enumerate(list(thing.attrs.items())):
                if np.asarray(value).dtype == "i8":
                    del thing.attrs[name]
                    of(thing, name, int(value), i + k)

    return change


def any_width(thing, name, value, i):
    code = WIDTHS[i % len(WIDTHS)]
    thing.attrs.create(name, value, dtype="<i4" if value < 0 else code)


def one_element(thing, name, value, i):
    thing.attrs.create(name, [value], dtype="<i8")


def enumerated(thing, name, value, i):
    thing.attrs.create(name, value, dtype=ENUM if 0 <= value <= 3 else "<i8")


def bare_below(file):
    """Nothing but ObjType and what a number of parts needs, at top level alone."""
    for thing in everything(file):
        keeps = {"isBigInt", "NumLimbs", "NumKeys"}
        if thing.parent.name == "/":
            keeps |= {"ObjType", "isBool"}
        elif "isBool" in thing.attrs:
            keeps |= {"isBool"}
        for name in set(thing.attrs) - keeps:
            del thing.attrs[name]
    del file.attrs["File_Format"]


def in_other_words(file):
    """Attributes that Arkouda's page has and its files have not; a version of another kind."""
    for thing in everything(file):
        if "isBool" not in thing.attrs and "isBigInt" not in thing.attrs:
            thing.attrs.create("isBool", 0, dtype="<i8")
        if "arkouda_version" in thing.attrs:
            thing.attrs["arkouda_version"] = "v1999 of a string of any length"
            thing.attrs["file_version"] = 7
    file.attrs["File_Format"] = 5


def with_more_in_it(file):
    """Of the missing category's codes the first counts; permutation and segments only as a pair."""
    del file["c/NA_Codes"], file["c/segments"]
    file["c/NA_Codes"] = np.array([2, 0])
    file["c/permutation"][...] = 77


CHANGES = {
    "widths": with_numbers(any_width), "elements": with_numbers(one_element),
    "enumerated": with_numbers(enumerated), "bare": bare_below, "words": in_other_words,
    "more": with_more_in_it,
}  # fmt: skip

for odd, change in CHANGES.items():
    arkouda.save_one(f"{odd}.h5", OBJECTS)
    with h5py.File(f"{odd}.h5", "r+") as opened:
        change(opened)

# Lists without ObjType, as columns of a DataFrame are in one file: known by their values.
LISTS = {
    "texts": SegArray([["a", ""], []], Strings), "bits": SegArray([[], [True, False]], arkouda.bools),
    "ints": SegArray([[1, 2], [3]], arkouda.ints),
}  # fmt: skip
arkouda.save_one("frame.h5", {"f": DataFrame(Array(np.arange(2)), LISTS)})

# Limbs are counted in each file; what needs more in one of them has zeros in the others.
arkouda.save_parts("limbs", {"seg": SegArray([[1], [2**70, 2], [], [2**130]], Big)}, 4)

# Objects in ordinary groups.
arkouda.save_one("nested.h5", {})
with h5py.File("nested.h5", "r+") as opened:
    group = opened.create_group("outer/inner")
    OBJECTS["i"].write(group, "i", arkouda.Place(0, 0))
    OBJECTS["s"].write(group, "s", arkouda.Place(0, 0))
arkouda.MADE["nested.h5"] = {f"/outer/inner/{name}": OBJECTS[name].columns(name) for name in "is"}

with open("odd.json", "w", encoding="utf-8") as file:
    json.dump(arkouda.MADE, file)
