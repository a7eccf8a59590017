/* The filter of structured chunks as a plugin: any HDF5 program that finds this file on its plugin
 * path (HDF5_PLUGIN_PATH) reads sparse datasets as dense ones. */
#include <H5PLextern.h>

#include "sparse/filter.h"

#if defined(_WIN32)
#define EXPORTED
#else
#define EXPORTED __attribute__((visibility("default")))
#endif

EXPORTED H5PL_type_t H5PLget_plugin_type(void)
{
    return H5PL_TYPE_FILTER;
}

EXPORTED const void *H5PLget_plugin_info(void)
{
    return &stoa_sparse_filter_class;
}
