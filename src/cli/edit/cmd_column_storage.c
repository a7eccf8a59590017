/* stoa column storage: change the codec or chunk length of columns (HEP001 §8.4). */
#include "cli/edit/edit.h"

static stoa_status column_storage(cli_args *args, stoa_error *err)
{
    const char *chunk = NULL;
    cli_texts columns = {0};
    stoa_column_options storage = {0};
    cli_edit edit = {0};

    cli_text(args, &storage.codec, "--codec NAME",
             "auto, none, small, scaleoffset, decimal[:1-10], deflate[:1-9], zstd[:1-19], lz4 or "
             "blosc; by default as it is");
    cli_text(args, &chunk, "--chunk ROWS", "rows in a chunk, or contiguous; by default as it is");
    cli_edit_options(args, &edit);
    cli_operands(args, &columns, "COLUMN...", "columns to rewrite");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    if (storage.codec == NULL && chunk == NULL) {
        return cli_misused(args, "say what is to change: --codec, --chunk or both");
    }
    if (!cli_edit_chunk(args, chunk, &storage.chunk_rows)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_edit_open(args, &edit, err));
    for (size_t i = 0; i < columns.n; i++) {
        storage.column = columns.items[i];
        STOA_RETURN_NOT_OK(
            stoa_column_set_storage(edit.place->table, &storage, &edit.options, err));
    }
    return cli_edit_publish(&edit, err, "%s %s rewritten",
                            cli_plural(columns.n, "column", "columns"),
                            cli_list_names(args, &columns));
}

const cli_command cmd_column_storage = {
    "column storage", "rewrite columns with another codec or chunk length",
    "stoa column storage run.h5:/events energy --codec zstd --chunk 131072", column_storage};
