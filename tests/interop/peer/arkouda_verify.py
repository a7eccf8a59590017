"""What Arkouda demands of its files, asked by h5py of those that Stoa wrote; and what they hold.

    arkouda_verify.py JOBS.json

JOBS.json is a list of {"files": [...], "distributed": bool, "expect": {path: values} or absent,
"offsets": false where Strings may lack theirs}. Says nothing if all is well. The rules are those of
the checklist for writers (docs/layouts/arkouda.md, "Written"); values are read here as Arkouda reads
them: file after file, offsets counted on.
"""

import ctypes
import json
import math
import re
import sys

import h5py
import numpy as np
from h5py import h5, h5a, h5d, h5s, h5t

from native import Id, declare

PDARRAY, STRINGS, SEGARRAY, CATEGORICAL, GROUPBY, FRAME = 1, 2, 3, 4, 5, 6
DATETIME, TIMEDELTA, IPV4, INDEX, MULTIINDEX, VIEW = 7, 8, 9, 12, 13, 0
SPECIAL = (DATETIME, TIMEDELTA, IPV4)
NUMBERS = {"<i8", "<u8", "<f8", "|u1"}


class Info(ctypes.Structure):
    _fields_ = [("storage", ctypes.c_int), ("n", ctypes.c_uint64), ("order", ctypes.c_int64),
                ("mounted", ctypes.c_bool)]  # fmt: skip


_group_info = declare("H5Gget_info", ctypes.c_int, Id, ctypes.c_void_p)
OLD_STYLE = 0


def listed(group):
    """Names as libhdf5 lists them when nobody asks for an order."""
    names = []
    group.id.links.iterate(lambda name: names.append(name.decode()), order=h5.ITER_NATIVE)
    return names


