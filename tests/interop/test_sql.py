"""`stoa sql` beside DuckDB's own Python module: the same answers from HDF5 as from Parquet and from Arrow."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

# A table of every type, as HEP001 and as Parquet. Row 3 has nulls, and row 5 ends of ranges.
MAKE = """if True:
    import datetime as dt, decimal, numpy as np, pyarrow as pa, pyarrow.parquet as pq, pyarrow.feather as feather
    n = 7
    def col(values, type):
        values = list(values)
        values[3] = None
        return pa.array(values, type)
    ints = {}
    for bits in (8, 16, 32, 64):
        for sign in ("int", "uint"):
            info = np.iinfo(f"{sign}{bits}")
            values = [1, 2, 3, None, 5, int(info.max) - 1, int(info.min) + 1]
            ints[f"{sign[0]}{bits}"] = pa.array(values, f"{sign}{bits}")
    t0 = dt.datetime(2024, 2, 29, 12, 30, 15, 123456)
    times = [t0 + dt.timedelta(days=37 * i, microseconds=i) for i in range(n)]
    table = pa.table({
        "k": pa.array(range(n), "int32"), **ints,
        "f16": pa.array(np.array([0, 1.5, -2, np.nan, 4, np.inf, 0.1], "float16")),
        "f32": col([0.1, 1.5, -2, 0, float("nan"), float("inf"), -0.0], "float32"),
        "f64": col([0.1, 1e300, -2, 0, float("nan"), float("-inf"), -0.0], "float64"),
        "b": col([True, False] * 3 + [True], "bool"),
        "s": col(["", "short", "twelve bytes", "", "thirteen byte", "α€😀" * 9, "it's \\"x\\""], "string"),
        "z": col([b"", b"\\0\\xff", b"x" * 20, b"", b"1", b"2", b"3"], "binary"),
        "w": col([b"abcd"] * n, pa.binary(4)),
        "cat": col(["a", "b", "a", "", "a rather long label", "b", "a"], "string").dictionary_encode(),
        "d": col([t.date() for t in times], "date32"),
        "ts_s": col([t.replace(microsecond=0) for t in times], pa.timestamp("s")),
        "ts_ms": col([t.replace(microsecond=7000) for t in times], pa.timestamp("ms")),
        "ts_us": col(times, pa.timestamp("us")),
        "ts_ns": col(times, pa.timestamp("ns")),
        "tz": col(times, pa.timestamp("us", "UTC")),
        "time": col([t.time() for t in times], pa.time64("us")),
        "dec": col([decimal.Decimal(f"{i}.25") for i in range(n)], pa.decimal128(12, 2)),
        "l": col([[1, 2], [], [3], [], [None, 4], [5] * 3000, [6]], pa.list_(pa.int64())),
        "ll": col([[[1], []], [], [[2, 3]], [], [], [[4]], [[5]]], pa.list_(pa.list_(pa.int16()))),
        "ls": col([["a", "bb"], [], ["thirteen byte"], [], ["c"], ["d"], []], pa.list_(pa.string())),
        "fl": pa.array([[1.0, 2.0]] * n, pa.list_(pa.float64(), 2)),
        "st": pa.array([{"x": i, "y": i / 2} for i in range(n)], pa.struct([("x", pa.int32()), ("y", pa.float64())])),
    })
    durations = pa.table({"k": pa.array(range(3), "int32"),
                          "du": pa.array([1, None, -90061000001], pa.duration("us"))})
    feather.write_feather(table, "all.arrow", compression="uncompressed")
    feather.write_feather(durations, "du.arrow", compression="uncompressed")
    big = pa.table({"id": pa.array(range(200000), "int64"),
                    "key": pa.array([i % 7 for i in range(200000)], "int16"),
                    "v": pa.array([(i * 7919 % 10007) / 8 for i in range(200000)], "float64"),
                    "word": pa.array([f"w{i % 13}" for i in range(200000)])})
    feather.write_feather(big, "big.arrow", compression="uncompressed")
    pq.write_table(big, "big.parquet")
    names = pa.table({"key": pa.array([0, 1, 2, 3, 9], "int64"), "name": ["zero", "one", "two", None, "nine"]})
    feather.write_feather(names, "names.arrow", compression="uncompressed")
    pq.write_table(names, "names.parquet")
"""

# Asks DuckDB's module, and prints what it says as JSON.
ASK = """if True:
    import duckdb, json, sys
    import pyarrow.feather as feather
    con = duckdb.connect()
    con.execute("set TimeZone = 'UTC'")
    answers = []
    all = feather.read_table("all.arrow").drop_columns(["f16"])
    for sql in json.load(open("questions.json")):
        rows = con.execute(sql).fetchall()
        answers.append([[repr(x) for x in row] for row in rows])
    json.dump(answers, sys.stdout)
