"""A layout is a folder and a line: the command with one more, tests/layout/toy, has it everywhere."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

stoa_test.STOA = str(stoa_test.BUILD / "tests/layout/stoa_toy")


class ToyLayout(stoa_test.TestCase):
    def table(self, text="a,n\n1.5,1\n2.5,2\n-0.5,3\n"):
        self.stoa("import", self.write("t.csv", text), f"{self.dir}/own.h5:/t", "--force")
        return f"{self.dir}/own.h5:/t"

    def toy(self, *options):
        self.stoa("convert", self.table(), f"{self.dir}/toy.h5:/p/t", "--to", "toy", *options)
        return f"{self.dir}/toy.h5:/p/t"

    def csv(self, place):
        return self.stoa("export", place, "-", "-f", "csv").stdout

    def test_it_is_listed(self):
        self.toy()
        line = self.stoa("ls", f"{self.dir}/toy.h5").stdout
        self.assertRegex(line, r"/p/t +toy +table")
        self.assertRegex(self.stoa("info", f"{self.dir}/toy.h5").stdout, r"layout +toy\n")

    def test_it_is_queried(self):
        place = self.toy()
        found = self.stoa("query", place, "-w", "a > 0", "-c", "n", "-f", "csv").stdout
        self.assertEqual(found, "n\n1.0\n2.0\n")

    def test_it_is_converted_both_ways(self):
        place = self.toy()
        for layout in ("hep001", "pytables", "lh5", "toy"):
            target = f"{self.dir}/{layout}.h5:/back"
            self.stoa("convert", place, target, "--to", layout)
            self.assertEqual(self.csv(target), "a,n\n1.5,1.0\n2.5,2.0\n-0.5,3.0\n", layout)

    def test_all_of_a_file_is_converted(self):
        self.toy()
        self.stoa("convert", f"{self.dir}/toy.h5", f"{self.dir}/all.h5", "--to", "hep001")
        self.assertRegex(self.stoa("ls", f"{self.dir}/all.h5").stdout, r"/p/t +hep001")

    def test_files_of_its_suffix_are_written_in_it(self):
        target = f"{self.dir}/q.toy:/t"
        self.stoa("query", self.table(), "-o", target)
        self.assertRegex(self.stoa("info", target).stdout, r"layout +toy\n")

    def test_missing_values_are_dropped_or_refused(self):
        source = self.table("a,n\n1,1\n,2\n")
        target = f"{self.dir}/m.h5:/t"
        self.fails("convert", source, target, "--to", "toy",
                   says=("column 'a'", "1 missing value, which toy cannot hold", "a=VALUE|drop"))  # fmt: skip
        self.stoa("convert", source, target, "--to", "toy", "--missing", "drop")
        self.assertEqual(self.csv(target), "a,n\n1.0,1.0\n")

    def test_help_and_refusals_name_it(self):
        text = " ".join(self.stoa("convert", "--help").stdout.split())
        self.assertRegex(text, r"--to LAYOUT hep001, [a-z0-9, -]*arkouda, toy ")
        self.assertIn("--toy-note TEXT for toy: what the group says of itself", text)
        self.assertIn("for pytables, lh5, arkouda and toy also drop", text)
        self.fails("convert", self.table(), f"{self.dir}/o.h5", "--to", "tyo", status=2,
                   says="arkouda, toy")  # fmt: skip
        self.fails("convert", self.table(), f"{self.dir}/o.h5", "--to", "hep001", "--toy-note", "a",
                   status=2, says="--toy-note is for --to toy")  # fmt: skip

    def test_its_options_arrive(self):
        self.toy("--toy-note", "blue")
        said = self.hdf5("h5dump", "-a", "/p/t/toy", f"{self.dir}/toy.h5")
        self.assertIn('"blue"', said)

    def test_the_command_without_the_line_knows_nothing_of_it(self):
        own = os.environ.get("STOA") or str(stoa_test.BUILD / "stoa")
        done = stoa_test.run(own, "convert", "--help")
        self.assertNotIn("toy", done.stdout)


if __name__ == "__main__":
    stoa_test.main()
