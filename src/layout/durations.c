/* See durations.h. */
#include "layout/durations.h"

#include <string.h>

int64_t stoa_nanoseconds_of(stoa_time_unit unit)
{
    static const int64_t per[] = {
        [STOA_TIME_DAY] = INT64_C(86400000000000),
        [STOA_TIME_SECOND] = 1000000000,
        [STOA_TIME_MILLI] = 1000000,
        [STOA_TIME_MICRO] = 1000,
        [STOA_TIME_NANO] = 1,
    };

    return per[unit];
}

int64_t stoa_duration_of(const struct ArrowSchema *field, const stoa_type *type)
{
    static const char *const names[] = {
        [STOA_TIME_SECOND] = "s", "ms", "us", [STOA_TIME_NANO] = "ns"};
    const char *units = NULL;
    size_t length = 0;

    if (type->kind != STOA_KIND_INT64 || !stoa_schema_get(field, "units", &units, &length)) {
        return 0;
    }
    for (stoa_time_unit unit = STOA_TIME_SECOND; unit <= STOA_TIME_NANO; unit++) {
        if (length == strlen(names[unit]) && memcmp(units, names[unit], length) == 0) {
            return stoa_nanoseconds_of(unit);
        }
    }
    return 0;
}
