"""Join a table with a data frame by DuckDB, which passes the filter down into Stoa's scan.

Needs NumPy, pandas, pyarrow, duckdb and pystoa.
"""

import duckdb
import numpy as np
import pandas
import pystoa

rng = np.random.default_rng(1)
n = 200_000
pystoa.write("run.h5", "/events", {
    "time": np.datetime64("2026-07-01", "us") + np.arange(n) * np.timedelta64(18, "ms"),
    "energy": rng.exponential(800, n),
    "det": rng.integers(0, 8, n),
}, units={"energy": "keV"}, indexes={"time": "minmax"})  # fmt: skip
detectors = pandas.DataFrame({"det": range(8), "name": [f"V{i:02}" for i in range(8)], "mass": 1.5 + np.arange(8) / 4})

# DuckDB finds both by the names of the variables. Only the second hour is read.
events = pystoa.open("run.h5", "/events").to_dataset()
rates = duckdb.sql("""
    SELECT name, count(*) AS n, count(*) / any_value(mass) AS per_mass, avg(energy) AS mean
    FROM events JOIN detectors USING (det)
    WHERE time >= TIMESTAMP '2026-07-01 00:30:00'
    GROUP BY name ORDER BY name
""").df()
print(rates.round(1))
assert rates["n"].sum() == n - 100_000
