#include "cli/common/usage.h"
#include "cli/common/terminal.h"

#include <string.h>

enum { INDENT = 2, HELP_AT = 28, WIDTH = 80 };

/* Print `spec`, then `help` in a column of its own, wrapped at words. */
static void entry(FILE *out, const char *spec, const char *help)
{
    size_t at = INDENT + strlen(spec);

    fprintf(out, "%*s", INDENT, "");
    cli_paint(out, "1");
    fputs(spec, out);
    cli_paint(out, "0");
    if (at + 2 > HELP_AT) {
        fputc('\n', out);
        at = 0;
    }
    fprintf(out, "%*s", (int)(HELP_AT - at), "");
    at = HELP_AT;
    while (*help != '\0') {
        const size_t word = strcspn(help, " ");

        if (at + word > WIDTH && at > HELP_AT) {
            fprintf(out, "\n%*s", HELP_AT, "");
            at = HELP_AT;
        }
        fprintf(out, "%.*s", (int)word, help);
        help += word;
        at += word;
        if (*help == ' ') {
            help++;
            if (at + 1 + strcspn(help, " ") <= WIDTH) {
                fputc(' ', out);
            }
            at++;
        }
    }
    fputc('\n', out);
}

void cli_usage(const cli_args *args, FILE *out)
{
    const cli_command *const command = args->command;

    fprintf(out, "stoa %s: %s\n\nusage: stoa %s%s", command->name, command->summary, command->name,
            args->n_options > 0 ? " [OPTION]..." : "");
    for (size_t i = 0; i < args->n_operands; i++) {
        fprintf(out, " %s", args->operands[i].name);
    }
    fputs("\n\n", out);
    for (size_t i = 0; i < args->n_operands; i++) {
        entry(out, args->operands[i].name, args->operands[i].help);
    }
    fputc('\n', out);
    for (size_t i = 0; i < args->n_options; i++) {
        /* Options without a letter are aligned with those that have one. */
        char spec[80];

        snprintf(spec, sizeof spec, "%s%s", args->options[i].letter == 0 ? "    " : "",
                 args->options[i].spec);
        entry(out, spec, args->options[i].help);
    }
    entry(out, "-h, --help", "show this text");
    fprintf(out, "\nexample:\n  %s\n", command->example);
}
