"""HDF5 files that declare no layout, in the structure of programs that write such files, and the tables in them.

    plain.py make       the files, and plain.json: {place: {column: values}}, as NumPy or xarray has them

Values of JSON are numbers, texts, lists, true and false, null for what is missing, "NaN" for NaN of floats.
"""

import json
import sys

import h5py
import netCDF4
import numpy as np
import xarray

R = np.random.default_rng(7)
N = 11
EXPECTED = {}
TEXT = h5py.string_dtype()


def values(array):
    """JSON of an array, by the rules of `stoa query -f jsonl`."""
    if isinstance(array, np.ma.MaskedArray):
        return [None if m is True else v for v, m in zip(values(array.data), array.mask.tolist())]
    if isinstance(array, np.ndarray) and array.dtype == np.float32:
        return [float(str(v)) for v in array] if array.ndim == 1 else [values(v) for v in array]
    if isinstance(array, (list, np.ndarray)):
        return [values(v) for v in (array.tolist() if isinstance(array, np.ndarray) else array)]
    if isinstance(array, bytes):
        return array.decode()
    if isinstance(array, complex):
        return {"r": array.real, "i": array.imag}
    return "NaN" if array != array else array


def expect(place, **columns):
    EXPECTED[place] = {name.replace("__", "."): values(v) for name, v in columns.items()}


def h5py_groups():
    with h5py.File("h5py.h5", "w") as f:
        g = f.create_group("events", track_order=True)
        rows = {
            "x": R.random(N), "n": R.integers(-9, 9, N).astype("i2"), "flag": R.random(N) < 0.5,
            "wave": R.integers(0, 99, (N, 4)).astype("u2"), "name": [f"é{i}" for i in range(N)],
            "code": np.array([f"c{i}" for i in range(N)], "S3"), "psi": R.random(N) + 1j * R.random(N),
            "big": np.array([2**63 + i for i in range(N)], "u8"), "cube": R.random((N, 2, 3)).astype("f4"),
        }  # fmt: skip
        for name, v in rows.items():
            g.create_dataset(name, data=v, dtype=TEXT if name == "name" else None)
        g["x"].attrs["units"] = "mm"
        g["ragged"] = np.array(0.5)
        ragged = g.create_dataset("hits", (N,), h5py.vlen_dtype("i4"))
        hits = [list(range(i % 4)) for i in range(N)]
        for i, v in enumerate(hits):
            ragged[i] = v
        rows["cube"] = rows["cube"].reshape(N, -1)
        expect("h5py.h5:/events", **rows, hits=hits)
        expect("h5py.h5:/events/x,n", x=rows["x"], n=rows["n"])
        f["other/long"] = np.arange(30.0)
        f["other/short"] = np.arange(3)
        expect("h5py.h5:/other/long", long=np.arange(30.0))
        f["one/a"], f["one/b"] = np.arange(4), np.arange(4) * 2
        f["one/c"], f["one/d"] = np.arange(7), np.arange(7) * 2
        expect("h5py.h5:/one", c=np.arange(7), d=np.arange(7) * 2)
        expect("h5py.h5:/one/a,b", a=np.arange(4), b=np.arange(4) * 2)
        f["img"] = np.arange(60, dtype="i4").reshape(5, 4, 3)
        expect("h5py.h5:/img", img=f["img"][()].reshape(5, 12))
        for text in "1:4, :, 2", "-2:, 1, ::2", "::-2, ..., 0", "0", "..., 1", "3, 2, 1", "2:2", "4:1:-1, -1":  # fmt: skip
            part = np.atleast_1d(eval(f"f['img'][()][{text}]", {"f": f}))
            expect(f"h5py.h5:/img[{text}]", img=part.reshape(len(part), int(np.prod(part.shape[1:]))) if part.ndim > 1 else part)
        pair = np.array([(1, 2.5), (3, 4.5)], [("i", "i4"), ("v", "f8")])
        f["pairs"] = pair
        expect("h5py.h5:/pairs", i=pair["i"], v=pair["v"])
        f["scalar"] = 2.5
        f["words"] = "hello"
        expect("h5py.h5:/scalar", scalar=[2.5])
        expect("h5py.h5:/words", words=["hello"])


