"""What June's and July's HEP001 demand of tables after an edit, and what their rows are.

    rules.py make FILE.json     writes an Arrow file for each table of columns that the JSON names
    rules.py judge STEPS.json   prints a line for each thing that is not so
    rules.py spoil STEPS.json   breaks rules in copies of the last file, and prints which were not missed

Nothing of Stoa is asked. The bytes are read by h5py's low-level calls and H5Dread, and taken apart here.
Section numbers are those of HEP001-2026-07. A step of the JSON has

    file, before        the file after the edit, and before it (or null)
    rows                {column: [values]} that must be there, in that order; null is a missing value
    changes_rows        whether the edit changed rows or their number
    revision            "both", "2026-06" or "2026-07": which must hold
    references          "standard", or "object" for H5T_STD_REF_OBJ
    is_portable         whether only what every reader has may be there
    has_chosen          whether the user chose fill values of 32 and 64 bits. Then a range that §8.5 demands
                        is one side of the fill value, and values on the other side remain values
"""

import ctypes
import json
import math
import shutil
import struct
import sys

import h5py
import numpy as np
from h5py import h5a, h5d, h5s, h5t, h5z

import elements
import oracle
import references
from native import Id, declare

_read = declare("H5Dread", ctypes.c_int, Id, Id, Id, Id, Id, ctypes.c_void_p)

MEMBERS = ("OFFSETS", "VALUES", "MASK", "CHARS")
RESERVED = {"CATEGORIES", "SEARCH_INDEXES", *MEMBERS}
PORTABLE_FILTERS = {h5z.FILTER_DEFLATE, h5z.FILTER_SHUFFLE, h5z.FILTER_FLETCHER32}


# --- values ----------------------------------------------------------------------------------------


def parser(datatype):
    """A function from an element in memory to what Python has for it."""
    kind, size = datatype.get_class(), datatype.get_size()
    if kind == h5t.COMPOUND:
        parts = [
            (datatype.get_member_name(i).decode(), datatype.get_member_offset(i),
             datatype.get_member_type(i)) for i in range(datatype.get_nmembers())
        ]  # fmt: skip
        parts = [(name, at, at + part.get_size(), parser(part)) for name, at, part in parts]
        return lambda data: {name: parse(data[at:end]) for name, at, end, parse in parts}
    if kind == h5t.ARRAY:
        return items_parser(datatype.get_super(), lambda data, size: data)
    if kind == h5t.VLEN:
        return items_parser(datatype.get_super(), pointed)
    if kind == h5t.STRING and datatype.is_variable_str():
        return lambda data: (ctypes.c_char_p(int.from_bytes(data, "little")).value or b"").decode()
    if kind == h5t.STRING:
        decode = elements.decoder(datatype)
        return lambda data: decode(data).decode()
    if kind == h5t.OPAQUE:
        return lambda data: data.hex()
    assert size in (1, 2, 4, 8), datatype
    return elements.decoder(datatype)


def items_parser(item, bytes_of):
    size, parse = item.get_size(), parser(item)

    def items(data):
        data = bytes_of(data, size)
        return [parse(data[at : at + size]) for at in range(0, len(data), size)]

    return items


def pointed(data, size):
    n, address = struct.unpack("<QQ", data)
    return ctypes.string_at(address, n * size) if n else b""


def read_values(dataset):
    """All elements of a dataset, and its fill value if one was defined."""
    datatype, size = dataset.id.get_type(), dataset.id.get_type().get_size()
    parse = parser(datatype)
    room = ctypes.create_string_buffer(max(1, dataset.size * size))
    if dataset.size and _read(dataset.id.id, datatype.id, 0, 0, 0, room) < 0:
        raise ValueError(f"{dataset.name} cannot be read")
    values = [parse(room.raw[at : at + size]) for at in range(0, dataset.size * size, size)]
    dcpl = dataset.id.get_create_plist()
    has_fill = dcpl.fill_value_defined() == h5d.FILL_VALUE_USER_DEFINED
    return values, parse(elements.fill_bytes(dcpl, datatype)) if has_fill else None, has_fill


