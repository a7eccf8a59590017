/* Recursive descent, one function a level of the grammar in parse.h. */
#include "query/parse.h"

#include <string.h>
#include <strings.h>

typedef struct parser {
    stoa_lexer lexer;
    stoa_token token; /* the one to look at */
    size_t end;       /* of the token before it */
    int depth;        /* of open parentheses, arguments, signs and nots */
} parser;

static stoa_status parse_or(parser *p, stoa_syntax **out, stoa_error *err);
static stoa_status parse_sum(parser *p, stoa_syntax **out, stoa_error *err);

static stoa_status fail_here(parser *p, const char *wanted, stoa_error *err)
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

static stoa_status next_token(parser *p, stoa_error *err)
{
    p->end = p->token.end;
    return stoa_lex_next(&p->lexer, &p->token, err);
}

static stoa_status expect(parser *p, stoa_token_kind kind, const char *wanted, stoa_error *err)
{
    if (p->token.kind != kind) {
        return fail_here(p, wanted, err);
    }
    return next_token(p, err);
}

/* Nodes ------------------------------------------------------------------------------------- */

static stoa_status fail_depth(const parser *p, size_t at, stoa_error *err)
{
    return stoa_fail_at(err, STOA_ESYNTAX, p->lexer.what, p->lexer.text, at,
                        "the expression is nested deeper than %d levels", STOA_MAX_DEPTH);
}

static stoa_status enter(parser *p, stoa_error *err)
{
    return ++p->depth > STOA_MAX_DEPTH ? fail_depth(p, p->token.start, err) : STOA_OK;
}

static stoa_status node_make(parser *p, stoa_syntax_kind kind, size_t start, stoa_syntax **out,
                             stoa_error *err)
{
    stoa_syntax *node = stoa_pool_zero(p->lexer.pool, 1, sizeof *node);

    if (node == NULL) {
        return stoa_fail_memory(err);
    }
    node->kind = kind;
    node->depth = 1;
    node->what = p->lexer.what;
    node->source = p->lexer.text;
    node->start = start;
    node->end = p->end;
    *out = node;
    return STOA_OK;
}

static stoa_status node_add(parser *p, stoa_syntax *node, stoa_syntax *arg, stoa_error *err)
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
    /* A long chain a + b + c ... is deep without a parenthesis. */
    return node->depth > STOA_MAX_DEPTH ? fail_depth(p, arg->start, err) : STOA_OK;
}

static stoa_status node_over(parser *p, stoa_syntax_kind kind, stoa_syntax *arg, stoa_syntax **out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(node_make(p, kind, arg->start, out, err));
    STOA_TRY(node_add(p, *out, arg, err));

done:
    return status;
}

/* Primaries --------------------------------------------------------------------------------- */

static stoa_status parse_leaf(parser *p, stoa_syntax_kind kind, stoa_syntax **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_token token = p->token;

    STOA_TRY(next_token(p, err));
    STOA_TRY(node_make(p, kind, token.start, out, err));
    (*out)->text = token.text;
    (*out)->length = token.length;
    (*out)->quoted = token.kind == STOA_TOKEN_QUOTED;

done:
    return status;
}

/* Expressions up to the closing parenthesis, which is taken; the opening one was. */
static stoa_status parse_arguments(parser *p, stoa_syntax *node, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(enter(p, err));
    for (;;) {
        stoa_syntax *arg = NULL;
        STOA_TRY(parse_or(p, &arg, err));
        STOA_TRY(node_add(p, node, arg, err));
        if (p->token.kind != STOA_TOKEN_COMMA) {
            break;
        }
        STOA_TRY(next_token(p, err));
    }
    STOA_TRY(expect(p, STOA_TOKEN_RIGHT, "',' or ')'", err));
    p->depth--;
    node->end = p->end;

done:
    return status;
}

