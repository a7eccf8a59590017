"""Each public header compiles alone, in strict C and in C++, and twice as well as once."""

import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

INCLUDE = stoa_test.SOURCE / "include"
HEADERS = sorted(str(p.relative_to(INCLUDE)) for p in INCLUDE.glob("stoa/*.h"))
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]


HDF5_INCLUDE = os.environ.get("STOA_HDF5_INCLUDE") or f"{stoa_test.HDF5_BIN}/../include"


class Headers(stoa_test.TestCase):
    def compile(self, compiler, language, standard, text):
        source = self.write(f"header.{language}", text)
        return stoa_test.run(
            compiler, f"-std={standard}", *STRICT, f"-I{INCLUDE}", "-isystem", HDF5_INCLUDE, source
        )

    def each_compiles(self, compiler, language, standard):
        self.assertTrue(HEADERS)
        for header in HEADERS:
            text = f"#include <{header}>\n#include <{header}>\nint main(void) {{ return 0; }}\n"
            with self.subTest(header=header, compiler=compiler):
                done = self.compile(compiler, language, standard, text)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_each_header_is_strict_c11(self):
        self.each_compiles(os.environ.get("STOA_CC") or "cc", "c", "c11")

    def test_each_header_is_c17_for_clang(self):
        if not shutil.which("clang"):
            self.skipTest("clang is not installed")
        self.each_compiles("clang", "c", "c17")

    def test_each_header_is_cplusplus(self):
        compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
        if not compiler:
            self.skipTest("no C++ compiler is installed")
        self.each_compiles(compiler, "cc", "c++11")

    def test_stoa_h_holds_every_header(self):
        text = (INCLUDE / "stoa/stoa.h").read_text()
        # h5sparse.h gives names of HDF5 another meaning: only who asks for it gets that.
        apart = ("stoa/stoa.h", "stoa/h5sparse.h")
        absent = [h for h in HEADERS if h not in apart and f"#include <{h}>" not in text]
        self.assertEqual(absent, [])


if __name__ == "__main__":
    stoa_test.main()
