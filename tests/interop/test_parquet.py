"""Parquet files: pyarrow, pandas, Polars and DuckDB read what Stoa writes, and Stoa reads what they write."""

import os
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

# All types, as columns of two rows of which the second is missing.
TYPES = """
import datetime as dt, decimal, pyarrow as pa
rows = {
    **{f"{s}int{n}": pa.array([n, None], getattr(pa, f"{s}int{n}")()) for s in ("", "u") for n in (8, 16, 32, 64)},
    "largest": pa.array([2**64 - 1, None], pa.uint64()),
    "half": pa.array([1.5, None], pa.float32()), "double": pa.array([0.1, None]),
    "bool": pa.array([True, None]), "text": pa.array(["\\u00e4 'x' \\"y\\"", None]),
    "large": pa.array(["", None], pa.large_string()), "bytes": pa.array([b"\\0a", None], pa.binary()),
    "date": pa.array([dt.date(1912, 4, 15), None]),
    **{f"moment {u}": pa.array([1_000_000, None], pa.timestamp(u)) for u in ("s", "ms", "us", "ns")},
    "in Berlin": pa.array([1001, None], pa.timestamp("us", "Europe/Berlin")),
    "in UTC": pa.array([1001, None], pa.timestamp("us", "UTC")),
    **{f"duration {u}": pa.array([-5, None], pa.duration(u)) for u in ("s", "ms", "us", "ns")},
    "decimal": pa.array([decimal.Decimal("-1.25"), None], pa.decimal128(15, 2)),
    "whole": pa.array([decimal.Decimal(2**62), None], pa.decimal128(20, 0)),
    "time": pa.array([dt.time(1, 2, 3, 4), None], pa.time64("us")),
    "category": pa.array(["b", None]).dictionary_encode(),
    "list": pa.array([[1, None, 3], None], pa.list_(pa.int16())),
    "fixed": pa.array([[1.0, 2.0], None], pa.list_(pa.float64(), 2)),
    "struct": pa.array([{"a": 1, "b": "q"}, {"a": 2, "b": "r"}]),
    'name, "odd"': pa.array([1, None]),
}
table = pa.table(rows)
fields = [f.with_metadata({"units": "MeV", "description": "of the hit"}) if f.name == "double" else f for f in table.schema]
table = table.cast(pa.schema(fields, metadata={"origin": "a test"}))

def differences(found, wanted, types=True):
    for name in wanted.column_names:
        a, b = found.column(name), wanted.column(name)
        if a.to_pylist() != b.to_pylist():
            yield f"{name}: {a.to_pylist()} instead of {b.to_pylist()}"
        elif types and str(a.type).replace("item:", "element:") != str(b.type).replace("item:", "element:"):
            yield f"{name}: {a.type} instead of {b.type}"
"""


