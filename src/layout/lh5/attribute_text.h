/*
 * Attributes as texts, which metadata of Arrow can be: the type, the shape where it is no scalar,
 * and the values. "string uid // 7", "int64 3", "float32 big-endian 1.5", "bool true",
 * "float64[2,2] 1 0 0 1", "string[2] "a" "b \"c\""", "bool[1] false", "uint8[0]", "int64[null]" of
 * an empty dataspace, "{"x":int32,"y":float64} {1 2.5}", "reference "/ch1/raw"": attribute_type.h,
 * attribute_value.h.
 */
#ifndef STOA_LAYOUT_LH5_ATTRIBUTE_TEXT_H
#define STOA_LAYOUT_LH5_ATTRIBUTE_TEXT_H

#include "core/memory.h"
#include "hdf/ids.h"

/* Print what stands for an attribute: nothing where there are no words for it, or its text would be
 * too long for an attribute. */
stoa_status stoa_lh5_attribute_print(hid_t object, const char *name, stoa_buffer *out,
                                     stoa_error *err);
/* The same where it is no matter whether it can be read: nothing of one that cannot. Fails for want
 * of memory alone. */
stoa_status stoa_lh5_attribute_try_print(hid_t object, const char *name, stoa_buffer *out,
                                         stoa_error *err);
/*
 * Give the object the attribute that a text stands for. It may be anybody's: what is none is let
 * be. One with references waits as a text, called so, until what it is to may have its path.
 *
 * @return STOA_EINVAL naming the attribute, and a value that its type does not hold
 */
#define STOA_LH5_REFERENCE "stoa_lh5_reference."
stoa_status stoa_lh5_attribute_say(hid_t object, const char *name, const char *text,
                                   stoa_error *err);
/* Whether there are references in an attribute. */
bool stoa_lh5_attribute_refers(hid_t object, const char *name);
/*
 * Make the attribute of one that waits, by its name without STOA_LH5_REFERENCE.
 *
 * @param[out] lost  path of an object that it refers to and that is not there: it waits on. The
 *                   caller's; NULL where there is none
 */
stoa_status stoa_lh5_attribute_point(hid_t object, const char *name, char **lost, stoa_error *err);

#endif
