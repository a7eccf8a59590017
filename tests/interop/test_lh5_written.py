"""Tables that Stoa writes as LH5 are what LEGEND's software takes for such (docs/layouts/lh5.md)."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

EFFORT = float(os.environ.get("STOA_EFFORT", "1"))
SEED = os.environ.get("STOA_SEED", "1")


class Again(PeerTestCase):
    """LH5 -> Arrow -> LH5."""

    def setUp(self):
        super().setUp()
        n_trees = max(1, int(8 * EFFORT))
        self.peer("python3", "lh5_made.py", SEED, str(n_trees))
        self.made = json.loads((self.dir / "lh5.json").read_text("utf-8"))

    def objects(self, file):
        said = self.stoa("ls", f"{self.dir}/{file}").stdout.splitlines()[2:]
        return [line.split()[0] for line in said]

    def test_objects_one_by_one_are_the_same_again(self):
        for file in self.made:
            paths = self.objects(file)
            self.assertTrue(paths)
            for path in paths:
                self.stoa("convert", f"{self.dir}/{file}:{path}", f"{self.dir}/again-{file}", "--to",
                          "lh5")  # fmt: skip
            with self.subTest(file=file):
                self.assert_says_nothing("lh5_verify.py", "--any-order", f"again-{file}")
                self.assert_says_nothing("lh5_verify.py", "--same", file, f"again-{file}", *paths)

    def test_whole_files_are_the_same_again(self):
        self.peer("python3", "-c", STRANGE)
        for file in [*self.made, "strange.lh5"]:
            with self.subTest(file=file):
                self.stoa("convert", f"{self.dir}/{file}", f"{self.dir}/whole-{file}", "--to", "lh5")
                self.assert_says_nothing("lh5_verify.py", "--same", file, f"whole-{file}")
                if "old" in file or "tree" in file or "new" in file:
                    self.assert_says_nothing("lh5_verify.py", "--any-order", f"whole-{file}")

    def test_h5diff_finds_no_difference(self):
        for file in [name for name in self.made if name.startswith("new")]:
            self.stoa("convert", f"{self.dir}/{file}", f"{self.dir}/whole-{file}", "--to", "lh5")
            excluded = ["--exclude-path", "/all/loose flag"]  # whose 2 is true, and comes back as 1
            said = self.peer("h5diff", "-v1", *excluded, file, f"whole-{file}", status=None)
            self.assertIn("0 differences found", said)
            self.assertNotRegex(said, r"(?m)^[1-9][0-9]* differences? found|, [1-9][0-9]* only in")

    def test_what_was_packed_can_be_written_plain(self):
        plain = f"{self.dir}/plain.lh5"
        self.stoa("convert", f"{self.dir}/new.lh5:/all", plain, "--to", "lh5", "--codec",
                  "none,radware.values=none,varied_uleb=none")  # fmt: skip
        self.assert_says_nothing("lh5_verify.py", "plain.lh5")
        kinds = self.peer("python3", "-c", KINDS, "plain.lh5").split()
        self.assertEqual(kinds, ["array_of_equalsized_arrays<1,1>{real}", "array<1>{array<1>{real}}",
                                 "array_of_encoded_equalsized_arrays<1,1>{real}", "None"])  # fmt: skip
        self.assertEqual(self.stoa("query", f"{self.dir}/new.lh5:/all", "-f", "jsonl").stdout,
                         self.stoa("query", plain, "-f", "jsonl").stdout)  # fmt: skip


KINDS = """
import h5py, sys
with h5py.File(sys.argv[1]) as file:
    for name in ("radware/values", "varied_uleb", "uleb/values"):
        print(file["all"][name].attrs["datatype"])
    print(file["all/n0_int8"].compression)
"""

# Soft links that nothing lists, an unlisted group, attributes of all kinds; a struct that lists
# half of what it has (LH5 notes §2.2).
STRANGE = """
import h5py, lh5_tree, numpy as np
with h5py.File("strange.lh5", "w") as file:
    writer = lh5_tree.Writer()
    table = {"kind": "table", "fields": {"v": {
        "kind": "vectors", "depth": 2, "rows": [[1], [], [2, 3]], "items": "i4"},
        "a": {"kind": "array", "values": np.arange(3)}}}
    inner = {"kind": "struct", "fields": {"t": table, "x": {"kind": "scalar", "value": 2.5}}}
    writer.write(file, "s", {"kind": "struct", "fields": {"one": inner, "two": table}})
    links = file["s"].create_group("__by_uid__")
    lh5_tree.attribute(links, "datatype", "struct{C1,C2}")
    links["C1"], links["C2"] = h5py.SoftLink("/s/one"), h5py.SoftLink("/s/two")
    file["away"] = h5py.ExternalLink("other.h5", "/x")
    file["here"] = h5py.SoftLink("/s/one/t")
    node = file["s/two"]
    lh5_tree.attribute(node, "hash_func", "uid // 7")
    node["v"].attrs["length"] = np.int64(3)
    lh5_tree.attribute(node["v/flattened_data"], "units", "keV")
    node["a"].attrs["odd"] = np.arange(4.0)
    lh5_tree.attribute(file, "datatype", "struct{s}")
    file.attrs["by"] = "nobody"
