#include "cli/transfer/export_sparse.h"
#include "cli/common/layouts.h"

#include <stdlib.h>
#include <stoa/matrix_group.h>
#include <stoa/sparse_arrow.h>
#include <string.h>

#include "arrow/build.h"
#include "core/text.h"
#include "hdf/ids.h"
#include "hdf/metadata/attributes.h"
#include "layout/common/writer.h"
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

/* A matrix to write: a sparse array, which may be a copy in a temporary file. */
typedef struct matrix {
    stoa_sparse *array;
    bool is_by_column; /* where it comes from: */
    stoa_table *table; /* its entries; NULL if all of it was copied */
    hid_t object;      /* the matrix; H5I_INVALID_HID if it is the array */
    stoa_array_box box;
    hid_t scratch;
} matrix;

static const matrix NO_MATRIX = {.object = H5I_INVALID_HID, .scratch = H5I_INVALID_HID};

static stoa_status close_matrix(matrix *m, stoa_status status, stoa_error *err)
{
    stoa_sparse_close(m->array); /* nothing was changed */
    m->array = NULL;
    stoa_table_close(m->table);
    m->table = NULL;
    status = stoa_hdf_close(&m->object, status, err);
    return stoa_hdf_close(&m->scratch, status, err);
}

/* "row - 10 as row, column, value": coordinates within a box. */
static char *columns_within(stoa_table *table, const stoa_array_box *box)
{
    char *text = cli_copy("");

    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        const char *const name = stoa_table_column_name(table, i);
        if (i < box->rank) {
            cli_append(&text, "\"%s\" - %llu as \"%s\", ", name, (unsigned long long)box->start[i],
                       name);
        } else {
            cli_append(&text, "\"%s\"", name);
        }
    }
    return text;
}

stoa_status cli_copy_entries(stoa_table *table, const stoa_array_box *box, hid_t loc,
                             const char *path, const stoa_sparse_options *sparse,
                             const stoa_listener *listener, stoa_sparse **array, stoa_error *err)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    char *const columns = columns_within(table, box);
    stoa_query *query = NULL;
    stoa_status status = STOA_OK;

    options.columns = columns;
    options.where = box->is_dense ? "value <> 0" : NULL;
    STOA_TRY(stoa_query_open(table, &options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_sparse_from_stream(loc, path, &stream, box->count, sparse, NULL, listener, array,
                                     err));

done:
    stoa_stream_release(&stream);
    stoa_query_close(query);
    free(columns);
    return status;
}

/* Whether an array was made of a matrix that is stored by columns. */
static bool was_by_column(hid_t file, const char *path)
{
    hid_t object = stoa_object_open(file, path);
    const bool was = stoa_attribute_is(object, "encoding-type", "csc_matrix");

    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return was;
}

static stoa_status open_group(hid_t file, const char *path, matrix *m,
                              const stoa_listener *listener, stoa_error *err)
{
    stoa_matrix_group_info info = STOA_MATRIX_GROUP_INFO_INIT;

    STOA_RETURN_NOT_OK(stoa_matrix_group_describe(file, path, &info, err));
    m->is_by_column = info.form == STOA_MATRIX_CSC;
    m->object = stoa_object_open(file, path);
    STOA_RETURN_NOT_OK(stoa_layout_open_temporary(&m->scratch, err));
    return stoa_matrix_group_import(file, path, m->scratch, "/m", NULL, NULL, listener, &m->array,
                                    err);
}

