/* Scalar attributes as texts, so that Arrow metadata can hold them: the type, a space, the value.
 * Examples: "string uid // 7", "int64 3", "float32 big-endian 1.5", "bool true". */
#ifndef STOA_LAYOUT_LH5_ATTRIBUTE_TEXT_H
#define STOA_LAYOUT_LH5_ATTRIBUTE_TEXT_H

#include "core/memory.h"
#include "hdf/ids.h"

/* Print an attribute. Appends nothing unless the attribute is a scalar string, number or
 * boolean. */
stoa_status stoa_lh5_attribute_print(hid_t object, const char *name, stoa_buffer *out,
                                     stoa_error *err);
/*
 * Create the attribute that a text describes. The text is untrusted: one that describes no
 * attribute is ignored.
 *
 * @return STOA_EINVAL naming the attribute and the number if its type cannot hold the number
 */
stoa_status stoa_lh5_attribute_write(hid_t object, const char *name, const char *text,
                                     stoa_error *err);

#endif
