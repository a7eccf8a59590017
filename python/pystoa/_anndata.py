"""read_h5ad(): the cells of an AnnData file that pass a filter."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ._errors import ArgumentError, FileMissingError
from ._expressions import Expression
from ._paths import Path
from ._table import Params, Table

if TYPE_CHECKING:
    import anndata

_BLOCK = 1 << 22  # values that are read at once
_GAP = 1 << 15  # so many values between two lines take longer to read than a second call


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
        params: values for the parameters of the filters: a dict for those with names of both, or a list
            for the `?` of one of them.

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
    if params is not None and not isinstance(params, Mapping) and obs is not None and var is not None:
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
    if isinstance(params, Mapping) and isinstance(where, str):
        params = {name: value for name, value in params.items() if re.search(rf":{re.escape(name)}\b", where)}
    with Table(path, frame) as table:
        own = params if isinstance(where, str) else None
        return table._passing(where, own or None)


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


def _blocks(lines: Any, starts: Any) -> Iterator[Any]:
    """The lines that are asked for, in blocks of which each is read in one go.

    Args:
        lines: their numbers, ascending; None: all.
        starts: where each line begins in the file, in values, and where the last one ends.
    """
    import numpy as np

    lines = np.arange(len(starts) - 1) if lines is None else lines
    if len(lines) == 0:
        return
    begin, end = starts[lines].astype("i8"), starts[lines + 1].astype("i8")
    far = begin[1:] - end[:-1] > _GAP
    cuts = [0, *(np.flatnonzero(far) + 1).tolist(), len(lines)]
    for first, stop in zip(cuts, cuts[1:]):
        while first < stop:  # one that is too long is cut
            limit = int(np.searchsorted(end[first:stop], begin[first] + _BLOCK, side="right"))
            block = lines[first : first + max(1, limit)]
            yield block
            first += len(block)


def _dense(data: Any, rows: Any, columns: Any) -> Any:
    import numpy as np

    n_rows = data.shape[0] if rows is None else len(rows)
    shape = (n_rows, *data.shape[1:])
    if columns is not None:
        shape = (n_rows, len(columns), *data.shape[2:])
    out = np.empty(shape, dtype=data.dtype)
    width = max(1, int(np.prod(data.shape[1:])))
    at = 0
    for block in _blocks(rows, np.arange(data.shape[0] + 1) * width):
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
    n_others = shape[1] if is_csr else shape[0]
    data, indices, ends = group["data"], group["indices"], group["indptr"][:].astype("i8")
    parts: list[tuple[Any, Any, Any]] = []  # lengths, indices and values of some lines
    for block in _blocks(lines, ends):
        low, high = int(ends[block[0]]), int(ends[block[-1] + 1])
        n = ends[block + 1] - ends[block]
        part = n, indices[low:high], data[low:high]
        if n.sum() < high - low:  # other lines are in between
            at = np.repeat(ends[block] - low - (np.cumsum(n) - n), n) + np.arange(n.sum())
            part = n, part[1][at], part[2][at]
        if others is not None:
            whole = make(_parts(np, [part]), shape=(len(n), n_others) if is_csr else (n_others, len(n)))
            whole = whole[:, others] if is_csr else whole[others]
            part = np.diff(whole.indptr), whole.indices, whole.data
        parts.append(part)
    n_lines = sum(len(part[0]) for part in parts)
    size = n_lines, n_others if others is None else len(others)
    if not parts:
        return make(size if is_csr else size[::-1], dtype=data.dtype)
    return make(_parts(np, parts), shape=size if is_csr else size[::-1])


def _parts(np: Any, parts: list[tuple[Any, Any, Any]]) -> tuple[Any, Any, Any]:
    """Values, indices and ends of lines, as SciPy takes them."""
    lengths, indices, values = (np.concatenate(items) for items in zip(*parts))
    return values, indices, np.concatenate([[0], np.cumsum(lengths)])
