"""Events of LEGEND and plain groups, and whether subsets of them are what NumPy selects.

    subsets.py make                 run.lh5: channels, a coincidence map and events; plain.h5
    subsets.py WHAT=FILE ...        files of which WHAT was selected:
        tiers       rows of /ch7: energy > 50, in hit, dsp and raw
        events      events of 3 hits and more, of the map and of all channels
        coincident  events that have a hit of /ch7 above 50
        plain       rows of /run: x > 0.5

What is not equal is an error.
"""

import sys
import warnings

import h5py
import lgdo
import numpy as np
from lgdo import lh5

CHANNELS = {7: 300, 12: 500, 1104000: 41}
N_EVENTS = 400


def made():
    """Hits of every channel, in order, spread over events."""
    r = np.random.default_rng(3)
    hits = [(int(r.integers(N_EVENTS)), key) for key, n in CHANNELS.items() for _ in range(n)]
    events = [[] for _ in range(N_EVENTS)]
    rows = dict.fromkeys(CHANNELS, 0)
    for event, key in sorted(hits):
        events[event].append((key, rows[key]))
        rows[key] += 1
    return r, events


def vectors(lists):
    return lgdo.VectorOfVectors(lists, dtype="int64")


def make():
    r, events = made()
    for key, n in CHANNELS.items():
        hit = lgdo.Table(col_dict={"energy": lgdo.Array(r.random(n) * 100, attrs={"units": "keV"}),
                                   "flag": lgdo.Array(r.random(n) < 0.5)})  # fmt: skip
        wave = lgdo.WaveformTable(size=n, t0=np.zeros(n), dt=16.0, values=r.integers(0, 99, (n, 20)).astype("u2"))
        raw = lgdo.Table(col_dict={"waveform": wave, "baseline": lgdo.Array(r.integers(0, 9, n))})
        lists = [[float(k)] * int(k % 4) for k in range(n)]
        dsp = lgdo.Table(col_dict={"times": lgdo.VectorOfVectors(lists, dtype="float64"),
                                   "deep": lgdo.VectorOfVectors([[one, [1.5]] for one in lists], dtype="float64")})  # fmt: skip
        for name, table in (("hit", hit), ("raw", raw), ("dsp", dsp)):
            lh5.write(table, name, "run.lh5", group=f"ch{key}", wo_mode="append")
    tcm = lgdo.Table(col_dict={"table_key": vectors([[key for key, _ in event] for event in events]),
                               "row_in_table": vectors([[row for _, row in event] for event in events])},
                     attrs={"tables": "['ch7']", "hash_func": "\\d+"})  # fmt: skip
    lh5.write(tcm, "hardware_tcm_1", "run.lh5", wo_mode="append")
    evt = lgdo.Table(col_dict={"multiplicity": lgdo.Array(np.array([len(event) for event in events]))})
    lh5.write(evt, "evt", "run.lh5", wo_mode="append")
    with h5py.File("plain.h5", "w") as file:
        run = file.create_group("run")
        run.create_dataset("x", data=r.random(1000), chunks=(64,), compression="gzip", shuffle=True)
        run.create_dataset("image", data=r.integers(0, 9, (1000, 5, 3)).astype("u1"), chunks=(10, 5, 2))
        run.create_dataset("name", data=[f"n{k}" * (k % 3) for k in range(1000)], dtype=h5py.string_dtype())
        run["rows"] = np.array([(k, k / 2) for k in range(1000)], dtype=[("a", "i4"), ("b", "f4")])
        run["edges"] = np.arange(17.0)
        run["title"] = "plain"
        run.attrs["detector"] = "A"
        file["other/x"] = np.arange(1000)


def rows_of(table, take):
    if isinstance(table, lgdo.Table):
        return {name: rows_of(column, take) for name, column in table.items()}
    if isinstance(table, lgdo.VectorOfVectors):
        lists = table.view_as("ak").tolist()
        return [lists[k] for k in take]
    return np.asarray(table.nda)[take].tolist()


def need(ours, theirs, what):
    if ours != theirs:
        sys.exit(f"subsets.py: {what}: {str(ours)[:300]} is not {str(theirs)[:300]}")


def all_of(table):
    return rows_of(table, range(len(table)))


def need_rows(file, path, take):
    ours, theirs = lh5.read(path, file), lh5.read(path, "run.lh5")
    need(all_of(ours), rows_of(theirs, take), path)
    need(ours.attrs, theirs.attrs, f"attributes of {path}")


def energies(key):
    return np.asarray(lh5.read(f"ch{key}/hit/energy", "run.lh5").nda)


def tiers(file):
    take = np.flatnonzero(energies(7) > 50)
    for name in ("hit", "raw", "dsp"):
        need_rows(file, f"ch7/{name}", take)
        need_rows(file, f"ch12/{name}", range(CHANNELS[12]))
    need_rows(file, "evt", range(N_EVENTS))


def need_events(file, kept):
    _, events = made()
    rows = {key: sorted(row for event in kept for k, row in events[event] if k == key) for key in CHANNELS}
    for key in CHANNELS:
        for name in ("hit", "raw", "dsp"):
            need_rows(file, f"ch{key}/{name}", rows[key])
    tcm = lh5.read("hardware_tcm_1", file)
    need(all_of(tcm["table_key"]), [[k for k, _ in events[event]] for event in kept], "table_key")
    need(all_of(tcm["row_in_table"]), [[rows[k].index(row) for k, row in events[event]] for event in kept],
         "row_in_table")  # fmt: skip


def many(file):
    _, events = made()
    kept = [k for k, event in enumerate(events) if len(event) >= 3]
    need_events(file, kept)
    need_rows(file, "evt", kept)


def coincident(file):
    _, events = made()
    above = energies(7) > 50
    need_events(file, [k for k, event in enumerate(events) if any(key == 7 and above[row] for key, row in event)])


def plain(file):
    with h5py.File(file) as ours, h5py.File("plain.h5") as theirs:
        take = theirs["run/x"][()] > 0.5
        for name, it in theirs["run"].items():
            values = it[()]
            values = values[take] if it.shape[:1] == (1000,) else values
            np.testing.assert_array_equal(ours[f"run/{name}"][()], values, name)
            for what in ("dtype", "compression", "shuffle", "chunks"):
                need(getattr(ours[f"run/{name}"], what), getattr(it, what), f"{what} of {name}")
        need(dict(ours["run"].attrs), dict(theirs["run"].attrs), "attributes")
        np.testing.assert_array_equal(ours["other/x"][()], np.arange(1000))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    judges = {"tiers": tiers, "events": many, "coincident": coincident, "plain": plain}
    for word in sys.argv[1:]:
        what, _, file = word.partition("=")
        judges.get(what, lambda _: make())(file)
