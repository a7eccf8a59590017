#include "layout/common/conversion.h"

#include <errno.h>
#include <stdlib.h>
#include <stoa/arrays.h>
#include <string.h>
#include <unistd.h>

#include "arrow/build.h"
#include "core/exit_cleanup.h"
#include "core/memory.h"
#include "core/progress.h"
#include "layout/common/column_stats.h"

void stoa_layout_conversion_stop(stoa_layout_conversion *conversion)
{
    stoa_stream_release(&conversion->stream);
    conversion->stream.release = NULL;
    stoa_query_close(conversion->query);
    conversion->query = NULL;
}

stoa_status stoa_layout_conversion_read(stoa_layout_conversion *conversion, stoa_error *err)
{
    stoa_query_options ask = STOA_QUERY_OPTIONS_INIT;

    ask.where = conversion->where;
    ask.threads = conversion->options->threads;
    STOA_RETURN_NOT_OK(stoa_query_open(conversion->table, &ask, &conversion->query, err));
    STOA_RETURN_NOT_OK(stoa_query_run(conversion->query, &conversion->stream, err));
    if (conversion->plain != NULL) {
        STOA_RETURN_NOT_OK(stoa_categories_as_values(&conversion->stream, conversion->plain, err));
    }
    if (conversion->stand_ins != NULL) {
        STOA_RETURN_NOT_OK(stoa_stand_ins_stream(conversion->stand_ins, &conversion->stream, err));
    }
    if (conversion->is_narrow) {
        STOA_RETURN_NOT_OK(stoa_stream_cast(&conversion->stream, &conversion->schema, err));
    }
    return STOA_OK;
}

static void forget(stoa_layout_conversion *conversion)
{
    stoa_stand_ins_free(conversion->stand_ins);
    conversion->stand_ins = NULL;
    stoa_column_stats_free(conversion->stats,
                           conversion->stats != NULL ? (size_t)conversion->schema.n_children : 0);
    conversion->stats = NULL;
    stoa_schema_release(&conversion->schema);
    conversion->is_narrow = false;
    conversion->n_rows = 0;
}

stoa_status stoa_layout_conversion_learn(stoa_layout_conversion *conversion, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray batch = {0};
    stoa_workers *workers = NULL;
    const uint64_t n_rows = stoa_table_n_rows(conversion->table);

    forget(conversion);
    STOA_TRY(stoa_layout_conversion_read(conversion, err));
    STOA_TRY(stoa_stream_schema(&conversion->stream, &conversion->schema, err));
    if (conversion->notes != NULL) {
        STOA_TRY(stoa_schema_set_more(&conversion->schema, conversion->notes, err));
    }
    STOA_TRY(stoa_column_stats_make(&conversion->schema, &conversion->stats, err));
    STOA_TRY(stoa_workers_open(conversion->options->threads, &workers, err));
    for (;;) {
        STOA_TRY(stoa_stream_next(&conversion->stream, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(
            stoa_column_stats_add(conversion->stats, &conversion->schema, &batch, workers, err));
        conversion->n_rows += (uint64_t)batch.length;
        stoa_array_release(&batch);
        STOA_TRY(stoa_report_progress(
            &conversion->options->listener,
            &(stoa_progress){.stage = "looking", .rows = conversion->n_rows, .total_rows = n_rows},
            err));
    }

done:
    stoa_array_release(&batch);
    stoa_workers_close(workers);
    stoa_layout_conversion_stop(conversion);
    return status;
}

static stoa_status find_label(stoa_layout_conversion *conversion, const char *name, stoa_error *err)
{
    for (int64_t i = 0; i < conversion->schema.n_children; i++) {
        if (strcmp(conversion->schema.children[i]->name, name) == 0) {
            conversion->index_columns[conversion->n_index_columns++] = (size_t)i;
            return STOA_OK;
        }
    }
    return stoa_fail(err, STOA_ENOTFOUND, "row index: there is no column '%s'", name);
}

stoa_status stoa_layout_conversion_labels(stoa_layout_conversion *conversion, stoa_error *err)
{
    const bool is_said = conversion->options->index_columns != NULL;
    const size_t n = is_said ? conversion->options->n_index_columns
                             : stoa_table_n_index_columns(conversion->table);

    conversion->index_columns = stoa_alloc(n, sizeof *conversion->index_columns);
    STOA_RETURN_NO_MEMORY(err, conversion->index_columns);
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(
            find_label(conversion,
                       is_said ? conversion->options->index_columns[i]
                               : stoa_column_name(stoa_table_index_column(conversion->table, i)),
                       err));
    }
    return STOA_OK;
}

static bool is_float(const struct ArrowSchema *field)
{
    stoa_type type;

    return stoa_type_of(field, &type, NULL) == STOA_OK && stoa_kind_is_float(type.kind);
}

/* The rules of a layout, with those of most layouts where it has none. */
static stoa_missing_rules complete(const stoa_missing_rules *rules)
{
    stoa_missing_rules own = *rules;

    own.holds = own.holds != NULL ? own.holds : is_float;
    return own;
}

stoa_status stoa_layout_conversion_fill(stoa_layout_conversion *conversion,
                                        const stoa_missing_rules *rules, stoa_error *err)
{
    const stoa_missing_rules own = complete(rules);

    return stoa_stand_ins_make(conversion->options, &own, &conversion->schema, conversion->stats,
                               &conversion->stand_ins, err);
}

stoa_status stoa_layout_conversion_narrow(stoa_layout_conversion *conversion, stoa_error *err)
{
    return stoa_restore_int_width_fields(&conversion->schema, conversion->stats,
                                         &conversion->is_narrow, err);
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

stoa_status stoa_layout_conversion_drop(stoa_layout_conversion *conversion,
                                        const stoa_missing_rules *rules, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_missing_rules own = complete(rules);
    stoa_buffer where = {0};

    for (int64_t i = 0; i < conversion->schema.n_children; i++) {
        const struct ArrowSchema *const field = conversion->schema.children[i];
        if (conversion->stats[i].n_missing > 0 &&
            stoa_missing_way_of(conversion->options, &own, field) == STOA_MISSING_DROPPED) {
            STOA_TRY(add_condition(&where, field->name, err));
        }
    }
    if (where.size > 0) {
        conversion->where = stoa_buffer_detach(&where);
        STOA_TRY(stoa_layout_conversion_learn(conversion, err));
    }

done:
    stoa_buffer_clear(&where);
    return status;
}

stoa_layout_source stoa_layout_conversion_source(stoa_layout_conversion *conversion)
{
    return (stoa_layout_source){
        .schema = &conversion->schema,
        .columns = conversion->stats,
        .stream = &conversion->stream,
        .n_rows = conversion->n_rows,
        .table = conversion->table,
        .title = conversion->options->title != NULL ? conversion->options->title
                                                    : stoa_table_title(conversion->table),
        .index_columns = conversion->index_columns,
        .n_index_columns = conversion->n_index_columns,
        .options = conversion->options,
    };
}

void stoa_layout_conversion_end(stoa_layout_conversion *conversion)
{
    stoa_layout_conversion_stop(conversion);
    forget(conversion);
    free(conversion->index_columns);
    free(conversion->where);
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
