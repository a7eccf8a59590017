"""The class Query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from . import _pystoa, _values

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from ._pystoa import Array, Reader


class Query(_pystoa.Query):
    """A question to a table. Each to_...() runs it anew, and so does any library that takes Arrow.

    >>> q = table.query("energy > ?", [5], columns=["energy"], limit=2)
    >>> q.to_list()
    [{'energy': 6.5}, {'energy': 8.25}]
    >>> import pyarrow; pyarrow.table(q).num_rows  # doctest: +SKIP
    2
    """

    __slots__ = ("__weakref__",)

    def read(self) -> Reader:
        """The result as batches, one after the other: each is an Array with the columns by name.

        The file stays locked for reading until the last batch. Use it in a `with`, or read to the
        end.
        """
        return self._reader()

    def __iter__(self) -> Iterator[Array]:
        return self._reader()

    def _repr_html_(self) -> str:
        from . import _html

        return _html.query(self)

    def to_list(self) -> list[dict[str, Any]]:
        """The rows as dicts, None for a missing value."""
        return [row for batch in self for row in batch.to_list()]

    def to_numpy(self) -> dict[str, Any]:
        """A NumPy array for each column; a masked one where values are missing."""
        import numpy as np

        with self.read() as reader:
            schema = reader.schema
            batches = list(reader)
        out = {}
        for i, name in enumerate(schema.names):
            parts = [_values.view(np, batch[name]) for batch in batches]
            found = _values.joined(np, parts) if parts else _values.empty(np, schema[i])
            out[name] = np.array(found, copy=True, subok=True) if len(parts) == 1 else found
        return out

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow.Table."""
        import pyarrow

        return _taken(pyarrow.table, self)

    def to_polars(self) -> polars.DataFrame:
        """A polars.DataFrame."""
        import polars

        frame: polars.DataFrame = _taken(polars.DataFrame, self)
        return frame

    def to_pandas(
        self, *, dtype_backend: str | None = None, index: bool = False
    ) -> pandas.DataFrame:
        """A pandas.DataFrame, whose attrs["units"] has the units of columns.

        Args:
            dtype_backend: "pyarrow" or "numpy_nullable" keep integers that are missing; None is
                what pandas does by itself. Each needs pyarrow.
            index: the columns that label the rows become the index.
        """
        import pandas

        try:
            import pyarrow
        except ImportError:
            if dtype_backend is not None:
                raise
            import numpy as np

            columns = self.to_numpy()
            for name, values in columns.items():
                if isinstance(values, np.ma.MaskedArray):
                    columns[name] = _values.unmasked(np, values)
            frame = pandas.DataFrame(columns)
        else:
            options: dict[str, Any] = {}
            if dtype_backend == "pyarrow":
                options["types_mapper"] = pandas.ArrowDtype
            elif dtype_backend == "numpy_nullable":
                options["types_mapper"] = _nullable(pyarrow, pandas).get
            elif dtype_backend is not None:
                raise ValueError(f"dtype_backend is 'pyarrow' or 'numpy_nullable', "
                                 f"not {dtype_backend!r}")  # fmt: skip
            frame = _taken(pyarrow.table, self).to_pandas(**options)
        known = ((field.name, _values.units_of(field)) for field in self.schema)
        units = {name: text for name, text in known if text}
        if units:
            frame.attrs["units"] = units
        labels = [name for name in self.table.index_columns if name in frame.columns]
        return frame.set_index(labels) if index and labels else frame


def _taken(take: Callable[[Any], Any], query: Query) -> Any:
    """What another library makes of a result. On Ctrl-C it raises an error of its own; the signal that
    waits behind that is raised by the next call."""
    try:
        return take(query)
    except Exception:
        _call()
        raise


def _call() -> None:
    pass


def _nullable(pyarrow: Any, pandas: Any) -> dict[Any, Any]:
    names = ["Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"]
    types = {getattr(pyarrow, name.lower())(): getattr(pandas, name + "Dtype")() for name in names}
    types |= {
        pyarrow.float32(): pandas.Float32Dtype(),
        pyarrow.float64(): pandas.Float64Dtype(),
        pyarrow.bool_(): pandas.BooleanDtype(),
        pyarrow.string(): pandas.StringDtype(),
        pyarrow.large_string(): pandas.StringDtype(),
    }
    return types
