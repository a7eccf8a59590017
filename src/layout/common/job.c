#include "layout/common/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrow/build.h"
#include "core/exit_cleanup.h"
#include "core/memory.h"
#include "core/progress.h"
#include "layout/common/column_stats.h"

void stoa_layout_job_stop(stoa_layout_job *job)
{
    stoa_stream_release(&job->narrow);
    job->narrow.release = NULL;
    stoa_stream_release(&job->filled);
    job->filled.release = NULL;
    stoa_stream_release(&job->stream);
    job->stream.release = NULL;
    stoa_query_close(job->query);
    job->query = NULL;
}

stoa_status stoa_layout_job_read(stoa_layout_job *job, stoa_error *err)
{
    stoa_query_options ask = STOA_QUERY_OPTIONS_INIT;

    ask.where = job->where;
    ask.threads = job->options->threads;
    STOA_RETURN_NOT_OK(stoa_query_open(job->table, &ask, &job->query, err));
    STOA_RETURN_NOT_OK(stoa_query_run(job->query, &job->stream, err));
    if (job->plain != NULL) {
        struct ArrowArrayStream coded = job->stream;
        job->stream.release = NULL;
        STOA_RETURN_NOT_OK(stoa_categories_as_values(&coded, job->plain, &job->stream, err));
    }
    if (job->stand_ins != NULL) {
        STOA_RETURN_NOT_OK(stoa_stand_ins_stream(job->stand_ins, &job->stream, &job->filled, err));
    }
    if (job->is_narrow) {
        STOA_RETURN_NOT_OK(stoa_narrow_stream(job->stand_ins != NULL ? &job->filled : &job->stream,
                                              &job->schema, &job->narrow, err));
    }
    return STOA_OK;
}

static void forget(stoa_layout_job *job)
{
    stoa_stand_ins_free(job->stand_ins);
    job->stand_ins = NULL;
    stoa_column_stats_free(job->stats, job->stats != NULL ? (size_t)job->schema.n_children : 0);
    job->stats = NULL;
    stoa_schema_release(&job->schema);
    job->is_narrow = false;
    job->n_rows = 0;
}

stoa_status stoa_layout_job_learn(stoa_layout_job *job, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray batch = {0};
    const uint64_t n_rows = stoa_table_n_rows(job->table);

    forget(job);
    STOA_TRY(stoa_layout_job_read(job, err));
    STOA_TRY(stoa_stream_schema(&job->stream, &job->schema, err));
    if (job->notes != NULL) {
        STOA_TRY(stoa_schema_set_more(&job->schema, job->notes, err));
    }
    STOA_TRY(stoa_column_stats_make(&job->schema, &job->stats, err));
    for (;;) {
        STOA_TRY(stoa_stream_next(&job->stream, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(stoa_column_stats_add(job->stats, &job->schema, &batch, err));
        job->n_rows += (uint64_t)batch.length;
        stoa_array_release(&batch);
        STOA_TRY(stoa_tell(
            &job->options->listener,
            &(stoa_progress){.stage = "looking", .rows = job->n_rows, .total_rows = n_rows}, err));
    }

done:
    stoa_array_release(&batch);
    stoa_layout_job_stop(job);
    return status;
}

static stoa_status find_label(stoa_layout_job *job, const char *name, stoa_error *err)
{
    for (int64_t i = 0; i < job->schema.n_children; i++) {
        if (strcmp(job->schema.children[i]->name, name) == 0) {
            job->index_columns[job->n_index_columns++] = (size_t)i;
            return STOA_OK;
        }
    }
    return stoa_fail(err, STOA_ENOTFOUND, "row index: there is no column '%s'", name);
}

stoa_status stoa_layout_job_labels(stoa_layout_job *job, stoa_error *err)
{
    const bool is_said = job->options->index_columns != NULL;
    const size_t n =
        is_said ? job->options->n_index_columns : stoa_table_n_index_columns(job->table);

    job->index_columns = stoa_alloc(n, sizeof *job->index_columns);
    STOA_RETURN_NOT_OK(job->index_columns != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(
            find_label(job,
                       is_said ? job->options->index_columns[i]
                               : stoa_column_name(stoa_table_index_column(job->table, i)),
                       err));
    }
    return STOA_OK;
}

static bool is_float(const struct ArrowSchema *field)
{
    stoa_type type;

    return stoa_type_of(field, &type, NULL) == STOA_OK && stoa_kind_is_float(type.kind);
}

stoa_status stoa_layout_job_fill(stoa_layout_job *job, const stoa_missing_rules *rules,
                                 stoa_error *err)
{
    const stoa_missing_rules own = {rules->holds != NULL ? rules->holds : is_float, rules->drops,
                                    rules->masks};

    return stoa_stand_ins_make(job->options, &own, &job->schema, job->stats, &job->stand_ins, err);
}

stoa_status stoa_layout_job_narrow(stoa_layout_job *job, stoa_error *err)
{
    return stoa_narrow_fields(&job->schema, job->stats, &job->is_narrow, err);
}

/* --- dropped rows ---------------------------------------------------------------------------- */

static stoa_status add_condition(stoa_buffer *where, const char *column, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_print(where, err, "%s\"", where->size > 0 ? " and " : ""));
    for (const char *c = column; *c != '\0'; c++) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(where, err, *c == '"' ? "\"\"" : "%c", *c));
    }
    return stoa_buffer_print(where, err, "\" is not null");
}

