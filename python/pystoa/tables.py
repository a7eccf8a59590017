"""Tables with the methods of tables.Table that read, and structured arrays.

    from pystoa.tables import open_table

    with open_table("run.h5", "/events") as table:
        rows = table.read_where("(energy > low) & (det == 7)", {"low": 5000})

Conditions go down into Stoa's scan and its search indexes. What is left of them is computed by numexpr, which
PyTables uses, too.
"""

from __future__ import annotations

import ast
import operator
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _values
from ._errors import NotFoundError, QuerySyntaxError
from ._expressions import SWAPPED, Expression, Untranslated, col, matching
from ._paths import Path
from ._table import Table as _Place

if TYPE_CHECKING:
    from ._pystoa import Schema

__all__ = ["Row", "Table", "open_table", "read_where"]

_BLOCK = 65536  # rows that an iteration reads at once
_SIGNS: dict[type, str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=", ast.NotEq: "!=",
}  # fmt: skip


def open_table(filename: Path, where: str) -> Table:
    """Open a table for reading.

    Args:
        filename: the file, of any layout.
        where: the path of the table in it, "/events".

    Raises:
        FileNotFoundError: there is no such file.
        KeyError: there is no such table.
    """
    return Table(_Place(filename, where))


def read_where(
    filename: Path,
    where: str,
    condition: str,
    condvars: Mapping[str, Any] | None = None,
    field: str | None = None,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
) -> Any:
    """open_table(filename, where).read_where(condition, ...)."""
    scope = _caller(condvars)
    with open_table(filename, where) as table:
        return table._read_where(condition, scope, field, start, stop, step)


class Row:
    """A row of an iteration: row["energy"], row.nrow, row.fetch_all_fields()."""

    __slots__ = ("_i", "_rows", "nrow")

    def __init__(self, rows: Any, i: int, nrow: int) -> None:
        self._rows = rows
        self._i = i
        self.nrow = nrow  #: its number in the table, from 0

    def __getitem__(self, key: Any) -> Any:
        """The value of a column by its name or number, or a tuple of them."""
        if isinstance(key, str):
            return _at(self._rows, key)[self._i]
        return tuple(self._rows[self._i])[key]

    def fetch_all_fields(self) -> Any:
        """The row as a scalar of a structured type."""
        return self._rows[self._i]


