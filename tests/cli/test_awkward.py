"""Awkward arrays of AnnData: those that anndata wrote are read, and lists become such arrays
(docs/layouts/anndata.md)."""

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

    def test_a_whole_file_goes_to_other_layouts_without_them(self):
        for layout in ("lh5", "pytables"):
            out = self.dir / f"out.{layout}"
            said = self.stoa("convert", ARRAYS, out, "--to", layout).stderr
            self.assertIn(":/obsm/deep: group: left out", said)
            self.assertIn(":/uns/union: group: left out", said)
            self.assertNotIn("deep", self.stoa("ls", out).stdout)

    def test_a_whole_file_keeps_them_without_a_word(self):
        done = self.stoa("convert", ARRAYS, self.dir / "own.h5", "--to", "hep001")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        done = self.stoa("convert", self.dir / "own.h5", self.dir / "back.h5ad", "--to", "anndata")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for file in ("own.h5", "back.h5ad"):
            self.assertEqual(self.rows(f"{self.dir}/{file}:/obsm/deep_missing"),
                             self.rows(f"{ARRAYS}:/obsm/deep_missing"))  # fmt: skip


class Writing(Awkward):
    def make(self, rows, *options):
        self.write("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        self.stoa("import", self.dir / "rows.jsonl", f"{self.dir}/own.h5:/t", *options)
        return f"{self.dir}/own.h5:/t"

    def test_lists_become_arrays_beside_obs(self):
        rows = [{"n": 1, "v": [1, 2], "t": ["a", ""]}, {"n": 2, "v": None, "t": []},
                {"n": 3, "v": [], "t": ["é", None]}]  # fmt: skip
        own = self.make(rows)
        for target, source in (("whole.h5ad", own), ("part.h5ad:/obs", own)):
            file = self.dir / target.split(":")[0]
            self.stoa("convert", source, self.dir / target, "--to", "anndata")
            self.assertEqual([row["n"] for row in self.rows(f"{file}:/obs")], [1, 2, 3])
            for name in "vt":
                self.assertEqual(self.rows(f"{file}:/obsm/{name}"), [{name: row[name]} for row in rows])

    def test_arrays_that_are_written_again_are_equal(self):
        """Also lists that no table of HEP001 has: of categories, of records with strings and lists."""
        for path, rows in told().items():
            name = path.split("/")[-1]
            target = f"{self.dir}/{name}.h5ad:/obs"
            with self.subTest(path=path):
                if name == "times" or name == "missing_records":
                    says = "lists of timestamp" if name == "times" else "struct"
                    self.fails("convert", f"{ARRAYS}:{path}", target, "--to", "anndata", says=[f"'{name}'", says])
                    continue
                self.stoa("convert", f"{ARRAYS}:{path}", target, "--to", "anndata")
                if isinstance(next(row for row in [*rows, 0] if row is not None), list):
                    found = [row[name] for row in self.rows(f"{self.dir}/{name}.h5ad:/obsm/{name}")]
                    self.assertEqual(json.dumps(found), json.dumps(rows).replace("Infinity", '"Infinity"'))

    def test_the_lists_of_var_go_to_varm(self):
        own = self.make([{"v": [1]}])
        self.stoa("convert", own, f"{self.dir}/a.h5ad:/var", "--to", "anndata")
        self.assertEqual(self.rows(f"{self.dir}/a.h5ad:/varm/v"), [{"v": [1]}])

    def test_a_file_that_was_anndata_gets_the_lists_of_its_obs(self):
        self.stoa("convert", ARRAYS, self.dir / "own.h5", "--to", "hep001")
        self.write("more.jsonl", "".join(f'{{"later": [{k}]}}\n' for k in range(5)))
        self.stoa("column", "add", f"{self.dir}/own.h5:/obs", self.dir / "more.jsonl")
        self.stoa("convert", self.dir / "own.h5", self.dir / "back.h5ad", "--to", "anndata")
        self.assertEqual(self.rows(f"{self.dir}/back.h5ad:/obsm/later"), [{"later": [k]} for k in range(5)])
        self.assertEqual(self.rows(f"{self.dir}/back.h5ad:/obsm/texts"), self.rows(f"{ARRAYS}:/obsm/texts"))
        self.stoa("column", "rename", f"{self.dir}/own.h5:/obs", "later", "texts")
        self.fails("convert", self.dir / "own.h5", self.dir / "again.h5ad", "--to", "anndata",
                   says=["'texts'", "/obsm/texts", "there already"])  # fmt: skip
        self.assertFalse((self.dir / "again.h5ad").exists())

    def test_a_frame_is_not_replaced_by_lists_of_its_name(self):
        self.write("rows.jsonl", '{"scores": [1]}\n')
        self.write("frame.csv", "n\n1\n")
        for path, rows in (("/obs", "rows.jsonl"), ("/var", "frame.csv"), ("/obsm/scores", "frame.csv")):
            self.stoa("import", self.dir / rows, f"{self.dir}/own.h5:{path}")
        self.fails("convert", self.dir / "own.h5", self.dir / "a.h5ad", "--to", "anndata",
                   says=["'/obsm/scores'", "rename"])  # fmt: skip
        self.assertFalse((self.dir / "a.h5ad").exists())

    def test_what_is_there_stays(self):
        own = self.make([{"v": [1]}, {"v": [2]}])
        target = f"{self.dir}/a.h5ad:/obs"
        self.stoa("convert", own, target, "--to", "anndata")
        other = f"{self.dir}/b.h5:/t"
        self.write("other.jsonl", '{"v": ["x"]}\n{"v": []}\n')
        self.stoa("import", self.dir / "other.jsonl", other)
        before = (self.dir / "a.h5ad").read_bytes()
        self.fails("convert", other, target, "--to", "anndata", says="there already")
        self.assertEqual((self.dir / "a.h5ad").read_bytes(), before)

    def test_lists_have_a_place_beside_obs_and_var_only(self):
        own = self.make([{"n": 1, "v": [1]}])
        self.fails("convert", own, f"{self.dir}/a.h5ad:/uns/t", "--to", "anndata",
                   says=["/uns/t", "'v'", "list", "beside /obs and /var"])  # fmt: skip

    def test_lists_of_times_are_refused_by_name(self):
        own = self.make([{"n": 1, "v": ["2020-01-01"]}])
        self.fails("convert", own, f"{self.dir}/a.h5ad", "--to", "anndata", says=["'v'", "lists of date"])
        self.assertFalse((self.dir / "a.h5ad").exists())

    def test_units_and_description_are_kept(self):
        own = self.make([{"v": [1.5]}], "--units", "v=mV")
        self.stoa("attr", own, "-c", "v", "description=of a pulse")
        self.stoa("convert", own, f"{self.dir}/a.h5ad", "--to", "anndata")
        said = self.stoa("info", f"{self.dir}/a.h5ad:/obsm/v").stdout
        self.assertIn("mV", said)
        self.assertIn("of a pulse", said)

    def test_many_lists_are_written_in_chunks(self):
        rows = [{"v": [k, k + 1], "s": ["x" * (k % 5)]} for k in range(150000)]
        own = self.make(rows)
        for codec in ("none", "deflate:1"):
            file = f"{self.dir}/{codec[:4]}.h5ad"
            self.stoa("convert", own, file, "--to", "anndata", "--codec", codec)
            for name in "vs":
                self.assertEqual(self.rows(f"{file}:/obsm/{name}"), [{name: row[name]} for row in rows])
        sizes = [(self.dir / f"{name}.h5ad").stat().st_size for name in ("none", "defl")]
        self.assertGreater(sizes[0], 2 * sizes[1])


if __name__ == "__main__":
    stoa_test.main()
