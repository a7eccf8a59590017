"""stoa check: how findings are shown and what the exit status says. The rules are tests/check's."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test


class Check(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        csv = self.write("a.csv", "i,w\n" + "".join(f"{i},w{i % 3}\n" for i in range(1000)))
        self.stoa(
            "import",
            csv,
            f"{self.file}:/t",
            "--chunk",
            "100",
            "--index",
            "i",
            "--codec",
            "none",
            "--chunk",
            "w=contiguous",
            "--category",
            "w",
        )

    @property
    def told(self):
        """The revision by which the table is judged; conformance/revisions says which is right."""
        done = self.stoa("check", self.file, "-f", "json", "--strict")
        return self.split(done.stdout)[1][0]["revision"]

    def broken(self):
        """A copy in which one code of the categorical column w, 7, has no label (HEP001 §8.7)."""
        codes = bytes(i % 3 for i in range(1000))
        data = self.file.read_bytes()
        self.assertEqual(data.count(codes), 1)
        return self.write("broken.h5", data.replace(codes, codes[:500] + b"\7" + codes[501:]))

    def test_values_of_every_codec_are_judged_though_libhdf5_lacks_its_filter(self):
        lines = "".join(f"{k % 97},x{k % 50}\n" for k in range(3000))
        csv = self.write("codecs.csv", f"a,b\n{lines}")
        for codec in ("zstd", "lz4", "blosc"):
            file = self.dir / f"{codec}.h5"
            self.stoa("import", csv, f"{file}:/t", "--codec", codec, "--chunk", 500)
            done = self.stoa("check", "--indexes", file)
            self.assertEqual(done.stdout, "", codec)

    def test_what_stoa_wrote_has_no_finding(self):
        done = self.stoa("check", self.file, "--strict", "--indexes")
        self.assertEqual(
            (done.stdout, done.stderr),
            ("", f"{self.file}: 1 table checked by {self.told}, no finding\n"),
        )

    def test_a_broken_must_is_one_line_and_status_1(self):
        done = self.stoa("check", self.broken(), status=1)
        self.assertRegex(done.stdout, r"^/t/w: MUST §8\.7 \[8\.7-CODE-RANGE\]: .+\n$")
        self.assertEqual(done.stderr, f"{self.dir}/broken.h5: 1 table checked by {self.told}, 1 finding\n")

    def test_strict_refuses_a_broken_should(self):
        file = self.dir / "u.h5"
        self.stoa("import", self.write("u.csv", "_x,b\n1,2\n"), f"{file}:/t")
        done = self.stoa("check", file)
        self.assertRegex(done.stdout, r"^/t/_x: SHOULD §8\.1 \[8\.1-NAME-UNDERSCORE\]: .+\n$")
        self.assertEqual(self.stoa("check", file, "--strict", status=1).stdout, done.stdout)

    @staticmethod
    def split(text, lines=False):
        """Findings and summaries of tables, which are in one array or on lines."""
        entries = [json.loads(x) for x in text.splitlines()] if lines else json.loads(text)
        return [e for e in entries if "rule" in e], [e for e in entries if "checked" in e]

    def test_a_finding_in_json_has_its_fields(self):
        done = self.stoa("check", self.broken(), "-f", "json", status=1)
        ((finding,), (table,)) = self.split(done.stdout)
        self.assertEqual(list(finding), ["path", "level", "section", "rule", "message", "revision"])
        self.assertEqual(
            (finding["path"], finding["level"], finding["section"]), ("/t/w", "MUST", "8.7")
        )
        self.assertEqual(finding["rule"], "8.7-CODE-RANGE")
        self.assertEqual(finding["revision"], self.told)
        self.assertEqual((table["findings"], table["refused"]), (1, 1))

    def test_json_of_a_clean_file_says_what_was_checked(self):
        version = self.stoa("--version").stdout.split()[1]
        for arguments, compared in ((["--indexes"], "compared"), ([], "not compared")):
            done = self.stoa("check", self.file, "-f", "json", *arguments)
            findings, (table,) = self.split(done.stdout)
            self.assertEqual(findings, [])
            self.assertEqual(
                table,
                {
                    "checked": "/t",
                    "revision": self.told,
                    "stoa": version,
                    "indexes": compared,
                    "rows": 1000,
                    "findings": 0,
                    "refused": 0,
                },
            )

    def test_a_revision_can_be_asked_for(self):
        for revision in ("2026-06", "2026-07"):
            done = self.stoa("check", self.file, "--revision", revision, "-f", "json", status=None)
            self.assertEqual(self.split(done.stdout)[1][0]["revision"], revision)
            self.assertIn(f"1 table checked by {revision}, ", done.stderr)
        self.fails("check", self.file, "--revision", "2026-05", says="2026-07", status=2)

    def test_tables_of_both_revisions_are_told_apart(self):
        lists = stoa_test.SOURCE / "tests/support/h5col/lists.h5"
        plain = stoa_test.SOURCE / "tests/hostile/files/rows_of_2_to_62.h5"
        done = self.stoa("check", lists, f"{plain}:/cont", "-f", "jsonl", status=1)
        _, tables = self.split(done.stdout, lines=True)
        self.assertEqual(
            [(t["file"], t["revision"]) for t in tables],
            [(str(lists), "2026-07"), (str(plain), "2026-06")],
        )

    def test_jsonl_is_an_object_a_line(self):
        done = self.stoa("check", self.broken(), "-f", "jsonl", status=1)
        findings, tables = self.split(done.stdout, lines=True)
        self.assertEqual([f["level"] for f in findings], ["MUST"])
        self.assertEqual([t["checked"] for t in tables], ["/t"])

    def test_several_files_are_told_apart(self):
        broken = self.broken()
        done = self.stoa("check", self.file, broken, status=1)
        self.assertRegex(done.stdout, rf"^{broken}:/t/w: MUST §8\.7 ")
        self.assertEqual(len(done.stderr.splitlines()), 2)
        done = self.stoa("check", self.file, broken, "-f", "json", status=1)
        (finding,), tables = self.split(done.stdout)
        self.assertEqual(finding["file"], str(broken))
        self.assertEqual([t["file"] for t in tables], [str(self.file), str(broken)])

    def test_a_place_checks_one_table_only(self):
        self.stoa("import", self.dir / "a.csv", f"{self.file}:/u")
        self.assertIn("2 tables checked", self.stoa("check", self.file).stderr)
        self.assertIn("1 table checked", self.stoa("check", f"{self.file}:/u").stderr)

    def test_a_place_that_is_no_table_is_status_3(self):
        self.fails("check", f"{self.file}:/t/CATEGORIES", says="/t/CATEGORIES")
        self.fails("check", f"{self.file}:/nothing", says="/nothing")

    def test_the_others_are_checked_when_one_cannot_be_read(self):
        done = self.stoa("check", self.dir / "nothing.h5", self.file, status=3)
        self.assertIn(f"{self.file}: 1 table checked by {self.told}, no finding", done.stderr)

    def test_indexes_of_every_kind_that_stoa_made_have_no_finding(self):
        rows = "".join(f"{i % 7},{(i * 37) % 101 / 8},w{i % 3}\n" for i in range(1000))
        file = self.dir / "indexed.h5"
        place = f"{file}:/t"
        self.stoa("import", self.write("b.csv", "i,x,s\n,,\n1,nan,\n" + rows), place, "--chunk", "90")
        for kind in ("minmax", "sorted", "bitmap", "bloom"):
            self.stoa("index", "add", place, "i", "x", "s", "--kind", kind)
        self.assertEqual(self.stoa("check", file, "--strict", "--indexes").stdout, "")
        self.stoa("append", self.dir / "b.csv", place)
        self.assertEqual(self.stoa("check", file, "--strict", "--indexes").stdout, "")

    def test_wrong_index_contents_are_found_on_request(self):
        data = self.file.read_bytes()
        entry = b"".join(int(v).to_bytes(2, "little") for v in (200, 299))
        self.assertEqual(data.count(entry), 1)
        wrong = b"".join(int(v).to_bytes(2, "little") for v in (200, 250))
        file = self.write("wrong.h5", data.replace(entry, wrong))
        self.stoa("check", file)
        done = self.stoa("check", file, "--indexes", status=1)
        self.assertRegex(done.stdout, r"^/t/SEARCH_INDEXES/[^ ]+ \(of i\): MUST §1[01]\.4 \[10\.4-")


if __name__ == "__main__":
    stoa_test.main()
