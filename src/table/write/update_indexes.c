#include "table/write/update_indexes.h"

#include <stddef.h>
#include <string.h>

#include "core/sized_struct.h"
#include "index/common/kind.h"

stoa_status stoa_edit_options_copy(const stoa_edit_options *options, stoa_edit_options *own,
                                   stoa_error *err)
{
    *own = (stoa_edit_options)STOA_EDIT_OPTIONS_INIT;
    return STOA_SIZED_COPY(own, options, drop_indexes, "STOA_EDIT_OPTIONS_INIT", err);
}

stoa_status stoa_table_update_indexes(const stoa_table *table, stoa_column *column,
                                      const stoa_row_change *rows, bool was_replaced, bool drop,
                                      stoa_error *err)
{
    /* Indexing reads the rows that are about to be committed. */
    column->n_rows = rows->n_rows;
    if (drop) {
        STOA_RETURN_NOT_OK(stoa_index_remove(table->group, column, NULL, err));
    } else if (was_replaced) {
        STOA_RETURN_NOT_OK(stoa_index_rebuild_all(table->group, column, rows->n_rows, err));
    } else {
        STOA_RETURN_NOT_OK(stoa_index_change_all(table->group, column, rows->n_old, rows->n_same,
                                                 rows->n_rows, err));
    }
    return STOA_OK;
}
