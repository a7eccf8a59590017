/* Writes entries as matrices and vectors (descriptor.h). */
#include <stoa/matrix_group.h>
#include <stoa/sparse_arrow.h>
#include <string.h>

#include "arrow/build.h"
#include "core/json.h"
#include "hdf/metadata/attributes.h"
#include "layout/binsparse/descriptor.h"
#include "layout/common/matrix_dataset.h"
#include "sparse/array/arrow.h"
#include "sparse/store/numbers.h"

/* Lines without entries that CSR and CSC may have for each entry, and beside these. Other matrices
 * are lists of coordinates. */
enum { EMPTY_PER_ENTRY = 16, MAX_EMPTY = 1 << 20 };

/* --- the matrix ------------------------------------------------------------------------------ */

/* Whether the rows are entries of a table, with its coordinates in their order. */
static bool are_entries_of(const struct ArrowSchema *rows, const struct ArrowSchema *table)
{
    bool are = rows->n_children == table->n_children;

    for (int64_t i = 0; are && i + 1 < rows->n_children; i++) {
        are = strcmp(rows->children[i]->name, table->children[i]->name) == 0;
    }
    return are;
}

static bool is_csc(hid_t object)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    stoa_matrix_group_info info = STOA_MATRIX_GROUP_INFO_INIT;
    stoa_binsparse_descriptor d;
    bool is = false;

    if (H5Iget_type(object) == H5I_GROUP && stoa_matrix_group_is_one(object, ".")) {
        is = stoa_matrix_group_describe(object, ".", &info, NULL) == STOA_OK &&
             info.form == STOA_MATRIX_CSC;
    } else if (H5Iget_type(object) == H5I_GROUP) {
        is = stoa_binsparse_describe(object, &d, NULL) == STOA_OK && d.format->kind != NULL &&
             d.format->line_axis == 1;
    }
    stoa_error_stack_discard(&errors);
    return is;
}

/* What the rows' table says of the matrix: its shape, and whether it is stored by columns. */
static stoa_status learn(const stoa_layout_source *source, uint64_t *extent, bool *has_extent,
                         bool *is_by_column, stoa_error *err)
{
    const stoa_table *const table =
        source->options->like != NULL ? source->options->like : source->table;
    const unsigned rank = (unsigned)source->schema->n_children - 1;
    struct ArrowSchema schema = {.release = NULL};
    const char *fill = NULL;
    size_t length = 0;
    stoa_status status = STOA_OK;

    *has_extent = false;
    *is_by_column = false;
    STOA_TRY(stoa_table_schema(table, &schema, err));
    if (!are_entries_of(source->schema, &schema)) {
        goto done;
    }
    for (size_t i = 0; i < table->n_metadata; i++) {
        STOA_TRY(stoa_schema_set(&schema, table->metadata[i].key, table->metadata[i].value, err));
    }
    if (stoa_schema_get(&schema, STOA_ARROW_FILL, &fill, &length)) {
        STOA_FAIL(err, STOA_ELOSS,
                  "elements that are not stored have the value %.*s, not 0; export its entries as "
                  "arrow instead",
                  (int)(length < 40 ? length : 40), fill);
    }
    STOA_TRY(stoa_arrow_get_shape(&schema, rank, extent, has_extent, err));
    *is_by_column = *has_extent && is_csc(table->group);

done:
    stoa_schema_release(&schema);
    return status;
}

/* Read a vector as a matrix whose `rows` are its indices. */
static stoa_status read_vector(stoa_sparse *array, stoa_matrix *m, stoa_error *err)
{
    stoa_sparse_points points = {.n = 0};

    STOA_RETURN_NOT_OK(stoa_sparse_read(array, NULL, NULL, STOA_FILE_NATIVE, &points, err));
    *m = (stoa_matrix){.form = STOA_MATRIX_COO, .index_size = 8, .n = points.n};
    m->rows = points.coordinates;
    m->values = points.values;
    return STOA_OK;
}

