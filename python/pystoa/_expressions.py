"""Expressions of queries, built by Python's operators: nothing needs quoting.

>>> from pystoa import col, fn
>>> (col("energy") > 5000) & col("det").isin([7, 8])
<Expression ("energy" > ?) and ("det" in (?, ?)) with [5000, 7, 8]>
>>> fn.any(col("v") > 2)
<Expression any(("v" > ?)) with [2]>

The language is that of docs/query.md. Missing values are neither true nor false there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def quoted(name: str) -> str:
    """A name of a column as the language takes any name."""
    return '"' + name.replace('"', '""') + '"'


SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}  # of a comparison whose sides change places


class Untranslated(Exception):
    """A part of a filter of another library that Stoa does not have, or has with another meaning."""


class Expression:
    """A text of the query language, with the values of its parameters in order."""

    __slots__ = ("_joint", "parameters", "text")
    __hash__ = None  # type: ignore[assignment]

    text: str
    parameters: list[Any]

    def __init__(self, text: str, parameters: Iterable[Any] = (), joint: str = "") -> None:
        self.text = text
        self.parameters = list(parameters)
        self._joint = joint  # "and" or "or" if `text` is a chain of these, without parentheses

    def __repr__(self) -> str:
        values = f" with {self.parameters!r}" if self.parameters else ""
        return f"<Expression {self.text}{values}>"

    def __bool__(self) -> bool:
        raise TypeError("an expression has a value for each row; join them by & and |, negate "
                        "them by ~, and write a < b < c as two comparisons")  # fmt: skip

    def _operator(self, sign: str, other: Any, swapped: bool = False) -> Expression:
        a, b = (literal(other), self) if swapped else (self, literal(other))
        return Expression(f"({a._whole()} {sign} {b._whole()})", a.parameters + b.parameters)

    def _whole(self) -> str:
        return f"({self.text})" if self._joint else self.text

    def _join(self, joint: str, other: Any) -> Expression:
        parts = [self, literal(other)]
        texts = [part.text if part._joint in ("", joint) else part._whole() for part in parts]
        return Expression(f" {joint} ".join(texts), parts[0].parameters + parts[1].parameters, joint)

    def __eq__(self, other: object) -> Expression:  # type: ignore[override]
        return self.is_null() if other is None else self._operator("=", other)

    def __ne__(self, other: object) -> Expression:  # type: ignore[override]
        return self.is_not_null() if other is None else self._operator("!=", other)

    def __lt__(self, other: Any) -> Expression:
        return self._operator("<", other)

    def __le__(self, other: Any) -> Expression:
        return self._operator("<=", other)

    def __gt__(self, other: Any) -> Expression:
        return self._operator(">", other)

    def __ge__(self, other: Any) -> Expression:
        return self._operator(">=", other)

    def __add__(self, other: Any) -> Expression:
        return self._operator("+", other)

    def __radd__(self, other: Any) -> Expression:
        return self._operator("+", other, True)

    def __sub__(self, other: Any) -> Expression:
        return self._operator("-", other)

    def __rsub__(self, other: Any) -> Expression:
        return self._operator("-", other, True)

    def __mul__(self, other: Any) -> Expression:
        return self._operator("*", other)

    def __rmul__(self, other: Any) -> Expression:
        return self._operator("*", other, True)

    def __truediv__(self, other: Any) -> Expression:
        return self._operator("/", other)

    def __rtruediv__(self, other: Any) -> Expression:
        return self._operator("/", other, True)

    def __mod__(self, other: Any) -> Expression:
        return self._operator("%", other)

    def __rmod__(self, other: Any) -> Expression:
        return self._operator("%", other, True)

    def __neg__(self) -> Expression:
        return Expression(f"(-{self._whole()})", self.parameters)

    def __abs__(self) -> Expression:
        return Expression(f"abs({self.text})", self.parameters)

    def __and__(self, other: Any) -> Expression:
        return self._join("and", other)

    def __rand__(self, other: Any) -> Expression:
        return literal(other)._join("and", self)

    def __or__(self, other: Any) -> Expression:
        return self._join("or", other)

    def __ror__(self, other: Any) -> Expression:
        return literal(other)._join("or", self)

    def __invert__(self) -> Expression:
        return Expression(f"(not {self._whole()})", self.parameters)

    def __getitem__(self, i: Any) -> Expression:
        """Item i of a list, from 0, or from the end if it is negative."""
        at = literal(i)
        return Expression(f"{self._whole()}[{at.text}]", self.parameters + at.parameters)

    def isin(self, values: Iterable[Any]) -> Expression:
        """Whether the value is one of these."""
        items = [literal(value) for value in values]
        if not items:
            return Expression("false")
        texts = ", ".join(item.text for item in items)
        more = [value for item in items for value in item.parameters]
        return Expression(f"({self._whole()} in ({texts}))", self.parameters + more)

    def between(self, low: Any, high: Any) -> Expression:
        """Whether low <= value <= high."""
        a, b = literal(low), literal(high)
        return Expression(f"({self._whole()} between {a._whole()} and {b._whole()})",
                          self.parameters + a.parameters + b.parameters)  # fmt: skip

    def like(self, pattern: str) -> Expression:
        """Whether a text matches: % stands for any text, _ for one character."""
        return Expression(f"({self._whole()} like {_text(pattern)})", self.parameters)

    def is_null(self) -> Expression:
        """Whether the value is missing."""
        return Expression(f"({self._whole()} is null)", self.parameters)

    def is_not_null(self) -> Expression:
        """Whether the value is there."""
        return Expression(f"({self._whole()} is not null)", self.parameters)

    def alias(self, name: str) -> Expression:
        """The same under another name, as a column of a result."""
        return Expression(f"{self._whole()} as {quoted(name)}", self.parameters)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def matching(name: str, before: str, text: str, after: str) -> Expression:
    """Whether a column of texts has one behind and before these patterns of `like`."""
    for sign in "!%_":
        text = text.replace(sign, "!" + sign)
    return Expression(f"({quoted(name)} like {_text(before + text + after)} escape '!')")


def literal(value: Any) -> Expression:
    """An expression of a value, which becomes a parameter."""
    if isinstance(value, Expression):
        return value
    return Expression("null") if value is None else Expression("?", [value])


def lit(value: Any) -> Expression:
    """A value as an expression: where a text would be language, lit("muon") is a text.

    >>> lit("muon")
    <Expression ? with ['muon']>
    """
    return literal(value)


def col(name: str) -> Expression:
    """A column, by its name, whatever characters that has.

    >>> col('Cost "Total" $') * 2
    <Expression ("Cost ""Total"" $" * ?) with [2]>
    """
    return Expression(quoted(name))


class _Functions:
    """Functions of the language: fn.sqrt(col("x")), fn.any(col("v") > 5), fn.mean(col("x"))."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*arguments: Any) -> Expression:
            items = [literal(argument) for argument in arguments]
            texts = ", ".join(item.text for item in items)
            return Expression(f"{name}({texts})", [p for item in items for p in item.parameters])

        return call


fn = _Functions()
