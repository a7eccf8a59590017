/*
 * Validate datasets before H5Ocopy() copies them.
 *
 * libhdf5 1.14.5 switches to another buffer for a chunk that has more bytes than its elements. It
 * does so too if it runs the filters because elements have references. If a later step fails, it
 * frees the old buffer twice. Such failures are an unreadable chunk, a chunk that its filter
 * refuses, and an invalid reference. This file therefore reads such chunks beforehand, and all
 * chunks after the first of them, in datasets of any kind.
 */

#include <stdlib.h>
#include <string.h>

#include "hdf/hdf5.h"
#include "hdf/ids.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "sparse/connector/connector_copy.h"
#include "sparse/connector/connector_parts.h"
#include "sparse/format/filter.h"
#include "sparse/store/dataset.h"

/* --- datasets -------------------------------------------------------------------------------- */

typedef struct listing {
    stoa_buffer *names;
    stoa_error *err;
    stoa_status status;
} listing;

static herr_t note_dataset(hid_t object, const char *name, const H5O_info2_t *info, void *context)
{
    listing *l = context;

    (void)object;
    if (info->type == H5O_TYPE_DATASET) {
        l->status = stoa_buffer_append(l->names, name, strlen(name) + 1, l->err);
    }
    return l->status == STOA_OK ? 0 : -1;
}

stoa_status stoa_copy_list(const stoa_link *at, const H5VL_loc_params_t *there, const char *name,
                           hid_t dxpl, stoa_buffer *names, stoa_error *err)
{
    listing l = {.names = names, .err = err, .status = STOA_OK};
    H5VL_loc_params_t where = {.type = H5VL_OBJECT_BY_NAME, .obj_type = there->obj_type};
    H5VL_object_specific_args_t args = {.op_type = H5VL_OBJECT_VISIT};
    stoa_status status = STOA_OK;

    where.loc_data.loc_by_name.name = name;
    where.loc_data.loc_by_name.lapl_id = H5P_LINK_ACCESS_DEFAULT;
    args.args.visit.idx_type = H5_INDEX_NAME;
    args.args.visit.order = H5_ITER_NATIVE;
    args.args.visit.fields = H5O_INFO_BASIC;
    args.args.visit.op = note_dataset;
    args.args.visit.op_data = &l;
    STOA_HDF(err, H5VLobject_specific(at->object, &where, at->below, &args, dxpl, NULL),
             "go through '%s'", name);

done:
    return l.status != STOA_OK ? l.status : status;
}

/* --- chunks ---------------------------------------------------------------------------------- */

/* The chunks of a dataset from the first on for which libhdf5 switches buffers. */
typedef struct moving_chunks {
    const stoa_chunk_io *io;
    hid_t type;
    stoa_shape shape;
    uint64_t n_dense;  /* size of a chunk's elements in bytes */
    uint64_t n_file;   /* size of the file in bytes */
    unsigned all;      /* mask of a chunk that passed no filter */
    bool follows;      /* elements have references, which libhdf5 follows */
    bool has_heap;     /* no references in chunks that passed our filter */
    stoa_buffer found; /* of moving_chunk */
} moving_chunks;

typedef struct moving_chunk {
    uint64_t offset[H5S_MAX_RANK];
    uint32_t mask;
} moving_chunk;

static stoa_status note_moving(void *context, const stoa_stored_chunk *chunk, stoa_error *err)
{
    moving_chunks *moving = context;
    const bool moves = chunk->n_bytes > moving->n_dense || moving->follows;
    moving_chunk one = {.mask = chunk->mask};

    if (!moves && moving->found.size == 0) {
        return STOA_OK;
    }
    if (moves && !stoa_chunk_fits(moving->all, chunk->mask, chunk->n_bytes, moving->n_dense)) {
        return stoa_fail(err, STOA_EDATA,
                         "a chunk is shorter than its elements: the file is damaged");
    }
    if (chunk->n_bytes > moving->n_file) {
        return stoa_fail(err, STOA_EDATA,
                         "a chunk of %llu bytes is longer than the file, which is damaged",
                         (unsigned long long)chunk->n_bytes);
    }
    for (unsigned i = 0; i < moving->shape.rank; i++) {
        one.offset[i] = chunk->offset[i];
    }
    return stoa_buffer_append(&moving->found, &one, sizeof one, err);
}

/* Follow the references of a chunk's elements through libhdf5. */
static stoa_status follow(const moving_chunks *moving, const moving_chunk *chunk, stoa_error *err)
{
    const stoa_box all = stoa_shape_all(&moving->shape);
    hid_t space = H5I_INVALID_HID;
    void *elements = NULL;
    stoa_box part;
    hsize_t n = 1;
    stoa_status status = STOA_OK;

    (void)stoa_box_of_chunk(&moving->shape, &all, chunk->offset, &part);
    for (unsigned i = 0; i < moving->shape.rank; i++) {
        n *= part.count[i];
    }
    elements = stoa_alloc_zero((size_t)n, H5Tget_size(moving->type));
    STOA_TRY(elements != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, space = H5Screate_simple(1, &n, NULL), "make a dataspace");
    STOA_TRY(moving->io->follow(moving->io->context, chunk->offset, part.count, elements, err));
    STOA_HDF(err, H5Treclaim(moving->type, space, H5P_DEFAULT, elements), "give back elements");

done:
    free(elements);
    return stoa_hdf_close(&space, status, err);
}

