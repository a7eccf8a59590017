"""read_hdf() with the signature of pandas.read_hdf(), and equal frames.

    from pystoa.pandas import read_hdf

    frame = read_hdf("store.h5", "events", where="energy > 5000 & det == 7", columns=["energy"])

It runs on Stoa's scan and its search indexes, needs no PyTables, and calls nothing that a file names.
"""

from __future__ import annotations

import datetime
import io
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from . import _values
from ._errors import ArgumentError, DataError, FileMissingError
from ._expressions import Expression
from ._files import ls
from ._files import open as open_place
from ._paths import Path
from ._where import Condition, Field, Translator

if TYPE_CHECKING:
    from ._pystoa import Array, Schema
    from ._table import Table

__all__ = ["read_hdf"]

_CHUNK = 100_000  # rows, as in pandas
_ORDINAL_OF_1970 = 719163
_MADE = "made by its layout"  # the datatype of what lies in a pickle


def read_hdf(
    path_or_buf: Path,
    key: str | None = None,
    mode: str = "r",
    errors: str = "strict",
    where: Any = None,
    start: int | None = None,
    stop: int | None = None,
    columns: list[Any] | None = None,
    iterator: bool = False,
    chunksize: int | None = None,
    *,
    map: bool = False,
) -> Any:
    """Read a DataFrame or a Series that pandas wrote, as pandas.read_hdf() does.

    Tables of other layouts are read, too: their row labels are the index.

    Args:
        path_or_buf: the file.
        key: the object in it; None: the only one.
        mode: "r", "r+" or "a"; the file is only read.
        errors: "strict"; texts are UTF-8.
        where: a condition in pandas' language, a list of these, which all must hold, or a list of
            row numbers or bools. Any column may be named, data column or not. Variables are those
            of the caller.
        start: the first row that is looked at, from 0; negative: from the end.
        stop: the row behind the last one.
        columns: labels of the columns to read.
        iterator: return an iterator over frames.
        chunksize: rows in each of them; None: 100,000.
        map: read from a memory map, see pystoa.open(); pandas has no such argument.

    Returns:
        A DataFrame, a Series, or an iterator of these.

    Raises:
        FileNotFoundError: there is no such file.
        KeyError: there is no such object.
        ValueError: the condition cannot be understood, or the object holds pickled Python objects
            of classes that are not plain values.
    """
    if mode not in ("r", "r+", "a"):
        raise ArgumentError(f"mode is 'r', 'r+' or 'a', not {mode!r}")
    if errors != "strict":
        raise ArgumentError(f"errors is 'strict', not {errors!r}; pandas.read_hdf() has the others")
    if not isinstance(path_or_buf, (str, os.PathLike)):
        raise TypeError(f"expected the name of a file, not {type(path_or_buf).__name__}")
    path = os.fsdecode(path_or_buf)
    if not os.path.exists(path):
        raise FileMissingError(f"File {path} does not exist")
    caller = sys._getframe(1)
    scopes = [caller.f_locals, caller.f_globals, _default_scope()]
    name = _only_key(path) if key is None else "/" + key.strip("/")
    frame = _Frame(open_place(path, name, map=map, strict=True))
    lazily = iterator or chunksize is not None
    try:
        select = _Selection(frame, where, scopes, start, stop, columns)
        if lazily:
            return select.chunks(_CHUNK if chunksize is None else int(chunksize))
        return select.all()
    finally:
        if not lazily:
            frame.table.close()


def _default_scope() -> dict[str, Any]:
    import pandas as pd

    return {"Timestamp": pd.Timestamp, "Timedelta": pd.Timedelta, "datetime": datetime.datetime,
            "list": list, "tuple": tuple, "inf": float("inf"), "Inf": float("inf"), "pd": pd}  # fmt: skip


def _only_key(path: str) -> str:
    tables = [found.path for found in ls(path) if found.layout in ("pandas", "hep001")]
    if len(tables) != 1:
        raise ArgumentError(f"key must say which object is read: there are {len(tables)}", path)
    return tables[0]


