#include "query/aggregate/numbered.h"

#include <stdlib.h>
#include <string.h>

#include "query/aggregate/pairs.h"

/* Most bits of a bitmap. */
#define MAX_BITS (UINT64_C(1) << 26)

void stoa_numbered_clear(stoa_numbered *numbered)
{
    stoa_key_clear(&numbered->reader);
    stoa_buffer_clear(&numbered->pairs);
    stoa_buffer_clear(&numbered->bits);
    *numbered = (stoa_numbered){.stride = 0};
}

/* Rows -------------------------------------------------------------------------------------- */

/* Pairs of group and code that are noted together. */
typedef struct noted {
    size_t n;
    uint32_t groups[STOA_BLOCK_ROWS];
    uint32_t codes[STOA_BLOCK_ROWS];
} noted;

static stoa_status note(stoa_numbered *to, const stoa_labels *labels, noted *some, stoa_error *err)
{
    uint64_t pairs[STOA_BLOCK_ROWS];
    uint32_t numbers[STOA_BLOCK_ROWS];

    STOA_RETURN_NOT_OK(
        stoa_key_of_codes(&to->reader, labels, some->codes, NULL, (int64_t)some->n, numbers, err));
    for (size_t i = 0; i < some->n; i++) { /* no row that counts lacks its label */
        pairs[i] = (uint64_t)some->groups[i] << 32 | (numbers[i] - 1);
    }
    STOA_RETURN_NOT_OK(stoa_buffer_append(&to->pairs, pairs, some->n * sizeof *pairs, err));
    some->n = 0;
    return STOA_OK;
}

stoa_status stoa_numbered_add(stoa_aggregate *aggregate, const stoa_operand *operand,
                              const uint32_t *ids, stoa_error *err)
{
    const stoa_labels *const labels = operand->labels;
    const uint32_t *const codes = operand->values;
    stoa_numbered *const to = &aggregate->numbered;
    stoa_met met;
    noted some;

    some.n = 0;
    STOA_RETURN_NOT_OK(stoa_key_labels(&to->reader, labels, NULL, err));
    STOA_RETURN_NOT_OK(stoa_met_open(aggregate, labels, &met, err));
    STOA_EACH_KEPT(row, operand)
    {
        const uint32_t group = ids != NULL ? ids[row] : 0;
        if (stoa_met_is_new(&met, group, codes[row])) {
            some.groups[some.n] = group;
            some.codes[some.n++] = codes[row];
            STOA_RETURN_NOT_OK(some.n == STOA_BLOCK_ROWS ? note(to, labels, &some, err) : STOA_OK);
        }
    }
    return note(to, labels, &some, err);
}

/* Merging ----------------------------------------------------------------------------------- */

/* Add pairs to `seen`. */
static stoa_status add_hashed(stoa_aggregate *aggregate, const uint64_t *pairs, size_t n,
                              const uint32_t *ids, stoa_numbered_hash *hash, stoa_error *err)
{
    uint64_t rows[STOA_BLOCK_ROWS * STOA_PAIR_WORDS];
    size_t some = 0;

    for (size_t at = 0; at < n; at += some) {
        some = n - at < STOA_BLOCK_ROWS ? n - at : STOA_BLOCK_ROWS;
        for (size_t i = 0; i < some; i++) {
            uint64_t *const row = rows + i * STOA_PAIR_WORDS;
            const uint32_t group = (uint32_t)(pairs[at + i] >> 32);
            row[0] = ids != NULL ? ids[group] : group;
            row[1] = (uint32_t)pairs[at + i];
        }
        STOA_RETURN_NOT_OK(stoa_aggregate_look(aggregate->listener, err));
        STOA_RETURN_NOT_OK(hash(aggregate, rows, (int64_t)some, err));
    }
    return STOA_OK;
}

