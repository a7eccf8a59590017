"""Values between Python, NumPy and Arrow. NumPy is imported when it is asked for, not before."""

from __future__ import annotations

import array
import datetime
import json
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from ._errors import RangeError

_PER_SECOND = {"s": 1, "m": 1_000, "u": 1_000_000, "n": 1_000_000_000}
_UNIT_OF = {"s": "s", "m": "ms", "u": "us", "n": "ns"}
_EPOCH = datetime.datetime(1970, 1, 1)
_NUMBERS = frozenset("csilCSILefg")
_WIDTH = re.compile(r"string\[(\d+)\]")
_BLOCK = 65536  # rows that are read at once where single ones are wanted
_DAY_0 = datetime.date(1970, 1, 1)


# --- times ---------------------------------------------------------------------------------------


def _microseconds(ticks: int, letter: str) -> int:
    if letter == "n":
        if ticks % 1000:
            raise ValueError(
                f"{ticks} nanoseconds are no whole microseconds, which Python's times count; "
                "to_numpy() keeps them"
            )
        return ticks // 1000
    return ticks * (1_000_000 // _PER_SECOND[letter])


def time(format: str, ticks: int) -> Any:
    """A date, a time of day, a datetime or a timedelta.

    Raises:
        ValueError: Python has no such time.
    """
    try:
        return _time(format, ticks)
    except OverflowError:
        raise ValueError(f"{ticks} ticks are beyond Python's times; to_numpy() keeps them") from None


def _time(format: str, ticks: int) -> Any:
    if format == "tdD":
        return _DAY_0 + datetime.timedelta(days=ticks)
    length = datetime.timedelta(microseconds=_microseconds(ticks, format[2]))
    if format.startswith("tD"):
        return length
    if format.startswith("tt"):
        return (_EPOCH + length).time()
    zone = format[4:]
    if not zone:
        return _EPOCH + length
    moment = (_EPOCH + length).replace(tzinfo=datetime.timezone.utc)
    if zone in ("UTC", "Z", "+00:00"):
        return moment
    if zone[0] in "+-":
        return moment.astimezone(datetime.datetime.strptime(zone, "%z").tzinfo)
    import zoneinfo

    return moment.astimezone(zoneinfo.ZoneInfo(zone))


def decimal(scale: int, value: bytes) -> Any:
    """A Decimal of an integer in little-endian bytes."""
    import decimal

    number = int.from_bytes(value, "little", signed=True)
    digits = tuple(map(int, str(abs(number))))
    return decimal.Decimal((int(number < 0), digits, -scale))


def _ticks_of(length: datetime.timedelta) -> int:
    return length // datetime.timedelta(microseconds=1)


def _of_numpy_time(kind: str, value: Any) -> tuple[str, str, int] | None:
    np = sys.modules["numpy"]
    unit, count = np.datetime_data(value.dtype)
    if np.isnat(value):
        return None
    for wider, seconds in (("W", 604800), ("h", 3600), ("m", 60)):
        if unit == wider:
            unit, count = "s", count * seconds
    if unit in ("Y", "M"):
        value = value.astype("M8[D]")
        unit, count = "D", 1
    if unit not in ("D", "s", "ms", "us", "ns"):
        raise TypeError(f"a time in units of {unit} is no parameter")
    return kind, unit, int(value.astype("int64")) * count


def parameter(value: Any) -> Any:
    """A value of a query as one that C knows: a plain value, or (kind, unit, ticks) for a time."""
    if isinstance(value, tuple):  # (kind, unit, ticks) already
        return value
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return "timestamp", "us", _ticks_of(value - _EPOCH)
    if isinstance(value, datetime.date):
        return "timestamp", "D", (value - _DAY_0).days
    if isinstance(value, datetime.timedelta):
        return "duration", "us", _ticks_of(value)
    if isinstance(value, datetime.time):  # as a table holds it: since midnight
        return "duration", "us", _ticks_of(datetime.datetime.combine(_EPOCH, value) - _EPOCH)
    if type(value).__name__ == "Decimal":
        return int(value) if value == int(value) else float(value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        if value.dtype.kind == "M":
            return _of_numpy_time("timestamp", value)
        if value.dtype.kind == "m":
            return _of_numpy_time("duration", value)
        return value.item()
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if hasattr(value, "__index__"):
        return value.__index__()
    raise TypeError(f"{type(value).__name__} is no value of a query")


# --- Arrow to NumPy ------------------------------------------------------------------------------


def _masked(np: Any, values: Any, mask: bytes | None) -> Any:
    if mask is None:
        return values
    flags = np.frombuffer(mask, dtype=bool)
    if values.dtype.names is not None:
        flags = np.array([(flag,) * len(values.dtype.names) for flag in flags],
                         dtype=np.ma.make_mask_descr(values.dtype))  # fmt: skip
    elif values.ndim > 1:
        flags = np.broadcast_to(flags.reshape(-1, *[1] * (values.ndim - 1)), values.shape)
    return np.ma.MaskedArray(values, mask=flags)


def _objects(np: Any, items: list[Any]) -> Any:
    values = np.empty(len(items), dtype=object)
    values[:] = items
    return values


def _labels(np: Any, column: Any) -> Any:
    labels = view(np, column.dictionary)
    codes = np.asarray(memoryview(column))
    mask = column._mask()
    if mask is not None:
        codes = np.where(np.frombuffer(mask, dtype=bool), 0, codes)
    if len(labels) == 0:
        return np.zeros(len(codes), dtype=labels.dtype)
    return labels[codes]


def _shape_of(field: Any) -> list[int]:
    """The shape of each value of a fixed-size list: a tensor has more dimensions than one."""
    notes = field.metadata
    if notes.get("ARROW:extension:name") == "arrow.fixed_shape_tensor":
        return list(json.loads(notes["ARROW:extension:metadata"])["shape"])
    return [int(field.format[3:])]


def _lists(np: Any, column: Any) -> Any:
    values = np.empty(len(column), dtype=object)
    if len(column):
        items = view(np, column._items())
        ends = np.asarray(memoryview(column._offsets()))
        for i in range(len(values)):
            values[i] = items[ends[i] : ends[i + 1]]
    return values


def _structs(np: Any, column: Any) -> Any:
    return structured(np, {name: view(np, column[name]) for name in column.schema.names}, len(column))


def view(np: Any, column: Any) -> Any:
    """The values of an Array: its own memory where that has NumPy's form, which is read-only."""
    format = column.format
    if column.dictionary is not None:
        values = _labels(np, column)
    elif format == "b":
        values = np.frombuffer(column._bools(), dtype=bool)
    elif format == "tdD":
        values = np.asarray(memoryview(column)).astype("M8[D]")
    elif format.startswith("ts"):
        values = np.asarray(memoryview(column)).view(f"M8[{_UNIT_OF[format[2]]}]")
    elif format.startswith("tD"):
        values = np.asarray(memoryview(column)).view(f"m8[{_UNIT_OF[format[2]]}]")
    elif format.startswith("w:"):
        values = np.asarray(memoryview(column)).view(f"V{format[2:]}")
    elif is_number(column):
        values = np.asarray(memoryview(column))
    elif format.startswith("+w:"):
        values = view(np, column._items())
        values = values.reshape(len(column), *_shape_of(column.schema), *values.shape[1:])
    elif format in ("+l", "+L"):
        values = _lists(np, column)
    elif format == "+s":
        values = _structs(np, column)
    else:
        values = _objects(np, column.to_list())
    return _masked(np, values, column._mask())


def structured(np: Any, columns: dict[str, Any], n: int) -> Any:
    """Columns of n values as one structured array, masked if one of them is."""
    dtype = [(name, values.dtype, values.shape[1:]) for name, values in columns.items()]
    out = (np.ma if _some_masked(np, columns.values()) else np).empty(n, dtype=dtype)
    for name, values in columns.items():
        out[name] = values
    return out


def _some_masked(np: Any, arrays: Iterable[Any]) -> bool:
    return any(isinstance(values, np.ma.MaskedArray) for values in arrays)


def joined(np: Any, parts: list[Any]) -> Any:
    """Arrays one behind the other; one alone is itself."""
    if len(parts) == 1:
        return parts[0]
    return (np.ma if _some_masked(np, parts) else np).concatenate(parts)


def complexes(np: Any, real: Any, imaginary: Any) -> Any:
    """Complex numbers of the parts "r" and "i", as h5py and PyTables store them."""
    out = np.empty(real.shape, dtype="c8" if real.dtype == "f4" else "c16")
    out.real, out.imag = real, imaginary
    return out


def unmasked(np: Any, values: Any) -> Any:
    """Values as pandas has them without a mask: a missing one is NaN or NaT, or None in an array of objects."""
    mask = np.ma.getmaskarray(values)
    if mask.dtype.names is not None:  # of a structured array
        mask = np.array([all(row) for row in mask.tolist()], dtype=bool)
    kind = values.dtype.kind
    out = np.ma.getdata(values).astype("f8" if kind in "iu" else values.dtype if kind in "fcmM" else object)
    out[mask] = {"O": None, "m": "NaT", "M": "NaT"}.get(out.dtype.kind, np.nan)
    return out


def blocks(np: Any, rows: Any) -> list[Any]:
    """Ascending numbers of rows, in blocks that are each read at once."""
    return [block for block in np.split(rows, np.flatnonzero(np.diff(rows // _BLOCK)) + 1) if len(block)]


def to_numpy(column: Any) -> Any:
    """A NumPy array that may be changed, masked if values are missing."""
    import numpy as np

    return np.array(view(np, column), copy=True, subok=True)


_DTYPES = {
    "b": "?", "c": "i1", "s": "i2", "i": "i4", "l": "i8", "C": "u1", "S": "u2", "I": "u4",
    "L": "u8", "e": "f2", "f": "f4", "g": "f8", "tdD": "M8[D]",
}  # fmt: skip


def empty(np: Any, field: Any) -> Any:
    """No values of the type of a field."""
    format = field.format
    if field.dictionary is not None:
        return empty(np, field.dictionary)
    if format in _DTYPES:
        return np.empty(0, dtype=_DTYPES[format])
    if format[:2] in ("ts", "tD"):
        return np.empty(0, dtype=f"{'M' if format[1] == 's' else 'm'}8[{_UNIT_OF[format[2]]}]")
    if format.startswith("w:"):
        return np.empty(0, dtype=f"V{format[2:]}")
    if format.startswith("+w:"):
        items = empty(np, field[0])
        return np.empty((0, *_shape_of(field), *items.shape[1:]), dtype=items.dtype)
    if format == "+s":
        fields = [(part.name, empty(np, part)) for part in field]
        return np.empty(0, dtype=[(name, e.dtype, e.shape[1:]) for name, e in fields])
    return np.empty(0, dtype=object)


# --- a dict of columns to Arrow ------------------------------------------------------------------

_ARROW_OF = {
    "b": "c", "B": "C", "h": "s", "H": "S", "i": "i", "I": "I", "q": "l", "Q": "L",
    "e": "e", "f": "f", "d": "g", "?": "b",
}  # fmt: skip


def _arrow_of(name: str, format: str, itemsize: int) -> str:
    letter = format.lstrip("@=<|")
    if letter in ("l", "L"):  # of the platform's size
        letter = {4: "i", 8: "q"}[itemsize]
        letter = letter.upper() if format[-1] == "L" else letter
    if letter == "n":
        letter = "q"
    if format[:1] in (">", "!") or letter not in _ARROW_OF:
        raise TypeError(f"column {name!r}: values of the format {format!r} have no place in a table")
    return _ARROW_OF[letter]


def _of_buffer(name: str, value: Any) -> tuple[str, str, Any, Any]:
    seen = memoryview(value)
    if seen.ndim != 1:
        raise TypeError(f"column {name!r} has {seen.ndim} dimensions, not one; give an Arrow table "
                        "with fixed-size lists")  # fmt: skip
    if not seen.c_contiguous:
        seen = memoryview(array.array(seen.format[-1], seen.tolist()))
    return name, _arrow_of(name, seen.format, seen.itemsize), seen, None


def _flags(known: Any) -> bytes | None:
    """A byte for each value, 1 where it is there; None if all are."""
    flags = bytes(known)
    return None if all(flags) else flags


def _of_list(name: str, values: list[Any]) -> tuple[str, str, Any, Any]:
    kinds = {type(value) for value in values if value is not None}
    valid = _flags(value is not None for value in values)

    def filled(zero: Any) -> list[Any]:
        return [zero if value is None else value for value in values]

    if kinds <= {str}:
        size = sum(len(value) for value in values if value is not None)
        return name, "U" if size > 2**29 else "u", list(values), None
    if kinds == {bool}:
        return name, "b", bytes(filled(False)), valid
    if kinds == {int}:
        letter = "Q" if max(filled(0)) >= 2**63 else "q"
        return name, _ARROW_OF[letter], array.array(letter, filled(0)), valid
    if kinds <= {int, float, bool}:
        return name, "g", array.array("d", filled(0.0)), valid
    if kinds == {datetime.datetime}:
        aware = {value.tzinfo is not None for value in values if value is not None}
        if len(aware) == 1:
            ticks = [0 if value is None else parameter(value)[2] for value in values]
            return name, "tsu:UTC" if True in aware else "tsu:", array.array("q", ticks), valid
    if kinds == {datetime.date}:
        days = [0 if value is None else parameter(value)[2] for value in values]
        return name, "tdD", array.array("i", days), valid
    if kinds == {datetime.timedelta}:
        ticks = [0 if value is None else parameter(value)[2] for value in values]
        return name, "tDu", array.array("q", ticks), valid
    words = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise TypeError(f"column {name!r}: no column holds values of {words}")


def _is_missing(value: Any) -> bool:
    return value is None or value != value  # noqa: PLR0124, NaN and NaT


def _of_numpy(np: Any, name: str, values: Any) -> tuple[str, str, Any, Any]:
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    values = np.ma.getdata(values)
    if values.ndim != 1:
        raise TypeError(f"column {name!r} has {values.ndim} dimensions, not one; give an Arrow "
                        "table with fixed-size lists")  # fmt: skip
    kind = values.dtype.kind
    if kind in "UOT" or kind == "S":
        texts = [None if _is_missing(value) else value for value in values.tolist()]
        if mask is not None:
            texts = [None if gone else text for text, gone in zip(texts, mask.tolist())]
        if kind == "S":
            texts = [text.decode() if text is not None else None for text in texts]
        return _of_list(name, texts)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    values = np.ascontiguousarray(values)
    if kind in "Mm":
        missing = np.isnat(values)
        mask = missing if mask is None else mask | missing
        format, values = _numpy_time(np, name, kind, values)
    elif kind == "V" and values.dtype.names is None:
        format = f"w:{values.dtype.itemsize}"
    elif kind == "b":
        format = "b"
    else:
        format = _arrow_of(name, values.dtype.char, values.dtype.itemsize)
    valid = None if mask is None or not mask.any() else np.ascontiguousarray(~mask).view("u1")
    return name, format, values if kind == "b" else values.view(f"V{values.dtype.itemsize}"), valid


def _of_scalars(np: Any, values: Sequence[Any]) -> Any:
    """A masked array of NumPy's scalars, of which None is missing."""
    known = np.asarray([value for value in values if value is not None])
    out = np.ma.masked_all(len(values), known.dtype)
    out[[value is not None for value in values]] = known
    return out


def _numpy_time(np: Any, name: str, kind: str, values: Any) -> tuple[str, Any]:
    unit, count = np.datetime_data(values.dtype)
    if unit == "generic" and kind == "m":
        raise TypeError(f"column {name!r}: a duration has no unit")
    wanted = {"Y": "D", "M": "D", "W": "D", "h": "s", "m": "s"}.get(unit, unit)
    if kind == "m":
        wanted = "s" if wanted == "D" else wanted
    if wanted not in ("D", "s", "ms", "us", "ns"):
        raise TypeError(f"column {name!r}: no column holds times in units of {unit}")
    if wanted != unit or count != 1:
        values = values.astype(f"{kind}8[{wanted}]")
    if wanted == "D":
        return "tdD", values.astype("i8").astype("i4")
    letter = "s" if wanted == "s" else wanted[0]
    return (f"ts{letter}:" if kind == "M" else f"tD{letter}"), values.view("i8")


def _column(name: Any, value: Any) -> tuple[str, str, Any, Any]:
    if not isinstance(name, str):
        raise TypeError(f"a column has a name of str, not {name!r}")
    numpy = sys.modules.get("numpy")
    if isinstance(value, (list, tuple, range)):
        if numpy is not None and any(isinstance(one, numpy.generic) for one in value):
            return _of_numpy(numpy, name, _of_scalars(numpy, value))
        try:
            return _of_list(name, list(value))
        except OverflowError as error:
            raise RangeError(f"column {name!r}: no type of a column holds all of its values: {error}") from error
    if numpy is not None and isinstance(value, numpy.ndarray):
        return _of_numpy(numpy, name, value)
    if hasattr(value, "_bools") and hasattr(value, "to_list"):  # an Array of ours
        return _of_list(name, value.to_list()) if value.format == "b" else _of_array(name, value)
    try:
        return _of_buffer(name, value)
    except TypeError:
        if not hasattr(value, "__array__"):
            raise
    import numpy as np

    return _of_numpy(np, name, np.asarray(value))


def _of_array(name: str, value: Any) -> tuple[str, str, Any, Any]:
    try:
        memoryview(value)
    except BufferError:
        return _of_list(name, value.to_list())
    if value.dictionary is not None:
        return _of_list(name, value.to_list())
    mask = value._mask()
    return name, value.format, value, mask and bytes(1 - flag for flag in mask)


def columns(data: dict[Any, Any]) -> list[tuple[str, str, Any, Any]]:
    """(name, Arrow's format, values, valid) of each column; texts are lists of str and None."""
    return [_column(name, value) for name, value in data.items()]


def attributes(found: list[tuple[str, str, bool]]) -> dict[str, Any]:
    """Attributes as values: texts, numbers, and what else there is in words."""

    def value(text: str, is_text: bool) -> Any:
        for kind in () if is_text else (int, float):
            try:
                return kind(text)
            except ValueError:
                pass
        return text

    return {name: value(text, is_text) for name, text, is_text in found}


# --- how they look -------------------------------------------------------------------------------


def grid(rows: list[list[str]]) -> str:
    """Rows of cells, in columns as wide as they must be."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    return "\n".join(
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
        for row in rows
    )


def units_of(field: Any) -> str | None:
    """The units of a field; those of a time are its type."""
    return None if field.format.startswith("t") else field.units


def is_number(field: Any) -> bool:
    """Whether the values of a field are integers or floats."""
    return field.dictionary is None and field.format in _NUMBERS


def width_of(datatype: str) -> int | None:
    """The bytes of texts of a fixed length, of a datatype such as "string[8]"; None for others."""
    found = _WIDTH.search(datatype)
    return int(found[1]) if found else None


def schema_repr(schema: Any) -> str:
    if len(schema) == 0:
        name = f"{schema.name}: " if schema.name else ""
        units = f" [{units_of(schema)}]" if units_of(schema) else ""
        return f"<Schema {name}{schema.type}{units}>"
    rows = [[field.name, field.type, units_of(field) or ""] for field in schema]
    return f"<Schema of {len(schema)} columns>\n{grid(rows)}"


def shown(column: Any) -> list[Any]:
    """The values of an Array for people: times that Python cannot hold are their ticks."""

    def one(i: int) -> Any:
        try:
            return column[i]
        except ValueError:
            pass
        try:
            return memoryview(column)[i]
        except BufferError:  # in a list or a struct
            return "…"

    return [one(i) for i in range(len(column))]


def array_repr(column: Any) -> str:
    n = len(column)
    more = ", ..." if n > 10 else ""
    return f"<Array {column.type}, {n} values: [{', '.join(map(repr, shown(column[:10])))}{more}]>"
