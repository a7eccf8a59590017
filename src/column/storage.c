/* How a column is stored: layout, chunks, filters, bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column/members.h"
#include "core/sized_struct.h"
#include "hdf/chunk/filters.h"
#include "hdf/metadata/libhdf5_checks.h"

static void append(char *text, size_t size, const char *word)
{
    const size_t length = strlen(text);

    (void)snprintf(text + length, size - length, "%s%s", length != 0 ? "," : "", word);
}

static uint64_t list_bytes(const stoa_column *column)
{
    stoa_members members;
    uint64_t n_bytes = 0;

    stoa_members_of(column, &members);
    for (size_t i = 0; i < members.n; i++) {
        n_bytes += stoa_column_stored_bytes(members.items[i].column);
    }
    return n_bytes;
}

uint64_t stoa_column_stored_bytes(const stoa_column *column)
{
    stoa_column *own = (stoa_column *)(uintptr_t)column; /* as for stoa_column_load() */

    if (column->has_stored_bytes) {
        return column->n_stored_bytes;
    }
    if (stoa_column_is_list_group(column)) {
        return list_bytes(column);
    }
    (void)!stoa_column_reach(column, NULL);
    own->n_stored_bytes = column->dataset >= 0 ? H5Dget_storage_size(column->dataset) : 0;
    own->has_stored_bytes = column->group >= 0 && column->dataset >= 0;
    if (column->member.rows != NULL) { /* its share of the compound rows */
        own->n_stored_bytes = (uint64_t)((double)own->n_stored_bytes * (double)column->member.size /
                                         (double)stoa_rows_size(column->member.rows));
        own->has_stored_bytes = true;
    }
    return column->n_stored_bytes;
}

stoa_status stoa_column_may_be_scanned(const stoa_column *column, uint64_t n_rows, stoa_error *err)
{
    if (n_rows <= STOA_UNWRITTEN_ROWS || (column->dataset < 0 && column->group < 0) ||
        stoa_column_stored_bytes(column) >= n_rows >> 20) {
        return STOA_OK;
    }
    return stoa_column_at(column,
                          stoa_fail(err, STOA_ERANGE,
                                    "the table has %llu rows, and hardly any was ever written: "
                                    "they are fill values; cut it first ('stoa truncate')",
                                    (unsigned long long)n_rows),
                          err);
}

static stoa_status list_may_be_rewritten(const stoa_column *column, stoa_error *err)
{
    stoa_members members;

    stoa_members_of(column, &members);
    for (size_t i = 0; i < members.n; i++) {
        STOA_RETURN_NOT_OK(stoa_column_may_be_rewritten(members.items[i].column, err));
    }
    return STOA_OK;
}

stoa_status stoa_column_may_be_rewritten(const stoa_column *column, stoa_error *err)
{
    const uint64_t chunk_rows = column->chunk_rows; /* below 2^32 by the file format */
    const uint64_t most = (uint64_t)64 << 20;

    if (stoa_column_is_list_group(column)) {
        return list_may_be_rewritten(column, err);
    }
    hid_t type = column->dataset >= 0 ? H5Dget_type(column->dataset) : H5I_INVALID_HID;
    const uint64_t size = type >= 0 ? H5Tget_size(type) : 0;

    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    if (size == 0 || chunk_rows <= most / size ||
        stoa_column_stored_bytes(column) >= chunk_rows * size >> 20) {
        return STOA_OK;
    }
    return stoa_column_at(
        column,
        stoa_fail(err, STOA_ERANGE,
                  "hardly any value was ever written, and %llu rows of %llu bytes are a chunk; "
                  "write the table to a new file instead ('stoa convert')",
                  (unsigned long long)chunk_rows, (unsigned long long)size),
        err);
}

static stoa_status dataset_storage(const stoa_column *column, stoa_column_storage *storage,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    int n_filters = 0;
    static const char *const layouts[] = {"compact", "contiguous", "chunked", "virtual"};

    STOA_TRY(stoa_column_reach(column, err));
    if (column->dataset < 0) {
        (void)snprintf(storage->layout, sizeof storage->layout, "made");
        goto done;
    }
    STOA_HDF(err, dcpl = stoa_dataset_properties(column->dataset),
             "get the creation properties of '%s'", column->name);
    STOA_HDF(err, type = H5Dget_type(column->dataset), "get the datatype of '%s'", column->name);
    const H5D_layout_t layout = H5Pget_layout(dcpl);
    (void)snprintf(storage->layout, sizeof storage->layout, "%s",
                   layout >= 0 && layout <= H5D_VIRTUAL ? layouts[layout] : "unknown");
    STOA_HDF(err, n_filters = H5Pget_nfilters(dcpl), "get the filters of '%s'", column->name);
    for (int i = 0; i < n_filters; i++) {
        char word[64];
        stoa_filter_words(dcpl, (unsigned)i, word, sizeof word);
        append(storage->filters, sizeof storage->filters, word);
    }
    storage->n_stored_bytes = stoa_column_stored_bytes(column);
    storage->n_raw_bytes =
        column->extent * (column->member.rows != NULL ? column->member.size : H5Tget_size(type));

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}

/* Members may differ in their storage. Layout and filters are those of the innermost values, and
 * the bytes those of all. */
static stoa_status list_storage(const stoa_column *column, stoa_column_storage *storage,
                                stoa_error *err)
{
    stoa_members members;

    stoa_members_of(column, &members);
    storage->chunk_rows = column->list->offsets->chunk_rows;
    for (size_t i = 0; i < members.n; i++) {
        const stoa_column *const dataset = members.items[i].column;
        stoa_column_storage member = {.extent = dataset->extent};
        STOA_RETURN_NOT_OK(dataset_storage(dataset, &member, err));
        storage->n_stored_bytes += member.n_stored_bytes;
        storage->n_raw_bytes += member.n_raw_bytes;
        if (i == 0) {
            memcpy(storage->layout, member.layout, sizeof storage->layout);
            memcpy(storage->filters, member.filters, sizeof storage->filters);
        }
    }
    return STOA_OK;
}

static stoa_status storage_of(const stoa_column *column, stoa_column_storage *storage,
                              stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_column_load(column, err));
    *storage = (stoa_column_storage){.extent = column->extent, .chunk_rows = column->chunk_rows};
    (void)snprintf(storage->datatype, sizeof storage->datatype, "%s", column->element.text);
    return (stoa_column_is_list_group(column) ? list_storage : dataset_storage)(column, storage,
                                                                                err);
}

stoa_status stoa_column_storage_of(const stoa_column *column, stoa_column_storage *storage,
                                   stoa_error *err)
{
    stoa_column_storage own = STOA_COLUMN_STORAGE_INIT;
    stoa_status status = STOA_OK;

    STOA_RETURN_NOT_OK(STOA_SIZED_CHECK(storage, datatype, "STOA_COLUMN_STORAGE_INIT", err));
    STOA_RETURN_NOT_OK(stoa_idle_begin(column->idle, err));
    status = storage_of(column, &own, err);
    stoa_idle_end(column->idle);
    if (status == STOA_OK) {
        STOA_SIZED_GIVE(&own, storage);
    }
    return status;
}
