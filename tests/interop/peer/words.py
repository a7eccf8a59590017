"""Values as Stoa's JSON has them, of arrays of numpy."""

import numpy as np


def word(value):
    """One value as JSON."""
    if isinstance(value, np.ndarray):
        return [word(v) for v in value.ravel()]
    if isinstance(value, (list, tuple)):
        return [word(v) for v in value]
    if isinstance(value, (bytes, np.bytes_)):
        return bytes(value).decode()
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (complex, np.complexfloating)):
        return {"r": word(value.real), "i": word(value.imag)}
    if isinstance(value, np.void):
        return {name: word(value[name]) for name in value.dtype.names}
    if isinstance(value, (float, np.floating)):
        if np.isnan(value):
            return "NaN"
        if np.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        # Those with fewer bits have the digits that a float32 needs.
        is_short = isinstance(value, (np.float16, np.float32))
        return float(str(np.float32(value)) if is_short else value)
    return value


def words(values):
    return [word(v) for v in values]


def time(value, unit):
    return str(np.datetime64(int(value), unit)) + "Z"


def length(ns):
    """Nanoseconds as ISO 8601 has durations."""
    seconds, rest = divmod(abs(ns), 10**9)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    shown = "".join(f"{n}{unit}" for n, unit in ((hours, "H"), (minutes, "M")) if n)
    return f"{'-' * (ns < 0)}P{f'{days}D' * (days > 0)}T{shown}{seconds}.{rest:09}S"
