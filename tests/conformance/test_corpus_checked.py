"""stoa check over the corpus, which says of each file what is wrong with it (docs/corpus.md).

The manifest states what the cases of tests/conformance state by hand, so it is no output of a check.
"""

import json
import os
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

SMALL = 64 * 1024


class Corpus(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        program = stoa_test.BUILD / "tests/conformance/test_corpus"
        done = stoa_test.run(program, "the_corpus_is_written_whole", env={"STOA_CORPUS": str(self.dir)})
        self.assertEqual(done.returncode, 0, done.stdout)
        self.manifest = json.loads((self.dir / "manifest.json").read_text())

    def check(self, revision):
        """What stoa says of the files of a revision: a count of (rule, section, level) for each."""
        files = [f["file"] for f in self.manifest["files"] if f["revision"] == revision]
        self.assertGreater(len(files), 50)
        paths = [self.dir / file for file in files]
        done = self.stoa(
            "check", "--strict", "--indexes", "--revision", revision, "-f", "jsonl", *paths, status=1
        )
        found = {file: Counter() for file in files}
        tables = Counter()
        for entry in map(json.loads, done.stdout.splitlines()):
            file = os.path.relpath(entry["file"], self.dir)
            if "rule" in entry:
                found[file][entry["rule"], entry["section"], entry["level"]] += 1
            else:
                self.assertEqual((entry["revision"], entry["indexes"]), (revision, "compared"))
                tables[file] += 1
        self.assertEqual(set(tables), set(files))
        return found

    def test_stoa_finds_in_each_file_what_the_manifest_says_and_nothing_else(self):
        for revision in ("2026-06", "2026-07"):
            found = self.check(revision)
            for file in self.manifest["files"]:
                if file["revision"] == revision:
                    said = Counter((b["rule"], b["section"], b["level"]) for b in file["breaks"])
                    self.assertEqual(found[file["file"]], said, file["file"])

    def test_a_verdict_is_about_the_musts(self):
        for file in self.manifest["files"]:
            levels = {b["level"] for b in file["breaks"]}
            self.assertEqual(file["verdict"] == "broken", "MUST" in levels, file["file"])

    def test_each_file_is_there_and_small_and_told_of_once(self):
        told = Counter(f["file"] for f in self.manifest["files"])
        there = {os.path.relpath(p, self.dir) for p in self.dir.rglob("*.h5")}
        self.assertEqual(set(told), there)
        self.assertEqual(max(told.values()), 1)
        large = {f: n for f in told if (n := (self.dir / f).stat().st_size) > SMALL}
        self.assertEqual(large, {})

    def test_the_rules_are_those_of_the_book(self):
        book = json.loads(self.stoa("rules", "-f", "json").stdout)
        said = [(r["rule"], r["june"], r["july"], r["level"]) for r in self.manifest["rules"]]
        self.assertEqual(
            said,
            [(r["rule"], r.get("june"), r.get("july"), r["level"]) for r in book if "rule" in r],
        )

    def test_files_of_a_rule_are_told_from_both_sides(self):
        of_rule = {r["rule"]: set(r["broken_by"]) for r in self.manifest["rules"]}
        of_file = {}
        for file in self.manifest["files"]:
            for broken in file["breaks"]:
                of_file.setdefault(broken["rule"], set()).add(file["file"])
        self.assertEqual({r: f for r, f in of_rule.items() if f}, of_file)


if __name__ == "__main__":
    stoa_test.main()
