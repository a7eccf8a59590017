/* Callbacks of the connector for files and for objects of any kind. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/ids.h"
#include "sparse/connector/connector_copy.h"
#include "sparse/connector/connector_dataset.h"
#include "sparse/connector/connector_parts.h"

/* --- files ----------------------------------------------------------------------------------- */

/* A copy of the access property list that names the connector below. `link->below` is set to that
 * connector. */
static hid_t list_below(hid_t fapl, stoa_link *link)
{
    stoa_connector_info *info = NULL;
    const hid_t copy = H5Pcopy(fapl);

    if (copy < 0 || H5Pget_vol_info(fapl, (void **)&info) < 0) {
        (void)H5Pclose(copy);
        return H5I_INVALID_HID;
    }
    link->below =
        info != NULL ? info->below : H5VL_NATIVE; /* the connector was given without info */
    (void)H5Iinc_ref(link->below);
    const herr_t set = H5Pset_vol(copy, link->below, info != NULL ? info->below_info : NULL);
    if (info != NULL) {
        (void)stoa_on_info_free(info);
    }
    if (set < 0) {
        (void)H5Idec_ref(link->below);
        (void)H5Pclose(copy);
        return H5I_INVALID_HID;
    }
    return copy;
}

/* Close the list of list_below() after the call. The errors of the connector below stay in the
 * stack for the program. */
static void drop_list(hid_t list, const stoa_link *of)
{
    const hid_t stack = H5Eget_current_stack();

    (void)H5Idec_ref(of->below);
    (void)H5Pclose(list);
    (void)H5Eset_current_stack(stack);
}

/* Open a file with `flags`, or create it with `flags` and `fcpl`. */
static void *open_file(const char *name, unsigned flags, bool is_new, hid_t fcpl, hid_t fapl,
                       hid_t dxpl, void **req)
{
    stoa_link of = {.below = H5I_INVALID_HID};
    const hid_t list = list_below(fapl, &of);
    stoa_link *made = NULL;

    if (list < 0) {
        return NULL;
    }
    void *object = is_new ? H5VLfile_create(name, flags, fcpl, list, dxpl, req)
                          : H5VLfile_open(name, flags, list, dxpl, req);
    made = stoa_link_result(object, &of, req);
    if (object != NULL && (made == NULL || stoa_linked_file_join(made) < 0)) {
        (void)H5VLfile_close(object, of.below, dxpl, NULL);
        if (made != NULL) {
            stoa_link_free(made);
            made = NULL;
        }
    }
    if (made != NULL) {
        made->file->cache_bytes = stoa_cache_of_list(fapl);
    }
    drop_list(list, &of);
    return made;
}

void *stoa_on_file_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl, hid_t dxpl,
                          void **req)
{
    return open_file(name, flags, true, fcpl, fapl, dxpl, req);
}

void *stoa_on_file_open(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, void **req)
{
    return open_file(name, flags, false, H5P_DEFAULT, fapl, dxpl, req);
}

static herr_t file_by_name_below(H5VL_file_specific_args_t *args, hid_t dxpl, void **req)
{
    H5VL_file_specific_args_t inner = *args;
    hid_t *fapl = args->op_type == H5VL_FILE_DELETE ? &inner.args.del.fapl_id
                                                    : &inner.args.is_accessible.fapl_id;
    stoa_link of = {.below = H5I_INVALID_HID};
    const hid_t list = list_below(*fapl, &of);

    if (list < 0) {
        return -1;
    }
    *fapl = list;
    const herr_t result =
        stoa_link_pass(H5VLfile_specific(NULL, of.below, &inner, dxpl, req), &of, req);
    drop_list(list, &of);
    return result;
}

/*
 * Operations on a file name: check whether the file is accessible, or delete it.
 *
 * When libhdf5 cannot open a file, it asks every connector on its plugin path. The stack then holds
 * the reason, and it stays there. Our own failure to open the file is not printed.
 */
static herr_t file_by_name(H5VL_file_specific_args_t *args, hid_t dxpl, void **req)
{
    const hid_t before = H5Eget_current_stack();
    const bool has_failed_before = H5Eget_num(before) > 0;
    herr_t result = -1;

    if (has_failed_before) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        result = file_by_name_below(args, dxpl, req);
        stoa_error_stack_end(&errors);
        (void)H5Eset_current_stack(before);
    } else {
        result = file_by_name_below(args, dxpl, req);
        const hid_t after = H5Eget_current_stack();
        (void)H5Eclose_stack(before);
        (void)H5Eset_current_stack(after);
    }
    return result;
}

