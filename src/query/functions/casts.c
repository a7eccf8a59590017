/* Conversion of values to a type that the query names: cast(x as type), x::type and try_cast(). */
#include <math.h>
#include <string.h>

#include "core/cpu.h"
#include "core/quotients.h"
#include "core/text.h"
#include "query/functions/functions.h"

/* Names of types ----------------------------------------------------------------------------- */

bool stoa_kind_of_name(const char *name, size_t length, stoa_kind *kind, stoa_time_unit *unit)
{
    static const struct {
        stoa_function_text text; /* its name and other spellings */
        stoa_kind kind;
        stoa_time_unit unit;
    } types[] = {
        {{.name = "bool", .also = "boolean"}, STOA_KIND_BOOL, 0},
        {{.name = "int8", .also = "tinyint"}, STOA_KIND_INT8, 0},
        {{.name = "int16", .also = "smallint short"}, STOA_KIND_INT16, 0},
        {{.name = "int32", .also = "int integer"}, STOA_KIND_INT32, 0},
        {{.name = "int64", .also = "bigint long"}, STOA_KIND_INT64, 0},
        {{.name = "uint8", .also = "utinyint"}, STOA_KIND_UINT8, 0},
        {{.name = "uint16", .also = "usmallint"}, STOA_KIND_UINT16, 0},
        {{.name = "uint32", .also = "uinteger"}, STOA_KIND_UINT32, 0},
        {{.name = "uint64", .also = "ubigint"}, STOA_KIND_UINT64, 0},
        {{.name = "float32", .also = "float real"}, STOA_KIND_FLOAT32, 0},
        {{.name = "float64", .also = "double"}, STOA_KIND_FLOAT64, 0},
        {{.name = "text", .also = "string varchar"}, STOA_KIND_STRING, 0},
        {{.name = "date", .also = "date32"}, STOA_KIND_DATE, STOA_TIME_DAY},
        {{.name = "timestamp", .also = "timestamp_us datetime"},
         STOA_KIND_TIMESTAMP,
         STOA_TIME_MICRO},
        {{.name = "timestamp_s"}, STOA_KIND_TIMESTAMP, STOA_TIME_SECOND},
        {{.name = "timestamp_ms"}, STOA_KIND_TIMESTAMP, STOA_TIME_MILLI},
        {{.name = "timestamp_ns"}, STOA_KIND_TIMESTAMP, STOA_TIME_NANO},
        {{.name = "duration", .also = "duration_us interval"}, STOA_KIND_DURATION, STOA_TIME_MICRO},
        {{.name = "duration_s"}, STOA_KIND_DURATION, STOA_TIME_SECOND},
        {{.name = "duration_ms"}, STOA_KIND_DURATION, STOA_TIME_MILLI},
        {{.name = "duration_ns"}, STOA_KIND_DURATION, STOA_TIME_NANO},
    };

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (stoa_function_is(&types[i].text, name, length)) {
            *kind = types[i].kind;
            *unit = types[i].unit;
            return true;
        }
    }
    return false;
}

/* Integers ---------------------------------------------------------------------------------- */

/* An integer that may be as small as int64 or as large as uint64. */
typedef struct whole {
    bool is_negative;
    uint64_t bits; /* those of an int64 if negative */
} whole;

static bool whole_of_float(double x, whole *out)
{
    out->is_negative = x < 0;
    if (!(x >= -0x1p63 && x < 0x1p64)) { /* NaN too */
        return false;
    }
    out->bits = x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
    return true;
}

static stoa_bytes without_blanks(stoa_bytes text)
{
    while (text.length > 0 && text.data[0] == ' ') {
        text = (stoa_bytes){text.data + 1, text.length - 1};
    }
    while (text.length > 0 && text.data[text.length - 1] == ' ') {
        text.length--;
    }
    return text;
}

static bool whole_of_text(stoa_bytes text, whole *out)
{
    int64_t i64;
    double f64;

    if (stoa_parse_i64(text.data, text.length, &i64)) {
        *out = (whole){i64 < 0, (uint64_t)i64};
        return true;
    }
    *out = (whole){0};
    return stoa_parse_u64(text.data, text.length, &out->bits) ||
           (stoa_parse_f64(text.data, text.length, &f64) && whole_of_float(round(f64), out));
}

