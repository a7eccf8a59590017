/* The HDF5 datatype of a column: of an Arrow field, of what its values span (HEP001 §8.3). */
#ifndef STOA_COLUMN_DATATYPE_H
#define STOA_COLUMN_DATATYPE_H

#include "column/domain.h"

/* A UTF-8 string type for a domain: fixed-length of the longest value, null-padded; variable-length
 * where values are long and uneven (over 256 bytes and over 4 times the mean, or over 4096). */
stoa_status stoa_string_type(const stoa_domain *domain, hid_t *type, stoa_error *err);

/* The little-endian standard type of a number; H5I_INVALID_HID for other kinds. Library types: not
 * to be closed, only copied. */
hid_t stoa_standard_type(stoa_kind kind);

/* The stored datatype of a field (not of dictionaries: their codes depend on the code book). */
stoa_status stoa_field_type(const struct ArrowSchema *field, const stoa_domain *domain, hid_t *type,
                            stoa_error *err);

/* Integer kind of an element that is to hold a domain: the given one, or the narrowest wider one of
 * either sign that holds it and has a fill value left. */
bool stoa_choose_integer(const stoa_domain *domain, stoa_kind kind, stoa_kind *chosen,
                         stoa_fill *fill);
/* Float kind of an element that is to hold a domain: the given one or a wider one. A float16 column
 * of both infinities and NaN has no fill left; float32 has a recommended one that no float16 is. */
stoa_kind stoa_choose_float(const stoa_domain *domain, stoa_kind kind);

#endif
