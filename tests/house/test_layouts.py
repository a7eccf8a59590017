"""Layouts are values: nothing outside of src/layout/<name>/ knows a layout's name, types or words."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

SRC = stoa_test.SOURCE / "src"
LAYOUT = SRC / "layout"

# Folders of layout/ that are none.
SHARED = set("common convert input open subset text".split())

# Rooms that are a layout themselves: HEP001's tables lie in table/.
HOME = {"hep001": ("table/", "layout/hep001/")}

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
INCLUDE = re.compile(r'#\s*include\s*"layout/([^/"]+)/')


def folders():
    return sorted(p.name for p in LAYOUT.iterdir() if p.is_dir() and p.name not in SHARED)


def names():
    """Each name of a layout, or of its tables, and the folder that it is of."""
    found = {}
    for folder in folders():
        for path in (LAYOUT / folder).rglob("*.c"):
            text = stoa_test.without_comments(path.read_text())
            for name in re.findall(r'\.name = (?:"([^"]+)"|STOA_(\w+))', text):
                found[name[0] or name[1].lower()] = folder
            for names in re.findall(r"shown_as(?:\[\])? = (?:\([^)]*\))?\s*\{([^}]*)\}", text):
                for name in LITERAL.findall(names):
                    found[name] = folder
    return found


def sources():
    """Every source with its path below src/ and the folder of layout/ that it is in, if any."""
    for path in sorted([*SRC.rglob("*.c"), *SRC.rglob("*.h")]):
        file = str(path.relative_to(SRC))
        parts = path.relative_to(SRC).parts
        folder = parts[1] if parts[0] == "layout" and parts[1] in folders() else None
        yield file, folder, stoa_test.without_comments(path.read_text())


class Layouts(stoa_test.TestCase):
    def test_each_name_of_the_registry_is_found(self):
        listed = re.findall(r"X\((\w+)\)", (LAYOUT / "registry.c").read_text())
        constants = {}
        for file, folder, text in sources():
            for name in re.findall(r"^const stoa_layout stoa_layout_(\w+) = ", text, re.M):
                constants[name] = folder
        self.assertEqual(set(listed), set(constants))
        self.assertEqual({constants[name] for name in listed}, set(names().values()))
        self.assertGreaterEqual(set(names()), {"lh5", "pandas", "pandas-table", "h5tb", "compound"})

    def test_no_text_outside_is_a_name_or_has_one_in_it(self):
        all_names = names()
        words = {name for name in all_names if re.fullmatch(r"[a-z0-9]{4,}", name)}
        words -= {"compound", "hep001"}  # HDF5's word, and Stoa's own layout in what it says
        words -= {"plain"}  # a word of English; as a name of its own it is looked for
        word = re.compile("|".join(sorted(words | {"lh5"})), re.IGNORECASE)
        wrong = []
        for file, folder, text in sources():
            text = re.sub(r'#\s*include[^\n]*', "", text)
            if file == "layout/input/arrow_labels.c":  # Arrow calls the metadata so
                continue
            for literal in LITERAL.findall(text):
                is_name = literal in all_names and all_names[literal] != folder
                is_name = is_name and not file.startswith(HOME.get(literal, ("\0",)))
                is_rule = file.startswith("check/")  # HEP001 itself names Anndata
                if is_name or (folder is None and not is_rule and word.search(literal)):
                    wrong.append(f"{file}: {literal}")
        self.assertEqual(wrong, [])

    def test_no_identifier_of_a_layout_is_outside(self):
        prefixes = "|".join({*folders(), "h5tb", "mtx", "notes"} - {"csv", "jsonl", "matrix", "plain"})
        own = re.compile(rf"\b(?:stoa_(?:{prefixes})_\w+|STOA_(?:{prefixes.upper()})_\w+)")
        room = {"stoa_hep001_open", "stoa_hep001_open_with"}  # of table/, which is HEP001's
        wrong = [f"{file}: {name}" for file, folder, text in sources() if folder is None
                 for name in own.findall(text) if name not in room]  # fmt: skip
        self.assertEqual(wrong, [])

    def test_no_header_of_a_layout_is_included_outside(self):
        wrong = [f"{file}: {there}" for file, folder, text in sources() if folder is None
                 for there in INCLUDE.findall(text) if there not in SHARED]  # fmt: skip
        self.assertEqual(wrong, [])

    def test_no_layout_sees_the_registry(self):
        wrong = [file for file, folder, text in sources()
                 if folder is not None and re.search(r"layout/registry\.h|\bstoa_layouts\b", text)]  # fmt: skip
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    stoa_test.main()
