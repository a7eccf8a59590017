/* From a creation property list to a pipeline of src/codec. */
#include "hdf/filters.h"

static bool take_filter(hid_t dcpl, unsigned i, stoa_filter *filter)
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
    const stoa_quiet quiet = stoa_quiet_begin();
    const int n_filters = H5Pget_nfilters(dcpl);
    bool is_taken = n_filters >= 0 && n_filters <= STOA_MAX_FILTERS && element_size != 0 &&
                    chunk_rows != 0 && chunk_rows <= SIZE_MAX / element_size;

    *pipeline = (stoa_pipeline){.element_size = element_size, .simd = stoa_simd_of_cpu()};
    for (int i = 0; is_taken && i < n_filters; i++) {
        is_taken = take_filter(dcpl, (unsigned)i, &pipeline->filters[i]);
    }
    if (is_taken) {
        pipeline->n_filters = (size_t)n_filters;
        pipeline->chunk_bytes = (size_t)chunk_rows * element_size;
    }
    (void)H5Eclear2(H5E_DEFAULT);
    stoa_quiet_end(&quiet);
    return is_taken && (n_filters == 0 || stoa_pipeline_is_known(pipeline));
}
