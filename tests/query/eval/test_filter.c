/* Kernels of every instruction set against plain loops, and what a filter evaluates at all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "query/asking.h"
#include "support/sweep.h"

/* Kernels --------------------------------------------------------------------------------- */

enum { MOST = 1000 };

static const stoa_filter_kernels *filters[STOA_N_SIMD];

/* The tables that this processor can run. */
static int all_filters(void)
{
    const int n = (int)stoa_simd_of_cpu() + 1;

    for (int i = 0; i < n; i++) {
        filters[i] = stoa_filter_of((stoa_simd)i);
    }
    return n;
}

static const size_t widths[STOA_N_LANES] = {1, 2, 4, 8, 2, 4, 8};

/* Random bits: half of them near `low`, so that bounds are met. */
static void random_values(stoa_lane lane, uint64_t low, uint8_t *values, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const uint64_t bits =
            check_random_below(2) == 0 ? check_random() : low + check_random_below(9) - 4;
        memcpy(values + (size_t)i * widths[lane], &bits, widths[lane]);
    }
}

static bool lies_within(stoa_lane lane, const uint8_t *value, const stoa_bounds *b)
{
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;

    memcpy(&u8, value, 1);
    memcpy(&u16, value, widths[lane] < 2 ? 1 : 2);
    memcpy(&u32, value, widths[lane] < 4 ? 1 : 4);
    memcpy(&u64, value, widths[lane] < 8 ? 1 : 8);
    memcpy(&f32, value, widths[lane] < 4 ? 1 : 4);
    memcpy(&f64, value, widths[lane] < 8 ? 1 : 8);
    switch (lane) {
    case STOA_LANE_8:
        return (uint8_t)(u8 - (uint8_t)b->low) <= (uint8_t)b->span;
    case STOA_LANE_16:
        return (uint16_t)(u16 - (uint16_t)b->low) <= (uint16_t)b->span;
    case STOA_LANE_32:
        return u32 - (uint32_t)b->low <= (uint32_t)b->span;
    case STOA_LANE_64:
        return u64 - b->low <= b->span;
    case STOA_LANE_F16: /* by sign and size: the negative ones count downwards, from -1 on */
        return (uint16_t)((u16 & 0x8000 ? -1 - (u16 & 0x7fff) : u16) - (int)b->low) <=
               (uint16_t)b->span;
    case STOA_LANE_F32:
        return (double)f32 >= b->least && (double)f32 <= b->greatest;
    default:
        return f64 >= b->least && f64 <= b->greatest;
    }
}

static double random_double(stoa_lane lane)
{
    const uint64_t bits = check_random();
    double x;

    memcpy(&x, &bits, sizeof x);
    x = check_random_below(4) == 0 ? (double)INFINITY : isnan(x) ? -0.0 : x;
    return lane == STOA_LANE_F32 ? (double)(float)x : x;
}

/* A copy that ends where its memory does, from an odd address on: sanitizers see what is read. */
static uint8_t *exact_copy(const uint8_t *values, size_t n_bytes, uint8_t **block)
{
    *block = malloc(n_bytes + 3);
    CHECK(*block != NULL);
    memcpy(*block + 3, values, n_bytes);
    return *block + 3;
}

static void every_kernel_says_what_one_look_at_each_value_says(void)
{
    static uint8_t values[MOST * 8];
    const int n_filters = all_filters();

    for (uint64_t k = check_n_cases(3000); k > 0; k--) {
        const stoa_lane lane = (stoa_lane)(k % STOA_N_LANES);
        const int64_t n = (int64_t)check_random_below(k % 50 == 0 ? MOST : 200);
        const uint64_t span = check_random() >> check_random_below(64);
        stoa_bounds bounds = {.low = check_random(), .span = span};
        bounds.least = random_double(lane);
        bounds.greatest = check_random_below(2) == 0 ? (double)INFINITY : random_double(lane);
        random_values(lane, bounds.low, values, n);
        uint8_t *block;
        const uint8_t *copy = exact_copy(values, (size_t)n * widths[lane], &block);
        for (int f = 0; f < n_filters; f++) {
            uint64_t words[MOST / 64 + 2];
            memset(words, 0xaa, sizeof words);
            filters[f]->within[lane](copy, n, &bounds, words);
            for (int64_t i = 0; i < (n + 63) / 64 * 64; i++) {
                const bool expected =
                    i < n && lies_within(lane, values + (size_t)i * widths[lane], &bounds);
                if ((words[i / 64] >> (i % 64) & 1) != expected) {
                    FAIL("set %d, lane %d, value %lld of %lld", f, (int)lane, (long long)i,
                         (long long)n);
                }
            }
            CHECK_U64(words[(n + 63) / 64], 0xaaaaaaaaaaaaaaaa);
        }
        free(block);
    }
}

