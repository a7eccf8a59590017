/* Local and fractal heaps to their bounds: src/hdf/format/heap.c. */
#include <stdlib.h>
#include <string.h>

#include "block_file.h"

static const stoa_superblock narrow = {.length_size = 4, .address_size = 4};

/* --- local ----------------------------------------------------------------------------------- */

enum { DATA = 128, ROOM = 512 };

/* The prefix of a heap of `size` bytes, whose free blocks begin at `first`. */
static void put_prefix(uint8_t file[ROOM], const stoa_superblock *how, uint64_t size,
                       uint64_t first)
{
    const unsigned length = how->length_size;

    memset(file, 0, ROOM);
    memcpy(file, "HEAP", 4);
    put(file + 8, size, length);
    put(file + 8 + length, first, length);
    put(file + 8 + 2 * (size_t)length, DATA, how->address_size);
}

static bool local_is_sound(const uint8_t file[ROOM], const stoa_superblock *how)
{
    return is_fit(file, ROOM, 0, 8 + 2 * (size_t)how->length_size + how->address_size, how, false);
}

/* Each takes up two lengths, so that so many of them lie in a heap and no more. */
static void as_many_blocks_are_free_as_there_is_room_for(void)
{
    const stoa_superblock *const hows[] = {&wide, &narrow};

    for (size_t i = 0; i < 2; i++) {
        const unsigned each = 2 * hows[i]->length_size;
        for (unsigned n_room = 1; n_room <= 6; n_room++) {
            for (unsigned n = 1; n <= 8; n++) { /* one after the other, the last ones twice */
                uint8_t file[ROOM];
                const uint64_t size = (uint64_t)n_room * each + each / 2;
                put_prefix(file, hows[i], size, 0);
                for (unsigned k = 0; k < n; k++) {
                    put(file + DATA + k * each, k + 1 == n ? 1 : (uint64_t)(k + 1) * each,
                        hows[i]->length_size);
                }
                /* A block begins before the end, or is none. */
                CHECK(local_is_sound(file, hows[i]) == (n <= n_room));
            }
        }
    }
}

static void a_free_block_begins_within_the_heap(void)
{
    uint8_t file[ROOM];

    for (uint64_t first = 0; first < 70; first += first == 0 ? 2 : 1) {
        put_prefix(file, &wide, 64, first);
        put(file + DATA + first, 1, 8);
        CHECK(local_is_sound(file, &wide) == (first < 64));
    }
    put_prefix(file, &wide, 64, 1); /* there is none */
    CHECK(local_is_sound(file, &wide));
    put_prefix(file, &wide, 0, 1);
    CHECK(local_is_sound(file, &wide));
    put_prefix(file, &wide, 15, 0); /* no room for one */
    put(file + DATA, 1, 8);
    CHECK(!local_is_sound(file, &wide));
}

/* The file bounds a heap that says to be larger, and addresses do not wrap around. */
static void a_heap_is_no_larger_than_its_file(void)
{
    uint8_t file[ROOM];

    put_prefix(file, &wide, UINT64_MAX, 0);
    CHECK(!local_is_sound(file, &wide)); /* round, to offset 0 */
    put_prefix(file, &wide, UINT64_MAX, INT64_MAX - DATA);
    CHECK(!local_is_sound(file, &wide)); /* offset 0, behind the end of every file */
    put_prefix(file, &wide, UINT64_MAX, UINT64_MAX - 1);
    CHECK(!local_is_sound(file, &wide));
    put_prefix(file, &wide, 64, 16);
    put(file + DATA + 16, 1, 8);
    put(file + 24, INT64_MAX - 15, 8);
    CHECK(!local_is_sound(file, &wide));
    put(file + 24, UINT64_MAX, 8);
    CHECK(!local_is_sound(file, &wide));
}

static void a_prefix_that_is_cut_short_says_nothing(void)
{
    uint8_t file[ROOM];

    put_prefix(file, &wide, 64, 64);
    for (size_t n = 8; n < 40; n++) {
        CHECK(is_fit(file, ROOM, 0, n, &wide, false) == (n < 32));
    }
    put_prefix(file, &narrow, 64, 64);
    for (size_t n = 8; n < 40; n++) {
        CHECK(is_fit(file, ROOM, 0, n, &narrow, false) == (n < 20));
    }
}

/* --- fractal --------------------------------------------------------------------------------- */

typedef struct fractal {
    uint64_t id_size, greatest, width, first, most, bits, first_rows, rows;
} fractal;

static const fractal good = {8, 4096, 4, 512, 65536, 40, 1, 0};

static bool fractal_is_sound(const fractal *f, const stoa_superblock *how, size_t cut)
{
    const unsigned length = how->length_size;
    const unsigned address = how->address_size;
    const size_t table = 14 + 10 * (size_t)length + 2 * (size_t)address;
    const size_t size = table + 2 + 2 * (size_t)length + 4 + address + 2;
    uint8_t file[400] = "FRHP";

    put(file + 5, f->id_size, 2);
    put(file + 10, f->greatest, 4);
    put(file + 14 + length, UINT64_MAX, address); /* no tree of huge objects */
    put(file + table, f->width, 2);
    put(file + table + 2, f->first, length);
    put(file + table + 2 + length, f->most, length);
    put(file + table + 2 + 2 * (size_t)length, f->bits, 2);
    put(file + table + 4 + 2 * (size_t)length, f->first_rows, 2);
    put(file + table + 6 + 2 * (size_t)length + address, f->rows, 2);
    return is_fit(file, sizeof file, 0, size - cut, how, false);
}

