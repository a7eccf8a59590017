/* Process bands (see matrix.h): one thread unpacks the chunks of a band and passes them on. */
#include <stdlib.h>

#include "sparse/matrix/matrix.h"
#include "sparse/points/chunk_task.h"

typedef struct run {
    const stoa_bands *bands;
    stoa_box all;
    size_t value_size;
    stoa_workers *workers;
    unsigned n_workers;
    stoa_sparse_coder *coders;    /* shape (n_workers,) */
    size_t n_pieces;              /* per worker */
    stoa_chunk_task *pieces;      /* shape (n_workers, n_pieces) */
    const stoa_chunk_task **held; /* shape (n_workers, n_pieces); own or kept pieces */
    stoa_band_visit visit;
    stoa_band_process take;
    void *context;
} run;

static stoa_status run_open(const stoa_bands *bands, size_t value_size, size_t n_pieces, run *r,
                            stoa_error *err)
{
    const stoa_store *store = bands->array->store;
    /* Filters run by libhdf5 must run on the caller's thread. */
    stoa_workers *workers = store->coder.foreign == NULL ? bands->array->workers : NULL;

    r->bands = bands;
    r->all = stoa_shape_all(&store->shape);
    r->value_size = value_size;
    r->workers = workers;
    r->n_workers = stoa_workers_count(workers);
    r->n_pieces = n_pieces;
    if (store->format.has_heap || store->vlen != NULL) {
        return stoa_fail(err, STOA_ETYPE, "elements of variable length are no numbers");
    }
    r->coders = stoa_coders_open(store, r->n_workers);
    r->pieces = stoa_alloc_zero(r->n_workers, n_pieces * sizeof *r->pieces);
    r->held = stoa_alloc_zero(r->n_workers, n_pieces * sizeof(const stoa_chunk_task *));
    STOA_RETURN_NO_MEMORY(err, r->coders != NULL && r->pieces != NULL && r->held != NULL);
    return STOA_OK;
}

static void run_close(run *r)
{
    stoa_coders_close(r->coders, r->n_workers);
    stoa_chunk_tasks_clear(r->pieces, r->n_workers * r->n_pieces);
    free(r->held);
}

/* Unpack a chunk from the file, or take it from the cache. */
static stoa_status unpack(const run *r, unsigned worker, uint64_t i, stoa_chunk_task *piece,
                          stoa_error *err)
{
    stoa_store *store = r->bands->array->store;

    stoa_workers_lock(r->workers);
    const stoa_status opened =
        stoa_chunk_task_open(store, &r->all, r->bands->numbers[i], piece, err);
    stoa_workers_unlock(r->workers);
    STOA_RETURN_NOT_OK(opened);
    return stoa_chunk_task_unpack(store, r->value_size, &r->coders[worker], piece, err);
}

/* --- by chunk -------------------------------------------------------------------------------- */

static stoa_status visit_band(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const run *r = context;
    const stoa_bands *bands = r->bands;

    for (uint64_t i = bands->firsts[part]; i < bands->firsts[part + 1]; i++) {
        stoa_chunk_task *piece = bands->kept != NULL ? &bands->kept[i] : &r->pieces[worker];
        if (bands->kept == NULL || piece->list == NULL) {
            STOA_RETURN_NOT_OK(unpack(r, worker, i, piece, err));
        }
        if (piece->list->n > 0) {
            STOA_RETURN_NOT_OK(r->visit(r->context, worker, part, piece->offset, piece->list, err));
        }
    }
    return STOA_OK;
}

/* Values are either all needed or not at all. Kept chunks always have them, for later passes. */
static size_t value_size_of(const stoa_bands *bands, bool wants_values)
{
    return wants_values || bands->kept != NULL
               ? stoa_sparse_value_size(&bands->array->store->format)
               : 0;
}

stoa_status stoa_bands_run(const stoa_bands *bands, bool wants_values, stoa_band_visit visit,
                           void *context, stoa_error *err)
{
    run r = {.visit = visit, .context = context};
    stoa_status status = STOA_OK;

    STOA_TRY(run_open(bands, value_size_of(bands, wants_values), 1, &r, err));
    STOA_TRY(stoa_workers_run(r.workers, bands->n, visit_band, &r, err));

done:
    run_close(&r);
    return status;
}

/* --- counting entries ------------------------------------------------------------------------ */

