/* Calls of aggregates become bound aggregates. */
#include <string.h>

#include "query/aggregate/aggregate.h"
#include "query/functions/functions.h"

/* Check the number of arguments, without the one of `order by`. */
static stoa_status check_count(const stoa_aggregate_kind *kind, const stoa_syntax *syntax,
                               stoa_error *err)
{
    static const struct {
        size_t least;
        size_t most;
        const char *what;
    } forms[] = {
        [STOA_TAKES_ROWS] = {0, 1, "nothing or one value"},
        [STOA_TAKES_VALUE] = {1, 1, "one value"},
        [STOA_TAKES_FRACTION] = {2, 2, "a value and a number, as in quantile(x, 0.9),"},
        [STOA_TAKES_PAIR] = {2, 2, "two values"},
        [STOA_TAKES_TEXTS] = {1, 2, "a text and a separator, as in string_agg(s, ', '),"},
    };
    const size_t n = syntax->n_args - syntax->is_ordered;

    if (syntax->is_ordered && kind->form != STOA_TAKES_TEXTS) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax->last,
                                "%s has no 'order by'; string_agg has, and arg_min(x, y) is the x "
                                "of the least y",
                                kind->text.name);
    }
    if (syntax->is_distinct && (kind->form == STOA_TAKES_PAIR || n == 0)) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax,
                                "'distinct' is for aggregates of one value, and %s takes %s",
                                kind->text.name, n == 0 ? "none here" : "two");
    }
    if (n >= forms[kind->form].least && n <= forms[kind->form].most) {
        return STOA_OK;
    }
    return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax, "%s takes %s, not %zu arguments",
                            kind->text.name, forms[kind->form].what, n);
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

static stoa_status bind_separator(const stoa_binder *binder, const stoa_syntax *syntax,
                                  stoa_bytes *separator, stoa_error *err)
{
    stoa_expr *expr = NULL;

    STOA_RETURN_NOT_OK(stoa_bind(binder, syntax, &expr, err));
    if (!stoa_expr_is_constant(expr) || expr->type.domain != STOA_DOMAIN_TEXT) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax,
                                "the separator of string_agg is a text, as in string_agg(s, ', ')");
    }
    *separator = expr->value.as.bytes[0];
    return STOA_OK;
}

/* Cast the argument to a text, as if `::varchar` stood behind it. */
static stoa_status make_text(const stoa_binder *binder, stoa_expr **arg, stoa_error *err)
{
    static const char varchar[] = "varchar";
    const stoa_value_domain domain = (*arg)->type.domain;

    if (domain == STOA_DOMAIN_TEXT || domain == STOA_DOMAIN_NULL) {
        return STOA_OK;
    }
    stoa_syntax *const cast = stoa_arena_alloc(binder->arena, 1, sizeof *cast);
    STOA_RETURN_NO_MEMORY(err, cast);
    *cast = *(*arg)->syntax;
    cast->kind = STOA_SYNTAX_CAST;
    cast->text = varchar;
    cast->length = sizeof varchar - 1;
    return stoa_bind_cast(binder, cast, *arg, arg, err);
}

/* Bind the arguments behind the first. */
static stoa_status bind_more(const stoa_binder *binder, const stoa_syntax *syntax,
                             stoa_aggregate *aggregate, stoa_error *err)
{
    const stoa_syntax *const second = syntax->first != NULL ? syntax->first->next : NULL;
    const stoa_aggregate_form form = aggregate->kind->form;

    if (form == STOA_TAKES_FRACTION) {
        STOA_RETURN_NOT_OK(bind_fraction(binder, second, &aggregate->p, err));
    } else if (form == STOA_TAKES_TEXTS && syntax->n_args - syntax->is_ordered == 2) {
        STOA_RETURN_NOT_OK(bind_separator(binder, second, &aggregate->separator, err));
    }
    if (form == STOA_TAKES_PAIR || syntax->is_ordered) {
        STOA_RETURN_NOT_OK(stoa_bind(binder, syntax->last, &aggregate->by, err));
        aggregate->is_descending = syntax->is_descending;
    }
    return form == STOA_TAKES_TEXTS ? make_text(binder, &aggregate->arg, err) : STOA_OK;
}

