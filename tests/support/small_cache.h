/* Shrink a file's metadata cache, so that metadata leaves memory soon. This simulates a file whose
 * metadata is larger than libhdf5's cache. */
#ifndef STOA_TESTS_SMALL_CACHE_H
#define STOA_TESTS_SMALL_CACHE_H

#include <hdf5.h>

#include "support/check.h"

static inline void shrink_metadata_cache(hid_t file)
{
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};

    CHECK_H5(H5Fget_mdc_config(file, &cache));
    cache.set_initial_size = true;
    cache.initial_size = 1024;
    cache.min_size = 1024;
    cache.max_size = 1024;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    CHECK_H5(H5Fset_mdc_config(file, &cache));
}

#endif
