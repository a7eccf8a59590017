"""List columns that h5py wrote are read as what was written, and reach Arrow and Parquet. Those that
Stoa writes and appends to are what h5py reads by the rules of HEP001-2026-07 §9."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase


def parsed(text):
    return [json.loads(line) for line in text.splitlines()]


class ListColumns(PeerTestCase):
    def test_random_ones_are_read_as_written(self):
        rng = stoa_test.rng()
        for seed in [rng.randrange(1 << 30) for _ in range(stoa_test.effort(12))]:
            with self.subTest(seed=seed):
                rows = parsed(self.peer("python3", "list_columns.py", "make", "t.h5", str(seed)))
                place = f"{self.dir}/t.h5:/t"
                self.assertEqual(self.rows_of(place), rows)
                for i in range(3):  # lists of the first few that are there
                    found = self.rows_of(place, "-c", f"id,length(v{i}) as n", "-w", f"v{i} is not null")
                    expect = [{"id": r["id"], "n": len(r[f"v{i}"])} for r in rows if r[f"v{i}"] is not None]
                    self.assertEqual(found, expect)
                self.stoa("info", place)

    def test_arrow_and_parquet_have_them(self):
        rows = parsed(self.peer("python3", "list_columns.py", "make", "t.h5", "5"))
        self.assertGreater(len(rows), 10)
        self.stoa("export", f"{self.dir}/t.h5:/t", f"{self.dir}/t.arrow")
        self.assertEqual(parsed(self.peer("python3", "list_columns.py", "arrow", "t.arrow")), rows)

    def written(self, file="own.h5"):
        return parsed(self.peer("python3", "list_columns.py", "read", file, "t"))

    def test_random_ones_are_written_as_they_were(self):
        rng = stoa_test.rng()
        own = f"{self.dir}/own.h5:/t"
        for seed in [rng.randrange(1 << 30) for _ in range(stoa_test.effort(6))]:
            with self.subTest(seed=seed):
                rows = parsed(self.peer("python3", "list_columns.py", "make", "t.h5", str(seed)))
                storage = rng.choice([[], ["--codec", "none"], ["--chunk", "7"], ["--codec", "deflate"]])
                self.stoa("convert", "--to", "hep001", "--force", *storage, f"{self.dir}/t.h5:/t", own)
                self.assertEqual(self.written(), rows)
                self.stoa("check", own)
                self.stoa("append", f"{self.dir}/t.h5:/t", own)
                self.assertEqual(self.written(), rows * 2)
                self.stoa("check", own)

    def test_arrow_batches_are_appended_batch_by_batch(self):
        rows = parsed(self.peer("python3", "list_columns.py", "make", "t.h5", "5"))
        (self.dir / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.peer("python3", "list_columns.py", "to_arrow", "rows.jsonl", "t.arrow")
        own = f"{self.dir}/own.h5:/t"
        self.stoa("import", "t.arrow", own, cwd=self.dir)
        self.assertEqual(self.written(), rows)
        self.stoa("append", f"{self.dir}/t.arrow", own)
        self.assertEqual(self.written(), rows * 2)
        self.stoa("check", own)
        # Lists of another program grow as they are stored there: in contiguous members, too.
        for seed in ("5", "6"):
            rows = parsed(self.peer("python3", "list_columns.py", "make", "t.h5", seed))
            self.stoa("export", f"{self.dir}/t.h5:/t", f"{self.dir}/more.arrow")
            self.stoa("append", f"{self.dir}/more.arrow", f"{self.dir}/t.h5:/t")
            self.assertEqual(self.rows_of(f"{self.dir}/t.h5:/t"), rows * 2)

    def test_other_layouts_keep_them(self):
        """Lists without missing ones, by way of every layout that has lists."""
        own = f"{self.dir}/own.h5:/t"
        self.peer_python(VLARRAY)
        self.stoa("convert", f"{self.dir}/vl.h5:/v", own, "--to", "hep001")
        lists = [[1, 2, 3], [], [-4]]
        rows = self.written()
        self.assertEqual([list(row.values()) for row in rows], [[lists[i]] for i in range(3)])
        (column,) = rows[0]
        for layout, path, name in (("lh5", ":/t", "t"), ("pytables", ":/t", "t"), ("arkouda", "", column)):
            with self.subTest(layout=layout):
                there, back = f"{self.dir}/{layout}.h5", f"{self.dir}/{layout}_back.h5"
                self.stoa("convert", own, f"{there}{path}", "--to", layout)
                self.stoa("convert", there, back, "--to", "hep001")
                found = parsed(self.peer("python3", "list_columns.py", "read", f"{layout}_back.h5", name))
                self.assertEqual(found, rows)
        self.fails("convert", own, f"{self.dir}/no.h5:/t", "--to", "anndata", says="column '")


VLARRAY = """
import numpy, tables
with tables.open_file("vl.h5", "w") as file:
    rows = file.create_vlarray("/", "v", tables.Int32Atom())
    for row in ([1, 2, 3], [], [-4]):
        rows.append(numpy.array(row, "i4"))
"""


if __name__ == "__main__":
    stoa_test.main()
