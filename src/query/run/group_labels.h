/* What queries learn of the labels of categories, and what later ones of an open table save by it.
 */
#ifndef STOA_QUERY_GROUP_LABELS_H
#define STOA_QUERY_GROUP_LABELS_H

#include "query/run/query.h"

/* Tell the query's keys, and its aggregates of different values, what is known of the labels that
 * they read. Call it before any thread has a copy of them. */
stoa_status stoa_group_labels_open(stoa_query *query, stoa_error *err);
/* Set `may_end` of min and max of a category column, and what belongs to it. */
stoa_status stoa_group_labels_ends(stoa_query *query, stoa_error *err);
/* Once no row is left: learn of columns all of whose labels occurred whether these are distinct. */
stoa_status stoa_group_labels_learn(stoa_query *query, stoa_error *err);

#endif
