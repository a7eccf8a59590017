"""A small LH5 file of known contents, for listings and drawings: look.lh5."""

import h5py
import lh5_codecs
import numpy as np


def mark(node, datatype, **more):
    for name, value in {"datatype": datatype, **more}.items():
        node.attrs[name] = value
    return node


def array(group, name, values, datatype="array<1>{real}", **more):
    return mark(group.create_dataset(name, data=np.asarray(values)), datatype, **more)


def struct(group, name, datatype, **more):
    return mark(group.create_group(name), datatype, **more)


def axis(binning, i, edges, units, closed):
    node = struct(binning, f"axis_{i}", "struct{binedges,closedleft}")
    array(node, "closedleft", np.bool_(closed), "bool")
    if len(edges) == 3 and isinstance(edges, tuple):
        parts = struct(node, "binedges", "struct{first,last,step}", units=units)
        for key, value in zip(("first", "last", "step"), edges, strict=True):
            array(parts, key, value, "real")
    else:
        array(node, "binedges", edges, units=units)


def histogram(group, name, axes, weights, density=False):
    node = struct(group, name, "struct{binning,isdensity,weights}")
    fields = ",".join(f"axis_{i}" for i in range(len(axes)))
    binning = struct(node, "binning", f"struct{{{fields}}}")
    for i, (edges, units, closed) in enumerate(axes):
        axis(binning, i, edges, units, closed)
    array(node, "isdensity", np.bool_(density), "bool")
    array(node, "weights", weights, f"array<{len(axes)}>{{real}}")


def waves(group):
    table = struct(group, "wf", "table{coded,dt,plain,t0,values}")
    array(table, "t0", [100.0, 0.0, -50.0], units="ns")
    array(table, "dt", [10.0, 20.0, 10.0], units="ns")
    rows = [[0, 5, -3, 2], [7, 7, 7, 7], [1, 2, 3, 4]]
    array(table, "values", np.array(rows, np.int16), "array_of_equalsized_arrays<1,1>{real}", units="ADC")
    array(table, "plain", np.arange(3.0))
    coded = struct(table, "coded", "array_of_encoded_equalsized_arrays<1,1>{real}",
                   codec="radware_sigcompress", codec_shift=-2.0)  # fmt: skip
    packed = [lh5_codecs.radware_sigcompress(row, -2) for row in rows]
    data = struct(coded, "encoded_data", "array<1>{array<1>{real}}")
    array(data, "flattened_data", np.frombuffer(b"".join(packed), np.uint8))
    array(data, "cumulative_length", np.cumsum([len(row) for row in packed]).astype(np.uint32))
    array(coded, "decoded_size", 4, "real")


def main():
    with h5py.File("look.lh5", "w") as file:
        geds = struct(file, "geds", "struct{det1}")
        det = struct(geds, "det1", "table{energy,hits}")
        array(det, "energy", [1.0, 2.0], units="keV")
        hits = struct(det, "hits", "array<1>{array<1>{real}}", units="ns")
        array(hits, "cumulative_length", [2, 3])
        array(hits, "flattened_data", [1, 2, 3])
        geds.create_dataset("unlisted", data=np.zeros((3, 4)))
        circle = struct(file, "circle", "struct{again}")
        circle["again"] = circle
        file["link"] = h5py.SoftLink("/geds/det1")
        file["lost"] = h5py.SoftLink("/nowhere")
        file["other"] = h5py.ExternalLink("other.h5", "/x")
        array(file, "wrong", [1.0, 2.0], "array<2>{real}")
        array(struct(file, "short", "table{a,b}"), "a", [1, 2])
        hists = file.create_group("hists")
        histogram(hists, "one", [((0.0, 4.0, 1.0), "keV", True)], [1.0, 3.0, 0.0, 2.0])
        histogram(hists, "two", [((0, 4, 2), "mm", False), ([0.0, 1.0, 10.0, 100.0], "s", True)],
                  np.array([[1, 2, 3], [4, 5, 6]]), density=True)  # fmt: skip
        waves(file)


if __name__ == "__main__":
    main()
