"""stoa convert: tables once more, in another layout (src/cli/cmd_convert.c)."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

CSV = """a,b,c,s,t,k
1,true,1.5,x,2020-01-01T00:00:00Z,red
,,,,,
3,false,2.5,zz,2020-01-03T00:00:00Z,blue
4,true,3.5,x,2020-01-01T00:00:00Z,red
"""
TIMES = """d,t,n
2020-01-01,2020-01-01T00:00:00,2020-01-01T00:00:00.123456789Z
1900-05-01,1900-01-01T00:00:00,2200-01-01T00:00:00.123456789Z
"""
STAND_INS = {"a": "-1", "b": "true", "s": "none", "t": "1999-01-01", "k": "green"}


class Convert(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.own = self.dir / "own.h5"
        self.new = self.dir / "new.h5"
        self.stoa("import", self.write("a.csv", CSV), f"{self.own}:/t", "--category", "k")

    def convert(self, *options, to="pytables", **how):
        return self.stoa("convert", self.own, self.new, "--to", to, *options, **how)

    def rows(self, place=None):
        return self.stoa("query", place or self.new, "-f", "csv").stdout

    def missing(self, **values):
        return [word for name, value in values.items() for word in ("--missing", f"{name}={value}")]

    def test_missing_values_are_refused_naming_the_column(self):
        for to in ("pytables", "h5tb"):
            self.fails("convert", self.own, self.new, "--to", to,
                       says=["new.h5:/t", "column 'a' has 1 missing value", "--missing 'a=VALUE'"])
            self.assertFalse(self.new.exists())

    def test_missing_values_take_the_values_that_were_named(self):
        self.convert(*self.missing(**STAND_INS))
        wanted = CSV.replace(",,,,,", "-1,true,nan,none,1999-01-01T00:00:00Z,green")
        self.assertEqual(self.rows(), wanted)

    def test_nan_makes_numbers_float64_and_one_value_may_do_for_several_columns(self):
        rest = {name: STAND_INS[name] for name in ("b", "s", "t", "k")}
        self.convert("--missing", "nan", *self.missing(**rest))
        self.assertIn("nan,true,nan,none", self.rows())
        self.assertIn("1.0,true,1.5,x", self.rows())
        self.convert("--missing", "0", *self.missing(t="1999-01-01"), "--force")
        self.assertIn("\n0,false,nan,0,1999-01-01T00:00:00Z,0\n", self.rows())

    def test_values_that_cannot_stand_there_are_refused(self):
        for values, why in (({"a": "many"}, "'many' is no value"), ({"a": "300"}, "'300' is no"),
                            ({"b": "7"}, "'7' is no value"), ({"t": "noon"}, "'noon' is no"),
                            ({"zz": "1"}, "no column 'zz'")):  # fmt: skip
            self.fails("convert", self.own, self.new, "--to", "pytables",
                       *self.missing(**{**STAND_INS, **values}), says=why)  # fmt: skip
            self.assertFalse(self.new.exists())
        self.fails("convert", self.own, self.new, "--to", "hep001", "--missing", "0",
                   says="missing values stay")  # fmt: skip

    def test_times_come_back_as_they_were(self):
        self.stoa("import", self.write("t.csv", TIMES), f"{self.own}:/times")
        for to in ("pytables", "h5tb"):
            new = f"{self.dir}/{to}.h5"
            self.stoa("convert", f"{self.own}:/times", new, "--to", to)
            self.assertEqual(self.rows(new), TIMES)

    def test_units_and_descriptions_come_along(self):
        self.stoa("attr", f"{self.own}:/t", "-c", "c", "units=MeV")
        self.convert(*self.missing(**STAND_INS))
        self.assertIn("MeV", self.stoa("info", self.new).stdout)

    def test_a_place_that_is_taken_is_refused_unless_forced(self):
        self.convert(*self.missing(**STAND_INS))
        before = self.new.read_bytes()
        self.fails("convert", self.own, self.new, "--to", "pytables",
                   *self.missing(**STAND_INS), says="there already")  # fmt: skip
        self.assertEqual(self.new.read_bytes(), before)
        self.convert(*self.missing(**{**STAND_INS, "a": "-2"}), "--force")
        self.assertIn("\n-2,", self.rows())

    def test_in_one_file_to_another_path_and_back_to_hep001(self):
        self.stoa("convert", f"{self.own}:/t", f"{self.own}:/g/p", "--to", "pytables",
                  *self.missing(**STAND_INS))  # fmt: skip
        self.stoa("convert", f"{self.own}:/g/p", f"{self.own}:/back", "--to", "hep001")
        self.assertEqual(self.rows(f"{self.own}:/back"), self.rows(f"{self.own}:/g/p"))
        self.stoa("check", self.own)

    def test_a_file_of_several_tables_keeps_its_paths(self):
        self.stoa("copy", f"{self.own}:/t", f"{self.own}:/deep/er")
        self.convert(*self.missing(**STAND_INS))
        listed = self.stoa("ls", self.new).stdout.splitlines()[2:]
        self.assertEqual([line.split()[0] for line in listed], ["/deep/er", "/t"])
        self.fails("convert", self.own, f"{self.dir}/c.h5:/one", "--to", "pytables",
                   says="2 tables")  # fmt: skip
        self.assertFalse(os.path.exists(self.dir / "c.h5"))

    def test_usage(self):
        self.fails("convert", self.own, self.new, status=2, says="--to")
        self.fails("convert", self.own, self.new, "--to", "excel", status=2, says="pytables")
        self.fails("convert", self.own, self.new, "--to", "pytables", "--codec", "zstd",
                   *self.missing(**STAND_INS), says="deflate")  # fmt: skip
        self.fails("convert", self.own, self.dir / "no/new.h5", "--to", "pytables", says="no/new.h5")

    def test_no_rows_and_no_table(self):
        self.stoa("import", self.write("e.csv", "a,s\n"), f"{self.dir}/e.h5:/t", "--type", "a=int16",
                  "--type", "s=string")  # fmt: skip
        self.stoa("convert", f"{self.dir}/e.h5", self.new, "--to", "pytables")
        self.assertEqual(self.rows(), "a,s\n")
        self.fails("convert", f"{self.dir}/e.h5:/u", self.new, "--to", "pytables", says="/u")

    def test_a_compound_column_is_no_table_of_its_own(self):
        csv = self.write("n.csv", "r,i\n1.5,2.5\n")
        self.stoa("import", csv, f"{self.dir}/n.h5:/t")
        self.stoa("convert", f"{self.dir}/n.h5", f"{self.dir}/p.h5", "--to", "pytables")
        self.assertEqual(len(self.stoa("ls", f"{self.dir}/p.h5").stdout.splitlines()), 3)


if __name__ == "__main__":
    stoa_test.main()
