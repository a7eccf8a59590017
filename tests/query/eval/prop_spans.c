/* Sums and extremes of spans of values, by each table of kernels: those of a loop over each span,
 * to the bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/eval/spans.h"
#include "support/check.h"

__extension__ typedef __int128 wide;

enum { MOST_VALUES = 300, MOST_SPANS = 40, LONGEST = 40 };

typedef struct values {
    stoa_kind kind;
    int64_t n;
    unsigned char *bytes; /* exactly n values, so that sanitizers see loads beyond them */
} values;

/* Magnitudes of all sizes, and what does not add up as numbers do. */
static double some_float(void)
{
    const double edges[] = {-0.0, NAN, INFINITY, -(double)INFINITY, 0x1p-149, 0x1.fffffep127};
    const double number = (double)(int64_t)check_random() * 0x1p-62;

    return check_random_below(60) == 0 ? edges[check_random_below(6)]
                                       : ldexp(number, (int)check_random_below(70) - 35);
}

static values some_values(stoa_kind kind)
{
    const size_t width = (size_t)stoa_kind_width(kind);
    values v = {kind, (int64_t)check_random_below(MOST_VALUES), NULL};

    v.bytes = malloc((size_t)v.n * width + 1);
    CHECK(v.bytes != NULL);
    for (int64_t i = 0; i < v.n; i++) {
        const double number = some_float();
        const float single = (float)number;
        const uint64_t integer = check_random() | (check_random_below(4) == 0 ? UINT64_MAX : 0);
        memcpy(v.bytes + (size_t)i * width,
               kind == STOA_KIND_FLOAT64   ? (const void *)&number
               : kind == STOA_KIND_FLOAT32 ? (const void *)&single
                                           : (const void *)&integer, /* on little-endian machines */
               width);
    }
    return v;
}

/* Spans anywhere in the values. Some have no values, or -1: a missing list. */
static stoa_spans some_spans(const values *v, int64_t *firsts, int64_t *counts)
{
    const int64_t n = (int64_t)check_random_below(MOST_SPANS + 1);

    for (int64_t i = 0; i < n; i++) {
        firsts[i] = (int64_t)check_random_below((uint64_t)v->n + 1);
        const int64_t left = v->n - firsts[i] < LONGEST ? v->n - firsts[i] : LONGEST;
        counts[i] = (int64_t)check_random_below((uint64_t)left + 2) - 1;
    }
    return (stoa_spans){v->bytes, v->n, firsts, counts, n, false};
}

#define AT(type) ((const type *)(const void *)v->bytes)[i]

static wide integer_at(const values *v, int64_t i)
{
    switch (v->kind) {
    case STOA_KIND_INT8:
        return AT(int8_t);
    case STOA_KIND_INT16:
        return AT(int16_t);
    case STOA_KIND_INT32:
        return AT(int32_t);
    case STOA_KIND_INT64:
        return AT(int64_t);
    case STOA_KIND_UINT8:
        return AT(uint8_t);
    case STOA_KIND_UINT16:
        return AT(uint16_t);
    case STOA_KIND_UINT32:
        return AT(uint32_t);
    default:
        return AT(uint64_t);
    }
}

static void check_floats(const values *v, int64_t first, int64_t count, stoa_word sum,
                         stoa_word lost)
{
    double wanted = 0;
    double wanted_lost = 0;

    for (int64_t i = first; i < first + count; i++) {
        const double value = v->kind == STOA_KIND_FLOAT64 ? AT(double) : (double)AT(float);
        const double next = wanted + value;
        const double added = next - wanted;
        wanted_lost += (wanted - (next - added)) + (value - added);
        wanted = next;
    }
    CHECK_F64(sum.f64, wanted);
    if (isfinite(wanted)) {
        CHECK(signbit(sum.f64) == signbit(wanted));
        CHECK_U64(lost.u64, ((stoa_word){.f64 = wanted_lost}).u64);
    }
}

static void check_extreme(const values *v, int64_t first, int64_t count, bool is_max,
                          stoa_word found)
{
    double wanted = NAN;

    for (int64_t i = first; i < first + count; i++) {
        const double value = v->kind == STOA_KIND_FLOAT64 ? AT(double) : (double)AT(float);
        wanted = isnan(wanted) || (is_max ? value > wanted : value < wanted) ? value : wanted;
    }
    CHECK_F64(found.f64, wanted);
    CHECK(isnan(wanted) || signbit(found.f64) == signbit(wanted));
}

static void check_integers(const values *v, int64_t first, int64_t count, wide before,
                           stoa_word low, stoa_word high)
{
    for (int64_t i = first; i < first + count; i++) {
        before += integer_at(v, i);
    }
    CHECK_U64(low.u64, (uint64_t)before);
    CHECK_U64(high.u64, (uint64_t)(before >> 64));
}

