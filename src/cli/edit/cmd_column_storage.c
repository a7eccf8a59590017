/* stoa column storage: change the codec or chunk length of columns (HEP001 §8.4). */
#include <stdlib.h>

#include "cli/edit/edit.h"

typedef struct request {
    cli_texts columns;
    stoa_column_options storage;
} request;

static stoa_status run(void *context, stoa_table *table, const stoa_edit_options *options,
                       uint64_t *n, stoa_error *err)
{
    request *const r = context;

    *n = 0; /* no count to report */
    for (size_t i = 0; i < r->columns.n; i++) {
        r->storage.column = r->columns.items[i];
        STOA_RETURN_NOT_OK(stoa_column_set_storage(table, &r->storage, options, err));
    }
    return STOA_OK;
}

static void say(void *context, const char *place, uint64_t n)
{
    const request *const r = context;
    char *const names = cli_list_names(&r->columns);

    (void)n;
    cli_remark("%s: %s %s rewritten", place, cli_plural(r->columns.n, "column", "columns"), names);
    free(names);
}

static int column_storage(cli_args *args)
{
    const char *text = NULL;
    const char *chunk = NULL;
    request r = {0};
    cli_edit edit = {0};
    const cli_edit_job job = {run, say, &r};

    cli_text(args, &r.storage.codec, "--codec NAME",
             "auto, none, small, scaleoffset, deflate[:1-9], zstd[:1-19], lz4 or blosc; by "
             "default as it is");
    cli_text(args, &chunk, "--chunk ROWS", "rows in a chunk, or contiguous; by default as it is");
    cli_edit_options(args, &edit);
    cli_operand(args, &text, "PLACE", CLI_PLACE_HELP);
    cli_operands(args, &r.columns, "COLUMN...", "columns to rewrite");
    if (!cli_accepted(args)) {
        return args->status;
    }
    if (r.storage.codec == NULL && chunk == NULL) {
        return cli_misused(args, "say what is to change: --codec, --chunk or both");
    }
    return cli_edit_chunk(args, chunk, &r.storage.chunk_rows) ? cli_edit_place(&edit, text, &job)
                                                              : args->status;
}

const cli_command cmd_column_storage = {
    "column storage", "rewrite columns with another codec or chunk length",
    "stoa column storage run.h5:/events energy --codec zstd --chunk 131072", column_storage};
