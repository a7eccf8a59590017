"""Frames that Stoa writes are, to pandas and AnnData, those that they would have written."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase


class Frames(stoa_test.SharedPeersTestCase, PeerTestCase):
    """All tests work in one directory: what they write has names of its own."""

    @classmethod
    def make(cls, shared):
        shared.put(os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer", "frames.py"))
        shared.peer("python3", "frames.py", "make")

    def setUp(self):
        super().setUp()
        self.dir = self.shared.dir

    def convert(self, source, target, layout, *options):
        self.stoa("convert", self.dir / source, self.dir / target, "--to", layout, *options)

    def test_pandas_frames_come_back_equal(self):
        self.convert("pandas.h5", "own.h5", "hep001")
        self.stoa("check", self.dir / "own.h5")
        for layout in ("pandas-table", "pandas-fixed"):
            with self.subTest(layout=layout):
                self.convert("own.h5", f"{layout}.h5", layout)
                self.assert_says_nothing("frames.py", "pandas", f"{layout}.h5")
                self.convert("pandas.h5", f"{layout}-2.h5", layout, "--codec", "none")
                self.assert_says_nothing("frames.py", "pandas", f"{layout}-2.h5")

    def test_frames_of_the_newest_pandas_come_back_equal(self):
        """It has the units of durations and the texts of an index, where pandas 2 has objects."""
        newer = ("env", f"PYTHONPATH={stoa_test.PEERS}/newer", "FRAMES=70", "python3", "frames.py")
        home = self.dir
        self.dir = home / "newer"
        self.dir.mkdir()
        self.put(home / "frames.py")
        self.peer(*newer, "make")
        self.convert("pandas.h5", "table.h5", "pandas-table")
        self.convert("pandas.h5", "own.h5", "hep001")
        self.convert("own.h5", "table-2.h5", "pandas-table")
        for file in ("table.h5", "table-2.h5"):
            self.assertEqual(self.peer(*newer, "pandas", file), "")
        self.convert("fixed.h5", "fixed-1.h5", "pandas-fixed")
        self.convert("fixed.h5", "own-fixed.h5", "hep001")
        self.convert("own-fixed.h5", "fixed-2.h5", "pandas-fixed")
        for file in ("fixed-1.h5", "fixed-2.h5"):
            self.assertEqual(self.peer(*newer, "same", "fixed.h5", file), "")

    def test_pandas_frames_of_the_fixed_format_come_back_equal(self):
        self.convert("fixed.h5", "again.h5", "pandas-fixed")
        self.assert_says_nothing("frames.py", "same", "fixed.h5", "again.h5")
        self.convert("fixed.h5", "own-fixed.h5", "hep001")
        self.stoa("check", self.dir / "own-fixed.h5")
        self.convert("own-fixed.h5", "back-fixed.h5", "pandas-fixed")
        self.assert_says_nothing("frames.py", "same", "fixed.h5", "back-fixed.h5")

    def test_what_random_frames_seldom_have_comes_back_equal(self):
        """Frames without rows or columns, columns called alike, by levels or by times."""
        self.peer("python3", "frames.py", "odd")
        self.check_names_of_columns()
        for source, layout, target in (("table", "pandas-table", "ours.h5"),
                                       ("fixed", "pandas-fixed", "ours-fixed.h5")):  # fmt: skip
            with self.subTest(layout=layout):
                self.convert(f"odd-{source}.h5", f"odd-{target}", layout)
                self.assert_says_nothing("frames.py", "same", f"odd-{source}.h5", f"odd-{target}")
                self.convert(f"odd-{source}.h5", f"odd-own-{target}", "hep001")
                self.stoa("check", self.dir / f"odd-own-{target}")
                self.convert(f"odd-own-{target}", f"odd-back-{target}", layout)
                self.assert_says_nothing(
                    "frames.py", "same", f"odd-{source}.h5", f"odd-back-{target}"
                )

    def check_names_of_columns(self):
        """What docs/layouts/pandas.md says of them; the same in both formats."""
        for name, wanted in (
            ("several", '"a, 1","b, 2","a, 2"'), ("mixed", '"a, x","b, x","a, y","c, z","a, w"'),
            ("by_days", '"a, 2020-01-01","a, 2021-01-01T00:00:01.5",'
                        '"b, 2020-01-01","b, 2021-01-01T00:00:01.5"'),
            ("days", "2020-01-01,2021-01-01T00:00:01.5"), ("deltas", "1 s,5 ns,-1 ns"),
            ("dates", "2020-01-01,1900-12-31"), ("nameless", "a,column"),
            ("months", "2020-01,2020-02"), ("nat", "2020-01-01,NaT"), ("spans", "2020-01,NaT"),
            ("zone1", "2020-01-01T00:00:00Z,2021-01-01T00:00:01.5Z"), ("numbered", "1,1.1,2"),
        ):  # fmt: skip
            for file in ("odd-table.h5", "odd-fixed.h5"):
                said = self.stoa("query", f"{self.dir}/{file}:/by_{name}", "-n", "1", "-f", "csv")
                self.assertEqual(said.stdout.splitlines()[0], f"index,{wanted}", (file, name))

    def test_a_frequency_is_said_of_rows_that_go_on_so_alone(self):
        """pandas believes what the fixed format says of its rows."""
        self.peer("python3", "frames.py", "regular")
        self.convert("steps.h5", "own-steps.h5", "hep001")
        self.convert("own-steps.h5", "back-steps.h5", "pandas-fixed")
        self.assert_says_nothing("frames.py", "same", "steps.h5", "back-steps.h5")
        self.peer("python3", "frames.py", "disturb", "own-steps.h5")
        self.convert("own-steps.h5", "other-steps.h5", "pandas-fixed")
        self.assert_says_nothing("frames.py", "irregular", "other-steps.h5")

    def test_periods_can_be_asked_for_by_time(self):
        self.peer("python3", "frames.py", "odd")
        self.convert("odd-fixed.h5", "own-asked.h5", "hep001")
        for file in ("odd-fixed.h5", "own-asked.h5"):
            said = self.stoa("query", f"{self.dir}/{file}:/of_early_periods", "-f", "csv")
            self.assertEqual(said.stdout, "index,a\n0001-03-01,0.0\n1700-01-01,1.0\n,2.0\n")
            said = self.stoa("query", f"{self.dir}/{file}:/of_early_periods", "-f", "csv",
                             "-w", "index > '1699-12-31'")  # fmt: skip
            self.assertEqual(said.stdout, "index,a\n1700-01-01,1.0\n")

    def test_bytes_of_a_frame_leave_out_frames_below_it(self):
        def bytes_of(file):
            said = self.stoa("ls", "-l", f"{self.dir}/{file}").stdout.splitlines()
            return {line.split()[0]: line.split()[said[0].split().index("bytes")] for line in said[2:]}

        self.peer("python3", "-c", "import pandas as pd\n"
                  "for file, keys in (('alone.h5', 'a'), ('below.h5', 'ab')):\n"
                  "    for key in keys:\n"
                  "        pd.DataFrame({'x': range(99)}).to_hdf(file, key='a' if key == 'a' else 'a/b')")  # fmt: skip
        alone, below = bytes_of("alone.h5"), bytes_of("below.h5")
        self.assertEqual(below["/a"], alone["/a"])

    def test_pandas_appends_selects_and_indexes(self):
        self.convert("pandas.h5", "used.h5", "pandas-table")
        self.assert_says_nothing("frames.py", "use", "used.h5")

    def test_what_stoa_wrote_it_reads(self):
        for layout, source in (("pandas-table", "pandas.h5"), ("pandas-fixed", "pandas.h5"),
                               ("anndata", "anndata.h5")):  # fmt: skip
            self.convert(source, f"to-{layout}.h5", layout)
            for i in range(20):
                said = [self.stoa("query", f"{self.dir}/{file}:/f{i}", "-f", "csv").stdout
                        for file in (source, f"to-{layout}.h5")]  # fmt: skip
                self.assertEqual(*said, f"{layout} f{i}")

    def test_anndata_frames_come_back_equal(self):
        self.convert("anndata.h5", "own-cells.h5", "hep001")
        for source in ("anndata.h5", "own-cells.h5"):
            with self.subTest(source=source):
                self.convert(source, f"from-{source}", "anndata")
                self.assert_says_nothing("frames.py", "anndata", f"from-{source}")

    def test_what_a_layout_cannot_hold_is_refused_by_name(self):
        self.write("holes.csv", "whole,truth,text\n1,true,a\n,,nan\n3,false,\n")
        self.stoa("import", self.dir / "holes.csv", f"{self.dir}/holes.h5:/t")
        self.write("times.csv", "when\n2020-01-01T00:00:00\n9999-01-01T00:00:00\n")
        self.stoa("import", self.dir / "times.csv", f"{self.dir}/times.h5:/t")
        for source, layout, said in (("holes", "pandas-table", "whole"),
                                     ("holes", "pandas-fixed", "whole"),
                                     ("times", "pandas-table", "when"),
                                     ("times", "anndata", "when")):  # fmt: skip
            self.fails("convert", f"{self.dir}/{source}.h5:/t", self.dir / "no.h5", "--to", layout,
                       says=[said, "t"])  # fmt: skip


if __name__ == "__main__":
    stoa_test.main()
