"""stoa subset and stoa concat beside anndata, LEGEND's own packages and h5py: what they make of the same files."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

# Filters of cells and genes; pandas' queries are written like those of Stoa.
FILTERS = [("i1 > 0", "u8 > 3"), ("i1 == 3", ""), ("cat == 'x'", ""), ("", "f4 < 0.5"),
           ("Int > 3 and f4 < 0.9", "f8 > 0.1")]  # fmt: skip

# A process is counted from its fork on: from one of a small parent, not from this one's.
MEASURE = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(child.pid, 0)
print(status, usage.ru_maxrss * 1024)
"""

LARGE = """
import h5py, numpy as np, pandas as pd, anndata, scipy.sparse as sp
r = np.random.default_rng(1)
n, m, k = 20000, 4000, 400
x = sp.csr_matrix((np.ones(n * k, "f4"), r.integers(0, m, n * k).astype("i4"), np.arange(n + 1) * k), shape=(n, m))
obs = pd.DataFrame({"q": r.random(n)}, index=[f"c{i}" for i in range(n)])
var = pd.DataFrame({"v": r.random(m)}, index=[f"g{i}" for i in range(m)])
made = anndata.AnnData(x, obs, var)
made.layers["dense"] = np.zeros((n, m), "u1")
made.write_h5ad("large.h5ad")
"""

CHECK = """
import anndata, numpy as np
whole, part = anndata.read_h5ad("large.h5ad"), anndata.read_h5ad("part.h5ad")
want = whole[whole.obs.q < 0.5, whole.var.v < 0.5]
assert (part.obs_names == want.obs_names).all() and (part.var_names == want.var_names).all()
assert abs(part.X - want.X).sum() == 0 and part.layers["dense"].shape == want.shape
"""

CHECK_JOINED = """
import anndata, numpy as np
parts = anndata.read_h5ad("large.h5ad"), anndata.read_h5ad("part.h5ad")
joined, want = anndata.read_h5ad("joined.h5ad"), anndata.concat(parts)
assert (joined.obs_names == want.obs_names).all() and (joined.var_names == want.var_names).all()
assert abs(joined.X - want.X).sum() == 0 and joined.layers["dense"].shape == want.shape
"""


class Subsets(PeerTestCase):
    def subset(self, source, target, *options):
        (self.dir / target).unlink(missing_ok=True)
        return self.stoa("subset", self.dir / source, *options, self.dir / target)

    def judged(self, jobs):
        """The datasets that the subsets lack, where anndata's own selection is equal."""
        named = [[source, f"{k}.h5ad", obs, var] for k, (source, obs, var) in enumerate(jobs)]
        for source, target, obs, var in named:
            options = [word for option, text in (("--obs", obs), ("--var", var)) if text
                       for word in (option, text)]  # fmt: skip
            self.subset(source, target, *options)
        self.write("jobs.json", json.dumps(named))
        said = self.peer("python3", "anndatas.py", "subsets", "jobs.json").splitlines()
        self.assertEqual([line.split()[0] for line in said], [job[1] for job in named])
        return [line.split()[1:] for line in said]


