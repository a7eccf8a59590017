"""All of an LH5 file as HEP001 tables, what no table holds named or kept, and back (docs/layouts/lh5.md)."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
for room in ("../support", "../fault", "."):
    sys.path.insert(0, os.path.join(HERE, room))
import kills
import stoa_test
from interop_test import PeerTestCase

SEED = os.environ.get("STOA_SEED", "1")

# How all of a file is converted, and what lh5_tables.py is told of it.
WAYS = (
    ([], []),
    (["--keep-rest"], ["--kept"]),
    (["--no-flatten"], ["--split"]),
    (["--no-flatten", "--keep-rest"], ["--split", "--kept"]),
)


class WholeFiles(PeerTestCase):
    def convert(self, file, options, new, status=0):
        return self.stoa("convert", f"{self.dir}/{file}", f"{self.dir}/{new}", "--to", "hep001",
                         *options, status=status)  # fmt: skip

    def check_ways(self, file, has_tables):
        for i, (options, told) in enumerate(WAYS):
            with self.subTest(file=file, options=options):
                new = f"{i}-{file}.h5"
                fails = not has_tables and "--keep-rest" not in options
                self.convert(file, options, new, status=3 if fails else 0)
                if fails:
                    self.assertFalse((self.dir / new).exists())
                    continue
                self.assert_says_nothing("lh5_tables.py", file, new, *told)
                if has_tables:
                    self.stoa("check", "--indexes", f"{self.dir}/{new}")
                if "--keep-rest" in options:
                    self.check_back(file, new)

    def check_back(self, file, new):
        """From there LH5 is written as it was, but for the order of fields, which HEP001 has none of."""
        back = f"back-{new}"
        self.stoa("convert", f"{self.dir}/{new}", f"{self.dir}/{back}", "--to", "lh5", "--keep-rest")
        self.assert_says_nothing("lh5_verify.py", "--any-order", "--same", file, back)

    def tables_of(self, file):
        said = self.stoa("ls", f"{self.dir}/{file}").stdout.splitlines()[2:]
        return [line.split()[0] for line in said if line.split()[2] == "table"]

    def test_made_files_are_what_h5py_says_and_come_back_as_they_were(self):
        self.peer("python3", "lh5_made.py", SEED, str(stoa_test.effort(4)))
        for file in json.loads((self.dir / "lh5.json").read_text("utf-8")):
            self.check_ways(file, bool(self.tables_of(file)))

    def test_what_is_said_of_parts_and_arrays_comes_back(self):
        self.peer("python3", "-c", SAID)
        for options in ([], ["--no-flatten"]):
            new = f"said{len(options)}.h5"
            self.convert("said.lh5", [*options, "--keep-rest"], new)
            self.stoa("check", f"{self.dir}/{new}")
            self.check_back("said.lh5", new)
        for old, new in (("said.lh5", "all.lh5"), ("said.lh5:/t", "one.lh5:/t")):
            self.stoa("convert", f"{self.dir}/{old}", f"{self.dir}/{new}", "--to", "lh5")
            self.assert_says_nothing("lh5_verify.py", "--same", "said.lh5", new.partition(":")[0], "/t")
        self.stoa("export", f"{self.dir}/said.lh5:/t", f"{self.dir}/t.arrow")
        self.stoa("convert", f"{self.dir}/t.arrow", f"{self.dir}/again.lh5:/t", "--to", "lh5")
        self.assert_says_nothing("lh5_verify.py", "--by-arrow", "--same", "said.lh5", "again.lh5", "/t")

    def test_references_stay_behind_and_are_told_of(self):
        self.peer("python3", "-c", SAID + REFERENCES)
        for i, (old, new, layout) in enumerate((
            ("said.lh5", "0.lh5", "lh5"), ("said.lh5:/t", "1.lh5:/t", "lh5"),
            ("said.lh5", "2.h5", "hep001"), ("said.lh5:/t", "3.h5:/t", "hep001"),
        )):  # fmt: skip
            with self.subTest(old=old, new=new):
                done = self.stoa("convert", f"{self.dir}/{old}", f"{self.dir}/{new}", "--to", layout)
                *told, _ = done.stderr.splitlines()
                self.assertEqual(sorted(told), [
                    f"{self.dir}/said.lh5:{path} has an attribute '{name}' that stays behind, since it has "
                    "references"
                    for path, name in (
                        ("/t", "pairs"), ("/t/n/m/cumulative_length", "dimensions"), ("/t/n/w/decoded_size", "one"),
                        ("/t/v", "none"), ("/t/v", "one"),
                    )
                ])  # fmt: skip
                shown = self.hdf5("h5dump", "-A", self.dir / new.partition(":")[0])
                for name in ("pairs", "dimensions", "one", "none"):
                    self.assertNotIn(f'ATTRIBUTE "{name}"', shown)
                self.assertNotIn("H5T_REFERENCE", shown)

    def test_references_of_kept_objects_are_kept_and_not_told_of(self):
        self.peer("python3", "-c", SAID + KEPT_REFERENCE)
        done = self.stoa("convert", f"{self.dir}/said.lh5", f"{self.dir}/kept.h5", "--to", "hep001", "--keep-rest")
        self.assertNotIn("/note has an attribute", done.stderr)
        self.assertIn("/t has an attribute 'to_image' that stays behind", done.stderr)
        said = self.peer("python3", "-c", "import h5py\nf = h5py.File('kept.h5')\n"
                         "print(f[f['note'].attrs['to_image']].name, 'to_image' in f['t'].attrs)")  # fmt: skip
        self.assertEqual(said.split(), ["/image", "False"])

    def test_arrays_that_are_of_hep001_stay_there(self):
        (self.dir / "t.csv").write_text("a\n1\n", "utf-8")
        self.stoa("import", f"{self.dir}/t.csv", f"{self.dir}/own.h5:/t")
        self.peer("python3", "-c", OWN_ARRAYS)
        self.stoa("convert", f"{self.dir}/own.h5:/t", f"{self.dir}/own.lh5:/t", "--to", "lh5")
        said = self.peer("python3", "-c", "import h5py\nf = h5py.File('own.lh5')\n"
                         "print(*f['t'].attrs, *f['t/a'].attrs)")  # fmt: skip
        self.assertEqual(said.split(), ["datatype", "one", "datatype", "one"])

    def test_real_files_are_what_h5py_says_and_come_back_as_they_were(self):
        data = os.environ.get("STOA_LH5_DATA")
        if not data:
            self.skipTest("STOA_LH5_DATA does not say where the experiment's files are")
        for path in sorted(Path(data).glob("*.lh5")):
            self.put(str(path))
            self.check_ways(path.name, bool(self.tables_of(path.name)))


# Arrays as attributes, and attributes of what columns are made of; units of vectors and of their items.
SAID = """
import h5py, lh5_tree, numpy as np
def several(k):
    pair = np.dtype([("x", "<i4"), ("text", h5py.string_dtype("utf-8")), ("grid", ">f4", (2,))])
    return [np.array([[1.5, -2.25], [k, 1e300]]), np.array([3, -k], ">i2"),
            np.array(['a "b"', "\\\\", ""], h5py.string_dtype("utf-8")), np.array([True, False]),
            np.array([(k, 'a "b" )', [1, 2]), (-k, "", [0.5, -1])], pair), np.array((k, "c", [3, 4]), pair)[()],
            h5py.Empty(pair), h5py.Empty("<f8"), np.void(b"\\0\\xff"), np.complex64(k + 1j)][k % 10]
