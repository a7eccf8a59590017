"""Functions and operators give what DuckDB gives on the same rows.

Each question is asked of every row of a table that has ordinary values, bounds and missing values.
Where DuckDB spells a question otherwise, both spellings stand in the list.
"""

import datetime
import hashlib
import math
import os
import tempfile
import unittest

import duckdb
import pyarrow as pa
import pystoa

TIMES = ["2001-05-06T17:03:09.5", "2000-02-29T23:59:59.999999", "1969-12-31T23:59:59", None,
         "1970-01-01", "1582-10-15T12:00:00", "2024-12-30T00:00:00.000001", "9900-12-31T01:02:03",
         "2100-03-01", "1900-01-01T06:30:00"]  # fmt: skip
ROWS = {
    "i": pa.array([0, 1, -7, None, 12, 1254, -1250, 7, 255, -1]),
    "j": pa.array([3, -2, 2, 5, 0, None, 4, 10, 1, 63]),
    "x": pa.array([0.0, 1.5, -2.5, None, 1234.567, 1e300, -0.5, 100.0, 3.0, 1e-5]),
    "p": pa.array([0.1, 1.0, 2.5, 0.25, None, 1e10, 3.75, 100.0, 1e-9, 7.0]),
    "b": pa.array([True, False, None, True, False, True, None, True, False, True]),
    "s": pa.array(["", "abc", "Hällo Wörld", None, "a,b,,c", "  pad ", "x-y-z", "12", "äöü", "abcabc"]),
    "u": pa.array(["a", "b", "l", "x", ",", " ", "-", None, "ö", "bc"]),
    "t": pa.array([v and datetime.datetime.fromisoformat(v) for v in TIMES], pa.timestamp("us")),
    "d": pa.array([v and datetime.date.fromisoformat(v[:10]) for v in TIMES], pa.date32()),
    # Where loops that are fast have to be exact, too: halves, NaN, the ends of types.
    "e": pa.array([0.49999999999999994, -0.5, 2.5, 4503599627370495.5, math.nan, math.inf, -math.inf, None, -0.0, 4503599627370497.0]),
    "k": pa.array([2**62, -(2**62), 2**53 + 1, -(2**53) - 1, 0, 7, -7, None, 2**63 - 1, -(2**63)]),
    "w": pa.array([2**62, -(2**62), 2**57 + 1, -(2**57) - 1, 0, -1, 1, None, 2**51 * 64, -(2**51) * 64 - 1], pa.timestamp("us")),
    "z": pa.array([2**62, -(2**62), 2**60 + 1, -(2**60) - 1, 0, -1000, 999, None, 2**59 + 1000, -86400 * 10**9], pa.timestamp("ns")),
}  # fmt: skip

