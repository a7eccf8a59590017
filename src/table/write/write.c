/* Writing a HEP001 table from a stream (§7, §8, §9): unlinked until it is complete. */
#include <stddef.h>
#include <stdlib.h>
#include <stoa/layout.h>
#include <string.h>

#include "arrow/cast/normalize.h"
#include "column/list/create.h"
#include "column/type/codec.h"
#include "column/type/datatype.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/sized_struct.h"
#include "core/text.h"
#include "hdf/copy/groups.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/references.h"
#include "index/common/kind.h"
#include "table/open/names.h"
#include "table/write/append.h"
#include "table/write/string_categories.h"
#include "table/write/target.h"

/* State of one stoa_table_write(). */
typedef struct maker {
    hid_t loc;
    const char *path;
    const stoa_table_options *options;
    struct ArrowArrayStream *stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;     /* first batch, kept until the datasets exist */
    stoa_view rows;              /* view of the first batch */
    struct ArrowArray following; /* second batch; its presence decides the chunk length */
    stoa_table *table;
    stoa_appender appender;
    hid_t group; /* the table's group; stoa_table_open_group() takes it over */
    hid_t root;  /* the root group if it is the table's group; else invalid */
    hid_t categories;
    stoa_categories *books; /* one per column, open for categories; the appender takes them over */
} maker;

static stoa_status check_option_columns(const stoa_string_set *names, const char *const *columns,
                                        size_t n, const char *what, stoa_error *err)
{
    uint32_t number = 0;

    for (size_t i = 0; i < n; i++) {
        if (!stoa_string_set_find(names, columns[i], strlen(columns[i]), &number)) {
            return stoa_fail(err, STOA_ENOTFOUND, "%s: there is no column '%s'", what, columns[i]);
        }
    }
    return STOA_OK;
}

static stoa_status kind_of(const stoa_column_index *index, const stoa_index_kind **kind,
                           stoa_error *err)
{
    return stoa_index_kind_named(index->kind != NULL ? index->kind : "minmax", kind, err);
}

/* Check that indexed columns and kinds exist, and that no index is requested twice. */
static stoa_status check_indexes(const stoa_string_set *names, const stoa_table_options *options,
                                 stoa_error *err)
{
    for (size_t i = 0; i < options->n_indexes; i++) {
        const stoa_index_kind *kind;
        STOA_RETURN_NOT_OK(
            check_option_columns(names, &options->indexes[i].column, 1, "search index", err));
        STOA_RETURN_NOT_OK(kind_of(&options->indexes[i], &kind, err));
        for (size_t k = 0; k < i; k++) {
            const stoa_index_kind *other;
            STOA_RETURN_NOT_OK(kind_of(&options->indexes[k], &other, err));
            if (kind == other &&
                strcmp(options->indexes[k].column, options->indexes[i].column) == 0) {
                return stoa_fail(err, STOA_EINVAL, "column '%s' is to get two %s indexes",
                                 options->indexes[i].column, kind->name);
            }
        }
    }
    return STOA_OK;
}

/* The text attributes of a table are UTF-8 (§7.4). */
static stoa_status check_texts(const stoa_table_options *options, stoa_error *err)
{
    const char *const texts[][2] = {{options->title, "title"},
                                    {options->description, "description"},
                                    {options->units_vocabulary, "vocabulary of units"}};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i][0] != NULL && !stoa_is_utf8(texts[i][0])) {
            return stoa_fail(err, STOA_EINVAL, "the table's %s is not UTF-8 (HEP001 §7.4)",
                             texts[i][1]);
        }
    }
    return STOA_OK;
}

/* Lists have no search index and label no rows, and only July's revision has list columns (§9). */
static stoa_status check_list(const struct ArrowSchema *field, const stoa_table_options *options,
                              stoa_error *err)
{
    stoa_type type;

    STOA_RETURN_NOT_OK(stoa_type_of(field, &type, err));
    if (options->revision == STOA_REVISION_2026_06 && stoa_field_is_large_cell(field)) {
        return stoa_fail(err, STOA_ETYPE,
                         "the cells of column '%s' have 64 KiB or more, so that HDF5 can keep no "
                         "fill value, which the revision 2026-06 demands (§8.5); write that of "
                         "2026-07, or leave the column out",
                         field->name);
    }
    if (options->revision == STOA_REVISION_2026_06 &&
        (type.kind == STOA_KIND_LIST || type.kind == STOA_KIND_LARGE_LIST)) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' is of lists, and the revision 2026-06 has no list columns; "
                         "write that of 2026-07, or leave the column out",
                         field->name);
    }
    if (!stoa_list_may_hold(field)) {
        return STOA_OK;
    }
    for (size_t i = 0; i < options->n_index_columns; i++) {
        if (strcmp(options->index_columns[i], field->name) == 0) {
            return stoa_fail(err, STOA_EINVAL,
                             "column '%s' is of lists, which label no rows (HEP001-2026-07 §7.4)",
                             field->name);
        }
    }
    for (size_t i = 0; i < options->n_indexes; i++) {
        if (strcmp(options->indexes[i].column, field->name) == 0) {
            return stoa_fail(err, STOA_EINVAL,
                             "column '%s' is of lists, and a list column has no search index "
                             "(HEP001-2026-07 §9.6)",
                             field->name);
        }
    }
    return STOA_OK;
}

