"""Files in HDF5's latest formats: what this build's HDF5 knows is read, and what it does not know is an
error of one column alone. tests/support/hdf5-2 says who wrote the files."""

import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

FILES = stoa_test.SOURCE / "tests/support/hdf5-2"
VERSION = re.search(r"HDF5 (\d+)([.\d]+)", stoa_test.run(stoa_test.STOA, "--version").stdout)
IS_2 = int(VERSION[1]) >= 2
UNKNOWN = (
    "bad version number for datatype message (unless it is damaged, it takes "
    f"{'a newer HDF5' if IS_2 else 'HDF5 2.0 or newer'}; this is HDF5 {VERSION[1]}{VERSION[2]})"
)
ROWS = [
    f'{{"id":{i},"x":{i / 2},"pair":{{"a":{i},"b":{i / 4}}},"parity":"{"odd" if i % 2 else "even"}"}}\n'
    for i in range(5)
]
# The enumeration's datatype message in earliest.h5, and in a version that no HDF5 knows.
ENUM = (rb"\x18(?=\x02\x00\x00\x01\x00\x00\x00)", b"\x68")


class Newer(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "f.h5"

    def columns(self, *names):
        return self.stoa("query", f"{self.file}:/t", "-c", ",".join(names), "-f", "csv").stdout

    def check_columns_alone(self, bad, cause):
        """Each of `bad` is an error of that column, which names the cause; the others answer."""
        place = f"{self.file}:/t"
        good = [name for name in ("id", "pair", "parity", "x") if name not in bad]
        self.assertTrue(self.columns("id", "x").startswith("id,x\n0,0.0\n1,0.5\n"))
        self.assertIn("sum(x)\n", self.stoa("query", place, "--aggregate", "sum(x)", "-f", "csv").stdout)
        for name in bad:
            says = [f"cannot open column '{name}': {cause}"]
            self.fails("query", place, "-c", name, says=says)
            self.fails("query", place, "--where", f"{name} is not null", "-c", "id", says=says)
        for command in (("query", place), ("import", place, f"{self.dir}/copy.h5:/t")):
            said = self.stoa(*command, status=1).stderr
            for name in bad:
                self.assertIn(f"/t/{name}: left out: cannot open column '{name}': {cause}", said)

        info = stoa_test.run(stoa_test.STOA, "info", place)
        self.assertEqual(info.returncode, 3)
        for name in bad:
            self.assertRegex(info.stdout, rf"(?m)^{name} +cannot be read")
            self.assertIn(f"{self.file}:/t/{name}: cannot open column '{name}': {cause}", info.stderr)
        for name in good:
            self.assertRegex(info.stdout, rf"(?m)^{name} +(int64|float64|struct|category)")

        ls = stoa_test.run(stoa_test.STOA, "ls", self.file)
        self.assertEqual(ls.returncode, 1)
        self.assertRegex(ls.stdout, r"/t +hep001 +table +5 +4 ")
        for name in bad:
            self.assertIn(f"/t/{name}: cannot open it: {cause}", ls.stderr)
        # An edit could not keep such a column in step.
        self.fails("delete", place, "--where", "id = 1", says=[f"cannot open column '{bad[0]}'"])

    def test_what_hdf5_2_writes_is_read_or_refused_by_name(self):
        shutil.copy(FILES / "latest.h5", self.file)
        if IS_2:
            said = self.stoa("query", f"{self.file}:/t", "-c", "id,x,pair,parity", "-f", "jsonl")
            self.assertEqual(said.stdout.replace(" ", ""), "".join(ROWS))
            self.stoa("ls", self.file)
        else:
            self.check_columns_alone(["pair", "parity"], UNKNOWN)

    def test_a_version_that_nobody_knows_takes_a_newer_hdf5(self):
        content, n = re.subn(*ENUM, (FILES / "earliest.h5").read_bytes())
        self.assertEqual(n, 1)
        self.file.write_bytes(content)
        self.check_columns_alone(["parity"], UNKNOWN)


if __name__ == "__main__":
    stoa_test.main()
