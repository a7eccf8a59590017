"""A table as a Dataset of pyarrow, which DuckDB and others scan: columns and filters go down into Stoa's scan.

A filter becomes one as Polars has it, and is translated by _polars.py as far as its meaning is the same. pyarrow
applies it once more to the rows that come.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.dataset as ds

from . import _pystoa
from ._expressions import Untranslated
from ._polars import Translator

if TYPE_CHECKING:
    from ._expressions import Expression
    from ._table import Table

_COMPARISONS = {
    "equal": "Eq", "not_equal": "NotEq", "less": "Lt", "less_equal": "LtEq", "greater": "Gt",
    "greater_equal": "GtEq", "and_kleene": "And", "and": "And", "or_kleene": "Or", "or": "Or",
}  # fmt: skip
_TESTS = {"invert": "Not", "is_valid": "IsNotNull", "is_null": "IsNull", "is_nan": "IsNan"}
_TEXTS = {"starts_with": "StartsWith", "ends_with": "EndsWith", "match_substring": {"Contains": {"literal": True}}}
_UNITS = {"ns": "Nanoseconds", "us": "Microseconds", "ms": "Milliseconds", "s": "Milliseconds"}


# --- filters -------------------------------------------------------------------------------------


def _kind(type: pa.DataType) -> str:
    """The name of the type in Polars."""
    if pa.types.is_integer(type):
        return f"{'U' if pa.types.is_unsigned_integer(type) else ''}Int{type.bit_width}"
    if pa.types.is_string(type) or pa.types.is_large_string(type):
        return "String"
    if pa.types.is_dictionary(type) and _kind(type.value_type) == "String":
        return "Categorical"
    for name in ("float32", "float64", "boolean", "timestamp", "duration"):
        if getattr(pa.types, f"is_{name}")(type):
            return "Datetime" if name == "timestamp" else name.capitalize()
    return "Date" if pa.types.is_date32(type) else "Other"


def _literal(value: pa.Array) -> Any:
    """A literal as Polars has it."""
    kind = _kind(value.type)
    if not value[0].is_valid or kind in ("Other", "Categorical"):
        raise Untranslated
    if kind in ("Datetime", "Duration"):
        ticks = value.cast(pa.int64())[0].as_py() * (1000 if value.type.unit == "s" else 1)
        return {"Scalar": {kind: [ticks, _UNITS[value.type.unit], None]}}
    if kind == "Date":
        return {"Scalar": {kind: value.cast(pa.int32())[0].as_py()}}
    if "Int" in kind or "Float" in kind:
        return {"Dyn": {"Int" if "Int" in kind else "Float": value[0].as_py()}}
    return {"Scalar": {kind: value[0].as_py()}}


def _function(function: Any, *inputs: Any) -> Any:
    return {"Function": {"input": list(inputs), "function": function}}


def _is_in(column: Any, options: Any) -> Any:
    values = options["value_set"]
    if "Column" not in column or None in values:
        raise Untranslated
    return _function({"Boolean": {"IsIn": {"nulls_equal": False}}}, column, values)


def _call(name: str, inputs: list[Any], options: Any) -> Any:
    if name in _COMPARISONS:
        return {"BinaryExpr": {"left": inputs[0], "op": _COMPARISONS[name], "right": inputs[1]}}
    if name in _TESTS and not (options or {}).get("nan_is_null"):
        return _function({"Boolean": _TESTS[name]}, inputs[0])
    if name in _TEXTS and not options["ignore_case"]:
        literal = {"Literal": {"Scalar": {"String": options["pattern"]}}}
        return _function({"StringExpr": _TEXTS[name]}, inputs[0], literal)
    is_there = _function({"Boolean": "IsNotNull"}, inputs[0])
    if name == "is_in":  # which says false, not null, of a missing value
        return {"BinaryExpr": {"left": _is_in(inputs[0], options), "op": "And", "right": is_there}}
    if name == "if_else" and inputs[2] == {"Literal": None}:  # null of a missing value, as DuckDB writes it
        test = inputs[1]["BinaryExpr"]
        if inputs[0] == test["right"] and "Function" in test["left"]:
            return test["left"]
    return {}


def _node(pairs: deque[tuple[str, str]], constants: Any) -> Any:
    """The next part of a filter that pyarrow serialized: calls are written before their arguments."""
    key, value = pairs.popleft()
    if key == "field_ref":
        return {"Column": value}
    if key == "literal":
        found = constants.column(int(value))
        try:
            return {"Literal": _literal(found)}
        except Untranslated:
            return {"Literal": None} if not found[0].is_valid else {}
    if key != "call":
        raise Untranslated
    inputs, options = [], None
    while pairs[0][0] != "end":
        if pairs[0][0] == "options":
            options = constants.column(int(pairs.popleft()[1]))[0].as_py()
        else:
            inputs.append(_node(pairs, constants))
    pairs.popleft()
    try:
        return _call(value, inputs, options)
    except (Untranslated, KeyError, IndexError, TypeError):
        return {}


def translated(predicate: ds.Expression, schema: pa.Schema) -> Expression | None:
    """What goes down of a filter of pyarrow."""
    try:
        with pa.ipc.open_file(predicate.__reduce__()[1][0]) as file:
            constants = file.get_batch(0)
        pairs = _pystoa._metadata(constants.schema.__arrow_c_schema__())
        kinds = {field.name: _kind(field.type) for field in schema}
        translator = Translator(kinds, lambda values: values, nan_is_greatest=False)
        return translator.filter(_node(deque(pairs), constants))
    except Exception:  # what pyarrow cannot serialize, serializes otherwise or nests too deeply, it applies itself
        return None


def _names(predicate: ds.Expression, schema: pa.Schema) -> set[str]:
    """Columns that a filter needs: all, where that cannot be known."""
    try:
        with pa.ipc.open_file(predicate.__reduce__()[1][0]) as file:
            pairs = _pystoa._metadata(file.schema.__arrow_c_schema__())
    except Exception:
        return set(schema.names)
    return {value for key, value in pairs if key == "field_ref"}


# --- the dataset ---------------------------------------------------------------------------------


class Dataset(ds.Dataset):  # type: ignore[misc]
    """A table as pyarrow's datasets are, of one fragment. Make it by Table.to_dataset()."""

    def __init__(self, table: Table, options: dict[str, Any]) -> None:
        self._table = table
        self._options = options
        with table.query(limit=0).read() as reader:
            self._schema = pa.schema(reader.schema)

    @property
    def schema(self) -> pa.Schema:
        return self._schema

    def __repr__(self) -> str:
        return f"<Dataset of {self._table!r}>"

    def __reduce__(self) -> Any:
        return Dataset, (self._table, self._options)

    def scanner(self, columns: Any = None, filter: Any = None, **options: Any) -> ds.Scanner:
        """The columns and rows that are asked for, as pyarrow's Dataset.scanner(); read once."""
        if isinstance(columns, dict):
            needed = set(self._schema.names)
        else:
            needed = set(self._schema.names if columns is None else columns)
        where = None
        if filter is not None:
            needed |= _names(filter, self._schema)
            where = translated(filter, self._schema)
        read = [name for name in self._schema.names if name in needed] or self._schema.names[:1]
        query = self._table.query(where, columns=read, **self._options)
        known = ("batch_size", "batch_readahead", "use_threads", "memory_pool")
        return ds.Scanner.from_batches(
            pa.RecordBatchReader.from_stream(query), columns=columns, filter=filter,
            **{name: value for name, value in options.items() if name in known},
        )  # fmt: skip

    def _no(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("a table of Stoa has no fragments; its scanner() and to_table() read it")

    get_fragments = replace_schema = filter = sort_by = join = join_asof = _no
    partition_expression = property(_no)
