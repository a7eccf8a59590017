"""What LEGEND's Python software demands of a file (LH5 notes §7), asked by h5py; says what is wrong.

    lh5_verify.py [--any-order] FILE...    each file is as a writer must leave it; but for the order
                                           of fields, where that is another's
    lh5_verify.py [--any-order] [--by-arrow] --same OLD NEW [PATH...]
                                           and has the same objects as another: types, values, attributes;
                                           --by-arrow: of these just what Arrow files have
"""

import re
import sys

import h5py
import numpy as np

FINDINGS = []
ANY_ORDER = "--any-order" in sys.argv
BY_ARROW = "--by-arrow" in sys.argv


def find(node, what):
    FINDINGS.append(f"{node.file.filename}:{node.name}: {what}")


def is_text(node, name):
    """A variable-length string in a scalar dataspace."""
    attribute = node.attrs.get_id(name)
    return attribute.get_type().is_variable_str() and attribute.shape == ()


def datatype_of(node):
    if "datatype" not in node.attrs:
        find(node, "no datatype")
        return ""
    if not is_text(node, "datatype"):
        find(node, "its datatype is no variable-length scalar string")
    return node.attrs["datatype"]


def check_attributes(node):
    for name in node.attrs:
        attribute = node.attrs.get_id(name)
        if attribute.shape != ():
            find(node, f"attribute {name} is no scalar")
        if isinstance(node.attrs[name], (str, bytes)) and not is_text(node, name):
            find(node, f"attribute {name} is a string of fixed length")


def element_of(dtype):
    if h5py.check_string_dtype(dtype) is not None:
        return "string"
    return {"c": "complex", "b": "bool", "V": "blob"}.get(dtype.kind, "real")


def check_element(node, element):
    found = element_of(node.dtype)
    if element == "bool":
        if node.shape != () and (node.dtype.kind not in "iu" or node.dtype.itemsize != 1):
            find(node, f"bools are {node.dtype}")
        if node.shape != () and np.any(node[()] > 1) and node.dtype != np.int8:
            find(node, "bools are neither 0 nor 1")
    elif element.startswith("enum{"):
        known = {int(pair.split("=")[1]) for pair in element[5:-1].split(",")}
        if node.dtype.kind not in "iu" or not set(np.unique(node[()]).tolist()) <= known:
            find(node, f"values of {element}: {node.dtype}")
    elif found != {"symbol": "string", "detectorid": "real"}.get(element, element):
        find(node, f"'{element}', but {node.dtype}")


def rows_of(node):
    if isinstance(node, h5py.Dataset):
        return node.shape[0] if node.shape else None
    if "encoded_data" in node:
        return rows_of(node["encoded_data"])
    if "cumulative_length" in node:
        return node["cumulative_length"].shape[0]
    names = datatype_of(node)[len("table{") : -1]
    return rows_of(node[names.split(",")[0]]) if names else 0


def check_dataset(node, datatype):
    scalar = re.fullmatch(r"real|bool|complex|string|symbol|enum\{.*\}", datatype)
    array = re.fullmatch(r"(?:fixedsize_)?array<(\d+)>\{([^<]*)\}", datatype)
    equal = re.fullmatch(r"array_of_equalsized_arrays<(\d+),(\d+)>\{([^<]*)\}", datatype)
    if scalar:
        if node.shape != () or node.chunks is not None:
            find(node, f"a scalar of shape {node.shape}")
        check_element(node, datatype)
        return
    if not array and not equal:
        find(node, f"'{datatype}' is no type of a dataset")
        return
    rank = int(array[1]) if array else int(equal[1]) + int(equal[2])
    if node.ndim != rank:
        find(node, f"'{datatype}' of {node.ndim} dimensions")
    if node.chunks is None or node.maxshape[0] is not None or node.maxshape[1:] != node.shape[1:]:
        find(node, f"cannot grow: {node.maxshape}, {node.chunks}")
    check_element(node, array[2] if array else equal[3])