# --- pickles -------------------------------------------------------------------------------------

# What arrays of plain objects consist of. Stoa opens no table with others.
_PLAIN = {
    "datetime": {"date"},
    "decimal": {"Decimal"},
    "numpy": {"ndarray", "dtype"},
    "numpy.core.multiarray": {"_reconstruct"},
    "numpy._core.multiarray": {"_reconstruct"},
    "pandas": {"NA"},
    "pandas._libs.missing": {"NA"},
    "pandas._libs.tslibs.nattype": {"_nat_unpickle", "__nat_unpickle"},
}


class _Unpickler(pickle.Unpickler):
    """Makes plain values only, so that a file from a stranger calls nothing."""

    def find_class(self, module: str, name: str) -> Any:
        if name not in _PLAIN.get(module, ()):
            raise DataError(f"the pickle needs {module}.{name}, which pystoa does not call; "
                            "pandas.read_hdf() does")  # fmt: skip
        return super().find_class(module, name)


class _Notes(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(name)


def _notes_of(text: Any) -> dict[str, Any]:
    """What `stoa_pandas_frame` says (docs/layouts/pandas.md); other content says nothing."""
    try:
        notes = _Notes(io.BytesIO(str(text).encode("utf-8", "surrogateescape"))).load()
    except Exception:
        return {}
    return notes if isinstance(notes, dict) else {}


def _label(value: Any) -> Any:
    """A label of a column or a category."""
    import pandas as pd

    if isinstance(value, tuple):
        return tuple(map(_label, value))
    if not isinstance(value, dict) or len(value) != 1:
        return value
    (kind, count), = value.items()  # fmt: skip
    if kind == "date":
        return datetime.date.fromordinal(_ORDINAL_OF_1970 + count)
    if kind.startswith("period["):
        return pd.Period(ordinal=count, freq=kind[7:-1])
    unit, _, zone = kind[kind.index("[") + 1 : -1].partition(", ")
    if kind.startswith("timedelta64"):
        return pd.Timedelta(count, unit=unit).as_unit(unit)
    moment = pd.Timestamp(count, unit=unit).as_unit(unit)
    return moment.tz_localize("UTC").tz_convert(zone) if zone else moment


# --- values --------------------------------------------------------------------------------------


def _text_is_str() -> bool:
    """Whether pandas makes its own type of texts."""
    import pandas as pd

    try:
        return bool(pd.get_option("future.infer_string"))
    except KeyError:
        return False


def _mask_of(np: Any, parts: list[Array]) -> Any:
    """Which values are missing; None: none."""
    if not any(part.null_count for part in parts):
        return None
    masks = [np.zeros(len(part), dtype=bool) if (mask := part._mask()) is None
             else np.frombuffer(mask, dtype=bool) for part in parts]  # fmt: skip
    return _values.joined(np, masks)


def _categorical(np: Any, pd: Any, field: Schema, parts: list[Array]) -> Any:
    codes = _values.joined(np, [np.asarray(memoryview(part)) for part in parts]).astype("i8")
    mask = _mask_of(np, parts)
    if mask is not None:
        codes[mask] = -1
    dictionary = parts[0].dictionary
    assert dictionary is not None
    labels = _plain(np, pd, dictionary.schema, [dictionary])
    if dictionary.schema.format in "uU":
        labels = pd.Index(labels)  # pandas' own type of texts, if it has one
    return pd.Categorical.from_codes(codes, categories=labels, ordered=field.ordered)


def _times(np: Any, pd: Any, format: str, values: Any, mask: Any) -> Any:
    if mask is not None:
        values = _values.unmasked(np, np.ma.MaskedArray(values, mask))
    zone = format[4:] if format.startswith("ts") else ""
    if not zone:
        return values
    return pd.DatetimeIndex(values).tz_localize("UTC").tz_convert(zone)


def _plain(np: Any, pd: Any, field: Schema, parts: list[Array]) -> Any:
    """The values of a column as pandas has them."""
    format = field.format
    if field.dictionary is not None:
        return _categorical(np, pd, field, parts)
    mask = _mask_of(np, parts)
    if format in "uUzZ":
        items = _values._objects(np, [item for part in parts for item in part.to_list()])
        if mask is not None:
            items[mask] = np.nan
        return items
    values = _values.joined(np, [np.ma.getdata(_values.view(np, part)) for part in parts])
    if format == "tdD":
        return _times(np, pd, format, values.astype("M8[s]"), mask)
    if format[0] == "t":
        return _times(np, pd, format, values, mask)
    if format == "+s" and [f.name for f in field] == ["r", "i"]:
        real, imaginary = (np.ma.filled(values[name], np.nan) for name in ("r", "i"))
        values = _values.complexes(np, real, imaginary)
    elif format.startswith("+"):
        values = _values._objects(np, [item for part in parts for item in part.to_list()])
    if mask is None:
        return values if values.flags.writeable else values.copy()
    return _values.unmasked(np, np.ma.MaskedArray(values, mask))


# --- frames --------------------------------------------------------------------------------------


class _Frame:
    """A table, with what it says of the frame that it was."""

    def __init__(self, table: Table) -> None:
        self.table = table
        attrs = table.attrs
        self.notes = _notes_of(attrs.get("stoa_pandas_frame", ""))
        self.missing = str(attrs.get("nan_rep", "nan"))
        self.has_own_missing = self.missing == "N."  # a pickle of None, by pandas 3.1
        self.pandas_type = str(attrs.get("pandas_type", ""))
        self.index = table.index_columns
        self.names = [name for name in table.columns if name not in self.index]
        said = self._dict("columns")
        self.labels = [_label(said.get(name, name)) for name in self.names]
        self.fields = {field.name: field for field in table.schema}
        self.is_series = self.notes.get("type") == "series" and len(self.names) == 1

    def _dict(self, key: str) -> dict[str, Any]:
        found = self.notes.get(key)
        return found if isinstance(found, dict) else {}

    # --- the index -------------------------------------------------------------------------------

    def index_names(self) -> list[Any]:
        """The names of the index or of its levels; None: it has none."""
        said = self.notes.get("index")
        if isinstance(said, list) and len(said) == len(self.index):
            return [_label(name) for name in said]
        unnamed = ["index"] if len(self.index) == 1 else [f"level_{i}" for i in range(len(self.index))]
        return [None if name == own else name for name, own in zip(self.index, unnamed)]

    def _frequency(self) -> Any:
        said = self.notes.get("freq")
        return said[0] if isinstance(said, list) and said else None

    def _level(self, np: Any, pd: Any, name: str, values: Any) -> Any:
        """The index that has such values."""
        dtype = str(self._dict("dtypes").get(name, ""))
        if getattr(values, "dtype", None) == object and self.is_pickled(name):
            return pd.Index(values, dtype=object)
        if dtype.startswith("period["):
            moments = pd.DatetimeIndex(values)
            return moments.to_period(dtype[7:-1])
        if dtype == "date":
            return pd.Index(pd.DatetimeIndex(values).date, dtype=object)
        frequency = self._frequency() if len(self.index) == 1 else None
        if getattr(values, "dtype", None) is not None and values.dtype.kind in "mM":
            zone = getattr(values, "tz", None)
            if zone is not None:
                values = values.tz_convert("UTC").tz_localize(None)
            make = pd.TimedeltaIndex if values.dtype.kind == "m" else pd.DatetimeIndex
            try:
                index = make(values, freq=frequency)
            except ValueError:  # rows are left out
                index = make(values)
            return index if zone is None else index.tz_localize("UTC").tz_convert(zone)
        if self.fields[name].format in "uU":
            return pd.Index(values, dtype="str" if _text_is_str() else object)
        return pd.Index(values)

    def make_index(self, np: Any, pd: Any, values: dict[str, Any], n: int) -> Any:
        """The index of rows."""
        if not self.index:
            return pd.RangeIndex(n)
        names = self.index_names()
        levels = [values[name] for name in self.index]
        kinds = self._dict("dtypes")
        if len(levels) > 1 and all(isinstance(level, pd.Categorical) and kinds.get(name) != "category"
                                   for name, level in zip(self.index, levels)):  # fmt: skip
            return pd.MultiIndex([level.categories for level in levels],
                                 [level.codes for level in levels], names=names)  # fmt: skip
        levels = [self._level(np, pd, name, values[name]) for name in self.index]
        if len(levels) == 1:
            return levels[0].rename(names[0])
        return pd.MultiIndex.from_arrays(levels, names=names)

    # --- the columns -----------------------------------------------------------------------------

    def make_columns(self, pd: Any, labels: list[Any]) -> Any:
        """The axis of columns."""
        names = self.notes.get("names")
        names = [_label(name) for name in names] if isinstance(names, list) else []
        if len(names) > 1 and all(isinstance(x, tuple) and len(x) == len(names) for x in labels):
            return pd.MultiIndex.from_tuples(labels, names=names)
        axis = self._dict("axis")
        whole = len(labels) == len(self.labels) == axis.get("n")
        dtype = axis.get("dtype")
        index = pd.Index(labels, tupleize_cols=False)
        if dtype is not None and str(index.dtype) != dtype:
            index = index.astype(dtype)
        if whole and "freq" in axis and index.dtype.kind in "mM":
            index = type(index)(index, freq=axis["freq"])
        return index.rename(names[0]) if names else index

    def make(self, values: dict[str, Any], names: list[str], n: int) -> Any:
        """The DataFrame or the Series of these values."""
        import numpy as np
        import pandas as pd

        index = self.make_index(np, pd, values, n)
        label_of = dict(zip(self.names, self.labels))
        labels = [label_of[name] for name in names]
        strings = self._dict("strings")
        made = {}
        for i, name in enumerate(names):
            column = values[name]
            if strings.get(name) in ("string", "str"):
                column = pd.array(column, dtype=strings[name])
            made[i] = pd.Series(column, index=index, copy=False)
        if self.is_series:
            label = labels[0]
            unnamed = "columns" not in self.notes and label == "values"
            return made[0].rename(None if unnamed else label)
        frame = pd.DataFrame(made, index=index, copy=False)
        frame.columns = self.make_columns(pd, labels)
        return frame

    def missing_text(self, name: str) -> str:
        """The text that stands for missing ones of a column."""
        if not self.has_own_missing:
            return self.missing
        with open_place(self.table.path, f"{self.table.object}/table") as rows:
            return str(rows.attrs.get(f"{name}_nan_rep", "nan"))

    def is_pickled(self, name: str) -> bool:
        """Whether the values are Python objects of a pickle, of which Stoa shows their texts."""
        return (self.pandas_type in ("frame", "series")
                and name not in self._dict("strings")
                and (self.fields[name].format[0] not in "t+" or self._are_dates(name))
                and self.fields[name].dictionary is None
                and self.table._storage(name)["datatype"] == _MADE)  # fmt: skip

    def _are_dates(self, name: str) -> bool:
        """Whether the values are dates among objects; those of an index are numbers."""
        return self.fields[name].format == "tdD" and name not in self.index

    def objects(self, names: list[str]) -> dict[str, Any]:
        """All rows of columns of Python objects, which lie in one pickle, and of such an index."""
        import numpy as np

        group = self.table.object
        if len(self.table) == 0:
            return {name: np.empty(0, dtype=object) for name in names}
        if names[0] in self.index:
            axis = "index" if self.pandas_type == "series" else "axis1"
            found = {names[0]: self._unpickled(f"{group}/{axis}")}
            return found | self.objects(names[1:]) if len(names) > 1 else found
        if self.pandas_type == "series":
            return {names[0]: self._unpickled(f"{group}/values").reshape(-1)}
        for i in range(int(self.table.attrs.get("nblocks", 0))):
            block = self._unpickled(f"{group}/block{i}_values")
            if block is not None and block.ndim == 2 and block.shape[1] == len(names):
                return {name: np.ascontiguousarray(block[:, j]) for j, name in enumerate(names)}
        raise DataError("the pickles of its objects are not those of its columns", self.table._place)

    def _unpickled(self, place: str) -> Any:
        with open_place(self.table.path, place) as table:
            if table.layout != "pytables" or table.schema[0].format not in "zZ":
                return None
            data = table[table.columns[0]][0]
        try:
            return _Unpickler(io.BytesIO(data)).load()
        except DataError as error:
            raise DataError(error.message, f"{self.table.path}:{place}") from None


class _Selection:
    """The rows and columns that a call asks for."""

    def __init__(
        self,
        frame: _Frame,
        where: Any,
        scopes: list[Any],
        start: int | None,
        stop: int | None,
        columns: list[Any] | None,
    ) -> None:
        self.frame = frame
        self.table = frame.table
        self.n_rows = len(self.table)
        self.first, self.stop, _ = slice(start, stop).indices(self.n_rows)
        self.stop = max(self.first, self.stop)
        self.rows: Any = None  # their numbers, if these are given
        self.filter: Expression | None = None
        chosen: Callable[[Any], bool] | None = None
        if where is not None:
            found = self._conditions(where, scopes)
            if found is not None:
                self.filter, chosen = found
        names, labels = frame.names, frame.labels
        if columns is not None and not frame.is_series:
            wanted = list(dict.fromkeys(columns))
            names = [name for label in wanted for name, own in zip(frame.names, frame.labels)
                     if own == label]  # fmt: skip
        if chosen is not None:
            known = dict(zip(frame.names, labels))
            names = [name for name in names if chosen(known[name])]
        self.names = names
        read = (frame.index if len(frame.index) == 1 else []) + frame.names
        self.pickled = [name for name in read if frame.is_pickled(name)]
        self.is_pickled = any(name in self.pickled for name in frame.index + self.names)

    # --- which rows ------------------------------------------------------------------------------

    def _conditions(self, where: Any, scopes: list[Any]) -> Condition | None:
        import numpy as np

        if isinstance(where, str):
            return self._translator(scopes).condition(where)
        if isinstance(where, dict) or not hasattr(where, "__iter__"):
            raise TypeError("where is a text, a list of texts, or row numbers, "
                            f"not {type(where).__name__}")  # fmt: skip
        items = list(where)
        if items and all(isinstance(item, (str, list, tuple)) for item in items):
            text = " & ".join(f"({item})" for item in _flat(items))
            return self._translator(scopes).condition(text)
        rows = np.asarray(items if items else np.empty(0, dtype="i8"))
        if rows.dtype == bool:
            if len(rows) != self.stop - self.first:
                raise ArgumentError(f"where has {len(rows)} bools for {self.stop - self.first} rows",
                                    self.table._place)  # fmt: skip
            self.rows = np.arange(self.first, self.stop)[rows]
        elif rows.dtype.kind in "iu":
            if len(rows) and (rows.min() < self.first or rows.max() >= self.stop):
                raise ArgumentError("where must have index locations >= start and < stop",
                                    self.table._place)  # fmt: skip
            self.rows = rows
        else:
            raise TypeError("where is a list of texts, or of row numbers")
        return None

    def _translator(self, scopes: list[Any]) -> Translator:
        frame = self.frame
        columns = {label: name for name, label in zip(frame.names, frame.labels)
                   if isinstance(label, str)}  # fmt: skip
        columns = {name: name for name in frame.index} | columns
        if len(frame.index) == 1:
            columns["index"] = frame.index[0]
        return Translator(columns, self._field, scopes)

    def _field(self, name: str) -> Field:
        field = self.frame.fields[name]
        if field.dictionary is not None:
            dictionary = self.table[name].read(0, 0).dictionary
            labels = dictionary.to_list() if dictionary is not None else []
            return Field(name, "category", labels, field.ordered)
        if field.format in "uU":
            return Field(name, "string", missing=self.frame.missing_text(name))
        kinds = {"tD": "timedelta", "ts": "datetime", "td": "datetime", "b": "bool"}
        number = "float" if field.format in "efg" else "integer"
        return Field(name, kinds.get(field.format[:2], number))

    # --- reading ---------------------------------------------------------------------------------

    def _needed(self) -> list[str]:
        return [name for name in self.frame.index + self.names if name not in self.pickled]

    def _plain(self, parts: dict[str, list[Array]]) -> dict[str, Any]:
        import numpy as np
        import pandas as pd

        return {name: _plain(np, pd, arrays[0].schema, arrays) for name, arrays in parts.items()}

    def _range(self, first: int, stop: int) -> dict[str, Any]:
        """Rows [first, stop)."""
        names = self._needed()
        if first >= stop or not names:
            return self._plain({name: [self.table[name].read(0, 0)] for name in names})
        with self.table.query(columns=names, rows=slice(first, stop)).read() as reader:
            batches = list(reader)
        return self._plain({name: [batch[name] for batch in batches] for name in names})

    def _numbers(self) -> Any:
        """The numbers of the rows that are asked for."""
        import numpy as np

        if self.rows is not None:
            return self.rows
        if self.filter is None:
            return np.arange(self.first, self.stop)
        rows = self.table._passing(self.filter)
        return rows[(rows >= self.first) & (rows < self.stop)]

    def all(self) -> Any:
        """One frame."""
        if self.is_pickled or self.rows is not None:
            return self._taken(self._numbers())
        frames = list(self._streamed(self.n_rows + 1))
        return frames[0] if frames else self.frame.make(self._range(0, 0), self.names, 0)

    def _streamed(self, size: int) -> Iterator[Any]:
        """Frames of so many rows."""
        if self.first == self.stop:
            return
        names = self._needed() or self.table.columns[:1]
        rows = slice(self.first, self.stop)
        parts: list[Array] = []
        n = 0
        with self.table.query(self.filter, columns=names, rows=rows).read() as reader:
            for batch in reader:
                at = 0
                while at < len(batch):
                    parts.append(batch[at : at + size - n])
                    at += len(parts[-1])
                    n += len(parts[-1])
                    if n == size:
                        yield self._of_batches(names, parts, n)
                        parts, n = [], 0
        if n:
            yield self._of_batches(names, parts, n)

    def _of_batches(self, names: list[str], parts: list[Array], n: int) -> Any:
        values = self._plain({name: [part[name] for part in parts] for name in names})
        return self.frame.make(values, self.names, n)

    def _taken(self, rows: Any) -> Any:
        """The frame of rows with these numbers, in their order."""
        first, stop = (int(rows.min()), int(rows.max()) + 1) if len(rows) else (0, 0)
        values = self._range(first, stop)
        if len(rows) != stop - first or (len(rows) > 1 and (rows[1:] <= rows[:-1]).any()):
            values = {name: items[rows - first] for name, items in values.items()}
        if self.is_pickled:
            objects = self.frame.objects(self.pickled)
            values |= {name: items[rows] for name, items in objects.items()}
        return self.frame.make(values, self.names, len(rows))

    def chunks(self, size: int) -> Iterator[Any]:
        """Frames of so many rows."""
        if size < 1:
            raise ArgumentError(f"chunksize is a number of rows, not {size}")
        return self._chunks(size)

    def _chunks(self, size: int) -> Iterator[Any]:
        with self.table:
            if self.rows is None and not self.is_pickled:
                yield from self._streamed(size)
                return
            rows = self._numbers()
            for i in range(0, len(rows), size):
                yield self._taken(rows[i : i + size])


def _flat(items: list[Any]) -> Iterator[str]:
    for item in items:
        if isinstance(item, (list, tuple)):
            yield from _flat(list(item))
        else:
            yield item
