/* Aggregates of random columns, windows, selections, groups and parts say what a plain loop over
 * the rows says; and the parts, whichever, change nothing but the last bits of floats. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asking.h"
#include "query/aggregate.h"

__extension__ typedef __int128 wide;

enum { MOST_ROWS = 1500, MOST_PARTS = 4, MOST_KEYS = 3, N_COLUMNS = 18 };

/* The columns, in the order of `names`. Floats are multiples of 2^-10, so that sums of them are
 * exact, but for a NaN and infinities now and then in "wild". */
static const char *const names[N_COLUMNS] = {"i8",  "i16", "i32", "i64", "u8",  "u16",
                                             "u32", "u64", "f16", "f32", "f64", "wild",
                                             "b",   "d",   "t",   "s",   "c",   "small"};
static const char *const formats[N_COLUMNS] = {"c", "s", "i", "l", "C",   "S",    "I", "L", "e",
                                               "f", "g", "g", "b", "tdD", "tss:", "u", "",  "s"};

typedef struct rows {
    batch b;
    int64_t n;
    stoa_view views[N_COLUMNS];
    uint8_t selected[MOST_ROWS / 8 + 1];
    bool all;
} rows;

static bool is_selected(const rows *r, int64_t row)
{
    return r->all || stoa_bit_get(r->selected, (uint64_t)row);
}

/* Random tables ----------------------------------------------------------------------------- */

static const char *label(uint64_t i)
{
    static const char *const labels[] = {"", "a", "b", "ab", "zebra", "a rather long label, this"};

    return labels[i % 6];
}

static void make_integers(rows *r, int column, bool small)
{
    static int64_t values[MOST_ROWS];
    static bool valid[MOST_ROWS];
    const uint64_t missing = check_random_below(3);
    const char *format = formats[column];
    const int bits = strchr("cCb", format[0]) != NULL  ? 7
                     : strchr("sS", format[0]) != NULL ? 15
                     : strchr("iI", format[0]) != NULL ? 31
                     : strncmp(format, "td", 2) == 0   ? 20
                                                       : 50;

    for (int64_t i = 0; i < r->n; i++) {
        values[i] = (int64_t)(check_random() >> (64 - bits)) >> check_random_below((uint64_t)bits);
        if (strchr("csil", format[0]) != NULL && check_random_below(2) == 0) {
            values[i] = -values[i];
        }
        values[i] = small ? (int64_t)check_random_below(5) - 2 : values[i];
        values[i] = format[0] == 'b' ? values[i] & 1 : values[i];
        valid[i] = missing == 0 || check_random_below(missing == 1 ? 20 : 2) != 0;
    }
    batch_integers(&r->b, column, names[column], format, values, missing == 0 ? NULL : valid);
}

static void make_floats(rows *r, int column)
{
    static const double wild[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0};
    static double values[MOST_ROWS];
    static bool valid[MOST_ROWS];
    const uint64_t missing = check_random_below(3);
    const bool spoilt = strcmp(names[column], "wild") == 0 && check_random_below(2) == 0;
    const uint64_t some = 1 + check_random_below(40);

    for (int64_t i = 0; i < r->n; i++) {
        values[i] = ldexp((double)((int64_t)check_random_below(2000) - 1000), -10);
        if (spoilt && check_random_below(some) == 0) {
            values[i] = wild[check_random_below(5)];
        }
        valid[i] = missing == 0 || check_random_below(missing == 1 ? 20 : 2) != 0;
    }
    batch_floats(&r->b, column, names[column], formats[column], values,
                 missing == 0 ? NULL : valid);
}

static void make_texts(rows *r, int column)
{
    static const char *texts[MOST_ROWS];
    const uint64_t n_labels = 1 + check_random_below(6);

    for (int64_t i = 0; i < r->n; i++) {
        texts[i] = check_random_below(9) == 0 ? NULL : label(check_random_below(n_labels));
    }
    if (strcmp(names[column], "c") == 0) {
        batch_categories(&r->b, column, names[column], texts);
    } else {
        batch_strings(&r->b, column, names[column], texts);
    }
}

