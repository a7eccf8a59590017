/* Decodes categories: output columns that are strings to the caller, but codes within the query
 * (column.h: is_text; learned_dictionary.h). */
#ifndef STOA_QUERY_DECODE_CATEGORIES_H
#define STOA_QUERY_DECODE_CATEGORIES_H

#include "query/run/query.h"

/* The column behind such an output; NULL for other outputs. */
const stoa_column *stoa_output_text(const stoa_query *query, const stoa_output *output);
/* Find the labels of such an output. Does nothing for others. */
stoa_status stoa_output_labels(const stoa_query *query, stoa_output *output, stoa_error *err);
/* Replace the codes in a batch by strings. Its first columns are the query's outputs. May be
 * called on any thread. */
stoa_status stoa_query_decode_categories(const stoa_query *query, struct ArrowArray *batch,
                                         stoa_error *err);

#endif
