"""A file that another program cuts short while it is read: one line, status 3."""

import array
import fcntl
import os
import random
import subprocess
import sys
import termios
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

N_ROWS = 500_000  # of four columns: 16 MB, of which a thread holds some 8 MB at a time


class CutShort(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        some = random.Random(1)
        texts = [repr(some.random()) for _ in range(1000)]
        rows = (f"{texts[i % 997]},{texts[i % 991]},{texts[i % 983]},{i / 7}\n" for i in range(N_ROWS))
        csv = self.write("a.csv", "x,y,z,i\n" + "".join(rows))
        self.stoa("import", csv, f"{self.file}:/t", "--codec", "none")

    def wait_until_full(self, process):
        """The reader of the pipe is not there: the command waits for it when the pipe is full."""
        pipe = process.stdout.fileno()
        room = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
        waiting = array.array("i", [0])
        while waiting[0] < room - 4096:
            self.assertIsNone(process.poll())
            self.assertEqual(fcntl.ioctl(pipe, termios.FIONREAD, waiting), 0)
            time.sleep(0.01)

    def test_a_query_that_has_begun_to_answer_says_so(self):
        size = self.file.stat().st_size
        self.assertGreater(size, 4 * 8 * N_ROWS)
        process = subprocess.Popen(
            [stoa_test.STOA, "query", f"{self.file}:/t", "-f", "csv", "--threads", "1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.wait_until_full(process)
        os.truncate(self.file, 100_000)
        answer, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, said)
        self.assertLess(answer.count(b"\n"), N_ROWS)
        self.assertRegex(
            said.decode(), rf"^stoa: {self.file}:/t/[xyzi]: chunk \d+ .*cut off while it was read\n$"
        )


if __name__ == "__main__":
    stoa_test.main()
