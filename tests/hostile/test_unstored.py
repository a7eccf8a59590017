"""Rows that were never written cost neither a chunk's memory nor the time to read them: files of a few
KiB that claim 3.6 GB, or 2^62 rows (files/unstored.md)."""

import contextlib
import os
import resource
import sys
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

DATA = Path(__file__).resolve().parent / "files"
WIDE = f"{DATA}/wide_unallocated.h5:/t"
LISTS = f"{DATA}/lists_in_chunks_of_one.h5:/a"
ROWS = f"{DATA}/rows_of_2_to_62.h5"
TABLES = ("t", "z", "pt", "h5tb", "lh5", "cont")
TOO_MANY = "hardly any was ever written"


@contextlib.contextmanager
def addresses(n):
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (n, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


class Wide(stoa_test.TestCase):
    """3.6 GB in one chunk that is not stored; its rows are read in 1 GiB of addresses."""

    @unittest.skipIf(os.environ.get("STOA_SANITIZE"), "the sanitizer takes up terabytes of addresses")
    def test_a_chunk_that_is_not_stored_costs_no_memory(self):
        with addresses(1 << 30):
            self.stoa("info", WIDE)
            said = self.stoa("query", WIDE, "-f", "csv").stdout.split()
            self.assertEqual(said, ["a", *['""'] * 60000])
            self.stoa("query", WIDE, "-w", "a = 'x'")
            self.stoa("export", WIDE, self.dir / "a.arrow")
            self.stoa("convert", WIDE, self.dir / "a.h5", "--to", "pytables")
            self.stoa("diff", f"{WIDE}/a", f"{WIDE}/a")

    @unittest.skipIf(os.environ.get("STOA_SANITIZE"), "the sanitizer takes up terabytes of addresses")
    def test_nor_do_many_of_them(self):
        with addresses(400 << 20):
            said = self.stoa("query", LISTS, "-w", "length(a) > 0", "-f", "csv").stdout
            self.assertEqual(said, "a\n")

    def test_it_is_not_written_as_long(self):
        file = self.dir / "edited.h5"
        before = Path(WIDE[:-3]).read_bytes()
        file.write_bytes(before)
        for command in (
            ("column", "storage", f"{file}:/t", "a", "--codec", "zstd"),
            ("column", "storage", f"{file}:/t", "a", "--chunk", "100"),
            ("column", "categories", f"{file}:/t", "a"),
            ("update", f"{file}:/t", "-w", "a = ''", "--set", "a='x'"),
            ("append", self.write("a.csv", "a\nx\n"), f"{file}:/t"),
        ):
            with self.subTest(command):
                self.fails(*command, says="60000 rows of 60000 bytes are a chunk")
                self.assertEqual(file.read_bytes(), before)
        self.stoa("convert", f"{file}:/t", self.dir / "new.h5:/t", "--to", "hep001")
        self.stoa("column", "categories", self.dir / "new.h5:/t", "a")


class Rows(stoa_test.TestCase):
    """2^62 rows: answered, or refused, before a test would be ended for its time."""

    def test_what_needs_few_rows_is_answered(self):
        self.assertIn("4611686018427387904", self.stoa("ls", ROWS).stdout)
        self.stoa("stat", ROWS)
        self.assertIn(self.run_check(), (0, 1))
        for table in TABLES:
            with self.subTest(table):
                self.stoa("info", f"{ROWS}:/{table}")
                said = self.stoa("query", f"{ROWS}:/{table}", "-n", "3", "-f", "csv").stdout
                self.assertEqual(len(said.splitlines()), 4)
                self.stoa("query", f"{ROWS}:/{table}", "-a", "count()")

    def run_check(self):
        return stoa_test.run(stoa_test.STOA, "check", ROWS).returncode

    def test_what_needs_all_rows_is_refused(self):
        for table in TABLES:
            place = f"{ROWS}:/{table}"
            column = "x" if table in ("pt", "h5tb") else "a"
            for command in (
                ("query", place, "-w", f"{column} > 5"),
                ("query", place, "-a", f"sum({column})"),
                ("query", place, "--sort", f"{column}:desc", "-n", "3"),
                ("query", place, "-a", "count()", "--by", column),
                ("export", place, self.dir / "rows.arrow"),
                ("export", place, self.dir / "rows.csv"),
                ("convert", place, self.dir / "rows.h5", "--to", "hep001"),
                ("convert", place, self.dir / "rows.h5", "--to", "pytables"),
            ):
                with self.subTest(table=table, command=command):
                    self.fails(*command, says=TOO_MANY)
                    self.assertEqual(list(self.dir.glob("rows*")), [])

    def test_edits_of_all_rows_are_refused_and_the_file_stays(self):
        file = self.dir / "edited.h5"
        before = Path(ROWS).read_bytes()
        file.write_bytes(before)
        for table, column in (("t", "a"), ("cont", "a")):
            place = f"{file}:/{table}"
            for command in (
                ("update", place, "--all", "--set", f"{column}=1"),
                ("update", place, "-w", f"{column} > 5", "--set", f"{column}=1"),
                ("delete", place, "-w", f"{column} > 5"),
                ("column", "storage", place, column, "--codec", "zstd"),
                ("column", "add", place, "--set", f"c={column}+1"),
                ("index", "add", place, column),
                ("index", "add", place, column, "--kind", "sorted"),
            ):
                with self.subTest(table=table, command=command):
                    self.fails(*command, says="hardly any was ever written")
                    self.assertEqual(file.read_bytes(), before)
        self.stoa("truncate", f"{file}:/t", "10")
        self.stoa("update", f"{file}:/t", "--all", "--set", "a=1")

    def test_a_search_that_a_limit_may_end_is_given_up(self):
        self.stoa("query", f"{ROWS}:/pt", "-w", "x < 5", "-n", "3")
        self.fails("query", f"{ROWS}:/pt", "-w", "x > 5", "-n", "3", says=TOO_MANY)

    def test_arrays_are_not_spelled_out(self):
        for layout in ("d1:SPARSECHUNK=1024", "d2:SPARSECHUNK=32x32", "d1:CHUNK=1024"):
            for exclude in ((), ("--exclude", "0")) if "SPARSE" in layout else ((),):
                with self.subTest(layout=layout, exclude=exclude):
                    self.fails("repack", "-l", layout, *exclude, ROWS, self.dir / "rows.h5",
                               says=TOO_MANY)  # fmt: skip
                    self.assertEqual(list(self.dir.glob("rows*")), [])

    def test_datasets_are_compared_and_copied(self):
        for path in ("/t/a", "/z/b", "/pt", "/cont/a", "/d1", "/d2"):
            self.stoa("diff", f"{ROWS}:{path}", f"{ROWS}:{path}")
        self.assertIn("differ", self.stoa("diff", f"{ROWS}:/t/a", f"{ROWS}:/t/b", status=1).stdout)
        self.stoa("copy", f"{ROWS}:/t", f"{self.dir}/copy.h5:/t")
        self.stoa("repack", ROWS, self.dir / "again.h5")
        self.stoa("diff", ROWS, self.dir / "again.h5")


if __name__ == "__main__":
    stoa_test.main()
