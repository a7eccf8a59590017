"""`stoa import` killed (SIGKILL) at random moments: a new file is whole or not there, and the
tables of a file that was there are untouched."""

import os
import shutil
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import kills
import stoa_test


def rows(n):
    return "i,x,w\n" + "".join(f"{i},{i * 7919 % 65521 / 8},w{i * 31 % 97}\n" for i in range(n))


FIRST, SECOND = rows(3000), rows(8000)


class KillImport(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.before, self.file = self.dir / "before.h5", self.dir / "a.h5"
        self.stoa("import", self.write("first.csv", FIRST), f"{self.before}:/first", "--index", "i")
        self.second = self.write("second.csv", SECOND)
        self.names = set(os.listdir(self.dir))
        self.command = [stoa_test.STOA, "import", self.second, f"{self.file}:/second"]
        self.command += ["--index", "i", "--chunk", "1024"]

    def export(self, table):
        return self.stoa("export", f"{self.file}:/{table}", "-", "-f", "csv").stdout

    def moments(self, again):
        """Seconds to let the command run: none at first, which is surely too short, then half of
        them all over it, half near its end."""
        random = stoa_test.rng()
        whole = kills.whole_time(self.command, again)
        yield 0
        for k in range(stoa_test.effort(100)):
            yield random.uniform(0, whole) if k % 2 else random.uniform(0.7, 1.05) * whole

    def test_a_new_file_is_whole_or_not_there(self):
        seen = Counter()

        def again():
            for name in set(os.listdir(self.dir)) - self.names:
                os.unlink(self.dir / name)

        for moment in self.moments(again):
            was_killed = kills.kill_after(self.command, moment)
            left = set(os.listdir(self.dir)) - self.names
            if self.file.name in left:
                self.assertEqual(self.export("second"), SECOND)
                self.assertEqual(self.stoa("check", "--indexes", self.file).stdout, "")
                seen["whole"] += was_killed
            else:
                self.assertTrue(was_killed, "import ended and there is no file")
                seen["not there"] += 1
            if kills.leaves_nothing(self.dir):
                self.assertLessEqual(left, {self.file.name})
            again()
        print(f"a new file: {dict(seen)}")
        self.assertGreater(seen["not there"], 0)

    def test_the_other_table_of_a_file_is_untouched(self):
        seen = Counter()

        def again():
            shutil.copyfile(self.before, self.file)

        again()
        for moment in self.moments(again):
            was_killed = kills.kill_after(self.command, moment)
            self.assertEqual(self.export("first"), FIRST)
            self.assertEqual(self.stoa("check", "--indexes", self.file).stdout, "")
            listed = self.stoa("ls", self.file).stdout
            if "/second" in listed:
                self.assertEqual(self.export("second"), SECOND)
                seen["with the second table"] += was_killed
            else:
                self.assertTrue(was_killed, "import ended and there is no table")
                seen["as before"] += 1
            self.assertEqual(set(os.listdir(self.dir)), self.names | {self.file.name})
            again()
        print(f"an existing file: {dict(seen)}")
        self.assertGreater(seen["as before"], 0)


if __name__ == "__main__":
    stoa_test.main()
