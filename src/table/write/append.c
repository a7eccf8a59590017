/* Appending rows by HEP001 §11.2: extend, write, update indexes, and NROWS last. */
#include "table/write/append.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/cast/normalize.h"
#include "column/type/create_column.h"
#include "core/memory.h"
#include "core/progress.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/references.h"
#include "index/common/kind.h"
#include "table/write/string_categories.h"
#include "table/write/tokens.h"
#include "table/write/update_indexes.h"

/* Take the categories of a dataset from the open ones, or open them. */
static stoa_status use_categories(hid_t categories, const char *name, stoa_categories *books,
                                  size_t n_books, stoa_categories *book, stoa_error *err)
{
    for (size_t i = 0; i < n_books; i++) {
        if (books[i].dataset >= 0 && stoa_same_object(books[i].dataset, categories)) {
            *book = books[i];
            books[i] = (stoa_categories)STOA_CATEGORIES_INIT;
            return STOA_OK;
        }
    }
    return stoa_categories_open(categories, name, book, err);
}

/* Identifies an object of a file. */
typedef struct object_key {
    unsigned long fileno;
    H5O_token_t token;
} object_key;

static object_key key_of(const H5O_info2_t *info)
{
    object_key key;

    memset(&key, 0, sizeof key);
    key.fileno = info->fileno;
    key.token = info->token;
    return key;
}

/* Open each categories dataset once. Columns with the same dataset share it (§8.7). */
static stoa_status open_book(stoa_appender *appender, size_t column, stoa_categories *books,
                             size_t n_books, stoa_error *err)
{
    const hid_t categories = appender->writers[column].column->categories;
    uint32_t number = 0;
    H5O_info2_t info;

    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(categories, &info, H5O_INFO_BASIC),
                          "look at categories");
    const object_key key = key_of(&info);
    STOA_RETURN_NOT_OK(stoa_string_set_add(&appender->book_keys, &key, sizeof key, &number, err));
    stoa_shared_categories *const shared = &appender->books[number];
    if (number == appender->n_books) {
        STOA_RETURN_NOT_OK(use_categories(categories, appender->writers[column].column->name, books,
                                          n_books, &shared->book, err));
        appender->n_books++;
        shared->first = column;
    } else {
        appender->next[shared->last] = column;
    }
    shared->last = column;
    appender->writers[column].book = &shared->book;
    return STOA_OK;
}

/* Give each categories dataset the name of a link that leads to it. */
typedef struct naming {
    stoa_appender *appender;
    unsigned long fileno;
    stoa_status status;
    stoa_error *err;
} naming;

static herr_t name_book(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    naming *const n = context;
    const H5O_info2_t object = {.fileno = n->fileno, .token = info->u.token};
    const object_key key = key_of(&object);
    uint32_t number = 0;

    (void)group;
    if (info->type != H5L_TYPE_HARD ||
        !stoa_string_set_find(&n->appender->book_keys, &key, sizeof key, &number) ||
        n->appender->books[number].name != NULL) {
        return 0;
    }
    n->appender->books[number].name = stoa_strdup(name);
    n->status = n->appender->books[number].name != NULL ? STOA_OK : stoa_fail_memory(n->err);
    return n->status == STOA_OK ? 0 : -1;
}

static stoa_status name_books(stoa_appender *appender, stoa_error *err)
{
    stoa_status status = STOA_OK;
    naming n = {.appender = appender, .err = err};
    hid_t group = H5I_INVALID_HID;
    H5O_info2_t info;

    STOA_HDF(err, group = stoa_open_here(appender->table->group, "CATEGORIES"),
             "open the group CATEGORIES");
    STOA_HDF(err, H5Oget_info3(group, &info, H5O_INFO_BASIC), "look at the group CATEGORIES");
    n.fileno = info.fileno;
    status = stoa_links_visit(group, name_book, &n, err);
    STOA_TRY(n.status != STOA_OK ? n.status : status);
    for (size_t i = 0; i < appender->n_books; i++) {
        if (appender->books[i].name == NULL) {
            STOA_FAIL(err, STOA_EDATA,
                      "column '%s': its categories are not in the group CATEGORIES (HEP001 §8.7); "
                      "see stoa check",
                      appender->table->columns[appender->books[i].first]->name);
        }
    }

done:
    return stoa_hdf_close(&group, status, err);
}

