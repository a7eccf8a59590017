/* Columns with the labels of categories and enumerations spelt out, as strings: what a table shows
 * that is put together of others. */
#ifndef STOA_LAYOUT_SPELLED_H
#define STOA_LAYOUT_SPELLED_H

#include <stoa/column.h>

stoa_status stoa_spelled_schema(const stoa_column *column, struct ArrowSchema *out,
                                stoa_error *err);
/* Rows [first, first + count), of that schema. */
stoa_status stoa_spelled_read(stoa_column *column, uint64_t first, uint64_t count,
                              struct ArrowArray *out, stoa_error *err);

#endif
