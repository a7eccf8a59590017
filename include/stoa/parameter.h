/*
 * Values of parameters: `energy > ?`, `name = :name`.
 *
 * A parameter may be used in the text of a query or an edit wherever a literal is allowed, and has
 * the meaning of the literal. So a program need not quote or format anything. docs/query.md has the
 * rules.
 */
#ifndef STOA_PARAMETER_H
#define STOA_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/error.h>

STOA_BEGIN_DECLS

/** The length of a tick of a time or duration. */
typedef enum stoa_time_unit {
    STOA_TIME_DAY, /**< of 24 hours */
    STOA_TIME_SECOND,
    STOA_TIME_MILLI,
    STOA_TIME_MICRO,
    STOA_TIME_NANO
} stoa_time_unit;

typedef enum stoa_value_kind {
    STOA_VALUE_NULL,      /**< null */
    STOA_VALUE_BOOL,      /**< like true */
    STOA_VALUE_INT64,     /**< like -5 */
    STOA_VALUE_UINT64,    /**< like 5 */
    STOA_VALUE_FLOAT64,   /**< like 5.0; also NaN and infinities, which have no literal */
    STOA_VALUE_TEXT,      /**< like 'text'; compared with a time or duration column, its text
                               form */
    STOA_VALUE_BYTES,     /**< like X'00ff' */
    STOA_VALUE_TIMESTAMP, /**< ticks since 1970-01-01T00:00:00, UTC if the column is in UTC */
    STOA_VALUE_DURATION   /**< ticks */
} stoa_value_kind;

/** One value of a list. `?1`, or the first `?`, is the first one. */
typedef struct stoa_parameter {
    const char *name;     /**< for `:name`, without the colon; NULL: by number only */
    stoa_value_kind kind; /**< which member of `as` is set */
    stoa_time_unit unit;  /**< of TIMESTAMP, DURATION */
    size_t length;        /**< bytes of TEXT, BYTES; SIZE_MAX: a TEXT that ends with a NUL */
    union {
        bool boolean;     /**< BOOL */
        int64_t int64;    /**< INT64; the ticks of TIMESTAMP, DURATION */
        uint64_t uint64;  /**< UINT64 */
        double float64;   /**< FLOAT64 */
        const char *text; /**< TEXT: UTF-8 without NUL bytes */
        const void *bytes;
    } as;
} stoa_parameter;

STOA_END_DECLS

#endif
