/* stoa_layout_write: rows of any stream in another layout; learned first, then written, then named.
 */
#include <stddef.h>
#include <stdlib.h>
#include <stoa/version.h>
#include <string.h>

#include "arrow/build.h"
#include "column/column.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/sized.h"
#include "hdf/attributes.h"
#include "hdf/links.h"
#include "hdf/storage.h"
#include "layout/anndata/anndata.h"
#include "layout/job.h"
#include "layout/lh5/append.h"
#include "layout/lh5/notes.h"
#include "layout/notes.h"
#include "layout/pandas/frame.h"
#include "layout/pytables/pytables.h"
#include "layout/target.h"
#include "layout/writer.h"
#include "table/follow.h"
#include "table/table.h"

/* The one list: a new layout adds one line. */
static const stoa_layout_writer *const writers[] = {
    &stoa_layout_write_pytables,     &stoa_layout_write_h5tb,    &stoa_layout_write_pandas_table,
    &stoa_layout_write_pandas_fixed, &stoa_layout_write_anndata, &stoa_layout_write_lh5};
#define WRITTEN                                                                                    \
    "hep001, pytables, h5tb, pandas-table, pandas-fixed, anndata, lh5, " STOA_LAYOUT_ARKOUDA
#define N_WRITERS (sizeof writers / sizeof writers[0])

static const stoa_layout_writer *find_writer(const char *name)
{
    for (size_t i = 0; i < N_WRITERS; i++) {
        if (strcmp(writers[i]->name, name) == 0) {
            return writers[i];
        }
    }
    return NULL;
}

static bool is_own(const char *name)
{
    return strcmp(name, "hep001") == 0;
}

bool stoa_layout_is_written(const char *layout)
{
    return layout != NULL && (is_own(layout) || strcmp(layout, STOA_LAYOUT_ARKOUDA) == 0 ||
                              find_writer(layout) != NULL);
}

const char *stoa_layout_name(size_t i)
{
    return i == 0               ? "hep001"
           : i <= N_WRITERS     ? writers[i - 1]->name
           : i == N_WRITERS + 1 ? STOA_LAYOUT_ARKOUDA
                                : NULL;
}

const char *stoa_layout_written(void)
{
    return WRITTEN;
}

static stoa_status tell_rows(const stoa_layout_source *source, uint64_t n_rows, stoa_error *err)
{
    return stoa_tell(
        &source->options->listener,
        &(stoa_progress){.stage = "writing", .rows = n_rows, .total_rows = source->n_rows}, err);
}