class Parquet(stoa_test.PeersTestCase):
    def write_types(self, how):
        self.peer_python(TYPES + how)

    def assert_same(self, script):
        self.assertEqual(self.peer_python(TYPES + script), "")

    def test_pyarrow_reads_what_stoa_writes(self):
        self.write_types("import pyarrow.feather as f; f.write_feather(table, 'all.arrow')")
        self.stoa("import", self.dir / "all.arrow", f"{self.dir}/a.h5:/t", "--title", "A title")
        self.stoa("query", f"{self.dir}/a.h5:/t", "-o", self.dir / "a.parquet")
        self.stoa("export", f"{self.dir}/a.h5:/t", self.dir / "b.parquet")
        self.assert_same("""
import pyarrow.parquet as pq
for name in "ab":
    found = pq.read_table(f"{name}.parquet")
    # Strings of any length are one type in HEP001; Parquet has no seconds, and no times of day of 32 bits.
    known = ("large: string instead of large_string", "moment s: timestamp[us] instead of timestamp[s]", "category: dictionary")
    for line in differences(found, table):
        if not line.startswith(known) and "moment s" not in line:
            print(line)
    metadata = found.schema.field("double").metadata
    if (metadata[b"units"], metadata[b"description"]) != (b"MeV", b"of the hit"):
        print(metadata)
    if not pa.types.is_dictionary(found.schema.field("category").type):
        print(found.schema.field("category"))
""")

    def test_duckdb_and_polars_read_it(self):
        self.write("a.csv", "id,name,when\n1,x,2001-02-03T04:05:06\n2,,2001-02-03\n")
        self.stoa("import", self.dir / "a.csv", f"{self.dir}/a.h5:/t")
        self.stoa("query", f"{self.dir}/a.h5:/t", "-o", self.dir / "a.pq", "--codec", "zstd:19")
        self.assertEqual(self.peer_duckdb("from read_parquet('a.pq')"),
                         "id,name,when\n1,x,2001-02-03 04:05:06\n2,NULL,2001-02-03 00:00:00\n")  # fmt: skip
        self.assertEqual(self.peer_python("import polars as p\nprint(p.read_parquet('a.pq').rows())"),
                         "[(1, 'x', datetime.datetime(2001, 2, 3, 4, 5, 6)), (2, None, datetime.datetime(2001, 2, 3, 0, 0))]\n")  # fmt: skip

    def test_codecs_are_those_of_parquet(self):
        self.write("a.csv", "x\n1\n2\n")
        self.stoa("import", self.dir / "a.csv", f"{self.dir}/a.h5:/t")
        for codec, said in {None: "ZSTD", "zstd:3": "ZSTD", "snappy": "SNAPPY", "gzip": "GZIP", "lz4": "LZ4_RAW",
                            "brotli": "BROTLI", "none": "UNCOMPRESSED"}.items():  # fmt: skip
            words = [] if codec is None else ["--codec", codec]
            self.stoa("query", f"{self.dir}/a.h5:/t", "-o", self.dir / "a.parquet", *words)
            found = self.peer_duckdb("select any_value(compression) as c from parquet_metadata('a.parquet')")
            self.assertEqual(found, f"c\n{said}\n")
        for codec in ("zstd:0", "zstd:23", "snappy:1", "lzo", ""):
            self.fails("query", f"{self.dir}/a.h5:/t", "-o", self.dir / "b.parquet", "--codec", codec,
                       says="Parquet has zstd[:1-22]", status=2)  # fmt: skip
        self.fails("query", f"{self.dir}/a.h5:/t", "-o", self.dir / "b.csv", "--codec", "zstd", status=2,
                   says="--codec is for tables in HDF5 files")  # fmt: skip

    def test_stoa_reads_what_pyarrow_polars_and_duckdb_write(self):
        self.write_types("""
import duckdb, polars, pyarrow.parquet as pq
pq.write_table(table, "pyarrow.parquet")
pq.write_table(table, "plain.parquet", store_schema=False, compression="gzip", data_page_version="2.0")
polars.from_arrow(table.drop_columns(["decimal", "whole"])).write_parquet("polars.parquet")
rows_of_all = table.drop_columns([n for n in table.column_names if n.startswith("duration")])
duckdb.sql("copy (select * from rows_of_all) to 'duckdb.parquet' (format parquet)")
""")
        for name in ("pyarrow", "plain", "polars", "duckdb"):
            self.stoa("import", self.dir / f"{name}.parquet", f"{self.dir}/a.h5:/{name}")
            self.stoa("export", f"{self.dir}/a.h5:/{name}", self.dir / f"{name}.arrow")
            self.stoa("check", f"{self.dir}/a.h5:/{name}")
        self.assert_same("""
import pyarrow.feather as f
exact = f.read_table("pyarrow.arrow")
for line in differences(exact, table):
    if not line.startswith(("large: string", "category: dictionary", "moment s: timestamp")):
        print(line)
if exact.schema.field("double").metadata[b"units"] != b"MeV":
    print(exact.schema.field("double").metadata)
for name in ("plain", "polars", "duckdb"):
    found = f.read_table(f"{name}.arrow")
    # Without the schema, durations are integers, and times in UTC have no other zone. DuckDB has intervals of months.
    known = [n for n in found.column_names if not n.startswith("duration")]
    for line in differences(found.select(known), table.select(known), types=False):
        if "instead of" in line and not line.startswith("in Berlin"):
            print(name, line)
""")

    def test_units_titles_and_row_labels_come_back(self):
        self.write("a.csv", "id,energy\na,1.5\nb,\n")
        self.stoa("import", self.dir / "a.csv", f"{self.dir}/a.h5:/t", "--units", "energy=keV", "--row-index", "id")
        self.stoa("query", f"{self.dir}/a.h5:/t", "-o", self.dir / "a.parquet")
        frame = self.peer_python("import pandas\nprint(pandas.read_parquet('a.parquet').to_csv())")
        self.assertEqual(frame, "id,energy\na,1.5\nb,\n\n")
        self.stoa("import", self.dir / "a.parquet", f"{self.dir}/b.h5:/t")
        both = [self.stoa("info", f"{self.dir}/{n}.h5:/t").stdout.replace("b.h5", "a.h5").split("\n\n")[:2] for n in "ab"]
        self.assertEqual(*both)
        self.peer_python("import pandas\nf = pandas.DataFrame({'x': pandas.Categorical(['b', 'a', None])}, index=pandas.Index([3, 4, 5], name='n'))\nf.to_parquet('p.parquet')")
        self.stoa("import", self.dir / "p.parquet", f"{self.dir}/b.h5:/p")
        shown = self.stoa("info", f"{self.dir}/b.h5:/p").stdout
        self.assertIn("row labels", shown.replace("index columns", "row labels"))
        self.assertRegex(shown, r"x +category")

    def test_several_files_are_read_as_one(self):
        self.peer_python("""
import pyarrow as pa, pyarrow.parquet as pq
for k in range(3):
    pq.write_table(pa.table({"n": [k, k + 10]} | ({"more": ["x", "y"]} if k == 2 else {})), f"part{k}.parquet")
pq.write_table(pa.table({"n": [7]}), "a[1].parquet")
""")
        self.stoa("import", self.dir / "part0.parquet", self.dir / "part1.parquet", f"{self.dir}/a.h5:/t")
        self.assertEqual(self.rows_of(f"{self.dir}/a.h5:/t"), [{"n": n} for n in (0, 10, 1, 11)])
        self.stoa("import", f"{self.dir}/part[01].parquet", f"{self.dir}/a.h5:/pattern")
        self.assertEqual(self.rows_of(f"{self.dir}/a.h5:/pattern"), self.rows_of(f"{self.dir}/a.h5:/t"))
        self.stoa("import", self.dir / "a[1].parquet", f"{self.dir}/a.h5:/odd")
        self.assertEqual(self.rows_of(f"{self.dir}/a.h5:/odd"), [{"n": 7}])
        self.fails("import", self.dir / "part2.parquet", self.dir / "part1.parquet", f"{self.dir}/a.h5:/u",
                   says=["part1.parquet", "more", "--by-name"])  # fmt: skip
        self.stoa("import", "--by-name", self.dir / "part2.parquet", self.dir / "part1.parquet", f"{self.dir}/a.h5:/u")
        self.assertEqual(self.rows_of(f"{self.dir}/a.h5:/u")[2], {"n": 1, "more": None})
        self.stoa("append", self.dir / "part1.parquet", f"{self.dir}/a.h5:/t")
        self.assertEqual(len(self.rows_of(f"{self.dir}/a.h5:/t")), 6)
        self.stoa("convert", self.dir / "part1.parquet", f"{self.dir}/p.h5:/t", "--to", "pytables")
        self.assertEqual(self.rows_of(f"{self.dir}/p.h5:/t"), [{"n": 1}, {"n": 11}])

    def test_damaged_and_lying_files_are_refused_or_read(self):
        self.peer_python("""
import base64, pyarrow as pa, pyarrow.parquet as pq
t = pa.table({"n": list(range(5000)), "l": [[1, 2]] * 5000})
pq.write_table(t, "a.parquet")
for name, schema in {"junk": b"\\xff" * 40, "few": pa.schema([("m", pa.string())]).serialize().to_pybytes(),
                     "sized": pa.schema([("n", pa.int64()), ("l", pa.list_(pa.int64(), 3))]).serialize().to_pybytes()}.items():
    text = base64.b64encode(schema)
    with pq.ParquetWriter(f"{name}.parquet", t.schema, store_schema=False) as writer:
        writer.write_table(t)
        writer.add_key_value_metadata({"ARROW:schema": text})
""")
        whole = (self.dir / "a.parquet").read_bytes()
        for name, content in {"cut": whole[:-20], "tiny": b"PAR1", "middle": whole[:40] + b"\xff" * 200 + whole[240:],
                              "foot": whole[:-200] + b"\xff" * 150 + whole[-50:]}.items():  # fmt: skip
            done = self.fails("import", self.write(f"{name}.parquet", content), f"{self.dir}/a.h5:/t")
            self.assertNotIn("read_parquet(", done.stderr)
        self.assertFalse((self.dir / "a.h5").exists())
        for name in ("junk", "few"):
            self.stoa("import", self.dir / f"{name}.parquet", f"{self.dir}/a.h5:/{name}")
        self.fails("import", self.dir / "sized.parquet", f"{self.dir}/a.h5:/sized", says="ize")

    def test_nothing_is_left_of_what_fails(self):
        self.write("a.csv", "a\n" + "".join(f"{n * n % 10007}\n" for n in range(200_000)))
        self.stoa("import", self.dir / "a.csv", f"{self.dir}/a.h5:/t")
        before = sorted(os.listdir(self.dir))
        place = f"{self.dir}/a.h5:/t"
        self.fails("query", place, "-o", self.dir / "x.parquet", says="libduckdb", env={"STOA_DUCKDB": "/nowhere"})
        self.fails("query", place, "-o", self.dir / "none/x.parquet", says="no directory")
        self.fails("query", place, "-c", "a, a + 1 as A", "-o", self.dir / "x.parquet", says="differ in case alone")
        self.fails("query", place, "-f", "parquet", "-o", "/dev/full", says="No space left")
        self.fails("query", place, "-o", self.dir / "a.h5", "-f", "parquet", says="is an HDF5 file")
        small = subprocess.run([stoa_test.STOA, "query", place, "-o", "x.parquet", "--codec", "none"], cwd=self.dir, check=False,
                               capture_output=True, text=True,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16)))  # fmt: skip
        self.assertEqual((small.returncode, small.stderr), (3, "stoa: x.parquet: cannot be written: File too large\n"))
        self.assertEqual(sorted(os.listdir(self.dir)), before)

    def test_interrupted_it_leaves_the_old_file(self):
        self.write("a.csv", "a,b\n" + "".join(f"{n * n % 10007},{n}\n" for n in range(100_000)))
        self.stoa("import", self.dir / "a.csv", f"{self.dir}/a.h5:/t")
        self.write("x.parquet", "old")
        before = sorted(os.listdir(self.dir))
        columns = ",".join(f"a * {k} as a{k}" for k in range(300))
        process = subprocess.Popen([stoa_test.STOA, "query", f"{self.dir}/a.h5:/t", "-c", columns, "--codec", "zstd:22",
                                    "-o", self.dir / "x.parquet"], stderr=subprocess.PIPE, text=True)  # fmt: skip
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130, said)
        self.assertEqual((self.dir / "x.parquet").read_text(), "old")
        self.assertEqual(sorted(os.listdir(self.dir)), before)

    def test_a_pipe_gets_the_whole_file(self):
        self.write("a.csv", "a\n1\n2\n")
        self.stoa("import", self.dir / "a.csv", f"{self.dir}/a.h5:/t")
        done = self.stoa("query", f"{self.dir}/a.h5:/t", "-f", "parquet", text=False)
        self.write("x.parquet", done.stdout)
        self.assertEqual(self.peer_duckdb("from 'x.parquet'"), "a\n1\n2\n")


if __name__ == "__main__":
    stoa_test.main()
