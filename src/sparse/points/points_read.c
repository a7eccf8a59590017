/*
 * The caller's thread reads chunks while workers unpack them. Then the elements are merged into the
 * order of the box, band by band. A band is all chunks with the same first coordinate.
 */
#include <stdlib.h>
#include <string.h>

#include "core/loser_tree.h"
#include "sparse/points/chunk_task.h"
#include "sparse/points/points.h"
#include "sparse/points/rows_merge.h"
#include "sparse/store/store_parts.h"

enum {
    WINDOW = 2,          /* multiple of the cache's bound: stored bytes of chunks read at once */
    FEW_POINTS = 1 << 16 /* fewer points are sorted before another thread wakes up */
};

/* Pieces with the same first coordinate, and the output index of their points. */
typedef struct band {
    size_t first;
    size_t n;
    uint64_t at;
} band;

typedef struct reading {
    stoa_store *store;
    const stoa_box *box;
    bool wants_values;
    size_t value_size; /* 0 if no values are requested */
    stoa_sparse_coder *coders;
    stoa_chunk_task *pieces;
    size_t n_pieces;
    band *bands;
    size_t n_bands;
    stoa_points *points;
} reading;

void stoa_points_clear(stoa_points *points)
{
    free(points->coordinates);
    free(points->values);
    *points = (stoa_points){.n = 0};
}

static stoa_status unpack_piece(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const reading *r = context;

    return stoa_chunk_task_unpack(r->store, r->value_size, &r->coders[worker], &r->pieces[part],
                                  err);
}

/* --- merging --------------------------------------------------------------------------------- */

/* Cursor into a piece's points. The points of one row are output together. */
typedef struct cursor {
    const stoa_chunk_task *piece;
    size_t next;
    size_t end;                /* of the row */
    uint64_t at[H5S_MAX_RANK]; /* coordinates of `next` */
    uint64_t order;            /* row-major number of `next` in the extent; UINT64_MAX at the end */
} cursor;

static void find_row(const stoa_shape *shape, cursor *c)
{
    const stoa_sparse_chunk *list = c->piece->list;
    const uint32_t width = (uint32_t)shape->chunk[shape->rank - 1];

    if (c->next == list->n) {
        c->order = UINT64_MAX;
        return;
    }
    const uint32_t position = list->positions[c->next];
    const uint32_t row = position / width;
    const uint64_t end = (uint64_t)row * width + width;
    c->end = c->next + 1;
    while (c->end < list->n && list->positions[c->end] < end) {
        c->end++;
    }
    if (shape->rank == 2) {
        c->at[0] = c->piece->offset[0] + row;
        c->at[1] = c->piece->offset[1] + (position - row * width);
        c->order = c->at[0] * shape->extent[1] + c->at[1];
        return;
    }
    stoa_shape_element(shape, c->piece->offset, position, c->at);
    c->order = stoa_shape_number(shape, c->at);
}

static bool comes_first(const void *context, size_t a, size_t b)
{
    const cursor *cursors = context;

    return cursors[a].order < cursors[b].order;
}

/* Output the cursor's row from index `to` on. */
static void put_row(const reading *r, const cursor *c, uint64_t to)
{
    const unsigned rank = r->store->shape.rank;
    const size_t size = r->value_size;
    const stoa_sparse_chunk *list = c->piece->list;
    const size_t n = c->end - c->next;
    const uint32_t *positions = list->positions + c->next;
    const uint64_t base = c->at[rank - 1] - positions[0];
    uint64_t *out = r->points->coordinates + to * rank;

    if (rank == 2) {
        for (size_t i = 0; i < n; i++) {
            out[2 * i] = c->at[0];
            out[2 * i + 1] = base + positions[i];
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            memcpy(out, c->at, (rank - 1) * sizeof *out);
            out[rank - 1] = base + positions[i];
            out += rank;
        }
    }
    if (size > 0) {
        memcpy(r->points->values + to * size, list->values + c->next * size, n * size);
    }
}

