#include "hdf/chunk/filter_fallback.h"

#include <string.h>

#include "codec/pipeline.h"
#include "hdf/chunk/filters.h"

/* Decode into a buffer that is doubled until the chunk fits, since its size is not known.
 * vlen_check.c checks no larger chunks. */
static uint8_t *unpack(const stoa_filter *filter, const uint8_t *bytes, size_t n_in, size_t *room,
                       size_t *n)
{
    stoa_scratch scratch = {.coders = NULL};
    stoa_status status = STOA_EDATA;
    uint8_t *out = NULL;

    for (*room = 16384; status == STOA_EDATA && *room <= STOA_USUAL_CHUNK_BYTES; *room *= 2) {
        (void)H5free_memory(out);
        out = *room >= n_in ? H5allocate_memory(*room, false) : NULL;
        if (out != NULL) {
            status = stoa_filter_undo(filter, bytes, n_in, &scratch, out, *room, n);
        }
    }
    *room /= 2; /* of the last block */
    stoa_scratch_clear(&scratch);
    if (status != STOA_OK) {
        (void)H5free_memory(out);
        return NULL;
    }
    return out;
}

/* Decodes only. The filter claims to encode because libhdf5 otherwise refuses to write at all.
 * Encoding fails, so the chunk skips the filter, which PyTables and h5py make optional. */
static size_t undo(uint32_t id, unsigned flags, size_t n_values, const unsigned *values,
                   size_t n_in, size_t *room, void **bytes)
{
    stoa_filter filter = {.id = id, .n_values = (uint32_t)n_values};
    size_t n = 0;

    if ((flags & H5Z_FLAG_REVERSE) == 0 || n_in == 0 || n_values > STOA_MAX_FILTER_VALUES) {
        return 0;
    }
    for (size_t i = 0; i < n_values; i++) {
        filter.values[i] = values[i];
    }
    uint8_t *const out = unpack(&filter, *bytes, n_in, room, &n);
    if (out == NULL) {
        return 0;
    }
    (void)H5free_memory(*bytes);
    *bytes = out;
    return n;
}

/* libhdf5 does not tell a filter its own id. */
#define LENT(number)                                                                               \
    static size_t undo_##number(unsigned flags, size_t n_values, const unsigned *values,           \
                                size_t n_in, size_t *room, void **bytes)                           \
    {                                                                                              \
        return undo(STOA_FILTER_##number, flags, n_values, values, n_in, room, bytes);             \
    }
LENT(LZO)
LENT(BZIP2)
LENT(LZF)
LENT(BLOSC)
LENT(LZ4)
LENT(ZSTD)

#define CLASS(number, words)                                                                       \
    {                                                                                              \
        .version = H5Z_CLASS_T_VERS, .id = STOA_FILTER_##number, .encoder_present = 1,             \
        .decoder_present = 1, .name = (words), .filter = undo_##number                             \
    }
static const H5Z_class2_t classes[] = {
    CLASS(LZO, "lzo by Stoa"),     CLASS(BZIP2, "bzip2 by Stoa"), CLASS(LZF, "lzf by Stoa"),
    CLASS(BLOSC, "blosc by Stoa"), CLASS(LZ4, "lz4 by Stoa"),     CLASS(ZSTD, "zstd by Stoa"),
};

static const H5Z_class2_t *class_of(uint32_t id)
{
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (classes[i].id == (H5Z_filter_t)id) {
            return &classes[i];
        }
    }
    return NULL;
}

/* By its name, since libhdf5 exposes only that and the capabilities of a filter. */
static bool is_lent(uint32_t id)
{
    const H5Z_class2_t *class = class_of(id);
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    char name[32] = "";
    unsigned flags = 0;
    size_t n_values = 0;

    if (dcpl >= 0 && H5Pset_filter(dcpl, (H5Z_filter_t)id, H5Z_FLAG_OPTIONAL, 0, NULL) >= 0) {
        (void)H5Pget_filter2(dcpl, 0, &flags, &n_values, NULL, sizeof name, name, NULL);
    }
    (void)stoa_hdf_close(&dcpl, STOA_OK, NULL);
    return class != NULL && strcmp(name, class->name) == 0;
}

bool stoa_filter_is_installed(uint32_t id)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    unsigned can = 0;
    const bool is_there = H5Zfilter_avail((H5Z_filter_t)id) > 0 &&
                          H5Zget_filter_info((H5Z_filter_t)id, &can) >= 0 &&
                          (can & H5Z_FILTER_CONFIG_DECODE_ENABLED) != 0 && !is_lent(id);

    stoa_error_stack_discard(&errors);
    return is_there;
}

/* Whether libhdf5, with its plugins, lacks a filter that Stoa, with the libraries of this system,
 * can decode. */
static bool is_wanted(const stoa_filter *filter)
{
    stoa_pipeline alone = {.n_filters = 1, .chunk_bytes = 1, .element_size = 1};

    alone.filters[0] = *filter;
    return class_of(filter->id) != NULL && H5Zfilter_avail((H5Z_filter_t)filter->id) <= 0 &&
           stoa_pipeline_is_known(&alone);
}

stoa_status stoa_filter_fallback_for(hid_t dcpl, stoa_error *err)
{
    stoa_pipeline pipeline;
    bool wanted[STOA_MAX_FILTERS] = {false};
    const stoa_error_stack errors = stoa_error_stack_begin();

    (void)stoa_pipeline_of(dcpl, 1, 1, &pipeline); /* only its list of filters is used */
    for (size_t i = 0; i < pipeline.n_filters; i++) {
        wanted[i] = is_wanted(&pipeline.filters[i]);
    }
    stoa_error_stack_discard(&errors);
    for (size_t i = 0; i < pipeline.n_filters; i++) {
        if (wanted[i]) {
            STOA_RETURN_HDF_ERROR(err, H5Zregister(class_of(pipeline.filters[i].id)),
                                  "register a filter");
        }
    }
    return STOA_OK;
}
