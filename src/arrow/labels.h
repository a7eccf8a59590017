/* Codes of a dictionary as the strings that they stand for. */
#ifndef STOA_ARROW_LABELS_H
#define STOA_ARROW_LABELS_H

#include "arrow/build.h"
#include "arrow/read.h"

/*
 * A string for each code: null where the code or its label is.
 *
 * @param codes   integers, or a dictionary's array, each of which has a label
 * @param labels  strings of either kind
 * @param kind    STRING or LARGE_STRING
 * @return STOA_ERANGE where the strings are too long for the kind's offsets
 */
stoa_status stoa_texts_of_codes(const stoa_view *codes, const stoa_view *labels, stoa_kind kind,
                                struct ArrowArray *out, stoa_error *err);

#endif
