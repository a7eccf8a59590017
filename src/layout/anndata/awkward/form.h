/*
 * The form of an awkward array: what its buffers are, as a tree of nodes. AnnData keeps it as JSON,
 * in the attribute `form` (Awkward Array 2, "ak.to_buffers").
 */
#ifndef STOA_LAYOUT_ANNDATA_AWKWARD_FORM_H
#define STOA_LAYOUT_ANNDATA_AWKWARD_FORM_H

#include "core/memory.h"

/* Most nodes below each other, and in all. Each may have a dataset of its own. */
enum { STOA_AWKWARD_MAX_DEPTH = 64, STOA_AWKWARD_MAX_NODES = 4096 };

/* What a node is, with the parts of its buffers' names. */
typedef enum stoa_awkward_class {
    STOA_AWKWARD_NUMBERS,     /* NumpyArray: data */
    STOA_AWKWARD_EMPTY,       /* EmptyArray: no value, of no type */
    STOA_AWKWARD_LISTS,       /* ListOffsetArray: offsets */
    STOA_AWKWARD_RANGES,      /* ListArray: starts, stops */
    STOA_AWKWARD_FIXED,       /* RegularArray: lists of one length */
    STOA_AWKWARD_RECORDS,     /* RecordArray: fields */
    STOA_AWKWARD_INDEXED,     /* IndexedArray: index */
    STOA_AWKWARD_OPTIONS,     /* IndexedOptionArray: index, negative where a value is missing */
    STOA_AWKWARD_BYTE_MASKED, /* ByteMaskedArray: mask */
    STOA_AWKWARD_BIT_MASKED,  /* BitMaskedArray: mask */
    STOA_AWKWARD_UNMASKED     /* UnmaskedArray: values that could be missing, and are not */
} stoa_awkward_class;

typedef struct stoa_awkward_form {
    stoa_awkward_class class;
    char *class_name; /* as the form says */
    char *key;        /* begins the names of its buffers; NULL if the form does not say */
    char *primitive;  /* of NUMBERS: "float64" */
    char *kind;       /* the parameter __array__: "string", "char" ...; NULL if there is none */
    uint64_t size;    /* of FIXED: items of a list */
    uint64_t *shape;  /* of NUMBERS: of one value */
    size_t rank;
    bool valid_when; /* of a mask: what it says of values that are there */
    bool lsb_order;  /* of bits: the first is the lowest */
    char **names;    /* of the fields; NULL: they are numbered */
    size_t n_names;
    struct stoa_awkward_form *contents;
    size_t n_contents;
} stoa_awkward_form;

/* Parse a form. STOA_EDATA if the text is no form, or one of arrays that no column can show. Clear
 * it in every case. */
stoa_status stoa_awkward_form_parse(const char *text, stoa_awkward_form *form, stoa_error *err);
void stoa_awkward_form_clear(stoa_awkward_form *form);

#endif
