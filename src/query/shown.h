/* Columns of the answer that are strings to everybody, but codes to the query (column.h: is_text;
 * lexicon.h). */
#ifndef STOA_QUERY_SHOWN_H
#define STOA_QUERY_SHOWN_H

#include "query/query.h"

/* The column behind an output, if it is one of those; else NULL. */
const stoa_column *stoa_output_text(const stoa_query *query, const stoa_output *output);
/* Find the labels of such an output; nothing to do for others. */
stoa_status stoa_output_labels(const stoa_query *query, stoa_output *output, stoa_error *err);
/* Turn the codes among a batch's first columns, which are the query's outputs, into strings. Any
 * thread may. */
stoa_status stoa_query_show(const stoa_query *query, struct ArrowArray *batch, stoa_error *err);

#endif
