/* Initializers for parameter values in tests. */
#ifndef STOA_TESTS_PARAMETERS_H
#define STOA_TESTS_PARAMETERS_H

#include <stoa/parameter.h>

#define NO_VALUE                                                                                   \
    {                                                                                              \
        .kind = STOA_VALUE_NULL                                                                    \
    }
#define BOOL_VALUE(value)                                                                          \
    {                                                                                              \
        .kind = STOA_VALUE_BOOL, .as.boolean = (value)                                             \
    }
#define INT_VALUE(value)                                                                           \
    {                                                                                              \
        .kind = STOA_VALUE_INT64, .as.int64 = (value)                                              \
    }
#define UINT_VALUE(value)                                                                          \
    {                                                                                              \
        .kind = STOA_VALUE_UINT64, .as.uint64 = (value)                                            \
    }
#define FLOAT_VALUE(value)                                                                         \
    {                                                                                              \
        .kind = STOA_VALUE_FLOAT64, .as.float64 = (value)                                          \
    }
#define TEXT_VALUE(value)                                                                          \
    {                                                                                              \
        .kind = STOA_VALUE_TEXT, .length = SIZE_MAX, .as.text = (value)                            \
    }
#define BYTES_VALUE(value, size)                                                                   \
    {                                                                                              \
        .kind = STOA_VALUE_BYTES, .length = (size), .as.bytes = (value)                            \
    }
#define TIME_VALUE(ticks, unit_)                                                                   \
    {                                                                                              \
        .kind = STOA_VALUE_TIMESTAMP, .unit = (unit_), .as.int64 = (ticks)                         \
    }
#define DURATION_VALUE(ticks, unit_)                                                               \
    {                                                                                              \
        .kind = STOA_VALUE_DURATION, .unit = (unit_), .as.int64 = (ticks)                          \
    }

/* The parameters of options, for use within OPTIONS(). */
#define GIVEN(...)                                                                                 \
    .parameters = (const stoa_parameter[]){__VA_ARGS__},                                           \
    .n_parameters = sizeof((const stoa_parameter[]){__VA_ARGS__}) / sizeof(stoa_parameter)

#endif
