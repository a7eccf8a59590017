"""HDF5 files that declare no layout: each table and array in them has the values that h5py, xarray and NumPy have."""

import json
import math
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

# What `stoa ls` finds in each file: the tables, then the arrays, and their rows or shape.
LISTED = {
    "h5py.h5": "/events 11, /one 7, /pairs 2, /events/ragged -, /img 5 x 4 x 3, /one/a 4, /one/b 4,"
    " /other/long 30, /other/short 3, /scalar -, /words -",
    "vaex.hdf5": "/table 11",
    "molecule_v2.h5": "/ 11, /gene_ids 5, /gene_names 5, /genome_ids 1",
    "molecule_v3.h5": "/ 11, /features 5, /barcode_info/genomes 1, /barcode_info/pass_filter 3 x 3, /barcodes 3,"
    " /features/_all_tag_keys 1, /metrics_json -",
    "matrix_v2.h5": "/GRCh38 5 x 3, /GRCh38/barcodes 3, /GRCh38/gene_names 5, /GRCh38/genes 5",
    "matrix_v3.h5": "/matrix/features 5, /matrix 5 x 3, /matrix/barcodes 3, /matrix/features/_all_tag_keys 1",
    "nexus.nxs": "/entry/data 11, /entry/events 40, /entry/image 11, /entry/instrument 11, /entry/linked 11,"
    " /entry/events/event_index 11,"
    " /entry/events/event_time_zero 11, /entry/events/total_counts 1, /entry/image/x 11, /entry/start_time -,"
    " /entry/title -, /entry/linked/x -> /entry/instrument/far -",
    "openpmd.h5": "/data/100/particles/electrons 11, /data/100/fields/E/x 4 x 5,"
    " /data/100/particles/electrons/particlePatches/numParticles 1",
    "matlab.mat": "/ 11, /n 1 x 1, /other 2 x 4",
    "lhe1.hdf5": "/event 11, /init 1, /particle 33",
    "lhe2.hdf5": "/events 11, /particles 33 x 13, /procInfo 1 x 6, /version 3",
    "gwosc.hdf5": "/quality/simple 2, /meta/Description -, /meta/GPSstart -, /quality/simple/DQmask 4,"
    " /strain/Strain 64",
    "netcdf.nc": "/ 6, /bounds 6 x 2, /crs -, /lat 6, /lon 3",
}

LOAD = """
import json, sys
import numpy as np
made = []
for i in range(int(sys.argv[1])):
    a = np.load(f"{i}.npy")
    rows = [[str(v) if isinstance(v, np.datetime64) else v for v in row] for row in ([r[n] for n in a.dtype.names]
            for r in a)] if a.dtype.names else a.ravel().tolist()
    rows = [[v.tolist() if hasattr(v, "tolist") else v for v in row] if isinstance(row, list) else row for row in rows]
    made.append([a.shape, str(a.dtype.descr) if a.dtype.names else a.dtype.str, rows])
print(json.dumps(made))
"""


def is_near(found, expected):
    """Equal; floats to 12 digits, since scaling may round otherwise."""
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(map(is_near, found, expected))
    if isinstance(found, float) and isinstance(expected, (int, float)):
        return math.isclose(found, expected, rel_tol=1e-12)
    return found == expected


