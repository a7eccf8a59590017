/*
 * Texts are spread over shards by their hash, each with a lock and a set of its own. So threads
 * rarely wait for each other. Numbers are given out by one counter, which leaves no gaps.
 */
#include "core/text_numbers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/string_set.h"

enum { SHARD_BITS = 6, N_SHARDS = 1 << SHARD_BITS };
/* Block b of the places has 2^(b + BLOCK_BITS) entries, so none has to move. */
enum { BLOCK_BITS = 10, N_BLOCKS = 32 - BLOCK_BITS };
#define MOST_TEXTS (UINT32_C(1) << 31)

typedef struct shard {
    pthread_mutex_t mutex;
    stoa_string_set texts;
    stoa_buffer numbers; /* uint32_t: that of each text of the set */
} shard;

/* Where a number's text is. */
typedef struct place {
    uint32_t shard;
    uint32_t in_shard;
} place;

struct stoa_text_numbers {
    shard shards[N_SHARDS];
    _Atomic uint32_t n;
    pthread_mutex_t growing; /* protects what follows */
    _Atomic(place *) blocks[N_BLOCKS];
    const void *list;
    size_t n_list;
    _Atomic uint32_t *of_list;
};

stoa_status stoa_text_numbers_open(stoa_text_numbers **out, stoa_error *err)
{
    stoa_text_numbers *const made = stoa_alloc_zero(1, sizeof *made);

    *out = made;
    STOA_RETURN_NO_MEMORY(err, made);
    for (size_t i = 0; i < N_SHARDS; i++) {
        (void)pthread_mutex_init(&made->shards[i].mutex, NULL);
    }
    (void)pthread_mutex_init(&made->growing, NULL);
    return STOA_OK;
}

void stoa_text_numbers_close(stoa_text_numbers *numbers)
{
    if (numbers == NULL) {
        return;
    }
    for (size_t i = 0; i < N_SHARDS; i++) {
        (void)pthread_mutex_destroy(&numbers->shards[i].mutex);
        stoa_string_set_clear(&numbers->shards[i].texts);
        stoa_buffer_clear(&numbers->shards[i].numbers);
    }
    for (size_t i = 0; i < N_BLOCKS; i++) {
        free(atomic_load(&numbers->blocks[i]));
    }
    (void)pthread_mutex_destroy(&numbers->growing);
    free(numbers->of_list);
    free(numbers);
}

/* Places ------------------------------------------------------------------------------------ */

/* The block of a number, and its entry there. */
static size_t block_of(uint32_t number, size_t *entry)
{
    const uint64_t at = (uint64_t)number + (UINT64_C(1) << BLOCK_BITS);
    const unsigned bits = 63 - (unsigned)__builtin_clzll(at);

    *entry = (size_t)(at - (UINT64_C(1) << bits));
    return bits - BLOCK_BITS;
}

static stoa_status grow_places(stoa_text_numbers *numbers, size_t block, stoa_error *err)
{
    stoa_status status = STOA_OK;

    (void)pthread_mutex_lock(&numbers->growing);
    if (atomic_load(&numbers->blocks[block]) == NULL) {
        place *const made = stoa_alloc((size_t)1 << (block + BLOCK_BITS), sizeof *made);
        status = made != NULL ? STOA_OK : stoa_fail_memory(err);
        atomic_store(&numbers->blocks[block], made);
    }
    (void)pthread_mutex_unlock(&numbers->growing);
    return status;
}

/* Give numbers to the shard's new texts. */
static stoa_status number_new(stoa_text_numbers *numbers, uint32_t of, stoa_error *err)
{
    shard *const s = &numbers->shards[of];
    uint32_t n = (uint32_t)(s->numbers.size / sizeof n);
    size_t entry;

    for (; n < s->texts.count; n++) {
        const uint32_t number = atomic_fetch_add(&numbers->n, 1);
        if (number >= MOST_TEXTS) {
            return stoa_fail(err, STOA_ERANGE, "there are more than %u different texts",
                             MOST_TEXTS);
        }
        const size_t block = block_of(number, &entry);
        STOA_RETURN_NOT_OK(stoa_buffer_append(&s->numbers, &number, sizeof number, err));
        if (atomic_load(&numbers->blocks[block]) == NULL) {
            STOA_RETURN_NOT_OK(grow_places(numbers, block, err));
        }
        atomic_load(&numbers->blocks[block])[entry] = (place){of, n};
    }
    return STOA_OK;
}

/* Adding ------------------------------------------------------------------------------------ */

static inline uint32_t shard_of(uint64_t hash)
{
    return (uint32_t)(hash >> (64 - SHARD_BITS));
}

