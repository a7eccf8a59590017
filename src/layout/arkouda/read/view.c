/* ArrayViews: multidimensional arrays, stored flat, or with their shape in files of 2022 (Arkouda
 * notes §L). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/arkouda/read/column.h"
#include "layout/common/extent.h"
#include "layout/layout.h"

#define EXTENSION_NAME "ARROW:extension:name"
#define EXTENSION_METADATA "ARROW:extension:metadata"

/* --- fixed-size rows ------------------------------------------------------------------------- */

typedef struct tensor {
    stoa_arkouda_node node;
    stoa_arkouda_node *items;
    uint64_t width;
    char *shape; /* of a row, as the extension's metadata */
} tensor;

static stoa_status tensor_schema(const stoa_arkouda_node *node, const char *name,
                                 struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const tensor *const is = (const tensor *)node;
    char format[32];

    (void)snprintf(format, sizeof format, "+w:%llu", (unsigned long long)is->width);
    STOA_TRY(stoa_schema_make(out, name, format, err));
    STOA_TRY(stoa_schema_children(out, 1, err));
    STOA_TRY(is->items->schema(is->items, "item", out->children[0], err));
    STOA_TRY(stoa_schema_set(out, EXTENSION_NAME, "arrow.fixed_shape_tensor", err));
    STOA_TRY(stoa_schema_set(out, EXTENSION_METADATA, is->shape, err));

done:
    if (status != STOA_OK) {
        stoa_schema_release(out);
    }
    return status;
}

static stoa_status tensor_read(const stoa_arkouda_node *node, uint64_t first, uint64_t count,
                               struct ArrowArray *out, stoa_error *err)
{
    const tensor *const is = (const tensor *)node;
    struct ArrowArray items = {.release = NULL};

    STOA_RETURN_NOT_OK(
        is->items->read(is->items, first * is->width, count * is->width, &items, err));
    return stoa_array_list(out, (int64_t)count, 0, 1, (void *const[]){NULL}, &items, err);
}

static void tensor_close(stoa_arkouda_node *node)
{
    tensor *const is = (tensor *)node;

    stoa_arkouda_node_close(is->items);
    free(is->shape);
}

/* {"shape":[3,4]} of the dimensions after the first, and their product. The caller frees the
 * text. */
static stoa_status describe_row(const int64_t *shape, size_t rank, char **described,
                                uint64_t *width, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};

    *width = 1;
    STOA_TRY(stoa_buffer_print(&text, err, "{\"shape\":["));
    for (size_t i = 1; i < rank; i++) {
        if (shape[i] <= 0 || (uint64_t)shape[i] > INT32_MAX / *width) {
            STOA_FAIL(err, STOA_EDATA, "has a Shape of rows of no, or of too many, elements");
        }
        *width *= (uint64_t)shape[i];
        STOA_TRY(stoa_buffer_print(&text, err, "%s%lld", i > 1 ? "," : "", (long long)shape[i]));
    }
    STOA_TRY(stoa_buffer_print(&text, err, "]}"));
    *described = stoa_buffer_detach(&text);

done:
    stoa_buffer_clear(&text);
    return status;
}

static stoa_status tensor_open(stoa_arkouda_set *set, stoa_arkouda_node *items,
                               const int64_t *shape, size_t rank, stoa_arkouda_node **node,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    tensor *made = NULL;
    const uint64_t n_items = stoa_arkouda_rows(items);

    *node = NULL;
    STOA_TRY(stoa_arkouda_node_make(sizeof *made, set, tensor_close, &made, err));
    made->items = items;
    items = NULL;
    STOA_TRY(describe_row(shape, rank, &made->shape, &made->width, err));
    if (shape[0] < 0 || n_items % made->width != 0 || n_items / made->width != (uint64_t)shape[0]) {
        STOA_FAIL(err, STOA_EDATA, "has %llu elements, and a Shape of another number of them",
                  (unsigned long long)n_items);
    }
    made->node.starts[set->n] = (uint64_t)shape[0]; /* rows continue from file to file */
    made->node.is_free = made->items->is_free;
    made->node.schema = tensor_schema;
    made->node.read = tensor_read;
    *node = &made->node;
    made = NULL;

done:
    stoa_arkouda_node_close(items);
    stoa_arkouda_node_close((stoa_arkouda_node *)made);
    return status;
}

/* --- multidimensional arrays ----------------------------------------------------------------- */

