"""Broken JSON lines get one clear line with file and line number, and nothing is written."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

ROW = {"a": -1.5e3, "s": "x\n\u00e9\ud83d\ude00", "l": [[1, None], []], "p": {"x": True, "n": "q"}}
GOOD = json.dumps(ROW) + "\n"


class BadJsonLines(stoa_test.TestCase):
    def try_import(self, content):
        """Status 0 or 3 with one line, and one for each key that is no column; a table only in the first case."""
        path = self.dir / "t.jsonl"
        path.write_bytes(content)
        target = self.dir / "t.h5"
        done = stoa_test.run(stoa_test.STOA, "import", path, f"{target}:/t", text=False)
        self.assertIn(done.returncode, (0, 3), (content, done.stderr))
        remarks = done.stderr.count(b": its fields become columns, ") if done.returncode == 0 else 0
        self.assertEqual(done.stderr.count(b"\n"), 1 + remarks, (content, done.stderr))
        self.assertEqual(target.exists(), done.returncode == 0, content)
        if target.exists():
            target.unlink()
        return done.returncode, done.stderr.decode()

    def test_a_file_that_ends_anywhere(self):
        good = (GOOD + GOOD).encode()
        for n in range(len(GOOD) + 1, len(good) - 1):
            status, said = self.try_import(good[:n])
            self.assertEqual(status, 3, good[:n])
            self.assertIn("t.jsonl: line 2, byte ", said)
        array = json.dumps([ROW, ROW]).encode()
        for n in range(1, len(array)):
            self.assertEqual(self.try_import(array[:n])[0], 3, array[:n])

    def test_any_byte_may_be_another(self):
        rng = stoa_test.rng()
        good = GOOD.encode()
        for _ in range(stoa_test.effort(300)):
            bad = bytearray(good * 2)
            for _ in range(rng.choice([1, 1, 3])):
                at = rng.randrange(len(bad))
                bad[at] = rng.choice([rng.randrange(256), *b'\0"\\{}[],:\n'])
            self.try_import(bytes(bad))

    def test_parts_in_any_order(self):
        rng = stoa_test.rng()
        parts = [b"{", b"}", b"[", b"]", b",", b":", b'"a"', b'"b"', b"1", b"null", b"\n", b"true", b" "]
        for _ in range(stoa_test.effort(300)):
            self.try_import(b'{"a":1}\n' + b"".join(rng.choice(parts) for _ in range(rng.randint(1, 12))))

    def test_deep_nesting_is_refused_before_the_stack_ends(self):
        for opening in (b"[", b'{"a":'):
            status, said = self.try_import(b'{"a":' + opening * 1000000)
            self.assertEqual(status, 3)
            self.assertIn("more than 64 deep", said)

    def test_keys_without_end_are_refused(self):
        text = "".join(json.dumps({f"k{i}": 1}) + "\n" for i in range(65537))
        status, said = self.try_import(text.encode())
        self.assertEqual(status, 3)
        self.assertIn("line 65536: more than 65536 keys", said)

    def test_missing_objects_of_many_fields_do_not_fill_the_memory(self):
        wide = json.dumps({"l": [{f"k{i}": 1 for i in range(30000)}]})
        status, said = self.try_import(f'{wide}\n{{"l":[{",".join(["null"] * 100000)}]}}\n'.encode())
        self.assertEqual(status, 3)
        self.assertIn("line 2, key 'l': too many missing objects", said)

    def test_a_long_line_is_read(self):
        row = {"l": list(range(200000)), "s": "x" * 70000}
        self.assertEqual(self.try_import(json.dumps(row).encode())[0], 0)


if __name__ == "__main__":
    stoa_test.main()
