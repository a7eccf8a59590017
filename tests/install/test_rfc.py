"""Programs written to the sparse RFC, that know of HDF5 alone, compile and run unchanged against the
installed Stoa: values, defined elements, and what stock h5dump shows of their files."""

import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

PROGRAMS = stoa_test.SOURCE / "tests/install/rfc"
CC = os.environ.get("STOA_CC") or "cc"

BLOCK = {(i, j): 66 + 30 * (i - 2) + 3 * (j - 2) for i in (2, 3, 4) for j in range(2, 8)}
ROW_6 = {(6, 0): 100, (6, 1): 0, (6, 2): -100}
POINTS = {(5, 9): 2, (11, 1): 1, (12, 8): 3}


# §4.1's output for example 1, but for the names of its sections, which §4.1 leaves open, and its
# sizes.
EXAMPLE_1 = """\
HDF5 "h5sparse.h5" {
GROUP "/" {
  DATASET "DS1" {
    DATATYPE  H5T_STD_I32LE
    DATASPACE  SIMPLE { ( 32, 64 ) / ( 32, 64 ) }
    STORAGE_LAYOUT {
      SPARSE_CHUNK ( 5, 9 )
      SECTION 0 H5Z_FLAG_SPARSE_SELECTION SIZE n (r:1 COMPRESSION)
      SECTION 1 H5Z_FLAG_SPARSE_FIXED_DATA SIZE n (r:1 COMPRESSION)
    }
    FILTERS SECTION 0 {
      COMPRESSION DEFLATE { LEVEL 9 }
    }
    FILTERS SECTION 1 {
      COMPRESSION SZIP {
        PIXELS_PER_BLOCK 4
        MODE K13
        CODING NEAREST NEIGHBOUR
        BYTE_ORDER LSB
        HEADER RAW
      }
    }
    FILLVALUE {
      FILL_TIME H5D_FILL_TIME_IFSET
      VALUE 0
    }
    ALLOCATION_TIME {
      H5D_ALLOC_TIME_INCR
    }
  }
}
}
"""


def listed(elements):
    return ", ".join(f"({i},{j}) {value}" for (i, j), value in sorted(elements.items()))


class Rfc(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        if os.environ.get("STOA_SANITIZE"):
            self.skipTest("a program outside the tree is not built with the sanitizer")
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not installed")
        self.prefix = self.dir / "prefix"
        self.must("cmake", "--install", stoa_test.BUILD, "--prefix", self.prefix)

    def must(self, *command, **options):
        done = stoa_test.run(*command, **options)
        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout}\n{done.stderr}")
        self.assertEqual(done.stderr, "", command)
        return done.stdout

    def output_of(self, source, *flags, compiler=CC):
        pc = next(self.prefix.rglob("stoa.pc"))
        env = {"PKG_CONFIG_PATH": str(pc.parent)}
        package = self.must("pkg-config", "--cflags", "--libs", "stoa", env=env).split()
        program = self.dir / "program"
        self.must(
            compiler, "-Wall", "-Wextra", "-Werror", *flags, f"-I{self.prefix}/include/stoa/compat",
            PROGRAMS / source, *package, "-o", program,
        )  # fmt: skip
        return self.must(program, cwd=self.dir)

    def test_example_1(self):
        self.assertEqual(
            self.output_of("example1.c", "-std=c11"),
            "structured chunks\n"
            "1 and 1 filters\n"
            "H5Z_FILTER_DEFLATE is applied to selection section\n"
            "2048 elements are defined\n"
            "0 are wrong\n",
        )
        said = self.must(stoa_test.STOA, "dump", "h5sparse.h5", cwd=self.dir)
        # Sizes are those of the file; the library may have been built without szip.
        said = re.sub(r"SIZE \d+( \([0-9.]+:1 COMPRESSION\))", r"SIZE n (r:1 COMPRESSION)", said)
        self.assertEqual(said, EXAMPLE_1)

    def test_example_2(self):
        self.assertEqual(
            self.output_of("example2.c", "-std=c11"),
            "1 and 1 filters\n42 elements are defined\n0 are wrong\n",
        )
        file = next(self.dir.glob("*.h5"))
        said = self.must(stoa_test.STOA, "dump", file.name, cwd=self.dir)
        for section in (0, 1):
            self.assertIn(f"    FILTERS SECTION {section} {{\n      COMPRESSION DEFLATE {{ LEVEL 9 }}\n    }}\n", said)

    def test_the_names_are_those_of_cplusplus_programs_too(self):
        compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
        if not compiler:
            self.skipTest("no C++ compiler is installed")
        self.assertEqual(self.output_of("names.cc", "-std=c++11", compiler=compiler), "1 filter: 3\n")

    def test_the_matrix(self):
        all_of_it = {**BLOCK, **ROW_6, **POINTS}
        self.assertEqual(
            self.output_of("matrix.c", "-std=c17"),
            f"{listed(all_of_it)}\n{listed({**BLOCK, **ROW_6})}\n",
        )
        h5dump = shutil.which("h5dump", path=stoa_test.HDF5_BIN)
        if not h5dump:
            self.skipTest("h5dump is not there")
        plugins = next(self.prefix.rglob("hdf5/plugins"))
        shown = self.must(
            h5dump, "-d", "/Sparse", "-y", "-w", "0", self.dir / "matrix.h5",
            env={"HDF5_PLUGIN_PATH": str(plugins)},
        )  # fmt: skip
        defined = {**BLOCK, **ROW_6}
        text = shown[shown.index("DATA {") + 6 :].replace("}", "")
        found = [int(word) for word in text.replace(",", " ").split()]
        self.assertEqual(found, [defined.get((i, j), 0) for i in range(13) for j in range(10)])


if __name__ == "__main__":
    stoa_test.main()