/* Floats round half to even, as DuckDB casts them. */
static bool whole_of(const stoa_vector *from, int64_t i, whole *out)
{
    switch (from->type.domain) {
    case STOA_DOMAIN_F64:
        return whole_of_float(nearbyint(from->as.f64[i]), out);
    case STOA_DOMAIN_U64:
        *out = (whole){false, from->as.u64[i]};
        return true;
    case STOA_DOMAIN_BOOL:
        *out = (whole){false, stoa_bit_get(from->as.bits, (uint64_t)i)};
        return true;
    case STOA_DOMAIN_TEXT:
        return whole_of_text(without_blanks(from->as.bytes[i]), out);
    default:
        *out = (whole){from->as.i64[i] < 0, from->as.u64[i]};
        return true;
    }
}

/* The bounds of a kind of integers. */
typedef struct bounds {
    int64_t least;
    uint64_t most;
} bounds;

static bounds bounds_of(stoa_kind kind)
{
    const int bits = 8 * (int)stoa_kind_width(kind);
    const bool is_signed = stoa_kind_is_signed(kind);
    const uint64_t most = bits > 0 ? UINT64_MAX >> (64 - bits + is_signed) : 0;

    return (bounds){is_signed ? -(int64_t)most - 1 : 0, most};
}

static bool fits(const whole *value, const bounds *all)
{
    return value->is_negative ? (int64_t)value->bits >= all->least : value->bits <= all->most;
}

/* Other types ------------------------------------------------------------------------------- */

static bool float_of(const stoa_vector *from, int64_t i, stoa_kind kind, double *out)
{
    stoa_bytes text;

    switch (from->type.domain) {
    case STOA_DOMAIN_F64:
        *out = from->as.f64[i];
        break;
    case STOA_DOMAIN_U64:
        *out = (double)from->as.u64[i];
        break;
    case STOA_DOMAIN_BOOL:
        *out = stoa_bit_get(from->as.bits, (uint64_t)i);
        break;
    case STOA_DOMAIN_TEXT:
        text = without_blanks(from->as.bytes[i]);
        if (!stoa_parse_f64(text.data, text.length, out)) {
            return false;
        }
        break;
    default:
        *out = (double)from->as.i64[i];
        break;
    }
    if (kind == STOA_KIND_FLOAT32) {
        const double narrow = (double)(float)*out;
        if (isinf(narrow) && !isinf(*out)) {
            return false;
        }
        *out = narrow;
    }
    return true;
}

static bool bool_of(const stoa_vector *from, int64_t i, bool *out)
{
    static const stoa_function_text words[] = {{.name = "false", .also = "f no n 0"},
                                               {.name = "true", .also = "t yes y 1"}};

    if (from->type.domain == STOA_DOMAIN_F64) {
        *out = from->as.f64[i] != 0;
    } else if (from->type.domain == STOA_DOMAIN_BOOL) {
        *out = stoa_bit_get(from->as.bits, (uint64_t)i);
    } else if (from->type.domain != STOA_DOMAIN_TEXT) {
        *out = from->as.u64[i] != 0;
    } else {
        const stoa_bytes text = without_blanks(from->as.bytes[i]);
        *out = stoa_function_is(&words[1], text.data, text.length);
        return *out || stoa_function_is(&words[0], text.data, text.length);
    }
    return true;
}

