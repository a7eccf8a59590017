/*
 * The functions of expressions.
 *
 * An entry has all that is known of a function: its names, the types that it takes and gives, its
 * loop, and its help. The binder, `stoa help functions`, docs/query.md and completion read the
 * entries. So a new function is one entry and one loop, in the file of its subject.
 *
 * A function that DuckDB has under the same name gives the same here.
 */
#ifndef STOA_QUERY_FUNCTIONS_H
#define STOA_QUERY_FUNCTIONS_H

#include "core/text.h"
#include "query/eval/eval.h"

/* The functions of a subject, in the order of the docs. */
typedef struct stoa_function_group {
    const char *title;
    const stoa_function *functions;
    size_t n;
} stoa_function_group;

extern const stoa_function_group stoa_number_functions;
extern const stoa_function_group stoa_text_functions;
extern const stoa_function_group stoa_pattern_functions;
extern const stoa_function_group stoa_time_functions;
extern const stoa_function_group stoa_choice_functions;
extern const stoa_function_group stoa_cast_functions;

/* The i-th group; NULL after the last. */
const stoa_function_group *stoa_function_group_at(size_t i);
/* Whether a function has that name or spelling; case is ignored. */
static inline bool stoa_function_is(const stoa_function_text *text, const char *name, size_t length)
{
    return stoa_is_among(name, length, text->name) || stoa_is_among(name, length, text->also);
}
/* The next function of that name after `after`, or the first if that is NULL. */
const stoa_function *stoa_function_next(const char *name, size_t length,
                                        const stoa_function *after);
/* The function that a cast calls. `tries`: a value that cannot be converted becomes missing. */
const stoa_function *stoa_function_of_cast(bool tries);
/* The kind of a type's name, as SQL or Arrow calls it ("bigint", "int64"); false if there is none.
 * The unit is that of times and durations. */
bool stoa_kind_of_name(const char *name, size_t length, stoa_kind *kind, stoa_time_unit *unit);

/* For loops --------------------------------------------------------------------------------- */

/* Value i of an argument that may be a constant. */
#define AT(vector, field, i) ((vector).as.field[(vector).constant ? 0 : (i)])

/* The result's values are those of an argument, which are not copied. */
static inline void stoa_call_pass(stoa_call *call, const stoa_vector *arg)
{
    call->out = (void *)(uintptr_t)arg->as.bits;
}

/* Set the result of a row to be missing. */
static inline void stoa_call_miss(stoa_call *call, int64_t row)
{
    if (!call->has_validity) {
        for (int64_t i = 0; i < (call->n + 63) / 64; i++) {
            ((uint64_t *)(void *)call->validity)[i] = UINT64_MAX;
        }
        call->has_validity = true;
    }
    call->validity[row / 8] &= (uint8_t) ~(1u << (row % 8));
}

/* Whether the result of a row is missing, since an argument is. Its value does not matter, and
 * must not make the call fail. */
static inline bool stoa_call_misses(const stoa_call *call, int64_t row)
{
    return call->has_validity && !stoa_bit_get(call->validity, (uint64_t)row);
}

/* Fail with the call's place in the text: STOA_ERANGE, the status of a value that some row has. */
#define STOA_FAIL_CALL(err, call, ...)                                                             \
    STOA_FAIL_SYNTAX(err, STOA_ERANGE, (call)->expr->syntax, __VA_ARGS__)

#endif
