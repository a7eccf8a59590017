/* Reading and writing the datasets of a SORTED_ROWS index (HEP001 §10.5). */
#include <stdlib.h>
#include <string.h>

#include "hdf/packed.h"
#include "index/sorted_store.h"

/* --- read ------------------------------------------------------------------------------------ */

/* A dataset that has been read before. */
typedef struct reader {
    hid_t dataset; /* the store's; 0: not yet */
    stoa_packed packed;
} reader;

/* Reading does not change the store, but what it takes to read again. */
typedef struct stoa_sorted_readers {
    reader rows;
    reader covers[2];
} stoa_sorted_readers;

void stoa_sorted_forget(stoa_sorted_store *store)
{
    if (store->readers != NULL) {
        stoa_packed_close(&store->readers->rows.packed);
        stoa_packed_close(&store->readers->covers[0].packed);
        stoa_packed_close(&store->readers->covers[1].packed);
        free(store->readers);
        store->readers = NULL;
    }
}

stoa_status stoa_sorted_remember(stoa_sorted_store *store, stoa_error *err)
{
    static const reader none = {.packed = STOA_PACKED_INIT};

    store->readers = stoa_alloc(1, sizeof *store->readers);
    if (store->readers == NULL) {
        return stoa_fail_memory(err);
    }
    *store->readers = (stoa_sorted_readers){none, {none, none}};
    return STOA_OK;
}

static stoa_status read_some(const stoa_sorted_store *store, reader *r, hid_t dataset,
                             hid_t mem_type, uint64_t first, uint64_t count, void *out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (r->dataset == 0) {
        stoa_packed_close(&r->packed); /* of an attempt that failed */
        STOA_TRY(stoa_packed_open(&r->packed, dataset, mem_type, store->column->shelf, err));
        r->dataset = dataset;
    }
    STOA_TRY(stoa_packed_read(&r->packed, first, count, out, err));

done:
    return status;
}

/* Rows of 4 bytes, as most indexes have them, are read as such and made longer here. */
static void widen(uint64_t *rows, uint64_t n)
{
    const uint8_t *narrow = (const uint8_t *)rows;

    for (uint64_t i = n; i-- > 0;) { /* from the end: each lies where it was, or behind */
        uint32_t row;
        memcpy(&row, narrow + i * sizeof row, sizeof row);
        rows[i] = row;
    }
}

stoa_status stoa_sorted_read_rows(const stoa_sorted_store *store, uint64_t first, uint64_t count,
                                  uint64_t *rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_narrow = store->max_row == UINT32_MAX;

    STOA_TRY(read_some(store, &store->readers->rows, store->rows,
                       is_narrow ? H5T_NATIVE_UINT32 : H5T_NATIVE_UINT64, first, count, rows, err));
    if (is_narrow) {
        widen(rows, count);
    }
    for (uint64_t i = 0; i < count; i++) {
        if (rows[i] >= store->n_rows) {
            STOA_FAIL(err, STOA_EDATA,
                      "rank %llu of a sorted index is row %llu of %llu (HEP001 "
                      "§10.5)",
                      (unsigned long long)(first + i), (unsigned long long)rows[i],
                      (unsigned long long)store->n_rows);
        }
    }

done:
    return status;
}

stoa_status stoa_sorted_read_values(const stoa_sorted_store *store, hid_t dataset, uint64_t first,
                                    uint64_t count, void *values, stoa_error *err)
{
    memset(values, 0, (size_t)count * store->column->element.size);
    return read_some(store, &store->readers->covers[dataset == store->fences], dataset,
                     store->column->element.mem_type, first, count, values, err);
}

/* --- written --------------------------------------------------------------------------------- */

static stoa_status write_some(hid_t dataset, hid_t mem_type, uint64_t first, uint64_t count,
                              const void *from, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t file_space = H5I_INVALID_HID;
    hid_t mem_space = H5I_INVALID_HID;

    if (count == 0) {
        return STOA_OK;
    }
    STOA_HDF(err, file_space = H5Dget_space(dataset), "get the shape of a sorted index");
    STOA_HDF(err,
             H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &(hsize_t){first}, NULL,
                                 &(hsize_t){count}, NULL),
             "select ranks of a sorted index");
    STOA_HDF(err, mem_space = H5Screate_simple(1, &(hsize_t){count}, NULL), "make a dataspace");
    STOA_HDF(err, H5Dwrite(dataset, mem_type, mem_space, file_space, H5P_DEFAULT, from),
             "write a sorted index");

done:
    status = stoa_hdf_close(&mem_space, status, err);
    return stoa_hdf_close(&file_space, status, err);
}

stoa_status stoa_sorted_write_rows(const stoa_sorted_store *store, uint64_t first, uint64_t count,
                                   const uint64_t *rows, stoa_error *err)
{
    return write_some(store->rows, H5T_NATIVE_UINT64, first, count, rows, err);
}

/* libhdf5 converts enums to integers, but no integer to an enum: so codes are brought into the
 * file's form first, and written as they are. */
static stoa_status write_codes(const stoa_sorted_store *store, hid_t dataset, uint64_t first,
                               uint64_t count, const void *values, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = store->column->element.size;
    const size_t file_size = H5Tget_size(store->code_type);
    void *converted = stoa_alloc((size_t)count, file_size > size ? file_size : size);

    if (converted == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    memcpy(converted, values, (size_t)count * size);
    STOA_HDF(err,
             H5Tconvert(store->column->element.mem_type, store->code_type, (size_t)count, converted,
                        NULL, H5P_DEFAULT),
             "convert enum codes");
    STOA_TRY(write_some(dataset, store->value_type, first, count, converted, err));

done:
    free(converted);
    return status;
}

stoa_status stoa_sorted_write_values(const stoa_sorted_store *store, hid_t dataset, uint64_t first,
                                     uint64_t count, const void *values, stoa_error *err)
{
    return store->code_type >= 0
               ? write_codes(store, dataset, first, count, values, err)
               : write_some(dataset, store->column->element.mem_type, first, count, values, err);
}
