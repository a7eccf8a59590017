"""The system refuses any allocation of any command, libhdf5's among them, or any read of an HDF5 file:
status 3 and a line that says so, or the same answer as if it had not; files hold what they held, or all
that was to be put there; nothing unfinished stays.
"""

import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

ROWS = "i,x,w\n" + "".join(f"{i},{i * 7919 % 521 / 8},w{i * 31 % 5}\n" for i in range(300))
MATRIX = "%%MatrixMarket matrix coordinate integer general\n50 50 40\n" + "".join(
    f"{1 + i * 31 % 50} {1 + i} {i}\n" for i in range(40)
)
PRELOADED = stoa_test.BUILD / "tests/fault/librefuse.so"
HANGS = 120

# {f} is the file with the tables /t and /u and the sparse array /m, {d} its directory; what comes
# second is the new file that a command makes.
COMMANDS = {
    "ls": (("ls", "-l", "{f}"), None),
    "info": (("info", "{f}:/t"), None),
    "check": (("check", "--indexes", "{f}"), None),
    "stat": (("stat", "{f}"), None),
    "dump": (("dump", "{f}:/m", "--sparse"), None),
    "diff": (("diff", "{f}", "{d}/same.h5"), None),
    "query": (("query", "{f}:/t", "-a", "median(x)", "--by", "w", "-f", "csv"), None),
    "query rows": (("query", "{f}:/t", "-w", "i > 250", "-f", "jsonl"), None),
    "query into a file": (("query", "{f}:/t", "--sort", "x", "-o", "{d}/new.csv"), "new.csv"),
    "export": (("export", "{f}:/t", "{d}/new.arrow"), "new.arrow"),
    "convert": (("convert", "{f}:/t", "{d}/new.h5", "--to", "pytables"), "new.h5"),
    "convert all": (("convert", "{f}", "{d}/new.h5", "--to", "lh5"), "new.h5"),
    "convert to arkouda": (("convert", "{f}:/t", "{d}/new.h5", "--to", "arkouda"), "new.h5"),
    "import": (("import", "{d}/a.csv", "{d}/new.h5:/t", "--index", "i"), "new.h5"),
    "copy away": (("copy", "{f}:/t", "{d}/new.h5"), "new.h5"),
    "repack away": (("repack", "{f}", "{d}/new.h5"), "new.h5"),
    "index list": (("index", "list", "{f}:/t"), None),
    "append": (("append", "{d}/a.csv", "{f}:/t"), "a.h5"),
    "append --safe": (("append", "{d}/a.csv", "{f}:/t", "--safe"), "a.h5"),
    "update": (("update", "{f}:/t", "-w", "i % 3 = 0", "--set", "x=x+1"), "a.h5"),
    "delete": (("delete", "{f}:/t", "-w", "i % 5 = 0"), "a.h5"),
    "index add": (("index", "add", "{f}:/t", "x"), "a.h5"),
    "attr": (("attr", "{f}:/t", "-c", "x", "units=m"), "a.h5"),
    "copy": (("copy", "{f}:/t", "{f}:/deep/v"), "a.h5"),
    "move": (("move", "{f}:/t", "{f}:/v"), "a.h5"),
    "remove": (("remove", "{f}:/u"), "a.h5"),
    "repack": (("repack", "{f}"), "a.h5"),
}