static stoa_status read_matrix(stoa_sparse *array, const stoa_sparse_info *info, bool is_by_column,
                               stoa_matrix *m, stoa_error *err)
{
    const bool is_narrow = info->extent[0] <= INT32_MAX && info->extent[1] <= INT32_MAX &&
                           info->n_defined <= INT32_MAX;
    const uint64_t n_lines = info->extent[is_by_column ? 1 : 0];
    const bool is_list =
        n_lines > MAX_EMPTY && (n_lines - MAX_EMPTY) / EMPTY_PER_ENTRY > info->n_defined;

    return stoa_matrix_read(array,
                            is_list        ? STOA_MATRIX_COO
                            : is_by_column ? STOA_MATRIX_CSC
                                           : STOA_MATRIX_CSR,
                            is_narrow ? 4 : 8, STOA_FILE_NATIVE, m, err);
}

/* --- the group ------------------------------------------------------------------------------- */

/* How values are stored, and what the descriptor calls that. */
typedef struct storage {
    hid_t type; /* of numbers */
    unsigned n_each;
    char name[24];
} storage;

static stoa_status choose_storage(hid_t type, storage *s, stoa_error *err)
{
    const H5T_class_t class = H5Tget_class(type);
    const size_t bits = 8 * H5Tget_size(type);
    stoa_number_form form;

    *s = (storage){.type = H5I_INVALID_HID, .n_each = class == H5T_COMPOUND ? 2 : 1};
    if (class == H5T_ENUM && bits == 8) {
        STOA_RETURN_HDF_ERROR(err, s->type = H5Tcopy(H5T_STD_U8LE), "copy a type");
        (void)snprintf(s->name, sizeof s->name, "bint8");
        return STOA_OK;
    }
    if (stoa_number_form_of(type, &form, NULL) != STOA_OK) {
        return stoa_fail(err, STOA_ETYPE,
                         "the values are no integers, float32, float64, booleans or complex "
                         "numbers, which binsparse has");
    }
    STOA_RETURN_HDF_ERROR(
        err, s->type = class == H5T_COMPOUND ? H5Tget_member_type(type, 0) : H5Tcopy(type),
        "copy a type");
    (void)snprintf(s->name, sizeof s->name,
                   class == H5T_COMPOUND            ? "complex[float%zu]"
                   : class == H5T_FLOAT             ? "float%zu"
                   : H5Tget_sign(type) == H5T_SGN_2 ? "int%zu"
                                                    : "uint%zu",
                   bits / s->n_each);
    return STOA_OK;
}

static stoa_status write_descriptor(hid_t group, const stoa_matrix *m, const stoa_sparse_info *info,
                                    const storage *s, const char *title, stoa_error *err)
{
    static const char *const formats[] = {
        [STOA_MATRIX_COO] = "COOR", [STOA_MATRIX_CSR] = "CSR", [STOA_MATRIX_CSC] = "CSC"};
    const bool is_vector = info->rank == 1;
    const char *const integer = is_vector ? "uint64" : m->index_size == 4 ? "int32" : "int64";
    const char *const lines = m->form == STOA_MATRIX_COO ? "indices_0" : "pointers_to_1";
    stoa_buffer text = {.data = NULL};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_buffer_print(&text, err,
                               "{\"" STOA_BINSPARSE "\": {\"version\": \"0.1\", \"format\": "
                               "\"%s\", \"shape\": [%llu",
                               is_vector ? "CVEC" : formats[m->form],
                               (unsigned long long)info->extent[0]));
    STOA_TRY(is_vector
                 ? STOA_OK
                 : stoa_buffer_print(&text, err, ", %llu", (unsigned long long)info->extent[1]));
    STOA_TRY(stoa_buffer_print(&text, err,
                               "], \"number_of_stored_values\": %llu, \"data_types\": {\"%s\": "
                               "\"%s\", ",
                               (unsigned long long)m->n, lines, integer));
    STOA_TRY(is_vector ? STOA_OK
                       : stoa_buffer_print(&text, err, "\"indices_1\": \"%s\", ", integer));
    STOA_TRY(stoa_buffer_print(&text, err, "\"values\": \"%s\"}}", s->name));
    if (title != NULL) {
        STOA_TRY(stoa_buffer_print(&text, err, ", \"title\": "));
        STOA_TRY(stoa_json_quote(&text, title, strlen(title), err));
    }
    STOA_TRY(stoa_buffer_print(&text, err, "}"));
    STOA_TRY(stoa_attribute_write_utf8(group, STOA_BINSPARSE, (const char *)text.data, err));

