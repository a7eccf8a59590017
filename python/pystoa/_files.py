"""Functions for files, and the class File."""

from __future__ import annotations

import glob
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from . import _pystoa
from ._errors import ArgumentError
from ._paths import Path, local
from ._progress import Progress, shown
from ._table import Table, _pairs
from ._values import grid

if TYPE_CHECKING:
    import polars


class Object(NamedTuple):
    """A table of a file, as ls() lists it."""

    path: str  #: the place in the file
    layout: str  #: one of pystoa.layouts, or "plain"
    kind: str  #: "table"; "columns" is a combination of arrays; "unreadable" has a problem
    rows: int  #: how many
    columns: int  #: how many
    bytes: int  #: as stored in the file
    problem: str | None = None  #: why it, or a part of it, cannot be read


class ArrayObject(NamedTuple):
    """A sparse array of a file, or a matrix of AnnData."""

    path: str  #: the place in the file
    layout: str  #: whose array it is
    kind: str  #: what it is, in a word
    shape: tuple[int, ...]  #: the extents
    bytes: int  #: as stored in the file


class Finding(NamedTuple):
    """A rule of HEP001 that an object breaks."""

    path: str  #: the object
    level: str  #: "MUST", "SHOULD" or "INFO"
    section: str  #: where HEP001 has the rule
    rule: str  #: its name, as `stoa rules` lists it
    message: str  #: what was found
    refuses: bool  #: the table is refused
    column: str | None  #: the column that it is about
    revision: str  #: the revision of HEP001 by which the table was judged


class File:
    """A file of any layout: its tables by their paths.

    The file itself is opened by each call alone, so that a File blocks no writer. Tables that came
    from it are closed with it.

    >>> file.tables
    ['/events']
    >>> file["/events"].shape
    (4, 3)
    """

    def __init__(self, path: Path, *, follow_external: bool = False, map: bool = False) -> None:
        self.path = os.fsdecode(path)
        self._follow = follow_external
        self._map = map
        self._open: dict[str, Table] | None = {}
        _pystoa.probe(self.path, follow_external)

    def _tables(self) -> dict[str, Table]:
        if self._open is None:
            raise ArgumentError("the file is closed", self.path)
        return self._open

    def objects(self) -> list[Object]:
        """The tables, with their layouts, rows and sizes."""
        self._tables()
        return ls(self.path, follow_external=self._follow)

    @property
    def tables(self) -> list[str]:
        """The paths of the tables."""
        return [o.path for o in self.objects() if o.kind != "unreadable"]

    @property
    def arrays(self) -> list[ArrayObject]:
        """The sparse arrays, matrices of AnnData, and datasets that are of no table. The last are opened as tables."""
        return self._everything()[1]

    def _everything(self) -> tuple[list[Object], list[ArrayObject]]:
        self._tables()
        return _listed(self.path, self._follow)

    def tree(self) -> str:
        """What is in the file, as a text of a line for each object."""
        tables, arrays = self._everything()
        rows = [[o.path, o.layout, f"{o.rows} rows", f"{o.columns} columns"] for o in tables]
        rows += [[a.path, a.layout, " x ".join(map(str, a.shape)), a.kind] for a in arrays]
        return f"{self.path}\n{grid(sorted(rows))}"

    def __getitem__(self, path: str) -> Table:
        tables = self._tables()
        if path not in tables or tables[path].closed:
            tables[path] = Table(self.path, path, follow_external=self._follow, map=self._map)
        return tables[path]

    def __contains__(self, path: object) -> bool:
        return path in self.tables

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def close(self) -> None:
        """Close the tables that came from here."""
        for table in (self._open or {}).values():
            table.close()
        self._open = None

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._open is None

    def __enter__(self) -> File:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (self.path, self._follow, self._map)

    def __repr__(self) -> str:
        return f"<File {self.path}, closed>" if self.closed else f"<File {self.tree()}>"

    def _repr_html_(self) -> str:
        from . import _html

        return _html.file(self)


