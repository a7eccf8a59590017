/* What both formats of pandas' HDFStore have in common (PyTables notes §9). */
#ifndef STOA_LAYOUT_PANDAS_H
#define STOA_LAYOUT_PANDAS_H

#include "column/foreign.h"
#include "core/memory.h"
#include "layout/pickle/pickle.h"

/* Days from 0001-01-01, which Python counts from 1, to 1970-01-01; and to 9999-12-31, its last. */
enum { STOA_PANDAS_ORDINAL_OF_EPOCH = 719163, STOA_PANDAS_LAST_ORDINAL = 3652059 };

/* An attribute that holds a pickle; *pickle is NULL where there is none, and STOA_EDATA, naming the
 * attribute, where what is there is none. The caller's. */
stoa_status stoa_pandas_pickle(hid_t object, const char *name, stoa_pickle **pickle,
                               stoa_error *err);
/* What a pickle made; NULL of none. */
const stoa_pickled *stoa_pandas_root(const stoa_pickle *pickle);
/* End a pickle, and write it as PyTables does: ASCII, no terminator. */
stoa_status stoa_pandas_say_pickle(hid_t object, const char *name, stoa_buffer *pickle,
                                   stoa_error *err);
/* A time zone's name, from a text or from the shapes that pytz, zoneinfo and datetime leave; NULL
 * where there is none. The caller's. */
char *stoa_pandas_zone(const stoa_pickled *node);

/*
 * Present a column as pandas would.
 *
 * @param dtype    "int64", "datetime64[ns]", "bytes24", "integer" ...: of values or of an index;
 *                 NULL: as it is
 * @param zone     of times; NULL: none
 * @param nan_rep  what missing strings are; NULL: none are
 */
stoa_status stoa_pandas_show(stoa_column *column, const char *dtype, const char *zone,
                             const char *nan_rep, stoa_error *err);
/* Of a categorical: the code -1 is missing. */
stoa_status stoa_pandas_show_missing_code(stoa_column *column, stoa_error *err);
/* The labels of a categorical that has none. */
stoa_status stoa_pandas_no_labels(struct ArrowSchema *schema, struct ArrowArray *labels,
                                  stoa_error *err);

#endif