def key(value):
    """Equal for values that the canonical test of §8.5 takes for the same."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack("<d", value)
    if isinstance(value, list):
        return [key(item) for item in value]
    if isinstance(value, dict):
        return {name: key(item) for name, item in value.items()}
    return value


def is_boolean(datatype):
    """The datatype of §6, over any integer of one byte."""
    if datatype.get_class() != h5t.ENUM or datatype.get_size() != 1 or datatype.get_nmembers() != 2:
        return False
    names = {datatype.get_member_name(i): datatype.get_member_value(i) for i in range(2)}
    return names == {b"FALSE": 0, b"TRUE": 1}


# --- judging ---------------------------------------------------------------------------------------


class Judge:
    def __init__(self, step, file):
        self.step, self.file = step, file
        self.table = file["/t"]
        self.findings = []
        self.n_rows = int(self.table.attrs["NROWS"])
        self.is_june = step["revision"] != "2026-07"
        self.is_july = step["revision"] != "2026-06"

    def expect(self, is_so, what):
        if not is_so:
            self.findings.append(what)

    # --- attributes

    def attribute(self, owner, name):
        """Its datatype and extent; (None, None) if it is not there."""
        if name not in owner.attrs.keys():
            return None, None
        found = h5a.open(owner.id, name.encode())
        space = found.get_space()
        is_scalar = space.get_simple_extent_type() == h5s.SCALAR
        return found.get_type(), () if is_scalar else space.get_simple_extent_dims()

    def text(self, owner, name, cset, extent=(), is_needed=False):
        datatype, found = self.attribute(owner, name)
        where = f"{owner.name}@{name}"
        if datatype is None:
            self.expect(not is_needed, f"{where} is not there")
            return
        is_string = datatype.get_class() == h5t.STRING and not datatype.is_variable_str()
        self.expect(is_string and datatype.get_cset() in cset, f"{where} is not such a string")
        self.expect(found == extent, f"{where} has the extent {found}")

    def number(self, owner, name, is_needed):
        datatype, extent = self.attribute(owner, name)
        where = f"{owner.name}@{name}"
        if datatype is None:
            self.expect(not is_needed, f"{where} is not there")
            return
        is_so = datatype.equal(h5t.STD_U64LE) or datatype.equal(h5t.STD_U64BE)
        self.expect(is_so and extent == (), f"{where} is no scalar uint64")

    def targets(self, owner, name, extent=None):
        """The paths that references lead to (§5)."""
        datatype, found = self.attribute(owner, name)
        where = f"{owner.name}@{name}"
        if extent is not None:
            self.expect(found == extent, f"{where} has the extent {found}")
        if self.step["references"] == "object":
            self.expect(datatype.equal(h5t.STD_REF_OBJ), f"{where} is not of H5T_STD_REF_OBJ")
            values = np.atleast_1d(owner.attrs[name])
            return [self.file[reference].name for reference in values]
        self.expect(references.is_std_ref(datatype), f"{where} is not of H5T_STD_REF (§5)")
        return references.resolve(owner, name)

    # --- the group

    def all(self):
        ascii_, utf8 = (h5t.CSET_ASCII,), (h5t.CSET_UTF8, h5t.CSET_ASCII)
        self.text(self.table, "CLASS", ascii_, is_needed=True)
        datatype, _ = self.attribute(self.table, "CLASS")
        room = np.zeros((), "S13")
        h5a.open(self.table.id, b"CLASS").read(room)
        self.expect(datatype.get_strpad() == h5t.STR_NULLTERM and room.tobytes() == b"COLUMN_TABLE\0",
                    "CLASS is not the 13 bytes of §7.1")  # fmt: skip
        self.text(self.table, "VERSION", ascii_, is_needed=True)
        self.expect(elements_text(self.table.attrs["VERSION"]) == "1.0", "VERSION (§7.2)")
        self.number(self.table, "NROWS", True)
        for name in ("TITLE", "description", "units_vocabulary", "_index"):
            self.text(self.table, name, utf8)
        columns, lists = self.columns()
        self.order([*columns, *lists], utf8)
        self.tokens(columns, lists)
        for name, column in columns.items():
            self.column(name, column)
        for name, group in lists.items():
            self.expect(self.step["revision"] != "2026-06", f"{name}: no list column is June's (§9)")
            self.rows(name, self.list_rows(group, self.n_rows))
        self.categories(columns)
        self.indexes(columns)
        self.portable()
        return self.findings

    def columns(self):
        """§8.2, §7.6: what lies in the group."""
        columns, lists = {}, {}
        for name, member in self.table.items():
            if isinstance(member, h5py.Dataset):
                self.expect(member.ndim == 1, f"{name} has {member.ndim} dimensions (§8.1)")
                self.expect(name not in RESERVED, f"{name} is a reserved name")
                columns[name] = member
            elif name not in ("CATEGORIES", "SEARCH_INDEXES"):
                lists[name] = member
        self.expect({*columns, *lists} == {*self.step["rows"]}, f"the columns are {[*columns, *lists]}")
        return columns, lists

    def order(self, names, utf8):
        """§7.4, §13.6."""
        self.text(self.table, "column-order", utf8, (len(names),), is_needed=True)
        order = [elements_text(name) for name in self.table.attrs["column-order"]]
        self.expect(order == [*self.step["rows"]], f"column-order is {order}")
        if "INDEX_COLUMNS" in self.table.attrs.keys():
            paths = self.targets(self.table, "INDEX_COLUMNS")
            inside = {f"/t/{name}" for name in names}
            self.expect({*paths} <= inside and len({*paths}) == len(paths), f"INDEX_COLUMNS: {paths}")

    # --- columns

    def column(self, name, column):
        datatype = column.id.get_type()
        self.expect(column.shape[0] >= self.n_rows, f"{name} has {column.shape[0]} elements (§7.3)")
        values, fill, has_fill = read_values(column)
        values = values[: self.n_rows]
        self.expect("MASK" not in column.attrs.keys(), f"{name} has MASK (§8.5)")
        if is_boolean(datatype):
            self.expect(not self.is_june, f"{name} is a boolean without fill value, which June forbids")
            self.expect(datatype.get_super().equal(h5t.STD_I8LE), f"{name}: base (§6)")
            self.expect(not has_fill, f"{name}: fill value of a boolean column (§8.8)")
            self.expect({*values} <= {0, 1}, f"{name}: other values than 0 and 1 (§8.8)")
        else:
            self.expect(has_fill, f"{name} has no fill value (§8.5)")
        missing = [has_fill and key(value) == key(fill) for value in values]
        self.range(name, column, values, fill, missing)
        self.shown(name, column, fill, has_fill, any(missing))
        if "CATEGORIES" in column.attrs.keys():
            values = self.labelled(name, column, values, fill, missing)
        self.rows(name, [None if m else v for v, m in zip(values, missing, strict=True)])

    def range(self, name, column, values, fill, missing):
        """§8.5: of the column's datatype; the fill value is outside, the others are inside."""
        bounds = {}
        for bound in ("valid_min", "valid_max"):
            datatype, extent = self.attribute(column, bound)
            if datatype is not None:
                same = datatype.equal(column.id.get_type()) and extent == ()
                self.expect(same, f"{name}@{bound} is not of the column's datatype")
                bounds[bound] = column.attrs[bound].item()
        low, high = bounds.get("valid_min", -math.inf), bounds.get("valid_max", math.inf)
        if bounds and column.dtype.itemsize < (4 if self.step["has_chosen"] else 8):
            known = [v for v, m in zip(values, missing, strict=True) if not m and v == v]
            self.expect(all(low <= v <= high for v in known), f"{name}: values beyond its range")
        if len(bounds) == 2:
            self.expect(not low <= fill <= high, f"{name}: its fill value lies in its range")

    def shown(self, name, column, fill, has_fill, has_missing):
        """`_FillValue` is the fill value, and is there once a number is missing (docs/readers.md)."""
        if "_FillValue" in column.attrs.keys():
            datatype, extent = self.attribute(column, "_FillValue")
            same = datatype.equal(column.id.get_type()) and extent == (1,) and has_fill
            said = column.attrs["_FillValue"][0].item()
            self.expect(same and key(said) == key(fill), f"{name}: _FillValue is {said}, not {fill}")
        elif has_missing:
            self.expect(column.dtype.kind not in "iuf", f"{name}: no _FillValue")

    def labelled(self, name, column, codes, fill, missing):
        """§8.7."""
        [path] = self.targets(column, "CATEGORIES", ())
        self.expect(path.startswith("/t/CATEGORIES/"), f"{name}: CATEGORIES leads to {path}")
        said = column.attrs.get("stoa_categories_path")
        if said is not None:
            self.expect(self.table[elements_text(said)].name == path, f"{name}: stoa_categories_path")
        labels, _, _ = read_values(self.file[path])
        if is_boolean(self.file[path].id.get_type()):
            labels = [bool(label) for label in labels]
        self.expect(not 0 <= fill < len(labels), f"{name}: its fill value is a code (§8.7)")
        for code, is_missing in zip(codes, missing, strict=True):
            if not is_missing and not 0 <= code < len(labels):
                self.findings.append(f"{name}: code {code} of {len(labels)} labels")
                return codes
        return [None if m else labels[c] for c, m in zip(codes, missing, strict=True)]

    def rows(self, name, found):
        wanted = self.step["rows"].get(name, [])
        self.expect(len(found) == len(wanted), f"{name} has {len(found)} rows, not {len(wanted)}")
        for row, (is_, should) in enumerate(zip(found, wanted, strict=False)):
            if key(is_) != key(should):
                self.findings.append(f"{name}[{row}] is {is_!r}, not {should!r}")
                return

    # --- list columns

    def level(self, group, n):
        """(offsets, is there) of the n entries of a level."""
        offsets, _, _ = read_values(group["OFFSETS"])
        datatype = group["OFFSETS"].id.get_type()
        is_u64 = datatype.equal(h5t.STD_U64LE) or datatype.equal(h5t.STD_U64BE)
        self.expect(is_u64 and group["OFFSETS"].ndim == 1, f"{group.name}/OFFSETS is not uint64 (§9.2)")
        self.expect(len(offsets) > n and offsets[0] == 0, f"{group.name}/OFFSETS begins or ends wrongly")
        offsets = offsets[: n + 1]
        self.expect(offsets == sorted(offsets), f"{group.name}/OFFSETS descend (§9.2)")
        there = [True] * n
        if "MASK" in group:
            self.expect(is_boolean(group["MASK"].id.get_type()), f"{group.name}/MASK is not boolean")
            there = read_values(group["MASK"])[0][:n]
            self.expect(len(there) == n and {*there} <= {0, 1}, f"{group.name}/MASK (§9.2)")
        for i in range(n):
            self.expect(there[i] or offsets[i] == offsets[i + 1], f"{group.name}: null entry {i} holds")
        return offsets, there

    def list_rows(self, group, n):
        """§9: the n entries of a list column group, or of the level below one."""
        ascii_ = (h5t.CSET_ASCII,)
        self.text(group, "CLASS", ascii_, is_needed=True)
        name = elements_text(group.attrs["CLASS"])
        if name == "STRING_VALUES":
            self.expect({*group} <= {"OFFSETS", "CHARS", "MASK"}, f"{group.name} holds {[*group]}")
            offsets, there = self.level(group, n)
            chars = bytes(read_values(group["CHARS"])[0][: offsets[-1]])
            self.expect(len(chars) == offsets[-1], f"{group.name}/CHARS is too short (§9.4)")
            items = [chars[offsets[i] : offsets[i + 1]].decode() for i in range(n)]
            return [item if is_ else None for item, is_ in zip(items, there, strict=True)]
        self.expect(name == "LIST_COLUMN", f"{group.name}: CLASS {name}")
        self.text(group, "KIND", ascii_, is_needed=True)
        self.expect(elements_text(group.attrs["KIND"]) == "OFFSETS", f"{group.name}: KIND (§9.1)")
        self.expect({*group} <= {"OFFSETS", "VALUES", "MASK"}, f"{group.name} holds {[*group]} (§9.2)")
        self.expect("SEARCH_INDEX_LIST" not in group.attrs.keys(), f"{group.name} has indexes (§9.6)")
        offsets, there = self.level(group, n)
        if isinstance(group["VALUES"], h5py.Group):
            items = self.list_rows(group["VALUES"], offsets[-1])
        else:
            items, fill, has_fill = read_values(group["VALUES"])
            self.expect(len(items) >= offsets[-1], f"{group.name}/VALUES is too short (§9.2)")
            items = [None if has_fill and key(v) == key(fill) else v for v in items[: offsets[-1]]]
        rows = [items[offsets[i] : offsets[i + 1]] for i in range(n)]
        return [row if is_ else None for row, is_ in zip(rows, there, strict=True)]

    # --- what belongs to columns

    def categories(self, columns):
        """§8.7: nothing lies in CATEGORIES to which no column refers."""
        there = {book.name for book in (self.table.get("CATEGORIES") or {}).values()}
        used = {path for column in columns.values() if "CATEGORIES" in column.attrs.keys()
                for path in self.targets(column, "CATEGORIES", ())}  # fmt: skip
        self.expect(there == used, f"CATEGORIES holds {there}, columns refer to {used}")

    def indexes(self, columns):
        """§11, §12.2: each index passes, is right, and is one that a column refers to."""
        listed, beside = [], []
        for name, column in columns.items():
            if "SEARCH_INDEX_LIST" not in column.attrs.keys():
                continue
            for path in self.targets(column, "SEARCH_INDEX_LIST"):
                listed.append(path)
                index = self.file[path]
                self.text(index, "KIND", (h5t.CSET_ASCII,), is_needed=True)
                for token in ("SOURCE_GENERATION", "SOURCE_NROWS"):
                    self.number(index, token, True)
                self.expect(oracle.passes(self.table, index), f"{path} of {name} is stale (§12.2)")
                kind = oracle.kind_of(index)
                if kind == "BITMAP":
                    beside += self.targets(index, "VALUES", ())
                    self.padding(path, index)
                is_followed = kind != "BITMAP" or self.step["references"] == "standard"
                if is_followed and not is_boolean(column.id.get_type()):
                    values = elements.Values(column, self.n_rows)
                    for finding in oracle.KINDS[kind](values, index):
                        self.findings.append(f"{path} of {name}: {finding}")
        there = [index.name for index in (self.table.get("SEARCH_INDEXES") or {}).values()]
        self.expect(len({*listed}) == len(listed), f"indexes are listed twice: {listed}")
        lost = {*there} - {*listed} - {*beside}
        self.expect(not lost, f"SEARCH_INDEXES holds {lost}, which no column refers to (§11.2)")

    def padding(self, path, index):
        """§11.6: bits beyond NROWS are zero."""
        rest = self.n_rows % 8
        if rest and index.shape[1]:
            last = index[:, (self.n_rows - 1) // 8]
            self.expect(not (last >> rest).any(), f"{path}: bits beyond NROWS")

    def tokens(self, columns, lists):
        """§12.2: GENERATION is there with an index, and another one after a change of rows."""
        has_index = any("SEARCH_INDEX_LIST" in column.attrs.keys() for column in columns.values())
        self.number(self.table, "GENERATION", has_index)
        if self.step["before"] is None or not self.step["changes_rows"]:
            return
        with h5py.File(self.step["before"]) as before:
            old = before["/t"].attrs.get("GENERATION")
        new = self.table.attrs.get("GENERATION")
        if old is not None:
            self.expect(new is not None and new > old, f"GENERATION was {old} and is {new} (§12.2)")

    # --- --portable

    def portable(self):
        if not self.step["is_portable"]:
            return
        self.expect(self.file.id.get_create_plist().get_version()[0] == 0, "the superblock is not 0")

        def look(name, member):
            if isinstance(member, h5py.Dataset) and not name.startswith("SEARCH_INDEXES"):
                dcpl = member.id.get_create_plist()
                filters = {dcpl.get_filter(i)[0] for i in range(dcpl.get_nfilters())}
                self.expect(filters <= PORTABLE_FILTERS, f"{name} has filters {filters}")

        self.table.visititems(look)


def elements_text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def judge(name):
    with open(name, encoding="utf-8") as text:
        steps = json.load(text)
    for step in steps:
        with h5py.File(step["file"]) as file:
            for finding in Judge(step, file).all():
                print(f"{step['file']} ({step['edit']}): {finding}")


# --- judging the judge -----------------------------------------------------------------------------


def replaced(owner, name, value):
    del owner.attrs[name]
    owner.attrs[name] = value


def changed(dataset, row, by):
    dataset[row] = dataset[row] + by


def indexes_of(table, kind):
    found = [index for index in table["SEARCH_INDEXES"].values() if "KIND" in index.attrs.keys()]
    return next(index for index in found if oracle.kind_of(index) == kind)


def with_padding(table):
    """The bit behind the last row."""
    index, n_rows = indexes_of(table, "BITMAP"), int(table.attrs["NROWS"])
    index[0, n_rows // 8] |= 1 << n_rows % 8


# Names of columns are the kinds of the test.
SPOILS = {
    "7.1 CLASS": lambda t: replaced(t, "CLASS", np.bytes_(b"COLUMN_TABLE")),
    "7.3 NROWS": lambda t: replaced(t, "NROWS", np.int64(t.attrs["NROWS"])),
    "7.3 rows": lambda t: replaced(t, "NROWS", np.uint64(t.attrs["NROWS"] - 1)),
    "7.4 column-order": lambda t: t.attrs.modify("column-order", t.attrs["column-order"][::-1]),
    "8.1 rank": lambda t: t.create_dataset("extra", (2, 2)),
    "8.2 columns": lambda t: t.move("int8", "other"),
    "8.5 value": lambda t: changed(t["int32"], 0, 1),
    "8.5 missing": lambda t: changed(t["float64"], 0, np.nan),
    "8.5 MASK": lambda t: t["int8"].attrs.create("MASK", 1),
    "8.5 range": lambda t: t["bool"].attrs.modify("valid_max", np.uint8(255)),
    "8.5 type of range": lambda t: replaced(t["bool"], "valid_min", 0),
    "_FillValue": lambda t: t["int16"].attrs.modify("_FillValue", np.array([5], "i2")),
    "8.7 code": lambda t: changed(t["category"], 0, 50),
    "8.7 lost labels": lambda t: t["CATEGORIES"].create_dataset("lost", data=[1]),
    "11.2 lost index": lambda t: t["SEARCH_INDEXES"].create_dataset("lost", data=[1]),
    "11.4 minmax": lambda t: changed(t["int16"], 1, 1),
    "11.6 padding": with_padding,
    "12.2 GENERATION": lambda t: t.attrs.modify("GENERATION", np.uint64(0)),
    "12.2 SOURCE_NROWS": lambda t: changed_token(indexes_of(t, "SORTED_ROWS")),
}


def changed_token(index):
    index.attrs.modify("SOURCE_NROWS", np.uint64(index.attrs["SOURCE_NROWS"] + 1))


def spoil(name):
    with open(name, encoding="utf-8") as text:
        step = json.load(text)[-1]
    for what, break_it in SPOILS.items():
        copy = shutil.copy(step["file"], "spoilt.h5")
        with h5py.File(copy, "r+") as file:
            break_it(file["/t"])
        with h5py.File(copy) as file:
            try:
                findings = Judge(step, file).all()
            except (KeyError, ValueError) as error:
                findings = [str(error)]
        if not findings:
            print(f"{what} is broken, and not found")


# --- making ----------------------------------------------------------------------------------------


def arrow_type(kind):
    import pyarrow as pa

    plain = {
        "float32": pa.float32(), "float64": pa.float64(), "bool": pa.bool_(), "string": pa.string(),
        "date": pa.date32(), "bytes2": pa.binary(2), "array": pa.list_(pa.int16(), 2),
        "struct": pa.struct({"x": pa.float64(), "n": pa.int32()}), "list": pa.list_(pa.float32()),
        "lists": pa.list_(pa.list_(pa.int32())), "texts": pa.list_(pa.string()),
        "category": pa.dictionary(pa.int32(), pa.string()),
        "category_int": pa.dictionary(pa.int32(), pa.uint64()),
    }  # fmt: skip
    if kind in plain:
        return plain[kind]
    word, _, unit = kind.partition("_")
    return getattr(pa, word)(unit) if unit else getattr(pa, word)()


def make(name):
    import pyarrow as pa
    import pyarrow.ipc

    with open(name, encoding="utf-8") as text:
        tables = json.load(text)
    for file, columns in tables.items():
        arrays = {}
        for column, (kind, values) in columns.items():
            datatype = arrow_type(kind)
            if kind == "bytes2":
                values = [None if value is None else bytes.fromhex(value) for value in values]
            if pa.types.is_dictionary(datatype):
                arrays[column] = pa.array(values, datatype.value_type).dictionary_encode()
            elif pa.types.is_temporal(datatype):
                integers = pa.int32() if kind == "date" else pa.int64()
                arrays[column] = pa.array(values, integers).cast(datatype)
            else:
                arrays[column] = pa.array(values, datatype)
        table = pa.table(arrays)
        with pyarrow.ipc.new_file(file, table.schema) as out:
            out.write_table(table)


if __name__ == "__main__":
    {"make": make, "judge": judge, "spoil": spoil}[sys.argv[1]](sys.argv[2])
