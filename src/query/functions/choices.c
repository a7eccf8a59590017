/* Functions that choose among their arguments, which have one type. */
#include <math.h>
#include <string.h>

#include "core/string_set.h"
#include "query/functions/functions.h"

/* Texts and conditions, row by row ----------------------------------------------------------- */

static void put(const stoa_call *call, const stoa_vector *from, int64_t row)
{
    if (stoa_domain_is_bytes(call->expr->type.domain)) {
        ((stoa_bytes *)call->out)[row] = from->as.bytes[row];
    } else if (stoa_bit_get(from->as.bits, (uint64_t)row)) {
        stoa_bit_set(call->out, (uint64_t)row);
    }
}

/* < 0, 0 or > 0. */
static int order(const stoa_vector *a, const stoa_vector *b, int64_t i)
{
    if (stoa_domain_is_bytes(a->type.domain)) {
        const stoa_bytes x = a->as.bytes[i];
        const stoa_bytes y = b->as.bytes[i];
        return stoa_compare_bytes(x.data, x.length, y.data, y.length);
    }
    return stoa_bit_get(a->as.bits, (uint64_t)i) - stoa_bit_get(b->as.bits, (uint64_t)i);
}

/* Numbers and times, by words of bits -------------------------------------------------------- */

/* The kind whose kernels compare 64-bit values; STOA_KIND_NULL for others. */
static stoa_kind kind_of(stoa_value_domain domain)
{
    switch (domain) {
    case STOA_DOMAIN_F64:
        return STOA_KIND_FLOAT64;
    case STOA_DOMAIN_U64:
        return STOA_KIND_UINT64;
    case STOA_DOMAIN_I64:
    case STOA_DOMAIN_TIME:
    case STOA_DOMAIN_DURATION:
        return STOA_KIND_INT64;
    default:
        return STOA_KIND_NULL;
    }
}

static size_t words_of(const stoa_call *call)
{
    return ((size_t)call->n + 63) / 64;
}

/* The rows in which an argument has a value. */
static uint64_t word_of(const stoa_vector *arg, size_t word)
{
    const uint64_t *const valid = (const uint64_t *)(const void *)arg->validity;

    return arg->type.domain == STOA_DOMAIN_NULL ? 0 : valid != NULL ? valid[word] : UINT64_MAX;
}

/* The rows in which a pair passes. */
static uint64_t *pairs_of(const stoa_call *call, int pair, const void *a, const void *b)
{
    const stoa_kind kind = kind_of(call->expr->type.domain);
    uint64_t *const words = stoa_arena_alloc(call->arena, words_of(call), sizeof *words);

    if (words != NULL) {
        call->filter->pairs[kind][pair](a, b, call->n, words);
    }
    return words;
}

/* Each argument's values that are beyond the best so far are put. NaN is the largest, as in a
 * sorted column. */
static stoa_status extreme_words(stoa_call *call, int sign, stoa_error *err)
{
    uint64_t *const known = (uint64_t *)(void *)call->validity;
    uint64_t *const best = call->out;
    const bool floats = call->expr->type.domain == STOA_DOMAIN_F64;

    memset(known, 0, words_of(call) * sizeof *known);
    memset(best, 0, (size_t)call->n * sizeof *best);
    for (size_t k = 0; k < call->n_args; k++) {
        const stoa_vector *const arg = &call->args[k];
        if (arg->type.domain == STOA_DOMAIN_NULL) {
            continue;
        }
        const void *const less = sign > 0 ? arg->as.u64 : best; /* it is not */
        const void *const more = sign > 0 ? best : arg->as.u64;
        uint64_t *const take = pairs_of(call, STOA_PAIR_LE, less, more);
        const uint64_t *const number = floats ? pairs_of(call, STOA_PAIR_EQ, more, more) : NULL;
        STOA_RETURN_NO_MEMORY(err, take != NULL && (!floats || number != NULL));
        for (size_t i = 0; i < words_of(call); i++) {
            const uint64_t beyond = ~take[i] & (floats ? number[i] : UINT64_MAX);
            take[i] = word_of(arg, i) & (~known[i] | beyond);
            known[i] |= take[i];
        }
        stoa_put_rows(arg, take, call->n, best);
    }
    for (size_t i = 0; i < words_of(call); i++) {
        call->has_validity = call->has_validity || known[i] != UINT64_MAX;
    }
    return STOA_OK;
}

/* The rows whose value is the constant; no row if that is missing. */
static uint64_t *rows_equal_to(const stoa_call *call, const stoa_vector *a, const stoa_vector *c)
{
    uint64_t *const words = stoa_arena_zero(call->arena, words_of(call), sizeof *words);
    const stoa_range_predicate band = stoa_range_predicate_of(STOA_EQ, c);
    const stoa_kind kind = kind_of(a->type.domain);
    stoa_bounds bounds;

    if (words != NULL && !stoa_vector_is_null(c, 0) &&
        stoa_range_predicate_bounds(&band, kind, &bounds)) {
        call->filter->within[stoa_lane_of(kind)](a->as.bits, call->n, &bounds, words);
    }
    return words;
}

