"""HDF5's own h5dump, of the tree and of 1.14, describes Stoa's files in the words of HEP001."""

import csv
import gzip
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ddl
import older
import stoa_test
from interop_test import DATA

# One column of each kind; the values of "i16" hold the fill that Table 1 recommends.
CSV = """\
i8,i16,i32,i64,u8,u16,u32,u64,f32,f64,flag,label,word,time,day
1,-32767,1,1,1,1,1,1,0.5,0.5,true,a,one,2001-01-01T00:00:00.5Z,2001-01-01
,,,,,,,,,,,,,,
2,32766,2,2,2,2,2,2,1.5,nan,false,b,zwölf,2001-01-02T00:00:00Z,2001-01-02
"""
TYPES = {"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
         "u16": "uint16", "u32": "uint32", "u64": "uint64", "f32": "float32", "f64": "float64",
         "flag": "bool", "label": "category", "word": "string", "time": "timestamp",
         "day": "date"}  # fmt: skip
# The datatype of each column, and its fill value as h5dump prints it.
STORED = {
    "i8": ("H5T_STD_I8LE", "-127"),
    "i32": ("H5T_STD_I32LE", "-2147483647"),
    "i64": ("H5T_STD_I64LE", "-9223372036854775807"),
    "u8": ("H5T_STD_U8LE", "255"),
    "u16": ("H5T_STD_U16LE", "65535"),
    "u32": ("H5T_STD_U32LE", "4294967295"),
    "u64": ("H5T_STD_U64LE", "18446744073709551615"),
    "f32": ("H5T_IEEE_F32LE", r"9\.96921e\+36"),
    "f64": ("H5T_IEEE_F64LE", r"9\.96921e\+36"),
    "flag": ("H5T_STD_U8LE", "255"),
    "label": (r"H5T_STD_I\d+LE", r"-\d+"),
    "word": (ddl.string(), r'"(\\000)*"'),
    "time": ("H5T_STD_I64LE", "-9223372036854775807"),
    "day": ("H5T_STD_I64LE", "-9223372036854775807"),
}


