"""What the libraries show to a linker: names that start with stoa_, and nothing else."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

INCLUDE = stoa_test.SOURCE / "include"
LIST = stoa_test.SOURCE / "abi/libstoa.symbols"


class Symbols(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        if os.environ.get("STOA_SANITIZE"):
            self.skipTest("a sanitizer adds symbols of its own")

    def symbols(self, *command):
        done = stoa_test.run("nm", "--defined-only", *command)
        self.assertEqual(done.returncode, 0, done.stderr)
        # "address letter name"; a capital letter is a symbol that others see.
        return set(re.findall(r"^[0-9a-f]+ [A-Z] (\S+)$", done.stdout, re.MULTILINE))

    def test_the_shared_library_exports_only_stoa_names(self):
        names = self.symbols("-D", stoa_test.BUILD / "libstoa.so")
        self.assertTrue(names)
        self.assertEqual([n for n in names if not n.startswith("stoa_")], [])

    def test_the_static_library_claims_only_stoa_names(self):
        names = self.symbols(stoa_test.BUILD / "libstoa.a")
        self.assertEqual([n for n in names if not re.match(r"stoa_", n)], [])

    def test_what_is_exported_is_what_the_headers_declare(self):
        text = "".join(p.read_text() for p in INCLUDE.glob("stoa/*.h"))
        text = stoa_test.without_comments(text)
        declared = set(re.findall(r"\bSTOA_API\b[^;()]*?\b(stoa_\w+)\s*(?:\(|;)", text))
        exported = self.symbols("-D", stoa_test.BUILD / "libstoa.so")
        self.assertEqual(sorted(declared - exported), [], "declared, but not in the library")
        self.assertEqual(sorted(exported - declared), [], "in the library, but in no header")

    def test_what_is_exported_is_listed(self):
        listed = LIST.read_text().split()
        exported = self.symbols("-D", stoa_test.BUILD / "libstoa.so")
        how = "a program may need it: see docs/api-stability.md"
        self.assertEqual(sorted(set(listed) - exported), [], f"gone; {how}")
        self.assertEqual(sorted(exported - set(listed)), [], f"not listed; {how}")
        self.assertEqual(listed, sorted(set(listed)), "in order, each once")

    def test_the_soname_changes_with_each_release_that_may_break_programs(self):
        done = stoa_test.run("objdump", "-p", stoa_test.BUILD / "libstoa.so")
        major, minor = re.search(
            r'#define STOA_VERSION "(\d+)\.(\d+)', (INCLUDE / "stoa/stoa.h").read_text()
        ).groups()
        version = f"0.{minor}" if major == "0" else major
        self.assertRegex(done.stdout, rf"SONAME +libstoa\.so\.{re.escape(version)}\n")
        self.assertIn(f"`libstoa.so.{version}`", (stoa_test.SOURCE / "docs/api-stability.md").read_text())

    def test_the_library_stays_loaded_as_its_filters_stay_registered(self):
        done = stoa_test.run("readelf", "-d", stoa_test.BUILD / "libstoa.so")
        self.assertIn("NODELETE", done.stdout)


if __name__ == "__main__":
    stoa_test.main()
