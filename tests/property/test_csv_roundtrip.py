"""Canonical CSV (docs/csv.md) comes back from a table byte for byte.

The files are made by Python's own repr, isoformat and str, so that what "canonical" means is not
what Stoa happens to write.
"""

import csv
import datetime
import io
import math
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test  # noqa: E402

INT_LIMITS = [(8, "int8"), (16, "int16"), (32, "int32"), (64, "int64")]
ALPHABETS = [
    "abc",
    "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ_-.0123456789",
    'a",\n\r\'"',
    " \t;|\\/",
    "äöüßéñçŁžπЖ日本語한국어🙂🏛\u200f\u0301\u00a0",
    "\x01\x02\x1b\x7f",
]
FILLS = [-127, -32767, -2147483647, -9223372036854775807, 255, 65535, 4294967295]


def integers(rng, n):
    bits = rng.choice([4, 8, 16, 31, 32, 53, 63, 64])
    low = -(1 << (bits - 1))
    values = [rng.randint(low, -low - 1) for _ in range(n)]
    for i in range(n):
        if rng.random() < 0.1:
            fits = [v for v in [*FILLS, low, -low - 1, 0] if low <= v < -low]
            values[i] = rng.choice(fits)
    return [str(v) for v in values]


def unsigned(rng, n):
    # Beyond int64 for sure, but for a column without values.
    values = [rng.randint(0, 2**64 - 1) for _ in range(n)]
    return [str(2**63 + 5 if i == 0 else v) for i, v in enumerate(values)]


def floats(rng, n):
    def one():
        kind = rng.randrange(6)
        if kind == 0:
            return struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]
        if kind == 1:
            return round(rng.uniform(-1000, 1000), rng.randrange(8))
        if kind == 2:
            return float(rng.randint(-(10**6), 10**6))
        if kind == 3:
            return rng.choice([0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, 2.0**53])
        if kind == 4:
            return rng.choice([9.969209968386869e36, 1.7976931348623157e308, 2.2250738585072014e-308])
        return rng.gauss(0, 1) * 10.0 ** rng.randint(-30, 30)

    return [repr(one()) for _ in range(n)]


def bools(rng, n):
    return [rng.choice(["true", "false"]) for _ in range(n)]


def dates(rng, n):
    last = datetime.date.max.toordinal()
    return [datetime.date.fromordinal(rng.randint(1, last)).isoformat() for _ in range(n)]


def timestamps(rng, n):
    spec = rng.choice(["seconds", "milliseconds", "microseconds", "nanoseconds"])
    zone = rng.choice(["", "Z"])
    first, last = (1678, 2261) if spec == "nanoseconds" else (1, 9999)

    def one():
        start = datetime.datetime(first, 1, 1)
        span = (datetime.datetime(last, 12, 31) - start).total_seconds()
        time = start + datetime.timedelta(
            seconds=rng.randrange(int(span)), microseconds=rng.randrange(10**6)
        )
        if spec == "nanoseconds":
            return time.isoformat(timespec="microseconds") + f"{rng.randrange(1000):03d}" + zone
        return time.isoformat(timespec=spec) + zone

    return [one() for _ in range(n)]


def text(rng, longest):
    letters = rng.choice(ALPHABETS)
    return "".join(rng.choice(letters) for _ in range(rng.randint(0, longest)))


def strings(rng, n):
    """Strings that no other type fits, because the first of them is a word."""
    longest = rng.choice([1, 4, 20, 300])
    return ["word" if i == 0 else text(rng, longest) for i in range(n)]


def labels(rng, n):
    few = ["label", *(text(rng, 12) for _ in range(rng.randint(0, 6)))]
    return [few[0] if i == 0 else rng.choice(few) for i in range(n)]


def identifiers(rng, n):
    return [f"{rng.randrange(10**5):06d}" for _ in range(n)]


def phones(rng, n):
    return [f"+{rng.randrange(10**11, 10**12)}" for _ in range(n)]


COLUMNS = [
    integers, integers, unsigned, floats, floats, bools, dates, timestamps, strings, strings,
    labels, labels, identifiers, phones,
]  # fmt: skip


def quoted(field):
    """RFC 4180 with the fewest quotes; None is a missing value, an empty string is not."""
    if field is None:
        return ""
    if field == "" or any(c in field for c in ',"\r\n'):
        return '"' + field.replace('"', '""') + '"'
    return field


def column(rng, n_rows):
    kind = rng.choice(COLUMNS)
    values = kind(rng, n_rows)
    share = rng.choice([0, 0, 0.1, 0.5, 1])
    # The first value stays: it is what makes the column its type.
    return [v if i == 0 and share < 1 or rng.random() >= share else None
            for i, v in enumerate(values)]  # fmt: skip


def name(rng, taken):
    while True:
        found = text(rng, 12).replace("/", "")
        if found and found.strip(". ") and found not in taken and found[0] != "\ufeff":
            taken.add(found)
            return found


def canonical_file(rng):
    n_rows = rng.choice([0, 1, 2, 5, 30, 200])
    taken = set()
    columns = [column(rng, n_rows) for _ in range(rng.randint(1, 8))]
    header = [name(rng, taken) for _ in columns]
    rows = [header, *zip(*columns)] if columns[0] else [header]
    content = "".join(",".join(quoted(field) for field in row) + "\n" for row in rows)

    # What was made is what Python's csv module reads (which takes a blank line for no row).
    if len(header) > 1:
        read = list(csv.reader(io.StringIO(content, newline="")))
        assert read == [[field or "" for field in row] for row in rows]
    return content.encode()


class RoundTrip(stoa_test.TestCase):
    def test_a_canonical_file_comes_back_byte_for_byte(self):
        rng = stoa_test.rng()
        for i in range(stoa_test.effort(500)):
            content = canonical_file(rng)
            source = self.write("in.csv", content)
            target = self.dir / "out.csv"
            place = f"{self.dir / 'table.h5'}:/t"
            self.stoa("import", "--force", "--delimiter", ",", source, place)
            self.stoa("export", place, target)
            self.assertEqual(target.read_bytes(), content, f"file {i}")
            target.unlink()


if __name__ == "__main__":
    stoa_test.main()
