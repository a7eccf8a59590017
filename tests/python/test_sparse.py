"""Sparse arrays without NumPy: what they are, what they refuse, and what a read does to its process."""

import array
import gc
import os
import pickle
import signal
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test

import pystoa
from pystoa import _pystoa

ENTRIES = {(0, 1): 5.0, (1, 2): 7.0, (4, 0): -0.0}


def put(path, name, entries, shape, *, type="f8", letter="d", fill=None, replace=False, progress=None):
    places = array.array("Q", [index for place in entries for index in place])
    values = array.array(letter, entries.values())
    return _pystoa.sparse_write(path, name, type, shape, places, values, fill, None, None, replace, progress)


def get(path, name, start, count, progress=None):
    """Elements by their places, and the type."""
    places, values, type, _ = _pystoa.sparse_read(path, name, False, start, count, progress)
    flat = struct.unpack(f"={len(places) // 8}Q", places)
    n = len(flat) // len(start)
    keys = [flat[i * len(start) : (i + 1) * len(start)] for i in range(n)]
    return keys, bytes(values), type


class Sparse(python_test.TestCase):
    def setUp(self):
        super().setUp()
        put(self.path, "/net", ENTRIES, (5, 3))

    def test_it_says_what_it_is(self):
        found = pystoa.sparse(self.path, "/net")
        self.assertEqual((found.shape, found.nnz, found.kind, found.ndim, len(found)), ((5, 3), 3, "array", 2, 5))
        self.assertEqual(repr(found), f"<SparseArray {self.path}:/net: 5 x 3, 3 stored, float64>")
        self.assertEqual(repr(found[1:, 2]), f"<SparseSelection {self.path}:/net[1:5, 2]: 4>")
        self.assertEqual([found.path for found in pystoa.open(self.path).arrays], ["/net"])

    def test_boxes_have_their_elements_in_order(self):
        keys, values, type = get(self.path, "/net", (0, 0), (5, 3))
        self.assertEqual((keys, type), (list(ENTRIES), '"f8"'))
        self.assertEqual(struct.unpack("=3d", values), (5.0, 7.0, -0.0))
        self.assertEqual(get(self.path, "/net", (1, 0), (4, 2))[0], [(4, 0)])
        self.assertEqual(get(self.path, "/net", (1, 0), (0, 2))[0], [])

    def test_selections_of_selections(self):
        found = pystoa.sparse(self.path, "/net")
        self.assertEqual(found[1:5, -2:].shape, (4, 2))
        part = found[1:5][-1:, ...]
        self.assertEqual((part._start, part._count, part.shape), ((4, 0), (1, 3), (1, 3)))
        self.assertEqual(found[2:][-1]._start, (4, 0))
        self.assertEqual(found[9:2].shape, (0, 3))

    def test_wrong_selections_are_refused(self):
        found = pystoa.sparse(self.path, "/net")
        for key, error in ((5, IndexError), (-6, IndexError), ((0, 0, 0), IndexError), ((..., ...), IndexError),
                           (slice(0, 4, 2), ValueError), ([0, 1], TypeError), (True, TypeError),
                           ("a", TypeError), (1.5, TypeError), (None, TypeError)):  # fmt: skip
            with self.assertRaises(error, msg=repr(key)):
                found[key]

    def test_what_is_missing_is_refused(self):
        with self.assertRaises(FileNotFoundError):
            pystoa.sparse(str(self.dir / "none.h5"), "/net")
        with self.assertRaises(KeyError) as caught:
            pystoa.sparse(self.path, "nothing")
        self.assertEqual(caught.exception.where, f"{self.path}:/nothing")
        for name in ("/events", "/events/time"):
            with self.assertRaisesRegex(pystoa.LayoutError, f"h5:{name}: is no sparse array; pystoa.open"):
                pystoa.sparse(self.path, name)
        with self.assertRaisesRegex(pystoa.LayoutError, "not an HDF5 file"):
            pystoa.sparse(__file__, "/net")
        self.assertEqual(pystoa.open(self.path)["/net"].columns, ["row", "column", "value"])
        with self.assertRaisesRegex(pystoa.LayoutError, "is no table"):
            pystoa.open(self.path)["/events/time"]

    def test_a_file_that_changed_is_said(self):
        found = pystoa.sparse(self.path, "/net")
        put(self.path, "/net", {(0, 0): 1.0}, (2, 3), replace=True)
        with self.assertRaisesRegex(pystoa.RangeError, "dimension 0 ends at 2 now"):
            _pystoa.sparse_read(found.path, "/net", False, (0, 0), found.shape, None)
        put(self.path, "/net", {(0,): 1.0}, (2,), replace=True)
        with self.assertRaisesRegex(pystoa.RangeError, "1 dimensions now, not 2"):
            _pystoa.sparse_read(found.path, "/net", False, (0, 0), found.shape, None)

    def test_writing_is_whole_or_not_at_all(self):
        before = get(self.path, "/net", (0, 0), (5, 3))
        with self.assertRaises(FileExistsError):
            put(self.path, "/net", {(0, 0): 1.0}, (2, 3))
        with self.assertRaises(pystoa.RangeError):
            put(self.path, "/net", {(0, 0): 1.0, (2, 0): 1.0}, (2, 3), replace=True)
        with self.assertRaises(ZeroDivisionError):
            put(self.path, "/net", dict.fromkeys(((i, 0) for i in range(200_000)), 1.0), (200_000, 3),
                replace=True, progress=lambda *_: 1 / 0)  # fmt: skip
        with self.assertRaises(ValueError):
            put(self.path, "/events", {(0, 0): 1.0}, (2, 3), replace=True)
        with self.assertRaises(TypeError):
            put(self.path, "/x", {(0, 0): 1.0}, (2, 3), type="U4")
        with self.assertRaises(ValueError):
            put(self.path, "/x", {(0, 0): 1.0}, (2, 3), type="f4")
        with self.assertRaises(ValueError):
            put(self.path, "/x", {(0, 0): 1.0}, (2, 3), fill=b"1234")
        self.assertEqual(get(self.path, "/net", (0, 0), (5, 3)), before)
        self.assertEqual([found.path for found in pystoa.open(self.path).arrays], ["/net"])

    def test_types_are_those_of_the_file(self):
        for type, letter in (("i1", "b"), ("u2", "H"), ("i4", "i"), ("u8", "Q"), ("f4", "f"), ("f8", "d")):
            put(self.path, f"/{type}", {(3,): 1, (9,): 2}, (10,), type=type, letter=letter)
            self.assertEqual(get(self.path, f"/{type}", (0,), (10,)),
                             ([(3,), (9,)], struct.pack(f"=2{letter}", 1, 2), f'"{type}"'))  # fmt: skip
        _pystoa.sparse_write(self.path, "/b", "?", (4,), array.array("Q", [2]), b"\1", None, None, None, False, None)
        self.assertEqual(get(self.path, "/b", (0,), (4,)), ([(2,)], b"\1", '"?"'))

    def test_compounds_have_names_and_places(self):
        rows = self.put_text("rows.jsonl", '{"row": 0, "column": 1, "v": {"a": 1, "b \\"": 2.5}}\n')
        done = stoa_test.run(stoa_test.STOA, "import", rows, f"{self.path}:/c", "--sparse", "--shape", "2x2")
        self.assertEqual(done.returncode, 0, done.stderr)
        keys, values, type = get(self.path, "/c", (0, 0), (2, 2))
        self.assertEqual(keys, [(0, 1)])
        self.assertEqual(type, '{"names": ["a", "b \\u0022"], "offsets": [0, 8], "formats": ["i1", "f8"], '
                         '"itemsize": 16}')  # fmt: skip
        self.assertEqual(struct.unpack("=b7xd", values), (1, 2.5))

    def put_text(self, name, text):
        (self.dir / name).write_text(text)
        return self.dir / name

    def test_a_pickle_opens_it_anew(self):
        found = pickle.loads(pickle.dumps(pystoa.sparse(self.path, "/net")))
        self.assertEqual((found.shape, found.nnz, found.object), ((5, 3), 3, "/net"))

    def test_reads_keep_no_memory_and_no_ids(self):
        def cycle():
            pystoa.sparse(self.path, "/net")
            get(self.path, "/net", (0, 0), (5, 3))
            for place in ("/nothing", "/events"):
                try:
                    pystoa.sparse(self.path, place)
                except pystoa.Error:
                    pass

        for _ in range(50):
            cycle()
        gc.collect()
        before = _pystoa._open_ids(), resident()
        for _ in range(stoa_test.effort(500)):
            cycle()
        gc.collect()
        self.assertEqual(_pystoa._open_ids(), before[0])
        self.assertLess(resident() - before[1], 3 << 20)

    def test_progress_and_ctrl_c(self):
        n = 400_000
        put(self.path, "/long", dict.fromkeys(((i, i % 7) for i in range(n)), 1.0), (n, 10))
        seen = []
        keys, _, _ = get(self.path, "/long", (5, 0), (n - 5, 10), lambda *step: seen.append(step))
        self.assertEqual((len(keys), keys[0], keys[-1]), (n - 5, (5, 5), (n - 1, (n - 1) % 7)))
        self.assertEqual((seen[0][0], seen[0][2]), ("reading", n - 5))
        with self.assertRaises(KeyboardInterrupt):
            get(self.path, "/long", (0, 0), (n, 10), lambda *_: signal.raise_signal(signal.SIGINT))
        with self.assertRaises(ZeroDivisionError):
            get(self.path, "/long", (0, 0), (n, 10), lambda *_: 1 / 0)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    stoa_test.main()
