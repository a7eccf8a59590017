"""What a Python library shows of the first two rows of columns: see scripts/readers.

usage: python.py READER FILE GROUP COLUMN...

Prints the library's version, and a line for each column: its name and the two values, or "!" and why
there are none.
"""

import sys
import warnings

sys.path.pop(0)  # the test's directory holds other programs
warnings.simplefilter("ignore")


def whole(value):
    return " ".join(str(value).split())


def show(name, read):
    """`read` gives the two values of a column."""
    try:
        first, second = read()
        print(name, whole(first), whole(second), sep="\t", flush=True)
    except Exception as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        print(name, "!", whole(lines[0]), sep="\t", flush=True)


def h5py(file, group, names):
    import h5py

    print("version", h5py.__version__, sep="\t", flush=True)
    table = h5py.File(file)[group]
    for name in names:
        show(name, lambda: table[name][:2])


def pytables(file, group, names):
    import tables

    print("version", tables.__version__, sep="\t", flush=True)
    with tables.open_file(file) as opened:
        for name in names:
            show(name, lambda: opened.get_node(f"/{group}/{name}")[:2])


def pandas(file, group, names):
    """pandas' own reader, which wants files of pandas."""
    import pandas

    print("version", pandas.__version__, sep="\t", flush=True)
    for name in names:
        show(name, lambda: pandas.read_hdf(file, group)[name][:2])


def xarray(file, group, names):
    import functools

    import xarray

    opened = functools.cache(lambda place: xarray.open_dataset(file, group=place, engine="netcdf4"))
    print("version", xarray.__version__, sep="\t", flush=True)
    for name in names:
        place, _, column = f"{group}/{name}".rpartition("/")
        show(name, lambda: opened(place)[column][:2].values)


def netcdf4(file, group, names):
    import netCDF4

    print("version", netCDF4.__version__, sep="\t", flush=True)
    table = netCDF4.Dataset(file)[group]
    for name in names:
        show(name, lambda: table[name][:2])


globals()[sys.argv[1]](sys.argv[2], sys.argv[3], sys.argv[4:])