words = {"kind": "vectors", "depth": 3, "rows": [[[1], []], [], [[2, 3]]], "items": "i4", "units": "ns"}
more = {"kind": "vectors", "depth": 2, "rows": [[1], [], [2, 3]], "items": "f4"}
wave = {"kind": "encoded", "codec": "uleb128_zigzag_diff", "rows": [[1, 2], [3, 4], [5, 6]], "is_equal": True}
inner = {"kind": "table", "fields": {"w": wave, "m": more}}
table = {"kind": "table", "fields": {"v": words, "n": inner}, "attributes": {"several": several(0)}}
with h5py.File("said.lh5", "w") as file:
    t = lh5_tree.Writer().write(file, "t", table)
    lh5_tree.attribute(file, "datatype", "struct{t}")
    parts = ["v", "v/cumulative_length", "v/flattened_data", "v/flattened_data/cumulative_length",
             "v/flattened_data/flattened_data", "n/m/flattened_data", "n/w", "n/w/encoded_data",
             "n/w/encoded_data/cumulative_length", "n/w/encoded_data/flattened_data", "n/w/decoded_size"]
    for i, path in enumerate(parts):
        t[path].attrs["limits"] = several(i)
        t[path].attrs["odd"] = several(i + 4)
        lh5_tree.attribute(t[path], "by", "nobody")
    for path in ("v/flattened_data/flattened_data", "n/m/flattened_data"):
        lh5_tree.attribute(t[path], "units", "keV")
        lh5_tree.attribute(t[path], "description", "of items")
