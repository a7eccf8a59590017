"""What the Python tests share: running stoa, places to work in, and the peers.

    import stoa_test

    class Import(stoa_test.TestCase):
        def test_a_quoted_empty_field_is_a_value(self):
            csv = self.write("a.csv", 'x\\n""\\n')
            self.stoa("import", csv, f"{self.dir}/a.h5:/t")
            self.assertEqual(self.stoa("query", f"{self.dir}/a.h5:/t", "-f", "csv").stdout, 'x\\n""\\n')

    if __name__ == "__main__":
        stoa_test.main()

A test file runs under ctest and by hand: `python3 tests/cli/test_import.py [Class[.test_name]]`, for
which it puts tests/support on sys.path itself if PYTHONPATH does not say so. Only the standard library is used.
"""

import json
import os
import pty
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("STOA_SOURCE_DIR") or Path(__file__).resolve().parents[2])
BUILD = Path(os.environ.get("STOA_BUILD_DIR") or SOURCE / "build")
STOA = os.environ.get("STOA") or str(BUILD / "stoa")
SKIPPED = 77  # as tests/CMakeLists.txt tells ctest
TIMEOUT = 600  # seconds, for one command
END = b"\x00end of terminal\x00"  # what no command writes


def answer(*command):
    """The first line that a command prints, or nothing if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _hdf5_bin():
    if "STOA_HDF5_BIN" in os.environ:
        return os.environ["STOA_HDF5_BIN"]
    prefix = answer(str(SOURCE / "scripts/setup"), "--print-hdf5")
    return f"{prefix}/bin" if prefix else os.path.dirname(shutil.which("h5dump") or "")


HDF5_BIN = _hdf5_bin()
PEERS = os.environ.get("STOA_PEERS") or answer(str(SOURCE / "scripts/peers"), "--print")
# DuckDB's library, for `stoa` and its tests.
if PEERS and "STOA_DUCKDB" not in os.environ:
    for path in sorted(Path(PEERS).glob("lib/libduckdb-*.so")):
        os.environ["STOA_DUCKDB"] = str(path)
MUST_HAVE_PEERS = os.environ.get("STOA_REQUIRE_PEERS") == "1"
os.environ["STOA_PEERS"] = PEERS
if "STOA_DUCKDB" not in os.environ:
    os.environ["STOA_DUCKDB"] = answer(str(SOURCE / "scripts/peers"), "--print-duckdb")
DUCKDB = os.environ["STOA_DUCKDB"]


def effort(usual):
    """How many cases to try: `usual` times $STOA_EFFORT, at least one."""
    return max(1, int(usual * float(os.environ.get("STOA_EFFORT") or 1)))


def without_comments(text):
    """C source without its comments."""
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def rng():
    """Random numbers, the same in every run unless $STOA_SEED says otherwise."""
    return random.Random(int(os.environ.get("STOA_SEED") or 1))


def run(*command, input=None, env=None, cwd=None, timeout=TIMEOUT, text=True):
    """Run a command to its end; the CompletedProcess has stdout, stderr and returncode."""
    return subprocess.run(
        [str(word) for word in command],
        input=input,
        stdin=None if input is not None else subprocess.DEVNULL,
        capture_output=True,
        text=text,
        encoding="utf-8" if text else None,
        errors="surrogateescape" if text else None,
        cwd=cwd,
        env={**os.environ, **env} if env else None,
        timeout=timeout,
        check=False,
    )


def need_terminals():
    """Skip the file where there are no pseudo-terminals."""
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as problem:
        skip(f"no pseudo-terminal is to be had: {problem}")


def on_terminal(*arguments, input=None, answer=None, **env):
    """Run stoa with stdout and stderr on a terminal of 80 columns; what appeared there.

    A terminal with an `answer` is stdin too, and gives it when stoa asks for the device attributes.
    """
    ours, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    process = subprocess.Popen(
        [STOA, *map(str, arguments)],
        stdin=subprocess.PIPE if input else subprocess.DEVNULL if answer is None else theirs,
        stdout=theirs,
        stderr=theirs,
        env={**environment, "TERM": "xterm", **env},
    )
    if input:
        for piece in input:
            process.stdin.write(piece)
            process.stdin.flush()
        process.stdin.close()

    # Some kernels drop what is still on its way when the last writer closes. So this process keeps
    # the terminal open, and writes a mark behind what the command wrote.
    def mark_the_end():
        process.wait()
        os.write(theirs, END)

    marker = threading.Thread(target=mark_the_end)
    marker.start()
    seen = b""
    while not seen.endswith(END):
        seen += os.read(ours, 65536)
        if answer and seen.endswith(b"\x1b[c"):
            os.write(ours, answer.encode())
            answer = ""
    marker.join()
    os.close(theirs)
    os.close(ours)
    seen = seen[: -len(END)]
    return seen.decode("utf-8", "replace")


class TestCase(unittest.TestCase):
    """A test with a directory of its own, `self.dir`, removed after it."""

    maxDiff = 4000

    def setUp(self):
        self.dir = Path(tempfile.mkdtemp(prefix="stoa-test-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def need(self, program):
        """Skip the test where a program is missing; fail where all must be there."""
        if not shutil.which(program):
            problem = f"{program} is not installed; scripts/peers installs it"
            if MUST_HAVE_PEERS:
                self.fail(problem)
            self.skipTest(problem)

    def write(self, name, content):
        """A file of the test's directory, from text or bytes; its path."""
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            content = content.encode("utf-8", "surrogateescape")
        path.write_bytes(content)
        return path

    def stoa(self, *arguments, status=0, **options):
        """Run stoa and assert its exit status (None: any)."""
        done = run(STOA, *arguments, **options)
        if status is not None and done.returncode != status:
            self.fail(
                f"stoa {' '.join(str(a) for a in arguments)}\n"
                f"ended with {done.returncode}, expected {status}\n"
                f"stdout: {done.stdout[-2000:]!r}\nstderr: {done.stderr[-2000:]!r}"
            )
        return done

    def fails(self, *arguments, says=(), status=3, **options):
        """Run stoa, which must fail in one clear line that holds each text of `says`."""
        done = self.stoa(*arguments, status=status, **options)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, f"not one line: {done.stderr!r}")
        self.assertTrue(lines[0].startswith("stoa: "), lines[0])
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, lines[0])
        return done

    def hdf5(self, tool, *arguments, status=0):
        """Run one of HDF5's own tools (h5dump, h5ls, h5diff ...); what it printed."""
        done = run(Path(HDF5_BIN) / tool, *arguments)
        if status is not None:
            self.assertEqual(done.returncode, status, f"{tool}: {done.stderr[-2000:]}")
        return done.stdout


