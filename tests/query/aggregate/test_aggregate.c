/* What aggregates promise at their edges: overflow, infinities, rows that nobody asked for, other
 * dictionaries, many groups, memory that runs out. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/aggregate/aggregate.h"
#include "query/asking.h"
#include "support/sweep.h"

/* One aggregate over batches of one schema, each a window of its own. */
typedef struct asked {
    stoa_arena arena;
    stoa_scope scope;
    stoa_evaluation ev;
    stoa_aggregate aggregate;
    stoa_groups groups;
    size_t n_keys;
    stoa_key *keys;
    uint32_t n_groups;
} asked;

static stoa_status ask(asked *a, const batch *b, const char *text, const char *by, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_binder binder = {&a->scope, &a->arena};
    const stoa_syntax *tree = NULL;
    stoa_item *items = NULL;
    stoa_expr *key = NULL;
    size_t n = 0;

    *a = (asked){.n_keys = by != NULL};
    STOA_TRY(stoa_scope_open(&b->schema, &a->arena, &a->scope, err));
    STOA_TRY(stoa_parse_list("aggregates", text, NULL, &a->arena, &items, &n, err));
    STOA_TRY(stoa_aggregate_bind(&binder, items[0].syntax, &a->aggregate, err));
    if (by != NULL) {
        STOA_TRY(stoa_parse("by", by, NULL, &a->arena, &tree, err));
        STOA_TRY(stoa_bind(&binder, tree, &key, err));
    }
    STOA_TRY(stoa_keys_open((const stoa_expr *const[]){key}, a->n_keys, &a->keys, err));
    stoa_groups_open(&a->groups, a->keys, a->n_keys);
    STOA_TRY(stoa_evaluation_open(&a->ev, &a->scope, err));
    a->n_groups = by == NULL;

done:
    return status;
}

static stoa_status take(asked *a, const batch *b, const uint8_t *selected, int64_t n_selected,
                        stoa_error *err)
{
    stoa_status status = STOA_OK;
    static stoa_view views[4];
    static uint32_t numbers[STOA_WINDOW_ROWS];
    stoa_group_rows rows = {.numbers = numbers};

    for (int64_t i = 0; i < b->n_columns; i++) {
        STOA_TRY(stoa_view_of(b->schema.children[i], b->array.children[i], &views[i], err));
    }
    stoa_evaluation_move(&a->ev, views, 0, b->array.length);
    if (a->n_keys > 0) {
        STOA_TRY(stoa_groups_assign(&a->groups, &a->ev, selected, n_selected, &rows, err));
        a->n_groups = a->groups.n_groups;
    }
    STOA_TRY(stoa_aggregate_update(&a->aggregate, &a->ev, selected, n_selected,
                                   a->n_keys > 0 ? &rows : NULL, err));

done:
    return status;
}

static void asked_clear(asked *a)
{
    stoa_groups_clear(&a->groups);
    stoa_keys_close(a->keys, a->n_keys);
    a->keys = NULL;
    stoa_aggregate_clear(&a->aggregate);
    stoa_evaluation_clear(&a->ev);
    stoa_arena_clear(&a->arena);
}

/* The answer of the one group, or of group i, as a double. */
static double number_of(asked *a, uint32_t group)
{
    stoa_arena arena = {0};
    stoa_vector out;

    CHECK_OK(stoa_aggregate_result(&a->aggregate, group, 1, &arena, &out, NULL));
    CHECK(!stoa_vector_is_null(&out, 0));
    const double value = out.type.domain == STOA_DOMAIN_F64 ? out.as.f64[0] : (double)out.as.i64[0];
    stoa_arena_clear(&arena);
    return value;
}

static double answer(const batch *b, const char *text, const char *by)
{
    stoa_error err = STOA_ERROR_INIT;
    asked a;

    CHECK_OK(ask(&a, b, text, by, &err), &err);
    CHECK_OK(take(&a, b, NULL, b->array.length, &err), &err);
    const double value = number_of(&a, 0);
    asked_clear(&a);
    return value;
}

