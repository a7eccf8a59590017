"""Lists go to PyTables' VLArrays and come back: real PyTables reads and extends them."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import HERE


class Ragged(stoa_test.PeersTestCase):
    def setUp(self):
        super().setUp()
        self.put(f"{HERE}/peer/ragged.py")

    def ragged(self, *arguments):
        return self.peer("python3", "ragged.py", *map(str, arguments)).splitlines()

    def seeds(self, usual):
        rng = stoa_test.rng()
        return [rng.randrange(1 << 30) for _ in range(stoa_test.effort(usual))]

    def test_vlarrays_come_back_from_hep001_as_they_were(self):
        own, back = self.dir / "own.h5", self.dir / "back.h5"
        for seed in self.seeds(4):
            with self.subTest(seed=seed):
                self.ragged("make", "vl.h5", seed)
                for file in (own, back, self.dir / "straight.h5"):
                    file.unlink(missing_ok=True)
                self.stoa("convert", self.dir / "vl.h5", own, "--to", "hep001")
                self.stoa("check", own)
                self.stoa("convert", own, back, "--to", "pytables")
                self.assertEqual(self.ragged("same", "vl.h5", "back.h5"), ["26"])
                straight = self.dir / "straight.h5"
                self.stoa("convert", self.dir / "vl.h5", straight, "--to", "pytables")
                self.assertEqual(self.ragged("same", "vl.h5", "straight.h5"), ["26"])

    def test_lists_beside_columns_come_back_from_pytables_as_they_were(self):
        own, there, back = (f"{self.dir}/{name}.h5" for name in ("own", "there", "back"))
        how = {"deflate": "zlib", "deflate:1": "zlib", "blosc": "blosc:lz4", "none": "None"}
        for i, seed in enumerate(self.seeds(4)):
            codec = list(how)[i % len(how)]
            with self.subTest(seed=seed, codec=codec):
                n = int(self.ragged("arrow", "t.arrow", seed)[0])
                self.stoa("import", f"{self.dir}/t.arrow", f"{own}:/t", "--force")
                options = ["--to", "pytables", "--force", "--codec", codec, "--chunk", "7"]
                self.stoa("convert", f"{own}:/t", f"{there}:/some/t", *options)
                self.stoa("convert", f"{there}:/some/t", f"{back}:/t", "--to", "hep001", "--force")
                rows = self.rows_of(f"{own}:/t")
                self.assertEqual(len(rows), n)
                self.assertEqual(repr(self.rows_of(f"{back}:/t")), repr(rows))
                self.assertEqual(repr(self.rows_of(f"{there}:/some/t")), repr(rows))
                said = self.ragged("read", "there.h5", "/some/t")
                names = ["id", "v_i1", "v_f8", "v_s", "v_pair", "table", "p_s", "p_i1"]
                found = [json.loads(line) for line in said[:n]]
                self.assertEqual([[row[name] for name in names] for row in found],
                                 [[row[name] for name in names] for row in rows])
                level = {"deflate": "4", "deflate:1": "1", "blosc": "5", "none": "0"}[codec]
                for line in said[n:]:
                    self.assertEqual(line.split()[1:], [how[codec], level, "7"], line)

    def test_what_pytables_adds_is_read(self):
        own, there = f"{self.dir}/own.h5:/t", f"{self.dir}/there.h5:/t"
        self.ragged("arrow", "t.arrow", 5)
        self.stoa("import", f"{self.dir}/t.arrow", own)
        self.stoa("convert", own, there, "--to", "pytables")
        before = self.rows_of(there)
        self.assertGreater(len(before), 3)
        self.ragged("grow", "there.h5", "/t")
        self.assertEqual(repr(self.rows_of(there)), repr(before + before[-1:]))
        self.peer_python("import tables; tables.open_file('there.h5', 'a').root.t.v_i1.append([1])")
        self.fails("query", there, says=["there.h5:/t", "column 'v_i1' has", "to each VLArray"])


if __name__ == "__main__":
    stoa_test.main()
