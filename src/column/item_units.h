/*
 * Times within lists and structs. HEP001 has units for the values of a column alone (§8.6); those
 * of the integers in them stand in an attribute of Stoa's own, `stoa_item_units`: for each leaf,
 * depth first, what it counts, or nothing; semicolons between.
 */
#ifndef STOA_COLUMN_ITEM_UNITS_H
#define STOA_COLUMN_ITEM_UNITS_H

#include "hdf/types.h"

#define STOA_COLUMN_ITEM_UNITS "stoa_item_units"

/* Write the attribute where there are times in the field's type. */
stoa_status stoa_item_units_write(hid_t dataset, const struct ArrowSchema *field, stoa_error *err);
/* Show the integers in an element as the attribute says; one that does not suit is passed over. */
stoa_status stoa_item_units_read(hid_t dataset, stoa_element *element, stoa_error *err);
/* A time of a view as the count that an element shows; false if it would lose digits. */
bool stoa_item_count(const stoa_element *element, const stoa_type *from, int64_t *value);

#endif
