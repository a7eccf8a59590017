/* One matrix as a whole AnnData file: X, and frames whose rows are named 0, 1, ..., or as 10x
 * Genomics does. */
#include <stdlib.h>
#include <stoa/matrix_group.h>
#include <stoa/query.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/links.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/root_members.h"
#include "layout/anndata/tenx.h"
#include "layout/common/conversion.h"

enum { BATCH_ROWS = 1 << 16 };

/* A stream of the names "0", "1", ... */
typedef struct naming {
    uint64_t at;
    uint64_t n;
} naming;

static stoa_status make_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    (void)self;
    STOA_RETURN_NOT_OK(stoa_schema_make(out, "", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out, 1, err));
    return stoa_schema_make(out->children[0], "_index", "u", err);
}

static stoa_status next_names(void *self, struct ArrowArray *out, stoa_error *err)
{
    naming *const names = self;
    const uint64_t left = names->n - names->at;
    const size_t n = left < BATCH_ROWS ? (size_t)left : BATCH_ROWS;
    int32_t *offsets = NULL;
    stoa_buffer text = {0};
    stoa_status status = STOA_OK;

    if (n == 0) {
        return STOA_OK;
    }
    offsets = stoa_alloc_zero(n + 1, sizeof *offsets);
    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        char digits[STOA_NUMBER_SIZE];
        STOA_TRY(stoa_buffer_append(&text, digits, stoa_format_u64(names->at + i, digits), err));
        offsets[i + 1] = (int32_t)text.size;
    }
    STOA_TRY(stoa_array_struct(out, (int64_t)n, 1, err));
    void *const buffers[] = {NULL, offsets, stoa_buffer_detach(&text)};
    offsets = NULL;
    STOA_TRY(stoa_array_make(out->children[0], (int64_t)n, 0, 3, buffers, err));
    names->at += n;

done:
    free(offsets);
    stoa_buffer_clear(&text);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

/* Write a frame with the rows of a stream, which is released. */
static stoa_status write_frame(struct ArrowArrayStream *stream, hid_t to, const char *path,
                               const stoa_layout_options *options, stoa_error *err)
{
    static const char *const labels[] = {"_index"};
    stoa_layout_options own = *options;
    hid_t file = H5I_INVALID_HID;
    stoa_table *table = NULL;
    uint64_t n_rows = 0;
    stoa_status status = STOA_OK;

    own.index_columns = labels;
    own.n_index_columns = 1;
    STOA_TRY(stoa_layout_keep_rows(stream, &own, &file, &table, err));
    STOA_TRY(stoa_layout_write_by(&stoa_anndata_axis_writer, table, NULL, to, path, &own, NULL,
                                  &n_rows, err));

done:
    stoa_stream_release(stream);
    stoa_table_close(table);
    return stoa_layout_close_temporary(&file, status, err);
}

/* Write a frame that has numbers as names. */
static stoa_status write_numbers(hid_t to, const char *path, uint64_t n,
                                 const stoa_layout_options *options, stoa_error *err)
{
    static const stoa_producer producer = {make_schema, next_names, NULL};
    naming names = {.n = n};
    struct ArrowArrayStream stream = {.release = NULL};

    STOA_RETURN_NOT_OK(stoa_stream_make(&stream, &producer, &names, err));
    return write_frame(&stream, to, path, options, err);
}

/* --- 10x Genomics ---------------------------------------------------------------------------- */

