/* Truncating a table, and reserving space for rows (HEP001 §11.3, §11.4). */
#include <stoa/edit.h>

#include "core/progress.h"
#include "index/common/kind.h"
#include "table/write/append.h"
#include "table/write/tokens.h"
#include "table/write/update_indexes.h"

/* After a failure, rebuild the indexes for the present rows. */
static void rebuild_indexes(const stoa_table *table)
{
    stoa_error ignored = STOA_ERROR_INIT;

    stoa_generation_settle(table->generation, false);
    for (size_t i = 0; i < table->n_columns; i++) {
        table->columns[i]->n_rows = table->n_rows;
        (void)stoa_index_rebuild_all(table->group, table->columns[i], table->n_rows, &ignored);
    }
}

stoa_status stoa_table_truncate(stoa_table *table, uint64_t n_rows,
                                const stoa_edit_options *options, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_row_change rows = {table->n_rows, n_rows, n_rows};
    stoa_edit_options own;
    bool has_begun = false;

    STOA_TRY(stoa_table_may_change(table, err));
    STOA_TRY(stoa_edit_options_copy(options, &own, err));
    STOA_TRY(stoa_table_load(table, err));
    if (n_rows > table->n_rows) {
        STOA_FAIL(err, STOA_ERANGE, "the table has %llu rows and cannot keep the first %llu",
                  (unsigned long long)table->n_rows, (unsigned long long)n_rows);
    }
    if (n_rows == table->n_rows) {
        goto done;
    }
    has_begun = true;
    STOA_TRY(stoa_index_links_settle(table->columns, table->n_columns, err));
    STOA_TRY(stoa_table_tokens_ahead(table, n_rows, err));
    for (size_t i = 0; i < table->n_columns; i++) {
        STOA_TRY(stoa_report_progress(&own.listener, &(stoa_progress){.stage = "indexing"}, err));
        STOA_TRY(stoa_table_update_indexes(table, table->columns[i], &rows, false, own.drop_indexes,
                                           err));
    }
    STOA_TRY(stoa_table_commit(table, n_rows, err));

done:
    if (status != STOA_OK && has_begun) {
        rebuild_indexes(table);
    }
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}

stoa_status stoa_table_preallocate(stoa_table *table, uint64_t extent,
                                   const stoa_edit_options *options, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_appender appender = {.table = table};
    stoa_edit_options own;

    STOA_TRY(stoa_table_may_change(table, err));
    STOA_TRY(stoa_edit_options_copy(options, &own, err));
    if (extent > INT64_MAX) {
        STOA_FAIL(err, STOA_ERANGE, "more than 2^63 rows");
    }
    STOA_TRY(stoa_report_progress(&own.listener, &(stoa_progress){.stage = "writing"}, err));
    /* Append no rows: columns that cannot grow are rewritten, with their indexes. */
    STOA_TRY(stoa_appender_begin(table, &appender, err));
    appender.drop_indexes = own.drop_indexes;
    STOA_TRY(stoa_appender_finish(&appender, extent, err));
    STOA_TRY(stoa_table_commit(table, table->n_rows, err));

done:
    if (status != STOA_OK) {
        stoa_appender_abort(&appender);
    }
    stoa_appender_clear(&appender);
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}
