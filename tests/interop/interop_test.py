"""What the tests with peers share: the programs of tests/interop/peer, run in the peers' root."""

import json
import os

import stoa_test

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = stoa_test.SOURCE / "examples" / "data"


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
