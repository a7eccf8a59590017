/* Scalar attributes as texts, which metadata of Arrow can be: a type, a blank, the value. "string
 * uid // 7", "int64 3", "float32 big-endian 1.5", "bool true". */
#ifndef STOA_LAYOUT_LH5_ATTRIBUTE_TEXT_H
#define STOA_LAYOUT_LH5_ATTRIBUTE_TEXT_H

#include "core/memory.h"
#include "hdf/ids.h"

/* Print an attribute; nothing where it is no scalar string, number or boolean. */
stoa_status stoa_lh5_attribute_print(hid_t object, const char *name, stoa_buffer *out,
                                     stoa_error *err);
/*
 * Give the object the attribute that a text stands for. It may be anybody's: what is none is let
 * be.
 *
 * @return STOA_EINVAL naming the attribute, and a number that its type does not hold
 */
stoa_status stoa_lh5_attribute_say(hid_t object, const char *name, const char *text,
                                   stoa_error *err);

#endif
