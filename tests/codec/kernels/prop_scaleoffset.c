/*
 * The scale-offset filter over all sizes, widths, signs, byte orders and fills: what libhdf5 stores
 * is decoded, what is encoded is what libhdf5 stores and reads; all instruction sets give the same
 * bits; damaged chunks harm nothing outside of the chunk.
 */
#include "codec/so_kit.h"

#include <stdio.h>
#include <stdlib.h>

#include "codec/kernels/scaleoffset_kernels.h"

enum { MAX_SMALL = 512, MOST = 1 << 17 };

/* Memory of one test. */
typedef struct arena {
    so_block values;
    so_block stored;
    so_block out;
} arena;

static arena arena_make(size_t n_values)
{
    return (arena){so_block_make(8 * n_values), so_block_make(8 * n_values + SO_HEADER + 1),
                   so_block_make(8 * n_values + SO_HEADER + 1)};
}

static void arena_free(arena *room)
{
    so_block_free(&room->values);
    so_block_free(&room->stored);
    so_block_free(&room->out);
}

static const char *say(const so_variety *variety, size_t n, stoa_simd simd)
{
    static char text[160];

    (void)snprintf(text, sizeof text, "size %u, %u bits, %s, %s, fill %s %llx, %zu values, simd %d",
                   variety->size, variety->bits, variety->is_signed ? "signed" : "unsigned",
                   variety->is_big_endian ? "big-endian" : "little-endian",
                   variety->has_fill ? "defined" : "undefined", (unsigned long long)variety->fill,
                   n, (int)simd);
    return text;
}

/* --- a filter of its own, as slow as can be -------------------------------------------------- */

/* Put the width and the bits of `values` into `stored`; 0 where they span the whole type. */
static size_t naive_encode(const so_variety *variety, const uint8_t *values, size_t n,
                           uint8_t *stored)
{
    const unsigned n_bits = 8 * variety->size;
    const uint64_t sign = variety->is_signed ? UINT64_C(1) << (n_bits - 1) : 0;
    uint64_t least = UINT64_MAX;
    uint64_t greatest = 0;
    unsigned width = 0;

    for (size_t i = 0; i < n; i++) {
        const uint64_t x = so_get(variety, values, i);
        if (!variety->has_fill || x != variety->fill) {
            least = (x ^ sign) < least ? x ^ sign : least;
            greatest = (x ^ sign) > greatest ? x ^ sign : greatest;
        }
    }
    uint64_t base = least == UINT64_MAX && greatest == 0 ? 0 : least ^ sign;
    const uint64_t span = least > greatest ? 0 : greatest - least;
    while (width < 64 && (UINT64_C(1) << width) - 1 < span + (variety->has_fill ? 1 : 0)) {
        width++;
    }
    if (width >= n_bits || span >= (UINT64_MAX >> (64 - n_bits)) - 1) {
        return 0;
    }
    if ((base & sign) != 0 && n_bits < 64) {
        base |= UINT64_MAX << n_bits;
    }
    const size_t n_stored = SO_HEADER + n * width / 8 + 1;
    memset(stored, 0, n_stored);
    stored[0] = (uint8_t)width;
    stored[4] = 8;
    for (int i = 0; i < 8; i++) {
        stored[5 + i] = (uint8_t)(base >> (8 * i));
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = so_get(variety, values, i);
        const uint64_t code = variety->has_fill && x == variety->fill ? UINT64_MAX : x - base;
        for (unsigned j = 0; j < width; j++) {
            const size_t at = i * width + j;
            stored[SO_HEADER + at / 8] |= (uint8_t)((code >> (width - 1 - j) & 1) << (7 - at % 8));
        }
    }
    return n_stored;
}

/* --- all of it, by each instruction set ------------------------------------------------------ */

