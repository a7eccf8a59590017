"""The command takes a static library only with all that it needs (cmake/StoaArchives.cmake)."""

import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(archives LANGUAGES C)
find_package(Threads REQUIRED)
include("{source}/cmake/StoaArchives.cmake")
list(PREPEND CMAKE_LIBRARY_PATH "${{CMAKE_SOURCE_DIR}}")
add_executable(p p.c)
stoa_link_archive(p packs hashes)
target_link_libraries(p PRIVATE "${{CMAKE_SOURCE_DIR}}/libpacks.so")
"""
PROGRAM = "int pack(void);\nint main(void) { return pack() - 7; }\n"


class Archives(stoa_test.TestCase):
    def ok(self, *command):
        done = stoa_test.run(*command, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def archive(self, name, code):
        compiler = os.environ.get("STOA_CC", "cc")
        self.write(f"{name}.c", code)
        self.ok(compiler, "-fPIC", "-c", f"{name}.c", "-o", f"{name}.o")
        self.ok("ar", "rcs", f"lib{name}.a", f"{name}.o")
        return compiler

    def build(self):
        """What the program needs when it is loaded."""
        self.ok("cmake", "-S", ".", "-B", "b", f"-DCMAKE_C_COMPILER={os.environ.get('STOA_CC', 'cc')}")
        self.ok("cmake", "--build", "b")
        self.ok(self.dir / "b" / "p")
        return self.ok("readelf", "-d", "b/p")

    def setUp(self):
        super().setUp()
        if not all(shutil.which(tool) for tool in ("readelf", "ar", "cmake")):
            self.skipTest("no binutils or no CMake")
        self.write("CMakeLists.txt", PROJECT.format(source=stoa_test.SOURCE))
        self.write("p.c", PROGRAM)
        code = "int hash(void);\nint pack(void) { return hash(); }\n"
        compiler = self.archive("packs", code)
        self.write("all.c", code + "int hash(void) { return 7; }\n")
        self.ok(compiler, "-shared", "-fPIC", "all.c", "-o", "libpacks.so")

    def test_one_that_lacks_something_is_left_to_the_shared_one(self):
        self.assertIn("libpacks.so", self.build())

    def test_what_it_lacks_is_taken_along(self):
        self.archive("hashes", "int hash(void) { return 7; }\n")
        self.write("CMakeLists.txt", PROJECT.format(source=stoa_test.SOURCE).replace(
            "target_link_libraries(p", "target_link_options(p PRIVATE LINKER:--as-needed)\n"
            "target_link_libraries(p"))  # fmt: skip
        self.assertNotIn("libpacks.so", self.build())


if __name__ == "__main__":
    stoa_test.main()
