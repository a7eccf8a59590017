/* Reading and writing CHUNK_MINMAX entries (§10.4). */
#include <stdlib.h>
#include <string.h>

#include "hdf/chunk/chunk_checks.h"
#include "hdf/read/checked_reader.h"
#include "index/minmax/minmax_entry.h"

/* Limit on the strings read together. In a file, many entries may refer to one very long string. */
static const uint64_t max_text_bytes = 256u << 20;

typedef struct text_room {
    uint64_t left;
    stoa_buffer texts; /* array of void *: libhdf5 loses track of its strings on failure */
    bool is_out_of_memory;
} text_room;

/* Allocator for strings that libhdf5 reads. They all come from stoa_alloc(), and their total size
 * is limited. */
static void *allocate_string(size_t size, void *context)
{
    text_room *room = context;
    void *text = NULL;

    if (size > room->left) {
        return NULL;
    }
    room->left -= size;
    text = stoa_alloc(size, 1);
    if (text == NULL || stoa_buffer_append(&room->texts, &text, sizeof text, NULL) != STOA_OK) {
        room->is_out_of_memory = true;
        free(text);
        text = NULL;
    }
    return text;
}

/* Does nothing. libhdf5 frees strings that it overwrites, which does not happen here. After a
 * failure all strings are freed together. */
static void free_string(void *block, void *context)
{
    (void)block;
    (void)context;
}

static void forget_texts(text_room *room)
{
    for (size_t at = 0; at < room->texts.size; at += sizeof(void *)) {
        void *text = NULL;
        memcpy(&text, room->texts.data + at, sizeof text);
        free(text);
    }
    room->texts.size = 0;
}

static stoa_status read_entries(hid_t mem_type, hid_t dataset, uint64_t first, uint64_t count,
                                void *entries, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t transfer_list = H5I_INVALID_HID;
    text_room room = {.left = max_text_bytes};
    stoa_error why = STOA_ERROR_INIT;

    if (count == 0) {
        return STOA_OK;
    }
    STOA_HDF(err, transfer_list = H5Pcreate(H5P_DATASET_XFER), "make a property list");
    STOA_HDF(err, H5Pset_vlen_mem_manager(transfer_list, allocate_string, &room, free_string, NULL),
             "set an allocator");
    status = stoa_chunks_read(dataset, true, mem_type, &(hsize_t){first}, &(hsize_t){count},
                              transfer_list, entries, &why);
    if (status != STOA_OK) {
        forget_texts(&room);
        status = room.is_out_of_memory ? stoa_fail_memory(err)
                                       : stoa_fail(err, status, "%s", why.message);
    }

done:
    stoa_buffer_clear(&room.texts);
    return stoa_hdf_close(&transfer_list, status, err);
}

stoa_status stoa_minmax_read(const stoa_minmax_format *format, hid_t dataset, uint64_t first,
                             uint64_t count, uint8_t *entries, stoa_error *err)
{
    memset(entries, 0, (size_t)count * format->size);
    const stoa_status status = read_entries(format->mem_type, dataset, first, count, entries, err);
    if (status != STOA_OK) {
        memset(entries, 0, (size_t)count * format->size); /* their strings were freed */
    }
    return status;
}

static stoa_status write_entries(hid_t mem_type, hid_t dataset, uint64_t first, uint64_t count,
                                 const void *entries, stoa_error *err)
{
    return count == 0 ? STOA_OK
                      : stoa_dataset_write(dataset, mem_type, &(hsize_t){first}, &(hsize_t){count},
                                           entries, "a min/max index", err);
}

/* libhdf5 converts enums to integers, but not integers to enums. The codes are therefore converted
 * to the file's form first and written unchanged. */
static stoa_status write_codes(const stoa_minmax_format *format, hid_t dataset, uint64_t first,
                               uint64_t count, const uint8_t *entries, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t file_size = H5Tget_size(format->file_type);
    const size_t size = file_size > format->size ? file_size : format->size;
    uint8_t *converted = stoa_alloc((size_t)count, size);
    uint8_t *background = stoa_alloc_zero((size_t)count, size); /* for H5Tconvert of compounds */

    STOA_TRY(converted != NULL && background != NULL ? STOA_OK : stoa_fail_memory(err));
    memcpy(converted, entries, (size_t)count * format->size);
    STOA_HDF(err,
             H5Tconvert(format->mem_type, format->code_type, (size_t)count, converted, background,
                        H5P_DEFAULT),
             "convert enum codes");
    STOA_TRY(write_entries(format->file_type, dataset, first, count, converted, err));

done:
    free(background);
    free(converted);
    return status;
}

stoa_status stoa_minmax_write(const stoa_minmax_format *format, hid_t dataset, uint64_t first,
                              uint64_t count, const uint8_t *entries, stoa_error *err)
{
    return format->code_type >= 0
               ? write_codes(format, dataset, first, count, entries, err)
               : write_entries(format->mem_type, dataset, first, count, entries, err);
}
