"""LH5 files that lie (tests/interop/peer/bad_lh5.py says how).

Every command reads the object in spite of it, or says in one line what is wrong and ends with 3; none
crashes, hangs, or takes memory without bound.
"""

import json
import os
import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

PEERS = stoa_test.SOURCE / "tests/interop/peer"
MAX_KIB = 1 << (22 if os.environ.get("STOA_SANITIZE") else 20)  # which has memory of its own


class BadLh5(stoa_test.SharedPeersTestCase):
    @classmethod
    def make(cls, shared):
        for name in ("bad_lh5.py", "lh5_look.py", "lh5_codecs.py"):
            shared.put(PEERS / name)
        shared.peer("python3", "bad_lh5.py")
        cls.bad = json.loads((shared.dir / "bad.json").read_text("utf-8"))
        cls.files = shared.dir

    def assert_is_one_line(self, done, place):
        """One line for the object, or for each column that cannot be read."""
        self.assertRegex(done.stderr, r"\A(?:[^\n]+: left out: [^\n]+\n)+(?:out[^\n]+\n)?\Z" if done.returncode == 1
                         else r"\A(?:stoa: [^\n]+\n)+\Z")
        self.assertLess(max(map(len, done.stderr.splitlines())), 1500)
        self.assertTrue(done.stderr.replace("\n", "").isprintable(), ascii(done.stderr))
        self.assertNotIn("out of memory", done.stderr)
        self.assertIn(place, done.stderr)

    def run_on(self, place, case, *arguments):
        done = self.stoa(*arguments, status=None, cwd=self.dir)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        if done.returncode != 0:
            self.assert_is_one_line(done, place)
        return done

    def check(self, name, case):
        file = f"{self.files}/{name}.lh5"
        place = f"{file}:/x"
        self.stoa("ls", file)
        self.stoa("ls", "--tree", file)
        self.run_on(place, case, "info", place)
        self.run_on(place, case, "plot", place)
        for arguments in (("query", place, "-f", "csv"), ("export", place, "out.csv"),
                          ("convert", "--to", "hep001", place, "out.h5:/t")):  # fmt: skip
            done = self.run_on(place, case, *arguments)
            if case["works"] is not None:
                self.assertEqual(done.returncode, 0 if case["works"] else done.returncode or 3, (arguments, done.stderr))
            if done.returncode != 0:
                for words in case["says"]:
                    self.assertIn(words, done.stderr)
            for path in self.dir.iterdir():
                path.unlink()
        self.check_whole(file, case)

    def check_whole(self, file, case):
        """All of the file, for which what no table holds is looked at, too."""
        for options in ([], ["--keep-rest", "--no-flatten"]):
            done = self.run_on(file, case, "convert", "--to", "hep001", file, "out.h5", *options)
            left = sorted(path.name for path in self.dir.iterdir())
            self.assertEqual(left, ["out.h5"] if done.returncode == 0 else [])
            for path in self.dir.iterdir():
                path.unlink()

    def check_all(self, *beginnings):
        cases = {name: case for name, case in self.bad.items() if name.startswith(beginnings)}
        self.assertGreater(len(cases), 0)
        for name, case in cases.items():
            with self.subTest(name):
                self.check(name, case)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, MAX_KIB)

    def test_types_that_are_others(self):
        self.check_all("dataset", "group", "holds")

    def test_attributes_that_are_no_types(self):
        self.check_all("attribute")

    def test_vectors_that_lie_elsewhere(self):
        self.check_all("vectors")

    def test_streams_that_are_damaged(self):
        self.check_all("radw", "uleb", "codec", "shift")

    def test_histograms_without_bins(self):
        self.check_all("histogram")

    def test_a_table_of_any_number_of_tables_is_refused(self):
        place = f"{self.files}/table_doubling.lh5:/x"
        self.fails("convert", place, f"{self.dir}/out.h5:/x", "--to", "hep001", "--no-flatten",
                   says="16384 in all")  # fmt: skip

    def test_all_of_a_file_is_refused_before_its_first_table_is_written(self):
        self.fails("convert", f"{self.files}/table_doubling.lh5", f"{self.dir}/out.h5", "--to",
                   "hep001", says="it has more than 1024 columns, of tables that are in it again and again")
        self.assertEqual(list(self.dir.iterdir()), [])

    def test_tables_that_are_none(self):
        self.check_all("table", "struct")

    def test_an_attribute_that_cannot_be_read_stays_behind_and_is_told_of(self):
        file = f"{self.files}/unread.lh5"
        for i, (place, layout) in enumerate(
            ((file, "lh5"), (file, "hep001"), (f"{file}:/x", "lh5"), (f"{file}:/x", "hep001"))
        ):
            with self.subTest(place=place, layout=layout):
                out = f"out{i}.h5"
                target = out if place == file else f"{out}:/x"
                done = self.stoa("convert", "--to", layout, place, target, cwd=self.dir)
                *remarks, _ = done.stderr.splitlines()
                told = [line.split(" that stays behind, since it cannot be read: ")[0] for line in remarks]
                self.assertEqual(sorted(told), sorted(
                    f"{file}:{path} has an attribute '{name}'"
                    for path in ("/x", "/x/a") for name in ("refs", "codes")
                ))  # fmt: skip
                shown = self.hdf5("h5dump", "-A", self.dir / out)
                self.assertEqual(shown.count('ATTRIBUTE "whole"'), 2)
                for name in ("refs", "codes"):
                    self.assertNotIn(f'ATTRIBUTE "{name}"', shown)


if __name__ == "__main__":
    stoa_test.main()
