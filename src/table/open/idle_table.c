/*
 * Tables that lock their file only while they are in use. A query uses it from opening to closing,
 * other calls while they run (docs/crash-safety.md, "Idle handles").
 *
 * If the table is reopened, the user's struct stays and its contents are exchanged. Only queries
 * point to the contents.
 */
#include <stdlib.h>

#include "core/memory.h"
#include "core/text.h"
#include "hdf/file/idle.h"
#include "table/open/table.h"

struct stoa_keeper {
    stoa_idle idle;
    stoa_table *table;
    stoa_table_opener *open;
    char *path;
    bool is_empty; /* the table has no contents because reopening failed */
};

static void close_keeper(stoa_keeper *keeper)
{
    if (keeper != NULL) {
        stoa_file_close(keeper->idle.file);
        free(keeper->path);
        free(keeper);
    }
}

void stoa_table_close(stoa_table *table)
{
    if (table != NULL) {
        stoa_table_clear(table);
        close_keeper(table->keeper);
        free(table);
    }
}

/* Fill the table with the present contents of the file, which must be awake. */
static stoa_status fill(stoa_table *table, stoa_keeper *keeper, stoa_error *err)
{
    stoa_table *opened = NULL;

    STOA_RETURN_NOT_OK(keeper->open(stoa_file_id(keeper->idle.file), keeper->path, &opened, err));
    *table = *opened;
    free(opened);
    table->keeper = keeper;
    keeper->is_empty = false;
    for (size_t i = 0; i < table->n_columns; i++) {
        table->columns[i]->idle = &keeper->idle;
    }
    return STOA_OK;
}

/* Close the contents. The table can be filled again or closed. */
static stoa_status empty(stoa_table *table, stoa_error *err)
{
    stoa_table *const old = stoa_alloc_zero(1, sizeof *old);

    STOA_RETURN_NO_MEMORY(err, old);
    *old = *table;
    old->keeper = NULL;
    *table = (stoa_table){.group = H5I_INVALID_HID, .keeper = table->keeper};
    table->keeper->is_empty = true;
    stoa_table_close(old);
    return STOA_OK;
}

stoa_status stoa_table_keep(stoa_file *file, const char *path, stoa_table_opener *open,
                            stoa_table **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = stoa_alloc_zero(1, sizeof *table);
    stoa_keeper *keeper = stoa_alloc_zero(1, sizeof *keeper);

    *out = NULL;
    if (table == NULL || keeper == NULL) {
        stoa_file_close(file);
        STOA_TRY(stoa_fail_memory(err));
    }
    *keeper =
        (stoa_keeper){.idle = {file, 1}, .table = table, .open = open, .path = stoa_strdup(path)};
    STOA_TRY(keeper->path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(fill(table, keeper, err));
    stoa_idle_end(&keeper->idle);
    *out = table;
    return STOA_OK;

done:
    free(table);
    close_keeper(keeper);
    return status;
}

stoa_status stoa_table_use(stoa_table *table, bool *changed, stoa_error *err)
{
    stoa_keeper *const keeper = table->keeper;
    stoa_status status = STOA_OK;
    bool same = true;
    bool ignored;

    if (changed != NULL) {
        *changed = false;
    }
    if (keeper == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_idle_try(&keeper->idle, &same, err));
    if (same && !keeper->is_empty) {
        return status;
    }
    if (!same) {
        STOA_RETURN_NOT_OK(empty(table, err));
        STOA_RETURN_NOT_OK(stoa_file_lock(keeper->idle.file, &ignored, err));
        keeper->idle.n_users = 1;
    }
    if (changed != NULL) {
        *changed = true;
    }
    status = fill(table, keeper, err);
    if (status != STOA_OK) {
        stoa_idle_end(&keeper->idle); /* the next call tries again */
    }
    return status;
}

void stoa_table_release(stoa_table *table)
{
    stoa_table_leave(table);
}

stoa_status stoa_table_enter(const stoa_table *table, stoa_error *err)
{
    return table->keeper != NULL ? stoa_table_use(table->keeper->table, NULL, err) : STOA_OK;
}

void stoa_table_leave(const stoa_table *table)
{
    if (table->keeper != NULL) {
        stoa_idle_end(&table->keeper->idle);
    }
}
