/* Parses format strings of the Arrow C data interface. */
#include "arrow/type.h"

#include <stdio.h>
#include <string.h>

/* Kinds with a constant format. The names are those of pyarrow. */
static const struct {
    stoa_kind kind;
    const char *format;
    const char *name;
    int32_t width;
} plain[] = {
    {STOA_KIND_NULL, "n", "null", 0},
    {STOA_KIND_BOOL, "b", "bool", 0},
    {STOA_KIND_INT8, "c", "int8", 1},
    {STOA_KIND_INT16, "s", "int16", 2},
    {STOA_KIND_INT32, "i", "int32", 4},
    {STOA_KIND_INT64, "l", "int64", 8},
    {STOA_KIND_UINT8, "C", "uint8", 1},
    {STOA_KIND_UINT16, "S", "uint16", 2},
    {STOA_KIND_UINT32, "I", "uint32", 4},
    {STOA_KIND_UINT64, "L", "uint64", 8},
    {STOA_KIND_FLOAT16, "e", "float16", 2},
    {STOA_KIND_FLOAT32, "f", "float32", 4},
    {STOA_KIND_FLOAT64, "g", "float64", 8},
    {STOA_KIND_STRING, "u", "string", 0},
    {STOA_KIND_LARGE_STRING, "U", "large_string", 0},
    {STOA_KIND_BINARY, "z", "binary", 0},
    {STOA_KIND_LARGE_BINARY, "Z", "large_binary", 0},
    {STOA_KIND_DATE, "tdD", "date", 4},
    {STOA_KIND_LIST, "+l", "list", 0},
    {STOA_KIND_LARGE_LIST, "+L", "large_list", 0},
    {STOA_KIND_STRUCT, "+s", "struct", 0},
};
enum { N_PLAIN = sizeof plain / sizeof plain[0] };

/* Formats of Arrow that Stoa has no column for. Those that end in ':' have parameters. */
static const char *const others[] = {
    "vz",  "vu",  "d:",  "tdm", "tts",  "ttm",  "ttu", "ttn", "tiM",
    "tiD", "tin", "+vl", "+vL", "+ud:", "+us:", "+m",  "+r",
};
enum { N_OTHERS = sizeof others / sizeof others[0] };

/* The letters of "ts?:" and "tD?": seconds, milli, micro, nano, in the order of stoa_time_unit from
 * SECOND on. */
static const char unit_letters[] = "smun";