"""

# Objects that no table holds, one of which refers to the other, and so does the table.
KEPT_REFERENCE = """
with h5py.File("said.lh5", "r+") as file:
    file["image"] = np.zeros((2, 3, 4))
    file["note"] = np.arange(3)
    for path in ("note", "t"):
        file[path].attrs["to_image"] = file["image"].ref
"""

REFERENCES = """
with h5py.File("said.lh5", "a") as file:
    t = file["t"]
    pair = np.dtype([("to", h5py.ref_dtype), ("n", "<i4")])
    t.attrs["pairs"] = np.array([(t["n/w"].ref, 1), (t["v"].ref, 2), (h5py.Reference(), 3)], pair)
    t["n/m/cumulative_length"].attrs.create("dimensions", np.array([t.ref, t["v"].ref], h5py.ref_dtype))
    t["v"].attrs["one"] = t["n/m"].ref
    t["n/w/decoded_size"].attrs["one"] = t.ref
    t["v"].attrs.create("none", h5py.Reference(), dtype=h5py.ref_dtype)
"""
OWN_ARRAYS = """
import h5py, numpy as np
with h5py.File("own.h5", "a") as file:
    for node in [file[path] for path in ("t", "t/a") if path in file]:
        node.attrs["one"], node.attrs["array"] = np.int64(1), np.array([1, 2])
"""
# Links, attributes, groups and members of all kinds that no table holds; tables in tables, one of them
# with nothing else in it.
STRANGE = """
import h5py, lh5_tree, numpy as np
with h5py.File("strange.lh5", "w") as file:
    writer = lh5_tree.Writer()
    def array(values, **more):
        return {"kind": "array", "values": np.asarray(values), **more}
    deep = {"kind": "table", "fields": {"y": array([1, 2, 3])}}
    inner = {"kind": "table", "fields": {"x": array([1.0, 2, 3]), "deep": deep}}
    table = {"kind": "table", "fields": {"a": array([5, 6, 7], units="ns"), "n": inner}}
    words = {"kind": "vectors", "depth": 2, "rows": [[1], [], [2, 3]], "items": "i4"}
    wave = {"kind": "encoded", "codec": "uleb128_zigzag_diff", "rows": [[1, 2], [3, 4]], "is_equal": True}
    writer.write(file, "s", {"kind": "struct", "fields": {
        "t": table, "x": {"kind": "scalar", "value": 2.5}, "v": words, "w": wave}})
    writer.write(file, "bare", {"kind": "table", "fields": {"n": inner}})
    lh5_tree.attribute(file, "datatype", "struct{bare,s}")
    file.attrs["by"] = "nobody"
    lh5_tree.attribute(file["s"], "note", "of a struct")
    t = file["s/t"]
    lh5_tree.attribute(t, "hash_func", "uid // 7.")
    t["a"].attrs["length"] = np.int64(3)
    lh5_tree.attribute(t["n"], "note", "of a table in a table")
    t["unlisted"] = np.arange(2.0)
    file["once_more"] = t
    file["soft"], file["away"] = h5py.SoftLink("/s/t"), h5py.ExternalLink("other.h5", "/x")
    file.create_dataset("plain", data=np.zeros((3, 4), "f4"), compression="gzip")
    file["same"] = file["plain"]
    file.create_group("empty")
    file["type"] = np.dtype("f8")
