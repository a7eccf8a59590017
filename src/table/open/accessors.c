/* Getters of an open table: rows, columns, names. */
#include <string.h>

#include "core/nearest_name.h"
#include "table/open/table.h"

uint64_t stoa_table_n_rows(const stoa_table *table)
{
    return table->n_rows;
}

size_t stoa_table_n_columns(const stoa_table *table)
{
    return table->n_columns;
}

/* Load a column. Errors are ignored here; a call that needs the column reports them. */
static stoa_column *loaded(stoa_column *column)
{
    stoa_error ignored = STOA_ERROR_INIT;

    (void)!stoa_column_load(column, &ignored);
    return column;
}

stoa_column *stoa_table_column(const stoa_table *table, size_t i)
{
    return i < table->n_columns ? loaded(table->columns[i]) : NULL;
}

const char *stoa_table_column_name(const stoa_table *table, size_t i)
{
    return i < table->n_columns ? table->columns[i]->name : NULL;
}

size_t stoa_table_number_of(const stoa_table *table, const char *name, size_t length)
{
    uint32_t number = 0;

    if (stoa_string_set_find(&table->names, name, length, &number)) {
        return number;
    }
    for (size_t i = table->names.count; i < table->n_columns; i++) {
        const char *const other = table->columns[i]->name;
        if (strlen(other) == length && memcmp(other, name, length) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

stoa_column *stoa_table_find_noted(const stoa_table *table, const char *name)
{
    const size_t number = stoa_table_number_of(table, name, strlen(name));

    return number != SIZE_MAX ? table->columns[number] : NULL;
}

stoa_column *stoa_table_find(const stoa_table *table, const char *name)
{
    stoa_column *column = stoa_table_find_noted(table, name);

    return column != NULL ? loaded(column) : NULL;
}

stoa_status stoa_table_fail_name(const stoa_table *table, const char *name, stoa_error *err)
{
    stoa_nearest_name nearest = stoa_nearest_name_to(name, strlen(name), 0);

    for (size_t i = 0; i < table->n_columns; i++) {
        stoa_nearest_name_try(&nearest, table->columns[i]->name, strlen(table->columns[i]->name));
    }
    return nearest.found != NULL
               ? stoa_fail(err, STOA_ENOTFOUND, "there is no column '%s'; did you mean '%s'?", name,
                           nearest.found)
               : stoa_fail(err, STOA_ENOTFOUND, "there is no column '%s'; 'stoa info' lists them",
                           name);
}

const char *stoa_table_path(const stoa_table *table)
{
    return table->path;
}

hid_t stoa_table_id(const stoa_table *table)
{
    return table->group;
}

size_t stoa_table_n_left_out(const stoa_table *table)
{
    return table->left_out.n;
}

const stoa_left_out *stoa_table_left_out(const stoa_table *table, size_t i)
{
    return i < table->left_out.n ? &table->left_out.items[i] : NULL;
}

const char *stoa_table_layout(const stoa_table *table)
{
    return table->layout != NULL ? table->layout : "hep001";
}

const char *stoa_table_version(const stoa_table *table)
{
    return table->version;
}

const char *stoa_table_title(const stoa_table *table)
{
    return table->title;
}

const char *stoa_table_description(const stoa_table *table)
{
    return table->description;
}

const char *stoa_table_units_vocabulary(const stoa_table *table)
{
    return table->units_vocabulary;
}

size_t stoa_table_n_index_columns(const stoa_table *table)
{
    return table->n_index_columns;
}

const stoa_column *stoa_table_index_column(const stoa_table *table, size_t i)
{
    return i < table->n_index_columns ? table->index_columns[i] : NULL;
}
