"""Why libhdf5 failed is asked while the error stack is held: later, the reason may be of another thread's call."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

SRC = stoa_test.SOURCE / "src"
# Who defines it, and the macros around it.
OWN = ("hdf/ids.c", "hdf/ids.h")
WORD = re.compile(r"\bstoa_error_stack_begin\b|\bstoa_error_stack_(?:end|discard)\b|\bstoa_hdf_fail\b")
FUNCTION = re.compile(r"^\{$(.*?)^\}$", re.DOTALL | re.MULTILINE)


def outside(text):
    """Lines where the reason is asked for without the error stack."""
    lines = []
    for function in FUNCTION.finditer(text):
        n_begun = 0
        for word in WORD.finditer(function.group(1)):
            if word.group() == "stoa_error_stack_begin":
                n_begun += 1
            elif word.group() != "stoa_hdf_fail":
                n_begun = max(0, n_begun - 1)
            elif n_begun == 0:
                lines.append(1 + text.count("\n", 0, function.start(1) + word.start()))
    return lines


class Reasons(stoa_test.TestCase):
    def test_none_is_asked_for_without_the_error_stack(self):
        wrong = [f"{path.relative_to(SRC)}:{line}"
                 for path in sorted(SRC.rglob("*.c")) if str(path.relative_to(SRC)) not in OWN
                 for line in outside(path.read_text())]  # fmt: skip
        self.assertEqual(wrong, [])

    def test_those_outside_are_found(self):
        begins = "    q = stoa_error_stack_begin();\n"
        asks = '    stoa_hdf_fail(err, "x");\n'
        ends = "    stoa_error_stack_end(&q);\n"
        self.assertEqual(outside("{\n" + begins + asks + ends + "}\n"), [])
        self.assertEqual(outside("{\n" + asks + "}\n"), [2])
        self.assertEqual(outside("{\n" + begins + ends + asks + "}\n"), [4])


if __name__ == "__main__":
    stoa_test.main()
