/* A hash set with open addressing. The number of a string never changes. */
#include "core/string_set.h"

#include <stdlib.h>
#include <string.h>

#include "core/progress.h"
#include "core/short_bytes.h"

/* The listener is told after so many slots, a power of two, or strings. */
enum { LOOK = 65536 };

/* A word that contains the last 1 to 7 of n bytes; it may include some of the bytes before them. */
static inline uint64_t tail_of(const uint8_t *p, size_t length, size_t n_bytes)
{
    if (n_bytes >= 8) {
        return stoa_load_u64(p + length - 8);
    }
    if (length >= 4) {
        return stoa_load_u32(p) | (uint64_t)stoa_load_u32(p + length - 4) << 32;
    }
    return p[0] | (uint64_t)p[length / 2] << 8 | (uint64_t)p[length - 1] << 16;
}

uint64_t stoa_hash_bytes(const void *bytes, size_t length, uint64_t seed)
{
    const uint8_t *p = bytes;
    const size_t n_bytes = length;
    uint64_t hash = seed ^ (length * 0x9e3779b97f4a7c15u);

    for (; length >= 8; length -= 8, p += 8) {
        hash = (hash ^ stoa_load_u64(p)) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    if (length != 0) {
        hash = (hash ^ tail_of(p, length, n_bytes)) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    hash ^= hash >> 33;
    hash *= 0xc4ceb9fe1a85ec53u;
    return hash ^ (hash >> 29);
}

/* Eight bytes as a number that is ordered as they are. */
static inline uint64_t ordered_word(const void *bytes)
{
    const uint64_t word = stoa_load_u64(bytes);

    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(word) : word;
}

int stoa_compare_bytes(const void *a, size_t a_length, const void *b, size_t b_length)
{
    if (a_length >= sizeof(uint64_t) && b_length >= sizeof(uint64_t)) { /* mostly decides */
        const uint64_t left = ordered_word(a);
        const uint64_t right = ordered_word(b);
        if (left != right) {
            return left < right ? -1 : 1;
        }
    }
    const size_t shorter = a_length < b_length ? a_length : b_length;
    const int order = shorter != 0 ? memcmp(a, b, shorter) : 0;

    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

const char *stoa_string_set_get(const stoa_string_set *set, uint32_t number, size_t *length)
{
    const uint64_t *offsets = (const uint64_t *)(const void *)set->offsets.data;

    *length = (size_t)(offsets[number + 1] - offsets[number]);
    return *length != 0 ? (const char *)set->bytes.data + offsets[number] : "";
}

/* Most strings are short, and a call of memcmp() costs more than such a comparison. */
static inline bool are_equal(const char *a, const char *b, size_t length)
{
    if (length >= 8) {
        const char *last = a + length - 8;
        if (stoa_load_u64(last) != stoa_load_u64(b + length - 8)) {
            return false;
        }
        if (length > 32) {
            return memcmp(a, b, length - 8) == 0;
        }
        for (; a < last; a += 8, b += 8) {
            if (stoa_load_u64(a) != stoa_load_u64(b)) {
                return false;
            }
        }
        return true;
    }
    if (length >= 4) {
        return stoa_load_u32(a) == stoa_load_u32(b) &&
               stoa_load_u32(a + length - 4) == stoa_load_u32(b + length - 4);
    }
    return length == 0 ||
           (a[0] == b[0] && a[length / 2] == b[length / 2] && a[length - 1] == b[length - 1]);
}

/* The part of a slot that comes from the hash. */
static inline uint64_t tag_of(uint64_t hash)
{
    return hash & ~(uint64_t)UINT32_MAX;
}

/* Give STOA_STRING_SET_NONE for a free slot. */
static inline uint32_t number_of(uint64_t slot)
{
    return (uint32_t)slot - 1;
}

static inline size_t home_of(const stoa_string_set *set, uint64_t hash)
{
    return (size_t)hash & (set->n_slots - 1);
}

/* The first slot, from `slot` on, that is free or has the tag of the hash. */
static inline size_t likely_slot(const stoa_string_set *set, uint64_t hash, size_t slot)
{
    while (set->slots[slot] != 0 && tag_of(set->slots[slot]) != tag_of(hash)) {
        slot = (slot + 1) & (set->n_slots - 1);
    }
    return slot;
}

/* The slot, from `slot` on, that holds the string, or the free one where it belongs. */
static inline size_t find_slot(const stoa_string_set *set, const void *bytes, size_t length,
                               uint64_t hash, size_t slot)
{
    for (;; slot = (slot + 1) & (set->n_slots - 1)) {
        slot = likely_slot(set, hash, slot);
        if (set->slots[slot] == 0) {
            return slot;
        }
        size_t other_length;
        const char *other = stoa_string_set_get(set, number_of(set->slots[slot]), &other_length);
        if (other_length == length && are_equal(other, bytes, length)) {
            return slot;
        }
    }
}

static stoa_status grow_slots(stoa_string_set *set, size_t n_slots, stoa_error *err)
{
    static const stoa_progress progress = {.stage = "hashing"};
    stoa_status status = STOA_OK;
    const uint64_t *hashes = (const uint64_t *)(const void *)set->hashes.data;
    const size_t at_once = n_slots < LOOK ? n_slots : LOOK; /* both are powers of two */
    uint64_t *slots = stoa_alloc_large(n_slots, sizeof *slots);

    STOA_RETURN_NO_MEMORY(err, slots);
    for (size_t slot = 0; slot < n_slots; slot += at_once) {
        memset(slots + slot, 0, at_once * sizeof *slots);
        STOA_TRY(stoa_report_progress(set->listener, &progress, err));
    }
    for (uint32_t number = 0; number < set->count; number++) {
        STOA_TRY(number % LOOK == 0 ? stoa_report_progress(set->listener, &progress, err)
                                    : STOA_OK);
        if (set->count - number > STOA_STRING_SET_AT_ONCE) {
            __builtin_prefetch(&slots[hashes[number + STOA_STRING_SET_AT_ONCE] & (n_slots - 1)], 1);
        }
        size_t slot = (size_t)hashes[number] & (n_slots - 1);
        while (slots[slot] != 0) {
            slot = (slot + 1) & (n_slots - 1);
        }
        slots[slot] = tag_of(hashes[number]) | (number + 1);
    }
    free(set->slots);
    set->slots = slots;
    set->n_slots = n_slots;
    slots = NULL;

done:
    free(slots);
    return status;
}

stoa_status stoa_string_set_reserve(stoa_string_set *set, size_t n, stoa_error *err)
{
    size_t n_slots = set->n_slots != 0 ? set->n_slots : 64;

    while (n_slots / 2 < (size_t)set->count + n) {
        if (n_slots > SIZE_MAX / 4) {
            return stoa_fail_memory(err);
        }
        n_slots *= 2;
    }
    return n_slots != set->n_slots ? grow_slots(set, n_slots, err) : STOA_OK;
}

/* A look-up waits for its slot, then its offset, then its bytes. Each is prefetched for all
 * look-ups before the first one needs it. */
static void prefetch_some(const stoa_string_set *set, const uint64_t *hashes, size_t n,
                          size_t *slots, uint32_t *numbers)
{
    const uint64_t *offsets = (const uint64_t *)(const void *)set->offsets.data;

    for (size_t i = 0; i < n; i++) {
        slots[i] = home_of(set, hashes[i]);
        __builtin_prefetch(&set->slots[slots[i]]);
    }
    for (size_t i = 0; i < n; i++) {
        slots[i] = likely_slot(set, hashes[i], slots[i]);
        numbers[i] = number_of(set->slots[slots[i]]);
        if (numbers[i] != STOA_STRING_SET_NONE) {
            __builtin_prefetch(&offsets[numbers[i]]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (numbers[i] != STOA_STRING_SET_NONE &&
            set->bytes.size > 0) { /* else every string is "" */
            __builtin_prefetch(set->bytes.data + offsets[numbers[i]]);
        }
    }
}

/* Add a string whose slot is the given one or follows it. */
static stoa_status add_at(stoa_string_set *set, const void *bytes, size_t length, uint64_t hash,
                          size_t slot, uint32_t *number, stoa_error *err)
{
    slot = find_slot(set, bytes, length, hash, slot);
    if (set->slots[slot] != 0) {
        *number = number_of(set->slots[slot]);
        return STOA_OK;
    }
    if (set->count >= UINT32_MAX - 1) {
        return stoa_fail(err, STOA_ERANGE, "more than %u distinct strings", UINT32_MAX - 2);
    }

    /* Reserve all memory first, so that a failure leaves the set unchanged. */
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&set->bytes, length, err));
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&set->hashes, sizeof hash, err));
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&set->offsets, 2 * sizeof(uint64_t), err));
    if (set->offsets.size == 0) {
        STOA_RETURN_NOT_OK(
            stoa_buffer_append(&set->offsets, &(uint64_t){0}, sizeof(uint64_t), err));
    }
    STOA_RETURN_NOT_OK(stoa_buffer_append(&set->bytes, bytes, length, err));
    STOA_RETURN_NOT_OK(stoa_buffer_append(&set->hashes, &hash, sizeof hash, err));
    STOA_RETURN_NOT_OK(
        stoa_buffer_append(&set->offsets, &(uint64_t){set->bytes.size}, sizeof(uint64_t), err));
    *number = set->count++;
    set->slots[slot] = tag_of(hash) | set->count;
    return STOA_OK;
}

