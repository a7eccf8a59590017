/* Reductions row by row. The other instruction sets must agree bit for bit. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "query/aggregate/reduce.h"

#define LANES STOA_REDUCE_LANES
#define BLOCK STOA_REDUCE_BLOCK

/* For each row that counts. */
#define EACH_KEPT(i, mask, n)                                                                      \
    for (int64_t at_ = 0; at_ < (n); at_ += 64)                                                    \
        for (uint64_t word_ = stoa_mask_word(mask, at_, n), i; next_of(&word_, at_, &(i));)

static inline bool next_of(uint64_t *word, int64_t at, uint64_t *i)
{
    if (*word == 0) {
        return false;
    }
    *i = (uint64_t)at + (uint64_t)__builtin_ctzll(*word);
    *word &= *word - 1;
    return true;
}

/* Integers ---------------------------------------------------------------------------------- */

#define DEFINE_INTEGERS(name, ctype, field, least, greatest)                                       \
    static void sum_##name(const void *values, const uint64_t *mask, int64_t n, stoa_word out[2])  \
    {                                                                                              \
        const ctype *from = values;                                                                \
        uint64_t low = 0;                                                                          \
        int64_t high = 0;                                                                          \
        EACH_KEPT(i, mask, n)                                                                      \
        {                                                                                          \
            low += (uint64_t)from[i];                                                              \
            high += (low < (uint64_t)from[i]) - (from[i] < (ctype)1 && from[i] != 0);              \
        }                                                                                          \
        out[0].u64 = low;                                                                          \
        out[1].i64 = high;                                                                         \
    }                                                                                              \
    static void range_##name(const void *values, const uint64_t *mask, int64_t n,                  \
                             stoa_word out[2])                                                     \
    {                                                                                              \
        const ctype *from = values;                                                                \
        out[0].field = greatest;                                                                   \
        out[1].field = least;                                                                      \
        EACH_KEPT(i, mask, n)                                                                      \
        {                                                                                          \
            out[0].field = from[i] < out[0].field ? from[i] : out[0].field;                        \
            out[1].field = from[i] > out[1].field ? from[i] : out[1].field;                        \
        }                                                                                          \
    }
DEFINE_INTEGERS(i8, int8_t, i64, INT64_MIN, INT64_MAX)
DEFINE_INTEGERS(i16, int16_t, i64, INT64_MIN, INT64_MAX)
DEFINE_INTEGERS(i32, int32_t, i64, INT64_MIN, INT64_MAX)
DEFINE_INTEGERS(i64, int64_t, i64, INT64_MIN, INT64_MAX)
DEFINE_INTEGERS(u8, uint8_t, i64, INT64_MIN, INT64_MAX)
DEFINE_INTEGERS(u16, uint16_t, i64, INT64_MIN, INT64_MAX)
DEFINE_INTEGERS(u32, uint32_t, i64, INT64_MIN, INT64_MAX)
DEFINE_INTEGERS(u64, uint64_t, u64, 0, UINT64_MAX)

/* Floats ------------------------------------------------------------------------------------ */

static void sum_f64(const void *values, const uint64_t *mask, int64_t n, stoa_word out[2])
{
    const double *from = values;
    double sums[LANES] = {0};
    double lost[LANES] = {0};
    int64_t done = 0;

    for (; mask == NULL && done + LANES <= n; done += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            stoa_two_sum(from[done + lane], &sums[lane], &lost[lane]);
        }
    }
    from += done;
    EACH_KEPT(i, mask, n - done)
    {
        stoa_two_sum(from[i], &sums[i % LANES], &lost[i % LANES]);
    }
    stoa_reduce_lanes(sums, lost, out);
}

/* Whether the magnitudes of any lane of a block are too far apart to be added as one. */
static bool is_wide(const float *rows)
{
    bool wide = false;

    for (int lane = 0; lane < LANES; lane++) {
        uint32_t less_one = UINT32_MAX; /* the least except zeros, minus one */
        uint32_t most = 0;
        for (int i = lane; i < BLOCK; i += LANES) {
            uint32_t bits;
            memcpy(&bits, &rows[i], sizeof bits);
            bits &= INT32_MAX;
            most = bits > most ? bits : most;
            less_one = bits - 1 < less_one ? bits - 1 : less_one;
        }
        wide |= most >> STOA_FLOAT_SIGNIFICAND >
                (less_one >> STOA_FLOAT_SIGNIFICAND) + STOA_REDUCE_APART;
    }
    return wide;
}

