"""Reads and writes groups of binsparse 0.1, made from the text of its specification.

    binsparse_files.py make           good.h5, bad.h5 and their values in good.json
    binsparse_files.py show FILE PATH...  prints the descriptor and "entries" of each as a line of JSON
"""

import json
import sys

import h5py
import numpy as np
import scipy.sparse as sp

TYPES = "float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()


def write(file, path, form, shape, rows, columns, values, iso=False, index="uint64", **more):
    """Write entries in any order; `columns` is None for a vector."""
    rows = np.asarray(rows, "i8")
    values = np.asarray(values)
    across = form in ("CSC", "DCSC", "COOC")
    lines, others = (columns, rows) if across else (rows, columns)
    others = np.zeros(len(rows), "i8") if others is None else np.asarray(others, "i8")
    lines = np.asarray(lines, "i8")
    order = np.lexsort((others, lines))
    lines, others, values = lines[order], others[order], values[order]
    parts = {}
    if form in ("CSR", "CSC"):
        n = shape[1 if across else 0]
        parts = {"pointers_to_1": np.searchsorted(lines, np.arange(n + 1)), "indices_1": others}
    elif form in ("DCSR", "DCSC"):
        own, first = np.unique(lines, return_index=True)
        parts = {"indices_0": own, "pointers_to_1": np.append(first, len(lines)), "indices_1": others}
    elif form == "CVEC":
        parts = {"indices_0": lines}
    else:
        parts = {"indices_0": lines, "indices_1": others}
    group = file.require_group(path)
    types = {}
    for name, numbers in parts.items():
        group[name] = np.asarray(numbers, index)
        types[name] = index
    stored = values[:1] if iso else values
    if stored.dtype == bool:
        kind, stored = "bint8", stored.view("u1")
    elif stored.dtype.kind == "c":
        stored = stored.view("f4" if stored.dtype == "c8" else "f8")
        kind = f"complex[{stored.dtype}]"
    else:
        kind = str(stored.dtype)
    group["values"] = stored
    types["values"] = f"iso[{kind}]" if iso else kind
    said = {"version": "0.1", "format": form, "shape": list(shape), "number_of_stored_values": len(values),
            "data_types": types, **more}  # fmt: skip
    group.attrs["binsparse"] = json.dumps({"binsparse": said, "author": "A. U. Thor"})


def read(group):
    """(descriptor, coordinates, values): entries in the order of the file."""
    said = json.loads(group.attrs["binsparse"])["binsparse"]
    assert said["version"] == "0.1", said
    form, n = said["format"], said["number_of_stored_values"]
    for name, kind in said["data_types"].items():
        assert name in group and (name == "values" or str(group[name].dtype) == kind), (name, kind)
    values, kind = group["values"][:], said["data_types"]["values"]
    if kind.startswith("iso["):
        kind = kind[4:-1]
        values = np.repeat(values, n)
    if kind.startswith("complex["):
        assert str(values.dtype) == kind[8:-1], kind
        values = values.view("c8" if values.dtype == "f4" else "c16")
    elif kind == "bint8":
        assert values.dtype == "u1", values.dtype
        values = values.astype(bool)
    else:
        assert str(values.dtype) == kind, kind
    if form in ("CSR", "CSC"):
        pointers = group["pointers_to_1"][:].astype("i8")
        assert len(pointers) == said["shape"][form == "CSC"] + 1
        at = [np.repeat(np.arange(len(pointers) - 1), np.diff(pointers)), group["indices_1"][:]]
    elif form == "CVEC":
        at = [group["indices_0"][:]]
    else:
        at = [group["indices_0"][:], group["indices_1"][:]]
    assert len(values) == n and all(len(a) == n for a in at), said
    assert n < 2 or (np.diff(np.ravel_multi_index(at[::1], [int(max(a)) + 1 for a in at])) > 0).all(), "order"
    return said, at[::-1] if form in ("CSC", "COOC") else at, values


def plain(value):
    """As JSON has it: float32 by its own shortest digits."""
    if isinstance(value, np.float32):
        return float(str(value))
    value = value.item() if hasattr(value, "item") else value
    return {"r": value.real, "i": value.imag} if isinstance(value, complex) else value


def entries(coordinates, values):
    names = ["row", "column"] if len(coordinates) == 2 else ["index"]
    made = [dict(zip([*names, "value"], [*map(int, at), plain(v)])) for *at, v in zip(*coordinates, values)]
    return sorted(made, key=lambda e: [e[name] for name in names])


