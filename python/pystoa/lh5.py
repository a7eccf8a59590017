"""read(), ls(), show() and write() with the signatures of legend-lh5io.

    from pystoa import lh5

    hits = lh5.read("ch1107202/raw", "run.lh5", field_mask=["daqenergy", "waveform/values"])
    hits = lh5.read("ch1107202/raw", ["a.lh5", "b.lh5"], where="daqenergy > 5000")

read() gives LGDO objects, and write() takes them. Both need legend-pydataobj; ls() and show() need nothing.
"""

from __future__ import annotations

import contextlib
import fnmatch
import os
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from . import _values
from ._errors import ArgumentError, ExistsError, FileMissingError, LayoutError, NotFoundError
from ._expressions import Expression
from ._files import ls as list_objects
from ._files import open as open_place
from ._files import write as write_table
from ._paths import Path
from ._table import Params, Table

__all__ = ["ls", "read", "show", "write"]

_MODES = {"w": "write_safe", "a": "append", "o": "overwrite", "of": "overwrite_file",
          "ac": "append_column"}  # fmt: skip


def _names(lh5_file: Any) -> list[str]:
    """The names of files; of h5py.File objects, too."""
    if isinstance(lh5_file, (str, os.PathLike)):
        names = [os.fsdecode(lh5_file)]
    elif hasattr(lh5_file, "filename"):
        names = [os.fsdecode(lh5_file.filename)]
    else:
        names = [name for one in lh5_file for name in _names(one)]
    for name in names:
        if not os.path.exists(name):
            raise FileMissingError("no such file", name)
    return names


def _lgdo() -> Any:
    try:
        import lgdo.types
    except ImportError:
        raise ImportError("LGDO objects are those of the package legend-pydataobj, which is not "
                          "installed; pystoa.open() reads LH5 without it") from None  # fmt: skip
    return lgdo.types


# --- reading -------------------------------------------------------------------------------------


def read(
    name: str,
    lh5_file: Path | Sequence[Path],
    start_row: int = 0,
    n_rows: int = sys.maxsize,
    idx: Any = None,
    use_h5idx: bool = False,
    field_mask: Mapping[str, bool] | Iterable[str] | None = None,
    obj_buf: Any = None,
    obj_buf_start: int = 0,
    decompress: bool = True,
    locking: bool = False,
    *,
    where: str | Expression | None = None,
    params: Params = None,
) -> Any:
    """Read an object of LH5 as an LGDO.

    Args:
        name: its path in the file.
        lh5_file: a file, or several, whose rows follow each other.
        start_row: the first row.
        n_rows: the most rows.
        idx: the numbers of rows, ascending; bools; ranges, as an array of shape (n, 2); for several
            files a list of these, one for each, or numbers that count through all.
        use_h5idx: without effect, as in legend-lh5io.
        field_mask: names of fields to read, or a dict of names with True, or with False.
        obj_buf: must be None: objects are always new.
        obj_buf_start: must be 0.
        decompress: must be True: encoded arrays are decoded.
        locking: without effect: files are locked while they are read.
        where: a filter in the language of docs/query.md; fields of tables in the table have dots,
            "waveform.t0". Of `idx` it keeps the rows that pass.
        params: values for the `?` and `:name` of the filter.

    Returns:
        A Table, WaveformTable, Array, VectorOfVectors, Histogram, Scalar, Struct ... of lgdo.

    Raises:
        ImportError: legend-pydataobj is not installed.
        FileNotFoundError, KeyError: there is no such file, no such object.
        ValueError: row numbers do not ascend, or a filter cannot be understood.
    """
    if obj_buf is not None or obj_buf_start:
        raise ArgumentError("obj_buf is not filled: read() makes new objects")
    if not decompress:
        raise ArgumentError("decompress=False is not done: encoded arrays are decoded")
    types = _lgdo()
    files = _names(lh5_file)
    path = "/" + name.strip("/")
    try:
        table = open_place(files, path)
    except (LayoutError, NotFoundError):
        return _read_struct(types, files, path, field_mask, start_row=start_row, n_rows=n_rows,
                            idx=idx, where=where, params=params)  # fmt: skip
    with table:
        reader = _Reader(types, table, field_mask)
        if reader.kind not in ("scalar", "histogram"):
            reader.select(start_row, n_rows, _joined_idx(idx, files, path), where, params)
        return reader.read()


