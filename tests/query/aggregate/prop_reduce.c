/* Sums, extremes and squares of runs of values: each table of kernels gives the scalar one's bits,
 * and that one what exact arithmetic gives. */
#include <math.h>
#include <string.h>

#include "query/aggregate/reduce.h"
#include "support/check.h"

__extension__ typedef __int128 wide;

enum { MOST = 320, OFFSETS = 17 };

/* A run of values, what they are exactly, and which of them count. */
typedef struct run {
    stoa_kind kind;
    int64_t n;
    const void *values;
    bool has_mask;
    uint64_t mask[MOST / 64 + 1];
    int64_t exact[MOST]; /* the value times 2^scale */
    int scale;
    _Alignas(8) unsigned char bytes[(MOST + OFFSETS) * 8];
} run;

static bool counts(const run *r, int64_t i)
{
    return !r->has_mask || (r->mask[i / 64] >> (i % 64) & 1) != 0;
}

static void choose_mask(run *r)
{
    const uint64_t density = check_random_below(9);
    /* 0: none, 5: all, 6: every other, 7 and 8: few */

    r->has_mask = check_random_below(4) != 0;
    memset(r->mask, 0, sizeof r->mask);
    for (int64_t i = 0; i < r->n; i++) {
        const bool set = density == 6   ? i % 2 == 0
                         : density >= 7 ? check_random_below(density == 7 ? 20 : 200) == 0
                                        : check_random_below(5) < density;
        r->mask[i / 64] |= (uint64_t)set << (i % 64);
    }
}

static int64_t random_integer(stoa_kind kind)
{
    const int bits = 8 * stoa_kind_width(kind);
    const uint64_t some = check_random() >> check_random_below(64);
    const uint64_t edges[] = {0, 1, UINT64_MAX, UINT64_C(1) << (bits - 1),
                              (UINT64_C(1) << (bits - 1)) - 1};
    const uint64_t value = check_random_below(4) == 0 ? edges[check_random_below(5)] : some;

    if (bits == 64) {
        return (int64_t)value;
    }
    const uint64_t low = value & ((UINT64_C(1) << bits) - 1);
    const bool negative = stoa_kind_is_signed(kind) && (low >> (bits - 1)) != 0;
    return negative ? (int64_t)(low | ~((UINT64_C(1) << bits) - 1)) : (int64_t)low;
}

static void put(run *r, unsigned char *to, int64_t i, int64_t value)
{
    const int width = stoa_kind_width(r->kind);
    const double number = ldexp((double)value, -r->scale);
    const float single = (float)number;

    r->exact[i] = value;
    if (r->kind == STOA_KIND_FLOAT64) {
        memcpy(to + i * 8, &number, 8);
    } else if (r->kind == STOA_KIND_FLOAT32) {
        memcpy(to + i * 4, &single, 4);
    } else {
        memcpy(to + i * width, &value, (size_t)width); /* little-endian machines run this */
    }
}

static void choose(run *r, stoa_kind kind)
{
    const size_t offset = (size_t)check_random_below(OFFSETS);

    r->kind = kind;
    r->n = (int64_t)check_random_below(MOST - 19);
    r->scale = stoa_kind_is_float(kind) ? 20 : 0;
    const uint64_t narrow = check_random_below(3) == 0 ? check_random_below(8) : 40; /* see below */
    unsigned char *to = r->bytes + offset * (size_t)stoa_kind_width(kind);
    r->values = to;
    for (int64_t i = 0; i < r->n; i++) {
        const int64_t sign = check_random_below(2) == 0 ? 1 : -1;
        const int places = kind == STOA_KIND_FLOAT32 ? 24 : 53;
        int64_t value = (int64_t)(check_random() >> (64 - places));
        if (narrow < 40) { /* magnitudes so near each other that four of them are one sum */
            value = (value | INT64_C(1) << (places - 1)) >> check_random_below(narrow + 1);
        } else {
            value >>= check_random_below((uint64_t)places);
            value *= INT64_C(1) << check_random_below((uint64_t)(64 - places));
        }
        put(r, to, i, stoa_kind_is_float(kind) ? sign * value : random_integer(kind));
    }
    choose_mask(r);
}

/* What does not count may be anything. */
static void spoil(run *r)
{
    for (int64_t i = 0; i < r->n && stoa_kind_is_float(r->kind); i++) {
        if (!counts(r, i)) {
            const double nan = check_random_below(2) == 0 ? (double)NAN : (double)INFINITY;
            const float single = (float)nan;
            const size_t width = (size_t)stoa_kind_width(r->kind);
            const size_t at = (size_t)((const unsigned char *)r->values - r->bytes);
            memcpy(r->bytes + at + (size_t)i * width,
                   width == 8 ? (const void *)&nan : (const void *)&single, width);
        }
    }
}

