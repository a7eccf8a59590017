#include "cli/help/complete.h"

#include <stdlib.h>
#include <stoa/version.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/args.h"
#include "cli/common/index_kinds.h"
#include "cli/help/candidates.h"
#include "cli/help/commands.h"
#include "core/text.h"

enum { SECONDS = 2 };

typedef struct line {
    const cli_command *const *commands;
    char **words; /* behind the command's name */
    size_t n;
    size_t at; /* of the word that is completed */
    cli_candidates c;
} line;

/* --- values ---------------------------------------------------------------------------------- */

/* Begin at what is behind the last `separator` outside double quotes. */
static bool begin_behind(cli_candidates *c, char separator)
{
    const char *behind = NULL;
    bool is_quoted = false;

    for (const char *at = c->word + c->n_before; *at != '\0'; at++) {
        is_quoted = is_quoted != (*at == '"');
        behind = *at == separator && !is_quoted ? at + 1 : behind;
    }
    if (behind != NULL) {
        c->n_before = (size_t)(behind - c->word);
    }
    return behind != NULL;
}

/* Lists of columns, as "A,B", "A[:desc],B" and "A[:KIND],B". */
static void complete_list(cli_candidates *c, const char *value)
{
    static const char *const directions[] = {"asc", "desc", NULL};

    c->goes_on = true;
    (void)begin_behind(c, ',');
    if (strchr(value, ':') == NULL || !begin_behind(c, ':')) {
        cli_candidates_of_columns(c, "");
    } else {
        cli_candidates_of_list(c, strstr(value, "KIND") != NULL ? cli_index_kinds : directions);
    }
}

/* Pairs, as "COL=TYPE" and "[COL=]NAME". */
static void complete_pair(cli_candidates *c, const cli_option *option)
{
    const char *const value = strchr(option->value, '=') + 1;
    const bool has_column = begin_behind(c, '=');
    const bool is_expression = stoa_starts_with(option->name, "set ");

    if (has_column && is_expression) {
        cli_candidates_of_expression(c, false);
    } else if (has_column && strcmp(value, "TYPE") == 0) {
        cli_candidates_of_call(c, stoa_csv_type_name);
    } else if (!has_column) {
        c->goes_on = true;
        cli_candidates_of_columns(c, "=");
    }
}

/* What an option takes says its spec, "--by A,B": the words are those that docs/cli.md uses. */
static void complete_value(cli_candidates *c, const cli_option *option)
{
    const char *const value = option->value;
    const bool has_aggregates =
        stoa_starts_with(option->name, "aggregate ") || stoa_starts_with(option->name, "having ");

    if (option->choices != NULL) {
        cli_candidates_of_list(c, option->choices);
    } else if (strcmp(value, "EXPR") == 0 || strcmp(value, "LIST") == 0) {
        cli_candidates_of_expression(c, has_aggregates);
    } else if (stoa_starts_with(option->name, "codec ")) {
        if (value[0] == '[') {
            complete_pair(c, option);
        }
        cli_candidates_of_call(c, stoa_codec_name);
    } else if (stoa_starts_with(value, "A,") || stoa_starts_with(value, "A[")) {
        complete_list(c, value);
    } else if (strchr(value, '=') != NULL) {
        complete_pair(c, option);
    } else if (stoa_starts_with(value, "COL")) {
        cli_candidates_of_columns(c, "");
    } else if (strcmp(value, "LAYOUT") == 0) {
        cli_candidates_of_call(c, stoa_layout_name);
    } else if (stoa_starts_with(value, "PLACE")) {
        cli_candidates_of_place(c);
    } else {
        c->takes_files = strcmp(value, "FILE") == 0;
    }
}

/* --- options and operands -------------------------------------------------------------------- */

static void complete_option(line *l, const cli_args *args)
{
    for (size_t i = 0; i < args->n_options; i++) {
        const cli_option *const option = &args->options[i];
        char *const word = cli_sprintf("--%.*s", (int)option->name_length, option->name);

        cli_candidate(&l->c, word, option->help);
        free(word);
    }
    cli_candidate(&l->c, "--help", "show this command's options");
}

static const cli_option *find_option(const cli_args *args, const char *word, size_t length)
{
    for (size_t i = 0; i < args->n_options; i++) {
        const cli_option *const option = &args->options[i];

        if (word[1] != '-' ? option->letter == word[1]
                           : option->name_length == length - 2 &&
                                 strncmp(option->name, word + 2, length - 2) == 0) {
            return option;
        }
    }
    return NULL;
}

/* The option whose value is in the same word, which begins at *n_before; NULL if there is none. */
static const cli_option *attached_option(const cli_args *args, const char *word, size_t *n_before)
{
    const bool is_long = word[0] == '-' && word[1] == '-';
    const size_t length = is_long ? strcspn(word, "=") : 2;
    const cli_option *option = NULL;

    if (word[0] == '-' && word[1] != '\0' && strlen(word) > length) {
        option = find_option(args, word, length);
        *n_before = is_long ? length + 1 : length;
    }
    return option != NULL && option->value != NULL ? option : NULL;
}

