/* Recursive descent parser, with one function per level of the grammar in parse.h. */
#include "query/parse/parser.h"

#include <string.h>

#include "core/text.h"

static stoa_status parse_or(stoa_parser *p, stoa_syntax **out, stoa_error *err);
static stoa_status parse_sum(stoa_parser *p, stoa_syntax **out, stoa_error *err);
static stoa_status parse_joined(stoa_parser *p, stoa_syntax **out, stoa_error *err);

stoa_status stoa_parser_fail(stoa_parser *p, const char *wanted, stoa_error *err)
{
    const stoa_token *token = &p->token;

    if (token->kind == STOA_TOKEN_END) {
        return stoa_fail_at(err, STOA_ESYNTAX, p->lexer.what, p->lexer.text, token->start,
                            "the text ends where %s should be", wanted);
    }
    return stoa_fail_at(err, STOA_ESYNTAX, p->lexer.what, p->lexer.text, token->start,
                        "'%.*s' stands where %s should be", (int)(token->end - token->start),
                        p->lexer.text + token->start, wanted);
}

stoa_status stoa_parser_next(stoa_parser *p, stoa_error *err)
{
    p->end = p->token.end;
    return stoa_lex_next(&p->lexer, &p->token, err);
}

static stoa_status expect(stoa_parser *p, stoa_token_kind kind, const char *wanted, stoa_error *err)
{
    if (p->token.kind != kind) {
        return stoa_parser_fail(p, wanted, err);
    }
    return stoa_parser_next(p, err);
}

/* Nodes ------------------------------------------------------------------------------------- */

static stoa_status fail_depth(const stoa_parser *p, size_t at, stoa_error *err)
{
    return stoa_fail_at(err, STOA_ESYNTAX, p->lexer.what, p->lexer.text, at,
                        "the expression is nested deeper than %d levels", STOA_MAX_DEPTH);
}

static stoa_status enter(stoa_parser *p, stoa_error *err)
{
    return ++p->depth > STOA_MAX_DEPTH ? fail_depth(p, p->token.start, err) : STOA_OK;
}

static stoa_status node_make(stoa_parser *p, stoa_syntax_kind kind, size_t start, stoa_syntax **out,
                             stoa_error *err)
{
    stoa_syntax *node = stoa_arena_zero(p->lexer.arena, 1, sizeof *node);

    STOA_RETURN_NO_MEMORY(err, node);
    node->kind = kind;
    node->depth = 1;
    node->what = p->lexer.what;
    node->source = p->lexer.text;
    node->start = start;
    node->end = p->end;
    *out = node;
    return STOA_OK;
}

static stoa_status node_add(stoa_parser *p, stoa_syntax *node, stoa_syntax *arg, stoa_error *err)
{
    if (node->last != NULL) {
        node->last->next = arg;
    } else {
        node->first = arg;
    }
    node->last = arg;
    node->n_args++;
    if (arg->depth + 1 > node->depth) {
        node->depth = arg->depth + 1;
    }
    /* A long chain a + b + c ... is deep without parentheses. */
    return node->depth > STOA_MAX_DEPTH ? fail_depth(p, arg->start, err) : STOA_OK;
}

static stoa_status node_over(stoa_parser *p, stoa_syntax_kind kind, stoa_syntax *arg,
                             stoa_syntax **out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(node_make(p, kind, arg->start, out, err));
    return node_add(p, *out, arg, err);
}

/* Primaries --------------------------------------------------------------------------------- */

stoa_status stoa_parser_leaf(stoa_parser *p, stoa_syntax_kind kind, stoa_syntax **out,
                             stoa_error *err)
{
    const stoa_token token = p->token;

    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(node_make(p, kind, token.start, out, err));
    (*out)->text = token.text;
    (*out)->length = token.length;
    (*out)->quoted = token.kind == STOA_TOKEN_QUOTED;
    return STOA_OK;
}

static stoa_status expect_word(stoa_parser *p, const char *word, const char *wanted,
                               stoa_error *err)
{
    return stoa_token_is(&p->token, word) ? stoa_parser_next(p, err)
                                          : stoa_parser_fail(p, wanted, err);
}

/* Whether an expression follows a bare word, which therefore is no column. */
static bool begins_expression(const stoa_token *next)
{
    return (next->kind >= STOA_TOKEN_NUMBER && next->kind <= STOA_TOKEN_LEFT &&
            !stoa_token_is(next, "as") && !stoa_token_is(next, "asc") &&
            !stoa_token_is(next, "desc")) ||
           next->kind == STOA_TOKEN_NOT || next->kind >= STOA_TOKEN_NULL;
}

