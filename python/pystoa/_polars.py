"""A table as a LazyFrame of Polars: columns, limits and filters go down into Stoa's scan.

A filter is translated as far as its meaning is the same in both, and Polars applies it once more to the
rows that come. So a part that is not translated costs time, and changes nothing.
"""

from __future__ import annotations

import io
import json
import math
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._expressions import Expression, Untranslated, col, matching

if TYPE_CHECKING:
    import polars

    from ._table import Table


_SIGNS = {"Eq": "=", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
_SWAPPED = {"Lt": "Gt", "LtEq": "GtEq", "Gt": "Lt", "GtEq": "LtEq"}
_UNITS = {"Nanoseconds": "ns", "Microseconds": "us", "Milliseconds": "ms"}
_KINDS = {
    "Float32": "float", "Float64": "float", "String": "text", "Boolean": "bool", "Date": "date",
    "Datetime": "datetime", "Duration": "duration", "Categorical": "label", "Enum": "label",
} | {f"{sign}Int{bits}": "int" for sign in ("", "U") for bits in (8, 16, 32, 64)}  # fmt: skip
_ASKED = {"label": "text"}  # a column of the one is compared with values of the other
_EXACT = 2**53  # integers below are floats without loss


class Translator:
    """From a filter as Polars serializes it to an expression of Stoa. _dataset.py brings filters of
    pyarrow into this form.

    Args:
        kinds: for each column the name of its Polars type, such as "Int64".
        values_of: the values of a literal that is a list.
        nan_is_greatest: whether NaN is greater than any number, as in Polars, or is not.
    """

    def __init__(
        self, kinds: dict[str, str], values_of: Any = None, nan_is_greatest: bool = True
    ) -> None:
        self.types = kinds
        self.values_of = values_of
        self.nan_is_greatest = nan_is_greatest

    def filter(self, node: Any) -> Expression | None:
        """A filter that is true wherever the given one is; None if nothing can be said."""
        try:
            return self._condition(node)
        except Untranslated:
            pass
        binary = node.get("BinaryExpr") if isinstance(node, dict) else None
        if binary is None or binary["op"] not in ("And", "LogicalAnd"):
            return None
        parts = [self.filter(binary["left"]), self.filter(binary["right"])]
        known = [part for part in parts if part is not None]
        return known[0] & known[1] if len(known) == 2 else known[0] if known else None

    # The others raise Untranslated, KeyError or the like on what they do not know.

    def _condition(self, node: Any) -> Expression:
        try:
            (name, value), = node.items()  # fmt: skip
            if name == "BinaryExpr":
                return self._binary(value["op"], value["left"], value["right"])
            if name == "Function":
                return self._function(value["function"], value["input"])
            if name == "Column" and self.types[value] == "Boolean":
                return col(value)
            if name == "Literal" and isinstance(value["Scalar"]["Boolean"], bool):
                return Expression("true" if value["Scalar"]["Boolean"] else "false")
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise Untranslated from error
        raise Untranslated

    def _binary(self, op: str, left: Any, right: Any) -> Expression:
        if op in ("And", "LogicalAnd"):
            return self._condition(left) & self._condition(right)
        if op in ("Or", "LogicalOr"):
            return self._condition(left) | self._condition(right)
        if "Column" not in left:
            left, right, op = right, left, _SWAPPED.get(op, op)
        name = left["Column"]
        return self._comparison(name, op, self._literal(name, right["Literal"]))

    def _comparison(self, name: str, op: str, value: Any) -> Expression:
        if self._kind(name) == "label" and op not in ("Eq", "NotEq"):
            raise Untranslated  # the order of labels may be another
        found = col(name)._operator(_SIGNS[op], value)
        if self._kind(name) == "float" and op in ("Gt", "GtEq") and self.nan_is_greatest:
            return found | Expression(f"isnan({col(name).text})")
        return found

    def _function(self, function: Any, inputs: list[Any]) -> Expression:
        if isinstance(function, dict) and "Boolean" in function:
            return self._boolean(function["Boolean"], inputs)
        name = inputs[0]["Column"]
        if self._kind(name) != "text":
            raise Untranslated
        text = inputs[1]["Literal"]["Scalar"]["String"]
        which = function["StringExpr"]
        if isinstance(which, dict) and which["Contains"]["literal"] is True:
            return matching(name, "%", text, "%")
        before, after = {"StartsWith": ("", "%"), "EndsWith": ("%", "")}[which]
        return matching(name, before, text, after)

    def _boolean(self, function: Any, inputs: list[Any]) -> Expression:
        if function == "Not":
            return ~self._condition(inputs[0])
        name = inputs[0]["Column"]
        kind = self._kind(name)
        if function == "IsNull":
            return col(name).is_null()
        if function == "IsNotNull":
            return col(name).is_not_null()
        if function == "IsNan" and kind == "float":
            return Expression(f"isnan({col(name).text})")
        if "IsBetween" in function and kind not in ("float", "label"):
            low, high = (self._literal(name, part["Literal"]) for part in inputs[1:])
            closed = function["IsBetween"]["closed"]
            first = "GtEq" if closed in ("Both", "Left") else "Gt"
            last = "LtEq" if closed in ("Both", "Right") else "Lt"
            return self._comparison(name, first, low) & self._comparison(name, last, high)
        if "IsIn" in function and function["IsIn"]["nulls_equal"] is False:
            return self._is_in(name, inputs[1])
        raise Untranslated

    def _is_in(self, name: str, node: Any) -> Expression:
        kind = self._kind(name)
        known = {"int": int, "text": str, "label": str}[kind]
        values = [value for value in self.values_of(node) if value is not None]
        if not values or not all(type(value) is known for value in values):
            raise Untranslated
        return col(name).isin(values)

    def _kind(self, name: str) -> str:
        return _KINDS[self.types[name]]

    def _literal(self, name: str, literal: Any) -> Any:
        """A value that a column is compared with, if the comparison has one meaning."""
        kind = _ASKED.get(self._kind(name), self._kind(name))
        (word, value), = (literal["Dyn"] if "Dyn" in literal else literal["Scalar"]).items()  # fmt: skip
        found = word.lower() if word in ("Int", "Float") else _KINDS[word]
        if kind in ("int", "float") and found in ("int", "float"):
            return self._number(name, kind, found, value)
        if found != kind or kind == "bool":
            raise Untranslated
        if kind == "date":
            return "timestamp", "D", int(value)
        if kind == "datetime":
            return "timestamp", _UNITS[value[1]], int(value[0])
        if kind == "duration":
            return "duration", _UNITS[value[1]], int(value[0])
        if not isinstance(value, str):
            raise Untranslated
        return value

    def _number(self, name: str, kind: str, found: str, value: Any) -> int | float:
        """Polars may round the one to the type of the other, which no exact comparison does."""
        if not isinstance(value, int if found == "int" else (int, float)) or not math.isfinite(value):
            raise Untranslated
        if kind != found and abs(value) >= _EXACT:
            raise Untranslated
        if self.types[name] == "Float32" and struct.unpack("f", struct.pack("f", value))[0] != value:
            raise Untranslated
        return value if found == "int" else float(value)


def _values_of(node: Any) -> list[Any]:
    import polars as pl

    text = io.BytesIO(json.dumps(node).encode())
    try:
        values = pl.select(pl.Expr.deserialize(text, format="json")).to_series()
        if isinstance(values.dtype, (pl.List, pl.Array)):
            values = values.explode()
        return values.to_list()
    except Exception as error:
        raise Untranslated from error


def translated(predicate: polars.Expr, schema: polars.Schema) -> Expression | None:
    """What goes down of a filter of Polars."""
    kinds = {name: str(dtype).split("(")[0] for name, dtype in schema.items()}
    try:
        return Translator(kinds, _values_of).filter(json.loads(predicate.meta.serialize(format="json")))
    except Exception:  # what Polars cannot serialize, or nests too deeply, it applies itself
        return None


def scan(table: Table, **options: Any) -> polars.LazyFrame:
    """The LazyFrame of a table; options are those of Table.query()."""
    import polars as pl
    from polars.io.plugins import register_io_source

    nothing = pl.DataFrame(table.query(limit=0))
    schema = nothing.schema

    def batches(
        columns: list[str] | None, predicate: pl.Expr | None, limit: int | None, size: int | None
    ) -> Iterator[pl.DataFrame]:
        wanted = list(schema) if columns is None else columns
        needed = set(wanted) if predicate is None else {*wanted, *predicate.meta.root_names()}
        read = [name for name in schema if name in needed] or list(schema)[:1]
        # A limit counts rows before the filter.
        where = None if predicate is None or limit is not None else translated(predicate, schema)
        yield nothing.select(wanted)
        with table.query(where, columns=read, limit=limit, **options).read() as reader:
            for batch in reader:
                frame = pl.DataFrame(batch)
                if predicate is not None:
                    frame = frame.filter(predicate)
                yield frame.select(wanted) if wanted else frame

    return register_io_source(batches, schema=schema)
