"""The command line itself: options, operands, help, and what wrong usage gets (src/cli/common/args.c)."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

COMMANDS = [
    "ls",
    "info",
    "import",
    "append",
    "query",
    "plot",
    "report",
    "export",
    "index add",
    "index list",
    "index drop",
    "index verify",
    "column add",
    "column drop",
    "column rename",
    "column order",
    "column storage",
    "column categories",
    "column row-index",
    "attr",
    "check",
    "rules",
    "copy",
    "move",
    "remove",
    "repack",
]


class Help(stoa_test.TestCase):
    def test_help_lists_every_command(self):
        listed = self.stoa("help").stdout
        for command in COMMANDS:
            self.assertRegex(listed, rf"(?m)^  {command} ")

    def test_help_and_h_and_help_command_are_the_same_text(self):
        for command in COMMANDS:
            words = command.split()
            text = self.stoa(*words, "--help").stdout
            self.assertEqual(self.stoa(*words, "-h").stdout, text)
            self.assertEqual(self.stoa("help", *words).stdout, text)

    def test_every_command_shows_one_example_of_itself(self):
        for command in COMMANDS:
            done = self.stoa(*command.split(), "--help")
            example = done.stdout.split("\nexample:\n")[1]
            self.assertTrue(example.startswith(f"  stoa {command} "), example)
            self.assertEqual(len(example.splitlines()), 1)
            self.assertEqual(done.stderr, "")

    def test_help_names_every_option_once(self):
        for command in COMMANDS:
            text = self.stoa(*command.split(), "--help").stdout.split("\nexample:\n")[0]
            options = re.findall(r"^  (?:-\w, |    )--([\w-]+)", text, re.MULTILINE)
            self.assertIn("help", options)
            self.assertEqual(len(options), len(set(options)), f"{command}: {options}")

    def test_help_fits_eighty_columns(self):
        for command in COMMANDS:
            text = self.stoa(*command.split(), "--help").stdout.split("\nexample:\n")[0]
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_help_wins_over_missing_operands(self):
        self.stoa("query", "-n", "3", "--help")

    def test_index_alone_lists_its_four_commands(self):
        for words in (["index", "--help"], ["help", "index"]):
            listed = self.stoa(*words).stdout
            for command in ("add", "list", "drop", "verify"):
                self.assertRegex(listed, rf"(?m)^  index {command} ")
            self.assertNotIn("  import ", listed)

    def test_version_names_stoa_and_hdf5(self):
        self.assertRegex(
            self.stoa("--version").stdout, r"^stoa \d+\.\d+\.\d+ \(HDF5 \d+\.\d+\.\d+\)\n$"
        )

    def test_no_word_at_all_is_wrong_usage_and_shows_the_commands(self):
        done = self.stoa(status=2)
        self.assertEqual(done.stdout, "")
        self.assertIn("import", done.stderr)


class WrongUsage(stoa_test.TestCase):
    def misused(self, *arguments, says):
        done = self.fails(*arguments, status=2, says=says)
        self.assertEqual(done.stdout, "")

    def test_an_unknown_command_is_named_with_the_nearest_one(self):
        self.misused("qurey", says=["'qurey'", "did you mean 'query'?"])
        self.misused("index", "verfy", says=["did you mean 'index verify'?"])
        self.misused("frobnicate", says=["'frobnicate'", "stoa help"])

    def test_index_wants_to_know_what_to_do(self):
        self.misused("index", says="add, list, drop or verify")

    def test_an_unknown_option_is_named_with_the_nearest_one(self):
        self.misused("query", "a.h5", "--wher", "x", says=["'--wher'", "'--where'"])
        self.misused("import", "a.csv", "a.h5", "--unit", "x=m", says=["'--unit'", "'--units'"])
        self.misused("query", "a.h5", "--frobnicate", says=["'--frobnicate'", "stoa query --help"])
        self.misused("query", "a.h5", "-z", says="'-z'")

    def test_a_missing_operand_is_named(self):
        self.misused("query", says="PLACE... is missing")
        self.misused("import", "a.csv", says="PLACE is missing")
        self.misused("import", says="INPUT is missing")
        self.misused("check", says="PLACE... is missing")
        self.misused("index", "drop", "a.h5", says="COLUMN... is missing")

    def test_one_operand_too_many_is_named(self):
        self.misused("plot", "a.h5", "b.h5", says="'b.h5'")

    def test_an_option_without_its_value_shows_what_it_takes(self):
        self.misused("query", "a.h5", "-n", says=["'-n'", "-n, --limit N"])
        self.misused("query", "a.h5", "--where", says="-w, --where EXPR")

    def test_a_flag_takes_no_value(self):
        self.misused("query", "a.h5", "--rows=1", says="--rows takes no value")

    def test_a_number_must_be_one(self):
        for bad in ("x", "-1", "1.5", "", "99999999999999999999"):
            self.misused("query", "a.h5", "-n", bad, says=[f"'{bad}'", "--limit"])

    def test_a_choice_must_be_one_of_those_listed(self):
        self.misused("query", "a.h5", "-f", "xml", says="table, csv, tsv, jsonl, json")
        self.misused("import", "a.csv", "a.h5", "--on-error", "panic", says="stop, skip, null")
        self.misused("index", "add", "a.h5", "x", "--kind", "btree", says="minmax")

    def test_options_that_make_no_sense_together_are_refused(self):
        self.misused("query", "a.h5", "-a", "count()", "-c", "x", says="-a and -c")
        self.misused("query", "a.h5", "--by", "x", says="--by needs aggregates")
        self.misused("query", "a.h5", "--rows", "-c", "x", says="--rows")
        self.misused("query", "a.h5", "--trust", "--no-index", says="--no-index")
        self.misused("query", "a.h5", "--histogram", "x", "-n", "3", says="--histogram")
        self.misused("index", "add", "a.h5", says="--auto")
        self.misused("index", "add", "a.h5", "x", "--auto", says="--auto")

    def test_pairs_need_both_halves(self):
        self.misused("import", "a.csv", "a.h5", "--type", "x", says=["--type", "COLUMN=VALUE"])
        self.misused("import", "a.csv", "a.h5", "--units", "m", says=["--units", "COLUMN=VALUE"])

    def test_import_looks_at_its_options_before_anything_is_read(self):
        self.misused("import", "a.csv", "a.h5", "--chunk", "0", says="'0'")
        self.misused("import", "a.csv", "a.h5", "--chunk", "x=many", says="'many'")
        self.misused("import", "a.csv", "a.h5", "--index", "x:btree", says="'btree'")
        self.misused("import", "a.csv", "a.h5", "--delimiter", "ab", says="'ab'")
        self.misused("import", "a.csv", "a.h5", "--delimiter", '"', says="fields")

    def test_export_must_know_its_format(self):
        self.misused("export", "a.h5", "out", says=["'out'", "-f"])


class Spelling(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        self.stoa("import", self.write("a.csv", "x,y\n1,5\n2,6\n3,7\n"), self.file)

    def csv(self, *arguments):
        return self.stoa("query", *arguments).stdout

    def test_options_stand_anywhere(self):
        answer = "x\n2\n3\n"
        for words in (
            [self.file, "-w", "x > 1", "-c", "x", "-f", "csv"],
            ["-w", "x > 1", self.file, "-c", "x", "-f", "csv"],
            ["-f", "csv", "-c", "x", "-w", "x > 1", self.file],
        ):
            self.assertEqual(self.csv(*words), answer)

    def test_four_ways_to_give_a_value(self):
        for words in (["-f", "csv"], ["-fcsv"], ["--format", "csv"], ["--format=csv"]):
            self.assertEqual(self.csv(self.file, "-c", "x", "-n1", *words), "x\n1\n")

    def test_a_value_may_look_like_an_option(self):
        self.assertEqual(self.csv(self.file, "-f", "csv", "-c", "x", "-w", "-x < -2"), "x\n3\n")

    def test_the_last_of_repeated_options_counts(self):
        self.assertEqual(
            self.csv(self.file, "-c", "y", "-c", "x", "-n", "9", "-n", "1", "-f", "csv"), "x\n1\n"
        )

    def test_two_hyphens_end_the_options(self):
        odd = self.write("-a.csv", "x\n1\n")
        self.stoa("import", "--", odd.name, "-a.h5", cwd=self.dir)
        self.assertTrue((self.dir / "-a.h5").exists())
        self.fails("ls", "--", "--help", cwd=self.dir, says="--help")

    def test_an_hdf5_library_that_does_not_begin_says_what_it_was_asked_for(self):
        for name in ("HDF5_DRIVER", "HDF5_VOL_CONNECTOR"):
            self.fails("ls", self.dir / "a.h5", env={name: "bogus"}, says=name)


if __name__ == "__main__":
    stoa_test.main()
