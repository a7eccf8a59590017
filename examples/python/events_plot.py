"""Select events by an index, and plot them.

Needs NumPy, matplotlib and pystoa.
"""

import matplotlib

matplotlib.use("Agg")  # no window

import numpy as np
import pystoa

# A run: a line at 2614.5 keV on a falling background.
rng = np.random.default_rng(1)
energy = rng.permutation(np.concatenate([rng.exponential(800, 180_000), rng.normal(2614.5, 2, 20_000)]))
pystoa.write("run.h5", "/events", {
    "time": np.datetime64("2026-07-01", "us") + np.sort(rng.integers(0, 3_600_000_000, energy.size)),
    "energy": energy,
    "det": rng.integers(0, 8, energy.size),
}, units={"energy": "keV"}, indexes={"time": "minmax", "energy": "sorted"})  # fmt: skip

with pystoa.open("run.h5", "/events") as events:
    # Events around the line, which the index finds without reading the rest.
    line = events.query("energy between ? and ?", [2600, 2630], columns=["energy", "det"]).to_numpy()
    print(f"{len(line['energy'])} events around the line, at {line['energy'].mean():.1f} keV")

    # Histograms read the table a batch at a time. Units come from the file.
    ax = events.plot("energy", bins=400, log=True)
    events.plot("energy", where="det = 3", bins=400, log=True, ax=ax)
    ax.figure.savefig("energy.png")
    print(f"energy.png has the axis {ax.get_xlabel()!r}")
assert len(line["energy"]) == ((energy >= 2600) & (energy <= 2630)).sum()
