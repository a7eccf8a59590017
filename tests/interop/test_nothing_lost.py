"""Each layout's table goes to each other layout, and what is not there is said in one line."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

LAYOUTS = ("hep001", "pytables", "pandas-table", "pandas-fixed", "anndata", "lh5", "arkouda")
WORDS = {"kinds": "type of", "units": "units of", "codes": "codes of the enumeration of",
         "widths": "width of the strings of", "zones": "time zone of"}  # fmt: skip


class Lost(PeerTestCase):
    def test_every_pair_of_layouts_keeps_it_or_says_so(self):
        self.peer("python3", "kept.py", "make")
        self.stoa("import", self.write("t.csv", "z,s,n,a,t\nb,ab,3,1.5,2020-01-01T00:00:01Z\n"
                                       "a,c,4,2.5,2020-06-01T00:00:00Z\n"),
                  f"{self.dir}/hep001.h5:/t", "--category", "z", "--units", "a=mm")  # fmt: skip
        self.stoa("attr", f"{self.dir}/hep001.h5:/t", "run=8")
        self.stoa("convert", f"{self.dir}/hep001.h5:/t", self.dir / "arkouda.h5", "--to", "arkouda")
        pairs = [(source, target) for source in LAYOUTS for target in LAYOUTS]
        said = {pair: self.convert(*pair) for pair in pairs}
        written = [pair for pair in pairs if said[pair] is not None]
        self.assertEqual(len(pairs) - len(written), 4)
        shown = self.shown([(layout, f"{layout}.h5") for layout in LAYOUTS]
                           + [(target, f"{source}-{target}.h5") for source, target in written])  # fmt: skip
        sources = dict(zip(LAYOUTS, shown))
        for pair, found in zip(written, shown[len(LAYOUTS) :]):
            with self.subTest(source=pair[0], target=pair[1]):
                self.compare(sources[pair[0]], found, said[pair])

    def place(self, layout, file):
        return f"{self.dir}/{file}" + (":/" if layout == "arkouda" else ":/t")

    def convert(self, source, target):
        to = f"{source}-{target}.h5"
        done = self.stoa("convert", self.place(source, f"{source}.h5"),
                         self.dir / to if target == "arkouda" else f"{self.dir}/{to}:/t", "--to", target,
                         status=3 if target == "anndata" and self.has_times(source) else 0)  # fmt: skip
        if done.returncode != 0:
            self.assertRegex(done.stderr, "column '[td]' is of type .*, which a frame of AnnData cannot")
            return None
        return done.stderr

    def has_times(self, source):
        return source in ("hep001", "pandas-table", "pandas-fixed", "arkouda")

    def shown(self, files):
        """By the libraries of the layouts."""
        said = self.peer("python3", "kept.py", "show", *(word for pair in files for word in pair))
        return [json.loads(line) for line in said.splitlines()]

    def compare(self, was, found, said):
        lines = [line for line in said.splitlines() if " loses in " in line]
        self.assertLessEqual(len(lines), 1, said)
        line = lines[0] if lines else ""
        for what, words in WORDS.items():
            for column, value in was.get(what, {}).items():
                # A string that was text before is text; pandas' objects have no width.
                if found.get(what, {}).get(column) != value and not (
                    what == "widths" and found.get(what, {}).get(column, 0) > value
                ):
                    self.assertRegex(line, f"{words} [^;]*'{column}'", (what, column, value, found))
        listed = [c for c in found["columns"] if c in was["columns"]]
        if listed != [c for c in was["columns"] if c in listed]:
            self.assertIn("order of the columns", line)
        if was.get("run") and not found.get("run"):
            self.assertIn("attribute 'run'", line)
        for name in was.get("indexed", []):
            self.assertRegex(line, f"index of [^;]*'{name}'")
        for name, value in was.get("defaults", {}).items():
            if found.get("defaults", {}).get(name) != value:
                self.assertRegex(line, f"default of [^;]*'{name}'")

    def test_objects_of_pandas_are_dates_digits_and_bytes(self):
        """Those of one kind; others are their texts, and that is said."""
        self.peer_python("""if True:
            import datetime, warnings
            from decimal import Decimal
            import pandas as pd
            warnings.simplefilter("ignore")
            columns = {
                "day": [datetime.date(2020, 1, 31), None, datetime.date(1, 1, 1)],
                "digits": [Decimal("1.10"), Decimal("-2.5E+3"), None],
                "raw": [b"ab", b"\\xff", None], "mixed": ["x", 1, datetime.date(2020, 1, 31)],
                "bad": [b"x", "y", None], "list": [[1], None, None]}
            for name, values in columns.items():
                pd.DataFrame({name: pd.Series(values, dtype=object)}).to_hdf("o.h5", key=name)
            """)
        for name, kind, values in (("day", "date", ["2020-01-31", None, "0001-01-01"]),
                                   ("digits", "string", ["1.10", "-2.5E+3", None]),
                                   ("raw", "binary", ["6162", "ff", None]),
                                   ("mixed", "string", ["x", "1", "2020-01-31"])):  # fmt: skip
            place = f"{self.dir}/o.h5:/{name}"
            self.assertEqual([row[name] for row in self.rows_of(place, "-c", name)], values)
            self.assertIn(kind, self.stoa("info", place).stdout)
            done = self.stoa("convert", place, f"{self.dir}/own.h5:/{name}", "--to", "hep001")
            said = {"digits": "the Python objects of 'digits' (Decimal)",
                    "mixed": "the Python objects of 'mixed' (of several kinds)",
                    "raw": "the type of 'raw'"}.get(name)  # fmt: skip
            if said is None:
                self.assertNotIn("loses", done.stderr)
            else:
                self.assertIn(said, done.stderr)
        for name in ("bad", "list"):
            done = self.stoa("query", f"{self.dir}/o.h5:/{name}", status=1)
            self.assertIn(f"left out: block0_values: column '{name}' holds Python objects", done.stderr)


if __name__ == "__main__":
    stoa_test.main()