static wide value_at(const run *r, int64_t i)
{
    return r->kind == STOA_KIND_UINT64 ? (wide)(uint64_t)r->exact[i] : (wide)r->exact[i];
}

/* The tables of this processor, the scalar one first. */
static int list_tables(const stoa_reductions *tables[STOA_N_SIMD])
{
    const stoa_simd best = stoa_simd_of_cpu();

    for (int simd = 0; simd <= (int)best; simd++) {
        tables[simd] = stoa_reductions_of((stoa_simd)simd);
    }
    return (int)best + 1;
}

static const uint64_t *mask_of(const run *r)
{
    return r->has_mask ? r->mask : NULL;
}

/* By all tables, which agree. */
static void squares_of(const run *r, int64_t center, stoa_word off[4])
{
    const stoa_reductions *tables[STOA_N_SIMD] = {NULL};
    const int n_tables = list_tables(tables);

    tables[0]->squares[r->kind](r->values, mask_of(r), r->n, (double)center, off);
    for (int t = 1; t < n_tables; t++) {
        stoa_word again[4];
        tables[t]->squares[r->kind](r->values, mask_of(r), r->n, (double)center, again);
        CHECK_MEM(again, off, sizeof again);
    }
}

/* Kinds ------------------------------------------------------------------------------------- */

static bool next_kind(stoa_kind *kind)
{
    *kind = *kind == STOA_KIND_NULL     ? STOA_KIND_INT8
            : *kind == STOA_KIND_UINT64 ? STOA_KIND_FLOAT32
                                        : (stoa_kind)(*kind + 1);
    return *kind <= STOA_KIND_FLOAT64;
}

static void sums_are_exact_and_the_same_in_every_table(void)
{
    static run r;
    const stoa_reductions *tables[STOA_N_SIMD];
    const int n_tables = list_tables(tables);

    for (stoa_kind kind = STOA_KIND_NULL; next_kind(&kind);) {
        for (uint64_t k = check_n_cases(400); k > 0; k--) {
            stoa_word sum[STOA_N_SIMD][2];
            wide exact = 0;
            choose(&r, kind);
            for (int64_t i = 0; i < r.n; i++) {
                exact += counts(&r, i) ? value_at(&r, i) : 0;
            }
            spoil(&r);
            for (int t = 0; t < n_tables; t++) {
                tables[t]->sum[kind](r.values, mask_of(&r), r.n, sum[t]);
                CHECK_MEM(sum[t], sum[0], sizeof sum[0]);
            }
            if (stoa_kind_is_float(kind)) {
                const double expected = ldexp((double)exact, -r.scale);
                CHECK_F64_NEAR(sum[0][0].f64 + sum[0][1].f64, expected, fabs(expected) * 0x1p-52);
            } else {
                CHECK_U64(sum[0][0].u64, (uint64_t)exact);
                CHECK_I64(sum[0][1].i64, (int64_t)(exact >> 64));
            }
        }
    }
}

/* Four rows of a lane, of which two cancel each other out: whatever lies between their magnitudes
 * and the others', those are not rounded away. */
static void magnitudes_apart_in_one_lane_lose_nothing(void)
{
    const stoa_reductions *tables[STOA_N_SIMD];
    const int n_tables = list_tables(tables);
    const float small[2] = {1 + 0x1p-23F, 0x1.fffffep-3F};

    for (int apart = 0; apart < 100; apart++) {
        for (int lane = 0; lane < 2 * 16; lane++) {
            float rows[64] = {0};
            const float large = ldexpf(0x1.fffffep0F, apart);
            const int from = lane % 16;
            rows[from] = large;
            rows[from + 16] = small[0];
            rows[from + 32] = lane < 16 ? -large : small[1];
            rows[from + 48] = lane < 16 ? small[1] : -large;
            for (int t = 0; t < n_tables; t++) {
                stoa_word sum[2];
                tables[t]->sum[STOA_KIND_FLOAT32](rows, NULL, 64, sum);
                CHECK_F64(sum[0].f64 + sum[1].f64, (double)small[0] + (double)small[1]);
            }
        }
    }
}

