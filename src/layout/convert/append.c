/*
 * Appends rows to tables of other layouts than HEP001: stoa_layout_append(), and new columns.
 *
 * A layout adds rows where they belong, by its member `append`. In other layouts the lengths of
 * columns are fixed. There a copy of the table in HEP001 gets the rows, and the layout writes it in
 * place of the table. Either is published with the file's commit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/arrays.h>
#include <stoa/query.h>
#include <string.h>

#include "arrow/build.h"
#include "column/column.h"
#include "core/memory.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/links.h"
#include "layout/common/conversion.h"
#include "layout/convert/copy_part.h"
#include "layout/registry.h"
#include "table/open/table.h"
#include "table/write/update_indexes.h"

/* --- rows that a layout adds ----------------------------------------------------------------- */

/* Most layouts store times as plain numbers, so the unit of the rows must match that of the
 * table. */
static stoa_status check_times(const stoa_table *table, const struct ArrowSchema *rows,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema there = {0};

    for (int64_t i = 0; i < rows->n_children; i++) {
        const char *const name = rows->children[i]->name;
        const stoa_column *const column = stoa_table_find(table, name);
        stoa_type ours;
        stoa_type theirs;
        if (column == NULL) {
            continue;
        }
        STOA_TRY(stoa_type_of(rows->children[i], &ours, err));
        STOA_TRY(stoa_column_schema(column, &there, err));
        STOA_TRY(stoa_type_of(&there, &theirs, err));
        const bool is_time = stoa_kind_is_ticks(ours.kind) || stoa_kind_is_ticks(theirs.kind);
        const bool is_same =
            ours.kind == theirs.kind && ours.utc == theirs.utc &&
            (ours.unit == theirs.unit || H5Tget_class(column->member.type) == H5T_TIME);
        if (is_time && !is_same) {
            STOA_FAIL(err, STOA_ETYPE, "column '%s' counts time in another way there", name);
        }
        stoa_schema_release(&there);
    }

done:
    stoa_schema_release(&there);
    return status;
}

/* Cast times to the units of the table, where both count time. */
static stoa_status cast_times(const stoa_table *table, struct ArrowArrayStream *stream,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema wanted = {.release = NULL};

    STOA_TRY(stoa_stream_schema(stream, &wanted, err));
    for (int64_t i = 0; i < wanted.n_children; i++) {
        const stoa_column *const column = stoa_table_find(table, wanted.children[i]->name);
        if (column != NULL && stoa_kind_is_ticks(column->type.kind)) {
            stoa_schema_release(wanted.children[i]);
            STOA_TRY(stoa_column_schema(column, wanted.children[i], err));
        }
    }
    STOA_TRY(stoa_stream_cast(stream, &wanted, err));

done:
    stoa_schema_release(&wanted);
    return status;
}

static void take_edit(const stoa_edit_options *how, const stoa_layout *layout,
                      stoa_layout_options *own)
{
    own->layout = layout->name;
    own->listener = how->listener;
    own->threads = how->threads;
    own->missing = how->missing;
    own->n_missing = how->n_missing;
}

/* Collect statistics of appended rows, as for a new table, but with the columns of the existing
 * one. */
static stoa_status learn_more(stoa_layout_conversion *j, const stoa_layout *layout, stoa_error *err)
{
    const stoa_missing_rules *const missing = stoa_layout_missing(layout);

    STOA_RETURN_NOT_OK(stoa_layout_conversion_learn(j, err));
    STOA_RETURN_NOT_OK(stoa_layout_conversion_drop(j, missing, err));
    STOA_RETURN_NOT_OK(stoa_layout_conversion_fill(j, missing, err));
    return stoa_layout_conversion_narrow(j, err);
}

