/* The cache is a hash table of chunks, with a ring of them in the order of use. */
#include "hdf/chunk/chunk_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/buffer_pool.h"

/* Buckets of the hash table. There are thousands of entries if they are small. */
enum { N_LISTS = 32768 };
/* Slots for recently requested keys, chosen by hash. */
enum { N_ASKED = 4096 };
/* Memory of evicted large chunks is reused. Returning pages to the system and getting them again
 * costs more than decoding into them. */
enum { MIN_BLOCK = 1 << 17, IDLE_PART = 2 };
/* A chunk larger than 1/LARGEST_PART of the cache would evict too much. */
enum { LARGEST_PART = 4 };

/* The order of use: a ring. The head is between the newest and the oldest. */
typedef struct ring {
    struct ring *older;
    struct ring *newer;
} ring;

typedef struct stoa_held_chunk {
    ring ring; /* must be first: a ring pointer is cast to an entry */
    stoa_chunk_key key;
    struct stoa_held_chunk *next; /* next in the bucket */
    size_t n_bytes;
    unsigned n_holders;
    bool is_kept; /* in the buckets and the ring; otherwise its last holder frees it */
    _Alignas(64) uint8_t bytes[];
} entry;

struct stoa_chunk_cache {
    pthread_mutex_t mutex;
    size_t max_bytes;
    size_t n_bytes;
    uint64_t n_owners;
    ring head;
    entry *lists[N_LISTS];
    uint64_t asked[N_ASKED];
    stoa_buffer_pool *blocks; /* recycled memory of large chunks */
};

stoa_status stoa_chunk_cache_open(size_t max_bytes, stoa_chunk_cache **cache, stoa_error *err)
{
    stoa_chunk_cache *made = stoa_alloc_zero(1, sizeof *made);

    *cache = NULL;
    STOA_RETURN_NO_MEMORY(err, made);
    const stoa_status status = stoa_buffer_pool_open(max_bytes / IDLE_PART, &made->blocks, err);
    if (status != STOA_OK) {
        free(made);
        return status;
    }
    const int failed = pthread_mutex_init(&made->mutex, NULL);
    if (failed != 0) {
        stoa_buffer_pool_close(made->blocks);
        free(made);
        return stoa_fail_errno(err, failed, "cannot make a lock");
    }
    made->max_bytes = max_bytes;
    made->head.older = &made->head;
    made->head.newer = &made->head;
    *cache = made;
    return STOA_OK;
}

void stoa_chunk_cache_limit(stoa_chunk_cache *cache, size_t max_bytes)
{
    cache->max_bytes = max_bytes;
    stoa_blocks_limit(cache->blocks, max_bytes / IDLE_PART);
}

size_t stoa_chunk_cache_most(const stoa_chunk_cache *cache)
{
    return cache->max_bytes;
}

/* Free an entry that is not held and not in the table. */
static void give_back(entry *e)
{
    if (e->n_bytes >= MIN_BLOCK) {
        stoa_buffer_pool_put(e);
    } else {
        free(e);
    }
}

void stoa_chunk_cache_close(stoa_chunk_cache *cache)
{
    if (cache == NULL) {
        return;
    }
    for (ring *r = cache->head.newer; r != &cache->head;) {
        ring *const newer = r->newer;
        give_back((entry *)(void *)r);
        r = newer;
    }
    stoa_buffer_pool_close(cache->blocks);
    (void)pthread_mutex_destroy(&cache->mutex);
    free(cache);
}

static uint64_t mix(stoa_chunk_key key)
{
    return (key.owner * UINT64_C(0x9e3779b97f4a7c15) + key.number) * UINT64_C(0xff51afd7ed558ccd);
}

static entry **list_of(stoa_chunk_cache *cache, stoa_chunk_key key)
{
    return &cache->lists[(mix(key) >> 32) % N_LISTS];
}

static entry *find(stoa_chunk_cache *cache, stoa_chunk_key key)
{
    entry *e = *list_of(cache, key);

    while (e != NULL && (e->key.owner != key.owner || e->key.number != key.number)) {
        e = e->next;
    }
    return e;
}

static void leave(ring *r)
{
    r->older->newer = r->newer;
    r->newer->older = r->older;
}

/* Insert as the newest. */
static void enter(stoa_chunk_cache *cache, ring *r)
{
    r->older = cache->head.older;
    r->newer = &cache->head;
    r->older->newer = r;
    r->newer->older = r;
}

static void drop(stoa_chunk_cache *cache, entry *e)
{
    entry **place = list_of(cache, e->key);

    while (*place != e) {
        place = &(*place)->next;
    }
    *place = e->next;
    leave(&e->ring);
    cache->n_bytes -= e->n_bytes;
    e->is_kept = false;
    if (e->n_holders == 0) {
        give_back(e);
    }
}