# The same in both languages.
SAME = """
abs(i); abs(x); sign(i); sign(x); floor(x); ceil(x); ceiling(x); round(x); round(x, 1); round(x, -2); round(i)
round(i, -1); round(i, -2); trunc(x); sqrt(p); cbrt(x); exp(j); ln(p); log2(p); log10(p); pow(p, 2); power(j, 3)
pow(x, 0.5 + 0.5); sin(x); cos(x); tan(p); asin(p / 1e10); acos(p / 1e10); atan(x); atan2(x, p); sinh(j); cosh(j)
tanh(x); degrees(x); radians(x); pi(); mod(i, 7); mod(i, j); i % j; i % 7; isnan(x); isinf(x); isfinite(x)
xor(i, j); bit_count(i); greatest(i, j); least(i, j); greatest(x, p); least(x, p); greatest(i, x); greatest(s, u)
least(s, u, 'b'); greatest(t, d); least(i, null, 3); greatest(b, false); coalesce(i, j); coalesce(i, x); coalesce(s, u, 'none')
coalesce(t, d); coalesce(b, true); coalesce(null, i); ifnull(i, 0); nullif(i, j); nullif(i, 7); nullif(s, 'abc'); nullif(x, 3); nullif(i + j, 7) * 2; nullif(floor(i), 3) + 1
case when i > 0 then 'plus' when i < 0 then 'minus' else 'zero' end; case when i > 0 then i end; case i when 7 then 'seven' when 12 then 'twelve' end
case when b then i else x end; case when s is null then 0 else length(s) end; case when i = 0 then null else 100 / i end
case u when 'a' then s when s then u else 'other' end; case when b then t else d end; case when x > 0 then ln(x) end
s || u; s || '!' || u; concat(s, u, '.'); length(s); len(s); lower(s); upper(s); reverse(s); left(s, 2); left(s, -2)
left(s, j); right(s, 2); right(s, -2); right(s, j); substr(s, 2); substr(s, 2, 3); substring(s, -3, 2); substr(s, 0, 2); substr(s, j, i)
substr(s, 3, -2); substr(s, -2, -5); trim(s); ltrim(s); rtrim(s); trim(s, 'abc '); ltrim(s, u); rtrim(s, 'dlc'); replace(s, u, '[]'); replace(s, 'b', '')
split_part(s, ',', 2); split_part(s, u, 1); split_part(s, 'b', -1); split_part(s, '', 2); split_part(s, '-', 0); split_part(s, ',', j)
starts_with(s, 'a'); starts_with(s, u); ends_with(s, 'c'); suffix(s, u); prefix(s, u); contains(s, 'b'); contains(s, u); instr(s, u); strpos(s, 'c')
position('b' in s); position(u in s); year(t); month(t); day(t); hour(t); minute(t); second(t); quarter(t); week(t); isoyear(t); dayofweek(t); isodow(t); dayofyear(t)
dayofmonth(t); weekofyear(d); year(d); month(d); day(d); hour(d); dayofweek(d); week(d); epoch(t); epoch(d); epoch_ms(t); epoch_us(t)
date_trunc('second', t); date_trunc('minute', t); date_trunc('hour', t); date_trunc('day', t); date_trunc('week', t); date_trunc('month', t)
date_trunc('quarter', t); date_trunc('year', t); date_trunc('decade', t); date_trunc('month', d); date_trunc('week', d); date_trunc('year', d)
cast((j + 0.5)::double as int); cast(p as bigint); i::double; cast(i as varchar); cast(x as varchar); cast(b as varchar); cast(t as varchar); cast(d as varchar); cast(t as date)
cast(d as timestamp); try_cast(s as int); try_cast(s as double); try_cast(u as bool); cast(b as int); cast(i as bool); cast(x as bool); try_cast(i as utinyint); try_cast(x as smallint)
cast(p as float); try_cast(x as float); cast('2001-05-06' as date); cast('12' as int) + i; cast(' 1.5' as int); i::varchar || s; (i + 1)::varchar; -i::double; t::date::varchar
regexp_matches(s, 'b+'); regexp_matches(s, '^A', 'i'); regexp_full_match(s, '[a-c]+'); regexp_extract(s, '[a-z]+'); regexp_extract(s, '(.)(b)', 1)
regexp_extract(s, '(x)?b', 1); regexp_extract(s, 'b', 7); regexp_replace(s, 'b', '<>'); regexp_replace(s, 'b', '<>', 'g'); regexp_replace(s, '(.)b', '[\\1]', 'g')
regexp_replace(s, 'l*', '-', 'g'); regexp_replace(s, '', '.', 'g'); regexp_replace(s, '.', u, 'g'); regexp_matches(s, 'a.', 'l'); regexp_matches(s, '\\d')
round(e); round(e, 2); trunc(e); floor(e); ceil(e); abs(e); greatest(e, x); least(e, x); greatest(x, e, p); least(x, e, p); coalesce(x, e); nullif(e, 2.5)
nullif(e, 'nan'::double); nullif('nan'::double, e); greatest(k, i); least(k, i); nullif(k, i); epoch_us(greatest(t, w)); epoch_us(least(w, t)); nullif(i, null); nullif(null, i)
k % 7; k % 1000000007; k % -7; k % 9007199254740993; mod(k, 4611686018427387904); mod(7, i); case when k % 3 = 0 then k when k % 3 = 1 then 1 end
case when e < 1 then e when x > 1 then 1.5 else x end; case when i > 0 then null else s end; case i when 7 then 'seven' else s end; length(s || s || u); k::varchar; length(k::varchar)
year(w); month(w); day(w); hour(w); minute(w); second(w); week(w); isoyear(w); dayofweek(w); dayofyear(w); quarter(w); epoch_us(date_trunc('hour', w)); epoch_us(date_trunc('day', w))
year(z); month(z); day(z); hour(z); minute(z); second(z); dayofyear(z); k::double; k + 0 in (7, -7, 9007199254740993); e + 0 in (0, 2.5, 1e300)
i in (7, 12, 1254); s in ('abc', 'x-y-z'); i + j * 2 - 1; x / p; i / 4.0; i > j and x < p; not b or i > 0; s like 'a%'; i between j and 100; i is null
""".replace("\n", ";").split(";")  # fmt: skip

