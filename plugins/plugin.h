/* What libhdf5 asks of a plugin, and nothing else is to be seen from outside. */
#ifndef STOA_PLUGIN_H
#define STOA_PLUGIN_H

#include <H5PLextern.h>
#include <stoa/error.h>

/* The file's only definition: what kind of plugin it is, and its class. */
#define STOA_PLUGIN(kind, class)                                                                   \
    STOA_API H5PL_type_t H5PLget_plugin_type(void)                                                 \
    {                                                                                              \
        return kind;                                                                               \
    }                                                                                              \
    STOA_API const void *H5PLget_plugin_info(void)                                                 \
    {                                                                                              \
        return &(class);                                                                           \
    }

#endif