static stoa_status read_shape(hid_t object, int64_t *shape, size_t *rank, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attribute = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;

    *rank = 0;
    STOA_HDF(err, attribute = H5Aopen(object, STOA_ARKOUDA_SHAPE, H5P_DEFAULT), "open 'Shape'");
    STOA_HDF(err, space = H5Aget_space(attribute), "get the shape of 'Shape'");
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    if (n < 1 || n > H5S_MAX_RANK || n != stoa_arkouda_number(object, STOA_ARKOUDA_RANK, -1)) {
        STOA_FAIL(err, STOA_EDATA, "has a Shape of %lld dimensions, and another Rank",
                  (long long)n);
    }
    STOA_HDF(err, H5Aread(attribute, H5T_NATIVE_INT64, shape), "read 'Shape'");
    *rank = (size_t)n;

done:
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&attribute, status, err);
}

/* Check that an array has the dimensions of its attribute Shape. */
static stoa_status check_extent(hid_t dataset, const int64_t *shape, size_t rank, stoa_error *err)
{
    hsize_t extent[H5S_MAX_RANK];
    int found = 0;

    STOA_RETURN_NOT_OK(stoa_extent_read(dataset, &found, extent, err));
    bool is_same = found == (int)rank;
    for (size_t i = 0; is_same && i < rank; i++) {
        is_same = shape[i] >= 0 && extent[i] == (hsize_t)shape[i];
    }
    return is_same ? STOA_OK
                   : stoa_fail(err, STOA_EDATA, "is stored with another shape than its Shape says");
}

static stoa_status present_bools(stoa_column **column, stoa_error *err)
{
    const stoa_element *const element = &(*column)->element;
    const stoa_element *const item =
        element->class == STOA_ELEMENT_ARRAY ? element->items : element;

    if (item->kind != STOA_KIND_UINT8 && item->kind != STOA_KIND_INT8) {
        return stoa_fail(err, STOA_EDATA, "has isBool 1, but holds %s", item->text);
    }
    return stoa_layout_ints_as_bool(*column, column, err);
}

/* Arrays of 2022 may be stored with their shape, which is then the shape of the dataset. */
static stoa_status open_shaped(hid_t object, const int64_t *shape, size_t rank, const char *name,
                               stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *described = NULL;
    uint64_t width = 0;

    STOA_TRY(check_extent(object, shape, rank, err));
    STOA_TRY(describe_row(shape, rank, &described, &width, err));
    STOA_HDF(err, H5Iinc_ref(object), "hold the array");
    STOA_TRY(stoa_column_of_dataset(name, object, 0, STOA_WHOLE_ROWS, column, err));
    if (stoa_arkouda_number(object, STOA_ARKOUDA_IS_BOOL, 0) == 1) {
        STOA_TRY(present_bools(column, err));
    }
    if (rank > 1) {
        STOA_TRY(
            stoa_column_add_metadata(*column, EXTENSION_NAME, "arrow.fixed_shape_tensor", err));
        STOA_TRY(stoa_column_add_metadata(*column, EXTENSION_METADATA, described, err));
    }

done:
    free(described);
    return status;
}

static stoa_status open_flat(stoa_arkouda_set *set, const char *path,
                             const stoa_arkouda_class *sort, const int64_t *shape, size_t rank,
                             const char *name, stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_arkouda_node *items = NULL;
    stoa_arkouda_node *node = NULL;

    STOA_TRY((sort->is_bigint ? stoa_arkouda_bigint_open(set, path, &items, err)
                              : stoa_arkouda_numbers_open(set, path, NULL, &items, err)));
    if (rank > 1 || shape[0] < 0 || stoa_arkouda_rows(items) != (uint64_t)shape[0]) {
        STOA_TRY(tensor_open(set, items, shape, rank, &node, err));
    } else {
        node = items;
    }
    STOA_TRY(stoa_arkouda_numbers_of(node) != NULL
                 ? stoa_arkouda_column_of_numbers(node, name, column, err)
                 : stoa_arkouda_column_of(node, name, column, err));

done:
    return stoa_arkouda_set_at(set, 0, path, status, err);
}

stoa_status stoa_arkouda_view_open(stoa_arkouda_set *set, const char *path,
                                   const stoa_arkouda_class *sort, const char *name,
                                   stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = stoa_arkouda_set_object(set, 0, path);
    int64_t shape[H5S_MAX_RANK];
    size_t rank = 0;

    STOA_TRY(read_shape(object, shape, &rank, err));
    STOA_TRY(!sort->is_group && stoa_arkouda_number(object, STOA_ARKOUDA_FORMAT, 0) == 1
                 ? open_shaped(object, shape, rank, name, column, err)
                 : open_flat(set, path, sort, shape, rank, name, column, err));

done:
    (void)stoa_arkouda_set_at(set, 0, path, status, err);
    return stoa_hdf_close(&object, status, err);
}
