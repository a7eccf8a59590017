"""HDF5 files that declare no layout: each table and array in them has the values that h5py, xarray and NumPy have."""

import json
import math
import os
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
    "matrix_v2.h5": "/GRCh38 9, /GRCh38/barcodes 3, /GRCh38/gene_names 5, /GRCh38/genes 5, /GRCh38/indptr 4,"
    " /GRCh38/shape 2",
    "matrix_v3.h5": "/matrix 9, /matrix/features 5, /matrix/barcodes 3, /matrix/features/_all_tag_keys 1,"
    " /matrix/indptr 4, /matrix/shape 2",
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


if __name__ == "__main__":
    stoa_test.main()
