/*
 * Values of query parameters.
 *
 * A parameter is resolved while its text is parsed, text by text. `?` is the one after the largest
 * number so far, as in SQLite. Binding then makes a constant of it, like a literal.
 */
#ifndef STOA_QUERY_PARAMETERS_H
#define STOA_QUERY_PARAMETERS_H

#include <stoa/parameter.h>

#include "query/parse/parse.h"

/* Zero-initialised: no parameters. */
typedef struct stoa_parameters {
    stoa_parameter *values; /* owned by the arena, with texts and bytes */
    size_t n;
    size_t largest; /* number so far */
    bool *used;
} stoa_parameters;

/* Copy the caller's values. STOA_EINVAL or STOA_ERANGE if one is not valid. */
stoa_status stoa_parameters_open(stoa_parameters *parameters, const stoa_parameter *values,
                                 size_t n, stoa_arena *arena, stoa_error *err);
/* The value of a PARAM. STOA_ENOTFOUND if there is none; `parameters` may be NULL. */
stoa_status stoa_parameters_find(stoa_parameters *parameters, const stoa_syntax *syntax,
                                 const stoa_parameter **value, stoa_error *err);
/* STOA_EINVAL if a value is not used by any text. */
stoa_status stoa_parameters_check_used(const stoa_parameters *parameters, stoa_error *err);

#endif