stoa_status stoa_layout_each_batch(const stoa_layout_source *source, stoa_layout_take take,
                                   void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray batch = {.release = NULL};
    stoa_view rows;

    for (uint64_t n = 0;; n += (uint64_t)rows.length) {
        STOA_TRY(stoa_stream_next(source->stream, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(stoa_view_of(source->schema, &batch, &rows, err));
        if ((uint64_t)rows.length > source->n_rows - n) {
            STOA_FAIL(err, STOA_EDATA, "the table has grown while it was read");
        }
        STOA_TRY(take(context, &rows, n, err));
        stoa_array_release(&batch);
        STOA_TRY(tell_rows(source, n + (uint64_t)rows.length, err));
    }

done:
    stoa_array_release(&batch);
    return status;
}

stoa_status stoa_layout_refuse_missing(const char *column, uint64_t n_missing, const char *layout,
                                       const char *ways, stoa_error *err)
{
    return stoa_fail(err, STOA_ELOSS,
                     "column '%s' has %llu missing %s, which %s cannot hold; --missing '%s=%s' "
                     "says what %s",
                     column, (unsigned long long)n_missing, n_missing == 1 ? "value" : "values",
                     layout, column, ways,
                     strchr(ways, '|') != NULL ? "becomes of them" : "stands for them");
}

stoa_status stoa_layout_say_where(hid_t loc, const char *path, stoa_status status, stoa_error *err)
{
    if (status != STOA_OK) {
        char *file = stoa_hdf_name(loc, H5Fget_name);
        (void)stoa_at(err, status, "%s:%s", file != NULL ? file : "", path);
        free(file);
    }
    return status;
}

/* What pandas said of it, where that is to be read: whoever wrote it otherwise is not believed. */
static stoa_status read_frame(stoa_layout_job *job, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    char *text = NULL;
    bool is_plain = true;

    STOA_TRY(stoa_pandas_frame_text(job->table, &text, err));
    if (text != NULL && stoa_pickle_read(text, strlen(text), &job->frame, &why) == STOA_ENOMEM) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (job->frame != NULL) {
        STOA_TRY(stoa_pandas_frame_check(job->frame, &is_plain, err));
    }
    if (!is_plain) {
        stoa_pickle_close(job->frame);
        job->frame = NULL;
    }

done:
    free(text);
    return status;
}

static stoa_status make_object(stoa_layout_job *job, const stoa_layout_writer *writer, hid_t loc,
                               hid_t *object, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_layout_job_learn(job, err));
    STOA_RETURN_NOT_OK(stoa_layout_job_drop(job, writer->holds_missing, err));
    if (writer == &stoa_layout_write_lh5) {
        STOA_RETURN_NOT_OK(stoa_lh5_recall_fields(job->table, &job->schema, err));
    }
    STOA_RETURN_NOT_OK(stoa_layout_job_labels(job, err));
    STOA_RETURN_NOT_OK(read_frame(job, err));
    STOA_RETURN_NOT_OK(stoa_layout_job_fill(job, writer->holds_missing, err));
    STOA_RETURN_NOT_OK(stoa_layout_job_narrow(job, err));
    STOA_RETURN_NOT_OK(stoa_layout_job_read(job, err));
    const stoa_layout_source source = stoa_layout_job_source(job);
    return writer->write(&source, loc, object, err);
}

static stoa_status mark_root(const stoa_layout_writer *writer, hid_t loc, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t root = H5I_INVALID_HID;

    if (writer->mark != NULL) {
        STOA_HDF(err, root = H5Gopen2(loc, "/", H5P_DEFAULT), "open '/'");
        STOA_TRY(writer->mark(root, err));
    }

done:
    return stoa_hdf_close(&root, status, err);
}

/* `notes`: of the fields, beside those that the table has; NULL: none. */
static stoa_status write_by(const stoa_layout_writer *writer, stoa_table *from,
                            const struct ArrowSchema *notes, hid_t loc, const char *path,
                            const stoa_layout_options *options, uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_job j = {.table = from, .options = options, .notes = notes};
    hid_t object = H5I_INVALID_HID;

    j.plain = writer == &stoa_layout_write_pandas_fixed ? stoa_plain_all
              : writer == &stoa_layout_write_anndata    ? stoa_plain_times
                                                        : NULL;
    STOA_TRY(stoa_layout_check_target(loc, path, options->replace, err));
    STOA_TRY(make_object(&j, writer, loc, &object, err));
    if (writer == &stoa_layout_write_pytables || writer == &stoa_layout_write_h5tb) {
        STOA_TRY(stoa_notes_copy(from, object, true, err));
    } else if (writer == &stoa_layout_write_lh5) {
        STOA_TRY(stoa_lh5_recall_notes(from, object, err));
    }
    STOA_TRY(mark_root(writer, loc, err));
    STOA_TRY(stoa_layout_link(object, loc, path, err));
    if (writer->settle != NULL && !options->unlisted) {
        STOA_TRY(writer->settle(loc, &path, 1, err));
    }
    if (writer == &stoa_layout_write_lh5) {
        STOA_TRY(stoa_lh5_point(loc, path, NULL, NULL, err));
    }
    STOA_HDF(err, stoa_flush(loc), "flush the file");
    *n_rows = j.n_rows;

done:
    stoa_layout_job_end(&j);
    status = stoa_hdf_close(&object, status, err);
    return stoa_layout_say_where(loc, path, status, err);
}

stoa_status stoa_layout_write_by(const stoa_layout_writer *writer, stoa_table *from, hid_t loc,
                                 const char *path, const stoa_layout_options *options,
                                 uint64_t *n_rows, stoa_error *err)
{
    return write_by(writer, from, NULL, loc, path, options, n_rows, err);
}

/* --- HEP001 ---------------------------------------------------------------------------------- */

static stoa_status write_own(stoa_table *from, hid_t loc, const char *path,
                             const stoa_layout_options *options, uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_job j = {.table = from, .options = options, .plain = stoa_plain_all};
    stoa_column_options storage = {.codec = options->codec, .chunk_rows = options->chunk_rows};
    stoa_table_options own = STOA_TABLE_OPTIONS_INIT;
    const char **names = NULL;
    hid_t group = H5I_INVALID_HID;
    char *frame = NULL;

    if (options->n_missing > 0) {
        STOA_FAIL(err, STOA_EINVAL,
                  "missing values stay what they are in HEP001 (§8.5): nothing stands for them");
    }
    own.title = options->title != NULL ? options->title : stoa_table_title(from);
    own.description = stoa_table_description(from);
    own.units_vocabulary = stoa_table_units_vocabulary(from);
    own.columns = &storage;
    own.n_columns = 1;
    own.replace = options->replace;
    own.listener = options->listener;
    own.threads = options->threads;
    STOA_TRY(stoa_layout_job_read(&j, err));
    STOA_TRY(stoa_stream_schema(&j.stream, &j.schema, err));
    STOA_TRY(stoa_layout_job_labels(&j, err));
    names = stoa_alloc(j.n_index_columns, sizeof *names);
    STOA_TRY(names != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < j.n_index_columns; i++) {
        names[i] = j.schema.children[j.index_columns[i]]->name;
    }
    own.index_columns = names;
    own.n_index_columns = j.n_index_columns;
    STOA_TRY(stoa_table_write(loc, path, &j.stream, &own, n_rows, err));
    STOA_HDF(err, group = H5Gopen2(loc, path, H5P_DEFAULT), "open the table");
    STOA_TRY(stoa_notes_copy(from, group, false, err));
    STOA_TRY(stoa_pandas_frame_text(from, &frame, err));
    if (frame != NULL) {
        STOA_TRY(stoa_attribute_write_utf8(group, STOA_PANDAS_FRAME, frame, err));
    }
    if (from->layout != NULL && strcmp(from->layout, "anndata") == 0) {
        STOA_TRY(stoa_anndata_note_columns(from, loc, path, err));
    } else if (stoa_lh5_is_source(from)) {
        STOA_TRY(stoa_lh5_keep_notes(from, group, err));
    }

done:
    free(frame);
    free(names);
    stoa_layout_job_end(&j);
    status = stoa_hdf_close(&group, status, err);
    return stoa_layout_say_where(loc, path, status, err);
}

/* --- the public calls ------------------------------------------------------------------------ */

stoa_status stoa_layout_options_take(const stoa_layout_options *options, stoa_layout_options *own,
                                     stoa_error *err)
{
    *own = (stoa_layout_options)STOA_LAYOUT_OPTIONS_INIT;
    STOA_RETURN_NOT_OK(STOA_SIZED_TAKE(own, options, listener, "STOA_LAYOUT_OPTIONS_INIT", err));
    if (!stoa_layout_is_written(own->layout)) {
        return stoa_fail(err, STOA_EINVAL, "no layout '%s' is written; there are %s",
                         own->layout != NULL ? own->layout : "", WRITTEN);
    }
    return STOA_OK;
}

/* Options for a file that is open already. */
static stoa_status take_options(const stoa_layout_options *options, stoa_layout_options *own,
                                stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_layout_options_take(options, own, err));
    if (strcmp(own->layout, STOA_LAYOUT_ARKOUDA) == 0) {
        return stoa_fail(err, STOA_EINVAL,
                         "Arkouda has files of its own: stoa_arkouda_files_open() makes them");
    }
    return STOA_OK;
}

