"""Every type of the libraries that Python users have, there and back, in the peers' environment."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test


class Types(python_test.PeersTestCase):
    def test_types(self):
        self.assert_passes("with_types")


if __name__ == "__main__":
    stoa_test.main()
