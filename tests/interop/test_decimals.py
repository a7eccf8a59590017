"""Decimal floats in the stock scale-offset filter: h5py reads the bits that pyarrow wrote."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

ROWS, MORE = 140_000, 70_000
SCALEOFFSET, DEFLATE = 6, 1
ODD = ("nan", "minus zero", "huge", "third", "infinite")


class Decimals(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.peer("python3", "decimals.py", "make", "a.arrow", str(ROWS), "1")
        self.peer("python3", "decimals.py", "make", "b.arrow", str(MORE), "2")

    def check_bits(self, file, *parts):
        self.assertEqual(self.peer("python3", "decimals.py", "differences", file, json.dumps(parts)), "")
        self.stoa("check", f"{self.dir}/{file}")

    def masks(self, file):
        return json.loads(self.peer("python3", "decimals.py", "masks", file))

    def test_every_codec_gives_every_bit_back(self):
        for codec in ("auto", "small", "decimal:3"):
            with self.subTest(codec):
                file = f"{codec.replace(':', '')}.h5"
                self.stoa("import", f"{self.dir}/a.arrow", f"{self.dir}/{file}:/t", "--codec", codec)
                self.check_bits(file, [ROWS, 1])
                self.check_filters(codec, self.masks(file))
        self.check_answers(f"{self.dir}/auto.h5:/t")

    def check_filters(self, codec, masks):
        for name, (filters, chunks) in masks.items():
            if "all negative" in name:
                packed = []
            elif any(word in name for word in ODD):
                packed = [0, 1]
            elif "negative" in name:
                packed = [0, 1] if masks[name][1][2] & 1 else [0, 1, 2]  # as its sums are exact
            else:
                packed = [0, 1, 2]
            if codec == "decimal:3":
                self.assertEqual(filters[0], SCALEOFFSET, name)
            elif name[3:].isdigit() or name.endswith(("whole", "few")) or packed == [0, 1]:
                self.assertIn(SCALEOFFSET, filters, name)
                self.assertIn(DEFLATE, filters, name)
                self.assertEqual([i for i, mask in enumerate(chunks) if mask & 1 == 0], packed, name)

    def check_answers(self, place):
        """Rows one by one, chosen ones and all: the same past libhdf5, by it, and in plain C."""
        questions = [["-c", '"f4 2","f8 5","f8 nan"', "-w", '"f8 5" between 1000 and 1003'],
                     ["-c", '"f8 6","f4 negative"', "-w", '"f8 2" > 9999000'],
                     ["-a", 'sum("f8 2"), min("f4 3"), max("f8 huge"), count("f8 4"), sum("f8 negative")'],
                     ["-c", '"f4 whole","f8 whole","f4 few","f8 few"', "-w", '"f4 whole" < -2'],
                     ["-c", '"f4 1","f8 1","f8 third"', "--offset", "131060", "-n", "30"]]  # fmt: skip
        for words in questions:
            said = [self.stoa("query", place, *words, "-f", "csv", env=environment).stdout
                    for environment in ({}, {"STOA_SLOW": "1"}, {"STOA_SIMD": "scalar"})]  # fmt: skip
            self.assertGreater(said[0].count("\n"), 1)
            self.assertEqual(said[0], said[1], words)
            self.assertEqual(said[0], said[2], words)

    def test_appended_rows_and_updated_ones_are_not_rounded(self):
        place = f"{self.dir}/c.h5:/t"
        self.stoa("import", f"{self.dir}/a.arrow", place)
        self.stoa("append", f"{self.dir}/b.arrow", place)
        self.check_bits("c.h5", [ROWS, 1], [MORE, 2])
        value = "0.12345678901234567"
        self.stoa("update", place, "-w", '"f8 2" < 5000', "--set", f'"f8 3"={value}')
        said = self.stoa("query", place, "-w", '"f8 2" < 5000', "-c", '"f8 3"', "-f", "csv").stdout
        self.assertGreater(said.count("\n"), 2)
        self.assertEqual(set(said.splitlines()[1:]), {repr(float(value))})
        self.stoa("update", place, "-w", f'"f8 3" = {value}', "--set", '"f8 3"=7.5')
        said = self.stoa("query", place, "-w", '"f8 2" < 5000', "-c", '"f8 3"', "-f", "csv").stdout
        self.assertEqual(set(said.splitlines()[1:]), {"7.5"})
        self.stoa("check", place)

    def test_a_chunk_that_another_program_rounded_is_found(self):
        place = f"{self.dir}/d.h5:/t"
        self.stoa("import", f"{self.dir}/a.arrow", place)
        self.peer("python3", "decimals.py", "change", "d.h5", "f8 2", "70000")
        said = self.stoa("check", place, "--strict").stdout
        for words in ("/t/f8 2: INFO", "8.4", "row 65536 ", "2 decimals"):
            self.assertIn(words, said)
        self.assertEqual(said.count("decimals"), 1)


if __name__ == "__main__":
    stoa_test.main()
