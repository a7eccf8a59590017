"""read_h5ad(): the cells of an AnnData file that pass a filter."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ._errors import ArgumentError, FileMissingError
from ._expressions import Expression
from ._files import Path
from ._table import Params, Table

if TYPE_CHECKING:
    import anndata

_BLOCK = 1 << 22  # values that are read at once


def read_h5ad(
    filename: Path,
    obs: str | Expression | None = None,
    var: str | Expression | None = None,
    *,
    params: Params = None,
) -> anndata.AnnData:
    """Read the cells and the genes of an AnnData file that pass filters.

    Matrices are read in the parts that hold them, so that the rest of X, layers, obsm, obsp, raw and so
    on takes neither time nor memory. The frames obs and var themselves are read whole, and so is uns.

    Args:
        filename: the .h5ad file.
        obs: a filter of cells in the language of docs/query.md, "pct_mt < 5", or an expression of
            col(). Its columns are those of obs. None: all cells.
        var: the same of genes.
        params: values for the `?` and `:name` of both filters, obs first.

    Returns:
        What anndata.read_h5ad(filename)[cells, genes].copy() is: an anndata.AnnData in memory.

    Raises:
        ImportError: anndata is not installed.
        FileNotFoundError: there is no such file.
        ValueError: a filter cannot be understood, or the file is no AnnData file.
    """
    import anndata
    import h5py

    path = os.fsdecode(filename)
    if not os.path.exists(path):
        raise FileMissingError("no such file", path)
    if isinstance(params, (list, tuple)) and obs is not None and var is not None:
        raise TypeError("two filters take params by name, as a dict")
    cells, genes = _lines(path, "/obs", obs, params), _lines(path, "/var", var, params)
    with h5py.File(path, "r") as file:
        if file.attrs.get("encoding-type") != "anndata":  # written before AnnData 0.7
            if "obs" not in file or "var" not in file:
                raise ArgumentError("this is no AnnData file: it has no obs and var", path)
            whole = anndata.read_h5ad(path)
            return whole[_all(cells), _all(genes)].copy()
        return _Reader(file, cells, genes).read()


def _all(lines: Any) -> Any:
    return slice(None) if lines is None else lines


def _lines(path: str, frame: str, where: str | Expression | None, params: Params) -> Any:
    """The numbers of the rows of a frame that pass a filter; None: all."""
    if where is None:
        return None
    if isinstance(params, dict) and isinstance(where, str):
        params = {name: value for name, value in params.items() if re.search(rf":{name}\b", where)}
    with Table(path, frame) as table:
        own = params if isinstance(where, str) else None
        return table.row_numbers(where, own or None).to_numpy()["row"].astype("i8")


class _Reader:
    def __init__(self, file: Any, cells: Any, genes: Any) -> None:
        self.file = file
        self.cells = cells
        self.genes = genes

    def read(self) -> anndata.AnnData:
        import anndata
        from anndata.io import read_elem

        file, cells, genes = self.file, self.cells, self.genes
        # AnnData itself takes the rows of obs and var: it removes categories and their colours.
        frames = anndata.AnnData(obs=read_elem(file["obs"]), var=read_elem(file["var"]),
                                 uns=read_elem(file["uns"]) if "uns" in file else None)  # fmt: skip
        if cells is not None or genes is not None:
            frames = frames[_all(cells), _all(genes)].copy()
        if "X" in file:
            frames.X = _taken(file["X"], cells, genes)
        for name, rows, columns in (
            ("layers", cells, genes), ("obsm", cells, None), ("varm", genes, None),
            ("obsp", cells, cells), ("varp", genes, genes),
        ):  # fmt: skip
            for key in file.get(name, ()):
                getattr(frames, name)[key] = _taken(file[name][key], rows, columns)
        if "raw" in file:
            raw = file["raw"]
            whole = anndata.AnnData(X=_taken(raw["X"], cells, None) if "X" in raw else None,
                                    var=read_elem(raw["var"]), obs=frames.obs[[]])  # fmt: skip
            for key in raw.get("varm", ()):
                whole.varm[key] = read_elem(raw["varm"][key])
            frames.raw = whole
        return frames


def _taken(element: Any, rows: Any, columns: Any) -> Any:
    """Rows and columns of an element, which is read in the parts that have them; None: all."""
    from anndata.io import read_elem

    kind = element.attrs.get("encoding-type", "")
    if rows is None and columns is None:
        return read_elem(element)
    if kind in ("csr_matrix", "csc_matrix"):
        return _sparse(element, kind[:3], rows, columns)
    if kind == "array" and element.ndim >= 1:
        return _dense(element, rows, columns)
    found = read_elem(element)
    if rows is not None:
        found = found.iloc[rows] if hasattr(found, "iloc") else found[rows]
    return found if columns is None else found[:, columns]


def _blocks(lines: Any, n: int, size_of: Callable[[int, int], int]) -> Iterator[Any]:
    """The lines that are asked for, in blocks that are read in one go."""
    import numpy as np

    lines = np.arange(n) if lines is None else lines
    first = 0
    while first < len(lines):
        low, high = first, len(lines)
        while low + 1 < high:  # the longest block that is small enough
            middle = (low + high + 1) // 2
            if size_of(int(lines[first]), int(lines[middle - 1]) + 1) <= _BLOCK:
                low = middle
            else:
                high = middle - 1
        high = max(low, first + 1)
        yield lines[first:high]
        first = high


def _dense(data: Any, rows: Any, columns: Any) -> Any:
    import numpy as np

    n_rows = data.shape[0] if rows is None else len(rows)
    shape = (n_rows, *data.shape[1:])
    if columns is not None:
        shape = (n_rows, len(columns), *data.shape[2:])
    out = np.empty(shape, dtype=data.dtype)
    width = max(1, int(np.prod(data.shape[1:])))
    at = 0
    for block in _blocks(rows, data.shape[0], lambda a, b: (b - a) * width):
        first = int(block[0])
        part = data[first : int(block[-1]) + 1][block - first]
        out[at : at + len(block)] = part if columns is None else part[:, columns]
        at += len(block)
    return out


def _sparse(group: Any, form: str, rows: Any, columns: Any) -> Any:
    """Of a matrix in CSR or CSC, which lies in the file line by line: rows or columns."""
    import anndata
    import numpy as np
    import scipy.sparse as sp

    kind = "array" if getattr(anndata.settings, "use_sparse_array_on_read", False) else "matrix"
    make = getattr(sp, f"{form}_{kind}")
    shape = tuple(int(n) for n in group.attrs["shape"])
    is_csr = form == "csr"
    lines, others = (rows, columns) if is_csr else (columns, rows)
    n_lines, n_others = shape if is_csr else shape[::-1]
    ends = group["indptr"][:]
    parts = []
    for block in _blocks(lines, n_lines, lambda a, b: int(ends[b] - ends[a])):
        first, stop = int(block[0]), int(block[-1]) + 1
        low, high = int(ends[first]), int(ends[stop])
        size = (stop - first, n_others)
        part = make((group["data"][low:high], group["indices"][low:high], ends[first : stop + 1] - low),
                    shape=size if is_csr else size[::-1])  # fmt: skip
        if len(block) < stop - first:
            part = part[block - first] if is_csr else part[:, block - first]
        if others is not None:
            part = part[:, others] if is_csr else part[others]
        parts.append(part)
    if not parts:
        n = n_others if others is None else len(others)
        return make((0, n) if is_csr else (n, 0), dtype=group["data"].dtype)
    if len(parts) == 1:
        return parts[0]
    return (sp.vstack if is_csr else sp.hstack)(parts, format=form)
