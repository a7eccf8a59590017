"""stoa concat: tables of every layout, and what it refuses (tests/interop/test_subsets.py has AnnData)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test


class Concat(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        for name, text in (("a", "n,x\n1,1.5\n2,2.5\n"), ("b", "n,x\n3,3.5\n"), ("c", "y,n\nq,4\n")):
            self.stoa("import", self.write(f"{name}.csv", text), f"{self.dir / name}.h5:/t")
        self.out = self.dir / "out.h5"

    def files(self, names):
        return [f"{self.dir / name}.h5:/t" for name in names]

    def rows(self, *options):
        return self.stoa("query", self.out, "-f", "csv", *options).stdout.splitlines()

    def test_rows_follow_each_other(self):
        said = self.stoa("concat", *self.files("ab"), self.out).stderr
        self.assertRegex(said, r"3 rows of 2 files, [0-9.]+ KiB")
        self.assertEqual(self.rows(), ["n,x", "1,1.5", "2,2.5", "3,3.5"])

    def test_an_inner_join_has_the_columns_of_all(self):
        self.stoa("concat", *self.files("abc"), self.out)
        self.assertEqual(self.rows(), ["n", "1", "2", "3", "4"])

    def test_an_outer_join_has_the_columns_of_any(self):
        self.stoa("concat", *self.files("ac"), self.out, "--join", "outer")
        self.assertEqual(self.rows("-c", "n, x, y"), ["n,x,y", "1,1.5,", "2,2.5,", "4,,q"])

    def test_what_stands_for_missing_values_is_chosen(self):
        for name in "ac":
            self.stoa("convert", f"{self.dir / name}.h5", f"{self.dir / name}.lh5", "--to", "lh5")
        out = self.dir / "out.lh5"
        files = [f"{self.dir / name}.lh5:/t" for name in "ac"]
        self.fails("concat", *files, out, "--join", "outer", "-c", status=2, says="-c")
        self.fails("concat", *files, out, "--join", "outer", says="--missing")
        self.assertFalse(out.exists())
        self.stoa("concat", *files, out, "--join", "outer", "--missing", "x=nan", "--missing", "y=none")
        rows = self.stoa("query", out, "-c", "n, x, y", "-f", "csv").stdout.splitlines()
        self.assertEqual(rows, ["n,x,y", "1,1.5,none", "2,2.5,none", "4,nan,q"])

    def test_other_layouts_stay_what_they_are(self):
        for name in "ab":
            self.stoa("convert", f"{self.dir / name}.h5", f"{self.dir / name}.lh5", "--to", "lh5")
        out = self.dir / "out.lh5"
        self.stoa("concat", *(f"{self.dir / name}.lh5:/t" for name in "ab"), out)
        self.assertIn("lh5", self.stoa("ls", out).stdout)

    def test_observations_get_a_label(self):
        for name in "ab":
            self.stoa("convert", f"{self.dir / name}.h5", f"{self.dir / name}.h5ad", "--to", "anndata")
        out = self.dir / "out.h5ad"
        files = [f"{self.dir / name}.h5ad" for name in "ab"]
        self.stoa("concat", *files, out, "--label", "from")
        rows = self.stoa("query", f"{out}:/obs", "-c", 'n, "from"', "-f", "csv").stdout.split()
        self.assertEqual(rows, ["n,from", "1,0", "2,0", "3,1"])
        for options, says in (("--keys", "p"), "keys"), (("--keys", "p,p"), "twice"):
            self.fails("concat", *files, self.dir / "none.h5ad", *options, says=says)
        self.fails("concat", *files, self.dir / "none.h5ad", "--label", "n", says="'n'")
        self.fails("concat", *files, self.dir / "none.h5ad", "--missing", "0", says="--missing")
        self.assertFalse((self.dir / "none.h5ad").exists())

    def test_a_codec_is_chosen(self):
        self.stoa("concat", *self.files("ab"), self.out, "--codec", "deflate:9")
        self.assertIn("deflate:9", self.stoa("info", self.out).stdout)
        self.fails("concat", *self.files("ab"), self.dir / "none.h5", "--codec", "zip", says="'zip'")
        self.assertFalse((self.dir / "none.h5").exists())

    def test_what_does_not_fit_leaves_no_file(self):
        self.fails("concat", self.out, says="new one last", status=2)
        self.fails("concat", *self.files("ab"), self.dir / "a.h5", says="a.h5")
        for arguments, says in (([*self.files("ab"), self.out, "--label", "x"], "--label"),
                                ([*self.files("a"), self.dir / "none.h5", self.out], "none.h5")):  # fmt: skip
            self.fails("concat", *arguments, says=says)
            self.assertFalse(self.out.exists())


if __name__ == "__main__":
    stoa_test.main()