static void add_block(const float *rows, double *sums, double *lost)
{
    if (is_wide(rows)) {
        for (int i = 0; i < BLOCK; i++) {
            stoa_two_sum((double)rows[i], &sums[i % LANES], &lost[i % LANES]);
        }
        return;
    }
    for (int i = 0; i < LANES; i++) {
        const double first = (double)rows[i] + (double)rows[i + LANES];
        const double last = (double)rows[i + 2 * LANES] + (double)rows[i + 3 * LANES];
        stoa_two_sum(first + last, &sums[i], &lost[i]);
    }
}

/* Whether no lane has two rows of the block that count. */
static bool are_apart(uint64_t word)
{
    const uint64_t once = word | word >> LANES;
    const uint64_t twice = word & word >> LANES;

    return ((twice | (once >> 2 * LANES & once)) & ((UINT64_C(1) << LANES) - 1)) == 0 &&
           (twice >> 2 * LANES) == 0;
}

/* Add rows of a block. Rows that do not count are zeros, which do not change a lane's sum. */
static void add_some(const float *from, uint64_t word, double *sums, double *lost)
{
    float rows[BLOCK] = {0};

    for (uint64_t rest = word, i; next_of(&rest, 0, &i);) {
        rows[i] = from[i];
    }
    add_block(rows, sums, lost);
}

static void add_masked(const float *from, uint64_t word, double *sums, double *lost)
{
    if (word == UINT64_MAX) {
        add_block(from, sums, lost);
    } else if (!are_apart(word)) {
        add_some(from, word, sums, lost);
    } else {
        for (uint64_t rest = word, i; next_of(&rest, 0, &i);) {
            stoa_two_sum((double)from[i], &sums[i % LANES], &lost[i % LANES]);
        }
    }
}

static void sum_f32(const void *values, const uint64_t *mask, int64_t n, stoa_word out[2])
{
    const float *from = values;
    double sums[LANES] = {0};
    double lost[LANES] = {0};

    for (int64_t at = 0; mask == NULL && at < n; at += BLOCK) {
        add_masked(from + at, stoa_mask_word(NULL, at, n), sums, lost);
    }
    for (int64_t first = 0; mask != NULL && first < n; first += (int64_t)BLOCK * BLOCK) {
        const int64_t left = (n - first + BLOCK - 1) / BLOCK;
        uint64_t marked = stoa_words_marked(mask + first / BLOCK, left < 64 ? (size_t)left : 64);
        for (uint64_t w; next_of(&marked, 0, &w);) {
            const int64_t at = first + (int64_t)w * BLOCK;
            add_masked(from + at, stoa_mask_word(mask, at, n), sums, lost);
        }
    }
    stoa_reduce_lanes(sums, lost, out);
}

#define DEFINE_FLOATS(name, ctype)                                                                 \
    static void range_##name(const void *values, const uint64_t *mask, int64_t n,                  \
                             stoa_word out[2])                                                     \
    {                                                                                              \
        const ctype *from = values;                                                                \
        double least[LANES];                                                                       \
        double greatest[LANES];                                                                    \
        for (int lane = 0; lane < LANES; lane++) {                                                 \
            least[lane] = INFINITY;                                                                \
            greatest[lane] = -INFINITY;                                                            \
        }                                                                                          \
        EACH_KEPT(i, mask, n)                                                                      \
        {                                                                                          \
            double *low = &least[i % LANES];                                                       \
            double *high = &greatest[i % LANES];                                                   \
            *low = from[i] < *low ? from[i] : *low;                                                \
            *high = from[i] > *high ? from[i] : *high;                                             \
        }                                                                                          \
        stoa_reduce_range(least, greatest, out);                                                   \
    }                                                                                              \
    static void squares_##name(const void *values, const uint64_t *mask, int64_t n, double center, \
                               stoa_word out[4])                                                   \
    {                                                                                              \
        const ctype *from = values;                                                                \
        double sums[2][LANES] = {{0}};                                                             \
        double lost[2][LANES] = {{0}};                                                             \
        EACH_KEPT(i, mask, n)                                                                      \
        {                                                                                          \
            const uint64_t lane = i % LANES;                                                       \
            stoa_two_square(from[i], center, &sums[0][lane], &lost[0][lane], &sums[1][lane],       \
                            &lost[1][lane]);                                                       \
        }                                                                                          \
        stoa_reduce_squares(sums, lost, out);                                                      \
    }
DEFINE_FLOATS(f32, float)
DEFINE_FLOATS(f64, double)

const stoa_reductions stoa_reductions_scalar = STOA_REDUCTIONS;

const stoa_reductions *stoa_reductions_of(stoa_simd simd)
{
    return STOA_SIMD_OF(simd, &stoa_reductions);
}
