/*
 * How a file is changed: in place, because HDF5 refers to everything by address.
 *
 * Most of a young file is empty space, which is not worth changing; its values are small numbers,
 * sizes and addresses, so that what stands elsewhere in the file is a better guess than anything
 * random.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t n, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t max, unsigned seed);

static uint64_t state;

/* splitmix64 */
static uint64_t any(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static size_t below(size_t n)
{
    return (size_t)(any() % n);
}

/* A place that is worth changing: on or near what is not zero. */
static size_t somewhere(const uint8_t *bytes, size_t n)
{
    const size_t start = below(n);
    size_t at = start;

    while (at < n && bytes[at] == 0) {
        at++;
    }
    at += below(2) == 0 ? 0 : below(64);
    return at < n ? at : start;
}

static void put(uint8_t *bytes, size_t n, size_t at, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width && at + i < n; i++) {
        bytes[at + i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t telling_value(size_t n)
{
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      3,
                                      4,
                                      7,
                                      8,
                                      16,
                                      0x7f,
                                      0x80,
                                      0xff,
                                      0x7fff,
                                      0x8000,
                                      0xffff,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      UINT64_C(1) << 32,
                                      1ull << 40,
                                      1ull << 62,
                                      INT64_MAX,
                                      UINT64_C(1) << 63,
                                      UINT64_MAX - 1,
                                      UINT64_MAX};
    const size_t n_values = sizeof values / sizeof values[0];

    return below(8) == 0 ? below(n + 16) : values[below(n_values)];
}

/* HDF5's blocks. Behind a signature stand a version and a kind, then sizes, counts and addresses.
 */
static const char signatures[][5] = {"OHDR", "OCHK", "BTHD", "BTIN", "BTLF",   "FRHP",
                                     "FHDB", "FHIB", "FSHD", "FSSE", "EAHD",   "EAIB",
                                     "EASB", "EADB", "FAHD", "FADB", "GCOL",   "HEAP",
                                     "TREE", "SNOD", "SMTB", "SMLI", "\211HDF"};

enum { N_SIGNATURES = sizeof signatures / sizeof signatures[0], SIGNATURE = 4, HEADER = 40 };

static bool is_signature(const uint8_t *bytes)
{
    for (size_t i = 0; i < N_SIGNATURES; i++) {
        if (bytes[0] == (uint8_t)signatures[i][0] && memcmp(bytes, signatures[i], SIGNATURE) == 0) {
            return true;
        }
    }
    return false;
}

/* A block, the first at a place taken by chance or behind it; n if there is none. */
static size_t some_block(const uint8_t *bytes, size_t n)
{
    size_t at = below(n);

    for (size_t i = 0; i < n; i++, at++) {
        at = at == n ? 0 : at;
        if (n - at >= SIGNATURE && is_signature(bytes + at)) {
            return at;
        }
    }
    return n;
}

/* The header of a block: its kind, its version, one of its numbers; or it becomes another one. */
static void change_block(uint8_t *bytes, size_t n)
{
    static const size_t widths[] = {1, 2, 4, 8};
    const size_t at = some_block(bytes, n);
    const size_t other = some_block(bytes, n);
    const size_t room = n - (at > other ? at : other);

    if (at == n) {
        return;
    }
    switch (below(8)) {
    case 0:
        memcpy(bytes + at, signatures[below(N_SIGNATURES)], SIGNATURE);
        break;
    case 1:
        memmove(bytes + at, bytes + other,
                below(2) == 0   ? SIGNATURE
                : room < HEADER ? room
                                : HEADER);
        break;
    case 2:
    case 3: /* version and kind */
        put(bytes, n, at + SIGNATURE + below(2), below(16), 1);
        break;
    default:
        put(bytes, n, at + SIGNATURE + below(HEADER), below(2) == 0 ? telling_value(n) : other,
            widths[below(4)]);
        break;
    }
}

static void change_once(uint8_t *bytes, size_t n)
{
    static const size_t widths[] = {1, 2, 4, 8};
    const size_t width = widths[below(4)];
    const size_t at = somewhere(bytes, n);
    const size_t from = somewhere(bytes, n);
    const size_t room = n - (at > from ? at : from);
    const size_t length = 1 + below(room < 64 ? room : 64);

    switch (below(10)) {
    case 0:
        bytes[at] = (uint8_t)any();
        break;
    case 1:
        bytes[at] ^= (uint8_t)(1u << below(8));
        break;
    case 2:
    case 3:
        bytes[at] = (uint8_t)(bytes[at] + below(9) - 4);
        break;
    case 4:
        put(bytes, n, at, telling_value(n), width);
        break;
    case 5: /* what stands elsewhere: an address, a size, a version */
        memmove(bytes + at, bytes + from, room < width ? room : width);
        break;
    case 6: /* a whole message, or an element */
        memmove(bytes + at, bytes + from, length);
        break;
    case 7:
    case 8:
        change_block(bytes, n);
        break;
    default:
        memset(bytes + at, (int)(below(2) * 0xff), length < 16 ? length : 16);
        break;
    }
}

/* Bytes behind the file, which choose what is done with it. */
#ifndef FUZZ_TAIL
#define FUZZ_TAIL 0
#endif

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t max, unsigned seed)
{
    state = seed;
    if (n <= FUZZ_TAIL || (FUZZ_TAIL == 0 && below(32) == 0)) {
        return LLVMFuzzerMutate(bytes, n, max);
    }
    n -= FUZZ_TAIL;
    for (size_t i = 0; i < FUZZ_TAIL; i++) {
        bytes[n + i] = (uint8_t)(below(4) == 0 ? any() : bytes[n + i]);
    }
    for (size_t i = 1 + below(below(4) == 0 ? 8 : 3); i > 0; i--) {
        change_once(bytes, n);
    }
    if (below(64) == 0) { /* a file that was cut */
        const size_t cut = below(n / 4 + 1);
        memmove(bytes + n - cut, bytes + n, FUZZ_TAIL);
        n -= cut;
    }
    return n + FUZZ_TAIL;
}
