"""Conditions of pandas' `where` as filters of Stoa.

The answers are those of pandas 3.1, which has no third truth value: NaN and NaT pass `!=` alone, a missing
text is the text that stands for it (`nan`), and a missing category comes before the first one.
"""

from __future__ import annotations

import ast
import decimal
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ._errors import QuerySyntaxError
from ._expressions import SWAPPED, Expression, col

_TOKENS = re.compile(
    r"""(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|`(?P<name>[^`]+)`|(?P<sign>[<>=!]=)"""
    r"""|(?P<equal>=)|(?P<and>&&?)|(?P<or>\|\|?)|(?P<at>@)"""
)
_SIGNS: dict[type, str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.In: "==", ast.NotIn: "!=",
}  # fmt: skip
_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_FALSE_WORDS = ("false", "f", "no", "n", "none", "0", "[]", "{}", "")


class Field(NamedTuple):
    """A column that a condition may name."""

    column: str  #: its name in the table
    kind: str  #: "integer", "float", "bool", "string", "datetime", "timedelta", "category"
    labels: list[Any] | None = None  #: of a category, in their order
    is_ordered: bool = False  #: of a category
    missing: str = "nan"  #: the text that stands for a missing string


class Condition(NamedTuple):
    """What a `where` asks for."""

    rows: Expression | None  #: a filter of Stoa; None: all rows
    columns: Callable[[Any], bool] | None  #: which labels of columns are wanted; None: all


class Refused(QuerySyntaxError):
    """A condition that has no meaning here."""


class _Axis:
    """The name `columns`."""


