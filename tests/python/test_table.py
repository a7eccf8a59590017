"""Tables as Python sees them, without NumPy."""

import datetime
import errno
import os
import pickle
import random
import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test

import pystoa
from pystoa import col, fn, lit


class Reading(python_test.TestCase):
    def test_an_import_is_light(self):
        heavy = "numpy", "scipy", "pandas", "pyarrow", "polars", "dask", "xarray", "matplotlib", "tqdm"
        done = stoa_test.run(sys.executable, "-c", f"import sys, pystoa; print([m for m in {heavy!r} if m in sys.modules])",
                             env={"PYTHONPATH": str(python_test.PACKAGE.parent)})  # fmt: skip
        self.assertEqual((done.stdout, done.stderr), ("[]\n", ""))

    def test_numpy_is_not_imported(self):
        self.events().query("energy > 5").to_list()
        self.assertNotIn("numpy", sys.modules)

    @unittest.skipUnless(sys.platform == "linux", "the system counts what a process reads")
    def test_names_and_questions_read_no_labels_of_other_columns(self):
        def n_read():
            return int(Path("/proc/self/io").read_text().split("rchar: ")[1].split()[0])

        labels = [random.Random(i).randbytes(32).hex() for i in range(2000)]
        pystoa.write(self.path, "/labels", {"n": list(range(40_000)), "label": labels * 20})
        table = pystoa.open(self.path, "/labels")
        self.addCleanup(table.close)
        start = n_read()
        self.assertEqual((len(table), table.columns, "label" in table), (40_000, ["n", "label"], True))
        self.assertEqual(table.query(columns=["n"], limit=1).to_list(), [{"n": 0}])
        self.assertEqual(table.aggregate("max(n)").to_list(), [{"max(n)": 39_999}])
        self.assertLess(n_read() - start, 32 * len(labels))
        self.assertEqual(table.schema.names, table.columns)  # which does read them
        self.assertGreater(n_read() - start, 32 * len(labels))

    def test_a_table_says_what_it_is(self):
        table = self.events()
        self.assertEqual(len(table), 4)
        self.assertEqual(table.shape, (4, 3))
        self.assertEqual(table.columns, ["time", "energy", "det"])
        self.assertEqual((table.layout, table.object, table.path), ("hep001", "/events", self.path))
        self.assertEqual([f.type for f in table.schema], ["int64", "float64", "int64"])
        self.assertEqual(table["energy"].units, "keV")
        self.assertIn("keV", repr(table))
        self.assertIn("4 rows", repr(table))

    def test_values_are_read_by_rows(self):
        energy = self.events()["energy"]
        self.assertEqual(energy.read(1, 3).to_list(), [2.0, 8.25])
        self.assertEqual(energy[0], 6.5)
        self.assertIsNone(energy[-1])
        with self.assertRaises(IndexError):
            energy[4]
        self.assertEqual(energy.read().null_count, 1)

    def test_brackets_take_names_lists_and_expressions(self):
        table = self.events()
        self.assertEqual(table[["det", "time"]].to_list()[0], {"det": 7, "time": 10})
        self.assertEqual([row["time"] for row in table[col("det") == 8].to_list()], [30, 40])
        for key in (5, slice(0, 2), None, ["a", 5]):
            with self.assertRaises(TypeError):
                table[key]
        for rows in ([0, 1], None, 1.5):
            with self.assertRaises(TypeError):
                table["time"][rows]

    def test_an_array_has_the_buffer_protocol(self):
        view = memoryview(self.events()["time"].read(1, 4))
        self.assertEqual((view.format, view.itemsize, view.tolist()), ("q", 8, [20, 30, 40]))
        self.assertTrue(view.readonly)

    def test_texts_that_repeat_are_one_object(self):
        path = self.dir / "texts.h5"
        words = ["muon", "pion", "", "ä" * 30, "x" * 100, None]
        texts = [words[i * i % 6] for i in range(3000)] + [str(i) for i in range(5000)] + words
        pystoa.write(path, "/t", {"s": texts})
        found = pystoa.open(path, "/t")["s"].read().to_list()
        self.assertEqual(found, texts)
        self.assertEqual(len({id(text) for text in found[:3000] if text == "pion"}), 1)

    def test_the_only_table_needs_no_name(self):
        import pystoa._pystoa

        self.assertEqual(pystoa._pystoa.Table(self.path).object, "/events")

    def test_a_file_lists_its_tables(self):
        pystoa.write(self.path, "/more/b", {"x": [1]})
        with pystoa.open(self.path) as file:
            self.assertEqual(file.tables, ["/events", "/more/b"])
            self.assertIs(file["/more/b"], file["/more/b"])
            self.assertIn("/events", file)
            self.assertIn("hep001", file.tree())
            table = file["/events"]
        self.assertTrue(table.closed)
        with self.assertRaisesRegex(pystoa.Error, "closed"):
            len(table)

    def test_several_files_are_one_table(self):
        for i in range(3):
            pystoa.write(self.dir / f"part-{i}.h5", "/t", {"x": [i, 10 * i]})
        table = pystoa.open(str(self.dir / "part-*.h5"), "/t")
        self.assertEqual(len(table), 6)
        self.assertEqual([row["x"] for row in table.query("x > 0", sort="x").to_list()], [1, 2, 10, 20])
        with self.assertRaises(ValueError):
            table.append({"x": [1]})
        table.close()

    @unittest.skipUnless(os.path.exists("/proc/self/maps"), "the system does not say what is mapped")
    def test_tables_are_mapped_by_choice(self):
        def is_mapped(name):
            with open("/proc/self/maps") as maps:
                return any(name in line for line in maps)

        for i in range(2):
            pystoa.write(self.dir / f"map-{i}.h5", "/t", {"x": range(20000)}, codec="none")
        one = str(self.dir / "map-1.h5")
        for place, name in ((one, "map-1.h5"), ([str(self.dir / "map-0.h5"), one], "map-0.h5")):
            for map in (False, True):
                table = pystoa.open(place, "/t", map=map)
                self.assertEqual(len(table.query("x >= 19999").to_list()), len(table.files))
                self.assertEqual(is_mapped(name), map)
                again = pickle.loads(pickle.dumps(table))
                table.close()
                self.assertEqual(again.aggregate("max(x)").to_list(), [{"max(x)": 19999}])
                self.assertEqual(is_mapped(name), map)
                again.close()
                self.assertFalse(is_mapped(name))

    def test_tables_of_several_files_say_where_rows_come_from(self):
        for i in range(2):
            for j in (1, 2):
                pystoa.write(self.dir / f"part-{i}.h5", f"/ch{j}/hit", {"x": [i, j], f"y{j}": [0.5, None]})
        names = [str(self.dir / f"part-{i}.h5") for i in range(2)]
        with self.assertRaisesRegex(ValueError, "by_name"):
            pystoa.open(names, "/ch*/hit")
        with pystoa.open(names, "/ch*/hit", by_name=True) as table:
            self.assertEqual((len(table), table.columns), (8, ["x", "y1", "y2"]))
            rows = table.query("x > 0 and object = '/ch2/hit'", columns=["x", "y1", "file"]).to_list()
            self.assertEqual(rows, [{"x": 2, "y1": None, "file": names[0]}, {"x": 1, "y1": None, "file": names[1]},
                                    {"x": 2, "y1": None, "file": names[1]}])  # fmt: skip
            again = pickle.loads(pickle.dumps(table))
            self.assertEqual(again.aggregate("count()", by="file", sort="file").to_list(),
                             [{"file": name, "count()": 4} for name in names])  # fmt: skip
        with pystoa.open(names[0], "/ch?/hit", by_name=True) as table:
            self.assertEqual(len(table), 4)
        with pystoa.open(str(self.dir / "part-*.h5"), "/ch1/hit", strict=True) as table:
            self.assertEqual(table.query("y1 > 0", columns="x").to_list(), [{"x": 0}, {"x": 1}])
        with self.assertRaisesRegex(KeyError, "matches no table"):
            pystoa.open(names[0], "/no*/hit")

    def test_each_type_has_a_python_value(self):
        moment = datetime.datetime(2026, 7, 1, 12, 30, tzinfo=datetime.timezone.utc)
        columns = {
            "text": ["a", None, "ä", ""],
            "bool": [True, False, None, True],
            "day": [datetime.date(2026, 7, 1), None, datetime.date(1969, 12, 31), datetime.date(1970, 1, 1)],
            "moment": [moment, None, moment, moment],
            "length": [datetime.timedelta(microseconds=5), None, datetime.timedelta(0), datetime.timedelta(days=9)],
            "large": [2**64 - 1, None, 0, 1],
        }
        path = self.dir / "types.h5"
        self.assertEqual(pystoa.write(path, "/t", columns), 4)
        rows = pystoa.open(path, "/t").query().to_list()
        self.assertEqual({name: [row[name] for row in rows] for name in columns}, columns)