class Verifier:
    def __init__(self, file, is_distributed, offsets):
        self.file = file
        self.is_distributed = is_distributed
        self.offsets = offsets
        self.n_limbs = {}  # of each bigint
        self.findings = []

    def say(self, thing, text):
        self.findings.append(f"{self.file.filename}:{thing.name}: {text}")

    def check(self, holds, thing, text):
        if not holds:
            self.say(thing, text)
        return holds

    # --- attributes

    def attribute(self, thing, name, code):
        """A scalar of exactly that type; its value."""
        if not self.check(name.encode() in [n.encode() for n in thing.attrs], thing, f"no {name}"):
            return None
        attribute = h5a.open(thing.id, name.encode())
        self.check(attribute.get_space().get_simple_extent_type() == h5s.SCALAR, thing,
                   f"{name} is no scalar")  # fmt: skip
        self.check(attribute.dtype.str == code, thing, f"{name} is {attribute.dtype.str}")
        return thing.attrs[name]

    def label(self, thing, kind, extra=()):
        """Exactly what an object of the kind says."""
        names = {"ObjType", "file_version", "arkouda_version", *extra}
        self.check(set(thing.attrs) == names, thing, f"has attributes {sorted(thing.attrs)}")
        found = self.attribute(thing, "ObjType", "<i8")
        self.check(found == kind, thing, f"ObjType {found}, not {kind}")
        self.check(self.attribute(thing, "file_version", "<f4") == 2.0, thing, "file_version")
        for name in extra:
            if name != "Shape":
                self.attribute(thing, name, "<i8")
        version = h5a.open(thing.id, b"arkouda_version")
        datatype = version.get_type()
        text = thing.attrs["arkouda_version"]
        text = text.decode() if isinstance(text, bytes) else str(text)
        self.check(isinstance(datatype, h5t.TypeStringID) and not datatype.is_variable_str()
                   and datatype.get_strpad() == h5t.STR_NULLTERM
                   and datatype.get_cset() == h5t.CSET_ASCII
                   and datatype.get_size() == len(text) + 1, thing, "arkouda_version")  # fmt: skip

    # --- parts

    def array(self, thing, kind, code=None, extra=()):
        """A labelled array of rank 1, contiguous; its values, bools as such."""
        if not self.check(isinstance(thing, h5py.Dataset), thing, "is no array"):
            return np.zeros(0)
        is_bool = "isBool" in thing.attrs
        self.label(thing, kind, (*extra, "isBool") if is_bool else extra)
        self.check(not is_bool or thing.attrs["isBool"] == 1, thing, "isBool is not 1")
        self.check(thing.shape is not None and len(thing.shape) == 1, thing, "rank")
        self.check(thing.maxshape == thing.shape, thing, "may grow")
        self.check(thing.id.get_create_plist().get_layout() == h5d.CONTIGUOUS, thing, "layout")
        stored = thing.id.get_type()
        self.check(stored.get_class() in (h5t.INTEGER, h5t.FLOAT), thing, "class")
        found = thing.dtype.str
        self.check(found in NUMBERS and (found == "|u1") == (is_bool or code == "|u1"), thing,
                   f"is of {found}")  # fmt: skip
        self.check(code is None or found == code, thing, f"is of {found}, not {code}")
        values = thing[()]
        if is_bool:
            self.check(set(values.tolist()) <= {0, 1}, thing, "bools of more than a bit")
            return values.astype(bool)
        return values

    def group(self, thing, names):
        self.check(isinstance(thing, h5py.Group), thing, "is no group")
        info = Info()
        _group_info(thing.id.id, ctypes.byref(info))
        self.check(info.storage == OLD_STYLE, thing, "is a new-style group")
        found = listed(thing)
        self.check(found == sorted(found, key=str.encode), thing, f"lists {found}")
        self.check(names is None or set(found) == set(names), thing, f"holds {found}")
        for name in found:
            link = thing.id.links.get_info(name.encode())
            self.check(link.cset == h5t.CSET_ASCII, thing, f"the link '{name}' has a character set")
        return found

    def strings(self, thing, kind=STRINGS, may_lack=False):
        """Strings of this file, as bytes."""
        names = self.group(thing, None)
        lacks = may_lack and "segments" not in names
        wanted = ["values"] if lacks else ["segments", "values"]
        self.check(names == wanted, thing, f"holds {names}")
        self.label(thing, kind)
        text = self.array(thing["values"], PDARRAY, "|u1").tobytes()
        parts = text.split(b"\0")
        self.check(parts.pop() == b"", thing, "no NUL at the end")
        if not lacks:
            starts = self.array(thing["segments"], PDARRAY, "<i8").tolist()
            at = [0]
            for part in parts:
                at.append(at[-1] + len(part) + 1)
            self.check(starts == at[:-1], thing, f"segments {starts[:9]}")
        return parts

    def bigint(self, thing, kind=PDARRAY, extra=()):
        self.label(thing, kind, ("isBigInt", "MaxBits", "NumLimbs", *extra))
        n = self.n_limbs[thing.name] = thing.attrs["NumLimbs"]
        self.check(thing.attrs["isBigInt"] == 1 and n >= 1, thing, "isBigInt, NumLimbs")
        self.group(thing, [f"Limb_{i}" for i in range(n)])
        limbs = [self.array(thing[f"Limb_{i}"], PDARRAY, "<u8").tolist() for i in range(n)]
        return [sum(int(limb) << 64 * i for i, limb in enumerate(row)) for row in zip(*limbs)]

    def lists(self, thing):
        """(items, where each row begins in them), of this file."""
        values = thing["values"]
        is_bool = isinstance(values, h5py.Dataset) and "isBool" in values.attrs
        self.label(thing, SEGARRAY, ("isBool",) if is_bool else ())
        self.group(thing, ["segments", "values"])
        if isinstance(values, h5py.Dataset):
            items = self.array(values, PDARRAY).tolist()
            self.check(is_bool or values.dtype.str != "|u1", thing, "values are bytes")
        elif "isBigInt" in values.attrs:
            items = self.bigint(values)
        else:
            items = [text.decode() for text in self.strings(values)]
        starts = self.array(thing["segments"], PDARRAY, "<i8").tolist()
        self.check(starts == sorted(starts) and all(0 <= at <= len(items) for at in starts), thing,
                   "segments do not ascend")  # fmt: skip
        self.check(starts[:1] == [0] if starts else not items, thing, f"segments {starts[:9]}")
        return [items[a:b] for a, b in zip(starts, [*starts[1:], len(items)])]

    def categorical(self, thing):
        names = ["NA_Codes", "categories", "codes"]
        self.group(thing, names)
        self.label(thing, CATEGORICAL)
        return (self.array(thing["codes"], PDARRAY, "<i8").tolist(),
                self.strings(thing["categories"]),
                self.array(thing["NA_Codes"], PDARRAY, "<i8").tolist())  # fmt: skip

    # --- objects

    def plain(self, thing, is_part=False):
        """Anything that a column may be: what this file holds of it."""
        kind = thing.attrs.get("ObjType")
        if isinstance(thing, h5py.Dataset):
            allowed = (PDARRAY,) if is_part else (PDARRAY, *SPECIAL)
            self.check(kind in allowed, thing, f"is of kind {kind}")
            code = {DATETIME: "<i8", TIMEDELTA: "<i8", IPV4: "<u8"}.get(kind)
            return ("array", kind, self.array(thing, kind, code).tolist())
        if kind == PDARRAY:
            return ("bigint", kind, self.bigint(thing))
        if kind == STRINGS:
            return ("strings", kind, self.strings(thing, may_lack=not self.offsets and not is_part))
        if kind == CATEGORICAL:
            return ("categorical", kind, self.categorical(thing))
        self.check(kind == SEGARRAY and not is_part, thing, f"is of kind {kind}")
        return ("lists", kind, self.lists(thing))

    def parts(self, thing, count, prefix, more=()):
        n = thing.attrs[count]
        self.label(thing, thing.attrs["ObjType"], (count,))
        self.group(thing, [*more, *(f"{prefix}{i}" for i in range(n))])
        return {f"{prefix}{i}": self.plain(thing[f"{prefix}{i}"], True) for i in range(n)}

    def object(self, name):
        thing = self.file[name]
        kind = thing.attrs.get("ObjType")
        if kind == GROUPBY:
            more = ("segments", "permutation", "unique_key_idx")
            found = self.parts(thing, "NumKeys", "KEY_", more)
            for part in more:
                found[part] = ("array", 1, self.array(thing[part], PDARRAY, "<i8").tolist())
            return found
        if kind in (INDEX, MULTIINDEX):
            found = self.parts(thing, "NumIdx", "IDX_")
            self.check((len(found) > 1) == (kind == MULTIINDEX), thing, f"levels: {len(found)}")
            self.check(found["IDX_0"][0] != "bigint", thing, "IDX_0 is a bigint")
            return found
        if kind == FRAME:
            return self.frame(thing)
        if kind == VIEW:
            return {"": self.view(thing)}
        return {"": self.plain(thing)}

    def frame(self, thing):
        self.label(thing, FRAME, ("NumCols",))
        names = self.group(thing, None)
        self.check("Index" in names, thing, "no Index")
        self.check(sum(name.lower() == "index" for name in names) == 1, thing, "an index too many")
        self.check(thing.attrs["NumCols"] == len(names) - 1, thing, "NumCols")
        index = thing["Index"]
        self.check(index.attrs["ObjType"] in (PDARRAY, STRINGS) and "isBool" not in index.attrs
                   and "isBigInt" not in index.attrs, thing, "Index is of another type")  # fmt: skip
        return {name: self.plain(thing[name]) for name in names}

    def view(self, thing):
        attribute = h5a.open(thing.id, b"Shape")
        rank = self.attribute(thing, "Rank", "<i8")
        self.check(attribute.dtype.str == "<i8" and attribute.shape == (rank,), thing, "Shape")
        if isinstance(thing, h5py.Group):
            return ("bigint", VIEW, self.bigint(thing, VIEW, ("Rank", "Shape")))
        return ("array", VIEW, self.array(thing, VIEW, None, ("Rank", "Shape")).tolist())

    # --- files

    def whole(self):
        """Everything at top level: {name: {part: what this file holds of it}}."""
        root = self.file["/"]
        with open(self.file.filename, "rb") as raw:
            start = raw.read(9)
        self.check(start == b"\x89HDF\r\n\x1a\n\0", root, "superblock")
        self.check(set(root.attrs) - {"stoa_write"} == {"File_Format"}, root, f"attributes {sorted(root.attrs)}")
        found = self.attribute(root, "File_Format", "<i8")
        self.check(found == int(self.is_distributed), root, f"File_Format {found}")
        names = self.group(root, None)
        for name in names:
            self.check("," not in name and len(name.encode()) <= 254 and "/" not in name
                       and not name.endswith(("_segments", ".categories"))
                       and name != "_arkouda_metadata", root, f"the name {name!r}")  # fmt: skip
        return {name: self.object(name) for name in names}