def vaex():
    """As vaex 4 exports a data frame."""
    with h5py.File("vaex.hdf5", "w") as f:
        f.create_group("table").attrs["type"] = "table"
        c = f.create_group("table/columns")
        x = R.random(N)
        c["x/data"] = x
        c["vec/data"] = R.random((N, 3))
        masked = np.ma.array(R.integers(0, 9, N), mask=np.arange(N) % 3 == 0)
        c["m/data"], c["m/mask"] = masked.data, masked.mask
        valid = np.arange(N) % 4 != 1
        c["q/data"] = np.arange(N) * 0.5
        c["q/null_bitmap"] = np.packbits(valid, bitorder="little")
        words = ["a", "", "üö", "word"] * 3
        words = words[:N]
        joined = [w.encode() for w in words]
        c["s/data"] = np.frombuffer(b"".join(joined), "S1")
        c["s/data"].attrs["dtype"] = "str"
        c["s/indices"] = np.cumsum([0] + [len(w) for w in joined]).astype("i4")
        c["s/null_bitmap"] = np.packbits(valid, bitorder="little")
        when = np.arange(N, dtype="i8") * 10**9 + 1
        c["t/data"] = when
        c["t/data"].attrs["dtype"] = "datetime64[ns]"
        d = c.create_group("d")
        d.attrs["type"] = "dictionary_encoded"
        d["indices/data"] = np.arange(N, dtype="i1") % 2
        d["dictionary/data"], d["dictionary/indices"] = np.frombuffer(b"redgreen", "S1"), np.array([0, 3, 8], "i4")
        order = ["x", "s", "m", "q", "t", "d", "vec"]
        c.attrs["column_order"] = ",".join(order)
        x_masked = np.ma.array(np.arange(N) * 0.5, mask=~valid)
        columns = {
            "x": x, "s": [w if v else None for w, v in zip(words, valid)], "m": masked, "q": x_masked,
            "t": [f"1970-01-01T00:00:{i:02}.000000001" for i in range(N)],
            "d": [["red", "green"][i % 2] for i in range(N)], "vec": c["vec/data"][()],
        }  # fmt: skip
        expect("vaex.hdf5:/table", **columns)


def tenx():
    """10x Genomics: molecules of Cell Ranger 2 and 3, matrices of 1, 2 and 3 (and of Visium, which is like 3)."""
    genes, cells, entries = 5, 3, 9
    with h5py.File("molecule_v2.h5", "w") as f:
        rows = {"barcode": R.integers(0, 2**32, N).astype("u8"), "gene": R.integers(0, genes, N).astype("u4"),
                "umi": R.integers(0, 2**20, N).astype("u4"), "reads": R.integers(1, 9, N).astype("u4")}  # fmt: skip
        for name, v in rows.items():
            f[name] = v
        f["gene_ids"] = np.array([f"ENSG{i}" for i in range(genes)], "S15")
        f["gene_names"] = np.array([f"G{i}" for i in range(genes)], "S15")
        f["genome_ids"] = np.array([b"GRCh38"])
        f.create_group("metrics").attrs["x"] = 1
        expect("molecule_v2.h5:/", **dict(sorted(rows.items())))
        expect("molecule_v2.h5:/gene_ids,gene_names", gene_ids=f["gene_ids"][()], gene_names=f["gene_names"][()])
    with h5py.File("molecule_v3.h5", "w") as f:
        rows = {"barcode_idx": R.integers(0, cells, N).astype("u8"), "count": R.integers(1, 9, N).astype("u4"),
                "feature_idx": R.integers(0, genes, N).astype("u4"), "gem_group": np.ones(N, "u2"),
                "library_idx": np.zeros(N, "u2"), "umi": R.integers(0, 2**20, N).astype("u4")}  # fmt: skip
        for name, v in rows.items():
            f[name] = v
        f["barcodes"] = np.array([f"ACGT{i}" for i in range(cells)], "S18")
        f["metrics_json"] = "{}"
        f["barcode_info/genomes"] = np.array([b"GRCh38"])
        f["barcode_info/pass_filter"] = R.integers(0, 3, (3, 3)).astype("u8")
        features(f.create_group("features"), genes)
        expect("molecule_v3.h5:/", **dict(sorted(rows.items())))
        expect_features("molecule_v3.h5:/features", f["features"])
        expect("molecule_v3.h5:/barcodes", barcodes=f["barcodes"][()])
    for name, group in ("matrix_v2.h5", "GRCh38"), ("matrix_v3.h5", "matrix"):
        with h5py.File(name, "w") as f:
            m = f.create_group(group)
            m["barcodes"] = np.array([f"ACGT{i}" for i in range(cells)], "S18")
            m["data"] = R.integers(1, 9, entries).astype("i4")
            m["indices"] = np.array([0, 3, 1, 2, 4, 0, 2, 3, 4])
            m["indptr"] = np.array([0, 2, 5, 9])
            m["shape"] = np.array([genes, cells], "i8" if group == "matrix" else "i4")
            columns = np.repeat(np.arange(cells), np.diff(m["indptr"][()]))
            expect(f"{name}:/{group}", row=m["indices"][()], column=columns, value=m["data"][()])
            if group == "matrix":
                features(m.create_group("features"), genes)
                expect_features(f"{name}:/matrix/features", m["features"])
            else:
                m["genes"] = np.array([f"ENSG{i}" for i in range(genes)], "S15")
                m["gene_names"] = np.array([f"G{i}" for i in range(genes)], "S15")
                expect(f"{name}:/GRCh38/genes,gene_names", genes=m["genes"][()], gene_names=m["gene_names"][()])


