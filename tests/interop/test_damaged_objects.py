"""One damaged object never stops a file, and one damaged column never stops a table: it is named, and the rest
is answered (docs/cli.md#damaged)."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import HERE

CSV = "a,b,c\n" + "".join(f"{i},{i * 0.5},x{i}\n" for i in range(20))
# Tables whose column b is damaged, and the sum of a.
TABLES = {"hep001.h5": ("/bad", 190), "pandas.h5": ("/bad", 190), "lh5.lh5": ("/bad", 380),
          "anndata.h5ad": ("/obs", 190)}  # fmt: skip


class DamagedObjects(stoa_test.SharedPeersTestCase):
    @classmethod
    def make(cls, shared):
        shared.put(f"{HERE}/peer/damaged_objects.py")
        rows = shared.write("rows.csv", CSV)
        for name in ("good", "bad", "dead"):
            shared.stoa("import", rows, f"{shared.dir}/hep001.h5:/{name}")
        shared.peer("python3", "damaged_objects.py", "hep001.h5", "bad/b", "dead")
        cls.files = shared.dir

    def said(self, *arguments, status):
        """What a command says, of which one line names the column."""
        done = self.stoa(*arguments, status=status)
        lines = [line for line in done.stderr.splitlines() if "/b: left out: " in line]
        self.assertEqual(len(lines), 1, done.stderr)
        return done

    def test_all_columns_but_the_damaged_one_are_read(self):
        for file, (path, total) in TABLES.items():
            place = f"{self.files}/{file}:{path}"
            with self.subTest(file=file):
                header = self.said("query", place, "-f", "csv", status=1).stdout.splitlines()[0]
                self.assertIn("a", header.split(","))
                self.assertNotIn("b", header.split(","))
                out = self.dir / f"{file}.csv"
                self.said("export", place, out, status=1)
                self.assertEqual(len(out.read_text().splitlines()), 21)
                self.said("import", place, f"{self.dir}/{file}.in.h5:/t", status=1)
                self.stoa("check", f"{self.dir}/{file}.in.h5")
                for sums in ("sum(a)", "sum(a), count()"):
                    line = self.stoa("query", place, "-a", sums, "-f", "csv").stdout.splitlines()[1]
                    self.assertEqual(line.split(",")[0], str(total))

    def test_what_names_the_damaged_column_fails(self):
        for file, (path, _) in TABLES.items():
            place = f"{self.files}/{file}:{path}"
            for options in (("-c", "a,b"), ("-c", "a", "-w", "b > 1"), ("-a", "mean(b)")):
                self.fails("query", place, *options, says=["/b: ", "cannot"])
            self.fails("export", place, f"{self.dir}/no.csv", "-c", "b", says=["/b: "])
            self.assertFalse((self.dir / "no.csv").exists())
            info = self.stoa("info", place, status=3)
            self.assertRegex(info.stdout, r"(?m)^b +cannot be read")
            self.assertRegex(info.stdout, r"(?m)^a +int")

    def test_convert_says_at_the_end_what_stayed_behind(self):
        for file, n_tables, stayed in (("hep001.h5", 2, "1 object and 1 column"),
                                       ("pandas.h5", 2, "1 object and 1 column"),
                                       ("lh5.lh5", 2, "1 object and 1 column"),
                                       ("pytables.h5", 1, "1 object and 0 columns")):  # fmt: skip
            source, target = self.files / file, self.dir / f"new_{file}.h5"
            with self.subTest(file=file):
                if file in TABLES:
                    self.stoa("convert", source, target, "--to", "hep001", status=3)
                    self.assertFalse(target.exists())
                done = self.stoa("convert", source, target, "--to", "hep001", "--skip-bad")
                lines = done.stderr.splitlines()
                self.assertEqual(lines[-1], f"{source}: {stayed} stayed behind (--skip-bad)")
                self.assertIn(f"{n_tables} table", lines[-2])
                self.assertEqual(sum("/dead: " in line for line in lines), 1, lines)
                self.assertEqual(sum("/b: " in line for line in lines), int(file in TABLES), lines)
                self.stoa("check", target)

    def test_a_dead_object_alone_leaves_the_status_of_convert_at_1(self):
        self.stoa("convert", self.files / "pytables.h5", self.dir / "new.h5", "--to", "hep001", status=1)
        self.assertEqual(len(self.rows_of(f"{self.dir}/new.h5:/good")), 20)

    def test_a_whole_table_that_cannot_be_opened_is_an_error(self):
        for file in ("hep001.h5", "pytables.h5", "pandas.h5", "lh5.lh5"):
            self.fails("query", f"{self.files}/{file}:/dead", says=["dead"])


# Overwrites the chunks of a dataset: FILE PATH.
SPOIL = """
import h5py, sys
with h5py.File(sys.argv[1]) as f:
    data = f[sys.argv[2]].id
    chunks = [data.get_chunk_info(i) for i in range(data.get_num_chunks())]