class Queries(python_test.TestCase):
    def ids(self, *arguments, **options):
        rows = self.events().query(*arguments, columns=["time"], **options).to_list()
        return [row["time"] for row in rows]

    def test_parameters_are_numbered_or_named(self):
        self.assertEqual(self.ids("energy > ? and det = ?", [5, 7]), [10])
        self.assertEqual(self.ids("energy > :e", {"e": 7}), [30])
        with self.assertRaises(KeyError):
            self.ids("energy > ? and det = ?", [5])
        with self.assertRaises(ValueError):
            self.ids("energy > 5", [5])

    def test_expressions_mean_what_their_texts_mean(self):
        pairs = [
            (col("energy") > 5, "energy > 5"),
            ((col("energy") > 5) & (col("det") == 7), "energy > 5 and det = 7"),
            ((col("det") == 7) | ~(col("energy") < 7), "det = 7 or not (energy < 7)"),
            (col("energy").is_null(), "energy is null"),
            (col("energy") == None, "energy is null"),  # noqa: E711
            (col("time").isin([10, 40]), "time in (10, 40)"),
            (col("time").isin([]), "false"),
            (col("time").between(20, 30), "time between 20 and 30"),
            (fn.abs(col("energy") - 5) * 2 < 5, "abs(energy - 5) * 2 < 5"),
            (100 / col("time") >= 4, "100 / time >= 4"),
            (-col("time") < -25, "-time < -25"),
        ]
        for built, text in pairs:
            self.assertEqual(self.ids(built), self.ids(text), text)

    def test_a_long_chain_of_ands_and_ors_is_one_level(self):
        chain = col("time") == 10
        for i in range(1000):
            chain = chain | (col("time") == i)
        self.assertEqual(self.ids(chain), [10, 20, 30, 40])

    def test_odd_names_of_columns_are_quoted(self):
        path = self.dir / "odd.h5"
        names = ['Cost "Total" $', "and", "a,b", "ü x"]
        pystoa.write(path, "/t", {name: [i, i + 1] for i, name in enumerate(names)})
        table = pystoa.open(path, "/t")
        for i, name in enumerate(names):
            found = table.query(col(name) == i + 1, columns=[name], sort=[name + ":desc"]).to_list()
            self.assertEqual(found, [{name: i + 1}])

    def test_a_name_may_end_like_an_order(self):
        pystoa.write(self.path, "/order", {"x:desc": [3, 1, 2]})
        with pystoa.open(self.path, "/order") as table:
            for sort, expected in (["x:desc"], [1, 2, 3]), (["x:desc:desc"], [3, 2, 1]):
                self.assertEqual([row["x:desc"] for row in table.query(sort=sort, limit=2**64).to_list()], expected)

    def test_results_are_sorted_and_limited(self):
        self.assertEqual(self.ids(sort="energy:desc", limit=2), [30, 10])
        self.assertEqual(self.ids(sort=["det:desc", "time:desc"]), [40, 30, 20, 10])

    def test_aggregates_have_groups(self):
        query = self.events().aggregate("count() as n, max(energy) as e", by="det", sort="det")
        self.assertEqual(query.to_list(), [{"det": 7, "n": 2, "e": 6.5}, {"det": 8, "n": 2, "e": 8.25}])
        query = self.events().aggregate([fn.sum(col("time")).alias("s")], where=col("det") == 8)
        self.assertEqual(query.to_list(), [{"s": 70}])

    def test_a_sample_is_uniform_and_reproducible(self):
        n = 300_000
        path = str(self.dir / "sample.h5")
        pystoa.write(path, "/t", {"i": range(n), "x": [i % 1000 for i in range(n)]})
        with pystoa.open(path, "/t") as table:
            def of(**options):
                return [row["i"] for row in table.query(columns="i", indexes="all", **options).to_list()]

            rows = of(sample=5000)
            self.assertEqual((rows, len(set(rows)), len(rows)), (sorted(rows), 5000, 5000))
            self.assertNotEqual(rows, of(sample=5000, seed=1))
            parts = [sum(1 for i in rows if i // (n // 10) == k) for k in range(10)]
            self.assertLess(max(abs(part - 500) for part in parts), 90, parts)  # 4 standard deviations
            for options in {"threads": 1}, {"threads": 3}, {"where": "x >= 0"}, {"where": "x is not null", "threads": 3}:
                self.assertEqual(of(sample=5000, **options), rows, options)
            some = of(sample=200, where="x % 7 = 3")
            self.assertEqual((len(some), {i % 1000 % 7 for i in some}), (200, {3}))
            table.add_index("x", "sorted")
            self.assertEqual(of(sample=100, where="x < 20", seed=9), of(sample=100, where="x + 0 < 20", seed=9))
            self.assertEqual(of(sample=n), list(range(n)))
            self.assertEqual(of(sample=5, where="x < 0"), [])
            self.assertEqual(of(sample=5000, sort="i:desc", limit=3), rows[:-4:-1])
            found = table.aggregate("count(), sum(i)", sample=5000).to_list()
            self.assertEqual(found, [{"count()": 5000, "sum(i)": sum(rows)}])
            self.assertEqual(of(sample=5, rows=slice(100, 103)), [100, 101, 102])
            self.assertIn("sample  5 rows, seed 3", table.query(sample=5, seed=3).explain())
            with self.assertRaisesRegex(ValueError, "1 or more, not 0"):
                table.query(sample=0)

    def test_each_row_is_as_likely_in_a_sample(self):
        with self.events() as table:
            counts = [0] * 4
            for seed in range(400):
                for row in table.query(columns="time", sample=1 + seed % 2, seed=seed).to_list():
                    counts[row["time"] // 10 - 1] += 1
            self.assertLess(max(abs(count - 150) for count in counts), 45, counts)

    def test_a_range_of_rows_is_asked_alone(self):
        table = self.events()

        def times(rows, where=None, **options):
            found = table.query(where, columns=["time"], rows=rows, **options)
            return [row["time"] for row in found.to_list()]

        self.assertEqual(times(slice(1, 3)), [20, 30])
        self.assertEqual(times(slice(-2, None), "det = 8", sort="time:desc", limit=1), [40])
        self.assertEqual(times(slice(2, 2)), [])
        self.assertEqual(times(slice(7, 9)), [])
        with self.assertRaises(ValueError):
            times(slice(0, 4, 2))

    def test_indexes_say_which_rows_may_pass(self):
        pystoa.write(self.path, "/t", {"x": range(100)}, indexes={"x": "minmax"}, chunk_rows=10)
        with pystoa.open(self.path, "/t") as table:
            self.assertEqual(table.query("x between 25 and 31 or x = 99")._candidates(), [(20, 20), (90, 10)])
            self.assertEqual(table.query("x < 0")._candidates(), [])
            self.assertEqual(table.query("x < 15", rows=slice(5, 8))._candidates(), [(5, 3)])
            self.assertEqual(table.query("x < 15", indexes="none")._candidates(), [(0, 100)])
            with self.assertRaises(ValueError):
                table.aggregate("count()")._candidates()

    def test_row_numbers_count_from_0(self):
        self.assertEqual(self.events().row_numbers("energy > 5").to_list(), [{"row": 0}, {"row": 2}])

    def test_a_query_runs_as_often_as_it_is_asked(self):
        query = self.events().query("det = 7")
        self.assertEqual(len(query.to_list()), 2)
        pystoa.open(self.path, "/events").append({"time": [50], "energy": [1.0], "det": [7]})
        self.assertEqual(len(query.to_list()), 3)

    def test_the_schema_is_that_of_the_result(self):
        schema = self.events().query(columns="energy, energy * 2 as twice").schema
        self.assertEqual(schema.names, ["energy", "twice"])

    def test_a_plan_says_what_was_skipped(self):
        table = self.events()
        self.assertIn("filter", table.query("energy > 5").explain())
        self.assertNotIn("done", table.query("energy > 5").explain())
        self.assertIn("2 rows passed", table.query("energy > 5").explain(run=True))

    def test_an_expression_is_no_condition_of_python(self):
        with self.assertRaisesRegex(TypeError, "&"):
            bool(col("a") > 1)

    def test_mistakes_name_the_place(self):
        table = self.events()
        with self.assertRaises(pystoa.QuerySyntaxError) as caught:
            table.query("energy >").to_list()
        self.assertIn("where", str(caught.exception))
        with self.assertRaises(TypeError):
            table.query("energy = 'a'").to_list()
        with self.assertRaises(KeyError) as caught:
            table.query("charge > 1").to_list()
        self.assertNotIn("\\n", str(caught.exception))

    def test_progress_may_stop_a_query(self):
        n = 3_000_000
        path = self.dir / "long.h5"
        pystoa.write(path, "/t", {"x": range(n)})
        seen = []
        query = pystoa.open(path, "/t").query("x % 7 = 3", sort="x:desc", progress=lambda *p: seen.append(p))
        self.assertEqual(query.to_list()[0], {"x": (n - 1 - 3) // 7 * 7 + 3})

        def stop(stage, rows, total):
            raise LookupError("enough")

        try:
            pystoa.open(path, "/t").query("x % 7 = 3", sort="x:desc", progress=stop).to_list()
        except LookupError as error:
            self.assertEqual(str(error), "enough")
        else:  # it was over before the first report
            self.assertEqual(seen, [])


class Edits(python_test.TestCase):
    def test_rows_are_appended_updated_and_deleted(self):
        table = self.events()
        self.assertEqual(table.append({"time": [50], "energy": [1.5], "det": [9]}), 1)
        self.assertEqual(table.update(col("det") == 9, {"energy": col("energy") * 2}), 1)
        self.assertEqual(table.update("time = ?", {"energy": "? + 1"}, [20, 9.0]), 1)
        self.assertEqual(table.delete("det = ?", [8]), 2)
        self.assertEqual(table.query(columns="time, energy").to_list(),
                         [{"time": 10, "energy": 6.5}, {"time": 20, "energy": 10.0}, {"time": 50, "energy": 3.0}])

    def test_tables_of_other_layouts_get_rows(self):
        rows = {"a": [1, 2], "s": ["x", "yy"]}
        for layout, path, more in (
            ("pytables", "/t", {"a": [3], "s": ["z"]}),
            ("pandas-table", "/t", {"a": [3], "s": ["z"]}),
            ("anndata", "/t", {"a": [3], "s": ["z"]}),
            ("arkouda", "/", {"a": [3], "s": ["longer"]}),
        ):
            with self.subTest(layout=layout):
                file = self.dir / f"{layout}.h5"
                pystoa.write(self.dir / f"{layout}-own.h5", "/t", rows)
                target = file if layout == "arkouda" else f"{file}:/t"
                self.stoa("convert", f"{self.dir}/{layout}-own.h5:/t", target, "--to", layout)
                table = pystoa.open(file, path)
                if layout == "anndata":
                    more = {**more, "_index": ["2"]}
                self.assertEqual(table.append(more), 1)
                found = [(row["a"], row["s"]) for row in table.query().to_list()]
                self.assertEqual(found, [(1, "x"), (2, "yy"), (3, more["s"][0])])

    def test_a_text_is_language_and_lit_is_a_value(self):
        path = self.dir / "labels.h5"
        pystoa.write(path, "/t", {"label": ["a", "b"], "other": ["c", "d"]})
        table = pystoa.open(path, "/t")
        table.update(col("label") == "a", {"label": lit("other")})
        table.update(col("label") == "b", {"label": "other"})
        self.assertEqual([row["label"] for row in table.query().to_list()], ["other", "d"])

    def test_what_does_not_fit_leaves_the_table_as_it_was(self):
        table = self.events()
        before = Path(self.path).read_bytes()
        with self.assertRaises(TypeError):
            table.append({"time": [1]})
        with self.assertRaises(TypeError):
            table.append({"time": ["x"], "energy": [1.0], "det": [1]})
        self.assertEqual(Path(self.path).read_bytes(), before)

    def test_batches_come_from_an_iterator(self):
        table = self.events()

        def batches(n):
            for i in range(n):
                yield {"time": [i], "energy": [0.5], "det": [i]}

        self.assertEqual(table.append(batches(100)), 100)
        self.assertEqual(len(table), 104)

    def test_an_iterator_that_fails_leaves_the_table_as_it_was(self):
        table = self.events()

        def batches():
            yield {"time": [1], "energy": [0.5], "det": [1]}
            raise ZeroDivisionError("in the middle")

        with self.assertRaisesRegex(ZeroDivisionError, "in the middle"):
            table.append(batches())
        self.assertEqual(len(table), 4)

    def test_a_variance_has_not_the_units_of_its_column(self):
        pystoa.write(self.path, "/spread", self.events().aggregate("stddev(energy) as s, var(energy) as v, var_pop(energy) as p"))
        spread = pystoa.open(self.path, "/spread")
        self.assertEqual([spread[name].units for name in "svp"], ["keV", None, None])

    def test_later_batches_have_the_same_columns(self):
        with self.assertRaisesRegex(ValueError, "later batch"):
            pystoa.write(self.dir / "new.h5", "/t", iter([{"a": [1]}, {"b": [1]}]))
        self.assertFalse((self.dir / "new.h5").exists())

    def test_the_result_of_a_query_is_data(self):
        query = self.events().query(col("det") == 7)
        self.assertEqual(pystoa.write(self.path, "/some", query), 2)
        some = pystoa.open(self.path, "/some")
        self.assertEqual(some.query().to_list(), query.to_list())
        self.assertEqual(some["energy"].units, "keV")
        self.assertEqual(some.append(some.query()), 2)

    def test_an_open_result_keeps_edits_out(self):
        table = self.events()
        with table.query().read() as reader:
            self.assertEqual(reader.schema.names, table.columns)
            with self.assertRaisesRegex(ValueError, "not read to its end"):
                table.delete("det = 7")
        self.assertEqual(table.delete("det = 7"), 2)

    def test_indexes_are_built_and_trusted(self):
        table = self.events()
        self.assertEqual(table.add_index("energy", "sorted"), "sorted")
        self.assertTrue(table.indexes_are_trusted)
        self.assertEqual([index["kind"] for index in table["energy"].indexes], ["SORTED_ROWS"])
        table.append({"time": [1], "energy": [1.0], "det": [1]})
        self.assertTrue(table.indexes_are_trusted)
        self.assertEqual(table.check(strict=True, indexes=True), [])
        table.drop_index("energy")
        self.assertEqual(table.indexes, [])

    def test_indexes_of_others_are_verified_and_repaired(self):
        table = self.events()
        table.add_index("energy", "sorted")
        data = Path(self.path).read_bytes()
        Path(self.path).write_bytes(data)  # another program wrote it
        self.assertFalse(table.indexes_are_trusted)
        self.assertIn("verify", table.query("energy > 7").hint)
        self.assertNotIn("SORTED_ROWS", table.query("energy > 7").explain())
        self.assertIn("SORTED_ROWS", table.query("energy > 7", indexes="all").explain())
        self.assertEqual(table.verify_indexes(), [("energy", True, "")])
        self.assertTrue(table.indexes_are_trusted)
        self.assertEqual(table.query("energy > 7").hint, "")
        self.assertNotIn("SORTED_ROWS", table.query("energy > 7", indexes="none").explain())

    def test_a_wrong_index_is_found_and_built_again(self):
        path = self.dir / "wrong.h5"
        pystoa.write(path, "/t", {"e": [6.5, 2.0, 8.25]}, codec="none", indexes={"e": "sorted"})
        data = path.read_bytes()
        values = struct.pack("<3d", 6.5, 2.0, 8.25)
        self.assertEqual(data.count(values), 1)
        path.write_bytes(data.replace(values, struct.pack("<3d", 1.5, 2.0, 8.25)))
        table = pystoa.open(path, "/t")
        self.assertEqual([(check.column, check.right) for check in table.verify_indexes()], [("e", False)])
        self.assertFalse(table.indexes_are_trusted)
        self.assertEqual([(r.kind, r.done) for r in table.repair_indexes()], [("SORTED_ROWS", "rebuilt")])
        self.assertTrue(table.indexes_are_trusted)
        self.assertEqual(table.query("e < 2").to_list(), [{"e": 1.5}])

    def test_an_edit_that_fails_keeps_the_trust(self):
        table = self.events()
        table.add_index("energy", "sorted")
        with self.assertRaises(TypeError):
            table.append({"time": [1]})
        self.assertTrue(table.indexes_are_trusted)
        self.assertEqual(len(table.query("energy > 7").to_list()), 1)

    def test_write_takes_units_titles_and_indexes(self):
        path = self.dir / "new.h5"
        pystoa.write(path, "/t", {"x": [1, 2], "e": [1.0, 2.0]}, indexes={"x": "sorted"},
                     units={"e": "keV"}, descriptions={"e": "energy"}, title="Two rows")  # fmt: skip
        table = pystoa.open(path, "/t")
        self.assertEqual(table.attrs, {"TITLE": "Two rows"})
        self.assertEqual(dict(table["e"].attrs), {"units": "keV", "description": "energy"})
        self.assertTrue(table.indexes_are_trusted)
        with self.assertRaises(FileExistsError):
            pystoa.write(path, "/t", {"x": [1]})
        self.assertEqual(pystoa.write(path, "/t", {"x": [1]}, replace=True), 1)
        table.annotate("units", "mm", column="x")
        self.assertEqual(table["x"].units, "mm")

    @unittest.skipUnless(os.path.exists("/proc/self/io"), "the system does not count reads")
    def test_a_write_reads_no_more_where_many_tables_are(self):
        def n_reads():
            with open("/proc/self/io") as counts:
                return int(counts.read().split("syscr: ")[1].split()[0])

        taken = []
        for i in range(60):
            before = n_reads()
            pystoa.write(self.path, f"/many/t{i:02}", {"x": [i]}, indexes={"x": "minmax"})
            taken.append(n_reads() - before)
        self.assertLessEqual(max(taken[50:]), 1.3 * max(taken[10:20]))
        table = pystoa.open(self.path, "/many/t00")
        self.assertTrue(table.indexes_are_trusted)

    def test_attributes_are_set_and_listed(self):
        table = self.events()
        table.annotate("run", "17 of July")
        table.annotate("valid_min", "-5", column="time")
        table.annotate("detector", "the left one", column="time")
        self.assertEqual(table.attrs, {"run": "17 of July"})
        self.assertEqual(table["time"].attrs, {"detector": "the left one", "valid_min": -5})
        self.assertEqual(table["energy"].attrs, {"units": "keV"})
        table.annotate("run", None)
        self.assertEqual(table.attrs, {})
        files = pystoa.open([self.path, self.path], "/events")
        self.assertEqual((files.attrs, files["energy"].attrs), ({}, {"units": "keV"}))

    def test_tables_are_converted(self):
        target = self.dir / "other.h5"
        self.assertEqual(pystoa.convert(self.path, target, to="pytables", missing={"": "nan"}),
                         [("/events", "/events", 4)])
        table = pystoa.open(target, "/events")
        self.assertEqual(table.layout, "pytables")
        self.assertEqual(table.query("time > 10", columns="time").to_list(),
                         [{"time": 20}, {"time": 30}, {"time": 40}])
        pystoa.write(self.path, "/gaps", {"i": [1, None]})
        with self.assertRaises(pystoa.LossError):
            pystoa.convert(self.path, self.dir / "third.h5", to="pytables")
        self.assertFalse((self.dir / "third.h5").exists())

    def test_other_layouts_are_written_directly(self):
        path = self.dir / "new.lh5"
        pystoa.write(path, "/hit", {"e": [1.0, 2.0]}, layout="lh5", units={"e": "keV"})
        table = pystoa.open(path, "/hit")
        self.assertEqual((table.layout, table["e"].units), ("lh5", "keV"))

    def test_a_broken_rule_is_a_finding(self):
        self.assertEqual(pystoa.check(self.path), [])


class Errors(python_test.TestCase):
    def test_classes_are_builtin_ones_too(self):
        cases = [
            (FileNotFoundError, lambda: pystoa.open(self.dir / "no.h5")),
            (FileNotFoundError, lambda: pystoa.open(self.dir / "no.h5", "/t")),
            (KeyError, lambda: pystoa.open(self.path, "/no")),
            (KeyError, lambda: self.events()["no"]),
            (ValueError, lambda: pystoa.open(__file__)),
            (TypeError, lambda: pystoa.write(self.dir / "x.h5", "/t", {"x": [object()]})),
            (TypeError, lambda: pystoa.write(self.dir / "x.h5", "/t", 5)),
            (ValueError, lambda: pystoa.write(self.dir / "x.h5", "/t", {})),
            (ValueError, lambda: self.events()["time"].read(0, 2)[::2]),
            (KeyError, lambda: pystoa.write(self.dir / "x.h5", "/t", {"x": [1]}, units={"y": "keV"})),
            (ValueError, lambda: pystoa.write(self.dir / "x.h5", "/t", {"x": [2**64]})),
            (ValueError, lambda: pystoa.write(self.dir / "x.h5", "/t", {"x": [-1, 2**63]})),
        ]
        for expected, call in cases:
            with self.assertRaises(expected):
                call()
        with self.assertRaises(pystoa.Error):
            pystoa.open(self.dir / "no.h5")

    def test_failures_of_the_system_have_their_number(self):
        with self.assertRaises(OSError) as caught:
            pystoa.open(self.dir / "no.h5")
        self.assertEqual((caught.exception.errno, caught.exception.strerror), (errno.ENOENT, "no such file"))
        with self.assertRaises(OSError) as caught:
            pystoa.write(self.path, "/events", {"x": [1]})
        self.assertEqual(caught.exception.errno, errno.EEXIST)

    def test_a_message_is_one_line_with_the_place(self):
        with self.assertRaises(pystoa.NotFoundError) as caught:
            pystoa.open(self.path, "/no")
        self.assertIn("run.h5", str(caught.exception))
        self.assertEqual(len(str(caught.exception).splitlines()), 1)

    def test_handles_are_made_anew_by_pickle(self):
        table = pickle.loads(pickle.dumps(self.events()))
        self.assertEqual(len(table), 4)
        with pickle.loads(pickle.dumps(pystoa.open(self.path))) as file:
            self.assertEqual(file.tables, ["/events"])


if __name__ == "__main__":
    stoa_test.main()