FEATURES = "feature_type", "genome", "id", "name"


def features(group, n):
    for name in FEATURES:
        group[name] = np.array([f"{name}{i}" for i in range(n)], "S30")
    group["_all_tag_keys"] = np.array([b"genome"])


def expect_features(place, group):
    expect(place, **{name: group[name][()] for name in FEATURES})


def nexus():
    with h5py.File("nexus.nxs", "w") as f:
        e = f.create_group("entry")
        e.attrs["NX_class"] = "NXentry"
        e["title"], e["start_time"] = "a scan", "2024-01-01T00:00:00Z"
        d = e.create_group("data")
        d.attrs.update({"NX_class": "NXdata", "signal": "counts", "axes": ["two_theta"]})
        d["counts"], d["two_theta"] = R.integers(0, 99, N), np.linspace(5, 9, N)
        d["counts_errors"] = np.sqrt(d["counts"][()])
        d["two_theta"].attrs["units"] = "deg"
        expect("nexus.nxs:/entry/data", two_theta=d["two_theta"][()], counts=d["counts"][()],
               counts_errors=d["counts_errors"][()])  # fmt: skip
        det = e.create_group("instrument")
        det["far"], det["near"] = R.random(N), R.random(N)
        k = e.create_group("linked")
        k.attrs.update({"NX_class": "NXdata", "signal": "y", "axes": "x"})
        k["x"], k["y"] = h5py.SoftLink("/entry/instrument/far"), det["near"]
        expect("nexus.nxs:/entry/linked", x=det["far"][()], y=det["near"][()])
        i = e.create_group("image")
        i.attrs.update({"NX_class": "NXdata", "signal": "data", "axes": ["y", "x"]})
        i["data"], i["x"], i["y"] = R.random((N, N)), np.arange(N) * 1.0, np.arange(N) * 2.0
        expect("nexus.nxs:/entry/image", y=i["y"][()], data=i["data"][()])
        ev = e.create_group("events")
        ev.attrs["NX_class"] = "NXevent_data"
        ev["event_id"], ev["event_time_offset"] = R.integers(0, 99, 40).astype("u4"), R.random(40).astype("f4")
        ev["event_time_zero"], ev["event_index"] = np.arange(N) * 0.1, np.arange(N, dtype="u8")
        ev["total_counts"] = np.array([40], "u8")
        ev["event_time_offset"].attrs["units"] = "microsecond"
        expect("nexus.nxs:/entry/events", event_id=ev["event_id"][()], event_time_offset=ev["event_time_offset"][()])
        expect("nexus.nxs:/entry/events/event_time_zero,event_index", event_time_zero=ev["event_time_zero"][()],
               event_index=ev["event_index"][()])  # fmt: skip


