/* Binding: resolves names to columns and operators to operations. All types are checked before a
 * row is read. */
#include <stdio.h>
#include <string.h>

#include "query/eval/eval.h"
#include "query/parse/parameters.h"

/* Messages ---------------------------------------------------------------------------------- */

static stoa_status fail_operand(const stoa_expr *arg, const stoa_binder *binder, const char *wanted,
                                stoa_error *err)
{
    char source[STOA_SOURCE_SIZE];
    char type[64];

    return STOA_FAIL_SYNTAX(err, STOA_ETYPE, arg->syntax, "%s is %s, where %s should be",
                            stoa_syntax_source(arg->syntax, source),
                            stoa_expr_type_name(binder, arg, type), wanted);
}

/* Leaves ------------------------------------------------------------------------------------ */

/* Integers become int64 if they fit, else uint64. Other numbers, and larger integers, become
 * doubles. */
static stoa_status bind_number(const stoa_binder *binder, const stoa_syntax *syntax,
                               stoa_expr **out, stoa_error *err)
{
    int64_t i64;
    uint64_t u64;
    double f64;

    if (stoa_parse_i64(syntax->text, syntax->length, &i64)) {
        return stoa_expr_constant(binder, syntax, STOA_DOMAIN_I64, &i64, out, err);
    }
    if (stoa_parse_u64(syntax->text, syntax->length, &u64)) {
        return stoa_expr_constant(binder, syntax, STOA_DOMAIN_U64, &u64, out, err);
    }
    if (!stoa_parse_f64(syntax->text, syntax->length, &f64)) {
        /* The lexer accepts "1." and ".5", which not every number parser does. */
        char text[STOA_NUMBER_SIZE * 2];
        const int n = snprintf(text, sizeof text, "0%.*s0", (int)syntax->length, syntax->text);
        if (n < 0 || (size_t)n >= sizeof text || !stoa_parse_f64(text, (size_t)n, &f64)) {
            return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax, "'%.*s' is no number",
                                    (int)syntax->length, syntax->text);
        }
    }
    return stoa_expr_constant(binder, syntax, STOA_DOMAIN_F64, &f64, out, err);
}

/* A parameter becomes a literal of its value. */
static stoa_status bind_parameter(const stoa_binder *binder, const stoa_syntax *syntax,
                                  stoa_expr **out, stoa_error *err)
{
    static const stoa_value_domain domains[] = {
        [STOA_VALUE_NULL] = STOA_DOMAIN_NULL,         [STOA_VALUE_BOOL] = STOA_DOMAIN_BOOL,
        [STOA_VALUE_INT64] = STOA_DOMAIN_I64,         [STOA_VALUE_UINT64] = STOA_DOMAIN_U64,
        [STOA_VALUE_FLOAT64] = STOA_DOMAIN_F64,       [STOA_VALUE_TEXT] = STOA_DOMAIN_TEXT,
        [STOA_VALUE_BYTES] = STOA_DOMAIN_BYTES,       [STOA_VALUE_TIMESTAMP] = STOA_DOMAIN_TIME,
        [STOA_VALUE_DURATION] = STOA_DOMAIN_DURATION,
    };
    const stoa_parameter *const given = syntax->parameter;
    const stoa_value_domain domain = domains[given->kind];
    const stoa_bytes bytes = {given->as.text, given->length};
    const uint8_t bit = given->kind == STOA_VALUE_BOOL && given->as.boolean;
    const void *value = &given->as;

    if (domain == STOA_DOMAIN_NULL) {
        return stoa_expr_null(binder, syntax, out, err);
    }
    if (stoa_domain_is_bytes(domain)) {
        value = &bytes;
    } else if (domain == STOA_DOMAIN_BOOL) {
        value = &bit;
    }
    STOA_RETURN_NOT_OK(stoa_expr_constant(binder, syntax, domain, value, out, err));
    (*out)->type.unit = given->unit;
    (*out)->value.type.unit = given->unit;
    return STOA_OK;
}

