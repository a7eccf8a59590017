/* Converts dictionary codes to the values that they stand for, and tells dictionaries apart. */
#ifndef STOA_ARROW_DECODE_DICTIONARY_H
#define STOA_ARROW_DECODE_DICTIONARY_H

#include "arrow/build.h"
#include "arrow/read.h"

/*
 * Make a string array from codes. A row is null if its code or the label is null.
 *
 * @param codes   integers or a dictionary array; each code must have a label
 * @param labels  of kind STRING or LARGE_STRING
 * @param kind    of the result, STRING or LARGE_STRING
 * @return STOA_ERANGE if the strings are too long for the kind's offsets
 */
stoa_status stoa_decode_dictionary(const stoa_view *codes, const stoa_view *labels, stoa_kind kind,
                                   struct ArrowArray *out, stoa_error *err);

/* The same for labels that are numbers, times or booleans. */
stoa_status stoa_decode_values(const stoa_view *codes, const stoa_view *labels,
                               struct ArrowArray *out, stoa_error *err);

/*
 * Whether codes of a batch have the dictionary that `kept` holds, so that what was learned of its
 * labels is still true. If not, `kept` becomes a handle on theirs. While it is held, no other
 * dictionary has its address.
 *
 * @param kept  zero-initialised; the caller releases it in the end
 */
stoa_status stoa_dictionary_keep(const stoa_view *codes, struct ArrowArray *kept, bool *is_same,
                                 stoa_error *err);

#endif
