"""Attributes that users gave a PyTables table, and whether they are there in another file.

    notes.py make          notes.h5
    notes.py compare FILE  with notes.h5: those that are plain

Warnings are errors. What differs is printed.
"""

import datetime
import sys
import warnings

import numpy as np
import tables

PLAIN = {
    "run": 7,
    "text": "hello é",
    "stop": "ends with a full stop.",
    "empty": "",
    "real": 1.5,
    "single": np.float32(2.5),
    "yes": np.bool_(True),
    "array": np.arange(4),
    "matrix": np.arange(6.0).reshape(2, 3),
    "bytes_array": np.array([b"a", b"bb"]),
    "raw": b"bytes",
}
PICKLED = {"some": [1, "a", None], "more": {"x": 1, "y": (1, 2.5)}, "nothing": None,
           "when": datetime.datetime(2020, 1, 1)}  # fmt: skip


def make():
    with tables.open_file("notes.h5", "w") as file:
        table = file.create_table("/", "t", np.zeros(3, [("a", "i4")]), title="a title")
        for name, value in (PLAIN | PICKLED).items():
            table.attrs[name] = value


def compare(name):
    with tables.open_file(name) as file:
        attributes = file.root.t.attrs
        found = {key: attributes[key] for key in attributes._f_list("user")}
        for key in sorted(found.keys() | PLAIN.keys()):
            same = key in found and key in PLAIN and np.array_equal(found[key], PLAIN[key])
            if not same or np.asarray(found[key]).dtype != np.asarray(PLAIN[key]).dtype:
                print(key, repr(found.get(key)), repr(PLAIN.get(key)))
        if file.root.t.title != "a title":
            print("title", file.root.t.title)


warnings.simplefilter("ignore" if sys.argv[1] == "make" else "error")
make() if sys.argv[1] == "make" else compare(sys.argv[2])
