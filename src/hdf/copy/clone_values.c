/* Copies attributes and elements, and remaps the references in them. */
#include "hdf/copy/clone_values.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/chunk/chunk_checks.h"
#include "hdf/chunk/chunk_list.h"
#include "hdf/chunk/chunk_writer.h"
#include "hdf/copy/groups.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/read/checked_reader.h"

/* Larger attributes are damage. */
#define MAX_ATTRIBUTE_BYTES ((uint64_t)1 << 30)
/* Elements are copied in pieces of about this size. */
#define PIECE_BYTES ((uint64_t)1 << 22)

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

/* A dataset that is copied element by element. */
typedef struct element_copy {
    const stoa_object_map *map;
    hid_t source;
    hid_t copy;
    hid_t type;
    hid_t space;
    stoa_checked_reader reader; /* reader of the source */
    stoa_chunk_writer writer;   /* of the copy, if it is one-dimensional */
    size_t size;
    int rank;
    hsize_t extent[H5S_MAX_RANK];
    hsize_t chunk[H5S_MAX_RANK];
    stoa_buffer offsets; /* of the stored chunks: hsize_t[rank] each */
    stoa_error *err;
    stoa_status status;
} element_copy;

/* Copy the elements of one box. */
static stoa_status copy_box(element_copy *c, const hsize_t *start, const hsize_t *count,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t memory = H5I_INVALID_HID;
    void *elements = NULL;
    bool is_read = false;
    size_t n = 1;

    for (int i = 0; i < c->rank; i++) {
        n *= (size_t)count[i];
    }
    if (c->rank == 0) {
        STOA_HDF(err, memory = H5Screate(H5S_SCALAR), "make a dataspace");
    } else {
        STOA_HDF(err, memory = H5Screate_simple(c->rank, count, NULL), "make a dataspace");
        STOA_HDF(err, H5Sselect_hyperslab(c->space, H5S_SELECT_SET, start, NULL, count, NULL),
                 "select elements");
    }
    elements = stoa_alloc_zero(n, c->size);
    STOA_TRY(elements != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_checked_reader_read_any(&c->reader, c->type, start, count, H5P_DEFAULT, elements,
                                          err));
    is_read = true;
    STOA_TRY(stoa_remap_elements(c->map, c->type, elements, n, c->size, err));
    if (c->rank == 1) {
        STOA_TRY(stoa_chunk_writer_write(&c->writer, start[0], count[0], elements, err));
    } else {
        STOA_HDF(err, H5Dwrite(c->copy, c->type, memory, c->space, H5P_DEFAULT, elements),
                 "write its copy");
    }

done:
    if (is_read) {
        (void)H5Treclaim(c->type, memory, H5P_DEFAULT, elements);
    }
    free(elements);
    return stoa_hdf_close(&memory, status, err);
}

/* Copy a box in pieces that fit into memory. The last dimensions are kept whole if possible. */
static stoa_status copy_in_pieces(element_copy *c, const hsize_t *start, const hsize_t *count,
                                  stoa_error *err)
{
    hsize_t piece[H5S_MAX_RANK] = {0};
    hsize_t at[H5S_MAX_RANK] = {0};
    uint64_t room = PIECE_BYTES / c->size + 1;
    int i;

    for (i = c->rank; i-- > 0;) {
        if (count[i] == 0) {
            return STOA_OK;
        }
        piece[i] = count[i] < room ? count[i] : room;
        room = room / piece[i] > 0 ? room / piece[i] : 1;
        at[i] = 0;
    }
    do {
        hsize_t from[H5S_MAX_RANK];
        hsize_t size[H5S_MAX_RANK];
        for (i = 0; i < c->rank; i++) {
            from[i] = start[i] + at[i];
            size[i] = count[i] - at[i] < piece[i] ? count[i] - at[i] : piece[i];
        }
        const stoa_status status = copy_box(c, from, size, err);
        if (status != STOA_OK) {
            return status;
        }
        for (i = c->rank - 1; i >= 0 && (at[i] += piece[i]) >= count[i]; i--) {
            at[i] = 0;
        }
    } while (i >= 0);
    return STOA_OK;
}

