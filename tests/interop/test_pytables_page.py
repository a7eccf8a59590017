"""Each type of docs/layouts/pytables.md is read as the page says, wherever it stands."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import HERE

PAIR = {"r": 0.0, "i": 0.0}
RAW = "00" * 16
SECONDS, MICROS = "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"
# The first words of a row of the page: {column of /t: its type and the value in its rows}.
ROWS = {
    "int8 ... uint64": {"i1": ("int8", 0), "u8": ("uint64", 0), "f2": ("float16", 0.0),
                        "f8": ("float64", 0.0)},
    "bool": {"b": ("bool", False)},
    "complex64": {"c": ("struct", PAIR)},
    "float128": {"ld": ("fixed_binary[16]", RAW), "cld": ("struct", {"r": RAW, "i": RAW})},
    "string(n)": {"s": ("string", "ab")},
    "time32": {"t32": ("timestamp[s, UTC]", SECONDS)},
    "time64": {"t64": ("timestamp[us, UTC]", MICROS)},
    "enum": {"e": ("category", "red")},
    "a cell": {f"{name}_cell": ("fixed_list[2]", [value] * 2) for name, value in (
        ("i1", 0), ("f8", 0.0), ("b", False), ("c", PAIR), ("s", "ab"), ("e", "red"), ("ld", RAW),
        ("t32", SECONDS), ("t64", MICROS))},
    "nested": {"nested": ("struct", {
        "b": False, "c": PAIR, "cld": {"r": RAW, "i": RAW}, "e": "red", "f2": 0.0, "f8": 0.0, "i1": 0,
        "ld": RAW, "s": "ab", "t32": SECONDS, "t64": MICROS, "u8": 0})},
}  # fmt: skip
LISTS = {"i1": [0] * 3, "f8": [0.0] * 3, "s": [""] * 3, "e": ["red"] * 3, "c": [PAIR] * 3,
         "b": [False] * 3, "t32": [SECONDS] * 3, "t64": [MICROS] * 3}  # fmt: skip
PSEUDO = {"vlunicode": ("string", "x"), "vlstring": ("binary", "78")}

# In both: the same kinds of columns, at any depth, of the same shapes and widths.
SAME_TYPES = """
import tables, warnings
warnings.simplefilter("error")
def kinds(description, is_within=False):
    for name, column in sorted(description._v_colobjects.items()):
        if isinstance(column, tables.Description):
            yield name, list(kinds(column, True))
        elif column.kind == "string":  # as long as the longest
            yield name, column.kind, column.shape
        elif column.kind == "enum" and (is_within or column.shape):  # HEP001 has texts there
            yield name, "string", column.shape
        else:
            yield name, column.kind, column.itemsize, column.shape
with tables.open_file("types.h5") as a, tables.open_file("back.h5") as b:
    one, other = (list(kinds(f.root.goes.description)) for f in (a, b))
    wrong = [pair for pair in zip(one, other) if repr(pair[0]) != repr(pair[1])]
    assert len(one) == len(other) and not wrong, wrong
"""


class Page(stoa_test.SharedPeersTestCase):
    @classmethod
    def make(cls, shared):
        shared.put(f"{HERE}/peer/pytables_types.py")
        shared.peer("python3", "pytables_types.py")
        cls.file = shared.dir / "types.h5"

    def types(self, place):
        """The types that `stoa info` shows, by column."""
        lines = self.stoa("info", place).stdout.split("\n\n")[1].splitlines()
        return {line.split()[0]: line[line.index(" ") :].strip().split("  ")[0].strip()
                for line in lines[2:]}  # fmt: skip

    def first_row(self, place):
        return json.loads(self.stoa("query", place, "-n", "1", "-f", "jsonl").stdout)

    def test_columns_are_what_the_page_says(self):
        page = (stoa_test.SOURCE / "docs/layouts/pytables.md").read_text("utf-8")
        types, row = self.types(f"{self.file}:/t"), self.first_row(f"{self.file}:/t")
        for words, columns in ROWS.items():
            self.assertIn(f"\n| {words}", page)
            for name, (kind, value) in columns.items():
                with self.subTest(row=words, column=name):
                    self.assertEqual((types[name], repr(row[name])), (kind, repr(value)))

    def test_no_column_of_the_page_is_lost_on_the_way_there_and_back(self):
        own, back = f"{self.dir}/own.h5:/goes", f"{self.dir}/back.h5:/goes"
        row = self.first_row(f"{self.file}:/goes")
        self.stoa("convert", f"{self.file}:/goes", own, "--to", "hep001")
        self.assertEqual(self.first_row(own), row)
        self.stoa("convert", own, back, "--to", "pytables")
        self.assertEqual(self.first_row(back), row)
        stoa_test.peer_python(SAME_TYPES, [self.file, self.dir / "back.h5"])

    def test_pairs_that_pytables_takes_for_complex_numbers_are_refused(self):
        done = stoa_test.run(stoa_test.STOA, "convert", f"{self.file}:/t", f"{self.dir}/no.h5:/t",
                             "--to", "pytables")  # fmt: skip
        self.assertEqual(done.returncode, 3)
        self.assertIn("column 'cld' has two fields r and i", done.stderr)

    def test_lists_are_what_the_page_says(self):
        for name, value in LISTS.items():
            place = f"{self.file}:/list/{name}"
            self.assertEqual(self.types(place), {name: "list"})
            self.assertEqual(repr(self.first_row(place)), repr({name: value}))
        for name, (kind, value) in PSEUDO.items():
            place = f"{self.file}:/list/{name}"
            self.assertEqual(self.types(place), {name: kind})
            self.assertEqual(self.first_row(place), {name: value})
        self.assertEqual(self.types(f"{self.file}:/list/object"), {"object": "binary"})

    def test_arrays_are_what_columns_are(self):
        columns = self.types(f"{self.file}:/t")
        for name in ("i1", "u8", "f2", "f8", "ld", "b", "c", "cld", "s", "e"):
            self.assertEqual(self.types(f"{self.file}:/array/{name}"), {name: columns[name]})


if __name__ == "__main__":
    stoa_test.main()
