"""What Python may do to the types and functions of the extension: none of it crashes."""

import os
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test

import pystoa
from pystoa import _pystoa

ODD = [None, True, -1, 2**64, 2**200, 1.5, float("nan"), "", "a\0b", "\udc80", "x" * 5000, b"", b"a\0", (), (1, 2),
       [None], {}, {"a": 1}, {1: 2}, object(), slice(None), lambda *a: None, iter([]), iter([5]), types, print,
       memoryview(b"abc"), {"a": [1], "b": [1, 2]}, {"a": memoryview(b"abcd").cast("i")}]  # fmt: skip


def attempts(rng, n):
    """Arguments that make no sense."""
    for _ in range(n):
        yield tuple(rng.choice(ODD) for _ in range(rng.randrange(5)))


class Misuse(python_test.TestCase):
    def refuse(self, call, *arguments, **keywords):
        """The call may do something or refuse it, by an exception that is no SystemError."""
        try:
            return call(*arguments, **keywords)
        except SystemError as error:
            raise AssertionError(f"{call}{arguments}") from error
        except Exception:
            return None

    def test_objects_that_were_never_made(self):
        table = _pystoa.Table.__new__(_pystoa.Table)
        query = _pystoa.Query.__new__(_pystoa.Query)
        for empty in (table, query):
            for name in dir(empty):
                if not name.startswith("__") or "arrow" in name:
                    value = self.refuse(getattr, empty, name)
                    if callable(value):
                        self.refuse(value)
                        self.refuse(value, "x")
            self.refuse(len, empty)
            self.refuse(repr, empty)
        with self.assertRaisesRegex(ValueError, "not open"):
            len(table)
        with self.assertRaisesRegex(ValueError, "no table"):
            query.explain()
        for kind in (_pystoa.Array, _pystoa.Schema, _pystoa.Reader):
            with self.assertRaises(TypeError):
                kind()
            with self.assertRaises(TypeError):
                kind.__new__(kind)
            with self.assertRaises(TypeError):
                kind.anything = 5

    def test_a_query_that_fails_says_why_in_every_way(self):
        query = self.events().query("energy >")
        for ask in (lambda: query.schema, query.to_list, query.explain, query.__arrow_c_schema__):
            with self.assertRaises(pystoa.QuerySyntaxError):
                ask()

    def test_counts_are_from_0_on(self):
        table = self.events()
        calls = [lambda n: table.query("det = 7", threads=n).to_list(), lambda n: table.check(threads=n),
                 lambda n: table.query(sort="energy", memory=n).to_list(), lambda n: table.append({}, threads=n),
                 lambda n: pystoa.write(self.path, "/new", {"x": [1]}, chunk_rows=n),
                 lambda n: pystoa.convert(self.path, self.dir / "to.h5", to="hep001", threads=n),
                 lambda n: table.verify_indexes(threads=n)]  # fmt: skip
        for call in calls:
            for wrong in (-1, 2**64):
                with self.assertRaisesRegex(ValueError, f"a count is a number from 0 to .*, not {wrong}"):
                    call(wrong)
            with self.assertRaises(TypeError):
                call("2")
        for beyond in (2**64, -(2**63) - 1):
            with self.assertRaisesRegex(OverflowError, f"{beyond} is no parameter"):
                table.query("time > ?", [beyond]).to_list()

    def test_arguments_that_make_no_sense(self):
        rng = stoa_test.rng()
        table = self.events()
        calls = [
            _pystoa.Table, lambda *a: _pystoa.Query(table, *a), _pystoa.Query, _pystoa.objects, _pystoa.find_file,
            _pystoa.check, table._read, table._storage, table._attributes, table.query, table.aggregate,
            table.head, pystoa.open, pystoa.ls,
            lambda *a: _pystoa.check(self.path, *a), lambda *a: table["time"].read(*a),
            lambda *a: table["time"].read()[a[0]] if a else None, lambda *a: table.schema[a[0]] if a else None,
            lambda *a: table.query("time > ?", *a).to_list(), lambda *a: table.query(*a).to_list(),
            lambda *a: table.query("time > ? and det = ?", a).to_list(),
            lambda *a: _pystoa.append(self.path, "/events", *a), lambda *a: _pystoa.update(self.path, "/events", *a),
            lambda *a: _pystoa.delete(self.path, "/events", *a), lambda *a: _pystoa.annotate(self.path, "/events", *a),
            lambda *a: _pystoa.add_index(self.path, "/events", *a),
            lambda *a: _pystoa.write(self.dir / "new.h5", "/t", *a),
            lambda *a: pystoa.write(self.dir / "new.h5", "/t", a[0] if a else {}, replace=True),
            lambda *a: pystoa.convert(self.path, self.dir / "converted.h5", to=a[0] if a else "lh5"),
        ]  # fmt: skip
        os.chdir(self.dir)
        for arguments in attempts(rng, stoa_test.effort(60)):
            for call in calls:
                self.refuse(call, *arguments)
        self.assertEqual(pystoa.check(self.path), [])

    def test_types_are_of_use_to_subclasses(self):
        class Mine(pystoa.Table):
            note = "mine"

        table = Mine(self.path, "/events")
        self.assertEqual((len(table), table.note, len(table.query().to_list())), (4, "mine", 4))

        class Lists(_pystoa.Query):
            pass

        self.assertEqual(len(list(Lists(table)._reader())[0]), 4)

    def test_a_table_may_be_opened_anew(self):
        pystoa.write(self.path, "/other", {"x": [1]})
        table = self.events()
        table.__init__(self.path, "/other")
        self.assertEqual(len(table), 1)

    def test_cycles_are_collected(self):
        import gc
        import weakref

        table = pystoa.open(self.path, "/events")
        query = table.query(progress=lambda *a: query)
        gone = weakref.ref(query)
        del query, table
        gc.collect()
        self.assertIsNone(gone())


if __name__ == "__main__":
    stoa_test.main()
