"""Categories of any type: read, shown, asked, and written by the options that ask for them (HEP001 §8.7)."""

import json
import os
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

H5COL = stoa_test.SOURCE / "tests/support/h5col"
CSV = "year,energy,day,flag,n\n2025,0.5,2020-01-01,true,1\n2024,1.5,2020-01-02,false,2\n,,,,3\n2025,0.5,2020-01-01,true,4\n"
TYPES = {"year": "uint16", "energy": "float64", "day": "date", "flag": "bool"}


class Sample(stoa_test.TestCase):
    def test_a_table_of_another_program_is_read_with_its_labels(self):
        place = H5COL / "categories.h5"
        wanted = [json.loads(line) for line in (H5COL / "categories.jsonl").read_text().splitlines()]
        found = self.stoa("query", place, "-f", "jsonl").stdout.splitlines()
        self.assertEqual([json.loads(line) for line in found], wanted)
        info = self.stoa("info", place).stdout
        self.assertRegex(info, r"grade +string +3 +yes +poor, fair, très bon\n")
        self.assertRegex(info, r"site +string +2 +no +north, south\n")
        done = self.stoa("query", place, "-w", "grade = 'fair'", "-c", "sample", "-f", "csv")
        self.assertEqual(done.stdout.split(), ["sample", "1", "5", "9"])


class Values(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.csv = self.write("a.csv", CSV)
        self.place = f"{self.dir}/a.h5:/t"

    def query(self, *options):
        return self.stoa("query", self.place, "-f", "csv", *options).stdout

    def make(self, **types):
        words = [word for name, kind in types.items() for word in ("--type", f"{name}={kind}")]
        self.stoa("import", self.csv, self.place, *words, "--category", ",".join(types))

    def test_import_makes_categories_of_values_of_a_type_that_is_given(self):
        self.make(**TYPES)
        self.assertEqual(self.query(), CSV)
        self.stoa("check", "--indexes", self.place.split(":")[0])
        info = self.stoa("info", self.place).stdout
        self.assertRegex(info, r"year +uint16 +2 +no +2025, 2024\n")
        self.assertRegex(info, r"energy +float64 +2 +no +0.5, 1.5\n")
        self.assertRegex(info, r"day +date +2 +no +2020-01-01, 2020-01-02\n")
        self.assertRegex(info, r"flag +bool +2 +no +true, false\n")
        self.assertEqual(self.query("-w", "year = 2025", "-c", "n"), "n\n1\n4\n")
        self.assertEqual(self.query("-w", "energy > 1", "-c", "n"), "n\n2\n")
        self.assertEqual(self.query("-w", "day < '2020-01-02'", "-c", "n"), "n\n1\n4\n")
        self.assertEqual(self.query("-w", "not flag", "-c", "n"), "n\n2\n")

    def test_text_is_appended_by_value(self):
        self.make(**TYPES)
        more = self.write("more.csv", "year,energy,day,flag,n\n2024,2.5,2020-01-03,true,5\n2026,0.5,,false,6\n")
        self.stoa("append", more, self.place)
        self.assertEqual(self.query(), CSV + "2024,2.5,2020-01-03,true,5\n2026,0.5,,false,6\n")
        self.assertRegex(self.stoa("info", self.place).stdout, r"year +uint16 +3 +no +2025, 2024, 2026\n")
        wrong = self.write("wrong.csv", "year,energy,day,flag,n\n70000,2.5,2020-01-03,true,5\n")
        self.fails("append", wrong, self.place, says="70000 does not fit into uint16")

    def test_without_a_type_the_labels_are_the_texts(self):
        self.stoa("import", self.csv, self.place, "--category", "year")
        self.assertRegex(self.stoa("info", self.place).stdout, r"year +string +2 +no +2024, 2025\n")

    def test_options_that_contradict_each_other_are_refused(self):
        self.fails("import", self.csv, self.place, "--type", "year=uint16", "--category", "year",
                   "--no-category", "year", says="contradict")  # fmt: skip

    def test_the_edit_makes_categories_of_numbers_and_plain_columns_again(self):
        self.stoa("import", self.csv, self.place)
        self.stoa("column", "categories", self.place, *TYPES)
        self.assertEqual(self.query(), CSV)
        self.assertRegex(self.stoa("info", self.place).stdout, r"year +int16 +2 +no +2025, 2024\n")
        self.stoa("check", self.place.split(":")[0])
        self.stoa("column", "categories", self.place, "--plain", *TYPES)
        self.assertEqual(self.query(), CSV)
        self.assertNotIn("labels", self.stoa("info", self.place).stdout)

    def test_the_edit_packs_codes_as_an_import_does(self):
        labels = ["AIR", "MAIL", "SHIP", "TRUCK"]
        generator = random.Random(1)
        noise = [generator.choice(labels) for _ in range(20000)]
        for name, values in {"noise": noise, "runs": sorted(noise)}.items():
            rows = "".join(f"{value}\n" for value in values)
            csv = self.write("many.csv", "mode\n" + rows)
            stored = []
            for option, place in ("--category", f"{self.dir}/{name}.h5:/a"), ("--no-category", f"{self.dir}/{name}.h5:/b"):
                self.stoa("import", csv, place, option, "mode")
                if option == "--no-category":
                    self.stoa("column", "categories", place, "mode")
                stored += re.findall(r"mode +int8 +chunked +\d+ +(.*)", self.stoa("info", place).stdout)
                self.assertEqual(self.stoa("query", place, "-f", "csv").stdout, "mode\n" + rows)
            self.assertEqual(stored[0], stored[1])
            self.assertRegex(stored[0], "^scaleoffset  " if name == "noise" else "deflate")

    def test_arrow_and_back_keeps_the_dictionaries(self):
        self.make(**TYPES)
        arrow = self.dir / "a.arrow"
        self.stoa("export", self.place, arrow)
        copy = f"{self.dir}/b.h5:/t"
        self.stoa("import", arrow, copy)
        wanted = self.stoa("info", self.place).stdout.split("category", 1)[1].split("\n\n")[0]
        found = self.stoa("info", copy).stdout.split("category", 1)[1].split("\n\n")[0]
        self.assertEqual(found, wanted)
        self.assertEqual(self.stoa("query", copy, "-f", "csv").stdout, CSV)

    def test_layouts_without_such_categories_get_the_values(self):
        self.make(**TYPES)
        rows = f"{self.dir}/rows.h5:/t"
        self.stoa("query", self.place, "-w", "n <> 3", "-f", "arrow", "-o", self.dir / "r.arrow")
        self.stoa("import", self.dir / "r.arrow", rows)
        for to in ("lh5", "h5tb", "pytables", "arkouda"):
            with self.subTest(to):
                new = self.dir / f"{to}.h5"
                self.stoa("convert", rows, new, "--to", to)
                done = self.stoa("query", new, "-c", "year", "-f", "csv")
                self.assertEqual(done.stdout, "year\n2025\n2024\n2025\n")


if __name__ == "__main__":
    stoa_test.main()