class Translator:
    """From a text such as "A > 5 & index < 10".

    Args:
        columns: the names of columns, by those that a condition has for them.
        field_of: what a column is, by its name.
        scopes: variables, the nearest scope first.
    """

    def __init__(
        self,
        columns: Mapping[str, str],
        field_of: Callable[[str], Field],
        scopes: Iterable[Mapping[str, Any]],
    ) -> None:
        self.columns = columns
        self.field_of = field_of
        self.scopes = list(scopes)
        self.names: dict[str, str] = {}

    def condition(self, where: str) -> Condition:
        """Translate a whole condition."""
        self.text = where
        try:
            node = ast.parse(_TOKENS.sub(self._token, where).strip(), mode="eval").body
        except SyntaxError as error:
            raise self._refused(f"it cannot be parsed: {error.msg}") from None
        rows: Expression | None = None
        wanted: list[Callable[[Any], bool]] = []
        for part in _parts(node):
            columns = self._of_columns(part)
            if columns is not None:
                wanted.append(columns)
            else:
                found = self._rows(part, False)
                rows = found if rows is None else rows & found
        chosen = (lambda label: all(test(label) for test in wanted)) if wanted else None
        return Condition(rows, chosen)

    def _refused(self, why: str) -> Refused:
        return Refused(f"where {self.text!r}: {why}")

    def _token(self, found: re.Match[str]) -> str:
        kind = found.lastgroup
        if kind == "name":
            name = f"backtick_{len(self.names)}_"
            self.names[name] = found["name"]
            return name
        return {"equal": "==", "and": " and ", "or": " or ", "at": ""}.get(kind or "", found[0])

    # --- conditions on rows ----------------------------------------------------------------------

    def _rows(self, node: ast.expr, negated: bool) -> Expression:
        if isinstance(node, ast.BoolOp):
            parts = [self._rows(value, negated) for value in node.values]
            both = isinstance(node.op, ast.And) != negated
            found = parts[0]
            for part in parts[1:]:
                found = found & part if both else found | part
            return found
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert)):
            return self._rows(node.operand, not negated)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._comparison(node, negated)
        if isinstance(node, ast.Compare):  # a < b < c
            sides = [node.left, *node.comparators]
            links = [ast.Compare(left, [op], [right])
                     for left, op, right in zip(sides, node.ops, sides[1:])]  # fmt: skip
            return self._rows(ast.BoolOp(ast.And(), list(links)), negated)
        raise self._refused(f"{ast.unparse(node)!r} is no comparison of a column with a value")

    def _side(self, node: ast.expr) -> Field | _Axis | None:
        if isinstance(node, ast.Name):
            name = self.names.get(node.id, node.id)
            if name in self.columns:
                return self.field_of(self.columns[name])
            if name == "columns":
                return _Axis()
        return None

    def _comparison(self, node: ast.Compare, negated: bool) -> Expression:
        sign = self._sign(node.ops[0])
        left, right = node.left, node.comparators[0]
        side = self._side(left)
        if side is None:
            side, right, sign = self._side(right), left, SWAPPED.get(sign, sign)
        if isinstance(side, _Axis):
            raise self._refused("a condition on columns stands alone, or is joined by &")
        if side is None:
            known = ", ".join(self.columns)
            raise self._refused(f"{ast.unparse(node)!r} names no column; there are {known}")
        value = self._value(right)
        if _is_list(value):
            if sign not in ("==", "!="):
                raise self._refused(f"{ast.unparse(node)!r} compares the order of a list")
            return self._one_of(side, list(value), (sign == "!=") != negated)
        return self._compared(side, sign, value, negated)

    def _sign(self, op: ast.cmpop) -> str:
        if type(op) not in _SIGNS:
            raise self._refused(f"{type(op).__name__} is no comparison of pandas")
        return _SIGNS[type(op)]

    def _compared(self, field: Field, sign: str, value: Any, negated: bool) -> Expression:
        known, missing_passes = self._converted(field, sign, value)
        column = col(field.column)
        if field.kind == "category":
            wanted = [label for i, label in enumerate(field.labels or [])
                      if _TESTS[sign](i, known) != negated]  # fmt: skip
            found = column.isin(wanted)
        else:
            sign = _OPPOSITE[sign] if negated else sign
            found = column._operator("=" if sign == "==" else sign, known)
        return found | column.is_null() if missing_passes != negated else found

    def _one_of(self, field: Field, values: list[Any], negated: bool) -> Expression:
        if not values:
            return Expression("true" if negated else "false")
        if len(values) <= 4 or field.kind in ("category", "datetime", "timedelta"):
            found = self._compared(field, "==", values[0], negated)
            for value in values[1:]:
                other = self._compared(field, "==", value, negated)
                found = found & other if negated else found | other
            return found
        pairs = [self._converted(field, "==", value) for value in values]
        column = col(field.column)
        found = column.isin([value for value, _ in pairs])
        found = ~found if negated else found
        missing_passes = any(passes for _, passes in pairs) != negated
        return found | column.is_null() if missing_passes else found

    def _converted(self, field: Field, sign: str, value: Any) -> tuple[Any, bool]:
        """A value as pandas takes it for such a column, and whether missing values pass."""
        test = _TESTS[sign]
        try:
            if field.kind in ("datetime", "timedelta"):
                return _time(field.kind, value), sign == "!="
            if field.kind == "category":
                if not field.is_ordered and sign not in ("==", "!="):
                    raise TypeError("unordered categories are equal or not")
                labels = field.labels or []
                code = labels.index(value) if value in labels else -2
                return code, test(-1, code)
            if field.kind == "integer":
                number = decimal.Decimal(value.strip() if isinstance(value, str) else value)
                return int(number) if number == int(number) else float(number), False
            if field.kind == "float":
                return float(value), sign == "!="
            if field.kind == "bool":
                if isinstance(value, str):
                    return value.strip().lower() not in _FALSE_WORDS, False
                return bool(value), False
        except (TypeError, ValueError, ArithmeticError) as error:
            raise self._refused(f"{value!r} is no {field.kind} for {field.column!r}: "
                                f"{error}") from None  # fmt: skip
        if field.kind == "string" and isinstance(value, str):
            return value, test(field.missing.encode(), value.encode())
        raise self._refused(f"{value!r} is not compared with {field.column!r}, a {field.kind}")

    # --- conditions on columns -------------------------------------------------------------------

    def _of_columns(self, node: ast.expr) -> Callable[[Any], bool] | None:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert)):
            test = self._of_columns(node.operand)
            return None if test is None else lambda label: not test(label)
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            return None
        if not isinstance(self._side(node.left), _Axis):
            return None
        sign = self._sign(node.ops[0])
        if sign not in ("==", "!="):
            raise self._refused(f"{ast.unparse(node)!r} compares the order of columns")
        value = self._value(node.comparators[0])
        wanted = list(value) if _is_list(value) else [value]
        return lambda label: (label in wanted) == (sign == "==")

    # --- values ----------------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return [self._value(item) for item in node.elts]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._value(node.operand)
        if isinstance(node, ast.Name):
            return self._variable(self.names.get(node.id, node.id))
        try:
            if isinstance(node, ast.Attribute) and not node.attr.startswith("_"):
                return getattr(self._value(node.value), node.attr)
            if isinstance(node, ast.Subscript):
                return self._value(node.value)[self._value(node.slice)]
            if isinstance(node, ast.Call):
                named = {word.arg: self._value(word.value) for word in node.keywords if word.arg}
                return self._value(node.func)(*map(self._value, node.args), **named)
        except (AttributeError, LookupError, TypeError) as error:
            raise self._refused(f"{ast.unparse(node)!r}: {error}") from None
        raise self._refused(f"{ast.unparse(node)!r} is no value")

    def _variable(self, name: str) -> Any:
        for scope in self.scopes:
            if name in scope:
                return scope[name]
        return name  # a text without quotes, as in "columns=A"


def _parts(node: ast.expr) -> list[ast.expr]:
    """What is joined by `and`."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return [part for value in node.values for part in _parts(value)]
    return [node]


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, set, frozenset, range)) or (
        hasattr(value, "__array__") and getattr(value, "ndim", 0) == 1
    )


def _time(kind: str, value: Any) -> tuple[str, str, int]:
    """A parameter of a query."""
    import pandas as pd

    if kind == "timedelta":
        is_number = isinstance(value, (int, float))
        moment = pd.Timedelta(value, unit="s") if is_number else pd.Timedelta(value)
    else:
        moment = pd.Timestamp(str(value) if isinstance(value, (int, float)) else value)
    if moment is pd.NaT:
        raise ValueError("NaT is neither before nor after a time")
    if kind == "datetime" and moment.tz is not None:
        moment = moment.tz_convert("UTC").tz_localize(None)
    return ("duration" if kind == "timedelta" else "timestamp"), moment.unit, moment._value