/* Floats ------------------------------------------------------------------------------------ */

static double float_answer(const double *values, int64_t n, const char *text)
{
    static const int64_t zeros[1024];
    double found[2];
    batch b = batch_begin(2, n);

    batch_floats(&b, 0, "x", "g", values, NULL);
    batch_integers(&b, 1, "k", "c", zeros, NULL);
    found[0] = answer(&b, text, NULL);
    found[1] = answer(&b, text, "k");
    CHECK(found[0] == found[1] || (isnan(found[0]) && isnan(found[1])));
    batch_end(&b);
    return found[0];
}

static void what_rounding_loses_is_kept(void)
{
    double values[1000];

    for (int i = 0; i < 1000; i++) {
        values[i] = i % 2 == 0 ? 1e16 : 1.0;
    }
    for (int i = 0; i < 1000; i += 4) { /* 250 times 1e16 - 1e16, and 500 ones */
        values[i] = -1e16;
    }
    CHECK_F64(float_answer(values, 1000, "sum(x)"), 500.0);
    CHECK_F64(float_answer(values, 1000, "mean(x)"), 0.5);
}

/* Small whole numbers, and pairs of great ones that cancel, 2^spread times as great. Whatever the
 * spread, groups of floats of 32 bits lose nothing, and missing rows are left out. */
static void groups_of_narrow_floats_lose_nothing(void)
{
    enum { N = 4096, N_GROUPS = 3 };
    static double values[N];
    static int64_t keys[N];
    static bool valid[N];

    for (int spread = 0; spread <= 90; spread++) {
        int64_t sums[N_GROUPS] = {0};
        stoa_error err = STOA_ERROR_INIT;
        asked a;
        batch b = batch_begin(2, N);
        for (int i = 0; i < N; i += 2) {
            const bool great = check_random_below(2) == 0;
            const int64_t number = (int64_t)check_random_below(1 << 20) - (1 << 19);
            const int group = (i / 2) % N_GROUPS;
            values[i] = great ? ldexp((double)number, spread) : (double)number;
            values[i + 1] = great ? -values[i] : 1.0;
            valid[i] = valid[i + 1] = check_random_below(8) != 0;
            keys[i] = keys[i + 1] = group;
            sums[group] += great || !valid[i] ? 0 : number + 1;
        }
        batch_floats(&b, 0, "x", "f", values, valid);
        batch_integers(&b, 1, "k", "c", keys, NULL);
        CHECK_OK(ask(&a, &b, "sum(x)", "k", &err), &err);
        CHECK_OK(take(&a, &b, NULL, N, &err), &err);
        for (uint32_t group = 0; group < N_GROUPS; group++) {
            CHECK_F64(number_of(&a, group), (double)sums[group]);
        }
        asked_clear(&a);
        batch_end(&b);
    }
}

/* Of one group only rows that do not count are infinite; of the other there is one that does. */
static void infinities_of_other_rows_rule_no_group(void)
{
    enum { N = 256 };
    double values[N];
    int64_t keys[N];
    uint8_t selected[N / 8];
    stoa_error err = STOA_ERROR_INIT;
    asked a;
    batch b = batch_begin(2, N);

    memset(selected, 0xff, sizeof selected);
    for (int i = 0; i < N; i++) {
        keys[i] = i % 2;
        values[i] = i % 8 == 4 ? NAN : i == 1 ? (double)INFINITY : 1.0;
        if (i % 8 == 4) {
            selected[i / 8] &= (uint8_t) ~(1u << (i % 8));
        }
    }
    batch_floats(&b, 0, "x", "f", values, NULL);
    batch_integers(&b, 1, "k", "c", keys, NULL);
    CHECK_OK(ask(&a, &b, "sum(x)", "k", &err), &err);
    CHECK_OK(take(&a, &b, selected, N - N / 8, &err), &err);
    CHECK_F64(number_of(&a, 0), N / 2 - N / 8);
    CHECK_F64(number_of(&a, 1), (double)INFINITY);
    asked_clear(&a);
    batch_end(&b);
}

