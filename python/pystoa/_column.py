"""The class Column."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._values import attributes, units_of

if TYPE_CHECKING:
    from ._pystoa import Array, Schema
    from ._table import Table


class Column:
    """A column of a table; its values are read when rows are asked for.

    >>> table["energy"].type, table["energy"].units
    ('float64', 'keV')
    >>> table["energy"].read(0, 2)
    <Array float64, 2 values: [6.5, 2.0]>
    """

    __slots__ = ("name", "table")

    def __init__(self, table: Table, name: str) -> None:
        self.table = table
        self.name = name

    @property
    def schema(self) -> Schema:
        """Name, type and metadata."""
        return self.table.schema[self.name]

    @property
    def type(self) -> str:
        """The type in words, such as "float64"."""
        return self.schema.type

    @property
    def units(self) -> str | None:
        """The units of the values."""
        return self.schema.units

    @property
    def description(self) -> str | None:
        """What the values are."""
        return self.schema.description

    @property
    def attrs(self) -> Mapping[str, Any]:
        """Units, description, bounds, and attributes of your own. annotate() sets them."""
        known = {
            key: value
            for key, value in self.schema.metadata.items()
            if not key.startswith(("stoa.", "ARROW:"))
        }
        return known | attributes(self.table._attributes(self.name))

    @property
    def storage(self) -> dict[str, Any]:
        """How the column is stored, with datatype, layout, filters, chunk_rows, stored_bytes and more."""
        return self.table._storage(self.name)

    @property
    def indexes(self) -> list[dict[str, Any]]:
        """The search indexes of the column."""
        return [index for index in self.table.indexes if index["column"] == self.name]

    def __len__(self) -> int:
        return len(self.table)

    def read(self, start: int = 0, stop: int | None = None) -> Array:
        """Rows [start, stop) as an Array, which needs no NumPy."""
        first, last, _ = slice(start, stop).indices(len(self.table))
        return self.table._read(self.name, first, max(0, last - first))

    def to_numpy(self) -> Any:
        """All values as a NumPy array, masked if some are missing."""
        return self.read().to_numpy()

    def __getitem__(self, rows: int | slice) -> Any:
        """A value, or a NumPy array of rows: masked where values are missing."""
        if isinstance(rows, slice):
            first, last, step = rows.indices(len(self.table))
            if step == 1:
                return self.read(first, last).to_numpy()
            wanted = range(len(self.table))[rows]
            if not wanted:
                return self.read(0, 0).to_numpy()
            low, high = min(wanted[0], wanted[-1]), max(wanted[0], wanted[-1])
            values = self.read(low, high + 1).to_numpy()
            return values[::step].copy()
        n = len(self.table)
        at = operator.index(rows)
        if not -n <= at < n:
            raise IndexError(f"row {at} of a table of {n} rows")
        return self.read(at % n, at % n + 1)[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy as np

        values = self.to_numpy()
        if isinstance(values, np.ma.MaskedArray):
            if values.dtype.kind != "f":
                raise ValueError(f"column {self.name!r} has missing values, which only a masked "
                                 "array holds: to_numpy() makes one")  # fmt: skip
            values = values.filled(np.nan)
        return np.asarray(values, dtype=dtype)

    def __repr__(self) -> str:
        field = self.schema
        units = f" [{units_of(field)}]" if units_of(field) else ""
        return f"<Column {self.name}: {field.type}{units}, {len(self)} rows>"
