"""Arkouda's objects are what a generator of its files says, single and of several locales
(docs/layouts/arkouda.md)."""

import csv
import io
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase


TABLES = """
import json, sys, pyarrow as pa
tables = [pa.ipc.open_file(f"{name}.arrow").read_all() for name in sys.argv[1:]]
[table.validate(full=True) for table in tables]
extension = lambda field: (field.metadata or {}).get(b"ARROW:extension:name", b"").decode()
print(json.dumps([[table.num_rows, {field.name: f"{field.type} {extension(field)}".rstrip()
                                    for field in table.schema}] for table in tables]))
"""
# What docs/layouts/arkouda.md says of them, in pyarrow's words.
TYPES = {
    "i": "int64", "u": "uint64", "f": "double", "b": "bool", "when": "timestamp[ns]",
    "big_limited": "fixed_size_binary[16] arkouda.bigint", "lasted": "duration[ns]",
    "address": "uint64 arkouda.ipv4", "s": "string",
    "category": "dictionary<values=string, indices=int64, ordered=0>",
    "category_of_codes": "dictionary<values=string, indices=int64, ordered=0>",
    "lists_i": "list<item: int64>", "lists_f": "list<item: double>", "lists_b": "list<item: bool>",
    "lists_s": "list<item: string>", "lists_big": "list<item: fixed_size_binary[16]>",
}  # fmt: skip
TABLE_TYPES = {
    "groups": {name: "int64" for name in ("KEY_0", "permutation", "segments", "unique_key_idx")},
    "index": {"IDX_0": "int64"}, "index_s": {"IDX_0": "string"},
    "frame": {"Index": "int64", "a": "int64", "ip": TYPES["address"], "kind": TYPES["category"],
              "rows": TYPES["lists_i"], "t": TYPES["when"], "text": "string", "x": "double",
              "yes": "bool"},
}  # fmt: skip


