/* A hash table of chunks, and a ring of them in the order of their use; see chunk_cache.h. */
#include "hdf/chunk_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Lists of the hash table: chunks of 64 KiB and more fill 64 MiB with no more. */
enum { N_LISTS = 1024 };
/* A chunk larger than this part of the cache would drive out too much. */
enum { LARGEST_PART = 4 };

/* The order of use: a ring, whose head stands between the newest and the oldest. */
typedef struct ring {
    struct ring *older;
    struct ring *newer;
} ring;

typedef struct entry {
    ring ring; /* first: an entry is where its ring is */
    stoa_chunk_key key;
    struct entry *next; /* in its list */
    size_t n_bytes;
    uint8_t bytes[];
} entry;

struct stoa_chunk_cache {
    pthread_mutex_t mutex;
    size_t max_bytes;
    size_t n_bytes;
    uint64_t n_owners;
    ring head;
    entry *lists[N_LISTS];
};

stoa_status stoa_chunk_cache_open(size_t max_bytes, stoa_chunk_cache **cache, stoa_error *err)
{
    stoa_chunk_cache *made = stoa_alloc_zero(1, sizeof *made);

    *cache = NULL;
    if (made == NULL) {
        return stoa_fail_memory(err);
    }
    const int failed = pthread_mutex_init(&made->mutex, NULL);
    if (failed != 0) {
        free(made);
        return stoa_fail_errno(err, failed, "cannot make a lock");
    }
    made->max_bytes = max_bytes;
    made->head.older = &made->head;
    made->head.newer = &made->head;
    *cache = made;
    return STOA_OK;
}

void stoa_chunk_cache_close(stoa_chunk_cache *cache)
{
    if (cache == NULL) {
        return;
    }
    for (ring *r = cache->head.newer; r != &cache->head;) {
        ring *const newer = r->newer;
        free(r);
        r = newer;
    }
    (void)pthread_mutex_destroy(&cache->mutex);
    free(cache);
}

static entry **list_of(stoa_chunk_cache *cache, stoa_chunk_key key)
{
    const uint64_t mixed =
        (key.owner * UINT64_C(0x9e3779b97f4a7c15) + key.number) * UINT64_C(0xff51afd7ed558ccd);

    return &cache->lists[(mixed >> 32) % N_LISTS];
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

/* As the newest. */
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
    free(e);
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

/* The lists and the ring as they are with the entry; gives it back where another was faster. */
static entry *keep(stoa_chunk_cache *cache, entry *made)
{
    if (find(cache, made->key) != NULL) {
        return made;
    }
    while (cache->n_bytes + made->n_bytes > cache->max_bytes) {
        drop(cache, (entry *)(void *)cache->head.newer);
    }
    entry **list = list_of(cache, made->key);
    made->next = *list;
    *list = made;
    enter(cache, &made->ring);
    cache->n_bytes += made->n_bytes;
    return NULL;
}

void stoa_chunk_cache_put(stoa_chunk_cache *cache, stoa_chunk_key key, const void *bytes, size_t n)
{
    if (n > cache->max_bytes / LARGEST_PART) {
        return;
    }
    entry *made = stoa_alloc(1, sizeof *made + n);
    if (made == NULL) {
        return;
    }
    made->key = key;
    made->n_bytes = n;
    memcpy(made->bytes, bytes, n);
    (void)pthread_mutex_lock(&cache->mutex);
    made = keep(cache, made);
    (void)pthread_mutex_unlock(&cache->mutex);
    free(made);
}

size_t stoa_chunk_cache_bytes(stoa_chunk_cache *cache)
{
    (void)pthread_mutex_lock(&cache->mutex);
    const size_t n = cache->n_bytes;
    (void)pthread_mutex_unlock(&cache->mutex);
    return n;
}
