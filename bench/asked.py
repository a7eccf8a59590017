"""The questions of bench/modes, to two tables: synthetic events, and the orders of realistic.py.

Read by the driver and by the peers. A question stands in Stoa's words and in SQL; `arrow` and `tables` are its filter
for pyarrow and PyTables, where they are asked. Words in braces are constants: others for each k.
"""

import random
import time
from dataclasses import dataclass

N_NAMES = 200_000
IDS = 2**38
FACTOR = 22695477  # odd: products differ modulo a power of two, and so do x and x ^ x >> k
STEP = 50  # mean distance of two times
LABELS = ["electron", "muon", "photon", "tau"]
DAY = 1_750_000_000  # the first second of the orders


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


def constants(k, n_events, n_orders):
    """The words in braces, for the k-th time; floats are exact in 32 bits."""
    dice = random.Random(k)
    row = dice.randrange(n_events * 99 // 100)
    # A thousand orders in a second.
    second = DAY + dice.randrange(max(n_orders // 1000 * 98 // 100, 1))
    seconds = {"begin": second, "end": second + max(n_orders // 100_000, 1)}
    keys = [id_of(dice.randrange(n_events)) for _ in range(100)]
    return {
        "few": 5000 + k / 8, "some": 1000 + k / 8, "tenth": 1151.25 + k / 8,
        "low": 1700000000000 + row * STEP, "high": 1700000000000 + (row + n_events // 100) * STEP,
        "one": keys[0], "keys": ", ".join(map(str, keys)),
        "det": dice.randrange(64), "label": (label := dice.choice(LABELS)), "code": LABELS.index(label),
        "name": f"detector-{dice.randrange(N_NAMES):06d}",
        "price": 200 + k, "cheap": 5 + k / 8, "amount": 1 + dice.randrange(4), "rating": dice.randrange(4) / 2,
        **{name: f"{at:d}000000000" for name, at in seconds.items()},
        **{f"{name}_text": time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(at)) for name, at in seconds.items()},
        "page": dice.randrange(2, 40), "session": 1000 + dice.randrange(9000),
        "north": 47.25 + k / 64, "east": 9.785 + k / 256, "pressure": 1020 + k / 8,
        "customer": f"customer-{dice.randrange(N_NAMES):06d}", "volt": 3.25 + k / 512,
    }  # fmt: skip


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
    sort: str = ""
    limit: int = 0
    arrow: str = None  # an expression of fields f("x"); "" is all rows
    tables: str = None
    repeats: int = 1  # how many times the usual number of new constants: looking up takes so little that few are noise

    def at(self, words):
        """The question with these constants."""
        said = {name: getattr(self, name).format(**words) for name in ("sql", "where", "arrow", "tables")
                if getattr(self, name)}  # fmt: skip
        return Question(**{**self.__dict__, **said})

    def command(self, place):
        """As the command takes it."""
        words = ["query", f"{place}:/{self.table}", "-f", "csv"]
        for option, value in (("-w", self.where), ("-c", self.columns), ("-a", self.aggregates),
                              ("--by", self.by), ("--sort", self.sort), ("-n", self.limit)):  # fmt: skip
            words += [option, str(value)] if value else []
        return words


QUESTIONS = [
    Question("Q1", "few rows of an unsorted float, summed", "events",
             "SELECT count(*), sum(energy) FROM events WHERE energy > {few}",
             "energy > {few}", "", "count(), sum(energy)",
             arrow='f("energy") > {few}', tables="energy > {few}"),
    Question("Q1b", "the same, 13 % of the rows", "events",
             "SELECT count(*), sum(energy) FROM events WHERE energy > {some}",
             "energy > {some}", "", "count(), sum(energy)",
             arrow='f("energy") > {some}', tables="energy > {some}"),
    Question("Q2", "1 % of the sorted time", "events",
             "SELECT count(*), sum(energy) FROM events WHERE ts >= {low} AND ts < {high}",
             "ts >= {low} and ts < {high}", "", "count(), sum(energy)",
             arrow='(f("ts") >= {low}) & (f("ts") < {high})', tables="(ts >= {low}) & (ts < {high})"),
    Question("Q3", "one row by its id", "events",
             "SELECT max(det), max(run) FROM events WHERE eid = {one}",
             "eid = {one}", "", "max(det), max(run)", arrow='f("eid") == {one}', tables="eid == {one}", repeats=10),
    Question("Q4", "two equalities, summed", "events",
             "SELECT count(*), sum(energy) FROM events WHERE det = {det} AND label = '{label}'",
             "det = {det} and label = '{label}'", "", "count(), sum(energy)",
             arrow='(f("det") == {det}) & (f("label") == "{label}")', tables="(det == {det}) & (label == {code})"),
    Question("Q5", "the sum of a column", "events",
             "SELECT sum(energy) FROM events", "", "", "sum(energy)", arrow=""),
    Question("Q6", "a mean by two groups", "events",
             "SELECT det, label, avg(energy) FROM events GROUP BY det, label",
             "", "", "mean(energy)", "det,label", arrow=""),
    Question("Q7", "one of 200,000 names", "events",
             "SELECT count(*) FROM events WHERE name = '{name}'",
             "name = '{name}'", "", "count()", arrow='f("name") == "{name}"'),
    Question("Q8", "five columns of 10 % of the rows", "events",
             "SELECT eid, ts, energy, det, label FROM events WHERE energy > {tenth}",
             "energy > {tenth}", "eid,ts,energy,det,label", arrow='f("energy") > {tenth}'),
    Question("Q9", "how many are missing", "events",
             "SELECT count(*) FROM events WHERE energy IS NULL",
             "energy is null", "", "count()", arrow='f("energy").is_null()'),
    Question("Q10", "a hundred ids", "events",
             "SELECT count(*), sum(run) FROM events WHERE eid IN ({keys})",
             "eid in ({keys})", "", "count(), sum(run)", arrow='f("eid").isin([{keys}])', repeats=10),
    Question("R1", "dear orders, summed", "orders",
             "SELECT count(*), sum(price) FROM orders WHERE price > {price}",
             "price > {price}", "", "count(), sum(price)", arrow='f("price") > {price}', tables="price > {price}"),
    Question("R2", "1 % of the ns times", "orders",
             "SELECT count(*), avg(latitude) FROM orders WHERE time >= make_timestamp_ns({begin}) "
             "AND time < make_timestamp_ns({end})",
             "time >= '{begin_text}' and time < '{end_text}'", "", "count(), mean(latitude)",
             arrow='(f("time") >= ns({begin})) & (f("time") < ns({end}))',
             tables="(time >= {begin}) & (time < {end})"),
    Question("R3", "addresses by their beginning", "orders",
             "SELECT count(*), sum(price) FROM orders WHERE page LIKE 'https://www.example.org/shop/{page}?%'",
             "page like 'https://www.example.org/shop/{page}?%'", "", "count(), sum(price)",
             arrow='pc.starts_with(f("page"), "https://www.example.org/shop/{page}?")'),
    Question("R4", "addresses by a part", "orders",
             "SELECT count(*) FROM orders WHERE page LIKE '%={session}%'",
             "page like '%={session}%'", "", "count()", arrow='pc.match_substring(f("page"), "={session}")'),
    Question("R5", "groups of 200,000 names", "orders",
             "SELECT customer, count(*), sum(price) FROM orders WHERE price > {cheap} GROUP BY customer",
             "price > {cheap}", "", "count(), sum(price)", "customer", arrow='f("price") > {cheap}'),
    Question("R6", "groups of two short keys", "orders",
             "SELECT tax_rate, quantity, count(*), avg(price) FROM orders WHERE rating >= {rating} GROUP BY tax_rate, quantity",
             "rating >= {rating}", "", "count(), mean(price)", "tax_rate,quantity", arrow='f("rating") >= {rating}'),
    Question("R7", "top 10 of the prices", "orders",
             'SELECT price, "order" FROM orders WHERE quantity = {amount} ORDER BY price DESC, "order" LIMIT 10',
             "quantity = {amount}", "price,order", sort="price:desc,order", limit=10),
    Question("R8", "different names", "orders",
             "SELECT count(DISTINCT customer) FROM orders WHERE latitude > {north}",
             "latitude > {north}", "", "distinct(customer)", arrow='f("latitude") > {north}'),
    Question("R9", "medians", "orders",
             "SELECT tax_rate, median(price) FROM orders WHERE pressure > {pressure} GROUP BY tax_rate",
             "pressure > {pressure}", "", "median(price)", "tax_rate"),
    Question("R10", "five columns of 1 % of the rows", "orders",
             'SELECT "order", time, price, latitude, customer FROM orders WHERE longitude > {east}',
             "longitude > {east}", "order,time,price,latitude,customer", arrow='f("longitude") > {east}'),
    Question("R11", "all orders of a name", "orders",
             """SELECT "order", price FROM orders WHERE customer = '{customer}'""",
             "customer = '{customer}'", "order,price", arrow='f("customer") == "{customer}"'),
    Question("R12", "a sum of products", "orders",
             "SELECT sum(price * quantity) FROM orders WHERE voltage > {volt}",
             "voltage > {volt}", "", "sum(price * quantity)"),
]  # fmt: skip
