"""Tables that h5col wrote hold for Stoa what they hold for h5col (tests/support/h5col/README.md)."""

import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

GIVEN = stoa_test.SOURCE / "tests/support/h5col"


def rows_of(text):
    return [json.loads(line) for line in text.splitlines()]


class H5Col(stoa_test.TestCase):
    def put(self, name):
        """The file, and its rows as h5col reads them."""
        file = self.dir / f"{name}.h5"
        shutil.copyfile(GIVEN / f"{name}.h5", file)
        return file, rows_of((GIVEN / f"{name}.jsonl").read_text(encoding="utf-8"))

    def query(self, place, *arguments):
        return rows_of(self.stoa("query", place, "-f", "jsonl", *arguments).stdout)

    def test_numbers_strings_and_bytes(self):
        file, expected = self.put("plain")
        self.assertEqual(self.query(f"{file}:/t"), expected)

    def test_categories_by_deprecated_references(self):
        file, expected = self.put("categories")
        self.assertEqual(self.query(f"{file}:/t"), expected)
        self.stoa("append", self.write("new.csv", "sample,grade,site\n99,fair,west\n"), f"{file}:/t")
        self.assertEqual(
            self.query(f"{file}:/t"), [*expected, {"sample": 99, "grade": "fair", "site": "west"}]
        )

    def test_row_labels_in_the_order_that_the_table_says(self):
        file, expected = self.put("row_labels")
        rows = self.query(f"{file}:/study/cells")
        self.assertEqual(rows, expected)
        self.assertEqual([*rows[0]], [*expected[0]])
        self.assertRegex(self.stoa("info", f"{file}:/study/cells").stdout, "labels +donor, cell")

    def test_booleans_of_each_form(self):
        file, expected = self.put("booleans")
        for row in expected:  # h5col shows an enumeration by its members
            row["veto"] = {"FALSE": False, "TRUE": True, None: None}[row["veto"]]
        self.assertEqual(self.query(f"{file}:/t"), expected)

    def test_booleans_are_conditions_with_and_without_an_index(self):
        file, expected = self.put("booleans")
        conditions = {
            "good": lambda row: row["good"],
            "not good": lambda row: not row["good"],
            "veto": lambda row: row["veto"] == "TRUE",
            "not veto": lambda row: row["veto"] == "FALSE",
            "veto is null": lambda row: row["veto"] is None,
            "good and veto is not null": lambda row: row["good"] and row["veto"] is not None,
        }
        for kind in (None, "minmax", "bitmap", "sorted"):
            if kind is not None:
                self.stoa("index", "add", f"{file}:/t", "good", "veto", "--kind", kind)
                self.stoa("index", "verify", f"{file}:/t")
            for condition, holds in conditions.items():
                with self.subTest(kind=kind, condition=condition):
                    found = [row["shot"] for row in self.query(f"{file}:/t", "-w", condition)]
                    self.assertEqual(found, [row["shot"] for row in expected if holds(row)])

    def test_booleans_take_new_rows(self):
        file, _ = self.put("booleans")
        new = 'shot,good,veto,manual\n100,true,,1\n101,false,true,0\n'
        self.stoa("append", self.write("new.csv", new), f"{file}:/t")
        self.assertEqual(
            self.query(f"{file}:/t", "-w", "shot >= 100"),
            [
                {"shot": 100, "good": True, "veto": None, "manual": 1},
                {"shot": 101, "good": False, "veto": True, "manual": 0},
            ],
        )
        new = 'shot,good,veto,manual\n102,,,\n'
        self.stoa("append", self.write("new.csv", new), f"{file}:/t")
        self.assertEqual(
            self.query(f"{file}:/t", "-w", "shot >= 101", "-c", "good,veto,manual"),
            [
                {"good": False, "veto": True, "manual": 0},
                {"good": None, "veto": None, "manual": None},
            ],
        )


if __name__ == "__main__":
    stoa_test.main()