/* Write the names of n barcodes or features, of which a box takes [first, first + count). */
static stoa_status write_names(hid_t group, bool are_barcodes, uint64_t n, uint64_t first,
                               uint64_t count, hid_t to, const stoa_layout_options *options,
                               stoa_error *err)
{
    stoa_query_options part = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_query *query = NULL;
    stoa_table *table = NULL;
    stoa_status status = STOA_OK;

    part.first_row = first;
    part.n_rows = count;
    part.where = count == 0 ? "false" : NULL; /* 0 would mean all */
    STOA_TRY(stoa_anndata_tenx_names(group, are_barcodes, n, &table, err));
    STOA_TRY(stoa_query_open(table, &part, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(write_frame(&stream, to, are_barcodes ? "/obs" : "/var", options, err));

done:
    stoa_query_close(query);
    stoa_table_close(table);
    return status;
}

/* Turn int32 into float32 in place, as scanpy does, if no count changes its value. */
static bool turn_into_floats(void *values, uint64_t n)
{
    enum { MOST = 1 << 24 };
    const int32_t *const counts = values;
    float *const floats = values;

    for (uint64_t i = 0; i < n; i++) {
        if (counts[i] < -MOST || counts[i] > MOST) {
            return false;
        }
    }
    for (uint64_t i = 0; i < n; i++) {
        const float value = (float)counts[i];
        memcpy(&floats[i], &value, sizeof value);
    }
    return true;
}

/* The columns of the matrix are the rows of X. */
static stoa_status write_transposed(stoa_sparse *array, const stoa_sparse_info *info, hid_t to,
                                    const char *codec, stoa_error *err)
{
    stoa_matrix m = {.n = 0};
    hid_t type = info->native_type; /* owned by the array */
    stoa_status status = STOA_OK;

    const bool is_narrow = info->extent[0] <= INT32_MAX && info->extent[1] <= INT32_MAX &&
                           info->n_defined <= INT32_MAX;
    STOA_TRY(
        stoa_matrix_read(array, STOA_MATRIX_CSC, is_narrow ? 4 : 8, STOA_FILE_NATIVE, &m, err));
    if (H5Tequal(type, H5T_NATIVE_INT32) > 0 && turn_into_floats(m.values, m.n)) {
        type = H5T_NATIVE_FLOAT;
    }
    const stoa_matrix turned = {.form = STOA_MATRIX_CSR,
                                .index_size = m.index_size,
                                .n_rows = m.n_columns,
                                .n_columns = m.n_rows,
                                .n = m.n,
                                .pointers = m.pointers,
                                .columns = m.rows,
                                .values = m.values};
    STOA_TRY(stoa_anndata_write_matrix(to, "/X", &turned, type, codec, err));

done:
    stoa_matrix_clear(&m);
    return status;
}

static stoa_status write_tenx(stoa_sparse *array, const stoa_sparse_info *info, hid_t group,
                              const stoa_array_box *box, hid_t to,
                              const stoa_layout_options *options, stoa_error *err)
{
    stoa_matrix_group_info whole = STOA_MATRIX_GROUP_INFO_INIT;

    STOA_RETURN_NOT_OK(stoa_matrix_group_describe(group, ".", &whole, err));
    STOA_RETURN_NOT_OK(write_transposed(array, info, to, options->codec, err));
    STOA_RETURN_NOT_OK(write_names(group, true, whole.n_columns, box != NULL ? box->start[1] : 0,
                                   info->extent[1], to, options, err));
    return write_names(group, false, whole.n_rows, box != NULL ? box->start[0] : 0, info->extent[0],
                       to, options, err);
}

/* --- any matrix ------------------------------------------------------------------------------ */

stoa_status stoa_anndata_of_matrix(stoa_sparse *array, hid_t object, const stoa_array_box *box,
                                   hid_t to, const stoa_layout_options *options, stoa_error *err)
{
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_layout_options own = *options;
    hid_t root = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    own.layout = "anndata";
    STOA_HDF(err, root = H5Gopen2(to, "/", H5P_DEFAULT), "open '/'");
    STOA_TRY(stoa_sparse_describe(array, &info, err));
    if (info.rank != 2) {
        STOA_FAIL(err, STOA_EINVAL, "a matrix has 2 dimensions, this array %u", info.rank);
    }
    if (object >= 0 && H5Iget_type(object) == H5I_GROUP && stoa_anndata_is_tenx(object)) {
        STOA_TRY(write_tenx(array, &info, object, box, root, &own, err));
    } else {
        const uint64_t extent[] = {info.extent[0], info.extent[1]};
        STOA_TRY(stoa_matrix_group_export(array, STOA_MATRIX_CSR, root, "/X", options->codec, err));
        STOA_TRY(write_numbers(root, "/obs", extent[0], &own, err));
        STOA_TRY(write_numbers(root, "/var", extent[1], &own, err));
    }
    STOA_TRY(stoa_anndata_complete(root, err));

done:
    return stoa_hdf_close(&root, status, err);
}
