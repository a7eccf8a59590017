#include "cli/transfer/import_matrix.h"

#include <stdlib.h>
#include <stoa/matrix_group.h>
#include <stoa/sparse_arrow.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrow/build.h"
#include "cli/common/layouts.h"
#include "cli/common/progress.h"
#include "cli/transfer/export_sparse.h"
#include "core/text.h"
#include "hdf/copy/object_storage.h"
#include "hdf/ids.h"

/* Whether the input is a place whose path names a group. */
static bool is_group(const char *input)
{
    cli_place place = {0};
    stoa_array_object shown = {.path = NULL};
    hid_t object = H5I_INVALID_HID;
    bool is = false;

    if (cli_place_parse(&place, input, NULL) == STOA_OK && place.place.path != NULL &&
        access(input, F_OK) != 0 && cli_place_open_file(&place, STOA_FILE_READ, NULL) == STOA_OK) {
        object = stoa_object_open(stoa_file_id(place.file), place.place.path);
        is =
            object >= 0 && H5Iget_type(object) == H5I_GROUP && stoa_layout_is_array(object, &shown);
        (void)stoa_hdf_close(&object, STOA_OK, NULL);
    }
    cli_place_close(&place);
    return is;
}

/* The matrix file format of the input, by its name or its first bytes; NULL if it has none. */
static const stoa_matrix_file *matrix_file_of(const char *input)
{
    const stoa_layout *layout = NULL;
    struct stat file;

    for (size_t i = 0; (layout = cli_matrix_layout(i)) != NULL; i++) {
        if ((!layout->matrix->is_shared_suffix && cli_is_called_so(layout->matrix, input)) ||
            (stat(input, &file) == 0 && S_ISREG(file.st_mode) && layout->matrix->is_one(input))) {
            return layout->matrix;
        }
    }
    return NULL;
}

bool cli_is_matrix(const char *input)
{
    return matrix_file_of(input) != NULL || is_group(input);
}

/* Parse "RxC" for any rank. Returns the rank; 0 if the text is invalid or an extent is below
 * `least`. */
static unsigned parse_extent(const char *text, uint64_t least, uint64_t *extent)
{
    unsigned rank = 0;

    for (;;) {
        const size_t n = strcspn(text, "x");
        if (rank == H5S_MAX_RANK || !stoa_parse_u64(text, n, &extent[rank]) ||
            extent[rank] < least) {
            return 0;
        }
        rank++;
        if (text[n] == '\0') {
            return rank;
        }
        text += n + 1;
    }
}