def _read_struct(types: Any, files: list[str], path: str, mask: Any, **rows: Any) -> Any:
    """A group of objects."""
    if len(files) > 1:
        raise ArgumentError(f"{path} is no table, array or vector, and of these alone several files "
                            "are read", files[0])  # fmt: skip
    prefix = "" if path == "/" else path
    found = [one.path[len(prefix) + 1 :].partition("/")[0] for one in list_objects(files[0])
             if one.path.startswith(prefix + "/") and one.layout == "lh5"]  # fmt: skip
    if not found:
        raise NotFoundError("no such object", f"{files[0]}:{path}")
    fields = {key: None for key in sorted(set(found))}
    items = {}
    for key, own, default in _selected(fields, *_mask(mask)):
        part = {"": default, **own} if own or not default else None
        items[key] = read(f"{prefix}/{key}", files[0], field_mask=part, **rows)
    attrs = {"datatype": "struct{" + ",".join(items) + "}"}
    return types.Struct(items, attrs=_attrs_of_group(files[0], path) | attrs)


def _attrs_of_group(file: str, path: str) -> dict[str, Any]:
    """The attributes of a group that is no table, where h5py is installed to read them."""
    try:
        import h5py
    except ImportError:
        return {}
    with h5py.File(file, "r") as opened:
        return dict(opened[path].attrs)


# --- masks of fields -----------------------------------------------------------------------------


def _mask(mask: Any) -> tuple[dict[str, bool], bool]:
    """What a mask says of fields, and of those that it does not name."""
    if mask is None:
        return {}, True
    if isinstance(mask, Mapping):
        known = dict(mask)
        if "" in known:  # of an inner object
            return known, bool(known.pop(""))
        return known, not next(iter(known.values())) if known else True
    if isinstance(mask, (list, tuple, set)):
        return dict.fromkeys(mask, True), False
    raise ArgumentError(f"a field_mask is a dict or a list, not {type(mask).__name__}")


def _selected(
    fields: Mapping[str, Any], mask: dict[str, bool], default: bool
) -> Iterator[tuple[str, dict[str, bool], bool]]:
    """The fields to read, each with the mask of what is in it."""
    own: dict[str, bool] = {}
    inner: dict[str, dict[str, bool]] = {}
    whole: dict[str, bool] = {}
    for key, value in mask.items():
        head, _, rest = key.strip("/").partition("/")
        if rest:
            own[head] = own.get(head, default) or value
            inner.setdefault(head, {})[rest] = value
        else:
            own[head] = own.get(head, False) or value
            whole[head] = value
    for name in own:
        if name not in fields:
            warnings.warn(f"there is no field {name!r}; there are {', '.join(fields)}", stacklevel=4)
    for name in fields:
        if own.get(name, default):
            yield name, inner.get(name, {}), whole.get(name, default)


# --- rows ----------------------------------------------------------------------------------------


def _joined_idx(idx: Any, files: list[str], path: str) -> Any:
    """Row numbers of several files as numbers that count through all of them."""
    if not isinstance(idx, (list, tuple)) or len(files) == 1 or len(idx) != len(files):
        return idx
    if all(not hasattr(part, "__len__") for part in idx if part is not None):
        return idx
    import numpy as np

    parts, before = [], 0
    for part, file in zip(idx, files):
        with open_place(file, path) as table:
            n = len(table)
        rows = np.arange(n) if part is None else _rows(part)
        parts.append(rows[rows < n] + before)
        before += n
    return np.concatenate(parts)


