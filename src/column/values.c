#include "column/values.h"

#include <stdlib.h>

#include "core/cpu.h"
#include "core/memory.h"

int64_t stoa_stored_integer(const stoa_element *element, const uint8_t *value)
{
    switch (element->kind) {
    case STOA_KIND_INT8:
        return (int8_t)*value;
    case STOA_KIND_UINT8:
        return *value;
    case STOA_KIND_INT16:
        return *(const int16_t *)(const void *)value;
    case STOA_KIND_UINT16:
        return *(const uint16_t *)(const void *)value;
    case STOA_KIND_INT32:
        return *(const int32_t *)(const void *)value;
    case STOA_KIND_UINT32:
        return *(const uint32_t *)(const void *)value;
    default:
        return *(const int64_t *)(const void *)value;
    }
}

/* Days as most files have them: int64 since 1970. False if one is out of range. */
STOA_CLONES static bool to_days(const int64_t *stored, uint64_t n, int32_t *days)
{
    uint64_t beyond = 0;

    for (uint64_t i = 0; i < n; i++) {
        days[i] = (int32_t)stored[i];
        beyond |= ((uint64_t)stored[i] + (UINT64_C(1) << 31)) >> 32;
    }
    return beyond == 0;
}

stoa_status stoa_column_to_ticks(const stoa_column *column, const uint8_t *elements, uint64_t n,
                                 const uint8_t *validity, void *ticks, stoa_error *err)
{
    const bool is_date = column->type.kind == STOA_KIND_DATE;

    if (is_date && validity == NULL && column->element.kind == STOA_KIND_INT64 &&
        !column->time.is_split && column->time.ticks_per == 1 && column->time.epoch_ticks == 0 &&
        to_days((const int64_t *)(const void *)elements, n, ticks)) {
        return STOA_OK;
    }
    for (uint64_t i = 0; i < n; i++) {
        int64_t stored = 0;
        int64_t tick = 0;
        if (validity == NULL || stoa_bit_get(validity, i)) {
            stored = stoa_stored_integer(&column->element, elements + i * column->element.size);
            stored = column->time.is_split ? stoa_split_ticks(stored) : stored;
            if (__builtin_mul_overflow(stored, column->time.ticks_per, &tick) ||
                __builtin_add_overflow(tick, column->time.epoch_ticks, &tick) ||
                (is_date && (tick < INT32_MIN || tick > INT32_MAX))) {
                return stoa_fail(err, STOA_ERANGE,
                                 "'%s' holds %lld %s, which is out of Arrow's range", column->name,
                                 (long long)stored, column->units);
            }
        }
        if (is_date) {
            ((int32_t *)ticks)[i] = (int32_t)tick;
        } else {
            ((int64_t *)ticks)[i] = tick;
        }
    }
    return STOA_OK;
}

/* Make the schema of timestamps with a time zone. */
static stoa_status make_zoned(const stoa_column *column, struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char unit = "smun"[column->type.unit - STOA_TIME_SECOND];
    char *format = stoa_format("ts%c:%s", unit, column->zone);

    STOA_TRY(format != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_schema_make(out, column->name, format, err));

done:
    free(format);
    return status;
}

stoa_status stoa_column_value_schema(const stoa_column *column, struct ArrowSchema *out,
                                     stoa_error *err)
{
    const bool is_enum = column->element.class == STOA_ELEMENT_ENUM;

    if (column->zone != NULL && column->type.kind == STOA_KIND_TIMESTAMP) {
        return make_zoned(column, out, err);
    }
    return column->type.kind == column->element.kind ||
                   (is_enum && column->type.kind == STOA_KIND_DICTIONARY)
               ? stoa_element_schema(&column->element, column->name, out, err)
               : stoa_schema_make_type(out, column->name, &column->type, err);
}
