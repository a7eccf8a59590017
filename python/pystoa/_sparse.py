"""Sparse arrays: boxes of them as SciPy's matrices, as NumPy's arrays, or as coordinates and values."""

from __future__ import annotations

import json
import math
import operator
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _pystoa
from ._errors import ArgumentError, LayoutError, RangeError
from ._paths import Path
from ._progress import shown

if TYPE_CHECKING:
    import numpy

    from ._progress import Progress

_FORMATS = ("csr", "csc", "coo")


class Entries(NamedTuple):
    """Stored elements, in row-major order; those of an AnnData matrix as the file has them."""

    coordinates: Any  #: int64, shape (n, ndim)
    values: Any  #: shape (n,)


# --- types ---------------------------------------------------------------------------------------


def _dtype(np: Any, spec: Any) -> Any:
    """The NumPy type of what the extension says in JSON."""
    if isinstance(spec, str):
        return np.dtype(spec)
    if isinstance(spec, list):
        return np.dtype((_dtype(np, spec[0]), tuple(spec[1])))
    formats = [_dtype(np, part) for part in spec["formats"]]
    if spec["names"] == ["r", "i"] and formats[0] == formats[1] and formats[0].kind == "f":
        size = formats[0].itemsize
        if size > 2 and spec["itemsize"] == 2 * size:
            return np.dtype(f"c{2 * size}")  # as h5py stores complex numbers
    return np.dtype({**spec, "formats": formats})


def _type_name(spec: Any) -> str:
    """The type in words, without NumPy."""
    if isinstance(spec, list):
        return "array"
    if isinstance(spec, dict):
        parts = (spec["names"], spec["formats"])
        complexes = {"f4": "complex64", "f8": "complex128"}
        same = parts[0] == ["r", "i"] and parts[1][0] == parts[1][1]
        return complexes.get(parts[1][0], "compound") if same else "compound"
    words = {"i": "int", "u": "uint", "f": "float"}
    return f"{words[spec[0]]}{8 * int(spec[1:])}" if spec[0] in words else "bool" if spec == "?" else spec


def _array_of(np: Any, data: bytearray | bytes, dtype: Any) -> Any:
    """Bytes as values; a type with a shape gives more dimensions."""
    base, shape = dtype.base, dtype.shape
    if not data:
        return np.empty((0, *shape), dtype=base)
    return np.frombuffer(data, dtype=base).reshape(-1, *shape)


# --- selections ----------------------------------------------------------------------------------


def _bounds(key: Any, axis: int, extent: int) -> tuple[int, int, bool]:
    """The first index of a part of a key, how many there are, and whether the dimension stays."""
    if isinstance(key, slice):
        first, last, step = key.indices(extent)
        if step != 1:
            raise ArgumentError(f"dimension {axis}: a sparse array is cut by steps of 1, not {step}")
        return first, max(0, last - first), True
    try:
        at = operator.index(key)
    except TypeError:
        raise TypeError(f"dimension {axis} is cut by an integer or a slice, not "
                        f"{type(key).__name__}; SciPy takes the rest: a[:].to_scipy()[...]") from None  # fmt: skip
    if isinstance(key, bool):
        raise TypeError(f"dimension {axis} is cut by an integer or a slice, not bool")
    if not -extent <= at < extent:
        raise IndexError(f"index {at} of dimension {axis}, which has {extent}")
    return at % extent, 1, False


