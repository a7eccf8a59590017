"""stoa dump, ls -l and stat on sparse arrays (sparse RFC §4; src/cli/inspect/cmd_dump.c, sparse.c)."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

MAKER = stoa_test.BUILD / "examples" / "sparse_matrix"
PLUGINS = stoa_test.BUILD / "plugins"
WORDS_MAKER = stoa_test.BUILD / "examples" / "sparse_words"

# The matrix of the RFC's figures 1 to 3. The element (6,1) is defined, and 0.
BLOCKS = {
    (2, 2): [[66, 69, 72, 75, 78, 81], [96, 99, 102, 105, 108, 111], [126, 129, 132, 135, 138, 141]],
    (6, 0): [[100, 0, -100]],
    (5, 9): [[2]],
    (11, 1): [[1]],
    (12, 8): [[3]],
}
FIGURE = [
    (row + i, column + j, value)
    for (row, column), rows in BLOCKS.items()
    for i, values in enumerate(rows)
    for j, value in enumerate(values)
]

# What the RFC shows in §4.1, but for its slips: a type that can hold -100 and 141, one closing brace
# too many, a blank within one pair of coordinates, and points in two orders.
LOCATIONS = """\
DATASET "Sparse" {
  DATATYPE  H5T_STD_I32LE
  DATASPACE  SIMPLE { ( 13, 10 ) / ( 13, 10 ) }
  REGION_TYPE BLOCK (2,2)-(4,7)
  REGION_TYPE BLOCK (6,0)-(6,2)
  REGION_TYPE POINT (5,9), (11,1), (12,8)
}
"""
SPARSE = """\
DATASET "Sparse" {
  DATATYPE  H5T_STD_I32LE
  DATASPACE  SIMPLE { ( 13, 10 ) / ( 13, 10 ) }
  REGION_TYPE BLOCK (2,2)-(4,7)
  DATA {
    (2,2)  66, 69, 72, 75, 78, 81,
    (3,2)  96, 99, 102, 105, 108, 111,
    (4,2)  126, 129, 132, 135, 138, 141
  }
  REGION_TYPE BLOCK (6,0)-(6,2)
  DATA {
    (6,0)  100, 0, -100
  }
  REGION_TYPE POINT (5,9), (11,1), (12,8)
  DATA {
    (5,9) 2
    (11,1) 1
    (12,8) 3
  }
}
"""


def described(indent, section_0, section_1, ratio):
    """The block of the matrix in chunks of 5 x 4, as the RFC's example has it."""
    block = f"""\
DATASET "Sparse" {{
  DATATYPE  H5T_STD_I32LE
  DATASPACE  SIMPLE {{ ( 13, 10 ) / ( 13, 10 ) }}
  STORAGE_LAYOUT {{
    SPARSE_CHUNK ( 5, 4 )
    SECTION 0 H5Z_FLAG_SPARSE_SELECTION SIZE {section_0}
    SECTION 1 H5Z_FLAG_SPARSE_FIXED_DATA SIZE {section_1} ({ratio}:1 COMPRESSION)
  }}
  FILTERS SECTION 0 {{
    NONE
  }}
  FILTERS SECTION 1 {{
    PREPROCESSING SHUFFLE
    COMPRESSION DEFLATE {{ LEVEL 4 }}
  }}
  FILLVALUE {{
    FILL_TIME H5D_FILL_TIME_IFSET
    VALUE 0
  }}
  ALLOCATION_TIME {{
    H5D_ALLOC_TIME_INCR
  }}
}}
"""
    return "".join(" " * indent + line + "\n" for line in block.splitlines())


