/* Matrix Market files as a layout that holds only matrices. */
#include "layout/layout.h"
#include "layout/matrix/market.h"

static stoa_status import(const char *file, hid_t loc, const char *path, const uint64_t *chunk,
                          const char *codec, const stoa_listener *listener, stoa_error *err)
{
    const stoa_mtx_options options = {.chunk = chunk, .codec = codec, .listener = *listener};
    uint64_t unused[3];

    return stoa_mtx_import(file, loc, path, &options, &unused[0], &unused[1], &unused[2], err);
}

static const stoa_matrix_file matrix = {
    .suffixes = (const char *const[]){".mtx", ".mtx.gz", ".mtx.zst", NULL},
    .is_one = stoa_mtx_is_one,
    .import = import,
    .write = stoa_mtx_write};

const stoa_layout stoa_layout_matrix = {.name = "mtx", .title = "Matrix Market", .matrix = &matrix};
