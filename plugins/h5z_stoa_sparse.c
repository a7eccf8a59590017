/* The filter of structured chunks as a plugin. Any HDF5 program with this file on its plugin path
 * (HDF5_PLUGIN_PATH) reads sparse datasets as dense ones. */
#include "plugin.h"
#include "sparse/format/filter.h"

STOA_PLUGIN(H5PL_TYPE_FILTER, stoa_sparse_filter_class)
