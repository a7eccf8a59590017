#include "cli/common/layouts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/text.h"

/* --- options --------------------------------------------------------------------------------- */

static size_t count_options(void)
{
    size_t n = 0;

    for (size_t i = 0; stoa_layouts[i] != NULL; i++) {
        const stoa_layout_option *option = stoa_layouts[i]->options;
        for (; option != NULL && option->key != NULL; option++) {
            n++;
        }
    }
    return n;
}

/* Where several layouts can be the target, the help of its options says which target. */
static void declare(cli_args *args, cli_setting *setting, bool is_one_of_many)
{
    const stoa_layout_option *const option = setting->option;
    const char *const spec =
        cli_keep(args, option->value != NULL ? cli_sprintf("--%s %s", option->key, option->value)
                                             : cli_sprintf("--%s", option->key));
    const char *const help =
        option->is_of_source || !is_one_of_many
            ? option->help
            : cli_keep(args, cli_sprintf("for %s: %s", setting->layout->name, option->help));

    setting->choice = -1;
    if (option->value == NULL) {
        cli_flag(args, &setting->is_set, spec, help);
    } else if (option->choices != NULL) {
        cli_choice(args, &setting->choice, option->choices, spec, help);
    } else {
        cli_text(args, &setting->text, spec, help);
    }
}

static void declare_all(cli_args *args, cli_settings *settings, const stoa_layout *only)
{
    const size_t n = count_options();

    settings->all = cli_keep(args, cli_resize(NULL, n, sizeof *settings->all));
    memset(settings->all, 0, n * sizeof *settings->all);
    for (size_t i = 0; stoa_layouts[i] != NULL; i++) {
        const stoa_layout_option *option = stoa_layouts[i]->options;
        const bool is_wanted = only == NULL || only == stoa_layouts[i];
        for (; is_wanted && option != NULL && option->key != NULL; option++) {
            cli_setting *const setting = &settings->all[settings->n++];
            *setting = (cli_setting){.layout = stoa_layouts[i], .option = option};
            declare(args, setting, only == NULL);
        }
    }
}

void cli_settings_declare(cli_args *args, cli_settings *settings)
{
    declare_all(args, settings, NULL);
}

void cli_settings_declare_of(cli_args *args, cli_settings *settings, const stoa_layout *layout)
{
    declare_all(args, settings, layout);
}

static const char *value_of(const cli_setting *setting)
{
    return setting->option->value == NULL     ? (setting->is_set ? "" : NULL)
           : setting->option->choices == NULL ? setting->text
           : setting->choice >= 0             ? setting->option->choices[setting->choice]
                                              : NULL;
}

static bool is_given(const cli_settings *settings, const char *key)
{
    bool is = false;

    for (size_t i = 0; i < settings->n && !is; i++) {
        is = strcmp(settings->all[i].option->key, key) == 0 && value_of(&settings->all[i]) != NULL;
    }
    return is;
}

const char *cli_settings_given(cli_args *args, const cli_settings *settings)
{
    for (size_t i = 0; i < settings->n; i++) {
        if (value_of(&settings->all[i]) != NULL) {
            return cli_keep(args, cli_sprintf("--%s", settings->all[i].option->key));
        }
    }
    return NULL;
}

static bool accept(cli_args *args, const cli_settings *settings, const cli_setting *setting,
                   const stoa_layout *to)
{
    const stoa_layout_option *const option = setting->option;
    const char *const value = value_of(setting);
    uint64_t count = 0;

    if (!option->is_of_source && setting->layout != to) {
        cli_misused(args, "--%s is for --to %s", option->key, setting->layout->name);
    } else if (option->excludes != NULL && is_given(settings, option->excludes)) {
        cli_misused(args, "--%s and --%s exclude each other", option->key, option->excludes);
    } else if (option->count_of != NULL &&
               (!stoa_parse_u64(value, strlen(value), &count) || count == 0)) {
        cli_misused(args, "--%s '%s' is no number of %s", option->key, value, option->count_of);
    } else {
        return true;
    }
    return false;
}

bool cli_settings_accepted(cli_args *args, const cli_settings *settings, const stoa_layout *to,
                           stoa_layout_options *options)
{
    stoa_layout_setting *const given = cli_keep(args, cli_resize(NULL, settings->n, sizeof *given));
    size_t n = 0;

    for (size_t i = 0; i < settings->n; i++) {
        const cli_setting *const setting = &settings->all[i];
        if (value_of(setting) == NULL) {
            continue;
        }
        if (!accept(args, settings, setting, to)) {
            return false;
        }
        given[n++] = (stoa_layout_setting){setting->option->key, value_of(setting)};
    }
    options->settings = given;
    options->n_settings = n;
    return true;
}

/* --- names ----------------------------------------------------------------------------------- */

const char *cli_layout_names(cli_args *args, cli_layout_which *which)
{
    cli_texts names = {0};

    for (size_t i = 0; stoa_layouts[i] != NULL; i++) {
        if (which(stoa_layouts[i])) {
            cli_texts_add(args, &names, stoa_layouts[i]->name);
        }
    }
    return cli_keep(args, cli_join(names.items, names.n, " and "));
}

const char *cli_layouts_written(cli_args *args)
{
    return cli_keep(args, stoa_layout_list_of(NULL));
}

/* --- selection ------------------------------------------------------------------------------- */

const stoa_layout *cli_layout_of_file(const char *file)
{
    const size_t length = strlen(file);

    for (size_t i = 0; stoa_layouts[i] != NULL; i++) {
        const char *const suffix = stoa_layouts[i]->suffix;
        const size_t n = suffix != NULL ? strlen(suffix) : length;
        if (n < length && strcasecmp(file + length - n, suffix) == 0) {
            return stoa_layouts[i];
        }
    }
    return stoa_layout_home();
}

bool cli_is_home(const stoa_table *table)
{
    const stoa_layout *const layout = stoa_layout_of(table);

    return layout != NULL && layout->is_home;
}

bool cli_is_called_so(const stoa_matrix_file *matrix, const char *file)
{
    const size_t n = strlen(file);
    bool is = false;

    for (size_t i = 0; matrix->suffixes[i] != NULL && !is; i++) {
        is = n > strlen(matrix->suffixes[i]) && stoa_ends_with(file, n, matrix->suffixes[i]);
    }
    return is;
}

const stoa_layout *cli_matrix_layout(size_t i)
{
    for (size_t k = 0; stoa_layouts[k] != NULL; k++) {
        if (stoa_layouts[k]->matrix != NULL && i-- == 0) {
            return stoa_layouts[k];
        }
    }
    return NULL;
}
