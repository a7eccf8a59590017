#include "column/type/tensor.h"

#include <stdlib.h>
#include <string.h>

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

/* Parse a JSON shape such as "[3,2]". Returns the rank, or 0 if the shape does not fit. */
static int parse(const char *text, uint64_t n_items, hsize_t *shape)
{
    const char *at = strstr(text, "\"shape\"");
    uint64_t product = 1;
    int n = 0;

    at = at != NULL ? strchr(at, '[') : NULL;
    while (at != NULL && *at != ']' && n < H5S_MAX_RANK) {
        at++;
        at += strspn(at, " ");
        const size_t length = strspn(at, "0123456789");
        uint64_t number = 0;
        if (!stoa_parse_u64(at, length, &number) ||
            __builtin_mul_overflow(product, number, &product)) {
            return 0;
        }
        shape[n++] = number;
        at += length;
        at += strspn(at, " ");
        at = *at == ',' || *at == ']' ? at : NULL;
    }
    return at != NULL && *at == ']' && product == n_items ? n : 0;
}

stoa_status stoa_tensor_shape(const struct ArrowSchema *field, uint64_t n_items, hsize_t *shape,
                              int *rank, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    *rank = 0;
    STOA_TRY(stoa_schema_get_text(field, "ARROW:extension:metadata", &text, err));
    *rank = text != NULL ? parse(text, n_items, shape) : 0;

done:
    free(text);
    return status;
}