/* Choose some of the values, or many, and no others. */
static void chooses(const arena *room, const stoa_scaleoffset *so, const so_variety *variety,
                    const uint8_t *stored, size_t n_stored, const uint8_t *values)
{
    const uint64_t first = check_random_below(so->n + 1);
    const uint64_t count = check_random_below(so->n - first + 1);
    const uint64_t one_of = 1 + check_random_below(200);
    uint8_t *const bits = calloc(count / 8 + 1, 1);
    uint8_t *const wanted = malloc((size_t)count * so->size + 1);
    uint64_t n = 0;

    CHECK(bits != NULL && wanted != NULL);
    for (uint64_t i = 0; i < count; i++) {
        if (check_random_below(one_of) == 0) {
            bits[i / 8] |= (uint8_t)(1u << (i % 8));
            memcpy(wanted + n++ * so->size, values + (first + i) * so->size, so->size);
        }
    }
    bits[count / 8] |= (uint8_t)(0xffu << (count % 8)); /* those beyond are ignored */
    uint8_t *const chosen = so_block_end(&room->out, (size_t)n * so->size);
    if (!stoa_scaleoffset_choose(so, stored, n_stored, first, count, bits, n, chosen) ||
        memcmp(chosen, wanted, (size_t)n * so->size) != 0 ||
        !so_block_is_whole(&room->out, (size_t)n * so->size)) {
        FAIL("%llu of %llu not chosen from %llu on: %s", (unsigned long long)n,
             (unsigned long long)count, (unsigned long long)first,
             say(variety, (size_t)so->n, so->simd));
    }
    free(wanted);
    free(bits);
}

static void decodes(const arena *room, const stoa_scaleoffset *so, const so_variety *variety,
                    const uint8_t *stored, size_t n_stored, const uint8_t *values)
{
    const size_t n_bytes = (size_t)so->n * so->size;
    uint8_t *out = so_block_end(&room->out, n_bytes);

    if (!stoa_scaleoffset_decode(so, stored, n_stored, out) || memcmp(out, values, n_bytes) != 0 ||
        !so_block_is_whole(&room->out, n_bytes)) {
        FAIL("not decoded: %s", say(variety, (size_t)so->n, so->simd));
    }
    for (int i = 0; i < 4; i++) {
        const uint64_t first = check_random_below(so->n + 1);
        const uint64_t n = check_random_below(so->n - first + 1);
        uint8_t *picked = so_block_end(&room->out, (size_t)n * so->size);
        if (!stoa_scaleoffset_decode_range(so, stored, n_stored, first, n, picked) ||
            memcmp(picked, values + first * so->size, (size_t)n * so->size) != 0 ||
            !so_block_is_whole(&room->out, (size_t)n * so->size)) {
            FAIL("%llu not picked from %llu on: %s", (unsigned long long)n,
                 (unsigned long long)first, say(variety, (size_t)so->n, so->simd));
        }
        chooses(room, so, variety, stored, n_stored, values);
    }
}

static void encodes(const arena *room, const stoa_scaleoffset *so, const so_variety *variety,
                    const uint8_t *values, const uint8_t *stored, size_t n_stored)
{
    const size_t bound = stoa_scaleoffset_bound(so);
    uint8_t *out = so_block_end(&room->out, n_stored); /* not a byte more */

    if (n_stored > bound || stoa_scaleoffset_encode(so, values, out) != n_stored ||
        memcmp(out, stored, n_stored) != 0 || !so_block_is_whole(&room->out, n_stored)) {
        FAIL("not encoded: %s", say(variety, (size_t)so->n, so->simd));
    }
}

/* The loop alone writes the bits and no padding. */
static void packs(const arena *room, const stoa_scaleoffset *so, const so_variety *variety,
                  const uint8_t *values, const uint8_t *stored, size_t n_bits)
{
    const uint64_t least = so_get(&(so_variety){.size = 8}, stored + 5, 0);
    const bool swap = so->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    const stoa_so_code code = {so->size, stored[0], swap, so->has_fill, so->fill, least};
    uint8_t *out = so_block_end(&room->out, n_bits);

    stoa_so_kernels_of(so->simd)->pack(&code, values, so->n, out);
    if (memcmp(out, stored + SO_HEADER, n_bits) != 0 || !so_block_is_whole(&room->out, n_bits)) {
        FAIL("not packed: %s", say(variety, (size_t)so->n, so->simd));
    }
}