/* `distinct` before the first argument of a call. A column of that name stays one. */
static stoa_status parse_distinct(stoa_parser *p, stoa_syntax *call, stoa_error *err)
{
    stoa_parser ahead = *p;

    if (stoa_token_is(&p->token, "distinct")) {
        STOA_RETURN_NOT_OK(stoa_parser_next(&ahead, err));
        call->is_distinct =
            begins_expression(&ahead.token) && !stoa_token_is(&ahead.token, "order");
        *p = call->is_distinct ? ahead : *p;
    }
    return STOA_OK;
}

/* `order by x desc` behind the arguments of a call; x becomes the last argument. */
static stoa_status parse_order(stoa_parser *p, stoa_syntax *call, stoa_error *err)
{
    stoa_syntax *key = NULL;

    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(expect_word(p, "by", "'by'", err));
    STOA_RETURN_NOT_OK(parse_or(p, &key, err));
    call->is_ordered = true;
    call->is_descending = stoa_token_is(&p->token, "desc");
    if (call->is_descending || stoa_token_is(&p->token, "asc")) {
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    }
    return node_add(p, call, key, err);
}

/* Parse arguments and what closes them, a parenthesis or bracket. The opening one was consumed. */
static stoa_status parse_arguments(stoa_parser *p, stoa_syntax *node, stoa_token_kind close,
                                   stoa_error *err)
{
    const bool is_call = node->kind == STOA_SYNTAX_CALL;

    STOA_RETURN_NOT_OK(enter(p, err));
    STOA_RETURN_NOT_OK(is_call ? parse_distinct(p, node, err) : STOA_OK);
    for (;;) {
        stoa_syntax *arg = NULL;
        STOA_RETURN_NOT_OK(parse_or(p, &arg, err));
        STOA_RETURN_NOT_OK(node_add(p, node, arg, err));
        if (p->token.kind != STOA_TOKEN_COMMA) {
            break;
        }
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    }
    if (is_call && stoa_token_is(&p->token, "order")) {
        STOA_RETURN_NOT_OK(parse_order(p, node, err));
    }
    STOA_RETURN_NOT_OK(
        expect(p, close, close == STOA_TOKEN_RIGHT ? "',' or ')'" : "',' or ']'", err));
    p->depth--;
    node->end = p->end;
    return STOA_OK;
}

/* SQL's `count(*)` is count(). */
static bool is_star(const stoa_parser *p, const stoa_syntax *call)
{
    return p->token.kind == STOA_TOKEN_STAR && call->text != NULL &&
           stoa_is_word(call->text, call->length, "count");
}

/* The same, but there may be no arguments. The token is what opens them. */
static stoa_status parse_any_arguments(stoa_parser *p, stoa_syntax *node, stoa_token_kind close,
                                       stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    if (is_star(p, node)) {
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    }
    if (p->token.kind != close) {
        return parse_arguments(p, node, close, err);
    }
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    node->end = p->end;
    return STOA_OK;
}

/* Parse an item of a list: `name[position]`. */
static stoa_status parse_index(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_syntax *position = NULL;

    STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_INDEX, *out, out, err));
    STOA_RETURN_NOT_OK(enter(p, err));
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(parse_sum(p, &position, err));
    STOA_RETURN_NOT_OK(node_add(p, *out, position, err));
    if (p->token.kind == STOA_TOKEN_COLON) {
        return stoa_fail_at(err, STOA_ESYNTAX, p->lexer.what, p->lexer.text, p->token.start,
                            "slices count from 0 in NumPy and from 1 in DuckDB; write "
                            "list_slice(v, 1, 3), which gives the first three items");
    }
    STOA_RETURN_NOT_OK(expect(p, STOA_TOKEN_CLOSE, "']'", err));
    p->depth--;
    (*out)->end = p->end;
    return STOA_OK;
}

/* Words that begin an expression -------------------------------------------------------------- */

/* A type: one word, with an `[ms]` or `(10)` behind it that belongs to its name. */
static stoa_status parse_type(stoa_parser *p, stoa_syntax *cast, stoa_error *err)
{
    if (p->token.kind != STOA_TOKEN_NAME) {
        return stoa_parser_fail(p, "a type, such as int64", err);
    }
    cast->text = p->token.text;
    cast->length = p->token.length;
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    cast->end = p->end;
    return STOA_OK;
}