class ToolsTestCase(stoa_test.TestCase):
    def of_older(self, tool, *arguments):
        if not older.PREFIX and not stoa_test.MUST_HAVE_PEERS:
            self.skipTest(older.PROBLEM)
        done = stoa_test.run(f"{older.HDF5_BIN}/{tool}", *arguments, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


class H5dump(ToolsTestCase):
    def dumps(self, *arguments):
        """What both print of t.h5."""
        ours = self.hdf5("h5dump", *arguments, self.dir / "t.h5")
        return {"our h5dump": ours, "h5dump of 1.14": self.of_older("h5dump", *arguments, "t.h5")}

    def make(self, *options):
        source = self.write("t.csv", CSV)
        arguments = [w for name, type in TYPES.items() for w in ("--type", f"{name}={type}")]
        self.stoa("import", source, f"{self.dir}/t.h5:/t", *arguments, *options)

    def assert_described(self, patterns, of=None):
        """h5dump's words for each path of `patterns` are as the pattern says."""
        for tool, said in self.dumps("-H", "-p").items():
            found = ddl.described(said)
            for path, pattern in patterns.items():
                with self.subTest(tool=tool, path=path):
                    self.assertRegex(found.get(path, "nothing is there"), f"^{pattern}")
            if of is not None:
                there = {path for path in found if path.rpartition("@")[0] == of}
                self.assertEqual(there, set(patterns), f"attributes of {of}")

    def test_the_groups_attributes_are_of_the_datatypes_of_section_7(self):
        self.make("--title", "Títle", "--description", "What it is", "--row-index", "i32,word")
        whole = {
            "/t@CLASS": rf"DATATYPE {ddl.string(13, 'NULLTERM', 'ASCII')} {ddl.SCALAR}$",
            "/t@VERSION": rf"DATATYPE {ddl.string(cset='ASCII')} {ddl.SCALAR}$",
            "/t@NROWS": f"DATATYPE H5T_STD_U64LE {ddl.SCALAR}$",
            "/t@GENERATION": f"DATATYPE H5T_STD_U64LE {ddl.SCALAR}$",
            "/t@TITLE": f"{ddl.TEXT}$",
            "/t@description": f"{ddl.TEXT}$",
            "/t@column-order": rf"DATATYPE {ddl.string()} {ddl.vector(15)}$",
            "/t@INDEX_COLUMNS": f"{ddl.STD_REF} {ddl.vector(2)}$",
            "/t@_index": f"{ddl.TEXT}$",
        }
        self.assert_described(whole, of="/t")

    def test_the_groups_attributes_have_the_values_of_section_7(self):
        self.make("--row-index", "i32,word")
        values = {
            "CLASS": ['"COLUMN_TABLE"'],
            "VERSION": ['"1.0"'],
            "NROWS": ["3"],
            "GENERATION": ["1"],  # of the rows that were written
            "_index": ['"i32"'],
        }
        for name, lines in values.items():
            for tool, said in self.dumps("-a", f"/t/{name}").items():
                found = re.findall(r"\(\d+\): (.*)", said)
                self.assertEqual(found, lines, f"{name}, {tool}")
        for tool, said in self.dumps("-a", "/t/column-order").items():
            names = [re.sub(r"(\\000)+$", "", n) for n in re.findall(r'"([a-z0-9\\]+)"', said)]
            self.assertEqual(names, list(TYPES), tool)

    def test_every_column_has_its_datatype_and_the_fill_value_of_table_1(self):
        self.make()
        self.assert_described(
            {
                f"/t/{name}": rf"DATATYPE {datatype} .*FILLVALUE \{{ .*VALUE {fill} \}}"
                for name, (datatype, fill) in STORED.items()
            }
        )

    def test_a_column_that_holds_the_recommended_fill_has_another_and_says_its_range(self):
        self.make()
        self.assert_described(
            {
                "/t/i16": r"DATATYPE H5T_STD_I16LE .*VALUE -32768 \}",
                "/t/i16@valid_min": f"DATATYPE H5T_STD_I16LE {ddl.SCALAR}$",
                "/t/i16@valid_max": f"DATATYPE H5T_STD_I16LE {ddl.SCALAR}$",
            }
        )
        for tool, said in self.dumps("-d", "/t/i16", "-y").items():
            self.assertIn("-32767, -32768, 32766", said, tool)

    def test_column_attributes_are_of_the_datatypes_of_section_8(self):
        self.make("--units", "f64=keV", "--index", "i8,f64,word")
        self.assert_described(
            {
                "/t/f64@units": f"{ddl.TEXT}$",
                "/t/f64@SEARCH_INDEX_LIST": f"{ddl.STD_REF} {ddl.vector(1)}$",
                "/t/label@CATEGORIES": f"{ddl.STD_REF} {ddl.SCALAR}$",
                "/t/flag@valid_min": f"DATATYPE H5T_STD_U8LE {ddl.SCALAR}$",
                "/t/CATEGORIES/label__CATEGORIES@ordered": f"{ddl.BOOLEAN}$",
            }
        )
        for tool, said in self.dumps("-a", "/t/time/units").items():
            self.assertIn('"milliseconds since 1970-01-01T00:00:00Z"', said, tool)
        for tool, said in self.dumps("-a", "/t/day/units").items():
            self.assertIn('"days since 1970-01-01"', said, tool)

    def test_references_lead_to_their_objects(self):
        self.make("--row-index", "word,i8", "--index", "f32")
        leads = {
            "/t/INDEX_COLUMNS": ["word", "i8"],
            "/t/label/CATEGORIES": ["CATEGORIES/label__CATEGORIES"],
            "/t/f32/SEARCH_INDEX_LIST": [r"SEARCH_INDEXES/\w+"],
        }
        for attribute, targets in leads.items():
            for tool, said in self.dumps("-a", attribute).items():
                found = re.findall(r'DATASET ".*/t/(.*)"', said)
                self.assertEqual(len(found), len(targets), f"{attribute}, {tool}: {said}")
                for path, target in zip(found, targets, strict=True):
                    self.assertRegex(path, f"^{target}$", tool)

    def test_an_index_is_a_compound_of_five_fields_in_their_order(self):
        self.make("--index", "i8,f64,word")
        counts = (r'H5T_STD_U64LE "nan_count"; H5T_STD_U64LE "fill_count"; H5T_STD_U64LE "n"; \} '
                  r"DATASPACE SIMPLE \{ \( 1 \)")  # fmt: skip
        kind = rf"DATATYPE {ddl.string(cset='ASCII')} {ddl.SCALAR}$"
        self.assert_described(
            {
                f"/t/SEARCH_INDEXES/{name}__chunk_minmax{sign}": pattern
                for name, element in (("i8", "H5T_STD_I8LE"), ("f64", "H5T_IEEE_F64LE"),
                                      ("word", ddl.string()))
                for sign, pattern in (
                    ("", rf'DATATYPE H5T_COMPOUND \{{ {element} "min"; {element} "max"; {counts}'),
                    ("@KIND", kind),
                )
            }
        )  # fmt: skip
        entries = {"i8": ["1", "2", "0", "1", "3"], "f64": [r"0\.5", r"0\.5", "1", "1", "3"]}
        for name, fields in entries.items():
            entry = r"\{\s+" + r",\s+".join(fields) + r"\s+\}"
            for tool, said in self.dumps("-d", f"/t/SEARCH_INDEXES/{name}__chunk_minmax").items():
                self.assertRegex(said, entry, tool)

    def test_no_attribute_anywhere_is_of_the_deprecated_reference_type(self):
        self.make("--row-index", "word,i8", "--index", "f32,i8,word,label")
        for tool, said in self.dumps("-H").items():
            found = re.findall(r"H5T_REFERENCE.*", said)
            self.assertEqual(found, ["H5T_REFERENCE { H5T_STD_REF }"] * 6, tool)


class Values(ToolsTestCase):
    def test_h5dump_prints_every_value_of_flights(self):
        source = DATA / "flights-2001.csv.gz"
        self.stoa("import", source, f"{self.dir}/t.h5:/t", "--no-category", "*")
        with gzip.open(source, "rt", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for name in ("delay", "distance", "origin", "destination"):
            wanted = [row[name] for row in rows]
            for tool in (lambda *a: self.hdf5("h5dump", *a, self.dir / "t.h5"),
                         lambda *a: self.of_older("h5dump", *a, "t.h5")):  # fmt: skip
                data = tool("-A", "0", "-y", "-w", "1", "-d", f"/t/{name}").split("DATA {", 1)[1]
                found = [line.strip(' ,"') for line in data.splitlines()[1:]]
                self.assertEqual(found[: len(wanted)], wanted, name)
                self.assertEqual([line for line in found[len(wanted) :] if line.strip("} ")], [])


REGIONS = """
import h5py, numpy

# Where the selections lie in the heap, and how the references are packed, says nothing of them.
for name, n_before, rows, packing in (("a.h5", 0, slice(0, 2), None), ("b.h5", 3, slice(0, 2), "gzip"),
                                      ("c.h5", 0, slice(1, 3), None)):
    with h5py.File(name, "w") as f:
        f["x"] = numpy.arange(10)
        before = f.create_dataset("before", (5,), h5py.regionref_dtype)
        for i in range(n_before):
            before[i] = f["x"].regionref[i : i + 1]
        r = f.create_dataset("r", (3,), h5py.regionref_dtype, chunks=(3,), compression=packing)
        r[0] = f["x"].regionref[rows]
        r[1] = f["x"].regionref[4:7]
"""


class Regions(stoa_test.PeersTestCase):
    def test_references_of_before_1_12_are_compared_by_what_they_select(self):
        self.peer_python(REGIONS)
        a, b, c = (f"{self.dir}/{name}.h5:/r" for name in "abc")
        self.assertEqual(self.stoa("diff", a, b).stdout, "")
        for other in (a, b):
            said = self.stoa("diff", other, c, status=1).stdout
            self.assertEqual(said, "/r: 1 element differs, the first at (0)\n")


if __name__ == "__main__":
    stoa_test.main()
