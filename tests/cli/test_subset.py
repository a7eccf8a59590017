"""stoa subset: what it takes, and what it refuses (tests/interop/test_subsets.py compares values)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test


class Subset(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        table = self.write("t.csv", "name,n\n" + "".join(f"c{k},{k}\n" for k in range(10)))
        self.stoa("import", table, self.dir / "t.h5:/t")
        self.cells = self.dir / "t.h5ad"
        self.stoa("convert", self.dir / "t.h5", self.cells, "--to", "anndata")
        self.out = self.dir / "out.h5ad"

    def refused(self, *arguments, says, status=3):
        self.fails("subset", *arguments, says=says, status=status)
        self.assertFalse(self.out.exists())

    def test_rows_that_pass_are_kept(self):
        said = self.stoa("subset", self.cells, "--obs", "n >= 7 or name = 'c2'", self.out).stderr
        self.assertIn("4 of 10 observations", said)
        rows = self.stoa("query", f"{self.out}:/obs", "-c", "n", "-f", "csv").stdout
        self.assertEqual(rows.split(), ["n", "2", "7", "8", "9"])

    def test_the_source_is_left_as_it_is(self):
        before = self.cells.read_bytes()
        self.stoa("subset", self.cells, "--obs", "n > 2", self.out)
        self.assertEqual(self.cells.read_bytes(), before)

    def test_wrong_usage_is_explained(self):
        self.refused(self.cells, self.out, says="--obs", status=2)
        self.refused(self.cells, self.out, "--obs", "n > 1", "-w", "n > 1", says="--where", status=2)
        self.refused(self.cells, self.out, "--obs", "n > 1", "--by", self.cells, says="--by", status=2)

    def test_filters_that_cannot_be_answered_leave_no_file(self):
        self.refused(self.cells, self.out, "--obs", "no_such > 1", says="no_such")
        self.refused(self.cells, self.out, "--obs", "n >", says="")
        self.refused(self.cells, self.out, "--obs", "n", says="")
        self.refused(self.dir / "none.h5ad", self.out, "--obs", "n > 1", says="no such file")

    def test_a_file_is_not_replaced(self):
        self.out.write_text("mine")
        self.fails("subset", self.cells, "--obs", "n > 1", self.out, says="out.h5ad")
        self.assertEqual(self.out.read_text(), "mine")
        self.fails("subset", self.cells, "--obs", "n > 1", self.cells, says="t.h5ad")

    def test_files_without_axes_have_tables(self):
        self.refused(self.dir / "t.h5", self.out, "--obs", "n > 1", says="")
        self.refused(self.dir / "t.h5", self.out, "-w", "n > 1", says="stoa query -o")
        self.refused(self.cells, self.out, "-w", "n > 1", says="/obs")


if __name__ == "__main__":
    stoa_test.main()