/* Fail: no column has that name. */
static stoa_status fail_name(const stoa_binder *binder, const stoa_syntax *syntax, stoa_error *err)
{
    stoa_scope *scope = binder->scope;
    const char *dot = memchr(syntax->text, '.', syntax->length);
    const size_t length = dot != NULL ? (size_t)(dot - syntax->text) : 0;
    const size_t outer = dot != NULL ? stoa_scope_find(scope, syntax->text, length) : SIZE_MAX;

    if (outer != SIZE_MAX && stoa_scope_know(scope, outer, NULL) == STOA_OK &&
        scope->columns[outer].type.kind == STOA_KIND_STRUCT) {
        return STOA_FAIL_SYNTAX(err, STOA_ENOTFOUND, syntax,
                                "there is no column '%.*s'; '%.*s' is a struct, which has no such "
                                "field, or is asked for as a whole here",
                                (int)syntax->length, syntax->text, (int)length, syntax->text);
    }
    const char *name = stoa_arena_text(binder->arena, syntax->text, syntax->length);
    const char *nearest = name != NULL ? stoa_scope_nearest(scope, name) : NULL;
    if (nearest != NULL) {
        return STOA_FAIL_SYNTAX(err, STOA_ENOTFOUND, syntax,
                                "there is no column '%s'; did you mean '%s'?", name, nearest);
    }
    return STOA_FAIL_SYNTAX(err, STOA_ENOTFOUND, syntax, "there is no column '%.*s'",
                            (int)syntax->length, syntax->text);
}

static stoa_status bind_name(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr **out,
                             stoa_error *err)
{
    stoa_scope *scope = binder->scope;
    const size_t column = stoa_scope_find(scope, syntax->text, syntax->length);

    if (column == SIZE_MAX) {
        return fail_name(binder, syntax, err);
    }
    STOA_RETURN_NOT_OK(stoa_scope_know(scope, column, err));
    if (scope->columns[column].value.domain == STOA_DOMAIN_NULL) {
        return stoa_expr_null(binder, syntax, out,
                              err); /* a column of type null holds only nulls */
    }
    STOA_RETURN_NOT_OK(stoa_expr_make(binder, STOA_OP_COLUMN, scope->columns[column].value.domain,
                                      syntax, 0, NULL, out, err));
    (*out)->type = scope->columns[column].value;
    (*out)->column = column;
    return stoa_bind_in_body(binder, syntax, out, err);
}

/* Operators --------------------------------------------------------------------------------- */

static stoa_status bind_logic(const stoa_binder *binder, const stoa_syntax *syntax, stoa_op op,
                              size_t n_args, stoa_expr *const *args, stoa_expr **out,
                              stoa_error *err)
{
    for (size_t i = 0; i < n_args; i++) {
        if (args[i]->type.domain != STOA_DOMAIN_BOOL && args[i]->type.domain != STOA_DOMAIN_NULL) {
            return fail_operand(args[i], binder, "a condition", err);
        }
    }
    STOA_RETURN_NOT_OK(
        stoa_expr_make(binder, op, STOA_DOMAIN_BOOL, syntax, n_args, args, out, err));
    return stoa_expr_fold(binder, out, err);
}

static stoa_status check_numbers(const stoa_binder *binder, size_t n, stoa_expr *const *args,
                                 stoa_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (args[i]->type.domain == STOA_DOMAIN_DURATION) {
            char source[STOA_SOURCE_SIZE];
            return STOA_FAIL_SYNTAX(err, STOA_ETYPE, args[i]->syntax,
                                    "%s is a duration, and durations have no arithmetic; compare "
                                    "it with a text such as '90s'",
                                    stoa_syntax_source(args[i]->syntax, source));
        }
        if (args[i]->type.domain == STOA_DOMAIN_TIME) {
            char source[STOA_SOURCE_SIZE];
            return STOA_FAIL_SYNTAX(err, STOA_ETYPE, args[i]->syntax,
                                    "%s is a time, and times have no arithmetic; compare it with "
                                    "a text such as '2001-05-01T12:00:00'",
                                    stoa_syntax_source(args[i]->syntax, source));
        }
        if (!stoa_domain_is_number(args[i]->type.domain) &&
            args[i]->type.domain != STOA_DOMAIN_NULL) {
            return fail_operand(args[i], binder, "a number", err);
        }
    }
    return STOA_OK;
}

