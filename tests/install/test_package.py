"""Stoa, installed, serves a program that knows nothing of its source tree."""

import os
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

PROGRAM = stoa_test.SOURCE / "tests/install/program"
CC = os.environ.get("STOA_CC") or "cc"


class Package(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        if os.environ.get("STOA_SANITIZE"):
            self.skipTest("a program outside the tree is not built with the sanitizer")
        self.prefix = self.dir / "prefix with spaces"
        self.must("cmake", "--install", stoa_test.BUILD, "--prefix", self.prefix)
        header = (self.prefix / "include/stoa/stoa.h").read_text()
        self.version = re.search(r'#define STOA_VERSION "([^"]+)"', header).group(1)

    def must(self, *command, **options):
        done = stoa_test.run(*command, **options)
        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout}\n{done.stderr}")
        return done.stdout

    def test_a_program_builds_through_pkg_config(self):
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not installed")
        prefix = self.dir / "prefix"  # pkg-config and shells disagree about spaces in flags
        self.must("cmake", "--install", stoa_test.BUILD, "--prefix", prefix)
        pc = next(prefix.rglob("stoa.pc"))
        env = {"PKG_CONFIG_PATH": str(pc.parent)}
        flags = self.must("pkg-config", "--cflags", "--libs", "stoa", env=env).split()
        libdir = self.must("pkg-config", "--variable=libdir", "stoa", env=env).strip()

        self.assertEqual(self.must("pkg-config", "--modversion", "stoa", env=env).strip(), self.version)
        program = self.dir / "program"
        self.must(CC, "-std=c11", PROGRAM / "program.c", *flags, f"-Wl,-rpath,{libdir}", "-o", program)
        self.assertEqual(self.must(program), f"stoa {self.version}\n")

    def test_a_program_builds_through_find_package(self):
        build = self.dir / "build"
        self.must(
            "cmake", "-S", PROGRAM, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER={CC}",
        )  # fmt: skip
        self.must("cmake", "--build", build)
        for name in ("program_shared", "program_static"):
            self.assertEqual(self.must(build / name), f"stoa {self.version}\n")

    def test_the_installed_command_runs_from_anywhere(self):
        moved = self.dir / "moved"
        shutil.move(self.prefix, moved)
        self.assertIn(self.version, self.must(moved / "bin/stoa", "--version", cwd="/"))

    def test_only_public_headers_are_installed(self):
        installed = {str(p.relative_to(self.prefix / "include")) for p in self.prefix.rglob("*.h")}
        public = stoa_test.SOURCE / "include"
        self.assertEqual(installed, {str(p.relative_to(public)) for p in public.rglob("*.h")})

    def test_nothing_points_back_into_the_source_tree(self):
        # The cache of dependencies may be a neighbour whose name begins like the source tree's.
        within = "|".join(re.escape(str(place)) for place in (stoa_test.SOURCE, stoa_test.BUILD))
        for path in self.prefix.rglob("*"):
            if path.suffix in (".pc", ".cmake", ".h"):
                self.assertNotRegex(Path(path).read_text(), f"({within})(?![\\w.-])", path.name)


if __name__ == "__main__":
    stoa_test.main()
