/* Copies attributes and elements, and remaps the references in them. */
#include "hdf/copy/clone_values.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/chunk/chunk_writer.h"
#include "hdf/copy/groups.h"
#include "hdf/copy/stored_elements.h"
#include "hdf/metadata/libhdf5_checks.h"

/* Larger attributes are damage. */
#define MAX_ATTRIBUTE_BYTES ((uint64_t)1 << 30)

/* ---- Attributes ----------------------------------------------------------------------------- */

/* Iteration over an object's attributes. */
typedef struct attribute_walk {
    const stoa_object_map *map;
    hid_t copy;
    stoa_type_copier copy_type;
    void *context;
    stoa_error *err;
    stoa_status status;
} attribute_walk;

/* An open attribute, its type and its shape. */
typedef struct attribute {
    hid_t id;
    hid_t type;
    hid_t space;
    size_t size;
    size_t n;
} attribute;

static stoa_status open_attribute(hid_t object, const char *name, attribute *a, stoa_error *err)
{
    hssize_t n = 0;

    STOA_RETURN_HDF_ERROR(err, a->id = H5Aopen(object, name, H5P_DEFAULT), "open it");
    STOA_RETURN_HDF_ERROR(err, a->type = H5Aget_type(a->id), "get its type");
    STOA_RETURN_HDF_ERROR(err, a->space = H5Aget_space(a->id), "get its shape");
    STOA_RETURN_HDF_ERROR(err, n = H5Sget_simple_extent_npoints(a->space), "get its shape");
    a->size = H5Tget_size(a->type);
    a->n = (size_t)n;
    if (a->size == 0 || (uint64_t)n > MAX_ATTRIBUTE_BYTES / a->size ||
        !stoa_attribute_fits(a->id, a->type, (uint64_t)n)) {
        return stoa_fail(err, STOA_EDATA, "is not of the size it claims: the file is damaged");
    }
    return STOA_OK;
}

static stoa_status clone_attribute(const attribute_walk *walk, hid_t object, const char *name,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    attribute a = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, 0, 0};
    hid_t type = H5I_INVALID_HID;
    hid_t creation = H5I_INVALID_HID;
    hid_t copy = H5I_INVALID_HID;
    void *value = NULL;
    bool is_read = false;

    STOA_TRY(open_attribute(object, name, &a, err));
    STOA_TRY(walk->copy_type(walk->context, a.type, &type, err));
    STOA_HDF(err, creation = H5Aget_create_plist(a.id), "get its creation properties");
    STOA_HDF(err, copy = H5Acreate2(walk->copy, name, type, a.space, creation, H5P_DEFAULT),
             "create its copy");
    if (a.n == 0) {
        goto done;
    }
    value = stoa_alloc_zero(a.n, a.size);
    STOA_TRY(value != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, H5Aread(a.id, a.type, value), "read it");
    is_read = true;
    STOA_TRY(stoa_remap_elements(walk->map, a.type, value, a.n, a.size, err));
    STOA_HDF(err, H5Awrite(copy, a.type, value), "write its copy");

done:
    if (is_read) {
        (void)H5Treclaim(a.type, a.space, H5P_DEFAULT, value);
    }
    free(value);
    status = stoa_hdf_close(&copy, status, err);
    status = stoa_hdf_close(&creation, status, err);
    status = stoa_hdf_close(&type, status, err);
    status = stoa_hdf_close(&a.space, status, err);
    status = stoa_hdf_close(&a.type, status, err);
    return stoa_hdf_close(&a.id, status, err);
}

static herr_t visit_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    attribute_walk *walk = context;
    stoa_error failed = STOA_ERROR_INIT;

    (void)info;
    walk->status = clone_attribute(walk, object, name, &failed);
    if (walk->status != STOA_OK) {
        (void)stoa_fail(walk->err, walk->status, "attribute '%s': %s", name, failed.message);
        return -1;
    }
    return 0;
}

stoa_status stoa_clone_attributes(const stoa_object_map *map, hid_t source, hid_t copy,
                                  stoa_type_copier copy_type, void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    attribute_walk walk = {map, copy, copy_type, context, err, STOA_OK};
    hid_t creation = H5I_INVALID_HID;
    unsigned order = 0;
    hsize_t position = 0;

    STOA_TRY(stoa_creation_list(source, &creation, err));
    STOA_HDF(err, H5Pget_attr_creation_order(creation, &order), "get the order of attributes");
    const H5_index_t by = (order & H5P_CRT_ORDER_TRACKED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    const stoa_error_stack errors = stoa_error_stack_begin();
    const herr_t walked = H5Aiterate2(source, by, H5_ITER_INC, &position, visit_attribute, &walk);
    status = walk.status;
    if (walked < 0 && status == STOA_OK) {
        status = stoa_hdf_fail(err, "list the attributes");
    }
    stoa_error_stack_discard(&errors);

done:
    return stoa_hdf_close(&creation, status, err);
}

/* ---- Elements ------------------------------------------------------------------------------- */

/* A copy that is written box by box. */
typedef struct element_copy {
    const stoa_object_map *map;
    hid_t copy;
    hid_t type;
    hid_t space;
    int rank;
    stoa_chunk_writer writer; /* if it is one-dimensional */
} element_copy;

static stoa_status write_box(const element_copy *c, const stoa_box *box, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t memory = H5I_INVALID_HID;

    if (box->rank == 0) {
        STOA_HDF(err, memory = H5Screate(H5S_SCALAR), "make a dataspace");
    } else {
        STOA_HDF(err, memory = H5Screate_simple(box->rank, box->count, NULL), "make a dataspace");
        STOA_HDF(err,
                 H5Sselect_hyperslab(c->space, H5S_SELECT_SET, box->start, NULL, box->count, NULL),
                 "select elements");
    }
    STOA_HDF(err, H5Dwrite(c->copy, c->type, memory, c->space, H5P_DEFAULT, box->elements),
             "write its copy");

done:
    return stoa_hdf_close(&memory, status, err);
}

static stoa_status copy_box(void *context, const stoa_box *box, stoa_error *err)
{
    element_copy *const c = context;

    STOA_RETURN_NOT_OK(
        stoa_remap_elements(c->map, box->type, box->elements, box->n, H5Tget_size(box->type), err));
    return c->rank == 1 ? stoa_chunk_writer_write(&c->writer, box->start[0], box->count[0],
                                                  box->elements, err)
                        : write_box(c, box, err);
}

stoa_status stoa_clone_elements(const stoa_object_map *map, hid_t source, hid_t copy,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    element_copy c = {.map = map,
                      .copy = copy,
                      .type = H5I_INVALID_HID,
                      .space = H5I_INVALID_HID,
                      .writer = STOA_CHUNK_WRITER_INIT};

    STOA_HDF(err, c.type = H5Dget_type(copy), "get the datatype");
    STOA_HDF(err, c.space = H5Dget_space(copy), "get the shape");
    STOA_HDF(err, c.rank = H5Sget_simple_extent_ndims(c.space), "get the shape");
    if (c.rank == 1) {
        STOA_TRY(stoa_chunk_writer_open(&c.writer, copy, c.type, err));
    }
    STOA_TRY(stoa_stored_elements_visit(source, copy_box, &c, err));
    if (c.rank == 1) {
        STOA_TRY(stoa_chunk_writer_flush(&c.writer, err));
    }

done:
    stoa_chunk_writer_close(&c.writer);
    status = stoa_hdf_close(&c.space, status, err);
    return stoa_hdf_close(&c.type, status, err);
}
