/* The canonical missing-value test (HEP001 §8.5): isnan(fill) ? isnan(value) : value == fill,
 * bitwise. */
#include <stdlib.h>
#include <string.h>

#include "column/column.h"
#include "column/read/decode.h"
#include "core/memory.h"

/* The first byte of every element that equals the fill value; -1 if unknown. */
static int first_byte(const stoa_column *column)
{
    const stoa_element *element = &column->element;
    const char *fill = (const char *)column->fill;

    if (element->class != STOA_ELEMENT_FIXED_STRING) {
        return -1;
    }
    if (stoa_fixed_string_length(fill, element->size, element->padding) > 0) {
        return (uint8_t)fill[0];
    }
    return element->padding == H5T_STR_SPACEPAD ? ' ' : '\0';
}

static void mark_others(const stoa_column *column, const uint8_t *elements, uint64_t n,
                        uint8_t *bits)
{
    const size_t size = column->element.size;
    const int first = first_byte(column);

    for (uint64_t i = 0; i < n; i++) {
        if ((first < 0 || elements[i * size] == first) &&
            stoa_element_equal(&column->element, elements + i * size, column->fill)) {
            stoa_bit_set(bits, i);
        }
    }
}

/* The bits of a number, zero-extended. */
static uint64_t bits_of(const void *value, size_t size)
{
    switch (size) {
    case 1:
        return *(const uint8_t *)value;
    case 2:
        return *(const uint16_t *)value;
    case 4:
        return *(const uint32_t *)value;
    default:
        return *(const uint64_t *)value;
    }
}

uint64_t stoa_column_mark_valid(const stoa_column *column, const stoa_validity_kernels *marks,
                                const void *elements, uint64_t n, uint8_t *validity)
{
    const int place = stoa_validity_place(column->element.size);
    const uint64_t fill = bits_of(column->fill, column->element.size);

    return column->fill_is_nan ? marks->numbers[place](elements, n, validity)
                               : marks->unequal[place](elements, n, fill, validity);
}

/* Set the bits of missing elements. Returns their number. */
static uint64_t mark(const stoa_column *column, const void *elements, uint64_t n, uint8_t *bits)
{
    if (!stoa_column_is_numeric(column)) {
        mark_others(column, elements, n, bits);
        return stoa_bit_count(bits, 0, n);
    }
    const uint64_t n_missing = stoa_column_mark_valid(
        column, stoa_validity_kernels_of(stoa_simd_of_cpu()), elements, n, bits);
    for (uint64_t i = 0; n_missing != 0 && i < stoa_bit_bytes(n); i++) {
        bits[i] = (uint8_t)~bits[i];
    }
    if (n_missing != 0 && (n & 7) != 0) {
        bits[n >> 3] = (uint8_t)(bits[n >> 3] & ((1u << (n & 7)) - 1u));
    }
    return n_missing;
}

stoa_status stoa_column_missing(const stoa_column *column, const void *elements, uint64_t count,
                                uint8_t **missing, uint64_t *n_missing, stoa_error *err)
{
    *missing = NULL;
    *n_missing = 0;
    if (column->fill == NULL || count == 0) {
        return STOA_OK;
    }
    uint8_t *bits = stoa_alloc_zero(stoa_bit_bytes(count), 1);
    STOA_RETURN_NO_MEMORY(err, bits);
    *n_missing = mark(column, elements, count, bits);
    if (*n_missing == 0) {
        free(bits);
        bits = NULL;
    }
    *missing = bits;
    return STOA_OK;
}
