/* Visits the stored elements of a dataset of any shape and type, in pieces that fit into memory. */
#ifndef STOA_HDF_STORED_ELEMENTS_H
#define STOA_HDF_STORED_ELEMENTS_H

#include "hdf/ids.h"

/* A box of a dataset. Rank 0 has one element. */
typedef struct stoa_box {
    hid_t type; /* of the elements, which is the dataset's own */
    int rank;
    const hsize_t *start;
    const hsize_t *count;
    void *elements; /* may be changed. Parts of variable length are freed after the call. */
    size_t n;
} stoa_box;

typedef stoa_status (*stoa_box_visit)(void *context, const stoa_box *box, stoa_error *err);

/* Chunks that are not stored are left out. */
stoa_status stoa_stored_elements_visit(hid_t dataset, stoa_box_visit visit, void *context,
                                       stoa_error *err);

#endif
