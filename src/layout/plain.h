/*
 * Columns whose categories are no texts as what these stand for, for layouts whose categories are:
 * plain numbers, truth values or times.
 */
#ifndef STOA_LAYOUT_PLAIN_H
#define STOA_LAYOUT_PLAIN_H

#include "arrow/build.h"
#include "arrow/read.h"

/* Whether categories of such labels become plain values; both of these leave texts alone. */
typedef bool stoa_plain_which(const stoa_type *labels);
bool stoa_plain_all(const stoa_type *labels);
bool stoa_plain_times(const stoa_type *labels);

/* The rows of a stream so.
 *
 * @param from      taken over in every case
 * @param[out] out  the caller's; released after a failure */
stoa_status stoa_plain_stream(struct ArrowArrayStream *from, stoa_plain_which *which,
                              struct ArrowArrayStream *out, stoa_error *err);

#endif
