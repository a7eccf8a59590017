#include "sparse/store/selection.h"

#include <stdlib.h>
#include <string.h>

enum {
    RUNS = 512,       /* fetched at once; runs and libhdf5's list nodes stay in the L1 cache */
    LEAF = 512,       /* blocks added to one dataspace one by one */
    FEW_BLOCKS = 256, /* up to here always hyperslabs */
    LONG_BLOCK = 16   /* elements; libhdf5 needs 8 us to add a block, and 0.4 us for a point */
};

/* --- walking --------------------------------------------------------------------------------- */

typedef struct stoa_selection_runs {
    hsize_t firsts[RUNS];
    size_t lengths[RUNS];
} runs_at_hand;

stoa_status stoa_selection_begin(stoa_selection_walk *walk, hid_t space, stoa_error *err)
{
    walk->n = 0;
    walk->at = 0;
    walk->runs = stoa_alloc(1, sizeof *walk->runs);
    STOA_RETURN_NO_MEMORY(err, walk->runs);
    STOA_RETURN_HDF_ERROR(
        err, walk->iterator = H5Ssel_iter_create(space, 1, H5S_SEL_ITER_SHARE_WITH_DATASPACE),
        "look at a selection");
    return STOA_OK;
}

/* Fetch the next runs if the buffer is used up. At the end it stays empty. */
static stoa_status fetch_runs(stoa_selection_walk *walk, stoa_error *err)
{
    size_t n_elements = 0;

    if (walk->at == walk->n) {
        walk->at = 0;
        walk->n = 0;
        STOA_RETURN_HDF_ERROR(err,
                              H5Ssel_iter_get_seq_list(walk->iterator, RUNS, SIZE_MAX / 2, &walk->n,
                                                       &n_elements, walk->runs->firsts,
                                                       walk->runs->lengths),
                              "look at a selection");
    }
    return STOA_OK;
}

stoa_status stoa_selection_next(stoa_selection_walk *walk, uint64_t *first, uint64_t *n,
                                stoa_error *err)
{
    *n = 0;
    STOA_RETURN_NOT_OK(fetch_runs(walk, err));
    if (walk->at < walk->n) {
        *first = walk->runs->firsts[walk->at];
        *n = walk->runs->lengths[walk->at];
        walk->at++;
    }
    return STOA_OK;
}

/* Expand runs that begin at starts[0 .. n - 1] to their elements, in place, from the last run to
 * the first. Most runs have one element. */
static void spell_out(uint64_t *starts, const size_t *lengths, size_t n, size_t n_elements)
{
    while (n < n_elements) {
        size_t n_single = 0;
        while (lengths[n - 1 - n_single] == 1) {
            n_single++;
        }
        n -= n_single;
        n_elements -= n_single;
        memmove(starts + n_elements, starts + n, n_single * sizeof *starts);
        const uint64_t start = starts[--n];
        for (size_t i = lengths[n]; i-- > 0;) {
            starts[--n_elements] = start + i;
        }
    }
}

stoa_status stoa_selection_elements(stoa_selection_walk *walk, size_t n, uint64_t *elements,
                                    stoa_error *err)
{
    for (size_t done = 0; done < n;) {
        const size_t most = n - done < RUNS ? n - done : RUNS;
        size_t n_runs = 0;
        size_t n_elements = 0;
        STOA_RETURN_HDF_ERROR(err,
                              H5Ssel_iter_get_seq_list(walk->iterator, most, n - done, &n_runs,
                                                       &n_elements, elements + done,
                                                       walk->runs->lengths),
                              "look at a selection");
        if (n_runs == 0) {
            return stoa_fail(err, STOA_EINVAL, "a selection ends early");
        }
        spell_out(elements + done, walk->runs->lengths, n_runs, n_elements);
        done += n_elements;
    }
    return STOA_OK;
}

stoa_status stoa_selection_end(stoa_selection_walk *walk, stoa_status status, stoa_error *err)
{
    free(walk->runs);
    walk->runs = NULL;
    if (walk->iterator >= 0) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        const herr_t closed = H5Ssel_iter_close(walk->iterator);
        walk->iterator = H5I_INVALID_HID;
        if (closed < 0 && status == STOA_OK) {
            status = stoa_hdf_fail(err, "leave a selection");
        }
        stoa_error_stack_end(&errors);
    }
    return status;
}

