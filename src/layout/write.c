/* stoa_layout_write: rows of any stream in another layout; learned first, then written, then named.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stoa/query.h>

#include "arrow/build.h"
#include "column/column.h"
#include "core/memory.h"
#include "core/progress.h"
#include "hdf/links.h"
#include "layout/facts.h"
#include "layout/lh5_append.h"
#include "layout/missing.h"
#include "layout/pytables.h"
#include "layout/target.h"
#include "layout/writer.h"
#include "table/follow.h"

/* The one list: a new layout adds one line. */
static const stoa_layout_writer *const writers[] = {
    &stoa_layout_write_pytables,     &stoa_layout_write_h5tb,    &stoa_layout_write_pandas_table,
    &stoa_layout_write_pandas_fixed, &stoa_layout_write_anndata, &stoa_layout_write_lh5};
#define WRITTEN "hep001, pytables, h5tb, pandas-table, pandas-fixed, anndata, lh5"
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
    return layout != NULL && (is_own(layout) || find_writer(layout) != NULL);
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
                                       stoa_error *err)
{
    return stoa_fail(err, STOA_ELOSS,
                     "column '%s' has %llu missing %s, which %s cannot hold; --missing '%s=VALUE' "
                     "says what stands for them",
                     column, (unsigned long long)n_missing, n_missing == 1 ? "value" : "values",
                     layout, column);
}

/* --- the source ------------------------------------------------------------------------------ */

/* What one stoa_layout_write_table() holds. */
typedef struct job {
    stoa_table *table;
    const stoa_layout_options *options;
    stoa_query *query;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    stoa_facts *facts;
    stoa_stand_ins *stand_ins;
    struct ArrowArrayStream filled; /* the stream with them */
    uint64_t n_rows;
    size_t *index_columns;
    size_t n_index_columns;
} job;

static void stop_reading(job *j)
{
    stoa_stream_release(&j->filled);
    j->filled.release = NULL;
    stoa_stream_release(&j->stream);
    j->stream.release = NULL;
    stoa_query_close(j->query);
    j->query = NULL;
}

static stoa_status start_reading(job *j, stoa_error *err)
{
    stoa_query_options ask = STOA_QUERY_OPTIONS_INIT;
    stoa_status status = STOA_OK;

    ask.threads = j->options->threads;
    STOA_TRY(stoa_query_open(j->table, &ask, &j->query, err));
    STOA_TRY(stoa_query_run(j->query, &j->stream, err));

done:
    return status;
}