/* Texts that belong into one shard, and their places among all. */
typedef struct load {
    size_t n;
    const char *texts[STOA_STRING_SET_AT_ONCE];
    size_t lengths[STOA_STRING_SET_AT_ONCE];
    uint64_t hashes[STOA_STRING_SET_AT_ONCE];
    size_t places[STOA_STRING_SET_AT_ONCE];
} load;

static stoa_status add_load(stoa_text_numbers *numbers, uint32_t of, load *some, uint32_t *out,
                            stoa_error *err)
{
    shard *const s = &numbers->shards[of];
    uint32_t in_shard[STOA_STRING_SET_AT_ONCE];

    (void)pthread_mutex_lock(&s->mutex);
    stoa_status status = stoa_string_set_add_many(&s->texts, some->texts, some->lengths,
                                                  some->hashes, some->n, in_shard, err);
    if (status == STOA_OK) {
        status = number_new(numbers, of, err);
    }
    const uint32_t *const all = (const uint32_t *)(const void *)s->numbers.data;
    for (size_t i = 0; status == STOA_OK && i < some->n; i++) {
        out[some->places[i]] = all[in_shard[i]];
    }
    (void)pthread_mutex_unlock(&s->mutex);
    some->n = 0;
    return status;
}

static stoa_status add_many(stoa_text_numbers *numbers, const char *const *texts,
                            const size_t *lengths, size_t n, uint32_t *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    load *const loads = stoa_alloc(N_SHARDS, sizeof *loads);

    STOA_RETURN_NO_MEMORY(err, loads);
    for (size_t i = 0; i < N_SHARDS; i++) {
        loads[i].n = 0;
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t hash = stoa_hash_bytes(texts[i], lengths[i], 0);
        load *const to = &loads[shard_of(hash)];
        to->texts[to->n] = texts[i];
        to->lengths[to->n] = lengths[i];
        to->hashes[to->n] = hash;
        to->places[to->n++] = i;
        if (to->n == STOA_STRING_SET_AT_ONCE) {
            STOA_TRY(add_load(numbers, shard_of(hash), to, out, err));
        }
    }
    for (uint32_t i = 0; i < N_SHARDS; i++) {
        STOA_TRY(loads[i].n > 0 ? add_load(numbers, i, &loads[i], out, err) : STOA_OK);
    }

done:
    free(loads);
    return status;
}

stoa_status stoa_text_numbers_add(stoa_text_numbers *numbers, const char *const *texts,
                                  const size_t *lengths, size_t n, uint32_t *out, stoa_error *err)
{
    if (n != 1) {
        return add_many(numbers, texts, lengths, n, out, err);
    }
    load one;
    one.n = 1;
    one.texts[0] = *texts;
    one.lengths[0] = *lengths;
    one.hashes[0] = stoa_hash_bytes(*texts, *lengths, 0);
    one.places[0] = 0;
    return add_load(numbers, shard_of(one.hashes[0]), &one, out, err);
}

/* Lists ------------------------------------------------------------------------------------- */

stoa_status stoa_text_numbers_of_list(stoa_text_numbers *numbers, const void *list, size_t n,
                                      _Atomic uint32_t **out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *out = NULL;
    (void)pthread_mutex_lock(&numbers->growing);
    if (numbers->of_list == NULL) {
        numbers->of_list = stoa_alloc_zero(n, sizeof *numbers->of_list);
        numbers->list = list;
        numbers->n_list = n;
        status = numbers->of_list != NULL ? STOA_OK : stoa_fail_memory(err);
    }
    if (numbers->list == list && numbers->n_list == n) {
        *out = numbers->of_list;
    }
    (void)pthread_mutex_unlock(&numbers->growing);
    return status;
}

bool stoa_text_numbers_are_distinct(const stoa_text_numbers *numbers, const void *list, size_t n)
{
    size_t i = 0;

    if (numbers->of_list == NULL || numbers->list != list || numbers->n_list < n ||
        stoa_text_numbers_count(numbers) != n) {
        return false;
    }
    while (i < n && numbers->of_list[i] != 0) {
        i++;
    }
    return i == n;
}

/* Reading ----------------------------------------------------------------------------------- */

uint32_t stoa_text_numbers_count(const stoa_text_numbers *numbers)
{
    return atomic_load(&numbers->n);
}

const char *stoa_text_numbers_get(const stoa_text_numbers *numbers, uint32_t number, size_t *length)
{
    size_t entry;
    const size_t block = block_of(number, &entry);
    const place at = atomic_load(&numbers->blocks[block])[entry];

    return stoa_string_set_get(&numbers->shards[at.shard].texts, at.in_shard, length);
}
