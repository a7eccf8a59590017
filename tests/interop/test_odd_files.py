"""Plain HDF5 files with an odd structure: every command answers or says clearly why it does not."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase


class OddFiles(PeerTestCase):
    made = None

    def setUp(self):
        super().setUp()
        if OddFiles.made is None:
            self.peer("python3", "odd_files.py")
            OddFiles.made = {p.name: p.read_bytes() for p in self.dir.glob("*.h5")}
        for name, content in OddFiles.made.items():
            (self.dir / name).write_bytes(content)

    def at(self, place):
        return f"{self.dir}/{place}"

    def listed(self, file):
        return json.loads(self.stoa("ls", self.at(file), "-f", "json").stdout)

    def run_stoa(self, *arguments):
        done = stoa_test.run(stoa_test.STOA, *arguments, timeout=30)
        self.assertIn(done.returncode, (0, 1, 3), (arguments, done.stderr))
        if done.returncode != 0:
            self.assertIn(str(self.dir), done.stderr, arguments)
        return done

    def test_every_command_answers_or_says_why_not(self):
        for file in OddFiles.made:
            with self.subTest(file=file):
                for one in self.listed(file)[:6]:
                    place = self.at(f"{file}:{one['path']}")
                    self.run_stoa("info", place)
                    self.run_stoa("query", place, "-n", "2", "-f", "jsonl")
                    if one["kind"] != "table" or "obs" not in place:
                        self.run_stoa("plot", place, "-o", self.at("p.svg"))
                self.run_stoa("convert", self.at(file), self.at(f"c-{file}"), "--to", "hep001", "--skip-bad")

    def test_links_are_listed_once_and_other_files_stay_closed(self):
        self.assertEqual([o["path"] for o in self.listed("links.h5") if o["layout"] == "plain"], ["/round", "/t"])
        self.assertEqual(self.rows_of(self.at("links.h5:/t"), "-n", "1"), [{"a": 0, "b": 0.0}])
        self.fails("query", self.at("links.h5:/t/far"), says="--follow-external")

    def test_a_table_of_no_rows_is_one(self):
        self.assertEqual(self.rows_of(self.at("empty.h5:/t")), [])
        self.fails("query", self.at("empty.h5:/flat"), says="rows of 0 items")

    def test_all_types_have_values(self):
        row = self.rows_of(self.at("types.h5:/t"))[3]
        self.assertEqual(
            {name: row[name] for name in ("base", "enum", "opaque", "ragged", "text", "bits", "half", "big")},
            {
                "base": 3, "enum": "7", "opaque": "61626364", "ragged": [0, 1, 2], "text": "", "bits": 0,
                "half": 3.0, "big": 3,
            },
        )  # fmt: skip
        self.assertEqual((row["complex"], row["bool"], row["ref"]), ({"r": 3.0, "i": 0.0}, False, "/t"))
        self.assertEqual((row["dates"], row["texts"], row["part"]), (3, [], "/t/base"))
        nested = self.rows_of(self.at("types.h5:/t/nested"), "-n", "1")
        self.assertEqual(nested, [{"p": 0, "q": {"r": [0.0] * 6, "s": ""}}])
        self.assertEqual(self.rows_of(self.at("types.h5:/t/variable"), "-n", "1"), [{"v": [], "s": ""}])

    def test_names_that_are_not_utf8_are_mended(self):
        row = self.rows_of(self.at("names.h5:/t"), "-n", "1")[0]
        self.assertEqual(
            set(row), {"a\nb", "\ufffd", "\ufffd_2", " ", "a,b", "x[1]", '"q"', "\x1b[31m", "ü", ".dot", "a:b"}
        )
        self.stoa("info", self.at("names.h5:/t"), "--scan")
        self.stoa("convert", self.at("names.h5"), self.at("n.h5"), "--to", "hep001")

    def test_one_column_does_not_stop_the_others(self):
        for file, bad, says in (("elsewhere.h5", ("virtual", "raw"), "lie in another file"),
                                ("huge.h5", ("wide",), "rows of 1099511627776 items")):  # fmt: skip
            done = stoa_test.run(stoa_test.STOA, "query", self.at(f"{file}:/t"), "-f", "jsonl", "-n", "1")
            self.assertEqual(done.returncode, 1, done.stderr)
            for name in bad:
                self.assertRegex(done.stderr, f"/t/{name}: left out: .*{says}")
            self.assertFalse(set(json.loads(done.stdout)) & set(bad))
            self.fails("query", self.at(f"{file}:/t"), "-c", bad[0], says=says)

    def test_a_filter_that_nobody_has_is_named(self):
        self.assertEqual(self.rows_of(self.at("filtered.h5:/t"), "-c", "a,c", "-n", "1"), [{"a": 0, "c": 0.0}])
        self.fails("query", self.at("filtered.h5:/t"), "-c", "odd", says="which this libhdf5 does not have")

    def test_what_was_never_written_is_not_read(self):
        for command in (("plot", "-o", self.at("p.svg")), ("query", "-f", "csv")):
            self.fails(command[0], self.at("huge.h5:/long"), *command[1:], says="hardly any was ever written")

    def test_rows_far_apart_are_read_in_parts(self):
        rows = self.rows_of(self.at("huge.h5:/steps[::-400, 2]"), "-n", "3")
        self.assertEqual([row["steps"] for row in rows], [119999, 118799, 117599])
        self.assertEqual(self.rows_of(self.at("huge.h5:/steps[::1000, ::2]"), "-a", "count()"), [{"count()": 40}])


if __name__ == "__main__":
    stoa_test.main()
