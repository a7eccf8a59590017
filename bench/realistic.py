"""Tables as people have them: the same rows for the same number of rows and seed.

Run by the peers' Python: realistic.py DIRECTORY ROWS writes each as Arrow (uncompressed) and as Parquet
(Zstandard, by pyarrow). run() does that.
"""

import shutil
import sys
from pathlib import Path

import asked

try:
    import numpy as np
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet
except ImportError:
    np = None  # the driver has no peers; it only starts them

SEED = 20260701
SECOND = 1_000_000_000


def missing(random, values, share=0.05):
    """The values of which some are missing."""
    return pa.array(values, mask=random.random(len(values)) < share)


def decimals(values, digits, kind="f8"):
    """Floats as a text of so many decimals is read."""
    return (np.rint(values * 10**digits) / 10.0**digits).astype(kind)


def orders(n):
    """17 columns: prices and measurements of 2 to 5 decimals, times, web addresses, names."""
    random = np.random.default_rng(SEED)
    step = random.integers(200_000, 1_800_000, n)
    pages = np.array([f"/{a}/{b}" for a in ("shop", "help", "blog", "api") for b in range(2_500)])
    names = np.array([f"customer-{i:06d}" for i in range(200_000)])
    price = decimals(np.minimum(random.lognormal(3.2, 1.1, n), 60_000), 2)
    steady = 20 + np.cumsum(random.normal(0, 0.02, n)) % 15
    return pa.table({
        "order": np.arange(n, dtype=np.int64) + 7_000_000_001,
        "time": pa.array(1_750_000_000 * SECOND + np.cumsum(step), pa.timestamp("ns")),
        "price": price,
        "discount": missing(random, decimals(price * random.random(n) * 0.3, 2)),
        "quantity": random.geometric(0.35, n).astype(np.int16),
        "tax_rate": random.choice([0.0, 0.055, 0.07, 0.19, 0.2], n, p=[0.1, 0.1, 0.25, 0.45, 0.1]),
        "rating": missing(random, random.integers(0, 11, n) / 2.0),
        "temperature": decimals(steady + random.normal(0, 0.4, n), 1, "f4"),
        "pressure": missing(random, decimals(1013 + random.normal(0, 9, n), 2, "f4")),
        "latitude": decimals(47.3 + random.normal(0, 0.35, n), 5),
        "longitude": decimals(8.5 + np.abs(random.normal(0, 0.5, n)), 5),
        "voltage": missing(random, decimals(3.3 + random.normal(0, 0.02, n), 4)),
        "noise": random.normal(0, 1, n),
        "is_paid": random.random(n) < 0.93,
        "is_gift": missing(random, random.random(n) < 0.1),
        "page": pa.array("https://www.example.org" + pages[random.zipf(1.4, n) % len(pages)].astype(object)
                         + "?session=" + random.integers(0, 2**31, n).astype(str).astype(object)),
        "customer": pa.array(names[random.integers(0, len(names), n)]),
    })  # fmt: skip


def trips(n):
    """Trips of taxis, in the columns and the distributions of public records of them."""
    random = np.random.default_rng(SEED + 1)
    start = 1_704_067_200 + np.sort(random.integers(0, 31 * 86_400, n))
    length = np.minimum(random.lognormal(6.5, 0.6, n), 20_000).astype(np.int64)
    distance = decimals(np.minimum(length / 300 * random.lognormal(0, 0.3, n), 200), 2)
    fare = decimals(3 + 0.7 * np.rint(5 * distance * 0.9 + length / 60) * random.choice([1, 1, 1, 1.1], n), 1)
    fare = np.where(random.random(n) < 0.01, -fare, fare)
    by_card = random.random(n) < 0.78
    tip = np.where(by_card, decimals(np.abs(fare) * random.choice([0.2, 0.25, 0.3, 0.17], n), 2), 0.0)
    toll = np.where(random.random(n) < 0.08, random.choice([6.94, 13.38, 12.75, 20.0], n), 0.0)
    extra = random.choice([0.0, 1.0, 2.5, 5.0], n, p=[0.4, 0.2, 0.35, 0.05])
    fee = random.choice([2.5, 0.0, -2.5], n, p=[0.91, 0.085, 0.005])
    missed = random.random(n) < 0.05
    zones = 1 + np.minimum(random.zipf(1.25, (2, n)) * 7 % 265, 264)
    return pa.table({
        "vendor": random.choice([1, 2, 6], n, p=[0.25, 0.749, 0.001]).astype(np.int32),
        "pickup": pa.array(start * 1_000_000, pa.timestamp("us")),
        "dropoff": pa.array((start + length) * 1_000_000, pa.timestamp("us")),
        "passengers": pa.array(random.choice([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0], n,
                               p=[0.74, 0.14, 0.04, 0.02, 0.02, 0.01, 0.03]), mask=missed),
        "distance": distance,
        "rate": pa.array(random.choice([1.0, 2.0, 5.0, 99.0], n, p=[0.94, 0.04, 0.015, 0.005]), mask=missed),
        "is_stored": pa.array(np.where(random.random(n) < 0.004, "Y", "N"), mask=missed),
        "from_zone": zones[0].astype(np.int32),
        "to_zone": zones[1].astype(np.int32),
        "payment": np.where(by_card, 1, random.choice([2, 3, 4], n, p=[0.9, 0.05, 0.05])).astype(np.int64),
        "fare": fare,
        "extra": extra,
        "tax": np.where(fare < 0, -0.5, 0.5),
        "tip": tip,
        "toll": toll,
        "surcharge": np.where(fare < 0, -1.0, 1.0),
        "total": decimals(fare + extra + 0.5 + tip + toll + 1.0 + fee, 2),
        "congestion": pa.array(fee, mask=missed),
        "airport": pa.array(np.where(random.random(n) < 0.09, 1.75, 0.0), mask=missed),
    })  # fmt: skip


def events(n):
    """The events of bench/modes."""
    import duckdb

    return duckdb.sql(asked.events_sql(n)).arrow().read_all()


TABLES = {"orders": orders, "trips": trips, "events": events}


def run(peers, n):
    """The files of every table in the bench's directory."""
    for name in ("asked.py", "realistic.py"):
        shutil.copy(Path(__file__).with_name(name), peers.scratch)
    peers.says("python3", "-B", "realistic.py", ".", str(n))


def main():
    directory, n = Path(sys.argv[1]), int(sys.argv[2])
    for name, make in TABLES.items():
        made = make(n)
        pa.feather.write_feather(made, directory / f"{name}.arrow", compression="uncompressed")
        pa.parquet.write_table(made, directory / f"{name}.parquet", compression="zstd")


if __name__ == "__main__":
    main()
