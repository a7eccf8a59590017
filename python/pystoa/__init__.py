"""Columnar tables inside HDF5 files: queries, search indexes, all dialects, safe writes.

    import pystoa

    table = pystoa.open("run.h5", "/events")         # HEP001, PyTables, pandas, AnnData, LH5, ...
    table.query("energy > ? and det = ?", [5000, 7], columns=["energy"], limit=100).to_numpy()
    pystoa.write("new.h5", "/events", frame, indexes={"time": "minmax"}, units={"energy": "keV"})

docs/python.md is the guide, docs/query.md the language.
"""

from ._anndata import read_h5ad
from ._column import Column
from ._errors import (
    ArgumentError,
    Cancelled,
    ColumnTypeError,
    DataError,
    Error,
    ExistsError,
    FileMissingError,
    HDF5Error,
    LayoutError,
    LossError,
    NotFoundError,
    OutOfMemoryError,
    QuerySyntaxError,
    RangeError,
    SystemFailure,
    VersionError,
)
from ._expressions import Expression, col, fn, lit
from ._files import ArrayObject, File, Finding, Object, check, convert, ls, open, scan_polars, write
from ._pystoa import (
    Array,
    Reader,
    Schema,
    aggregates,
    codecs,
    functions,
    index_kinds,
    layouts,
    version,
)
from ._query import Query
from ._sparse import Entries, SparseArray, SparseSelection, sparse, write_sparse
from ._table import IndexCheck, IndexRepair, Table

__version__ = version

__all__ = [
    "ArgumentError",
    "Array",
    "ArrayObject",
    "Cancelled",
    "Column",
    "ColumnTypeError",
    "DataError",
    "Entries",
    "Error",
    "ExistsError",
    "Expression",
    "File",
    "FileMissingError",
    "Finding",
    "HDF5Error",
    "IndexCheck",
    "IndexRepair",
    "LayoutError",
    "LossError",
    "NotFoundError",
    "Object",
    "OutOfMemoryError",
    "Query",
    "QuerySyntaxError",
    "RangeError",
    "Reader",
    "Schema",
    "SparseArray",
    "SparseSelection",
    "SystemFailure",
    "Table",
    "VersionError",
    "aggregates",
    "check",
    "codecs",
    "col",
    "convert",
    "fn",
    "functions",
    "index_kinds",
    "layouts",
    "lit",
    "ls",
    "open",
    "read_h5ad",
    "scan_polars",
    "sparse",
    "version",
    "write",
    "write_sparse",
]
