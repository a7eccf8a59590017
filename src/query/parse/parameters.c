#include "query/parse/parameters.h"

#include <string.h>

#include "core/text.h"

/* Values ------------------------------------------------------------------------------------ */

/* Fail: value i is not valid. */
static stoa_status fail_value(const stoa_parameters *parameters, size_t i, stoa_status status,
                              const char *what, stoa_error *err)
{
    const char *const name = parameters->values[i].name;

    return stoa_fail(err, status, "the value of parameter %zu%s%s%s %s", i + 1,
                     name != NULL ? " (:" : "", name != NULL ? name : "", name != NULL ? ")" : "",
                     what);
}

static stoa_status copy_text(stoa_parameters *parameters, size_t i, stoa_arena *arena,
                             stoa_error *err)
{
    stoa_parameter *const value = &parameters->values[i];
    const char *const text = value->as.text != NULL ? value->as.text : "";

    if (value->as.text == NULL && value->length != 0) {
        return fail_value(parameters, i, STOA_EINVAL, "is a null pointer", err);
    }
    if (value->kind == STOA_VALUE_TEXT) {
        value->length = value->length == SIZE_MAX ? strlen(text) : value->length;
        if (memchr(text, '\0', value->length) != NULL) {
            return fail_value(parameters, i, STOA_EINVAL, "is a text that holds a NUL", err);
        }
        if (stoa_utf8_valid(text, value->length) != value->length) {
            return fail_value(parameters, i, STOA_EINVAL, "is not valid UTF-8", err);
        }
    }
    value->as.text = stoa_arena_text(arena, text, value->length);
    return value->as.text != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Convert days to seconds, so that later conversions cannot overflow. */
static stoa_status convert_ticks(stoa_parameters *parameters, size_t i, stoa_error *err)
{
    stoa_parameter *const value = &parameters->values[i];

    if ((unsigned)value->unit > STOA_TIME_NANO) {
        return fail_value(parameters, i, STOA_EINVAL, "has an unknown unit of time", err);
    }
    if (value->unit == STOA_TIME_DAY) {
        value->unit = STOA_TIME_SECOND;
        if (__builtin_mul_overflow(value->as.int64, INT64_C(86400), &value->as.int64)) {
            return fail_value(parameters, i, STOA_ERANGE, "is too many days", err);
        }
    }
    return STOA_OK;
}

static stoa_status convert_value(stoa_parameters *parameters, size_t i, stoa_arena *arena,
                                 stoa_error *err)
{
    stoa_parameter *const value = &parameters->values[i];

    switch (value->kind) {
    case STOA_VALUE_NULL:
    case STOA_VALUE_BOOL:
    case STOA_VALUE_INT64:
    case STOA_VALUE_FLOAT64:
        return STOA_OK;
    case STOA_VALUE_UINT64: /* literals are int64 if they fit */
        if (value->as.uint64 <= INT64_MAX) {
            value->kind = STOA_VALUE_INT64;
            value->as.int64 = (int64_t)value->as.uint64;
        }
        return STOA_OK;
    case STOA_VALUE_TEXT:
    case STOA_VALUE_BYTES:
        return copy_text(parameters, i, arena, err);
    case STOA_VALUE_TIMESTAMP:
    case STOA_VALUE_DURATION:
        return convert_ticks(parameters, i, err);
    }
    return fail_value(parameters, i, STOA_EINVAL, "is of an unknown kind", err);
}

stoa_status stoa_parameters_open(stoa_parameters *parameters, const stoa_parameter *values,
                                 size_t n, stoa_arena *arena, stoa_error *err)
{
    *parameters = (stoa_parameters){0};
    if (n == 0) {
        return STOA_OK;
    }
    if (values == NULL) {
        return stoa_fail(err, STOA_EINVAL, "there are %zu parameters, but no values", n);
    }
    parameters->values = stoa_arena_alloc(arena, n, sizeof *values);
    parameters->used = stoa_arena_zero(arena, n, sizeof *parameters->used);
    STOA_RETURN_NO_MEMORY(err, parameters->values != NULL && parameters->used != NULL);
    parameters->n = n;
    memcpy(parameters->values, values, n * sizeof *values);
    for (size_t i = 0; i < n; i++) {
        stoa_parameter *const value = &parameters->values[i];

        if (value->name != NULL) {
            value->name = stoa_arena_text(arena, value->name, strlen(value->name));
            STOA_RETURN_NO_MEMORY(err, value->name);
        }
        STOA_RETURN_NOT_OK(convert_value(parameters, i, arena, err));
    }
    return STOA_OK;
}

/* Parameters -------------------------------------------------------------------------------- */

/* The number of the value with that name, counted from 1; 0 if there is none. */
static size_t find_name(const stoa_parameters *parameters, const char *name, size_t length)
{
    for (size_t i = 0; i < parameters->n; i++) {
        const char *const own = parameters->values[i].name;

        if (own != NULL && strlen(own) == length && memcmp(own, name, length) == 0) {
            return i + 1;
        }
    }
    return 0;
}

stoa_status stoa_parameters_find(stoa_parameters *parameters, const stoa_syntax *syntax,
                                 const stoa_parameter **value, stoa_error *err)
{
    stoa_parameters none = {0};
    stoa_parameters *const p = parameters != NULL ? parameters : &none;
    const bool is_named = syntax->text[0] != '?';
    uint64_t number = p->largest + 1;

    if (is_named) {
        number = find_name(p, syntax->text, syntax->length);
    } else if (syntax->length > 1 &&
               !stoa_parse_u64(syntax->text + 1, syntax->length - 1, &number)) {
        number = UINT64_MAX;
    }
    if (is_named && number == 0) {
        return STOA_FAIL_SYNTAX(err, STOA_ENOTFOUND, syntax,
                                "there is no value for the parameter ':%.*s'", (int)syntax->length,
                                syntax->text);
    }
    if (number == 0) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax, "parameters are numbered from 1");
    }
    if (number > p->n) {
        return STOA_FAIL_SYNTAX(err, STOA_ENOTFOUND, syntax,
                                "there is no value for parameter %llu; values given: %zu",
                                (unsigned long long)number, p->n);
    }
    p->largest = number > p->largest ? (size_t)number : p->largest;
    p->used[number - 1] = true;
    *value = &p->values[number - 1];
    return STOA_OK;
}

stoa_status stoa_parameters_check_used(const stoa_parameters *parameters, stoa_error *err)
{
    for (size_t i = 0; i < parameters->n; i++) {
        if (!parameters->used[i]) {
            return fail_value(parameters, i, STOA_EINVAL, "is used by no text", err);
        }
    }
    return STOA_OK;
}
