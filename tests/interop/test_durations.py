"""Durations go from layout to layout and come back: pyarrow, pandas, PyTables, h5py, Arkouda."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

UNITS = ("s", "ms", "us", "ns")
CSV = """s,ms,us,ns
PT25M0S,PT1.500S,PT0.001500S,PT0.000001500S
,,,
-PT7S,-PT0.007S,-PT0.000007S,-PT0.000000007S
P366DT0S,PT8H47M2.400S,PT31.622400S,PT0.031622400S
-P12725829DT36M16S,-P12725DT19H53M47.776S,-P12DT17H25M11.627776S,-PT18M19.511627776S
PT0S,PT0.000S,PT0.000000S,PT0.000000000S
"""


class Durations(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.peer("python3", "durations.py", "make")
        self.own = f"{self.dir}/own.h5:/t"
        self.stoa("import", f"{self.dir}/durations.arrow", self.own)

    def csv_of(self, place, *options):
        return self.stoa("query", place, "-f", "csv", *options).stdout

    def types_of(self, place):
        said = self.stoa("info", place).stdout.splitlines()
        return {line.split()[0]: line.split()[1] for line in said if "duration[" in line}

    def test_arrows_durations_keep_their_unit_and_values(self):
        self.assertEqual(self.csv_of(self.own), CSV)
        self.assertEqual(self.types_of(self.own), {u: f"duration[{u}]" for u in UNITS})
        self.stoa("check", self.own)
        self.assert_says_nothing("durations.py", "h5py", "own.h5")

    def test_csv_gives_back_the_types(self):
        self.stoa("import", self.write("a.csv", CSV), f"{self.dir}/again.h5:/t")
        self.assertEqual(self.types_of(f"{self.dir}/again.h5:/t"), self.types_of(self.own))
        self.assertEqual(self.csv_of(f"{self.dir}/again.h5:/t"), CSV)
        self.stoa("append", f"{self.dir}/a.csv", self.own)
        self.assertEqual(self.csv_of(self.own), CSV + CSV.split("\n", 1)[1])

    def test_json_has_them_as_texts(self):
        said = self.stoa("query", self.own, "-c", "s,ms", "-n", "2", "-f", "jsonl").stdout
        self.assertEqual(said, '{"s":"PT25M0S","ms":"PT1.500S"}\n{"s":null,"ms":null}\n')

    def test_pandas_frames_come_back_equal(self):
        for layout in ("table", "fixed"):
            with self.subTest(layout=layout):
                theirs = f"{self.dir}/{layout}.h5"
                self.assertEqual(self.types_of(f"{theirs}:/t"),
                                 dict.fromkeys(UNITS[1:], "duration[ns]"))  # fmt: skip
                self.stoa("convert", theirs, f"{self.dir}/{layout}-own.h5", "--to", "hep001")
                self.stoa("check", f"{self.dir}/{layout}-own.h5")
                self.stoa("convert", f"{self.dir}/{layout}-own.h5",
                          f"{self.dir}/{layout}-back.h5", "--to", f"pandas-{layout}")  # fmt: skip
                self.assert_says_nothing("durations.py", "pandas", f"{layout}-back.h5")

    def test_what_pandas_cannot_hold_is_refused_by_name(self):
        for layout in ("pandas-table", "pandas-fixed", "arkouda"):
            done = self.stoa("convert", self.own, f"{self.dir}/x.h5", "--to", layout, status=3)
            self.assertIn("column 's' has durations of more than 292 years", done.stderr)

    def test_arkouda_has_timedeltas(self):
        self.stoa("column", "drop", self.own, "s")
        for locales in (0, 3):
            options = ("--locales", locales) if locales else ()
            name = f"ark{locales}"
            self.stoa("convert", self.own, f"{self.dir}/{name}.h5", "--to", "arkouda", *options)
            place = f"{self.dir}/{name}.h5:/ms,us,ns" if not locales else f"{self.dir}/{name}:/ms,us,ns"
            self.assertEqual(self.types_of(place), dict.fromkeys(UNITS[1:], "duration[ns]"))
            self.stoa("convert", place, f"{self.dir}/{name}-own.h5:/t", "--to", "hep001")
            self.stoa("convert", f"{self.dir}/{name}-own.h5:/t", f"{self.dir}/{name}-back.h5",
                      "--to", "arkouda")  # fmt: skip
            self.assert_says_nothing("durations.py", "arkouda", f"{name}-back.h5")
        self.assert_says_nothing("durations.py", "arkouda", "ark0.h5")

    def test_pytables_and_h5tb_have_integers_that_say_so(self):
        whole = f"{self.dir}/whole.h5:/t"
        self.stoa("import", f"{self.dir}/whole.arrow", whole)
        for layout in ("pytables", "h5tb"):
            for source in (whole, self.own):
                self.stoa("convert", source, f"{self.dir}/{layout}.h5:/t", "--to", layout,
                          "--missing", "0s", "--force")  # fmt: skip
                self.assertEqual(self.types_of(f"{self.dir}/{layout}.h5:/t"),
                                 self.types_of(self.own))  # fmt: skip
            self.assertEqual(self.csv_of(f"{self.dir}/{layout}.h5:/t"), self.csv_of(whole))
            self.stoa("append", whole, f"{self.dir}/{layout}.h5:/t")
            self.assertEqual(self.csv_of(f"{self.dir}/{layout}.h5:/t", "-a", "count()"),
                             "count()\n12\n")  # fmt: skip
        self.stoa("convert", whole, f"{self.dir}/pt.h5:/t", "--to", "pytables")
        self.assert_says_nothing("durations.py", "pytables", "pt.h5")

    def test_lh5_has_counts_and_anndata_none(self):
        self.stoa("convert", self.own, f"{self.dir}/l.h5:/t", "--to", "lh5", "--missing", "0s")
        said = self.stoa("info", f"{self.dir}/l.h5:/t").stdout
        self.assertRegex(said, r"ms +int64 .* ms\n")
        done = self.stoa("convert", self.own, f"{self.dir}/x.h5:/t", "--to", "anndata", status=3)
        self.assertIn("column 's' is of type duration[s]", done.stderr)

    def test_questions_are_answered_over_every_layout_alike(self):
        self.stoa("column", "drop", self.own, "s")
        self.stoa("convert", self.own, f"{self.dir}/ark.h5", "--to", "arkouda")
        places = [self.own, f"{self.dir}/table.h5:/t", f"{self.dir}/fixed.h5:/t",
                  f"{self.dir}/ark.h5:/ms,us,ns"]  # fmt: skip
        for where, rows in (("ms > '1 s'", "0,3"), ("us < '-7us'", "4"), ("ms = us", "5"),
                            ("ns >= 'PT0.0000015S' and ns <= '1.5us'", "0"),
                            ("ms in ('1500ms', '-7 ms')", "0,2"), ("ms is null", "1")):  # fmt: skip
            for place in places:
                said = self.csv_of(place, "-w", where, "--rows").split()[1:]
                self.assertEqual(",".join(said), rows, f"{place} {where}")

    def test_a_unit_that_arrow_does_not_have_is_refused(self):
        files = [(self.dir / f"one-{unit}.arrow").read_bytes() for unit in ("us", "ns")]
        unlike = [i for i, (a, b) in enumerate(zip(*files, strict=True)) if a != b]
        self.assertEqual([(files[0][i], files[1][i]) for i in unlike], [(2, 3)] * len(unlike))
        for unit in (4, 7, 255):
            broken = bytearray(files[0])
            for i in unlike:
                broken[i] = unit
            self.fails("import", self.write("broken.arrow", bytes(broken)), f"{self.dir}/x.h5:/t",
                       says=["column 'd' is of the Arrow type duration, which is not read"])  # fmt: skip


if __name__ == "__main__":
    stoa_test.main()