def make():
    r = np.random.default_rng(5)
    expected = {}

    def put(path, form, shape, rows, columns, values, mirror=None, **more):
        write(f, path, form, shape, rows, columns, values, **more)
        at = [np.asarray(a) for a in (rows, columns) if a is not None]
        values = np.asarray(values)
        if mirror is not None:
            off = at[0] != at[1]
            at, values = [np.append(a, b[off]) for a, b in zip(at, at[::-1])], np.append(values, mirror(values[off]))
        expected[path] = {"format": form, "shape": list(shape), "entries": entries(at, values)}

    with h5py.File("good.h5", "w") as f:
        for form in "CSR CSC COO COOR COOC DCSR DCSC".split():
            m = sp.random(40, 30, 0.05, format="coo", random_state=7)
            put(f"/{form}", form, m.shape, m.row, m.col, m.data)
            put(f"/iso/{form}", form, m.shape, m.row, m.col, np.full(m.nnz, 7, "i1"), iso=True, index="int32")
            put(f"/empty/{form}", form, (3, 4), [], [], np.zeros(0))
            put(f"/row/{form}", form, (1, 9), [0, 0, 0], [1, 4, 8], np.array([1.5, np.nan, -2]), index="uint8")
        for kind in TYPES:
            limits = np.finfo(kind) if kind[0] == "f" else np.iinfo(kind)
            put(f"/types/{kind}", "CSR", (3, 3), [0, 1, 2], [2, 0, 1], np.array([limits.min, 1, limits.max], kind))
        put("/types/bool", "CSC", (3, 3), [0, 1, 2], [2, 0, 1], np.array([True, False, True]))
        put("/types/complex64", "CSR", (3, 3), [0, 1, 2], [2, 0, 1], np.array([1 + 2j, -3j, 4], "c8"))
        put("/types/complex128", "COO", (3, 3), [0, 1, 2], [2, 0, 1], np.array([1 + 2j, -3j, 4], "c16"))
        put("/types/iso_bool", "COO", (3, 3), [0, 1], [2, 0], np.array([True, True]), iso=True)
        put("/types/iso_complex", "DCSR", (3, 3), [0, 1], [2, 0], np.full(2, 1 - 1j), iso=True)
        put("/vector", "CVEC", (100,), [3, 50, 99], None, np.array([1.0, 2, 3]))
        at = ([0, 1, 2, 2], [0, 0, 1, 2])
        for name, values, mirror in (
            ("symmetric", np.array([1, 2, 3, 4], "i2"), lambda v: v),
            ("skew_symmetric", np.array([0, 2.5, 3, 0]), lambda v: -v),
            ("hermitian", np.array([1, 2 + 1j, 3 - 1j, 4]), np.conj),
        ):
            put(f"/{name}_lower", "CSR", (3, 3), *at, values, mirror, structure=f"{name}_lower")
            put(f"/{name}_upper", "COOC", (3, 3), *at[::-1], values, mirror, structure=f"{name}_upper")
        big = r.choice(3000 * 1000, 100_000, replace=False)
        write(f, "/big", "CSR", (3000, 1000), big // 1000, big % 1000, r.normal(size=len(big)))
        write(f, "/dense", "COO", (2, 2), [0], [0], [1.0])
        said = json.loads(f["dense"].attrs["binsparse"])
        said["binsparse"]["format"] = "DMATR"
        f["dense"].attrs["binsparse"] = json.dumps(said)
    with h5py.File("root.h5", "w") as f:
        write(f, "/", "CSR", (2, 2), [0], [1], [5.0])
        f["other/x"] = np.arange(3)
    json.dump(expected, open("good.json", "w"))
    make_bad()


def make_bad():
    """Groups that break one rule each. The file names them, and says what the error must."""
    told = {}

    def put(path, says, form="CSR", edit=lambda group: None, **said):
        rows = [0, 1, 2]
        write(f, path, form, (3, 4), rows, [2, 0, 1], np.array([1.0, 2, 3]))
        descriptor = json.loads(f[path].attrs["binsparse"])
        descriptor["binsparse"].update(said)
        f[path].attrs["binsparse"] = json.dumps(descriptor)
        edit(f[path])
        told[path] = says

    def replace(name, numbers, **how):
        def edit(group):
            del group[name]
            if numbers is not None or how:
                group.create_dataset(name, data=numbers, **how)

        return edit

    def text(value):
        return lambda group: group.attrs.__setitem__("binsparse", value)

    with h5py.File("bad.h5", "w") as f:
        put("/no_json", "the attribute 'binsparse'", edit=text("{no"))
        put("/cut", "the attribute 'binsparse'", edit=text('{"binsparse": {"version": "0.1", "format": "CSR"'))
        put("/deep", "the attribute 'binsparse'", edit=text('{"binsparse": ' + "[" * 30000))
        put("/number", "no object 'binsparse'", edit=text("17"))
        put("/list", "is no string", edit=text(np.arange(3)))
        put("/no_namespace", "no object 'binsparse'", edit=text('{"version": "0.1", "format": "CSR"}'))
        put("/major", "the version is '1.0'; known is 0.1", version="1.0")
        put("/format", "the format 'ELL' is not known", format="ELL")
        put("/rank", "'shape' is not two lengths", shape=[3])
        put("/rank3", "'shape' is not two lengths", shape=[3, 4, 5])
        put("/negative", "'shape' is not two lengths", shape=[-3, 4])
        put("/huge", "'pointers_to_1' has 4 elements", shape=[2**62, 4])
        put("/beyond", "'shape' is not two lengths", shape=[2**63, 4])
        put("/rows", "'pointers_to_1' has 4 elements, and there are 2 rows", shape=[2, 4])
        put("/count", "'number_of_stored_values' is 7, 'indices_1' has 3", number_of_stored_values=7)
        put("/no_count", "'number_of_stored_values' is missing", number_of_stored_values="3")
        put("/type", "'float99' is no type of values", data_types={"values": "float99"})
        put("/no_type", "'' is no type of values", data_types={})
        put("/structure", "'triangular' is no structure", structure="triangular")
        put("/triangle", "is not square", structure="symmetric_lower")
        put("/hermitian", "complex values", structure="hermitian_lower")
        put("/outside", "'indices_1' has 4 at 1", edit=replace("indices_1", [0, 4, 1]))
        put("/below", "'indices_1' has -1 at 1", edit=replace("indices_1", [0, -1, 1]))
        put("/coo_outside", "'indices_0' has 3 at 2", "COO", replace("indices_0", [0, 1, 3]))
        put("/descending", "'pointers_to_1' has 1 after 2", edit=replace("pointers_to_1", [0, 2, 1, 3]))
        put("/pointers", "'pointers_to_1' has 9 at 3", edit=replace("pointers_to_1", [0, 1, 2, 9]))
        put("/short", "'pointers_to_1' has 2 at 3, not 3", edit=replace("pointers_to_1", [0, 1, 2, 2]))
        put("/late", "'pointers_to_1' has 1 at 0, not 0", edit=replace("pointers_to_1", [1, 1, 2, 3]))
        put("/floats", "'indices_1' has no integers", edit=replace("indices_1", [0.0, 1, 2]))
        put("/texts", "'values' is no list of numbers", edit=replace("values", ["a", "b", "c"]))
        put("/flat", "'values' is no list of numbers", edit=replace("values", np.zeros((3, 2))))
        put("/missing", "there is no dataset 'values'", edit=replace("values", None))
        put("/lacking", "there is no dataset 'indices_0'", "DCSR", replace("indices_0", None))
        put("/group", "there is no dataset 'values'", edit=lambda g: (g.move("values", "x"), g.create_group("values")))
        put("/lengths", "'indices_1' has 3 elements, 'values' 2", edit=replace("values", [1.0, 2]))
        put("/coo_lengths", "'indices_0' has 2 elements, 'indices_1' 3", "COO", replace("indices_0", [0, 1]))
        put("/pairs", "which are no pairs", data_types={"values": "complex[float64]"})
        put("/iso", "'values' 3", data_types={"values": "iso[float64]"})
        put("/fill", "'fill_value' is not 0", fill=True, edit=lambda g: g.create_dataset("fill_value", data=[3.0]))
        many = 2**40
        put("/unstored", "elements in 0 bytes", shape=[many - 1, 4],
            edit=replace("pointers_to_1", None, shape=(many,), dtype="u8", chunks=(1024,)))  # fmt: skip
    json.dump(told, open("bad.json", "w"))


def show(name, *paths):
    with h5py.File(name) as f:
        for path in paths:
            said, at, values = read(f[path])
            print(json.dumps({**said, "entries": entries(at, values)}))


if sys.argv[1] == "make":
    make()
else:
    show(*sys.argv[2:])