static stoa_status read_moving(moving_chunks *moving, stoa_error *err)
{
    stoa_buffer bytes = {NULL, 0, 0};
    uint32_t mask = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(moving->io->iterate(moving->io->context, note_moving, moving, err));
    const moving_chunk *chunk = (const moving_chunk *)(const void *)moving->found.data;
    for (size_t i = 0; i < moving->found.size / sizeof *chunk; i++) {
        if (moving->follows && (!moving->has_heap || chunk[i].mask != 0)) {
            STOA_TRY(follow(moving, &chunk[i], err));
        } else {
            STOA_TRY(moving->io->read(moving->io->context, chunk[i].offset, &bytes, &mask, err));
        }
    }

done:
    stoa_buffer_clear(&bytes);
    stoa_buffer_clear(&moving->found);
    return status;
}

/* Whether our filter decodes a chunk to as many bytes as libhdf5 expects. */
static stoa_status check_format(const stoa_sparse_format *format, const moving_chunks *moving,
                                size_t size, stoa_error *err)
{
    if (!format->is_bound || format->n_elements != moving->shape.n_elements ||
        (size > 0 && format->element_size != size)) {
        return stoa_fail(err, STOA_EDATA,
                         "the parameters of filter %d are not those of the dataset",
                         STOA_SPARSE_FILTER);
    }
    return STOA_OK;
}

stoa_status stoa_copy_check_chunks(const stoa_chunk_io *io, hid_t dcpl, hid_t type, hid_t space,
                                   uint64_t n_file, size_t n_address, stoa_error *err)
{
    moving_chunks moving = {.io = io, .type = type, .n_file = n_file};
    const size_t size = n_address == sizeof(haddr_t) ? stoa_stored_size(type) : 0;
    stoa_sparse_format format = {.has_heap = false};
    stoa_status status = STOA_OK;

    if (H5Pget_layout(dcpl) != H5D_CHUNKED) {
        return STOA_OK;
    }
    moving.follows = stoa_vlen_is_in(type) || H5Tdetect_class(type, H5T_REFERENCE) > 0;
    if (moving.follows && !stoa_type_is_sound(type)) {
        return stoa_fail(err, STOA_EDATA, "its datatype is neither of strings nor of sequences");
    }
    STOA_RETURN_NOT_OK(stoa_sparse_shape_of(dcpl, space, &moving.shape, err));
    moving.n_dense = (size > 0 ? size : H5Tget_size(type)) * moving.shape.n_elements;
    moving.all = stoa_mask_of_all(dcpl);
    status = stoa_sparse_format_of_list(dcpl, &format, err);
    STOA_RETURN_NOT_OK(status == STOA_OK          ? check_format(&format, &moving, size, err)
                       : status == STOA_ENOTFOUND ? STOA_OK
                                                  : status);
    moving.has_heap = format.has_heap;
    return read_moving(&moving, err);
}

/* --- below the connector --------------------------------------------------------------------- */

static stoa_status file_size(const stoa_link *link, uint64_t *n, stoa_error *err)
{
    hsize_t size = 0;
    void *file = NULL;
    H5VL_native_file_optional_args_t args;
    H5VL_optional_args_t call = {.op_type = H5VL_NATIVE_FILE_GET_SIZE, .args = &args};

    args.get_size.size = &size;
    STOA_RETURN_NOT_OK(stoa_below_file(link, H5I_DATASET, &file, err));
    STOA_RETURN_HDF_ERROR(
        err, H5VLfile_optional(file, link->below, &call, H5P_DATASET_XFER_DEFAULT, NULL),
        "look up the size of the file");
    *n = size;
    return STOA_OK;
}

static stoa_status check_dataset(stoa_link *link, stoa_error *err)
{
    stoa_chunk_dataset dataset = {.id = H5I_INVALID_HID,
                                  .object = link->object,
                                  .connector = link->below,
                                  .type = H5I_INVALID_HID};
    const stoa_chunk_io io = stoa_chunk_io_of(&dataset);
    hid_t dcpl = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    uint64_t n_file = 0;
    size_t n_address = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_below_get(link, H5VL_DATASET_GET_DCPL, &dcpl, err));
    STOA_TRY(stoa_below_get(link, H5VL_DATASET_GET_TYPE, &dataset.type, err));
    STOA_TRY(stoa_below_space(link, &space, err));
    STOA_TRY(file_size(link, &n_file, err));
    STOA_TRY(stoa_below_address_size(link, H5I_DATASET, &n_address, err));
    STOA_TRY(stoa_copy_check_chunks(&io, dcpl, dataset.type, space, n_file, n_address, err));

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&dataset.type, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}

stoa_status stoa_copy_check(const stoa_link *from, const H5VL_loc_params_t *there, const char *name,
                            hid_t dxpl, stoa_error *err)
{
    stoa_buffer names = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_copy_list(from, there, name, dxpl, &names, err));
    for (size_t at = 0; at < names.size; at += strlen((const char *)names.data + at) + 1) {
        const char *const dataset = (const char *)names.data + at;
        const bool is_itself = strcmp(dataset, ".") == 0;
        char *path = stoa_format(is_itself ? "%s" : "%s/%s", name, dataset);
        stoa_link *link = path != NULL ? stoa_copy_open(from, there, path, dxpl) : NULL;
        if (link != NULL) { /* otherwise libhdf5 reports that it cannot be opened */
            status = check_dataset(link, err);
            (void)stoa_on_dataset_close(link, dxpl, NULL);
            status = is_itself ? status : stoa_at(err, status, "%s", path);
        }
        free(path);
        STOA_TRY(status);
    }

done:
    stoa_buffer_clear(&names);
    return status;
}