@unittest.skipUnless(MAKER.exists(), "the examples are not built")
class Sparse(stoa_test.TestCase):
    def make(self, triples, *shape, name="s.h5"):
        file = self.dir / name
        text = "".join(f"{row} {column} {value}\n" for row, column, value in triples)
        done = stoa_test.run(MAKER, file, *shape, input=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return file

    def sizes(self, file):
        """Stored bytes of the sections, as ls -l has them."""
        said = self.stoa("ls", "-l", file).stdout
        return [int(n) for n in re.findall(r"(\d+) allocated bytes", said)]

    def test_locations_are_those_of_the_rfc_character_for_character(self):
        file = self.make(FIGURE, 13, 10, 5, 4)
        self.assertEqual(self.stoa("dump", "--sparse-locations", f"{file}:/Sparse").stdout, LOCATIONS)
        self.assertEqual(self.stoa("dump", "--sparse-locations", file).stdout, LOCATIONS)

    def test_values_are_those_of_the_rfc_character_for_character(self):
        for chunk in ((5, 4), (4, 5), (13, 10), (1, 1)):
            file = self.make(FIGURE, 13, 10, *chunk, name=f"{chunk[0]}.h5")
            self.assertEqual(self.stoa("dump", "--sparse", f"{file}:/Sparse").stdout, SPARSE)

    def test_the_description_is_that_of_the_rfc(self):
        file = self.make(FIGURE, 13, 10, 5, 4)
        positions, values = self.sizes(file)
        # 24 values of 4 bytes; three digits, as the RFC's 1.633, or fewer, as its 2.
        ratio = f"{24 * 4 / values:.3f}".rstrip("0").rstrip(".")
        self.assertEqual(
            self.stoa("dump", file).stdout,
            f'HDF5 "{file}" {{\nGROUP "/" {{\n'
            + described(2, positions, values, ratio)
            + "}\n}\n",
        )

    def test_groups_are_nested_and_others_are_left_out(self):
        file = self.make(FIGURE, 13, 10, 5, 4)
        for to in ("/a/b/Sparse", "/a/c/Sparse", "/d/Sparse"):
            self.hdf5("h5copy", "-p", "-i", file, "-o", file, "-s", "/Sparse", "-d", to)
        csv = self.write("t.csv", "x\n1\n2\n")
        self.stoa("import", csv, f"{file}:/a/table")
        lines = self.stoa("dump", file).stdout.splitlines()
        opened = [line for line in lines if line.lstrip().startswith(("GROUP", "DATASET"))]
        self.assertEqual(
            opened,
            ['GROUP "/" {', '  DATASET "Sparse" {', '  GROUP "a" {', '    GROUP "b" {',
             '      DATASET "Sparse" {', '    GROUP "c" {', '      DATASET "Sparse" {',
             '  GROUP "d" {', '    DATASET "Sparse" {'],
        )  # fmt: skip
        depth = 0
        for line in lines:  # braces match, and each closes at the depth of its block
            depth += line.count("{") - line.count("}")
            self.assertGreaterEqual(depth, 0)
        self.assertEqual(depth, 0)
        below = self.stoa("dump", "--sparse-locations", f"{file}:/a").stdout
        self.assertEqual(re.findall('DATASET "(.*)"', below), ["a/b/Sparse", "a/c/Sparse"])

    def test_long_lines_are_broken_and_begin_with_their_coordinates(self):
        row = [(0, j, 100000 + j) for j in range(40)]
        points = [(2 * i, 3 * i % 41, 1) for i in range(1, 30)]
        said = self.stoa("dump", "--sparse", self.make(row + points, 60, 41)).stdout
        self.assertLessEqual(max(map(len, said.splitlines())), 81)
        block = said.split("DATA {\n")[1].split("}")[0]
        found = []
        for line in block.strip().splitlines():
            place, values = re.fullmatch(r"\s*\((\d+,\d+)\)  (.*?),?", line).groups()
            self.assertEqual(place, f"0,{len(found)}")
            found += [int(value) for value in values.split(", ")]
        self.assertEqual(found, [value for _, _, value in row])
        listed = said.split("REGION_TYPE POINT")[1].split("DATA")[0]
        self.assertEqual(
            [tuple(map(int, pair)) for pair in re.findall(r"\((\d+),(\d+)\)", listed)],
            [(i, j) for i, j, _ in points],
        )

    def test_an_array_without_elements_has_no_regions(self):
        said = self.stoa("dump", "--sparse", self.make([], 3, 4)).stdout
        self.assertEqual(len(said.splitlines()), 4)
        self.assertIn("SIZE 0\n", self.stoa("dump", self.dir / "s.h5").stdout)

    def test_ls_lists_arrays_beside_tables_and_their_sections(self):
        file = self.make(FIGURE, 13, 10, 5, 4)
        self.stoa("import", self.write("t.csv", "x\n1\n"), f"{file}:/t")
        rows = [re.split(r"  +", r) for r in self.stoa("ls", file).stdout.splitlines()[2:]]
        self.assertEqual([row[:5] for row in rows],
                         [["/t", "hep001", "table", "1", "1"],
                          ["/Sparse", "sparse", "array", "13 x 10", "-"]])  # fmt: skip
        long = self.stoa("ls", "-l", file).stdout
        self.assertRegex(
            long,
            r"\n/Sparse\n  Sparse Chunks: \{5, 4\} 80 bytes\n"
            r"  Section 0 H5Z_FLAG_SPARSE_SELECTION\n"
            r"  Storage: (\d+) logical bytes, \1 allocated bytes, 100\.00% utilization\n"
            r"  Section 1 H5Z_FLAG_SPARSE_FIXED_DATA\n"
            r"  Storage: 96 logical bytes, \d+ allocated bytes, \d+\.\d\d% utilization\n"
            r"  Filter-0: shuffle-2 \{\}\n  Filter-1: deflate-1 \{4\}\n  Type: native int\n",
        )

    @unittest.skipUnless(PLUGINS.is_dir(), "the plugins are not built")
    def test_under_the_connector_the_same_is_said(self):
        file = self.make(FIGURE, 13, 10, 5, 4)
        env = {"HDF5_PLUGIN_PATH": str(PLUGINS), "HDF5_VOL_CONNECTOR": "stoa"}
        for command in (["dump"], ["dump", "--sparse"], ["dump", "--sparse-locations"], ["ls", "-l"],
                        ["stat"]):  # fmt: skip
            plain = self.stoa(*command, file)
            there = self.stoa(*command, file, env=env)
            self.assertEqual((there.stdout, there.stderr), (plain.stdout, plain.stderr))
        same = self.make(FIGURE, 13, 10, 4, 5, name="same.h5")
        self.assertEqual(self.stoa("diff", "--defined", file, same, env=env).stdout, "")

    def test_stat_counts_layouts_and_each_filter_of_a_dataset_once(self):
        file = self.make(FIGURE, 13, 10, 5, 4)
        for to in ("/two", "/g/three"):
            self.hdf5("h5copy", "-p", "-i", file, "-o", file, "-s", "/Sparse", "-d", to)
        text = self.write("d.txt", "1 2 3\n")
        config = self.write("d.conf", "PATH dense\nINPUT-CLASS TEXTIN\nRANK 1\nDIMENSION-SIZES 3\n")
        self.hdf5("h5import", text, "-c", config, "-o", file)
        said = self.stoa("stat", file).stdout
        for line in ("counts[COMPACT]: 0", "counts[CONTIG]: 1", "counts[CHUNKED]: 0",
                     "counts[STRUCTURED CHUNK SPARSE]: 3", "counts[VIRTUAL]: 0", "NO filter: 1",
                     "GZIP filter: 3", "SHUFFLE filter: 3", "USER-DEFINED filter: 0",
                     "Total number of datasets: 4"):  # fmt: skip
            self.assertIn(line + "\n", said)
        self.assertIn("CHUNK SPARSE]: 1\n", self.stoa("stat", f"{file}:/g").stdout)

    def test_what_is_not_sparse_or_not_there_is_named(self):
        file = self.dir / "t.h5"
        self.stoa("import", self.write("t.csv", "x\n1\n"), f"{file}:/t")
        for place in (file, f"{file}:/t", f"{file}:/t/x"):
            self.fails("dump", place, says="no sparse array")
        self.fails("dump", f"{file}:/nothing", says="/nothing")
        self.fails("stat", f"{file}:/nothing", says="/nothing")

    def test_a_damaged_chunk_is_an_error_for_dump_and_none_for_ls(self):
        file = self.make(FIGURE, 13, 10, 5, 4)
        content = bytearray(file.read_bytes())
        at = content.index(b"SCH\x01")
        for change in (4, 5, 9, 20):  # flags, counts, checksum or positions
            damaged = bytearray(content)
            damaged[at + change] ^= 0xFF
            place = self.write("d.h5", bytes(damaged))
            for options in ([], ["--sparse"], ["--sparse-locations"]):
                self.fails("dump", *options, place, says=["d.h5:/Sparse", "damaged"])
            self.assertIn("/Sparse", self.stoa("ls", "-l", place).stdout)
            self.assertIn("SPARSE]: 1", self.stoa("stat", place).stdout)

    def test_an_object_that_cannot_be_opened_is_named(self):
        file = self.dir / "damaged.h5"
        self.stoa("import", self.write("t.csv", "a,b\n1,2\n"), f"{file}:/t")
        content = bytearray(file.read_bytes())
        content[content.rindex(b"OHDR") + 4] ^= 0xFF  # the version of the last object's header
        file.write_bytes(content)
        for command in (("ls", file), ("ls", "--tree", file), ("stat", file), ("diff", file, file)):
            with self.subTest(command):
                said = self.stoa(*command, status=1).stderr
                self.assertIn(f"{file}:/t/b: cannot open it", said)

    def differ(self, *arguments):
        """What stoa diff prints where there are differences."""
        return self.stoa("diff", *arguments, status=1).stdout.splitlines()

    def test_diff_compares_values_and_with_defined_what_is_defined(self):
        file = self.make(FIGURE, 13, 10, 5, 4)
        same = self.make(FIGURE[::-1], 13, 10, 4, 5, name="same.h5")
        without = self.make([t for t in FIGURE if t[2] != 0], 13, 10, name="without.h5")
        changed = self.make([*FIGURE[:-2], (11, 1, 9), (12, 9, 3)], 13, 10, name="changed.h5")
        self.assertEqual(self.stoa("diff", "--defined", file, same).stdout, "")
        self.stoa("diff", f"{file}:/Sparse", f"{same}:/Sparse", "--defined")
        self.stoa("diff", file, without)
        self.assertEqual(self.differ("--defined", file, without),
                         ["/Sparse: 1 element is defined in one only, the first at (6,1)"])  # fmt: skip
        self.assertEqual(self.differ("--defined", f"{file}:/Sparse", changed),
                         ["/Sparse: 3 elements differ, the first at (11,1)",
                          "/Sparse: 2 elements are defined in one only, the first at (12,8)"])  # fmt: skip

    def dense(self, options, *rows):
        text = self.write("d.txt", "\n".join(rows) + "\n")
        config = self.write("d.conf", "PATH Sparse\nRANK 2\nDIMENSION-SIZES "
                            f"{len(rows)} {len(rows[0].split())}\n{options}\n")  # fmt: skip
        (self.dir / "d.h5").unlink(missing_ok=True)
        self.hdf5("h5import", text, "-c", config, "-o", self.dir / "d.h5")
        return self.dir / "d.h5"

    def test_diff_compares_layouts_and_types(self):
        file = self.make([(0, 1, 7), (1, 2, -1)], 2, 3)
        floats = "INPUT-CLASS TEXTFP\nOUTPUT-CLASS FP\nOUTPUT-SIZE 64"
        for options in ("INPUT-CLASS TEXTIN\nOUTPUT-SIZE 16", floats):
            self.stoa("diff", file, self.dense(options, "0 7 0", "0 0 -1"))
            self.stoa("diff", self.dir / "d.h5", file)
        self.assertEqual(self.differ("--defined", file, self.dir / "d.h5"),
                         ["/Sparse: 4 elements are defined in one only"])  # fmt: skip
        # Half of a unit is no integer: each way round.
        dense = self.dense(floats, "0 7.5 0", "0 0 -1")
        one = ["/Sparse: 1 element differs, the first at (0,1)"]
        self.assertEqual([self.differ(file, dense), self.differ(dense, file)], [one, one])
        self.assertEqual(self.differ(file, self.dense(floats, "0 7", "0 0")),
                         ["/Sparse: the extents differ"])  # fmt: skip

    def test_diff_of_arrays_that_are_mostly_empty_reads_what_is_stored(self):
        side = 1 << 20  # 2^40 elements
        far = [(0, 0, 1), (side - 1, 7, 2), (5, side - 1, 3), (side // 2, side // 3, 4)]
        file = self.make(far, side, side, 300, 500)
        same = self.make(far, side, side, 512, 70, name="same.h5")
        other = self.make([*far[:2], (5, side - 2, 3), far[3], (9, 9, 9)], side, side, 512, 70,
                          name="other.h5")  # fmt: skip
        self.assertEqual(self.stoa("diff", "--defined", file, same).stdout, "")
        self.assertEqual(self.differ(file, other), ["/Sparse: 3 elements differ, the first at "
                                                    f"(5,{side - 2})"])  # fmt: skip

    def test_rows_without_elements_are_not_written_out(self):
        file = self.make([(0, 0, 1), ((1 << 31) - 1, 7, 2)], 1 << 31, 1 << 31, 1000, 1000)
        self.fails("export", f"{file}:/Sparse", f"{self.dir}/csr.h5:/m", "-f", "csr",
                   says="hardly any has an element")  # fmt: skip
        self.assertFalse((self.dir / "csr.h5").exists())
        self.stoa("export", f"{file}:/Sparse", self.dir / "entries.csv")

    def test_diff_of_files_names_what_only_one_has(self):
        file = self.make(FIGURE, 13, 10)
        more = self.make(FIGURE, 13, 10, name="more.h5")
        self.hdf5("h5copy", "-p", "-i", more, "-o", more, "-s", "/Sparse", "-d", "/g/x")
        self.assertEqual(self.differ(file, more), [f"/g/x: only in {more}"])
        self.assertEqual(self.differ(more, file), [f"/g/x: only in {more}"])
        self.fails("diff", f"{more}:/g/x", file, says="there is no dataset /g/x")
        self.fails("diff", file, f"{more}:/g/x", status=2, says="give A a path")


# Row, column, a string ("-": none) and numbers.
WORDS = """\
0 1 walk 1 2 3
0 2 - 4
0 3 of
3 0 say"hi" -5 6
6 4 end 7
"""


@unittest.skipUnless(WORDS_MAKER.exists(), "the examples are not built")
class Words(stoa_test.TestCase):
    """Strings and sequences, as h5dump prints them."""

    def make(self, *options, name="w.h5", words=WORDS):
        file = self.dir / name
        file.unlink(missing_ok=True)
        done = stoa_test.run(WORDS_MAKER, file, 7, 5, *options, input=words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return file

    def data(self, place):
        """The lines of values of --sparse."""
        said = self.stoa("dump", "--sparse", place).stdout
        return [line.strip() for line in said.splitlines() if re.match(r" *\(\d", line)]

    def test_values_of_either_storage_are_strings_and_sequences(self):
        for options in ((), ("heap",)):
            file = self.make(*options)
            self.assertEqual(
                self.data(f"{file}:/words"),
                ['(0,1)  "walk", NULL, "of"', '(3,0) "say\\"hi\\""', '(6,4) "end"'],
            )
            self.assertEqual(
                self.data(f"{file}:/numbers"), ["(0,1)  (1, 2, 3), (4), ()", "(3,0) (-5, 6)", "(6,4) (7)"]
            )
            self.assertEqual(
                self.data(f"{file}:/both"),
                [
                    '(0,1)  {word: "walk", numbers: (1, 2, 3)}, {word: NULL, numbers: (4)},',
                    '(0,3)  {word: "of", numbers: ()}',
                    '(3,0) {word: "say\\"hi\\"", numbers: (-5, 6)}',
                    '(6,4) {word: "end", numbers: (7)}',
                ],
            )

    def test_only_what_is_in_the_chunks_has_a_section_2(self):
        for options, expected in (((), 3), (("heap",), 2)):
            file = self.make(*options)
            said = self.stoa("dump", f"{file}:/words").stdout
            self.assertEqual(said.count("FILTERS SECTION"), expected)
            self.assertEqual("SECTION 2 H5Z_FLAG_SPARSE_VL_DATA SIZE" in said, expected == 3)
            listed = self.stoa("ls", "-l", file).stdout
            self.assertEqual(listed.count("Section 2"), 3 * (expected - 2))
            self.assertIn("Type: vlen string ascii", listed)
            counted = self.stoa("stat", file).stdout
            self.assertIn("counts[STRUCTURED CHUNK SPARSE]: 3\n", counted)

    def test_repack_takes_all_values_along_defined_and_empty_ones_too(self):
        for storage in ((), ("heap",)):
            file, packed = self.make(*storage, words=WORDS + "2 2 -\n"), self.dir / "packed.h5"
            packed.unlink(missing_ok=True)
            self.stoa("repack", file, packed)
            self.assertEqual(self.stoa("diff", "--defined", file, packed).stdout, "")
            for name in ("words", "numbers", "both"):
                self.assertEqual(self.data(f"{packed}:/{name}"), self.data(f"{file}:/{name}"))
            self.assertIn("(2,2) NULL", self.data(f"{packed}:/words"))

    def test_strings_and_sequences_in_other_chunks_dense_and_back_are_the_same(self):
        names = "words,numbers,both"
        for storage in ((), ("heap",)):
            file = self.make(*storage, words=WORDS + "2 2 -\n")
            listed = self.write("list.txt", self.stoa("dump", "--sparse-locations", file).stdout)
            steps = [["-l", f"{names}:SPARSECHUNK=2x3"], ["-l", f"{names}:SPARSECHUNK=7x1"],
                     ["-f", f"{names}:GZIP=9"], ["-l", f"{names}:CHUNK=3x2"],
                     ["-l", f"{names}:SPARSECHUNK=4x4", "--defined-elements", listed],
                     ["-l", f"{names}:CONTI"],
                     ["-l", f"{names}:SPARSECHUNK=1x5", "--defined-elements", listed]]  # fmt: skip
            at = file
            for i, step in enumerate(steps):
                to = self.dir / f"{i}.h5"
                to.unlink(missing_ok=True)
                self.stoa("repack", *step, at, to)
                defined = [] if "CHUNK=3" in step[1] or "CONTI" in step[1] else ["--defined"]
                self.assertEqual(self.stoa("diff", *defined, file, to).stdout, "")
                at = to
            self.assertIn("(2,2) NULL", self.data(f"{at}:/words"))

    def test_what_is_empty_is_left_out_of_strings_and_sequences_alone(self):
        dense, out = self.dir / "dense.h5", self.dir / "out.h5"
        self.stoa("repack", "-l", "words,numbers,both:CONTI", self.make(), dense)
        self.stoa("repack", "-l", "words:SPARSECHUNK=3x3", "--exclude", "", dense, out)
        self.assertEqual(self.data(f"{out}:/words"),
                         ['(0,1) "walk"', '(0,3) "of"', '(3,0) "say\\"hi\\""', '(6,4) "end"'])  # fmt: skip
        out.unlink()
        self.stoa("repack", "-l", "numbers:SPARSECHUNK=3x3", "--exclude", "()", dense, out)
        self.assertEqual(self.data(f"{out}:/numbers"),
                         ["(0,1)  (1, 2, 3), (4)", "(3,0) (-5, 6)", "(6,4) (7)"])  # fmt: skip
        out.unlink()
        for name, text in (("numbers", "(1)"), ("both", "")):
            self.fails("repack", "-l", f"{name}:SPARSECHUNK=3x3", "--exclude", text, dense, out,
                       says=[f"dense.h5:/{name}"])  # fmt: skip

    def test_copy_takes_an_array_along_within_a_file_and_into_another(self):
        for storage in ((), ("heap",)):
            file, other = self.make(*storage, words=WORDS + "2 2 -\n"), self.dir / "other.h5"
            other.unlink(missing_ok=True)
            for name in ("words", "numbers", "both"):
                self.stoa("copy", f"{file}:/{name}", f"{file}:/deep/{name}")
                self.stoa("copy", f"{file}:/{name}", other)
                for place in (f"{file}:/deep/{name}", f"{other}:/{name}"):
                    said = self.stoa("diff", "--defined", f"{file}:/{name}", place).stdout
                    self.assertEqual(said, "")
            self.assertIn("(2,2) NULL", self.data(f"{other}:/words"))
            self.fails("copy", f"{file}:/words", other, says="is there already")
            self.fails("copy", f"{file}:/no", other, says="no")

    def test_move_takes_an_array_along_within_a_file_and_into_another(self):
        names = ("words", "numbers", "both")
        for storage in ((), ("heap",)):
            kept, file = self.make(*storage, name="kept.h5"), self.make(*storage)
            other = self.dir / "other.h5"
            other.unlink(missing_ok=True)
            for name in names:
                self.stoa("move", f"{file}:/{name}", f"{file}:/deep/{name}")
                self.fails("dump", f"{file}:/{name}", says=name)
                said = self.stoa("diff", "--defined", f"{kept}:/{name}", f"{file}:/deep/{name}")
                self.assertEqual(said.stdout, "")
            self.fails("move", f"{file}:/deep/words", f"{file}:/deep/both", says="is there already")
            for name in names:
                self.stoa("move", f"{file}:/deep/{name}", f"{other}:/{name}", "--safe")
                said = self.stoa("diff", "--defined", f"{kept}:/{name}", f"{other}:/{name}").stdout
                self.assertEqual(said, "")
            self.fails("dump", file, says="no sparse array")
            self.fails("move", f"{file}:/deep/words", other, says="words")

    def test_a_move_onto_what_is_there_leaves_both_as_they_were(self):
        file, other = self.make(), self.make(name="other.h5")
        before = file.read_bytes(), other.read_bytes()
        self.fails("move", f"{file}:/words", other, says="is there already")
        self.fails("move", f"{file}:/words", f"{file}:/words", says="is there already")
        self.assertEqual((file.read_bytes(), other.read_bytes()), before)

    def test_remove_takes_an_array_away(self):
        file = self.make()
        self.stoa("remove", f"{file}:/words")
        self.fails("dump", f"{file}:/words", says="words")
        self.assertIn("/numbers", self.stoa("ls", file).stdout)

    def test_diff_sees_values_wherever_they_are(self):
        file = self.make()
        heap = self.make("heap", name="heap.h5")
        other = self.make(name="other.h5", words=WORDS.replace("end 7", "End 8"))
        less = self.make(name="less.h5", words=WORDS.replace("0 2 - 4\n", ""))
        self.assertEqual(self.stoa("diff", "--defined", file, heap).stdout, "")
        self.assertEqual(
            self.stoa("diff", file, other, status=1).stdout,
            "/both: 1 element differs, the first at (6,4)\n"
            "/numbers: 1 element differs, the first at (6,4)\n"
            "/words: 1 element differs, the first at (6,4)\n",
        )
        self.assertEqual(self.stoa("diff", f"{file}:/words", less).stdout, "")
        self.assertEqual(
            self.stoa("diff", "--defined", f"{file}:/words", less, status=1).stdout,
            "/words: 1 element is defined in one only, the first at (0,2)\n",
        )

    def test_an_array_without_elements_has_no_values(self):
        self.assertEqual(self.data(f"{self.make(words='')}:/words"), [])


if __name__ == "__main__":
    stoa_test.main()
