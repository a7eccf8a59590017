/*
 * Merging new rows into a SORTED_ROWS index of numbers (HEP001 §11.2 step 4), chunk by chunk.
 *
 * Ranks of the old index are read in order, one window at a time. Binary search finds where a chunk
 * of the new index begins in the old one and among the new rows. Each chunk can then be merged and
 * packed independently, on any thread. Of equal values, old rows come first, since their row
 * numbers are lower (§10.5). The old index is untrusted: rows must be below its count, and their
 * values must ascend.
 */
#include "index/sorted/sorted_merge.h"

#include <stdlib.h>

#include "index/sorted/sorted_write.h"

enum { N_PIECES = 8 }; /* chunks merged at the same time */

/* One chunk of the new index; the last one may be partial. */
typedef struct piece {
    uint64_t rank;
    uint64_t count;
    uint64_t old_first, old_end; /* in the window */
    size_t new_first, new_end;
    uint64_t *rows; /* in stored form */
    uint64_t *keys;
    stoa_packed_chunk packed; /* if the chunk is complete */
    stoa_buffer bytes;
} piece;

typedef struct merge {
    const stoa_sorted_store *from;
    const stoa_sorted_store *to;
    const stoa_row_values *column;
    const stoa_sort_batch *batch;
    stoa_fences fences;
    uint64_t n_old;   /* old ranks with a value */
    uint64_t n_total; /* old and new ranks with a value */
    uint64_t chunk;   /* ranks per chunk */
    stoa_chunk_writer *writer;
    bool packs; /* workers pack; otherwise the writer does */

    uint64_t capacity; /* of the window: old ranks [first, first + count) */
    uint64_t first;
    uint64_t count;
    uint64_t *rows;
    uint64_t *keys;
    bool has_before; /* `before` is the key before the window */
    uint64_t before;

    uint64_t n_old_done;
    size_t n_new_done;
    piece pieces[N_PIECES];
    stoa_scratch *scratch; /* one per worker */
} merge;

/* --- Setup and cleanup ----------------------------------------------------------------------- */

static stoa_status make_piece(const merge *m, piece *p, stoa_error *err)
{
    p->rows = stoa_alloc((size_t)m->chunk, sizeof *p->rows);
    p->keys = stoa_alloc((size_t)m->chunk, sizeof *p->keys);
    return p->rows != NULL && p->keys != NULL ? STOA_OK : stoa_fail_memory(err);
}

static stoa_status begin_merge(merge *m, stoa_error *err)
{
    uint64_t extent = 0;

    m->capacity = N_PIECES * m->chunk + stoa_sorted_block(m->from->column);
    m->rows = stoa_alloc((size_t)m->capacity, sizeof *m->rows);
    m->keys = stoa_alloc((size_t)m->capacity, sizeof *m->keys);
    m->scratch = stoa_alloc_zero(stoa_workers_count(m->from->column->workers), sizeof *m->scratch);
    STOA_RETURN_NO_MEMORY(err, m->rows != NULL && m->keys != NULL && m->scratch != NULL);
    for (size_t i = 0; i < N_PIECES; i++) {
        STOA_RETURN_NOT_OK(make_piece(m, &m->pieces[i], err));
    }
    STOA_RETURN_NOT_OK(stoa_fences_make(&m->fences, m->n_total, err));
    STOA_RETURN_NOT_OK(stoa_sorted_writer(m->to, &m->writer, err));
    STOA_RETURN_NOT_OK(stoa_chunk_writer_begin(m->writer, &extent, err));
    m->packs = stoa_chunk_writer_packs(m->writer);
    return STOA_OK;
}

static void end_merge(merge *m)
{
    for (size_t i = 0; i < N_PIECES; i++) {
        free(m->pieces[i].rows);
        free(m->pieces[i].keys);
        stoa_buffer_clear(&m->pieces[i].bytes);
    }
    for (unsigned i = 0; m->scratch != NULL && i < stoa_workers_count(m->from->column->workers);
         i++) {
        stoa_scratch_clear(&m->scratch[i]);
    }
    stoa_fences_clear(&m->fences);
    free(m->scratch);
    free(m->rows);
    free(m->keys);
}

/* --- The old index --------------------------------------------------------------------------- */