/* `(x as type)`, behind `cast` or `try_cast`. */
static stoa_status parse_cast(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    const stoa_syntax *const name = *out;
    stoa_syntax *arg = NULL;

    STOA_RETURN_NOT_OK(enter(p, err));
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(parse_or(p, &arg, err));
    STOA_RETURN_NOT_OK(expect_word(p, "as", "'as' and a type", err));
    STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_CAST, arg, out, err));
    STOA_RETURN_NOT_OK(parse_type(p, *out, err));
    (*out)->tries = name->length == strlen("try_cast");
    (*out)->start = name->start;
    STOA_RETURN_NOT_OK(expect(p, STOA_TOKEN_RIGHT, "')'", err));
    p->depth--;
    (*out)->end = p->end;
    return STOA_OK;
}

/* SQL's `position(part in text)`. Returns the call without its name's parenthesis. */
static stoa_status parse_position(stoa_parser *p, stoa_syntax *call, stoa_error *err)
{
    stoa_syntax *part = NULL;
    stoa_syntax *text = NULL;

    STOA_RETURN_NOT_OK(enter(p, err));
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(parse_sum(p, &part, err));
    const bool is_sql = p->token.kind == STOA_TOKEN_IN;
    if (!is_sql && p->token.kind != STOA_TOKEN_COMMA) {
        return stoa_parser_fail(p, "',' or 'in'", err);
    }
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(parse_sum(p, &text, err));
    STOA_RETURN_NOT_OK(node_add(p, call, is_sql ? text : part, err));
    STOA_RETURN_NOT_OK(node_add(p, call, is_sql ? part : text, err));
    STOA_RETURN_NOT_OK(expect(p, STOA_TOKEN_RIGHT, "')'", err));
    p->depth--;
    call->end = p->end;
    return STOA_OK;
}

/* The rest of a `case`, behind that word. */
static stoa_status parse_case(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    const size_t start = (*out)->start;
    stoa_syntax *part = NULL;

    STOA_RETURN_NOT_OK(enter(p, err));
    STOA_RETURN_NOT_OK(node_make(p, STOA_SYNTAX_CASE, start, out, err));
    if (!stoa_token_is(&p->token, "when")) {
        (*out)->kind = STOA_SYNTAX_CASE_OF;
        STOA_RETURN_NOT_OK(parse_or(p, &part, err));
        STOA_RETURN_NOT_OK(node_add(p, *out, part, err));
    }
    do {
        STOA_RETURN_NOT_OK(expect_word(p, "when", "'when'", err));
        STOA_RETURN_NOT_OK(parse_or(p, &part, err));
        STOA_RETURN_NOT_OK(node_add(p, *out, part, err));
        STOA_RETURN_NOT_OK(expect_word(p, "then", "'then'", err));
        STOA_RETURN_NOT_OK(parse_or(p, &part, err));
        STOA_RETURN_NOT_OK(node_add(p, *out, part, err));
    } while (stoa_token_is(&p->token, "when"));
    if (stoa_token_is(&p->token, "else")) {
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
        STOA_RETURN_NOT_OK(parse_or(p, &part, err));
        STOA_RETURN_NOT_OK(node_add(p, *out, part, err));
    }
    STOA_RETURN_NOT_OK(expect_word(p, "end", "'when', 'else' or 'end'", err));
    p->depth--;
    (*out)->end = p->end;
    return STOA_OK;
}

/* `filter (where condition)` behind a call of an aggregate. Aggregates leave missing values out, so
 * `sum(x) filter (where c)` is `sum(case when c then x end)`. count() counts where it is true. */
static stoa_status parse_filter(stoa_parser *p, stoa_syntax *call, stoa_error *err)
{
    stoa_syntax *condition = NULL;
    stoa_syntax *value = call->first;
    stoa_syntax *choice = NULL;

    STOA_RETURN_NOT_OK(enter(p, err));
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(expect(p, STOA_TOKEN_LEFT, "'(where condition)'", err));
    STOA_RETURN_NOT_OK(expect_word(p, "where", "'where'", err));
    STOA_RETURN_NOT_OK(parse_or(p, &condition, err));
    STOA_RETURN_NOT_OK(expect(p, STOA_TOKEN_RIGHT, "')'", err));
    p->depth--;
    stoa_syntax *rest = value != NULL ? value->next : NULL;
    if (value == NULL) {
        STOA_RETURN_NOT_OK(node_make(p, STOA_SYNTAX_TRUE, condition->start, &value, err));
    }
    value->next = NULL;
    STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_CASE, condition, &choice, err));
    STOA_RETURN_NOT_OK(node_add(p, choice, value, err));
    call->first = call->last = NULL;
    call->n_args = 0;
    STOA_RETURN_NOT_OK(node_add(p, call, choice, err));
    while (rest != NULL) {
        stoa_syntax *const next = rest->next;
        rest->next = NULL;
        STOA_RETURN_NOT_OK(node_add(p, call, rest, err));
        rest = next;
    }
    call->is_filtered = true;
    call->end = p->end;
    return STOA_OK;
}

