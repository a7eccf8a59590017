"""Random lists come back from the awkward arrays that they become (docs/layouts/anndata.md).

tests/interop/test_awkward.py has such arrays read by a program of another hand.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test  # noqa: E402

WORDS = ["", "a", "é", "日本", "a\nb", '"', "x" * 300]


def a_value(rng, kind):
    if kind == "int":
        return rng.choice([0, -1, 127, 2**31, -(2**40), rng.randrange(1000)])
    if kind == "float":
        return rng.choice([0.0, -0.5, 1e300, 1.5, rng.random()])
    if kind == "bool":
        return rng.random() < 0.5
    return rng.choice(WORDS)


def a_list(rng, kind, depth, hole):
    """Of any length; missing lists and items with the probability `hole`."""
    if rng.random() < hole:
        return None
    if depth == 0:
        return a_value(rng, kind)
    return [a_list(rng, kind, depth - 1, hole) for _ in range(rng.choice([0, 0, 1, 2, 5, rng.randrange(40)]))]


def a_column(rng, n):
    kind = rng.choice(["int", "float", "bool", "text"])
    depth = rng.randrange(1, 4)
    hole = rng.choice([0.0, 0.0, 0.2])
    rows = [a_list(rng, kind, depth, hole) for _ in range(n)]
    whole = a_value(rng, kind)
    for _ in range(depth):
        whole = [whole]
    rows[rng.randrange(n)] = whole  # so that the type shows
    return rows


class RoundTrip(stoa_test.TestCase):
    def rows(self, place):
        said = self.stoa("query", place, "-f", "jsonl").stdout
        return [json.loads(line) for line in said.splitlines()]

    def test_lists_come_back(self):
        rng = stoa_test.rng()
        for number in range(stoa_test.effort(12)):
            n = rng.choice([1, 2, 30, 700])
            columns = {f"c{k}": a_column(rng, n) for k in range(rng.randrange(1, 4))}
            rows = [{name: values[i] for name, values in columns.items()} for i in range(n)]
            self.write("in.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
            own, made, back = (f"{self.dir}/{number}{end}" for end in (".h5", ".h5ad", "b.h5"))
            self.stoa("import", self.dir / "in.jsonl", f"{own}:/t")
            codec = rng.choice(["none", "deflate"])
            self.stoa("convert", f"{own}:/t", made, "--to", "anndata", "--codec", codec)
            for name, values in columns.items():
                with self.subTest(number=number, name=name):
                    self.assertEqual([row[name] for row in self.rows(f"{made}:/obsm/{name}")], values)
                    self.stoa("convert", f"{made}:/obsm/{name}", f"{back}:/{name}", "--to", "hep001")
                    self.assertEqual([row[name] for row in self.rows(f"{back}:/{name}")], values)


if __name__ == "__main__":
    stoa_test.main()
