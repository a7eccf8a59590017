/* Reductions in the words of core/simd_<set>.h, which the including file includes before. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "query/aggregate/reduce.h"
#include "query/eval/floats_body.h"

#define N_VECTORS (STOA_REDUCE_LANES / W) /* of all lanes */
#define BLOCK STOA_REDUCE_BLOCK           /* rows of one word of a mask */
#define SIGN_BIT INT64_MIN

typedef int64_t integers __attribute__((vector_size(SIMD_BYTES)));

/* Which of the W rows from `row` on of a block count. */
INLINE simd_truth_64 keep_of(uint64_t word, int row)
{
    return simd_lanes_64((unsigned)(word >> row) & ((1u << W) - 1u));
}

/* W values, widened to 64 bits. */
#define DEFINE_LOAD(name, ctype, vector, load)                                                     \
    INLINE vector load_##name(const ctype *from)                                                   \
    {                                                                                              \
        return (vector)load(from);                                                                 \
    }
DEFINE_LOAD(i8, int8_t, integers, simd_widen_i8)
DEFINE_LOAD(u8, uint8_t, integers, simd_widen_u8)
DEFINE_LOAD(i16, int16_t, integers, simd_widen_i16)
DEFINE_LOAD(u16, uint16_t, integers, simd_widen_u16)
DEFINE_LOAD(i32, int32_t, integers, simd_widen_i32)
DEFINE_LOAD(u32, uint32_t, integers, simd_widen_u32)
DEFINE_LOAD(i64, void, integers, simd_load)

/* ADD(from, word, ...) for each block of rows. The last block is padded with rows that do not
 * count. The call for a full word is separate, so the compiler makes a loop of its own for it. */
#define EACH_BLOCK(ctype, ADD, ...)                                                                \
    do {                                                                                           \
        const ctype *from = values;                                                                \
        int64_t at = 0;                                                                            \
        for (; at + BLOCK <= n; at += BLOCK) {                                                     \
            const uint64_t word = mask != NULL ? mask[at / BLOCK] : UINT64_MAX;                    \
            if (word == UINT64_MAX) {                                                              \
                ADD(from + at, UINT64_MAX, __VA_ARGS__);                                           \
            } else if (word != 0) {                                                                \
                ADD(from + at, word, __VA_ARGS__);                                                 \
            }                                                                                      \
        }                                                                                          \
        if (at < n) {                                                                              \
            ctype rest[BLOCK] = {0};                                                               \
            const uint64_t word = mask != NULL ? mask[at / BLOCK] : UINT64_MAX;                    \
            memcpy(rest, from + at, (size_t)(n - at) * sizeof *rest);                              \
            ADD(rest, word &((UINT64_C(1) << (n - at)) - 1), __VA_ARGS__);                         \
        }                                                                                          \
    } while (0)

/* Floats ------------------------------------------------------------------------------------ */

INLINE floats all_f(double value)
{
    return value - (floats){0};
}

/* stoa_two_square() for the values that count. */
INLINE void two_square(simd_truth_64 rows, floats value, floats center, floats *sum, floats *lost,
                       floats *squares, floats *squares_lost)
{
    const floats all = value - center;
    const floats taken = all - value;
    const floats off = (floats)simd_only_64(rows, (simd)all);
    const floats rest =
        (floats)simd_only_64(rows, (simd)((value - (all - taken)) - (center + taken)));
    const floats square = off * off;
    const floats high = off * STOA_HALVING - (off * STOA_HALVING - off);
    const floats low = off - high;
    const floats square_lost = ((high * high - square) + (high * low + low * high)) + low * low;

    two_sum(off, sum, lost);
    *lost += rest;
    two_sum(square, squares, squares_lost);
    *squares_lost += square_lost + 2 * off * rest;
}

INLINE void add_f64(const double *from, uint64_t word, floats *sums, floats *lost)
{
    for (int row = 0; row < BLOCK; row += STOA_REDUCE_LANES) {
        for (int v = 0; v < N_VECTORS; v++) {
            const int at = row + v * W;
            const simd x = simd_only_64(keep_of(word, at), simd_load(from + at));
            two_sum((floats)x, &sums[v], &lost[v]);
        }
    }
}

/* The rows of all lanes, as floats. */
typedef struct singles {
    simd parts[STOA_REDUCE_LANES * 4 / SIMD_BYTES];
} singles;

enum { N_ROWS = BLOCK / STOA_REDUCE_LANES, N_PARTS = sizeof(singles) / SIMD_BYTES };

