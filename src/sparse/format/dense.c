#include "sparse/format/dense.h"

#include <string.h>

/* --- dense ----------------------------------------------------------------------------------- */

/* `n` copies of an element. */
static void repeat(uint8_t *to, const uint8_t *element, size_t size, uint64_t n)
{
    const size_t whole = size * (size_t)n;
    size_t done = size;

    memcpy(to, element, size);
    while (done < whole) { /* doubles the filled part each time */
        const size_t more = done < whole - done ? done : whole - done;
        memcpy(to + done, to, more);
        done += more;
    }
}

static bool is_zero(const uint8_t *bytes, size_t n)
{
    return bytes[0] == 0 && (n == 1 || memcmp(bytes, bytes + 1, n - 1) == 0);
}

void stoa_sparse_expand(const stoa_sparse_format *format, const uint8_t *value, uint8_t *element)
{
    size_t at = 0;

    for (size_t i = 0; i < format->n_slots; i++) {
        const size_t plain = format->slots[i] - at;
        memcpy(element + at, value, plain);
        memset(element + at + plain, 0, format->slot_size);
        value += plain + sizeof(uint32_t);
        at = format->slots[i] + format->slot_size;
    }
    memcpy(element + at, value, format->element_size - at);
}

void stoa_sparse_shrink(const stoa_sparse_format *format, const uint8_t *element, uint8_t *value)
{
    size_t at = 0;

    for (size_t i = 0; i < format->n_slots; i++) {
        const size_t plain = format->slots[i] - at;
        memcpy(value, element + at, plain);
        memset(value + plain, 0, sizeof(uint32_t));
        value += plain + sizeof(uint32_t);
        at = format->slots[i] + format->slot_size;
    }
    memcpy(value, element + at, format->element_size - at);
}

/* Copy runs of values to their positions. */
static void scatter(const stoa_sparse_chunk *chunk, size_t size, uint8_t *dense)
{
    for (size_t i = 0; i < chunk->n;) {
        const uint32_t first = chunk->positions[i];
        size_t n = 1;
        while (i + n < chunk->n && chunk->positions[i + n] == first + n) {
            n++;
        }
        memcpy(dense + first * size, chunk->values + i * size, n * size);
        i += n;
    }
}

void stoa_sparse_spread(const stoa_sparse_format *format, const stoa_sparse_chunk *chunk,
                        const uint8_t *fill, uint8_t *dense)
{
    const size_t size = format->element_size;
    const size_t value_size = stoa_sparse_value_size(format);

    if (chunk->n < format->n_elements) {
        if (is_zero(fill, size)) {
            memset(dense, 0, size * (size_t)format->n_elements);
        } else {
            repeat(dense, fill, size, format->n_elements);
        }
    }
    if (format->n_slots == 0) {
        scatter(chunk, size, dense);
        return;
    }
    for (size_t i = 0; i < chunk->n; i++) {
        stoa_sparse_expand(format, chunk->values + i * value_size,
                           dense + chunk->positions[i] * size);
    }
}

/* --- sparse ---------------------------------------------------------------------------------- */

/* Find the positions of elements that differ from the fill value, and return their number. Sizes
 * that a processor compares in one instruction come first. */
#define DIFFERING(bits)                                                                            \
    static size_t differing_##bits(const uint8_t *dense, const uint8_t *fill, uint64_t n,          \
                                   uint32_t *positions)                                            \
    {                                                                                              \
        size_t found = 0;                                                                          \
        uint##bits##_t absent;                                                                     \
                                                                                                   \
        memcpy(&absent, fill, sizeof absent);                                                      \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            uint##bits##_t element;                                                                \
            memcpy(&element, dense + i * sizeof element, sizeof element);                          \
            positions[found] = (uint32_t)i;                                                        \
            found += element != absent;                                                            \
        }                                                                                          \
        return found;                                                                              \
    }

DIFFERING(8)
DIFFERING(16)
DIFFERING(32)
DIFFERING(64)

static size_t differing_any(const uint8_t *dense, const uint8_t *fill, size_t size, uint64_t n,
                            uint32_t *positions)
{
    size_t found = 0;

    for (uint64_t i = 0; i < n; i++) {
        positions[found] = (uint32_t)i;
        found += memcmp(dense + i * size, fill, size) != 0;
    }
    return found;
}

static size_t differing(const uint8_t *dense, const uint8_t *fill, size_t size, uint64_t n,
                        uint32_t *positions)
{
    switch (size) {
    case 1:
        return differing_8(dense, fill, n, positions);
    case 2:
        return differing_16(dense, fill, n, positions);
    case 4:
        return differing_32(dense, fill, n, positions);
    case 8:
        return differing_64(dense, fill, n, positions);
    default:
        return differing_any(dense, fill, size, n, positions);
    }
}

static size_t all_of(uint64_t n, uint32_t *positions)
{
    for (uint64_t i = 0; i < n; i++) {
        positions[i] = (uint32_t)i;
    }
    return (size_t)n;
}

static bool refers(const stoa_sparse_format *format, const uint8_t *element)
{
    for (size_t i = 0; i < format->n_slots; i++) {
        if (!is_zero(element + format->slots[i], format->slot_size)) {
            return true;
        }
    }
    return false;
}

stoa_status stoa_sparse_collect(const stoa_sparse_format *format, const uint8_t *dense,
                                const uint8_t *fill, stoa_sparse_chunk *chunk, stoa_error *err)
{
    const size_t size = format->element_size;
    const size_t value_size = stoa_sparse_value_size(format);
    const uint64_t n_elements = format->n_elements;
    stoa_status status = STOA_OK;

    /* One more, because a position is written before it is known to count. */
    STOA_TRY(stoa_room_for(&chunk->rooms[STOA_SECTION_POSITIONS],
                           (size_t)(n_elements + 1) * sizeof(uint32_t), err));
    chunk->positions = (uint32_t *)(void *)chunk->rooms[STOA_SECTION_POSITIONS].data;
    chunk->n = fill != NULL ? differing(dense, fill, size, n_elements, chunk->positions)
                            : all_of(n_elements, chunk->positions);
    chunk->n_heap = 0;
    STOA_TRY(stoa_room_for(&chunk->rooms[STOA_SECTION_VALUES], chunk->n * value_size, err));
    chunk->values = chunk->rooms[STOA_SECTION_VALUES].data;
    if (format->n_slots == 0) {
        for (size_t i = 0; i < chunk->n; i++) {
            memcpy(chunk->values + i * size, dense + chunk->positions[i] * size, size);
        }
        goto done;
    }
    for (size_t i = 0; i < chunk->n; i++) {
        const uint8_t *element = dense + chunk->positions[i] * size;
        if (refers(format, element)) {
            STOA_FAIL(err, STOA_EDATA,
                      "data of variable length in the file's global heap, which belong into "
                      "section 2: a program without Stoa's connector wrote them");
        }
        stoa_sparse_shrink(format, element, chunk->values + i * value_size);
    }

done:
    if (status != STOA_OK) {
        chunk->n = 0;
    }
    return status;
}
