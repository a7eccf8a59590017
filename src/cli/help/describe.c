#include "cli/help/describe.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/args.h"
#include "cli/output/json.h"

static void put_choices(cli_json *json, const char *const *choices)
{
    char *text = cli_copy("[");

    for (size_t i = 0; choices[i] != NULL; i++) {
        char *const one = cli_json_quoted(choices[i]);
        cli_append(&text, "%s%s", i > 0 ? "," : "", one);
        free(one);
    }
    cli_append(&text, "]");
    cli_json_value(json, "choices", text);
    free(text);
}

static void put_option(cli_json *json, const cli_option *option)
{
    const char letter[] = {option->letter, '\0'};
    char *const name = cli_sprintf("%.*s", (int)option->name_length, option->name);

    cli_json_begin_item(json);
    cli_json_text(json, "name", name);
    cli_json_text(json, "letter", option->letter != 0 ? letter : NULL);
    cli_json_text(json, "value", option->value);
    if (option->choices != NULL) {
        put_choices(json, option->choices);
    }
    cli_json_text(json, "help", option->help);
    cli_json_close(json, '}');
    free(name);
}

static void describe(const cli_args *args, void *context)
{
    cli_json *const json = context;

    cli_json_begin(json);
    cli_json_text(json, "name", args->command->name);
    cli_json_text(json, "summary", args->command->summary);
    cli_json_text(json, "example", args->command->example);
    cli_json_open(json, "operands");
    for (size_t i = 0; i < args->n_operands; i++) {
        cli_json_begin_item(json);
        cli_json_text(json, "name", args->operands[i].name);
        cli_json_text(json, "help", args->operands[i].help);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_open(json, "options");
    for (size_t i = 0; i < args->n_options; i++) {
        put_option(json, &args->options[i]);
    }
    cli_json_close(json, ']');
    cli_json_finish(json);
}

void cli_describe_commands(const cli_command *const *commands, FILE *out)
{
    cli_json json = {out, .is_array = true};

    for (size_t i = 0; commands[i] != NULL; i++) {
        cli_run_described(commands[i], describe, &json);
    }
    cli_json_end(&json);
}
