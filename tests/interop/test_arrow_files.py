"""Arrow files that pyarrow compressed and encoded by dictionaries are read as what they hold."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase


class ArrowFiles(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.names = self.peer("python3", "arrow_files.py", "write").split()

    def test_tables_come_in_compressed_and_with_dictionaries(self):
        self.assertGreater(len(self.names), 10)
        for name in self.names:
            place = f"{self.dir}/{name}.h5:/t"
            self.stoa("import", f"{self.dir}/{name}.arrow", place)
            self.stoa("export", place, f"{self.dir}/{name}.csv")
        self.assertEqual(self.peer("python3", "arrow_files.py", "compare").split(), self.names)

    def test_standard_input_is_read_if_the_format_is_told(self):
        name = self.names[0]
        path = f"{self.dir}/{name}.arrow"
        self.stoa("import", path, f"{self.dir}/a.h5:/t")
        wanted = self.stoa("query", f"{self.dir}/a.h5", "-f", "csv").stdout.splitlines()
        into = f"{self.dir}/b.h5:/t"
        with open(path, "rb") as file:
            whole = file.read()
        for data in (b"", whole[:100], b"a,b\n1,2\n"):
            done = stoa_test.run(stoa_test.STOA, "import", "-", into, "-f", "arrow", input=data, text=False)
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (3, 1), done.stderr)
            self.assertIn(b"Arrow data", done.stderr)
            self.assertFalse(os.path.exists(f"{self.dir}/b.h5"))
        stream = stoa_test.run(stoa_test.STOA, "query", f"{self.dir}/a.h5", "-f", "arrow", text=False).stdout
        for command, data in (("import", whole), ("append", stream)):
            stoa_test.run(stoa_test.STOA, command, "-", into, "-f", "arrow", input=data, text=False)
        rows = self.stoa("query", f"{self.dir}/b.h5", "-f", "csv").stdout.splitlines()
        self.assertEqual(rows, wanted + wanted[1:])
        self.fails("import", path, into, "-f", "arrow", "--skip", "1", status=2, says="Arrow")

    def test_coordinates_and_values_of_a_sparse_array_may_be_in_dictionaries(self):
        place = f"{self.dir}/t.h5:/t"
        self.stoa("import", f"{self.dir}/triples.arrow", place, "--sparse")
        self.stoa("export", place, f"{self.dir}/t.csv")
        with open(f"{self.dir}/t.csv", encoding="utf-8") as file:
            lines = file.read().split()
        self.assertEqual(
            lines, ["row,column,value", "1,2,2.5", "1,3,0.5", "5,0,0.5", "5,6,-1.0"]
        )

    def test_a_dictionary_may_grow_from_batch_to_batch(self):
        for name, options, lines in (
            ("delta-words", (), ["i,c", "0,a", "1,b", "2,a", "3,c", '4,""', "5,d"]),
            (
                "delta-numbers",
                ("--sparse",),
                ["index,value", "0,1.5", "1,2.5", "2,1.5", "3,-3.5", "4,-3.5", "5,4.5"],
            ),
        ):
            place = f"{self.dir}/{name}.h5:/t"
            self.stoa("import", f"{self.dir}/{name}.arrow", place, *options)
            self.stoa("export", place, f"{self.dir}/{name}.csv")
            with open(f"{self.dir}/{name}.csv", encoding="utf-8") as file:
                self.assertEqual(file.read().split(), lines, name)

    def test_types_that_tables_lack_come_back_as_files_and_streams(self):
        write = """
import datetime, decimal, pyarrow as pa
number = decimal.Decimal
columns = {
    **{f"t{u}": pa.array([1, None, 86399], pa.time32(u) if len(u) == 1 or u == "ms" else pa.time64(u)) for u in ("s", "ms", "us", "ns")},
    "dec": pa.array([number("1.50"), None, number("-99.99")], pa.decimal128(4, 2)),
    "wide": pa.array([number("1.5"), None, number("-2.5")], pa.decimal256(50, 1)),
    "narrow": pa.array([number("15"), None, number("-25")], pa.decimal32(4, 0)),
    "bytes": pa.array([b"a", None, b"\\x00\\xff"]),
    "nested": pa.array([{"t": 1, "d": number("0.5")}, {"t": 5, "d": number("2.5")}, {"t": 2, "d": number("1.5")}],
                       pa.struct([("t", pa.time64("us")), ("d", pa.decimal128(3, 1))])),
}
table = pa.table(columns)
"""
        self.peer_python(write + "with pa.ipc.new_file('in.arrow', table.schema) as out:\n    out.write_table(table)\n")
        self.stoa("import", self.dir / "in.arrow", f"{self.dir}/in.h5:/t")
        for name in ("out.arrow", "out.arrows"):
            self.stoa("export", f"{self.dir}/in.h5:/t", self.dir / name)
        self.peer_python(write + """
