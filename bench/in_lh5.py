"""What LEGEND's own packages do in bench/lh5 (legend-lh5io and legend-pydataobj), run in the peers' environment.

    in_lh5.py make WAVEFORMS ROWS | ask uleb128|radware|vectors|hits|plain_vectors|plain_hits

`make` writes raw.lh5 and hit.lh5 by lh5.write(), and plain.lh5, which is hit.lh5 without filters: so are the
experiment's files of 2023 (period 3). `ask` reads by lh5.read(), and selects by numpy. It prints its answer; the
last line on stderr is the time that took, the file being open, everything compiled and in memory.
"""

import sys
import time

import h5py
import lgdo
import lh5
import numpy as np
from lh5.compression import RadwareSigcompress, ULEB128ZigZagDiff

SAMPLES = 1400
SHIFT = -32768
CODECS = {"w_radware": RadwareSigcompress(codec_shift=SHIFT), "w_uleb128": ULEB128ZigZagDiff()}
PLAIN = {"compression": None, "shuffle": False}


def pulses(random, n):
    """Noise, a step after 400 samples, a slow decay."""
    since = np.maximum(np.arange(SAMPLES) - 400, 0)
    pulse = np.where(np.arange(SAMPLES) < 400, 0, 4000 * np.exp(-since / 3000))
    return (13700 + pulse + random.integers(0, 16, (n, SAMPLES))).astype("u2")


def make(n_waveforms, n_rows):
    samples = pulses(np.random.default_rng(1), n_waveforms)
    waves = {}
    for name, codec in CODECS.items():
        values = lgdo.ArrayOfEqualSizedArrays(nda=samples, attrs={"compression": codec})
        waves[name] = lgdo.WaveformTable(t0=0.0, t0_units="ns", dt=16.0, dt_units="ns", values=values)
    lh5.write(lgdo.Table(waves), "raw", "raw.lh5")
    lh5.write(hits_of(n_rows), "hit", "hit.lh5")
    lh5.write(hits_of(n_rows), "hit", "plain.lh5", **PLAIN)


def hits_of(n_rows):
    random = np.random.default_rng(2)
    kev = {"units": "keV"}
    times = 1.7e9 + np.cumsum(random.exponential(0.01, n_rows))
    fields = {
        "timestamp": lgdo.Array(times, attrs={"units": "s"}),
        "energy": lgdo.Array(random.exponential(500, n_rows), attrs=kev),
        "aoe": lgdo.Array(random.normal(0, 1, n_rows).astype("f4")),
        "is_valid": lgdo.Array(random.integers(0, 8, n_rows).astype("?")),
    }
    ends = np.cumsum(random.poisson(2, n_rows))
    items = lgdo.Array(random.exponential(500, ends[-1]).astype("f4"))
    fields["energies"] = lgdo.VectorOfVectors(flattened_data=items, cumulative_length=ends, attrs=kev)
    return lgdo.Table(fields)


# --- the questions -------------------------------------------------------------------------------


def waveforms(file, name):
    return lh5.read(f"raw/{name}/values", file).nda


def vectors(file):
    return lh5.read("hit/energies", file).flattened_data.nda


def hits(file):
    found = lh5.read("hit", file, field_mask=["energy", "is_valid"])
    energy = found["energy"].nda
    return energy[(energy > 2000) & found["is_valid"].nda.astype(bool)]


QUESTIONS = {
    "uleb128": ("raw.lh5", lambda file: waveforms(file, "w_uleb128")),
    "radware": ("raw.lh5", lambda file: waveforms(file, "w_radware")),
    "vectors": ("hit.lh5", vectors),
    "hits": ("hit.lh5", hits),
    "plain_vectors": ("plain.lh5", vectors),
    "plain_hits": ("plain.lh5", hits),
}


def ask(what):
    name, question = QUESTIONS[what]
    with h5py.File(name) as file:
        answer = question(file)
        print(answer.size, answer.sum(dtype="f8" if answer.dtype.kind == "f" else "i8"))
        began = time.perf_counter()
        question(file)
        print(time.perf_counter() - began, file=sys.stderr)


make(*map(int, sys.argv[2:])) if sys.argv[1] == "make" else ask(sys.argv[2])