class Table:
    """A table, with the methods of tables.Table that read. Make one by open_table().

    Arrays are those of PyTables: texts are bytes of a fixed length, times are numbers of seconds, complex
    numbers and nested columns are such. Enumerated columns are their names, as bytes.
    """

    def __init__(self, place: _Place) -> None:
        self._place = place
        self._fields = {field.name: field for field in place.schema}

    # --- what it is ------------------------------------------------------------------------------

    @property
    def nrows(self) -> int:
        """The number of rows."""
        return len(self._place)

    @property
    def colnames(self) -> list[str]:
        """The names of the columns."""
        return self._place.columns

    @property
    def colindexed(self) -> dict[str, bool]:
        """Whether each column has a search index that Stoa uses."""
        known = {index["column"] for index in self._place.indexes if index["usable"]}
        return {name: name in known for name in self.colnames}

    @property
    def dtype(self) -> Any:
        """The type of a row. Texts that have no fixed length in the file are objects."""
        return self.read(0, 0).dtype

    @property
    def shape(self) -> tuple[int]:
        """The number of rows."""
        return (self.nrows,)

    def __len__(self) -> int:
        return self.nrows

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the table."""
        self._place.close()

    def __repr__(self) -> str:
        return repr(self._place)

    # --- rows by number --------------------------------------------------------------------------

    def read(
        self,
        start: int | None = None,
        stop: int | None = None,
        step: int | None = None,
        field: str | None = None,
        out: Any = None,
    ) -> Any:
        """Rows as a structured array, or one column as an array.

        Args:
            start: the first row.
            stop: the row behind the last one.
            step: one row of so many.
            field: a column; "a/b" is one in a nested column.
            out: an array that takes the values, of the right size and type.

        Returns:
            An array of shape (rows,), with more dimensions for a column of cells; `out` if given.
        """
        rows = range(self.nrows)[slice(start, stop, step)]
        low, high = (min(rows[0], rows[-1]), max(rows[0], rows[-1]) + 1) if rows else (0, 0)
        names = self._names(field)
        values = self._place.query(columns=names, rows=slice(low, high)).to_numpy()
        found = self._made(values, field)[:: rows.step]
        if out is None:
            return found
        out[...] = found
        return out

    def read_coordinates(self, coords: Any, field: str | None = None) -> Any:
        """The rows with these numbers, in their order, as read() gives rows."""
        import numpy as np

        wanted = np.asarray(coords, dtype="i8").reshape(-1)
        wanted = np.where(wanted < 0, wanted + self.nrows, wanted)
        if len(wanted) and not 0 <= wanted.min() <= wanted.max() < self.nrows:
            raise IndexError(f"rows {wanted.min()} to {wanted.max()} of a table of {self.nrows}")
        rows, order = np.unique(wanted, return_inverse=True)
        parts = []
        for block in _values.blocks(np, rows):
            first = int(block[0])
            values = {name: self._place[name].read(first, int(block[-1]) + 1).to_numpy()
                      for name in self._names(field)}  # fmt: skip
            parts.append(self._made(values, field)[block - first])
        return _values.joined(np, parts)[order] if parts else self.read(0, 0, field=field)

    def col(self, name: str) -> Any:
        """A column as an array."""
        return self.read(field=name)

    def iterrows(
        self, start: int | None = None, stop: int | None = None, step: int | None = None
    ) -> Iterator[Row]:
        """The rows, one after the other."""
        rows = range(self.nrows)[slice(start, stop, step)]
        for i in range(0, len(rows), _BLOCK):
            part = rows[i : i + _BLOCK]
            values = self.read(part.start, part.stop if part.stop >= 0 else None, part.step)
            yield from (Row(values, j, row) for j, row in enumerate(part))

    __iter__ = iterrows

    def __getitem__(self, key: Any) -> Any:
        """A row, rows of a slice, or rows by their numbers or a mask of bools."""
        import numpy as np

        if isinstance(key, slice):
            return self.read(key.start, key.stop, key.step)
        if np.ndim(key) == 0:
            return self.read_coordinates([operator.index(key)])[0]
        coords = np.asarray(key)
        if coords.dtype == bool:
            if len(coords) != self.nrows:
                raise IndexError(f"{len(coords)} bools for {self.nrows} rows")
            coords = np.flatnonzero(coords)
        return self.read_coordinates(coords)

    # --- rows by a condition ---------------------------------------------------------------------

    def read_where(
        self,
        condition: str,
        condvars: Mapping[str, Any] | None = None,
        field: str | None = None,
        start: int | None = None,
        stop: int | None = None,
        step: int | None = None,
    ) -> Any:
        """The rows that pass a condition, as read() gives rows.

        Args:
            condition: an expression of numexpr, "(energy > 5) & (name == b'muon')".
            condvars: values of its variables; None: those of the caller.
            field: a column.
            start: the first row that is looked at; alone it is the only one, as in PyTables.
            stop: the row behind the last one.
            step: one row of so many is looked at.
        """
        return self._read_where(condition, _caller(condvars), field, start, stop, step)

    def get_where_list(
        self,
        condition: str,
        condvars: Mapping[str, Any] | None = None,
        sort: bool = False,
        start: int | None = None,
        stop: int | None = None,
        step: int | None = None,
    ) -> Any:
        """The numbers of these rows, as an array of int64 in ascending order."""
        asked = _Asked(self, condition, _caller(condvars), start, stop, step)
        return asked.numbers()

    def where(
        self,
        condition: str,
        condvars: Mapping[str, Any] | None = None,
        start: int | None = None,
        stop: int | None = None,
        step: int | None = None,
    ) -> Iterator[Row]:
        """These rows, one after the other."""
        asked = _Asked(self, condition, _caller(condvars), start, stop, step)
        return self._rows(asked)

    def _rows(self, asked: _Asked) -> Iterator[Row]:
        numbers, rows = asked.numbers(), asked.rows(None)
        yield from (Row(rows, i, int(number)) for i, number in enumerate(numbers))

    def _read_where(
        self,
        condition: str,
        scopes: Sequence[Mapping[str, Any]],
        field: str | None,
        start: int | None,
        stop: int | None,
        step: int | None,
    ) -> Any:
        return _Asked(self, condition, scopes, start, stop, step).rows(field)

    # --- arrays ----------------------------------------------------------------------------------

    def _names(self, field: str | None) -> list[str]:
        if field is None:
            return self.colnames
        name = field.partition("/")[0]
        if name not in self._fields:
            raise NotFoundError(f"there is no column {name!r}; there are "
                                f"{', '.join(self._fields)}", self._place._place)  # fmt: skip
        return [name]

    def _made(self, values: dict[str, Any], field: str | None) -> Any:
        """The array of columns as Stoa has them."""
        import numpy as np

        made = {}
        for name, column in values.items():
            known = self._fields[name]
            stored = known.metadata.get("stoa.datatype", "")
            made[name] = _of_pytables(np, known, stored, column, self._place.layout == "pytables")
        if field is not None:
            name, _, rest = field.partition("/")
            return _at(made[name], rest) if rest else made[name]
        return _values.structured(np, made, len(next(iter(made.values()), ())))


def _caller(condvars: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """The variables of a condition: those of the function that called ours, if none are given."""
    if condvars is not None:
        return [condvars]
    frame = sys._getframe(2)
    return [frame.f_locals, frame.f_globals]


def _at(rows: Any, path: str) -> Any:
    for name in path.split("/"):
        rows = rows[name]
    return rows


def _of_pytables(np: Any, field: Schema, stored: str, values: Any, exact: bool) -> Any:
    """Values of a column, or of a part of one, in PyTables' types. `exact`: the table is PyTables'."""
    if isinstance(values, np.ma.MaskedArray) and values.dtype.kind == "f":
        values = values.filled(np.nan)
    format = field.format
    if format.startswith("+w:"):
        return _of_pytables(np, field[0], stored, values, exact)
    if field.dictionary is not None or format in "uU":
        return _bytes(np, stored, values, field.dictionary is not None)
    if format == "+s":
        names = [part.name for part in field]
        parts = {name: _of_pytables(np, field[name], "", values[name], exact) for name in names}
        if names == ["r", "i"] and parts["r"].dtype.kind == "f" == parts["i"].dtype.kind:
            return _values.complexes(np, parts["r"], parts["i"])
        dtype = [(name, part.dtype, part.shape[values.ndim :]) for name, part in parts.items()]
        out = np.empty(values.shape, dtype=dtype)
        for name, part in parts.items():
            out[name] = part
        return out
    if exact and format.startswith("ts") and "int" not in stored:
        if field.format.startswith("tss"):
            return values.astype("i8").astype("i4")
        ticks = values.astype("i8")
        return ticks // 1_000_000 + 1e-6 * (ticks % 1_000_000)
    if exact and format[0] == "t":
        return values.astype("i8").astype("i4" if "int32" in stored else "i8")
    return values


def _bytes(np: Any, stored: str, values: Any, are_labels: bool) -> Any:
    width = _values.width_of(stored)
    if width is None and stored and not are_labels:
        return values  # texts of any length
    shape = np.shape(values)
    items = [b"" if item is None else item.encode() for item in np.ravel(values).tolist()]
    width = width or max(map(len, items), default=0)
    return np.array(items, dtype=f"S{max(width, 1)}").reshape(shape)


# --- conditions ----------------------------------------------------------------------------------


class _Asked:
    """The rows that pass a condition."""

    def __init__(
        self,
        table: Table,
        condition: str,
        scopes: Sequence[Mapping[str, Any]],
        start: int | None,
        stop: int | None,
        step: int | None,
    ) -> None:
        self.table = table
        self.place = table._place
        self.condition = condition
        self.scopes = scopes
        n = table.nrows
        if start is not None and stop is None and step is None:
            if 0 < n <= start:
                raise IndexError(f"start {start} is not below the {n} rows of the table")
            stop = n if start == -1 else start + 1
        if step is not None and step < 0:
            raise ValueError("slice step cannot be negative")
        self.range = range(n)[slice(start, stop, step)]
        try:
            node = ast.parse(condition.strip(), mode="eval").body
        except SyntaxError as error:
            raise QuerySyntaxError(f"condition {condition!r}: {error.msg}") from None
        self.filter: Expression | None = None
        self.left: list[ast.expr] = []
        for part in _parts(node):
            self._check_names(part)
            try:
                found = self._condition(part)
            except Untranslated:
                self.left.append(part)
                continue
            self.filter = found if self.filter is None else self.filter & found

    def _names(self, node: ast.expr) -> list[str]:
        called = {call.func for call in ast.walk(node) if isinstance(call, ast.Call)}
        names = [name for name in ast.walk(node) if isinstance(name, ast.Name) and name not in called]
        return list(dict.fromkeys(name.id for name in names))

    def _check_names(self, node: ast.expr) -> None:
        for name in self._names(node):
            if name not in self.table._fields and not any(name in scope for scope in self.scopes):
                raise NameError(f"name {name!r} is not defined; the columns are "
                                f"{', '.join(self.table._fields)}")  # fmt: skip

    # --- rows ------------------------------------------------------------------------------------

    def _passing(self) -> Any:
        """The numbers of rows that pass the filter, in the whole table."""
        import numpy as np

        if self.filter is None:
            return np.arange(self.table.nrows)
        return self.place._passing(self.filter)

    def _kept(self, numbers: Any) -> Any:
        """Which of these rows are looked at, and pass what is left."""
        import numpy as np

        looked = self.range
        keep = (numbers >= looked.start) & (numbers < looked.stop)
        if looked.step > 1:
            keep &= (numbers - looked.start) % looked.step == 0
        if not self.left:
            return keep
        at = np.flatnonzero(keep)
        for i in range(0, len(at), _BLOCK):
            part = at[i : i + _BLOCK]
            keep[part] = self._computed(numbers[part])
        return keep

    def _computed(self, numbers: Any) -> Any:
        """Whether rows pass what is left of the condition."""
        import numpy as np

        try:
            import numexpr
        except ImportError:
            text = " & ".join(f"({ast.unparse(part)})" for part in self.left)
            raise QuerySyntaxError(f"condition {text}: Stoa has no such filter, and numexpr, which "
                                   "would compute it, is not installed") from None  # fmt: skip
        passes = np.ones(len(numbers), dtype=bool)
        for part in self.left:
            known: dict[str, Any] = {}
            for name in self._names(part):
                value = self._variable(name)
                if value is None:
                    value = self.table.read_coordinates(numbers, name)
                known[name] = value
            passes &= numexpr.evaluate(ast.unparse(part), local_dict=known, global_dict={})
        return passes

    def _variable(self, name: str) -> Any:
        """A value of a variable; None: it is a column."""
        own = len(self.scopes) == 1 and name in self.scopes[0]  # condvars come before columns
        if name in self.table._fields and not own:
            return None
        return next(scope[name] for scope in self.scopes if name in scope)

    def numbers(self) -> Any:
        """Their numbers."""
        numbers = self._passing()
        return numbers[self._kept(numbers)]

    def rows(self, field: str | None) -> Any:
        """The rows themselves, or a column of them."""
        looked = self.range
        if self.filter is None or self.left or looked.step > 1:  # few rows may pass in the end
            return self.table.read_coordinates(self.numbers(), field)
        found = self.place.query(self.filter, columns=self.table._names(field),
                                 rows=slice(looked.start, max(looked.start, looked.stop)))  # fmt: skip
        return self.table._made(found.to_numpy(), field)

    # --- translation -----------------------------------------------------------------------------

    def _condition(self, node: ast.expr) -> Expression:
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
            a, b = self._condition(node.left), self._condition(node.right)
            return a & b if isinstance(node.op, ast.BitAnd) else a | b
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            return ~self._condition(node.operand)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._comparison(node.left, node.ops[0], node.comparators[0])
        field = self._column(node)
        if field is not None and field.format == "b":
            return col(field.name)
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
                and node.func.id == "contains" and len(node.args) == 2):  # fmt: skip
            field = self._column(node.args[0])
            value = self._constant(node.args[1])
            if field is not None and field.format in "uU" and isinstance(value, bytes):
                return matching(field.name, "%", _decoded(value), "%")
        raise Untranslated

    def _column(self, node: ast.expr) -> Schema | None:
        if isinstance(node, ast.Name) and self._variable(node.id) is None:
            return self.table._fields[node.id]
        return None

    def _constant(self, node: ast.expr) -> Any:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self._constant(node.operand)
            if isinstance(value, (int, float)):
                return -value
            raise Untranslated
        if isinstance(node, ast.Constant):
            return node.value
        if not isinstance(node, ast.Name):
            raise Untranslated
        value = self._variable(node.id)
        if getattr(value, "shape", None) == ():
            value = value.item()
        if isinstance(value, (bool, int, float, bytes, str)):
            return value
        raise Untranslated

    def _comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Expression:
        sign = _SIGNS.get(type(op))
        if sign is None:
            raise Untranslated
        field, other = self._column(left), self._column(right)
        if field is None:
            field, other, right, sign = other, None, left, SWAPPED.get(sign, sign)
        if field is None:
            raise Untranslated
        if field.dictionary is not None:
            value = self._constant(right)
            if isinstance(value, (bytes, str)) and sign in ("=", "!="):
                text = _decoded(value) if isinstance(value, bytes) else value
                return col(field.name)._operator(sign, text)
            raise QuerySyntaxError(f"condition {self.condition!r}: {field.name!r} is an enumeration; "
                                   "compare it with one of its names, as bytes")  # fmt: skip
        if other is not None:
            if _values.is_number(field) and _values.is_number(other):
                return col(field.name)._operator(sign, col(other.name))
            raise Untranslated
        value = self._value(field, self._constant(right))
        if isinstance(value, str) and sign not in ("=", "!="):
            raise Untranslated  # numexpr puts bytes beyond ASCII before all others
        return col(field.name)._operator(sign, value)

    def _value(self, field: Schema, value: Any) -> Any:
        """A value that such a column is compared with."""
        if isinstance(value, (bytes, str)):
            if field.format not in "uU":
                raise Untranslated
            return _decoded(value) if isinstance(value, bytes) else value
        if field.format == "b" and isinstance(value, bool):
            return value
        if _values.is_number(field) and (isinstance(value, int) or value == value):
            return int(value) if isinstance(value, bool) else value
        if self.place.layout == "pytables" and field.format == "tss:UTC" and type(value) is int:
            if field.metadata.get("stoa.datatype") == "time32":
                return ("timestamp", "s", value)
        raise Untranslated


def _parts(node: ast.expr) -> list[ast.expr]:
    """What is joined by `&`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        return _parts(node.left) + _parts(node.right)
    return [node]


def _decoded(value: bytes) -> str:
    try:
        return value.rstrip(b"\0").decode()
    except UnicodeDecodeError:
        raise Untranslated from None
