"""Stoa built on HDF5 1.14, the oldest that is supported, where the tree has 2.x: `scripts/setup --hdf5
1.14` keeps it in the cache. What was built stays: another run compiles what has changed, or nothing."""

import fcntl
import os
import unittest

import stoa_test

SERIES = "1.14"
PREFIX = stoa_test.answer(str(stoa_test.SOURCE / "scripts/setup"), "--print-hdf5", "--hdf5", SERIES)
PROBLEM = f"HDF5 {SERIES} is not in the cache: scripts/setup --hdf5 {SERIES}"
HDF5_BIN = f"{PREFIX}/bin"
BUILD = stoa_test.BUILD / "on-older-hdf5"
STOA = BUILD / "stoa"

# Whole rooms, and programs of others.
_ROOMS = {"hdf": None, "sparse": None, "conformance": ("test_cases",), "query": ("test_prefetch",)}
PROGRAMS = [
    (room, path.stem)
    for room, wanted in _ROOMS.items()
    for path in sorted((stoa_test.SOURCE / "tests" / room).rglob("*.c"))
    if path.name.startswith(("test_", "prop_")) and (wanted is None or path.stem in wanted)
]
_TARGETS = ["stoa", "stoa_shared", "h5vl_stoa", "h5z_stoa_sparse", "example_sparse_matrix"] + [
    "{1[0]}_{0}_{1[1]}".format(room, name.split("_", 1)) for room, name in PROGRAMS
]


def _run(case, *command):
    done = stoa_test.run(*command, timeout=3000)
    case.assertEqual(done.returncode, 0, f"{command}: {done.stdout[-4000:]}{done.stderr[-4000:]}")


def build(case):
    """Stoa, its plugins and PROGRAMS lie in BUILD."""
    if not PREFIX:
        if stoa_test.MUST_HAVE_PEERS:
            case.fail(PROBLEM)
        raise unittest.SkipTest(PROBLEM)
    BUILD.mkdir(exist_ok=True)
    with open(BUILD / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Optimised a little: it is compiled more often than it is run.
        _run(case, "cmake", "-S", stoa_test.SOURCE, "-B", BUILD, f"-DHDF5_ROOT={PREFIX}", "-DSTOA_TESTS=ON",
             "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O1")  # fmt: skip
        _run(case, "cmake", "--build", BUILD, "--parallel", str(os.cpu_count() or 2), "--target",
             *_TARGETS)  # fmt: skip


def environment(**more):
    """For programs and tests that run on that build."""
    return {
        "STOA": str(STOA), "STOA_BUILD_DIR": str(BUILD), "STOA_HDF5_BIN": HDF5_BIN,
        "HDF5_PLUGIN_PATH": str(BUILD / "plugins"), **more,
    }  # fmt: skip
