#include "hdf/read/compound_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/kernels/byteswap.h"
#include "core/memory.h"
#include "hdf/metadata/libhdf5_checks.h"

struct stoa_rows {
    hid_t dataset;
    hid_t type;
    stoa_checked_reader reader; /* reads without libhdf5 if reader.direct != NULL */
    uint64_t extent;
    uint64_t chunk_rows;
    size_t size;
    unsigned n_holders;
};

/* libhdf5 reads whole array members in blocks of this size, of which items are copied. */
enum { BLOCK_BYTES = 1 << 22 };

/* --- the dataset ----------------------------------------------------------------------------- */

static stoa_status find_shape(stoa_rows *rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    hsize_t extent = 0;
    hsize_t chunk = 0;

    STOA_HDF(err, rows->type = H5Dget_type(rows->dataset), "get the datatype");
    STOA_HDF(err, space = H5Dget_space(rows->dataset), "get the shape");
    if (H5Tget_class(rows->type) != H5T_COMPOUND ||
        H5Sget_simple_extent_type(space) != H5S_SIMPLE || H5Sget_simple_extent_ndims(space) != 1) {
        STOA_FAIL(err, STOA_ELAYOUT, "is no table: it must have one dimension and rows of fields");
    }
    STOA_HDF(err, H5Sget_simple_extent_dims(space, &extent, NULL), "get the shape");
    STOA_HDF(err, dcpl = stoa_dataset_properties(rows->dataset), "get the creation properties");
    if (H5Pget_layout(dcpl) == H5D_CHUNKED) {
        STOA_HDF(err, H5Pget_chunk(dcpl, 1, &chunk), "get the chunk length");
    }
    rows->extent = extent;
    rows->chunk_rows = chunk;
    rows->size = H5Tget_size(rows->type);

done:
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&space, status, err);
}

