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

    def test_periods_are_dates_that_pandas_finds_again(self):
        self.peer_python("""if True:
            import pandas as pd
            index = pd.period_range("2020-01", periods=4, freq="M", name="m")
            pd.DataFrame({"a": [1.5, 2.0, 3.0, 4.0]}, index=index).to_hdf("p.h5", key="p")
            """)
        self.assertEqual([row["m"] for row in self.rows_of(f"{self.dir}/p.h5:/p", "-c", "m")],
                         ["2020-01-01", "2020-02-01", "2020-03-01", "2020-04-01"])  # fmt: skip
        for layout in LAYOUTS[:4] + ("lh5",):
            done = self.stoa("convert", f"{self.dir}/p.h5:/p", f"{self.dir}/{layout}.h5:/p", "--to", layout)
            if layout in ("hep001", "pandas-table", "pandas-fixed"):
                self.assertNotIn("periods", done.stderr)
                self.stoa("convert", f"{self.dir}/{layout}.h5:/p", f"{self.dir}/again-{layout}.h5:/p", "--to", "pandas-fixed")
            else:
                self.assertIn("the periods of 'm' (period[M])", done.stderr)
        self.peer_python("""if True:
            import glob, pandas as pd
            was = pd.read_hdf("p.h5")
            for file in ["pandas-table.h5", *glob.glob("again-*.h5")]:
                pd.testing.assert_frame_equal(pd.read_hdf(file), was)
            """)

    def test_arrow_data_of_lgdo_keeps_units_and_waveforms(self):
        self.peer_python("""if True:
            import numpy as np, pyarrow as pa
            from lgdo import Array, Table, VectorOfVectors, WaveformTable
            t = Table(col_dict={
                "energy": Array(np.arange(4) * 1.5, attrs={"units": "keV"}),
                "name": Array(np.arange(4), attrs={"description": 'a "name"'}),
                "hits": VectorOfVectors([[1.0, 2.0], [], [3.0], [4.0]], attrs={"units": "mm"}),
                "wf": WaveformTable(t0=np.arange(4) * 1.0, t0_units="ns", dt=np.full(4, 16.0), dt_units="ns",
                                    values=np.arange(20, dtype="u2").reshape(4, 5), values_units="ADC")})
            table = t.view_as("arrow")
            with pa.ipc.new_file("l.arrow", table.schema) as out:
                out.write(table)
            """)
        done = self.stoa("import", self.dir / "l.arrow", f"{self.dir}/l.h5:/t")
        self.assertIn("l.arrow loses in HEP001: the units of the parts of 'wf' (t0: ns, dt: ns, values: ADC)\n", done.stderr)
        found, = json.loads(self.stoa("info", f"{self.dir}/l.h5:/t", "-f", "json").stdout)
        self.assertEqual([(c["units"], c["description"]) for c in found["schema"]],
                         [("keV", None), (None, 'a "name"'), ("mm", None), (None, None)])  # fmt: skip
        for source in ("l.arrow", "l.h5:/t"):
            self.stoa("convert", f"{self.dir}/{source}", f"{self.dir}/{source[:3]}.lh5:/t", "--to", "lh5")
        self.peer_python("""if True:
            import lgdo, numpy as np
            from lgdo import lh5
            for file in "l.a.lh5", "l.h.lh5":
                t = lh5.read("t", file)
                assert t["energy"].attrs["units"] == "keV" and t["hits"].attrs["units"] == "mm"
                wf = lgdo.WaveformTable(t0=t["wf"]["t0"], dt=t["wf"]["dt"], values=t["wf"]["values"])
                assert np.array_equal(wf.values.nda, np.arange(20).reshape(4, 5)) and (wf.dt.nda == 16).all()
            assert lh5.read("t/wf/values", "l.a.lh5").attrs["units"] == "ADC"
            """)

    def test_every_way_to_write_a_table_says_it(self):
        """Whole files of AnnData, a table that becomes one, and imports from the same file."""
        self.peer_python("""if True:
            import anndata, numpy as np, pandas as pd, scipy.sparse as sp
            n = 8000
            x = sp.random(n, 200, 0.3, format="csr", random_state=1, dtype="float32")
            x.data[:] = np.round(x.data, 1)
            obs = pd.DataFrame({"b": pd.Categorical(list("xy") * (n // 2))}, index=[f"c{i}" for i in range(n)])
            anndata.AnnData(X=x, obs=obs).write_h5ad("a.h5ad", compression="gzip")
            """)
        said = self.stoa("convert", self.dir / "a.h5ad", self.dir / "a.h5", "--to", "hep001").stderr
        self.assertEqual(len(said.splitlines()), 1, said)
        said = self.stoa("convert", self.dir / "a.h5", self.dir / "b.h5ad", "--to", "anndata").stderr
        self.assertIn("compression was not kept; --codec compresses it", said)
        said = self.stoa("convert", self.dir / "a.h5", self.dir / "c.h5ad", "--to", "anndata", "--codec", "deflate").stderr
        self.assertEqual(len(said.splitlines()), 1, said)
        self.peer_python("import anndata; anndata.read_h5ad('a.h5ad')[:300].write_h5ad('small.h5ad', compression='gzip')")
        said = self.stoa("convert", self.dir / "small.h5ad", self.dir / "same.h5ad", "--to", "anndata").stderr
        self.assertIn("compression was not kept; --codec compresses it", said)
        self.stoa("column", "add", f"{self.dir}/a.h5:/obs", "--set", "n=1")
        self.stoa("attr", f"{self.dir}/a.h5:/obs", "-c", "n", "units=mm")
        said = self.stoa("convert", self.dir / "a.h5", self.dir / "d.h5ad", "--to", "anndata", "--codec", "deflate").stderr
        self.assertIn("a.h5:/obs loses in AnnData: the units of 'n' (mm)", said)
        self.stoa("import", self.write("t.csv", "x,y\n1,a\n"), f"{self.dir}/t.h5:/t", "--units", "x=mm")
        said = self.stoa("convert", self.dir / "t.h5", self.dir / "e.h5ad", "--to", "anndata").stderr
        self.assertIn("t.h5:/t loses in AnnData: the units of 'x' (mm)", said)
        self.peer_python("""if True:
            import tables
            with tables.open_file("t.h5", "a") as f:
                t = f.create_table("/", "p", {"e": tables.EnumCol({"red": 4, "green": 2}, "red", "int32"),
                                              "s": tables.StringCol(8, dflt=b"none")})
                t.append([(4, b"ab")])
            """)
        there = self.stoa("import", f"{self.dir}/t.h5:/p", f"{self.dir}/u.h5:/p").stderr.splitlines()[:-1]
        same = self.stoa("import", f"{self.dir}/t.h5:/p", f"{self.dir}/t.h5:/q").stderr.splitlines()[:-1]
        self.assertEqual(same, there)
        same = self.stoa("import", f"{self.dir}/t.h5:/t", f"{self.dir}/t.h5:/r").stderr.splitlines()
        self.assertEqual(len(same), 1, same)


if __name__ == "__main__":
    stoa_test.main()
