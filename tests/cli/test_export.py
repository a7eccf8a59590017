"""stoa export: a whole table as text (src/cli/transfer/cmd_export.c)."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

CSV = 'n,name,when\n1,"a, ""b""",2001-01-01T00:00:00\n2,,2001-01-02T12:30:00\n,"",\n'


class Export(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.place = f"{self.dir}/a.h5:/t"
        self.stoa("import", self.write("a.csv", CSV), self.place)

    def export(self, name, *options):
        out = self.dir / name
        self.stoa("export", self.place, out, *options)
        return out.read_text()

    def test_csv_comes_back_byte_by_byte(self):
        self.assertEqual(self.export("b.csv"), CSV)

    def test_the_suffix_chooses_the_format(self):
        self.assertEqual(self.export("b.tsv").splitlines()[0], "n\tname\twhen")
        rows = [json.loads(line) for line in self.export("b.jsonl").splitlines()]
        self.assertEqual([row["n"] for row in rows], [1, 2, None])
        self.assertEqual(json.loads(self.export("b.json")), rows)

    def test_f_overrides_the_suffix_and_names_without_one_need_it(self):
        self.assertEqual(self.export("b.json", "-f", "csv"), CSV)
        self.assertEqual(self.export("b", "-f", "csv"), CSV)
        self.fails("export", self.place, self.dir / "c", status=2, says="-f")

    def test_an_arrow_file_of_thousands_of_columns_is_read_again(self):
        names = [f"c{i}" for i in range(5000)]
        text = ",".join(names) + "\n" + ",".join("1" for _ in names) + "\n"
        wide = f"{self.dir}/wide.h5:/t"
        self.stoa("import", self.write("wide.csv", text), wide, "--units", "c0=m")
        self.stoa("export", wide, self.dir / "wide.arrow")
        self.stoa("import", self.dir / "wide.arrow", f"{self.dir}/again.h5:/t")
        self.assertEqual(self.stoa("query", f"{self.dir}/again.h5", "-f", "csv").stdout, text)

    def test_a_hyphen_is_stdout(self):
        done = self.stoa("export", self.place, "-", "-f", "csv")
        self.assertEqual((done.stdout, done.stderr), (CSV, ""))

    def test_it_says_how_many_rows(self):
        done = self.stoa("export", self.place, self.dir / "b.csv")
        self.assertEqual(
            (done.stdout, done.stderr),
            ("", f"{self.dir}/b.csv: 3 rows exported from {self.place}\n"),
        )

    def test_an_output_that_cannot_be_made_is_one_line_and_leaves_nothing(self):
        self.fails("export", self.place, self.dir / "no/b.csv", says="no/b.csv")
        self.assertEqual(sorted(os.listdir(self.dir)), ["a.csv", "a.h5"])

    def test_a_table_that_is_not_there_is_one_line_and_leaves_nothing(self):
        self.fails("export", f"{self.dir}/a.h5:/u", self.dir / "b.csv", says="/u")
        self.assertEqual(sorted(os.listdir(self.dir)), ["a.csv", "a.h5"])


if __name__ == "__main__":
    stoa_test.main()