"""


class Packed(PeerTestCase):
    def test_bytes_are_those_of_another_encoder(self):
        n = max(10, int(2000 * EFFORT))  # of 5 columns: 10,000 by each codec
        self.peer("python3", "lh5_packed.py", "make", "rows.lh5", SEED, str(n))
        raw = f"{self.dir}/rows.lh5:/raw"
        names = ("i16", "u16", "equal1", "equal49", "equal300")
        for codec in ("radware_sigcompress", "uleb128_zigzag_diff"):
            said = ",".join(f"{name}={codec}" for name in names)
            packed = f"{codec}.lh5"
            self.stoa("convert", raw, f"{self.dir}/{packed}", "--to", "lh5", "--codec",
                      f"{said},i32=uleb128_zigzag_diff")  # fmt: skip
            self.assert_says_nothing("lh5_verify.py", packed)
            self.assert_says_nothing("lh5_packed.py", "check", "rows.lh5", packed)
            for name in names:
                self.assertEqual(self.stoa("query", raw, "-c", name, "-f", "jsonl").stdout,
                                 self.stoa("query", f"{self.dir}/{packed}", "-c", name, "-f",
                                           "jsonl").stdout)  # fmt: skip

    def test_what_a_codec_does_not_hold_is_refused(self):
        self.peer("python3", "-c", BEYOND)
        file, out = f"{self.dir}/beyond.lh5:/t", f"{self.dir}/out.lh5"
        for codec, why in (
            ("wide=radware_sigcompress", "column 'wide' has values beyond the 16 bits"),
            ("wider=uleb128_zigzag_diff", "column 'wider' has values beyond the 32 bits"),
            ("long=radware_sigcompress", "column 'long': row 1 has more than 32767 samples"),
            ("real=uleb128_zigzag_diff", "column 'real' is of"),
            ("none=uleb128_zigzag_diff", "there is no column 'none'"),
            ("wide=lzma", "no codec 'lzma' is written there"),
            ("lzma", "no codec 'lzma' is written there"),
        ):
            self.fails("convert", file, out, "--to", "lh5", "--codec", codec, says=why)
            self.assertFalse(os.path.exists(out))
        self.stoa("convert", file, out, "--to", "lh5", "--codec", "long=uleb128_zigzag_diff")


BEYOND = """
import h5py, lh5_tree, numpy as np
def vectors(rows, items):
    return {"kind": "vectors", "depth": 2, "rows": rows, "items": items}
fields = {
    "wide": vectors([[-1, 40000], []], "i4"), "wider": vectors([[2**31], []], "u4"),
    "long": vectors([[], [7] * 32768], "i2"), "real": vectors([[1.5], []], "f4"),
}
with h5py.File("beyond.lh5", "w") as file:
    lh5_tree.Writer().table(file, "t", {"fields": fields})
"""

TYPED = """
import h5py, numpy as np
with h5py.File("typed.lh5") as file:
    t = file["t"]
    for name in sorted(t):
        node = t[name]
        kind = node.dtype if isinstance(node, h5py.Dataset) else sorted(node)
        print(name, kind, node.attrs["datatype"], node.attrs.get("units"), sep=" | ")
        if isinstance(node, h5py.Dataset):
            print(node[()].tolist(), node.compression, node.compression_opts, node.shuffle)
    print(t["deep"]["a"][()].tolist(), t["deep/b"].attrs["datatype"], t["deep/b/c"][()].tolist())
    print(t.attrs["datatype"], file.attrs["datatype"])