/* Whether it is this bare word. */
static bool is_name(const stoa_syntax *syntax, const char *word)
{
    return !syntax->quoted && stoa_is_word(syntax->text, syntax->length, word);
}

static stoa_status parse_name(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_parser_leaf(p, STOA_SYNTAX_NAME, out, err));
    if (is_name(*out, "case") && begins_expression(&p->token)) {
        return parse_case(p, out, err);
    }
    if (is_name(*out, "interval") && p->token.kind == STOA_TOKEN_TEXT) {
        return stoa_parser_leaf(p, STOA_SYNTAX_TEXT, out, err);
    }
    if (!(*out)->quoted && p->token.kind == STOA_TOKEN_LEFT) {
        if (is_name(*out, "cast") || is_name(*out, "try_cast")) {
            return parse_cast(p, out, err);
        }
        (*out)->kind = STOA_SYNTAX_CALL;
        STOA_RETURN_NOT_OK(is_name(*out, "position")
                               ? parse_position(p, *out, err)
                               : parse_any_arguments(p, *out, STOA_TOKEN_RIGHT, err));
        return stoa_token_is(&p->token, "filter") ? parse_filter(p, *out, err) : STOA_OK;
    }
    while (p->token.kind == STOA_TOKEN_OPEN) {
        STOA_RETURN_NOT_OK(parse_index(p, out, err));
    }
    return STOA_OK;
}

/* Whether the token is a word; keywords count. */
static bool is_word(const stoa_token *token)
{
    return token->text != NULL && (token->kind == STOA_TOKEN_NAME || token->kind >= STOA_TOKEN_AND);
}

static stoa_status parse_parameter(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    const stoa_token mark = p->token;

    if (mark.kind == STOA_TOKEN_COLON) {
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
        if (p->token.start != mark.end || !is_word(&p->token)) {
            return stoa_parser_fail(p, "the name of a parameter", err);
        }
    }
    STOA_RETURN_NOT_OK(stoa_parser_leaf(p, STOA_SYNTAX_PARAM, out, err));
    (*out)->start = mark.start;
    return stoa_parameters_find(p->parameters, *out, &(*out)->parameter, err);
}

static stoa_status parse_primary(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    const size_t start = p->token.start;

    switch (p->token.kind) {
    case STOA_TOKEN_NUMBER:
        return stoa_parser_leaf(p, STOA_SYNTAX_NUMBER, out, err);
    case STOA_TOKEN_TEXT:
        return stoa_parser_leaf(p, STOA_SYNTAX_TEXT, out, err);
    case STOA_TOKEN_HEX:
        return stoa_parser_leaf(p, STOA_SYNTAX_HEX, out, err);
    case STOA_TOKEN_NULL:
        return stoa_parser_leaf(p, STOA_SYNTAX_NULL, out, err);
    case STOA_TOKEN_TRUE:
        return stoa_parser_leaf(p, STOA_SYNTAX_TRUE, out, err);
    case STOA_TOKEN_FALSE:
        return stoa_parser_leaf(p, STOA_SYNTAX_FALSE, out, err);
    case STOA_TOKEN_NAME:
    case STOA_TOKEN_QUOTED:
        return parse_name(p, out, err);
    case STOA_TOKEN_PARAM:
    case STOA_TOKEN_COLON:
        return parse_parameter(p, out, err);
    case STOA_TOKEN_OPEN:
        STOA_RETURN_NOT_OK(node_make(p, STOA_SYNTAX_LIST, start, out, err));
        return parse_any_arguments(p, *out, STOA_TOKEN_CLOSE, err);
    case STOA_TOKEN_LEFT:
        break;
    default:
        return stoa_parser_fail(p, "a value, a column or '('", err);
    }
    STOA_RETURN_NOT_OK(enter(p, err));
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(parse_or(p, out, err));
    STOA_RETURN_NOT_OK(expect(p, STOA_TOKEN_RIGHT, "')'", err));
    p->depth--;
    /* Messages and column names include the parentheses. */
    (*out)->start = start;
    (*out)->end = p->end;
    return STOA_OK;
}

