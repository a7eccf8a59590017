/* Columns that every table has beside its own, for queries that name them: `file` and `object` tell
 * where a row comes from. */
#ifndef STOA_QUERY_ORIGINS_H
#define STOA_QUERY_ORIGINS_H

#include "table/open/table.h"

typedef enum stoa_origin { STOA_ORIGIN_FILE, STOA_ORIGIN_OBJECT, STOA_N_ORIGINS } stoa_origin;

const char *stoa_origin_name(stoa_origin origin);
/* Make the column, a category. The table must stay open until it is closed. */
stoa_status stoa_origin_column(const stoa_table *table, stoa_origin origin, stoa_column **column,
                               stoa_error *err);

#endif