static bool fits_u64(const stoa_expr *expr)
{
    return expr->type.domain == STOA_DOMAIN_U64 ||
           (stoa_expr_is_constant(expr) && expr->type.domain == STOA_DOMAIN_I64 &&
            expr->value.as.i64[0] >= 0);
}

/* The domain in which both operands are computed: float for a division or if one is float.
 * Otherwise uint64 if one is uint64 and both fit it, as a nonnegative literal does; else int64. */
static stoa_value_domain arithmetic_domain(stoa_op op, const stoa_expr *a, const stoa_expr *b)
{
    if (op == STOA_OP_DIVIDE || a->type.domain == STOA_DOMAIN_F64 ||
        b->type.domain == STOA_DOMAIN_F64) {
        return STOA_DOMAIN_F64;
    }
    const bool one = a->type.domain == STOA_DOMAIN_U64 || b->type.domain == STOA_DOMAIN_U64;
    return one && fits_u64(a) && fits_u64(b) ? STOA_DOMAIN_U64 : STOA_DOMAIN_I64;
}

static stoa_status bind_arithmetic(const stoa_binder *binder, const stoa_syntax *syntax,
                                   stoa_expr *args[2], stoa_expr **out, stoa_error *err)
{
    static const stoa_op ops[] = {
        [STOA_TOKEN_PLUS] = STOA_OP_ADD,          [STOA_TOKEN_MINUS] = STOA_OP_SUBTRACT,
        [STOA_TOKEN_STAR] = STOA_OP_MULTIPLY,     [STOA_TOKEN_SLASH] = STOA_OP_DIVIDE,
        [STOA_TOKEN_PERCENT] = STOA_OP_REMAINDER,
    };
    const stoa_op op = ops[syntax->op];

    STOA_RETURN_NOT_OK(check_numbers(binder, 2, args, err));
    if (args[0]->type.domain == STOA_DOMAIN_NULL || args[1]->type.domain == STOA_DOMAIN_NULL) {
        return stoa_expr_null(binder, syntax, out, err);
    }
    const stoa_value_domain domain = arithmetic_domain(op, args[0], args[1]);
    STOA_RETURN_NOT_OK(stoa_expr_cast(binder, domain, &args[0], err));
    STOA_RETURN_NOT_OK(stoa_expr_cast(binder, domain, &args[1], err));
    STOA_RETURN_NOT_OK(stoa_expr_make(binder, op, domain, syntax, 2, args, out, err));
    return stoa_expr_fold(binder, out, err);
}

static stoa_status bind_minus(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr *arg,
                              stoa_expr **out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(check_numbers(binder, 1, &arg, err));
    if (arg->type.domain == STOA_DOMAIN_NULL) {
        return stoa_expr_null(binder, syntax, out, err);
    }
    /* 9223372036854775808 does not fit int64, but -9223372036854775808 does. */
    if (stoa_expr_is_constant(arg) && arg->type.domain == STOA_DOMAIN_U64 &&
        arg->value.as.u64[0] == (uint64_t)INT64_MAX + 1) {
        return stoa_expr_constant(binder, syntax, STOA_DOMAIN_I64, &(int64_t){INT64_MIN}, out, err);
    }
    if (arg->type.domain == STOA_DOMAIN_U64) {
        STOA_RETURN_NOT_OK(stoa_expr_cast(
            binder, stoa_expr_is_constant(arg) ? STOA_DOMAIN_F64 : STOA_DOMAIN_I64, &arg, err));
    }
    STOA_RETURN_NOT_OK(
        stoa_expr_make(binder, STOA_OP_NEGATE, arg->type.domain, syntax, 1, &arg, out, err));
    return stoa_expr_fold(binder, out, err);
}

static stoa_compare compare_of(stoa_token_kind op)
{
    return (stoa_compare)(STOA_EQ + (op - STOA_TOKEN_EQ));
}

