"""DuckDB and pyarrow's datasets over tables, in the peers' environment."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test


class DuckDB(python_test.PeersTestCase):
    def test_duckdb(self):
        self.assert_passes("with_duckdb")


if __name__ == "__main__":
    stoa_test.main()