static stoa_status write_table(stoa_table *from, const struct ArrowSchema *notes, hid_t loc,
                               const char *path, const stoa_layout_options *options,
                               uint64_t *n_rows, stoa_error *err)
{
    return is_own(options->layout) ? write_own(from, loc, path, options, n_rows, err)
                                   : write_by(find_writer(options->layout), from, notes, loc, path,
                                              options, n_rows, err);
}

stoa_status stoa_layout_write_table(stoa_table *from, hid_t loc, const char *path,
                                    const stoa_layout_options *options, uint64_t *n_rows,
                                    stoa_error *err)
{
    const stoa_status entered = stoa_table_enter(from, err);
    stoa_status status = STOA_OK;
    stoa_layout_options own;
    uint64_t n = 0;

    STOA_TRY(entered);
    STOA_TRY(take_options(options, &own, err));
    STOA_TRY(write_table(from, NULL, loc, path, &own, &n, err));

done:
    if (entered == STOA_OK) {
        stoa_table_leave(from);
    }
    if (n_rows != NULL) {
        *n_rows = n;
    }
    return status;
}

stoa_status stoa_layout_write(hid_t loc, const char *path, struct ArrowArrayStream *stream,
                              const stoa_layout_options *options, uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own;
    struct ArrowSchema notes = {.release = NULL};
    hid_t file = H5I_INVALID_HID;
    stoa_table *table = NULL;
    uint64_t n = 0;

    STOA_TRY(take_options(options, &own, err));
    STOA_TRY(stoa_layout_check_target(loc, path, own.replace, err));
    STOA_TRY(stoa_stream_schema(stream, &notes, err));
    STOA_TRY(stoa_layout_keep_rows(stream, &own, &file, &table, err));
    STOA_TRY(write_table(table, &notes, loc, path, &own, &n, err));

done:
    if (n_rows != NULL) {
        *n_rows = n;
    }
    stoa_schema_release(&notes);
    stoa_table_close(table);
    status = stoa_layout_close_temporary(&file, status, err);
    return stoa_layout_say_where(loc, path, status, err);
}

