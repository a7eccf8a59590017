#include "sparse/store/content_dense.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 64 }; /* elements per word of the bitmap */

void stoa_content_dense_set(stoa_content_dense *field, const stoa_sparse_format *format)
{
    *field = (stoa_content_dense){.value_size = stoa_sparse_value_size(format),
                                  .n_elements = (size_t)format->n_elements};
}

static size_t n_words(const stoa_content_dense *f)
{
    return f->n_elements / WORD + 1;
}

stoa_status stoa_content_dense_open(stoa_content_dense *field, stoa_error *err)
{
    field->values = stoa_alloc_zero(field->n_elements, field->value_size);
    field->bits = stoa_alloc_zero(n_words(field), sizeof *field->bits);
    if (field->values == NULL || field->bits == NULL) {
        stoa_content_dense_clear(field);
        return stoa_fail_memory(err);
    }
    return STOA_OK;
}

void stoa_content_dense_clear(stoa_content_dense *field)
{
    free(field->values);
    free(field->bits);
    field->values = NULL;
    field->bits = NULL;
    field->n = 0;
}

size_t stoa_content_dense_bytes(const stoa_content_dense *field)
{
    return field->n_elements * field->value_size + n_words(field) * sizeof *field->bits;
}

/* --- edits ----------------------------------------------------------------------------------- */

static void define(stoa_content_dense *f, uint32_t position)
{
    uint64_t *word = &f->bits[position / WORD];
    const unsigned bit = position % WORD;

    f->n += ~*word >> bit & 1;
    *word |= UINT64_C(1) << bit;
}

/* The bits of a run that lie in its first word; *n is their number. */
static uint64_t mask_of(uint32_t first, uint32_t most, uint32_t *n)
{
    const uint32_t at = first % WORD;

    *n = most < WORD - at ? most : WORD - at;
    return UINT64_MAX >> (WORD - *n) << at;
}

static uint64_t count(uint64_t bits)
{
    return (uint64_t)__builtin_popcountll(bits);
}

void stoa_content_dense_put(stoa_content_dense *field, uint32_t first, uint32_t n,
                            const uint8_t *values)
{
    memcpy(field->values + first * field->value_size, values, n * field->value_size);
    for (uint32_t some = 0; n > 0; first += some, n -= some) {
        const uint64_t mask = mask_of(first, n, &some);
        uint64_t *word = &field->bits[first / WORD];
        field->n += count(mask & ~*word);
        *word |= mask;
    }
}

void stoa_content_dense_put_all(stoa_content_dense *field, const uint32_t *positions, size_t n,
                                const uint8_t *values)
{
    const size_t size = field->value_size;

    for (size_t i = 0; i < n; i++) {
        define(field, positions[i]);
        stoa_value_copy(field->values + positions[i] * size, values + i * size, size);
    }
}

void stoa_content_dense_put_line(stoa_content_dense *field, const stoa_line *line)
{
    const size_t size = field->value_size;

    for (size_t i = 0; i < line->n; i++) {
        const size_t position = line->first + i * line->stride;
        define(field, (uint32_t)position);
        stoa_value_copy(field->values + position * size, line->values + i * line->step, size);
    }
}

void stoa_content_dense_erase(stoa_content_dense *field, uint32_t first, uint32_t n)
{
    for (uint32_t some = 0; n > 0; first += some, n -= some) {
        const uint64_t mask = mask_of(first, n, &some);
        uint64_t *word = &field->bits[first / WORD];
        field->n -= count(mask & *word);
        *word &= ~mask;
    }
}

/* --- reading --------------------------------------------------------------------------------- */

uint32_t stoa_content_dense_run(const stoa_content_dense *field, uint32_t first, uint32_t n,
                                bool *are_there)
{
    uint32_t length = 0;
    uint32_t some = 0;

    *are_there = (field->bits[first / WORD] >> first % WORD & 1) != 0;
    while (length < n) {
        const uint64_t mask = mask_of(first + length, n - length, &some);
        const uint64_t word = field->bits[(first + length) / WORD];
        const uint64_t others = mask & (*are_there ? ~word : word);
        if (others != 0) {
            return length + (uint32_t)__builtin_ctzll(others) - (first + length) % WORD;
        }
        length += some;
    }
    return length;
}

void stoa_content_dense_list(const stoa_content_dense *field, uint32_t *positions, uint8_t *values)
{
    const size_t size = field->value_size;

    for (size_t i = 0; i < n_words(field); i++) {
        const uint32_t first = (uint32_t)(i * WORD);
        const uint8_t *from = field->values + first * size;
        uint64_t bits = field->bits[i];
        if (bits == UINT64_MAX && values != NULL) {
            memcpy(values, from, WORD * size);
            values += WORD * size;
        }
        if (bits == UINT64_MAX) {
            for (uint32_t k = 0; k < WORD; k++) {
                *positions++ = first + k;
            }
            continue;
        }
        for (; bits != 0; bits &= bits - 1) {
            const uint32_t k = (uint32_t)__builtin_ctzll(bits);
            *positions++ = first + k;
            if (values != NULL) {
                stoa_value_copy(values, from + k * size, size);
                values += size;
            }
        }
    }
}