static stoa_status bind_operator(const stoa_binder *binder, const stoa_syntax *syntax,
                                 stoa_expr **args, stoa_expr **out, stoa_error *err)
{
    switch (syntax->kind) {
    case STOA_SYNTAX_CALL:
        return stoa_bind_call(binder, syntax, syntax->n_args, args, out, err);
    case STOA_SYNTAX_MINUS:
        return bind_minus(binder, syntax, args[0], out, err);
    case STOA_SYNTAX_ARITH:
        return bind_arithmetic(binder, syntax, args, out, err);
    case STOA_SYNTAX_COMPARE:
        return stoa_bind_compare(binder, syntax, compare_of(syntax->op), args[0], args[1], out,
                                 err);
    case STOA_SYNTAX_AND:
        return bind_logic(binder, syntax, STOA_OP_AND, syntax->n_args, args, out, err);
    case STOA_SYNTAX_OR:
        return bind_logic(binder, syntax, STOA_OP_OR, syntax->n_args, args, out, err);
    case STOA_SYNTAX_NOT:
        return bind_logic(binder, syntax, STOA_OP_NOT, 1, args, out, err);
    case STOA_SYNTAX_IN:
        return stoa_bind_in(binder, syntax, syntax->n_args, args, out, err);
    case STOA_SYNTAX_BETWEEN:
        return stoa_bind_between(binder, syntax, args, out, err);
    case STOA_SYNTAX_LIKE:
        return stoa_bind_like(binder, syntax, syntax->n_args, args, out, err);
    default:
        break; /* IS_NULL */
    }
    STOA_RETURN_NOT_OK(
        stoa_expr_make(binder, STOA_OP_IS_NULL, STOA_DOMAIN_BOOL, syntax, 1, args, out, err));
    return stoa_expr_fold(binder, out, err);
}

/* If a text is compared with an unknown name, and no column has a similar name, the user
 * probably meant a text. */
static stoa_status check_name(const stoa_binder *binder, const stoa_syntax *syntax,
                              const stoa_syntax *arg, const stoa_expr *compared, stoa_error *err)
{
    const bool compares = syntax->kind == STOA_SYNTAX_COMPARE || syntax->kind == STOA_SYNTAX_IN ||
                          syntax->kind == STOA_SYNTAX_LIKE;
    stoa_expr *unused = NULL;

    if (!compares || arg->kind != STOA_SYNTAX_NAME || compared->type.domain != STOA_DOMAIN_TEXT ||
        bind_name(binder, arg, &unused, NULL) != STOA_ENOTFOUND) {
        return STOA_OK;
    }
    const char *name = stoa_arena_text(binder->arena, arg->text, arg->length);
    if (name == NULL || stoa_scope_nearest(binder->scope, name) != NULL) {
        return STOA_OK; /* bind_name() reports it */
    }
    return STOA_FAIL_SYNTAX(err, STOA_ENOTFOUND, arg,
                            "there is no column '%s'; a text stands in single quotes", name);
}

static stoa_status bind_node(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr **out,
                             stoa_error *err)
{
    bool is_about_list = false;
    stoa_bytes text = {syntax->text, syntax->length};
    size_t n = 0;

    switch (syntax->kind) {
    case STOA_SYNTAX_NUMBER:
        return bind_number(binder, syntax, out, err);
    case STOA_SYNTAX_TEXT:
        return stoa_expr_constant(binder, syntax, STOA_DOMAIN_TEXT, &text, out, err);
    case STOA_SYNTAX_HEX:
        return stoa_expr_constant(binder, syntax, STOA_DOMAIN_BYTES, &text, out, err);
    case STOA_SYNTAX_NULL:
        return stoa_expr_null(binder, syntax, out, err);
    case STOA_SYNTAX_TRUE:
    case STOA_SYNTAX_FALSE:
        return stoa_expr_constant(binder, syntax, STOA_DOMAIN_BOOL,
                                  &(uint8_t){syntax->kind == STOA_SYNTAX_TRUE}, out, err);
    case STOA_SYNTAX_PARAM:
        return bind_parameter(binder, syntax, out, err);
    case STOA_SYNTAX_NAME:
        return bind_name(binder, syntax, out, err);
    case STOA_SYNTAX_LIST:
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax,
                                "a list in brackets can be nothing but the whole value that an "
                                "update gives to a list column");
    default:
        break;
    }
    STOA_RETURN_NOT_OK(stoa_is_about_list(binder, syntax, &is_about_list, err));
    if (is_about_list) {
        return stoa_bind_list(binder, bind_node, syntax, out, err);
    }
    stoa_expr **args = stoa_arena_alloc(binder->arena, syntax->n_args, sizeof *args);
    STOA_RETURN_NO_MEMORY(err, args);
    for (const stoa_syntax *arg = syntax->first; arg != NULL; arg = arg->next) {
        STOA_RETURN_NOT_OK(n > 0 ? check_name(binder, syntax, arg, args[0], err) : STOA_OK);
        STOA_RETURN_NOT_OK(bind_node(binder, arg, &args[n++], err));
    }
    return bind_operator(binder, syntax, args, out, err);
}