def _rows(idx: Any) -> Any:
    """Row numbers as an ascending array."""
    import numpy as np

    rows = np.asarray(idx)
    if isinstance(idx, tuple) and len(idx) == 1:
        rows = np.asarray(idx[0])
    if rows.ndim == 0:
        rows = rows.reshape(1)
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    if rows.size == 0:
        return np.empty(0, dtype="i8")
    if rows.dtype.kind not in "iu" or rows.ndim > 2 or (rows.ndim == 2 and rows.shape[1] != 2):
        raise ArgumentError("idx has numbers of rows, with the shape (), (n,) or (n, 2)")
    if rows.ndim == 2:
        if (rows[:, 0] >= rows[:, 1]).any() or (rows[:-1, 1] > rows[1:, 0]).any():
            raise ArgumentError("the ranges of idx must ascend without an overlap")
        return np.concatenate([np.arange(first, stop) for first, stop in rows])
    if (rows[1:] <= rows[:-1]).any():
        raise ArgumentError("the row numbers of idx must ascend, each once")
    return rows.astype("i8")


class _Part(NamedTuple):
    """Values of rows: an array, or lists of values that lie one after the other."""

    lengths: Any  #: of the lists; None: `values` is an array
    values: Any


def _part(np: Any, column: Any, stored: str) -> _Part:
    field = column.schema
    if field.format in ("+l", "+L"):
        ends = np.asarray(memoryview(column._offsets())).astype("i8")
        items = column._items()[int(ends[0]) : int(ends[-1])]
        return _Part(np.diff(ends), _part(np, items, field[0].metadata.get("lh5.stored", "")))
    values = np.ma.getdata(_values.view(np, column))
    if field.dictionary is None and field.format in "uU":
        width = _values.width_of(stored)
        texts = [text.encode() for text in values.tolist()]
        return _Part(None, np.array(texts, dtype=f"S{width}" if width else object))
    if field.format == "+s" and [part.name for part in field] == ["r", "i"]:
        values = _values.complexes(np, values["r"], values["i"])
    return _Part(None, values)


def _take(np: Any, part: _Part, rows: Any) -> _Part:
    if part.lengths is None:
        return _Part(None, part.values[rows])
    lengths = part.lengths[rows]
    starts = (np.cumsum(part.lengths) - part.lengths)[rows]
    at = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
    return _Part(lengths, _take(np, part.values, at))


def _join(np: Any, parts: list[_Part]) -> _Part:
    if len(parts) == 1:
        return parts[0]
    if parts[0].lengths is None:
        return _Part(None, np.concatenate([part.values for part in parts]))
    return _Part(np.concatenate([part.lengths for part in parts]),
                 _join(np, [part.values for part in parts]))  # fmt: skip


# --- objects -------------------------------------------------------------------------------------


def _attribute(text: str) -> Any:
    """The value of an attribute, of a text such as "int64 3" (docs/layouts/lh5.md#attributes)."""
    import numpy as np

    kind, _, rest = text.partition(" ")
    if kind == "string":
        return rest
    if kind == "bool":
        return np.bool_(rest == "true")
    return np.dtype(kind).type(rest.removeprefix("big-endian "))


def _attributes(notes: Mapping[str, str], start: str) -> dict[str, Any]:
    """The attributes that notes have behind such a beginning of their names."""
    return {key[len(start) :]: _attribute(text) for key, text in notes.items() if key.startswith(start)}


def _kind_of(schema: Any) -> str:
    """What the object is: "table", "array", "vectors", "scalar" or "histogram"."""
    notes = (field.metadata for field in schema)
    return next((known["lh5.object"] for known in notes if "lh5.object" in known), "table")


def _attrs_of(field: Any) -> dict[str, Any]:
    """The attributes of a column."""
    known = field.metadata
    found = {key: known[key] for key in ("units", "description") if key in known}
    found |= _attributes(known, "lh5.attribute.")
    if "lh5.codec" in known:
        found["codec"] = known["lh5.codec"]
    datatype = known.get("lh5.datatype")
    if datatype is None:
        return found
    for encoded, decoded in (
        ("array_of_encoded_equalsized_arrays", "array_of_equalsized_arrays"),
        ("array<1>{encoded_array<1>{", "array<1>{array<1>{"),
    ):
        datatype = datatype.replace(encoded, decoded)
    return found | {"datatype": datatype}


