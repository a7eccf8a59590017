/* Writing new columns from a stream, outside the table until they are complete (HEP001 §8). */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "table/edit/columns.h"

/* Name of the temporary table, which no link leads to. */
static const char made_name[] = "columns";

/* --- A stream with a fixed number of rows ----------------------------------------------------- */

typedef struct counted {
    struct ArrowArrayStream *from; /* borrowed */
    uint64_t n_left;
    uint64_t n_rows;
} counted;

static stoa_status counted_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_stream_schema(((counted *)self)->from, out, err);
}

static stoa_status counted_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    counted *rows = self;

    STOA_RETURN_NOT_OK(stoa_stream_next(rows->from, out, err));
    if (out->release == NULL) {
        if (rows->n_left > 0) {
            return stoa_fail(err, STOA_ERANGE, "there are %llu values for the table's %llu rows",
                             (unsigned long long)(rows->n_rows - rows->n_left),
                             (unsigned long long)rows->n_rows);
        }
        return STOA_OK;
    }
    if (out->length < 0 || (uint64_t)out->length > rows->n_left) {
        out->release(out);
        out->release = NULL;
        return stoa_fail(err, STOA_ERANGE, "there are more values than the table's %llu rows",
                         (unsigned long long)rows->n_rows);
    }
    rows->n_left -= (uint64_t)out->length;
    return STOA_OK;
}

/* --- Writing its columns ---------------------------------------------------------------------- */

/* The common extent of all columns (§12), except list columns: the extents of their members are
 * their own (HEP001-2026-07 §9.2). */
static uint64_t extent_of(const stoa_table *table)
{
    uint64_t extent = table->n_rows;

    for (size_t i = 0; i < table->n_columns; i++) {
        const stoa_column *const column = table->columns[i];
        if (!stoa_column_is_list_group(column) && column->extent > extent) {
            extent = column->extent;
        }
    }
    return extent;
}

stoa_status stoa_columns_make(const stoa_table *table, struct ArrowArrayStream *stream,
                              const stoa_column_options *storage, const stoa_listener *listener,
                              hid_t *holder, stoa_table **made, stoa_error *err)
{
    static const stoa_producer producer = {counted_schema, counted_next, NULL};
    stoa_status status = STOA_OK;
    struct ArrowArrayStream rows = {.release = NULL};
    counted count = {stream, table->n_rows, table->n_rows};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    stoa_column_options all = {0};

    if (storage != NULL) {
        all = *storage;
        all.column = NULL;
        options.columns = &all;
        options.n_columns = 1;
    }
    options.preallocate_rows = extent_of(table);
    options.object_references = table->has_old_references;
    if (listener != NULL) {
        options.listener = *listener;
    }
    STOA_HDF(err, *holder = H5Gcreate_anon(table->group, H5P_DEFAULT, H5P_DEFAULT),
             "create a group");
    STOA_TRY(stoa_stream_make(&rows, &producer, &count, err));
    STOA_TRY(stoa_table_write(*holder, made_name, &rows, &options, NULL, err));
    STOA_TRY(stoa_hep001_open(*holder, made_name, made, err));
    STOA_TRY(stoa_table_load(*made, err));

done:
    stoa_stream_release(&rows);
    if (err != NULL && status != STOA_OK && strstr(err->where, made_name) != NULL) {
        err->where[0] = '\0'; /* users do not know this place; the caller names the table */
    }
    return status;
}
