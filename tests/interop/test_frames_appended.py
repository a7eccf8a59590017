"""stoa append to frames: pandas finds what its own append would give (src/layout/pandas/append.c),
and AnnData what pandas.concat() gives (src/layout/convert/append.c)."""

import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

SCRIPT = Path(__file__).resolve().parent / "peer" / "frames_appended.py"
COUNT_MISSING = """
import h5py
from anndata.io import read_elem
with h5py.File("free.h5") as file:
    frame = read_elem(file["obs"])
print(frame["a"].dtype, frame["a"].isna().sum(), frame["s"].isna().sum(), len(frame))
"""
CATEGORIES = """\
k ['a', 'b', 'ccc'] False [0, 1, 2, 0, -1]
n [1, 3, 7] False [1, 0, 0, 2, 1]
k ['a', 'b', 'ccc'] False [0, 1, 2, 0, -1, 0, -1]
n [1, 3, 7] False [1, 0, 0, 2, 1, 2, 1]
"""


class FramesAppended(stoa_test.SharedPeersTestCase, PeerTestCase):
    """Both versions of pandas have files of their own."""

    VERSIONS = {"older": "", "newer": f"{stoa_test.PEERS}/newer"}

    @classmethod
    def make(cls, shared):
        home = shared.dir
        for version in cls.VERSIONS:
            shared.dir = home / version
            shared.dir.mkdir()
            shared.put(SCRIPT)
            cls.keys = shared.peer(*cls.frames(version), "make").split()
        shared.dir = home

    @classmethod
    def frames(cls, version):
        return ("env", f"PYTHONPATH={cls.VERSIONS[version]}", "python3", "frames_appended.py")

    def setUp(self):
        super().setUp()
        self.file = self.dir / "old.h5"
        self.begin("older")

    def begin(self, version):
        for name in ("old", "more", "both"):
            shutil.copy(self.shared.dir / version / f"{name}.h5", self.dir)
        self.put(SCRIPT)

    def append(self, key, text, name="rows.csv", **how):
        self.stoa("append", self.write(name, text), f"{self.file}:/{key}", **how)

    def rows(self, key):
        return self.stoa("query", f"{self.file}:/{key}", "-f", "csv").stdout

    def test_pandas_finds_what_its_own_append_gives_and_appends_further(self):
        for version in self.VERSIONS:
            with self.subTest(version=version):
                self.begin(version)
                for key in [*self.keys, "united"]:
                    self.stoa("append", self.dir / f"more.h5:/{key}", f"{self.file}:/{key}")
                self.assertEqual(self.peer(*self.frames(version), "same"), CATEGORIES)

    def test_rows_of_text_get_the_types_of_the_frame(self):
        self.append("narrow", "n,s\n5,42\n")
        self.append("narrow", '{"index": 9, "s": "x", "n": 6}\n', "rows.jsonl")
        self.assertEqual(self.rows("narrow"), "index,s,n\n0,ab,1\n1,c,2\n0,42,5\n9,x,6\n")
        self.append("ordered", "index,k\n7,b\n8,\n")
        self.assertEqual(self.rows("ordered"), "index,k\n0,a\n1,b\n7,b\n8,\n")
        self.append("zone", "index,a,text\n2024-06-01T12:00:00+02:00,1,t\n")
        self.assertIn("2024-06-01T10:00:00.000000000Z,1,t\n", self.rows("zone"))
        self.append("periods", "index,a,text\n2010-03-01,1,t\n")
        self.assertIn("2010-03-01,1,t\n", self.rows("periods"))

    def test_what_does_not_fit_leaves_the_file_as_it_was(self):
        before = self.file.read_bytes()
        many = "k,n\n" + "".join(f"L{i},{i}\n" for i in range(200))
        for key, text, says in (
            ("narrow", "s,n\nabcdef,1\n", ["column 's' has a text of 6 bytes, its cells have 2",
                                           "min_itemsize", "stoa concat"]),
            ("narrow", "s,n\n,1\n", ["column 's' has missing texts", "'nan'"]),
            ("narrow", "s,n\nab,300\n", ["column 'n' has numbers", "int8"]),
            ("narrow", "s,n\nab,\n", ["column 'n' has 1 missing value", "--missing"]),
            ("narrow", "s,n\nab,1.5\n", ["'1.5' is no int64"]),
            ("narrow", "s\nab\n", ["the rows have no column 'n'"]),
            ("narrow", "s,n,q\nab,1,2\n", ["the table has no column 'q'"]),
            ("ordered", "k\nb\nc\n", ["'k'", "ordered categories"]),
            ("united", many, ["column 'k' has more values than its codes, of int8"]),
            ("zone", "index,a,text\n2024-01-01T00:00:00,1,t\n", ["column 'index'", "another"]),
            ("periods", "index,a,text\n2010-03-02,1,t\n", ["2010-03-02", "period[M]"]),
            ("times", "index,a,text\n2010-03-02,1,t\n", ["the rows have no column 't'"]),
            ("nan_rep", "text\nmissing\n", ["the text 'missing'"]),
            ("fixed", "a\n1\n", ["fixed format", "--to pandas-table"]),
        ):  # fmt: skip
            with self.subTest(key=key, text=text[:20]):
                self.fails("append", self.write("bad.csv", text), f"{self.file}:/{key}", says=says)
                self.assertEqual(self.file.read_bytes(), before)


class AnnDataAppended(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.put(SCRIPT.with_name("anndata_appended.py"))
        self.peer("python3", "anndata_appended.py", "make")

    def test_a_frame_of_its_own_gets_rows(self):
        for place in ("a.h5ad:/uns/table", "free.h5:/obs"):
            self.stoa("append", self.dir / "b.h5ad:/uns/table", self.dir / place)
        self.assertEqual(self.peer("python3", "anndata_appended.py", "check"), "")

    def test_what_belongs_to_other_members_gets_none(self):
        file = self.dir / "a.h5ad"
        before = file.read_bytes()
        for path in ("/obs", "/var", "/obsm/df", "/raw/var"):
            self.fails("append", self.dir / f"b.h5ad:{path}", f"{file}:{path}",
                       says=[f"{file}:{path}: its rows belong to", "stoa concat"])  # fmt: skip
        self.fails("append", self.dir / "b.h5ad", file, says=["members belong", "stoa concat"])
        row = "id,a,b,wide,s,yes,k,u,n,t,o\n"
        for text, says in ((row[3:], "id"),
                           (row + "r,1,1,1,s,true,x,x,1,true,mid\n", "mid")):  # fmt: skip
            self.fails("append", self.write("bad.csv", text), f"{file}:/uns/table", says=says)
        self.assertEqual(file.read_bytes(), before)

    def test_a_first_missing_number_makes_a_column_nullable(self):
        row = "id,a,b,wide,s,yes,k,u,n,t,o\nr,,1,1,,true,x,x,1,true,lo\n"
        self.stoa("append", self.write("row.csv", row), self.dir / "free.h5:/obs")
        self.assertEqual(self.peer_python(COUNT_MISSING).split(), ["Int32", "1", "1", "11"])


if __name__ == "__main__":
    stoa_test.main()
