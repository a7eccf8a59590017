"""The questions, each in the words of Stoa, of SQL and of pandas.

This file is read twice: by the driver, and by in_pandas.py by the peers. There
`read(columns, filters)` reads the flights from the format under test, with those columns and the
rows that pass.
"""

from dataclasses import dataclass
from typing import Callable

SINCE, UNTIL = "2001-05-01", "2001-05-04"
BOTH = ["origin", "destination"]


@dataclass(frozen=True)
class Question:
    name: str
    stoa: list
    sql: str
    pandas: Callable
    ordered: bool = False  # the order of the rows is part of the answer
    by_index: bool = False  # a search index on the date helps


def top(f):
    late = f.nlargest(10, "delay", keep="all")
    late = late.sort_values(["delay", "date"] + BOTH, ascending=[False, True, True, True])
    return late[["date", "origin", "destination", "delay"]].head(10)


QUESTIONS = [
    Question(
        "how many were an hour late",
        ["-w", "delay > 60", "-a", "count()"],
        "select count(*) from flights where delay > 60",
        lambda read: [len(read(["delay"], [("delay", ">", 60)]))],
    ),
    Question(
        "three days: count, mean delay",
        ["-w", f"date >= '{SINCE}' and date < '{UNTIL}'", "-a", "count(), mean(delay)"],
        "select count(*), avg(delay) from flights "
        f"where date >= timestamp '{SINCE}' and date < timestamp '{UNTIL}'",
        lambda read: read(["date", "delay"], [("date", ">=", SINCE), ("date", "<", UNTIL)])[
            "delay"
        ].agg(["count", "mean"]),
        by_index=True,
    ),
    Question(
        "mean delay by origin",
        ["-a", "count(), mean(delay)", "--by", "origin"],
        "select origin, count(*), avg(delay) from flights group by origin",
        lambda read: read(["origin", "delay"], None)
        .groupby("origin", observed=True)["delay"]
        .agg(["count", "mean"])
        .reset_index(),
    ),
    Question(
        "by origin and destination",
        ["-a", "count(), sum(delay), max(delay)", "--by", "origin,destination"],
        "select origin, destination, count(*), sum(delay), max(delay) from flights "
        "group by origin, destination",
        lambda read: read([*BOTH, "delay"], None)
        .groupby(BOTH, observed=True)["delay"]
        .agg(["count", "sum", "max"])
        .reset_index(),
    ),
    Question(
        "from Los Angeles: worst delay",
        ["-w", "origin = 'LAX'", "-a", "count(), max(delay)"],
        "select count(*), max(delay) from flights where origin = 'LAX'",
        lambda read: read(["origin", "delay"], [("origin", "==", "LAX")])["delay"].agg(
            ["count", "max"]
        ),
    ),
    Question(
        "ten worst delays, sorted",
        ["-c", "date,origin,destination,delay", "-n", "10"]
        + ["--sort", "delay:desc,date,origin,destination"],
        "select date, origin, destination, delay from flights "
        "order by delay desc, date, origin, destination limit 10",
        lambda read: top(read(["date", "delay", *BOTH], None)),
        ordered=True,
    ),
    Question(
        "sum of all distances",
        ["-a", "sum(distance)"],
        "select sum(distance) from flights",
        lambda read: [read(["distance"], None)["distance"].sum()],
    ),
]
