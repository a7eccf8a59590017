"""Functions with the signatures of other libraries, beside these libraries."""

import importlib
import os
import shutil
from pathlib import Path
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test


class Doors(python_test.PeersTestCase):
    def test_pandas(self):
        self.assert_passes("with_read_hdf")

    def test_newer_pandas(self):
        self.assert_passes("with_read_hdf", newer=True)

    def test_pytables(self):
        self.assert_passes("with_tables")

    def test_anndata(self):
        self.assert_passes("with_anndata")

    def test_lh5(self):
        self.assert_passes("with_lh5")


class Descriptions(unittest.TestCase):
    def test_what_is_public_has_one(self):
        for name in ("pandas", "tables", "lh5", "dask"):
            module = importlib.import_module(f"pystoa.{name}")
            for key in module.__all__:
                value = getattr(module, key)
                parts = vars(value) if isinstance(value, type) else {}
                for part in (value, *(part for name, part in parts.items() if not name.startswith("_"))):
                    if callable(part) or isinstance(part, property):
                        self.assertTrue(part.__doc__, f"{key}: {part}")


class Pages(python_test.PeersTestCase):
    def test_they_show_what_is_so(self):
        shutil.copytree(python_test.PACKAGE, self.dir / "pystoa", ignore=shutil.ignore_patterns("__pycache__"))
        options = ("-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE")
        for page in ("python-tutorial", "howto/cells", "howto/sparse-from-python"):
            with self.subTest(page=page):
                self.put(stoa_test.SOURCE / f"docs/{page}.md")
                self.assertEqual(self.peer("python3", "-m", "doctest", *options, f"{Path(page).name}.md"), "")


class Examples(python_test.PeersTestCase):
    """Each example compares what it finds with its peer."""

    def shown(self, name):
        shutil.copytree(python_test.PACKAGE, self.dir / "pystoa", ignore=shutil.ignore_patterns("__pycache__"))
        self.put(stoa_test.SOURCE / f"examples/python/{name}.py")
        return self.peer("python3", f"{name}.py")

    def test_duckdb_join(self):
        self.assertRegex(self.shown("duckdb_join"), r"V07 +\d+")

    def test_lh5_waveforms(self):
        self.assertIn("of 500 waveforms", self.shown("lh5_waveforms"))

    def test_events_plot(self):
        self.assertRegex(self.shown("events_plot"), r"\d+ events around the line")

    def test_dask_files(self):
        self.assertIn("3 partitions with 5000 events", self.shown("dask_files"))

    def test_sparse_rows(self):
        self.assertRegex(self.shown("sparse_rows"), r"10 rows with \d+ links")

    def test_cells(self):
        self.assertRegex(self.shown("cells"), r"\d+ cells and \d+ genes are read")


if __name__ == "__main__":
    stoa_test.main()