stoa_status stoa_appender_begin_with(stoa_table *table, unsigned threads, stoa_categories *books,
                                     size_t n_books, stoa_appender *appender, stoa_error *err)
{
    const size_t n = table->n_columns;

    *appender = (stoa_appender){
        .table = table, .n_rows = table->n_rows, .most_held = STOA_HELD_VALUES * sizeof(int64_t)};
    STOA_RETURN_NOT_OK(stoa_table_may_change(table, err));
    STOA_RETURN_NOT_OK(stoa_table_load(table, err));
    appender->books = stoa_alloc_zero(n, sizeof *appender->books);
    appender->sources = stoa_alloc_zero(n, sizeof *appender->sources);
    appender->next = stoa_alloc(n, sizeof *appender->next);
    STOA_RETURN_NO_MEMORY(err, appender->books != NULL && appender->sources != NULL &&
                                   appender->next != NULL);
    for (size_t i = 0; i < n; i++) {
        appender->next[i] = SIZE_MAX;
    }
    STOA_RETURN_NOT_OK(stoa_workers_open(threads, &appender->workers, err));
    appender->scratch =
        stoa_alloc_zero(stoa_workers_count(appender->workers), sizeof *appender->scratch);
    appender->batch = stoa_alloc_zero(n, sizeof *appender->batch);
    appender->is_packed = stoa_alloc_zero(n, sizeof *appender->is_packed);
    STOA_RETURN_NO_MEMORY(err, appender->scratch != NULL && appender->batch != NULL &&
                                   appender->is_packed != NULL);
    appender->writers = stoa_alloc_zero(n, sizeof *appender->writers);
    STOA_RETURN_NO_MEMORY(err, appender->writers);
    for (size_t i = 0; i < n; i++) {
        appender->writers[i] = (stoa_column_writer){.column = table->columns[i],
                                                    .group = table->group,
                                                    .n_rows = table->n_rows,
                                                    .leave = stoa_index_tokens_withdraw};
    }
    appender->lists = stoa_alloc_zero(n, sizeof *appender->lists);
    STOA_RETURN_NO_MEMORY(err, appender->lists);
    for (size_t i = 0; i < n; i++) {
        if (stoa_column_is_list_group(table->columns[i])) {
            STOA_RETURN_NOT_OK(stoa_list_writer_open(table->columns[i], &appender->lists[i], err));
        } else if (stoa_column_is_categorical(table->columns[i])) {
            STOA_RETURN_NOT_OK(open_book(appender, i, books, n_books, err));
        }
    }
    if (appender->n_books > 0) {
        STOA_RETURN_NOT_OK(name_books(appender, err));
    }
    return STOA_OK;
}

stoa_status stoa_appender_begin(stoa_table *table, stoa_appender *appender, stoa_error *err)
{
    return stoa_appender_begin_with(table, 0, NULL, 0, appender, err);
}

/* Arrow allows a field without a name, but no column is unnamed. */
static const char *field_name(const struct ArrowSchema *schema, int64_t i)
{
    return schema->children[i]->name != NULL ? schema->children[i]->name : "";
}

/* Find the first field with each column's name; -1 if absent. */
static stoa_status find_sources(stoa_appender *appender, const struct ArrowSchema *schema,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_string_set names = {0};
    int64_t *const fields = stoa_alloc((size_t)schema->n_children, sizeof *fields);
    uint32_t number = 0;

    STOA_TRY(fields != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t k = 0; k < schema->n_children; k++) {
        const uint32_t n = names.count;
        const char *const name = field_name(schema, k);
        STOA_TRY(stoa_string_set_add(&names, name, strlen(name), &number, err));
        if (number == n) {
            fields[number] = k;
        }
    }
    for (size_t i = 0; i < appender->table->n_columns; i++) {
        const char *const name = appender->table->columns[i]->name;
        const bool is_there = stoa_string_set_find(&names, name, strlen(name), &number);
        appender->sources[i] = is_there ? fields[number] : -1;
    }

done:
    free(fields);
    stoa_string_set_clear(&names);
    return status;
}

