/* Statements in a text. */
#ifndef STOA_SQL_SPLIT_H
#define STOA_SQL_SPLIT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The length of the first statement, its `;` included; 0 if no `;` ends one. Semicolons in
 * texts, quoted names and comments do not count: '...', "...", E'...', $tag$...$tag$, --, and
 * nested comments.
 */
size_t stoa_sql_first(const char *text);

/* Behind the token at `at`: a comment, quotes, or a character. */
const char *stoa_sql_next(const char *text, const char *at);

/* Whether there is nothing but white space, comments and `;`. */
bool stoa_sql_is_blank(const char *text);

#endif