/* Check everything that can be checked before writing. */
static stoa_status check_request(const maker *make, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_table_options *options = make->options;
    const struct ArrowSchema *schema = &make->schema;
    stoa_string_set names = {0};
    stoa_type type;

    STOA_TRY(check_texts(options, err));
    STOA_TRY(stoa_type_of(schema, &type, err));
    if (type.kind != STOA_KIND_STRUCT) {
        STOA_FAIL(err, STOA_ETYPE, "a table is made of a stream of structs");
    }
    for (int64_t i = 0; i < schema->n_children; i++) {
        const char *const name = schema->children[i]->name;
        uint32_t number = 0;
        if (name == NULL) {
            STOA_FAIL(err, STOA_EINVAL, "column %lld has no name", (long long)i + 1);
        }
        STOA_TRY(stoa_column_name_check(name, err));
        STOA_TRY(stoa_string_set_add(&names, name, strlen(name), &number, err));
        if (names.count == i) {
            STOA_FAIL(err, STOA_EINVAL, "two columns are called '%s'", name);
        }
    }
    STOA_TRY(check_option_columns(&names, options->index_columns, options->n_index_columns,
                                  "row index", err));
    STOA_TRY(check_indexes(&names, options, err));
    for (size_t i = 0; i < options->n_columns; i++) {
        if (options->portable && !stoa_codec_is_portable(options->columns[i].codec)) {
            STOA_FAIL(
                err, STOA_EINVAL,
                "not every program has the codec '%s'; a portable table takes deflate or none",
                options->columns[i].codec);
        }
        if (options->columns[i].column != NULL) {
            STOA_TRY(check_option_columns(&names, &options->columns[i].column, 1, "storage", err));
        }
    }
    for (size_t i = 0; i < options->n_fills; i++) {
        if (options->fills[i].column == NULL || options->fills[i].value == NULL) {
            STOA_FAIL(err, STOA_EINVAL, "a fill value is chosen for one column: name it");
        }
        STOA_TRY(check_option_columns(&names, &options->fills[i].column, 1, "fill value", err));
    }
    for (int64_t i = 0; i < schema->n_children; i++) {
        STOA_TRY(check_list(schema->children[i], options, err));
    }
    STOA_TRY(stoa_table_check_target(make->loc, make->path, options->replace, err));

done:
    stoa_string_set_clear(&names);
    return status;
}

/* Whether a column gets an index that reads single rows of it. */
static bool is_looked_up(const stoa_table_options *options, const char *column)
{
    const stoa_index_kind *kind = NULL;
    bool is = false;

    for (size_t i = 0; i < options->n_indexes && !is; i++) {
        is = strcmp(options->indexes[i].column, column) == 0 &&
             kind_of(&options->indexes[i], &kind, NULL) == STOA_OK && kind->reads_rows;
    }
    return is;
}

/* So many rows that a chunk of each column can be held in memory. Then rows may come in small
 * batches, and go out in them, without a chunk being written or read twice. */
static uint64_t narrowed_chunk_rows(const maker *make, uint64_t rows)
{
    while (rows > STOA_LEAST_CHUNK_ROWS &&
           rows * (uint64_t)make->schema.n_children > STOA_HELD_VALUES) {
        rows /= 2;
    }
    return rows;
}

/* The storage of a column: its own options, else the table's, else defaults for the number of
 * rows, and for its index. */
