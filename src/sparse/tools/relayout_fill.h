/* Copy the elements of a dataset into its new storage, box by box. */
#ifndef STOA_SPARSE_RELAYOUT_FILL_H
#define STOA_SPARSE_RELAYOUT_FILL_H

#include "hdf/read/checked_reader.h"
#include "sparse/array/array.h"
#include "sparse/tools/relayout_parts.h"

typedef struct stoa_filling {
    const stoa_relayouts *all;
    const stoa_region_list *list; /* NULL: all defined elements of the source */
    hid_t source;
    hid_t copy;
    hid_t type; /* of elements in both files */
    hid_t space;
    size_t size;
    stoa_vlen_layout *layout;   /* of variable-length elements; otherwise NULL */
    stoa_checked_reader reader; /* validating reader of a dense source */
    stoa_sparse *from;          /* the source, if sparse */
    stoa_sparse *to;            /* the copy, if sparse */
    bool may_have_gaps;         /* chunks of the copy that hold nothing need not be written */
    stoa_shape grid;            /* the boxes, as chunks of a grid */
    stoa_one_value value;       /* elements with this value become undefined */
    stoa_buffer coordinates;    /* uint64_t; of the elements in the buffer */
    stoa_buffer values;         /* the buffer owns their variable-length data */
    stoa_buffer flags;
} stoa_filling;

/* Product of a box's sides; saturates at UINT32_MAX. */
uint64_t stoa_filling_product(const uint64_t *sides, unsigned rank);
/* A box of the grid, clipped to the extent. */
void stoa_filling_box(const stoa_filling *f, uint64_t number, stoa_box *box);
uint64_t stoa_filling_elements(const stoa_filling *f, const stoa_box *box);
/* Move to the next element of a box, row-major. After the last element, back to the first. */
void stoa_filling_step(const stoa_filling *f, const stoa_box *box, uint64_t *at);

uint64_t stoa_filling_in_hand(const stoa_filling *f);
/* Make space for n more elements in the buffer, zero-initialised. The caller sets them. */
stoa_status stoa_filling_room(stoa_filling *f, uint64_t n, uint64_t **coordinates, uint8_t **values,
                              stoa_error *err);
/* Free the variable-length data of n elements. */
void stoa_filling_release(const stoa_filling *f, const uint8_t *values, size_t n);
/* Empty the buffer. */
void stoa_filling_let_go(stoa_filling *f);
/* Select a box in the dataset's dataspace, and create a matching memory dataspace. */
stoa_status stoa_filling_select(const stoa_filling *f, const stoa_box *box, hid_t *memory,
                                stoa_error *err);
/* Read every element of a box, or n single elements, from the source into zero-initialised
 * memory. */
stoa_status stoa_filling_read_box(stoa_filling *f, const stoa_box *box, uint8_t *values,
                                  stoa_error *err);
stoa_status stoa_filling_read_points(stoa_filling *f, uint64_t n, const uint64_t *coordinates,
                                     uint8_t *values, stoa_error *err);
/* Read every element of a box into the buffer. */
stoa_status stoa_filling_read_all(stoa_filling *f, const stoa_box *box, stoa_error *err);
/* Define the buffered elements, except those with the excluded value. */
stoa_status stoa_filling_put(stoa_filling *f, stoa_error *err);
stoa_status stoa_filling_report(const stoa_filling *f, stoa_error *err);

/* Copy the elements of f->list. */
stoa_status stoa_filling_listed(stoa_filling *f, stoa_error *err);

#endif