stoa_status stoa_layout_list_written(hid_t loc, const char *const *paths, size_t n,
                                     const stoa_layout_options *options, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_writer *writer = NULL;
    stoa_layout_options own;

    STOA_TRY(take_options(options, &own, err));
    writer = find_writer(own.layout);
    if (writer != NULL && writer->settle != NULL) {
        STOA_TRY(writer->settle(loc, paths, n, err));
    }

done:
    return stoa_layout_say_where(loc, "/", status, err);
}

static bool is_row_wise(const stoa_table *table)
{
    hid_t type = H5I_INVALID_HID;
    bool is = false;

    if (table->layout != NULL && H5Iget_type(table->group) == H5I_DATASET) {
        type = H5Dget_type(table->group);
        is = type >= 0 && H5Tget_class(type) == H5T_COMPOUND;
    }
    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    return is;
}

/* Counts of time are numbers in most layouts: rows must count as the table does. */
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

static void take_edit(const stoa_edit_options *how, const char *layout, stoa_layout_options *own)
{
    own->layout = layout;
    own->listener = how->listener;
    own->threads = how->threads;
    own->missing = how->missing;
    own->n_missing = how->n_missing;
}

/* The same as of a table that is made, but of one whose columns are there. */
static stoa_status learn_more(stoa_layout_job *j, stoa_error *err)
{
    const stoa_layout_writer *const writer = find_writer(j->options->layout);

    STOA_RETURN_NOT_OK(stoa_layout_job_learn(j, err));
    STOA_RETURN_NOT_OK(stoa_layout_job_drop(j, writer->holds_missing, err));
    STOA_RETURN_NOT_OK(stoa_layout_job_fill(j, writer->holds_missing, err));
    return stoa_layout_job_narrow(j, err);
}

