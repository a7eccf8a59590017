"""Blocks that overlap: libhdf5 would give them back twice, and free its own memory twice over that.

Stoa's own files have version 1 B-trees of chunks, which no checksum protects: chunks are led astray
there, by hand.
"""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

ROWS = 1000
CSV = "a,b\n" + "".join(f"{i},{i * 7 % 1000}\n" for i in range(ROWS))
EDITS = (
    ("remove", "{t}"), ("import", "--force", "{csv}", "{t}"),
    ("convert", "--force", "--to", "hep001", "{u}", "{t}"), ("truncate", "{t}", "10"), ("delete", "{t}", "-w", "a < 500"),
    ("update", "{t}", "--set", "a = 1", "-w", "b = 7"), ("append", "{csv}", "{t}"),
    ("column", "drop", "{t}", "a"), ("column", "storage", "{t}", "a", "--codec", "zstd"),
    ("index", "add", "{t}", "a"), ("repack", "{t}"), ("move", "{t}", "{d}/other.h5:/t"),
)  # fmt: skip


def places_of_chunks(image):
    """Where leaves of the B-trees say the addresses of chunks, tree by tree."""
    at = image.find(b"TREE\x01\x00")
    while at >= 0:
        (n,) = struct.unpack_from("<H", image, at + 6)
        yield [at + 24 + 24 + i * 32 for i in range(n)]
        at = image.find(b"TREE\x01\x00", at + 1)


class Overlapping(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.csv = self.write("rows.csv", CSV)
        self.file = self.dir / "in.h5"
        for name in ("t", "u"):
            self.stoa("import", self.csv, f"{self.file}:/{name}", "--chunk", "100", "--codec", "none")
        self.sound = self.file.read_bytes()
        self.trees = list(places_of_chunks(self.sound))
        self.assertEqual([len(tree) for tree in self.trees], [10] * 4)

    def expect_refused(self, place, address):
        damaged = bytearray(self.sound)
        struct.pack_into("<Q", damaged, place, address)
        for words in EDITS:
            with self.subTest(words, address=address):
                self.file.write_bytes(damaged)
                words = [w.format(t=f"{self.file}:/t", u=f"{self.file}:/u", csv=self.csv, d=self.dir) for w in words]
                self.fails(*words, says="it is damaged: parts of /t/a")
                self.assertEqual(self.file.read_bytes(), damaged)
                self.assertFalse((self.dir / "other.h5").exists())

    def test_two_chunks_of_a_column(self):
        first, second = self.trees[0][:2]
        self.expect_refused(second, struct.unpack_from("<Q", self.sound, first)[0])

    def test_chunks_of_two_columns(self):
        self.expect_refused(self.trees[0][3], struct.unpack_from("<Q", self.sound, self.trees[1][3])[0])

    def test_a_chunk_over_the_tree_that_leads_to_it(self):
        self.expect_refused(self.trees[0][9], self.trees[0][0] - 24)

    def test_what_is_sound_is_edited(self):
        for words in EDITS:
            with self.subTest(words):
                self.file.write_bytes(self.sound)
                self.stoa(*[w.format(t=f"{self.file}:/t", u=f"{self.file}:/u", csv=self.csv, d=self.dir) for w in words])


if __name__ == "__main__":
    stoa_test.main()
