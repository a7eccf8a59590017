#include "cli/edit/edit.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/progress.h"
#include "core/text.h"

static const char *const on_index[] = {"update", "drop", NULL};

void cli_edit_options(cli_args *args, cli_edit *edit)
{
    cli_choice(args, &edit->on_index, on_index, "--on-index WHAT",
               "update: bring the search indexes of changed columns along (the default); drop: "
               "delete them");
    cli_safe_option(args, &edit->safe);
    cli_progress_option(args, &edit->quiet);
}

void cli_edit_begin(cli_edit *edit)
{
    edit->options = (stoa_edit_options)STOA_EDIT_OPTIONS_INIT;
    edit->options.drop_indexes = edit->on_index == 1;
    edit->options.listener = cli_listener(edit->quiet);
}

int cli_edit_place(cli_edit *edit, const char *text, const cli_edit_job *job)
{
    cli_place place = {.safe = edit->safe};
    uint64_t n = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;
    int exit_status;

    cli_edit_begin(edit);
    STOA_TRY(cli_place_open_table(&place, text, STOA_FILE_EDIT, &err));
    STOA_TRY(job->run(job->context, place.table, &edit->options, &n, &err));
    cli_progress_clear();
    /* Indexes that were trusted remain trusted: the edit has updated them. */
    STOA_TRY(cli_place_commit(&place, false, &err));
    job->say(job->context, place.name, n);
done:
    exit_status =
        status == STOA_OK ? CLI_DONE : cli_fail(place.name != NULL ? place.name : text, &err);
    cli_place_close(&place);
    return exit_status;
}

bool cli_edit_count(cli_args *args, const char *what, const char *text, uint64_t *n)
{
    if (stoa_parse_u64(text, strlen(text), n)) {
        return true;
    }
    args->status = cli_misused(args, "%s is a number of rows, not '%s'", what, text);
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

char *cli_list_names(const cli_texts *names)
{
    char *all = cli_copy("");

    for (size_t i = 0; i < names->n; i++) {
        const char *const between = i == 0 ? "" : (i + 1 < names->n ? ", " : " and ");
        char *const longer = cli_sprintf("%s%s%s", all, between, names->items[i]);
        free(all);
        all = longer;
    }
    return all;
}