done:
    stoa_buffer_clear(&text);
    return status;
}

static stoa_status write_parts(hid_t group, const stoa_matrix *m, const stoa_sparse_info *info,
                               const storage *s, const char *codec, stoa_error *err)
{
    const bool is_list = m->form == STOA_MATRIX_COO;
    const hid_t integer = info->rank == 1      ? H5T_NATIVE_UINT64
                          : m->index_size == 4 ? H5T_NATIVE_INT32
                                               : H5T_NATIVE_INT64;
    const uint64_t n_lines = info->extent[m->form == STOA_MATRIX_CSC ? 1 : 0];

    STOA_RETURN_NOT_OK(
        is_list ? stoa_matrix_dataset_write(group, "indices_0", integer, m->n, m->rows, codec, err)
                : stoa_matrix_dataset_write(group, "pointers_to_1", integer, n_lines + 1,
                                            m->pointers, codec, err));
    STOA_RETURN_NOT_OK(info->rank == 1
                           ? STOA_OK
                           : stoa_matrix_dataset_write(
                                 group, "indices_1", integer, m->n,
                                 m->form == STOA_MATRIX_CSC ? m->rows : m->columns, codec, err));
    return stoa_matrix_dataset_write(group, "values", s->type, s->n_each * m->n, m->values, codec,
                                     err);
}

stoa_status stoa_binsparse_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                                 stoa_error *err)
{
    const stoa_layout_options *const options = source->options;
    const int64_t rank = source->schema->n_children - 1;
    storage s = {.type = H5I_INVALID_HID};
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_matrix m = {.n = 0};
    uint64_t extent[2] = {0, 0};
    bool has_extent = false;
    bool is_by_column = false;
    hid_t scratch = H5I_INVALID_HID;
    stoa_sparse *array = NULL;
    stoa_status status = STOA_OK;

    *object = H5I_INVALID_HID;
    if (rank != 1 && rank != 2) {
        STOA_FAIL(err, STOA_ETYPE,
                  "it has %lld columns; a vector of binsparse has an index and a value, a matrix "
                  "row, column and value",
                  (long long)rank + 1);
    }
    if (source->n_index_columns > 0) {
        STOA_FAIL(err, STOA_EINVAL, "matrices of binsparse have no row labels");
    }
    STOA_TRY(learn(source, extent, &has_extent, &is_by_column, err));
    STOA_TRY(stoa_layout_open_temporary(&scratch, err));
    STOA_TRY(stoa_sparse_from_stream(scratch, "/m", source->stream, has_extent ? extent : NULL,
                                     NULL, NULL, &options->listener, &array, err));
    STOA_TRY(stoa_sparse_describe(array, &info, err));
    STOA_TRY(choose_storage(info.native_type, &s, err));
    STOA_TRY(rank == 1 ? read_vector(array, &m, err)
                       : read_matrix(array, &info, is_by_column, &m, err));
    STOA_HDF(err, *object = H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT), "make a group");
    STOA_TRY(write_parts(*object, &m, &info, &s, options->codec, err));
    STOA_TRY(write_descriptor(*object, &m, &info, &s, source->title, err));

done:
    stoa_matrix_clear(&m);
    stoa_sparse_close(array); /* of a temporary file */
    status = stoa_hdf_close(&s.type, status, err);
    status = stoa_layout_close_temporary(&scratch, status, err);
    if (status != STOA_OK) {
        status = stoa_hdf_close(object, status, err);
    }
    return status;
}
