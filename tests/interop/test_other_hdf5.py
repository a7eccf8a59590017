"""Stoa on other HDF5s: its programs on 1.14, and sparse files that go all ways between the HDF5 of the
tree, 1.14, and that of h5py (sparse fact sheet §11, 1 and 9)."""

import json
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import older
import stoa_test
from interop_test import PeerTestCase

PLUGINS = stoa_test.BUILD / "plugins"
WRITER = "tests/sparse/test_exchange"


@unittest.skipIf(os.environ.get("STOA_SANITIZE"), "HDF5's tools and h5py have no sanitizer")
class ExchangeTestCase(PeerTestCase):
    def setUp(self):
        super().setUp()
        older.build(self)

    def python(self, *arguments, **env):
        """h5py, which has an HDF5 2 of its own, finds the tree's plugins."""
        env = {"HDF5_PLUGIN_PATH": PLUGINS, **env}
        words = [f"{name}={value}" for name, value in env.items()]
        return self.peer("env", *words, "python3", "exchange.py", *arguments)


class Programs(stoa_test.TestCase):
    """On HDF5 1.14."""

    def setUp(self):
        super().setUp()
        older.build(self)

    def test_it_is_1_14(self):
        self.assertIn("(HDF5 1.14.", stoa_test.run(older.STOA, "--version").stdout)

    def test_the_programs_pass(self):
        self.assertGreater(len(older.PROGRAMS), 80)
        for room, name in older.PROGRAMS:
            with self.subTest(f"{room}/{name}"):
                env = {**older.environment(STOA_EFFORT="0.3"), "HDF5_PLUGIN_PATH": ""}
                done = stoa_test.run(older.BUILD / "tests" / room / name, env=env, cwd=self.dir)
                self.assertRegex(done.stdout, r"(?m)^[1-9][0-9]* passed, 0 failed", done.stderr)
                self.assertEqual(done.returncode, 0)

    def test_both_write_the_same_bytes(self):
        csv = self.write("a.csv", "i,x,s,t\n" + "".join(
            f"{i},{i / 8},{'ab'[i % 2]},2025-01-01T00:00:{i % 60:02}\n" for i in range(5000)))  # fmt: skip
        for layout in ("hep001", "pytables", "arkouda"):
            for _ in range(20):  # until both take the same second for their times
                first = self.written(stoa_test.STOA, "1", csv, layout)
                second = self.written(older.STOA, "2", csv, layout)
                if first == second:
                    break
            self.assertEqual(first.hex(), second.hex(), layout)

    def written(self, stoa, name, csv, layout):
        table, file = (self.dir / f"{name}{kind}.h5" for kind in ("", "-converted"))
        for words in (("import", csv, f"{table}:/t"), ("convert", f"{table}:/t", file, "--to", layout)):
            done = stoa_test.run(stoa, *words)
            self.assertEqual(done.returncode, 0, done.stderr)
        content = file.read_bytes()
        table.unlink()
        file.unlink()
        return content

    def test_these_tests_pass(self):
        for script in ("cli/test_newer_files.py", "cli/test_look.py", "cli/test_query.py",
                       "install/test_rfc.py"):  # fmt: skip
            with self.subTest(script):
                env = {**older.environment(), "HDF5_PLUGIN_PATH": ""}
                done = stoa_test.run(sys.executable, stoa_test.SOURCE / "tests" / script, env=env)
                self.assertEqual(done.returncode, 0, done.stderr[-4000:])