static bool is_other(const char *format)
{
    for (size_t i = 0; i < N_OTHERS; i++) {
        const size_t length = strlen(others[i]);
        const bool with_parameters = others[i][length - 1] == ':';
        if (with_parameters ? strncmp(format, others[i], length) == 0
                            : strcmp(format, others[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Parse all of `text` as a decimal number; false if it exceeds int32. */
static bool parse_width(const char *text, int32_t *width)
{
    int64_t value = 0;

    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        value = value * 10 + (*text - '0');
        if (value > INT32_MAX) {
            return false;
        }
    }
    *width = (int32_t)value;
    return true;
}

/* Parse a format that begins with "ts" or "tD". */
static bool parse_ticks(const char *format, stoa_type *type)
{
    const char *letter = format[2] != '\0' ? strchr(unit_letters, format[2]) : NULL;
    const bool is_duration = format[1] == 'D';

    if (letter == NULL || format[3] != (is_duration ? '\0' : ':')) {
        return false;
    }
    type->kind = is_duration ? STOA_KIND_DURATION : STOA_KIND_TIMESTAMP;
    type->unit = (stoa_time_unit)(STOA_TIME_SECOND + (letter - unit_letters));
    type->utc = !is_duration && format[4] != '\0';
    type->width = (int32_t)sizeof(int64_t);
    return true;
}

static bool parse_format(const char *format, stoa_type *type)
{
    for (size_t i = 0; i < N_PLAIN; i++) {
        if (strcmp(format, plain[i].format) == 0) {
            type->kind = plain[i].kind;
            type->width = plain[i].width;
            return true;
        }
    }
    if (strncmp(format, "ts", 2) == 0 || strncmp(format, "tD", 2) == 0) {
        return parse_ticks(format, type);
    }
    if (strncmp(format, "w:", 2) == 0) {
        type->kind = STOA_KIND_FIXED_BINARY;
        return parse_width(format + 2, &type->width);
    }
    if (strncmp(format, "+w:", 3) == 0) {
        type->kind = STOA_KIND_FIXED_LIST;
        return parse_width(format + 3, &type->width);
    }
    type->kind = STOA_KIND_OTHER;
    return is_other(format);
}

stoa_status stoa_type_of(const struct ArrowSchema *schema, stoa_type *type, stoa_error *err)
{
    const char *name = schema->name != NULL ? schema->name : "";

    *type = (stoa_type){0};
    if (schema->format == NULL || !parse_format(schema->format, type)) {
        return stoa_fail(err, STOA_ETYPE, "field '%s' has the malformed Arrow format '%s'", name,
                         schema->format != NULL ? schema->format : "");
    }
    if (schema->dictionary != NULL) {
        if (!stoa_kind_is_integer(type->kind)) {
            return stoa_fail(err, STOA_ETYPE,
                             "field '%s' has a dictionary, but its codes have the Arrow format "
                             "'%s', which is no integer",
                             name, schema->format);
        }
        type->index = type->kind;
        type->kind = STOA_KIND_DICTIONARY;
    }
    return STOA_OK;
}

static const char *plain_name(stoa_kind kind)
{
    for (size_t i = 0; i < N_PLAIN; i++) {
        if (plain[i].kind == kind) {
            return plain[i].name;
        }
    }
    return NULL;
}

const char *stoa_type_name(const stoa_type *type, char *out)
{
    static const char *const units[] = {"d", "s", "ms", "us", "ns"};
    const size_t size = 64;
    const char *name = plain_name(type->kind);

    if (name != NULL) {
        return name;
    }
    switch (type->kind) {
    case STOA_KIND_FIXED_BINARY:
        (void)snprintf(out, size, "fixed_binary[%d]", (int)type->width);
        return out;
    case STOA_KIND_FIXED_LIST:
        (void)snprintf(out, size, "fixed_list[%d]", (int)type->width);
        return out;
    case STOA_KIND_TIMESTAMP:
        (void)snprintf(out, size, "timestamp[%s%s]", units[type->unit], type->utc ? ", UTC" : "");
        return out;
    case STOA_KIND_DURATION:
        (void)snprintf(out, size, "duration[%s]", units[type->unit]);
        return out;
    case STOA_KIND_DICTIONARY:
        name = plain_name(type->index);
        (void)snprintf(out, size, "dictionary[%s]", name != NULL ? name : "?");
        return out;
    default:
        return "a type without a place in HEP001";
    }
}

int32_t stoa_kind_width(stoa_kind kind)
{
    for (size_t i = 0; i < N_PLAIN; i++) {
        if (plain[i].kind == kind) {
            return plain[i].width;
        }
    }
    return kind == STOA_KIND_TIMESTAMP || kind == STOA_KIND_DURATION ? (int32_t)sizeof(int64_t) : 0;
}

const char *stoa_kind_format(stoa_kind kind)
{
    for (size_t i = 0; i < N_PLAIN; i++) {
        if (plain[i].kind == kind) {
            return plain[i].format;
        }
    }
    return NULL;
}

bool stoa_type_parse_ticks(const stoa_type *type, const char *text, size_t length, stoa_time *time)
{
    return type->kind == STOA_KIND_DURATION ? stoa_parse_duration(text, length, time)
                                            : stoa_parse_time(text, length, time);
}

size_t stoa_type_format_ticks(const stoa_type *type, int64_t ticks, char *out)
{
    if (type->kind == STOA_KIND_DURATION) {
        return stoa_format_duration(ticks, type->unit, out);
    }
    return stoa_format_time(ticks, type->kind == STOA_KIND_DATE ? STOA_TIME_DAY : type->unit,
                            type->utc, out);
}

bool stoa_decimal_of(const char *format, stoa_decimal *decimal)
{
    enum { MAX_SCALE = 999 };
    int precision = 0;
    int scale = 0;
    int bits = 128;
    int n = 0;
    int n_bits = 0;

    if (sscanf(format, "d:%4d,%4d%n,%4d%n", &precision, &scale, &n, &bits, &n_bits) < 2 ||
        format[n_bits > 0 ? n_bits : n] != '\0' ||
        (bits != 32 && bits != 64 && bits != 128 && bits != 256) || scale > MAX_SCALE ||
        scale < -MAX_SCALE) {
        return false;
    }
    *decimal = (stoa_decimal){precision, scale, bits / 8};
    return true;
}
