"""Plots: what is drawn is what NumPy counts."""

import tempfile
import unittest
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pystoa


class Plots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(plt.close, "all")
        self.path = Path(folder.name) / "a.h5"
        random = np.random.default_rng(1)
        n = 20_000
        self.data = {
            "energy": random.exponential(500, n),
            "delay": random.normal(10, 2, n).astype("f4"),
            "det": random.integers(0, 5, n),
            "label": np.array(["muon", "gamma", "$\\alpha"])[random.integers(0, 3, n)],
            "when": np.datetime64("2026-07-01", "ms") + random.integers(0, 10**8, n),
            "good": random.random(n) < 0.9,
        }
        self.data["energy"][:3] = [np.nan, np.inf, -np.inf]
        masked = np.ma.array(self.data["delay"], mask=random.random(n) < 0.1)
        pystoa.write(self.path, "/t", self.data | {"delay": masked}, units={"energy": "keV"})
        self.delay = masked
        self.table = pystoa.open(self.path, "/t")
        self.addCleanup(self.table.close)

    def test_a_histogram_counts_what_numpy_counts(self):
        energy = self.data["energy"][3:]
        ax = self.table.plot("energy", bins=50)
        found = ax.patches[0].get_data()
        counts, edges = np.histogram(energy, 50)
        np.testing.assert_array_equal(found.values, counts)
        np.testing.assert_allclose(found.edges, edges)
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("energy [keV]", "rows"))
        found = self.table.plot("delay", bins=20, range=(5, 15)).patches[0].get_data()
        np.testing.assert_array_equal(found.values, np.histogram(self.delay.compressed(), 20, (5, 15))[0])
        ax = self.table.plot("energy", where="det = ?", params=[3], log=True)
        expected = np.histogram(energy[self.data["det"][3:] == 3], 100)[0]
        np.testing.assert_array_equal(ax.patches[0].get_data().values, expected)
        self.assertEqual(ax.get_yscale(), "log")

    def test_axes_may_be_given(self):
        _, ax = plt.subplots()
        self.assertIs(self.table.plot("energy", ax=ax), ax)

    def test_times_are_times(self):
        ax = self.table.plot("when", bins=10)
        found = ax.patches[0].get_data()
        self.assertEqual(found.values.sum(), 20_000)
        low = matplotlib.dates.num2date(matplotlib.dates.date2num(self.data["when"].min()))
        self.assertEqual(matplotlib.dates.num2date(ax.xaxis.convert_units(found.edges[0])), low)
        ax = self.table.plot("when", "energy")
        self.assertEqual(ax.collections[0].get_array().sum(), 19_997)

    def test_labels_are_bars(self):
        for name in ("label", "good"):
            ax = self.table.plot(name)
            labels, counts = np.unique(self.data[name], return_counts=True)
            found = {text.get_text(): bar.get_width() for text, bar in zip(ax.get_yticklabels(), ax.patches)}
            self.assertEqual(found, dict(zip(map(str, labels), counts)))
        pystoa.write(self.path, "/n", {"n": ["x", "y", "x"]})
        with pystoa.open(self.path, "/n") as table:
            self.assertEqual([bar.get_width() for bar in table.plot("n").patches], [1, 2])

    def test_two_columns(self):
        ax = self.table.plot("energy", "delay", bins=30)
        known = np.isfinite(self.data["energy"]) & ~self.delay.mask
        energy, delay = self.data["energy"][known], self.delay.data[known].astype("f8")
        edges = [np.linspace(self.data["energy"][3:].min(), self.data["energy"][3:].max(), 31),
                 np.linspace(*(float(f(self.delay.compressed())) for f in (np.min, np.max)), 31)]  # fmt: skip
        expected = np.histogram2d(energy, delay, edges)[0]
        np.testing.assert_array_equal(ax.collections[0].get_array().filled(0).reshape(30, 30), expected.T)
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("energy [keV]", "delay"))
        ax = self.table.plot("energy", "energy", "energy < 20")
        energy = self.data["energy"]
        np.testing.assert_array_equal(ax.collections[0].get_offsets()[:, 0], energy[(energy < 20)])

    def test_no_rows(self):
        for arguments in (["energy"], ["energy", "delay"], ["label"]):
            self.table.plot(*arguments, where="det > 100").figure.canvas.draw()
        self.table.plot("energy", "delay", where="det > 100", log=True).figure.canvas.draw()

    def test_waveforms(self):
        lists = [np.arange(i + 3) * 1.5 for i in range(4)]
        values = {"wf.values": lists, "wf.dt": [2.0] * 4, "wf.t0": [0.0, 1.0, 2.0, 3.0]}
        import pyarrow

        table = pyarrow.table(values)
        pystoa.write(self.path.with_suffix(".lh5"), "/w", table, layout="lh5", units={"wf.dt": "ns", "wf.t0": "ns"})
        with pystoa.open(self.path.with_suffix(".lh5"), "/w") as found:
            ax = found.plot.waveforms(rows=[1, -1])
            self.assertEqual(ax.get_xlabel(), "time [ns]")
            self.assertEqual(len(ax.lines), 2)
            np.testing.assert_array_equal(ax.lines[0].get_xdata(), 1.0 + 2.0 * np.arange(4))
            np.testing.assert_array_equal(ax.lines[1].get_ydata(), lists[3])
            self.assertEqual(len(found.plot.waveforms("wf.values", slice(1, 3)).lines), 2)
            self.assertEqual(len(found.plot.waveforms(rows=9).lines), 4)
            with self.assertRaises(IndexError):
                found.plot.waveforms(rows=[4])
            with self.assertRaises(TypeError):
                found.plot.waveforms("wf.dt")
        with self.assertRaises(pystoa.ArgumentError):
            self.table.plot.waveforms()

    def test_what_has_no_axis_is_refused(self):
        with self.assertRaises(KeyError):
            self.table.plot("charge")
        with self.assertRaises(TypeError):
            self.table.plot("energy", "label")


if __name__ == "__main__":
    unittest.main()
