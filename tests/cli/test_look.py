"""stoa ls and stoa info: what is in a file and in a table (src/cli/inspect/cmd_ls.c, cmd_info.c)."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

CSV = "n,x,name,day\n1,0.5,ann,2001-01-01\n2,,bob,2001-01-02\n-3,2.5,,2001-01-03\n"


def table(text):
    """An aligned table as rows of words; the head and its rule are left out."""
    return [line.split() for line in text.splitlines()[2:]]


class Ls(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        csv = self.write("a.csv", CSV)
        self.stoa("import", csv, f"{self.file}:/z")
        self.stoa("import", csv, f"{self.file}:/deep/down/b", "--title", "Below", "--index", "n")

    def test_every_table_is_listed_in_order_of_paths(self):
        rows = table(self.stoa("ls", self.file).stdout)
        self.assertEqual(
            [row[:5] for row in rows],
            [["/deep/down/b", "hep001", "table", "3", "4"], ["/z", "hep001", "table", "3", "4"]],
        )

    def test_the_long_form_adds_version_indexes_and_title(self):
        rows = table(self.stoa("ls", "-l", self.file).stdout)
        self.assertEqual([row[6:] for row in rows], [["1.0", "1", "Below"], ["1.0", "0", "-"]])
        self.assertEqual(
            self.stoa("ls", self.file, "--long").stdout, self.stoa("ls", "-l", self.file).stdout
        )

    def test_bytes_are_those_of_the_stored_chunks(self):
        exact = int(table(self.stoa("ls", "-l", f"{self.file}:/z").stdout)[0][5])
        self.assertGreater(exact, 0)
        self.assertLess(exact, self.file.stat().st_size)

    def test_a_path_looks_below_a_group(self):
        rows = table(self.stoa("ls", f"{self.file}:/deep").stdout)
        self.assertEqual([row[0] for row in rows], ["/deep/down/b"])

    def test_a_path_that_is_not_there_is_an_error(self):
        self.fails("ls", f"{self.file}:/nothing", says="/nothing")

    def test_a_file_without_objects_says_so_and_is_no_error(self):
        self.stoa("import", self.write("b.csv", CSV), f"{self.dir}/b.h5:/t")
        done = self.stoa("ls", f"{self.dir}/b.h5:/t/CATEGORIES", status=None)
        self.assertEqual(done.stdout, "")


class Info(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.place = f"{self.dir}/a.h5:/t"
        self.stoa(
            "import",
            self.write("a.csv", CSV),
            self.place,
            "--title",
            "Three runs",
            "--description",
            "of no importance",
            "--units",
            "x=m/s",
            "--row-index",
            "name",
            "--index",
            "day",
            "--chunk",
            "2",
        )
        self.text = self.stoa("info", self.place).stdout

    def test_facts_about_the_table_come_first(self):
        for line in (
            rf"table +{self.place}",
            "title +Three runs",
            "description +of no importance",
            r"layout +HEP001 1\.0",
            "rows +3",
            "row labels +name",
        ):
            self.assertRegex(self.text, rf"(?m)^{line}$")

    def test_columns_show_type_missing_count_range_and_units(self):
        self.assertRegex(self.text, r"(?m)^n +int8 +0 +-3 +2$")
        self.assertRegex(self.text, r"(?m)^x +float64 +1 +0\.5 +2\.5 +m/s$")
        self.assertRegex(
            self.text, r"(?m)^day +date\S* +0 +2001-01-01 +2001-01-03 +days since 1970-01-01$"
        )
        self.assertRegex(self.text, r"(?m)^name +\S+ +1$")

    def test_times_show_the_zone_that_is_noted_of_them(self):
        place = f"{self.dir}/b.h5:/t"
        self.stoa("import", self.write("b.csv", "at\n2020-01-01T00:00:00Z\n"), place)
        self.assertRegex(self.stoa("info", place).stdout, r"(?m)^at +timestamp\[s, UTC\] ")
        self.stoa("attr", place, "-c", "at", "stoa_time_zone=Europe/Berlin")
        said = self.stoa("info", place).stdout
        self.assertRegex(said, r"(?m)^at +timestamp\[s, Europe/Berlin\] ")

    def test_storage_shows_datatype_layout_chunk_and_filters(self):
        self.assertRegex(self.text, r"(?m)^n +int8 +chunked +2 +\S+ +\d+ B +\d")

    def test_indexes_show_their_state(self):
        self.assertRegex(self.text, r"(?m)^day +CHUNK_MINMAX +2 .* trusted$")
        stranger = self.stoa(
            "info", self.place, env={"XDG_STATE_HOME": str(self.dir / "stranger")}
        ).stdout
        self.assertRegex(stranger, r"(?m)^day +CHUNK_MINMAX +2 .* not verified$")

    def test_a_large_table_is_only_scanned_when_asked(self):
        # 11 columns of a million rows: more than ten million cells, and quick to make.
        names = ",".join(f"c{i}" for i in range(11))
        rows = (",".join(["7"] * 11) + "\n") * 1000000
        place = f"{self.dir}/b.h5:/t"
        self.stoa("import", "-", place, input=names + "\n" + rows)
        self.assertRegex(self.stoa("info", place).stdout, r"(?m)^c10 +int8 +\?$")
        self.assertRegex(self.stoa("info", "--scan", place).stdout, r"(?m)^c10 +int8 +0 +7 +7$")

    def test_a_table_without_rows_can_be_looked_at(self):
        place = f"{self.dir}/b.h5:/t"
        self.stoa("import", self.write("b.csv", "a,b\n"), place)
        self.assertRegex(self.stoa("info", place).stdout, r"(?m)^rows +0$")


class Hints(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        self.stoa("import", self.write("a.csv", "x,s\n1,a|b\n,c\n"), f"{self.file}:/t")

    def test_a_file_alone_is_listed_and_a_place_described(self):
        self.assertEqual(self.stoa(self.file).stdout, self.stoa("ls", self.file).stdout)
        place = f"{self.file}:/t"
        self.assertEqual(self.stoa(place).stdout, self.stoa("info", place).stdout)
        self.fails("nothing.h5", status=2, says="no command 'nothing.h5'")

    def test_a_listing_is_json_too(self):
        found = json.loads(self.stoa("ls", self.file, "-f", "json").stdout)
        self.assertEqual([(o["file"], o["path"], o["layout"], o["kind"], o["rows"], o["columns"])
                          for o in found], [(str(self.file), "/t", "hep001", "table", 2, 2)])  # fmt: skip
        lines = self.stoa("ls", self.file, self.file, "-f", "jsonl").stdout.splitlines()
        self.assertEqual([json.loads(line) for line in lines], found * 2)
        self.fails("ls", "-t", self.file, "-f", "json", status=2, says="no -t")

    def test_a_description_is_json_too(self):
        place = f"{self.file}:/u"
        self.stoa("import", self.write("b.csv", "x,s,d\n1,a,2020-01-02\n,b,2020-02-01\n3,,2021-01-01\n"), place,
                  "--category", "s", "--index", "x", "--units", "x=keV", "--title", 'a "title"', "--chunk", "1024",
                  "--codec", "deflate:3", "--row-index", "d")  # fmt: skip
        self.stoa("attr", place, "run=7")
        found, = json.loads(self.stoa("info", place, "-f", "json").stdout)
        listed, = [o for o in json.loads(self.stoa("ls", self.file, "-f", "json").stdout) if o["path"] == "/u"]
        for name in ("file", "path", "layout", "kind", "rows", "columns"):
            self.assertEqual(found[name], listed[name], name)
        self.assertEqual((found["title"], found["row_labels"]), ('a "title"', ["d"]))
        self.assertEqual(found["attributes"], [{"attribute": "run", "value": "7"}])
        day = {"units": "days since 1970-01-01", "description": None}
        self.assertEqual(found["schema"], [
            {"column": "x", "type": "int8", "missing": 1, "least": 1, "greatest": 3, "units": "keV", "description": None},
            {"column": "s", "type": "category", "missing": 1, "least": None, "greatest": None, "units": None,
             "description": None},
            {"column": "d", "type": "date", "missing": 0, "least": "2020-01-02", "greatest": "2021-01-01", **day},
        ])  # fmt: skip
        self.assertEqual(found["categories"], [
            {"column": "s", "type": "string", "n": 2, "ordered": False, "labels": ["a", "b"]}])  # fmt: skip
        self.assertEqual([(c["column"], c["chunk_rows"]) for c in found["storage"]], [("x", 1024), ("s", 1024), ("d", 1024)])
        self.assertIn("deflate:3", found["storage"][0]["filters"])
        self.assertGreater(found["storage"][0]["bytes"], 0)
        self.assertEqual([(i["column"], i["kind"], i["state"]) for i in found["indexes"]], [("x", "CHUNK_MINMAX", "trusted")])
        done = self.stoa("info", place, f"{self.file}:/no", place, "-f", "jsonl", status=3)
        self.assertEqual([json.loads(line) for line in done.stdout.splitlines()], [found, found])
        self.assertIn("/no", done.stderr)
        self.assertEqual(json.loads(self.stoa("info", f"{self.file}:/no", "-f", "json", status=3).stdout), [])
        self.fails("info", place, "-f", "xml", status=2, says="xml")

    def test_json_of_hostile_names_is_json(self):
        name = '/a"\\\x01\x7f\u2028é'
        csv = self.write("b.csv", b'"x""\x01\t",\xc3\xa9\n-1,inf\n2,\n')
        self.stoa("import", csv, f"{self.file}:{name}")
        for command in ("ls", "info"):
            done = self.stoa(command, f"{self.file}:{name}" if command == "info" else self.file, "-f", "json")
            self.assertIn(name, [o["path"] for o in json.loads(done.stdout)])
        found, = json.loads(self.stoa("info", f"{self.file}:{name}", "-f", "json").stdout)
        self.assertEqual([(c["column"], c["least"], c["greatest"]) for c in found["schema"]],
                         [('x"\x01\t', -1, 2), ("é", "Infinity", "Infinity")])  # fmt: skip

    def test_version_is_a_word_too(self):
        self.assertEqual(self.stoa("version").stdout, self.stoa("--version").stdout)

    def test_commands_of_other_programs_are_answered(self):
        self.fails("head", self.file, status=2, says="stoa query PLACE -n 10")
        self.fails("schema", self.file, status=2, says="stoa info PLACE")

    def test_quiet_says_errors_alone(self):
        done = self.stoa("convert", self.file, self.dir / "b.h5", "--to", "pytables", "--quiet",
                         "--missing", "x=0")  # fmt: skip
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        self.fails("query", f"{self.file}:/no", "--quiet", says="/no")

    def test_markdown_is_a_table_of_github(self):
        self.assertEqual(self.stoa("query", self.file, "-f", "markdown").stdout,
                         "| x | s |\n| ---: | --- |\n| 1 | a\\|b |\n|  | c |\n")  # fmt: skip
        self.stoa("export", self.file, self.dir / "a.md")
        self.assertEqual((self.dir / "a.md").read_text().splitlines()[0], "| x | s |")

    def test_check_says_what_it_is_about(self):
        self.stoa("convert", self.file, self.dir / "b.h5", "--to", "pytables", "--missing", "x=0")
        self.fails("check", self.dir / "b.h5", says="tables of PyTables")

    def test_edits_offer_no_patterns(self):
        for words in (["attr"], ["update"], ["column", "add"], ["index", "add"], ["copy"]):
            self.assertNotIn("pattern", self.stoa(*words, "--help").stdout, words)
        self.assertIn("pattern", self.stoa("query", "--help").stdout)

    def test_a_tree_says_what_objects_are_outside_lh5(self):
        tree = self.stoa("ls", "-t", self.file).stdout.splitlines()
        self.assertEqual(tree[1], "└── t · hep001 table · 2 rows")
        self.assertIn("    └── x · int8 · 2", tree)
        self.stoa("convert", self.file, self.dir / "b.h5", "--to", "pytables", "--missing", "x=0")
        tree = self.stoa("ls", "-t", self.dir / "b.h5").stdout.splitlines()
        self.assertEqual(tree[1], "└── t · pytables table · 2 rows")


if __name__ == "__main__":
    stoa_test.main()
