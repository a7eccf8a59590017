/* What is asked of every dataset and group: which way its rows go, numbers of attributes, and the
 * group around it. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/common/extent.h"
#include "layout/plain/plain.h"

hid_t stoa_plain_parent(hid_t object)
{
    char *path = stoa_hdf_name(object, H5Iget_name);
    char *const slash = path != NULL ? strrchr(path, '/') : NULL;
    hid_t parent = H5I_INVALID_HID;

    if (slash != NULL) {
        slash[slash == path] = '\0';
        parent = stoa_object_open(object, path);
    }
    free(path);
    return parent;
}

bool stoa_plain_numbers(hid_t object, const char *name, double *numbers, size_t n)
{
    stoa_error ignored = STOA_ERROR_INIT;
    bool found = false;

    return stoa_attribute_read_doubles(object, name, n, numbers, &found, &ignored) == STOA_OK &&
           found;
}

bool stoa_plain_number(hid_t object, const char *name, double *number)
{
    return stoa_plain_numbers(object, name, number, 1);
}

/* --- shape ----------------------------------------------------------------------------------- */

/* MATLAB stores an m x n matrix as n x m. So its rows go along the last dimension, but for a
 * vector, whose elements are rows either way. A 1 x 1 matrix is a scalar. */
static void turn(stoa_plain_shape *shape)
{
    const int last = shape->rank - 1;
    const bool is_line = shape->rank == 2 && (shape->extent[0] == 1 || shape->extent[1] == 1);

    shape->axis = is_line && shape->extent[0] != 1 ? 0 : last;
    shape->at = is_line ? 0 : STOA_WHOLE_ROWS;
    shape->n_rows = shape->extent[shape->axis];
}

stoa_status stoa_plain_shape_of(hid_t dataset, stoa_plain_shape *shape, stoa_error *err)
{
    *shape = (stoa_plain_shape){.axis = STOA_NO_AXIS, .at = STOA_WHOLE_ROWS, .n_rows = 1};
    STOA_RETURN_NOT_OK(stoa_extent_read(dataset, &shape->rank, shape->extent, err));
    if (shape->rank > 0) {
        shape->axis = 0;
        shape->n_rows = shape->extent[0];
    }
    shape->is_matlab = shape->rank > 1 && stoa_attribute_exists(dataset, STOA_PLAIN_MATLAB_CLASS);
    if (shape->is_matlab) {
        turn(shape);
    }
    return STOA_OK;
}