static void make_rows(rows *r)
{
    const uint64_t density = check_random_below(6);

    r->n = (int64_t)check_random_below(check_random_below(4) == 0 ? MOST_ROWS : 301);
    r->b = batch_begin(N_COLUMNS, r->n);
    for (int i = 0; i < N_COLUMNS; i++) {
        if (i >= 8 && i <= 11) {
            make_floats(r, i);
        } else if (i == 15 || i == 16) {
            make_texts(r, i);
        } else {
            make_integers(r, i, i == 17);
        }
        CHECK_OK(stoa_view_of(r->b.schema.children[i], r->b.array.children[i], &r->views[i], NULL));
    }
    r->all = density == 5;
    memset(r->selected, 0, sizeof r->selected);
    for (int64_t i = 0; i < r->n; i++) {
        if (density == 4 ? i % 2 != 0 : check_random_below(4) < density) {
            stoa_bit_set(r->selected, (uint64_t)i);
        }
    }
}

/* The question ------------------------------------------------------------------------------ */

typedef struct question {
    stoa_pool pool;
    stoa_scope scope;
    size_t n_keys;
    const stoa_expr *keys[MOST_KEYS];
    int key_columns[MOST_KEYS];
    stoa_aggregate aggregate;
    const char *function;
    int column;
} question;

static void ask(question *q, const rows *r, const char *function, int column)
{
    static const int keys[] = {16, 17, 12, 15, 0, 4, 16, 11, 13};
    stoa_error err = STOA_ERROR_INIT;
    const stoa_binder binder = {&q->scope, &q->pool};
    const stoa_syntax *tree = NULL;
    stoa_item *items = NULL;
    char text[64];
    size_t n = 0;

    *q = (question){.function = function, .column = column};
    CHECK_OK(stoa_scope_open(&r->b.schema, &q->pool, &q->scope, &err), &err);
    (void)snprintf(text, sizeof text, strcmp(function, "quantile") == 0 ? "%s(%s, 0.3)" : "%s(%s)",
                   function, names[column]);
    CHECK_OK(stoa_parse_list("aggregates", stoa_pool_text(&q->pool, text, strlen(text)), NULL,
                             &q->pool, &items, &n, &err),
             &err);
    CHECK_OK(stoa_aggregate_bind(&binder, items[0].syntax, &q->aggregate, &err), &err);
    q->n_keys = (size_t)check_random_below(MOST_KEYS + 1);
    for (size_t k = 0; k < q->n_keys; k++) {
        stoa_expr *key = NULL;
        q->key_columns[k] = keys[check_random_below(sizeof keys / sizeof keys[0])];
        CHECK_OK(stoa_parse("by", names[q->key_columns[k]], &q->pool, &tree, &err), &err);
        CHECK_OK(stoa_bind(&binder, tree, &key, &err), &err);
        q->keys[k] = key;
    }
}

static void question_clear(question *q)
{
    stoa_aggregate_clear(&q->aggregate);
    stoa_pool_clear(&q->pool);
}

/* Stoa's answer ----------------------------------------------------------------------------- */

/* Rows are cut into windows, and windows into parts, anywhere. */
typedef struct cuts {
    int64_t windows[MOST_ROWS + 2]; /* where each ends */
    bool ends_part[MOST_ROWS + 2];
    size_t n;
} cuts;

static void cut(cuts *c, int64_t n, bool once)
{
    *c = (cuts){.n = 0};
    for (int64_t at = 0; at < n; c->n++) {
        const int64_t length = once ? n : 1 + (int64_t)check_random_below(400);
        at = at + length < n ? at + length : n;
        c->windows[c->n] = at;
        c->ends_part[c->n] = !once && check_random_below(3) == 0;
    }
}

typedef struct answer {
    stoa_groups groups;
    stoa_aggregate aggregate;
    uint32_t n_groups;
} answer;

static void answer_open(answer *a, const question *q)
{
    *a = (answer){.n_groups = q->n_keys == 0};
    CHECK_OK(stoa_groups_open(&a->groups, q->keys, q->n_keys, NULL));
    CHECK_OK(stoa_aggregate_clone(&q->aggregate, &a->aggregate, NULL));
}

static void answer_clear(answer *a)
{
    stoa_groups_clear(&a->groups);
    stoa_aggregate_clear(&a->aggregate);
}