"""
LEFT = {  # path: kind, datatype, attributes, whether --keep-rest keeps it
    "/": ("struct", "struct{bare,s}", "by", True),
    "/away": ("external link", "-> other.h5:/x", None, True),
    "/empty": ("group", "group", None, True),
    "/plain": ("dataset", "float32 · 3 x 4", None, True),
    "/s": ("struct", "struct{t,v,w,x}", "note", True),
    "/s/t": ("hard link", "-> /once_more", None, True),
    "/s/v": ("vectors", "array<1>{array<1>{real}}", None, True),
    "/s/w": ("encoded", "array_of_encoded_equalsized_arrays<1,1>{real}", None, True),
    "/s/x": ("scalar", "real · scalar", None, True),
    "/same": ("hard link", "to an object with another name", None, True),
    "/soft": ("soft link", "-> /s/t", None, True),
    "/type": ("datatype", "float64", None, True),
    "/once_more/n": ("table", "table{deep,x}", "note", False),
    "/once_more/unlisted": ("dataset", "float64 · 2", None, False),
}
SEEN = """
import h5py, numpy as np
with h5py.File("kept.h5") as f:
    t = f["once_more"]
    print(f["s/t"] == t, sorted(t), t.attrs["hash_func"], t["a"].attrs["length"], f.attrs["by"],
          f["s"].attrs["note"], f["s"].attrs["datatype"], sorted(f["s"]), f["plain"] == f["same"],
          f["plain"].compression, f.get("away", getlink=True).filename, f["soft"] == t, sep="|")
with h5py.File("back.lh5") as f:
    t = f["once_more"]
    print(t.attrs["hash_func"], t["a"].attrs["length"], t.attrs["datatype"], t["n"].attrs["datatype"],
          t["n/deep/y"][()].tolist(), f["bare"].attrs["datatype"], "note" in t["n"].attrs, sep="|")
