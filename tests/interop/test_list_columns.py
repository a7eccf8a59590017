"""List columns that h5py wrote are read as what was written, and reach Arrow and Parquet."""

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


if __name__ == "__main__":
    stoa_test.main()