def openpmd():
    with h5py.File("openpmd.h5", "w") as f:
        f.attrs.update({"openPMD": np.bytes_("1.1.0"), "basePath": np.bytes_("/data/%T/"),
                        "meshesPath": np.bytes_("fields/"), "particlesPath": np.bytes_("particles/")})  # fmt: skip
        s = f.create_group("data/100/particles/electrons")
        columns = {}
        for record, dimension in ("position", [1, 0, 0, 0, 0, 0, 0]), ("momentum", [1, 1, -1, 0, 0, 0, 0]):
            g = s.create_group(record)
            g.attrs["unitDimension"] = np.array(dimension, "f8")
            for axis in "xyz":
                v = R.random(N)
                g[axis] = v
                g[axis].attrs["unitSI"] = 1e-6 if record == "position" else 1.0
                columns[f"{record}__{axis}"] = v
        g = s.create_group("positionOffset")
        for axis in "xyz":
            c = g.create_group(axis)
            c.attrs.update({"value": 0.25, "shape": np.array([N], "u8"), "unitSI": 1.0})
            columns[f"positionOffset__{axis}"] = [0.25] * N
        q = s.create_group("charge")
        q.attrs.update({"value": -1, "shape": np.array([N], "u8"), "unitSI": 1.602e-19,
                        "unitDimension": np.array([0, 0, 1, 1, 0, 0, 0], "f8")})  # fmt: skip
        columns["charge"] = [-1] * N
        s["weighting"] = np.ones(N)
        columns["weighting"] = [1.0] * N
        s["id"] = np.arange(N, dtype="u8")
        columns["id"] = range(N)
        s["particlePatches/numParticles"] = np.array([N], "u8")
        f["data/100/fields/E/x"] = R.random((4, 5))
        expect("openpmd.h5:/data/100/particles/electrons", **{k: list(v) for k, v in sorted(columns.items(), key=lambda c: c[0].split("__"))})
        expect("openpmd.h5:/data/100/fields/E/x", x=f["data/100/fields/E/x"][()])


def matlab():
    """MATLAB's save -v7.3: 512 bytes in front, arrays transposed."""
    with h5py.File("matlab.mat", "w", userblock_size=512) as f:
        def save(name, array, kind):
            f[name] = array.T
            f[name].attrs["MATLAB_class"] = np.bytes_(kind)

        a, x, y = R.random((N, 3)), R.random((N, 1)), R.integers(-9, 9, (1, N)).astype("i4")
        ok = (R.random((N, 1)) < 0.5).astype("u1")
        cube = R.random((N, 2, 3))
        save("A", a, "double")
        save("x", x, "double")
        save("y", y, "int32")
        save("ok", ok, "logical")
        save("cube", cube, "double")
        save("n", np.array([[42.0]]), "double")
        save("other", R.random((4, 2)), "double")
        f["#refs#/a"] = np.arange(3)
        expect("matlab.mat:/", A=a, cube=cube.reshape(N, -1), ok=ok[:, 0] == 1, x=x[:, 0], y=y[0])
        expect("matlab.mat:/other", other=f["other"][()].T)
        expect("matlab.mat:/n", n=[42.0])
    with open("matlab.mat", "r+b") as f:
        f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")


def lhe():
    """LHEH5 2: rows of floats, whose columns an attribute names; and 1: a group for each class of rows."""
    with h5py.File("lhe2.hdf5", "w") as f:
        names = ["pid", "nparticles", "start", "trials", "scale", "fscale", "rscale", "aqed", "aqcd", "NOMINAL"]
        events = R.random((N, len(names)))
        f["events"], f["particles"] = events, R.random((3 * N, 13))
        f["events"].attrs["properties"] = names
        f["procInfo"], f["version"] = R.random((1, 6)), np.array([2, 1, 0])
        expect("lhe2.hdf5:/events", **{name: events[:, i] for i, name in enumerate(names)})
        expect("lhe2.hdf5:/particles", particles=f["particles"][()])
    with h5py.File("lhe1.hdf5", "w") as f:
        rows = {"nparticles": R.integers(2, 9, N), "weight": R.random(N), "start": np.arange(N)}
        for name, v in rows.items():
            f[f"event/{name}"] = v
        particles = {"id": R.integers(-9, 9, 3 * N), "px": R.random(3 * N)}
        for name, v in particles.items():
            f[f"particle/{name}"] = v
        f["init/beamA"] = np.array([2212])
        f["init/beamB"] = np.array([2212])
        expect("lhe1.hdf5:/event", **dict(sorted(rows.items())))
        expect("lhe1.hdf5:/particle", **particles)
        expect("lhe1.hdf5:/init", beamA=[2212], beamB=[2212])


