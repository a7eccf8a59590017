"""Commands and other programs that use one file (docs/crash-safety.md, "Locks")."""

import fcntl
import os
import struct
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test


class Sharing(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.rows = self.write("rows.csv", "a,b\n1,2\n3,4\n")
        self.file = self.dir / "a.h5"
        self.stoa("import", self.rows, f"{self.file}:/t")

    def n_rows(self):
        return self.stoa("query", f"{self.file}:/t", "-a", "count()", "-f", "csv").stdout.split()[1]

    def hold(self, how):
        """Lock the file as a program of HDF5 does."""
        held = open(self.file)
        self.addCleanup(held.close)
        fcntl.flock(held, how | fcntl.LOCK_NB)
        return held

    def test_an_edit_that_need_not_wait_names_the_reader_and_changes_nothing(self):
        before = self.file.read_bytes()
        self.hold(fcntl.LOCK_SH)
        self.fails(
            "append", self.rows, f"{self.file}:/t", "--no-wait",
            says=("is being used by another program", f"process {os.getpid()} (", "--safe"),
        )  # fmt: skip
        self.assertEqual(self.file.read_bytes(), before)
        self.assertEqual(self.n_rows(), "2")

    def test_an_edit_on_a_copy_does_not_wait(self):
        self.hold(fcntl.LOCK_SH)
        self.stoa("append", self.rows, f"{self.file}:/t", "--no-wait", "--safe")
        self.assertEqual(self.n_rows(), "4")

    @unittest.skipUnless(hasattr(fcntl, "F_OFD_SETLK"), "this Python has no such locks")
    def test_a_comparison_of_indexes_waits_for_an_edit_that_is_prepared(self):
        self.stoa("index", "add", f"{self.file}:/t", "a")
        with open(self.file, "r+b") as edited:  # as a writer of Stoa holds it before the commit
            lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 1 << 62, 1, 0)
            fcntl.fcntl(edited, fcntl.F_OFD_SETLK, lock)
            self.assertEqual(self.n_rows(), "2")
            self.fails("index", "verify", f"{self.file}:/t", "--no-wait",
                       says="is being used by another program")  # fmt: skip
            timer = threading.Timer(0.5, edited.close)
            timer.start()
            done = self.stoa("index", "verify", f"{self.file}:/t")
            timer.join()
        self.assertIn("queries use its indexes from now on", done.stderr)

    def test_repack_does_not_wait(self):
        self.hold(fcntl.LOCK_SH)
        self.stoa("repack", self.file, "--no-wait")
        self.assertEqual(self.n_rows(), "2")

    def test_an_edit_waits_and_says_so_once(self):
        held = self.hold(fcntl.LOCK_SH)
        timer = threading.Timer(2, held.close)
        timer.start()
        done = self.stoa("append", self.rows, f"{self.file}:/t", "--wait", "60")
        timer.join()
        self.assertEqual(done.stderr.count("waits for another program"), 1)
        self.assertEqual(self.n_rows(), "4")

    def test_a_reader_waits_for_a_writer_of_hdf5_or_does_not(self):
        held = self.hold(fcntl.LOCK_EX)
        self.fails("query", f"{self.file}:/t", "--no-wait", says=("is being used by",))
        timer = threading.Timer(0.3, held.close)
        timer.start()
        self.assertEqual(self.n_rows(), "2")
        timer.join()

    def test_ctrl_c_ends_a_wait(self):
        held = self.hold(fcntl.LOCK_SH)
        process = subprocess.Popen(
            [stoa_test.STOA, "append", self.rows, f"{self.file}:/t"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.assertIn("waits for", process.stderr.readline())
        process.terminate()
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143, said)
        held.close()
        self.assertEqual(self.n_rows(), "2")


if __name__ == "__main__":
    stoa_test.main()
