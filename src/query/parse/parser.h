/* Shared by the parsers of expressions (parse.c) and of whole texts (parse_text.c). */
#ifndef STOA_QUERY_PARSER_H
#define STOA_QUERY_PARSER_H

#include "query/parse/parameters.h"

/* Zero-initialise, and open the lexer. */
typedef struct stoa_parser {
    stoa_lexer lexer;
    stoa_token token; /* the current token */
    size_t end;       /* end of the previous token */
    int depth;        /* of open parentheses, arguments, signs and nots */

    stoa_parameters *parameters; /* NULL: none */
} stoa_parser;

/* Fail at the current token: `wanted` was expected. */
stoa_status stoa_parser_fail(stoa_parser *p, const char *wanted, stoa_error *err);
stoa_status stoa_parser_next(stoa_parser *p, stoa_error *err);
/* Consume the token and make it a node. */
stoa_status stoa_parser_leaf(stoa_parser *p, stoa_syntax_kind kind, stoa_syntax **out,
                             stoa_error *err);
/* Parse `or` of parse.h's grammar, from the current token on. */
stoa_status stoa_parser_expression(stoa_parser *p, stoa_syntax **out, stoa_error *err);

#endif