/* Add the rows of a stream by the layout's `append`. */
static stoa_status add_rows(stoa_table *table, struct ArrowArrayStream *stream,
                            const stoa_layout *layout, const stoa_edit_options *how, uint64_t *n,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own = STOA_LAYOUT_OPTIONS_INIT;
    stoa_layout_conversion j = {.options = &own};
    hid_t file = H5I_INVALID_HID;

    take_edit(how, layout, &own);
    STOA_TRY(stoa_table_may_grow(table, err));
    STOA_TRY(cast_times(table, stream, err));
    STOA_TRY(stoa_layout_keep_rows(stream, &own, &file, &j.table, err));
    STOA_TRY(learn_more(&j, layout, err));
    STOA_TRY(check_times(table, &j.schema, err));
    STOA_TRY(stoa_layout_conversion_read(&j, err));
    const stoa_layout_source source = stoa_layout_conversion_source(&j);
    STOA_TRY(layout->append(&source, table, err));
    *n = j.n_rows;

done:
    stoa_layout_conversion_end(&j);
    stoa_table_close(j.table);
    return stoa_layout_close_temporary(&file, status, err);
}

/* --- tables that are written anew ------------------------------------------------------------ */

static bool has_field(const struct ArrowSchema *rows, const char *name)
{
    bool has = false;

    for (int64_t i = 0; i < rows->n_children && !has; i++) {
        has = strcmp(rows->children[i]->name, name) == 0;
    }
    return has;
}

