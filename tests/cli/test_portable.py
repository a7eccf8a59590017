"""--portable of import, convert and repack: what every reader of HDF5 has (docs/readers.md)."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

N = 3000
HEADER = "i,x,t,label,text,word\n"


def lines(rows, text="plain", label="ascii"):
    return "".join(
        f"{i},{i / 8},2001-01-01T00:00:{i % 60:02},{label} {i % 5},{text} {i},{text}{i * 7919}\n"
        for i in rows
    )


class Portable(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        self.csv = self.write("a.csv", HEADER + lines(range(N)) + ",,,,,\n")

    def rows(self, file):
        return self.stoa("query", f"{file}:/t", "-f", "jsonl").stdout

    def header(self, file):
        return self.hdf5("h5dump", "-H", "-p", "-B", file)

    def columns(self, file):
        """What h5dump says of all datasets outside of SEARCH_INDEXES."""
        return re.sub(r'GROUP "SEARCH_INDEXES".*?\n      }', "", self.header(file), flags=re.DOTALL)

    def expect_portable(self, file):
        said = self.columns(file)
        self.assertRegex(said, r"SUPERBLOCK_VERSION 0\b")
        filters = set(re.findall(r"COMPRESSION (\w+)|PREPROCESSING (\w+)|(USER_DEFINED_FILTER)", said))
        self.assertLessEqual(filters, {("DEFLATE", "", ""), ("", "SHUFFLE", "")})
        datasets = re.findall(r'DATASET "(\w+)" \{\n +DATATYPE +H5T_STRING \{.*?CSET (\w+);', said, re.DOTALL)
        self.assertEqual({charset for _, charset in datasets}, {"H5T_CSET_ASCII"}, datasets)
        self.assertGreaterEqual(len(datasets), 2)

    def test_an_imported_table_has_what_every_reader_has(self):
        plain = self.dir / "plain.h5"
        self.stoa("import", self.csv, f"{plain}:/t", "--codec", "scaleoffset")
        self.assertRegex(self.header(plain), "SCALEOFFSET")
        self.assertRegex(self.header(plain), "H5T_CSET_UTF8")
        self.stoa("import", self.csv, f"{self.file}:/t", "--portable", "--index", "i,label:bitmap")
        self.expect_portable(self.file)
        self.assertEqual(self.rows(self.file), self.rows(plain))
        self.stoa("check", f"{self.file}:/t", "--indexes")

    def test_a_converted_table_has_it_too(self):
        plain, other = self.dir / "plain.h5", self.dir / "other.h5"
        self.stoa("import", self.csv, f"{plain}:/t")
        self.stoa("convert", f"{plain}:/t", f"{other}:/t", "--to", "pytables", "--missing", "i=0",
                  "--missing", "t=1970-01-01", "--missing", "nan")  # fmt: skip
        self.stoa("convert", other, self.file, "--to", "hep001", "--portable")
        self.expect_portable(self.file)

    def test_appended_text_beyond_ascii_makes_utf8(self):
        self.stoa("import", self.csv, f"{self.file}:/t", "--portable")
        more = lines(range(3), "Zürich", "très bon")
        before = self.rows(self.file)
        self.stoa("append", self.write("b.csv", HEADER + lines(range(2))), f"{self.file}:/t")
        self.expect_portable(self.file)
        self.stoa("append", self.write("c.csv", HEADER + more), f"{self.file}:/t")
        self.assertIn("H5T_CSET_UTF8", self.columns(self.file))
        rows = self.rows(self.file)
        self.assertTrue(rows.startswith(before))
        self.assertIn('"label": "très bon 2"', rows.replace('":"', '": "'))
        self.assertIn("Zürich 2", rows)
        self.stoa("check", f"{self.file}:/t", "--indexes")

    def test_codecs_that_some_readers_lack_are_refused(self):
        for codec in ("zstd", "scaleoffset", "auto", "i=lz4"):
            self.fails("import", self.csv, f"{self.file}:/t", "--portable", "--codec", codec,
                       says="not every program has the codec")  # fmt: skip
        self.stoa("import", self.csv, f"{self.file}:/t", "--portable", "--codec", "none")

    def test_repack_makes_a_file_portable(self):
        source = self.dir / "source.h5"
        self.stoa("import", self.csv, f"{source}:/t", "--index", "i,label:bitmap", "--row-index", "i",
                  "--codec", "scaleoffset")  # fmt: skip
        self.stoa("import", self.write("b.csv", HEADER + lines(range(3), "Zürich")),
                  f"{source}:/umlauts", "--codec", "zstd")  # fmt: skip
        before = source.read_bytes()
        self.stoa("repack", "--portable", source, self.file)
        self.assertEqual(source.read_bytes(), before)
        said = self.columns(self.file)
        self.assertRegex(said, r"SUPERBLOCK_VERSION 0\b")
        self.assertNotRegex(said, "SCALEOFFSET|USER_DEFINED")
        for place in ("t", "umlauts"):
            self.assertEqual(
                self.stoa("query", f"{self.file}:/{place}", "-f", "jsonl").stdout,
                self.stoa("query", f"{source}:/{place}", "-f", "jsonl").stdout,
            )
            self.stoa("check", f"{self.file}:/{place}", "--indexes")
            self.stoa("index", "verify", f"{self.file}:/{place}")
        self.stoa("remove", f"{source}:/umlauts")
        self.stoa("repack", "--portable", source)
        self.expect_portable(source)
        self.assertEqual(self.rows(source), self.rows(self.file))

    def test_repack_leaves_sparse_arrays_as_they_are(self):
        points = self.write("p.csv", "i,j,x\n1,2,1.5\n700,900,-2\n")
        self.stoa("import", points, f"{self.file}:/m", "--sparse", "--shape", "1000x1000")
        before = self.stoa("dump", f"{self.file}:/m").stdout, self.header(self.file)
        self.stoa("repack", "--portable", self.file)
        after = self.stoa("dump", f"{self.file}:/m").stdout, self.header(self.file)
        self.assertEqual(after[0], before[0])
        dataset = [re.search(r'DATASET "m".*', said, re.DOTALL)[0] for said in (before[1], after[1])]
        self.assertIn("USER_DEFINED_FILTER", dataset[0])
        self.assertEqual(dataset[1], dataset[0])

    def test_repack_of_one_table_is_not_of_its_codecs(self):
        self.stoa("import", self.csv, f"{self.file}:/t")
        said = self.stoa("repack", "--portable", f"{self.file}:/t", status=None)
        self.assertIn("--portable is of a whole file", said.stderr)


if __name__ == "__main__":
    stoa_test.main()
