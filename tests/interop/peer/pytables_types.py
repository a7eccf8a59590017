"""A table and lists of each of PyTables' types, in each place where they can be.

    pytables_types.py

types.h5 has /t, /goes without floats that Arrow lacks, /array/NAME, and /list/NAME, of two rows
each.
"""

import warnings

import numpy as np
import tables

warnings.simplefilter("ignore")
COLOURS = ["red", "green"]
KINDS = {
    "i1": tables.Int8Atom, "u8": tables.UInt64Atom, "f2": tables.Float16Atom,
    "f8": tables.Float64Atom, "ld": tables.Float128Atom, "b": tables.BoolAtom,
    "c": lambda shape=(): tables.ComplexAtom(16, shape), "t32": tables.Time32Atom,
    "cld": lambda shape=(): tables.ComplexAtom(32, shape), "t64": tables.Time64Atom,
    "s": lambda shape=(): tables.StringAtom(4, shape),
    "e": lambda shape=(): tables.EnumAtom(COLOURS, "red", "int8", shape),
}  # fmt: skip


def column(atom):
    if atom.kind == "enum":
        return tables.EnumCol(COLOURS, "red", "int8", shape=atom.shape)
    return tables.Col.from_atom(atom)


def make_table(file, name, kinds):
    columns = {name: column(make()) for name, make in kinds.items()}
    columns |= {f"{name}_cell": column(make(shape=(2,))) for name, make in kinds.items()}
    columns |= {f"{name}_grid": column(make(shape=(2, 3))) for name, make in kinds.items()}
    columns["nested"] = {name: column(make()) for name, make in kinds.items()}
    table = file.create_table("/", name, columns)
    rows = np.zeros(2, table.dtype)
    rows["s"] = rows["s_cell"] = rows["s_grid"] = rows["nested"]["s"] = b"ab"
    table.append(rows)


with tables.open_file("types.h5", "w") as file:
    make_table(file, "t", KINDS)
    make_table(file, "goes", {name: make for name, make in KINDS.items() if "ld" not in name})
    for kind, make in KINDS.items():
        grown = file.create_earray("/array", kind, make(), (0,), createparents=True)
        grown.append(np.zeros(2, grown.dtype))
        ragged = file.create_vlarray("/list", kind, make(), createparents=True)
        for _ in range(2):
            ragged.append(np.zeros(3, ragged.atom.dtype))
    for kind, atom, row in (("vlstring", tables.VLStringAtom(), b"x"),
                            ("object", tables.ObjectAtom(), 1),
                            ("vlunicode", tables.VLUnicodeAtom(), "x")):  # fmt: skip
        ragged = file.create_vlarray("/list", kind, atom)
        ragged.append(row)
        ragged.append(row)