# --- sets --------------------------------------------------------------------------------------------


def block(n, k, n_files):
    """Chapel's block distribution: how many of n the k-th of n_files holds."""
    return -(-n * (k + 1) // n_files) - -(-n * k // n_files)


def join(parts):
    """One object of what the files hold of it, and how long each array is in each file."""
    sort, kind = parts[0][:2]
    if any(part[:2] != (sort, kind) for part in parts):
        raise ValueError(f"is of kinds {[part[:2] for part in parts]}")
    if sort == "categorical":
        codes, labels, missing = ([part[2][i] for part in parts] for i in range(3))
        categories = [label.decode() for labels_of in labels for label in labels_of]
        na = [code for file in missing for code in file]
        flat = [code for file in codes for code in file]
        if len(na) != 1 or not 0 <= na[0] < len(categories):
            raise ValueError(f"NA_Codes {na} of {len(categories)}")
        if not all(0 <= code < len(categories) for code in flat):
            raise ValueError("codes are out of range")
        if len(set(categories)) != len(categories):
            raise ValueError("categories are not distinct")
        values = [None if code == na[0] else categories[code] for code in flat]
        return values, [codes, labels, missing]
    values = [value for part in parts for value in part[2]]
    if sort == "strings":
        values = [value.decode() for value in values]
    return values, [[part[2] for part in parts]]


def check_groups(found):
    """Groups are what their keys say."""
    keys = [[*map(same, values)] for name, values in found.items() if name.startswith("KEY_")]
    rows = list(zip(*keys))
    permutation, segments = found["permutation"], found["segments"]
    if sorted(permutation) != list(range(len(rows))):
        return "permutation is none"
    if (segments[:1] != [0]) != (not rows) or found["unique_key_idx"] != [
        permutation[at] for at in segments
    ]:
        return "segments, unique_key_idx"
    groups = [[rows[i] for i in permutation[a:b]]
              for a, b in zip(segments, [*segments[1:], len(rows)])]  # fmt: skip
    if any(len({repr(row) for row in group}) != 1 for group in groups):
        return "a group of several keys"
    if len({repr(group[0]) for group in groups}) != len(groups):
        return "a key of several groups"
    return ""


def same(value):
    """A value that equals itself."""
    if isinstance(value, list):
        return [same(item) for item in value]
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value + 0.0
    return value


def verify(job):
    files = job["files"]
    numbers = [int(m.group(1)) for m in (re.search(r"_LOCALE(\d{4,})(\.[^.]*)?$", f) for f in files)
               if m]  # fmt: skip
    if job["distributed"] and numbers != list(range(len(files))):
        yield f"{files}: names"
    wholes = []
    n_limbs = []
    for name in files:
        with h5py.File(name, "r") as file:
            verifier = Verifier(file, job["distributed"], job.get("offsets", True))
            wholes.append(verifier.whole())
            n_limbs.append(verifier.n_limbs)
            yield from verifier.findings
    if any(other != n_limbs[0] for other in n_limbs):
        yield f"{files}: NumLimbs {n_limbs}"
    names = [sorted(whole) for whole in wholes]
    if any(other != names[0] for other in names):
        yield f"{files}: objects {names}"
        return
    for name in names[0]:
        yield from verify_object(job, name, [whole[name] for whole in wholes])
    unseen = set(job.get("expect", {})) - set(names[0])
    if "expect" in job and (unseen or set(names[0]) - set(job["expect"])):
        yield f"{files}: holds {names[0]}, not {sorted(job['expect'])}"


def verify_object(job, name, files):
    found = {}
    for part in files[0]:
        try:
            found[part], arrays = join([file[part] for file in files])
        except (ValueError, KeyError) as error:
            yield f"{job['files']}: {name}/{part}: {error}"
            return
        for array in arrays:
            lengths = [len(values) for values in array]
            wanted = [block(sum(lengths), k, len(files)) for k in range(len(files))]
            if lengths != wanted:
                yield f"{job['files']}: {name}/{part}: distributed as {lengths}"
    if "unique_key_idx" in found:
        wrong = check_groups(found)
        if wrong:
            yield f"{job['files']}: {name}: {wrong}"
    rows = {len(values) for part, values in found.items()
            if part not in ("segments", "unique_key_idx")}  # fmt: skip
    if len(rows) > 1:
        yield f"{job['files']}: {name}: of {rows} rows"
    for part, wanted in job.get("expect", {}).get(name, {}).items():
        if part not in found:
            yield f"{job['files']}: {name}/{part} is not there"
        elif same(found[part]) != same(wanted):
            at = next((i for i, (a, b) in enumerate(zip(same(found[part]), same(wanted))) if a != b),
                      min(len(found[part]), len(wanted)))  # fmt: skip
            yield (f"{job['files']}: {name}/{part}: row {at} is {found[part][at : at + 1]}, not "
                   f"{wanted[at : at + 1]}")  # fmt: skip


if __name__ == "__main__":
    with open(sys.argv[1]) as jobs:
        for job in json.load(jobs):
            try:
                for finding in verify(job):
                    print(finding)
            except (KeyError, ValueError, TypeError, OSError) as error:
                print(f"{job['files']}: {error!r}")
