/* The canonical missing-value test (HEP001 §8.5): isnan(fill) ? isnan(value) : value == fill,
 * bitwise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "column/column.h"
#include "core/memory.h"

/* One loop a width, so that the compiler can vectorise the test; the bitmap is filled eight rows at
 * a time. */
#define DEFINE_MARK(name, type, is_missing)                                                        \
    static void name(const void *elements, uint64_t n, type fill, uint8_t *bits)                   \
    {                                                                                              \
        const type *values = elements;                                                             \
        (void)fill;                                                                                \
        uint64_t i = 0;                                                                            \
        for (; i + 8 <= n; i += 8) {                                                               \
            unsigned byte = 0;                                                                     \
            for (unsigned k = 0; k < 8; k++) {                                                     \
                const type value = values[i + k];                                                  \
                byte |= (unsigned)(is_missing) << k;                                               \
            }                                                                                      \
            bits[i >> 3] = (uint8_t)byte;                                                          \
        }                                                                                          \
        for (; i < n; i++) {                                                                       \
            const type value = values[i];                                                          \
            if (is_missing) {                                                                      \
                stoa_bit_set(bits, i);                                                             \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_MARK(mark_equal_8, uint8_t, value == fill)
DEFINE_MARK(mark_equal_16, uint16_t, value == fill)
DEFINE_MARK(mark_equal_32, uint32_t, value == fill)
DEFINE_MARK(mark_equal_64, uint64_t, value == fill)
DEFINE_MARK(mark_nan_16, uint16_t, (value & 0x7fff) > 0x7c00)
DEFINE_MARK(mark_nan_32, uint32_t, (value & 0x7fffffffu) > 0x7f800000u)
DEFINE_MARK(mark_nan_64, uint64_t, (value & 0x7fffffffffffffffu) > 0x7ff0000000000000u)

static void mark_others(const stoa_column *column, const uint8_t *elements, uint64_t n,
                        uint8_t *bits)
{
    const size_t size = column->element.size;

    for (uint64_t i = 0; i < n; i++) {
        if (stoa_element_equal(&column->element, elements + i * size, column->fill)) {
            stoa_bit_set(bits, i);
        }
    }
}

static void mark(const stoa_column *column, const void *elements, uint64_t n, uint8_t *bits)
{
    const stoa_element *element = &column->element;
    union {
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } fill = {0};
    const bool is_number = element->class == STOA_ELEMENT_INTEGER ||
                           element->class == STOA_ELEMENT_FLOAT ||
                           element->class == STOA_ELEMENT_ENUM;

    if (!is_number) {
        mark_others(column, elements, n, bits);
        return;
    }
    memcpy(&fill, column->fill, element->size);
    switch (element->size) {
    case 1:
        mark_equal_8(elements, n, fill.u8, bits);
        break;
    case 2:
        (column->fill_is_nan ? mark_nan_16 : mark_equal_16)(elements, n, fill.u16, bits);
        break;
    case 4:
        (column->fill_is_nan ? mark_nan_32 : mark_equal_32)(elements, n, fill.u32, bits);
        break;
    default:
        (column->fill_is_nan ? mark_nan_64 : mark_equal_64)(elements, n, fill.u64, bits);
        break;
    }
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
    if (bits == NULL) {
        return stoa_fail_memory(err);
    }
    mark(column, elements, count, bits);
    *n_missing = stoa_bit_count(bits, 0, count);
    if (*n_missing == 0) {
        free(bits);
        bits = NULL;
    }
    *missing = bits;
    return STOA_OK;
}