/* Operators --------------------------------------------------------------------------------- */

static stoa_status parse_casts(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(parse_primary(p, out, err));
    while (p->token.kind == STOA_TOKEN_CAST) {
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
        STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_CAST, *out, out, err));
        STOA_RETURN_NOT_OK(parse_type(p, *out, err));
    }
    return STOA_OK;
}

static stoa_status parse_sign(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    const stoa_token token = p->token;
    stoa_syntax *arg = NULL;

    if (token.kind != STOA_TOKEN_MINUS && token.kind != STOA_TOKEN_PLUS) {
        return parse_casts(p, out, err);
    }
    STOA_RETURN_NOT_OK(enter(p, err));
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(parse_sign(p, &arg, err));
    p->depth--;
    if (token.kind == STOA_TOKEN_PLUS) {
        *out = arg;
    } else {
        STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_MINUS, arg, out, err));
    }
    (*out)->start = token.start;
    return STOA_OK;
}

/* Parse a left-associative level: operands by `operand`, operators from `low` to `high`. */
static stoa_status parse_chain(stoa_parser *p, stoa_token_kind low, stoa_token_kind high,
                               stoa_status (*operand)(stoa_parser *, stoa_syntax **, stoa_error *),
                               stoa_syntax **out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(operand(p, out, err));
    while (p->token.kind >= low && p->token.kind <= high) {
        const stoa_token_kind op = p->token.kind;
        stoa_syntax *right = NULL;
        stoa_syntax *node = NULL;
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
        STOA_RETURN_NOT_OK(operand(p, &right, err));
        STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_ARITH, *out, &node, err));
        STOA_RETURN_NOT_OK(node_add(p, node, right, err));
        node->op = op;
        *out = node;
    }
    return STOA_OK;
}

static stoa_status parse_term(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    return parse_chain(p, STOA_TOKEN_STAR, STOA_TOKEN_PERCENT, parse_sign, out, err);
}

static stoa_status parse_sum(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    return parse_chain(p, STOA_TOKEN_PLUS, STOA_TOKEN_MINUS, parse_term, out, err);
}

/* Texts are joined by calls of `||`, a function of two arguments. */
static stoa_status parse_joined(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(parse_sum(p, out, err));
    while (p->token.kind == STOA_TOKEN_JOIN) {
        stoa_syntax *right = NULL;
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
        STOA_RETURN_NOT_OK(parse_sum(p, &right, err));
        STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_CALL, *out, out, err));
        STOA_RETURN_NOT_OK(node_add(p, *out, right, err));
        (*out)->text = "||";
        (*out)->length = 2;
        (*out)->end = p->end;
    }
    return STOA_OK;
}

/* Tests ------------------------------------------------------------------------------------- */

static bool is_comparison(stoa_token_kind kind)
{
    return kind >= STOA_TOKEN_EQ && kind <= STOA_TOKEN_GE;
}

static stoa_status parse_compare(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_syntax *node = NULL;
    stoa_syntax *right = NULL;

    STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_COMPARE, *out, &node, err));
    node->op = p->token.kind;
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(parse_joined(p, &right, err));
    STOA_RETURN_NOT_OK(node_add(p, node, right, err));
    *out = node;
    if (is_comparison(p->token.kind)) {
        return stoa_fail_at(err, STOA_ESYNTAX, p->lexer.what, p->lexer.text, p->token.start,
                            "comparisons do not chain; write a < b and b < c, or use between");
    }
    return STOA_OK;
}

static stoa_status parse_in(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_IN, *out, out, err));
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(expect(p, STOA_TOKEN_LEFT, "'(' and a list of values", err));
    return parse_arguments(p, *out, STOA_TOKEN_RIGHT, err);
}

static stoa_status parse_between(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_syntax *low = NULL;
    stoa_syntax *high = NULL;

    STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_BETWEEN, *out, out, err));
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(parse_joined(p, &low, err));
    STOA_RETURN_NOT_OK(expect(p, STOA_TOKEN_AND, "'and' and the upper bound", err));
    STOA_RETURN_NOT_OK(parse_joined(p, &high, err));
    STOA_RETURN_NOT_OK(node_add(p, *out, low, err));
    return node_add(p, *out, high, err);
}

