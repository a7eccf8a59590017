/* From a codec's name to HDF5 filters. */
#include "column/codec.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/memory.h"

/* Registered filter numbers, https://github.com/HDFGroup/hdf5_plugins */
enum { FILTER_BLOSC = 32001, FILTER_LZ4 = 32004, FILTER_ZSTD = 32015 };

/* A codec must save this share of the bytes to be worth its time. */
#define WORTHWHILE 0.15
#define SAMPLE_BYTES ((size_t)512 << 10)
/* Shuffled columns pack hardly better at higher levels, and much slower. */
#define AUTO_LEVEL 1

static stoa_status set_deflate(hid_t dcpl, const stoa_element *element, unsigned level,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (element->size > 1) {
        STOA_HDF(err, H5Pset_shuffle(dcpl), "set the shuffle filter");
    }
    STOA_HDF(err, H5Pset_deflate(dcpl, level), "set the deflate filter");

done:
    return status;
}

static stoa_status set_plugin(hid_t dcpl, const stoa_element *element, H5Z_filter_t filter,
                              const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_quiet quiet = stoa_quiet_begin();
    const htri_t available = H5Zfilter_avail(filter);

    (void)H5Eclear2(H5E_DEFAULT);
    stoa_quiet_end(&quiet);
    if (available <= 0) {
        STOA_FAIL(err, STOA_EINVAL,
                  "codec '%s' needs HDF5 filter plugin %d, which this libhdf5 does not find; "
                  "set HDF5_PLUGIN_PATH or choose another codec",
                  name, (int)filter);
    }
    if (element->size > 1) {
        STOA_HDF(err, H5Pset_shuffle(dcpl), "set the shuffle filter");
    }
    STOA_HDF(err, H5Pset_filter(dcpl, filter, H5Z_FLAG_MANDATORY, 0, NULL), "set filter '%s'",
             name);

done:
    return status;
}

/* Does shuffle and deflate shrink the sample enough? Tried as HDF5 would do it. */
static bool deflate_pays(const stoa_element *element, const void *sample, size_t n)
{
    const size_t size = element->size;
    const size_t count = n * size > SAMPLE_BYTES ? SAMPLE_BYTES / size : n;
    const size_t bytes = count * size;
    bool pays = true;

    if (count < 64) {
        return true;
    }
    uLongf packed_bytes = compressBound((uLong)bytes);
    uint8_t *shuffled = stoa_alloc(bytes, 1);
    uint8_t *packed = stoa_alloc(packed_bytes, 1);
    if (shuffled != NULL && packed != NULL) {
        const uint8_t *in = sample;
        for (size_t i = 0; i < count; i++) {
            for (size_t k = 0; k < size; k++) {
                shuffled[k * count + i] = in[i * size + k];
            }
        }
        pays = compress2(packed, &packed_bytes, shuffled, (uLong)bytes, AUTO_LEVEL) == Z_OK &&
               (double)packed_bytes <= (1.0 - WORTHWHILE) * (double)bytes;
    }
    free(shuffled);
    free(packed);
    return pays;
}

static stoa_status set_auto(hid_t dcpl, const stoa_element *element, const void *sample, size_t n,
                            stoa_error *err)
{
    switch (element->class) {
    case STOA_ELEMENT_INTEGER:
    case STOA_ELEMENT_FLOAT:
    case STOA_ELEMENT_OPAQUE:
        return deflate_pays(element, sample, n) ? set_deflate(dcpl, element, AUTO_LEVEL, err)
                                                : STOA_OK;
    default:
        return stoa_element_is_variable(element) ? STOA_OK
                                                 : set_deflate(dcpl, element, AUTO_LEVEL, err);
    }
}

/* The N of "deflate:N"; 4 where it is left out, 0 where it is no level. */
static unsigned deflate_level(const char *codec)
{
    const char *level = codec + strlen("deflate");

    if (*level == '\0') {
        return 4;
    }
    return level[0] == ':' && level[1] >= '1' && level[1] <= '9' && level[2] == '\0'
               ? (unsigned)(level[1] - '0')
               : 0;
}

stoa_status stoa_codec_apply(hid_t dcpl, const char *codec, const stoa_element *element,
                             const void *sample, size_t n, stoa_error *err)
{
    if (codec == NULL || strcmp(codec, "auto") == 0) {
        return set_auto(dcpl, element, sample, n, err);
    }
    if (strcmp(codec, "none") == 0) {
        return STOA_OK;
    }
    if (strcmp(codec, "small") == 0) {
        return set_deflate(dcpl, element, 9, err);
    }
    if (strncmp(codec, "deflate", strlen("deflate")) == 0 && deflate_level(codec) != 0) {
        return set_deflate(dcpl, element, deflate_level(codec), err);
    }
    if (strcmp(codec, "zstd") == 0) {
        return set_plugin(dcpl, element, FILTER_ZSTD, codec, err);
    }
    if (strcmp(codec, "lz4") == 0) {
        return set_plugin(dcpl, element, FILTER_LZ4, codec, err);
    }
    if (strcmp(codec, "blosc") == 0) {
        return set_plugin(dcpl, element, FILTER_BLOSC, codec, err);
    }
    return stoa_fail(err, STOA_EINVAL,
                     "'%s' is no codec; there are auto, none, deflate[:1-9], small, zstd, lz4 and "
                     "blosc",
                     codec);
}
