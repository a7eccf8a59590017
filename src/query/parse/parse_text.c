/* Parses whole texts: one expression, or a list of entries. */
#include "query/parse/parser.h"

#include <string.h>
#include <strings.h>

static bool know_columns(const stoa_names *names)
{
    return names != NULL && names->has != NULL;
}

static stoa_parameters *parameters_of(const stoa_names *names)
{
    return names != NULL ? names->parameters : NULL;
}

/* Whether the text is an SQL query, and not an expression with a column named `select`. */
static bool is_sql(const char *text, const stoa_names *names)
{
    static const char select[] = "select ";
    const size_t length = strlen(select);

    return strncasecmp(text, select, length) == 0 &&
           (!know_columns(names) || !names->has(names->context, text, length - 1));
}

stoa_status stoa_parse(const char *what, const char *text, const stoa_names *names,
                       stoa_arena *arena, const stoa_syntax **tree, stoa_error *err)
{
    stoa_parser p = {.parameters = parameters_of(names)};
    stoa_syntax *node = NULL;

    *tree = NULL;
    STOA_RETURN_NOT_OK(stoa_lex_open(&p.lexer, what, text, arena, err));
    STOA_RETURN_NOT_OK(stoa_parser_next(&p, err));
    STOA_RETURN_NOT_OK(stoa_parser_expression(&p, &node, err));
    if (p.token.kind != STOA_TOKEN_END && is_sql(text, names)) {
        return stoa_fail_at(err, STOA_ESYNTAX, what, text, 0,
                            "what stands behind WHERE in SQL is wanted alone: energy > 5");
    }
    STOA_RETURN_NOT_OK(p.token.kind == STOA_TOKEN_END
                           ? STOA_OK
                           : stoa_parser_fail(&p, "an operator or the end", err));
    *tree = node;
    return STOA_OK;
}

/* Return the bytes from the lexer's position to the next comma in *token, if they are a column's
 * name. Spaces at the ends and an order (`:desc`, `:asc`) do not count. */
static bool whole_name(const stoa_parser *p, const stoa_names *names, stoa_token *token)
{
    static const char *const orders[] = {":desc", ":asc"};
    const char *text = p->lexer.text;
    size_t start = p->lexer.at;

    if (!know_columns(names)) {
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

/* Parse the expression of an entry: any expression, or a column's name as it is. */
static stoa_status parse_entry(stoa_parser *p, const stoa_names *names, stoa_syntax **out,
                               stoa_error *err)
{
    stoa_token name;

    if (whole_name(p, names, &name)) {
        p->token = name;
        p->lexer.at = name.end;
        STOA_RETURN_NOT_OK(stoa_parser_leaf(p, STOA_SYNTAX_NAME, out, err));
    } else {
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
        STOA_RETURN_NOT_OK(stoa_parser_expression(p, out, err));
    }
    return STOA_OK;
}

static stoa_status parse_item(stoa_parser *p, const stoa_names *names, stoa_item *item,
                              stoa_error *err)
{
    stoa_syntax *node = NULL;

    *item = (stoa_item){0};
    STOA_RETURN_NOT_OK(parse_entry(p, names, &node, err));
    const char *name = p->lexer.text + node->start;
    size_t length = node->end - node->start;
    if (node->kind == STOA_SYNTAX_NAME) {
        name = node->text;
        length = node->length;
    }
    if (stoa_token_is(&p->token, "as")) {
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
        if (p->token.kind != STOA_TOKEN_NAME && p->token.kind != STOA_TOKEN_QUOTED) {
            return stoa_parser_fail(p, "a name", err);
        }
        name = p->token.text;
        length = p->token.length;
        item->has_alias = true;
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    }
    item->syntax = node;
    item->name = stoa_arena_text(p->lexer.arena, name, length);
    STOA_RETURN_NO_MEMORY(err, item->name);

    const bool colon = p->token.kind == STOA_TOKEN_COLON;
    if (colon) {
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    }
    if (stoa_token_is(&p->token, "desc") || stoa_token_is(&p->token, "asc")) {
        item->descending = stoa_token_is(&p->token, "desc");
        STOA_RETURN_NOT_OK(stoa_parser_next(p, err));
    } else if (colon) {
        return stoa_parser_fail(p, "'asc' or 'desc'", err);
    }
    return STOA_OK;
}

stoa_status stoa_parse_list(const char *what, const char *text, const stoa_names *names,
                            stoa_arena *arena, stoa_item **items, size_t *n, stoa_error *err)
{
    stoa_parser p = {.parameters = parameters_of(names)};
    size_t room = 1;

    *items = NULL;
    *n = 0;
    STOA_RETURN_NOT_OK(stoa_lex_open(&p.lexer, what, text, arena, err));
    for (const char *c = text; *c != '\0'; c++) {
        room += *c == ','; /* there are at most one more entries than commas */
    }
    stoa_item *list = stoa_arena_alloc(arena, room, sizeof *list);
    STOA_RETURN_NO_MEMORY(err, list);
    do {
        STOA_RETURN_NOT_OK(parse_item(&p, names, &list[*n], err));
        ++*n;
    } while (p.token.kind == STOA_TOKEN_COMMA);
    STOA_RETURN_NOT_OK(
        p.token.kind == STOA_TOKEN_END ? STOA_OK : stoa_parser_fail(&p, "',' or the end", err));
    *items = list;
    return STOA_OK;
}