stoa_status stoa_rows_open(hid_t dataset, stoa_read_context *read_context, stoa_rows **out,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_rows *rows = stoa_alloc_zero(1, sizeof *rows);

    *out = NULL;
    if (rows == NULL) {
        (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
        return stoa_fail_memory(err);
    }
    rows->dataset = dataset;
    rows->type = H5I_INVALID_HID;
    rows->reader = (stoa_checked_reader)STOA_CHECKED_READER_INIT;
    rows->n_holders = 1;
    STOA_TRY(find_shape(rows, err));
    STOA_TRY(stoa_checked_reader_open(&rows->reader, rows->dataset, rows->type, read_context, err));
    if (rows->reader.direct != NULL) {
        stoa_direct_share(rows->reader.direct);
    }
    *out = rows;
    rows = NULL;

done:
    stoa_rows_close(rows);
    return status;
}

stoa_rows *stoa_rows_hold(stoa_rows *rows)
{
    rows->n_holders++;
    return rows;
}

void stoa_rows_close(stoa_rows *rows)
{
    if (rows == NULL || --rows->n_holders > 0) {
        return;
    }
    stoa_checked_reader_close(&rows->reader);
    (void)stoa_hdf_close(&rows->type, STOA_OK, NULL);
    (void)stoa_hdf_close(&rows->dataset, STOA_OK, NULL);
    free(rows);
}

hid_t stoa_rows_dataset(const stoa_rows *rows)
{
    return rows->dataset;
}

hid_t stoa_rows_type(const stoa_rows *rows)
{
    return rows->type;
}

uint64_t stoa_rows_extent(const stoa_rows *rows)
{
    return rows->extent;
}

uint64_t stoa_rows_chunk_rows(const stoa_rows *rows)
{
    return rows->chunk_rows;
}

size_t stoa_rows_size(const stoa_rows *rows)
{
    return rows->size;
}

/* --- a member -------------------------------------------------------------------------------- */

/* Whether a member's stored bytes are those of its element, perhaps swapped. H5T_TIME members are
 * always read without conversion, and swapped here. */
static bool find_bytes(stoa_row_member *member)
{
    if (H5Tget_class(member->type) == H5T_TIME) {
        member->swaps = H5Tget_order(member->type) != H5Tget_order(H5T_NATIVE_INT);
        return true;
    }
    return stoa_direct_converts(member->type, member->mem_type, &member->swaps);
}

/* Create a compound type of this member only. */
static stoa_status make_read_type(stoa_row_member *member, unsigned index, hid_t mem_type,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *name = NULL;

    STOA_HDF(err, member->read_type = H5Tcreate(H5T_COMPOUND, H5Tget_size(mem_type)),
             "make a compound type");
    STOA_HDF(err, (name = H5Tget_member_name(member->rows->type, index)) != NULL ? 0 : -1,
             "get a field's name");
    STOA_HDF(err, H5Tinsert(member->read_type, name, 0, mem_type), "make a compound type");

done:
    (void)H5free_memory(name);
    return status;
}

/* Select one item of an array member. The element becomes the item's. */
static stoa_status narrow(stoa_row_member *member, size_t item, stoa_element *element,
                          stoa_error *err)
{
    hid_t base = H5I_INVALID_HID;

    if (element->class != STOA_ELEMENT_ARRAY || item >= element->n_items) {
        return stoa_fail(err, STOA_EINVAL, "a field of %s has no item %zu", element->text, item);
    }
    member->read_offset = item * element->items[0].size;
    STOA_RETURN_HDF_ERROR(err, base = H5Tget_super(member->type), "read a base type");
    (void)stoa_hdf_close(&member->type, STOA_OK, NULL);
    member->type = base;
    member->offset += item * H5Tget_size(base);
    stoa_element_clear(element);
    return stoa_element_or_time_of(member->type, element, err);
}

stoa_status stoa_row_member_open(stoa_rows *rows, unsigned index, size_t item,
                                 stoa_element *element, stoa_row_member *member, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *member = (stoa_row_member)STOA_ROW_MEMBER_INIT;
    *element = (stoa_element){.mem_type = H5I_INVALID_HID};
    member->rows = stoa_rows_hold(rows);
    STOA_HDF(err, member->type = H5Tget_member_type(rows->type, index), "read a field's type");
    member->offset = H5Tget_member_offset(rows->type, index);
    STOA_TRY(stoa_element_or_time_of(member->type, element, err));
    STOA_TRY(make_read_type(member, index, element->mem_type, err));
    if (item != STOA_WHOLE_MEMBER) {
        STOA_TRY(narrow(member, item, element, err));
    }
    member->mem_type = element->mem_type;
    member->mem_size = element->size;
    member->size = H5Tget_size(member->type);
    member->is_flat = find_bytes(member);
    member->is_direct = member->is_flat && rows->reader.direct != NULL;

done:
    if (status != STOA_OK) {
        stoa_row_member_close(member);
        stoa_element_clear(element);
    }
    return status;
}

void stoa_row_member_close(stoa_row_member *member)
{
    (void)stoa_hdf_close(&member->read_type, STOA_OK, NULL);
    (void)stoa_hdf_close(&member->type, STOA_OK, NULL);
    stoa_rows_close(member->rows);
    *member = (stoa_row_member)STOA_ROW_MEMBER_INIT;
}

/* --- single members -------------------------------------------------------------------------- */

#define PICK(type)                                                                                 \
    for (uint64_t i = 0; i < n; i++) {                                                             \
        type value;                                                                                \
        memcpy(&value, from + i * stride, sizeof value);                                           \
        memcpy(out + i * sizeof value, &value, sizeof value);                                      \
    }

/* Copy n elements that are `stride` bytes apart to consecutive places. */
static void gather(const uint8_t *from, size_t stride, size_t size, uint64_t n, uint8_t *out)
{
    switch (size) {
    case 1:
        PICK(uint8_t);
        break;
    case 2:
        PICK(uint16_t);
        break;
    case 4:
        PICK(uint32_t);
        break;
    case 8:
        PICK(uint64_t);
        break;
    default:
        for (uint64_t i = 0; i < n; i++) {
            memcpy(out + i * size, from + i * stride, size);
        }
        break;
    }
}

static void turn(const stoa_row_member *member, uint64_t n, void *elements)
{
    if (member->swaps) {
        stoa_byteswap(elements, elements, (size_t)n, member->size, stoa_simd_of_cpu());
    }
}

void stoa_row_member_forget(const stoa_row_member *member, stoa_row_member_hold *hold)
{
    stoa_direct_release(member->rows->reader.direct, hold->held);
    *hold = (stoa_row_member_hold){.chunk = NULL};
}

/* The rows of a chunk in the map of the file, or NULL. */
static const void *mapped_chunk(const stoa_rows *rows, uint64_t number)
{
    const uint64_t chunk_rows = stoa_direct_chunk_rows(rows->reader.direct);
    const uint64_t first = number * chunk_rows;
    const uint64_t left = rows->extent - first;

    return stoa_direct_mapped(rows->reader.direct, first, left < chunk_rows ? left : chunk_rows);
}

static stoa_status look_into(const stoa_row_member *member, stoa_row_member_hold *hold,
                             stoa_scratch *scratch, uint64_t number, stoa_error *err)
{
    const stoa_direct *direct = member->rows->reader.direct;

    if (hold->chunk != NULL && hold->number == number) {
        return STOA_OK;
    }
    stoa_row_member_forget(member, hold);
    const void *chunk = mapped_chunk(member->rows, number);
    if (chunk == NULL) {
        STOA_RETURN_NOT_OK(stoa_direct_hold(direct, number, scratch, &chunk, &hold->held, err));
    }
    hold->chunk = chunk;
    hold->number = number;
    return STOA_OK;
}

stoa_status stoa_row_member_read_direct(const stoa_row_member *member, stoa_row_member_hold *hold,
                                        stoa_scratch *scratch, uint64_t first, uint64_t count,
                                        void *out, stoa_error *err)
{
    const stoa_direct *direct = member->rows->reader.direct;
    const uint64_t chunk_rows = stoa_direct_chunk_rows(direct);
    const size_t stride = member->rows->size;
    const size_t size = member->size;
    uint8_t *to = out;

    for (uint64_t left = count; left > 0;) {
        const uint64_t skip = first % chunk_rows;
        const uint64_t n = chunk_rows - skip < left ? chunk_rows - skip : left;
        STOA_RETURN_NOT_OK(look_into(member, hold, scratch, first / chunk_rows, err));
        gather(hold->chunk + skip * stride + member->offset, stride, size, n, to);
        to += n * size;
        first += n;
        left -= n;
    }
    turn(member, count, out);
    return STOA_OK;
}

stoa_status stoa_row_member_choose_direct(const stoa_row_member *member, stoa_row_member_hold *hold,
                                          stoa_scratch *scratch, uint64_t first, uint64_t count,
                                          const uint8_t *bits, void *out, stoa_error *err)
{
    const uint64_t chunk_rows = stoa_direct_chunk_rows(member->rows->reader.direct);
    const size_t stride = member->rows->size;
    const size_t size = member->size;
    uint64_t n = 0;

    STOA_RETURN_NOT_OK(look_into(member, hold, scratch, first / chunk_rows, err));
    const uint8_t *const from = hold->chunk + first % chunk_rows * stride + member->offset;
    for (uint64_t byte = 0; byte < stoa_bit_bytes(count); byte++) {
        for (unsigned left = bits[byte]; left != 0; left &= left - 1) {
            const uint64_t i = byte * 8 + (unsigned)__builtin_ctz(left);
            if (i < count) {
                memcpy((uint8_t *)out + n * size, from + i * stride, size);
                n++;
            }
        }
    }
    turn(member, n, out);
    return STOA_OK;
}

/* --- any member ------------------------------------------------------------------------------ */

/* Copy the stored members, then let libhdf5 convert them if necessary. */
static stoa_status gather_here(const stoa_row_member *member, uint64_t first, uint64_t count,
                               void *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_row_member_hold hold = {.chunk = NULL};
    stoa_scratch scratch = {0};
    uint8_t *stored = member->is_flat ? out : stoa_alloc((size_t)count, member->size);

    STOA_TRY(stored != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_row_member_read_direct(member, &hold, &scratch, first, count, stored, err));
    if (!member->is_flat) {
        STOA_TRY(stoa_convert(member->type, member->mem_type, stored, count, out, err));
    }

done:
    stoa_row_member_forget(member, &hold);
    stoa_scratch_clear(&scratch);
    free(member->is_flat ? NULL : stored);
    return status;
}

/* Read the whole array in blocks of rows, and copy one item of each. */
static stoa_status read_items(const stoa_row_member *member, uint64_t first, uint64_t count,
                              uint8_t *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t stride = H5Tget_size(member->read_type);
    const uint64_t most = stride < BLOCK_BYTES ? BLOCK_BYTES / stride : 1;
    uint8_t *block = stoa_alloc((size_t)(count < most ? count : most), stride);

    STOA_TRY(block != NULL ? STOA_OK : stoa_fail_memory(err));
    while (count > 0) {
        const uint64_t n = count < most ? count : most;
        STOA_TRY(stoa_checked_reader_read_any(&member->rows->reader, member->read_type, &first, &n,
                                              H5P_DEFAULT, block, err));
        gather(block + member->read_offset, stride, member->mem_size, n, out);
        out += n * member->mem_size;
        first += n;
        count -= n;
    }

done:
    free(block);
    return status;
}

stoa_status stoa_row_member_read(const stoa_row_member *member, uint64_t first, uint64_t count,
                                 void *out, stoa_error *err)
{
    if (member->rows->reader.direct != NULL) {
        return gather_here(member, first, count, out, err);
    }
    STOA_RETURN_NOT_OK(H5Tget_size(member->read_type) == member->mem_size
                           ? stoa_checked_reader_read_any(&member->rows->reader, member->read_type,
                                                          &first, &count, H5P_DEFAULT, out, err)
                           : read_items(member, first, count, out, err));
    if (H5Tget_class(member->type) == H5T_TIME) {
        turn(member, count, out);
    }
    return STOA_OK;
}