for found in (pa.ipc.open_file("out.arrow").read_all(), pa.ipc.open_stream("out.arrows").read_all()):
    for name in table.column_names:
        assert found[name].type == table[name].type, (name, found[name].type)
        assert found[name].to_pylist() == table[name].to_pylist(), name
""")

    def test_feather_of_version_1_is_refused_by_its_name(self):
        self.write("old.feather", b"FEA1" + bytes(100) + b"FEA1")
        self.fails("import", self.dir / "old.feather", f"{self.dir}/t.h5:/t",
                   says=["old.feather", "Feather file of version 1", "version 2"])  # fmt: skip

    def test_types_that_tables_lack_are_read_as_others(self):
        lines = {
            "decimal": ["x", "1.5", "", "-2.25", "1.5", "", "-2.25"],
            "time": ["x", "PT1S", "", "PT1H0S", "PT1S", "", "PT1H0S"],
            "date64": ["x", "2026-07-01", "", "1969-12-31", "2026-07-01", "", "1969-12-31"],
            "utf8_view": ["x", "a", "", "b" * 40, "a", "", "b" * 40],
            "labels": ["x", "q" * 20, "", "p", "q" * 20, "", "p"],
        }
        self.peer_python("""if True:
            import datetime, decimal, pyarrow as pa, pyarrow.feather as feather
            day = datetime.date
            columns = {"decimal": pa.array([decimal.Decimal("1.5"), None, decimal.Decimal("-2.25")]),
                       "time": pa.array([1, None, 3600], pa.time32("s")),
                       "date64": pa.array([day(2026, 7, 1), None, day(1969, 12, 31)], pa.date64()),
                       "utf8_view": pa.array(["a", None, "b" * 40], pa.string_view()),
                       "labels": pa.DictionaryArray.from_arrays(
                           pa.array([1, None, 0]), pa.array(["p", "q" * 20], pa.string_view()))}
            for name, column in columns.items():
                table = pa.table({"x": pa.chunked_array([column, column])})
                feather.write_feather(table, name + ".arrow", chunksize=2)
            """)
        for name, wanted in lines.items():
            place = f"{self.dir}/{name}.h5:/t"
            self.stoa("import", f"{self.dir}/{name}.arrow", place)
            self.stoa("export", place, f"{self.dir}/{name}.csv")
            with open(f"{self.dir}/{name}.csv", encoding="utf-8") as file:
                self.assertEqual(file.read().split("\n")[:-1], wanted, name)

    def test_a_type_that_is_not_read_is_called_by_its_name(self):
        self.peer_python("""if True:
            import pyarrow as pa, pyarrow.feather as feather
            columns = {"interval": pa.array([pa.MonthDayNano([1, 2, 3])]),
                       "map": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
                       "list_view": pa.array([[1]], pa.list_view(pa.int8()))}
            for name, column in columns.items():
                feather.write_feather(pa.table({"x": column}), name + ".arrow")
            """)
        for name in ("interval", "map", "list_view"):
            self.fails("import", f"{self.dir}/{name}.arrow", f"{self.dir}/t.h5:/t",
                       says=f"column 'x' is of the Arrow type {name}, which is not read")

    def test_row_labels_go_through_arrow_files(self):
        """As pandas and pyarrow name them; a RangeIndex is no column."""
        self.peer_python("""if True:
            import pandas as pd, pyarrow as pa
            levels = pd.MultiIndex.from_tuples([("i", 1), ("j", 2)], names=["k", "n"])
            frame = pd.DataFrame({"a": [1, 2]}, index=levels)
            frames = {"levels": frame, "range": frame.reset_index(drop=True),
                      "unnamed": frame.reset_index(drop=True).set_axis(["p", "q"])}
            for name, made in frames.items():
                made.to_pickle(f"{name}.pickle")
                table = pa.Table.from_pandas(made)
                with pa.ipc.new_file(f"{name}.arrow", table.schema) as file:
                    file.write_table(table)
            odd = table.replace_schema_metadata({"pandas": '{"index_columns": ["a", "x", {}, 1'})
            with pa.ipc.new_file("odd.arrow", odd.schema) as file:
                file.write_table(odd)
            """)
        for name in ("levels", "range", "unnamed", "odd"):
            self.stoa("import", self.dir / f"{name}.arrow", f"{self.dir}/{name}.h5:/t")
        self.stoa("export", self.dir / "levels.h5", self.dir / "levels-2.arrow")
        self.stoa("export", self.dir / "range.h5", self.dir / "range-2.arrow")
        self.stoa("query", self.dir / "unnamed.h5", "-o", self.dir / "unnamed-2.arrow")
        self.stoa("convert", self.dir / "levels.arrow", f"{self.dir}/store.h5:/t", "--to", "pandas-table")
        self.assertNotIn("row labels", self.stoa("info", self.dir / "odd.h5").stdout)
        said = self.peer_python("""if True:
            import pandas as pd, pyarrow as pa
            def same(found, wanted):
                pd.testing.assert_frame_equal(found, pd.read_pickle(wanted))
            for name in ("levels", "range", "unnamed"):
                same(pa.ipc.open_file(f"{name}-2.arrow").read_all().to_pandas(), f"{name}.pickle")
            same(pd.read_hdf("store.h5").sort_index(), "levels.pickle")
            """)
        self.assertEqual(said, "")

    def test_many_columns_have_chunks_that_fit_in_memory_together(self):
        """2,100 columns, more than 2^25 values in chunks of 16,384 rows: as one batch and as ten small ones."""
        self.peer_python("""if True:
            import numpy as np, pyarrow as pa
            values = np.random.default_rng(1).integers(-999, 999, (2100, 8200), dtype="i2")
            table = pa.table({f"c{i}": values[i] for i in range(2100)})
            for name, n in (("one", 8200), ("ten", 820)):
                with pa.ipc.new_file(f"{name}.arrow", table.schema) as out:
                    out.write_table(table, max_chunksize=n)
            """)
        for name in ("one", "ten"):
            self.stoa("import", f"{self.dir}/{name}.arrow", f"{self.dir}/{name}.h5:/t")
            self.stoa("export", f"{self.dir}/{name}.h5:/t", f"{self.dir}/{name}-2.arrow")
        said = self.peer_python("""if True:
            import h5py, pyarrow as pa
            wanted = pa.ipc.open_file("one.arrow").read_all()
            for name in ("one", "ten"):
                again = pa.ipc.open_file(f"{name}-2.arrow")
                rows = [again.get_batch(i).num_rows for i in range(again.num_record_batches)]
                same = again.read_all().combine_chunks().select(wanted.column_names).equals(wanted.combine_chunks())
                print(h5py.File(f"{name}.h5")["t/c7"].chunks, rows, same)
            """)
        self.assertEqual(said, "(8192,) [8192, 8] True\n" * 2)
        sizes = [os.path.getsize(f"{self.dir}/{name}.h5") for name in ("one", "ten")]
        self.assertLess(sizes[1], 1.2 * sizes[0])

    def test_a_compressed_file_that_is_damaged_does_no_harm(self):
        """Every truncation, and single bytes changed: an error, or a table."""
        self.peer_python("""if True:
            import pyarrow as pa, pyarrow.feather as feather
            texts = pa.array(["a", None, "b" * 40] * 9, pa.string_view())
            feather.write_feather(pa.table({"x": texts, "n": pa.nulls(27)}), "views.arrow")
            """)
        random = stoa_test.rng()
        damaged = []
        for name in ("zstd-one", "views"):
            with open(f"{self.dir}/{name}.arrow", "rb") as file:
                whole = file.read()
            damaged += [whole[: random.randrange(len(whole))] for _ in range(20)]
            for _ in range(40):
                other = bytearray(whole)
                other[random.randrange(8, len(whole))] ^= 1 << random.randrange(8)
                damaged.append(bytes(other))
        for i, content in enumerate(damaged):
            file = self.write(f"damaged{i}.arrow", content)
            done = stoa_test.run(stoa_test.STOA, "import", file, f"{self.dir}/x{i}.h5:/t")
            self.assertIn(done.returncode, (0, 3), done.stderr)


if __name__ == "__main__":
    stoa_test.main()
