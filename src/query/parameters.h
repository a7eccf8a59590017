/*
 * The values that parameters of texts stand for.
 *
 * A parameter is found when it is parsed, text by text: `?` is the one after the largest number so
 * far, as in SQLite. What is bound later is a constant like a literal's.
 */
#ifndef STOA_QUERY_PARAMETERS_H
#define STOA_QUERY_PARAMETERS_H

#include <stoa/parameter.h>

#include "query/parse.h"

/* Zero-initialised: none are given. */
typedef struct stoa_parameters {
    stoa_parameter *values; /* the pool's, with texts and bytes */
    size_t n;
    size_t largest; /* number so far */
    bool *used;
} stoa_parameters;

/* Copy the values of a caller; STOA_EINVAL, STOA_ERANGE for what is no value. */
stoa_status stoa_parameters_open(stoa_parameters *parameters, const stoa_parameter *values,
                                 size_t n, stoa_pool *pool, stoa_error *err);
/* The value of a PARAM; `parameters` NULL: none are given. STOA_ENOTFOUND if it has none. */
stoa_status stoa_parameters_find(stoa_parameters *parameters, const stoa_syntax *syntax,
                                 const stoa_parameter **value, stoa_error *err);
/* STOA_EINVAL if there is a value that no text has used. */
stoa_status stoa_parameters_check_used(const stoa_parameters *parameters, stoa_error *err);

#endif
