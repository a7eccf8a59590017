/* The commit of every change of rows (HEP001 §11.2, step 5). */
#include "hdf/attributes.h"
#include "hdf/references.h"
#include "table/table.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* The order matters. Columns and indexes reach the file first, NROWS second, and the copy in memory
 * last. A process killed at any point leaves either the old table or the new one. */
stoa_status stoa_table_commit(stoa_table *table, uint64_t n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool is_told = false;

    STOA_HDF(err, stoa_flush(table->group), "flush the columns of '%s'", table->path);
    is_told = true;
    STOA_TRY(stoa_attribute_write_u64(table->group, "NROWS", n_rows, err));
    STOA_HDF(err, stoa_flush(table->group), "flush NROWS of '%s'", table->path);
    table->n_rows = n_rows;
    for (size_t i = 0; i < table->n_columns; i++) {
        table->columns[i]->n_rows = n_rows;
    }

done:
    if (status != STOA_OK && is_told) {
        /* If the new NROWS could not be flushed, restore the old one. */
        (void)stoa_attribute_write_u64(table->group, "NROWS", table->n_rows, NULL);
    }
    return status;
}

stoa_status stoa_table_write_index_columns(hid_t group, const stoa_column *const *columns, size_t n,
                                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t *targets = stoa_alloc(n, sizeof *targets);

    if (targets == NULL) {
        return stoa_fail_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        targets[i] = columns[i]->dataset;
    }
    if (n > 0) {
        STOA_TRY(stoa_references_write(group, "INDEX_COLUMNS", targets, n, false, err));
        STOA_TRY(stoa_attribute_write_utf8(group, "_index", columns[0]->name, err));
    }

done:
    free(targets);
    return status;
}

stoa_status stoa_table_refer_to_columns(const stoa_table *table, stoa_error *err)
{
    return stoa_attribute_exists(table->group, "INDEX_COLUMNS")
               ? stoa_table_write_index_columns(table->group, table->index_columns,
                                                table->n_index_columns, err)
               : STOA_OK;
}
