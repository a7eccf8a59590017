/* Declares and parses options. The usage text is written by usage.c. */
#include "cli/common/args.h"

#include <stdarg.h>
#include <stdlib.h>
#include <stoa/file.h>
#include <string.h>

#include "cli/common/interrupt.h"
#include "cli/common/pager.h"
#include "cli/common/progress.h"
#include "cli/common/usage.h"
#include "core/nearest_name.h"
#include "core/text.h"

/* Declarations ------------------------------------------------------------------------------- */

static cli_option *declare(cli_args *args, const char *spec, const char *help)
{
    cli_option *const option = &args->options[args->n_options];
    const char *const name = strstr(spec, "--");

    if (args->n_options == CLI_MAX_OPTIONS || name == NULL) {
        abort(); /* a bug in this program, which every test would hit */
    }
    args->n_options++;
    *option = (cli_option){.spec = spec, .help = help, .name = name + 2};
    option->name_length = strcspn(option->name, " ");
    option->letter = (char)(spec[1] != '-' ? spec[1] : 0);
    if (option->name[option->name_length] == ' ') {
        option->value = option->name + option->name_length + 1;
    }
    return option;
}

void cli_flag(cli_args *args, bool *to, const char *spec, const char *help)
{
    declare(args, spec, help)->flag = to;
}

void cli_text(cli_args *args, const char **to, const char *spec, const char *help)
{
    declare(args, spec, help)->text = to;
}

void cli_list(cli_args *args, cli_texts *to, const char *spec, const char *help)
{
    declare(args, spec, help)->list = to;
}

void cli_number(cli_args *args, uint64_t *to, const char *spec, const char *help)
{
    declare(args, spec, help)->number = to;
}

void cli_choice(cli_args *args, int *to, const char *const *choices, const char *spec,
                const char *help)
{
    cli_option *const option = declare(args, spec, help);

    option->choice = to;
    option->choices = choices;
}

static cli_operand_slot *declare_operand(cli_args *args, const char *name, const char *help)
{
    cli_operand_slot *const operand = &args->operands[args->n_operands];

    if (args->n_operands == CLI_MAX_OPERANDS) {
        abort();
    }
    args->n_operands++;
    *operand = (cli_operand_slot){.name = name, .help = help};
    return operand;
}

void cli_operand(cli_args *args, const char **to, const char *name, const char *help)
{
    declare_operand(args, name, help)->text = to;
}

void cli_operands(cli_args *args, cli_texts *to, const char *name, const char *help)
{
    declare_operand(args, name, help)->list = to;
}

/* Messages ----------------------------------------------------------------------------------- */

stoa_status cli_misused(cli_args *args, const char *format, ...)
{
    char text[1024];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    cli_complain("%s: %s%s see 'stoa %s --help'", args->command->name, text,
                 text[0] != '\0' && text[strlen(text) - 1] == '?' ? "" : ";", args->command->name);
    args->status = CLI_USAGE;
    return STOA_OK;
}

const char *cli_nearest(const char *name, size_t length, const char *const *names, size_t n)
{
    stoa_nearest_name nearest = stoa_nearest_name_to(name, length, length < 4 ? 2 : 3);

    for (size_t i = 0; i < n; i++) {
        const size_t other = strcspn(names[i], " ");

        if (length >= 3 && length < other && strncmp(names[i], name, length) == 0) {
            return names[i]; /* an abbreviation */
        }
        stoa_nearest_name_try(&nearest, names[i], other);
    }
    return nearest.found;
}

static bool unknown_option(cli_args *args, const char *word, const char *name, size_t length)
{
    const char *names[CLI_MAX_OPTIONS + 1] = {"help"};
    const char *nearest;

    for (size_t i = 0; i < args->n_options; i++) {
        names[i + 1] = args->options[i].name;
    }
    nearest = cli_nearest(name, length, names, args->n_options + 1);
    if (nearest != NULL) {
        cli_misused(args, "unknown option '%s'; did you mean '--%.*s'?", word,
                    (int)strcspn(nearest, " "), nearest);
    } else {
        cli_misused(args, "unknown option '%s'", word);
    }
    return false;
}