"""


class FromOther(PeerTestCase):
    def own(self, text, *types):
        csv = self.write("a.csv", text)
        own = f"{self.dir}/own.h5:/t"
        self.stoa("import", csv, own, "--force", *[part for t in types for part in ("--type", t)])
        return own

    def test_each_type_is_stored_as_the_real_writer_stores_it(self):
        own = self.own(
            "i,f,b,s,u,d,when,deep.a,deep.b.c\n"
            "1,0.5,true,ab,\u00b5,2020-01-02,2020-01-02T00:00:01Z,7,x\n"
            "-2,1.5,false,\"\",b,1970-01-03,1970-01-01T00:00:00Z,8,yz\n",
            "i=int16", "f=float32", "b=bool", "s=string", "u=string", "d=date",
            "when=timestamp", "deep.a=uint8", "deep.b.c=string")  # fmt: skip
        self.stoa("convert", own, f"{self.dir}/typed.lh5", "--to", "lh5")
        self.assert_says_nothing("lh5_verify.py", "typed.lh5")
        self.assertEqual(self.peer("python3", "-c", TYPED).splitlines(), [
            "b | uint8 | array<1>{bool} | None", "[1, 0] gzip 4 True",
            "d | int32 | array<1>{real} | d", "[18263, 2] gzip 4 True",
            "deep | ['a', 'b'] | table{a,b} | None",
            "f | float32 | array<1>{real} | None", "[0.5, 1.5] gzip 4 True",
            "i | int16 | array<1>{real} | None", "[1, -2] gzip 4 True",
            "s | |S2 | array<1>{string} | None", "[b'ab', b''] gzip 4 True",
            "u | object | array<1>{string} | None", "[b'\\xc2\\xb5', b'b'] gzip 4 True",
            "when | int64 | array<1>{real} | s", "[1577923201, 0] gzip 4 True",
            "[7, 8] table{c} [b'x', b'yz']", "table{b,d,deep,f,i,s,u,when} struct{t}",
        ])  # fmt: skip

    def test_missing_values_are_refused_or_replaced(self):
        own = self.own("i,x\n1,\n,2.5\n", "i=int32", "x=float64")
        out = f"{self.dir}/out.lh5"
        self.fails("convert", own, out, "--to", "lh5", says="column 'i' has 1 missing value, which LH5")
        self.fails("convert", own, out, "--to", "lh5", says="--missing 'i=VALUE|nan|drop' says what")
        self.fails("convert", own, out, "--to", "lh5", "--missing", "i=-1",
                   says="column 'x' has 1 missing value")  # fmt: skip
        self.stoa("convert", own, out, "--to", "lh5", "--missing", "i=-1", "--missing", "x=nan")
        self.assertEqual(self.stoa("query", out, "-f", "csv").stdout, "i,x\n1,nan\n-1,2.5\n")

    def test_names_that_no_list_of_fields_holds_are_refused(self):
        for name, why in (("a{b", "column 'a{b'"), ('"a,b"', "column 'a,b'"), ("a..b", "column 'a..b'"),
                          ("b.c,b", "lies where another column is")):  # fmt: skip
            own = self.own(f"{name}\n" + ",".join("1" * (2 if name[0] == "b" else 1)) + "\n")
            self.fails("convert", own, f"{self.dir}/out.lh5", "--to", "lh5", says=why)

    def test_groups_above_list_what_is_in_them(self):
        own, out = self.own("a\n1\n"), f"{self.dir}/out.lh5"
        for path in ("/x/b", "/x/a", "/y", "/x/a"):
            self.stoa("convert", own, f"{out}:{path}", "--to", "lh5", "--force")
        self.assert_says_nothing("lh5_verify.py", "out.lh5")
        said = self.peer("python3", "-c", "import h5py; f = h5py.File('out.lh5'); "
                         "print(f.attrs['datatype'], f['x'].attrs['datatype'])")  # fmt: skip
        self.assertEqual(said.strip(), "struct{x,y} struct{a,b}")


# The first rows of a table, the others, and all of them.
PIECES = """
import h5py, lh5_tree, numpy as np
N = 7
def table(rows):
    n = len(rows)
    waves = [[100 * i + k * k for k in range(50)] for i in rows]
    fields = {
        "a": {"kind": "array", "values": np.array(rows, np.int16), "units": "ns"},
        "x": {"kind": "array", "values": np.array(rows, np.float32) / 2},
        "b": {"kind": "array", "values": np.array(rows) % 2 == 0},
        "s": {"kind": "array", "values": np.array([b"abc"[: i % 4] + b"." for i in rows], "S4")},
        "u": {"kind": "array", "values": np.array(["\u00b5" * (i % 3) for i in rows], object)},
        "e": {"kind": "equal", "values": np.array([[i, i + 1] for i in rows], np.uint16)},
        "v": {"kind": "vectors", "depth": 2, "rows": [list(range(i % 3)) for i in rows], "items": "i4"},
        "r": {"kind": "encoded", "codec": "radware_sigcompress", "rows": waves, "is_equal": True, "shift": 0},
        "w": {"kind": "encoded", "codec": "uleb128_zigzag_diff", "is_equal": False,
              "rows": [wave[: i + 1] for i, wave in zip(rows, waves)]},
        "t": {"kind": "table", "fields": {"c": {"kind": "array", "values": np.array(rows)}}},
    }
    return {"kind": "table", "fields": fields}
