"""What Python does in bench/lh5, run in the peers' environment: h5py, numpy, and codecs compiled by numba.

    in_lh5.py make WAVEFORMS ROWS | ask uleb128|radware|vectors|hits|plain_vectors|plain_hits

`make` writes raw.lh5 and hit.lh5 as LEGEND's Python package does, and plain.lh5, which is hit.lh5
without filters: so are the experiment's files of 2023 (period 3). `ask` does what that package does
to read them: whole datasets by h5py, packed waveforms as a matrix with rows filled up by 0, unpacked
row by row into a matrix of int32. It prints its answer; the last line on stderr is the time that
took, the file being open, everything compiled and in memory.
"""

import sys
import time

import h5py
import numba
import numpy as np

SAMPLES = 1400
SHIFT = -32768
PACKED = {"compression": "gzip", "compression_opts": 4, "shuffle": True}
PLAIN = {"chunks": True}


# --- the codecs ----------------------------------------------------------------------------------


@numba.njit
def pack_uleb128(samples, out):
    at, before = 0, np.int32(0)
    for sample in samples:
        step = np.int64(sample) - np.int64(before)
        left = 2 * step if step >= 0 else -2 * step - 1
        while left > 127:
            out[at] = left & 127 | 128
            left >>= 7
            at += 1
        out[at] = left
        at += 1
        before = sample
    return at


@numba.njit
def unpack_uleb128(packed, out):
    at, total = 0, np.int32(0)
    for i in range(out.size):
        number, place = np.uint32(0), np.uint32(0)
        while True:
            byte = np.uint32(packed[at])
            at += 1
            number |= (byte & np.uint32(127)) << place
            if byte < 128:
                break
            place += np.uint32(7)
        total += np.int32(number >> np.uint32(1)) ^ -np.int32(number & np.uint32(1))
        out[i] = total


@numba.njit
def put_word(out, at, word):
    out[2 * at] = word >> 8 & 255
    out[2 * at + 1] = word & 255
    return at + 1


@numba.njit
def block_of(values, begin):
    """How the block at `begin` is packed: its end, bits a field, whether of steps, the least."""
    end = min(begin + 48, values.size)
    low, high = values[begin], values[begin]
    step_low, step_high = 16000, -16000
    for i in range(begin + 1, end):
        step = values[i] - values[i - 1]
        low, high = min(low, values[i]), max(high, values[i])
        step_low, step_high = min(step_low, step), max(step_high, step)
    by_steps = high - low > step_high - step_low
    if by_steps:
        low, high = step_low, step_high
    bits = 2
    while 2**bits - 1 < high - low:
        bits += 1
    while end < min(values.size, begin + 128):
        value = values[end] - values[end - 1] if by_steps else values[end]
        if max(high, value) - min(low, value) > 2**bits - 1:
            break
        low, high = min(low, value), max(high, value)
        end += 1
    return end, bits, by_steps, low


@numba.njit
def pack_radware(samples, out):
    values = samples.astype(np.int64) + SHIFT
    at, begin = put_word(out, 0, values.size), 0
    while begin < values.size:
        end, bits, by_steps, low = block_of(values, begin)
        at = put_word(out, at, end - begin)
        at = put_word(out, at, bits + 32 if by_steps else bits)
        if by_steps:
            at = put_word(out, at, values[begin])
        at = put_word(out, at, low)
        held, n_held = 0, 0
        for i in range(begin + 1 if by_steps else begin, end):
            held = held << bits | (values[i] - (values[i - 1] if by_steps else 0) - low)
            n_held += bits
            if n_held >= 16:
                n_held -= 16
                at = put_word(out, at, held >> n_held)
                held &= (1 << n_held) - 1
        if n_held > 0:
            at = put_word(out, at, held << (16 - n_held))
        begin = end
    return 2 * (put_word(out, at, 0) if at % 2 else at)


@numba.njit
def word_at(packed, at):
    return np.int32(packed[2 * at]) << 8 | np.int32(packed[2 * at + 1])


@numba.njit
def signed(word):
    return word - 65536 if word > 32767 else word


@numba.njit
def unpack_radware(packed, out):
    n, at, i = word_at(packed, 0), 1, 0
    while i < n:
        end, bits = i + word_at(packed, at), word_at(packed, at + 1)
        at += 2
        by_steps, value = bits >= 32, 0
        if by_steps:
            bits -= 32
            value = signed(word_at(packed, at))
            out[i] = value - SHIFT
            at += 1
            i += 1
        low = signed(word_at(packed, at))
        at += 1
        held, n_held, mask = np.uint32(0), 0, (1 << bits) - 1
        while i < end:
            if n_held < bits:
                held = held << np.uint32(16) | np.uint32(word_at(packed, at))
                at += 1
                n_held += 16
            n_held -= bits
            field = np.int32(held >> np.uint32(n_held)) & mask
            value = signed((value + low + field) & 65535) if by_steps else low + field
            out[i] = value - SHIFT
            i += 1


@numba.njit
def pack_rows(pack, samples, out, ends):
    at = 0
    for i in range(samples.shape[0]):
        at += pack(samples[i], out[at:])
        ends[i] = at


@numba.njit
def fill_up(packed, ends, out):
    begin = 0
    for i in range(out.shape[0]):
        out[i, : ends[i] - begin] = packed[begin : ends[i]]
        out[i, ends[i] - begin :] = 0
        begin = ends[i]


