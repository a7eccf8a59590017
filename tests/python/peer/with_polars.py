"""DataFrames of Polars in and out, and LazyFrames whose filters go down into the scan."""

import datetime
import random
import tempfile
import unittest
from pathlib import Path

import polars as pl
import pystoa
from polars.testing import assert_frame_equal
from pystoa._polars import translated

c = pl.col
UTC = datetime.timezone.utc
N = 4000


def frame():
    """Rows with missing values and NaN in every type that filters look at."""
    rng = random.Random(1)

    def some(make):
        return [None if rng.random() < 0.05 else make() for _ in range(N)]

    moment = datetime.datetime(2026, 7, 1)
    return pl.DataFrame({
        "i": pl.Series(some(lambda: rng.randrange(-50, 50)), dtype=pl.Int16),
        "n": pl.Series(some(lambda: rng.randrange(0, 2**60)), dtype=pl.UInt64),
        "e": some(lambda: rng.choice([rng.gauss(0, 10), float("nan"), 0.0, -0.0, float("inf")])),
        "f": pl.Series(some(lambda: rng.choice([0.5, 0.1, 2.0, float("nan")])), dtype=pl.Float32),
        "s": some(lambda: rng.choice(["muon", "pion", "kaon", "ka%n", "", "µon", "m_on"])),
        "c": pl.Series(some(lambda: rng.choice(["x", "y", "z"])), dtype=pl.Categorical),
        "b": some(lambda: rng.random() < 0.5),
        "d": some(lambda: moment.date() + datetime.timedelta(rng.randrange(9))),
        "t": some(lambda: moment + datetime.timedelta(milliseconds=rng.randrange(10**6))),
        "u": pl.Series(some(lambda: moment + datetime.timedelta(seconds=rng.randrange(99))),
                       dtype=pl.Datetime("us", "UTC")),
        "l": some(lambda: datetime.timedelta(seconds=rng.randrange(99))),
    })  # fmt: skip


def filters(rng):
    """Filters of which some go down wholly, some in part, and some not at all."""
    moment = datetime.datetime(2026, 7, 1, 0, 5)
    simple = [
        lambda: c("i") > rng.randrange(-60, 60), lambda: c("i") <= rng.uniform(-60, 60),
        lambda: rng.randrange(-60, 60) < c("i"), lambda: c("i") != rng.randrange(-60, 60),
        lambda: c("n") > rng.randrange(2**60), lambda: c("n") < rng.uniform(0, 2.0**60),
        lambda: c("e") > rng.uniform(-20, 20), lambda: c("e") <= rng.uniform(-20, 20),
        lambda: c("e") == 0, lambda: c("e") != 0, lambda: c("e") >= float("inf"),
        lambda: c("e") > float("nan"), lambda: c("e").is_nan(), lambda: c("e").is_between(-5, 5),
        lambda: c("f") == 0.1, lambda: c("f") >= 0.5, lambda: c("f") < pl.lit(2.0, dtype=pl.Float32),
        lambda: c("s") == rng.choice(["muon", "none"]), lambda: c("s") >= "m",
        lambda: c("s").is_in(["muon", "kaon", None]), lambda: c("s").str.starts_with("k"),
        lambda: c("s").str.ends_with("%n"), lambda: c("s").str.contains("_", literal=True),
        lambda: c("s").str.contains("^k.*n$"), lambda: c("s").str.len_chars() > 4,
        lambda: c("c") == "x", lambda: c("c") != "y", lambda: c("c").is_in(["x", "z"]),
        lambda: c("c") > "x", lambda: c("b"), lambda: c("b").not_(), lambda: c("b") == True,  # noqa: E712
        lambda: c("i").is_null(), lambda: c("e").is_not_null(), lambda: c("i").is_in([1, 2, 3, None]),
        lambda: c("i").is_in([]), lambda: c("i").is_between(-5, 20, closed="left"),
        lambda: c("d") > datetime.date(2026, 7, 4), lambda: c("t") < moment,
        lambda: c("u") >= datetime.datetime(2026, 7, 1, 0, 0, 50, tzinfo=UTC),
        lambda: c("l") > datetime.timedelta(seconds=50), lambda: c("i") * 2 > 10,
        lambda: c("i") > c("f"), lambda: pl.lit(True), lambda: c("i").eq_missing(None),
        lambda: c("i").abs() < 20, lambda: (c("e") > 1).is_null(), lambda: c("i").cast(pl.Float64) > 0.5,
    ]  # fmt: skip
    while True:
        found = rng.choice(simple)()
        for _ in range(rng.randrange(3)):
            other = rng.choice(simple)()
            found = found & other if rng.random() < 0.6 else found | other
        yield ~found if rng.random() < 0.3 else found


