"""Plots of a table by matplotlib: histograms in one dimension and in two, and waveforms."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._errors import ArgumentError, ColumnTypeError, NotFoundError
from ._values import is_number, units_of, view

if TYPE_CHECKING:
    from ._table import Params, Table, Where

MAX_POINTS = 5000  # of a scatter plot; more rows become a histogram in two dimensions
MAX_LABELS = 40
MAX_WAVEFORMS = 10


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib") from error
    return plt


def _is_text(field: Any) -> bool:
    return field.dictionary is not None or field.format in ("u", "U", "b")


def _is_time(field: Any) -> bool:
    return field.dictionary is None and field.format[:2] in ("ts", "td")


def _numbers(np: Any, values: Any) -> Any:
    """Values of a column as floats, missing ones as NaN; times and durations as their ticks."""
    missing = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    values = np.ma.getdata(values)
    out = values.astype("i8" if values.dtype.kind in "mM" else "f8").astype("f8")
    if missing is not None:
        out[missing] = np.nan
    return out


def _axis(np: Any, field: Any, values: Any) -> Any:
    """Numbers as matplotlib takes them: ticks become times."""
    if not _is_time(field):
        return values
    unit = {"s": "s", "m": "ms", "u": "us", "n": "ns", "D": "D"}[field.format[2]]
    known = np.isfinite(values)
    out = np.full(len(values), "NaT", dtype=f"M8[{unit}]")
    out[known] = np.round(values[known]).astype("i8").astype(f"M8[{unit}]")
    return out


def _dress(axis: Any, field: Any, label: str) -> None:
    axis.set_label_text(label)
    if _is_time(field):
        from matplotlib import dates

        untyped: Any = dates
        locator = untyped.AutoDateLocator()
        axis.set_major_locator(locator)
        axis.set_major_formatter(untyped.ConciseDateFormatter(locator))


class Plot:
    """Plots of a table, by matplotlib: `table.plot("energy")`.

    All rows are read, a batch at a time. Each call returns the Axes.
    """

    __slots__ = ("_table",)

    def __init__(self, table: Table) -> None:
        self._table = table

    def _field(self, name: str) -> Any:
        if name not in self._table.columns:
            raise NotFoundError(f"there is no column {name!r}", self._table._place)
        return self._table.schema[name]

    def _label(self, field: Any) -> str:
        units = units_of(field)
        if field.format.startswith("tD"):
            units = {"s": "s", "m": "ms", "u": "µs", "n": "ns"}[field.format[2]]
        return f"{field.name} [{units}]" if units else str(field.name)

    def _range(self, np: Any, field: Any, where: Where, params: Params) -> tuple[float, float]:
        """The smallest and the largest finite value."""
        low, high = math.inf, -math.inf
        for values in self._batches(np, [field], where, params):
            finite = values[0][np.isfinite(values[0])]
            if len(finite):
                low, high = min(low, float(finite.min())), max(high, float(finite.max()))
        if low > high:
            return 0.0, 1.0
        return (low, high) if low < high else (low - 0.5, high + 0.5)

    def _batches(self, np: Any, fields: list[Any], where: Where, params: Params) -> Any:
        """Columns as arrays of floats, batch by batch."""
        names = list(dict.fromkeys(field.name for field in fields))
        with self._table.query(where, params, columns=names).read() as reader:
            for batch in reader:
                yield [_numbers(np, view(np, batch[field.name])) for field in fields]

    def __call__(
        self,
        x: str,
        y: str | None = None,
        where: Where = None,
        params: Params = None,
        *,
        bins: int = 100,
        range: Any = None,
        log: bool = False,
        ax: Any = None,
    ) -> Any:
        """A histogram of a column; with two columns points, or a histogram in two dimensions.

        Args:
            x: a column of numbers, times, texts or bools.
            y: a second column, of numbers or times.
            where: only rows for which this is true.
            params: values for the parameters of `where`.
            bins: how many, in each dimension.
            range: the smallest and the largest value; with two columns a pair of these. None: those
                of the rows.
            log: counts on a logarithmic scale.
            ax: Axes to draw into; None: new ones.

        Returns:
            The Axes.

        Raises:
            ImportError: matplotlib is not installed.
            TypeError: a column cannot be drawn.

        >>> table.plot("energy", where="det = ?", params=[7], bins=50)  # doctest: +SKIP
        """
        plt = _pyplot()
        fields = [self._field(name) for name in (x, y) if name is not None]
        self._refuse(fields)
        if ax is None:
            _, ax = plt.subplots()
        if len(fields) == 2:
            self._two(fields, where, params, bins, range, log, ax)
        elif _is_text(fields[0]):
            self._labels(fields[0], where, params, log, ax)
        else:
            self._one(fields[0], where, params, bins, range, log, ax)
        return ax

    def _refuse(self, fields: list[Any]) -> None:
        for field in fields:
            if not (is_number(field) or field.format.startswith("t") or (_is_text(field) and len(fields) == 1)):
                raise ColumnTypeError(f"column {field.name!r} is {field.type}, which has no place on an "
                                      "axis; waveforms() draws lists", self._table._place)  # fmt: skip

    def _one(self, field: Any, where: Where, params: Params, bins: int, range: Any, log: bool,
             ax: Any) -> None:  # fmt: skip
        import numpy as np

        low, high = range or self._range(np, field, where, params)
        edges = np.linspace(low, high, bins + 1)
        counts = np.zeros(bins, dtype="i8")
        for (values,) in self._batches(np, [field], where, params):
            counts += np.histogram(values[np.isfinite(values)], edges)[0]
        ax.stairs(counts, _axis(np, field, edges), fill=True)
        _dress(ax.xaxis, field, self._label(field))
        ax.set_ylabel("rows")
        if log:
            ax.set_yscale("log")

    def _labels(self, field: Any, where: Where, params: Params, log: bool, ax: Any) -> None:
        n = "n" if field.name != "n" else "count"
        counts = self._table.aggregate(
            f"count() as {n}", [field.name], where, params, sort=f"{n}:desc", limit=MAX_LABELS
        ).to_list()
        labels = ["missing" if row[field.name] is None else str(row[field.name]) for row in counts]
        ax.barh(labels[::-1], [row[n] for row in counts][::-1], log=log)
        ax.set_ylabel(self._label(field))
        ax.set_xlabel("rows")

    def _two(self, fields: list[Any], where: Where, params: Params, bins: int, range: Any, log: bool,
             ax: Any) -> None:  # fmt: skip
        import numpy as np

        n = self._table.aggregate("count() as n", None, where, params).to_list()[0]["n"]
        if n <= MAX_POINTS and not log:
            batches = list(self._batches(np, fields, where, params))
            empty: Any = np.empty(0)
            points = [np.concatenate([empty, *(batch[i] for batch in batches)]) for i in (0, 1)]
            ax.scatter(*(_axis(np, *pair) for pair in zip(fields, points)), s=4)
            if range:
                ax.set(xlim=range[0], ylim=range[1])
        else:
            spans = range or [self._range(np, field, where, params) for field in fields]
            edges = [np.linspace(low, high, bins + 1) for low, high in spans]
            counts: Any = np.zeros((bins, bins))
            for values in self._batches(np, fields, where, params):
                known = np.isfinite(values[0]) & np.isfinite(values[1])
                counts += np.histogram2d(values[0][known], values[1][known], edges)[0]
            shown = np.ma.masked_equal(counts.T, 0)
            sides = [_axis(np, *pair) for pair in zip(fields, edges)]
            mesh = ax.pcolormesh(*sides, shown, norm="log" if log and counts.any() else None)
            ax.figure.colorbar(mesh, ax=ax, label="rows")
        for axis, field in zip((ax.xaxis, ax.yaxis), fields):
            _dress(axis, field, self._label(field))

    def waveforms(
        self,
        column: str | None = None,
        rows: int | slice | Iterable[int] = 5,
        *,
        ax: Any = None,
    ) -> Any:
        """Lists of numbers as lines, one for each row.

        The axis is time where columns beside it say so, as in LH5: `waveform.t0` and `waveform.dt`
        for `waveform.values`. Otherwise it counts samples.

        Args:
            column: a column of lists of numbers; None: the only one.
            rows: so many of the first rows, a slice, or numbers of rows.
            ax: Axes to draw into; None: new ones.

        Returns:
            The Axes.

        Raises:
            ImportError: matplotlib is not installed.
            TypeError: the column has no lists of numbers.
            IndexError: there is no such row.

        >>> table.plot.waveforms("waveform.values", rows=[0, 7])  # doctest: +SKIP
        """
        import numpy as np

        plt = _pyplot()
        field = self._field(column) if column is not None else self._only_lists()
        if not _holds_numbers(field):
            raise ColumnTypeError(f"column {field.name!r} is {field.type}, not lists of numbers",
                                  self._table._place)  # fmt: skip
        numbers = self._row_numbers(rows)
        if ax is None:
            _, ax = plt.subplots()
        first, step, units = self._clock(field)
        for row in numbers:
            values = self._table[field.name][row]
            if values is None:
                continue
            begin, width = self._at(first, row, 0.0), self._at(step, row, 1.0)
            line = np.array([np.nan if value is None else value for value in values], dtype="f8")
            ax.plot(begin + width * np.arange(len(line)), line, label=f"row {row}", linewidth=1)
        ax.set_xlabel(f"time [{units}]" if units else "time" if step else "sample")
        ax.set_ylabel(self._label(field))
        if 0 < len(numbers) <= MAX_WAVEFORMS:
            ax.legend()
        return ax

    def _only_lists(self) -> Any:
        found = [field for field in self._table.schema if _holds_numbers(field)]
        if len(found) != 1:
            names = ", ".join(field.name for field in found) or "none"
            raise ArgumentError(f"which column of lists? There are: {names}", self._table._place)
        return found[0]

    def _row_numbers(self, rows: int | slice | Iterable[int]) -> list[int]:
        n = len(self._table)
        if isinstance(rows, int):
            return list(range(min(rows, n)))
        return list(range(n)[rows]) if isinstance(rows, slice) else list(rows)

    def _clock(self, field: Any) -> tuple[str | None, str | None, str | None]:
        """The columns of the first time and of the step beside a column, and their units."""
        group, dot, _ = field.name.rpartition(".")
        step = f"{group}{dot}dt"
        if step not in self._table.columns:
            return None, None, None
        units = units_of(self._table.schema[step])
        first = f"{group}{dot}t0"
        same = first in self._table.columns and units_of(self._table.schema[first]) == units
        return first if same else None, step, units

    def _at(self, column: str | None, row: int, default: float) -> float:
        value = self._table[column][row] if column else None
        return default if value is None else float(value)


def _holds_numbers(field: Any) -> bool:
    return field.format.startswith("+") and len(field) == 1 and is_number(field[0])
