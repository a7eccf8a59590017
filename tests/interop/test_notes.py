"""What PyTables' users noted of a table is shown, and goes along (docs/layouts/pytables.md)."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

SHOWN = {
    "FLAVOR": "numpy",
    "run": "7",
    "text": "hello é",
    "stop": "ends with a full stop.",
    "empty": "",
    "real": "1.5",
    "single": "2.5",
    "yes": "1",
    "array": "[0, 1, 2, 3]",
    "matrix": "[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]",
    "bytes_array": "[a, bb]",
    "raw": "bytes",
    "some": '[1, "a", null]',
    "more": '{"x": 1, "y": [1, 2.5]}',
    "nothing": "null",
}


class Notes(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.peer("python3", "notes.py", "make")
        self.made = f"{self.dir}/notes.h5:/t"

    def test_info_shows_them_and_executes_no_pickle(self):
        said = self.stoa("info", self.made).stdout
        self.assertIn("title        a title\n", said)
        lines = said.split("\n\n")[1].splitlines()[2:]
        found = {line.split()[0]: line.partition(" ")[2].strip() for line in lines}
        when = found.pop("when")
        self.assertEqual(found, SHOWN)
        self.assertTrue(when.startswith("0x" + b"cdatetime\ndatetime\n".hex()), when)

    def test_those_that_are_plain_go_along_and_back(self):
        self.stoa("convert", self.made, f"{self.dir}/own.h5:/t", "--to", "hep001")
        self.stoa("check", self.dir / "own.h5")
        for source in ("own.h5", "notes.h5"):
            with self.subTest(source=source):
                back = f"from-{source}"
                self.stoa("convert", f"{self.dir}/{source}:/t", self.dir / back, "--to", "pytables")
                self.assert_says_nothing("notes.py", "compare", back)

    def test_what_is_noted_of_a_hep001_table_is_noted_in_pytables(self):
        self.write("a.csv", "a\n1\n2\n")
        self.stoa("import", self.dir / "a.csv", f"{self.dir}/a.h5:/t")
        self.stoa("attr", f"{self.dir}/a.h5:/t", "origin=a file.", "description=of mine")
        self.stoa("convert", f"{self.dir}/a.h5:/t", self.dir / "b.h5", "--to", "pytables")
        said = self.peer_python(
            "import tables\n"
            "with tables.open_file('b.h5') as f:\n"
            "    a = f.root.t.attrs\n"
            "    print(a._f_list('user'), repr(str(a.origin)))\n"
        )
        self.assertEqual(said, "['origin'] 'a file.'\n")


if __name__ == "__main__":
    stoa_test.main()
