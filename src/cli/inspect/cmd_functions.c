/* stoa functions: list the functions of queries. They are in src/query. */
#include <stoa/version.h>
#include <string.h>

#include "cli/common/args.h"
#include "cli/output/grid.h"
#include "cli/output/json.h"
#include "core/text.h"

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_JSONL, FORMAT_MARKDOWN };

/* A text in which the bars of Markdown's tables are escaped. */
static void put_escaped(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|') {
            putchar('\\');
        }
        putchar(*text);
    }
}

static void put_markdown(const stoa_function_text *text)
{
    fputs("| `", stdout);
    put_escaped(text->usage);
    fputs("` | ", stdout);
    put_escaped(text->help);
    if (text->also != NULL) {
        printf("; also `%s`", text->also);
    }
    fputs(text->example != NULL ? " | `" : " |", stdout);
    put_escaped(text->example != NULL ? text->example : "");
    fputs(text->example != NULL ? "` |\n" : " |\n", stdout);
}

static void put_json(const stoa_function_text *text, const char *subject, cli_json *json)
{
    const cli_field fields[] = {{"name", text->name},   {"also", text->also},
                                {"usage", text->usage}, {"subject", subject},
                                {"help", text->help},   {"example", text->example}};

    cli_json_put(json, fields, sizeof fields / sizeof *fields);
}

static void put_text(const stoa_function_text *text, cli_grid *grid)
{
    cli_grid_put(grid, "%s", text->usage);
    cli_grid_put(grid, "%s", text->help);
    cli_grid_put(grid, "%s", text->example != NULL ? text->example : "");
}

/* Begin a subject: print what is in the grid, and the titles of the next. */
static void begin_subject(const char *subject, int format, bool is_first, cli_grid *grid)
{
    static const char *const titles[] = {"function", "result", "example"};

    if (format == FORMAT_MARKDOWN) {
        printf("%s**%s**\n\n| function | result | example |\n| --- | --- | --- |\n",
               is_first ? "" : "\n", subject);
    } else if (format == FORMAT_TEXT) {
        if (!is_first) {
            cli_grid_print(grid, stdout, true);
        }
        cli_grid_clear(grid);
        cli_grid_init(grid, 3, titles, "lll");
        printf("%s%s\n", is_first ? "" : "\n", subject);
    }
}

static stoa_status functions(cli_args *args, stoa_error *err)
{
    static const char *const formats[] = {"text", "json", "jsonl", "markdown", NULL};
    static const char *const nothing[] = {""};
    const char *word = NULL;
    const char *subject = NULL;
    const char *last = NULL;
    const stoa_function_text *text;
    int format = FORMAT_TEXT;
    cli_grid grid;

    (void)err;
    cli_choice(args, &format, formats, "-f, --format FORMAT",
               "text (the default), json, jsonl or markdown");
    cli_operand(args, &word, "[FUNCTION]", "a function, as round");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    cli_json json = {stdout, .is_array = format == FORMAT_JSON};
    cli_grid_init(&grid, 1, nothing, "l");
    for (size_t i = 0; (text = stoa_function_text_at(i, &subject)) != NULL; i++) {
        if (word != NULL && !stoa_is_among(word, strlen(word), text->name) &&
            !stoa_is_among(word, strlen(word), text->also)) {
            continue;
        }
        if (last == NULL || strcmp(last, subject) != 0) {
            begin_subject(subject, format, last == NULL, &grid);
            last = subject;
        }
        if (format == FORMAT_TEXT) {
            put_text(text, &grid);
        } else if (format == FORMAT_MARKDOWN) {
            put_markdown(text);
        } else {
            put_json(text, subject, &json);
        }
    }
    if (format == FORMAT_TEXT && last != NULL) {
        cli_grid_print(&grid, stdout, true);
    }
    cli_grid_clear(&grid);
    if (format == FORMAT_JSON || format == FORMAT_JSONL) {
        cli_json_end(&json);
    }
    return last != NULL ? STOA_OK : cli_misused(args, "there is no function '%s'", word);
}

const cli_command cmd_functions = {"functions", "show the functions that queries can call",
                                   "stoa functions time_bucket", functions};