enum { LITTLE = 1024 }; /* bytes; a chunk of this size is read as fast as its header */

/* Whether the number of a chunk's entries inside of the extent is known, or given by its header. */
static bool claims(const stoa_bands *bands, uint64_t number, uint64_t *n)
{
    const stoa_store *store = bands->array->store;
    const stoa_chunk_entry *entry = stoa_directory_find(&store->directory, number);
    uint64_t offset[H5S_MAX_RANK];
    uint8_t head[STOA_CHUNK_HEAD];

    if (entry->cached != NULL || entry->n_defined != STOA_UNKNOWN) {
        *n = entry->cached != NULL ? stoa_content_n(entry->cached->content) : entry->n_defined;
        return true;
    }
    if (bands->kept != NULL && entry->n_bytes <= LITTLE) {
        return false;
    }
    stoa_shape_offset(&store->shape, number, offset);
    const size_t n_head = entry->n_bytes < sizeof head ? (size_t)entry->n_bytes : sizeof head;
    return stoa_store_reaches(store, entry) && entry->mask == 0 &&
           stoa_shape_is_whole(&store->shape, offset) &&
           stoa_descriptor_read(&store->file, entry->address, n_head, head, NULL) == STOA_OK &&
           stoa_sparse_chunk_claim(&store->format, head, n_head, entry->n_bytes, n);
}

static stoa_status count_band(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const run *r = context;
    const stoa_bands *bands = r->bands;

    for (uint64_t i = bands->firsts[part]; i < bands->firsts[part + 1]; i++) {
        uint64_t *n = &bands->counts[i];
        if (claims(bands, bands->numbers[i], n)) {
            continue;
        }
        *n = STOA_UNKNOWN;
        if (bands->kept == NULL) {
            break;
        }
        STOA_RETURN_NOT_OK(unpack(r, worker, i, &bands->kept[i], err));
        *n = bands->kept[i].list->n;
    }
    return STOA_OK;
}

stoa_status stoa_bands_count(stoa_bands *bands, uint64_t *n, stoa_error *err)
{
    const uint64_t n_chunks = bands->firsts[bands->n];
    run r = {.context = NULL};
    stoa_status status = STOA_OK;

    *n = 0;
    bands->counts = stoa_alloc_zero((size_t)n_chunks, sizeof *bands->counts);
    STOA_TRY(bands->counts != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(run_open(bands, value_size_of(bands, true), 0, &r, err));
    STOA_TRY(stoa_workers_run_little(r.workers, bands->n, count_band, &r, err));
    for (uint64_t i = 0; i < n_chunks && *n != STOA_UNKNOWN; i++) {
        *n = bands->counts[i] != STOA_UNKNOWN ? *n + bands->counts[i] : STOA_UNKNOWN;
    }

done:
    run_close(&r);
    return status;
}

/* --- whole bands ----------------------------------------------------------------------------- */

static stoa_status process_band(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const run *r = context;
    const stoa_bands *bands = r->bands;
    const uint64_t first = bands->firsts[part];
    const size_t n = (size_t)(bands->firsts[part + 1] - first);
    const stoa_chunk_task **held = r->held + worker * r->n_pieces;

    for (size_t i = 0; i < n; i++) {
        const bool is_kept = bands->kept != NULL && bands->kept[first + i].list != NULL;
        stoa_chunk_task *own = &r->pieces[worker * r->n_pieces + i];
        if (!is_kept) {
            STOA_RETURN_NOT_OK(unpack(r, worker, first + i, own, err));
        }
        held[i] = is_kept ? &bands->kept[first + i] : own;
    }
    return r->take(r->context, part, held, n, err);
}

stoa_status stoa_bands_process(const stoa_bands *bands, stoa_band_process take, void *context,
                               stoa_error *err)
{
    run r = {.take = take, .context = context};
    uint64_t widest = 0;
    stoa_status status = STOA_OK;

    for (uint64_t i = 0; i < bands->n; i++) {
        const uint64_t n = bands->firsts[i + 1] - bands->firsts[i];
        widest = n > widest ? n : widest;
    }
    STOA_TRY(run_open(bands, value_size_of(bands, true), (size_t)widest, &r, err));
    STOA_TRY(stoa_workers_run(r.workers, bands->n, process_band, &r, err));

done:
    run_close(&r);
    return status;
}
