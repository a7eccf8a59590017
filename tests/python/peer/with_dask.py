"""A table as a DataFrame of Dask: its values are those of pandas, and its partitions those that count."""

import os
import pickle
import tempfile
import unittest
from pathlib import Path

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pystoa
import pystoa.dask
from pystoa import col

N = 10_000


class Dask(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        os.environ["XDG_STATE_HOME"] = str(cls.folder / "state")
        random = np.random.default_rng(1)
        frames = []
        for i in range(4):
            frame = pd.DataFrame({
                "eid": np.arange(i * N, (i + 1) * N), "energy": random.exponential(500, N),
                "det": random.integers(0, 5, N, dtype="i2"), "good": random.random(N) < 0.5,
                "label": random.choice(["a", "b", f"only-{i}"], N),
                "when": pd.Timestamp("2026-07-01") + pd.to_timedelta(np.arange(N), "s"),
            })  # fmt: skip
            frame.loc[::7, "energy"] = np.nan
            pystoa.write(cls.folder / f"run-{i}.h5", "/events", frame, chunk_rows=500,
                         indexes={"eid": "minmax"}, plain_strings=True)  # fmt: skip
            frames.append(frame)
        cls.frame = pd.concat(frames, ignore_index=True)
        cls.files = str(cls.folder / "run-*.h5")

    def same(self, found, expected):
        pd.testing.assert_frame_equal(
            found.reset_index(drop=True), expected.reset_index(drop=True), check_dtype=False, check_freq=False
        )

    def test_a_table_of_many_files(self):
        found = pystoa.dask.read(self.files, "/events", partition_rows=3300)
        self.assertEqual(found.npartitions, 4 * 4)  # of 3000, 3000, 3000 and 1000 rows
        self.assertEqual(list(found.columns), list(self.frame.columns))
        self.assertEqual([len(part) for part in dask.compute(*found.to_delayed())][:4], [3000, 3000, 3000, 1000])
        whole = found.compute()
        self.same(whole, self.frame)
        self.assertEqual([str(t) for t in found.dtypes], [str(t) for t in whole.dtypes])
        expected = self.frame.groupby("det").energy.mean()
        means = found.groupby("det").energy.mean().compute().sort_index()
        pd.testing.assert_series_equal(means, expected, check_index_type=False)
        dd.assert_eq(found, whole, check_index=False, check_divisions=False)

    def test_partitions_without_rows_are_not_scheduled(self):
        for where, params in (("eid between ? and ?", [12_345, 13_456]), (col("eid").between(12_345, 13_456), None)):
            found = pystoa.dask.read(self.files, "/events", where=where, params=params, partition_rows=500)
            self.assertEqual(found.npartitions, 3)
            self.same(found.compute(), self.frame[self.frame.eid.between(12_345, 13_456)])
            found = pystoa.dask.read(self.files, "/events", where=where, params=params, partition_rows=500,
                                     indexes="none")  # fmt: skip
            self.assertEqual(found.npartitions, 80)
            self.same(found.compute(), self.frame[self.frame.eid.between(12_345, 13_456)])
        found = pystoa.dask.read(self.files, "/events", where="eid < 0")
        self.assertEqual(found.npartitions, 1)
        self.same(found.compute(), self.frame[:0])

    def test_columns_that_are_not_needed_are_not_read(self):
        asked = []
        frame_of = pystoa.dask._Read.frame

        def spy(self, table, rows, columns):
            asked.append(tuple(columns))
            return frame_of(self, table, rows, columns)

        found = pystoa.dask.read(self.files, "/events")
        pystoa.dask._Read.frame = spy
        try:
            total = found.energy.sum().compute(scheduler="synchronous")
        finally:
            pystoa.dask._Read.frame = frame_of
        self.assertAlmostEqual(total, self.frame.energy.sum())
        self.assertEqual(set(asked), {("energy",)})
        found = pystoa.dask.read(self.files, "/events", columns=["det", "eid"], where="energy > 1000")
        self.same(found.compute(), self.frame[self.frame.energy > 1000][["det", "eid"]])

    def test_labels_of_all_files(self):
        for i in range(2):
            pystoa.write(self.folder / f"label-{i}.h5", "/t", {"label": ["x", f"y{i}", None] * 100})
        found = pystoa.dask.read(str(self.folder / "label-*.h5"), "/t")
        labels = found.label.compute().astype(object).fillna("none").tolist()
        self.assertEqual(labels, ["x", "y0", "none"] * 100 + ["x", "y1", "none"] * 100)
        counts = found.label.astype(object).value_counts().compute()
        self.assertEqual(counts.to_dict(), {"x": 200, "y0": 100, "y1": 100})

    def test_missing_integers_are_kept_or_refused(self):
        pystoa.write(self.folder / "missing.h5", "/t", {"n": [1, None, 3], "b": [True, None, False]})
        found = pystoa.dask.read(self.folder / "missing.h5", "/t", dtype_backend="numpy_nullable")
        self.assertEqual([str(t) for t in found.dtypes], ["Int64", "boolean"])
        self.assertEqual(found.n.compute().tolist(), [1, pd.NA, 3])
        with self.assertRaisesRegex(TypeError, "'n' has missing values of int64"):
            pystoa.dask.read(self.folder / "missing.h5", "/t").compute(scheduler="synchronous")

    def test_what_makes_no_sense_is_refused(self):
        pystoa.write(self.folder / "other.h5", "/events", {"eid": ["a"]})
        with self.assertRaisesRegex(TypeError, "other.h5.*other types"):
            pystoa.dask.read([self.folder / "run-0.h5", self.folder / "other.h5"], "/events", columns=["eid"])
        with self.assertRaises(KeyError):
            pystoa.dask.read(self.files, "/none")
        with self.assertRaises(FileNotFoundError):
            pystoa.dask.read(self.folder / "none-*.h5", "/events")
        with self.assertRaises(ValueError):
            pystoa.dask.read(self.files, "/events", partition_rows=0)
        found = pystoa.dask.read(self.files, "/events")
        for path in ("out.h5", "*/out.h5", "a*b*.h5"):
            with self.assertRaises(ValueError):
                pystoa.dask.write(found, self.folder / path, "/t")

    def test_one_file_a_partition(self):
        found = pystoa.dask.read(self.files, "/events", partition_rows=5000)
        some = found[found.eid >= 9_000]
        files = pystoa.dask.write(some, self.folder / "some-*.h5", "/sel", units={"energy": "keV"},
                                  indexes=["eid"])  # fmt: skip
        self.assertEqual([os.path.basename(name) for name in files], [f"some-{i}.h5" for i in range(1, 8)])
        back = pystoa.dask.read(self.folder / "some-*.h5", "/sel")
        self.same(back.compute(), self.frame[self.frame.eid >= 9_000])
        self.assertEqual(pystoa.open(files[0], "/sel")["energy"].units, "keV")
        with self.assertRaises(FileExistsError):
            pystoa.dask.write(some, self.folder / "some-*.h5", "/sel")
        later = pystoa.dask.write(some, self.folder / "some-*.h5", "/sel", replace=True, compute=False)
        self.assertEqual(later.compute(), files)
        pystoa.dask.write(found.set_index("eid"), self.folder / "index-*.h5", "/t", index=True)
        self.same(pystoa.dask.read(self.folder / "index-*.h5", "/t").compute(), self.frame)

    def test_a_graph_is_pickled(self):
        found = pickle.loads(pickle.dumps(pystoa.dask.read(self.files, "/events", where="eid < ?", params=[100])))
        self.assertEqual(len(found.compute()), 100)

    def test_two_worker_processes(self):
        from distributed import Client, LocalCluster

        cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                               local_directory=str(self.folder))  # fmt: skip
        with cluster, Client(cluster) as client:
            found = pystoa.dask.read(self.files, "/events", partition_rows=500)
            processes = client.run(os.getpid)
            self.assertEqual(len(set(processes.values()) | {os.getpid()}), 3)
            self.assertAlmostEqual(found.energy.sum().compute(), self.frame.energy.sum())
            who = found.map_partitions(lambda part: pd.DataFrame({"pid": [os.getpid()]}), meta={"pid": "i8"})
            self.assertEqual(set(who.pid.compute()), set(processes.values()))
            files = pystoa.dask.write(found[found.det == 3], self.folder / "det3-*.h5", "/t")
            self.assertEqual(len(files), 80)
        back = pystoa.dask.read(self.folder / "det3-*.h5", "/t").compute()
        self.same(back, self.frame[self.frame.det == 3])


if __name__ == "__main__":
    unittest.main()
