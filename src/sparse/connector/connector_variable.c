/*
 * Variable-length elements in H5Dread() and H5Dwrite() of sparse datasets.
 *
 * There is a third form between the program's memory and the sections: the file's datatype in
 * memory. libhdf5 converts it from and to the program's type. If nothing has to change, it copies
 * pointers instead of data. Data that either form holds are therefore freed only if the other does
 * not need them.
 */
#include <stdlib.h>
#include <string.h>

#include "hdf/ids.h"
#include "sparse/connector/connector_parts.h"
#include "sparse/connector/connector_transfer.h"
#include "sparse/store/blobs.h"

struct stoa_variable {
    const stoa_vlen_layout *stored; /* of the file's type in memory; owned by the store */
    stoa_vlen_layout *given;        /* of the program's type, if different */
    stoa_vlen_memory memory;        /* the program's; allocates what is read */
    hid_t dxpl;                     /* for conversions; H5I_INVALID_HID uses the call's */
    stoa_buffer packed;             /* section 1 of a piece */
    stoa_buffer lengths;            /* of each element's data */
    stoa_buffer heap;               /* section 2 */
    stoa_buffer old;                /* destination values before the conversion */
    stoa_buffer pointers;           /* supplied by the program */
    stoa_vlen_layout replaced;      /* slots that both types have; borrows from `stored` */
};

/* For data that Stoa owns. */
static const stoa_vlen_memory own_memory = {.allocate = NULL};

/* --- opening --------------------------------------------------------------------------------- */

/* Data that a write converts belong to Stoa, so they must not use the program's allocator. */
static stoa_status plain_list(stoa_transfer *t, stoa_error *err)
{
    stoa_variable *v = t->variable;

    if (t->dxpl != H5P_DATASET_XFER_DEFAULT) {
        STOA_RETURN_HDF_ERROR(err, v->dxpl = H5Pcopy(t->dxpl), "copy a transfer list");
        STOA_RETURN_HDF_ERROR(err, H5Pset_vlen_mem_manager(v->dxpl, NULL, NULL, NULL, NULL),
                              "set how memory is allocated");
    }
    return STOA_OK;
}

/* Find the slots of the file's elements that a write replaces. */
static stoa_status find_replaced(stoa_transfer *t, stoa_error *err)
{
    stoa_variable *v = t->variable;
    stoa_vlen_layout *both = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_vlen_layout_of(t->file_type, t->memory_type, &both, err));
    v->replaced = (stoa_vlen_layout){.size = v->stored->size};
    for (size_t i = 0, k = 0; i < v->stored->n_slots && k < both->n_slots; i++) {
        if (v->stored->slots[i].offset == both->slots[k].offset) {
            v->replaced.slots[v->replaced.n_slots++] = v->stored->slots[i];
            k++;
        }
    }

done:
    stoa_vlen_layout_free(both);
    return status;
}

stoa_status stoa_variable_open(stoa_transfer *t, bool is_read, stoa_error *err)
{
    stoa_variable *v = stoa_alloc_zero(1, sizeof *v);

    t->variable = v;
    STOA_RETURN_NO_MEMORY(err, v);
    v->dxpl = H5I_INVALID_HID;
    v->stored = stoa_store_vlen(t->store);
    t->stored_size = stoa_sparse_value_size(stoa_store_format(t->store));
    if (v->stored->size != t->file_size) {
        return stoa_fail(err, STOA_EDATA, "elements of %zu bytes where %zu belong", t->file_size,
                         v->stored->size);
    }
    if (t->converts) {
        STOA_RETURN_NOT_OK(stoa_vlen_layout_of(t->memory_type, t->file_type, &v->given, err));
        STOA_RETURN_NOT_OK(find_replaced(t, err));
    }
    if (is_read) {
        STOA_RETURN_HDF_ERROR(err,
                              H5Pget_vlen_mem_manager(t->dxpl, &v->memory.allocate,
                                                      &v->memory.allocate_info, &v->memory.free,
                                                      &v->memory.free_info),
                              "look up how memory is allocated");
    } else {
        STOA_RETURN_NOT_OK(plain_list(t, err));
    }
    return STOA_OK;
}

void stoa_variable_close(stoa_transfer *t)
{
    stoa_variable *v = t->variable;

    if (v != NULL) {
        (void)stoa_hdf_close(&v->dxpl, STOA_OK, NULL);
        stoa_vlen_layout_free(v->given);
        stoa_buffer_clear(&v->packed);
        stoa_buffer_clear(&v->lengths);
        stoa_buffer_clear(&v->heap);
        stoa_buffer_clear(&v->old);
        stoa_buffer_clear(&v->pointers);
        free(v);
    }
    t->variable = NULL;
}

