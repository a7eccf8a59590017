"""Structured chunks read by a second implementation, made from docs/sparse-format.md alone: files for Stoa
to make arrays of, and what of these is not as it was written:

write | compare FILE"""

import itertools
import json
import struct
import sys
import zlib

import h5py
import numpy as np

EXTENT = (50, 70)
WORDS = ["", "a", "bc", "δέ", "a longer one, to be packed"]
SHUFFLE, DEFLATE = 2, 1

# --- docs/sparse-format.md §1 to §4 ----------------------------------------------------------------


class Reader:
    def __init__(self, bytes_):
        self.bytes = bytes_
        self.at = 0

    def take(self, n):
        assert n <= len(self.bytes) - self.at, "the end is missing"
        self.at += n
        return self.bytes[self.at - n : self.at]

    def u32(self):
        return struct.unpack("<I", self.take(4))[0]

    def varint(self):
        value, shift = 0, 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value


class Format:
    """§2"""

    def __init__(self, words):
        words = iter(words)
        flags = next(words)
        assert flags & 255 == 1 and flags >> 11 & 1, "another version, or a list not used yet"
        self.is_sparse = flags >> 8 & 1
        self.has_heap = flags >> 9 & 1
        self.has_fill_in_chunks = flags >> 13 & 1
        self.filters = []
        for _ in range(3 if self.has_heap else 2):
            section = []
            for _ in range(next(words)):
                head = next(words)
                section.append((head & 0xFFFF, [next(words) for _ in range(head >> 24)]))
            self.filters.append(section)
        self.size, self.n = next(words), next(words)
        self.slots, self.slot_size = [], 0
        if self.has_heap:
            head = next(words)
            self.slot_size = head >> 16
            self.slots = [next(words) for _ in range(head & 0xFFFF)]
        # in section 1 a slot is 4 bytes
        self.value_size = self.size - len(self.slots) * (self.slot_size - 4)


def undo(filters, mask, size, stored, n):
    for i, (number, _) in reversed(list(enumerate(filters))):
        if mask >> i & 1:
            continue
        if number == DEFLATE:
            stored = zlib.decompress(stored)
        else:
            assert number == SHUFFLE, "a filter that the test does not ask for"
            stored = np.frombuffer(stored, "u1").reshape(size, -1).T.tobytes()
    assert len(stored) == n, "a section is of another size than its header says"
    return stored


def bits_of(bytes_):
    return [byte >> i & 1 for byte in bytes_ for i in range(8)]


