"""Compare tables that Stoa made with what they were made from.

    read_back.py JOBS

JOBS is a JSON list of {"file", "expect"}: "expect" is a CSV file, to be read by pandas, or a table
of columns {name: {"values": [...], "is_time": false}}, times being nanoseconds since 1970.
Prints one line for each column that differs, and nothing else.
"""

import json
import struct
import sys

import h5py
import pandas as pd

import hep001


def of_csv(path, cache={}):  # noqa: B006 the cache is meant to last
    """pandas' reading of a CSV file, as JOBS has it."""
    if path not in cache:
        frame = pd.read_csv(path, keep_default_na=False, na_values=[""], low_memory=False)
        cache[path] = {name: _of_series(frame[name]) for name in frame.columns}
    return cache[path]


def _of_series(series):
    is_time = "date" in series.name.lower()
    if is_time:
        series = pd.to_datetime(series, format="ISO8601")
        values = series.astype("datetime64[ns]").astype("int64").tolist()
    else:
        values = series.tolist()
    missing = series.isna().tolist()
    return {
        "values": [None if m else v for v, m in zip(values, missing, strict=True)],
        "is_time": is_time,
    }


def same(a, b):
    """Equal, and of a kind; floats by their bits, for -0.0 is not 0.0; NaN has many."""
    if a is None or b is None or isinstance(a, str) or isinstance(b, str):
        return type(a) is type(b) and a == b
    if isinstance(a, float) and isinstance(b, float):
        return struct.pack("d", a) == struct.pack("d", b) or (a != a and b != b)
    return a == b


def differences(table, expected):
    if list(table.columns) != list(expected):
        yield f"columns {list(table.columns)}, not {list(expected)}"
        return
    for name, column in table.columns.items():
        found, wanted = column.values(), expected[name]["values"]
        if column.is_time != expected[name]["is_time"]:
            yield f"column {name!r}: units {column.units!r}"
        if len(found) != len(wanted):
            yield f"column {name!r}: {len(found)} rows, not {len(wanted)}"
            continue
        wrong = [i for i, (f, w) in enumerate(zip(found, wanted, strict=True)) if not same(f, w)]
        if wrong:
            i = wrong[0]
            yield (
                f"column {name!r}: {len(wrong)} values differ, first row {i}: {found[i]!r}, "
                f"not {wanted[i]!r}; stored as {column.raw[i]!r}, fill {column.fill!r}"
            )


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        jobs = json.load(file)
    for job in jobs:
        expected = job["expect"] if isinstance(job["expect"], dict) else of_csv(job["expect"])
        with h5py.File(job["file"]) as file:
            [table] = hep001.tables_of(file)
            for line in differences(table, expected):
                print(f"{job['file']}: {line}")


if __name__ == "__main__":
    main()
