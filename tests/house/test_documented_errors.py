"""Each status that the headers promise of some calls is provoked by tests/layout/test_documented_errors.c.

The C program says that the calls fail as promised; this says that no promise is left out.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

CALLS = [
    "stoa_column_read",
    "stoa_csv_open",
    "stoa_jsonl_open",
    "stoa_file_open",
    "stoa_index_add",
    "stoa_layout_select_rows",
    "stoa_place_only_table",
    "stoa_query_open",
    "stoa_sparse_move",
    "stoa_sparse_open",
    "stoa_table_append",
    "stoa_table_open",
    "stoa_table_write",
]


def returns():
    """What is said behind @return of each call of the headers."""
    said = {}
    for header in (stoa_test.SOURCE / "include/stoa").glob("*.h"):
        found = re.findall(
            r"/\*\*((?:(?!\*/).)*)\*/\s*(?:STOA_MUST_CHECK )?STOA_API stoa_status (\w+)\(",
            header.read_text(),
            re.DOTALL,
        )
        said.update({name: text.partition("@return")[2] for text, name in found})
    return said


def promised(call, said):
    """The statuses of a call, and of those that it fails like: "else as stoa_x()"."""
    statuses = set(re.findall(r"\bSTOA_E[A-Z0-9]+\b", said[call]))
    for other in re.findall(r"\bas[\s*]+(stoa_\w+)\(\)", said[call]):
        statuses |= promised(other, said)
    return statuses


def provoked():
    text = (stoa_test.SOURCE / "tests/layout/test_documented_errors.c").read_text()
    return set(re.findall(r"\bPROVOKE\((STOA_E\w+),\s*(stoa_\w+),", text))


class DocumentedErrors(stoa_test.TestCase):
    def test_each_promise_is_provoked(self):
        said = returns()
        wanted = {(status, call) for call in CALLS for status in promised(call, said)}
        self.assertGreater(len(wanted), 30)
        self.assertEqual(sorted(wanted - provoked()), [], "promised in a header, and not provoked")

    def test_each_failure_is_promised(self):
        said = returns()
        wanted = {(status, call) for call in CALLS for status in promised(call, said)}
        self.assertEqual(sorted(provoked() - wanted), [], "provoked, and in no header")


if __name__ == "__main__":
    stoa_test.main()
