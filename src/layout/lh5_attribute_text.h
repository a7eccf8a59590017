/*
 * Attributes as texts, which metadata of Arrow can be: the type, and the value. "string uid // 7",
 * "int64 3", "float32 big-endian 1.5", "bool true"; of an array the shape, and its values:
 * "float64[2,2] 1 0 0 1", "string[2] "a" "b \"c\""", "bool[1] false".
 */
#ifndef STOA_LAYOUT_LH5_ATTRIBUTE_TEXT_H
#define STOA_LAYOUT_LH5_ATTRIBUTE_TEXT_H

#include "core/memory.h"
#include "hdf/ids.h"

/* Print what stands for an attribute: nothing where it is none of these, or an array whose text
 * would be too long for an attribute. */
stoa_status stoa_lh5_attribute_print(hid_t object, const char *name, stoa_buffer *out,
                                     stoa_error *err);
/* Give the object the attribute that a text stands for. It may be anybody's: what is none of these
 * is let be. */
stoa_status stoa_lh5_attribute_say(hid_t object, const char *name, const char *text,
                                   stoa_error *err);

#endif
