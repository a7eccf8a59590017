/*
 * Arrow arrays of other types with the same values:
 *
 *   integers, decimals            each other; a value that does not fit is refused
 *   integers                      floats; a value between two floats is refused
 *   floats                        each other, and float64 decimals; likewise
 *   times, durations              other units; a value between two ticks is refused
 *   durations, integers           times of day
 *   dates of 32 and 64 bits       each other
 *   strings, bytes, lists         other widths of offsets; lists of integers bytes
 *   dictionaries                  their values, or codes of another width
 *   structs, lists                the same of other parts
 */
#ifndef STOA_ARROW_CAST_H
#define STOA_ARROW_CAST_H

#include "arrow/build.h"

/* Whether values of the one type are cast to the other. Neither need be normal. */
bool stoa_cast_is_known(const struct ArrowSchema *from, const struct ArrowSchema *to);

/*
 * The narrowest type to which values of both types are cast. Integers and floats together become
 * floats, times take the finer unit, dictionaries become their values.
 *
 * @param[out] out  named as `a`, without metadata; released if there is no such type
 */
stoa_status stoa_cast_common(const struct ArrowSchema *a, const struct ArrowSchema *b,
                             struct ArrowSchema *out, stoa_error *err);

/*
 * Cast an array, which is replaced; it is left as it was, or in part, on failure.
 *
 * @param from  what stoa_cast_is_known() says is cast to `to`
 * @return STOA_ERANGE or STOA_ELOSS for a value that the type does not hold
 */
stoa_status stoa_array_cast(const struct ArrowSchema *from, const struct ArrowSchema *to,
                            struct ArrowArray *array, stoa_error *err);

#endif