static bool is_same_text(const stoa_syntax *a, const stoa_syntax *b)
{
    return a->end - a->start == b->end - b->start &&
           memcmp(a->source + a->start, b->source + b->start, a->end - a->start) == 0;
}

/* Let the kind see each value once. */
static stoa_status make_distinct(const stoa_syntax *syntax, stoa_aggregate *aggregate,
                                 stoa_error *err)
{
    const stoa_expr *const arg = aggregate->arg;
    const stoa_value_domain domain =
        arg->op == STOA_OP_FUNCTION && arg->function == stoa_function_of_cast(false)
            ? arg->args[0]->type.domain
            : STOA_DOMAIN_OTHER;

    if (syntax->is_ordered && aggregate->kind->form == STOA_TAKES_TEXTS &&
        is_same_text(syntax->first, syntax->last) && domain == aggregate->by->type.domain &&
        (domain == STOA_DOMAIN_I64 || domain == STOA_DOMAIN_U64)) {
        aggregate->arg = arg->args[0]; /* integers become texts when they are given to the kind */
    }
    if (syntax->is_ordered && (!is_same_text(syntax->first, syntax->last) ||
                               aggregate->arg->type.domain != aggregate->by->type.domain)) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax->last,
                                "distinct texts are ordered by themselves: string_agg(distinct "
                                "x::text, ',' order by x::text)");
    }
    if (aggregate->kind->form == STOA_TAKES_TEXTS) {
        aggregate->by = aggregate->arg; /* distinct values have no other order */
    }
    aggregate->of_distinct = aggregate->kind;
    aggregate->kind = &stoa_aggregate_fed;
    return STOA_OK;
}

stoa_status stoa_aggregate_bind(const stoa_binder *binder, const stoa_syntax *syntax,
                                stoa_aggregate *aggregate, stoa_error *err)
{
    const stoa_simd simd = stoa_simd_of_cpu();

    *aggregate = (stoa_aggregate){.column = SIZE_MAX,
                                  .most_bytes = SIZE_MAX,
                                  .n_files = STOA_PAIR_FILES,
                                  .reduce = stoa_reductions_of(simd),
                                  .kernels = stoa_group_kernels_of(simd)};
    if (syntax->kind == STOA_SYNTAX_CALL) {
        aggregate->kind = stoa_aggregate_find(syntax->text, syntax->length);
        if (aggregate->kind == &stoa_aggregate_count && syntax->is_distinct && syntax->n_args > 0) {
            aggregate->kind = &stoa_aggregate_distinct;
        }
    }
    if (aggregate->kind == NULL) {
        char source[STOA_SOURCE_SIZE];
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax,
                                "%s is no aggregate, such as count() and mean(x); stoa functions "
                                "lists all",
                                stoa_syntax_source(syntax, source));
    }
    STOA_RETURN_NOT_OK(check_count(aggregate->kind, syntax, err));
    if (syntax->n_args > 0) {
        STOA_RETURN_NOT_OK(stoa_bind(binder, syntax->first, &aggregate->arg, err));
    }
    STOA_RETURN_NOT_OK(bind_more(binder, syntax, aggregate, err));
    if (aggregate->kind->need == STOA_NEED_VALUES && aggregate->arg != NULL &&
        aggregate->arg->op == STOA_OP_COLUMN) {
        aggregate->column = aggregate->arg->column;
    }
    STOA_RETURN_NOT_OK(aggregate->kind->bind(binder, aggregate, err));
    if (aggregate->type.kind == STOA_KIND_NULL) { /* the kind did not choose a type */
        aggregate->type = stoa_type_of_values(&aggregate->result);
    }
    return syntax->is_distinct && aggregate->kind != &stoa_aggregate_distinct
               ? make_distinct(syntax, aggregate, err)
               : STOA_OK;
}
