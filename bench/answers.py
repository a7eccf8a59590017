"""Do the answers of all agree? A fast wrong answer is not measured."""

import csv
import math

from clock import Broken


def cell(text):
    try:
        return float(text)
    except ValueError:
        return text.replace("T", " ") if text[4:5] == "-" else text


def table(text, ordered):
    rows = [[cell(field) for field in row] for row in csv.reader(text.splitlines())]
    return rows if ordered else sorted(rows, key=lambda row: [str(field) for field in row])


def same_cell(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9)
    return a == b


def same(a, b):
    return len(a) == len(b) and all(
        len(x) == len(y) and all(map(same_cell, x, y)) for x, y in zip(a, b)
    )


def agree(ordered):
    """A check for Task: every runner gave Stoa's answer."""

    def check(task):
        ours = table(task.stoa.answer.split("\n", 1)[1], ordered)  # below its header
        if not ours:
            raise Broken(f"'{task.name}': Stoa's answer is empty")
        for runner in task.runners:
            if runner.is_limit or runner is task.stoa:
                continue
            text = runner.answer.split("\n", 1)[1] if runner.is_stoa else runner.answer
            theirs = table(text, ordered)
            if not same(ours, theirs):
                raise Broken(
                    f"'{task.name}': Stoa and {runner.name} do not agree; "
                    f"{len(ours)} and {len(theirs)} rows, first {ours[:1]} and {theirs[:1]}"
                )

    return check
