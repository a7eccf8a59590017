"""The C part of pystoa: what python/src makes."""

import os
from collections.abc import Callable, Iterator
from typing import Any, TypedDict, overload

_Path = str | os.PathLike[str] | bytes
_Progress = Callable[[str, int, int], object] | None
_Params = Any
_Pairs = Any

version: str
layouts: tuple[str, ...]
codecs: tuple[str, ...]
index_kinds: tuple[str, ...]
functions: tuple[str, ...]
aggregates: tuple[str, ...]

class Schema:
    @property
    def name(self) -> str: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def type(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def nullable(self) -> bool: ...
    @property
    def ordered(self) -> bool: ...
    @property
    def dictionary(self) -> Schema | None: ...
    @property
    def units(self) -> str | None: ...
    @property
    def description(self) -> str | None: ...
    @property
    def metadata(self) -> dict[str, str]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: str | int, /) -> Schema: ...
    def __iter__(self) -> Iterator[Schema]: ...
    def __arrow_c_schema__(self) -> object: ...

class Array:
    @property
    def schema(self) -> Schema: ...
    @property
    def type(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def dictionary(self) -> Array | None: ...
    @property
    def null_count(self) -> int: ...
    def to_list(self) -> list[Any]: ...
    def to_numpy(self) -> Any: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: int, /) -> Any: ...
    @overload
    def __getitem__(self, key: str | slice, /) -> Array: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...
    def _mask(self) -> bytes | None: ...
    def _bools(self) -> bytes: ...
    def _items(self) -> Array: ...
    def _offsets(self) -> Array: ...

class Reader:
    @property
    def schema(self) -> Schema: ...
    def close(self) -> None: ...
    def __iter__(self) -> Iterator[Array]: ...
    def __next__(self) -> Array: ...
    def __enter__(self) -> Reader: ...
    def __exit__(self, *exception: object) -> None: ...

