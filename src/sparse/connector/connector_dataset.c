/* Dataset callbacks of the connector. */
#include "sparse/connector/connector_dataset.h"

#include <stdlib.h>

#include "core/memory.h"
#include "hdf/ids.h"
#include "sparse/connector/connector_parts.h"

/* --- opening --------------------------------------------------------------------------------- */

void *stoa_link_dataset(void *object, const stoa_link *of, hid_t dxpl, void **req)
{
    stoa_link *made = stoa_link_result(object, of, req);

    if (object != NULL && (made == NULL || stoa_linked_dataset_open(made) < 0)) {
        (void)H5VLdataset_close(object, of->below, dxpl, NULL);
        if (made != NULL) {
            stoa_link_free(made);
        }
        return NULL;
    }
    return made;
}

void *stoa_on_dataset_create(void *object, const H5VL_loc_params_t *where, const char *name,
                             hid_t lcpl, hid_t type, hid_t space, hid_t dcpl, hid_t dapl,
                             hid_t dxpl, void **req)
{
    const stoa_link *l = object;
    hid_t list = H5I_INVALID_HID;
    stoa_error err = STOA_ERROR_INIT;

    if (stoa_linked_dataset_list(l, where->obj_type, dcpl, type, &list, &err) != STOA_OK) {
        (void)stoa_link_fail(&err);
        return NULL;
    }
    void *made = H5VLdataset_create(l->object, where, l->below, name, lcpl, type, space,
                                    list >= 0 ? list : dcpl, dapl, dxpl, req);
    (void)stoa_hdf_close(&list, STOA_OK, NULL);
    return stoa_link_dataset(made, l, dxpl, req);
}

void *stoa_on_dataset_open(void *object, const H5VL_loc_params_t *where, const char *name,
                           hid_t dapl, hid_t dxpl, void **req)
{
    const stoa_link *l = object;

    return stoa_link_dataset(H5VLdataset_open(l->object, where, l->below, name, dapl, dxpl, req), l,
                             dxpl, req);
}

/* --- reading and writing --------------------------------------------------------------------- */

/* The arguments of H5Dread() and H5Dwrite(), one array entry per dataset. `from` is NULL for reads,
 * `to` for writes. */
typedef struct many {
    void **objects;
    hid_t *mem_types;
    hid_t *mem_spaces;
    hid_t *file_spaces;
    void **to;
    const void **from;
} many;

static void many_free(const many *m)
{
    free(m->objects);
    free(m->mem_types);
    free(m->mem_spaces);
    free(m->file_spaces);
    free(m->to);
    free(m->from);
}

static herr_t many_alloc(many *m, size_t n, bool are_read)
{
    *m = (many){.objects = stoa_alloc(n, sizeof *m->objects),
                .mem_types = stoa_alloc(n, sizeof *m->mem_types),
                .mem_spaces = stoa_alloc(n, sizeof *m->mem_spaces),
                .file_spaces = stoa_alloc(n, sizeof *m->file_spaces),
                .to = are_read ? stoa_alloc(n, sizeof *m->to) : NULL,
                .from = are_read ? NULL : stoa_alloc(n, sizeof *m->from)};
    if (m->objects == NULL || m->mem_types == NULL || m->mem_spaces == NULL ||
        m->file_spaces == NULL || (m->to == NULL && m->from == NULL)) {
        many_free(m);
        return -1;
    }
    return 0;
}

/* Pass the dense datasets of a call below together, because the connector may benefit from that. */
static herr_t move_dense(size_t n, const many *all, size_t n_dense, hid_t dxpl, void **req)
{
    hid_t below = H5I_INVALID_HID;
    size_t at = 0;
    many dense;

    if (n_dense == 0) {
        return 0;
    }
    if (many_alloc(&dense, n_dense, all->to != NULL) < 0) {
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        const stoa_link *l = all->objects[i];
        if (l->dataset != NULL) {
            continue;
        }
        below = l->below;
        dense.objects[at] = l->object;
        dense.mem_types[at] = all->mem_types[i];
        dense.mem_spaces[at] = all->mem_spaces[i];
        dense.file_spaces[at] = all->file_spaces[i];
        if (all->to != NULL) {
            dense.to[at] = all->to[i];
        } else {
            dense.from[at] = all->from[i];
        }
        at++;
    }
    const herr_t result =
        all->to != NULL
            ? H5VLdataset_read(n_dense, dense.objects, below, dense.mem_types, dense.mem_spaces,
                               dense.file_spaces, dxpl, dense.to, req)
            : H5VLdataset_write(n_dense, dense.objects, below, dense.mem_types, dense.mem_spaces,
                                dense.file_spaces, dxpl, dense.from, req);
    stoa_link_request(req, all->objects[0]);
    many_free(&dense);
    return result;
}

/* Handle sparse datasets here, one after the other. */
static herr_t move(size_t n, const many *all, hid_t dxpl, void **req)
{
    size_t n_dense = 0;
    herr_t result = 0;

    for (size_t i = 0; i < n && result >= 0; i++) {
        stoa_link *l = all->objects[i];
        if (l->dataset == NULL) {
            n_dense++;
        } else if (all->to != NULL) {
            result = stoa_linked_dataset_read(l, all->mem_types[i], all->mem_spaces[i],
                                              all->file_spaces[i], dxpl, all->to[i]);
        } else {
            result = stoa_linked_dataset_write(l, all->mem_types[i], all->mem_spaces[i],
                                               all->file_spaces[i], dxpl, all->from[i]);
        }
    }
    return result >= 0 ? move_dense(n, all, n_dense, dxpl, req) : result;
}