# (Stoa's, DuckDB's)
OTHERWISE = [
    ("dow(t)", "dayofweek(t)"), ("doy(t)", "dayofyear(t)"), ("is_finite(x)", "isfinite(x)"), ("is_inf(x)", "isinf(x)"),
    ("trunc(t, 'month')", "date_trunc('month', t)"), ("trunc(t, 'hour')", "date_trunc('hour', t)"),
    ("bits_and(i, j)", "i & j"), ("bits_or(i, j)", "i | j"), ("bits_not(i)", "~i"), ("bits_left(1, 4)", "1 << 4"),
    ("bucket(x, 5)", "floor(x / 5) * 5"), ("bucket(i, 5)", "(floor(i / 5) * 5)::bigint"), ("bucket(p, 0.5)", "floor(p / 0.5) * 0.5"),
    ("add_months(t, 1)", "t + interval '1 month'"), ("add_months(d, -1)", "(d - interval '1 month')::date"), ("add_months(t, j)", "t + to_months(j::int)"),
    ("t + '1 day'", "t + interval '1 day'"), ("t - '90 minutes'", "t - interval '90 minutes'"), ("t + interval '1s'", "t + interval '1 second'"),
    ("d + '6 hours'", "d + interval '6 hours'"), ("epoch(t - '2001-01-01')", "epoch(t - timestamp '2001-01-01')"), ("epoch(t + (t - t))", "epoch(t)"),
    ("(t - '2001-01-01') / '1h'", "(epoch_us(t) - epoch_us(timestamp '2001-01-01')) / 3.6e9"), ("(t - d) / '1s'", "(epoch_us(t) - epoch_us(d::timestamp)) / 1e6"),
    ("time_bucket('15 minutes', t)", "time_bucket(interval '15 minutes', t)"), ("time_bucket('10 days', t)", "time_bucket(interval '10 days', t)"),
    ("time_bucket('3 months', t)", "time_bucket(interval '3 months', t)"), ("time_bucket('2 years', t)", "time_bucket(interval '2 years', t)"),
    ("time_bucket('7 hours', t)", "time_bucket(interval '7 hours', t)"), ("time_bucket('1 week', d)", "time_bucket(interval '1 week', d)"),
    ("time_bucket('5 months', d)", "time_bucket(interval '5 months', d)"), ("time_bucket('90s', d)", "time_bucket(interval '90 seconds', d::timestamp)"),
    ("x is missing", "x is null"), ("contains(s, 'b') & i > 0", "contains(s, 'b') and i > 0"),
]  # fmt: skip


def plain(value):
    """A value that compares: midnights are dates, as Stoa's dates stay dates where DuckDB's do not."""
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return datetime.datetime(value.year, value.month, value.day)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def is_equal(a, b):
    a, b = plain(a), plain(b)
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=4e-16, abs_tol=0)
    return a == b and type(a) is type(b)


class Asked(unittest.TestCase):
    repeats = 1

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.rows = pa.concat_tables([pa.table(ROWS)] * cls.repeats)
        place = os.path.join(cls.folder.name, "t.h5")
        pystoa.write(place, "/t", cls.rows)
        cls.table = pystoa.open(place, "/t")
        cls.duckdb = duckdb.connect()
        cls.duckdb.sql("set error_on_division_by_zero = false")  # of integers: missing, as in Stoa
        cls.duckdb.register("t", cls.rows)


class Functions(Asked):
    repeats = 17  # more than the 64 rows of a word, and no multiple of them

    def ask(self, ours, theirs):
        found = self.table.query(columns=f"{ours} as answer").to_arrow()["answer"].to_pylist()
        wanted = [row[0] for row in self.duckdb.sql(f"select {theirs} from t").fetchall()]
        for row, (a, b) in enumerate(zip(found, wanted, strict=True)):
            self.assertTrue(is_equal(a, b), f"{ours}: row {row} is {a!r}, and {b!r} in DuckDB")

    def test_the_same_words_give_the_same(self):
        questions = [q.strip() for q in SAME if q.strip()]
        self.assertGreater(len(questions) + len(OTHERWISE), 200)
        for question in questions:
            with self.subTest(question):
                self.ask(question, question)

    def test_other_words_give_the_same(self):
        for ours, theirs in OTHERWISE:
            with self.subTest(ours):
                self.ask(ours, theirs)

    def test_long_lists(self):
        texts = ", ".join(f"'{n * 7}'" for n in range(3000)) + ", 'abc', 'äöü', ''"
        numbers = ", ".join(map(str, range(12, 30000, 11)))
        for test in (f"s in ({texts})", f"s || '' in ({texts})", f"s || '' not in ({texts}, null)", f"i in ({numbers})", f"i + 0 in ({numbers}, -7)",
                     f"x + 0.0 in ({numbers}, 0.0, 1.5)", f"k + 0 in ({numbers}, {2**62}, {-(2**63)})"):  # fmt: skip
            with self.subTest(test[:20]):
                self.ask(test, test)


