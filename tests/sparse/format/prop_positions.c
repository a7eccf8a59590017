/*
 * Positions of defined elements, written and read back: every pattern and density, within a tenth
 * of the information that there is, and damaged in every way, for src/sparse/format/positions*.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/format/positions.h"
#include "sparse/format/positions_gaps.h"
#include "support/any_simd.h"
#include "support/check.h"
#include "support/sweep.h"

enum { MOST = 1 << 16 };

/* Elements in a chunk, of which some are marked. */
typedef struct pattern {
    uint64_t n_elements;
    uint32_t *positions;
    size_t n;
} pattern;

static pattern from_marks(const uint8_t *marks, uint64_t n_elements)
{
    pattern made = {.n_elements = n_elements, .positions = calloc(n_elements + 1, 4)};

    for (uint64_t i = 0; i < n_elements; i++) {
        if (marks[i] != 0) {
            made.positions[made.n++] = (uint32_t)i;
        }
    }
    return made;
}

static pattern scattered(uint64_t n_elements, double density)
{
    uint8_t *marks = calloc(n_elements + 1, 1);

    for (uint64_t i = 0; i < n_elements; i++) {
        marks[i] = (double)check_random_below(1u << 30) < density * (1u << 30);
    }
    const pattern made = from_marks(marks, n_elements);
    free(marks);
    return made;
}

/* Runs of up to `longest`, at distances of up to `farthest`. */
static pattern in_runs(uint64_t n_elements, uint64_t longest, uint64_t farthest)
{
    uint8_t *marks = calloc(n_elements + 1, 1);

    for (uint64_t i = check_random_below(farthest + 1); i < n_elements;) {
        for (uint64_t n = 1 + check_random_below(longest); n > 0 && i < n_elements; n--) {
            marks[i++] = 1;
        }
        i += 1 + check_random_below(farthest);
    }
    const pattern made = from_marks(marks, n_elements);
    free(marks);
    return made;
}

static void encode(const pattern *p, stoa_buffer *out)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_positions_encode(p->positions, p->n, p->n_elements, out, &err), &err);
    CHECK(out->size <= stoa_positions_bound(p->n_elements));
}

/* A copy as long as it says, so that a sanitizer sees every step beyond it. */
static stoa_status decode(const uint8_t *bytes, size_t n_bytes, const pattern *p, uint32_t *found)
{
    uint8_t *copy = calloc(n_bytes + (n_bytes == 0), 1);
    stoa_error err = STOA_ERROR_INIT;

    if (n_bytes > 0) {
        memcpy(copy, bytes, n_bytes);
    }
    const stoa_status status =
        stoa_positions_decode(copy, n_bytes, p->n, p->n_elements, found, &err);
    free(copy);
    return status;
}

static void comes_back(const pattern *p)
{
    stoa_buffer out = {0};
    uint32_t *found = calloc(p->n + 1, 4);

    encode(p, &out);
    CHECK_OK(decode(out.data, out.size, p, found));
    CHECK_MEM(found, p->positions, p->n * 4);
    free(found);
    stoa_buffer_clear(&out);
}

static pattern any_pattern(uint64_t n_elements)
{
    static const double densities[] = {0, 0.0001, 0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999, 1};

    return check_random_below(2) == 0
               ? scattered(n_elements, densities[check_random_below(11)])
               : in_runs(n_elements, 1 + check_random_below(100), 1 + check_random_below(2000));
}

static void every_pattern_comes_back(void)
{
    for (unsigned round = 0; round < check_n_cases(2000); round++) {
        pattern p = any_pattern(1 + check_random_below(check_random_below(2) == 0 ? 80 : MOST));
        comes_back(&p);
        free(p.positions);
    }
}

static void the_far_end_of_the_largest_chunk_comes_back(void)
{
    uint32_t few[] = {0, 1, 7, UINT32_MAX - 9, UINT32_MAX - 2, UINT32_MAX - 1};

    for (size_t first = 0; first < 6; first++) {
        const pattern p = {UINT32_MAX, few + first, 6 - first};
        comes_back(&p);
    }
}