/* The rows in which both are equal, or NaN. */
static stoa_status find_same(const stoa_call *call, const stoa_vector *a, const stoa_vector *b,
                             const uint64_t **same, stoa_error *err)
{
    stoa_vector right = *b;

    const bool is_nan = b->constant && b->type.domain == STOA_DOMAIN_F64 && isnan(b->as.f64[0]);
    if (b->constant && !is_nan) {
        *same = rows_equal_to(call, a, b);
        STOA_RETURN_NO_MEMORY(err, *same);
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_vector_spread(call->arena, &right, err));
    const bool floats = call->expr->type.domain == STOA_DOMAIN_F64;
    uint64_t *const equal = pairs_of(call, STOA_PAIR_EQ, a->as.u64, right.as.u64);
    const uint64_t *const in_a =
        floats ? pairs_of(call, STOA_PAIR_EQ, a->as.u64, a->as.u64) : equal;
    const uint64_t *const in_b =
        floats ? pairs_of(call, STOA_PAIR_EQ, right.as.u64, right.as.u64) : equal;
    STOA_RETURN_NO_MEMORY(err, equal != NULL && in_a != NULL && in_b != NULL);
    for (size_t i = 0; i < words_of(call); i++) {
        const uint64_t are_nan = floats ? ~(in_a[i] | in_b[i]) : 0;
        equal[i] = (equal[i] | are_nan) & word_of(&right, i);
    }
    *same = equal;
    return STOA_OK;
}

/* Missing where both are equal, or NaN. */
static stoa_status nullif_words(stoa_call *call, const stoa_vector *a, const stoa_vector *b,
                                stoa_error *err)
{
    uint64_t *const known = (uint64_t *)(void *)call->validity;
    const uint64_t *same = NULL;

    if (a->type.domain != STOA_DOMAIN_NULL && b->type.domain != STOA_DOMAIN_NULL) {
        STOA_RETURN_NOT_OK(find_same(call, a, b, &same, err));
    }
    for (size_t i = 0; i < words_of(call); i++) {
        known[i] = word_of(a, i) & (same != NULL ? ~same[i] : UINT64_MAX);
    }
    call->has_validity = true;
    if (a->type.domain == STOA_DOMAIN_NULL) {
        memset(call->out, 0, (size_t)call->n * sizeof(uint64_t));
    } else {
        stoa_call_pass(call, a);
    }
    return STOA_OK;
}

/* Functions --------------------------------------------------------------------------------- */

/* The largest (sign 1) or least (-1) argument that is not missing. */
static stoa_status extreme_of(stoa_call *call, int sign, stoa_error *err)
{
    if (kind_of(call->expr->type.domain) != STOA_KIND_NULL) {
        return extreme_words(call, sign, err);
    }
    for (int64_t i = 0; i < call->n; i++) {
        const stoa_vector *best = NULL;
        for (size_t k = 0; k < call->n_args; k++) {
            const stoa_vector *const arg = &call->args[k];
            if (!stoa_vector_is_null(arg, i) && (best == NULL || order(arg, best, i) * sign > 0)) {
                best = arg;
            }
        }
        if (best != NULL) {
            put(call, best, i);
        } else {
            stoa_call_miss(call, i);
        }
    }
    return STOA_OK;
}

static stoa_status greatest_of(stoa_call *call, stoa_error *err)
{
    return extreme_of(call, 1, err);
}

static stoa_status least_of(stoa_call *call, stoa_error *err)
{
    return extreme_of(call, -1, err);
}

static stoa_status nullif_of(stoa_call *call, stoa_error *err)
{
    stoa_vector a = call->args[0];
    stoa_vector b = call->args[1];

    STOA_RETURN_NOT_OK(stoa_vector_spread(call->arena, &a, err));
    if (kind_of(call->expr->type.domain) != STOA_KIND_NULL) {
        return nullif_words(call, &a, &b, err);
    }
    STOA_RETURN_NOT_OK(stoa_vector_spread(call->arena, &b, err));
    for (int64_t i = 0; i < call->n; i++) {
        if (stoa_vector_is_null(&a, i) || (!stoa_vector_is_null(&b, i) && order(&a, &b, i) == 0)) {
            stoa_call_miss(call, i);
        } else {
            put(call, &a, i);
        }
    }
    return STOA_OK;
}

static stoa_status bind_coalesce(const stoa_binder *binder, const stoa_syntax *syntax,
                                 size_t n_args, stoa_expr **args, stoa_expr **out, stoa_error *err)
{
    return stoa_expr_make(binder, STOA_OP_COALESCE, STOA_DOMAIN_NULL, syntax, n_args, args, out,
                          err);
}

static const stoa_function functions[] = {
    {{"coalesce", "ifnull", "coalesce(x, ...)", "the first value that is not missing",
      "coalesce(null, 2, 3) = 2"},
     "a*>a",
     NULL,
     .takes_missing = true,
     .bind = bind_coalesce},
    {{"greatest", NULL, "greatest(x, ...)",
      "the largest value that is not missing; NaN is larger than all others",
      "greatest(1, null, 3) = 3"},
     "a*>a",
     greatest_of,
     .takes_missing = true},
    {{"least", NULL, "least(x, ...)", "the least value that is not missing",
      "least(1, null, 3) = 1"},
     "a*>a",
     least_of,
     .takes_missing = true},
    {{"nullif", NULL, "nullif(x, y)", "x, but missing where it equals y", "nullif(3, 3) is null"},
     "aa>a",
     nullif_of,
     .takes_missing = true,
     .takes_constants = true},
};

const stoa_function_group stoa_choice_functions = {"Choices", functions,
                                                   sizeof functions / sizeof functions[0]};