static void sums_are_those_of_a_loop_over_each_span(void)
{
    for (int k = STOA_KIND_INT8; k <= STOA_KIND_FLOAT64; k++) {
        const stoa_kind kind = (stoa_kind)k;
        for (uint64_t c = kind == STOA_KIND_FLOAT16 ? 0 : check_n_cases(400); c > 0; c--) {
            int64_t firsts[MOST_SPANS];
            int64_t counts[MOST_SPANS];
            values v = some_values(kind);
            const stoa_spans spans = some_spans(&v, firsts, counts);
            for (int simd = 0; simd <= (int)stoa_simd_of_cpu(); simd++) {
                stoa_word sums[MOST_SPANS] = {{0}};
                stoa_word more[MOST_SPANS] = {{0}};
                stoa_span_sums_of((stoa_simd)simd, kind)(&spans, sums, more);
                for (int64_t i = 0; i < spans.n && stoa_kind_is_float(kind); i++) {
                    check_floats(&v, firsts[i], counts[i], sums[i], more[i]);
                }
                for (int64_t i = 0; i < spans.n && stoa_kind_is_integer(kind); i++) {
                    check_integers(&v, firsts[i], counts[i], 0, sums[i], more[i]);
                }
            }
            free(v.bytes);
        }
    }
}

/* Spans that lie one behind the other, some of them empty or missing, of values whose magnitudes
 * differ more or less. */
static void sums_of_runs_are_those_of_a_loop_over_each_span(void)
{
    enum { MOST = 3000 };
    float *const all = malloc(MOST * sizeof *all);
    int64_t firsts[MOST];
    int64_t counts[MOST];
    stoa_word sums[MOST];
    stoa_word more[MOST];

    CHECK(all != NULL);
    for (uint64_t c = check_n_cases(400); c > 0; c--) {
        const int64_t n_values = (int64_t)check_random_below(MOST);
        const int64_t longest = 1 + (int64_t)check_random_below(c % 8 == 0 ? 1500 : 40);
        const unsigned widths[] = {1, 12, 18, 19, 20, 21, 22, 30, 250};
        const unsigned width = widths[check_random_below(sizeof widths / sizeof widths[0])];
        const bool is_steep = c % 3 == 0; /* sums as long as they can be */
        const int lowest = (int)check_random_below(277 - width) - 149;
        float *const floats = all + (MOST - n_values); /* sanitizers see loads behind them */
        stoa_spans spans = {floats, n_values, firsts, counts, 0, true};
        for (int64_t i = 0; i < n_values; i++) {
            const float one = (float)(0x1p24 + (double)check_random_below(1 << 24)) * 0x1p-24f;
            const unsigned up = !is_steep                     ? (unsigned)check_random_below(width)
                                : check_random_below(16) != 0 ? width - 1
                                                              : 0;
            floats[i] = check_random_below(2000) == 0 ? (float)some_float()
                        : check_random_below(32) == 0 ? 0.0f
                                                      : ldexpf(one, lowest + (int)up);
            floats[i] = !is_steep && check_random_below(2) == 0 ? -floats[i] : floats[i];
        }
        for (int64_t at = 0;
             spans.n<MOST; at += counts[spans.n]> 0 ? counts[spans.n] : 0, spans.n++) {
            const int64_t left = n_values - at < longest ? n_values - at : longest;
            firsts[spans.n] = at;
            counts[spans.n] = (int64_t)check_random_below((uint64_t)left + 2) - 1;
            if (left == 0 && check_random_below(4) == 0) {
                break;
            }
        }
        const values v = {STOA_KIND_FLOAT32, n_values, (unsigned char *)floats};
        for (int simd = 0; simd <= (int)stoa_simd_of_cpu(); simd++) {
            memset(sums, 0, sizeof sums);
            memset(more, 0, sizeof more);
            stoa_span_sums_of((stoa_simd)simd, STOA_KIND_FLOAT32)(&spans, sums, more);
            for (int64_t i = 0; i < spans.n; i++) {
                check_floats(&v, firsts[i], counts[i], sums[i], more[i]);
            }
        }
    }
    free(all);
}

