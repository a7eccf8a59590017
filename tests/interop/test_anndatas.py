"""Whole AnnData files: to HEP001 and back they are equal; what is damaged is refused."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

WHOLE = [f"whole{seed}" for seed in range(4)]
PARTS = ["no_x", "nothing", "dense"]
OLD = ["old06", "old07"]


class Anndatas(PeerTestCase):
    def convert(self, source, target, layout, *options):
        return self.stoa("convert", self.dir / source, self.dir / target, "--to", layout, *options)

    def rows(self, place, *options):
        return self.stoa("query", f"{self.dir}/{place}", "-f", "csv", *options).stdout

    def listed(self, file):
        lines = self.stoa("ls", self.dir / file).stdout.splitlines()[2:]
        return {line.split("  ")[0]: line[line.index("  "):].split() for line in lines}


class WholeFiles(Anndatas):
    def setUp(self):
        super().setUp()
        self.peer("python3", "anndatas.py", "make")

    def test_files_come_back_equal(self):
        for name in [*WHOLE, *PARTS, *OLD]:
            with self.subTest(name=name):
                self.convert(f"{name}.h5ad", f"{name}.h5", "hep001")
                self.stoa("check", self.dir / f"{name}.h5", "--indexes")
                self.convert(f"{name}.h5", f"{name}.back.h5ad", "anndata")
                self.assert_says_nothing("anndatas.py", "same", f"{name}.h5ad", f"{name}.back.h5ad")

    def test_files_are_written_anew_equal(self):
        for name in [*WHOLE[:2], *PARTS, *OLD]:
            with self.subTest(name=name):
                self.convert(f"{name}.h5ad", f"{name}.new.h5ad", "anndata", "--codec", "deflate")
                self.assert_says_nothing("anndatas.py", "same", f"{name}.h5ad", f"{name}.new.h5ad")

    def test_frames_are_tables_and_matrices_sparse_arrays(self):
        self.convert("whole1.h5ad", "own.h5", "hep001")
        listed = self.listed("own.h5")
        for path in ("/obs", "/var", "/raw/var", "/obsm/frame", "/uns/frame"):
            self.assertEqual(listed[path][:2], ["hep001", "table"], path)
        for path, shape in (("/X", "23 x 7"), ("/raw/X", "23 x 7"), ("/layers/counts", "23 x 7"),
                            ("/obsm/sparse", "23 x 4"), ("/obsp/distances", "23 x 23"),
                            ("/uns/deep/er/matrix", "3 x 9")):  # fmt: skip
            self.assertEqual(listed[path][:5], ["sparse", "array", *shape.split()], path)
        self.assertEqual(listed["/obsm/X_pca"][:5], ["anndata", "array", "23", "x", "3"])
        self.assertEqual(self.rows("own.h5:/obs"), self.rows("whole1.h5ad:/obs"))
        self.assertEqual(self.rows("own.h5:/obs", "-w", "numbers = 20", "-c", "s"),
                         self.rows("whole1.h5ad:/obs", "-w", "numbers = 20", "-c", "s"))  # fmt: skip

    def test_ls_shows_matrices_with_their_shapes(self):
        listed = self.listed("whole1.h5ad")
        for path, wanted in (("/X", "anndata csc 23 x 7"), ("/obsm/sparse", "anndata csr 23 x 4"),
                             ("/layers/dense", "anndata array 23 x 7"),
                             ("/obsm/cube", "anndata array 23 x 2 x 2"),
                             ("/obs", "anndata table 23 18")):  # fmt: skip
            words = wanted.split()
            self.assertEqual(listed[path][: len(words)], words, path)
        self.assertEqual(self.listed("old06.h5ad")["/X"][:5], ["anndata", "csr", "4", "x", "3"])
        self.assertNotIn("/X/data", listed)
        self.stoa("ls", "-l", self.dir / "whole1.h5ad")

    def test_rows_of_06_have_the_labels_that_lie_in_uns(self):
        self.assertEqual(self.rows("old06.h5ad:/obs"),
                         "index,n,kind,f\nc0,5,x,0.0\nc1,6,yy,0.0\nc2,7,yy,0.0\nc3,8,x,0.0\n")  # fmt: skip
        said = self.stoa("info", f"{self.dir}/old06.h5ad:/obs").stdout
        self.assertIn("anndata", said)

    def test_a_file_that_is_there_and_its_own_file_are_refused(self):
        self.write("there.h5", "x")
        for target in ("there.h5", "no_x.h5ad"):
            before = (self.dir / target).read_bytes()
            self.fails("convert", self.dir / "no_x.h5ad", self.dir / target, "--to", "hep001",
                       says="there already")  # fmt: skip
            self.assertEqual((self.dir / target).read_bytes(), before)

    def test_other_layouts_take_the_frames_alone(self):
        self.convert("no_x.h5ad", "p.h5", "pytables")
        self.assertEqual(sorted(self.listed("p.h5")), ["/obs", "/var"])


class OneTable(Anndatas):
    def test_one_table_becomes_obs(self):
        self.stoa("import", self.write("a.csv", "n,s\n1,x\n2,é\n"), f"{self.dir}/a.h5:/deep/t")
        for source in ("a.h5", "a.h5:/deep/t"):
            self.convert(source, "a.h5ad", "anndata")
            said = self.peer("python3", "anndatas.py", "open", "a.h5ad", "2")
            self.assertEqual(said, "n 1 2\ns x é\nnames 0 1\n")
            os.remove(self.dir / "a.h5ad")

    def test_numbers_that_label_rows_become_texts(self):
        self.stoa("import", self.write("a.csv", "id,n\n-7,1\n8,2\n"), f"{self.dir}/a.h5:/t")
        self.stoa("column", "row-index", f"{self.dir}/a.h5:/t", "id")
        self.convert("a.h5", "a.h5ad", "anndata")
        said = self.peer("python3", "anndatas.py", "open", "a.h5ad", "2")
        self.assertEqual(said, "n 1 2\nnames -7 8\n")

    def test_what_obs_cannot_hold_leaves_no_file(self):
        self.write("a.csv", "when\n2020-01-01T00:00:00\n")
        self.stoa("import", self.dir / "a.csv", f"{self.dir}/a.h5:/t")
        self.fails("convert", self.dir / "a.h5", self.dir / "a.h5ad", "--to", "anndata",
                   says=["/obs", "'when'"])  # fmt: skip
        self.assertFalse((self.dir / "a.h5ad").exists())

    def test_obs_and_a_matrix_get_the_rest(self):
        self.stoa("import", self.write("a.csv", "n\n1\n2\n"), f"{self.dir}/a.h5:/obs")
        self.write("x.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n2 1 1.5\n")
        self.stoa("import", self.dir / "x.mtx", f"{self.dir}/a.h5:/X")
        self.convert("a.h5", "a.h5ad", "anndata")
        said = self.peer_python(
            "import anndata, warnings\nwarnings.simplefilter('error')\n"
            "a = anndata.read_h5ad('a.h5ad')\n"
            "print(a.X.toarray().tolist(), *a.obs_names, *a.var_names, *a.obs['n'])"
        )
        self.assertEqual(said, "[[0.0, 0.0, 0.0], [1.5, 0.0, 0.0]] 0 1 0 1 2 1 2\n")


ROWS = """
import pyarrow as pa
def put(name, **columns):
    table = pa.table(columns)
    with pa.OSFile(name + ".arrow", "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
put("date", v=pa.array([1], pa.date32()))
put("duration", v=pa.array([1], pa.duration("s")))
put("struct", v=pa.array([{"x": 1}]))
put("list", v=pa.array([[1]], pa.list_(pa.date32())))
put("nul", v=["a\\0b"])
put("reserved", _index=[1])
"""


class Page(Anndatas):
    """What docs/layouts/anndata.md says is refused, and how rows are labelled."""

    def test_what_no_frame_has_is_refused_by_name(self):
        self.peer_python(ROWS)
        for name, says in (("date", ["'v'", "date"]), ("duration", ["'v'", "duration"]),
                           ("struct", ["'v'", "struct"]), ("list", ["'v'", "lists of date"]),
                           ("nul", ["'v'", "NUL"]),
                           ("reserved", ["'_index'", "rename"])):  # fmt: skip
            with self.subTest(name=name):
                self.stoa("import", f"{self.dir}/{name}.arrow", f"{self.dir}/{name}.h5:/t")
                self.fails("convert", self.dir / f"{name}.h5", self.dir / "new.h5ad:/obs", "--to",
                           "anndata", says=says)  # fmt: skip

    def test_a_name_with_a_slash_is_refused(self):
        self.peer_python("import pandas\npandas.DataFrame({'a/b': [1]}).to_hdf('p.h5', key='t')")
        self.fails("convert", self.dir / "p.h5", self.dir / "new.h5ad:/obs", "--to", "anndata",
                   says=["'a/b'", "rename"])  # fmt: skip

    def test_row_labels_that_are_several_or_missing_are_refused(self):
        self.stoa("import", self.write("a.csv", "i,j\nx,1\n,2\n"), f"{self.dir}/a.h5:/t")
        for columns, says in ((["i", "j"], ["2 columns label the rows"]), (["i"], ["'i'", "missing"])):
            self.stoa("column", "row-index", f"{self.dir}/a.h5:/t", *columns)
            self.fails("convert", self.dir / "a.h5", self.dir / "new.h5ad:/obs", "--to", "anndata",
                       says=says)  # fmt: skip

    def test_codecs_are_none_and_deflate(self):
        self.stoa("import", self.write("a.csv", "n\n1\n2\n"), f"{self.dir}/a.h5:/t")
        for codec, wanted in (("none", None), ("deflate", "gzip"), ("deflate:9", "gzip")):
            name = codec.replace(":", "")
            self.convert("a.h5", f"{name}.h5ad:/obs", "anndata", "--codec", codec)
            said = self.peer_python(f"import h5py\nprint(h5py.File('{name}.h5ad')['obs/n'].compression)")
            self.assertEqual(said, f"{wanted}\n")
        self.fails("convert", self.dir / "a.h5", self.dir / "no.h5ad:/obs", "--to", "anndata", "--codec",
                   "blosc", says="blosc")  # fmt: skip


class Bad(Anndatas):
    def test_lies_are_one_line_and_leave_no_file(self):
        self.peer("python3", "anndatas.py", "damage")
        for file, says in json.loads((self.dir / "broken.json").read_text()).items():
            for layout in ("hep001", "anndata"):
                if says == "no '/obs'" and layout == "anndata":
                    continue  # it is made
                with self.subTest(file=file, says=says, layout=layout):
                    self.fails("convert", self.dir / file, self.dir / "new.h5", "--to", layout,
                               says=[f"{file}:/", says])  # fmt: skip
                    self.assertFalse((self.dir / "new.h5").exists())
                    self.assertEqual([f for f in os.listdir(self.dir) if "new.h5" in f], [])
                    self.stoa("ls", self.dir / file)

    def test_shapes_that_anndata_would_refuse_are_refused(self):
        self.peer("python3", "anndatas.py", "damage")
        for number, path in enumerate(("/X", "/obsm/X_pca", "/obsm/X_pca")):
            self.fails("convert", self.dir / f"uneven{number}.h5ad", self.dir / "new.h5ad", "--to",
                       "anndata", says=[path, "has", "rows"])  # fmt: skip
            self.assertFalse((self.dir / "new.h5ad").exists())

    def test_what_is_strange_is_carried_or_named(self):
        self.peer("python3", "anndatas.py", "strange")
        said = self.convert("strange.h5ad", "own.h5", "hep001").stderr
        self.assertNotIn("/uns/awkward", said)
        self.assertIn("/uns/later", said)
        self.assertEqual(self.rows("own.h5:/uns/frame again"), "_index,x\na,1.5\n")
        said = self.convert("own.h5", "back.h5ad", "anndata").stderr
        for path, why in (("dangling", "leads nowhere"), ("circle", "elsewhere"),
                          ("outside", "another file")):  # fmt: skip
            self.assertIn(f"own.h5:/uns/{path} is left out: it leads", said)
            self.assertIn(why, said)
        self.assertIn("own.h5:/events is left out", said)
        said = self.peer("python3", "anndatas.py", "contents", "back.h5ad").splitlines()
        self.assertEqual(said, ["layers/same/data 1.0 1.0 1.0", "uns/soft/data 1.0 1.0 1.0",
                                "uns/frame again/x 1.5", "uns/awkward/node0-offsets 0 1 2",
                                "X layers obs obsm obsp uns var varm varp awkward frame "
                                "frame again later soft"])  # fmt: skip


class Categories(PeerTestCase):
    def test_categories_are_asked_by_value_in_every_layout(self):
        """Integers, floats, bools and times, as an index level and as columns."""
        self.peer_python("""if True:
            import anndata, pandas as pd
            frame = pd.DataFrame({
                "i": pd.Categorical([3, 1, 3]), "f": pd.Categorical([1.5, 2.5, 1.5]),
                "b": pd.Categorical([True, False, True]), "n": [0, 1, 2]}, index=["x", "y", "z"])
            anndata.AnnData(obs=frame).write_h5ad("a.h5ad")
            when = pd.to_datetime(["2020-01-01", "2021-01-01", "2020-01-01"])
            frame.assign(t=pd.Categorical(when)).to_hdf("p.h5", key="t", format="table")
            levels = pd.MultiIndex.from_tuples([("x", 3), ("y", 1), ("z", 3)], names=["k", "i"])
            pd.DataFrame({"n": [0, 1, 2]}, index=levels).to_hdf("m.h5", key="t")
            """)
        places = [f"{self.dir}/a.h5ad:/obs", f"{self.dir}/p.h5:/t", f"{self.dir}/m.h5:/t"]
        for place in list(places):
            name = f"{self.dir}/own-{len(places)}.h5"
            self.stoa("convert", place, f"{name}:/t", "--to", "hep001")
            places.append(f"{name}:/t")
        for place in places:
            asks = ["i = 3", "i > 1", "i in (3, 7)"]
            is_multi = "m.h5" in place or place == places[-1]
            asks += [] if is_multi else ["f < 2", "b", "b = true"]
            asks += ["t < '2020-06-01'"] if place in (places[1], places[4]) else []
            for where in asks:
                rows = self.rows_of(place, "-w", where, "-c", "n")
                self.assertEqual(rows, [{"n": 0}, {"n": 2}], (place, where))
            groups = self.rows_of(place, "--by", "i", "-a", "count()")
            self.assertEqual(sorted((g["i"], g["count()"]) for g in groups), [(1, 1), (3, 2)])
            self.fails("query", place, "-w", "i = '3'", says="cannot be compared with text")
        self.stoa("convert", f"{self.dir}/own-3.h5:/t", f"{self.dir}/back.h5ad:/obs", "--to", "anndata")
        self.assertEqual(self.peer_python("""if True:
            import anndata, h5py, pandas as pd
            wanted = anndata.read_h5ad("a.h5ad").obs
            with h5py.File("back.h5ad") as file:
                pd.testing.assert_frame_equal(anndata.io.read_elem(file["obs"]), wanted)
            """), "")  # fmt: skip


if __name__ == "__main__":
    stoa_test.main()
