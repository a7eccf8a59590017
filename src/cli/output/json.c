#include "cli/output/json.h"

#include <inttypes.h>
#include <string.h>

#include "cli/common/cli.h"
#include "layout/text/text_format.h"

static void put_text(cli_json *json, const char *text)
{
    stoa_json_string(&json->text, text, strlen(text));
}

/* Write what stands between two members or items. */
static void separate(cli_json *json)
{
    const stoa_buffer *const text = &json->text.text;
    const char last = text->size > 0 ? (char)text->data[text->size - 1] : '{';

    stoa_sink_text(&json->text, last == '{' || last == '[' ? "" : ", ");
}

static void put_name(cli_json *json, const char *name)
{
    separate(json);
    stoa_sink_char(&json->text, '"');
    for (; *name != '\0'; name++) {
        stoa_sink_char(&json->text, (char)(*name == ' ' ? '_' : *name));
    }
    stoa_sink_text(&json->text, "\": ");
}

static void put_number(cli_json *json, uint64_t value)
{
    char digits[24];

    (void)snprintf(digits, sizeof digits, "%" PRIu64, value);
    stoa_sink_text(&json->text, digits);
}

void cli_json_begin(cli_json *json)
{
    stoa_sink_char(&json->text, '{');
}

void cli_json_text(cli_json *json, const char *name, const char *value)
{
    if (value != NULL) {
        put_name(json, name);
        put_text(json, value);
    }
}

void cli_json_count(cli_json *json, const char *name, uint64_t value)
{
    put_name(json, name);
    put_number(json, value);
}

void cli_json_counts(cli_json *json, const char *name, const uint64_t *values, size_t n)
{
    put_name(json, name);
    stoa_sink_char(&json->text, '[');
    for (size_t i = 0; i < n; i++) {
        separate(json);
        put_number(json, values[i]);
    }
    stoa_sink_char(&json->text, ']');
}

void cli_json_value(cli_json *json, const char *name, const char *value)
{
    put_name(json, name);
    stoa_sink_text(&json->text, value[0] != '\0' ? value : "null");
}

void cli_json_open(cli_json *json, const char *name)
{
    put_name(json, name);
    stoa_sink_char(&json->text, '[');
}

void cli_json_begin_item(cli_json *json)
{
    separate(json);
    stoa_sink_char(&json->text, '{');
}

void cli_json_close(cli_json *json, char bracket)
{
    stoa_sink_char(&json->text, bracket);
}

void cli_json_finish(cli_json *json)
{
    stoa_sink_char(&json->text, '}');
    if (json->text.status != STOA_OK) {
        (void)cli_resize(NULL, SIZE_MAX, 1); /* memory ran out */
    }
    if (json->is_array) {
        fputs(json->n == 0 ? "[\n" : ",\n", json->out);
    }
    json->n++;
    fwrite(json->text.text.data, 1, json->text.text.size, json->out);
    fputs(json->is_array ? "" : "\n", json->out);
    cli_json_drop(json);
}

void cli_json_drop(cli_json *json)
{
    stoa_sink_clear(&json->text);
}

void cli_json_put(cli_json *json, const cli_field *fields, size_t n)
{
    cli_json_put_counts(json, fields, n, NULL, 0);
}

void cli_json_put_counts(cli_json *json, const cli_field *fields, size_t n, const cli_count *counts,
                         size_t n_counts)
{
    cli_json_begin(json);
    for (size_t i = 0; i < n; i++) {
        cli_json_text(json, fields[i].name, fields[i].value);
    }
    for (size_t i = 0; i < n_counts; i++) {
        cli_json_count(json, counts[i].name, counts[i].value);
    }
    cli_json_finish(json);
}

void cli_json_end(cli_json *json)
{
    if (json->is_array) {
        fputs(json->n == 0 ? "[]\n" : "\n]\n", json->out);
    }
}

char *cli_json_quoted(const char *text)
{
    stoa_sink sink = {.out = NULL};

    stoa_json_string(&sink, text, strlen(text));
    stoa_sink_char(&sink, '\0');
    char *const quoted = sink.status == STOA_OK ? stoa_buffer_detach(&sink.text) : NULL;
    stoa_sink_clear(&sink);
    return quoted != NULL ? quoted : cli_resize(NULL, SIZE_MAX, 1);
}
