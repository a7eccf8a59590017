/*
 * Selections of HDF5 dataspaces as runs of elements, and back (sparse fact sheet §5).
 *
 * An element is its row-major number in the extent, so that a run may go on from one row to the
 * next.
 */
#ifndef STOA_SPARSE_SELECTION_H
#define STOA_SPARSE_SELECTION_H

#include "core/memory.h"
#include "hdf/ids.h"

/* A walk over the elements of a selection, in its order: that of points is the user's, with every
 * repetition. Start from STOA_SELECTION_WALK_INIT. */
typedef struct stoa_selection_walk {
    hid_t iterator;
    size_t n;  /* runs in hand */
    size_t at; /* the next of them */
    struct stoa_selection_runs *runs;
} stoa_selection_walk;

#define STOA_SELECTION_WALK_INIT                                                                   \
    {                                                                                              \
        .iterator = H5I_INVALID_HID                                                                \
    }

/* `space` is borrowed and must stay as it is until the walk ends; H5Soffset_simple() counts. */
stoa_status stoa_selection_begin(stoa_selection_walk *walk, hid_t space, stoa_error *err);
/* The next run; *n is 0 at the end. */
stoa_status stoa_selection_next(stoa_selection_walk *walk, uint64_t *first, uint64_t *n,
                                stoa_error *err);
/* The next `n` elements one by one; STOA_EINVAL where it has fewer. */
stoa_status stoa_selection_elements(stoa_selection_walk *walk, size_t n, uint64_t *elements,
                                    stoa_error *err);
stoa_status stoa_selection_end(stoa_selection_walk *walk, stoa_status status, stoa_error *err);

/* A walk over a selection of points as coordinates. */
typedef struct stoa_selection_list {
    hid_t space;
    unsigned rank;
    uint64_t next;                 /* point */
    uint64_t offset[H5S_MAX_RANK]; /* that counts, modulo 2^64 */
    bool has_offset;
} stoa_selection_list;

/* `space` is borrowed and must stay as it is until the walk ends; it has points, all of them inside
 * of its extent with the offset that H5Soffset_simple() gave them. */
stoa_status stoa_selection_list_begin(stoa_selection_list *list, hid_t space, stoa_error *err);
/* The next `n` points; there are as many. @param[out] tuples  shape (n, rank) */
stoa_status stoa_selection_list_next(stoa_selection_list *list, size_t n, uint64_t *tuples,
                                     stoa_error *err);

/* Keep, of ascending elements, those that `space` selects; how many. */
stoa_status stoa_selected_among(hid_t space, uint64_t *elements, size_t *n, stoa_error *err);

/* What a selection of scattered elements is made of. */
typedef enum stoa_selection_kind {
    STOA_SELECT_BEST,   /* hyperslabs where these are few, else points */
    STOA_SELECT_BLOCKS, /* hyperslabs: can be combined with others */
    STOA_SELECT_POINTS
} stoa_selection_kind;

/*
 * A dataspace of the same extent as `like`, with these elements selected.
 *
 * @param elements    ascending, none twice, inside of the extent
 * @param[out] space  the caller's; reads through it come in the order of the elements
 */
stoa_status stoa_select_elements(hid_t like, const uint64_t *elements, size_t n,
                                 stoa_selection_kind kind, hid_t *space, stoa_error *err);

/* How many runs of neighbours ascending elements are: at least as many as blocks, which take half a
 * KiB of memory each. */
size_t stoa_count_runs(const uint64_t *elements, size_t n);

/* Coordinates of an element. */
void stoa_coordinates_of(int rank, const uint64_t *extent, uint64_t element, uint64_t *at);

/* One box of a selection, as REGION_TYPE BLOCK of h5dump has it. */
typedef struct stoa_block {
    uint64_t first[H5S_MAX_RANK];
    uint64_t count[H5S_MAX_RANK];
} stoa_block;

/* The boxes that ascending elements make up: runs along the last dimension, those of neighbouring
 * rows that begin and end alike taken together. In the order of their first elements; fresh. */
stoa_status stoa_blocks_of(int rank, const uint64_t *extent, const uint64_t *elements, size_t n,
                           stoa_block **blocks, size_t *n_blocks, stoa_error *err);

#endif
