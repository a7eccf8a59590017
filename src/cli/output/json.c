#include "cli/output/json.h"

#include <inttypes.h>

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;

        if (byte == '"' || byte == '\\') {
            fprintf(out, "\\%c", byte);
        } else if (byte < 0x20) {
            fprintf(out, "\\u%04x", byte);
        } else {
            fputc(byte, out);
        }
    }
    fputc('"', out);
}

void cli_json_put(cli_json *json, const cli_field *fields, size_t n)
{
    cli_json_put_counts(json, fields, n, NULL, 0);
}

void cli_json_put_counts(cli_json *json, const cli_field *fields, size_t n, const cli_count *counts,
                         size_t n_counts)
{
    const char *between = "";

    if (json->is_array) {
        fputs(json->n == 0 ? "[\n" : ",\n", json->out);
    }
    json->n++;
    fputc('{', json->out);
    for (size_t i = 0; i < n; i++) {
        if (fields[i].value != NULL) {
            fputs(between, json->out);
            put_text(json->out, fields[i].name);
            fputs(": ", json->out);
            put_text(json->out, fields[i].value);
            between = ", ";
        }
    }
    for (size_t i = 0; i < n_counts; i++) {
        fputs(between, json->out);
        put_text(json->out, counts[i].name);
        fprintf(json->out, ": %" PRIu64, counts[i].value);
        between = ", ";
    }
    fputs(json->is_array ? "}" : "}\n", json->out);
}

void cli_json_end(cli_json *json)
{
    if (json->is_array) {
        fputs(json->n == 0 ? "[]\n" : "\n]\n", json->out);
    }
}