with open(sys.argv[1], "r+b") as f:
    for chunk in chunks:
        f.seek(chunk.byte_offset)
        f.write(bytes([255]) * min(chunk.size, 64))
"""
PLAIN = """
import h5py, numpy as np
with h5py.File("plain.h5", "w") as f:
    for name in "ab":
        f.create_dataset(f"g/{name}", data=np.arange(2000) * 0.5, compression="gzip")
"""
ARKOUDA = """
import h5py
with h5py.File("arkouda.h5", "r+") as f:
    f["s/segments"][0] = 1
"""


class Places(stoa_test.PeersTestCase):
    """Errors within the values of a column say which file and which object, once."""

    def test_damaged_values_are_told_with_their_file_and_object(self):
        rows = self.write("rows.csv", "a,b,s\n" + "".join(f"{i},{i * 7919 % 1009 / 8},x{i % 7}\n" for i in range(2000)))
        own = f"{self.dir}/own.h5:/t"
        self.stoa("import", rows, own, "--codec", "deflate", "--type", "s=string")
        for layout, path in (("hep001", "t/b"), ("pytables", "t"), ("h5tb", "t"), ("pandas-table", "t/table"),
                             ("pandas-fixed", "t/block1_values"), ("anndata", "t/b"), ("lh5", "t/b")):  # fmt: skip
            with self.subTest(layout=layout):
                file = f"{layout}.{'lh5' if layout == 'lh5' else 'h5'}"
                target = f"{self.dir}/{file}"
                self.stoa("convert", own, f"{target}:/t", "--to", layout, "--codec", "deflate")
                self.peer_python(SPOIL, file, path)
                for command in (("query", f"{target}:/t", "-a", "sum(b)"),
                                ("convert", f"{target}:/t", f"{self.dir}/no.h5", "--to", "hep001")):  # fmt: skip
                    said = self.stoa(*command, status=3).stderr
                    self.assertIn(f"stoa: {target}:/t", said)
                    self.assertEqual(said.count(target), 1, said)

    def test_a_damaged_member_of_a_plain_table_is_left_out(self):
        self.peer_python(PLAIN)
        self.peer_python(SPOIL, "plain.h5", "g/a")
        place = f"{self.dir}/plain.h5:/g"
        done = self.stoa("query", place, "-f", "csv", "-n", "1", status=1)
        self.assertEqual(done.stdout, "b\n0.0\n")
        self.assertIn(f"{place}/a: left out: ", done.stderr)

    def test_a_damaged_array_of_arkouda_is_left_out(self):
        self.stoa("import", self.write("rows.csv", "i,s\n1,ab\n2,c\n"), f"{self.dir}/own.h5:/t")
        self.stoa("convert", f"{self.dir}/own.h5:/t", f"{self.dir}/arkouda.h5", "--to", "arkouda")
        self.peer_python(ARKOUDA)
        place = f"{self.dir}/arkouda.h5:/"
        done = self.stoa("query", place, "-f", "csv", status=1)
        self.assertEqual(done.stdout, "i\n1\n2\n")
        self.assertIn(f"{place}s: left out: ", done.stderr)
        said = self.stoa("query", f"{place}s", status=3).stderr
        self.assertIn(f"stoa: {place}s/segments: ", said)
        self.assertEqual(said.count("arkouda.h5"), 1, said)


WHOLE = """
import anndata, h5py, numpy as np, pandas as pd, scipy.sparse as sp
matrix = sp.random(6, 4, 0.5, "csr", random_state=1)
data = anndata.AnnData(np.ones((6, 4)), obs=pd.DataFrame({"a": range(6), "b": range(6)}, index=list("uvwxyz")))
data.layers.update(good=matrix, bad=matrix, inner=matrix)
data.uns.update(good=np.arange(3), bad=np.arange(4))
data.write_h5ad("whole.h5ad")
with h5py.File("whole.h5ad", "r") as f:
    places = [h5py.h5o.get_info(f[path].id).addr
              for path in ("obs/b", "layers/bad", "layers/inner/data", "uns/bad")]
