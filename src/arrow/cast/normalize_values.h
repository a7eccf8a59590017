/* The values of single levels for arrow/cast/normalize.h. Each function makes a new array of the
 * rows of another one; `name` is the column's, for messages. */
#ifndef STOA_ARROW_NORMALIZE_VALUES_H
#define STOA_ARROW_NORMALIZE_VALUES_H

#include "arrow/build.h"

/* Store magnitude * 10^tens, which must fit, in `width` bytes. */
void stoa_decimal_put(uint64_t magnitude, int tens, bool is_negative, uint8_t *to, int width);

/* A struct, or a list of a fixed size, around values. Where its own row is missing, values have no
 * meaning, even if they are there. */
typedef struct stoa_around {
    const struct ArrowArray *array; /* NULL: values of lists, which are all of meaning */
    int64_t width;                  /* values in each row */
    const struct stoa_around *around;
} stoa_around;

/* What is around the parts of an array of this format. */
stoa_around stoa_around_of(const char *format, const struct ArrowArray *array,
                           const stoa_around *around);

/* Check that an array has the buffers that values of fixed width need. */
stoa_status stoa_check_values(const struct ArrowArray *array, int64_t n_buffers, const char *name,
                              stoa_error *err);

/* Make the new value of a value that is not missing. */
typedef stoa_status stoa_value_convert(const void *context, const uint8_t *from, void *to,
                                       stoa_error *err);
/* Make an array of values of another width. `around` may be NULL. */
stoa_status stoa_convert_values(const struct ArrowArray *from, size_t width, size_t new_width,
                                stoa_value_convert *convert, const void *context,
                                const stoa_around *around, const char *name, struct ArrowArray *out,
                                stoa_error *err);

/* Views of strings or bytes, as an array with 64-bit offsets. */
stoa_status stoa_normalize_views(const struct ArrowArray *from, const char *name,
                                 struct ArrowArray *out, stoa_error *err);
/* Milliseconds, as days of 32 bits. */
stoa_status stoa_normalize_days(const struct ArrowArray *from, const stoa_around *around,
                                const char *name, struct ArrowArray *out, stoa_error *err);
/* Integers of 32 bits, as ones of 64 bits. */
stoa_status stoa_normalize_short_times(const struct ArrowArray *from, const stoa_around *around,
                                       const char *name, struct ArrowArray *out, stoa_error *err);
/* Intervals of months, days and nanoseconds, as microseconds. STOA_ELOSS for one with months. */
stoa_status stoa_normalize_intervals(const struct ArrowArray *from, const stoa_around *around,
                                     const char *name, struct ArrowArray *out, stoa_error *err);
/* Decimals, as int64 if the scale is 0 or less, else as float64. */
stoa_status stoa_normalize_decimals(const struct ArrowArray *from, const stoa_decimal *decimal,
                                    const stoa_around *around, const char *name,
                                    struct ArrowArray *out, stoa_error *err);

#endif
