"""Makes tables whose cells have 64 KiB and more, and compares what Stoa made of them.

    large_cells.py make             writes the sources and expected.npz
    large_cells.py compare FILE...  each file, or HDF5 object, has the cells of expected.npz
"""

import sys

import h5py
import numpy as np
import pyarrow as pa
import tables

# Cells of 64 KiB - 8, 64 KiB and 64 KiB + 8 bytes, and an image of 2 MiB.
SHAPES = {"below": (2, 4, 4095), "at": (64, 128), "above": (8193,), "image": (1024, 512)}
TYPES = {"below": "u2", "at": "i8", "above": "f8", "image": "f4"}
N = 3


def cells():
    random = np.random.default_rng(64)
    made = {}
    for name, shape in SHAPES.items():
        kind = np.dtype(TYPES[name])
        if name == "image":
            value = np.broadcast_to(np.arange(N, dtype=kind)[:, None, None], (N, *shape)).copy()
            value[:, 0, :5] = [np.nan, np.inf, -np.inf, -0.0, 9.96921e36]
        elif kind.kind == "f":
            value = random.normal(size=(N, *shape))
        else:  # every value of a type: none is left to stand for a missing one
            info = np.iinfo(kind)
            value = random.integers(info.min, info.max, size=(N, *shape), dtype=kind, endpoint=True)
            value[0].flat[:2] = info.min, info.max
            value[1].flat[: min(65536, value[1].size)] = np.arange(min(65536, value[1].size)).astype(kind)
        made[name] = value
    assert [v[0].nbytes for v in made.values()] == [65536 - 16, 65536, 65536 + 8, 2 << 20]
    return made


def make():
    made = cells()
    x = np.arange(N, dtype="i8") * 10
    np.savez("expected.npz", x=x, **made)
    with h5py.File("plain.h5", "w") as f:
        f["t/x"] = x
        for name, value in made.items():
            f.create_dataset(f"t/{name}", data=value, chunks=(1, *value.shape[1:]), compression="gzip")
    with tables.open_file("pytables.h5", "w") as f:
        kind = np.dtype([("x", "i8"), *((k, v.dtype, v.shape[1:]) for k, v in made.items())])
        rows = np.zeros(N, kind)
        rows["x"] = x
        for name, value in made.items():
            rows[name] = value
        f.create_table("/", "t", rows)
    with h5py.File("waves.lh5", "w") as f:
        g = f.create_group("t")
        g.attrs["datatype"] = "table{x,wf}"
        f["t/x"] = x
        f["t/x"].attrs["datatype"] = "array<1>{real}"
        wf = f.create_group("t/wf")
        wf.attrs["datatype"] = "table{t0,dt,values}"
        for name, unit in (("t0", "ns"), ("dt", "ns")):
            wf[name] = np.full(N, 16.0)
            wf[name].attrs.update(datatype="array<1>{real}", units=unit)
        wf["values"] = made["image"].reshape(N, -1)
        wf["values"].attrs.update(datatype="array_of_equalsized_arrays<1,1>{real}", units="ADC")
    columns = {"x": pa.array(x)}
    for name, value in made.items():
        columns[name] = pa.FixedShapeTensorArray.from_numpy_ndarray(value)
    table = pa.table(columns)
    with pa.ipc.new_file("tensors.arrow", table.schema) as w:
        w.write_table(table)
    np.save("image.npy", made["image"])
    short = pa.FixedShapeTensorArray.from_numpy_ndarray(np.zeros((N, 8192)))
    table = table.set_column(table.schema.get_field_index("above"), "above", short)
    with pa.ipc.new_file("short.arrow", table.schema) as w:
        w.write_table(table)
    kind = pa.struct([("a", pa.list_(pa.int8(), 70000))])
    table = pa.table({"s": pa.array([{"a": [1] * 70000}], kind)})
    with pa.ipc.new_file("struct.arrow", table.schema) as w:
        w.write_table(table)
    with h5py.File("many.h5", "w") as f:  # 160 MiB of cells
        f["t/x"] = range(80)
        f.create_dataset(
            "t/image", (80, 1024, 1024), "u2", chunks=(1, 1024, 1024), compression="gzip", fillvalue=7
        )
        f["t/image"][79] = 5
    # A missing cell in the first, a middle and the last row, and a column of nothing else.
    width = 8193
    flat = pa.array(made["above"].ravel())
    lists = pa.FixedSizeListArray.from_arrays(flat, width)
    rows = [None, lists[0].as_py(), None, lists[1].as_py(), lists[2].as_py(), None]
    kind = pa.list_(pa.float64(), width)
    bools = pa.list_(pa.bool_(), 70000)
    times = pa.list_(pa.timestamp("ms", "UTC"), 9000)
    nested = pa.list_(pa.list_(pa.int16(), 400), 100)
    some = [[True, False] * 35000, None, [False] * 70000, [True] * 70000, None, [False, True] * 35000]
    table = pa.table(
        {
            "x": pa.array(range(6), pa.int32()),
            "some": pa.array(rows, kind),
            "none": pa.array([None] * 6, kind),
            "bools": pa.array(some, bools),
            "times": pa.array([list(range(k, k + 9000)) for k in range(5)] + [None], times),
            "nested": pa.array([[[k] * 400] * 100 for k in range(6)], nested),
        }
    )
    with pa.ipc.new_file("missing.arrow", table.schema) as w:
        w.write_table(table)