/* Of few values that are special, so that many spans have nothing else. */
static void extremes_are_those_of_a_loop_over_each_span(void)
{
    const double few[] = {-0.0, 0.0, NAN, INFINITY, -(double)INFINITY};

    for (uint64_t c = check_n_cases(800); c > 0; c--) {
        const stoa_kind kind = c % 2 == 0 ? STOA_KIND_FLOAT32 : STOA_KIND_FLOAT64;
        int64_t firsts[MOST_SPANS];
        int64_t counts[MOST_SPANS];
        values v = some_values(kind);
        const uint64_t n_few = c % 3 == 0 ? 0 : 1 + check_random_below(5);
        for (int64_t i = 0; n_few > 0 && i < v.n; i++) {
            const double value = few[check_random_below(n_few)];
            if (kind == STOA_KIND_FLOAT64) {
                ((double *)(void *)v.bytes)[i] = value;
            } else {
                ((float *)(void *)v.bytes)[i] = (float)value;
            }
        }
        const stoa_spans spans = some_spans(&v, firsts, counts);
        for (int simd = 0; simd <= (int)stoa_simd_of_cpu(); simd++) {
            for (int is_max = 0; is_max < 2; is_max++) {
                stoa_word out[MOST_SPANS];
                stoa_span_extremes_of((stoa_simd)simd, kind)(&spans, is_max != 0, out);
                for (int64_t i = 0; i < spans.n; i++) {
                    if (counts[i] > 0) {
                        check_extreme(&v, firsts[i], counts[i], is_max != 0, out[i]);
                    }
                }
            }
        }
        free(v.bytes);
    }
}

/* What was added before counts as values in front of the span. */
static void sums_go_on(void)
{
    const int64_t firsts[] = {0, 3, 5, 0, 1, 2, 9, 4};
    const int64_t counts[] = {3, 2, 7, 5, 9, 0, -1, 11};
    double numbers[24];
    uint64_t integers[24];

    for (int i = 0; i < 24; i++) {
        numbers[i] = i % 3 == 0 ? 1e17 : -0.3 * i;
        integers[i] = UINT64_MAX - (uint64_t)i;
    }
    for (int simd = 0; simd <= (int)stoa_simd_of_cpu(); simd++) {
        stoa_spans spans = {numbers, 24, firsts, counts, 8, false};
        const values v = {STOA_KIND_UINT64, 24, (unsigned char *)integers};
        stoa_word sums[8] = {{0}};
        stoa_word more[8] = {{0}};
        stoa_word once[8] = {{0}};
        stoa_word once_more[8] = {{0}};
        int64_t heads[8];
        int64_t tails[8];
        int64_t lengths[8];
        for (int i = 0; i < 8; i++) { /* the first value, then the others */
            heads[i] = counts[i] < 1 ? counts[i] : 1;
            tails[i] = firsts[i] + 1;
            lengths[i] = counts[i] - heads[i];
        }
        stoa_span_sums_of((stoa_simd)simd, STOA_KIND_FLOAT64)(&spans, once, once_more);
        spans.counts = heads;
        stoa_span_sums_of((stoa_simd)simd, STOA_KIND_FLOAT64)(&spans, sums, more);
        spans.firsts = tails;
        spans.counts = lengths;
        stoa_span_sums_of((stoa_simd)simd, STOA_KIND_FLOAT64)(&spans, sums, more);
        CHECK_MEM(sums, once, sizeof sums);
        CHECK_MEM(more, once_more, sizeof more);
        for (int i = 0; i < 8; i++) {
            sums[i].u64 = UINT64_MAX;
            more[i].u64 = 5;
        }
        spans = (stoa_spans){integers, 24, firsts, counts, 8, false};
        stoa_span_sums_of((stoa_simd)simd, STOA_KIND_UINT64)(&spans, sums, more);
        for (int i = 0; i < 8; i++) {
            check_integers(&v, firsts[i], counts[i], ((wide)5 << 64) + UINT64_MAX, sums[i],
                           more[i]);
        }
    }
}

static void other_kinds_have_no_kernels(void)
{
    CHECK(stoa_span_sums_of(STOA_SIMD_SCALAR, STOA_KIND_BOOL) == NULL);
    CHECK(stoa_span_sums_of(STOA_SIMD_SCALAR, STOA_KIND_FLOAT16) == NULL);
    CHECK(stoa_span_sums_of(STOA_SIMD_SCALAR, STOA_KIND_DURATION) == NULL);
    CHECK(stoa_span_sums_of(STOA_SIMD_SCALAR, STOA_KIND_LIST) == NULL);
    CHECK(stoa_span_extremes_of(STOA_SIMD_SCALAR, STOA_KIND_FLOAT16) == NULL);
    CHECK(stoa_span_extremes_of(STOA_SIMD_SCALAR, STOA_KIND_INT32) == NULL);
}

TEST_MAIN(TEST(sums_are_those_of_a_loop_over_each_span),
          TEST(sums_of_runs_are_those_of_a_loop_over_each_span), TEST(sums_go_on),
          TEST(extremes_are_those_of_a_loop_over_each_span), TEST(other_kinds_have_no_kernels))
