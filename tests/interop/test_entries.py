"""Matrices of AnnData and sparse arrays as tables of their entries: SciPy tells which these are."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

WRITE = """
import anndata, json, numpy, pandas, scipy.sparse as sp
x = sp.random(700, 300, 0.4, format="csr", random_state=1, dtype="float32")
a = anndata.AnnData(X=x, obs=pandas.DataFrame(index=[f"c{i}" for i in range(700)]))
a.layers["csc"] = x.tocsc()
a.layers["dense"] = x.toarray()
a.layers["truth"] = sp.csr_matrix(x.toarray() > 0.5)
a.layers["none"] = sp.csr_matrix((700, 300))
a.obsm["cube"] = numpy.arange(700 * 6).reshape(700, 2, 3)
a.write_h5ad("x.h5ad")
dense = x.toarray().astype(float)
boxes = {"": dense, "[10:13, 3:50]": dense[10:13, 3:50], "[-2:, :5]": dense[-2:, :5], "[5]": dense[5:6], "[:, 7]": dense[:, 7:8]}
json.dump({b: [int((m != 0).sum()), float(m.sum())] for b, m in boxes.items()}, open("boxes.json", "w"))
json.dump([x.getnnz(axis=1).tolist(), x.sum(axis=0, dtype="float64").tolist()[0]], open("sums.json", "w"))
"""
PARTS = ("/X", "/layers/csc", "/layers/dense", "/m")


class Entries(stoa_test.SharedPeersTestCase):
    @classmethod
    def make(cls, shared):
        shared.peer_python(WRITE)
        shared.stoa("import", f"{shared.dir}/x.h5ad:/X", f"{shared.dir}/s.h5:/m", "--chunk", "128x64")

    def places(self):
        return [f"{self.shared.dir}/{'s.h5' if p == '/m' else 'x.h5ad'}:{p}" for p in PARTS]

    def rows(self, *arguments):
        return [json.loads(line) for line in self.stoa("query", *arguments, "-f", "jsonl").stdout.splitlines()]

    def test_every_form_has_the_same_entries_in_every_box(self):
        wanted = json.loads((self.shared.dir / "boxes.json").read_text())
        for place in self.places():
            for box, (n, total) in wanted.items():
                row, = self.rows(place + box, "-w", "value <> 0", "-a", "count() as n, sum(value) as s")
                self.assertEqual(row["n"], n, place + box)
                self.assertAlmostEqual(row["s"] or 0.0, total, places=3, msg=place + box)
        row, = self.rows(f"{self.shared.dir}/x.h5ad:/X[10:13, 3:50]", "-a", "min(row), max(row), min(column), max(column)")
        self.assertEqual([row["min(row)"], row["max(row)"]], [10, 12])
        self.assertTrue(3 <= row["min(column)"] <= row["max(column)"] < 50)

    def test_sums_and_counts_by_row_and_column(self):
        counts, sums = json.loads((self.shared.dir / "sums.json").read_text())
        for place in self.places():
            rows = self.rows(place, "-w", "value <> 0", "--by", "row", "-a", "count() as n", "--sort", "row")
            self.assertEqual([row["n"] for row in rows], counts, place)
            rows = self.rows(place, "--by", "column", "-a", "sum(value) as s", "--sort", "column")
            self.assertEqual(len(rows), 300)
            for row, wanted in zip(rows, sums, strict=True):
                self.assertAlmostEqual(row["s"], wanted, places=3)

    def test_sorted_and_exported_rows_are_those_of_the_matrix(self):
        wanted = None
        for place in self.places():
            rows = self.rows(place, "--sort", "value:desc,row,column", "-n", "40")
            wanted = wanted or rows
            self.assertEqual(rows, wanted)
            self.stoa("export", f"{place}[0:20, :]", self.dir / "out.arrow")
            self.stoa("import", self.dir / "out.arrow", f"{self.dir}/o.h5:/m", "--sparse", "--force")
            self.assertIn("700 x 300", self.stoa("ls", self.dir / "o.h5").stdout)
            self.stoa("query", f"{place}[0:20, :]", "-o", f"{self.dir}/o.h5:/t", "--force")
            self.assertEqual(self.rows(f"{self.dir}/o.h5:/t", "-n", "5"), self.rows(f"{place}[0:20, :]", "-n", "5"))

    def test_other_elements_and_dimensions(self):
        file = f"{self.shared.dir}/x.h5ad"
        row, = self.rows(f"{file}:/layers/truth", "-a", "count() as n, min(value) as low")
        self.assertGreater(row["n"], 1000)
        self.assertIn(row["low"], (1, True))
        self.assertEqual(self.rows(f"{file}:/layers/none"), [])
        row, = self.rows(f"{file}:/obsm/cube[3, 1, :]", "-w", "dim2 = 2")
        self.assertEqual(row, {"dim0": 3, "dim1": 1, "dim2": 2, "value": 3 * 6 + 5})

    def test_info_shows_shape_and_form(self):
        for path, kind in (("/X", "csr"), ("/layers/csc", "csc"), ("/layers/dense", "array")):
            said = self.stoa("info", f"{self.shared.dir}/x.h5ad:{path}").stdout
            self.assertIn(f"kind         {kind} of anndata\n", said)
            self.assertIn("shape        700 x 300\n", said)

    def test_info_is_json_too(self):
        for place, kind, layout in zip(self.places(), ("csr", "csc", "array", "array"),
                                       ("anndata", "anndata", "anndata", "sparse"), strict=True):  # fmt: skip
            found, = json.loads(self.stoa("info", place, "-f", "json").stdout)
            listed = json.loads(self.stoa("ls", place[: place.index(":")], "-f", "json").stdout)
            wanted, = [o for o in listed if o["path"] == found["path"]]
            self.assertEqual((found["shape"], found["kind"], found["layout"]), ([700, 300], kind, layout))
            self.assertEqual({name: found[name] for name in wanted}, wanted)
        self.assertEqual((found["type"], found["chunk"], found["defined"]), ("float32", [128, 64], 84000))

    def test_boxes_that_are_none_are_refused(self):
        for place in self.places():
            for box, says in (("[700]", "position 700"), ("[1:2, 3, 4]", "2 dimensions"), ("[a]", "'a'"),
                              ("[::2]", "steps"), ("[]", "no position")):  # fmt: skip
                self.fails("query", place + box, says=says)
            self.assertEqual(self.rows(f"{place}[700:]"), [])
        self.fails("query", f"{self.shared.dir}/x.h5ad:/none[1]", says="no such object")

    def test_a_damaged_matrix_is_an_error(self):
        for name, value, says in (("indptr", 5, "'indptr' has"), ("indices", 300, "'indices' has 300")):
            self.put(self.shared.dir / "x.h5ad")
            self.peer_python("import h5py, sys\nwith h5py.File('x.h5ad', 'r+') as f:\n"
                             "    f['X/' + sys.argv[1]][-3 if sys.argv[1] == 'indptr' else 7] = int(sys.argv[2])\n",
                             name, str(value))  # fmt: skip
            self.fails("query", f"{self.dir}/x.h5ad:/X", "-a", "sum(row + column)", says=["x.h5ad:/X", says])


if __name__ == "__main__":
    stoa_test.main()