/* 16 floats, 0 where the bit is not set. */
INLINE singles singles_of(const float *from, unsigned bits)
{
    enum { EACH = SIMD_BYTES / 4 };
    singles x;

    for (int p = 0; p < N_PARTS; p++) {
        const simd_truth_32 rows = simd_lanes_32((bits >> (p * EACH)) & ((1u << EACH) - 1u));
        x.parts[p] = simd_only_32(rows, simd_load(from + (size_t)p * EACH));
    }
    return x;
}

/* Whether floats of one lane of a block are too far apart to add as one. */
INLINE bool is_wide(const singles *rows)
{
    simd_truth_32 wide = {0};

    for (int p = 0; p < N_PARTS; p++) {
        simd less_one = simd_splat_32(UINT32_MAX); /* the least except zeros, minus one */
        simd most = simd_splat_32(0);
        for (int i = 0; i < N_ROWS; i++) {
            const simd bits = simd_and(rows[i].parts[p], simd_splat_32(INT32_MAX));
            most = simd_max_u32(most, bits);
            less_one = simd_min_u32(less_one, simd_sub_32(bits, simd_splat_32(1)));
        }
        less_one = simd_right_32(less_one, STOA_FLOAT_SIGNIFICAND);
        most = simd_right_32(most, STOA_FLOAT_SIGNIFICAND);
        wide |= simd_above_32(simd_sub_32(most, simd_splat_32(STOA_REDUCE_APART)), less_one);
    }
    return simd_any_32(wide);
}

/* The i-th row of the block's lanes, the v-th W of them. Loaded from memory if all rows count. */
INLINE floats row_f32(const float *from, uint64_t word, const singles *rows, int i, int v)
{
    const int at = i * STOA_REDUCE_LANES + v * W;

    if (word == UINT64_MAX) {
        return load_f32(from + at);
    }
    return (floats)(v % 2 == 0 ? simd_widen_low_f32(rows[i].parts[v / 2])
                               : simd_widen_high_f32(rows[i].parts[v / 2]));
}

/* Add four rows of a lane at a time, unless they are too far apart. */
INLINE void add_f32(const float *from, uint64_t word, floats *sums, floats *lost)
{
    singles rows[N_ROWS];

    for (int i = 0; i < N_ROWS; i++) {
        const int at = i * STOA_REDUCE_LANES;
        rows[i] = singles_of(from + at, (unsigned)(word >> at) & 0xffffu);
    }
    if (is_wide(rows)) {
        for (int i = 0; i < N_ROWS; i++) {
            for (int v = 0; v < N_VECTORS; v++) {
                two_sum(row_f32(from, word, rows, i, v), &sums[v], &lost[v]);
            }
        }
        return;
    }
    for (int v = 0; v < N_VECTORS; v++) {
        const floats first = row_f32(from, word, rows, 0, v) + row_f32(from, word, rows, 1, v);
        const floats last = row_f32(from, word, rows, 2, v) + row_f32(from, word, rows, 3, v);
        two_sum(first + last, &sums[v], &lost[v]);
    }
}