/* Drop ranks from the window that were merged. */
static void move_window(merge *m)
{
    const uint64_t done = m->n_old_done - m->first;
    const size_t left = (size_t)(m->count - done);

    if (done > 0) {
        m->has_before = true;
        m->before = m->keys[done - 1];
        memmove(m->rows, m->rows + done, left * sizeof *m->rows);
        memmove(m->keys, m->keys + done, left * sizeof *m->keys);
    }
    m->first += done;
    m->count -= done;
}

/* Rows whose keys one thread gathers together. */
enum { GATHERED_ROWS = 16384 };

static stoa_status gather_part(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const merge *m = context;
    const uint64_t first = part * GATHERED_ROWS;
    const uint64_t left = m->count - first;

    (void)worker;
    (void)err;
    stoa_row_values_gather(m->column, m->rows + first, left < GATHERED_ROWS ? left : GATHERED_ROWS,
                           m->keys + first);
    return STOA_OK;
}

/* Fill the window by whole blocks, since whole chunks are read and unpacked fastest. */
static stoa_status read_window(merge *m, stoa_error *err)
{
    const uint64_t block = stoa_sorted_block(m->from->column);
    const uint64_t at = m->first + m->count;
    const uint64_t room = m->capacity - m->count;
    const uint64_t n = m->n_old - at <= room ? m->n_old - at : room / block * block;

    if (n == 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_sorted_read_rows(m->from, at, n, m->rows + m->count, err));
    m->count += n;
    return stoa_workers_run(m->from->column->workers, (m->count - 1) / GATHERED_ROWS + 1,
                            gather_part, m, err);
}

/* Check that the values ascend, without NaN. Otherwise the result would be out of order. */
static bool is_ordered(const merge *m, const piece *p)
{
    const uint64_t *keys = m->keys;
    bool ordered = true;

    if (p->old_first == p->old_end) {
        return true;
    }
    if (p->old_first > 0 || m->has_before) {
        ordered = (p->old_first > 0 ? keys[p->old_first - 1] : m->before) <= keys[p->old_first];
    }
    for (uint64_t i = p->old_first + 1; i < p->old_end; i++) {
        ordered &= keys[i - 1] <= keys[i];
    }
    return ordered && !(stoa_kind_is_float(m->from->column->element.kind) &&
                        keys[p->old_end - 1] == STOA_KEY_NAN);
}

/* --- Chunks ---------------------------------------------------------------------------------- */

