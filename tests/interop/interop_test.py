"""What the tests with peers share: the programs of tests/interop/peer, run among the peers."""

import csv
import io
import json
import os
import re

import stoa_test

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = stoa_test.SOURCE / "examples" / "data"

FIELD = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)')


def csv_rows(text):
    """CSV as (field, whether it is quoted), which Python's csv does not tell; else that agrees."""
    rows, row, at = [], [], 0
    while at < len(text):
        found = FIELD.match(text, at)
        if found is None:
            raise AssertionError(f"no CSV: {text[at : at + 50]!r}")
        quoted, plain, end = found.groups()
        row.append((plain if quoted is None else quoted.replace('""', '"'), quoted is not None))
        if end == "\n":
            rows.append(row)
            row = []
        at = found.end()
    python = [fields or [""] for fields in csv.reader(io.StringIO(text, newline=""))]
    if python != [[field for field, _ in fields] for fields in rows] or row:
        raise AssertionError("Python reads other CSV")
    return rows


class PeerTestCase(stoa_test.PeersTestCase):
    def setUp(self):
        super().setUp()
        for name in os.listdir(f"{HERE}/peer"):
            if name.endswith(".py"):
                self.put(f"{HERE}/peer/{name}")

    def assert_says_nothing(self, program, *arguments):
        said = self.peer("python3", program, *arguments).splitlines()
        if said:
            self.fail("\n".join([f"{program} has {len(said)} findings:", *said[:20]]))

    def assert_reads_back(self, jobs):
        """jobs: {HDF5 file: CSV file for pandas, or columns}; all lie in self.dir."""
        listed = [{"file": file, "expect": expect} for file, expect in jobs.items()]
        self.write("jobs.json", json.dumps(listed))
        self.assert_says_nothing("read_back.py", "jobs.json")

    def assert_conformant(self, files):
        """Each attribute, fill value, reference and index of the files is as HEP001 says."""
        self.assert_says_nothing("audit.py", *files)