class _Reader:
    """A table, an array, a histogram or a scalar of a file."""

    def __init__(self, types: Any, table: Table, mask: Any) -> None:
        self.types = types
        self.table = table
        self.rows: Any = None
        self.range = (0, len(table))
        schema = table.query().schema
        self.notes = schema.metadata
        self.fields = {field.name: field for field in schema}
        self.kind = _kind_of(schema)
        self.tree: dict[str, Any] = {}
        for name in self.fields if self.kind == "table" else ():
            *groups, last = name.split(".")
            inside = self.tree
            for group in groups:
                inside = inside.setdefault(group, {})
            inside[last] = name
        self.mask = _mask(mask)

    def select(self, start: int, n: int, idx: Any, where: Any, params: Params) -> None:
        """Choose the rows."""
        rows = None if idx is None else _rows(idx)
        if where is not None:
            import numpy as np

            passing = self.table._passing(where, params)
            rows = passing if rows is None else np.intersect1d(rows, passing)
        if rows is None:
            first = min(start, len(self.table))
            self.range = first, min(first + n, len(self.table))
            return
        rows = rows[rows >= start][:n]
        if len(rows) and rows[-1] >= len(self.table):
            raise IndexError(f"row {rows[-1]} of {len(self.table)} rows")
        self.rows = rows

    def _values(self, name: str) -> _Part:
        import numpy as np

        stored = self.fields[name].metadata.get("lh5.stored", "")
        column = self.table[name]
        if self.rows is None:
            first, stop = self.range
            if first == stop:
                return _part(np, column.read(0, 0), stored)
            with self.table.query(columns=[name], rows=slice(first, stop)).read() as reader:
                return _join(np, [_part(np, batch[name], stored) for batch in reader])
        parts = []
        for block in _values.blocks(np, self.rows):
            first, stop = int(block[0]), int(block[-1]) + 1
            part = _part(np, column.read(first, stop), stored)
            parts.append(part if len(block) == stop - first else _take(np, part, block - first))
        return _join(np, parts) if parts else _part(np, column.read(0, 0), stored)

    def read(self) -> Any:
        """The object."""
        if self.kind == "histogram":
            return self._histogram()
        if self.kind == "table":
            return self._table(self.tree, "", *self.mask)
        (name,) = self.fields
        if self.kind == "scalar":
            values = self._values(name).values
            value = values.astype(values.dtype.str)[0]  # int64, which the platform has by two names
            return self.types.Scalar(value, attrs=_attrs_of(self.fields[name]))
        return self._column(name)

    def _table(self, tree: dict[str, Any], place: str, mask: dict[str, bool], default: bool) -> Any:
        columns: dict[str, Any] = {}
        for name, inner, whole in _selected(tree, mask, default):
            if isinstance(tree[name], dict):
                inside = f"{place}.{name}" if place else name
                columns[name] = self._table(tree[name], inside, inner, whole)
            else:
                columns[name] = self._column(tree[name])
        if set(columns) == {"t0", "dt", "values"}:
            return self.types.WaveformTable(**columns)
        attrs = _attributes(self.notes, f"lh5.part.{place}/")
        attrs["datatype"] = "table{" + ",".join(columns) + "}"
        return self.types.Table(col_dict=columns, attrs=attrs)

    def _column(self, name: str) -> Any:
        field, part = self.fields[name], self._values(name)
        attrs = _attrs_of(field)
        if part.lengths is not None:
            return self._vectors(part, field, attrs)
        values = part.values if part.values.flags.writeable else part.values.copy()
        kind = attrs.get("datatype", "")
        if kind.startswith("array_of_equalsized_arrays<"):
            dims = tuple(map(int, kind[kind.index("<") + 1 : kind.index(">")].split(",")))
            return self.types.ArrayOfEqualSizedArrays(dims=dims, nda=values, attrs=attrs)
        if kind.startswith("fixedsize_array<"):
            return self.types.FixedSizeArray(nda=values, attrs=attrs)
        if kind.endswith("{detectorid}"):
            return self.types.ArrayOfDetectorIDs(nda=values, attrs=attrs)
        return self.types.Array(nda=values, attrs=attrs)

    def _vectors(self, part: _Part, field: Any, attrs: dict[str, Any]) -> Any:
        import numpy as np

        inner = field[0]
        if part.values.lengths is not None:
            flat = self._vectors(part.values, inner, _attrs_of(inner))
        else:
            flat = self.types.Array(np.array(part.values.values), attrs=_attrs_of(inner) or None)
        stored = field.metadata.get("lh5.lengths", "uint32")
        ends = self.types.Array(np.cumsum(part.lengths).astype(stored))
        return self.types.VectorOfVectors(flattened_data=flat, cumulative_length=ends, attrs=attrs)

    def _histogram(self) -> Any:
        import numpy as np

        columns = self.table.to_numpy()
        axes = [name.removesuffix(".low") for name in columns if name.endswith(".low")]
        notes = [self.fields[f"{axis}.low"].metadata for axis in axes]
        shape = [int(note["lh5.bins"]) for note in notes]
        weights = columns["weight"].reshape(shape)
        binning = []
        for i, (axis, note) in enumerate(zip(axes, notes)):
            line = [0] * len(axes)
            line[i] = slice(None)  # type: ignore[call-overload]
            low, high = (columns[f"{axis}.{end}"].reshape(shape)[tuple(line)] for end in ("low", "high"))
            closed = np.bool_(note.get("lh5.closedleft") != "false")
            own = {"units": note["units"]} if "units" in note else None
            if "lh5.spaced" in note:
                first, last = low[0], high[-1]
                step = (last - first) / len(low)
                made = self.types.Histogram.Axis(None, first, last, step, closed, own)
            else:
                made = self.types.Histogram.Axis(np.append(low, high[-1:]), None, None, None, closed, own)
            binning.append(made)
        field = self.fields["weight"]
        return self.types.Histogram(
            self.types.Array(np.ascontiguousarray(weights), attrs=_attrs_of(field) or None),
            binning=binning, isdensity=np.bool_(field.metadata.get("lh5.isdensity") == "true"),
        )  # fmt: skip