static void ranges_are_those_of_the_rows_that_count(void)
{
    static run r;
    const stoa_reductions *tables[STOA_N_SIMD];
    const int n_tables = list_tables(tables);

    for (stoa_kind kind = STOA_KIND_NULL; next_kind(&kind);) {
        for (uint64_t k = check_n_cases(300); k > 0; k--) {
            stoa_word ends[STOA_N_SIMD][2];
            int64_t least = -1;
            int64_t greatest = -1;
            choose(&r, kind);
            for (int64_t i = 0; i < r.n; i++) {
                if (counts(&r, i)) {
                    least = least < 0 || value_at(&r, i) < value_at(&r, least) ? i : least;
                    greatest =
                        greatest < 0 || value_at(&r, i) > value_at(&r, greatest) ? i : greatest;
                }
            }
            spoil(&r);
            for (int t = 0; t < n_tables; t++) {
                tables[t]->range[kind](r.values, mask_of(&r), r.n, ends[t]);
                CHECK_MEM(ends[t], ends[0], sizeof ends[0]);
            }
            if (least < 0) {
                CHECK(stoa_kind_is_float(kind)   ? ends[0][0].f64 > ends[0][1].f64
                      : kind == STOA_KIND_UINT64 ? ends[0][0].u64 > ends[0][1].u64
                                                 : ends[0][0].i64 > ends[0][1].i64);
            } else if (stoa_kind_is_float(kind)) {
                CHECK_F64(ends[0][0].f64, ldexp((double)r.exact[least], -r.scale));
                CHECK_F64(ends[0][1].f64, ldexp((double)r.exact[greatest], -r.scale));
            } else {
                CHECK_I64(ends[0][0].i64, r.exact[least]);
                CHECK_I64(ends[0][1].i64, r.exact[greatest]);
            }
        }
    }
}

static void nans_are_no_extremes(void)
{
    const float singles[] = {NAN, 3, NAN, -2, NAN};
    const double doubles[] = {NAN, -(double)NAN, NAN};
    const stoa_reductions *tables[STOA_N_SIMD];
    const int n_tables = list_tables(tables);

    for (int t = 0; t < n_tables; t++) {
        stoa_word ends[2];
        tables[t]->range[STOA_KIND_FLOAT32](singles, NULL, 5, ends);
        CHECK_F64(ends[0].f64, -2.0);
        CHECK_F64(ends[1].f64, 3.0);
        tables[t]->range[STOA_KIND_FLOAT64](doubles, NULL, 3, ends);
        CHECK_F64(ends[0].f64, (double)INFINITY);
        CHECK_F64(ends[1].f64, -(double)INFINITY);
    }
}

/* Small integers around an integer: nothing is rounded. */
static void squares_are_those_of_differences(void)
{
    static run r;

    for (int f = 0; f < 2; f++) {
        const stoa_kind kind = f == 0 ? STOA_KIND_FLOAT32 : STOA_KIND_FLOAT64;
        for (uint64_t k = check_n_cases(400); k > 0; k--) {
            const int64_t center = (int64_t)check_random_below(2000) - 1000;
            int64_t sum = 0;
            int64_t squares = 0;
            stoa_word off[4];
            choose(&r, kind);
            r.scale = 0;
            for (int64_t i = 0; i < r.n; i++) {
                const int64_t value = (int64_t)check_random_below(100000) - 50000;
                put(&r, r.bytes + ((const unsigned char *)r.values - r.bytes), i, value);
                sum += counts(&r, i) ? value - center : 0;
                squares += counts(&r, i) ? (value - center) * (value - center) : 0;
            }
            spoil(&r);
            squares_of(&r, center, off);
            CHECK_F64(off[0].f64, (double)sum);
            CHECK_F64(off[2].f64, (double)squares);
            CHECK(off[1].f64 == 0 && off[3].f64 == 0);
        }
    }
}

/* What is left of an exact sum beside two doubles that are to be it. */
static double left_of(wide exact, const stoa_word found[2])
{
    return (double)(exact - (wide)found[0].f64 - (wide)found[1].f64);
}

/* Differences of 54 bits, and their squares of 108: what a double cannot hold is in the other. */
static void squares_lose_nothing_that_shows(void)
{
    static run r;

    for (int f = 0; f < 2; f++) {
        const stoa_kind kind = f == 0 ? STOA_KIND_FLOAT32 : STOA_KIND_FLOAT64;
        for (uint64_t k = check_n_cases(400); k > 0; k--) {
            const int64_t center = (int64_t)(check_random() >> (11 + check_random_below(53)));
            stoa_word off[4];
            wide sum = 0;
            wide squares = 0;
            choose(&r, kind);
            r.scale = 0;
            for (int64_t i = 0; i < r.n; i++) {
                const int64_t value = r.exact[i] >> 11;
                const wide away = (wide)value - center;
                put(&r, r.bytes + ((const unsigned char *)r.values - r.bytes), i, value);
                sum += counts(&r, i) ? away : 0;
                squares += counts(&r, i) ? away * away : 0;
            }
            spoil(&r);
            squares_of(&r, center, off);
            CHECK(left_of(sum, off) == 0);
            CHECK(fabs(left_of(squares, off + 2)) <= (double)squares * 0x1p-98);
        }
    }
}

TEST_MAIN(TEST(sums_are_exact_and_the_same_in_every_table),
          TEST(magnitudes_apart_in_one_lane_lose_nothing),
          TEST(ranges_are_those_of_the_rows_that_count), TEST(nans_are_no_extremes),
          TEST(squares_are_those_of_differences), TEST(squares_lose_nothing_that_shows))