#define DEFINE_FLOATS(name, ctype)                                                                 \
    static void sum_##name(const void *values, const uint64_t *mask, int64_t n, stoa_word out[2])  \
    {                                                                                              \
        floats sums[N_VECTORS] = {all_f(0)};                                                       \
        floats lost[N_VECTORS] = {all_f(0)};                                                       \
        double lanes[2][STOA_REDUCE_LANES];                                                        \
                                                                                                   \
        EACH_BLOCK(ctype, add_##name, sums, lost);                                                 \
        memcpy(lanes[0], sums, sizeof sums);                                                       \
        memcpy(lanes[1], lost, sizeof lost);                                                       \
        stoa_reduce_lanes(lanes[0], lanes[1], out);                                                \
    }                                                                                              \
    INLINE void widen_##name(const ctype *from, uint64_t word, floats *least, floats *greatest)    \
    {                                                                                              \
        for (int row = 0; row < BLOCK; row += STOA_REDUCE_LANES) {                                 \
            for (int v = 0; v < N_VECTORS; v++) {                                                  \
                const int at = row + v * W;                                                        \
                const floats x = load_##name(from + at);                                           \
                least[v] = (floats)simd_min_where_f64(keep_of(word, at), least[v], x);             \
                greatest[v] = (floats)simd_max_where_f64(keep_of(word, at), greatest[v], x);       \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void range_##name(const void *values, const uint64_t *mask, int64_t n,                  \
                             stoa_word out[2])                                                     \
    {                                                                                              \
        floats least[N_VECTORS];                                                                   \
        floats greatest[N_VECTORS];                                                                \
        double lanes[2][STOA_REDUCE_LANES];                                                        \
                                                                                                   \
        for (int v = 0; v < N_VECTORS; v++) {                                                      \
            least[v] = all_f((double)INFINITY);                                                    \
            greatest[v] = all_f((double)-INFINITY);                                                \
        }                                                                                          \
        EACH_BLOCK(ctype, widen_##name, least, greatest);                                          \
        memcpy(lanes[0], least, sizeof least);                                                     \
        memcpy(lanes[1], greatest, sizeof greatest);                                               \
        stoa_reduce_range(lanes[0], lanes[1], out);                                                \
    }                                                                                              \
    INLINE void square_##name(const ctype *from, uint64_t word, floats center, floats *sums,       \
                              floats *lost, floats *squares, floats *squares_lost)                 \
    {                                                                                              \
        for (int row = 0; row < BLOCK; row += STOA_REDUCE_LANES) {                                 \
            for (int v = 0; v < N_VECTORS; v++) {                                                  \
                const int at = row + v * W;                                                        \
                two_square(keep_of(word, at), load_##name(from + at), center, &sums[v], &lost[v],  \
                           &squares[v], &squares_lost[v]);                                         \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void squares_##name(const void *values, const uint64_t *mask, int64_t n, double center, \
                               stoa_word out[4])                                                   \
    {                                                                                              \
        floats sums[2][N_VECTORS] = {{all_f(0)}};                                                  \
        floats lost[2][N_VECTORS] = {{all_f(0)}};                                                  \
        double lanes[2][2][STOA_REDUCE_LANES];                                                     \
                                                                                                   \
        EACH_BLOCK(ctype, square_##name, all_f(center), sums[0], lost[0], sums[1], lost[1]);       \
        memcpy(lanes[0], sums, sizeof sums);                                                       \
        memcpy(lanes[1], lost, sizeof lost);                                                       \
        stoa_reduce_squares(lanes[0], lanes[1], out);                                              \
    }
DEFINE_FLOATS(f32, float)
DEFINE_FLOATS(f64, double)

/* Integers ---------------------------------------------------------------------------------- */

INLINE integers all_i(int64_t value)
{
    return value - (integers){0};
}

static inline int64_t total_of(const integers *sums)
{
    int64_t lanes[STOA_REDUCE_LANES];
    int64_t total = 0;

    memcpy(lanes, sums, sizeof lanes);
    for (int i = 0; i < STOA_REDUCE_LANES; i++) {
        total += lanes[i];
    }
    return total;
}

/* Up to 32 bits: 2^31 of them fit into 64 bits. */
#define DEFINE_NARROW_SUM(name, ctype)                                                             \
    INLINE void add_##name(const ctype *from, uint64_t word, integers *sums)                       \
    {                                                                                              \
        for (int row = 0; row < BLOCK; row += STOA_REDUCE_LANES) {                                 \
            for (int v = 0; v < N_VECTORS; v++) {                                                  \
                const int at = row + v * W;                                                        \
                const simd x = (simd)load_##name(from + at);                                       \
                sums[v] = (integers)simd_add_where(keep_of(word, at), (simd)sums[v], x);           \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void sum_##name(const void *values, const uint64_t *mask, int64_t n, stoa_word out[2])  \
    {                                                                                              \
        integers sums[N_VECTORS] = {all_i(0)};                                                     \
                                                                                                   \
        EACH_BLOCK(ctype, add_##name, sums);                                                       \
        out[0].i64 = total_of(sums);                                                               \
        out[1].i64 = out[0].i64 < 0 ? -1 : 0;                                                      \
    }
DEFINE_NARROW_SUM(i8, int8_t)
DEFINE_NARROW_SUM(i16, int16_t)
DEFINE_NARROW_SUM(i32, int32_t)
DEFINE_NARROW_SUM(u8, uint8_t)
DEFINE_NARROW_SUM(u16, uint16_t)
DEFINE_NARROW_SUM(u32, uint32_t)

/* 64 bits: the low and the high halves of unsigned numbers are summed separately. `flip` makes
 * signed numbers unsigned by adding 2^63. */
INLINE void add_wide(const void *from, uint64_t word, int64_t flip, integers *low, integers *high)
{
    const int64_t *const rows = from;

    for (int row = 0; row < BLOCK; row += STOA_REDUCE_LANES) {
        for (int v = 0; v < N_VECTORS; v++) {
            const int at = row + v * W;
            const integers x = (integers)simd_only_64(keep_of(word, at),
                                                      (simd)(load_i64(rows + at) ^ all_i(flip)));
            low[v] += x & all_i(UINT32_MAX);
            high[v] += (integers)simd_right_64((simd)x, 32);
        }
    }
}

static void sum_u64(const void *values, const uint64_t *mask, int64_t n, stoa_word out[2])
{
    integers low[N_VECTORS] = {all_i(0)};
    integers high[N_VECTORS] = {all_i(0)};

    EACH_BLOCK(uint64_t, add_wide, 0, low, high);
    const uint64_t halves[2] = {(uint64_t)total_of(low), (uint64_t)total_of(high)};
    out[0].u64 = halves[0] + (halves[1] << 32);
    out[1].u64 = (halves[1] >> 32) + (out[0].u64 < halves[0]);
}

static void sum_i64(const void *values, const uint64_t *mask, int64_t n, stoa_word out[2])
{
    integers low[N_VECTORS] = {all_i(0)};
    integers high[N_VECTORS] = {all_i(0)};
    const uint64_t count =
        mask != NULL ? stoa_bit_count((const uint8_t *)mask, 0, (uint64_t)n) : (uint64_t)n;

    EACH_BLOCK(int64_t, add_wide, SIGN_BIT, low, high);
    const uint64_t halves[2] = {(uint64_t)total_of(low), (uint64_t)total_of(high)};
    const uint64_t sum = halves[0] + (halves[1] << 32);
    out[0].u64 = sum - (count << 63);
    out[1].u64 = (halves[1] >> 32) + (sum < halves[0]) - (count >> 1) - (sum < (count << 63));
}

#define DEFINE_RANGE(name, ctype, load, flip)                                                      \
    INLINE void widen_##name(const ctype *from, uint64_t word, integers *least,                    \
                             integers *greatest)                                                   \
    {                                                                                              \
        for (int row = 0; row < BLOCK; row += STOA_REDUCE_LANES) {                                 \
            for (int v = 0; v < N_VECTORS; v++) {                                                  \
                const int at = row + v * W;                                                        \
                const integers x = load(from + at) ^ all_i(flip);                                  \
                least[v] =                                                                         \
                    (integers)simd_min_where_i64(keep_of(word, at), (simd)least[v], (simd)x);      \
                greatest[v] =                                                                      \
                    (integers)simd_max_where_i64(keep_of(word, at), (simd)greatest[v], (simd)x);   \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void range_##name(const void *values, const uint64_t *mask, int64_t n,                  \
                             stoa_word out[2])                                                     \
    {                                                                                              \
        integers least[N_VECTORS];                                                                 \
        integers greatest[N_VECTORS];                                                              \
                                                                                                   \
        for (int v = 0; v < N_VECTORS; v++) {                                                      \
            least[v] = all_i(INT64_MAX);                                                           \
            greatest[v] = all_i(INT64_MIN);                                                        \
        }                                                                                          \
        EACH_BLOCK(ctype, widen_##name, least, greatest);                                          \
        ends_of(least, greatest, flip, out);                                                       \
    }

static inline void ends_of(const integers *least, const integers *greatest, int64_t flip,
                           stoa_word out[2])
{
    int64_t lanes[2][STOA_REDUCE_LANES];

    memcpy(lanes[0], least, sizeof lanes[0]);
    memcpy(lanes[1], greatest, sizeof lanes[1]);
    out[0].i64 = lanes[0][0];
    out[1].i64 = lanes[1][0];
    for (int i = 1; i < STOA_REDUCE_LANES; i++) {
        out[0].i64 = lanes[0][i] < out[0].i64 ? lanes[0][i] : out[0].i64;
        out[1].i64 = lanes[1][i] > out[1].i64 ? lanes[1][i] : out[1].i64;
    }
    out[0].i64 ^= flip;
    out[1].i64 ^= flip;
}
DEFINE_RANGE(i8, int8_t, load_i8, 0)
DEFINE_RANGE(i16, int16_t, load_i16, 0)
DEFINE_RANGE(i32, int32_t, load_i32, 0)
DEFINE_RANGE(i64, int64_t, load_i64, 0)
DEFINE_RANGE(u8, uint8_t, load_u8, 0)
DEFINE_RANGE(u16, uint16_t, load_u16, 0)
DEFINE_RANGE(u32, uint32_t, load_u32, 0)
DEFINE_RANGE(u64, uint64_t, load_i64, SIGN_BIT)
