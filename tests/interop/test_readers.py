"""Programs that do not know HEP001 see a table's values: xarray as netCDF's conventions have them,
h5py by the lines of docs/readers.md."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

PAGE = stoa_test.SOURCE / "docs" / "readers.md"

LINES = """\
i8,u8,i16,i32,f32,f64,truth,day,ms,ns,label
1,1,1,1,1.5,1.5,true,2001-01-01,2001-01-01T00:00:00.001Z,2001-01-01T00:00:00.000000001,one
-2,200,-300,-70000,-2.25,1e300,false,1950-06-01,1950-06-01T12:00:00.5Z,1950-06-01T12:00:00.5,two
3,3,3,3,0,0,true,2262-01-01,2262-01-01T00:00:00Z,2262-01-01T00:00:00,one
"""
MISSING = "," * 10 + "\n"
TYPES = {
    "i8": "int8", "u8": "uint8", "i16": "int16", "i32": "int32", "f32": "float32", "f64": "float64",
    "truth": "bool", "day": "date", "ms": "timestamp", "ns": "timestamp", "label": "category",
}  # fmt: skip
# xarray makes floats of integers that have `_FillValue`: of 16 bits float32, of 32 bits float64.
EXPECTED = {
    "i8": ["float32", [1, -2, 3]],
    "u8": ["float32", [1, 200, 3]],
    "i16": ["float32", [1, -300, 3]],
    "i32": ["float64", [1, -70000, 3]],
    "f32": ["float32", [1.5, -2.25, 0]],
    "f64": ["float64", [1.5, 1e300, 0]],
    "truth": ["float32", [1, 0, 1]],
    "day": ["datetime64[ns]", ["2001-01-01", "1950-06-01", "2262-01-01"]],
    "ms": [
        "datetime64[ns]",
        ["2001-01-01T00:00:00.001", "1950-06-01T12:00:00.5", "2262-01-01T00:00:00"],
    ],
    "ns": [
        "datetime64[ns]",
        ["2001-01-01T00:00:00.000000001", "1950-06-01T12:00:00.5", "2262-01-01T00:00:00"],
    ],
    "label": ["float32", [0, 1, 0]],
}
BIG = 2**53 + 1


class XArray(PeerTestCase):
    def place(self):
        return f"{self.dir}/a.h5:/t"

    def make(self, lines, *options):
        types = [word for column, kind in TYPES.items() for word in ("--type", f"{column}={kind}")]
        self.stoa("import", self.write("a.csv", lines), self.place(), "--force", *types, *options)

    def expect(self, expected):
        self.write("expected.json", json.dumps(expected))
        self.assert_says_nothing("readers.py", "xarray", "a.h5", "expected.json")

    def with_missing(self, n):
        """The rows of LINES, and n rows without values."""
        return {name: [dtype, values + [None] * n] for name, (dtype, values) in EXPECTED.items()}

    def test_values_are_those_of_the_table(self):
        self.make(LINES)
        self.expect(EXPECTED)

    def test_missing_values_are_nan_and_nat(self):
        for options in ((), ("--codec", "none"), ("--portable",), ("--revision", "2026-06"),
                        ("--references", "object"), ("--fill", "i32=-1", "--fill", "f64=nan",
                         "--fill", "ms=1970-01-01T00:00:00Z")):  # fmt: skip
            with self.subTest(options=options):
                self.make(LINES + MISSING, *options)
                self.expect(self.with_missing(1))

    def test_an_append_of_a_missing_value_shows_it(self):
        self.make(LINES)
        self.stoa("append", self.write("b.csv", LINES.splitlines()[0] + "\n" + MISSING), self.place())
        self.expect(self.with_missing(1))

    def test_large_integers_keep_their_digits_until_one_is_missing(self):
        self.stoa("import", self.write("a.csv", f"big,n\n{BIG},1\n-7,2\n"), self.place())
        self.expect({"big": ["int64", [BIG, -7]]})
        self.stoa("append", self.write("b.csv", "big,n\n,3\n"), self.place())
        self.expect({"big": ["float64", [float(BIG - 1), -7, None]]})


class Page(PeerTestCase):
    """The scripts of docs/readers.md."""

    def script(self, word):
        """The block of the page that contains a word."""
        blocks = re.findall(r"(?:^    .*\n)+", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
        (block,) = [block for block in blocks if word in block]
        return re.sub(r"^    ", "", block, flags=re.MULTILINE)

    def run_script(self, word, name):
        self.write("script.py", self.script(word))
        return json.loads(self.peer("python3", "readers.py", "script", "script.py", name))

    def check_labels(self, *options):
        rows = ["SEA", "LAX", "", "Zürich", "SEA"]
        lines = "id,origin\n" + "".join(f"{i},{row}\n" for i, row in enumerate(rows))
        self.stoa("import", self.write("us.csv", lines), f"{self.dir}/us.h5:/flights", "--force",
                  "--category", "origin", *options)  # fmt: skip
        wanted = [row or None for row in rows]
        self.assertEqual(self.run_script("stoa_categories_path", "origin"), wanted)
        return wanted

    def test_labels_take_five_lines_of_h5py(self):
        self.assertEqual(len(self.script("stoa_categories_path").splitlines()) - 1, 5)
        wanted = self.check_labels()
        place = f"{self.dir}/us.h5:/flights"
        self.stoa("append", self.write("b.csv", "id,origin\n9,a longer one\n"), place)
        self.assertEqual(
            self.run_script("stoa_categories_path", "origin"), [*wanted, "a longer one"]
        )
        self.check_labels("--references", "object")
        self.check_labels("--portable")

    def test_a_copied_table_leads_to_its_own_labels(self):
        wanted = self.check_labels()
        file = f"{self.dir}/us.h5"
        self.stoa("copy", f"{file}:/flights", f"{file}:/copy")
        self.stoa("remove", f"{file}:/flights")
        self.stoa("move", f"{file}:/copy", f"{file}:/flights")
        self.stoa("repack", file)
        self.assertEqual(self.run_script("stoa_categories_path", "origin"), wanted)


class Tables(PeerTestCase):
    """The tables of docs/readers.md, which scripts/readers writes."""

    READERS = ["h5py", "PyTables", "pandas.read_hdf", "xarray", "netCDF4"]

    def test_what_the_page_says_of_readers_is_what_they_show(self):
        """One cell is changed before: the script finds that one alone."""
        page = PAGE.read_text("utf-8")
        changed = self.write("readers.md", page.replace("| `7`, `-127` |", "| `8`, `-127` |", 1))
        done = stoa_test.run(stoa_test.SOURCE / "scripts/readers", "--check", "--page", changed,
                             "--only", ",".join(self.READERS), stoa_test.STOA)  # fmt: skip
        self.assertEqual(done.returncode, 1, done.stderr)
        for reader in self.READERS:
            self.assertRegex(done.stdout, rf"(?m)^{reader} \d[\w.]+$")
        found = [line for line in done.stdout.splitlines() if ": the page has " in line]
        self.assertEqual(found, ["h5py: int8: 7, missing: the page has `8`, `-127`, it shows `7`, `-127`"])


if __name__ == "__main__":
    stoa_test.main()
