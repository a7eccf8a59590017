"""stoa update --set 'v=[1, x, null]'. Python makes the lists that are expected."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

ROWS = [
    {"id": i, "at": f"2001-05-0{i + 1}T00:00:00Z", "v": [i / 2] * i, "n": [i], "s": ["a"] * i,
     "b": [True], "w": [[i], [], [1, 2]], "t": ["2001-05-01T12:00:00Z"], "p": [{"x": i}]}
    for i in range(6)
]  # fmt: skip


class SetLists(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        text = "".join(json.dumps(row) + "\n" for row in ROWS)
        self.place = f"{self.dir / 'a.h5'}:/t"
        self.stoa("import", self.write("t.jsonl", text), self.place)

    def rows(self, column):
        done = self.stoa("query", self.place, "-c", column, "-f", "jsonl")
        return [json.loads(line)[column] for line in done.stdout.split("\n")[:-1]]

    def check_set(self, assignment, lists):
        """`lists` gives the list of a row."""
        column = assignment.partition("=")[0]
        before = self.rows(column)
        self.stoa("update", self.place, "-w", "id >= 2 and id != 4", "--set", assignment)
        changed = [row["id"] >= 2 and row["id"] != 4 for row in ROWS]
        expected = [lists(row) if c else b for row, c, b in zip(ROWS, changed, before, strict=True)]
        self.assertEqual(self.rows(column), expected, assignment)
        self.assertIn("no finding", self.stoa("check", self.place).stderr)

    def test_items_are_values_and_expressions_of_the_row(self):
        self.check_set("v=[1, id, null, id / 4]", lambda r: [1.0, r["id"], None, r["id"] / 4])
        self.check_set("n=[id * 2, -3, length(w)]", lambda r: [r["id"] * 2, -3, 3])
        self.check_set("s=['x', 'it''s', null, '']", lambda _: ["x", "it's", None, ""])
        self.check_set("b=[true, id > 2, null]", lambda r: [True, r["id"] > 2, None])
        self.check_set("t=['2002-01-01', at, null]",
                       lambda r: ["2002-01-01T00:00:00Z", r["at"], None])  # fmt: skip

    def test_empty_and_missing_ones(self):
        for column in "vnsbwtp":
            self.check_set(f"{column}=[]", lambda _: [])
        for column in "vnsbt":
            self.check_set(f"{column}=[null, null]", lambda _: [None, None])
        self.check_set("v=null", lambda _: None)

    def test_lists_of_lists(self):
        self.check_set("w=[[1, id], null, []]", lambda r: [[1, r["id"]], None, []])
        self.check_set("w=[[null]]", lambda _: [[None]])
        self.check_set("w=[null]", lambda _: [None])

    def test_a_value_beyond_float32_and_one_beyond_int8_widen_the_column(self):
        self.check_set("n=[100000, 1]", lambda _: [100000, 1])
        self.check_set("v=[1e300, 0.1]", lambda _: [1e300, 0.1])

    def test_two_columns_at_once_see_the_old_rows(self):
        self.stoa("update", self.place, "--all", "--set", "n=[id]", "--set", "id=id + 1")
        self.assertEqual(self.rows("n"), [[row["id"]] for row in ROWS])
        self.assertEqual(self.rows("id"), [row["id"] + 1 for row in ROWS])

    def test_what_is_no_list_of_the_column_is_refused_by_its_place(self):
        before = self.rows("v"), self.rows("w"), self.rows("n"), self.rows("p")
        for assignment, says in (
            ("v=[[1]]", "column 2: the items of 'v' are no lists"),
            ("w=[1]", "column 2: 'w' has a list where 1 stands"),
            ("w=[[1], id]", "column 7: 'w' has a list where 'id' stands"),
            ("id=[1]", "'id' is int8, and a list in brackets goes into a list column"),
            ("n=[1, 'a']", "column 5: 'a' is text, and cannot stand in a list with the other items"),
            ("n=[v]", "column 2: 'v' is list"),
            ("t=['later']", "column 2: 'later' is no time, and 't' is one"),
            ("v=1 + [1]", "column 5: a list in brackets can be nothing but the whole value"),
        ):
            self.fails("update", self.place, "--all", "--set", assignment, says=says)
        for assignment in ("n=[1.5]", "n=['a']", "p=[1]"):
            self.fails("update", self.place, "--all", "--set", assignment, says="does not go into it")
        for assignment in ("v=[1", "v=[1,", "v=[1,]", "v=[,]", "v=]", "v=[1] [2]", "v=[1][0]"):
            self.fails("update", self.place, "--all", "--set", assignment, says="value of v, column")
        self.fails("query", self.place, "-w", "[1]", says="a list in brackets")
        self.fails("query", self.place, "-w", "id in ()", says="where a value")
        self.fails("update", self.place, "--all", "--set", "v=" + "[" * 300 + "]" * 300,
                   says="nested deeper than 200")  # fmt: skip
        after = self.rows("v"), self.rows("w"), self.rows("n"), self.rows("p")
        self.assertEqual(after, before)


if __name__ == "__main__":
    stoa_test.main()
