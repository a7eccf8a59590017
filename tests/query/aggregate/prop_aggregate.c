/* Aggregates of random columns, windows, selections, groups and parts say what a plain loop over
 * the rows says; and which parts they were, shows in no bit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/grouped.h"

__extension__ typedef __int128 wide;

/* Stoa's answer ----------------------------------------------------------------------------- */

typedef struct answer {
    stoa_key *keys;
    size_t n_keys;
    stoa_groups groups;
    stoa_aggregate aggregate;
    uint32_t n_groups;
} answer;

static void answer_open(answer *a, const question *q)
{
    *a = (answer){.n_keys = q->n_keys, .n_groups = q->n_keys == 0};
    open_groups(q, &a->groups, &a->keys);
    CHECK_OK(stoa_aggregate_clone(&q->aggregate, &a->aggregate, NULL));
}

static void answer_clear(answer *a)
{
    stoa_groups_clear(&a->groups);
    stoa_keys_close(a->keys, a->n_keys);
    stoa_aggregate_clear(&a->aggregate);
}

static void take_window(answer *a, const question *q, stoa_evaluation *ev, const rows *r,
                        int64_t first, int64_t end)
{
    static taken t;
    stoa_error err = STOA_ERROR_INIT;

    take_rows(&t, q, &a->groups, ev, r, first, end);
    a->n_groups = q->n_keys > 0 ? a->groups.n_groups : a->n_groups;
    CHECK_OK(stoa_aggregate_update(&a->aggregate, ev, r->all ? NULL : t.selected, t.n_selected,
                                   q->n_keys > 0 ? &t.groups : NULL, &err),
             &err);
}

static void merge(answer *into, const answer *from, const question *q)
{
    uint32_t *ids = stoa_alloc((size_t)from->n_groups, sizeof *ids);

    CHECK(ids != NULL);
    if (q->n_keys > 0) {
        CHECK_OK(
            stoa_groups_merge(&into->groups, &from->groups, 0, from->groups.n_groups, ids, NULL));
        into->n_groups = into->groups.n_groups;
    }
    CHECK_OK(stoa_aggregate_merge(&into->aggregate, &from->aggregate, q->n_keys > 0 ? ids : NULL,
                                  into->n_groups, NULL));
    free(ids);
}

static void answer_by(answer *a, const question *q, const rows *r, const cuts *c, stoa_simd simd)
{
    stoa_evaluation ev;
    answer part;
    int64_t first = 0;

    CHECK_OK(stoa_evaluation_open(&ev, &q->scope, NULL));
    answer_open(a, q);
    answer_open(&part, q);
    for (size_t i = 0; i < c->n; i++) {
        part.aggregate.reduce = stoa_reductions_of(simd);
        part.aggregate.kernels = stoa_group_kernels_of(simd);
        part.groups.reduce = stoa_reductions_of(simd);
        part.groups.kernels = stoa_group_kernels_of(simd);
        take_window(&part, q, &ev, r, first, c->windows[i]);
        first = c->windows[i];
        if (c->ends_part[i] || i + 1 == c->n) {
            merge(a, &part, q);
            answer_clear(&part);
            answer_open(&part, q);
        }
    }
    answer_clear(&part);
    stoa_evaluation_clear(&ev);
}

/* The plain loop ---------------------------------------------------------------------------- */

typedef struct plain_groups {
    int64_t first[MAX_ROWS]; /* a row of it */
    int of_row[MAX_ROWS];
    int n;
} plain_groups;

/* Floats: the texts of -0 and 0 differ, the keys do not. */
static bool same_key(const stoa_view *view, int64_t a, int64_t b)
{
    if (stoa_kind_is_float(view->type.kind) && !stoa_view_is_null(view, a) &&
        !stoa_view_is_null(view, b)) {
        const double x = stoa_view_f64(view, a);
        const double y = stoa_view_f64(view, b);
        return x == y || (isnan(x) && isnan(y));
    }
    return strcmp(value_text(view, a), value_text(view, b)) == 0;
}