def gwosc():
    with h5py.File("gwosc.hdf5", "w") as f:
        strain = R.random(64) * 1e-21
        f["strain/Strain"] = strain
        f["strain/Strain"].attrs.update({"Npoints": 64, "Xlabel": "GPS time", "Xspacing": 1 / 4096,
                                         "Xstart": 1126259446, "Xunits": "second", "Ylabel": "Strain", "Yunits": ""})  # fmt: skip
        time = 1126259446 + np.arange(64) / 4096
        f["quality/simple/DQDescriptions"] = np.array([b"data present", b"passes"])
        f["quality/simple/DQShortnames"] = np.array([b"DATA", b"CBC_CAT1"])
        f["quality/simple/DQmask"] = np.arange(4, dtype="u4")
        f["meta/GPSstart"] = 1126259446
        f["meta/Description"] = "Strain data"
        expect("gwosc.hdf5:/strain/Strain", GPS_time=time, Strain=strain)
        expect("gwosc.hdf5:/strain/Strain[8:16:2]", GPS_time=time[8:16:2], Strain=strain[8:16:2])
        expect("gwosc.hdf5:/quality/simple", DQDescriptions=["data present", "passes"], DQShortnames=["DATA", "CBC_CAT1"])
        for place in "gwosc.hdf5:/strain/Strain", "gwosc.hdf5:/strain/Strain[8:16:2]":
            rows = EXPECTED[place]
            EXPECTED[place] = {name.replace("GPS_time", "GPS time"): v for name, v in rows.items()}


def netcdf():
    """netCDF-4 by its own library; the expected values are those of xarray."""
    t, y, x = 6, 6, 3  # two dimensions of one length, which only the scales tell apart
    with netCDF4.Dataset("netcdf.nc", "w") as f:
        for name, n in ("time", t), ("lat", y), ("lon", x), ("nv", 2), ("unused", t):
            f.createDimension(name, n)
        v = f.createVariable("time", "f8", ("time",))
        v.units, v.calendar = "days since 2000-01-01", "standard"
        v[:] = np.arange(t) * 0.5
        for name, n in ("lat", y), ("lon", x):
            v = f.createVariable(name, "f4", (name,))
            v.units = "degrees"
            v[:] = np.arange(n) * 10
        v = f.createVariable("temp", "i2", ("time", "lat", "lon"), fill_value=-32768)
        v.scale_factor, v.add_offset, v.units, v.long_name = 0.01, 273.15, "K", "air temperature"
        packed = R.integers(-500, 500, (t, y, x)).astype("i2")
        packed[1, 2, 0] = -32768
        v.set_auto_maskandscale(False)
        v[:] = packed
        v = f.createVariable("rain", "f4", ("time",), fill_value=np.float32(9.96921e36))
        v.units = "mm"
        v[:] = np.ma.array(np.arange(t) * 0.25, mask=[0, 1, 0, 0, 1, 0])
        v = f.createVariable("level", "i4", ("time",), fill_value=-1)
        v[:] = np.ma.array(np.arange(t), mask=[0, 0, 1, 0, 0, 0])
        v = f.createVariable("model_day", "i4", ("time",))
        v.units, v.calendar = "days since 2000-01-01", "noleap"
        v[:] = np.arange(t)
        v = f.createVariable("hours", "i4", ("time",))
        v.units = "hours since 1990-01-01 06:00:00"
        v[:] = np.arange(t)
        f.createVariable("bounds", "f4", ("lat", "nv"))[:] = R.random((y, 2))
        f.createVariable("crs", "i4", ())[()] = 7
    with xarray.open_dataset("netcdf.nc", decode_times=False) as d:
        temp = packed.astype("f8") * 0.01 + 273.15
        temp[packed == -32768] = np.nan
        assert np.allclose(d["temp"].values, temp, equal_nan=True)
        when = ["2000-01-01T00:00:00.000000", "2000-01-01T12:00:00.000000", "2000-01-02T00:00:00.000000",
                "2000-01-02T12:00:00.000000", "2000-01-03T00:00:00.000000", "2000-01-03T12:00:00.000000"]  # fmt: skip
        rain, level = d["rain"].values, d["level"].values
        columns = {
            "time": when, "temp": temp.reshape(t, -1), "rain": [None if v != v else float(v) for v in rain],
            "level": [None if v != v else int(v) for v in level], "model_day": range(t),
            "hours": [f"1990-01-01T{6 + i:02}:00:00" for i in range(t)],
        }  # fmt: skip
        expect("netcdf.nc:/", **{k: list(v) for k, v in columns.items()})
        expect("netcdf.nc:/lon", lon=d["lon"].values)
        expect("netcdf.nc:/lat,bounds", lat=d["lat"].values, bounds=d["bounds"].values)
        expect("netcdf.nc:/crs", crs=[7])
    with xarray.open_dataset("netcdf.nc", drop_variables=["model_day", "hours"]) as d:
        assert [str(v)[:26] for v in d["time"].values] == when


if __name__ == "__main__":
    for make in h5py_groups, vaex, tenx, nexus, openpmd, matlab, lhe, gwosc, netcdf:
        make()
    with open("plain.json", "w") as out:
        json.dump(EXPECTED, out)
    sys.exit()
