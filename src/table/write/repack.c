/* Releasing the reserved space at the end of every column (HEP001 §11.3, §11.4). */
#include <stoa/edit.h>

#include "column/write/rewrite_list.h"
#include "core/progress.h"
#include "index/common/kind.h"
#include "table/write/append.h"
#include "table/write/update_indexes.h"

/* Members of a list column have extents of their own. The writer would keep the old ones. */
static stoa_status shrink_list(stoa_appender *appender, size_t i, stoa_error *err)
{
    stoa_list_writer_close(appender->lists[i]);
    appender->lists[i] = NULL;
    return stoa_list_shrink(appender->table->columns[i], appender->table->group, err);
}

/* Shrink every column to NROWS rows. A dataset that cannot shrink is rewritten. */
static stoa_status shrink(stoa_appender *appender, const stoa_listener *listener, stoa_error *err)
{
    const stoa_table *table = appender->table;

    for (size_t i = 0; i < table->n_columns; i++) {
        STOA_RETURN_NOT_OK(appender->lists[i] != NULL
                               ? shrink_list(appender, i, err)
                               : stoa_column_resize(&appender->writers[i], table->n_rows, err));
        STOA_RETURN_NOT_OK(
            stoa_report_progress(listener,
                                 &(stoa_progress){.stage = "repacking",
                                                  .rows = (i + 1) * table->n_rows,
                                                  .total_rows = table->n_columns * table->n_rows},
                                 err));
    }
    return STOA_OK;
}

static stoa_status mend(stoa_appender *appender, stoa_error *err)
{
    stoa_table *table = appender->table;
    bool was_replaced = false;

    STOA_RETURN_NOT_OK(stoa_index_links_settle(table->columns, table->n_columns, err));
    for (size_t i = 0; i < table->n_columns; i++) {
        if (appender->writers[i].was_replaced) {
            was_replaced = true;
            STOA_RETURN_NOT_OK(
                stoa_column_reload(table->columns[i], table->n_rows, table->units_vocabulary, err));
            STOA_RETURN_NOT_OK(
                stoa_index_rebuild_all(table->group, table->columns[i], table->n_rows, err));
        }
    }
    if (was_replaced) {
        STOA_RETURN_NOT_OK(stoa_table_refer_to_columns(table, err));
    }
    return STOA_OK;
}

stoa_status stoa_table_repack(stoa_table *table, const stoa_edit_options *options, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_appender appender = {.table = table};
    stoa_edit_options own;

    STOA_TRY(stoa_table_may_change(table, err));
    STOA_TRY(stoa_edit_options_copy(options, &own, err));
    STOA_TRY(stoa_appender_begin(table, &appender, err));
    STOA_TRY(shrink(&appender, &own.listener, err));
    STOA_TRY(mend(&appender, err));
    STOA_HDF(err, H5Fflush(table->group, H5F_SCOPE_LOCAL), "flush the table");

done:
    if (status != STOA_OK) {
        stoa_appender_abort(&appender);
    }
    stoa_appender_clear(&appender);
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}
