"""stoa convert --to arkouda: modes, names, missing values; what is refused, and what is left then."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

GAPS = "i,s,x,t,b\n1,a,1.5,2020-01-01T00:00:00Z,true\n,,,,\n3,c,2.5,2020-01-03T00:00:00Z,false\n"


class Arkouda(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.out = self.dir / "out.h5"

    def table(self, text="i,s\n1,a\n2,b\n", *options, name="own.h5"):
        place = self.dir / name
        place.unlink(missing_ok=True)
        self.stoa("import", self.write("own.csv", text), f"{place}:/t", *options)
        return place

    def to(self, source, *options, out=None, **how):
        return self.stoa("convert", source, out or self.out, "--to", "arkouda", *options, **how)

    def refuses(self, source, *options, says, out=None, status=3):
        before = self.snapshot()
        self.fails("convert", source, out or self.out, "--to", "arkouda", *options, says=says,
                   status=status)  # fmt: skip
        self.assertEqual(self.snapshot(), before)

    def snapshot(self):
        return {path.name: path.read_bytes() for path in self.dir.iterdir() if path.is_file()}

    def rows(self, place):
        return self.stoa("query", place, "-f", "csv").stdout

    def files(self):
        return sorted(path.name for path in self.dir.glob("out*"))


class Modes(Arkouda):
    def test_objects_are_added_and_names_that_are_taken_are_refused(self):
        self.to(self.table())
        self.to(self.table("x\n1.5\n2.5\n"))
        self.refuses(self.table(), says=["'i' is there already", "--force"])
        self.assertEqual(self.rows(f"{self.out}:/"), "i,s,x\n1,a,1.5\n2,b,2.5\n")

    def test_force_replaces_objects_of_the_names(self):
        self.to(self.table())
        self.to(self.table("i\n7\n8\n"), "--force")
        self.assertEqual(self.rows(f"{self.out}:/"), "i,s\n7,a\n8,b\n")

    def test_truncate_replaces_the_file(self):
        self.to(self.table())
        self.to(self.table("x\n1.5\n"), "--mode", "truncate")
        self.assertEqual(self.rows(f"{self.out}:/"), "x\n1.5\n")

    def test_sets_are_added_to_in_as_many_files(self):
        self.to(self.table(), "--locales", 3)
        names = [f"out_LOCALE000{k}.h5" for k in range(3)]
        self.assertEqual(self.files(), names)
        self.refuses(self.table("x\n1\n2\n"), "--locales", 2, says="of 3 locales, not 2")
        self.to(self.table("x\n1\n2\n"), "--locales", 3)
        self.assertEqual(self.rows(f"{self.dir / names[0]}:/"), "i,s,x\n1,a,1\n2,b,2\n")
        (self.dir / names[1]).rename(self.dir / "out_LOCALE0007.h5")
        self.refuses(self.table("y\n1\n"), "--locales", 3, says="out_LOCALE0001.h5' is missing")

    def test_truncating_a_set_removes_the_files_of_more_locales(self):
        self.to(self.table(), "--locales", 4)
        self.to(self.table("x\n1\n2\n"), "--locales", 2, "--mode", "truncate")
        self.assertEqual(self.files(), ["out_LOCALE0000.h5", "out_LOCALE0001.h5"])
        self.assertEqual(self.rows(f"{self.dir / self.files()[0]}:/"), "x\n1\n2\n")

    def test_a_file_of_a_set_is_not_added_to_alone(self):
        self.to(self.table(), "--locales", 2)
        self.refuses(self.table("x\n1\n"), out=self.dir / "out_LOCALE0001.h5",
                     says="is one of several")  # fmt: skip

    def test_what_is_no_hdf5_is_not_truncated(self):
        self.write("out.h5", "a letter to my aunt")
        self.refuses(self.table(), "--mode", "truncate", says="out.h5")

    def test_a_directory_that_is_not_there_is_named(self):
        for locales in ((), ("--locales", 2)):
            self.refuses(self.table(), *locales, out=self.dir / "no" / "out.h5",
                         says=["no directory", "no'"])  # fmt: skip

    def test_the_file_that_is_read_is_not_written(self):
        self.to(self.table())
        for mode in ("truncate", "append"):
            self.refuses(f"{self.out}:/i", "--mode", mode, says="is being read")

    def test_options_of_arkouda_go_with_arkouda(self):
        source = self.table()
        for option in (("--locales", 2), ("--mode", "append"), ("--as", "index"),
                       ("--no-offsets",)):  # fmt: skip
            self.fails("convert", source, self.out, "--to", "pytables", *option, status=2,
                       says=f"{option[0]} is for --to arkouda")  # fmt: skip
        self.refuses(source, "--locales", "many", status=2, says="no number of files")
        self.refuses(source, "--mode", "overwrite", status=2, says="none of append, truncate")
        self.refuses(source, "--as", "series", says="no form of Arkouda's")
        self.refuses(source, "--locales", 99999999, says="too many locales")


class Names(Arkouda):
    def test_names_that_arkouda_cannot_read_are_refused(self):
        for name, why in (("a,b", "comma"), ("x_segments", "old objects"),
                          ("x.categories", "old objects"), ("_arkouda_metadata", "skips"),
                          ("n" * 255, "254 bytes")):  # fmt: skip
            with self.subTest(name=name):
                self.refuses(self.table(f'"{name}"\n1\n'), says=["the name", why])

    def test_names_at_the_limit_are_written(self):
        name = "é" * 127
        self.to(self.table(f"{name},x_values,.a\n1,2,3\n"))
        self.assertEqual(self.rows(f"{self.out}:/{name}"), f"{name}\n1\n")
        self.assertEqual(self.rows(f"{self.out}:/x_values"), "x_values\n2\n")

    def test_one_column_may_get_another_name(self):
        self.to(self.table("i\n1\n"), out=f"{self.out}:/array")
        self.assertEqual(self.rows(f"{self.out}:/array"), "array\n1\n")
        self.refuses(self.table(), out=f"{self.out}:/both", says="cannot all be called 'both'")
        self.refuses(self.table("i\n1\n"), out=f"{self.out}:/g/a", says="'/'")

    def test_a_column_called_index_is_no_column_of_a_frame(self):
        for name in ("index", "Index", "INDEX"):
            self.refuses(self.table(f"{name},a\n1,2\n"), "--as", "dataframe", says="rename it")
        self.to(self.table("Index,a\n1,2\n"))


class Missing(Arkouda):
    def test_missing_integers_strings_and_bools_are_refused_by_name(self):
        for columns, name in (("i,x", "i"), ("s", "s"), ("b", "b")):
            cut = self.table(GAPS)
            self.stoa("convert", cut, f"{self.dir}/cut.h5:/t", "--to", "hep001")
            drop = [c for c in "isxtb" if c not in columns]
            self.stoa("column", "drop", f"{self.dir}/cut.h5:/t", *drop)
            self.refuses(f"{self.dir}/cut.h5", says=[f"column '{name}' has 1 missing value",
                                                     "mask|drop"])  # fmt: skip
            (self.dir / "cut.h5").unlink()

    def test_values_stand_in(self):
        self.to(self.table(GAPS), "--missing", "i=-1", "--missing", "s=none", "--missing", "b=false")
        self.assertEqual(self.rows(f"{self.out}:/"),
                         "b,i,s,t,x\ntrue,1,a,2020-01-01T00:00:00.000000000,1.5\n"
                         "false,-1,none,,nan\nfalse,3,c,2020-01-03T00:00:00.000000000,2.5\n")  # fmt: skip

    def test_masks_are_columns_beside(self):
        self.to(self.table(GAPS), "--missing", "mask", "--locales", 2)
        self.assertEqual(
            self.stoa("query", f"{self.dir}/out_LOCALE0000.h5:/", "-f", "csv", "-c",
                      "i,i_missing,s,s_missing,b,b_missing,x").stdout,
            "i,i_missing,s,s_missing,b,b_missing,x\n1,false,a,false,true,false,1.5\n"
            '0,true,"",true,false,true,nan\n3,false,c,false,false,false,2.5\n')  # fmt: skip
        self.assertNotIn("x_missing", self.stoa("ls", f"{self.dir}/out_LOCALE0000.h5").stdout)

    def test_a_mask_does_not_take_the_name_of_a_column(self):
        self.refuses(self.table("i,i_missing\n1,1\n,2\n"), "--missing", "mask", says="i_missing")
        self.refuses(self.table(GAPS), "--missing", "mask", "--as", "index", says="no place")

    def test_rows_are_dropped(self):
        text = "i,s,x\n1,a,\n,b,2.5\n3,,3.5\n4,d,4.5\n"
        self.to(self.table(text), "--missing", "drop")
        self.assertEqual(self.rows(f"{self.out}:/"), "i,s,x\n1,a,nan\n4,d,4.5\n")
        self.to(self.table(text), "--missing", "drop", "--missing", "x=drop", "--mode", "truncate",
                "--locales", 3, out=self.dir / "outs.h5")  # fmt: skip
        self.assertEqual(self.rows(f"{self.dir}/outs_LOCALE0001.h5:/"), "i,s,x\n4,d,4.5\n")

    def test_a_column_with_quotes_in_its_name_is_dropped_by(self):
        self.to(self.table('"a ""b""",c\n1,2\n,3\n'), "--missing", "drop")
        self.assertEqual(self.rows(f"{self.out}:/c"), "c\n2\n")

    def test_labels_that_are_called_as_the_missing_one_stay_apart(self):
        self.to(self.table("c,i\nN/A,1\n,2\nx,3\n", "--category", "c"))
        self.assertEqual(self.rows(f"{self.out}:/c"), "c\nN/A\n\nx\n")

    def test_times_beyond_nanoseconds_are_refused(self):
        self.refuses(self.table("t\n1500-01-01T00:00:00Z\n"), says="1678 to 2262")


