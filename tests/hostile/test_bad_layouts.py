"""Files of PyTables, pandas and AnnData that lie (tests/interop/peer/bad_layouts.py says how).

Every command reads the rows in spite of it, or says in one line what is wrong, ends with 3 and
leaves nothing behind; and nothing that a pickle wants called is called.
"""

import json
import re
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

MAKER = stoa_test.SOURCE / "tests/interop/peer/bad_layouts.py"
# Slower ways to read, and the one that everybody takes.
WAYS = ({}, {"STOA_SLOW": "1"}, {"STOA_SIMD": "scalar"})


class BadLayouts(stoa_test.SharedPeersTestCase):
    @classmethod
    def make(cls, shared):
        shared.put(MAKER)
        shared.put(MAKER.with_name("lzo.py"))
        shared.peer("python3", MAKER.name)
        cls.bad = json.loads((shared.dir / "bad.json").read_text("utf-8"))
        cls.files = shared.dir

    # --- what may be said ------------------------------------------------------------------------

    def assert_is_one_line(self, done, file):
        """One line for the object, or for each column that cannot be read."""
        self.assertRegex(done.stderr, r"\A(?:[^\n]+: left out: [^\n]+\n)+(?:out[^\n]+\n)?\Z" if done.returncode == 1
                         else r"\A(?:stoa: [^\n]+\n)+\Z")
        self.assertLess(max(map(len, done.stderr.splitlines())), 1500)
        self.assertIn(file, done.stderr)
        self.assertTrue(done.stderr.replace("\n", "").isprintable(), ascii(done.stderr))
        self.assertNotIn("out of memory", done.stderr)

    def run_on(self, case, *arguments):
        """A command, which neither crashes nor babbles nor runs what is in the file."""
        done = self.stoa(*arguments, status=None, cwd=self.dir)
        self.assertIn(done.returncode, (0, 1, 3), (arguments, done.stderr))
        if done.returncode != 0:
            self.assert_is_one_line(done, case["file"])
        self.assertFalse((self.dir / "pwned").exists(), "code was executed")
        return done

    def readers(self, case):
        place = f"{self.files}/{case['file']}:{case['path']}"
        query = self.run_on(case, "query", place, "-f", "csv")
        yield "query", query
        writers = [("export", "out.csv", ("export", place)),
                   ("convert", "out.h5", ("convert", "--to", "hep001", place))]  # fmt: skip
        if query.returncode == 3:  # both will say the same: every other file has one of them say it
            del writers[len(case["file"]) % 2]
        for what, out, arguments in writers:
            done = self.run_on(case, *arguments, out)
            left = [path.name for path in self.dir.iterdir()]
            self.assertEqual(left, [out] if done.returncode < 3 else [])
            (self.dir / out).unlink(missing_ok=True)
            yield what, done

    def check(self, case, expected):
        file = f"{self.files}/{case['file']}"
        listed = stoa_test.run(stoa_test.STOA, "ls", file)
        self.assertEqual(listed.returncode, int("cannot open it" in listed.stderr), listed.stderr)
        self.run_on(case, "info", f"{file}:{case['path']}")
        for what, done in self.readers(case):
            if case["works"] is not None:
                self.assertEqual(done.returncode, 0 if case["works"] else done.returncode or 3, (what, done.stderr))
            if expected is not None and what == "query":
                self.assertEqual(done.stdout, expected)
            if done.returncode != 0:
                for words in case["says"]:
                    self.assertIn(words, done.stderr)

    def check_all(self, base):
        cases = [case for case in self.bad["cases"] if case["base"] == base]
        self.assertGreater(len(cases), 0)
        n = max(20, int(len(cases) * stoa_test.effort(100) / 100))
        if n < len(cases):
            cases = stoa_test.rng().sample(cases, n)
        expected = {}  # by path
        for case in cases:
            with self.subTest(file=case["file"]):
                path = "/t" if base == "links" else case["path"]
                if case["works"] and base != "lists" and path not in expected:
                    good = f"{self.files}/{base}.h5:{path}"
                    expected[path] = self.stoa("query", good, "-f", "csv").stdout
                self.check(case, expected.get(path) if case["works"] else None)

    # --- lies ------------------------------------------------------------------------------------

    def test_tables_are_their_dataset_whatever_their_attributes_say(self):
        self.check_all("table")

    def test_lists_that_lie_nowhere_are_told_of(self):
        self.check_all("lists")

    def test_groups_of_lists_and_a_table(self):
        self.check_all("group")

    def test_a_list_without_an_address_is_empty_as_pytables_has_it(self):
        self.assertEqual(
            self.bad["nulls"], {"text": "''", "bytes": "b''", "objects": "None", "i4": "[]"}
        )
        for name, empty in (("text", ""), ("bytes", ""), ("objects", ""), ("i4", [])):
            done = self.stoa("query", f"{self.files}/lists-{name}-null.h5:/{name}", "-f", "jsonl")
            rows = [json.loads(line)[name] for line in done.stdout.splitlines()]
            self.assertEqual(len(rows), 3)
            self.assertEqual(rows[1], empty)
            self.assertNotEqual(rows[0], empty)

    def test_links_in_circles_end(self):
        self.check_all("links")

    def test_frames_of_the_table_format(self):
        self.check_all("frame")

    def test_levels_of_the_table_format(self):
        self.check_all("multi")

    def test_frames_of_the_fixed_format(self):
        self.check_all("fixed")

    def test_levels_of_the_fixed_format(self):
        self.check_all("levels")

    def test_levels_of_columns(self):
        self.check_all("named")

    def test_periods(self):
        self.check_all("periods")
        self.check_all("spans")

    def test_frequencies(self):
        self.check_all("steps")

    def test_frames_of_anndata(self):
        self.check_all("cells")

    def test_references_of_old_anndata(self):
        self.check_all("old")

    # --- chunks ----------------------------------------------------------------------------------

    def ask(self, file, image, what):
        (self.dir / file).write_bytes(image)
        for way in WAYS:
            with self.subTest(what, file=file, **way):
                done = self.stoa("query", f"{self.dir}/{file}:/t", "-a", "count(), sum(a), sum(b)",
                                 status=None, env=way)  # fmt: skip
                self.assertIn(done.returncode, (0, 3), done.stderr)
                if done.returncode == 0:
                    self.assertEqual(done.stderr, "")
                else:
                    self.assert_is_one_line(done, f"{file}:/t")

    def packed(self):
        """Each file of packed chunks, the second chunk's place and its size."""
        for file, (at, size) in self.bad["chunks"].items():
            yield file, (self.files / file).read_bytes(), at, size

    def test_every_byte_of_a_chunk_s_header(self):
        random = stoa_test.rng()
        for file, image, at, size in self.packed():
            header = min(size, 160 if "blosc2" in file else 24)
            for byte in sorted(random.sample(range(header), min(header, stoa_test.effort(12)))):
                bad = bytearray(image)
                bad[at + byte] ^= 1 << random.randrange(8)
                self.ask(file, bad, f"byte {byte}")

    def test_chunks_that_are_something_else(self):
        for file, image, at, size in self.packed():
            for what, content in (("zeros", bytes(size)), ("ones", b"\xff" * size),
                                  ("half", image[at : at + size // 2] + bytes(size - size // 2)),
                                  ("turned", image[at : at + size][::-1])):  # fmt: skip
                self.ask(file, image[:at] + content + image[at + size :], what)

    def test_chunks_of_other_sizes(self):
        """The chunk index says where a chunk lies and how long it is: the address is in it once."""
        for file, image, at, size in self.packed():
            address = struct.pack("<Q", at)
            where = [found.start() for found in re.finditer(re.escape(address), image)]
            for place in where:
                for other in (0, 1, size // 2, size - 1, size + 1, 2**31, 2**32 - 1):
                    bad = bytearray(image)
                    entry = bad.find(struct.pack("<I", size), max(0, place - 32), place + 16)
                    if entry >= 0:
                        struct.pack_into("<I", bad, entry, other)
                        self.ask(file, bad, f"{other} bytes")


if __name__ == "__main__":
    stoa_test.main()
