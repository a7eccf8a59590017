/* Decodes the logical types of integers within other types, which may be booleans or times; see
 * types.h. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/types.h"

stoa_type stoa_element_logical_type(const stoa_element *element)
{
    const stoa_kind kind = element->logical == STOA_LOGICAL_BOOL       ? STOA_KIND_BOOL
                           : element->logical == STOA_LOGICAL_NONE     ? element->kind
                           : element->logical == STOA_LOGICAL_DURATION ? STOA_KIND_DURATION
                           : element->units.unit == STOA_TIME_DAY      ? STOA_KIND_DATE
                                                                       : STOA_KIND_TIMESTAMP;

    return (stoa_type){.kind = kind, .unit = element->units.unit, .utc = element->units.utc};
}

static int64_t count_of(const stoa_element *element, const uint8_t *at)
{
    uint8_t bytes[8];
    int64_t wide;
    int32_t narrow;

    for (size_t i = 0; i < element->size; i++) {
        bytes[i] = at[element->turns ? element->size - 1 - i : i];
    }
    if (element->size == sizeof narrow) {
        memcpy(&narrow, bytes, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, bytes, sizeof wide);
    return element->units.is_split ? stoa_split_ticks(wide) : wide;
}

static stoa_status decode_times(const stoa_element *element, const uint8_t *elements, int64_t n,
                                void *ticks, stoa_error *err)
{
    const bool is_date = element->units.unit == STOA_TIME_DAY;

    for (int64_t i = 0; i < n; i++) {
        const int64_t tick = count_of(element, elements + (size_t)i * element->size);
        if (is_date && (tick < INT32_MIN || tick > INT32_MAX)) {
            return stoa_fail(err, STOA_ERANGE, "%lld days are out of Arrow's range",
                             (long long)tick);
        }
        stoa_integer_put((uint8_t *)ticks + (size_t)i * (is_date ? 4 : 8), is_date ? 4 : 8, tick);
    }
    return STOA_OK;
}

stoa_status stoa_element_decode_logical(const stoa_element *element, const uint8_t *elements,
                                        int64_t n, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_bool = element->logical == STOA_LOGICAL_BOOL;
    uint8_t *values =
        stoa_alloc_zero(is_bool ? (size_t)stoa_bit_bytes((uint64_t)n) : (size_t)n, is_bool ? 1 : 8);

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; is_bool && i < n; i++) {
        values[i / 8] |= (uint8_t)((elements[i] != 0) << (i % 8));
    }
    STOA_TRY(is_bool ? STOA_OK : decode_times(element, elements, n, values, err));
    void *const buffers[] = {NULL, values};
    values = NULL;
    STOA_TRY(stoa_array_make(out, n, 0, 2, buffers, err));

done:
    free(values);
    return status;
}