/* --- reading from the sections --------------------------------------------------------------- */

/* Copy elements bytewise. The data they refer to are shared. */
static stoa_status keep(stoa_buffer *to, const uint8_t *elements, size_t n_bytes, stoa_error *err)
{
    to->size = 0;
    return stoa_buffer_append(to, elements, n_bytes, err);
}

/* Read elements from the sections into the file's datatype. The caller releases them, also after a
 * failure. */
static stoa_status read_stored(stoa_transfer *t, uint64_t n, const stoa_vlen_memory *memory,
                               uint8_t *elements, stoa_error *err)
{
    stoa_variable *v = t->variable;

    memset(elements, 0, (size_t)n * v->stored->size);
    v->packed.size = 0;
    v->lengths.size = 0;
    v->heap.size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&v->packed, (size_t)n * t->stored_size, err));
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&v->lengths, (size_t)n * sizeof(uint64_t), err));
    const stoa_stream stream = {
        .to = v->packed.data, .lengths = (uint64_t *)(void *)v->lengths.data, .heap = &v->heap};
    STOA_RETURN_NOT_OK(stoa_transfer_stored(t, stream, err));
    return stoa_vlen_unpack(v->stored, memory, (size_t)n, v->packed.data, v->heap.data,
                            v->heap.size, elements, err);
}

/* Clear the slots of a background that are about to be replaced. They contain whatever the program
 * left there. */
static void forget_slots(const stoa_vlen_layout *layout, uint64_t n, uint8_t *elements)
{
    for (uint64_t i = 0; i < n; i++) {
        for (size_t s = 0; s < layout->n_slots; s++) {
            memset(elements + i * layout->size + layout->slots[s].offset, 0,
                   layout->slots[s].items != NULL ? sizeof(hvl_t) : sizeof(char *));
        }
    }
}

/* Convert the current values to the program's type. After a failure no data are held. */
static stoa_status convert_read(stoa_transfer *t, uint64_t n, const uint8_t *buf, stoa_error *err)
{
    stoa_variable *v = t->variable;
    const stoa_vlen_conversion conversion = {.from_layout = v->stored,
                                             .to_layout = v->given,
                                             .from = t->file_type,
                                             .to = t->memory_type,
                                             .dxpl = t->dxpl,
                                             .memory = &v->memory};

    if (t->merges) {
        stoa_transfer_pack(t, buf, t->background.data);
        forget_slots(v->given, n, t->background.data);
    }
    return stoa_vlen_convert(&conversion, (size_t)n, t->values.data, t->background.data, err);
}

stoa_status stoa_variable_read(stoa_transfer *t, uint64_t n, uint8_t *buf, stoa_error *err)
{
    stoa_variable *v = t->variable;
    stoa_status status = read_stored(t, n, &v->memory, t->values.data, err);

    if (status != STOA_OK) {
        stoa_vlen_release(v->stored, &v->memory, (size_t)n, t->values.data, NULL);
        return status;
    }
    if (t->converts) {
        STOA_RETURN_NOT_OK(convert_read(t, n, buf, err));
    }
    stoa_transfer_unpack(t, t->values.data, buf);
    return status;
}

/* --- writing to the sections ----------------------------------------------------------------- */

/* Select the elements of the current parts in the dataset's space. */
static stoa_status select_parts(const stoa_transfer *t, uint64_t n, hid_t space, stoa_error *err)
{
    const stoa_run_part *parts = (const stoa_run_part *)(const void *)t->parts.data;
    hsize_t *points = stoa_alloc((size_t)n * t->rank, sizeof *points);
    hsize_t *to = points;
    stoa_status status = STOA_OK;

    STOA_RETURN_NO_MEMORY(err, points);
    for (size_t i = 0; i < t->parts.size / sizeof *parts; i++) {
        for (uint64_t k = 0; k < parts[i].n; k++, to += t->rank) {
            stoa_coordinates_of((int)t->rank, t->extent, parts[i].in_file + k, to);
        }
    }
    STOA_HDF(err, H5Sselect_elements(space, H5S_SELECT_SET, (size_t)n, points), "select elements");

done:
    free(points);
    return status;
}

/* Read the elements of the current parts through libhdf5. Their data are allocated with malloc().
 */
