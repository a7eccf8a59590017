/* Lexer: query texts to tokens. */
#ifndef STOA_QUERY_LEX_H
#define STOA_QUERY_LEX_H

#include "core/arena.h"

typedef enum stoa_token_kind {
    STOA_TOKEN_END,
    STOA_TOKEN_NUMBER,
    STOA_TOKEN_TEXT,   /* 'it''s' */
    STOA_TOKEN_HEX,    /* X'00ff' */
    STOA_TOKEN_NAME,   /* bare name or keyword */
    STOA_TOKEN_QUOTED, /* "a name" */
    STOA_TOKEN_PARAM,  /* ?, ?12 */
    STOA_TOKEN_LEFT,
    STOA_TOKEN_RIGHT,
    STOA_TOKEN_COMMA,
    STOA_TOKEN_COLON,
    STOA_TOKEN_CAST,  /* :: */
    STOA_TOKEN_OPEN,  /* [ */
    STOA_TOKEN_CLOSE, /* ] */
    STOA_TOKEN_EQ,
    STOA_TOKEN_NE,
    STOA_TOKEN_LT,
    STOA_TOKEN_LE,
    STOA_TOKEN_GT,
    STOA_TOKEN_GE,
    STOA_TOKEN_JOIN, /* || */
    STOA_TOKEN_PLUS,
    STOA_TOKEN_MINUS,
    STOA_TOKEN_STAR,
    STOA_TOKEN_SLASH,
    STOA_TOKEN_PERCENT,
    STOA_TOKEN_AND, /* the word too, as for those below */
    STOA_TOKEN_OR,
    STOA_TOKEN_NOT,
    STOA_TOKEN_IN,
    STOA_TOKEN_BETWEEN,
    STOA_TOKEN_LIKE,
    STOA_TOKEN_IS,
    STOA_TOKEN_NULL,
    STOA_TOKEN_TRUE,
    STOA_TOKEN_FALSE
} stoa_token_kind;

typedef struct stoa_token {
    stoa_token_kind kind;
    size_t start; /* bytes of the query text, [start, end) */
    size_t end;
    const char *text; /* NUMBER, NAME, PARAM: as written; TEXT, QUOTED: unquoted; HEX: bytes */
    size_t length;
} stoa_token;

/* The state of the lexer. `what` names the text in messages, for example "where". */
typedef struct stoa_lexer {
    const char *what;
    const char *text;
    size_t length;
    size_t at;
    stoa_arena *arena; /* owns unquoted texts */
} stoa_lexer;

/* STOA_ESYNTAX if the text is not valid UTF-8. */
stoa_status stoa_lex_open(stoa_lexer *lexer, const char *what, const char *text, stoa_arena *arena,
                          stoa_error *err);
stoa_status stoa_lex_next(stoa_lexer *lexer, stoa_token *token, stoa_error *err);
/* Whether the token is this bare word, in any case. */
bool stoa_token_is(const stoa_token *token, const char *word);
/* Whether a word is a keyword and so cannot be a bare name. */
bool stoa_is_keyword(const char *word, size_t length);

/* Fail and point at a byte of a query text, with columns counted from 1: "where, column 7: ...". */
stoa_status stoa_fail_at(stoa_error *err, stoa_status status, const char *what, const char *text,
                         size_t at, const char *format, ...) STOA_PRINTF(6, 7);

#endif