stoa_status stoa_appender_match(stoa_appender *appender, const struct ArrowSchema *schema,
                                stoa_error *err)
{
    const stoa_table *table = appender->table;
    char missing[256] = "";
    char extra[256] = "";
    stoa_type type;

    STOA_RETURN_NOT_OK(stoa_type_of(schema, &type, err));
    if (type.kind != STOA_KIND_STRUCT) {
        return stoa_fail(err, STOA_ETYPE, "rows come as a stream of structs");
    }
    STOA_RETURN_NOT_OK(find_sources(appender, schema, err));
    for (size_t i = 0; i < table->n_columns; i++) {
        if (appender->lists[i] != NULL) {
            STOA_RETURN_NOT_OK(stoa_at(err, stoa_list_writer_check_own(appender->lists[i], err),
                                       "%s", table->columns[i]->name));
        }
        if (appender->sources[i] < 0 && strlen(missing) < 200) {
            (void)snprintf(missing + strlen(missing), sizeof missing - strlen(missing), "%s'%s'",
                           missing[0] != '\0' ? ", " : "", table->columns[i]->name);
        }
    }
    for (int64_t k = 0; k < schema->n_children; k++) {
        if (stoa_table_find(table, field_name(schema, k)) == NULL && strlen(extra) < 200) {
            (void)snprintf(extra + strlen(extra), sizeof extra - strlen(extra), "%s'%s'",
                           extra[0] != '\0' ? ", " : "", field_name(schema, k));
        }
    }
    if (missing[0] != '\0') {
        return stoa_fail(err, STOA_ETYPE, "the rows to append lack column %s%s%s%s", missing,
                         extra[0] != '\0' ? " and have " : "", extra,
                         extra[0] != '\0' ? ", which the table has not" : "");
    }
    if (extra[0] != '\0') {
        return stoa_fail(err, STOA_ETYPE,
                         "the rows to append have column %s, which the table has not", extra);
    }
    if ((size_t)schema->n_children != table->n_columns) {
        return stoa_fail(err, STOA_ETYPE, "the rows to append have a column twice");
    }
    return STOA_OK;
}

/* A batch being written. */
typedef struct adding {
    stoa_appender *appender;
    const stoa_view *rows;
    size_t first; /* columns [first, end) are packed and written together */
    size_t end;
} adding;

/* Look at a column and those that share its categories, one after another because they number new
 * labels. */
static stoa_status check_column(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const adding *add = context;
    stoa_appender *appender = add->appender;
    const stoa_categories *book = appender->writers[part].book;
    stoa_view values;

    (void)worker;
    if (book != NULL && ((const stoa_shared_categories *)(const void *)book)->first != part) {
        return STOA_OK;
    }
    for (size_t i = part; i != SIZE_MAX; i = appender->next[i]) {
        STOA_RETURN_NOT_OK(stoa_view_child(add->rows, appender->sources[i], &values, err));
        if (appender->lists[i] != NULL) {
            return stoa_list_writer_check(appender->lists[i], &values, err);
        }
        STOA_RETURN_NOT_OK(
            stoa_column_batch_check(&appender->writers[i], &values, &appender->batch[i], err));
    }
    return STOA_OK;
}

static stoa_status pack_column(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const adding *add = context;
    stoa_appender *appender = add->appender;
    const size_t i = add->first + part;
    stoa_scratch *const scratch = &appender->scratch[worker];
    const stoa_status status =
        appender->lists[i] != NULL
            ? stoa_list_writer_pack(appender->lists[i], scratch, err)
            : stoa_column_batch_pack(&appender->writers[i], &appender->batch[i], scratch, err);

    atomic_store_explicit(&appender->is_packed[i], status == STOA_OK, memory_order_release);
    return status;
}

