/* The elements of a dataset on their way into a copy of another storage, box by box. */
#ifndef STOA_SPARSE_RELAYOUT_FILL_H
#define STOA_SPARSE_RELAYOUT_FILL_H

#include "hdf/packed.h"
#include "sparse/array.h"
#include "sparse/relayout_parts.h"

typedef struct stoa_filling {
    const stoa_relayouts *all;
    const stoa_region_list *list; /* NULL: all that is defined in the source */
    hid_t source;
    hid_t copy;
    hid_t type; /* of elements in both files */
    hid_t space;
    size_t size;
    stoa_vlen_layout *layout; /* where elements are of variable length; else NULL */
    stoa_packed packed;       /* the source then, where that is dense: looked at before libhdf5 */
    stoa_sparse *from;        /* where the source is sparse */
    stoa_sparse *to;          /* where the copy is */
    bool may_have_gaps;       /* a chunk of the copy that holds nothing may stay out of the file */
    stoa_shape grid;          /* boxes as chunks */
    stoa_one_value value;     /* that is not defined */
    stoa_buffer coordinates;  /* of elements in hand, uint64_t */
    stoa_buffer values;       /* what they hold of variable length is the hand's, too */
    stoa_buffer flags;
} stoa_filling;

/* Of a box's sides; UINT32_MAX stands for anything more. */
uint64_t stoa_filling_product(const uint64_t *sides, unsigned rank);
/* A box of the grid, inside of the extent. */
void stoa_filling_box(const stoa_filling *f, uint64_t number, stoa_box *box);
uint64_t stoa_filling_elements(const stoa_filling *f, const stoa_box *box);
/* The next element of a box, row-major; back at its first after the last. */
void stoa_filling_step(const stoa_filling *f, const stoa_box *box, uint64_t *at);

uint64_t stoa_filling_in_hand(const stoa_filling *f);
/* Room for n more elements in hand, zeros; they are the caller's to set. */
stoa_status stoa_filling_room(stoa_filling *f, uint64_t n, uint64_t **coordinates, uint8_t **values,
                              stoa_error *err);
/* Give back what n elements hold of variable length. */
void stoa_filling_release(const stoa_filling *f, const uint8_t *values, size_t n);
/* No elements are in hand any more. */
void stoa_filling_let_go(stoa_filling *f);
/* A box in the dataset's space, and one in memory. */
stoa_status stoa_filling_select(const stoa_filling *f, const stoa_box *box, hid_t *memory,
                                stoa_error *err);
/* Every element of a box, or of several single ones, out of the source: n of them, into zeros. */
stoa_status stoa_filling_read_box(stoa_filling *f, const stoa_box *box, uint8_t *values,
                                  stoa_error *err);
stoa_status stoa_filling_read_points(stoa_filling *f, uint64_t n, const uint64_t *coordinates,
                                     uint8_t *values, stoa_error *err);
/* Every element of a box into the hand. */
stoa_status stoa_filling_take(stoa_filling *f, const stoa_box *box, stoa_error *err);
/* Define the elements in hand, but those with the excluded value. */
stoa_status stoa_filling_put(stoa_filling *f, stoa_error *err);
stoa_status stoa_filling_tell(const stoa_filling *f, stoa_error *err);

/* Those of f->list. */
stoa_status stoa_filling_listed(stoa_filling *f, stoa_error *err);

#endif