/* `n` random values over `width` bits: encoded as the naive filter does it, and decoded again. */
static void agrees(const arena *room, const so_variety *variety, unsigned width, size_t n)
{
    uint8_t *values = so_block_end(&room->values, n * variety->size);
    uint8_t expected[8 * MAX_SMALL + SO_HEADER + 1];

    so_random_values(variety, width, n, values);
    const size_t n_stored = naive_encode(variety, values, n, expected);
    /* without the padding */
    const size_t n_needed = n_stored == 0 ? 0 : SO_HEADER + (n * expected[0] + 7) / 8;
    uint8_t *stored = so_block_end(&room->stored, n_needed);
    memcpy(stored, expected, n_needed);
    for (int simd = 0; simd <= (int)stoa_simd_of_cpu(); simd++) {
        const stoa_scaleoffset so = so_of(variety, n, (stoa_simd)simd);
        encodes(room, &so, variety, values, expected, n_stored);
        if (n_stored > 0) {
            decodes(room, &so, variety, stored, n_needed, values);
        }
        if (n_stored > 0 && expected[0] > 0) {
            packs(room, &so, variety, values, expected, n_needed - SO_HEADER);
        }
    }
}

static so_variety variety_of(unsigned which, unsigned size)
{
    return (so_variety){.size = size,
                        .is_signed = (which & 1) != 0,
                        .is_big_endian = (which & 2) != 0,
                        .has_fill = (which & 4) != 0,
                        .fill = (which & 4) != 0 ? check_random() >> (64 - 8 * size) : 0};
}

static void every_size_and_width_is_packed_bit_by_bit(void)
{
    static const size_t lengths[] = {1, 2, 7, 8, 9, 31, 63, 64, 65, 127, 200};
    arena room = arena_make(MAX_SMALL);

    for (unsigned size = 1; size <= 8; size *= 2) {
        for (unsigned width = 0; width <= 8 * size; width++) {
            for (unsigned which = 0; which < 8; which++) {
                const so_variety variety = variety_of(which, size);
                for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
                    agrees(&room, &variety, width, lengths[i]);
                }
            }
        }
    }
    arena_free(&room);
}

static void every_length_is_packed_bit_by_bit(void)
{
    const uint64_t n_cases = check_n_cases(40);
    arena room = arena_make(MAX_SMALL);

    for (size_t n = 1; n <= 300; n++) {
        for (uint64_t i = 0; i < n_cases; i++) {
            const unsigned size = 1U << check_random_below(4);
            const so_variety variety = variety_of((unsigned)check_random_below(8), size);
            agrees(&room, &variety, (unsigned)check_random_below(8 * size + 1), n);
        }
    }
    arena_free(&room);
}

/* --- against libhdf5 ------------------------------------------------------------------------- */

/* Is the last byte of a chunk without bits, which libhdf5 leaves as it finds it, the only other? */
static bool same_chunk(const uint8_t *ours, const uint8_t *theirs, size_t n)
{
    return memcmp(ours, theirs, ours[0] == 0 ? SO_HEADER : n) == 0;
}

/* What is encoded must be `stored`, or nothing where libhdf5 saves nothing or loses bits. */
static void is_encoded_alike(const arena *room, const stoa_scaleoffset *so,
                             const so_variety *variety, const uint8_t *values,
                             const uint8_t *stored, size_t n_stored)
{
    uint8_t *out = so_block_end(&room->out, n_stored);
    const bool is_filtered = so->bits < 8 * so->size;
    const size_t n_ours = stoa_scaleoffset_encode(so, values, out);

    if (n_ours == 0) {
        CHECK(is_filtered && (so->bits != 0 || stored[0] == 8 * so->size));
        return;
    }
    CHECK(so_block_is_whole(&room->out, n_stored));
    if (n_ours != n_stored ||
        !(is_filtered ? same_chunk(out, stored, n_stored) : memcmp(out, values, n_stored) == 0)) {
        FAIL("not what libhdf5 stores: %s", say(variety, (size_t)so->n, so->simd));
    }
    decodes(room, so, variety, stored, n_stored, values);
}

/* libhdf5 reads what is encoded. */
static void is_read_back(const arena *room, hid_t dataset, const so_variety *variety, size_t n,
                         const uint8_t *values)
{
    const stoa_scaleoffset so = so_of(variety, n, stoa_simd_of_cpu());
    uint8_t *out = so_block_end(&room->out, stoa_scaleoffset_bound(&so));
    const size_t n_stored = stoa_scaleoffset_encode(&so, values, out);

    if (n_stored > 0) {
        so_store(dataset, out, n_stored);
        memset(out, 0x5a, n * variety->size);
        so_read(dataset, variety, out);
        CHECK_MEM(out, values, n * variety->size);
    }
}