# --- peers ---------------------------------------------------------------------------------------


def peers_problem():
    """Why the peers cannot be used here, or nothing."""
    if not PEERS or not os.access(f"{PEERS}/bin/python3", os.X_OK):
        return "the peers' environment is not there; make peers"
    return ""


def needs_duckdb():
    """Leave the test program if DuckDB's library, which `stoa sql` opens, is not there."""
    if not DUCKDB and MUST_HAVE_PEERS:
        sys.exit("FAILED: DuckDB's library is not there; make peers")
    if not DUCKDB:
        skip("DuckDB's library is not there; make peers")


class PeersTestCase(TestCase):
    """A test whose peers run in `self.dir`: Python with its libraries, DuckDB, and HDF5's tools."""

    def put(self, path):
        """Copy a file into the test's directory."""
        return Path(shutil.copy(path, self.dir))

    def peer_command(self, *command):
        """What runs a command with the peers' programs and libraries, in the test's directory."""
        return [
            "env", "-i", f"--chdir={self.dir}", f"PATH={PEERS}/bin:{HDF5_BIN}:/usr/bin:/bin",
            "HOME=/tmp", f"XDG_STATE_HOME={os.environ.get('XDG_STATE_HOME', self.dir / 'state')}", "LC_ALL=C.UTF-8", "TZ=UTC", "PYTHONWARNINGS=ignore",
            "PYTHONDONTWRITEBYTECODE=1", "MPLCONFIGDIR=/tmp", *command,
        ]  # fmt: skip

    def peer(self, *command, input=None, status=0):
        """Run a command of the peers in the test's directory; what it printed."""
        done = run(*self.peer_command(*command), input=input)
        if status is not None and done.returncode != status:
            self.fail(f"the peers' {command[0]} ended with {done.returncode}:\n{done.stderr[-4000:]}")
        return done.stdout

    def peer_python(self, script, *arguments):
        """Run a Python script of the peers in the test's directory; what it printed."""
        self.write("script.py", script)
        return self.peer("python3", "script.py", *arguments)

    def peer_duckdb(self, sql, format="csv"):
        """Run SQL in DuckDB in the test's directory; what it printed."""
        return self.peer("duckdb", f"-{format}", "-bail", input=sql)

    def rows_of(self, place, *options, env=None):
        said = self.stoa("query", place, "-f", "jsonl", *options, env=env).stdout
        return [json.loads(line) for line in said.splitlines()]

    def check_object(self, place, columns, env=None, options=()):
        """The rows of a place are those of {column: values}, in that order, of these very types."""
        rows = self.rows_of(place, *options, env=env)
        names = list(columns)
        self.assertEqual(len(rows), len(columns[names[0]]))
        if rows:
            self.assertEqual(list(rows[0]), names)
        for name in names:
            found = [row[name] for row in rows]
            wrong = [(i, f, w) for i, (f, w) in enumerate(zip(found, columns[name], strict=True))
                     if repr(f) != repr(w)][:3]  # fmt: skip
            self.assertEqual(wrong, [], name)


class SharedPeersTestCase(PeersTestCase):
    """Peers' programs take seconds: what they make is made once, in `shared.dir`, for all tests of
    the class, which do not change it."""

    @classmethod
    def make(cls, shared):
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shared = PeersTestCase("run")
        cls.shared.setUp()
        cls.addClassCleanup(cls.shared.doCleanups)
        cls.make(cls.shared)


def peer_python(script, files=(), arguments=()):
    """Run a Python script of the peers among copies of `files`; what it printed."""
    case = PeersTestCase("run")
    case.setUp()
    try:
        for path in files:
            case.put(path)
        return case.peer_python(script, *arguments)
    finally:
        case.doCleanups()


# --- running -------------------------------------------------------------------------------------


def skip(reason):
    """Leave the test program: it cannot run here."""
    print(f"SKIP: {reason}")
    sys.exit(SKIPPED)


def main():
    """Run the tests of the calling file; exits with 77 if none of them could run."""
    cases = vars(sys.modules["__main__"]).values()
    if any(isinstance(c, type) and issubclass(c, PeersTestCase) for c in cases):
        problem = peers_problem()
        if problem and MUST_HAVE_PEERS:
            sys.exit(f"FAILED: {problem}")
        if problem:
            skip(problem)
    result = unittest.main(module="__main__", exit=False).result
    if not result.wasSuccessful() or result.testsRun == 0:
        sys.exit(1)
    sys.exit(SKIPPED if len(result.skipped) == result.testsRun else 0)
