/* Choose the HDF5 datatype of a column from its Arrow field and the domain of its values (HEP001
 * §8.3). */
#ifndef STOA_COLUMN_DATATYPE_H
#define STOA_COLUMN_DATATYPE_H

#include "column/type/domain.h"

/* Make a string type for a domain, of UTF-8; or of ASCII if `prefers_ascii` and no value needs
 * more. It is fixed-length, null-padded, for the longest value. It is variable-length if the
 * longest value is over 4096 bytes, or over 256 and over 4 times the mean. */
stoa_status stoa_string_type(const stoa_domain *domain, bool prefers_ascii, hid_t *type,
                             stoa_error *err);

/* The little-endian standard type of a number; H5I_INVALID_HID for other kinds. These are library
 * types: copy them, do not close them. */
hid_t stoa_standard_type(stoa_kind kind);

/* The same for bitfields of an unsigned kind; other kinds give the standard type. */
hid_t stoa_bits_type(stoa_kind kind);

/* HDF5 keeps a fill value in the object header, whose messages are shorter than 64 KiB. Elements up
 * to this size have one in every version of the format. */
#define STOA_MAX_FILL_BYTES UINT64_C(65520)

/* Whether the rows of a field are lists of one length whose elements would be larger. They become a
 * list column (column/list/create.h). */
bool stoa_field_is_large_cell(const struct ArrowSchema *field);

/* The stored datatype of a field. Not for dictionaries: their codes' type depends on the number of
 * labels. */
stoa_status stoa_field_type(const struct ArrowSchema *field, const stoa_domain *domain,
                            bool prefers_ascii, hid_t *type, stoa_error *err);

/* Choose the integer kind for a domain: the given kind, or the narrowest wider one that holds the
 * domain and has a fill value left. Kinds of the same signedness are tried first. False if there is
 * none. */
bool stoa_choose_integer(const stoa_domain *domain, stoa_kind kind, stoa_kind *chosen,
                         stoa_fill *fill);
/* The float kind for a domain: the given one or a wider one. A float16 column of both infinities
 * and NaN has no fill left. The recommended fill of float32 is not a float16 value. */
stoa_kind stoa_choose_float(const stoa_domain *domain, stoa_kind kind);

#endif