herr_t stoa_on_dataset_read(size_t n, void *objects[], hid_t mem_types[], hid_t mem_spaces[],
                            hid_t file_spaces[], hid_t dxpl, void *bufs[], void **req)
{
    const many all = {objects, mem_types, mem_spaces, file_spaces, .to = bufs};

    return move(n, &all, dxpl, req);
}

herr_t stoa_on_dataset_write(size_t n, void *objects[], hid_t mem_types[], hid_t mem_spaces[],
                             hid_t file_spaces[], hid_t dxpl, const void *bufs[], void **req)
{
    const many all = {objects, mem_types, mem_spaces, file_spaces, .from = bufs};

    return move(n, &all, dxpl, req);
}

/* --- everything else ------------------------------------------------------------------------- */

herr_t stoa_on_dataset_get(void *object, H5VL_dataset_get_args_t *args, hid_t dxpl, void **req)
{
    stoa_link *l = object;

    if (l->dataset != NULL &&
        (args->op_type == H5VL_DATASET_GET_STORAGE_SIZE ||
         args->op_type == H5VL_DATASET_GET_SPACE_STATUS) &&
        stoa_linked_dataset_flush(l) < 0) {
        return -1;
    }
    return stoa_link_pass(H5VLdataset_get(l->object, l->below, args, dxpl, req), l, req);
}

static herr_t set_extent(stoa_link *link, const hsize_t *extent)
{
    stoa_error err = STOA_ERROR_INIT;

    return stoa_store_set_extent(link->dataset->store, extent, &err) == STOA_OK
               ? 0
               : stoa_link_fail(&err);
}

herr_t stoa_on_dataset_specific(void *object, H5VL_dataset_specific_args_t *args, hid_t dxpl,
                                void **req)
{
    stoa_link *l = object;

    if (l->dataset != NULL && args->op_type == H5VL_DATASET_SET_EXTENT) {
        return set_extent(l, args->args.set_extent.size);
    }
    if (l->dataset != NULL && stoa_linked_dataset_flush(l) < 0) {
        return -1;
    }
    const herr_t result =
        stoa_link_pass(H5VLdataset_specific(l->object, l->below, args, dxpl, req), l, req);
    if (result >= 0 && l->dataset != NULL && args->op_type == H5VL_DATASET_REFRESH) {
        return stoa_linked_dataset_refresh(l);
    }
    return result;
}

/* Native chunk operations on structured chunks (sparse RFC §2.2.7). */
static herr_t refuse(int op)
{
    const char *call = NULL;
    stoa_error err = STOA_ERROR_INIT;

    switch (op) {
    case H5VL_NATIVE_DATASET_CHUNK_WRITE:
        call = "H5Dwrite_chunk() on structured chunks; H5Dwrite_struct_chunk() writes them";
        break;
    case H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_IDX:
        call = "H5Dget_chunk_info() on structured chunks; H5Dget_struct_chunk_info() tells";
        break;
    case H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_COORD:
        call = "H5Dget_chunk_info_by_coord() on structured chunks; "
               "H5Dget_struct_chunk_info_by_coord() tells";
        break;
    case H5VL_NATIVE_DATASET_CHUNK_ITER:
        call = "H5Dchunk_iter() on structured chunks; H5Dstruct_chunk_iter() visits them";
        break;
    default:
        return 0;
    }
    (void)stoa_fail(&err, STOA_EINVAL, "no %s (sparse RFC §2.2.7)", call);
    return stoa_link_fail(&err);
}

herr_t stoa_on_dataset_optional(void *object, H5VL_optional_args_t *args, hid_t dxpl, void **req)
{
    stoa_link *l = object;

    if (stoa_connector_is_our_op(args->op_type)) {
        return stoa_connector_op(l, args->args);
    }
    if (l->dataset != NULL && args->op_type == H5VL_NATIVE_DATASET_GET_VLEN_BUF_SIZE &&
        stoa_store_format(l->dataset->store)->has_heap) {
        const H5VL_native_dataset_optional_args_t *of = args->args;
        return stoa_linked_dataset_measure(l, of->get_vlen_buf_size.type_id,
                                           of->get_vlen_buf_size.space_id,
                                           of->get_vlen_buf_size.size);
    }
    if (l->dataset != NULL && (refuse(args->op_type) < 0 || stoa_linked_dataset_flush(l) < 0)) {
        return -1;
    }
    return stoa_link_pass(H5VLdataset_optional(l->object, l->below, args, dxpl, req), l, req);
}

herr_t stoa_on_dataset_close(void *object, hid_t dxpl, void **req)
{
    stoa_link *l = object;

    if (l->object == NULL) { /* closed already, except for its id */
        stoa_link_free(l);
        return 0;
    }
    const herr_t written = l->dataset != NULL ? stoa_linked_dataset_flush(l) : 0;
    const herr_t result = H5VLdataset_close(l->object, l->below, dxpl, req);
    if (result >= 0) {
        stoa_linked_dataset_leave(l);
    }
    if (result >= 0 && written < 0) {
        /* H5Dclose() drops the id when a close fails. H5Oclose() calls again with it. */
        stoa_link_request(req, l);
        l->object = NULL;
        return written;
    }
    return stoa_link_closed(result, l, req);
}
