"""Tables of pyarrow in and out, by Arrow's PyCapsules."""

import datetime
import decimal
import gc
import signal
import struct
import tempfile
import threading
import unittest
from pathlib import Path

import pyarrow as pa
import pystoa

UTC = datetime.timezone.utc


class Arrow(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "a.h5"

    def there_and_back(self, data, **options):
        pystoa.write(self.path, "/t", data, replace=self.path.exists(), **options)
        with pystoa.open(self.path, "/t") as table:
            return table.to_arrow()

    def test_types_come_back(self):
        moment = datetime.datetime(2026, 7, 1, 12, 30)
        types = [
            (pa.int8(), [1, None, -128, 3]), (pa.uint64(), [2**64 - 1, 0, None, 1]),
            (pa.float16(), [0.5, None, 2.0, -1.0]), (pa.float32(), [0.1, None, 1e30, 0.0]),
            (pa.float64(), [0.1, None, float("inf"), 0.0]), (pa.bool_(), [True, False, None, True]),
            (pa.string(), ["a", None, "", "ä"]), (pa.date32(), [moment.date(), None, moment.date(), None]),
            (pa.timestamp("us"), [moment, None, moment, moment]),
            (pa.timestamp("ns", "UTC"), [moment.replace(tzinfo=UTC), None, None, moment.replace(tzinfo=UTC)]),
            (pa.duration("ms"), [datetime.timedelta(seconds=5), None, None, datetime.timedelta(0)]),
            (pa.binary(3), [b"abc", b"\x00\x01\x02", b"xyz", b"def"]),
            (pa.list_(pa.int32(), 2), [[1, 2], [3, 4], [5, 6], [7, 8]]),
        ]  # fmt: skip
        for type, values in types:
            with self.subTest(type=str(type)):
                table = pa.table({"x": pa.array(values, type)})
                found = self.there_and_back(table)
                self.assertEqual(found["x"].to_pylist(), table["x"].to_pylist())
                self.assertEqual(found.schema.field("x").type, type)
                with pystoa.open(self.path, "/t") as opened:
                    ours = [row["x"] for row in opened.query().to_list()]
                self.assertEqual(ours, table["x"].to_pylist())
                sliced = self.there_and_back(table.slice(1, 2))
                self.assertEqual(sliced["x"].to_pylist(), table["x"].to_pylist()[1:3])
                self.assertEqual(self.there_and_back(table.slice(0, 0)).num_rows, 0)

    def test_lists_structs_and_categories_come_back(self):
        table = pa.table({
            "v": pa.array([[1, None], [], None, [4]], pa.list_(pa.int64())),
            "s": pa.array([["a"], ["b", "c"], [], None], pa.list_(pa.string())),
            "p": pa.array([{"x": 1, "y": 2.0}] * 4, pa.struct([("x", pa.int32()), ("y", pa.float64())])),
            "c": pa.array(["m", "p", None, "m"]).dictionary_encode(),
        })  # fmt: skip
        found = self.there_and_back(table)
        self.assertEqual(found.to_pylist(), table.to_pylist())
        with pystoa.open(self.path, "/t") as opened:
            self.assertEqual(opened.query().to_list(), table.to_pylist())
            columns = opened.to_numpy()
        self.assertEqual(columns["p"]["y"].tolist(), [2.0] * 4)
        self.assertEqual(columns["s"][1].tolist(), ["b", "c"])
        self.assertEqual(columns["c"].tolist(), ["m", "p", None, "m"])
        self.assertEqual(columns["v"][0].tolist(), [1, None])

    def test_views_of_texts_are_texts(self):
        values = ["a", None, "", "a text of more than twelve bytes", "ä" * 6, "ä" * 7]
        texts = pa.array(values, pa.string_view())
        bytes_ = pa.array([None if v is None else v.encode() for v in values], pa.binary_view())
        self.assertEqual(self.there_and_back(pa.table({"x": texts}))["x"].to_pylist(), values)
        self.assertEqual(self.there_and_back(pa.table({"x": texts}).slice(2, 3))["x"].to_pylist(), values[2:5])
        self.assertEqual(self.there_and_back(pa.table({"x": texts}).slice(0, 0)).num_rows, 0)
        chunks = pa.chunked_array([texts[:2], texts[4:], texts[3:4]])
        self.assertEqual(self.there_and_back(pa.table({"x": chunks}))["x"].to_pylist(),
                         values[:2] + values[4:] + values[3:4])  # fmt: skip
        self.assertEqual(self.there_and_back(pa.table({"x": bytes_}))["x"].to_pylist(), bytes_.to_pylist())

    def test_views_lie_in_lists_structs_and_categories_too(self):
        texts = pa.array(["a", "a text of more than twelve bytes", None, "c"], pa.string_view())
        lists = pa.ListArray.from_arrays(pa.array([0, 2, 2, 3, 4], pa.int32()), texts)
        structs = pa.StructArray.from_arrays([pa.array(["x", "y", "z", "w"], pa.string_view())], ["s"])
        codes = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, None]), pa.array(["p", "q"], pa.string_view()))
        table = pa.table({"v": lists, "c": codes})
        self.assertEqual(self.there_and_back(table).to_pylist(), table.to_pylist())
        try:
            found = self.there_and_back(pa.table({"p": structs}))
        except TypeError as error:  # as of structs with other texts
            self.assertIn("'p'", str(error).replace('"', "'"))
        else:
            self.assertEqual(found["p"].to_pylist(), structs.to_pylist())

    def test_a_view_beyond_its_buffer_is_refused(self):
        for view in (struct.pack("<i4sii", 100, b"abcd", 0, 0), struct.pack("<i4sii", 20, b"abcd", 1, 0),
                     struct.pack("<i4sii", 20, b"abcd", 0, -1), struct.pack("<i4sii", -1, b"abcd", 0, 0)):
            bad = pa.Array.from_buffers(pa.string_view(), 1, [None, pa.py_buffer(view), pa.py_buffer(b"x" * 50)])
            with self.assertRaisesRegex(ValueError, "beyond its buffer"):
                self.there_and_back(pa.table({"x": bad}))

    def test_days_in_milliseconds_are_dates(self):
        days = [datetime.date(2026, 7, 1), None, datetime.date(1969, 12, 31)]
        self.assertEqual(self.there_and_back(pa.table({"x": pa.array(days, pa.date64())}))["x"].to_pylist(), days)

    def test_types_that_hep001_lacks_come_back(self):
        d = decimal.Decimal
        time = datetime.time(23, 59, 59, 999000)
        types = [
            (pa.time32("s"), [datetime.time(1, 2, 3), None]), (pa.time32("ms"), [time, None]),
            (pa.time64("us"), [time, None]), (pa.time64("ns"), [time, None]),
            (pa.decimal128(9, 2), [d("-1.10"), None]), (pa.decimal128(38, 10), [d("12345.0000000001"), None]),
            (pa.decimal256(60, 20), [d("1e10"), d("-1e-15")]), (pa.decimal128(38, 0), [d(2**63 - 1), d(-(2**63))]),
            (pa.decimal32(9, 3), [d("0.001"), None]), (pa.decimal64(18, 4), [d("99999999999.9999"), None]),
            (pa.binary(), [b"", None, b"\x00\xff", bytes(range(256))]), (pa.list_(pa.binary()), [[b"a", None], None, []]),
            (pa.list_(pa.decimal128(5, 2)), [[d("1.25"), None], None]), (pa.list_(pa.time64("us")), [[time], []]),
            (pa.struct([("d", pa.duration("ms")), ("t", pa.time32("s")), ("z", pa.binary()), ("p", pa.decimal128(4, 1))]),
             [{"d": datetime.timedelta(1), "t": datetime.time(1), "z": b"z", "p": d("0.5")}, None]),
        ]  # fmt: skip
        for type, values in types:
            with self.subTest(type=str(type)):
                table = pa.table({"x": pa.array(values, type)})
                found = self.there_and_back(table)
                self.assertEqual(found["x"].to_pylist(), values)
                if not pa.types.is_list(type):
                    self.assertEqual(found.schema.field("x").type, type)
                with pystoa.open(self.path, "/t") as opened:
                    self.assertEqual([row["x"] for row in opened.query().to_list()], values)
                    self.assertEqual(opened["x"].read(0, 1).to_list(), values[:1])
                    self.assertEqual(pa.schema(opened), found.schema)
                    opened.append(table)
                    self.assertEqual(opened.to_arrow()["x"].to_pylist(), values * 2)
                    self.assertEqual(opened.to_arrow().schema, found.schema)

    def test_other_forms_of_a_type_have_its_values(self):
        texts = pa.array(["a", None, "b" * 20], pa.string_view())
        runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 7], pa.int32()), pa.array([1.5, None, 3.5]))
        for values in (
            pa.array([[1, None], None, []], pa.list_view(pa.int32())),
            pa.array([["a", None], None, ["b" * 20]], pa.large_list_view(pa.string_view())),
            pa.array([[1], None], pa.large_list(pa.int8())), pa.array(["a", None], pa.large_string()),
            texts[1:], runs, runs.slice(1, 4), pa.array([None, None], pa.null()), pa.array([[None], []]),
            pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.int8()), pa.array([b"a", b"bb"])),
            pa.DictionaryArray.from_arrays(pa.array([1, None], pa.uint16()), pa.array([[1], [2, 3]])),
            pa.DictionaryArray.from_arrays(pa.array([1, None], pa.uint16()), pa.array([{"a": 1}, {"a": 2}])),
            pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int64()), pa.array([datetime.date(2026, 7, 1), None])),
            pa.DictionaryArray.from_arrays(pa.array([1, 2], pa.int8()), texts),
            pa.array([{"d": datetime.date(2026, 7, 1)}, None]), pa.array([{"a": 1, "b": "x"}, None]), pa.array([[{"a": 1}, None]]),
        ):  # fmt: skip
            with self.subTest(type=str(values.type)):
                self.assertEqual(self.there_and_back(pa.table({"x": values}))["x"].to_pylist(), values.to_pylist())
                n = len(values)
                chunks = pa.chunked_array([values[n - 1 :], values[:0], values])
                found = self.there_and_back(pa.table({"x": chunks}))
                self.assertEqual(found["x"].to_pylist(), chunks.to_pylist())

    def test_nulls_without_a_type_are_appended_to_any_column(self):
        self.there_and_back(pa.table({"i": [1], "s": ["a"], "l": [[1]], "c": pa.array(["a"]).dictionary_encode()}))
        with pystoa.open(self.path, "/t") as table:
            table.append(pa.table({name: pa.nulls(2) for name in table.columns}))
            self.assertEqual(table.query().to_list()[1:], [dict.fromkeys(table.columns)] * 2)
            self.assertEqual(table.schema["i"].type, "int64")

    def test_a_decimal_is_a_number_after_other_numbers_came(self):
        d = decimal.Decimal
        prices = pa.table({"p": pa.array([d("1.10"), d("2.50")]), "t": pa.array([datetime.time(1)] * 2)})
        self.there_and_back(prices)
        with pystoa.open(self.path, "/t") as table:
            self.assertEqual(table.query("p > ?", [d("1.10")]).to_list(), [{"p": d("2.50"), "t": datetime.time(1)}])
            self.assertEqual(table.query("t = ?", [datetime.time(1)], limit=1).to_list()[0]["p"], d("1.10"))
            table.update("p > 2", {"p": "p / 3"})
            self.assertEqual(table.to_arrow()["p"].to_pylist(), [1.1, 2.5 / 3])
            table.append(pa.table({"p": [0.123], "t": pa.array([datetime.timedelta(days=2)])}))
            self.assertEqual(table.to_arrow()["t"].to_pylist()[1:],
                             [datetime.timedelta(hours=1), datetime.timedelta(days=2)])  # fmt: skip

    def test_values_that_no_number_holds_are_refused_by_name(self):
        d = decimal.Decimal
        for values in (pa.array([d("1.234567890123456")]), pa.array([d(2**63)])):
            with self.assertRaisesRegex(ValueError, "column 'wide'.*cast the column"):
                self.there_and_back(pa.table({"wide": values}))
        self.assertFalse(self.path.exists())

    def test_a_consumer_may_request_types(self):
        self.there_and_back(pa.table({
            "i": [1, 300], "t": pa.array([0, 1000], pa.timestamp("ms")), "s": ["a", "b"],
            "c": pa.array(["a", "b"]).dictionary_encode(),
        }))  # fmt: skip
        asked = pa.schema([("i", pa.int16()), ("t", pa.timestamp("ns")), ("s", pa.large_string()), ("c", pa.string())])
        with pystoa.open(self.path, "/t") as table:
            reader = pa.RecordBatchReader.from_stream(table, schema=asked)
            self.assertEqual(reader.schema, asked)
            self.assertEqual(reader.read_all()["i"].to_pylist(), [1, 300])
            natural = table.to_arrow().schema
            capsule = table.__arrow_c_stream__(pa.schema([("i", pa.string())]).__arrow_c_schema__())
            self.assertEqual(pa.RecordBatchReader._import_from_c_capsule(capsule).schema, natural)
            asked = asked.set(0, pa.field("i", pa.int8()))
            with self.assertRaisesRegex(Exception, "'i'.*does not fit"):
                pa.RecordBatchReader.from_stream(table, schema=asked).read_all()

    def test_every_producer_of_arrow_is_taken(self):
        batch = pa.record_batch({"x": [1, 2]})
        table = pa.Table.from_batches([batch, batch])
        reader = pa.RecordBatchReader.from_batches(batch.schema, iter([batch, batch]))
        for data, n in ((batch, 2), (table, 4), (reader, 4), (iter([batch, table]), 6), ([batch], 2)):
            self.assertEqual(self.there_and_back(data).num_rows, n)

    def test_a_stream_that_fails_leaves_the_table(self):
        self.there_and_back(pa.table({"x": [1]}))

        def batches():
            yield pa.record_batch({"x": [2]})
            raise RuntimeError("the producer failed")

        reader = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.int64())]), batches())
        with pystoa.open(self.path, "/t") as table:
            with self.assertRaisesRegex(Exception, "the producer failed"):
                table.append(reader)
            self.assertEqual(len(table), 1)

    def test_what_hep001_cannot_hold_is_refused_by_name(self):
        for values, error in ((pa.array([pa.MonthDayNano([1, 2, 3000])]), pystoa.LossError),
                              (pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]), TypeError)):  # fmt: skip
            with self.assertRaisesRegex(error, "wide"):
                self.there_and_back(pa.table({"wide": values}))
            self.assertFalse(self.path.exists())

    def test_maps_are_lists_of_structs_and_intervals_without_months_durations(self):
        maps = pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int64()))
        found = self.there_and_back(pa.table({"m": maps, "i": pa.array([pa.MonthDayNano([0, 2, 3000])] * 3)}))
        self.assertEqual(found["m"].to_pylist(), [[{"key": "k", "value": 1}], None, []])
        self.assertEqual(found["i"].cast(pa.int64()).to_pylist(), [2 * 86400 * 10**6 + 3] * 3)

    def test_units_are_metadata_of_fields(self):
        found = self.there_and_back(pa.table({"e": [1.0]}), units={"e": "keV"})
        self.assertEqual(found.schema.field("e").metadata[b"units"], b"keV")

    def test_pyarrow_takes_tables_queries_columns_and_schemas(self):
        self.there_and_back(pa.table({"x": list(range(10)), "y": [float(i) for i in range(10)]}))
        table = pystoa.open(self.path, "/t")
        self.assertEqual(pa.table(table).num_rows, 10)
        self.assertEqual(pa.table(table.query("x > 6", columns="x"))["x"].to_pylist(), [7, 8, 9])
        self.assertEqual(pa.schema(table).names, ["x", "y"])
        self.assertEqual(pa.array(table["x"].read(2, 5)).to_pylist(), [2, 3, 4])
        batch = next(iter(table.query()))
        self.assertEqual(pa.record_batch(batch).num_rows, 10)
        self.assertEqual(pa.array(batch["y"][3:5]).to_pylist(), [3.0, 4.0])

    def test_batches_outlive_all_else(self):
        self.there_and_back(pa.table({"x": list(range(100)), "s": [str(i) for i in range(100)]}))
        table = pystoa.open(self.path, "/t")
        found = pa.array(table["s"].read(5, 8))
        rows = pa.table(table.query("x > 95"))
        reader = pa.RecordBatchReader.from_stream(table.query())
        table.close()
        del table
        gc.collect()
        self.assertEqual(found.to_pylist(), ["5", "6", "7"])
        self.assertEqual(rows["s"].to_pylist(), ["96", "97", "98", "99"])
        self.assertEqual(reader.read_all().num_rows, 100)

    def test_ctrl_c_is_a_keyboard_interrupt(self):
        self.there_and_back(pa.table({"x": range(1_000_000)}))
        with pystoa.open(self.path, "/t") as table:
            query = table.query("x % 7 = 3 or x % 11 = 5", sort="x:desc")
            threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
            with self.assertRaises(KeyboardInterrupt):
                while True:
                    query.to_arrow()
            self.assertEqual(table._running, 0)

    def test_times_that_python_cannot_hold_are_shown_as_ticks(self):
        data = {"ns": pa.array([1, None], pa.timestamp("ns")), "s": pa.array([2**62, None], pa.timestamp("s")),
                "list": pa.array([[1], None], pa.list_(pa.timestamp("ns")))}  # fmt: skip
        self.there_and_back(pa.table(data))
        with pystoa.open(self.path, "/t") as table:
            for name, shown in (("ns", "[1, None]"), ("s", f"[{2**62}, None]"), ("list", "['…', None]")):
                self.assertTrue(repr(table[name].read()).endswith(f"2 values: {shown}>"), repr(table[name].read()))
                with self.assertRaisesRegex(ValueError, "Python's times"):
                    table[name].read().to_list()
            self.assertIn(f"{2**62}", table._repr_html_())

    def test_an_error_reaches_the_consumer(self):
        self.there_and_back(pa.table({"x": [2**62, 2**62]}))
        with pystoa.open(self.path, "/t") as table:
            with self.assertRaisesRegex(Exception, "(?i)overflow|too large|fit"):
                pa.table(table.query("x * 4 > 0"))


if __name__ == "__main__":
    unittest.main()
