"""Stoa built in the peers' root, on the HDF5 of its suite, for h5py and HDF5's tools there.

The sources are copied to a place of their own in the root, only those that changed, and what was built
there stays: another run compiles what has changed since, or nothing.
"""

import fcntl
import hashlib
import os
import shutil
from pathlib import Path

import stoa_test

TAKEN = ("CMakeLists.txt", "CMakePresets.json", "cmake", "include", "src", "plugins", "examples",
         "bench", "tests")  # fmt: skip
SKIPPED = {"data", "__pycache__", "regressions", "interop"}

# One for each source tree that shares the root.
_NAME = "stoa-on-newer-" + hashlib.sha256(str(stoa_test.SOURCE.resolve()).encode()).hexdigest()[:12]
PLACE = Path(stoa_test.PEERS or "/nonexistent") / "tmp" / _NAME
INSIDE = f"/tmp/{_NAME}"
BUILD = f"{INSIDE}/build"

_TARGETS = ["stoa", "stoa_shared", "h5vl_stoa", "h5z_stoa_sparse", "test_sparse_exchange"]


def _sources():
    for name in TAKEN:
        top = stoa_test.SOURCE / name
        if top.is_file():
            yield top.relative_to(stoa_test.SOURCE)
        for directory, below, files in os.walk(top):
            below[:] = [d for d in below if d not in SKIPPED]
            for file in files:
                yield (Path(directory) / file).relative_to(stoa_test.SOURCE)


def _copy():
    """What differs is copied, what is gone is removed; the hash of all of it."""
    taken = sorted(set(_sources()))
    digest = hashlib.sha256(" ".join(_TARGETS).encode())
    for path in taken:
        content = (stoa_test.SOURCE / path).read_bytes()
        digest.update(b"%s %d " % (str(path).encode(), len(content)) + content)
        copy = PLACE / "source" / path
        if not copy.is_file() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
    for directory, _, files in os.walk(PLACE / "source"):
        for file in files:
            path = (Path(directory) / file).relative_to(PLACE / "source")
            if path not in taken:
                (PLACE / "source" / path).unlink()
    return digest.hexdigest()


def _forget_trees_that_are_gone():
    for place in PLACE.parent.glob("stoa-on-newer-*"):
        source = place / "source-is"
        if source.is_file() and not Path(source.read_text()).is_dir():
            shutil.rmtree(place, ignore_errors=True)


def build(case):
    """Stoa, its plugins and the writer of exchange.h5 lie in BUILD; `case` is a PeersTestCase."""
    _forget_trees_that_are_gone()
    PLACE.mkdir(exist_ok=True)
    (PLACE / "source-is").write_text(str(stoa_test.SOURCE.resolve()))
    with open(PLACE / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = PLACE / "built"
        digest = _copy()
        if built.is_file() and built.read_text() == digest:
            return
        built.unlink(missing_ok=True)
        # Optimised a little: it is compiled more often than it is run.
        case.peer("cmake", "-S", f"{INSIDE}/source", "-B", BUILD, "-DCMAKE_BUILD_TYPE=None",
                  "-DCMAKE_C_FLAGS=-O1", "-DSTOA_WERROR=OFF")  # fmt: skip
        case.peer("cmake", "--build", BUILD, "--parallel", str(os.cpu_count() or 2), "--target",
                  *_TARGETS)  # fmt: skip
        built.write_text(digest)
