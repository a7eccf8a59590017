#include "cli/edit/edit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/progress.h"
#include "core/text.h"
#include "hdf/copy/repack.h"
#include "sparse/tools/relayout.h"

/* Less is not worth the time. */
#define LEAST_UNUSED (UINT64_C(1) << 20)

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

/* 0 for a file with several names: what is written anew takes only one of them. */
static uint64_t size_of(const char *file)
{
    struct stat about;

    return stat(file, &about) == 0 && about.st_nlink == 1 ? (uint64_t)about.st_size : 0;
}

void cli_edit_rewrites(cli_args *args, cli_edit *edit)
{
    cli_flag(args, &edit->keeps_space, "--no-repack",
             "leave the space of the old rows in the file; by default a file that has grown is "
             "written anew once a tenth of it is unused");
    cli_edit_options(args, edit);
    edit->rewrites = true;
}

stoa_status cli_edit_open_place(cli_edit *edit, stoa_error *err)
{
    edit->options.drop_indexes = edit->on_index == 1;
    edit->options.listener = cli_listener(edit->quiet);
    STOA_RETURN_NOT_OK(cli_place_open_file(edit->place, STOA_FILE_EDIT, err));
    edit->size_before = size_of(edit->place->place.file);
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

/* Whether the edit has made the file longer, and that is a tenth longer than what it holds. Objects
 * are counted only after an edit that shows in the size. */
static bool is_wasteful(const cli_edit *edit)
{
    const char *const name = edit->place->place.file;
    const uint64_t size = size_of(name);
    const uint64_t grown = size > edit->size_before ? size - edit->size_before : 0;
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    uint64_t unused = 0;
    bool is_known = false;

    if (!edit->rewrites || edit->keeps_space || edit->size_before == 0 || grown <= size / 1024) {
        return false;
    }
    if (stoa_file_open(name, STOA_FILE_READ, &file, &ignored) != STOA_OK ||
        stoa_hdf_unused(stoa_file_id(file), &unused, &is_known, &ignored) != STOA_OK || !is_known) {
        unused = grown;
    }
    stoa_file_close(file);
    return unused > LEAST_UNUSED && unused > size / 11;
}

/* Give the unused space back. The edit is done, so that a failure is only told. */
static void reclaim(cli_edit *edit)
{
    const char *const file = edit->place->place.file;
    stoa_relayouts none = {.file = file};
    const stoa_other_storage storage = stoa_relayout_storage(&none);
    stoa_error err = STOA_ERROR_INIT;

    if (cli_place_repack(edit->place, file, &storage, &edit->options.listener, &err) != STOA_OK) {
        cli_remark("%s: its unused space stays in the file: %s", file, err.message);
    } else {
        cli_remark("%s: written anew, without the space of the old rows", file);
    }
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
    if (is_wasteful(edit)) {
        reclaim(edit);
    }
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