LISTS = [None, [], [1], [5, -2, None, 7], [3, 3, 3], [None, None], list(range(10))]


class Lists(unittest.TestCase):
    def test_functions_of_lists_give_the_same(self):
        rows = pa.table({"v": pa.array(LISTS * 3, pa.list_(pa.int64())), "f": pa.array([v if v is None else [x or 0 for x in v[:3]] + [0] * (3 - len(v)) for v in LISTS] * 3, pa.list_(pa.int64(), 3)),
                         "i": pa.array([(k * 5 % 13 - 6) if k % 6 else None for k in range(len(LISTS) * 3)])})  # fmt: skip
        same = [f"list_slice({v}, {a}, {b})" for v in "vf" for a in (0, 1, 2, 9, -1, -3, -20, "i") for b in (0, 1, 3, 40, -1, -2, -30, "i + 1")]
        same += [f"list_extract({v}, {a})" for v in "vf" for a in (0, 1, 4, -1, -4, 99, "i")]
        same += ["v in (null)", "list_contains(v, 3)", "array_contains(v, i)", "list_has(f, 3)", "len(v)", "list_sum(v)", "list_min(v)", "list_max(v)", "list_avg(v)",
                 "list_sum(list_slice(v, 2, 3))", "len(list_slice(v, -2, -1))", "list_max(list_slice(list_slice(v, 2, 9), 1, 2))",
                 "list_extract(list_slice(v, 2, 4), 1)", "list_slice(v, 1, 2) is null", "list_contains(list_slice(v, 1, 2), -2)"]  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "t.h5")
            pystoa.write(place, "/t", rows)
            con = duckdb.connect()
            con.register("t", rows)
            table = pystoa.open(place, "/t")
            self.addCleanup(table.close)
            for text in same:
                with self.subTest(text):
                    found = table.query(columns=f"{text} as a").to_arrow()["a"].to_pylist()
                    wanted = [row[0] for row in con.sql(f"select {text} from t").fetchall()]
                    self.assertEqual(found, [list(w) if isinstance(w, tuple) else w for w in wanted])

    def test_many_constants_are_looked_up(self):
        n = 30_000
        rows = pa.table({"i": range(n), "x": [k / 8 for k in range(n)], "s": [f"s{k * 7919 % 100_003}" for k in range(n)],
                         "c": pa.array([f"c{k % 500}" for k in range(n)]).dictionary_encode(),
                         "t": pa.array([k * 1000 for k in range(n)], pa.timestamp("ms"))})  # fmt: skip
        few = {"i": [str(k) for k in range(0, 3 * n, 3)], "i + 0": [str(k) for k in range(0, 3 * n, 3)], "x": [str(k / 4) for k in range(n)], "s": [f"'s{k}'" for k in range(0, 100_003, 2)],
               "upper(s)": [f"'S{k}'" for k in range(0, 100_003, 5)], "c": [f"'c{k}'" for k in range(0, 40_000, 3)]}  # fmt: skip
        con = duckdb.connect()
        con.register("t", rows)
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "t.h5")
            pystoa.write(place, "/t", rows)
            with pystoa.open(place, "/t") as table:
                for text, values in few.items():
                    for no in "", "not ":
                        found = table.aggregate("count() as n", where=f"{text} {no}in ({','.join(values)})").to_list()[0]["n"]
                        con.sql(f"create or replace temp table few as select unnest([{','.join(values)}]) as v")
                        self.assertEqual(found, con.sql(f"select count(*) from t where {no}({text} in (select v from few))").fetchall()[0][0], text)
                times = [datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=2 * k) for k in range(20_000)]
                marks = ",".join("?" * len(times))
                self.assertEqual(table.aggregate("count() as n", where=f"t in ({marks})", params=times).to_list()[0]["n"], n // 2)


# Aggregates by `b`: (Stoa's, DuckDB's); None: the same. Each group has one mode: of several, DuckDB gives any.
GROUPED = [
    ("count(*)", None), ("sum(i) / count(*)", None), ("sum(x) / sum(p)", None), ("max(i) - min(i)", None), ("round(mean(x), 3)", "round(avg(x), 3)"),
    ("avg(p)", None), ("count() filter (where i > 0)", "count(*) filter (where i > 0)"), ("sum(p) filter (where i > 0) / count(j)", None),
    ("min(s) || '-' || max(u)", None), ("coalesce(sum(i) filter (where i > 1e9), -1)", None), ("case when count(*) > 3 then 'many' else 'few' end", None),
    ("max(t) - min(t) > '1 day'", "max(t) - min(t) > interval '1 day'"), ("year(max(t)) + month(min(t))", None), ("stddev_samp(p)", None), ("var_pop(p) + var_samp(p)", None), ("variance(i) - stddev_pop(i)", None), ("any_value(s)", None), ("approx_count_distinct(s) > 2", None),
    ("distinct(s) + distinct(u)", "count(distinct s) + count(distinct u)"), ("quantile(p, 0.25) * 2", "quantile_cont(p, 0.25) * 2"), ("b", None),
    ("covar_samp(x, p)", None), ("covar_pop(i, j)", None), ("cov(i, p)", "covar_samp(i, p)"), ("corr(i, j)", None), ("corr(i, i) filter (where i > 0)", None),
    ("corr(i, 1)", None), ("covar_samp(i, j) filter (where i = 7)", None), ("covar_pop(i, j) filter (where i = 7)", None), ("corr(x, p) * 2", None),
    ("mode(x > 0)", None), ("mode(case when i > 100 then 'high' else 'low' end)", None), ("mode(date_trunc('century', greatest(t, '2000-01-01')))", "mode(date_trunc('century', greatest(t, timestamp '2000-01-01')))"),
    ("arg_max(s, i)", None), ("arg_min(i, s)", None), ("max_by(x, t)", None), ("min_by(t, x)", None), ("arg_max(u, b)", None), ("arg_min(b, i)", None), ("argmax(d, p)", None),
    ("arg_max(i, j) + arg_min(j, i)", None), ("arg_max(s, i % 2)", None), ("arg_min(s, i % 2)", None), ("argmin(s, u) filter (where i > 0)", None),
    ("string_agg(s, '|')", None), ("string_agg(s)", None), ("listagg(u, '')", None), ("group_concat(i, ', ')", None), ("string_agg(u, '-' order by i)", None),
    ("string_agg(u, '-' order by i desc)", None), ("string_agg(s, '; ' order by u)", None), ("string_agg(s, '; ' order by u desc)", None), ("string_agg(u order by x)", None),
    ("string_agg(s, '<>' order by i + j asc) filter (where p > 0)", None), ("string_agg(s, ',' order by b)", None), ("length(string_agg(s || u, ''))", None),
    ("string_agg(distinct (i % 3)::text, ',' order by (i % 3)::text)", None), ("string_agg(distinct u, ',' order by u desc)", None), ("upper(string_agg(u, ',') filter (where i > 1000000))", None),
    ("count(distinct i % 2)", None), ("count(distinct s) filter (where i > 0)", None), ("sum(distinct i % 3)", None), ("avg(distinct j)", None), ("min(distinct i) - max(distinct i)", None),
    ("stddev(distinct i % 3)", None), ("quantile(distinct i % 5, 0.5)", "quantile_cont(distinct i % 5, 0.5)"), ("sum(distinct x > 0)", "sum(distinct (x > 0)::int)"),
    ("bool_and(i > 0)", None), ("bool_or(i > 1000)", None), ("bool_and(b)", None), ("bool_or(x > 0 and p > 0) and true", None), ("bool_and(i > 0) filter (where i > 9)", None),
    ("string_agg(distinct i, ',' order by i)", None), ("string_agg(distinct j, '; ' order by j desc)", None),
    ("sum(distinct i) / count(distinct i)", None), ("greatest(mode(i > 0), bool_or(i > 5))", None),
    ("count(i) filter (where b is null) + 1", None), ("1 + 1", None), ("max(year(t))", None), ("sum(case when i > j then 1 else 0 end)", None),
]  # fmt: skip
HAVING = ["count(*) > 3", "mode(x > 0)", "corr(i, j) < 0", "string_agg(u, '') like '%a%'", "arg_max(u, i) = 'x'", "bool_or(i > 1000)", "count(distinct i) > 2", "sum(i) > 0 and max(x) < 1e9", "b", "b is null", "min(s) = '' or count(x) = 0", "count(*) > 100", "max(t) > '2050-01-01'"]


class Calendar(unittest.TestCase):
    def test_every_day_of_five_thousand_years(self):
        days = pa.table({"d": pa.array(range(-900_000, 950_000), pa.int32()).cast(pa.date32())})
        parts = "year(d) as y, month(d) as m, day(d) as d, dayofyear(d) as n, dayofweek(d) as w, week(d) as k, isoyear(d) as i"
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "t.h5")
            pystoa.write(place, "/t", days)
            found = pystoa.open(place, "/t").query(columns=parts).to_numpy()
        wanted = duckdb.connect().register("days", days).execute(f"select {parts} from days").fetchnumpy()
        for name, values in wanted.items():
            self.assertTrue((found[name] == values).all(), name)