/* --- points as coordinates ------------------------------------------------------------------- */

/* There is no call that returns the offset. Derive it from the first element and its point, which
 * has no offset. */
static stoa_status find_offset(stoa_selection_list *list, stoa_error *err)
{
    stoa_selection_walk walk = STOA_SELECTION_WALK_INIT;
    hsize_t extent[H5S_MAX_RANK];
    hsize_t first[H5S_MAX_RANK];
    uint64_t with[H5S_MAX_RANK];
    uint64_t element = 0;
    stoa_status status = STOA_OK;

    STOA_HDF(err, H5Sget_simple_extent_dims(list->space, extent, NULL), "look at a dataspace");
    STOA_HDF(err, H5Sget_select_elem_pointlist(list->space, 0, 1, first), "look at a selection");
    STOA_TRY(stoa_selection_begin(&walk, list->space, err));
    STOA_TRY(stoa_selection_elements(&walk, 1, &element, err));
    stoa_coordinates_of((int)list->rank, extent, element, with);
    for (unsigned i = 0; i < list->rank; i++) {
        list->offset[i] = with[i] - first[i];
        list->has_offset = list->has_offset || list->offset[i] != 0;
    }

done:
    return stoa_selection_end(&walk, status, err);
}

stoa_status stoa_selection_list_begin(stoa_selection_list *list, hid_t space, stoa_error *err)
{
    int rank = 0;

    *list = (stoa_selection_list){.space = space};
    STOA_RETURN_HDF_ERROR(err, rank = H5Sget_simple_extent_ndims(space), "look at a dataspace");
    list->rank = (unsigned)rank;
    return find_offset(list, err);
}

/* libhdf5 continues where it stopped the last time. */
stoa_status stoa_selection_list_next(stoa_selection_list *list, size_t n, uint64_t *tuples,
                                     stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, H5Sget_select_elem_pointlist(list->space, list->next, n, tuples),
                          "look at a selection");
    list->next += n;
    for (size_t i = 0; list->has_offset && i < n; i++) {
        for (unsigned j = 0; j < list->rank; j++) {
            tuples[i * list->rank + j] += list->offset[j];
        }
    }
    return STOA_OK;
}

/* --- intersection ---------------------------------------------------------------------------- */

typedef struct run {
    uint64_t first;
    uint64_t end;
} run;

static int by_first(const void *a, const void *b)
{
    const run *one = a;
    const run *other = b;

    return (one->first > other->first) - (one->first < other->first);
}

/* Append all runs of a selection to `out`, ascending. */
static stoa_status runs_of(hid_t space, stoa_buffer *out, stoa_error *err)
{
    stoa_selection_walk walk = STOA_SELECTION_WALK_INIT;
    run next = {0, 0};
    uint64_t before = 0;
    bool is_sorted = true;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_selection_begin(&walk, space, err));
    for (;;) {
        uint64_t n = 0;
        STOA_TRY(stoa_selection_next(&walk, &next.first, &n, err));
        if (n == 0) {
            break;
        }
        next.end = next.first + n;
        is_sorted = is_sorted && next.first >= before;
        before = next.first;
        STOA_TRY(stoa_buffer_append(out, &next, sizeof next, err));
    }
    if (!is_sorted) { /* points, in the user's order */
        qsort(out->data, out->size / sizeof next, sizeof next, by_first);
    }

done:
    return stoa_selection_end(&walk, status, err);
}

stoa_status stoa_selected_among(hid_t space, uint64_t *elements, size_t *n, stoa_error *err)
{
    stoa_buffer found = {0};
    size_t kept = 0;
    size_t at = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(runs_of(space, &found, err));
    const run *runs = (const run *)(const void *)found.data;
    const size_t n_runs = found.size / sizeof *runs;
    for (size_t i = 0; i < *n && at < n_runs;) {
        if (elements[i] < runs[at].first) {
            i++;
        } else if (elements[i] < runs[at].end) {
            elements[kept++] = elements[i++];
        } else {
            at++;
        }
    }
    *n = kept;

done:
    stoa_buffer_clear(&found);
    return status;
}