class Polars(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = Path(folder.name) / "a.h5"
        cls.frame = frame()
        pystoa.write(cls.path, "/t", cls.frame, indexes={"i": "sorted", "n": "minmax"}, chunk_rows=512)

    def test_a_frame_comes_back(self):
        with pystoa.open(self.path, "/t") as table:
            assert_frame_equal(table.to_polars(), self.frame, check_dtypes=False,
                               categorical_as_str=True)  # fmt: skip
            self.assertEqual([str(t) for t in table.to_polars().dtypes], [str(t) for t in self.frame.dtypes])

    def test_200_filters_give_the_rows_that_polars_gives(self):
        lazy = pystoa.scan_polars(self.path, "/t")
        rng = random.Random(2)
        made = filters(rng)
        names = self.frame.columns
        down = 0
        for _ in range(200):
            predicate = next(made)
            columns = rng.sample(names, rng.randrange(1, 4))
            wanted = self.frame.filter(predicate).select(columns)
            found = lazy.filter(predicate).select(columns).collect()
            with self.subTest(predicate=str(predicate)):
                assert_frame_equal(found, wanted, categorical_as_str=True)
            down += translated(predicate, self.frame.schema) is not None
        self.assertGreater(down, 100)

    def test_a_filter_skips_chunks(self):
        with pystoa.open(self.path, "/t") as table:
            where = translated((c("n") < 2**50) & c("s").str.contains("^k"), self.frame.schema)
            self.assertEqual(where.text, '("n" < ?)')
            self.assertTrue(table.indexes_are_trusted)
            where = translated(c("i") == 100, self.frame.schema)
            self.assertIn("0 rows passed", table.query(where).explain(run=True))

    def test_limits_slices_and_counts(self):
        lazy = pystoa.scan_polars(self.path, "/t")
        assert_frame_equal(lazy.head(7).collect(), self.frame.head(7), categorical_as_str=True)
        wanted = self.frame.filter(c("i") > 10).slice(3, 5)
        assert_frame_equal(lazy.filter(c("i") > 10).slice(3, 5).collect(), wanted, categorical_as_str=True)
        wanted = self.frame.head(50).filter(c("i") > 10)
        assert_frame_equal(lazy.head(50).filter(c("i") > 10).collect(), wanted, categorical_as_str=True)
        self.assertEqual(lazy.select(pl.len()).collect().item(), N)
        self.assertEqual(lazy.filter(c("b")).select(pl.len()).collect().item(), self.frame["b"].sum())
        self.assertEqual(lazy.filter(c("i") > 1000).collect().shape, (0, len(self.frame.columns)))

    def test_groups_and_joins(self):
        lazy = pystoa.scan_polars(self.path, "/t")
        ask = lambda f: f.filter(c("i") > 0).group_by("s").agg(c("i").sum(), pl.len()).sort("s")  # noqa: E731
        assert_frame_equal(ask(lazy).collect(), ask(self.frame.lazy()).collect())
        assert_frame_equal(ask(lazy).collect(engine="streaming"), ask(self.frame.lazy()).collect())

    def test_a_result_that_is_left_gives_up_the_file(self):
        with pystoa.open(self.path, "/t") as table:
            table.scan_polars().head(1).collect()
            self.assertEqual(table._running, 0)


if __name__ == "__main__":
    unittest.main()
