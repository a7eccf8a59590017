"""The class Table."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _pystoa
from ._column import Column
from ._errors import ArgumentError, Error, NotFoundError
from ._expressions import Expression, literal
from ._progress import Progress, shown
from ._query import Query
from ._texts import Texts
from ._values import attributes, grid, units_of

if TYPE_CHECKING:
    from ._files import Finding
    from ._plot import Plot
    from ._pystoa import Array, Schema

Where = str | Expression | None
Params = Sequence[Any] | Mapping[str, Any] | None
Entries = str | Expression | Iterable[str | Expression] | None


class IndexCheck(NamedTuple):
    """What verify_indexes() found of a column."""

    column: str  #: its name
    right: bool  #: its indexes describe its values
    problem: str  #: what is wrong, or ""


class IndexRepair(NamedTuple):
    """What repair_indexes() did with an index."""

    column: str  #: its column
    kind: str  #: "minmax", "sorted", "bitmap" or "bloom"
    done: str  #: "right", "renewed", "rebuilt", "dropped" or "left", which no query uses
    problem: str  #: what was wrong, or ""


class Table(_pystoa.Table):
    """A table of a file, in any layout that Stoa knows. Make one by pystoa.open().

    An open table blocks no writer: its file is locked only while a query runs, and each query sees
    what the file holds then. A table may be used by any thread; one at a time uses it.

    >>> len(table), table.columns
    (4, ['time', 'energy', 'det'])
    >>> table["energy"].read(0, 2).to_list()
    [6.5, 2.0]
    """

    __slots__ = ("__weakref__", "_how", "_is_sound", "_names", "path")

    path: str  #: the name of the file, or of the first one of several

    def __init__(
        self,
        path: str | os.PathLike[str],
        object: str | None = None,
        *,
        files: Sequence[str] = (),
        follow_external: bool = False,
        by_name: bool = False,
        strict: bool = False,
        map: bool = False,
    ) -> None:
        names = tuple(os.fsencode(name) for name in files)
        super().__init__(path, object, names, follow_external, by_name, strict, map)
        self.path = os.fsdecode(path)
        self._names = tuple(files)
        self._how = {"follow_external": follow_external, "by_name": by_name, "strict": strict, "map": map}
        self._is_sound: bool | None = None  # whether all columns can be read; None: not asked yet

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, or a table of another process, opens the file anew."""
        return _reopen, (self.path, self.object, self._names, self._how)

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # --- what it is ------------------------------------------------------------------------------

    @property
    def files(self) -> tuple[str, ...]:
        """The files that are read as this table."""
        return self._names or (self.path,)

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The attributes of the table, TITLE and description among them. annotate() sets them."""
        return attributes(self._attributes(None))

    @property
    def indexes(self) -> list[dict[str, Any]]:
        """The search indexes, a dict for each with column, kind, entries, bytes, usable, problem and more."""
        return self._indexes()

    @property
    def indexes_are_trusted(self) -> bool:
        """Whether queries use the indexes (docs/indexes.md#trust)."""
        return self._trust == "holds"

    @property
    def storage(self) -> dict[str, dict[str, Any]]:
        """How each column is stored."""
        return {name: self._storage(name) for name in self.columns}

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), len(self.columns)

    @property
    def schema(self) -> Schema:
        """The types of the columns that can be read."""
        try:
            found = super().schema
        except Error:
            if self._all_columns() is None:
                raise
            return self.query().schema
        self._is_sound = True
        return found

    def _all_columns(self) -> str | None:
        """What a query of all columns asks for: None, or those that can be read. Warns once of the others."""
        if self._how["strict"] or self._is_sound:
            return None
        if self._is_sound is None:
            with contextlib.suppress(Error):
                _ = super().schema  # it has all columns
                self._is_sound = True
                return None
        columns, unreadable = self._readable()
        if self._is_sound is None:
            for _, place, why in unreadable:
                warnings.warn(f"{place}: left out: {why}", stacklevel=4)
        self._is_sound = not unreadable
        return columns

    def __getitem__(self, key: Any) -> Any:
        """A Column by its name; a Query for a list of names, or for an expression: its rows."""
        if isinstance(key, str):
            if key not in self.columns:
                raise NotFoundError(f"there is no column {key!r}; there are "
                                    f"{', '.join(self.columns)}", self._place)  # fmt: skip
            return Column(self, key)
        if isinstance(key, (list, tuple)) and all(isinstance(name, str) for name in key):
            return self.query(columns=key)
        if isinstance(key, Expression):
            return self.query(key)
        raise TypeError("a table is asked for a column by its name, for a list of them, or for the "
                        "rows of an expression")  # fmt: skip

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    @property
    def _place(self) -> str:
        return f"{self.path}:{self.object}"

    def __repr__(self) -> str:
        if self.closed:
            return f"<Table of {self.path}, closed>"
        rows = [[field.name, field.type, units_of(field) or ""] for field in self.schema]
        return f"<Table {self._place} ({self.layout}): {len(self)} rows>\n{grid(rows)}"

    def _repr_html_(self) -> str:
        from . import _html

        return _html.table(self)

    # --- asking ----------------------------------------------------------------------------------

    def query(
        self,
        where: Where = None,
        params: Params = None,
        *,
        columns: Entries = None,
        sort: Entries = None,
        limit: int | None = None,
        offset: int = 0,
        distinct: bool = False,
        sample: int | None = None,
        seed: int = 0,
        rows: slice | None = None,
        indexes: str = "trusted",
        threads: int = 0,
        memory: int = 0,
        progress: Progress | None = None,
    ) -> Query:
        """Rows of the table, as a Query that reads them when it is asked to.

        Args:
            where: a filter in the language of docs/query.md, or an expression of col().
            params: values for the `?` and `:name` of the texts; a list or a dict.
            columns: columns or expressions, as one text or a list. None: all that can be read; a
                warning names the others, unless the table was opened as strict.
            sort: columns, each with ":desc" behind it for the descending order.
            limit: the most rows of the result.
            offset: rows of the result that are left out at its start.
            distinct: each row of the columns once.
            sample: so many of the rows that pass, chosen at random; all else is done with these.
            seed: another one chooses other rows of a sample.
            rows: look only at these rows of the table, a slice; None: at all.
            indexes: "trusted" search indexes are used, "all" of them, or "none".
            threads: at most so many; 0: one for each processor.
            memory: bytes that a sort takes before it goes to temporary files; 0: a quarter of
                the machine's, at most 768 MiB.
            progress: called as progress(stage, rows, total_rows).

        >>> table.query("energy > ? and det = ?", [5, 7]).to_list()[0]["energy"]
        6.5
        >>> from pystoa import col
        >>> len(table.query(col("energy") > 5, columns=["energy"]).to_list())
        2
        """
        texts = Texts(params, self.columns)
        parts = texts.where(where), self._all_columns() if columns is None else texts.entries(columns)
        order = texts.order(sort)
        first, n = self._range(rows)
        most = 0 if rows is not None and n == 0 else _limit(limit)
        return Query(self, *parts, None, None, order, texts.parameters(), most, indexes, threads,
                     memory, False, shown(progress), first, n, None, offset, distinct, _sample(sample), seed)  # fmt: skip

    def _range(self, rows: slice | None) -> tuple[int, int]:
        """The first row of a slice, and how many it has."""
        if rows is None:
            return 0, 0
        first, last, step = rows.indices(len(self))
        if step != 1:
            raise ArgumentError(f"rows is a slice with a step of 1, not {step}")
        return first, max(0, last - first)

    def filter(self, where: Where, **options: Any) -> Query:
        """The same as query(where, ...)."""
        return self.query(where, **options)

    def aggregate(
        self,
        aggregates: Entries,
        by: Entries = None,
        where: Where = None,
        params: Params = None,
        *,
        having: str | None = None,
        sort: Entries = None,
        limit: int | None = None,
        offset: int = 0,
        sample: int | None = None,
        seed: int = 0,
        indexes: str = "trusted",
        threads: int = 0,
        memory: int = 0,
        progress: Progress | None = None,
    ) -> Query:
        """Aggregates of the rows, or of groups of them, and expressions over these.

        Args:
            aggregates: one or more, such as "count(), mean(energy)" (docs/query.md).
            by: columns or expressions that make the groups; None: all rows are one.
            where: a filter of the rows, before they are grouped.
            params: values for the `?` and `:name` of the texts; a list or a dict.
            having: a condition on groups, such as "count() > 5".
            sort: columns of the result, each with ":desc" behind it for the descending order.
            limit: the most groups of the result.
            offset: groups that are left out at its start.
            sample: the aggregates are of so many of the rows that pass, chosen at random.
            seed: another one chooses other rows of a sample.
            indexes: "trusted" search indexes are used, "all" of them, or "none".
            threads: at most so many; 0: one for each processor.
            memory: bytes that groups and sorts take before they go to temporary files; 0: a quarter of
                the machine's, at most 768 MiB.
            progress: called as progress(stage, rows, total_rows).

        >>> table.aggregate("count(), mean(energy)", by="det", sort="det").to_list()
        [{'det': 7, 'count()': 2, 'mean(energy)': 4.25}, {'det': 8, 'count()': 2, 'mean(energy)': 8.25}]
        """
        texts = Texts(params, self.columns)
        filter, functions = texts.where(where), texts.entries(aggregates)
        groups = texts.entries(by)
        order = texts.order(sort)
        return Query(self, filter, None, functions, groups, order, texts.parameters(),
                     _limit(limit), indexes, threads, memory, False, shown(progress),
                     having=having, offset=offset, sample=_sample(sample), seed=seed)  # fmt: skip

    def row_numbers(self, where: Where = None, params: Params = None, **options: Any) -> Query:
        """The numbers of the rows that pass, from 0, as one column "row".

        Args:
            where: a filter, as of query(); None: all rows.
            params: values for the `?` and `:name` of the filter.
            options: limit and indexes, as of query().
        """
        texts = Texts(params, self.columns)
        filter = texts.where(where)
        limit, indexes = _limit(options.pop("limit", None)), options.pop("indexes", "trusted")
        if options:
            raise TypeError(f"row_numbers() takes no {', '.join(options)}")
        return Query(self, filter, None, None, None, None, texts.parameters(), limit, indexes, 0, 0,
                     True)  # fmt: skip

    def _passing(self, where: Where, params: Params = None) -> Any:
        """The numbers of these rows as a NumPy array of int64."""
        return self.row_numbers(where, params).to_numpy()["row"].astype("i8")

    def head(self, n: int = 10) -> list[dict[str, Any]]:
        """The first rows, as dicts."""
        return self.query(limit=n).to_list()

    def to_numpy(self) -> dict[str, Any]:
        """All rows: a NumPy array for each column."""
        return self.query().to_numpy()

    def to_pandas(self, **options: Any) -> Any:
        """All rows, as Query.to_pandas()."""
        return self.query().to_pandas(**options)

    def to_polars(self) -> Any:
        """All rows as a polars.DataFrame."""
        return self.query().to_polars()

    def to_arrow(self) -> Any:
        """All rows as a pyarrow.Table."""
        return self.query().to_arrow()

    def scan_polars(self, **options: Any) -> Any:
        """The table as a polars.LazyFrame, which reads what it needs: as pystoa.scan_polars()."""
        from ._polars import scan

        return scan(self, **options)

    @property
    def plot(self) -> Plot:
        """Plots by matplotlib, as `plot("energy")`, `plot("energy", "delay")` and `plot.waveforms()`."""
        from ._plot import Plot

        return Plot(self)

    def to_dataset(self, **options: Any) -> Any:
        """The table as a pyarrow.dataset.Dataset, which reads what it needs.

        DuckDB finds it by the name of its variable, and passes down the columns and filters of a query:

            events = table.to_dataset()
            duckdb.sql("select det, count(*) from events where energy > 5 group by det")

        Args:
            options: those of query(), such as indexes and threads.
        """
        from ._dataset import Dataset

        return Dataset(self, options)

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.query().__arrow_c_stream__(requested_schema)

    # --- changing --------------------------------------------------------------------------------

    def _edited(self) -> tuple[str, str]:
        """The place of an edit."""
        if len(self.files) > 1:
            raise ArgumentError("a table of several files is not edited; open one of them", self.path)
        if self._running:
            raise ArgumentError("a result of this table is not read to its end, and its file is "
                                "locked meanwhile; read or close it first", self._place)  # fmt: skip
        return self.path, self.object

    def append(
        self,
        data: Any,
        *,
        missing: Mapping[str, str] | None = None,
        drop_indexes: bool = False,
        threads: int = 0,
        progress: Progress | None = None,
        safe: bool = False,
    ) -> int:
        """Add rows: all of them, or none if anything fails. Columns are matched by name.

        Args:
            data: anything that write() takes.
            missing: for layouts that hold no missing values: what stands for them, by column.
            drop_indexes: delete the indexes of the table instead of bringing them along.
            threads: at most so many; 0: one for each processor.
            progress: called as progress(stage, rows, total_rows).
            safe: edit a copy of the file, which replaces it when it is whole.

        Returns:
            How many.

        Raises:
            TypeError: the data lacks a column, has one more, or one whose type does not fit.
        """
        return _pystoa.append(*self._edited(), data, _pairs(missing), drop_indexes, threads,
                              shown(progress), safe)  # fmt: skip

    def update(
        self,
        where: Where = None,
        set: Mapping[str, Any] | None = None,
        params: Params = None,
        *,
        drop_indexes: bool = False,
        progress: Progress | None = None,
        safe: bool = False,
    ) -> int:
        """Change cells of the rows for which `where` is true; None: of all.

        Args:
            set: for each column its new value: an expression, as text or of col(), or a value.
                A text is language, so a value that is a text is lit("muon"), or a parameter.
            params: values for the `?` and `:name` of the texts; a list or a dict.
            drop_indexes: delete the indexes of these columns instead of bringing them along.
            progress: called as progress(stage, rows, total_rows).
            safe: edit a copy of the file, which replaces it when it is whole.

        Returns:
            In how many rows.

        >>> table.update(col("det") == 8, {"energy": col("energy") * 2})  # doctest: +SKIP
        2
        """
        texts = Texts(params, self.columns)
        filter = texts.where(where)
        assignments = [(name, _value(texts, value)) for name, value in (set or {}).items()]
        return _pystoa.update(*self._edited(), filter, assignments, texts.parameters(),
                              drop_indexes, shown(progress), safe)  # fmt: skip

    def delete(
        self,
        where: str | Expression,
        params: Params = None,
        *,
        drop_indexes: bool = False,
        progress: Progress | None = None,
        safe: bool = False,
    ) -> int:
        """Delete the rows for which `where` is true.

        Args:
            where: a filter; "true" deletes all rows.
            params: values for the `?` and `:name` of the filter.
            drop_indexes: delete the indexes of the table instead of bringing them along.
            progress: called as progress(stage, rows, total_rows).
            safe: edit a copy of the file, which replaces it when it is whole.

        Returns:
            How many.
        """
        texts = Texts(params, self.columns)
        filter = texts.where(where)
        if filter is None:
            raise TypeError("delete() needs a filter; 'true' is that of all rows")
        return _pystoa.delete(*self._edited(), filter, texts.parameters(), drop_indexes, shown(progress),
                              safe)  # fmt: skip

    def add_index(
        self,
        column: str,
        kind: str | None = None,
        *,
        progress: Progress | None = None,
        safe: bool = False,
    ) -> str:
        """Build a search index: "minmax", "sorted", "bitmap" or "bloom"; None: what is advised.

        Returns:
            The kind.
        """
        return _pystoa.add_index(*self._edited(), column, kind, shown(progress), safe)

    def drop_index(self, column: str, kind: str | None = None, *, safe: bool = False) -> None:
        """Delete the indexes of a column; of one kind, or (None) of every kind."""
        _pystoa.drop_index(*self._edited(), column, kind, safe)

    def verify_indexes(
        self, *, threads: int = 0, progress: Progress | None = None
    ) -> list[IndexCheck]:
        """Compare the indexes of each column with its values.

        If all are right, queries use them from now on, until another program changes the file
        (docs/indexes.md#trust). An index whose validity tokens fail is not compared.
        """
        path, object = self._edited()
        found = _pystoa.verify_indexes(path, object, threads, shown(progress))
        return [IndexCheck(*one) for one in found]

    def repair_indexes(
        self, *, threads: int = 0, progress: Progress | None = None
    ) -> list[IndexRepair]:
        """Build indexes again that are wrong, and renew validity tokens. All are right then."""
        path, object = self._edited()
        done = _pystoa.repair_indexes(path, object, threads, shown(progress))
        return [IndexRepair(*one) for one in done]

    def annotate(
        self, attribute: str, value: str | None, *, column: str | None = None, safe: bool = False
    ) -> None:
        """Set an attribute, or remove it.

        Args:
            attribute: "units", "description", "TITLE", or a name of your own.
            value: its text; None removes it.
            column: the column that gets it; None: the table.
            safe: edit a copy of the file, which replaces it when it is whole.
        """
        _pystoa.annotate(*self._edited(), column, attribute, value, safe)

    def check(
        self,
        *,
        strict: bool = False,
        indexes: bool = False,
        threads: int = 0,
        progress: Progress | None = None,
    ) -> list[Finding]:
        """What breaks HEP001 in this table: nothing if the list is empty.

        Args:
            strict: a broken SHOULD refuses the table, too.
            indexes: compare the indexes with their columns.
        """
        from ._files import check

        return check(self.path, self.object, strict=strict, indexes=indexes, threads=threads,
                     progress=progress)  # fmt: skip


def _reopen(path: str, object: str, files: Sequence[str], how: dict[str, bool]) -> Table:
    return Table(path, object, files=files, **how)


def _limit(limit: int | None) -> int:
    if limit is None:
        return -1
    if limit < 0:
        raise ValueError(f"limit is a number of rows, not {limit}")
    return min(limit, 2**63 - 1)


def _sample(sample: int | None) -> int:
    if sample is not None and sample < 1:
        raise ValueError(f"sample is a number of rows, 1 or more, not {sample}")
    return sample or 0


def _value(texts: Texts, value: Any) -> str:
    """An assignment: a text is language, as everywhere; lit() makes a value of it."""
    return value if isinstance(value, str) else texts.where(literal(value)) or ""


def _pairs(texts: Mapping[str, Any] | None) -> list[tuple[str | None, str]] | None:
    """Settings by column; a column of "" is every other one."""
    return None if texts is None else [(key or None, str(text)) for key, text in texts.items()]
