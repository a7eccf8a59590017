/*
 * Times within lists and structs.
 *
 * HEP001 has units only for the values of a column (§8.6). The units of integers inside of them are
 * in an attribute of Stoa's own, `stoa_item_units`. It lists the time units of each leaf, depth
 * first, separated by semicolons; other leaves are empty.
 */
#ifndef STOA_COLUMN_ITEM_UNITS_H
#define STOA_COLUMN_ITEM_UNITS_H

#include "hdf/metadata/types.h"

#define STOA_COLUMN_ITEM_UNITS "stoa_item_units"

/* Write the attribute if the field's type contains times. */
stoa_status stoa_item_units_write(hid_t dataset, const struct ArrowSchema *field, stoa_error *err);
/* Present the integers in an element as the attribute says. An attribute that does not match the
 * element is ignored. */
stoa_status stoa_item_units_read(hid_t dataset, stoa_element *element, stoa_error *err);
/* Rescale a time of a view to the unit of the element. False if digits would be lost. */
bool stoa_item_count(const stoa_element *element, const stoa_type *from, int64_t *value);

#endif
