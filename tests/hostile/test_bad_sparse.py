"""Damaged sparse arrays are copied, or told of in one line; no byte of them ends the program.

tests/fuzz/regressions/sparse-chunk-past-the-end.h5 came from an attack on Stoa 0.1.0, where it was called
sparse_copy_double_free.h5: the index says of a chunk of /z that it has 128 MiB. In
sparse-chunk-behind-a-long-one.h5 a chunk of /num lies far beyond the end of the file, and one before it
has more bytes than its elements. It came from a later attack, on 7283dd20.
"""

import shutil
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

REGRESSIONS = stoa_test.SOURCE / "tests/fuzz/regressions"
WORDS = stoa_test.BUILD / "examples" / "sparse_words"
# What libhdf5 leaks over a damaged file is its own.
LEAKY = {"ASAN_OPTIONS": "detect_leaks=0"}
LINES = "".join(f"{k % 9} {k * 5 % 7} word{'o' * (k % 40)} {k} {k * k}\n" for k in range(40))


class BadSparse(stoa_test.TestCase):
    def test_a_chunk_longer_than_the_file_is_not_copied(self):
        file = shutil.copy(REGRESSIONS / "sparse-chunk-past-the-end.h5", self.dir / "a.h5")
        self.fails("copy", f"{file}:/z", f"{self.dir}/b.h5:/z", says=("/z", "longer than the file"))
        self.fails("copy", f"{file}:/z", f"{file}:/y", says=("/z", "longer than the file"))
        self.stoa("copy", f"{file}:/m", f"{self.dir}/b.h5:/m")

    def test_no_chunk_behind_a_long_one_is_copied_unread(self):
        file = shutil.copy(REGRESSIONS / "sparse-chunk-behind-a-long-one.h5", self.dir / "a.h5")
        self.fails("copy", f"{file}:/num", f"{self.dir}/b.h5:/num", says=("/num", "read a chunk"))

    def chunks_of(self, image):
        """Where the index of a dataset says how long a chunk is, and where it lies."""
        at = -1
        while (at := image.find(b"TREE\x01", at + 1)) >= 0:
            n = struct.unpack_from("<H", image, at + 6)[0]
            rank = 2  # three offsets with that of a byte in the element
            for k in range(n):
                key = at + 24 + k * (8 + 8 * (rank + 1) + 8)
                yield key, key + 8 + 8 * (rank + 1)

    def test_no_damage_ends_a_copy(self):
        random = stoa_test.rng()
        for kind in ("heap", "section"):
            file = self.dir / f"{kind}.h5"
            done = stoa_test.run(WORDS, file, 9, 7, *(["heap"] if kind == "heap" else []), input=LINES)
            self.assertEqual(done.returncode, 0, done.stderr)
            image = file.read_bytes()
            places = list(self.chunks_of(image))
            self.assertGreater(len(places), 3)
            for k in range(stoa_test.effort(60)):
                damaged = bytearray(image)
                key, child = random.choice(places)
                if k % 3 == 0:  # the size of a chunk
                    struct.pack_into("<I", damaged, key, random.choice((1, 300, 5000, 1 << 27)))
                elif k % 3 == 1:  # a byte of it, or behind it
                    address = struct.unpack_from("<Q", image, child)[0]
                    damaged[min(address + random.randrange(200), len(image) - 1)] ^= 1 << k % 8
                for _ in range(k % 3):  # anything
                    damaged[random.randrange(len(image))] ^= 1 << random.randrange(8)
                place = self.write("d.h5", bytes(damaged))
                (self.dir / "to.h5").unlink(missing_ok=True)
                for name in ("words", "numbers", "both"):
                    with self.subTest(kind=kind, k=k, name=name):
                        done = self.stoa("copy", f"{place}:/{name}", f"{self.dir}/to.h5:/{name}",
                                         status=None, env=LEAKY)  # fmt: skip
                        self.assertIn(done.returncode, (0, 3), done.stderr)


if __name__ == "__main__":
    stoa_test.main()
