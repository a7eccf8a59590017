"""Answers that become tables and Arrow streams: pandas, PyTables and pyarrow compute and read the same."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

CSV = "".join(
    ["id,energy,label,when\n"]
    + [f"{7 * i % 500},{'' if i % 11 == 0 else i / 8},{'NSW'[i % 3]},2026-01-{1 + i % 28:02}\n" for i in range(500)]
)
READ = """
import json, sys, pandas
t = pandas.read_csv("a.csv", parse_dates=["when"])
t["label"] = pandas.Categorical(t["label"])
wanted = {
    "rows": t[t.energy > 20],
    "sorted": t.sort_values(["energy", "id"], ascending=[False, True], na_position="last"),
    "groups": t.groupby("label", observed=True).agg(m=("energy", "mean"), n=("id", "count"), top=("id", "max")).reset_index(),
}
"""


class Answers(stoa_test.SharedPeersTestCase):
    @classmethod
    def make(cls, shared):
        shared.write("a.csv", CSV)
        shared.stoa("import", shared.dir / "a.csv", f"{shared.dir}/a.h5:/t", "--units", "energy=keV",
                    "--category", "label", "--title", "Events", "--row-index", "id")  # fmt: skip
        shared.stoa("attr", f"{shared.dir}/a.h5:/t", "-c", "energy", "description=of the hit")

    def setUp(self):
        super().setUp()
        self.put(self.shared.dir / "a.csv")
        self.place = f"{self.shared.dir}/a.h5:/t"

    ASKED = (
        ("rows", ["-w", "energy > 20"]),
        ("sorted", ["--sort", "energy:desc,id"]),
        ("groups", ["--by", "label", "-a", "mean(energy) as m, count(id) as n, max(id) as top", "--sort", "label"]),
    )

    def test_tables_hold_what_pandas_computes(self):
        for name, question in self.ASKED:
            self.stoa("query", self.place, *question, "-o", f"{self.dir}/out.h5:/{name}", "--index", "label:bitmap")
            self.stoa("query", self.place, *question, "-o", f"{self.dir}/p.h5:/{name}", "--to", "pandas-table",
                      *([] if name == "groups" else ["--missing", "energy=nan"]))  # fmt: skip
            self.stoa("check", f"{self.dir}/out.h5:/{name}", "--strict", "--indexes")
            self.stoa("export", f"{self.dir}/out.h5:/{name}", self.dir / f"{name}.arrow")
        self.peer_python(READ + """
import pyarrow.feather
for name, rows in wanted.items():
    rows = rows.reset_index(drop=True)
    mine = pyarrow.feather.read_table(f"{name}.arrow").to_pandas(ignore_metadata=True)
    assert list(mine.label.cat.categories) == ["N", "S", "W"], name
    mine["when" if "when" in mine else "n"] = mine["when" if "when" in mine else "n"].astype(rows["when" if "when" in mine else "n"].dtype)
    pandas.testing.assert_frame_equal(mine, rows, check_dtype=False, check_categorical=False)
    kept = pandas.read_hdf("p.h5", name).reset_index()
    pandas.testing.assert_frame_equal(kept[list(rows)], rows, check_dtype=False, check_categorical=False)
    fields = {f.name: f.metadata for f in pyarrow.feather.read_table(f"{name}.arrow").schema}
    assert fields["m" if name == "groups" else "energy"][b"units"] == b"keV", name
    assert (b"description" in fields.get("energy", {})) == (name != "groups")
""")
        for name, labels in (("rows", "id"), ("sorted", "id"), ("groups", None)):
            said = self.stoa("info", f"{self.dir}/out.h5:/{name}").stdout.split("\n\n")[0]
            self.assertEqual("row labels   id" in said, labels is not None)
            self.assertEqual("title        Events" in said, labels is not None)
            self.assertIn("BITMAP", self.stoa("index", "list", f"{self.dir}/out.h5:/{name}").stdout)

    def test_a_selection_of_other_columns_has_no_labels(self):
        self.stoa("query", self.place, "-c", "energy", "-o", f"{self.dir}/out.h5:/t")
        self.assertNotIn("row labels", self.stoa("info", f"{self.dir}/out.h5:/t").stdout)
        self.stoa("query", self.place, "-c", "energy,label", "-o", f"{self.dir}/out.h5:/u", "--row-index", "label")
        self.assertIn("row labels   label", self.stoa("info", f"{self.dir}/out.h5:/u").stdout)

    def test_arrow_goes_into_pipes_as_a_stream_and_into_files_by_their_suffix(self):
        ask = [stoa_test.STOA, "query", self.place, "-w", "energy > 20"]
        for name in ("x.arrow", "x.feather", "x.arrows"):
            self.stoa(*ask[1:], "-o", self.dir / name)
        self.stoa(*ask[1:], "-f", "arrows", "-o", self.dir / "any")
        self.stoa("export", self.place, self.dir / "all.arrows")
        self.peer_python(READ + """
import subprocess, pyarrow as pa
asked = subprocess.Popen(sys.argv[1:] + ["-f", "arrow"], stdout=subprocess.PIPE)
tables = {"pipe": pa.ipc.open_stream(asked.stdout).read_all()}
with open("redirected", "wb") as out:
    subprocess.run(sys.argv[1:] + ["-f", "arrow"], stdout=out, check=True)
for name in ("x.arrow", "x.feather", "redirected"):
    tables[name] = pa.ipc.open_file(name).read_all()
for name in ("x.arrows", "any"):
    tables[name] = pa.ipc.open_stream(name).read_all()
assert asked.wait() == 0
for name, table in tables.items():
    assert table.column("id").to_pylist() == list(wanted["rows"].id), name
    assert table.column("label").to_pylist() == list(wanted["rows"].label), name
assert pa.ipc.open_stream("all.arrows").read_all().num_rows == 500
""", *ask)  # fmt: skip
        for name in ("x.arrow", "x.arrows"):
            self.stoa("import", self.dir / name, f"{self.dir}/again.h5:/{name[2:]}")
            said = self.stoa("query", f"{self.dir}/again.h5:/{name[2:]}", "-f", "csv").stdout
            self.assertEqual(said, self.stoa(*ask[1:], "-f", "csv").stdout)


if __name__ == "__main__":
    stoa_test.main()
