/* Columns whose categories and enumerations are shown as strings. Used for tables that combine
 * others, whose codes differ. */
#ifndef STOA_LAYOUT_CATEGORIES_AS_TEXT_H
#define STOA_LAYOUT_CATEGORIES_AS_TEXT_H

#include <stoa/column.h>

stoa_status stoa_categories_as_text_schema(const stoa_column *column, struct ArrowSchema *out,
                                           stoa_error *err);
/* Rows [first, first + count), in that schema. */
stoa_status stoa_categories_as_text_read(stoa_column *column, uint64_t first, uint64_t count,
                                         struct ArrowArray *out, stoa_error *err);

#endif
