"""Every type that pyarrow, Polars, DuckDB and pandas have, there and back: equal, or refused by name.

Hypothesis drives the cases where it is installed, and a seeded generator where it is not. STOA_EFFORT is a factor
of their number.
"""

import datetime
import decimal
import math
import os
import random
import tempfile
import unittest
import uuid
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pystoa

try:
    import hypothesis
except ImportError:
    hypothesis = None

EFFORT = float(os.environ.get("STOA_EFFORT", "1"))
SEED = int(os.environ.get("STOA_SEED", "1"))
UNITS = ("s", "ms", "us", "ns")
ZONES = (None, "UTC", "Europe/Berlin", "+02:00")
WORDS = ("", "a", "ä", "muon", "a text of more than twelve bytes", "\u001a", "line\nbreak", "0")


def cases(n):
    """Run a test with many sources of randomness."""

    def wrap(test):
        def many(self):
            for i in range(max(1, int(n * EFFORT))):
                rng = random.Random(SEED * 1_000_003 + i)
                with self.subTest(case=i):
                    test(self, rng)

        if hypothesis is None:
            many.__name__ = test.__name__
            return many
        settings = hypothesis.settings(
            max_examples=max(1, int(n * EFFORT)), deadline=None, database=None, print_blob=False,
            suppress_health_check=list(hypothesis.HealthCheck),
        )  # fmt: skip
        rngs = hypothesis.strategies.randoms(use_true_random=False)
        return hypothesis.seed(SEED)(settings(hypothesis.given(rng=rngs)(test)))

    return wrap


