/*
 * HDF5 datatypes as a closed list of element classes, and their elements as Arrow values.
 *
 * An element is described once, when a dataset is opened: how it lies in memory after H5Dread
 * (native byte order, the type's own padding kept), and which Arrow type presents it. HEP001 §8.3:
 * a datatype that has no Arrow counterpart is shown as its raw bytes, never left out.
 */
#ifndef STOA_HDF_TYPES_H
#define STOA_HDF_TYPES_H

#include "arrow/build.h"
#include "arrow/read.h"
#include "hdf/ids.h"

typedef enum stoa_element_class {
    STOA_ELEMENT_INTEGER, /* native integer of 1, 2, 4 or 8 bytes; bitfields too */
    STOA_ELEMENT_FLOAT,   /* binary16 bits, float or double */
    STOA_ELEMENT_FIXED_STRING,
    STOA_ELEMENT_STRING, /* variable-length: a char * that libhdf5 allocated */
    STOA_ELEMENT_ENUM,   /* native integer and its members */
    STOA_ELEMENT_OPAQUE, /* fixed bytes; also types without an Arrow counterpart, raw */
    STOA_ELEMENT_COMPOUND,
    STOA_ELEMENT_ARRAY,
    STOA_ELEMENT_VLEN /* hvl_t */
} stoa_element_class;

/* What an integer within another type is shown as. A column's own is for the column to say. */
typedef enum stoa_element_show {
    STOA_SHOW_STORED,
    STOA_SHOW_BOOL, /* other than 0 is true */
    STOA_SHOW_TIME  /* counts as `units` says, from 1970 on */
} stoa_element_show;

typedef struct stoa_element stoa_element;
struct stoa_element {
    stoa_element_class class;
    hid_t mem_type;    /* what H5Dread is asked for */
    size_t size;       /* bytes an element takes up in memory */
    stoa_kind kind;    /* INTEGER, FLOAT, ENUM: of the value; else of the Arrow array */
    bool is_bitfield;  /* INTEGER without an order (HEP001 §10.5, notes D10) */
    bool is_raw;       /* OPAQUE that stands for another HDF5 type */
    bool is_reference; /* OPAQUE of H5T_STD_REF, in which libhdf5 keeps memory of its own: never
                          shown; `kind` is that of a string, the path that it leads to */
    bool is_truth;     /* ENUM within another type: HEP001's boolean (§6), a bool in Arrow */
    bool is_odd;       /* INTEGER, FLOAT: not stored as `kind` is by two's complement, IEEE 754 */
    stoa_element_show show; /* INTEGER */
    stoa_time_units units;  /* of times that are shown: unit, utc and is_split */
    bool turns;             /* they lie in another byte order than the machine's */
    H5T_str_t padding;      /* strings */
    H5T_cset_t charset;     /* strings */
    size_t n_members;       /* ENUM; COMPOUND: fields; ARRAY, VLEN: 1 */
    char **names;           /* ENUM members, COMPOUND fields */
    int64_t *codes;         /* ENUM: a member's code (uint64 codes: the same bits) */
    size_t *offsets;        /* COMPOUND: a field's place in the element */
    stoa_element *items;    /* COMPOUND: fields; ARRAY, VLEN: the one item type */
    size_t n_items;         /* ARRAY: items an element, all dimensions multiplied */
    char text[64];          /* the stored datatype for people: "int16", "string[12] utf8 nullpad" */
};

/* Describe a stored datatype. STOA_EDATA where libhdf5 cannot read it. */
stoa_status stoa_element_of(hid_t file_type, stoa_element *element, stoa_error *err);
/* The same, but times of the system (H5T_TIME) are integers of as many bytes, in the order of the
 * stored ones: libhdf5 converts nothing of them. */
stoa_status stoa_element_or_time_of(hid_t file_type, stoa_element *element, stoa_error *err);
void stoa_element_clear(stoa_element *element);
/* The Arrow type of an integer as it is shown, and n of them as an array. */
stoa_type stoa_element_shown_type(const stoa_element *element);
stoa_status stoa_element_decode_shown(const stoa_element *element, const uint8_t *elements,
                                      int64_t n, struct ArrowArray *out, stoa_error *err);

/* The Arrow field that presents such elements (nested fields and dictionaries included). */
stoa_status stoa_element_schema(const stoa_element *element, const char *name,
                                struct ArrowSchema *out, stoa_error *err);

/*
 * n elements in memory as an Arrow array; `elements` (from stoa_alloc) is taken over in every case
 * and may become the array's own buffer. Variable-length parts are copied, then reclaimed by the
 * caller *before*: see stoa_element_reclaim(). `missing` is a bitmap of n bits, 1 = missing, taken
 * over; NULL: none.
 */
stoa_status stoa_element_decode(const stoa_element *element, void *elements, int64_t n,
                                uint8_t *missing, struct ArrowArray *out, stoa_error *err);
/* Whether elements hold memory that libhdf5 allocated. */
bool stoa_element_is_variable(const stoa_element *element);
/* Give it back. */
void stoa_element_reclaim(const stoa_element *element, void *elements, size_t n);

/* Copy one element into zeroed memory, its variable-length parts too; what was copied is given back
 * by stoa_element_reclaim(), after a failure as well. */
stoa_status stoa_element_copy(const stoa_element *element, const void *from, void *to,
                              stoa_error *err);

/* Bit-equality of two elements, field by field, padding ignored (HEP001 §8.5; notes C6, C7). */
bool stoa_element_equal(const stoa_element *element, const void *a, const void *b);
/* Length of a fixed string without its padding (notes C7). */
size_t stoa_fixed_string_length(const char *text, size_t size, H5T_str_t padding);
/* Store an integer as an element of `size` bytes (1, 2, 4 or 8): its low bytes. */
void stoa_integer_put(uint8_t *out, size_t size, int64_t value);
/* Whether a float element is NaN. */
bool stoa_element_is_nan(const stoa_element *element, const void *value);

#endif
