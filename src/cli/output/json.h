/* Writes JSON objects of strings and counts, one per line or all in an array. */
#ifndef STOA_CLI_JSON_H
#define STOA_CLI_JSON_H

#include "cli/common/cli.h"

typedef struct cli_field {
    const char *name;
    const char *value; /* NULL: the member is omitted */
} cli_field;

typedef struct cli_json {
    FILE *out;
    bool is_array; /* else one object per line */
    uint64_t n;    /* written so far */
} cli_json;

typedef struct cli_count {
    const char *name;
    uint64_t value;
} cli_count;

void cli_json_put(cli_json *json, const cli_field *fields, size_t n);
/* The same, with counts behind the fields. */
void cli_json_put_counts(cli_json *json, const cli_field *fields, size_t n, const cli_count *counts,
                         size_t n_counts);
/* Close the array, which may be empty. */
void cli_json_end(cli_json *json);

#endif
