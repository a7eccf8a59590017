"""Waveforms are packed byte for byte as an encoder that knows only the fact sheet packs them."""

import array
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parent / "peer"))
import lh5_codecs
import stoa_test

PROGRAM = stoa_test.BUILD / "tests/codec/test_waveform_rows"
CODECS = ("uleb128_zigzag_diff", "radware_sigcompress")
INT16 = (-32768, 32767)


def walk(random, n, height, low, high):
    """Steps of a random height, with a jump now and then."""
    sample = random.randint(low, high)
    for _ in range(n):
        if random.random() < 0.02:
            sample = random.randint(low, high)
        sample = min(high, max(low, sample + random.randint(-height, height)))
        yield sample


def random_row(random, low, high):
    n = random.choice((0, 1, 2, 47, 48, 49, 127, 128, 129, random.randrange(40), random.randrange(40)))
    kind = random.randrange(5)
    if kind == 0:
        return [random.randint(low, high)] * n
    if kind == 1:
        return [random.randint(low, high) for _ in range(n)]
    if kind == 2:
        return [random.choice((low, high)) for _ in range(n)]
    if kind == 3:
        return [random.choice((0, 15999, 16000, 16001, -16000, -16001, 1)) for _ in range(n)]
    return list(walk(random, n, 1 << random.randrange(15), low, high))


def rows(random, n):
    for _ in range(n):
        yield 0, 0, random_row(random, *random.choice((INT16, (0, 65535), (-(2**31), 2**31 - 1))))
        shift, low, high = random.choice(((0, *INT16), (-32768, 0, 65535), (5, -32773, 32762)))
        row = random_row(random, low, high)
        yield 1, shift, [min(high, max(low, sample)) for sample in row]
    for n_samples in (32766, 32767):
        yield 1, 0, list(walk(random, n_samples, 300, *INT16))
    yield 1, 0, [random.choice(INT16) for _ in range(32767)]
    yield 0, 0, list(walk(random, 70000, 2**30, -(2**31), 2**31 - 1))


class Rows(stoa_test.TestCase):
    def pack(self, made):
        with open(self.dir / "rows", "wb") as file:
            for codec, shift, samples in made:
                array.array("i", [codec, shift, len(samples), *samples]).tofile(file)
        said = {"STOA_ROWS": str(self.dir / "rows"), "STOA_PACKED": str(self.dir / "packed")}
        subprocess.run([PROGRAM], env={**os.environ, **said}, check=True, capture_output=True)
        return (self.dir / "packed").read_text().split("\n")[:-1]

    def test_both_codecs_agree_with_the_independent_encoder(self):
        made = list(rows(stoa_test.rng(), 5000))
        packed = self.pack(made)
        self.assertEqual(len(packed), len(made))
        for (codec, shift, samples), found in zip(made, packed, strict=True):
            expected = lh5_codecs.CODECS[CODECS[codec]](samples, shift).hex()
            if found != expected:
                self.fail(f"{CODECS[codec]}, shift {shift}, {samples[:300]}:\n{found[:600]}\n{expected[:600]}")

    def test_what_the_codec_cannot_give_back_is_refused(self):
        made = [(1, 0, [0] * 32768), (1, 0, [32768]), (1, -32768, [-1]), (1, 0, [0] * 70000)]
        self.assertEqual(self.pack(made), ["refused"] * len(made))


if __name__ == "__main__":
    stoa_test.main()
