"""One damaged column never stops a table: a warning names it, and the others answer."""

import os
import sys
import unittest
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test

import pystoa


class Unreadable(python_test.TestCase):
    """Column b of /t has an object header that is overwritten."""

    def setUp(self):
        super().setUp()
        self.file = self.dir / "damaged.h5"
        pystoa.write(self.file, "/t", {"a": [1, 2, 3], "b": [1.5, 2.5, 3.5], "c": ["x", "y", "z"]})
        pystoa.write(self.file, "/good", {"a": [1]})
        done = stoa_test.run(stoa_test.Path(stoa_test.HDF5_BIN) / "h5ls", "-a", "-v", f"{self.file}/t/b")
        place = next(line.split(":")[-1] for line in done.stdout.splitlines() if "Location:" in line)
        with open(self.file, "r+b") as file:
            file.seek(int(place))
            file.write(b"\xee" * 16)

    def caught(self, work):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            found = work()
        return found, [str(warning.message) for warning in seen]

    def test_the_others_answer_and_one_warning_names_it(self):
        table, said = self.caught(lambda: pystoa.open(self.file, "/t"))
        self.assertEqual(said, [])
        rows, said = self.caught(lambda: table.query("a > 1").to_list())
        self.assertEqual(rows, [{"a": 2, "c": "y"}, {"a": 3, "c": "z"}])
        self.assertEqual(len(said), 1)
        self.assertTrue(said[0].startswith(f"{self.file}:/t/b: left out: "), said)
        again, said = self.caught(lambda: (table.head(1), [field.name for field in table.schema], repr(table)))
        self.assertEqual((again[:2], said), (([{"a": 1, "c": "x"}], ["a", "c"]), []))
        total, said = self.caught(lambda: table.aggregate("sum(a)").to_list())
        self.assertEqual((total, said), ([{"sum(a)": 6}], []))

    def test_what_names_it_fails(self):
        table = pystoa.open(self.file, "/t")
        for ask in (lambda: table.query(columns="a, b").to_list(), lambda: table.query("b > 1").to_list(),
                    lambda: table["b"].read()):  # fmt: skip
            with self.assertRaisesRegex(pystoa.Error, "/t/b"):
                ask()

    def test_strict_tables_fail(self):
        with self.assertRaisesRegex(pystoa.Error, "/t/b"):
            pystoa.open(self.file, "/t", strict=True).query().to_list()

    def test_sound_tables_say_nothing(self):
        rows, said = self.caught(lambda: pystoa.open(self.file, "/good").query().to_list())
        self.assertEqual((rows, said), ([{"a": 1}], []))


if __name__ == "__main__":
    stoa_test.main() if hasattr(stoa_test, "main") else unittest.main()
