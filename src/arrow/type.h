/* Arrow types as a closed enumeration, parsed from a schema's format string. */
#ifndef STOA_ARROW_TYPE_H
#define STOA_ARROW_TYPE_H

#include <stoa/arrow.h>

#include "core/text.h"

typedef enum stoa_kind {
    STOA_KIND_NULL,
    STOA_KIND_BOOL, /* bitmap values */
    STOA_KIND_INT8,
    STOA_KIND_INT16,
    STOA_KIND_INT32,
    STOA_KIND_INT64,
    STOA_KIND_UINT8,
    STOA_KIND_UINT16,
    STOA_KIND_UINT32,
    STOA_KIND_UINT64,
    STOA_KIND_FLOAT16, /* uint16_t bits */
    STOA_KIND_FLOAT32,
    STOA_KIND_FLOAT64,
    STOA_KIND_STRING,       /* "u": int32_t offsets */
    STOA_KIND_LARGE_STRING, /* "U": int64_t offsets */
    STOA_KIND_BINARY,       /* "z" */
    STOA_KIND_LARGE_BINARY, /* "Z" */
    STOA_KIND_FIXED_BINARY, /* "w:N" */
    STOA_KIND_DATE,         /* "tdD": int32_t days */
    STOA_KIND_TIMESTAMP,    /* "ts?:zone": int64_t ticks */
    STOA_KIND_DURATION,     /* "tD?": int64_t ticks */
    STOA_KIND_LIST,         /* "+l" */
    STOA_KIND_LARGE_LIST,   /* "+L" */
    STOA_KIND_FIXED_LIST,   /* "+w:N" */
    STOA_KIND_STRUCT,       /* "+s" */
    STOA_KIND_DICTIONARY,   /* the schema has a dictionary; `index` is the kind of its codes */
    STOA_KIND_OTHER         /* an Arrow type that Stoa does not support */
} stoa_kind;

/* A field's type, without its children. */
typedef struct stoa_type {
    stoa_kind kind;
    stoa_kind index;     /* DICTIONARY: an integer kind */
    int32_t width;       /* FIXED_BINARY: bytes; FIXED_LIST: items; else bytes per value or 0 */
    stoa_time_unit unit; /* DATE, TIMESTAMP, DURATION */
    bool utc;            /* TIMESTAMP with a time zone */
} stoa_type;

/* Parse a schema's format; STOA_ETYPE if it is malformed. */
stoa_status stoa_type_of(const struct ArrowSchema *schema, stoa_type *type, stoa_error *err);
/* A name for messages ("int16", "timestamp[ms, UTC]"), either static or written to `out` (64
 * bytes). */
const char *stoa_type_name(const stoa_type *type, char *out);
/* Bytes per value of a fixed-width kind, else 0. BOOL has 0, because its values are bits. */
int32_t stoa_kind_width(stoa_kind kind);
const char *stoa_kind_format(stoa_kind kind); /* "c", "s", ...; NULL if the format has parameters */

/* A decimal's format: "d:PRECISION,SCALE" or "d:PRECISION,SCALE,BITS". */
typedef struct stoa_decimal {
    int precision;
    int scale; /* digits after the point; may be negative */
    int width; /* bytes */
} stoa_decimal;

bool stoa_decimal_of(const char *format, stoa_decimal *decimal);

/* Parse a text as a DATE or TIMESTAMP (a point in time) or a DURATION; false if it is not one. */
bool stoa_type_parse_ticks(const stoa_type *type, const char *text, size_t length, stoa_time *time);
/* Format ticks of one of these types as text (STOA_NUMBER_SIZE bytes). Returns the length. */
size_t stoa_type_format_ticks(const stoa_type *type, int64_t ticks, char *out);

static inline bool stoa_kind_is_signed(stoa_kind kind)
{
    return kind >= STOA_KIND_INT8 && kind <= STOA_KIND_INT64;
}
static inline bool stoa_kind_is_unsigned(stoa_kind kind)
{
    return kind >= STOA_KIND_UINT8 && kind <= STOA_KIND_UINT64;
}
static inline bool stoa_kind_is_integer(stoa_kind kind)
{
    return kind >= STOA_KIND_INT8 && kind <= STOA_KIND_UINT64;
}
static inline bool stoa_kind_is_float(stoa_kind kind)
{
    return kind >= STOA_KIND_FLOAT16 && kind <= STOA_KIND_FLOAT64;
}
static inline bool stoa_kind_is_string(stoa_kind kind)
{
    return kind == STOA_KIND_STRING || kind == STOA_KIND_LARGE_STRING;
}
/* Strings or other bytes, of variable length. */
static inline bool stoa_kind_is_bytes(stoa_kind kind)
{
    return stoa_kind_is_string(kind) || kind == STOA_KIND_BINARY || kind == STOA_KIND_LARGE_BINARY;
}
static inline bool stoa_kind_is_list(stoa_kind kind)
{
    return kind == STOA_KIND_LIST || kind == STOA_KIND_LARGE_LIST || kind == STOA_KIND_FIXED_LIST;
}
/* Whether its offsets have 64 bits. */
static inline bool stoa_kind_is_wide(stoa_kind kind)
{
    return kind == STOA_KIND_LARGE_STRING || kind == STOA_KIND_LARGE_BINARY ||
           kind == STOA_KIND_LARGE_LIST;
}
static inline bool stoa_kind_is_time(stoa_kind kind)
{
    return kind == STOA_KIND_DATE || kind == STOA_KIND_TIMESTAMP;
}
/* Points in time and durations: integers that count ticks. */
static inline bool stoa_kind_is_ticks(stoa_kind kind)
{
    return stoa_kind_is_time(kind) || kind == STOA_KIND_DURATION;
}

#endif
