"""One run of a bench: a directory that is removed at the end, whatever happens."""

import shutil
import signal
import sys
import tempfile
from pathlib import Path

import contestants
from clock import Broken


def end(number, _frame):
    raise SystemExit(128 + number)


def check_programs(build, programs):
    """That these are built: `stoa`, and targets of the bench's own."""
    for program in programs:
        file = build / (program if program == "stoa" else f"bench/{program}")
        if not file.is_file():
            own = [name for name in programs if name != "stoa"]
            more = f" && cmake --build {build} --target {' '.join(own)}" if own else ""
            raise Broken(f"{file} is not there; run: make{more}")


def carry_out(bench, given, programs):
    """bench(given, root, scratch), with programs of given.build; the exit status."""
    signal.signal(signal.SIGTERM, end)
    try:
        check_programs(given.build, programs)
        root = contestants.peers_place()
        scratch = Path(tempfile.mkdtemp(prefix="stoa-bench-"))
        try:
            bench(given, root, scratch)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    except Broken as problem:
        print(f"bench: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nbench: interrupted; nothing was left behind", file=sys.stderr)
        return 130
    return 0
