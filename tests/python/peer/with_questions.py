"""Whole questions: Stoa's answers and those of `stoa sql` are DuckDB's.

questions.jsonl has a question a line: the table, the texts of the query, and `sql`, which asks DuckDB the
same. With `sort` the rows come in the same order. `skips`: indexes must leave something out.
"""

import datetime
import decimal
import json
import math
import os
import re
import subprocess
import tempfile
import unittest

import duckdb
import pyarrow as pa
import pystoa

HERE = os.path.dirname(os.path.abspath(__file__))
TEXTS = "where", "columns", "aggregates", "by", "having", "sort"
UTC = datetime.timezone.utc


def maybe(every, value):
    """Value k for each row k, but missing for one in `every`."""
    return lambda k: None if k * 7 % every == 3 else value(k)


def column(n, value, kind):
    return pa.array([value(k) for k in range(n)], kind)


def events(n=20_000):
    start = datetime.datetime(2024, 2, 27, 22, tzinfo=UTC)
    labels = "muon", "pion", "kaon", "e-", "γ"
    return pa.table({
        "id": column(n, lambda k: k, pa.int64()),
        "time": column(n, lambda k: start + datetime.timedelta(seconds=97 * k, microseconds=k * 37 % 1_000_000), pa.timestamp("us", "UTC")),
        "energy": column(n, maybe(13, lambda k: (k * 7919 % 10_007) / 16 - 20), pa.float64()),
        "det": column(n, lambda k: k * 31 % 97 % 12, pa.int16()),
        "label": column(n, maybe(29, lambda k: labels[k * k % 13 % 5]), pa.string()).dictionary_encode(),
        "ok": column(n, maybe(11, lambda k: k * 3 % 7 < 4), pa.bool_()),
        "note": column(n, maybe(17, lambda k: f"{labels[k % 5]}-{k * 611 % 503:03d}" if k % 9 else ""), pa.string()),
        "hits": column(n, maybe(19, lambda k: [k * j % 11 for j in range(k % 5)]), pa.list_(pa.int32())),
        "w": column(n, lambda k: (k * 13 % 512) / 32, pa.float32()),
    })  # fmt: skip


def runs(n=400):
    day = datetime.date(2019, 12, 20)
    return pa.table({
        "run": column(n, lambda k: k * 3, pa.int32()),
        "day": column(n, maybe(23, lambda k: day + datetime.timedelta(days=k * 5)), pa.date32()),
        "begun": column(n, lambda k: datetime.datetime(2019, 12, 20) + datetime.timedelta(hours=k * 119, minutes=k % 7), pa.timestamp("ms")),
        "site": column(n, lambda k: ("LNGS", "SURF", "Jinping", "Boulby")[k * k % 7 % 4], pa.string()),
        "count": column(n, maybe(31, lambda k: k ** 5 % 100_003 + 2 ** 40 * (k % 3)), pa.uint64()),
        "temp": column(n, maybe(8, lambda k: (k % 40) / 8 - 1.5), pa.float64()),
        "flag": column(n, lambda k: k % 6 - 2, pa.int8()),
    })  # fmt: skip


def words(n=1_500):
    return pa.table({
        "w": column(n, maybe(41, lambda k: "".join(chr(97 + (k * p + p) % 26) for p in (1, 3, 7, 11)[: 1 + k % 4])), pa.string()),
        "k": column(n, lambda k: k % 50, pa.int64()),
        "v": column(n, maybe(5, lambda k: [x / 4 for x in range(k % 6)]), pa.list_(pa.float64())),
        "a": column(n, maybe(7, lambda k: k * 37 % 101 - 50), pa.int64()),
        "b": column(n, maybe(9, lambda k: k * 53 % 89 - 40), pa.int64()),
    })  # fmt: skip


TABLES = {"events": events, "indexed": events, "runs": runs, "words": words}
INDEXES = ("id", "minmax"), ("id", "sorted"), ("energy", "sorted"), ("label", "bitmap"), ("time", "minmax"), ("note", "bloom"), ("det", "bitmap")


