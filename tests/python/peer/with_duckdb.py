"""Tables as datasets of pyarrow: filters of pyarrow and of DuckDB go down into the scan."""

import datetime
import decimal
import functools
import operator
import random
import re
import tempfile
import unittest
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pystoa
from pystoa._dataset import translated

N = 4000
MOMENT = datetime.datetime(2026, 7, 1)
field = pc.field


def rows():
    """Rows with missing values and NaN in every type that filters look at."""
    rng = random.Random(1)

    def some(type, make):
        return pa.array([None if rng.random() < 0.05 else make() for _ in range(N)], type)

    return pa.table({
        "i": some(pa.int16(), lambda: rng.randrange(-50, 50)),
        "n": pa.array(sorted(rng.randrange(2**60) for _ in range(N)), pa.uint64()),
        "e": some(pa.float64(), lambda: rng.choice([rng.gauss(0, 10), float("nan"), 0.0, -0.0, float("inf")])),
        "f": some(pa.float32(), lambda: rng.choice([0.5, 0.1, 2.0, float("nan")])),
        "s": some(pa.string(), lambda: rng.choice(["muon", "pion", "kaon", "ka%n", "", "µon", "m_on"])),
        "b": some(pa.bool_(), lambda: rng.random() < 0.5),
        "d": some(pa.date32(), lambda: MOMENT.date() + datetime.timedelta(rng.randrange(9))),
        "t": some(pa.timestamp("us"), lambda: MOMENT + datetime.timedelta(milliseconds=rng.randrange(10**6))),
        "o": some(pa.time64("us"), lambda: datetime.time(rng.randrange(24))),
        "p": some(pa.decimal128(9, 2), lambda: rng.randrange(500)),
    })  # fmt: skip


def filters(rng):
    """Filters of pyarrow of which some go down wholly, some in part, and some not at all."""
    signs = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
    simple = [
        lambda: rng.choice(signs)(field("i"), rng.randrange(-60, 60)),
        lambda: rng.choice(signs)(pc.scalar(rng.randrange(-60, 60)), field("i")),
        lambda: rng.choice(signs)(field("n"), pa.scalar(rng.randrange(2**60), pa.uint64())),
        lambda: rng.choice(signs)(field("e"), rng.choice([rng.uniform(-20, 20), 0.0, float("inf"), float("nan")])),
        lambda: rng.choice(signs)(field("f"), pa.scalar(rng.choice([0.1, 0.5, 2]), pa.float32())),
        lambda: rng.choice(signs)(field("i"), rng.uniform(-60, 60)),
        lambda: rng.choice(signs)(field("s"), rng.choice(["muon", "none", "m"])),
        lambda: rng.choice(signs)(field("d"), MOMENT.date() + datetime.timedelta(rng.randrange(9))),
        lambda: rng.choice(signs)(field("t"), MOMENT + datetime.timedelta(seconds=rng.randrange(1000))),
        lambda: rng.choice(signs)(field("o"), pa.scalar(datetime.time(12), pa.time64("us"))),
        lambda: rng.choice(signs)(field("p"), pa.scalar(decimal.Decimal(rng.randrange(500)), pa.decimal128(9, 2))),
        lambda: rng.choice(signs)(field("i"), field("e")),
        lambda: field("i").isin([1, 2, 3, 40]), lambda: field("i").isin([1, None]),
        lambda: field("s").isin(["muon", "kaon"]), lambda: field("b"), lambda: ~field("b"),
        lambda: field("i").is_null(), lambda: field("e").is_null(nan_is_null=True), lambda: field("e").is_nan(),
        lambda: field("e").is_valid(), lambda: pc.starts_with(field("s"), "k"),
        lambda: pc.match_substring(field("s"), "%"), lambda: pc.ends_with(field("s"), "_ON", ignore_case=True),
        lambda: pc.if_else(field("i").is_valid(), field("i").isin([1, 7]), pa.scalar(None, pa.bool_())),
        lambda: pc.add(field("i"), 1) > 5, lambda: field("i").cast(pa.float64()) > 0.5, lambda: pc.scalar(True),
    ]  # fmt: skip
    while True:
        found = rng.choice(simple)()
        for _ in range(rng.randrange(3)):
            other = rng.choice(simple)()
            found = found & other if rng.random() < 0.6 else found | other
        yield ~found if rng.random() < 0.3 else found


def conditions(rng):
    """The same in the words of DuckDB."""
    sign = lambda: rng.choice(("<", "<=", ">", ">=", "=", "<>"))  # noqa: E731
    simple = [
        lambda: f"i {sign()} {rng.randrange(-60, 60)}", lambda: f"n {sign()} {rng.randrange(2**60)}",
        lambda: f"e {sign()} {rng.choice((rng.uniform(-20, 20), 0.0))}", lambda: f"e {sign()} 'nan'::double",
        lambda: f"f {sign()} 0.5", lambda: f"s {sign()} '{rng.choice(('muon', 'none', 'm'))}'",
        lambda: f"d {sign()} date '2026-07-0{rng.randrange(1, 9)}'", lambda: f"p {sign()} {rng.randrange(500)}.25",
        lambda: f"t {sign()} timestamp '2026-07-01 00:0{rng.randrange(9)}:00'", lambda: f"o {sign()} time '12:00:00'",
        lambda: "i in (1, 2, 3, 40)", lambda: "s in ('muon', 'kaon')", lambda: "b", lambda: "i is null",
        lambda: "e is not null", lambda: "s like 'k%'", lambda: "i between -5 and 20", lambda: "i + 1 > 5",
        lambda: "i not in (1, 2)", lambda: "isnan(e)",
    ]  # fmt: skip
    while True:
        found = rng.choice(simple)()
        for _ in range(rng.randrange(3)):
            found = f"({found}) {rng.choice(('and', 'and', 'or'))} ({rng.choice(simple)()})"
        yield f"not ({found})" if rng.random() < 0.2 else found


