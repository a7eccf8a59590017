/* LH5 objects as columns. Declared and actual types must agree (LH5 notes §2 to §4). */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/attributes.h"
#include "layout/common/extent.h"
#include "layout/common/tensor.h"
#include "layout/layout.h"
#include "layout/lh5/read/lh5.h"

/* --- elements -------------------------------------------------------------------------------- */

/* The element of one item. Rows of several dimensions have array elements. */
static const stoa_element *item_of(const stoa_column *column)
{
    const stoa_element *const element = &column->element;

    return element->class == STOA_ELEMENT_ARRAY ? element->items : element;
}

static bool agrees(stoa_lh5_element said, const stoa_element *item)
{
    switch (said) {
    case STOA_LH5_REAL:
        return (item->class == STOA_ELEMENT_INTEGER && !item->is_bitfield) ||
               item->class == STOA_ELEMENT_FLOAT;
    case STOA_LH5_BOOL:
        return item->class == STOA_ELEMENT_INTEGER || item->class == STOA_ELEMENT_ENUM;
    case STOA_LH5_DETECTOR_ID:
    case STOA_LH5_ENUM:
        return item->class == STOA_ELEMENT_INTEGER && !item->is_bitfield;
    case STOA_LH5_STRING:
    case STOA_LH5_SYMBOL:
        return item->class == STOA_ELEMENT_STRING || item->class == STOA_ELEMENT_FIXED_STRING;
    case STOA_LH5_COMPLEX:
        return item->class == STOA_ELEMENT_COMPOUND && item->n_members == 2;
    default:
        return true;
    }
}

static stoa_status present_truth(stoa_column **column, stoa_error *err)
{
    stoa_element *const element = &(*column)->element;
    stoa_element *const item = element->class == STOA_ELEMENT_ARRAY ? element->items : element;
    stoa_column *const numbers = *column;

    if (item->class == STOA_ELEMENT_ENUM) {
        stoa_element_forget_members(item);
        stoa_column_resolve_type(numbers);
    }
    if (item == element && element->size == 1) {
        stoa_column_as_bools(numbers);
        return STOA_OK;
    }
    *column = NULL;
    return stoa_layout_ints_as_bool(numbers, column, err);
}

/* Integers as labels. The attribute defines the labels, not the HDF5 type. */
static stoa_status present_labels(stoa_column *column, const stoa_lh5_datatype *type,
                                  stoa_error *err)
{
    stoa_element *const element = &column->element;
    char **const names = stoa_alloc_zero(type->n_names, sizeof *names);
    int64_t *const codes = stoa_alloc(type->n_names, sizeof *codes);
    bool is_whole = names != NULL && codes != NULL;

    if (element->class != STOA_ELEMENT_INTEGER) { /* rows of several dimensions stay integers */
        free(names);
        free(codes);
        return STOA_OK;
    }
    for (size_t i = 0; is_whole && i < type->n_names; i++) {
        codes[i] = type->values[i];
        names[i] = stoa_strdup(type->names[i]);
        is_whole = names[i] != NULL;
    }
    element->names = names;
    element->codes = codes;
    element->n_members = names != NULL ? type->n_names : 0;
    element->class = STOA_ELEMENT_ENUM;
    stoa_column_resolve_type(column);
    return is_whole ? STOA_OK : stoa_fail_memory(err);
}

/* Convert the elements of a dataset's column to the declared type. */
static stoa_status present_elements(stoa_column **column, const stoa_lh5_datatype *type,
                                    const char *text, stoa_error *err)
{
    if (!agrees(type->element, item_of(*column))) {
        return stoa_fail(err, STOA_EDATA, "its datatype says '%.60s', but it holds %s (LH5)", text,
                         item_of(*column)->text);
    }
    return type->element == STOA_LH5_BOOL   ? present_truth(column, err)
           : type->element == STOA_LH5_ENUM ? present_labels(*column, type, err)
                                            : STOA_OK;
}

/* --- datasets -------------------------------------------------------------------------------- */

/* Record the storage type, and the shape of rows of several dimensions, for writers. */
static stoa_status remark_on_store(stoa_column *column, const char *stored, int rank,
                                   const hsize_t *extent, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_column_add_metadata(column, "lh5.stored", stored, err));
    if (rank > 2) {
        STOA_RETURN_NOT_OK(stoa_tensor_add_metadata(column, rank - 1, extent + 1, err));
    }
    return STOA_OK;
}

static stoa_status open_dataset(hid_t object, const char *name, const stoa_lh5_datatype *type,
                                const char *text, stoa_column **column, stoa_error *err)
{
    const bool is_scalar = type->kind == STOA_LH5_SCALAR;
    const unsigned wanted = type->rank + type->inner;
    hsize_t extent[H5S_MAX_RANK] = {0};
    char stored[sizeof(*column)->element.text];
    int rank = 0;

    if (H5Iget_type(object) != H5I_DATASET) {
        return stoa_fail(err, STOA_EDATA, "its datatype says '%.60s', but it is a group (LH5)",
                         text);
    }
    STOA_RETURN_NOT_OK(stoa_extent_read(object, &rank, extent, err));
    rank = rank < 0 ? 0 : rank; /* a NULL dataspace */
    if (is_scalar ? rank > 1 || (rank == 1 && extent[0] != 1) : (unsigned)rank != wanted) {
        return stoa_fail(err, STOA_EDATA,
                         "its datatype says '%.60s', but it has %d dimensions (LH5)", text, rank);
    }
    STOA_RETURN_NOT_OK(stoa_chunks_check(object, err));
    STOA_RETURN_HDF_ERROR(err, H5Iinc_ref(object), "hold the dataset");
    STOA_RETURN_NOT_OK(stoa_column_of_dataset(name, object, rank == 0 ? STOA_NO_AXIS : 0,
                                              STOA_WHOLE_ROWS, column, err));
    memcpy(stored, item_of(*column)->text, sizeof stored);
    STOA_RETURN_NOT_OK(present_elements(column, type, text, err));
    return remark_on_store(*column, stored, rank, extent, err);
}