static void find_groups(plain_groups *g, const question *q, const rows *r)
{
    g->n = q->n_keys == 0;
    for (int64_t row = 0; row < r->n; row++) {
        int group = q->n_keys == 0 ? 0 : g->n;
        g->of_row[row] = -1;
        if (!is_selected(r, row)) {
            continue;
        }
        for (int i = 0; i < g->n && group == g->n; i++) {
            bool same = true;
            for (size_t k = 0; k < q->n_keys && same; k++) {
                same = same_key(&r->views[q->key_columns[k]], g->first[i], row);
            }
            group = same ? i : group;
        }
        if (group == g->n) {
            g->first[g->n++] = row;
        }
        g->of_row[row] = group;
    }
}

/* The rows of a group that have a value. */
static int64_t list_values(const plain_groups *g, int group, const stoa_view *view, int64_t n,
                           int64_t *out)
{
    int64_t n_out = 0;

    for (int64_t row = 0; row < n; row++) {
        if (g->of_row[row] == group && !stoa_view_is_null(view, row)) {
            out[n_out++] = row;
        }
    }
    return n_out;
}

static bool is_float(const stoa_view *view)
{
    return stoa_kind_is_float(view->type.kind);
}

static double number_at(const stoa_view *view, int64_t row)
{
    return is_float(view)                        ? stoa_view_f64(view, row)
           : view->type.kind == STOA_KIND_UINT64 ? (double)(uint64_t)stoa_view_i64(view, row)
                                                 : (double)stoa_view_i64(view, row);
}

/* Sums of multiples of 2^-10 without rounding; what is not finite rules. */
static double float_total(const stoa_view *view, const int64_t *list, int64_t n)
{
    wide sum = 0;
    double special = 0;

    for (int64_t i = 0; i < n; i++) {
        const double value = stoa_view_f64(view, list[i]);
        if (isfinite(value)) {
            sum += (wide)(value * 1024);
        } else {
            special += value;
        }
    }
    return special != 0 ? special : (double)sum / 1024;
}

static wide integer_total(const stoa_view *view, const int64_t *list, int64_t n)
{
    wide sum = 0;

    for (int64_t i = 0; i < n; i++) {
        const int64_t value = stoa_view_i64(view, list[i]);
        sum += view->type.kind == STOA_KIND_UINT64 ? (wide)(uint64_t)value : (wide)value;
    }
    return sum;
}

static double mean_of(const stoa_view *view, const int64_t *list, int64_t n)
{
    return (is_float(view) ? float_total(view, list, n) : (double)integer_total(view, list, n)) /
           (double)n;
}

static double deviation_of(const stoa_view *view, const int64_t *list, int64_t n)
{
    const double mean = mean_of(view, list, n);
    double squares = 0;

    for (int64_t i = 0; i < n; i++) {
        const double off = number_at(view, list[i]) - mean;
        squares += off * off;
    }
    return sqrt(squares / (double)(n - 1));
}

static int order_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    if (isnan(x) || isnan(y)) {
        return isnan(x) - isnan(y);
    }
    return (x > y) - (x < y);
}

static double quantile_of(const stoa_view *view, const int64_t *list, int64_t n, double p)
{
    static double sorted[MAX_ROWS];
    const double place = p * (double)(n - 1);
    const int64_t low = (int64_t)place;

    for (int64_t i = 0; i < n; i++) {
        sorted[i] = number_at(view, list[i]);
    }
    qsort(sorted, (size_t)n, sizeof *sorted, order_numbers);
    if ((double)low == place || sorted[low] == sorted[low + 1]) {
        return sorted[low];
    }
    return sorted[low] + (place - (double)low) * (sorted[low + 1] - sorted[low]);
}