/* --- boxes ----------------------------------------------------------------------------------- */

void stoa_coordinates_of(int rank, const uint64_t *extent, uint64_t element, uint64_t *at)
{
    for (int i = rank; i-- > 0;) {
        at[i] = element % extent[i];
        element /= extent[i];
    }
}

/* Blocks that grow row by row. */
typedef struct growth {
    stoa_buffer blocks;
    stoa_buffer before; /* indices of the blocks that end in the previous row, ascending */
    stoa_buffer now;    /* the same for the current row */
    size_t passed;      /* number of entries in `before` that are left of the current run */
    uint64_t row;
} growth;

static const size_t *numbers(const stoa_buffer *buffer)
{
    return (const size_t *)(const void *)buffer->data;
}

/* If the row directly follows the previous one in the same plane, blocks may continue in it. */
static void begin_row(growth *g, int rank, const uint64_t *extent, uint64_t row)
{
    const bool follows = rank > 1 && row == g->row + 1 && row % extent[rank - 2] != 0;
    const stoa_buffer old = g->before;

    g->before = g->now;
    g->now = old;
    g->now.size = 0;
    if (!follows) {
        g->before.size = 0;
    }
    g->passed = 0;
    g->row = row;
}

/* The block that this run continues, or NULL. */
static stoa_block *prolonged(growth *g, int rank, uint64_t first, uint64_t n, size_t *number)
{
    const size_t n_before = g->before.size / sizeof(size_t);
    stoa_block *blocks = (stoa_block *)(void *)g->blocks.data;

    while (g->passed < n_before && blocks[numbers(&g->before)[g->passed]].first[rank - 1] < first) {
        g->passed++;
    }
    if (g->passed == n_before) {
        return NULL;
    }
    *number = numbers(&g->before)[g->passed];
    stoa_block *block = &blocks[*number];
    return block->first[rank - 1] == first && block->count[rank - 1] == n ? block : NULL;
}

static stoa_status add_run(growth *g, int rank, const uint64_t *extent, uint64_t first, uint64_t n,
                           stoa_error *err)
{
    const uint64_t row = first / extent[rank - 1];
    size_t number = g->blocks.size / sizeof(stoa_block);

    if (row != g->row || g->blocks.size == 0) {
        begin_row(g, rank, extent, row);
    }
    stoa_block *old = prolonged(g, rank, first % extent[rank - 1], n, &number);
    if (old != NULL) {
        old->count[rank - 2]++;
    } else {
        stoa_block made = {.first = {0}};
        stoa_coordinates_of(rank, extent, first, made.first);
        for (int i = 0; i < rank; i++) {
            made.count[i] = 1;
        }
        made.count[rank - 1] = n;
        number = g->blocks.size / sizeof made;
        STOA_RETURN_NOT_OK(stoa_buffer_append(&g->blocks, &made, sizeof made, err));
    }
    return stoa_buffer_append(&g->now, &number, sizeof number, err);
}

stoa_status stoa_blocks_of(int rank, const uint64_t *extent, const uint64_t *elements, size_t n,
                           size_t most, stoa_block **blocks, size_t *n_blocks, stoa_error *err)
{
    growth g = {.row = UINT64_MAX};
    stoa_status status = STOA_OK;

    *blocks = NULL;
    *n_blocks = 0;
    for (size_t i = 0; i < n && g.blocks.size / sizeof(stoa_block) <= most;) {
        const uint64_t first = elements[i];
        const uint64_t left =
            extent[rank - 1] - first % extent[rank - 1]; /* to the end of its row */
        uint64_t length = 1;
        while (length < left && i + length < n && elements[i + length] == first + length) {
            length++;
        }
        STOA_TRY(add_run(&g, rank, extent, first, length, err));
        i += length;
    }
    *n_blocks = g.blocks.size / sizeof(stoa_block);
    *blocks = stoa_buffer_detach(&g.blocks);

done:
    stoa_buffer_clear(&g.blocks);
    stoa_buffer_clear(&g.before);
    stoa_buffer_clear(&g.now);
    return status;
}

/* --- dataspaces ------------------------------------------------------------------------------ */