def check_vectors(node, datatype):
    if sorted(node) != ["cumulative_length", "flattened_data"]:
        find(node, f"vectors of {sorted(node)}")
        return
    ends, items = node["cumulative_length"], node["flattened_data"]
    if ends.dtype not in (np.dtype("<u4"), np.dtype("<i8")):
        find(ends, f"is {ends.dtype}")
    found = ends[()].astype(np.int64)
    n_items = rows_of(items)
    if np.any(np.diff(found, prepend=0) < 0) or (found[-1] if len(found) else 0) != n_items:
        find(ends, f"does not lead to the end of {n_items} items")
    if f"array<1>{{{items.attrs['datatype']}}}" != datatype:
        find(node, f"'{datatype}' of '{items.attrs['datatype']}'")


def check_encoded(node, datatype):
    is_equal = datatype.startswith("array_of_encoded")
    data, size = node["encoded_data"], node["decoded_size"]
    items, ends = data["flattened_data"], data["cumulative_length"]
    if items.dtype != np.uint8 or ends.dtype != np.uint32:
        find(node, f"packed as {items.dtype}, ends {ends.dtype}")
    if is_equal != (size.shape == ()) or size.dtype.kind not in "iu":
        find(size, f"is {size.shape} of {size.dtype}")
    if not is_equal and size.shape != ends.shape:
        find(size, f"is {size.shape} for {ends.shape} rows")
    codec = node.attrs["codec"]
    if codec == "radware_sigcompress":
        if not isinstance(node.attrs["codec_shift"], (np.floating, np.integer)):
            find(node, "codec_shift is no number")
        if np.any(size[()] > 32767):
            find(node, "rows that no decoder takes")
    elif codec != "uleb128_zigzag_diff":
        find(node, f"codec '{codec}'")


def check_histogram(node):
    axes = node["binning"]
    weights = node["weights"]
    base = 0 if "axis_0" in axes else 1
    if sorted(axes) != sorted(f"axis_{i + base}" for i in range(weights.ndim)):
        find(node, f"axes {sorted(axes)} of {weights.ndim}")
        return
    for i in range(weights.ndim):
        edges = axes[f"axis_{i + base}/binedges"]
        if isinstance(edges, h5py.Dataset):
            n = edges.shape[0] - 1
        else:
            first, last, step = (edges[name][()] for name in ("first", "last", "step"))
            n = round((last - first) / step)
        if n != weights.shape[i]:
            find(edges, f"{n} bins for {weights.shape[i]} weights")


def check_fields(node, datatype, is_table):
    names = [name for name in datatype[len("table{") : -1].split(",") if name]
    if datatype.startswith("struct{"):
        names = [name for name in datatype[len("struct{") : -1].split(",") if name]
    if (names != sorted(names) and not ANY_ORDER) or len(set(names)) != len(names):
        find(node, f"fields are not sorted: {datatype}")
    if any(re.search("[,./{}]", name) for name in names):
        find(node, f"names that cannot be: {names}")
    for name in names:
        if name not in node:
            find(node, f"there is no {name}")
    if is_table and len({rows_of(node[name]) for name in names if name in node}) > 1:
        find(node, "columns of unequal lengths")
    if sorted(names) == ["binning", "isdensity", "weights"] and not is_table:
        check_histogram(node)


def check(node):
    datatype = datatype_of(node)
    check_attributes(node)
    if isinstance(node, h5py.Dataset):
        check_dataset(node, datatype)
        return
    if datatype.startswith(("table{", "struct{")):
        check_fields(node, datatype, datatype.startswith("table{"))
    elif "encoded_a" in datatype or "encoded_equal" in datatype:
        check_encoded(node, datatype)
    else:
        check_vectors(node, datatype)
    for name in node:
        if isinstance(node.get(name, getlink=True), h5py.HardLink):
            check(node[name])


# --- two files --------------------------------------------------------------------------------------


def shown(file, value):
    """A value whose references are paths; empty ones by their type."""
    if isinstance(value, h5py.Empty):
        return f"empty {value.dtype}"
    if isinstance(value, h5py.Reference):
        return file[value].name if value else None
    if isinstance(value, np.ndarray):
        return [value.shape, *(shown(file, one) for one in value.ravel())]
    if isinstance(value, np.void) and value.dtype.names:
        return [shown(file, value[name]) for name in value.dtype.names]
    return value


def type_of(attribute):
    """Its type, padding and all."""
    stored = attribute.get_type()
    return attribute.dtype, stored.get_class(), stored.get_size()