class AnnData(Subsets):
    def test_a_subset_is_what_anndata_selects(self):
        self.peer("python3", "anndatas.py", "make")
        jobs = [(source, *both) for source in ("whole0.h5ad", "whole1.h5ad") for both in FILTERS]
        jobs += [("old07.h5ad", "n > 1", "q > 0"), ("old06.h5ad", "n > 5", "q < 9"),
                 ("whole1.h5ad", "i1 > 100", "")]  # fmt: skip
        self.assertEqual(self.judged(jobs), [[]] * len(jobs))

    def test_ragged_arrays_and_colours_are_selected(self):
        self.peer("python3", "anndatas.py", "parts")
        gone = self.judged([("parts.h5ad", *both) for both in FILTERS])
        # anndata drops colours that are more or fewer than the labels.
        numbers, both = ["uns/numbers_colors"], ["uns/cat_colors", "uns/numbers_colors"]
        self.assertEqual(gone, [numbers, numbers, both, numbers, numbers])

    def peak(self, *command):
        """Run a command; the bytes that it had in memory at most."""
        done = stoa_test.run(sys.executable, "-c", MEASURE, stoa_test.STOA, *command)
        status, peak = map(int, done.stdout.split())
        self.assertEqual(status, 0, done.stderr)
        return peak

    def test_memory_is_bounded(self):
        if any(mark in Path(stoa_test.STOA).read_bytes() for mark in (b"__asan_", b"__tsan_")):
            self.skipTest("a sanitizer takes up memory of its own")
        self.peer_python(LARGE)
        source, target = self.dir / "large.h5ad", self.dir / "part.h5ad"
        self.assertGreater(source.stat().st_size, 140_000_000)
        self.assertLess(self.peak("subset", source, "--obs", "q < 0.5", "--var", "v < 0.5", target), 64_000_000)
        self.peer_python(CHECK)
        self.assertLess(self.peak("concat", source, target, self.dir / "joined.h5ad"), 64_000_000)
        self.peer_python(CHECK_JOINED)

    def test_damaged_files_are_refused_as_a_whole(self):
        self.peer("python3", "anndatas.py", "damage")
        damaged = json.loads((self.dir / "broken.json").read_text())
        refused = 0
        for name in [*damaged, "uneven0.h5ad", "uneven1.h5ad", "uneven2.h5ad"]:
            with self.subTest(name=name):
                target = self.dir / f"of_{name}"
                done = stoa_test.run(stoa_test.STOA, "subset", self.dir / name, "--obs", "n > 1", target)
                self.assertIn(done.returncode, (0, 3), done.stderr)
                self.assertEqual(target.exists(), done.returncode == 0)
                refused += done.returncode != 0
        self.assertGreater(refused, 20)


class Concat(PeerTestCase):
    def test_joined_files_are_what_anndata_joins(self):
        self.peer("python3", "anndatas.py", "batches")
        for kind in ("batch", "mixed"):
            files = [f"{kind}{k}.h5ad" for k in range(3)]
            for join in ("inner", "outer"):
                with self.subTest(kind=kind, join=join):
                    out = f"{kind}_{join}.h5ad"
                    self.stoa("concat", *(self.dir / file for file in files), self.dir / out, "--join", join,
                              "--label", "batch", "--keys", "p,q,r", "--index-unique", "-",
                              *(["--codec", "deflate"] if join == "outer" else []))  # fmt: skip
                    self.assert_says_nothing("anndatas.py", "joined", out, join, *files)


class Events(Subsets):
    def test_events_and_plain_groups_are_selected_in_step(self):
        self.peer("python3", "subsets.py", "make")
        own, energy, many = f"{self.dir}/run.lh5", ("-w", "energy > 50"), ("-w", "multiplicity >= 3", "--tcm")
        jobs = {
            "tiers": [("run.lh5:/ch7/hit", *energy), ("run.lh5:/ch7/raw", "--by", f"{own}:/ch7/hit", *energy)],
            "events": [("run.lh5:/evt", *many, "/hardware_tcm_1"),
                       ("run.lh5", "--by", f"{own}:/evt", *many, f"{own}:/hardware_tcm_1")],
            "coincident": [("run.lh5:/ch7/hit", *energy, "--tcm", "/hardware_tcm_1")],
            "plain": [("plain.h5:/run/x", "-w", "x > 0.5"), ("plain.h5:/run", "-w", "x > 0.5")],
        }  # fmt: skip
        made = []
        for what, commands in jobs.items():
            for k, (source, *options) in enumerate(commands):
                self.subset(source, f"{what}{k}.lh5", *options)
                made.append(f"{what}={what}{k}.lh5")
        self.assert_says_nothing("subsets.py", *made)
        with self.subTest("a map in another file"):
            (self.dir / "map.lh5").write_bytes((self.dir / "run.lh5").read_bytes())
            self.subset("run.lh5:/evt", "o.lh5", *many, f"{self.dir}/map.lh5:/hardware_tcm_1")
            rows = [self.stoa("query", f"{self.dir}/{file}:/ch12/hit", "-f", "csv").stdout
                    for file in ("o.lh5", "events0.lh5")]  # fmt: skip
            self.assertEqual(*rows)
        for path, says in (("/ch7/hit", "coincidence map"), ("/nowhere", "no such object")):
            self.fails("subset", f"{own}:/evt", *many, path, self.dir / "none.lh5", says=says)
            self.assertFalse((self.dir / "none.lh5").exists())


if __name__ == "__main__":
    stoa_test.main()
