#include "sparse/connector/connector_blob.h"

#include <stdlib.h>
#include <string.h>

#include "codec/bytes.h"
#include "hdf/hdf5.h"
#include "hdf/ids.h"

enum { LENGTH_SIZE = 4 /* of a slot in the file; the rest is the blob id */ };

/* Destination of blobs. */
typedef struct heap {
    void *file; /* object below the connector */
    hid_t below;
    size_t slot_size;
} heap;

static stoa_status put_blob(const heap *to, uint64_t length, const void *bytes, size_t n_bytes,
                            uint8_t *slot, stoa_error *err)
{
    if (length > UINT32_MAX) {
        return stoa_fail(err, STOA_ERANGE, "a string or sequence of %llu is too long for HDF5",
                         (unsigned long long)length);
    }
    stoa_put_le32(slot, (uint32_t)length);
    STOA_RETURN_HDF_ERROR(
        err, H5VLblob_put(to->file, to->below, bytes, n_bytes, slot + LENGTH_SIZE, NULL),
        "write data of variable length");
    return STOA_OK;
}

static stoa_status put_element(const heap *to, const stoa_vlen_layout *layout,
                               const uint8_t *element, uint8_t *value, stoa_error *err);

/* Write items that contain variable-length data. The inner data are written first. */
static stoa_status put_items(const heap *to, const stoa_vlen_layout *items, const hvl_t *sequence,
                             uint8_t *slot, stoa_error *err)
{
    const size_t size = stoa_vlen_file_size(items, to->slot_size, NULL);
    uint8_t *values = stoa_alloc_zero(sequence->len, size);
    stoa_status status = STOA_OK;

    if (values == NULL) {
        return stoa_fail_memory(err);
    }
    for (size_t i = 0; i < sequence->len; i++) {
        STOA_TRY(put_element(to, items, (const uint8_t *)sequence->p + i * items->size,
                             values + i * size, err));
    }
    STOA_TRY(put_blob(to, sequence->len, values, sequence->len * size, slot, err));

done:
    free(values);
    return status;
}

static stoa_status put_slot(const heap *to, const stoa_vlen_slot *slot, const uint8_t *element,
                            uint8_t *value, stoa_error *err)
{
    hvl_t sequence = {0, NULL};
    char *text = NULL;

    memset(value, 0, to->slot_size);
    if (slot->items == NULL) {
        memcpy(&text, element + slot->offset, sizeof text);
        const size_t n = text != NULL ? strlen(text) : 0;
        return text != NULL ? put_blob(to, n, text, n, value, err) : STOA_OK;
    }
    memcpy(&sequence, element + slot->offset, sizeof sequence);
    if (sequence.len == 0 || sequence.p == NULL) {
        return STOA_OK;
    }
    return slot->items->n_slots > 0 ? put_items(to, slot->items, &sequence, value, err)
                                    : put_blob(to, sequence.len, sequence.p,
                                               sequence.len * slot->items->size, value, err);
}

static stoa_status put_element(const heap *to, const stoa_vlen_layout *layout,
                               const uint8_t *element, uint8_t *value, stoa_error *err)
{
    size_t at = 0;

    for (size_t i = 0; i < layout->n_slots; i++) {
        const stoa_vlen_slot *slot = &layout->slots[i];
        const size_t plain = slot->offset - at;
        memcpy(value, element + at, plain);
        STOA_RETURN_NOT_OK(put_slot(to, slot, element, value + plain, err));
        value += plain + to->slot_size;
        at = slot->offset + (slot->items != NULL ? sizeof(hvl_t) : sizeof(char *));
    }
    memcpy(value, element + at, layout->size - at);
    return STOA_OK;
}

stoa_status stoa_blobs_write(const stoa_transfer *t, uint64_t n, const uint8_t *elements,
                             uint8_t *values, stoa_error *err)
{
    const stoa_vlen_layout *layout = stoa_store_vlen(t->store);
    const size_t plain = layout->packed_size - layout->n_slots * LENGTH_SIZE;
    heap to = {.below = t->link->below, .slot_size = (t->stored_size - plain) / layout->n_slots};

    STOA_RETURN_NOT_OK(stoa_below_file(t->link, H5I_DATASET, &to.file, err));
    for (uint64_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(put_element(&to, layout, elements + i * layout->size,
                                       values + i * t->stored_size, err));
    }
    return STOA_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

/* Select the elements of the current parts in the dataset's space. */
static stoa_status select_parts(const stoa_transfer *t, uint64_t n, hid_t space, stoa_error *err)
{
    const stoa_run_part *parts = (const stoa_run_part *)(const void *)t->parts.data;
    hsize_t *points = stoa_alloc((size_t)n * t->rank, sizeof *points);
    hsize_t *to = points;
    stoa_status status = STOA_OK;

    if (points == NULL) {
        return stoa_fail_memory(err);
    }
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

stoa_status stoa_blobs_read(const stoa_transfer *t, uint64_t n, uint8_t *elements, stoa_error *err)
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
