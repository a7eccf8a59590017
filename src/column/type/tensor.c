#include "column/type/tensor.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"

stoa_status stoa_tensor_metadata(int rank, const hsize_t *extent, char **text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer shape = {0};

    *text = NULL;
    for (int i = 0; i < rank; i++) {
        STOA_TRY(stoa_buffer_print(&shape, err, "%s%llu", i > 0 ? "," : "{\"shape\":[",
                                   (unsigned long long)extent[i]));
    }
    STOA_TRY(stoa_buffer_print(&shape, err, "]}"));
    STOA_TRY(stoa_buffer_detach_text(&shape, text, err));

done:
    stoa_buffer_clear(&shape);
    return status;
}

stoa_status stoa_tensor_of_element(const stoa_element *element, char **text, stoa_error *err)
{
    const stoa_element *const item = element->class == STOA_ELEMENT_ARRAY ? element->items : NULL;
    hsize_t extent[H5S_MAX_RANK];

    *text = NULL;
    if (item == NULL || item->logical != STOA_LOGICAL_NONE ||
        (item->class != STOA_ELEMENT_INTEGER && item->class != STOA_ELEMENT_FLOAT) ||
        H5Tget_array_ndims(element->mem_type) < 2) {
        return STOA_OK;
    }
    int rank = 0;
    STOA_RETURN_HDF_ERROR(err, rank = H5Tget_array_dims2(element->mem_type, extent),
                          "read an array type");
    return stoa_tensor_metadata(rank, extent, text, err);
}

/* Find the shape in metadata such as {"shape":[3,2]}. *rank is 0 if it does not fit. */
static stoa_status find_shape(stoa_json *json, uint64_t n_items, hsize_t *shape, int *rank,
                              stoa_error *err)
{
    uint64_t sizes[H5S_MAX_RANK];
    stoa_json_kind kind = STOA_JSON_NULL;
    uint64_t product = 1;
    bool has_item = true;
    size_t n = 0;

    STOA_RETURN_NOT_OK(stoa_json_value(json, &kind, err));
    has_item = kind == STOA_JSON_OBJECT;
    for (bool is_first = true; has_item; is_first = false) {
        STOA_RETURN_NOT_OK(stoa_json_has_item(json, is_first, '}', &has_item, err));
        if (has_item) {
            STOA_RETURN_NOT_OK(stoa_json_key(json, err));
            const bool is_shape = json->length == 5 && memcmp(json->text, "shape", 5) == 0;
            STOA_RETURN_NOT_OK(stoa_json_value(json, &kind, err));
            STOA_RETURN_NOT_OK(is_shape && kind == STOA_JSON_ARRAY
                                   ? stoa_json_sizes(json, sizes, H5S_MAX_RANK, &n, err)
                                   : stoa_json_skip(json, kind, err));
        }
    }
    for (size_t i = 0; i < n; i++) {
        shape[i] = sizes[i];
        if (__builtin_mul_overflow(product, sizes[i], &product)) {
            return STOA_OK;
        }
    }
    *rank = product == n_items ? (int)n : 0;
    return STOA_OK;
}

stoa_status stoa_tensor_shape(const struct ArrowSchema *field, uint64_t n_items, hsize_t *shape,
                              int *rank, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_json json = {0};
    char *text = NULL;

    *rank = 0;
    STOA_TRY(stoa_schema_get_text(field, "ARROW:extension:metadata", &text, err));
    if (text == NULL) {
        goto done;
    }
    stoa_json_begin(&json, text, strlen(text), 1);
    if (find_shape(&json, n_items, shape, rank, NULL) == STOA_ENOMEM) { /* others are no shape */
        status = stoa_fail_memory(err);
    }

done:
    stoa_json_clear(&json);
    free(text);
    return status;
}
