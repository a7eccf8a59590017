/* stoa repack: reclaim unused space, and change the storage of datasets (sparse RFC §4.6). */
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/common/place.h"
#include "cli/common/progress.h"
#include "cli/transfer/relayout.h"
#include "hdf/copy/portable.h"
#include "sparse/format/filter.h"

static uint64_t size_of(const char *file)
{
    struct stat about;

    return stat(file, &about) == 0 ? (uint64_t)about.st_size : 0;
}

/* Repack one table: remove its reserved rows. */
static stoa_status repack_table(cli_place *place, const stoa_edit_options *options, stoa_error *err)
{
    STOA_RETURN_NOT_OK(cli_place_open_file(place, STOA_FILE_EDIT, err));
    STOA_RETURN_NOT_OK(cli_place_find_table(place, err));
    STOA_RETURN_NOT_OK(stoa_table_repack(place->table, options, err));
    cli_progress_clear();
    STOA_RETURN_NOT_OK(cli_place_commit(place, false, err));
    cli_remark("%s: its reserved rows are given up; 'stoa repack %s' makes the file smaller",
               place->name, place->place.file);
    return STOA_OK;
}

static void tell_sizes(const char *file, uint64_t before, uint64_t after)
{
    char old[16];
    char made[16];

    cli_human_bytes(before, old);
    cli_human_bytes(after, made);
    cli_remark("%s: %llu bytes, %llu before (%s, %s before)", file, (unsigned long long)after,
               (unsigned long long)before, made, old);
}

/* Repack a whole file, in place or to a new file. */
static stoa_status repack_file(cli_place *place, const char *to, cli_relayout *relayout,
                               const stoa_edit_options *options, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *const from = place->place.file;
    const uint64_t before = size_of(from);
    stoa_portable portable = {.inner = stoa_relayout_storage(&relayout->all),
                              .stays = stoa_list_is_structured};
    const stoa_other_storage other =
        options->portable ? stoa_portable_storage(&portable) : portable.inner;

    STOA_TRY(cli_place_open_file(place, STOA_FILE_READ, err));
    relayout->all.file = from;
    relayout->all.listener = &options->listener;
    STOA_TRY(cli_relayout_resolve(relayout, stoa_file_id(place->file), err));
    stoa_file_close(place->file);
    place->file = NULL;
    STOA_TRY(cli_place_repack(place, to, &other, &options->listener, err));
    tell_sizes(to, before, size_of(to));

done:
    stoa_portable_clear(&portable);
    return status;
}

static stoa_status run(cli_args *args, const char *to, bool quiet, bool portable,
                       cli_relayout *relayout, stoa_error *err)
{
    cli_place *const place = args->place;
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;

    if (cli_relayout_is_wanted(relayout) && !cli_relayout_accepted(args, relayout)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(cli_place_parse(place, args->subject, err));
    if (place->place.path != NULL && portable) {
        return cli_misused(args, "--portable is of a whole file, which is written anew; leave out "
                                 "the path");
    }
    if (place->place.path != NULL && (to != NULL || relayout->all.n > 0)) {
        return cli_misused(args, to != NULL ? "a single table is repacked where it is; leave out "
                                              "the output"
                                            : "datasets are stored otherwise while their file is "
                                              "written anew; leave out the path");
    }
    options.listener = cli_listener(quiet);
    options.portable = portable;
    return place->place.path != NULL
               ? repack_table(place, &options, err)
               : repack_file(place, to != NULL ? to : place->place.file, relayout, &options, err);
}

static stoa_status repack(cli_args *args, stoa_error *err)
{
    const char *to = NULL;
    bool quiet = false;
    bool portable = false;
    cli_relayout relayout = {.layouts = {0}};

    args->place = cli_place_new(args);
    cli_relayout_options(args, &relayout);
    cli_flag(args, &portable, "--portable",
             "store columns so that every reader of HDF5 takes them: deflate, ASCII where that is "
             "enough, and the earliest format of the file");
    cli_safe_option(args, &args->place->safe);
    cli_progress_option(args, &quiet);
    cli_operand(args, &args->subject, "PLACE",
                "FILE, to be written anew without the space that nothing uses; or FILE:PATH, a "
                "table that gives up its reserved rows");
    cli_operand(args, &to, "[OUTPUT]", "new file; by default FILE itself is replaced");
    const stoa_status status =
        cli_accepted(args) ? run(args, to, quiet, portable, &relayout, err) : STOA_OK;
    cli_relayout_clear(&relayout);
    return status;
}

const cli_command cmd_repack = {
    "repack", "give back space that nothing uses; store datasets otherwise",
    "stoa repack -l Sparse:SPARSECHUNK=5x4 --exclude 0 dense.h5 sparse.h5", repack};
