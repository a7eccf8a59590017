/* Random rows and questions about groups of them. */
#include "grouped.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const column_names[N_COLUMNS] = {"i8",  "i16", "i32", "i64", "u8",  "u16",
                                             "u32", "u64", "f16", "f32", "f64", "wild",
                                             "b",   "d",   "t",   "s",   "c",   "small"};
static const char *const formats[N_COLUMNS] = {"c", "s", "i", "l", "C",   "S",    "I", "L", "e",
                                               "f", "g", "g", "b", "tdD", "tss:", "u", "",  "s"};

bool is_selected(const rows *r, int64_t row)
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
    static int64_t values[MAX_ROWS];
    static bool valid[MAX_ROWS];
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
    batch_integers(&r->b, column, column_names[column], format, values,
                   missing == 0 ? NULL : valid);
}

static void make_floats(rows *r, int column)
{
    static const double wild[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0};
    static double values[MAX_ROWS];
    static bool valid[MAX_ROWS];
    const uint64_t missing = check_random_below(3);
    const bool spoilt = strcmp(column_names[column], "wild") == 0 && check_random_below(2) == 0;
    const uint64_t some = 1 + check_random_below(40);

    for (int64_t i = 0; i < r->n; i++) {
        values[i] = ldexp((double)((int64_t)check_random_below(2000) - 1000), -10);
        if (spoilt && check_random_below(some) == 0) {
            values[i] = wild[check_random_below(5)];
        }
        valid[i] = missing == 0 || check_random_below(missing == 1 ? 20 : 2) != 0;
    }
    batch_floats(&r->b, column, column_names[column], formats[column], values,
                 missing == 0 ? NULL : valid);
}

static void make_texts(rows *r, int column)
{
    static const char *texts[MAX_ROWS];
    const uint64_t n_labels = 1 + check_random_below(6);

    for (int64_t i = 0; i < r->n; i++) {
        texts[i] = check_random_below(9) == 0 ? NULL : label(check_random_below(n_labels));
    }
    if (strcmp(column_names[column], "c") == 0) {
        batch_categories(&r->b, column, column_names[column], texts);
    } else {
        batch_strings(&r->b, column, column_names[column], texts);
    }
}

void make_rows(rows *r)
{
    const uint64_t density = check_random_below(6);

    r->n = (int64_t)check_random_below(check_random_below(4) == 0 ? MAX_ROWS : 301);
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

void ask_of(question *q, const rows *r, const char *function, int column)
{
    static const int keys[] = {16, 17, 12, 15, 0, 4, 16, 11, 13};
    stoa_error err = STOA_ERROR_INIT;
    const stoa_binder binder = {&q->scope, &q->arena};
    const stoa_syntax *tree = NULL;
    stoa_item *items = NULL;
    char text[64];
    size_t n = 0;

    *q = (question){.function = function, .column = column};
    CHECK_OK(stoa_scope_open(&r->b.schema, &q->arena, &q->scope, &err), &err);
    (void)snprintf(text, sizeof text, strcmp(function, "quantile") == 0 ? "%s(%s, 0.3)" : "%s(%s)",
                   function, column_names[column]);
    CHECK_OK(stoa_parse_list("aggregates", stoa_arena_text(&q->arena, text, strlen(text)), NULL,
                             &q->arena, &items, &n, &err),
             &err);
    CHECK_OK(stoa_aggregate_bind(&binder, items[0].syntax, &q->aggregate, &err), &err);
    q->n_keys = (size_t)check_random_below(MAX_KEYS + 1);
    for (size_t k = 0; k < q->n_keys; k++) {
        stoa_expr *key = NULL;
        q->key_columns[k] = keys[check_random_below(sizeof keys / sizeof keys[0])];
        CHECK_OK(stoa_parse("by", column_names[q->key_columns[k]], NULL, &q->arena, &tree, &err),
                 &err);
        CHECK_OK(stoa_bind(&binder, tree, &key, &err), &err);
        q->keys[k] = key;
    }
    CHECK_OK(stoa_keys_open(q->keys, q->n_keys, &q->shared, &err), &err);
    q->aggregate.numbered.reader.has_one_dictionary = check_random_below(2) == 0;
    for (size_t k = 0; k < q->n_keys; k++) {
        q->shared[k].has_one_dictionary = check_random_below(2) == 0;
    }
}

void open_groups(const question *q, stoa_groups *groups, stoa_key **keys)
{
    CHECK_OK(stoa_keys_share(q->shared, q->n_keys, keys, NULL));
    stoa_groups_open(groups, *keys, q->n_keys);
}

void question_clear(question *q)
{
    stoa_keys_close(q->shared, q->n_keys);
    stoa_aggregate_clear(&q->aggregate);
    stoa_arena_clear(&q->arena);
}

bool takes(const char *function, int column)
{
    static const char *const any[] = {"count", "min", "max", "first", "last", "distinct"};

    for (size_t i = 0; i < sizeof any / sizeof any[0]; i++) {
        if (strcmp(function, any[i]) == 0) {
            return true;
        }
    }
    return column < 12 || column == 17 || column == 12;
}

/* Cuts --------------------------------------------------------------------------------------- */

void cut(cuts *c, int64_t n, bool once)
{
    *c = (cuts){.n = 0};
    for (int64_t at = 0; at < n; c->n++) {
        const int64_t length = once ? n : 1 + (int64_t)check_random_below(400);
        at = at + length < n ? at + length : n;
        c->windows[c->n] = at;
        c->ends_part[c->n] = !once && check_random_below(3) == 0;
    }
}

void take_rows(taken *t, const question *q, stoa_groups *groups, stoa_evaluation *ev, const rows *r,
               int64_t first, int64_t end)
{
    static stoa_view views[N_COLUMNS];

    memcpy(views, r->views, sizeof views);
    memset(t, 0, sizeof *t);
    memset(t->numbers, 0xff, sizeof t->numbers); /* undefined where a row is not selected */
    t->groups.numbers = t->numbers;
    for (int64_t i = first; i < end; i++) {
        if (is_selected(r, i)) {
            stoa_bit_set(t->selected, (uint64_t)(i - first));
            t->n_selected++;
        }
    }
    stoa_evaluation_move(ev, views, first, end - first);
    if (q->n_keys > 0) {
        CHECK_OK(stoa_groups_assign(groups, ev, r->all ? NULL : t->selected, t->n_selected,
                                    &t->groups, NULL));
    }
}

/* Answers ------------------------------------------------------------------------------------ */

void column_of(shown *out, const stoa_vector *values, const stoa_type *type)
{
    *out = (shown){.view = {.length = 0}};
    CHECK_OK(stoa_emit(values, type, &out->array, NULL));
    CHECK_OK(stoa_schema_make_type(&out->schema, "x", type, NULL));
    CHECK_OK(stoa_view_of(&out->schema, &out->array, &out->view, NULL));
}

void column_clear(shown *c)
{
    stoa_array_release(&c->array);
    stoa_schema_release(&c->schema);
}
