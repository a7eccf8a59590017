"""LH5 files read as what was written (docs/layouts/lh5.md)."""

import hashlib
import json
import os
import shutil
import struct
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

EFFORT = float(os.environ.get("STOA_EFFORT", "1"))
SEED = os.environ.get("STOA_SEED", "1")


class Lh5(PeerTestCase):
    def setUp(self):
        super().setUp()
        n_trees = max(1, int(40 * EFFORT))
        self.peer("python3", "lh5_made.py", SEED, str(n_trees))
        self.made = json.loads((self.dir / "lh5.json").read_text("utf-8"))

    def test_every_value_of_every_object_is_there(self):
        for file, objects in self.made.items():
            for path, columns in objects.items():
                with self.subTest(file=file, path=path):
                    self.check_object(f"{self.dir}/{file}:{path}", columns)

    def test_functions_of_lists_say_what_python_says(self):
        table = self.made["new.lh5"]["/all"]
        n_asked = 0
        for name, lists in table.items():
            items = [item for value in lists if isinstance(value, list) for item in value]
            if not items or not all(type(item) is int for item in items):
                continue
            middle = sorted(items)[len(items) // 2]
            asked = {
                f'length("{name}")': [len(v) for v in lists],
                f'max("{name}")': [max(v) if v else None for v in lists],
                f'"{name}"[-1]': [v[-1] if v else None for v in lists],
                f'any("{name}" > {middle})': [any(x > middle for x in v) for v in lists],
            }
            place = f"{self.dir}/new.lh5:/all"
            said = self.stoa("query", place, "-c", ", ".join(asked), "-f", "jsonl").stdout
            rows = [list(json.loads(line).values()) for line in said.splitlines()]
            self.assertEqual(rows, [list(row) for row in zip(*asked.values(), strict=True)], name)
            said = self.stoa("query", place, "-a", f'count(), max(min("{name}"))',
                             "-w", f'length("{name}") > 0', "-f", "jsonl").stdout  # fmt: skip
            least = [min(v) for v in lists if v]
            self.assertEqual(list(json.loads(said).values()), [len(least), max(least)], name)
            n_asked += 1
        self.assertGreater(n_asked, 2)

    def test_several_files_are_one_table(self):
        for k in range(3):
            shutil.copy(self.dir / "new.lh5", self.dir / f"run{k}.lh5")
        columns = {name: 3 * values for name, values in self.made["new.lh5"]["/all"].items()}
        self.check_object(f"{self.dir}/run[0-2].lh5:/all", columns)

    def test_libhdf5_reads_the_same(self):
        self.check_object(f"{self.dir}/new.lh5:/all", self.made["new.lh5"]["/all"],
                          env={"STOA_SLOW": "1"})  # fmt: skip

    def test_scalar_code_decodes_the_same(self):
        for simd in ("scalar", "avx2"):
            self.check_object(f"{self.dir}/new.lh5:/all", self.made["new.lh5"]["/all"],
                              env={"STOA_SIMD": simd})  # fmt: skip

    def test_ls_lists_what_was_written(self):
        for file, objects in self.made.items():
            said = self.stoa("ls", f"{self.dir}/{file}").stdout.splitlines()[2:]
            listed = {line.split()[0]: line.split() for line in said}
            self.assertEqual(sorted(listed), sorted(objects), file)
            for path, columns in objects.items():
                self.assertEqual(int(listed[path][3]), len(next(iter(columns.values()))), path)
                self.assertEqual(int(listed[path][4]), len(columns), path)

    def test_units_and_descriptions_are_shown(self):
        said = self.stoa("info", f"{self.dir}/new.lh5:/all").stdout
        for line in said.split("\n\n")[1].splitlines():
            if line.startswith("deep.er.still"):
                self.assertRegex(line, r" s +of no use$")
            if line.startswith("radware.t0"):
                self.assertRegex(line, r" ns$")
            if line.startswith("v2 "):
                self.assertRegex(line, r" keV$")


class Real(stoa_test.TestCase):
    """The experiment's own files, where $STOA_LH5_DATA says that they are."""

    FILE = "l200-p14-r004-cal-20250606T010224Z-tier_raw-2ch.lh5"
    WAVES = {
        "/ch1107202/raw:waveform_windowed.values": (
            2, 1400, 48230412, "530688eeee8c13e0e3cb2294e6bba443cb009c5af284a1200a401cb74d301589"),
        "/ch1107202/raw:waveform_presummed.values": (
            2, 781, 206754622, "537f6e50e75d8ce3a32f75db1afab966f8f3867cc9020111a8926174c586fba6"),
        "/ch1113600/raw:waveform_windowed.values": (
            1, 1400, 24795118, "ab7a38bfe72e289d7403d1d92d44402cd391b5808506b7a6848c79343f4abc0f"),
        "/ch1113600/raw:waveform_presummed.values": (
            1, 781, 105515008, "705a0e780efee04fb21e638f75c10ded128c6dabe36c1862beebfdecba1abf95"),
    }  # fmt: skip

    def setUp(self):
        super().setUp()
        self.data = os.environ.get("STOA_LH5_DATA")
        if not self.data:
            self.skipTest("STOA_LH5_DATA does not say where the experiment's files are")

    def test_waveforms_are_those_that_others_decoded(self):
        for place, (n, length, total, digest) in self.WAVES.items():
            path, column = place.split(":")
            said = self.stoa("query", f"{self.data}/{self.FILE}:{path}", "-c", column, "-f", "json")
            rows = [next(iter(row.values())) for row in json.loads(said.stdout)]
            self.assertEqual([len(row) for row in rows], [length] * n)
            samples = [sample for row in rows for sample in row]
            self.assertEqual(sum(samples), total)
            packed = struct.pack(f"<{len(samples)}i", *samples)
            self.assertEqual(hashlib.sha256(packed).hexdigest(), digest)

    def test_every_object_can_be_listed_and_exported(self):
        for file in sorted(Path(self.data).glob("*.lh5")):
            for line in self.stoa("ls", str(file)).stdout.splitlines()[2:]:
                place = f"{file}:{line.split()[0]}"
                self.stoa("info", place)
                self.stoa("export", place, f"{self.dir}/out.jsonl")


if __name__ == "__main__":
    stoa_test.main()
