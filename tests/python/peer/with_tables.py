"""pystoa.tables beside PyTables, on files that PyTables wrote."""

import random
import tempfile
import unittest
from pathlib import Path

import numpy as np
import pystoa
import tables
from pystoa.tables import open_table, read_where

N = 1000


class Vertex(tables.IsDescription):
    x = tables.Float32Col(pos=0)
    n = tables.Int16Col(pos=1)


class Event(tables.IsDescription):
    i = tables.Int32Col(pos=0)
    e = tables.Float64Col(pos=1)
    f = tables.Float32Col(pos=2)
    name = tables.StringCol(6, pos=3)
    flag = tables.BoolCol(pos=4)
    c = tables.ComplexCol(16, pos=5)
    t32 = tables.Time32Col(pos=6)
    t64 = tables.Time64Col(pos=7)
    cell = tables.Int16Col(shape=(2, 3), pos=8)
    names = tables.StringCol(3, shape=(2,), pos=9)
    u = tables.UInt8Col(pos=10)
    times = tables.Time64Col(shape=(2,), pos=11)
    n = tables.Int64Col(pos=12)
    vertex = Vertex()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = str(Path(folder.name) / "a.h5")
        rng = np.random.default_rng(1)
        with tables.open_file(self.path, "w") as file:
            table = file.create_table("/", "events", Event, chunkshape=128)
            rows = np.zeros(N, dtype=table.dtype)
            rows["i"] = rng.integers(-50, 50, N)
            rows["e"] = np.where(rng.random(N) < 0.1, np.nan, rng.normal(size=N))
            rows["f"] = rng.integers(0, 9, N) / 10
            rows["name"] = np.array([b"muon", b"pion", b"", b"ka%n", "µ".encode(), b"abcdef"])[rng.integers(0, 6, N)]
            rows["flag"] = rng.random(N) < 0.5
            rows["c"] = rng.normal(size=N) + 1j
            rows["t32"] = np.arange(N)
            rows["t64"] = np.arange(N) + rng.integers(0, 10**6, N) / 1e6
            rows["cell"] = rng.integers(0, 9, (N, 2, 3))
            rows["names"] = [[b"a", b"bcd"]] * N
            rows["u"] = rng.integers(0, 256, N)
            rows["times"] = rng.integers(0, 10**6, (N, 2)) / 4
            rows["n"] = rng.integers(-(2**62), 2**62, N)
            rows["vertex"]["x"] = rng.normal(size=N)
            rows["vertex"]["n"] = rng.integers(0, 9, N)
            table.append(rows)
        self.file = tables.open_file(self.path)
        self.addCleanup(self.file.close)
        self.peer = self.file.root.events
        self.ours = open_table(self.path, "/events")
        self.addCleanup(self.ours.close)

    def equal(self, found, wanted):
        self.assertEqual(found.dtype, wanted.dtype)
        for name in wanted.dtype.names or ():
            self.equal(found[name], wanted[name])
        if wanted.dtype.names is None:
            np.testing.assert_array_equal(found, wanted)


class Reading(Case):
    def test_what_a_table_is(self):
        self.assertEqual(self.ours.nrows, N)
        self.assertEqual((len(self.ours), self.ours.shape), (N, (N,)))
        self.assertEqual(self.ours.colnames, list(self.peer.colnames))
        self.assertEqual(self.ours.dtype, self.peer.dtype)
        self.assertEqual(self.ours.colindexed["i"], False)

    def test_rows(self):
        for slices in ((), (5,), (5, 10), (None, 20), (10, 500, 7), (-5,), (3, 3), (990, 2000)):
            self.equal(self.ours.read(*slices), self.peer.read(*slices))
        self.equal(self.ours[3:9], self.peer[3:9])
        self.equal(self.ours[[5, 900, 3]], self.peer[[5, 900, 3]])
        mask = np.arange(N) % 100 == 7
        self.equal(self.ours[mask], self.peer[mask])
        self.assertEqual(self.ours[-1], self.peer[-1])
        self.equal(self.ours.read_coordinates([7, 1, 7]), self.peer.read_coordinates([7, 1, 7]))
        out = np.empty(N, dtype=self.peer.dtype)
        self.assertIs(self.ours.read(out=out), out)
        self.equal(out, self.peer.read())
        with self.assertRaises(IndexError):
            self.ours[N]

    def test_columns(self):
        for name in self.peer.colnames:
            self.equal(self.ours.col(name), self.peer.col(name))
            self.equal(self.ours.read(2, 50, 3, field=name), self.peer.read(2, 50, 3, field=name))
        self.equal(self.ours.read(field="vertex/x"), self.peer.read(field="vertex/x"))
        with self.assertRaises(KeyError):
            self.ours.col("nothing")
        with self.assertRaises(KeyError):
            open_table(self.path, "/nothing")
        with self.assertRaises(FileNotFoundError):
            open_table(self.path + "x", "/events")

    def test_what_differs(self):
        class Odd(tables.IsDescription):
            k = tables.EnumCol({"red": 4, "green": 7}, "red", "uint8", pos=0)

            class inner(tables.IsDescription):
                name = tables.StringCol(8)

        path = self.path + ".odd"
        with tables.open_file(path, "w") as file:
            table = file.create_table("/", "t", Odd)
            table.append([(7, (b"ab",)), (4, (b"abc",))])
        with open_table(path, "/t") as table:
            self.assertEqual(table.col("k").tolist(), [b"green", b"red"])
            self.assertEqual(table.read(field="inner/name").tolist(), [b"ab", b"abc"])
            self.assertEqual(table.get_where_list("k == b'red'").tolist(), [1])
            self.assertEqual(table.get_where_list("(k != b'red') & (k == b'green')").tolist(), [0])
            with self.assertRaisesRegex(ValueError, "enumeration"):
                table.read_where("k == 7")

    def test_iteration(self):
        rows = [(row.nrow, row["i"], row["name"], row["vertex/x"]) for row in self.peer.iterrows(3, 40, 5)]
        self.assertEqual([(row.nrow, row["i"], row["name"], row["vertex/x"])
                          for row in self.ours.iterrows(3, 40, 5)], rows)  # fmt: skip
        self.assertEqual(sum(1 for _ in self.ours), N)
        self.assertEqual([(row.nrow, row["t32"]) for row in self.ours.iterrows(9, None, -4)],
                         [(9, 9), (5, 5), (1, 1)])  # fmt: skip
        self.assertEqual(sum(int(row["u"]) for row in self.ours), sum(int(row["u"]) for row in self.peer))