with open("whole.h5ad", "r+b") as f:
    for place in places:
        f.seek(place)
        f.write(bytes([0xee]) * 16)
"""
REST = """
import anndata
data = anndata.read_h5ad("rest.h5ad")
print(data.shape, list(data.obs), list(data.obs_names), sorted(data.layers), sorted(data.uns))
print(data.layers["good"].nnz)
"""


class WholeFile(stoa_test.PeersTestCase):
    def test_an_anndata_file_is_converted_without_what_is_damaged(self):
        self.peer_python(WHOLE)
        file = self.dir / "whole.h5ad"
        self.fails("convert", file, self.dir / "rest.h5ad", "--to", "anndata",
                   says=["/layers/bad' cannot be opened; --skip-bad"])  # fmt: skip
        self.assertFalse((self.dir / "rest.h5ad").exists())
        for layout, name in (("hep001", "rest.h5"), ("anndata", "rest.h5ad")):
            done = self.stoa("convert", file, self.dir / name, "--to", layout, "--skip-bad")
            lines = done.stderr.splitlines()
            self.assertEqual(lines[-1], f"{file}: 4 objects and columns stayed behind (--skip-bad)")
            for path in ("/obs/b", "/layers/bad", "/layers/inner", "/uns/bad"):
                self.assertEqual(sum(f"{path} is left behind: " in line for line in lines), 1, lines)
        self.assertEqual(self.peer_python(REST), "(6, 4) ['a'] ['u', 'v', 'w', 'x', 'y', 'z'] ['good'] "
                                                 "['good']\n12\n")  # fmt: skip
        self.stoa("check", self.dir / "rest.h5")

    def test_parts_of_a_whole_file_are_of_subset(self):
        self.peer_python(WHOLE)
        self.fails("convert", self.dir / "whole.h5ad", self.dir / "no.h5", "--to", "hep001", "-w", "a > 2",
                   says=["stoa subset", "--obs"])  # fmt: skip


class Parts(stoa_test.PeersTestCase):
    def test_convert_and_export_take_columns_and_rows(self):
        self.stoa("import", self.write("rows.csv", CSV), f"{self.dir}/t.h5:/t")
        self.stoa("convert", f"{self.dir}/t.h5:/t", f"{self.dir}/part.h5", "--to", "pytables",
                  "-c", "c,a", "-w", "b > 8.9")  # fmt: skip
        self.assertEqual(
            self.peer_python("import tables; f = tables.open_file('part.h5'); r = f.root.t.read();"
                             "print(r.dtype.names, r.tolist())"),
            "('c', 'a') [(b'x18', 18), (b'x19', 19)]\n",
        )  # fmt: skip
        out = self.dir / "part.csv"
        self.stoa("export", f"{self.dir}/t.h5:/t", out, "-c", "c,a", "-w", "b > 8.9")
        self.assertEqual(out.read_text(), "c,a\nx18,18\nx19,19\n")
        for command in (("export", out), ("convert", f"{self.dir}/no.h5", "--to", "hep001")):
            self.fails(command[0], f"{self.dir}/t.h5:/t", *command[1:], "-c", "nothing",
                       says=["/t.h5:/t: columns", "there is no column 'nothing'"])  # fmt: skip
            self.fails(command[0], f"{self.dir}/t.h5:/t", *command[1:], "-w", "b >", says=["the text ends"])
        self.assertFalse((self.dir / "no.h5").exists())

    def test_files_of_arkouda_take_columns_and_rows(self):
        self.stoa("import", self.write("rows.csv", CSV), f"{self.dir}/t.h5:/t")
        for form, path in (("columns", "/"), ("dataframe", "/DataFrame")):
            out = self.dir / f"{form}.h5"
            self.stoa("convert", f"{self.dir}/t.h5:/t", out, "--to", "arkouda", "--as", form, "--locales", "2",
                      "-c", "c,a", "-w", "b > 8.9")  # fmt: skip
            found = self.stoa("query", f"{out}:{path}", "-f", "csv", "-c", "a, c").stdout
            self.assertEqual(found, "a,c\n18,x18\n19,x19\n")
        self.fails("convert", f"{self.dir}/t.h5:/t", self.dir / "no.h5", "--to", "arkouda", "-c", "nothing",
                   says=["there is no column 'nothing'"])  # fmt: skip
        self.assertFalse((self.dir / "no.h5").exists())


if __name__ == "__main__":
    stoa_test.main()
