#include "arrow/cast/normalize_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- arrays of other types -------------------------------------------------------------------- */

static bool is_missing(const struct ArrowArray *array, int64_t i)
{
    const uint8_t *const bits = array->buffers[0];

    return bits != NULL && !stoa_bit_get(bits, (uint64_t)(array->offset + i));
}

stoa_status stoa_check_values(const struct ArrowArray *array, int64_t n_buffers, const char *name,
                              stoa_error *err)
{
    if (array->length < 0 || array->offset < 0 || array->length > INT64_MAX / 64 - array->offset ||
        array->n_buffers < n_buffers || array->buffers == NULL ||
        (array->length > 0 && array->buffers[1] == NULL)) {
        return stoa_fail(err, STOA_EDATA,
                         "column '%s': an Arrow array has not the buffers of its type", name);
    }
    return STOA_OK;
}

stoa_around stoa_around_of(const char *format, const struct ArrowArray *array,
                           const stoa_around *around)
{
    const bool is_fixed = strncmp(format, "+w:", 3) == 0;

    return strcmp(format, "+s") == 0 || is_fixed
               ? (stoa_around){array, is_fixed ? strtol(format + 3, NULL, 10) : 1, around}
               : (stoa_around){NULL, 1, NULL};
}

static bool has_meaning(const stoa_around *around, int64_t i)
{
    for (; around != NULL && around->array != NULL; around = around->around) {
        const uint8_t *const bits = around->array->buffers[0];
        const int64_t row = i / around->width;

        i = row - around->array->offset;
        if (i < 0 || i >= around->array->length ||
            (bits != NULL && !stoa_bit_get(bits, (uint64_t)row))) {
            return false;
        }
    }
    return true;
}

stoa_status stoa_convert_values(const struct ArrowArray *from, size_t width, size_t new_width,
                                stoa_value_convert *convert, const void *context,
                                const stoa_around *around, const char *name, struct ArrowArray *out,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *bits = NULL;
    uint8_t *values = NULL;
    int64_t n_missing = 0;
    stoa_error why = STOA_ERROR_INIT;

    out->release = NULL;
    STOA_TRY(stoa_check_values(from, 2, name, err));
    bits = stoa_alloc_zero((size_t)stoa_bit_bytes((uint64_t)from->length) + 1, 1);
    values = stoa_alloc_zero((size_t)from->length + 1, new_width);
    STOA_TRY(bits != NULL && values != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < from->length; i++) {
        const size_t at = (size_t)(from->offset + i) * width;

        if (is_missing(from, i)) {
            n_missing++;
            continue;
        }
        stoa_bit_set(bits, (uint64_t)i);
        status = convert(context, (const uint8_t *)from->buffers[1] + at,
                         values + (size_t)i * new_width, &why);
        if (status == STOA_OK) {
            continue;
        }
        if (has_meaning(around, i)) {
            (void)stoa_fail(err, status, "%s", why.message);
            STOA_TRY(stoa_at(err, status, "column '%s', row %" PRId64 " of a batch", name, i));
        }
        why = (stoa_error)STOA_ERROR_INIT;
    }
    void *const taken[] = {bits, values};
    bits = values = NULL;
    status = stoa_array_make(out, from->length, n_missing, 2, taken, err);

done:
    free(bits);
    free(values);
    return status;
}

/* --- views ------------------------------------------------------------------------------------ */

/* Bytes of a view: 12 of them lie in it, more lie in one of the buffers. */
typedef struct view {
    int32_t length;
    union {
        char bytes[12];
        struct {
            char prefix[4];
            int32_t buffer;
            int32_t offset;
        } there;
    } is;
} view;

enum { FIXED_BUFFERS = 3 }; /* validity, views, and the sizes of the buffers between them */

/* The bytes of view i; NULL if it points beyond a buffer. */
static const char *bytes_of(const struct ArrowArray *array, int64_t i, int32_t *length)
{
    const view *const v = (const view *)array->buffers[1] + array->offset + i;
    const int64_t n_buffers = array->n_buffers - FIXED_BUFFERS;
    const int64_t *const sizes = array->buffers[array->n_buffers - 1];

    *length = v->length;
    if (v->length >= 0 && v->length <= (int32_t)sizeof v->is.bytes) {
        return v->is.bytes;
    }
    if (v->length < 0 || v->is.there.buffer < 0 || v->is.there.buffer >= n_buffers ||
        v->is.there.offset < 0 ||
        (int64_t)v->is.there.offset + v->length > sizes[v->is.there.buffer]) {
        return NULL;
    }
    return (const char *)array->buffers[2 + v->is.there.buffer] + v->is.there.offset;
}

