"""stoa import X.mtx: Matrix Market files as sparse arrays (src/cli/transfer/import_matrix.c)."""

import gzip
import os
import re
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

    def entries(self, field, symmetry, *lines, pack=bytes):
        """What is defined after an import, "(row,column) value" a line, and what export makes of it."""
        text = "\n".join([f"%%MatrixMarket matrix coordinate {field} {symmetry}",
                          f"3 3 {len(lines)}", *lines, ""])  # fmt: skip
        name = self.write("x.mtx" if pack is bytes else "x.mtx.gz", pack(text.encode()))
        self.stoa("import", name, f"{self.file}:/x", "--chunk", "1x1", "--force")
        said = self.stoa("dump", "--sparse", f"{self.file}:/x").stdout
        found = {}
        for line in said.splitlines():
            place = re.match(r"    \((\d),(\d)\) +(.*?)$", line)
            if place:
                row, column = int(place[1]), int(place[2])
                values = re.findall(r"\{[^}]*\}|[^, ]+", place[3])
                found.update({(row, column + i): value for i, value in enumerate(values)})
        return found, self.stoa("export", f"{self.file}:/x", "-f", "mtx", "-").stdout

    def test_every_field_and_symmetry_packed_or_not(self):
        head = "%%MatrixMarket matrix coordinate"
        for pack in (bytes, gzip.compress):
            found, out = self.entries("integer", "general", "3 1 -7", "1 2 0", pack=pack)
            self.assertEqual(found, {(0, 1): "0", (2, 0): "-7"})
            self.assertEqual(out, f"{head} integer general\n3 3 2\n1 2 0\n3 1 -7\n")
            found, out = self.entries("real", "symmetric", "2 1 2.5", "3 3 1e-3", pack=pack)
            self.assertEqual(found, {(0, 1): "2.5", (1, 0): "2.5", (2, 2): "0.001"})
            self.assertEqual(out, f"{head} real general\n3 3 3\n1 2 2.5\n2 1 2.5\n3 3 0.001\n")
            found, _ = self.entries("real", "skew-symmetric", "3 2 4", pack=pack)
            self.assertEqual(found, {(1, 2): "-4.0", (2, 1): "4.0"})
            found, _ = self.entries("integer", "skew-symmetric", "2 1 4", pack=pack)
            self.assertEqual(found, {(0, 1): "-4", (1, 0): "4"})
            found, out = self.entries("complex", "hermitian", "1 1 5 0", "2 1 2 3", pack=pack)
            self.assertEqual(found, {(0, 0): "{r: 5.0, i: 0.0}", (0, 1): "{r: 2.0, i: -3.0}",
                                     (1, 0): "{r: 2.0, i: 3.0}"})  # fmt: skip
            self.assertEqual(out, f"{head} complex general\n3 3 3\n1 1 5.0 0.0\n1 2 2.0 -3.0\n2 1 2.0 3.0\n")
            found, _ = self.entries("pattern", "symmetric", "3 1", "2 2", pack=pack)
            self.assertEqual(found, {(0, 2): "1", (1, 1): "1", (2, 0): "1"})

    def test_export_writes_a_file_that_is_imported_again(self):
        self.stoa("import", self.mtx, f"{self.file}:/m")
        out = self.dir / "out.mtx"
        self.stoa("export", f"{self.file}:/m", out)
        self.stoa("import", out, f"{self.dir}/b.h5:/m")
        self.stoa("diff", "--defined", self.file, f"{self.dir}/b.h5")

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