class Plain(PeerTestCase):
    made = None  # the files, which no test changes

    def setUp(self):
        super().setUp()
        if Plain.made is None:
            self.peer("python3", "plain.py", "make")
            Plain.made = {path.name: path.read_bytes() for path in self.dir.iterdir() if path.is_file()}
        for name, content in Plain.made.items():
            (self.dir / name).write_bytes(content)
        self.expected = json.loads((self.dir / "plain.json").read_text())

    def rows(self, place, *options):
        text = self.stoa("query", f"{self.dir}/{place}", "-f", "jsonl", *options).stdout
        return [json.loads(line) for line in text.splitlines()]

    def test_files_are_listed_and_their_values_are_those_of_the_peers(self):
        for file, listed in LISTED.items():
            lines = self.stoa("ls", self.dir / file).stdout.splitlines()[2:]
            words = [line.split("  ") for line in lines]
            found = [[word.strip() for word in line if word] for line in words]
            self.assertEqual(", ".join(f"{line[0]} {line[3]}" for line in found), listed, file)
        for place, columns in self.expected.items():
            rows = self.rows(place)
            with self.subTest(place=place):
                self.assertEqual(list(rows[0]) if rows else list(columns), list(columns))
                for name, values in columns.items():
                    found = [row[name] for row in rows]
                    self.assertTrue(is_near(found, values), f"{name}:\n{found}\n{values}")

    def test_tables_are_filtered_exported_imported_and_converted(self):
        place, wanted = f"{self.dir}/h5py.h5:/events", self.expected["h5py.h5:/events"]
        few = [row["n"] for row in self.rows("h5py.h5:/events", "-w", "n > 0 and flag", "-c", "n")]
        self.assertEqual(few, [n for n, flag in zip(wanted["n"], wanted["flag"]) if n > 0 and flag])
        self.stoa("export", place, self.dir / "e.jsonl")
        exported = [json.loads(line)["x"] for line in (self.dir / "e.jsonl").read_text().splitlines()]
        self.assertEqual(exported, wanted["x"])
        for command in ["import", place, f"{self.dir}/a.h5:/t"], ["convert", place, f"{self.dir}/b.h5:/t", "--to", "hep001"]:  # fmt: skip
            self.stoa(*command)
            rows = self.rows(command[2].removeprefix(f"{self.dir}/"))
            self.assertEqual([row["name"] for row in rows], wanted["name"])
            self.assertTrue(is_near([row["cube"] for row in rows], wanted["cube"]))
        self.stoa("convert", f"{self.dir}/h5py.h5:/img", f"{self.dir}/i.h5:/img", "--to", "pytables")
        self.assertEqual([row["img"] for row in self.rows("i.h5:/img")], self.expected["h5py.h5:/img"]["img"])

    def test_a_whole_file_keeps_what_is_beside_its_tables(self):
        said = self.stoa("convert", self.dir / "molecule_v3.h5", self.dir / "m.h5", "--to", "hep001").stderr
        self.assertIn("/barcodes: string[18] ascii nullpad · 3: left out", said)
        self.assertNotIn("/umi:", said)
        self.assertEqual(self.stoa("ls", self.dir / "m.h5").stdout.count("hep001"), 2)
        for file, table in ("nexus.nxs", "/entry/data"), ("openpmd.h5", "/data/100/particles/electrons"):
            self.stoa("convert", self.dir / file, self.dir / f"k-{file}", "--to", "hep001", "--keep-rest")
            listed = self.stoa("ls", self.dir / f"k-{file}").stdout
            self.assertIn("hep001", listed)
            place = f"k-{file}:{table}{'/table' if file == 'openpmd.h5' else ''}"
            self.assertEqual(list(self.rows(place)[0]), list(self.expected[f"{file}:{table}"]))
        self.assertIn("signal     counts", self.stoa("info", f"{self.dir}/k-nexus.nxs:/entry/data").stdout)

    def test_the_only_table_needs_no_path_and_errors_say_what_to_do(self):
        self.assertEqual(self.rows("vaex.hdf5", "-n", "1")[0]["s"], "a")
        self.assertEqual(self.rows("matlab.mat", "-n", "1", "-c", "y"), [{"y": self.expected["matlab.mat:/"]["y"][0]}])
        for place, words in {
            "h5py.h5": "holds 3 tables",
            "h5py.h5:/other": "is no table",
            "h5py.h5:/one/a,c": "'c' has 7 rows, and 'a' 4",
            "h5py.h5:/img[9]": "position 9 is outside of dimension 0, which has 5",
            "h5py.h5:/img[::0]": "is no slice",
            "h5py.h5:/img[0,0,0,0]": "the slice has 4 parts, and the array 3 dimensions",
            "h5py.h5:/img[a]": "is no position",
            "h5py.h5:/scalar[0]": "it is a scalar",
            "h5py.h5:/no[0]": "no",
        }.items():
            said = self.stoa("query", f"{self.dir}/{place}", status=3).stderr
            self.assertIn(words, said, place)

    def test_matrices_of_10x_are_csc_matrices(self):
        for name, group in ("matrix_v2.h5", "GRCh38"), ("matrix_v3.h5", "matrix"):
            place = f"{self.dir / name}:/{group}"
            entries = self.rows(f"{name}:/{group}")
            self.assertEqual(self.rows(f"{name}:/{group}[1, :]"), [e for e in entries if e["row"] == 1])
            for suffix in ("npz", "mtx"):
                self.stoa("export", place, self.dir / f"{group}.{suffix}")
        self.peer_python(
            "import h5py, scipy.io, scipy.sparse as sp, shutil\n"
            "for name, group in ('matrix_v2.h5', 'GRCh38'), ('matrix_v3.h5', 'matrix'):\n"
            "    m = h5py.File(name)[group]\n"
            "    a = sp.csc_matrix((m['data'][:], m['indices'][:], m['indptr'][:]), shape=m['shape'][:])\n"
            "    for b in sp.load_npz(f'{group}.npz'), scipy.io.mmread(f'{group}.mtx'):\n"
            "        assert b.shape == a.shape and abs(a - b).sum() == 0, (name, type(b))\n"
            "shutil.copy('matrix_v3.h5', 'bad.h5')\n"
            "f = h5py.File('bad.h5', 'r+')\n"
            "for k, shape in enumerate(([5, 3, 1], [-1, 3], ['5', '3'], [5, 7])):\n"
            "    f.copy('matrix', f'm{k}')\n"
            "    del f[f'm{k}/shape']\n"
            "    f[f'm{k}/shape'] = shape\n"
        )
        for k, says in enumerate(("is not two integers", "'shape' is -1 x 3", "is not two integers", "'indptr' has 4")):
            self.fails("query", f"{self.dir}/bad.h5:/m{k}", says=says)
            self.fails("export", f"{self.dir}/bad.h5:/m{k}", f"{self.dir}/x.npz", says=says)
        self.assertIn("/m0", self.stoa("ls", self.dir / "bad.h5").stdout)

    def test_a_matrix_is_left_behind_or_kept_in_one_line(self):
        binsparse = f"{self.dir}/one.h5:/m"
        self.stoa("export", f"{self.dir}/matrix_v2.h5:/GRCh38", binsparse, "--to", "binsparse")
        self.stoa("query", f"{self.dir}/molecule_v2.h5", "-n", "3", "-o", f"{self.dir}/one.h5:/t")
        done = self.stoa("convert", self.dir / "one.h5", self.dir / "one-t.h5", "--to", "pytables")
        self.assertIn("/m: binsparse csc · 5 x 3: left out\n", done.stderr)
        self.assertIn("1 object left out", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 2)
        done = self.stoa("convert", self.dir / "matrix_v3.h5", self.dir / "kept.h5", "--to", "pytables", "--keep-rest")
        self.assertIn("/matrix: 10x csc · 5 x 3: kept as it is", done.stderr)
        self.assertNotIn("indptr", done.stderr)
        self.assertIn("/matrix/barcodes", done.stderr)
        self.peer_python(
            "import h5py\n"
            "a, b = h5py.File('matrix_v3.h5')['matrix'], h5py.File('kept.h5')['matrix']\n"
            "for name in 'data', 'indices', 'indptr', 'shape', 'barcodes':\n"
            "    assert (a[name][:] == b[name][:]).all(), name\n"
        )

    def test_matrices_of_10x_become_anndata_as_scanpy_reads_them(self):
        """The columns are those of scanpy.read_10x_h5(gex_only=False), 1.11."""
        self.peer_python(
            "import h5py, shutil\n"
            "shutil.copy('matrix_v3.h5', 'odd.h5')\n"
            "f = h5py.File('odd.h5', 'r+')\n"
            "f['matrix/features/pattern'] = [b'5P(BC)', b'', b'', b'', b'']\n"
            "f['matrix/data'][0] = 2**24 + 1\n"
            "f.copy('matrix', 'probes')\n"
            "f['probes/features/gene_id'] = [b'g1', b'g1', b'g2', b'g3', b'g4']\n"
            "f['probes/features/filtered_probes'] = [True, False, True, True, True]\n"
            "f.copy('matrix', 'short')\n"
            "del f['short/barcodes']\n"
            "f['short/barcodes'] = [b'A', b'B']\n"
            "f.copy('matrix', 'nameless')\n"
            "del f['nameless/features']\n"
        )
        for place, file in {"matrix_v2.h5:/GRCh38": "v2", "matrix_v3.h5:/matrix": "v3", "odd.h5:/matrix": "odd",
                            "odd.h5:/probes": "probes", "matrix_v3.h5:/matrix[1:4, 1:]": "box",
                            "matrix_v3.h5:/matrix[0:0, :]": "none"}.items():  # fmt: skip
            self.stoa("export", f"{self.dir}/{place}", self.dir / f"{file}.h5ad")
        self.peer_python(
            "import anndata, h5py, numpy as np, scipy.sparse as sp\n"
            "def texts(d): return [v.decode() for v in d[:]]\n"
            "def wanted(m):\n"
            "    n = int(m['shape'][1])\n"
            "    return sp.csr_matrix((m['data'][:], m['indices'][:], m['indptr'][:]), shape=(n, int(m['shape'][0])))\n"
            "a, m = anndata.read_h5ad('v2.h5ad'), h5py.File('matrix_v2.h5')['GRCh38']\n"
            "assert a.X.dtype == np.float32 and a.X.format == 'csr' and abs(a.X - wanted(m)).sum() == 0\n"
            "assert list(a.obs_names) == texts(m['barcodes']) and list(a.var_names) == texts(m['gene_names'])\n"
            "assert list(a.var.columns) == ['gene_ids'] and list(a.var.gene_ids) == texts(m['genes'])\n"
            "assert list(a.obs.columns) == []\n"
            "a, m = anndata.read_h5ad('v3.h5ad'), h5py.File('matrix_v3.h5')['matrix']\n"
            "f, v3 = m['features'], a\n"
            "assert a.X.dtype == np.float32 and abs(a.X - wanted(m)).sum() == 0\n"
            "assert list(a.obs_names) == texts(m['barcodes']) and list(a.var_names) == texts(f['name'])\n"
            "assert list(a.var.columns) == ['gene_ids', 'feature_types', 'genome']\n"
            "for name, key in ('gene_ids', 'id'), ('feature_types', 'feature_type'), ('genome', 'genome'):\n"
            "    assert list(a.var[name]) == texts(f[key]), name\n"
            "a, f = anndata.read_h5ad('odd.h5ad'), h5py.File('odd.h5')\n"
            "assert a.X.dtype == np.int32 and (a.X != wanted(f['matrix'])).nnz == 0\n"
            "assert list(a.var.pattern) == texts(f['matrix/features/pattern'])\n"
            "a = anndata.read_h5ad('probes.h5ad')\n"
            "assert list(a.var.gene_ids) == ['g1', 'g1', 'g2', 'g3', 'g4']\n"
            "assert list(a.var.probe_ids) == texts(f['probes/features/id']) and a.var.filtered_probes.dtype == bool\n"
            "a = anndata.read_h5ad('box.h5ad')\n"
            "b = v3[1:, 1:4]\n"
            "assert (a.X != b.X).nnz == 0 and a.var.equals(b.var) and a.obs.equals(b.obs)\n"
            "assert anndata.read_h5ad('none.h5ad').shape == (3, 0)\n"
        )
        for group, says in ("short", "'barcodes' has 2 rows, and the matrix 3"), ("nameless", "no names of its features"):
            self.fails("export", f"{self.dir}/odd.h5:/{group}", self.dir / "n.h5ad", says=says)
        self.assertFalse((self.dir / "n.h5ad").exists())

    def test_numpy_loads_what_is_exported(self):
        places = ["h5py.h5:/img", "h5py.h5:/img[1:4, :, 2]", "h5py.h5:/events/x,n", "h5py.h5:/events/cube,flag",
                  "matlab.mat:/A,ok", "gwosc.hdf5:/strain/Strain", "netcdf.nc:/time,hours", "h5py.h5:/scalar"]  # fmt: skip
        for i, place in enumerate(places):
            self.stoa("export", f"{self.dir}/{place}", self.dir / f"{i}.npy")
        self.write("load.py", LOAD)
        loaded = json.loads(self.peer("python3", "load.py", str(len(places))))
        self.assertEqual([shape for shape, _, _ in loaded], [[5, 4, 3], [3, 4], [11], [11], [11], [64], [6], [1]])
        self.assertEqual([dtype for _, dtype, _ in loaded[:3]], ["<i4", "<i4", "[('x', '<f8'), ('n', '<i2')]"])
        self.assertEqual(loaded[0][2], sum(self.expected["h5py.h5:/img"]["img"], []))
        self.assertEqual(loaded[2][2], [list(pair) for pair in zip(*self.expected["h5py.h5:/events/x,n"].values())])
        strain = self.expected["gwosc.hdf5:/strain/Strain"]
        self.assertEqual([pair[1] for pair in loaded[5][2]], strain["Strain"])
        self.assertEqual(loaded[6][2][1], ["2000-01-01T12:00:00.000000", "1990-01-01T07:00:00"])
        for place, words in {"h5py.h5:/events": "'name' holds string", "netcdf.nc:/level,time": "missing values",
                             "h5py.h5:/events/hits,x": "lists of different lengths"}.items():  # fmt: skip
            said = self.stoa("export", f"{self.dir}/{place}", self.dir / "no.npy", status=3).stderr
            self.assertIn(words, said)
            self.assertFalse((self.dir / "no.npy").exists())
        self.assertIn("into a pipe", self.stoa("query", f"{self.dir}/h5py.h5:/img", "-f", "npy", status=3).stderr)

    def test_arrays_are_described_and_drawn(self):
        said = self.stoa("info", "--scan", f"{self.dir}/h5py.h5:/img").stdout
        for words in "shape        5 x 4 x 3", "type         int32":
            self.assertIn(words, said)
        values = sum(self.expected["h5py.h5:/img"]["img"], [])
        found, = json.loads(self.stoa("info", "--scan", f"{self.dir}/h5py.h5:/img", "-f", "json").stdout)
        self.assertEqual((found["shape"], found["type"], found["kind"]), ([5, 4, 3], "int32", "array"))
        self.assertTrue(math.isclose(found["statistics"][0]["mean"], statistics.mean(values)))
        numbers = said.splitlines()[-1].split()
        self.assertEqual(numbers[:6], ["img", "60", "0", "0", "0.0", "59.0"])
        self.assertTrue(math.isclose(float(numbers[6]), statistics.mean(values)))
        self.assertTrue(math.isclose(float(numbers[7]), statistics.stdev(values)))
        drawn = {
            ("h5py.h5:/img[:, :, 0]",): ("rect", 20), ("h5py.h5:/other/long",): ("line", 30),
            ("nexus.nxs:/entry/data",): ("line", 11), ("h5py.h5:/events", "-c", "x", "--kind", "line"): ("line", 11),
            ("nexus.nxs:/entry/image", "--image"): ("rect", 121), ("h5py.h5:/img[0]", "--rows", "1"): ("line", 3),
            ("nexus.nxs:/entry/data", "-c", "counts_errors", "--x", "counts", "--kind", "line"): ("line", 11),
        }  # fmt: skip
        for (place, *options), (shape, n) in drawn.items():
            self.stoa("plot", f"{self.dir}/{place}", *options, "-o", self.dir / "p.svg")
            picture = (self.dir / "p.svg").read_text()
            with self.subTest(place=place):
                if shape == "line":
                    points = re.search('<polyline[^>]*points="([^"]*)"', picture).group(1)
                    self.assertEqual(len(points.split()), n)
                else:
                    self.assertGreaterEqual(picture.count("<rect"), n)
        said = self.stoa("plot", f"{self.dir}/h5py.h5:/img", status=3).stderr
        self.assertIn("has 3 dimensions, and an image two", said)


if __name__ == "__main__":
    stoa_test.main()