@numba.njit
def unpack_rows(unpack, packed, out):
    for i in range(out.shape[0]):
        unpack(packed[i], out[i])


# --- the files -----------------------------------------------------------------------------------


def put(group, name, values, datatype="array<1>{real}", packed=PACKED, **attributes):
    node = group.create_dataset(name, data=values, maxshape=(None, *values.shape[1:]), **packed)
    node.attrs.update(datatype=datatype, **attributes)


def group_of(parent, name, datatype, **attributes):
    group = parent.create_group(name)
    group.attrs.update(datatype=datatype, **attributes)
    return group


def put_packed(table, name, codec, pack, samples, **more):
    out, ends = np.zeros(samples.size * 3, "u1"), np.zeros(len(samples), "u4")
    pack_rows(pack, samples, out, ends)
    waveform = group_of(table, name, "table{dt,t0,values}")
    for what in ("dt", "t0"):
        put(waveform, what, np.full(len(samples), 16, "f4"), units="ns")
    kind = "array_of_encoded_equalsized_arrays<1,1>{real}"
    values = group_of(waveform, "values", kind, codec=codec, **more)
    data = group_of(values, "encoded_data", "array<1>{array<1>{real}}")
    put(data, "flattened_data", out[: ends[-1]], packed={"shuffle": True})
    put(data, "cumulative_length", ends)
    values["decoded_size"] = np.int64(SAMPLES)
    values["decoded_size"].attrs["datatype"] = "real"


def pulses(random, n):
    """Noise, a step after 400 samples, a slow decay."""
    since = np.maximum(np.arange(SAMPLES) - 400, 0)
    pulse = np.where(np.arange(SAMPLES) < 400, 0, 4000 * np.exp(-since / 3000))
    return (13700 + pulse + random.integers(0, 16, (n, SAMPLES))).astype("i4")


def make(n_waveforms, n_rows):
    random = np.random.default_rng(1)
    with h5py.File("raw.lh5", "w") as file:
        table = group_of(file, "raw", "table{w_radware,w_uleb128}")
        samples = pulses(random, n_waveforms)
        put_packed(table, "w_uleb128", "uleb128_zigzag_diff", pack_uleb128, samples)
        put_packed(table, "w_radware", "radware_sigcompress", pack_radware, samples,
                   codec_shift=float(SHIFT))  # fmt: skip
    for name, packed in (("hit.lh5", PACKED), ("plain.lh5", PLAIN)):
        with h5py.File(name, "w") as file:
            put_hits(file, n_rows, packed)


def put_hits(file, n_rows, packed):
    random = np.random.default_rng(2)
    table = group_of(file, "hit", "table{aoe,energies,energy,is_valid,timestamp}")
    times = 1.7e9 + np.cumsum(random.exponential(0.01, n_rows))
    put(table, "timestamp", times, packed=packed, units="s")
    put(table, "energy", random.exponential(500, n_rows), packed=packed, units="keV")
    put(table, "aoe", random.normal(0, 1, n_rows).astype("f4"), packed=packed)
    put(table, "is_valid", random.integers(0, 8, n_rows).astype("?").view("u1"), "array<1>{bool}",
        packed=packed)  # fmt: skip
    ends = np.cumsum(random.poisson(2, n_rows))
    energies = group_of(table, "energies", "array<1>{array<1>{real}}", units="keV")
    items = random.exponential(500, ends[-1]).astype("f4")
    put(energies, "flattened_data", items, packed=packed)
    put(energies, "cumulative_length", ends, packed=packed)


# --- the questions -------------------------------------------------------------------------------


def waveforms(file, name, unpack):
    values = file[f"raw/{name}/values"]
    ends = values["encoded_data/cumulative_length"][()]
    packed = np.empty((len(ends), np.diff(ends, prepend=np.uint32(0)).max()), "u1")
    fill_up(values["encoded_data/flattened_data"][()], ends, packed)
    out = np.empty((len(ends), values["decoded_size"][()]), "i4")
    unpack_rows(unpack, packed, out)
    return out


def vectors(file):
    node = file["hit/energies"]
    return node["flattened_data"][()][: node["cumulative_length"][()][-1]]


def hits(file):
    energy, is_valid = file["hit/energy"][()], file["hit/is_valid"][()].astype(bool)
    return energy[(energy > 2000) & is_valid]


QUESTIONS = {
    "uleb128": ("raw.lh5", lambda file: waveforms(file, "w_uleb128", unpack_uleb128)),
    "radware": ("raw.lh5", lambda file: waveforms(file, "w_radware", unpack_radware)),
    "vectors": ("hit.lh5", vectors),
    "hits": ("hit.lh5", hits),
    "plain_vectors": ("plain.lh5", vectors),
    "plain_hits": ("plain.lh5", hits),
}


def ask(what):
    name, question = QUESTIONS[what]
    with h5py.File(name) as file:
        answer = question(file)
        print(answer.size, answer.sum(dtype="f8" if answer.dtype.kind == "f" else "i8"))
        began = time.perf_counter()
        question(file)
        print(time.perf_counter() - began, file=sys.stderr)


make(*map(int, sys.argv[2:])) if sys.argv[1] == "make" else ask(sys.argv[2])
