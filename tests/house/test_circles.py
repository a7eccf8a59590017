"""No files need each other to be linked, but for one circle that is listed here."""

import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

TARGETS = ("stoa_objects", "stoa_sql", "stoa_cli")

# An expression holds expressions: what evaluates one calls what evaluates its parts, be they tests
# of columns, labels of a dictionary, items of a list or the values of a choice.
RECURSION = (
    "query/eval/filter_stored.c query/eval/eval.c query/eval/eval_lists.c query/eval/eval_labels.c "
    "query/eval/eval_case.c query/eval/eval_rows.c"
)

SYMBOL = re.compile(r"^(.+): (\S+) ([A-Za-z])\b", re.MULTILINE)


def objects():
    """The objects of files that are there: (file of src/, path)."""
    for target in TARGETS:
        root = stoa_test.BUILD / "CMakeFiles" / f"{target}.dir" / "src"
        for path in sorted(root.rglob("*.c.o")):
            file = str(path.relative_to(root))[: -len(".o")]
            if (stoa_test.SOURCE / "src" / file).is_file():
                yield file, path


def needs():
    """What each file needs of others: {file: {other: a symbol}}."""
    files = {str(path): file for file, path in objects()}
    listing = stoa_test.run("nm", "-A", "-P", "-g", *files).stdout
    undefined, home = {file: [] for file in files.values()}, {}
    for path, symbol, kind in SYMBOL.findall(listing):
        if kind in "Uw":
            undefined[files[path]].append(symbol)
        else:
            home[symbol] = files[path]
    return {file: {home[s]: s for s in symbols if home.get(s, file) != file}
            for file, symbols in undefined.items()}  # fmt: skip


def circles(graph):
    """Sets of two files and more that all need each other, by Kosaraju's algorithm."""
    against = {file: [] for file in graph}
    for file, others in graph.items():
        for other in others:
            against[other].append(file)

    def walk(edges, start, seen):
        """Files that are reached and were not seen, each after those that it leads to."""
        found, path = [], [(start, iter(edges[start]))]
        seen.add(start)
        while path:
            file, left = path[-1]
            other = next((o for o in left if o not in seen), None)
            if other is None:
                found.append(path.pop()[0])
            else:
                seen.add(other)
                path.append((other, iter(edges[other])))
        return found

    seen, order = set(), []
    for file in graph:
        if file not in seen:
            order += walk(graph, file, seen)
    seen = set()
    parts = [walk(against, file, seen) for file in reversed(order) if file not in seen]
    return [frozenset(part) for part in parts if len(part) > 1]


class Circles(stoa_test.TestCase):
    def test_circles_are_found(self):
        graph = {"a": {"b": ""}, "b": {"c": "", "d": ""}, "c": {"a": ""}, "d": {"e": ""}, "e": {}}
        self.assertEqual(circles(graph), [frozenset("abc")])
        graph["e"] = {"d": ""}
        self.assertEqual(set(circles(graph)), {frozenset("abc"), frozenset("de")})

    def test_files_need_each_other_only_where_it_is_listed(self):
        graph = needs()
        self.assertGreater(len(graph), 500, "the objects were not found")
        found = set(circles(graph))
        listed = {frozenset(files.split()) for files in (RECURSION,)}
        for circle in found - listed:
            print("a circle that is not listed:", " ".join(sorted(circle)))
            for file in sorted(circle):
                for other in sorted(circle & graph[file].keys()):
                    print(f"    {file} needs {other} for {graph[file][other]}")
        for circle in listed - found:
            print("a circle that is listed and gone:", " ".join(sorted(circle)))
        self.assertEqual(found, listed)


if __name__ == "__main__":
    if shutil.which("nm") is None or not any(objects()):
        stoa_test.skip("there are no objects, or no nm to look into them")
    stoa_test.main()
