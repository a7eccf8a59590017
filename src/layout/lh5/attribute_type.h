/*
 * The types of attributes in words, and back: "int16", "float32 big-endian", "bool", "string" (of
 * varying length, UTF-8), "string(8,nullpad,ascii)", "string(*,nullterm,ascii)", "opaque(5,"tag")",
 * "enum(int8,"a"=1,"b"=2)", "array(2,3,TYPE)", "list(TYPE)" of varying length, "reference" and
 * "reference(std)" to an object, "{"name":TYPE,"other"@8:TYPE}16": fields, at a place of their own
 * where they do not follow each other, of so many bytes where these are more.
 */
#ifndef STOA_LAYOUT_LH5_ATTRIBUTE_TYPE_H
#define STOA_LAYOUT_LH5_ATTRIBUTE_TYPE_H

#include "core/memory.h"
#include "hdf/ids.h"

/* Types in each other; and members that one has, of an enumeration or fields. */
enum { STOA_LH5_DEEPEST_TYPE = 8, STOA_LH5_MOST_MEMBERS = 1024 };

/* By H5T_str_t and H5T_cset_t; NULL in the end. */
extern const char *const stoa_lh5_paddings[];
extern const char *const stoa_lh5_charsets[];

/* *can is false where there are no words for it. */
stoa_status stoa_lh5_attribute_type_print(hid_t type, stoa_buffer *out, bool *can, stoa_error *err);
/* From *at, which is left behind the words. They may be anybody's: *type is H5I_INVALID_HID where
 * they mean none; the caller's. */
stoa_status stoa_lh5_attribute_type_parse(const char **at, hid_t *type, stoa_error *err);

/* HDF5's boolean enumeration, as h5py makes it. */
bool stoa_lh5_is_truth(hid_t type);
/* What an integer, a float or an enumeration's code is converted to in memory: of 8 bytes. */
hid_t stoa_lh5_memory_of(hid_t number);
/* Room for either. */
enum { STOA_LH5_NUMBER_BYTES = 16 };
/* From there into the type, in place; *fits is false where that would be another number, which
 * libhdf5 would make of it: the greatest one, or infinity. Rounding floats is none. */
stoa_status stoa_lh5_number_from_memory(hid_t type, uint8_t number[STOA_LH5_NUMBER_BYTES],
                                        bool *fits, stoa_error *err);

/* A text in quotes; and what stands in them from *at on, which is left behind: the caller's, NULL
 * where nothing does. */
stoa_status stoa_lh5_quoted_print(const char *text, size_t length, stoa_buffer *out,
                                  stoa_error *err);
stoa_status stoa_lh5_quoted_parse(const char **at, char **text, stoa_error *err);

#endif
