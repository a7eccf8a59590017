"""Bars of tqdm, which need no code of the caller's: pystoa/_progress.py."""

import io
import os
import sys
import types
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test

from pystoa import _progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Tqdm:
    """Stands for tqdm.auto.tqdm, and notes what is shown."""

    made = []

    def __init__(self, total, desc, **_):
        self.total, self.desc, self.n, self.is_closed = total, desc, 0, False
        self.made.append(self)

    def update(self, more):
        self.n += more

    def close(self):
        self.is_closed = True


class Bars(python_test.TestCase):
    def setUp(self):
        super().setUp()
        Tqdm.made = []
        auto = types.SimpleNamespace(tqdm=Tqdm)
        modules = {"tqdm": types.SimpleNamespace(auto=auto), "tqdm.auto": auto}
        for patch in (mock.patch.dict(sys.modules, modules), mock.patch.object(_progress, "DELAY", -1)):
            patch.start()
            self.addCleanup(patch.stop)

    def test_a_long_call_has_a_bar_in_a_terminal(self):
        with mock.patch.object(sys, "stderr", Terminal()):
            bar = _progress.shown(None)
        for rows in (10, 20, 30):
            bar("scan", rows, 100)
        bar("sort", 5, 30)
        bar("sort", 30, 30)
        self.assertEqual([(b.desc, b.total, b.n) for b in Tqdm.made], [("scan", 100, 30), ("sort", 30, 30)])
        self.assertTrue(Tqdm.made[0].is_closed)
        del bar
        self.assertTrue(Tqdm.made[1].is_closed)

    def test_without_tqdm_it_is_looked_for_once(self):
        bar = _progress.Bar()
        with mock.patch.dict(sys.modules, {"tqdm": None, "tqdm.auto": None}), \
                mock.patch("builtins.__import__", wraps=__import__) as imports:  # fmt: skip
            for rows in range(10):
                bar("scan", rows, 100)
        self.assertEqual([call.args[0] for call in imports.call_args_list], ["tqdm.auto"])

    def test_a_query_shows_it(self):
        import pystoa

        path = self.dir / "long.h5"
        with mock.patch.object(sys, "stderr", Terminal()):
            pystoa.write(path, "/t", {"x": range(300_000)})
            table = pystoa.open(path, "/t")
            for _ in range(50):  # each looks at its progress every 20 ms
                table.query("x * x % 7 = 3", sort="x:desc").to_list()
                if Tqdm.made:
                    break
        self.assertTrue(Tqdm.made)

    def test_nobody_looks(self):
        self.assertIsNone(_progress.shown(None))
        with mock.patch.object(sys, "stderr", Terminal()):
            self.assertIsNone(_progress.shown(False))
            self.assertIs(_progress.shown(print), print)

    def test_a_short_call_shows_nothing(self):
        with mock.patch.object(_progress, "DELAY", 1000):
            bar = _progress.Bar()
            bar("scan", 1, 2)
            bar("scan", 2, 2)
        self.assertEqual(Tqdm.made, [])


if __name__ == "__main__":
    stoa_test.main()