class DuckDB(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = Path(folder.name) / "a.h5"
        cls.rows = rows()
        pystoa.write(cls.path, "/t", cls.rows, indexes={"i": "sorted", "n": "minmax"}, chunk_rows=512)
        cls.table = pystoa.open(cls.path, "/t")
        cls.addClassCleanup(cls.table.close)
        cls.dataset = cls.table.to_dataset()

    def test_200_filters_give_the_rows_that_pyarrow_gives(self):
        rng = random.Random(2)
        made = filters(rng)
        down = 0
        for _ in range(200):
            predicate = next(made)
            columns = rng.sample(self.rows.column_names, rng.randrange(1, 4))
            with self.subTest(predicate=str(predicate)):
                found = self.dataset.to_table(columns=columns, filter=predicate)
                wanted = self.rows.filter(predicate).select(columns)
                self.assertEqual(str(found.to_pylist()), str(wanted.to_pylist()))
            down += translated(predicate, self.dataset.schema) is not None
        self.assertGreater(down, 100)

    def test_200_conditions_give_the_rows_that_duckdb_gives(self):
        rng = random.Random(3)
        made = conditions(rng)
        dataset, rows = self.dataset, self.rows  # found by these names
        for _ in range(200):
            condition = next(made)
            names = ", ".join(rng.sample(self.rows.column_names, rng.randrange(1, 4)))
            with self.subTest(condition=condition):
                found = duckdb.sql(f"select {names} from dataset where {condition} order by all").fetchall()
                wanted = duckdb.sql(f"select {names} from rows where {condition} order by all").fetchall()
                self.assertEqual(str(found), str(wanted))
        self.assertIsNotNone(dataset)
        self.assertIsNotNone(rows)

    def test_a_filter_skips_chunks(self):
        limit = self.rows["n"][300].as_py()
        predicate = (field("n") < pa.scalar(limit, pa.uint64())) & (pc.utf8_length(field("s")) > 3)
        where = translated(predicate, self.dataset.schema)
        self.assertEqual((where.text, list(where.parameters)), ('("n" < ?)', [limit]))
        plan = self.table.query(where, columns="s").explain(run=True)
        self.assertRegex(plan, r"300 rows passed")
        self.assertIn("7 chunks skipped", plan)

    def test_what_duckdb_asks_for_is_what_is_read(self):
        asked = []

        class Watched(type(self.dataset)):
            def scanner(self, columns=None, filter=None, **options):
                asked.append((columns, None if filter is None else translated(filter, self.schema).text))
                return super().scanner(columns, filter, **options)

        watched = Watched(self.table, {})
        self.assertEqual(duckdb.sql("select count(*) from watched where i > 10 and s = 'muon'").fetchall()[0][0],
                         sum(i > 10 and s == "muon" for i, s in zip(*(self.rows[c].to_pylist() for c in "is"))
                             if i is not None))  # fmt: skip
        columns, text = asked[0]
        self.assertTrue(set(columns) <= {"i", "s"}, columns)
        self.assertEqual(sorted(re.findall(r'"\w" \S+ \?', text)), ['"i" > ?', '"s" = ?'])

    def test_a_dataset_is_one_of_pyarrow(self):
        self.assertEqual(self.dataset.count_rows(), N)
        self.assertEqual(self.dataset.count_rows(filter=field("i") > 10),
                         self.rows.filter(field("i") > 10).num_rows)  # fmt: skip
        self.assertEqual(self.dataset.head(3, columns=["n"]).num_rows, 3)
        self.assertEqual(self.dataset.to_table(columns={"m": field("i") * 2})["m"][:5].to_pylist(),
                         [None if i is None else 2 * i for i in self.rows["i"][:5].to_pylist()])  # fmt: skip
        with self.assertRaises(NotImplementedError):
            self.dataset.get_fragments()
        with self.assertRaises(NotImplementedError):
            _ = self.dataset.partition_expression

    def test_a_filter_that_is_nested_too_deeply_is_left_to_pyarrow(self):
        wanted = functools.reduce(operator.or_, [field("i") == k for k in range(450)])
        self.assertEqual(self.dataset.count_rows(filter=wanted), self.rows.filter(wanted).num_rows)

    def test_a_join_with_another_table(self):
        dataset, other = self.dataset, pa.table({"s": ["muon", "kaon"], "m": [105.7, 493.7]})
        found = duckdb.sql("select m, count(*) from dataset join other using (s) where i > 0 group by m order by m")
        wanted = {s: sum(a == s and i is not None and i > 0 for a, i in
                         zip(self.rows["s"].to_pylist(), self.rows["i"].to_pylist())) for s in ("muon", "kaon")}
        self.assertEqual(found.fetchall(), [(105.7, wanted["muon"]), (493.7, wanted["kaon"])])
        self.assertIsNotNone((dataset, other))


if __name__ == "__main__":
    unittest.main()
