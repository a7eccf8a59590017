"""NumPy's .npy and .npz files become tables: NumPy writes them, and h5py reads what Stoa made."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

WRITE = """
import numpy as np
n = 70000
r = np.random.default_rng(1)
np.save("one.npy", r.random(n))
np.save("two.npy", np.arange(n * 3, dtype="<i4").reshape(n, 3))
np.save("turned.npy", np.asfortranarray(np.arange(14 * 3 * 2).reshape(14, 3, 2)))
t = np.zeros(5, dtype=[("a", ">i2"), ("b", "S4"), ("c", "<U3"), ("d", "M8[ms]"), ("e", "?"), ("f", "<f4", (2,)),
                       ("g", "c16"), ("h", "M8[D]"), ("i", "m8[us]"), ("j", "<f2"), (("title", "k"), ">u8"), ("l", "V3")])
t["a"] = [1, -2, 3, -4, 300]
t["b"] = [b"x", b"", b"abcd", b"yz", b"q"]
t["c"] = ["ä", "", "日本語", "ab", "\U0001F600"]
t["d"] = ["2001-01-01T00:00:00.125", "NaT", "1969-12-31", "2026-11-29T09:00", "2001-01-01"]
t["e"] = [1, 0, 1, 1, 0]
t["f"] = np.arange(10).reshape(5, 2) / 4
t["g"] = np.arange(5) * (1 + 2j)
t["h"] = ["2001-02-03", "NaT", "1960-01-01", "2026-11-29", "1970-01-01"]
t["i"] = [1, -1, 2, 3, np.timedelta64("NaT")]
t["j"] = [0.5, 1, 2, 3, 4]
t["k"] = [1, 2, 3, 4, 2**63]
np.save("t.npy", t)
np.savez("many.npz", x=np.arange(n), label=np.array(["a", "b"] * (n // 2)), v=r.random((n, 2)))
np.savez_compressed("packed.npz", x=np.arange(n), label=np.array(["a", "b"] * (n // 2)), v=r.random((n, 2)))
np.savez("uneven.npz", x=np.arange(3), y=np.arange(4))
np.savez("scalar.npz", x=np.array(3))
np.save("objects.npy", np.array([{}], dtype=object))
np.save("months.npy", np.array(["2001-01"], dtype="M8[M]"))
np.save("latin.npy", np.array([b"\\xe4"]))
np.save("nested.npy", np.zeros(2, dtype=[("a", [("b", "i4")])]))
np.save("empty.npy", np.zeros((0, 3)))
with open("future.npy", "wb") as f:
    f.write(b"\\x93NUMPY\\x09\\x00" + bytes(200))
with open("short.npy", "wb") as f:
    f.write(open("two.npy", "rb").read()[:-5])
"""


class NumpyFiles(stoa_test.SharedPeersTestCase):
    @classmethod
    def make(cls, shared):
        shared.peer_python(WRITE)

    def imported(self, name):
        place = f"{self.dir}/{name.partition('.')[0]}.h5:/t"
        self.stoa("import", self.shared.dir / name, place)
        return place

    def test_a_structured_array_has_a_column_for_each_field(self):
        rows = [json.loads(line) for line in self.stoa("query", self.imported("t.npy"), "-f", "jsonl").stdout.splitlines()]
        self.assertEqual(rows[0], {"a": 1, "b": "x", "c": "ä", "d": "2001-01-01T00:00:00.125", "e": True, "f": [0.0, 0.25],
                                   "g": {"r": 0.0, "i": 0.0}, "h": "2001-02-03", "i": "PT0.000001S", "j": 0.5, "k": 1,
                                   "l": "000000"})  # fmt: skip
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        self.assertEqual(columns["a"], [1, -2, 3, -4, 300])
        self.assertEqual(columns["b"], ["x", "", "abcd", "yz", "q"])
        self.assertEqual(columns["c"], ["ä", "", "日本語", "ab", "\U0001f600"])
        self.assertEqual(columns["d"][1:3], [None, "1969-12-31T00:00:00.000"])
        self.assertEqual(columns["g"][3], {"r": 3.0, "i": 6.0})
        self.assertEqual(columns["h"][1:3], [None, "1960-01-01"])
        self.assertEqual(columns["i"][4], None)
        self.assertEqual(columns["k"][4], 2**63)

    def test_arrays_and_archives_hold_what_numpy_reads(self):
        places = {name: self.imported(name) for name in ("one.npy", "two.npy", "turned.npy", "many.npz", "packed.npz")}
        for name, place in places.items():
            self.stoa("check", place, "--strict")
            self.stoa("export", place, self.dir / f"{name}.arrow")
        self.peer_python("""
import numpy as np, pyarrow as pa, sys
for name in ("one.npy", "two.npy", "turned.npy", "many.npz", "packed.npz"):
    wanted = np.load(f"{sys.argv[1]}/{name}")
    found = pa.ipc.open_file(f"{name}.arrow").read_all()
    arrays = dict(wanted) if name.endswith("z") else {name[:-4]: wanted}
    assert found.column_names == list(arrays), (name, found.column_names)
    for key, array in arrays.items():
        column = found[key].combine_chunks()
        while hasattr(column, "flatten") and not isinstance(column, pa.StringArray) and column.type.num_fields:
            column = column.flatten()
        values = np.asarray(column.to_pylist())
        assert np.array_equal(values.reshape(array.shape), array), (name, key)
        assert array.dtype.kind == "U" or pa.types.is_integer(column.type) == (array.dtype.kind == "i")
""", str(self.shared.dir))  # fmt: skip

    def test_tables_go_out_as_archives_that_numpy_loads(self):
        for name in ("many.npz", "t.npy"):
            place = self.imported(name)
            self.stoa("query", place, "-c", ",".join(c for c in "x label v a b c d e f g h i j k".split()
                                                     if (name == "many.npz") == (c in ("x", "label", "v"))),
                      "-o", self.dir / name.replace("npy", "npz"))  # fmt: skip
        self.stoa("import", self.write("c.csv", "größe,kind\n1.5,ä\n,bcd\n2.5,ä\n"), f"{self.dir}/c.h5:/t",
                  "--category", "kind")  # fmt: skip
        done = self.stoa("export", f"{self.dir}/c.h5:/t", self.dir / "c.npz")
        self.assertIn("3 rows exported", done.stderr)
        self.stoa("query", f"{self.dir}/c.h5:/t", "-w", "größe > 9", "-o", self.dir / "none.npz")
        piped = self.stoa("query", f"{self.dir}/c.h5:/t", "-f", "npz", text=False).stdout
        self.assertEqual(piped, (self.dir / "c.npz").read_bytes())
        self.peer_python("""
import numpy as np, sys, zipfile
wanted, found = dict(np.load(sys.argv[1] + "/many.npz")), dict(np.load("many.npz"))
assert list(found) == list(wanted)
assert all(found[k].dtype == wanted[k].dtype and np.array_equal(found[k], wanted[k]) for k in wanted)
assert zipfile.ZipFile("many.npz").testzip() is None
wanted, found = np.load(sys.argv[1] + "/t.npy"), np.load("t.npz")
for name in found:
    w = wanted[name].astype("U") if name == "b" else wanted[name]
    assert found[name].dtype == w.dtype.newbyteorder("="), (name, found[name].dtype)
    assert np.array_equal(found[name], w, equal_nan=name in "dhi"), name
found = np.load("c.npz")
assert list(found) == ["größe", "kind"] and found["kind"].tolist() == ["ä", "bcd", "ä"] and found["kind"].dtype == "<U3"
assert np.array_equal(found["größe"], [1.5, np.nan, 2.5], equal_nan=True)
none = np.load("none.npz")
assert none["größe"].shape == (0,) and none["kind"].dtype == "<U1"
""", str(self.shared.dir))  # fmt: skip
        again = self.stoa("import", self.dir / "c.npz", f"{self.dir}/again.h5:/t")
        self.assertIn("3 rows", again.stderr)

    def test_what_an_archive_cannot_hold_is_refused_and_leaves_nothing(self):
        self.write("m.jsonl", '{"n": 1, "s": "a", "l": [1]}\n{"n": null, "s": null, "l": [1, 2]}\n')
        self.stoa("import", self.dir / "m.jsonl", f"{self.dir}/m.h5:/t")
        for column, says in (("n", "missing values"), ("s", "missing values"), ("l", "different lengths")):
            self.fails("export", f"{self.dir}/m.h5:/t", self.dir / "m.npz", "-c", column, says=[f"'{column}'", says])
        self.assertFalse((self.dir / "m.npz").exists())

    def test_rows_are_appended(self):
        place = self.imported("two.npy")
        self.stoa("append", self.shared.dir / "two.npy", place)
        self.assertEqual(self.stoa("query", place, "-a", "count()", "-f", "csv").stdout.split()[1], "140000")
        self.assertIn("0 rows", self.stoa("import", self.shared.dir / "empty.npy", f"{self.dir}/e.h5:/t").stderr)

    def test_what_is_no_table_is_refused_and_leaves_nothing(self):
        for name, says in (("uneven.npz", "one length"), ("scalar.npz", "scalar"), ("objects.npy", "Python objects"),
                           ("months.npy", "'M'"), ("latin.npy", "UTF-8"), ("nested.npy", "'a'"),
                           ("future.npy", "version 9"), ("short.npy", "too early")):  # fmt: skip
            self.fails("import", self.shared.dir / name, f"{self.dir}/n.h5:/t", says=[name, says])
        self.fails("import", self.shared.dir / "one.npy", f"{self.dir}/n.h5:/t", "--delimiter", ";", status=2,
                   says="a file of NumPy")  # fmt: skip
        self.assertFalse((self.dir / "n.h5").exists())

    def test_damaged_headers_are_refused(self):
        whole = (self.shared.dir / "t.npy").read_bytes()
        random = stoa_test.rng()
        for _ in range(stoa_test.effort(40)):
            at = random.randrange(8, 300)
            self.write("d.npy", whole[:at] + bytes([random.randrange(256)]) + whole[at + 1 :])
            done = self.stoa("import", self.dir / "d.npy", f"{self.dir}/d.h5:/t", "--force", status=None)
            self.assertIn(done.returncode, (0, 3), done.stderr)

    def test_names_are_latin_1_in_a_header_of_version_1(self):
        self.peer_python("""
import numpy
numpy.save("a.npy", numpy.array([(1, 2)], dtype=[("Größe", ">i4"), ("x", "i1")]))
assert open("a.npy", "rb").read(8)[6] == 1
""")
        self.stoa("import", self.dir / "a.npy", f"{self.dir}/a.h5:/t")
        self.assertEqual(self.stoa("query", f"{self.dir}/a.h5:/t", "-f", "csv").stdout, "Größe,x\n1,2\n")


if __name__ == "__main__":
    stoa_test.main()
