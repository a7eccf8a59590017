/* Sets of values: choice of the fastest representation, and tests block by block. */
#include "query/eval/filter.h"

#include <string.h>

#include "core/min_of.h"

const stoa_filter_kernels *stoa_filter_of(stoa_simd simd)
{
    return STOA_SIMD_OF(simd, &stoa_filter);
}

stoa_lane stoa_lane_of(stoa_kind kind)
{
    switch (kind) {
    case STOA_KIND_FLOAT16:
        return STOA_LANE_F16;
    case STOA_KIND_FLOAT32:
        return STOA_LANE_F32;
    case STOA_KIND_FLOAT64:
        return STOA_LANE_F64;
    default:
        break;
    }
    switch (stoa_kind_width(kind)) {
    case 1:
        return STOA_LANE_8;
    case 2:
        return STOA_LANE_16;
    case 4:
        return STOA_LANE_32;
    default:
        return STOA_LANE_64;
    }
}

size_t stoa_lane_width(stoa_lane lane)
{
    static const size_t widths[] = {
        [STOA_LANE_8] = 1,   [STOA_LANE_16] = 2,  [STOA_LANE_32] = 4,  [STOA_LANE_64] = 8,
        [STOA_LANE_F16] = 2, [STOA_LANE_F32] = 4, [STOA_LANE_F64] = 8,
    };

    return widths[lane];
}

/* Making sets ------------------------------------------------------------------------------- */

/* A table may span this many values, or 64 times as many as it contains. */
#define TABLE_SPAN 65536u

static void add_run(stoa_set *set, uint64_t first, uint64_t last)
{
    set->bounds[set->n_bounds++] = (stoa_bounds){.low = first, .span = last - first};
}

/* Represent n values as ranges of consecutive values. Returns false if there are too many. */
static bool set_runs(stoa_set *set, const uint64_t *values, size_t n)
{
    size_t start = 0;

    for (size_t i = 1; i <= n; i++) {
        if (i < n && values[i] - values[i - 1] == 1) {
            continue;
        }
        if (set->n_bounds == STOA_SET_BOUNDS) {
            set->n_bounds = 0;
            return false;
        }
        add_run(set, values[start], values[i - 1]);
        start = i;
    }
    return true;
}

/* Allocate a zeroed table. For bytes it covers all values, else base .. base + span and one
 * more. */
