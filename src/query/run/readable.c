/* stoa_query_readable(): a query of all columns of a table, of which some cannot be read. */
#include <stdlib.h>
#include <stoa/query.h>
#include <string.h>

#include "column/column.h"
#include "core/memory.h"
#include "table/open/table.h"

/* Add a column's name, quoted. */
static stoa_status add_name(stoa_buffer *list, const char *name, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_print(list, err, list->size > 0 ? ", " : ""));
    return stoa_buffer_quote(list, '"', name, strlen(name), err);
}

static stoa_status is_readable(const stoa_column *column, bool *is, stoa_error *why)
{
    struct ArrowSchema schema = {.release = NULL};
    const stoa_status status = stoa_column_schema(column, &schema, why);

    if (schema.release != NULL) {
        schema.release(&schema);
    }
    *is = status == STOA_OK;
    return status;
}

stoa_status stoa_query_readable(stoa_table *table, stoa_unreadable_visitor visitor, void *context,
                                char **columns, size_t *n_unreadable, stoa_error *err)
{
    const stoa_status entered = stoa_table_enter(table, err);
    stoa_status status = STOA_OK;
    const size_t n = stoa_table_n_columns(table);
    stoa_buffer list = {0};
    bool is = false;

    *columns = NULL;
    *n_unreadable = 0;
    STOA_TRY(entered);
    for (size_t i = 0; i < n; i++) {
        stoa_error why = STOA_ERROR_INIT;
        if (is_readable(stoa_table_column(table, i), &is, &why) == STOA_ENOMEM) {
            STOA_TRY(stoa_fail_memory(err));
        }
        *n_unreadable += !is;
    }
    for (size_t i = 0; *n_unreadable > 0 && *n_unreadable < n && i < n; i++) {
        const stoa_column *const column = stoa_table_column(table, i);
        stoa_error why = STOA_ERROR_INIT;
        (void)is_readable(column, &is, &why);
        STOA_TRY(is ? add_name(&list, stoa_column_name(column), err) : STOA_OK);
        if (!is && visitor != NULL) {
            visitor(context, stoa_column_name(column), &why);
        }
    }
    if (list.size > 0) {
        STOA_TRY(stoa_buffer_detach_text(&list, columns, err));
    }

done:
    if (entered == STOA_OK) {
        stoa_table_leave(table);
    }
    stoa_buffer_clear(&list);
    return status;
}
