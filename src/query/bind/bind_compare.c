/*
 * Binding of comparisons.
 *
 * A literal is converted exactly, once, to the domain of the other operand. `delay > 3.5` on
 * integers becomes `delay > 3`; a time finer than its column's unit is treated likewise. If the
 * literal is beyond all values of the domain (an int against 1e30), only a test for missing rows
 * remains.
 */
#include <math.h>
#include <string.h>

#include "query/eval/compare.h"
#include "query/eval/emit.h"
#include "query/eval/eval.h"

/* The position of a literal among the values of a domain. */
typedef enum place {
    PLACE_AT,         /* equal to `value` */
    PLACE_JUST_ABOVE, /* between `value` and the next value of the domain */
    PLACE_ABOVE_ALL,
    PLACE_BELOW_ALL,
    PLACE_UNORDERED /* NaN */
} place;

typedef union literal {
    int64_t i64;
    uint64_t u64;
    double f64;
} literal;

static place place_among_i64(const stoa_vector *value, literal *out)
{
    if (value->type.domain == STOA_DOMAIN_I64) {
        out->i64 = value->as.i64[0];
        return PLACE_AT;
    }
    if (value->type.domain == STOA_DOMAIN_U64) {
        out->i64 = (int64_t)(value->as.u64[0] & INT64_MAX);
        return value->as.u64[0] > INT64_MAX ? PLACE_ABOVE_ALL : PLACE_AT;
    }
    const double x = value->as.f64[0];
    if (isnan(x)) {
        return PLACE_UNORDERED;
    }
    if (x >= 0x1p63 || x < -0x1p63) {
        return x > 0 ? PLACE_ABOVE_ALL : PLACE_BELOW_ALL;
    }
    out->i64 = (int64_t)floor(x);
    return floor(x) < x ? PLACE_JUST_ABOVE : PLACE_AT;
}

static place place_among_u64(const stoa_vector *value, literal *out)
{
    if (value->type.domain == STOA_DOMAIN_U64) {
        out->u64 = value->as.u64[0];
        return PLACE_AT;
    }
    if (value->type.domain == STOA_DOMAIN_I64) {
        out->u64 = (uint64_t)value->as.i64[0];
        return value->as.i64[0] < 0 ? PLACE_BELOW_ALL : PLACE_AT;
    }
    const double x = value->as.f64[0];
    if (isnan(x)) {
        return PLACE_UNORDERED;
    }
    if (x >= 0x1p64 || x < 0) {
        return x > 0 ? PLACE_ABOVE_ALL : PLACE_BELOW_ALL;
    }
    out->u64 = (uint64_t)x;
    return floor(x) < x ? PLACE_JUST_ABOVE : PLACE_AT;
}

/* An integer beyond 2^53 may lie between two doubles. */
static place place_among_f64(const stoa_vector *value, literal *out)
{
    int order; /* of the integer and the nearest double */

    if (value->type.domain == STOA_DOMAIN_I64) {
        out->f64 = (double)value->as.i64[0];
        order = stoa_order_i64_f64(value->as.i64[0], out->f64);
    } else if (value->type.domain == STOA_DOMAIN_U64) {
        out->f64 = (double)value->as.u64[0];
        order = stoa_order_u64_f64(value->as.u64[0], out->f64);
    } else {
        out->f64 = value->as.f64[0];
        return PLACE_AT;
    }
    if (order < 0) {
        out->f64 = nextafter(out->f64, -INFINITY);
    }
    return order == 0 ? PLACE_AT : PLACE_JUST_ABOVE;
}

static place place_in_time(const stoa_time *time, stoa_time_unit unit, literal *out)
{
    int64_t ticks;
    bool rest;

    if (unit == STOA_TIME_DAY) {
        ticks = time->seconds / 86400 - (time->seconds % 86400 < 0);
        rest = time->seconds % 86400 != 0 || time->nanoseconds != 0;
    } else {
        const int64_t nanoseconds_per_tick = stoa_time_nanoseconds(unit);
        const int64_t per_second = 1000000000 / nanoseconds_per_tick;
        /* Round toward zero first. Otherwise the product could overflow for a time before 1970,
         * although the sum would not. */
        const bool before = time->seconds < 0;
        const int64_t fraction = time->nanoseconds / nanoseconds_per_tick;
        rest = time->nanoseconds % nanoseconds_per_tick != 0;
        if (__builtin_mul_overflow(time->seconds + before, per_second, &ticks) ||
            __builtin_add_overflow(ticks, fraction - (before ? per_second : 0), &ticks)) {
            return before ? PLACE_BELOW_ALL : PLACE_ABOVE_ALL;
        }
    }
    out->i64 = ticks;
    return rest ? PLACE_JUST_ABOVE : PLACE_AT;
}