"""


class Rest(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.peer("python3", "-c", STRANGE)
        self.file = f"{self.dir}/strange.lh5"

    def report(self, *options):
        new = self.dir / f"{len(options)}.h5"
        done = self.stoa("convert", self.file, new, "--to", "hep001", "-f", "json", *options)
        return json.loads(done.stdout), done.stderr

    def test_what_no_table_holds_is_named(self):
        for options in ([], ["--keep-rest"]):
            rest, said = self.report(*options)
            found = {item["path"]: (item["kind"], item["datatype"], item.get("attributes"),
                                    "why" not in item) for item in rest}  # fmt: skip
            self.assertEqual(found, LEFT)
            states = {item["path"]: item["state"] == "kept" for item in rest}
            self.assertEqual(states, {path: bool(options) and kept for path, (*_, kept) in LEFT.items()})
            n = ", 12 objects kept, 2 left out" if options else ", 14 objects left out (--keep-rest)"
            self.assertTrue(said.endswith(f"2 tables with 6 rows converted to hep001{n}\n"), said)

    def test_the_report_is_a_line_each(self):
        said = self.stoa("convert", self.file, f"{self.dir}/a.h5", "--to", "hep001").stderr.splitlines()
        self.assertEqual(len(said), len(LEFT) + 1)
        self.assertIn(f"{self.file}:/s/x: real · scalar: left out", said)
        self.assertIn(f"{self.file}:/s: struct{{t,v,w,x}} · attributes note: left out", said)
        done = self.stoa("convert", self.file, f"{self.dir}/b.h5", "--to", "hep001", "-f", "jsonl")
        self.assertEqual(len([json.loads(line) for line in done.stdout.splitlines()]), len(LEFT))
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_it_is_kept_with_links_attributes_and_storage(self):
        for options, inner in (([], True), (["--no-flatten"], False)):
            for name in ("kept.h5", "back.lh5"):
                (self.dir / name).unlink(missing_ok=True)
            self.stoa("convert", self.file, f"{self.dir}/kept.h5", "--to", "hep001", "--keep-rest", *options)
            self.stoa("check", f"{self.dir}/kept.h5")
            self.stoa("convert", f"{self.dir}/kept.h5", f"{self.dir}/back.lh5", "--to", "lh5", "--keep-rest")
            columns = "['a', 'n.deep.y', 'n.x']" if inner else "['a']"
            self.assertEqual(self.peer("python3", "-c", SEEN).splitlines(), [
                f"True|{columns}|b'uid // 7.'|3|nobody|of a struct|struct{{t,v,w,x}}|['t', 'v', 'w', 'x']"
                "|True|gzip|other.h5|True",
                f"uid // 7.|3|table{{a,n}}|table{{deep,x}}|[1, 2, 3]|table{{n}}|{not inner}",
            ])  # fmt: skip

    def test_tables_in_tables_are_tables_beside_them(self):
        new = f"{self.dir}/split.h5"
        self.stoa("convert", f"{self.file}:/s/t", f"{new}:/x/t", "--to", "hep001", "--no-flatten")
        listed = [line.split()[0] for line in self.stoa("ls", new).stdout.splitlines()[2:]]
        self.assertEqual(listed, ["/x/t", "/x/t.n", "/x/t.n.deep"])
        rows = self.stoa("query", f"{new}:/x/t.n.deep", "-f", "csv").stdout
        self.assertEqual(rows, "y\n1\n2\n3\n")

    def test_rows_that_do_not_belong_to_each_other_any_more_are_refused(self):
        new = f"{self.dir}/split.h5"
        self.stoa("convert", self.file, new, "--to", "hep001", "--no-flatten")
        self.stoa("delete", f"{new}:/bare.n.deep", "-w", "y = 1")
        self.fails("convert", new, f"{self.dir}/back.lh5", "--to", "lh5", says=[
            "/bare.n.deep", "has 2 rows, and '/bare.n', which its rows belong to, 3"])  # fmt: skip
        self.assertFalse((self.dir / "back.lh5").exists())

    def test_what_is_in_the_way_is_refused_and_leaves_nothing(self):
        new = self.dir / "new.h5"
        new.write_bytes(b"")
        self.fails("convert", self.file, new, "--to", "hep001", "--keep-rest", says="is there already")
        new.unlink()
        self.fails("convert", f"{self.file}:/s/t", new, "--to", "hep001", "--keep-rest", says="all of a file")
        self.fails("convert", self.file, f"{self.dir}/no/new.h5", "--to", "hep001", "--keep-rest",
                   says="no/new.h5")  # fmt: skip
        self.fails("convert", self.file, new, "--to", "hep001", "--flatten", "--no-flatten", status=2,
                   says="exclude")  # fmt: skip
        self.assertEqual(sorted(path.name for path in self.dir.glob("*.h5*")), [])


class Broken(PeerTestCase):
    """A conversion of all of a file with --keep-rest that does not come to its end."""

    def setUp(self):
        super().setUp()
        self.peer("python3", "-c", STRANGE)
        self.new = self.dir / "new.h5"
        self.command = [stoa_test.STOA, "convert", self.dir / "strange.lh5", self.new, "--to", "hep001",
                        "--keep-rest"]  # fmt: skip
        self.assertEqual(stoa_test.run(*self.command).returncode, 0)
        self.whole = self.contents()
        self.n_kib = -(-self.new.stat().st_size // 1024)
        self.new.unlink()

    def contents(self):
        return self.stoa("ls", "--tree", self.new).stdout

    def check(self, done, statuses):
        """All of it is there, or nothing is."""
        self.assertIn(done.returncode, statuses, done.stderr)
        left = [path.name for path in self.dir.iterdir() if "new" in path.name]
        self.assertEqual(left, [] if done.returncode != 0 else ["new.h5"])
        if done.returncode > 0:
            self.assertRegex(done.stderr, r"\Astoa: [^\n]+\n\Z")
        if done.returncode == 0:
            self.assertEqual(self.contents(), self.whole)
            self.new.unlink()

    def test_a_full_disk_leaves_nothing(self):
        n = self.n_kib
        n_failed = 0
        for limit in sorted({1, 2, 4, n // 4, n // 2, n - 4, n - 1, 2 * n}):
            limited = ["bash", "-c", f'trap "" XFSZ; ulimit -f {limit}; exec "$@"', "bash", *self.command]
            done = stoa_test.run(*limited)
            with self.subTest(kib=limit):
                self.check(done, (0, 3))
            n_failed += done.returncode != 0
        self.assertGreater(n_failed, 3)

    def test_an_interrupt_leaves_nothing(self):
        whole = kills.whole_time(self.command, lambda: self.new.unlink(missing_ok=True))
        statuses = []
        rng = random.Random(SEED)
        # Until one came in the middle: before the command listens the signal ends the process, and
        # after its end nothing happens; what a run takes changes with what else the machine does.
        while len(statuses) < stoa_test.effort(9) or (130 not in statuses and len(statuses) < 99):
            process = subprocess.Popen([str(word) for word in self.command], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)  # fmt: skip
            time.sleep(rng.uniform(0, whole))
            process.send_signal(signal.SIGINT)
            said = process.communicate()[1]
            statuses.append(process.returncode)
            self.check(subprocess.CompletedProcess(self.command, process.returncode, "", said),
                       (0, 130, -signal.SIGINT))  # fmt: skip
            whole *= {0: 1 / 1.2, -signal.SIGINT: 1.2}.get(process.returncode, 1)
        self.assertIn(130, statuses)


# Names that are HEP001's own, one of them taken once more.
RESERVED = """
import h5py, lh5_tree, numpy as np
def array(n, **more):
    return {"kind": "array", "values": np.arange(n), **more}
