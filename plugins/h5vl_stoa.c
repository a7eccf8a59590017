/* The connector as a plugin. HDF5_VOL_CONNECTOR=stoa makes any HDF5 program write exactly the
 * elements that it selects to sparse datasets, and read them from the sections. */
#include "plugin.h"
#include "sparse/connector/connector.h"

STOA_PLUGIN(H5PL_TYPE_VOL, stoa_connector_class)