herr_t stoa_on_file_specific(void *object, H5VL_file_specific_args_t *args, hid_t dxpl, void **req)
{
    stoa_link *l = object;
    H5VL_file_specific_args_t inner = *args;

    switch (args->op_type) {
    case H5VL_FILE_IS_ACCESSIBLE:
    case H5VL_FILE_DELETE:
        return file_by_name(args, dxpl, req);
    case H5VL_FILE_IS_EQUAL:
        inner.args.is_equal.obj2 = stoa_link_below(args->args.is_equal.obj2);
        break;
    case H5VL_FILE_FLUSH:
        if (l->file != NULL && stoa_linked_file_flush(l->file) < 0) {
            return -1;
        }
        break;
    default:
        break;
    }
    const herr_t result =
        stoa_link_pass(H5VLfile_specific(l->object, l->below, &inner, dxpl, req), l, req);
    if (result >= 0 && args->op_type == H5VL_FILE_REOPEN) {
        *args->args.reopen.file = stoa_link_new(*args->args.reopen.file, l->below, l->file);
    }
    return result;
}

herr_t stoa_on_file_optional(void *object, H5VL_optional_args_t *args, hid_t dxpl, void **req)
{
    stoa_link *l = object;

    /* A file image, or a size, must include all writes. */
    if (l->file != NULL && stoa_linked_file_flush(l->file) < 0) {
        return -1;
    }
    return stoa_link_pass(H5VLfile_optional(l->object, l->below, args, dxpl, req), l, req);
}

herr_t stoa_on_file_close(void *object, hid_t dxpl, void **req)
{
    stoa_link *l = object;

    /* A close fails only once. After that libhdf5 must be able to get rid of the file, at exit at
     * the latest. */
    if (l->file != NULL && stoa_linked_file_flush(l->file) < 0 && !l->has_failed_to_close) {
        l->has_failed_to_close = true;
        return -1;
    }
    return stoa_link_closed(H5VLfile_close(l->object, l->below, dxpl, req), l, req);
}

/* --- objects --------------------------------------------------------------------------------- */

void *stoa_on_object_open(void *object, const H5VL_loc_params_t *where, H5I_type_t *type,
                          hid_t dxpl, void **req)
{
    const stoa_link *l = object;
    void *opened = H5VLobject_open(l->object, where, l->below, type, dxpl, req);

    return opened != NULL && *type == H5I_DATASET ? stoa_link_dataset(opened, l, dxpl, req)
                                                  : stoa_link_result(opened, l, req);
}

herr_t stoa_on_object_copy(void *from, const H5VL_loc_params_t *there, const char *name, void *to,
                           const H5VL_loc_params_t *here, const char *new_name, hid_t ocpypl,
                           hid_t lcpl, hid_t dxpl, void **req)
{
    stoa_link *l = from;
    stoa_copy_target t = {.at = to, .here = here, .name = new_name, .ocpypl = ocpypl, .lcpl = lcpl};
    stoa_error err = STOA_ERROR_INIT;
    unsigned how = 0;
    bool is_one = false;

    if ((l->file != NULL && stoa_linked_file_flush(l->file) < 0) ||
        H5Pget_copy_object(ocpypl, &how) < 0) {
        return -1;
    }
    t.has_attributes = (how & H5O_COPY_WITHOUT_ATTR_FLAG) == 0;
    if (stoa_copy_check(l, there, name, dxpl, &err) != STOA_OK) {
        return stoa_link_fail(&err);
    }
    const herr_t copied = stoa_copy_dataset(l, there, name, &t, dxpl, &is_one);
    if (is_one || copied < 0) {
        return copied;
    }
    /* An object that is only reachable through references has no path by which it could be found
     * and filled. */
    if ((how & H5O_COPY_EXPAND_REFERENCE_FLAG) == 0) {
        return stoa_copy_tree(l, there, name, &t, dxpl);
    }
    return stoa_link_pass(H5VLobject_copy(l->object, there, name, stoa_link_below(to), here,
                                          new_name, l->below, ocpypl, lcpl, dxpl, req),
                          l, req);
}

herr_t stoa_on_object_specific(void *object, const H5VL_loc_params_t *where,
                               H5VL_object_specific_args_t *args, hid_t dxpl, void **req)
{
    stoa_link *l = object;

    if ((args->op_type == H5VL_OBJECT_FLUSH || args->op_type == H5VL_OBJECT_REFRESH) &&
        l->dataset != NULL && stoa_linked_dataset_flush(l) < 0) {
        return -1;
    }
    const herr_t result =
        stoa_link_pass(H5VLobject_specific(l->object, where, l->below, args, dxpl, req), l, req);
    if (result >= 0 && args->op_type == H5VL_OBJECT_REFRESH && l->dataset != NULL) {
        return stoa_linked_dataset_refresh(l);
    }
    return result;
}