static void a_sum_that_ends_within_doubles_does_not_overflow_on_the_way(void)
{
    double values[640];

    for (int i = 0; i < 640; i++) {
        values[i] = i % 2 == 0 ? DBL_MAX : -DBL_MAX;
    }
    CHECK_F64(float_answer(values, 640, "sum(x)"), 0.0);
    values[639] = 3;
    CHECK_F64(float_answer(values, 640, "sum(x)"), DBL_MAX);
}

static void infinities_and_nans_rule_a_sum(void)
{
    double values[100] = {0};

    values[20] = INFINITY;
    CHECK_F64(float_answer(values, 100, "sum(x)"), (double)INFINITY);
    values[90] = -INFINITY;
    CHECK(isnan(float_answer(values, 100, "sum(x)")));
    values[90] = NAN;
    CHECK(isnan(float_answer(values, 100, "mean(x)")));
    CHECK(isnan(float_answer(values, 100, "stddev(x)")));
    CHECK_F64(float_answer(values, 100, "max(x)"), (double)INFINITY);
    CHECK_F64(float_answer(values, 100, "min(x)"), 0.0);
    CHECK_F64(float_answer(values, 100, "count(x)"), 100.0);
}

static void equal_values_deviate_by_nothing(void)
{
    double values[777];

    for (int i = 0; i < 777; i++) {
        values[i] = 0.1;
    }
    CHECK_F64(float_answer(values, 777, "stddev(x)"), 0.0);
    CHECK_F64(float_answer(values, 777, "median(x)"), 0.1);
    values[0] = 1e300;
    values[1] = -1e300;
    CHECK(float_answer(values, 777, "stddev(x)") > 1e298); /* its square is no double */
}

static void the_first_of_two_zeros_stays(void)
{
    double values[100];

    for (int i = 0; i < 100; i++) {
        values[i] = i + 1;
    }
    values[70] = -0.0;
    values[99] = 0.0;
    CHECK(signbit(float_answer(values, 100, "min(x)")));
    values[3] = 0.0;
    CHECK(!signbit(float_answer(values, 100, "min(x)")));
}

/* Integers ---------------------------------------------------------------------------------- */

static void an_integer_sum_is_refused_only_if_it_ends_outside(void)
{
    const int64_t values[] = {INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN, 7};
    const int64_t same[] = {4, 4, 4, 4, 4};

    for (int grouped = 0; grouped < 2; grouped++) {
        for (int64_t n = 2; n <= 5; n += 3) {
            stoa_error err = STOA_ERROR_INIT;
            stoa_arena arena = {0};
            stoa_vector out;
            asked a;
            batch b = batch_begin(2, n);
            batch_integers(&b, 0, "x", "l", values, NULL);
            batch_integers(&b, 1, "k", "l", same, NULL);
            CHECK_OK(ask(&a, &b, "sum(x)", grouped ? "k" : NULL, &err), &err);
            CHECK_OK(take(&a, &b, NULL, n, &err), &err);
            const stoa_status status =
                stoa_aggregate_result(&a.aggregate, 0, 1, &arena, &out, &err);
            if (n == 2) {
                CHECK_STATUS(STOA_ERANGE, status);
                CHECK_CONTAINS(err.message, "the sum does not fit int64");
            } else {
                CHECK_OK(status, &err);
                CHECK_I64(out.as.i64[0], 5);
            }
            stoa_arena_clear(&arena);
            asked_clear(&a);
            batch_end(&b);
        }
    }
}

