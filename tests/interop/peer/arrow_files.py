"""Arrow files of pyarrow: compressed batches, dictionaries. write | compare.

Of each file NAME.arrow, compare wants NAME.csv: the same rows as Stoa has them.
"""

import sys

import numpy as np
import pandas as pd
import pyarrow as pa

N = 5000
UNITS = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}


def columns():
    rng = np.random.default_rng(11)
    words = np.array(["walk", "of", "columns", "", "stoa"])
    mask = rng.random(N) < 0.1
    return {
        "i": pa.array(np.arange(N, dtype=np.int32)),
        "f": pa.array(np.round(rng.random(N), 6), mask=mask),
        "noise": pa.array(rng.integers(-(2**62), 2**62, N)),
        "zero": pa.array(np.zeros(N, np.int64)),
        "b": pa.array(rng.random(N) < 0.5),
        "s": pa.array([None if m else f"row {i}" for i, m in enumerate(mask)]),
        "c": pa.array(words[rng.integers(0, 5, N)], mask=mask).dictionary_encode(),
        **{f"d_{unit}": pa.array(rng.integers(-(2**53), 2**53, N) // per, pa.duration(unit), mask=mask)
           for unit, per in UNITS.items()},
    }


def narrow(table, bits):
    """The same, codes of another width."""
    at = table.column_names.index("c")
    column = table.column("c").cast(pa.dictionary(getattr(pa, bits)(), pa.string()))
    return table.set_column(at, "c", column)


def write(name, table, codec=None, rows=1500, stream=False):
    options = pa.ipc.IpcWriteOptions(compression=codec)
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(f"{name}.arrow", table.schema, options=options) as out:
        out.write_table(table, max_chunksize=rows)
    print(name)


def tables():
    whole = pa.table(columns())
    yield "plain", whole, {}
    for codec in ("lz4", "zstd"):
        for stream in (False, True):
            yield f"{codec}{'-stream' * stream}", whole, {"codec": codec, "stream": stream}
        yield f"{codec}-one", whole.slice(0, 1), {"codec": codec}
        yield f"{codec}-none", whole.slice(0, 0), {"codec": codec}
    for bits in ("int8", "uint16", "int64"):
        yield bits, narrow(whole, bits), {"codec": "zstd"}
    # Each batch with a dictionary of its own, which only streams may have.
    parts = [whole.slice(k, 1000).unify_dictionaries() for k in range(0, N, 1000)]
    parts = [
        p.set_column(6, "c", pa.array(p.column("c").to_pylist()).dictionary_encode()) for p in parts
    ]
    yield "replaced", pa.concat_tables(parts), {"stream": True, "codec": "lz4"}


if sys.argv[1] == "write":
    for name, table, options in tables():
        write(name, table, **options)
    # A sparse matrix whose coordinates and values come in dictionaries.
    triples = pa.table({
        "row": pa.array([5, 1, 1, 5], pa.int64()).dictionary_encode(),
        "column": pa.array([0, 2, 3, 6], pa.int32()),
        "value": pa.array([0.5, 2.5, 0.5, -1.0]).dictionary_encode(),
    })
    with pa.ipc.new_file("triples.arrow", triples.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as out:
        out.write_table(triples)
    # Dictionaries that grow: the second and the third batch bring what the ones before have not.
    growing = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True, compression="lz4")
    for name, kind, all_values in (
        ("words", pa.string(), ["a", "b", "c", "", "d"]),
        ("numbers", pa.float64(), [1.5, 2.5, -3.5, -3.5, 4.5]),
    ):
        schema = pa.schema([("i", pa.int64()), ("c", pa.dictionary(pa.int32(), kind))])
        with pa.ipc.new_stream(f"delta-{name}.arrow", schema, options=growing) as out:
            for first, codes, n in ((0, [0, 1], 2), (2, [0, 2], 3), (4, [3, 4], 5)):
                column = pa.DictionaryArray.from_arrays(
                    pa.array(codes, pa.int32()), pa.array(all_values[:n], kind)
                )
                rows = pa.array([first, first + 1], pa.int64())
                out.write_batch(pa.record_batch([rows, column], ["i", "c"]))
else:
    for name, table, _ in tables():
        want = table.to_pandas()
        want["c"] = want["c"].astype(object)
        ours = pd.read_csv(
            f"{name}.csv", keep_default_na=False, na_values={k: [""] for k in ("f", "b", *(f"d_{unit}" for unit in UNITS))},
            dtype={"i": np.int32, "noise": np.int64, "zero": np.int64, "s": str, "c": str},
        )  # fmt: skip
        assert len(ours) == len(want), name
        for column in ("i", "noise", "zero"):
            assert (ours[column].to_numpy() == want[column].to_numpy()).all(), (name, column)
        for unit in UNITS:
            theirs, found = want[f"d_{unit}"], pd.to_timedelta(ours[f"d_{unit}"])
            assert (theirs.isna() == found.isna()).all(), (name, unit)
            assert (theirs.dropna() == found.dropna()).all(), (name, unit)
        assert np.array_equal(ours["f"].to_numpy(float), want["f"].to_numpy(float), equal_nan=True), name
        assert [str(v).lower() for v in ours["b"]] == [str(v).lower() for v in want["b"]], name
        for column in ("s", "c"):  # a null and an empty string are told apart by other tests
            theirs = ["" if v is None or v != v else v for v in want[column]]
            assert list(ours[column]) == theirs, (name, column)
        print(name)