def attributes(node):
    found = {name: (shown(node.file, node.attrs[name]), type_of(node.attrs.get_id(name)))
             for name in sorted(node.attrs)}  # fmt: skip
    value, dtype = found.get("datatype", ("", None))
    match = re.fullmatch(r"(table|struct)\{(.*)\}", value) if isinstance(value, str) else None
    if ANY_ORDER and match:
        found["datatype"] = (f"{match[1]}{sorted(match[2].split(','))}", dtype)
    return found


PARTS = re.compile(r"/(cumulative_length|decoded_size|encoded_data(/.*)?)$")


def by_arrow(node, found):
    """Scalar strings, numbers and booleans, but of what columns are made of (docs/layouts/lh5.md)."""
    travels = {"datatype": found["datatype"]} if "datatype" in found else {}
    for name, (value, (dtype, kind, size)) in found.items():
        scalar = node.attrs.get_id(name).shape == ()
        if scalar and not PARTS.search(node.name) and (dtype.kind in "biuf" or kind == h5py.h5t.STRING):
            is_text = kind == h5py.h5t.STRING
            value = value.decode() if isinstance(value, bytes) else value
            travels[name] = (value, (np.dtype(object), kind, 8) if is_text else (dtype, kind, size))
    return dict(sorted(travels.items()))


def same(old, new):
    if isinstance(old, h5py.Dataset) != isinstance(new, h5py.Dataset):
        find(new, "is another kind of object")
        return
    was, now = attributes(old), attributes(new)
    if ANY_ORDER and isinstance(old, h5py.Group) and "datatype" not in was:
        now.pop("datatype", None)  # what is written to lists what it has
    if BY_ARROW:
        was = by_arrow(old, was)
    if repr(was) != repr(now):
        find(new, f"attributes {now}, not {was}")
    if isinstance(old, h5py.Dataset):
        same_values(old, new)
        return
    if sorted(old) != sorted(new):
        find(new, f"has {sorted(new)}, not {sorted(old)}")
    for name in old:
        link = old.get(name, getlink=True)
        if name not in new and not isinstance(link, h5py.SoftLink):
            continue
        other = new.get(name, getlink=True)
        if type(link) is not type(other) or getattr(link, "path", "") != getattr(other, "path", ""):
            find(new, f"{name} is another link")
        elif isinstance(link, h5py.HardLink):
            same(old[name], new[name])


def is_alignment(old, new):
    """Whether only the last word of rows differs, whose value means nothing (LH5 notes §6.2)."""
    if not old.name.endswith("encoded_data/flattened_data") or old.shape != new.shape:
        return False
    ends = set(old.parent["cumulative_length"][()].tolist())
    return all(int(i) + 1 in ends or int(i) + 2 in ends for i in np.nonzero(old[()] != new[()])[0])


def same_values(old, new):
    creation = old.id.get_create_plist()
    if 32015 in [creation.get_filter(i)[0] for i in range(creation.get_nfilters())]:
        return  # Zstandard, which h5py may not have
    if old.dtype != new.dtype or h5py.check_string_dtype(old.dtype) != h5py.check_string_dtype(new.dtype):
        find(new, f"is of {new.dtype}, not {old.dtype}")
    elif old.shape != new.shape:
        find(new, f"has {new.shape}, not {old.shape}")
    elif old.attrs["datatype"].endswith("{bool}"):
        if not np.array_equal(old[()] != 0, new[()]):
            find(new, "has other truth values")
    elif not np.array_equal(np.asarray(old[()]), np.asarray(new[()]), equal_nan=old.dtype.kind in "fc"):
        if not is_alignment(old, new):
            find(new, "has other values")


def main():
    arguments = [one for one in sys.argv[1:] if one not in ("--any-order", "--by-arrow")]
    if arguments[0] == "--same":
        with h5py.File(arguments[1]) as old, h5py.File(arguments[2]) as new:
            for path in arguments[3:] or ["/"]:
                same(old[path], new[path])
    else:
        for name in arguments:
            with h5py.File(name) as file:
                check(file)
    print("\n".join(FINDINGS), end="\n" if FINDINGS else "")


main()