static void take_window(answer *a, const question *q, stoa_evaluation *ev, const rows *r,
                        int64_t first, int64_t end)
{
    static uint32_t numbers[MOST_ROWS + 63];
    stoa_group_rows groups = {.numbers = numbers};
    uint8_t selected[MOST_ROWS / 8 + 1] = {0};
    stoa_error err = STOA_ERROR_INIT;
    static stoa_view views[N_COLUMNS];
    int64_t n_selected = 0;

    memcpy(views, r->views, sizeof views);
    memset(numbers, 0xff, sizeof numbers); /* undefined where a row is not selected */
    for (int64_t i = first; i < end; i++) {
        if (is_selected(r, i)) {
            stoa_bit_set(selected, (uint64_t)(i - first));
            n_selected++;
        }
    }
    stoa_evaluation_move(ev, views, first, end - first);
    if (q->n_keys > 0) {
        CHECK_OK(
            stoa_groups_assign(&a->groups, ev, r->all ? NULL : selected, n_selected, &groups, &err),
            &err);
        a->n_groups = a->groups.n_groups;
    }
    CHECK_OK(stoa_aggregate_update(&a->aggregate, ev, r->all ? NULL : selected, n_selected,
                                   q->n_keys > 0 ? &groups : NULL, &err),
             &err);
}

static void merge(answer *into, const answer *from, const question *q)
{
    uint32_t *ids = stoa_alloc((size_t)from->n_groups, sizeof *ids);

    CHECK(ids != NULL);
    if (q->n_keys > 0) {
        CHECK_OK(stoa_groups_merge(&into->groups, &from->groups, ids, NULL));
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

/* A vector as an array of the column's type, to be read by value_text(). */
typedef struct shown {
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;
} shown;

static void column_of(shown *out, const stoa_vector *values, const stoa_type *type)
{
    *out = (shown){.view = {.length = 0}};
    CHECK_OK(stoa_emit(values, type, &out->array, NULL));
    CHECK_OK(stoa_schema_make_type(&out->schema, "x", type, NULL));
    CHECK_OK(stoa_view_of(&out->schema, &out->array, &out->view, NULL));
}

static void column_clear(shown *c)
{
    stoa_array_release(&c->array);
    stoa_schema_release(&c->schema);
}

/* The plain loop ---------------------------------------------------------------------------- */

typedef struct plain_groups {
    int64_t first[MOST_ROWS]; /* a row of it */
    int of_row[MOST_ROWS];
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
    static double sorted[MOST_ROWS];
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
    static int64_t list[MOST_ROWS];
    stoa_pool pool = {0};
    stoa_vector values;
    shown found;

    CHECK_U64(a->n_groups, (uint64_t)g->n);
    CHECK_OK(stoa_aggregate_result(&a->aggregate, 0, a->n_groups, &pool, &values, NULL));
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
        CHECK_OK(stoa_groups_key(&a->groups, k, 0, a->n_groups, &pool, &values, NULL));
        column_of(&found, &values, &type);
        for (int group = 0; group < g->n; group++) {
            const char *expected = value_text(view, g->first[group]);
            CHECK_STR(value_text(&found.view, group),
                      strcmp(expected, "-0.0") == 0 ? "0.0" : expected);
        }
        column_clear(&found);
    }
    stoa_pool_clear(&pool);
}

/* The properties ---------------------------------------------------------------------------- */

static bool takes(const char *function, int column)
{
    static const char *const any[] = {"count", "min", "max", "first", "last", "distinct"};

    for (size_t i = 0; i < sizeof any / sizeof any[0]; i++) {
        if (strcmp(function, any[i]) == 0) {
            return true;
        }
    }
    return column < 12 || column == 17 || column == 12;
}

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
        ask(&q, &r, function, column);
        find_groups(&g, &q, &r);
        cut(&c, r.n, check_random_below(4) == 0);
        answer_by(&a, &q, &r, &c, (stoa_simd)check_random_below(stoa_simd_of_cpu() + 1));
        check_answer(&a, &q, &r, &g);
        answer_clear(&a);
        question_clear(&q);
        batch_end(&r.b);
    }
}

/* The same cuts, another processor: the same bits. */
static void every_table_of_kernels_gives_the_same_bits(void)
{
    static rows r;
    static cuts c;

    for (uint64_t k = check_n_cases(500); k > 0; k--) {
        static const char *const floats[] = {"sum", "mean", "stddev"};
        question q;
        double values[3][MOST_ROWS] = {{0}};
        uint32_t n_groups[3] = {0};
        make_rows(&r);
        ask(&q, &r, floats[check_random_below(3)], 8 + (int)check_random_below(4));
        cut(&c, r.n, false);
        for (int simd = 0; simd <= (int)stoa_simd_of_cpu(); simd++) {
            stoa_pool pool = {0};
            stoa_vector vector;
            answer a;
            answer_by(&a, &q, &r, &c, (stoa_simd)simd);
            CHECK_OK(stoa_aggregate_result(&a.aggregate, 0, a.n_groups, &pool, &vector, NULL));
            memcpy(values[simd], vector.as.f64, a.n_groups * sizeof(double));
            n_groups[simd] = a.n_groups;
            CHECK_U64(n_groups[simd], n_groups[0]);
            CHECK_MEM(values[simd], values[0], n_groups[0] * sizeof(double));
            stoa_pool_clear(&pool);
            answer_clear(&a);
        }
        question_clear(&q);
        batch_end(&r.b);
    }
}