/* Move the pairs of the bitmap to `seen`, which counts them again. */
static stoa_status leave_bits(stoa_aggregate *aggregate, stoa_numbered_hash *hash, stoa_error *err)
{
    stoa_numbered *const own = &aggregate->numbered;
    const uint64_t *const words = (const uint64_t *)(const void *)own->bits.data;
    uint64_t pairs[64];

    own->is_hashed = true;
    for (uint32_t group = 0; group < aggregate->n_groups; group++) {
        stoa_cells(aggregate)[group].n = 0;
    }
    for (size_t i = 0; i < own->bits.size / sizeof *words; i++) {
        const uint64_t group = i * 64 / own->stride;
        uint64_t left = words[i];
        size_t n = 0;
        for (int64_t number; stoa_next_bit(&left, (int64_t)(i * 64 % own->stride), &number);) {
            pairs[n++] = group << 32 | (uint64_t)number;
        }
        STOA_RETURN_NOT_OK(add_hashed(aggregate, pairs, n, NULL, hash, err));
    }
    stoa_buffer_clear(&own->bits);
    return STOA_OK;
}

/* Give each group so many bits. */
static stoa_status stretch(stoa_numbered *own, uint64_t stride, stoa_error *err)
{
    const size_t before = (size_t)own->stride / 8;
    const size_t after = (size_t)stride / 8;
    const size_t n = before > 0 ? own->bits.size / before : 0;
    stoa_buffer bits = {0};

    STOA_RETURN_NOT_OK(stoa_buffer_grow(&bits, n * after, err));
    for (size_t group = 0; group < n; group++) {
        memcpy(bits.data + group * after, own->bits.data + group * before, before);
    }
    stoa_buffer_clear(&own->bits);
    own->bits = bits;
    own->stride = stride;
    return STOA_OK;
}

/* Make room for all numbers and groups, in `seen` if the bitmap would be too large. */
static stoa_status make_room(stoa_aggregate *aggregate, stoa_numbered_hash *hash, stoa_error *err)
{
    stoa_numbered *const own = &aggregate->numbered;
    const uint64_t n = stoa_key_count(&own->reader);
    uint64_t stride = own->stride > 0 ? own->stride : 64;

    if (own->is_hashed) {
        return STOA_OK;
    }
    while (stride < n) {
        stride *= 2;
    }
    if (stride > MAX_BITS / aggregate->n_groups) {
        return leave_bits(aggregate, hash, err);
    }
    if (stride != own->stride) {
        STOA_RETURN_NOT_OK(stretch(own, stride, err));
    }
    const size_t wanted = (size_t)(stride / 8 * aggregate->n_groups);
    return wanted > own->bits.size ? stoa_buffer_grow(&own->bits, wanted - own->bits.size, err)
                                   : STOA_OK;
}

stoa_status stoa_numbered_merge(stoa_aggregate *aggregate, const stoa_numbered *from,
                                const uint32_t *ids, stoa_numbered_hash *hash, stoa_error *err)
{
    const size_t n = from->pairs.size / sizeof(uint64_t);
    const uint64_t *const pairs = (const uint64_t *)(const void *)from->pairs.data;
    stoa_cell *const cells = stoa_cells(aggregate);

    STOA_RETURN_NOT_OK(n > 0 ? make_room(aggregate, hash, err) : STOA_OK);
    if (aggregate->numbered.is_hashed) {
        return add_hashed(aggregate, pairs, n, ids, hash, err);
    }
    uint8_t *const bits = aggregate->numbered.bits.data;
    for (size_t i = 0; i < n; i++) {
        const uint32_t of = (uint32_t)(pairs[i] >> 32);
        const uint64_t group = ids != NULL ? ids[of] : of;
        const uint64_t bit = group * aggregate->numbered.stride + (uint32_t)pairs[i];
        STOA_RETURN_NOT_OK(
            i % STOA_AGGREGATE_LOOK == 0 ? stoa_aggregate_look(aggregate->listener, err) : STOA_OK);
        cells[group].n += !stoa_bit_get(bits, bit);
        stoa_bit_set(bits, bit);
    }
    return STOA_OK;
}