stoa_status stoa_layout_append(stoa_table *table, struct ArrowArrayStream *stream,
                               const stoa_edit_options *options, uint64_t *n_appended,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own = STOA_LAYOUT_OPTIONS_INIT;
    stoa_edit_options how;
    stoa_layout_job j = {.options = &own};
    hid_t file = H5I_INVALID_HID;

    STOA_TRY(stoa_edit_options_take(options, &how, err));
    const bool is_lh5 = table->layout != NULL && strcmp(table->layout, "lh5") == 0;
    if (!is_row_wise(table) && !is_lh5) {
        STOA_TRY(stoa_table_may_change(table, err));
        STOA_FAIL(err, STOA_ELAYOUT, "a HEP001 table is appended to by stoa_table_append()");
    }
    STOA_TRY(stoa_storage_may_change(table->group, err));
    STOA_TRY(stoa_table_may_grow(table, err));
    take_edit(&how, is_lh5 ? "lh5" : "pytables", &own);
    STOA_TRY(stoa_layout_keep_rows(stream, &own, &file, &j.table, err));
    STOA_TRY(learn_more(&j, err));
    STOA_TRY(check_times(table, &j.schema, err));
    STOA_TRY(stoa_layout_job_read(&j, err));
    const stoa_layout_source source = stoa_layout_job_source(&j);
    STOA_TRY(is_lh5 ? stoa_lh5_append(&source, table, err)
                    : stoa_pytables_append(&source, table->group, table->path, err));
    if (n_appended != NULL) {
        *n_appended = j.n_rows;
    }

done:
    stoa_layout_job_end(&j);
    stoa_table_close(j.table);
    status = stoa_layout_close_temporary(&file, status, err);
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}

/* A column is one whatever it was before: an object of its own, the bins of a histogram. */
static stoa_status call_columns(struct ArrowSchema *schema, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (int64_t i = 0; status == STOA_OK && i < schema->n_children; i++) {
        status = stoa_schema_set(schema->children[i], "lh5.object", "column", err);
    }
    return status;
}

stoa_status stoa_layout_add_columns(stoa_table *table, struct ArrowArrayStream *stream,
                                    const char *codec, const stoa_edit_options *options,
                                    size_t *n_added, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own = STOA_LAYOUT_OPTIONS_INIT;
    stoa_edit_options how;
    stoa_layout_job j = {.options = &own};
    struct ArrowSchema notes = {.release = NULL};
    hid_t file = H5I_INVALID_HID;

    STOA_TRY(stoa_edit_options_take(options, &how, err));
    if (table->layout == NULL || strcmp(table->layout, "lh5") != 0) {
        STOA_TRY(stoa_table_may_change(table, err));
        STOA_FAIL(err, STOA_ELAYOUT, "a HEP001 table gets columns by stoa_column_add()");
    }
    STOA_TRY(stoa_storage_may_change(table->group, err));
    own.codec = codec;
    take_edit(&how, "lh5", &own);
    STOA_TRY(stoa_stream_schema(stream, &notes, err));
    STOA_TRY(stoa_layout_keep_rows(stream, &own, &file, &j.table, err));
    j.notes = &notes;
    STOA_TRY(learn_more(&j, err));
    STOA_TRY(call_columns(&j.schema, err));
    STOA_TRY(stoa_layout_job_read(&j, err));
    const stoa_layout_source source = stoa_layout_job_source(&j);
    STOA_TRY(stoa_lh5_add_columns(&source, table, err));
    if (n_added != NULL) {
        *n_added = (size_t)j.schema.n_children;
    }

done:
    stoa_layout_job_end(&j);
    stoa_schema_release(&notes);
    stoa_table_close(j.table);
    status = stoa_layout_close_temporary(&file, status, err);
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}
