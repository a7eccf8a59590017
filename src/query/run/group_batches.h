/* The groups of a query: made by run_groups.c, handed out in batches by group_batches.c. */
#ifndef STOA_QUERY_GROUP_BATCHES_H
#define STOA_QUERY_GROUP_BATCHES_H

#include "query/run/group_outputs.h"

/* Aggregate every row that passes. */
stoa_status stoa_query_group(stoa_query *query, stoa_error *err);

#endif