static bool accept_extents(cli_args *args, cli_matrix_import *m)
{
    if (m->chunks.n > 0) {
        m->chunk_rank = parse_extent(m->chunks.items[0], 1, m->chunk);
        if (m->chunks.n > 1 || m->chunk_rank == 0 || (m->rows == NULL && m->chunk_rank != 2)) {
            cli_misused(args, "--chunk '%s': a matrix takes ROWSxCOLUMNS, once",
                        m->chunks.items[0]);
            return false;
        }
    }
    if (m->extent != NULL) {
        m->shape_rank = parse_extent(m->extent, 0, m->shape);
        if (m->shape_rank == 0) {
            cli_misused(args,
                        "--shape '%s': it takes ROWSxCOLUMNS, or as many numbers as there "
                        "are columns of indices",
                        m->extent);
            return false;
        }
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
    if (m->rows == NULL && m->extent != NULL) {
        cli_misused(args, "--shape: %s is a matrix, which says its own", m->input);
        return false;
    }
    return accept_extents(args, m);
}

/* Remove an existing object at the place, if that was requested. */
static stoa_status make_way(const cli_matrix_import *m, hid_t file, const char *path,
                            stoa_error *err)
{
    hid_t there = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    const stoa_error_stack errors = stoa_error_stack_begin();
    there = H5Oopen(file, path, H5P_DEFAULT);
    stoa_error_stack_discard(&errors);
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
    STOA_HDF(err, stoa_unlink(file, path), "delete the dataset that is replaced");

done:
    return stoa_hdf_close(&there, status, err);
}

/* --- arrays ---------------------------------------------------------------------------------- */

static const char *codec_of(const cli_matrix_import *m)
{
    return m->codecs.n > 0 ? m->codecs.items[0] : NULL;
}

static stoa_status run_file(const cli_matrix_import *m, const stoa_matrix_file *kind, hid_t file,
                            const char *path, stoa_error *err)
{
    const stoa_listener listener = cli_listener(m->quiet);

    return kind->import(m->input, file, path, m->chunk_rank != 0 ? m->chunk : NULL, codec_of(m),
                        &listener, err);
}

/* Import a group, which may be in the file that is being written. */
static stoa_status run_group(const cli_matrix_import *m, const cli_place *target, stoa_error *err)
{
    const stoa_listener listener = cli_listener(m->quiet);
    const hid_t file = stoa_file_id(target->file);
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    cli_place from = {.follows = m->follows};
    stoa_array_box box;
    stoa_table *table = NULL;
    stoa_status status = STOA_OK;
    bool is_one = false;

    options.chunk = m->chunk_rank != 0 ? m->chunk : NULL;
    options.values = codec_of(m);
    STOA_TRY(cli_place_parse(&from, m->input, err));
    const bool is_inside = cli_is_same_file(from.place.file, target->place.file);
    if (!is_inside) {
        STOA_TRY(cli_place_open_file(&from, STOA_FILE_READ, err));
    }
    const hid_t source = is_inside ? file : stoa_file_id(from.file);
    if (stoa_matrix_group_is_one(source, from.place.path)) {
        STOA_TRY(stoa_matrix_group_import(source, from.place.path, file, target->place.path,
                                          &options, NULL, &listener, &array, err));
    } else {
        STOA_TRY(stoa_layout_open_entries(source, from.place.path, from.place.file, &is_one, &box,
                                          &table, err));
        STOA_TRY(is_one ? STOA_OK : stoa_fail(err, STOA_ELAYOUT, "is no matrix"));
        STOA_TRY(cli_copy_entries(table, &box, file, target->place.path, &options, &listener,
                                  &array, err));
    }
    STOA_TRY(stoa_sparse_commit(array, err));

done:
    stoa_table_close(table);
    cli_place_close(&from);
    return status;
}

static stoa_status same_rank(struct ArrowArrayStream *stream, unsigned rank, const char *option,
                             stoa_error *err)
{
    struct ArrowSchema schema = {.release = NULL};
    stoa_status status = STOA_OK;

    if (rank == 0) {
        return STOA_OK;
    }
    STOA_TRY(stoa_stream_schema(stream, &schema, err));
    if (schema.n_children != (int64_t)rank + 1) {
        STOA_FAIL(err, STOA_EINVAL, "%s has %u dimensions, the rows %lld", option, rank,
                  (long long)schema.n_children - 1);
    }

done:
    stoa_schema_release(&schema);
    return status;
}

/* Import rows; the source is open. */
static stoa_status run_rows(const cli_matrix_import *m, const cli_place *target, stoa_error *err)
{
    const stoa_listener listener = cli_listener(m->quiet);
    struct ArrowArrayStream *const stream = &m->rows->stream;
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;

    options.chunk = m->chunk_rank != 0 ? m->chunk : NULL;
    options.values = codec_of(m);
    STOA_RETURN_NOT_OK(same_rank(stream, m->chunk_rank, "--chunk", err));
    STOA_RETURN_NOT_OK(same_rank(stream, m->shape_rank, "--shape", err));
    STOA_RETURN_NOT_OK(stoa_sparse_from_stream(stoa_file_id(target->file), target->place.path,
                                               stream, m->shape_rank != 0 ? m->shape : NULL,
                                               &options, NULL, &listener, &array, err));
    return stoa_sparse_commit(array, err);
}

/* Describe the result: "a matrix of 3 x 4 with 5 entries". */
static stoa_status describe(const cli_place *target, char **text, stoa_error *err)
{
    stoa_sparse *array = NULL;
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_open(stoa_file_id(target->file), target->place.path, NULL, &array, err));
    STOA_TRY(stoa_sparse_describe(array, &info, err));
    char *const extent = cli_extent(info.rank, info.extent);
    *text = cli_sprintf("%s of %s with %llu %s", info.rank == 2 ? "a matrix" : "an array", extent,
                        (unsigned long long)info.n_defined,
                        cli_plural(info.n_defined, "entry", "entries"));
    free(extent);
done:
    stoa_sparse_close(array); /* nothing was changed */
    return status;
}

stoa_status cli_matrix_run(cli_args *args, const cli_matrix_import *m, cli_place *target,
                           stoa_error *err)
{
    const stoa_listener listener = cli_listener(m->quiet);
    const char *const path = target->place.path;
    char *made = NULL;
    struct stat file;
    stoa_status status = STOA_OK;

    const bool exists = stat(target->place.file, &file) == 0;
    const bool is_inside =
        exists && m->rows != NULL && cli_source_is_in(m->rows, target->place.file);
    if (m->rows != NULL && !is_inside) {
        STOA_TRY(cli_source_open(args, m->rows, NULL, 0, NULL, &listener, err));
    }
    STOA_TRY(cli_place_open_file(target, exists ? STOA_FILE_EDIT : STOA_FILE_CREATE, err));
    if (is_inside) {
        STOA_TRY(cli_source_open(args, m->rows, NULL, 0, target->file, &listener, err));
    }
    const bool is_replaced = stoa_object_exists(stoa_file_id(target->file), path);
    status = make_way(m, stoa_file_id(target->file), path, err);
    STOA_TRY(stoa_at(err, status, "%s", target->name));
    const stoa_matrix_file *const kind = m->rows == NULL ? matrix_file_of(m->input) : NULL;
    status = m->rows != NULL ? run_rows(m, target, err)
             : kind != NULL  ? run_file(m, kind, stoa_file_id(target->file), path, err)
                             : run_group(m, target, err);
    cli_progress_clear();
    STOA_TRY(stoa_at(err, status, "%s", target->name));
    STOA_TRY(describe(target, &made, err));
    if (m->rows != NULL) {
        cli_source_close(m->rows);
    }
    STOA_TRY(cli_place_commit(target, false, err));
    cli_remark("%s: %s imported from %s", target->name, made, m->input);
    if (is_replaced) {
        cli_remark("%s: the old array is gone; 'stoa repack %s' gives its space back", target->name,
                   target->place.file);
    }

done:
    free(made);
    return status;
}
