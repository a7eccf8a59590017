/* The header of a .npy file: its format is numpy.lib.format's, versions 1 to 3. */
#ifndef STOA_LAYOUT_NUMPY_NPY_H
#define STOA_LAYOUT_NUMPY_NPY_H

#include "layout/numpy/zip.h"

enum { STOA_NPY_MAX_RANK = 32 };

/* A field of a structured type, or the elements of another. */
typedef struct stoa_npy_field {
    char *name;        /* NULL for elements that are no structures */
    char kind;         /* as in NumPy: b i u f c S U M m V */
    bool swaps;        /* in the other byte order */
    size_t size;       /* bytes of an element; of U four for each character */
    char unit[4];      /* of M and m: "s", "ns" ... */
    uint64_t multiple; /* of the unit, as 10 in "M8[10s]" */
    size_t offset;     /* in the structure */
    uint64_t n;        /* elements; 1 if the field has no shape */
    unsigned rank;     /* of the field's shape */
    uint64_t shape[STOA_NPY_MAX_RANK];
} stoa_npy_field;

typedef struct stoa_npy {
    stoa_npy_field *fields;
    size_t n_fields;
    bool is_struct;
    size_t item_size;
    bool is_fortran;
    unsigned rank;
    uint64_t shape[STOA_NPY_MAX_RANK];
} stoa_npy;

/* Whether a file begins as one. */
bool stoa_npy_is_one(const char *name);
/*
 * Read a header; the elements follow. The caller clears it, also on failure.
 *
 * @return STOA_EDATA if it is no such header, or the elements cannot all be there; STOA_ETYPE for
 *         Python objects and nested structures
 */
stoa_status stoa_npy_read(stoa_bytes *bytes, stoa_npy *npy, stoa_error *err);
void stoa_npy_clear(stoa_npy *npy);
/* Elements of an array of that shape. */
uint64_t stoa_npy_n(const stoa_npy *npy);

#endif
