"""stoa query gives what DuckDB gives on the same CSV file, with indexes and without.

Queries are generated from a seed; a query that differs is printed as it would be typed. What Stoa
means differently (docs/query.md) is asked in the other one's words: NaN does not occur, first()
and last() leave missing values out.
"""

import csv
import io
import math
import os
import re
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

DATA = stoa_test.SOURCE / "examples" / "data"
N_QUERIES = 80


class Column:
    """A column, and literals to compare it with."""

    def __init__(self, name, kind, literals):
        self.name, self.kind, self.literals = name, kind, literals
        bare = re.fullmatch("[A-Za-z_]+", name)
        self.text = name if bare else f'"{name}"'
        self.sql = f'"{name}"'


FLIGHTS = [
    Column("date", "timestamp", ["2001-01-17T23:59:59", "2001-03-01", "2001-04-15T12:30:00",
                                 "2001-06-30", "1999-01-01", "2001-05-05T05:05:05.5"]),
    Column("delay", "int", [-30, -5, 0, 7, 15, 60, 61, 300, 40000, -0.5, 14.5]),
    Column("distance", "int", [30, 31, 500, 967, 1500, 2500, 4962, 999.5]),
    Column("origin", "text", ["SFO", "SMF", "ORD", "A", "M", "sfo", "ZZZ"]),
    Column("destination", "text", ["JFK", "LAX", "DFW", "B", "DF", "S"]),
]  # fmt: skip
BIRDSTRIKES = [
    Column("Airport Name", "text", ["LAGUARDIA NY", "DALLAS/FORT WORTH INTL ARPT", "M", "Z"]),
    Column("Aircraft Make Model", "text", ["B-737-300", "C-141B", "B-7", "D"]),
    Column("Effect Amount of damage", "text", ["None", "Minor", "Substantial", "Medium"]),
    Column("Flight Date", "date", ["1990-01-08", "1995-07-01", "2002-03-05T10:00:00"]),
    Column("Phase of flight", "text", ["Climb", "Approach", "Descent", "Take-off run", "climb"]),
    Column("Wildlife Species", "text", ["Mallard", "Rock pigeon", "Gulls", "American kestrel"]),
    Column("Wildlife Size", "text", ["Small", "Large", "M"]),
    Column("Time of day", "text", ["Day", "Dusk", "Night"]),
    Column("Cost Repair", "int", [0, 1, 1000, 25000.5, 7043545]),
    Column("Cost Total $", "int", [0, 12, 1500, 100000]),
    Column("Speed IAS in knots", "int", [0, 80, 140, 140.5, 250, 350]),
]  # fmt: skip


