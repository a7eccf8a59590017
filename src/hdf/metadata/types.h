/*
 * Describes HDF5 datatypes as a closed set of element classes, and converts elements to Arrow.
 *
 * An element is described once, when a dataset is opened. The description has its layout in memory
 * after H5Dread (native byte order, the type's own padding kept) and its Arrow type. HEP001 §8.3: a
 * datatype without an Arrow counterpart is presented as raw bytes, never left out.
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
    STOA_ELEMENT_OPAQUE, /* fixed bytes; also raw bytes of types without an Arrow counterpart */
    STOA_ELEMENT_COMPOUND,
    STOA_ELEMENT_ARRAY,
    STOA_ELEMENT_VLEN /* hvl_t */
} stoa_element_class;

/* Logical type of an integer within another type. For a column's own type, the column decides. */
typedef enum stoa_logical_type {
    STOA_LOGICAL_NONE,
    STOA_LOGICAL_BOOL,    /* nonzero is true */
    STOA_LOGICAL_TIME,    /* counts of `units` since 1970 */
    STOA_LOGICAL_DURATION /* counts of units.unit */
} stoa_logical_type;

typedef struct stoa_element stoa_element;
struct stoa_element {
    stoa_element_class class;
    hid_t mem_type;    /* memory type for H5Dread */
    size_t size;       /* bytes of an element in memory */
    stoa_kind kind;    /* INTEGER, FLOAT, ENUM: of the value; else of the Arrow array */
    bool is_bitfield;  /* INTEGER whose values have no order (HEP001 §10.5, notes D10) */
    bool is_raw;       /* OPAQUE that stands for another HDF5 type */
    bool is_reference; /* OPAQUE of H5T_STD_REF, which holds memory of libhdf5. Its bytes are never
                          presented; `kind` is that of a string, the path of its target */
    bool is_truth; /* HEP001's boolean (§6), an enumeration of FALSE and TRUE: bool in Arrow. ENUM
                      within another type; INTEGER as a column, see stoa_element_as_boolean() */
    bool is_odd;   /* INTEGER, FLOAT: stored other than as two's complement or IEEE 754 of `kind` */
    stoa_logical_type logical; /* INTEGER */
    stoa_time_units units;     /* of times: unit, utc and is_split; of durations: unit */
    bool turns;                /* their byte order differs from the machine's */
    H5T_str_t padding;         /* strings */
    H5T_cset_t charset;        /* strings */
    size_t n_members;          /* ENUM; COMPOUND: fields; ARRAY, VLEN: 1 */
    char **names;              /* ENUM members, COMPOUND fields */
    int64_t *codes;            /* ENUM: code of each member (uint64 codes: the same bits) */
    size_t *offsets;           /* COMPOUND: offset of each field in the element */
    stoa_element *items;       /* COMPOUND: fields; ARRAY, VLEN: the item type */
    size_t n_items;            /* ARRAY: items per element, the product of all dimensions */
    char text[64]; /* the stored datatype for users: "int16", "string[12] utf8 nullpad" */
    /* A reference of a deprecated type, which libhdf5 reads as H5T_STD_REF but cannot write. */
    bool is_old_reference;
};

/* Describe a stored datatype. STOA_EDATA if its description is invalid. */
stoa_status stoa_element_of(hid_t file_type, stoa_element *element, stoa_error *err);
/* The same, but system times (H5T_TIME) are integers of the same size, in the stored byte order,
 * since libhdf5 does not convert them. */
stoa_status stoa_element_or_time_of(hid_t file_type, stoa_element *element, stoa_error *err);
void stoa_element_clear(stoa_element *element);

/* What an enumeration says of its values (HEP001-2026-07 §8.8). */
typedef enum stoa_truth_form {
    STOA_TRUTH_NONE,    /* an ordinary enumeration, or none */
    STOA_TRUTH_PLAIN,   /* exactly FALSE = 0 and TRUE = 1 in one byte */
    STOA_TRUTH_NULLABLE /* exactly these and MISSING = 2 */
} stoa_truth_form;
stoa_truth_form stoa_element_truth_form(const stoa_element *element);
/* Describe an enumeration as the integers that it stores. */
void stoa_element_forget_members(stoa_element *element);
/* The same of a boolean column, and set is_truth. */
void stoa_element_as_boolean(stoa_element *element);
/* Whether the stored type is an enumeration. libhdf5 converts no integers to it. */
bool stoa_element_is_enum(const stoa_element *element);

/* The Arrow type of an integer's logical type, and an array of n such integers. */
stoa_type stoa_element_logical_type(const stoa_element *element);
stoa_status stoa_element_decode_logical(const stoa_element *element, const uint8_t *elements,
                                        int64_t n, struct ArrowArray *out, stoa_error *err);

/* The Arrow field for such elements, with nested fields and dictionaries. */
stoa_status stoa_element_schema(const stoa_element *element, const char *name,
                                struct ArrowSchema *out, stoa_error *err);

/*
 * Convert n elements in memory to an Arrow array.
 *
 * `elements` (from stoa_alloc) is always taken over and may become the array's buffer.
 * Variable-length parts are copied. Since `elements` may be freed, the caller needs a copy of it to
 * reclaim them afterwards. `missing` is a bitmap of n bits, 1 = missing, and is taken over, too;
 * NULL: no missing values.
 */
stoa_status stoa_element_decode(const stoa_element *element, void *elements, int64_t n,
                                uint8_t *missing, struct ArrowArray *out, stoa_error *err);
/* Whether elements hold memory that libhdf5 allocated. */
bool stoa_element_is_variable(const stoa_element *element);
/* Free that memory. */
void stoa_element_reclaim(const stoa_element *element, void *elements, size_t n);

/* Copy one element, with its variable-length parts, into zeroed memory. Free these with
 * stoa_element_reclaim(), also after a failure. */
stoa_status stoa_element_copy(const stoa_element *element, const void *from, void *to,
                              stoa_error *err);

/* Bitwise equality of two elements, field by field, ignoring padding (HEP001 §8.5; notes C6,
 * C7). */
bool stoa_element_equal(const stoa_element *element, const void *a, const void *b);
/* Length of a fixed string without its padding (notes C7). */
size_t stoa_fixed_string_length(const char *text, size_t size, H5T_str_t padding);
/* Store an integer as an element of `size` bytes (1, 2, 4 or 8): its low bytes. */
void stoa_integer_put(uint8_t *out, size_t size, int64_t value);
/* Whether a float element is NaN. */
bool stoa_element_is_nan(const stoa_element *element, const void *value);

#endif