static void a_table_of_bytes_is_looked_up(void)
{
    uint8_t values[MOST];
    uint8_t table[33];
    const int n_filters = all_filters();

    for (uint64_t k = check_n_cases(300); k > 0; k--) {
        const int64_t n = (int64_t)check_random_below(MOST);
        for (int64_t i = 0; i < MOST; i++) {
            values[i] = (uint8_t)check_random();
        }
        for (size_t i = 0; i < sizeof table; i++) {
            table[i] = (uint8_t)check_random();
        }
        for (int f = 0; f < n_filters; f++) {
            uint64_t words[MOST / 64 + 1] = {0};
            filters[f]->table(values, n, table, words);
            for (int64_t i = 0; i < (n + 63) / 64 * 64; i++) {
                CHECK_U64(words[i / 64] >> (i % 64) & 1,
                          i < n && (table[values[i] / 8] >> values[i] % 8 & 1));
            }
        }
    }
}

static void rows_that_are_left_open_are_counted(void)
{
    enum { WORDS = 40 };
    uint64_t bits[WORDS];
    uint64_t known[WORDS];
    uint64_t before[WORDS];
    const int n_filters = all_filters();

    for (uint64_t k = check_n_cases(300); k > 0; k--) {
        const size_t n = (size_t)check_random_below(WORDS + 1);
        const uint64_t flip = check_random_below(2) == 0 ? 0 : UINT64_MAX;
        const bool is_known = check_random_below(2) == 0;
        for (size_t i = 0; i < WORDS; i++) {
            bits[i] = check_random();
            known[i] = check_random() | check_random();
            before[i] = check_random() | (check_random_below(4) == 0 ? UINT64_MAX : 0);
        }
        for (int f = 0; f < n_filters; f++) {
            uint64_t open[WORDS];
            int64_t n_left = 0;
            memcpy(open, before, sizeof open);
            const int64_t said = filters[f]->leave(bits, flip, is_known ? known : NULL, n, open);
            for (size_t i = 0; i < 64 * WORDS; i++) {
                const uint64_t at = (uint64_t)1 << i % 64;
                const bool stays = i / 64 >= n || (((bits[i / 64] ^ flip) & at) != 0 &&
                                                   (!is_known || (known[i / 64] & at) != 0));
                CHECK_U64((open[i / 64] & at) != 0, (before[i / 64] & at) != 0 && stays);
                n_left += i / 64 < n && (open[i / 64] & at) != 0;
            }
            CHECK_I64(said, n_left);
            CHECK_I64(filters[f]->count(open, n), n_left);
        }
    }
}