static stoa_status open_matrix(cli_place *place, matrix *m, const stoa_listener *listener,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool is_one = false;

    *m = NO_MATRIX;
    const bool is_sparse = cli_is_sparse(place);
    if (place->place.path == NULL) {
        STOA_FAIL(err, STOA_EINVAL, "which matrix? give its path, as FILE:/PATH");
    }
    const hid_t file = stoa_file_id(place->file);
    if (is_sparse) {
        m->is_by_column = was_by_column(file, place->place.path);
        STOA_TRY(stoa_sparse_open(file, place->place.path, NULL, &m->array, err));
    } else if (stoa_matrix_group_is_one(file, place->place.path)) {
        STOA_TRY(open_group(file, place->place.path, m, listener, err));
    } else {
        STOA_TRY(stoa_layout_open_entries(file, place->place.path, place->place.file, &is_one,
                                          &m->box, &m->table, err));
        if (!is_one) {
            STOA_FAIL(err, STOA_ELAYOUT,
                      "no sparse array; a table goes out as csv, tsv, jsonl, json, arrow, "
                      "parquet or markdown");
        }
        m->is_by_column = m->box.is_by_column;
        STOA_HDF(err, m->object = stoa_open_here(m->table->group, "."), "open the matrix");
        STOA_TRY(stoa_layout_open_temporary(&m->scratch, err));
        STOA_TRY(
            cli_copy_entries(m->table, &m->box, m->scratch, "/m", NULL, listener, &m->array, err));
    }

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

stoa_status cli_has_matrix(cli_place *place, bool *is_one, stoa_error *err)
{
    stoa_table *table = NULL;
    stoa_status status = STOA_OK;

    *is_one = cli_is_sparse(place);
    if (*is_one || place->place.path == NULL) {
        return STOA_OK;
    }
    status = stoa_layout_open_entries(stoa_file_id(place->file), place->place.path,
                                      place->place.file, is_one, NULL, &table, err);
    stoa_table_close(table);
    return stoa_at(err, status, "%s", place->name);
}

stoa_status cli_export_sparse(cli_place *place, int format, const stoa_matrix_file *file,
                              stoa_matrix_form form, const cli_output *output,
                              const stoa_listener *listener, uint64_t *n, stoa_error *err)
{
    matrix m;
    stoa_status status = open_matrix(place, &m, listener, err);

    STOA_TRY(status);
    form = form != STOA_MATRIX_COO ? form : m.is_by_column ? STOA_MATRIX_CSC : STOA_MATRIX_CSR;
    STOA_TRY(file != NULL ? file->write(m.array, form, output->file, listener, n, err)
                          : write_rows(m.array, format, output, n, err));

done:
    return close_matrix(&m, status, err);
}

stoa_status cli_export_group(cli_place *from, int format, cli_place *to, const char *codec,
                             const stoa_listener *listener, uint64_t *n, stoa_error *err)
{
    const stoa_matrix_form form = format == CLI_CSR ? STOA_MATRIX_CSR : STOA_MATRIX_CSC;
    matrix m = NO_MATRIX;
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_status status = STOA_OK;

    const bool is_inside = cli_is_same_file(from->place.file, to->place.file);
    if (to->place.path == NULL) {
        STOA_FAIL(err, STOA_EINVAL, "which group? give its path, as FILE:/PATH");
    }
    STOA_TRY(cli_place_open_file(from, is_inside ? STOA_FILE_EDIT : STOA_FILE_READ, err));
    STOA_TRY(open_matrix(from, &m, listener, err));
    STOA_TRY(stoa_sparse_describe(m.array, &info, err));
    *n = info.n_defined;
    if (!is_inside) {
        STOA_TRY(cli_place_open_target(to, err));
    }
    status = stoa_matrix_group_export(
        m.array, form, stoa_file_id(is_inside ? from->file : to->file), to->place.path, codec, err);
    STOA_TRY(stoa_at(err, status, "%s", to->name));
    STOA_TRY(close_matrix(&m, status, err));
    STOA_TRY(cli_place_commit(is_inside ? from : to, false, err));

done:
    return close_matrix(&m, status, err);
}

const stoa_layout *cli_whole_layout(const char *file)
{
    for (size_t i = 0; stoa_layouts[i] != NULL; i++) {
        const stoa_layout *const layout = stoa_layouts[i];
        if (layout->whole != NULL && layout->whole->of_matrix != NULL && layout->suffix != NULL &&
            stoa_ends_with(file, strlen(file), layout->suffix)) {
            return layout;
        }
    }
    return NULL;
}

stoa_status cli_export_whole(cli_place *from, cli_place *to, const char *codec,
                             const stoa_listener *listener, uint64_t *n, stoa_error *err)
{
    const stoa_layout *const layout = cli_whole_layout(to->place.file);
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    matrix m = NO_MATRIX;
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_status status = STOA_OK;

    if (cli_place_exists(to)) {
        STOA_FAIL(err, STOA_EEXISTS,
                  "is there already, and the matrix becomes a new file; give another name, or a "
                  "path in it and -f csr");
    }
    STOA_TRY(cli_place_open_file(from, STOA_FILE_READ, err));
    STOA_TRY(open_matrix(from, &m, listener, err));
    STOA_TRY(stoa_sparse_describe(m.array, &info, err));
    *n = info.n_defined;
    options.codec = codec;
    options.listener = *listener;
    STOA_TRY(cli_place_open_file(to, STOA_FILE_CREATE, err));
    status = layout->whole->of_matrix(m.array, m.object, m.table != NULL ? &m.box : NULL,
                                      stoa_file_id(to->file), &options, err);
    STOA_TRY(stoa_at(err, status, "%s", to->name));
    STOA_TRY(close_matrix(&m, status, err));
    STOA_TRY(cli_place_commit(to, false, err));

done:
    stoa_at(err, status, "%s", to->name);
    return close_matrix(&m, status, err);
}