/* Ticks of the wanted unit; a coarser one rounds down. */
static bool ticks_of(const stoa_vector *from, int64_t i, const stoa_expr *to, int64_t *out)
{
    const bool is_time = to->type.domain == STOA_DOMAIN_TIME;
    stoa_time time;

    if (from->type.domain != STOA_DOMAIN_TEXT) {
        const stoa_rescaling by = stoa_rescaling_of(from->type.unit, to->type.unit);
        const bool is_over = __builtin_mul_overflow(from->as.i64[i], by.up, out);
        *out = *out / by.down - (*out % by.down < 0);
        return !is_over;
    }
    const stoa_bytes text = without_blanks(from->as.bytes[i]);
    if (!(is_time ? stoa_parse_time : stoa_parse_duration)(text.data, text.length, &time)) {
        return false;
    }
    if (to->type.unit == STOA_TIME_DAY) {
        *out = time.seconds / 86400 - (time.seconds % 86400 < 0);
        return true;
    }
    time.nanoseconds -= (int32_t)(time.nanoseconds % stoa_time_nanoseconds(to->type.unit));
    return stoa_time_ticks(&time, to->type.unit, out);
}

/* A time as SQL writes it: a blank in place of the T, and no zeros at the end. */
static size_t format_time(int64_t ticks, const stoa_value_type *type, char *out)
{
    size_t length = stoa_format_time(ticks, type->unit, false, out);
    char *const clock = memchr(out, 'T', length);

    if (clock != NULL) {
        *clock = ' ';
    }
    if (memchr(out, '.', length) != NULL) {
        while (out[length - 1] == '0') {
            length--;
        }
        length -= out[length - 1] == '.';
    }
    if (type->utc) {
        memcpy(out + length, "+00", 3);
        length += 3;
    }
    return length;
}

/* Written where it stays. */
static inline stoa_status text_of_integer(stoa_call *call, int64_t i, stoa_bytes *out,
                                          stoa_error *err)
{
    enum { MOST = 22 }; /* a sign, 20 digits, and the end */
    const stoa_vector *const from = &call->args[0];
    char *const text = stoa_arena_alloc(call->arena, MOST, 1);

    STOA_RETURN_NO_MEMORY(err, text);
    out->data = text;
    out->length = from->type.domain == STOA_DOMAIN_U64 ? stoa_format_u64(from->as.u64[i], text)
                                                       : stoa_format_i64(from->as.i64[i], text);
    return STOA_OK;
}

