"""Where the loader looks for libraries of what is built and of what is installed. An empty or a
relative element of a run path is the working directory: a library that lies beside somebody's data
would be run."""

import os
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

BEGIN = re.compile(r"^File: (.*)$|\((?:RPATH|RUNPATH)\)\s+.*\[(.*)\]$", re.MULTILINE)
# What a column may ask for (src/codec), and what every program stands on.
BESIDE_DATA = (
    "libm.so.6", "libc.so.6", "libz.so.1", "libhdf5.so.310", "libzstd.so.1", "liblz4.so.1",
    "libdeflate.so.0", "libblosc.so.1", "libbz2.so.1.0", "libbz2.so.1", "liblzo2.so.2", "libsleef.so.3",
)  # fmt: skip


def is_loaded(path):
    """Whether the loader reads it: an ELF file with a dynamic section, no object file."""
    if path.is_symlink() or not path.is_file() or path.suffix == ".o":
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


@unittest.skipUnless(sys.platform == "linux", "ELF files")
class Load(stoa_test.TestCase):
    def elements(self, root):
        """{file: elements of its run path}, of every program and library under a directory."""
        files = sorted(p for p in Path(root).rglob("*") if is_loaded(p))
        paths = {}
        for i in range(0, len(files), 100):
            done = stoa_test.run("readelf", "-dW", "/dev/null", *files[i : i + 100], env={"LC_ALL": "C"})
            name = None
            for file, path in BEGIN.findall(done.stdout):
                name = file or name
                if file:
                    paths[file] = []
                else:
                    paths[name] += path.split(":")
        paths.pop("/dev/null", None)
        self.assertEqual(len(paths), len(files))
        return paths

    def test_what_is_built_is_loaded_from_absolute_places_only(self):
        built = self.elements(stoa_test.BUILD)
        for name in ("stoa", "plugins/libh5vl_stoa.so", "plugins/libh5z_stoa_sparse.so"):
            self.assertIn(f"{stoa_test.BUILD}/{name}", built)
        wrong = {f: p for f, p in built.items() if any(not e.startswith("/") for e in p)}
        self.assertEqual(wrong, {})

    def test_what_is_installed_is_loaded_from_beside_itself(self):
        done = stoa_test.run("cmake", "--install", stoa_test.BUILD, "--prefix", self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        installed = self.elements(self.dir)
        self.assertGreaterEqual(len(installed), 4)
        wrong = {f: p for f, p in installed.items() if any(not e.startswith("$ORIGIN/") for e in p)}
        self.assertEqual(wrong, {})

    def test_libraries_beside_the_data_are_not_loaded(self):
        self.write("a.csv", "x\n" + "".join(f"{i}\n" for i in range(1000)))
        self.stoa("import", "a.csv", "a.h5:/t", "--codec", "x=blosc", cwd=self.dir)
        for name in BESIDE_DATA:
            self.write(name, "no library")
        said = self.stoa("query", "a.h5:/t", "-a", "sum(x), sum(exp(0 * x))", "-f", "csv", cwd=self.dir)
        self.assertEqual(said.stdout.splitlines()[1], f"{1000 * 999 // 2},1000.0")


if __name__ == "__main__":
    stoa_test.main()
