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
    return rows if ordered else in_order(rows)


def in_order(rows):
    return sorted(rows, key=lambda row: [str(field) for field in row])


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


def hashes(column):
    """A number for each integer, time or text of a column, and for a missing one."""
    import numpy as np
    import pandas
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_large_string(column.type):
        coded = pc.fill_null(column, "").dictionary_encode()
        texts = coded.dictionary.to_numpy(zero_copy_only=False)
        found = pandas.util.hash_array(texts, categorize=False)[coded.indices.to_numpy()] if len(texts) else np.empty(0, "u8")
    else:
        found = pandas.util.hash_array(pc.fill_null(column.cast(pa.int64()), 0).to_numpy())
    return found + column.is_null().to_numpy(zero_copy_only=False)


def digest(table, ordered=False):
    """What an Arrow table says, in few numbers: its rows, a sum of what is exact, and sums of its floats.

    Floats are summed once more with weights by what is exact in their row, so that rows that change places are the
    same answer, and floats that change rows are not. Where an order counts, the row's number is exact, too.
    """
    import numpy as np
    import pyarrow as pa

    columns = [plain(column).combine_chunks() for column in table.columns]
    columns = [c.combine_chunks() if isinstance(c, pa.ChunkedArray) else c for c in columns]
    rows = np.arange(table.num_rows, dtype="u8") if ordered else np.zeros(table.num_rows, "u8")
    for column in columns:
        if not pa.types.is_floating(column.type):
            rows = rows * np.uint64(1000003) + hashes(column)
    said = [table.num_rows, int(rows.sum(dtype="u8"))]
    for column in columns:
        if pa.types.is_floating(column.type):
            values = np.nan_to_num(column.fill_null(0).to_numpy(zero_copy_only=False), nan=0.0)
            said += [column.null_count, float(values.sum()), float(values @ (1 + rows % np.uint64(97)))]
    return said


def same_digest(a, b):
    return len(a) == len(b) and all(
        math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-9) if isinstance(x, float) else x == y for x, y in zip(a, b)
    )
