"""What a file says of its one table, by the libraries of its layout.

    kept.py make            one file for each layout, of the same columns, with what the layout has
    kept.py show [LAYOUT FILE]... prints a line of JSON for each file

A line has "columns" in order, "kinds" {column: int, float, text, labels, time, duration}, "units",
"codes" {column: {label: code}}, "widths" {column: bytes}, "rows" [the columns that label
the rows], "zones" {column: zone}, "run" (the table's attribute) and "values".
"""

import json
import sys
import warnings

import anndata
import h5py
import numpy as np
import pandas as pd
import tables

WHEN = pd.to_datetime(["2020-01-01T00:00:01", "2020-06-01T00:00:00"])


def make_pytables():
    class Rows(tables.IsDescription):
        z = tables.EnumCol(tables.Enum({"red": 4, "green": 2}), "red", base="int16", pos=0)
        s = tables.StringCol(30, pos=1)
        n = tables.Int32Col(dflt=7, pos=2)
        a = tables.Float64Col(pos=3)

    with tables.open_file("pytables.h5", "w") as file:
        made = file.create_table("/", "t", Rows, title="a title")
        made.append([(4, b"ab", 3, 1.5), (2, b"c", 4, 2.5)])
        made.flush()
        made.cols.n.create_csindex()
        made.cols.n.attrs.run = 7
        made.cols.a.attrs.units = "mm"
        made.attrs.run = 8


def frame():
    return pd.DataFrame({
        "z": pd.Categorical(["b", "a"], ["b", "a"], ordered=True), "s": ["ab", "c"], "n": [3, 4],
        "a": [1.5, 2.5]}, index=pd.Index(["i", "j"], name="key"))  # fmt: skip


def make_frames():
    made = frame()
    made["t"] = WHEN.tz_localize("Europe/Berlin")
    made["d"] = pd.to_timedelta([1, 2], "s")
    made.to_hdf("pandas-table.h5", key="t", format="table", min_itemsize={"s": 30, "index": 9},
                data_columns=True)  # fmt: skip
    made.assign(z=["b", "a"]).to_hdf("pandas-fixed.h5", key="t", format="fixed")
    with h5py.File("anndata.h5", "w") as file:
        anndata.io.write_elem(file, "t", frame())


def make_lh5():
    with h5py.File("lh5.h5", "w") as file:
        file.attrs["datatype"] = "struct{t}"
        group = file.create_group("t")
        group.attrs.update({"datatype": "table{z,s,n,a}", "run": "8"})
        for name, values, datatype in (("z", np.array([1, 2], "u1"), "array<1>{enum{b=1,a=2}}"),
                                       ("s", np.array([b"ab", b"c"]), "array<1>{string}"),
                                       ("n", np.array([3, 4], "i4"), "array<1>{real}"),
                                       ("a", np.array([1.5, 2.5]), "array<1>{real}")):  # fmt: skip
            group[name] = values
            group[name].attrs["datatype"] = datatype
        group["a"].attrs["units"] = "mm"


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def show_pytables(name):
    with tables.open_file(name) as file:
        node = file.root.t
        kinds, units, codes = {}, {}, {}
        for i, column in enumerate(node.colnames):
            kind = node.coltypes[column]
            prefix = f"FIELD_{i}_ATTR_"
            says = {a[len(prefix):]: str(node.attrs[a]) for a in node.attrs._f_list("all")
                    if a.startswith(prefix)}  # fmt: skip
            kinds[column] = ("time" if " since " in says.get("units", "") else
                             "duration" if "stoa_arrow_type" in says else
                             {"string": "text", "enum": "labels", "time32": "time", "time64": "time",
                              }.get(kind, "int" if "int" in kind else "float"))  # fmt: skip
            if kind == "enum":
                codes[column] = {k: int(v) for k, v in dict(node.get_enum(column)).items()}
            if kinds[column] in ("int", "float") and "units" in says:
                units[column] = says["units"]
        return {
            "columns": list(node.colnames), "kinds": kinds, "codes": codes, "units": units,
            "widths": {c: node.coldtypes[c].itemsize for c in node.colnames
                       if node.coltypes[c] == "string"},
            "run": "run" in node.attrs._f_list("user"),
            "indexed": [c for c in node.colnames if node.colindexed[c]],
            "defaults": {c: int(node.coldflts[c]) for c in node.colnames if c == "n"},
        }  # fmt: skip


