"""The ABI of the public headers is that of the last release, or one that grew (docs/api-stability.md)."""

import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

SCRIPT = stoa_test.SOURCE / "scripts/abi"
INCLUDE = stoa_test.SOURCE / "include"


class Abi(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        if not shutil.which("abidiff"):
            self.skipTest("abidiff is not installed (Debian: abigail-tools)")

    def compare(self, include):
        return stoa_test.run(str(SCRIPT), "--include", include)

    def with_change(self, header, old, new):
        """What the script says of headers of which one was changed."""
        include = f"{self.dir}/include"
        shutil.rmtree(include, ignore_errors=True)
        shutil.copytree(INCLUDE, include)
        with open(f"{include}/stoa/{header}") as file:
            text = file.read()
        self.assertEqual(len(re.findall(old, text)), 1, f"{old} in {header}")
        with open(f"{include}/stoa/{header}", "w") as file:
            file.write(re.sub(old, new, text))
        return self.compare(include)

    def refuses(self, header, old, new):
        done = self.with_change(header, old, new)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("stoa_", done.stdout)

    def allows(self, header, old, new):
        done = self.with_change(header, old, new)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_programs_of_the_last_release_go_on_working(self):
        done = self.compare(INCLUDE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_struct_with_a_size_grows_at_its_end(self):
        self.allows("table.h", r"\} stoa_open_options;", "    int *more;\n} stoa_open_options;")

    def test_no_struct_grows_into_its_padding(self):
        # An older program says that it has these bytes, and has never set them.
        self.refuses("file.h", r"\} stoa_file_options;", "    bool more;\n} stoa_file_options;")

    def test_a_function_more_is_no_break(self):
        self.allows("version.h", r"STOA_END_DECLS", "STOA_API int stoa_more(int n);\nSTOA_END_DECLS")

    def test_a_status_more_is_no_break(self):
        self.allows("error.h", r"(STOA_ECANCELLED = 14)", r"\1,\n    STOA_EMORE = 15")

    def test_members_stay_where_they_are(self):
        self.refuses("query.h", r"(    const char \*where;)", r"    int before;\n\1")

    def test_members_stay(self):
        self.refuses("query.h", r"    const char \*sort;", "    int sort;")

    def test_a_fixed_struct_does_not_grow(self):
        self.refuses("sparse_matrix.h", r"\} stoa_matrix;", "    int more;\n} stoa_matrix;")

    def test_a_function_stays(self):
        self.refuses("version.h", r"STOA_API unsigned stoa_version_number\(void\);", "")

    def test_arguments_stay(self):
        self.refuses("version.h", r"(stoa_codec_name)\(size_t i\)", r"\1(int i)")

    def test_a_status_keeps_its_number(self):
        self.refuses("error.h", r"STOA_EIO = 11", "STOA_EIO = 15")


if __name__ == "__main__":
    stoa_test.main()
