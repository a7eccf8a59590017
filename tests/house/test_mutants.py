"""The bugs that scripts/mutants puts into C files, and the list of those that change nothing."""

import importlib.machinery
import importlib.util
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test


def load():
    script = stoa_test.SOURCE / "scripts" / "mutants"
    loader = importlib.machinery.SourceFileLoader("mutants", str(script))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", loader))
    loader.exec_module(module)
    return module


tool = load()

TEXT = """\
/* if (a < b) { return 1; } */
#define MORE 7
static int f(int a, int b)
{
    const char *text = "a < b && 5";
    int n = 3;

    if (a < b && !n) {
        return 0;
    }
    n += a;
    fsync(a);
    (void)put(a,
              b);
    while (n >= 2) {
        n--;
        break;
    }
    return true;
}
"""


class Mutants(stoa_test.TestCase):
    def made(self, operator, text=TEXT):
        return [tool.apply(text, m) for m in tool.mutants(text) if m.operator == operator]

    def assertMakes(self, operator, old, *new):
        made = self.made(operator)
        for one in new:
            self.assertIn(TEXT.replace(old, one, 1) if old in TEXT else "", made)

    def test_comparisons_are_inverted_and_moved_by_one(self):
        self.assertMakes("off-by-one", "if (a < b && !n)", "if (a <= b && !n)")
        self.assertMakes("comparison", "if (a < b && !n)", "if (a >= b && !n)")
        self.assertMakes("off-by-one", "n >= 2", "n > 2")
        self.assertMakes("comparison", "n >= 2", "n < 2")
        self.assertEqual(len(self.made("off-by-one")), 2)

    def test_conjunctions_and_negations_are_turned(self):
        self.assertMakes("logic", "b && !n", "b || !n")
        self.assertMakes("negation", "!n", "n")

    def test_a_bound_that_leaves_is_removed_and_its_line_stays(self):
        self.assertMakes("drop-bound", "if (a < b && !n)", "if (0 && (a < b && !n))")
        self.assertEqual(len(self.made("drop-bound")), 1)

    def test_statements_are_dropped_and_lines_stay_lines(self):
        self.assertMakes("drop-sync", "fsync(a);", ";")
        self.assertMakes("drop-call", "(void)put(a,\n              b);", ";\n")
        self.assertMakes("drop-assignment", "n += a;", ";")
        self.assertMakes("drop-assignment", "n--;", ";")
        self.assertMakes("drop-jump", "break;", ";")
        for operator in ("drop-sync", "drop-call", "drop-assignment", "drop-jump"):
            for text in self.made(operator):
                self.assertEqual(text.count("\n"), TEXT.count("\n"))

    def test_a_declaration_is_not_dropped(self):
        self.assertNotIn(TEXT.replace("int n = 3;", ";"), self.made("drop-assignment"))

    def test_numbers_and_answers_become_others(self):
        self.assertMakes("constant", "int n = 3", "int n = 4")
        self.assertMakes("constant", "return 0;", "return 1;")
        self.assertMakes("result", "return true;", "return false;")
        text = "enum { A = 0x1F, B = 0666 };\n"
        self.assertEqual(
            self.made("constant", text), [text.replace("0x1F", "32"), text.replace("0666", "439")]
        )

    def test_comments_literals_directives_and_tables_are_let_be(self):
        for text in ("/* a < 1 */", '    puts("a < 1");', "#define A (1 < 2)", "    1, 2, 3,", "// 1"):
            made = [m for m in tool.mutants(text + "\n") if m.operator != "drop-call"]
            self.assertEqual(made, [], text)

    def test_every_mutant_differs_and_none_is_made_twice(self):
        for path in sorted((stoa_test.SOURCE / "src" / "hdf").rglob("*.c"))[:10]:
            text = path.read_text()
            made = tool.mutants(text)
            self.assertEqual(len(set(made)), len(made))
            self.assertTrue(all(tool.apply(text, m) != text for m in made))

    def test_a_key_outlives_comments_and_other_lines_and_tells_like_places_apart(self):
        mutants = tool.mutants(TEXT)
        keys = [tool.key_of(TEXT, m) for m in mutants]
        self.assertEqual(len(set(keys)), len(keys))
        longer = "int g(void);\n\n" + TEXT
        longer = longer.replace("int n = 3;", "int n = 3; /* at \"first\" */")
        self.assertEqual([tool.key_of(longer, m) for m in tool.mutants(longer)], keys)

    def test_lines_with_the_same_words_have_keys_of_their_own(self):
        text = TEXT + TEXT.replace("f(", "g(")
        keys = [tool.key_of(text, m) for m in tool.mutants(text)]
        self.assertEqual(len(set(keys)), len(keys))

    def test_only_tests_that_run_a_line_are_run_for_it(self):
        test = tool.Test.__new__(tool.Test)
        test.functions = {"f.c": [[10, 12, 15], [30, 31]]}
        test.cases = {
            "first": {"seconds": 1, "f.c": [10, 12]},
            "second": {"seconds": 1, "f.c": [10, 12, 15]},
            "other": {"seconds": 1, "g.c": [10]},
        }
        for line, cases in (
            (10, ["first", "second"]),
            (15, ["second"]),
            (14, ["first", "second"]),  # of the statement that begins in line 12
            (31, []),
            (20, ["first", "second"]),  # in no function: a table, a constant
        ):
            self.assertEqual(test.cases_at("f.c", line), cases, line)
        self.assertEqual(test.cases_at("h.c", 10), [])

    def test_what_is_listed_as_equivalent_is_there_and_has_a_reason(self):
        known = tool.read_equivalent()
        for file in sorted({file for file, key in known}):
            text = (stoa_test.SOURCE / file).read_text()
            keys = {tool.key_of(text, m) for m in tool.mutants(text)}
            for name, key in known:
                if name == file:
                    self.assertIn(key, keys, f"{file}: take {key} out of scripts/mutants.equivalent")
        self.assertTrue(all(len(reason) > 10 for reason in known.values()))


if __name__ == "__main__":
    stoa_test.main()
