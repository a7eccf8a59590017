/* Edits of columns that change no value, at random. */
#include "table/column_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column/column.h"

enum { MAX_LABELS = 64, MAX_COLUMNS = 16 };

static stoa_edit_options random_options(void)
{
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;

    options.drop_indexes = check_random_below(8) == 0;
    return options;
}

static const char *any_column(const stoa_table *table)
{
    return stoa_column_name(
        stoa_table_column(table, check_random_below(stoa_table_n_columns(table))));
}

static void store(stoa_table *table)
{
    static const char *const codecs[] = {NULL, "none", "deflate", "auto", "small"};
    const stoa_edit_options options = random_options();
    stoa_column_options storage = {any_column(table), codecs[check_random_below(5)], 0};
    stoa_error err = STOA_ERROR_INIT;

    if (check_random_below(4) == 0) {
        storage.codec = NULL;
        storage.chunk_rows = STOA_CONTIGUOUS;
    } else if (check_random_below(2) == 0) {
        storage.chunk_rows = 1 + check_random_below(40);
    }
    CHECK_OK(stoa_column_set_storage(table, &storage, &options, &err), &err);
}

static void categorize(stoa_table *table)
{
    const stoa_edit_options options = random_options();
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_column_categorize(table, check_random_below(2) == 0 ? "s" : "c",
                                    check_random_below(3) != 0, &options, &err),
             &err);
}

/* All labels of a column, fresh copies. */
static size_t labels_of(const stoa_column *column, const char *labels[MAX_LABELS])
{
    stoa_view view;

    CHECK_OK(stoa_view_of(&column->dictionary_schema, &column->dictionary, &view, NULL));
    CHECK(view.length < MAX_LABELS - 4);
    for (int64_t i = 0; i < view.length; i++) {
        size_t length = 0;
        const char *label = stoa_view_bytes(&view, i, &length);
        labels[i] = stoa_strndup(label, length);
    }
    return (size_t)view.length;
}

/* Strings that are kept as categories are none: their labels are nobody's. */
static bool is_category(const stoa_column *column)
{
    return stoa_column_is_categorical(column) && !column->is_text;
}

static void relabel(stoa_table *table)
{
    const stoa_edit_options options = random_options();
    const stoa_column *column = stoa_table_find(table, check_random_below(2) == 0 ? "s" : "c");
    const char *labels[MAX_LABELS];
    char *extra[3] = {NULL};
    stoa_error err = STOA_ERROR_INIT;

    if (!is_category(column)) {
        return;
    }
    const size_t n_old = labels_of(column, labels);
    size_t n = n_old;
    const size_t n_extra = n < 30 ? check_random_below(3) : 0;
    for (size_t k = 0; k < n_extra; k++) {
        extra[k] = stoa_format("label %u", (unsigned)check_random());
        labels[n++] = extra[k];
    }
    for (size_t k = n; k > 1 && check_random_below(4) != 0; k--) {
        const size_t at = (size_t)check_random_below(k);
        const char *label = labels[k - 1];
        labels[k - 1] = labels[at];
        labels[at] = label;
    }
    CHECK_OK(stoa_column_relabel(table, column->name, labels, n, check_random_below(4) == 0,
                                 &options, &err),
             &err);
    for (size_t k = 0; k < n; k++) {
        free((void *)(uintptr_t)labels[k]);
    }
}

static void share(stoa_table *table)
{
    const stoa_edit_options options = random_options();
    const bool s_first = check_random_below(2) == 0;
    stoa_error err = STOA_ERROR_INIT;

    if (!is_category(stoa_table_find(table, "s")) || !is_category(stoa_table_find(table, "c"))) {
        return;
    }
    const stoa_status status =
        stoa_column_share(table, s_first ? "s" : "c", s_first ? "c" : "s", &options, &err);
    if (status != STOA_ELOSS) { /* ordered labels take none in */
        CHECK_OK(status, &err);
    }
}

/* Some columns in random order, as fresh copies: an edit makes borrowed names void. */
static size_t some_columns(const stoa_table *table, char *some[MAX_COLUMNS])
{
    const size_t n = stoa_table_n_columns(table);
    size_t n_some = 0;

    CHECK(n <= MAX_COLUMNS);
    for (size_t i = 0; i < n; i++) {
        if (check_random_below(2) == 0) {
            some[n_some++] = stoa_strdup(stoa_column_name(stoa_table_column(table, i)));
        }
    }
    for (size_t k = n_some; k > 1; k--) {
        const size_t at = (size_t)check_random_below(k);
        char *name = some[k - 1];
        some[k - 1] = some[at];
        some[at] = name;
    }
    return n_some;
}

static void arrange(stoa_table *table)
{
    char *some[MAX_COLUMNS];
    const size_t n = some_columns(table, some);
    stoa_error err = STOA_ERROR_INIT;

    if (check_random_below(2) == 0) {
        CHECK_OK(stoa_column_reorder(table, (const char *const *)some, n, &err), &err);
        for (size_t i = 0; i < n; i++) {
            CHECK_STR(stoa_column_name(stoa_table_column(table, i)), some[i]);
        }
    } else {
        CHECK_OK(stoa_table_label_rows(table, (const char *const *)some, n, &err), &err);
        CHECK_U64(stoa_table_n_index_columns(table), n);
        for (size_t i = 0; i < n; i++) {
            CHECK_STR(stoa_column_name(stoa_table_index_column(table, i)), some[i]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        free(some[i]);
    }
}

/* The first value below 0 that is not the fill of any narrow type, and a high one. */
static void annotate(stoa_table *table)
{
    stoa_error err = STOA_ERROR_INIT;
    const bool is_low = check_random_below(2) == 0;
    const stoa_status status = stoa_table_annotate(table, "i", is_low ? "valid_min" : "valid_max",
                                                   is_low ? "-1" : "120", &err);

    /* Where rows hold more, or the fill would be inside, it is refused. */
    if (status != STOA_ERANGE) {
        CHECK_OK(status, &err);
    }
}

static void come_and_go(stoa_table *table)
{
    const size_t n = (size_t)stoa_table_n_rows(table);
    int64_t *values = calloc(n + 1, sizeof *values);
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(1, (int64_t)n);

    batch_integers(&b, 0, "guest", "l", values, NULL);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_column_add(table, &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    free(values);
    CHECK_OK(stoa_index_add(table, "guest", "minmax", NULL, &err), &err);
    CHECK_OK(stoa_column_drop(table, "guest", &err), &err);
}

static void be_called_otherwise(stoa_table *table)
{
    char *name = stoa_strdup(any_column(table));
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_column_rename(table, name, "another name", &err), &err);
    CHECK_OK(stoa_column_rename(table, "another name", name, &err), &err);
    free(name);
}

void column_step(stoa_table *table)
{
    static void (*const steps[])(stoa_table * table) = {
        store,    store,   categorize,  categorize,         relabel, relabel, share,
        annotate, arrange, come_and_go, be_called_otherwise};

    steps[check_random_below(sizeof steps / sizeof *steps)](table);
}