static int note_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size,
                      void *context)
{
    element_copy *c = context;

    (void)mask;
    (void)address;
    (void)size;
    c->status = stoa_buffer_append(&c->offsets, offset, (size_t)c->rank * sizeof *offset, c->err);
    return c->status == STOA_OK ? H5_ITER_CONT : H5_ITER_STOP;
}

/* Copy chunk by chunk: chunks that are not stored are not stored in the copy either. */
static stoa_status copy_chunks(element_copy *c, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_chunks_list(c->source, note_chunk, c, err));
    STOA_RETURN_NOT_OK(c->status);
    const size_t step = (size_t)c->rank * sizeof(hsize_t);
    for (size_t at = 0; at + step <= c->offsets.size; at += step) {
        hsize_t start[H5S_MAX_RANK];
        hsize_t count[H5S_MAX_RANK];
        bool is_inside = true;
        memcpy(start, c->offsets.data + at, step);
        for (int i = 0; i < c->rank; i++) {
            is_inside = is_inside && start[i] < c->extent[i];
            count[i] = is_inside && c->extent[i] - start[i] < c->chunk[i] ? c->extent[i] - start[i]
                                                                          : c->chunk[i];
        }
        if (is_inside) {
            STOA_RETURN_NOT_OK(copy_in_pieces(c, start, count, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_clone_elements(const stoa_object_map *map, hid_t source, hid_t copy,
                                stoa_error *err)
{
    static const hsize_t origin[H5S_MAX_RANK];
    stoa_status status = STOA_OK;
    hid_t creation = H5I_INVALID_HID;
    H5D_space_status_t space = H5D_SPACE_STATUS_NOT_ALLOCATED;
    element_copy c = {.map = map,
                      .source = source,
                      .copy = copy,
                      .type = H5I_INVALID_HID,
                      .space = H5I_INVALID_HID,
                      .reader = STOA_CHECKED_READER_INIT,
                      .writer = STOA_CHUNK_WRITER_INIT,
                      .err = err};

    STOA_HDF(err, H5Dget_space_status(source, &space), "look for its storage");
    if (space == H5D_SPACE_STATUS_NOT_ALLOCATED) {
        goto done; /* nothing was ever written */
    }
    STOA_HDF(err, c.type = H5Dget_type(source), "get the datatype");
    STOA_HDF(err, c.space = H5Dget_space(source), "get the shape");
    STOA_HDF(err, c.rank = H5Sget_simple_extent_dims(c.space, c.extent, NULL), "get the shape");
    STOA_HDF(err, creation = stoa_dataset_properties(source), "get the creation properties");
    if (c.rank == 1) {
        STOA_TRY(stoa_chunk_writer_open(&c.writer, copy, c.type, err));
    }
    c.size = H5Tget_size(c.type);
    if (c.size == 0) {
        STOA_FAIL(err, STOA_EDATA, "has elements of no size: the file is damaged");
    }
    STOA_TRY(stoa_checked_reader_open(&c.reader, source, H5I_INVALID_HID, NULL, err));
    if (H5Pget_layout(creation) == H5D_CHUNKED) {
        STOA_HDF(err, H5Pget_chunk(creation, H5S_MAX_RANK, c.chunk), "get the chunk shape");
        STOA_TRY(copy_chunks(&c, err));
    } else {
        STOA_TRY(copy_in_pieces(&c, origin, c.extent, err));
    }
    STOA_TRY(stoa_chunk_writer_flush(&c.writer, err));

done:
    stoa_checked_reader_close(&c.reader);
    stoa_chunk_writer_close(&c.writer);
    stoa_buffer_clear(&c.offsets);
    status = stoa_hdf_close(&creation, status, err);
    status = stoa_hdf_close(&c.space, status, err);
    return stoa_hdf_close(&c.type, status, err);
}
