"""The questions of bench/table to two tables: synthetic events (20 million) and real flights (3 million).

Read by the driver, and by the peers. Each question stands in Stoa's words and in SQL; how
Python's libraries are asked is in in_process.py, under the same names.
"""

from dataclasses import dataclass

N_EVENTS = 20_000_000
N_NAMES = 200_000
IDS = 2**38
FACTOR = 22695477  # odd: products differ modulo a power of two, and so do x and x ^ x >> k
STEP = 50  # mean distance of two times
LABELS = ["electron", "muon", "photon", "tau"]


def id_of(row):
    """No id stands twice, and none follows from the one before."""
    x = row * FACTOR % IDS
    for shift in (17, 13):
        x = (x ^ x >> shift) * FACTOR % IDS
    return x


def id_sql(row):
    x = f"({row} * {FACTOR}) % {IDS}"
    for shift in (17, 13):
        x = f"(xor({x}, ({x}) >> {shift}) * {FACTOR}) % {IDS}"
    return x


def events_sql(n):
    """Rows 0..n-1, the same wherever they are made."""
    labels = ", ".join(f"'{label}'" for label in LABELS)
    return f"""
        SELECT {id_sql("i")} AS eid,
               1700000000000 + i * {STEP} + CAST(hash(i) % {STEP} AS BIGINT) AS ts,
               CASE WHEN hash(i + 1000000000) % 1000 = 0 THEN NULL ELSE
                   CAST(-500 * ln((hash(i + 2000000000) % 9007199254740991 + 1) / 9007199254740992.0)
                        AS FLOAT) END AS energy,
               CAST(hash(i + 3000000000) % 64 AS SMALLINT) AS det,
               CAST(i // 10000 AS INTEGER) AS run,
               [{labels}][CAST(hash(i + 4000000000) % 4 AS INTEGER) + 1] AS label,
               printf('detector-%06d', CAST(hash(i + 5000000000) % {N_NAMES} AS INTEGER)) AS name
        FROM range({n}) AS r(i)"""


@dataclass(frozen=True)
class Question:
    name: str
    text: str
    table: str
    sql: str
    where: str = ""
    columns: str = ""
    aggregates: str = ""
    by: str = ""

    def line(self):
        """As bench_ask reads it."""
        fields = [self.name, "/" + self.table, self.where, self.columns, self.aggregates, self.by]
        return "\t".join(fields) + "\n"

    def command(self, place):
        """As the command takes it."""
        words = ["query", f"{place}:/{self.table}", "-f", "csv"]
        for option, value in (("-w", self.where), ("-c", self.columns), ("-a", self.aggregates),
                              ("--by", self.by)):  # fmt: skip
            words += [option, value] if value else []
        return words


def questions(n=N_EVENTS):
    low = 1700000000000 + n // 2 * STEP
    high = low + n // 100 * STEP
    keys = [id_of(row * (n // 100) + 17) for row in range(100)]
    listed = ", ".join(map(str, keys))
    one = id_of(n // 3)
    return [
        Question("Q1", "few rows of an unsorted float, summed", "events",
                 "SELECT count(*), sum(energy) FROM events WHERE energy > 5000",
                 "energy > 5000", "", "count(), sum(energy)"),
        Question("Q1b", "the same, 13 % of the rows", "events",
                 "SELECT count(*), sum(energy) FROM events WHERE energy > 1000",
                 "energy > 1000", "", "count(), sum(energy)"),
        Question("Q2", "1 % of the sorted time", "events",
                 f"SELECT count(*), sum(energy) FROM events WHERE ts >= {low} AND ts < {high}",
                 f"ts >= {low} and ts < {high}", "", "count(), sum(energy)"),
        Question("Q3", "one row by its id", "events",
                 f"SELECT det, run FROM events WHERE eid = {one}",
                 f"eid = {one}", "", "max(det), max(run)"),
        Question("Q4", "two equalities, summed", "events",
                 "SELECT count(*), sum(energy) FROM events WHERE det = 7 AND label = 'muon'",
                 "det = 7 and label = 'muon'", "", "count(), sum(energy)"),
        Question("Q5", "the sum of a column", "events",
                 "SELECT sum(energy) FROM events", "", "", "sum(energy)"),
        Question("Q6", "a mean by two groups", "events",
                 "SELECT det, label, avg(energy) FROM events GROUP BY det, label",
                 "", "", "mean(energy)", "det,label"),
        Question("Q7", "one of 200,000 strings", "events",
                 "SELECT count(*) FROM events WHERE name = 'detector-012345'",
                 "name = 'detector-012345'", "", "count()"),
        Question("Q8", "five columns of 10 % of the rows", "events",
                 "SELECT eid, ts, det, run, label FROM events WHERE energy > 1151.2925",
                 "energy > 1151.2925", "eid,ts,det,run,label"),
        Question("Q9", "how many are missing", "events",
                 "SELECT count(*) FROM events WHERE energy IS NULL",
                 "energy is null", "", "count()"),
        Question("Q10", "a hundred ids", "events",
                 f"SELECT count(*), sum(run) FROM events WHERE eid IN ({listed})",
                 f"eid in ({listed})", "", "count(), sum(run)"),
        Question("F1", "flights an hour late", "flights",
                 "SELECT count(*), avg(delay) FROM flights WHERE delay > 60",
                 "delay > 60", "", "count(), mean(delay)"),
        Question("F2", "flights of one pair of airports", "flights",
                 "SELECT count(*), avg(delay) FROM flights "
                 "WHERE origin = 'LAX' AND destination = 'SFO'",
                 "origin = 'LAX' and destination = 'SFO'", "", "count(), mean(delay)"),
        Question("F3", "a mean by 229 airports", "flights",
                 "SELECT origin, avg(delay) FROM flights GROUP BY origin",
                 "", "", "mean(delay)", "origin"),
        Question("F4", "two days", "flights",
                 "SELECT count(*), avg(delay) FROM flights "
                 "WHERE date >= TIMESTAMP '2001-05-01' AND date < TIMESTAMP '2001-05-03'",
                 "date >= '2001-05-01' and date < '2001-05-03'", "", "count(), mean(delay)"),
    ]  # fmt: skip
