"""The folders of src/: small, explained by a README.md of ten lines, mirrored by tests/, and in no circle."""

import os
import re
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test
import test_circles

SRC = stoa_test.SOURCE / "src"
TESTS = stoa_test.SOURCE / "tests"
MAX_SOURCES = 28
MAX_LINES = 12

# Folders that need each other, and why: none.
CIRCLES = set()

# Folders of tests/<room>/ that hold no tests of a folder of src/.
OTHERS = {"layout/toy"}


def folders():
    """Every folder of src/ with sources in it, or below it."""
    return sorted(p for p in SRC.rglob("*") if p.is_dir() and any(p.rglob("*.[ch]")))


class Folders(stoa_test.TestCase):
    def test_a_folder_holds_few_sources(self):
        counts = {str(f.relative_to(SRC)): len(list(f.glob("*.c"))) for f in folders()}
        self.assertEqual({f: n for f, n in counts.items() if n > MAX_SOURCES}, {})

    def test_a_folder_says_what_it_is(self):
        wrong = []
        for folder in folders():
            name, text = str(folder.relative_to(SRC)), folder / "README.md"
            lines = text.read_text().splitlines() if text.is_file() else []
            if not lines or lines[0] != f"# src/{name}" or not 4 <= len(lines) <= MAX_LINES:
                wrong.append(name)
        self.assertEqual(wrong, [])

    def test_a_text_names_files_and_folders_that_are_there(self):
        wrong = []
        for folder in folders():
            for word in re.findall(r"`([^` ]+)`", (folder / "README.md").read_text()):
                places = (folder, folder.parent, SRC, stoa_test.SOURCE)
                if re.fullmatch(r"[a-z0-9_/]+\.[ch]", word):
                    found = any((place / word).is_file() for place in places)
                elif re.fullmatch(r"[a-z0-9_]+\*\.c", word) and not word.startswith(("*", "cmd_")):
                    found = any(folder.glob(word))
                elif re.fullmatch(r"[a-z0-9]+(/[a-z0-9]+)+", word):
                    found = any((place / word).is_dir() for place in places)
                else:
                    continue
                if not found and word != "cmd_x.c" and word != "cmd_column_x.c":
                    wrong.append(f"{folder.relative_to(SRC)}: {word}")
        self.assertEqual(wrong, [])

    def test_tests_lie_as_what_they_test(self):
        wrong = []
        for path in sorted([*TESTS.glob("*/*/test_*.c"), *TESTS.glob("*/*/prop_*.c")]):
            folder = str(path.parent.relative_to(TESTS))
            room = folder.split("/")[0]
            if (SRC / room).is_dir() and folder not in OTHERS and not (SRC / folder).is_dir():
                wrong.append(str(path.relative_to(TESTS)))
        self.assertEqual(wrong, [])

    def test_a_test_named_after_a_source_lies_in_its_folder(self):
        wrong = []
        for room in sorted(p for p in SRC.iterdir() if p.is_dir()):
            homes = defaultdict(set)
            for path in room.rglob("*.c"):
                homes[path.stem].add(path.parent.relative_to(SRC))
            for path in sorted((TESTS / room.name).rglob("*.c")):
                kind, _, topic = path.stem.partition("_")
                here = path.parent.relative_to(TESTS)
                if kind in ("test", "prop") and len(homes[topic]) == 1 and here not in homes[topic]:
                    if here != Path(room.name) or topic in ("query", "table"):
                        continue  # of the whole room
                    wrong.append(str(path.relative_to(TESTS)))
        self.assertEqual(wrong, [])

    def test_programs_of_a_room_have_names_of_their_own(self):
        names = [(p.relative_to(TESTS).parts[0], p.stem) for p in TESTS.glob("*/**/*.c")
                 if p.stem.startswith(("test_", "prop_"))]  # fmt: skip
        self.assertEqual({n for n in names if names.count(n) > 1}, set())

    def test_no_folders_need_each_other(self):
        if not any(test_circles.objects()):
            self.skipTest("there are no objects")
        graph = defaultdict(lambda: defaultdict(str))
        for file, others in test_circles.needs().items():
            here = str(Path(file).parent)
            graph[here] = graph[here]
            for other, symbol in others.items():
                there = str(Path(other).parent)
                if there != here:
                    graph[here][there] = f"{file} needs {other} for {symbol}"
                    graph[there] = graph[there]
        found = set(test_circles.circles(graph))
        for circle in found - CIRCLES:
            for here in sorted(circle):
                for there in sorted(circle & graph[here].keys()):
                    print(f"    {here} -> {there}: {graph[here][there]}")
        self.assertEqual(found, CIRCLES)


if __name__ == "__main__":
    stoa_test.main()