/* An item of a list: `name[position]`. */
static stoa_status parse_index(parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_syntax *position = NULL;

    STOA_TRY(node_over(p, STOA_SYNTAX_INDEX, *out, out, err));
    STOA_TRY(enter(p, err));
    STOA_TRY(next_token(p, err));
    STOA_TRY(parse_sum(p, &position, err));
    STOA_TRY(node_add(p, *out, position, err));
    STOA_TRY(expect(p, STOA_TOKEN_CLOSE, "']'", err));
    p->depth--;
    (*out)->end = p->end;

done:
    return status;
}

static stoa_status parse_name(parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool quoted = p->token.kind == STOA_TOKEN_QUOTED;

    STOA_TRY(parse_leaf(p, STOA_SYNTAX_NAME, out, err));
    if (!quoted && p->token.kind == STOA_TOKEN_LEFT) {
        (*out)->kind = STOA_SYNTAX_CALL;
        STOA_TRY(next_token(p, err));
        if (p->token.kind == STOA_TOKEN_RIGHT) {
            STOA_TRY(next_token(p, err));
            (*out)->end = p->end;
        } else {
            STOA_TRY(parse_arguments(p, *out, err));
        }
    }
    while ((*out)->kind != STOA_SYNTAX_CALL && p->token.kind == STOA_TOKEN_OPEN) {
        STOA_TRY(parse_index(p, out, err));
    }

done:
    return status;
}

static stoa_status parse_primary(parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t start = p->token.start;

    switch (p->token.kind) {
    case STOA_TOKEN_NUMBER:
        return parse_leaf(p, STOA_SYNTAX_NUMBER, out, err);
    case STOA_TOKEN_TEXT:
        return parse_leaf(p, STOA_SYNTAX_TEXT, out, err);
    case STOA_TOKEN_HEX:
        return parse_leaf(p, STOA_SYNTAX_HEX, out, err);
    case STOA_TOKEN_NULL:
        return parse_leaf(p, STOA_SYNTAX_NULL, out, err);
    case STOA_TOKEN_TRUE:
        return parse_leaf(p, STOA_SYNTAX_TRUE, out, err);
    case STOA_TOKEN_FALSE:
        return parse_leaf(p, STOA_SYNTAX_FALSE, out, err);
    case STOA_TOKEN_NAME:
    case STOA_TOKEN_QUOTED:
        return parse_name(p, out, err);
    case STOA_TOKEN_LEFT:
        break;
    default:
        return fail_here(p, "a value, a column or '('", err);
    }
    STOA_TRY(enter(p, err));
    STOA_TRY(next_token(p, err));
    STOA_TRY(parse_or(p, out, err));
    STOA_TRY(expect(p, STOA_TOKEN_RIGHT, "')'", err));
    p->depth--;
    /* Messages and column names show the parentheses too. */
    (*out)->start = start;
    (*out)->end = p->end;

done:
    return status;
}

/* Operators --------------------------------------------------------------------------------- */

static stoa_status parse_sign(parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_token token = p->token;
    stoa_syntax *arg = NULL;

    if (token.kind != STOA_TOKEN_MINUS && token.kind != STOA_TOKEN_PLUS) {
        return parse_primary(p, out, err);
    }
    STOA_TRY(enter(p, err));
    STOA_TRY(next_token(p, err));
    STOA_TRY(parse_sign(p, &arg, err));
    p->depth--;
    if (token.kind == STOA_TOKEN_PLUS) {
        *out = arg;
    } else {
        STOA_TRY(node_over(p, STOA_SYNTAX_MINUS, arg, out, err));
    }
    (*out)->start = token.start;

done:
    return status;
}

/* A left-associative level: operands by `operand`, operators between `low` and `high`. */
static stoa_status parse_chain(parser *p, stoa_token_kind low, stoa_token_kind high,
                               stoa_status (*operand)(parser *, stoa_syntax **, stoa_error *),
                               stoa_syntax **out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(operand(p, out, err));
    while (p->token.kind >= low && p->token.kind <= high) {
        const stoa_token_kind op = p->token.kind;
        stoa_syntax *right = NULL;
        stoa_syntax *node = NULL;
        STOA_TRY(next_token(p, err));
        STOA_TRY(operand(p, &right, err));
        STOA_TRY(node_over(p, STOA_SYNTAX_ARITH, *out, &node, err));
        STOA_TRY(node_add(p, node, right, err));
        node->op = op;
        *out = node;
    }

done:
    return status;
}