/* log2 of n over k. */
static double bits_of(double n, double k)
{
    return (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / log(2);
}

static void scattered_positions_cost_what_they_must(void)
{
    static const double densities[] = {0.0003, 0.001, 0.003, 0.01, 0.03, 0.1,  0.15,
                                       0.2,    0.25,  0.3,   0.35, 0.4,  0.45, 0.5,
                                       0.55,   0.6,   0.7,   0.8,  0.9,  0.97};

    for (size_t i = 0; i < sizeof densities / sizeof *densities; i++) {
        pattern p = scattered(1 << 20, densities[i]);
        stoa_buffer out = {0};
        encode(&p, &out);
        const double ratio = 8.0 * (double)out.size / bits_of(1 << 20, (double)p.n);
        if (ratio > 1.1) {
            FAIL("density %g: %g times the information", densities[i], ratio);
        }
        stoa_buffer_clear(&out);
        free(p.positions);
    }
}

/* Worked by hand from docs/sparse-format.md §4. */
static void forms_are_as_documented(void)
{
    static uint32_t all[] = {0, 1, 2, 3, 4};
    static uint32_t run[] = {300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 310, 313};
    static uint32_t far[] = {3, 20, 24};
    static uint32_t most[] = {0,  1,  2,  3,  4,  5,  6,  8,  9,  10, 11, 12, 13,
                              14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                              27, 28, 29, 30, 31, 32, 33, 34, 35, 37, 38, 39};
    static uint32_t mixed[] = {0, 2, 4, 5, 9, 11, 13, 14};
    static const struct {
        pattern p;
        size_t n;
        uint8_t bytes[8];
    } known[] = {
        {{5, all, 5}, 1, {1}},
        /* two runs: 300 undefined, 11 long (10); 2 undefined (1), 1 long (0) */
        {{1000, run, 12}, 7, {2, 2, 0xac, 0x02, 10, 1, 0}},
        {{16, mixed, 8}, 3, {5, 0x35, 0x6a}},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        stoa_buffer out = {0};
        encode(&known[i].p, &out);
        CHECK_U64(out.size, known[i].n);
        CHECK_MEM(out.data, known[i].bytes, known[i].n);
        stoa_buffer_clear(&out);
    }
    /* Gaps 3, 16, 3: k = 2 leaves lows 11 00 11 and quotients 0, 4, 0: 1, 00001, 1. */
    static const uint8_t gaps[] = {3, 2, 0x33, 0x61};
    const pattern by_gaps = {100, far, 3};
    uint32_t found[40];
    CHECK_OK(decode(gaps, sizeof gaps, &by_gaps, found));
    CHECK_MEM(found, far, sizeof far);
    /* Holes 7 and 36: gaps 7, 28; k = 4 leaves lows 0111 1100 and quotients 0, 1: 1, 01. */
    static const uint8_t holes[] = {4, 4, 0xc7, 0x05};
    const pattern by_holes = {40, most, 38};
    CHECK_OK(decode(holes, sizeof holes, &by_holes, found));
    CHECK_MEM(found, most, sizeof most);
}

/* docs/sparse-format.md §4: no elements take no bytes, and holes are fewer than elements. */
static void lists_that_no_writer_makes_are_damage(void)
{
    static const uint8_t nothing[] = {2, 0};
    static const uint8_t all[] = {1};
    static const uint8_t no_hole[] = {4, 0, 0x01};
    static const uint8_t two_holes[] = {4, 0, 0x0a}; /* 1 and 3 */
    static const uint8_t two_gaps[] = {3, 0, 0x0a};
    static const uint32_t odd[] = {1, 3};
    uint32_t found[8];

    CHECK_OK(decode(NULL, 0, &(pattern){5, NULL, 0}, found));
    CHECK_STATUS(STOA_EDATA, decode(nothing, 2, &(pattern){5, NULL, 0}, found));
    CHECK_STATUS(STOA_EDATA, decode(all, 1, &(pattern){5, NULL, 0}, found));
    CHECK_STATUS(STOA_EDATA, decode(NULL, 0, &(pattern){5, NULL, 1}, found));
    CHECK_OK(decode(all, 1, &(pattern){5, NULL, 5}, found));
    CHECK_STATUS(STOA_EDATA, decode(all, 1, &(pattern){5, NULL, 6}, found));
    CHECK_STATUS(STOA_EDATA, decode(all, 1, &(pattern){5, NULL, 4}, found));
    CHECK_OK(decode(two_gaps, 3, &(pattern){5, NULL, 2}, found));
    CHECK_MEM(found, odd, sizeof odd);
    CHECK_STATUS(STOA_EDATA, decode(two_gaps, 3, &(pattern){1, NULL, 2}, found));
    CHECK_STATUS(STOA_EDATA, decode(no_hole, 3, &(pattern){8, NULL, 8}, found));
    CHECK_STATUS(STOA_EDATA, decode(two_holes, 3, &(pattern){4, NULL, 2}, found));
    CHECK_OK(decode(two_holes, 3, &(pattern){5, NULL, 3}, found));
}

static void is_ascending(const uint32_t *positions, size_t n, uint64_t n_elements)
{
    for (size_t i = 0; i < n; i++) {
        CHECK(positions[i] < n_elements && (i == 0 || positions[i] > positions[i - 1]));
    }
}

static void damage_is_an_error_or_harmless(void)
{
    for (unsigned round = 0; round < check_n_cases(300); round++) {
        pattern p = any_pattern(1 + check_random_below(3000));
        uint32_t *found = calloc(p.n + 1, 4);
        stoa_buffer out = {0};
        encode(&p, &out);
        for (size_t cut = 0; cut < out.size; cut++) {
            CHECK_STATUS(STOA_EDATA, decode(out.data, cut, &p, found));
        }
        for (size_t bit = 0; bit < 8 * out.size && bit < 2000; bit++) {
            out.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            if (decode(out.data, out.size, &p, found) == STOA_OK) {
                is_ascending(found, p.n, p.n_elements);
            }
            out.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        stoa_buffer_clear(&out);
        free(found);
        free(p.positions);
    }
}

static void noise_is_an_error_or_harmless(void)
{
    for (unsigned round = 0; round < check_n_cases(20000); round++) {
        uint8_t noise[64];
        uint32_t found[200];
        pattern p = {1 + check_random_below(check_random_below(2) == 0 ? 200 : UINT32_MAX), NULL,
                     0};
        const size_t n_bytes = check_random_below(sizeof noise);
        p.n = check_random_below(p.n_elements < 200 ? p.n_elements + 1 : 200);
        for (size_t i = 0; i < n_bytes; i++) {
            noise[i] = (uint8_t)check_random();
        }
        noise[0] = (uint8_t)check_random_below(7);
        if (decode(noise, n_bytes, &p, found) == STOA_OK) {
            is_ascending(found, p.n, p.n_elements);
        }
    }
}

static stoa_status both_ways(stoa_error *err)
{
    static uint32_t positions[4000];
    static uint32_t found[4000];
    size_t n = 0;
    stoa_buffer out = {0};

    for (uint32_t i = 0; i < 4000; i++) { /* holes */
        positions[n] = i;
        n += i * 7919 % 100 < 80;
    }
    stoa_status status = stoa_positions_encode(positions, n, 4000, &out, err);
    if (status == STOA_OK) {
        status = stoa_positions_decode(out.data, out.size, n, 4000, found, err);
    }
    stoa_buffer_clear(&out);
    return status;
}

static void memory_may_run_out(void)
{
    CHECK(sweep_memory(both_ways) >= 3);
}

/* Any bits at all: bytes that are not there, and elements past the last one, are not touched. */
static void every_instruction_set_takes_gaps_apart_alike(void)
{
    for (uint64_t i = 0; i < check_n_cases(3000); i++) {
        const unsigned k = (unsigned)check_random_below(32);
        const size_t n = 1 + (size_t)check_random_below(600);
        const size_t n_lows = (n * k + 7) / 8;
        const size_t n_highs = 1 + (size_t)check_random_below(300);
        const uint64_t share = check_random_below(257); /* of 256 bits that are set */
        uint8_t *bytes = malloc(n_lows + n_highs);
        uint32_t *found[2];
        stoa_gaps gaps[2];
        uint64_t bases[2];

        for (size_t j = 0; j < n_lows + n_highs; j++) {
            bytes[j] = (uint8_t)check_random();
        }
        for (size_t j = 0; j < 8 * n_highs; j++) {
            if (check_random_below(256) < share) {
                bytes[n_lows + j / 8] |= (uint8_t)(1 << j % 8);
            } else {
                bytes[n_lows + j / 8] &= (uint8_t) ~(1 << j % 8);
            }
        }
        for (int which = 0; which < 2; which++) {
            stoa_gaps_words *words =
                which == 0 ? stoa_gaps_words_scalar : stoa_gaps_words_of(any_simd());
            gaps[which] =
                (stoa_gaps){.lows = bytes, .end = bytes + n_lows + n_highs, .k = k, .bit = 7};
            found[which] = malloc(n * sizeof(uint32_t));
            bases[which] = words(&gaps[which], bytes + n_lows, 0, 8 * n_highs, n, found[which]);
        }
        CHECK_U64(bases[1], bases[0]);
        CHECK_U64(gaps[1].i, gaps[0].i);
        CHECK_U64(gaps[1].sum, gaps[0].sum);
        CHECK_U64(gaps[1].bit, gaps[0].bit);
        CHECK_MEM(found[1], found[0], gaps[0].i * sizeof(uint32_t));
        free(found[0]);
        free(found[1]);
        free(bytes);
    }
}

TEST_MAIN(TEST(every_instruction_set_takes_gaps_apart_alike), TEST(every_pattern_comes_back),
          TEST(the_far_end_of_the_largest_chunk_comes_back),
          TEST(scattered_positions_cost_what_they_must), TEST(forms_are_as_documented),
          TEST(lists_that_no_writer_makes_are_damage), TEST(damage_is_an_error_or_harmless),
          TEST(noise_is_an_error_or_harmless), TEST(memory_may_run_out))