# --- listing -------------------------------------------------------------------------------------


class _Node(NamedTuple):
    datatype: str
    attrs: dict[str, Any]
    parts: dict[str, Any]


def _inside(datatype: str) -> dict[str, _Node]:
    """The objects that an object of vectors, or an encoded one, consists of."""
    plain = _Node("array<1>{real}", {}, {})
    if datatype.startswith("array<1>{array<1>{"):
        inner = datatype[len("array<1>{") : -1]
        return {"cumulative_length": plain, "flattened_data": _Node(inner, {}, _inside(inner))}
    if "encoded" in datatype:
        size = "real" if "equalsized" in datatype else "array<1>{real}"
        data = "array<1>{array<1>{real}}"
        return {"decoded_size": _Node(size, {}, {}), "encoded_data": _Node(data, {}, _inside(data))}
    return {}


def _leaf(field: Any) -> _Node:
    datatype = field.metadata.get("lh5.datatype", "array<1>{real}")
    attrs = _attrs_of(field)
    attrs.pop("datatype", None)
    return _Node(datatype, attrs, _inside(datatype))


def _bins(fields: Any) -> dict[str, Any]:
    axes = {}
    for field in fields:
        if field.name.endswith(".low"):
            edges = "struct{first,last,step}" if "lh5.spaced" in field.metadata else "array<1>{real}"
            parts = {word: _Node("real", {}, {}) for word in ("first", "last", "step")}
            axes[field.name[:-4]] = _Node("struct{binedges,closedleft}", {}, {
                "binedges": _Node(edges, {}, parts if "struct" in edges else {}),
                "closedleft": _Node("bool", {}, {})})  # fmt: skip
    weight = next(field for field in fields if field.name == "weight")
    return {"binning": _Node("struct{" + ",".join(axes) + "}", {}, axes),
            "isdensity": _Node("bool", {}, {}), "weights": _leaf(weight)}  # fmt: skip


