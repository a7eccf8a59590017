"""What bad input gets: status 3, one clear line, and nothing written.

Every case compares the directory and the bytes of each file in it before and after.
"""

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

GOOD = "n,x,name\n1,0.5,ann\n2,,bob\n"


def snapshot(directory):
    """Every file below a directory, with its bytes."""
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None
        for path in sorted(Path(directory).rglob("*"))
    }


class BadInput(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.good = self.write("good.csv", GOOD)
        self.file = self.dir / "good.h5"
        self.place = f"{self.file}:/t"
        self.stoa("import", self.good, self.place, "--category", "name", "--index", "n")

    def refused(self, *arguments, says=(), status=3):
        before = snapshot(self.dir)
        done = self.fails(*arguments, says=says, status=status, cwd=self.dir)
        self.assertEqual(done.stdout, "")
        self.assertLess(len(done.stderr), 2000)
        after = snapshot(self.dir)
        self.assertEqual(sorted(after), sorted(before))
        for name, content in before.items():
            self.assertTrue(after[name] == content, f"{name} has changed")

    def readers(self, place):
        """Each command that reads a place."""
        return [
            ["ls", place],
            ["info", place],
            ["query", place],
            ["export", place, self.dir / "out.csv"],
            ["index", "list", place],
            ["index", "verify", place],
            ["check", place],
        ]

    def editors(self, place):
        return [
            ["append", self.good, place],
            ["index", "add", place, "x"],
            ["index", "drop", place, "n"],
        ]


class Files(BadInput):
    def test_no_such_file(self):
        for command in self.readers("nothing.h5") + self.editors("nothing.h5"):
            self.refused(*command, says="nothing.h5")
        self.refused("import", "nothing.csv", "new.h5", says="nothing.csv")
        self.refused("append", "nothing.csv", self.place, says="nothing.csv")
        self.refused("import", self.good, "no/such/dir/new.h5", says="no/such/dir/new.h5")

    def test_a_file_that_is_not_hdf5(self):
        for name, content in [("text.h5", GOOD), ("empty.h5", ""), ("short.h5", "\x89HDF")]:
            self.write(name, content.encode("latin-1"))
            for command in self.readers(name) + self.editors(name):
                self.refused(*command, says=name)
            self.refused("import", self.good, f"{name}:/t", says=name)

    def test_a_truncated_hdf5_file(self):
        whole = self.file.read_bytes()
        for part in (0.1, 0.5, 0.9, 0.99):
            self.write("cut.h5", whole[: int(len(whole) * part)])
            for command in self.readers("cut.h5") + self.editors("cut.h5"):
                self.refused(*command, says="cut.h5")
            self.refused("import", self.good, "cut.h5:/u", says="cut.h5")

    def test_a_directory(self):
        (self.dir / "folder.h5").mkdir()
        for command in self.readers("folder.h5") + self.editors("folder.h5"):
            self.refused(*command, says="folder.h5")
        self.refused("import", self.good, "folder.h5", says="folder.h5")
        self.refused("import", "folder.h5", "new.h5", says="folder.h5")

    def test_a_group_that_is_no_table(self):
        place = f"{self.place}/CATEGORIES"
        for command in self.readers(place)[1:] + self.editors(place):
            self.refused(*command, says="/t/CATEGORIES")

    def test_an_object_that_is_no_group(self):
        place = f"{self.place}/x"
        for command in self.readers(place) + self.editors(place):
            self.refused(*command, says="/t/x")

    def test_a_path_that_leads_nowhere(self):
        for command in self.readers(f"{self.file}:/nowhere") + self.editors(
            f"{self.file}:/nowhere"
        ):
            self.refused(*command, says="/nowhere")

    def test_a_file_without_permission(self):
        for name, mode, commands in [
            ("good.h5", 0, self.readers("good.h5") + self.editors("good.h5")),
            ("good.h5", 0o400, self.editors("good.h5")),
            ("good.csv", 0, [["import", "good.csv", "new.h5"]]),
        ]:
            (self.dir / name).chmod(mode)
            for command in commands:
                done = stoa_test.run(*self.bound_by_modes(), stoa_test.STOA, *command, cwd=self.dir)
                self.assertEqual(done.returncode, 3, done)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(name, done.stderr)
                self.assertIn("Permission denied", done.stderr)
            (self.dir / name).chmod(0o600)

    def bound_by_modes(self):
        """What makes root, who may read anything, obey the modes of files."""
        if os.geteuid() != 0:
            return []
        rights = "-dac_override,-dac_read_search"
        words = ["setpriv", f"--inh-caps={rights}", f"--bounding-set={rights}"]
        if not shutil.which("setpriv") or stoa_test.run(*words, "true").returncode != 0:
            self.skipTest("root cannot give up its rights here")
        return words

    def test_a_directory_without_permission(self):
        mount = self.dir / "fixed"
        mount.mkdir()
        if subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "none", mount], capture_output=True
        ).returncode:
            self.skipTest("mounting needs root")
        try:
            shutil.copy(self.file, mount / "good.h5")
            subprocess.run(["mount", "-o", "remount,ro", mount], check=True)
            self.refused("import", self.good, mount / "new.h5", says="new.h5")
            self.refused("query", self.place, "-o", mount / "out.csv", says="out.csv")
            for how in ((), ("--locales", 2), ("--mode", "truncate")):
                self.refused("convert", self.place, mount / "new.h5", "--to", "arkouda", *how,
                             says=["new", "Read-only"])  # fmt: skip
            for layout in ("pytables", "h5tb", "pandas-table", "pandas-fixed", "anndata"):
                convert = ["convert", self.place, "--to", layout]
                self.refused(*convert, mount / "new.h5", says="new.h5")
                self.refused(*convert, f"{mount}/good.h5:/u", says="good.h5")
            for command in self.editors(mount / "good.h5"):
                self.refused(*command, says="good.h5")
            self.stoa("query", mount / "good.h5")
        finally:
            subprocess.run(["umount", mount], check=True)


