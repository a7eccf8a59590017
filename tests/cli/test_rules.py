"""stoa rules: the rule book, and the page that is written from it."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test


class Rules(stoa_test.TestCase):
    def book(self, *args):
        return json.loads(self.stoa("rules", *args, "-f", "json").stdout)

    def test_the_page_is_written_from_the_book(self):
        page = (stoa_test.SOURCE / "docs" / "conformance.md").read_text()
        tables = self.stoa("rules", "-f", "markdown").stdout
        self.assertEqual(
            page[page.index("## The rules\n") :], tables, "run scripts/write-rules, and commit"
        )

    def test_an_id_shows_one_rule_in_full_whatever_its_case(self):
        lines = self.stoa("rules", "7.3-nrows-type").stdout.splitlines()
        self.assertEqual(lines[0], "7.3-NROWS-TYPE")
        self.assertIn("  level    MUST", lines)
        self.assertIn("  about    table group", lines)
        self.assertIn("  June     HEP001 of 2026-06 §7.3, The NROWS attribute", lines)
        self.assertIn("  July     HEP001 of 2026-07 §7.3, The NROWS attribute", lines)
        lines = self.stoa("rules", "10.4-N").stdout.splitlines()
        self.assertIn(
            "  July     HEP001 of 2026-07 §11.4, Chunk min/max search index (CHUNK_MINMAX)", lines
        )
        lines = self.stoa("rules", "j12.2-stale").stdout.splitlines()
        self.assertIn("  June     does not hold in 2026-06", lines)

    def test_a_section_lists_its_rules_and_those_below_it(self):
        sections = {rule["section"] for rule in self.book("10")}
        self.assertEqual(sections, {"10"} | {f"10.{i}" for i in range(1, 8)})
        self.assertEqual({rule["june"] for rule in self.book("10")}, sections)
        self.assertEqual({rule["section"] for rule in self.book("7.3")}, {"7.3"})
        listed = self.stoa("rules", "7.3").stdout
        self.assertIn("7.3-NROWS-SHAPE", listed)
        self.assertIn("never inferred from an extent", listed)
        self.assertNotIn("7.2-", listed)

    def test_ids_are_unique_and_begin_with_their_section(self):
        rules = [rule for rule in self.book() if "rule" in rule]
        self.assertGreater(len(rules), 100)
        self.assertEqual(len({rule["rule"] for rule in rules}), len(rules))
        for rule in rules:
            prefix = "" if "june" in rule else "J"
            self.assertTrue(rule["rule"].startswith(f"{prefix}{rule['section']}-"), rule)
            self.assertEqual(rule["section"], rule.get("june") or rule["july"])
            self.assertIn(rule["level"], ("MUST", "SHOULD", "INFO"))
            self.assertEqual(rule["refuses"] == "always", rule["level"] == "MUST")

    def test_a_revision_has_its_own_rules_and_numbers(self):
        june = self.book("--revision", "2026-06")
        july = self.book("--revision", "2026-07")
        self.assertEqual([r for r in june if "june" not in r], [])
        self.assertEqual([r for r in july if "july" not in r], [])
        self.assertEqual(
            [r["rule"] for r in june if "july" not in r and "rule" in r], ["8.5-BOOL-WIDEN"]
        )
        self.assertEqual({r["july"] for r in self.book("9.4", "--revision", "2026-07")}, {"9.4"})
        self.assertEqual({r["june"] for r in self.book("9", "--revision", "2026-06")}, {"9", "9.2"})
        self.fails("rules", "8.8", "--revision", "2026-06", says="8.8", status=2)
        self.assertIn("J8.8-FILL", self.stoa("rules", "8.8").stdout)

    def test_sections_of_june_are_one_further_in_july_behind_the_lists(self):
        moved = {"11.1": "12.1", "11.2": "12.3", "11.3": "12.4", "11.4": "12.5", "11.5": "12.6"}
        for rule in self.book():
            if "june" in rule and "july" in rule:
                first, *rest = rule["june"].split(".")
                number = int(first) + (int(first) >= 9)
                usual = ".".join([str(number), *rest])
                self.assertEqual(rule["july"], moved.get(rule["june"], usual), rule)

    def test_sentences_have_a_reason_and_no_name(self):
        sentences = [rule for rule in self.book() if "rule" not in rule]
        self.assertGreater(len(sentences), 20)
        for sentence in sentences:
            self.assertTrue(sentence["reason"])
            self.assertNotIn("refuses", sentence)

    def test_every_section_with_normative_sentences_is_in_the_book(self):
        sections = {rule["section"] for rule in self.book()}
        written = ["5", "6", "7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "8.1", "8.2", "8.3", "8.4"]
        written += ["8.5", "8.6", "8.7", "9", "9.2", "10", "10.1", "10.2", "10.3", "10.4", "10.5"]
        written += ["10.6", "10.7", "11.1", "11.2", "11.3", "11.4", "11.5", "12", "13.1", "13.3"]
        written += ["16"]
        self.assertEqual(set(written) - sections, set())
        written = ["2.1", "8.8", "9.1", "9.2", "9.3", "9.4", "9.5", "9.6", "9.7", "12.2"]
        sections = {rule["july"] for rule in self.book("--revision", "2026-07")}
        self.assertEqual(set(written) - sections, set())

    def test_jsonl_is_an_object_a_line(self):
        lines = self.stoa("rules", "6", "-f", "jsonl").stdout.splitlines()
        self.assertEqual({json.loads(line)["section"] for line in lines}, {"6"})

    def test_a_rule_that_there_is_not_is_wrong_usage(self):
        self.fails("rules", "10.5-TIE", says="did you mean '10.5-TIES'", status=2)
        self.fails("rules", "99", says="99", status=2)
        self.fails("rules", "1", says="'1'", status=2)


if __name__ == "__main__":
    stoa_test.main()
