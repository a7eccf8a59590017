"""stoa repack -l, -f, --defined-elements, --exclude (sparse RFC §4.6; src/cli/transfer/relayout.c)."""

import os
import re
import stat
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

MAKER = stoa_test.BUILD / "examples" / "sparse_matrix"
ROWS, COLUMNS = 13, 10

# The matrix of the RFC's figure 3, and the list of its elements as §4.6 has it. (6,1) holds 0.
FIGURE = [[0] * COLUMNS for _ in range(ROWS)]
for i, first in enumerate((66, 96, 126)):
    FIGURE[2 + i][2:8] = range(first, first + 18, 3)
FIGURE[6][0], FIGURE[6][2] = 100, -100
FIGURE[5][9], FIGURE[11][1], FIGURE[12][8] = 2, 1, 3
LIST = "BLOCK (2,2)-(4,7), (6,0)-(6,2) POINT\n(5,9), (11, 1), (12,8)"
DEFINED = {(r, c) for r in range(ROWS) for c in range(COLUMNS) if FIGURE[r][c]} | {(6, 1)}


@unittest.skipUnless(MAKER.exists(), "the examples are not built")
class Repack(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.sparse = self.dir / "sparse.h5"
        triples = "".join(f"{r} {c} {FIGURE[r][c]}\n" for r, c in sorted(DEFINED))
        done = stoa_test.run(MAKER, self.sparse, ROWS, COLUMNS, 5, 4, input=triples)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.dense = self.dir / "dense.h5"
        text = self.write("d.txt", "\n".join(" ".join(map(str, row)) for row in FIGURE) + "\n")
        config = self.write(
            "d.conf",
            f"PATH Sparse\nINPUT-CLASS TEXTIN\nRANK 2\nDIMENSION-SIZES {ROWS} {COLUMNS}\n"
            "OUTPUT-SIZE 32\nOUTPUT-ARCHITECTURE STD\nOUTPUT-BYTE-ORDER LE\n",
        )
        self.hdf5("h5import", text, "-c", config, "-o", self.dense)
        self.out = self.dir / "out.h5"

    def repack(self, *arguments, to=None):
        to = to or self.out
        to.unlink(missing_ok=True)
        self.stoa("repack", *arguments, to)
        return to

    def header(self, file):
        return self.hdf5("h5dump", "-H", "-p", file)

    def same(self, a, b):
        self.assertEqual(self.stoa("diff", "--defined", a, b).stdout, "")

    def test_the_rfc_s_command_makes_the_rfc_s_array(self):
        for options in (
            ["-l", "Sparse:SPARSECHUNK=5x4", "--defined-elements", LIST],
            ["--layout=/Sparse:SPARSECHUNK=5x4", f"--defined-elements={LIST}"],
        ):
            out = self.repack(*options, self.dense)
            self.same(out, self.sparse)
            self.assertIn("SPARSE_CHUNK ( 5, 4 )", self.stoa("dump", out).stdout)

    def test_what_dump_prints_is_taken_back(self):
        for i, option in enumerate(("--sparse-locations", "--sparse")):
            said = self.stoa("dump", option, self.sparse).stdout
            listed = self.write(f"list{i}", said)
            out = self.repack("-l", "Sparse:SPARSECHUNK=5x4", "--defined-elements", listed, self.dense)
            self.same(out, self.sparse)
            self.assertEqual(self.stoa("dump", option, out).stdout, said)

    def test_a_list_comes_from_stdin_too(self):
        self.stoa("repack", "-l", "Sparse:SPARSECHUNK=5x4", "--defined-elements", "-", self.dense,
                  self.out, input=LIST)  # fmt: skip
        self.same(self.out, self.sparse)

    def test_without_a_list_every_element_is_defined(self):
        out = self.repack("-l", "Sparse:SPARSECHUNK=5x4", self.dense)
        said = self.stoa("dump", "--sparse-locations", out).stdout
        self.assertIn("REGION_TYPE BLOCK (0,0)-(12,9)\n}", said)

    def test_exclude_loses_the_explicit_zero_as_the_rfc_warns(self):
        out = self.repack("-l", "Sparse:SPARSECHUNK=5x4", "--exclude", "0", self.dense)
        self.assertEqual(self.stoa("diff", "--defined", out, self.sparse, status=1).stdout,
                         "/Sparse: 1 element is defined in one only, the first at (6,1)\n")  # fmt: skip
        said = self.stoa("dump", "--sparse-locations", out).stdout
        self.assertEqual(re.findall(r"BLOCK \(6.*|POINT.*", said),
                         ["POINT (5,9), (6,0), (6,2), (11,1), (12,8)"])  # fmt: skip

    def test_exclude_of_a_value_and_of_listed_elements(self):
        """What is excluded reads as before: as the value, where no fill value was declared."""
        out = self.repack("-l", "Sparse:SPARSECHUNK=5x4", "--exclude", "-100", self.dense)
        self.assertEqual(self.stoa("diff", out, self.dense).stdout, "")
        self.assertIn("VALUE -100", self.stoa("dump", out).stdout)
        out = self.repack("-l", "Sparse:SPARSECHUNK=5x4", "--exclude", "100", "--defined-elements",
                          "(6,0)-(6,2)", self.dense)  # fmt: skip
        said = self.stoa("dump", "--sparse", out).stdout
        self.assertIn("BLOCK (6,1)-(6,2)\n  DATA {\n    (6,1)  0, -100\n", said)

    def test_a_sparse_array_keeps_what_is_defined_in_other_chunks_and_through_other_filters(self):
        for options in (
            ["-l", "Sparse:SPARSECHUNK=4x5"],
            ["-l", "Sparse:SPARSECHUNK=1x1"],
            ["-l", "Sparse:SPARSECHUNK=13x10", "-f", "Sparse:GZIP=9"],
            ["-f", "Sparse:SHUF", "-f", "Sparse:GZIP"],
            ["-f", "Sparse:FLET"],
            ["-f", "Sparse:SECTION1:ZSTD=3", "-f", "Sparse:SECTION0:LZ4"],
            ["-f", "Sparse:UD=1,1,1,7"],
            ["-f", "Sparse:NONE"],
            [],
        ):
            self.same(self.repack(*options, self.sparse), self.sparse)

    def test_an_array_of_tiny_chunks_is_repacked_as_it_is(self):
        tiny = self.repack("-l", "Sparse:SPARSECHUNK=1x1", self.sparse, to=self.dir / "tiny.h5")
        out = self.repack(tiny)
        self.same(out, self.sparse)
        self.assertIn("SPARSE_CHUNK ( 1, 1 )", self.stoa("dump", out).stdout)

    def test_filters_are_those_that_were_asked_for(self):
        out = self.repack("-f", "Sparse:SECTION0:GZIP=9", "-f", "Sparse:SECTION1:SHUF", "-f",
                          "Sparse:SECTION1:GZIP=3", self.sparse)  # fmt: skip
        said = self.stoa("dump", out).stdout
        self.assertIn("  FILTERS SECTION 0 {\n      COMPRESSION DEFLATE { LEVEL 9 }\n    }\n", said)
        self.assertIn("  FILTERS SECTION 1 {\n      PREPROCESSING SHUFFLE\n"
                      "      COMPRESSION DEFLATE { LEVEL 3 }\n    }\n", said)  # fmt: skip
        self.assertIn("SPARSE_CHUNK ( 5, 4 )", said)
        # Sections that are not named keep theirs; those of the values go with them.
        said = self.stoa("dump", self.repack("-f", "Sparse:SECTION0:NONE", out, to=self.dir / "b")).stdout
        self.assertIn("  FILTERS SECTION 0 {\n      NONE\n", said)
        self.assertIn("LEVEL 3", said)
        plain = self.repack("-l", "Sparse:CHUNK=7x3", out, to=self.dir / "c.h5")
        said = self.header(plain)
        for text in ("CHUNKED ( 7, 3 )", "PREPROCESSING SHUFFLE", "DEFLATE { LEVEL 3 }"):
            self.assertIn(text, said)
        again = self.repack("-l", "Sparse:SPARSECHUNK=7x3", plain, to=self.dir / "e.h5")
        said = self.stoa("dump", again).stdout
        self.assertIn("  FILTERS SECTION 0 {\n      NONE\n", said)
        self.assertIn("LEVEL 3", said)

    def test_a_sparse_array_becomes_dense_in_every_layout(self):
        for layout, says in (
            ("CHUNK=7x3", "CHUNKED ( 7, 3 )"),
            ("CONTI", "CONTIGUOUS"),
            ("COMPA", "COMPACT"),
        ):
            out = self.repack("-l", f"Sparse:{layout}", self.sparse)
            self.assertIn(says, self.header(out))
            self.assertNotIn("53131", self.header(out))
            self.hdf5("h5diff", out, self.dense)  # by libhdf5 alone
            back = self.repack("-l", "Sparse:SPARSECHUNK=5x4", "--defined-elements", LIST, out,
                               to=self.dir / "back.h5")  # fmt: skip
            self.same(back, self.sparse)

    def test_an_array_that_can_grow_does_so_only_in_chunks(self):
        mtx = self.write("m.mtx", "%%MatrixMarket matrix coordinate integer general\n3 4 1\n2 3 5\n")
        self.stoa("import", mtx, f"{self.dir}/m.h5:/m")
        self.assertIn("H5S_UNLIMITED", self.header(self.dir / "m.h5"))
        out = self.repack("-l", "m:CONTI", self.dir / "m.h5")
        self.assertIn("( 3, 4 ) / ( 3, 4 )", self.header(out))
        self.stoa("diff", out, self.dir / "m.h5")
        out = self.repack("-l", "m:CHUNK=2x2", self.dir / "m.h5")
        self.assertIn("H5S_UNLIMITED", self.header(out))

    def test_the_rest_of_the_file_is_copied_as_it_is(self):
        self.stoa("import", self.write("t.csv", "x,s\n1,a\n2,b\n"), f"{self.dense}:/g/t", "--index", "x")
        self.hdf5("h5copy", "-p", "-i", self.dense, "-o", self.dense, "-s", "/Sparse", "-d", "/a/dense")
        self.stoa("query", f"{self.dense}:/g/t", "--trust", "-w", "x = 1")
        out = self.repack("-l", "Sparse:SPARSECHUNK=5x4", "--exclude", "0", self.dense)
        self.stoa("diff", self.dense, out)
        self.stoa("check", out, "--indexes")
        self.assertIn("CONTIGUOUS", self.hdf5("h5dump", "-H", "-p", "-d", "/a/dense", out))

    def test_several_datasets_at_once_each_with_its_own_list(self):
        self.hdf5("h5copy", "-p", "-i", self.dense, "-o", self.dense, "-s", "/Sparse", "-d", "/a/b")
        listed = self.write(
            "l", 'DATASET "a/b" {\n  REGION_TYPE POINT (0,0)\n}\n'
                 'DATASET "Sparse" {\n  REGION_TYPE BLOCK (6,0)-(6,2)\n}\n')  # fmt: skip
        out = self.repack("-l", "Sparse,/a/b:SPARSECHUNK=5x4", "--defined-elements", listed, self.dense)
        said = self.stoa("dump", "--sparse-locations", out).stdout
        self.assertEqual(re.findall("REGION.*", said),
                         ["REGION_TYPE BLOCK (6,0)-(6,2)", "REGION_TYPE POINT (0,0)"])  # fmt: skip
        self.out.unlink()
        self.fails("repack", "-l", "Sparse:SPARSECHUNK=5x4", "-l", "a/b:CONTI", "--defined-elements",
                   listed, self.dense, self.out, says=["dense.h5:/a/b", "SPARSECHUNK"])  # fmt: skip

    def test_a_file_is_repacked_onto_itself(self):
        self.dense.chmod(0o640)
        self.stoa("repack", "-l", "Sparse:SPARSECHUNK=5x4", "--defined-elements", LIST, self.dense)
        self.same(self.dense, self.sparse)
        self.assertEqual(stat.S_IMODE(self.dense.stat().st_mode), 0o640)

    def test_what_cannot_be_is_said_in_one_line_and_nothing_is_made(self):
        self.stoa("import", self.write("t.csv", "x,s\n1,abc\n"), f"{self.dense}:/t")
        before = self.dense.read_bytes()
        sparse = ["-l", "Sparse:SPARSECHUNK=5x4"]
        for arguments, says in (
            (["-l", "x:CONTI"], "dense.h5:/x"),
            (["-l", "a/x:CONTI"], "dense.h5:/a/x"),
            (["-l", "t:CONTI"], "no dataset"),
            (["-l", "t/x:CHUNK=4"], "stoa column storage"),
            (["-l", "Sparse:SPARSECHUNK=5"], "1 dimension"),
            (["-f", "Sparse:GZIP=3"], "only chunks pass filters"),
            (["-l", "Sparse:CONTI", "-f", "Sparse:GZIP=3"], "only chunks pass filters"),
            (["-l", "Sparse:CHUNK=5x4", "-f", "Sparse:SECTION1:GZIP=3"], "sections"),
            (["-l", "Sparse:CHUNK=5x4", "--exclude", "0"], "SPARSECHUNK"),
            ([*sparse, "--exclude", "1.5"], "no value of int32"),
            ([*sparse, "--exclude", "3000000000"], "no value of int32"),
            ([*sparse, "--exclude", "x"], "no value of int32"),
            ([*sparse, "--defined-elements", "POINT (13,0)"], "outside"),
            ([*sparse, "--defined-elements", "POINT (1)"], "1 coordinate"),
            ([*sparse, "--defined-elements", "(1,2"], "line 1"),
            ([*sparse, "--defined-elements", self.dir / "none"], "none: cannot be opened"),
            (["-l", "Sparse:SPARSECHUNK=70000x70000"], "Sparse"),
            ([*sparse, "-f", "Sparse:UD=40000,0,0"], "40000"),
        ):
            with self.subTest(arguments=arguments):
                self.fails("repack", *arguments, self.dense, self.out, says=says)
                self.fails("repack", *arguments, self.dense, says=says)
        self.assertFalse(self.out.exists())
        self.assertEqual(self.dense.read_bytes(), before)

    def test_wrong_usage(self):
        for arguments, says in (
            (["-l", "Sparse"], "NAMES:LAYOUT"),
            (["-l", ":CONTI"], "NAMES:LAYOUT"),
            (["-l", "Sparse:CHUNK=0x4"], "NAMES:LAYOUT"),
            (["-l", "Sparse:CHUNK=4x"], "NAMES:LAYOUT"),
            (["-l", "Sparse:CONTIG"], "NAMES:LAYOUT"),
            (["-l", ",:CONTI"], "NAMES:LAYOUT"),
            (["-f", "Sparse:GZIP=10"], "NAMES:FILTER"),
            (["-f", "Sparse:SZIP"], "NAMES:FILTER"),
            (["-f", "GZIP=1"], "NAMES:FILTER"),
            (["-f", "Sparse:UD=1,0,2,3"], "NAMES:FILTER"),
            (["--exclude", "0"], "which datasets"),
            (["--defined-elements", LIST], "which datasets"),
        ):
            with self.subTest(arguments=arguments):
                self.fails("repack", *arguments, self.dense, self.out, status=2, says=says)
        self.fails("repack", "-l", "x:CONTI", f"{self.dense}:/Sparse", status=2, says="path")

    def test_an_output_that_is_there_or_cannot_be_made(self):
        self.out.write_bytes(b"precious")
        self.fails("repack", "-l", "Sparse:CONTI", self.sparse, self.out, says="exists already")
        self.assertEqual(self.out.read_bytes(), b"precious")
        self.fails("repack", "-l", "Sparse:CONTI", self.sparse, self.dir / "no/out.h5", says="no directory")
        if os.geteuid() != 0:
            shut = self.dir / "shut"
            shut.mkdir(mode=0o500)
            self.fails("repack", "-l", "Sparse:CONTI", self.sparse, shut / "o.h5", says="denied")
            self.assertEqual(os.listdir(shut), [])

    def test_a_damaged_chunk_ends_it(self):
        content = bytearray(self.sparse.read_bytes())
        content[content.index(b"SCH\x01") + 20] ^= 0xFF
        bad = self.write("bad.h5", bytes(content))
        for layout in ("SPARSECHUNK=3x3", "CHUNK=3x3", "CONTI"):
            self.fails("repack", "-l", f"Sparse:{layout}", bad, self.out, says=["bad.h5", "Sparse"])
            self.assertFalse(self.out.exists())


class Types(stoa_test.TestCase):
    """Elements of types that tools besides Stoa make."""

    def make(self, text, config):
        file = self.dir / "d.h5"
        file.unlink(missing_ok=True)
        lines = self.write("d.txt", text)
        self.hdf5("h5import", lines, "-c", self.write("d.conf", "PATH x\n" + config), "-o", file)
        return file

    def test_floats_and_nan(self):
        file = self.make("0.1 0 2.5 0.1\n", "INPUT-CLASS TEXTFP\nRANK 1\nDIMENSION-SIZES 4\n"
                                            "OUTPUT-SIZE 32\nOUTPUT-BYTE-ORDER BE\n")  # fmt: skip
        out = self.dir / "o.h5"
        self.stoa("repack", "-l", "x:SPARSECHUNK=2", "--exclude", "0.1", file, out)
        self.assertIn("BLOCK (1)-(2)\n", self.stoa("dump", "--sparse-locations", out).stdout)
        self.stoa("diff", file, out)
        self.stoa("repack", "-l", "x:SPARSECHUNK=2", "--exclude", "nan", file)
        self.assertIn("BLOCK (0)-(3)\n", self.stoa("dump", "--sparse-locations", file).stdout)
        self.assertRegex(self.stoa("dump", file).stdout, "VALUE -?nan")

    def test_unsigned_integers(self):
        file = self.make("255 0 7\n", "INPUT-CLASS TEXTUIN\nINPUT-SIZE 8\nRANK 1\nDIMENSION-SIZES 3\n")
        out = self.dir / "o.h5"
        self.fails("repack", "-l", "x:SPARSECHUNK=2", "--exclude", "-1", file, out, says="uint8")
        self.fails("repack", "-l", "x:SPARSECHUNK=2", "--exclude", "256", file, out, says="uint8")
        self.stoa("repack", "-l", "x:SPARSECHUNK=2", "--exclude", "255", file, out)
        self.assertIn("BLOCK (1)-(2)\n", self.stoa("dump", "--sparse-locations", out).stdout)

    def test_strings_of_variable_length_become_sparse_and_dense_again(self):
        file = self.make("ab\n\nc\n", "INPUT-CLASS STR\nRANK 1\nDIMENSION-SIZES 3\n")
        sparse, out = self.dir / "s.h5", self.dir / "o.h5"
        self.stoa("repack", "-l", "x:SPARSECHUNK=2", file, sparse)
        self.assertIn("BLOCK (0)-(2)\n", self.stoa("dump", "--sparse-locations", sparse).stdout)
        self.stoa("repack", "-l", "x:SPARSECHUNK=2", "--exclude", "", file, sparse.with_suffix(".2"))
        listed = self.stoa("dump", "--sparse-locations", sparse.with_suffix(".2")).stdout
        self.assertIn("POINT (0), (2)\n", listed)
        self.stoa("repack", "-l", "x:SPARSECHUNK=3", "--exclude", "c", file, sparse.with_suffix(".3"))
        self.assertIn('VALUE "c"\n', self.stoa("dump", sparse.with_suffix(".3")).stdout)
        self.stoa("diff", file, sparse.with_suffix(".3"))
        for layout in ("CHUNK=2", "CONTI"):
            self.stoa("repack", "-l", f"x:{layout}", sparse, out)
            self.hdf5("h5diff", file, out)
            out.unlink()
            self.stoa("repack", "-l", f"x:{layout}", file, out)
            self.hdf5("h5diff", file, out)
            back = self.write("list.txt", listed)
            self.stoa("repack", "-l", "x:SPARSECHUNK=2", "--defined-elements", back, out,
                      self.dir / "b.h5")  # fmt: skip
            same = self.stoa("diff", "--defined", sparse.with_suffix(".2"), self.dir / "b.h5")
            self.assertEqual(same.stdout, "")
            out.unlink()
            (self.dir / "b.h5").unlink()


if __name__ == "__main__":
    stoa_test.main()
