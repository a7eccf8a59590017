/* See matrix.h. */
#include <stdlib.h>

#include "sparse/matrix.h"
#include "sparse/pieces.h"

stoa_status stoa_matrix_must_be_one(const stoa_sparse *array, stoa_error *err)
{
    const unsigned rank = stoa_store_shape(array->store)->rank;

    if (stoa_store_vlen(array->store) != NULL) {
        return stoa_fail(err, STOA_ETYPE, "elements of variable length make no matrix");
    }
    return rank == 2
               ? STOA_OK
               : stoa_fail(err, STOA_EINVAL, "a matrix has 2 dimensions, this array %u", rank);
}

/* A chunk on its way to its place. */
typedef struct member {
    uint64_t band;
    uint64_t number;
} member;

static int by_band(const void *a, const void *b)
{
    const member *x = a;
    const member *y = b;

    return x->band != y->band ? (x->band > y->band) - (x->band < y->band)
                              : (x->number > y->number) - (x->number < y->number);
}

static void cut(stoa_bands *bands, const member *members, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || members[i].band != members[i - 1].band) {
            bands->firsts[bands->n++] = i;
        }
        bands->numbers[i] = members[i].number;
    }
    bands->firsts[bands->n] = n;
}

stoa_status stoa_bands_open(stoa_sparse *array, bool by_columns, stoa_bands *bands, stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(array->store);
    stoa_buffer numbers = {NULL, 0, 0};
    member *members = NULL;
    stoa_status status = STOA_OK;

    *bands = (stoa_bands){.array = array};
    STOA_TRY(stoa_matrix_must_be_one(array, err));
    const stoa_box all = stoa_shape_all(shape);
    STOA_TRY(stoa_store_chunks(array->store, &all, &numbers, err));
    const uint64_t *number = (const uint64_t *)(const void *)numbers.data;
    const size_t n = numbers.size / sizeof *number;
    members = stoa_alloc(n, sizeof *members);
    bands->numbers = stoa_alloc(n, sizeof *bands->numbers);
    bands->firsts = stoa_alloc(n + 1, sizeof *bands->firsts);
    if (members == NULL || bands->numbers == NULL || bands->firsts == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    for (size_t i = 0; i < n; i++) {
        members[i] =
            (member){.band = by_columns ? number[i] % shape->grid[1] : number[i] / shape->grid[1],
                     .number = number[i]};
    }
    if (by_columns) { /* by rows they come in order */
        qsort(members, n, sizeof *members, by_band);
    }
    cut(bands, members, n);

done:
    free(members);
    stoa_buffer_clear(&numbers);
    return status;
}

stoa_status stoa_bands_keep(stoa_bands *bands, stoa_error *err)
{
    const stoa_store *store = bands->array->store;
    const uint64_t n = bands->firsts[bands->n];
    uint64_t n_bytes = 0;

    for (uint64_t i = 0; i < n; i++) {
        n_bytes += stoa_directory_find(&store->directory, bands->numbers[i])->n_bytes;
    }
    if (n_bytes > store->cache.bound) {
        return STOA_OK;
    }
    bands->kept = stoa_alloc_zero((size_t)n, sizeof *bands->kept);
    return bands->kept != NULL ? STOA_OK : stoa_fail_memory(err);
}

void stoa_bands_clear(stoa_bands *bands)
{
    for (uint64_t i = 0; bands->kept != NULL && i < bands->firsts[bands->n]; i++) {
        stoa_piece_clear(&bands->kept[i]);
    }
    free(bands->kept);
    free(bands->numbers);
    free(bands->firsts);
    *bands = (stoa_bands){.n = 0};
}

/* --- run ------------------------------------------------------------------------------------- */

/* What a worker has in memory. */
typedef struct hand {
    stoa_sparse_coder coder;
    stoa_piece piece;
} hand;

typedef struct run {
    const stoa_bands *bands;
    stoa_box all;
    size_t value_size;
    hand *hands;
    stoa_workers *workers;
    stoa_band_visit visit;
    void *context;
} run;

/* A chunk, from the file or from the cache. */
static stoa_status unpack(const run *r, uint64_t number, stoa_sparse_coder *coder,
                          stoa_piece *piece, stoa_error *err)
{
    stoa_store *store = r->bands->array->store;
    stoa_status status = STOA_OK;

    stoa_workers_lock(r->workers);
    const stoa_status opened = stoa_piece_open(store, &r->all, number, piece, err);
    stoa_workers_unlock(r->workers);
    STOA_TRY(opened);
    STOA_TRY(stoa_piece_unpack(store, r->value_size, coder, piece, err));

done:
    return status;
}

static stoa_status run_band(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const run *r = context;
    const stoa_bands *bands = r->bands;
    hand *h = &r->hands[worker];
    stoa_status status = STOA_OK;

    for (uint64_t i = bands->firsts[part]; i < bands->firsts[part + 1]; i++) {
        stoa_piece *piece = bands->kept != NULL ? &bands->kept[i] : &h->piece;
        if (bands->kept == NULL || piece->list == NULL) {
            STOA_TRY(unpack(r, bands->numbers[i], &h->coder, piece, err));
        }
        if (r->visit != NULL && piece->list->n > 0) {
            STOA_TRY(r->visit(r->context, worker, part, piece->offset, piece->list, err));
        }
    }

done:
    return status;
}

stoa_status stoa_bands_run(const stoa_bands *bands, bool wants_values, stoa_band_visit visit,
                           void *context, stoa_error *err)
{
    const stoa_store *store = bands->array->store;
    /* Filters that libhdf5 runs are the caller's thread's. */
    stoa_workers *workers = store->coder.foreign == NULL ? bands->array->workers : NULL;
    const unsigned n_hands = stoa_workers_count(workers);
    run r = {.bands = bands,
             .all = stoa_shape_all(&store->shape),
             .value_size =
                 wants_values || bands->kept != NULL ? stoa_sparse_value_size(&store->format) : 0,
             .workers = workers,
             .visit = visit,
             .context = context};
    stoa_status status = STOA_OK;

    if (store->format.has_heap || store->vlen != NULL) {
        STOA_FAIL(err, STOA_ETYPE, "elements of variable length are no numbers");
    }
    r.hands = stoa_alloc_zero(n_hands, sizeof *r.hands);
    if (r.hands == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    for (unsigned i = 0; i < n_hands; i++) {
        r.hands[i].coder.foreign = store->coder.foreign;
    }
    STOA_TRY(stoa_workers_run(workers, bands->n, run_band, &r, err));

done:
    for (unsigned i = 0; r.hands != NULL && i < n_hands; i++) {
        stoa_sparse_coder_clear(&r.hands[i].coder);
        stoa_piece_clear(&r.hands[i].piece);
    }
    free(r.hands);
    return status;
}
