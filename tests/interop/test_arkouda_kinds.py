"""Random objects of every kind go Arkouda -> HEP001 -> Arkouda, Arkouda -> CSV and Arkouda -> Arkouda,
and stay what they are (docs/layouts/arkouda.md)."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase, csv_rows

A_FILE = 25  # objects


def value_of(text, is_quoted, wanted):
    """What a field says, of the type that is wanted; of another one, its text."""
    if text == "" and not is_quoted:
        return None
    if wanted == "NaN":
        return {"nan": "NaN"}.get(text, text)
    if isinstance(wanted, bool):
        return {"true": True, "false": False}.get(text, text)
    try:
        kind = type(wanted)
        return json.loads(text) if kind is list else kind(text) if kind in (int, float) else text
    except ValueError:
        return text


class Kinds(PeerTestCase):
    def test_objects_of_every_kind_are_what_they_were(self):
        self.peer("python3", "arkouda_kinds.py", str(stoa_test.effort(500 // A_FILE)), "1")
        made = json.loads((self.dir / "arkouda.json").read_text("utf-8"))
        for i, (file, objects) in enumerate(made.items()):
            with self.subTest(file=file):
                self.check_family(i, f"{self.dir}/{file}", re.match("[a-z]+", file)[0], objects)
        wanted = stoa_test.effort(500 // A_FILE) * A_FILE
        self.assertGreaterEqual(sum(len(objects) for objects in made.values()), wanted)

    def check_family(self, i, source, family, objects):
        locales = (0, 1, 2, 3, 7)[i % 5]
        how = ("--locales", locales) if locales else ()
        own, back, kept = (self.dir / f"{name}{i}.h5" for name in ("own", "back", "kept"))
        self.stoa("convert", source, own, "--to", "hep001")
        self.stoa("check", own)
        only = f":{next(iter(objects))}" if len(objects) == 1 else ""
        self.stoa("convert", own, f"{back}{only}", "--to", "arkouda", "--as", family, *how)
        self.stoa("convert", source, kept, "--to", "arkouda", *how)
        places = [str(path)[:-3] if locales else path for path in (back, kept)]
        self.assertEqual(self.words(places[0]), self.words(source))
        self.assertEqual(self.words(places[1]), self.words(source))
        for path, columns in objects.items():
            csv = self.stoa("query", f"{source}:{path}", "-f", "csv").stdout
            self.check_csv(csv, columns)
            self.assertEqual(self.stoa("query", f"{own}:{path}", "-f", "csv").stdout, csv, path)
            for place in places:
                self.check_rows(f"{place}:{path}", family, columns)

    def words(self, place):
        said = self.stoa("ls", place).stdout.splitlines()[2:]
        return sorted(line.split()[:3] for line in said if " columns " not in line)

    def check_csv(self, text, columns):
        """By the values that the generator says, and parsers that are not Stoa's."""
        head, *rows = csv_rows(text)
        self.assertEqual([name for name, _ in head], list(columns))
        self.assertEqual(len(rows), len(next(iter(columns.values()))))
        for i, (name, values) in enumerate(columns.items()):
            found = [value_of(*row[i], wanted) for row, wanted in zip(rows, values, strict=True)]
            self.assertEqual([repr(f) for f in found], [repr(v) for v in values], name)

    def check_rows(self, place, family, columns):
        """By the generator's own account; how equal keys are ordered is the writer's affair."""
        said = self.stoa("query", place, "-f", "jsonl").stdout.splitlines()
        rows = [json.loads(line) for line in said]
        for name, values in columns.items():
            if family != "groupby" or name.startswith("KEY_"):
                self.assertEqual([repr(row[name]) for row in rows], [repr(v) for v in values],
                                 f"{place} {name}")  # fmt: skip


if __name__ == "__main__":
    stoa_test.main()
