"""Files that an h5py program is writing in SWMR mode are read meanwhile, by libhdf5's SWMR mode."""

import os
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase


class Swmr(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "s.h5"
        self.place = f"{self.file}:/t"
        self.writer = subprocess.Popen(
            self.peer_command("python3", "swmr.py", "s.h5"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.addCleanup(self.end)
        self.assertEqual(self.writer.stdout.readline(), "0\n")

    def end(self):
        if not self.writer.stdin.closed:
            self.writer.stdin.close()
        self.writer.wait(60)
        self.writer.stdout.close()

    def append(self, n):
        self.writer.stdin.write(f"{n}\n")
        self.writer.stdin.flush()
        return int(self.writer.stdout.readline())

    def rows(self):
        return self.stoa("query", self.place, "-f", "csv", "-c", "i,x,w").stdout.splitlines()[1:]

    def expected(self, n):
        return [f"{i},{i / 4},{'odd' if i % 2 else 'even'}" for i in range(n)]

    def test_what_was_flushed_is_read_while_the_writer_runs(self):
        self.assertEqual(self.rows(), [])
        for n in (1, 99, 1, 1000, 5):
            total = self.append(n)
            self.assertEqual(self.rows(), self.expected(total))
        self.assertIn("/t", self.stoa("ls", self.file).stdout)
        self.assertRegex(self.stoa("info", self.place).stdout, r"rows +1106\n")
        self.assertEqual(
            self.stoa("query", self.place, "-w", "i >= 1100 and w = 'odd'", "-c", "i", "-f", "csv").stdout,
            "i\n1101\n1103\n1105\n",
        )  # fmt: skip

    def test_readers_beside_a_busy_writer_see_whole_rows(self):
        seen = set()
        done = threading.Event()

        def write():
            for _ in range(stoa_test.effort(100)):
                self.append(37)
            done.set()

        writing = threading.Thread(target=write)
        writing.start()
        while not done.is_set():
            rows = self.rows()
            self.assertEqual(rows, self.expected(len(rows)))
            seen.add(len(rows))
        writing.join()
        self.assertEqual(len(self.rows()), 37 * stoa_test.effort(100))
        self.assertTrue(seen)

    def test_edits_are_refused_meanwhile_and_not_afterwards(self):
        self.append(10)
        self.fails("delete", self.place, "--where", "i = 3", says=["is marked as open for writing"])
        self.end()
        self.assertEqual(self.rows(), self.expected(10))
        self.stoa("delete", self.place, "--where", "i = 3")
        self.assertEqual(len(self.rows()), 9)

    def test_what_a_killed_writer_flushed_is_read(self):
        self.append(10)
        self.writer.stdin.write("die\n")
        self.writer.stdin.close()
        self.writer.wait(60)
        self.assertEqual(self.rows(), self.expected(10))
        self.fails("delete", self.place, "--where", "i = 3", says=["h5clear -s"])


if __name__ == "__main__":
    stoa_test.main()