def same(found, expected):
    return found.dtype == expected.dtype and found.tobytes() == expected.tobytes()


def compare(places):
    expected = np.load("expected.npz")
    for place in places:
        file, _, path = place.partition(":")
        if file == "edited.npy":
            assert same(np.load(file), expected["image"][[2, 2, 1]]), place
        elif file.endswith(".lh5"):
            with h5py.File("waves.lh5") as f, h5py.File(file) as g:
                a, b = f["t/wf/values"], g["t/wf/values"]
                assert a.shape == b.shape and same(a[:], b[:])
                assert a.attrs["datatype"] == b.attrs["datatype"] and b.attrs["units"] == "ADC"
        elif file.endswith(".arrow"):
            table = pa.ipc.open_file(file).read_all()
            if "some" in table.column_names:
                was = pa.ipc.open_file("missing.arrow").read_all()
                for name in table.column_names:
                    assert table[name].type == was[name].type, (name, table[name].type)
                    assert table[name].equals(was[name]), name
                continue
            for name in table.column_names:
                column = table[name].combine_chunks()
                column = column if not isinstance(column, pa.ChunkedArray) else column.chunk(0)
                value = column.to_numpy_ndarray() if name != "x" and name != "above" else None
                if value is None:
                    value = (column.storage if isinstance(column, pa.ExtensionArray) else column)
                    value = value.flatten().to_numpy() if name == "above" else value.to_numpy()
                    value = value.reshape(expected[name].shape)
                assert value.shape == expected[name].shape, (place, name, value.shape)
                assert same(value, expected[name]), (place, name)
        elif file.endswith(".npy"):
            value = np.load(file)
            assert value.shape == expected["image"].shape, value.shape
            assert same(value, expected["image"]), place
        else:
            with h5py.File(file) as f:
                node = f[path]
                members = node.dtype.names if isinstance(node, h5py.Dataset) else list(node)
                for name in members:
                    value = node[name]
                    if name in ("SEARCH_INDEXES", "CATEGORIES"):
                        continue
                    if isinstance(value, h5py.Group) and "VALUES" in value:
                        assert value.attrs["CLASS"] == b"LIST_COLUMN"
                        n = value["VALUES"].shape[0] // N
                        assert value["OFFSETS"][:].tolist() == [0, n, 2 * n, 3 * n], name
                        value = value["VALUES"]
                    value = value[:].reshape(expected[name].shape)
                    assert same(value, expected[name]), (place, name, value.dtype)


{"make": lambda _: make(), "compare": compare}[sys.argv[1]](sys.argv[2:])
