/* Search indexes that a read-only table keeps open. */
#include <stdlib.h>

#include "table/open/table.h"

/* The indexes of one column. */
struct stoa_kept_indexes {
    stoa_index_set set;
    stoa_kept_indexes *next;
};

stoa_status stoa_table_indexes_of(stoa_table *table, stoa_column *column, stoa_index_set **set,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_kept_indexes *made = NULL;

    *set = NULL;
    if (!table->is_read_only) {
        goto done;
    }
    for (stoa_kept_indexes *kept = table->kept_indexes; kept != NULL; kept = kept->next) {
        if (kept->set.column == column) {
            *set = &kept->set;
            goto done;
        }
    }
    made = stoa_alloc_zero(1, sizeof *made);
    STOA_TRY(made != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_index_set_open(column, &made->set, err));
    made->next = table->kept_indexes;
    table->kept_indexes = made;
    *set = &made->set;
    made = NULL;

done:
    free(made);
    return status;
}

void stoa_table_close_indexes(stoa_table *table)
{
    while (table->kept_indexes != NULL) {
        stoa_kept_indexes *const next = table->kept_indexes->next;
        stoa_index_set_close(&table->kept_indexes->set);
        free(table->kept_indexes);
        table->kept_indexes = next;
    }
}
