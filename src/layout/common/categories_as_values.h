/* Decodes dictionary columns whose values are not strings into plain numbers, booleans or times. It
 * serves layouts whose categories must be strings. */
#ifndef STOA_LAYOUT_CATEGORIES_AS_VALUES_H
#define STOA_LAYOUT_CATEGORIES_AS_VALUES_H

#include "arrow/build.h"
#include "arrow/read.h"

/* Whether categories with such labels are decoded. Neither of these two decodes strings. */
typedef bool stoa_categories_which(const stoa_type *labels);
bool stoa_categories_all(const stoa_type *labels);
bool stoa_categories_times(const stoa_type *labels);

/* Replace a stream by one of decoded rows. `stream` may be released on failure. */
stoa_status stoa_categories_as_values(struct ArrowArrayStream *stream, stoa_categories_which *which,
                                      stoa_error *err);

#endif