#define CHECK_PAIR(kind, ctype)                                                                    \
    do {                                                                                           \
        for (int f = 0; f < n_filters; f++) {                                                      \
            for (int op = 0; op < STOA_N_PAIRS; op++) {                                            \
                uint64_t words[4] = {0};                                                           \
                filters[f]->pairs[kind][op](a, b, n, words);                                       \
                for (int64_t i = 0; i < (n + 63) / 64 * 64; i++) {                                 \
                    ctype x = 0;                                                                   \
                    ctype y = 0;                                                                   \
                    memcpy(&x, a + (size_t)(i < n ? i : 0) * sizeof x, n > 0 ? sizeof x : 0);      \
                    memcpy(&y, b + (size_t)(i < n ? i : 0) * sizeof y, n > 0 ? sizeof y : 0);      \
                    const bool expected = i < n && (op == STOA_PAIR_EQ   ? x == y                  \
                                                    : op == STOA_PAIR_LT ? x < y                   \
                                                                         : x <= y);                \
                    CHECK_U64(words[i / 64] >> (i % 64) & 1, expected);                            \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    } while (0)

static void columns_are_compared_value_by_value(void)
{
    uint8_t values[2][200 * 8];
    const int n_filters = all_filters();

    for (uint64_t k = check_n_cases(60); k > 0; k--) {
        const int64_t n = (int64_t)check_random_below(200);
        uint8_t *blocks[2];
        for (size_t i = 0; i < sizeof values[0]; i++) {
            values[0][i] = (uint8_t)check_random();
            values[1][i] = check_random_below(3) == 0 ? (uint8_t)check_random() : values[0][i];
        }
        const uint8_t *a = exact_copy(values[0], (size_t)n * 8, &blocks[0]);
        const uint8_t *b = exact_copy(values[1], (size_t)n * 8, &blocks[1]);
        CHECK_PAIR(STOA_KIND_INT8, int8_t);
        CHECK_PAIR(STOA_KIND_INT16, int16_t);
        CHECK_PAIR(STOA_KIND_INT32, int32_t);
        CHECK_PAIR(STOA_KIND_INT64, int64_t);
        CHECK_PAIR(STOA_KIND_UINT8, uint8_t);
        CHECK_PAIR(STOA_KIND_UINT16, uint16_t);
        CHECK_PAIR(STOA_KIND_UINT32, uint32_t);
        CHECK_PAIR(STOA_KIND_UINT64, uint64_t);
        CHECK_PAIR(STOA_KIND_FLOAT32, float);
        CHECK_PAIR(STOA_KIND_FLOAT64, double);
        free(blocks[0]);
        free(blocks[1]);
    }
}

/* Sets ------------------------------------------------------------------------------------ */

static int order_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Lists of every length and width: as bounds, as a table, and hashed. */
static void sets_hold_what_was_put_into_them(void)
{
    static uint64_t list[600];
    static uint8_t values[MOST * 8];
    uint64_t words[MOST / 64 + 1];

    for (uint64_t k = check_n_cases(1500); k > 0; k--) {
        const stoa_lane lane = (stoa_lane)(k % 4);
        const uint64_t all = UINT64_MAX >> (64 - 8 * widths[lane]);
        const uint64_t base = check_random();
        const uint64_t reach = check_random() >> check_random_below(64);
        const size_t n_list = (size_t)check_random_below(k % 3 == 0 ? 600 : 12);
        const int64_t n = (int64_t)check_random_below(MOST);
        stoa_arena arena = {0};
        stoa_set set;
        size_t kept = 0;
        for (size_t i = 0; i < n_list; i++) {
            list[i] = (base + (check_random() & reach)) & all;
        }
        qsort(list, n_list, sizeof *list, order_u64);
        for (size_t i = 0; i < n_list; i++) {
            if (kept == 0 || list[kept - 1] != list[i]) {
                list[kept++] = list[i];
            }
        }
        for (int64_t i = 0; i < n; i++) {
            const uint64_t value = kept > 0 && check_random_below(2) == 0
                                       ? list[check_random_below(kept)] + check_random_below(2)
                                       : check_random();
            memcpy(values + (size_t)i * widths[lane], &value, widths[lane]);
        }
        CHECK_OK(stoa_set_of_list(lane, list, kept, &arena, &set, NULL));
        stoa_set_test(stoa_filter_of(stoa_simd_of_cpu()), &set, values, n, words);
        for (int64_t i = 0; i < n; i++) {
            uint64_t value = 0;
            memcpy(&value, values + (size_t)i * widths[lane], widths[lane]);
            const bool expected = bsearch(&value, list, kept, sizeof value, order_u64) != NULL;
            CHECK_U64(words[i / 64] >> (i % 64) & 1, expected);
        }
        stoa_arena_clear(&arena);
    }
}

/* Codes that no label has, as missing rows may have them, are never in the set. */
static void a_set_of_labels_knows_no_code_past_the_last(void)
{
    uint8_t bits[40];
    uint8_t values[MOST * 8];
    uint64_t words[MOST / 64 + 1];

    for (uint64_t k = check_n_cases(600); k > 0; k--) {
        const stoa_lane lane = (stoa_lane)(k % 4);
        const uint64_t n_labels = check_random_below(300);
        const uint64_t one_in = 1 + check_random_below(20);
        stoa_arena arena = {0};
        stoa_set set;
        memset(bits, 0, sizeof bits);
        for (uint64_t i = 0; i < sizeof bits * 8; i++) { /* behind the last one, too */
            if (check_random_below(one_in) == 0) {
                stoa_bit_set(bits, i);
            }
        }
        random_values(lane, n_labels, values, MOST);
        CHECK_OK(stoa_set_of_bits(lane, bits, n_labels, &arena, &set, NULL));
        stoa_set_test(stoa_filter_of(stoa_simd_of_cpu()), &set, values, MOST, words);
        for (int64_t i = 0; i < MOST; i++) {
            uint64_t code = 0;
            memcpy(&code, values + (size_t)i * widths[lane], widths[lane]);
            CHECK_U64(words[i / 64] >> (i % 64) & 1, code < n_labels && stoa_bit_get(bits, code));
        }
        stoa_arena_clear(&arena);
    }
}

/* Constants moved into stored types --------------------------------------------------------- */

static bool holds(stoa_compare compare, double x, double y)
{
    switch (compare) {
    case STOA_EQ:
        return x == y;
    case STOA_NE:
        return x != y;
    case STOA_LT:
        return x < y;
    case STOA_LE:
        return x <= y;
    case STOA_GT:
        return x > y;
    default:
        return x >= y;
    }
}

/* All 65536 floats of 16 bits, and all neighbours of floats of 32 bits. */
static void a_double_is_moved_exactly_among_narrower_floats(void)
{
    static const double constants[] = {0.0,
                                       -0.0,
                                       5e-324,
                                       -5e-324,
                                       5.9e-8,
                                       6.1e-8,
                                       65504,
                                       65505,
                                       65519.999,
                                       65520,
                                       -65504.0001,
                                       1e300,
                                       -1e300,
                                       INFINITY,
                                       -INFINITY,
                                       NAN,
                                       0.1,
                                       1.0 / 3,
                                       2.5,
                                       16777217.,
                                       1e-45,
                                       1e-46,
                                       3.4028235677973366e38};

    for (int64_t c = 0; c < LENGTH(constants); c++) {
        for (int compare = STOA_EQ; compare <= STOA_GE; compare++) {
            const stoa_vector constant = {.type = {.domain = STOA_DOMAIN_F64},
                                          .as.f64 = &constants[c]};
            const stoa_range_predicate band =
                stoa_range_predicate_of((stoa_compare)compare, &constant);
            stoa_bounds bounds;
            uint64_t word;
            bool some = stoa_range_predicate_bounds(&band, STOA_KIND_FLOAT16, &bounds);
            for (unsigned bits = 0; bits < 65536; bits++) {
                const uint16_t half = (uint16_t)bits;
                stoa_filter_scalar.within[STOA_LANE_F16](&half, 1, &bounds, &word);
                CHECK_U64(
                    (some && word) != band.others,
                    holds((stoa_compare)compare, (double)stoa_f16_to_f32(half), constants[c]));
                bits += bits % 0x400 > 4 && bits % 0x400 < 0x3f0 ? 6 : 0;
            }
            some = stoa_range_predicate_bounds(&band, STOA_KIND_FLOAT32, &bounds);
            float near = nextafterf(nextafterf((float)constants[c], -INFINITY), -INFINITY);
            for (int i = 0; i < 5; i++, near = nextafterf(near, INFINITY)) {
                stoa_filter_scalar.within[STOA_LANE_F32](&near, 1, &bounds, &word);
                CHECK_U64((some && word) != band.others,
                          holds((stoa_compare)compare, (double)near, constants[c]));
            }
        }
    }
}

/* What is evaluated ----------------------------------------------------------------------- */

enum { ROWS = 300 };

/* A unit over a batch whose columns are counted as they are fetched. */
typedef struct unit {
    batch batch;
    stoa_arena arena;
    stoa_scope scope;
    stoa_expr *expr;
    stoa_view views[8];
    int n_fetched[8];
    int fails; /* the column that cannot be fetched, or -1 */
} unit;

static stoa_status fetch(void *context, size_t column, stoa_view *view, stoa_error *err)
{
    unit *u = context;

    u->n_fetched[column]++;
    if ((int)column == u->fails) {
        return stoa_fail(err, STOA_EDATA, "column %d is damaged", (int)column);
    }
    return stoa_view_of(u->batch.schema.children[column], u->batch.array.children[column], view,
                        err);
}

/* x and y: 0 .. 299, x with every tenth missing; z all missing; big: 2^62 where x >= 200; d: "even"
 * or "odd"; s: its digits. */
static unit make_unit(const char *where)
{
    static const char *const parity[] = {"even", "odd"};
    static char digits[ROWS][16];
    const char *labels[ROWS];
    const char *texts[ROWS];
    int64_t values[ROWS];
    int64_t bigs[ROWS];
    bool known[ROWS];
    unit u = {.batch = batch_begin(6, ROWS), .fails = -1};
    const stoa_syntax *tree = NULL;
    stoa_error err = STOA_ERROR_INIT;

    for (int i = 0; i < ROWS; i++) {
        values[i] = i;
        bigs[i] = i >= 200 ? (int64_t)1 << 62 : 1;
        known[i] = i % 10 != 0;
        labels[i] = parity[i % 2];
        snprintf(digits[i], sizeof digits[i], "%d", i);
        texts[i] = digits[i];
    }
    batch_integers(&u.batch, 0, "x", "s", values, known);
    batch_integers(&u.batch, 1, "y", "i", values, NULL);
    batch_integers(&u.batch, 2, "z", "i", values, (bool[ROWS]){false});
    batch_integers(&u.batch, 3, "big", "l", bigs, NULL);
    batch_categories(&u.batch, 4, "d", labels);
    batch_strings(&u.batch, 5, "s", texts);
    CHECK_OK(stoa_scope_open(&u.batch.schema, &u.arena, &u.scope, NULL));
    CHECK_OK(stoa_parse("where", where, NULL, &u.arena, &tree, &err), &err);
    CHECK_OK(stoa_bind(&(stoa_binder){&u.scope, &u.arena}, tree, &u.expr, &err), &err);
    return u;
}

static void unit_end(unit *u)
{
    stoa_arena_clear(&u->arena);
    batch_end(&u->batch);
}

/* Filter the unit in windows of 64 rows, `rounds` times over; how many rows pass in the last. */
static stoa_status filter_unit(unit *u, int rounds, uint64_t *n_passed, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_evaluation ev = {0};
    uint8_t bits[ROWS / 8 + 1];
    int64_t n_selected = 0;
    int64_t n_all = 0;

    STOA_TRY(stoa_evaluation_open(&ev, &u->scope, err));
    ev.fetch = fetch;
    ev.fetch_context = u;
    for (int round = 0; round < rounds; round++) {
        memset(u->n_fetched, 0, sizeof u->n_fetched);
        stoa_evaluation_unit(&ev, u->views);
        n_all = 0;
        for (int64_t at = 0; at < ROWS; at += 64) {
            stoa_evaluation_move(&ev, u->views, at, at + 64 < ROWS ? 64 : ROWS - at);
            STOA_TRY(stoa_eval_filter(&ev, u->expr, bits + at / 8, &n_selected, err));
            n_all += n_selected;
        }
    }
    *n_passed = stoa_bit_count(bits, 0, ROWS);
    CHECK_U64(*n_passed, (uint64_t)n_all);

done:
    stoa_evaluation_clear(&ev);
    return status;
}

static uint64_t passing(unit *u, int rounds)
{
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 0;

    CHECK_OK(filter_unit(u, rounds, &n, &err), &err);
    return n;
}

static void a_column_is_fetched_when_it_is_needed_and_once_a_unit(void)
{
    unit u = make_unit("s like '%7' and d = 'odd' and x > 1000");

    CHECK_U64(passing(&u, 1), 0);
    CHECK_U64((uint64_t)u.n_fetched[0], 1);
    CHECK_U64((uint64_t)u.n_fetched[5],
              0); /* the costliest is the last, and no row is left for it */
    CHECK_U64(passing(&u, 2), 0);
    CHECK_U64((uint64_t)u.n_fetched[0], 1); /* it was seen to let no row through */
    CHECK_U64((uint64_t)u.n_fetched[4], 0);
    unit_end(&u);

    u = make_unit("y >= 290 and s like '%7'");
    CHECK_U64(passing(&u, 3), 1);
    CHECK_U64((uint64_t)u.n_fetched[1], 1);
    CHECK_U64((uint64_t)u.n_fetched[5], 1);
    unit_end(&u);
}

/* 30 of x are missing. What is missing may not come out true, however it is asked. */
static void missing_rows_pass_neither_a_test_nor_its_opposite(void)
{
    static const struct {
        const char *where;
        uint64_t n;
    } cases[] = {
        {"x >= 0", 270},
        {"not (x < 0)", 270},
        {"not (x >= 0)", 0},
        {"x >= 0 and z = 1", 0},
        {"not (x >= 0 and z = 1)", 0},
        {"not (x < 0 and z = 1)", 270}, /* false and missing is false */
        {"x >= 0 or z = 1", 270},
        {"x < 0 or y < 100", 100},
        {"not (x < 0 or z = 1)", 0},
        {"z is null and x is null", 30},
        {"not (z is null and x is null)", 270},
        {"x = 5 or x is null", 31},
        {"x in (5, null)", 1},
        {"not (x in (5, null))", 0},
        {"x between 5 and 14 and y != 7", 8},
        {"x > 5 and x < 5", 0},
        {"null", 0},
        {"x >= 0 and null", 0},
        {"not (x + 1 between 5 and 14)", 261},
    };

    for (int64_t i = 0; i < LENGTH(cases); i++) {
        unit u = make_unit(cases[i].where);
        const uint64_t n = passing(&u, 2);
        if (n != cases[i].n) {
            FAIL("%s: %llu rows, not %llu", cases[i].where, (unsigned long long)n,
                 (unsigned long long)cases[i].n);
        }
        unit_end(&u);
    }
}

/* big * 4 overflows from row 200 on. Of the rows before, the windows to 191 have no others. */
static void parts_that_may_fail_are_not_moved(void)
{
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n;
    unit u = make_unit("y < 192 and big * 4 > 0 and d = 'odd'");

    CHECK_U64(passing(&u, 3), 96);
    unit_end(&u);
    /* No row passes `y < 0`, which is cheaper, and yet it stays behind. */
    u = make_unit("big * 4 > 0 and y < 0");
    for (int rounds = 1; rounds < 4; rounds++) {
        CHECK_STATUS(STOA_ERANGE, filter_unit(&u, rounds, &n, &err));
    }
    unit_end(&u);
    u = make_unit("y >= 0 and big * 4 > 0 and y < 0"); /* nor are its bounds joined with y >= 0 */
    CHECK_STATUS(STOA_ERANGE, filter_unit(&u, 3, &n, &err));
    unit_end(&u);
}

static void a_column_that_cannot_be_fetched_is_an_error(void)
{
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n;
    unit u = make_unit("y >= 0 and s = '7' and x = 7");

    u.fails = 5;
    CHECK_STATUS(STOA_EDATA, filter_unit(&u, 1, &n, &err));
    CHECK_STR(err.message, "column 5 is damaged");
    u.fails = 3; /* which nobody asks for */
    CHECK_U64(passing(&u, 1), 1);
    unit_end(&u);
}

/* Memory ---------------------------------------------------------------------------------- */

static unit swept;

static stoa_status filter_swept(stoa_error *err)
{
    uint64_t n;

    return filter_unit(&swept, 2, &n, err);
}

static void memory_that_runs_out_is_an_error(void)
{
    swept =
        make_unit("(x between 3 and 290 or z is null) and y in (1, 30, 31, 70, 80, 90, 100, 110, "
                  "120, 130, 140, 1000000) and (d in ('odd', 'even') or s like '%7%') and "
                  "x + y > 1 and s != '3' and not (d > 'f' and y > x) and upper(d) != 'X'");
    CHECK(sweep_memory(filter_swept) > 5);
    unit_end(&swept);
}

TEST_MAIN(TEST(every_kernel_says_what_one_look_at_each_value_says),
          TEST(a_table_of_bytes_is_looked_up), TEST(rows_that_are_left_open_are_counted),
          TEST(columns_are_compared_value_by_value), TEST(sets_hold_what_was_put_into_them),
          TEST(a_set_of_labels_knows_no_code_past_the_last),
          TEST(a_double_is_moved_exactly_among_narrower_floats),
          TEST(a_column_is_fetched_when_it_is_needed_and_once_a_unit),
          TEST(missing_rows_pass_neither_a_test_nor_its_opposite),
          TEST(parts_that_may_fail_are_not_moved),
          TEST(a_column_that_cannot_be_fetched_is_an_error), TEST(memory_that_runs_out_is_an_error))
