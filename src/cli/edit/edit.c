#include "cli/edit/edit.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/progress.h"
#include "core/text.h"

static const char *const on_index[] = {"update", "drop", NULL};

void cli_edit_place(cli_args *args, cli_edit *edit)
{
    edit->options = (stoa_edit_options)STOA_EDIT_OPTIONS_INIT;
    edit->place = args->place = cli_place_new(args);
    cli_safe_option(args, &edit->place->safe);
    cli_operand(args, &args->subject, "PLACE", CLI_ONE_PLACE_HELP);
}

void cli_edit_options(cli_args *args, cli_edit *edit)
{
    cli_choice(args, &edit->on_index, on_index, "--on-index WHAT",
               "update: bring the search indexes of changed columns along (the default); drop: "
               "delete them");
    cli_edit_place(args, edit);
    cli_progress_option(args, &edit->quiet);
}

stoa_status cli_edit_open_place(cli_edit *edit, stoa_error *err)
{
    edit->options.drop_indexes = edit->on_index == 1;
    edit->options.listener = cli_listener(edit->quiet);
    STOA_RETURN_NOT_OK(cli_place_open_file(edit->place, STOA_FILE_EDIT, err));
    return cli_place_find_table(edit->place, err);
}

stoa_status cli_edit_open(cli_args *args, cli_edit *edit, stoa_error *err)
{
    STOA_RETURN_NOT_OK(cli_place_parse(edit->place, args->subject, err));
    return cli_edit_open_place(edit, err);
}

stoa_status cli_edit_commit(cli_edit *edit, stoa_error *err)
{
    cli_progress_clear();
    return cli_place_commit(edit->place, false, err);
}

stoa_status cli_edit_publish(cli_edit *edit, stoa_error *err, const char *format, ...)
{
    va_list values;

    STOA_RETURN_NOT_OK(cli_edit_commit(edit, err));
    va_start(values, format);
    char *const text = cli_vsprintf(format, values);
    va_end(values);
    cli_remark("%s: %s", edit->place->name, text);
    free(text);
    return STOA_OK;
}

bool cli_edit_count(cli_args *args, const char *what, const char *text, uint64_t *n)
{
    if (stoa_parse_u64(text, strlen(text), n)) {
        return true;
    }
    cli_misused(args, "%s is a number of rows, not '%s'", what, text);
    return false;
}

bool cli_edit_chunk(cli_args *args, const char *text, uint64_t *rows)
{
    if (text == NULL) {
        return true;
    }
    if (strcmp(text, "contiguous") == 0) {
        *rows = STOA_CONTIGUOUS;
        return true;
    }
    if (!stoa_parse_u64(text, strlen(text), rows) || *rows == 0 || *rows > UINT32_MAX) {
        cli_misused(args, "--chunk '%s': give a number of rows below 2^32, or contiguous", text);
        return false;
    }
    return true;
}

const char *cli_list_names(cli_args *args, const cli_texts *names)
{
    return cli_keep(args, cli_join(names->items, names->n, " and "));
}
