"""List columns (HEP001-2026-07 §9) on the command line. The tables are h5col's: tests/support/h5col."""

import json
import os
import shutil
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

FILES = stoa_test.SOURCE / "tests/support/h5col"


def rows_of(name):
    """The rows that h5col reads."""
    return [json.loads(line) for line in (FILES / f"{name}.jsonl").read_text().splitlines()]


def parsed(text):
    return [json.loads(line) for line in text.splitlines()]


class ListColumns(stoa_test.TestCase):
    def ask(self, name, *arguments):
        done = self.stoa("query", f"{FILES}/{name}.h5:/t", "-f", "jsonl", *arguments)
        self.assertEqual(done.stderr, "")
        return parsed(done.stdout)

    def check(self, name, expression, expect):
        """A list function of every row is what Python computes."""
        found = self.ask(name, "-c", f"{expression} as x")
        self.assertEqual([row["x"] for row in found], [expect(row) for row in rows_of(name)])

    def test_tables_of_h5col_are_read_as_it_reads_them(self):
        for name in ("lists", "nested_lists", "list_strings", "list_leaves", "no_rows"):
            with self.subTest(name=name):
                self.assertEqual(self.ask(name), rows_of(name))
        lists = [{"t": row["t"], "v": row["v"]} for row in rows_of("truncated")]
        self.assertEqual(self.ask("truncated", "-c", "t,v"), lists)

    def test_info_shows_their_type_and_storage_and_counts_what_is_missing(self):
        info = self.stoa("info", f"{FILES}/lists.h5:/t").stdout
        self.assertRegex(info, r"(?m)^hits +list +2 .*energies of the hits")
        self.assertRegex(info, r"(?m)^hits +list of float32 +chunked ")
        info = self.stoa("info", f"{FILES}/list_strings.h5:/t").stdout
        self.assertRegex(info, r"(?m)^authors +list +1$")
        self.assertRegex(info, r"(?m)^authors +list of string utf8 +chunked ")

    def test_ls_counts_them_as_columns(self):
        ls = self.stoa("ls", FILES / "list_leaves.h5")
        self.assertRegex(ls.stdout, r"(?m)^/t +hep001 +table +4 +4 ")
        self.assertEqual(ls.stderr, "")

    def test_list_functions_of_numbers(self):
        def some(row):
            return [x for x in row["hits"] or () if x is not None]

        def of(function):
            return lambda row: None if row["hits"] is None else function(some(row), row["hits"])

        self.check("lists", "length(hits)", of(lambda _, all_: len(all_)))
        self.check("lists", "count(hits)", of(lambda items, _: len(items)))
        self.check("lists", "sum(hits)", of(lambda items, _: sum(items) if items else None))
        self.check("lists", "max(hits)", of(lambda items, _: max(items) if items else None))
        self.check("lists", "hits[0]", of(lambda _, all_: all_[0] if all_ else None))
        unknown = of(lambda items, all_: any(x > 3 for x in items) or (None if None in all_ else False))
        self.check("lists", "any(hits > 3)", unknown)
        found = self.ask("lists", "-w", "contains(hits, 4)", "-c", "event")
        self.assertEqual(found, [{"event": 5}])
        found = self.ask("lists", "-w", "hits is null", "-c", "event")
        self.assertEqual(found, [{"event": 1}, {"event": 8}])

    def test_list_functions_of_lists_of_lists_and_strings(self):
        def flat(row):
            return None if row["tracks"] is None else sum([t or [] for t in row["tracks"]], [])

        def first(row):
            return (row["tracks"] or [None])[0]

        def size(items):
            return None if items is None else len(items)

        self.check("nested_lists", "length(tracks)", lambda row: size(row["tracks"]))
        self.check("nested_lists", "sum(tracks)", lambda row: sum(flat(row) or []) or None)
        self.check("nested_lists", "count(tracks)", lambda row: size(flat(row)))
        self.check("nested_lists", "tracks[0]", first)
        self.check("nested_lists", "length(tracks[0])", lambda row: size(first(row)))
        self.check("list_strings", "authors[0]", lambda row: (row["authors"] or [None])[0])
        found = self.ask("list_strings", "-w", "contains(authors, 'Grace')", "-c", "id")
        self.assertEqual(found, [{"id": 1}])

    def test_they_are_exported_in_every_format(self):
        place = f"{FILES}/lists.h5:/t"
        rows = rows_of("lists")
        self.stoa("export", place, self.dir / "a.jsonl")
        self.assertEqual(parsed((self.dir / "a.jsonl").read_text()), rows)
        csv = self.stoa("query", place, "-c", "hits", "-f", "csv").stdout.splitlines()
        self.assertEqual(csv[:3], ["hits", '"[1.5,2.25]"', ""])
        self.stoa("export", place, self.dir / "a.arrow")
        words = f"{FILES}/list_leaves.h5:/t"
        self.stoa("query", words, "-c", "words", "-o", self.dir / "b.arrow")
        self.stoa("import", self.dir / "b.arrow", f"{self.dir}/b.h5:/t")
        found = parsed(self.stoa("query", f"{self.dir}/b.h5:/t", "-f", "jsonl").stdout)
        self.assertEqual(found, [{"words": row["words"]} for row in rows_of("list_leaves")])
        head = self.stoa("query", place, "-c", "hits", "--limit", "1").stdout
        self.assertIn("[1.5, 2.25]", head)

    def test_lengths_and_missing_lists_are_found_without_the_items(self):
        place = f"{self.dir}/a.h5:/t"
        self.stoa("import", f"{FILES}/lists.h5:/t", place, "--codec", "deflate")
        self.spoil_chunks(self.dir / "a.h5", 4096)  # 1024 float32
        self.fails("query", place, "-c", "hits", says=("VALUES",))
        self.fails("query", place, "-c", "sum(hits)", says=("VALUES",))
        lists = [row["hits"] for row in rows_of("lists")]
        lengths = [None if items is None else len(items) for items in lists]

        def asked(*arguments):
            return parsed(self.stoa("query", place, "-f", "jsonl", *arguments).stdout)

        self.assertEqual([row["n"] for row in asked("-c", "length(hits) as n")], lengths)
        found = asked("-w", "event % 2 = 1", "-c", "length(hits) as n")
        self.assertEqual([row["n"] for row in found], lengths[1::2])
        found = asked("-w", "length(hits) > 1", "-c", "event")
        self.assertEqual([row["event"] for row in found], [i for i, n in enumerate(lengths) if (n or 0) > 1])
        found = asked("-w", "hits is not null", "-c", "event")
        self.assertEqual([row["event"] for row in found], [i for i, n in enumerate(lengths) if n is not None])
        found = asked("-c", "event", "--sort", "length(hits), event", "--limit", "3")
        order = sorted((n, i) for i, n in enumerate(lengths) if n is not None)
        self.assertEqual([row["event"] for row in found], [i for _, i in order[:3]])
        known = [n for n in lengths if n is not None]
        found = asked("-a", "count(hits) as n, sum(length(hits)) as m")
        self.assertEqual(found, [{"n": len(known), "m": sum(known)}])

    def spoil_chunks(self, file, size):
        """Make the deflated chunks of so many bytes unreadable."""
        content = bytearray(file.read_bytes())
        n_spoiled = 0
        for at in range(len(content)):
            if content[at] == 0x78:
                try:
                    found = zlib.decompressobj().decompress(bytes(content[at:]))
                except zlib.error:
                    continue
                if len(found) == size:
                    content[at] = 0
                    n_spoiled += 1
        self.assertEqual(n_spoiled, 1)
        file.write_bytes(content)

    def test_an_unreadable_one_is_an_error_of_that_column_alone(self):
        content = (FILES / "lists.h5").read_bytes()
        spoiled = self.write("bad.h5", content.replace(b"KIND", b"KYND", 1))
        self.assertEqual(content.count(b"KIND"), 1)
        place = f"{spoiled}:/t"
        self.assertIn("event\n0\n1\n", self.stoa("query", place, "-c", "event", "-f", "csv").stdout)
        self.fails("query", place, "-c", "hits", says=(f"{place}/hits: ", "KIND ''"))
        info = self.stoa("info", place, status=3)
        self.assertRegex(info.stdout, r"(?m)^hits +cannot be read")
        self.assertRegex(info.stdout, r"(?m)^event +uint64 ")

    def test_offsets_that_descend_are_refused_with_their_entry(self):
        content = (FILES / "lists.h5").read_bytes()
        offsets = struct.pack("<8Q", 0, 2, 2, 2, 3, 5, 10, 10)  # one chunk of them
        self.assertEqual(content.count(offsets), 1)
        worse = struct.pack("<8Q", 0, 2, 2, 2, 1, 5, 10, 10)
        place = f"{self.write('bad.h5', content.replace(offsets, worse))}:/t"
        self.fails("query", place, says=(f"{place}/hits: ", "OFFSETS descends", "at entry 3"))
        self.fails("query", place, "-w", "length(hits) > 1", says="at entry 3")
        self.assertIn("event\n0\n", self.stoa("query", place, "-c", "event", "-f", "csv").stdout)

    def test_a_copied_table_has_them(self):
        other = self.dir / "other.h5"
        self.stoa("copy", f"{FILES}/nested_lists.h5:/t", f"{other}:/c")
        self.stoa("move", f"{other}:/c", f"{other}:/d")
        found = parsed(self.stoa("query", f"{other}:/d", "-f", "jsonl").stdout)
        self.assertEqual(found, rows_of("nested_lists"))
        self.hdf5("h5diff", FILES / "nested_lists.h5", other, "/t", "/d")

    def test_a_conversion_keeps_them(self):
        for name in ("lists", "nested_lists", "list_strings", "list_leaves", "no_rows"):
            with self.subTest(name=name):
                own = f"{self.dir}/{name}.h5:/t"
                self.stoa("convert", f"{FILES}/{name}.h5:/t", own, "--to", "hep001")
                rows = self.stoa("query", own, "-f", "jsonl").stdout
                self.assertEqual(parsed(rows), rows_of(name))
                self.assertIn("no finding", self.stoa("check", own).stderr)

    def test_rows_are_appended(self):
        for name in ("lists", "nested_lists", "list_strings", "list_leaves", "no_rows"):
            with self.subTest(name=name):
                file = self.dir / f"{name}.h5"
                shutil.copyfile(FILES / f"{name}.h5", file)
                self.stoa("export", f"{file}:/t", self.dir / "rows.arrow")
                self.stoa("append", self.dir / "rows.arrow", f"{file}:/t")
                rows = self.stoa("query", f"{file}:/t", "-f", "jsonl").stdout
                self.assertEqual(parsed(rows), rows_of(name) * 2)

    def test_a_revision_without_lists_refuses_them_by_name(self):
        self.stoa("export", f"{FILES}/lists.h5:/t", self.dir / "a.arrow")
        own = self.dir / "own.h5"
        self.fails("import", self.dir / "a.arrow", f"{own}:/t", "--revision", "2026-06",
                   says=("'hits'", "2026-06", "leave the column out"))  # fmt: skip
        self.assertFalse(own.exists())
        self.stoa("import", self.dir / "a.arrow", f"{own}:/t", "--revision", "2026-07")
        self.assertIn("by 2026-07", self.stoa("check", f"{own}:/t").stderr)
        for option, says in (("--index", "no search index"), ("--row-index", "label no rows")):
            self.fails("import", self.dir / "a.arrow", f"{own}:/x", option, "hits", says=("'hits'", says))

    def test_a_chosen_fill_value_is_that_of_the_items(self):
        self.stoa("export", f"{FILES}/lists.h5:/t", self.dir / "a.arrow")
        own = f"{self.dir}/own.h5:/t"
        self.stoa("import", self.dir / "a.arrow", own, "--fill", "hits=-1", "--codec", "none")
        rows = self.stoa("query", own, "-c", "hits", "-f", "jsonl").stdout
        self.assertEqual(parsed(rows), [{"hits": row["hits"]} for row in rows_of("lists")])
        dump = self.hdf5("h5dump", "-d", "/t/hits/VALUES", "-p", self.dir / "own.h5")
        self.assertRegex(dump, r"VALUE +-1\b")

    def edited(self, name):
        """A copy of a file, to be edited."""
        file = self.dir / f"{name}.h5"
        shutil.copyfile(FILES / f"{name}.h5", file)
        return f"{file}:/t"

    def test_rows_are_deleted_and_cut_off(self):
        for name in ("lists", "nested_lists", "list_strings", "list_leaves"):
            with self.subTest(name=name):
                rows, place = rows_of(name), self.edited(name)
                key = next(iter(rows[0]))
                gone = rows[1][key]
                self.stoa("delete", place, "-w", f"{key} = {gone}")
                left = [row for row in rows if row[key] != gone]
                self.assertEqual(parsed(self.stoa("query", place, "-f", "jsonl").stdout), left)
                self.stoa("truncate", place, len(left) - 1)
                self.assertEqual(parsed(self.stoa("query", place, "-f", "jsonl").stdout), left[:-1])

    def test_files_and_tables_are_repacked(self):
        rows, place = rows_of("nested_lists"), self.edited("nested_lists")
        self.stoa("truncate", place, "2")
        self.stoa("repack", place)
        self.stoa("repack", place.removesuffix(":/t"))
        self.assertEqual(parsed(self.stoa("query", place, "-f", "jsonl").stdout), rows[:2])
        extent = self.hdf5("h5dump", "-H", "-d", "/t/tracks/OFFSETS", place.removesuffix(":/t"))
        self.assertIn("SIMPLE { ( 3 ) /", extent)

    def test_lists_are_replaced(self):
        rows, place = rows_of("list_strings"), self.edited("list_strings")
        self.stoa("update", place, "-w", "id = 1", "--set", "authors=codes")
        self.stoa("update", place, "-w", "id = 2", "--set", "codes=null")
        for row in rows:
            row["authors"] = row["codes"] if row["id"] == 1 else row["authors"]
            row["codes"] = None if row["id"] == 2 else row["codes"]
        self.assertEqual(parsed(self.stoa("query", place, "-f", "jsonl").stdout), rows)
        before = (self.dir / "list_strings.h5").read_bytes()
        self.fails("update", place, "--all", "--set", "codes=id", says="does not go into column 'codes'")
        self.assertEqual((self.dir / "list_strings.h5").read_bytes(), before)


if __name__ == "__main__":
    stoa_test.main()