for name, rows in (("some", range(3)), ("more", range(3, N)), ("all", range(N))):
    with h5py.File(f"{name}.lh5", "w") as file:
        writer = lh5_tree.Writer()
        writer.write(file, "t", table(list(rows)))
        writer.write(file, "v", {"kind": "vectors", "depth": 3, "items": "i4",
                                 "rows": [[[i], [], [i] * (i % 3)] for i in rows]})
        writer.write(file, "h", {"kind": "scalar", "value": 3.5})
        lh5_tree.attribute(file, "datatype", "struct{h,t,v}")
"""
BAD = """
import h5py, lh5_tree, numpy as np, sys
with h5py.File("more.lh5", "a") as file:
    t = file["t"]
    for name, value in (("a", 40000), ("x", 0.1), ("s", b"12345"), ("r", None)):
        file.copy("t", f"bad_{name}")
        bad = file[f"bad_{name}"]
        fields = {"a": {"kind": "array", "values": np.array([1, 2, 3, 40000])},
                  "x": {"kind": "array", "values": np.array([1, 2, 3, 0.1])},
                  "s": {"kind": "array", "values": np.array([b"", b"", b"", b"12345"])},
                  "r": {"kind": "equal", "values": np.full((4, 50), 40000)}}
        del bad[name]
        lh5_tree.Writer().write(bad, name, fields[name])
"""


class Appended(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.peer("python3", "-c", PIECES)

    def test_it_is_as_if_all_had_been_written_at_once(self):
        for path in ("/t", "/v"):
            self.stoa("append", f"{self.dir}/more.lh5:{path}", f"{self.dir}/some.lh5:{path}")
        self.assert_says_nothing("lh5_verify.py", "some.lh5")
        self.assert_says_nothing("lh5_verify.py", "--same", "all.lh5", "some.lh5")

    def test_what_does_not_fit_leaves_every_row_as_it_was(self):
        self.peer("python3", "-c", BAD)
        self.peer("cp", "some.lh5", "before.lh5")
        for name, why in (("a", "'a' has values that its integers there do not hold"),
                          ("x", "'x' has values that its floats there do not hold"),
                          ("s", "'s' has strings that those there do not hold"),
                          ("r", "'r' has values beyond the 16 bits")):  # fmt: skip
            self.fails("append", f"{self.dir}/more.lh5:/bad_{name}", f"{self.dir}/some.lh5:/t", says=why)
            self.assert_says_nothing("lh5_verify.py", "--same", "before.lh5", "some.lh5")
        self.fails("append", f"{self.dir}/more.lh5:/h", f"{self.dir}/some.lh5:/h",
                   says="nothing can be appended to a scalar")  # fmt: skip
        self.fails("append", f"{self.dir}/more.lh5:/v", f"{self.dir}/some.lh5:/t")
        self.assert_says_nothing("lh5_verify.py", "--same", "before.lh5", "some.lh5")


class Real(stoa_test.PeersTestCase):
    """The experiment's own files, where $STOA_LH5_DATA says that they are."""

    def test_they_are_the_same_again(self):
        data = os.environ.get("STOA_LH5_DATA")
        if not data:
            self.skipTest("STOA_LH5_DATA does not say where the experiment's files are")
        peer = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer")
        self.put(f"{peer}/lh5_verify.py")
        for path in sorted(Path(data).glob("*.lh5")):
            with self.subTest(file=path.name):
                self.put(str(path))
                self.stoa("convert", str(path), f"{self.dir}/again-{path.name}", "--to", "lh5")
                said = self.peer("python3", "lh5_verify.py", "--same", path.name, f"again-{path.name}")
                self.assertEqual(said, "")
                for line in self.stoa("ls", str(path)).stdout.splitlines()[2:4]:
                    place = line.split()[0]
                    old, new = (
                        [json.loads(row) for row in self.stoa(
                            "query", f"{file}:{place}", "-f", "jsonl").stdout.splitlines()]
                        for file in (path, f"{self.dir}/again-{path.name}"))  # fmt: skip
                    self.assertEqual(old, new)


if __name__ == "__main__":
    stoa_test.main()