/* The calling thread writes the columns in order, so the file does not depend on the number of
 * threads. Meanwhile workers pack the columns that follow. */
static stoa_status put_columns(const adding *add, stoa_job *packing, stoa_error *err)
{
    stoa_appender *appender = add->appender;

    for (size_t i = add->first; i < add->end; i++) {
        bool is_ready = atomic_load_explicit(&appender->is_packed[i], memory_order_acquire);
        while (!is_ready && stoa_job_help(packing)) {
            is_ready = atomic_load_explicit(&appender->is_packed[i], memory_order_acquire);
        }
        if (!atomic_load_explicit(&appender->is_packed[i], memory_order_acquire)) {
            break; /* the job reports the error */
        }
        STOA_RETURN_NOT_OK(
            appender->lists[i] != NULL
                ? stoa_list_writer_put(appender->lists[i], err)
                : stoa_column_batch_put(&appender->writers[i], &appender->batch[i], err));
    }
    return STOA_OK;
}

static stoa_status pack_and_put(adding *add, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_appender *appender = add->appender;
    const size_t n = add->end - add->first;
    stoa_job packing;

    for (size_t i = add->first; i < add->end; i++) {
        atomic_store_explicit(&appender->is_packed[i], false, memory_order_relaxed);
    }
    stoa_job_begin(&packing, appender->workers, n, pack_column, add);
    stoa_job_offer(&packing, n);
    status = put_columns(add, &packing, err);
    const stoa_status packed = stoa_job_end(&packing, err);
    return status != STOA_OK ? status : packed;
}

static void clear_batch(stoa_appender *appender, size_t first, size_t end)
{
    for (size_t i = first; appender->writers != NULL && i < end; i++) {
        stoa_column_batch_clear(&appender->writers[i], &appender->batch[i]);
        if (appender->lists[i] != NULL) {
            stoa_list_writer_clear(appender->lists[i]);
        }
    }
}

/* Whether the chunks that the columns hold in memory between two batches are too large together. */
static bool holds_much(const stoa_appender *appender)
{
    const stoa_table *table = appender->table;
    uint64_t n_bytes = 0;

    for (size_t i = 0; i < table->n_columns; i++) {
        const stoa_column *column = table->columns[i];
        n_bytes += appender->lists[i] != NULL ? STOA_CHUNK_ROWS * sizeof(int64_t)
                                              : column->chunk_rows * column->element.size;
    }
    return table->n_columns > STOA_MANY_COLUMNS && n_bytes > appender->most_held;
}

/* With many columns, write out what is buffered. */
static stoa_status let_go(const adding *add, stoa_error *err)
{
    stoa_appender *appender = add->appender;

    if (!holds_much(appender)) {
        return STOA_OK;
    }
    for (size_t i = add->first; i < add->end; i++) {
        if (appender->lists[i] != NULL) {
            STOA_RETURN_NOT_OK(stoa_list_writer_let_go(appender->lists[i], err));
            continue;
        }
        STOA_RETURN_NOT_OK(stoa_column_flush(appender->table->columns[i], err));
        stoa_column_close_writer(appender->table->columns[i]);
    }
    return STOA_OK;
}

stoa_status stoa_appender_add(stoa_appender *appender, const struct ArrowSchema *schema,
                              const struct ArrowArray *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = appender->table->n_columns;
    stoa_view rows;
    adding add = {.appender = appender, .rows = &rows};

    STOA_TRY(stoa_view_of(schema, batch, &rows, err));
    if (rows.null_count != 0) {
        STOA_FAIL(err, STOA_ETYPE, "a batch has whole rows that are null");
    }
    if (appender->n_rows > INT64_MAX || (uint64_t)rows.length > INT64_MAX - appender->n_rows) {
        STOA_FAIL(err, STOA_ERANGE, "more than 2^63 rows");
    }
    STOA_TRY(stoa_workers_run(appender->workers, n, check_column, &add, err));
    STOA_TRY(stoa_texts_give_up(appender, &rows, err));
    for (; add.first < n; add.first = add.end) {
        add.end = n - add.first > STOA_MANY_COLUMNS ? add.first + STOA_MANY_COLUMNS : n;
        for (size_t i = add.first; i < add.end; i++) {
            appender->batch[i].is_last = appender->is_last;
            STOA_TRY(appender->lists[i] != NULL
                         ? stoa_list_writer_fit(appender->lists[i], err)
                         : stoa_column_batch_fit(&appender->writers[i], &appender->batch[i], err));
        }
        STOA_TRY(pack_and_put(&add, err));
        STOA_TRY(let_go(&add, err));
        clear_batch(appender, add.first, add.end);
    }
    appender->n_rows += (uint64_t)rows.length;

done:
    clear_batch(appender, 0, n);
    return status;
}