static stoa_status parse_like(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_syntax *pattern = NULL;
    stoa_syntax *escape = NULL;

    STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_LIKE, *out, out, err));
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(parse_joined(p, &pattern, err));
    STOA_RETURN_NOT_OK(node_add(p, *out, pattern, err));
    if (stoa_token_is(&p->token, "escape")) {
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
        STOA_RETURN_NOT_OK(parse_joined(p, &escape, err));
        STOA_RETURN_NOT_OK(node_add(p, *out, escape, err));
    }
    return STOA_OK;
}

static stoa_status parse_is(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    bool negated = false;

    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    if (p->token.kind == STOA_TOKEN_NOT) {
        negated = true;
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    }
    if (p->token.kind != STOA_TOKEN_NULL && !stoa_token_is(&p->token, "missing")) {
        return stoa_parser_fail(p, "'null' or 'missing'", err);
    }
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_IS_NULL, *out, out, err));
    if (negated) {
        STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_NOT, *out, out, err));
    }
    return STOA_OK;
}

static stoa_status parse_test(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    bool negated = false;

    STOA_RETURN_NOT_OK(parse_joined(p, out, err));
    if (p->token.kind == STOA_TOKEN_NOT) {
        negated = true;
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
        if (p->token.kind != STOA_TOKEN_IN && p->token.kind != STOA_TOKEN_BETWEEN &&
            p->token.kind != STOA_TOKEN_LIKE) {
            return stoa_parser_fail(p, "'in', 'between' or 'like'", err);
        }
    }
    if (is_comparison(p->token.kind)) {
        STOA_RETURN_NOT_OK(parse_compare(p, out, err));
    } else if (p->token.kind == STOA_TOKEN_IN) {
        STOA_RETURN_NOT_OK(parse_in(p, out, err));
    } else if (p->token.kind == STOA_TOKEN_BETWEEN) {
        STOA_RETURN_NOT_OK(parse_between(p, out, err));
    } else if (p->token.kind == STOA_TOKEN_LIKE) {
        STOA_RETURN_NOT_OK(parse_like(p, out, err));
    } else if (p->token.kind == STOA_TOKEN_IS) {
        STOA_RETURN_NOT_OK(parse_is(p, out, err));
    }
    (*out)->end = p->end;
    if (negated) {
        STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_NOT, *out, out, err));
    }
    return STOA_OK;
}

/* Logic ------------------------------------------------------------------------------------- */

static stoa_status parse_not(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    const size_t start = p->token.start;
    stoa_syntax *arg = NULL;

    if (p->token.kind != STOA_TOKEN_NOT) {
        return parse_test(p, out, err);
    }
    STOA_RETURN_NOT_OK(enter(p, err));
    STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    STOA_RETURN_NOT_OK(parse_not(p, &arg, err));
    p->depth--;
    STOA_RETURN_NOT_OK(node_over(p, STOA_SYNTAX_NOT, arg, out, err));
    (*out)->start = start;
    return STOA_OK;
}

/* `a and b and c` is a single node, so a filter of a thousand terms is wide, not deep. */
static stoa_status parse_logic(stoa_parser *p, stoa_token_kind op, stoa_syntax_kind kind,
                               stoa_status (*operand)(stoa_parser *, stoa_syntax **, stoa_error *),
                               stoa_syntax **out, stoa_error *err)
{
    stoa_syntax *node = NULL;

    STOA_RETURN_NOT_OK(operand(p, out, err));
    while (p->token.kind == op) {
        stoa_syntax *arg = NULL;
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
        STOA_RETURN_NOT_OK(operand(p, &arg, err));
        if (node == NULL) {
            STOA_RETURN_NOT_OK(node_over(p, kind, *out, &node, err));
            *out = node;
        }
        STOA_RETURN_NOT_OK(node_add(p, node, arg, err));
        node->end = p->end;
    }
    return STOA_OK;
}

static stoa_status parse_and(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    return parse_logic(p, STOA_TOKEN_AND, STOA_SYNTAX_AND, parse_not, out, err);
}

static stoa_status parse_or(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    return parse_logic(p, STOA_TOKEN_OR, STOA_SYNTAX_OR, parse_and, out, err);
}

stoa_status stoa_parser_expression(stoa_parser *p, stoa_syntax **out, stoa_error *err)
{
    return parse_or(p, out, err);
}
