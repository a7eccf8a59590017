"""Tables of other layouts are what the libraries that wrote them say (docs/layouts)."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import HERE

BINARY = {"bytes", "objects", "VLString", "Object"}  # arrays of these names


class Layouts(stoa_test.SharedPeersTestCase):
    @classmethod
    def make(cls, shared):
        for program in ("words.py", "native.py", "lzo.py", "layouts.py", "old_pytables.py"):
            shared.put(f"{HERE}/peer/{program}")
        cls.made = {}
        for name in ("layouts", "old_pytables"):
            shared.peer("python3", f"{name}.py")
            cls.made |= json.loads((shared.dir / f"{name}.json").read_text("utf-8"))
        cls.files = shared.dir

    def test_every_value_of_every_object_is_there(self):
        n_objects = 0
        for file, objects in self.made.items():
            for path, columns in objects.items():
                with self.subTest(file=file, path=path):
                    self.check_object(f"{self.files}/{file}:{path}", columns)
                n_objects += 1
        self.assertGreater(n_objects, 450)

    def test_libhdf5_reads_the_same(self):
        for path in ("/plain_big", "/zlib11_little", "/array/many"):
            place = f"{self.files}/pytables.h5:{path}"
            self.check_object(place, self.made["pytables.h5"][path], {"STOA_SLOW": "1"})

    def test_ls_lists_what_was_written(self):
        for file, objects in self.made.items():
            said = self.stoa("ls", f"{self.files}/{file}").stdout.splitlines()[2:]
            listed = {line.split()[0]: line.split() for line in said if " -> " not in line}
            listed = {path: words for path, words in listed.items()
                      if words[1] != "anndata" or words[2] == "table"}  # fmt: skip
            self.assertEqual(sorted(listed), sorted(objects), file)
            for path, columns in objects.items():
                n_rows = len(next(iter(columns.values())))
                self.assertEqual(int(listed[path][3]), n_rows, path)

    def test_predicates_choose_the_rows_that_a_loop_chooses(self):
        columns = self.made["pytables.h5"]["/blosc_lz40_little"]
        wanted = [i for i, (a, e) in enumerate(zip(columns["i4"], columns["e"], strict=True))
                  if a > 50 and e == "green"]  # fmt: skip
        for path in ("/blosc_lz40_little", "/plain_little", "/plain_big", "/indexed"):
            place = f"{self.files}/pytables.h5:{path}"
            said = self.stoa("query", place, "-w", "i4 > 50 and e = 'green'", "--rows", "-f", "csv")
            self.assertEqual([int(row) for row in said.stdout.splitlines()[1:]], wanted, path)

    def test_a_soft_link_leads_to_its_table_and_a_circle_nowhere(self):
        self.check_object(
            f"{self.files}/pytables.h5:/soft", self.made["pytables.h5"]["/plain_little"]
        )
        self.fails("info", f"{self.files}/pytables.h5:/circle", says=["pytables.h5:/circle"])

    def test_tables_are_imported_whole(self):
        for file, path in (("pytables.h5", "/zlib11_little"), ("pandas.h5", "/columns"),
                           ("anndata.h5ad", "/obs")):  # fmt: skip
            with self.subTest(file=file):
                own = f"{self.dir}/own.h5:{path}"
                self.stoa("import", f"{self.files}/{file}:{path}", own)
                self.stoa("check", f"{self.dir}/own.h5")
                self.check_object(own, self.made[file][path])

    def test_whole_files_are_converted_and_any_object_is_shown_and_exported(self):
        random = stoa_test.rng()
        for file, objects in self.made.items():
            place, own = f"{self.files}/{file}", f"{self.dir}/own-{file}.h5"
            with self.subTest(file=file):
                self.stoa("convert", place, own, "--to", "hep001")
                self.stoa("check", own)
                for path in random.sample(list(objects), min(len(objects), stoa_test.effort(6))):
                    if path.rpartition("/")[2] not in BINARY:  # HEP001 has lists of bytes
                        self.check_object(f"{own}:{path}", objects[path])
                    shown = self.stoa("info", f"{place}:{path}").stdout
                    for name in objects[path]:
                        self.assertIn(f"\n{name} ", shown)
                    text = self.stoa("export", f"{place}:{path}", "-", "-f", "csv")
                    n_rows = len(next(iter(objects[path].values())))
                    self.assertGreater(len(text.stdout.splitlines()), n_rows)

    def test_tables_of_old_formats_are_asked_exported_and_converted(self):
        columns = self.made["made_1.0_big.h5"]["/t"]
        kept = [i for i, colour in enumerate(columns["colour"])
                if colour == "green" and columns["i4"][i] > 20]  # fmt: skip
        for file in [name for name in self.made if name.startswith("made_")]:
            with self.subTest(file=file):
                place = f"{self.files}/{file}:/t"
                said = self.stoa("query", place, "-w", "i4 > 20 and colour = 'green'", "--rows",
                                 "-f", "csv").stdout  # fmt: skip
                self.assertEqual([int(row) for row in said.splitlines()[1:]], kept)
                self.assertIn("An old table.", self.stoa("info", place).stdout)
                own = f"{self.dir}/{file}:/t"
                self.stoa("convert", place, own, "--to", "hep001")
                self.check_object(own, columns)
                self.stoa("export", place, f"{self.dir}/{file}.csv")
                text = (self.dir / f"{file}.csv").read_text("utf-8").splitlines()
                self.assertEqual(len(text), 1 + len(columns["i4"]))

    def test_edits_refuse_other_layouts(self):
        place = f"{self.files}/pytables.h5:/plain_little"
        for command in (["update", place, "-w", "i1 = 1", "--set", "i2=1"],
                        ["truncate", place, "1"], ["index", "add", place, "i1", "--kind", "minmax"],
                        ["column", "drop", place, "i1"], ["append", place, place]):  # fmt: skip
            self.fails(*command, says=["pytables.h5:/plain_little", "pytables"])


if __name__ == "__main__":
    stoa_test.main()
