/* The connector as a plugin: HDF5_VOL_CONNECTOR=stoa makes any HDF5 program write exactly the
 * elements that it selects into sparse datasets, and read them from the sections. */
#include <H5PLextern.h>

#include "sparse/connector.h"

#if defined(_WIN32)
#define EXPORTED
#else
#define EXPORTED __attribute__((visibility("default")))
#endif

EXPORTED H5PL_type_t H5PLget_plugin_type(void)
{
    return H5PL_TYPE_VOL;
}

EXPORTED const void *H5PLget_plugin_info(void)
{
    return &stoa_connector_class;
}
