/* Functions that choose among their arguments, which have one type. */
#include <math.h>
#include <string.h>

#include "core/string_set.h"
#include "query/functions/functions.h"

static void put(const stoa_call *call, const stoa_vector *from, int64_t row)
{
    if (stoa_domain_is_bytes(call->expr->type.domain)) {
        ((stoa_bytes *)call->out)[row] = AT(*from, bytes, row);
    } else if (call->expr->type.domain != STOA_DOMAIN_BOOL) {
        ((uint64_t *)call->out)[row] = AT(*from, u64, row);
    } else if (stoa_bit_get(from->as.bits, from->constant ? 0 : (uint64_t)row)) {
        stoa_bit_set(call->out, (uint64_t)row);
    }
}

/* < 0, 0 or > 0. NaN is the largest, as in a sorted column. */
static int order(const stoa_vector *a, const stoa_vector *b, int64_t i)
{
    switch (a->type.domain) {
    case STOA_DOMAIN_F64: {
        const double x = AT(*a, f64, i);
        const double y = AT(*b, f64, i);
        return isnan(x) || isnan(y) ? (isnan(x) != 0) - (isnan(y) != 0) : (x > y) - (x < y);
    }
    case STOA_DOMAIN_U64:
        return (AT(*a, u64, i) > AT(*b, u64, i)) - (AT(*a, u64, i) < AT(*b, u64, i));
    case STOA_DOMAIN_TEXT:
    case STOA_DOMAIN_BYTES: {
        const stoa_bytes x = AT(*a, bytes, i);
        const stoa_bytes y = AT(*b, bytes, i);
        return stoa_compare_bytes(x.data, x.length, y.data, y.length);
    }
    case STOA_DOMAIN_BOOL:
        return stoa_bit_get(a->as.bits, a->constant ? 0 : (uint64_t)i) -
               stoa_bit_get(b->as.bits, b->constant ? 0 : (uint64_t)i);
    default:
        return (AT(*a, i64, i) > AT(*b, i64, i)) - (AT(*a, i64, i) < AT(*b, i64, i));
    }
}

/* The largest (sign 1) or least (-1) argument that is not missing. */
static stoa_status extreme_of(stoa_call *call, int sign)
{
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
    (void)err;
    return extreme_of(call, 1);
}

static stoa_status least_of(stoa_call *call, stoa_error *err)
{
    (void)err;
    return extreme_of(call, -1);
}

static stoa_status nullif_of(stoa_call *call, stoa_error *err)
{
    const stoa_vector *const a = &call->args[0];
    const stoa_vector *const b = &call->args[1];

    (void)err;
    for (int64_t i = 0; i < call->n; i++) {
        if (stoa_vector_is_null(a, i) || (!stoa_vector_is_null(b, i) && order(a, b, i) == 0)) {
            stoa_call_miss(call, i);
        } else {
            put(call, a, i);
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
     .takes_missing = true},
};

const stoa_function_group stoa_choice_functions = {"Choices", functions,
                                                   sizeof functions / sizeof functions[0]};