static stoa_status learn(job *j, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray batch = {0};
    const uint64_t n_rows = stoa_table_n_rows(j->table);

    STOA_TRY(start_reading(j, err));
    STOA_TRY(stoa_stream_schema(&j->stream, &j->schema, err));
    STOA_TRY(stoa_facts_make(&j->schema, &j->facts, err));
    for (;;) {
        STOA_TRY(stoa_stream_next(&j->stream, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(stoa_facts_add(j->facts, &j->schema, &batch, err));
        j->n_rows += (uint64_t)batch.length;
        stoa_array_release(&batch);
        STOA_TRY(stoa_tell(
            &j->options->listener,
            &(stoa_progress){.stage = "looking", .rows = j->n_rows, .total_rows = n_rows}, err));
    }

done:
    stoa_array_release(&batch);
    stop_reading(j);
    return status;
}

static stoa_status find_label(job *j, const char *name, stoa_error *err)
{
    for (int64_t i = 0; i < j->schema.n_children; i++) {
        if (strcmp(j->schema.children[i]->name, name) == 0) {
            j->index_columns[j->n_index_columns++] = (size_t)i;
            return STOA_OK;
        }
    }
    return stoa_fail(err, STOA_ENOTFOUND, "row index: there is no column '%s'", name);
}

static stoa_status find_labels(job *j, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_table_info info = stoa_table_info_of(j->table);
    const bool is_said = j->options->index_columns != NULL;
    const size_t n = is_said ? j->options->n_index_columns : info.n_index_columns;

    j->index_columns = stoa_alloc(n, sizeof *j->index_columns);
    STOA_TRY(j->index_columns != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(find_label(
            j, is_said ? j->options->index_columns[i] : stoa_column_name(info.index_columns[i]),
            err));
    }

done:
    return status;
}

static void end_job(job *j)
{
    stop_reading(j);
    stoa_stand_ins_free(j->stand_ins);
    stoa_facts_free(j->facts, (size_t)j->schema.n_children);
    stoa_schema_release(&j->schema);
    free(j->index_columns);
}

static bool is_float(const struct ArrowSchema *field)
{
    stoa_type type;

    return stoa_type_of(field, &type, NULL) == STOA_OK && stoa_kind_is_float(type.kind);
}

static stoa_status make_object(job *j, const stoa_layout_writer *writer, hid_t loc, hid_t *object,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_table_info info = stoa_table_info_of(j->table);

    STOA_TRY(learn(j, err));
    STOA_TRY(find_labels(j, err));
    STOA_TRY(stoa_stand_ins_make(j->options,
                                 writer->holds_missing != NULL ? writer->holds_missing : is_float,
                                 &j->schema, j->facts, &j->stand_ins, err));
    STOA_TRY(start_reading(j, err));
    if (j->stand_ins != NULL) {
        STOA_TRY(stoa_stand_ins_stream(j->stand_ins, &j->stream, &j->filled, err));
    }
    const stoa_layout_source source = {
        .schema = &j->schema,
        .columns = j->facts,
        .stream = j->stand_ins != NULL ? &j->filled : &j->stream,
        .n_rows = j->n_rows,
        .title = j->options->title != NULL ? j->options->title : info.title,
        .index_columns = j->index_columns,
        .n_index_columns = j->n_index_columns,
        .options = j->options,
    };
    STOA_TRY(writer->write(&source, loc, object, err));

done:
    return status;
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

static stoa_status write_other(stoa_table *from, hid_t loc, const char *path,
                               const stoa_layout_options *options, uint64_t *n_rows,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    job j = {.table = from, .options = options};
    hid_t object = H5I_INVALID_HID;
    const stoa_layout_writer *writer = find_writer(options->layout);

    STOA_TRY(stoa_layout_check_target(loc, path, options->replace, err));
    STOA_TRY(make_object(&j, writer, loc, &object, err));
    STOA_TRY(mark_root(writer, loc, err));
    STOA_TRY(stoa_layout_link(object, loc, path, err));
    if (writer->settle != NULL) {
        STOA_TRY(writer->settle(loc, path, err));
    }
    STOA_HDF(err, H5Fflush(loc, H5F_SCOPE_LOCAL), "flush the file");
    *n_rows = j.n_rows;

done:
    end_job(&j);
    return stoa_hdf_close(&object, status, err);
}

/* --- HEP001 ---------------------------------------------------------------------------------- */

static stoa_status write_own(stoa_table *from, hid_t loc, const char *path,
                             const stoa_layout_options *options, uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    job j = {.table = from, .options = options};
    const stoa_table_info info = stoa_table_info_of(from);
    stoa_column_options storage = {.codec = options->codec, .chunk_rows = options->chunk_rows};
    stoa_table_options own = STOA_TABLE_OPTIONS_INIT;
    const char **names = NULL;

    if (options->n_missing > 0) {
        STOA_FAIL(err, STOA_EINVAL,
                  "missing values stay what they are in HEP001 (§8.5): nothing stands for them");
    }
    own.title = options->title != NULL ? options->title : info.title;
    own.description = info.description;
    own.units_vocabulary = info.units_vocabulary;
    own.columns = &storage;
    own.n_columns = 1;
    own.replace = options->replace;
    own.listener = options->listener;
    own.threads = options->threads;
    STOA_TRY(start_reading(&j, err));
    STOA_TRY(stoa_stream_schema(&j.stream, &j.schema, err));
    STOA_TRY(find_labels(&j, err));
    names = stoa_alloc(j.n_index_columns, sizeof *names);
    STOA_TRY(names != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < j.n_index_columns; i++) {
        names[i] = j.schema.children[j.index_columns[i]]->name;
    }
    own.index_columns = names;
    own.n_index_columns = j.n_index_columns;
    STOA_TRY(stoa_table_write(loc, path, &j.stream, &own, n_rows, err));

done:
    free(names);
    end_job(&j);
    return status;
}

/* --- the public calls ------------------------------------------------------------------------ */

static stoa_status take_options(const stoa_layout_options *options, stoa_layout_options *own,
                                stoa_error *err)
{
    *own = (stoa_layout_options)STOA_LAYOUT_OPTIONS_INIT;
    if (options == NULL || options->size < offsetof(stoa_layout_options, threads)) {
        return stoa_fail(err, STOA_EINVAL,
                         "the options have no size; start from STOA_LAYOUT_OPTIONS_INIT");
    }
    memcpy(own, options, options->size < sizeof *own ? options->size : sizeof *own);
    if (!stoa_layout_is_written(own->layout)) {
        return stoa_fail(err, STOA_EINVAL, "no layout '%s' is written; there are %s",
                         own->layout != NULL ? own->layout : "", WRITTEN);
    }
    return STOA_OK;
}

static stoa_status say_where(hid_t loc, const char *path, stoa_status status, stoa_error *err)
{
    if (status != STOA_OK) {
        char *file = stoa_hdf_name(loc, H5Fget_name);
        (void)stoa_at(err, status, "%s:%s", file != NULL ? file : "", path);
        free(file);
    }
    return status;
}

stoa_status stoa_layout_write_table(stoa_table *from, hid_t loc, const char *path,
                                    const stoa_layout_options *options, uint64_t *n_rows,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own;
    uint64_t n = 0;

    STOA_TRY(take_options(options, &own, err));
    if (is_own(own.layout)) {
        STOA_TRY(write_own(from, loc, path, &own, &n, err));
    } else {
        STOA_TRY(write_other(from, loc, path, &own, &n, err));
    }

done:
    if (n_rows != NULL) {
        *n_rows = n;
    }
    return say_where(loc, path, status, err);
}

/* A file in $TMPDIR that loses its name at once. */
static stoa_status open_temporary(hid_t *file, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *directory = getenv("TMPDIR");
    char *name = stoa_format("%s/stoa-XXXXXX", directory != NULL ? directory : "/tmp");
    int descriptor = -1;

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    descriptor = mkstemp(name);
    if (descriptor < 0) {
        status = stoa_fail_errno(err, errno, "cannot make a temporary file like '%s'", name);
        goto done;
    }
    (void)close(descriptor);
    *file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    (void)unlink(name);
    STOA_HDF(err, *file, "make a temporary file");

done:
    free(name);
    return status;
}

/* Everything a stream holds, as a table of a temporary file. */
static stoa_status keep_rows(struct ArrowArrayStream *stream, const stoa_layout_options *options,
                             hid_t *file, stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table_options keep = STOA_TABLE_OPTIONS_INIT;
    const stoa_column_options plain = {.codec = "none"};

    STOA_TRY(open_temporary(file, err));
    keep.title = options->title;
    keep.columns = &plain;
    keep.n_columns = 1;
    keep.index_columns = options->index_columns;
    keep.n_index_columns = options->n_index_columns;
    keep.listener = options->listener;
    keep.threads = options->threads;
    STOA_TRY(stoa_table_write(*file, "/rows", stream, &keep, NULL, err));
    STOA_TRY(stoa_table_open(*file, "/rows", table, err));

done:
    return status;
}

stoa_status stoa_layout_write(hid_t loc, const char *path, struct ArrowArrayStream *stream,
                              const stoa_layout_options *options, uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own;
    hid_t file = H5I_INVALID_HID;
    stoa_table *table = NULL;

    STOA_TRY(take_options(options, &own, err));
    STOA_TRY(stoa_layout_check_target(loc, path, own.replace, err));
    STOA_TRY(keep_rows(stream, &own, &file, &table, err));
    STOA_TRY(stoa_layout_write_table(table, loc, path, &own, n_rows, err));

done:
    stoa_table_close(table);
    status = stoa_hdf_close(&file, status, err);
    return say_where(loc, path, status, err);
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
        const bool is_time = stoa_kind_is_time(ours.kind) || stoa_kind_is_time(theirs.kind);
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

stoa_status stoa_layout_append(stoa_table *table, struct ArrowArrayStream *stream,
                               const stoa_edit_options *options, uint64_t *n_appended,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own = STOA_LAYOUT_OPTIONS_INIT;
    stoa_edit_options how;
    job j = {.options = &own};
    hid_t file = H5I_INVALID_HID;

    STOA_TRY(stoa_edit_options_take(options, &how, err));
    const bool is_lh5 = table->layout != NULL && strcmp(table->layout, "lh5") == 0;
    if (!is_row_wise(table) && !is_lh5) {
        STOA_TRY(stoa_table_may_change(table, err));
        STOA_FAIL(err, STOA_ELAYOUT, "a HEP001 table is appended to by stoa_table_append()");
    }
    own.listener = how.listener;
    own.threads = how.threads;
    STOA_TRY(keep_rows(stream, &own, &file, &j.table, err));
    STOA_TRY(learn(&j, err));
    STOA_TRY(check_times(table, &j.schema, err));
    STOA_TRY(start_reading(&j, err));
    const stoa_layout_source source = {.schema = &j.schema,
                                       .columns = j.facts,
                                       .stream = &j.stream,
                                       .n_rows = j.n_rows,
                                       .options = &own};
    STOA_TRY(is_lh5 ? stoa_lh5_append(&source, table, err)
                    : stoa_pytables_append(&source, table->group, table->path, err));
    if (n_appended != NULL) {
        *n_appended = j.n_rows;
    }

done:
    end_job(&j);
    stoa_table_close(j.table);
    status = stoa_hdf_close(&file, status, err);
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}
