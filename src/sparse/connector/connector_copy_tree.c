/*
 * H5Ocopy() of a group that has datasets with variable-length data in section 2.
 *
 * libhdf5 copies the whole group, through a filter that decodes such chunks as empty
 * (filter_probe.c). Then each of these chunks is copied as stored. In datasets whose data are in
 * the global heap, the defined and empty elements are defined again.
 */
#include <stdlib.h>
#include <string.h>

#include "hdf/ids.h"
#include "sparse/connector/connector_copy.h"
#include "sparse/connector/connector_parts.h"
#include "sparse/format/filter.h"

/* A copy in progress. */
typedef struct tree {
    stoa_link *from;
    const H5VL_loc_params_t *there;
    const char *name;
    const stoa_copy_target *to;
    hid_t dxpl;
} tree;

/* --- one dataset ----------------------------------------------------------------------------- */

/* Copy chunks as stored. libhdf5 has copied the chunks that another program stored dense. */
static stoa_status copy_chunks(stoa_store *from, stoa_store *to, stoa_error *err)
{
    const stoa_box all = stoa_shape_all(stoa_store_shape(from));
    stoa_buffer numbers = {NULL, 0, 0};
    stoa_buffer bytes = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_store_chunks(from, &all, &numbers, err));
    const uint64_t *number = (const uint64_t *)(const void *)numbers.data;
    for (size_t i = 0; i < numbers.size / sizeof *number; i++) {
        uint32_t mask = 0;
        STOA_TRY(stoa_store_get_packed(from, number[i], &bytes, &mask, err));
        if (bytes.size > 0 && mask == 0) {
            STOA_TRY(
                stoa_store_put_packed(to, number[i], bytes.data, bytes.size, STOA_UNKNOWN, err));
        }
    }

done:
    stoa_buffer_clear(&bytes);
    stoa_buffer_clear(&numbers);
    return status;
}

/* Check that no chunk of a dataset that the store cannot open was copied as empty. */
static stoa_status check_other(stoa_link *source, stoa_error *err)
{
    stoa_sparse_format format;
    hid_t dcpl = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_below_get(source, H5VL_DATASET_GET_DCPL, &dcpl, err));
    if (stoa_sparse_format_of_list(dcpl, &format, NULL) == STOA_OK && format.has_heap) {
        STOA_FAIL(err, STOA_EDATA, "has strings or sequences that cannot be found");
    }

done:
    return stoa_hdf_close(&dcpl, status, err);
}

/* Create the dataset again, replacing libhdf5's copy, whose fill value refers to the heap of the
 * source file. A copy with other hard links is refused, because these would still lead to it. */
static stoa_status make_anew(const tree *t, stoa_link *source, const char *name, stoa_error *err)
{
    stoa_copy_target there = *t->to;
    H5VL_loc_params_t where = {.type = H5VL_OBJECT_BY_NAME, .obj_type = there.here->obj_type};
    H5O_info2_t info;
    H5VL_object_get_args_t args = {.op_type = H5VL_OBJECT_GET_INFO};

    there.name = name;
    where.loc_data.loc_by_name.name = name;
    where.loc_data.loc_by_name.lapl_id = H5P_LINK_ACCESS_DEFAULT;
    args.args.get_info.oinfo = &info;
    args.args.get_info.fields = H5O_INFO_BASIC;
    STOA_RETURN_HDF_ERROR(
        err, H5VLobject_get(there.at->object, &where, there.at->below, &args, t->dxpl, NULL),
        "look at a copy");
    if (info.rc > 1) {
        return stoa_fail(
            err, STOA_ETYPE,
            "has %u names and a fill value of variable length, of which HDF5 makes no copy",
            info.rc);
    }
    stoa_copy_remove(&there, t->dxpl);
    return stoa_copy_alike(source, &there, t->dxpl, err);
}

static stoa_status fill_copy(const tree *t, stoa_link *source, const char *name, stoa_error *err)
{
    const stoa_copy_target *to = t->to;
    const stoa_sparse_format *format = stoa_store_format(source->dataset->store);
    stoa_link *copy = NULL;
    stoa_status status = STOA_OK;

    if (format->fill_is_variable && source->file != to->at->file) {
        return make_anew(t, source, name, err);
    }
    copy = stoa_copy_open(to->at, to->here, name, t->dxpl);
    if (copy == NULL || !stoa_copy_is_variable(copy)) {
        STOA_FAIL(err, STOA_EDATA, "its copy cannot be opened");
    }
    STOA_TRY((format->has_heap ? copy_chunks : stoa_copy_empty)(source->dataset->store,
                                                                copy->dataset->store, err));

done:
    if (copy != NULL) {
        (void)stoa_on_dataset_close(copy, t->dxpl, NULL);
    }
    return status;
}

static stoa_status fill_dataset(const tree *t, const char *name, stoa_error *err)
{
    char *path = stoa_format("%s/%s", t->name, name);
    char *new_path = stoa_format("%s/%s", t->to->name, name);
    stoa_link *source = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(path != NULL && new_path != NULL ? STOA_OK : stoa_fail_memory(err));
    source = stoa_copy_open(t->from, t->there, path, t->dxpl);
    if (source == NULL) {
        STOA_FAIL(err, STOA_EDATA, "cannot be opened");
    }
    STOA_TRY(stoa_copy_is_variable(source) ? fill_copy(t, source, new_path, err)
                                           : check_other(source, err));

done:
    if (source != NULL) {
        (void)stoa_on_dataset_close(source, t->dxpl, NULL);
    }
    free(new_path);
    status = stoa_at(err, status, "%s", path != NULL ? path : name);
    free(path);
    return status;
}

/* --- the whole group ------------------------------------------------------------------------- */

/* Copy by libhdf5. Its errors stay in the error stack. */
static herr_t copy_hollow(const tree *t)
{
    const stoa_copy_target *to = t->to;

    if (stoa_sparse_filter_hollow() < 0) {
        return -1;
    }
    const herr_t copied =
        H5VLobject_copy(t->from->object, t->there, t->name, to->at->object, to->here, to->name,
                        t->from->below, to->ocpypl, to->lcpl, t->dxpl, NULL);
    const stoa_error_stack errors = stoa_error_stack_begin();
    const hid_t stack = H5Eget_current_stack();
    const stoa_status restored = stoa_sparse_filter_register(NULL);
    (void)H5Eset_current_stack(stack);
    stoa_error_stack_end(&errors);
    return restored == STOA_OK ? copied : -1;
}

herr_t stoa_copy_tree(stoa_link *from, const H5VL_loc_params_t *there, const char *name,
                      const stoa_copy_target *to, hid_t dxpl)
{
    const tree t = {.from = from, .there = there, .name = name, .to = to, .dxpl = dxpl};
    stoa_buffer datasets = {NULL, 0, 0};
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    if (copy_hollow(&t) < 0) {
        return -1;
    }
    /* List the copy, because soft links may have become objects there. */
    STOA_TRY(stoa_copy_list(to->at, to->here, to->name, dxpl, &datasets, &err));
    for (size_t at = 0; at < datasets.size;) {
        const char *const dataset = (const char *)datasets.data + at;
        STOA_TRY(fill_dataset(&t, dataset, &err));
        at += strlen(dataset) + 1;
    }

done:
    stoa_buffer_clear(&datasets);
    if (status != STOA_OK) {
        stoa_copy_remove(to, dxpl);
    }
    return status == STOA_OK ? 0 : stoa_link_fail(&err);
}
