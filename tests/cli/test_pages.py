"""The examples of docs/, which are lines that begin with `$ `, print what is shown below them."""

import math
import os
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

DATA = stoa_test.SOURCE / "examples/data"
# The files that examples read; those of FILES_OF are for one page.
FILES = """
printf 'code,text,n,when\n00123,a,1,2001-05-01\n00042,"",300,2001-05-02\n00007,,7,2001-05-03\n' > t.csv
printf 'id,n\n1,5\n2,NA\n3,7\n' > d.csv
printf 'row,column,value\n0,1,5\n2,3,7\n2,4,7\n1000,9,1.5\n' > triples.csv
printf 't,energy,hits,label\n2001-01-01T00:00:01,1.5,3,muon\n2001-01-01T00:00:02,,4,pion\n' > e.csv
stoa import e.csv e.h5:/events
printf '{"event": 1, "hits": [1.5, null, 2], "vertex": {"x": 0.5, "n": 3}}\n{"event": 2, "hits": []}\n' > t.jsonl
"""
FLIGHTS = "stoa import flights-2001.csv.gz us.h5:/flights --chunk 8192"
AIRPORTS = """
printf 'code,city\nORD,Chicago\nMDW,Chicago\nSFO,San Francisco\nDEN,Denver\nSEA,Seattle\n' > airports.csv
stoa import airports.csv air.h5:/airports
"""
ARRAY = "stoa import triples.csv sp.h5:/m --sparse --shape 2000x10"
FILES_OF = {
    "edits.md": FLIGHTS,
    "indexes.md": FLIGHTS,
    "plots.md": FLIGHTS,
    "query.md": FLIGHTS,
    "sparse.md": ARRAY,
    "sql.md": FLIGHTS + AIRPORTS,
    "sparse-matrices.md": f"{ARRAY}; stoa export sp.h5:/m m.mtx",
    "anndata.md": "stoa query e.h5 -c energy,hits,label -o run.h5:/cells; "
    """printf '{"cell": "a", "times": [0.5, 2]}\n{"cell": "b", "times": []}\n{"cell": "c"}\n' > spikes.jsonl""",
    "pytables.md": """
printf '{"energy": 1.5, "hits": [3, 4]}\\n{"energy": 7.5, "hits": []}\\n' > tracks.jsonl
stoa import tracks.jsonl e.h5:/tracks
""",
    "search-pytables.md": f"{FLIGHTS}; stoa convert us.h5:/flights py.h5:/flights --to pytables",
    "waveforms.md": "stoa convert e.h5:/events lh.lh5:/ch1/raw --to lh5 --missing nan",
    "lh5.md": "stoa convert e.h5:/events lh.lh5:/ch1/raw --to lh5 --missing nan",
}


SIZE = r"(\d+(?:\.\d)?) ([KM]iB)"


def examples(page):
    """Each command of a page, and the lines that are shown below it. An empty line belongs to them if
    what follows it is neither prose nor a command."""
    text = re.sub(r"(?m)^$(?=\n    (?!\$ |stoa ))", "    ", page.read_text("utf-8"))
    lines = iter([*text.split("\n"), ""])
    line = next(lines)
    while line is not None:
        if not line.startswith("    $ "):
            line = next(lines, None)
            continue
        command, shown = line[6:], []
        while command.endswith("\\"):
            command = command[:-1] + next(lines).strip()
        line = next(lines)
        while line.startswith("    ") and not line.startswith("    $ "):
            shown.append(line[4:])
            line = next(lines)
        yield command, [*"\n".join(shown).rstrip().split("\n")] if shown else []


def sized_as(line, shown):
    """The line with the sizes that are shown, where they differ by 1 % at most: versions of libdeflate differ by that."""
    wanted = re.findall(SIZE, shown)
    if len(re.findall(SIZE, line)) != len(wanted):
        return line
    sizes = iter(wanted)

    def size(match):
        number, unit = next(sizes)
        same = unit == match[2] and math.isclose(float(number), float(match[1]), rel_tol=0.01)
        return f"{number} {unit}" if same else match[0]

    return re.sub(SIZE, size, line)


class Pages(stoa_test.TestCase):
    def shell(self, script):
        path = f"{self.dir}/bin{os.pathsep}{os.environ['PATH']}"
        env = {"PATH": path, "XDG_STATE_HOME": str(self.dir / "state")}
        done = stoa_test.run("sh", "-c", f"exec 2>&1\n{script}", cwd=self.dir, env=env)
        printed = done.stdout.rstrip("\n")
        return [line.rstrip() for line in printed.split("\n")] if printed else []

    def prepare(self, page):
        shutil.rmtree(self.dir)
        (self.dir / "bin").mkdir(parents=True)
        (self.dir / "bin/stoa").symlink_to(stoa_test.STOA)
        (self.dir / "tests").symlink_to(stoa_test.SOURCE / "tests")
        shutil.copy(DATA / "flights-2001.csv.gz", self.dir)
        self.shell(FILES + FILES_OF.get(page.name, ""))

    def test_examples_print_what_is_shown(self):
        n_examples = 0
        for page in sorted((stoa_test.SOURCE / "docs").rglob("*.md")):
            found = list(examples(page))
            if found:
                self.prepare(page)
            for command, shown in found:
                if "stoa sql" in command and not stoa_test.DUCKDB:
                    continue
                with self.subTest(page=page.name, command=command):
                    printed = self.shell(command)
                    self.assertEqual([*map(sized_as, printed, shown), *printed[len(shown) :]], shown)
            n_examples += len(found)
        self.assertGreater(n_examples, 25)


if __name__ == "__main__":
    stoa_test.main()
