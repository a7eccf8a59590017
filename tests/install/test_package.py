"""Stoa, installed, serves a program that knows nothing of its source tree, of a user who may not look into the
home directory of the one who installed it."""

import fnmatch
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

PROGRAM = stoa_test.SOURCE / "tests/install/program"
CC = os.environ.get("STOA_CC") or "cc"
NOBODY = 65534
CACHE = stoa_test.answer(stoa_test.SOURCE / "scripts/setup", "--print-hdf5")


class Package(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        if os.environ.get("STOA_SANITIZE"):
            self.skipTest("a program outside the tree is not built with the sanitizer")
        self.dir.chmod(0o755)
        self.prefix = self.dir / "prefix with spaces"
        self.install(self.prefix)
        header = (self.prefix / "include/stoa/stoa.h").read_text()
        self.version = re.search(r'#define STOA_VERSION "([^"]+)"', header).group(1)
        self.stoa("import", self.write("t.csv", "x\n1\n2\n3\n"), f"{self.dir}/t.h5:/t")
        self.home = self.dir / "home"  # of the user
        self.home.mkdir()
        if os.getuid() == 0:
            os.chown(self.home, NOBODY, NOBODY)

    def install(self, prefix, **env):
        done = stoa_test.run("cmake", "--install", stoa_test.BUILD, "--prefix", prefix, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)

    def must(self, *command, **env):
        """Run a command as another user, if this one is root; what it printed."""
        other = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        done = subprocess.run(
            [str(word) for word in command],
            capture_output=True, text=True, check=False, cwd=self.home,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), "CCACHE_DISABLE": "1", **env}, **other,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout}\n{done.stderr}")
        return done.stdout

    def assertWorks(self, program):
        self.assertEqual(self.must(program, self.dir / "t.h5"), f"3 rows\nstoa {self.version}\n")

    def test_a_program_builds_through_pkg_config(self):
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not installed")
        prefix = self.dir / "prefix"  # pkg-config and shells disagree about spaces in flags
        self.install(prefix)
        pc = next(prefix.rglob("stoa.pc"))
        env = {"PKG_CONFIG_PATH": str(pc.parent)}
        flags = self.must("pkg-config", "--cflags", "--libs", "stoa", **env).split()

        self.assertEqual(self.must("pkg-config", "--modversion", "stoa", **env).strip(), self.version)
        program = self.home / "program"
        self.must(CC, "-std=c11", PROGRAM / "program.c", *flags, "-o", program)
        self.assertWorks(program)

    def test_the_program_of_the_readme_answers(self):
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not installed")
        programs = {re.search(r"```c\n(.*?)```", (stoa_test.SOURCE / page).read_text("utf-8"), re.DOTALL)[1]
                    for page in ("README.md", "docs/c-api.md")}  # fmt: skip
        self.assertEqual(len(programs), 1)
        prefix = self.dir / "prefix"
        self.install(prefix)
        flags = self.must("pkg-config", "--cflags", "--libs", "stoa", PKG_CONFIG_PATH=str(next(prefix.rglob("stoa.pc")).parent))
        source = self.write("late.c", programs.pop())
        self.must(CC, "-std=c11", "-Wall", "-Werror", source, *flags.split(), "-o", self.home / "late")
        self.stoa("import", self.write("f.csv", "delay,to\n5,ORD\n1431,DTW\n"), f"{self.home}/us.h5:/flights")
        self.assertEqual(self.must(self.home / "late"), "delay,to\n1431,DTW\n")

    def test_a_program_builds_through_find_package(self):
        build = self.home / "build"
        self.must(
            "cmake", "-S", PROGRAM, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER={CC}",
        )  # fmt: skip
        self.must("cmake", "--build", build)
        for name in ("program_shared", "program_static"):
            self.assertWorks(build / name)

    def test_the_installed_command_runs_from_anywhere(self):
        moved = self.dir / "moved"
        shutil.move(self.prefix, moved)
        self.assertIn(self.version, self.must(moved / "bin/stoa", "--version"))
        self.assertEqual(self.must(moved / "bin/stoa", "query", self.dir / "t.h5", "-a", "count()", "-f", "csv"),
                         "count()\n3\n")  # fmt: skip

    def test_a_package_is_staged(self):
        stage = self.dir / "stage"
        self.install("/opt/stoa", DESTDIR=str(stage))
        self.assertEqual({str(p.relative_to(stage)) for p in stage.glob("*/*")}, {"opt/stoa"})
        self.assertIn(self.version, self.must(stage / "opt/stoa/bin/stoa", "--version"))

    def test_each_file_is_in_one_of_debians_packages(self):
        stage = self.dir / "stage"
        self.install("/usr", DESTDIR=str(stage))
        lists = [*stoa_test.SOURCE.glob("packaging/debian/*.install"), stoa_test.SOURCE / "packaging/debian/not-installed"]
        patterns = [line.split()[0] for path in lists for line in path.read_text().splitlines()]
        for path in stage.rglob("*"):
            name = re.sub(r"^usr/lib(64|/[^/]+-linux-gnu)?/", "usr/lib/any/", str(path.relative_to(stage)))
            copied = name.startswith("usr/lib/any/stoa/") or path.name == "LICENSE.hdf5"  # of HDF5
            if (path.is_file() or path.is_symlink()) and not copied:
                found = [p for p in patterns if fnmatch.fnmatch(name, p) or fnmatch.fnmatch(name, f"{p}/*")]
                self.assertEqual(len(found), 1, f"{name}: {found}")

    def test_only_public_headers_are_installed(self):
        include = self.prefix / "include"
        installed = {str(p.relative_to(include)) for p in include.rglob("*.h")}
        public = stoa_test.SOURCE / "include"
        self.assertEqual(installed, {str(p.relative_to(public)) for p in public.rglob("*.h")})

    def test_manual_pages_and_completions_lie_where_programs_look(self):
        share = self.prefix / "share"
        for path in ("bash-completion/completions/stoa", "zsh/site-functions/_stoa",
                     "fish/vendor_completions.d/stoa.fish", "man/man1/stoa.1", "man/man1/stoa-query.1",
                     "man/man7/stoa-query.7"):  # fmt: skip
            self.assertTrue((share / path).is_file(), path)

    def test_the_licences_are_installed(self):
        docs = next(self.prefix.rglob("LICENSE")).parent
        self.assertEqual((docs / "LICENSE").read_text(), (stoa_test.SOURCE / "LICENSE").read_text())
        if list(self.prefix.rglob("libhdf5.so*")):
            self.assertIn("HDF5", (docs / "LICENSE.hdf5").read_text())

    def test_nothing_points_back_into_the_source_tree(self):
        # The cache of dependencies may be a neighbour whose name begins like the source tree's.
        within = "|".join(re.escape(str(place)) for place in (stoa_test.SOURCE, stoa_test.BUILD))
        back = re.compile(f"({within})(?![\\w.-])".encode())
        for path in self.prefix.rglob("*"):
            if path.suffix in (".pc", ".cmake", ".h"):
                self.assertNotRegex(path.read_bytes(), back, path.name)

    def test_nothing_points_to_a_cache_or_a_home_directory(self):
        homes = [str(place).encode() for place in (CACHE, Path.home()) if str(place) not in ("", "/")]
        ours = [p for p in self.prefix.rglob("*") if p.suffix in (".pc", ".cmake") or "stoa" in p.name]
        self.assertGreater(len(ours), 6)
        for path in ours:
            # The command has libhdf5 inside, with the paths of that build.
            if path.is_file() and path.name != "stoa":
                for home in homes:
                    self.assertNotIn(home + b"/", path.read_bytes(), path.name)


if __name__ == "__main__":
    stoa_test.main()
