/* Convert Arrow values to elements of HDF5 datatypes of fixed size (<stoa/sparse_arrow.h>). */
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "sparse/array/arrow.h"

enum { MAX_BYTES = 1 << 20, MAX_DEPTH = 32 }; /* limits of an element and of nesting */

static stoa_status make_type(const struct ArrowSchema *field, int depth, hid_t *type,
                             stoa_error *err);

static const char *field_name(const struct ArrowSchema *field)
{
    return field->name != NULL ? field->name : "";
}

static stoa_status make_compound(const struct ArrowSchema *field, int depth, hid_t *type,
                                 stoa_error *err)
{
    hid_t member = H5I_INVALID_HID;
    size_t size = 0;
    stoa_status status = STOA_OK;

    if (field->n_children == 0) {
        STOA_FAIL(err, STOA_ETYPE, "a struct without fields is no value");
    }
    STOA_HDF(err, *type = H5Tcreate(H5T_COMPOUND, MAX_BYTES), "make a compound type");
    for (int64_t i = 0; i < field->n_children; i++) {
        const struct ArrowSchema *child = field->children[i];
        STOA_TRY(make_type(child, depth + 1, &member, err));
        if (size + H5Tget_size(member) > MAX_BYTES) {
            STOA_FAIL(err, STOA_ETYPE, "a value of more than %d bytes", MAX_BYTES);
        }
        STOA_HDF(err, H5Tinsert(*type, field_name(child), size, member),
                 "make a compound type with '%s'", field_name(child));
        size += H5Tget_size(member);
        STOA_TRY(stoa_hdf_close(&member, status, err));
    }
    STOA_HDF(err, H5Tset_size(*type, size), "make a compound type");

done:
    return stoa_hdf_close(&member, status, err);
}

static stoa_status make_array(const struct ArrowSchema *field, int32_t width, int depth,
                              hid_t *type, stoa_error *err)
{
    hid_t item = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(make_type(field->children[0], depth + 1, &item, err));
    if (width < 1 || (size_t)width > MAX_BYTES / H5Tget_size(item)) {
        STOA_FAIL(err, STOA_ETYPE, "lists of %d items are no values", (int)width);
    }
    STOA_HDF(err, *type = H5Tarray_create2(item, 1, &(hsize_t){(hsize_t)width}),
             "make an array type");

done:
    return stoa_hdf_close(&item, status, err);
}

static stoa_status make_number(stoa_kind kind, hid_t *type, stoa_error *err)
{
    const hid_t types[] = {[STOA_KIND_INT8] = H5T_NATIVE_INT8,
                           [STOA_KIND_INT16] = H5T_NATIVE_INT16,
                           [STOA_KIND_INT32] = H5T_NATIVE_INT32,
                           [STOA_KIND_INT64] = H5T_NATIVE_INT64,
                           [STOA_KIND_UINT8] = H5T_NATIVE_UINT8,
                           [STOA_KIND_UINT16] = H5T_NATIVE_UINT16,
                           [STOA_KIND_UINT32] = H5T_NATIVE_UINT32,
                           [STOA_KIND_UINT64] = H5T_NATIVE_UINT64,
                           [STOA_KIND_FLOAT32] = H5T_NATIVE_FLOAT,
                           [STOA_KIND_FLOAT64] = H5T_NATIVE_DOUBLE,
                           [STOA_KIND_FLOAT16] = H5Tget_order(H5T_NATIVE_INT) == H5T_ORDER_BE
                                                     ? H5T_IEEE_F16BE
                                                     : H5T_IEEE_F16LE};

    STOA_RETURN_HDF_ERROR(err, *type = H5Tcopy(types[kind]), "make the type of values");
    return STOA_OK;
}

