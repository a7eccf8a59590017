"""Tables whose references are of the deprecated H5T_STD_REF_OBJ (HEP001 §5)."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test


class OldReferences(stoa_test.TestCase):
    def test_the_check_tells_once_for_each_table_how_many_there_are(self):
        rows = self.write("a.csv", "n,name\n" + "".join(f"{i},v{i % 3}\n" for i in range(50)))
        file = self.dir / "a.h5"
        for table in ("t", "u"):
            self.stoa("import", rows, f"{file}:/{table}", "--references", "object",
                      "--category", "name", "--index", "n,name:bitmap")  # fmt: skip
        self.stoa("column", "row-index", f"{file}:/u", "n")
        done = self.stoa("check", file, "-f", "jsonl", status=None)
        found = [f for f in map(json.loads, done.stdout.splitlines()) if f.get("rule")]
        self.assertEqual(
            [(f["path"], f["rule"], f["message"].split(" of ")[0]) for f in found],
            [
                ("/t", "5-REF-TYPE", "4 references"),  # CATEGORIES, two lists of indexes, VALUES
                ("/u", "5-REF-TYPE", "5 references"),  # and INDEX_COLUMNS
            ],
        )


if __name__ == "__main__":
    stoa_test.main()