/* --- all kinds -------------------------------------------------------------------------------- */

static stoa_status open_member(hid_t group, const char *member, const char *name, bool is_array,
                               stoa_column **column, stoa_error *err);

static stoa_status open_kind(hid_t object, const char *name, const stoa_lh5_datatype *type,
                             const char *text, stoa_column **column, stoa_error *err)
{
    switch (type->kind) {
    case STOA_LH5_SCALAR:
    case STOA_LH5_ARRAY:
    case STOA_LH5_FIXED_ARRAY:
    case STOA_LH5_EQUAL_ARRAYS:
        return open_dataset(object, name, type, text, column, err);
    default:
        break;
    }
    if (H5Iget_type(object) != H5I_GROUP) {
        return stoa_fail(err, STOA_EDATA, "its datatype says '%.60s', but it is a dataset (LH5)",
                         text);
    }
    switch (type->kind) {
    case STOA_LH5_VECTORS:
        return stoa_lh5_open_vectors(object, name, type, open_member, column, err);
    case STOA_LH5_ENCODED_VECTORS:
    case STOA_LH5_ENCODED_ARRAYS:
        return stoa_lh5_open_encoded(object, name, type->kind == STOA_LH5_ENCODED_ARRAYS,
                                     open_member, column, err);
    default:
        return stoa_fail(err, STOA_EDATA, "'%.60s' is no column of a table (LH5)", text);
    }
}

/* Take the remaining attributes of the column. If a vector has no units, the units of its items are
 * used (LH5 notes §3). */
static stoa_status read_attributes(hid_t object, const char *text, stoa_column *column,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    double shift = 0;
    bool found = false;
    char *codec = NULL;
    char number[STOA_NUMBER_SIZE];
    hid_t items = H5I_INVALID_HID;

    STOA_TRY(stoa_attribute_read_optional(object, "units", &column->units, err));
    if (column->units == NULL && H5Iget_type(object) == H5I_GROUP &&
        (items = stoa_object_open(object, STOA_LH5_ITEMS)) >= 0) {
        STOA_TRY(stoa_attribute_read_optional(items, "units", &column->units, err));
        STOA_TRY(stoa_column_add_metadata(column, "lh5.units_of",
                                          column->units != NULL ? STOA_LH5_ITEMS : NULL, err));
    }
    STOA_TRY(stoa_attribute_read_optional(object, "description", &column->description, err));
    STOA_TRY(stoa_column_add_metadata(column, "lh5.datatype", text, err));
    STOA_TRY(stoa_attribute_read_optional(object, "codec", &codec, err));
    STOA_TRY(stoa_column_add_metadata(column, "lh5.codec", codec, err));
    if (codec != NULL && stoa_lh5_read_shift(object, &shift, &found, NULL) == STOA_OK && found) {
        (void)stoa_format_f64(shift, number);
        STOA_TRY(stoa_column_add_metadata(column, "lh5.codec_shift", number, err));
    }
    STOA_TRY(stoa_lh5_read_attributes(object, column, err));

done:
    free(codec);
    return stoa_hdf_close(&items, status, err);
}

stoa_status stoa_lh5_open_column(hid_t object, const char *name, stoa_column **column,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    char *text = NULL;

    *column = NULL;
    STOA_TRY(stoa_lh5_type_of(object, &type, &text, err));
    if (text == NULL) {
        STOA_FAIL(err, STOA_EDATA, "it has no attribute 'datatype' (LH5, data model)");
    }
    STOA_TRY(open_kind(object, name, &type, text, column, err));
    STOA_TRY(read_attributes(object, text, *column, err));

done:
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    stoa_lh5_datatype_clear(&type);
    free(text);
    return status;
}

static stoa_status open_member(hid_t group, const char *member, const char *name, bool is_array,
                               stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = stoa_object_open(group, member);

    *column = NULL;
    if (object < 0) {
        STOA_FAIL(err, STOA_EDATA, "there is no '%s' in it (LH5)", member);
    }
    if (is_array && H5Iget_type(object) != H5I_DATASET) {
        STOA_FAIL(err, STOA_EDATA, "it is a group, not numbers (LH5)");
    }
    STOA_TRY(stoa_lh5_open_column(object, name, column, err));

done:
    (void)stoa_at(err, status, "%s", member);
    return stoa_hdf_close(&object, status, err);
}

stoa_status stoa_lh5_open_numbers(hid_t group, const char *member, stoa_column **column,
                                  stoa_error *err)
{
    return open_member(group, member, member, true, column, err);
}