bool stoa_expr_ticks(const stoa_expr *constant, const stoa_type *type, stoa_time *ticks)
{
    if (stoa_domain_is_ticks(constant->type.domain)) {
        const int64_t count = constant->value.as.i64[0];
        const int64_t nanoseconds = stoa_time_nanoseconds(constant->type.unit);
        const int64_t per_second = 1000000000 / nanoseconds;
        const int64_t rest = (count % per_second + per_second) % per_second;

        *ticks = (stoa_time){.seconds = count / per_second - (count % per_second < 0),
                             .nanoseconds = (int32_t)(rest * nanoseconds)};
        return true;
    }
    const stoa_bytes text = constant->value.as.bytes[0];
    return stoa_type_parse_ticks(type, text.data, text.length, ticks);
}

/* `left compare literal`, for a literal at position `where`. */
static stoa_status compare_at(const stoa_binder *binder, const stoa_syntax *syntax,
                              stoa_compare compare, stoa_expr *left, place where,
                              const literal *value, stoa_expr *right, stoa_expr **out,
                              stoa_error *err)
{
    const bool below = compare == STOA_LT || compare == STOA_LE;
    stoa_op op = STOA_OP_COMPARE;

    if (where == PLACE_JUST_ABOVE && compare != STOA_EQ && compare != STOA_NE) {
        compare = below ? STOA_LE : STOA_GT;
    } else if (where != PLACE_AT) {
        const bool always = compare == STOA_NE || (where == PLACE_ABOVE_ALL && below) ||
                            (where == PLACE_BELOW_ALL && !below && compare != STOA_EQ);
        op = always ? STOA_OP_ALWAYS : STOA_OP_NEVER;
        return stoa_expr_make(binder, op, STOA_DOMAIN_BOOL, syntax, 1, &left, out, err);
    }
    literal *moved = stoa_arena_alloc(binder->arena, 1, sizeof *moved);
    stoa_expr *args[2] = {left, NULL};
    STOA_RETURN_NO_MEMORY(err, moved);
    *moved = *value;
    STOA_RETURN_NOT_OK(stoa_expr_make(binder, STOA_OP_CONSTANT, left->type.domain, right->syntax, 0,
                                      NULL, &args[1], err));
    args[1]->type = left->type;
    args[1]->value = (stoa_vector){.type = left->type, .n = 1, .constant = true};
    args[1]->value.as.i64 = &moved->i64;
    STOA_RETURN_NOT_OK(stoa_expr_make(binder, op, STOA_DOMAIN_BOOL, syntax, 2, args, out, err));
    (*out)->compare = compare;
    return STOA_OK;
}

static stoa_status compare_number(const stoa_binder *binder, const stoa_syntax *syntax,
                                  stoa_compare compare, stoa_expr *left, stoa_expr *right,
                                  stoa_expr **out, stoa_error *err)
{
    literal value = {0};
    place where;

    switch (left->type.domain) {
    case STOA_DOMAIN_I64:
        where = place_among_i64(&right->value, &value);
        break;
    case STOA_DOMAIN_U64:
        where = place_among_u64(&right->value, &value);
        break;
    default:
        where = place_among_f64(&right->value, &value);
        break;
    }
    return compare_at(binder, syntax, compare, left, where, &value, right, out, err);
}

static stoa_status compare_time(const stoa_binder *binder, const stoa_syntax *syntax,
                                stoa_compare compare, stoa_expr *left, stoa_expr *right,
                                stoa_expr **out, stoa_error *err)
{
    const stoa_type type = stoa_type_of_values(&left->type);
    literal value = {0};
    stoa_time time;

    if (!stoa_expr_ticks(right, &type, &time)) {
        char source[STOA_SOURCE_SIZE];
        return stoa_fail_ticks(right->syntax, stoa_syntax_source(left->syntax, source), &type, err);
    }
    const place where = place_in_time(&time, left->type.unit, &value);
    STOA_RETURN_NOT_OK(compare_at(binder, syntax, compare, left, where, &value, right, out, err));
    return stoa_expr_fold(binder, out, err);
}

/* `flag = 1` becomes the flag itself, which an index can answer. */
static stoa_status compare_bool(const stoa_binder *binder, const stoa_syntax *syntax,
                                stoa_compare compare, stoa_expr *left, stoa_expr *right,
                                stoa_expr **out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_expr_cast(binder, STOA_DOMAIN_I64, &right, err));
    if (right->type.domain == STOA_DOMAIN_I64 && (compare == STOA_EQ || compare == STOA_NE) &&
        (right->value.as.i64[0] == 0 || right->value.as.i64[0] == 1)) {
        if ((right->value.as.i64[0] == 1) == (compare == STOA_EQ)) {
            *out = left;
        } else {
            STOA_RETURN_NOT_OK(
                stoa_expr_make(binder, STOA_OP_NOT, STOA_DOMAIN_BOOL, syntax, 1, &left, out, err));
        }
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_expr_cast(binder, STOA_DOMAIN_I64, &left, err));
    return compare_number(binder, syntax, compare, left, right, out, err);
}

