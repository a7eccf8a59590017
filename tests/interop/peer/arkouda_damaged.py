"""Files as Arkouda's server writes them, with one thing wrong in each.

    arkouda_damaged.py

damaged.json says {file or prefix: [path, [what the message says]]}.
"""

import json
import os

import h5py
import numpy as np
from arkouda import Array, Big, BigView, Categorical, GroupBy, Levels, Place, SegArray, Strings
from arkouda import View, ints, save_one, save_parts

MADE = {}
TEXTS = ["one", "two", "three"]
SOUND = {
    "i": Array(np.arange(3)), "f": Array(np.arange(3) / 2), "s": Strings(TEXTS),
    "seg": SegArray([[1], [2, 3], []], ints), "c": Categorical(["a", None, "b"]),
    "g": GroupBy(Array(np.arange(3))), "big": Big([1, 2**70, 3]), "x": Levels(Array(np.arange(3))),
    "v": View(np.arange(6).reshape(3, 2)),
}  # fmt: skip


def damage(name, path, change, *says):
    """One file, in which `change` changed something."""
    save_one(f"{name}.h5", SOUND)
    with h5py.File(f"{name}.h5", "r+") as opened:
        change(opened)
    MADE[f"{name}.h5"] = [path, [f"{name}.h5:{path}", *says]]


def damage_part(name, path, change, *says, k=1):
    """One file of three."""
    save_parts(name, SOUND, 3)
    with h5py.File(f"{name}_LOCALE{k:04d}.h5", "r+") as opened:
        change(opened)
    MADE[name] = [path, list(says)]


def put(path, values):
    def change(file):
        attributes = dict(file[path].attrs) if path in file else {}
        if path in file:
            del file[path]
        file[path] = values
        file[path].attrs.update(attributes)

    return change


def say(path, name, value):
    def change(file):
        file[path].attrs.create(name, value)

    return change


def forget(path, name):
    def change(file):
        del file[path].attrs[name]

    return change


def put_shaped_limbs(file):
    """As no Arkouda did: those of 2022, which stored shapes, had no bigint."""
    BigView([1, 2, 3, 4], (2, 2), 1).write(file, "big_view", Place(0, 0))
    put("big_view/Limb_0", np.ones((2, 2), "u8"))(file)
    say("big_view", "Format", 1)(file)


def drop(path):
    def change(file):
        del file[path]

    return change


def i8(*values):
    return np.array(values, dtype="i8")