uint64_t stoa_chunk_cache_owner(stoa_chunk_cache *cache)
{
    (void)pthread_mutex_lock(&cache->mutex);
    const uint64_t owner = ++cache->n_owners;
    (void)pthread_mutex_unlock(&cache->mutex);
    return owner;
}

bool stoa_chunk_cache_get(stoa_chunk_cache *cache, stoa_chunk_key key, size_t offset, size_t n,
                          void *out)
{
    (void)pthread_mutex_lock(&cache->mutex);
    entry *e = find(cache, key);
    const bool is_there = e != NULL && offset <= e->n_bytes && n <= e->n_bytes - offset;
    if (is_there) {
        memcpy(out, e->bytes + offset, n);
        leave(&e->ring);
        enter(cache, &e->ring);
    }
    (void)pthread_mutex_unlock(&cache->mutex);
    return is_there;
}

/* Add the entry to the table, unless its key is there already or it is larger than the cache. */
static void keep(stoa_chunk_cache *cache, entry *made)
{
    if (find(cache, made->key) != NULL || made->n_bytes > cache->max_bytes) {
        return;
    }
    for (ring *r = cache->head.newer;
         r != &cache->head && cache->n_bytes + made->n_bytes > cache->max_bytes;) {
        ring *const newer = r->newer;
        drop(cache, (entry *)(void *)r);
        r = newer;
    }
    entry **list = list_of(cache, made->key);
    made->next = *list;
    *list = made;
    enter(cache, &made->ring);
    cache->n_bytes += made->n_bytes;
    made->is_kept = true;
}

static bool is_too_large(const stoa_chunk_cache *cache, size_t n)
{
    return n > cache->max_bytes / LARGEST_PART;
}

void stoa_chunk_cache_put(stoa_chunk_cache *cache, stoa_chunk_key key, const void *bytes, size_t n)
{
    entry *made = is_too_large(cache, n) ? NULL : stoa_chunk_cache_make(cache, n);

    if (made != NULL) {
        memcpy(made->bytes, bytes, n);
        stoa_chunk_cache_keep(cache, key, made);
        stoa_chunk_cache_release(cache, made);
    }
}

/* --- held chunks ----------------------------------------------------------------------------- */

stoa_held_chunk *stoa_chunk_cache_hold(stoa_chunk_cache *cache, stoa_chunk_key key)
{
    (void)pthread_mutex_lock(&cache->mutex);
    entry *e = find(cache, key);
    if (e != NULL) {
        e->n_holders++;
        leave(&e->ring);
        enter(cache, &e->ring);
    }
    (void)pthread_mutex_unlock(&cache->mutex);
    return e;
}

bool stoa_chunk_cache_wants(stoa_chunk_cache *cache, stoa_chunk_key key, size_t n)
{
    const uint64_t mark = mix(key) | 1; /* a slot of 0 is empty */

    if (is_too_large(cache, n)) {
        return false;
    }
    (void)pthread_mutex_lock(&cache->mutex);
    uint64_t *asked = &cache->asked[(mark >> 32) % N_ASKED];
    const bool again = *asked == mark;
    *asked = mark;
    (void)pthread_mutex_unlock(&cache->mutex);
    return again;
}

stoa_held_chunk *stoa_chunk_cache_make(stoa_chunk_cache *cache, size_t n)
{
    entry *made = NULL;

    if (n <= SIZE_MAX - sizeof *made) {
        made = n >= MIN_BLOCK ? stoa_buffer_pool_get(cache->blocks, sizeof *made + n)
                              : stoa_alloc_aligned(64, sizeof *made + n);
    }
    if (made != NULL) {
        *made = (entry){.n_bytes = n, .n_holders = 1};
    }
    return made;
}

void stoa_chunk_cache_keep(stoa_chunk_cache *cache, stoa_chunk_key key, stoa_held_chunk *made)
{
    made->key = key;
    (void)pthread_mutex_lock(&cache->mutex);
    keep(cache, made);
    (void)pthread_mutex_unlock(&cache->mutex);
}

void stoa_chunk_cache_release(stoa_chunk_cache *cache, stoa_held_chunk *held)
{
    if (held == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&cache->mutex);
    if (--held->n_holders == 0 && !held->is_kept) {
        give_back(held);
    }
    (void)pthread_mutex_unlock(&cache->mutex);
}

uint8_t *stoa_held_bytes(stoa_held_chunk *held)
{
    return held->bytes;
}

size_t stoa_chunk_cache_bytes(stoa_chunk_cache *cache)
{
    (void)pthread_mutex_lock(&cache->mutex);
    const size_t n = cache->n_bytes;
    (void)pthread_mutex_unlock(&cache->mutex);
    return n;
}