static stoa_status parse_term(parser *p, stoa_syntax **out, stoa_error *err)
{
    return parse_chain(p, STOA_TOKEN_STAR, STOA_TOKEN_PERCENT, parse_sign, out, err);
}

static stoa_status parse_sum(parser *p, stoa_syntax **out, stoa_error *err)
{
    return parse_chain(p, STOA_TOKEN_PLUS, STOA_TOKEN_MINUS, parse_term, out, err);
}

/* Tests ------------------------------------------------------------------------------------- */

static bool is_comparison(stoa_token_kind kind)
{
    return kind >= STOA_TOKEN_EQ && kind <= STOA_TOKEN_GE;
}

static stoa_status parse_compare(parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_syntax *node = NULL;
    stoa_syntax *right = NULL;

    STOA_TRY(node_over(p, STOA_SYNTAX_COMPARE, *out, &node, err));
    node->op = p->token.kind;
    STOA_TRY(next_token(p, err));
    STOA_TRY(parse_sum(p, &right, err));
    STOA_TRY(node_add(p, node, right, err));
    *out = node;
    if (is_comparison(p->token.kind)) {
        STOA_TRY(stoa_fail_at(err, STOA_ESYNTAX, p->lexer.what, p->lexer.text, p->token.start,
                              "comparisons do not chain; write a < b and b < c, or use between"));
    }

done:
    return status;
}

static stoa_status parse_in(parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(node_over(p, STOA_SYNTAX_IN, *out, out, err));
    STOA_TRY(next_token(p, err));
    STOA_TRY(expect(p, STOA_TOKEN_LEFT, "'(' and a list of values", err));
    STOA_TRY(parse_arguments(p, *out, err));

done:
    return status;
}

static stoa_status parse_between(parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_syntax *low = NULL;
    stoa_syntax *high = NULL;

    STOA_TRY(node_over(p, STOA_SYNTAX_BETWEEN, *out, out, err));
    STOA_TRY(next_token(p, err));
    STOA_TRY(parse_sum(p, &low, err));
    STOA_TRY(expect(p, STOA_TOKEN_AND, "'and' and the upper bound", err));
    STOA_TRY(parse_sum(p, &high, err));
    STOA_TRY(node_add(p, *out, low, err));
    STOA_TRY(node_add(p, *out, high, err));

done:
    return status;
}

static stoa_status parse_like(parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_syntax *pattern = NULL;
    stoa_syntax *escape = NULL;

    STOA_TRY(node_over(p, STOA_SYNTAX_LIKE, *out, out, err));
    STOA_TRY(next_token(p, err));
    STOA_TRY(parse_sum(p, &pattern, err));
    STOA_TRY(node_add(p, *out, pattern, err));
    if (stoa_token_is(&p->token, "escape")) {
        STOA_TRY(next_token(p, err));
        STOA_TRY(parse_sum(p, &escape, err));
        STOA_TRY(node_add(p, *out, escape, err));
    }

done:
    return status;
}

static stoa_status parse_is(parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool negated = false;

    STOA_TRY(next_token(p, err));
    if (p->token.kind == STOA_TOKEN_NOT) {
        negated = true;
        STOA_TRY(next_token(p, err));
    }
    if (p->token.kind != STOA_TOKEN_NULL && !stoa_token_is(&p->token, "missing")) {
        STOA_TRY(fail_here(p, "'null' or 'missing'", err));
    }
    STOA_TRY(next_token(p, err));
    STOA_TRY(node_over(p, STOA_SYNTAX_IS_NULL, *out, out, err));
    if (negated) {
        STOA_TRY(node_over(p, STOA_SYNTAX_NOT, *out, out, err));
    }

done:
    return status;
}

