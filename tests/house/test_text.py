"""Every text file of the house keeps its plain manners."""

import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

SUFFIXES = {".c", ".h", ".py", ".sh", ".cmake", ".md", ".txt", ".in", ".json", ""}
NOT_OURS = ("examples/data/", "tests/fuzz/corpus/", "tests/data/", "packaging/licences/")
UNFINISHED = ("TO" + "DO", "FIX" + "ME", "X" * 3 + ":")


def files():
    """The text files that are, or would be, part of the repository."""
    if not shutil.which("git"):
        raise unittest.SkipTest("git is not installed")
    listed = stoa_test.run(
        "git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=stoa_test.SOURCE
    )
    if listed.returncode != 0:
        raise unittest.SkipTest("the source is not a git repository")
    for name in sorted(set(listed.stdout.split("\n")) - {""}):
        path = stoa_test.SOURCE / name
        if path.suffix in SUFFIXES and not name.startswith(NOT_OURS) and path.is_file():
            yield name, path.read_bytes()


class Text(stoa_test.TestCase):
    def test_files_are_utf8_with_plain_lines(self):
        wrong = []
        for name, content in files():
            try:
                lines = content.decode("utf-8").split("\n")
            except UnicodeDecodeError:
                wrong.append(f"{name}: not UTF-8")
                continue
            if content and lines[-1] != "":
                wrong.append(f"{name}: no newline at the end")
            for number, line in enumerate(lines, 1):
                if line != line.rstrip():
                    wrong.append(f"{name}:{number}: space at the end of the line")
                if "\t" in line and name not in ("Makefile", "packaging/debian/rules"):
                    wrong.append(f"{name}:{number}: a tab")
                if name.endswith((".c", ".h")) and len(line) > 100:
                    wrong.append(f"{name}:{number}: {len(line)} columns")
        self.assertEqual(wrong, [])

    def test_nothing_is_left_for_later(self):
        wrong = []
        for name, content in files():
            for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), 1):
                if any(word in line for word in UNFINISHED):
                    wrong.append(f"{name}:{number}: {line.strip()}")
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    stoa_test.main()
