/* Copy the elements of a dataset that a list names (sparse RFC §4.6). */
#include <stdlib.h>
#include <string.h>

#include "sparse/tools/relayout_fill.h"

enum {
    MAX_POINTS = 1 << 16, /* elements read by one selection of points */
    MAX_PIECES = 1 << 26  /* of listed boxes, after cutting at the boxes of the copy */
};

/* The part of a listed box that lies in one box of the copy. */
typedef struct listed {
    uint64_t box;  /* number in the grid */
    uint64_t item; /* in the list */
} listed;

static const uint64_t *corner_of(const stoa_filling *f, uint64_t item)
{
    return (const uint64_t *)(const void *)f->list->corners.data + item * 2 * f->grid.rank;
}

/* Append the pieces of a listed box, one for each box of the grid that it meets. */
static stoa_status add_pieces(const stoa_filling *f, uint64_t item, stoa_buffer *pieces,
                              stoa_error *err)
{
    const unsigned rank = f->grid.rank;
    const uint64_t *const corners = corner_of(f, item);
    stoa_box boxes = {.start = {0}};
    uint64_t at[H5S_MAX_RANK];
    uint64_t unused = 0;

    for (unsigned i = 0; i < rank; i++) {
        boxes.start[i] = corners[i] / f->grid.chunk[i];
        boxes.count[i] = corners[rank + i] / f->grid.chunk[i] - boxes.start[i] + 1;
    }
    const uint64_t n = stoa_filling_elements(f, &boxes);
    if (n + pieces->size / sizeof(listed) > MAX_PIECES) {
        return stoa_fail(err, STOA_ERANGE, "the list of elements covers too many chunks");
    }
    memcpy(at, boxes.start, sizeof at);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t first[H5S_MAX_RANK];
        for (unsigned d = 0; d < rank; d++) {
            first[d] = at[d] * f->grid.chunk[d];
        }
        const listed piece = {stoa_shape_locate(&f->grid, first, &unused), item};
        const stoa_status status = stoa_buffer_append(pieces, &piece, sizeof piece, err);
        if (status != STOA_OK) {
            return status;
        }
        stoa_filling_step(f, &boxes, at);
    }
    return STOA_OK;
}

static int compare_pieces(const void *a, const void *b)
{
    const listed *const x = a;
    const listed *const y = b;

    return x->box != y->box ? (x->box < y->box ? -1 : 1)
                            : (x->item > y->item) - (x->item < y->item);
}

static bool is_single(const stoa_filling *f, uint64_t item)
{
    const unsigned rank = f->grid.rank;
    const uint64_t *const corners = corner_of(f, item);

    return memcmp(corners, corners + rank, rank * sizeof *corners) == 0;
}

/* Read pieces of one element each with a single selection. */
static stoa_status read_singles(stoa_filling *f, const listed *pieces, size_t n, stoa_error *err)
{
    const unsigned rank = f->grid.rank;
    uint64_t *coordinates = NULL;
    uint8_t *values = NULL;

    STOA_RETURN_NOT_OK(stoa_filling_room(f, n, &coordinates, &values, err));
    for (size_t i = 0; i < n; i++) {
        memcpy(coordinates + i * rank, corner_of(f, pieces[i].item), rank * sizeof *coordinates);
    }
    return stoa_filling_read_points(f, n, coordinates, values, err);
}

/* The part of a listed box inside of box `number`. */
static void cut(const stoa_filling *f, const listed *piece, stoa_box *part)
{
    const unsigned rank = f->grid.rank;
    const uint64_t *const corners = corner_of(f, piece->item);

    stoa_filling_box(f, piece->box, part);
    for (unsigned i = 0; i < rank; i++) {
        const uint64_t end = part->start[i] + part->count[i];
        const uint64_t last = corners[rank + i] + 1 < end ? corners[rank + i] + 1 : end;

        part->start[i] = corners[i] > part->start[i] ? corners[i] : part->start[i];
        part->count[i] = last - part->start[i];
    }
}

/* Copy the pieces in one box of the grid. Overlapping pieces do not accumulate in memory. */
static stoa_status fill_pieces(stoa_filling *f, const listed *pieces, size_t n, stoa_error *err)
{
    stoa_box part;

    for (size_t i = 0; i < n;) {
        size_t singles = 0;
        while (i + singles < n && singles < MAX_POINTS && is_single(f, pieces[i + singles].item)) {
            singles++;
        }
        if (singles > 0) {
            STOA_RETURN_NOT_OK(read_singles(f, pieces + i, singles, err));
            i += singles;
        } else {
            cut(f, &pieces[i++], &part);
            STOA_RETURN_NOT_OK(stoa_filling_read_all(f, &part, err));
        }
        if (stoa_filling_in_hand(f) > f->grid.n_elements) {
            STOA_RETURN_NOT_OK(stoa_filling_put(f, err));
        }
    }
    return stoa_filling_put(f, err);
}

stoa_status stoa_filling_listed(stoa_filling *f, stoa_error *err)
{
    stoa_buffer pieces = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    for (uint64_t i = 0; i < f->list->n; i++) {
        STOA_TRY(add_pieces(f, i, &pieces, err));
    }
    listed *const all = (listed *)(void *)pieces.data;
    const size_t n = pieces.size / sizeof *all;
    if (n > 0) {
        qsort(all, n, sizeof *all, compare_pieces);
    }
    for (size_t i = 0, end = 0; i < n; i = end) {
        while (end < n && all[end].box == all[i].box) {
            end++;
        }
        STOA_TRY(stoa_filling_report(f, err));
        STOA_TRY(fill_pieces(f, all + i, end - i, err));
    }

done:
    stoa_buffer_clear(&pieces);
    return status;
}