def _parts(key: Any, ndim: int) -> list[Any]:
    """A key with a part for each dimension."""
    parts = list(key) if isinstance(key, tuple) else [key]
    dots = [i for i, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1:
        raise IndexError("only one ... stands in a key")
    n = len(parts) - len(dots)
    if n > ndim:
        raise IndexError(f"{n} indices for an array of {ndim} dimensions")
    at = dots[0] if dots else n
    return [*parts[:at], *[slice(None)] * (ndim - n), *parts[at + len(dots) :]]


class SparseSelection:
    """A box of a sparse array. Each call reads it, and nothing else, from the file.

    Attributes:
        array: the array.
        shape: the extents; a dimension that an integer picked is left out.
    """

    __slots__ = ("_count", "_kept", "_start", "array")

    def __init__(self, array: SparseArray, start: tuple[int, ...], count: tuple[int, ...],
                 kept: tuple[int, ...]) -> None:  # fmt: skip
        self.array = array
        self._start = start
        self._count = count
        self._kept = kept

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return tuple(self._count[axis] for axis in self._kept)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._kept)

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The NumPy type of the values."""
        return self.array.dtype

    def read(self, *, progress: Progress | None = None) -> Entries:
        """The stored elements: coordinates within the selection, and values.

        Elements that are stored are there also if their value is the fill value.

        Args:
            progress: called as progress(stage, rows, total_rows).

        >>> at, values = pystoa.sparse("net.h5", "/net")[:, 1:].read()  # doctest: +SKIP
        >>> at.tolist(), values.tolist()  # doctest: +SKIP
        ([[0, 0], [1, 1]], [5.0, 7.0])
        """
        import numpy as np

        at, values, lengths = self._read(np, progress)
        if self._lines is not None:
            line = np.repeat(np.arange(len(lengths)), lengths)
            at = np.stack([line, at] if self._lines == 0 else [at, line], axis=-1)
        if self.ndim < len(self._start):
            at = at[:, self._kept]
        return Entries(at, values)

    @property
    def _lines(self) -> int | None:
        """The dimension of the lines of an AnnData matrix."""
        return {"csr": 0, "csc": 1}.get(self.array.kind)

    def _read(self, np: Any, progress: Progress | None) -> tuple[Any, Any, Any]:
        """Coordinates in the box, values, and nothing; of an AnnData matrix the indices across its lines,
        values, and the number of entries in each line."""
        array = self.array
        coordinates, values, spec, lengths = _pystoa.sparse_read(
            array.path, array.object, array._follow, self._start, self._count, shown(progress)
        )
        at = _array_of(np, coordinates, np.dtype("i8"))
        start = self._start
        if self._lines is None:
            at = at.reshape(-1, len(start))
            at -= np.array(start, dtype="i8")
        else:
            at -= start[1 - self._lines]
        return at, _array_of(np, values, _dtype(np, json.loads(spec))), _array_of(np, lengths, np.dtype("i8"))

    def to_scipy(self, format: str = "csr", *,
                 progress: Progress | None = None) -> Any:  # fmt: skip
        """A sparse array of SciPy. One of other than two dimensions has the format "coo".

        SciPy's arrays know no fill value, so one that is not zero is refused. Entries of an AnnData
        matrix at the same place add up, as SciPy has it.

        Args:
            format: "csr", "csc" or "coo".
            progress: called as progress(stage, rows, total_rows).

        Raises:
            TypeError: the values are no numbers.
            ValueError: the fill value is not zero.
        """
        import numpy as np
        from scipy import sparse

        if format not in _FORMATS:
            raise ArgumentError(f"a format is one of {', '.join(_FORMATS)}, not {format!r}")
        if any(self.array._fill):
            raise ArgumentError("undefined elements are "
                                f"{self.array.fill_value}, and SciPy has them as 0: read() gives "
                                "coordinates and values", self.array._place)  # fmt: skip
        at, values, lengths = self._read(np, progress)
        if values.ndim != 1 or values.dtype.kind not in "biufc" or values.dtype == "f2":
            raise TypeError(f"SciPy has no sparse arrays of {self.dtype}: read() gives coordinates "
                            "and values")  # fmt: skip
        most = max(*self._count, len(values))
        index = np.dtype("i4" if most <= np.iinfo("i4").max else "i8")
        whole = self._count
        found: Any
        if self._lines is not None or (len(whole) == 2 and format == "csr"):  # rows come in order
            if self._lines is None:
                lengths, at = np.bincount(at[:, 0], minlength=whole[0]), at[:, 1]
            make = sparse.csc_array if self._lines == 1 else sparse.csr_array
            ends = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
            found = make((values, at.astype(index), ends), shape=whole)
        else:
            found = sparse.coo_array((values, tuple(at.T.astype(index))), shape=whole)
        if self.ndim == len(whole):
            return found.asformat(format) if self.ndim == 2 else found
        found = found.tocoo()
        places = found.coords if hasattr(found, "coords") else (found.row, found.col)
        return sparse.coo_array((found.data, tuple(places[axis] for axis in self._kept)), shape=self.shape)

    def to_numpy(self, *, progress: Progress | None = None) -> Any:
        """A dense NumPy array of this shape. Elements that are not stored have the fill value."""
        import numpy as np

        at, values = self.read(progress=progress)
        inner = values.shape[1:]
        out = np.empty((math.prod(self.shape), *inner), dtype=values.dtype)
        out[...] = self.array.fill_value
        steps = [math.prod(self.shape[axis + 1 :]) for axis in range(self.ndim)]
        places = at @ np.array(steps, dtype="i8")
        if self.array.kind != "array" and values.dtype.kind in "iufc":
            np.add.at(out, places, values)  # entries of AnnData at the same place add up
        else:
            out[places] = values
        return out.reshape((*self.shape, *inner))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        values = self.to_numpy()
        return values if dtype is None else values.astype(dtype)

    def __len__(self) -> int:
        if not self._kept:
            raise TypeError("a selection without dimensions has no length")
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        """A part of the selection; a value for an integer in each dimension."""
        start, count, kept = list(self._start), list(self._count), []
        for axis, part in zip(self._kept, _parts(key, self.ndim)):
            first, n, stays = _bounds(part, axis, self._count[axis])
            start[axis], count[axis] = self._start[axis] + first, n
            kept += [axis] if stays else []
        part = SparseSelection(self.array, tuple(start), tuple(count), tuple(kept))
        return part if kept else part.to_numpy()[()]

    def __repr__(self) -> str:
        texts = [
            f"{first}:{first + n}" if axis in self._kept else str(first)
            for axis, (first, n) in enumerate(zip(self._start, self._count))
        ]
        return f"<SparseSelection {self.array._place}[{', '.join(texts)}]: {_words(self.shape)}>"


class SparseArray:
    """A sparse array of a file, or a sparse matrix of AnnData. Make one by pystoa.sparse().

    The file is open only while a call reads it. Shape and number of elements are those of the time
    when the array was opened.

    Attributes:
        path: the name of the file.
        object: the path of the array in it.
        kind: "array"; "csr" or "csc" for matrices of AnnData.
        shape: the extents.
        nnz: the number of stored elements.
        chunks: the shape of chunks; None for a matrix of AnnData.
        stored_bytes: of the chunks in the file.

    >>> net = pystoa.sparse("net.h5", "/net")
    >>> net
    <SparseArray net.h5:/net: 2 x 3, 2 stored, float64>
    >>> net[0:1, :].to_scipy()  # doctest: +SKIP
    >>> net[:, 1:]
    <SparseSelection net.h5:/net[0:2, 1:3]: 2 x 2>
    """

    path: str
    object: str
    kind: str
    shape: tuple[int, ...]
    nnz: int
    chunks: tuple[int, ...] | None
    stored_bytes: int

    def __init__(self, path: Path, object: str, *,
                 follow_external: bool = False) -> None:  # fmt: skip
        self.path = os.fsdecode(path)
        self.object = object if object.startswith("/") else f"/{object}"
        self._follow = follow_external
        try:
            found = _pystoa.sparse_info(self.path, self.object, follow_external)
        except LayoutError as error:
            if error.where != self._place:  # the file is none of HDF5
                raise
            raise LayoutError("is no sparse array; pystoa.open() opens tables", self._place) from None
        self._spec = found["type"]
        self._fill: bytes = found["fill"]
        self.kind = found["kind"]
        self.shape = found["shape"]
        self.nnz = found["nnz"]
        self.chunks = found["chunks"]
        self.stored_bytes = found["stored_bytes"]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The NumPy type of the values."""
        import numpy as np

        return _dtype(np, json.loads(self._spec))  # type: ignore[no-any-return]

    @property
    def fill_value(self) -> Any:
        """The value of elements that are not stored."""
        import numpy as np

        return _array_of(np, self._fill, self.dtype)[0]

    @property
    def _place(self) -> str:
        return f"{self.path}:{self.object}"

    def __getitem__(self, key: Any) -> Any:
        """A box, as a SparseSelection, by integers and slices; a value for integers alone."""
        everything = SparseSelection(self, (0,) * self.ndim, self.shape, tuple(range(self.ndim)))
        return everything[key]

    def read(self, *, progress: Progress | None = None) -> Entries:
        """All stored elements, as SparseSelection.read()."""
        return self[...].read(progress=progress)  # type: ignore[no-any-return]

    def to_scipy(self, format: str = "csr", *,
                 progress: Progress | None = None) -> Any:  # fmt: skip
        """All of the array, as SparseSelection.to_scipy()."""
        return self[...].to_scipy(format, progress=progress)

    def to_numpy(self, *, progress: Progress | None = None) -> Any:
        """All of the array as a dense NumPy array."""
        return self[...].to_numpy(progress=progress)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self[...].__array__(dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, or an array of another process, opens the file anew."""
        return _reopen, (self.path, self.object, self._follow)

    def __repr__(self) -> str:
        kind = "" if self.kind == "array" else f", {self.kind} of AnnData"
        return (f"<SparseArray {self._place}: {_words(self.shape)}, {self.nnz} stored, "
                f"{_type_name(json.loads(self._spec))}{kind}>")  # fmt: skip


def _words(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "one element"


def _reopen(path: str, object: str, follow_external: bool) -> SparseArray:
    return SparseArray(path, object, follow_external=follow_external)


def sparse(path: Path, name: str, *, follow_external: bool = False) -> SparseArray:
    """Open a sparse array, or a sparse matrix of AnnData.

    Args:
        path: the file.
        name: the path of the array in it.
        follow_external: also read other files that this one refers to (docs/security.md).

    Raises:
        FileNotFoundError: there is no such file.
        KeyError: there is no such object.
        ValueError: the object is no sparse array.
        TypeError: NumPy has no type for its elements.

    >>> pystoa.sparse("net.h5", "/net").shape
    (2, 3)
    """
    return SparseArray(path, name, follow_external=follow_external)


# --- writing -------------------------------------------------------------------------------------


def _of_dense(np: Any, values: Any, fill: Any) -> tuple[Any, Any, tuple[int, ...]]:
    """The elements of a dense array that differ from the fill value."""
    if np.ndim(fill) != 0:
        raise TypeError("the fill value is one element")
    missing = 0 if fill is None else fill
    differs = ~np.isnan(values) if missing != missing else values != missing  # noqa: PLR0124, NaN
    return np.argwhere(differs), values[differs], values.shape


def _of_scipy(np: Any, matrix: Any) -> tuple[Any, Any, tuple[int, ...]]:
    found = matrix.tocoo()
    if not found.has_canonical_format:  # entries at the same place add up
        found = found.copy()
        found.sum_duplicates()
    places = found.coords if hasattr(found, "coords") else (found.row, found.col)
    return np.stack(places, axis=-1), found.data, found.shape


def _elements(np: Any, data: Any, fill: Any) -> tuple[Any, Any, tuple[int, ...] | None]:
    """Coordinates, values and the shape of what Python has."""
    if isinstance(data, (SparseArray, SparseSelection)):
        return (*data.read(), data.shape)
    if hasattr(data, "tocoo"):
        return _of_scipy(np, data)
    if isinstance(data, tuple):
        if len(data) not in (2, 3):
            raise TypeError("a tuple has coordinates, values and the shape")
        return np.asarray(data[0]), np.asarray(data[1]), tuple(data[2]) if len(data) > 2 else None
    values = np.asarray(data)
    if values.ndim == 0:
        raise TypeError(f"a sparse array is made of SciPy's, of NumPy's or of a tuple (coordinates, "
                        f"values, shape), not of {type(data).__name__}")  # fmt: skip
    return _of_dense(np, values, fill)


def _word(values: Any) -> str:
    """The type as the extension takes it."""
    dtype = values.dtype
    word = "?" if dtype.kind == "b" else f"{dtype.kind}{dtype.itemsize}"
    if dtype.kind not in "biufc" or dtype.itemsize > (16 if dtype.kind == "c" else 8):
        raise TypeError(f"a sparse array is not written with values of type {dtype}")
    return word


def _checked(np: Any, at: Any, values: Any, shape: tuple[int, ...] | None) -> tuple[Any, tuple[int, ...]]:
    """Coordinates as uint64, and the shape, which holds them all."""
    if at.ndim == 1 and at.size == 0 and shape is not None:
        at = np.empty((0, len(shape)), dtype="i8")
    if at.ndim != 2 or values.ndim != 1 or len(at) != len(values):
        raise ValueError(f"coordinates have the shape (n, ndim) and values (n,), not {at.shape} and "
                         f"{values.shape}")  # fmt: skip
    if at.dtype.kind not in "iu":
        raise TypeError(f"coordinates are integers, not {at.dtype}")
    if shape is None:
        if len(at) == 0:
            raise ValueError("without elements a sparse array needs a shape")
        shape = tuple(int(n) + 1 for n in at.max(axis=0))
    shape = tuple(operator.index(n) for n in shape)
    if not shape or len(shape) != at.shape[1] or min(shape) < 0:
        raise ValueError(f"{shape} is no shape for coordinates of {at.shape[1]} dimensions")
    if len(at) and (int(at.min()) < 0 or any(int(n) >= m for n, m in zip(at.max(axis=0), shape))):
        raise RangeError(f"an element is outside of the shape {shape}")
    return np.ascontiguousarray(at, dtype="u8"), shape


def _fill_of(np: Any, fill: Any, dtype: Any) -> bytes:
    given = np.asarray(fill)
    with np.errstate(all="ignore"):
        value = given.astype(dtype)
    if given.shape != () or (given == given and value != given):  # noqa: PLR0124, NaN
        raise TypeError(f"the fill value {fill!r} is no {dtype}")
    return bytes(value.tobytes())


def write_sparse(
    path: Path,
    name: str,
    data: Any,
    *,
    shape: tuple[int, ...] | None = None,
    fill: Any = None,
    chunks: tuple[int, ...] | None = None,
    codec: str | None = None,
    replace: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write a sparse array into a file, which is made if there is none. It happens wholly or not at all.

    Args:
        name: the path of the array, "/net".
        data: a matrix or array of scipy.sparse; a tuple (coordinates, values, shape) of arrays of
            the shapes (n, ndim) and (n,), where the last of two at one place wins; a dense array,
            whose elements other than the fill value are stored; a SparseArray or a selection.
        shape: the extents; None: those of the data.
        fill: the value of elements that are not stored; None: 0.
        chunks: the shape of chunks; None: about 2**20 elements.
        codec: how values are packed: "zstd", "deflate:6", "lz4"; None: not at all.
        replace: replace a sparse array that is there.
        progress: called as progress(stage, elements, total_elements).

    Returns:
        The number of elements that were given.

    >>> pystoa.write_sparse("new.h5", "/net", ([[0, 1], [1, 2]], [5.0, 7.0], (2, 3)))  # doctest: +SKIP
    2
    """
    import numpy as np

    at, values, known = _elements(np, data, fill)
    if fill is None and isinstance(data, (SparseArray, SparseSelection)):
        array = data if isinstance(data, SparseArray) else data.array
        fill = array.fill_value
    at, extent = _checked(np, at, values, shape if shape is not None else known)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    word = _word(values)
    filled = None if fill is None else _fill_of(np, fill, values.dtype)
    return _pystoa.sparse_write(
        path, name, word, extent, at.reshape(-1).view("u1"),
        np.ascontiguousarray(values).view("u1"), filled,
        None if chunks is None else tuple(map(operator.index, chunks)), codec, replace, shown(progress),
    )  # fmt: skip


__all__ = ["Entries", "SparseArray", "SparseSelection", "sparse", "write_sparse"]
