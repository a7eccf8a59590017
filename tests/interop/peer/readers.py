"""Read tables as programs do that do not know HEP001 (docs/readers.md).

    readers.py xarray FILE EXPECTED.json     columns by xarray's netcdf4 engine
    readers.py script FILE.py NAME           what a script binds to NAME, as JSON

Prints one line for each difference, or the JSON.
"""

import json
import math
import sys

import numpy as np
import xarray


def value_of(value):
    """Of a number or a time; None for NaN and NaT."""
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else str(value)
    if isinstance(value, (np.floating, float)) and math.isnan(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


def compare(file, expected):
    """expected: {column: [dtype, [values]]}, where times are text and missing ones null."""
    dataset = xarray.open_dataset(file, group="t", engine="netcdf4").load()
    for name, (dtype, values) in expected.items():
        found = dataset[name]
        if str(found.dtype) != dtype:
            print(f"{name} is {found.dtype}, not {dtype}")
        for row, (is_, wanted) in enumerate(zip(found.values, values, strict=True)):
            if isinstance(wanted, str):
                wanted = str(np.datetime64(wanted, "ns"))
            if value_of(is_) != wanted:
                print(f"{name}[{row}] is {value_of(is_)!r}, not {wanted!r}")


def main():
    if sys.argv[1] == "xarray":
        with open(sys.argv[3], encoding="utf-8") as text:
            compare(sys.argv[2], json.load(text))
    else:
        names = {}
        with open(sys.argv[2], encoding="utf-8") as text:
            exec(text.read(), names)
        print(json.dumps(names[sys.argv[3]]))


main()