def main():
    damage("descending", "/s", put("s/segments", i8(0, 8, 4)), "offset", "less than")
    damage("too_far", "/s", put("s/segments", i8(0, 4, 400)), "400")
    damage("negative", "/seg", put("seg/segments", i8(0, -1, 3)), "-1")
    damage("not_at_0", "/seg", put("seg/segments", i8(1, 1, 3)), "not with 0")
    damage("shifted", "/s", put("s/segments", i8(0, 3, 8)), "NUL")
    text = b"one\0two\0three!"
    damage("no_nul", "/s", put("s/values", np.frombuffer(text, "u1")), "NUL")

    def bare(file):
        drop("s/segments")(file)
        put("s/values", np.frombuffer(text, "u1"))(file)

    damage("no_nul_and_no_offsets", "/s", bare, "NUL")
    damage("floats", "/s", put("s/segments", np.arange(3) / 2), "float64", "integers")
    damage("wide_text", "/s", put("s/values", i8(1, 2, 0)), "bytes of strings")
    damage("no_values", "/s", drop("s/values"), "values", "missing")
    damage("no_keys", "/g", forget("g", "NumKeys"), "NumKeys")
    damage("many_keys", "/g", say("g", "NumKeys", 2), "KEY_1", "missing")
    damage("few_keys", "/g", say("g", "NumKeys", 0), "NumKeys")
    damage("more_keys", "/g", put("g/KEY_1", i8(1, 2, 3)), "KEY_1")
    damage("long_key", "/g", put("g/permutation", i8(1, 2, 3, 4)), "permutation", "4")
    damage("long_groups", "/g", put("g/segments", i8(0, 1, 2, 3)), "4 groups")
    damage("codes", "/c", put("c/codes", i8(0, 1, 9)), "code 9")
    damage("negative_codes", "/c", put("c/codes", i8(0, 1, -1)), "code -1")
    damage("na_code", "/c", put("c/NA_Codes", i8(7)), "7", "categories")
    damage("no_codes", "/c", drop("c/codes"), "codes", "missing")
    damage("float_bool", "/f", say("f", "isBool", 1), "isBool", "float64")
    damage("unknown", "/i", say("i", "ObjType", 99), "ObjType 99")
    damage("series", "/i", say("i", "ObjType", 11), "ObjType 11")
    damage("bitvector", "/i", say("i", "ObjType", 10), "ObjType 10")
    damage("minus_one", "/i", say("i", "ObjType", -1), "ObjType -1")
    damage("shapeless", "/odd", put("odd/stuff", i8(1, 2, 3)), "/odd", "no table of a layout")
    damage("not_a_group", "/i", say("i", "ObjType", 2), "strings", "dataset")
    damage("not_a_dataset", "/s", say("s", "ObjType", 1), "pdarray", "group")
    damage("text_array", "/i", put("i", np.array([b"a", b"b", b"c"])), "no array of Arkouda")
    damage("flat", "/i", put("i", np.zeros((3, 2))), "2 dimensions")
    damage("limbs", "/big", say("big", "NumLimbs", 3), "Limb_2", "NumLimbs")
    damage("no_limbs", "/big", forget("big", "NumLimbs"), "NumLimbs")
    damage("short_limb", "/big", put("big/Limb_1", np.zeros(2, "u8")), "Limb_1", "2")
    damage("signed_limb", "/big", put("big/Limb_1", i8(1, 2, 3)), "Limb_1", "int64")
    damage("no_level", "/x", drop("x/IDX_0"), "IDX_0")
    damage("shape", "/v", say("v", "Shape", i8(3, 3)), "Shape")
    damage("rank", "/v", say("v", "Rank", 3), "Rank")
    damage("no_shape", "/v", forget("v", "Shape"), "Shape")
    damage("double_start", "/s", put("s/segments", i8(0, 4, 4)), "NUL")

    def shaped(change=None):
        def make(file):
            put("v", np.zeros((3, 2), "u1"))(file)
            say("v", "Format", 1)(file)
            if change:
                change(file)

        return make

    damage("other_shape", "/v", shaped(say("v", "Shape", i8(2, 3))), "stored with another shape")
    damage("other_rank", "/v", shaped(put("v", np.zeros(6))), "stored with another shape")

    def float_truth(file):
        put("v", np.zeros((3, 2)))(file)
        say("v", "Format", 1)(file)
        say("v", "isBool", 1)(file)

    damage("float_truth", "/v", float_truth, "isBool", "float64")
    damage("shaped_limbs", "/big_view", put_shaped_limbs, "/big_view/Limb_0", "2 dimensions")
    damage("lengths", "/s,long", put("long", np.arange(4)), "long", "4", "3")
    damage("timeless", "/f", say("f", "ObjType", 7), "datetime", "float64")

    def claim(file):
        del file["s/values"]
        file.create_dataset("s/values", (2**50,), "u1", chunks=(2**16,))

    damage("never_written", "/s", claim, "s/values", "holds 0 bytes")

    damage_part("lost", "/i", lambda file: None, "lost_LOCALE0001.h5", "missing")
    os.remove("lost_LOCALE0001.h5")
    damage_part("other", "/i", put("i", np.zeros(1)), "other_LOCALE0001.h5:/i", "float64", "int64")
    damage_part("narrow", "/i", put("i", np.zeros(1, "i4")), "narrow_LOCALE0001.h5:/i", "int32")
    damage_part("kinds", "/i", say("i", "ObjType", 7), "kinds_LOCALE0001.h5:/i", "datetime")
    damage_part("gone", "/s", drop("s"), "gone_LOCALE0001.h5:/s", "missing")
    damage_part("inner", "/s", drop("s/values"), "inner_LOCALE0001.h5:/s/values", "missing")
    damage_part("offsets", "/s", put("s/segments", i8(4)), "offsets_LOCALE0001.h5:/s/segments", "4")
    damage_part("rowless", "/s", put("s/segments", i8()), "rowless_LOCALE0001.h5:/s/segments")
    damage_part("groupless", "/c", lambda file: put("c", i8(1))(file) or say("c", "ObjType", 4)(file),
                "groupless_LOCALE0001.h5:/c")  # fmt: skip
    damage_part("nothing", "/c", lambda file: file.close(), "nothing_LOCALE0002.h5")
    with open("nothing_LOCALE0002.h5", "wb") as file:
        file.write(b"no HDF5")
    with open("damaged.json", "w", encoding="utf-8") as file:
        json.dump(MADE, file)


if __name__ == "__main__":
    main()
