/* One matrix as a whole AnnData file: X, and frames whose rows are named 0, 1, ... */
#include <stdlib.h>
#include <stoa/matrix_group.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/links.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/root_members.h"
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
    void *const none[] = {NULL};
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
    STOA_TRY(stoa_array_make(out, (int64_t)n, 0, 1, none, err));
    STOA_TRY(stoa_array_children(out, 1, err));
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

/* Write a frame that has names alone. */
static stoa_status write_names(hid_t to, const char *path, uint64_t n,
                               const stoa_layout_options *options, stoa_error *err)
{
    static const stoa_producer producer = {make_schema, next_names, NULL};
    static const char *const labels[] = {"_index"};
    naming names = {.n = n};
    stoa_layout_options own = *options;
    struct ArrowArrayStream stream = {.release = NULL};
    hid_t file = H5I_INVALID_HID;
    stoa_table *table = NULL;
    uint64_t n_rows = 0;
    stoa_status status = STOA_OK;

    own.index_columns = labels;
    own.n_index_columns = 1;
    STOA_TRY(stoa_stream_make(&stream, &producer, &names, err));
    STOA_TRY(stoa_layout_keep_rows(&stream, &own, &file, &table, err));
    STOA_TRY(stoa_layout_write_by(&stoa_anndata_axis_writer, table, NULL, to, path, &own, NULL,
                                  &n_rows, err));

done:
    stoa_stream_release(&stream);
    stoa_table_close(table);
    return stoa_layout_close_temporary(&file, status, err);
}

stoa_status stoa_anndata_of_matrix(stoa_sparse *array, hid_t to, const stoa_layout_options *options,
                                   stoa_error *err)
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
    const uint64_t extent[] = {info.extent[0], info.extent[1]};
    STOA_TRY(stoa_matrix_group_export(array, STOA_MATRIX_CSR, root, "/X", options->codec, err));
    STOA_TRY(write_names(root, "/obs", extent[0], &own, err));
    STOA_TRY(write_names(root, "/var", extent[1], &own, err));
    STOA_TRY(stoa_anndata_complete(root, err));

done:
    return stoa_hdf_close(&root, status, err);
}