static stoa_status make_table(stoa_set *set, uint64_t base, uint64_t span, stoa_arena *arena,
                              uint8_t **table, stoa_error *err)
{
    set->base = set->lane == STOA_LANE_8 ? 0 : base;
    set->span = set->lane == STOA_LANE_8 ? 255 : span;
    *table = stoa_arena_zero(arena, (size_t)stoa_bit_bytes(set->span + 2), 1);
    set->table = *table;
    return *table != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Fibonacci hashing: the upper bits of the product. */
static inline uint64_t hash_of(uint64_t value, unsigned shift)
{
    return value * 0x9e3779b97f4a7c15u >> shift;
}

static stoa_status make_sieve(stoa_set *set, const uint64_t *values, size_t n, stoa_arena *arena,
                              stoa_error *err)
{
    stoa_sieve *sieve = stoa_arena_zero(arena, 1, sizeof *sieve);

    STOA_RETURN_NO_MEMORY(err, sieve);
    for (size_t i = 0; i < n; i++) {
        const stoa_sieve_place at = stoa_sieve_place_of(values[i]);
        for (int t = 0; t < 2; t++) {
            sieve->tables[t][at.byte[t]] |= (uint8_t)(1u << at.bit[t]);
        }
    }
    set->sieve = sieve;
    return STOA_OK;
}

/* At least 32 bits for each value, so that few other values match; 512 bytes to 128 KiB. */
static stoa_status make_list(stoa_set *set, const uint64_t *values, size_t n, stoa_arena *arena,
                             stoa_error *err)
{
    unsigned n_hash_bits = 12;

    while (n_hash_bits < 20 && (size_t)1 << n_hash_bits < n * 32) {
        n_hash_bits++;
    }
    uint64_t *list = stoa_arena_alloc(arena, n, sizeof *list);
    uint8_t *marks = stoa_arena_zero(arena, (size_t)1 << (n_hash_bits - 3), 1);
    STOA_RETURN_NO_MEMORY(err, list != NULL && marks != NULL);
    memcpy(list, values, n * sizeof *list);
    set->shift = 64 - n_hash_bits;
    for (size_t i = 0; i < n; i++) {
        stoa_bit_set(marks, hash_of(list[i], set->shift));
    }
    set->list = list;
    set->n_list = n;
    set->marks = marks;
    return n <= STOA_SIEVE_MAX ? make_sieve(set, values, n, arena, err) : STOA_OK;
}

stoa_status stoa_set_of_list(stoa_lane lane, const uint64_t *values, size_t n, stoa_arena *arena,
                             stoa_set *set, stoa_error *err)
{
    uint8_t *table = NULL;

    *set = (stoa_set){.lane = lane};
    if (n == 0 || set_runs(set, values, n)) {
        return STOA_OK;
    }
    const uint64_t span = values[n - 1] - values[0];
    if (span >= TABLE_SPAN && span / 64 >= n) {
        return make_list(set, values, n, arena, err);
    }
    STOA_RETURN_NOT_OK(make_table(set, values[0], span, arena, &table, err));
    for (size_t i = 0; i < n; i++) {
        stoa_bit_set(table, values[i] - set->base);
    }
    return STOA_OK;
}

/* Represent the set bits as ranges. Returns false if there are too many. */
static bool bit_runs(stoa_set *set, const uint8_t *bits, uint64_t n)
{
    for (uint64_t i = 0, end; i < n; i = end) {
        end = i + 1;
        if ((i & 7) == 0 && bits[i >> 3] == 0) {
            end = i + 8;
        } else if (stoa_bit_get(bits, i)) {
            while (end < n && stoa_bit_get(bits, end)) {
                end++;
            }
            if (set->n_bounds == STOA_SET_BOUNDS) {
                set->n_bounds = 0;
                return false;
            }
            add_run(set, i, end - 1);
        }
    }
    return true;
}

stoa_status stoa_set_of_bits(stoa_lane lane, const uint8_t *bits, uint64_t n, stoa_arena *arena,
                             stoa_set *set, stoa_error *err)
{
    const size_t width = stoa_lane_width(lane);
    const uint64_t n_values = width < 4 ? (uint64_t)1 << (8 * width) : UINT32_MAX;
    uint8_t *table = NULL;

    *set = (stoa_set){.lane = lane};
    n = n < n_values ? n : n_values;
    if (bit_runs(set, bits, n)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(make_table(set, 0, n - 1, arena, &table, err));
    memcpy(table, bits, (size_t)stoa_bit_bytes(n));
    for (uint64_t i = n; i < stoa_bit_bytes(n) * 8; i++) { /* bits after the last one */
        stoa_bit_clear(table, i);
    }
    return STOA_OK;
}

/* Testing ----------------------------------------------------------------------------------- */

/* Values are tested in blocks small enough for a second bitmap on the stack. */
enum { BLOCK_WORDS = 64, BLOCK_ROWS = 64 * BLOCK_WORDS };

/* Build words of bits by testing value after value. */
#define EACH_VALUE(ctype, CONDITION)                                                               \
    for (int64_t start = 0; start < n; start += 64) {                                              \
        const int64_t end = n - start < 64 ? n : start + 64;                                       \
        uint64_t word = 0;                                                                         \
        for (int64_t i = start; i < end; i++) {                                                    \
            ctype x;                                                                               \
            memcpy(&x, (const uint8_t *)values + (size_t)i * sizeof x, sizeof x);                  \
            word |= (uint64_t)(CONDITION) << (i - start);                                          \
        }                                                                                          \
        words[start / 64] = word;                                                                  \
    }

static inline unsigned in_table(const uint8_t *table, uint64_t distance, uint64_t span)
{
    const uint64_t place = distance <= span ? distance : span + 1;

    return table[place >> 3] >> (place & 7) & 1u;
}

static void test_table(const stoa_set *set, const void *values, int64_t n, uint64_t *restrict words)
{
    const uint8_t *const table = set->table;
    const uint64_t base = set->base;
    const uint64_t span = set->span;

    if (set->lane == STOA_LANE_16) {
        EACH_VALUE(uint16_t, in_table(table, (uint16_t)(x - base), span));
    } else if (set->lane == STOA_LANE_32) {
        EACH_VALUE(uint32_t, in_table(table, (uint32_t)(x - base), span));
    } else {
        EACH_VALUE(uint64_t, in_table(table, x - base, span));
    }
}

static bool is_listed(const stoa_set *set, uint64_t value)
{
    const size_t low = stoa_place_of_u64(set->list, set->n_list, value);

    return low < set->n_list && set->list[low] == value;
}

static uint64_t value_at(const stoa_set *set, const void *values, int64_t i)
{
    uint64_t value;
    uint32_t half;

    if (set->lane == STOA_LANE_64) {
        memcpy(&value, (const uint8_t *)values + i * 8, sizeof value);
    } else {
        memcpy(&half, (const uint8_t *)values + i * 4, sizeof half);
        value = half;
    }
    return value;
}

static void test_marks(const stoa_set *set, const void *values, int64_t n, uint64_t *restrict words)
{
    const uint8_t *const marks = set->marks;
    const unsigned shift = set->shift;

    if (set->lane == STOA_LANE_32) {
        EACH_VALUE(uint32_t, stoa_bit_get(marks, hash_of(x, shift)));
    } else {
        EACH_VALUE(uint64_t, stoa_bit_get(marks, hash_of(x, shift)));
    }
}

/* Test the sieve or the bitmap of hashes, then look up the matches in the list. Narrower lanes have
 * a table instead. */
static void test_list(const stoa_filter_kernels *filter, const stoa_set *set, const void *values,
                      int64_t n, uint64_t *restrict words)
{
    if (set->sieve != NULL) {
        filter->sieve[set->lane](values, n, set->sieve, words);
    } else {
        test_marks(set, values, n, words);
    }
    for (int64_t w = 0; w < (n + 63) / 64; w++) {
        for (uint64_t rest = words[w]; rest != 0; rest &= rest - 1) {
            const int bit = __builtin_ctzll(rest);
            const uint64_t value = value_at(set, values, w * 64 + bit);
            if (!stoa_bit_get(set->marks, hash_of(value, set->shift)) || !is_listed(set, value)) {
                words[w] &= ~((uint64_t)1 << bit);
            }
        }
    }
}

void stoa_set_test(const stoa_filter_kernels *filter, const stoa_set *set, const void *values,
                   int64_t n, uint64_t *words)
{
    const size_t size = stoa_lane_width(set->lane);

    if (set->table != NULL && set->lane == STOA_LANE_8) {
        filter->table(values, n, set->table, words);
    } else if (set->table != NULL) {
        test_table(set, values, n, words);
    } else if (set->list != NULL) {
        test_list(filter, set, values, n, words);
    } else if (set->n_bounds == 0) {
        memset(words, 0, (size_t)(n + 63) / 64 * sizeof *words);
    } else if (set->n_bounds == 1) {
        filter->within[set->lane](values, n, &set->bounds[0], words);
    } else {
        for (int64_t at = 0; at < n; at += BLOCK_ROWS) {
            const uint8_t *const block = (const uint8_t *)values + (size_t)at * size;
            const int64_t n_block = n - at < BLOCK_ROWS ? n - at : BLOCK_ROWS;
            uint64_t more[BLOCK_WORDS];
            filter->within[set->lane](block, n_block, &set->bounds[0], words + at / 64);
            for (unsigned b = 1; b < set->n_bounds; b++) {
                filter->within[set->lane](block, n_block, &set->bounds[b], more);
                for (int64_t w = 0; w < (n_block + 63) / 64; w++) {
                    words[at / 64 + w] |= more[w];
                }
            }
        }
    }
}
