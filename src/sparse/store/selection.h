/*
 * Conversion between selections of HDF5 dataspaces and runs of elements (sparse fact sheet §5).
 *
 * An element is its row-major number in the extent, so a run may continue from one row to the next.
 */
#ifndef STOA_SPARSE_SELECTION_H
#define STOA_SPARSE_SELECTION_H

#include "core/memory.h"
#include "hdf/ids.h"

/* Iterator over the elements of a selection in its own order. Points come in the user's order, with
 * every duplicate. Initialise with STOA_SELECTION_WALK_INIT. */
typedef struct stoa_selection_walk {
    hid_t iterator;
    size_t n;  /* runs in the buffer */
    size_t at; /* index of the next run */
    struct stoa_selection_runs *runs;
} stoa_selection_walk;

#define STOA_SELECTION_WALK_INIT                                                                   \
    {                                                                                              \
        .iterator = H5I_INVALID_HID                                                                \
    }

/* `space` is borrowed and must not change until the walk ends. The offset of H5Soffset_simple()
 * applies. */
stoa_status stoa_selection_begin(stoa_selection_walk *walk, hid_t space, stoa_error *err);
/* The next run; *n is 0 at the end. */
stoa_status stoa_selection_next(stoa_selection_walk *walk, uint64_t *first, uint64_t *n,
                                stoa_error *err);
/* The next `n` elements one by one. STOA_EINVAL if there are fewer. */
stoa_status stoa_selection_elements(stoa_selection_walk *walk, size_t n, uint64_t *elements,
                                    stoa_error *err);
stoa_status stoa_selection_end(stoa_selection_walk *walk, stoa_status status, stoa_error *err);

/* Iterator over a selection of points as coordinates. */
typedef struct stoa_selection_list {
    hid_t space;
    unsigned rank;
    uint64_t next;                 /* index of the next point */
    uint64_t offset[H5S_MAX_RANK]; /* H5Soffset_simple(), modulo 2^64 */
    bool has_offset;
} stoa_selection_list;

/* `space` is borrowed and must not change until the walk ends. It selects points, and all of them
 * are inside of its extent with the offset of H5Soffset_simple() applied. */
stoa_status stoa_selection_list_begin(stoa_selection_list *list, hid_t space, stoa_error *err);
/*
 * Return the next `n` points; there must be that many.
 *
 * @param[out] tuples  shape (n, rank)
 */
stoa_status stoa_selection_list_next(stoa_selection_list *list, size_t n, uint64_t *tuples,
                                     stoa_error *err);

/* Filter ascending elements: keep those that `space` selects. *n becomes their number. */
stoa_status stoa_selected_among(hid_t space, uint64_t *elements, size_t *n, stoa_error *err);

/* How scattered elements are selected. */
typedef enum stoa_selection_kind {
    STOA_SELECT_BEST,   /* hyperslabs if there are few, otherwise points */
    STOA_SELECT_BLOCKS, /* hyperslabs; these can be combined with other selections */
    STOA_SELECT_POINTS
} stoa_selection_kind;

/*
 * A dataspace with the extent of `like`, and these elements selected.
 *
 * @param elements    ascending, without duplicates, inside of the extent
 * @param[out] space  the caller closes it; it is read in the order of the elements
 */
stoa_status stoa_select_elements(hid_t like, const uint64_t *elements, size_t n,
                                 stoa_selection_kind kind, hid_t *space, stoa_error *err);

/* Coordinates of an element. */
void stoa_coordinates_of(int rank, const uint64_t *extent, uint64_t element, uint64_t *at);

/* One box of a selection, as h5dump prints it under REGION_TYPE BLOCK. */
typedef struct stoa_block {
    uint64_t first[H5S_MAX_RANK];
    uint64_t count[H5S_MAX_RANK];
} stoa_block;

/* The boxes that ascending elements form. They are runs along the last dimension; equal runs in
 * neighbouring rows are merged. In the order of their first elements. The caller frees them.
 *
 * @param most  if there are more, one more than that is found: each takes half a KiB of memory */
stoa_status stoa_blocks_of(int rank, const uint64_t *extent, const uint64_t *elements, size_t n,
                           size_t most, stoa_block **blocks, size_t *n_blocks, stoa_error *err);

#endif
