"""The programs of examples/ and the demo: what a newcomer tries first."""

import collections
import csv
import gzip
import statistics
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

PROGRAMS = stoa_test.BUILD / "examples"


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
    def test_the_demo_keeps_its_file_and_its_picture(self):
        place = self.dir / "demo"
        done = stoa_test.run(stoa_test.SOURCE / "examples/demo.sh", place, env={"STOA": stoa_test.STOA})
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout[-2000:])
        with gzip.open(place / "flights-2001.csv.gz", "rt") as file:
            flights = list(csv.DictReader(file))
        late = [row for row in flights if int(row["delay"]) > 1000]
        there = collections.Counter(row["destination"] for row in flights)
        from_ord = [int(row["delay"]) for row in flights if row["origin"] == "ORD"]
        for sight in (
            f"{len(flights)} rows imported",
            rf"(?m)^ORD +{len(from_ord)} +{statistics.fmean(from_ord)}$",
            *(rf"(?m)^ {name} .* {n}$" for name, n in there.most_common(6)),
            *(rf"(?m)^{row['date']} +{row['delay']} " for row in late),
            r"1 table checked by 2026-07, no finding",
        ):
            self.assertRegex(done.stdout, sight)
        self.assertLess(len(done.stdout.splitlines()), 45)
        self.assertIn("delay [minute]", (place / "delays.svg").read_text("utf-8"))
        self.assertIn(f"{len(flights)}", self.stoa("ls", place / "us.h5").stdout)


if __name__ == "__main__":
    stoa_test.main()