class Table:
    def __init__(
        self,
        path: _Path,
        object: str | None = None,
        files: tuple[bytes, ...] = (),
        follow_external: bool = False,
        by_name: bool = False,
        strict: bool = False,
        map: bool = False,
    ) -> None: ...
    @property
    def closed(self) -> bool: ...
    @property
    def object(self) -> str: ...
    @property
    def layout(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def description(self) -> str | None: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def index_columns(self) -> list[str]: ...
    @property
    def left_out(self) -> list[str]: ...
    @property
    def schema(self) -> Schema: ...
    @property
    def _trust(self) -> str: ...
    @property
    def _running(self) -> int: ...
    def __len__(self) -> int: ...
    def close(self) -> None: ...
    def _read(self, column: str, first: int, count: int, /) -> Array: ...
    def _storage(self, column: str, /) -> dict[str, Any]: ...
    def _attributes(self, column: str | None, /) -> list[tuple[str, str, bool]]: ...
    def _indexes(self) -> list[dict[str, Any]]: ...
    def _readable(self) -> tuple[str | None, list[tuple[str, str, str]]]: ...

class Query:
    def __init__(
        self,
        table: Table,
        where: str | None = None,
        columns: str | None = None,
        aggregates: str | None = None,
        by: str | None = None,
        sort: str | None = None,
        parameters: _Params = None,
        limit: int = -1,
        indexes: str = "trusted",
        threads: int = 0,
        memory: int = 0,
        row_numbers: bool = False,
        progress: _Progress = None,
        first_row: int = 0,
        n_rows: int = 0,
        having: str | None = None,
        offset: int = 0,
        distinct: bool = False,
        sample: int = 0,
        seed: int = 0,
    ) -> None: ...
    @property
    def table(self) -> Table: ...
    @property
    def schema(self) -> Schema: ...
    @property
    def hint(self) -> str: ...
    def explain(self, run: bool = False) -> str: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def _reader(self) -> Reader: ...
    def _candidates(self) -> list[tuple[int, int]]: ...

class _ArrayObject(TypedDict):
    path: str
    layout: str
    kind: str
    shape: tuple[int, ...]
    bytes: int

class _SparseInfo(TypedDict):
    kind: str
    shape: tuple[int, ...]
    chunks: tuple[int, ...] | None
    type: str
    fill: bytes
    nnz: int
    stored_bytes: int

class _Finding(TypedDict):
    path: str
    level: str
    section: str
    rule: str
    message: str
    refuses: bool
    column: str | None
    revision: str

def probe(path: _Path, follow_external: bool, /) -> None: ...
def objects(
    path: _Path, follow_external: bool = False
) -> tuple[list[dict[str, Any]], list[_ArrayObject]]: ...
def find_file(path: _Path, /) -> str | None: ...
def check(
    path: _Path,
    object: str | None = None,
    strict: bool = False,
    indexes: bool = False,
    threads: int = 0,
    progress: _Progress = None,
) -> list[_Finding]: ...
def write(
    path: _Path,
    object: str,
    data: Any,
    layout: str | None = None,
    notes: dict[str, dict[str, str]] | None = None,
    title: str | None = None,
    description: str | None = None,
    codec: str | None = None,
    chunk_rows: int = 0,
    replace: bool = False,
    portable: bool = False,
    plain_strings: bool = False,
    index_columns: tuple[str, ...] = (),
    indexes: _Pairs = None,
    fills: _Pairs = None,
    missing: _Pairs = None,
    settings: _Pairs = None,
    threads: int = 0,
    progress: _Progress = None,
) -> int: ...
def append(
    path: _Path,
    object: str,
    data: Any,
    missing: _Pairs = None,
    drop_indexes: bool = False,
    threads: int = 0,
    progress: _Progress = None,
    safe: bool = False,
) -> int: ...
def update(
    path: _Path,
    object: str,
    where: str | None,
    assignments: _Pairs,
    parameters: _Params = None,
    drop_indexes: bool = False,
    progress: _Progress = None,
    safe: bool = False,
) -> int: ...
def delete(
    path: _Path,
    object: str,
    where: str,
    parameters: _Params = None,
    drop_indexes: bool = False,
    progress: _Progress = None,
    safe: bool = False,
) -> int: ...
def add_index(
    path: _Path,
    object: str,
    column: str,
    kind: str | None = None,
    progress: _Progress = None,
    safe: bool = False,
) -> str: ...
def drop_index(
    path: _Path, object: str, column: str, kind: str | None = None, safe: bool = False
) -> None: ...
def verify_indexes(
    path: _Path, object: str, threads: int = 0, progress: _Progress = None
) -> list[tuple[str, bool, str]]: ...
def repair_indexes(
    path: _Path, object: str, threads: int = 0, progress: _Progress = None
) -> list[tuple[str, str, str, str]]: ...
def annotate(
    path: _Path,
    object: str,
    column: str | None,
    attribute: str,
    value: str | None,
    safe: bool = False,
) -> None: ...
def convert(
    source: _Path,
    target: _Path,
    layout: str,
    source_object: str | None = None,
    target_object: str | None = None,
    title: str | None = None,
    codec: str | None = None,
    chunk_rows: int = 0,
    replace: bool = False,
    widen: bool = False,
    missing: _Pairs = None,
    settings: _Pairs = None,
    fills: _Pairs = None,
    threads: int = 0,
    progress: _Progress = None,
) -> tuple[list[tuple[str, str, int]], list[tuple[str, str]]]: ...
def sparse_info(path: _Path, object: str, follow_external: bool, /) -> _SparseInfo: ...
def sparse_read(
    path: _Path,
    object: str,
    follow_external: bool,
    start: tuple[int, ...],
    count: tuple[int, ...],
    progress: _Progress,
    /,
) -> tuple[bytearray, bytearray, str, bytearray]: ...
def sparse_write(
    path: _Path,
    object: str,
    type: str,
    shape: tuple[int, ...],
    coordinates: Any,
    values: Any,
    fill: bytes | None,
    chunks: tuple[int, ...] | None,
    codec: str | None,
    replace: bool,
    progress: _Progress,
    /,
) -> int: ...
def _open_ids() -> int: ...
def _metadata(schema: object, /) -> list[tuple[str, str]]: ...
