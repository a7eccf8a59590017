/* What the edits of rows share: which rows, of which columns. */
#ifndef STOA_QUERY_EDIT_H
#define STOA_QUERY_EDIT_H

#include <stoa/edit.h>

#include "query/batch.h"
#include "query/fields.h"
#include "query/parameters.h"

/* Zero-initialise; free with stoa_selection_clear(). */
typedef struct stoa_selection {
    stoa_table *table;   /* or its columns, and behind them fields of structs */
    stoa_fields *fields; /* NULL: no text names any */
    stoa_pool pool;      /* texts and trees */
    struct ArrowSchema schema;
    stoa_scope scope;
    stoa_parameters parameters;
    stoa_expr *where; /* NULL: every row */
    bool *wanted;     /* columns that batches carry; none, to begin with */
} stoa_selection;

/* Parse and bind `where` (NULL: every row); reads nothing. `values`: other texts that will be bound
 * and may name fields of structs, too. `options`: whose parameters all texts may use. */
stoa_status stoa_selection_open(stoa_selection *selection, stoa_table *table, const char *where,
                                const char *const *values, size_t n_values,
                                const stoa_edit_options *options, stoa_error *err);
/*
 * A walk over the rows selected among `rows`, without help of any index: one that is wrong must not
 * decide what is changed, and one of a column that changes is wrong soon.
 */
stoa_status stoa_selection_walk(stoa_selection *selection, const stoa_rowset *rows,
                                const stoa_listener *listener, stoa_walk *walk, stoa_error *err);
void stoa_selection_clear(stoa_selection *selection);

/* The rows of a batch, ascending; *rows is the caller's (free()). */
stoa_status stoa_batch_rows(const stoa_batch *batch, uint64_t **rows, stoa_error *err);

#endif
