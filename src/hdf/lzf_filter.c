/* See lzf_filter.h. */
#include "hdf/lzf_filter.h"

#include "codec/lzf.h"
#include "codec/pipeline.h"

/* Chunks are unpacked only. It is said to pack since libhdf5 else refuses to write at all; it fails
 * then, and a chunk passes by the filter, which h5py makes optional. */
static size_t undo(unsigned flags, size_t n_values, const unsigned *values, size_t n_in,
                   size_t *room, void **bytes)
{
    size_t n = 0;

    (void)n_values;
    (void)values; /* a chunk's bytes, as the file claims: not to be allocated */
    if ((flags & H5Z_FLAG_REVERSE) == 0 || n_in == 0 || n_in > SIZE_MAX / STOA_LZF_MOST_BYTES) {
        return 0;
    }
    uint8_t *const out = H5allocate_memory(n_in * STOA_LZF_MOST_BYTES, false);
    if (out == NULL || !stoa_lzf_undo(*bytes, n_in, out, n_in * STOA_LZF_MOST_BYTES, &n)) {
        (void)H5free_memory(out);
        return 0;
    }
    (void)H5free_memory(*bytes);
    *bytes = out;
    *room = n_in * STOA_LZF_MOST_BYTES;
    return n;
}

static const H5Z_class2_t lzf_class = {
    .version = H5Z_CLASS_T_VERS,
    .id = STOA_FILTER_LZF,
    .encoder_present = 1,
    .decoder_present = 1,
    .name = "lzf",
    .filter = undo,
};

static bool has_lzf(hid_t dcpl)
{
    const int n_filters = H5Pget_nfilters(dcpl);

    for (int i = 0; i < n_filters; i++) {
        unsigned flags = 0;
        unsigned config = 0;
        size_t n_values = 0;
        if (H5Pget_filter2(dcpl, (unsigned)i, &flags, &n_values, NULL, 0, NULL, &config) ==
            STOA_FILTER_LZF) {
            return true;
        }
    }
    return false;
}

stoa_status stoa_lzf_lend(hid_t dcpl, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_quiet quiet = stoa_quiet_begin();
    const bool is_wanted = has_lzf(dcpl) && H5Zfilter_avail(STOA_FILTER_LZF) <= 0;

    (void)H5Eclear2(H5E_DEFAULT);
    stoa_quiet_end(&quiet);
    if (is_wanted) {
        STOA_HDF(err, H5Zregister(&lzf_class), "register a filter");
    }

done:
    return status;
}
