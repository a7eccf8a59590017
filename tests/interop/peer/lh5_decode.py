"""LEGEND's two waveform codecs undone, from the description of their streams (LH5 notes §6)."""

import numpy as np


def uleb128_zigzag_diff(data, n, shift):
    samples, before, number, place = [], 0, 0, 0
    for byte in data:
        number |= (byte & 127) << place
        place += 7
        if byte < 128:
            step = number // 2 if number % 2 == 0 else -(number // 2) - 1
            before = (before + step + 2**31) % 2**32 - 2**31
            samples.append(before)
            number = place = 0
    return samples


def signed(word):
    return word - 65536 if word > 32767 else word


def fields(words, count, width):
    """`count` numbers of `width` bits, the highest bit of a word first."""
    bits = "".join(format(word, "016b") for word in words)
    return [int(bits[i * width : (i + 1) * width], 2) for i in range(count)]


def radware_sigcompress(data, n, shift):
    words = [data[i] * 256 + data[i + 1] for i in range(0, len(data) - 1, 2)]
    samples, at = [], 1
    while len(samples) < words[0]:
        count, width = words[at], words[at + 1]
        in_steps = width > 32
        width -= 32 if in_steps else 0
        head = 4 if in_steps else 3
        n_fields = count - 1 if in_steps else count
        n_words = (n_fields * width + 15) // 16
        found = fields(words[at + head : at + head + n_words], n_fields, width)
        if in_steps:
            value, low = signed(words[at + 2]), signed(words[at + 3])
            samples.append(value)
            for field in found:
                value = signed((value + field + low) % 65536)
                samples.append(value)
        else:
            samples += [signed((field + words[at + 2]) % 65536) for field in found]
        at += head + n_words
    return [sample - shift for sample in samples]


CODECS = {"uleb128_zigzag_diff": uleb128_zigzag_diff, "radware_sigcompress": radware_sigcompress}


def rows_of(node):
    """Rows of an encoded array as lists."""
    ends = node["encoded_data/cumulative_length"][()].astype(int)
    data = node["encoded_data/flattened_data"][()].tobytes()
    sizes = np.broadcast_to(node["decoded_size"][()], len(ends))
    shift = int(node.attrs.get("codec_shift", 0))
    decode = CODECS[node.attrs["codec"]]
    begins = [0, *ends[:-1]] if len(ends) else []
    rows = [decode(data[a:b], int(n), shift) for a, b, n in zip(begins, ends, sizes, strict=True)]
    assert [len(row) for row in rows] == sizes.tolist()
    return rows
