/* Shared by both formats of pandas' HDFStore (PyTables notes §9). */
#ifndef STOA_LAYOUT_PANDAS_H
#define STOA_LAYOUT_PANDAS_H

#include "column/read/foreign.h"
#include "core/memory.h"
#include "layout/pickle/pickle.h"

/* Days from 0001-01-01, which is ordinal 1 in Python, to 1970-01-01; and to 9999-12-31, Python's
 * last day. */
enum { STOA_PANDAS_ORDINAL_OF_EPOCH = 719163, STOA_PANDAS_LAST_ORDINAL = 3652059 };

/* Read an attribute that holds a pickle. *pickle is NULL if there is no such attribute. STOA_EDATA,
 * naming the attribute, if it is no pickle. The caller closes it. */
stoa_status stoa_pandas_pickle(hid_t object, const char *name, stoa_pickle **pickle,
                               stoa_error *err);
/* The root object of a pickle; NULL for NULL. */
const stoa_pickled *stoa_pandas_root(const stoa_pickle *pickle);
/* End a pickle, write it as PyTables does (ASCII, without a terminator), and clear it. If `status`
 * is a failure, it is only cleared. */
stoa_status stoa_pandas_write_pickle(hid_t object, const char *name, stoa_buffer *pickle,
                                     stoa_status status, stoa_error *err);
/* The same for an attribute such as "values_block_0_kind" of the member "values_block_0". */
stoa_status stoa_pandas_write_pickle_of(hid_t object, const char *member, const char *suffix,
                                        stoa_buffer *pickle, stoa_status status, stoa_error *err);
/* Write a text as such an attribute. */
stoa_status stoa_pandas_write_of(hid_t object, const char *member, const char *suffix,
                                 const char *text, stoa_error *err);
/* The text that stands for missing strings: an attribute, of which pandas 3.1 leaves the empty
 * text; `otherwise` if there is none. *text is NULL if no string is missing. The caller frees it.
 */
stoa_status stoa_pandas_nan_rep(hid_t object, const char *name, const char *otherwise, char **text,
                                stoa_error *err);
/* The name of a time zone, from a text or from objects of pytz, zoneinfo and datetime. NULL if
 * there is none. The caller frees it. */
char *stoa_pandas_zone(const stoa_pickled *node);

/*
 * Present a column as pandas would.
 *
 * @param dtype    "int64", "datetime64[ns]", "bytes24", "integer" ...: of values or of an index;
 *                 NULL to keep the type
 * @param zone     of times; NULL for none
 * @param nan_rep  text of missing strings; NULL if none are missing
 */
stoa_status stoa_pandas_set_type(stoa_column *column, const char *dtype, const char *zone,
                                 const char *nan_rep, stoa_error *err);
/* Treat the code -1 of a categorical as missing. */
stoa_status stoa_pandas_set_missing_code(stoa_column *column, stoa_error *err);
/* The labels of a categorical without any. */
stoa_status stoa_pandas_no_labels(struct ArrowSchema *schema, struct ArrowArray *labels,
                                  stoa_error *err);

#endif
