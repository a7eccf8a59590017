/* The filter of structured chunks as a plugin. Any HDF5 program with this file on its plugin path
 * (HDF5_PLUGIN_PATH) reads sparse datasets as dense ones. */
#include "plugin.h"
#include "sparse/format/filter.h"

#ifdef STOA_FINDS_HDF5
#include "hdf5_caller.h"

static herr_t set_local(hid_t dcpl, hid_t type, hid_t space)
{
    stoa_hdf5_caller_begin(__builtin_return_address(0));
    const herr_t status = stoa_sparse_filter_class.set_local(dcpl, type, space);
    stoa_hdf5_caller_end();
    return status;
}

static size_t filter(unsigned flags, size_t n_words, const unsigned words[], size_t n_bytes,
                     size_t *size, void **buf)
{
    stoa_hdf5_caller_begin(__builtin_return_address(0));
    const size_t n = stoa_sparse_filter_class.filter(flags, n_words, words, n_bytes, size, buf);
    stoa_hdf5_caller_end();
    return n;
}

STOA_API H5PL_type_t H5PLget_plugin_type(void)
{
    return H5PL_TYPE_FILTER;
}

STOA_API const void *H5PLget_plugin_info(void)
{
    static H5Z_class2_t class;

    if (!stoa_hdf5_caller_find(__builtin_return_address(0))) {
        return NULL;
    }
    class = stoa_sparse_filter_class;
    class.set_local = set_local;
    class.filter = filter;
    return &class;
}

#else
STOA_PLUGIN(H5PL_TYPE_FILTER, stoa_sparse_filter_class)
#endif
