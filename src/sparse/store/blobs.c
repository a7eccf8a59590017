#include "sparse/store/blobs.h"

#include <stdlib.h>
#include <string.h>

#include "codec/bytes.h"
#include "hdf/ids.h"

enum { LENGTH_SIZE = 4 }; /* of a slot in the file; the rest is the blob id */

/* Destination of blobs. */
typedef struct heap {
    stoa_chunk_call call;
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
    /* The error stack is held for all elements, so it still has the reason. */
    if (H5VLblob_put(to->call.file, to->call.connector, bytes, n_bytes, slot + LENGTH_SIZE, NULL) <
        0) {
        STOA_RETURN_HDF_ERROR(err, -1, "write data of variable length");
    }
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

    STOA_RETURN_NO_MEMORY(err, values);
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

/* A slot has a length and the id of a blob, the size of which the file tells. */
static stoa_status check_slots(const heap *to, stoa_error *err)
{
    H5VL_file_cont_info_t info = {.version = H5VL_CONTAINER_INFO_VERSION};
    H5VL_file_get_args_t args = {.op_type = H5VL_FILE_GET_CONT_INFO};

    args.args.get_cont_info.info = &info;
    STOA_RETURN_HDF_ERROR(
        err, H5VLfile_get(to->call.file, to->call.connector, &args, H5P_DATASET_XFER_DEFAULT, NULL),
        "look at a file");
    return info.blob_id_size + LENGTH_SIZE == to->slot_size
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA,
                           "the parameters of the filter are not those of the dataset");
}

stoa_status stoa_blobs_write(const stoa_chunk_dataset *dataset, const stoa_vlen_layout *layout,
                             size_t value_size, uint64_t n, const uint8_t *elements,
                             uint8_t *values, stoa_error *err)
{
    const size_t plain = layout->packed_size - layout->n_slots * LENGTH_SIZE;
    heap to = {.slot_size = (value_size - plain) / layout->n_slots};

    STOA_RETURN_NOT_OK(stoa_chunk_call_enter(dataset, &to.call, err));
    stoa_status status = check_slots(&to, err);
    const stoa_error_stack errors = stoa_error_stack_begin(); /* once for all calls */
    for (uint64_t i = 0; i < n && status == STOA_OK; i++) {
        status =
            put_element(&to, layout, elements + i * layout->size, values + i * value_size, err);
    }
    stoa_error_stack_end(&errors);
    return stoa_chunk_call_leave(&to.call, status, err);
}
