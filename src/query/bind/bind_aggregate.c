/* Calls of aggregates become bound aggregates. */

#include "query/aggregate/aggregate.h"

static stoa_status check_count(const stoa_aggregate_kind *kind, const stoa_syntax *syntax,
                               stoa_error *err)
{
    const size_t n = syntax->n_args;

    if (kind->n_args == 0 ? n <= 1 : n == kind->n_args) {
        return STOA_OK;
    }
    return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax, "%s takes %s, not %zu arguments",
                            kind->text.name,
                            kind->n_args == 0   ? "nothing or one value"
                            : kind->n_args == 1 ? "one value"
                                                : "a value and a number, as in quantile(x, 0.9),",
                            n);
}

static stoa_status bind_fraction(const stoa_binder *binder, const stoa_syntax *syntax, double *p,
                                 stoa_error *err)
{
    stoa_expr *expr = NULL;

    STOA_RETURN_NOT_OK(stoa_bind(binder, syntax, &expr, err));
    if (stoa_domain_is_number(expr->type.domain) && stoa_expr_is_constant(expr)) {
        STOA_RETURN_NOT_OK(stoa_expr_cast(binder, STOA_DOMAIN_F64, &expr, err));
        *p = expr->value.as.f64[0];
    } else {
        *p = -1;
    }
    if (!(*p >= 0 && *p <= 1)) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax,
                                "the second argument of quantile is a number from 0 to 1");
    }
    return STOA_OK;
}

stoa_status stoa_aggregate_bind(const stoa_binder *binder, const stoa_syntax *syntax,
                                stoa_aggregate *aggregate, stoa_error *err)
{
    const stoa_simd simd = stoa_simd_of_cpu();

    *aggregate = (stoa_aggregate){.column = SIZE_MAX,
                                  .most_bytes = SIZE_MAX,
                                  .reduce = stoa_reductions_of(simd),
                                  .kernels = stoa_group_kernels_of(simd)};
    if (syntax->kind == STOA_SYNTAX_CALL) {
        aggregate->kind = stoa_aggregate_find(syntax->text, syntax->length);
    }
    if (aggregate->kind == NULL) {
        char source[STOA_SOURCE_SIZE];
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax,
                                "%s is no aggregate; there are count, sum, mean, min, max, "
                                "stddev, median, quantile, distinct, first and last",
                                stoa_syntax_source(syntax, source));
    }
    STOA_RETURN_NOT_OK(check_count(aggregate->kind, syntax, err));
    if (syntax->n_args > 0) {
        STOA_RETURN_NOT_OK(stoa_bind(binder, syntax->first, &aggregate->arg, err));
    }
    if (syntax->n_args > 1) {
        STOA_RETURN_NOT_OK(bind_fraction(binder, syntax->first->next, &aggregate->p, err));
    }
    if (aggregate->kind->need == STOA_NEED_VALUES && aggregate->arg != NULL &&
        aggregate->arg->op == STOA_OP_COLUMN) {
        aggregate->column = aggregate->arg->column;
    }
    STOA_RETURN_NOT_OK(aggregate->kind->bind(binder, aggregate, err));
    if (aggregate->type.kind == STOA_KIND_NULL) { /* the kind did not choose a type */
        aggregate->type = stoa_type_of_values(&aggregate->result);
    }
    return STOA_OK;
}
