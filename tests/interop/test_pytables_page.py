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
# The first words of a row of the page: {column of /t: its type and the value in its rows}.
ROWS = {
    "int8 ... uint64": {"i1": ("int8", 0), "u8": ("uint64", 0), "f2": ("float16", 0.0),
                        "f8": ("float64", 0.0)},
    "bool": {"b": ("bool", False)},
    "complex64": {"c": ("struct", PAIR)},
    "float128": {"ld": ("fixed_binary[16]", RAW), "cld": ("struct", {"r": RAW, "i": RAW})},
    "string(n)": {"s": ("string", "ab")},
    "time32": {"t32": ("timestamp[s, UTC]", "1970-01-01T00:00:00Z")},
    "time64": {"t64": ("timestamp[us, UTC]", "1970-01-01T00:00:00.000000Z")},
    "enum": {"e": ("category", "red")},
    "a cell": {f"{name}_cell": ("fixed_list[2]", [value] * 2) for name, value in (
        ("i1", 0), ("f8", 0.0), ("b", 0), ("c", PAIR), ("s", "ab"), ("e", "red"), ("ld", RAW),
        ("t32", "00" * 4), ("t64", "00" * 8))},
    "nested": {"nested": ("struct", {
        "b": 0, "c": PAIR, "cld": {"r": RAW, "i": RAW}, "e": "red", "f2": 0.0, "f8": 0.0, "i1": 0,
        "ld": RAW, "s": "ab", "t32": "00" * 4, "t64": "00" * 8, "u8": 0})},
}  # fmt: skip
LISTS = {"i1": [0] * 3, "f8": [0.0] * 3, "s": [""] * 3, "e": ["red"] * 3, "c": [PAIR] * 3,
         "b": [0] * 3}  # fmt: skip
PSEUDO = {"vlunicode": ("string", "x"), "vlstring": ("binary", "78")}


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
        own, back = f"{self.dir}/own.h5:/t", f"{self.dir}/back.h5:/t"
        self.stoa("convert", f"{self.file}:/t", own, "--to", "hep001")
        row = self.first_row(f"{self.file}:/t")
        self.assertEqual(self.first_row(own), row)
        self.stoa("convert", own, back, "--to", "pytables")
        again = self.first_row(back)
        for name in ("i1", "u8", "f8", "b", "c", "s", "t32", "t64", "e", "i1_cell"):
            self.assertEqual(again[name], row[name], name)

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
