"""What the tests of the Python package share: the package as the build tree has it.

`import pystoa` works after this module was imported. Without NumPy these tests run in the Python that
ctest has; those of tests/python/peer run among the peers.
"""

import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

PACKAGE = stoa_test.BUILD / "python/pystoa"
HERE = os.path.dirname(os.path.abspath(__file__))
SANITIZERS = ("LD_PRELOAD", "PYTHONMALLOC", "ASAN_OPTIONS", "UBSAN_OPTIONS")  # tests/CMakeLists.txt sets them

if not (PACKAGE / "_pystoa.abi3.so").is_file():
    print("the Python package was not built: CPython >= 3.11 has no headers here")
    sys.exit(1 if stoa_test.MUST_HAVE_PEERS and not os.environ.get("STOA_SANITIZE") else stoa_test.SKIPPED)
sys.path.insert(0, str(PACKAGE.parent))

EVENTS = {
    "time": [10, 20, 30, 40],
    "energy": [6.5, 2.0, 8.25, None],
    "det": [7, 7, 8, 8],
}
UNITS = {"energy": "keV"}


class TestCase(stoa_test.TestCase):
    """A test with a file run.h5 that has the table /events."""

    def setUp(self):
        super().setUp()
        import pystoa

        self.path = str(self.dir / "run.h5")
        pystoa.write(self.path, "/events", EVENTS, units=UNITS)

    def events(self):
        import pystoa

        table = pystoa.open(self.path, "/events")
        self.addCleanup(table.close)
        return table


class PeersTestCase(stoa_test.PeersTestCase):
    """A test that runs a module of tests/python/peer."""

    def peer_command(self, *command):
        kept = [f"{name}={os.environ[name]}" for name in SANITIZERS if name in os.environ]
        return super().peer_command(*kept, f"STOA={stoa_test.STOA}", f"STOA_DUCKDB={stoa_test.DUCKDB}", *command)

    def assert_passes(self, name, newer=False):
        """@param newer  use the newer releases of scripts/peers-newer.txt"""
        shutil.copytree(PACKAGE, self.dir / "pystoa", ignore=shutil.ignore_patterns("__pycache__"))
        self.put(f"{HERE}/peer/{name}.py")
        place = [f"PYTHONPATH={stoa_test.PEERS}/newer"] if newer else []
        words = ["env", *place, "python3", "-W", "error::ResourceWarning", "-m", "unittest", name]
        done = stoa_test.run(*self.peer_command(*words))
        self.assertEqual(done.returncode, 0, done.stderr[-6000:])
        self.assertRegex(done.stderr, r"Ran [1-9]\d* test")