/* 3 * (2^53 + 1) lies between doubles; a cast of each value would lose its last bit. */
static void a_sum_of_integers_as_doubles_is_rounded_once(void)
{
    const int64_t values[] = {9007199254740993, 9007199254740993, 9007199254740993};
    const int64_t most[] = {INT64_MAX, INT64_MAX, INT64_MAX};
    const int64_t same[] = {4, 4, 4};

    for (int grouped = 0; grouped < 2; grouped++) {
        const char *by = grouped ? "k" : NULL;
        batch b = batch_begin(2, 3);
        batch_integers(&b, 0, "x", "l", values, NULL);
        batch_integers(&b, 1, "k", "l", same, NULL);
        CHECK_F64(answer(&b, "sum(x::double)", by), 27021597764222980.0);
        CHECK_F64(answer(&b, "mean(cast(x as double))", by), 27021597764222980.0 / 3);
        batch_end(&b);
        b = batch_begin(2, 3);
        batch_integers(&b, 0, "x", "l", most, NULL);
        batch_integers(&b, 1, "k", "l", same, NULL);
        CHECK_F64(answer(&b, "sum(x::double)", by), 3 * 0x1p63);
        batch_end(&b);
    }
}

static void an_overflow_in_a_row_that_nobody_asked_for_is_none(void)
{
    const int64_t values[] = {1, INT64_MAX, 3, 4, INT64_MAX};
    const uint8_t asked_for = 0x0d;
    const uint8_t one_more = 0x0f;

    for (int grouped = 0; grouped < 2; grouped++) {
        stoa_error err = STOA_ERROR_INIT;
        asked a;
        batch b = batch_begin(1, 5);
        batch_integers(&b, 0, "x", "l", values, NULL);
        CHECK_OK(ask(&a, &b, "sum(x * 10)", grouped ? "x * 10 > 0" : NULL, &err), &err);
        CHECK_OK(take(&a, &b, &asked_for, 3, &err), &err);
        CHECK_F64(number_of(&a, 0), 80.0);
        CHECK_STATUS(STOA_ERANGE, take(&a, &b, &one_more, 4, &err));
        CHECK_CONTAINS(err.message, "x * 10");
        asked_clear(&a);
        batch_end(&b);
    }
}

/* Groups ------------------------------------------------------------------------------------ */

/* Keys far apart, keys close together, and keys that move: groups keep the order in which they
 * came, whichever way they went. */
static void groups_are_the_same_for_any_range_of_keys(void)
{
    static const int64_t steps[] = {1, 3, 1000, 1 << 19, INT64_C(1) << 40};
    static int64_t keys[2000];
    static int64_t values[2000];

    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        stoa_error err = STOA_ERROR_INIT;
        asked a;
        batch first = batch_begin(2, 2000);
        batch b = batch_begin(2, 2000);
        for (int i = 0; i < 2000; i++) {
            keys[i] = -(i % 701) * steps[s];
            values[i] = i % 701;
        }
        batch_integers(&first, 0, "x", "i", values, NULL);
        batch_integers(&first, 1, "k", "l", keys, NULL);
        for (int i = 0; i < 2000; i++) { /* the same groups from behind, and 99 more */
            keys[i] = -((799 - i % 800)) * steps[s];
            values[i] = 799 - i % 800;
        }
        batch_integers(&b, 0, "x", "i", values, NULL);
        batch_integers(&b, 1, "k", "l", keys, NULL);
        CHECK_OK(ask(&a, &first, "max(x)", "k", &err), &err);
        CHECK_OK(take(&a, &first, NULL, 2000, &err), &err);
        CHECK_U64(a.n_groups, 701);
        CHECK_OK(take(&a, &b, NULL, 2000, &err), &err);
        CHECK_U64(a.n_groups, 800);
        for (uint32_t i = 0; i < 701; i++) {
            CHECK_F64(number_of(&a, i), (double)i);
        }
        CHECK_F64(number_of(&a, 701), 799.0);
        CHECK_F64(number_of(&a, 799), 701.0);
        asked_clear(&a);
        batch_end(&b);
        batch_end(&first);
    }
}

