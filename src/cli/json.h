/* JSON of the program's own texts: objects of strings, one object a line or all in an array. */
#ifndef STOA_CLI_JSON_H
#define STOA_CLI_JSON_H

#include "cli/cli.h"

typedef struct cli_field {
    const char *name;
    const char *value; /* NULL: left out */
} cli_field;

typedef struct cli_json {
    FILE *out;
    bool is_array; /* else a line an object */
    uint64_t n;    /* objects so far */
} cli_json;

void cli_json_put(cli_json *json, const cli_field *fields, size_t n);
/* Close the array; an empty one if there was no object. */
void cli_json_end(cli_json *json);

#endif