def _reopen(path: str, follow_external: bool, map: bool) -> File:
    return File(path, follow_external=follow_external, map=map)


def _names(path: Path | Sequence[Path]) -> list[str]:
    """The files that a name, a pattern or a list of them stands for."""
    if not isinstance(path, (str, os.PathLike)):
        return [name for one in path for name in _names(one)]
    files = local(path)
    name = files[0] if len(files) == 1 else ""
    if name == "" or os.path.exists(name):
        return files
    set_of_files = _pystoa.find_file(name)
    if set_of_files is not None:
        return [set_of_files]
    return sorted(glob.glob(name), key=os.fsencode) or [name]


def _is_pattern(name: str, object: str, follow_external: bool) -> bool:
    """Whether an object of the file is not meant literally, as "/ch*/hit" is not."""
    if not any(c in object for c in "*?") and (object.endswith("]") or "[" not in object):
        return False
    try:
        Table(name, object, follow_external=follow_external).close()
    except (LookupError, ValueError):
        return True
    return False


@overload
def open(
    path: Path, object: None = None, *, follow_external: bool = False, map: bool = False
) -> File: ...
@overload
def open(
    path: Path | Sequence[Path],
    object: str,
    *,
    by_name: bool = False,
    strict: bool = False,
    follow_external: bool = False,
    map: bool = False,
) -> Table: ...


def open(
    path: Path | Sequence[Path],
    object: str | None = None,
    *,
    by_name: bool = False,
    strict: bool = False,
    follow_external: bool = False,
    map: bool = False,
) -> File | Table:
    """Open a file of any layout, or a table in it.

    Args:
        path: a file, also as a URL of fsspec that has a local copy; several, or a pattern such as
            "run-*.lh5", are read as one table.
        object: the path of a table; None: the file. All tables that a pattern such as "/ch*/hit" matches
            are one table. Queries may name `file` and `object`, which tell where a row comes from.
        by_name: of several tables: a column that one of them lacks is missing there.
        strict: columns that cannot be read are an error. By default a warning names them, and the others
            answer. Of several tables: types that differ are refused. By default they are widened.
        follow_external: also read other files that this one refers to (docs/security.md).
        map: read tables from a memory map. Scans of uncompressed tables are up to three times as
            fast. If another program truncates the file meanwhile, or the disk fails, the process
            may end by SIGBUS.

    Raises:
        FileNotFoundError: there is no such file.
        KeyError: there is no such table.
        ValueError: it is no HDF5 file, or no table.

    >>> with pystoa.open("run.h5", "/events") as table:
    ...     len(table)
    4
    """
    names = _names(path)
    if not names:
        raise ArgumentError("a table needs one file or more")
    if len(names) > 1 and object is None:
        raise ArgumentError(f"{len(names)} files are read as one table: say which", names[0])
    if object is None:
        return File(names[0], follow_external=follow_external, map=map)
    if len(names) > 1 or _is_pattern(names[0], object, follow_external):
        return Table(
            names[0],
            object,
            files=names,
            follow_external=follow_external,
            by_name=by_name,
            strict=strict,
            map=map,
        )
    return Table(names[0], object, follow_external=follow_external, strict=strict, map=map)


def scan_polars(
    path: Path | Sequence[Path],
    object: str,
    *,
    follow_external: bool = False,
    map: bool = False,
    indexes: str = "trusted",
    threads: int = 0,
) -> polars.LazyFrame:
    """A table as a LazyFrame of Polars. Columns and filters go down into the scan and its indexes.

    Args:
        path: as for open().
        object: the path of the table.
        follow_external: also read other files that this one refers to.
        map: read from a memory map, as open() does.
        indexes: "trusted" search indexes are used, "all" of them, or "none".
        threads: at most so many; 0: one for each processor.

    >>> import polars as pl  # doctest: +SKIP
    >>> pystoa.scan_polars("run.h5", "/events").filter(pl.col("energy") > 5).collect()  # doctest: +SKIP
    """
    from ._polars import scan

    table = open(path, object, follow_external=follow_external, map=map)
    return scan(table, indexes=indexes, threads=threads)


