"""The programs of examples/ and the demo: what a newcomer tries first."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

PROGRAMS = stoa_test.BUILD / "examples"

SPARSE = (PROGRAMS / "sparse_matrix").exists()
# awk counts as many airports, and as many pairs of them.
SPARSE_SIGHTS = (
    r"3339 of 51529 elements",
    r"SPARSE_CHUNK \( 64, 64 \)",
    r"(?m)^ *\d+ +117 +10477$",  # from Dallas, as Python finds in the CSV file
) if SPARSE else ()  # fmt: skip


@unittest.skipUnless((PROGRAMS / "write_table").exists(), "the examples are not built")
class Programs(stoa_test.TestCase):
    def program(self, name, *arguments, status=0):
        done = stoa_test.run(PROGRAMS / name, *arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_write_table_makes_a_conformant_table(self):
        file = self.dir / "a.h5"
        self.assertEqual(self.program("write_table", file).stdout, f"{file}: 5 rows in /events\n")
        self.assertEqual(
            self.stoa("query", file, "-f", "csv").stdout,
            "number,energy,particle\n1,0.511,electron\n2,105.66,muon\n3,139.57,pion\n"
            "4,,photon\n5,938.27,proton\n",
        )
        self.stoa("check", file, "--strict", "--indexes")

    def test_query_stream_prints_the_rows_it_asked_for(self):
        file = self.dir / "a.h5"
        self.program("write_table", file)
        self.assertEqual(
            self.program("query_stream", file).stdout, "2 105.66\n3 139.57\n4 (missing)\n5 938.27\n"
        )

    def test_beside_images_puts_a_table_next_to_a_cube(self):
        file = self.dir / "a.h5"
        self.program("beside_images", file)
        self.assertRegex(
            self.hdf5("h5dump", "-H", "-d", "/images", file), r"SIMPLE \{ \( 8, 16, 32 \)"
        )
        # The mean of 100 f + x + y over x < 32, y < 16 is 100 f + 15.5 + 7.5.
        self.assertEqual(
            self.stoa("query", f"{file}:/frames", "-f", "csv").stdout,
            "frame,brightness\n" + "".join(f"{f},{100 * f + 23}.0\n" for f in range(8)),
        )
        self.stoa("check", file, "--strict")

    def test_each_says_what_went_wrong_in_one_line_and_leaves_the_file_alone(self):
        taken = self.write("taken.h5", "precious")
        for name in ("write_table", "query_stream", "beside_images", "sparse_matrix", "sparse_words"):
            words = ["9", "9"] if name.startswith("sparse") else []
            done = self.program(name, taken, *words, status=1)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn("taken.h5", done.stderr)
            self.assertEqual(taken.read_text(), "precious")
            self.program(name, status=2)


class Demo(stoa_test.TestCase):
    def test_the_demo_runs_to_its_end_and_leaves_nothing(self):
        env = {"STOA": stoa_test.STOA, "STOA_HDF5_BIN": stoa_test.HDF5_BIN, "TMPDIR": str(self.dir)}
        done = stoa_test.run(stoa_test.SOURCE / "examples/demo.sh", env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout[-2000:])
        self.assertEqual(list(self.dir.iterdir()), [])
        for sight in (
            r"200000 rows imported",
            r"10000 rows imported",
            r"(?m)^/flights +hep001 +table +200000",
            r"(?m)^ORD +1965 +8\.865139949109414 +267$",  # computed by Python from the CSV file
            r"1 of 25 chunks",
            r"looked at 5 rows in",
            r"4075 rows counted without a look",  # awk counts as many from SFO
            r"2 rows appended",
            r"8 rows changed",  # awk finds as many below -60
            r"2 tables checked by 2026-[067 and2-]+, no finding",
            *SPARSE_SIGHTS,
        ):
            self.assertRegex(done.stdout, sight)
        self.assertEqual(len(re.findall(r"(?m)^\$ stoa query ", done.stdout)), 10 + 2 * SPARSE)


if __name__ == "__main__":
    stoa_test.main()