static stoa_status measure(const struct ArrowArray *from, const char *name, uint8_t *bits,
                           int64_t *offsets, int64_t *n_missing, stoa_error *err)
{
    for (int64_t i = 0; i < from->length; i++) {
        int32_t length = 0;

        if (is_missing(from, i)) {
            ++*n_missing;
        } else if (bytes_of(from, i, &length) == NULL) {
            return stoa_fail(err, STOA_EDATA,
                             "column '%s': a view of Arrow points beyond its buffer", name);
        } else {
            stoa_bit_set(bits, (uint64_t)i);
        }
        if (offsets[i] > INT64_MAX - length) {
            return stoa_fail(err, STOA_ERANGE, "column '%s': the strings of a batch are too long",
                             name);
        }
        offsets[i + 1] = offsets[i] + length;
    }
    return STOA_OK;
}

stoa_status stoa_normalize_views(const struct ArrowArray *from, const char *name,
                                 struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *bits = NULL;
    int64_t *offsets = NULL;
    char *data = NULL;
    int64_t n_missing = 0;
    int32_t length = 0;

    out->release = NULL;
    STOA_TRY(stoa_check_values(from, FIXED_BUFFERS, name, err));
    bits = stoa_alloc_zero((size_t)stoa_bit_bytes((uint64_t)from->length) + 1, 1);
    offsets = stoa_alloc_zero((size_t)from->length + 1, sizeof *offsets);
    STOA_TRY(bits != NULL && offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(measure(from, name, bits, offsets, &n_missing, err));
    data = stoa_alloc((size_t)offsets[from->length] + 1, 1);
    STOA_TRY(data != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < from->length; i++) {
        if (!is_missing(from, i)) {
            const char *const bytes = bytes_of(from, i, &length);
            memcpy(data + offsets[i], bytes, (size_t)length);
        }
    }
    void *const taken[] = {bits, offsets, data};
    bits = NULL;
    offsets = NULL;
    data = NULL;
    STOA_TRY(stoa_array_make(out, from->length, n_missing, 3, taken, err));

done:
    free(bits);
    free(offsets);
    free(data);
    return status;
}

/* --- times ------------------------------------------------------------------------------------ */

static stoa_status day_of(const void *context, const uint8_t *from, void *to, stoa_error *err)
{
    const int64_t day = 86400000;
    int64_t ms;

    (void)context;
    memcpy(&ms, from, sizeof ms);
    const int64_t days = ms / day;
    if (ms % day != 0 || days > INT32_MAX || days < INT32_MIN) {
        return stoa_fail(err, STOA_ERANGE,
                         "%" PRId64 " ms is no whole day, so it is no date; make a timestamp of it",
                         ms);
    }
    const int32_t count = (int32_t)days;
    memcpy(to, &count, sizeof count);
    return STOA_OK;
}

stoa_status stoa_normalize_days(const struct ArrowArray *from, const stoa_around *around,
                                const char *name, struct ArrowArray *out, stoa_error *err)
{
    return stoa_convert_values(from, sizeof(int64_t), sizeof(int32_t), day_of, NULL, around, name,
                               out, err);
}

static stoa_status widen(const void *context, const uint8_t *from, void *to, stoa_error *err)
{
    int32_t value;

    (void)context;
    (void)err;
    memcpy(&value, from, sizeof value);
    const int64_t wide = value;
    memcpy(to, &wide, sizeof wide);
    return STOA_OK;
}

stoa_status stoa_normalize_short_times(const struct ArrowArray *from, const stoa_around *around,
                                       const char *name, struct ArrowArray *out, stoa_error *err)
{
    return stoa_convert_values(from, sizeof(int32_t), sizeof(int64_t), widen, NULL, around, name,
                               out, err);
}

typedef struct interval {
    int32_t months;
    int32_t days;
    int64_t nanoseconds;
} interval;

static stoa_status microseconds_of(const void *context, const uint8_t *from, void *to,
                                   stoa_error *err)
{
    enum { NANOSECONDS = 1000 }; /* of a microsecond */
    interval value;
    int64_t micros = 0;

    (void)context;
    memcpy(&value, from, sizeof value);
    if (value.months != 0 || value.nanoseconds % NANOSECONDS != 0 ||
        __builtin_add_overflow(value.days * INT64_C(86400000000), value.nanoseconds / NANOSECONDS,
                               &micros)) {
        return stoa_fail(err, STOA_ELOSS,
                         "an interval of %d months, %d days and %lld nanoseconds is no number of "
                         "microseconds; make it text, or a duration",
                         (int)value.months, (int)value.days, (long long)value.nanoseconds);
    }
    memcpy(to, &micros, sizeof micros);
    return STOA_OK;
}

stoa_status stoa_normalize_intervals(const struct ArrowArray *from, const stoa_around *around,
                                     const char *name, struct ArrowArray *out, stoa_error *err)
{
    return stoa_convert_values(from, sizeof(interval), sizeof(int64_t), microseconds_of, NULL,
                               around, name, out, err);
}

/* --- decimals --------------------------------------------------------------------------------- */

enum { MAX_LIMBS = 8 };

/* A magnitude, least significant limb first. */
typedef struct digits {
    uint32_t limbs[MAX_LIMBS];
    size_t n;
    bool is_negative;
} digits;

static digits load(const uint8_t *from, int width)
{
    digits d = {.n = (size_t)width / sizeof(uint32_t)};
    uint64_t carry = 1;

    memcpy(d.limbs, from, (size_t)width);
    d.is_negative = d.limbs[d.n - 1] >> 31 != 0;
    for (size_t i = 0; d.is_negative && i < d.n; i++) {
        carry += (uint32_t)~d.limbs[i];
        d.limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return d;
}

void stoa_decimal_put(uint64_t magnitude, int tens, bool is_negative, uint8_t *to, int width)
{
    digits d = {.limbs = {(uint32_t)magnitude, (uint32_t)(magnitude >> 32)}, .n = MAX_LIMBS};
    uint64_t carry = 1;

    for (; tens > 0; tens--) {
        uint64_t over = 0;
        for (size_t i = 0; i < d.n; i++) {
            over += (uint64_t)d.limbs[i] * 10;
            d.limbs[i] = (uint32_t)over;
            over >>= 32;
        }
    }
    for (size_t i = 0; is_negative && i < d.n; i++) {
        carry += (uint32_t)~d.limbs[i];
        d.limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    memcpy(to, d.limbs, (size_t)width);
}

/* Divide by ten; false, and nothing done, if there is a remainder. */
static bool divide(digits *d)
{
    digits quotient = *d;
    uint64_t rest = 0;

    for (size_t i = d->n; i-- > 0;) {
        rest = rest << 32 | d->limbs[i];
        quotient.limbs[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
    if (rest == 0) {
        *d = quotient;
    }
    return rest == 0;
}

/* The magnitude; false if it needs more than 64 bits. */
static bool number_of(const digits *d, uint64_t *out)
{
    for (size_t i = 2; i < d->n; i++) {
        if (d->limbs[i] != 0) {
            return false;
        }
    }
    *out = d->limbs[0] | (d->n > 1 ? (uint64_t)d->limbs[1] << 32 : 0);
    return true;
}

static stoa_status integer_of(const void *context, const uint8_t *from, void *to, stoa_error *err)
{
    const stoa_decimal *const decimal = context;
    const digits d = load(from, decimal->width);
    const uint64_t most = (uint64_t)INT64_MAX + d.is_negative;
    uint64_t n = 0;
    bool fits = number_of(&d, &n) && n <= most;

    for (int i = decimal->scale; fits && i < 0 && n != 0; i++) {
        fits = n <= most / 10;
        n *= 10;
    }
    if (!fits) {
        return stoa_fail(err, STOA_ELOSS,
                         "a decimal needs more than the 64 bits of an integer; cast the column to "
                         "float64, or to strings");
    }
    const int64_t value = (int64_t)(d.is_negative ? 0 - n : n);
    memcpy(to, &value, sizeof value);
    return STOA_OK;
}

/* Any 15 digits come back from a float64, and so does any integer up to 2^53. */
static stoa_status float_of(const void *context, const uint8_t *from, void *to, stoa_error *err)
{
    static const uint64_t most_digits = UINT64_C(1000000000000000);
    static const uint64_t most_integer = UINT64_C(1) << 53;
    const stoa_decimal *const decimal = context;
    digits d = load(from, decimal->width);
    int scale = decimal->scale;
    uint64_t n = 0;

    while (scale > 0 && divide(&d)) {
        scale--;
    }
    if (!number_of(&d, &n) || n > (scale == 0 ? most_integer : most_digits - 1) || scale > 300) {
        return stoa_fail(err, STOA_ELOSS,
                         "a decimal has more digits than a float64 keeps; cast the column to "
                         "float64 to round it, or to strings");
    }
    double value = stoa_decimal_f64(n, -scale);
    value = d.is_negative && n != 0 ? -value : value;
    memcpy(to, &value, sizeof value);
    return STOA_OK;
}

stoa_status stoa_normalize_decimals(const struct ArrowArray *from, const stoa_decimal *decimal,
                                    const stoa_around *around, const char *name,
                                    struct ArrowArray *out, stoa_error *err)
{
    return stoa_convert_values(from, (size_t)decimal->width, sizeof(int64_t),
                               decimal->scale > 0 ? float_of : integer_of, decimal, around, name,
                               out, err);
}