class Asker:
    """Makes questions in both languages."""

    def __init__(self, columns, random):
        self.columns, self.random = columns, random

    def pick(self, *kinds):
        return self.random.choice([c for c in self.columns if not kinds or c.kind in kinds])

    def number(self, depth=1):
        """A numeric expression: (stoa, sql)."""
        column = self.pick("int")
        roll = self.random.randrange(9) if depth > 0 else 0
        if roll <= 2:
            return column.text, column.sql
        a, b = self.number(depth - 1), self.number(depth - 1)
        n = self.random.choice([2, 3, 7, 10, 60])
        if roll == 3:
            return f"{a[0]} % {n}", f"{a[1]} % {n}"
        if roll == 4:
            return f"{a[0]} / {n}", f"{a[1]} / {n}"
        if roll == 5:
            return f"abs({a[0]})", f"abs({a[1]})"
        if roll == 6:
            return f"floor({a[0]} / {n}) * {n}", f"floor({a[1]} / {n}) * {n}"
        if self.random.random() < 0.3:
            return f"{n} * {a[0]}", f"{n} * {a[1]}"
        op = self.random.choice("+-")
        return f"({a[0]} {op} {b[0]})", f"({a[1]} {op} {b[1]})"

    def literal(self, column):
        value = self.random.choice(column.literals)
        if column.kind == "int":
            return str(value), str(value)
        text = "'" + str(value).replace("'", "''") + "'"
        return text, f"timestamp {text}" if column.kind in ("date", "timestamp") else text

    def comparison(self):
        random = self.random
        op = random.choice(["=", "!=", "<", "<=", ">", ">="])
        written = {"=": ["=", "=="], "!=": ["!=", "<>"]}.get(op, [op])
        column = self.pick()
        if column.kind == "int" and random.random() < 0.4:
            a, b = self.number(2), self.literal(column)
        elif column.kind == "int" and random.random() < 0.2:
            a, b = self.number(), self.number()
        elif column.kind == "text" and random.random() < 0.3:
            f = random.choice(["lower", "upper", "length"])
            if f == "length":
                n = str(random.choice([3, 5, 12]))
                b = n, n
            else:
                b = self.literal(column)
            a = f"{f}({column.text})", f"{f}({column.sql})"
        else:
            a, b = (column.text, column.sql), self.literal(column)
        if random.random() < 0.1:
            a, b = b, a
        return f"{a[0]} {random.choice(written)} {b[0]}", f"{a[1]} {op} {b[1]}"

    def test(self):
        random = self.random
        column = self.pick()
        negated = random.choice(["", "", "not "])
        roll = random.randrange(8)
        if roll == 0:
            items = [self.literal(column) for _ in range(random.randint(1, 4))]
            items += [("null", "null")] if random.random() < 0.15 else []
            stoa, sql = (", ".join(item[i] for item in items) for i in (0, 1))
            return f"{column.text} {negated}in ({stoa})", f"{column.sql} {negated}in ({sql})"
        if roll == 1:
            a, b = self.literal(column), self.literal(column)
            return (f"{column.text} {negated}between {a[0]} and {b[0]}",
                    f"{column.sql} {negated}between {a[1]} and {b[1]}")  # fmt: skip
        if roll == 2:
            word = random.choice(["null", "missing"])
            return f"{column.text} is {negated}{word}", f"{column.sql} is {negated}null"
        if roll == 3:
            column = self.pick("text")
            word = str(random.choice(column.literals)).replace("'", "''")
            cut = word[: random.randint(1, len(word))]
            pattern = random.choice([f"{cut}%", f"%{cut}", f"%{cut}%", f"_{cut[1:]}%", cut])
            return (f"{column.text} {negated}like '{pattern}'",
                    f"{column.sql} {negated}like '{pattern}'")  # fmt: skip
        return self.comparison()

    def condition(self, depth):
        """(stoa, sql), both in parentheses where they need them."""
        roll = self.random.random()
        if depth == 0 or roll < 0.3:
            return self.test()
        if roll < 0.45:
            a = self.condition(depth - 1)
            return f"{self.random.choice(['not ', '~'])}({a[0]})", f"not ({a[1]})"
        op = self.random.choice(["and", "or"])
        written = self.random.choice({"and": ["and", "AND", "&"], "or": ["or", "Or", "|"]}[op])
        parts = [self.condition(depth - 1) for _ in range(self.random.choice([2, 2, 3]))]
        return tuple(
            "(" + f" {word} ".join(p[i] for p in parts) + ")" for i, word in ((0, written), (1, op))
        )

    def aggregate(self):
        random = self.random
        name = random.choice("count count_of sum mean min max stddev median quantile distinct "
                             "first last".split())  # fmt: skip
        column = self.pick("int") if name in ("stddev", "median", "quantile") else self.pick()
        number = self.number() if random.random() < 0.3 else (column.text, column.sql)
        some = f"order by rowid) filter (where {column.sql} is not null)"
        if name == "count":
            return "count()", "count(*)"
        if name in ("sum", "mean", "stddev", "median") and column.kind != "int":
            number = self.number()
        if name == "quantile":
            p = random.choice([0, 0.1, 0.25, 0.9, 1])
            return f"quantile({number[0]}, {p})", f"quantile_cont({number[1]}, {p})"
        if name in ("sum", "mean", "stddev", "median"):
            sql = {"mean": "avg", "stddev": "stddev_samp"}.get(name, name)
            return f"{name}({number[0]})", f"{sql}({number[1]})"
        if name in ("first", "last"):
            return f"{name}({column.text})", f"{name}({column.sql} {some}"
        sql = {"count_of": "count(", "distinct": "count(distinct "}.get(name, f"{name}(")
        return f"{name.split('_')[0]}({column.text})", f"{sql}{column.sql})"

    def key(self):
        if self.random.random() < 0.2:
            a = self.number()
            return f"floor({a[0]} / 100)", f"floor({a[1]} / 100)"
        column = self.pick("text", "text", "date")
        return column.text, column.sql

    def question(self):
        """(arguments of stoa query, SQL)"""
        random = self.random
        stoa, sql = [], "from t"
        if random.random() < 0.85:
            where = self.condition(random.choice([0, 1, 1, 2, 3]))
            stoa += ["-w", where[0]]
            sql += f" where {where[1]}"
        roll = random.random()
        if roll < 0.6:
            return self.aggregates(stoa, sql)
        if roll < 0.75:
            return stoa + ["--rows"], f"select rowid {sql} order by rowid;"
        return self.rows(stoa, sql)

    def aggregates(self, stoa, sql):
        some = [self.aggregate() for _ in range(self.random.randint(1, 4))]
        stoa += ["-a", ", ".join(a[0] for a in some)]
        selected = ", ".join(a[1] for a in some)
        if self.random.random() < 0.3:
            return stoa, f"select {selected} {sql};"
        keys = [self.key() for _ in range(self.random.choice([1, 1, 2, 3]))]
        names = [f"k{i}" for i in range(len(keys))]
        stoa += ["--by", ", ".join(f"{k[0]} as {n}" for k, n in zip(keys, names, strict=True))]
        down = self.random.choice(["", " desc"])
        stoa += ["--sort", ", ".join(n + down.replace(" ", ":") for n in names)]
        order = ", ".join(f"{i + 1}{down} nulls last" for i in range(len(keys)))
        group = ", ".join(str(i + 1) for i in range(len(keys)))
        limit = self.limit(stoa)
        columns = ", ".join(k[1] for k in keys)
        return stoa, f"select {columns}, {selected} {sql} group by {group} order by {order}{limit};"

    def rows(self, stoa, sql):
        shown = [self.pick() for _ in range(self.random.randint(1, 3))]
        order = "rowid"
        if self.random.random() < 0.5:
            column, down = self.pick(), self.random.choice([" desc", ""])
            stoa += ["--sort", column.text + down]
            order = f"{column.sql}{down} nulls last, rowid"
        stoa += ["-c", ", ".join(c.text for c in shown)]
        limit = self.limit(stoa)
        return stoa, f"select {', '.join(c.sql for c in shown)} {sql} order by {order}{limit};"

    def limit(self, stoa):
        if self.random.random() < 0.5:
            return ""
        n = self.random.choice([0, 1, 10, 1000])
        stoa += ["-n", str(n)]
        return f" limit {n}"