static stoa_status add(stoa_string_set *set, const void *bytes, size_t length, uint64_t hash,
                       uint32_t *number, stoa_error *err)
{
    if ((size_t)set->count * 2 >= set->n_slots) {
        STOA_RETURN_NOT_OK(stoa_string_set_reserve(set, 1, err));
    }
    return add_at(set, bytes, length, hash, home_of(set, hash), number, err);
}

stoa_status stoa_string_set_add_many(stoa_string_set *set, const char *const *texts,
                                     const size_t *lengths, const uint64_t *hashes, size_t n,
                                     uint32_t *numbers, stoa_error *err)
{
    size_t slots[STOA_STRING_SET_AT_ONCE];
    size_t some = 0;

    for (size_t at = 0; at < n; at += some) {
        some = n - at < STOA_STRING_SET_AT_ONCE ? n - at : STOA_STRING_SET_AT_ONCE;
        STOA_RETURN_NOT_OK(stoa_string_set_reserve(set, some, err));
        prefetch_some(set, hashes + at, some, slots, numbers + at);
        for (size_t i = at; i < at + some; i++) {
            STOA_RETURN_NOT_OK(
                add_at(set, texts[i], lengths[i], hashes[i], slots[i - at], &numbers[i], err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_string_set_add(stoa_string_set *set, const void *bytes, size_t length,
                                uint32_t *number, stoa_error *err)
{
    return add(set, bytes, length, stoa_hash_bytes(bytes, length, 0), number, err);
}

stoa_status stoa_string_set_merge(stoa_string_set *set, const stoa_string_set *other,
                                  uint32_t *numbers, stoa_error *err)
{
    const uint64_t *hashes = (const uint64_t *)(const void *)other->hashes.data;
    uint32_t number = 0;

    STOA_RETURN_NOT_OK(stoa_string_set_reserve(set, other->count, err));
    for (uint32_t i = 0; i < other->count; i++) {
        if (other->count - i > STOA_STRING_SET_AT_ONCE) { /* prefetch */
            __builtin_prefetch(&set->slots[home_of(set, hashes[i + STOA_STRING_SET_AT_ONCE])]);
        }
        size_t length;
        const char *bytes = stoa_string_set_get(other, i, &length);
        STOA_RETURN_NOT_OK(add(set, bytes, length, hashes[i], &number, err));
        if (numbers != NULL) {
            numbers[i] = number;
        }
    }
    return STOA_OK;
}

bool stoa_string_set_find(const stoa_string_set *set, const void *bytes, size_t length,
                          uint32_t *number)
{
    if (set->n_slots == 0) {
        return false;
    }
    const uint64_t hash = stoa_hash_bytes(bytes, length, 0);
    const size_t slot = find_slot(set, bytes, length, hash, home_of(set, hash));
    if (set->slots[slot] == 0) {
        return false;
    }
    *number = number_of(set->slots[slot]);
    return true;
}

/* Look up some strings by their hashes. An absent one gives STOA_STRING_SET_NONE. */
static void find_some(const stoa_string_set *set, const char *const *texts, const size_t *lengths,
                      const uint64_t *hashes, size_t n, uint32_t *numbers)
{
    size_t slots[STOA_STRING_SET_AT_ONCE];

    prefetch_some(set, hashes, n, slots, numbers);
    for (size_t i = 0; i < n; i++) {
        numbers[i] =
            number_of(set->slots[find_slot(set, texts[i], lengths[i], hashes[i], slots[i])]);
    }
}

void stoa_string_set_find_many(const stoa_string_set *set, const char *const *texts,
                               const size_t *lengths, size_t n, uint32_t *numbers)
{
    for (size_t i = 0; i < n; i += STOA_STRING_SET_AT_ONCE) {
        const size_t left = n - i;
        const size_t some = left < STOA_STRING_SET_AT_ONCE ? left : STOA_STRING_SET_AT_ONCE;
        if (set->count != 0) {
            uint64_t hashes[STOA_STRING_SET_AT_ONCE];
            for (size_t k = 0; k < some; k++) {
                hashes[k] = stoa_hash_bytes(texts[i + k], lengths[i + k], 0);
            }
            find_some(set, texts + i, lengths + i, hashes, some, numbers + i);
        } else {
            memset(numbers + i, 0xff, some * sizeof *numbers);
        }
    }
}

void stoa_string_set_clear(stoa_string_set *set)
{
    stoa_buffer_clear(&set->bytes);
    stoa_buffer_clear(&set->offsets);
    stoa_buffer_clear(&set->hashes);
    free(set->slots);
    *set = (stoa_string_set){0};
}
