"""The texts of a query, made of what Python programs give: texts, lists and expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from ._expressions import Expression, quoted

_PLAIN = re.compile(r"[^\W\d]\w*")
_KEYWORDS = {"and", "or", "not", "in", "between", "like", "is", "null", "true", "false"}


class Texts:
    """Texts and the values of their parameters, which count in the order of add()."""

    def __init__(self, params: Any, names: Sequence[str] = ()) -> None:
        self.params = params
        self.given: list[Any] = []  # of expressions
        self.names = set(names)

    def _take(self, part: Expression) -> str:
        self.given += part.parameters
        return part.text

    def name(self, text: str) -> str:
        """A whole name of a column is quoted; all else is language."""
        if text not in self.names or (_PLAIN.fullmatch(text) and text.lower() not in _KEYWORDS):
            return text
        return quoted(text)

    def _entry(self, entry: Any) -> str:
        if isinstance(entry, Expression):
            return self._take(entry)
        if not isinstance(entry, str):
            raise TypeError(f"expected a text or an expression, not {type(entry).__name__}")
        return self.name(entry)

    def where(self, where: str | Expression | None) -> str | None:
        if where is None or isinstance(where, str):
            return where
        if isinstance(where, Expression):
            return self._take(where)
        raise TypeError(f"a filter is a text or an expression, not {type(where).__name__}")

    def entries(self, entries: str | Expression | Iterable[Any] | None) -> str | None:
        """A list of columns, aggregates or groups."""
        if entries is None or isinstance(entries, str):
            return entries
        if isinstance(entries, Expression):
            return self._take(entries)
        return ", ".join(self._entry(entry) for entry in entries)

    def order(self, entries: str | Expression | Iterable[Any] | None) -> str | None:
        """A list of columns with an optional ":desc"."""
        if entries is None or isinstance(entries, (str, Expression)):
            return self.entries(entries)
        texts = []
        for entry in entries:
            name, order = entry, ""
            if isinstance(entry, str) and entry not in self.names and entry.endswith((":asc", ":desc")):
                name, order = entry[: entry.rindex(":")], entry[entry.rindex(":") :]
            texts.append(self._entry(name) + order)
        return ", ".join(texts)

    def parameters(self) -> Any:
        if not self.given:
            return self.params
        if self.params:
            raise TypeError("expressions have their values with them: params are for texts")
        return self.given