static stoa_status fail_compare(const stoa_binder *binder, const stoa_expr *left,
                                const stoa_expr *right, stoa_error *err)
{
    char source[2][STOA_SOURCE_SIZE];
    char type[2][64];

    return STOA_FAIL_SYNTAX(
        err, STOA_ETYPE, left->syntax,
        "%s is %s and cannot be compared with "
        "%s %s",
        stoa_syntax_source(left->syntax, source[0]), stoa_expr_type_name(binder, left, type[0]),
        stoa_expr_type_name(binder, right, type[1]), stoa_syntax_source(right->syntax, source[1]));
}

static bool is_number_or_bool(stoa_value_domain domain)
{
    return stoa_domain_is_number(domain) || domain == STOA_DOMAIN_BOOL;
}

/* Whether two domains can be compared. */
static bool is_comparable(const stoa_expr *a, const stoa_expr *b)
{
    const stoa_value_domain x = a->type.domain;
    const stoa_value_domain y = b->type.domain;

    if (is_number_or_bool(x) && is_number_or_bool(y)) {
        return true;
    }
    if (stoa_domain_is_ticks(x) && y == STOA_DOMAIN_TEXT) {
        return stoa_expr_is_constant(b);
    }
    return x == y && (stoa_domain_is_bytes(x) || stoa_domain_is_ticks(x));
}

stoa_status stoa_bind_compare(const stoa_binder *binder, const stoa_syntax *syntax,
                              stoa_compare compare, stoa_expr *left, stoa_expr *right,
                              stoa_expr **out, stoa_error *err)
{
    if (left->type.domain == STOA_DOMAIN_NULL || right->type.domain == STOA_DOMAIN_NULL) {
        return stoa_expr_null(binder, syntax, out,
                              err); /* E1: comparison with a missing value is missing */
    }
    if (stoa_expr_is_constant(left) &&
        (!stoa_expr_is_constant(right) ||
         (left->type.domain == STOA_DOMAIN_TEXT && stoa_domain_is_ticks(right->type.domain)))) {
        return stoa_bind_compare(binder, syntax, stoa_compare_mirrored(compare), right, left, out,
                                 err);
    }
    if (!is_comparable(left, right)) {
        return fail_compare(binder, left, right, err);
    }
    const bool literal_right = stoa_expr_is_constant(right) && !stoa_expr_is_constant(left);
    if (literal_right && left->type.domain == STOA_DOMAIN_BOOL) {
        return compare_bool(binder, syntax, compare, left, right, out, err);
    }
    if (left->type.domain == STOA_DOMAIN_BOOL) {
        STOA_RETURN_NOT_OK(stoa_expr_cast(binder, STOA_DOMAIN_I64, &left, err));
    }
    if (right->type.domain == STOA_DOMAIN_BOOL) {
        STOA_RETURN_NOT_OK(stoa_expr_cast(binder, STOA_DOMAIN_I64, &right, err));
    }
    if (literal_right && stoa_domain_is_number(left->type.domain)) {
        return compare_number(binder, syntax, compare, left, right, out, err);
    }
    if (stoa_expr_is_constant(right) && stoa_domain_is_ticks(left->type.domain)) {
        return compare_time(binder, syntax, compare, left, right, out, err);
    }
    stoa_expr *args[2] = {left, right};
    STOA_RETURN_NOT_OK(
        stoa_expr_make(binder, STOA_OP_COMPARE, STOA_DOMAIN_BOOL, syntax, 2, args, out, err));
    (*out)->compare = compare;
    return stoa_expr_fold(binder, out, err);
}

/* Several tests of one operand -------------------------------------------------------------- */

/* A reference to an operand that is tested several times: the operand itself if it is cheap. */
static stoa_status operand_of(const stoa_binder *binder, stoa_expr *x, stoa_expr **out,
                              stoa_error *err)
{
    *out = x;
    if (x->op != STOA_OP_COLUMN && !stoa_expr_is_constant(x)) {
        STOA_RETURN_NOT_OK(
            stoa_expr_make(binder, STOA_OP_OPERAND, x->type.domain, x->syntax, 0, NULL, out, err));
        (*out)->type = x->type;
    }
    return STOA_OK;
}

