"""The peers are there and talk to each other."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test


class Peers(stoa_test.PeersTestCase):
    def test_each_peer_starts_and_says_its_version(self):
        said = self.peer_python(
            "import importlib.metadata as m, h5py, tables, pandas, pyarrow, anndata\n"
            "for name in 'h5py tables pandas pyarrow anndata numpy'.split():\n"
            "    print(name, m.version(name))\n"
        )
        self.assertEqual(len(said.splitlines()), 6, said)
        self.assertIn("h5dump: Version", self.peer("h5dump", "--version"))

    def test_duckdb_reads_csv_and_parquet(self):
        self.write("a.csv", "x,y\n1,a\n2,b\n")
        sql = (
            "copy (select * from 'a.csv') to 'a.parquet' (format parquet);\n"
            "select sum(x) as s, max(y) as y from 'a.parquet';\n"
        )
        self.assertEqual(self.peer_duckdb(sql), "s,y\n3,b\n")

    def test_pandas_reads_the_parquet_that_pyarrow_wrote(self):
        # By Arrow's own file system: given a name alone, pandas hands Arrow a Python file, whose
        # readers may outlive the interpreter and then never end (apache/arrow#50482).
        said = self.peer_python(
            "import pandas, pyarrow.fs, pyarrow.parquet\n"
            "pyarrow.parquet.write_table(pyarrow.table({'x': [1, 2, None]}), 'a.parquet')\n"
            "local = pyarrow.fs.LocalFileSystem()\n"
            "print(pandas.read_parquet('a.parquet', filesystem=local).x.sum())\n"
        )
        self.assertEqual(said, "3.0\n")


if __name__ == "__main__":
    stoa_test.main()