static stoa_storage storage_of(const maker *make, const char *column)
{
    const stoa_table_options *options = make->options;
    const uint64_t n_first = make->batch.release != NULL ? (uint64_t)make->batch.length : 0;
    stoa_storage storage = {.chunk_rows = STOA_CHUNK_ROWS,
                            .is_limited = true,
                            .codec = options->portable ? "deflate" : "auto",
                            .is_truth = options->revision == STOA_REVISION_2026_07,
                            .prefers_ascii = options->portable,
                            .is_looked_up = is_looked_up(options, column)};

    /* A stream of one batch is a small table: one chunk, rounded up to a power of two. */
    if (make->following.release == NULL && n_first > 0) {
        storage.chunk_rows = stoa_fitted_chunk_rows(n_first);
        storage.is_fitted = true;
    }
    storage.chunk_rows = narrowed_chunk_rows(make, storage.chunk_rows);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < options->n_columns; i++) {
            const stoa_column_options *entry = &options->columns[i];
            const bool is_general = entry->column == NULL;
            if (is_general != (pass == 0) || (!is_general && strcmp(entry->column, column) != 0)) {
                continue;
            }
            storage.codec = entry->codec != NULL ? entry->codec : storage.codec;
            storage.chunk_rows = entry->chunk_rows != 0 ? entry->chunk_rows : storage.chunk_rows;
            storage.is_fitted = storage.is_fitted && entry->chunk_rows == 0;
            storage.is_limited = storage.is_limited && entry->chunk_rows == 0;
            storage.is_looked_up =
                storage.is_looked_up && entry->codec == NULL && entry->chunk_rows == 0;
        }
    }
    for (size_t i = 0; i < options->n_fills; i++) {
        if (strcmp(options->fills[i].column, column) == 0) {
            storage.fill = options->fills[i].value;
        }
    }
    return storage;
}

/* Name of a column's categories in the group CATEGORIES; the caller frees it. */
static char *book_name(const struct ArrowSchema *field)
{
    return stoa_format("%s__CATEGORIES", field->name);
}

