"""stoa copy, move, remove and repack; and --safe, which every command that edits a file has."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

CSV = "i,x,w\n" + "".join(f"{i},{i / 8},w{i % 7}\n" for i in range(3000))


class Places(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.csv = self.write("a.csv", CSV)
        self.file, self.other = self.dir / "a.h5", self.dir / "b.h5"
        self.stoa("import", self.csv, f"{self.file}:/t", "--index", "i", "--category", "w",
                  "--row-index", "i", "--units", "x=m", "--chunk", "1024")  # fmt: skip

    def rows(self, place):
        return self.stoa("export", place, "-", "-f", "csv").stdout

    def paths(self, file):
        return [line.split()[0] for line in self.stoa("ls", file).stdout.splitlines()
                if line.startswith("/")]  # fmt: skip

    def assert_whole(self, place):
        self.assertEqual(self.rows(place), self.rows_before)
        self.assertEqual(self.stoa("check", "--indexes", place).stdout, "")

    def is_trusted(self, place):
        return " trusted" in self.stoa("index", "list", place).stdout

    def test_a_table_is_copied_within_a_file_and_into_others(self):
        self.rows_before = self.rows(f"{self.file}:/t")
        done = self.stoa("copy", f"{self.file}:/t", f"{self.file}:/deep/u")
        self.assertIn("copied to", done.stderr)
        self.stoa("copy", f"{self.file}:/t", self.other)
        self.stoa("copy", f"{self.file}:/t", f"{self.other}:/v")
        self.stoa("copy", f"{self.file}:/t", f"{self.dir}/root.h5:/")
        for place in ("a.h5:/t", "a.h5:/deep/u", "b.h5:/t", "b.h5:/v", "root.h5:/"):
            with self.subTest(place=place):
                self.assert_whole(f"{self.dir}/{place}")
                self.assertTrue(self.is_trusted(f"{self.dir}/{place}"))

    def test_trust_is_not_won_by_copying(self):
        self.file.rename(self.dir / "unknown.h5")
        self.stoa("copy", f"{self.dir}/unknown.h5:/t", f"{self.dir}/unknown.h5:/t2",
                  env={"XDG_STATE_HOME": str(self.dir / "state")})  # fmt: skip
        listed = self.stoa("index", "list", f"{self.dir}/unknown.h5:/t2",
                           env={"XDG_STATE_HOME": str(self.dir / "state")})  # fmt: skip
        self.assertIn("not verified", listed.stdout)

    def test_what_is_there_is_not_overwritten(self):
        self.stoa("copy", f"{self.file}:/t", f"{self.file}:/u")
        before = self.file.read_bytes()
        for command in ("copy", "move"):
            self.fails(command, f"{self.file}:/t", f"{self.file}:/u", says="there already")
            self.fails(command, f"{self.file}:/t", f"{self.file}:/t/y", says="§7.6")
            self.fails(command, f"{self.file}:/t", self.file, says="there already")
        self.assertEqual(self.file.read_bytes(), before)

    def test_a_table_is_moved_within_a_file_and_into_another(self):
        self.rows_before = self.rows(f"{self.file}:/t")
        self.stoa("move", f"{self.file}:/t", f"{self.file}:/old/t")
        self.assertEqual(self.paths(self.file), ["/old/t"])
        self.assert_whole(f"{self.file}:/old/t")
        self.assertTrue(self.is_trusted(f"{self.file}:/old/t"))
        self.stoa("move", self.file, f"{self.other}:/t")
        self.assertEqual(self.paths(self.file), [])
        self.assert_whole(f"{self.other}:/t")
        self.assertTrue(self.is_trusted(f"{self.other}:/t"))

    def test_a_table_is_removed_and_its_space_given_back(self):
        self.rows_before = self.rows(f"{self.file}:/t")
        size = self.file.stat().st_size
        self.stoa("copy", f"{self.file}:/t", f"{self.file}:/u")
        self.stoa("remove", f"{self.file}:/u")
        self.assertEqual(self.paths(self.file), ["/t"])
        done = self.stoa("repack", self.file)
        self.assertIn(f" {self.file.stat().st_size} bytes, ", done.stderr)
        self.assertLessEqual(self.file.stat().st_size, size)
        self.assert_whole(f"{self.file}:/t")
        self.assertTrue(self.is_trusted(f"{self.file}:/t"))
        self.fails("remove", self.file, status=2, says="which table")
        self.fails("remove", f"{self.file}:/u", says="no such object")

    def test_a_file_is_repacked_into_a_new_one(self):
        self.rows_before = self.rows(f"{self.file}:/t")
        before = self.file.read_bytes()
        self.stoa("repack", self.file, self.other)
        self.assertEqual(self.file.read_bytes(), before)
        self.assert_whole(f"{self.other}:/t")
        self.hdf5("h5diff", self.file, self.other)
        self.fails("repack", self.file, self.other, says="exists already")
        self.fails("repack", f"{self.file}:/t", self.other, status=2, says="where it is")

    def test_a_table_gives_up_its_reserved_rows(self):
        self.stoa("import", self.csv, f"{self.file}:/r", "--preallocate", "100000", "--codec",
                  "none")  # fmt: skip
        self.rows_before = self.rows(f"{self.file}:/r")
        self.stoa("repack", f"{self.file}:/r")
        self.assertIn("( 3000 )", self.hdf5("h5dump", "-H", "-d", "/r/i", self.file))
        self.assert_whole(f"{self.file}:/r")

    def test_every_edit_can_be_made_on_a_copy(self):
        more = self.write("more.csv", "i,x,w\n9000,1,new\n")
        edits = [
            ("append", more, f"{self.file}:/t"),
            ("index", "add", f"{self.file}:/t", "x"),
            ("index", "drop", f"{self.file}:/t", "x"),
            ("update", f"{self.file}:/t", "-w", "i = 5", "--set", "x=7"),
            ("delete", f"{self.file}:/t", "-w", "i = 6"),
            ("truncate", f"{self.file}:/t", "2000"),
            ("preallocate", f"{self.file}:/t", "5000"),
            ("repack", f"{self.file}:/t"),
            ("import", self.csv, f"{self.file}:/second"),
            ("copy", f"{self.file}:/t", f"{self.file}:/third"),
            ("move", f"{self.file}:/third", f"{self.file}:/fourth"),
            ("remove", f"{self.file}:/second"),
        ]
        os.chmod(self.file, 0o640)  # its ctime is another: the indexes are to be verified anew
        self.stoa("index", "verify", f"{self.file}:/t")
        for edit in edits:
            with self.subTest(edit=edit[:2]):
                old = self.file.stat().st_ino
                held = open(self.file, "rb")  # so that its number is not given to another file
                before = held.read()
                self.stoa(*edit, "--safe")
                held.seek(0)
                self.assertEqual(held.read(), before, "the old file was written to")
                held.close()
                self.assertNotEqual(self.file.stat().st_ino, old)
                self.assertEqual(self.file.stat().st_mode & 0o7777, 0o640)
                self.assertEqual(self.stoa("check", "--indexes", self.file).stdout, "")
                self.assertTrue(self.is_trusted(f"{self.file}:/t"))
        self.assertEqual(self.paths(self.file), ["/fourth", "/t"])
        self.assertEqual(sorted(os.listdir(self.dir)), ["a.csv", "a.h5", "more.csv"])

    def test_a_safe_edit_that_fails_leaves_nothing(self):
        before = self.file.read_bytes()
        self.fails("copy", f"{self.file}:/t", f"{self.file}:/t", "--safe", says="there already")
        self.assertEqual(self.file.read_bytes(), before)
        self.assertEqual(sorted(os.listdir(self.dir)), ["a.csv", "a.h5"])


if __name__ == "__main__":
    stoa_test.main()