static stoa_status read_references(const stoa_transfer *t, uint64_t n, uint8_t *elements,
                                   stoa_error *err)
{
    const hsize_t count = n;
    hid_t type = t->file_type;
    hid_t file = H5I_INVALID_HID;
    hid_t memory = H5I_INVALID_HID;
    void *object = t->link->object;
    void *buf = elements;
    stoa_status status = STOA_OK;

    memset(elements, 0, (size_t)n * t->file_size);
    STOA_TRY(stoa_store_flush(t->store, err));
    STOA_TRY(stoa_below_space(t->link, &file, err));
    STOA_TRY(select_parts(t, n, file, err));
    STOA_HDF(err, memory = H5Screate_simple(1, &count, NULL), "make a dataspace");
    STOA_HDF(err,
             H5VLdataset_read(1, &object, t->link->below, &type, &memory, &file,
                              H5P_DATASET_XFER_DEFAULT, &buf, NULL),
             "read what is there");

done:
    status = stoa_hdf_close(&memory, status, err);
    return stoa_hdf_close(&file, status, err);
}

/* Read the destination values as the background of the conversion. */
static stoa_status read_old(stoa_transfer *t, uint64_t n, stoa_error *err)
{
    stoa_variable *v = t->variable;
    const size_t n_bytes = (size_t)n * v->stored->size;
    stoa_status status = STOA_OK;

    v->old.size = 0;
    STOA_TRY(stoa_store_format(t->store)->has_heap
                 ? read_stored(t, n, &own_memory, t->background.data, err)
                 : read_references(t, n, t->background.data, err));
    STOA_TRY(keep(&v->old, t->background.data, n_bytes, err));

done:
    if (status != STOA_OK) {
        stoa_vlen_release(v->stored, &own_memory, (size_t)n, t->background.data, NULL);
    }
    return status;
}

/* Write elements of the file's datatype to the store. */
static stoa_status write_stored(stoa_transfer *t, uint64_t n, const uint8_t *elements,
                                stoa_error *err)
{
    stoa_variable *v = t->variable;

    v->packed.size = 0;
    v->lengths.size = 0;
    v->heap.size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&v->packed, (size_t)n * t->stored_size, err));
    if (!stoa_store_format(t->store)->has_heap) {
        STOA_RETURN_NOT_OK(stoa_blobs_write(stoa_store_dataset(t->store), v->stored, t->stored_size,
                                            n, elements, v->packed.data, err));
        STOA_RETURN_NOT_OK(stoa_transfer_stored(t, (stoa_stream){.from = v->packed.data}, err));
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&v->lengths, (size_t)n * sizeof(uint64_t), err));
    uint64_t *lengths = (uint64_t *)(void *)v->lengths.data;
    STOA_RETURN_NOT_OK(
        stoa_vlen_pack(v->stored, (size_t)n, elements, v->packed.data, lengths, &v->heap, err));
    const stoa_stream stream = {
        .from = v->packed.data, .lengths = lengths, .heap_at = v->heap.data};
    return stoa_transfer_stored(t, stream, err);
}

/* Free everything that the conversion of a write allocated: data of the values that the program did
 * not supply, and old data in the slots that were replaced. */
static void release_converted(stoa_transfer *t, uint64_t n)
{
    stoa_variable *v = t->variable;

    if (v->old.size > 0) {
        stoa_vlen_release(&v->replaced, &own_memory, (size_t)n, v->old.data, NULL);
    }
    stoa_vlen_release(v->stored, &own_memory, (size_t)n, t->values.data, &v->pointers);
}

/* Convert the current values from the program's type to the file's type. */
static stoa_status convert_write(stoa_transfer *t, uint64_t n, stoa_error *err)
{
    stoa_variable *v = t->variable;
    const size_t count = (size_t)n;
    stoa_status status = STOA_OK;

    v->pointers.size = 0;
    STOA_TRY(stoa_vlen_collect(v->given, count, t->values.data, &v->pointers, err));
    if (t->merges) {
        STOA_TRY(read_old(t, n, err));
    }
    STOA_HDF(err,
             H5Tconvert(t->memory_type, t->file_type, count, t->values.data, t->background.data,
                        v->dxpl >= 0 ? v->dxpl : t->dxpl),
             "convert elements");

done:
    if (status != STOA_OK && v->old.size > 0) {
        stoa_vlen_release(v->stored, &own_memory, count, v->old.data, NULL);
    }
    return status;
}

stoa_status stoa_variable_write(stoa_transfer *t, uint64_t n, const uint8_t *buf, stoa_error *err)
{
    stoa_variable *v = t->variable;
    stoa_status status = STOA_OK;

    v->old.size = 0;
    stoa_transfer_pack(t, buf, t->values.data);
    if (!t->converts) {
        return write_stored(t, n, t->values.data, err);
    }
    STOA_RETURN_NOT_OK(convert_write(t, n, err));
    status = write_stored(t, n, t->values.data, err);
    release_converted(t, n);
    return status;
}