static void another_dictionary_has_the_same_labels(void)
{
    static const char *const one[] = {"a", "b", "c", NULL, "b"};
    static const char *const other[] = {"c", "d", "b", "a", NULL};
    const int64_t values[] = {1, 10, 100, 1000, 10000};
    static const double sums[] = {1001, 10110, 101, 11000, 10};
    stoa_error err = STOA_ERROR_INIT;
    asked a;
    asked distinct;
    batch b[2];

    for (int i = 0; i < 2; i++) {
        b[i] = batch_begin(2, 5);
        batch_integers(&b[i], 0, "x", "i", values, NULL);
        batch_categories(&b[i], 1, "k", i == 0 ? one : other);
    }
    CHECK_OK(ask(&a, &b[0], "sum(x)", "k", &err), &err);
    CHECK_OK(ask(&distinct, &b[0], "distinct(k)", NULL, &err), &err);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(take(&a, &b[i], NULL, 5, &err), &err);
        CHECK_OK(take(&distinct, &b[i], NULL, 5, &err), &err);
    }
    CHECK_U64(a.n_groups, 5);
    for (uint32_t i = 0; i < 5; i++) {
        CHECK_F64(number_of(&a, i), sums[i]);
    }
    CHECK_F64(number_of(&distinct, 0), 4.0);
    asked_clear(&a);
    asked_clear(&distinct);
    batch_end(&b[0]);
    batch_end(&b[1]);
}

/* Of two keys, one has the dictionary it had, at the same place, and the other another one. */
static void one_of_two_dictionaries_may_change(void)
{
    static const char *const stays[] = {"a", "b", "a"};
    static const char *const one[] = {"x", "y", "z"};
    static const char *const other[] = {"z", "x", "w"};
    const int64_t values[] = {1, 10, 100};
    static const double sums[] = {1, 10, 101, 10, 100}; /* ax, by, az, bx, aw */
    stoa_error err = STOA_ERROR_INIT;
    stoa_view views[3];
    uint32_t numbers[64];
    stoa_group_rows rows = {.numbers = numbers};
    batch b[2];
    asked a;

    for (int i = 0; i < 2; i++) {
        b[i] = batch_begin(3, 3);
        batch_integers(&b[i], 0, "n", "i", values, NULL);
        batch_categories(&b[i], 1, "p", stays);
        batch_categories(&b[i], 2, "q", i == 0 ? one : other);
    }
    CHECK_OK(ask(&a, &b[0], "sum(n)", "p", &err), &err);
    stoa_groups_clear(&a.groups);
    stoa_keys_close(a.keys, a.n_keys);
    const stoa_expr keys[] = {
        {.op = STOA_OP_COLUMN, .type = {.domain = STOA_DOMAIN_TEXT}, .column = 1},
        {.op = STOA_OP_COLUMN, .type = {.domain = STOA_DOMAIN_TEXT}, .column = 2}};
    a.n_keys = 2;
    CHECK_OK(stoa_keys_open((const stoa_expr *const[]){&keys[0], &keys[1]}, 2, &a.keys, NULL));
    stoa_groups_open(&a.groups, a.keys, a.n_keys);
    for (int i = 0; i < 2; i++) {
        for (int c = 0; c < 3; c++) {
            const batch *from = &b[c == 2 ? i : 0];
            CHECK_OK(
                stoa_view_of(from->schema.children[c], from->array.children[c], &views[c], &err),
                &err);
        }
        stoa_evaluation_move(&a.ev, views, 0, 3);
        CHECK_OK(stoa_groups_assign(&a.groups, &a.ev, NULL, 3, &rows, &err), &err);
        CHECK_OK(stoa_aggregate_update(&a.aggregate, &a.ev, NULL, 3, &rows, &err), &err);
    }
    CHECK_U64(a.groups.n_groups, 5);
    for (uint32_t i = 0; i < 5; i++) {
        CHECK_F64(number_of(&a, i), sums[i]);
    }
    asked_clear(&a);
    batch_end(&b[0]);
    batch_end(&b[1]);
}

/* Memory ------------------------------------------------------------------------------------ */

