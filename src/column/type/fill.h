/* The fill value of a column: the recommended one, unless a value equals it (HEP001 §8.5). */
#ifndef STOA_COLUMN_FILL_H
#define STOA_COLUMN_FILL_H

#include "column/type/domain.h"

/* A fill value for an element that is to hold a domain. `fill` is element->size zero bytes; `text`
 * is what a variable-length string's fill points to, and those in an array or compound. What a
 * sequence's fill points to is the caller's to free. */
stoa_status stoa_fill_choose(const stoa_element *element, const stoa_domain *domain, uint8_t *fill,
                             char text[2], stoa_fill *range, stoa_error *err);

#endif
