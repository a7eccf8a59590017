/* Columns of the answer that are strings to everybody, but codes to the query (column.h: is_text).
 */
#ifndef STOA_QUERY_SHOWN_H
#define STOA_QUERY_SHOWN_H

#include "query/query.h"

/* The column behind an output, if it is one of those; else NULL. */
const stoa_column *stoa_output_text(const stoa_query *query, const stoa_output *output);
/* Turn the codes among a batch's first columns, which are the query's outputs, into strings. Any
 * thread may. */
stoa_status stoa_query_show(const stoa_query *query, struct ArrowArray *batch, stoa_error *err);

#endif