static stoa_status make_type(const struct ArrowSchema *field, int depth, hid_t *type,
                             stoa_error *err)
{
    stoa_type is;
    char name[64];
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_type_of(field, &is, err));
    if (depth > MAX_DEPTH) {
        STOA_FAIL(err, STOA_ETYPE, "values are nested more than %d deep", MAX_DEPTH);
    }
    if (stoa_kind_is_integer(is.kind) || stoa_kind_is_float(is.kind)) {
        STOA_TRY(make_number(is.kind, type, err));
    } else if (is.kind == STOA_KIND_BOOL) {
        STOA_TRY(stoa_boolean_type(type, err));
    } else if (is.kind == STOA_KIND_STRUCT) {
        STOA_TRY(make_compound(field, depth, type, err));
    } else if (is.kind == STOA_KIND_FIXED_LIST) {
        STOA_TRY(make_array(field, is.width, depth, type, err));
    } else if (is.kind == STOA_KIND_FIXED_BINARY && is.width > 0 && is.width <= MAX_BYTES) {
        STOA_HDF(err, *type = H5Tcreate(H5T_OPAQUE, (size_t)is.width), "make an opaque type");
    } else if (is.kind == STOA_KIND_DICTIONARY) {
        STOA_TRY(make_type(field->dictionary, depth + 1, type, err));
    } else {
        STOA_FAIL(err, STOA_ETYPE, "a sparse array has no values of type %s",
                  stoa_type_name(&is, name));
    }

done:
    if (status != STOA_OK) {
        (void)stoa_hdf_close(type, STOA_OK, NULL);
    }
    return status;
}

stoa_status stoa_arrow_value_type(const struct ArrowSchema *field, hid_t *type, stoa_error *err)
{
    *type = H5I_INVALID_HID;
    return stoa_at(err, make_type(field, 0, type, err), "column '%s'", field_name(field));
}

/* --- values ---------------------------------------------------------------------------------- */

static void put_plain(const stoa_view *view, size_t size, int64_t first, int64_t n, uint8_t *out,
                      size_t stride)
{
    const uint8_t *from = (const uint8_t *)view->values + (size_t)(view->offset + first) * size;

    if (stride == size) {
        memcpy(out, from, (size_t)n * size);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        memcpy(out + (size_t)i * stride, from + (size_t)i * size, size);
    }
}

static stoa_status put_lists(const stoa_view *view, const stoa_element *element, int64_t first,
                             int64_t n, uint8_t *out, size_t stride, stoa_error *err)
{
    const stoa_element *item = &element->items[0];
    stoa_view items;

    STOA_RETURN_NOT_OK(stoa_view_child(view, 0, &items, err));
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0;
        int64_t width = 0;
        stoa_view_range(view, first + i, &at, &width);
        STOA_RETURN_NOT_OK(stoa_arrow_put_values(&items, item, at, width, out + (size_t)i * stride,
                                                 item->size, err));
    }
    return STOA_OK;
}

static stoa_status put_dictionary(const stoa_view *view, const stoa_element *element, int64_t first,
                                  int64_t n, uint8_t *out, size_t stride, stoa_error *err)
{
    stoa_view labels;

    STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &labels, err));
    for (int64_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(stoa_arrow_put_values(&labels, element, stoa_view_i64(view, first + i),
                                                 1, out + (size_t)i * stride, stride, err));
    }
    return STOA_OK;
}

stoa_status stoa_arrow_put_values(const stoa_view *view, const stoa_element *element, int64_t first,
                                  int64_t n, uint8_t *out, size_t stride, stoa_error *err)
{
    stoa_view child;

    if (view->null_count > 0) {
        return stoa_fail(err, STOA_EDATA, "a null is no value of an element; leave its row out");
    }
    if (n == 0) {
        return STOA_OK;
    }
    if (view->type.kind == STOA_KIND_STRUCT) {
        for (size_t i = 0; i < element->n_members; i++) {
            STOA_RETURN_NOT_OK(stoa_view_child(view, (int64_t)i, &child, err));
            STOA_RETURN_NOT_OK(stoa_arrow_put_values(&child, &element->items[i], first, n,
                                                     out + element->offsets[i], stride, err));
        }
    } else if (view->type.kind == STOA_KIND_FIXED_LIST) {
        STOA_RETURN_NOT_OK(put_lists(view, element, first, n, out, stride, err));
    } else if (view->type.kind == STOA_KIND_DICTIONARY) {
        STOA_RETURN_NOT_OK(put_dictionary(view, element, first, n, out, stride, err));
    } else if (view->type.kind == STOA_KIND_BOOL) {
        for (int64_t i = 0; i < n; i++) {
            out[(size_t)i * stride] =
                stoa_bit_get(view->values, (uint64_t)(view->offset + first + i)) ? 1 : 0;
        }
    } else {
        put_plain(view, element->size, first, n, out, stride);
    }
    return STOA_OK;
}