static void as_libhdf5(const arena *room, hid_t file, const so_variety *variety, unsigned width,
                       size_t n)
{
    const size_t n_bytes = n * variety->size;
    const hid_t dataset = so_dataset(file, variety, n);
    const stoa_filter filter = so_filter(dataset);
    uint8_t *values = so_block_end(&room->values, n_bytes);
    uint8_t *chunk = malloc(n_bytes + SO_HEADER + 1);

    CHECK(chunk != NULL);
    so_random_values(variety, width, n, values);
    so_write(dataset, variety, values);
    const size_t n_stored = so_stored(dataset, chunk, n_bytes + SO_HEADER + 1);
    uint8_t *stored = so_block_end(&room->stored, n_stored);
    memcpy(stored, chunk, n_stored);
    free(chunk);
    for (int simd = 0; simd <= (int)stoa_simd_of_cpu(); simd++) {
        stoa_scaleoffset so;
        CHECK(stoa_scaleoffset_of(&filter, n_bytes, (stoa_simd)simd, &so));
        is_encoded_alike(room, &so, variety, values, stored, n_stored);
        if (variety->bits == 0) {
            decodes(room, &so, variety, stored, n_stored, values);
        }
    }
    is_read_back(room, dataset, variety, n, values);
    CHECK_H5(H5Dclose(dataset));
}

static void every_size_and_width_is_as_libhdf5_stores_it(void)
{
    arena room = arena_make(MAX_SMALL);
    hid_t file = so_file();

    for (unsigned size = 1; size <= 8; size *= 2) {
        for (unsigned width = 0; width <= 8 * size; width++) {
            for (unsigned which = 0; which < 8; which++) {
                const so_variety variety = variety_of(which, size);
                as_libhdf5(&room, file, &variety, width, 1 + check_random_below(300));
            }
        }
    }
    CHECK_H5(H5Fclose(file));
    arena_free(&room);
}

static void every_length_is_as_libhdf5_stores_it(void)
{
    arena room = arena_make(MAX_SMALL);
    hid_t file = so_file();

    for (size_t n = 1; n <= 200; n++) {
        for (uint64_t i = 0; i < check_n_cases(4); i++) {
            const unsigned size = 1U << check_random_below(4);
            const so_variety variety = variety_of((unsigned)check_random_below(8), size);
            as_libhdf5(&room, file, &variety, (unsigned)check_random_below(8 * size + 1), n);
        }
    }
    CHECK_H5(H5Fclose(file));
    arena_free(&room);
}

static void bits_that_were_asked_for_are_as_libhdf5_stores_them(void)
{
    arena room = arena_make(MAX_SMALL);
    hid_t file = so_file();

    for (unsigned size = 1; size <= 8; size *= 2) {
        for (unsigned bits = 1; bits <= 8 * size; bits++) {
            so_variety variety = variety_of((unsigned)check_random_below(8), size);
            variety.bits = bits;
            as_libhdf5(&room, file, &variety, (unsigned)check_random_below(bits),
                       1 + check_random_below(100));
        }
    }
    CHECK_H5(H5Fclose(file));
    arena_free(&room);
}

static void large_chunks_are_as_libhdf5_stores_them(void)
{
    arena room = arena_make(MOST);
    hid_t file = so_file();

    for (uint64_t i = 0; i < check_n_cases(8); i++) {
        const unsigned size = 1U << i % 4;
        const so_variety variety = variety_of((unsigned)check_random_below(8), size);
        as_libhdf5(&room, file, &variety, (unsigned)check_random_below(UINT64_C(8) * size),
                   i < 4 ? MOST : 1 + check_random_below(MOST));
    }
    CHECK_H5(H5Fclose(file));
    arena_free(&room);
}