/* Merge the pieces of a band row by row. */
static stoa_status merge_band(const reading *r, const band *b, stoa_error *err)
{
    const stoa_shape *shape = &r->store->shape;
    stoa_loser_tree tree = {.n = 0};
    uint64_t to = b->at;
    cursor *cursors = stoa_alloc(b->n, sizeof *cursors);
    stoa_status status = STOA_OK;

    STOA_TRY(cursors != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < b->n; i++) {
        cursors[i] = (cursor){.piece = &r->pieces[b->first + i]};
        find_row(shape, &cursors[i]);
    }
    STOA_TRY(stoa_loser_tree_open(&tree, b->n, err));
    if (b->n > 1) {
        stoa_loser_tree_play(&tree, comes_first, cursors);
    }
    for (cursor *c = &cursors[tree.winner]; c->order != UINT64_MAX; c = &cursors[tree.winner]) {
        put_row(r, c, to);
        to += c->end - c->next;
        c->next = c->end;
        find_row(shape, c);
        if (b->n > 1) {
            stoa_loser_tree_replay(&tree, comes_first, cursors);
        }
    }

done:
    stoa_loser_tree_clear(&tree);
    free(cursors);
    return status;
}

/* Merge a band whose rows have enough entries for stoa_rows_merge(). */
static stoa_status merge_rows(const reading *r, const band *b, stoa_error *err)
{
    const stoa_rows_out out = {.form = STOA_PLACE_POINT,
                               .size = r->value_size,
                               .places = r->points->coordinates,
                               .values = r->points->values};
    const stoa_chunk_task **pieces = stoa_alloc(b->n, sizeof(const stoa_chunk_task *));
    uint64_t end = b->at;
    stoa_status status = STOA_OK;

    STOA_TRY(pieces != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < b->n; i++) {
        pieces[i] = &r->pieces[b->first + i];
        end += pieces[i]->list->n;
    }
    STOA_TRY(stoa_rows_merge(&r->store->shape, pieces, b->n, &out, b->at, end, NULL, err));

done:
    free((void *)pieces);
    return status;
}

static stoa_status put_band(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const reading *r = context;
    const band *b = &r->bands[part];

    (void)worker;
    return stoa_rows_are_filled(&r->store->shape, r->pieces + b->first, b->n)
               ? merge_rows(r, b, err)
               : merge_band(r, b, err);
}

/* --- windows --------------------------------------------------------------------------------- */

static void clear_pieces(reading *r)
{
    stoa_chunk_tasks_put(r->store, r->pieces);
    free(r->bands);
    r->pieces = NULL;
    r->bands = NULL;
    r->n_pieces = 0;
    r->n_bands = 0;
}

/* The number of chunks in the next window: whole bands, several if they are small. */
static size_t window_of(const reading *r, const uint64_t *numbers, size_t n)
{
    const stoa_shape *shape = &r->store->shape;
    const uint64_t most = (uint64_t)WINDOW * r->store->cache.bound;
    uint64_t a_band = 1;
    uint64_t n_bytes = 0;
    size_t i = 0;

    for (unsigned j = 1; j < shape->rank; j++) {
        a_band *= shape->grid[j];
    }
    while (i < n && (n_bytes < most || numbers[i] / a_band == numbers[i - 1] / a_band)) {
        n_bytes += stoa_directory_find(&r->store->directory, numbers[i])->n_bytes;
        i++;
    }
    return i;
}

/* Read chunks from the file, and hand each to the workers for unpacking. If `unpacking` is NULL,
 * they are unpacked later. */