#define CHECK_FRACTAL(expected, field, value)                                                      \
    do {                                                                                           \
        for (int is_narrow = 0; is_narrow < 2; is_narrow++) {                                      \
            fractal f = good;                                                                      \
            f.field = (value);                                                                     \
            CHECK(fractal_is_sound(&f, is_narrow ? &narrow : &wide, 0) == (expected));             \
        }                                                                                          \
    } while (0)

static void sizes_of_a_fractal_heap_fit_each_other(void)
{
    CHECK_FRACTAL(true, width, 4);
    CHECK_FRACTAL(true, width, 1);
    CHECK_FRACTAL(false, width, 0);
    CHECK_FRACTAL(false, width, 6);
    CHECK_FRACTAL(true, first, 65536); /* as large as the greatest */
    CHECK_FRACTAL(false, first, 131072);
    CHECK_FRACTAL(false, first, 0);
    CHECK_FRACTAL(false, first, 513);
    CHECK_FRACTAL(true, most, 4096);
    CHECK_FRACTAL(false, most, 2048); /* less than the greatest object */
    CHECK_FRACTAL(false, most, 65537);
    CHECK_FRACTAL(true, most, UINT64_C(1) << 31);
    CHECK_FRACTAL(true, greatest, 65536);
    CHECK_FRACTAL(false, greatest, 65537);
    CHECK_FRACTAL(true, greatest, 0);
    CHECK_FRACTAL(true, bits, 11); /* 512 bytes times 4 */
    CHECK_FRACTAL(false, bits, 10);
    CHECK_FRACTAL(true, bits, 40); /* ids of a byte, a place of 5 bytes and a length of 2 */
    CHECK_FRACTAL(false, bits, 41);
    CHECK_FRACTAL(true, first_rows, 30); /* 40 - 9 - 2 + 1 */
    CHECK_FRACTAL(false, first_rows, 31);
    CHECK_FRACTAL(true, rows, 30);
    CHECK_FRACTAL(false, rows, 31);
    CHECK_FRACTAL(true, id_size, 8);
    CHECK_FRACTAL(false, id_size, 7);
    CHECK_FRACTAL(false, id_size, 9); /* libhdf5 has no room for it */
    CHECK_FRACTAL(false, id_size, 0);
    fractal f = good;
    f.most = UINT64_C(1) << 32;
    CHECK(!fractal_is_sound(&f, &wide, 0));
    f = good;
    f.greatest = 127;                           /* its length has one byte */
    for (f.bits = 33; f.bits <= 64; f.bits++) { /* bits are rounded up to bytes */
        CHECK(fractal_is_sound(&f, &wide, 0) == (f.bits <= 48));
    }
}

static void a_fractal_heap_that_is_cut_short_says_nothing(void)
{
    fractal f = good;

    f.width = 3;
    for (size_t cut = 0; cut < 60; cut++) {
        CHECK(fractal_is_sound(&f, &wide, cut) == (cut > 0));
        CHECK(fractal_is_sound(&f, &narrow, cut) == (cut > 0));
    }
}

/* Trees of huge objects are of kinds 1 to 4. */
static void a_tree_of_huge_objects_is_one(void)
{
    for (uint64_t kind = 0; kind < 8; kind++) {
        uint8_t file[400] = "FRHP";
        const size_t table = 14 + 10 * 8 + 2 * 8;
        put(file + 5, 8, 2);
        put(file + 10, 4096, 4);
        put(file + 22, 300, 8);
        put(file + table, 4, 2);
        put(file + table + 2, 512, 8);
        put(file + table + 10, 65536, 8);
        put(file + table + 18, 40, 2);
        put(file + table + 20, 1, 2);
        memcpy(file + 300, "BTHD\0", 5);
        file[305] = (uint8_t)kind;
        CHECK(is_fit(file, sizeof file, 0, 146, &wide, false) == (kind >= 1 && kind <= 4));
    }
}

/* --- global ---------------------------------------------------------------------------------- */

/* Sizes are padded to eight; the last object may end with the heap. */
static void objects_of_every_size_are_padded(void)
{
    for (uint64_t size = 0; size < 40; size++) {
        uint8_t file[256] = "GCOL\1";
        const uint64_t padded = (size + 7) / 8 * 8;
        put(file + 8, 16 + 16 + padded + 16, 8);
        put(file + 16, 1, 2);
        put(file + 24, size, 8);
        put(file + 16 + 16 + padded, 0, 2); /* what is left: a header alone */
        put(file + 16 + 16 + padded + 8, 16, 8);
        CHECK(is_fit(file, sizeof file, 0, sizeof file, &wide, true));
        put(file + 16 + 16 + padded + 8, 0, 8); /* round */
        CHECK(!is_fit(file, sizeof file, 0, sizeof file, &wide, true));
        put(file + 8, 16 + 16 + padded, 8); /* it ends with the heap */
        CHECK(is_fit(file, sizeof file, 0, sizeof file, &wide, true));
        put(file + 8, 16 + 16 + padded - (size > 0 ? 1 : 0), 8);
        CHECK(is_fit(file, sizeof file, 0, sizeof file, &wide, true) == (size == 0));
    }
}

TEST_MAIN(TEST(as_many_blocks_are_free_as_there_is_room_for),
          TEST(a_free_block_begins_within_the_heap), TEST(a_heap_is_no_larger_than_its_file),
          TEST(a_prefix_that_is_cut_short_says_nothing),
          TEST(sizes_of_a_fractal_heap_fit_each_other),
          TEST(a_fractal_heap_that_is_cut_short_says_nothing), TEST(a_tree_of_huge_objects_is_one),
          TEST(objects_of_every_size_are_padded))
