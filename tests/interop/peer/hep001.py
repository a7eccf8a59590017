"""A reader of HEP001 tables in h5py and numpy, written from the specification alone."""

import re

import h5py
import numpy as np

import references

TICKS = {
    "nanoseconds": 1,
    "microseconds": 10**3,
    "milliseconds": 10**6,
    "seconds": 10**9,
    "days": 86400 * 10**9,
}
TIME = re.compile(r"(\w+) since 1970-01-01(T00:00:00)?(Z?)")


class Column:
    """A column's rows [0, NROWS), as they are stored and as they are meant."""

    def __init__(self, dataset, n_rows):
        self.dataset = dataset
        self.name = dataset.name.rsplit("/", 1)[1]
        self.dcpl = dataset.id.get_create_plist()
        self.datatype = dataset.id.get_type()
        self.raw = dataset[:n_rows]  # NROWS counts, not the extent (§7.3)
        self.fill = dataset.fillvalue
        self.missing = is_missing(self.raw, self.fill)

    @property
    def units(self):
        return text_of(self.dataset.attrs["units"]) if "units" in self.dataset.attrs else None

    @property
    def is_time(self):
        return self.units is not None and TIME.fullmatch(self.units) is not None

    @property
    def is_zoned(self):
        return self.units.endswith("Z")

    def values(self):
        """A Python value a row, None where it is missing; times as nanoseconds since 1970."""
        values = self.raw.tolist()
        if "CATEGORIES" in self.dataset.attrs:
            [path] = references.resolve(self.dataset, "CATEGORIES")
            labels = [text_of(label) for label in self.dataset.file[path][:].tolist()]
            values = [None if m else labels[v] for v, m in zip(values, self.missing, strict=True)]
        elif self.is_time:
            tick = TICKS[TIME.fullmatch(self.units).group(1)]
            values = [v * tick for v in values]
        return [
            None if m else text_of(v) if isinstance(v, bytes) else v
            for v, m in zip(values, self.missing, strict=True)
        ]


class Table:
    def __init__(self, group):
        self.group = group
        if text_of(group.attrs["CLASS"]) != "COLUMN_TABLE":  # §7.1
            raise ValueError(f"{group.name} is no table")
        self.n_rows = int(group.attrs["NROWS"])
        names = [n for n, v in group.items() if isinstance(v, h5py.Dataset)]  # §8.2
        if "column-order" in group.attrs:
            order = [text_of(name) for name in group.attrs["column-order"].tolist()]
            if sorted(order) != sorted(names):
                raise ValueError(f"column-order {order} does not list the columns {names} (§12)")
            names = order
        self.columns = {name: Column(group[name], self.n_rows) for name in names}


def text_of(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def is_missing(raw, fill):
    """The canonical missing-value test (§8.5), a bool a row."""
    if raw.dtype.kind == "f":
        if np.isnan(fill):
            return np.isnan(raw)
        of = f"{raw.dtype.byteorder}u{raw.dtype.itemsize}"
        return raw.view(of) == np.array(fill, raw.dtype).view(of)
    if raw.dtype.kind == "O":
        return np.array([value == fill for value in raw.tolist()], bool)
    return raw == fill


def tables_of(file):
    """Every table of an open h5py.File."""
    names = ["/"]
    file.visit(names.append)
    groups = [o for o in (file.get(name) for name in names) if isinstance(o, h5py.Group)]
    return [Table(group) for group in groups if "CLASS" in group.attrs]
