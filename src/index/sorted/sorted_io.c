/* Reading and writing the datasets of a SORTED_ROWS index (HEP001 §10.5). */
#include <stdlib.h>
#include <string.h>

#include "index/sorted/sorted_store.h"

/* State for reading one dataset. */
typedef struct access {
    bool is_read;
    stoa_checked_reader reader;
} access;

/* Cached state. Reads and writes change it even if the store is const. */
typedef struct stoa_sorted_access {
    access rows;
    access values;
    access fences;
    bool is_written;
    stoa_chunk_writer writer; /* of the rows */
} stoa_sorted_access;

void stoa_sorted_forget(stoa_sorted_store *store)
{
    if (store->access != NULL) {
        stoa_checked_reader_close(&store->access->rows.reader);
        stoa_checked_reader_close(&store->access->values.reader);
        stoa_checked_reader_close(&store->access->fences.reader);
        stoa_chunk_writer_close(&store->access->writer);
        free(store->access);
        store->access = NULL;
    }
}

stoa_status stoa_sorted_remember(stoa_sorted_store *store, stoa_error *err)
{
    static const access none = {.reader = STOA_CHECKED_READER_INIT};

    store->access = stoa_alloc(1, sizeof *store->access);
    STOA_RETURN_NO_MEMORY(err, store->access);
    *store->access = (stoa_sorted_access){none, none, none, .writer = STOA_CHUNK_WRITER_INIT};
    return STOA_OK;
}

static access *access_to(const stoa_sorted_store *store, hid_t dataset)
{
    return dataset == store->rows     ? &store->access->rows
           : dataset == store->values ? &store->access->values
                                      : &store->access->fences;
}

/* --- Reading --------------------------------------------------------------------------------- */

static stoa_status read_some(const stoa_sorted_store *store, hid_t dataset, hid_t mem_type,
                             uint64_t first, uint64_t count, void *out, stoa_error *err)
{
    access *const a = access_to(store, dataset);

    if (!a->is_read) {
        stoa_checked_reader_close(&a->reader); /* after a failed attempt */
        STOA_RETURN_NOT_OK(stoa_checked_reader_open(&a->reader, dataset, mem_type,
                                                    store->column->read_context, err));
        a->is_read = true;
    }
    return stoa_checked_reader_read(&a->reader, first, count, NULL, NULL, out, err);
}

/* Whether rows are stored in 4 bytes, as in most indexes. They are read in that form and widened
 * here. */
static bool has_narrow_rows(const stoa_sorted_store *store)
{
    return store->max_row == UINT32_MAX;
}

static hid_t row_type(const stoa_sorted_store *store)
{
    return has_narrow_rows(store) ? H5T_NATIVE_UINT32 : H5T_NATIVE_UINT64;
}

static void widen(uint64_t *rows, uint64_t n)
{
    const uint8_t *narrow = (const uint8_t *)rows;

    for (uint64_t i = n; i-- > 0;) { /* backwards, since widened values overwrite later ones */
        uint32_t row;
        memcpy(&row, narrow + i * sizeof row, sizeof row);
        rows[i] = row;
    }
}

stoa_status stoa_sorted_read_rows(const stoa_sorted_store *store, uint64_t first, uint64_t count,
                                  uint64_t *rows, stoa_error *err)
{
    STOA_RETURN_NOT_OK(read_some(store, store->rows, row_type(store), first, count, rows, err));
    if (has_narrow_rows(store)) {
        widen(rows, count);
    }
    for (uint64_t i = 0; i < count; i++) {
        if (rows[i] >= store->n_rows) {
            return stoa_fail(err, STOA_EDATA,
                             "rank %llu of a sorted index is row %llu of %llu (HEP001 "
                             "§10.5)",
                             (unsigned long long)(first + i), (unsigned long long)rows[i],
                             (unsigned long long)store->n_rows);
        }
    }
    return STOA_OK;
}

stoa_status stoa_sorted_read_values(const stoa_sorted_store *store, hid_t dataset, uint64_t first,
                                    uint64_t count, void *values, stoa_error *err)
{
    memset(values, 0, (size_t)count * store->column->element.size);
    return read_some(store, dataset, store->column->element.mem_type, first, count, values, err);
}

/* --- Writing --------------------------------------------------------------------------------- */

stoa_status stoa_sorted_writer(const stoa_sorted_store *store, stoa_chunk_writer **writer,
                               stoa_error *err)
{
    stoa_sorted_access *const a = store->access;

    if (!a->is_written) {
        stoa_chunk_writer_close(&a->writer); /* after a failed attempt */
        STOA_RETURN_NOT_OK(stoa_chunk_writer_open(&a->writer, store->rows, row_type(store), err));
        a->is_written = true;
    }
    *writer = &a->writer;
    return STOA_OK;
}

stoa_status stoa_sorted_flush(const stoa_sorted_store *store, stoa_error *err)
{
    return stoa_chunk_writer_flush(&store->access->writer, err);
}

const void *stoa_sorted_pack_rows(const stoa_sorted_store *store, uint64_t *rows, uint64_t n)
{
    uint8_t *narrow = (uint8_t *)rows;

    for (uint64_t i = 0; has_narrow_rows(store) && i < n; i++) { /* in place, towards the front */
        const uint32_t row = (uint32_t)rows[i];
        memcpy(narrow + i * sizeof row, &row, sizeof row);
    }
    return rows;
}

stoa_status stoa_sorted_write_rows(const stoa_sorted_store *store, uint64_t first, uint64_t count,
                                   const uint64_t *rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_chunk_writer *writer = NULL;
    uint64_t *stored = NULL;

    if (count == 0) {
        return STOA_OK;
    }
    stored = stoa_alloc((size_t)count, sizeof *stored);
    STOA_TRY(stored != NULL ? STOA_OK : stoa_fail_memory(err));
    memcpy(stored, rows, (size_t)count * sizeof *rows);
    STOA_TRY(stoa_sorted_writer(store, &writer, err));
    STOA_TRY(stoa_chunk_writer_write(writer, first, count,
                                     stoa_sorted_pack_rows(store, stored, count), err));

done:
    free(stored);
    return status;
}
