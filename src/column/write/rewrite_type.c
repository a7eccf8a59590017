/* Copy a column's rows to a dataset with a wider type, and put that in its place (HEP001 §8.5). */
#include <stdlib.h>

#include "column/read/block.h"
#include "column/type/fill.h"
#include "column/write/encode.h"
#include "column/write/find_fill.h"
#include "column/write/write.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/links.h"

static stoa_status add_to_domain(void *context, uint64_t first, const stoa_view *view,
                                 stoa_error *err)
{
    (void)first;
    return stoa_domain_add(context, view, err);
}

static stoa_status copy_block(void *context, uint64_t first, const stoa_view *view, stoa_error *err)
{
    stoa_column *to = context;
    void *elements = NULL;
    stoa_status status = stoa_column_encode(to, view, &elements, err);

    if (status == STOA_OK) {
        status = stoa_column_write_elements(to, first, (uint64_t)view->length, elements, err);
    }
    stoa_element_reclaim(&to->element, elements, elements != NULL ? (size_t)view->length : 0);
    free(elements);
    return status;
}

/* Link the new dataset under the old one's name. */
static stoa_status swap_link(hid_t group, const char *name, hid_t old, hid_t dataset,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool is_unlinked = false;

    STOA_HDF(err, stoa_unlink(group, name), "unlink column '%s'", name);
    is_unlinked = true;
    STOA_HDF(err, H5Olink(dataset, group, name, H5P_DEFAULT, H5P_DEFAULT), "link column '%s'",
             name);
    is_unlinked = false;

done:
    if (is_unlinked) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        (void)H5Olink(old, group, name, H5P_DEFAULT, H5P_DEFAULT);
        stoa_error_stack_end(&errors);
    }
    return status;
}

stoa_status stoa_column_exchange(hid_t group, stoa_column *column, stoa_column *other,
                                 stoa_error *err)
{
    STOA_RETURN_NOT_OK(swap_link(group, column->name, column->dataset, other->dataset, err));
    other->n_rows = column->n_rows;
    other->outer_units = column->outer_units;
    other->generation = column->generation;
    other->has_old_references = column->has_old_references;
    /* Others point to the column: swap the contents. */
    const stoa_column old = *column;
    *column = *other;
    *other = old;
    return STOA_OK;
}

stoa_status stoa_column_publish(hid_t group, stoa_column *column, stoa_column *fresh,
                                stoa_error *err)
{
    const hid_t dataset = fresh->dataset;
    stoa_status status = STOA_OK;

    STOA_RETURN_HDF_ERROR(err, stoa_nameless_hold(dataset), "hold column '%s'", column->name);
    status = stoa_column_exchange(group, column, fresh, err);
    if (status != STOA_OK) {
        (void)stoa_nameless_release(dataset);
        return status;
    }
    STOA_RETURN_HDF_ERROR(err, stoa_nameless_release(dataset), "let go of column '%s'",
                          column->name);
    return STOA_OK;
}

stoa_status stoa_column_remake(stoa_column *column, uint64_t n_rows, const stoa_rewriting *how,
                               stoa_column **fresh, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_domain domain = {0};
    hid_t dataset = H5I_INVALID_HID;
    stoa_column *made = NULL;
    void *fill = NULL;

    *fresh = NULL;
    STOA_TRY(stoa_column_visit(column, 0, n_rows, add_to_domain, &domain, err));
    if (how->domain != NULL) {
        stoa_domain_merge(&domain, how->domain);
    }
    if ((how->fill_is_taken || column->fill == NULL) && !column->element.is_truth &&
        column->element.class != STOA_ELEMENT_ENUM && !stoa_column_is_categorical(column) &&
        !stoa_fill_is_known(&column->element, &domain)) {
        STOA_TRY(stoa_column_find_fill(column, n_rows, how->to_come, &fill, err));
    }
    STOA_TRY(stoa_column_rewrite_dataset(column, &domain, how, fill, &dataset, err));
    STOA_HDF(err, H5Iinc_ref(dataset), "hold column '%s'", column->name);
    STOA_TRY(stoa_column_note(dataset, column->name, 0, column->units_vocabulary, &made, err));
    made->outer_units = column->outer_units;
    STOA_TRY(stoa_column_load(made, err));
    *fresh = made;
    made = NULL;

done:
    stoa_column_close(made);
    stoa_element_reclaim(&column->element, fill, fill != NULL ? 1 : 0);
    free(fill);
    status = stoa_hdf_close(&dataset, status, err);
    return stoa_at(err, status, "%s", column->name);
}

stoa_status stoa_column_rewrite_type(stoa_column *column, uint64_t n_rows,
                                     const stoa_rewriting *how, stoa_column **fresh,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *made = NULL;

    *fresh = NULL;
    STOA_TRY(stoa_column_remake(column, n_rows, how, &made, err));
    STOA_TRY(stoa_column_visit(column, 0, n_rows, copy_block, made, err));
    STOA_TRY(stoa_column_flush(made, err));
    *fresh = made;
    made = NULL;

done:
    stoa_column_close(made);
    return stoa_at(err, status, "%s", column->name);
}
