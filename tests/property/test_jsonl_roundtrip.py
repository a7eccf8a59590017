"""Rows that Python's json module writes come back equal from a table, and by `stoa export`."""

import json
import math
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test  # noqa: E402

LETTERS = ["abc", 'a"\\/\b\f\n\r\t', "\x01\x1f\x7f", "äñЖ日🙂\u2028\ufeff", "0123456789-:TZ. "]
WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def text(rng):
    letters = rng.choice(LETTERS)
    return "".join(rng.choice(letters) for _ in range(rng.randint(0, 12)))


def integers(rng):
    low, high = rng.choice([(0, 1), (-100, 100), (-(2**31), 2**31 - 1), (-(2**63), 2**63 - 1), (0, 2**64 - 1)])  # fmt: skip
    return lambda: rng.choice([rng.randint(low, high), low, high, max(low, 0)])


def floats(rng):
    def one():
        bits = struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]
        return rng.choice([bits, rng.gauss(0, 1), 0.0, -0.0, 5e-324, *WORDS.values(), 0.1])

    return one


def bools(rng):
    return lambda: rng.random() < 0.5


def strings(rng):
    """None of them is a time or one of the words, since a letter stands before each."""
    few = ["s" + text(rng) for _ in range(rng.choice([2, 50]))]
    return lambda: rng.choice(few)


def scalars(rng):
    return rng.choice([integers, floats, bools, strings])(rng)


def lists(rng, depth=2):
    item = lists(rng, depth - 1) if depth > 0 and rng.random() < 0.4 else scalars(rng)
    share = rng.choice([0, 0, 0.2])

    def one():
        return [None if rng.random() < share else item() for _ in range(rng.choice([0, 1, 2, 5]))]

    return one


def structs(rng, depth=1):
    fields = [
        structs(rng, depth - 1) if depth > 0 and rng.random() < 0.3 else scalars(rng)
        for _ in range(rng.randint(1, 4))
    ]
    return lambda: {f"f{i}": field() for i, field in enumerate(fields)}


def column(rng, n_rows):
    make = rng.choice([scalars, scalars, lists, structs])(rng)
    share = rng.choice([0, 0, 0.1, 0.5])
    return [None if rng.random() < share else make() for _ in range(n_rows)]


def same(found, wanted):
    """Equal, with the words of `stoa export` for floats that JSON does not have."""
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(same(found[k], wanted[k]) for k in wanted)
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(wanted, float):
        found = WORDS.get(found, found)
        return repr(float(found)) == repr(wanted)
    return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)


class RoundTrip(stoa_test.TestCase):
    def test_random_rows_come_back_equal(self):
        rng = stoa_test.rng()
        for i in range(stoa_test.effort(80)):
            n_rows = rng.choice([1, 2, 5, 40, 300])
            columns = {f"c{k}{text(rng).replace('/', '')}": column(rng, n_rows) for k in range(rng.randint(1, 6))}  # fmt: skip
            rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
            source = self.write(
                "in.jsonl",
                "".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) + "\n" for row in rows),
            )
            place = f"{self.dir / 'table.h5'}:/t"
            self.stoa("import", "--force", source, place)
            ending = rng.choice(["jsonl", "json"])
            first, second = self.dir / f"1.{ending}", self.dir / f"2.{ending}"
            self.stoa("export", place, first)
            said = first.read_text()
            found = json.loads(said) if ending == "json" else list(map(json.loads, said.split("\n")[:-1]))
            self.assertEqual(len(found), len(rows))
            for k, (a, b) in enumerate(zip(found, rows)):
                self.assertTrue(same(a, b), f"file {i}, row {k}: {a} is no {b}")

            # What is written reads back to the same bytes.
            self.stoa("import", "--force", first, place)
            self.stoa("export", place, second)
            self.assertEqual(second.read_bytes(), first.read_bytes(), f"file {i}")
            first.unlink()
            second.unlink()


if __name__ == "__main__":
    stoa_test.main()
