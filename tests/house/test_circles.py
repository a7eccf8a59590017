"""No file of some rooms needs itself, by the symbols of the objects that were built."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

# Rooms whose files stand on each other in one direction.
ROOMS = ("hdf", "column")


def needs(room):
    """Of each file of a room, the others of it that define what it needs."""
    folder = stoa_test.BUILD / "CMakeFiles" / "stoa_objects.dir" / "src" / room
    sources = {path.name for path in (stoa_test.SOURCE / "src" / room).glob("*.c")}
    objects = [path for path in sorted(folder.glob("*.o")) if path.name[:-2] in sources]
    if not objects:
        raise unittest.SkipTest("there are no objects of gcc's or clang's")
    home, wanted = {}, []
    for line in stoa_test.run("nm", "-A", *objects).stdout.splitlines():
        path, kind, name = line.split(":")[0], *line.split()[-2:]
        file = os.path.basename(path)[:-2]
        if kind in "TDBRVW":
            home[name] = file
        elif kind == "U":
            wanted.append((file, name))
    graph = {path.name[:-2]: set() for path in objects}
    for file, name in wanted:
        if home.get(name, file) != file:
            graph[file].add(home[name])
    return graph


def circle_in(graph):
    """Some of the files that cannot be put behind what they need; none where there is no circle."""
    left = dict(graph)
    while free := [file for file, needed in left.items() if not needed & left.keys()]:
        for file in free:
            del left[file]
    return sorted(left)


class Circles(stoa_test.TestCase):
    def test_a_circle_is_found(self):
        graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}
        self.assertEqual(circle_in(graph), ["a", "b", "c"])
        self.assertEqual(circle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}), [])

    def test_no_file_needs_itself_by_way_of_others(self):
        for room in ROOMS:
            graph = needs(room)
            self.assertGreater(sum(map(len, graph.values())), len(graph) // 2, room)
            self.assertEqual(circle_in(graph), [], room)


if __name__ == "__main__":
    stoa_test.main()