stoa_status stoa_appender_check_order(const stoa_appender *appender, stoa_error *err)
{
    for (size_t i = 0; i < appender->table->n_columns; i++) {
        const stoa_column *column = appender->table->columns[i];
        const stoa_categories *book = appender->writers[i].book;
        if (book != NULL && column->is_ordered && book->labels.count > book->n_stored) {
            char label[STOA_LABEL_TEXT];
            stoa_categories_text(book, book->n_stored, label);
            return stoa_fail(
                err, STOA_ELOSS,
                "the categories of '%s' are ordered, and '%s', which is new to them, has no "
                "place among them; give '%s' all labels in their order first (HEP001 §8.7)",
                column->name, label, column->name);
        }
    }
    return STOA_OK;
}

/* Let columns refer to categories that have changed, in the dataset's place or in the labels. */
static stoa_status relink_categories(const stoa_appender *appender, stoa_error *err)
{
    for (size_t i = 0; i < appender->table->n_columns; i++) {
        const stoa_column_writer *writer = &appender->writers[i];
        const stoa_categories *book = writer->book;
        if (book != NULL && (book->was_replaced || book->has_grown || writer->was_replaced)) {
            STOA_RETURN_NOT_OK(stoa_appender_refer(appender, i, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_appender_refer(const stoa_appender *appender, size_t i, stoa_error *err)
{
    const stoa_categories *book = appender->writers[i].book;
    const stoa_shared_categories *shared = (const stoa_shared_categories *)(const void *)book;

    return stoa_categories_refer(book, appender->table->columns[i]->dataset, shared->name,
                                 appender->table->has_old_references, err);
}

stoa_status stoa_appender_store_categories(stoa_appender *appender, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;

    STOA_HDF(err, group = stoa_open_here(appender->table->group, "CATEGORIES"),
             "open the group CATEGORIES");
    for (size_t i = 0; i < appender->n_books; i++) {
        stoa_shared_categories *shared = &appender->books[i];
        if (shared->name != NULL) { /* NULL: now plain strings */
            STOA_TRY(stoa_categories_store(&shared->book, group, shared->name, err));
        }
    }

done:
    return stoa_hdf_close(&group, status, err);
}

/* Write new labels into CATEGORIES, and let columns refer to them. */
static stoa_status store_books(stoa_appender *appender, stoa_error *err)
{
    bool has_books = false;

    for (size_t i = 0; i < appender->n_books; i++) {
        has_books = has_books || appender->books[i].name != NULL;
    }
    if (!has_books) {
        return STOA_OK;
    }
    for (size_t i = 0; i < appender->table->n_columns; i++) {
        STOA_RETURN_NOT_OK(stoa_column_fit_codes(&appender->writers[i], err));
    }
    STOA_RETURN_NOT_OK(stoa_appender_store_categories(appender, err));
    return relink_categories(appender, err);
}

/* INDEX_COLUMNS refers to datasets, so rewrite it after replacing any. */
static stoa_status relink_columns(const stoa_appender *appender, stoa_error *err)
{
    bool was_replaced = false;

    for (size_t i = 0; i < appender->table->n_columns; i++) {
        was_replaced |= appender->writers[i].was_replaced;
    }
    return was_replaced ? stoa_table_refer_to_columns(appender->table, err) : STOA_OK;
}

static stoa_status update_indexes(stoa_appender *appender, uint64_t n_old, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_table *table = appender->table;
    const stoa_row_change rows = {n_old, n_old, appender->n_rows};

    appender->has_indexed = true;
    STOA_RETURN_NOT_OK(stoa_index_links_settle(table->columns, table->n_columns, err));
    if (appender->n_rows != n_old) {
        STOA_RETURN_NOT_OK(stoa_table_tokens_ahead(table, appender->n_rows, err));
    }
    for (size_t i = 0; i < table->n_columns; i++) {
        if (appender->lists[i] != NULL) {
            continue; /* without indexes (HEP001-2026-07 §9.6) */
        }
        const bool was_replaced = appender->writers[i].was_replaced;
        const bool is_changed = was_replaced || appender->n_rows != n_old;
        table->columns[i]->workers = appender->workers;
        status = stoa_table_update_indexes(table, table->columns[i], &rows, was_replaced,
                                           appender->drop_indexes && is_changed, err);
        table->columns[i]->workers = NULL;
        STOA_RETURN_NOT_OK(status);
    }
    return status;
}

/* Read a column again if its dataset or its labels may be others. */
static stoa_status renew_column(const stoa_appender *appender, size_t i, stoa_error *err)
{
    const stoa_table *table = appender->table;
    const stoa_column_writer *writer = &appender->writers[i];

    if (appender->lists[i] != NULL) {
        return STOA_OK;
    }
    if (writer->was_replaced || writer->book != NULL) {
        return stoa_column_reload(table->columns[i], table->n_rows, table->units_vocabulary, err);
    }
    stoa_column_renew(table->columns[i]);
    return STOA_OK;
}

stoa_status stoa_appender_finish(stoa_appender *appender, uint64_t extent, stoa_error *err)
{
    stoa_table *table = appender->table;
    const uint64_t n_old = table->n_rows;

    extent = extent > appender->n_rows ? extent : appender->n_rows;
    for (size_t i = 0; i < table->n_columns; i++) {
        if (appender->lists[i] != NULL) { /* members have extents of their own */
            STOA_RETURN_NOT_OK(stoa_list_writer_flush(appender->lists[i], err));
            continue;
        }
        STOA_RETURN_NOT_OK(stoa_column_flush(table->columns[i], err));
        extent = table->columns[i]->extent > extent ? table->columns[i]->extent : extent;
    }
    STOA_RETURN_NOT_OK(store_books(appender, err));
    for (size_t i = 0; i < table->n_columns; i++) {
        STOA_RETURN_NOT_OK(appender->lists[i] == NULL
                               ? stoa_column_resize(&appender->writers[i], extent, err)
                               : STOA_OK);
    }
    for (size_t i = 0; i < table->n_columns; i++) {
        STOA_RETURN_NOT_OK(renew_column(appender, i, err));
    }
    STOA_RETURN_NOT_OK(relink_columns(appender, err));
    return update_indexes(appender, n_old, err);
}

void stoa_appender_abort(stoa_appender *appender)
{
    stoa_table *table = appender->table;
    uint64_t extent = UINT64_MAX;
    stoa_error ignored = STOA_ERROR_INIT;

    if (appender->lists == NULL) {
        return; /* nothing was done yet */
    }
    stoa_generation_settle(table->generation, false);
    /* Give all columns the smallest extent of any, which is at least NROWS. */
    for (size_t i = 0; i < table->n_columns; i++) {
        if (appender->lists[i] != NULL) {
            stoa_list_writer_abort(appender->lists[i]);
            stoa_column_unload(table->columns[i]);
        } else if (table->columns[i]->list == NULL && table->columns[i]->extent < extent) {
            extent = table->columns[i]->extent;
        }
    }
    for (size_t i = 0; i < table->n_columns; i++) {
        stoa_column *column = table->columns[i];
        if (column->list != NULL) {
            continue;
        }
        column->n_rows = table->n_rows;
        appender->writers[i].n_rows = table->n_rows;
        stoa_column_discard(column);
        if (column->chunk_rows != 0 && column->extent != extent) {
            (void)stoa_column_resize(&appender->writers[i], extent, &ignored);
        }
    }
    (void)relink_categories(appender, &ignored);
    (void)relink_columns(appender, &ignored);
    for (size_t i = 0; i < table->n_columns; i++) {
        const stoa_categories *book = appender->writers[i].book;
        if (book != NULL && book->was_replaced) {
            (void)stoa_column_reload(table->columns[i], table->n_rows, table->units_vocabulary,
                                     &ignored);
        }
        if (appender->writers[i].was_replaced || appender->has_indexed) {
            (void)stoa_index_rebuild_all(table->group, table->columns[i], table->n_rows, &ignored);
        }
    }
}

void stoa_appender_clear(stoa_appender *appender)
{
    for (size_t i = 0; i < appender->n_books; i++) {
        stoa_categories_clear(&appender->books[i].book);
        free(appender->books[i].name);
    }
    for (unsigned i = 0; appender->scratch != NULL && i < stoa_workers_count(appender->workers);
         i++) {
        stoa_scratch_clear(&appender->scratch[i]);
    }
    for (size_t i = 0; appender->lists != NULL && i < appender->table->n_columns; i++) {
        stoa_list_writer_close(appender->lists[i]);
    }
    stoa_workers_close(appender->workers);
    free(appender->lists);
    free(appender->scratch);
    free(appender->batch);
    free(appender->is_packed);
    free(appender->books);
    free(appender->writers);
    free(appender->sources);
    free(appender->next);
    stoa_string_set_clear(&appender->book_keys);
    *appender = (stoa_appender){0};
}

stoa_status stoa_table_append(stoa_table *table, struct ArrowArrayStream *stream,
                              const stoa_edit_options *options, uint64_t *n_appended,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArrayStream normal = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    struct ArrowArray following = {.release = NULL}; /* its absence tells that no more follow */
    stoa_appender appender = {.table = table};
    const uint64_t n_old = table->n_rows;
    stoa_edit_options own;

    if (n_appended != NULL) {
        *n_appended = 0;
    }
    STOA_TRY(stoa_edit_options_copy(options, &own, err));
    STOA_TRY(stoa_stream_make_normal(&stream, true, &normal, &schema, err));
    STOA_TRY(stoa_appender_begin_with(table, own.threads, NULL, 0, &appender, err));
    STOA_TRY(stoa_table_may_grow(table, err));
    stoa_texts_limit(&appender);
    appender.drop_indexes = own.drop_indexes;
    STOA_TRY(stoa_appender_match(&appender, &schema, err));
    STOA_TRY(stoa_stream_next(stream, &batch, err));
    while (batch.release != NULL) {
        STOA_TRY(stoa_stream_next(stream, &following, err));
        appender.is_last = following.release == NULL;
        STOA_TRY(stoa_appender_add(&appender, &schema, &batch, err));
        stoa_array_release(&batch);
        stoa_array_move(&following, &batch);
        STOA_TRY(stoa_report_progress(
            &own.listener, &(stoa_progress){.stage = "writing", .rows = appender.n_rows - n_old},
            err));
    }
    STOA_TRY(stoa_appender_check_order(&appender, err));
    STOA_TRY(stoa_appender_finish(&appender, 0, err));
    for (size_t i = 0; i < table->n_columns; i++) {
        STOA_TRY(stoa_column_keep_original(table->columns[i], schema.children[appender.sources[i]],
                                           err));
    }
    STOA_TRY(stoa_table_commit(table, appender.n_rows, err));
    if (n_appended != NULL) {
        *n_appended = appender.n_rows - n_old;
    }

done:
    if (status != STOA_OK) {
        stoa_appender_abort(&appender);
    }
    stoa_appender_clear(&appender);
    stoa_array_release(&batch);
    stoa_array_release(&following);
    stoa_stream_release(&normal);
    stoa_schema_release(&schema);
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}
