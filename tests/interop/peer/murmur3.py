"""MurmurHash3_x64_128, after A. Appleby's published algorithm (SMHasher)."""

_MASK = (1 << 64) - 1
_C1, _C2 = 0x87C37B91114253D5, 0x4CF5AD432745937F


def _turned(x, r):
    return (x << r | x >> 64 - r) & _MASK


def _mixed(k):
    k = (k ^ k >> 33) * 0xFF51AFD7ED558CCD & _MASK
    k = (k ^ k >> 33) * 0xC4CEB9FE1A85EC53 & _MASK
    return k ^ k >> 33


def _scrambled(k, first, r, second):
    return _turned(k * first & _MASK, r) * second & _MASK


def x64_128(data, seed=0):
    """(h1, h2), the first and the last eight bytes of the digest as the reference stores them."""
    h1 = h2 = seed
    n = len(data)
    for i in range(0, n - n % 16, 16):
        k1 = int.from_bytes(data[i : i + 8], "little")
        k2 = int.from_bytes(data[i + 8 : i + 16], "little")
        h1 ^= _scrambled(k1, _C1, 31, _C2)
        h1 = (_turned(h1, 27) + h2) * 5 + 0x52DCE729 & _MASK
        h2 ^= _scrambled(k2, _C2, 33, _C1)
        h2 = (_turned(h2, 31) + h1) * 5 + 0x38495AB5 & _MASK
    rest = data[n - n % 16 :]
    h2 ^= _scrambled(int.from_bytes(rest[8:], "little"), _C2, 33, _C1)
    h1 ^= _scrambled(int.from_bytes(rest[:8], "little"), _C1, 31, _C2)
    h1, h2 = h1 ^ n, h2 ^ n
    h1 = h1 + h2 & _MASK
    h2 = h2 + h1 & _MASK
    h1, h2 = _mixed(h1), _mixed(h2)
    h1 = h1 + h2 & _MASK
    return h1, h2 + h1 & _MASK


# Published digests, printed as h1 then h2.
_FOX = b"The quick brown fox jumps over the lazy dog"
assert x64_128(b"") == (0, 0)
assert x64_128(_FOX) == (0xE34BBC7BBC071B6C, 0x7A433CA9C49A9347)
