"""A damaged chunk is told of in one line that names the column and the chunk, or its values are
others where nothing guards them; whatever the codec, however it is read.

h5ls says where chunks and their index lie (libhdf5's version 1 B-tree: size, filter mask, offset and
address of each); the bytes there are changed.
"""

import re
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

ROWS, CHUNK = 3000, 1000
# Codecs whose chunks cannot be changed anywhere without being noticed.
GUARDED = ("deflate",)
CODECS = ("none", "scaleoffset", "deflate", "small", "zstd", "lz4", "blosc", "auto")
QUESTIONS = {"i": ("-a", "sum(i)"), "f": ("-w", "f > 4", "-c", "f"), "s": ("-a", "max(s)")}
WAYS = ({}, {"STOA_SIMD": "scalar"}, {"STOA_SLOW": "1"})


class Chunk:
    """Where one lies, and where the index says so."""

    def __init__(self, number, size, address, key):
        self.number, self.size, self.address, self.key = number, size, address, key


class DamagedChunks(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        lines = ["i,f,s"]
        for k in range(ROWS):
            lines.append(f"{k * 7919 % 1000},{k * 0.37 % 9.1:.4f},x{k * k % 7919}-{'ab' * (k % 5)}")
        self.csv = self.write("c.csv", "\n".join(lines) + "\n")
        self.random = stoa_test.rng()

    def make(self, codec):
        """A table of that codec: its file's bytes, and {column: [chunk]}."""
        place = f"{self.dir}/{codec}.h5:/deep/t"
        self.stoa("import", self.csv, place, "--codec", codec, "--chunk", CHUNK,
                  "--no-category", "*")  # fmt: skip
        image = (self.dir / f"{codec}.h5").read_bytes()
        chunks = {}
        for column in QUESTIONS:
            said = self.hdf5("h5ls", "-va", f"{self.dir}/{codec}.h5/deep/t/{column}")
            node = int(re.search(r"^ +Address: (\d+)$", said, re.M)[1])
            self.assertEqual(image[node : node + 5], b"TREE\x01")
            found = re.findall(r"0x[0-9a-f]{8} +(\d+) +(\d+) +\[(\d+), 0\]", said)
            self.assertEqual(len(found), ROWS // CHUNK)
            chunks[column] = []
            for number, (size, address, row) in enumerate(found):
                key = node + 24 + number * 32
                said = struct.unpack_from("<I4xQQQ", image, key)
                self.assertEqual(said, (int(size), int(row), 0, int(address)))
                chunks[column].append(Chunk(number, int(size), int(address), key))
        return image, chunks

    def ask(self, image, column, chunk, must_fail, what):
        """Every way to the column: an answer, or the one line."""
        file = self.write("damaged.h5", image)
        for way in WAYS:
            with self.subTest(what, column=column, **way):
                done = self.stoa("query", f"{file}:/deep/t", *QUESTIONS[column], "-f", "csv",
                                 status=None, env=way)  # fmt: skip
                self.assertIn(done.returncode, (3,) if must_fail else (0, 3), done.stderr)
                if done.returncode == 0:
                    self.assertEqual(done.stderr, "")
                    continue
                self.assertRegex(done.stderr, r"\Astoa: [^\n]+\n\Z")
                self.assertIn(f"{file}:/deep/t/{column}: ", done.stderr)
                if "STOA_SLOW" not in way:  # libhdf5 does not say which
                    self.assertRegex(done.stderr, rf"chunks? (\d and )?{chunk.number}\b")
                else:
                    self.assertRegex(done.stderr, "chunk|rows|the filter '(zstd|lz4|blosc)'")

    def for_each(self, damage):
        """damage(image, chunk, is_filtered) gives [(what, image, must_fail)]."""
        for codec in CODECS:
            image, chunks = self.make(codec)
            for column, listed in chunks.items():
                chunk = self.random.choice(listed)
                mask = struct.unpack_from("<I", image, chunk.key + 4)[0]
                for what, bad, must_fail in damage(bytearray(image), chunk, codec, mask):
                    self.ask(bad, column, chunk, must_fail, f"{codec}: {what}")

    def test_flipped_bits(self):
        def damage(image, chunk, codec, mask):
            for _ in range(stoa_test.effort(2)):
                bad = bytearray(image)
                at = self.random.randrange(8 * chunk.size)
                bad[chunk.address + at // 8] ^= 1 << at % 8
                yield f"bit {at}", bad, codec in GUARDED and mask == 0

        self.for_each(damage)

    def test_a_start_that_is_none(self):
        def damage(image, chunk, codec, mask):
            image[chunk.address : chunk.address + 32] = b"\xff" * 32
            yield "start", image, codec in ("deflate", "zstd", "lz4", "blosc") and mask == 0

        self.for_each(damage)

    def test_sizes_and_places_that_the_index_has_wrong(self):
        def damage(image, chunk, codec, mask):
            never = (0, 1, chunk.size // 2, 0xFFFFFFFF)
            for size in (*never, chunk.size - 1, chunk.size + 1):
                bad = bytearray(image)
                struct.pack_into("<I", bad, chunk.key, size)
                yield f"size {size} of {chunk.size}", bad, size in never
            for address in (len(image) - 5, len(image) + 4096, 2**63 - 1):
                bad = bytearray(image)
                struct.pack_into("<Q", bad, chunk.key + 24, address)
                yield f"address {address}", bad, True

        self.for_each(damage)


if __name__ == "__main__":
    stoa_test.main()
