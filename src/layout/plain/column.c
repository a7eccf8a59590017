/* A dataset as a column: which way its rows go, and what its attributes say of them. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/attributes.h"
#include "layout/common/tensor.h"
#include "layout/plain/plain.h"

/* --- cells ----------------------------------------------------------------------------------- */

/* The shape of a cell that has several dimensions. */
static stoa_status note_shape(const stoa_plain_shape *shape, stoa_column *column, stoa_error *err)
{
    hsize_t cell[H5S_MAX_RANK];

    if (shape->rank <= 2 || shape->at != STOA_WHOLE_ROWS) {
        return STOA_OK;
    }
    for (int i = 0; i < shape->rank - 1; i++) {
        cell[i] = shape->extent[shape->axis == 0 ? i + 1 : shape->rank - 2 - i];
    }
    return stoa_tensor_add_metadata(column, shape->rank - 1, cell, err);
}

/* --- meaning --------------------------------------------------------------------------------- */

/* MATLAB's logical, and the booleans that xarray writes into netCDF. */
static bool are_said_booleans(hid_t object)
{
    return stoa_attribute_is(object, STOA_PLAIN_MATLAB_CLASS, "logical") ||
           stoa_attribute_is(object, "dtype", "bool");
}

static stoa_status present_booleans(hid_t object, stoa_column **column, stoa_error *err)
{
    stoa_element *const element = &(*column)->element;
    const stoa_element *const item =
        element->class == STOA_ELEMENT_ARRAY ? element->items : element;
    stoa_column *const numbers = *column;

    if (stoa_element_truth_form(element) == STOA_TRUTH_PLAIN) {
        stoa_element_as_boolean(element);
        stoa_column_resolve_type(*column);
        return STOA_OK;
    }
    if (item->class != STOA_ELEMENT_INTEGER || item->size != 1 || !are_said_booleans(object)) {
        return STOA_OK;
    }
    if (item == element) {
        stoa_column_as_bools(*column);
        return STOA_OK;
    }
    *column = NULL;
    return stoa_layout_ints_as_bool(numbers, column, err);
}

stoa_status stoa_plain_present(hid_t object, stoa_column **column, stoa_error *err)
{
    static const char *const descriptions[] = {"long_name", "description", "Description", NULL};
    stoa_status status = STOA_OK;
    char *description = NULL;

    STOA_TRY(present_booleans(object, column, err));
    stoa_column *const raw = *column;
    *column = NULL;
    STOA_TRY(stoa_plain_apply_cf(object, raw, column, err));
    for (size_t i = 0; descriptions[i] != NULL && description == NULL; i++) {
        STOA_TRY(stoa_attribute_read_optional(object, descriptions[i], &description, err));
    }
    if (description != NULL && description[0] != '\0') {
        (*column)->description = description;
        description = NULL;
    }

done:
    free(description);
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    return status;
}

stoa_status stoa_plain_open_column(hid_t dataset, const char *name, uint64_t n_rows,
                                   stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_plain_shape shape;

    *column = NULL;
    (void)n_rows;
    STOA_TRY(stoa_plain_shape_of(dataset, &shape, err));
    if (shape.rank < 0) {
        STOA_FAIL(err, STOA_EDATA, "it has no elements (a NULL dataspace)");
    }
    STOA_TRY(stoa_chunks_check(dataset, err));
    STOA_HDF(err, H5Iinc_ref(dataset), "hold the dataset");
    STOA_TRY(stoa_column_of_dataset(name, dataset, shape.axis, shape.at, column, err));
    STOA_TRY(note_shape(&shape, *column, err));
    STOA_TRY(stoa_plain_present(dataset, column, err));

done:
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    return stoa_at(err, status, "%s", name);
}
