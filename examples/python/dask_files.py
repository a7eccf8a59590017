"""A computation over 20 files by Dask, which leaves out what indexes exclude.

Needs Dask, pandas, pyarrow and pystoa.
"""

import numpy as np
import pandas as pd
import pystoa
import pystoa.dask

# Twenty runs of 10000 events.
rng = np.random.default_rng(1)
frames = []
for i in range(20):
    frame = pd.DataFrame({
        "eid": np.arange(i * 10_000, (i + 1) * 10_000), "det": rng.integers(0, 4, 10_000),
        "energy": rng.exponential(500, 10_000),
    })  # fmt: skip
    pystoa.write(f"run-{i:02}.h5", "/events", frame, indexes=["eid"], chunk_rows=2000)
    frames.append(frame)
every = pd.concat(frames)

events = pystoa.dask.read("run-*.h5", "/events", partition_rows=2000)
means = events.groupby("det").energy.mean().compute().sort_index()
print(f"{events.npartitions} partitions: mean energy of detector 0 is {means[0]:.1f}")
assert np.allclose(means, every.groupby("det").energy.mean())

# Only three partitions can have these events, so that no other is scheduled.
some = pystoa.dask.read("run-*.h5", "/events", where="eid between 55000 and 59999", partition_rows=2000)
files = pystoa.dask.write(some, "some-*.h5", "/events")
print(f"{some.npartitions} partitions with {len(some)} events, written to {len(files)} files")
assert pystoa.open("some-*.h5", "/events")["eid"].to_numpy().tolist() == list(range(55_000, 60_000))
