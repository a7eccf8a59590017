"""The commands of the README on the file that it names, and such commands on the CSV file of a stranger."""

import csv
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

HEADER = 'time;energy;label;"Größe, mm";label;"note  1"'


COMMANDS = """
stoa import measurements.csv run.h5:/events
stoa info   run.h5:/events
stoa query  run.h5:/events -w "energy > 5 and label = 'muon'" -c time,energy -n 10
stoa index  add run.h5:/events time
stoa append more.csv run.h5:/events
stoa update run.h5:/events -w "label = 'muon'" --set "energy=energy*1.02"
stoa export run.h5:/events out.csv
stoa convert run.h5 out.h5 --to pytables --missing nan
stoa check  run.h5
"""


class Readme(stoa_test.TestCase):
    def test_its_commands_work_on_the_file_that_it_names(self):
        text = (stoa_test.SOURCE / "README.md").read_text("utf-8")
        block = re.search(r"## The command\n\n```sh\n(.*?)```", text, re.DOTALL)[1]
        commands = block.replace("alias stoa=$PWD/build/stoa", f'stoa() {{ "{stoa_test.STOA}" "$@"; }}')
        (self.dir / "examples").symlink_to(stoa_test.SOURCE / "examples")
        done = stoa_test.run("sh", "-e", "-c", commands, cwd=self.dir, env={"XDG_STATE_HOME": str(self.dir / "state")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(re.findall(r"(?m)^stoa ", block)), 10)
        self.assertIn("us.h5: 1 table checked", done.stderr + done.stdout)


class Stranger(stoa_test.TestCase):
    def rows(self, n):
        """Semicolons, decimal commas, NA, dates, non-ASCII text, blanks and quotes within fields."""
        chance = random.Random(n)
        for i in range(n):
            energy = None if i % 17 == 3 else chance.randrange(100, 900) / 100
            yield (f"2020-{i % 12 + 1:02}-{i % 28 + 1:02}", energy, chance.choice(["muon", "pion", "Kaon µ"]),
                   i / 4, "", f'say "é";  {i}')  # fmt: skip

    def write_text(self, name, rows):
        def field(value):
            return "NA" if value is None else str(value).replace(".", ",")

        lines = [f'{t};{field(e)};{l};{field(s)};{l2};"{n.replace(chr(34), chr(34) * 2)}"' for t, e, l, s, l2, n in rows]
        self.write(name, "\ufeff" + "\r\n".join([HEADER, *lines]) + "\r\n")

    def run_all(self, options):
        said = {}
        for command in COMMANDS.strip().splitlines():
            told = re.sub(r"(measurements|more)\.csv", rf"\1.csv {options}", command)
            done = stoa_test.run("sh", "-c", told.replace("stoa", f"'{stoa_test.STOA}'", 1), cwd=self.dir,
                                 env={"XDG_STATE_HOME": str(self.dir / "state")})  # fmt: skip
            self.assertEqual(done.returncode, 0, f"{told}: {done.stderr}")
            said[command.split()[1]] = done
        return said

    def test_they_work_on_it(self):
        rows, more = list(self.rows(300)), list(self.rows(40))
        self.write_text("measurements.csv", rows)
        self.write_text("more.csv", more)
        said = self.run_all("--decimal , --null NA")
        self.assertEqual(said["import"].stderr.splitlines(), [
            "measurements.csv: names that the header repeats have a number: 'label' in column 5 is 'label_2'",
            "run.h5:/events: 300 rows imported from measurements.csv"])  # fmt: skip
        for word in ("date", "float64", "category", "Größe, mm", "label_2", "note  1"):
            self.assertIn(word, said["info"].stdout)
        with (self.dir / "out.csv").open(newline="", encoding="utf-8") as out:
            found = list(csv.reader(out))
        self.assertEqual(found[0], ["time", "energy", "label", "Größe, mm", "label_2", "note  1"])
        self.assertEqual(len(found), 341)
        for was, line in zip(rows + more, found[1:], strict=True):
            energy = was[1] if was[1] is None or was[2] != "muon" else was[1] * 1.02
            self.assertEqual([line[0], line[2], line[4], line[5]], [was[0], was[2], was[4], was[5]])
            self.assertEqual(float(line[3]), was[3])
            self.assertAlmostEqual(float(line[1]) if line[1] else None, energy)

    def test_without_options_it_says_which_to_give(self):
        self.write_text("measurements.csv", [("2020-01-01", i or None, "muon", 1, "", "x") for i in range(300)])
        done = self.stoa("import", "measurements.csv", "run.h5:/events", cwd=self.dir)
        self.assertIn("column 'energy' is", done.stderr)
        self.assertIn("--null 'NA' makes it missing", done.stderr)


if __name__ == "__main__":
    stoa_test.main()