/* Whether the option in a word has its value in the next one. */
static const cli_option *option_before(const cli_args *args, const char *word)
{
    const cli_option *option = NULL;
    size_t ignored = 0;

    if (word[0] == '-' && word[1] != '\0' && attached_option(args, word, &ignored) == NULL) {
        option = find_option(args, word, strlen(word));
    }
    return option != NULL && option->value != NULL ? option : NULL;
}

static void complete_operand(line *l, const cli_args *args, size_t i)
{
    const cli_operand_slot *const slot =
        args->n_operands > 0 ? &args->operands[i < args->n_operands ? i : args->n_operands - 1]
                             : NULL;
    const char *const name = slot != NULL ? slot->name + (slot->name[0] == '[') : "";

    if (slot == NULL || (i >= args->n_operands && slot->list == NULL)) {
        return;
    }
    if (stoa_starts_with(name, "COLUMN")) {
        cli_candidates_of_columns(&l->c, "");
    } else if (stoa_starts_with(name, "FUNCTION")) {
        cli_candidates_of_functions(&l->c, true, "");
    } else if (!stoa_starts_with(name, "NAME") && strcmp(name, "N") != 0 &&
               !stoa_starts_with(name, "SQL") && !stoa_starts_with(name, "ID")) {
        cli_candidates_of_place(&l->c);
    }
}

static void complete_word(const cli_args *args, void *context)
{
    line *const l = context;
    const cli_option *before = NULL; /* whose value the next word is */
    const cli_option *wanted = NULL;
    cli_texts operands = {0};
    size_t n_operands = 0; /* before the word */
    bool ended = false;    /* by "--" */
    bool is_operand = false;
    cli_args own = {.command = args->command};

    for (size_t i = 0; i < l->n || i <= l->at; i++) {
        const char *const word = i < l->n ? l->words[i] : "";

        if (i == l->at) {
            n_operands = operands.n;
            wanted = before;
            is_operand = ended;
            before = NULL;
        } else if (before != NULL) {
            before = NULL;
        } else if (!ended && strcmp(word, "--") == 0) {
            ended = true;
        } else if (!ended && word[0] == '-' && word[1] != '\0') {
            before = option_before(args, word);
        } else {
            cli_texts_add(&own, &operands, word);
        }
    }
    l->c.args = &operands;
    if (wanted == NULL && !is_operand) {
        wanted = attached_option(args, l->c.word, &l->c.n_before);
    }
    if (wanted != NULL) {
        complete_value(&l->c, wanted);
    } else if (!is_operand && l->c.word[0] == '-') {
        complete_option(l, args);
    } else {
        complete_operand(l, args, n_operands);
    }
    for (size_t i = 0; i < own.n_kept; i++) {
        free(own.kept[i]);
    }
    free(own.kept);
}

/* --- commands -------------------------------------------------------------------------------- */

/* The words of commands, or the second ones of a family. */
static void complete_command(line *l, const char *family)
{
    const size_t length = family != NULL ? strlen(family) : 0;
    const char *last = "";

    for (size_t i = 0; l->commands[i] != NULL; i++) {
        const char *const name = l->commands[i]->name;
        const size_t first = strcspn(name, " ");
        char *word = NULL;

        if (family != NULL && first == length && strncmp(name, family, length) == 0) {
            word = cli_copy(name + first + (name[first] == ' '));
        } else if (family == NULL && (strncmp(name, last, first) != 0 || last[first] != ' ')) {
            word = cli_sprintf("%.*s", (int)first, name);
            last = name;
        }
        if (word != NULL) {
            cli_candidate(&l->c, word, l->commands[i]->summary);
        }
        free(word);
    }
    if (family == NULL) {
        cli_candidate(&l->c, "help", "show the commands, or the options of one");
        cli_candidate(&l->c, "--help", "show the commands");
        cli_candidate(&l->c, "--version", "show the versions of Stoa and HDF5");
    }
}

int cli_complete(const cli_command *const *commands, char **words, size_t n)
{
    static char nothing[] = "";
    uint64_t at = 0;
    size_t n_words = 0;

    if (n < 1 || !stoa_parse_u64(words[0], strlen(words[0]), &at) || at > n - 1) {
        return CLI_USAGE;
    }
    (void)alarm(SECONDS); /* a file may lie on a disk that does not answer */
    words++;
    n--;
    line l = {commands, words, n, (size_t)at, {.word = at < n ? words[at] : nothing}};
    if (n > 1 && at > 0 && strcmp(words[0], "help") == 0) {
        l.words++;
        l.n--;
        l.at--;
    }
    const cli_command *const command = cli_find_command(commands, l.words, l.n, &n_words);
    if (command != NULL && l.at >= n_words && l.words == words) {
        l.words += n_words;
        l.n -= n_words;
        l.at -= n_words;
        cli_run_described(command, complete_word, &l);
    } else if (l.at == 0) {
        complete_command(&l, NULL);
        l.c.takes_files = l.words == words && l.c.n == 0;
    } else if (l.at == 1 && cli_is_family(commands, l.words[0])) {
        complete_command(&l, l.words[0]);
    }
    printf("\t%s%s%s\n", l.c.takes_files ? "files" : "", l.c.takes_files && l.c.goes_on ? " " : "",
           l.c.goes_on ? "nospace" : "");
    return CLI_DONE;
}
