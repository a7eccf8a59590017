/* See lengths.h. */
#include "hdf/lengths.h"

#include "core/memory.h"
#include "hdf/filters.h"
#include "hdf/guard.h"
#include "hdf/unpack.h"

/* An element in the file: its length, which are its first bytes, and a reference. */
enum { STORED_BYTES = 16 };
/* Larger chunks are not unpacked here. */
#define MAX_CHUNK_BYTES ((uint64_t)64 << 20)

/* A list or text in an element: where its length lies, and bytes in the file of an item. */
typedef struct slot {
    size_t offset;
    size_t item;
} slot;

typedef struct lists {
    hid_t dataset;
    hid_t dcpl;
    hsize_t chunk_rows; /* 0: not to be looked into */
    size_t size;        /* of an element in the file */
    uint64_t n_bytes;   /* of the file */
    stoa_buffer slots;
    stoa_pipeline pipeline;
    stoa_scratch scratch;
} lists;

/* --- where lengths lie ----------------------------------------------------------------------- */

/* Types nested deeper, and elements of more lists, are not looked into. */
enum { MAX_DEPTH = 32, MAX_SLOTS = 1 << 16 };

static stoa_status add_slots(hid_t type, size_t offset, int depth, stoa_buffer *slots,
                             stoa_error *err);

static stoa_status add_slot(hid_t type, size_t offset, stoa_buffer *slots, stoa_error *err)
{
    slot one = {offset, 1};

    if (H5Tget_class(type) == H5T_VLEN) {
        hid_t item = H5Tget_super(type);
        const size_t n = item >= 0 ? stoa_stored_size(item) : 0;
        one.item = n > 0 ? n : 1;
        (void)stoa_hdf_close(&item, STOA_OK, NULL);
    }
    return slots->size / sizeof one < MAX_SLOTS ? stoa_buffer_append(slots, &one, sizeof one, err)
                                                : STOA_OK;
}

/* A type that is open says where members lie in memory; in the file, each is behind what those in
 * front of it take up there. */
static stoa_status add_members(hid_t type, size_t offset, int depth, stoa_buffer *slots,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t member = H5I_INVALID_HID;
    size_t shift = 0;
    size_t end = 0;

    for (int i = 0; i < H5Tget_nmembers(type); i++) {
        const size_t at = H5Tget_member_offset(type, (unsigned)i);
        STOA_HDF(err, member = H5Tget_member_type(type, (unsigned)i), "read a field's type");
        if (at < end) {
            break; /* not in the order of their bytes: of no writer that has lists in them */
        }
        end = at + H5Tget_size(member);
        STOA_TRY(add_slots(member, offset + at + shift, depth + 1, slots, err));
        shift += stoa_stored_size(member) - H5Tget_size(member);
        status = stoa_hdf_close(&member, status, err);
    }

done:
    return stoa_hdf_close(&member, status, err);
}

static stoa_status add_items(hid_t type, size_t offset, int depth, stoa_buffer *slots,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t base = H5I_INVALID_HID;
    size_t before = slots->size;

    STOA_HDF(err, base = H5Tget_super(type), "read a base type");
    const size_t in_memory = H5Tget_size(base);
    const size_t stored = stoa_stored_size(base);
    const size_t n = in_memory > 0 ? H5Tget_size(type) / in_memory : 0;
    for (size_t i = 0; i < n && slots->size / sizeof(slot) < MAX_SLOTS; i++) {
        STOA_TRY(add_slots(base, offset + i * stored, depth + 1, slots, err));
        if (slots->size == before) {
            break; /* items without lists */
        }
    }

done:
    return stoa_hdf_close(&base, status, err);
}

static stoa_status add_slots(hid_t type, size_t offset, int depth, stoa_buffer *slots,
                             stoa_error *err)
{
    const H5T_class_t class = H5Tget_class(type);

    if (depth > MAX_DEPTH) {
        return STOA_OK;
    }
    return H5Tis_variable_str(type) > 0 || class == H5T_VLEN ? add_slot(type, offset, slots, err)
           : class == H5T_COMPOUND ? add_members(type, offset, depth, slots, err)
           : class == H5T_ARRAY    ? add_items(type, offset, depth, slots, err)
                                   : STOA_OK;
}

bool stoa_type_has_lengths(hid_t type)
{
    return H5Tis_variable_str(type) > 0 || H5Tdetect_class(type, H5T_VLEN) > 0 ||
           H5Tdetect_class(type, H5T_STRING) > 0;
}