static stoa_status parse_test(parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool negated = false;

    STOA_TRY(parse_sum(p, out, err));
    if (p->token.kind == STOA_TOKEN_NOT) {
        negated = true;
        STOA_TRY(next_token(p, err));
        if (p->token.kind != STOA_TOKEN_IN && p->token.kind != STOA_TOKEN_BETWEEN &&
            p->token.kind != STOA_TOKEN_LIKE) {
            STOA_TRY(fail_here(p, "'in', 'between' or 'like'", err));
        }
    }
    if (is_comparison(p->token.kind)) {
        STOA_TRY(parse_compare(p, out, err));
    } else if (p->token.kind == STOA_TOKEN_IN) {
        STOA_TRY(parse_in(p, out, err));
    } else if (p->token.kind == STOA_TOKEN_BETWEEN) {
        STOA_TRY(parse_between(p, out, err));
    } else if (p->token.kind == STOA_TOKEN_LIKE) {
        STOA_TRY(parse_like(p, out, err));
    } else if (p->token.kind == STOA_TOKEN_IS) {
        STOA_TRY(parse_is(p, out, err));
    }
    (*out)->end = p->end;
    if (negated) {
        STOA_TRY(node_over(p, STOA_SYNTAX_NOT, *out, out, err));
    }

done:
    return status;
}

/* Logic ------------------------------------------------------------------------------------- */

static stoa_status parse_not(parser *p, stoa_syntax **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t start = p->token.start;
    stoa_syntax *arg = NULL;

    if (p->token.kind != STOA_TOKEN_NOT) {
        return parse_test(p, out, err);
    }
    STOA_TRY(enter(p, err));
    STOA_TRY(next_token(p, err));
    STOA_TRY(parse_not(p, &arg, err));
    p->depth--;
    STOA_TRY(node_over(p, STOA_SYNTAX_NOT, arg, out, err));
    (*out)->start = start;

done:
    return status;
}

/* `a and b and c` is one node: a filter of a thousand terms is wide, not deep. */
static stoa_status parse_logic(parser *p, stoa_token_kind op, stoa_syntax_kind kind,
                               stoa_status (*operand)(parser *, stoa_syntax **, stoa_error *),
                               stoa_syntax **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_syntax *node = NULL;

    STOA_TRY(operand(p, out, err));
    while (p->token.kind == op) {
        stoa_syntax *arg = NULL;
        STOA_TRY(next_token(p, err));
        STOA_TRY(operand(p, &arg, err));
        if (node == NULL) {
            STOA_TRY(node_over(p, kind, *out, &node, err));
            *out = node;
        }
        STOA_TRY(node_add(p, node, arg, err));
        node->end = p->end;
    }

done:
    return status;
}

static stoa_status parse_and(parser *p, stoa_syntax **out, stoa_error *err)
{
    return parse_logic(p, STOA_TOKEN_AND, STOA_SYNTAX_AND, parse_not, out, err);
}

static stoa_status parse_or(parser *p, stoa_syntax **out, stoa_error *err)
{
    return parse_logic(p, STOA_TOKEN_OR, STOA_SYNTAX_OR, parse_and, out, err);
}

/* Whole texts ------------------------------------------------------------------------------- */

/* All of a query of SQL, where no column is called so. */
static bool is_sql(const char *text, const stoa_names *names)
{
    static const char select[] = "select ";
    const size_t length = strlen(select);

    return strncasecmp(text, select, length) == 0 &&
           (names == NULL || !names->has(names->context, text, length - 1));
}

stoa_status stoa_parse(const char *what, const char *text, const stoa_names *names, stoa_pool *pool,
                       const stoa_syntax **tree, stoa_error *err)
{
    stoa_status status = STOA_OK;
    parser p = {0};
    stoa_syntax *node = NULL;

    *tree = NULL;
    STOA_TRY(stoa_lex_open(&p.lexer, what, text, pool, err));
    STOA_TRY(next_token(&p, err));
    STOA_TRY(parse_or(&p, &node, err));
    if (p.token.kind != STOA_TOKEN_END && is_sql(text, names)) {
        STOA_TRY(stoa_fail_at(err, STOA_ESYNTAX, what, text, 0,
                              "what stands behind WHERE in SQL is wanted alone: energy > 5"));
    }
    STOA_TRY(p.token.kind == STOA_TOKEN_END ? STOA_OK
                                            : fail_here(&p, "an operator or the end", err));
    *tree = node;

done:
    return status;
}

