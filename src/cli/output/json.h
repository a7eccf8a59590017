/* Writes JSON objects, one per line or all in an array. An object appears when it is whole. */
#ifndef STOA_CLI_JSON_H
#define STOA_CLI_JSON_H

#include "layout/text/sink.h"

typedef struct cli_field {
    const char *name;
    const char *value; /* NULL: the member is omitted */
} cli_field;

typedef struct cli_count {
    const char *name;
    uint64_t value;
} cli_count;

typedef struct cli_json {
    FILE *out;
    bool is_array;  /* else one object per line */
    uint64_t n;     /* written so far */
    stoa_sink text; /* of the object that is being written */
} cli_json;

/* Begin an object, and add members to it. Texts may be any bytes. Blanks in names become
 * underscores. */
void cli_json_begin(cli_json *json);
void cli_json_text(cli_json *json, const char *name, const char *value); /* NULL: omitted */
void cli_json_count(cli_json *json, const char *name, uint64_t value);
void cli_json_counts(cli_json *json, const char *name, const uint64_t *values, size_t n);
/* A member whose value is JSON already; "" is null. */
void cli_json_value(cli_json *json, const char *name, const char *value);
/* A member that is an array of objects: open it, begin and close each of them, close it. */
void cli_json_open(cli_json *json, const char *name);
void cli_json_begin_item(cli_json *json);
void cli_json_close(cli_json *json, char bracket);
/* Write the object, or forget it. */
void cli_json_finish(cli_json *json);
void cli_json_drop(cli_json *json);

/* A whole object of texts, and one with counts behind them. */
void cli_json_put(cli_json *json, const cli_field *fields, size_t n);
void cli_json_put_counts(cli_json *json, const cli_field *fields, size_t n, const cli_count *counts,
                         size_t n_counts);
/* Close the array, which may be empty. */
void cli_json_end(cli_json *json);

/* A text as JSON, in quotes; the caller frees it. */
char *cli_json_quoted(const char *text);

#endif