/* Shared ------------------------------------------------------------------------------------ */

enum { MOST_SHARED = 6 };

/* Several aggregates of the same groups. */
typedef struct several {
    stoa_groups groups;
    stoa_aggregate aggregates[MOST_SHARED];
    uint32_t n_groups;
} several;

static void several_open(several *s, const question *q, const stoa_aggregate *of, size_t n)
{
    *s = (several){.n_groups = q->n_keys == 0};
    CHECK_OK(stoa_groups_open(&s->groups, q->keys, q->n_keys, NULL));
    for (size_t i = 0; i < n; i++) {
        CHECK_OK(stoa_aggregate_clone(&of[i], &s->aggregates[i], NULL));
    }
}

static void several_clear(several *s)
{
    stoa_groups_clear(&s->groups);
    for (int i = 0; i < MOST_SHARED; i++) {
        stoa_aggregate_clear(&s->aggregates[i]);
    }
}

static void take_several(several *s, const question *q, size_t n, stoa_evaluation *ev,
                         const rows *r, int64_t first, int64_t end)
{
    static uint32_t numbers[MOST_ROWS + 63];
    static stoa_view views[N_COLUMNS];
    stoa_group_rows groups = {.numbers = numbers};
    uint8_t selected[MOST_ROWS / 8 + 1] = {0};
    int64_t n_selected = 0;

    memcpy(views, r->views, sizeof views);
    for (int64_t i = first; i < end; i++) {
        if (is_selected(r, i)) {
            stoa_bit_set(selected, (uint64_t)(i - first));
            n_selected++;
        }
    }
    stoa_evaluation_move(ev, views, first, end - first);
    if (q->n_keys > 0) {
        CHECK_OK(stoa_groups_assign(&s->groups, ev, selected, n_selected, &groups, NULL));
        s->n_groups = s->groups.n_groups;
    }
    for (size_t i = 0; i < n; i++) {
        CHECK_OK(stoa_aggregate_update(&s->aggregates[i], ev, selected, n_selected,
                                       q->n_keys > 0 ? &groups : NULL, NULL));
    }
}

static void merge_several(several *into, const several *from, const question *q, size_t n)
{
    uint32_t *ids = stoa_alloc((size_t)from->n_groups, sizeof *ids);

    CHECK(ids != NULL);
    if (q->n_keys > 0) {
        CHECK_OK(stoa_groups_merge(&into->groups, &from->groups, ids, NULL));
        into->n_groups = into->groups.n_groups;
    }
    for (size_t i = 0; i < n; i++) {
        CHECK_OK(stoa_aggregate_merge(&into->aggregates[i], &from->aggregates[i],
                                      q->n_keys > 0 ? ids : NULL, into->n_groups, NULL));
    }
    free(ids);
}

/* Results as columns, which live as long as the pool and the aggregates. */
static void answer_several(stoa_aggregate *aggregates, const question *q, size_t n, const rows *r,
                           const cuts *c, stoa_pool *pool, shown *out, uint32_t *n_groups)
{
    stoa_evaluation ev;
    several all;
    several part;
    int64_t first = 0;

    CHECK_OK(stoa_evaluation_open(&ev, &q->scope, NULL));
    several_open(&all, q, aggregates, n);
    several_open(&part, q, aggregates, n);
    for (size_t i = 0; i < c->n; i++) {
        take_several(&part, q, n, &ev, r, first, c->windows[i]);
        first = c->windows[i];
        if (c->ends_part[i] || i + 1 == c->n) {
            merge_several(&all, &part, q, n);
            several_clear(&part);
            several_open(&part, q, aggregates, n);
        }
    }
    *n_groups = all.n_groups;
    for (size_t i = 0; i < n; i++) { /* as in a query: what was bound has the rows */
        aggregates[i] = all.aggregates[i];
    }
    for (size_t i = 0; i < n; i++) {
        stoa_vector values;
        CHECK_OK(stoa_aggregate_result(&aggregates[i], 0, all.n_groups, pool, &values, NULL));
        column_of(&out[i], &values, &aggregates[i].type);
    }
    stoa_groups_clear(&all.groups);
    several_clear(&part);
    stoa_evaluation_clear(&ev);
}

