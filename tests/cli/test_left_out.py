"""Tables that hold what Stoa does not know: reading says what it leaves out, editing is refused.

The table is h5col's (tests/support/h5col/README.md), but the CLASS of its list column is of no standard.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

SAYS = "left out, since Stoa does not know it: 'hits' (group)"


class LeftOut(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "lists.h5"
        content = (stoa_test.SOURCE / "tests/support/h5col/lists.h5").read_bytes()
        self.assertEqual(content.count(b"LIST_COLUMN"), 1)
        self.file.write_bytes(content.replace(b"LIST_COLUMN", b"LOST_COLUMN"))
        self.place = f"{self.file}:/t"
        self.csv = self.write("more.csv", "event\n9\n10\n")

    def says_once(self, *arguments, says=SAYS, **options):
        lines = self.stoa(*arguments, **options).stderr.splitlines()
        self.assertEqual([1 for line in lines if says in line], [1], lines)
        self.assertIn(str(self.file), "".join(line for line in lines if says in line))

    def test_whatever_reads_names_what_it_leaves_out_in_one_line(self):
        for command in (
            ("ls", self.file),
            ("info", self.place),
            ("query", self.place, "-f", "csv"),
            ("query", self.file, "-a", "count()"),
            ("export", self.place, self.dir / "out.csv"),
            ("attr", self.place),
            ("index", "list", self.place),
            ("index", "verify", self.place),
            ("import", self.place, f"{self.dir / 'in.h5'}:/t"),
            ("convert", self.file, self.dir / "whole.h5", "--to", "pandas-table"),
            ("convert", self.place, f"{self.dir / 'one.h5'}:/t", "--to", "pytables"),
            ("convert", self.place, f"{self.file}:/frame", "--to", "pandas-table"),
        ):
            with self.subTest(command=command[0]):
                self.says_once(*command)

    def test_check_names_what_it_does_not_look_into(self):
        self.says_once(
            "check", self.file, says="left out, since Stoa does not know it: /t/hits", status=1
        )

    def test_what_an_appended_table_leaves_out_is_named(self):
        target = f"{self.dir / 'target.h5'}:/t"
        self.stoa("import", self.csv, target, "--type", "event=uint64")
        self.says_once("append", self.place, target)

    def test_every_edit_is_refused_by_name_and_changes_nothing(self):
        before = self.file.read_bytes()
        for safe in ((), ("--safe",)):
            for command in (
                ("append", self.csv, self.place),
                ("update", self.place, "-w", "event = 1", "--set", "event=2"),
                ("delete", self.place, "-w", "event = 1"),
                ("truncate", self.place, "3"),
                ("preallocate", self.place, "100"),
                ("column", "add", self.place, "--set", "twice=event * 2"),
                ("column", "drop", self.place, "event"),
                ("column", "rename", self.place, "event", "number"),
                ("column", "order", self.place, "event"),
                ("column", "storage", self.place, "event", "--codec", "zstd"),
                ("column", "row-index", self.place, "event"),
                ("index", "add", self.place, "event"),
                ("attr", self.place, "TITLE=another"),
                ("repack", self.place),
            ):
                with self.subTest(command=command, safe=safe):
                    self.fails(*command, *safe, says=("'hits' (group)", "does not know"))
                    self.assertEqual(self.file.read_bytes(), before)

    def test_a_table_that_goes_as_a_whole_takes_it_along(self):
        other = self.dir / "other.h5"
        self.assertNotIn("left out", self.stoa("copy", self.place, f"{other}:/c").stderr)
        self.assertNotIn("left out", self.stoa("copy", f"{other}:/c", f"{other}:/d").stderr)
        self.assertNotIn("left out", self.stoa("move", f"{other}:/d", f"{other}:/e").stderr)
        self.stoa("repack", other)
        self.hdf5("h5diff", self.file, other, "/t", "/c")
        self.hdf5("h5diff", self.file, other, "/t", "/e")
        self.stoa("remove", f"{other}:/e")

    def test_an_import_may_replace_it(self):
        self.stoa("import", self.csv, self.place, "--force")
        self.assertNotIn("left out", self.stoa("query", self.place).stderr)


if __name__ == "__main__":
    stoa_test.main()
