"""Floats as text and back: NumPy and Python's repr() and float() are the judges of each digit and each bit."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

MAKE = """
import math, random, struct, sys
import numpy as np
seed, n = int(sys.argv[1]), int(sys.argv[2])
r = np.random.default_rng(seed)
finite = lambda a: a[np.isfinite(a)]

powers = np.ldexp(1.0, np.arange(-1074, 1024))
doubles = np.concatenate([
    powers, np.nextafter(powers, np.inf), np.nextafter(powers, 0),
    np.arange(3000) * 5e-324, (2**52 - 1500 + np.arange(3000)) * 5e-324, [-0.0, np.finfo("f8").max],
    finite(r.integers(0, 2**64, n, dtype="u8").view("f8")), r.random(n), -np.round(r.random(n) * 1e6, 2),
    r.integers(0, 2**60, n // 4).astype("f8"), [float(f"{d}e{e}") for d in (1, 9, 123456789) for e in range(-330, 300)]])
np.save("doubles.npy", doubles)
with open("doubles.csv", "w") as out:
    out.write("doubles\\n" + "".join(f"{x!r}\\n" for x in doubles.tolist()))

heads = np.arange(255, dtype="u4") << 23
floats = np.concatenate([heads, heads + 1, heads[1:] - 1, 1 << np.arange(23, dtype="u4"), np.arange(2000, dtype="u4"),
                         r.integers(0, 0x7f800000, n // 4, dtype="u4")]).view("f4")
np.save("floats.npy", floats)


def written(x):
    digits, _, exponent = np.format_float_scientific(x, unique=True, trim="-").partition("e")
    digits, exponent = digits.replace(".", ""), int(exponent)
    if exponent < -4 or exponent >= 16:
        return f"{digits[0]}{'.' * (len(digits) > 1)}{digits[1:]}e{exponent:+03d}"
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    return digits[:exponent + 1].ljust(exponent + 1, "0") + "." + (digits[exponent + 1:] or "0")


with open("floats.csv", "w") as out:
    out.write("floats\\n" + "".join(written(x) + "\\n" for x in floats))
"""

READ = """
import random, sys
from decimal import Decimal, getcontext
import numpy as np
seed, n = int(sys.argv[1]), int(sys.argv[2])
getcontext().prec = 1200
random.seed(seed)
digits = lambda k: "".join(random.choices("0123456789", k=random.randint(1, k)))
texts = ["0." + "0" * 400 + "1e400", "1" * 800 + "e-700", "2.4703282292062327e-324", "2.4703282292062328e-324",
         "1.7976931348623158079e308", "2.2250738585072011e-308", "9007199254740993", "1e-400", "0e999", "-0.0"]
for _ in range(n):
    texts.append(f"{random.getrandbits(random.randint(1, 64))}e{random.randint(-345, 288)}")
    texts.append(f"{digits(25)}.{digits(25)}e{random.randint(-340, 280)}")
    texts.append(repr(random.random()))
    texts.append(f"{random.gauss(0, 1):.17e}")
some = np.random.default_rng(seed).integers(0, 2**63, n // 4, dtype="u8").view("f8")
for low in some[np.isfinite(some)].tolist() + (np.arange(1, 60) * 5e-324).tolist():  # halfway, just above, just below
    high = float(np.nextafter(low, 0))
    head, _, exponent = f"{(Decimal(low) + Decimal(high)) / 2:e}".partition("e")
    head = head if "." in head else head + ".0"
    texts += [f"{head}e{exponent}", f"{head}{'0' * 40}1e{exponent}"]
    if head[-1] > "0":
        texts.append(f"{head[:-1]}{int(head[-1]) - 1}{'9' * 40}e{exponent}")
for k in range(800, 1200, 37):
    texts.append("3." + "".join(random.choices("0123456789", k=k)))
with open("texts.csv", "w") as out:
    out.write("x\\n" + "".join(text + "\\n" for text in texts))
np.save("expected.npy", np.array([float(text) for text in texts]))
"""

COMPARE = """
import h5py, numpy as np
texts = open("texts.csv").read().split()[1:]
wrong = np.flatnonzero(h5py.File("texts.h5")["t/x"][:].view("u8") != np.load("expected.npy").view("u8"))
print(len(texts), [texts[i] for i in wrong[:3]])
"""


class FloatTexts(stoa_test.PeersTestCase):
    def seed_and_n(self, n):
        return str(stoa_test.rng().getrandbits(31)), str(stoa_test.effort(n))

    def test_floats_are_written_with_the_digits_of_python_and_numpy(self):
        self.peer_python(MAKE, *self.seed_and_n(200000))
        for name in ("doubles", "floats"):
            self.stoa("import", self.dir / f"{name}.npy", f"{self.dir}/{name}.h5:/t")
            out = self.dir / f"{name}.out.csv"
            self.stoa("export", f"{self.dir}/{name}.h5:/t", out)
            ours, theirs = out.read_text().split("\n"), (self.dir / f"{name}.csv").read_text().split("\n")
            self.assertEqual(len(ours), len(theirs))
            self.assertEqual([pair for pair in zip(ours[1:], theirs[1:]) if pair[0] != pair[1]][:3], [], name)

    def test_floats_are_read_to_the_bits_of_python(self):
        self.peer_python(READ, *self.seed_and_n(60000))
        self.stoa("import", self.dir / "texts.csv", f"{self.dir}/texts.h5:/t", "--type", "x=float64")
        n, wrong = self.peer_python(COMPARE).split(" ", 1)
        self.assertGreater(int(n), 1000)
        self.assertEqual(wrong, "[]\n")


if __name__ == "__main__":
    stoa_test.main()
