"""Thousands of anything: memory grows with their number, not with its square."""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test


class Many(stoa_test.TestCase):
    def peak(self, *words):
        """MiB that a command had in memory at most, and its status."""
        process = subprocess.Popen([stoa_test.STOA, *map(str, words)], cwd=self.dir,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return used.ru_maxrss >> 10, process.returncode

    def test_a_list_of_texts_is_not_kept_once_for_each_of_them(self):
        """As `convert` keeps the paths of all tables of a file: 800 MB here, 6 GB of 20,000."""
        peak, status = self.peak("info", *["none.h5"] * 12000)
        self.assertEqual(status, 3)
        self.assertLess(peak, 400)


if __name__ == "__main__":
    stoa_test.main()
