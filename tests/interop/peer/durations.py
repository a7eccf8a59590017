"""Durations of pyarrow, pandas and PyTables. make | pandas FILE | pytables FILE | h5py FILE | arkouda FILE

Row 1 of every column is missing where the layout has a word for it; PyTables has none.
"""

import sys

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import tables

TICKS = [1500, 0, -7, 86400 * 366, -(2**40), 0]
UNITS = ["s", "ms", "us", "ns"]
MASK = np.array([False, True, False, False, False, False])


def frame(units):
    """As pandas keeps it: in nanoseconds."""
    columns = {}
    for unit in units:
        values = np.array(TICKS, f"m8[{unit}]").astype("m8[ns]")
        values[MASK] = np.timedelta64("NaT")
        columns[unit] = values
    return pd.DataFrame(columns)


def write_arrow(name, units, mask=MASK):
    arrays = {u: pa.array(np.array(TICKS, "i8"), pa.duration(u), mask=mask) for u in units}
    table = pa.table(arrays)
    with pa.ipc.new_file(name, table.schema) as out:
        out.write_table(table)


how, name = (*sys.argv[1:], None)[:2]
if how == "make":
    write_arrow("durations.arrow", UNITS)
    write_arrow("whole.arrow", UNITS, None)
    for unit in ("us", "ns"):  # alike but for the unit
        array = pa.array([1, 2], pa.duration(unit))
        with pa.ipc.new_file(f"one-{unit}.arrow", pa.schema([("d", array.type)])) as out:
            out.write_batch(pa.record_batch([array], ["d"]))
    frame(UNITS[1:]).to_hdf("table.h5", key="t", format="table")
    frame(UNITS[1:]).to_hdf("fixed.h5", key="t", format="fixed")
    labelled = frame(["ms"]).set_index(pd.to_timedelta(np.arange(6), "h"))
    labelled.to_hdf("table.h5", key="labelled", format="table")
    labelled.to_hdf("fixed.h5", key="labelled", format="fixed")
elif how == "pandas":
    pd.testing.assert_frame_equal(pd.read_hdf(name, "t"), frame(UNITS[1:]))
    # pandas reads such an index of the table format as int64, its own, too.
    wanted = pd.read_hdf(f"{name.split('-')[0]}.h5", "labelled")
    pd.testing.assert_frame_equal(pd.read_hdf(name, "labelled"), wanted, check_freq=False)
elif how == "pytables":
    with tables.open_file(name) as file:
        for unit in UNITS:
            column = file.root.t.cols._f_col(unit)
            assert column.dtype == "int64" and list(column) == TICKS, unit
            assert file.root.t.attrs[f"FIELD_{UNITS.index(unit)}_ATTR_units"] == unit
elif how == "h5py":
    with h5py.File(name) as file:
        for unit in UNITS:
            column = file["t"][unit]
            assert column.dtype == "<i8" and column.attrs["units"].decode() == unit, unit
            assert column.attrs["stoa_arrow_type"].decode() == "duration", unit
            missing = column[()] == column.fillvalue
            assert (missing == MASK).all(), unit
            assert (column[()][~MASK] == np.array(TICKS)[~MASK]).all(), unit
else:
    with h5py.File(name) as file:
        for unit in UNITS[1:]:
            array = file[unit]
            assert array.attrs["ObjType"] == 8 and array.dtype == "<i8", unit
            wanted = frame([unit])[unit].to_numpy().astype("i8")
            assert (array[()] == wanted).all(), unit