def plain(value):
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float, decimal.Decimal)):
        return float(value)
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return [plain(v) for v in value.values()]
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    return value


def is_equal(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-11, abs_tol=1e-14)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(is_equal, a, b))
    return type(a) is type(b) and a == b


def questions():
    with open(os.path.join(HERE, "questions.jsonl"), encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Questions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.duckdb = duckdb.connect()
        cls.duckdb.sql("set TimeZone = 'UTC'; set error_on_division_by_zero = false")
        cls.tables = {}
        for name, make in TABLES.items():
            place = os.path.join(folder.name, f"{name}.h5")
            rows = make()
            pystoa.write(place, "/t", rows, chunk_rows=1000)
            cls.duckdb.register(name, rows)
            cls.tables[name] = pystoa.open(place, "/t")
            cls.addClassCleanup(cls.tables[name].close)
        for column, kind in INDEXES:
            cls.tables["indexed"].add_index(column, kind)

    def ask(self, question):
        """The rows of the answer, and what the plan says of it."""
        table = self.tables[question["table"]]
        texts = {name: question[name] for name in TEXTS if name in question}
        texts |= {name: question[name] for name in ("limit", "offset", "distinct") if name in question}
        query = table.aggregate(texts.pop("aggregates"), **texts) if "aggregates" in texts else table.query(**texts)
        rows = [plain(list(row.values())) for row in query.to_arrow().to_pylist()]
        return rows, query.explain(run=True)

    def ask_by_sql(self, statements):
        """The rows and the plan of each statement, run by one `stoa sql`, which stores the rows as tables."""
        text = "set TimeZone = 'UTC';\n"
        for i, statement in enumerate(statements):
            of_place = re.sub(rf"\bfrom ({'|'.join(TABLES)})\b", r"from '\1.h5:/t'", statement)
            text += f"copy ({of_place}) to 'answers.h5:/q{i}';\n"
        command = os.environ["STOA"], "sql", "--explain"
        done = subprocess.run(command, input=text, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        for i, plan in zip(range(len(statements)), done.stdout.strip().split("\n\n"), strict=True):
            with pystoa.open(os.path.join(self.folder, "answers.h5"), f"/q{i}") as table:
                yield [plain(list(row.values())) for row in table.to_arrow().to_pylist()], plan

    def compare(self, question, rows, plan):
        """Rows of Stoa with those of DuckDB, and what the plan says."""
        wanted = [plain(list(row)) for row in self.duckdb.sql(question["sql"]).fetchall()]
        if "sort" not in question:
            rows, wanted = sorted(rows, key=repr), sorted(wanted, key=repr)
        self.assertEqual(len(rows), len(wanted))
        for ours, theirs in zip(rows, wanted, strict=True):
            self.assertTrue(is_equal(ours, theirs), f"{ours} is not {theirs}")
        if question.get("skips"):
            looked = int(re.search(r"looked at (\d+) rows", plan)[1])
            self.assertLess(looked, len(self.tables[question["table"]]) // 2, plan)

    def test_answers_are_those_of_duckdb(self):
        for question in questions():
            with self.subTest(question["sql"]):
                self.compare(question, *self.ask(question))

    def test_answers_of_stoa_sql_are_those_of_duckdb(self):
        asked = questions()
        for question, answer in zip(asked, self.ask_by_sql([q["sql"] for q in asked]), strict=True):
            with self.subTest(question["sql"]):
                self.compare(question, *answer)

    def test_there_are_two_hundred(self):
        asked = questions()
        self.assertGreaterEqual(len(asked), 200)
        self.assertGreaterEqual(sum(1 for q in asked if q.get("skips")), 40)
        self.assertEqual(len({q["sql"] for q in asked}), len(asked))


if __name__ == "__main__":
    unittest.main()
