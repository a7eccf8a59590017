"""stoa convert: tables once more, in another layout (src/cli/transfer/cmd_convert.c)."""

import json
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

    def test_an_object_that_cannot_be_opened_is_named(self):
        self.stoa("import", self.write("b.csv", "x\n1\n"), f"{self.own}:/u")
        content = bytearray(self.own.read_bytes())
        at = content.rindex(b"OHDR", 0, content.rindex(b"OHDR"))  # the group; its column is behind
        content[at + 4] ^= 0xFF  # the version of its header
        self.own.write_bytes(content)
        said = self.stoa("convert", self.own, self.own, "--to", "h5tb", "--force",
                         *self.missing(**STAND_INS), status=1).stderr  # fmt: skip
        self.assertIn(f"{self.own}:/u: cannot open it", said)
        self.assertIn("1 table with 4 rows converted", said)

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

    def test_rows_with_missing_values_are_dropped_for_lh5(self):
        kept = "".join(CSV.splitlines(True)[i] for i in (0, 1, 3, 4))
        self.convert("--missing", "drop", to="lh5")
        times = {"2020-01-01T00:00:00Z": "1577836800", "2020-01-03T00:00:00Z": "1578009600"}
        for time, count in times.items():
            kept = kept.replace(time, count)
        said = self.stoa("query", self.new, "-c", "a,b,c,s,t,k", "-f", "csv").stdout
        self.assertEqual(said, kept)

    def test_one_column_may_be_dropped_by_and_others_filled(self):
        csv = self.write("m.csv", "a,x,s\n1,0.5,u\n,1.5,v\n3,,w\n4,2.5,\n")
        self.stoa("import", csv, f"{self.own}:/m", "--type", "a=int16")
        self.fails("convert", f"{self.own}:/m", self.new, "--to", "lh5", "--missing", "a=drop",
                   says=["column 'x' has 1 missing value", "--missing 'x=VALUE|nan|drop'"])  # fmt: skip
        self.stoa("convert", f"{self.own}:/m", self.new, "--to", "lh5", "--missing", "a=drop",
                  "--missing", "nan", "--missing", "s=none")  # fmt: skip
        self.assertEqual(self.rows(), "a,s,x\n1,u,0.5\n3,w,nan\n4,none,2.5\n")
        self.fails("convert", f"{self.own}:/m", f"{self.dir}/p.h5", "--to", "h5tb", "--missing",
                   "a=drop", says="'drop' is no value that could stand in column 'a'")  # fmt: skip
        table = f"{self.dir}/p.h5:/m"
        self.stoa("convert", f"{self.own}:/m", table, "--to", "pytables", "--missing", "drop")
        self.assertEqual(self.rows(table), "a,x,s\n1,0.5,u\n3,nan,w\n")  # a float can be missing


