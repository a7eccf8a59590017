"""LEGEND's two waveform codecs, written once more from the description of their streams.

    lh5_codecs.py ROWS.json

encodes {"codec": ..., "shift": ..., "rows": [[...], ...]} of a file, and prints the rows in hexadecimal.
"""

import json
import sys


def wrapped(value, bits):
    half = 1 << (bits - 1)
    return (value + half) % (1 << bits) - half


def uleb128_zigzag_diff(samples, shift=0):
    out = bytearray()
    before = 0
    for sample in samples:
        step = wrapped(sample - before, 32)
        number = 2 * step if step >= 0 else -2 * step - 1
        while number > 127:
            out.append(number % 128 + 128)
            number //= 128
        out.append(number)
        before = sample
    return bytes(out)


def width_of(span):
    width = 2
    while 2**width - 1 < span:
        width += 1
    return width


def sigcompress_block(values, at):
    """Words of the block that begins at sample `at`, and where the next one begins."""
    probed = values[at : at + 48]
    steps = [b - a for a, b in zip(probed, probed[1:], strict=False)]
    low, high = min(probed), max(probed)
    step_low, step_high = min([16000, *steps]), max([-16000, *steps])
    in_steps = not high - low <= step_high - step_low
    if in_steps:
        low, high = step_low, step_high
    width = width_of(high - low)
    end = at + len(probed)
    while end < min(len(values), at + 128):
        value = values[end] - values[end - 1] if in_steps else values[end]
        if max(high, value) - min(low, value) > 2**width - 1:
            break
        low, high = min(low, value), max(high, value)
        end += 1
    if in_steps:
        head = [end - at, width + 32, values[at] & 0xFFFF, low & 0xFFFF]
        fields = [values[i] - values[i - 1] - low for i in range(at + 1, end)]
    else:
        head = [end - at, width, low & 0xFFFF]
        fields = [value - low for value in values[at:end]]
    bits = "".join(format(field, f"0{width}b") for field in fields)
    bits += "0" * (-len(bits) % 16)
    return head + [int(bits[i : i + 16], 2) for i in range(0, len(bits), 16)], end


def radware_sigcompress(samples, shift=0):
    values = [wrapped(sample + shift, 16) for sample in samples]
    words = [len(values)]
    at = 0
    while at < len(values):
        block, at = sigcompress_block(values, at)
        words += block
    if len(words) % 2:
        words.append(0)
    return b"".join(word.to_bytes(2, "big") for word in words)


CODECS = {
    "uleb128_zigzag_diff": uleb128_zigzag_diff,
    "radware_sigcompress": radware_sigcompress,
}

if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        wanted = json.load(file)
    for row in wanted["rows"]:
        print(CODECS[wanted["codec"]](row, wanted["shift"]).hex())
