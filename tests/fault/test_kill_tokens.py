"""Writers killed at any of their writes, without a journal: h5py judges what tests/table/prop_token_kills.c leaves.

By the rules of HEP001-2026-07 §12.2 alone, an index whose tokens pass must describe its column
(tests/interop/peer/oracle.py). Files that HDF5 cannot read any more are counted, and nothing is asked
of them. `make tokenkills` does this 10,000 times.
"""

import os
import re
import shutil
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "interop"))
import stoa_test
from interop_test import PeerTestCase

KILLS = stoa_test.BUILD / "tests/table/prop_token_kills"
BATCH = 200  # kills, so that few files are there at once


class KillTokens(PeerTestCase):
    def killed(self, n, seed):
        """Kill n writers; the names of the files, and what the program said."""
        files = self.dir / "files"
        shutil.rmtree(files, ignore_errors=True)
        files.mkdir()
        env = {"STOA_TOKEN_KILLS": str(n), "STOA_TOKEN_KILLS_IN": str(files), "STOA_SEED": str(seed)}
        done = stoa_test.run(KILLS, env=env)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return [f"files/{name}" for name in sorted(os.listdir(files))], done.stdout

    def test_an_index_whose_tokens_pass_is_right(self):
        if not KILLS.exists():
            self.skipTest("the C tests are not built")
        seed = int(os.environ.get("STOA_SEED") or 1)
        left = stoa_test.effort(100)
        total = Counter()
        while left > 0:
            names, said = self.killed(min(left, BATCH), seed)
            total["kills"] += int(re.search(r"(\d+) kills", said).group(1))
            total["files"] += len(names)
            *findings, counts = self.peer("python3", "oracle.py", "--killed", *names).splitlines()
            total.update({name: int(n) for name, n in re.findall(r"(\w+)=(\d+)", counts)})
            self.assertEqual(findings, [], f"seed {seed}")
            left -= min(left, BATCH)
            seed += 1
        print(", ".join(f"{n} {name}" for name, n in total.items()))
        self.assertGreater(total["stale"], 0)
        self.assertGreater(total["CHUNK_MINMAX"], 0)


if __name__ == "__main__":
    stoa_test.main()
