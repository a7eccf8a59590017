/* Finds a fill value that no value of a column equals, where its domain tells of none (HEP001
 * §8.5). */
#ifndef STOA_COLUMN_FIND_FILL_H
#define STOA_COLUMN_FIND_FILL_H

#include "column/column.h"
#include "column/type/create_column.h"

/*
 * Find an element that equals none of rows [0, n_rows), nor of the elements to come.
 *
 * @param to_come    may be NULL
 * @param[out] fill  one element in memory form. Free its parts with stoa_element_reclaim(), then
 *                   the element itself; NULL on failure
 * @return STOA_ELOSS if every value of the type occurs
 */
stoa_status stoa_column_find_fill(stoa_column *column, uint64_t n_rows,
                                  const stoa_elements_to_come *to_come, void **fill,
                                  stoa_error *err);

#endif
