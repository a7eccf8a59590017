"""The examples of the docstrings say what is so."""

import array
import doctest
import importlib
import os
import pkgutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test

import pystoa


class Examples(python_test.TestCase):
    def test_examples_give_what_they_show(self):
        os.chdir(self.dir)
        table = self.events()
        query = table.query("energy > ?", [5], columns=["energy"], limit=2)
        entries = array.array("Q", [0, 1, 1, 2]), array.array("d", [5.0, 7.0])
        pystoa._pystoa.sparse_write("net.h5", "/net", "f8", (2, 3), *entries, None, None, None, False, None)
        known = {"pystoa": pystoa, "table": table, "q": query, "file": pystoa.open(self.path)}
        n = 0
        for found in pkgutil.iter_modules(pystoa.__path__):
            try:
                module = importlib.import_module(f"pystoa.{found.name}")
            except ImportError as error:  # of a library that is not here
                self.assertNotIn("pystoa", error.name)
                continue
            result = doctest.testmod(module, extraglobs=known)
            self.assertEqual(result.failed, 0, module.__name__)
            n += result.attempted
        self.assertGreater(n, 15)

    def test_the_guide_shows_what_is_so(self):
        os.chdir(self.dir)
        os.remove(self.path)
        page = str(stoa_test.SOURCE / "docs/python.md")
        result = doctest.testfile(page, module_relative=False)
        self.assertGreater(result.attempted, 15)
        self.assertEqual(result.failed, 0)

    def test_the_engine_of_xarray_is_entered(self):
        import tomllib

        with open(stoa_test.SOURCE / "python/pyproject.toml", "rb") as file:
            entries = tomllib.load(file)["project"]["entry-points"]["xarray.backends"]
        self.assertEqual(entries, {"stoa": "pystoa.xarray:StoaBackendEntrypoint"})

    def test_what_is_public_has_a_description(self):
        missing = []
        for name in pystoa.__all__:
            value = getattr(pystoa, name)
            if isinstance(value, type):
                parts = {f"{name}.{k}": v for k, v in vars(value).items() if not k.startswith("_")}
                for key, part in {name: value, **parts}.items():
                    if (callable(part) or isinstance(part, property)) and not part.__doc__:
                        missing.append(key)
            elif callable(value) and not value.__doc__:
                missing.append(name)
        self.assertEqual(missing, [])


if __name__ == "__main__":
    stoa_test.main()
