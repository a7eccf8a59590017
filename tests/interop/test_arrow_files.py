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

    def test_a_type_that_is_not_read_is_called_by_its_name(self):
        self.peer_python("""if True:
            import decimal, pyarrow as pa, pyarrow.feather as feather
            columns = {"decimal": pa.array([decimal.Decimal("1.5")]),
                       "time": pa.array([1], pa.time32("s")),
                       "map": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
                       "utf8_view": pa.array(["a"], pa.string_view())}
            for name, column in columns.items():
                feather.write_feather(pa.table({"x": column}), name + ".arrow")
            """)
        for name in ("decimal", "time", "map", "utf8_view"):
            self.fails("import", f"{self.dir}/{name}.arrow", f"{self.dir}/t.h5:/t",
                       says=f"column 'x' is of the Arrow type {name}, which is not read")

    def test_a_compressed_file_that_is_damaged_does_no_harm(self):
        """Every truncation, and single bytes changed: an error, or a table."""
        with open(f"{self.dir}/zstd-one.arrow", "rb") as file:
            whole = file.read()
        random = stoa_test.rng()
        damaged = [whole[: random.randrange(len(whole))] for _ in range(20)]
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
