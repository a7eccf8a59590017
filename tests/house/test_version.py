"""<stoa/stoa.h> says which version this is, and everything else agrees."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test


def text(name):
    return (stoa_test.SOURCE / name).read_text("utf-8")


VERSION = re.search(r'#define STOA_VERSION "([^"]+)"', text("include/stoa/stoa.h"))[1]


class Version(stoa_test.TestCase):
    def test_the_parts_of_the_header_agree(self):
        header = text("include/stoa/stoa.h")
        parts = [re.search(rf"#define STOA_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")]
        self.assertEqual(".".join(parts), VERSION)

    def test_the_command_and_the_library_say_it(self):
        self.assertEqual(self.stoa("--version").stdout.split()[1], VERSION)
        minor = VERSION.rsplit(".", 1)[0]
        library = stoa_test.BUILD / f"libstoa.so.{VERSION}"
        if library.exists():
            self.assertIn(f"libstoa.so.{minor}".encode() + b"\0", library.read_bytes())

    def test_the_changelog_begins_with_it_and_a_citation_names_it(self):
        heading = re.search(r"(?m)^## (\d\S*) - (\d{4}-\d\d-\d\d)$", text("CHANGELOG.md"))
        citation = text("CITATION.cff")
        self.assertEqual(heading[1], VERSION)
        self.assertEqual(re.search(r"(?m)^version: (.*)$", citation)[1], VERSION)
        self.assertEqual(re.search(r"(?m)^date-released: (.*)$", citation)[1], heading[2])

    def test_the_package_of_the_library_has_its_soname(self):
        minor = VERSION.rsplit(".", 1)[0]
        folder = stoa_test.SOURCE / "packaging/debian"
        self.assertEqual([path.name for path in folder.glob("libstoa[0-9]*")], [f"libstoa{minor}.install"])
        for name, words in (("control", f"\nPackage: libstoa{minor}\n"), ("rules", f"'libstoa.so.{minor} libstoa{minor} ")):
            self.assertIn(words, (folder / name).read_text("utf-8"))

    def test_the_section_of_the_newest_release_is_short(self):
        section = re.split(r"(?m)^## \d", text("CHANGELOG.md"))[1]
        self.assertLess(section.count("\n"), 100)


if __name__ == "__main__":
    stoa_test.main()