stoa_status stoa_layout_job_drop(stoa_layout_job *job, const stoa_missing_rules *rules,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer where = {0};

    for (int64_t i = 0; i < job->schema.n_children; i++) {
        const struct ArrowSchema *const field = job->schema.children[i];
        if (job->stats[i].n_missing > 0 &&
            stoa_missing_way_of(job->options, rules, field) == STOA_MISSING_DROPPED) {
            STOA_TRY(add_condition(&where, field->name, err));
        }
    }
    if (where.size > 0) {
        job->where = stoa_buffer_take(&where);
        STOA_TRY(stoa_layout_job_learn(job, err));
    }

done:
    stoa_buffer_clear(&where);
    return status;
}

stoa_layout_source stoa_layout_job_source(stoa_layout_job *job)
{
    return (stoa_layout_source){
        .schema = &job->schema,
        .columns = job->stats,
        .stream = job->is_narrow           ? &job->narrow
                  : job->stand_ins != NULL ? &job->filled
                                           : &job->stream,
        .n_rows = job->n_rows,
        .table = job->table,
        .title = job->options->title != NULL ? job->options->title : stoa_table_title(job->table),
        .index_columns = job->index_columns,
        .n_index_columns = job->n_index_columns,
        .options = job->options,
    };
}

void stoa_layout_job_end(stoa_layout_job *job)
{
    stoa_layout_job_stop(job);
    forget(job);
    free(job->index_columns);
    free(job->where);
}

/* --- streams --------------------------------------------------------------------------------- */

stoa_status stoa_layout_open_temporary(hid_t *file, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *directory = getenv("TMPDIR");
    char *name = stoa_format("%s/stoa-XXXXXX", directory != NULL ? directory : "/tmp");
    int descriptor = -1;

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    stoa_exit_cleanup_note(name); /* which is filled in place */
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
    stoa_exit_cleanup_forget(name);
    free(name);
    return status;
}

stoa_status stoa_layout_close_temporary(hid_t *file, stoa_status status, stoa_error *err)
{
    char *const name = *file >= 0 ? stoa_hdf_name(*file, H5Fget_name) : NULL;

    if (name != NULL && err != NULL && strncmp(err->where, name, strlen(name)) == 0) {
        err->where[0] = '\0';
    }
    free(name);
    return stoa_hdf_close(file, status, err);
}

stoa_status stoa_layout_keep_rows(struct ArrowArrayStream *stream,
                                  const stoa_layout_options *options, hid_t *file,
                                  stoa_table **table, stoa_error *err)
{
    stoa_table_options keep = STOA_TABLE_OPTIONS_INIT;
    const stoa_column_options plain = {.codec = "none"};

    STOA_RETURN_NOT_OK(stoa_layout_open_temporary(file, err));
    keep.title = options->title;
    keep.columns = &plain;
    keep.n_columns = 1;
    keep.index_columns = options->index_columns;
    keep.n_index_columns = options->n_index_columns;
    keep.listener = options->listener;
    keep.threads = options->threads;
    STOA_RETURN_NOT_OK(stoa_table_write(*file, "/rows", stream, &keep, NULL, err));
    return stoa_hep001_open(*file, "/rows", table, err);
}
