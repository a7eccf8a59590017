/* See import_matrix.h. */
#include "cli/import_matrix.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/progress.h"
#include "core/text.h"
#include "hdf/ids.h"
#include "layout/matrix_market.h"

static bool ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text);
    const size_t n_end = strlen(end);

    return n > n_end && strcmp(text + n - n_end, end) == 0;
}

bool cli_is_matrix(const char *input)
{
    struct stat file;

    if (ends_in(input, ".mtx") || ends_in(input, ".mtx.gz") || ends_in(input, ".mtx.zst")) {
        return true;
    }
    return stat(input, &file) == 0 && S_ISREG(file.st_mode) && stoa_mtx_is_one(input);
}

/* "RxC". */
static bool accept_chunk(cli_args *args, cli_matrix_import *m)
{
    const char *const text = m->chunks.items[0];
    const char *const x = strchr(text, 'x');

    if (m->chunks.n > 1 || x == NULL || !stoa_parse_u64(text, (size_t)(x - text), &m->chunk[0]) ||
        !stoa_parse_u64(x + 1, strlen(x + 1), &m->chunk[1]) || m->chunk[0] == 0 ||
        m->chunk[1] == 0) {
        cli_misused(args, "--chunk '%s': a matrix takes ROWSxCOLUMNS, once", text);
        return false;
    }
    return true;
}

bool cli_matrix_accepted(cli_args *args, cli_matrix_import *m)
{
    if (m->codecs.n > 1 || (m->codecs.n == 1 && strchr(m->codecs.items[0], '=') != NULL)) {
        cli_misused(args, "--codec '%s': a matrix has no columns of their own, and takes one codec",
                    m->codecs.items[0]);
        return false;
    }
    return m->chunks.n == 0 || accept_chunk(args, m);
}

/* What is at the place already goes, where that was asked for. */
static stoa_status make_way(const cli_matrix_import *m, hid_t file, const char *path,
                            stoa_error *err)
{
    hid_t there = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    const stoa_quiet quiet = stoa_quiet_begin();
    there = H5Oopen(file, path, H5P_DEFAULT);
    (void)H5Eclear2(H5E_DEFAULT);
    stoa_quiet_end(&quiet);
    if (there < 0) {
        there = H5I_INVALID_HID;
        goto done;
    }
    if (H5Iget_type(there) != H5I_DATASET) {
        STOA_FAIL(err, STOA_EEXISTS, "there is a group already; 'stoa remove' deletes it");
    }
    if (!m->force) {
        STOA_FAIL(err, STOA_EEXISTS, "there is a dataset already; --force replaces it");
    }
    STOA_HDF(err, H5Ldelete(file, path, H5P_DEFAULT), "delete the dataset that is replaced");

done:
    return stoa_hdf_close(&there, status, err);
}

stoa_status cli_matrix_run(const cli_matrix_import *m, cli_place *target, stoa_error *err)
{
    const stoa_mtx_options options = {.chunk = m->chunk[0] != 0 ? m->chunk : NULL,
                                      .codec = m->codecs.n > 0 ? m->codecs.items[0] : NULL,
                                      .listener = cli_listener(m->quiet)};
    const char *const path = target->place.path;
    uint64_t n_rows = 0;
    uint64_t n_columns = 0;
    uint64_t n = 0;
    struct stat file;
    stoa_status status = STOA_OK;

    const bool exists = stat(target->place.file, &file) == 0;
    STOA_TRY(cli_place_open_file(target, exists ? STOA_FILE_EDIT : STOA_FILE_CREATE, err));
    status = make_way(m, stoa_file_id(target->file), path, err);
    STOA_TRY(stoa_at(err, status, "%s", target->name));
    status = stoa_mtx_import(m->input, stoa_file_id(target->file), path, &options, &n_rows,
                             &n_columns, &n, err);
    cli_progress_clear();
    STOA_TRY(stoa_at(err, status, "%s", target->name));
    STOA_TRY(cli_place_commit(target, false, err));
    cli_remark("%s: a matrix of %llu x %llu with %llu %s imported from %s", target->name,
               (unsigned long long)n_rows, (unsigned long long)n_columns, (unsigned long long)n,
               cli_plural(n, "entry", "entries"), m->input);

done:
    return status;
}