with h5py.File("reserved.lh5", "w") as file:
    fields = {"KIND": array(3, attributes={"by": "me"}, units="ns"), "KIND_": array(3), "TITLE": array(3),
              "VALUES": {"kind": "vectors", "depth": 2, "rows": [[1], [], [2]], "items": "i4"},
              "CLASS": {"kind": "table", "fields": {"NROWS": array(3)}}}
    lh5_tree.Writer().write(file, "t", {"kind": "table", "fields": fields})
    lh5_tree.attribute(file, "datatype", "struct{t}")
"""


class Reserved(PeerTestCase):
    def test_columns_with_names_that_hep001_reserves_are_called_otherwise_and_told(self):
        self.peer("python3", "-c", RESERVED)
        for options, columns, told in (
            ([], ["CLASS.NROWS", "KIND__", "KIND_", "TITLE_", "VALUES_"],
             {("/t", "KIND", "KIND__"), ("/t", "TITLE", "TITLE_"), ("/t", "VALUES", "VALUES_")}),
            (["--no-flatten"], ["KIND__", "KIND_", "TITLE_", "VALUES_"],
             {("/t", "KIND", "KIND__"), ("/t", "TITLE", "TITLE_"), ("/t", "VALUES", "VALUES_"),
              ("/t/CLASS", "NROWS", "NROWS_")}),
        ):  # fmt: skip
            new, back = f"{self.dir}/new{len(options)}.h5", f"back{len(options)}.lh5"
            done = self.stoa("convert", f"{self.dir}/reserved.lh5", new, "--to", "hep001", *options)
            said = re.findall(r"^\S+?:(/\S+) has a column '(\w+)', called '(\w+)' there: HEP001 reserves",
                              done.stderr, re.M)  # fmt: skip
            self.assertEqual(set(said), told)
            self.assertEqual(len(said), len(told))
            self.stoa("check", new)
            shown = json.loads(self.stoa("query", f"{new}:/t", "-n", "1", "-f", "jsonl").stdout)
            self.assertEqual(sorted(shown), sorted(columns))
            self.stoa("convert", new, f"{self.dir}/{back}", "--to", "lh5")
            self.assert_says_nothing("lh5_verify.py", "--any-order", "--same", "reserved.lh5", back)

    def test_so_have_those_of_several_files(self):
        self.peer("python3", "-c", RESERVED + "import shutil\nshutil.copy('reserved.lh5', 'reserved2.lh5')")
        pattern, new, back = (f"{self.dir}/{name}" for name in ("reserved*.lh5:/t", "new.h5:/t", "back.lh5:/t"))
        done = self.stoa("convert", pattern, new, "--to", "hep001")
        for was, name in (("KIND", "KIND__"), ("TITLE", "TITLE_"), ("VALUES", "VALUES_")):
            self.assertIn(f":/t has a column '{was}', called '{name}' there: HEP001 reserves", done.stderr)
        self.stoa("check", new)
        said = self.stoa("query", new, "-c", "KIND__, VALUES_, CLASS.NROWS", "-f", "csv").stdout.splitlines()
        self.assertEqual(said[1:], ["0,[1],0", "1,[],1", "2,[2],2"] * 2)
        self.stoa("convert", new, back, "--to", "lh5")
        self.stoa("convert", pattern, f"{self.dir}/straight.lh5:/t", "--to", "lh5")
        self.assert_says_nothing("lh5_verify.py", "--any-order", "--same", "straight.lh5", "back.lh5", "/t")


# Objects where converted tables are to be; tables that are no tables.
CLASH = """
import h5py, lh5_tree, numpy as np, sys
def array(n):
    return {"kind": "array", "values": np.arange(n)}
