"""stoa import X.mtx: Matrix Market files as sparse arrays (src/cli/import_matrix.c)."""

import gzip
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

MATRIX = """%%MatrixMarket matrix coordinate integer symmetric
% the second difference
3 3 5
1 1 2
2 2 2
3 3 2
2 1 -1
3 2 -1
"""


class ImportMatrix(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.mtx = self.write("lap.mtx", MATRIX)
        self.file = self.dir / "a.h5"

    def header(self, path):
        return self.hdf5("h5dump", "-H", "-p", "-d", path, self.file)

    def test_it_says_what_it_made(self):
        done = self.stoa("import", self.mtx, f"{self.file}:/a/m")
        self.assertEqual(done.stdout, "")
        self.assertEqual(
            done.stderr,
            f"{self.file}:/a/m: a matrix of 3 x 3 with 7 entries imported from {self.mtx}\n",
        )
        self.assertIn("H5T_STD_I64LE", self.header("/a/m"))
        self.assertIn("53131", self.header("/a/m"))

    def test_without_a_path_it_is_called_like_its_input(self):
        self.stoa("import", self.mtx, self.file)
        self.assertIn("( 3, 3 )", self.header("/lap"))

    def test_it_is_known_by_its_banner_and_may_be_compressed(self):
        other = self.write("numbers.txt", MATRIX)
        packed = self.write("p.mtx.gz", gzip.compress(MATRIX.encode()))
        hidden = self.write("hidden", gzip.compress(MATRIX.encode()))
        for name in other, packed, hidden:
            done = self.stoa("import", name, self.file)
            self.assertIn("3 x 3 with 7 entries", done.stderr)

    def test_chunk_and_codec_are_as_told(self):
        self.stoa("import", self.mtx, f"{self.file}:/m", "--chunk", "2x3", "--codec", "deflate:9")
        self.assertIn("CHUNKED ( 2, 3 )", self.header("/m"))

    def test_chunks_are_not_much_larger_than_the_matrix(self):
        self.stoa("import", self.mtx, f"{self.file}:/m")
        self.assertIn("CHUNKED ( 4, 4 )", self.header("/m"))

    def test_a_dataset_stays_unless_forced(self):
        place = f"{self.file}:/m"
        self.stoa("import", self.mtx, place)
        before = self.file.read_bytes()
        self.fails("import", self.mtx, place, says=[place, "--force"])
        self.assertEqual(self.file.read_bytes(), before)
        self.stoa("import", self.mtx, place, "--force", "--chunk", "1x1")
        self.assertIn("CHUNKED ( 1, 1 )", self.header("/m"))

    def test_a_group_is_never_replaced(self):
        self.stoa("import", self.mtx, f"{self.file}:/g/m")
        self.fails("import", self.mtx, f"{self.file}:/g", "--force", says="group")

    def test_a_damaged_file_is_named_with_its_line_and_leaves_nothing(self):
        bad = self.write("bad.mtx", MATRIX.replace("3 3 2\n", "3 4 2\n"))
        self.fails("import", bad, self.file, says=[f"{bad}:6: column 4 is outside of 1 to 3"])
        self.assertFalse(self.file.exists())
        no_banner = self.write("no.mtx", "1,2\n")
        self.fails("import", no_banner, self.file, says=[f"{no_banner}:1", "%%MatrixMarket"])
        cut = self.write("cut.mtx.gz", gzip.compress(MATRIX.encode())[:-9])
        self.fails("import", cut, self.file, says=[str(cut)])

    def test_an_extent_beyond_hdf5_is_refused(self):
        huge = self.write(
            "huge.mtx",
            "%%MatrixMarket matrix coordinate real general\n5000000000 5000000000 1\n1 1 1\n",
        )
        self.fails("import", huge, self.file, says="2^63")
        self.assertFalse(self.file.exists())

    def test_options_of_tables_do_not_apply(self):
        for option in (
            ["--type", "a=int8"],
            ["--delimiter", ";"],
            ["--index", "a"],
            ["--title", "t"],
            ["--preallocate", "5"],
            ["--chunk", "12"],
            ["--chunk", "0x3"],
            ["--codec", "a=lz4"],
        ):
            self.fails("import", self.mtx, self.file, *option, status=2, says="matrix")

    def test_what_is_unknown_as_a_codec_is_named(self):
        self.fails("import", self.mtx, self.file, "--codec", "brotli", says="'brotli' is no codec")


if __name__ == "__main__":
    stoa_test.main()
