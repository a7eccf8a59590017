"""Awkward arrays of AnnData: those that anndata wrote are read (docs/layouts/anndata.md)."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

SAMPLES = stoa_test.SOURCE / "tests/support/awkward"
ARRAYS = SAMPLES / "arrays.h5ad"
# Arrays of records are tables of several columns.
TABLES = {"columns"}


def told():
    """{path: rows} of the arrays, as awkward reads them."""
    lines = (SAMPLES / "arrays.jsonl").read_text("utf-8").splitlines()
    return {line["path"]: line["rows"] for line in map(json.loads, lines)}


class Awkward(stoa_test.TestCase):
    def rows(self, place, *options):
        said = self.stoa("query", place, "-f", "jsonl", *options).stdout
        return [json.loads(line) for line in said.splitlines()]


class Reading(Awkward):
    def test_every_array_is_what_awkward_makes_of_it(self):
        expected = told()
        self.assertGreater(len(expected), 30)
        for path, rows in expected.items():
            with self.subTest(path=path):
                name = path.split("/")[-1]
                found = self.rows(f"{ARRAYS}:{path}")
                if name not in TABLES:
                    found = [row[name] for row in found]
                self.assertEqual(json.dumps(found), json.dumps(rows).replace("Infinity", '"Infinity"'))

    def test_all_of_them_become_tables_of_hep001_and_come_back(self):
        for path, rows in told().items():
            with self.subTest(path=path):
                name = path.split("/")[-1]
                if name == "records":  # a string within is missing
                    self.fails("convert", f"{ARRAYS}:{path}", self.dir / "no.h5:/t", "--to", "hep001",
                               says=["/obsm/records", "missing value inside"])  # fmt: skip
                    continue
                own = f"{self.dir}/{name}.h5:/t"
                self.stoa("convert", f"{ARRAYS}:{path}", own, "--to", "hep001")
                self.stoa("check", own)
                found = self.rows(own)
                if name not in TABLES:
                    found = [row[name] for row in found]
                self.assertEqual(json.dumps(found), json.dumps(rows).replace("Infinity", '"Infinity"'))

    def test_lists_are_asked(self):
        asked = self.rows(f"{ARRAYS}:/obsm/numbers", "-c", "length(numbers) as n, sum(numbers) as s")
        self.assertEqual([list(row.values()) for row in asked], [[2, 3], [0, None], [1, 3], [3, 15], [1, 7]])
        found = self.rows(f"{ARRAYS}:/obsm/records", "-w", "length(records) = 2")
        self.assertEqual(len(found), 1)

    def test_ls_and_info_show_them(self):
        said = self.stoa("ls", ARRAYS).stdout
        line = next(line for line in said.splitlines() if line.startswith("/obsm/columns "))
        self.assertEqual(line.split()[1:5], ["anndata", "awkward", "5", "3"])
        line = next(line for line in said.splitlines() if line.startswith("/obsm/numbers "))
        self.assertEqual(line.split()[1:5], ["anndata", "awkward", "5", "1"])
        self.assertNotIn("node0", said)
        said = self.stoa("info", f"{ARRAYS}:/obsm/deep_missing").stdout
        self.assertRegex(said, r"deep_missing +list")

    def test_what_no_column_can_show_is_refused_by_name(self):
        self.fails("query", f"{ARRAYS}:/uns/union", says=["/uns/union", "UnionArray", "several types"])

    def test_a_whole_file_keeps_them_without_a_word(self):
        done = self.stoa("convert", ARRAYS, self.dir / "own.h5", "--to", "hep001")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        done = self.stoa("convert", self.dir / "own.h5", self.dir / "back.h5ad", "--to", "anndata")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for file in ("own.h5", "back.h5ad"):
            self.assertEqual(self.rows(f"{self.dir}/{file}:/obsm/deep_missing"),
                             self.rows(f"{ARRAYS}:/obsm/deep_missing"))  # fmt: skip


if __name__ == "__main__":
    stoa_test.main()