class Lists(stoa_test.TestCase):
    """Columns of lists in PyTables; tests/interop/test_ragged.py asks PyTables itself."""

    def setUp(self):
        super().setUp()
        self.own, self.new = f"{self.dir}/own.h5:/t", f"{self.dir}/new.h5:/t"

    def have(self, *rows):
        self.write("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        self.stoa("import", self.dir / "a.jsonl", self.own, "--force")

    def rows(self, place):
        said = self.stoa("query", place, "-f", "jsonl").stdout
        return [json.loads(line) for line in said.splitlines()]

    def to_pytables(self, *options):
        self.stoa("convert", self.own, self.new, "--to", "pytables", "--force", *options)
        return self.rows(self.new)

    def refused(self, *options, says):
        self.fails("convert", self.own, self.new, "--to", "pytables", *options, says=["new.h5:/t", *says])
        self.assertFalse((self.dir / "new.h5").exists())

    def test_a_group_of_lists_and_other_columns_is_one_table(self):
        rows = [{"id": 1, "hits": [1.5, 2.5], "words": ["a", "bc"]}, {"id": 2, "hits": [], "words": [""]}]
        self.have(*rows)
        self.assertEqual(self.to_pytables(), rows)
        ls = self.stoa("ls", f"{self.dir}/new.h5").stdout.splitlines()
        self.assertEqual([line.split()[:5] for line in ls[2:]], [["/t", "pytables", "table", "2", "3"]])
        back = f"{self.dir}/back.h5"
        self.stoa("convert", f"{self.dir}/new.h5", back, "--to", "hep001")
        self.assertEqual(self.rows(back), rows)
        self.assertEqual(self.rows(f"{self.dir}/new.h5:/t/hits"), [{"hits": row["hits"]} for row in rows])
        self.stoa("convert", f"{self.own}", self.new, "--to", "pytables", "--force")  # in its place
        self.fails("convert", self.own, self.new, "--to", "pytables", says="is there already")

    def test_units_of_lists_are_those_of_the_vlarray(self):
        self.have({"id": 1, "v": [1]})
        self.stoa("attr", self.own, "-c", "v", "units=MeV", "description=of hits")
        self.to_pytables()
        for place in (self.new, f"{self.new}/v"):
            info = self.stoa("info", place).stdout
            self.assertRegex(info, r"(?m)^v +list +0 +MeV +of hits$")
            self.assertNotIn("attribute", info)  # said once

    def test_what_is_refused_names_the_column_and_the_way_out(self):
        for value, says in (([[1]], ["column 'v' has lists of lists", "lh5", "Arrow"]),
                            ([{"x": 1}], ["column 'v' has lists of structs", "Arrow"]),
                            (["a\0b"], ["column 'v' has strings with NUL bytes"])):  # fmt: skip
            self.have({"v": value}, {"v": []})
            self.refused(says=says)
        for to, row in (("pytables", {"s": {"within": [1]}}), ("h5tb", {"within": [1]})):
            self.have({"id": 1, **row})
            self.fails("convert", self.own, self.new, "--to", to,
                       says=["column 'within' is of the type list", "hep001, or export it to Arrow"])  # fmt: skip
        self.have({"id": 1, "_c_v": [1]})
        self.refused(says=["'_c_v'", "rename the column"])

    def test_missing_lists_and_items_are_replaced_as_is_said(self):
        self.have({"id": 1, "v": [1, None]}, {"id": 2, "v": None}, {"id": 3, "v": [2]})
        self.refused(says=["column 'v' has 1 missing value", "--missing 'v=[]|drop'"])
        self.refused("--missing", "v=[]", says=["column 'v' has 1 missing value", "--missing 'v=VALUE'"])
        self.assertEqual([row["v"] for row in self.to_pytables("--missing", "v=[]", "--missing", "v=-1")],
                         [[1, -1], [], [2]])  # fmt: skip
        self.assertEqual([row["v"] for row in self.to_pytables("--missing", "v=drop", "--missing", "0")],
                         [[1, 0], [2]])  # fmt: skip
        self.stoa("convert", self.own, f"{self.dir}/a.lh5:/t", "--to", "lh5", "--missing", "v=drop",
                  "--missing", "v=7")  # fmt: skip
        self.assertEqual([row["v"] for row in self.rows(f"{self.dir}/a.lh5:/t")], [[1, 7], [2]])


class WholeFiles(stoa_test.TestCase):
    """What no table holds, named or kept; tests/interop/test_lh5_tables.py has more of it."""

    def setUp(self):
        super().setUp()
        self.lh5 = self.dir / "a.lh5"
        csv = self.write("a.csv", "a,n.x,n.m.y\n1,2.5,u\n2,3.5,v\n")
        self.stoa("import", csv, f"{self.dir}/a.h5:/t")
        self.stoa("convert", f"{self.dir}/a.h5:/t", f"{self.lh5}:/s/t", "--to", "lh5")

    def listed(self, file):
        return [line.split()[0] for line in self.stoa("ls", file).stdout.splitlines()[2:]]

    def test_tables_in_tables_are_columns_or_tables_and_come_back(self):
        for options, paths in (([], ["/s/t"]), (["--flatten"], ["/s/t"]),
                               (["--no-flatten"], ["/s/t", "/s/t.n", "/s/t.n.m"])):  # fmt: skip
            with self.subTest(options):
                for name in ("own.h5", "back.lh5"):
                    (self.dir / name).unlink(missing_ok=True)
                own, back = f"{self.dir}/own.h5", f"{self.dir}/back.lh5"
                done = self.stoa("convert", self.lh5, own, "--to", "hep001", *options)
                self.assertEqual(done.stderr, f"{own}: {len(paths)} {'table' if len(paths) == 1 else 'tables'}"
                                 f" with {2 * len(paths)} rows converted to hep001\n")  # fmt: skip
                self.assertEqual(self.listed(own), paths)
                self.stoa("convert", own, back, "--to", "lh5")
                self.assertEqual(self.stoa("ls", "--tree", back).stdout,
                                 self.stoa("ls", "--tree", self.lh5).stdout)  # fmt: skip
                self.assertEqual(self.stoa("query", back, "-f", "csv").stdout,
                                 self.stoa("query", self.lh5, "-f", "csv").stdout)  # fmt: skip

    def test_anndata_has_no_place_for_the_rest(self):
        self.fails("convert", f"{self.dir}/a.h5", f"{self.dir}/a.h5ad", "--to", "anndata", "--keep-rest",
                   says="no place for the rest")  # fmt: skip
        self.assertFalse((self.dir / "a.h5ad").exists())

    def test_a_sparse_array_is_left_out_or_kept(self):
        matrix = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1.5\n2 3 2.5\n"
        self.stoa("import", self.write("m.mtx", matrix), f"{self.dir}/a.h5:/m")
        done = self.stoa("convert", f"{self.dir}/a.h5", f"{self.dir}/p.h5", "--to", "pytables")
        self.assertEqual(done.stderr.splitlines(), [
            f"{self.dir}/a.h5:/m: float64 · 2 x 3: left out",
            f"{self.dir}/p.h5: 1 table with 2 rows converted to pytables, 1 object left out (--keep-rest)",
        ])  # fmt: skip
        done = self.stoa("convert", f"{self.dir}/a.h5", f"{self.dir}/k.h5", "--to", "pytables",
                         "--keep-rest", "-f", "jsonl")  # fmt: skip
        self.assertEqual(json.loads(done.stdout), {
            "path": "/m", "kind": "dataset", "datatype": "float64 · 2 x 3", "state": "kept"})  # fmt: skip
        self.stoa("export", f"{self.dir}/k.h5:/m", f"{self.dir}/k.mtx")
        entries = [line for line in (self.dir / "k.mtx").read_text().splitlines() if line[0] != "%"]
        self.assertEqual(entries, ["2 3 2", "1 1 1.5", "2 3 2.5"])


class Texts(stoa_test.TestCase):
    """Texts of other programs, of which not all bytes are UTF-8 (HEP001 §7.4, §8.6)."""

    WRONG = {b"TheTitl@": "title", b"TheText@": "description", b"TheVoca@": "vocabulary"}

    def setUp(self):
        super().setUp()
        self.own = self.dir / "own.h5"
        csv = self.write("a.csv", "x\n1\n")
        self.stoa("import", csv, f"{self.own}:/t", "--title", "TheTitl@")
        self.stoa("attr", f"{self.own}:/t", "description=TheText@", "units_vocabulary=TheVoca@")
        old = self.dir / "old.h5"  # in the earliest format, headers of groups have no checksum
        self.hdf5("h5repack", "--low=0", "--high=1", self.own, old)
        content = old.read_bytes()
        for text in self.WRONG:
            self.assertIn(text, content)
            content = content.replace(text, text[:-1] + b"\xe9")
        self.own.write_bytes(content)
        self.assertEqual(self.stoa("check", self.own, status=1).stdout.count("UTF-8"), len(self.WRONG))

    def check_copy(self, done, path):
        for word in self.WRONG.values():
            self.assertIn(word, done.stderr)
        self.assertEqual(done.stderr.count("U+FFFD"), len(self.WRONG))
        self.assertIn("own.h5:/t has a title that is not UTF-8", done.stderr)
        self.stoa("check", path)
        self.assertIn("TheTitl\ufffd", self.stoa("info", path).stdout)

    def test_a_conversion_mends_them_and_says_so(self):
        new = self.dir / "new.h5"
        self.check_copy(self.stoa("convert", self.own, new, "--to", "hep001"), new)

    def test_a_copy_by_import_mends_them_and_says_so(self):
        new = self.dir / "new.h5"
        self.check_copy(self.stoa("import", f"{self.own}:/t", f"{new}:/t"), new)

    def test_a_title_that_is_given_must_be_utf8(self):
        new = self.dir / "new.h5"
        self.fails("convert", self.own, new, "--to", "hep001", "--title", "\udce9", says="not UTF-8")
        self.assertFalse(new.exists())


if __name__ == "__main__":
    stoa_test.main()
