/* Shared by the calls that edit rows: which rows, of which columns. */
#ifndef STOA_QUERY_EDIT_H
#define STOA_QUERY_EDIT_H

#include <stoa/edit.h>

#include "query/bind/fields.h"
#include "query/parse/parameters.h"
#include "query/scan/batch.h"

/* Zero-initialise; free with stoa_selection_clear(). */
typedef struct stoa_selection {
    stoa_table *table;   /* or a table of its columns followed by fields of structs */
    stoa_fields *fields; /* NULL: no text names a field */
    stoa_arena arena;    /* texts and trees */
    struct ArrowSchema schema;
    stoa_scope scope;
    stoa_parameters parameters;
    stoa_expr *where; /* NULL: every row */
    stoa_use *wanted; /* columns that batches contain; none at first */
} stoa_selection;

/*
 * Parse and bind `where` (NULL: every row). No row is read.
 *
 * @param values   further texts, bound later, that may name fields of structs too
 * @param options  its parameters may be used in all texts
 */
stoa_status stoa_selection_open(stoa_selection *selection, stoa_table *table, const char *where,
                                const char *const *values, size_t n_values,
                                const stoa_edit_options *options, stoa_error *err);
/* Callback for a batch of selected rows. */
typedef stoa_status (*stoa_batch_visit)(void *context, const stoa_batch *batch, stoa_error *err);
/*
 * Visit the selected rows among `rows`, batch by batch.
 *
 * No index is used: a wrong index must not decide what is changed, and indexes of changed columns
 * become wrong while the edit runs.
 */
stoa_status stoa_selection_visit(stoa_selection *selection, const stoa_rowset *rows,
                                 const stoa_listener *listener, stoa_batch_visit visit,
                                 void *context, stoa_error *err);
void stoa_selection_clear(stoa_selection *selection);

/* The rows of a batch, ascending. The caller frees *rows with free(). */
stoa_status stoa_batch_rows(const stoa_batch *batch, uint64_t **rows, stoa_error *err);

#endif