/* Dictionaries ------------------------------------------------------------------------------ */

/* The columns that an expression reads. */
typedef struct reads {
    size_t column; /* SIZE_MAX: none yet */
    bool many;     /* reads more than one column */
    bool operand;  /* reads the operand of an enclosing LET, or items */
} reads;

static reads reads_of(const stoa_expr *expr)
{
    reads all = {.column = SIZE_MAX};

    if (expr->op == STOA_OP_COLUMN) {
        all.column = expr->column;
    }
    all.operand =
        expr->op == STOA_OP_OPERAND || expr->op == STOA_OP_ITEM || expr->op == STOA_OP_EACH;
    for (size_t i = 0; i < expr->n_args; i++) {
        const reads arg = reads_of(expr->args[i]);
        all.many = all.many || arg.many ||
                   (arg.column != SIZE_MAX && all.column != SIZE_MAX && arg.column != all.column);
        all.column = arg.column != SIZE_MAX ? arg.column : all.column;
        all.operand = all.operand || (arg.operand && !(expr->op == STOA_OP_LET && i == 1));
    }
    return all;
}

/* Whether the expression may be evaluated on every label. With a learned dictionary, labels of
 * rows that do not count must not make it fail, so it must not be able to fail. */
static bool can_ask_labels(const stoa_scope_column *column, const stoa_expr *expr)
{
    return stoa_scope_column_is_coded(column) &&
           (column->learned_dictionary == NULL || !stoa_expr_may_fail(expr));
}

static bool is_logic(stoa_op op)
{
    return op == STOA_OP_AND || op == STOA_OP_OR || op == STOA_OP_NOT;
}

/* Wrap the largest subtrees that read one dictionary column alone. A column itself is wrapped only
 * where it `is_condition`: its labels are booleans. */
static stoa_status lift_dictionaries(const stoa_binder *binder, stoa_expr **expr, bool is_condition,
                                     stoa_error *err)
{
    const reads all = reads_of(*expr);

    if (((*expr)->op == STOA_OP_COLUMN && !is_condition) || all.column == SIZE_MAX) {
        return STOA_OK;
    }
    if (!all.many && !all.operand && can_ask_labels(&binder->scope->columns[all.column], *expr)) {
        const stoa_value_type type = (*expr)->type;
        STOA_RETURN_NOT_OK(stoa_expr_make(binder, STOA_OP_DICTIONARY, type.domain, (*expr)->syntax,
                                          1, expr, expr, err));
        (*expr)->type = type;
        (*expr)->column = all.column;
        (*expr)->memo = binder->scope->n_memos++;
        return STOA_OK;
    }
    is_condition = is_logic((*expr)->op);
    for (size_t i = 0; i < (*expr)->n_args; i++) {
        STOA_RETURN_NOT_OK(lift_dictionaries(binder, &(*expr)->args[i], is_condition, err));
    }
    return STOA_OK;
}

/* Whole expressions ------------------------------------------------------------------------- */

stoa_status stoa_bind(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr **out,
                      stoa_error *err)
{
    *out = NULL;
    STOA_RETURN_NOT_OK(bind_node(binder, syntax, out, err));
    return lift_dictionaries(binder, out, false, err);
}

stoa_status stoa_bind_predicate(const stoa_binder *binder, const stoa_syntax *syntax,
                                stoa_expr **out, stoa_error *err)
{
    *out = NULL;
    STOA_RETURN_NOT_OK(bind_node(binder, syntax, out, err));
    if ((*out)->type.domain != STOA_DOMAIN_BOOL && (*out)->type.domain != STOA_DOMAIN_NULL) {
        return fail_operand(*out, binder, "a condition, such as delay > 60,", err);
    }
    return lift_dictionaries(binder, out, true, err);
}
