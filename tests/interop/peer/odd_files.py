"""Makes HDF5 files whose structure is odd but allowed, as people and programs leave them."""

import h5py
import numpy as np


def create(group, name, kind=h5py.h5t.NATIVE_INT32, n=4):
    h5py.h5d.create(group.id, name, kind, h5py.h5s.create_simple((n,)))


def links():
    with h5py.File("other.h5", "w") as f:
        f["secret"] = np.arange(4)
    with h5py.File("links.h5", "w") as f:
        f["t/a"], f["t/b"] = np.arange(4), np.arange(4.0)
        f["t/soft"] = h5py.SoftLink("/t/a")
        f["t/gone"] = h5py.SoftLink("/nowhere")
        f["t/far"] = h5py.ExternalLink("other.h5", "/secret")
        f["t/loop"] = h5py.SoftLink("/t/loop")
        f["l1"], f["l2"] = h5py.SoftLink("/l2"), h5py.SoftLink("/l1")
        f["round/x"], f["round/y"] = np.arange(3), np.arange(3)
        f["round/self"], f["round/up"] = f["round"], f["/"]


def empty():
    with h5py.File("empty.h5", "w") as f:
        f.create_dataset("t/a", (0,), "i4", maxshape=(None,), chunks=(10,))
        f.create_dataset("t/b", (0, 3), maxshape=(None, 3), chunks=(10, 3))
        f.create_dataset("t/s", (0,), h5py.string_dtype(), maxshape=(None,))
        f["null"] = h5py.Empty("f4")
        f.create_dataset("flat", (3, 0), "i2")
        f["scalars/n"], f["scalars/text"], f["scalars/raw"] = 1, "text", np.void(b"abc")


def types():
    with h5py.File("types.h5", "w") as f:
        t = f.create_group("t")
        t["base"] = np.arange(4)
        t["ref"] = np.array([t.ref] * 4, dtype=h5py.ref_dtype)
        t.create_dataset("part", data=[t["base"].regionref[:2]] * 4, dtype=h5py.regionref_dtype)
        t.create_dataset("enum", data=[0, 1, 2, 7], dtype=h5py.enum_dtype({"A": 0, "B": 1, "C": 2}, "i4"))
        t["opaque"] = np.array([b"abcd"] * 4, dtype="V4")
        ragged = np.array([np.arange(i) for i in range(4)], dtype=object)
        t.create_dataset("ragged", data=ragged, dtype=h5py.vlen_dtype("i4"))
        t.create_dataset("text", data=["a", "é", " ", ""], dtype=h5py.string_dtype())
        t["nested"] = np.zeros(4, [("p", "i4"), ("q", [("r", "f4", (2, 3)), ("s", "S3")])])
        f["named"] = np.dtype("f8")
        t.create_dataset("committed", (4,), f["named"])
        create(t, b"bits", h5py.h5t.STD_B16LE)
        create(t, b"time", h5py.h5t.UNIX_D32LE)
        t["half"], t["long"], t["big"] = np.arange(4, dtype="f2"), np.arange(4, dtype="g"), np.arange(4, dtype=">i8")
        t["complex"], t["bool"] = np.arange(4, dtype="c16"), np.array([True, False] * 2)
        kind = [("v", h5py.vlen_dtype(np.dtype("f8"))), ("s", h5py.string_dtype())]
        t.create_dataset("variable", (4,), np.dtype(kind))
        t.create_dataset("texts", (4,), h5py.vlen_dtype(h5py.string_dtype()))
        t.create_dataset("dates", data=np.arange(4), dtype="i4")
        t["dates"].attrs["units"] = "days since 0000-00-00"
        t.create_dataset("scaled", data=np.arange(4), dtype="i4")
        t["scaled"].attrs.update(scale_factor="two", add_offset=np.nan, _FillValue="zz", units=np.arange(5))


def names():
    with h5py.File("names.h5", "w") as f:
        t = f.create_group("t")
        for name in (b"a\nb", b"\xff", b"\xfe", b" ", b"a,b", b"x[1]", b'"q"', b"\x1b[31m", "ü".encode(), b".dot", b"a:b"):
            create(t, name)


def elsewhere():
    with h5py.File("elsewhere.h5", "w") as f:
        f["here"] = np.arange(5)
        near = h5py.VirtualLayout((10,), "i8")
        near[:5] = h5py.VirtualSource(".", "/here", (5,))
        near[5:] = h5py.VirtualSource("absent.h5", "x", (5,))
        f.create_virtual_dataset("t/virtual", near, fillvalue=-1)
        f["t/w"] = np.arange(10)
        f.create_dataset("t/raw", (10,), "i4", external=[("/etc/hostname", 0, h5py.h5f.UNLIMITED)])
        f["t/z"] = np.arange(10.0)


def huge():
    with h5py.File("huge.h5", "w") as f:
        f["t/a"], f["t/b"] = np.zeros((2,) * 20, "i1"), np.arange(2)
        f.create_dataset("t/wide", (2, 1 << 40), "i1", chunks=(1, 1 << 16))
        f.create_dataset("long", (1 << 50,), "f8", chunks=(1000,))
        f["steps"] = np.arange(3 * 40000, dtype="i4").reshape(40000, 3)


def deep():
    with h5py.File("deep.h5", "w") as f:
        group = f
        for _ in range(300):
            group = group.create_group("d")
        group["a"], group["b"] = np.arange(3), np.arange(3)


def filtered():
    kept = np.arange(10, dtype="i4")
    with h5py.File("filtered.h5", "w") as f:
        f["t/a"] = kept
        f["t/c"] = kept * 2.0
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((5,))
        plist.set_filter(h5py.h5z.FILTER_FLETCHER32)
        space = h5py.h5s.create_simple((10,))
        data = h5py.h5d.create(f["t"].id, b"odd", h5py.h5t.NATIVE_INT32, space, plist)
        data.write(h5py.h5s.ALL, h5py.h5s.ALL, kept)
    # Filter 3 becomes 31999, which nobody has.
    content = open("filtered.h5", "rb").read()
    at = content.find(b"fletcher32")
    number = content.rfind(b"\x03\x00", 0, at)
    assert 0 < at - number <= 10
    with open("filtered.h5", "wb") as f:
        f.write(content[:number] + (31999).to_bytes(2, "little") + content[number + 2 :])


def models():
    with h5py.File("models.h5", "w") as f:
        for i in range(3):  # weights of Keras, and episodes of robomimic
            f[f"layer_{i}/layer_{i}/kernel:0"] = np.zeros((4, 4), "f4")
            f[f"layer_{i}/layer_{i}/bias:0"] = np.zeros(4, "f4")
            f[f"data/demo_{i}/actions"] = np.zeros((10, 7))
            f[f"data/demo_{i}/obs/image"] = np.zeros((10, 8, 8, 3), "u1")
            f[f"data/demo_{i}/obs/position"] = np.zeros((10, 3))
        f["matrix"] = np.zeros((5, 8), "f4")  # loom
        f["row_attrs/Gene"], f["row_attrs/Id"] = np.array([b"g"] * 5), np.arange(5)
        f["col_attrs/CellID"], f["col_attrs/n"] = np.array([b"c"] * 8), np.arange(8)


for make in (links, empty, types, names, elsewhere, huge, deep, filtered, models):
    make()
