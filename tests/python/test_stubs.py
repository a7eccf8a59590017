"""The annotations of the package and the stub of its extension, by mypy."""

import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test


class Stubs(python_test.PeersTestCase):
    def test_mypy_has_no_findings(self):
        shutil.copytree(python_test.PACKAGE, self.dir / "pystoa", ignore=shutil.ignore_patterns("__pycache__"))
        self.put(stoa_test.SOURCE / "python/pyproject.toml")
        said = self.peer("python3", "-m", "mypy", "--cache-dir", os.devnull, status=None)
        self.assertIn("no issues found", said, said)


if __name__ == "__main__":
    stoa_test.main()