/* The bytes at the lexer's place up to the next comma, without spaces at the ends and without an
 * order
 * (`:desc`): a column's name, if there is a column of that name. */
static bool whole_name(const parser *p, const stoa_names *names, stoa_token *token)
{
    static const char *const orders[] = {":desc", ":asc"};
    const char *text = p->lexer.text;
    size_t start = p->lexer.at;

    if (names == NULL) {
        return false;
    }
    while (text[start] == ' ') {
        start++;
    }
    size_t end = start + strcspn(text + start, ",");
    while (end > start && text[end - 1] == ' ') {
        end--;
    }
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        const size_t n = strlen(orders[i]);
        if (end - start > n && memcmp(text + end - n, orders[i], n) == 0) {
            end -= n;
        }
    }
    *token = (stoa_token){STOA_TOKEN_QUOTED, start, end, text + start, end - start};
    return end > start && names->has(names->context, text + start, end - start);
}

/* The expression of an entry: any one, or a column's name as it is. */
static stoa_status parse_entry(parser *p, const stoa_names *names, stoa_syntax **out,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_token name;

    if (whole_name(p, names, &name)) {
        p->token = name;
        p->lexer.at = name.end;
        STOA_TRY(parse_leaf(p, STOA_SYNTAX_NAME, out, err));
    } else {
        STOA_TRY(next_token(p, err));
        STOA_TRY(parse_or(p, out, err));
    }

done:
    return status;
}

static stoa_status parse_item(parser *p, const stoa_names *names, stoa_item *item, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_syntax *node = NULL;

    *item = (stoa_item){0};
    STOA_TRY(parse_entry(p, names, &node, err));
    const char *name = p->lexer.text + node->start;
    size_t length = node->end - node->start;
    if (node->kind == STOA_SYNTAX_NAME) {
        name = node->text;
        length = node->length;
    }
    if (stoa_token_is(&p->token, "as")) {
        STOA_TRY(next_token(p, err));
        if (p->token.kind != STOA_TOKEN_NAME && p->token.kind != STOA_TOKEN_QUOTED) {
            STOA_TRY(fail_here(p, "a name", err));
        }
        name = p->token.text;
        length = p->token.length;
        item->has_alias = true;
        STOA_TRY(next_token(p, err));
    }
    item->syntax = node;
    item->name = stoa_pool_text(p->lexer.pool, name, length);
    STOA_TRY(item->name != NULL ? STOA_OK : stoa_fail_memory(err));

    const bool colon = p->token.kind == STOA_TOKEN_COLON;
    if (colon) {
        STOA_TRY(next_token(p, err));
    }
    if (stoa_token_is(&p->token, "desc") || stoa_token_is(&p->token, "asc")) {
        item->descending = stoa_token_is(&p->token, "desc");
        STOA_TRY(next_token(p, err));
    } else if (colon) {
        STOA_TRY(fail_here(p, "'asc' or 'desc'", err));
    }

done:
    return status;
}

stoa_status stoa_parse_list(const char *what, const char *text, const stoa_names *names,
                            stoa_pool *pool, stoa_item **items, size_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    parser p = {0};
    size_t room = 1;

    *items = NULL;
    *n = 0;
    STOA_TRY(stoa_lex_open(&p.lexer, what, text, pool, err));
    for (const char *c = text; *c != '\0'; c++) {
        room += *c == ','; /* an entry more than there are commas, at most */
    }
    stoa_item *list = stoa_pool_alloc(pool, room, sizeof *list);
    STOA_TRY(list != NULL ? STOA_OK : stoa_fail_memory(err));
    do {
        STOA_TRY(parse_item(&p, names, &list[*n], err));
        ++*n;
    } while (p.token.kind == STOA_TOKEN_COMMA);
    STOA_TRY(p.token.kind == STOA_TOKEN_END ? STOA_OK : fail_here(&p, "',' or the end", err));
    *items = list;

done:
    return status;
}