class Csv(BadInput):
    def import_refused(self, content, *options, says=()):
        if isinstance(content, str):
            content = content.encode()
        self.write("bad.csv", content)
        self.refused("import", "bad.csv", "new.h5", *options, says=says)
        self.refused("import", "bad.csv", f"{self.file}:/u", *options, says=says)

    def test_ragged_rows_name_their_line(self):
        self.import_refused("a,b\n1,2\n3\n", says=["bad.csv", "line 3"])
        self.import_refused("a,b\n1,2\n3,4,5\n", says=["bad.csv", "line 3"])

    def test_bad_utf8_names_its_line(self):
        self.import_refused(b"a,b\n1,x\n2,\xff\xfe\n", says=["bad.csv", "line 3", "UTF-8"])
        self.import_refused(b"a,\xc0\x80\n1,x\n", says=["bad.csv", "UTF-8"])

    def test_nul_bytes_are_named(self):
        self.import_refused(b"a,b\n1,x\0y\n", says=["bad.csv", "line 2", "NUL"])
        self.import_refused(b"a\0,b\n1,x\n", says=["bad.csv", "NUL"])

    def test_a_field_of_a_hundred_megabytes(self):
        self.write("bad.csv", "a,b\n1,")
        with open(self.dir / "bad.csv", "a") as file:
            for _ in range(100):
                file.write("x" * 1000000)
            file.write("\n")
        self.fails("import", self.dir / "bad.csv", self.dir / "new.h5", says=["bad.csv", "line 2"])
        self.assertFalse((self.dir / "new.h5").exists())

    def test_no_header(self):
        self.import_refused("\n\n\n", says="bad.csv")

    def test_an_empty_file(self):
        self.import_refused("", says="bad.csv")

    def test_a_header_alone_is_an_empty_table_and_fine(self):
        self.stoa("import", self.write("head.csv", "a,b\n"), self.dir / "head.h5")
        self.assertEqual(self.stoa("query", self.dir / "head.h5", "-f", "csv").stdout, "a,b\n")

    def test_names_that_hdf5_or_hep001_keep_for_themselves(self):
        for name in ("CATEGORIES", "SEARCH_INDEXES", "a/b", "."):
            self.import_refused(f"x,{name}\n1,2\n", says=f"'{name}'")

    def test_an_open_quote_at_the_end(self):
        self.import_refused('a,b\n1,"x\n', says=["bad.csv", "line 2"])

    def test_damaged_gzip(self):
        packed = gzip.compress(GOOD.encode() * 1000)
        for content in (packed[:-20], packed[:50] + b"?????" + packed[55:]):
            self.write("bad.csv.gz", content)
            self.refused("import", "bad.csv.gz", "new.h5", says="bad.csv.gz")

    def test_a_table_that_is_there_already(self):
        self.refused("import", self.good, self.place, says=[self.place, "--force"])

    def test_a_table_inside_a_table(self):
        for path in ("/t/inner", "/t/deep/inner", "/t/CATEGORIES/inner", "/t/x/y"):
            self.refused(
                "import", self.good, f"{self.file}:{path}", says=["'/t' is a table", "§7.6"]
            )
        self.stoa("import", self.good, f"{self.dir}/root.h5:/")
        self.refused("import", self.good, "root.h5:/inner", says=["'/' is a table", "§7.6"])

    def test_force_replaces_nothing_but_a_table(self):
        self.stoa("import", self.good, f"{self.file}:/group/of/tables")
        for path in ("/group", "/group/of", "/"):
            self.refused("import", self.good, f"{self.file}:{path}", says=path)
            self.refused("import", self.good, f"{self.file}:{path}", "--force", says=path)

    def test_a_dataset_in_the_way(self):
        cube = Path(stoa_test.BUILD / "examples/beside_images")
        if not cube.exists():
            self.skipTest("the examples are not built")
        self.assertEqual(stoa_test.run(cube, self.dir / "cube.h5").returncode, 0)
        for path in ("/images", "/images/below"):
            self.refused("import", self.good, f"cube.h5:{path}", says=path)
            self.refused("import", self.good, f"cube.h5:{path}", "--force", says=path)


