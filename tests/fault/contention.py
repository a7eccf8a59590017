#!/usr/bin/env python3
"""`make contention`: tests/hdf/prop_contention.c for long, with h5py as the readers of other programs.

    contention.py [--seconds N]            the campaign
    contention.py --read FILE SECONDS      what one such reader does: prints opens, refusals, wrong answers
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

# A peer: opens, compares, closes, and pauses 10 to 50 ms.
READER = """
import random, sys, time
import h5py, numpy
name, until, rows = sys.argv[1], time.monotonic() + float(sys.argv[2]), 200
opens = refused = wrong = least = 0
while time.monotonic() < until:
    opens += 1
    try:
        file = h5py.File(name, "r")
    except OSError:
        refused += 1
    else:
        with file:
            n = len(file["id"])
            first = max(0, n - 20 * rows)
            id, value, totals = file["id"][first:], file["value"][first:], file["totals"][:]
            blocks = id.reshape(-1, rows)
            right = (n % rows == 0 and n >= least and len(file["value"]) == n
                     and (blocks == blocks[:, :1]).all() and (totals == n // rows).all()
                     and (value.reshape(-1, rows) == blocks * 1000 + numpy.arange(rows)).all())
            wrong += not right
            least = n
    time.sleep(random.uniform(0.010, 0.050))
print(opens, refused, wrong)
"""


def read(file, seconds):
    return subprocess.run([f"{stoa_test.PEERS}/bin/python3", "-c", READER, file, seconds]).returncode


def campaign(seconds):
    with tempfile.TemporaryDirectory(prefix="stoa-") as directory:
        env = dict(
            os.environ,
            TMPDIR=directory,
            STOA_CONTENTION=seconds,
            STOA_CONTENTION_READER=f"'{sys.executable}' '{Path(__file__).resolve()}' --read",
        )
        return subprocess.run([stoa_test.BUILD / "tests/hdf/prop_contention"], env=env).returncode


if sys.argv[1:2] == ["--read"]:
    sys.exit(read(*sys.argv[2:4]))
sys.exit(campaign(sys.argv[2] if sys.argv[1:2] == ["--seconds"] else "600"))
