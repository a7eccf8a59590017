/* The fill value of a column: the recommended one, unless the column contains that value (HEP001
 * §8.5). */
#ifndef STOA_COLUMN_FILL_H
#define STOA_COLUMN_FILL_H

#include "column/type/domain.h"

/*
 * Choose a fill value for an element whose values are in `domain`.
 *
 * @param[out] fill  element->size bytes, zero before the call. The caller frees what a sequence
 *                   points to, also after a failure.
 * @param[out] text  the string that a variable-length fill points to, also within arrays and
 *                   compounds
 * @param[out] range  for integers and floats: the fill value, and the range to declare if there is
 *                    one
 * @return STOA_ELOSS if no value is left to stand for a missing one
 */
stoa_status stoa_fill_choose(const stoa_element *element, const stoa_domain *domain, uint8_t *fill,
                             char text[2], stoa_fill *range, stoa_error *err);

#endif