static stoa_status text_of(stoa_call *call, int64_t i, stoa_bytes *out, stoa_error *err)
{
    const stoa_vector *from = &call->args[0];
    char text[STOA_NUMBER_SIZE + 4];
    size_t length;

    switch (from->type.domain) {
    case STOA_DOMAIN_BOOL: {
        const bool is = stoa_bit_get(from->as.bits, (uint64_t)i);
        *out = (stoa_bytes){is ? "true" : "false", is ? 4 : 5};
        return STOA_OK;
    }
    case STOA_DOMAIN_F64:
        length = call->expr->args[0]->kind == STOA_KIND_FLOAT32
                     ? stoa_format_f32((float)from->as.f64[i], text)
                     : stoa_format_f64(from->as.f64[i], text);
        break;
    case STOA_DOMAIN_I64:
    case STOA_DOMAIN_U64:
        return text_of_integer(call, i, out, err);
    case STOA_DOMAIN_TIME:
        length = format_time(from->as.i64[i], &from->type, text);
        break;
    default:
        length = stoa_format_duration(from->as.i64[i], from->type.unit, text);
        break;
    }
    out->data = stoa_arena_text(call->arena, text, length);
    out->length = length;
    return out->data != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Casts ------------------------------------------------------------------------------------- */

/* Returns false if the value has no counterpart in the type. */
static bool convert(stoa_call *call, int64_t i, const bounds *all)
{
    const stoa_vector *const from = &call->args[0];
    bool bit = false;
    whole number;

    switch (call->expr->type.domain) {
    case STOA_DOMAIN_BOOL:
        if (!bool_of(from, i, &bit)) {
            return false;
        }
        if (bit) {
            stoa_bit_set(call->out, (uint64_t)i);
        }
        return true;
    case STOA_DOMAIN_F64:
        return float_of(from, i, call->expr->kind, &((double *)call->out)[i]);
    case STOA_DOMAIN_TIME:
    case STOA_DOMAIN_DURATION:
        return ticks_of(from, i, call->expr, &((int64_t *)call->out)[i]);
    default:
        if (!whole_of(from, i, &number) || !fits(&number, all)) {
            return false;
        }
        ((uint64_t *)call->out)[i] = number.bits;
        return true;
    }
}

static stoa_status fail_value(const stoa_call *call, int64_t i, stoa_error *err)
{
    const stoa_type type = {
        .kind = call->expr->kind, .unit = call->expr->type.unit, .utc = call->expr->type.utc};
    const stoa_vector *const from = &call->args[0];
    const bool is_text = from->type.domain == STOA_DOMAIN_TEXT;
    const stoa_bytes text = is_text ? from->as.bytes[i] : (stoa_bytes){"the value", 9};
    const char *const quote = is_text ? "'" : "";
    char name[64];

    return STOA_FAIL_CALL(
        err, call, "%s%.*s%s of some row is no %s; try_cast() makes such values missing", quote,
        (int)(text.length < 40 ? text.length : 40), text.data, quote, stoa_type_name(&type, name));
}

/* The nearest whole numbers; those outside of [least, end) are wrong. Returns whether none is. */
STOA_CLONES static bool round_floats(const double *restrict from, int64_t n, double least,
                                     double end, int64_t *restrict to)
{
    uint64_t within = 1;

    for (int64_t i = 0; i < n; i++) {
        const double sum = from[i] + STOA_WHOLE;
        const double x = sum - STOA_WHOLE;
        within &= x >= least && x < end ? UINT64_MAX : 0; /* not NaN */
        to[i] = (int64_t)(stoa_bits_of_f64(sum) - STOA_WHOLE_BITS);
    }
    return within != 0;
}

/* Cast floats to integers, all at once. Returns false if that is not possible for some row. */
static bool cast_floats(stoa_call *call)
{
    const stoa_kind kind = call->expr->kind;
    const int bits = 8 * (int)stoa_kind_width(kind);
    const bool is_signed = stoa_kind_is_signed(kind);
    const double end = bits == 64 ? 0x1p51 : ldexp(1, bits - is_signed);

    return round_floats(call->args[0].as.f64, call->n, is_signed ? -end : 0, end, call->out);
}

static stoa_status cast_rows(stoa_call *call, bool tries, stoa_error *err)
{
    const stoa_value_domain domain = call->expr->type.domain;

    if (call->args[0].type.domain == STOA_DOMAIN_F64 &&
        (domain == STOA_DOMAIN_I64 || domain == STOA_DOMAIN_U64) && cast_floats(call)) {
        return STOA_OK;
    }
    const bool to_text = domain == STOA_DOMAIN_TEXT;
    const bounds all = bounds_of(call->expr->kind); /* of integers */
    stoa_bytes *const texts = call->out;

    for (int64_t i = 0; i < call->n; i++) {
        const bool is_missing = stoa_call_misses(call, i);
        if (to_text && is_missing) {
            texts[i] = (stoa_bytes){"", 0};
        } else if (to_text) {
            STOA_RETURN_NOT_OK(text_of(call, i, &texts[i], err));
        } else if (!is_missing && !convert(call, i, &all)) {
            if (!tries) {
                return fail_value(call, i, err);
            }
            stoa_call_miss(call, i);
        }
    }
    return STOA_OK;
}

static stoa_status cast_of(stoa_call *call, stoa_error *err)
{
    return cast_rows(call, false, err);
}

static stoa_status try_cast_of(stoa_call *call, stoa_error *err)
{
    return cast_rows(call, true, err);
}

static const stoa_function functions[] = {
    {{"cast", NULL, "cast(x as type)",
      "x as a value of the type, also written x::type; an error where it has none",
      "cast('12' as int) = 12"},
     ">",
     .loop = cast_of},
    {{"try_cast", NULL, "try_cast(x as type)", "the same, but missing where there is none",
      "try_cast('abc' as int) is null"},
     ">",
     .loop = try_cast_of},
};

const stoa_function_group stoa_cast_functions = {"Conversions", functions,
                                                 sizeof functions / sizeof functions[0]};

const stoa_function *stoa_function_of_cast(bool tries)
{
    return &functions[tries];
}