/* Parsing ------------------------------------------------------------------------------------ */

static bool parse_choice(cli_args *args, const cli_option *option, const char *value)
{
    size_t n = 0;

    for (; option->choices[n] != NULL; n++) {
        if (strcmp(option->choices[n], value) == 0) {
            *option->choice = (int)n;
            return true;
        }
    }
    char *const all = cli_join(option->choices, n, ", ");
    cli_misused(args, "'%s' is none of %s (--%.*s)", value, all, (int)option->name_length,
                option->name);
    free(all);
    return false;
}

static bool parse_value(cli_args *args, const cli_option *option, const char *value)
{
    if (option->choice != NULL) {
        return parse_choice(args, option, value);
    }
    if (option->number != NULL && !stoa_parse_u64(value, strlen(value), option->number)) {
        cli_misused(args, "'%s' is no whole number of 0 or more (--%.*s)", value,
                    (int)option->name_length, option->name);
        return false;
    }
    if (option->text != NULL) {
        *option->text = value;
    }
    if (option->list != NULL) {
        cli_texts_add(args, option->list, value);
    }
    return true;
}

/* Parse one option in words[*at]; `attached` is its value if both are in the same word. */
static bool parse_option(cli_args *args, const cli_option *option, const char *attached, size_t *at)
{
    if (option->value == NULL) {
        if (attached != NULL) {
            cli_misused(args, "--%s takes no value, but '%s' was given", option->name, attached);
            return false;
        }
        *option->flag = true;
        return true;
    }
    if (attached == NULL) {
        if (*at + 1 >= args->argc) {
            cli_misused(args, "'%s' needs a value: %s", args->argv[*at], option->spec);
            return false;
        }
        attached = args->argv[++*at];
    }
    return parse_value(args, option, attached);
}

static bool parse_long(cli_args *args, size_t *at)
{
    const char *const word = args->argv[*at];
    const char *const name = word + 2;
    const size_t length = strcspn(name, "=");
    const char *const attached = name[length] == '=' ? name + length + 1 : NULL;

    for (size_t i = 0; i < args->n_options; i++) {
        const cli_option *const option = &args->options[i];

        if (option->name_length == length && strncmp(option->name, name, length) == 0) {
            return parse_option(args, option, attached, at);
        }
    }
    return unknown_option(args, word, name, length);
}

static bool parse_letters(cli_args *args, size_t *at)
{
    const char *const word = args->argv[*at];

    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        const cli_option *option = NULL;

        for (size_t i = 0; i < args->n_options && option == NULL; i++) {
            option = args->options[i].letter == *letter ? &args->options[i] : NULL;
        }
        if (option == NULL) {
            return unknown_option(args, word, word + 1, strlen(word + 1));
        }
        if (option->value != NULL) {
            return parse_option(args, option, letter[1] != '\0' ? letter + 1 : NULL, at);
        }
        *option->flag = true;
    }
    return true;
}

static bool parse_operand(cli_args *args, const char *word, size_t *n_taken)
{
    const size_t i = *n_taken < args->n_operands ? *n_taken : args->n_operands - 1;

    if (args->n_operands == 0 || (*n_taken >= args->n_operands && args->operands[i].list == NULL)) {
        cli_misused(args, "'%s' is one word too many", word);
        return false;
    }
    if (args->operands[i].list != NULL) {
        cli_texts_add(args, args->operands[i].list, word);
    } else {
        *args->operands[i].text = word;
    }
    (*n_taken)++;
    return true;
}

void cli_progress_option(cli_args *args, bool *quiet)
{
    cli_flag(args, quiet, "--no-progress", "no progress bar (there is none outside a terminal)");
}

/* The patience of every command, since files are shared with other processes. */
static void tell(void *context, const char *file, const char *holder)
{
    (void)context;
    cli_pager_release();
    cli_remark("%s: waits for %s", file, holder);
}

static bool stop(void *context)
{
    (void)context;
    return cli_interrupted() != 0;
}

