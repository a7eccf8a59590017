/*
 * Values of attributes in words, and back, a blank between them: "1", "-2.5", "true", text
 * in quotes, "0x0aff" of opaque bytes, "{1 "a"}" of fields, "(1 2 3)" of arrays and lists, the path
 * of the object that a reference is to in quotes, "" where it is to none.
 */
#ifndef STOA_LAYOUT_LH5_ATTRIBUTE_VALUE_H
#define STOA_LAYOUT_LH5_ATTRIBUTE_VALUE_H

#include "core/memory.h"
#include "hdf/ids.h"

typedef struct stoa_lh5_printing {
    hid_t file; /* an object of it: references are to others */
    stoa_buffer *out;
    bool can;              /* true until there is something that there are no words for */
    unsigned n_references; /* so far: libhdf5 looks for the path of each all over the file */
} stoa_lh5_printing;

/* A value as it lies in memory. */
stoa_status stoa_lh5_value_print(stoa_lh5_printing *p, hid_t type, const void *value,
                                 stoa_error *err);

/* Words that are read, which may be anybody's. Zeroed but for the first four; ended in every case.
 */
typedef struct stoa_lh5_reading {
    const char *at;
    const char *name; /* of the attribute */
    hid_t file;
    bool is;            /* true until they are no value of the type */
    char *lost;         /* path of a reference to what is not there; NULL: there is none */
    stoa_buffer blocks; /* of void *, memory that values point to */
    stoa_buffer held;   /* of H5R_ref_t *, among the values */
    size_t n_bytes;     /* of them so far */
} stoa_lh5_reading;

/*
 * @param value  zeroed
 * @return STOA_EINVAL naming a number, or a text, that its type does not hold
 */
stoa_status stoa_lh5_value_parse(stoa_lh5_reading *r, hid_t type, void *value, stoa_error *err);
void stoa_lh5_reading_end(stoa_lh5_reading *r);

#endif
