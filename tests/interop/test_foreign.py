"""Stoa reads, queries and exports tables that it did not make: those of peer/foreign.py."""

import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

WORDS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def number(value):
    """What JSON says for a float."""
    return WORDS.get(value, value) if isinstance(value, str) else value


def literal(value):
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


class Foreign(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.peer("python3", "foreign.py")
        self.made = json.loads((self.dir / "foreign.json").read_text("utf-8"))
        self.assertGreater(len(self.made), 20)

    def for_each(self, check, but=()):
        for table in self.made:
            name = table["file"].removesuffix(".h5")
            if name not in but:
                with self.subTest(name):
                    check(f"{self.dir}/{table['file']}:{table['path']}", table["columns"])

    def rows_where(self, place, condition, *options):
        said = self.stoa("query", place, "-w", condition, "--rows", "-f", "csv", *options).stdout
        return [int(line) for line in said.splitlines()[1:]]

    def test_every_value_is_exported_as_it_was_written(self):
        def check(place, columns):
            n_rows = len(next(iter(columns.values())))
            said = self.stoa("export", place, "-", "-f", "jsonl").stdout
            rows = [json.loads(line) for line in said.splitlines()]
            self.assertEqual(len(rows), n_rows)
            found = {name: [row[name] for row in rows] for name in columns}
            for name, values in columns.items():
                # repr tells -0.0 from 0.0 and 1 from True
                self.assertEqual([repr(v) for v in found[name]], [repr(v) for v in values], name)
            if rows:
                self.assertEqual(set(rows[0]), set(columns))

        self.for_each(check)

    def test_columns_come_in_the_order_of_column_order_or_of_their_names(self):
        def check(place, columns):
            said = self.stoa("query", place, "-f", "jsonl", "-n", "1").stdout
            order = list(columns)
            if "no_column_order" in place:
                order.sort(key=str.encode)
            if said:
                self.assertEqual(list(json.loads(said)), order)

        self.for_each(check)

    def test_missing_rows_are_found(self):
        def check(place, columns):
            for name, values in columns.items():
                wanted = [i for i, v in enumerate(values) if v is None]
                self.assertEqual(self.rows_where(place, f'"{name}" is null'), wanted, name)
                there = [i for i, v in enumerate(values) if v is not None]
                self.assertEqual(self.rows_where(place, f'"{name}" is not null'), there, name)

        self.for_each(check)

    def test_comparisons_find_what_python_finds(self):
        random = stoa_test.rng()
        def check(place, columns):
            for name, values in columns.items():
                known = [v for v in values if v is not None]
                if not known or isinstance(known[0], list | dict | bool) or name == "opaque":
                    continue
                numbers = [number(v) for v in values] if not self.is_text(known) else values
                finite = [v for v in numbers if v is not None and v == v and abs_is_finite(v)]
                pivot = random.choice(finite)
                wanted = [i for i, v in enumerate(numbers) if v == pivot]
                condition = f'"{name}" = {literal(pivot)}'
                self.assertEqual(self.rows_where(place, condition), wanted, condition)
                if self.is_text(known):
                    continue
                above = [i for i, v in enumerate(numbers) if v is not None and v > pivot]
                condition = f'"{name}" > {literal(pivot)}'
                self.assertEqual(self.rows_where(place, condition), above, condition)

        # Labels that are numbers can be shown, not compared.
        self.for_each(check, but=["numbers_as_categories"])

    def is_text(self, known):
        return all(isinstance(v, str) for v in known) and not all(v in WORDS for v in known)

    def test_strings_are_ordered_by_their_bytes(self):
        def check(place, columns):
            if "/strings_" not in place:
                return
            for name, values in columns.items():
                wanted = [i for i, v in enumerate(values) if v is not None and v.encode() >= b"tw"]
                self.assertEqual(self.rows_where(place, f"\"{name}\" >= 'tw'"), wanted, name)

        self.for_each(check)

    def test_a_copy_of_the_table_has_the_same_values(self):
        def check(place, columns):
            copy = f"{self.dir}/copy.h5:/t"
            self.stoa("import", place, copy, "--force")
            for text in ("csv", "jsonl"):
                first = self.stoa("export", place, "-", "-f", text).stdout
                self.assertEqual(self.stoa("export", copy, "-", "-f", text).stdout, first)
            if "ragged" not in place:  # whose fill value h5py cannot get
                self.assert_conformant(["copy.h5"])

        # Stoa writes categories of strings alone.
        self.for_each(check, but=["numbers_as_categories"])

    def test_a_table_appended_to_itself_has_its_rows_twice(self):
        def check(place, columns):
            file, _, path = place.rpartition(":")
            grown = shutil.copy(file, f"{self.dir}/grown.h5") + ":" + path
            self.stoa("append", place, grown)
            once = self.stoa("export", place, "-", "-f", "jsonl").stdout
            self.assertEqual(self.stoa("export", grown, "-", "-f", "jsonl").stdout, once + once)
            findings = self.stoa("check", grown, "--indexes", status=None).stdout
            self.assertNotIn("MUST", findings)

        self.for_each(check, but=["an_index_that_lies"])

    def test_check_finds_nothing_wrong(self):
        def check(place, columns):
            self.assertEqual(self.stoa("check", place).stdout, "")

        self.for_each(check, but=["no_column_order", "version_1_7", "version_1_10"])

    def test_garbage_above_nrows_is_not_looked_at(self):
        place = f"{self.dir}/garbage_above_nrows.h5:/t"
        said = self.stoa("query", place, "-a", "count(), max(chunked), max(word)", "-f", "csv")
        self.assertEqual(said.stdout.splitlines()[1], "3,3,c")

    def test_newer_minor_versions_are_read_and_newer_major_ones_refused(self):
        for version in ("1_7", "1_10"):
            self.assertEqual(self.rows_where(f"{self.dir}/version_{version}.h5:/t", "x = 1"), [0])
        for version in ("2_0", "10_0"):
            place = f"{self.dir}/version_{version}.h5:/t"
            says = [version.replace("_", "."), "§7.2"]
            self.fails("query", place, says=says)
            self.fails("export", place, "-", "-f", "csv", says=says)
            self.fails("info", place, says=says)

    def test_unknown_kinds_of_index_are_left_alone(self):
        place = f"{self.dir}/indexes_of_unknown_kinds.h5:/t"
        for how in ([], ["--trust"], ["--no-index"]):
            self.assertEqual(self.rows_where(place, "x > 1", *how), [0, 2])

    def test_an_index_of_another_program_is_believed_only_once_verified(self):
        right = f"{self.dir}/an_index_that_is_right.h5:/t"
        lies = f"{self.dir}/an_index_that_lies.h5:/t"
        for place in (right, lies):
            self.assertEqual(self.rows_where(place, "x > 55"), [5, 6])
        self.assertIn("[10.4-", self.stoa("check", lies, "--indexes", status=1).stdout)
        self.stoa("index", "verify", lies, status=1)
        self.assertEqual(self.rows_where(lies, "x > 55"), [5, 6])
        self.stoa("check", right, "--indexes")
        self.stoa("index", "verify", right)
        self.assertEqual(self.rows_where(right, "x > 55"), [5, 6])
        plan = self.stoa("query", right, "-w", "x > 55", "--explain").stdout
        self.assertRegex(plan, r"skip|1 of 2")

    def test_a_filter_that_is_not_there_is_named_and_other_columns_are_read(self):
        place = f"{self.dir}/packed.h5:/t"
        done = stoa_test.run(stoa_test.STOA, "query", place, "-w", "szip = 1")
        if done.returncode != 0:  # this libhdf5 has no szip
            for word in ("szip", "filter", "HDF5_PLUGIN_PATH"):
                self.assertIn(word, done.stderr)
        self.assertEqual(self.rows_where(place, "plain > 97"), [98, 99])

    def test_row_labels_of_several_levels_are_shown(self):
        said = self.stoa("info", f"{self.dir}/row_labels.h5:/t").stdout
        self.assertRegex(said, r"row labels +y, x")
        self.assertIn("Of two levels", said)

    def test_a_table_is_known_by_its_class_however_that_is_stored(self):
        place = f"{self.dir}/loose.h5"
        said = self.stoa("query", place, "-f", "csv").stdout
        self.assertEqual(said, "y,x\n0.5,1\n1.5,2\n")
        self.assertIn("MUST §7.1", self.stoa("check", place, status=1).stdout)

    def test_appending_to_a_table_of_another_program_keeps_what_was_there(self):
        place = f"{self.dir}/categories_that_two_columns_share.h5:/t"
        csv = self.write("more.csv", "a,b\nblau,red\n,grün\n")
        before = self.stoa("export", place, "-", "-f", "csv").stdout
        self.fails("append", csv, place, says=["ordered", "blau", "HEP001 §8.7"])
        self.assertEqual(self.stoa("export", place, "-", "-f", "csv").stdout, before)
        self.stoa("append", self.write("more.csv", "a,b\ngrün,red\n,grün\n"), place)
        said = self.stoa("export", place, "-", "-f", "csv").stdout
        self.assertEqual(said, 'b,a\ngrün,red\n,""\ngrün,\nred,grün\nred,grün\ngrün,\n')
        place = f"{self.dir}/an_index_that_is_right.h5:/t"
        self.stoa("append", self.write("more.csv", "x,row\n80.0,8\n-1.0,9\n"), place)
        self.assertEqual(self.rows_where(place, "x > 55 or x < 0", "--trust"), [5, 6, 8, 9])
        self.stoa("check", place, "--indexes")


def abs_is_finite(value):
    return isinstance(value, str) or abs(value) != float("inf")


if __name__ == "__main__":
    stoa_test.main()