class Refusals(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        if os.environ.get("STOA_SANITIZE") or not PRELOADED.exists():
            self.skipTest("allocations cannot be made to fail here")
        self.state = self.dir / "state"
        self.place = self.dir / "work"
        self.place.mkdir()
        self.file = self.place / "a.h5"
        (self.place / "a.csv").write_text(ROWS)
        (self.place / "m.mtx").write_text(MATRIX)
        for table in ("t", "u"):
            self.stoa("import", self.place / "a.csv", f"{self.file}:/{table}", "--index", "i",
                      "--category", "w", env=self.env())  # fmt: skip
        self.stoa("import", self.place / "m.mtx", f"{self.file}:/m")
        shutil.copy(self.file, self.place / "same.h5")
        self.before = self.snapshot()

    def env(self, **more):
        return {"XDG_STATE_HOME": str(self.state), "STOA_THREADS": "1", **more}

    def snapshot(self):
        return {path.name: path.read_bytes() for path in self.place.iterdir()}

    def restore(self, now):
        for name in now.keys() - self.before.keys():
            (self.place / name).unlink()
        for name, content in self.before.items():
            if now.get(name) != content:
                (self.place / name).write_bytes(content)

    def run_it(self, words, **env):
        done = stoa_test.run(stoa_test.STOA, *words, text=False, timeout=HANGS,
                             env=self.env(LD_PRELOAD=str(PRELOADED), **env))  # fmt: skip
        now = self.snapshot()
        self.restore(now)
        return done, now

    def is_same_content(self, name, content, wanted):
        """Byte for byte, or in the eyes of `diff`: space may lie elsewhere."""
        if content == wanted or not name.endswith(".h5"):
            return content == wanted
        pair = [self.dir / "one.h5", self.dir / "other.h5"]
        for path, bytes_ in zip(pair, (content, wanted), strict=True):
            path.write_bytes(bytes_)
        return stoa_test.run(stoa_test.STOA, "diff", *pair).returncode == 0

    def judge(self, done, now, whole, after, target, word):
        said = done.stderr.decode()
        strays = now.keys() - after.keys()
        self.assertFalse(strays, said)
        told = said.replace("a file is damaged in a way", "") + done.stdout.decode("latin-1")
        self.assertNotIn("damaged", told)
        for name, content in now.items():
            if name != target:
                self.assertEqual(content == self.before[name], True, f"{name} has changed: {said}")
        old, new = self.before.get(target), after.get(target)
        is_new = target is not None and target in now and now[target] != old
        if is_new and not now[target].startswith(old or b"\0"):
            self.assertTrue(self.is_same_content(target, now[target], new), f"a mixture: {said}")
        if done.returncode == whole.returncode:
            self.assertEqual(done.stdout, whole.stdout, said)
            if target is not None:
                self.assertTrue(target in now, said)
                self.assertTrue(self.is_same_content(target, now[target], new), said)
        else:
            self.assertEqual(done.returncode, 3, said)
            last = said.splitlines()[-1]  # what comes before are remarks
            self.assertTrue(last.startswith("stoa: "), said)
            self.assertIn(word, last)

    def sweep(self, words, target, what, word, tries):
        """How many the command asks for, and how many of them were refused."""
        words = [word.format(f=self.file, d=self.place) for word in words]
        count = self.dir / "count"
        whole, after = self.run_it(words, STOA_REFUSE=what, STOA_REFUSE_COUNT=str(count))
        n = int(count.read_text())
        random = stoa_test.rng()
        at = range(1, n + 1) if n <= tries else sorted(random.sample(range(1, n + 1), tries))
        for number in at:
            how = {"STOA_REFUSE_ON": "1"} if random.random() < 0.3 else {}
            with self.subTest(words=words[:2], number=number, **how):
                done, now = self.run_it(words, STOA_REFUSE=what, STOA_REFUSE_AT=str(number), **how)
                self.judge(done, now, whole, after, target, word)
        return n, len(at)

    def refuse(self, what, word, tries):
        for name, (words, target) in COMMANDS.items():
            n, tried = self.sweep(words, target, what, word, tries)
            if os.environ.get("STOA_EFFORT"):
                print(f"{name}: {tried} of {n} {what}s", file=sys.stderr)

    def test_memory_may_run_out_at_any_allocation(self):
        self.refuse("allocation", "memory", stoa_test.effort(6))

    def test_any_read_may_fail(self):
        self.refuse("read", "Input/output error", stoa_test.effort(6))


if __name__ == "__main__":
    stoa_test.main()