class Groups(Asked):
    def by_group(self, aggregates, having=None):
        found = self.table.aggregate(f"{aggregates} as answer", by="b", having=having, sort="b").to_arrow().to_pylist()
        return [row["answer"] for row in found]

    def theirs(self, aggregates, having="true"):
        sql = f"select {aggregates} from t group by b having {having} order by b nulls last"
        return [row[0] for row in self.duckdb.sql(sql).fetchall()]

    def test_expressions_over_aggregates(self):
        for ours, theirs in GROUPED:
            with self.subTest(ours):
                found, wanted = self.by_group(ours), self.theirs(theirs or ours)
                self.assertTrue(all(map(is_equal, found, wanted)) and len(found) == len(wanted) == 3, f"{found} {wanted}")

    def test_histograms(self):
        for column in ("i", "i % 3", "x", "p", "s", "u", "t", "d", "i > 0"):
            for rows in ("true", "i > 0", "i > 1000000"):
                with self.subTest(column, rows=rows):
                    found = self.by_group(f"histogram({column}) filter (where {rows})")
                    wanted = self.theirs(f"histogram({column}) filter (where {rows})")
                    once = [h and [v["value"] for v in h] for h in self.by_group(f"histogram(distinct {column}) filter (where {rows})")]
                    self.assertEqual(repr(once), repr([h and [v["value"] for v in h] for h in found]))
                    for ours, theirs in zip(found, wanted, strict=True):
                        ours = ours and [(v["value"], v["count"]) for v in ours]
                        self.assertEqual(repr(ours and [(plain(v), n) for v, n in ours]), repr(theirs and [(plain(v), n) for v, n in theirs.items()]))

    def test_values_beyond_the_memory_go_to_files(self):
        numbers = range(60_000)
        rows = pa.table({"g": [n % 3 for n in numbers], "i": [n * n % 50_021 // (1 + n % 2) for n in numbers],
                         "s": [f"text {n * n * 7 % 40_009}" for n in numbers], "n": pa.array(numbers)})  # fmt: skip
        asked = ["sum(distinct i)", "count(distinct s)", "md5(string_agg(s order by i, n))", "md5(string_agg(s, ''))", "mode(least(n, 50000) % 20000)"]
        place = os.path.join(self.folder.name, "large.h5")
        pystoa.write(place, "/t", rows)
        table = pystoa.open(place, "/t")
        self.duckdb.register("large", rows)
        names = [f"({text[4:-1] if text.startswith('md5') else text}) as a{k}" for k, text in enumerate(asked)]
        names[2] = names[2].replace("i, n", "i * 100000 + n")
        wanted = self.duckdb.sql(f"select g, {', '.join(f'{text} as a{k}' for k, text in enumerate(asked))} from large group by g order by g").fetchall()
        for memory in (0, 1):
            found = table.aggregate(", ".join(names), by="g", sort="g", memory=memory).to_arrow().to_pylist()
            for row, theirs in zip(found, wanted, strict=True):
                for k, value in enumerate(theirs[1:]):
                    ours = row[f"a{k}"]
                    ours = hashlib.md5(ours.encode()).hexdigest() if asked[k].startswith("md5") else ours
                    self.assertEqual(ours, value, f"{asked[k]} with memory {memory}")

    def test_conditions_on_groups(self):
        for having in HAVING:
            with self.subTest(having):
                theirs = having.replace("> '2050", "> timestamp '2050")
                self.assertEqual(self.by_group("count(*)", having), self.theirs("count(*)", theirs))

    def test_having_knows_the_names_of_aggregates(self):
        for having in ("n > 3", "n > 3 and m * 2 > 10 or b is null", "m > ?"):
            values = [5] if "?" in having else []
            found = self.table.aggregate("count(*) as n, max(i) - ? as m", by="b", having=having, sort="n", params=[1, *values]).to_arrow().to_pylist()
            sql = f"select b, count(*) as n, max(i) - ? as m from t group by b having {having} order by n, b nulls last"
            wanted = self.duckdb.execute(sql, [1, *values]).fetchall()
            self.assertEqual([tuple(row.values()) for row in found], wanted, having)

    def test_aggregates_of_nothing_but_null_have_conditions(self):
        for having in ("m is null", "m is not null", "count(*) > 3"):
            for aggregate in ("max(null)", "mode(null)", "min(case when i < -1e18 then null end)"):
                found = self.table.aggregate(f"{aggregate} as m", by="b", having=having, sort="b").to_arrow().to_pylist()
                sql = f"select b, {aggregate} as m from t group by b having {having} order by b nulls last"
                wanted = self.duckdb.sql(sql).fetchall()
                self.assertEqual([tuple(row.values()) for row in found], wanted, (aggregate, having))

    def test_groups_are_sorted_by_what_is_computed_from_them(self):
        for sort, theirs in (
            ("n % 3, b", "n % 3, b"), ("-n:desc, b", "-n desc, b"), ("max(i) - min(i), b:desc", "max(i) - min(i), b desc"),
            ("max(s), not b", "max(s), not b"), ("sum(x) / count(*):desc, b", "sum(x) / count(*) desc, b"), ("n + m * 2, m, b", "n + m * 2, m, b"),
        ):  # fmt: skip
            found = self.table.aggregate("count(*) as n, max(i) as m", by="b", sort=sort).to_arrow().to_pylist()
            order = ", ".join(f"{key} nulls last" for key in theirs.split(", "))
            wanted = self.duckdb.sql(f"select b, count(*) as n, max(i) as m from t group by b order by {order}").fetchall()
            self.assertEqual([tuple(row.values()) for row in found], wanted, sort)
        found = self.table.aggregate("count(*) as n", by="b", having="n > ?", sort="n % ?, b", params=[3, 2]).to_arrow().to_pylist()
        wanted = self.duckdb.sql("select b, count(*) from t group by b having count(*) > 3 order by count(*) % 2, b nulls last").fetchall()
        self.assertEqual([tuple(row.values()) for row in found], wanted)

    def test_parameters_count_through_all_texts(self):
        found = self.table.aggregate("sum(i) filter (where i > ?) + ? as n", by="b", where="i > ? or i is null", params=[-5, 0, 4, 1],
                                     having="count(*) > ?", sort="b").to_arrow()["n"].to_pylist()  # fmt: skip
        sql = "select sum(i) filter (where i > ?) + ? from t where i > ? or i is null group by b having count(*) > ? order by b nulls last"
        wanted = [row[0] for row in self.duckdb.execute(sql, [0, 4, -5, 1]).fetchall()]
        self.assertEqual(found, wanted)

    def test_distinct_rows_and_an_offset(self):
        for columns in ("b", "i > 0 as q", "b, s is null as n", "x > 2 as y, b"):
            with self.subTest(columns):
                found = self.table.query(columns=columns, distinct=True).to_arrow().to_pylist()
                wanted = self.duckdb.sql(f"select distinct {columns} from t").to_arrow_table().to_pylist()
                self.assertEqual(sorted(map(repr, found)), sorted(map(repr, wanted)))
        for offset, limit in ((0, 3), (2, 3), (9, 5), (10, 1), (100, None), (3, 0)):
            for sort in (None, "i"):
                with self.subTest(offset=offset, limit=limit, sort=sort):
                    rows = self.table.query(columns="i", sort=sort).to_arrow()["i"].to_pylist()
                    found = self.table.query(columns="i", sort=sort, offset=offset, limit=limit).to_arrow()["i"].to_pylist()
                    self.assertEqual(found, rows[offset:][:limit])


if __name__ == "__main__":
    unittest.main()
