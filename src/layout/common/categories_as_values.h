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

/*
 * Decode the rows of a stream.
 *
 * @param from      ownership is taken, also on failure
 * @param[out] out  the caller releases it; already released on failure
 */
stoa_status stoa_categories_as_values(struct ArrowArrayStream *from, stoa_categories_which *which,
                                      struct ArrowArrayStream *out, stoa_error *err);

#endif
