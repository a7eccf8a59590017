/*
 * A reader of JSON text (RFC 8259), value by value, and a writer of its strings. The caller keeps
 * the nesting.
 *
 * NaN, Infinity and -Infinity are read as numbers, since Python and others write them.
 */
#ifndef STOA_CORE_JSON_H
#define STOA_CORE_JSON_H

#include "core/memory.h"

typedef enum stoa_json_kind {
    STOA_JSON_NULL,
    STOA_JSON_BOOL,
    STOA_JSON_NUMBER,
    STOA_JSON_STRING,
    STOA_JSON_ARRAY, /* its items follow: stoa_json_has_item() */
    STOA_JSON_OBJECT /* its members follow: stoa_json_has_item(), then stoa_json_key() */
} stoa_json_kind;

/* Zero-initialise; free by stoa_json_clear(). */
typedef struct stoa_json {
    const char *start;
    const char *at;
    const char *end;
    const char *token; /* where the last value or key begins */
    uint64_t line;     /* for messages */
    const char *text;  /* of the last scalar or key: as written, but a string without its escapes */
    size_t length;
    stoa_buffer unescaped;
} stoa_json;

/* Read another text. `line` is the number of its line. */
void stoa_json_begin(stoa_json *json, const char *text, size_t length, uint64_t line);
/* Where the last value or key begins: its byte in the line, from 1. */
uint64_t stoa_json_byte(const stoa_json *json);
/* All of these: STOA_ESYNTAX with line and byte if the text is not JSON. */
stoa_status stoa_json_value(stoa_json *json, stoa_json_kind *kind, stoa_error *err);
/* Whether another item or member follows. `is_first` holds right after the opening bracket. `close`
 * is the closing one. */
stoa_status stoa_json_has_item(stoa_json *json, bool is_first, char close, bool *has_item,
                               stoa_error *err);
/* A member's key, with the colon behind it. */
stoa_status stoa_json_key(stoa_json *json, stoa_error *err);
/* Skip the items or members of a value of which `kind` is known. At most STOA_JSON_MAX_DEPTH values
 * may lie within one another. */
enum { STOA_JSON_MAX_DEPTH = 64 };
stoa_status stoa_json_skip(stoa_json *json, stoa_json_kind kind, stoa_error *err);
/* Read the items of an array, whose bracket has been read, as non-negative integers. *n is how many
 * there are. It is 0 if another item is among them, or if there is no room for all. */
stoa_status stoa_json_sizes(stoa_json *json, uint64_t *sizes, size_t room, size_t *n,
                            stoa_error *err);
/* Whether the character is next, but for white space; it is then passed. */
bool stoa_json_take(stoa_json *json, char c);
/* Nothing but white space may follow. */
stoa_status stoa_json_end(stoa_json *json, stoa_error *err);
/* Whether only white space is left. */
bool stoa_json_is_blank(stoa_json *json);
void stoa_json_clear(stoa_json *json);

/* Append a string in quotes. Bytes beyond ASCII are appended as they are. */
stoa_status stoa_json_quote(stoa_buffer *out, const char *text, size_t length, stoa_error *err);

#endif