def _of_table(table: Table) -> _Node:
    schema = table.query().schema
    fields = list(schema)
    kind = _kind_of(fields)
    if kind == "histogram":
        return _Node("struct{binning,isdensity,weights}", {}, _bins(fields))
    if kind != "table":
        return _leaf(fields[0])

    def attrs(place: str) -> dict[str, Any]:
        return _attributes(schema.metadata, f"lh5.part.{place}/")

    own = attrs("")
    root = _Node(own.pop("datatype", "table"), own, {})
    for field in fields:
        *groups, last = field.name.split(".")
        node = root
        for i, group in enumerate(groups):
            if group not in node.parts:
                known = attrs(".".join(groups[: i + 1]))
                node.parts[group] = _Node(known.pop("datatype", "table"), known, {})
            node = node.parts[group]
        node.parts[last] = _leaf(field)
    return root


def _forest(lh5_file: Any) -> _Node:
    """All objects of a file, by their names."""
    (path,) = _names(lh5_file)
    root = _Node("", {}, {})
    for found in list_objects(path):
        if found.layout != "lh5":
            continue
        *groups, last = found.path.strip("/").split("/")
        node = root
        for group in groups:
            node = node.parts.setdefault(group, _Node("", {}, {}))
        with open_place(path, found.path) as table:
            node.parts[last] = _of_table(table)
    return root


def _datatype(node: _Node) -> str:
    return node.datatype or "struct{" + ",".join(sorted(node.parts)) + "}"


def ls(lh5_file: Path, lh5_group: str = "", recursive: bool = False) -> list[str]:
    """The names of objects in a file, or in a group of it.

    Args:
        lh5_file: the file.
        lh5_group: a pattern of paths; with a "/" at its end it lists what is in the groups.
        recursive: also all objects inside.
    """
    return _listed(_forest(lh5_file), lh5_group.removeprefix("/"), recursive)


def _listed(node: _Node, pattern: str, recursive: bool) -> list[str]:
    head, slash, rest = (pattern or "*").partition("/")
    keys = fnmatch.filter(sorted(node.parts), head)
    found = [f"{key}/{name}" for key in keys for name in _listed(node.parts[key], rest, False)] \
        if slash else keys  # fmt: skip
    if not recursive:
        return found
    more = list(found)
    for name in found:
        more += _listed(node, f"{name}/", True)
    return more


def show(
    lh5_file: Path,
    lh5_group: str = "/",
    attrs: bool = False,
    indent: str = "",
    header: bool = True,
    depth: int | None = None,
    detail: bool = False,
) -> None:
    """Print the objects of a file with their datatypes, as a tree.

    Args:
        lh5_file: the file.
        lh5_group: the group to print.
        attrs: print their attributes, too.
        indent: a text before each line.
        header: print the name of the group.
        depth: the most levels.
        detail: must be False; the storage of columns is `pystoa.open(...).storage`.
    """
    if detail:
        raise ArgumentError("detail=True is not done; pystoa.open(...).storage says how columns lie")
    node = _forest(lh5_file)
    for name in lh5_group.strip("/").split("/") if lh5_group.strip("/") else ():
        if name not in node.parts:
            raise NotFoundError(f"there is no group {lh5_group!r}", _names(lh5_file)[0])
        node = node.parts[name]
    if depth is not None and depth <= 0:
        return
    if header:
        print(f"\033[1m{lh5_group}\033[0m")
    _print(node, attrs, indent, depth)


def _print(node: _Node, attrs: bool, indent: str, depth: int | None) -> None:
    if not node.parts:
        print(f"{indent}└──  empty")
    for i, name in enumerate(sorted(node.parts)):
        part = node.parts[name]
        is_last = i == len(node.parts) - 1
        told = f"── {part.attrs}" if attrs and part.attrs else ""
        print(f"{indent}{'└──' if is_last else '├──'} \033[1m{name}\033[0m · {_datatype(part)} {told}")
        if part.parts and (depth is None or depth > 1):
            _print(part, attrs, indent + ("    " if is_last else "│   "), depth and depth - 1)


# --- writing -------------------------------------------------------------------------------------