/* A chunk of nothing but fills, and one of a single value. */
static void uniform_chunks_are_as_libhdf5_stores_them(void)
{
    hid_t file = so_file();

    for (unsigned which = 0; which < 32; which++) {
        const size_t n = 40;
        const so_variety variety = variety_of(which, 1U << which / 8);
        const hid_t dataset = so_dataset(file, &variety, n);
        uint8_t values[320];
        uint8_t theirs[400];
        uint8_t ours[400];
        for (size_t i = 0; i < n; i++) {
            so_put(&variety, values, i, variety.fill);
        }
        so_write(dataset, &variety, values);
        const size_t n_theirs = so_stored(dataset, theirs, sizeof theirs);
        for (int simd = 0; simd <= (int)stoa_simd_of_cpu(); simd++) {
            const stoa_scaleoffset so = so_of(&variety, n, (stoa_simd)simd);
            CHECK_U64(stoa_scaleoffset_encode(&so, values, ours), n_theirs);
            CHECK(same_chunk(ours, theirs, n_theirs));
            CHECK(stoa_scaleoffset_decode(&so, theirs, n_theirs, ours));
            CHECK_MEM(ours, values, n * variety.size);
        }
        CHECK_H5(H5Dclose(dataset));
    }
    CHECK_H5(H5Fclose(file));
}

/* --- damage ---------------------------------------------------------------------------------- */

/* Whatever is stored, all instruction sets make the same of it, one by one or all at once, and
 * touch nothing else. */
static void survives(const arena *room, const so_variety *variety, size_t n, const uint8_t *stored,
                     size_t n_stored)
{
    const size_t n_bytes = n * variety->size;
    uint8_t first[8 * MAX_SMALL];
    bool is_sound = false;

    for (int simd = 0; simd <= (int)stoa_simd_of_cpu(); simd++) {
        const stoa_scaleoffset so = so_of(variety, n, (stoa_simd)simd);
        uint8_t *out = so_block_end(&room->out, n_bytes);
        const bool done = stoa_scaleoffset_decode(&so, stored, n_stored, out);
        CHECK(so_block_is_whole(&room->out, n_bytes));
        if (simd == 0 && done) {
            memcpy(first, out, n_bytes);
            is_sound = true;
        }
        CHECK(done == is_sound);
        CHECK(!done || memcmp(out, first, n_bytes) == 0);
        if (done) {
            decodes(room, &so, variety, stored, n_stored, first);
        }
        CHECK(stoa_scaleoffset_decode_range(&so, stored, n_stored, n - 1, 1,
                                            so_block_end(&room->out, variety->size)) == done);
    }
}

static void damaged_chunks_harm_nothing(void)
{
    const uint64_t n_cases = check_n_cases(20000);
    arena room = arena_make(MAX_SMALL);

    for (uint64_t i = 0; i < n_cases; i++) {
        const unsigned size = 1U << check_random_below(4);
        const so_variety variety = variety_of((unsigned)check_random_below(8), size);
        const size_t n = 1 + check_random_below(400);
        uint8_t *values = so_block_end(&room.values, n * size);
        uint8_t whole[8 * MAX_SMALL];

        so_random_values(&variety, (unsigned)check_random_below(UINT64_C(8) * size), n, values);
        const size_t n_whole = naive_encode(&variety, values, n, whole);
        if (n_whole == 0) {
            continue;
        }
        for (uint64_t flips = check_random_below(4); flips > 0; flips--) {
            const size_t at = check_random_below(check_random_below(2) == 0 ? 6 : n_whole);
            whole[at] ^= (uint8_t)(1U << check_random_below(8));
        }
        whole[0] = check_random_below(8) == 0 ? (uint8_t)check_random_below(70) : whole[0];
        const size_t n_stored =
            check_random_below(2) == 0 ? n_whole : check_random_below(n_whole + 1);
        uint8_t *stored = so_block_end(&room.stored, n_stored);
        memcpy(stored, whole, n_stored);
        survives(&room, &variety, n, stored, n_stored);
    }
    arena_free(&room);
}

TEST_MAIN(TEST(every_size_and_width_is_packed_bit_by_bit), TEST(every_length_is_packed_bit_by_bit),
          TEST(every_size_and_width_is_as_libhdf5_stores_it),
          TEST(every_length_is_as_libhdf5_stores_it),
          TEST(bits_that_were_asked_for_are_as_libhdf5_stores_them),
          TEST(large_chunks_are_as_libhdf5_stores_them),
          TEST(uniform_chunks_are_as_libhdf5_stores_them), TEST(damaged_chunks_harm_nothing))
