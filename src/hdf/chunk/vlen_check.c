#include "hdf/chunk/vlen_check.h"

#include <stdlib.h>

#include "codec/bytes.h"
#include "core/memory.h"
#include "hdf/chunk/filters.h"
#include "hdf/chunk/unpack.h"
#include "hdf/file/descriptor.h"
#include "hdf/journal/disk.h"
#include "hdf/metadata/libhdf5_checks.h"

/* Size of an element in the file: its length, in the first bytes, and a heap reference. */
enum { STORED_BYTES = 16 };
/* Larger chunks are not decoded here. */
#define MAX_CHUNK_BYTES ((uint64_t)64 << 20)

/* A list or text within an element: offset of its length, and bytes per item in the file. */
typedef struct slot {
    size_t offset;
    size_t item;
} slot;

struct stoa_vlen_check {
    hid_t dataset;
    hid_t dcpl;
    int rank;
    hsize_t chunk_rows; /* elements per chunk; 0: chunks are not checked */
    uint64_t address;   /* of the first element if the dataset is contiguous; else 0 */
    size_t size;        /* of an element in the file */
    uint64_t n_bytes;   /* of the file */
    stoa_buffer slots;
    stoa_pipeline pipeline;
    stoa_scratch scratch;
};

/* --- locations of lengths -------------------------------------------------------------------- */

/* More deeply nested types, and lists beyond this number, are not checked. */
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

/* An open type has the offsets of members in memory. In the file, each member is shifted by the
 * difference of the sizes before it. */
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
            break; /* not in the order of their offsets: no known writer of lists does that */
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

bool stoa_type_has_vlen(hid_t type)
{
    return H5Tis_variable_str(type) > 0 || H5Tdetect_class(type, H5T_VLEN) > 0 ||
           H5Tdetect_class(type, H5T_STRING) > 0;
}

/* --- checks ---------------------------------------------------------------------------------- */

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

/* libhdf5 does not give shuffle the element size of a variable-length type, and then skips the
 * filter. An element size of 1 does the same, since it moves no bytes. */
static bool find_pipeline(stoa_vlen_check *in, hsize_t chunk_rows)
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

/* Address of a dataset without chunks; 0: not stored, or in other files. */
static uint64_t find_address(const stoa_vlen_check *in)
{
    const haddr_t at =
        H5Pget_layout(in->dcpl) == H5D_CONTIGUOUS && H5Pget_external_count(in->dcpl) == 0
            ? H5Dget_offset(in->dataset)
            : HADDR_UNDEF;

    return at != HADDR_UNDEF ? at : 0;
}

static void find_chunk(stoa_vlen_check *in)
{
    hsize_t chunk[H5S_MAX_RANK];
    hsize_t n = 1;

    in->rank = H5Pget_chunk(in->dcpl, H5S_MAX_RANK, chunk);
    for (int i = 0; i < in->rank; i++) {
        if (chunk[i] == 0 || n > MAX_CHUNK_BYTES / in->size / chunk[i]) {
            return;
        }
        n *= chunk[i];
    }
    in->chunk_rows = in->rank > 0 && find_pipeline(in, n) ? n : 0;
}