/* --- looking --------------------------------------------------------------------------------- */

static stoa_status find_file_size(hid_t dataset, uint64_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t file = H5I_INVALID_HID;
    hsize_t size = 0;

    STOA_HDF(err, file = H5Iget_file_id(dataset), "get the file");
    STOA_HDF(err, H5Fget_filesize(file, &size), "get the file's size");
    *n = size;

done:
    return stoa_hdf_close(&file, status, err);
}

/* libhdf5 does not tell a shuffle what it is to shuffle where that is of any length, and then
 * passes it over: as one of bytes, which moves none. */
static bool find_pipeline(lists *in, hsize_t chunk_rows)
{
    stoa_pipeline *const pipeline = &in->pipeline;

    if (stoa_pipeline_of(in->dcpl, in->size, chunk_rows, pipeline)) {
        return true;
    }
    for (size_t i = 0; i < pipeline->n_filters; i++) {
        stoa_filter *const filter = &pipeline->filters[i];
        if (filter->id == H5Z_FILTER_SHUFFLE && filter->n_values == 0) {
            filter->n_values = 1;
            filter->values[0] = 1;
        }
    }
    return pipeline->n_filters > 0 && stoa_pipeline_is_known(pipeline);
}

static stoa_status open_lists(lists *in, hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hsize_t chunk[H5S_MAX_RANK];

    *in = (lists){.dataset = dataset, .dcpl = H5I_INVALID_HID};
    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    STOA_TRY(stoa_type_has_lengths(type) ? add_slots(type, 0, 0, &in->slots, err) : STOA_OK);
    in->size = stoa_stored_size(type);
    if (in->slots.size == 0 || in->size == 0) {
        goto done;
    }
    STOA_HDF(err, in->dcpl = stoa_dataset_properties(dataset), "get the creation properties");
    if (H5Pget_layout(in->dcpl) != H5D_CHUNKED ||
        H5Pget_chunk(in->dcpl, H5S_MAX_RANK, chunk) != 1 || chunk[0] > MAX_CHUNK_BYTES / in->size ||
        !find_pipeline(in, chunk[0])) {
        goto done;
    }
    STOA_TRY(find_file_size(dataset, &in->n_bytes, err));
    in->chunk_rows = chunk[0];

done:
    return stoa_hdf_close(&type, status, err);
}

static stoa_status check_row(const lists *in, const uint8_t *row, uint64_t number, stoa_error *err)
{
    const slot *const slots = (const slot *)(const void *)in->slots.data;

    for (size_t k = 0; k < in->slots.size / sizeof *slots; k++) {
        const uint8_t *const at = row + slots[k].offset;
        const uint32_t length =
            at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        if (slots[k].offset + STORED_BYTES <= in->size && length > in->n_bytes / slots[k].item) {
            return stoa_fail(err, STOA_EDATA,
                             "row %llu is damaged: %lu items are more than the file has",
                             (unsigned long long)number, (unsigned long)length);
        }
    }
    return STOA_OK;
}

/* Rows of one chunk. */
static stoa_status check_chunk(lists *in, uint64_t first, uint64_t count, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint8_t *bytes = NULL;
    const hsize_t offset = first - first % in->chunk_rows;

    STOA_TRY(stoa_chunk_decode(in->dataset, in->dcpl, &offset, &in->pipeline, &in->scratch, NULL,
                               &bytes, err));
    for (uint64_t i = first; bytes != NULL && i < first + count; i++) {
        STOA_TRY(check_row(in, bytes + (i - offset) * in->size, i, err));
    }

done:
    return status;
}

stoa_status stoa_lengths_check(hid_t dataset, uint64_t first, uint64_t count, stoa_error *err)
{
    stoa_status status = STOA_OK;
    lists in;

    STOA_TRY(open_lists(&in, dataset, err));
    while (in.chunk_rows > 0 && count > 0) {
        const uint64_t left = in.chunk_rows - first % in.chunk_rows;
        const uint64_t n = count < left ? count : left;
        STOA_TRY(check_chunk(&in, first, n, err));
        first += n;
        count -= n;
    }

done:
    stoa_buffer_clear(&in.slots);
    stoa_scratch_clear(&in.scratch);
    return stoa_hdf_close(&in.dcpl, status, err);
}
