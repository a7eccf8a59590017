/* Find the chunks that share rows, or columns (see matrix.h). */
#include <stdlib.h>

#include "sparse/matrix/matrix.h"
#include "sparse/points/chunk_task.h"

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

/* A chunk and its band. */
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
    STOA_TRY(members != NULL && bands->numbers != NULL && bands->firsts != NULL
                 ? STOA_OK
                 : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        members[i] =
            (member){.band = by_columns ? number[i] % shape->grid[1] : number[i] / shape->grid[1],
                     .number = number[i]};
    }
    if (by_columns) { /* the order by rows is that of the numbers */
        qsort(members, n, sizeof *members, by_band);
    }
    cut(bands, members, n);

done:
    free(members);
    stoa_buffer_clear(&numbers);
    return status;
}

/* Stored bytes of some chunks. */
static uint64_t bytes_of(const stoa_bands *bands, uint64_t first, uint64_t end)
{
    const stoa_directory *directory = &bands->array->store->directory;
    uint64_t n_bytes = 0;

    for (uint64_t i = first; i < end; i++) {
        n_bytes += stoa_directory_find(directory, bands->numbers[i])->n_bytes;
    }
    return n_bytes;
}

bool stoa_bands_are_narrow(const stoa_bands *bands)
{
    for (uint64_t i = 0; i < bands->n; i++) {
        if (bytes_of(bands, bands->firsts[i], bands->firsts[i + 1]) >
            bands->array->store->cache.bound) {
            return false;
        }
    }
    return true;
}

stoa_status stoa_bands_keep(stoa_bands *bands, stoa_error *err)
{
    const uint64_t n = bands->firsts[bands->n];

    if (bytes_of(bands, 0, n) > bands->array->store->cache.bound) {
        return STOA_OK;
    }
    bands->kept = stoa_alloc_zero((size_t)n, sizeof *bands->kept);
    return bands->kept != NULL ? STOA_OK : stoa_fail_memory(err);
}

void stoa_bands_clear(stoa_bands *bands)
{
    if (bands->kept != NULL) {
        stoa_chunk_tasks_clear(bands->kept, (size_t)bands->firsts[bands->n]);
    }
    free(bands->counts);
    free(bands->numbers);
    free(bands->firsts);
    *bands = (stoa_bands){.n = 0};
}
