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
    if (scope->is_of_groups) {
        return STOA_FAIL_SYNTAX(err, STOA_ENOTFOUND, syntax,
                                "the groups have no column '%.*s'; put it into an aggregate, as "
                                "max(%.*s), or group by it",
                                (int)syntax->length, syntax->text, (int)syntax->length,
                                syntax->text);
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

static stoa_status bind_node(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr **out,
                             stoa_error *err);

/* A name that is no column may be that of a computed one. */
static stoa_status bind_alias(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr **out,
                              stoa_error *err)
{
    const stoa_scope *const scope = binder->scope;

    for (size_t i = 0; i < scope->n_aliases; i++) {
        const stoa_alias *const alias = &scope->aliases[i];

        if (strlen(alias->name) != syntax->length ||
            memcmp(alias->name, syntax->text, syntax->length) != 0) {
            continue;
        }
        return alias->syntax != NULL
                   ? bind_node(binder, alias->syntax, out, err)
                   : STOA_FAIL_SYNTAX(err, STOA_ENOTFOUND, syntax,
                                      "'%s' is of groups; 'having' has the conditions on these",
                                      alias->name);
    }
    return fail_name(binder, syntax, err);
}

static stoa_status bind_name(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr **out,
                             stoa_error *err)
{
    stoa_scope *scope = binder->scope;
    const size_t column = syntax->kind == STOA_SYNTAX_COLUMN
                              ? syntax->column
                              : stoa_scope_find(scope, syntax->text, syntax->length);

    if (column == SIZE_MAX) {
        return bind_alias(binder, syntax, out, err);
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
        if (!stoa_domain_is_number(args[i]->type.domain) &&
            args[i]->type.domain != STOA_DOMAIN_NULL) {
            return fail_operand(args[i], binder, "a number", err);
        }
    }
    return STOA_OK;
}

/* Times and durations ----------------------------------------------------------------------- */

/* What an operation on times or durations gives; NULL if there is no such operation. A time minus
 * a time is a duration, and so on. */
static stoa_value_domain domain_of_ticks(stoa_op op, stoa_value_domain a, stoa_value_domain b)
{
    const bool a_is_time = a == STOA_DOMAIN_TIME;
    const bool b_is_time = b == STOA_DOMAIN_TIME;

    if (op == STOA_OP_SUBTRACT && b_is_time) {
        return a_is_time ? STOA_DOMAIN_DURATION : STOA_DOMAIN_NULL;
    }
    if (op == STOA_OP_ADD && a_is_time && b_is_time) {
        return STOA_DOMAIN_NULL;
    }
    if (op == STOA_OP_ADD || op == STOA_OP_SUBTRACT) {
        return a_is_time || b_is_time ? STOA_DOMAIN_TIME : STOA_DOMAIN_DURATION;
    }
    if (op == STOA_OP_DIVIDE) {
        return a_is_time || b_is_time ? STOA_DOMAIN_NULL : STOA_DOMAIN_F64;
    }
    return STOA_DOMAIN_NULL;
}

static bool is_quoted(const stoa_expr *expr)
{
    return expr->type.domain == STOA_DOMAIN_TEXT && stoa_expr_is_constant(expr);
}

/* A text in quotes is a duration; in a subtraction from or of a time it may be a time as well. */
static stoa_status read_ticks(const stoa_binder *binder, stoa_op op, stoa_expr *args[2],
                              stoa_error *err)
{
    for (int i = 0; i < 2; i++) {
        const bool may_be_time =
            op == STOA_OP_SUBTRACT && args[1 - i]->type.domain == STOA_DOMAIN_TIME;
        if (!is_quoted(args[i]) || (may_be_time && stoa_expr_of_text(binder, STOA_DOMAIN_TIME,
                                                                     &args[i], NULL) == STOA_OK)) {
            continue;
        }
        STOA_RETURN_NOT_OK(stoa_expr_of_text(binder, STOA_DOMAIN_DURATION, &args[i], err));
    }
    return STOA_OK;
}

static stoa_status fail_ticks(const stoa_binder *binder, const stoa_syntax *syntax,
                              stoa_expr *const args[2], stoa_error *err)
{
    static const char *const operators[] = {
        [STOA_TOKEN_PLUS] = "+",  [STOA_TOKEN_MINUS] = "-",   [STOA_TOKEN_STAR] = "*",
        [STOA_TOKEN_SLASH] = "/", [STOA_TOKEN_PERCENT] = "%",
    };
    char sources[2][STOA_SOURCE_SIZE];
    char types[2][64];

    return STOA_FAIL_SYNTAX(err, STOA_ETYPE, args[1]->syntax,
                            "%s is %s and %s is %s, and '%s' does not combine them; a duration can "
                            "be added to a time, and a time subtracted from one",
                            stoa_syntax_source(args[0]->syntax, sources[0]),
                            stoa_expr_type_name(binder, args[0], types[0]),
                            stoa_syntax_source(args[1]->syntax, sources[1]),
                            stoa_expr_type_name(binder, args[1], types[1]), operators[syntax->op]);
}

/* A duration times an integer. */
static stoa_status bind_multiple(const stoa_binder *binder, const stoa_syntax *syntax,
                                 stoa_expr *args[2], stoa_expr **out, stoa_error *err)
{
    const bool first = args[0]->type.domain == STOA_DOMAIN_DURATION;
    const stoa_value_type type = args[!first]->type;

    STOA_RETURN_NOT_OK(stoa_expr_cast(binder, STOA_DOMAIN_I64, &args[first], err));
    STOA_RETURN_NOT_OK(
        stoa_expr_make(binder, STOA_OP_MULTIPLY, type.domain, syntax, 2, args, out, err));
    (*out)->type = type;
    return stoa_expr_fold(binder, out, err);
}

static bool is_integer(const stoa_expr *expr)
{
    return expr->type.domain == STOA_DOMAIN_I64 || expr->type.domain == STOA_DOMAIN_U64;
}

static stoa_status bind_ticks(const stoa_binder *binder, const stoa_syntax *syntax, stoa_op op,
                              stoa_expr *args[2], stoa_expr **out, stoa_error *err)
{
    const bool a_is_duration = args[0]->type.domain == STOA_DOMAIN_DURATION;
    const bool b_is_duration = args[1]->type.domain == STOA_DOMAIN_DURATION;

    if (op == STOA_OP_MULTIPLY &&
        ((a_is_duration && is_integer(args[1])) || (b_is_duration && is_integer(args[0])))) {
        return bind_multiple(binder, syntax, args, out, err);
    }
    STOA_RETURN_NOT_OK(read_ticks(binder, op, args, err));
    const stoa_value_domain domain =
        domain_of_ticks(op, args[0]->type.domain, args[1]->type.domain);
    if (!stoa_domain_is_ticks(args[0]->type.domain) ||
        !stoa_domain_is_ticks(args[1]->type.domain) || domain == STOA_DOMAIN_NULL) {
        return fail_ticks(binder, syntax, args, err);
    }
    stoa_value_type type = {.domain = domain, .unit = args[0]->type.unit};
    for (int i = 0; i < 2; i++) {
        type.unit = args[i]->type.unit > type.unit ? args[i]->type.unit : type.unit;
        type.utc = type.utc || (domain == STOA_DOMAIN_TIME && args[i]->type.utc);
    }
    if (domain == STOA_DOMAIN_DURATION && type.unit == STOA_TIME_DAY) {
        type.unit = STOA_TIME_SECOND;
    }
    for (int i = 0; i < 2; i++) {
        const stoa_value_type common = {
            .domain = args[i]->type.domain, .unit = type.unit, .utc = args[i]->type.utc};
        STOA_RETURN_NOT_OK(stoa_expr_convert(binder, &common, &args[i], err));
        if (domain == STOA_DOMAIN_F64) { /* the ratio of two durations */
            STOA_RETURN_NOT_OK(stoa_expr_cast(binder, domain, &args[i], err));
        }
    }
    STOA_RETURN_NOT_OK(stoa_expr_make(binder, op, domain, syntax, 2, args, out, err));
    (*out)->type = type;
    return stoa_expr_fold(binder, out, err);
}

/* Numbers ----------------------------------------------------------------------------------- */

static stoa_status bind_arithmetic(const stoa_binder *binder, const stoa_syntax *syntax,
                                   stoa_expr *args[2], stoa_expr **out, stoa_error *err)
{
    static const stoa_op ops[] = {
        [STOA_TOKEN_PLUS] = STOA_OP_ADD,          [STOA_TOKEN_MINUS] = STOA_OP_SUBTRACT,
        [STOA_TOKEN_STAR] = STOA_OP_MULTIPLY,     [STOA_TOKEN_SLASH] = STOA_OP_DIVIDE,
        [STOA_TOKEN_PERCENT] = STOA_OP_REMAINDER,
    };
    const stoa_op op = ops[syntax->op];
    stoa_value_type type;

    if (args[0]->type.domain == STOA_DOMAIN_NULL || args[1]->type.domain == STOA_DOMAIN_NULL) {
        return stoa_expr_null(binder, syntax, out, err);
    }
    if (stoa_domain_is_ticks(args[0]->type.domain) || stoa_domain_is_ticks(args[1]->type.domain)) {
        return bind_ticks(binder, syntax, op, args, out, err);
    }
    STOA_RETURN_NOT_OK(check_numbers(binder, 2, args, err));
    STOA_RETURN_NOT_OK(stoa_bind_common(binder, 2, args, &type, err));
    for (int i = 0; op == STOA_OP_DIVIDE && i < 2; i++) {
        type.domain = STOA_DOMAIN_F64;
        STOA_RETURN_NOT_OK(stoa_expr_cast(binder, type.domain, &args[i], err));
    }
    STOA_RETURN_NOT_OK(stoa_expr_make(binder, op, type.domain, syntax, 2, args, out, err));
    return stoa_expr_fold(binder, out, err);
}

static stoa_status bind_minus(const stoa_binder *binder, const stoa_syntax *syntax, stoa_expr *arg,
                              stoa_expr **out, stoa_error *err)
{
    const stoa_value_type type = arg->type;

    if (type.domain == STOA_DOMAIN_NULL) {
        return stoa_expr_null(binder, syntax, out, err);
    }
    if (type.domain != STOA_DOMAIN_DURATION) {
        STOA_RETURN_NOT_OK(check_numbers(binder, 1, &arg, err));
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
    (*out)->type.unit = type.unit;
    return stoa_expr_fold(binder, out, err);
}

/* Choices ----------------------------------------------------------------------------------- */

/* `case [operand] when condition then value ... [else value] end`. */
static stoa_status bind_case(const stoa_binder *binder, const stoa_syntax *syntax, size_t n_args,
                             stoa_expr **args, stoa_expr **out, stoa_error *err)
{
    const bool has_operand = syntax->kind == STOA_SYNTAX_CASE_OF;
    stoa_expr **const choices = args + has_operand;
    const size_t n = n_args - has_operand;
    const size_t n_values = n / 2 + n % 2;
    stoa_expr **values = stoa_arena_alloc(binder->arena, n_values, sizeof(stoa_expr *));
    stoa_value_type type;

    STOA_RETURN_NO_MEMORY(err, values);
    for (size_t i = 0; i + 1 < n; i += 2) {
        if (has_operand) {
            STOA_RETURN_NOT_OK(stoa_bind_compare(binder, choices[i]->syntax, STOA_EQ, args[0],
                                                 choices[i], &choices[i], err));
        } else if (choices[i]->type.domain != STOA_DOMAIN_BOOL &&
                   choices[i]->type.domain != STOA_DOMAIN_NULL) {
            return fail_operand(choices[i], binder, "a condition", err);
        }
        values[i / 2] = choices[i + 1];
    }
    values[n_values - 1] = choices[n - 1];
    STOA_RETURN_NOT_OK(stoa_bind_common(binder, n_values, values, &type, err));
    if (type.domain == STOA_DOMAIN_NULL) {
        return stoa_expr_null(binder, syntax, out, err);
    }
    for (size_t i = 0; i + 1 < n; i += 2) {
        choices[i + 1] = values[i / 2];
    }
    choices[n - 1] = values[n_values - 1];
    STOA_RETURN_NOT_OK(
        stoa_expr_make(binder, STOA_OP_CASE, type.domain, syntax, n, choices, out, err));
    (*out)->type = type;
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
    case STOA_SYNTAX_CAST:
        return stoa_bind_cast(binder, syntax, args[0], out, err);
    case STOA_SYNTAX_CASE:
    case STOA_SYNTAX_CASE_OF:
        return bind_case(binder, syntax, syntax->n_args, args, out, err);
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
    case STOA_SYNTAX_COLUMN:
        return bind_name(binder, syntax, out, err);
    case STOA_SYNTAX_LIST:
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax,
                                "a list in brackets can be nothing but the whole value that an "
                                "update gives to a list column");
    default:
        break;
    }
    if (syntax->is_filtered || syntax->is_distinct || syntax->is_ordered) {
        return STOA_FAIL_SYNTAX(err, STOA_ESYNTAX, syntax,
                                "only an aggregate has %s, and %.*s() is none here",
                                syntax->is_filtered   ? "a filter"
                                : syntax->is_distinct ? "'distinct'"
                                                      : "'order by'",
                                (int)syntax->length, syntax->text);
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
        const stoa_kind kind = (*expr)->kind;
        STOA_RETURN_NOT_OK(stoa_expr_make(binder, STOA_OP_DICTIONARY, type.domain, (*expr)->syntax,
                                          1, expr, expr, err));
        (*expr)->type = type;
        (*expr)->kind = kind;
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
