/* Opens tables of several files, or several tables of a file, as one table. */
#include <stdlib.h>
#include <stoa/file.h>
#include <stoa/layout.h>
#include <string.h>

#include "core/memory.h"
#include "core/sized_struct.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"
#include "index/common/kind.h"
#include "layout/layout.h"
#include "layout/open/chain.h"

/* The columns of all parts, in the order in which they first occur. */
typedef struct joining {
    stoa_chain *chain;
    stoa_files_options options;
    stoa_chain_column **columns;
    size_t n_columns;
    stoa_string_set names;
    uint64_t n_rows;
} joining;

static void clear(joining *j)
{
    for (size_t i = 0; i < j->n_columns; i++) {
        stoa_chain_column_free(j->columns[i]);
    }
    free(j->columns);
    stoa_string_set_clear(&j->names);
}

/* Begin a column that parts before k lack. */
static stoa_status begin_column(joining *j, size_t k, const char *name, stoa_error *err)
{
    uint32_t number = 0;
    stoa_chain_column **const columns =
        stoa_one_more(j->columns, j->n_columns, sizeof(stoa_chain_column *));
    stoa_chain_column *const column = stoa_alloc_zero(1, sizeof *column);

    j->columns = columns != NULL ? columns : j->columns;
    if (columns == NULL || column == NULL) {
        free(column);
        return stoa_fail_memory(err);
    }
    column->chain = j->chain;
    stoa_chain_hold(j->chain);
    columns[j->n_columns++] = column;
    column->name = stoa_strdup(name);
    STOA_RETURN_NO_MEMORY(err, column->name);
    STOA_RETURN_NOT_OK(stoa_string_set_add(&j->names, name, strlen(name), &number, err));
    for (size_t i = 0; i < k; i++) {
        STOA_RETURN_NOT_OK(stoa_chain_column_add(column, i, &j->options, NULL, err));
    }
    return STOA_OK;
}

static stoa_status check_names(joining *j, size_t k, const stoa_table *table, stoa_error *err)
{
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        const char *const name = stoa_table_column_name(table, i);
        uint32_t number = 0;
        if (stoa_string_set_find(&j->names, name, strlen(name), &number)) {
            continue;
        }
        if (k > 0 && !j->options.by_name) {
            return stoa_fail(err, STOA_EDATA,
                             "has a column '%s', which the first file has not; --by-name (by_name) "
                             "reads it as missing there",
                             name);
        }
        STOA_RETURN_NOT_OK(begin_column(j, k, name, err));
    }
    return STOA_OK;
}

static stoa_status add_part(joining *j, size_t k, const stoa_table *table, stoa_error *err)
{
    STOA_RETURN_NOT_OK(check_names(j, k, table, err));
    for (size_t i = 0; i < j->n_columns; i++) {
        stoa_chain_column *const column = j->columns[i];
        stoa_column *const from = stoa_table_find(table, column->name);
        if (from == NULL && !j->options.by_name) {
            return stoa_fail(err, STOA_EDATA,
                             "has no column '%s', which the first file has; --by-name (by_name) "
                             "reads it as missing",
                             column->name);
        }
        STOA_RETURN_NOT_OK(stoa_chain_column_add(column, k, &j->options, from, err));
    }
    return STOA_OK;
}

/* Open every part once. */
static stoa_status open_all(joining *j, stoa_error *err)
{
    stoa_table_parts *const parts = &j->chain->parts;

    for (size_t k = 0; k < parts->n; k++) {
        stoa_table_part *const part = &parts->items[k];
        stoa_table *table = NULL;
        STOA_RETURN_NOT_OK(stoa_chain_table(j->chain, k, &table, err));
        part->first = j->n_rows;
        part->n_rows = stoa_table_n_rows(table);
        if (part->n_rows > UINT64_MAX - j->n_rows) {
            return stoa_fail(err, STOA_ERANGE, "%s:%s: the rows are more than 2^64", part->file,
                             part->path);
        }
        j->n_rows += part->n_rows;
        const stoa_status status = add_part(j, k, table, err);
        STOA_RETURN_NOT_OK(stoa_within(err, status, "%s:%s", part->file, part->path));
        for (size_t i = 0; i < table->n_columns && !part->has_indexes; i++) {
            part->has_indexes = stoa_index_is_linked(table->columns[i]);
        }
    }
    return STOA_OK;
}

static stoa_status add_columns(joining *j, stoa_table *table, stoa_error *err)
{
    const stoa_table *const first = j->chain->first;

    for (size_t i = 0; i < j->n_columns; i++) {
        stoa_column *column = NULL;
        stoa_chain_column *const from = j->columns[i];
        j->columns[i] = NULL;
        STOA_RETURN_NOT_OK(stoa_chain_column_make(from, j->n_rows, &column, err));
        STOA_RETURN_NOT_OK(stoa_foreign_add(table, column, err));
    }
    for (size_t i = 0; i < first->n_index_columns; i++) {
        const char *const name = first->index_columns[i]->name;
        STOA_RETURN_NOT_OK(
            stoa_foreign_label_rows(table, stoa_table_number_of(table, name, strlen(name)), err));
    }
    return STOA_OK;
}

static stoa_status make(joining *j, stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_chain *const chain = j->chain;
    const bool is_one = chain->n_files == chain->parts.n; /* one object in each file */
    const char *const path = is_one ? stoa_table_path(chain->first) : chain->path;
    hid_t object = H5I_INVALID_HID;

    STOA_HDF(err, object = stoa_open_here(chain->loc, stoa_table_path(chain->first)), "open it");
    const hid_t taken = object;
    object = H5I_INVALID_HID;
    STOA_TRY(stoa_foreign_begin(taken, path, chain->files[0], "files", j->n_rows, table, err));
    (*table)->parts = &chain->parts;
    stoa_chain_hold(chain);
    STOA_TRY(stoa_foreign_set_metadata(*table, chain->first, err));
    STOA_TRY(add_columns(j, *table, err));

done:
    if (status != STOA_OK) {
        stoa_table_close(*table);
        *table = NULL;
    }
    return stoa_hdf_close(&object, status, err);
}

stoa_status stoa_table_open_files_with(hid_t first, const char *const *files, size_t n,
                                       const char *path, const stoa_files_options *options,
                                       stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    joining j = {.options = STOA_FILES_OPTIONS_INIT};

    *table = NULL;
    STOA_RETURN_NOT_OK(
        STOA_SIZED_COPY(&j.options, options, by_name, "STOA_FILES_OPTIONS_INIT", err));
    STOA_TRY(stoa_chain_open(first, files, n, path, &j.chain, err));
    STOA_TRY(open_all(&j, err));
    STOA_TRY(make(&j, table, err));

done:
    clear(&j);
    stoa_chain_release(j.chain);
    return status;
}

stoa_status stoa_table_open_files(hid_t first, const char *const *files, size_t n, const char *path,
                                  stoa_table **table, stoa_error *err)
{
    return stoa_table_open_files_with(first, files, n, path, NULL, table, err);
}
