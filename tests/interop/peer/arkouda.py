"""Files as Arkouda's server writes them, made by h5py from what is known of it: every object, in one
file and in one of each locale, and those of old versions (docs/layouts/arkouda.md).

    arkouda.py

arkouda.json says {file or prefix: {path: {column: list}}}; values as Stoa's JSON has them. A prefix
stands for the files PREFIX_LOCALE0000.h5 and on.
"""

import json
import sys

import h5py
import numpy as np

from words import length

N = 21
MADE = {}
VERSION = b"2026.07.15"


# --- attributes, as the distributed save writes them, or the one-file save ---------------------------


def label(thing, kind, extra=(), is_bool=False, bare=False):
    """`bare`: ObjType alone, as an empty part of a locale has."""
    for name, value in extra:
        thing.attrs.create(name, value, dtype="<i8")
    thing.attrs.create("ObjType", kind, dtype="<i8")
    if is_bool:
        thing.attrs.create("isBool", 1, dtype="<i8")
    if not bare:
        thing.attrs.create("file_version", 2.0, dtype="<f4")
        text = h5py.h5t.C_S1.copy()
        text.set_size(len(VERSION) + 1)
        space = h5py.h5s.create(h5py.h5s.SCALAR)
        attribute = h5py.h5a.create(thing.id, b"arkouda_version", text, space)
        attribute.write(np.array(VERSION, dtype=f"S{len(VERSION) + 1}"))


def put(group, name, values, kind=None, bare=False):
    """A dataset: contiguous, of one dimension; bools are bytes. kind None: no attributes at all."""
    values = np.asarray(values)
    is_bool = values.dtype == bool
    stored = values.astype("u1") if is_bool else values
    dataset = group.create_dataset(name, data=stored.ravel(), track_times=False)
    if kind is not None:
        label(dataset, kind, is_bool=is_bool and not bare, bare=bare)
    return dataset


