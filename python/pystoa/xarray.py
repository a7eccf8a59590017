"""The engine "stoa" of xarray: tables and sparse arrays as Datasets, whose values are read when needed.

    import xarray

    events = xarray.open_dataset("run.h5", engine="stoa", group="/events", chunks={})
    events.energy[events.det == 7].mean().compute()
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from xarray import Dataset, Variable
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

from ._errors import ArgumentError, ColumnTypeError, LayoutError
from ._files import open as open_place
from ._sparse import SparseArray
from ._table import Params, Table, Where
from ._values import empty, units_of, unmasked

__all__ = ["StoaBackendEntrypoint"]

GAP = 1 << 16  # rows that are read at once, though they are not asked for


def _lengths(part: Any, extent: int) -> tuple[int, int, Any]:
    """Where a part of a key begins and ends, and what it takes of that."""
    if isinstance(part, slice):
        wanted = range(*part.indices(extent))
        if not wanted:
            return 0, 0, slice(0, 0)
        low, high = min(wanted[0], wanted[-1]), max(wanted[0], wanted[-1])
        return low, high + 1, slice(None, None, wanted.step)
    if isinstance(part, np.ndarray):
        at = np.where(part < 0, part + extent, part)
        if len(at) == 0:
            return 0, 0, at
        low = int(at.min())
        return low, int(at.max()) + 1, at - low
    only = int(part) % extent
    return only, only + 1, 0


class _Column(BackendArray):
    """A column; `rows` are the rows that a filter left, or None."""

    def __init__(self, table: Table, name: str, rows: Any, as_float: bool) -> None:
        self.table = table
        self.name = name
        self.rows = rows
        self.as_float = as_float
        known = empty(np, table.schema[name])
        self.dtype = np.dtype("f8") if as_float else known.dtype
        self.shape = (len(table) if rows is None else len(rows), *known.shape[1:])

    def __getitem__(self, key: Any) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._values
        )

    def _values(self, key: tuple[Any, ...]) -> Any:
        first, rest = key[0], key[1:]
        if self.rows is not None:
            values = self._picked(np.atleast_1d(self.rows[first]))
            values = values if isinstance(first, (slice, np.ndarray)) else values[0]
        elif isinstance(first, np.ndarray):
            values = self._picked(first)
        else:
            low, high, wanted = _lengths(first, self.shape[0])
            values = self._read(low, high)[wanted]
        for axis, part in reversed(list(enumerate(rest))):
            values = values[(..., part, *(slice(None),) * (len(rest) - 1 - axis))]
        return values

    def _picked(self, rows: Any) -> Any:
        """Rows in any order. Those that are near each other are read together."""
        ordered, places = np.unique(np.where(rows < 0, rows + len(self.table), rows), return_inverse=True)
        pieces = [self._read(0, 0)]
        for run in np.split(ordered, np.flatnonzero(np.diff(ordered) > GAP) + 1) if len(ordered) else []:
            low = int(run[0])
            pieces.append(self._read(low, int(run[-1]) + 1)[run - low])
        return np.concatenate(pieces)[places]

    def _read(self, first: int, last: int) -> Any:
        values = self.table[self.name].read(first, last).to_numpy()
        if isinstance(values, np.ma.MaskedArray):
            values = self._without_mask(values)
        return values.astype(self.dtype, copy=False)

    def _without_mask(self, values: Any) -> Any:
        if self.as_float:
            return unmasked(np, values.astype("f8"))
        if values.dtype.kind not in "fcmMO":
            raise ColumnTypeError(f"column {self.name!r} has missing values of {values.dtype}, which xarray "
                                  f"does not hold; as_float=[{self.name!r}] reads them as NaN",
                                  self.table._place)  # fmt: skip
        return unmasked(np, values)


class _Sparse(BackendArray):
    """A sparse array as a dense one, of which boxes are read."""

    def __init__(self, array: SparseArray) -> None:
        self.array = array
        self.dtype = array.dtype
        self.shape = array.shape

    def __getitem__(self, key: Any) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._values
        )

    def _values(self, key: tuple[Any, ...]) -> Any:
        bounds = [_lengths(part, extent) for part, extent in zip(key, self.shape)]
        values = self.array[tuple(slice(low, high) for low, high, _ in bounds)].to_numpy()
        for axis, (_, _, wanted) in reversed(list(enumerate(bounds))):
            values = values[(*(slice(None),) * axis, wanted)]
        return values


def _sparse_dataset(array: SparseArray) -> Dataset:
    names = {1: ["index"], 2: ["row", "column"]}
    dims = names.get(array.ndim, [f"dim{i}" for i in range(array.ndim)])
    if array.dtype.names is not None or array.dtype.shape:
        raise ColumnTypeError(f"xarray has no variables of {array.dtype}", array._place)
    chunks = dict(zip(dims, array.chunks)) if array.chunks else {}
    variable = Variable(dims, indexing.LazilyIndexedArray(_Sparse(array)), encoding={"preferred_chunks": chunks})
    name = array.object.rpartition("/")[2]
    return Dataset({name if name not in dims else "value": variable})


def _column(table: Table, name: str, rows: Any, as_float: bool) -> Variable:
    field = table.schema[name]
    if field.format == "+s":
        raise ColumnTypeError(f"column {name!r} is {field.type}, which xarray does not hold; drop it by "
                              f"drop_variables=[{name!r}]", table._place)  # fmt: skip
    array = _Column(table, name, rows, as_float)
    dims = ["row", *(f"{name}_dim{i}" for i in range(1, len(array.shape)))]
    units = units_of(field)
    attrs = {"units": units} if units else {}
    attrs |= {"long_name": field.description} if field.description else {}
    chunk = table[name].storage["chunk_rows"]
    chunks = {"row": chunk, **dict(zip(dims[1:], array.shape[1:]))} if chunk and rows is None else {}
    return Variable(dims, indexing.LazilyIndexedArray(array), attrs, encoding={"preferred_chunks": chunks})


def _table_dataset(table: Table, drop: set[str], where: Where, params: Params, as_float: set[str]) -> Dataset:
    wrong = as_float - set(table.columns)
    if wrong:
        raise ArgumentError(f"as_float: there is no column {', '.join(sorted(wrong))}", table._place)
    rows = None if where is None else table._passing(where, params)
    names = [name for name in table.columns if name not in drop]
    variables = {name: _column(table, name, rows, name in as_float) for name in names}
    labels = [name for name in table.index_columns if name in variables]
    coords = {name: variables.pop(name) for name in labels}
    attrs = {key: value for key, value in table.attrs.items() if isinstance(value, (str, int, float))}
    return Dataset(variables, coords, attrs)


class StoaBackendEntrypoint(BackendEntrypoint):
    """What xarray.open_dataset(..., engine="stoa") calls."""

    description = "Tables and sparse arrays of HDF5 files: HEP001, PyTables, pandas, AnnData, LH5, Arkouda"

    def open_dataset(  # type: ignore[override]
        self,
        filename_or_obj: str | os.PathLike[str],
        *,
        drop_variables: str | Iterable[str] | None = None,
        group: str | None = None,
        where: Where = None,
        params: Params = None,
        as_float: Iterable[str] = (),
        follow_external: bool = False,
    ) -> Dataset:
        """A table with a dimension "row", or a sparse array with dimensions "row" and "column".

        Values are read when they are asked for. With `chunks={}` they become arrays of Dask in the
        file's chunks.

        Args:
            filename_or_obj: a file, or a pattern such as "run-*.h5".
            drop_variables: columns that are left out.
            group: the path of the table or of the sparse array; None: the only table.
            where: only the rows for which this is true; it is asked at once.
            params: values for the parameters of `where`.
            as_float: columns of integers and bools that are read as float64, NaN where missing.
            follow_external: also read other files that this one refers to (docs/security.md).
        """
        drop = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
        if group is not None and os.path.exists(filename_or_obj):
            try:
                array = SparseArray(filename_or_obj, group, follow_external=follow_external)
            except LayoutError:
                pass
            else:
                if where is not None or as_float:
                    raise ArgumentError("where and as_float are for tables", array._place)
                return _sparse_dataset(array)
        if group is None:
            table = Table(filename_or_obj, follow_external=follow_external)
        else:
            table = open_place(filename_or_obj, group, follow_external=follow_external)
        try:
            found = _table_dataset(table, drop, where, params, set(as_float))
        except BaseException:
            table.close()
            raise
        found.set_close(table.close)
        return found

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Never: other engines read HDF5 files as well, so this one is asked by its name."""
        return False
