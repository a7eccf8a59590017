/* How a column lies in its file: layout, chunks, filters, bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/pipeline.h"
#include "column/column.h"
#include "hdf/guard.h"

static void append(char *text, size_t size, const char *word)
{
    const size_t length = strlen(text);

    (void)snprintf(text + length, size - length, "%s%s", length != 0 ? "," : "", word);
}

/* One filter as people write it: "shuffle", "deflate:4", "scaleoffset", or its registered name. */
static void name_filter(hid_t dcpl, unsigned i, char *word, size_t size)
{
    unsigned flags = 0;
    unsigned values[16] = {0};
    size_t n_values = sizeof values / sizeof values[0];
    char name[48] = "";
    unsigned config = 0;
    const H5Z_filter_t id =
        H5Pget_filter2(dcpl, i, &flags, &n_values, values, sizeof name, name, &config);

    switch (id) {
    case H5Z_FILTER_DEFLATE:
        (void)snprintf(word, size, "deflate:%u", values[0]);
        break;
    case H5Z_FILTER_SHUFFLE:
        (void)snprintf(word, size, "shuffle");
        break;
    case H5Z_FILTER_FLETCHER32:
        (void)snprintf(word, size, "fletcher32");
        break;
    case H5Z_FILTER_SZIP:
        (void)snprintf(word, size, "szip");
        break;
    case H5Z_FILTER_NBIT:
        (void)snprintf(word, size, "nbit");
        break;
    case H5Z_FILTER_SCALEOFFSET:
        (void)snprintf(word, size, "scaleoffset");
        break;
    default:
        if (name[0] != '\0' || stoa_filter_name((uint32_t)id) != NULL) {
            (void)snprintf(word, size, "%s",
                           name[0] != '\0' ? name : stoa_filter_name((uint32_t)id));
        } else {
            (void)snprintf(word, size, "filter %d", (int)id);
        }
        break;
    }
}

bool stoa_column_lacks_filter(hid_t dataset, char *word, size_t size)
{
    const stoa_quiet quiet = stoa_quiet_begin();
    hid_t dcpl = stoa_dataset_properties(dataset);
    const int n_filters = dcpl >= 0 ? H5Pget_nfilters(dcpl) : 0;
    bool lacks = false;

    for (int i = 0; i < n_filters && !lacks; i++) {
        unsigned flags = 0;
        unsigned config = 0;
        size_t n_values = 0;
        const H5Z_filter_t id =
            H5Pget_filter2(dcpl, (unsigned)i, &flags, &n_values, NULL, 0, NULL, &config);

        lacks = id >= 0 && H5Zfilter_avail(id) <= 0;
        if (lacks) {
            name_filter(dcpl, (unsigned)i, word, size);
        }
    }
    (void)H5Eclear2(H5E_DEFAULT);
    stoa_quiet_end(&quiet);
    (void)stoa_hdf_close(&dcpl, STOA_OK, NULL);
    return lacks;
}

stoa_status stoa_column_read_failed(hid_t dataset, stoa_status status, const stoa_error *failure,
                                    stoa_error *err)
{
    char filter[64];

    if (status == STOA_EHDF5 && stoa_column_lacks_filter(dataset, filter, sizeof filter)) {
        return stoa_fail(err, STOA_EHDF5,
                         "the values are packed by the filter '%s', which this libhdf5 does not "
                         "have; install its plugin and set HDF5_PLUGIN_PATH",
                         filter);
    }
    return stoa_fail(err, status, "%s", failure->message);
}

uint64_t stoa_column_stored_bytes(const stoa_column *column)
{
    stoa_column *own = (stoa_column *)(uintptr_t)column; /* as for stoa_column_load() */

    if (column->has_stored_bytes) {
        return column->n_stored_bytes;
    }
    own->n_stored_bytes = column->dataset >= 0 ? H5Dget_storage_size(column->dataset) : 0;
    own->has_stored_bytes = column->group >= 0;
    if (column->member.rows != NULL) { /* its part of the rows */
        own->n_stored_bytes = (uint64_t)((double)own->n_stored_bytes * (double)column->member.size /
                                         (double)stoa_rows_size(column->member.rows));
        own->has_stored_bytes = true;
    }
    return column->n_stored_bytes;
}

static stoa_status storage_of(const stoa_column *column, stoa_column_storage *storage,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    int n_filters = 0;
    static const char *const layouts[] = {"compact", "contiguous", "chunked", "virtual"};

    STOA_TRY(stoa_column_load(column, err));
    *storage = (stoa_column_storage){.extent = column->extent, .chunk_rows = column->chunk_rows};
    (void)snprintf(storage->datatype, sizeof storage->datatype, "%s", column->element.text);
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
        name_filter(dcpl, (unsigned)i, word, sizeof word);
        append(storage->filters, sizeof storage->filters, word);
    }
    storage->n_stored_bytes = stoa_column_stored_bytes(column);
    storage->n_raw_bytes =
        column->extent * (column->member.rows != NULL ? column->member.size : H5Tget_size(type));

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&dcpl, status, err);
}

stoa_status stoa_column_storage_of(const stoa_column *column, stoa_column_storage *storage,
                                   stoa_error *err)
{
    stoa_status status = stoa_idle_begin(column->idle, err);

    if (status == STOA_OK) {
        status = storage_of(column, storage, err);
        stoa_idle_end(column->idle);
    }
    return status;
}