class Conditions(Case):
    def test_conditions_mean_what_they_mean_in_pytables(self):
        low, label, array = 0.5, b"muon", np.float32(0.3)
        for condition in (
            "i > 5", "(i > 5) & (e < 0)", "e > low", "(e > low) | (i == 3)", "~(e > 0)", "e != 0", "f == 0.3",
            "f == array", "f >= 0.5", "flag", "~flag", "flag & (i > 0)", "name == b'muon'", "name == label",
            "name != b''", "name > b'm'", "contains(name, b'%')", "contains(name, b'on')", "t32 < 100",
            "t64 > 500.25", "u == 7", "n > 2**60", "n > 1e18", "-5 < i", "i + u > 100", "(i > 5) & (sqrt(f) > 0.5)",
            "where(i > 0, e, f) > 0.2", "i * 2 == u", "i < u", "(i % 3 == 0) & (e > 0)", "i > 2.5", "i == -7",
            "i > 1000", "(e > 0) & (e < 3.5)",
        ):  # fmt: skip
            with self.subTest(condition=condition):
                wanted = self.peer.read_where(condition)
                self.equal(self.ours.read_where(condition), wanted)
                self.equal(self.ours.get_where_list(condition), self.peer.get_where_list(condition))
        self.assertEqual((low, label, array > 0), (0.5, b"muon", True))

    def test_conditions_that_are_joined(self):
        rng = random.Random(1)
        signs = ["<", "<=", ">", ">=", "==", "!="]
        simple = [
            lambda: f"(i {rng.choice(signs)} {rng.randrange(-50, 50)})", lambda: f"(e {rng.choice(signs)} {rng.gauss(0, 1)})",
            lambda: f"(u {rng.choice(signs)} {rng.randrange(256)})", lambda: "flag", lambda: f"(f {rng.choice(signs)} 0.5)",
            lambda: f"(name {rng.choice(signs)} {rng.choice([b'muon', b'', b'abcdef', b'zz'])})",
            lambda: f"(i + u {rng.choice(signs)} {rng.randrange(200)})", lambda: "(i < u)",
            lambda: f"(t32 {rng.choice(signs)} {rng.randrange(N)})", lambda: f"(t64 > {rng.uniform(0, N)})",
        ]  # fmt: skip

        def some(depth):
            text = rng.choice(simple)() if depth == 0 else f"({some(depth - 1)} {rng.choice('&|')} {some(depth - 1)})"
            return f"(~{text})" if rng.random() < 0.2 else text

        for _ in range(200):
            condition = some(rng.randrange(3))
            with self.subTest(condition=condition):
                self.equal(self.ours.get_where_list(condition), self.peer.get_where_list(condition))

    def test_columns_and_ranges(self):
        for asked in ({"field": "e"}, {"start": 100, "stop": 500}, {"start": 3, "stop": 900, "step": 7},
                      {"field": "name", "start": 10, "stop": 800}, {"start": 5}):  # fmt: skip
            for condition in ("i > 0", "i + u > 50", "(e > 0) & (i + u > 50)"):
                self.equal(self.ours.read_where(condition, **asked), self.peer.read_where(condition, **asked))
        found = [(row.nrow, row["i"]) for row in self.ours.where("i > 40", start=10, stop=700)]
        self.assertEqual(found, [(row.nrow, row["i"]) for row in self.peer.where("i > 40", start=10, stop=700)])

    def test_variables(self):
        for condition, known in (("i > a", {"a": 5}), ("i > e", {"e": 40}), ("u > a", {"a": np.int64(7)})):
            self.equal(self.ours.read_where(condition, known), self.peer.read_where(condition, known))
        with self.assertRaises(NameError):
            self.ours.read_where("i > nothing")
        with self.assertRaises(NameError):
            self.ours.read_where("i > N", {})
        with self.assertRaises(ValueError):
            self.ours.read_where("i >")
        self.equal(read_where(self.path, "/events", "n > N"), self.peer.read_where("n > N"))

    def test_conditions_go_down_into_indexes(self):
        path = self.path + ".stoa"
        pystoa.convert(self.path, path, to="hep001", object="/events")
        with pystoa.open(path, "/events") as table:
            table.add_index("i", "sorted")
        with open_table(path, "/events") as table:
            self.assertTrue(table.colindexed["i"])
            self.assertEqual(table.read_where("i == 7", field="n").tolist(),
                             self.peer.read_where("i == 7", field="n").tolist())  # fmt: skip


if __name__ == "__main__":
    unittest.main()