/* Set by --wait and --no-wait. */
static stoa_file_patience patience = {sizeof patience, 60, tell, stop, NULL};

const stoa_file_patience *cli_patience(void)
{
    return &patience;
}

static bool is_unpaged; /* --no-pager */

static bool parse_all(cli_args *args)
{
    size_t n_taken = 0;
    bool ended = false;

    for (size_t at = 0; at < args->argc; at++) {
        const char *const word = args->argv[at];
        bool fine;

        if (!ended && strcmp(word, "--") == 0) {
            ended = true;
            continue;
        }
        if (!ended && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            cli_pager_allow(!is_unpaged);
            cli_usage(args, stdout);
            args->status = CLI_DONE;
            return false;
        }
        if (!ended && word[0] == '-' && word[1] == '-') {
            fine = parse_long(args, &at);
        } else if (!ended && word[0] == '-' && word[1] != '\0') {
            fine = parse_letters(args, &at);
        } else {
            fine = parse_operand(args, word, &n_taken);
        }
        if (!fine) {
            return false;
        }
    }
    if (n_taken < args->n_operands && args->operands[n_taken].name[0] != '[') {
        cli_misused(args, "%s is missing: %s", args->operands[n_taken].name,
                    args->operands[n_taken].help);
        return false;
    }
    return true;
}

bool cli_accepted(cli_args *args)
{
    uint64_t seconds = 60;
    bool hurries = false;
    bool is_quiet = false;

    cli_number(args, &seconds, "--wait SECONDS",
               "how long to wait for a file that other programs have open (default 60)");
    cli_flag(args, &hurries, "--no-wait", "do not wait: fail at once");
    cli_flag(args, &is_quiet, "--quiet",
             "print errors alone on stderr, no remarks and no progress");
    is_unpaged = false;
    cli_flag(args, &is_unpaged, "--no-pager",
             "on a terminal, show long output without a pager ($STOA_PAGER, $PAGER or less)");
    if (args->describe != NULL) {
        patience.seconds = 0; /* completion does not wait, either */
        args->describe(args, args->context);
        return false;
    }
    if (!parse_all(args)) {
        return false;
    }
    cli_pager_allow(!is_unpaged);
    if (!cli_begin_hdf5()) {
        args->status = CLI_FAILED;
        return false;
    }
    cli_be_quiet(is_quiet);
    patience.seconds = hurries ? 0 : (double)seconds;
    return true;
}

/* Memory ------------------------------------------------------------------------------------- */

void *cli_keep(cli_args *args, void *block)
{
    args->kept = cli_one_more(args->kept, args->n_kept, sizeof *args->kept);
    args->kept[args->n_kept++] = block;
    return block;
}

const char *cli_kept(cli_args *args, const char *text)
{
    return text != NULL ? cli_keep(args, cli_copy(text)) : NULL;
}

void cli_texts_add(cli_args *args, cli_texts *texts, const char *text)
{
    /* Double the capacity at powers of two, by copying, so that all memory belongs to the args. */
    if ((texts->n & (texts->n - 1)) == 0) {
        const size_t n = texts->n == 0 ? 1 : 2 * texts->n;
        const char **const items = cli_keep(args, cli_resize(NULL, n, sizeof *items));
        if (texts->n > 0) {
            memcpy(items, texts->items, texts->n * sizeof *items);
        }
        texts->items = items;
    }
    texts->items[texts->n++] = text;
}

/* Sizes -------------------------------------------------------------------------------------- */

static bool parse_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMG";
    const size_t length = strlen(text);
    const char *unit = length > 0 ? strchr(units, text[length - 1]) : NULL;
    const unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;

    if (!stoa_parse_u64(text, unit != NULL ? length - 1 : length, bytes) ||
        *bytes > UINT64_MAX >> shift) {
        return false;
    }
    *bytes <<= shift;
    return true;
}

bool cli_accepted_memory(cli_args *args, const char *text, uint64_t *bytes)
{
    if (text == NULL || parse_size(text, bytes)) {
        return true;
    }
    cli_misused(args, "--memory wants a size, as 512M, not '%s'", text);
    return false;
}
