/*
 * Query texts as syntax trees. docs/query.md describes the language.
 *
 *     or:      and { or and }
 *     and:     not { and not }
 *     not:     'not' not | test
 *     test:    joined [ compare joined | ['not'] in | ['not'] between | ['not'] like | is ]
 *     joined:  sum { '||' sum }
 *     sum:     term { + - term }
 *     term:    sign { * / % sign }
 *     sign:    + - sign | cast
 *     cast:    primary { '::' type }
 *     primary: value | param | name [ '[' sum ']' ] | call | '(' or ')'
 *              | list | case | 'cast' '(' or 'as' type ')' | 'interval' text
 *     call:    name '(' [ ['distinct'] or { , or } ['order' 'by' or ['asc' | 'desc']] ] ')'
 *              [ 'filter' '(' 'where' or ')' ]
 *     list:    '[' [ or { , or } ] ']'
 *     case:    'case' [ or ] { 'when' or 'then' or } [ 'else' or ] 'end'
 *     param:   '?' | '?'number | ':'name
 *
 * The operators or and | are the same; so are and, & and &&; so are not and ~.
 */
#ifndef STOA_QUERY_PARSE_H
#define STOA_QUERY_PARSE_H

#include "query/parse/lex.h"

/* Deeper expressions are refused, so code that walks a tree may recurse. */
#define STOA_MAX_DEPTH 200

typedef enum stoa_syntax_kind {
    STOA_SYNTAX_NUMBER,
    STOA_SYNTAX_TEXT,
    STOA_SYNTAX_HEX,
    STOA_SYNTAX_NULL,
    STOA_SYNTAX_TRUE,
    STOA_SYNTAX_FALSE,
    STOA_SYNTAX_NAME,
    STOA_SYNTAX_COLUMN,  /* column; parsing makes none */
    STOA_SYNTAX_PARAM,   /* text: "?", "?12", or the name; parameter */
    STOA_SYNTAX_CALL,    /* text: the function's name; arguments */
    STOA_SYNTAX_CAST,    /* a; text: the type's name; tries */
    STOA_SYNTAX_CASE,    /* condition, value, ..., [value else] */
    STOA_SYNTAX_CASE_OF, /* the operand, then value, value, ..., [value else] */
    STOA_SYNTAX_MINUS,   /* a */
    STOA_SYNTAX_ARITH,   /* a, b; op is PLUS, MINUS, STAR, SLASH or PERCENT */
    STOA_SYNTAX_COMPARE, /* a, b; op is EQ .. GE */
    STOA_SYNTAX_AND,     /* two or more */
    STOA_SYNTAX_OR,      /* two or more */
    STOA_SYNTAX_NOT,     /* a */
    STOA_SYNTAX_IN,      /* a, then the list */
    STOA_SYNTAX_BETWEEN, /* a, low, high */
    STOA_SYNTAX_LIKE,    /* a, pattern [, escape] */
    STOA_SYNTAX_IS_NULL, /* a */
    STOA_SYNTAX_INDEX,   /* a, position */
    STOA_SYNTAX_LIST     /* its items, if any */
} stoa_syntax_kind;

typedef struct stoa_syntax stoa_syntax;
struct stoa_syntax {
    stoa_syntax_kind kind;
    stoa_token_kind op;
    int depth;          /* 1 for a leaf */
    const char *what;   /* name of the text, for messages: "where" */
    const char *source; /* the whole text */
    size_t start;       /* bytes of the source, [start, end) */
    size_t end;
    const char *text; /* NUMBER, TEXT, HEX, NAME, PARAM, CALL, CAST */
    size_t length;
    size_t column;      /* COLUMN: its number in the scope */
    bool quoted;        /* NAME in double quotes */
    bool tries;         /* CAST: try_cast */
    bool is_filtered;   /* CALL: `filter` is behind it; as the next two, of aggregates only */
    bool is_distinct;   /* CALL: each value of the first argument once */
    bool is_ordered;    /* CALL: the last argument is what `order by` names, */
    bool is_descending; /* and the largest comes first */
    size_t n_args;
    stoa_syntax *first; /* arguments, linked by `next` */
    stoa_syntax *last;
    stoa_syntax *next;
    const struct stoa_parameter *parameter; /* PARAM: its value */
};

/* One entry of a list: `expression [as name] [:asc | :desc]`. */
typedef struct stoa_item {
    const stoa_syntax *syntax;
    const char *name; /* after `as`, else as written (a column's name without quotes) */
    bool has_alias;
    bool descending;
} stoa_item;

/* The columns that a text may name. They allow entries whose names are not bare words, such as
 * -c "Cost Total $". They also tell a column named `select` from SQL. */
typedef struct stoa_names {
    bool (*has)(const void *context, const char *name, size_t length); /* NULL: not known */
    const void *context;
    struct stoa_parameters *parameters; /* NULL: none */
} stoa_names;

/* Fail at a node's place in the text. */
#define STOA_FAIL_SYNTAX(err, status, syntax, ...)                                                 \
    stoa_fail_at(err, status, (syntax)->what, (syntax)->source, (syntax)->start, __VA_ARGS__)

/* A node's source text for messages, shortened; columns are quoted. `out` has STOA_SOURCE_SIZE
 * bytes. */
#define STOA_SOURCE_SIZE 80
const char *stoa_syntax_source(const stoa_syntax *syntax, char *out);

/* Parse a text. `what` is a static string; `names` may be NULL. The arena owns the tree, which
 * borrows from `text`. */
stoa_status stoa_parse(const char *what, const char *text, const stoa_names *names,
                       stoa_arena *arena, const stoa_syntax **tree, stoa_error *err);
stoa_status stoa_parse_list(const char *what, const char *text, const stoa_names *names,
                            stoa_arena *arena, stoa_item **items, size_t *n, stoa_error *err);

#endif