/* Whether a column holds 0, 1, 2 ... */
static stoa_status is_count(stoa_column *column, uint64_t n_rows, bool *is, stoa_error *err)
{
    enum { BLOCK_ROWS = 65536 };
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_view values;

    *is = true;
    STOA_TRY(stoa_column_schema(column, &schema, err));
    for (uint64_t first = 0; *is && first < n_rows; first += BLOCK_ROWS) {
        const uint64_t left = n_rows - first;
        STOA_TRY(
            stoa_column_read(column, first, left < BLOCK_ROWS ? left : BLOCK_ROWS, &array, err));
        STOA_TRY(stoa_view_of(&schema, &array, &values, err));
        for (int64_t i = 0; *is && i < values.length; i++) {
            *is = !stoa_view_is_null(&values, i) && stoa_view_i64(&values, i) == (int64_t)first + i;
        }
        stoa_array_release(&array);
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

/* Row labels that only count the rows are counted on, if the new rows have none: the layout counts
 * rows without labels. */
static stoa_status drop_count(stoa_table *whole, struct ArrowArrayStream *stream, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema rows = {.release = NULL};
    bool counts = stoa_table_n_index_columns(whole) == 1;

    STOA_TRY(stoa_stream_schema(stream, &rows, err));
    for (size_t i = 0; counts && i < stoa_table_n_columns(whole); i++) {
        stoa_column *const column = stoa_table_column(whole, i);
        if (column != stoa_table_index_column(whole, 0)) {
            continue;
        }
        counts = column->type.kind == STOA_KIND_INT64 && !has_field(&rows, column->name);
        STOA_TRY(counts ? is_count(column, stoa_table_n_rows(whole), &counts, err) : STOA_OK);
        STOA_TRY(counts ? stoa_column_drop(whole, column->name, err) : STOA_OK);
        break;
    }

done:
    stoa_schema_release(&rows);
    return status;
}

/* Copy a table into a temporary file, as one of HEP001, and append the rows there. The caller
 * closes both. */
static stoa_status make_whole(stoa_table *table, struct ArrowArrayStream *stream,
                              const stoa_edit_options *how, hid_t *file, stoa_table **whole,
                              uint64_t *n, stoa_error *err)
{
    stoa_edit_options add = *how;

    add.n_missing = 0; /* HEP001 holds them; the layout learns what stands for them */
    STOA_RETURN_NOT_OK(stoa_layout_copy_part(table, NULL, file, whole, err));
    STOA_RETURN_NOT_OK(drop_count(*whole, stream, err));
    const stoa_status status = stoa_table_append(*whole, stream, &add, n, err);
    if (status != STOA_OK && err != NULL && stoa_table_find(*whole, err->where) != NULL) {
        err->where[0] = '\0'; /* the place of its column in the temporary file */
    }
    return status;
}

/* The codec of the first column that has one, for all: "deflate:4". */
static void find_codec(const stoa_table *table, char codec[32])
{
    codec[0] = '\0';
    for (size_t i = 0; i < stoa_table_n_columns(table) && codec[0] == '\0'; i++) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        hid_t creation = stoa_dataset_properties(stoa_table_column(table, i)->dataset);
        unsigned flags = 0;
        unsigned level = 0;
        size_t n = 1;
        if (creation >= 0 && H5Pget_filter_by_id2(creation, H5Z_FILTER_DEFLATE, &flags, &n, &level,
                                                  0, NULL, NULL) >= 0) {
            (void)snprintf(codec, 32, "deflate:%u", level);
        }
        stoa_error_stack_discard(&errors);
        (void)stoa_hdf_close(&creation, STOA_OK, NULL);
    }
}

static stoa_status write_anew(stoa_table *table, struct ArrowArrayStream *stream,
                              const stoa_layout *layout, const stoa_edit_options *how, uint64_t *n,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own = STOA_LAYOUT_OPTIONS_INIT;
    stoa_table *whole = NULL;
    hid_t file = H5I_INVALID_HID;
    char codec[32];

    take_edit(how, layout, &own);
    find_codec(table, codec);
    own.codec = codec[0] != '\0' ? codec : NULL;
    own.replace = true;
    STOA_TRY(make_whole(table, stream, how, &file, &whole, n, err));
    STOA_TRY(stoa_layout_write_table(whole, table->group, stoa_table_path(table), &own, NULL, err));

done:
    stoa_table_close(whole);
    return stoa_layout_close_temporary(&file, status, err);
}

/* --- the public calls ------------------------------------------------------------------------ */

stoa_status stoa_layout_append(stoa_table *table, struct ArrowArrayStream *stream,
                               const stoa_edit_options *options, uint64_t *n_appended,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout *const layout = stoa_layout_of(table);
    stoa_edit_options how;
    uint64_t n = 0;

    STOA_TRY(stoa_edit_options_copy(options, &how, err));
    if (layout == NULL || layout->is_home || (layout->append == NULL && layout->files == NULL)) {
        STOA_TRY(stoa_table_may_change(table, err));
        STOA_FAIL(err, STOA_ELAYOUT, "a HEP001 table is appended to by stoa_table_append()");
    }
    if (layout->files != NULL) {
        STOA_FAIL(err, STOA_ELAYOUT,
                  "a table of several files is appended to by "
                  "stoa_layout_append_files()");
    }
    if (layout->may_append != NULL) {
        STOA_TRY(layout->may_append(table, err));
    }
    STOA_TRY(stoa_storage_may_change(table->group, err));
    STOA_TRY(layout->grows_anew != NULL && layout->grows_anew(table)
                 ? write_anew(table, stream, layout, &how, &n, err)
                 : add_rows(table, stream, layout, &how, &n, err));

done:
    if (n_appended != NULL && status == STOA_OK) {
        *n_appended = n;
    }
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}

bool stoa_layout_has_files(const stoa_table *table)
{
    const stoa_layout *const layout = stoa_layout_of(table);

    return layout != NULL && layout->files != NULL;
}

/* The name of an object in the layout's files, and its kind. */
static stoa_status find_kind(stoa_table *table, char **name, const char **kind, stoa_error *err)
{
    const char *const path = stoa_table_path(table);
    const stoa_layout_class *class = NULL;
    stoa_object shown = {.path = NULL};

    STOA_RETURN_NOT_OK(stoa_layout_find_class(table->group, &class, &shown, err));
    *kind = shown.kind != NULL ? shown.kind : "";
    *name = path[0] != '\0' && path[1] != '\0' ? stoa_strdup(path + 1) : NULL;
    return path[0] == '\0' || path[1] == '\0' || *name != NULL ? STOA_OK : stoa_fail_memory(err);
}

static void ignore(void *context, const char *path, const char *words)
{
    (void)context;
    (void)path;
    (void)words;
}

/* Write a whole table in place of the object of that name. */
static stoa_status write_files(const stoa_layout *layout, const char *file, bool safe,
                               const stoa_file_patience *patience, stoa_table *whole,
                               const char *name, const char *kind, const stoa_edit_options *how,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own = STOA_LAYOUT_OPTIONS_INIT;
    void *files = NULL;

    take_edit(how, layout, &own);
    own.replace = true;
    STOA_TRY(layout->files->open_again(file, safe, patience, &files, err));
    STOA_TRY(layout->files->write(files, whole, name, kind, false, &own, ignore, NULL, NULL, err));
    void *const written = files;
    files = NULL;
    STOA_TRY(layout->files->commit(written, err));

done:
    if (files != NULL) {
        layout->files->close(files);
    }
    return status;
}

stoa_status stoa_layout_append_files(const char *file, const char *path,
                                     struct ArrowArrayStream *stream,
                                     const stoa_edit_options *options, bool safe,
                                     const stoa_file_patience *patience, uint64_t *n_appended,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_file_options open = STOA_FILE_OPTIONS_INIT;
    stoa_edit_options how;
    stoa_file *source = NULL;
    stoa_table *table = NULL;
    stoa_table *whole = NULL;
    const stoa_layout *layout = NULL;
    const char *kind = NULL;
    char *name = NULL;
    hid_t temporary = H5I_INVALID_HID;
    uint64_t n = 0;

    open.patience = patience;
    STOA_TRY(stoa_edit_options_copy(options, &how, err));
    STOA_TRY(stoa_file_open_with(file, STOA_FILE_READ, &open, &source, err));
    STOA_TRY(stoa_table_open(stoa_file_id(source), path, &table, err));
    layout = stoa_layout_of(table);
    if (layout == NULL || layout->files == NULL) {
        STOA_FAIL(err, STOA_ELAYOUT, "is no table of files of its own: stoa_layout_append()");
    }
    STOA_TRY(layout->may_append != NULL ? layout->may_append(table, err) : STOA_OK);
    STOA_TRY(find_kind(table, &name, &kind, err));
    STOA_TRY(make_whole(table, stream, &how, &temporary, &whole, &n, err));
    stoa_table_close(table); /* the files are opened again, to be written */
    table = NULL;
    stoa_file_close(source);
    source = NULL;
    STOA_TRY(write_files(layout, file, safe, patience, whole, name, kind, &how, err));
    if (n_appended != NULL) {
        *n_appended = n;
    }

done:
    free(name);
    stoa_table_close(whole);
    stoa_table_close(table);
    stoa_file_close(source);
    status = stoa_layout_close_temporary(&temporary, status, err);
    return stoa_at(err, status, "%s:%s", file, path);
}

stoa_status stoa_layout_add_columns(stoa_table *table, struct ArrowArrayStream *stream,
                                    const char *codec, const stoa_edit_options *options,
                                    size_t *n_added, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout *const layout = stoa_layout_of(table);
    stoa_layout_options own = STOA_LAYOUT_OPTIONS_INIT;
    stoa_edit_options how;
    stoa_layout_conversion j = {.options = &own};
    struct ArrowSchema notes = {.release = NULL};
    hid_t file = H5I_INVALID_HID;

    STOA_TRY(stoa_edit_options_copy(options, &how, err));
    if (layout == NULL || layout->add_columns == NULL) {
        STOA_TRY(stoa_table_may_change(table, err));
        STOA_FAIL(err, STOA_ELAYOUT, "a HEP001 table gets columns by stoa_column_add()");
    }
    STOA_TRY(stoa_storage_may_change(table->group, err));
    own.codec = codec;
    take_edit(&how, layout, &own);
    STOA_TRY(stoa_stream_schema(stream, &notes, err));
    STOA_TRY(stoa_layout_keep_rows(stream, &own, &file, &j.table, err));
    j.notes = &notes;
    STOA_TRY(learn_more(&j, layout, err));
    STOA_TRY(stoa_layout_conversion_read(&j, err));
    const stoa_layout_source source = stoa_layout_conversion_source(&j);
    STOA_TRY(layout->add_columns(&source, table, err));
    if (n_added != NULL) {
        *n_added = (size_t)j.schema.n_children;
    }

done:
    stoa_layout_conversion_end(&j);
    stoa_schema_release(&notes);
    stoa_table_close(j.table);
    status = stoa_layout_close_temporary(&file, status, err);
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}
