/*
 * The attribute 'datatype' of LH5 objects: what an object is (LH5, quick reference; LH5 notes
 * §2.1).
 */
#ifndef STOA_LAYOUT_LH5_DATATYPE_H
#define STOA_LAYOUT_LH5_DATATYPE_H

#include "core/memory.h"

typedef enum stoa_lh5_kind {
    STOA_LH5_SCALAR,
    STOA_LH5_ARRAY,           /* array<rank>{element} */
    STOA_LH5_FIXED_ARRAY,     /* fixedsize_array<rank>{element}; ntuple{element} */
    STOA_LH5_EQUAL_ARRAYS,    /* array_of_equalsized_arrays<rank,inner>{element}; on the public page
                                 array<rank,inner>{element}; Julia's array<rank>{fixedsize_array<1>
                                 {element}} and array<rank>{ntuple{element}} */
    STOA_LH5_VECTORS,         /* array<1>{array<1>{ ... element}}: `depth` of them, 2 or more */
    STOA_LH5_ENCODED_VECTORS, /* array<1>{encoded_array<1>{element}}; Julia's
                                 array_of_encoded_arrays<1,1>{element} */
    STOA_LH5_ENCODED_ARRAY,   /* Julia's encoded_array<1>{element} */
    STOA_LH5_ENCODED_ARRAYS,  /* array_of_encoded_equalsized_arrays<rank,inner>{element} */
    STOA_LH5_HISTOGRAM,       /* Julia's histogram<rank>{element}; else a struct */
    STOA_LH5_STRUCT,          /* and Julia's measurement: struct{val,err} */
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
    STOA_LH5_HIGHEST_RANK = 32, /* of HDF5 */
    STOA_LH5_DEEPEST = 16       /* vectors in each other that Stoa follows */
};

typedef struct stoa_lh5_datatype {
    stoa_lh5_kind kind;
    stoa_lh5_element element; /* of all but structs and tables */
    unsigned rank;
    unsigned inner;
    unsigned depth;
    char **names;    /* of the fields of a struct or table, or of an enum; in the order of the text;
                        without a '/', none empty, none twice */
    int64_t *values; /* of an enum's names */
    size_t n_names;
    char *text; /* that the names lie in */
} stoa_lh5_datatype;

/*
 * @param[out] type  the caller's, cleared by stoa_lh5_datatype_clear(); empty after a failure
 * @return STOA_EDATA where the text is none of these: the message says at which character
 */
stoa_status stoa_lh5_datatype_parse(const char *text, stoa_lh5_datatype *type, stoa_error *err);
void stoa_lh5_datatype_clear(stoa_lh5_datatype *type);

/*
 * The text of a type as the Python writer spells it: the names of fields sorted by their bytes
 * (LH5 notes §1.4).
 *
 * @param[out] text  the caller's (free()); NULL on failure
 */
stoa_status stoa_lh5_datatype_compose(const stoa_lh5_datatype *type, char **text, stoa_error *err);

/*
 * The same as it was spelt before, NULL: nowhere, if that means the same: fields in another order,
 * Julia's words.
 */
stoa_status stoa_lh5_datatype_spell(const stoa_lh5_datatype *type, const char *before, char **text,
                                    stoa_error *err);

/* Whether it is a struct or table with a field of that name. */
bool stoa_lh5_datatype_has(const stoa_lh5_datatype *type, const char *name);

#endif
