"""Arrays that h5py made to grow in some dimensions keep their values, dense and sparse, on every way
through the command: libhdf5 lists their chunks at wrong coordinates where the only unlimited
dimension is not the first (docs/upstream/chunk-coordinates.md)."""

import csv
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

MAKE = """
import itertools, json, random, sys
import h5py

random = random.Random(sys.argv[1])
truth = {}
# libhdf5 1.14 does not read all that "latest" of 2.x writes.
for name, bounds in (("new.h5", ("v110", "v110")), ("old.h5", ("earliest", "v110"))):
    with h5py.File(name, "w", libver=bounds) as file:
        for i in range(12):
            rank = random.choice((1, 2, 2, 3))
            chunk = [random.randint(1, 4) for _ in range(rank)]
            shape = [c + random.randint(0, 9) for c in chunk]
            most = [random.choice((None, s, s + random.randint(0, 9))) for s in shape]
            if i % 2 == 0 and rank > 1:
                most = [s + 3 for s in shape]
                most[random.randint(1, rank - 1)] = None
            array = file.create_dataset(
                f"d{i}", shape, "i4", chunks=tuple(chunk), maxshape=tuple(most),
                compression=random.choice((None, "gzip")))
            points = {at: random.randint(1, 99) for at in itertools.product(*map(range, shape))
                      if random.random() < 0.1}
            for at, value in points.items():
                array[at] = value
            truth.setdefault(name, {})[f"d{i}"] = {
                "chunk": chunk, "points": [[*at, value] for at, value in points.items()]}
print(json.dumps(truth))
"""

READ = """
import json, sys
import h5py
import numpy

found = {}
with h5py.File(sys.argv[1]) as file:
    for name, array in file.items():
        values = array[...]
        found[name] = [[*map(int, at), int(values[tuple(at)])] for at in numpy.argwhere(values)]
print(json.dumps(found))
"""


class Unlimited(stoa_test.PeersTestCase):
    def setUp(self):
        super().setUp()
        made = self.peer_python(MAKE, str(stoa_test.rng().random()))
        self.truth = json.loads(made)

    def repack(self, layout, source, target, datasets, *options):
        layouts = []
        for name, of in datasets.items():
            layouts += ["-l", f"{name}:{layout}={'x'.join(map(str, of['chunk']))}"]
        self.stoa("repack", *layouts, *options, self.dir / source, self.dir / target)

    def exported(self, place):
        file = self.dir / "points.csv"
        file.unlink(missing_ok=True)
        self.stoa("export", place, file)
        with open(file, newline="") as rows:
            return sorted(list(map(int, row)) for row in list(csv.reader(rows))[1:])

    def test_values_stay_where_they_are_on_every_way(self):
        for name, datasets in self.truth.items():
            points = {d: of["points"] for d, of in datasets.items()}
            self.stoa("repack", self.dir / name, self.dir / f"copied-{name}")
            self.repack("SPARSECHUNK", name, f"sparse-{name}", datasets, "--exclude", "0")
            self.repack("SPARSECHUNK", f"sparse-{name}", f"again-{name}", datasets)
            self.repack("CHUNK", f"again-{name}", f"dense-{name}", datasets)
            for d, wanted in points.items():
                with self.subTest(file=name, dataset=d):
                    source = f"{self.dir}/{name}:/{d}"
                    self.stoa("copy", f"{self.dir}/sparse-{name}:/{d}", f"{self.dir}/c-{name}:/{d}")
                    for other in ("copied", "sparse", "again", "dense", "c"):
                        self.stoa("diff", source, f"{self.dir}/{other}-{name}:/{d}")
                    for sparse in ("sparse", "again", "c"):
                        self.assertEqual(self.exported(f"{self.dir}/{sparse}-{name}:/{d}"), wanted)
            for dense in (f"copied-{name}", f"dense-{name}"):
                self.assertEqual(json.loads(self.peer_python(READ, dense)), points)


if __name__ == "__main__":
    stoa_test.main()
