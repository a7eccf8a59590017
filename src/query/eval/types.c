/* Types of operands: their names, and one type for several. */
#include <string.h>

#include "query/eval/eval.h"

/* Messages ---------------------------------------------------------------------------------- */

const char *stoa_expr_type_name(const stoa_binder *binder, const stoa_expr *expr, char *out)
{
    static const char *const names[] = {
        [STOA_DOMAIN_NULL] = "null",         [STOA_DOMAIN_BOOL] = "bool",
        [STOA_DOMAIN_I64] = "int64",         [STOA_DOMAIN_U64] = "uint64",
        [STOA_DOMAIN_F64] = "float64",       [STOA_DOMAIN_TEXT] = "text",
        [STOA_DOMAIN_BYTES] = "opaque",      [STOA_DOMAIN_TIME] = "time",
        [STOA_DOMAIN_DURATION] = "duration", [STOA_DOMAIN_OTHER] = "a list",
    };

    if (expr->op == STOA_OP_CONSTANT && stoa_domain_is_number(expr->type.domain)) {
        return "number";
    }
    if (expr->op == STOA_OP_COLUMN && expr->type.domain != STOA_DOMAIN_TEXT) {
        return stoa_type_name(&binder->scope->columns[expr->column].plain, out);
    }
    return names[expr->type.domain];
}

stoa_status stoa_fail_ticks(const stoa_syntax *syntax, const char *what, const stoa_type *type,
                            stoa_error *err)
{
    const bool is_duration = type->kind == STOA_KIND_DURATION;
    char source[STOA_SOURCE_SIZE];

    return STOA_FAIL_SYNTAX(
        err, STOA_ETYPE, syntax, "%s is no %s, and %s is one; write it as %s",
        stoa_syntax_source(syntax, source), is_duration ? "duration" : "time", what,
        is_duration ? "'90s', '1.5 ms' or 'PT1M30S'" : "'2001-05-01' or '2001-05-01T12:00:00'");
}

static stoa_status fail_mixed(const stoa_binder *binder, const stoa_expr *a, const stoa_expr *b,
                              stoa_error *err)
{
    char sources[2][STOA_SOURCE_SIZE];
    char types[2][64];

    return STOA_FAIL_SYNTAX(
        err, STOA_ETYPE, b->syntax, "%s is %s and %s is %s; they have no common type",
        stoa_syntax_source(a->syntax, sources[0]), stoa_expr_type_name(binder, a, types[0]),
        stoa_syntax_source(b->syntax, sources[1]), stoa_expr_type_name(binder, b, types[1]));
}

/* Conversions ------------------------------------------------------------------------------- */

static bool fits_u64(const stoa_expr *expr)
{
    return expr->type.domain == STOA_DOMAIN_U64 ||
           (stoa_expr_is_constant(expr) && expr->type.domain == STOA_DOMAIN_I64 &&
            expr->value.as.i64[0] >= 0);
}

/* Floats if one is a float. Otherwise uint64 if one is, and all fit it as a nonnegative literal
 * does; else int64. */
static stoa_value_domain domain_of_numbers(size_t n, stoa_expr *const *args)
{
    bool has_u64 = false;
    bool all_fit = true;

    for (size_t i = 0; i < n; i++) {
        if (args[i]->type.domain == STOA_DOMAIN_F64) {
            return STOA_DOMAIN_F64;
        }
        has_u64 = has_u64 || args[i]->type.domain == STOA_DOMAIN_U64;
        all_fit = all_fit && (fits_u64(args[i]) || args[i]->type.domain == STOA_DOMAIN_NULL);
    }
    return has_u64 && all_fit ? STOA_DOMAIN_U64 : STOA_DOMAIN_I64;
}