"""

# The same of Arrow files.
READ = """if True:
    import decimal, duckdb, json, sys
    import pyarrow.feather as feather
    answers = []
    for i in range(json.load(open("files.json"))):
        t = feather.read_table(f"{i}.arrow")
        # DuckDB's 128-bit integers are decimals of Arrow.
        answers.append([[repr(int(x) if isinstance(x, decimal.Decimal) else x) for x in row]
                        for row in duckdb.sql("from t").fetchall()])
    json.dump(answers, sys.stdout)
"""

COLUMNS = """k i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 b s z w cat d ts_s ts_ms ts_us ts_ns tz time dec l ll ls fl st
""".split()

# With {all}, {big} and {names} for the tables.
QUESTIONS = [
    f"select {', '.join(f'{c}::varchar, typeof({c})' for c in COLUMNS if c not in ('cat', 'z', 'w'))} "
    "from {all} order by k",
    "select k, hex(z), hex(w), cat from {all} order by k",
    "select count(*), count(s), count(f64), count(l), count(i8) from {all}",
    "select k, len(l), l[1], list_sum(l), ll[1], ls[1], fl[2], st.x, st from {all} order by k",
    "select max(u64), min(i64), sum(u64)::varchar, avg(dec)::varchar from {all}",
    "select date_trunc('month', ts_us)::varchar, count(*) from {all} group by 1 order by 1 nulls last",
    "select k from {all} where f64 > 5 order by k",
    "select k from {all} where not f32 <= 1.5 order by k",
    "select cat, count(*), max(s) from {all} group by cat order by cat nulls first",
    "select count(*), sum(v), min(word), max(id) from {big}",
    "select key, count(*), avg(v), max(word) from {big} where v > 600 and word <> 'w3' group by key order by key",
    "select name, count(*), sum(v) from {big} b left join {names} n using (key) group by name order by 1 nulls first",
    "select n.key, name, count(id) from {names} n left join {big} b on n.key = b.key and b.v < 10 group by all order by 1",
    "select a.id from {big} a join {big} b on a.id = b.id + 1 where b.v > 1250 and a.key = 3 order by 1 limit 20",
    "select id, v, lag(v) over (partition by key order by id), rank() over (order by v desc, id) r from {big} "
    "qualify r <= 10 order by r",
    "with top as (select key, max(v) m from {big} group by key) "
    "select b.key, min(b.id) from {big} b, top where b.key = top.key and b.v = top.m group by b.key order by 1",
    "with recursive t(n) as (select 1 union all select n + 1 from t where n < 5) "
    "select n, (select count(*) from {big} where id % n = 0) from t order by n",
    "pivot {big} on key using count(*) group by word order by word",
    "select * from (from {big} select key, word, v) unpivot (x for what in (v)) order by 1, 2, 4 limit 7",
    "select count(*) from {big} where exists (select 1 from {names} n where n.key = {big_name}.key and name is not null)",
    "select key from {big} where id < 10 except select key from {names} order by 1",
    "select key from {big} where v = (select max(v) from {big}) intersect all select key from {big} order by 1",
    "select id from {big} where id in (select key * 1000 from {names}) or id is null order by id",
    "select count(*) from {big} where word like 'w1%' and id between 100 and 5000",
    "select key, quantile_cont(v, 0.9), string_agg(distinct word, ',' order by word) from {big} "
    "group by rollup(key) order by key nulls last",
    "select id from {big} order by v desc, id limit 5 offset 3",
]

# Each is pushed down, but for those of NOT_PUSHED.
CONDITIONS = [
    "f64 > 5", "f64 >= 0.1", "f64 < 5", "f64 <= 1e300", "f64 <> -2", "f64 = 0", "not f64 > 5", "5 < f64",
    "f64 between -1 and 1e301", "not (f64 between -1 and 2)", "f64 in (0.1, -2)", "f64 not in (0.1, -2)",
    "f32 > 1.25", "f32 = 1.5", "f32 <> 1.5", "not f32 < 1.5", "f32 in (1.5, -2)", "f16 > 1.5", "f16 <= 4",
    "i8 > 2", "i64 <= 3", "u64 = 2", "u64 > 1000000", "i32 in (1, 3, 99)", "i16 <> 2", "i16 not in (1)", "u8 = 2.0",
    "i32 > 2.5", "i64 > -1e10", "i64 < 1e15", "u8 > 250 and (i8 is not null or k = 1)", "i8 is null",
    "s <> 'short'", "s < 'm'", "s >= 'α'", "s in ('short', 'x')", "s like 'th%'",
    "s = 'it''s'", "cat = 'a'", "cat <> 'a'", "cat > 'a'", "cat in ('a', 'q')", "cat is null", "cat like 'a%'",
    "d = '2024-02-29'", "d > date '2024-05-01'", "d between '2024-03-01' and '2024-08-01'", "d <> '2024-02-29'",
    "ts_us > '2024-05-01'", "ts_us >= timestamp '2024-04-06 12:30:15'", "ts_ms < '2024-05-01 00:00:00'",
    "ts_s = '2024-02-29 12:30:15'", "ts_s <= '2024-04-06 12:30:15'", "ts_ns >= timestamp '2024-04-06 12:30:15'",
    "ts_ns < date '2024-06-01'", "ts_ns > '2024-06-01'", "not (s = 'short' or f64 > 1)", "K = 3 and S is null",
    "f32 > 0.1", "f32 = 0.1", "u64 > 18446744073709551610", "i64 = 9223372036854775806", "s like 'a_c%'",
    "tz > '2024-05-01'", "ts_ns <= timestamp '2024-04-06 12:30:15'", "time > '12:00:00'", "dec > 3", "b", "b = true",
    "u8 = i8", "s = ''", "s = k::varchar", "k + 1 = 2", "length(s) = 5", "s not like '%e%'", "l is null and k + 1 > 0 or k = -1",
]  # fmt: skip
NOT_PUSHED = CONDITIONS[CONDITIONS.index("f32 > 0.1") :]


class Sql(stoa_test.SharedPeersTestCase):
    @classmethod
    def make(cls, shared):
        shared.peer_python(MAKE)
        for name in ("all", "big", "names", "du"):
            shared.stoa("import", f"{shared.dir}/{name}.arrow", f"{shared.dir}/x.h5:/{name}")

    def sql(self, statement, *options, **more):
        return self.stoa("sql", statement, *options, cwd=self.shared.dir, **more).stdout

    def ask(self, questions):
        """DuckDB's module on Parquet, and `stoa sql` on HDF5, through Arrow files that pyarrow reads."""
        self.shared.write("questions.json", json.dumps(questions))
        return json.loads(self.shared.peer_python(ASK))

    def fill(self, question, form):
        found = question.replace("{big_name}", '"big.parquet"' if form == "parquet" else '"x.h5:/big"')
        for name in ("all", "big", "names"):
            peer = '"all"' if name == "all" else f"'{name}.parquet'"
            found = found.replace(f"{{{name}}}", peer if form == "parquet" else f"'x.h5:/{name}'")
        return found

    def test_answers_are_those_of_duckdb(self):
        wanted = self.ask([self.fill(q, "parquet").replace('"big.parquet".key', "big.key") for q in QUESTIONS])
        # Every answer becomes a file of Arrow, which DuckDB's module reads as it reads its own.
        for i, question in enumerate(QUESTIONS):
            self.sql(self.fill(question, "hdf5"), "-o", f"{self.shared.dir}/{i}.arrow")
        self.shared.write("files.json", json.dumps(len(QUESTIONS)))
        found = json.loads(self.shared.peer_python(READ))
        for question, a, b in zip(QUESTIONS, found, wanted):
            self.assertEqual(a, b, question)

    def test_a_text_that_is_not_utf8_is_refused_beside_its_other_half(self):
        self.shared.peer_python("""if True:
            import h5py, numpy as np
            with h5py.File("halves.h5", "w") as file:
                for name, halves in ("good", ["a", "€", "bc"]), ("bad", [b"a", b"\\xc3", b"\\xa9", b"b"]):
                    raw = np.array([h.encode() if name == "good" else h for h in halves])
                    file[f"{name}/k"] = np.arange(len(halves))
                    file[f"{name}/s"] = raw.astype(h5py.string_dtype("utf-8", raw.dtype.itemsize))
        """)
        self.assertEqual(self.sql("select k, s from 'halves.h5:/good'", "-f", "csv").split(), ["k,s", "0,a", "1,€", "2,bc"])
        self.assertIn("'s' has a text that is not UTF-8", self.stoa(
            "sql", "select k, s from 'halves.h5:/bad'", cwd=self.shared.dir, status=3).stderr)  # fmt: skip

    def test_filters_pushed_down_change_no_answer(self):
        """A scan that is called by its name gets no hint; the same condition must leave the same rows."""
        same = ", ".join(
            f"(select list(k order by k) from 'x.h5:/all' where {c}) is not distinct from "
            f"(select list(k order by k) from read_stoa('x.h5:/all') where {c})"
            for c in CONDITIONS
        )
        answer = self.sql(f"select {same}", "-f", "csv").splitlines()[-1].split(",")
        wrong = [c for c, is_same in zip(CONDITIONS, answer, strict=True) if is_same != "true"]
        self.assertEqual(wrong, [])
        pushed = self.pushed("; ".join(f"select k from 'x.h5:/all' where {c}" for c in CONDITIONS))
        left = [c for c, hint in zip(CONDITIONS, pushed, strict=True) if hint == "none"]
        self.assertEqual(left, NOT_PUSHED)

    def pushed(self, statement):
        plans = self.sql(statement, "--explain").splitlines()
        return [line.removeprefix("filter pushed down: ") for line in plans if line.startswith("filter pushed")]

    def test_a_join_pushes_down_what_it_may(self):
        tables = "'x.h5:/big' b {} 'x.h5:/names' n"
        same = []
        for join, condition, wanted in (
            ("join", "on b.key = n.key where v > 3 and name = 'one'", {"v", "name"}),
            ("join", "on b.key = n.key and b.id < 9 and n.name = 'one'", {"id", "name"}),
            ("join", "using (key) where key = 3 and v > 3", {"v"}),
            ("left join", "on b.key = n.key and b.id < 9 and n.name = 'one'", {"name"}),
            ("left join", "on b.key = n.key where b.id < 9 and n.name = 'one'", {"id", "name"}),
            ("left join", "on b.key = n.key where n.name is null", set()),
            ("left join", "on b.key = n.key where b.word is null", {"word"}),
            ("left join", "on b.key = n.key where not (n.name is not null)", set()),
            ("left join", "on b.key = n.key where n.name = 'one' or n.name is null", set()),
            ("right join", "on b.key = n.key and b.id < 9 and n.name = 'one'", {"id"}),
            ("full join", "on b.key = n.key and b.id < 9 and n.name = 'one'", set()),
            ("full join", "on b.key = n.key where b.id < 9 and n.name is null", {"id"}),
            ("semi join", "on b.key = n.key and n.name = 'one' where b.id < 9", {"id"}),
            ("anti join", "on b.key = n.key and b.id < 9 where b.v > 3", {"v"}),
            ("positional join", "where id < 9", set()),
            ("asof join", "on b.key >= n.key where name = 'one' and id < 9", {"id"}),
            (",", "where b.key = n.key and b.id < 9", {"id"}),
        ):
            select = f"select count(*) from {tables.format(join)} {condition}"
            hints = " ".join(self.pushed(select))
            found = {c for c in ("id", "v", "word", "name", "key") if f'"{c}"' in hints}
            self.assertEqual(found, wanted, select)
            plain = select.replace("'x.h5:/big'", "read_stoa('x.h5:/big')").replace(
                "'x.h5:/names'", "read_stoa('x.h5:/names')"
            )
            same.append(f"({select}) = ({plain})")
        answer = self.sql(f"select {', '.join(same)}", "-f", "csv").splitlines()[-1]
        self.assertEqual(set(answer.split(",")), {"true"}, answer)

    def test_other_tables_of_the_same_place_keep_their_rows(self):
        for statement in (
            "create view v as from 'x.h5:/big'; select (select count(*) from v), count(*) from 'x.h5:/big' where id < 5",
            "select (select count(*) from 'x.h5:/big'), count(*) from 'x.h5:/big' where id < 5",
            "with c as (from 'x.h5:/big') select (select count(*) from c), count(*) from c where id < 5",
            "select (select count(*) from 'x.h5:/big' b where b.id >= n.n), count(*) from "
            "'x.h5:/big', (select 0 as n) n where id < 5 group by n.n",
        ):
            self.assertEqual(self.sql(statement, "-f", "csv").splitlines()[1], "200000,5", statement)
        sample = "select count(*) > 0 as x from 'x.h5:/big' tablesample reservoir(10 rows) where id >= 0"
        self.assertEqual(self.pushed(sample), ["none"])

    def test_an_index_is_used_and_chunks_are_skipped(self):
        shared = f"{self.shared.dir}/i.h5:/big"
        self.stoa("import", f"{self.shared.dir}/big.arrow", shared, "--chunk", "8192")
        self.stoa("index", "add", shared, "id", "--kind", "sorted")
        plan = self.sql("select sum(v) from 'i.h5:/big' where id between 70000 and 70010", "--explain")
        self.assertIn("SORTED_ROWS: 11 rows", plan)
        self.assertIn("24 chunks skipped", plan)


if __name__ == "__main__":
    stoa_test.needs_duckdb()
    stoa_test.main()