def rows_of(text):
    """CSV without its header, as texts; missing is ''."""
    return [row or [""] for row in list(csv.reader(io.StringIO(text)))[1:]]


def value(field):
    """A number, or a text; times in one spelling."""
    for kind in (int, float):
        try:
            return kind(field)
        except ValueError:
            pass
    return field.replace("T", " ") if re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+", field) else field


def same(a, b):
    """Equal texts, equal integers, or floats that differ by rounding alone."""
    if a == b:
        return True
    a, b = value(a), value(b)
    if isinstance(a, str) or isinstance(b, str) or (isinstance(a, int) and isinstance(b, int)):
        return a == b
    return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def same_row(a, b):
    return len(a) == len(b) and all(map(same, a, b))


def difference(found, expected):
    """Where two answers differ first, or nothing."""
    for i, (a, b) in enumerate(zip(found, expected, strict=False)):
        if not same_row(a, b):
            return f"row {i}: stoa {a}, duckdb {b}"
    if len(found) != len(expected):
        return f"stoa has {len(found)} rows, duckdb {len(expected)}"
    return ""


class Oracle(stoa_test.PeersTestCase):
    def duckdb(self, table, questions):
        """The answers to SQL queries, in one run of DuckDB."""
        script = [".headers on", ".nullvalue ''", f"create table t as select * from {table};"]
        for i, sql in enumerate(questions):
            script += [f".print @@{i}", sql]
        said = self.peer_duckdb("\n".join(script) + "\n")
        parts = re.split(r"^@@\d+\n", said, flags=re.MULTILINE)[1:]
        self.assertEqual(len(parts), len(questions))
        return [rows_of(part) for part in parts]

    def ask(self, place, arguments, *more):
        return rows_of(self.stoa("query", place, "-f", "csv", *arguments, *more).stdout)

    def check(self, name, columns, source, chunk, indexes):
        self.put(DATA / name)
        place = f"{self.dir}/t.h5:/t"
        self.stoa("import", DATA / name, place, "--chunk", chunk)
        asker = Asker(columns, stoa_test.rng())
        asked = [asker.question() for _ in range(stoa_test.effort(N_QUERIES))]
        expected = self.duckdb(source, [sql for _, sql in asked])
        found = [self.ask(place, stoa, "--no-index") for stoa, _ in asked]
        for column in indexes:
            self.stoa("index", "add", place, column, "--kind", "minmax")
        indexed = [self.ask(place, stoa, "--trust") for stoa, _ in asked]
        wrong = []
        for (stoa, sql), there, here, by_index in zip(asked, expected, found, indexed, strict=True):
            for answer, how in ((here, "--no-index"), (by_index, "--trust")):
                if problem := difference(answer, there):
                    wrong.append(
                        f"stoa query {name} {shlex.join(stoa)} {how}\n  {sql}\n  {problem}"
                    )
        if wrong:
            self.fail("\n".join([f"{len(wrong)} answers differ:", *wrong[:8]]))
        self.assertGreater(sum(bool(rows) for rows in expected), len(asked) // 3)

    def test_flights_answers_are_duckdbs(self):
        types = ("{'date': 'timestamp', 'delay': 'bigint', 'distance': 'bigint', "
                 "'origin': 'varchar', 'destination': 'varchar'}")  # fmt: skip
        source = f"read_csv('flights-2001.csv.gz', header = true, columns = {types})"
        self.check("flights-2001.csv.gz", FLIGHTS, source, 4096,
                   ["date", "delay", "distance", "origin"])  # fmt: skip

    def test_birdstrikes_answers_are_duckdbs(self):
        types = "types = {'Speed IAS in knots': 'bigint', 'Cost Repair': 'bigint'}"
        source = f"read_csv('birdstrikes.csv', header = true, sample_size = -1, {types})"
        self.check("birdstrikes.csv", BIRDSTRIKES, source, 512,
                   ["Flight Date", "Speed IAS in knots", "Cost Total $", "Phase of flight",
                    "Wildlife Species"])  # fmt: skip


if __name__ == "__main__":
    stoa_test.main()
