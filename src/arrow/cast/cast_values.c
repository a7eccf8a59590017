#include "arrow/cast/cast_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/cast/normalize_values.h"
#include "core/text.h"

/* --- types ------------------------------------------------------------------------------------ */

static int64_t ticks_of(char letter)
{
    switch (letter) {
    case 's':
        return 1;
    case 'm':
        return 1000;
    case 'u':
        return 1000000;
    case 'n':
        return 1000000000;
    default:
        return 0;
    }
}

static bool number_of(const char *format, stoa_count *count)
{
    static const char letters[] = "csilCSILefg";
    static const int widths[] = {1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
    const char *const at = format[0] != '\0' ? strchr(letters, format[0]) : NULL;

    if (at == NULL || format[1] != '\0') {
        return false;
    }
    *count = (stoa_count){.what = STOA_COUNTED_NUMBER,
                          .width = widths[at - letters],
                          .is_signed = at < letters + 4 || at >= letters + 8,
                          .is_float = at >= letters + 8,
                          .per_unit = 1};
    return true;
}

stoa_count stoa_count_of(const char *format)
{
    stoa_count count = {.what = STOA_COUNTED_NOTHING};
    stoa_decimal decimal;
    const int64_t ticks = strlen(format) > 2 ? ticks_of(format[2]) : 0;

    if (number_of(format, &count)) {
        return count;
    }
    if (stoa_decimal_of(format, &decimal)) {
        return (stoa_count){.what = STOA_COUNTED_NUMBER,
                            .width = decimal.width,
                            .is_signed = true,
                            .precision = decimal.precision,
                            .scale = decimal.scale,
                            .per_unit = 1};
    }
    if (strcmp(format, "tdD") == 0 || strcmp(format, "tdm") == 0) {
        count.what = STOA_COUNTED_DAY;
        count.per_unit = format[2] == 'D' ? 1 : 86400000;
    } else if (strncmp(format, "ts", 2) == 0 && ticks != 0 && format[3] == ':') {
        count.what = STOA_COUNTED_MOMENT;
        count.zone = format + 4;
        count.per_unit = ticks;
    } else if (strncmp(format, "tD", 2) == 0 && ticks != 0) {
        count.what = STOA_COUNTED_DURATION;
        count.per_unit = ticks;
    } else if (strncmp(format, "tt", 2) == 0 && ticks != 0) {
        count.what = STOA_COUNTED_TIME;
        count.per_unit = ticks;
    }
    count.is_signed = true;
    count.width =
        strcmp(format, "tdD") == 0 || strcmp(format, "tts") == 0 || strcmp(format, "ttm") == 0 ? 4
                                                                                               : 8;
    return count;
}

bool stoa_count_is_cast(const stoa_count *from, const stoa_count *to)
{
    if (from->what == STOA_COUNTED_NOTHING || to->what == STOA_COUNTED_NOTHING ||
        from->precision > 0) {
        return false;
    }
    if (from->is_float && to->is_float) {
        return true;
    }
    if (to->is_float) {
        return from->what == STOA_COUNTED_NUMBER && from->scale == 0;
    }
    if (from->is_float) {
        return from->width == 8 && to->what == STOA_COUNTED_NUMBER && to->scale > 0;
    }
    if (from->what == to->what) {
        return from->zone == NULL || (from->zone[0] == '\0') == (to->zone[0] == '\0');
    }
    /* Durations within structs are stored as integers, times of day as durations. */
    return (to->what == STOA_COUNTED_TIME || to->what == STOA_COUNTED_DURATION) &&
           (from->what == STOA_COUNTED_DURATION ||
            (from->what == STOA_COUNTED_NUMBER && from->scale == 0 && from->width == 8 &&
             from->is_signed));
}

/* --- values ----------------------------------------------------------------------------------- */

/* magnitude * 10^tens, which decimals alone have beyond 64 bits. */
typedef struct wide {
    uint64_t magnitude;
    int tens;
    bool is_negative;
} wide;

static wide load(const stoa_count *type, const uint8_t *from)
{
    uint64_t bits = 0;

    memcpy(&bits, from, (size_t)type->width);
    const int unused = 64 - 8 * type->width;
    const bool is_negative = type->is_signed && bits << unused >> 63 != 0;
    if (is_negative) {
        bits |= unused > 0 ? UINT64_MAX << (64 - unused) : 0;
        bits = 0 - bits;
    }
    return (wide){bits, 0, is_negative};
}

/* Whether the value is a whole number of 64 bits when it is multiplied, or divided, by `by`. */
static bool scale_value(wide *value, uint64_t by, bool divides)
{
    if (divides) {
        const bool is_whole = value->magnitude % by == 0;
        value->magnitude /= by;
        return is_whole;
    }
    const bool fits = value->magnitude <= UINT64_MAX / by;
    value->magnitude *= by;
    return fits;
}

static bool store_decimal(const stoa_count *type, wide value, uint8_t *to)
{
    int n_digits = value.tens;

    for (uint64_t rest = value.magnitude; rest != 0; rest /= 10) {
        n_digits++;
    }
    if (n_digits > type->precision && value.magnitude != 0) {
        return false;
    }
    stoa_decimal_put(value.magnitude, value.magnitude != 0 ? value.tens : 0, value.is_negative, to,
                     type->width);
    return true;
}

static bool store(const stoa_count *type, wide value, uint8_t *to)
{
    const int bits = 8 * type->width;

    if (type->precision > 0) {
        return store_decimal(type, value, to);
    }
    for (; value.tens > 0 && value.magnitude != 0; value.tens--) {
        if (!scale_value(&value, 10, false)) {
            return false;
        }
    }
    const uint64_t most = type->is_signed
                              ? (UINT64_C(1) << (bits - 1)) - 1 + (value.is_negative ? 1 : 0)
                              : UINT64_MAX >> (64 - bits);
    if (value.magnitude > most || (value.is_negative && value.magnitude > 0 && !type->is_signed)) {
        return false;
    }
    const uint64_t low = value.is_negative ? 0 - value.magnitude : value.magnitude;
    memcpy(to, &low, (size_t)type->width);
    return true;
}

static bool cast_integer(const stoa_count *from, const stoa_count *to, wide value, uint8_t *out)
{
    const bool has_ticks = from->what != STOA_COUNTED_NUMBER && from->per_unit != to->per_unit;

    for (int i = from->scale; i > to->scale && value.magnitude != 0; i--) {
        if (!scale_value(&value, 10, true)) {
            return false;
        }
    }
    value.tens = to->scale > from->scale ? to->scale - from->scale : 0;
    if (has_ticks) {
        const bool divides = from->per_unit > to->per_unit;
        const int64_t by = divides ? from->per_unit / to->per_unit : to->per_unit / from->per_unit;
        if (!scale_value(&value, (uint64_t)by, divides)) {
            return false;
        }
    }
    if (to->what == STOA_COUNTED_TIME &&
        (value.is_negative || value.magnitude >= (uint64_t)(86400 * to->per_unit))) {
        return false;
    }
    return store(to, value, out);
}

/* The shortest digits that stand for the float: 15, or those of a whole number. */
static bool digits_of(double value, wide *out, int *exponent)
{
    *exponent = 0;
    out->is_negative = value < 0;
    if (value == rint(value) && fabs(value) <= 9007199254740992.0) {
        out->magnitude = (uint64_t)fabs(value);
        return true;
    }
    if (!isfinite(value)) {
        return false;
    }
    uint64_t digits = stoa_shortest_f64(fabs(value), exponent);
    while (digits % 10 == 0) {
        digits /= 10;
        ++*exponent;
    }
    out->magnitude = digits;
    return digits < UINT64_C(1000000000000000);
}

/*
 * The same for n floats and a decimal of 8 bytes or more, without making text: false if that does
 * not settle all of them.
 *
 * The quotient of two whole numbers below 2^53 is the float next to the decimal. So a quotient that
 * is the value has its digits, of which there are at most 15.
 */
static bool store_quotients(const stoa_count *to, const uint8_t *from, int64_t n, uint8_t *out)
{
    static const double tens[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    enum { N_TENS = sizeof tens / sizeof *tens };
    static const double shift = 6755399441055744.0; /* 1.5 * 2^52: sums have no fraction */
    const size_t width = (size_t)to->width;
    int64_t base = 0;
    bool fits = true;

    if (to->scale < 0 || to->scale >= N_TENS || width < 8) {
        return false;
    }
    memcpy(&base, &shift, sizeof base);
    const double ten = tens[to->scale];
    const double limit = tens[to->precision < N_TENS ? to->precision : N_TENS - 1];
    for (int64_t i = 0; i < n; i++) {
        double value = 0;
        memcpy(&value, from + (size_t)i * sizeof value, sizeof value);
        const double shifted = value * ten + shift;
        const double whole = shifted - shift;
        fits &= whole < limit && -whole < limit && !(whole / ten < value) && !(whole / ten > value);
        int64_t parts[2] = {0, 0}; /* the number, and its sign in all bits */
        memcpy(&parts[0], &shifted, sizeof shifted);
        parts[0] = (int64_t)((uint64_t)parts[0] - (uint64_t)base);
        parts[1] = parts[0] < 0 ? -1 : 0;
        memcpy(out + (size_t)i * width, parts, width < sizeof parts ? width : sizeof parts);
        if (width > sizeof parts) {
            memset(out + (size_t)i * width + sizeof parts, parts[0] < 0 ? 0xff : 0,
                   width - sizeof parts);
        }
    }
    return fits;
}

static bool cast_to_decimal(const stoa_count *to, double value, uint8_t *out)
{
    if (store_quotients(to, (const uint8_t *)&value, 1, out)) {
        return true;
    }
    wide digits = {0, 0, false};
    int exponent = 0;

    if (!digits_of(value, &digits, &exponent) ||
        (exponent + to->scale < 0 && digits.magnitude != 0)) {
        return false;
    }
    digits.tens = digits.magnitude != 0 ? exponent + to->scale : 0;
    return store(to, digits, out);
}

static double load_float(const stoa_count *type, const uint8_t *from)
{
    uint16_t half;
    float single;
    double value = 0;

    switch (type->width) {
    case 2:
        memcpy(&half, from, sizeof half);
        return (double)stoa_f16_to_f32(half);
    case 4:
        memcpy(&single, from, sizeof single);
        return (double)single;
    default:
        memcpy(&value, from, sizeof value);
        return value;
    }
}

/* Whether the type holds the value. */
static bool store_float(const stoa_count *type, double value, uint8_t *to)
{
    const float single = (float)value;
    const uint16_t half = stoa_f32_to_f16(single);

    memcpy(to,
           type->width == 2   ? (const void *)&half
           : type->width == 4 ? (const void *)&single
                              : &value,
           (size_t)type->width);
    return isnan(value) || type->width == 8 ||
           (double)(type->width == 4 ? single : stoa_f16_to_f32(half)) == value;
}

/* A float holds an integer if the digits between its first and last bit set are not too many. */
static bool cast_to_float(const stoa_count *to, wide value, uint8_t *out)
{
    const int digits = to->width == 2 ? 11 : to->width == 4 ? 24 : 53;
    uint64_t odd = value.magnitude;

    while (odd != 0 && (odd & 1) == 0) {
        odd >>= 1;
    }
    if (odd >> digits != 0 || (to->width == 2 && value.magnitude > 65504)) {
        return false;
    }
    const double whole = value.is_negative ? -(double)value.magnitude : (double)value.magnitude;
    const uint16_t half = stoa_f32_to_f16((float)whole);
    if (to->width == 2) {
        memcpy(out, &half, sizeof half);
    } else {
        store_float(to, whole, out);
    }
    return true;
}

typedef struct casting {
    const stoa_count *from;
    const stoa_count *to;
} casting;

static stoa_status cast_one(const void *context, const uint8_t *from, void *to, stoa_error *err)
{
    const casting *const c = context;
    bool fits = true;

    if (c->from->is_float && c->from->width == c->to->width && c->to->is_float) {
        memcpy(to, from, (size_t)c->to->width);
    } else if (c->from->is_float && c->to->is_float) {
        fits = store_float(c->to, load_float(c->from, from), to);
    } else if (c->from->is_float) {
        fits = cast_to_decimal(c->to, load_float(c->from, from), to);
    } else if (c->to->is_float) {
        fits = cast_to_float(c->to, load(c->from, from), to);
    } else {
        fits = cast_integer(c->from, c->to, load(c->from, from), to);
    }
    return fits ? STOA_OK
                : stoa_fail(
                      err, STOA_ELOSS,
                      "the value does not fit the type that is asked for, or that the attribute "
                      "stoa_arrow_type tells; ask for a wider one, or for the type of the table");
}

/* --- narrower integers ------------------------------------------------------------------------ */

/* Put all values; false if one does not fit. */
typedef bool put_narrower(const uint8_t *from, int64_t n, uint8_t *to);

#define DEFINE_NARROWER(wide_type, type)                                                           \
    static bool put_##wide_type##_as_##type(const uint8_t *from, int64_t n, uint8_t *to)           \
    {                                                                                              \
        bool fits = true;                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            wide_type value;                                                                       \
            memcpy(&value, from + (size_t)i * sizeof value, sizeof value);                         \
            const type narrow = (type)value;                                                       \
            memcpy(to + (size_t)i * sizeof narrow, &narrow, sizeof narrow);                        \
            fits &= (wide_type)narrow == value;                                                    \
        }                                                                                          \
        return fits;                                                                               \
    }

DEFINE_NARROWER(int16_t, int8_t)
DEFINE_NARROWER(int32_t, int8_t)
DEFINE_NARROWER(int32_t, int16_t)
DEFINE_NARROWER(int64_t, int8_t)
DEFINE_NARROWER(int64_t, int16_t)
DEFINE_NARROWER(int64_t, int32_t)
DEFINE_NARROWER(uint16_t, uint8_t)
DEFINE_NARROWER(uint32_t, uint8_t)
DEFINE_NARROWER(uint32_t, uint16_t)
DEFINE_NARROWER(uint64_t, uint8_t)
DEFINE_NARROWER(uint64_t, uint16_t)
DEFINE_NARROWER(uint64_t, uint32_t)

/* NULL if one is no plain integer, or if the other signs or widths are left to cast_one(). */
static put_narrower *narrower_of(const stoa_count *from, const stoa_count *to)
{
    static const struct {
        int from;
        int to;
        put_narrower *of_signed;
        put_narrower *of_unsigned;
    } all[] = {
        {2, 1, put_int16_t_as_int8_t, put_uint16_t_as_uint8_t},
        {4, 1, put_int32_t_as_int8_t, put_uint32_t_as_uint8_t},
        {4, 2, put_int32_t_as_int16_t, put_uint32_t_as_uint16_t},
        {8, 1, put_int64_t_as_int8_t, put_uint64_t_as_uint8_t},
        {8, 2, put_int64_t_as_int16_t, put_uint64_t_as_uint16_t},
        {8, 4, put_int64_t_as_int32_t, put_uint64_t_as_uint32_t},
    };

    for (size_t i = 0; from->what == STOA_COUNTED_NUMBER && to->what == STOA_COUNTED_NUMBER &&
                       !from->is_float && !to->is_float && to->precision == 0 &&
                       from->is_signed == to->is_signed && i < sizeof all / sizeof all[0];
         i++) {
        if (all[i].from == from->width && all[i].to == to->width) {
            return from->is_signed ? all[i].of_signed : all[i].of_unsigned;
        }
    }
    return NULL;
}

/* Cast an array without missing values in one loop. `out` stays released if it is not so simple. */
static stoa_status narrow_all(const stoa_count *from, const stoa_count *to,
                              const struct ArrowArray *array, struct ArrowArray *out,
                              stoa_error *err)
{
    put_narrower *const put = narrower_of(from, to);

    const bool is_decimal = from->is_float && from->width == sizeof(double) && to->precision > 0;

    out->release = NULL;
    if ((put == NULL && !is_decimal) || array->n_buffers != 2 || array->buffers[0] != NULL ||
        array->length <= 0) {
        return STOA_OK;
    }
    const uint8_t *const first =
        (const uint8_t *)array->buffers[1] + (size_t)array->offset * (size_t)from->width;
    uint8_t *const values = stoa_alloc((size_t)array->length, (size_t)to->width);
    STOA_RETURN_NO_MEMORY(err, values);
    if (is_decimal ? !store_quotients(to, first, array->length, values)
                   : !put(first, array->length, values)) {
        free(values);
        return STOA_OK;
    }
    return stoa_array_make(out, array->length, 0, 2, (void *const[]){NULL, values}, err);
}

stoa_status stoa_count_cast(const stoa_count *from, const stoa_count *to,
                            const struct ArrowArray *array, const stoa_around *around,
                            const char *name, struct ArrowArray *out, stoa_error *err)
{
    const casting c = {from, to};

    STOA_RETURN_NOT_OK(stoa_check_values(array, 2, name, err));
    STOA_RETURN_NOT_OK(narrow_all(from, to, array, out, err));
    return out->release != NULL ? STOA_OK
                                : stoa_convert_values(array, (size_t)from->width, (size_t)to->width,
                                                      cast_one, &c, around, name, out, err);
}