/* Texts in quotes are times among times, and durations among durations. */
static stoa_status ticks_of_texts(const stoa_binder *binder, size_t n, stoa_expr **args,
                                  stoa_error *err)
{
    const stoa_expr *ticks = NULL;

    for (size_t i = 0; i < n && ticks == NULL; i++) {
        ticks = stoa_domain_is_ticks(args[i]->type.domain) ? args[i] : NULL;
    }
    for (size_t i = 0; i < n && ticks != NULL; i++) {
        if (args[i]->type.domain == STOA_DOMAIN_TEXT && stoa_expr_is_constant(args[i])) {
            STOA_RETURN_NOT_OK(stoa_expr_of_text(binder, ticks->type.domain, &args[i], err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_bind_common(const stoa_binder *binder, size_t n, stoa_expr **args,
                             stoa_value_type *type, stoa_error *err)
{
    const stoa_expr *first = NULL;

    STOA_RETURN_NOT_OK(ticks_of_texts(binder, n, args, err));
    *type = (stoa_value_type){.domain = STOA_DOMAIN_NULL};
    for (size_t i = 0; i < n; i++) {
        const stoa_value_type *const own = &args[i]->type;
        if (own->domain == STOA_DOMAIN_NULL) {
            continue;
        }
        if (first == NULL) {
            first = args[i];
            *type = *own;
        }
        if (own->domain == STOA_DOMAIN_OTHER ||
            (own->domain != type->domain &&
             !(stoa_domain_is_number(own->domain) && stoa_domain_is_number(type->domain)))) {
            return fail_mixed(binder, first, args[i], err);
        }
        type->unit = own->unit > type->unit ? own->unit : type->unit;
        type->utc = type->utc || own->utc;
    }
    if (stoa_domain_is_number(type->domain)) {
        type->domain = domain_of_numbers(n, args);
    }
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(stoa_expr_convert(binder, type, &args[i], err));
    }
    return STOA_OK;
}

stoa_status stoa_expr_convert(const stoa_binder *binder, const stoa_value_type *type,
                              stoa_expr **expr, stoa_error *err)
{
    const stoa_value_type *const own = &(*expr)->type;

    if (own->domain == STOA_DOMAIN_NULL ||
        (own->domain == type->domain && (!stoa_domain_is_ticks(type->domain) ||
                                         (own->unit == type->unit && own->utc == type->utc)))) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(
        stoa_expr_make(binder, STOA_OP_CAST, type->domain, (*expr)->syntax, 1, expr, expr, err));
    (*expr)->type = *type;
    return stoa_expr_fold(binder, expr, err);
}

stoa_status stoa_expr_of_text(const stoa_binder *binder, stoa_value_domain domain, stoa_expr **expr,
                              stoa_error *err)
{
    const bool is_time = domain == STOA_DOMAIN_TIME;
    const stoa_bytes text = (*expr)->value.as.bytes[0];
    const stoa_type type = {.kind = is_time ? STOA_KIND_TIMESTAMP : STOA_KIND_DURATION};
    stoa_time time;
    int64_t ticks;

    if (!(is_time ? stoa_parse_time : stoa_parse_duration)(text.data, text.length, &time)) {
        return stoa_fail_ticks((*expr)->syntax, "the other", &type, err);
    }
    const stoa_time_unit unit =
        !is_time && time.unit == STOA_TIME_DAY ? STOA_TIME_SECOND : time.unit;
    if (!stoa_time_ticks(&time, unit, &ticks)) {
        return STOA_FAIL_SYNTAX(err, STOA_ERANGE, (*expr)->syntax, "'%.*s' is out of range",
                                (int)text.length, text.data);
    }
    STOA_RETURN_NOT_OK(stoa_expr_constant(binder, (*expr)->syntax, domain, &ticks, expr, err));
    (*expr)->type.unit = unit;
    (*expr)->type.utc = is_time && time.has_zone;
    (*expr)->value.type = (*expr)->type;
    return STOA_OK;
}

stoa_status stoa_expr_cast(const stoa_binder *binder, stoa_value_domain domain, stoa_expr **expr,
                           stoa_error *err)
{
    return stoa_expr_convert(binder, &(stoa_value_type){.domain = domain}, expr, err);
}