class Exchange(ExchangeTestCase):
    """exchange.h5 was written by one version; `h5...` of any reads it."""

    def tool_of(self, place, plugins, tool, arguments, status):
        tool = shutil.which(tool, path=place)
        env = {"HDF5_PLUGIN_PATH": str(plugins)}
        done = stoa_test.run(tool, *arguments, cwd=self.dir, env=env)
        if status is not None:
            self.assertEqual(done.returncode, status, f"{tool}: {done.stdout}{done.stderr[-2000:]}")
        return done.stdout

    def here(self, tool, *arguments, status=0):
        return self.tool_of(stoa_test.HDF5_BIN, PLUGINS, tool, arguments, status)

    def on_older(self, tool, *arguments, status=0):
        return self.tool_of(older.HDF5_BIN, older.BUILD / "plugins", tool, arguments, status)

    def run_writer(self, build, what, **env):
        done = stoa_test.run(build / WRITER, what, env=env)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def write_here(self, build=stoa_test.BUILD):
        self.run_writer(build, "written", STOA_EXCHANGE=str(self.dir / "exchange.h5"))

    def datasets(self, h5):
        return re.findall(r"(?m)^(\w+) +Dataset", h5("h5ls", "exchange.h5"))

    def check_tools(self, h5):
        """The HDF5 tools of one version see the truth in exchange.h5, and copy it unchanged."""
        names = self.datasets(h5)
        self.assertGreaterEqual(len(names), 10)
        self.check_same(h5, "exchange.h5", names)
        self.assertIn("CHUNKED]: ", h5("h5stat", "exchange.h5"))
        for name, wanted in json.loads(self.python("integers", "-")).items():
            if name in names and wanted:
                said = h5("h5dump", "-y", "-w", "0", "-d", f"/{name}", "exchange.h5")
                found = re.findall(r"-?\d+", said.split("DATA {")[1].split("}")[0])
                self.assertEqual([int(value) for value in found], wanted, name)
        for name in names:
            h5("h5copy", "-i", "exchange.h5", "-o", "copied.h5", "-s", name, "-d", name)
        h5("h5repack", "exchange.h5", "as-it-is.h5")
        h5("h5repack", "-l", "swapped:CHUNK=7x11", "exchange.h5", "chunked.h5")
        h5("h5repack", "-f", "swapped,pairs,four:NONE", "exchange.h5", "plain.h5")
        for copy in ("copied.h5", "as-it-is.h5", "chunked.h5", "plain.h5"):
            self.check_same(h5, copy, names)
        self.write("broken.h5", self.damaged())
        h5("h5dump", "broken.h5", status=1)

    def check_same(self, h5, file, names):
        for name in set(names) - {"nothing"}:  # h5diff compares no empty dataset
            h5("h5diff", file, "dense.h5", f"/{name}", f"/{name}")

    def damaged(self):
        content = bytearray((self.dir / "exchange.h5").read_bytes())
        content[content.index(b"SCH\x01") + 15] ^= 0x10
        return bytes(content)

    def check_everywhere(self):
        self.python("dense", "dense.h5")
        self.assertEqual(self.python("compare", "exchange.h5"), "")
        for h5 in (self.here, self.on_older):
            self.check_tools(h5)
            # Values and defined sets by our own library, on both.
            for copy in ("exchange.h5", "copied.h5", "as-it-is.h5"):
                for build in (stoa_test.BUILD, older.BUILD):
                    self.run_writer(build, "others", STOA_EXCHANGED=str(self.dir / copy))
            for copy in ("copied.h5", "as-it-is.h5", "chunked.h5", "plain.h5"):
                self.assertEqual(self.python("compare", copy), "", copy)
                (self.dir / copy).unlink()

    def test_files_of_the_trees_hdf5_are_read_everywhere(self):
        self.write_here()
        self.check_everywhere()

    def test_files_of_the_older_hdf5_are_read_everywhere(self):
        self.write_here(older.BUILD)
        self.check_everywhere()


class H5py(ExchangeTestCase):
    def locations(self, place):
        """The elements that Stoa here says are defined, as [[row, column], ...]."""
        said = self.stoa("dump", "--sparse-locations", place).stdout
        theirs = stoa_test.run(older.STOA, "dump", "--sparse-locations", place)
        self.assertEqual(said, theirs.stdout, theirs.stderr)
        found = []
        for region in said.split("REGION_TYPE ")[1:]:  # a list of points has lines of its own
            numbers = [int(n) for n in re.findall(r"\d+", region)]
            if region.startswith("BLOCK"):
                r0, c0, r1, c1 = numbers
                found += [[r, c] for r in range(r0, r1 + 1) for c in range(c0, c1 + 1)]
            else:
                found += [list(p) for p in zip(numbers[::2], numbers[1::2])]
        return sorted(found)

    def test_what_h5py_writes_is_defined_where_it_differs_from_the_fill_value(self):
        wanted = json.loads(self.python("stock", "h5py.h5"))
        self.assertGreater(len(wanted), 100)
        self.assertEqual(self.locations(f"{self.dir}/h5py.h5:/stock"), wanted)

    def test_what_h5py_writes_under_the_connector_is_defined_where_it_was_written(self):
        connector = "stoa under_vol=0;under_info={}"
        wanted = json.loads(self.python("connected", "h5py.h5", HDF5_VOL_CONNECTOR=connector))
        self.assertGreater(len(wanted), 400)
        self.assertEqual(self.locations(f"{self.dir}/h5py.h5:/connected"), wanted)


if __name__ == "__main__":
    stoa_test.main()