class Place:
    """Where a part of an object goes: locale k of n, or n == 0: the only file."""

    def __init__(self, k, n):
        self.k = k
        self.n = n

    def cut(self, values):
        """The part of this locale: block distribution."""
        if self.n == 0:
            return values
        at = [-(-len(values) * k // self.n) for k in (self.k, self.k + 1)]
        return values[at[0] : at[1]]

    @property
    def is_distributed(self):
        return self.n > 0


# --- objects -----------------------------------------------------------------------------------------


class Array:
    """int64, uint64, float64, bool; Datetime, Timedelta, IPv4 by their kind."""

    def __init__(self, values, kind=1, labelled=True):
        self.values = np.asarray(values)
        self.kind = kind
        self.labelled = labelled

    def __len__(self):
        return len(self.values)

    def columns(self, name):
        return {name: [self.word(v) for v in self.values]}

    def word(self, value):
        if self.kind == 7:
            is_nat = value == np.iinfo("i8").min
            return None if is_nat else str(np.datetime64(int(value), "ns"))
        if self.kind == 8:
            return None if value == np.iinfo("i8").min else length(int(value))
        if self.values.dtype == bool:
            return bool(value)
        if self.values.dtype.kind == "f":
            if np.isnan(value):
                return "NaN"
            return float(value)
        return int(value)

    def write(self, group, name, place):
        put(group, name, place.cut(self.values), self.kind if self.labelled else None)


class Big:
    """A bigint, of the limbs that its largest number needs; values are Python's."""

    def __init__(self, values, max_bits=-1, n_limbs=None, labelled=True):
        self.values = values
        self.max_bits = max_bits
        self.n_limbs = n_limbs or max([1] + [-(-v.bit_length() // 64) for v in values])
        self.labelled = labelled

    def __len__(self):
        return len(self.values)

    def columns(self, name):
        return {name: [v.to_bytes(8 * self.n_limbs, "little").hex() for v in self.values]}

    def write(self, group, name, place, kind=1):
        inner = group.create_group(name)
        extra = (("isBigInt", 1), ("MaxBits", self.max_bits), ("NumLimbs", self.n_limbs))
        if self.labelled:
            label(inner, kind, extra)
        else:
            for key, value in extra:
                inner.attrs.create(key, value, dtype="<i8")
        for i in range(self.n_limbs):
            limb = [v >> 64 * i & (1 << 64) - 1 for v in place.cut(self.values)]
            put(inner, f"Limb_{i}", np.array(limb, dtype="u8"), 1)


class Strings:
    def __init__(self, values, offsets=True):
        self.values = values
        self.offsets = offsets

    def __len__(self):
        return len(self.values)

    def columns(self, name):
        return {name: list(self.values)}

    def write(self, group, name, place, labelled=True):
        inner = group.create_group(name)
        if labelled:
            label(inner, 2)
        write_strings(inner, place.cut(self.values), place, self.offsets or place.is_distributed)


def joined(texts):
    encoded = [t.encode() + b"\0" for t in texts]
    ends = np.cumsum([0] + [len(t) for t in encoded])
    return np.frombuffer(b"".join(encoded), dtype="u1"), ends[:-1].astype("i8")


def write_strings(inner, texts, place, offsets, kind=1):
    values, segments = joined(texts)
    bare = place.is_distributed and len(texts) == 0
    put(inner, "values", values, kind, bare)
    if offsets:
        put(inner, "segments", segments, kind, bare)


class SegArray:
    """Lists of numbers, bools, strings (labels of `of`) or wide integers."""

    def __init__(self, values, of, labelled=True):
        self.values = values
        self.of = of
        self.labelled = labelled

    def __len__(self):
        return len(self.values)

    def columns(self, name):
        flat = self.of([v for row in self.values for v in row]).columns("flat")["flat"]
        rows = []
        for row in self.values:
            rows.append(flat[: len(row)])
            flat = flat[len(row) :]
        return {name: rows}

    def write(self, group, name, place):
        rows = place.cut(self.values)
        flat = [v for row in rows for v in row]
        starts = np.cumsum([0] + [len(row) for row in rows])[:-1].astype("i8")
        everything = self.of([v for row in self.values for v in row])
        values = self.of(flat)
        is_bool = isinstance(values, Array) and everything.values.dtype == bool
        inner = group.create_group(name)
        if self.labelled:
            label(inner, 3, is_bool=is_bool)
        empty = place.is_distributed and not rows
        put(inner, "segments", starts, 1, bare=empty)
        if empty:
            put(inner, "values", np.zeros(0, dtype="u1"), 1, bare=True)
        elif isinstance(values, Strings):
            values.write(inner, "values", Place(0, 0), labelled=not place.is_distributed)
        elif isinstance(values, Big) and place.is_distributed and not flat:
            big = inner.create_group("values")
            put(big, "values", np.zeros(0, dtype="u1"), 1, bare=True)
        elif isinstance(values, Big):
            values.write(inner, "values", Place(0, 0))
        else:
            stored = np.asarray(flat, dtype=everything.values.dtype)
            put(inner, "values", stored, 1, bare=place.is_distributed and not flat)


class Categorical:
    def __init__(self, texts, permutation=True, labelled=True):
        """None is missing."""
        self.texts = texts
        found = sorted({t for t in texts if t is not None}, key=lambda t: (len(t), t[::-1]))
        self.categories = [*found, "N/A"]
        code = {t: i for i, t in enumerate(found)}
        code[None] = len(found)
        self.codes = np.array([code[t] for t in texts], dtype="i8")
        self.permutation = permutation
        self.labelled = labelled

    def __len__(self):
        return len(self.texts)

    def columns(self, name):
        return {name: list(self.texts)}

    def write(self, group, name, place):
        inner = group.create_group(name)
        if self.labelled:
            label(inner, 4)
        kind = 1 if place.is_distributed else None  # children of one file are bare
        put(inner, "codes", place.cut(self.codes), kind)
        Strings(self.categories).write(inner, "categories", place, labelled=kind is not None)
        na_code = np.array([len(self.categories) - 1], dtype="i8")
        put(inner, "NA_Codes", place.cut(na_code), kind)
        if self.permutation:
            order = np.argsort(self.codes, kind="stable").astype("i8")
            starts = np.searchsorted(self.codes[order], np.unique(self.codes)).astype("i8")
            put(inner, "permutation", place.cut(order), kind)
            put(inner, "segments", place.cut(starts), kind)


class GroupBy:
    def __init__(self, *keys):
        self.keys = keys
        rows = list(zip(*[next(iter(k.columns("k").values())) for k in keys], strict=True))
        distinct = sorted(set(rows), key=repr)
        self.permutation = np.array([i for d in distinct for i, r in enumerate(rows) if r == d],
                                    dtype="i8")  # fmt: skip
        sizes = [rows.count(d) for d in distinct]
        self.segments = np.cumsum([0, *sizes])[:-1].astype("i8")
        self.unique = self.permutation[self.segments]

    def columns(self, name):
        found = {}
        for i, key in enumerate(self.keys):
            found.update(key.columns(f"KEY_{i}"))
        n = len(self.permutation)
        found["permutation"] = self.permutation.tolist()
        for child, values in (("segments", self.segments), ("unique_key_idx", self.unique)):
            found[child] = values.tolist() + [None] * (n - len(values))
        return found

    def write(self, group, name, place):
        inner = group.create_group(name)
        label(inner, 5)
        inner.attrs.create("NumKeys", len(self.keys), dtype="<i8")
        for i, key in enumerate(self.keys):
            key.write(inner, f"KEY_{i}", place)
        put(inner, "segments", place.cut(self.segments), 1)
        put(inner, "permutation", place.cut(self.permutation), 1)
        put(inner, "unique_key_idx", place.cut(self.unique), 1)


class Levels:
    """Index, MultiIndex."""

    def __init__(self, *levels):
        self.levels = levels

    def columns(self, name):
        found = {}
        for i, level in enumerate(self.levels):
            found.update(level.columns(f"IDX_{i}"))
        return found

    def write(self, group, name, place):
        inner = group.create_group(name)
        label(inner, 12 if len(self.levels) == 1 else 13)
        inner.attrs.create("NumIdx", len(self.levels), dtype="<i8")
        for i, level in enumerate(self.levels):
            if not place.is_distributed and isinstance(level, (Array, Big)):
                level.labelled = False
            level.write(inner, f"IDX_{i}", place)
            level.labelled = True


class DataFrame:
    def __init__(self, index, columns):
        self.index = index
        self.members = columns

    def columns(self, name):
        found = self.index.columns("Index")
        for column in sorted(self.members):
            found.update(self.members[column].columns(column))
        return found

    def write(self, group, name, place):
        inner = group.create_group(name)
        label(inner, 6)
        inner.attrs.create("NumCols", len(self.members), dtype="<i8")
        self.index.write(inner, "Index", place)
        for column, values in self.members.items():
            if isinstance(values, SegArray):  # the label goes astray in one file
                values.labelled = place.is_distributed
            values.write(inner, column, place)


class View:
    """ArrayView, up to 2024."""

    def __init__(self, values):
        self.values = values

    def columns(self, name):
        rows = [np.ravel(row).tolist() for row in self.values]
        return {name: [row[0] for row in rows] if self.values.ndim == 1 else rows}

    def write(self, group, name, place):
        flat = place.cut(self.values.ravel())
        dataset = put(group, name, flat)
        dataset.attrs.create("Rank", self.values.ndim, dtype="<i8")
        dataset.attrs.create("Shape", self.values.shape, dtype="<i8")
        label(dataset, 0, is_bool=self.values.dtype == bool)


class BigView:
    """The same of bigint: a group of limbs; values are Python's, of any shape (notes §L.1)."""

    def __init__(self, values, shape, n_limbs):
        self.values, self.shape, self.n_limbs = values, shape, n_limbs

    def columns(self, name):
        hexes = Big(self.values, n_limbs=self.n_limbs).columns("")[""]
        width = int(np.prod(self.shape[1:], dtype=int))
        rows = [hexes[i : i + width] for i in range(0, len(hexes), width)]
        return {name: hexes if len(self.shape) == 1 else rows}

    def write(self, group, name, place):
        Big(self.values, n_limbs=self.n_limbs).write(group, name, place, kind=0)
        group[name].attrs.create("Rank", len(self.shape), dtype="<i8")
        group[name].attrs.create("Shape", self.shape, dtype="<i8")


# --- files -------------------------------------------------------------------------------------------


def expect(name, objects):
    MADE[name] = {f"/{path}": thing.columns(path) for path, thing in objects.items()}


def save_one(name, objects):
    with h5py.File(name, "w") as file:
        file.attrs.create("File_Format", 0, dtype="<i8")
        for path, thing in objects.items():
            thing.write(file, path, Place(0, 0))
    expect(name, objects)


def save_parts(prefix, objects, n, since=2023):
    for k in range(n):
        with h5py.File(f"{prefix}_LOCALE{k:04d}.h5", "w") as file:
            if since >= 2023:
                file.attrs.create("File_Format", 1, dtype="<i8")
            for path, thing in objects.items():
                thing.write(file, path, Place(k, n))
    expect(prefix, objects)


WORDS = ["", "a", 'b,"c"\nd', "zwölf Boxkämpfer", "x" * 40, "0123456789abcdef", "N/A", "tail"]


def objects_of(n, seed=7):
    rng = np.random.default_rng(seed)
    word = [WORDS[i] for i in rng.integers(0, len(WORDS), n)]
    few = [["low", "mid", "high", None][i] for i in rng.integers(0, 4, n)]
    wide = [int(v) << int(s) for v, s in zip(rng.integers(0, 2**62, n), rng.integers(0, 120, n),
                                             strict=True)]  # fmt: skip
    lengths = rng.integers(0, 4, n)
    times = rng.integers(0, 2**60, n)
    if n > 2:
        times[2] = np.iinfo("i8").min
    floats = rng.normal(size=n)
    floats[::5] = np.nan

    def lists(values):
        return [list(values(int(k))) for k in lengths]

    small = Array(rng.integers(0, 3, n))
    return {
        "i": Array(rng.integers(-(2**63), 2**63 - 1, n)),
        "u": Array(rng.integers(0, 2**64 - 1, n, dtype="u8")),
        "f": Array(floats),
        "b": Array(rng.integers(0, 2, n).astype(bool)),
        "big": Big(wide),
        "big_limited": Big([v & (1 << 70) - 1 for v in wide], max_bits=70, n_limbs=2),
        "when": Array(times, 7),
        "lasted": Array(np.where(times < 0, times, times // 1000 - 2**49), 8),
        "address": Array(rng.integers(0, 2**32, n, dtype="u8"), 9),
        "s": Strings(word),
        "category": Categorical(few),
        "category_of_codes": Categorical(few, permutation=False),
        "lists_i": SegArray(lists(lambda k: rng.integers(0, 9, k).tolist()), ints),
        "lists_f": SegArray(lists(lambda k: rng.normal(size=k).tolist()), floats_of),
        "lists_b": SegArray(lists(lambda k: (rng.integers(0, 2, k) > 0).tolist()), bools),
        "lists_s": SegArray(lists(lambda k: [WORDS[i] for i in rng.integers(0, 8, k)]), Strings),
        "lists_big": SegArray(lists(lambda k: [int(v) << 90 for v in rng.integers(0, 9, k)]),
                              lambda v: Big(v, n_limbs=2)),
        "groups": GroupBy(small),
        "groups_of_all": GroupBy(small, Strings(word), Categorical(few), Big(wide),
                                 Array(np.arange(n) % 2 == 0), Array(np.arange(n) / 2)),
        "groups_of_many": GroupBy(*[Array(np.arange(n) % (i + 2)) for i in range(12)]),
        "index": Levels(small),
        "index_s": Levels(Strings(word)),
        "levels": Levels(small, Strings(word), Categorical(few), Big(wide)),
        "levels_of_many": Levels(*[Array(np.arange(n) + i) for i in range(12)]),
        "frame": DataFrame(Array(np.arange(n)), {
            "a": small, "t": Array(times, 7), "text": Strings(word), "kind": Categorical(few),
            "wide": Big(wide), "ip": Array(np.arange(n, dtype="u8"), 9),
            "rows": SegArray(lists(lambda k: rng.integers(0, 9, k).tolist()), ints),
            "yes": Array(np.arange(n) % 3 == 0), "x": Array(floats),
        }),
    }  # fmt: skip


def ints(values):
    return Array(np.asarray(values, dtype="i8"))


def floats_of(values):
    return Array(np.asarray(values, dtype="f8"))


def bools(values):
    return Array(np.asarray(values, dtype=bool))


# --- old versions ------------------------------------------------------------------------------------


def old(name, pieces, columns, version=None):
    """pieces: {path in the file: array without attributes}."""
    with h5py.File(name, "w") as file:
        if version is not None:
            group = file.create_group("_arkouda_metadata")
            group.attrs.create("file_version", version, dtype="<f4")
            group.attrs["arkouda_version"] = np.bytes_(b"v2022.03.15")
        for path, values in pieces.items():
            file[path] = values
    MADE.setdefault(name, {}).update(columns)


def save_old():
    texts = ["one", "", "three", "vier"]
    values, segments = joined(texts)
    pieces = {
        "i": np.arange(4), "s/values": values, "s/segments": segments,
        "b/booleans": np.array([1, 0, 1, 1], dtype="u1"),
        "seg_segments": np.array([0, 2, 2, 5]), "seg_values": np.arange(6) / 2,
        "c.codes": np.array([1, 0, 2, 1]), "c._akNAcode": np.array([2]),
        "c.categories/values": joined(["x", "yy", "N/A"])[0],
        "c.categories/segments": joined(["x", "yy", "N/A"])[1],
    }  # fmt: skip
    columns = {
        "/i": {"i": [0, 1, 2, 3]}, "/s": {"s": texts}, "/b": {"b": [True, False, True, True]},
        "/seg": {"seg": [[0.0, 0.5], [], [1.0, 1.5, 2.0], [2.5]]},
        "/c": {"c": ["yy", "x", None, "yy"]},
    }  # fmt: skip
    old("version0.h5", pieces, columns)
    old("version1.h5", pieces, columns, 1.0)
    bare = {"s/values": values}
    old("version1_bare.h5", bare, {"/s": {"s": texts}}, 1.0)
    for k, part in enumerate((slice(0, 3), slice(3, 4))):
        values, segments = joined(texts[part])
        pieces = {
            "i": np.arange(4)[part], "s/values": values, "s/segments": segments,
            "seg_segments": np.array([0, 2, 2, 5])[part],
            "seg_values": np.arange(6)[3 * k : 3 * k + 3],  # its offsets go on from file to file
        }  # fmt: skip
        old(f"old_LOCALE{k:04d}", pieces, {})
    MADE["old"] = {
        "/i": {"i": [0, 1, 2, 3]}, "/s": {"s": texts}, "/seg": {"seg": [[0, 1], [], [2, 3, 4], [5]]}
    }  # fmt: skip
    del MADE["old_LOCALE0000"], MADE["old_LOCALE0001"]


def save_like_samples():
    """As the small files are that lie in Arkouda's repository for its own tests: strings and an array
    of 50 elements of versions 0 and 1, by a server of one locale."""
    values, segments = joined(["ABC", "DEF", "GHI"])
    texts = {"/strings_array": {"strings_array": ["ABC", "DEF", "GHI"]}}
    pieces = {"strings_array/values": values, "strings_array/segments": segments}
    old("Legacy_String.hdf5", pieces, texts)
    for version in (0, 1):
        name = f"array_v{version}_LOCALE0000.hdf5"
        old(name, {"array": np.arange(50)}, {}, 1.0 if version == 1 else None)
        MADE[f"array_v{version}.hdf5"] = {"/array": {"array": list(range(50))}}
        del MADE[name]


def save_views():
    shaped = np.arange(24).reshape(4, 3, 2)
    views = {"cube": View(shaped), "table": View(shaped.reshape(6, 4) / 8),
             "truth": View(shaped.reshape(12, 2) % 2 == 0),
             "line_truth": View(np.arange(7) % 3 == 0)}  # fmt: skip
    wide = [3**i << i for i in range(24)]
    views["big_line"] = BigView(wide, (24,), 2)
    views["big_table"] = BigView(wide, (12, 2), 2)
    views["big_cube"] = BigView(wide, (4, 3, 2), 3)
    save_one("views.h5", views)
    save_parts("views3", views, 3)
    with h5py.File("views2022.h5", "w") as file:
        truth, line = shaped % 3 == 0, np.arange(5) % 2 == 0
        for name, values, is_flat in (("flat", shaped, True), ("shaped", shaped, False),
                                      ("flat_truth", truth, True), ("truth", truth, False),
                                      ("line_truth", line, False)):  # fmt: skip
            data = values.ravel() if is_flat else values
            dataset = file.create_dataset(name, data=data.astype("u1" if data.dtype == bool else "i8"))
            if data.dtype == bool:
                dataset.attrs.create("isBool", 1, dtype="<i8")
            text = h5py.h5t.C_S1.copy()
            text.set_size(10)
            text.set_cset(h5py.h5t.CSET_UTF8)
            space = h5py.h5s.create(h5py.h5s.SCALAR)
            attribute = h5py.h5a.create(dataset.id, b"ObjType", text, space)
            attribute.write(np.array(b"ArrayView", dtype="S10"), text)
            dataset.attrs.create("Rank", values.ndim, dtype="<i8")
            dataset.attrs.create("Format", 0 if is_flat else 1, dtype="<i8")
            dataset.attrs.create("Shape", values.shape, dtype="<i8")
    expect("views2022.h5", {"flat": View(shaped), "shaped": View(shaped), "flat_truth": View(truth),
                            "truth": View(truth), "line_truth": View(line)})  # fmt: skip


def main():
    save_one("one.h5", objects_of(N))
    save_one("empty.h5", objects_of(0))
    save_one("lengths.h5", {"i": objects_of(N)["i"], "frame": objects_of(3)["frame"]})
    save_one("no_offsets.h5", {"s": Strings([*WORDS, *WORDS[::-1]], offsets=False)})
    for n_locales in (1, 2, 3, 7):
        save_parts(f"parts{n_locales}", objects_of(N, n_locales), n_locales)
    save_parts("few7", objects_of(3), 7)
    save_parts("none3", objects_of(0), 3)
    save_parts("early2", {"i": Array(np.arange(5)), "s": Strings(WORDS[:5])}, 2, since=2022)
    save_old()
    save_like_samples()
    save_views()
    with open("arkouda.json", "w", encoding="utf-8") as file:
        json.dump(MADE, file)


if __name__ == "__main__":
    sys.exit(main())