def ls(path: Path, *, follow_external: bool = False) -> list[Object]:
    """The tables of a file, sorted by path.

    Args:
        follow_external: also list those that lie in other files, to which this one refers.

    >>> pystoa.ls("run.h5")[0].rows
    4
    """
    return _listed(path, follow_external)[0]


def _listed(path: Path, follow_external: bool) -> tuple[list[Object], list[ArrayObject]]:
    """The tables and the arrays of a file, found in one walk."""
    tables, arrays = _pystoa.objects(path, follow_external)
    found = []
    for table in tables:
        if table["kind"] == "unreadable":
            found.append(Object(table["path"], "", "unreadable", 0, 0, 0, table["problem"]))
        else:
            table["problem"] = table.pop("left_out")
            found.append(Object(**table))
    return found, [ArrayObject(**array) for array in arrays]


def check(
    path: Path,
    object: str | None = None,
    *,
    strict: bool = False,
    indexes: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[Finding]:
    """What breaks HEP001 in a table, or in each table of a file.

    Args:
        path: the file.
        object: the path of a table; None: all tables.
        strict: a broken SHOULD refuses a table, too.
        indexes: compare the indexes with their columns.
        threads: at most so many; 0: one for each processor.
        progress: called as progress(stage, rows, total_rows).

    Returns:
        What was found, of all levels; nothing if all is well. Tables with a finding that `refuses` break the
        specification.

    Raises:
        ValueError: the object is no table of HEP001, or the file no HDF5 file.

    >>> [finding.rule for finding in pystoa.check("run.h5") if finding.refuses]
    []
    """
    found = _pystoa.check(path, object, strict, indexes, threads, shown(progress))
    return [Finding(**finding) for finding in found]


def _indexes(indexes: Mapping[str, str | None] | Iterable[str] | None) -> Any:
    if indexes is None:
        return None
    if isinstance(indexes, str):
        raise TypeError("indexes is a dict of columns and kinds, or a list of columns")
    items = indexes.items() if isinstance(indexes, Mapping) else ((c, None) for c in indexes)
    return list(items)


def write(
    path: Path,
    name: str,
    data: Any,
    *,
    indexes: Mapping[str, str | None] | Iterable[str] | None = None,
    units: Mapping[str, str] | None = None,
    descriptions: Mapping[str, str] | None = None,
    title: str | None = None,
    description: str | None = None,
    index_columns: Sequence[str] = (),
    layout: str = "hep001",
    codec: str | None = None,
    chunk_rows: int = 0,
    replace: bool = False,
    portable: bool = False,
    plain_strings: bool = False,
    fills: Mapping[str, Any] | None = None,
    missing: Mapping[str, Any] | None = None,
    settings: Mapping[str, str] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> int:
    """Write a table into a file, which is made if there is none. A failure leaves the file as it was.

    Args:
        path: the file.
        name: the path of the table, "/events".
        data: an object with __arrow_c_stream__ or __arrow_c_array__ (tables of pyarrow, Polars,
            pandas and DuckDB, a Query of Stoa), a dict of columns (NumPy arrays, buffers, lists),
            or an iterable of these, which are batches.
        indexes: search indexes: {"time": "minmax", "id": "sorted"}, or a list of columns.
        units: units of columns, {"energy": "keV"}.
        descriptions: what the columns are.
        title: the title of the table.
        description: what the table holds.
        index_columns: columns that label the rows, outermost first.
        layout: "hep001", or another of pystoa.layouts.
        codec: how columns are packed (docs/codecs.md); None: what is best for each.
        chunk_rows: rows in a chunk; 0: the layout's default.
        replace: replace a table that is there.
        portable: use only what every reader of HDF5 has.
        plain_strings: never store texts as categories.
        fills: the values that stand for missing ones, by column (HEP001).
        missing: the same for layouts that hold no missing values; "" is every other column.
        settings: settings of single layouts, as `stoa convert --help` lists them.
        threads: at most so many; 0: one for each processor.
        progress: called as progress(stage, rows, total_rows).

    Returns:
        The number of rows.

    Raises:
        FileExistsError: there is such an object, and `replace` is not given.
        ValueError: the layout cannot hold the data without a loss; the message names the column.
        TypeError: the layout has no such type.

    >>> pystoa.write("new.h5", "/t", {"n": [1, 2, None], "label": ["a", "b", "c"]})
    3
    """
    notes: dict[str, dict[str, str]] = {}
    for key, texts in (("units", units), ("description", descriptions)):
        for column, text in (texts or {}).items():
            notes.setdefault(column, {})[key] = text
    return _pystoa.write(
        path, name, data, layout=None if layout == "hep001" else layout, notes=notes or None,
        title=title, description=description, codec=codec, chunk_rows=chunk_rows, replace=replace,
        portable=portable, plain_strings=plain_strings, index_columns=tuple(index_columns),
        indexes=_indexes(indexes), fills=_pairs(fills), missing=_pairs(missing),
        settings=_pairs(settings), threads=threads, progress=shown(progress),
    )  # fmt: skip


def convert(
    source: Path,
    target: Path,
    *,
    to: str,
    object: str | None = None,
    target_object: str | None = None,
    title: str | None = None,
    codec: str | None = None,
    chunk_rows: int = 0,
    replace: bool = False,
    widen: bool = False,
    fills: Mapping[str, Any] | None = None,
    missing: Mapping[str, Any] | None = None,
    settings: Mapping[str, str] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[tuple[str, str, int]]:
    """Convert the tables of a file to another layout, in another file or in the same.

    Args:
        source: the file that is read.
        target: the file that is written; it is made if there is none.
        to: "hep001", "pytables", "pandas", "lh5", "anndata": one of pystoa.layouts.
        object: one table; None: all of them.
        target_object: where it goes; None: the path that it has.
        title: the title of the table.
        codec: how columns are packed (docs/codecs.md); None: what is best for each.
        chunk_rows: rows in a chunk; 0: the layout's default.
        replace: replace tables that are there.
        widen: types of the files of a set that differ become the wider one.
        fills: the values that stand for missing ones, by column (HEP001).
        missing: the same for layouts that hold no missing values; "" is every other column.
        settings: settings of single layouts, as `stoa convert --help` lists them.
        threads: at most so many; 0: one for each processor.
        progress: called as progress(stage, rows, total_rows).

    Returns:
        The path of each table, its path in the target, and its number of rows. Objects that are no
        tables stay behind, with a warning; only files of AnnData are converted whole.

    >>> pystoa.convert("run.h5", "run-pytables.h5", to="pytables")
    [('/events', '/events', 4)]
    """
    if to not in _pystoa.layouts:
        raise ArgumentError(f"no layout {to!r} is written; there are {', '.join(_pystoa.layouts)}")
    tables, left = _pystoa.convert(
        source, target, to, object, target_object, title, codec, chunk_rows, replace, widen,
        _pairs(missing), _pairs(settings), _pairs(fills), threads, shown(progress),
    )  # fmt: skip
    if left:
        names = ", ".join(f"{path} ({kind})" for path, kind in left[:5])
        more = f" and {len(left) - 5} more" if len(left) > 5 else ""
        warnings.warn(f"{os.fsdecode(source)}: not converted, as no tables: {names}{more}",
                      stacklevel=2)  # fmt: skip
    return tables


__all__ = ["ArrayObject", "File", "Finding", "Object", "check", "convert", "ls", "open", "scan_polars",
           "write"]  # fmt: skip