static bool is_less(const stoa_view *view, int64_t a, int64_t b)
{
    if (is_float(view)) {
        return stoa_view_f64(view, a) < stoa_view_f64(view, b);
    }
    if (view->type.kind == STOA_KIND_UINT64) {
        return (uint64_t)stoa_view_i64(view, a) < (uint64_t)stoa_view_i64(view, b);
    }
    if (stoa_kind_is_string(view->type.kind) || view->type.kind == STOA_KIND_DICTIONARY) {
        char texts[2][64];
        (void)snprintf(texts[0], sizeof texts[0], "%s", value_text(view, a));
        (void)snprintf(texts[1], sizeof texts[1], "%s", value_text(view, b));
        for (int i = 0; i < 2; i++) { /* without the quote at the end, which sorts like a letter */
            texts[i][strlen(texts[i]) - 1] = '\0';
        }
        return strcmp(texts[0], texts[1]) < 0;
    }
    return stoa_view_i64(view, a) < stoa_view_i64(view, b);
}

/* The row of the first of the extremes; of NaNs only where there is nothing else. */
static int64_t extreme_of(const stoa_view *view, const int64_t *list, int64_t n, bool least)
{
    int64_t best = list[0];

    for (int64_t i = 1; i < n; i++) {
        const bool was_nan = is_float(view) && isnan(stoa_view_f64(view, best));
        const bool is_nan = is_float(view) && isnan(stoa_view_f64(view, list[i]));
        const bool better = least ? is_less(view, list[i], best) : is_less(view, best, list[i]);
        best = better || (was_nan && !is_nan) ? list[i] : best;
    }
    return best;
}

static int64_t count_distinct(const stoa_view *view, const int64_t *list, int64_t n)
{
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++) {
        bool is_new = true;
        for (int64_t j = 0; j < i && is_new; j++) {
            is_new = !same_key(view, list[j], list[i]);
        }
        count += is_new;
    }
    return count;
}

/* Comparing --------------------------------------------------------------------------------- */

static void check_float(const stoa_view *found, int64_t i, double expected, double relative)
{
    CHECK(!stoa_view_is_null(found, i));
    const double value = stoa_view_f64(found, i);
    if (isfinite(expected)) {
        CHECK_F64_NEAR(value, expected, fabs(expected) * relative);
    } else {
        CHECK(isnan(expected) ? isnan(value) : value == expected);
    }
}

static void check_group(const question *q, const stoa_view *found, int64_t i, const stoa_view *view,
                        const int64_t *list, int64_t n)
{
    const char *f = q->function;

    if (strcmp(f, "count") == 0) {
        CHECK_I64(stoa_view_i64(found, i), n);
    } else if (strcmp(f, "distinct") == 0) {
        CHECK_I64(stoa_view_i64(found, i), count_distinct(view, list, n));
    } else if (n == 0 || (n == 1 && strcmp(f, "stddev") == 0)) {
        CHECK(stoa_view_is_null(found, i));
    } else if (strcmp(f, "sum") == 0 && !is_float(view)) {
        CHECK_I64(stoa_view_i64(found, i), (int64_t)integer_total(view, list, n));
    } else if (strcmp(f, "sum") == 0) {
        check_float(found, i, float_total(view, list, n), 0x1p-52);
    } else if (strcmp(f, "mean") == 0) {
        check_float(found, i, mean_of(view, list, n), 0x1p-51);
    } else if (strcmp(f, "stddev") == 0) {
        const double expected = deviation_of(view, list, n);
        check_float(found, i, isfinite(expected) ? expected : (double)NAN, 1e-9);
    } else if (strcmp(f, "median") == 0 || strcmp(f, "quantile") == 0) {
        check_float(found, i, quantile_of(view, list, n, f[0] == 'm' ? 0.5 : 0.3), 0x1p-52);
    } else {
        const int64_t row = f[0] == 'f'   ? list[0]
                            : f[0] == 'l' ? list[n - 1]
                                          : extreme_of(view, list, n, f[1] == 'i');
        CHECK_STR(value_text(found, i), value_text(view, row));
    }
}

