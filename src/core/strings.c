/* Distinct byte strings by open addressing; numbers are stable. */
#include "core/strings.h"

#include <stdlib.h>
#include <string.h>

uint64_t stoa_hash_bytes(const void *bytes, size_t length, uint64_t seed)
{
    const uint8_t *p = bytes;
    uint64_t hash = seed ^ (length * 0x9e3779b97f4a7c15u);

    for (; length >= 8; length -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    for (; length > 0; length--, p++) {
        hash = (hash ^ *p) * 0x100000001b3u;
    }
    hash ^= hash >> 33;
    hash *= 0xc4ceb9fe1a85ec53u;
    return hash ^ (hash >> 29);
}

int stoa_compare_bytes(const void *a, size_t a_length, const void *b, size_t b_length)
{
    const size_t shorter = a_length < b_length ? a_length : b_length;
    const int order = shorter != 0 ? memcmp(a, b, shorter) : 0;

    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

const char *stoa_strings_get(const stoa_strings *set, uint32_t number, size_t *length)
{
    const uint64_t *offsets = (const uint64_t *)(const void *)set->offsets.data;

    *length = (size_t)(offsets[number + 1] - offsets[number]);
    return *length != 0 ? (const char *)set->bytes.data + offsets[number] : "";
}

/* The slot that holds the string, or the free one where it belongs. */
static size_t find_slot(const stoa_strings *set, const void *bytes, size_t length, uint64_t hash)
{
    const uint64_t *hashes = (const uint64_t *)(const void *)set->hashes.data;
    size_t slot = (size_t)hash & (set->n_slots - 1);

    while (set->slots[slot] != 0) {
        const uint32_t number = set->slots[slot] - 1;
        if (hashes[number] == hash) {
            size_t other_length;
            const char *other = stoa_strings_get(set, number, &other_length);
            if (other_length == length && (length == 0 || memcmp(other, bytes, length) == 0)) {
                break;
            }
        }
        slot = (slot + 1) & (set->n_slots - 1);
    }
    return slot;
}

static stoa_status grow_slots(stoa_strings *set, stoa_error *err)
{
    const uint64_t *hashes = (const uint64_t *)(const void *)set->hashes.data;
    const size_t n_slots = set->n_slots != 0 ? set->n_slots * 2 : 64;
    uint32_t *slots = stoa_alloc_zero(n_slots, sizeof *slots);

    if (slots == NULL) {
        return stoa_fail_memory(err);
    }
    for (uint32_t number = 0; number < set->count; number++) {
        size_t slot = (size_t)hashes[number] & (n_slots - 1);
        while (slots[slot] != 0) {
            slot = (slot + 1) & (n_slots - 1);
        }
        slots[slot] = number + 1;
    }
    free(set->slots);
    set->slots = slots;
    set->n_slots = n_slots;
    return STOA_OK;
}

stoa_status stoa_strings_add(stoa_strings *set, const void *bytes, size_t length, uint32_t *number,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t hash = stoa_hash_bytes(bytes, length, 0);

    if ((size_t)set->count * 2 >= set->n_slots) {
        STOA_TRY(grow_slots(set, err));
    }
    const size_t slot = find_slot(set, bytes, length, hash);
    if (set->slots[slot] != 0) {
        *number = set->slots[slot] - 1;
        return STOA_OK;
    }
    if (set->count >= UINT32_MAX - 1) {
        STOA_FAIL(err, STOA_ERANGE, "more than %u distinct strings", UINT32_MAX - 2);
    }

    /* Reserve everything first, so that a failure leaves the set as it was. */
    STOA_TRY(stoa_buffer_reserve(&set->bytes, length, err));
    STOA_TRY(stoa_buffer_reserve(&set->hashes, sizeof hash, err));
    STOA_TRY(stoa_buffer_reserve(&set->offsets, 2 * sizeof(uint64_t), err));
    if (set->offsets.size == 0) {
        STOA_TRY(stoa_buffer_append(&set->offsets, &(uint64_t){0}, sizeof(uint64_t), err));
    }
    STOA_TRY(stoa_buffer_append(&set->bytes, bytes, length, err));
    STOA_TRY(stoa_buffer_append(&set->hashes, &hash, sizeof hash, err));
    STOA_TRY(
        stoa_buffer_append(&set->offsets, &(uint64_t){set->bytes.size}, sizeof(uint64_t), err));
    *number = set->count;
    set->slots[slot] = ++set->count;

done:
    return status;
}

bool stoa_strings_find(const stoa_strings *set, const void *bytes, size_t length, uint32_t *number)
{
    if (set->n_slots == 0) {
        return false;
    }
    const size_t slot = find_slot(set, bytes, length, stoa_hash_bytes(bytes, length, 0));
    if (set->slots[slot] == 0) {
        return false;
    }
    *number = set->slots[slot] - 1;
    return true;
}

void stoa_strings_clear(stoa_strings *set)
{
    stoa_buffer_clear(&set->bytes);
    stoa_buffer_clear(&set->offsets);
    stoa_buffer_clear(&set->hashes);
    free(set->slots);
    *set = (stoa_strings){0};
}
