/* Asks the indexes of each part of a table over several files which of its rows may pass. */
#ifndef STOA_QUERY_PRUNE_PARTS_H
#define STOA_QUERY_PRUNE_PARTS_H

#include "query/run/query.h"

/* Remove rows from the plan that cannot pass. Indexes are used as the query's options say. */
stoa_status stoa_query_prune_parts(stoa_query *query, const stoa_syntax *where, stoa_error *err);

#endif
