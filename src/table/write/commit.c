/* The commit of every change of rows (HEP001 §11.2 step 5, HEP001-2026-07 §12.3). */
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/references.h"
#include "table/open/table.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* Write the numbers that a commit publishes. Between them no order is needed: an index
 * passes only if both are right. */
static stoa_status publish(const stoa_table *table, uint64_t n_rows, stoa_error *err)
{
    const stoa_generation *const generation = table->generation;

    if (generation->has_next && !generation->is_raised) {
        STOA_RETURN_NOT_OK(
            stoa_attribute_write_u64(table->group, STOA_GENERATION, generation->next, err));
    }
    STOA_RETURN_NOT_OK(stoa_attribute_write_u64(table->group, "NROWS", n_rows, err));
    STOA_RETURN_HDF_ERROR(err, stoa_flush(table->group), "flush NROWS of '%s'", table->path);
    return STOA_OK;
}

/* Restore the numbers of before. */
static void retract(const stoa_table *table)
{
    const stoa_generation *const generation = table->generation;

    (void)stoa_attribute_write_u64(table->group, "NROWS", table->n_rows, NULL);
    if (generation->has_next && !generation->is_raised && generation->is_known) {
        (void)stoa_attribute_write_u64(table->group, STOA_GENERATION, generation->value, NULL);
    }
}

/* The order matters. Columns and indexes reach the file first, GENERATION and NROWS second, and the
 * copies in memory last. A process killed at any point leaves either the old table or the new
 * one. */
stoa_status stoa_table_commit(stoa_table *table, uint64_t n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_RETURN_HDF_ERROR(err, stoa_flush(table->group), "flush the columns of '%s'", table->path);
    status = publish(table, n_rows, err);
    if (status != STOA_OK) {
        retract(table);
        return status;
    }
    stoa_generation_settle(table->generation, true);
    table->n_rows = table->generation->n_rows = n_rows;
    for (size_t i = 0; i < table->n_columns; i++) {
        table->columns[i]->n_rows = n_rows;
        if (stoa_column_is_list_group(table->columns[i])) { /* its members have other numbers */
            stoa_column_unload(table->columns[i]);
        }
    }
    return STOA_OK;
}

stoa_status stoa_table_write_index_columns(const stoa_table *table, const char *const *names,
                                           size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hid_t group = table->group;
    hid_t *targets = stoa_alloc(n, sizeof *targets);
    size_t n_open = 0;

    STOA_RETURN_NO_MEMORY(err, targets);
    for (; n_open < n; n_open++) {
        STOA_HDF(err, targets[n_open] = stoa_open_here(group, names[n_open]), "open column '%s'",
                 names[n_open]);
    }
    if (n > 0) {
        STOA_TRY(stoa_references_write(group, "INDEX_COLUMNS", targets, n, false,
                                       table->has_old_references, err));
        STOA_TRY(stoa_attribute_write_utf8(group, "_index", names[0], err));
    } else {
        STOA_TRY(stoa_attribute_delete(group, "INDEX_COLUMNS", err));
        STOA_TRY(stoa_attribute_delete(group, "_index", err));
    }

done:
    for (size_t i = 0; i < n_open; i++) {
        (void)stoa_hdf_close(&targets[i], STOA_OK, NULL);
    }
    free(targets);
    return status;
}

stoa_status stoa_table_refer_to_columns(const stoa_table *table, stoa_error *err)
{
    const size_t n = table->n_index_columns;

    if (n == 0 || !stoa_attribute_exists(table->group, "INDEX_COLUMNS")) {
        return STOA_OK;
    }
    const char **const names = stoa_alloc(n, sizeof *names);
    for (size_t i = 0; names != NULL && i < n; i++) {
        names[i] = table->index_columns[i]->name;
    }
    const stoa_status status = names != NULL ? stoa_table_write_index_columns(table, names, n, err)
                                             : stoa_fail_memory(err);
    free(names);
    return status;
}
