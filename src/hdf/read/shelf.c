/* See shelf.h. */
#include "hdf/read/shelf.h"

#include <pthread.h>
#include <stdlib.h>

/* The default budget, and the shares of the cache and the scratches (shelf.h). */
static const uint64_t usual_memory = UINT64_C(128) << 20;
enum { CACHED_PART = 2, IDLE_PART = 8 };

/* A file as libhdf5 numbers those it has open; a number is not given twice. */
typedef struct numbered {
    unsigned long number;
    stoa_descriptor descriptor;
    struct numbered *next;
} numbered;

/* Buffers that are kept: what a few threads need for a few columns. */
enum { MAX_IDLE = 16 };

struct stoa_shelf {
    numbered *files; /* one, as a rule */
    bool maps;       /* them */
    stoa_chunk_cache *cache;
    pthread_mutex_t mutex; /* of those below */
    stoa_scratch idle[MAX_IDLE];
    size_t n_idle;
    size_t n_idle_bytes;
    size_t max_idle_bytes;
};

stoa_status stoa_shelf_open(stoa_shelf **shelf, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_shelf *made = stoa_alloc_zero(1, sizeof *made);

    *shelf = NULL;
    if (made == NULL) {
        return stoa_fail_memory(err);
    }
    STOA_TRY(stoa_chunk_cache_open(0, &made->cache, err));
    const int failed = pthread_mutex_init(&made->mutex, NULL);
    if (failed != 0) {
        STOA_TRY(stoa_fail_errno(err, failed, "cannot make a lock"));
    }
    stoa_shelf_limit(made, usual_memory);
    *shelf = made;
    made = NULL;

done:
    if (made != NULL) {
        stoa_chunk_cache_close(made->cache);
        free(made);
    }
    return status;
}

void stoa_shelf_limit(stoa_shelf *shelf, uint64_t memory)
{
    const size_t n = memory < SIZE_MAX ? (size_t)memory : SIZE_MAX;

    stoa_chunk_cache_limit(shelf->cache, n / CACHED_PART);
    shelf->max_idle_bytes = n / IDLE_PART;
}

void stoa_shelf_map(stoa_shelf *shelf)
{
    shelf->maps = true;
    for (numbered *file = shelf->files; file != NULL; file = file->next) {
        stoa_descriptor_map(&file->descriptor);
    }
}

static void close_files(stoa_shelf *shelf)
{
    while (shelf->files != NULL) {
        numbered *const file = shelf->files;
        shelf->files = file->next;
        stoa_descriptor_close(&file->descriptor);
        free(file);
    }
}

void stoa_shelf_close(stoa_shelf *shelf)
{
    if (shelf != NULL) {
        close_files(shelf);
        stoa_chunk_cache_close(shelf->cache);
        for (size_t i = 0; i < shelf->n_idle; i++) {
            stoa_scratch_clear(&shelf->idle[i]);
        }
        (void)pthread_mutex_destroy(&shelf->mutex);
        free(shelf);
    }
}

stoa_status stoa_shelf_descriptor(stoa_shelf *shelf, hid_t dataset,
                                  const stoa_descriptor **descriptor, stoa_error *err)
{
    stoa_status status = STOA_OK;
    H5O_info2_t info;
    numbered *met = NULL;

    *descriptor = NULL;
    STOA_HDF(err, H5Oget_info3(dataset, &info, H5O_INFO_BASIC), "look at a dataset");
    for (const numbered *file = shelf->files; file != NULL; file = file->next) {
        if (file->number == info.fileno) {
            *descriptor = &file->descriptor;
            goto done;
        }
    }
    met = stoa_alloc_zero(1, sizeof *met);
    STOA_TRY(met != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_descriptor_open(&met->descriptor, dataset, err));
    if (shelf->maps) {
        stoa_descriptor_map(&met->descriptor);
    }
    met->number = info.fileno;
    met->next = shelf->files;
    shelf->files = met;
    *descriptor = &met->descriptor;
    met = NULL;

done:
    free(met); /* whose descriptor was not opened */
    return status;
}

stoa_chunk_cache *stoa_shelf_cache(stoa_shelf *shelf)
{
    return shelf->cache;
}

/* --- buffers --------------------------------------------------------------------------------- */

static size_t size_of(const stoa_scratch *scratch)
{
    size_t n = 0;

    for (size_t i = 0; i < sizeof scratch->sizes / sizeof scratch->sizes[0]; i++) {
        n += scratch->sizes[i];
    }
    return n;
}

stoa_scratch stoa_shelf_borrow(stoa_shelf *shelf)
{
    stoa_scratch scratch = {.blocks = {NULL}};

    if (shelf == NULL) {
        return scratch;
    }
    (void)pthread_mutex_lock(&shelf->mutex);
    if (shelf->n_idle > 0) {
        scratch = shelf->idle[--shelf->n_idle];
        shelf->n_idle_bytes -= size_of(&scratch);
    }
    (void)pthread_mutex_unlock(&shelf->mutex);
    return scratch;
}

void stoa_shelf_return(stoa_shelf *shelf, stoa_scratch *scratch)
{
    const size_t n = size_of(scratch);

    scratch->kept = NULL; /* its owner may be gone, and another one in its place */
    if (shelf != NULL && n > 0) {
        (void)pthread_mutex_lock(&shelf->mutex);
        if (shelf->n_idle < MAX_IDLE && n <= shelf->max_idle_bytes - shelf->n_idle_bytes) {
            shelf->idle[shelf->n_idle++] = *scratch;
            shelf->n_idle_bytes += n;
            *scratch = (stoa_scratch){.blocks = {NULL}};
        }
        (void)pthread_mutex_unlock(&shelf->mutex);
    }
    stoa_scratch_clear(scratch);
}