static stoa_status open_pieces(reading *r, stoa_job *unpacking, const uint64_t *numbers, size_t n,
                               stoa_error *err)
{
    for (size_t i = 0; i < n; i++) {
        r->n_pieces = i + 1;
        STOA_RETURN_NOT_OK(stoa_chunk_task_open(r->store, r->box, numbers[i], &r->pieces[i], err));
        if (i == 0 || r->pieces[i].offset[0] != r->pieces[i - 1].offset[0]) {
            r->bands[r->n_bands++].first = i;
        }
        r->bands[r->n_bands - 1].n++;
        if (unpacking != NULL) {
            stoa_job_offer(unpacking, i + 1);
        }
    }
    return STOA_OK;
}

static stoa_status open_window(reading *r, stoa_workers *unpackers, const uint64_t *numbers,
                               size_t n, stoa_error *err)
{
    stoa_job unpacking;

    r->pieces = stoa_chunk_tasks_get(r->store, n);
    r->bands = stoa_alloc_zero(n, sizeof *r->bands);
    STOA_RETURN_NO_MEMORY(err, r->pieces != NULL && r->bands != NULL);
    if (stoa_store_reads_past(r->store)) { /* they are read when they are unpacked */
        const stoa_status found = open_pieces(r, NULL, numbers, n, err);
        return found != STOA_OK ? found
                                : stoa_workers_run_little(unpackers, n, unpack_piece, r, err);
    }
    stoa_job_begin(&unpacking, unpackers, n, unpack_piece, r);
    const stoa_status opened = open_pieces(r, &unpacking, numbers, n, err);
    const stoa_status unpacked = stoa_job_end(&unpacking, err);
    return opened != STOA_OK ? opened : unpacked;
}

/* Most often there is only one window, so there is nothing to copy. */
static void *grow(void *block, uint64_t n, size_t size)
{
    return block == NULL ? stoa_alloc_large((size_t)n, size) : stoa_realloc(block, (size_t)n, size);
}

/* Allocate exactly as much as the points of all bands need. */
static stoa_status make_room(reading *r, stoa_error *err)
{
    stoa_points *points = r->points;
    const unsigned rank = r->store->shape.rank;
    uint64_t n = points->n;

    for (size_t i = 0; i < r->n_bands; i++) {
        r->bands[i].at = n;
        for (size_t j = 0; j < r->bands[i].n; j++) {
            n += r->pieces[r->bands[i].first + j].list->n;
        }
    }
    uint64_t *coordinates = grow(points->coordinates, n, rank * sizeof *coordinates);
    STOA_RETURN_NO_MEMORY(err, coordinates);
    points->coordinates = coordinates;
    if (r->wants_values) {
        uint8_t *values = grow(points->values, n, r->value_size);
        STOA_RETURN_NO_MEMORY(err, values);
        points->values = values;
    }
    points->n = n;
    return STOA_OK;
}

static stoa_status read_all(reading *r, stoa_workers *workers, const uint64_t *numbers, size_t n,
                            stoa_error *err)
{
    stoa_workers *unpackers = r->store->coder.foreign == NULL ? workers : NULL;
    stoa_status status = STOA_OK;

    while (n > 0) {
        const size_t some = window_of(r, numbers, n);
        STOA_TRY(open_window(r, unpackers, numbers, some, err));
        STOA_TRY(make_room(r, err));
        STOA_TRY(r->points->n < FEW_POINTS
                     ? stoa_workers_run_little(workers, r->n_bands, put_band, r, err)
                     : stoa_workers_run(workers, r->n_bands, put_band, r, err));
        clear_pieces(r);
        numbers += some;
        n -= some;
    }

done:
    clear_pieces(r);
    return status;
}

static stoa_status must_have_no_heap(const stoa_store *store, stoa_error *err)
{
    return store->vlen != NULL || store->format.has_heap
               ? stoa_fail(err, STOA_ETYPE, "elements of variable length are no points")
               : STOA_OK;
}

