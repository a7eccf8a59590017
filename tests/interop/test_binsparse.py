"""Groups of binsparse 0.1, which tests/interop/peer/binsparse_files.py writes and reads by the specification."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase


def ordered(entries):
    return sorted(entries, key=lambda e: [e[name] for name in e if name != "value"])


def text(entries):
    return [json.dumps(e) for e in entries]  # NaN is equal to itself


class Binsparse(PeerTestCase):
    made = None  # the files, which no test changes

    def setUp(self):
        super().setUp()
        if Binsparse.made is None:
            self.peer("python3", "binsparse_files.py", "make")
            Binsparse.made = {path.name: path.read_bytes() for path in self.dir.iterdir() if path.is_file()}
        for name, content in Binsparse.made.items():
            (self.dir / name).write_bytes(content)
        self.good = json.loads((self.dir / "good.json").read_text())
        self.bad = json.loads((self.dir / "bad.json").read_text())

    def rows(self, place, *options):
        said = self.stoa("query", f"{self.dir}/{place}", "-f", "jsonl", *options).stdout
        return [json.loads(line) for line in said.splitlines()]

    def shown(self, file, path="/m"):
        return json.loads(self.peer("python3", "binsparse_files.py", "show", file, path))

    def assert_rows(self, found, expected, of):
        found = [{**e, "value": float("nan") if e["value"] == "NaN" else e["value"]} for e in found]
        self.assertEqual(text(ordered(found)), text(expected), of)

    def test_groups_are_listed_with_their_format_and_shape(self):
        listed = json.loads(self.stoa("ls", self.dir / "good.h5", "-f", "json").stdout)
        found = {one["path"]: one for one in listed}
        for path, expected in self.good.items():
            one = found[path]
            self.assertEqual((one["layout"], one["kind"], one["shape"]),
                             ("binsparse", expected["format"].lower(), expected["shape"]), path)  # fmt: skip
        self.assertNotEqual(found["/dense"]["layout"], "binsparse")
        self.assertEqual(set(found) - set(self.good), {"/big", "/dense"})
        root = json.loads(self.stoa("ls", self.dir / "root.h5", "-f", "json").stdout)
        self.assertEqual([one["path"] for one in root if one["layout"] == "binsparse"], ["/"])
        self.assertIn("/other", " ".join(one["path"] for one in root))

    def test_entries_are_rows(self):
        for path, expected in self.good.items():
            self.assert_rows(self.rows(f"good.h5:{path}"), expected["entries"], path)
        self.assertEqual([e["value"] for e in self.rows("root.h5:/")], [5.0])
        self.assertEqual(self.rows("good.h5:/big", "-a", "count()")[0]["count()"], 100_000)

    def test_boxes(self):
        for path in "/CSR", "/CSC", "/COO", "/COOC", "/DCSR", "/DCSC", "/iso/DCSC":
            every = self.good[path]["entries"]
            for box, rows, columns in ("5:20, :", (5, 20), (0, 30)), (":, 3:9", (0, 40), (3, 9)), ("2:30, 7:25", (2, 30), (7, 25)):  # fmt: skip
                expected = [e for e in every if rows[0] <= e["row"] < rows[1] and columns[0] <= e["column"] < columns[1]]
                self.assertTrue(expected)
                self.assert_rows(self.rows(f"good.h5:{path}[{box}]"), expected, (path, box))
        self.assertEqual(self.rows("good.h5:/vector[40:99]"), [{"index": 50, "value": 2.0}])
        self.assertEqual(self.rows("good.h5:/skew_symmetric_lower[0, 1:]"), [{"row": 0, "column": 1, "value": -2.5}])

    def test_export_and_import(self):
        paths = "/CSC", "/COOC", "/DCSR", "/types/int32", "/types/complex128", "/iso/CSR", "/empty/CSR", "/hermitian_upper"  # fmt: skip
        for i, path in enumerate(paths):
            place = f"{self.dir}/good.h5:{path}"
            is_real = "complex" not in path and "hermitian" not in path
            for suffix in ["npz", "mtx", "csv", "arrow", *(["h5ad"] if is_real else [])]:
                self.stoa("export", place, self.dir / f"{i}.{suffix}")
            self.stoa("import", place, f"{self.dir}/s.h5:{path}")
            self.assert_rows(self.rows(f"s.h5:{path}"), self.good[path]["entries"], path)
        self.stoa("import", f"{self.dir}/good.h5:/vector", f"{self.dir}/s.h5:/v")
        self.assertEqual(self.rows("s.h5:/v"), self.good["/vector"]["entries"])
        self.peer_python(
            "import json, os, sys, numpy as np, scipy.sparse as sp, scipy.io, anndata, pyarrow.ipc, pandas as pd\n"
            "for i, path in enumerate(sys.argv[1:]):\n"
            "    said = json.load(open('good.json'))[path]\n"
            "    m = np.zeros(said['shape'], complex)\n"
            "    for e in said['entries']:\n"
            "        v = e['value']\n"
            "        m[e['row'], e['column']] = complex(v['r'], v['i']) if isinstance(v, dict) else v\n"
            "    found = [sp.load_npz(f'{i}.npz').toarray(), scipy.io.mmread(f'{i}.mtx').toarray()]\n"
            "    found += [anndata.read_h5ad(f'{i}.h5ad').X.toarray()] if os.path.exists(f'{i}.h5ad') else []\n"
            "    for a in found:\n"
            "        assert a.shape == m.shape and (a == m).all(), (path, a, m)\n"
            "    assert pyarrow.ipc.open_file(f'{i}.arrow').read_all().num_rows == len(said['entries'])\n"
            "    assert len(pd.read_csv(f'{i}.csv')) == len(said['entries'])\n",
            *paths,
        )

    def test_what_is_written_is_what_was_read(self):
        paths = [path for path in self.good if path.count("/") == 1 or path.startswith("/types/") or path.endswith("/CSC")]
        for i, path in enumerate(paths):
            expected = self.good[path]
            sparse = f"{self.dir}/s.h5:/m{i}"
            self.stoa("export", f"{self.dir}/good.h5:{path}", f"{self.dir}/w.h5:/m{i}", "--to", "binsparse")
            if i % 8 == 0:
                self.stoa("import", f"{self.dir}/good.h5:{path}", sparse)
                self.stoa("export", sparse, f"{self.dir}/w.h5:/s/m{i}", "--to", "binsparse", "--codec", "deflate")
        groups = [f"/m{i}" for i in range(len(paths))] + [f"/s/m{i}" for i in range(0, len(paths), 8)]
        lines = self.peer("python3", "binsparse_files.py", "show", "w.h5", *groups).splitlines()
        for group, line in zip(groups, lines, strict=True):
            path, found = paths[int(group.split("m")[-1])], json.loads(line)
            expected = self.good[path]
            form = expected["format"]
            wanted = "CVEC" if form == "CVEC" else "CSC" if form in ("CSC", "DCSC", "COOC") and "/s/" not in group else "CSR"  # fmt: skip
            self.assertEqual((found["format"], found["shape"]), (wanted, expected["shape"]), (path, group))
            self.assertEqual(text(found["entries"]), text(expected["entries"]), (path, group))
            if path.startswith("/types/"):
                kind = path.rsplit("/", 1)[1]
                kind = {"bool": "bint8", "complex64": "complex[float32]", "complex128": "complex[float64]",
                        "iso_bool": "bint8", "iso_complex": "complex[float64]"}.get(kind, kind)  # fmt: skip
                self.assertEqual(found["data_types"]["values"], kind, path)

    def test_queries_of_many_entries_and_of_few_are_written(self):
        place = f"{self.dir}/good.h5:/big"
        self.stoa("query", place, "-o", f"{self.dir}/q.h5:/m", "--to", "binsparse")
        self.stoa("query", place, "-w", "value > 2", "-o", f"{self.dir}/q.h5:/few", "--to", "binsparse", "--title", 'a "b"')  # fmt: skip
        self.write("wide.csv", "row,column,value\n0,0,1.5\n4000000000,7,2.5\n")
        self.stoa("import", self.dir / "wide.csv", f"{self.dir}/w.h5:/t")
        self.stoa("query", f"{self.dir}/w.h5:/t", "-o", f"{self.dir}/q.h5:/wide", "--to", "binsparse")
        self.peer_python(
            "import h5py, json, numpy as np, scipy.sparse as sp\n"
            "def load(f, path):\n"
            "    g = f[path]\n"
            "    said = json.loads(g.attrs['binsparse'])\n"
            "    return said, sp.csr_matrix((g['values'][:], g['indices_1'][:], g['pointers_to_1'][:]),\n"
            "                               shape=said['binsparse']['shape'])\n"
            "f, good = h5py.File('q.h5'), h5py.File('good.h5')\n"
            "a, b, few = load(good, 'big')[1], load(f, 'm')[1], load(f, 'few')\n"
            "assert a.nnz == 100_000 == b.nnz and (a != b).nnz == 0 and a.shape == b.shape\n"
            "assert few[1].shape == a.shape and (few[1] != a.multiply(a > 2)).nnz == 0 and few[0]['title'] == 'a \"b\"'\n"
            "g = f['wide']\n"
            "said = json.loads(g.attrs['binsparse'])['binsparse']\n"
            "assert said['format'] == 'COOR' and said['shape'] == [4000000001, 8], said\n"
            "assert g['indices_0'][:].tolist() == [0, 4000000000] and g['values'][:].tolist() == [1.5, 2.5]\n"
        )

    def test_nothing_is_written_by_halves(self):
        place, target = f"{self.dir}/good.h5:/CSR", f"{self.dir}/w.h5:/m"
        self.stoa("export", place, target, "--to", "binsparse")
        before = (self.dir / "w.h5").read_bytes()
        self.fails("export", f"{self.dir}/good.h5:/CSC", target, "--to", "binsparse", says="is there already")
        for broken in "/outside", "/descending":
            self.fails("export", f"{self.dir}/bad.h5:{broken}", target, "--to", "binsparse", "--force", says="binsparse 0.1")  # fmt: skip
        self.write("t.csv", "a,b,c,d\n1,2,3,4\n")
        self.write("u.csv", "row,column,value\n1,2,x\n3,4,\n")
        self.write("v.csv", "row,column,value\n-1,2,5\n")
        self.write("w.csv", "row,column,value\n1,2,5\n3,,6\n")
        for name, says in ("t", "4 columns"), ("u", "value"), ("v", "-1"), ("w", "null"):
            self.stoa("import", self.dir / f"{name}.csv", f"{self.dir}/tables.h5:/{name}")
            self.fails("export", f"{self.dir}/tables.h5:/{name}", target, "--to", "binsparse", "--force", says=says)
        self.fails("export", place, target, "--to", "binsparse", "--force", "--row-index", "row", says="row labels")
        self.assertEqual((self.dir / "w.h5").read_bytes(), before)
        self.stoa("export", f"{self.dir}/good.h5:/CSC", target, "--to", "binsparse", "--force")
        self.assertEqual(self.shown("w.h5")["format"], "CSC")

    def test_broken_groups_are_refused_and_listed(self):
        listed = {one["path"]: one["layout"] for one in json.loads(self.stoa("ls", self.dir / "bad.h5", "-f", "json").stdout)}  # fmt: skip
        for path, says in self.bad.items():
            self.assertEqual(listed[path], "binsparse", path)
            for command in (["query"], ["export", "x.npz"]):
                to = [] if len(command) == 1 else [self.dir / command[1]]
                said = self.stoa(command[0], f"{self.dir}/bad.h5:{path}", *to, status=None)
                self.assertNotEqual(said.returncode, 0, (path, command))
                for word in (says, f"bad.h5:{path}", "binsparse 0.1"):
                    self.assertIn(word, said.stderr, (path, command))
            self.assertFalse((self.dir / "x.npz").exists())


if __name__ == "__main__":
    stoa_test.main()