def gaps(reader, n):
    k = reader.take(1)[0]
    lows = bits_of(reader.take((n * k + 7) // 8))
    highs = iter(bits_of(reader.bytes[reader.at :]))
    next_ = 0
    for i in range(n):
        quotient = sum(1 for _ in itertools.takewhile(lambda bit: bit == 0, highs))
        low = sum(bit << j for j, bit in enumerate(lows[i * k : (i + 1) * k]))
        next_ += (quotient << k) + low + 1
        yield next_ - 1


def runs(reader):
    at = 0
    for i in range(reader.varint()):
        at += reader.varint() + (i > 0)
        length = reader.varint() + 1
        yield from range(at, at + length)
        at += length


def positions(section, n, n_elements):
    """§4; the byte, and the elements."""
    if not section:
        return 0, []
    reader = Reader(section)
    form = reader.take(1)[0]
    if form == 1:
        return form, list(range(n_elements))
    if form == 2:
        return form, list(runs(reader))
    if form == 3:
        return form, list(gaps(reader, n))
    if form == 4:
        holes = set(gaps(reader, n_elements - n))
        return form, [i for i in range(n_elements) if i not in holes]
    assert form == 5, "a form that there is not"
    return form, [i for i, bit in enumerate(bits_of(section[1:])[:n_elements]) if bit]


def strings(values, heap):
    """Of elements that are a string each."""
    reader = Reader(heap)
    for (length,) in struct.iter_unpack("<I", values):
        yield None if length == 0 else reader.take(length - 1).decode()
    assert reader.at == len(heap), "bytes that belong to nobody"


def read_chunk(form, bytes_):
    """§3; the form of positions, these, and the values' bytes, or strings."""
    reader = Reader(bytes_)
    assert reader.take(4) == b"SCH\1"
    flags = reader.take(1)[0]
    assert flags in (0, 4), "a fill value, or a section elsewhere"
    assert reader.varint() == form.n
    n = reader.varint()
    heads = [[reader.varint() for _ in range(3)] for _ in form.filters]
    assert not form.has_fill_in_chunks
    header = reader.bytes[: reader.at]
    sums = [reader.u32() for _ in heads[: None if flags & 4 else -1]]
    stored = [reader.take(head[0]) for head in heads]
    assert reader.at == len(bytes_), "something follows"
    assert zlib.crc32(header + stored[0]) == sums[0]
    assert all(zlib.crc32(part) == sum for part, sum in zip(stored[1:], sums[1:]))
    sizes = (1, form.value_size, 1)
    sections = [
        undo(filters, mask, size, part, n_before) if part else b""
        for filters, (_, n_before, mask), size, part in zip(form.filters, heads, sizes, stored)
    ]
    which, at = positions(sections[0], n, form.n)
    assert len(at) == n
    return which, at, list(strings(*sections[1:])) if form.has_heap else sections[1]


def read(dataset):
    """{coordinates: value} of what is defined, and which forms positions had."""
    number, _, words, _ = dataset.id.get_create_plist().get_filter(0)
    form = Format(words)
    found, forms = {}, set()
    for i in range(dataset.id.get_num_chunks()):
        offset = dataset.id.get_chunk_info(i).chunk_offset
        mask, bytes_ = dataset.id.read_direct_chunk(offset)
        assert mask == 0
        which, at, values = read_chunk(form, bytes_)
        forms.add(which)
        if not form.has_heap:
            values = np.frombuffer(values, dataset.dtype).tolist()
        inside = [np.add(offset, np.unravel_index(p, dataset.chunks)) for p in at]
        found.update(zip((tuple(map(int, c)) for c in inside), values))
    return found, forms


# --- what is to be found ---------------------------------------------------------------------------


def masks():
    rng = np.random.default_rng(11)
    whole = np.ones(EXTENT, bool)
    blocks = np.kron(rng.random((10, 7)) < 0.3, np.ones((5, 10), bool)) > 0
    yield "gaps", rng.random(EXTENT) < 0.08
    yield "runs", blocks
    yield "bitmap", rng.random(EXTENT) < 0.5
    yield "holes", rng.random(EXTENT) < 0.93
    yield "all", whole


def expected():
    """(name, {coordinates: value})"""
    rng = np.random.default_rng(12)
    for name, mask in masks():
        at = [tuple(map(int, c)) for c in np.argwhere(mask)]
        yield name, dict(zip(at, rng.integers(-1000, 1000, len(at)).tolist()))


def words():
    rng = np.random.default_rng(13)
    return [[WORDS[i] for i in row] for row in rng.integers(0, len(WORDS), (20, 30))]


def write():
    for name, elements in expected():
        with open(f"{name}.csv", "w") as out:
            out.write("i,j,x\n")
            out.writelines(f"{i},{j},{x}\n" for (i, j), x in elements.items())
        print(name)
    with h5py.File("dense.h5", "w") as file:
        file.create_dataset("words", data=np.array(words(), object), dtype=h5py.string_dtype(),
                            chunks=(10, 10))  # fmt: skip


def compare(name):
    forms = {}
    with h5py.File(name) as file:
        for pattern, elements in expected() if "words" not in file else ():
            for codec in file[pattern]:
                found, seen = read(file[pattern][codec])
                forms.setdefault(pattern, set()).update(seen)
                if found != elements:
                    print(f"{pattern}/{codec}: other elements")
        if "words" in file:
            found, _ = read(file["words"])
            if found != {(i, j): w for i, row in enumerate(words()) for j, w in enumerate(row)}:
                print("words: other elements")
    print(json.dumps({pattern: sorted(seen) for pattern, seen in forms.items()}))


{"write": write, "compare": compare}[sys.argv[1]](*sys.argv[2:])
