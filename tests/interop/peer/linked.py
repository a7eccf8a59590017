"""near.h5 and far.h5 with links of PyTables from one to the other, into circles and nowhere."""

import h5py
import numpy as np
import tables


def rows(n):
    return np.full(n, n, [("a", "i4")])


with tables.open_file("far.h5", "w") as file:
    file.create_table("/", "t", rows(3))
    file.create_group("/", "g")
    file.create_table("/g", "u", rows(4))
    file.create_external_link("/g", "back", "near.h5:/")
with tables.open_file("near.h5", "w") as file:
    file.create_table("/", "t", rows(2))
    file.create_group("/", "g")
    file.create_table("/g", "v", rows(5))
    for name, target in (("s", "/t"), ("sg", "/g"), ("no", "/nowhere"), ("c1", "/c2"),
                         ("c2", "/c1")):  # fmt: skip
        file.create_soft_link("/", name, target)
    for name, target in (("e", "far.h5:/t"), ("eg", "far.h5:/g"), ("gone", "gone.h5:/t"),
                         ("self", "near.h5:/t")):  # fmt: skip
        file.create_external_link("/", name, target)
with h5py.File("near.h5", "r+") as file:
    file["g/loop"] = file["g"]
    file["g/root"] = file["/"]
    file["zz"] = file["t"]
