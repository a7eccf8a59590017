"""stoa check on the tables that h5col wrote (tests/support/h5col): its known deviations, and nothing else.

h5col writes by July, except that h5py null-pads its strings and has no H5T_STD_REF, and that its
indexes have no description (a SHOULD).
"""

import json
import os
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

FILES = stoa_test.SOURCE / "tests/support/h5col"

# Of each file: its lists and groups of strings, the objects whose attribute is a reference, and the
# indexes by their columns. An object that is named twice has two such attributes.
LISTS, STRINGS, REFERENCES, INDEXES = "lists", "strings", "references", "indexes"
HOLDS = {
    "plain": {},
    "booleans": {},
    "categories": {REFERENCES: ["grade", "site"]},
    "lists": {LISTS: ["hits"]},
    "list_strings": {LISTS: ["authors", "codes"], STRINGS: ["authors/VALUES"]},
    "nested_lists": {LISTS: ["tracks", "tracks/VALUES"]},
    "list_leaves": {
        LISTS: ["flags", "raw", "words", "words/VALUES"],
        STRINGS: ["words/VALUES/VALUES"],
    },
    "indexes_valid": {
        # The column `tag` is categorical and has an index. A bitmap refers to its values.
        REFERENCES: [*"e ok t tag tag".split(), "SEARCH_INDEXES/ok__bitmap", "SEARCH_INDEXES/tag__bitmap"],
        INDEXES: ["e__sorted_rows", "ok__bitmap", "t__chunk_minmax", "tag__bitmap"],
    },
    "truncated": {
        LISTS: ["v"],
        REFERENCES: ["e", "t", "tag"],
        INDEXES: ["e__chunk_minmax", "t__sorted_rows"],
    },
    "row_labels": {REFERENCES: [""]},
    "no_rows": {LISTS: ["v"], STRINGS: ["v/VALUES"]},
}
HOLDS["indexes_stale"] = HOLDS["indexes_valid"]

# What July alone has: a boolean column without fill, a list, or GENERATION.
JUNE = {"plain", "categories", "row_labels"}


def expected(name):
    """A count of (path below the table, rule)."""
    holds = HOLDS[name]
    found = Counter({("", "7.1-CLASS-PADDING"): 1})
    for path in holds.get(LISTS, []):
        found.update([(path, "J9.1-CLASS"), (path, "J9.1-KIND")])
    found.update((path, "J9.4-CLASS") for path in holds.get(STRINGS, []))
    found.update([("", "5-REF-TYPE")] if REFERENCES in holds else [])  # one for all
    for index in holds.get(INDEXES, []):
        found[f"SEARCH_INDEXES/{index}", "10.3-DESCRIPTION"] += 1
        if name == "indexes_stale":
            found[f"SEARCH_INDEXES/{index}", "J12.2-STALE"] += 1
    if name == "truncated":  # these two never shrink
        found["SEARCH_INDEXES/e__chunk_minmax", "10.4-RESIDUE"] += 1
        found["SEARCH_INDEXES/t__sorted_rows", "10.5-RESIDUE"] += 1
    return found


class H5col(stoa_test.TestCase):
    def test_its_tables_deviate_where_it_says_and_nowhere_else(self):
        self.assertEqual({f.stem for f in FILES.glob("*.h5")}, set(HOLDS))
        for name in sorted(HOLDS):
            done = self.stoa(
                "check", "--strict", "--indexes", "-f", "jsonl", FILES / f"{name}.h5", status=1
            )
            entries = [json.loads(line) for line in done.stdout.splitlines()]
            (table,) = [e for e in entries if "checked" in e]
            top = table["checked"]
            found = Counter(
                (e["path"][len(top) :].lstrip("/"), e["rule"]) for e in entries if "rule" in e
            )
            self.assertEqual(found, expected(name), name)
            self.assertEqual(table["revision"], "2026-06" if name in JUNE else "2026-07", name)


if __name__ == "__main__":
    stoa_test.main()
