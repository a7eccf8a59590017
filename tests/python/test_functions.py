"""The functions of queries against DuckDB's, in the peers' environment."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test


class Functions(python_test.PeersTestCase):
    def test_functions(self):
        self.assert_passes("with_functions")

    def test_whole_questions(self):
        self.put(f"{python_test.HERE}/peer/questions.jsonl")
        self.assert_passes("with_questions")


if __name__ == "__main__":
    stoa_test.main()