static stoa_status check_type(stoa_vlen_check *in, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;

    STOA_HDF(err, type = H5Dget_type(in->dataset), "get the datatype");
    STOA_TRY(stoa_type_has_vlen(type) ? add_slots(type, 0, 0, &in->slots, err) : STOA_OK);
    in->size = stoa_stored_size(type);

done:
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_vlen_check_open(hid_t dataset, stoa_vlen_check **lengths, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_vlen_check *in = stoa_alloc_zero(1, sizeof *in);

    *lengths = NULL;
    STOA_TRY(in != NULL ? STOA_OK : stoa_fail_memory(err));
    in->dataset = dataset;
    in->dcpl = H5I_INVALID_HID;
    STOA_TRY(check_type(in, err));
    if (in->slots.size > 0 && in->size > 0) {
        STOA_HDF(err, in->dcpl = stoa_dataset_properties(dataset), "get the creation properties");
        if (H5Pget_layout(in->dcpl) == H5D_CHUNKED) {
            find_chunk(in);
        } else {
            in->address = find_address(in);
        }
    }
    *lengths = in;
    in = NULL;

done:
    stoa_vlen_check_close(in);
    return status;
}

void stoa_vlen_check_close(stoa_vlen_check *lengths)
{
    if (lengths == NULL) {
        return;
    }
    stoa_buffer_clear(&lengths->slots);
    stoa_scratch_clear(&lengths->scratch);
    (void)stoa_hdf_close(&lengths->dcpl, STOA_OK, NULL);
    free(lengths);
}

static stoa_status check_row(const stoa_vlen_check *in, const uint8_t *row, uint64_t number,
                             stoa_error *err)
{
    const slot *const slots = (const slot *)(const void *)in->slots.data;

    for (size_t k = 0; k < in->slots.size / sizeof *slots; k++) {
        const uint32_t length = stoa_get_le32(row + slots[k].offset);
        if (slots[k].offset + STORED_BYTES <= in->size && length > in->n_bytes / slots[k].item) {
            return stoa_fail(err, STOA_EDATA,
                             "row %llu is damaged: %lu items are more than the file has",
                             (unsigned long long)number, (unsigned long)length);
        }
    }
    return STOA_OK;
}

/* Check elements [first, first + count) of one chunk. `number` is the first one's number in
 * messages. */
static stoa_status check_chunk(stoa_vlen_check *in, const hsize_t *offset, uint64_t first,
                               uint64_t count, uint64_t number, stoa_error *err)
{
    const uint8_t *bytes = NULL;

    STOA_RETURN_NOT_OK(stoa_chunk_decode(in->dataset, in->dcpl, offset, &in->pipeline, &in->scratch,
                                         NULL, &bytes, err));
    for (uint64_t i = 0; bytes != NULL && i < count; i++) {
        STOA_RETURN_NOT_OK(check_row(in, bytes + (first + i) * in->size,
                                     in->rank == 1 ? number + i : number, err));
    }
    return STOA_OK;
}

static stoa_status check_rows(stoa_vlen_check *in, uint64_t first, uint64_t count, stoa_error *err)
{
    while (count > 0) {
        const hsize_t offset = first - first % in->chunk_rows;
        const uint64_t left = in->chunk_rows - first % in->chunk_rows;
        const uint64_t n = count < left ? count : left;
        STOA_RETURN_NOT_OK(check_chunk(in, &offset, first - offset, n, first, err));
        first += n;
        count -= n;
    }
    return STOA_OK;
}

/* Check contiguous elements in the file itself, if it is not open for writing. */
static stoa_status check_contiguous(stoa_vlen_check *in, uint64_t first, uint64_t count,
                                    stoa_error *err)
{
    enum { AT_ONCE = 1 << 16 };
    stoa_status status = STOA_OK;
    stoa_descriptor file = STOA_DESCRIPTOR_INIT;
    const uint64_t most = in->size < AT_ONCE ? AT_ONCE / in->size : 1;
    uint8_t *bytes = NULL;

    STOA_TRY(stoa_descriptor_open(&file, in->dataset, err));
    while (file.fd >= 0 && count > 0) {
        const uint64_t n = count < most ? count : most;
        bytes = stoa_scratch_block(&in->scratch, 0, (size_t)n * in->size);
        STOA_TRY(bytes != NULL ? STOA_OK : stoa_fail_memory(err));
        const int failed =
            stoa_disk_read(file.fd, in->address + first * in->size, bytes, (size_t)n * in->size);
        if (failed != 0) {
            STOA_TRY(stoa_fail_errno(err, failed, "cannot read rows from %llu on",
                                     (unsigned long long)first));
        }
        for (uint64_t i = 0; i < n; i++) {
            STOA_TRY(check_row(in, bytes + i * in->size, first + i, err));
        }
        first += n;
        count -= n;
    }

done:
    stoa_descriptor_close(&file);
    return status;
}

stoa_status stoa_vlen_check_rows(stoa_vlen_check *lengths, uint64_t first, uint64_t count,
                                 stoa_error *err)
{
    STOA_RETURN_NOT_OK(find_file_size(lengths->dataset, &lengths->n_bytes, err));
    if (lengths->address != 0) {
        STOA_RETURN_NOT_OK(check_contiguous(lengths, first, count, err));
    } else if (lengths->chunk_rows > 0 && lengths->rank == 1) {
        STOA_RETURN_NOT_OK(check_rows(lengths, first, count, err));
    }
    return STOA_OK;
}

stoa_status stoa_vlen_check_chunk(stoa_vlen_check *lengths, const hsize_t *offset, stoa_error *err)
{
    STOA_RETURN_NOT_OK(find_file_size(lengths->dataset, &lengths->n_bytes, err));
    if (lengths->chunk_rows > 0) {
        STOA_RETURN_NOT_OK(check_chunk(lengths, offset, 0, lengths->chunk_rows, offset[0], err));
    }
    return STOA_OK;
}
