/* What the parser of expressions (parse.c) and that of whole texts (parse_text.c) share. */
#ifndef STOA_QUERY_PARSER_H
#define STOA_QUERY_PARSER_H

#include "query/parameters.h"

/* Zero-initialise, and open the lexer. */
typedef struct stoa_parser {
    stoa_lexer lexer;
    stoa_token token; /* the one to look at */
    size_t end;       /* of the token before it */
    int depth;        /* of open parentheses, arguments, signs and nots */

    stoa_parameters *parameters; /* NULL: none */
} stoa_parser;

/* Fail at the token: `wanted` should be there. */
stoa_status stoa_parser_fail(stoa_parser *p, const char *wanted, stoa_error *err);
stoa_status stoa_parser_next(stoa_parser *p, stoa_error *err);
/* The token, which is taken, as a node. */
stoa_status stoa_parser_leaf(stoa_parser *p, stoa_syntax_kind kind, stoa_syntax **out,
                             stoa_error *err);
/* From the token on, `or` in parse.h's grammar. */
stoa_status stoa_parser_expression(stoa_parser *p, stoa_syntax **out, stoa_error *err);

#endif
