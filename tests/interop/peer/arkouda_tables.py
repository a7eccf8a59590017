"""Random tables as Arrow files, and what Arkouda is to hold of them.

    arkouda_tables.py N SEED

Writes 0.arrow ... and expected.json: for each file {"expect": {column: {"": values}}, as
arkouda_verify.py reads them, "categories": columns that are to be made categories}.
"""

import json
import random
import sys

import pyarrow as pa

DAY = 86400 * 10**9
PER = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def maybe(rng, share, make):
    return None if rng.random() < share else make()


def text(rng):
    return "".join(rng.choice("abé€😀 ,\n'\"/") for _ in range(rng.choice([0, 0, 1, 3, 9])))


def integers(rng, n):
    bits = rng.choice([8, 16, 32, 64])
    unsigned = rng.random() < 0.5
    low, high = (0, 2**bits - 2) if unsigned else (-(2 ** (bits - 1)) + 1, 2 ** (bits - 1) - 1)
    values = [rng.choice([low, high, rng.randint(low, high), rng.randint(0, 9)]) for _ in range(n)]
    return pa.array(values, f"{'u' * unsigned}int{bits}"), values


def floats(rng, n):
    make = lambda: rng.choice([0.0, -1.5, float("inf"), 2.0**-20, float(rng.randint(-99, 99))])  # noqa: E731
    values = [maybe(rng, 0.2, make) for _ in range(n)]
    kind = rng.choice([pa.float32(), pa.float64()])
    return pa.array(values, kind), [float("nan") if v is None else v for v in values]


def bools(rng, n):
    values = [rng.random() < 0.5 for _ in range(n)]
    return pa.array(values, pa.bool_()), values


def strings(rng, n):
    values = [text(rng) for _ in range(n)]
    return pa.array(values, pa.string()), values


def categories(rng, n):
    labels = [f"l{i}" for i in range(rng.randint(1, 5))] + rng.choice([[], ["N/A"]])
    values = [maybe(rng, 0.2, lambda: rng.choice(labels)) for _ in range(n)]
    return pa.array(values, pa.string()), values


def times(rng, n):
    unit = rng.choice(list(PER))
    most = 200 * 365 * DAY // PER[unit]
    values = [maybe(rng, 0.2, lambda: rng.randint(-most, most)) for _ in range(n)]
    return pa.array(values, pa.timestamp(unit)), [
        -(2**63) if v is None else v * PER[unit] for v in values
    ]


def dates(rng, n):
    values = [rng.randint(-50000, 50000) for _ in range(n)]
    return pa.array(values, pa.int32()).cast(pa.date32()), [v * DAY for v in values]


def addresses(rng, n):
    values = [rng.randrange(2**32) for _ in range(n)]
    return pa.array(values, pa.uint64()), values


def wide(rng, n):
    limbs = rng.randint(1, 3)
    values = [rng.randrange(2 ** (64 * limbs) - 1) for _ in range(n)]
    raw = [value.to_bytes(8 * limbs, "little") for value in values]
    return pa.array(raw, pa.binary(8 * limbs)), values


def lists(rng, n):
    kind, make = rng.choice([
        (pa.int16(), lambda: rng.randint(-99, 99)),
        (pa.uint64(), lambda: rng.randrange(2**64)),
        (pa.float64(), lambda: rng.random()),
        (pa.bool_(), lambda: rng.random() < 0.5),
    ])  # fmt: skip
    values = [[make() for _ in range(rng.choice([0, 1, 2, 5]))] for _ in range(n)]
    values = [row or [make()] for row in values] if kind == pa.bool_() else values
    return pa.array(values, pa.list_(kind)), values


def text_lists(rng, n):
    values = [[text(rng) for _ in range(rng.randint(1, 4))] for _ in range(n)]
    return pa.array(values, pa.list_(pa.string())), values


MAKERS = (integers, integers, floats, bools, strings, categories, times, dates, addresses, wide,
          lists, text_lists)  # fmt: skip
EXTENSIONS = {"addresses": "arkouda.ipv4", "wide": "arkouda.bigint"}


def make_table(rng):
    n = rng.choice([0, 1, 2, 3, 5, 20, 100])
    fields, arrays, expected, coded = [], [], {}, []
    for i in range(rng.randint(1, 6)):
        make = rng.choice(MAKERS)
        array, values = make(rng, n)
        name = f"{rng.choice(['a', 'é', 'Z z'])}{i}"
        extension = EXTENSIONS.get(make.__name__)
        metadata = {"ARROW:extension:name": extension} if extension else None
        fields.append(pa.field(name, array.type, metadata=metadata))
        arrays.append(array)
        expected[name] = {"": values}
        coded += [name] if make is categories else []
    table = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    return table, {"expect": expected, "categories": coded}


def main(n, seed):
    rng = random.Random(seed)
    expected = []
    for i in range(n):
        table, values = make_table(rng)
        with pa.OSFile(f"{i}.arrow", "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=rng.choice([7, 1000]))
        expected.append(values)
    with open("expected.json", "w") as file:
        json.dump(expected, file)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
