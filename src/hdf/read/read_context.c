#include "hdf/read/read_context.h"

#include <pthread.h>
#include <stdlib.h>

#include "hdf/metadata/other_files.h"

/* The default budget, and the fractions of the cache and the scratch pool. */
static const size_t usual_memory = (size_t)128 << 20;
enum { CACHED_PART = 2, IDLE_PART = 8 };

/* An open file, with libhdf5's number for it, which is never reused. */
typedef struct numbered {
    unsigned long number;
    stoa_descriptor descriptor;
    struct numbered *next;
} numbered;

/* Most scratches in the pool: enough for a few threads and a few columns. */
enum { MAX_IDLE = 16 };

struct stoa_read_context {
    numbered *files; /* usually one */
    bool maps;       /* whether files are mapped */
    stoa_chunk_cache *cache;
    pthread_mutex_t mutex; /* guards the members below */
    stoa_scratch idle[MAX_IDLE];
    size_t n_idle;
    size_t n_idle_bytes;
    size_t max_idle_bytes;
};

stoa_status stoa_read_context_open(stoa_read_context **read_context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_read_context *made = stoa_alloc_zero(1, sizeof *made);

    *read_context = NULL;
    STOA_RETURN_NO_MEMORY(err, made);
    STOA_TRY(stoa_chunk_cache_open(usual_memory / CACHED_PART, &made->cache, err));
    const int failed = pthread_mutex_init(&made->mutex, NULL);
    if (failed != 0) {
        STOA_TRY(stoa_fail_errno(err, failed, "cannot make a lock"));
    }
    made->max_idle_bytes = usual_memory / IDLE_PART;
    *read_context = made;
    made = NULL;

done:
    if (made != NULL) {
        stoa_chunk_cache_close(made->cache);
        free(made);
    }
    return status;
}

void stoa_read_context_limit(stoa_read_context *read_context, uint64_t memory)
{
    const size_t n = memory < SIZE_MAX ? (size_t)memory : SIZE_MAX;

    stoa_chunk_cache_limit(read_context->cache, n / CACHED_PART);
    read_context->max_idle_bytes = n / IDLE_PART;
}

void stoa_read_context_map(stoa_read_context *read_context)
{
    read_context->maps = true;
    for (numbered *file = read_context->files; file != NULL; file = file->next) {
        stoa_descriptor_map(&file->descriptor);
    }
}

static void close_files(stoa_read_context *read_context)
{
    while (read_context->files != NULL) {
        numbered *const file = read_context->files;
        read_context->files = file->next;
        stoa_descriptor_close(&file->descriptor);
        free(file);
    }
}

void stoa_read_context_close(stoa_read_context *read_context)
{
    if (read_context != NULL) {
        close_files(read_context);
        stoa_chunk_cache_close(read_context->cache);
        for (size_t i = 0; i < read_context->n_idle; i++) {
            stoa_scratch_clear(&read_context->idle[i]);
        }
        (void)pthread_mutex_destroy(&read_context->mutex);
        free(read_context);
    }
}

stoa_status stoa_read_context_descriptor(stoa_read_context *read_context, hid_t dataset,
                                         const stoa_descriptor **descriptor, stoa_error *err)
{
    stoa_status status = STOA_OK;
    H5O_info2_t info;
    numbered *met = NULL;

    *descriptor = NULL;
    STOA_HDF(err, H5Oget_info3(dataset, &info, H5O_INFO_BASIC), "look at a dataset");
    for (const numbered *file = read_context->files; file != NULL; file = file->next) {
        if (file->number == info.fileno) {
            *descriptor = &file->descriptor;
            goto done;
        }
    }
    met = stoa_alloc_zero(1, sizeof *met);
    STOA_TRY(met != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_descriptor_open(&met->descriptor, dataset, err));
    if (read_context->maps || stoa_is_in_mapped_file(dataset)) {
        stoa_descriptor_map(&met->descriptor);
    }
    met->number = info.fileno;
    met->next = read_context->files;
    read_context->files = met;
    *descriptor = &met->descriptor;
    met = NULL;

done:
    free(met); /* its descriptor is not open here */
    return status;
}

stoa_chunk_cache *stoa_read_context_cache(stoa_read_context *read_context)
{
    return read_context->cache;
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

stoa_scratch stoa_read_context_borrow(stoa_read_context *read_context)
{
    stoa_scratch scratch = {.blocks = {NULL}};

    if (read_context == NULL) {
        return scratch;
    }
    (void)pthread_mutex_lock(&read_context->mutex);
    if (read_context->n_idle > 0) {
        scratch = read_context->idle[--read_context->n_idle];
        read_context->n_idle_bytes -= size_of(&scratch);
    }
    (void)pthread_mutex_unlock(&read_context->mutex);
    return scratch;
}

void stoa_read_context_return(stoa_read_context *read_context, stoa_scratch *scratch)
{
    const size_t n = size_of(scratch);

    scratch->kept = NULL; /* its owner may have been freed, and its address reused */
    if (read_context != NULL && n > 0) {
        (void)pthread_mutex_lock(&read_context->mutex);
        if (read_context->n_idle < MAX_IDLE &&
            n <= read_context->max_idle_bytes - read_context->n_idle_bytes) {
            read_context->idle[read_context->n_idle++] = *scratch;
            read_context->n_idle_bytes += n;
            *scratch = (stoa_scratch){.blocks = {NULL}};
        }
        (void)pthread_mutex_unlock(&read_context->mutex);
    }
    stoa_scratch_clear(scratch);
}
