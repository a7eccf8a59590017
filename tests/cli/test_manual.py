"""The options of commands are declared once: --help, docs/cli.md and the manual pages say the same."""

import json
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

# Explained for all commands in docs/cli.md, under "What all commands share".
SHARED = set(
    "wait no-wait quiet no-pager no-progress safe follow-external on-index by-name strict widen".split()
)
CODE = re.compile(r"`([^`]+)`")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[a-z])\b(?:[ =]([A-Z][^ `]*|\[COL=\][A-Z]+))?")


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


class Options(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.commands = json.loads(self.stoa("help", "-f", "json").stdout)
        text = (stoa_test.SOURCE / "docs/cli.md").read_text()
        self.shared = text.split("## What all commands share")[1].split("\n## ")[0]
        self.sections = dict(re.findall(r"(?ms)^## (`stoa .*?)\n(.*?)(?=^## |\Z)", text))

    def section(self, command):
        """The headings and texts about a command."""
        word = command["name"].split()[0]
        return "\n".join(f"{h}\n{t}" for h, t in self.sections.items() if re.search(rf"`stoa {word}\b", h))

    def spellings(self, options):
        return {w for o in options for w in (f"--{o['name']}", f"-{o['letter']}" if "letter" in o else None) if w}

    def test_help_says_what_is_declared(self):
        for command in self.commands:
            text = " ".join(self.stoa(*command["name"].split(), "--help").stdout.split())
            self.assertIn(f"stoa {command['name']}: {command['summary']}", text)
            for option in command["options"]:
                letter = f"-{option['letter']}, " if "letter" in option else ""
                value = f" {option['value']}" if "value" in option else ""
                said = f"{letter}--{option['name']}{value} {option['help']}"
                self.assertIn(" ".join(said.split()), text)

    def test_the_page_has_every_option(self):
        missing = []
        for command in self.commands:
            text = self.section(command)
            # Answers that become tables: the options of `query` hold for `sql` and `export`, too.
            text += self.section({"name": "query"}) if command["name"] in ("sql", "export") else ""
            text += self.section({"name": "import"}) if command["name"] in ("append", "column add") else ""
            written = {found.group(1) for found in OPTION.finditer(" ".join(CODE.findall(text)))}
            for option in command["options"]:
                if option["name"] not in SHARED and not written & self.spellings([option]):
                    missing.append(f"{command['name']} --{option['name']}")
        self.assertEqual(missing, [])
        for name in SHARED:
            self.assertIn(f"--{name}", self.shared)

    def test_the_page_has_no_other_option(self):
        wrong = []
        for heading, text in self.sections.items():
            words = {w for names in re.findall(r"`stoa ([a-z|-]+)", heading) for w in names.split("|")}
            of = [o for c in self.commands if c["name"].split()[0] in words for o in c["options"]]
            known = self.spellings(of) | {"-h", "--help"}
            for line in text.splitlines():
                first = cells(line)[0] if line.startswith("| `-") else ""
                for code in CODE.findall(first):
                    for found in OPTION.finditer(code):
                        if found.group(1) not in known:
                            wrong.append(f"{heading}: {code}")
        self.assertEqual(wrong, [])

    def test_the_page_has_the_choices(self):
        """Where a cell lists choices, as `-f csv\\|tsv`, they are some that the option takes."""
        wrong = []
        for heading, text in self.sections.items():
            words = set(re.findall(r"`stoa ([a-z]+)", heading))
            of = [o for c in self.commands if c["name"].split()[0] in words for o in c["options"]]
            for line in text.splitlines():
                for code in CODE.findall(cells(line)[0] if line.startswith("| `-") else ""):
                    found = re.fullmatch(r"(-\w|--[\w-]+) (\S+\\\|\S+)", code)
                    taken = {tuple(o["choices"]) for o in of if found and "choices" in o
                             and found.group(1) in self.spellings([o])}  # fmt: skip
                    if taken and not any(set(found.group(2).split("\\|")) <= set(t) for t in taken):
                        wrong.append(f"{heading}: {code} is not of {taken}")
        self.assertEqual(wrong, [])


class Pages(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.commands = json.loads(self.stoa("help", "-f", "json").stdout)
        done = stoa_test.run(sys.executable, stoa_test.SOURCE / "scripts/manual", stoa_test.STOA, self.dir,
                             env={"SOURCE_DATE_EPOCH": "1700000000"})  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.pages = sorted(self.dir.glob("man*/*"))

    def test_each_command_has_a_page_with_its_options(self):
        for command in self.commands:
            word = command["name"].split()[0]
            text = (self.dir / f"man1/stoa-{word}.1").read_text().replace("\\-", "-")
            for option in command["options"]:
                self.assertIn(f"\\fB--{option['name']}\\fR", text, command["name"])
        names = {path.name for path in self.pages}
        self.assertEqual(names, {f"stoa-{c['name'].split()[0]}.1" for c in self.commands} | {"stoa.1", "stoa-query.7"})

    def test_the_language_has_every_function(self):
        text = (self.dir / "man7/stoa-query.7").read_text()
        functions = json.loads(self.stoa("functions", "-f", "json").stdout)
        self.assertGreater(len(functions), 100)
        plain = text.replace("\\-", "-").replace("\\e", "\\").replace("\\(ha", "^").replace("\\(ti", "~")
        plain = re.sub(r"\\\[u([0-9A-F]+)\]", lambda found: chr(int(found.group(1), 16)), plain)
        for one in functions:
            self.assertIn(one["usage"], plain)

    def test_two_runs_write_the_same_bytes(self):
        again = self.dir / "again"
        stoa_test.run(sys.executable, stoa_test.SOURCE / "scripts/manual", stoa_test.STOA, again,
                      env={"SOURCE_DATE_EPOCH": "1700000000"})  # fmt: skip
        for page in self.pages:
            self.assertEqual((again / page.parent.name / page.name).read_bytes(), page.read_bytes())
        self.assertIn('"2023-11-14"', (self.dir / "man1/stoa.1").read_text())

    def test_groff_finds_no_fault(self):
        self.need("groff")
        for page in self.pages:
            done = stoa_test.run("groff", "-ww", "-man", "-Tutf8", page)
            self.assertEqual((done.returncode, done.stderr), (0, ""), page.name)

    def test_mandoc_finds_no_fault(self):
        self.need("mandoc")
        done = stoa_test.run("mandoc", "-T", "lint", "-W", "warning", *self.pages)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_man_shows_a_page(self):
        self.need("man")
        done = stoa_test.run("man", "-l", self.dir / "man1/stoa-query.1", env={"MANWIDTH": "100", "MANPAGER": "cat"})
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = re.sub(".\b", "", done.stdout)
        self.assertRegex(shown, r"-w, --where EXPR")
        self.assertRegex(shown, r"(?m)^EXAMPLES\n +stoa query run.h5:/events")


if __name__ == "__main__":
    stoa_test.main()