static void check_answer(answer *a, const question *q, const rows *r, const plain_groups *g)
{
    static int64_t list[MAX_ROWS];
    stoa_arena arena = {0};
    stoa_vector values;
    shown found;

    CHECK_U64(a->n_groups, (uint64_t)g->n);
    CHECK_OK(stoa_aggregate_result(&a->aggregate, 0, a->n_groups, &arena, &values, NULL));
    column_of(&found, &values, &a->aggregate.type);
    for (int group = 0; group < g->n; group++) {
        const stoa_view *view = &r->views[q->column];
        const int64_t n = list_values(g, group, view, r->n, list);
        check_group(q, &found.view, group, view, list, n);
    }
    column_clear(&found);
    for (size_t k = 0; k < q->n_keys; k++) {
        const stoa_view *view = &r->views[q->key_columns[k]];
        const bool is_text = stoa_kind_is_string(view->type.kind);
        const stoa_type type = view->type.kind == STOA_KIND_DICTIONARY || is_text
                                   ? (stoa_type){.kind = STOA_KIND_STRING}
                                   : view->type;
        CHECK_OK(stoa_groups_key(&a->groups, k, 0, a->n_groups, &arena, &values, NULL));
        column_of(&found, &values, &type);
        for (int group = 0; group < g->n; group++) {
            const char *expected = value_text(view, g->first[group]);
            CHECK_STR(value_text(&found.view, group),
                      strcmp(expected, "-0.0") == 0 ? "0.0" : expected);
        }
        column_clear(&found);
    }
    stoa_arena_clear(&arena);
}

/* The properties ---------------------------------------------------------------------------- */

static const char *const functions[] = {"count",  "sum",      "mean",     "min",   "max", "stddev",
                                        "median", "quantile", "distinct", "first", "last"};

static void answers_are_those_of_a_plain_loop_however_the_rows_are_cut(void)
{
    static rows r;
    static plain_groups g;
    static cuts c;

    for (uint64_t k = check_n_cases(2500); k > 0; k--) {
        const char *function = functions[check_random_below(11)];
        const int column = (int)check_random_below(N_COLUMNS);
        question q;
        answer a;
        if (!takes(function, column)) {
            continue;
        }
        make_rows(&r);
        ask_of(&q, &r, function, column);
        find_groups(&g, &q, &r);
        cut(&c, r.n, check_random_below(4) == 0);
        answer_by(&a, &q, &r, &c, (stoa_simd)check_random_below(stoa_simd_of_cpu() + 1));
        check_answer(&a, &q, &r, &g);
        answer_clear(&a);
        question_clear(&q);
        batch_end(&r.b);
    }
}

/* Other cuts, another processor: the same bits. */
static void every_table_of_kernels_gives_the_same_bits_however_the_rows_are_cut(void)
{
    static rows r;
    static cuts c;

    for (uint64_t k = check_n_cases(500); k > 0; k--) {
        static const char *const floats[] = {"sum", "mean", "stddev"};
        question q;
        double values[STOA_N_SIMD][MAX_ROWS] = {{0}};
        uint32_t n_groups[STOA_N_SIMD] = {0};
        make_rows(&r);
        ask_of(&q, &r, floats[check_random_below(3)], 8 + (int)check_random_below(4));
        for (int simd = 0; simd <= (int)stoa_simd_of_cpu(); simd++) {
            stoa_arena arena = {0};
            stoa_vector vector;
            answer a;
            cut(&c, r.n, check_random_below(4) == 0);
            answer_by(&a, &q, &r, &c, (stoa_simd)simd);
            CHECK_OK(stoa_aggregate_result(&a.aggregate, 0, a.n_groups, &arena, &vector, NULL));
            memcpy(values[simd], vector.as.f64, a.n_groups * sizeof(double));
            n_groups[simd] = a.n_groups;
            CHECK_U64(n_groups[simd], n_groups[0]);
            CHECK_MEM(values[simd], values[0], n_groups[0] * sizeof(double));
            stoa_arena_clear(&arena);
            answer_clear(&a);
        }
        question_clear(&q);
        batch_end(&r.b);
    }
}

TEST_MAIN(TEST(answers_are_those_of_a_plain_loop_however_the_rows_are_cut),
          TEST(every_table_of_kernels_gives_the_same_bits_however_the_rows_are_cut))
