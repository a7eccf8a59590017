"""`stoa append` to frames of AnnData and of Arkouda killed (SIGKILL) at random moments: the frame is the
old one or the new one."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import stoa_test
from test_kill_rows import Kills

N = 4000
HEAD = "r,i,x,w\n"
OLD = HEAD + "".join(f"r{i},{i},{i}.5,w{i % 40}\n" for i in range(N))
MORE = HEAD + "".join(f"r{i},{i},{i}.5,a word that is new\n" for i in range(N, 2 * N))
NEW = OLD + MORE[len(HEAD) :]


class KillFrames(Kills):
    def make(self):
        self.more = self.write("more.csv", MORE)
        self.stoa("import", self.write("old.csv", OLD), f"{self.dir}/own.h5:/t", *self.labels)
        self.stoa("convert", f"{self.dir}/own.h5:/t", f"{self.before}:/t", "--to", self.layout, *self.options)

    def command(self, name, *words):
        return name, self.more, self.place, *words

    def found(self, new):
        text = self.stoa("query", self.place, "-c", HEAD.strip(), "-f", "csv").stdout
        self.assertIn(text, (OLD, new), "neither the old rows nor the new")
        return "old" if text == OLD else "new"


class KillAnnData(KillFrames):
    layout, options, labels = "anndata", (), ("--row-index", "r")

    def test_a_killed_append_happened_wholly_or_not_at_all(self):
        self.killed(NEW, "append")


class KillArkouda(KillFrames):
    layout, options, labels = "arkouda", ("--as", "dataframe"), ()

    def test_a_killed_append_happened_wholly_or_not_at_all(self):
        self.killed(NEW, "append")


if __name__ == "__main__":
    stoa_test.main()
