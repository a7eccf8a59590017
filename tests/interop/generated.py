"""Columns of every kind that a CSV file can hold, with their values as Python has them."""

import datetime
import string

FLOAT_FILL = 9.969209968386869e36  # Table 1
DAY = 86400 * 10**9
EPOCH = datetime.date(1970, 1, 1)

WORDS = ["a", "B-737", "naïve", "漢字", "😀", "e\u0301", 'q"uo"te', "com,ma",
         "two\nlines", "c\rr", " blank ", "MISSING", "NULL", "\x1a", "x" * 300, "Ω" * 40, "-", "'",
         "\\N", "\ufeffmark"]  # fmt: skip


class Column:
    """`values`: None where missing, times in nanoseconds since 1970; `texts`: the CSV fields."""

    def __init__(self, kind, values, texts, is_time=False):
        self.kind, self.values, self.texts, self.is_time = kind, values, texts, is_time


def _thinned(random, values):
    """Some of the values missing, in runs as well as singly; the first one never."""
    share = random.choice([0, 0, 0.1, 0.5, 0.95])
    values = values[:1] + [None if random.random() < share else v for v in values[1:]]
    if len(values) > 8 and random.random() < 0.3:
        values[2 : len(values) // 2] = [None] * (len(values) // 2 - 2)
    return values


def integers(random, n):
    """Of any width; at times the bounds of a type, and the fill that Table 1 recommends for it."""
    bits = random.choice([4, 8, 16, 32, 64])
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    values = [random.randint(low, high) for _ in range(n)]
    if bits == 64:  # one of these must be left as a fill
        edges = random.sample([low, low + 1, high], 2)
        values = [low + 2 if v in (low, low + 1) else v for v in values]
    else:
        edges = [low, low + 1, high, -high]
    for i in range(random.choice([0, 3, 9])):
        values[random.randrange(n)] = edges[i % len(edges)]
    values = _thinned(random, values)
    return Column("integers", values, ["" if v is None else str(v) for v in values])


def unsigned(random, n):
    values = [random.randint(2**63, 2**64 - 2) for _ in range(n)]
    values[random.randrange(n)] = random.choice([0, 2**64 - 1, 2**63])
    values[0] = 2**63 + 5
    values = _thinned(random, values)
    return Column("unsigned", values, ["" if v is None else str(v) for v in values])


def floats(random, n):
    biggest = 1.7976931348623157e308
    odd = [-0.0, 0.0, 5e-324, 1e22, biggest, -biggest, 0.1, 2.0**53, 1 / 3]
    # With all four of these, no value would be left to stand for "missing" (§8.5).
    edges = [FLOAT_FILL, float("inf"), float("-inf"), float("nan")]
    odd += random.sample(edges, random.randint(1, 3))
    share = random.choice([0, 0.2, 1])
    values = [
        random.choice(odd) if random.random() < share else random.gauss(0, 1e3) for _ in range(n)
    ]
    values[0] = 0.5
    values = _thinned(random, values)
    return Column("floats", values, ["" if v is None else repr(v) for v in values])


def bools(random, n):
    values = _thinned(random, [random.random() < 0.5 for _ in range(n)])
    return Column("bools", values, ["" if v is None else str(v).lower() for v in values])


def dates(random, n):
    values = _thinned(random, [random.randint(-200_000, 100_000) for _ in range(n)])
    texts = [
        "" if v is None else (EPOCH + datetime.timedelta(days=v)).isoformat() for v in values
    ]
    return Column("dates", [None if v is None else v * DAY for v in values], texts, True)


def times(random, n):
    """With and without zone, with 0, 3, 6 or 9 digits after the second."""
    digits = random.choice([0, 3, 6, 9])
    tick = 10 ** (9 - digits)
    is_zoned = random.random() < 0.5
    values = [random.randint(-9 * 10**18 // tick, 9 * 10**18 // tick) * tick for _ in range(n)]
    values = _thinned(random, values)
    texts = ["" if v is None else _time_text(random, v, digits, is_zoned) for v in values]
    return Column("times", values, texts, True)


def _time_text(random, nanoseconds, digits, is_zoned):
    zone = random.choice(["Z", "+00:00", "+05:30", "-0800", "+01"]) if is_zoned else ""
    ahead = 0
    if len(zone) > 1:
        whole = zone[1:].replace(":", "").ljust(4, "0")
        ahead = (int(whole[:2]) * 3600 + int(whole[2:]) * 60) * (-1 if zone[0] == "-" else 1)
    seconds, rest = divmod(nanoseconds, 10**9)
    days, second = divmod(seconds + ahead, 86400)
    day = (EPOCH + datetime.timedelta(days=days)).isoformat()
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    fraction = f".{rest:09}"[: digits + 1] if digits else ""
    return f"{day}{random.choice('T ')}{clock}{fraction}{zone}"


def _quoted(value):
    if value is None:
        return ""
    if value == "" or any(c in value for c in ',"\r\n\ufeff'):
        return '"' + value.replace('"', '""') + '"'
    return value


def texts(random, n):
    """Empty and missing ones, quotes, line breaks, several scripts; few distinct ones or many."""
    pool = random.sample(WORDS, random.randint(1, len(WORDS)))
    values = [random.choice(pool) for _ in range(n)]
    if random.random() < 0.5:
        values = [v + random.choice(string.ascii_letters) * random.randint(0, 9) for v in values]
    values[0] = "word"
    if random.random() < 0.6:
        values = ["" if random.random() < 0.2 else v for v in values]
    values = _thinned(random, values)
    return Column("texts", values, [_quoted(v) for v in values])


def empties(random, n):
    values = _thinned(random, [""] * n)
    return Column("empties", values, [_quoted(v) for v in values])


def nothing(random, n):
    return Column("nothing", [None] * n, [""] * n)


KINDS = [integers, integers, unsigned, floats, floats, bools, dates, times, times, texts, texts,
         empties, nothing]  # fmt: skip


def csv_of(columns, rows):
    """CSV of some rows of {name: Column}."""
    lines = [",".join(_quoted(name) for name in columns)]
    lines += [",".join(c.texts[i] for c in columns.values()) for i in rows]
    return "\n".join(lines) + "\n"


def expected(columns):
    """As peer/read_back.py takes it."""
    return {n: {"values": c.values, "is_time": c.is_time} for n, c in columns.items()}