/* Create the dataset of categories. */
static stoa_status store_book(maker *make, const struct ArrowSchema *field, stoa_categories *book,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *name = book_name(field);

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    if (make->categories < 0) {
        STOA_HDF(err,
                 make->categories =
                     H5Gcreate2(make->group, "CATEGORIES", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                 "create the group CATEGORIES");
    }
    STOA_TRY(stoa_categories_store(book, make->categories, name, err));
    STOA_TRY(stoa_attribute_write_bool(
        book->dataset, "ordered",
        field->dictionary != NULL && (field->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0, err));

done:
    free(name);
    return status;
}

/* Make the categories of a dictionary field, with the labels of the first batch. */
static stoa_status make_book(maker *make, int64_t i, stoa_categories *book, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const struct ArrowSchema *field = make->schema.children[i];
    int64_t *codes = NULL;
    stoa_view values;
    stoa_view labels;

    STOA_TRY(stoa_categories_start_any(make->group, field->name, field->dictionary, book, err));
    book->prefers_ascii = make->options->portable;
    if (make->batch.release != NULL) {
        STOA_TRY(stoa_view_child(&make->rows, i, &values, err));
        STOA_TRY(stoa_view_dictionary(&values, &labels, err));
        codes = stoa_alloc((size_t)labels.length, sizeof *codes);
        STOA_TRY(codes != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(stoa_categories_codes(book, &labels, codes, err));
    }
    STOA_TRY(store_book(make, field, book, err));

done:
    free(codes);
    return stoa_at(err, status, "%s", field->name);
}

/* Use the string lengths that a source with all rows at hand gives in field metadata. */
static stoa_status use_hints(const struct ArrowSchema *field, stoa_domain *domain, stoa_error *err)
{
    const char *text;
    size_t length;
    uint64_t longest = 0;
    uint64_t mean = 0;

    if (!stoa_schema_get(field, "stoa.max_bytes", &text, &length) ||
        !stoa_parse_u64(text, length, &longest)) {
        return STOA_OK;
    }
    if (stoa_schema_get(field, "stoa.mean_bytes", &text, &length) &&
        !stoa_parse_u64(text, length, &mean)) {
        return stoa_fail(err, STOA_EINVAL, "field '%s': stoa.mean_bytes is no number", field->name);
    }
    domain->longest = (size_t)longest > domain->longest ? (size_t)longest : domain->longest;
    domain->n_bytes = mean * domain->n_values;
    return STOA_OK;
}

/* What is known from the first batch about a new column. */
typedef struct first_rows {
    stoa_view values;
    stoa_stored_form codes; /* of categories, and of strings that become some */
    const stoa_view *sample;
    stoa_domain domain;
} first_rows;

static stoa_status check_rows(maker *make, int64_t i, stoa_storage *storage, first_rows *first,
                              stoa_error *err)
{
    const struct ArrowSchema *field = make->schema.children[i];
    stoa_categories *book = &make->books[i];

    if (make->batch.release == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_view_child(&make->rows, i, &first->values, err));
    if (storage->fill == NULL && stoa_text_may_be_coded(field, storage->codec, make->options)) {
        STOA_RETURN_NOT_OK(stoa_text_begin(&first->values, make->following.release == NULL, book,
                                           &first->codes, &storage->is_coded, err));
    }
    first->sample = &first->values;
    if (storage->is_coded) {
        first->sample = &first->codes.view;
        STOA_RETURN_NOT_OK(store_book(make, field, book, err));
        return STOA_OK;
    }
    if (field->dictionary != NULL) {
        STOA_RETURN_NOT_OK(stoa_stored_form_of(NULL, &first->values, book, &first->codes, err));
        first->sample = &first->codes.view;
    }
    STOA_RETURN_NOT_OK(stoa_domain_add(&first->domain, &first->values, err));
    return use_hints(field, &first->domain, err);
}

static stoa_status make_list(maker *make, int64_t i, const stoa_storage *storage, hid_t *group,
                             stoa_error *err)
{
    stoa_view values;

    if (make->batch.release == NULL) {
        return stoa_list_create(make->group, make->schema.children[i], NULL, storage, group, err);
    }
    STOA_RETURN_NOT_OK(stoa_view_child(&make->rows, i, &values, err));
    return stoa_list_create(make->group, make->schema.children[i], &values, storage, group, err);
}

/* Create the empty dataset of one column, or the group of a list column, with a type and a fill
 * value that suit the first batch. */
static stoa_status make_column(maker *make, int64_t i, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const struct ArrowSchema *field = make->schema.children[i];
    stoa_storage storage = storage_of(make, field->name);
    stoa_categories *book = &make->books[i];
    first_rows first = {.sample = NULL};
    hid_t dataset = H5I_INVALID_HID;
    char *name = NULL;

    if (storage.chunk_rows == STOA_CONTIGUOUS) {
        storage.chunk_rows = STOA_CHUNK_ROWS; /* for now: see finish_storage() */
        storage.codec = "none";
    }
    if (field->dictionary != NULL) {
        STOA_TRY(make_book(make, i, book, err));
    }
    if (stoa_list_may_hold(field)) {
        STOA_TRY(make_list(make, i, &storage, &dataset, err));
    } else {
        STOA_TRY(check_rows(make, i, &storage, &first, err));
        STOA_TRY(stoa_column_create(make->group, field, &first.domain, first.sample,
                                    book->labels.count, &storage, &dataset, err));
    }
    STOA_HDF(err, stoa_link_nameless(dataset, make->group, field->name, H5P_DEFAULT),
             "link column '%s'", field->name);
    if (book->dataset >= 0) {
        name = book_name(field);
        STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(stoa_categories_refer(book, dataset, name, make->options->object_references, err));
    }

done:
    free(name);
    stoa_stored_form_clear(&first.codes);
    status = stoa_hdf_close(&dataset, status, err);
    return stoa_at(err, status, "%s", field->name);
}

/* Write identification (§7.1, §7.2), an NROWS and a GENERATION of 0, and the attributes from the
 * options. */
static stoa_status write_table_attributes(const maker *make, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_table_options *options = make->options;
    const size_t n = (size_t)make->schema.n_children;
    const char **names = stoa_alloc(n, sizeof *names);

    STOA_TRY(names != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        names[i] = make->schema.children[i]->name;
    }
    STOA_TRY(stoa_attribute_write_ascii(make->group, "CLASS", "COLUMN_TABLE", err));
    STOA_TRY(stoa_attribute_write_ascii(make->group, "VERSION", "1.0", err));
    STOA_TRY(stoa_attribute_write_u64(make->group, "NROWS", 0, err));
    STOA_TRY(stoa_attribute_write_u64(make->group, STOA_GENERATION, 0, err));
    if (n > 0) {
        STOA_TRY(stoa_attribute_write_names(make->group, "column-order", names, n, err));
    }
    if (options->title != NULL) {
        STOA_TRY(stoa_attribute_write_utf8(make->group, "TITLE", options->title, err));
    }
    if (options->description != NULL) {
        STOA_TRY(stoa_attribute_write_utf8(make->group, "description", options->description, err));
    }
    if (options->object_references) {
        STOA_TRY(stoa_attribute_write_ascii(make->group, STOA_TABLE_REFERENCES,
                                            STOA_TABLE_REFERENCES_OLD, err));
    }
    if (options->units_vocabulary != NULL) {
        STOA_TRY(stoa_attribute_write_utf8(make->group, "units_vocabulary",
                                           options->units_vocabulary, err));
    }

done:
    free(names);
    return status;
}

/* Create an empty table without a link: group, columns and categories. */
static stoa_status make_table(maker *make, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (stoa_path_is_root(make->path)) {
        STOA_RETURN_HDF_ERROR(err, make->root = H5Gopen2(make->loc, "/", H5P_DEFAULT), "open '/'");
        STOA_RETURN_HDF_ERROR(err, H5Iinc_ref(make->root), "hold '/'");
        make->group = make->root;
    } else {
        STOA_RETURN_HDF_ERROR(err,
                              make->group = H5Gcreate_anon(make->loc, H5P_DEFAULT, H5P_DEFAULT),
                              "create a group");
    }
    make->books = stoa_alloc((size_t)make->schema.n_children, sizeof *make->books);
    STOA_RETURN_NO_MEMORY(err, make->books);
    for (int64_t i = 0; i < make->schema.n_children; i++) {
        make->books[i] = (stoa_categories)STOA_CATEGORIES_INIT;
    }
    if (make->batch.release != NULL) { /* once for all columns, since it checks them all */
        STOA_RETURN_NOT_OK(stoa_view_of(&make->schema, &make->batch, &make->rows, err));
    }
    for (int64_t i = 0; i < make->schema.n_children; i++) {
        STOA_RETURN_NOT_OK(make_column(make, i, err));
    }
    status = stoa_hdf_close(&make->categories, status, err);
    STOA_RETURN_NOT_OK(status);
    STOA_RETURN_NOT_OK(write_table_attributes(make, err));
    const hid_t group = make->group;
    make->group = H5I_INVALID_HID;
    STOA_RETURN_NOT_OK(stoa_table_open_group(group, make->path, "", &make->table, err));
    if (make->options->object_references) {
        stoa_table_use_old_references(make->table);
    }
    return STOA_OK;
}

/* Append all batches. The first one or two were already read. */
static stoa_status write_rows(maker *make, stoa_error *err)
{
    make->appender.is_last = make->following.release == NULL;
    while (make->batch.release != NULL) {
        STOA_RETURN_NOT_OK(stoa_appender_add(&make->appender, &make->schema, &make->batch, err));
        stoa_array_release(&make->batch);
        STOA_RETURN_NOT_OK(stoa_report_progress(
            &make->options->listener,
            &(stoa_progress){.stage = "writing", .rows = make->appender.n_rows}, err));
        if (make->following.release != NULL) {
            stoa_array_move(&make->following, &make->batch);
        } else {
            STOA_RETURN_NOT_OK(stoa_stream_next(make->stream, &make->batch, err));
        }
    }
    return STOA_OK;
}

/* Rewrite columns that are to be contiguous, now that their length is known. */
static stoa_status finish_storage(maker *make, uint64_t extent, stoa_error *err)
{
    for (size_t i = 0; i < make->table->n_columns; i++) {
        if (storage_of(make, make->table->columns[i]->name).chunk_rows != STOA_CONTIGUOUS) {
            continue;
        }
        if (make->appender.lists[i] != NULL) {
            STOA_RETURN_NOT_OK(stoa_list_writer_store(make->appender.lists[i],
                                                      &(stoa_storage){.codec = "none"}, err));
        } else {
            STOA_RETURN_NOT_OK(
                stoa_column_rewrite(&make->appender.writers[i], NULL,
                                    &(stoa_storage){.extent = extent, .codec = "none"}, err));
        }
    }
    return STOA_OK;
}

static void clear_books(maker *make)
{
    for (int64_t i = 0; make->books != NULL && i < make->schema.n_children; i++) {
        stoa_categories_clear(&make->books[i]);
    }
    free(make->books);
    make->books = NULL;
}

static stoa_status build_indexes(maker *make, uint64_t n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_table_options *options = make->options;
    stoa_index_options how = STOA_INDEX_OPTIONS_INIT;

    how.listener = options->listener;
    for (size_t i = 0; i < options->n_indexes; i++) {
        stoa_column *column = stoa_table_find(make->table, options->indexes[i].column);
        const stoa_index_kind *kind;
        STOA_RETURN_NOT_OK(kind_of(&options->indexes[i], &kind, err));
        column->workers = make->appender.workers;
        status = stoa_index_build(make->table->group, column, kind, n_rows, &how, err);
        column->workers = NULL;
        STOA_RETURN_NOT_OK(status);
    }
    return status;
}

/* Clear the root group after a failure. Unlike other groups it cannot be written unlinked, nor
 * deleted. It had no links before. */
static void empty_root(hid_t root)
{
    static const char *const written[] = {"CLASS",
                                          "VERSION",
                                          "NROWS",
                                          "column-order",
                                          "TITLE",
                                          "description",
                                          "INDEX_COLUMNS",
                                          "_index",
                                          "units_vocabulary",
                                          "GENERATION",
                                          STOA_TABLE_REFERENCES};
    const stoa_error_stack errors = stoa_error_stack_begin();

    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        (void)stoa_attribute_delete(root, written[i], NULL);
    }
    stoa_error_stack_discard(&errors);
    stoa_group_unlink_all(root);
}

stoa_status stoa_table_write(hid_t loc, const char *path, struct ArrowArrayStream *stream,
                             const stoa_table_options *options, uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table_options own = STOA_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream normal = {.release = NULL};
    maker make = {
        .loc = loc,
        .path = path,
        .options = &own,
        .stream = stream,
        .group = H5I_INVALID_HID,
        .root = H5I_INVALID_HID,
        .categories = H5I_INVALID_HID,
    };

    if (n_rows != NULL) {
        *n_rows = 0;
    }
    STOA_TRY(STOA_SIZED_COPY(&own, options, title, "STOA_TABLE_OPTIONS_INIT", err));
    STOA_TRY(stoa_stream_make_normal(&stream, false, &normal, &make.schema, err));
    make.stream = stream;
    STOA_TRY(check_request(&make, err));
    STOA_TRY(stoa_stream_next(stream, &make.batch, err));
    if (make.batch.release != NULL) {
        STOA_TRY(stoa_stream_next(stream, &make.following, err));
    }
    STOA_TRY(make_table(&make, err));
    STOA_TRY(stoa_appender_begin_with(make.table, own.threads, make.books,
                                      (size_t)make.schema.n_children, &make.appender, err));
    clear_books(&make);
    for (size_t i = 0; i < make.table->n_columns; i++) {
        const stoa_storage storage = storage_of(&make, make.table->columns[i]->name);
        make.appender.writers[i].codec = storage.codec;
        make.appender.writers[i].keeps_fill = storage.fill != NULL;
        if (make.appender.lists[i] != NULL && storage.fill != NULL) {
            stoa_list_writer_keep_fill(make.appender.lists[i]);
        }
    }
    STOA_TRY(stoa_appender_match(&make.appender, &make.schema, err));
    STOA_TRY(write_rows(&make, err));
    STOA_TRY(stoa_texts_settle(&make.appender, err));
    STOA_TRY(stoa_appender_finish(&make.appender, make.options->preallocate_rows, err));
    const uint64_t rows = make.appender.n_rows;
    const uint64_t extent =
        make.options->preallocate_rows > rows ? make.options->preallocate_rows : rows;
    STOA_TRY(finish_storage(&make, extent, err));
    STOA_TRY(stoa_table_write_index_columns(make.table, make.options->index_columns,
                                            make.options->n_index_columns, err));
    STOA_TRY(build_indexes(&make, rows, err));
    STOA_TRY(stoa_table_commit(make.table, rows, err));
    STOA_TRY(stoa_table_link(make.table->group, make.loc, make.path, err));
    STOA_HDF(err, stoa_flush(loc), "flush the file");
    if (n_rows != NULL) {
        *n_rows = rows;
    }

done:
    stoa_appender_clear(&make.appender);
    stoa_table_close(make.table);
    if (status != STOA_OK && make.root >= 0) {
        empty_root(make.root);
    }
    (void)stoa_hdf_close(&make.root, STOA_OK, NULL);
    (void)stoa_hdf_close(&make.categories, STOA_OK, NULL);
    (void)stoa_hdf_close(&make.group, STOA_OK, NULL);
    clear_books(&make);
    stoa_array_release(&make.batch);
    stoa_array_release(&make.following);
    stoa_schema_release(&make.schema);
    stoa_stream_release(&normal);
    if (status != STOA_OK) {
        char *file = stoa_hdf_name(loc, H5Fget_name);
        (void)stoa_at(err, status, "%s:%s", file != NULL ? file : "", path);
        free(file);
    }
    return status;
}
