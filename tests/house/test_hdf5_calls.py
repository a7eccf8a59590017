"""The library calls libhdf5 by src/hdf/hdf5.h alone, which takes its lock: every function is listed there."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

SRC = stoa_test.SOURCE / "src"
HEADER = "hdf/hdf5.h"
# Who asks whether libhdf5 has a lock.
LOCK = "hdf/hdf5_lock.c"
NAME = re.compile(r"\b(H5[A-Z]+[a-z]\w*)\s*\(")
INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]', re.MULTILINE)
# The RFC's, which src/sparse defines; how a connector keeps libhdf5's state; macros of libhdf5, of
# functions that are called within it; and what surrounds a call of the list (src/hdf/ids.c).
OTHERS = re.compile(
    r"H5VL(open|close)_lib_context|H5VLdataset_optional_op|H5PLget_plugin_\w+|H5E[gs]et_auto2"
)


def code(path):
    text = stoa_test.without_comments(path.read_text())
    return re.sub(r'"(\\.|[^"\\])*"', '""', INCLUDE.sub("", text))


def library():
    for path in sorted([*SRC.rglob("*.c"), *SRC.rglob("*.h")]):
        file = str(path.relative_to(SRC))
        if not file.startswith("cli/") and file not in (HEADER, LOCK):
            yield file, path


def reached(file, seen):
    if file not in seen:
        seen.add(file)
        for what in INCLUDE.findall((SRC / file).read_text()) if (SRC / file).is_file() else ():
            reached(what, seen)
    return seen


class Calls(stoa_test.TestCase):
    def setUp(self):
        self.listed = set(re.findall(r"#define (H5\w+)\(", (SRC / HEADER).read_text()))
        rfc = (stoa_test.SOURCE / "include/stoa/h5sparse.h").read_text()
        self.own = set(re.findall(r"#define (H5\w+)\(", rfc)) - self.listed

    def test_every_function_that_is_called_is_listed_and_no_other(self):
        called = set()
        for _, path in library():
            called |= {name for name in NAME.findall(code(path))
                       if name not in self.own and not OTHERS.fullmatch(name)}  # fmt: skip
        by_macros = {"H5open", "H5FDperform_init"}  # H5T_NATIVE_INT, H5FD_SEC2
        self.assertEqual(called - self.listed, set())
        self.assertEqual(self.listed - called - by_macros, set())

    def test_who_calls_includes_the_list(self):
        wrong = [file for file, path in library()
                 if self.listed & set(NAME.findall(code(path))) and HEADER not in reached(file, set())]  # fmt: skip
        self.assertEqual(wrong, [])

    def test_nobody_includes_libhdf5_past_it(self):
        wrong = [file for file, path in library()
                 if re.search(r"^#include <(hdf5|H5\w+)\.h>", path.read_text(), re.MULTILINE)]  # fmt: skip
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    stoa_test.main()
