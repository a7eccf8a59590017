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
/* Whether the domain alone tells of a value that no value of the column equals. It tells nothing of
 * the parts of nested values. */
bool stoa_fill_is_known(const stoa_element *element, const stoa_domain *domain);
/* The range to declare with a fill value that was chosen otherwise: the longer side of it. A range
 * is declared if the domain includes the recommended fill value, which is data then (§8.5). */
void stoa_fill_declare(const stoa_element *element, const stoa_domain *domain, const uint8_t *fill,
                       stoa_fill *range);
/* The bytes of a searched fill value that are free (column/write/find_fill.h): four of them are
 * these, unless billions of values share the others. */
#define STOA_FILL_ONES 0x01010101
/* Whether a column of 64-bit integers declares such a range. It says only which value is the fill:
 * the few values outside of it remain values (notes C2). Bounds are NULL where they are not
 * declared. */
bool stoa_fill_is_apart(const stoa_element *element, const uint8_t *fill, const uint8_t *valid_min,
                        const uint8_t *valid_max);
/* Set the recommended fill of each part of a nested element. Variable-length parts are empty. */
void stoa_fill_parts(const stoa_element *element, uint8_t *fill);
/*
 * The candidates for elements of strings and sequences alone, which no domain describes. Each is
 * longer than those before: 1, 2, 4 ... characters, or 8, 16, 32 ... items.
 *
 * @param[out] fill  zero before the call; free its parts with stoa_element_reclaim(), also after a
 *                   failure
 */
stoa_status stoa_fill_candidate(const stoa_element *element, unsigned number, uint8_t *fill,
                                stoa_error *err);

#endif