def show_frame(made, widths=None):
    kinds = {}
    for name in made:
        dtype = made[name].dtype
        kinds[name] = ("labels" if isinstance(dtype, pd.CategoricalDtype) else
                       {"i": "int", "u": "int", "f": "float", "M": "time", "m": "duration"}.get(
                           dtype.kind, "text"))  # fmt: skip
    return {
        "columns": list(made), "kinds": kinds, "widths": widths or {},
        "zones": {c: str(made[c].dt.tz) for c in made
                  if kinds[c] == "time" and made[c].dt.tz is not None},
        "rows": [made.index.name] if made.index.name else [],
    }  # fmt: skip


def show_pandas(name):
    made = pd.read_hdf(name)
    with tables.open_file(name) as file:
        node = file.get_node("/t")
        table = node.table if "table" in node else None
        widths = {c: table.coldtypes[c].itemsize for c in table.colnames
                  if table.coltypes[c] == "string"} if table is not None else {}  # fmt: skip
        if table is not None and "index" in widths and made.index.name:
            widths[made.index.name] = widths.pop("index")
    return show_frame(made, widths)


def show_anndata(name):
    with h5py.File(name) as file:
        return show_frame(anndata.io.read_elem(file["t"]))


def codes_of(lines):
    return {line.split("=")[1]: int(line.split("=")[0]) for line in lines.splitlines()[1:]}


def kind_of(thing, layout):
    """Of an object of HEP001, LH5 or Arkouda, by its attributes and its type."""
    names = ("units", "datatype", "ObjType", "stoa_arrow_type", "stoa_categories_path")
    says = {name: text(thing.attrs[name]) for name in names if name in thing.attrs}
    plain = ("text" if thing.dtype.kind in "SO" else "float" if thing.dtype.kind == "f" else "int"
             ) if isinstance(thing, h5py.Dataset) else "?"  # fmt: skip
    if layout == "arkouda":
        return {"2": "text", "4": "labels", "7": "time", "8": "duration"}.get(says["ObjType"], plain)
    if layout == "lh5":
        return "labels" if "enum" in says["datatype"] else plain
    own = {"utf8": "text", "duration": "duration"}.get(says.get("stoa_arrow_type"))
    return own or ("time" if " since " in says.get("units", "") else
                   "labels" if "stoa_categories_path" in says else plain)  # fmt: skip


def show_h5(name, layout):
    with h5py.File(name) as file:
        group = file["t"] if "t" in file and layout != "arkouda" else file["/"]
        attributes = group.attrs
        order = {"lh5": lambda: text(attributes["datatype"])[6:-1].split(","),
                 "arkouda": lambda: list(group),
                 "hep001": lambda: [text(c) for c in attributes["column-order"]]}[layout]()  # fmt: skip
        return {
            "columns": order, "run": "run" in attributes,
            "kinds": {c: kind_of(group[c], layout) for c in order},
            "zones": {c: text(group[c].attrs["stoa_time_zone"]) for c in order
                      if "stoa_time_zone" in group[c].attrs},
            "widths": {c: int(text(group[c].attrs["stoa_pytables_width"])) for c in order
                       if "stoa_pytables_width" in group[c].attrs},
            "codes": {c: codes_of(text(group[c].attrs["stoa_pytables_codes"])) for c in order
                      if "stoa_pytables_codes" in group[c].attrs},
            "units": {c: text(group[c].attrs["units"]) for c in order if "units" in group[c].attrs
                      and kind_of(group[c], layout) in ("int", "float")},
        }  # fmt: skip


def show(layout, name):
    own = {"pytables": show_pytables, "pandas-table": show_pandas, "pandas-fixed": show_pandas,
           "anndata": show_anndata}  # fmt: skip
    return own[layout](name) if layout in own else show_h5(name, layout)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1] == "make":
        make_pytables()
        make_frames()
        make_lh5()
    else:
        for layout, name in zip(sys.argv[2::2], sys.argv[3::2]):
            print(json.dumps(show(layout, name)))