stoa_status stoa_points_read(stoa_store *store, stoa_workers *workers, const stoa_box *box,
                             bool wants_values, stoa_points *points, stoa_error *err)
{
    const unsigned n_coders = stoa_workers_count(workers);
    reading r = {.store = store,
                 .box = box,
                 .wants_values = wants_values,
                 .value_size = wants_values ? stoa_sparse_value_size(&store->format) : 0,
                 .points = points};
    stoa_buffer numbers = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    *points = (stoa_points){.n = 0};
    STOA_TRY(must_have_no_heap(store, err));
    STOA_TRY(stoa_shape_holds(&store->shape, box, err));
    STOA_TRY(stoa_store_chunks(store, box, &numbers, err));
    r.coders = stoa_coders_open(store, n_coders);
    STOA_TRY(r.coders != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(read_all(&r, workers, (const uint64_t *)(const void *)numbers.data,
                      numbers.size / sizeof(uint64_t), err));

done:
    stoa_coders_close(r.coders, n_coders);
    stoa_buffer_clear(&numbers);
    if (status != STOA_OK) {
        stoa_points_clear(points);
    }
    return status;
}

/* --- dense ----------------------------------------------------------------------------------- */

/* Destination of a dense box. */
typedef struct dense {
    const stoa_box *box;
    size_t size;
    uint8_t *values;
    uint8_t *defined;
} dense;

static void spread(const stoa_shape *shape, const uint64_t *offset, const stoa_sparse_chunk *chunk,
                   const dense *to)
{
    const unsigned last = shape->rank - 1;
    stoa_chunk_task p = {.list = chunk};
    cursor c = {.piece = &p};

    memcpy(p.offset, offset, shape->rank * sizeof *offset);
    for (find_row(shape, &c); c.order != UINT64_MAX; find_row(shape, &c)) {
        uint64_t at = 0;
        bool is_in = true;
        for (unsigned i = 0; i < last; i++) {
            is_in = is_in && c.at[i] - to->box->start[i] < to->box->count[i];
            at = (at + c.at[i] - to->box->start[i]) * to->box->count[i + 1];
        }
        for (size_t i = c.next; is_in && i < c.end; i++) {
            const uint64_t column = c.at[last] + (chunk->positions[i] - chunk->positions[c.next]) -
                                    to->box->start[last];
            if (column >= to->box->count[last]) {
                continue;
            }
            if (to->values != NULL) {
                memcpy(to->values + (at + column) * to->size, chunk->values + i * to->size,
                       to->size);
            }
            if (to->defined != NULL) {
                to->defined[at + column] = 1;
            }
        }
        c.next = c.end;
    }
}

stoa_status stoa_points_read_dense(stoa_store *store, const stoa_box *box, uint8_t *values,
                                   uint8_t *defined, stoa_error *err)
{
    const dense to = {.box = box,
                      .size = stoa_sparse_value_size(&store->format),
                      .values = values,
                      .defined = defined};
    stoa_buffer numbers = {NULL, 0, 0};
    uint64_t n = 1;
    stoa_status status = STOA_OK;

    STOA_TRY(must_have_no_heap(store, err));
    STOA_TRY(stoa_shape_holds(&store->shape, box, err));
    for (unsigned i = 0; i < store->shape.rank; i++) {
        n *= box->count[i];
    }
    for (uint64_t i = 0; values != NULL && i < n; i++) {
        memcpy(values + i * to.size, store->fill_value, to.size);
    }
    if (defined != NULL) {
        memset(defined, 0, (size_t)n);
    }
    STOA_TRY(stoa_store_chunks(store, box, &numbers, err));
    const uint64_t *number = (const uint64_t *)(const void *)numbers.data;
    for (size_t i = 0; i < numbers.size / sizeof *number; i++) {
        const stoa_sparse_chunk *chunk = NULL;
        uint64_t offset[H5S_MAX_RANK];
        stoa_shape_offset(&store->shape, number[i], offset);
        STOA_TRY(stoa_store_read_chunk(store, number[i], values != NULL, &chunk, err));
        spread(&store->shape, offset, chunk, &to);
    }

done:
    stoa_buffer_clear(&numbers);
    return status;
}