def write(
    obj: Any,
    name: str,
    lh5_file: Path,
    group: str = "/",
    start_row: int = 0,
    n_rows: int | None = None,
    wo_mode: str = "append",
    write_start: int = 0,
    page_buffer: int = 0,
    **h5py_kwargs: Any,
) -> None:
    """Write an LGDO into a file. Each table, array and scalar is written wholly or not at all.

    Args:
        obj: a Table, an Array, a VectorOfVectors, a Scalar, or a Struct of these.
        name: its name.
        lh5_file: the file, which is made if there is none.
        group: the group that it goes to.
        start_row: the first row of `obj` to write.
        n_rows: how many; None: all.
        wo_mode: "write_safe", "append", "overwrite", "overwrite_file" or "append_column", or their
            initials w, a, o, of and ac.
        write_start: must be 0: objects are overwritten as a whole.
        page_buffer: without effect.
        h5py_kwargs: `compression`, "gzip" or None, and `compression_opts`, 1 to 9.

    Raises:
        ValueError: a mode that there is not, or an object that has no place in LH5.
        FileExistsError: "write_safe", and the name is in use.
    """
    types = _lgdo()
    mode = _MODES.get(wo_mode, wo_mode)
    if mode not in _MODES.values():
        raise ArgumentError(f"wo_mode {wo_mode!r} is none of {', '.join(_MODES.values())}")
    if write_start:
        raise ArgumentError("write_start is 0: an object is overwritten as a whole")
    filters = _filters(**h5py_kwargs)
    place = "/" + "/".join(part for part in (*group.split("/"), *name.split("/")) if part)
    if isinstance(obj, types.Struct) and not isinstance(obj, types.Table):
        if isinstance(obj, types.Histogram):
            raise ArgumentError("a histogram is not written; pystoa.convert() copies those of files")
        for key, part in obj.items():
            write(part, str(key), lh5_file, place, start_row, n_rows, mode, **h5py_kwargs)
            mode = "append" if mode == "overwrite_file" else mode
        return
    stop = None if n_rows is None else start_row + n_rows
    table, codecs = _arrow(types, obj, place.rpartition("/")[2], slice(start_row, stop))
    codec = ",".join(filters + codecs) or None
    _write_arrow(os.fsdecode(lh5_file), place, table, codec, mode, isinstance(obj, types.Scalar))


def _filters(compression: Any = "", compression_opts: int = 4, **others: Any) -> list[str]:
    """What h5py's options say in the words of Stoa's codecs."""
    if others or compression not in ("", "gzip", None):
        given = ", ".join(others) or f"compression={compression!r}"
        raise ArgumentError(f"of h5py's options only compression='gzip' or None is taken, not {given}")
    if compression == "":
        return []
    return ["none" if compression is None else f"deflate:{compression_opts}"]


def _write_arrow(
    file: str, place: str, table: Any, codec: str | None, mode: str, is_scalar: bool
) -> None:
    options: dict[str, Any] = {"layout": "lh5", "codec": codec}
    if mode == "overwrite_file":
        handle, new = tempfile.mkstemp(".lh5", dir=os.path.dirname(os.path.abspath(file)))
        os.close(handle)
        os.unlink(new)
        try:
            write_table(new, place, table, **options)
            os.replace(new, file)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(new)
        return
    there: Table | None = None
    if os.path.exists(file):
        with contextlib.suppress(NotFoundError):
            there = open_place(file, place)
    if there is not None:
        with there:
            if mode == "append" and not is_scalar:
                there.append(table)
                return
            if mode == "append_column":
                table = _with_columns(there, table)
    elif mode == "append_column":
        raise NotFoundError("there is no table that takes columns", f"{file}:{place}")
    write_table(file, place, table, replace=mode != "write_safe" and there is not None, **options)


def _with_columns(table: Table, more: Any) -> Any:
    """The rows of a table with further columns."""
    found = table.to_arrow()
    if len(found) != len(more):
        raise ArgumentError(f"the columns have {len(more)} rows, and the table has {len(found)}",
                            table._place)  # fmt: skip
    notes = dict(found.schema.metadata or {})
    notes.pop(b"lh5.part./datatype", None)  # the list of the old columns
    for i, field in enumerate(more.schema):
        if field.name in found.column_names:
            raise ExistsError(f"there is a column {field.name!r} already", table._place)
        found = found.append_column(field, more.column(i))
    return found.replace_schema_metadata(notes)


