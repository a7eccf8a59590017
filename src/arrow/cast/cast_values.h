/* Casts of values that are counts: integers, decimals, times and floats; for arrow/cast/cast.h. */
#ifndef STOA_ARROW_CAST_VALUES_H
#define STOA_ARROW_CAST_VALUES_H

#include "arrow/cast/normalize_values.h"

/* What the values of a format count. */
typedef enum stoa_counted {
    STOA_COUNTED_NOTHING, /* the format is of another kind */
    STOA_COUNTED_NUMBER,
    STOA_COUNTED_MOMENT,
    STOA_COUNTED_DAY,
    STOA_COUNTED_DURATION,
    STOA_COUNTED_TIME /* of day */
} stoa_counted;

typedef struct stoa_count {
    stoa_counted what;
    int width; /* bytes */
    bool is_signed;
    bool is_float;
    int precision;    /* digits of decimals; else 0 */
    int scale;        /* of them after the point */
    int64_t per_unit; /* ticks in a second or a day; numbers have 1 */
    const char *zone; /* of moments, borrowed */
} stoa_count;

stoa_count stoa_count_of(const char *format);

bool stoa_count_is_cast(const stoa_count *from, const stoa_count *to);

stoa_status stoa_count_cast(const stoa_count *from, const stoa_count *to,
                            const struct ArrowArray *array, const stoa_around *around,
                            const char *name, struct ArrowArray *out, stoa_error *err);

#endif