/* Combine the tests, and wrap them in a LET that evaluates the operand once. */
static stoa_status join(const stoa_binder *binder, const stoa_syntax *syntax, stoa_op op,
                        stoa_expr *x, const stoa_expr *operand, size_t n, stoa_expr *const *tests,
                        stoa_expr **out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_expr_make(binder, op, STOA_DOMAIN_BOOL, syntax, n, tests, out, err));
    STOA_RETURN_NOT_OK(stoa_expr_fold(binder, out, err));
    if (operand != x && !stoa_expr_is_constant(*out)) {
        stoa_expr *args[2] = {x, *out};
        STOA_RETURN_NOT_OK(
            stoa_expr_make(binder, STOA_OP_LET, STOA_DOMAIN_BOOL, syntax, 2, args, out, err));
    }
    return STOA_OK;
}

stoa_status stoa_bind_between(const stoa_binder *binder, const stoa_syntax *syntax,
                              stoa_expr *const args[3], stoa_expr **out, stoa_error *err)
{
    stoa_expr *operand = NULL;
    stoa_expr *tests[2] = {NULL, NULL};

    STOA_RETURN_NOT_OK(operand_of(binder, args[0], &operand, err));
    STOA_RETURN_NOT_OK(
        stoa_bind_compare(binder, syntax, STOA_GE, operand, args[1], &tests[0], err));
    STOA_RETURN_NOT_OK(
        stoa_bind_compare(binder, syntax, STOA_LE, operand, args[2], &tests[1], err));
    return join(binder, syntax, STOA_OP_AND, args[0], operand, 2, tests, out, err);
}

/* Whether all tests are `x = constant` in x's own domain, or never true. They become an IN list. */
static bool is_list(const stoa_expr *x, size_t n, stoa_expr *const *tests)
{
    for (size_t i = 0; i < n; i++) {
        const stoa_expr *test = tests[i];
        if (test->op != STOA_OP_NEVER &&
            !(test->op == STOA_OP_COMPARE && test->compare == STOA_EQ &&
              stoa_expr_is_constant(test->args[1]) &&
              test->args[1]->type.domain == x->type.domain)) {
            return false;
        }
    }
    return !stoa_expr_is_constant(x);
}

static stoa_status make_list(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr *x,
                             size_t n, stoa_expr *const *tests, bool has_null, stoa_expr **out,
                             stoa_error *err)
{
    const bool texts = stoa_domain_is_bytes(x->type.domain);
    const size_t size = texts ? sizeof(stoa_bytes) : sizeof(int64_t);
    uint8_t *values = stoa_arena_alloc(binder->arena, n, size);
    int64_t n_values = 0;

    STOA_RETURN_NO_MEMORY(err, values);
    for (size_t i = 0; i < n; i++) {
        if (tests[i]->op == STOA_OP_COMPARE) {
            memcpy(values + (size_t)n_values++ * size, tests[i]->args[1]->value.as.bits, size);
        }
    }
    stoa_in_sort(x->type.domain, values, &n_values);
    STOA_RETURN_NOT_OK(
        stoa_expr_make(binder, STOA_OP_IN, STOA_DOMAIN_BOOL, syntax, 1, &x, out, err));
    (*out)->has_null = has_null;
    (*out)->memo = binder->scope->n_memos++;
    (*out)->value = (stoa_vector){.type = x->type, .n = n_values};
    (*out)->value.as.bits = values;
    return stoa_in_hash(binder->arena, *out, err);
}

stoa_status stoa_bind_in(const stoa_binder *binder, const stoa_syntax *syntax, size_t n_args,
                         stoa_expr *const *args, stoa_expr **out, stoa_error *err)
{
    stoa_expr *x = args[0];
    stoa_expr *operand = NULL;
    stoa_expr **tests = stoa_arena_alloc(binder->arena, n_args, sizeof *tests);
    stoa_expr *null = NULL;
    size_t n = 0;

    STOA_RETURN_NO_MEMORY(err, tests);
    STOA_RETURN_NOT_OK(operand_of(binder, x, &operand, err));
    for (size_t i = 1; i < n_args; i++) {
        stoa_expr *test = NULL;
        STOA_RETURN_NOT_OK(
            stoa_bind_compare(binder, syntax, STOA_EQ, operand, args[i], &test, err));
        if (stoa_expr_is_null(test)) {
            null = test;
        } else {
            tests[n++] = test;
        }
    }
    if (x->type.domain == STOA_DOMAIN_NULL) {
        *out = null;
    } else if (is_list(x, n, tests)) {
        STOA_RETURN_NOT_OK(make_list(binder, syntax, x, n, tests, null != NULL, out, err));
    } else {
        if (null != NULL) {
            tests[n++] = null;
        }
        STOA_RETURN_NOT_OK(join(binder, syntax, STOA_OP_OR, x, operand, n, tests, out, err));
    }
    return STOA_OK;
}
