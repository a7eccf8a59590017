#include "hdf/chunk/filters.h"

#include <stdio.h>

static bool read_filter(hid_t dcpl, unsigned i, stoa_filter *filter)
{
    unsigned flags = 0;
    unsigned values[STOA_MAX_FILTER_VALUES] = {0};
    size_t n_values = STOA_MAX_FILTER_VALUES;
    const H5Z_filter_t id = H5Pget_filter2(dcpl, i, &flags, &n_values, values, 0, NULL, NULL);

    if (id < 0 || n_values > STOA_MAX_FILTER_VALUES) {
        return false;
    }
    *filter = (stoa_filter){.id = (uint32_t)id, .n_values = (uint32_t)n_values};
    for (size_t k = 0; k < n_values; k++) {
        filter->values[k] = values[k];
    }
    return true;
}

bool stoa_pipeline_of(hid_t dcpl, size_t element_size, uint64_t chunk_rows, stoa_pipeline *pipeline)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const int n_filters = H5Pget_nfilters(dcpl);
    bool is_taken = n_filters >= 0 && n_filters <= STOA_MAX_FILTERS && element_size != 0 &&
                    chunk_rows != 0 && chunk_rows <= SIZE_MAX / element_size;

    *pipeline = (stoa_pipeline){.element_size = element_size, .simd = stoa_simd_of_cpu()};
    for (int i = 0; is_taken && i < n_filters; i++) {
        is_taken = read_filter(dcpl, (unsigned)i, &pipeline->filters[i]);
    }
    if (is_taken) {
        pipeline->n_filters = (size_t)n_filters;
        pipeline->chunk_bytes = (size_t)chunk_rows * element_size;
    }
    stoa_error_stack_discard(&errors);
    return is_taken && (n_filters == 0 || stoa_pipeline_is_known(pipeline));
}

/* Name of a filter. `name` is its name in the file. NULL: it has none. */
static const char *name_of(H5Z_filter_t id, const char *name)
{
    switch (id) {
    case H5Z_FILTER_SHUFFLE:
        return "shuffle";
    case H5Z_FILTER_FLETCHER32:
        return "fletcher32";
    case H5Z_FILTER_SZIP:
        return "szip";
    case H5Z_FILTER_NBIT:
        return "nbit";
    case H5Z_FILTER_SCALEOFFSET:
        return "scaleoffset";
    default:
        return name[0] != '\0' ? name : stoa_filter_name((uint32_t)id);
    }
}

void stoa_filter_words(hid_t dcpl, unsigned i, char *word, size_t size)
{
    unsigned flags = 0;
    unsigned values[16] = {0};
    size_t n_values = sizeof values / sizeof values[0];
    char name[48] = "";
    unsigned config = 0;
    const H5Z_filter_t id =
        H5Pget_filter2(dcpl, i, &flags, &n_values, values, sizeof name, name, &config);
    const char *const known = name_of(id, name);

    if (id == H5Z_FILTER_DEFLATE) {
        (void)snprintf(word, size, "deflate:%u", values[0]);
    } else if (known != NULL) {
        (void)snprintf(word, size, "%s", known);
    } else {
        (void)snprintf(word, size, "filter %d", (int)id);
    }
}

bool stoa_edges_are_unfiltered(hid_t dcpl)
{
    unsigned options = 0;

    return H5Pget_chunk_opts(dcpl, &options) >= 0 &&
           (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0;
}

bool stoa_filter_is_lacking(hid_t dcpl, char *word, size_t size)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const int n_filters = H5Pget_nfilters(dcpl);
    bool is_lacking = false;

    for (int i = 0; i < n_filters && !is_lacking; i++) {
        unsigned flags = 0;
        size_t n_values = 0;
        const H5Z_filter_t id =
            H5Pget_filter2(dcpl, (unsigned)i, &flags, &n_values, NULL, 0, NULL, NULL);

        is_lacking = id >= 0 && H5Zfilter_avail(id) <= 0;
        if (is_lacking) {
            stoa_filter_words(dcpl, (unsigned)i, word, size);
        }
    }
    stoa_error_stack_discard(&errors);
    return is_lacking;
}

bool stoa_chunk_is_unpacked_here(hid_t dcpl, uint64_t n_bytes)
{
    static const uint64_t most = UINT64_C(1) << 31;

    return n_bytes <= STOA_USUAL_CHUNK_BYTES ||
           (n_bytes <= most && stoa_filter_is_lacking(dcpl, NULL, 0));
}

stoa_status stoa_filter_named(hid_t dcpl, stoa_status status, stoa_error *err)
{
    char word[64];

    if (status != STOA_EHDF5 || !stoa_filter_is_lacking(dcpl, word, sizeof word)) {
        return status;
    }
    if (err != NULL) { /* else the first message stays */
        *err = (stoa_error)STOA_ERROR_INIT;
    }
    return stoa_fail(err, status,
                     "the values are packed by the filter '%s', which this libhdf5 does not have; "
                     "install its plugin and set HDF5_PLUGIN_PATH",
                     word);
}