/* 2 GiB are not made for it: what was gathered before is said to be longer than it is. */
static void texts_of_a_group_are_2_gib_at_most(void)
{
    static const char *const texts[] = {"abc"};
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(1, 1);
    asked a;

    batch_strings(&b, 0, "s", texts);
    CHECK_OK(ask(&a, &b, "string_agg(s, '-')", NULL, &err), &err);
    CHECK_OK(take(&a, &b, NULL, 1, &err), &err);
    stoa_cells(&a.aggregate)->a.u64 = INT32_MAX - 4;
    CHECK_OK(take(&a, &b, NULL, 1, &err), &err);
    CHECK_STATUS(STOA_ERANGE, take(&a, &b, NULL, 1, &err));
    CHECK_CONTAINS(err.message, "string_agg: the texts of a group are longer than 2 GiB");
    asked_clear(&a);
    batch_end(&b);
}

static batch swept;

static stoa_status everything(stoa_error *err)
{
    static const char *const texts[] = {"mean(x)", "min(s)", "median(x)", "distinct(c)",
                                        "distinct(s)"};
    stoa_status status = STOA_OK;
    asked a[2] = {{.n_keys = 0}};
    uint32_t ids[16];

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        STOA_TRY(ask(&a[0], &swept, texts[i], "c", err));
        STOA_TRY(take(&a[0], &swept, NULL, swept.array.length, err));
        STOA_TRY(ask(&a[1], &swept, texts[i], "c", err));
        stoa_keys_close(a[1].keys, a[1].n_keys);
        a[1].keys = NULL;
        STOA_TRY(stoa_keys_share(a[0].keys, a[0].n_keys, &a[1].keys, err));
        stoa_groups_open(&a[1].groups, a[1].keys, a[1].n_keys);
        STOA_TRY(take(&a[1], &swept, NULL, swept.array.length, err));
        STOA_TRY(stoa_groups_merge(&a[0].groups, &a[1].groups, 0, a[1].groups.n_groups, ids, err));
        STOA_TRY(
            stoa_aggregate_merge(&a[0].aggregate, &a[1].aggregate, ids, a[0].groups.n_groups, err));
        stoa_arena arena = {0};
        stoa_vector out;
        status = stoa_aggregate_result(&a[0].aggregate, 0, a[0].groups.n_groups, &arena, &out, err);
        stoa_arena_clear(&arena);
        STOA_TRY(status);
        asked_clear(&a[1]); /* whose keys share those of the first */
        asked_clear(&a[0]);
    }

done:
    asked_clear(&a[1]);
    asked_clear(&a[0]);
    return status;
}

static void memory_that_runs_out_is_said_and_nothing_leaks(void)
{
    static const char *const texts[] = {"one", "two", NULL, "three", "one", "four", "two", "five"};
    static const char *const labels[] = {"a", "b", "a", "c", NULL, "c", "b", "a"};
    const double values[] = {1, 2, 3, 4, 5, 6, 7, 8};

    swept = batch_begin(3, 8);
    batch_floats(&swept, 0, "x", "f", values, NULL);
    batch_strings(&swept, 1, "s", texts);
    batch_categories(&swept, 2, "c", labels);
    CHECK(sweep_memory(everything) > 50);
    batch_end(&swept);
}

TEST_MAIN(TEST(what_rounding_loses_is_kept), TEST(groups_of_narrow_floats_lose_nothing),
          TEST(infinities_of_other_rows_rule_no_group),
          TEST(a_sum_of_integers_as_doubles_is_rounded_once),
          TEST(a_sum_that_ends_within_doubles_does_not_overflow_on_the_way),
          TEST(infinities_and_nans_rule_a_sum), TEST(equal_values_deviate_by_nothing),
          TEST(the_first_of_two_zeros_stays),
          TEST(an_integer_sum_is_refused_only_if_it_ends_outside),
          TEST(an_overflow_in_a_row_that_nobody_asked_for_is_none),
          TEST(groups_are_the_same_for_any_range_of_keys),
          TEST(another_dictionary_has_the_same_labels), TEST(one_of_two_dictionaries_may_change),
          TEST(texts_of_a_group_are_2_gib_at_most),
          TEST(memory_that_runs_out_is_said_and_nothing_leaks))
