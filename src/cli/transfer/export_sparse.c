#include "cli/transfer/export_sparse.h"
#include "cli/common/layouts.h"

#include <stdlib.h>
#include <stoa/matrix_group.h>
#include <stoa/sparse_arrow.h>

#include "arrow/build.h"
#include "hdf/ids.h"
#include "sparse/tools/storage.h"

/* Candidates in a file given without a path. */
typedef struct only {
    uint64_t n_tables;
    uint64_t n_arrays; /* number of sparse arrays */
    char *path;        /* path of the first one */
} only;

static bool count_table(void *context, const stoa_object *object)
{
    (void)object;
    ((only *)context)->n_tables++;
    return false; /* then no array is meant */
}

static bool note_array(void *context, const stoa_array_object *array)
{
    only *const found = context;

    if (strcmp(array->layout, "sparse") == 0 && found->n_arrays++ == 0) {
        found->path = cli_copy(array->path);
    }
    return found->n_arrays < 2;
}

/* Fill in a path that was left out, if the file holds one sparse array and no table. */
static void find_only(cli_place *place)
{
    static const stoa_layout_visitors visitors = {
        .size = sizeof visitors, .table = count_table, .array = note_array};
    only found = {.path = NULL};

    if (stoa_layout_visit_all(stoa_file_id(place->file), &visitors, &found, NULL) == STOA_OK &&
        found.n_tables == 0 && found.n_arrays == 1) {
        cli_place_set_path(place, found.path);
    }
    free(found.path);
}

bool cli_is_sparse(cli_place *place)
{
    hid_t object = H5I_INVALID_HID;

    if (place->place.path == NULL) {
        find_only(place);
    }
    if (place->place.path == NULL) {
        return false;
    }
    object = stoa_object_open(stoa_file_id(place->file), place->place.path);
    const bool is = object >= 0 && H5Iget_type(object) == H5I_DATASET && stoa_is_structured(object);
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return is;
}

static stoa_status open_array(cli_place *place, stoa_sparse **array, stoa_error *err)
{
    stoa_status status = STOA_OK;

    const bool is_sparse = cli_is_sparse(place);
    if (place->place.path == NULL) {
        STOA_FAIL(err, STOA_EINVAL, "which matrix? give its path, as FILE:/PATH");
    }
    if (!is_sparse) {
        STOA_FAIL(err, STOA_ELAYOUT,
                  "no sparse array; a table goes out as csv, tsv, jsonl, json, arrow or markdown");
    }
    STOA_TRY(stoa_sparse_open(stoa_file_id(place->file), place->place.path, NULL, array, err));

done:
    return stoa_at(err, status, "%s", place->name);
}

static stoa_status write_rows(stoa_sparse *array, int format, const cli_output *output, uint64_t *n,
                              stoa_error *err)
{
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_stream(array, NULL, NULL, &stream, err));
    STOA_TRY(cli_output_write(output, &stream, (cli_format)format, n, err));

done:
    stoa_stream_release(&stream);
    return status;
}

stoa_status cli_export_sparse(cli_place *place, int format, const cli_output *output,
                              const stoa_listener *listener, uint64_t *n, stoa_error *err)
{
    stoa_sparse *array = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(open_array(place, &array, err));
    STOA_TRY(format >= CLI_MATRIX_FILE ? cli_matrix_layout((size_t)(format - CLI_MATRIX_FILE))
                                             ->matrix->write(array, output->file, listener, n, err)
                                       : write_rows(array, format, output, n, err));

done:
    stoa_sparse_close(array); /* nothing was changed */
    return status;
}

stoa_status cli_export_group(cli_place *from, int format, cli_place *to, const char *codec,
                             uint64_t *n, stoa_error *err)
{
    const stoa_matrix_form form = format == CLI_CSR ? STOA_MATRIX_CSR : STOA_MATRIX_CSC;
    stoa_sparse *array = NULL;
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_status status = STOA_OK;

    const bool is_inside = cli_is_same_file(from->place.file, to->place.file);
    if (to->place.path == NULL) {
        STOA_FAIL(err, STOA_EINVAL, "which group? give its path, as FILE:/PATH");
    }
    STOA_TRY(cli_place_open_file(from, is_inside ? STOA_FILE_EDIT : STOA_FILE_READ, err));
    STOA_TRY(open_array(from, &array, err));
    STOA_TRY(stoa_sparse_describe(array, &info, err));
    *n = info.n_defined;
    if (!is_inside) {
        STOA_TRY(cli_place_open_target(to, err));
    }
    status = stoa_matrix_group_export(array, form, stoa_file_id(is_inside ? from->file : to->file),
                                      to->place.path, codec, err);
    STOA_TRY(stoa_at(err, status, "%s", to->name));
    STOA_TRY(stoa_sparse_commit(array, err));
    array = NULL;
    STOA_TRY(cli_place_commit(is_inside ? from : to, false, err));

done:
    stoa_sparse_close(array);
    return status;
}
