/* Copies and moves tables. */
#include "cli/transfer/transfer.h"

#include <stdlib.h>

#include "cli/common/place.h"
#include "cli/common/progress.h"

typedef struct transfer {
    bool moves;
    bool is_same_file;
    bool was_trusted;
    cli_place *from;
    cli_place *to; /* not opened if its file is that of `from` */
    stoa_edit_options options;
} transfer;

/* Both places are in one file: one edit. */
static stoa_status within_file(transfer *t, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *const old = cli_copy(t->from->place.path);

    if (t->moves) {
        STOA_TRY(stoa_table_move(t->from->table, t->to->place.path, err));
        cli_place_set_path(t->from, stoa_table_path(t->from->table));
    } else {
        STOA_TRY(stoa_table_copy(t->from->table, stoa_file_id(t->from->file), t->to->place.path,
                                 &t->options, err));
    }
    STOA_TRY(cli_place_move_trust(t->from, t->moves ? old : NULL,
                                  t->was_trusted ? t->to->place.path : NULL, err));
    cli_progress_clear();
    STOA_TRY(cli_place_commit(t->from, false, err));
done:
    free(old);
    return status;
}

/* To another file, which is published first. If the process is killed in between, the table exists
 * twice. */
static stoa_status between_files(transfer *t, stoa_error *err)
{
    STOA_RETURN_NOT_OK(cli_place_open_target(t->to, err));
    STOA_RETURN_NOT_OK(stoa_table_copy(t->from->table, stoa_file_id(t->to->file), t->to->place.path,
                                       &t->options, err));
    cli_progress_clear();
    if (t->moves) { /* in a transaction of its own: if it cannot be removed, nothing is published */
        stoa_table_close(t->from->table);
        t->from->table = NULL;
        STOA_RETURN_NOT_OK(
            stoa_table_remove(stoa_file_id(t->from->file), t->from->place.path, err));
    }
    STOA_RETURN_NOT_OK(
        cli_place_move_trust(t->to, NULL, t->was_trusted ? t->to->place.path : NULL, err));
    STOA_RETURN_NOT_OK(cli_place_commit(t->to, false, err));
    if (t->moves) {
        STOA_RETURN_NOT_OK(cli_place_move_trust(t->from, t->from->place.path, NULL, err));
        STOA_RETURN_NOT_OK(cli_place_commit(t->from, false, err));
    }
    return STOA_OK;
}

static stoa_status open_source(transfer *t, stoa_error *err)
{
    t->from->is_whole = true;
    t->is_same_file = cli_is_same_file(t->from->place.file, t->to->place.file);
    STOA_RETURN_NOT_OK(cli_place_open_file(
        t->from, t->moves || t->is_same_file ? STOA_FILE_EDIT : STOA_FILE_READ, err));
    STOA_RETURN_NOT_OK(cli_place_find_table(t->from, err));
    t->was_trusted = t->moves || t->is_same_file ? cli_place_was_trusted(t->from)
                                                 : cli_place_is_trusted(t->from);
    if (t->to->place.path == NULL) {
        cli_place_set_path(t->to, t->from->place.path);
    }
    return STOA_OK;
}

stoa_status cli_transfer(cli_args *args, bool moves, stoa_error *err)
{
    const char *from = NULL;
    bool quiet = false;
    transfer t = {.moves = moves, .from = cli_place_new(args), .to = cli_place_new(args)};

    cli_follow_option(args, &t.from->follows);
    cli_safe_option(args, &t.to->safe);
    cli_progress_option(args, &quiet);
    cli_operand(args, &from, "SOURCE", CLI_ONE_PLACE_HELP);
    cli_operand(args, &args->subject, "TARGET",
                "FILE[:PATH], in the same file or another, which is made if it is not there; the "
                "path is the source's if left out");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    t.from->safe = t.to->safe;
    t.options = (stoa_edit_options)STOA_EDIT_OPTIONS_INIT;
    t.options.listener = cli_listener(quiet);
    STOA_RETURN_NOT_OK(cli_place_parse(t.to, args->subject, err));
    STOA_RETURN_NOT_OK(cli_place_parse(t.from, from, err));
    const bool is_sparse = cli_is_sparse_array(t.from);
    STOA_RETURN_NOT_OK(is_sparse ? STOA_OK : open_source(&t, err));
    const char *const source = cli_kept(args, t.from->name);
    STOA_RETURN_NOT_OK(is_sparse        ? cli_transfer_sparse(t.from, t.to, moves, err)
                       : t.is_same_file ? within_file(&t, err)
                                        : between_files(&t, err));
    cli_remark("%s: %s to %s", source, moves ? "moved" : "copied", t.to->name);
    return STOA_OK;
}