class Append(BadInput):
    def append_refused(self, content, says):
        self.write("bad.csv", content)
        self.refused("append", "bad.csv", self.place, says=says)

    def test_missing_columns_are_named(self):
        self.append_refused("n,name\n3,cid\n", says="'x'")

    def test_extra_columns_are_named(self):
        self.append_refused("n,x,name,z\n3,1.5,cid,7\n", says="'z'")

    def test_values_of_another_type_are_named(self):
        self.append_refused("n,x,name\nthree,1.5,cid\n", says=["line 2", "n", "three"])
        self.append_refused("n,x,name\n3,much,cid\n", says=["line 2", "x", "much"])

    def test_malformed_text_after_many_good_rows(self):
        rows = "".join(f"{i},1.5,cid\n" for i in range(100000))
        self.append_refused("n,x,name\n" + rows + "oops\n", says="line 100002")


class Expressions(BadInput):
    def test_an_unknown_column(self):
        self.refused("query", self.place, "-w", "nothing > 1", says="nothing")
        self.refused("query", self.place, "-c", "n,nothing", says="nothing")
        self.refused("query", self.place, "-a", "sum(nothing)", says="nothing")
        self.refused("query", self.place, "--sort", "nothing", says="nothing")

    def test_a_type_error(self):
        self.refused("query", self.place, "-w", "name > 1", says="name")
        self.refused("query", self.place, "-w", "n", says="n")
        self.refused("query", self.place, "-a", "sum(name)", says="name")

    def test_unbalanced_parentheses(self):
        self.refused("query", self.place, "-w", "(n > 1", says="')'")
        self.refused("query", self.place, "-w", "n > 1)", says="')'")

    def test_ten_thousand_nested_parentheses(self):
        for depth in (10000, 30000):
            self.refused(
                "query", self.place, "-w", "(" * depth + "n > 1" + ")" * depth, says="nest"
            )
            self.refused("query", self.place, "-w", "not " * depth + "n > 1", says="nest")
            self.refused("query", self.place, "-w", "-" * depth + "n > 1", says="nest")

    def test_texts_that_are_no_expressions(self):
        for text in (
            "",
            " ",
            "n >",
            "> n",
            "n > 1 n",
            "n in ()",
            "'open",
            '"open',
            "n > 1;",
            "n = '\x01",
            "n ? 1",
            "1e",
            "n between 1",
            "like",
            "\udcff",
        ):
            self.refused("query", self.place, "-w", text)


if __name__ == "__main__":
    stoa_test.main()
