"""Filters of Polars as filters of Stoa; peer/with_polars.py compares the rows."""

import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test

from pystoa._polars import Translator

KINDS = {"i": "Int16", "n": "Int64", "e": "Float64", "f": "Float32", "s": "String", "b": "Boolean",
         "t": "Datetime", "c": "Categorical", "x": "Decimal"}  # fmt: skip


def column(name):
    return {"Column": name}


def number(value):
    return {"Literal": {"Dyn": {"Float" if isinstance(value, float) else "Int": value}}}


def scalar(kind, value):
    return {"Literal": {"Scalar": {kind: value}}}


def binary(left, op, right):
    return {"BinaryExpr": {"left": left, "op": op, "right": right}}


def boolean(function, *inputs):
    return {"Function": {"input": list(inputs), "function": {"Boolean": function}}}


class Translation(unittest.TestCase):
    def check(self, node, text, *parameters):
        found = Translator(KINDS, lambda literal: literal["Literal"]["List"]).filter(node)
        if text is None:
            self.assertIsNone(found)
        else:
            self.assertEqual((found.text, found.parameters), (text, list(parameters)))

    def test_comparisons(self):
        self.check(binary(column("i"), "Gt", number(5)), '("i" > ?)', 5)
        self.check(binary(number(5), "LtEq", column("i")), '("i" >= ?)', 5)
        self.check(binary(column("s"), "Eq", scalar("String", "a")), '("s" = ?)', "a")
        self.check(binary(column("t"), "Lt", scalar("Datetime", [5, "Microseconds", None])),
                   '("t" < ?)', ("timestamp", "us", 5))  # fmt: skip
        self.check(boolean({"IsIn": {"nulls_equal": False}}, column("i"), {"Literal": {"List": [1, None, 2]}}),
                   '("i" in (?, ?))', 1, 2)  # fmt: skip

    def test_nan_is_the_greatest_in_polars(self):
        self.check(binary(column("e"), "Gt", number(5)), '("e" > ?) or isnan("e")', 5)
        self.check(binary(column("e"), "Lt", number(5)), '("e" < ?)', 5)
        self.check(binary(column("e"), "Gt", number(float("nan"))), None)

    def test_a_comparison_that_may_round_stays_with_polars(self):
        self.check(binary(column("n"), "Gt", number(float(2**53))), None)
        self.check(binary(column("e"), "Gt", number(2**53)), None)
        self.check(binary(column("f"), "Eq", number(0.1)), None)
        self.check(binary(column("f"), "Eq", number(0.5)), '("f" = ?)', 0.5)

    def test_a_part_that_is_unknown_is_left_out_of_an_and(self):
        known, unknown = binary(column("i"), "Gt", number(5)), binary(column("x"), "Gt", number(5))
        self.check(binary(known, "And", unknown), '("i" > ?)', 5)
        self.check(binary(unknown, "And", binary(known, "And", unknown)), '("i" > ?)', 5)
        self.check(binary(known, "Or", unknown), None)
        self.check(boolean("Not", binary(known, "And", unknown)), None)
        self.check(boolean("Not", known), '(not ("i" > ?))', 5)

    def test_labels_have_another_order(self):
        self.check(binary(column("c"), "Eq", scalar("String", "a")), '("c" = ?)', "a")
        self.check(binary(column("c"), "Gt", scalar("String", "a")), None)

    def test_texts_match_by_like(self):
        node = {"Function": {"input": [column("s"), scalar("String", "50%_!'")],
                             "function": {"StringExpr": "StartsWith"}}}  # fmt: skip
        self.check(node, "(\"s\" like '50!%!_!!''%' escape '!')")

    def test_what_is_unknown_is_no_error(self):
        for node in ({}, {"Column": "i"}, {"Column": "none"}, {"Cast": {}}, None, 5, {"Literal": "x"},
                     binary(column("i"), "Plus", number(1)), binary(number(1), "Eq", number(1)),
                     boolean({"IsIn": {"nulls_equal": True}}, column("i"), {"Literal": {"List": [1]}}),
                     {"Function": {"input": [], "function": "Negate"}}):  # fmt: skip
            self.check(node, None)


READS = """
import polars, pystoa

def read():
    return int(open("/proc/self/io").read().split("rchar: ")[1].split()[0])

def ask(path):
    wanted = polars.col("id").is_between(5000, 5100)
    return pystoa.scan_polars(path, "/t").filter(wanted).select("id", "y").collect()

ask("small.h5")
before = read()
assert ask("big.h5")["id"].to_list() == list(range(5000, 5101))
print(read() - before)
"""


@unittest.skipUnless(sys.platform == "linux", "the system counts what a process reads")
class Bytes(python_test.PeersTestCase):
    def bytes_of(self, *arguments):
        """What the command reads, that of its start included."""
        script = '"$@" > output; cat /proc/$$/io'
        done = stoa_test.run("sh", "-c", script, "sh", stoa_test.STOA, *arguments, cwd=self.dir)
        return int(re.search(r"rchar: (\d+)", done.stdout)[1])

    def test_a_filtered_scan_reads_no_more_than_the_command(self):
        for name, n in (("small", 100), ("big", 500_000)):
            rows = "".join(f"{i},{i * 7919 % 1000003 / 7},{i % 991}\n" for i in range(n))
            self.write(f"{name}.csv", "id,y,z\n" + rows)
            self.stoa("import", f"{self.dir}/{name}.csv", f"{self.dir}/{name}.h5:/t", "--index", "id")
        shutil.copytree(python_test.PACKAGE, self.dir / "pystoa", ignore=shutil.ignore_patterns("__pycache__"))
        question = ("query", "big.h5:/t", "-w", "id between 5000 and 5100", "-c", "id,y")
        ours = int(self.peer_python(READS))
        metadata = 1 << 16  # read for the schema, too, which the command has no use for
        self.assertLessEqual(ours, self.bytes_of(*question) - self.bytes_of("--version") + metadata)


if __name__ == "__main__":
    stoa_test.main()
