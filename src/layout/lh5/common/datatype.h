/* The attribute 'datatype' of LH5 objects, which declares an object's type (LH5, quick reference;
 * LH5 notes §2.1). */
#ifndef STOA_LAYOUT_LH5_DATATYPE_H
#define STOA_LAYOUT_LH5_DATATYPE_H

#include "core/memory.h"

typedef enum stoa_lh5_kind {
    STOA_LH5_SCALAR,
    STOA_LH5_ARRAY,           /* array<rank>{element} */
    STOA_LH5_FIXED_ARRAY,     /* fixedsize_array<rank>{element}; ntuple{element} */
    STOA_LH5_EQUAL_ARRAYS,    /* array_of_equalsized_arrays<rank,inner>{element}; the public page
                                 writes array<rank,inner>{element}; Julia writes
                                 array<rank>{fixedsize_array<1>{element}} and
                                 array<rank>{ntuple{element}} */
    STOA_LH5_VECTORS,         /* array<1>{array<1>{ ... element}}, nested `depth` deep, 2 or more */
    STOA_LH5_ENCODED_VECTORS, /* array<1>{encoded_array<1>{element}}; Julia's
                                 array_of_encoded_arrays<1,1>{element} */
    STOA_LH5_ENCODED_ARRAY,   /* Julia's encoded_array<1>{element} */
    STOA_LH5_ENCODED_ARRAYS,  /* array_of_encoded_equalsized_arrays<rank,inner>{element} */
    STOA_LH5_HISTOGRAM,       /* Julia's histogram<rank>{element}; Python writes a struct */
    STOA_LH5_STRUCT,          /* also Julia's measurement: struct{val,err} */
    STOA_LH5_TABLE
} stoa_lh5_kind;

typedef enum stoa_lh5_element {
    STOA_LH5_REAL,
    STOA_LH5_BOOL,
    STOA_LH5_COMPLEX,
    STOA_LH5_STRING,
    STOA_LH5_SYMBOL,
    STOA_LH5_BLOB,
    STOA_LH5_DETECTOR_ID,
    STOA_LH5_ENUM
} stoa_lh5_element;

enum {
    STOA_LH5_HIGHEST_RANK = 32,   /* the limit of HDF5 */
    STOA_LH5_MAX_DEPTH = 16,      /* levels of nested vectors that Stoa follows */
    STOA_LH5_MAX_TABLE_DEPTH = 64 /* and of nested tables */
};

typedef struct stoa_lh5_datatype {
    stoa_lh5_kind kind;
    stoa_lh5_element element; /* unset for structs and tables */
    unsigned rank;
    unsigned inner;
    unsigned depth;
    char **names; /* fields of a struct or table, or labels of an enum, in the order of the text; no
                     name is empty or repeated, and none has a '/' */
    int64_t *values; /* of an enum: the value of each name */
    size_t n_names;
    char *text; /* owns the bytes of `names` */
} stoa_lh5_datatype;

/*
 * Parse a datatype.
 *
 * @param[out] type  cleared by the caller with stoa_lh5_datatype_clear(); empty after a failure
 * @return STOA_EDATA if the text is not a known type; the message gives the position of the
 *         character
 */
stoa_status stoa_lh5_datatype_parse(const char *text, stoa_lh5_datatype *type, stoa_error *err);
void stoa_lh5_datatype_clear(stoa_lh5_datatype *type);

/*
 * Compose the text of a type as the Python writer spells it, with the field names sorted by their
 * bytes (LH5 notes §1.4).
 *
 * @param[out] text  freed by the caller with free(); NULL on failure
 */
stoa_status stoa_lh5_datatype_compose(const stoa_lh5_datatype *type, char **text, stoa_error *err);

/*
 * Compose the text of a type, but return `before` unchanged if it means the same. This keeps
 * another order of fields and Julia's words.
 *
 * @param before  the earlier spelling; NULL if there is none
 */
stoa_status stoa_lh5_datatype_spell(const stoa_lh5_datatype *type, const char *before, char **text,
                                    stoa_error *err);

/* Whether the type is a struct or table with a field of that name. */
bool stoa_lh5_datatype_has(const stoa_lh5_datatype *type, const char *name);
/* Add a field to a struct or table. The name is borrowed. */
stoa_status stoa_lh5_datatype_add(stoa_lh5_datatype *type, const char *name, stoa_error *err);

#endif
