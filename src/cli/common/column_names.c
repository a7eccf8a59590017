/* Column names on the command line: comma-separated lists, `=` pairs, and quoted names. */
#include <stdlib.h>
#include <string.h>

#include "cli/common/args.h"

/* The end of the part that starts at `text`: the first `separator` outside double quotes. */
static const char *piece_end(const char *text, char separator)
{
    bool quoted = false;

    while (*text != '\0' && (quoted || *text != separator)) {
        quoted = quoted != (*text == '"');
        text++;
    }
    return text;
}

/* A new copy without surrounding spaces, and without quotes if it is quoted. */
static char *unquoted(const char *text, size_t length)
{
    char *name;
    size_t n = 0;

    while (length > 0 && *text == ' ') {
        text++;
        length--;
    }
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    name = cli_resize(NULL, length + 1, 1);
    if (length >= 2 && text[0] == '"' && text[length - 1] == '"') {
        for (size_t i = 1; i + 1 < length; i++) {
            i += text[i] == '"' && i + 2 < length && text[i + 1] == '"';
            name[n++] = text[i];
        }
    } else {
        memcpy(name, text, length);
        n = length;
    }
    name[n] = '\0';
    return name;
}

void cli_split_names_of(cli_args *args, const char *from, cli_texts *to)
{
    for (;;) {
        const char *const end = piece_end(from, ',');

        cli_texts_add(args, to, cli_keep(args, unquoted(from, (size_t)(end - from))));
        if (*end == '\0') {
            return;
        }
        from = end + 1;
    }
}

void cli_split_names(cli_args *args, const cli_texts *from, cli_texts *to)
{
    for (size_t i = 0; i < from->n; i++) {
        cli_split_names_of(args, from->items[i], to);
    }
}

const char *cli_cut(cli_args *args, const char *text, char separator, const char **rest)
{
    const char *const end = piece_end(text, separator);

    *rest = *end == '\0' ? NULL : end + 1;
    return cli_keep(args, unquoted(text, (size_t)(end - text)));
}

const char *cli_cut_piece(cli_args *args, const char *text, char separator, const char **rest)
{
    const char *const end = piece_end(text, separator);

    *rest = *end == '\0' ? NULL : end + 1;
    return cli_keep(args, cli_sprintf("%.*s", (int)(end - text), text));
}

char *cli_quoted(const char *name)
{
    char *const quoted = cli_resize(NULL, 2 * strlen(name) + 3, 1);
    size_t n = 0;

    quoted[n++] = '"';
    for (; *name != '\0'; name++) {
        quoted[n++] = *name;
        if (*name == '"') {
            quoted[n++] = '"';
        }
    }
    quoted[n++] = '"';
    quoted[n] = '\0';
    return quoted;
}
