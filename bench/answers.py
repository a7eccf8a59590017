"""Do the answers of all agree? A fast wrong answer is not measured."""

import csv
import math


def cell(text):
    try:
        return float(text)
    except ValueError:
        return instant(text) if text[4:5] == "-" else text


def instant(text):
    """A time, however many zeros end it."""
    text = text.replace("T", " ").removesuffix("Z")
    return text.rstrip("0").rstrip(".") if "." in text else text


def table(text, ordered):
    """The rows of CSV; of answers without an order, sorted."""
    rows = [[cell(field) for field in row] for row in csv.reader(text.splitlines())]
    return rows if ordered else sorted(rows, key=lambda row: [str(field) for field in row])


def same_cell(a, b, tolerance=1e-9):
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=tolerance)
    return a == b


def same(a, b, tolerance=1e-9):
    """Whether two tables have the same rows; 1e-7 is for texts of float32, which programs shorten differently."""
    return len(a) == len(b) and all(
        len(x) == len(y) and all(same_cell(u, v, tolerance) for u, v in zip(x, y)) for x, y in zip(a, b)
    )


def plain(column):
    """A column of Arrow in the one type of its kind: what engines choose differs, what they say must not."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    # DuckDB's sum of integers is a decimal without a fraction.
    for of_kind, one in ((pa.types.is_floating, pa.float64()), (pa.types.is_decimal, pa.int64()),
                         (pa.types.is_boolean, pa.int64()), (pa.types.is_integer, pa.int64()),
                         (pa.types.is_timestamp, pa.timestamp("ns"))):  # fmt: skip
        if of_kind(column.type):
            return pc.cast(column, one, safe=False)
    return pc.cast(column, pa.large_string())


def exact_bytes(column):
    """The bytes of integers, times and texts, and which are missing."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_large_string(column.type):
        filled = pa.concat_arrays([pc.fill_null(column, "")])  # begins at its first text
        offsets = np.frombuffer(filled.buffers()[1], "i8")[: len(filled) + 1]
        data = filled.buffers()[2].to_pybytes()[offsets[0] : offsets[-1]] if filled.buffers()[2] else b""
        return (offsets - offsets[0]).tobytes() + data + column.is_null().to_numpy(zero_copy_only=False).tobytes()
    numbers = column.cast(pa.int64())
    return pc.fill_null(numbers, 0).to_numpy().tobytes() + column.is_null().to_numpy(zero_copy_only=False).tobytes()


def digest(table, ordered=False):
    """What an Arrow table says, in few words: its rows, and of each column a text or the sums of its numbers.

    Rows without an order are sorted first, by what is exact. Sums are weighted by the row, so that an order counts.
    """
    import hashlib

    import numpy as np
    import pyarrow as pa

    columns = [plain(column).combine_chunks() for column in table.columns]
    exact = [not pa.types.is_floating(column.type) for column in columns]
    if not ordered and table.num_rows > 1:
        order = sorted(range(len(columns)), key=lambda k: not exact[k])
        names = [str(k) for k in range(len(columns))]
        columns = pa.table(columns, names=names).sort_by([(str(k), "ascending") for k in order]).columns
    said = [table.num_rows]
    for column, is_exact in zip(columns, exact):
        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        if is_exact:
            said.append(hashlib.sha256(exact_bytes(column)).hexdigest()[:16])
        else:
            values = np.nan_to_num(column.fill_null(0).to_numpy(zero_copy_only=False), nan=0.0)
            weights = 1 + np.arange(len(values)) % 97
            said += [column.null_count, float(values.sum()), float(values @ weights) if ordered else 0.0]
    return said


def same_digest(a, b):
    return len(a) == len(b) and all(
        math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-9) if isinstance(x, float) else x == y for x, y in zip(a, b)
    )