class Forms(Arkouda):
    def test_a_groupby_is_computed_again_from_its_keys(self):
        self.to(self.table("k,v\n2,a\n1,b\n2,a\n"), "--as", "groupby")
        rows = self.rows(f"{self.out}:/groupby")
        self.to(f"{self.out}:/groupby", "--as", "groupby", out=self.dir / "outer.h5")
        self.assertEqual(self.rows(f"{self.dir}/outer.h5:/groupby"), rows)
        self.assertIn("KEY_0,KEY_1,permutation,segments,unique_key_idx\n2,a,1,0,1\n", rows)

    def test_objects_stay_what_they_are_unless_a_form_is_said(self):
        source = self.table("k,v\n2,a\n1,b\n2,a\n")
        for form in ("columns", "dataframe", "index", "groupby"):
            self.to(source, "--as", form)
        self.to(self.table("k\n2\n1\n2\n"), "--as", "arrayview", "--force")
        whole, one, plain = (self.dir / f"{name}.h5" for name in ("whole", "one", "plain"))
        self.to(self.out, out=whole)
        self.assertEqual(self.stoa("ls", whole).stdout, self.stoa("ls", self.out).stdout)
        for name in ("k", "v", "DataFrame", "index", "groupby"):
            self.assertEqual(self.rows(f"{whole}:/{name}"), self.rows(f"{self.out}:/{name}"), name)
        self.to(f"{self.out}:/DataFrame", out=one)
        self.assertRegex(self.stoa("ls", one).stdout, "/DataFrame +arkouda +dataframe")
        self.to(f"{self.out}:/DataFrame", "--as", "columns", out=plain)
        self.assertEqual(self.rows(f"{plain}:/"), "Index,k,v\n0,2,a\n1,1,b\n2,2,a\n")


if __name__ == "__main__":
    stoa_test.main()
