"""Each struct of the public headers carries its size, or docs/api-stability.md says why it has none."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

PAGE = "docs/api-stability.md"


def structs():
    """The text between the braces of each struct, by its name."""
    found = {}
    for header in sorted((stoa_test.SOURCE / "include/stoa").glob("*.h")):
        text = stoa_test.without_comments(header.read_text())
        # C++'s templates have names that no program may use.
        text = re.sub(r"^namespace .*?^}", "", text, flags=re.DOTALL | re.MULTILINE)
        for name, body in re.findall(r"\bstruct (\w+)\s*\{(.*?)\n\}", text, re.DOTALL):
            found[name] = body
    return found


def excused():
    """Names in the first column of the page's table."""
    page = (stoa_test.SOURCE / PAGE).read_text().split("These structs have no size:")[1]
    rows = re.findall(r"^\| (`[^|]+) \| ([^|]+) \|$", page, re.MULTILINE)
    return {name for names, _ in rows for name in re.findall(r"`(\w+)`", names)}


class Structs(stoa_test.TestCase):
    def test_each_struct_begins_with_its_size_or_is_excused(self):
        sized = {n for n, body in structs().items() if re.match(r"\s*size_t size;", body)}
        self.assertGreater(len(sized), 10)
        self.assertEqual(sorted(set(structs()) - sized - excused()), [], f"neither; see {PAGE}")
        self.assertEqual(sorted(sized & excused()), [], f"has a size, and {PAGE} says it has none")

    def test_who_is_excused_is_there(self):
        self.assertEqual(sorted(excused() - set(structs())), [], f"{PAGE} names what is gone")

    def test_each_sized_struct_has_its_macro(self):
        text = "".join(p.read_text() for p in (stoa_test.SOURCE / "include/stoa").glob("*.h"))
        made = set(re.findall(r"#define STOA_\w+_INIT\s[^{]*\{[\s\\]*sizeof\((\w+)\)", text))
        sized = {n for n, body in structs().items() if re.match(r"\s*size_t size;", body)}
        self.assertEqual(sorted(sized - made), [], "no macro starts it")


if __name__ == "__main__":
    stoa_test.main()
