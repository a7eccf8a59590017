"""LEGEND's own software reads what Stoa writes as LH5, and Stoa reads what that software writes."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import HERE, PeerTestCase
from test_lh5_written import PIECES

ENUM = "kind-of"  # lh5.read() of 0.3 refuses columns of enumerations
LEFT_OUT = "/twelve"  # axes, of which lh5.read() of 0.3 takes axis_10 for the second


class Legend(stoa_test.SharedPeersTestCase):
    @classmethod
    def make(cls, shared):
        for name in ("words.py", "lh5_codecs.py", "lh5_tree.py", "lh5_made.py", "lh5_legend.py"):
            shared.put(f"{HERE}/peer/{name}")
        n_trees = max(1, int(4 * float(os.environ.get("STOA_EFFORT", "1"))))
        shared.peer("python3", "lh5_made.py", os.environ.get("STOA_SEED", "1"), str(n_trees))
        cls.made = json.loads((shared.dir / "lh5.json").read_text("utf-8"))
        for file in cls.made:
            for path in cls.made[file]:
                cls.made[file][path].pop(ENUM, None)

    def setUp(self):
        self.dir = self.shared.dir

    def paths(self, file):
        return [path for path in self.made[file] if path != LEFT_OUT]

    def test_lh5_reads_what_stoa_wrote(self):
        for file in self.made:
            self.stoa("convert", self.dir / file, self.dir / f"again-{file}", "--to", "lh5")
        jobs = [["values", name, *self.paths(file)] for file in self.made for name in (file, f"again-{file}")]
        for (_, name, *_), said in zip(jobs, legend(self, *jobs), strict=True):
            for path, columns in said.items():
                with self.subTest(file=name, path=path):
                    self.assertEqual(columns, self.made[name.removeprefix("again-")][path])
        files = [file for file in self.made if "histograms" not in file]
        old = legend(self, *(["attributes", file, *self.paths(file)] for file in files))
        new = legend(self, *(["attributes", f"again-{file}", *self.paths(file)] for file in files))
        self.assertEqual(old, new)
        self.assertEqual(*legend(self, ["show", "new.lh5"], ["show", "again-new.lh5"]))

    def test_stoa_reads_what_lh5_wrote(self):
        legend(self, *(["copy", file, f"legend-{file}", *self.paths(file)] for file in self.made))
        for file in self.made:
            for path in self.paths(file):
                columns = self.made[file][path]
                if "weight" not in columns:
                    columns = {name: columns[name] for name in sorted(columns, key=by_parts)}
                with self.subTest(file=file, path=path):
                    self.check_object(f"{self.dir}/legend-{file}:{path}", columns)

    def test_what_stoa_packed_lh5_unpacks(self):
        columns = ("raw.values", "radware.values", "uleb.values", "varied.values", "varied_uleb")
        codecs = ("radware_sigcompress", "uleb128_zigzag_diff")
        for codec in codecs:
            self.stoa("convert", f"{self.dir}/new.lh5:/all", f"{self.dir}/{codec}.lh5", "--to", "lh5",
                      "--codec", ",".join(f"{name}={codec}" for name in columns))  # fmt: skip
        for said in legend(self, *(["values", f"{codec}.lh5", "/all"] for codec in codecs)):
            self.assertEqual(said["/all"], self.made["new.lh5"]["/all"])

    def test_each_appends_to_what_the_other_wrote(self):
        self.peer("python3", "-c", PIECES)
        self.stoa("convert", self.dir / "some.lh5", self.dir / "first-stoa.lh5", "--to", "lh5")
        legend(self, ["copy", "some.lh5", "first-lh5.lh5", "/t", "/v"],
               *(["append", "more.lh5", "first-stoa.lh5", path] for path in ("/t", "/v")))  # fmt: skip
        for path in ("/t", "/v"):
            self.stoa("append", f"{self.dir}/more.lh5:{path}", f"{self.dir}/first-lh5.lh5:{path}")
        files = ("all.lh5", "first-stoa.lh5", "first-lh5.lh5")
        wanted, *found = legend(self, *(["values", file, "/t", "/v"] for file in files))
        for file, said in zip(files[1:], found, strict=True):
            self.assertEqual(said, wanted, file)
            for path, columns in wanted.items():
                rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
                self.assertEqual(self.rows_of(f"{self.dir}/{file}:{path}"), rows, file)


class FromOther(PeerTestCase):
    def test_lh5_reads_columns_of_each_type_of_hep001(self):
        csv = self.write("a.csv", "i,f,b,s,u,d,when,deep.a\n"
                         "1,0.5,true,ab,\u00b5,2020-01-02,2020-01-02T00:00:01Z,7\n"
                         "-2,1.5,false,\"\",b,1970-01-03,1970-01-01T00:00:00Z,8\n")  # fmt: skip
        types = ("i=int16", "f=float32", "b=bool", "s=string", "u=string", "d=date", "when=timestamp",
                 "deep.a=uint8")  # fmt: skip
        own = f"{self.dir}/own.h5:/t"
        self.stoa("import", csv, own, *[part for t in types for part in ("--type", t)])
        self.stoa("convert", own, f"{self.dir}/typed.lh5", "--to", "lh5")
        said, attributes = legend(self, *([what, "typed.lh5", "/t"] for what in ("values", "attributes")))
        self.assertEqual(said["/t"], {
            "i": [1, -2], "f": [0.5, 1.5], "b": [True, False], "s": ["ab", ""], "u": ["\u00b5", "b"],
            "d": [18263, 2], "when": [1577923201, 0], "deep.a": [7, 8]})  # fmt: skip
        self.assertEqual([attributes["/t"][name]["units"] for name in ("d", "when")], ["d", "s"])


def legend(case, *jobs):
    """The answers of LEGEND's software to jobs of tests/interop/peer/lh5_legend.py."""
    case.write("jobs.json", json.dumps(jobs))
    return json.loads(case.peer("python3", "lh5_legend.py", "jobs.json"))


def by_parts(name):
    return name.split(".")


if __name__ == "__main__":
    stoa_test.main()