class Arkouda(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.peer("python3", "arkouda.py")
        self.made = json.loads((self.dir / "arkouda.json").read_text("utf-8"))

    def test_every_value_of_every_object_is_there(self):
        n_objects = 0
        for file, objects in self.made.items():
            for path, columns in objects.items():
                with self.subTest(file=file, path=path):
                    self.check_object(f"{self.dir}/{file}:{path}", columns)
                n_objects += 1
        self.assertGreater(n_objects, 200)

    def test_libhdf5_reads_the_same(self):
        for path, columns in self.made["parts3"].items():
            with self.subTest(path=path):
                self.check_object(f"{self.dir}/parts3:{path}", columns, env={"STOA_SLOW": "1"})

    def test_a_set_is_found_by_all_its_names(self):
        columns = self.made["parts7"]["/lists_s"]
        for name in ("parts7", "parts7.h5", "parts7_LOCALE*", "parts7_LOCALE*.h5", "parts7*",
                     "parts7_LOCALE0000.h5", "parts7_LOCALE0006.h5"):  # fmt: skip
            with self.subTest(name=name):
                self.check_object(f"{self.dir}/{name}:/lists_s", columns)

    def test_names_of_two_sets_are_of_none(self):
        self.fails("query", f"{self.dir}/parts*:/i", says=["parts*", "_LOCALE0000.h5"])
        self.fails("query", f"{self.dir}/nothing*:/i", says=["nothing*", "no file has a name"])

    def test_ls_says_arkoudas_words(self):
        words = {"i": "pdarray", "big": "bigint", "when": "datetime", "lasted": "timedelta",
                 "address": "ipv4", "s": "strings", "category": "categorical", "frame": "dataframe",
                 "lists_s": "segarray", "groups": "groupby", "index": "index",
                 "levels": "multiindex"}  # fmt: skip
        for file in ("one.h5", "parts3_LOCALE0001.h5", "parts3"):
            said = self.stoa("ls", f"{self.dir}/{file}").stdout.splitlines()[2:]
            listed = {line.split()[0]: line.split() for line in said}
            key = file.split("_")[0]
            self.assertEqual(sorted(listed), sorted(["/", *self.made[key]]))
            for name, word in words.items():
                self.assertEqual(listed[f"/{name}"][1:4], ["arkouda", word, "21"])
            for path, columns in self.made[key].items():
                self.assertEqual(int(listed[path][4]), len(columns), path)
        said = self.stoa("ls", f"{self.dir}/views.h5").stdout
        self.assertRegex(said, r"/cube +arkouda +arrayview +4 +1")
        said = self.stoa("ls", f"{self.dir}/no_offsets.h5").stdout
        self.assertRegex(said, r"/s +arkouda +strings +16 +1")

    def test_ls_measures_a_whole_set_behind_an_external_link(self):
        self.peer("python3", "arkouda_linked.py")
        follow = ("--follow-external",)
        said = self.stoa("ls", f"{self.dir}/linking.h5", *follow).stdout
        self.assertRegex(said, r"\n/there +arkouda +strings +21 +1")
        self.assertRegex(said, r"\n/all/lists_s +arkouda +segarray +21 +1")
        self.assertRegex(said, r"\n/none +arkouda +strings +16 +1")
        texts = {"s": self.made["parts3"]["/s"]["s"]}
        for path in ("/there", "/all/s"):
            self.check_object(f"{self.dir}/linking.h5:{path}", texts, options=follow)
        self.check_object(f"{self.dir}/linking.h5:/all/s,i",
                          {**texts, "i": self.made["parts3"]["/i"]["i"]}, options=follow)  # fmt: skip

    def test_arrays_beside_each_other_are_one_table(self):
        for file in ("one.h5", "parts7", "few7"):
            objects = self.made[file]
            names = sorted(path[1:] for path, columns in objects.items()
                           if len(columns) == 1 and not path.startswith("/groups"))  # fmt: skip
            everything = {name: next(iter(objects[f"/{name}"].values())) for name in names}
            for place in (f"{self.dir}/{file}:/", f"{self.dir}/{file}:/{','.join(names)}"):
                self.check_object(place, everything)
            two = {name: everything[name] for name in ("s", "i")}
            self.check_object(f"{self.dir}/{file}:/s,i", two)
        self.check_object(f"{self.dir}/old:/seg,i", {
            "seg": self.made["old"]["/seg"]["seg"], "i": [0, 1, 2, 3]})  # fmt: skip

    def test_an_object_of_several_columns_is_a_struct_beside_others(self):
        for file in ("one.h5", "parts7", "none3"):
            objects = self.made[file]
            named = {"i": objects["/i"]["i"]}
            for name in ("frame", "groups_of_all", "levels"):
                columns = objects[f"/{name}"]
                rows = zip(*columns.values(), strict=True)
                named[name] = [dict(zip(columns, row, strict=True)) for row in rows]
            self.check_object(f"{self.dir}/{file}:/{','.join(named)}", named)
        self.fails("query", f"{self.dir}/lengths.h5:/i,frame", says=["'frame' has 3 rows", "21"])

    def test_a_file_of_nothing_but_columns_needs_no_path(self):
        self.check_object(f"{self.dir}/early2", {
            "i": self.made["early2"]["/i"]["i"], "s": self.made["early2"]["/s"]["s"]})  # fmt: skip
        self.fails("query", f"{self.dir}/one.h5", says=["one.h5", "tables"])

    def test_predicates_choose_the_rows_that_a_loop_chooses(self):
        columns = self.made["parts7"]
        wanted = [i for i, (s, b, c) in enumerate(zip(
            columns["/s"]["s"], columns["/b"]["b"], columns["/category"]["category"], strict=True))
            if s > "a" and (b or c is None)]  # fmt: skip
        said = self.stoa("query", f"{self.dir}/parts7:/s,b,category", "-w",
                         "s > 'a' and (b = true or category is null)", "--rows", "-f", "csv")
        self.assertEqual([int(row.split(",")[0]) for row in said.stdout.splitlines()[1:]], wanted)

    def test_tables_are_imported_and_exported_whole(self):
        columns = {name: self.made["parts3"][f"/{name}"][name]
                   for name in ("i", "u", "f", "b", "when", "s", "category", "address")}  # fmt: skip
        place = f"{self.dir}/parts3:/{','.join(columns)}"
        own = f"{self.dir}/own.h5:/t"
        self.stoa("import", place, own)
        self.stoa("check", f"{self.dir}/own.h5")
        self.check_object(own, columns)
        text = self.stoa("export", place, "-", "-f", "csv").stdout
        read = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([int(row["i"]) for row in read], columns["i"])
        self.assertEqual([row["s"] for row in read], columns["s"])

    def test_what_files_need_not_say_is_not_asked_for(self):
        self.peer("python3", "arkouda_odd.py")
        made = json.loads((self.dir / "odd.json").read_text("utf-8"))
        self.assertEqual(len(made), 9)
        for file, objects in made.items():
            listed = self.stoa("ls", f"{self.dir}/{file}").stdout
            for path, columns in objects.items():
                with self.subTest(file=file, path=path):
                    self.check_object(f"{self.dir}/{file}:{path}", columns)
                    self.assertIn(f"\n{path} ", listed)

    def test_every_object_has_facts_and_is_exported(self):
        for path, columns in self.made["parts3"].items():
            with self.subTest(path=path):
                place = f"{self.dir}/parts3:{path}"
                said = self.stoa("info", place, "--scan").stdout
                for name in columns:
                    self.assertRegex(said, rf"\n{name} ")
                text = self.stoa("export", place, "-", "-f", "jsonl").stdout
                self.assertEqual(text, self.stoa("query", place, "-f", "jsonl").stdout)
                self.stoa("export", place, f"{self.dir}/{path[1:]}.arrow")
        said = self.peer("python3", "-c", TABLES, *(path[1:] for path in self.made["parts3"]))
        for (path, columns), table in zip(self.made["parts3"].items(), json.loads(said), strict=True):
            name, (n, types) = path[1:], table
            self.assertEqual([n, list(types)], [21, list(columns)])
            wanted = TABLE_TYPES.get(name, {name: TYPES[name]} if name in TYPES else {})
            self.assertEqual({**types, **wanted}, types, path)

    def test_widths_differ_on_request(self):
        self.peer("python3", "arkouda_widths.py")
        made = json.loads((self.dir / "widths.json").read_text("utf-8"))
        for path, (kind, columns, says) in made["widened"].items():
            place = f"{self.dir}/widths:{path}"
            with self.subTest(path=path):
                self.fails("query", place, says=["widths_LOCALE000", *says])
                self.check_object(place, columns, options=("--widen",))
                said = self.stoa("info", place, "--widen").stdout
                self.assertIn(kind, said)
                self.stoa("export", place, "-", "-f", "csv", "--widen")
        for path, says in made["refused"].items():
            with self.subTest(path=path):
                self.fails("query", f"{self.dir}/widths:{path}", "--widen", says=says)
        own = f"{self.dir}/own.h5"
        self.stoa("convert", f"{self.dir}/widths:/i", f"{own}:/t", "--to", "hep001", "--widen")
        self.check_object(f"{own}:/t", made["widened"]["/i"][1])

    def test_edits_refuse_arkoudas_objects(self):
        for path in ("/i", "/s"):
            place = f"{self.dir}/one.h5:{path}"
            self.fails("truncate", place, "1", says=["one.h5:/", "arkouda"])

    def test_what_is_wrong_is_said_in_one_line(self):
        self.peer("python3", "arkouda_damaged.py")
        damaged = json.loads((self.dir / "damaged.json").read_text("utf-8"))
        self.assertGreater(len(damaged), 45)
        for name, (path, says) in damaged.items():
            with self.subTest(name=name):
                self.fails("query", f"{self.dir}/{name}:{path}", "-f", "csv", says=says)
                self.stoa("ls", f"{self.dir}/{name}", status=None)


if __name__ == "__main__":
    stoa_test.main()