def table(**fields):
    return {"kind": "table", "fields": fields}
inner = table(b=array(3))
files = {
    "column": {"t": table(**{"a": inner, "a.b": array(3)})},
    "length": {"t": table(a=inner, c=array(5))},
    "first": {"t": table(a=array(5), b=table(x=array(3)))},
    "deeper": {"t": table(a=array(3), b=table(x=table(y=array(4))))},
    "taken": {"t": table(a=inner, c=array(3)), "t.a": table(z=array(2))},
}
for name, things in files.items():
    with h5py.File(name + ".lh5", "w") as file:
        for path, thing in things.items():
            lh5_tree.Writer().write(file, path, thing)
        lh5_tree.attribute(file, "datatype", "struct{t}")
"""


class Clashes(PeerTestCase):
    def test_tables_that_contradict_themselves_are_refused_in_one_line(self):
        self.peer("python3", "-c", CLASH)
        for name, options, says in (
            ("column", [], ":/t: there are two columns 'a.b'"),
            ("length", [], "column 'c' has 5 rows, 'a.b' 3"),
            ("length", ["--no-flatten"], "/t/a: has 3 rows, and '/t', which its rows belong to, 5"),
            ("first", [], "column 'b.x' has 3 rows, 'a' 5"),
            ("first", ["--no-flatten"], "/t/b: has 3 rows, and '/t', which its rows belong to, 5"),
            ("deeper", ["--no-flatten"], "/t/b: has 4 rows, and '/t', which its rows belong to, 3"),
            ("taken", ["--no-flatten"], "/t.a"),
        ):
            for more in ([], ["--keep-rest"]):
                new = f"{self.dir}/new.h5"
                self.fails("convert", f"{self.dir}/{name}.lh5", new, "--to", "hep001", *options, *more,
                           says=says)  # fmt: skip
                self.assertFalse(os.path.exists(new))
        for name, options in (("column", ["--no-flatten"]), ("taken", [])):
            new = f"{self.dir}/{name}.h5"
            self.stoa("convert", f"{self.dir}/{name}.lh5", new, "--to", "hep001", *options)
            self.stoa("check", new)


# What PyTables keeps beside a table: an array of strings, a group with an attribute, an index.
PYTABLES = """
import tables, numpy as np
with tables.open_file("p.h5", "w") as f:
    t = f.create_table("/", "t", np.array([(1, 2.0), (3, 4.0)], dtype=[("i", "i4"), ("x", "f8")]))
    t.cols.i.create_index()
    f.create_group("/", "g")._v_attrs.run = 7
    f.create_soft_link("/", "s", "/t")
    f.create_group("/", "e")
"""


class OtherLayouts(PeerTestCase):
    def test_what_pytables_has_beside_its_tables_is_named_and_kept(self):
        self.peer("python3", "-c", PYTABLES)
        old, new = f"{self.dir}/p.h5", f"{self.dir}/new.h5"
        done = self.stoa("convert", old, new, "--to", "hep001", "--keep-rest", "-f", "json")
        self.assertEqual(
            [(item["path"], item.get("kind"), item.get("attributes")) for item in json.loads(done.stdout)],
            [("/e", "group", None), ("/g", "group", "run"), ("/s", "soft link", None), ("/t", None, None)])  # fmt: skip
        self.assertIn("the index of 'i'", json.loads(done.stdout)[3]["why"])
        said = self.peer("python3", "-c", "import h5py; f = h5py.File('new.h5'); "
                         "print(sorted(f), f['g'].attrs['run'], f['s'] == f['t'])")  # fmt: skip
        self.assertEqual(said, "['e', 'g', 's', 't'] 7 True\n")


if __name__ == "__main__":
    stoa_test.main()