/* How many of the next `n` ranks come from the old index. */
static uint64_t split(const merge *m, uint64_t n)
{
    const uint64_t *keys = m->keys;
    const stoa_sort_pair *pairs = m->batch->pairs + m->n_new_done;
    const uint64_t n_new = m->batch->count - m->n_new_done;
    uint64_t low = n > n_new ? n - n_new : 0;
    uint64_t high = n < m->count ? n : m->count;

    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        if (keys[middle - 1] <= pairs[n - middle].key) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* Split the next ranks into chunks, which begin with the window. *n is their number, 0 at the
 * end. */
static stoa_status cut_pieces(merge *m, size_t *n, stoa_error *err)
{
    const uint64_t rank = m->n_old_done + m->n_new_done;
    uint64_t old_end = 0;
    uint64_t new_end = 0;

    for (*n = 0; *n < N_PIECES && rank + old_end + new_end < m->n_total; ++*n) {
        const uint64_t done = old_end + new_end;
        const uint64_t left = m->n_total - rank - done;
        const uint64_t count = left < m->chunk ? left : m->chunk;
        const uint64_t n_old = split(m, done + count);
        piece *const p = &m->pieces[*n];
        if (n_old < old_end || done + count - n_old < new_end) {
            return stoa_fail(err, STOA_EDATA, "the ranks are out of order (HEP001 §10.5)");
        }
        p->rank = rank + done;
        p->count = count;
        p->old_first = old_end;
        p->old_end = old_end = n_old;
        p->new_first = m->n_new_done + (size_t)new_end;
        new_end = done + count - n_old;
        p->new_end = m->n_new_done + (size_t)new_end;
    }
    return STOA_OK;
}

static void merge_ranks(const merge *m, piece *p)
{
    uint64_t at = p->old_first;
    uint64_t to = 0;

    for (size_t j = p->new_first; j <= p->new_end; j++) {
        const uint64_t begin = at;
        if (j == p->new_end) {
            at = p->old_end;
        } else {
            const uint64_t key = m->batch->pairs[j].key;
            while (at < p->old_end && m->keys[at] <= key) {
                at++;
            }
        }
        memcpy(p->rows + to, m->rows + begin, (size_t)(at - begin) * sizeof *p->rows);
        memcpy(p->keys + to, m->keys + begin, (size_t)(at - begin) * sizeof *p->keys);
        to += at - begin;
        if (j < p->new_end) {
            p->rows[to] = m->batch->pairs[j].row;
            p->keys[to] = m->batch->pairs[j].key;
            to++;
        }
    }
}

static stoa_status make_ready(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    merge *const m = context;
    piece *const p = &m->pieces[part];

    if (!is_ordered(m, p)) {
        return stoa_fail(err, STOA_EDATA, "the ranks are out of order (HEP001 §10.5)");
    }
    merge_ranks(m, p);
    (void)stoa_sorted_pack_rows(m->to, p->rows, p->count);
    p->bytes.size = 0;
    return p->count == m->chunk && m->packs
               ? stoa_chunk_pack(m->writer, p->rows, p->count, &m->scratch[worker], &p->packed,
                                 &p->bytes, err)
               : STOA_OK;
}

static stoa_status write_piece(merge *m, piece *p, stoa_error *err)
{
    const uint64_t spacing = m->fences.spacing;

    for (uint64_t i = (spacing - p->rank % spacing) % spacing; i < p->count; i += spacing) {
        stoa_fences_add(&m->fences, p->keys[i], p->rank + i);
    }
    p->packed.number = p->rank / m->chunk;
    return p->count == m->chunk && m->packs
               ? stoa_chunk_put(m->writer, &p->packed, p->bytes.data, err)
               : stoa_chunk_writer_write(m->writer, p->rank, p->count, p->rows, err);
}

/* --- Merging --------------------------------------------------------------------------------- */

static stoa_status merge_values(merge *m, stoa_error *err)
{
    for (;;) {
        size_t n = 0;
        move_window(m);
        STOA_RETURN_NOT_OK(read_window(m, err));
        STOA_RETURN_NOT_OK(cut_pieces(m, &n, err));
        if (n == 0) {
            break;
        }
        STOA_RETURN_NOT_OK(stoa_workers_run(m->from->column->workers, n, make_ready, m, err));
        for (size_t i = 0; i < n; i++) {
            STOA_RETURN_NOT_OK(write_piece(m, &m->pieces[i], err));
        }
        m->n_old_done += m->pieces[n - 1].old_end;
        m->n_new_done = m->pieces[n - 1].new_end;
    }
    return stoa_chunk_writer_settle(m->writer, err);
}

/* Write a tail of the old index, followed by that of the new rows. */
static stoa_status write_tail(merge *m, uint64_t first, uint64_t count, const stoa_row_list *added,
                              uint64_t rank, stoa_error *err)
{
    for (uint64_t at = 0; at < count; at += m->capacity) {
        const uint64_t n = count - at < m->capacity ? count - at : m->capacity;
        STOA_RETURN_NOT_OK(stoa_sorted_read_rows(m->from, first + at, n, m->rows, err));
        STOA_RETURN_NOT_OK(stoa_sorted_write_rows(m->to, rank + at, n, m->rows, err));
    }
    return stoa_sorted_write_list(m->to, added, rank + count, err);
}

stoa_status stoa_sorted_merge(const stoa_sorted_store *from, const stoa_row_values *values,
                              const stoa_row_sorter *added, stoa_sorted_store *to, uint64_t n_rows,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_missing = from->n_missing + added->missing.count;
    merge m = {.from = from,
               .to = to,
               .column = values,
               .batch = &added->batch,
               .n_old = stoa_sorted_n_ordered(from),
               .chunk = stoa_sorted_chunk(n_rows)};

    m.n_total = m.n_old + added->batch.count;
    STOA_TRY(stoa_sorted_resize(to, n_rows, n_missing, from->n_nan + added->nan.count, err));
    STOA_TRY(begin_merge(&m, err));
    STOA_TRY(merge_values(&m, err));
    STOA_TRY(write_tail(&m, m.n_old, from->n_missing, &added->missing, m.n_total, err));
    STOA_TRY(write_tail(&m, m.n_old + from->n_missing, from->n_nan, &added->nan,
                        m.n_total + n_missing, err));
    STOA_TRY(stoa_sorted_flush(to, err));
    STOA_TRY(stoa_sorted_fence(to, &m.fences, err));

done:
    end_merge(&m);
    return status;
}