def same(value):
    """A value that equals itself, and tells 1 from True and from 1.0."""
    if isinstance(value, dict):
        return {name: same(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [same(part) for part in value]
    if isinstance(value, float):
        return "nan" if math.isnan(value) else (math.copysign(1, value), value)
    return type(value).__name__, value


def length(rng):
    return rng.choice((0, 1, 1, 2, 3, rng.randrange(4, 40)))


def integer(rng, bits, is_signed):
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
    return rng.choice((0, 1, 7, low, high, low + 1, high - 1, rng.randint(low, high)))


def number(rng):
    return rng.choice((0.0, -0.0, 1.5, -2.25, math.inf, -math.inf, math.nan, 65504.0, rng.randrange(-999, 999) / 8))


def digits(rng, precision, scale):
    return decimal.Decimal(rng.randint(1 - 10**precision, 10**precision - 1)).scaleb(-scale)


def day(rng):
    return datetime.date(1970, 1, 1) + datetime.timedelta(days=rng.randrange(-30000, 30000))


def blob(rng):
    return bytes(rng.randrange(256) for _ in range(rng.choice((0, 1, 3, 30))))


class Case(unittest.TestCase):
    n_kept = 0
    n_refused = 0

    def written(self, data):
        """A table of the data, or None if its column was refused by name."""
        self.leave()
        folder = tempfile.TemporaryDirectory()
        path = Path(folder.name) / "a.h5"
        try:
            pystoa.write(path, "/t", data)
        except pystoa.Error as error:
            self.assertRegex(str(error), r"\bx\b")
            self.assertFalse(path.exists())
            type(self).n_refused += 1
            folder.cleanup()
            return None
        type(self).n_kept += 1
        table = pystoa.open(path, "/t")
        self.folders.append((table, folder))
        return table

    def run(self, result=None):
        self.folders = []
        found = super().run(result)
        self.leave()
        return found

    def leave(self):
        for table, folder in self.folders:
            table.close()
            folder.cleanup()
        self.folders.clear()


class Arrow(Case):
    def leaf(self, rng):
        unit = rng.choice(UNITS)
        plain = [
            *((lambda b=b, s=s: ((pa.int8(), pa.int16(), pa.int32(), pa.int64()) if s else
                                 (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()))[b],
               lambda b=b, s=s: integer(rng, 8 << b, s)) for b in range(4) for s in (True, False)),
            (pa.bool_, lambda: rng.random() < 0.5), (pa.float64, lambda: number(rng)),
            (pa.float32, lambda: number(rng)), (pa.float16, lambda: number(rng)),
            (pa.string, lambda: rng.choice(WORDS)), (pa.large_string, lambda: rng.choice(WORDS)),
            (pa.string_view, lambda: rng.choice(WORDS)), (pa.binary, lambda: blob(rng)),
            (pa.large_binary, lambda: blob(rng)), (pa.binary_view, lambda: blob(rng)),
            (lambda: pa.binary(3), lambda: bytes(rng.choices((0, 255, 7), k=3))),
            (pa.date32, lambda: day(rng)), (pa.date64, lambda: day(rng)), (pa.null, lambda: None),
            (lambda: pa.timestamp(unit, rng.choice(ZONES)), lambda: rng.randrange(-10**9, 2 * 10**9)),
            (lambda: pa.duration(unit), lambda: rng.randrange(-10**9, 10**9)),
            (lambda: pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit), lambda: rng.randrange(86400)),
            (lambda: pa.decimal128(15, 4), lambda: digits(rng, 15, 4)),
            (lambda: pa.decimal256(50, 0), lambda: digits(rng, 18, 0)),
            (lambda: pa.decimal128(38, 20), lambda: digits(rng, rng.choice((5, 30)), 20)),
        ]  # fmt: skip
        make, value = rng.choice(plain)
        return make(), value

    def kind(self, rng, depth):
        """A type, and a function that makes its values."""
        if depth == 0 or rng.random() < 0.5:
            return self.leaf(rng)
        item, value = self.kind(rng, depth - 1)

        def some():
            return None if rng.random() < 0.1 else value()

        lists = (pa.list_, pa.large_list, pa.list_view, pa.large_list_view)
        choice = rng.randrange(4)
        if choice < 2:
            return rng.choice(lists)(item), lambda: [some() for _ in range(rng.randrange(4))]
        if choice == 2:
            return pa.list_(item, 2), lambda: [value(), value()]
        other, more = self.kind(rng, 0)
        return pa.struct([("a", item), ("b", other)]), lambda: {"a": value(), "b": more()}

    def column(self, rng):
        type, value = self.kind(rng, rng.randrange(3))
        missing = rng.choice((0, 0, 0.3, 1))
        values = [None if rng.random() < missing else value() for _ in range(length(rng))]
        try:
            array = pa.array(values, type)
        except pa.ArrowNotImplementedError:  # pyarrow makes some types of others only
            array = pa.nulls(len(values))
        if rng.random() < 0.2 and not pa.types.is_nested(type) and not pa.types.is_null(type):
            try:
                array = array.dictionary_encode() if rng.random() < 0.5 else pa.compute.run_end_encode(array)
            except pa.ArrowNotImplementedError:
                pass
        first = rng.randrange(3)
        chunks = [array[first:], array[:0], array] if rng.random() < 0.3 else [array[first:]]
        return pa.chunked_array(chunks, array.type)

    def test_a_column_comes_back(self):
        self.check_columns()
        self.assertGreater(self.n_kept, 3 * self.n_refused)

    @cases(400)
    def check_columns(self, rng):
        column = self.column(rng)
        table = self.written(pa.table({"x": column}))
        if table is not None:
            found = table.to_arrow()["x"]
            self.assertEqual(same(ticks(found)), same(ticks(column)), column.type)
            self.assertEqual(kind_of(found.type), kind_of(column.type))
            table.append(pa.table({"x": column}))
            self.assertEqual(same(ticks(table.to_arrow()["x"])), same(ticks(column) * 2), column.type)

    def test_a_million_rows(self):
        n = 1_000_000
        i = pa.array(range(n))
        data = pa.table({
            "i": i, "d": pa.compute.divide(i.cast(pa.float64()), 4.0).cast(pa.decimal128(15, 2)), "s": pa.compute.cast(i, pa.string()).cast(pa.string_view()),
            "t": i.cast(pa.int32()).cast(pa.time32("ms")),
            "v": pa.ListArray.from_arrays(pa.array(range(0, 2 * n + 1, 2), pa.int32()), pa.array(range(2 * n))),
            "m": pa.compute.if_else(pa.compute.equal(pa.compute.bit_wise_and(i, 3), 0), None, i),
        })  # fmt: skip
        table = self.written(data)
        found = table.to_arrow()
        for name in data.column_names:
            wanted = data[name].cast(pa.string()) if name == "s" else data[name]
            self.assertTrue(found[name].combine_chunks().equals(wanted.combine_chunks()), name)


def ticks(column):
    """Values as Python objects, times as the ticks that they count."""
    type = column.type
    if pa.types.is_timestamp(type) or pa.types.is_duration(type) or pa.types.is_time64(type):
        return column.cast(pa.int64()).to_pylist()
    if pa.types.is_run_end_encoded(type):
        return [value for chunk in column.chunks for value in runs(chunk)]
    if "[ns" in str(type):  # inside of lists and structs: Python's times have microseconds
        return [str(value) for value in column.to_pylist()]
    return column.to_pylist()


def runs(array):
    """The values of a run-end encoded array, whose scalars lose their type in pyarrow."""
    values = ticks(pa.chunked_array([array.values]))
    ends = array.run_ends.to_pylist()
    rows = [value for value, first, end in zip(values, [0, *ends], ends) for _ in range(end - first)]
    return rows[array.offset : array.offset + len(array)]


def kind_of(type):
    """The type without its form: how it is laid out."""
    for test in ("list_view", "large_list_view", "large_list", "list"):
        if getattr(pa.types, f"is_{test}")(type):
            return ["list", kind_of(type.value_type)]
    if pa.types.is_fixed_size_list(type):
        return [type.list_size, kind_of(type.value_type)]
    if pa.types.is_struct(type):
        return [(field.name, kind_of(field.type)) for field in type]
    if pa.types.is_dictionary(type) or pa.types.is_run_end_encoded(type):
        return kind_of(type.value_type)
    if pa.types.is_null(type):
        return "string"
    return str(type).replace("large_", "").replace("_view", "").replace("date64[ms]", "date32[day]")



class Polars(Case):
    def leaf(self, rng):
        unit = rng.choice(UNITS[1:])
        ints = [(type, 8 * 2 ** (i % 4), i < 4) for i, type in enumerate(
            (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64))]  # fmt: skip
        type, bits, is_signed = rng.choice(ints)
        return rng.choice([
            (type, lambda: integer(rng, bits, is_signed)), (pl.Boolean, lambda: rng.random() < 0.5),
            (pl.Float64, lambda: number(rng)), (pl.Float32, lambda: number(rng)), (pl.Float16, lambda: number(rng)),
            (pl.String, lambda: rng.choice(WORDS)), (pl.Binary, lambda: blob(rng)), (pl.Date, lambda: day(rng)),
            (pl.Time, lambda: datetime.time(rng.randrange(24), 59, 1, rng.randrange(10**6))),
            (pl.Datetime(unit, rng.choice(ZONES[:3])), lambda: datetime.datetime(2026, 1, 1)
             + datetime.timedelta(milliseconds=rng.randrange(10**9))),
            (pl.Duration(unit), lambda: datetime.timedelta(milliseconds=rng.randrange(-10**9, 10**9))),
            (pl.Decimal(15, 3), lambda: digits(rng, 15, 3)), (pl.Decimal(38, 0), lambda: digits(rng, 18, 0)),
            (pl.Decimal(38, 20), lambda: digits(rng, rng.choice((5, 30)), 20)), (pl.Null, lambda: None),
            (pl.Int128, lambda: integer(rng, rng.choice((32, 128)), True)),
        ])  # fmt: skip

    def kind(self, rng, depth):
        if depth == 0:
            if rng.random() < 0.1:
                return rng.choice((pl.Categorical(), pl.Enum(WORDS))), lambda: rng.choice(WORDS)
            return self.leaf(rng)
        item, value = self.leaf(rng) if depth == 1 else self.kind(rng, depth - 1)
        choice = rng.randrange(4)
        if choice < 2:
            return pl.List(item), lambda: [None if rng.random() < 0.1 else value() for _ in range(rng.randrange(4))]
        if choice == 2:
            return pl.Array(item, 2), lambda: [value(), value()]
        other, more = self.leaf(rng)
        return pl.Struct({"a": item, "b": other}), lambda: {"a": value(), "b": more()}

    def test_a_column_comes_back(self):
        self.check_columns()
        self.assertGreater(self.n_kept, 3 * self.n_refused)

    @cases(300)
    def check_columns(self, rng):
        type, value = self.kind(rng, rng.randrange(3))
        missing = rng.choice((0, 0, 0.3, 1))
        column = pl.Series("x", [None if rng.random() < missing else value() for _ in range(length(rng))], type)
        if rng.random() < 0.3:
            column = pl.concat([column[1:], column], rechunk=False)
        table = self.written(column.to_frame())
        if table is not None:
            found = table.to_polars()["x"]
            self.assertEqual(same(found.to_list()), same(column.to_list()), type)
            self.assertEqual(polars_kind(found.dtype), polars_kind(type))


def polars_kind(type):
    """The type without the labels that an Enum may have."""
    if type in (pl.Categorical, pl.Enum):
        return "labels"
    if type == pl.Null:
        return pl.String
    if type.is_nested():
        parts = [field.dtype for field in type.fields] if type == pl.Struct else [type.inner]
        return [type.base_type(), *map(polars_kind, parts)]
    return type


class DuckDB(Case):
    def leaf(self, rng):
        unsigned = rng.choice((8, 16, 32, 64))
        names = {8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT"}
        moment = lambda: f"2026-0{rng.randrange(1, 10)}-11 12:34:56"  # noqa: E731
        return rng.choice([
            ("U" + names[unsigned], lambda: str(integer(rng, unsigned, False))),
            (names[unsigned], lambda: str(integer(rng, unsigned, True))),
            ("HUGEINT", lambda: str(integer(rng, rng.choice((64, 64, 120)), True))),
            ("FLOAT", lambda: str(number(rng))), ("DOUBLE", lambda: str(number(rng))),
            ("BOOLEAN", lambda: str(rng.random() < 0.5)), ("VARCHAR", lambda: rng.choice(WORDS)),
            ("BLOB", lambda: "".join(f"\\x{byte:02x}" for byte in blob(rng))), ("DATE", lambda: str(day(rng))),
            ("TIME", lambda: f"{rng.randrange(24):02}:59:01.{rng.randrange(10**6):06}"),
            ("TIMESTAMP", lambda: moment() + ".123456"), ("TIMESTAMP_S", moment),
            ("TIMESTAMP_MS", lambda: moment() + ".123"), ("TIMESTAMP_NS", lambda: moment() + ".123456"),
            ("TIMESTAMPTZ", lambda: moment() + ".123456+02"), ("DECIMAL(4,1)", lambda: str(digits(rng, 4, 1))),
            ("DECIMAL(15,3)", lambda: str(digits(rng, 15, 3))), ("DECIMAL(38,9)", lambda: str(digits(rng, 20, 9))),
            ("UUID", lambda: str(uuid.UUID(int=rng.getrandbits(128)))), ("INTERVAL", lambda: "1 month 2 days"),
            ("ENUM('a', 'muon', '')", lambda: rng.choice(("a", "muon", ""))),
        ])  # fmt: skip

    def test_a_column_comes_back(self):
        self.check_columns()
        self.assertGreater(self.n_kept, 3 * self.n_refused)

    @cases(200)
    def check_columns(self, rng):
        type, value = self.leaf(rng)
        missing = rng.choice((0, 0, 0.3, 1))
        values = [None if rng.random() < missing else value() for _ in range(length(rng))]
        shape = rng.choice(("{}", "{}", "[{}]", "{{'a': {}}}", "[[{}], []]", "[{}, {}]::{}[2]"))
        cell = shape.format("v", "v", type) if shape.endswith("[2]") else shape.format("v")
        with duckdb.connect() as con:
            is_exact = shape in ("{}", "[{}]") and rng.random() < 0.5  # parts of structs keep no extension
            con.execute(f"set arrow_lossless_conversion = {is_exact}")
            con.execute("create table raw (i integer, v varchar)")
            if values:
                con.executemany("insert into raw values (?, ?)", list(enumerate(values)))
            con.execute(f"create table made as select i, v::{type} as v from raw")
            source = con.sql(f"select {cell} as x from made order by i")
            arrow = source.to_arrow_table()  # what DuckDB itself makes of its types
            passed = con.sql("select * from arrow")
            wanted, kind = passed.fetchall(), str(passed.types[0])
            stored = self.written(source)
            if stored is not None:
                found = con.sql("select * from stored")
                self.assertEqual(same(found.fetchall()), same(wanted), kind)
                if "ENUM" not in kind:
                    self.assertEqual(str(con.sql("select * from stored").types[0]), kind)


class Pandas(Case):
    def column(self, rng):
        n = length(rng)

        def some(make):
            return [None if rng.random() < missing else make() for _ in range(n)]

        missing = rng.choice((0, 0.3, 1))
        bits = rng.choice((8, 16, 32, 64))
        unit = rng.choice(UNITS)
        moments = [pd.Timestamp(2026, 1, 1) + pd.Timedelta(seconds=rng.randrange(10**6)) for _ in range(n)]
        moment = iter(moments)
        return rng.choice([
            lambda: pd.Series([integer(rng, bits, True) for _ in range(n)], dtype=f"int{bits}"),
            lambda: pd.Series([integer(rng, bits, False) for _ in range(n)], dtype=f"uint{bits}"),
            lambda: pd.Series(some(lambda: integer(rng, bits, True)), dtype=f"Int{bits}"),
            lambda: pd.Series(some(lambda: rng.random() < 0.5), dtype="boolean"),
            lambda: pd.Series([rng.random() < 0.5 for _ in range(n)], dtype=bool),
            lambda: pd.Series([rng.randrange(-999, 999) / 8 for _ in range(n)], dtype=rng.choice(("f2", "f4", "f8"))),
            lambda: pd.Series(some(lambda: rng.choice(WORDS)), dtype="str"),
            lambda: pd.Series(some(lambda: rng.choice(WORDS)), dtype="string[pyarrow]"),
            lambda: pd.Series(some(lambda: rng.choice(WORDS)), dtype=object),
            lambda: pd.Series(some(lambda: blob(rng)), dtype=object),
            lambda: pd.Series(some(lambda: digits(rng, 9, 2)), dtype=object),
            lambda: pd.Series(some(lambda: day(rng)), dtype=object),
            lambda: pd.Series(some(lambda: datetime.time(rng.randrange(24), 5)), dtype=object),
            lambda: pd.Series(some(lambda: next(moment)), dtype=f"datetime64[{unit}]"),
            lambda: pd.Series(some(lambda: next(moment))).astype(f"datetime64[{unit}]").dt.tz_localize(
                rng.choice(ZONES[1:3])),
            lambda: pd.Series(some(lambda: pd.Timedelta(seconds=rng.randrange(10**6))), dtype=f"timedelta64[{unit}]"),
            lambda: pd.Series(pd.Categorical(some(lambda: rng.choice(WORDS)), WORDS, ordered=rng.random() < 0.5)),
            lambda: pd.Series(pd.Categorical(some(lambda: rng.randrange(5)), range(5))),
        ])()  # fmt: skip

    def test_a_column_comes_back(self):
        self.check_columns()
        self.assertGreater(self.n_kept, 10 * self.n_refused)

    @cases(200)
    def check_columns(self, rng):
        column = self.column(rng)
        table = self.written(pd.DataFrame({"x": column}))
        if table is not None:
            found = table.to_pandas()["x"]
            self.assertEqual(
                [None if pd.isna(value) else value for value in found.tolist()],
                [None if pd.isna(value) else value for value in column.tolist()],
            )
            if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biufMm" and len(column):
                self.assertEqual(found.dtype, column.dtype)
            if isinstance(column.dtype, pd.CategoricalDtype):
                self.assertEqual(found.dtype.ordered, column.dtype.ordered)


class Ranges(Case):
    """Numbers whose type has no value left, or hardly one, to stand for a missing one (HEP001 §8.5)."""

    def arrays(self):
        for bits in (8, 16, 32, 64):
            for sort in "iu":
                info = np.iinfo(f"{sort}{bits // 8}")
                ends = [*range(info.min, info.min + 40), 0, 1, *range(info.max - 40, info.max + 1)]
                all_bits = np.arange(2 ** min(bits, 16), dtype=f"u{bits // 8}")
                yield all_bits.view(info.dtype) if bits < 32 else np.array(ends, info.dtype)
        yield np.arange(65536, dtype="u2").view("f2")
        yield np.array([0.5, np.inf, -np.inf, np.nan], "f2")

    def test_all_values_come_back_with_their_type(self):
        for values in self.arrays():
            numbers = pa.array(values)
            for x in (numbers, pa.concat_arrays([numbers, pa.nulls(1, numbers.type)])):
                for wanted in (x, pa.ListArray.from_arrays([0, len(x), len(x)], x)):
                    whole = pa.table({"x": wanted})
                    for batches in ([whole], [whole[-2:], whole]):
                        with self.subTest(type=wanted.type, missing=x.null_count, rows=[len(b) for b in batches]):
                            table = self.written(batches[0])
                            for batch in batches[1:]:
                                table.append(batch)
                            self.check_peers(table, pa.concat_tables(batches).combine_chunks()["x"])

    def check_peers(self, ours, wanted):
        series = ours.to_polars()["x"]
        is_list, is_float = pa.types.is_list(wanted.type), "halffloat" in str(wanted.type)
        self.assertEqual(kind_of(ours.to_arrow()["x"].type), kind_of(wanted.type))
        self.assertEqual(series.dtype, pl.Series("x", wanted).dtype)
        self.assertTrue(series.equals(pl.Series("x", wanted), null_equal=True))
        if "int64" not in str(wanted.type):  # these have no wider type (docs/hep001.md#wider-numbers)
            self.assertEqual(ours.check(strict=True), [])
        if not is_float:  # DuckDB has none of 16 bits
            with duckdb.connect() as con:
                theirs = pa.table({"x": wanted})
                self.assertEqual(con.sql("select x from ours").types, con.sql("select x from theirs").types)
                self.assertEqual(con.sql("from (select x from ours) except all from theirs").fetchall(), [])
        if not is_list and not is_float:
            nullable = ours.to_pandas(dtype_backend="numpy_nullable")["x"].dtype
            self.assertEqual(str(nullable).lower(), str(wanted.type))
        if not is_list and wanted.null_count == 0:
            found = ours.to_pandas()["x"].to_numpy()
            self.assertEqual(found.dtype, wanted.to_numpy().dtype)
            np.testing.assert_array_equal(found, wanted.to_numpy())

    def test_other_values_make_the_column_as_wide_as_they_are(self):
        integers = list(range(-128, 128))
        columns = [
            (pa.array(integers, pa.int8()), pa.array([300]), pa.int16(), "x * 3", pa.int16()),
            (pa.array([integers, [1]], pa.list_(pa.int8())), pa.array([[7, 300]]), pa.list_(pa.int16()), "[1000]", pa.list_(pa.int16())),
            (pa.array(np.array([np.inf, -np.inf, np.nan, 0.5], "f2")), pa.array([0.1]), pa.float64(), "0.1", pa.float32()),
        ]
        for column, more, wider, value, wide in columns:
            narrow = column.slice(len(column) - 1)
            with self.subTest(type=column.type):
                table = self.written(pa.table({"x": column}))
                table.append(pa.table({"x": narrow.cast(wider)}))  # of another type, but no other values
                self.assertEqual(kind_of(table.to_arrow()["x"].type), kind_of(column.type))
                table.append(pa.table({"x": more}))
                found = table.to_arrow()["x"]
                self.assertEqual(kind_of(found.type), kind_of(wider))
                self.assertEqual(same(found.to_pylist()), same([*column.to_pylist(), *narrow.to_pylist(), *more.to_pylist()]))
                table = self.written(pa.table({"x": column}))
                table.update(where="true", set={"x": value})
                self.assertEqual(kind_of(table.to_arrow()["x"].type), kind_of(wide))


if __name__ == "__main__":
    unittest.main()