static void bind_several(question *q, stoa_pool *pool, const char *const *texts, size_t n,
                         stoa_aggregate *out)
{
    stoa_error err = STOA_ERROR_INIT;
    const stoa_binder binder = {&q->scope, pool};

    for (size_t i = 0; i < n; i++) {
        const stoa_syntax *tree = NULL;
        CHECK_OK(stoa_parse("aggregates", texts[i], pool, &tree, &err), &err);
        CHECK_OK(stoa_aggregate_bind(&binder, tree, &out[i], &err), &err);
    }
}

static void check_same(const shown *found, const shown *expected, uint32_t n_groups)
{
    for (uint32_t i = 0; i < n_groups; i++) {
        char text[128];
        (void)snprintf(text, sizeof text, "%s", value_text(&expected->view, i));
        CHECK_STR(value_text(&found->view, i), text);
    }
}

static void aggregates_that_share_cells_say_what_each_says_alone(void)
{
    static const char *const some[] = {"count", "sum", "mean", "min", "max", "stddev", "first"};
    static rows r;
    static cuts c;

    for (uint64_t k = check_n_cases(600); k > 0; k--) {
        const size_t n = 2 + (size_t)check_random_below(MOST_SHARED - 1);
        const int columns[] = {(int)check_random_below(15), (int)check_random_below(13)};
        stoa_aggregate aggregates[2][MOST_SHARED];
        const char *texts[MOST_SHARED];
        shown results[2][MOST_SHARED];
        uint32_t n_groups[2];
        stoa_pool pool = {0};
        question q;
        make_rows(&r);
        ask(&q, &r, "count", 0);
        for (size_t i = 0; i < n; i++) {
            char text[64];
            const int column = columns[check_random_below(4) == 0];
            const char *function = some[check_random_below(7)];
            (void)snprintf(text, sizeof text, "%s(%s)", takes(function, column) ? function : "max",
                           names[column]);
            texts[i] = stoa_pool_text(&pool, text, strlen(text));
        }
        cut(&c, r.n, check_random_below(4) == 0);
        for (int shared = 0; shared < 2; shared++) {
            bind_several(&q, &pool, texts, n, aggregates[shared]);
            if (shared) {
                stoa_aggregates_share(aggregates[1], n);
            }
            answer_several(aggregates[shared], &q, n, &r, &c, &pool, results[shared],
                           &n_groups[shared]);
        }
        CHECK_U64(n_groups[1], n_groups[0]);
        for (size_t i = 0; i < n; i++) {
            check_same(&results[1][i], &results[0][i], n_groups[0]);
        }
        for (size_t i = 0; i < 2 * n; i++) {
            column_clear(&results[i / n][i % n]);
            stoa_aggregate_clear(&aggregates[i / n][i % n]);
        }
        stoa_pool_clear(&pool);
        question_clear(&q);
        batch_end(&r.b);
    }
}

static void what_one_state_answers_is_made_once(void)
{
    static const char *const texts[] = {"count(i32)", "mean(i32)",   "max(i32)",
                                        "min(i32)",   "stddev(i32)", "mean(f32)"};
    static rows r;
    stoa_aggregate aggregates[6];
    stoa_pool pool = {0};
    question q;

    make_rows(&r);
    ask(&q, &r, "count", 0);
    bind_several(&q, &pool, texts, 6, aggregates);
    stoa_aggregates_share(aggregates, 6);
    CHECK(aggregates[0].holder == &aggregates[1]);
    CHECK(aggregates[1].holder == NULL);
    CHECK(aggregates[2].holder == &aggregates[3]);
    CHECK(aggregates[3].has_both);
    CHECK(aggregates[4].holder == NULL); /* its moments are no sums */
    CHECK(aggregates[5].holder == NULL); /* another column */
    stoa_pool_clear(&pool);
    question_clear(&q);
    batch_end(&r.b);
}

TEST_MAIN(TEST(answers_are_those_of_a_plain_loop_however_the_rows_are_cut),
          TEST(every_table_of_kernels_gives_the_same_bits),
          TEST(aggregates_that_share_cells_say_what_each_says_alone),
          TEST(what_one_state_answers_is_made_once))
