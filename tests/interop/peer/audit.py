"""What HEP001 §5-§12 demand of a file, asked through h5py's low-level API.

    audit.py FILE...

Prints one line for each thing that is not as specified, and nothing else.
"""

import sys

import h5py
import numpy as np
from h5py import h5a, h5d, h5s, h5t

import hep001
import minmax
import references

# Table 1, by its last column.
TABLE_1 = {
    "int8": "81",
    "int16": "8001",
    "int32": "80000001",
    "int64": "8000000000000001",
    "uint8": "FF",
    "uint16": "FFFF",
    "uint32": "FFFFFFFF",
    "uint64": "FFFFFFFFFFFFFFFF",
    "float32": "7CF00000",
    "float64": "479E000000000000",
}


class Audit:
    def __init__(self, file):
        self.file = file
        self.findings = []

    def expect(self, found, wanted, what):
        if found != wanted:
            self.findings.append(f"{self.file}: {what} is {found!r}, not {wanted!r}")

    # --- attributes: datatype, size, padding, character set, dataspace ---------------------------

    def string(self, attribute, where, cset, extent=()):
        """A fixed-length string of that character set and shape."""
        datatype = attribute.get_type()
        self.expect(datatype.get_class(), h5t.STRING, f"{where}: class")
        self.expect(datatype.is_variable_str(), False, f"{where}: variable length")
        self.expect(datatype.get_cset(), cset, f"{where}: character set")
        self.shape(attribute, where, extent)
        return datatype

    def shape(self, attribute, where, extent):
        kind = h5s.SCALAR if extent == () else h5s.SIMPLE
        self.expect(attribute.get_space().get_simple_extent_type(), kind, f"{where}: dataspace")
        if extent != ():
            self.expect(attribute.get_space().get_simple_extent_dims(), extent, f"{where}: extent")

    def ascii(self, attribute, where, owner):
        self.string(attribute, where, h5t.CSET_ASCII)

    def utf8(self, attribute, where, owner):
        self.string(attribute, where, h5t.CSET_UTF8)

    def class_(self, attribute, where, owner):
        datatype = self.string(attribute, where, h5t.CSET_ASCII)
        self.expect(datatype.get_size(), 13, f"{where}: size (§7.1)")
        self.expect(datatype.get_strpad(), h5t.STR_NULLTERM, f"{where}: padding (§7.1)")
        room = np.zeros((), "S13")
        attribute.read(room)
        self.expect(room.tobytes(), b"COLUMN_TABLE\0", f"{where}: bytes")

    def version(self, attribute, where, owner):
        self.string(attribute, where, h5t.CSET_ASCII)
        self.expect(hep001.text_of(owner.attrs["VERSION"]), "1.0", f"{where}: value (§7.2)")

    def n_rows(self, attribute, where, owner):
        self.expect(attribute.get_type().equal(h5t.STD_U64LE), True, f"{where}: uint64 (§7.3)")
        self.shape(attribute, where, ())

    def column_order(self, attribute, where, owner):
        n = sum(isinstance(o, h5py.Dataset) for o in owner.values())
        self.string(attribute, where, h5t.CSET_UTF8, (n,))

    def std_ref(self, attribute, where, owner):
        """One-dimensional, of H5T_STD_REF (§5)."""
        self.expect(references.is_std_ref(attribute.get_type()), True, f"{where}: H5T_STD_REF")
        self.shape(attribute, where, attribute.get_space().get_simple_extent_dims() or (0,))

    def scalar_ref(self, attribute, where, owner):
        self.expect(references.is_std_ref(attribute.get_type()), True, f"{where}: H5T_STD_REF")
        self.shape(attribute, where, ())

    def boolean(self, attribute, where, owner):
        """§6."""
        datatype = attribute.get_type()
        self.expect(datatype.get_class(), h5t.ENUM, f"{where}: class")
        self.expect(datatype.get_super().equal(h5t.STD_I8LE), True, f"{where}: base")
        members = {
            datatype.get_member_name(i): datatype.get_member_value(i)
            for i in range(datatype.get_nmembers())
        }
        self.expect(members, {b"FALSE": 0, b"TRUE": 1}, f"{where}: members")
        self.shape(attribute, where, ())

    def like_column(self, attribute, where, owner):
        """§8.5: of the column's element datatype."""
        same = attribute.get_type().equal(owner.id.get_type())
        self.expect(same, True, f"{where}: the column's datatype")
        self.shape(attribute, where, ())

    # Stoa's own, for programs that do not know HEP001: docs/readers.md.

    def fill_value(self, attribute, where, owner):
        """As netCDF has it: one element of the column's datatype, equal to the fill value."""
        self.expect(attribute.get_type().equal(owner.id.get_type()), True, f"{where}: datatype")
        self.shape(attribute, where, (1,))
        said, fill = owner.attrs["_FillValue"][0], owner.fillvalue
        self.expect(said == fill or (said != said and fill != fill), True, f"{where}: {fill!r}")

    def calendar(self, attribute, where, owner):
        self.ascii(attribute, where, owner)
        self.expect(" since " in hep001.text_of(owner.attrs["units"]), True, f"{where}: of a time")

    def categories_path(self, attribute, where, owner):
        self.utf8(attribute, where, owner)
        said = owner.parent[hep001.text_of(owner.attrs["stoa_categories_path"])]
        self.expect([said.name], references.resolve(owner, "CATEGORIES"), where)

    def labels(self, owner):
        return owner.parent[hep001.text_of(owner.attrs["stoa_categories_path"])].asstr()[:]

    def flag_values(self, attribute, where, owner):
        self.expect(attribute.get_type().equal(owner.id.get_type()), True, f"{where}: datatype")
        self.expect(owner.attrs["flag_values"].tolist(), [*range(len(self.labels(owner)))], where)

    def flag_meanings(self, attribute, where, owner):
        self.utf8(attribute, where, owner)
        words = hep001.text_of(owner.attrs["flag_meanings"]).split(" ")
        self.expect(words, self.labels(owner).tolist(), where)
        self.expect("flag_values" in owner.attrs, True, f"{where}: beside flag_values")

    DESCRIPTIVE = {"units_vocabulary": utf8, "description": utf8}
    OF_TABLE = {
        "CLASS": class_,
        "VERSION": version,
        "NROWS": n_rows,
        "GENERATION": n_rows,  # HEP001-2026-07 §12.2
        "TITLE": utf8,
        "INDEX_COLUMNS": std_ref,
        "column-order": column_order,
        "_index": utf8,
        **DESCRIPTIVE,
    }
    OF_COLUMN = {
        "SEARCH_INDEX_LIST": std_ref,
        "CATEGORIES": scalar_ref,
        "valid_min": like_column,
        "valid_max": like_column,
        "units": utf8,
        "stoa_arrow_type": utf8,  # Stoa's own: docs/hep001.md
        "_FillValue": fill_value,
        "calendar": calendar,
        "stoa_categories_path": categories_path,
        "flag_values": flag_values,
        "flag_meanings": flag_meanings,
        **DESCRIPTIVE,
    }
    OF_INDEX = {
        "KIND": ascii,
        "description": utf8,
        "SOURCE_GENERATION": n_rows,
        "SOURCE_NROWS": n_rows,
    }
    OF_CATEGORIES = {"ordered": boolean}

    def attributes(self, owner, rules, required=()):
        names = set(owner.attrs.keys())
        for name in required:
            self.expect(name in names, True, f"{owner.name}: {name} is there")
        for name in names:
            where = f"{owner.name}@{name}"
            self.expect(name in rules, True, f"{where}: an attribute of the specification")
            if name in rules:
                rules[name](self, h5a.open(owner.id, name.encode()), where, owner)

    # --- objects -----------------------------------------------------------------------------

    def table(self, table):
        group = table.group
        self.attributes(group, self.OF_TABLE, ["CLASS", "VERSION", "NROWS", "GENERATION", "column-order"])
        for name, member in group.items():
            is_group = name in ("CATEGORIES", "SEARCH_INDEXES")
            self.expect(isinstance(member, h5py.Group), is_group, f"{member.name}: group (§7.6)")
        self.row_index(group)
        extents = {column.dataset.shape for column in table.columns.values()}
        self.expect(len(extents) <= 1, True, f"{group.name}: equal extents {extents} (§12)")
        for column in table.columns.values():
            self.expect(column.dataset.ndim, 1, f"{column.name}: rank (§8.1)")
            self.expect(column.dataset.shape[0] >= table.n_rows, True, f"{column.name}: extent")
            self.attributes(column.dataset, self.OF_COLUMN)
            self.fill(column)
        self.categories(table)
        self.indexes(table)

    def row_index(self, group):
        if "INDEX_COLUMNS" in group.attrs.keys():
            paths = references.resolve(group, "INDEX_COLUMNS")
            inside = [p.rsplit("/", 1)[0] == group.name.rstrip("/") for p in paths]
            self.expect(all(inside), True, f"{group.name}@INDEX_COLUMNS: {paths} are columns (§12)")
            if "_index" in group.attrs.keys():
                first = paths[0].rsplit("/", 1)[1]
                self.expect(hep001.text_of(group.attrs["_index"]), first, "_index (§7.4)")

    def fill(self, column):
        """§8.5: defined by the user, of Table 1 unless the data hold that, outside the range."""
        state = column.dcpl.fill_value_defined()
        self.expect(state, h5d.FILL_VALUE_USER_DEFINED, f"{column.name}: fill value")
        attrs = column.dataset.attrs
        name = column.raw.dtype.name
        if name not in TABLE_1:
            return
        bits = f"{int(np.array(column.fill).view(f'u{column.raw.dtype.itemsize}')):X}"
        has_range = "valid_min" in attrs and "valid_max" in attrs
        span = (attrs["valid_min"], attrs["valid_max"]) if has_range else None
        is_bool = name == "uint8" and span == (0, 1)
        if is_bool:
            self.expect(column.fill > 1, True, f"{column.name}: fill of a boolean column")
        elif int(bits, 16) != int(TABLE_1[name], 16):
            self.expect(has_range, True, f"{column.name}: valid_min, valid_max beside fill {bits}")
            sentinel = np.array(int(TABLE_1[name], 16), f"u{column.raw.dtype.itemsize}")
            met = hep001.is_missing(column.raw, sentinel.view(column.raw.dtype)[()])
            self.expect(met.any(), True, f"{column.name}: the recommended fill is among the data")
        if has_range and not np.isnan(column.fill):
            low, high = attrs["valid_min"], attrs["valid_max"]
            self.expect(low <= column.fill <= high, False, f"{column.name}: fill within its range")
            numbers = column.raw[~column.missing & ~np.isnan(column.raw)]
            self.expect(bool(((low <= numbers) & (numbers <= high)).all()), True,
                        f"{column.name}: values within [{low}, {high}]")  # fmt: skip

    def categories(self, table):
        """§8.7, §12: each categories dataset is referenced, each reference leads to one."""
        books = table.group.get("CATEGORIES") or {}
        referenced = set()
        for column in table.columns.values():
            if "CATEGORIES" not in column.dataset.attrs:
                continue
            [path] = references.resolve(column.dataset, "CATEGORIES")
            referenced.add(path)
            n_labels = column.dataset.file[path].shape[0]
            codes = column.raw[~column.missing]
            self.expect(column.raw.dtype.kind in "iu", True, f"{column.name}: integer codes")
            self.expect(bool(((codes >= 0) & (codes < n_labels)).all()), True,
                        f"{column.name}: codes below {n_labels}")  # fmt: skip
            self.expect(0 <= column.fill < n_labels, False, f"{column.name}: fill is a code (§12)")
        there = {book.name for book in books.values()}
        self.expect(referenced, there, f"{table.group.name}/CATEGORIES: datasets referenced")
        for book in books.values():
            self.expect(book.ndim, 1, f"{book.name}: rank")
            self.attributes(book, self.OF_CATEGORIES)

    def indexes(self, table):
        """§10.1, §10.2, §10.4."""
        there = {index.name for index in (table.group.get("SEARCH_INDEXES") or {}).values()}
        referenced = []
        for column in table.columns.values():
            if "SEARCH_INDEX_LIST" not in column.dataset.attrs.keys():
                continue
            for path in references.resolve(column.dataset, "SEARCH_INDEX_LIST"):
                index = column.dataset.file[path]
                referenced.append(path)
                self.attributes(index, self.OF_INDEX, ["KIND", "SOURCE_GENERATION", "SOURCE_NROWS"])
                for token, of in (("SOURCE_GENERATION", "GENERATION"), ("SOURCE_NROWS", "NROWS")):
                    self.expect(index.attrs.get(token), table.group.attrs.get(of), f"{path}@{token}")
                self.expect(hep001.text_of(index.attrs["KIND"]), "CHUNK_MINMAX", f"{path}@KIND")
                for finding in minmax.findings(column, table.n_rows, index):
                    self.findings.append(f"{self.file}: {path}: {finding} (§10.4)")
        self.expect(sorted(referenced), sorted(there), f"{table.group.name}: indexes referenced")


def main():
    for path in sys.argv[1:]:
        audit = Audit(path)
        with h5py.File(path) as file:
            tables = hep001.tables_of(file)
            audit.expect(len(tables) > 0, True, "a table is there")
            for table in tables:
                audit.table(table)
        print("".join(f"{finding}\n" for finding in audit.findings), end="")


if __name__ == "__main__":
    main()
