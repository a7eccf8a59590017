"""Tables as DataFrames of Dask, in partitions on the bounds of chunks.

    import pystoa.dask

    frame = pystoa.dask.read("run-*.h5", "/events", columns=["energy", "det"], where="energy > 5000")
    frame.groupby("det").energy.mean().compute()
    pystoa.dask.write(frame, "selected-*.h5", "/events")

A partition that search indexes leave no row of is never scheduled. Each task opens its file anew, so that
threads, processes and other machines with the same files can run it.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ._errors import ArgumentError, ColumnTypeError
from ._files import _names
from ._files import write as write_table
from ._paths import Path
from ._table import Params, Table, Where
from ._texts import Texts

if TYPE_CHECKING:
    import dask.dataframe

__all__ = ["read", "write"]

Part = tuple[str, int, int]  # a file, and a range of its rows


class _Read:
    """The rows of a partition as a DataFrame. It is pickled with the graph."""

    def __init__(self, object: str, where: str | None, params: Any, columns: list[str],
                 options: dict[str, Any]) -> None:  # fmt: skip
        self.object = object
        self.where = where
        self.params = params
        self.columns = columns
        self.options = options

    def frame(self, table: Table, rows: slice, columns: Sequence[str]) -> Any:
        query = table.query(self.where, self.params, columns=list(columns), rows=rows,
                            indexes=self.options["indexes"], threads=self.options["threads"])  # fmt: skip
        return query.to_pandas(dtype_backend=self.options["dtype_backend"])

    def __call__(self, part: Part, columns: Sequence[str] | None = None) -> Any:
        path, first, last = part
        wanted = self.columns if columns is None else columns
        with _open(path, self.object, self.options) as table:
            empty = self.frame(table, slice(0, 0), wanted)
            frame = self.frame(table, slice(first, last), wanted)
            place = table._place
        for name in wanted:
            was, now = empty[name].dtype, frame[name].dtype
            if was.kind in "iub" and now != was:
                raise ColumnTypeError(f"column {name!r} has missing values of {was}, which a DataFrame "
                                      "keeps with dtype_backend='numpy_nullable' or 'pyarrow'", place)  # fmt: skip
        return frame


def _untyped(name: str) -> Any:
    """A module of Dask, which has types for a part of itself only."""
    return importlib.import_module(name)


def _open(path: str, object: str, options: dict[str, Any]) -> Table:
    return Table(path, object, follow_external=options["follow_external"])


def _chunk_rows(table: Table, columns: Sequence[str]) -> int:
    """The rows of the largest chunk; 1 if nothing is chunked."""
    return max([1, *(int(table[name].storage["chunk_rows"]) for name in columns)])


def _parts(table: Table, read: _Read, most: int) -> Iterator[Part]:
    """Partitions of a file that have rows which indexes leave for the filter."""
    chunk = _chunk_rows(table, read.columns)
    size = max(chunk, most // chunk * chunk)
    query = table.query(read.where, read.params, columns=list(read.columns), indexes=read.options["indexes"])
    known = -1
    for first, count in query._candidates():
        for i in range(max(known + 1, first // size), (first + count - 1) // size + 1):
            yield table.path, i * size, (i + 1) * size
            known = i


def _types(table: Table, columns: Sequence[str]) -> list[tuple[str, str]]:
    schema = table.schema
    return [(name, schema[name].type) for name in columns]


def read(
    path: Path | Sequence[Path],
    object: str,
    *,
    columns: Sequence[str] | None = None,
    where: Where = None,
    params: Params = None,
    partition_rows: int = 1_000_000,
    dtype_backend: str | None = None,
    indexes: str = "trusted",
    threads: int = 1,
    follow_external: bool = False,
) -> dask.dataframe.DataFrame:
    """A table, or one of many files, as a DataFrame of Dask.

    Columns that a computation does not need are not read. Rows have no common index.

    Args:
        path: a file, a pattern such as "run-*.h5", or several of these. Partitions do not cross files.
        object: the path of the table.
        columns: names of columns; None: all.
        where: a filter in the language of docs/query.md, or an expression of col(). Partitions that
            have no such rows by the search indexes are left out.
        params: values for the parameters of `where`.
        partition_rows: about so many rows for each partition, in whole chunks.
        dtype_backend: "numpy_nullable" or "pyarrow" for integers and bools that may be missing. By
            default a missing one is an error when its partition is read.
        indexes: "trusted" search indexes are used, "all" of them, or "none".
        threads: of each task; 0: one for each processor.
        follow_external: also read other files that these refer to (docs/security.md).

    Raises:
        ImportError: Dask is not installed.
        TypeError: a file has columns of other types than the first one.
    """
    dd, utils = _untyped("dask.dataframe"), _untyped("dask.dataframe.utils")
    if partition_rows < 1:
        raise ArgumentError(f"partition_rows is a number of rows, not {partition_rows}")
    files = [os.path.abspath(name) for name in _names(path)]
    if not files:
        raise ArgumentError("a table needs one file or more")
    options = {"dtype_backend": dtype_backend, "indexes": indexes, "threads": threads,
               "follow_external": follow_external}  # fmt: skip
    parts: list[Part] = []
    first: _Read | None = None
    types: list[tuple[str, str]] = []
    meta: Any = None
    for name in files:
        with _open(name, object, options) as table:
            if first is None:
                texts = Texts(params, table.columns)
                text = texts.where(where)
                first = _Read(table.object, text, texts.parameters(), list(columns or table.columns), options)
                types = _types(table, first.columns)
                meta = utils.clear_known_categories(first.frame(table, slice(0, 0), first.columns))
            elif _types(table, first.columns) != types:
                raise ColumnTypeError("the columns have other types than those of "
                                      f"{os.path.basename(files[0])}", f"{name}:{object}")  # fmt: skip
            parts += _parts(table, first, partition_rows)
    found: dask.dataframe.DataFrame = dd.from_map(
        first, parts or [(files[0], 0, 0)], meta=meta, enforce_metadata=False, label="read-stoa"
    )
    return found


def _write_part(frame: Any, path: str, name: str, index: bool, options: dict[str, Any]) -> str | None:
    frame = frame.reset_index(drop=not index)
    if len(frame) == 0:
        return None
    for column in frame.columns:
        if frame[column].dtype == object and frame[column].isna().all():
            frame[column] = frame[column].astype("string")  # else it is of no type at all
    write_table(path, name, frame, **options)
    return path


def write(
    frame: dask.dataframe.DataFrame,
    path: Path,
    name: str,
    *,
    index: bool = False,
    compute: bool = True,
    **options: Any,
) -> Any:
    """Write a DataFrame of Dask, one file for each partition. Each file is whole or not there.

    Args:
        frame: what to write.
        path: the names of files, where "*" stands for the number of the partition.
        name: the path of the table in each file.
        index: write the index as columns, too.
        compute: False: return a Delayed instead of writing now.
        options: those of pystoa.write(), such as units, indexes and replace.

    Returns:
        The files that were written. A partition without rows has none.

    Raises:
        ValueError: the path has no "*".
        FileExistsError: a file has such a table.
    """
    delayed = _untyped("dask").delayed
    pattern = os.path.abspath(os.fsdecode(path))
    if os.path.basename(pattern).count("*") != 1 or "*" in os.path.dirname(pattern):
        raise ArgumentError(f"one '*' in the name of the files stands for the partition, as in 'part-*.h5': "
                            f"{pattern!r}")  # fmt: skip
    untyped: Any = frame
    parts = untyped.to_delayed()
    width = len(str(len(parts) - 1))
    one = delayed(_write_part)
    tasks = [
        one(part, pattern.replace("*", f"{i:0{width}}"), name, index, options) for i, part in enumerate(parts)
    ]
    written = delayed(_written)(tasks)
    return written.compute() if compute else written


def _written(paths: list[str | None]) -> list[str]:
    return [path for path in paths if path is not None]