static stoa_status select_points(hid_t space, int rank, const uint64_t *extent,
                                 const uint64_t *elements, size_t n, stoa_error *err)
{
    hsize_t *points = stoa_alloc(n, (size_t)rank * sizeof *points);
    stoa_status status = STOA_OK;

    STOA_RETURN_NO_MEMORY(err, points);
    for (size_t i = 0; i < n; i++) {
        stoa_coordinates_of(rank, extent, elements[i], points + i * (size_t)rank);
    }
    STOA_HDF(err, H5Sselect_elements(space, H5S_SELECT_SET, n, points), "select %zu points", n);

done:
    free(points);
    return status;
}

/* Add blocks one by one. The time is quadratic in their number, which is at most LEAF. */
static stoa_status select_leaf(hid_t space, const stoa_block *blocks, size_t n, stoa_error *err)
{
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_HDF_ERROR(err,
                              H5Sselect_hyperslab(space, i == 0 ? H5S_SELECT_SET : H5S_SELECT_OR,
                                                  blocks[i].first, NULL, blocks[i].count, NULL),
                              "select a block");
    }
    return STOA_OK;
}

/* The union of blocks, split in halves until a dataspace accepts them. The caller closes it. */
static stoa_status select_blocks(hid_t like, const stoa_block *blocks, size_t n, hid_t *space,
                                 stoa_error *err)
{
    hid_t halves[2] = {H5I_INVALID_HID, H5I_INVALID_HID};
    stoa_status status = STOA_OK;

    *space = H5I_INVALID_HID;
    if (n <= LEAF) {
        STOA_HDF(err, *space = H5Scopy(like), "copy a dataspace");
        STOA_TRY(select_leaf(*space, blocks, n, err));
    } else {
        STOA_TRY(select_blocks(like, blocks, n / 2, &halves[0], err));
        STOA_TRY(select_blocks(like, blocks + n / 2, n - n / 2, &halves[1], err));
        STOA_HDF(err, *space = H5Scombine_select(halves[0], H5S_SELECT_OR, halves[1]),
                 "join selections");
    }

done:
    status = stoa_hdf_close(&halves[0], status, err);
    status = stoa_hdf_close(&halves[1], status, err);
    if (status != STOA_OK) {
        (void)stoa_hdf_close(space, STOA_OK, NULL);
    }
    return status;
}

/* The most blocks that elements are selected by. A point needs 48 bytes. Short blocks need more
 * time than that is worth. */
static size_t most_blocks(stoa_selection_kind kind, size_t n)
{
    return kind == STOA_SELECT_POINTS            ? 0
           : kind == STOA_SELECT_BLOCKS          ? SIZE_MAX
           : n / LONG_BLOCK < (size_t)FEW_BLOCKS ? FEW_BLOCKS
                                                 : n / LONG_BLOCK;
}

stoa_status stoa_select_elements(hid_t like, const uint64_t *elements, size_t n,
                                 stoa_selection_kind kind, hid_t *space, stoa_error *err)
{
    hsize_t extent[H5S_MAX_RANK];
    stoa_block *blocks = NULL;
    size_t n_blocks = 0;
    int rank = 0;
    stoa_status status = STOA_OK;

    *space = H5I_INVALID_HID;
    STOA_HDF(err, rank = H5Sget_simple_extent_dims(like, extent, NULL), "look at a dataspace");
    const size_t most = most_blocks(kind, n);
    if (most > 0) {
        STOA_TRY(stoa_blocks_of(rank, extent, elements, n, most, &blocks, &n_blocks, err));
    }
    if (n_blocks > 0 && n_blocks <= most) {
        STOA_TRY(select_blocks(like, blocks, n_blocks, space, err));
        goto done;
    }
    STOA_HDF(err, *space = H5Scopy(like), "copy a dataspace");
    if (n == 0) {
        STOA_HDF(err, H5Sselect_none(*space), "select nothing");
    } else {
        STOA_TRY(select_points(*space, rank, extent, elements, n, err));
    }

done:
    free(blocks);
    if (status != STOA_OK) {
        (void)stoa_hdf_close(space, STOA_OK, NULL);
    }
    return status;
}
