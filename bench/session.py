"""One run of a bench: its options, a directory that is removed at the end, and the peers' Python."""

import argparse
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import contestants
from clock import Broken

SOURCE = Path(__file__).resolve().parent.parent


def arguments(program, says, rows=None, rounds=(3, 2), more=()):
    """The options of all; rows and rounds are (whole, --quick), None where each bench has its own. `more` has (option, {of add_argument})."""
    parser = argparse.ArgumentParser(prog=f"bench/{program}", description=says, epilog=f"example: bench/{program} --quick")
    parser.add_argument("--quick", action="store_true", help="little data, few rounds: a trial")
    if rows:
        parser.add_argument("--rows", type=int, help=f"rows ({rows[0]:,}; with --quick {rows[1]:,})")
    usually = f"runs of everything ({rounds[0]}; with --quick {rounds[1]})" if rounds else "of every bench (its own)"
    parser.add_argument("--rounds", type=int, help=usually)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure to FILE")
    usual = os.environ.get("STOA_BUILD_DIR") or SOURCE / "build"
    parser.add_argument("--build", type=Path, default=usual, help="what to measure (build/)")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # among the peers
    for option, settings in more:
        parser.add_argument(option, **settings)
    given = parser.parse_args()
    if rows:
        given.rows = given.rows or rows[given.quick]
    given.rounds = rounds[given.quick] if given.rounds is None and rounds else given.rounds
    if (given.rounds is not None and given.rounds < 1) or (rows and given.rows < 1000):
        parser.error("--rows is at least 1000, --rounds at least 1")
    return given


def end(number, _frame):
    raise SystemExit(128 + number)


def check_programs(build, programs):
    """That these are built: `stoa`, `pystoa`, and targets of the bench's own."""
    places = {"stoa": build / "stoa", "pystoa": build / "python/pystoa"}
    for program in programs:
        file = places.get(program) or build / "bench" / program
        if not file.exists():
            own = [name for name in programs if name not in places]
            more = f" && cmake --build {build} --target {' '.join(own)}" if own else ""
            headers = "install CPython's headers and " if program == "pystoa" else ""
            raise Broken(f"{file} is not there; {headers}run: make{more}")


def carry_out(bench, given, programs):
    """bench(given, root, scratch), with programs of given.build; the exit status."""
    signal.signal(signal.SIGTERM, end)
    try:
        check_programs(given.build, programs)
        root = contestants.peers_place()
        scratch = Path(tempfile.mkdtemp(prefix="stoa-bench-"))
        try:
            return bench(given, root, scratch) or 0
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    except Broken as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nbench: interrupted; nothing was left behind", file=sys.stderr)
        return 130


def among_peers(bench, given):
    """The same as carry_out() for what imports pystoa and the peers: it runs in their Python."""
    if given.here:
        return carry_out(bench, given, ["pystoa"])
    try:
        python = contestants.peers_place() / "bin/python3"
    except Broken as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    env = {**os.environ, "PYTHONPATH": str(given.build.resolve() / "python")}
    os.execve(python, [str(python), "-B", *sys.argv, "--here"], env)
