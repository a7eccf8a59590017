/* Makes categories of columns of numbers, times or booleans: the reverse of
 * categories_as_values.h. */
#ifndef STOA_LAYOUT_VALUES_AS_CATEGORIES_H
#define STOA_LAYOUT_VALUES_AS_CATEGORIES_H

#include "arrow/build.h"

/*
 * Replace columns of a stream by dictionaries of their values. Each batch has its own.
 *
 * @param[in,out] stream  released on failure
 * @param which           one for each column; only columns of fixed width may be chosen
 */
stoa_status stoa_values_as_categories(struct ArrowArrayStream *stream, const bool *which,
                                      stoa_error *err);

#endif