def _text(value: Any) -> str:
    """An attribute as a text."""
    import numpy as np

    if isinstance(value, str):
        return f"string {value}"
    known = np.asarray(value)
    if known.dtype == bool:
        return f"bool {str(bool(value)).lower()}"
    if known.ndim or known.dtype.kind not in "iuf":
        raise ArgumentError(f"an attribute is a text, a number or a bool, not {value!r}")
    return f"{known.dtype.name} {value}"


def _notes(attrs: Mapping[str, Any]) -> dict[str, str]:
    notes = {}
    for key, value in attrs.items():
        if key == "datatype":
            notes["lh5.datatype"] = value
        elif key in ("units", "description"):
            notes[key] = str(value)
        elif key not in ("compression", "hdf5_settings"):
            notes[f"lh5.attribute.{key}"] = _text(value)
    return notes


def _arrow(types: Any, obj: Any, name: str, rows: slice) -> tuple[Any, list[str]]:
    """A pyarrow.Table of an object, and the codecs that its columns ask for."""
    import pyarrow as pa

    fields: list[Any] = []
    arrays: list[Any] = []
    codecs: list[str] = []
    notes: dict[str, str] = {}

    def add(column: Any, path: str, **more: str) -> None:
        array = _arrow_of(pa, types, column, rows)
        known = _notes(column.attrs) | more
        fields.append(pa.field(path, array.type, metadata=known))
        arrays.append(array)
        codec = getattr(column.attrs.get("compression"), "codec", None)
        if isinstance(codec, str):
            codecs.append(f"{path}={codec}")

    def add_table(table: Any, place: str) -> None:
        for key, value in table.attrs.items():
            notes[f"lh5.part.{place}/{key}"] = _text(value)
        for key, column in table.items():
            path = f"{place}.{key}" if place else str(key)
            if isinstance(column, types.Table):
                add_table(column, path)
            else:
                add(column, path)

    if isinstance(obj, types.Table):
        add_table(obj, "")
    elif isinstance(obj, types.Scalar):
        add(obj, name, **{"lh5.object": "scalar"})
    else:
        kind = "vectors" if isinstance(obj, types.VectorOfVectors) else "array"
        add(obj, name, **{"lh5.object": kind})
    return pa.table(arrays, schema=pa.schema(fields, metadata=notes)), codecs


def _arrow_of(pa: Any, types: Any, column: Any, rows: slice) -> Any:
    import numpy as np

    if isinstance(column, types.Scalar):
        value = column.value
        return pa.array([value.decode() if isinstance(value, bytes) else value])
    if isinstance(column, types.VectorOfVectors):
        ends = np.asarray(column.cumulative_length)
        first, stop, _ = rows.indices(len(ends))
        offsets = np.concatenate([[0], ends])[first : max(first, stop) + 1].astype("i8")
        items = _arrow_of(pa, types, column.flattened_data, slice(int(offsets[0]), int(offsets[-1])))
        return pa.LargeListArray.from_arrays(pa.array(offsets - offsets[0]), items)
    values = getattr(column, "nda", None)
    if not isinstance(values, np.ndarray):
        raise ArgumentError(f"a {type(column).__name__} is not written")
    values = values[rows]
    if values.dtype.kind == "c":
        parts = [pa.array(np.ascontiguousarray(part)) for part in (values.real, values.imag)]
        return pa.StructArray.from_arrays(parts, names=["r", "i"])
    if values.dtype.kind in "SUO":
        return pa.array([v.decode() if isinstance(v, bytes) else str(v) for v in values.tolist()])
    if values.ndim == 1:
        return pa.array(values)
    flat = pa.array(np.ascontiguousarray(values).reshape(-1))
    array = pa.FixedSizeListArray.from_arrays(flat, int(np.prod(values.shape[1:])))
    if values.ndim > 2:
        kind = pa.fixed_shape_tensor(flat.type, values.shape[1:])
        return pa.ExtensionArray.from_storage(kind, array)
    return array
